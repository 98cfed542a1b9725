// Multinomial counts of a replicate, whole or block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernel/parallel.hpp"
#include "kernel/resample/binomial.hpp"
#include "kernel/resample/multinomial_block.hpp"

namespace assay::resample {

// Draws as many rows as there are, with replacement: entry e stands for sizes[e] rows that cannot
// be told apart. Few entries for their rows are drawn by conditional binomials, one after another;
// else the rows themselves are, in blocks, and added up per entry. Which way and which blocks
// depends on the sizes alone.
class Multinomial {
public:
    explicit Multinomial(std::span<const std::uint64_t> sizes) : sizes_(sizes) {
        for (const std::uint64_t size : sizes) {
            if (size > most_rows || rows_ > most_rows - size)
                throw std::range_error("replicates are drawn of at most 2^42 rows");
            rows_ += size;
        }
        by_row_ = rows_ / rows_per_entry <= sizes.size();
    }

    // Entries of one row each, for each_block alone.
    static Multinomial of_rows(std::uint64_t rows) {
        Multinomial made{{}};
        made.rows_ = rows;
        return made;
    }

    std::uint64_t rows() const { return rows_; }
    bool by_row() const { return by_row_; }

    enum class Order { up, down };

    // Calls use(first row, rows, bytes) for the blocks of a replicate from the first to the last,
    // or back, where by_row(). The bytes are those of draw_block, in `scratch`, which holds
    // block_rows.
    template <Order order = Order::up, class Use>
    void each_block(std::uint64_t seed, std::uint64_t replicate, std::uint64_t stream,
                    std::uint8_t* scratch, Use&& use) const {
        Stream words(seed, replicate, stream);
        std::vector<std::uint64_t> balls((rows_ + block_rows - 1) / block_rows);
        std::uint64_t left = rows_;
        for (std::size_t block = 0; block < balls.size(); ++block) {
            const std::uint64_t behind = rows_ - block * block_rows;
            balls[block] =
                binomial(left, std::min<std::uint64_t>(block_rows, behind), behind, words);
            left -= balls[block];
        }
        for (std::size_t i = 0; i < balls.size(); ++i) {
            const std::size_t block = order == Order::up ? i : balls.size() - 1 - i;
            const std::uint64_t begin = block * block_rows;
            const auto rows =
                static_cast<std::size_t>(std::min<std::uint64_t>(block_rows, rows_ - begin));
            draw_block({seed, replicate, stream, block}, rows, balls[block], scratch);
            use(begin, rows, static_cast<const std::uint8_t*>(scratch));
            check_interrupt();
        }
    }

    // The counts of a replicate, one per entry. Count holds rows().
    template <class Count>
    void draw(std::uint64_t seed, std::uint64_t replicate, std::uint64_t stream,
              std::uint8_t* scratch, Count* out) const {
        if (!by_row_) return split(seed, replicate, stream, out);
        std::size_t entry = 0;
        std::uint64_t missing = sizes_.empty() ? 0 : sizes_[0];  // rows of the entry still to come
        Count sum = 0;
        each_block(seed, replicate, stream, scratch,
                   [&](std::uint64_t, std::size_t rows, const std::uint8_t* bytes) {
                       const std::size_t steps = steps_of(rows);
                       for (std::size_t lane = 0; lane < lanes; ++lane) {
                           const std::size_t done = lane * steps;
                           if (done >= rows) break;
                           const std::size_t count = std::min(steps, rows - done);
                           for (std::size_t step = 0; step < count; ++step) {
                               while (missing == 0) {
                                   out[entry] = sum;
                                   sum = 0;
                                   missing = sizes_[++entry];
                               }
                               sum = static_cast<Count>(sum + bytes[step * lanes + lane]);
                               --missing;
                           }
                       }
                   });
        for (; entry < sizes_.size(); ++entry, sum = 0) out[entry] = sum;
    }

private:
    static constexpr std::uint64_t most_rows = std::uint64_t{1} << 42;
    static constexpr std::uint64_t rows_per_entry = 64;  // what a binomial takes as long as

    template <class Count>
    void split(std::uint64_t seed, std::uint64_t replicate, std::uint64_t stream,
               Count* out) const {
        Stream words(seed, replicate, stream);
        std::uint64_t left = rows_, behind = rows_;
        for (std::size_t entry = 0; entry < sizes_.size(); ++entry) {
            const std::uint64_t count = binomial(left, sizes_[entry], behind, words);
            out[entry] = static_cast<Count>(count);
            left -= count;
            behind -= sizes_[entry];
            if (entry % 1024 == 1023) check_interrupt();
        }
    }

    std::span<const std::uint64_t> sizes_;
    std::uint64_t rows_ = 0;
    bool by_row_ = true;
};

}  // namespace assay::resample
