#include "kernel/sums/number_columns.hpp"

#include <bit>
#include <limits>
#include <type_traits>

#include "kernel/platform.hpp"

namespace assay {
namespace {

template <class T>
ASSAY_INTO_CLONE void read_loop(const T* __restrict values, std::size_t rows,
                                double* __restrict out) {
    for (std::size_t i = 0; i < rows; ++i) out[i] = static_cast<double>(values[i]);
}

constexpr std::uint64_t half = std::uint64_t{1} << 51;

// Integers of 64 bits, as most are: at least -bias (0 or half) and below half. Added to the bits of
// 1.5 * 2**52 they become its last bits, which takes no instruction that only some CPUs have.
// Returns false, and numbers of no use, when one is outside.
ASSAY_CLONES bool read_short(const std::uint64_t* __restrict words, std::size_t rows,
                             std::uint64_t bias, double* __restrict out) {
    constexpr double shift = 0x1.8p52;
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        beyond |= words[i] + bias;
        out[i] = std::bit_cast<double>(words[i] + std::bit_cast<std::uint64_t>(shift)) - shift;
    }
    return beyond < half + bias;
}

template <class T>
void read_long(const T* values, std::size_t rows, double* out) {
    constexpr T most = T{1} << 53, least = std::is_signed_v<T> ? -most : 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const T value = values[i];
        out[i] = value < least || value > most ? std::numeric_limits<double>::quiet_NaN()
                                               : static_cast<double>(value);
    }
}

void read_values(const std::uint64_t* values, std::size_t rows, double* out) {
    if (!read_short(values, rows, 0, out)) read_long(values, rows, out);
}
void read_values(const std::int64_t* values, std::size_t rows, double* out) {
    if (!read_short(reinterpret_cast<const std::uint64_t*>(values), rows, half, out))
        read_long(values, rows, out);
}

// A template cannot be cloned.
#define ASSAY_READ(T)                                                               \
    ASSAY_CLONES void read_values(const T* values, std::size_t rows, double* out) { \
        read_loop(values, rows, out);                                               \
    }
ASSAY_READ(double)
ASSAY_READ(float)
ASSAY_READ(std::int8_t)
ASSAY_READ(std::int16_t)
ASSAY_READ(std::int32_t)
ASSAY_READ(std::uint8_t)
ASSAY_READ(std::uint16_t)
ASSAY_READ(std::uint32_t)
#undef ASSAY_READ

}  // namespace

void read_numbers(const NumberColumn& column, std::size_t begin, std::size_t rows, double* out) {
    std::visit([=](const auto* values) { read_values(values + begin, rows, out); }, column);
}

}  // namespace assay
