#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernel/order/class_counts.hpp"
#include "kernel/order/order.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t block = 2048, blocks_per_task = 16;
constexpr std::size_t parallel_entries = std::size_t{1} << 17;

// Sums of one block as if nothing lay below it. With x = 2 N_below + q and y = 2 P_below + p:
struct BlockSums {
    uint128 positives = 0, negatives = 0;
    uint128 px = 0, pxx = 0, qyy = 0;
};

// Byte counts: below 2^19 rows in a block, so x and y stay below 2^20 and each sum below 2^60.
ASSAY_CLONES BlockSums sum_bytes(const std::uint8_t* p, const std::uint8_t* q, std::size_t size) {
    std::uint32_t x[block], y[block];
    std::uint32_t positives = 0, negatives = 0;
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = 2 * negatives + q[i];
        y[i] = 2 * positives + p[i];
        positives += p[i];
        negatives += q[i];
    }
    std::uint64_t px = 0, pxx = 0, qyy = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t once = p[i] * x[i];  // below 2^28
        px += once;
        pxx += std::uint64_t{once} * x[i];
        qyy += std::uint64_t{q[i] * y[i]} * y[i];
    }
    return {positives, negatives, px, pxx, qyy};
}

// Any counts; Sum holds 4 times the cube of the rows in the block.
template <class Sum, class Count>
BlockSums sum_counts(const Count* p, const Count* q, std::size_t size) {
    Sum positives = 0, negatives = 0, px = 0, pxx = 0, qyy = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const Sum x = 2 * negatives + q[i], y = 2 * positives + p[i];
        const Sum once = p[i] * x;
        px += once;
        pxx += once * x;
        qyy += q[i] * y * y;
        positives += p[i];
        negatives += q[i];
    }
    return {positives, negatives, px, pxx, qyy};
}

template <class Count>
BlockSums sum_block(const Count* p, const Count* q, std::size_t size) {
    if constexpr (std::is_same_v<Count, std::uint8_t>) {
        return sum_bytes(p, q, size);
    } else {
        // No sum of 2048 counts below 2^52 runs over; a larger count shows in the OR.
        std::uint64_t rows = 0, bits = 0;
        for (std::size_t i = 0; i < size; ++i) {
            rows += std::uint64_t{p[i]} + q[i];
            bits |= p[i] | q[i];
        }
        if ((rows | bits) >> 20 == 0) return sum_counts<std::uint64_t>(p, q, size);
        // Can run over for counts that are refused afterwards.
        return sum_counts<uint128>(p, q, size);
    }
}

struct Gap {
    uint128 size;
    std::int64_t index;
};

// The largest |gap| of a block that starts at `gap`, first entry that has it. Int holds m * n0.
template <class Int, class Count>
Gap largest_gap(const Count* p, const Count* q, std::size_t size, Int gap, Int m, Int n0) {
    Int best = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < size; ++i) {
        gap += static_cast<Int>(p[i]) * n0 - static_cast<Int>(q[i]) * m;
        const Int distance = gap < 0 ? -gap : gap;
        if (distance > best) {
            best = distance;
            at = i;
        }
    }
    return {static_cast<uint128>(best), static_cast<std::int64_t>(at)};
}

// Most blocks are never looked into: a block cannot rise by more than its positives or fall by more
// than its negatives, and one whose reach stays below a gap met at some block's end is out.
template <class Count>
Gap find_gap(const Count* p, const Count* q, std::size_t size, const std::vector<BlockSums>& sums,
             std::uint64_t m, std::uint64_t n0) {
    using Signed = int128;
    const auto distance = [](Signed gap) { return static_cast<uint128>(gap < 0 ? -gap : gap); };
    std::vector<Signed> start(sums.size() + 1, 0);
    uint128 floor = 0;
    for (std::size_t b = 0; b < sums.size(); ++b) {
        start[b + 1] = start[b] + static_cast<Signed>(sums[b].positives * n0) -
                       static_cast<Signed>(sums[b].negatives * m);
        floor = std::max(floor, distance(start[b + 1]));
    }
    std::vector<std::size_t> open;
    for (std::size_t b = 0; b < sums.size(); ++b) {
        const uint128 up = distance(start[b] + static_cast<Signed>(sums[b].positives * n0));
        const uint128 down = distance(start[b] - static_cast<Signed>(sums[b].negatives * m));
        if (std::max(up, down) >= floor) open.push_back(b);
    }
    std::vector<Gap> found(open.size());
    const bool narrow = uint128{m} * n0 < uint128{1} << 62;
    const auto look = [&](std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i) {
            const std::size_t begin = open[i] * block, rows = std::min(block, size - begin);
            found[i] =
                narrow ? largest_gap<std::int64_t>(
                             p + begin, q + begin, rows, static_cast<std::int64_t>(start[open[i]]),
                             static_cast<std::int64_t>(m), static_cast<std::int64_t>(n0))
                       : largest_gap<Signed>(p + begin, q + begin, rows, start[open[i]],
                                             static_cast<Signed>(m), static_cast<Signed>(n0));
            found[i].index += static_cast<std::int64_t>(begin);
        }
    };
    if (open.size() * block >= parallel_entries) {
        parallel_rows(open.size(), blocks_per_task, look);
    } else {
        look(0, open.size(), 0);
    }
    return *std::max_element(found.begin(), found.end(),
                             [](const Gap& a, const Gap& b) { return a.size < b.size; });
}

template <class Count>
ScoreSweep sweep(std::span<const Count> positives, std::span<const Count> negatives) {
    const std::size_t size = positives.size();
    const Count *p = positives.data(), *q = negatives.data();
    std::vector<BlockSums> sums((size + block - 1) / block);
    const auto fill = [&](std::size_t from, std::size_t to, int) {
        for (std::size_t b = from; b < to; ++b)
            sums[b] = sum_block(p + b * block, q + b * block, std::min(block, size - b * block));
    };
    if (size >= parallel_entries) {
        parallel_rows(sums.size(), blocks_per_task, fill);
    } else {
        fill(0, sums.size(), 0);
    }

    uint128 m = 0, n0 = 0;
    for (const BlockSums& sum : sums) {
        m += sum.positives;
        n0 += sum.negatives;
    }
    order::check_rows(m + n0);

    ScoreSweep result;
    if (size == 0) return result;
    result.positives = static_cast<std::uint64_t>(m);
    result.negatives = static_cast<std::uint64_t>(n0);
    // Each block is moved to its place: x grows by 2 N, y becomes 2 m - (y + 2 P), the positives
    // above, where N and P are the rows below the block.
    uint128 below_negatives = 0, below_positives = 0;
    for (const BlockSums& s : sums) {
        const uint128 shift = 2 * below_negatives;
        result.concordance += s.px + shift * s.positives;
        result.positive_squares += s.pxx + 2 * shift * s.px + shift * shift * s.positives;
        const uint128 far = 2 * (m - below_positives);
        const uint128 qy = 2 * s.positives * s.negatives - s.px;  // pairs not won are lost or tied
        result.negative_squares += far * far * s.negatives + s.qyy - 2 * far * qy;
        below_negatives += s.negatives;
        below_positives += s.positives;
    }
    const Gap gap = find_gap(p, q, size, sums, result.positives, result.negatives);
    result.gap = gap.size;
    result.gap_index = gap.index;
    return result;
}

}  // namespace

ScoreSweep sweep_scores(const CountsView& positives, const CountsView& negatives) {
    return order::with_counts(positives, negatives, [](auto p, auto q) { return sweep(p, q); });
}

}  // namespace assay
