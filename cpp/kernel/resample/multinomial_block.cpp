#include "kernel/resample/multinomial_block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernel/platform.hpp"
#include "kernel/random.hpp"
#include "kernel/resample/binomial.hpp"

namespace assay::resample {
namespace {

// Eight xoshiro256++ (Blackman & Vigna 2021) side by side, each from a state of its own by Philox:
// as good and ten times as fast, and where a block begins does not depend on what was drawn before.
using Words = std::uint64_t __attribute__((vector_size(64)));

struct Lanes {
    alignas(64) std::uint64_t state[4][8];

    Lanes(const BlockKey& key, std::uint64_t attempt) {
        const std::uint64_t tag = std::uint64_t{1} << 62 | key.stream << 16 | attempt;
        std::uint64_t* to = &state[0][0];
        for (std::uint64_t i = 0; i < 8; ++i, to += 4) {
            const RandomBlock words = random_block(key.seed, key.replicate, key.block * 8 + i, tag);
            std::copy(words.begin(), words.end(), to);
        }
    }
};

template <int Bits>
ASSAY_INTO_CLONE void turn(Words& x) {
    x = x << Bits | x >> (64 - Bits);
}

ASSAY_INTO_CLONE void next_words(Words* s, Words& out) {
    out = s[0] + s[3];
    turn<23>(out);
    out += s[0];
    const Words shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    turn<45>(s[3]);
}

// Poisson counts from a first byte: where it is above a cumulative probability's first byte and not
// equal to another, the count is known.
constexpr int most_bytes_met = 6;
constexpr std::uint8_t unsettled = 0x80;

struct PoissonTable {
    static constexpr int most = 32;
    std::uint8_t first[most] = {};  // of the cumulative probabilities
    double rest[most] = {};         // what follows, in [0, 1)
    int size = 0;

    // False where the rate is not one for which the bytes can be told apart.
    bool make(double rate) {
        double here = exp_minus(rate), sum = 0;
        for (size = 0; size < most; ++size) {
            sum += here;
            const double scaled = std::min(sum, 1 - 0x1p-53) * 256, whole = std::floor(scaled);
            first[size] = static_cast<std::uint8_t>(whole);
            rest[size] = sum >= 1 ? 1 : scaled - whole;
            if (sum >= 1 || here < 0x1p-60) break;
            here *= rate / (size + 1);
        }
        int distinct = 0;
        while (distinct < size && first[distinct] < 255) ++distinct;
        if (distinct >= most_bytes_met) return false;
        for (int i = 1; i < distinct; ++i)
            if (first[i] == first[i - 1]) return false;
        make_usual();
        return true;
    }

    // The count of a place whose byte is the first of the cumulative probability number `count`.
    // Which it becomes is a coin's toss, so the usual ones are told without a branch.
    unsigned settle(unsigned count, double uniform) const {
        const double* steps = usual[count];
        unsigned more = 0;
        for (int i = 0; i < 4; ++i) more += steps[i] <= uniform;
        if (more < 4) [[likely]]
            return count + more;
        int k = static_cast<int>(count + more);
        while (k < size && rest[k] <= uniform) ++k;  // only 255 has so many
        return static_cast<unsigned>(k);
    }

private:
    static constexpr double never = 2;
    double usual[most_bytes_met][4];

    void make_usual() {
        for (int count = 0; count < most_bytes_met; ++count)
            for (int i = 0; i < 4; ++i)
                usual[count][i] =
                    count + i < size && first[count + i] == first[count] ? rest[count + i] : never;
    }
};

ASSAY_CLONES void draw_bytes(std::uint64_t* state, std::uint8_t* out, std::size_t steps) {
    Words s[4];
    std::memcpy(s, state, sizeof s);
    for (std::size_t i = 0; i < steps; ++i) {
        Words words;
        next_words(s, words);
        std::memcpy(out + lanes * i, &words, sizeof words);
    }
    std::memcpy(state, s, sizeof s);
}

// Random bytes become the counts that they settle; elsewhere the least count there can be, marked.
ASSAY_CLONES void count_bytes(const std::uint8_t* met, std::uint8_t* bytes, std::size_t size) {
    const std::uint8_t m0 = met[0], m1 = met[1], m2 = met[2], m3 = met[3], m4 = met[4];
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint8_t b = bytes[i];
        const auto above =
            static_cast<std::uint8_t>((b > m0) + (b > m1) + (b > m2) + (b > m3) + (b > m4));
        const bool equal = (b == m0) | (b == m1) | (b == m2) | (b == m3) | (b == m4) | (b == 255);
        bytes[i] = static_cast<std::uint8_t>(above | (equal ? unsettled : 0));
    }
}

ASSAY_CLONES std::uint64_t sum_of(const std::uint8_t* bytes, std::size_t steps) {
    static_assert(lane_rows * 255 < 1 << 16);
    std::uint16_t sums[lanes] = {};
    for (std::size_t i = 0; i < steps; ++i)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] = static_cast<std::uint16_t>(sums[lane] + bytes[i * lanes + lane]);
    std::uint64_t sum = 0;
    for (const std::uint16_t one : sums) sum += one;
    return sum;
}

