#include "kernel/binned_scores.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"
#include "kernel/score_bins.hpp"

namespace assay {
namespace {

constexpr unsigned octave_of_zero = 0, octave_of_one = rising(0), octave_of_infinity = rising(1024),
                   octave_of_minus_infinity = falling(1023);
constexpr int smallest_exponent = -bias;  // where subnormal numbers are
constexpr int nearest_to_one = -54;       // 1 - score is in (2^-54, 2^-53]: one value
constexpr std::size_t octaves = 0x1040;   // falling(-54) + reflected, and some

// Log2 of an octave's cells at 18 bits; see the header.
constexpr int cells_by_distance(int exponent) {
    if (exponent >= -3) return 13;
    if (exponent >= -10) return 12;
    if (exponent >= -14) return 11;
    if (exponent >= -34) return 10;
    if (exponent >= -66) return 8;
    if (exponent >= -130) return 5;
    return 0;
}
constexpr int cells_by_magnitude(int exponent) {
    if (exponent >= 64) return 0;
    if (exponent >= 24) return 4;
    if (exponent >= 12) return 7;
    if (exponent >= 5) return 10;
    if (exponent >= 2) return 12;
    if (exponent >= 0) return 13;
    if (exponent >= -2) return 12;
    if (exponent >= -10) return 10;
    if (exponent >= -24) return 6;
    if (exponent >= -64) return 4;
    return 0;
}

// The octaves in ascending order of scores, given to use(octave, log2 of its cells at 18 bits).
template <class Use>
void each_octave(Use&& use) {
    for (int e = 1023; e >= smallest_exponent; --e) use(falling(e), cells_by_magnitude(e));
    for (int e = smallest_exponent; e <= -2; ++e) use(rising(e), cells_by_distance(e));
    for (int e = -2; e >= nearest_to_one; --e) use(falling(e) + reflected, cells_by_distance(e));
    for (int e = 0; e <= 1023; ++e) use(rising(e), cells_by_magnitude(e));
    use(octave_of_infinity, 0);
}

class Layout {
public:
    explicit Layout(int bits) {
        // Positions are counted in 64ths of a cell: an octave has at least that at 12 bits.
        std::uint64_t position = 0;
        const auto round_up = [&] { position = (position + 63) / 64 * 64; };
        each_octave([&](unsigned octave, int log_cells) {
            int scaled = log_cells + bits - 18;
            if (octave >= 0x1000)  // no more cells than values
                scaled = std::min(scaled, std::max(0, 53 + exponent_below_one(octave)));
            const bool lone = octave == octave_of_zero || octave == octave_of_one ||
                              octave == octave_of_minus_infinity;
            if (octave == octave_of_infinity) scaled = 0;
            if (scaled >= 0 || lone) round_up();
            table_[octave] = Octave(position / 64, 52 - std::max(0, scaled), lone);
            if (lone) position += 64;
            position += std::uint64_t{1} << (scaled + 6);
        });
        round_up();
        cells_ = position / 64;
    }

    std::size_t cells() const { return cells_; }
    const Octave* table() const { return table_.data(); }

private:
    static int exponent_below_one(unsigned octave) {
        return static_cast<int>(0xFFF + reflected - octave) - bias;
    }

