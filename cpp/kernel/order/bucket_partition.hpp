// Rows dealt into buckets: two passes over chunks of the rows, the first to count and the second to
// write. What both the order of scores and the order of pairs stand on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/order/class_counts.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay::order {

class Partition {
public:
    static constexpr std::size_t parallel_from = 40000;

    Partition(std::size_t rows, std::size_t buckets)
        : rows_(rows), buckets_(buckets), starts_(buckets + 1) {
        constexpr std::size_t most_rows = std::size_t{2} << 20, least_rows = 1 << 16;
        const auto workers = static_cast<std::size_t>(threads());
        // Several for each of many threads: one that is slow, or shares its core, is not waited
        // for.
        const std::size_t each = std::max(
            (rows + workers * most_rows - 1) / (workers * most_rows),
            std::min(std::size_t{workers > 2 ? 4u : 1u}, rows / (workers * least_rows) + 1));
        // An even number of chunks, so that each of the two byte columns holds half of the marks.
        chunks_ = workers * each;
        chunks_ += chunks_ % 2;
        chunk_rows_ = (rows + chunks_ - 1) / chunks_;
        cursors_.resize(chunks_ * buckets_);
        positives = Buffer<std::uint8_t>(chunks_ * chunk_rows_);
        negatives = Buffer<std::uint8_t>(chunks_ * chunk_rows_);
    }

    // Pass 1. mark(begin, rows, marks) writes bucket * 2 + label for each of at most `block` rows
    // and returns false to stop early. False if any stopped. Parallel.
    template <class Mark>
    bool count(std::size_t block, Mark mark) {
        std::vector<unsigned char> fine(chunks_, 1);
        share(chunks_, [&](std::size_t chunk, int) {
            // Two tables: rows that come in order would otherwise wait for their own last store.
            std::vector<std::uint32_t> even(buckets_), odd(buckets_);
            const std::size_t begin = std::min(rows_, chunk * chunk_rows_);
            const std::size_t end = std::min(rows_, begin + chunk_rows_);
            std::uint16_t* marks = marks_of(chunk);
            for (std::size_t at = begin; at < end; at += block) {
                const std::size_t size = std::min(block, end - at);
                if (!mark(at, size, marks)) {
                    fine[chunk] = 0;
                    return;
                }
                for (std::size_t i = 0; i + 1 < size; i += 2) {
                    ++even[marks[i] >> 1];
                    ++odd[marks[i + 1] >> 1];
                }
                if (size % 2) ++even[marks[size - 1] >> 1];
                marks += size;
            }
            std::size_t* cursor = cursors_.data() + chunk * buckets_;
            for (std::size_t b = 0; b < buckets_; ++b) cursor[b] = std::size_t{even[b]} + odd[b];
        });
        if (std::find(fine.begin(), fine.end(), 0) != fine.end()) return false;
        std::size_t start = 0;
        for (std::size_t b = 0; b < buckets_; ++b) {
            starts_[b] = start;
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                const std::size_t size = cursors_[chunk * buckets_ + b];
                cursors_[chunk * buckets_ + b] = start;
                start += size;
            }
        }
        starts_[buckets_] = start;
        return true;
    }

    // Pass 2. Writes make(row, label) of each row to its bucket in `out`, which starts on a cache
    // line. Parallel.
    template <class Record, class Make>
    void deal(Record* out, Make make) {
        constexpr std::size_t in_line = 64 / sizeof(Record);
        std::vector<Buffer<Record>> lines(static_cast<std::size_t>(threads()));
        share(chunks_, [&](std::size_t chunk, int slot) {
            Buffer<Record>& own = lines[static_cast<std::size_t>(slot)];
            if (own.size() == 0) own = Buffer<Record>(buckets_ * in_line);
            Record* line = own.data();
            const std::size_t begin = std::min(rows_, chunk * chunk_rows_);
            const std::size_t end = std::min(rows_, begin + chunk_rows_);
            const std::uint16_t* marks = marks_of(chunk);
            std::size_t* cursor = cursors_.data() + chunk * buckets_;
            const std::vector<std::size_t> first(cursor, cursor + buckets_);
            // A line that another chunk shares, or that is not full, is written in part.
            const auto write_part = [&](std::size_t b, std::size_t stop) {
                const std::size_t from = std::max(first[b], (stop - 1) / in_line * in_line);
                std::memcpy(out + from, line + b * in_line + from % in_line,
                            (stop - from) * sizeof(Record));
            };
            for (std::size_t row = begin; row < end; ++row) {
                const std::uint16_t mark = marks[row - begin];
                const std::size_t b = mark >> 1, at = cursor[b]++, place = at % in_line;
                line[b * in_line + place] = make(row, mark & 1);
                if (place == in_line - 1) {
                    if (at + 1 - in_line >= first[b]) {
                        // The buckets are read again only after all rows are dealt.
                        write_line(out + (at + 1 - in_line), line + b * in_line);
                    } else {
                        write_part(b, at + 1);
                    }
                }
            }
            for (std::size_t b = 0; b < buckets_; ++b)
                if (cursor[b] > first[b] && cursor[b] % in_line) write_part(b, cursor[b]);
            finish_lines();
        });
    }

    // Pass 3. finish(bucket, begin, end, slot) for every bucket that has rows, the largest first;
    // it returns how many entries it left at `begin`. Parallel.
    template <class Finish>
    void finish(Finish finish) {
        std::vector<std::uint32_t> order(buckets_);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return starts_[a + 1] - starts_[a] > starts_[b + 1] - starts_[b];
        });
        entries_.assign(buckets_ + 1, 0);
        // Few rows a task would spend the time on handing out tasks.
        const std::size_t together = std::max<std::size_t>(1, buckets_ / 512);
        share((buckets_ + together - 1) / together, [&](std::size_t task, int slot) {
            const std::size_t from = task * together;
            for (std::size_t i = from; i < std::min(buckets_, from + together); ++i) {
                const std::size_t b = order[i];
                if (starts_[b] == starts_[b + 1]) continue;
                entries_[b] = finish(b, starts_[b], starts_[b + 1], slot);
            }
        });
        std::exclusive_scan(entries_.begin(), entries_.end(), entries_.begin(), std::size_t{0});
    }

    std::size_t entries() const { return entries_[buckets_]; }

    // Closes the gaps between the buckets' entries in a column of `rows` values. Copies into new
    // memory when at most half of the rows are left; moves in place otherwise. Parallel.
    template <class Value>
    void compact(Buffer<Value>& column) const {
        const std::size_t left = entries();
        if (left == rows_) return column.shrink(rows_);
        if (left > rows_ / 2) {
            close_gaps(column.data());
            return column.shrink(left);
        }
        Buffer<Value> packed(left);
        each_bucket([&](std::size_t from, std::size_t to, std::size_t size) {
            std::memcpy(packed.data() + to, column.data() + from, size * sizeof(Value));
        });
        column = std::move(packed);
    }

    // Calls copy(from, to, entries) for every bucket that has entries: from its first row to where
    // its entries belong when the gaps are closed. Parallel.
    template <class Copy>
    void each_bucket(Copy copy) const {
        share((buckets_ + 63) / 64, [&](std::size_t task, int) {
            for (std::size_t b = task * 64; b < std::min(buckets_, task * 64 + 64); ++b)
                if (entries_[b + 1] > entries_[b])
                    copy(starts_[b], entries_[b], entries_[b + 1] - entries_[b]);
        });
    }

    // Where a note made while finishing ends up.
    std::size_t compacted(std::size_t index) const {
        const std::size_t b = static_cast<std::size_t>(
            std::upper_bound(starts_.begin(), starts_.end(), index) - starts_.begin() - 1);
        return entries_[b] + (index - starts_[b]);
    }

    // Counts per entry, filled by the caller in pass 3. Until the end of pass 2 their memory holds
    // the marks: two bytes a row, which no longer matter when the first count is known.
    Buffer<std::uint8_t> positives, negatives;

