#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernel/order/class_counts.hpp"
#include "kernel/order/order.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

using namespace order;

constexpr std::size_t task_entries = std::size_t{1} << 17, parallel_entries = std::size_t{1} << 20;

// The order of entries of a tally of scores, and of a tally of pairs.
template <class Score>
struct ScoreKeys {
    const Score* scores;
    std::size_t size;
    Score operator[](std::size_t i) const { return scores[i]; }
};
struct Pair {
    double x, y;
    friend auto operator<=>(const Pair&, const Pair&) = default;
};
struct PairKeys {
    const double *x, *y;
    std::size_t size;
    Pair operator[](std::size_t i) const { return {x[i], y[i]}; }
};

template <class Keys, class Count>
struct Side {
    Keys keys;
    const Count *positives, *negatives;
};

// First entry of `keys` that is not below `key`.
template <class Keys, class Key>
std::size_t lower_bound(const Keys& keys, const Key& key) {
    std::size_t begin = 0, end = keys.size;
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (keys[middle] < key) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// What one task merges: entries [a, a_end) with [b, b_end), written from `out` on.
struct Piece {
    std::size_t a, a_end, b, b_end, out, written;
};

// Cuts at keys of the longer side, so that equal keys meet in one piece.
template <class Keys>
std::vector<Piece> cut(const Keys& a, const Keys& b) {
    const std::size_t total = a.size + b.size;
    const std::size_t pieces = total < parallel_entries ? 1 : total / task_entries;
    const Keys& longer = a.size >= b.size ? a : b;
    std::vector<Piece> result;
    std::size_t a_from = 0, b_from = 0;
    for (std::size_t piece = 1; piece <= pieces; ++piece) {
        std::size_t a_to = a.size, b_to = b.size;
        if (piece < pieces) {
            const auto key = longer[piece * (longer.size / pieces)];
            // Never back, even if the keys are not in order: pieces must not overlap.
            a_to = std::max(a_from, lower_bound(a, key));
            b_to = std::max(b_from, lower_bound(b, key));
        }
        result.push_back({a_from, a_to, b_from, b_to, a_from + b_from, 0});
        a_from = a_to;
        b_from = b_to;
    }
    return result;
}

// Merges the pieces through put(at, key) and the sinks, then closes the gaps. The comparisons are
// turned into steps without a branch, since which side comes next is a coin toss.
template <class Keys, class A, class B, class Put>
void merge_piece(const Side<Keys, A>& a, const Side<Keys, B>& b, Piece& piece, CountSink sink,
                 Put put) {
    std::size_t i = piece.a, j = piece.b, at = piece.out;
    while (i < piece.a_end && j < piece.b_end) {
        const auto left = a.keys[i], right = b.keys[j];
        const bool take_a = !(right < left), take_b = !(left < right);
        put(at, take_a ? left : right);
        const std::uint64_t keep_a = std::uint64_t{0} - take_a, keep_b = std::uint64_t{0} - take_b;
        sink.put(at, (a.positives[i] & keep_a) + (b.positives[j] & keep_b),
                 (a.negatives[i] & keep_a) + (b.negatives[j] & keep_b));
        i += take_a;
        j += take_b;
        ++at;
    }
    for (; i < piece.a_end; ++i, ++at) {
        put(at, a.keys[i]);
        sink.put(at, a.positives[i], a.negatives[i]);
    }
    for (; j < piece.b_end; ++j, ++at) {
        put(at, b.keys[j]);
        sink.put(at, b.positives[j], b.negatives[j]);
    }
    piece.written = at - piece.out;
}

template <class Value>
void close_gaps(const std::vector<Piece>& pieces, Buffer<Value>& column) {
    std::size_t end = 0;
    for (const Piece& piece : pieces) {
        if (piece.written > 0)
            std::copy(column.data() + piece.out, column.data() + piece.out + piece.written,
                      column.data() + end);
        end += piece.written;
        check_interrupt();
    }
    keep_first(column, end);
}

template <class Keys, class A, class B, class Put>
std::vector<Piece> merge_sides(const Side<Keys, A>& a, const Side<Keys, B>& b, CountPair& counts,
                               Put put) {
    std::vector<Piece> pieces = cut(a.keys, b.keys);
    const std::size_t most = a.keys.size + b.keys.size;
    Buffer<std::uint8_t> positives(most), negatives(most);
    std::vector<std::vector<LargeCount>> notes(pieces.size());
    parallel_tasks(pieces.size(), [&](std::size_t task, int) {
        const CountSink sink{positives.data(), negatives.data(), notes[task]};
        merge_piece(a, b, pieces[task], sink, put);
    });
    std::vector<LargeCount> large;
    std::size_t end = 0;
    for (std::size_t task = 0; task < pieces.size(); ++task) {
        for (LargeCount& note : notes[task]) {
            note.index -= pieces[task].out - end;
            large.push_back(note);
        }
        end += pieces[task].written;
    }
    close_gaps(pieces, positives);
    close_gaps(pieces, negatives);
    counts = settle_counts(std::move(positives), std::move(negatives), large);
    return pieces;
}

// Calls merge(a_counts..., b_counts...) with the dtypes found; a tally has one.
template <class View, class Merge>
void with_counts(const View& a, const View& b, std::size_t size_a, std::size_t size_b,
                 Merge merge) {
    const auto one_tally = [](const View& view, std::size_t size, auto next) {
        std::visit(
            [&](auto p, auto q) {
                if constexpr (std::is_same_v<decltype(p), decltype(q)>) {
                    if (p.size() != size || q.size() != size)
                        throw std::invalid_argument("a tally's columns differ in length");
                    next(p.data(), q.data());
                } else {
                    throw std::invalid_argument("a tally's counts differ in dtype");
                }
            },
            view.positives, view.negatives);
    };
    one_tally(a, size_a, [&](const auto* pa, const auto* qa) {
        one_tally(b, size_b, [&](const auto* pb, const auto* qb) { merge(pa, qa, pb, qb); });
    });
}

}  // namespace

