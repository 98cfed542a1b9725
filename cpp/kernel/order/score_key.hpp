// Scores as unsigned integers in the same order, and a score with its label in one word.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace assay::order {

template <class Score>
using WordOf = std::conditional_t<sizeof(Score) == 4, std::uint32_t, std::uint64_t>;

template <class Word>
inline constexpr Word top_bit = Word{1} << (8 * sizeof(Word) - 1);

// Unsigned order of keys is score order; -0.0 and 0.0 share one. Masks, not branches: signs of
// logits are coin tosses.
template <class Score>
inline WordOf<Score> key_of(Score score) {
    using Word = WordOf<Score>;
    const Word bits = std::bit_cast<Word>(score + Score{0});
    const Word negative = Word{0} - (bits >> (8 * sizeof(Word) - 1));
    return bits ^ (negative | top_bit<Word>);
}

template <class Word>
inline auto score_of(Word key) {
    using Score = std::conditional_t<sizeof(Word) == 4, float, double>;
    const Word negative = (key >> (8 * sizeof(Word) - 1)) - Word{1};
    return std::bit_cast<Score>(static_cast<Word>(key ^ (negative | top_bit<Word>)));
}

// No bucket holds both signs, so the key's top bit is known from the bucket and its place is free
// for the label: a row needs no more room than its score, infinities included.
template <class Word>
inline Word pack(Word key, Word label) {
    return static_cast<Word>(key << 1) | label;
}
template <class Word>
inline Word unpack(Word packed, bool nonnegative) {
    return (packed >> 1) | (nonnegative ? top_bit<Word> : Word{0});
}

}  // namespace assay::order
