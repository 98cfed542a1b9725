#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/labels/radix_sort.hpp"
#include "kernel/pairs/pair_cells.hpp"
#include "kernel/pairs/pairs.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

constexpr int bucket_bits = 10, dense_bits = 16;
constexpr std::size_t grain = 1 << 18, small = 1 << 14;

// Replaces the words of a bucket, which agree above their lowest `bits` bits, by the distinct ones
// in order, writes how often each occurred to `counts` and returns their number. `zeros` is empty
// or a table of zeros, before and after.
template <class Word>
std::size_t settle(Word* words, Word* counts, std::size_t size, int bits,
                   std::vector<Word>& zeros) {
    if (size == 0) return 0;
    std::size_t distinct = 0;
    if (bits <= dense_bits && size >= (std::size_t{1} << bits) / 8) {
        if (zeros.empty()) zeros.resize(std::size_t{1} << dense_bits);
        Word* table = zeros.data();
        const Word mask = static_cast<Word>((Word{1} << bits) - 1), base = words[0] & ~mask;
        in_pieces(size, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ++table[words[i] & mask];
        });
        // No branch on whether a cell occurs: a third of them may. The cursor stays inside the
        // bucket because the loop ends with the last row.
        std::size_t left = size;
        for (Word cell = 0; left > 0; ++cell) {
            const Word count = std::exchange(table[cell], Word{0});
            words[distinct] = base | cell;
            counts[distinct] = count;
            distinct += count != 0;
            left -= count;
        }
        return distinct;
    }
    if (size < 1024) {
        std::sort(words, words + size);
    } else {
        radix_sort(words, counts, size, bits, [](Word word) { return word; });
    }
    std::size_t run = 0;  // where the last distinct word began
    in_pieces(size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (i + 1 < size && words[i + 1] == words[i]) continue;
            words[distinct] = words[i];
            counts[distinct++] = static_cast<Word>(i + 1 - run);
            run = i + 1;
        }
    });
    return distinct;
}

// Cells are spread over buckets by their top bits, and a bucket is counted by itself: in a table
// inside the second cache when the cells left are few enough, by sorting otherwise.
template <class Word>
SparseCounts count_cells(const PairColumns& columns, int bits) {
    const std::size_t rows = columns.rows();
    const std::size_t chunk = rows < small ? std::max<std::size_t>(rows, 1) : grain;
    const std::size_t chunks = (rows + chunk - 1) / chunk;
    const int shift = rows < small ? bits : std::max(0, bits - bucket_bits);
    const std::size_t buckets = std::size_t{1} << (bits - shift);
    // A shift by the whole width is undefined; one bucket needs none.
    const auto bucket_of = [&](Word cell) {
        return buckets == 1 ? std::size_t{0} : static_cast<std::size_t>(cell >> shift);
    };

    Buffer<Word> words(rows), counts(rows);
    std::vector<std::size_t> begins(buckets + 1);
    {
        std::vector<std::size_t> places(chunks * buckets);
        parallel_rows(rows, chunk, [&](std::size_t begin, std::size_t end, int) {
            std::size_t* place = places.data() + begin / chunk * buckets;
            for_each_block<Word>(columns, begin, end, [&](const Word* cells, std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) ++place[bucket_of(cells[i])];
            });
        });
        std::size_t next = 0;
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            begins[bucket] = next;
            for (std::size_t part = 0; part < chunks; ++part)
                next += std::exchange(places[part * buckets + bucket], next);
        }
        begins[buckets] = next;
        parallel_rows(rows, chunk, [&](std::size_t begin, std::size_t end, int) {
            const std::size_t part = begin / chunk;
            const std::size_t* first = places.data() + part * buckets;
            std::vector<std::size_t> place(first, first + buckets);
            for_each_block<Word>(columns, begin, end, [&](const Word* cells, std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) {
                    const std::size_t at = place[bucket_of(cells[i])]++;
                    if (at >= rows) throw_changed();
                    words[at] = cells[i];
                }
            });
            const std::size_t* last = part + 1 < chunks ? first + buckets : begins.data() + 1;
            if (!std::equal(place.begin(), place.end(), last)) throw_changed();
        });
    }

    std::vector<std::vector<Word>> zeros(static_cast<std::size_t>(threads()));
    std::vector<std::size_t> targets(buckets + 1);
    parallel_tasks(buckets, [&](std::size_t bucket, int slot) {
        const std::size_t begin = begins[bucket], size = begins[bucket + 1] - begin;
        targets[bucket + 1] = settle(words.data() + begin, counts.data() + begin, size, shift,
                                     zeros[static_cast<std::size_t>(slot)]);
    });
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) targets[bucket + 1] += targets[bucket];

    SparseCounts result{Buffer<std::uint64_t>(targets[buckets]),
                        Buffer<std::int64_t>(targets[buckets])};
    parallel_tasks(buckets, [&](std::size_t bucket, int) {
        const std::size_t from = begins[bucket], target = targets[bucket];
        in_pieces(targets[bucket + 1] - target, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                result.cells[target + i] = words[from + i];
                result.counts[target + i] = static_cast<std::int64_t>(counts[from + i]);
            }
        });
    });
    return result;
}

}  // namespace

SparseCounts count_pairs_sparse(const PairColumns& columns) {
    const std::uint64_t cells = columns.cells();
    const int bits = cells < 2 ? 0 : static_cast<int>(std::bit_width(cells - 1));
    if (bits <= 32 && columns.rows() < std::size_t{1} << 32)
        return count_cells<std::uint32_t>(columns, bits);
    return count_cells<std::uint64_t>(columns, bits);
}

}  // namespace assay
