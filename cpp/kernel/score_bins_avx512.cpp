// Cells of scores with AVX-512, eight at a time. Loads from eight places of a table are slow, and
// nearly all probabilities are in a few octaves: those are kept in registers.
#include "kernel/score_bins.hpp"

#ifdef ASSAY_AVX

// GCC 12's own header reads a variable it leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace assay {

#define ASSAY_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))

namespace {

ASSAY_TARGET inline __m512i fill(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
}

ASSAY_TARGET inline __m512i entries(const Octave* first) {
    return _mm512_loadu_si512(first);
}

}  // namespace

ASSAY_TARGET bool find_cells_avx512(const Octave* table, const double* scores, std::size_t rows,
                                    std::uint32_t* cells) {
    static_assert(sizeof(Octave) == sizeof(std::uint64_t));
    // The 16 octaves from 2^-17 up to 1/2, and as many up to 1 by their distance to it.
    constexpr unsigned low = rising(-17), high = falling(-2);
    const __m512i low_first = entries(table + low), low_last = entries(table + low + 8);
    const __m512i high_first = entries(table + high + reflected),
                  high_last = entries(table + high + reflected + 8);
    const __m512i none = _mm512_setzero_si512();
    const __m512d zero = _mm512_setzero_pd(), half = _mm512_set1_pd(0.5), one = _mm512_set1_pd(1);
    __mmask8 strange = 0;
    for (std::size_t i = 0; i < rows; i += 8) {
        const __m512d score = _mm512_add_pd(_mm512_loadu_pd(scores + i), zero);
        const __mmask8 below_one = _mm512_cmp_pd_mask(score, half, _CMP_GE_OQ) &
                                   _mm512_cmp_pd_mask(score, one, _CMP_LT_OQ);
        const __mmask8 negative = _mm512_cmp_pd_mask(score, zero, _CMP_LT_OQ);
        strange |= _mm512_cmp_pd_mask(score, score, _CMP_UNORD_Q);
        const __m512d magnitude = _mm512_mask_sub_pd(_mm512_abs_pd(score), below_one, one, score);
        const __m512i bits = _mm512_castpd_si512(magnitude);
        const __m512i key = _mm512_mask_sub_epi64(bits, below_one | negative, none, bits);
        const __m512i octave = _mm512_srli_epi64(key, 52);
        const __m512i near =
            _mm512_sub_epi64(octave, _mm512_mask_blend_epi64(below_one, fill(low), fill(high)));
        __m512i entry;
        if (_mm512_cmplt_epu64_mask(near, fill(16)) == 0xFF) [[likely]] {
            entry = _mm512_mask_blend_epi64(below_one,
                                            _mm512_permutex2var_epi64(low_first, near, low_last),
                                            _mm512_permutex2var_epi64(high_first, near, high_last));
        } else {
            const __m512i place = _mm512_mask_add_epi64(octave, below_one, octave, fill(reflected));
            entry = _mm512_i64gather_epi64(place, table, sizeof(Octave));
        }
        // As Octave::cell() does.
        const __m512i place = _mm512_and_si512(key, fill(mantissa));
        const __m512i shift = _mm512_and_si512(_mm512_srli_epi64(entry, 32), fill(63));
        const __m512i first = _mm512_and_si512(entry, fill(0xFFFFFFFF));
        const __m512i lone = _mm512_min_epu64(place, _mm512_srli_epi64(entry, 40));
        const __m512i cell =
            _mm512_add_epi64(_mm512_add_epi64(first, _mm512_srlv_epi64(place, shift)), lone);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(cells + i), _mm512_cvtepi64_epi32(cell));
    }
    return strange != 0;
}

}  // namespace assay

#endif
