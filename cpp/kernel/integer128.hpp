// Integers of 128 bits in plain C++, for compilers without their own: they wrap, shift and compare
// as the built-in ones do, bit for bit.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace assay {

template <bool is_signed>
class Integer128 {
    using Word = std::uint64_t;

public:
    Integer128() = default;

    template <std::integral T>
    constexpr Integer128(T value)
        : low_(static_cast<Word>(value)), high_(value < T{0} ? ~Word{0} : Word{0}) {}

    constexpr explicit Integer128(const Integer128<!is_signed>& other)
        : Integer128(other.high_word(), other.low_word()) {}

    template <std::integral T>
    constexpr explicit operator T() const {
        if constexpr (std::is_same_v<T, bool>) {
            return (low_ | high_) != 0;
        } else {
            return static_cast<T>(low_);
        }
    }

    constexpr Word low_word() const { return low_; }
    constexpr Word high_word() const { return high_; }

    friend constexpr bool operator==(Integer128 a, Integer128 b) = default;
    friend constexpr std::strong_ordering operator<=>(Integer128 a, Integer128 b) {
        // Turned over, the sign bit puts the negative numbers below the others.
        constexpr Word sign = is_signed ? Word{1} << 63 : 0;
        if (a.high_ != b.high_) return (a.high_ ^ sign) <=> (b.high_ ^ sign);
        return a.low_ <=> b.low_;
    }

    friend constexpr Integer128 operator+(Integer128 a, Integer128 b) {
        const Word low = a.low_ + b.low_;
        return {a.high_ + b.high_ + (low < a.low_), low};
    }
    friend constexpr Integer128 operator-(Integer128 a, Integer128 b) {
        return {a.high_ - b.high_ - (a.low_ < b.low_), a.low_ - b.low_};
    }
    constexpr Integer128 operator-() const { return Integer128(0) - *this; }
    constexpr Integer128 operator~() const { return {~high_, ~low_}; }
    friend constexpr Integer128 operator*(Integer128 a, Integer128 b) {
        const Integer128 low = multiply(a.low_, b.low_);
        return {low.high_ + a.low_ * b.high_ + a.high_ * b.low_, low.low_};
    }
    friend constexpr Integer128 operator/(Integer128 a, Integer128 b) { return divide(a, b).first; }
    friend constexpr Integer128 operator%(Integer128 a, Integer128 b) { return divide(a, b).rest; }
    friend constexpr Integer128 operator|(Integer128 a, Integer128 b) {
        return {a.high_ | b.high_, a.low_ | b.low_};
    }
    friend constexpr Integer128 operator&(Integer128 a, Integer128 b) {
        return {a.high_ & b.high_, a.low_ & b.low_};
    }
    friend constexpr Integer128 operator^(Integer128 a, Integer128 b) {
        return {a.high_ ^ b.high_, a.low_ ^ b.low_};
    }

    // By 0 to 127 bits.
    friend constexpr Integer128 operator<<(Integer128 a, int bits) {
        if (bits == 0) return a;
        if (bits >= 64) return {a.low_ << (bits - 64), 0};
        return {a.high_ << bits | a.low_ >> (64 - bits), a.low_ << bits};
    }
    friend constexpr Integer128 operator>>(Integer128 a, int bits) {
        if (bits == 0) return a;
        if (bits >= 64) return {a.fill(), a.shifted_high(bits - 64)};
        return {a.shifted_high(bits), a.low_ >> bits | a.high_ << (64 - bits)};
    }

    constexpr Integer128& operator+=(Integer128 b) { return *this = *this + b; }
    constexpr Integer128& operator-=(Integer128 b) { return *this = *this - b; }
    constexpr Integer128& operator*=(Integer128 b) { return *this = *this * b; }
    constexpr Integer128& operator>>=(int bits) { return *this = *this >> bits; }
    constexpr Integer128& operator<<=(int bits) { return *this = *this << bits; }

private:
    struct Quotient;

    constexpr Integer128(Word high, Word low) : low_(low), high_(high) {}

    constexpr Word fill() const { return is_signed && high_ >> 63 ? ~Word{0} : Word{0}; }
    constexpr Word shifted_high(int bits) const {  // by 0 to 63
        return bits == 0 ? high_ : high_ >> bits | fill() << (64 - bits);
    }

    // The whole product of two words, from four products of their halves.
    static constexpr Integer128 multiply(Word a, Word b) {
        constexpr Word half = 0xffffffff;
        const Word a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
        const Word low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (cross & half);
        return {a1 * b1 + (cross >> 32) + (other >> 32), other << 32 | (low & half)};
    }

    // Long division in base 2. Only unsigned numbers are divided.
    static constexpr Quotient divide(Integer128 a, Integer128 b)
        requires(!is_signed)
    {
        Quotient result{0, 0};
        for (int bit = 127; bit >= 0; --bit) {
            const bool over = result.rest.high_ >> 63;
            result.rest = result.rest << 1 | ((a >> bit) & 1);
            result.first <<= 1;
            if (over || result.rest >= b) {
                result.rest -= b;
                result.first += 1;
            }
        }
        return result;
    }

    Word low_, high_;
};

template <bool is_signed>
struct Integer128<is_signed>::Quotient {
    Integer128 first, rest;
};

}  // namespace assay
