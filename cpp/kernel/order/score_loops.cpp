#include "kernel/order/score_loops.hpp"

#include <algorithm>

#include "kernel/order/score_key.hpp"
#include "kernel/platform.hpp"

namespace assay::order {
namespace {

template <class Score, class Word>
ASSAY_INTO_CLONE bool keys_loop(const Score* __restrict scores, std::size_t rows,
                                Word* __restrict keys) {
    constexpr Word infinity = sizeof(Word) == 8 ? Word(0x7ff0000000000000u) : Word(0x7f800000u);
    Word largest = 0;  // of the magnitudes: only NaN lies above infinity
    for (std::size_t i = 0; i < rows; ++i) {
        largest = std::max(largest, Word(std::bit_cast<Word>(scores[i]) & ~top_bit<Word>));
        keys[i] = key_of(scores[i]);
    }
    return largest > infinity;
}

template <class Label>
ASSAY_INTO_CLONE bool labels_loop(const Label* __restrict labels, std::size_t rows,
                                  std::uint16_t* __restrict bucket) {
    Label any = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        any |= labels[i];
        bucket[i] =
            static_cast<std::uint16_t>(bucket[i] << 1 | static_cast<std::uint16_t>(labels[i] & 1));
    }
    return any != 0 && any != 1;
}

template <class Word>
ASSAY_INTO_CLONE Bounds<Word> bounds_loop(const Word* words, std::size_t rows) {
    Word low = words[0], high = words[0];
    for (std::size_t i = 1; i < rows; ++i) {
        low = std::min(low, words[i]);
        high = std::max(high, words[i]);
    }
    return {low, high};
}

template <class Word>
ASSAY_INTO_CLONE bool ties_loop(const Word* words, std::size_t rows) {
    Word ties = 0;
    for (std::size_t i = 1; i < rows; ++i) ties |= Word((words[i] ^ words[i - 1]) < 2);
    return ties != 0;
}

template <class Word>
ASSAY_INTO_CLONE void distinct_loop(Word* __restrict words, std::size_t rows, bool nonnegative,
                                    std::uint8_t* __restrict positives,
                                    std::uint8_t* __restrict negatives) {
    const Word flip = nonnegative ? Word{0} : static_cast<Word>(~Word{0});
    for (std::size_t i = 0; i < rows; ++i) {
        const auto label = static_cast<std::uint8_t>(words[i] & 1);
        positives[i] = label;
        negatives[i] = label ^ 1;
        words[i] = (words[i] >> 1) ^ flip;
    }
}

}  // namespace

ASSAY_CLONES bool make_keys(const double* scores, std::size_t rows, std::uint64_t* keys) {
    return keys_loop(scores, rows, keys);
}
ASSAY_CLONES bool make_keys(const float* scores, std::size_t rows, std::uint32_t* keys) {
    return keys_loop(scores, rows, keys);
}
ASSAY_CLONES bool add_labels(const std::uint8_t* labels, std::size_t rows, std::uint16_t* bucket) {
    return labels_loop(labels, rows, bucket);
}
ASSAY_CLONES bool add_labels(const std::int64_t* labels, std::size_t rows, std::uint16_t* bucket) {
    return labels_loop(labels, rows, bucket);
}
ASSAY_CLONES Bounds<std::uint64_t> bounds_of(const std::uint64_t* words, std::size_t rows) {
    return bounds_loop(words, rows);
}
ASSAY_CLONES Bounds<std::uint32_t> bounds_of(const std::uint32_t* words, std::size_t rows) {
    return bounds_loop(words, rows);
}
ASSAY_CLONES bool has_ties(const std::uint64_t* words, std::size_t rows) {
    return ties_loop(words, rows);
}
ASSAY_CLONES bool has_ties(const std::uint32_t* words, std::size_t rows) {
    return ties_loop(words, rows);
}
ASSAY_CLONES void emit_distinct(std::uint64_t* words, std::size_t rows, bool nonnegative,
                                std::uint8_t* positives, std::uint8_t* negatives) {
    distinct_loop(words, rows, nonnegative, positives, negatives);
}
ASSAY_CLONES void emit_distinct(std::uint32_t* words, std::size_t rows, bool nonnegative,
                                std::uint8_t* positives, std::uint8_t* negatives) {
    distinct_loop(words, rows, nonnegative, positives, negatives);
}

}  // namespace assay::order
