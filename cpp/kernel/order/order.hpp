// Scores in order: the distinct values of a score column with the number of positive and negative
// rows at each, and what can be read off that table in one walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "kernel/buffer.hpp"
#include "kernel/sums/sums.hpp"

namespace assay {

// Counts of one tally share one dtype, the smallest that holds them all, so that equal rows give
// equal bytes.
using Counts = std::variant<Buffer<std::uint8_t>, Buffer<std::uint16_t>, Buffer<std::uint32_t>,
                            Buffer<std::uint64_t>>;
using CountsView = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                                std::span<const std::uint32_t>, std::span<const std::uint64_t>>;

template <class Score>
struct ScoreTally {
    Buffer<Score> scores;         // ascending, no two equal, never -0.0
    Counts positives, negatives;  // per score
    std::int64_t bad_score_row = -1, bad_label_row = -1;
};

// Counts the rows at each distinct score. Score is float or double, Label uint8_t or int64_t.
// The first row with NaN and the first whose label is neither 0 nor 1 are returned; if there is
// either, the arrays are empty. The result depends on the multiset of rows alone. Linear; parallel
// above 131,072 rows. It takes the room of the scores once plus two bytes a row, result included,
// and as much again only where counts must be widened or most rows crowd into one bucket.
template <class Score, class Label>
ScoreTally<Score> order_scores(const Score* scores, const Label* positive, std::size_t rows);

template <class Score>
struct ScoreTallyView {
    std::span<const Score> scores;
    CountsView positives, negatives;
};

// The tally of the rows of both. Linear; parallel above a million distinct scores.
template <class Score>
ScoreTally<Score> merge_scores(const ScoreTallyView<Score>& a, const ScoreTallyView<Score>& b);

struct PairTally {
    Buffer<double> x, y;  // ascending by x, then y; no two pairs equal, never -0.0
    Counts positives, negatives;
    std::int64_t bad_row = -1;
};

// The same for pairs of columns: the distinct (x, y) with the rows of each class. `bad_row` is the
// first row with a NaN in either column or a label above 1; the arrays are then empty. Parallel;
// needs 16 bytes a row and as much again for an equal pair or a cluster with most of the rows.
PairTally order_pairs(const double* x, const double* y, const std::uint8_t* positive,
                      std::size_t rows);

struct PairTallyView {
    std::span<const double> x, y;
    CountsView positives, negatives;
};

PairTally merge_pairs(const PairTallyView& a, const PairTallyView& b);

// How many pairs of rows two columns order alike, oppositely, or not at all.
struct ConcordantPairs {
    uint128 concordant = 0, discordant = 0;
    uint128 tied_x = 0, tied_y = 0, tied_both = 0;  // equal in x alone, in y alone, in both
    std::int64_t bad_row = -1;                      // the first with a NaN; the counts are then 0
};

// Counts every pair of rows exactly, by a merge sort that counts what it moves: O(n log n),
// parallel. Needs some 40 bytes a row.
ConcordantPairs count_concordant(const double* x, const double* y, std::size_t rows);

// Integer sums over a tally whose entry v has p positives and q negatives; below and above are
// strict. All exact.
struct ScoreSweep {
    std::uint64_t positives = 0, negatives = 0;  // m and n0
    uint128 concordance = 0;                     // sum of p (2 N_below + q)
    uint128 positive_squares = 0;                // sum of p (2 N_below + q)^2
    uint128 negative_squares = 0;                // sum of q (2 P_above + p)^2
    uint128 gap = 0;              // largest |P_at_or_below n0 - N_at_or_below m|: KS times m n0
    std::int64_t gap_index = -1;  // first entry that reaches it, -1 when empty
};

// Walks the counts of a tally. Every sum is below 4 (m + n0)^3 * 4/27, which fits 128 bits up to
// 2^42 rows; more throws std::range_error. Parallel above 131,072 entries.
ScoreSweep sweep_scores(const CountsView& positives, const CountsView& negatives);

// Average precision by steps is sum / positives: the precision TP / (TP + FP) at each score, of all
// rows there and above, for each positive row at that score.
struct PrecisionSweep {
    std::uint64_t positives = 0;
    ValueSum sum;  // of p TP / (TP + FP), each rounded once (to 2^-53 of itself), added exactly
};

// Walks the counts of a tally. Up to 2^42 rows; more throws std::range_error. Parallel, 1.5
// ns an entry on one thread.
PrecisionSweep sweep_precision(const CountsView& positives, const CountsView& negatives);

}  // namespace assay
