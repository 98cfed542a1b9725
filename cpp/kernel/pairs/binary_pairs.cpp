#include "kernel/pairs/binary_pairs.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

struct Sums {
    std::uint64_t actual = 0, predicted = 0, both = 0, seen = 0;
};

// Values are summed in place inside 8-byte words: eight bytes, or four shorts, side by side.
ASSAY_CLONES Sums sum_words(const unsigned char* actual, const unsigned char* predicted,
                            std::size_t words) {
    std::uint64_t actual_sum = 0, predicted_sum = 0, both_sum = 0, seen = 0;
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t a, p;
        std::memcpy(&a, actual + 8 * i, 8);
        std::memcpy(&p, predicted + 8 * i, 8);
        actual_sum += a;
        predicted_sum += p;
        both_sum += a & p;
        seen |= a | p;
    }
    return {actual_sum, predicted_sum, both_sum, seen};
}

// The sum of the parts of a word, each `width` bytes.
std::uint64_t fold_word(std::uint64_t word, int width) {
    if (width == 1) word = (word & 0x00ff00ff00ff00ff) + (word >> 8 & 0x00ff00ff00ff00ff);
    if (width <= 2) word = (word & 0x0000ffff0000ffff) + (word >> 16 & 0x0000ffff0000ffff);
    if (width <= 4) word = (word & 0x00000000ffffffff) + (word >> 32);
    return word;
}

Sums sum_rows(const unsigned char* actual, const unsigned char* predicted, std::size_t bytes,
              int width) {
    // Bytes of ones overflow after 255 words; 248 keeps whole vectors.
    const std::size_t most = width == 1 ? 248 : 4096;
    Sums total;
    const auto add = [&](const Sums& part) {
        total.actual += fold_word(part.actual, width);
        total.predicted += fold_word(part.predicted, width);
        total.both += fold_word(part.both, width);
        total.seen |= part.seen;
    };
    std::size_t done = 0;
    while (bytes - done >= 8) {
        const std::size_t words = std::min(most, (bytes - done) / 8);
        add(sum_words(actual + done, predicted + done, words));
        done += 8 * words;
    }
    if (done < bytes) {  // the last rows fill part of a word; the zeros behind them count nothing
        unsigned char a[8] = {}, p[8] = {};
        std::memcpy(a, actual + done, bytes - done);
        std::memcpy(p, predicted + done, bytes - done);
        add(sum_words(a, p, 1));
    }
    return total;
}

}  // namespace

std::optional<std::array<std::int64_t, 4>> count_binary_pairs(const void* actual,
                                                              const void* predicted,
                                                              std::size_t rows, int width) {
    constexpr std::uint64_t ones[] = {
        0, 0x0101010101010101, 0x0001000100010001, 0, 0x0000000100000001, 0, 0, 0, 1};
    const auto bytes_per_row = static_cast<std::size_t>(width);
    const auto* a = static_cast<const unsigned char*>(actual);
    const auto* p = static_cast<const unsigned char*>(predicted);
    std::atomic<std::uint64_t> actual_sum{0}, predicted_sum{0}, both_sum{0}, seen{0};
    const std::size_t grain = std::max<std::size_t>(65536, (std::size_t{1} << 19) / bytes_per_row);
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int) {
        if (seen.load(std::memory_order_relaxed) & ~ones[width]) return;
        const Sums part = sum_rows(a + begin * bytes_per_row, p + begin * bytes_per_row,
                                   (end - begin) * bytes_per_row, width);
        actual_sum += part.actual;
        predicted_sum += part.predicted;
        both_sum += part.both;
        seen |= part.seen;
    });
    if (seen & ~ones[width]) return std::nullopt;
    const auto both = static_cast<std::int64_t>(both_sum.load());
    const auto actual_ones = static_cast<std::int64_t>(actual_sum.load());
    const auto predicted_ones = static_cast<std::int64_t>(predicted_sum.load());
    return std::array{static_cast<std::int64_t>(rows) - actual_ones - predicted_ones + both,
                      predicted_ones - both, actual_ones - both, both};
}

}  // namespace assay
