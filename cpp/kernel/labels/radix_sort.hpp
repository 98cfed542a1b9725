// A stable sort by unsigned keys, linear in the number of items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernel/interruptible_work.hpp"

namespace assay {

// Sorts items[0...size) by the lowest `bits` bits of key(item), one pass per 11 bits; a pass whose
// digit is the same in all items is skipped. `spare` has room for `size` items. One thread.
template <class Item, class Key>
void radix_sort(Item* items, Item* spare, std::size_t size, int bits, Key&& key) {
    constexpr int digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    if (size == 0) return;
    Item *from = items, *to = spare;
    for (int shift = 0; shift < bits; shift += digit_bits) {
        const auto digit = [&](const Item& item) { return (key(item) >> shift) & (digits - 1); };
        std::size_t begins[digits] = {};
        in_pieces(size, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ++begins[digit(from[i])];
        });
        if (begins[digit(from[0])] == size) continue;
        std::size_t next = 0;
        for (std::size_t& begin : begins) next += std::exchange(begin, next);
        in_pieces(size, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) to[begins[digit(from[i])]++] = from[i];
        });
        std::swap(from, to);
    }
    if (from != items) std::copy(from, from + size, items);
}

}  // namespace assay
