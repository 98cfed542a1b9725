#include "kernel/extremes.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t grain = std::size_t{1} << 17, lanes = 64;

// A reduction to one double may not be reordered; one to many side by side is a plain loop.
template <class Value>
struct Lanes {
    using Limits = std::numeric_limits<Value>;
    Value least[lanes], largest[lanes];
    Value odd[lanes] = {};  // of floats: not 0 where there was a NaN

    Lanes() {
        constexpr bool has_infinity = Limits::has_infinity;
        std::fill_n(least, lanes, has_infinity ? Limits::infinity() : Limits::max());
        std::fill_n(largest, lanes, has_infinity ? -Limits::infinity() : Limits::lowest());
    }
};

template <class Value>
ASSAY_INTO_CLONE void scan_values(const Value* __restrict values, std::size_t rows,
                                  Lanes<Value>& __restrict kept) {
    for (std::size_t row = 0; row + lanes <= rows; row += lanes) {
        for (std::size_t i = 0; i < lanes; ++i) {
            const Value value = values[row + i];
            // NaN compares false, so that it replaces nothing.
            kept.least[i] = value < kept.least[i] ? value : kept.least[i];
            kept.largest[i] = value > kept.largest[i] ? value : kept.largest[i];
            kept.odd[i] = value == value ? kept.odd[i] : Value{1};
        }
    }
    for (std::size_t row = rows / lanes * lanes; row < rows; ++row) {
        const Value value = values[row];
        kept.least[0] = std::min(kept.least[0], value);
        kept.largest[0] = std::max(kept.largest[0], value);
        kept.odd[0] = value == value ? kept.odd[0] : Value{1};
    }
}

#define ASSAY_SCAN(Value)                                                               \
    ASSAY_CLONES void scan(const Value* values, std::size_t rows, Lanes<Value>& kept) { \
        scan_values(values, rows, kept);                                                \
    }
ASSAY_SCAN(double)
ASSAY_SCAN(float)
ASSAY_SCAN(std::int64_t)
ASSAY_SCAN(std::int32_t)
ASSAY_SCAN(std::int16_t)
ASSAY_SCAN(std::int8_t)
ASSAY_SCAN(std::uint64_t)
ASSAY_SCAN(std::uint32_t)
ASSAY_SCAN(std::uint16_t)
ASSAY_SCAN(std::uint8_t)
#undef ASSAY_SCAN

}  // namespace

template <class Value>
Extremes<Value> extremes(const Value* values, std::size_t rows) {
    std::vector<Lanes<Value>> slots(static_cast<std::size_t>(threads()));
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        scan(values + begin, end - begin, slots[static_cast<std::size_t>(slot)]);
    });
    Extremes<Value> result{slots[0].least[0], slots[0].largest[0]};
    bool odd = false;
    for (const Lanes<Value>& kept : slots) {
        for (std::size_t i = 0; i < lanes; ++i) {
            result.least = std::min(result.least, kept.least[i]);
            result.largest = std::max(result.largest, kept.largest[i]);
            odd |= kept.odd[i] != Value{0};
        }
    }
    if (odd) {
        const Value* bad = std::find_if(values, values + rows, [](Value x) { return x != x; });
        if (bad == values + rows) throw_changed();
        result.bad_row = bad - values;
    }
    return result;
}

template Extremes<double> extremes(const double*, std::size_t);
template Extremes<float> extremes(const float*, std::size_t);
template Extremes<std::int64_t> extremes(const std::int64_t*, std::size_t);
template Extremes<std::int32_t> extremes(const std::int32_t*, std::size_t);
template Extremes<std::int16_t> extremes(const std::int16_t*, std::size_t);
template Extremes<std::int8_t> extremes(const std::int8_t*, std::size_t);
template Extremes<std::uint64_t> extremes(const std::uint64_t*, std::size_t);
template Extremes<std::uint32_t> extremes(const std::uint32_t*, std::size_t);
template Extremes<std::uint16_t> extremes(const std::uint16_t*, std::size_t);
template Extremes<std::uint8_t> extremes(const std::uint8_t*, std::size_t);

}  // namespace assay
