#include "kernel/pairs/cell_tables.hpp"

#include <algorithm>
#include <limits>

#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t most_narrow_cells = 4096;

// Measured at 1e7 rows, random and with 95% in one cell.
std::size_t copies_for(std::size_t cells) {
    if (cells <= 1024) return 4;
    return cells <= 65536 ? 2 : 1;
}

// Between copies, so that the counters of a cell do not lie a multiple of 4 KiB apart: they would
// share a set of the first cache, and a load would wait for the store to another copy.
constexpr std::size_t padding = 96;

template <std::size_t Copies, class Counter>
void count(Counter* table, std::size_t stride, const std::uint32_t* cells, std::size_t rows,
           const CellTables::Ahead& ahead) {
    std::size_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        if (ahead.first) {
            __builtin_prefetch(reinterpret_cast<const void*>(ahead.first + i * ahead.step));
            __builtin_prefetch(reinterpret_cast<const void*>(ahead.second + i * ahead.step));
        }
        for (std::size_t lane = 0; lane < 8; ++lane)
            ++table[(lane % Copies) * stride + cells[i + lane]];
    }
    for (; i < rows; ++i) ++table[cells[i]];
}

template <class Counter>
void count(Buffer<Counter>& table, std::size_t stride, std::size_t copies,
           const std::uint32_t* cells, std::size_t rows, const CellTables::Ahead& ahead) {
    if (table.size() == 0) {  // the thread that counts touches the memory first
        table = Buffer<Counter>(stride * copies);
        std::fill(table.begin(), table.end(), Counter{0});
    }
    switch (copies) {
        case 4:
            return count<4>(table.data(), stride, cells, rows, ahead);
        case 2:
            return count<2>(table.data(), stride, cells, rows, ahead);
        default:
            return count<1>(table.data(), stride, cells, rows, ahead);
    }
}

template <class Counter>
ASSAY_INTO_CLONE void move_loop(Counter* table, std::size_t cells, std::int64_t* totals) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
        totals[cell] += table[cell];
        table[cell] = 0;
    }
}

#define ASSAY_MOVE(Counter)                                                                  \
    ASSAY_CLONES void move_counts(Counter* table, std::size_t cells, std::int64_t* totals) { \
        move_loop(table, cells, totals);                                                     \
    }
ASSAY_MOVE(std::uint16_t)
ASSAY_MOVE(std::uint32_t)
#undef ASSAY_MOVE

}  // namespace

CellTables::CellTables(std::size_t cells, int slots)
    : cells_(cells),
      copies_(copies_for(cells)),
      stride_(copies_ == 1 ? cells : cells + padding),
      narrow_(cells <= most_narrow_cells),
      slots_(static_cast<std::size_t>(slots)) {}

void CellTables::add(const std::uint32_t* cells, std::size_t rows, int slot, const Ahead& ahead) {
    Slot& own = slots_[static_cast<std::size_t>(slot)];
    const std::size_t most = narrow_ ? std::numeric_limits<std::uint16_t>::max()
                                     : std::numeric_limits<std::uint32_t>::max();
    if (own.rows + rows > most) {
        own.totals.resize(cells_);
        empty(own, own.totals.data());
    }
    own.rows += rows;
    if (narrow_) {
        count(own.narrow, stride_, copies_, cells, rows, ahead);
    } else {
        count(own.wide, stride_, copies_, cells, rows, ahead);
    }
}

void CellTables::empty(Slot& slot, std::int64_t* totals) {
    for (std::size_t begin = 0; begin < slot.narrow.size(); begin += stride_)
        move_counts(slot.narrow.data() + begin, cells_, totals);
    for (std::size_t begin = 0; begin < slot.wide.size(); begin += stride_)
        move_counts(slot.wide.data() + begin, cells_, totals);
    slot.rows = 0;
}

void CellTables::fold(std::int64_t* totals) {
    for (Slot& slot : slots_) {
        empty(slot, totals);
        for (std::size_t cell = 0; cell < slot.totals.size(); ++cell)
            totals[cell] += slot.totals[cell];
        slot.totals.clear();
    }
}

}  // namespace assay
