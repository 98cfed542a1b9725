// Long work on one thread that still answers Ctrl-C.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernel/parallel.hpp"

namespace assay {

// Calls body(begin, end) for consecutive pieces of [0, size), with check_interrupt() between them.
template <class Body>
void in_pieces(std::size_t size, Body&& body) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    for (std::size_t begin = 0; begin < size; begin += piece) {
        if (begin > 0) check_interrupt();
        body(begin, std::min(size, begin + piece));
    }
}

}  // namespace assay
