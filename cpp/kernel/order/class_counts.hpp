// Class counts kept in bytes while they are made, with the few that need more beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/order/order.hpp"

namespace assay::order {

// Keeps the first `size` values, in memory of their own when the rest would weigh more than they
// do.
template <class Value>
void keep_first(Buffer<Value>& column, std::size_t size) {
    if (size > column.size() / 2) return column.shrink(size);
    Buffer<Value> kept(size);
    std::copy(column.data(), column.data() + size, kept.data());
    column = std::move(kept);
}

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

// Where the counts of entries go while they are made.
struct CountSink {
    std::uint8_t *positives, *negatives;
    std::vector<LargeCount>& large;

    // The last call for an entry holds; only that one has `last` set.
    void put(std::size_t at, std::uint64_t p, std::uint64_t q, bool last = true) {
        positives[at] = static_cast<std::uint8_t>(p);
        negatives[at] = static_cast<std::uint8_t>(q);
        if (last & ((p | q) > 255)) [[unlikely]]
            large.push_back({at, p, q});
    }
};

// Calls use(p, q) with the counts of a tally as spans of their type.
template <class Use>
auto with_counts(const CountsView& positives, const CountsView& negatives, Use&& use) {
    return std::visit(
        [&](auto p) {
            const auto* q = std::get_if<decltype(p)>(&negatives);
            if (!q) throw std::invalid_argument("positives and negatives differ in dtype");
            if (p.size() != q->size())
                throw std::invalid_argument("positives and negatives differ in length");
            return use(p, *q);
        },
        positives);
}

// Sums over a tally keep their promises up to so many rows.
inline void check_rows(uint128 rows) {
    if (rows > uint128{1} << 42)
        throw std::range_error("a sweep of scores is exact up to 2^42 rows");
}

}  // namespace assay::order
