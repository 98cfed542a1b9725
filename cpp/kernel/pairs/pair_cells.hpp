// Cell numbers of rows, block by block, from columns of any code width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernel/pairs/pairs.hpp"

namespace assay {

constexpr std::size_t cell_block = 512;

[[noreturn]] void throw_bad_code();

// cells[i] = (group * rows_k + actual) * columns_k + predicted for rows [begin, begin + count),
// count <= cell_block. Throws std::range_error when a code is not below its k. A 32-bit form for
// tables whose cells fit, a 64-bit one for the rest.
void pair_cells(const PairColumns& columns, std::size_t begin, std::size_t count,
                std::uint32_t* cells);
void pair_cells(const PairColumns& columns, std::size_t begin, std::size_t count,
                std::uint64_t* cells);

// Calls use(cells, count) for consecutive blocks of rows [begin, end).
template <class Cell = std::uint32_t, class Use>
void for_each_block(const PairColumns& columns, std::size_t begin, std::size_t end, Use&& use) {
    Cell cells[cell_block];
    for (std::size_t row = begin; row < end; row += cell_block) {
        const std::size_t count = std::min(cell_block, end - row);
        pair_cells(columns, row, count, cells);
        use(static_cast<const Cell*>(cells), count);
    }
}

}  // namespace assay
