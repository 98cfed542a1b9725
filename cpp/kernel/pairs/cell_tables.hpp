// Counts how often each cell number occurs, on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/buffer.hpp"

namespace assay {

// A set of counters for each slot of parallel work. Two things make counting slow, and they pull in
// opposite directions. When one cell takes most rows, each increment waits for the store of the one
// before it: tables are held several times over and used in turn. When the rows spread, counters
// fall out of the first cache, which the columns stream through as well: small tables count in
// 16 bits and are emptied into 64 before they can overflow.
class CellTables {
public:
    // Memory to fetch while counting: for each row counted, `step` bytes from both addresses on.
    // They may lie behind the end of a column; nothing is fetched for address 0.
    struct Ahead {
        std::uintptr_t first = 0, second = 0;
        std::size_t step = 0;
    };

    CellTables(std::size_t cells, int slots);

    // Counts cells[0...count), each below the number of cells; count <= 65,535. Calls that share a
    // slot must not overlap.
    void add(const std::uint32_t* cells, std::size_t count, int slot, const Ahead& ahead);

    // Adds all counts to totals[0...cells) and sets them to zero.
    void fold(std::int64_t* totals);

private:
    struct Slot {
        Buffer<std::uint16_t> narrow;  // one of the two is used
        Buffer<std::uint32_t> wide;
        std::vector<std::int64_t> totals;  // empty until the counters were emptied once
        std::size_t rows = 0;              // since then
    };
    void empty(Slot& slot, std::int64_t* totals);

    std::size_t cells_, copies_, stride_;
    bool narrow_;
    std::vector<Slot> slots_;
};

}  // namespace assay