template <class Score>
ScoreTally<Score> merge_scores(const ScoreTallyView<Score>& a, const ScoreTallyView<Score>& b) {
    using Keys = ScoreKeys<Score>;
    ScoreTally<Score> result;
    Buffer<Score> scores(a.scores.size() + b.scores.size());
    with_counts(a, b, a.scores.size(), b.scores.size(),
                [&](const auto* pa, const auto* qa, const auto* pb, const auto* qb) {
                    using A = std::remove_cvref_t<decltype(*pa)>;
                    using B = std::remove_cvref_t<decltype(*pb)>;
                    const Side<Keys, A> left{{a.scores.data(), a.scores.size()}, pa, qa};
                    const Side<Keys, B> right{{b.scores.data(), b.scores.size()}, pb, qb};
                    CountPair counts;
                    close_gaps(
                        merge_sides(left, right, counts,
                                    [&](std::size_t at, Score score) { scores[at] = score; }),
                        scores);
                    result.positives = std::move(counts.positives);
                    result.negatives = std::move(counts.negatives);
                });
    result.scores = std::move(scores);
    return result;
}

template ScoreTally<double> merge_scores(const ScoreTallyView<double>&,
                                         const ScoreTallyView<double>&);
template ScoreTally<float> merge_scores(const ScoreTallyView<float>&, const ScoreTallyView<float>&);

PairTally merge_pairs(const PairTallyView& a, const PairTallyView& b) {
    if (a.x.size() != a.y.size() || b.x.size() != b.y.size())
        throw std::invalid_argument("a tally's columns differ in length");
    PairTally result;
    Buffer<double> x(a.x.size() + b.x.size()), y(a.x.size() + b.x.size());
    with_counts(a, b, a.x.size(), b.x.size(),
                [&](const auto* pa, const auto* qa, const auto* pb, const auto* qb) {
                    using A = std::remove_cvref_t<decltype(*pa)>;
                    using B = std::remove_cvref_t<decltype(*pb)>;
                    const Side<PairKeys, A> left{{a.x.data(), a.y.data(), a.x.size()}, pa, qa};
                    const Side<PairKeys, B> right{{b.x.data(), b.y.data(), b.x.size()}, pb, qb};
                    CountPair counts;
                    const std::vector<Piece> pieces =
                        merge_sides(left, right, counts, [&](std::size_t at, const Pair& pair) {
                            x[at] = pair.x;
                            y[at] = pair.y;
                        });
                    close_gaps(pieces, x);
                    close_gaps(pieces, y);
                    result.positives = std::move(counts.positives);
                    result.negatives = std::move(counts.negatives);
                });
    result.x = std::move(x);
    result.y = std::move(y);
    return result;
}

}  // namespace assay
