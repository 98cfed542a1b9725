// How well scores rank positives above negatives within each of many groups of rows.
#pragma once

#include <cstdint>
#include <span>

#include "kernel/buffer.hpp"
#include "kernel/lists/lists.hpp"

namespace assay {

struct GroupRanking {
    Buffer<std::int64_t> positives;     // per group: rows of the positive class
    Buffer<std::uint64_t> concordance;  // pairs whose positive scores higher, twice, and tied pairs
    Buffer<double> average_precision;   // by steps; NaN for a group without positives
    std::int64_t bad_row = -1;          // a row with a NaN; the arrays are then empty
};

// Group g has the rows rows[offsets[g]] to rows[offsets[g + 1] - 1] of the two columns (throws
// std::invalid_argument unless offsets are those of lists.hpp, and std::range_error for a row that
// is not there). `positive` is 0 or not. The result does not depend on the order of a group's rows.
// Below 2^32 rows a group. Parallel over groups, not within one; O(n log n) for a group of n.
template <class Score, class Row>
GroupRanking rank_groups(Offsets offsets, std::span<const Row> rows, std::span<const Score> scores,
                         std::span<const std::uint8_t> positive);

}  // namespace assay
