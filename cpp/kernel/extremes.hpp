// The least and the largest value of a column.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay {

// Of the rows that are numbers; infinities, or an integer's limits, the wrong way round where there
// is none.
template <class Value>
struct Extremes {
    Value least, largest;
    std::int64_t bad_row = -1;  // the first NaN, -1 where there is none
};

// For any plain type of numbers. Which zero is returned of 0.0 and -0.0 is not defined. Parallel,
// at the memory's speed.
template <class Value>
Extremes<Value> extremes(const Value* values, std::size_t rows);

}  // namespace assay
