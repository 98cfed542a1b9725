// The chunk kernels for AVX-512 with IFMA: eight rows at a time, limbs multiplied as 52-bit
// integers.
#include "kernel/sums/chunk.hpp"

#ifdef ASSAY_AVX

// GCC 12's own header reads a variable it leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#define ASSAY_LANES_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma")))
#include "kernel/sums/chunk_lanes.hpp"

namespace assay::sums {
namespace {

struct EightLanes {
    static constexpr int width = 8;
    typedef double Real __attribute__((vector_size(64)));
    typedef std::uint64_t Int __attribute__((vector_size(64)));

    ASSAY_LANES_INLINE static Real load(const double* p) {
        return reinterpret_cast<Real>(_mm512_loadu_pd(p));
    }
    ASSAY_LANES_INLINE static Int load(const std::int64_t* p) {
        return reinterpret_cast<Int>(_mm512_loadu_si512(p));
    }
    ASSAY_LANES_INLINE static Int bits(Real x) { return reinterpret_cast<Int>(x); }
    ASSAY_LANES_INLINE static Real real(Int x) { return reinterpret_cast<Real>(x); }
    ASSAY_LANES_INLINE static Int fill(std::uint64_t value) {
        return reinterpret_cast<Int>(_mm512_set1_epi64(static_cast<long long>(value)));
    }
    ASSAY_LANES_INLINE static Real larger_magnitude(Real largest, Real x) {
        return _mm512_max_pd(largest, _mm512_abs_pd(x));
    }
    ASSAY_LANES_INLINE static Int add_where_less(Int sum, Real a, Real b, Int value) {
        const __m512i s = reinterpret_cast<__m512i>(sum), v = reinterpret_cast<__m512i>(value);
        return reinterpret_cast<Int>(
            _mm512_mask_add_epi64(s, _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), s, v));
    }
    ASSAY_LANES_INLINE static std::uint64_t lane_sum(Int x) {
        std::uint64_t sum = 0;  // the intrinsic adds signed, and a refused chunk may overflow that
        for (int lane = 0; lane < width; ++lane) sum += x[lane];
        return sum;
    }
    ASSAY_LANES_INLINE static bool any(Int x) {
        return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(x)) !=
               0;
    }
    ASSAY_LANES_INLINE static double largest(Real x) { return _mm512_reduce_max_pd(x); }

    // The low or the high half of the 104-bit product of the low 52 bits of x and y, added to sum.
    ASSAY_LANES_INLINE static Int add_low(Int sum, Int x, Int y) {
        return reinterpret_cast<Int>(_mm512_madd52lo_epu64(reinterpret_cast<__m512i>(sum),
                                                           reinterpret_cast<__m512i>(x),
                                                           reinterpret_cast<__m512i>(y)));
    }
    ASSAY_LANES_INLINE static Int add_high(Int sum, Int x, Int y) {
        return reinterpret_cast<Int>(_mm512_madd52hi_epu64(reinterpret_cast<__m512i>(sum),
                                                           reinterpret_cast<__m512i>(x),
                                                           reinterpret_cast<__m512i>(y)));
    }

    struct Squares {
        Int part0 = fill(0), part2 = fill(0), part4 = fill(0), part5 = fill(0), part7 = fill(0);

        ASSAY_LANES_INLINE Squares() = default;
        ASSAY_LANES_INLINE void add(Int high, Int low) {
            part0 = add_low(part0, low, low);
            part2 = add_low(add_high(part2, low, low), low, high);
            part5 = add_high(part5, low, high);
            part4 = add_low(part4, high, high);
            part7 = add_high(part7, high, high);
        }
        ASSAY_LANES_INLINE void add_wide(Int high, Int low) {
            // The multiplier drops bit 52 of low, which is worth two high units.
            add(high + (low >> 52 << 1), low);
        }
        ASSAY_LANES_INLINE Parts total() const {
            Parts parts;
            parts.part[0] = lane_sum(part0);
            parts.part[2] = lane_sum(part2);
            parts.part[4] = lane_sum(part4);
            parts.part[5] = lane_sum(part5);
            parts.part[7] = lane_sum(part7);
            return parts;
        }
    };
};

using Int = EightLanes::Int;
using EightSplitter = Splitter<EightLanes>;

// Limbs of 52 bits, as the multiplier takes them.
struct Radix52 {
    Int limb0, limb1;
};

// From biased limbs of 51 bits; low may be 2**52.
ASSAY_LANES_INLINE Radix52 radix_52(Int high, Int low) {
    const Int sum = low + (high << 51 & EightLanes::fill(std::uint64_t{1} << 51));
    return {sum & EightLanes::fill((std::uint64_t{1} << 52) - 1), (high >> 1) + (sum >> 52)};
}

// The weights without bias; a negative one leaves bits above bit 52.
ASSAY_LANES_INLINE Radix52 weight_limbs(EightSplitter& splitter, const double* weight) {
    constexpr std::uint64_t bias = std::uint64_t{1} << bias_bit;
    const auto limbs = splitter.split(EightLanes::load(weight));
    // A negative low limb borrows from the high one.
    const Int high = limbs.high + (limbs.low >> bias_bit) - EightLanes::fill(bias + 1);
    splitter.range |= high;
    return radix_52(high, limbs.low & EightLanes::fill(bias - 1));
}

// The sums of w * x and w * x * x for x + offset in radix 2**52.
struct WeightedSums {
    Int product[4] = {}, triple[6] = {};

