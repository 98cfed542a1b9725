#include "kernel/resample/concordant_pairs.hpp"
#include "kernel/resample/row_order.hpp"

namespace assay {
namespace resample {
namespace {

// Distinct scores, one row each: the counts of a block are used up as soon as they are drawn.
void areas_of_rows(const ScoreCells& cells, Replicates replicates, double* out) {
    const Multinomial draw(cells.sizes);
    const Buffer<std::uint8_t> positive = positive_places(cells);
    parallel_tasks(replicates.size(), [&](std::size_t task, int) {
        alignas(64) std::uint8_t bytes[block_rows];
        Pairs all;
        draw.each_block(replicates.seed, replicates.begin + task, 0, bytes,
                        [&](std::uint64_t begin, std::size_t here, const std::uint8_t* counts) {
                            all.add(block_pairs(counts, positive.data() + begin, steps_of(here)));
                        });
        out[task] = all.area();
    });
}

}  // namespace
}  // namespace resample

void resample_areas(const CountsView& positives, const CountsView& negatives, Replicates replicates,
                    bool stratified, double* out) {
    using namespace resample;
    const ScoreCells cells(positives, negatives);
    if (cells.distinct && !stratified) return areas_of_rows(cells, replicates, out);
    if (cells.distinct && fits_order(cells.entries)) {
        const RowDraws draws(cells, stratified);
        std::vector<std::pair<RowOrder, double*>> orders;
        orders.emplace_back(RowOrder(draws, {}), out);
        return areas_by_order(draws, replicates, orders);
    }
    each_replicate(cells, replicates, stratified,
                   [&]<class Count>(std::size_t task, const Count* counts, int) {
                       const ScoreCell* cell = cells.cells.data();
                       const ScoreCell* const end = cell + cells.cells.size();
                       out[task] = tied_area<Count>(cells.entries, [&](std::size_t entry) {
                           std::pair<std::uint64_t, std::uint64_t> both{0, 0};
                           for (; cell != end && cell->entry == entry; ++cell)
                               (cell->positive ? both.first : both.second) = *counts++;
                           return both;
                       });
                   });
}

}  // namespace assay
