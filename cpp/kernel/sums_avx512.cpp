// The chunk kernels for AVX-512 with IFMA: eight rows at a time, limbs multiplied as 52-bit
// integers.
#include "kernel/sums_chunk.hpp"

#ifdef ASSAY_SUMS_X86

// GCC 12's own header reads a variable it leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#define ASSAY_LANES_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma")))
#include "kernel/sums_lanes.hpp"

namespace assay::sums {
namespace {

struct EightLanes {
    static constexpr int width = 8;
    typedef double Real __attribute__((vector_size(64)));
    typedef std::uint64_t Int __attribute__((vector_size(64)));

    ASSAY_LANES_INLINE static Real load(const double* p) {
        return reinterpret_cast<Real>(_mm512_loadu_pd(p));
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
        return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(reinterpret_cast<__m512i>(x)));
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

}  // namespace

const Kernels avx512_kernels = {column_chunk<EightLanes, false>, column_chunk<EightLanes, true>,
                                pair_chunk<EightLanes>};

}  // namespace assay::sums

#endif
