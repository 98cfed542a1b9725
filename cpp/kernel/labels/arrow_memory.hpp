// Reading Arrow buffers, which promise an alignment that slices of files do not always keep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/labels/arrow.hpp"

namespace assay {

template <class T>
T load_at(const void* buffer, std::size_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + index * sizeof(T), sizeof value);
    return value;
}

[[noreturn]] inline void refuse_corrupt(const char* what) {
    throw std::invalid_argument(std::string("corrupt Arrow data: ") + what);
}

// Where each chunk starts in the column, and the column's end.
inline std::vector<std::size_t> chunk_starts(const ArrowColumn& column) {
    std::vector<std::size_t> starts = {0};
    for (const auto& chunk : column.chunks) {
        starts.push_back(starts.back() + static_cast<std::size_t>(chunk->length));
    }
    return starts;
}

// Calls body(chunk, first, last, row) for the pieces of chunks that make up the column's rows
// [begin, end): rows [first, last) of that chunk, of which the first is row `row` of the column.
template <class Body>
void for_pieces(const std::vector<std::size_t>& starts, std::size_t begin, std::size_t end,
                Body&& body) {
    std::size_t chunk = static_cast<std::size_t>(
        std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin() - 1);
    while (begin < end) {
        const std::size_t stop = std::min(end, starts[chunk + 1]);
        body(chunk, begin - starts[chunk], stop - starts[chunk], begin);
        begin = stop;
        ++chunk;
    }
}

// Calls visit(T{}) with the integer type of a dictionary's indices.
template <class Visit>
void visit_index_type(ArrowType type, Visit&& visit) {
    const bool is_signed = type.kind == 'i';
    switch (type.bytes) {
        case 1:
            return is_signed ? visit(std::int8_t{}) : visit(std::uint8_t{});
        case 2:
            return is_signed ? visit(std::int16_t{}) : visit(std::uint16_t{});
        case 4:
            return is_signed ? visit(std::int32_t{}) : visit(std::uint32_t{});
        default:
            return is_signed ? visit(std::int64_t{}) : visit(std::uint64_t{});
    }
}

// Writes bits [begin, begin + count) of a bitmap as bytes 0 and 1, each xor `flip`.
// Returns how many ones it wrote.
std::size_t expand_bits(const void* bitmap, std::size_t begin, std::size_t count, bool flip,
                        bool* out);

}  // namespace assay
