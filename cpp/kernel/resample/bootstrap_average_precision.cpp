#include <limits>

#include "kernel/platform.hpp"
#include "kernel/resample/score_cells.hpp"

namespace assay {
namespace resample {
namespace {

// Rows at and above where a lane begins: positives, and both classes.
struct LaneSums {
    alignas(64) double found[lanes], taken[lanes], sum[lanes];
};

ASSAY_CLONES void count_lanes(const std::uint8_t* counts, const std::uint8_t* positive,
                              std::size_t steps, std::uint16_t* found, std::uint16_t* taken) {
    for (std::size_t i = 0; i < steps * lanes; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            found[lane] += counts[i + lane] & positive[i + lane];
            taken[lane] += counts[i + lane];
        }
    }
}

// Every lane goes back through its own rows and adds up the precision at each positive one.
ASSAY_CLONES void add_precisions(const std::uint8_t* counts, const std::uint8_t* positive,
                                 std::size_t steps, LaneSums* lane_sums) {
    double* __restrict found = lane_sums->found;
    double* __restrict taken = lane_sums->taken;
    double* __restrict sum = lane_sums->sum;
    for (std::size_t i = steps * lanes; i > 0; i -= lanes) {
        const std::uint8_t *count = counts + i - lanes, *mask = positive + i - lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto here = static_cast<double>(count[lane] & mask[lane]);
            found[lane] += here;
            taken[lane] += static_cast<double>(count[lane]);
            const double all = taken[lane];
            sum[lane] += here * (found[lane] / (all == 0 ? 1 : all));
        }
    }
}

// Distinct scores, one row each, from the highest block to the lowest.
void precisions_of_rows(const ScoreCells& cells, Replicates replicates, double* out) {
    const Multinomial draw(cells.sizes);
    const Buffer<std::uint8_t> positive = positive_places(cells);
    parallel_tasks(replicates.size(), [&](std::size_t task, int) {
        alignas(64) std::uint8_t bytes[block_rows];
        double sum = 0, found = 0, taken = 0;
        draw.each_block<Multinomial::Order::down>(
            replicates.seed, replicates.begin + task, 0, bytes,
            [&](std::uint64_t begin, std::size_t rows, const std::uint8_t* counts) {
                const std::size_t steps = steps_of(rows);
                const std::uint8_t* mask = positive.data() + begin;
                alignas(64) std::uint16_t lane_found[lanes] = {}, lane_taken[lanes] = {};
                count_lanes(counts, mask, steps, lane_found, lane_taken);
                LaneSums lane_sums{};
                for (std::size_t lane = lanes; lane-- > 0;) {
                    lane_sums.found[lane] = found;
                    lane_sums.taken[lane] = taken;
                    found += lane_found[lane];
                    taken += lane_taken[lane];
                }
                add_precisions(counts, mask, steps, &lane_sums);
                for (std::size_t lane = lanes; lane-- > 0;) sum += lane_sums.sum[lane];
            });
        out[task] = found > 0 ? sum / found : std::numeric_limits<double>::quiet_NaN();
    });
}

}  // namespace
}  // namespace resample

void resample_precisions(const CountsView& positives, const CountsView& negatives,
                         Replicates replicates, bool stratified, double* out) {
    using namespace resample;
    const ScoreCells cells(positives, negatives);
    if (cells.distinct && !stratified) return precisions_of_rows(cells, replicates, out);
    each_replicate(cells, replicates, stratified,
                   [&]<class Count>(std::size_t task, const Count* counts, int) {
                       double sum = 0, found = 0, taken = 0;
                       for (std::size_t i = cells.cells.size(); i > 0;) {
                           const std::uint32_t entry = cells.cells[i - 1].entry;
                           double here = 0;
                           for (; i > 0 && cells.cells[i - 1].entry == entry; --i) {
                               const auto count = static_cast<double>(counts[i - 1]);
                               here += cells.cells[i - 1].positive ? count : 0.0;
                               taken += count;
                           }
                           found += here;
                           if (here > 0) sum += here * (found / taken);
                       }
                       out[task] =
                           found > 0 ? sum / found : std::numeric_limits<double>::quiet_NaN();
                   });
}

}  // namespace assay
