// Random numbers by position: Philox4x64-10 (Salmon, Moraes, Dror & Shaw 2011). The word of a row
// is a function of (seed, replicate, row) alone, so no result depends on threads, splits or order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/platform.hpp"

namespace assay {

using RandomBlock = std::array<std::uint64_t, 4>;

// The block of four words with this number; key (seed, replicate), counter (number, attempt, 0, 0).
// Attempt 0 is the stream of words; further attempts give a row fresh words after a rejection.
inline RandomBlock random_block(std::uint64_t seed, std::uint64_t replicate, std::uint64_t number,
                                std::uint64_t attempt = 0) {
    RandomBlock x{number, attempt, 0, 0};
    for (int round = 0; round < 10; ++round) {
        const auto a = uint128{0xD2E7470EE14C6C93u} * x[0];
        const auto b = uint128{0xCA5A826395121157u} * x[2];
        x = {static_cast<std::uint64_t>(b >> 64) ^ x[1] ^ seed, static_cast<std::uint64_t>(b),
             static_cast<std::uint64_t>(a >> 64) ^ x[3] ^ replicate, static_cast<std::uint64_t>(a)};
        seed += 0x9E3779B97F4A7C15u;
        replicate += 0xBB67AE8584CAA73Bu;
    }
    return x;
}

// Four rows share a block. Numbers start at 1 because NumPy counts up before it draws: the words of
// rows 0, 1, ... are those of np.random.Philox(key=[seed, replicate]).random_raw().
inline std::uint64_t random_block_of(std::uint64_t row) {
    return row / 4 + 1;
}

// The 64 random bits of a row. One block per call: whole ranges are cheaper by random_words.
inline std::uint64_t random_word(std::uint64_t seed, std::uint64_t replicate, std::uint64_t row) {
    return random_block(seed, replicate, random_block_of(row))[row % 4];
}

// A multiple of 2^-53 in [0, 1), from the upper 53 bits.
inline double random_uniform(std::uint64_t word) {
    return static_cast<double>(word >> 11) * 0x1p-53;
}

// An integer below `bound` (at least 1), every value exactly equally likely: Lemire's multiply and
// shift (2019), where a rejected word is replaced by the same row's word of the next attempt.
// `word` must be random_word(seed, replicate, row).
inline std::uint64_t random_below(std::uint64_t word, std::uint64_t bound, std::uint64_t seed,
                                  std::uint64_t replicate, std::uint64_t row) {
    uint128 product = uint128{word} * bound;
    if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
        const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound
        for (std::uint64_t attempt = 1; static_cast<std::uint64_t>(product) < rejected; ++attempt) {
            word = random_block(seed, replicate, random_block_of(row), attempt)[row % 4];
            product = uint128{word} * bound;
        }
    }
    return static_cast<std::uint64_t>(product >> 64);
}

// 2^64 times the cumulative probabilities of Poisson(1) for 0 to 19, each rounded to the nearest
// integer. The cumulative probability of 20 rounds to 1, so no value above 20 is drawn.
inline constexpr std::array<std::uint64_t, 20> poisson_one_cumulative = {
    0x5e2d58d8b3bcdf1b, 0xbc5ab1b16779be35, 0xeb715e1dc1582dc3, 0xfb23979734a252f2,
    0xff1025f59174dc3e, 0xffd90f3ba4055e1a, 0xfffa8b71fc72c914, 0xffff540c0914b3ca,
    0xffffed1f4aa8f120, 0xfffffe216e641463, 0xffffffd4d85d3183, 0xfffffffc6da262b5,
    0xffffffffba12d179, 0xfffffffffb07c64d, 0xffffffffffab8ea5, 0xfffffffffffabe22,
    0xffffffffffffb11a, 0xfffffffffffffba1, 0xffffffffffffffc5, 0xfffffffffffffffd,
};

// Poisson with mean 1, by inversion: the number of cumulative probabilities at or below the word.
// Every probability is within 2^-64 of the true one (two roundings of 2^-65 at most).
inline unsigned random_poisson(std::uint64_t word) {
    unsigned value = 0;
    for (int i = 0; i < 6; ++i) value += word >= poisson_one_cumulative[i];
    if (value == 6) [[unlikely]] {  // 6 in 10,000 words
        while (value < 20 && word >= poisson_one_cumulative[value]) ++value;
    }
    return value;
}

// The words, Poisson(1) counts or integers below `bound` of the rows [begin, end), to out[0]
// onwards. `begin <= end` must hold, and for integers 1 <= bound <= 2^63. Parallel for large
// ranges.
void random_words(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                  std::uint64_t end, std::uint64_t* out);
void random_poisson(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                    std::uint64_t end, std::uint8_t* out);
void random_below(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                  std::uint64_t end, std::uint64_t bound, std::int64_t* out);

}  // namespace assay
