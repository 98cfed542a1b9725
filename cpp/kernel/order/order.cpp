#include "kernel/order/order.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/order/bucket.hpp"
#include "kernel/order/bucket_map.hpp"
#include "kernel/order/bucket_partition.hpp"
#include "kernel/order/bucket_sort.hpp"
#include "kernel/order/class_counts.hpp"
#include "kernel/order/few_scores.hpp"
#include "kernel/order/score_key.hpp"
#include "kernel/order/score_loops.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

using namespace order;

// Up to here the rows of each sign are one bucket: no sample, no map, no threads. Two threads with
// buckets take as long at this size.
constexpr std::size_t direct_rows = 131072;
constexpr std::size_t most_sampled = 16384;

// Buckets of 32,768 rows still sort within a core's cache, and with a few hundred of them the lines
// that fill up do too; fewer rows where that leaves too few buckets to share out.
std::size_t wanted_buckets(std::size_t rows) {
    return std::clamp<std::size_t>(rows / 32768, std::clamp<std::size_t>(rows / 8192, 4, 256),
                                   4096);
}

template <class Score, class Label>
ScoreTally<Score> refuse(const Score* scores, const Label* positive, std::size_t rows) {
    ScoreTally<Score> tally;
    for (std::size_t i = 0; i < rows && tally.bad_score_row < 0; ++i)
        if (std::isnan(scores[i])) tally.bad_score_row = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < rows && tally.bad_label_row < 0; ++i)
        if (positive[i] != 0 && positive[i] != 1)
            tally.bad_label_row = static_cast<std::int64_t>(i);
    if (tally.bad_score_row < 0 && tally.bad_label_row < 0) throw_changed();
    return tally;
}

template <class Score>
ScoreTally<Score> assemble(Buffer<Score>&& scores, Buffer<std::uint8_t>&& positives,
                           Buffer<std::uint8_t>&& negatives, const std::vector<LargeCount>& large) {
    CountPair counts = settle_counts(std::move(positives), std::move(negatives), large);
    return {std::move(scores), std::move(counts.positives), std::move(counts.negatives)};
}

template <class Score, class Label>
ScoreTally<Score> order_directly(const Score* scores, const Label* positive, std::size_t rows) {
    using Word = WordOf<Score>;
    Buffer<Score> result(rows);
    Buffer<std::uint8_t> positives(rows), negatives(rows);
    // Kernels touch the buffer as words only; it is read as scores by whoever gets the tally.
    Word* words = reinterpret_cast<Word*>(result.data());
    Buffer<Word> scratch(rows);
    if (make_keys(scores, rows, scratch.data())) return refuse(scores, positive, rows);
    Label any = 0;
    std::size_t negative = 0, rest = rows;
    for (std::size_t i = 0; i < rows; ++i) {
        any |= positive[i];
        const Word key = scratch[i], word = pack<Word>(key, static_cast<Word>(positive[i] & 1));
        // Written at both ends, kept at one.
        words[negative] = word;
        words[rest - 1] = word;
        const bool below_zero = key < top_bit<Word>;
        negative += below_zero;
        rest -= !below_zero;
    }
    if (any != 0 && any != 1) return refuse(scores, positive, rows);
    std::vector<LargeCount> large;
    const auto finish = [&](std::size_t begin, std::size_t end, bool nonnegative) {
        return finish_bucket(words + begin, end - begin, nonnegative, scratch, begin,
                             {positives.data(), negatives.data(), large});
    };
    std::size_t entries = finish(0, negative, false);
    const std::size_t notes = large.size();
    const std::size_t above = finish(negative, rows, true);
    std::memmove(words + entries, words + negative, above * sizeof(Word));
    std::memmove(positives.data() + entries, positives.data() + negative, above);
    std::memmove(negatives.data() + entries, negatives.data() + negative, above);
    for (std::size_t i = notes; i < large.size(); ++i) large[i].index -= negative - entries;
    entries += above;
    keep_first(result, entries);
    keep_first(positives, entries);
    keep_first(negatives, entries);
    return assemble(std::move(result), std::move(positives), std::move(negatives), large);
}

// A sorted sample of keys, their last bit cleared: the map does not need it and the sort does.
template <class Score>
std::vector<WordOf<Score>> sample_keys(const Score* scores, std::size_t rows, std::size_t size) {
    using Word = WordOf<Score>;
    std::vector<Word> sample(size), scratch(size);
    std::uint64_t state = 0x2545f4914f6cdd1du;
    const std::size_t stride = rows / size;
    for (std::size_t i = 0; i < size; ++i) {
        // A place of its own in each stride: a fixed step could meet a period in the rows.
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::size_t row = i * stride + static_cast<std::size_t>((state >> 33) % stride);
        sample[i] = key_of(scores[row]) >> 1 << 1;
    }
    sort_words(sample.data(), scratch.data(), size);
    return sample;
}

