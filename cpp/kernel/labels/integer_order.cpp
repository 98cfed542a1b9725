#include "kernel/labels/integer_order.hpp"

#include "kernel/platform.hpp"

namespace assay {
namespace {

template <class U>
ASSAY_INTO_CLONE WordRange<U> range_loop(const U* values, std::size_t count, U bias) {
    U low = static_cast<U>(~U{0}), high = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const U word = static_cast<U>(values[i] + bias);
        low = std::min(low, word);
        high = std::max(high, word);
    }
    return {low, high};
}

#define ASSAY_RANGE(U)                                                                 \
    ASSAY_CLONES WordRange<U> find_range(const U* values, std::size_t count, U bias) { \
        return range_loop(values, count, bias);                                        \
    }
ASSAY_RANGE(std::uint8_t)
ASSAY_RANGE(std::uint16_t)
ASSAY_RANGE(std::uint32_t)
ASSAY_RANGE(std::uint64_t)
#undef ASSAY_RANGE

}  // namespace

template <class U>
WordRange<U> range_of(const U* values, std::size_t count, U bias) {
    return find_range(values, count, bias);
}

template WordRange<std::uint8_t> range_of(const std::uint8_t*, std::size_t, std::uint8_t);
template WordRange<std::uint16_t> range_of(const std::uint16_t*, std::size_t, std::uint16_t);
template WordRange<std::uint32_t> range_of(const std::uint32_t*, std::size_t, std::uint32_t);
template WordRange<std::uint64_t> range_of(const std::uint64_t*, std::size_t, std::uint64_t);

}  // namespace assay
