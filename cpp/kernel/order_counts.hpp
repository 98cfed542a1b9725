// Class counts kept in bytes while they are made, with the few that need more beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/order.hpp"

namespace assay::order {

// A count pair that does not fit a byte; the bytes hold anything there.
struct LargeCount {
    std::size_t index;
    std::uint64_t positives, negatives;
};

struct CountPair {
    Counts positives, negatives;
};

// The smallest dtype that holds every count, for both. `large` may be in any order.
CountPair settle_counts(Buffer<std::uint8_t>&& positives, Buffer<std::uint8_t>&& negatives,
                        const std::vector<LargeCount>& large);

// Writes runs of a sorted bucket: entry `at` gets its counts, the sink notes large ones.
class CountSink {
public:
    CountSink(std::uint8_t* positives, std::uint8_t* negatives, std::vector<LargeCount>& large)
        : positives_(positives), negatives_(negatives), large_(large), mark_(large.size()) {}

    // May be called again for the same entry with larger counts: the last call holds.
    void put(std::size_t at, std::uint64_t positives, std::uint64_t negatives) {
        positives_[at] = static_cast<std::uint8_t>(positives);
        negatives_[at] = static_cast<std::uint8_t>(negatives);
        if (std::max(positives, negatives) > 255) [[unlikely]] {
            if (large_.size() == mark_ || large_.back().index != at) large_.push_back({at, 0, 0});
            large_.back().positives = positives;
            large_.back().negatives = negatives;
        }
    }

private:
    std::uint8_t *positives_, *negatives_;
    std::vector<LargeCount>& large_;
    std::size_t mark_;  // notes before it belong to other buckets
};

}  // namespace assay::order
