#include "kernel/labels/label_codes.hpp"

#include <algorithm>

#include "kernel/platform.hpp"

namespace assay {
namespace {

template <class U>
ASSAY_INTO_CLONE bool widen_loop(const U* codes, std::size_t count, std::uint32_t last,
                                 std::uint32_t* out) {
    std::uint32_t above = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t code = codes[i];
        above |= code > last;
        out[i] = code;
    }
    return above == 0;
}

#define ASSAY_WIDEN(U)                                                             \
    ASSAY_CLONES bool widen(const U* codes, std::size_t count, std::uint32_t last, \
                            std::uint32_t* out) {                                  \
        return widen_loop(codes, count, last, out);                                \
    }
ASSAY_WIDEN(std::uint8_t)
ASSAY_WIDEN(std::uint16_t)
ASSAY_WIDEN(std::uint32_t)
#undef ASSAY_WIDEN

}  // namespace

bool Codes::load(std::size_t begin, std::size_t count, std::uint64_t k, std::uint32_t* out) const {
    if (k == 0) return count == 0;
    const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(k - 1, UINT32_MAX));
    switch (width) {
        case 1:
            return widen(static_cast<const std::uint8_t*>(data) + begin, count, last, out);
        case 2:
            return widen(static_cast<const std::uint16_t*>(data) + begin, count, last, out);
        default:
            return widen(static_cast<const std::uint32_t*>(data) + begin, count, last, out);
    }
}

}  // namespace assay
