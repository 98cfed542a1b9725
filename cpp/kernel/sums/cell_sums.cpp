// Exact sums of weights and their powers by cell.
#include <algorithm>
#include <bit>

#include "kernel/concurrent_change.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/parallel.hpp"
#include "kernel/sums/sums.hpp"

namespace assay {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr std::size_t grain = 1 << 16, cells_per_check = 1 << 12;
constexpr int bit_of_one = 1074;

// What the weights have in common: all are multiples of 2**(low - 1074) below 2**(top - 1074).
struct Scan {
    int low = bit_of_one, top = 0;  // low starts at 1, so that exponents come out <= 0
    std::int64_t bad_cell = -1, bad_weight = -1;

    void merge(const Scan& other) {
        const auto first = [](std::int64_t a, std::int64_t b) {
            return a < 0 || (b >= 0 && b < a) ? b : a;
        };
        low = std::min(low, other.low);
        top = std::max(top, other.top);
        bad_cell = first(bad_cell, other.bad_cell);
        bad_weight = first(bad_weight, other.bad_weight);
    }
    int span() const { return std::max(0, top - low); }
};

Scan scan_rows(const uint32_t* cells, std::size_t number_of_cells, const double* weight,
               std::size_t begin, std::size_t end) {
    Scan scan;
    uint64_t largest = 0, largest_cell = 0;
    for (std::size_t row = begin; row < end; ++row) {
        const Binary w(weight[row]);
        const auto bits = std::bit_cast<uint64_t>(weight[row]);
        largest = std::max(largest, bits << 1 == 0 ? 0 : bits);  // -0 is a weight of zero
        largest_cell = std::max<uint64_t>(largest_cell, cells[row]);
        const int low = w.bit + std::countr_zero(w.magnitude);
        scan.low = std::min(scan.low, w.magnitude ? low : scan.low);
    }
    const auto bad_weight = [](double w) { return !(w >= 0) || w - w != 0; };
    if (largest >> 52 >= 0x7ff) {  // the sign bit counts as well
        scan.bad_weight = std::find_if(weight + begin, weight + end, bad_weight) - weight;
    } else {
        const Binary w(std::bit_cast<double>(largest));
        scan.top = w.bit + static_cast<int>(std::bit_width(w.magnitude));
    }
    if (end > begin && largest_cell >= number_of_cells)
        scan.bad_cell = std::find_if(cells + begin, cells + end,
                                     [&](uint32_t c) { return c >= number_of_cells; }) -
                        cells;
    return scan;
}

// Where a cell's numbers lie in a table: a count of rows, then the limbs of three sums.
struct Layout {
    std::size_t width[3], offset[3], stride;

    // For powers of integers below 2**bits. 63 bits more hold the sum of as many rows; another limb
    // takes what a shift moves up.
    explicit Layout(int bits) {
        stride = 1;
        for (int k = 0; k < 3; ++k) {
            width[k] = bits == 64 ? k + 2 : ((k + 1) * bits + 63) / 64 + 2;
            offset[k] = stride;
            stride += width[k];
        }
    }
};

// How weights become integers. Those that are multiples of 2**(window - 1074) below 2**64 of it, as
// floats within a factor of 2**11 of the largest are, take one limb and the fast table; the others
// go to the long table, in units of 2**(low - 1074).
struct Plan {
    static constexpr std::size_t stride = 1 + 2 + 3 + 4;
    static constexpr std::size_t offset[] = {1, 3, 6};
    // A cube fits one limb then.
    static constexpr int small_span = 21;

    int low, top, window;
    bool small, needs_long;
    Layout long_layout;

    explicit Plan(const Scan& scan)
        : low(scan.low),
          top(scan.top),
          window(std::max(scan.low, scan.top - 64)),
          small(scan.span() <= small_span),
          needs_long(window > low),
          long_layout(needs_long ? scan.span() : 64) {}

    std::size_t limbs_per_cell() const { return stride + (needs_long ? long_layout.stride : 0); }
};

struct Table {
    std::vector<uint64_t> fast, slow;

