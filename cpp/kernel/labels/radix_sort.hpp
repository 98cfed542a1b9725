// A stable sort by unsigned keys, linear in the number of items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace assay {

// Sorts items[0...size) by the lowest `bits` bits of key(item), one pass per 11 bits; a pass whose
// digit is the same in all items is skipped. `spare` grows to `size` items. One thread.
template <class Item, class Key>
void radix_sort(Item* items, std::size_t size, int bits, std::vector<Item>& spare, Key&& key) {
    constexpr int digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    if (size == 0) return;
    if (spare.size() < size) spare.resize(size);
    Item *from = items, *to = spare.data();
    for (int shift = 0; shift < bits; shift += digit_bits) {
        const auto digit = [&](const Item& item) { return (key(item) >> shift) & (digits - 1); };
        std::size_t begins[digits] = {};
        for (std::size_t i = 0; i < size; ++i) ++begins[digit(from[i])];
        if (begins[digit(from[0])] == size) continue;
        std::size_t next = 0;
        for (std::size_t& begin : begins) next += std::exchange(begin, next);
        for (std::size_t i = 0; i < size; ++i) to[begins[digit(from[i])]++] = from[i];
        std::swap(from, to);
    }
    if (from != items) std::copy(from, from + size, items);
}

}  // namespace assay
