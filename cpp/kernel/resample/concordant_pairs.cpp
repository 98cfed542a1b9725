#include "kernel/resample/concordant_pairs.hpp"

#include <cstring>

#include "kernel/platform.hpp"

namespace assay::resample {
namespace {

using Half = std::uint16_t __attribute__((vector_size(64)));
using HalfBytes = std::uint8_t __attribute__((vector_size(32)));

struct LaneSums {
    alignas(64) std::uint16_t positives[lanes], negatives[lanes], won[lanes];
};

// Every lane goes through its own rows in order. No sum runs over where a lane holds 511 draws at
// most: then it has 255 * 256 pairs.
ASSAY_CLONES void sum_lanes(const std::uint8_t* counts, const std::uint8_t* positive,
                            std::size_t steps, LaneSums* sums) {
    for (std::size_t side = 0; side < 2; ++side) {
        Half positives{}, negatives{}, won{};
        for (std::size_t i = 0; i < steps; ++i) {
            HalfBytes count, mask;
            std::memcpy(&count, counts + lanes * i + 32 * side, sizeof count);
            std::memcpy(&mask, positive + lanes * i + 32 * side, sizeof mask);
            const Half p = __builtin_convertvector(count & mask, Half);
            const Half q = __builtin_convertvector(count & ~mask, Half);
            won += p * negatives;
            positives += p;
            negatives += q;
        }
        std::memcpy(sums->positives + 32 * side, &positives, sizeof positives);
        std::memcpy(sums->negatives + 32 * side, &negatives, sizeof negatives);
        std::memcpy(sums->won + 32 * side, &won, sizeof won);
    }
}

}  // namespace

Pairs block_pairs(const std::uint8_t* counts, const std::uint8_t* positive, std::size_t steps) {
    LaneSums sums;
    sum_lanes(counts, positive, steps, &sums);
    Pairs pairs;
    std::uint64_t won = 0;
    bool fits = true;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        fits &= sums.positives[lane] + sums.negatives[lane] <= 511;
        won += sums.won[lane] + pairs.negatives * sums.positives[lane];
        pairs.positives += sums.positives[lane];
        pairs.negatives += sums.negatives[lane];
    }
    pairs.won = won;
    if (fits) [[likely]]
        return pairs;
    pairs = {};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        for (std::size_t step = 0; step < steps; ++step) {
            const std::size_t place = step * lanes + lane;
            const std::uint64_t p = counts[place] & positive[place];
            pairs.won += p * pairs.negatives;
            pairs.positives += p;
            pairs.negatives += counts[place] - p;
        }
    }
    return pairs;
}

}  // namespace assay::resample