    Table() = default;
    Table(const Plan& plan, std::size_t number_of_cells)
        : fast(number_of_cells * Plan::stride),
          slow(plan.needs_long ? number_of_cells * plan.long_layout.stride : 0) {}
};

// Adds to two limbs and returns the carry.
uint64_t add(uint64_t* sum, uint128 value) {
    const uint128 total = (uint128{sum[1]} << 64 | sum[0]) + value;
    sum[0] = static_cast<uint64_t>(total);
    sum[1] = static_cast<uint64_t>(total >> 64);
    return total < value;
}

// Adds value * 2**bit and lets the carry run as far as it goes.
template <std::size_t N>
void add_at(uint64_t* sum, const std::array<uint64_t, N>& value, int bit) {
    sum += bit / 64;
    const int shift = bit % 64;
    uint64_t below = 0, carry = 0;
    for (std::size_t i = 0; i <= N || carry; ++i) {
        const uint64_t here = i < N ? value[i] : 0;
        const uint64_t part = shift && i <= N ? here << shift | below >> (64 - shift) : here;
        below = here;
        if (i == N && part == 0 && carry == 0) break;
        const uint128 total = uint128{sum[i]} + part + carry;
        sum[i] = static_cast<uint64_t>(total);
        carry = static_cast<uint64_t>(total >> 64);
    }
}

// The other way to add a weight: at its own exponent.
void add_long(uint64_t* cell, const Plan& plan, Binary w) {
    const Layout& layout = plan.long_layout;
    const int zeros = std::countr_zero(w.magnitude);
    const int bit = w.bit + zeros - plan.low;
    if (bit < 0 || w.bit + static_cast<int>(std::bit_width(w.magnitude)) > plan.top)
        throw_changed();
    w.magnitude >>= zeros;
    const auto square = product(w, w);
    add_at(cell + layout.offset[0], product(w), bit);
    add_at(cell + layout.offset[1], square, 2 * bit);
    add_at(cell + layout.offset[2], product(square, w), 3 * bit);
}

enum class Weights { small, one_limb, any };

// Adds the rows whose cell is in [first_cell, last_cell).
template <Weights weights>
void add_rows(Table& table, const Plan& plan, const uint32_t* cells, const double* weight,
              std::size_t begin, std::size_t end, std::size_t first_cell, std::size_t last_cell) {
    const std::size_t number_of_cells = last_cell - first_cell;
    const int window = plan.window;
    for (std::size_t row = begin; row < end; ++row) {
        const std::size_t number = cells[row];
        if (number - first_cell >= number_of_cells) continue;
        uint64_t* cell = table.fast.data() + number * Plan::stride;
        const Binary binary(weight[row]);
        const uint64_t shifted = binary.magnitude << 11;
        const int distance = window + 11 - binary.bit;
        if (distance < 0) throw_changed();
        const int shift = std::min(63, distance);  // a zero may lie far below
        const uint64_t w = shifted >> shift;
        cell[0] += 1;
        if constexpr (weights == Weights::any) {
            if (distance > 63 || w << shift != shifted) {
                if (binary.magnitude)
                    add_long(table.slow.data() + number * plan.long_layout.stride, plan, binary);
                continue;
            }
        }
        if constexpr (weights == Weights::small) {
            cell[1] += w;
            add(cell + 3, w * w);
            add(cell + 6, w * w * w);
        } else {
            const uint128 square = uint128{w} * w;
            const uint128 low = uint128{static_cast<uint64_t>(square)} * w;
            const uint128 high = uint128{static_cast<uint64_t>(square >> 64)} * w + (low >> 64);
            add(cell + 1, w);
            cell[5] += add(cell + 3, square);
            const uint64_t carry = add(cell + 6, high << 64 | static_cast<uint64_t>(low));
            add(cell + 8, (high >> 64) + carry);
        }
    }
}

void merge(uint64_t* sum, const uint64_t* other, std::size_t limbs) {
    uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs; ++i) {
        const uint128 total = uint128{sum[i]} + other[i] + carry;
        sum[i] = static_cast<uint64_t>(total);
        carry = static_cast<uint64_t>(total >> 64);
    }
}

void merge(std::vector<uint64_t>& table, const std::vector<uint64_t>& other, const Layout& layout) {
    for (std::size_t cell = 0; cell < table.size(); cell += layout.stride) {
        table[cell] += other[cell];
        for (int k = 0; k < 3; ++k)
            merge(table.data() + cell + layout.offset[k], other.data() + cell + layout.offset[k],
                  layout.width[k]);
    }
}

