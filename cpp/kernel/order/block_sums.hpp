// Counts of consecutive entries added up, and where they reach given numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/buffer.hpp"
#include "kernel/order/order.hpp"

namespace assay {

// The sums of `block` counts each, of those that are left at the end. block >= 1, and no sum may
// exceed 2^63. Parallel, at the memory's speed.
Buffer<std::int64_t> block_sums(const CountsView& counts, std::size_t block);

// For each level the first entry up to which the counts of all columns, that entry's included, add
// up to at least that many; the number of entries where they do not. Levels ascend from 1 or
// more, and columns are of one length. No sum may exceed 2^63. Parallel.
Buffer<std::int64_t> entries_reaching(std::span<const CountsView> columns,
                                      std::span<const std::int64_t> levels);

}  // namespace assay
