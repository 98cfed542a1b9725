// Neighbouring entries pooled until their rates of positives rise: the isotonic fit of outcomes to
// scores, whose pools begin at the corners of the ROC curve's hull.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/buffer.hpp"
#include "kernel/order/order.hpp"

namespace assay {

struct RisingPools {
    Buffer<std::int64_t> starts;                // of each pool the first entry, ascending
    Buffer<std::int64_t> positives, negatives;  // of each pool
};

// The pools of entries in ascending order of score (pool adjacent violators): the rates of
// positives of the pools rise strictly. Exact. Either total must be below 2^63. Linear; parallel
// above 32,768 entries.
RisingPools rising_pools(const CountsView& positives, const CountsView& negatives);

// The isotonic fit of weights: the rate of each entry's pool. `positives` holds `replicates` rows
// of `size` weights, `totals` one row, that of the entries' weights of both classes, all above 0.
// `rates` has the shape of `positives`. The sums are rounded, alike on any number of threads.
// Linear; parallel over replicates, or over the entries of a single one.
void rising_rates(const double* positives, const double* totals, std::size_t replicates,
                  std::size_t size, double* rates);

}  // namespace assay
