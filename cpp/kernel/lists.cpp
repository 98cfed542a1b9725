#include "kernel/lists.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernel/parallel.hpp"
#include "kernel/parallel_queries.hpp"

namespace assay {
namespace {

// Finds items among the distinct actual items of one query and remembers which were found.
class ActualItems {
public:
    // Returns how many distinct items there are.
    std::size_t assign(std::span<const std::int64_t> items) {
        items_.assign(items.begin(), items.end());
        sorted_ = items.size() > 16;  // fewer are faster to scan
        if (sorted_) {
            std::sort(items_.begin(), items_.end());
            items_.erase(std::unique(items_.begin(), items_.end()), items_.end());
        } else {
            auto kept = items_.begin();
            for (const std::int64_t item : items)
                if (std::find(items_.begin(), kept, item) == kept) *kept++ = item;
            items_.erase(kept, items_.end());
        }
        found_.assign(items_.size(), 0);
        return items_.size();
    }

    // Whether the item is there and was not asked for before.
    bool find_first_time(std::int64_t item) {
        const auto place = sorted_ ? std::lower_bound(items_.begin(), items_.end(), item)
                                   : std::find(items_.begin(), items_.end(), item);
        if (place == items_.end() || *place != item) return false;
        return std::exchange(found_[static_cast<std::size_t>(place - items_.begin())], 1) == 0;
    }

private:
    std::vector<std::int64_t> items_;
    std::vector<std::uint8_t> found_;
    bool sorted_ = false;
};

// A row to be sorted: its score and then its gain, as integers that ascend where those descend.
using RankKey = unsigned __int128;

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
    const auto is_bad = [&](std::size_t row) -> bool {
        return (scores[row] != scores[row]) | !(gains[row] >= 0) |
               (gains[row] > std::numeric_limits<double>::max());
    };
    bool bad = false;
    for (std::size_t row = begin; row < end; ++row) {
        positive += gains[row] > 0;
        bad |= is_bad(row);
    }
    if (!bad) return no_row;
    while (!is_bad(begin)) ++begin;
    return static_cast<std::int64_t>(begin);
}

void sort_descending(double* begin, double* end) {
    // Gains of one size are the common case: relevant or not.
    if (std::adjacent_find(begin, end, std::less<>()) == end) return;
    std::sort(begin, end, std::greater<>());
}

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
                        std::vector<std::int64_t>(queries)};
    std::vector<ActualItems> scratch(static_cast<std::size_t>(threads()));
    const auto work = [&](std::size_t query) {
        return static_cast<std::size_t>(actual_offsets[query] + predicted_offsets[query]);
    };
    parallel_queries(queries, work, [&](std::size_t query, int slot) {
        ActualItems& actual = scratch[static_cast<std::size_t>(slot)];
        const auto from = static_cast<std::size_t>(actual_offsets[query]);
        const auto to = static_cast<std::size_t>(actual_offsets[query + 1]);
        result.relevant[query] =
            static_cast<std::int64_t>(actual.assign(actual_items.subspan(from, to - from)));
        for (std::int64_t i = predicted_offsets[query]; i < predicted_offsets[query + 1]; ++i) {
            const auto place = static_cast<std::size_t>(i);
            result.gains[place] = actual.find_first_time(predicted_items[place]);
        }
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

    struct Slot {
        std::int64_t bad_row = no_row;
        std::vector<RankKey> keys;
    };
    std::vector<Slot> slots(static_cast<std::size_t>(threads()));
    RankedRows result;
    result.relevant.resize(queries);
    parallel_queries(queries, work, [&](std::size_t query, int slot) {
        std::int64_t& bad_row = slots[static_cast<std::size_t>(slot)].bad_row;
        bad_row = std::min(bad_row, check_rows(scores.data(), gains.data(), work(query),
                                               work(query + 1), result.relevant[query]));
    });
    std::int64_t bad_row = no_row;
    for (const Slot& slot : slots) bad_row = std::min(bad_row, slot.bad_row);
    if (bad_row != no_row) {
        RankedRows bad;
        bad.bad_row = bad_row;
        return bad;
    }

    result.ideal_offsets.resize(queries + 1);
    for (std::size_t query = 0; query < queries; ++query)
        result.ideal_offsets[query + 1] = result.ideal_offsets[query] + result.relevant[query];
    result.gains = Buffer<double>(rows);
    result.tied = Buffer<std::uint8_t>(rows);
    result.ideal = Buffer<double>(static_cast<std::size_t>(result.ideal_offsets.back()));
    parallel_queries(queries, work, [&](std::size_t query, int slot) {
        std::vector<RankKey>& keys = slots[static_cast<std::size_t>(slot)].keys;
        const std::size_t begin = work(query), size = work(query + 1) - begin;
        double* const ideal = result.ideal.data() + result.ideal_offsets[query];
        double* positive = ideal;
        keys.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            const double gain = gains[begin + i];
            keys[i] = rank_key(scores[begin + i], gain);
            if (gain > 0) *positive++ = gain;
        }
        std::sort(keys.begin(), keys.end());
        for (std::size_t i = 0; i < size; ++i) {
            result.gains[begin + i] = gain_of_key(keys[i]);
            result.tied[begin + i] = i + 1 < size && keys[i] >> 64 == keys[i + 1] >> 64;
        }
        sort_descending(ideal, positive);
    });
    return result;
}

template RankedRows rank_rows(Offsets, std::span<const double>, std::span<const double>);
template RankedRows rank_rows(Offsets, std::span<const float>, std::span<const double>);

}  // namespace assay