    std::array<Octave, octaves> table_;
    std::size_t cells_ = 0;
};

// Made once for each number of bits: a batch of rows costs not much more than a layout does.
const Layout& layout_of(int bits) {
    constexpr std::size_t choices = most_bin_bits - least_bin_bits + 1;
    static std::array<std::once_flag, choices> once;
    static std::array<std::unique_ptr<const Layout>, choices> made;
    if (bits < least_bin_bits || bits > most_bin_bits)
        throw std::invalid_argument("scores are binned with 12 to 22 bits");
    const auto which = static_cast<std::size_t>(bits - least_bin_bits);
    std::call_once(once[which], [&] { made[which] = std::make_unique<const Layout>(bits); });
    return *made[which];
}

double score_of_key(unsigned octave, std::uint64_t place) {
    if (octave >= 0x1000) {
        const std::uint64_t key = std::uint64_t{octave - reflected} << 52 | place;
        return 1 - std::bit_cast<double>(0 - key);
    }
    const std::uint64_t key = std::uint64_t{octave} << 52 | place;
    return octave >= 0x800 ? -std::bit_cast<double>(0 - key) : std::bit_cast<double>(key);
}

// Rows that are placed before they are counted. Placing waits for the counts written last to reach
// the cache, so it is done rarely; yet the places shall stay in the cache, and fit a small stack.
constexpr std::size_t block = 1 << 14;
constexpr std::size_t grain = 1 << 16;
constexpr std::size_t few_rows = 1 << 18;  // fewer cost less than tables of their own per thread
constexpr std::size_t rows_per_pass = std::size_t{1} << 31;  // a uint32 count cannot overflow

// Writes the cells of `rows` scores, and returns whether a NaN was among them: its cell is one
// there is even then.
template <class Score>
ASSAY_INTO_CLONE bool cells_of(const Octave* table, const Score* scores, std::size_t rows,
                               std::uint32_t* cells) {
    std::uint64_t strange = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double score = static_cast<double>(scores[i]) + 0.0;  // -0.0 becomes 0.0
        const bool below_one = (score >= 0.5) & (score < 1.0);
        const double magnitude = below_one ? 1.0 - score : std::fabs(score);
        const std::uint64_t descending = ((score < 0.0) | below_one) ? ~std::uint64_t{0} : 0;
        const std::uint64_t key =
            (std::bit_cast<std::uint64_t>(magnitude) ^ descending) - descending;
        const std::uint64_t octave = (key >> 52) + (below_one ? reflected : 0);
        cells[i] = static_cast<std::uint32_t>(table[octave].cell(key));
        strange |= score != score;
    }
    return strange != 0;
}

// Returns whether a label but 0 and 1 is among them. Labels are looked at apart from the scores:
// they are of another width, and a loop over both would spend its time on fitting them together.
template <class Label>
ASSAY_INTO_CLONE bool strange_of(const Label* positive, std::size_t rows) {
    Label all = 0;
    for (std::size_t i = 0; i < rows; ++i) all |= positive[i];
    return static_cast<std::make_unsigned_t<Label>>(all) > 1;
}

#define ASSAY_CELLS(Score)                                                             \
    ASSAY_CLONES bool find_cells_as_compiled(const Octave* table, const Score* scores, \
                                             std::size_t rows, std::uint32_t* cells) { \
        return cells_of(table, scores, rows, cells);                                   \
    }
ASSAY_CELLS(double)
ASSAY_CELLS(float)
#undef ASSAY_CELLS

bool find_cells(const Octave* table, const float* scores, std::size_t rows, std::uint32_t* cells) {
    return find_cells_as_compiled(table, scores, rows, cells);
}

bool find_cells(const Octave* table, const double* scores, std::size_t rows, std::uint32_t* cells) {
#ifdef ASSAY_AVX
    static const bool wide = [] {
        const char* setting = std::getenv("ASSAY_CPU");
        return (!setting || std::string_view(setting) == "avx512") && cpu_has_avx512();
    }();
    if (wide) {
        const std::size_t whole = rows / 8 * 8;
        const bool bad = find_cells_avx512(table, scores, whole, cells);
        return bad | find_cells_as_compiled(table, scores + whole, rows - whole, cells + whole);
    }
#endif
    return find_cells_as_compiled(table, scores, rows, cells);
}

#define ASSAY_STRANGE(Label)                                                 \
    ASSAY_CLONES bool any_strange(const Label* positive, std::size_t rows) { \
        return strange_of(positive, rows);                                   \
    }
ASSAY_STRANGE(std::uint8_t)
ASSAY_STRANGE(std::int64_t)
#undef ASSAY_STRANGE

// Calls use(2 x cell + label) for every row; returns whether a NaN or a strange label was among
// them. The places are in range even then.
template <class Score, class Label, class Use>
bool each_place(const Layout& layout, const Score* scores, const Label* positive, std::size_t rows,
                Use&& use) {
    std::uint32_t cells[block];
    bool bad = false;
    for (std::size_t begin = 0; begin < rows; begin += block) {
        const std::size_t size = std::min(block, rows - begin);
        bad |= find_cells(layout.table(), scores + begin, size, cells);
        bad |= any_strange(positive + begin, size);
        for (std::size_t i = 0; i < size; ++i)
            use(2 * cells[i] + static_cast<std::uint32_t>(positive[begin + i] & 1));
    }
    return bad;
}

// Counts a row in a table narrow enough to stay in the cache; every 2^16 rows a cell there starts
// again and the wide table has them.
struct Narrow {
    std::uint16_t* recent;
    std::int64_t* counts;
    static constexpr std::int64_t full = 1 << 16;

    void add(std::uint32_t place) const {
        if (++recent[place] == 0) [[unlikely]]
            counts[place] += full;
    }
    void remove(std::uint32_t place) const {
        if (recent[place]-- == 0) [[unlikely]]
            counts[place] -= full;
    }
};

template <class Values, class Bad>
std::int64_t first_row(const Values* values, std::size_t rows, Bad&& bad) {
    const auto* end = values + rows;
    const auto* found = std::find_if(values, end, bad);
    return found == end ? -1 : found - values;
}

template <class Score, class Label, class Result>
void note_bad_rows(const Score* scores, const Label* positive, std::size_t rows, Result& result) {
    result.bad_score_row = first_row(scores, rows, [](Score x) { return x != x; });
    result.bad_label_row = first_row(positive, rows, [](Label x) { return x != 0 && x != 1; });
}

}  // namespace

std::size_t bin_count(int bits) {
    return layout_of(bits).cells();
}

std::vector<std::uint64_t> bin_octaves(int bits) {
    const Octave* table = layout_of(bits).table();
    std::vector<std::uint64_t> words(octaves);
    for (std::size_t octave = 0; octave < octaves; ++octave) words[octave] = table[octave].packed;
    return words;
}

