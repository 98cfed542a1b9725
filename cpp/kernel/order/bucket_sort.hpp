// Sorting one bucket that fits the cache: two counting passes on the leading bits, then repair.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "kernel/order/score_loops.hpp"

namespace assay::order {

inline constexpr int digit_bits = 11;

// Stable counting sort of `rows` records from `from` to `to` by digit(record) < 2^bits, whose
// histogram is in `counts`.
template <class Record, class Digit>
inline void scatter(const Record* from, Record* to, std::size_t rows, std::uint32_t* counts,
                    int bits, Digit digit) {
    std::uint32_t start = 0;
    for (std::size_t value = 0; value < std::size_t{1} << bits; ++value) {
        const std::uint32_t size = counts[value];
        counts[value] = start;
        start += size;
    }
    for (std::size_t i = 0; i < rows; ++i) to[counts[digit(from[i])]++] = from[i];
}

// Sorts by the leading bits of key(record), enough of them that few records of an even spread
// share them. Returns how many trailing bits of key(record) - low were left out. `low` and `high`
// bound the keys; `scratch` holds `rows` records. Throws std::range_error from 2^32 rows on.
template <class Record, class Word, class Key>
inline int sort_leading(Record* records, Record* scratch, std::size_t rows, Word low, Word high,
                        Key key) {
    if (rows >> 32) throw std::range_error("2^32 scores or more are too close to be told apart");
    const int width = static_cast<int>(std::bit_width(Word(high - low)));
    const int used = std::min({width, 2 * digit_bits, static_cast<int>(std::bit_width(rows)) + 6});
    const int shift = width - used, low_bits = used / 2, high_bits = used - low_bits;
    const Word low_mask = static_cast<Word>((Word{1} << low_bits) - 1);
    const auto low_digit = [=](const Record& r) {
        return static_cast<std::size_t>(Word(key(r) - low) >> shift & low_mask);
    };
    const auto high_digit = [=](const Record& r) {
        return static_cast<std::size_t>(Word(key(r) - low) >> shift >> low_bits);
    };
    std::uint32_t low_counts[1 << digit_bits], high_counts[1 << digit_bits];
    std::memset(low_counts, 0, sizeof(std::uint32_t) << low_bits);
    std::memset(high_counts, 0, sizeof(std::uint32_t) << high_bits);
    for (std::size_t i = 0; i < rows; ++i) {
        ++low_counts[low_digit(records[i])];
        ++high_counts[high_digit(records[i])];
    }
    scatter(records, scratch, rows, low_counts, low_bits, low_digit);
    scatter(scratch, records, rows, high_counts, high_bits, high_digit);
    return shift;
}

// Insertion sort that gives up when records are too far out of order; what it leaves behind is a
// permutation of what came in.
template <class Record, class Less>
inline bool repair(Record* records, std::size_t rows, std::size_t moves_allowed, Less less) {
    std::size_t moves = 0;
    for (std::size_t i = 1; i < rows; ++i) {
        if (!less(records[i], records[i - 1])) continue;
        const Record record = records[i];
        std::size_t hole = i;
        do {
            records[hole] = records[hole - 1];
            --hole;
        } while (hole > 0 && less(record, records[hole - 1]));
        records[hole] = record;
        moves += i - hole;
        if (moves > moves_allowed) return false;
    }
    return true;
}

// Calls sort(group, size) for each group of neighbours that share key(record) >> shift.
template <class Record, class Key, class Sort>
inline void sort_groups(Record* records, std::size_t rows, int shift, Key key, Sort sort) {
    for (std::size_t begin = 0; begin < rows;) {
        const auto digits = key(records[begin]) >> shift;
        std::size_t end = begin + 1;
        while (end < rows && key(records[end]) >> shift == digits) ++end;
        if (end - begin > 1) sort(records + begin, end - begin);
        begin = end;
    }
}

// Sorts packed words by all but their label bit. In cache about 4 ns a row where they spread
// evenly; where they crowd, each crowd is sorted again by its own leading bits. A level takes 11
// bits or more, so the depth is below 7. Serial.
template <class Word>
inline void sort_words(Word* words, Word* scratch, std::size_t rows) {
    // Without the label: a bucket of one tied score would otherwise make the repair quadratic.
    const auto less = [](Word a, Word b) { return (a >> 1) < (b >> 1); };
    if (rows <= 24) {
        repair(words, rows, rows * rows, less);
        return;
    }
    const auto [low, high] = bounds_of(words, rows);
    if (low >> 1 == high >> 1) return;
    const Word base = low & ~Word{1};
    const int left_out =
        sort_leading(words, scratch, rows, base, high, [](Word word) { return word; });
    if (left_out <= 1 || repair(words, rows, rows / 2, less)) return;
    // A repair that gives up has moved nothing across the groups' edges.
    sort_groups(
        words, rows, left_out, [base](Word word) -> Word { return word - base; },
        [scratch](Word* group, std::size_t size) { sort_words(group, scratch, size); });
}

}  // namespace assay::order
