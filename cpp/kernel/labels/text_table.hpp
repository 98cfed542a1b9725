// Hash tables from text to codes in order of first sight, with the keys held inside the table.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/hash_salt.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/labels/text_store.hpp"

namespace assay {

static_assert(std::endian::native == std::endian::little, "keys are read as little-endian words");

inline std::uint64_t load_word(const void* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

std::uint64_t hash_bytes(const char* text, std::size_t length);

// Text of fixed width, padded with zeros: its words are the key.
template <std::size_t words>
struct WordKey {
    using View = std::u32string_view;
    std::array<std::uint64_t, words> word;

    std::uint64_t hash() const {
        std::uint64_t result = 0;
        for (std::size_t i = 0; i < words; i += 2) {
            const std::uint64_t second = i + 1 < words ? word[i + 1] : 0;
            result ^= fold_product(word[i] ^ hash_salts[i % 8], second ^ hash_salts[(i + 1) % 8]);
        }
        return result;
    }
    bool operator==(const WordKey& other) const {
        std::uint64_t difference = 0;
        for (std::size_t i = 0; i < words; ++i) difference |= word[i] ^ other.word[i];
        return difference == 0;
    }
    void move_to(View) {}
};

// Text of any length: up to 16 bytes in place, padded with zeros; longer text by its hash (first)
// and its address (second).
struct ByteKey {
    using View = std::string_view;
    static constexpr std::size_t in_place = 16;
    std::uint64_t first, second, length;

    // By length, the bits of each word that belong to the text.
    static constexpr auto first_masks = [] {
        std::array<std::uint64_t, in_place + 1> masks{};
        for (std::size_t n = 1; n <= in_place; ++n)
            masks[n] = ~std::uint64_t{0} >> (n < 8 ? 64 - 8 * n : 0);
        return masks;
    }();
    static constexpr auto second_masks = [] {
        std::array<std::uint64_t, in_place + 1> masks{};
        for (std::size_t n = 9; n <= in_place; ++n) masks[n] = ~std::uint64_t{0} >> (128 - 8 * n);
        return masks;
    }();

    // Reads `length` bytes and not one more.
    static ByteKey of(const char* text, std::size_t length) {
        if (length > in_place) {
            return {hash_bytes(text, length), reinterpret_cast<std::uintptr_t>(text), length};
        }
        if (length > 8) {  // the last word overlaps the first
            const std::uint64_t last = load_word(text + length - 8);
            return {load_word(text), last >> (8 * (in_place - length)), length};
        }
        if (length == 8) return {load_word(text), 0, length};
        if (length >= 4) {
            std::uint32_t head, tail;
            std::memcpy(&head, text, 4);
            std::memcpy(&tail, text + length - 4, 4);
            return {head | std::uint64_t{tail} << (8 * (length - 4)), 0, length};
        }
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < length; ++i) {
            word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
        }
        return {word, 0, length};
    }

    // The same without branches on the length; needs length <= 16 and 16 readable bytes.
    static ByteKey of_readable(const char* text, std::size_t length) {
        return {load_word(text) & first_masks[length], load_word(text + 8) & second_masks[length],
                length};
    }

    std::uint64_t hash() const {
        return length > in_place ? first
                                 : fold_product(first ^ hash_salts[0], second ^ hash_salts[1]);
    }
    bool operator==(const ByteKey& other) const {
        if (first != other.first || length != other.length) return false;
        return second == other.second ||
               (length > in_place &&
                std::memcmp(reinterpret_cast<const char*>(second),
                            reinterpret_cast<const char*>(other.second), length) == 0);
    }
    // The same key for a copy of its text.
    template <class Char>
    void move_to(std::basic_string_view<Char> text) {
        if (length > in_place) second = reinterpret_cast<std::uintptr_t>(text.data());
    }
};

// Codes 0, 1, 2... in order of first sight. Linear probing, at most half full. Not thread-safe.
// Labels are copied: a caller's text may change while it is encoded, and sorting texts that change
// would go astray.
template <class Key>
class TextTable {
public:
    using View = typename Key::View;

    TextTable() { reset(64); }
    TextTable(const TextTable& other) : labels_(other.labels_), texts_(other.texts_) {
        reset(other.mask_ + 1);
        std::memcpy(static_cast<void*>(entries_.data()), other.entries_.data(),
                    entries_.size() * sizeof(Entry));
    }
    TextTable& operator=(const TextTable&) = delete;

    // The key's code; a new key gets the next one, and a copy of view() is its label.
    template <class MakeView>
    std::uint32_t find_or_add(const Key& key, MakeView&& view) {
        for (std::size_t at = key.hash() >> shift_;; at = (at + 1) & mask_) {
            const Entry& entry = entries_[at];
            if (entry.code != vacant && entry.key == key) [[likely]]
                return entry.code;
            if (entry.code == vacant) return add(key, at, view());
        }
    }

    // Asks for the memory where the key would be.
    void prefetch(const Key& key) const {
        __builtin_prefetch(entries_.data() + (key.hash() >> shift_));
    }

    // Whether lookups leave the second-level cache often enough to be worth a prefetch.
    bool large() const { return entries_.size() * sizeof(Entry) > (std::size_t{1} << 19); }

    // Gives every label the code rank[code]; `labels` are the same labels in the new order.
    void renumber(const std::vector<std::uint32_t>& rank, std::vector<View> labels) {
        for (Entry& entry : entries_) {
            if (entry.code != vacant) entry.code = rank[entry.code];
        }
        labels_ = std::move(labels);
    }

    const std::vector<View>& labels() const { return labels_; }
    // Holds the labels' memory.
    const TextStore& texts() const { return texts_; }

private:
    struct Entry {
        Key key;
        std::uint32_t code;
    };
    static constexpr std::uint32_t vacant = std::numeric_limits<std::uint32_t>::max();

    void reset(std::size_t size) {
        entries_ = Buffer<Entry>(size);
        in_pieces(size, [&](std::size_t begin, std::size_t end) {
            std::fill(entries_.data() + begin, entries_.data() + end, Entry{Key{}, vacant});
        });
        mask_ = size - 1;
        shift_ = 64 - std::countr_zero(size);
    }

    [[gnu::noinline]] std::uint32_t add(Key key, std::size_t at, View view) {
        const std::size_t code = labels_.size();
        if (code == vacant) throw std::range_error("more than 4294967295 distinct labels");
        labels_.push_back(texts_.keep(view));
        key.move_to(labels_.back());
        entries_[at] = {key, static_cast<std::uint32_t>(code)};
        if (2 * labels_.size() > entries_.size()) grow();
        return static_cast<std::uint32_t>(code);
    }

    void grow() {
        const Buffer<Entry> old = std::exchange(entries_, {});
        reset(old.size() * 4);
        in_pieces(old.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if (old[i].code == vacant) continue;
                std::size_t at = old[i].key.hash() >> shift_;
                while (entries_[at].code != vacant) at = (at + 1) & mask_;
                entries_[at] = old[i];
            }
        });
    }

    Buffer<Entry> entries_;
    std::size_t mask_ = 0;
    int shift_ = 0;
    std::vector<View> labels_;
    TextStore texts_;
};

using ByteTable = TextTable<ByteKey>;

}  // namespace assay
