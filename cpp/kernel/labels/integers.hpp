// Codes for integer labels: each row's place among the distinct values in ascending order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "kernel/buffer.hpp"

namespace assay {

// The narrowest type that holds every code: up to 256 labels, up to 65,536, more.
using EncodedCodes =
    std::variant<Buffer<std::uint8_t>, Buffer<std::uint16_t>, Buffer<std::uint32_t>>;

template <class T>
struct EncodedIntegers {
    EncodedCodes codes;     // labels[codes[row]] == values[row]
    std::vector<T> labels;  // the distinct values, ascending
};

// Encodes a column of std::int8_t to std::int64_t or std::uint8_t to std::uint64_t. Labels within a
// range of about as many values as there are rows go through a table indexed by the value, others
// through a hash table per thread. Linear and parallel; throws std::range_error above 2^32 labels.
template <class T>
EncodedIntegers<T> encode_integers(const T* values, std::size_t rows);

struct EncodedDoubles {
    EncodedIntegers<std::int64_t> integers;
    std::int64_t bad_row = -1;
};

// The same for floats (float or double) that are whole numbers within +-2^53; -0.0 is 0. bad_row is
// the first row that is not such a number, and nothing is encoded then; -1 when all are.
template <class Float>
EncodedDoubles encode_doubles(const Float* values, std::size_t rows);

}  // namespace assay
