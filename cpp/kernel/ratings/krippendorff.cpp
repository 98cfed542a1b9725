#include "kernel/ratings/krippendorff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

using Code = std::uint8_t;

constexpr Code no_code = 255;  // of a missing rating, until the number of codes is known
constexpr std::size_t max_codes = 255;
constexpr std::size_t block = 4096;       // items whose codes stay in the cache
constexpr std::size_t grain = 8 * block;  // items of a task
constexpr std::size_t max_cells = std::size_t{1} << 22;
constexpr std::size_t max_byte_raters = 23;  // whose 253 pairs a byte can count
constexpr std::size_t few_codes = 32;        // counted one by one, all items at once

// Codes of ratings that are whole numbers from 0 to 254, their own codes; false where one is not.
ASSAY_CLONES bool encode_small(const double* ratings, std::size_t size, Code* codes) {
    int bad = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double rating = ratings[i];
        // Clamped, NaN to 0, so that the conversion is of a number that fits; no branch anywhere.
        const double above = rating > 0 ? rating : 0;
        const int whole = static_cast<int>(above < 254.5 ? above : 254.5);
        const int fits = static_cast<double>(whole) == rating;
        codes[i] = static_cast<Code>(whole | -(1 - fits));
        bad |= (1 - fits) & (rating == rating);
    }
    return bad == 0;
}

ASSAY_CLONES void replace_code(Code* codes, std::size_t size, Code from, Code to) {
    for (std::size_t i = 0; i < size; ++i) codes[i] = codes[i] == from ? to : codes[i];
}

ASSAY_CLONES void add_present(const Code* codes, Code* sizes, std::size_t items, Code missing) {
    for (std::size_t i = 0; i < items; ++i)
        sizes[i] = static_cast<Code>(sizes[i] + (codes[i] != missing));
}

ASSAY_CLONES void add_equal(const Code* first, const Code* second, Code* equal, std::size_t items,
                            Code missing) {
    for (std::size_t i = 0; i < items; ++i)
        equal[i] = static_cast<Code>(equal[i] + ((first[i] == second[i]) & (first[i] != missing)));
}

// Bytes are added up in lanes of 64, each of which 255 ones fill.
ASSAY_CLONES std::size_t count_equal(const Code* codes, std::size_t items, Code code) {
    std::size_t total = 0, done = 0;
    while (items - done >= 64) {
        Code lanes[64] = {};
        const std::size_t end = std::min(items - (items - done) % 64, done + 64 * 255);
        for (; done < end; done += 64)
            for (std::size_t lane = 0; lane < 64; ++lane)
                lanes[lane] = static_cast<Code>(lanes[lane] + (codes[done + lane] == code));
        for (const Code lane : lanes) total += lane;
    }
    for (; done < items; ++done) total += codes[done] == code;
    return total;
}

ASSAY_CLONES std::uint64_t sum_bytes(const Code* values, std::size_t items) {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < items; ++i) total += values[i];
    return total;
}

ASSAY_CLONES Code smallest_of(const Code* values, std::size_t items) {
    Code smallest = 255;
    for (std::size_t i = 0; i < items; ++i) smallest = std::min(smallest, values[i]);
    return smallest;
}

// The ratings as codes, and what each code stands for, in order; the next code is of missing ones.
struct Coded {
    Buffer<Code> codes;
    std::vector<double> values;

    Code missing() const { return static_cast<Code>(values.size()); }
};

// Codes of any numbers of which there are few; false where there are more or one is infinite.
bool encode_distinct(const RatingTable& table, Coded& coded) {
    const std::size_t size = table.items * table.raters;
    std::vector<double>& values = coded.values;
    values.clear();
    for (std::size_t i = 0; i < size; ++i) {
        if (i % (std::size_t{1} << 16) == 0) check_interrupt();
        const double rating = table.ratings[i];
        if (rating != rating) continue;
        if (std::isinf(rating)) return false;
        const auto place = std::lower_bound(values.begin(), values.end(), rating);
        if (place != values.end() && *place == rating) continue;
        if (values.size() == max_codes) return false;
        values.insert(place, rating);
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double rating = table.ratings[i];
        const auto place = std::lower_bound(values.begin(), values.end(), rating);
        // What another thread wrote meanwhile is not among them, no more than NaN.
        const bool known = place != values.end() && *place == rating;
        coded.codes[i] = known ? static_cast<Code>(place - values.begin()) : no_code;
    }
    return true;
}