// Single words out of the lanes, for the few places that need one.
class Supply {
public:
    explicit Supply(Lanes& from) : lanes_(from) {}
    std::uint64_t word() {
        if (next_ == size) {
            draw_bytes(&lanes_.state[0][0], reinterpret_cast<std::uint8_t*>(words_), size / 8);
            next_ = 0;
        }
        return words_[next_++];
    }

private:
    static constexpr std::size_t size = 128;
    Lanes& lanes_;
    alignas(64) std::uint64_t words_[size];
    std::size_t next_ = size;
};

void settle(const PoissonTable& table, Supply& supply, std::uint8_t* out, std::size_t size) {
    constexpr std::uint64_t marks = 0x8080808080808080u;
    std::uint16_t words[block_rows / 8];
    std::size_t marked = 0;
    for (std::size_t i = 0; i < size / 8; ++i) {  // without a branch that nobody could foretell
        std::uint64_t word;
        std::memcpy(&word, out + 8 * i, sizeof word);
        words[marked] = static_cast<std::uint16_t>(i);
        marked += (word & marks) != 0;
    }
    for (std::size_t m = 0; m < marked; ++m) {
        std::uint8_t* at = out + std::size_t{8} * words[m];
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        for (word &= marks; word != 0; word &= word - 1) {
            std::uint8_t& place = at[std::countr_zero(word) / 8];
            place = static_cast<std::uint8_t>(
                table.settle(place & ~unsettled & 0xff, random_uniform(supply.word())));
        }
    }
}

// Throws balls at the places, all rows alike.
void throw_balls(std::uint64_t balls, std::size_t rows, std::size_t steps, Supply& supply,
                 std::uint8_t* out) {
    const std::uint64_t places = steps * lanes;
    const auto rejected = static_cast<std::uint32_t>((std::uint64_t{1} << 32) % places);
    while (balls > 0) {
        const std::uint64_t word = supply.word();
        for (const std::uint64_t half : {word & 0xffffffffu, word >> 32}) {
            const std::uint64_t product = half * places;
            if (static_cast<std::uint32_t>(product) < rejected) continue;
            const std::uint64_t place = product >> 32;
            if (rows < places && place % lanes * steps + place / lanes >= rows) continue;
            ++out[place];
            if (--balls == 0) break;
        }
    }
}

}  // namespace

void draw_block(const BlockKey& key, std::size_t rows, std::uint64_t balls, std::uint8_t* out) {
    const std::size_t steps = steps_of(rows), places = steps * lanes;
    const double all = static_cast<double>(balls);
    PoissonTable table;
    const bool in_bulk =
        balls >= 64 && table.make((all - 3 * std::sqrt(all)) / static_cast<double>(rows));
    for (std::uint64_t attempt = 0;; ++attempt) {
        Lanes from(key, attempt);
        Supply supply(from);
        std::uint64_t left = balls;
        if (in_bulk) {
            std::uint8_t met[most_bytes_met];
            for (int i = 0; i < most_bytes_met; ++i) met[i] = i < table.size ? table.first[i] : 255;
            draw_bytes(&from.state[0][0], out, steps);
            count_bytes(met, out, places);
            settle(table, supply, out, places);
            for (std::size_t row = rows; row < places; ++row) out[place_of(row, steps)] = 0;
            const std::uint64_t drawn = sum_of(out, steps);
            if (drawn > balls) continue;
            left = balls - drawn;
        } else {
            std::fill_n(out, places, std::uint8_t{0});
        }
        throw_balls(left, rows, steps, supply, out);
        return;
    }
}

}  // namespace assay::resample
