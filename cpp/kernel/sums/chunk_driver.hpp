// Walks rows in chunks: finds a window, runs the chunk kernel, and sends what fits no window to the
// task row by row. The splitting needs rounding to nearest and subnormal numbers: see KernelCall.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernel/parallel.hpp"
#include "kernel/sums/chunk.hpp"
#include "kernel/sums/sums.hpp"

namespace assay::sums {

// The kernels of a path, nullptr for the scalar one. Throws std::invalid_argument where the CPU or
// the build does not have it.
const Kernels* kernels_of(SumPath path);

// The bits that the values of a column use, counted from 2**-1074: values are below 2**top and
// multiples of 2**low. A column without a nonzero value has top 0.
struct Extent {
    int top = 0, low = 1 << 20;

    bool finite() const { return top <= 2098; }
    void include(const Extent& other) {
        top = std::max(top, other.top);
        low = std::min(low, other.low);
    }
};
Extent extent_of(const double* x, int rows);

// The window for an extent, with room for the next chunk's larger and smaller values; the highest
// useful one where `fits` comes back false.
struct WindowChoice {
    int window;
    bool fits;
};
WindowChoice choose_window(const Extent& extent);

// A task names its columns, each with the group whose window it shares, and does the sums:
//
//   static constexpr int columns, groups, group[columns]; bool is_unsigned[columns]
//   Totals, run(kernels, columns, rows, windows, totals), available(kernels)
//   absorb(totals, rows, windows)    a chunk's totals, rows with the zeros that fill it up
//   add_row(values)                  one row of good values
//   flush(), merge(const Task&)      flush before 2**24 calls of add_row
template <class Task>
class Walker {
public:
    explicit Walker(const Kernels* kernels)
        : kernels_(kernels && Task::available(*kernels) ? kernels : nullptr) {
        std::fill_n(bad_row, Task::columns, -1);
    }

    void walk(const NumberColumn (&columns)[Task::columns], std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; row += chunk_rows) {
            const int rows = static_cast<int>(std::min<std::size_t>(chunk_rows, end - row));
            if (run_as_is(columns, row, rows)) continue;
            const double* chunk[Task::columns];
            for (int c = 0; c < Task::columns; ++c) chunk[c] = doubles(columns[c], row, rows, c);
            add_chunk(chunk, rows, row);
        }
        task.flush();
    }

    // The same for one column of values that are made on the way: make(row, rows, out) writes those
    // of [row, row + rows), a chunk at most.
    template <class Make>
    void walk_made(std::size_t begin, std::size_t end, Make&& make) {
        static_assert(Task::columns == 1);
        for (std::size_t row = begin; row < end; row += chunk_rows) {
            const std::size_t rows = std::min<std::size_t>(chunk_rows, end - row);
            make(row, rows, buffer_[0]);
            add_chunk({fill_up(0, static_cast<int>(rows))}, static_cast<int>(rows), row);
        }
        task.flush();
    }

    void merge(const Walker& other) {
        task.merge(other.task);
        for (int c = 0; c < Task::columns; ++c)
            if (other.bad_row[c] >= 0) note_bad_row(c, other.bad_row[c]);
    }

    Task task;
    std::int64_t bad_row[Task::columns];

private:
    static int padded(int rows) { return (rows + row_multiple - 1) / row_multiple * row_multiple; }

    // Doubles in whole vectors: the caller's own memory where it is that already.
    const double* doubles(const NumberColumn& column, std::size_t begin, int rows, int c) {
        const auto* own = std::get_if<const double*>(&column);
        if (own && rows % row_multiple == 0) return *own + begin;
        read_numbers(column, begin, static_cast<std::size_t>(rows), buffer_[c]);
        return fill_up(c, rows);
    }
    const double* fill_up(int c, int rows) {
        std::fill(buffer_[c] + rows, buffer_[c] + padded(rows), 0.0);
        return buffer_[c];
    }

    void add_chunk(const double* const (&chunk)[Task::columns], int rows, std::size_t first_row) {
        if (!kernels_ || scalar_chunks_ > 0) {
            scalar_chunks_ -= scalar_chunks_ > 0;
            for (int row = 0; row < rows; ++row) add_row(chunk, row, first_row);
            return;
        }
        if (packing_) {
            add_what_fits(chunk, rows, first_row);
            return;
        }
        if (window_known_ && run(chunk, padded(rows))) return;

        Extent extents[Task::groups];
        for (int c = 0; c < Task::columns; ++c)
            extents[Task::group[c]].include(extent_of(chunk[c], rows));
        bool fits = true;
        for (int g = 0; g < Task::groups; ++g) {
            const WindowChoice choice = choose_window(extents[g]);
            window_[g] = choice.window;
            fits &= choice.fits;
        }
        window_known_ = fits;
        if (fits && run(chunk, padded(rows))) return;
        add_what_fits(chunk, rows, first_row);
    }

    // Where the kernel can read what the columns hold, and a window is known, no copy is made.
    bool run_as_is(const NumberColumn (&columns)[Task::columns], std::size_t begin, int rows) {
        if constexpr (requires { &Task::run_as_is; }) {
            if (!window_known_ || rows % row_multiple != 0) return false;
            typename Task::Totals totals;
            if (!Task::run_as_is(*kernels_, columns, begin, rows, window_, totals)) return false;
            task.absorb(totals, rows, window_);
            return true;
        }
        return false;
    }

