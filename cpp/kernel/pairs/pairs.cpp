#include "kernel/pairs/pairs.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernel/pairs/binary_pairs.hpp"
#include "kernel/pairs/cell_tables.hpp"
#include "kernel/pairs/pair_cells.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

constexpr std::size_t grain = 1 << 16, small = 1 << 14;

}  // namespace

std::uint64_t PairColumns::cells() const {
    if (predicted.size != actual.size || (groups_k > 0 && group.size != actual.size))
        throw std::invalid_argument("the columns differ in length");
    std::uint64_t cells = rows_k;
    bool overflow = __builtin_mul_overflow(cells, columns_k, &cells);
    if (groups_k > 0) overflow |= __builtin_mul_overflow(cells, groups_k, &cells);
    if (overflow) throw std::invalid_argument("the cells need more than 64 bits");
    return cells;
}

std::vector<std::int64_t> count_pairs(const PairColumns& columns) {
    const std::uint64_t cells = columns.cells();
    if (cells > most_dense_cells)
        throw std::invalid_argument("too many cells for a dense table; count them sparsely");
    const std::size_t rows = columns.rows();
    if (columns.groups_k == 0 && columns.rows_k == 2 && columns.columns_k == 2 &&
        columns.actual.width == columns.predicted.width) {
        const auto counts = count_binary_pairs(columns.actual.data, columns.predicted.data, rows,
                                               columns.actual.width);
        if (!counts) throw_bad_code();
        return {counts->begin(), counts->end()};
    }
    std::vector<std::int64_t> totals(cells);
    // One thread counts straight into the result where a table per thread would not pay.
    if (rows < small || rows < cells / 4) {
        for_each_block(columns, 0, rows, [&](const std::uint32_t* block, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) ++totals[block[i]];
        });
        return totals;
    }
    CellTables tables(cells, threads());
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        for_each_block(columns, begin, end, [&](const std::uint32_t* block, std::size_t count) {
            tables.add(block, count, slot, {});
        });
    });
    tables.fold(totals.data());
    return totals;
}

}  // namespace assay
