#include "kernel/binned.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "kernel/clones.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

// A score's key ascends within its octave: the bits of a positive score, minus the bits of |score|
// or 1 - score where those descend. Its upper 12 bits number the octave; the octaves below 1 cut by
// their distance to it are moved up behind the others.
constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
constexpr unsigned reflected = 1024;
constexpr int bias = 1023;

constexpr unsigned rising(int exponent) {
    return static_cast<unsigned>(exponent + bias);
}
constexpr unsigned falling(int exponent) {
    return 0xFFF - rising(exponent);
}

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

// One octave packed into a word, so that a row needs one load: its first cell, how far to shift the
// mantissa, and whether its first value stands alone.
struct Octave {
    std::uint64_t packed = 52ull << 32;

    Octave() = default;
    Octave(std::uint64_t first, int shift, bool lone)
        : packed(first | static_cast<std::uint64_t>(shift) << 32 |
                 static_cast<std::uint64_t>(lone) << 40) {}
    std::uint64_t first() const { return packed & 0xFFFFFFFF; }
    unsigned shift() const { return packed >> 32 & 63; }
    std::uint64_t lone() const { return packed >> 40; }
    std::uint64_t cell(std::uint64_t key) const {
        const std::uint64_t place = key & mantissa;
        return first() + (place >> shift()) + std::min(place, lone());
    }
};

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
        if (bits < least_bin_bits || bits > most_bin_bits)
            throw std::invalid_argument("scores are binned with 12 to 22 bits");
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

double score_of_key(unsigned octave, std::uint64_t place) {
    if (octave >= 0x1000) {
        const std::uint64_t key = std::uint64_t{octave - reflected} << 52 | place;
        return 1 - std::bit_cast<double>(0 - key);
    }
    const std::uint64_t key = std::uint64_t{octave} << 52 | place;
    return octave >= 0x800 ? -std::bit_cast<double>(0 - key) : std::bit_cast<double>(key);
}

constexpr std::size_t block = 512, grain = 1 << 16;
constexpr std::size_t few_rows = 1 << 18;  // fewer cost less than tables of their own per thread
constexpr std::size_t rows_per_pass = std::size_t{1} << 31;  // a uint32 count cannot overflow

// Writes 2 x cell + label of `rows` rows; returns whether a NaN or a strange label was among them.
// The places are in range even then.
template <class Score, class Label>
__attribute__((always_inline)) inline bool place_block(const Octave* table, const Score* scores,
                                                       const Label* positive, std::size_t rows,
                                                       std::uint32_t* places) {
    std::uint64_t labels = 0;
    std::uint64_t strange = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double score = static_cast<double>(scores[i]) + 0.0;  // -0.0 becomes 0.0
        const bool below_one = (score >= 0.5) & (score < 1.0);
        const double magnitude = below_one ? 1.0 - score : std::fabs(score);
        const std::uint64_t descending = (score < 0.0) | below_one ? ~std::uint64_t{0} : 0;
        const std::uint64_t key =
            (std::bit_cast<std::uint64_t>(magnitude) ^ descending) - descending;
        const std::uint64_t octave = (key >> 52) + (below_one ? reflected : 0);
        const std::uint64_t label = static_cast<std::uint64_t>(positive[i]);
        places[i] = static_cast<std::uint32_t>(2 * table[octave].cell(key) + (label & 1));
        labels |= label;
        strange |= score != score;
    }
    return strange != 0 || labels > 1;
}

#define ASSAY_PLACE(Score, Label)                                                            \
    ASSAY_CLONES bool place(const Octave* table, const Score* scores, const Label* positive, \
                            std::size_t rows, std::uint32_t* places) {                       \
        return place_block(table, scores, positive, rows, places);                           \
    }
ASSAY_PLACE(double, std::uint8_t)
ASSAY_PLACE(double, std::int64_t)
ASSAY_PLACE(float, std::uint8_t)
ASSAY_PLACE(float, std::int64_t)
#undef ASSAY_PLACE

// Adds rows to counts; returns whether a NaN or a strange label was among them.
template <class Score, class Label, class Count>
bool count_rows(const Layout& layout, const Score* scores, const Label* positive, std::size_t rows,
                Count* counts) {
    std::uint32_t places[block];
    bool bad = false;
    for (std::size_t begin = 0; begin < rows; begin += block) {
        const std::size_t size = std::min(block, rows - begin);
        bad |= place(layout.table(), scores + begin, positive + begin, size, places);
        for (std::size_t i = 0; i < size; ++i) ++counts[places[i]];
    }
    return bad;
}

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

std::vector<double> bin_edges(int bits) {
    const Layout layout(bits);
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
    const Layout layout(bits);
    const std::size_t counters = 2 * layout.cells();
    BinnedScores result;
    result.cells = layout.cells();
    result.counts = Buffer<std::uint64_t>(counters);
    std::fill(result.counts.begin(), result.counts.end(), 0);

    bool bad = false;
    if (rows <= few_rows) {
        bad = count_rows(layout, scores, positive, rows, result.counts.data());
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
                slot.bad |= count_rows(layout, scores + pass + begin, positive + pass + begin,
                                       end - begin, slot.counts.data());
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

template <class Score>
BinnedPlaces bin_places(const Score* scores, const std::uint8_t* positive, std::size_t rows,
                        int bits) {
    const Layout layout(bits);
    BinnedPlaces result;
    result.places = Buffer<std::uint32_t>(rows);
    std::atomic<bool> bad{false};
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int) {
        if (place(layout.table(), scores + begin, positive + begin, end - begin,
                  result.places.data() + begin))
            bad.store(true, std::memory_order_relaxed);
    });
    if (bad) note_bad_rows(scores, positive, rows, result);
    return result;
}

template BinnedPlaces bin_places(const double*, const std::uint8_t*, std::size_t, int);
template BinnedPlaces bin_places(const float*, const std::uint8_t*, std::size_t, int);

template BinnedScores bin_scores(const double*, const std::uint8_t*, std::size_t, int);
template BinnedScores bin_scores(const double*, const std::int64_t*, std::size_t, int);
template BinnedScores bin_scores(const float*, const std::uint8_t*, std::size_t, int);
template BinnedScores bin_scores(const float*, const std::int64_t*, std::size_t, int);

}  // namespace assay
