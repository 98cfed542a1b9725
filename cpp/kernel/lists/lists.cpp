#include "kernel/lists/lists.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/hash_salt.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/lists/merge_sort.hpp"
#include "kernel/lists/parallel_queries.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

// The distinct actual items of one query in an open hash table at most half full, each with a note
// whether it was asked for. A slot's own cache lines: threads write to neighbouring slots.
class alignas(64) ActualItems {
public:
    // Returns how many distinct items there are.
    std::int64_t assign(std::span<const std::int64_t> items) {
        const std::size_t capacity = std::bit_ceil(2 * items.size() + 2);
        mask_ = capacity - 1;
        state_.assign(capacity, empty);
        if (items_.size() < capacity) items_.resize(capacity);
        std::int64_t distinct = 0;
        in_pieces(items.size(), [&](std::size_t begin, std::size_t end) {
            for (const std::int64_t item : items.subspan(begin, end - begin)) {
                const std::size_t place = find(item);
                distinct += state_[place] == empty;
                items_[place] = item;
                state_[place] = wanted;
            }
        });
        return distinct;
    }

    // Whether the item is there and was not asked for before.
    bool find_first_time(std::int64_t item) {
        std::uint8_t& state = state_[find(item)];
        if (state != wanted) return false;
        state = found;
        return true;
    }

private:
    static constexpr std::uint8_t empty = 0, wanted = 1, found = 2;

    std::size_t find(std::int64_t item) const {
        std::size_t place = hash_word(static_cast<std::uint64_t>(item)) & mask_;
        while (state_[place] != empty && items_[place] != item) place = (place + 1) & mask_;
        return place;
    }

    std::vector<std::int64_t> items_;
    std::vector<std::uint8_t> state_;
    std::size_t mask_ = 0;
};

// A row to be sorted: its score and then its gain, as integers that ascend where those descend.
using RankKey = uint128;

std::uint64_t descending_bits(double value) {  // of any value but NaN and -0.0
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits >> 63 ? bits : ~bits & ~(std::uint64_t{1} << 63);
}

RankKey rank_key(double score, double gain) {
    return static_cast<RankKey>(descending_bits(score + 0.0)) << 64 | descending_bits(gain + 0.0);
}

double gain_of_key(RankKey key) {  // gains are not negative
    return std::bit_cast<double>(~(static_cast<std::uint64_t>(key) | std::uint64_t{1} << 63));
}

constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

// Counts the positive gains of rows [begin, end); returns the first bad row or no_row.
template <class Score>
std::int64_t check_rows(const Score* scores, const double* gains, std::size_t begin,
                        std::size_t end, std::int64_t& positive) {
    positive = 0;
    const auto is_bad = [&](std::size_t row) -> bool {
        return (scores[row] != scores[row]) | !(gains[row] >= 0) |
               (gains[row] > std::numeric_limits<double>::max());
    };
    bool bad = false;
    in_pieces(end - begin, [&](std::size_t from, std::size_t to) {
        for (std::size_t row = begin + from; row < begin + to; ++row) {
            positive += gains[row] > 0;
            bad |= is_bad(row);
        }
    });
    if (!bad) return no_row;
    while (begin < end && !is_bad(begin)) ++begin;
    if (begin == end) throw_changed();
    return static_cast<std::int64_t>(begin);
}

// What a thread needs to rank a query, on its own cache lines.
struct alignas(64) RankSlot {
    std::int64_t bad_row = no_row;
    std::vector<RankKey> keys, key_scratch;
    std::vector<double> positive, positive_scratch;
};

}  // namespace

void check_offsets(Offsets offsets, std::size_t size) {
    if (offsets.empty() || offsets.front() != 0 ||
        static_cast<std::uint64_t>(offsets.back()) != size ||
        !std::is_sorted(offsets.begin(), offsets.end()))
        throw std::invalid_argument("offsets must rise from 0 to the number of values");
}

