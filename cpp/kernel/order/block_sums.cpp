#include "kernel/order/block_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <variant>

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

}  // namespace assay
