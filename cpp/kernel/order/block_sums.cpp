#include "kernel/order/block_sums.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

template <class Count>
ASSAY_INTO_CLONE std::uint64_t add_up(const Count* counts, std::size_t size) {
    // Sums of few small counts fit 32 bits, of which a register adds twice as many at a time.
    using Part = std::conditional_t<sizeof(Count) <= 2, std::uint32_t, std::uint64_t>;
    constexpr std::size_t piece = std::size_t{1} << 15;
    std::uint64_t sum = 0;
    for (std::size_t begin = 0; begin < size; begin += piece) {
        Part part = 0;
        for (std::size_t i = begin; i < std::min(size, begin + piece); ++i) part += counts[i];
        sum += part;
    }
    return sum;
}

#define ASSAY_ADD(Count)                                                    \
    ASSAY_CLONES std::uint64_t add(const Count* counts, std::size_t size) { \
        return add_up(counts, size);                                        \
    }
ASSAY_ADD(std::uint8_t)
ASSAY_ADD(std::uint16_t)
ASSAY_ADD(std::uint32_t)
ASSAY_ADD(std::uint64_t)
#undef ASSAY_ADD

constexpr std::size_t search_entries = std::size_t{1} << 12;

// Where the running counts of a block reach each of some levels, all of which they do.
void search_block(std::span<const CountsView> columns, std::size_t begin, std::size_t end,
                  std::uint64_t below, std::span<const std::int64_t> levels,
                  std::int64_t* entries) {
    std::array<std::uint64_t, search_entries> rows{};
    for (const CountsView& column : columns)
        std::visit(
            [&](const auto& counts) {
                for (std::size_t i = begin; i < end; ++i) rows[i - begin] += counts[i];
            },
            column);
    std::size_t entry = 0;
    std::uint64_t reached = below + rows[0];
    for (const std::int64_t level : levels) {
        while (reached < static_cast<std::uint64_t>(level)) reached += rows[++entry];
        *entries++ = static_cast<std::int64_t>(begin + entry);
    }
}

std::size_t common_size(std::span<const CountsView> columns) {
    const auto size_of = [](const CountsView& column) {
        return std::visit([](const auto& counts) { return counts.size(); }, column);
    };
    const std::size_t size = columns.empty() ? 0 : size_of(columns.front());
    for (const CountsView& column : columns)
        if (size_of(column) != size) throw std::invalid_argument("columns differ in length");
    return size;
}

}  // namespace

Buffer<std::int64_t> block_sums(const CountsView& counts, std::size_t block) {
    if (block == 0) throw std::invalid_argument("a block has at least one count");
    return std::visit(
        [block](const auto& values) {
            const std::size_t size = values.size(), blocks = size / block + (size % block > 0);
            Buffer<std::int64_t> sums(blocks);
            const std::size_t together = std::max<std::size_t>(1, (std::size_t{1} << 17) / block);
            parallel_rows(blocks, together, [&](std::size_t begin, std::size_t end, int) {
                for (std::size_t i = begin; i < end; ++i) {
                    const std::size_t from = i * block, here = std::min(block, size - from);
                    sums[i] = static_cast<std::int64_t>(add(values.data() + from, here));
                }
            });
            return sums;
        },
        counts);
}

Buffer<std::int64_t> entries_reaching(std::span<const CountsView> columns,
                                      std::span<const std::int64_t> levels) {
    const std::size_t size = common_size(columns);
    if (!std::is_sorted(levels.begin(), levels.end()) || (!levels.empty() && levels.front() < 1))
        throw std::invalid_argument("levels are at least 1, in ascending order");
    std::vector<std::int64_t> reached((size + search_entries - 1) / search_entries);
    for (const CountsView& column : columns) {
        const Buffer<std::int64_t> sums = block_sums(column, search_entries);
        for (std::size_t i = 0; i < sums.size(); ++i) reached[i] += sums[i];
    }
    std::partial_sum(reached.begin(), reached.end(), reached.begin());
    Buffer<std::int64_t> entries(levels.size());
    parallel_rows(reached.size(), 8, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t block = first; block < last; ++block) {
            const std::int64_t below = block ? reached[block - 1] : 0;
            const auto from = std::upper_bound(levels.begin(), levels.end(), below);
            const auto to = std::upper_bound(from, levels.end(), reached[block]);
            if (from == to) continue;
            const std::size_t begin = block * search_entries;
            search_block(columns, begin, std::min(size, begin + search_entries),
                         static_cast<std::uint64_t>(below), {from, to},
                         entries.data() + (from - levels.begin()));
        }
    });
    const std::int64_t all = reached.empty() ? 0 : reached.back();
    const auto beyond = std::upper_bound(levels.begin(), levels.end(), all);
    std::fill(entries.begin() + (beyond - levels.begin()), entries.end(),
              static_cast<std::int64_t>(size));
    return entries;
}

}  // namespace assay
