// Pairs of 0/1 values by three sums: no table, no branch, the memory's speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay {

// Counts of (0,0), (0,1), (1,0), (1,1) for two columns of `width`-byte integers (1, 2, 4 or 8), or
// nothing when a value is neither 0 nor 1. Parallel above 65,536 rows.
std::optional<std::array<std::int64_t, 4>> count_binary_pairs(const void* actual,
                                                              const void* predicted,
                                                              std::size_t rows, int width);

}  // namespace assay
