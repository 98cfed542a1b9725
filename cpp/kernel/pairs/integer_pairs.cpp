#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "kernel/labels/integer_order.hpp"
#include "kernel/pairs/binary_pairs.hpp"
#include "kernel/pairs/cell_tables.hpp"
#include "kernel/pairs/pairs.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t block = 128, fetch_rows = 256;
constexpr std::size_t grain = 1 << 16, small = 4096, samples = 512;
constexpr std::uint64_t widest = 1024;

template <class U>
std::size_t cells_of(const Frame<U>& frame) {
    return frame.labels() * frame.labels();
}

// The cells of a block of rows; returns the or of all (value - base). `origin` is base - bias.
template <class U>
ASSAY_INTO_CLONE U pair_loop(const U* actual, const U* predicted, std::size_t count, U origin,
                             U mask, int shift, std::uint32_t* cells) {
    U seen = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const U a = static_cast<U>(actual[i] - origin);
        const U p = static_cast<U>(predicted[i] - origin);
        seen |= a | p;
        cells[i] =
            static_cast<std::uint32_t>(a & mask) << shift | static_cast<std::uint32_t>(p & mask);
    }
    return seen;
}

#define ASSAY_PAIR_CELLS(U)                                                                     \
    ASSAY_CLONES U pair_cells(const U* actual, const U* predicted, std::size_t count, U origin, \
                              U mask, int shift, std::uint32_t* cells) {                        \
        return pair_loop(actual, predicted, count, origin, mask, shift, cells);                 \
    }
ASSAY_PAIR_CELLS(std::uint8_t)
ASSAY_PAIR_CELLS(std::uint16_t)
ASSAY_PAIR_CELLS(std::uint32_t)
ASSAY_PAIR_CELLS(std::uint64_t)
#undef ASSAY_PAIR_CELLS

// Left alone, the core would not ask for the next rows before these are counted. Columns of one or
// two bytes a row come fast enough without.
template <class U>
CellTables::Ahead rows_ahead(const U* actual, const U* predicted, std::size_t count) {
    if (sizeof(U) < 4) return {};
    const std::size_t bytes = (count + fetch_rows) * sizeof(U);
    return {reinterpret_cast<std::uintptr_t>(actual) + bytes,
            reinterpret_cast<std::uintptr_t>(predicted) + bytes, sizeof(U)};
}

// Adds the counts of the frame's cells to `totals`; false when a label lies outside the frame.
template <class U>
bool count_frame(const U* actual, const U* predicted, std::size_t rows, const Frame<U>& frame,
                 U bias, std::int64_t* totals) {
    const U origin = static_cast<U>(frame.base - bias), mask = frame.mask();
    const U outside = static_cast<U>(~mask);
    if (rows <= small) {
        std::uint32_t cells[block];
        for (std::size_t begin = 0; begin < rows; begin += block) {
            const std::size_t count = std::min(block, rows - begin);
            const U seen = pair_cells(actual + begin, predicted + begin, count, origin, mask,
                                      frame.shift, cells);
            if (seen & outside) return false;
            for (std::size_t i = 0; i < count; ++i) ++totals[cells[i]];
        }
        return true;
    }
    CellTables tables(cells_of(frame), threads());
    std::atomic<bool> missed{false};
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        if (missed.load(std::memory_order_relaxed)) return;
        std::uint32_t cells[block];
        U seen = 0;
        for (std::size_t row = begin; row < end; row += block) {
            const std::size_t count = std::min(block, end - row);
            seen |=
                pair_cells(actual + row, predicted + row, count, origin, mask, frame.shift, cells);
            tables.add(cells, count, slot, rows_ahead(actual + row, predicted + row, count));
        }
        if (seen & outside) missed.store(true, std::memory_order_relaxed);
    });
    if (missed) return false;
    tables.fold(totals);
    return true;
}

