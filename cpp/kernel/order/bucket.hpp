// From the packed rows of one bucket to its distinct scores with their counts, in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernel/order/bucket_sort.hpp"
#include "kernel/order/class_counts.hpp"
#include "kernel/order/score_key.hpp"
#include "kernel/order/score_loops.hpp"

namespace assay::order {

// A bucket above this is asked for scores that fill it before it is sorted.
inline constexpr std::size_t large_bucket = 65536;

template <class Word>
struct HeavyScore {
    Word packed;  // without label
    std::uint64_t positives, negatives;
};

// Takes one score that holds a sixteenth of the rows or more out of the bucket, if a look at 256
// rows finds one; each round looks at others. Returns the rows left, which are moved to the front.
// Without this, half zeros cost four times as much as none.
template <class Word>
inline std::size_t take_heavy(Word* words, std::size_t rows, std::uint64_t round,
                              std::vector<HeavyScore<Word>>& heavy) {
    constexpr std::size_t looks = 256;
    Word sample[looks], scratch[looks];
    for (std::size_t i = 0; i < looks; ++i) {
        // Spread by an irrational step, so that no period in the rows is met.
        const std::uint64_t spread = (round * looks + i) * 0x9e3779b97f4a7c15u;
        sample[i] = words[static_cast<std::size_t>(uint128{spread} * rows >> 64)] >> 1 << 1;
    }
    sort_words(sample, scratch, looks);
    std::size_t best = 0, run = 0, at = 0;
    for (std::size_t i = 0; i < looks; ++i) {
        run = i > 0 && sample[i] == sample[i - 1] ? run + 1 : 1;
        if (run > best) best = run, at = i;
    }
    if (best < looks / 16) return rows;
    const Word packed = sample[at];
    std::size_t left = 0;
    std::uint64_t positives = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const Word word = words[i];
        const bool same = (word ^ packed) < 2;
        positives += same & word & 1;
        words[left] = word;
        left += !same;
    }
    heavy.push_back({packed, positives, rows - left - positives});
    return left;
}

// Sorted packed words become the bits of their distinct scores, at the front. Returns how many.
template <class Word>
inline std::size_t emit_runs(Word* words, std::size_t rows, bool nonnegative, std::size_t begin,
                             CountSink& sink) {
    const Word flip = nonnegative ? Word{0} : static_cast<Word>(~Word{0});
    std::size_t entry = 0;
    std::uint64_t positives = 0, negatives = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        // Each row overwrites its entry; the cursor moves only when the next score differs.
        const Word word = words[i];
        positives += word & 1;
        negatives += ~word & 1;
        const bool last = i + 1 == rows || (words[i + 1] ^ word) > 1;
        words[entry] = (word >> 1) ^ flip;
        sink.put(begin + entry, positives, negatives, last);
        const std::uint64_t keep = std::uint64_t{last} - 1;
        positives &= keep;
        negatives &= keep;
        entry += last;
    }
    return entry;
}

// Puts a score that was taken out before sorting back between the others.
template <class Word>
inline void put_back(const HeavyScore<Word>& heavy, Word* scores, std::size_t entries,
                     bool nonnegative, std::size_t begin, std::size_t notes, CountSink& sink) {
    const Word bits = nonnegative ? heavy.packed >> 1 : static_cast<Word>(~(heavy.packed >> 1));
    // Of two negative scores the one with the greater bits is less.
    const Word* found = nonnegative
                            ? std::lower_bound(scores, scores + entries, bits)
                            : std::lower_bound(scores, scores + entries, bits, std::greater<>());
    const auto at = static_cast<std::size_t>(found - scores);
    const std::size_t after = entries - at, index = begin + at;
    std::memmove(scores + at + 1, scores + at, after * sizeof(Word));
    std::memmove(sink.positives + index + 1, sink.positives + index, after);
    std::memmove(sink.negatives + index + 1, sink.negatives + index, after);
    for (std::size_t i = notes; i < sink.large.size(); ++i)
        sink.large[i].index += sink.large[i].index >= index;
    scores[at] = bits;
    sink.put(index, heavy.positives, heavy.negatives);
}

// Packed words of one sign become the bits of their distinct scores, ascending, at the front, and
// their counts are put from index `begin` on. Returns how many. `scratch` grows to the rows that
// must be sorted.
template <class Word>
inline std::size_t finish_bucket(Word* words, std::size_t rows, bool nonnegative,
                                 Buffer<Word>& scratch, std::size_t begin, CountSink sink) {
    std::vector<HeavyScore<Word>> heavy;
    // Rows that lie where the looks fall may pass for a heavy score: a pass that took few out is
    // the last one.
    for (std::uint64_t round = 0; rows > large_bucket && round < 16; ++round) {
        const std::size_t before = rows;
        rows = take_heavy(words, rows, round, heavy);
        if (before - rows < before / 64) break;
    }
    if (scratch.size() < rows) scratch = Buffer<Word>(rows + rows / 4);
    const std::size_t notes = sink.large.size();
    sort_words(words, scratch.data(), rows);
    std::size_t entries = rows;
    if (has_ties(words, rows)) {
        entries = emit_runs(words, rows, nonnegative, begin, sink);
    } else {
        emit_distinct(words, rows, nonnegative, sink.positives + begin, sink.negatives + begin);
    }
    for (const HeavyScore<Word>& score : heavy)
        put_back(score, words, entries++, nonnegative, begin, notes, sink);
    return entries;
}

}  // namespace assay::order
