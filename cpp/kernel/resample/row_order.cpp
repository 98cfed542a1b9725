#include "kernel/resample/row_order.hpp"

#include <algorithm>

#include "kernel/resample/concordant_pairs.hpp"

namespace assay::resample {
namespace {

std::size_t whole_blocks(std::size_t rows) {
    return (rows + block_rows - 1) / block_rows * block_rows;
}

// Where a row is kept among blocks of so many rows.
std::size_t block_place(std::size_t row, std::size_t rows) {
    const std::size_t begin = row / block_rows * block_rows;
    return begin + place_of(row - begin, steps_of(std::min(block_rows, rows - begin)));
}

}  // namespace

RowDraws::RowDraws(const ScoreCells& cells, bool stratified) : cells_(cells) {
    const std::size_t rows = cells.cells.size();
    std::size_t size[2] = {rows, 0};
    if (stratified) {
        size[0] = static_cast<std::size_t>(
            std::count_if(cells.cells.begin(), cells.cells.end(),
                          [](const ScoreCell& cell) { return cell.positive; }));
        size[1] = rows - size[0];
    }
    for (int side = 0; side < 1 + stratified; ++side) {
        parts_.push_back({Multinomial::of_rows(size[side]),
                          static_cast<std::uint64_t>(stratified ? 1 + side : 0), bytes_});
        bytes_ += whole_blocks(size[side]);
    }
    places_.reserve(rows);
    std::size_t taken[2] = {};
    for (const ScoreCell& cell : cells.cells) {
        const int side = stratified && !cell.positive;
        const std::size_t place =
            parts_[static_cast<std::size_t>(side)].begin + block_place(taken[side]++, size[side]);
        places_.push_back(static_cast<std::uint32_t>(place));
    }
}

void RowDraws::draw(std::uint64_t seed, std::uint64_t replicate, std::uint8_t* counts) const {
    alignas(64) std::uint8_t bytes[block_rows];
    for (const Part& part : parts_) {
        part.rows.each_block(seed, replicate, part.stream, bytes,
                             [&](std::uint64_t begin, std::size_t rows, const std::uint8_t* drawn) {
                                 std::copy_n(drawn, steps_of(rows) * lanes,
                                             counts + part.begin + begin);
                             });
    }
    counts[bytes_] = 0;
}

RowOrder::RowOrder(const RowDraws& draws, std::span<const std::uint32_t> ranks)
    : source(whole_blocks(draws.rows())), positive(source.size()), rows(draws.rows()) {
    std::fill(source.begin(), source.end(), static_cast<std::uint32_t>(draws.bytes() - 1));
    std::fill(positive.begin(), positive.end(), std::uint8_t{0});
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t place = block_place(ranks.empty() ? row : ranks[row], rows);
        source[place] = draws.places()[row];
        positive[place] = draws.positive(row) ? 255 : 0;
    }
}

void areas_by_order(const RowDraws& draws, Replicates replicates,
                    const std::vector<std::pair<RowOrder, double*>>& orders) {
    std::vector<Buffer<std::uint8_t>> counts(static_cast<std::size_t>(threads()));
    parallel_tasks(replicates.size(), [&](std::size_t task, int slot) {
        Buffer<std::uint8_t>& own = counts[static_cast<std::size_t>(slot)];
        if (own.size() == 0) own = Buffer<std::uint8_t>(draws.bytes());
        draws.draw(replicates.seed, replicates.begin + task, own.data());
        alignas(64) std::uint8_t here[block_rows];
        for (const auto& [order, out] : orders) {
            Pairs all;
            for (std::size_t begin = 0; begin < order.rows; begin += block_rows) {
                const std::size_t steps = steps_of(std::min(block_rows, order.rows - begin));
                const std::uint32_t* source = order.source.data() + begin;
                for (std::size_t i = 0; i < steps * lanes; ++i) here[i] = own[source[i]];
                all.add(block_pairs(here, order.positive.data() + begin, steps));
                check_interrupt();
            }
            out[task] = all.area();
        }
    });
}

}  // namespace assay::resample
