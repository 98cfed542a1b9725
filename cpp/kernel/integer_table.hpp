// A hash table from 64-bit words to codes in order of first sight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace assay {

// Open addressing, at most half full, grows by doubling. Not for use by two threads at once.
class IntegerTable {
public:
    // codes[i] = code of words[i]; words not seen before get the next codes.
    void encode(const std::uint64_t* words, std::size_t count, std::uint32_t* codes) {
        if (entries_.empty()) entries_.resize(first_size);
        // Above the second cache a lookup waits for memory: ask for a few ahead.
        if (entries_.size() * sizeof(Entry) <= std::size_t{1} << 19) {
            for (std::size_t i = 0; i < count; ++i) codes[i] = find(words[i]);
            return;
        }
        constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) __builtin_prefetch(&entries_[place(words[i + ahead])]);
            codes[i] = find(words[i]);
        }
    }

    // The words in order of their codes.
    const std::vector<std::uint64_t>& words() const { return words_; }

private:
    struct Entry {
        std::uint64_t word = 0, code = empty;
    };
    static constexpr std::uint64_t empty = ~std::uint64_t{0};
    static constexpr std::size_t first_size = 1024;

    // Both halves of a full product: a plain multiplication would leave the low bits of words that
    // differ only in high bits alike.
    std::size_t place(std::uint64_t word) const {
        const auto product = static_cast<unsigned __int128>(word ^ 0x2545f4914f6cdd1d) *
                             static_cast<unsigned __int128>(0x9e3779b97f4a7c15);
        const auto hash =
            static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
        return (hash ^ hash >> 29) & (entries_.size() - 1);
    }

    std::uint32_t find(std::uint64_t word) {
        std::size_t i = place(word);
        for (; entries_[i].code != empty; i = (i + 1) & (entries_.size() - 1))
            if (entries_[i].word == word) return static_cast<std::uint32_t>(entries_[i].code);
        return insert(word, i);
    }

    [[gnu::noinline]] std::uint32_t insert(std::uint64_t word, std::size_t i) {
        const std::uint64_t code = words_.size();
        if (code >= std::uint64_t{1} << 32) throw std::range_error("more than 2^32 labels");
        words_.push_back(word);
        entries_[i] = {word, code};
        if (2 * words_.size() > entries_.size()) grow();
        return static_cast<std::uint32_t>(code);
    }

    void grow() {
        entries_.assign(entries_.size() * 2, Entry{});
        for (std::uint64_t code = 0; code < words_.size(); ++code) {
            std::size_t i = place(words_[code]);
            while (entries_[i].code != empty) i = (i + 1) & (entries_.size() - 1);
            entries_[i] = {words_[code], code};
        }
    }

    std::vector<Entry> entries_;
    std::vector<std::uint64_t> words_;
};

}  // namespace assay
