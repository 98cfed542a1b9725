#include "kernel/random.hpp"

#include <cstddef>
#include <stdexcept>

#include "kernel/parallel.hpp"

namespace assay {
namespace {

constexpr std::size_t grain = 1 << 16;

// Gives every row of [begin, end) and its word to use(row, word), block by block: blocks do not
// depend on each other, so the processor overlaps the multiplications of several.
template <class Use>
void each_word(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin, std::uint64_t end,
               Use&& use) {
    std::uint64_t row = begin;
    for (; row < end && row % 4 != 0; ++row) use(row, random_word(seed, replicate, row));
    for (; end - row >= 4; row += 4) {
        const RandomBlock block = random_block(seed, replicate, random_block_of(row));
        for (std::uint64_t lane = 0; lane < 4; ++lane) use(row + lane, block[lane]);
    }
    for (; row < end; ++row) use(row, random_word(seed, replicate, row));
}

template <class Use>
void each_word_parallel(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                        std::uint64_t end, Use&& use) {
    if (begin > end) throw std::invalid_argument("the range of rows ends before it begins");
    parallel_rows(end - begin, grain, [&](std::size_t from, std::size_t to, int) {
        each_word(seed, replicate, begin + from, begin + to, use);
    });
}

}  // namespace

void random_words(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                  std::uint64_t end, std::uint64_t* out) {
    each_word_parallel(seed, replicate, begin, end,
                       [=](std::uint64_t row, std::uint64_t word) { out[row - begin] = word; });
}

void random_poisson(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                    std::uint64_t end, std::uint8_t* out) {
    each_word_parallel(seed, replicate, begin, end, [=](std::uint64_t row, std::uint64_t word) {
        out[row - begin] = static_cast<std::uint8_t>(random_poisson(word));
    });
}

void random_below(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                  std::uint64_t end, std::uint64_t bound, std::int64_t* out) {
    if (bound == 0 || bound > std::uint64_t{1} << 63)
        throw std::invalid_argument("a random integer needs a bound from 1 to 2**63");
    each_word_parallel(seed, replicate, begin, end, [=](std::uint64_t row, std::uint64_t word) {
        out[row - begin] =
            static_cast<std::int64_t>(random_below(word, bound, seed, replicate, row));
    });
}

}  // namespace assay
