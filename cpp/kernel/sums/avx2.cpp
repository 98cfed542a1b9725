// The chunk kernels for AVX2: four rows at a time, limbs multiplied as halves of 26 bits.
#include "kernel/sums/chunk.hpp"

#ifdef ASSAY_AVX

#include <immintrin.h>

#define ASSAY_LANES_TARGET __attribute__((target("avx2")))
#include "kernel/sums/chunk_lanes.hpp"

namespace assay::sums {
namespace {

struct FourLanes {
    static constexpr int width = 4;
    typedef double Real __attribute__((vector_size(32)));
    typedef std::uint64_t Int __attribute__((vector_size(32)));

    ASSAY_LANES_INLINE static Real load(const double* p) {
        return reinterpret_cast<Real>(_mm256_loadu_pd(p));
    }
    ASSAY_LANES_INLINE static Int load(const std::int64_t* p) {
        return reinterpret_cast<Int>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    ASSAY_LANES_INLINE static Int bits(Real x) { return reinterpret_cast<Int>(x); }
    ASSAY_LANES_INLINE static Real real(Int x) { return reinterpret_cast<Real>(x); }
    ASSAY_LANES_INLINE static Int fill(std::uint64_t value) {
        return Int{value, value, value, value};
    }
    ASSAY_LANES_INLINE static Real larger_magnitude(Real largest, Real x) {
        const __m256d sign = _mm256_set1_pd(-0.0);
        return _mm256_max_pd(largest, _mm256_andnot_pd(sign, x));
    }
    ASSAY_LANES_INLINE static Int add_where_less(Int sum, Real a, Real b, Int value) {
        return sum + (value & reinterpret_cast<Int>(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
    }
    ASSAY_LANES_INLINE static std::uint64_t lane_sum(Int x) { return x[0] + x[1] + x[2] + x[3]; }
    ASSAY_LANES_INLINE static bool any(Int x) { return (x[0] | x[1] | x[2] | x[3]) != 0; }
    ASSAY_LANES_INLINE static double largest(Real x) {
        const double left = x[0] > x[1] ? x[0] : x[1], right = x[2] > x[3] ? x[2] : x[3];
        return left > right ? left : right;
    }

    // The low 32 bits of each lane, multiplied.
    ASSAY_LANES_INLINE static Int multiply(Int x, Int y) {
        return reinterpret_cast<Int>(
            _mm256_mul_epu32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(y)));
    }

    struct Squares {
        Int part[8] = {};

        ASSAY_LANES_INLINE void add(Int high, Int low) {
            const Int half = fill((1 << 26) - 1);
            const Int l0 = low & half, l1 = low >> 26, h0 = high & half, h1 = high >> 26;
            part[0] += multiply(l0, l0);
            part[1] += multiply(l0, l1);
            part[2] += multiply(l1, l1) + multiply(l0, h0);
            part[3] += multiply(l0, h1) + multiply(l1, h0);
            part[4] += multiply(h0, h0);
            part[5] += multiply(l1, h1);
            part[6] += multiply(h0, h1);
            part[7] += multiply(h1, h1);
        }
        ASSAY_LANES_INLINE void add_wide(Int high, Int low) { add(high, low); }
        ASSAY_LANES_INLINE Parts total() const {
            Parts parts;
            for (int k = 0; k < 8; ++k)
                for (int lane = 0; lane < width; ++lane) parts.part[k] += part[k][lane];
            return parts;
        }
    };
};

}  // namespace

const Kernels avx2_kernels = {column_chunk<FourLanes, false>, column_chunk<FourLanes, true>,
                              pair_chunk<FourLanes, double>, pair_chunk<FourLanes, std::int64_t>};

}  // namespace assay::sums

#endif
