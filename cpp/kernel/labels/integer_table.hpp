// A hash table from 64-bit words to codes in order of first sight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/hash_salt.hpp"
#include "kernel/interruptible_work.hpp"

namespace assay {

// Open addressing, grows by doubling. At most a quarter full while small: a probe of unforeseen
// length costs more than the cache; at most half full when large. Not for use by two threads at
// once.
class IntegerTable {
public:
    IntegerTable() { clear(first_size); }

    // The code of a word; one not seen before gets the next code.
    std::uint32_t code_of(std::uint64_t word) {
        const std::size_t i = find(word);
        return entries_[i].code == unknown ? insert(word, i)
                                           : static_cast<std::uint32_t>(entries_[i].code);
    }

    // The same for many.
    void codes_of(const std::uint64_t* words, std::size_t count, std::uint32_t* codes) {
        // Above the second cache a lookup waits for memory: ask for a few ahead.
        if (entries_.size() * sizeof(Entry) <= std::size_t{1} << 19) {
            for (std::size_t i = 0; i < count; ++i) codes[i] = code_of(words[i]);
            return;
        }
        constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) __builtin_prefetch(&entries_[place(words[i + ahead])]);
            codes[i] = code_of(words[i]);
        }
    }

    // The code of a word, or `unknown`, which is all ones.
    std::uint64_t known(std::uint64_t word) const { return entries_[find(word)].code; }
    static constexpr std::uint64_t unknown = ~std::uint64_t{0};

    // The words in order of their codes.
    const std::vector<std::uint64_t>& words() const { return words_; }

private:
    struct Entry {
        std::uint64_t word, code;
    };
    static constexpr std::size_t first_size = 256, small_size = 1 << 14;

    std::size_t place(std::uint64_t word) const { return hash_word(word) & (entries_.size() - 1); }

    // Where the word is, or the empty place where it belongs.
    std::size_t find(std::uint64_t word) const {
        std::size_t i = place(word);
        while (entries_[i].word != word && entries_[i].code != unknown)
            i = (i + 1) & (entries_.size() - 1);
        return i;
    }

    [[gnu::noinline]] std::uint32_t insert(std::uint64_t word, std::size_t i) {
        const std::uint64_t code = words_.size();
        if (code >= std::uint64_t{1} << 32) throw std::range_error("more than 2^32 labels");
        words_.push_back(word);
        entries_[i] = {word, code};
        const std::size_t fill = entries_.size() <= small_size ? 4 : 2;
        if (fill * words_.size() > entries_.size()) grow();
        return static_cast<std::uint32_t>(code);
    }

    void clear(std::size_t size) {
        entries_ = Buffer<Entry>(size);
        in_pieces(size, [&](std::size_t begin, std::size_t end) {
            std::fill(entries_.data() + begin, entries_.data() + end, Entry{0, unknown});
        });
    }

    void grow() {
        clear(entries_.size() * 2);
        in_pieces(words_.size(), [&](std::size_t begin, std::size_t end) {
            for (std::uint64_t code = begin; code < end; ++code)
                entries_[find(words_[code])] = {words_[code], code};
        });
    }

    Buffer<Entry> entries_;
    std::vector<std::uint64_t> words_;
};

}  // namespace assay
