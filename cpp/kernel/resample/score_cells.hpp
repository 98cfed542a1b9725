// The entries of a score tally that rows are drawn from: one for each class at each score.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/order/class_counts.hpp"
#include "kernel/resample/bootstrap.hpp"
#include "kernel/resample/multinomial.hpp"

namespace assay::resample {

struct ScoreCell {
    std::uint32_t entry;
    bool positive;
};

// The cells that have rows, in order, positives before negatives of the same score.
struct ScoreCells {
    std::vector<std::uint64_t> sizes;
    std::vector<ScoreCell> cells;
    std::size_t entries = 0;
    bool distinct = true;  // every cell is one row, and no score has two

    ScoreCells(const CountsView& positives, const CountsView& negatives) {
        order::with_counts(positives, negatives, [&](auto p, auto q) {
            entries = p.size();
            if (entries >= std::numeric_limits<std::uint32_t>::max())
                throw std::range_error("replicates are drawn of fewer than 2^32 distinct scores");
            sizes.reserve(entries);
            cells.reserve(entries);
            for (std::size_t i = 0; i < entries; ++i) {
                // Read once: another thread may be writing.
                const std::uint64_t here = p[i], others = q[i];
                const auto entry = static_cast<std::uint32_t>(i);
                if (here > 0) add({entry, true}, here);
                if (others > 0) add({entry, false}, others);
                distinct &= (here == 1 && others == 0) || (here == 0 && others == 1);
            }
        });
    }

private:
    void add(ScoreCell cell, std::uint64_t size) {
        cells.push_back(cell);
        sizes.push_back(size);
    }
};

// For cells of one row each: 255 where a row is positive, else 0, in the places of the rows'
// blocks.
inline Buffer<std::uint8_t> positive_places(const ScoreCells& cells) {
    const std::size_t rows = cells.cells.size();
    Buffer<std::uint8_t> positive((rows + block_rows - 1) / block_rows * block_rows);
    parallel_rows(positive.size() / block_rows, 1, [&](std::size_t block, std::size_t, int) {
        const std::size_t begin = block * block_rows, here = std::min(block_rows, rows - begin);
        const std::size_t steps = steps_of(here);
        std::fill_n(positive.data() + begin, steps * lanes, std::uint8_t{0});
        for (std::size_t row = 0; row < here; ++row)
            positive[begin + place_of(row, steps)] = cells.cells[begin + row].positive ? 255 : 0;
    });
    return positive;
}

// Draws the counts of all cells of a replicate, class by class where stratified.
class ScoreDraw {
public:
    ScoreDraw(const ScoreCells& cells, Replicates replicates, bool stratified)
        : cells_(cells), seed_(replicates.seed), whole_(cells.sizes) {
        if (!stratified) return;
        for (std::size_t i = 0; i < cells.cells.size(); ++i) {
            const bool side = !cells.cells[i].positive;
            side_sizes_[side].push_back(cells.sizes[i]);
            side_cells_[side].push_back(i);
        }
        for (int side = 0; side < 2; ++side) sides_[side].emplace(side_sizes_[side]);
    }

    const Multinomial& whole() const { return whole_; }
    std::uint64_t rows() const { return whole_.rows(); }
    // What draw needs beside the result.
    std::size_t scratch() const { return sides_[0] ? cells_.cells.size() : 0; }

    template <class Count>
    void draw(std::uint64_t replicate, std::uint8_t* bytes, Count* scratch, Count* out) const {
        if (!sides_[0]) return whole_.draw(seed_, replicate, 0, bytes, out);
        for (int side = 0; side < 2; ++side) {
            sides_[side]->draw(seed_, replicate, static_cast<std::uint64_t>(1 + side), bytes,
                               scratch);
            const std::size_t size = side_cells_[side].size();
            for (std::size_t i = 0; i < size; ++i) out[side_cells_[side][i]] = scratch[i];
        }
    }

private:
    const ScoreCells& cells_;
    std::uint64_t seed_;
    Multinomial whole_;
    std::optional<Multinomial> sides_[2];
    std::vector<std::uint64_t> side_sizes_[2];
    std::vector<std::size_t> side_cells_[2];
};

// Calls use(replicate - begin, counts per cell, slot) for each replicate, in parallel, with the
// narrowest counts that hold the rows.
template <class Use>
void each_replicate(const ScoreCells& cells, Replicates replicates, bool stratified, Use&& use) {
    const ScoreDraw draw(cells, replicates, stratified);
    const auto with = [&]<class Count>(Count) {
        const std::size_t size = cells.cells.size();
        std::vector<Buffer<Count>> counts(static_cast<std::size_t>(threads()));
        parallel_tasks(replicates.size(), [&](std::size_t task, int slot) {
            alignas(64) std::uint8_t bytes[block_rows];
            Buffer<Count>& own = counts[static_cast<std::size_t>(slot)];
            if (own.size() == 0) own = Buffer<Count>(size + draw.scratch());
            draw.draw(replicates.begin + task, bytes, own.data() + size, own.data());
            use(task, static_cast<const Count*>(own.data()), slot);
        });
    };
    if (draw.rows() < std::uint64_t{1} << 31) {
        with(std::uint32_t{});
    } else {
        with(std::uint64_t{});
    }
}

// part / whole, rounded as Python rounds the quotient of two integers below 2^53, and within 2^-63
// of it beyond; NaN where there is no whole. part <= whole < 2^100.
inline double share(uint128 part, uint128 whole) {
    if (whole == 0) return std::numeric_limits<double>::quiet_NaN();
    if (whole >> 53 == 0)
        return static_cast<double>(static_cast<std::uint64_t>(part)) /
               static_cast<double>(static_cast<std::uint64_t>(whole));
    if (part == whole) return 1.0;
    while (whole >> 64 != 0) {
        part >>= 1;
        whole >>= 1;
    }
    return static_cast<double>(static_cast<std::uint64_t>((part << 64) / whole)) * 0x1p-64;
}

}  // namespace assay::resample
