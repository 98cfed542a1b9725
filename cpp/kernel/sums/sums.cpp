#include "kernel/sums/sums.hpp"

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "kernel/sums/chunk_driver.hpp"
#include "kernel/sums/column_task.hpp"
#include "kernel/sums/pair_digits.hpp"

namespace assay {
namespace sums {
namespace {

// The best path of this CPU, or a lower one where ASSAY_CPU asks for it.
SumPath best_path() {
    const char* setting = std::getenv("ASSAY_CPU");
    const std::string_view limit = setting ? setting : "avx512";
    if (limit == "baseline") return SumPath::portable;
    if (cpu_has_avx512_ifma() && limit != "avx2") return SumPath::avx512;
    return cpu_has_avx2() ? SumPath::avx2 : SumPath::portable;
}

}  // namespace

const Kernels* kernels_of(SumPath path) {
    static const SumPath best = best_path();
    if (path == SumPath::best) path = best;
    if (!has_path(path)) throw std::invalid_argument("this CPU or build does not have that path");
    switch (path) {
#ifdef ASSAY_AVX
        case SumPath::avx512:
            return &avx512_kernels;
        case SumPath::avx2:
            return &avx2_kernels;
#endif
        case SumPath::scalar:
            return nullptr;
        default:
            return &portable_kernels;
    }
}

Extent extent_of(const double* x, int rows) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    std::uint64_t largest = 0;
    Extent extent;
    for (int row = 0; row < rows; ++row) {
        const Binary value(x[row]);
        largest = std::max(largest, std::bit_cast<std::uint64_t>(x[row]) & ~sign);
        // With bit 63 set a zero counts as very high, which leaves the minimum alone.
        const int low = value.bit + std::countr_zero(value.magnitude | sign);
        extent.low = std::min(extent.low, value.magnitude ? low : extent.low);
    }
    const Binary value(std::bit_cast<double>(largest));
    extent.top = value.bit + static_cast<int>(std::bit_width(value.magnitude));
    return extent;
}

WindowChoice choose_window(const Extent& extent) {
    const int lowest = std::max(0, extent.top - window_bits);
    if (!extent.finite() || lowest > largest_window || extent.low < lowest)
        return {std::min(lowest, largest_window), false};
    // Eight bits of room above the largest value, as far as the bits below are not needed.
    const int room = std::min(8, (extent.low - lowest) / 2);
    return {std::min(lowest + room, largest_window), true};
}

Wide<6> value_total(std::uint64_t high, std::uint64_t low, int rows) {
    const auto lanes = static_cast<std::uint64_t>(rows);
    Wide<6> total(static_cast<std::int64_t>(low - (lanes << bias_bit)));
    total.add(Wide<1>(static_cast<std::int64_t>(high - (lanes << bias_bit))), limb_bits);
    return total;
}

Wide<6> square_total(const Parts& parts, const Wide<6>& sum, int rows) {
    Wide<6> total;
    for (int k = 0; k < 8; ++k)
        if (parts.part[k] != 0) total.add(Wide<2>(static_cast<int128>(parts.part[k])), part_bit[k]);
    // (x + c)**2 - 2 c x - c**2 with c = 2**102 + 2**51.
    total.subtract(sum, 103);
    total.subtract(sum, 52);
    for (const int bit : {204, 154, 102}) total.subtract(Wide<1>(rows), bit);
    return total;
}

namespace {

struct PairTask {
    static constexpr int columns = 2, groups = 1, group[] = {0, 0};
    static constexpr bool is_unsigned[] = {false, false};
    using Totals = PairTotals;

    static bool available(const Kernels&) { return true; }
    static bool run(const Kernels& kernels, const double* const* x, int rows, const int* window,
                    Totals& totals) {
        return kernels.pair(x[0], x[1], rows, window[0], totals);
    }
    static bool run_as_is(const Kernels& kernels, const NumberColumn* x, std::size_t begin,
                          int rows, const int* window, Totals& totals) {
        const auto* actual = std::get_if<const std::int64_t*>(&x[0]);
        const auto* predicted = std::get_if<const double*>(&x[1]);
        return actual && predicted &&
               kernels.label_pair(*actual + begin, *predicted + begin, rows, window[0], totals);
    }
    void absorb(const Totals& totals, int rows, const int* window) {
        const auto& [a, p, square_e, below_high, below_low, largest] = totals;
        const Wide<6> sum_a = value_total(a.high, a.low, rows);
        const Wide<6> sum_p = value_total(p.high, p.low, rows);
        Wide<6> sum_e = sum_a;
        sum_e.subtract(sum_p);
        sums.squared_actual.add(square_total(a.square, sum_a, rows), 2 * window[0]);
        sums.squared_predicted.add(square_total(p.square, sum_p, rows), 2 * window[0]);
        sums.squared_error.add(square_total(square_e, sum_e, rows), 2 * window[0]);
        sums.actual.add(sum_a, window[0]);
        sums.predicted.add(sum_p, window[0]);
        // The sum of |e| is that of e less twice its negative part.
        sum_e.subtract(value_total(below_high, below_low, 0), 1);
        sums.absolute_error.add(sum_e, window[0]);
        sums.max_absolute_error = std::max(sums.max_absolute_error, largest);
    }
    void add_row(const double* values) {
        const Binary a(values[0]), p(values[1]);
        const bool below = values[0] < values[1];
        digits.actual[below].add(product(a), a.bit, a.negative);
        digits.predicted[below].add(product(p), p.bit, p.negative);
        digits.squared_actual.add(product(a, a), 2 * a.bit, false);
        digits.squared_predicted.add(product(p, p), 2 * p.bit, false);
        digits.cross.add(product(a, p), a.bit + p.bit, a.negative != p.negative);
        sums.max_absolute_error =
            std::max(sums.max_absolute_error, std::fabs(values[0] - values[1]));
        pending = true;
    }
    void flush() {
        if (!pending) return;
        digits.flush(sums);
        pending = false;
    }
    void merge(const PairTask& other) {
        add_pair_sums(sums, other.sums);
        sums.max_absolute_error = std::max(sums.max_absolute_error, other.sums.max_absolute_error);
    }

    Moments sums{};
    PairDigits<1> digits;
    bool pending = false;
};

}  // namespace
}  // namespace sums

bool has_path(SumPath path) {
    if (path == SumPath::avx512) return cpu_has_avx512_ifma();
    return path != SumPath::avx2 || cpu_has_avx2();
}

Sum exact_sum(const NumberColumn& x, std::size_t rows, SumPath path) {
    const auto walker = sums::walk<sums::ColumnTask<false>>({x}, rows, path);
    return {walker->task.sum, walker->bad_row[0]};
}

SquareSum exact_square_sum(const NumberColumn& x, std::size_t rows, SumPath path) {
    const auto walker = sums::walk<sums::ColumnTask<true>>({x}, rows, path);
    return {walker->task.sum, walker->task.squared, walker->bad_row[0]};
}

Moments exact_moments(const NumberColumn& actual, const NumberColumn& predicted, std::size_t rows,
                      SumPath path) {
    const auto walker = sums::walk<sums::PairTask>({actual, predicted}, rows, path);
    Moments moments = walker->task.sums;
    moments.bad_row_actual = walker->bad_row[0];
    moments.bad_row_predicted = walker->bad_row[1];
    return moments;
}

}  // namespace assay
