// Exact sums of weights and their powers by cell.
#include <algorithm>
#include <bit>

#include "kernel/parallel.hpp"
#include "kernel/sums.hpp"

namespace assay {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr std::size_t grain = 1 << 16;
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

// Where a cell's numbers lie: a count of rows, then the limbs of three sums.
struct Layout {
    static constexpr std::size_t one_limb_stride = 1 + 2 + 3 + 4;
    std::size_t width[3], offset[3], stride;

    explicit Layout(const Scan& scan) {
        stride = 1;
        for (int k = 0; k < 3; ++k) {
            // 63 bits more than one weight's power, for as many rows, and a limb that a shift
            // fills.
            width[k] = scan.span() <= 64 ? k + 2 : ((k + 1) * scan.span() + 63) / 64 + 2;
            offset[k] = stride;
            stride += width[k];
        }
    }
};

template <std::size_t N>
void add(uint64_t* sum, const std::array<uint64_t, N>& value) {
    uint64_t carry = 0;
    for (std::size_t i = 0; i <= N; ++i) {
        const uint128 total = uint128{sum[i]} + (i < N ? value[i] : 0) + carry;
        sum[i] = static_cast<uint64_t>(total);
        carry = static_cast<uint64_t>(total >> 64);
    }
}

// The same at a bit; the carry may run on.
template <std::size_t N>
void add(uint64_t* sum, const std::array<uint64_t, N>& value, int bit) {
    sum += bit / 64;
    const int shift = bit % 64;
    uint64_t below = 0, carry = 0;
    for (std::size_t i = 0; i <= N || carry; ++i) {
        const uint64_t here = i < N ? value[i] : 0;
        const uint64_t part = shift ? here << shift | below >> (64 - shift) : here;
        below = here;
        if (i == N && part == 0 && carry == 0) break;
        const uint128 total = uint128{sum[i]} + part + carry;
        sum[i] = static_cast<uint64_t>(total);
        carry = static_cast<uint64_t>(total >> 64);
    }
}

std::array<uint64_t, 2> multiply(uint64_t a, uint64_t b) {
    const uint128 ab = uint128{a} * b;
    return {static_cast<uint64_t>(ab), static_cast<uint64_t>(ab >> 64)};
}

std::array<uint64_t, 3> multiply(const std::array<uint64_t, 2>& a, uint64_t b) {
    const uint128 low = uint128{a[0]} * b;
    const uint128 high = uint128{a[1]} * b + static_cast<uint64_t>(low >> 64);
    return {static_cast<uint64_t>(low), static_cast<uint64_t>(high),
            static_cast<uint64_t>(high >> 64)};
}

// The weights of a scan with a span of at most 64 bits as plain integers.
uint64_t as_integer(double weight, int low) {
    const Binary w(weight);
    return w.magnitude << 11 >> std::min(63, low + 11 - w.bit);  // 63: a zero may lie far below
}

// A cube fits one limb, a sum of a few squares too.
constexpr int small_span = 21;
enum class Size { small, one_limb, any };

// Adds the rows of cells in [first_cell, last_cell). A cell's sums follow each other in memory, so
// rows of one cell wait for each other only through the carries.
template <Size size>
void add_rows(uint64_t* table, const Layout& layout, const Scan& scan, const uint32_t* cells,
              const double* weight, std::size_t begin, std::size_t end, std::size_t first_cell,
              std::size_t last_cell) {
    const int low = scan.low;
    for (std::size_t row = begin; row < end; ++row) {
        if (cells[row] - first_cell >= last_cell - first_cell) continue;
        if constexpr (size == Size::small) {
            uint64_t* cell = table + cells[row] * Layout::one_limb_stride;
            const uint64_t w = as_integer(weight[row], low);
            cell[0] += 1;
            cell[1] += w;
            add(cell + 3, std::array{w * w});
            add(cell + 6, std::array{w * w * w});
        } else if constexpr (size == Size::one_limb) {
            uint64_t* cell = table + cells[row] * Layout::one_limb_stride;
            const uint64_t w = as_integer(weight[row], low);
            const auto square = multiply(w, w);
            cell[0] += 1;
            add(cell + 1, std::array{w});
            add(cell + 3, square);
            add(cell + 6, multiply(square, w));
        } else {
            uint64_t* cell = table + cells[row] * layout.stride;
            Binary w(weight[row]);
            cell[0] += 1;
            if (w.magnitude == 0) continue;
            const int zeros = std::countr_zero(w.magnitude);
            w.magnitude >>= zeros;
            const int bit = w.bit + zeros - low;
            const auto square = multiply(w.magnitude, w.magnitude);
            add(cell + layout.offset[0], std::array{w.magnitude}, bit);
            add(cell + layout.offset[1], square, 2 * bit);
            add(cell + layout.offset[2], multiply(square, w.magnitude), 3 * bit);
        }
    }
}

using AddRows = decltype(&add_rows<Size::any>);

AddRows add_rows_for(const Scan& scan) {
    if (scan.span() <= small_span) return add_rows<Size::small>;
    return scan.span() <= 64 ? add_rows<Size::one_limb> : add_rows<Size::any>;
}

void merge(std::vector<uint64_t>& table, const std::vector<uint64_t>& other, const Layout& layout) {
    for (std::size_t start = 0; start < table.size(); start += layout.stride) {
        table[start] += other[start];
        for (int k = 0; k < 3; ++k) {
            uint64_t carry = 0;
            for (std::size_t i = start + layout.offset[k];
                 i < start + layout.offset[k] + layout.width[k]; ++i) {
                const uint128 total = uint128{table[i]} + other[i] + carry;
                table[i] = static_cast<uint64_t>(total);
                carry = static_cast<uint64_t>(total >> 64);
            }
        }
    }
}

std::vector<uint64_t> tally(const uint32_t* cells, std::size_t number_of_cells,
                            const double* weight, std::size_t rows, const Scan& scan,
                            const Layout& layout) {
    const AddRows add_rows = add_rows_for(scan);
    const std::size_t size = number_of_cells * layout.stride;
    std::vector<uint64_t> table(size);
    if (rows <= grain / 4) {
        add_rows(table.data(), layout, scan, cells, weight, 0, rows, 0, number_of_cells);
    } else if (size <= rows / 4 && size <= std::size_t{1} << 19) {
        std::vector<std::vector<uint64_t>> slots(threads());
        parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
            if (slots[slot].empty()) slots[slot].resize(size);
            add_rows(slots[slot].data(), layout, scan, cells, weight, begin, end, 0,
                     number_of_cells);
        });
        for (const auto& slot : slots)
            if (!slot.empty()) merge(table, slot, layout);
    } else {
        // A table for each thread would cost more than reading the codes once for each part of it.
        const std::size_t parts = 4 * static_cast<std::size_t>(threads());
        parallel_tasks(parts, [&](std::size_t part, int) {
            add_rows(table.data(), layout, scan, cells, weight, 0, rows,
                     part * number_of_cells / parts, (part + 1) * number_of_cells / parts);
        });
    }
    return table;
}

CellPower canonical(const std::vector<uint64_t>& table, std::size_t number_of_cells,
                    const Layout& layout, int k, int exponent) {
    int lowest = 1 << 30, highest = 0;
    for (std::size_t cell = 0; cell < number_of_cells; ++cell) {
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
    const Layout layout(scan);
    const auto table = tally(cells, number_of_cells, weight, rows, scan, layout);
    for (std::size_t cell = 0; cell < number_of_cells; ++cell)
        sums.rows[cell] = static_cast<std::int64_t>(table[cell * layout.stride]);
    for (int k = 0; k < 3; ++k)
        sums.powers[k] =
            canonical(table, number_of_cells, layout, k, (k + 1) * (scan.low - bit_of_one));
    return sums;
}

}  // namespace assay
