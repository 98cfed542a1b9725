#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernel/resample/concordant_pairs.hpp"
#include "kernel/resample/row_order.hpp"

namespace assay {
namespace {

bool all_differ(std::span<const std::uint32_t> ranks) {
    std::vector<bool> seen(ranks.size());
    for (const std::uint32_t rank : ranks) {
        if (seen[rank]) return false;
        seen[rank] = true;
    }
    return true;
}

}  // namespace

void resample_paired_areas(const CountsView& positives, const CountsView& negatives,
                           std::span<const std::uint32_t> first_ranks,
                           std::span<const std::uint32_t> second_ranks, Replicates replicates,
                           bool stratified, double* const out[2]) {
    using namespace resample;
    const ScoreCells cells(positives, negatives);
    // Copies: another thread may be writing while they are checked and used.
    const std::vector<std::uint32_t> ranks[2] = {{first_ranks.begin(), first_ranks.end()},
                                                 {second_ranks.begin(), second_ranks.end()}};
    std::size_t distinct[2] = {};
    std::vector<std::uint32_t> target[2];  // 2 rank + class of each cell
    for (int model = 0; model < 2; ++model) {
        if (ranks[model].size() != cells.entries)
            throw std::invalid_argument("columns differ in length");
        for (const std::uint32_t rank : ranks[model]) {
            if (rank >= cells.entries) throw std::invalid_argument("a rank beyond the entries");
            distinct[model] = std::max<std::size_t>(distinct[model], rank + std::size_t{1});
        }
        if (distinct[model] > std::uint32_t{1} << 31)
            throw std::range_error("too many distinct scores");
        for (const ScoreCell& cell : cells.cells)
            target[model].push_back(2 * ranks[model][cell.entry] + !cell.positive);
    }
    const bool no_ties = cells.distinct && all_differ(ranks[0]) && all_differ(ranks[1]);
    if (no_ties && fits_order(cells.entries)) {
        const RowDraws draws(cells, stratified);
        std::vector<std::pair<RowOrder, double*>> orders;
        for (int model = 0; model < 2; ++model)
            orders.emplace_back(RowOrder(draws, ranks[model]), out[model]);
        return areas_by_order(draws, replicates, orders);
    }
    const std::size_t most = 2 * std::max(distinct[0], distinct[1]);
    std::vector<Buffer<std::uint32_t>> narrow(static_cast<std::size_t>(threads()));
    std::vector<Buffer<std::uint64_t>> wide(narrow.size());
    each_replicate(cells, replicates, stratified,
                   [&]<class Count>(std::size_t task, const Count* counts, int slot) {
                       auto& own = [&]() -> auto& {
                           if constexpr (sizeof(Count) == 4)
                               return narrow[static_cast<std::size_t>(slot)];
                           else
                               return wide[static_cast<std::size_t>(slot)];
                       }();
                       if (own.size() == 0) own = Buffer<Count>(most);
                       for (int model = 0; model < 2; ++model) {
                           std::fill_n(own.data(), 2 * distinct[model], Count{0});
                           for (std::size_t i = 0; i < target[model].size(); ++i)
                               own[target[model][i]] += counts[i];
                           check_interrupt();
                           out[model][task] =
                               tied_area<Count>(distinct[model], [&](std::size_t rank) {
                                   return std::pair<std::uint64_t, std::uint64_t>{
                                       own[2 * rank], own[2 * rank + 1]};
                               });
                       }
                   });
}

}  // namespace assay
