// Numbers that hash tables mix into their keys.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <random>

#include "kernel/platform.hpp"

namespace assay {

// Chosen at random once per process, so that no column can be made to meet in one place of a table.
// A hash decides where a key is looked for, never a result. Odd, as factors must be.
inline const std::array<std::uint64_t, 8> hash_salts = [] {
    std::array<std::uint64_t, 8> salts = {
        0x243f6a8885a308d3, 0x13198a2e03707345, 0xa4093822299f31d1, 0x082efa98ec4e6c89,
        0x452821e638d01377, 0xbe5466cf34e90c6d, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917};
    try {
        std::random_device device;
        for (std::uint64_t& salt : salts)
            salt ^= (std::uint64_t{device()} << 32 | device()) & ~std::uint64_t{1};
    } catch (const std::exception&) {
        // A system without random numbers: digits of pi spread all but hostile keys.
    }
    return salts;
}();

inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
    const auto product = uint128{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Both halves of a full product: a plain multiplication would leave the low bits of words that
// differ only in high bits alike.
inline std::uint64_t hash_word(std::uint64_t word) {
    return fold_product(word ^ hash_salts[0], hash_salts[1]);
}

}  // namespace assay
