// A fingerprint of rows: sums of their hashes, and a sketch for the overlap with other rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/buffer.hpp"

namespace assay {

// 128 bits, the low word first.
using Hash128 = std::array<std::uint64_t, 2>;

struct RowFingerprint {
    Hash128 rows{};                // the sum modulo 2^128 of the hashes of the identifying words
    Hash128 predictions{};         // the same of all words
    Buffer<std::uint64_t> hashes;  // the lowest different hashes of identifying words, ascending
    Buffer<std::uint64_t> counts;  // in how many rows each occurs
};

// A column of what a row is made of: words, or numbers, whose words are those of float64_word and
// int64_word.
struct WordColumn {
    enum class Kind { word, float64, int64 } kind;
    const void* values;
};

// The fingerprint of rows given as columns, the first `identifying` of which say which row it is;
// `lowest` is the largest number of hashes in the sketch. The result depends on the multiset of
// rows alone: not on their order, the threads or the CPU. Parallel; a few nanoseconds a row.
RowFingerprint fingerprint_rows(const std::vector<WordColumn>& columns, std::size_t rows,
                                std::size_t identifying, std::size_t lowest);

}  // namespace assay
