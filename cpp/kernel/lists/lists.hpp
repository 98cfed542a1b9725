// Ranked lists: for every query the gains of its items in rank order, and what follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/buffer.hpp"

namespace assay {

// Lists of all queries lie end to end; list q is [offsets[q], offsets[q + 1]). Every function below
// throws std::invalid_argument unless offsets start at 0, never fall and end at the last value.
using Offsets = std::span<const std::int64_t>;

struct MatchedLists {
    Buffer<std::uint8_t> gains;     // per predicted place: 1 where a new actual item is hit
    Buffer<std::int64_t> relevant;  // per query: distinct actual items
};

// Which predicted items are among the actual ones. A repeated predicted item counts at its first
// place only, a repeated actual item once. Parallel over queries; linear in the items (by hashing).
MatchedLists match_lists(Offsets actual_offsets, std::span<const std::int64_t> actual_items,
                         Offsets predicted_offsets, std::span<const std::int64_t> predicted_items);

struct RankedRows {
    Buffer<double> gains;                // per rank
    Buffer<std::uint8_t> tied;           // per rank: has the score of the next rank
    Buffer<double> ideal;                // each query's positive gains, descending
    Buffer<std::int64_t> ideal_offsets;  // where they lie
    Buffer<std::int64_t> relevant;       // per query: rows with a positive gain
    std::int64_t bad_row = -1;  // first NaN score or gain that is NaN, negative or infinite; then
                                // the arrays are empty
};

// Ranks the rows of each query by descending score. Among equal scores gains descend, so that the
// record does not depend on the order of rows. Parallel over queries, not within one.
template <class Score>
RankedRows rank_rows(Offsets offsets, std::span<const Score> scores, std::span<const double> gains);

// Per query, over the first k ranks (all of them if k is 0). An item is relevant if its gain is
// positive. Where scores tie, every value is its expectation over random orders of the tied items.
struct ListScores {
    Buffer<double> hits;                   // relevant items
    Buffer<double> precision_sum;          // of hits up to i / i, over the i that are hits
    Buffer<double> precision_mean_sum;     // of hits up to i / min(i, length), over all i <= k
    Buffer<double> reciprocal_rank;        // 1 / first relevant rank, 0 if there is none
    Buffer<double> dcg_linear;             // of gain / log2(i + 1)
    Buffer<double> dcg_exponential;        // of (2^gain - 1) / log2(i + 1)
    Buffer<double> ideal_dcg_linear;       // the same for the ideal gains
    Buffer<double> ideal_dcg_exponential;  //
    Buffer<double> hit;                    // probability that there is a relevant item
};

// Gains must be non-negative and not NaN; `tied` may be empty (no ties); ideal gains must descend.
// Parallel over queries; O(length) for each. Sums are compensated, logarithms and powers use
// nothing but correctly rounded operations: the same bits on every x86-64 CPU.
template <class Gain>
ListScores score_lists(Offsets offsets, std::span<const Gain> gains,
                       std::span<const std::uint8_t> tied, Offsets ideal_offsets,
                       std::span<const double> ideal_gains, std::int64_t k);

// Throws std::invalid_argument as said above; `size` is the number of values.
void check_offsets(Offsets offsets, std::size_t size);

}  // namespace assay