template <class Score, class Word>
ScoreTally<Score> tally_of_few(const std::vector<FewEntry<Word>>& entries) {
    Buffer<Score> scores(entries.size());
    Buffer<std::uint8_t> positives(entries.size()), negatives(entries.size());
    std::vector<LargeCount> large;
    CountSink sink{positives.data(), negatives.data(), large};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        scores[i] = score_of(entries[i].key);
        sink.put(i, entries[i].positives, entries[i].negatives);
    }
    return assemble(std::move(scores), std::move(positives), std::move(negatives), large);
}

template <class Value>
void prefetch(const Value* begin, const Value* end) {
    for (; begin < end; begin += 64 / sizeof(Value)) __builtin_prefetch(begin);
}

template <class Score, class Label>
ScoreTally<Score> order_in_buckets(const Score* scores, const Label* positive, std::size_t rows,
                                   const BucketMap<WordOf<Score>>& map) {
    using Word = WordOf<Score>;
    constexpr std::size_t block = BucketMap<Word>::block;
    Partition partition(rows, map.buckets());
    const bool fine =
        partition.count(block, [&](std::size_t begin, std::size_t size, std::uint16_t* marks) {
            Word keys[block];
            // Two columns read in turns are more than the hardware foresees.
            const std::size_t next = std::min(begin + block, rows),
                              end = std::min(next + block, rows);
            prefetch(scores + next, scores + end);
            prefetch(positive + next, positive + end);
            const bool nan = make_keys(scores + begin, size, keys);
            map.locate(keys, size, marks);
            return !add_labels(positive + begin, size, marks) && !nan;
        });
    if (!fine) return refuse(scores, positive, rows);

    Buffer<Score> result(rows);
    Word* words = reinterpret_cast<Word*>(result.data());
    partition.deal(words, [scores](std::size_t row, Word label) {
        return pack<Word>(key_of(scores[row]), label);
    });

    struct Slot {
        Buffer<Word> scratch;
        std::vector<LargeCount> large;
    };
    std::vector<Slot> slots(static_cast<std::size_t>(threads()));
    partition.finish([&](std::size_t bucket, std::size_t begin, std::size_t end, int slot) {
        Slot& own = slots[static_cast<std::size_t>(slot)];
        return finish_bucket(words + begin, end - begin, bucket >= map.first_nonnegative(),
                             own.scratch, begin,
                             {partition.positives.data(), partition.negatives.data(), own.large});
    });

    std::vector<LargeCount> large;
    for (Slot& slot : slots) {
        slot.scratch = {};
        for (LargeCount& note : slot.large) {
            note.index = partition.compacted(note.index);
            large.push_back(note);
        }
    }
    partition.compact(result);
    partition.compact(partition.positives);
    partition.compact(partition.negatives);
    return assemble(std::move(result), std::move(partition.positives),
                    std::move(partition.negatives), large);
}

}  // namespace

template <class Score, class Label>
ScoreTally<Score> order_scores(const Score* scores, const Label* positive, std::size_t rows) {
    using Word = WordOf<Score>;
    if (rows == 0) return {};
    if (rows <= direct_rows) return order_directly(scores, positive, rows);
    const std::size_t buckets = wanted_buckets(rows);
    const std::vector<Word> sample =
        sample_keys(scores, rows, std::clamp<std::size_t>(32 * buckets, 512, most_sampled));
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < sample.size(); ++i) distinct += sample[i] != sample[i - 1];
    if (distinct <= 1024 && distinct < sample.size() / 8) {
        bool bad = false;
        if (const auto entries = count_few(scores, positive, rows, bad))
            return bad ? refuse(scores, positive, rows) : tally_of_few<Score>(*entries);
    }
    return order_in_buckets(scores, positive, rows, BucketMap<Word>(sample, buckets));
}

template ScoreTally<double> order_scores(const double*, const std::uint8_t*, std::size_t);
template ScoreTally<double> order_scores(const double*, const std::int64_t*, std::size_t);
template ScoreTally<float> order_scores(const float*, const std::uint8_t*, std::size_t);
template ScoreTally<float> order_scores(const float*, const std::int64_t*, std::size_t);

}  // namespace assay
