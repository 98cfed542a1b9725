// Columns of numbers of any plain type, read as doubles a piece at a time: no copy of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

namespace assay {

// The first row of a column.
using NumberColumn =
    std::variant<const double*, const float*, const std::int8_t*, const std::int16_t*,
                 const std::int32_t*, const std::int64_t*, const std::uint8_t*,
                 const std::uint16_t*, const std::uint32_t*, const std::uint64_t*>;

// Writes the rows [begin, begin + rows) as doubles, exactly. An integer beyond 2**53, which no
// double can be trusted to tell from its neighbours, becomes NaN. Serial, vectorised.
void read_numbers(const NumberColumn& column, std::size_t begin, std::size_t rows, double* out);

}  // namespace assay
