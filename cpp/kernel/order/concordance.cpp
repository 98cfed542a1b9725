#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/interruptible_work.hpp"
#include "kernel/order/order.hpp"
#include "kernel/order/score_key.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

// The y of one distinct pair, or of a row where all pairs differ, with the rows that share it.
struct Row {
    using Count = std::uint64_t;  // of pairs in one merge, which moves 2^16 rows at most
    std::uint64_t key;
    static constexpr std::uint64_t weight = 1;

    // Bits, not branches: which one is taken would be guessed wrong half of the time.
    static Row choose(std::uint64_t mask, const Row& a, const Row& b) {
        return {b.key ^ ((a.key ^ b.key) & mask)};
    }
};
struct Rows {
    using Count = uint128;
    std::uint64_t key, weight;

    static Rows choose(std::uint64_t mask, const Rows& a, const Rows& b) {
        return {b.key ^ ((a.key ^ b.key) & mask), b.weight ^ ((a.weight ^ b.weight) & mask)};
    }
};

constexpr std::size_t few = 16, leaf = std::size_t{1} << 15, piece = std::size_t{1} << 16;

// Pairs of rows (left, right) that a merge has found in the wrong order, and the rows it moved.
struct Moved {
    uint128 inversions = 0;
    std::uint64_t left = 0, right = 0;
};

// Merges [left, left_end) and [right, right_end), both ascending, to `out`; equal keys from the
// left first, which is no inversion.
template <class Record>
Moved merge_records(const Record* left, const Record* left_end, const Record* right,
                    const Record* right_end, Record* out) {
    Moved moved;
    if constexpr (sizeof(Record) == sizeof(Row)) {
        moved.left = static_cast<std::uint64_t>(left_end - left);
        moved.right = static_cast<std::uint64_t>(right_end - right);
    } else {
        for (const Record* record = left; record < left_end; ++record) moved.left += record->weight;
        for (const Record* record = right; record < right_end; ++record)
            moved.right += record->weight;
    }
    typename Record::Count inversions = 0;
    std::uint64_t to_come = moved.left;
    while (left < left_end && right < right_end) {
        const bool right_first = right->key < left->key;
        const std::uint64_t mask = std::uint64_t{0} - right_first;
        inversions += typename Record::Count{right->weight & mask} * to_come;
        to_come -= left->weight & ~mask;
        *out++ = Record::choose(mask, *right, *left);
        right += right_first;
        left += !right_first;
    }
    moved.inversions = inversions;
    std::copy(right, right_end, std::copy(left, left_end, out));
    return moved;
}

// Writes up to `few` records in ascending order to `out`, each behind those below it, and returns
// their inversions.
template <class Record>
uint128 sort_few_records(const Record* records, std::size_t size, Record* out) {
    std::size_t rank[few] = {};
    uint128 inversions = 0;
    for (std::size_t i = 0; i < size; ++i) {
        std::uint64_t below = 0;
        for (std::size_t j = i + 1; j < size; ++j) {
            const bool later_first = records[j].key < records[i].key;
            below += records[j].weight & (std::uint64_t{0} - later_first);
            rank[i] += later_first;
            rank[j] += !later_first;
        }
        inversions += uint128{below} * records[i].weight;
    }
    for (std::size_t i = 0; i < size; ++i) out[rank[i]] = records[i];
    return inversions;
}

// Sorts the records of a leaf and returns their inversions.
template <class Record>
uint128 sort_leaf(Record* records, std::size_t size, Record* scratch) {
    uint128 inversions = 0;
    for (std::size_t i = 0; i < size; i += few)
        inversions += sort_few_records(records + i, std::min(few, size - i), scratch + i);
    Record *from = scratch, *to = records;
    for (std::size_t run = few; run < leaf; run *= 2) {
        for (std::size_t i = 0; i < size; i += 2 * run) {
            const Record* middle = from + std::min(size, i + run);
            const Record* end = from + std::min(size, i + 2 * run);
            inversions += merge_records<Record>(from + i, middle, middle, end, to + i).inversions;
        }
        std::swap(from, to);
    }
    if (from != records) std::copy(from, from + size, records);
    return inversions;
}