bool encode_table(const RatingTable& table, Coded& coded) {
    const std::size_t size = table.items * table.raters;
    coded.codes = Buffer<Code>(size);
    bool small = true;
    for (std::size_t done = 0; done < size && small; done += std::size_t{1} << 16) {
        if (done > 0) check_interrupt();
        const std::size_t rows = std::min(size - done, std::size_t{1} << 16);
        small = encode_small(table.ratings + done, rows, coded.codes.data() + done);
    }
    if (!small) return encode_distinct(table, coded);
    Code largest = 0;
    for (std::size_t i = 0; i < size; ++i)
        largest = std::max(largest, static_cast<Code>(coded.codes[i] + 1));  // 0 for a missing one
    coded.values.resize(largest);
    for (std::size_t code = 0; code < largest; ++code)
        coded.values[code] = static_cast<double>(code);
    return true;
}

bool encode(const RatingTable& table, Coded& coded) {
    if (!encode_table(table, coded)) return false;
    replace_code(coded.codes.data(), coded.codes.size(), no_code, coded.missing());
    return true;
}

// By the number of an item's ratings: items, pairs of equal ratings, and pairs by their two codes.
struct PairCounts {
    std::vector<std::int64_t> items, equal, cells;
    std::array<std::int64_t, 256> totals{};  // ratings of each code, of items rated twice or more

    PairCounts(std::size_t raters, std::size_t table)
        : items(raters + 1), equal(raters + 1), cells((raters + 1) * table) {}
};

class BlockCounter {
public:
    BlockCounter(const RatingTable& table, const Coded& coded, bool by_cell)
        : table_(table), coded_(coded), by_cell_(by_cell), columns_(table.raters) {
        if (table.by_item) scratch_.resize(table.raters * block);
    }

    void count(std::size_t begin, std::size_t items, PairCounts& counts) {
        take_columns(begin, items);
        std::fill_n(sizes_.begin(), items, Code{0});
        for (const Code* column : columns_)
            add_present(column, sizes_.data(), items, coded_.missing());
        const Code fewest = smallest_of(sizes_.data(), items);
        const bool complete = fewest == table_.raters && fewest >= 2;
        add_totals(items, complete, counts);
        if (complete)
            counts.items[table_.raters] += static_cast<std::int64_t>(items);
        else
            for (std::size_t i = 0; i < items; ++i) ++counts.items[sizes_[i]];
        if (by_cell_)
            add_cells(items, counts);
        else if (table_.raters <= max_byte_raters)
            add_equal_pairs(items, complete, counts);
        else
            add_equal_ratings(items, counts);
    }

private:
    void take_columns(std::size_t begin, std::size_t items) {
        const std::size_t raters = table_.raters;
        for (std::size_t r = 0; r < raters; ++r) {
            if (!table_.by_item) {
                columns_[r] = coded_.codes.data() + r * table_.items + begin;
                continue;
            }
            Code* column = scratch_.data() + r * block;
            const Code* codes = coded_.codes.data() + begin * raters + r;
            for (std::size_t i = 0; i < items; ++i) column[i] = codes[i * raters];
            columns_[r] = column;
        }
    }

    void add_totals(std::size_t items, bool complete, PairCounts& counts) {
        for (const Code* column : columns_) {
            if (coded_.values.size() <= few_codes) {
                for (std::size_t code = 0; code < coded_.values.size(); ++code)
                    counts.totals[code] += static_cast<std::int64_t>(
                        count_equal(column, items, static_cast<Code>(code)));
            } else {
                for (std::size_t i = 0; i < items; ++i) ++counts.totals[column[i]];
            }
            if (complete) continue;
            for (std::size_t i = 0; i < items; ++i)
                if (sizes_[i] == 1 && column[i] != coded_.missing()) --counts.totals[column[i]];
        }
    }

    void add_equal_pairs(std::size_t items, bool complete, PairCounts& counts) {
        std::fill_n(equal_.begin(), items, Code{0});
        for (std::size_t a = 0; a + 1 < columns_.size(); ++a)
            for (std::size_t b = a + 1; b < columns_.size(); ++b)
                add_equal(columns_[a], columns_[b], equal_.data(), items, coded_.missing());
        if (complete) {
            counts.equal[table_.raters] +=
                static_cast<std::int64_t>(sum_bytes(equal_.data(), items));
            return;
        }
        for (std::size_t i = 0; i < items; ++i) counts.equal[sizes_[i]] += equal_[i];
    }

    // For many raters: each rating is equal to those before it of the same code.
    void add_equal_ratings(std::size_t items, PairCounts& counts) {
        std::array<std::int64_t, 256> seen{};
        for (std::size_t i = 0; i < items; ++i) {
            std::int64_t equal = 0;
            for (const Code* column : columns_)
                if (column[i] != coded_.missing()) equal += seen[column[i]]++;
            for (const Code* column : columns_) seen[column[i]] = 0;
            counts.equal[sizes_[i]] += equal;
        }
    }

