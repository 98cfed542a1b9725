// The loops of the score order that are worth a copy per CPU level. All serial.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::order {

// Writes the keys of scores; true if one of them is NaN.
bool make_keys(const double* scores, std::size_t rows, std::uint64_t* keys);
bool make_keys(const float* scores, std::size_t rows, std::uint32_t* keys);

// Turns a bucket number into bucket * 2 + label; true if a label is neither 0 nor 1.
bool add_labels(const std::uint8_t* labels, std::size_t rows, std::uint16_t* bucket);
bool add_labels(const std::int64_t* labels, std::size_t rows, std::uint16_t* bucket);

template <class Word>
struct Bounds {
    Word low, high;
};
// The least and greatest word; rows > 0.
Bounds<std::uint64_t> bounds_of(const std::uint64_t* words, std::size_t rows);
Bounds<std::uint32_t> bounds_of(const std::uint32_t* words, std::size_t rows);

// Whether two neighbours differ in the label bit at most.
bool has_ties(const std::uint64_t* words, std::size_t rows);
bool has_ties(const std::uint32_t* words, std::size_t rows);

// Packed words without ties become the bits of their scores, in place, each with its one row.
void emit_distinct(std::uint64_t* words, std::size_t rows, bool nonnegative,
                   std::uint8_t* positives, std::uint8_t* negatives);
void emit_distinct(std::uint32_t* words, std::size_t rows, bool nonnegative,
                   std::uint8_t* positives, std::uint8_t* negatives);

}  // namespace assay::order
