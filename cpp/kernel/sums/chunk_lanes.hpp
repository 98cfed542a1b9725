// The chunk kernels, written once for any number of lanes. Each CPU level includes this file after
// it has defined ASSAY_LANES_TARGET (the function attribute that selects its instructions) and
// instantiates the templates with its own Lanes:
//
//   width, Real, Int        one double and one 64-bit integer per lane (GCC vectors or plain
//   numbers) load(p) of either, bits(Real), fill<T>(value) larger_magnitude(Real, Real),
//   add_where_less(Int sum, Real a, Real b, Int value) lane_sum(Int), any(Int), largest(Real)
//   Squares add(Int high, Int low), total(); add_wide where low may be 2**52
#pragma once

#include "kernel/sums/chunk.hpp"

#define ASSAY_LANES_INLINE ASSAY_LANES_TARGET __attribute__((always_inline)) inline

namespace assay::sums {
namespace {

// Splits doubles into biased limbs and remembers whether every one of them fitted.
template <class Lanes>
struct Splitter {
    using Real = typename Lanes::Real;
    using Int = typename Lanes::Int;
    struct Limbs {
        Int high, low;
    };

    ASSAY_LANES_INLINE explicit Splitter(int window) {
        // 1.5 * 2**52 units: adding x leaves its rounded multiple of the unit, biased, in the low
        // bits of the sum. Exponent field 1 stands for 2**-1022 = 2**(52 - 1074).
        const auto high_field = static_cast<std::uint64_t>(window + limb_bits + 1) << 52;
        const auto low_field = static_cast<std::uint64_t>(window + 1) << 52;
        high_top = Lanes::fill(high_field);
        low_top = Lanes::fill(low_field);
        high_shift = Lanes::real(Lanes::fill(high_field | std::uint64_t{1} << bias_bit));
        low_shift = Lanes::real(Lanes::fill(low_field | std::uint64_t{1} << bias_bit));
        range = inexact = Lanes::fill(0);
    }

    ASSAY_LANES_INLINE Limbs split(Real x) {
        const Real high_sum = x + high_shift;
        const Real rest = x - (high_sum - high_shift);
        const Real low_sum = rest + low_shift;
        // Zero bits if and only if equal: the left side is never -0.
        inexact |= Lanes::bits((low_sum - low_shift) - rest);
        const Limbs limbs{Lanes::bits(high_sum) ^ high_top, Lanes::bits(low_sum) ^ low_top};
        range |= limbs.high;  // too large, infinite or NaN: the sum left its binade
        return limbs;
    }

    // The doubles of a column, or integers below 2**51 as doubles: see read_numbers.
    ASSAY_LANES_INLINE Real read(const double* x) { return Lanes::load(x); }
    ASSAY_LANES_INLINE Real read(const std::int64_t* x) {
        constexpr double shift = 0x1.8p52;
        const Int words = Lanes::load(x), bits = Lanes::fill(std::bit_cast<std::uint64_t>(shift));
        range |= words + Lanes::fill(std::uint64_t{1} << 51);
        return Lanes::real(words + bits) - Lanes::real(bits);
    }

    // The same without a look at what fits; both limbs come with one constant added.
    ASSAY_LANES_INLINE Limbs split_unchecked(Real x) const {
        const Real high_sum = x + high_shift;
        return {Lanes::bits(high_sum), Lanes::bits((x - (high_sum - high_shift)) + low_shift)};
    }

    ASSAY_LANES_INLINE bool all_fitted() const { return !Lanes::any(inexact | (range >> 52)); }

    Real high_shift, low_shift;
    Int high_top, low_top, range, inexact;
};

template <class Lanes, bool squares>
ASSAY_LANES_TARGET bool column_chunk(const double* x, int rows, int window, ColumnTotals& totals) {
    using Int = typename Lanes::Int;
    Splitter<Lanes> splitter(window);
    Int high = Lanes::fill(0), low = high;
    typename Lanes::Squares square;
    for (int row = 0; row < rows; row += Lanes::width) {
        const auto limbs = splitter.split(Lanes::load(x + row));
        high += limbs.high;
        low += limbs.low;
        if constexpr (squares) square.add(limbs.high, limbs.low);
    }
    totals.high = Lanes::lane_sum(high);
    totals.low = Lanes::lane_sum(low);
    if constexpr (squares) totals.square = square.total();
    return splitter.all_fitted();
}

template <class Lanes, class Actual>
ASSAY_LANES_TARGET bool pair_chunk(const Actual* actual, const double* predicted, int rows,
                                   int window, PairTotals& totals) {
    using Int = typename Lanes::Int;
    Splitter<Lanes> splitter(window);
    const Int zero = Lanes::fill(0), bias = Lanes::fill(std::uint64_t{1} << bias_bit);
    Int high_a = zero, low_a = zero, high_p = zero, low_p = zero;
    Int below_high = zero, below_low = zero;
    typename Lanes::Real largest = Lanes::real(zero);
    typename Lanes::Squares square_a, square_p, square_e;
    for (int row = 0; row < rows; row += Lanes::width) {
        const auto a = splitter.read(actual + row), p = splitter.read(predicted + row);
        const auto limbs_a = splitter.split(a), limbs_p = splitter.split(p);
        high_a += limbs_a.high;
        low_a += limbs_a.low;
        high_p += limbs_p.high;
        low_p += limbs_p.low;
        square_a.add(limbs_a.high, limbs_a.low);
        square_p.add(limbs_p.high, limbs_p.low);

        const Int high = limbs_a.high - limbs_p.high, low = limbs_a.low - limbs_p.low;
        below_high = Lanes::add_where_less(below_high, a, p, high);
        below_low = Lanes::add_where_less(below_low, a, p, low);
        splitter.range |= high + bias;
        square_e.add_wide(high + bias, low + bias);
        largest = Lanes::larger_magnitude(largest, a - p);
    }
    totals.actual = {Lanes::lane_sum(high_a), Lanes::lane_sum(low_a), square_a.total()};
    totals.predicted = {Lanes::lane_sum(high_p), Lanes::lane_sum(low_p), square_p.total()};
    totals.square_error = square_e.total();
    totals.below_high = Lanes::lane_sum(below_high);
    totals.below_low = Lanes::lane_sum(below_low);
    totals.max_absolute_error = Lanes::largest(largest);
    return splitter.all_fitted();
}

}  // namespace
}  // namespace assay::sums
