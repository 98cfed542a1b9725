// Counts of consecutive entries added up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/buffer.hpp"
#include "kernel/order/order.hpp"

namespace assay {

// The sums of `block` counts each, of those that are left at the end. block >= 1, and no sum may
// exceed 2^63. Parallel, at the memory's speed.
Buffer<std::int64_t> block_sums(const CountsView& counts, std::size_t block);

}  // namespace assay
