#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/order/bucket.hpp"
#include "kernel/order/bucket_partition.hpp"
#include "kernel/order/bucket_sort.hpp"
#include "kernel/order/class_counts.hpp"
#include "kernel/order/order.hpp"
#include "kernel/order/score_key.hpp"
#include "kernel/order/score_loops.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

using namespace order;

constexpr std::size_t rows_per_bucket = 8192, most_leaves = 4096, block = 256;

// A pair of keys; once packed, x holds the label in its last bit and its sign in the bucket.
struct Keys {
    std::uint64_t x, y;
    friend auto operator<=>(const Keys&, const Keys&) = default;
};

bool same_pair(const Keys& a, const Keys& b) {
    return (a.x ^ b.x) < 2 && a.y == b.y;
}
bool pair_less(const Keys& a, const Keys& b) {
    return (a.x ^ b.x) < 2 ? a.y < b.y : a.x < b.x;
}

// Leading bits of x first, then of what they leave equal, then y the same way. A level takes at
// least 11 bits, so the depth is below 14.
void sort_pairs(Keys* records, Keys* scratch, std::size_t rows) {
    if (rows <= 24) {
        repair(records, rows, rows * rows, pair_less);
        return;
    }
    Keys low = records[0], high = records[0];
    for (std::size_t i = 1; i < rows; ++i) {
        low = {std::min(low.x, records[i].x), std::min(low.y, records[i].y)};
        high = {std::max(high.x, records[i].x), std::max(high.y, records[i].y)};
    }
    const auto again = [=](Keys* group, std::size_t size) { sort_pairs(group, scratch, size); };
    if (low.x >> 1 != high.x >> 1) {
        const std::uint64_t base = low.x & ~std::uint64_t{1};
        const int left =
            sort_leading(records, scratch, rows, base, high.x, [](const Keys& r) { return r.x; });
        // With the label left out or not, it does not part a group.
        sort_groups(
            records, rows, std::max(left, 1), [=](const Keys& r) { return r.x - base; }, again);
    } else if (low.y != high.y) {
        const std::uint64_t base = low.y;
        const int left =
            sort_leading(records, scratch, rows, base, high.y, [](const Keys& r) { return r.y; });
        if (left > 0)
            sort_groups(records, rows, left, [=](const Keys& r) { return r.y - base; }, again);
    }
}

// Splitters in level order; a pair goes right of those it is not below. Zero of x is always one, so
// that no bucket holds both signs of x, and a pair that fills a large share gets a bucket alone.
class PairTree {
public:
    PairTree(std::vector<Keys> sample, std::size_t wanted) {
        std::sort(sample.begin(), sample.end());
        std::vector<Keys> distinct, splitters{{top_bit<std::uint64_t>, 0}};
        for (std::size_t i = 0, run = 0; i < sample.size(); ++i) {
            run = i > 0 && sample[i] == sample[i - 1] ? run + 1 : 1;
            if (run == 1) distinct.push_back(sample[i]);
            if (run == std::max<std::size_t>(8, sample.size() / 64)) {
                splitters.push_back(sample[i]);
                splitters.push_back({sample[i].x, sample[i].y + 1});
            }
        }
        levels_ = static_cast<int>(std::bit_width(wanted + splitters.size() - 1));
        const std::size_t leaves = std::size_t{1} << levels_, places = leaves - splitters.size();
        for (std::size_t i = 1; i < places; ++i)
            splitters.push_back(distinct[i * distinct.size() / places]);
        std::sort(splitters.begin(), splitters.end());
        splitters.erase(std::unique(splitters.begin(), splitters.end()), splitters.end());
        splitters.resize(leaves - 1, {~std::uint64_t{0}, ~std::uint64_t{0}});
        tree_.resize(leaves);
        for (int level = 0; level < levels_; ++level)
            for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
                tree_[(std::size_t{1} << level) + i] =
                    splitters[(2 * i + 1) * (leaves >> (level + 1)) - 1];
        const Keys zero{top_bit<std::uint64_t>, 0};
        std::uint16_t bucket;
        locate(&zero.x, &zero.y, 1, &bucket);
        first_nonnegative_ = bucket;
    }

    std::size_t buckets() const { return tree_.size(); }
    std::size_t first_nonnegative() const { return first_nonnegative_; }

    void locate(const std::uint64_t* x, const std::uint64_t* y, std::size_t rows,
                std::uint16_t* bucket) const {
        std::uint32_t node[block];
        std::fill(node, node + rows, 1u);
        for (int level = 0; level < levels_; ++level)
            for (std::size_t i = 0; i < rows; ++i) {
                const Keys& splitter = tree_[node[i]];
                // One 128-bit comparison: no branch.
                const uint128 own = uint128{x[i]} << 64 | y[i],
                              other = uint128{splitter.x} << 64 | splitter.y;
                node[i] = 2 * node[i] + static_cast<std::uint32_t>(own >= other);
            }
        for (std::size_t i = 0; i < rows; ++i)
            bucket[i] = static_cast<std::uint16_t>(node[i] - tree_.size());
    }

private:
    int levels_ = 0;
    std::size_t first_nonnegative_ = 0;
    std::vector<Keys> tree_;
};