    bool run(const double* const (&chunk)[Task::columns], int rows) {
        typename Task::Totals totals;
        if (!Task::run(*kernels_, chunk, rows, window_, totals)) return false;
        task.absorb(totals, rows, window_);
        return true;
    }

    // Whether 2**52 low units <= |x| < 2**window_bits: then the lowest bit of x is within the
    // window as well. A sign bit puts a negative weight out of range.
    static bool in_window(double x, int window, bool is_unsigned) {
        auto bits = std::bit_cast<std::uint64_t>(x);
        if (!is_unsigned) bits &= ~(std::uint64_t{1} << 63);
        const auto lowest = static_cast<std::uint64_t>(window == 0 ? 0 : window + 1) << 52;
        const auto highest = static_cast<std::uint64_t>(window + window_bits - 52 + 1) << 52;
        return (bits << 1) == 0 || bits - lowest < highest - lowest;
    }

    // Packs the rows that fit and runs the kernel on them; the others go one by one.
    void add_what_fits(const double* const (&chunk)[Task::columns], int rows,
                       std::size_t first_row) {
        int packed = 0, left_over = 0;
        for (int row = 0; row < rows; ++row) {
            bool fits = true;
            for (int c = 0; c < Task::columns; ++c)
                fits &= in_window(chunk[c][row], window_[Task::group[c]], Task::is_unsigned[c]);
            for (int c = 0; c < Task::columns; ++c) packed_[c][packed] = chunk[c][row];
            left_over_[left_over] = row;
            packed += fits;
            left_over += !fits;
        }
        for (int i = 0; i < left_over; ++i) add_row(chunk, left_over_[i], first_row);
        // A window that leaves a few rows over will do for the next chunk too, without another look
        // for a better one. One that leaves none over needs no packing.
        packing_ = left_over > 0 && left_over <= rows / 8;
        window_known_ = left_over == 0;
        if (left_over > rows / 2) scalar_chunks_ = 32;

        const double* columns[Task::columns];
        for (int c = 0; c < Task::columns; ++c) {
            std::fill(packed_[c] + packed, packed_[c] + padded(packed), 0.0);
            columns[c] = packed_[c];
        }
        if (packed == 0 || run(columns, padded(packed))) return;
        for (int row = 0; row < packed; ++row) add_row(columns, row, first_row);
    }

    void add_row(const double* const (&chunk)[Task::columns], int row, std::size_t first_row) {
        double values[Task::columns];
        bool good = true;
        for (int c = 0; c < Task::columns; ++c) {
            values[c] = chunk[c][row];
            const bool finite = (std::bit_cast<std::uint64_t>(values[c]) >> 52 & 0x7ff) != 0x7ff;
            if (finite && !(Task::is_unsigned[c] && values[c] < 0)) continue;
            note_bad_row(c, static_cast<std::int64_t>(first_row + row));
            good = false;
        }
        if (good) task.add_row(values);
    }

    void note_bad_row(int c, std::int64_t row) {
        if (bad_row[c] < 0 || row < bad_row[c]) bad_row[c] = row;
    }

    const Kernels* kernels_;
    int window_[Task::groups];
    bool window_known_ = false, packing_ = false;
    int scalar_chunks_ = 0;
    int left_over_[chunk_rows];
    double buffer_[Task::columns][chunk_rows], packed_[Task::columns][chunk_rows];
};

// Calls body(walker, begin, end) for ranges of rows, in parallel where that pays, and returns the
// walker that holds everything.
template <class Task, class Body>
std::unique_ptr<Walker<Task>> walk_ranges(std::size_t rows, SumPath path, Body&& body) {
    constexpr std::size_t grain = 32 * chunk_rows;
    const Kernels* kernels = kernels_of(path);
    // Not make_unique: the buffers need no zeros.
    const auto start = [&] { return std::unique_ptr<Walker<Task>>(new Walker<Task>(kernels)); };
    auto all = start();
    if (rows <= 8 * chunk_rows) {
        body(*all, std::size_t{0}, rows);
        return all;
    }
    std::vector<std::unique_ptr<Walker<Task>>> slots(threads());
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        if (!slots[slot]) slots[slot] = start();
        body(*slots[slot], begin, end);
    });
    for (const auto& walker : slots)
        if (walker) all->merge(*walker);
    return all;
}

template <class Task>
std::unique_ptr<Walker<Task>> walk(const NumberColumn (&columns)[Task::columns], std::size_t rows,
                                   SumPath path) {
    return walk_ranges<Task>(rows, path, [&](auto& walker, std::size_t begin, std::size_t end) {
        walker.walk(columns, begin, end);
    });
}

// The signed sums behind biased totals, in units of the window.
Wide<6> value_total(std::uint64_t high, std::uint64_t low, int rows);
// The sum of squares behind that of (x + offset)**2, given the sum of x.
Wide<6> square_total(const Parts& parts, const Wide<6>& sum, int rows);

}  // namespace assay::sums
