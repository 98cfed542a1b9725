#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/pairs/pair_cells.hpp"
#include "kernel/pairs/pairs.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

constexpr std::size_t block = 512, small = 1 << 14, part_rows = 1 << 19;

template <class Use>
void for_each_code(const Codes& codes, std::uint64_t k, std::size_t begin, std::size_t end,
                   Use&& use) {
    std::uint32_t loaded[block];
    in_pieces(end - begin, [&](std::size_t from, std::size_t to) {
        for (std::size_t row = begin + from; row < begin + to; row += block) {
            const std::size_t count = std::min(block, begin + to - row);
            if (!codes.load(row, count, k, loaded)) throw_bad_code();
            for (std::size_t i = 0; i < count; ++i) use(loaded[i], row + i);
        }
    });
}

// A counting sort in parts: each part knows where its rows of each group begin, so that parts are
// written at the same time and rows stay in order.
template <class Row>
Buffer<Row> order(const Codes& codes, std::uint64_t k, std::vector<std::int64_t>& offsets) {
    const std::size_t rows = codes.size;
    // The places of all parts together stay below the rows themselves.
    const std::size_t most_parts = rows < small ? 1 : std::max<std::size_t>(1, rows / (2 * k + 1));
    const std::size_t parts = std::clamp<std::size_t>(rows / part_rows, 1, most_parts);
    const std::size_t part = (rows + parts - 1) / parts;
    std::vector<Row> places(parts * k);
    parallel_tasks(parts, [&](std::size_t task, int) {
        Row* place = places.data() + task * k;
        for_each_code(codes, k, std::min(rows, task * part), std::min(rows, (task + 1) * part),
                      [&](std::uint32_t code, std::size_t) { ++place[code]; });
    });
    Row next = 0;
    in_pieces(k, [&](std::size_t begin, std::size_t end) {
        for (std::size_t group = begin; group < end; ++group) {
            offsets[group] = static_cast<std::int64_t>(next);
            for (std::size_t task = 0; task < parts; ++task)
                next += std::exchange(places[task * k + group], next);
        }
    });
    offsets[k] = static_cast<std::int64_t>(rows);
    Buffer<Row> ordered(rows);
    parallel_tasks(parts, [&](std::size_t task, int) {
        const Row* first = places.data() + task * k;
        std::vector<Row> place(first, first + k);
        for_each_code(codes, k, std::min(rows, task * part), std::min(rows, (task + 1) * part),
                      [&](std::uint32_t code, std::size_t row) {
                          const auto at = static_cast<std::size_t>(place[code]++);
                          if (at >= rows) throw_changed();
                          ordered[at] = static_cast<Row>(row);
                      });
        const bool as_counted = task + 1 < parts
                                    ? std::equal(place.begin(), place.end(), first + k)
                                    : std::equal(place.begin(), place.end(), offsets.data() + 1);
        if (!as_counted) throw_changed();
    });
    return ordered;
}

}  // namespace

GroupOrder order_groups(const Codes& codes, std::uint64_t k) {
    GroupOrder result;
    result.offsets.resize(k + 1);
    if (codes.size < std::size_t{1} << 32) {
        result.rows = order<std::uint32_t>(codes, k, result.offsets);
    } else {
        result.wide_rows = order<std::int64_t>(codes, k, result.offsets);
    }
    return result;
}

}  // namespace assay