template <class U>
WordRange<U> whole_range(const U* actual, const U* predicted, std::size_t rows, U bias) {
    WordRange<U> range;
    std::mutex mutex;
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int) {
        WordRange<U> part = range_of(actual + begin, end - begin, bias);
        part.include(range_of(predicted + begin, end - begin, bias));
        const std::lock_guard lock(mutex);
        range.include(part);
    });
    return range;
}

template <class U>
WordRange<U> sampled_range(const U* actual, const U* predicted, std::size_t rows, U bias) {
    WordRange<U> range;
    sample_rows(rows, samples, [&](std::size_t row) {
        range.include(static_cast<U>(actual[row] + bias));
        range.include(static_cast<U>(predicted[row] + bias));
    });
    return range;
}

// Keeps the labels that occur and their rows and columns of the frame's table.
template <class T, class U>
IntegerPairs<T> compact(const std::int64_t* totals, const Frame<U>& frame, U bias) {
    const std::size_t side = frame.labels();
    std::array<std::int64_t, widest> occurs{};
    for (std::size_t a = 0; a < side; ++a) {
        std::int64_t any = 0;
        for (std::size_t p = 0; p < side; ++p) {
            any |= totals[a * side + p];
            occurs[p] |= totals[a * side + p];
        }
        occurs[a] |= any;
    }
    IntegerPairs<T> result;
    std::vector<std::size_t> kept;
    for (std::size_t label = 0; label < side; ++label) {
        if (!occurs[label]) continue;
        kept.push_back(label);
        result.labels.push_back(static_cast<T>(static_cast<U>(frame.base + label - bias)));
    }
    result.counts.reserve(kept.size() * kept.size());
    for (const std::size_t a : kept)
        for (const std::size_t p : kept) result.counts.push_back(totals[a * side + p]);
    return result;
}

}  // namespace

template <class T>
std::optional<IntegerPairs<T>> count_integer_pairs(const T* actual_values,
                                                   const T* predicted_values, std::size_t rows) {
    using U = std::make_unsigned_t<T>;
    constexpr U bias = order_bias<T>();
    if (rows == 0) return IntegerPairs<T>{};
    const auto* actual = reinterpret_cast<const U*>(actual_values);
    const auto* predicted = reinterpret_cast<const U*>(predicted_values);

    bool guessed = rows > small;
    WordRange<U> range = guessed ? sampled_range(actual, predicted, rows, bias)
                                 : whole_range(actual, predicted, rows, bias);
    for (;;) {
        if (range.span() >= widest) return std::nullopt;
        const Frame<U> frame = frame_of(range, bias);
        // Clearing and reading a table far larger than the column would cost more than encoding.
        if (cells_of(frame) > std::max<std::size_t>(4096, 16 * rows)) return std::nullopt;
        if (frame.shift == 1 && frame.base == bias) {
            const auto counts = count_binary_pairs(actual, predicted, rows, sizeof(T));
            if (counts) return compact<T>(counts->data(), frame, bias);
        } else {
            std::vector<std::int64_t> totals(cells_of(frame));
            if (count_frame(actual, predicted, rows, frame, bias, totals.data()))
                return compact<T>(totals.data(), frame, bias);
        }
        range = whole_range(actual, predicted, rows, bias);
    }
}

#define ASSAY_INSTANTIATE(T) \
    template std::optional<IntegerPairs<T>> count_integer_pairs(const T*, const T*, std::size_t);
ASSAY_INSTANTIATE(std::int8_t)
ASSAY_INSTANTIATE(std::int16_t)
ASSAY_INSTANTIATE(std::int32_t)
ASSAY_INSTANTIATE(std::int64_t)
ASSAY_INSTANTIATE(std::uint8_t)
ASSAY_INSTANTIATE(std::uint16_t)
ASSAY_INSTANTIATE(std::uint32_t)
ASSAY_INSTANTIATE(std::uint64_t)
#undef ASSAY_INSTANTIATE

}  // namespace assay