    // Pairs with a missing rating are counted, too, in cells that nobody reads: a branch costs
    // more.
    void add_cells(std::size_t items, PairCounts& counts) {
        const std::size_t width = coded_.values.size() + 1, table = width * width;
        for (std::size_t a = 0; a + 1 < columns_.size(); ++a) {
            for (std::size_t b = a + 1; b < columns_.size(); ++b) {
                const Code *first = columns_[a], *second = columns_[b];
                for (std::size_t i = 0; i < items; ++i)
                    ++counts.cells[sizes_[i] * table + first[i] * width + second[i]];
            }
        }
    }

    const RatingTable& table_;
    const Coded& coded_;
    bool by_cell_;
    std::vector<const Code*> columns_;
    std::vector<Code> scratch_;
    std::array<Code, block> sizes_, equal_;
};

// Distances of two codes; those of level ordinal are of mean ranks among all pairable ratings.
class Distance {
public:
    Distance(const std::vector<double>& values, const PairCounts& counts, RatingLevel level)
        : points_(values), level_(level) {
        if (level != RatingLevel::ordinal) return;
        double below = 0;
        for (std::size_t code = 0; code < values.size(); ++code) {
            const auto own = static_cast<double>(counts.totals[code]);
            points_[code] = below + own / 2;
            below += own;
        }
    }

    double operator()(std::size_t first, std::size_t second) const {
        const double a = points_[first], b = points_[second];
        if (level_ == RatingLevel::nominal) return a != b;
        if (level_ != RatingLevel::ratio) return (a - b) * (a - b);
        const double share = a + b > 0 ? (a - b) / (a + b) : 0;
        return share * share;
    }

private:
    std::vector<double> points_;
    RatingLevel level_;
};

double alpha_of(const PairCounts& counts, const std::vector<double>& values, RatingLevel level) {
    const std::size_t size = values.size(), raters = counts.items.size() - 1, width = size + 1;
    const Distance distance(values, counts, level);
    double ratings = 0, expected = 0, observed = 0;
    for (std::size_t a = 0; a < size; ++a) {
        ratings += static_cast<double>(counts.totals[a]);
        for (std::size_t b = a + 1; b < size; ++b)
            expected += 2 * static_cast<double>(counts.totals[a]) *
                        static_cast<double>(counts.totals[b]) * distance(a, b);
    }
    for (std::size_t m = 2; m <= raters; ++m) {
        double apart = 0;
        if (counts.cells.empty()) {
            const auto pairs = static_cast<std::int64_t>(m * (m - 1) / 2) * counts.items[m];
            apart = static_cast<double>(pairs - counts.equal[m]);
        } else {
            const std::int64_t* cells = counts.cells.data() + m * width * width;
            for (std::size_t a = 0; a < size; ++a)  // both orders at once: raters have no order
                for (std::size_t b = a + 1; b < size; ++b)
                    apart += static_cast<double>(cells[a * width + b] + cells[b * width + a]) *
                             distance(a, b);
        }
        observed += 2 * apart / static_cast<double>(m - 1);
    }
    if (!(expected > 0)) return std::numeric_limits<double>::quiet_NaN();
    return 1 - (ratings - 1) * observed / expected;
}

}  // namespace

std::optional<RatingAlpha> krippendorff_alpha(const RatingTable& table, RatingLevel level) {
    if (table.raters > max_codes) return std::nullopt;
    Coded coded;
    if (!encode(table, coded)) return std::nullopt;
    const std::size_t size = coded.values.size();
    const bool by_cell = level != RatingLevel::nominal;
    const std::size_t cells = by_cell ? (size + 1) * (size + 1) : 0;
    if ((table.raters + 1) * cells > max_cells) return std::nullopt;
    if (level == RatingLevel::ratio && size > 0 && coded.values[0] < 0) return std::nullopt;
    const std::size_t slots = table.items > grain ? static_cast<std::size_t>(threads()) : 1;
    std::vector<PairCounts> counts(slots, PairCounts(table.raters, cells));
    parallel_rows(table.items, grain, [&](std::size_t begin, std::size_t end, int slot) {
        BlockCounter counter(table, coded, by_cell);
        for (; begin < end; begin += block) {
            check_interrupt();
            counter.count(begin, std::min(block, end - begin),
                          counts[static_cast<std::size_t>(slot) % slots]);
        }
    });
    PairCounts& total = counts[0];
    for (std::size_t slot = 1; slot < slots; ++slot) {
        const auto add = [](auto& into, const auto& from) {
            for (std::size_t i = 0; i < into.size(); ++i) into[i] += from[i];
        };
        add(total.items, counts[slot].items);
        add(total.equal, counts[slot].equal);
        add(total.cells, counts[slot].cells);
        add(total.totals, counts[slot].totals);
    }
    std::int64_t items = 0;
    for (std::size_t m = 2; m <= table.raters; ++m) items += total.items[m];
    return RatingAlpha{alpha_of(total, coded.values, level), items};
}

}  // namespace assay
