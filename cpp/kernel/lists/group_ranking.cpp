#include "kernel/lists/group_ranking.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernel/interruptible_work.hpp"
#include "kernel/lists/merge_sort.hpp"
#include "kernel/lists/parallel_queries.hpp"
#include "kernel/order/score_key.hpp"

namespace assay {
namespace {

// What a thread needs to rank a group, on its own cache lines.
template <class Word>
struct alignas(64) Slot {
    std::vector<Word> classes[2];  // keys of the negatives, of the positives
    std::vector<Word> scratch;
    std::int64_t bad_row = -1;
};

// A sum whose rounding errors are added up beside it (Neumaier 1974).
struct CompensatedSum {
    double total = 0, error = 0;

    void add(double term) {
        const double sum = total + term;
        error += std::abs(total) >= std::abs(term) ? (total - sum) + term : (term - sum) + total;
        total = sum;
    }
};

struct Ranking {
    std::uint64_t concordance = 0;
    double average_precision = std::numeric_limits<double>::quiet_NaN();
};

// Walks the sorted keys of both classes from the highest score down.
template <class Word>
Ranking walk(const std::vector<Word>& negatives, const std::vector<Word>& positives) {
    Ranking ranking;
    CompensatedSum precisions;
    std::size_t above = 0;  // negatives with a higher score
    std::size_t next_check = std::size_t{1} << 16;
    for (std::size_t p = positives.size(), n = negatives.size(); p > 0;) {
        const Word key = positives[p - 1];
        const std::size_t first_negative = n, first_positive = p;
        while (n > 0 && negatives[n - 1] > key) --n;
        above += first_negative - n;
        const std::size_t tied_from = n;
        while (n > 0 && negatives[n - 1] == key) --n;
        while (p > 0 && positives[p - 1] == key) --p;
        const std::uint64_t tied = tied_from - n, here = first_positive - p;
        ranking.concordance += here * (2 * static_cast<std::uint64_t>(n) + tied);
        above += tied;
        const auto hits = static_cast<double>(positives.size() - p);
        precisions.add(static_cast<double>(here) * hits / (hits + static_cast<double>(above)));
        if (positives.size() - p + above >= next_check) {
            check_interrupt();
            next_check += std::size_t{1} << 16;
        }
    }
    if (!positives.empty()) {
        ranking.average_precision =
            (precisions.total + precisions.error) / static_cast<double>(positives.size());
    }
    return ranking;
}

}  // namespace

template <class Score, class Row>
GroupRanking rank_groups(Offsets offsets, std::span<const Row> rows, std::span<const Score> scores,
                         std::span<const std::uint8_t> positive) {
    using Word = order::WordOf<Score>;
    check_offsets(offsets, rows.size());
    if (scores.size() != positive.size() || rows.size() > scores.size())
        throw std::invalid_argument("scores, labels and rows differ in length");
    const std::size_t groups = offsets.size() - 1;
    GroupRanking result{Buffer<std::int64_t>(groups), Buffer<std::uint64_t>(groups),
                        Buffer<double>(groups)};
    std::vector<Slot<Word>> slots(static_cast<std::size_t>(threads()));
    const auto work = [&](std::size_t group) { return static_cast<std::size_t>(offsets[group]); };
    parallel_queries(groups, work, [&](std::size_t group, int index) {
        Slot<Word>& slot = slots[static_cast<std::size_t>(index)];
        const std::size_t begin = work(group), size = work(group + 1) - begin;
        for (auto& keys : slot.classes) keys.resize(size);
        std::size_t sizes[2] = {0, 0};
        in_pieces(size, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = begin + from; i < begin + to; ++i) {
                const auto row = static_cast<std::size_t>(rows[i]);
                if (row >= scores.size()) throw std::range_error("a row that is not there");
                const Score score = scores[row];
                if (score != score) slot.bad_row = static_cast<std::int64_t>(row);
                const bool side = positive[row] != 0;
                slot.classes[side][sizes[side]++] = order::key_of(score);
            }
        });
        for (int side = 0; side < 2; ++side) {
            slot.classes[side].resize(sizes[side]);
            merge_sort(slot.classes[side], slot.scratch);
        }
        const Ranking ranking = walk(slot.classes[0], slot.classes[1]);
        result.positives[group] = static_cast<std::int64_t>(sizes[1]);
        result.concordance[group] = ranking.concordance;
        result.average_precision[group] = ranking.average_precision;
    });
    for (const auto& slot : slots) {
        if (slot.bad_row >= 0) {
            GroupRanking bad;
            bad.bad_row = slot.bad_row;
            return bad;
        }
    }
    return result;
}

template GroupRanking rank_groups(Offsets, std::span<const std::uint32_t>, std::span<const double>,
                                  std::span<const std::uint8_t>);
template GroupRanking rank_groups(Offsets, std::span<const std::uint32_t>, std::span<const float>,
                                  std::span<const std::uint8_t>);
template GroupRanking rank_groups(Offsets, std::span<const std::int64_t>, std::span<const double>,
                                  std::span<const std::uint8_t>);
template GroupRanking rank_groups(Offsets, std::span<const std::int64_t>, std::span<const float>,
                                  std::span<const std::uint8_t>);

}  // namespace assay