PairTree plant(const double* x, const double* y, std::size_t rows) {
    const std::size_t wanted = std::clamp<std::size_t>(rows / rows_per_bucket, 1, most_leaves / 2);
    const std::size_t size = std::min(rows, std::clamp<std::size_t>(16 * wanted, 256, 16384));
    std::vector<Keys> sample(size);
    std::uint64_t state = 0x2545f4914f6cdd1du;
    for (std::size_t i = 0; i < size; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::size_t row =
            i * (rows / size) + static_cast<std::size_t>((state >> 33) % (rows / size));
        sample[i] = {key_of(x[row]), key_of(y[row])};
    }
    return PairTree(std::move(sample), wanted);
}

// Sorted records become their distinct pairs, at the front. Returns how many.
std::size_t emit_pairs(Keys* records, std::size_t rows, std::size_t begin, CountSink sink) {
    std::size_t entry = 0;
    std::uint64_t positives = 0, negatives = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const Keys record = records[i];
        positives += record.x & 1;
        negatives += ~record.x & 1;
        const bool last = i + 1 == rows || !same_pair(record, records[i + 1]);
        records[entry] = record;
        sink.put(begin + entry, positives, negatives, last);
        const std::uint64_t keep = std::uint64_t{last} - 1;
        positives &= keep;
        negatives &= keep;
        entry += last;
    }
    return entry;
}

PairTally refuse(const double* x, const double* y, const std::uint8_t* positive, std::size_t rows) {
    PairTally tally;
    for (std::size_t i = 0; i < rows && tally.bad_row < 0; ++i)
        if (std::isnan(x[i]) || std::isnan(y[i]) || positive[i] > 1)
            tally.bad_row = static_cast<std::int64_t>(i);
    if (tally.bad_row < 0) throw_changed();
    return tally;
}

}  // namespace

PairTally order_pairs(const double* x, const double* y, const std::uint8_t* positive,
                      std::size_t rows) {
    if (rows == 0) return {};
    const PairTree tree = plant(x, y, rows);
    Partition partition(rows, tree.buckets());
    const bool fine =
        partition.count(block, [&](std::size_t begin, std::size_t size, std::uint16_t* marks) {
            std::uint64_t x_keys[block], y_keys[block];
            const bool nan_x = make_keys(x + begin, size, x_keys);
            const bool nan_y = make_keys(y + begin, size, y_keys);
            tree.locate(x_keys, y_keys, size, marks);
            return !add_labels(positive + begin, size, marks) && !nan_x && !nan_y;
        });
    if (!fine) return refuse(x, y, positive, rows);

    Buffer<Keys> records(rows);
    partition.deal(records.data(), [x, y](std::size_t row, std::uint64_t label) {
        return Keys{pack(key_of(x[row]), label), key_of(y[row])};
    });

    struct Slot {
        Buffer<Keys> scratch;
        std::vector<LargeCount> large;
    };
    std::vector<Slot> slots(static_cast<std::size_t>(threads()));
    partition.finish([&](std::size_t bucket, std::size_t begin, std::size_t end, int slot) {
        Slot& own = slots[static_cast<std::size_t>(slot)];
        const std::size_t size = end - begin;
        if (own.scratch.size() < size) own.scratch = Buffer<Keys>(size + size / 4);
        Keys* bucket_records = records.data() + begin;
        sort_pairs(bucket_records, own.scratch.data(), size);
        const std::size_t entries = emit_pairs(
            bucket_records, size, begin,
            CountSink{partition.positives.data(), partition.negatives.data(), own.large});
        const bool nonnegative = bucket >= tree.first_nonnegative();
        for (std::size_t i = 0; i < entries; ++i)
            bucket_records[i].x = unpack(bucket_records[i].x, nonnegative);
        return entries;
    });

    std::vector<LargeCount> large;
    for (Slot& slot : slots) {
        slot.scratch = {};
        for (LargeCount& note : slot.large) {
            note.index = partition.compacted(note.index);
            large.push_back(note);
        }
    }
    PairTally tally;
    tally.x = Buffer<double>(partition.entries());
    tally.y = Buffer<double>(partition.entries());
    partition.each_bucket([&](std::size_t from, std::size_t to, std::size_t entries) {
        for (std::size_t i = 0; i < entries; ++i) {
            tally.x[to + i] = score_of(records[from + i].x);
            tally.y[to + i] = score_of(records[from + i].y);
        }
    });
    records = {};
    partition.compact(partition.positives);
    partition.compact(partition.negatives);
    CountPair counts =
        settle_counts(std::move(partition.positives), std::move(partition.negatives), large);
    tally.positives = std::move(counts.positives);
    tally.negatives = std::move(counts.negatives);
    return tally;
}

}  // namespace assay