// How many of the first `rank` merged records come from the left.
template <class Record>
std::size_t taken_from_left(const Record* left, std::size_t left_size, const Record* right,
                            std::size_t right_size, std::size_t rank) {
    std::size_t low = rank > right_size ? rank - right_size : 0, high = std::min(rank, left_size);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (left[middle].key <= right[rank - middle - 1].key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Merges neighbouring runs, in pieces of the output that threads share out, and returns the
// inversions between them.
template <class Record>
uint128 merge_level(const Record* from, std::size_t size, std::size_t run, Record* to) {
    std::vector<Moved> moved((size + piece - 1) / piece);
    parallel_rows(size, piece, [&](std::size_t begin, std::size_t end, int) {
        const std::size_t start = begin / (2 * run) * (2 * run);
        const std::size_t middle = std::min(size, start + run);
        const std::size_t stop = std::min(size, start + 2 * run);
        const Record *left = from + start, *right = from + middle;
        const auto split = [&](std::size_t rank) {
            return taken_from_left(left, middle - start, right, stop - middle, rank);
        };
        const std::size_t first = split(begin - start), last = split(end - start);
        moved[begin / piece] =
            merge_records(left + first, left + last, right + (begin - start - first),
                          right + (end - start - last), to + begin);
    });
    // A record from the right has also passed those of the left in later pieces.
    uint128 inversions = 0;
    const std::size_t pieces_per_pair = 2 * run / piece;
    std::uint64_t later = 0;
    for (std::size_t i = moved.size(); i-- > 0;) {
        if ((i + 1) % pieces_per_pair == 0) later = 0;
        inversions += moved[i].inversions + uint128{moved[i].right} * later;
        later += moved[i].left;
    }
    return inversions;
}

uint128 pairs_among(uint128 rows) {
    return rows * (rows - (rows > 0)) / 2;
}

// The pairs of rows inside each group of neighbours with one key. weight(i) is the rows of entry i.
template <class Key, class Weight>
uint128 tied_pairs(std::size_t size, Key key, Weight weight) {
    uint128 ties = 0;
    std::uint64_t group = 0;
    in_pieces(size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (i > 0 && key(i) != key(i - 1)) {
                ties += pairs_among(group);
                group = 0;
            }
            group += weight(i);
        }
    });
    return ties + pairs_among(group);
}

struct Inversions {
    uint128 pairs, tied;
};

// The inversions of records and the pairs of rows with equal keys. The records come back in order.
template <class Record>
Inversions count_inversions(Buffer<Record>& records) {
    const std::size_t size = records.size();
    Buffer<Record> scratch(size);
    std::vector<uint128> of_leaf((size + leaf - 1) / leaf);
    parallel_rows(size, leaf, [&](std::size_t begin, std::size_t end, int) {
        of_leaf[begin / leaf] =
            sort_leaf(records.data() + begin, end - begin, scratch.data() + begin);
    });
    Inversions result{};
    for (const uint128 inversions : of_leaf) result.pairs += inversions;
    for (std::size_t run = leaf; run < size; run *= 2) {
        result.pairs += merge_level(records.data(), size, run, scratch.data());
        std::swap(records, scratch);
    }
    result.tied = tied_pairs(
        size, [&](std::size_t i) { return records[i].key; },
        [&](std::size_t i) { return records[i].weight; });
    return result;
}

}  // namespace

ConcordantPairs count_concordant(const double* x, const double* y, std::size_t rows) {
    // All rows of one class: the counts of that class are the rows of each distinct pair.
    Buffer<std::uint8_t> class_of(rows);
    std::fill(class_of.begin(), class_of.end(), std::uint8_t{0});
    PairTally tally = order_pairs(x, y, class_of.data(), rows);
    class_of = {};
    ConcordantPairs result;
    result.bad_row = tally.bad_row;
    if (rows == 0 || tally.bad_row >= 0) return result;

    const std::size_t size = tally.x.size();
    const Inversions found = std::visit(
        [&](const auto& weights) {
            const auto weight = [&](std::size_t i) { return std::uint64_t{weights[i]}; };
            const auto one_pair = [](std::size_t i) { return i; };
            result.tied_both = tied_pairs(size, one_pair, weight);
            result.tied_x = tied_pairs(
                                size, [&](std::size_t i) { return tally.x[i]; }, weight) -
                            result.tied_both;
            tally.x = {};
            const auto inversions = [&]<class Record>(Buffer<Record> records, auto record) {
                parallel_rows(size, piece, [&](std::size_t begin, std::size_t end, int) {
                    for (std::size_t i = begin; i < end; ++i)
                        records[i] = record(order::key_of(tally.y[i]), i);
                });
                tally.y = {};
                return count_inversions(records);
            };
            if (size == rows)
                return inversions(Buffer<Row>(size),
                                  [](auto key, std::size_t) { return Row{key}; });
            return inversions(Buffer<Rows>(size),
                              [&](auto key, std::size_t i) { return Rows{key, weight(i)}; });
        },
        tally.negatives);
    result.discordant = found.pairs;
    result.tied_y = found.tied - result.tied_both;
    result.concordant =
        pairs_among(rows) - result.discordant - result.tied_x - result.tied_y - result.tied_both;
    return result;
}

}  // namespace assay