    template <class AddProduct>
    ASSAY_LANES_INLINE void add(const Radix52& w, const Radix52& x, AddProduct&& add_product) {
        const auto low = EightLanes::add_low, high = EightLanes::add_high;
        const Int zero = EightLanes::fill(0);
        const Int y0 = low(zero, w.limb0, x.limb0);
        Int y1 = low(low(high(zero, w.limb0, x.limb0), w.limb0, x.limb1), w.limb1, x.limb0);
        Int y2 = low(high(high(zero, w.limb0, x.limb1), w.limb1, x.limb0), w.limb1, x.limb1);
        Int y3 = high(zero, w.limb1, x.limb1);
        add_product(product[0], y0);
        add_product(product[1], y1);
        add_product(product[2], y2);
        add_product(product[3], y3);

        y2 += y1 >> 52;  // the multiplier ignores what was carried on
        y3 += y2 >> 52;
        const auto& [x0, x1] = x;
        triple[0] = low(triple[0], y0, x0);
        triple[1] = low(low(high(triple[1], y0, x0), y0, x1), y1, x0);
        triple[2] = low(low(high(high(triple[2], y0, x1), y1, x0), y1, x1), y2, x0);
        triple[3] = low(low(high(high(triple[3], y1, x1), y2, x0), y2, x1), y3, x0);
        triple[4] = low(high(high(triple[4], y2, x1), y3, x0), y3, x1);
        triple[5] = high(triple[5], y3, x1);
    }
    ASSAY_LANES_INLINE void total(WeightedTotals& totals) const {
        for (int k = 0; k < 4; ++k) totals.product[k] = wide_lane_sum(product[k]);
        for (int k = 0; k < 6; ++k) totals.triple[k] = wide_lane_sum(triple[k]);
    }
    // Four products of 52 bits for each row: 62 bits in a lane, 65 together.
    ASSAY_LANES_INLINE static uint128 wide_lane_sum(Int x) {
        uint128 sum = 0;
        for (int lane = 0; lane < EightLanes::width; ++lane) sum += x[lane];
        return sum;
    }
};

ASSAY_LANES_TARGET bool weighted_chunk(const double* x, const double* weight, int rows,
                                       const int* windows, WeightedTotals& totals) {
    EightSplitter splitter(windows[0]), weight_splitter(windows[1]);
    WeightedSums sums;
    for (int row = 0; row < rows; row += EightLanes::width) {
        const Radix52 w = weight_limbs(weight_splitter, weight + row);
        const auto limbs = splitter.split(EightLanes::load(x + row));
        sums.add(w, radix_52(limbs.high, limbs.low),
                 [](Int& sum, Int y) ASSAY_LANES_TARGET { sum += y; });
    }
    sums.total(totals);
    return splitter.all_fitted() && weight_splitter.all_fitted();
}

ASSAY_LANES_TARGET bool weighted_difference_chunk(const double* actual, const double* predicted,
                                                  const double* weight, int rows,
                                                  const int* windows, WeightedPairTotals& totals) {
    EightSplitter splitter(windows[0]), weight_splitter(windows[1]);
    const Int bias = EightLanes::fill(std::uint64_t{1} << bias_bit);
    Int below0 = EightLanes::fill(0), below1 = below0;
    WeightedSums sums;
    for (int row = 0; row < rows; row += EightLanes::width) {
        const Radix52 w = weight_limbs(weight_splitter, weight + row);
        const auto a = EightLanes::load(actual + row), p = EightLanes::load(predicted + row);
        const auto limbs_a = splitter.split(a), limbs_p = splitter.split(p);
        const Int high = limbs_a.high - limbs_p.high + bias;
        splitter.range |= high;
        const auto add_below = [&](Int& sum, Int y) ASSAY_LANES_TARGET {
            sum = EightLanes::add_where_less(sum, a, p, y);
        };
        sums.add(w, radix_52(high, limbs_a.low - limbs_p.low + bias), add_below);
        add_below(below0, w.limb0);
        add_below(below1, w.limb1);
    }
    sums.total(totals.error);
    totals.below_weight[0] = WeightedSums::wide_lane_sum(below0);
    totals.below_weight[1] = WeightedSums::wide_lane_sum(below1);
    return splitter.all_fitted();
}

ASSAY_LANES_TARGET bool weighted_column(const double* x, const double* weight, int rows,
                                        const int* windows, WeightedColumnTotals& totals) {
    return column_chunk<EightLanes, false>(weight, rows, windows[1], totals.weight) &&
           weighted_chunk(x, weight, rows, windows, totals.x);
}

ASSAY_LANES_TARGET bool weighted_pair(const double* actual, const double* predicted,
                                      const double* weight, int rows, const int* windows,
                                      WeightedPairTotals& totals) {
    return column_chunk<EightLanes, true>(weight, rows, windows[1], totals.weight) &&
           weighted_chunk(actual, weight, rows, windows, totals.actual) &&
           weighted_chunk(predicted, weight, rows, windows, totals.predicted) &&
           weighted_difference_chunk(actual, predicted, weight, rows, windows, totals);
}

}  // namespace

const Kernels avx512_kernels = {column_chunk<EightLanes, false>,
                                column_chunk<EightLanes, true>,
                                pair_chunk<EightLanes, double>,
                                pair_chunk<EightLanes, std::int64_t>,
                                weighted_column,
                                weighted_pair};

}  // namespace assay::sums

#endif
