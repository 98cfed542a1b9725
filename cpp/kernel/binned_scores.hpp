// Scores in a fixed number of cells: how many negatives and positives each holds. Memory does not
// grow with the rows, counts of parts add up, and pairs in different cells are ordered for certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/buffer.hpp"

namespace assay {

// The one map from scores to cells, monotone over all of float64 (NaN refused, -0.0 is 0.0).
//
// Float64 is cut into octaves (2^e, 2^(e+1)), each into a power of two of equal cells; octaves far
// out share one. Scores in [1/2, 1) are cut by their distance to 1, which is exact there
// (Sterbenz), so both ends of the probabilities are equally sharp. -inf, 0, 1 and inf have cells of
// their own. The width of an AUC bound is the sum over octaves of (mass of positives x mass of
// negatives in it) / cells, so cells are best spent in proportion to the mass expected. At 18 bits:
//   cells per octave    distance to 0 or 1      |score| of the rest
//   8192                2^-3 .. 1/2             1 .. 4
//   4096                2^-10 .. 2^-3           1/4 .. 1, 4 .. 32
//   2048                2^-14 .. 2^-10
//   1024                2^-34 .. 2^-14          2^-10 .. 1/4, 32 .. 4096
//   256 to 1            beyond                  beyond
// Each bit more or less doubles or halves that. Near 1 no octave has more cells than values: from
// 1 - 2^-44 on (at 18 bits) a cell holds one value, and a tie there is known to be a tie.
inline constexpr int least_bin_bits = 12, most_bin_bits = 22;

// The smallest float64 of every cell, ascending; the first is -inf. At most 2^bits of them. A cell
// holds the scores from its edge up to, not including, the next one's.
std::vector<double> bin_edges(int bits);
std::size_t bin_count(int bits);  // how many that are

// The map as a table, for those who count elsewhere (on a GPU): a word per octave, packed as
// kernel/score_bins.hpp says.
std::vector<std::uint64_t> bin_octaves(int bits);

struct BadRows {
    std::int64_t bad_score_row = -1;  // the first NaN
    std::int64_t bad_label_row = -1;  // the first label but 0 and 1
};

struct BinnedScores : BadRows {    // counts mean nothing where a row is bad
    Buffer<std::uint64_t> counts;  // per cell: negatives, positives
    std::size_t cells = 0;         // at most 2^bits
};

// Counts the rows by cell and label (0 or 1). `bits` is from least_bin_bits to most_bin_bits.
// Parallel; takes 16 bytes a cell for the result and 8 bytes a cell for each thread, for any number
// of rows: 8 MiB at 18 bits with 2 threads.
template <class Score, class Label>
BinnedScores bin_scores(const Score* scores, const Label* positive, std::size_t rows, int bits);

// Adds the rows to counts there are already, two per cell as above; where a row is bad, none is
// added. `recent` holds the counts but for multiples of 2^16, which are in `counts`, so that what
// is written to all the time is small. Not parallel: for a batch that has just been read and is
// still in the cache, while other threads read the next one.
template <class Score, class Label>
BadRows add_scores(const Score* scores, const Label* positive, std::size_t rows, int bits,
                   std::uint16_t* recent, std::int64_t* counts);

struct BinnedPlaces : BadRows {
    Buffer<std::uint32_t> places;  // per row: 2 * cell + label
};

// Where each row belongs, for those that count more than rows. Parallel; 4 bytes a row.
template <class Score>
BinnedPlaces bin_places(const Score* scores, const std::uint8_t* positive, std::size_t rows,
                        int bits);

}  // namespace assay
