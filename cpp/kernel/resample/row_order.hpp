// Rows of distinct scores that are drawn in one order and counted in another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/resample/score_cells.hpp"

namespace assay::resample {

// Places are numbered in 32 bits, those behind the last row of a block among them.
inline bool fits_order(std::size_t rows) {
    return rows < (std::size_t{1} << 32) - 4 * block_rows;
}

// The counts of all rows of a replicate, a byte each, class by class where stratified. The cells
// must be of one row each.
class RowDraws {
public:
    RowDraws(const ScoreCells& cells, bool stratified);

    // Where the count of each row, in the order of the cells, is kept.
    const std::vector<std::uint32_t>& places() const { return places_; }
    bool positive(std::size_t row) const { return cells_.cells[row].positive; }
    std::size_t rows() const { return places_.size(); }
    // What the counts take: one byte more than has a place, which holds 0.
    std::size_t bytes() const { return bytes_ + 1; }
    void draw(std::uint64_t seed, std::uint64_t replicate, std::uint8_t* counts) const;

private:
    struct Part {
        Multinomial rows;
        std::uint64_t stream;
        std::size_t begin;
    };

    const ScoreCells& cells_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> places_;
    std::size_t bytes_ = 0;
};

// The rows by a model's ranks, all different; without ranks, in the order of the cells.
struct RowOrder {
    RowOrder(const RowDraws& draws, std::span<const std::uint32_t> ranks);

    Buffer<std::uint32_t> source;   // where the count of each place of the ordered blocks is kept
    Buffer<std::uint8_t> positive;  // 255 where that row is positive
    std::size_t rows;
};

// The areas of each replicate in each of the orders. A row and order takes 1 ns, most of it waiting
// for its count.
void areas_by_order(const RowDraws& draws, Replicates replicates,
                    const std::vector<std::pair<RowOrder, double*>>& orders);

}  // namespace assay::resample