private:
    // Few rows are done before a second thread has woken up.
    template <class Body>
    void share(std::size_t tasks, Body body) const {
        if (rows_ >= parallel_from) return parallel_tasks(tasks, body);
        for (std::size_t task = 0; task < tasks; ++task) body(task, 0);
    }

    // Where a bucket's entries belong may hold those of another: they go through a buffer that
    // stays in cache, some at a time, so that all threads can move.
    template <class Value>
    void close_gaps(Value* column) const {
        const std::size_t left = entries();
        std::size_t done = 0;  // buckets before the first gap stay
        for (std::size_t b = 0; b < buckets_ && entries_[b] == starts_[b]; ++b)
            done = entries_[b + 1];
        if (threads() == 1) {
            for (std::size_t b = 0; b < buckets_; ++b) {
                if (entries_[b] == starts_[b]) continue;
                std::memmove(column + entries_[b], column + starts_[b],
                             (entries_[b + 1] - entries_[b]) * sizeof(Value));
                check_interrupt();
            }
            return;
        }
        constexpr std::size_t piece = (std::size_t{1} << 18) / sizeof(Value);
        const std::size_t round = 2 * static_cast<std::size_t>(threads()) * piece;
        Buffer<Value> held(std::min(round, left - done));
        for (; done < left; done += round) {
            const std::size_t here = std::min(round, left - done);
            const auto each_piece = [&](auto copy) {
                share((here + piece - 1) / piece, [&](std::size_t task, int) {
                    copy(task * piece, std::min(piece, here - task * piece));
                });
            };
            each_piece([&](std::size_t from, std::size_t size) {
                gather(column, done + from, size, held.data() + from);
            });
            each_piece([&](std::size_t from, std::size_t size) {
                std::memcpy(column + done + from, held.data() + from, size * sizeof(Value));
            });
        }
    }

    // Copies the entries that belong to [begin, begin + size) from the buckets where they are.
    template <class Value>
    void gather(const Value* column, std::size_t begin, std::size_t size, Value* out) const {
        auto b = static_cast<std::size_t>(
            std::upper_bound(entries_.begin(), entries_.end(), begin) - entries_.begin() - 1);
        for (std::size_t copied = 0; copied < size; ++b) {
            const std::size_t first = begin + copied - entries_[b];
            const std::size_t here = std::min(size - copied, entries_[b + 1] - entries_[b] - first);
            std::memcpy(out + copied, column + starts_[b] + first, here * sizeof(Value));
            copied += here;
        }
    }

    std::uint16_t* marks_of(std::size_t chunk) {
        const std::size_t half = chunks_ / 2;
        std::uint8_t* memory = chunk < half ? positives.data() : negatives.data();
        return reinterpret_cast<std::uint16_t*>(memory) + (chunk % half) * chunk_rows_;
    }

    std::size_t rows_, buckets_, chunks_, chunk_rows_;
    std::vector<std::size_t> cursors_;  // [chunk][bucket]
    std::vector<std::size_t> starts_, entries_;
};

}  // namespace assay::order
