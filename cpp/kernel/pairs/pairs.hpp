// Counts how often each pair of labels occurs: the confusion matrix and its relatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/labels/label_codes.hpp"

namespace assay {

// The columns of a count: `actual` and `predicted` codes of equal length, below `rows_k` and
// `columns_k`, and, when groups_k > 0, a `group` code below it for each row. The cell of a row is
// (group * rows_k + actual) * columns_k + predicted.
struct PairColumns {
    Codes actual, predicted;
    std::uint64_t rows_k = 0, columns_k = 0;
    Codes group = {};
    std::uint64_t groups_k = 0;

    std::size_t rows() const { return actual.size; }
    // Checks the lengths and returns the number of cells; throws std::invalid_argument when the
    // lengths differ or the number needs more than 64 bits.
    std::uint64_t cells() const;
};

// The most cells count_pairs holds densely.
constexpr std::uint64_t most_dense_cells = std::uint64_t{1} << 22;

// The count of every cell, in cell order. Throws std::invalid_argument above most_dense_cells and
// std::range_error when a code is not below its k. Parallel above 16,384 rows; each thread holds
// 4 to 16 bytes a cell.
std::vector<std::int64_t> count_pairs(const PairColumns& columns);

struct SparseCounts {
    Buffer<std::uint64_t> cells;  // ascending
    Buffer<std::int64_t> counts;  // each above 0
};

// The cells that occur and their counts, for any number of cells up to 2^64. Throws as count_pairs.
// Parallel; linear in rows for up to 2^26 cells, n log n at worst above. Scratch memory is 8 bytes
// a row for up to 2^32 cells, 16 above.
SparseCounts count_pairs_sparse(const PairColumns& columns);

template <class T>
struct IntegerPairs {
    std::vector<T> labels;             // ascending, those that occur in either column
    std::vector<std::int64_t> counts;  // labels x labels, row by row: [actual][predicted]
};

// Encodes and counts two integer columns in one pass over memory. The range of labels is guessed
// from a sample and checked on every row; a wrong guess costs a second pass. Nothing when the range
// is above 1,024 values, or too wide for so few rows: encode the columns instead. Parallel above
// 16,384 rows. T: std::int8_t to std::int64_t, std::uint8_t to std::uint64_t.
template <class T>
std::optional<IntegerPairs<T>> count_integer_pairs(const T* actual, const T* predicted,
                                                   std::size_t rows);

struct GroupOrder {
    std::vector<std::int64_t> offsets;  // k + 1: group g holds rows[offsets[g]...offsets[g + 1])
    Buffer<std::uint32_t> rows;         // row numbers by group, ascending inside a group
    Buffer<std::int64_t> wide_rows;     // the same where rows need more than 32 bits; else empty
};

// Row numbers sorted by group code, stably. Throws std::range_error when a code is not below k.
// Linear in rows + k, parallel.
GroupOrder order_groups(const Codes& codes, std::uint64_t k);

}  // namespace assay
