// Integers of a fixed number of 64-bit limbs, and the carry-free digits that feed them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernel/platform.hpp"

namespace assay {

// A two's complement integer of N limbs, least significant first, wrapping like any machine
// integer. Carries are always propagated, so equal values are equal bytes.
template <int N>
struct Wide {
    std::uint64_t limb[N] = {};

    Wide() = default;
    explicit Wide(int128 value) {
        for (int i = 0; i < N; ++i) {
            limb[i] = static_cast<std::uint64_t>(value);
            value = i == 0 ? value >> 64 : value < 0 ? -1 : 0;
        }
    }

    bool negative() const { return limb[N - 1] >> 63; }

    // Adds value * 2**bit, 0 <= bit < 64 N. Costs M limbs and the carry.
    template <int M>
    void add(const Wide<M>& value, int bit = 0) {
        const int skip = bit / 64, shift = bit % 64;
        const std::uint64_t extension = value.negative() ? ~std::uint64_t{0} : 0;
        std::uint64_t below = 0, carry = 0;
        for (int i = skip; i < N; ++i) {
            const int j = i - skip;
            // Past the value only its sign is added; with the carry that often adds nothing.
            if (j > M && extension + carry == 0) break;
            const std::uint64_t here = j < M ? value.limb[j] : extension;
            const std::uint64_t part = shift ? here << shift | below >> (64 - shift) : here;
            below = here;
            const uint128 sum = uint128{limb[i]} + part + carry;
            limb[i] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
    }

    template <int M>
    void subtract(const Wide<M>& value, int bit = 0) {
        add(value.negated(), bit);
    }

    // One limb more than the value, so that the lowest negative number has its opposite.
    Wide<N + 1> negated() const {
        Wide<N + 1> result;
        std::uint64_t carry = 1;
        for (int i = 0; i <= N; ++i) {
            const std::uint64_t here = i < N ? limb[i] : negative() ? ~std::uint64_t{0} : 0;
            result.limb[i] = ~here + carry;
            carry &= result.limb[i] == 0;
        }
        return result;
    }
};

// A finite double as (-1)**negative * magnitude * 2**(bit - 1074), magnitude < 2**53.
struct Binary {
    std::uint64_t magnitude;
    int bit;
    bool negative;

    explicit Binary(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const int field = static_cast<int>(bits >> 52 & 0x7ff);
        constexpr std::uint64_t one = std::uint64_t{1} << 52;
        magnitude = (bits & (one - 1)) | (field ? one : 0);
        bit = field ? field - 1 : 0;
        negative = bits >> 63;
    }
};

// The magnitude of a product.
inline std::array<std::uint64_t, 1> product(const Binary& a) {
    return {a.magnitude};
}

inline std::array<std::uint64_t, 2> product(const Binary& a, const Binary& b) {
    const uint128 ab = uint128{a.magnitude} * b.magnitude;
    return {static_cast<std::uint64_t>(ab), static_cast<std::uint64_t>(ab >> 64)};
}

inline std::array<std::uint64_t, 3> product(const std::array<std::uint64_t, 2>& ab,
                                            const Binary& c) {
    const uint128 low = uint128{ab[0]} * c.magnitude;
    const uint128 high = uint128{ab[1]} * c.magnitude + static_cast<std::uint64_t>(low >> 64);
    return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high),
            static_cast<std::uint64_t>(high >> 64)};
}

// A sum of products of up to `Factors` doubles in units of 2**(-1074 Factors), kept as 32-bit
// digits in 64-bit words: an addition touches a few words and carries nothing. Good for 2**30
// additions between two calls of flush.
template <int Factors>
class Digits {
public:
    // Adds (-1)**negative * value * 2**bit, value below 2**(53 K), K <= Factors.
    template <std::size_t K>
    void add(const std::array<std::uint64_t, K>& value, int bit, bool negative) {
        const int shift = bit % 32;
        std::int64_t* digit = digit_ + bit / 32;
        const std::int64_t flip = -static_cast<std::int64_t>(negative);
        std::uint64_t below = 0;
        constexpr int limbs = K, pieces = (53 * limbs + 31 + 31) / 32;
        for (int i = 0; 2 * i < pieces; ++i) {
            const std::uint64_t here = i < limbs ? value[i] : 0;
            const std::uint64_t part = here << shift | below >> 1 >> (63 - shift);
            below = here;
            digit[2 * i] += (static_cast<std::int64_t>(part & 0xffffffff) ^ flip) - flip;
            if (2 * i + 1 < pieces)
                digit[2 * i + 1] += (static_cast<std::int64_t>(part >> 32) ^ flip) - flip;
        }
    }

    // Adds the digits, or their opposite, times 2**shift to a wide integer and clears them.
    template <int N>
    void flush(Wide<N>& sum, int shift = 0, bool negative = false) {
        Wide<count / 2 + 1> total;
        std::int64_t carry = 0;
        for (int i = 0; i < count + 2; ++i) {
            const std::int64_t here = carry + (i < count ? digit_[i] : 0);
            total.limb[i / 2] |= (static_cast<std::uint64_t>(here) & 0xffffffff) << (i % 2 * 32);
            carry = here >> 32;
            if (i < count) digit_[i] = 0;
        }
        if (negative) {
            sum.subtract(total, shift);
        } else {
            sum.add(total, shift);
        }
    }

private:
    static constexpr int count = (2046 * Factors / 32 + 8) / 2 * 2;
    std::int64_t digit_[count] = {};
};

}  // namespace assay
