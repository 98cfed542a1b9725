#include "kernel/order/class_counts.hpp"

#include <utility>

#include "kernel/parallel.hpp"

namespace assay::order {
namespace {

template <class Count>
Buffer<Count> widen(const Buffer<std::uint8_t>& bytes) {
    Buffer<Count> wide(bytes.size());
    parallel_rows(bytes.size(), 1 << 20, [&](std::size_t begin, std::size_t end, int) {
        std::copy(bytes.data() + begin, bytes.data() + end, wide.data() + begin);
    });
    return wide;
}

template <class Count>
CountPair settle(Buffer<std::uint8_t>&& positives, Buffer<std::uint8_t>&& negatives,
                 const std::vector<LargeCount>& large) {
    Buffer<Count> wide_positives = widen<Count>(std::exchange(positives, {}));
    Buffer<Count> wide_negatives = widen<Count>(std::exchange(negatives, {}));
    for (const LargeCount& note : large) {
        wide_positives[note.index] = static_cast<Count>(note.positives);
        wide_negatives[note.index] = static_cast<Count>(note.negatives);
    }
    return {std::move(wide_positives), std::move(wide_negatives)};
}

}  // namespace

CountPair settle_counts(Buffer<std::uint8_t>&& positives, Buffer<std::uint8_t>&& negatives,
                        const std::vector<LargeCount>& large) {
    std::uint64_t largest = 0;
    for (const LargeCount& note : large)
        largest = std::max({largest, note.positives, note.negatives});
    if (largest == 0) return {std::move(positives), std::move(negatives)};
    if (largest <= 0xffff)
        return settle<std::uint16_t>(std::move(positives), std::move(negatives), large);
    if (largest <= 0xffffffff)
        return settle<std::uint32_t>(std::move(positives), std::move(negatives), large);
    return settle<std::uint64_t>(std::move(positives), std::move(negatives), large);
}

}  // namespace assay::order
