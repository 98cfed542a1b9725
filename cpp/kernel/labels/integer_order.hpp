// Integers of either sign as unsigned words in the same order, so that one loop serves both.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace assay {

// Added to the bits of a T, modulo its width, this gives a word whose unsigned order is the order
// of the integers; subtracted, it gives the bits back.
template <class T>
constexpr std::make_unsigned_t<T> order_bias() {
    using U = std::make_unsigned_t<T>;
    if constexpr (std::is_signed_v<T>) return static_cast<U>(U{1} << (sizeof(T) * CHAR_BIT - 1));
    return 0;
}

// The least and the greatest ordered word of a column; low > high when there was none.
template <class U>
struct WordRange {
    U low = static_cast<U>(~U{0}), high = 0;

    void include(U word) {
        low = std::min(low, word);
        high = std::max(high, word);
    }
    void include(const WordRange& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
    std::uint64_t span() const { return static_cast<U>(high - low); }
};

// The range of values[0...count) once `bias` is added. U: std::uint8_t to std::uint64_t.
template <class U>
WordRange<U> range_of(const U* values, std::size_t count, U bias);

// The 2^shift words from `base` on: value - (base - bias) is below 2^shift for exactly the values
// in the frame, so bits above `mask` mark a miss and `mask` keeps a table's index inside it.
template <class U>
struct Frame {
    U base = 0;
    int shift = 1;

    U mask() const { return static_cast<U>((std::uint64_t{1} << shift) - 1); }
    std::size_t labels() const { return std::size_t{1} << shift; }
};

// A frame round a range of at most 2^32 words. It need not begin at the least one. Zero is the best
// start, because 0/1 columns then need no table; otherwise the spare words go to both sides, where
// a sample may have missed some. It never wraps round the ends of the type: the words would be out
// of order.
template <class U>
Frame<U> frame_of(const WordRange<U>& range, U bias) {
    Frame<U> frame{0, std::max(1, static_cast<int>(std::bit_width(range.span())))};
    const U mask = frame.mask();
    if (bias <= range.low && static_cast<U>(range.high - bias) <= mask) {
        frame.base = bias;
    } else {
        const U spare = static_cast<U>(mask - range.span());
        frame.base = static_cast<U>(range.low - std::min<U>(spare / 2, range.low));
    }
    frame.base = std::min<U>(frame.base, static_cast<U>(static_cast<U>(~U{0}) - mask));
    return frame;
}

// Visits `samples` rows spread over all of them, with a jitter so that a period in the data does
// not hide labels; the same rows each time, so that two runs do the same work. rows >= samples.
template <class Visit>
void sample_rows(std::size_t rows, std::size_t samples, Visit&& visit) {
    std::uint64_t state = 0x9e3779b97f4a7c15;
    const std::size_t stride = rows / samples;
    for (std::size_t sample = 0; sample < samples; ++sample) {
        state = state * 6364136223846793005 + 1442695040888963407;
        visit(sample * stride + (state >> 33) % stride);
    }
}

}  // namespace assay
