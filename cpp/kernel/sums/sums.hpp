// Exact sums of doubles and of their products: integers, so the same for any order of rows, any
// number of threads and any CPU. Sums of values count units of 2**-1074, of products of two values
// 2**-2148, of three 2**-3222. Columns may be of any types, each of its own: other numbers than
// doubles are converted a chunk at a time, in cache, which is exact.
//
// A row that holds a value it must not hold (not finite, or an integer beyond 2**53) is left out of
// every sum and its index returned, the first one for each column, -1 where there is none. All
// functions run on threads() threads from some ten thousand rows on and need a few kilobytes for
// each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/sums/number_columns.hpp"
#include "kernel/sums/wide_integers.hpp"

namespace assay {

// Each has room for 2**63 rows of the largest doubles.
using ValueSum = Wide<34>;
using ProductSum = Wide<67>;
using TripleSum = Wide<101>;

// Which code adds the rows up; the sums do not depend on it. `scalar` takes every row alone, as the
// others do with rows that do not fit a window.
enum class SumPath { best, avx512, avx2, portable, scalar };

// Whether this CPU and this build have the path.
bool has_path(SumPath path);

struct Sum {
    ValueSum sum;
    std::int64_t bad_row;
};

struct SquareSum {
    ValueSum sum;
    ProductSum squared;
    std::int64_t bad_row;
};

// error = actual - predicted, never rounded; max_absolute_error is the largest |error|, rounded
// once.
struct Moments {
    ValueSum actual, predicted, absolute_error;
    ProductSum squared_actual, squared_predicted, squared_error;
    double max_absolute_error;
    std::int64_t bad_row_actual, bad_row_predicted;
};

struct WeightedSum {
    ProductSum weighted;        // weight * x
    TripleSum weighted_square;  // weight * x * x
    std::int64_t bad_row, bad_row_weight;
};

struct WeightedMoments {
    ValueSum weight;
    ProductSum squared_weight, actual, predicted, absolute_error;
    TripleSum squared_actual, squared_predicted, squared_error;
    std::int64_t bad_row_actual, bad_row_predicted, bad_row_weight;
};

// With AVX-512 about as fast as memory on two threads (1.5 ns a row for the moments on one). A row
// that shares no window of 100 bits with its neighbours costs 3 ns a sum and 15 ns for the moments.
Sum exact_sum(const NumberColumn& x, std::size_t rows, SumPath path = SumPath::best);
SquareSum exact_square_sum(const NumberColumn& x, std::size_t rows, SumPath path = SumPath::best);
Moments exact_moments(const NumberColumn& actual, const NumberColumn& predicted, std::size_t rows,
                      SumPath path = SumPath::best);

// Weights must be finite and not negative; other rows are bad rows. 6 ns a row with AVX-512; other
// CPUs take the rows one by one, 25 ns each.
WeightedSum exact_weighted_sum(const NumberColumn& x, const NumberColumn& weight, std::size_t rows,
                               SumPath path = SumPath::best);
WeightedMoments exact_weighted_moments(const NumberColumn& actual, const NumberColumn& predicted,
                                       const NumberColumn& weight, std::size_t rows,
                                       SumPath path = SumPath::best);

// One exact sum for each cell: limbs[cell * width ...] little-endian, unsigned, times 2**exponent.
// Canonical: exponent is the largest one <= 0 that all sums are multiples of, width the smallest
// >= 1 that holds them, so equal sums are equal arrays.
struct CellPower {
    int exponent = 0;
    std::size_t width = 1;
    std::vector<std::uint64_t> limbs;
};

struct CellSums {
    std::vector<std::int64_t> rows;    // per cell
    std::array<CellPower, 3> powers;   // sums of weight, weight**2, weight**3 per cell
    std::int64_t bad_row_cell = -1;    // a code >= number_of_cells
    std::int64_t bad_row_weight = -1;  // not finite or negative
};

// Tallies weights by cell code, in parallel; about 8 ns a row on one thread. With a bad row all
// sums are zero. Memory: 80 bytes a cell, more where weights differ by factors above 2**11, for
// each thread as long as that is less than the rows.
CellSums exact_cell_sums(const std::uint32_t* cells, std::size_t number_of_cells,
                         const double* weight, std::size_t rows);

}  // namespace assay