MatchedLists match_lists(Offsets actual_offsets, std::span<const std::int64_t> actual_items,
                         Offsets predicted_offsets, std::span<const std::int64_t> predicted_items) {
    check_offsets(actual_offsets, actual_items.size());
    check_offsets(predicted_offsets, predicted_items.size());
    if (actual_offsets.size() != predicted_offsets.size())
        throw std::invalid_argument("actual and predicted lists differ in number");
    const std::size_t queries = actual_offsets.size() - 1;
    MatchedLists result{Buffer<std::uint8_t>(predicted_items.size()),
                        Buffer<std::int64_t>(queries)};
    std::vector<ActualItems> scratch(static_cast<std::size_t>(threads()));
    const auto work = [&](std::size_t query) {
        return static_cast<std::size_t>(actual_offsets[query] + predicted_offsets[query]);
    };
    parallel_queries(queries, work, [&](std::size_t query, int slot) {
        ActualItems& actual = scratch[static_cast<std::size_t>(slot)];
        const auto from = static_cast<std::size_t>(actual_offsets[query]);
        const auto to = static_cast<std::size_t>(actual_offsets[query + 1]);
        result.relevant[query] = actual.assign(actual_items.subspan(from, to - from));
        const auto first = static_cast<std::size_t>(predicted_offsets[query]);
        const auto last = static_cast<std::size_t>(predicted_offsets[query + 1]);
        in_pieces(last - first, [&](std::size_t begin, std::size_t end) {
            for (std::size_t place = first + begin; place < first + end; ++place)
                result.gains[place] = actual.find_first_time(predicted_items[place]);
        });
    });
    return result;
}

template <class Score>
RankedRows rank_rows(Offsets offsets, std::span<const Score> scores,
                     std::span<const double> gains) {
    check_offsets(offsets, scores.size());
    if (scores.size() != gains.size())
        throw std::invalid_argument("scores and gains differ in length");
    const std::size_t queries = offsets.size() - 1, rows = scores.size();
    const auto work = [&](std::size_t query) { return static_cast<std::size_t>(offsets[query]); };

    std::vector<RankSlot> slots(static_cast<std::size_t>(threads()));
    RankedRows result;
    result.relevant = Buffer<std::int64_t>(queries);
    parallel_queries(queries, work, [&](std::size_t query, int slot) {
        std::int64_t& bad_row = slots[static_cast<std::size_t>(slot)].bad_row;
        bad_row = std::min(bad_row, check_rows(scores.data(), gains.data(), work(query),
                                               work(query + 1), result.relevant[query]));
    });
    std::int64_t bad_row = no_row;
    for (const RankSlot& slot : slots) bad_row = std::min(bad_row, slot.bad_row);
    if (bad_row != no_row) {
        RankedRows bad;
        bad.bad_row = bad_row;
        return bad;
    }

    result.ideal_offsets = Buffer<std::int64_t>(queries + 1);
    result.ideal_offsets[0] = 0;
    for (std::size_t query = 0; query < queries; ++query)
        result.ideal_offsets[query + 1] = result.ideal_offsets[query] + result.relevant[query];
    result.gains = Buffer<double>(rows);
    result.tied = Buffer<std::uint8_t>(rows);
    result.ideal = Buffer<double>(static_cast<std::size_t>(result.ideal_offsets[queries]));
    parallel_queries(queries, work, [&](std::size_t query, int index) {
        RankSlot& slot = slots[static_cast<std::size_t>(index)];
        const std::size_t begin = work(query), size = work(query + 1) - begin;
        slot.keys.resize(size);
        slot.positive.resize(size);
        std::size_t positive = 0;
        in_pieces(size, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                const double gain = gains[begin + i];
                slot.keys[i] = rank_key(scores[begin + i], gain);
                slot.positive[positive] = gain;  // overwritten by the next unless it counts
                positive += gain > 0;
            }
        });
        if (static_cast<std::int64_t>(positive) != result.relevant[query]) throw_changed();
        slot.positive.resize(positive);
        merge_sort(slot.keys, slot.key_scratch);
        in_pieces(size, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                const bool tied = i + 1 < size && slot.keys[i] >> 64 == slot.keys[i + 1] >> 64;
                result.gains[begin + i] = gain_of_key(slot.keys[i]);
                result.tied[begin + i] = tied;
            }
        });
        merge_sort(slot.positive, slot.positive_scratch);
        std::reverse_copy(slot.positive.begin(), slot.positive.end(),
                          result.ideal.data() + result.ideal_offsets[query]);
    });
    return result;
}

template RankedRows rank_rows(Offsets, std::span<const double>, std::span<const double>);
template RankedRows rank_rows(Offsets, std::span<const float>, std::span<const double>);

}  // namespace assay
