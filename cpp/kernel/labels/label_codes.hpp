// A column of label codes whose width is known only at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay {

// Unsigned codes of 1, 2 or 4 bytes each. Borrowed: the memory must outlive the column.
struct Codes {
    const void* data = nullptr;
    std::size_t size = 0;
    int width = 1;

    // Writes the codes of rows [begin, begin + count) to `out`; false when one is not below `k`.
    // Kernels work through blocks that stay in the first cache, so that three widths need three
    // loops, not one for each combination of columns.
    bool load(std::size_t begin, std::size_t count, std::uint64_t k, std::uint32_t* out) const;
};

}  // namespace assay
