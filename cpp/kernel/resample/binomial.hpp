// Binomial counts by position: what multinomial counts are split into.
#pragma once

#include <cstdint>

#include "kernel/random.hpp"

namespace assay::resample {

// One of the independent sequences of words of a replicate: no two tags share a word, nor do they
// share one with the rows' own words in random.hpp.
class Stream {
public:
    Stream(std::uint64_t seed, std::uint64_t replicate, std::uint64_t tag)
        : seed_(seed), replicate_(replicate), tag_(tag | std::uint64_t{1} << 63) {}

    std::uint64_t word() {
        if (next_ == 4) {
            block_ = random_block(seed_, replicate_, ++number_, tag_);
            next_ = 0;
        }
        return block_[next_++];
    }
    // An odd multiple of 2^-54: never 0, never 1, and as likely as its mirror image.
    double uniform() { return (static_cast<double>(word() >> 11) + 0.5) * 0x1p-53; }

private:
    std::uint64_t seed_, replicate_, tag_, number_ = 0;
    RandomBlock block_{};
    unsigned next_ = 4;
};

// exp(-x) for 0 <= x <= 700 by additions and multiplications, so the same on every CPU; off by some
// 2 in the last place.
double exp_minus(double x);

// How many of n rows fall into a part that holds `part` of `whole` equal shares: binomial with that
// probability to the rounding of doubles. `part <= whole`, `whole > 0`, all below 2^53. Takes 20 to
// 200 ns whatever n is: inversion for means below 10, else Hörmann's (1993) transformed rejection,
// with the probabilities by Loader's (2000) deviances, which do not cancel however large n is.
std::uint64_t binomial(std::uint64_t n, std::uint64_t part, std::uint64_t whole, Stream& stream);

}  // namespace assay::resample