Table tally(const uint32_t* cells, std::size_t number_of_cells, const double* weight,
            std::size_t rows, const Plan& plan) {
    const auto add = plan.small        ? add_rows<Weights::small>
                     : plan.needs_long ? add_rows<Weights::any>
                                       : add_rows<Weights::one_limb>;
    const std::size_t size = number_of_cells * plan.limbs_per_cell();
    Table table(plan, number_of_cells);
    if (rows <= grain / 4) {
        add(table, plan, cells, weight, 0, rows, 0, number_of_cells);
    } else if (size <= rows / 4 && size <= std::size_t{1} << 19) {
        std::vector<Table> slots(threads());
        parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
            if (slots[slot].fast.empty()) slots[slot] = Table(plan, number_of_cells);
            add(slots[slot], plan, cells, weight, begin, end, 0, number_of_cells);
        });
        for (const Table& slot : slots) {
            if (slot.fast.empty()) continue;
            merge(table.fast, slot.fast, Layout(64));
            if (plan.needs_long) merge(table.slow, slot.slow, plan.long_layout);
        }
    } else {
        // A table for each thread would cost more than reading the codes once for each part of it.
        const std::size_t parts = 4 * static_cast<std::size_t>(threads());
        parallel_tasks(parts, [&](std::size_t part, int) {
            in_pieces(rows, [&](std::size_t begin, std::size_t end) {
                add(table, plan, cells, weight, begin, end, part * number_of_cells / parts,
                    (part + 1) * number_of_cells / parts);
            });
        });
    }
    if (!plan.needs_long) return table;
    for (std::size_t cell = 0; cell < number_of_cells; ++cell) {
        if (cell % cells_per_check == 0) check_interrupt();
        const uint64_t* fast = table.fast.data() + cell * Plan::stride;
        uint64_t* slow = table.slow.data() + cell * plan.long_layout.stride;
        const int bit = plan.window - plan.low;
        const auto limbs = [&]<std::size_t N>(std::array<uint64_t, N> value, int k) {
            std::copy_n(fast + Plan::offset[k], N, value.data());
            add_at(slow + plan.long_layout.offset[k], value, (k + 1) * bit);
        };
        limbs(std::array<uint64_t, 2>(), 0);
        limbs(std::array<uint64_t, 3>(), 1);
        limbs(std::array<uint64_t, 4>(), 2);
    }
    return table;
}

CellPower canonical(const std::vector<uint64_t>& table, std::size_t number_of_cells,
                    const Layout& layout, int k, int exponent) {
    int lowest = 1 << 30, highest = 0;
    for (std::size_t cell = 0; cell < number_of_cells; ++cell) {
        if (cell % cells_per_check == 0) check_interrupt();
        const uint64_t* sum = table.data() + cell * layout.stride + layout.offset[k];
        for (std::size_t i = 0; i < layout.width[k]; ++i) {
            if (sum[i] == 0) continue;
            const int start = static_cast<int>(64 * i);
            lowest = std::min(lowest, start + std::countr_zero(sum[i]));
            highest = std::max(highest, start + static_cast<int>(std::bit_width(sum[i])));
        }
    }
    const int drop = std::min(lowest, -exponent);
    CellPower power;
    power.exponent = highest == 0 ? 0 : exponent + drop;
    power.width = std::max(1, (highest - drop + 63) / 64);
    power.limbs.resize(number_of_cells * power.width);
    const std::size_t skip = drop / 64;
    const int shift = drop % 64;
    for (std::size_t cell = 0; cell < number_of_cells; ++cell) {
        if (cell % cells_per_check == 0) check_interrupt();
        const uint64_t* sum = table.data() + cell * layout.stride + layout.offset[k];
        for (std::size_t i = 0; i < power.width; ++i) {
            const auto limb = [&](std::size_t j) { return j < layout.width[k] ? sum[j] : 0; };
            const uint64_t above = shift ? limb(skip + i + 1) << (64 - shift) : 0;
            power.limbs[cell * power.width + i] = limb(skip + i) >> shift | above;
        }
    }
    return power;
}

}  // namespace

CellSums exact_cell_sums(const uint32_t* cells, std::size_t number_of_cells, const double* weight,
                         std::size_t rows) {
    Scan scan;
    if (rows <= grain / 4) {
        scan.merge(scan_rows(cells, number_of_cells, weight, 0, rows));
    } else {
        std::vector<Scan> slots(threads());
        parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
            slots[slot].merge(scan_rows(cells, number_of_cells, weight, begin, end));
        });
        for (const Scan& slot : slots) scan.merge(slot);
    }
    CellSums sums;
    sums.rows.resize(number_of_cells);
    sums.bad_row_cell = scan.bad_cell;
    sums.bad_row_weight = scan.bad_weight;
    if (scan.bad_cell >= 0 || scan.bad_weight >= 0) {
        for (CellPower& power : sums.powers) power.limbs.resize(number_of_cells);
        return sums;
    }
    const Plan plan(scan);
    const Table table = tally(cells, number_of_cells, weight, rows, plan);
    for (std::size_t cell = 0; cell < number_of_cells; ++cell)
        sums.rows[cell] = static_cast<std::int64_t>(table.fast[cell * Plan::stride]);
    for (int k = 0; k < 3; ++k)
        sums.powers[k] = canonical(plan.needs_long ? table.slow : table.fast, number_of_cells,
                                   plan.long_layout, k, (k + 1) * (plan.low - bit_of_one));
    return sums;
}

}  // namespace assay
