#include "kernel/pairs/pair_cells.hpp"

#include <stdexcept>

#include "kernel/platform.hpp"

namespace assay {
namespace {

#define ASSAY_APPEND(Cell)                                                                         \
    ASSAY_CLONES void append(Cell* cells, const std::uint32_t* codes, std::size_t count, Cell k) { \
        for (std::size_t i = 0; i < count; ++i) cells[i] = cells[i] * k + codes[i];                \
    }
ASSAY_APPEND(std::uint32_t)
ASSAY_APPEND(std::uint64_t)
#undef ASSAY_APPEND

template <class Cell>
void cells_of(const PairColumns& columns, std::size_t begin, std::size_t count, Cell* cells) {
    std::uint32_t codes[cell_block];
    std::fill(cells, cells + count, Cell{0});
    const auto add_column = [&](const Codes& column, std::uint64_t k) {
        if (!column.load(begin, count, k, codes)) throw_bad_code();
        append(cells, codes, count, static_cast<Cell>(k));
    };
    if (columns.groups_k > 0) add_column(columns.group, columns.groups_k);
    add_column(columns.actual, columns.rows_k);
    add_column(columns.predicted, columns.columns_k);
}

}  // namespace

void throw_bad_code() {
    throw std::range_error("a code is not below its number of labels");
}

void pair_cells(const PairColumns& columns, std::size_t begin, std::size_t count,
                std::uint32_t* cells) {
    cells_of(columns, begin, count, cells);
}

void pair_cells(const PairColumns& columns, std::size_t begin, std::size_t count,
                std::uint64_t* cells) {
    cells_of(columns, begin, count, cells);
}

}  // namespace assay
