// Rows thrown into one block of equal places: the part of a multinomial draw that costs time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::resample {

inline constexpr std::size_t lanes = 64;             // places of a block that are worked on at once
inline constexpr std::size_t block_rows = 1u << 14;  // so that a block stays in the first cache
inline constexpr std::size_t lane_rows = block_rows / lanes;

// Where a row of a block is kept: each lane has consecutive rows, so that 64 walks through the rows
// in order go on side by side. A block of `rows` takes steps_of(rows) * lanes places; those behind
// the last row of a short block hold 0.
inline std::size_t steps_of(std::size_t rows) {
    return (rows + lanes - 1) / lanes;
}
inline std::size_t place_of(std::size_t row, std::size_t steps) {
    return row % steps * lanes + row / steps;
}

struct BlockKey {
    std::uint64_t seed, replicate, stream, block;
};

// How many of `balls` draws with replacement hit each of `rows` rows (1 to block_rows), exactly
// multinomial, as a function of the key and these numbers. Writes steps_of(rows) * lanes bytes at a
// multiple of 64. Most of them come as independent Poisson counts with a rate just low enough for
// their sum to stay within the balls: given its sum such a vector is multinomial, so throwing the
// missing balls makes it whole; a sum beyond the balls (1 block in 700) is drawn anew. A byte is
// enough: the odds against a count of 256 have 500 digits. Serial, 0.5 ns a row.
void draw_block(const BlockKey& key, std::size_t rows, std::uint64_t balls, std::uint8_t* out);

}  // namespace assay::resample
