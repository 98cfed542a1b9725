// What the vector paths of the exact sums hand to the driver: integer totals of one chunk of rows.
//
// A window W splits a double into two integers, x = (high * 2**51 + low) * 2**(W - 1074), with
// |high| <= 2**51 and |low| <= 2**50. A kernel sums them, and the squares of the whole, without any
// rounding. It refuses (returns false) when a value does not fit the window; then its totals mean
// nothing. So the window is a matter of speed only: a wrong one costs time, never bits.
#pragma once

#include <cstdint>

#include "kernel/sums/wide_integers.hpp"

namespace assay::sums {

// Two products of 52 bits for each row stay below 2**64 together.
constexpr int chunk_rows = 2048;
constexpr int row_multiple = 8;  // kernels take whole vectors; zeros fill the last one

constexpr int limb_bits = 51;
// Values below 2**(W + 100 - 1074) leave one bit of room for the difference of two of them.
constexpr int window_bits = 100;
// Beyond it the constant 1.5 * 2**52 * 2**(W + 51 - 1074) would overflow.
constexpr int largest_window = 1990;

// Both limbs are summed and multiplied with 2**51 added, which makes them non-negative: integer
// multipliers are unsigned. So squares are those of x + offset, offset = 2**102 + 2**51.
constexpr int bias_bit = 51;

// A sum of squares, as the sum of part[k] * 2**part_bit[k]. With limbs of 51 bits the cross
// product, which counts twice, starts at bit 52, where the upper half of the low limb's square
// starts too.
constexpr int part_bit[] = {0, 27, 52, 78, 102, 104, 129, 154};
struct Parts {
    uint128 part[8] = {};
};

struct ColumnTotals {
    std::uint64_t high, low;  // biased
    Parts square;             // of x + offset
};

struct PairTotals {
    ColumnTotals actual, predicted;
    Parts square_error;                   // of actual - predicted + offset
    std::uint64_t below_high, below_low;  // actual - predicted where that is negative, no bias
    double max_absolute_error;
};

// Sums of products as the sum of limb[k] * 2**(52 k), in units of both windows: that of weight * x
// has 4 limbs, of weight * x * x has 6; weights by themselves have 2.
struct WeightedTotals {
    uint128 product[4];  // weight * (x + offset)
    uint128 triple[6];   // weight * (x + offset)**2
};

struct WeightedColumnTotals {
    ColumnTotals weight;
    WeightedTotals x;
};

struct WeightedPairTotals {
    ColumnTotals weight;
    WeightedTotals actual, predicted;
    WeightedTotals error;     // product: only where actual < predicted
    uint128 below_weight[2];  // the weights of those rows
};

struct Kernels {
    // rows: a multiple of row_multiple, at most chunk_rows. 0 <= window <= largest_window.
    using Column = bool (*)(const double* x, int rows, int window, ColumnTotals& totals);
    using Pair = bool (*)(const double* actual, const double* predicted, int rows, int window,
                          PairTotals& totals);
    // The same with integers, read as they are; refused beyond 2**51.
    using LabelPair = bool (*)(const std::int64_t* actual, const double* predicted, int rows,
                               int window, PairTotals& totals);
    // Weights must not be negative either. Their window is the second one.
    using WeightedColumn = bool (*)(const double* x, const double* weight, int rows,
                                    const int* windows, WeightedColumnTotals& totals);
    using WeightedPair = bool (*)(const double* actual, const double* predicted,
                                  const double* weight, int rows, const int* windows,
                                  WeightedPairTotals& totals);
    Column sum, square_sum;
    Pair pair;
    LabelPair label_pair;
    WeightedColumn weighted_column = nullptr;  // nullptr: this path takes weights row by row
    WeightedPair weighted_pair = nullptr;
};

extern const Kernels portable_kernels;
#ifdef ASSAY_AVX
extern const Kernels avx2_kernels, avx512_kernels;
#endif

}  // namespace assay::sums