std::vector<double> bin_edges(int bits) {
    const Layout& layout = layout_of(bits);
    std::vector<double> edges;
    edges.reserve(layout.cells());
    each_octave([&](unsigned octave, int) {
        const Octave& entry = layout.table()[octave];
        const auto add = [&](std::uint64_t place) {
            if (entry.cell(place) == edges.size()) edges.push_back(score_of_key(octave, place));
        };
        add(0);
        add(1);  // where the first value stands alone
        for (std::uint64_t part = 1; part < std::uint64_t{1} << (52 - entry.shift()); ++part)
            add(part << entry.shift());
    });
    return edges;
}

template <class Score, class Label>
BinnedScores bin_scores(const Score* scores, const Label* positive, std::size_t rows, int bits) {
    const Layout& layout = layout_of(bits);
    const std::size_t counters = 2 * layout.cells();
    BinnedScores result;
    result.cells = layout.cells();
    result.counts = Buffer<std::uint64_t>(counters);
    std::fill(result.counts.begin(), result.counts.end(), 0);

    bool bad = false;
    if (rows <= few_rows) {
        std::uint64_t* counts = result.counts.data();
        bad = each_place(layout, scores, positive, rows,
                         [=](std::uint32_t place) { ++counts[place]; });
    } else {
        struct Slot {
            Buffer<std::uint32_t> counts;
            bool bad = false;
        };
        std::vector<Slot> slots(static_cast<std::size_t>(threads()));
        for (std::size_t pass = 0; pass < rows; pass += rows_per_pass) {
            const std::size_t size = std::min(rows_per_pass, rows - pass);
            parallel_rows(size, grain, [&](std::size_t begin, std::size_t end, int index) {
                Slot& slot = slots[static_cast<std::size_t>(index)];
                if (slot.counts.size() == 0) {
                    slot.counts = Buffer<std::uint32_t>(counters);
                    std::fill(slot.counts.begin(), slot.counts.end(), 0);
                }
                std::uint32_t* counts = slot.counts.data();
                slot.bad |= each_place(layout, scores + pass + begin, positive + pass + begin,
                                       end - begin, [=](std::uint32_t place) { ++counts[place]; });
            });
            for (Slot& slot : slots) {
                for (std::size_t i = 0; i < slot.counts.size(); ++i)
                    result.counts[i] += slot.counts[i];
                std::fill(slot.counts.begin(), slot.counts.end(), 0);
                bad |= slot.bad;
            }
        }
    }
    if (bad) note_bad_rows(scores, positive, rows, result);
    return result;
}

template <class Score, class Label>
BadRows add_scores(const Score* scores, const Label* positive, std::size_t rows, int bits,
                   std::uint16_t* recent, std::int64_t* counts) {
    const Layout& layout = layout_of(bits);
    const Narrow table{recent, counts};
    const auto each = [&](auto&& use) { return each_place(layout, scores, positive, rows, use); };
    BadRows result;
    if (each([=](std::uint32_t place) { table.add(place); })) {
        each([=](std::uint32_t place) { table.remove(place); });
        note_bad_rows(scores, positive, rows, result);
    }
    return result;
}

template <class Score>
BinnedPlaces bin_places(const Score* scores, const std::uint8_t* positive, std::size_t rows,
                        int bits) {
    const Layout& layout = layout_of(bits);
    BinnedPlaces result;
    result.places = Buffer<std::uint32_t>(rows);
    std::atomic<bool> bad{false};
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int) {
        std::uint32_t* places = result.places.data() + begin;
        if (each_place(layout, scores + begin, positive + begin, end - begin,
                       [&](std::uint32_t place) { *places++ = place; }))
            bad.store(true, std::memory_order_relaxed);
    });
    if (bad) note_bad_rows(scores, positive, rows, result);
    return result;
}

template BinnedPlaces bin_places(const double*, const std::uint8_t*, std::size_t, int);
template BinnedPlaces bin_places(const float*, const std::uint8_t*, std::size_t, int);

template BadRows add_scores(const double*, const std::uint8_t*, std::size_t, int, std::uint16_t*,
                            std::int64_t*);
template BadRows add_scores(const double*, const std::int64_t*, std::size_t, int, std::uint16_t*,
                            std::int64_t*);
template BadRows add_scores(const float*, const std::uint8_t*, std::size_t, int, std::uint16_t*,
                            std::int64_t*);
template BadRows add_scores(const float*, const std::int64_t*, std::size_t, int, std::uint16_t*,
                            std::int64_t*);

template BinnedScores bin_scores(const double*, const std::uint8_t*, std::size_t, int);
template BinnedScores bin_scores(const double*, const std::int64_t*, std::size_t, int);
template BinnedScores bin_scores(const float*, const std::uint8_t*, std::size_t, int);
template BinnedScores bin_scores(const float*, const std::int64_t*, std::size_t, int);

}  // namespace assay
