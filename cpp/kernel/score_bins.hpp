// How scores become keys and those cells: what the paths for different CPUs share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernel/platform.hpp"

namespace assay {

// A score's key ascends within its octave: the bits of a positive score, minus the bits of |score|
// or 1 - score where those descend. Its upper 12 bits number the octave; the octaves below 1 cut by
// their distance to it are moved up behind the others.
constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
constexpr unsigned reflected = 1024;
constexpr int bias = 1023;

constexpr unsigned rising(int exponent) {
    return static_cast<unsigned>(exponent + bias);
}
constexpr unsigned falling(int exponent) {
    return 0xFFF - rising(exponent);
}

// One octave packed into a word, so that a row needs one load: its first cell, how far to shift the
// mantissa, and whether its first value stands alone.
struct Octave {
    std::uint64_t packed = 52ull << 32;

    Octave() = default;
    Octave(std::uint64_t first, int shift, bool lone)
        : packed(first | static_cast<std::uint64_t>(shift) << 32 |
                 static_cast<std::uint64_t>(lone) << 40) {}
    std::uint64_t first() const { return packed & 0xFFFFFFFF; }
    unsigned shift() const { return packed >> 32 & 63; }
    std::uint64_t lone() const { return packed >> 40; }
    std::uint64_t cell(std::uint64_t key) const {
        const std::uint64_t place = key & mantissa;
        return first() + (place >> shift()) + std::min(place, lone());
    }
};

#ifdef ASSAY_AVX
// Writes the cells of scores, and returns whether a NaN was among them: its cell is one there is
// even then. Takes whole vectors of eight scores; needs AVX-512 F, DQ and VL.
bool find_cells_avx512(const Octave* table, const double* scores, std::size_t rows,
                       std::uint32_t* cells);
#endif

}  // namespace assay
