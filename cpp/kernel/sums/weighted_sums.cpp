// Exact weighted sums.
#include "kernel/sums/chunk_driver.hpp"
#include "kernel/sums/pair_digits.hpp"

namespace assay {
namespace sums {
namespace {

Wide<6> from_limbs(const uint128* limb, int count) {
    Wide<6> total;
    for (int k = 0; k < count; ++k) total.add(Wide<2>(static_cast<int128>(limb[k])), 52 * k);
    return total;
}

// The sum of w x behind that of w (x + c), given that of w; c = 2**102 + 2**51 as in square_total.
Wide<6> product_total(const uint128* limb, const Wide<6>& weight) {
    Wide<6> total = from_limbs(limb, 4);
    total.subtract(weight, 102);
    total.subtract(weight, 51);
    return total;
}

// The sum of w x**2 behind that of w (x + c)**2 = w x**2 + 2 c w x + c**2 w.
Wide<6> triple_total(const uint128* limb, const Wide<6>& product, const Wide<6>& weight) {
    Wide<6> total = from_limbs(limb, 6);
    total.subtract(product, 103);
    total.subtract(product, 52);
    for (const int bit : {204, 154, 102}) total.subtract(weight, bit);
    return total;
}

// Sums of weight * x and weight * x * x.
struct WeightedColumnTask {
    static constexpr int columns = 2, groups = 2, group[] = {0, 1};
    static constexpr bool is_unsigned[] = {false, true};
    using Totals = WeightedColumnTotals;

    static bool available(const Kernels& kernels) { return kernels.weighted_column; }
    static bool run(const Kernels& kernels, const double* const* x, int rows, const int* window,
                    Totals& totals) {
        return kernels.weighted_column(x[0], x[1], rows, window, totals);
    }
    void absorb(const Totals& totals, int rows, const int* window) {
        const Wide<6> weight = value_total(totals.weight.high, totals.weight.low, rows);
        const Wide<6> product = product_total(totals.x.product, weight);
        sums.weighted.add(product, window[1] + window[0]);
        sums.weighted_square.add(triple_total(totals.x.triple, product, weight),
                                 window[1] + 2 * window[0]);
    }
    void add_row(const double* values) {
        const Binary x(values[0]), w(values[1]);
        const auto wx = product(w, x);
        sum.add(wx, w.bit + x.bit, x.negative);
        square.add(product(wx, x), w.bit + 2 * x.bit, false);
        pending = true;
    }
    void flush() {
        if (!pending) return;
        sum.flush(sums.weighted);
        square.flush(sums.weighted_square);
        pending = false;
    }
    void merge(const WeightedColumnTask& other) {
        sums.weighted.add(other.sums.weighted);
        sums.weighted_square.add(other.sums.weighted_square);
    }

    WeightedSum sums{};
    Digits<2> sum;
    Digits<3> square;
    bool pending = false;
};

struct WeightedPairTask {
    static constexpr int columns = 3, groups = 2, group[] = {0, 0, 1};
    static constexpr bool is_unsigned[] = {false, false, true};
    using Totals = WeightedPairTotals;

    static bool available(const Kernels& kernels) { return kernels.weighted_pair; }
    static bool run(const Kernels& kernels, const double* const* x, int rows, const int* window,
                    Totals& totals) {
        return kernels.weighted_pair(x[0], x[1], x[2], rows, window, totals);
    }
    void absorb(const Totals& totals, int rows, const int* window) {
        const auto& [w, a, p, e, below_weight] = totals;
        const int bit = window[1] + window[0];
        const Wide<6> sum_w = value_total(w.high, w.low, rows);
        const Wide<6> sum_a = product_total(a.product, sum_w);
        const Wide<6> sum_p = product_total(p.product, sum_w);
        Wide<6> sum_e = sum_a;
        sum_e.subtract(sum_p);
        sums.weight.add(sum_w, window[1]);
        sums.squared_weight.add(square_total(w.square, sum_w, rows), 2 * window[1]);
        sums.actual.add(sum_a, bit);
        sums.predicted.add(sum_p, bit);
        sums.squared_actual.add(triple_total(a.triple, sum_a, sum_w), bit + window[0]);
        sums.squared_predicted.add(triple_total(p.triple, sum_p, sum_w), bit + window[0]);
        sums.squared_error.add(triple_total(e.triple, sum_e, sum_w), bit + window[0]);
        // The sum of w |e| is that of w e less twice its negative part.
        sum_e.subtract(product_total(e.product, from_limbs(below_weight, 2)), 1);
        sums.absolute_error.add(sum_e, bit);
    }
    void add_row(const double* values) {
        const Binary a(values[0]), p(values[1]), w(values[2]);
        const bool below = values[0] < values[1];
        const auto wa = product(w, a), wp = product(w, p);
        const int bit_a = w.bit + a.bit, bit_p = w.bit + p.bit;
        weight.add(product(w), w.bit, false);
        squared_weight.add(product(w, w), 2 * w.bit, false);
        digits.actual[below].add(wa, bit_a, a.negative);
        digits.predicted[below].add(wp, bit_p, p.negative);
        digits.squared_actual.add(product(wa, a), bit_a + a.bit, false);
        digits.squared_predicted.add(product(wp, p), bit_p + p.bit, false);
        digits.cross.add(product(wa, p), bit_a + p.bit, a.negative != p.negative);
        pending = true;
    }
    void flush() {
        if (!pending) return;
        weight.flush(sums.weight);
        squared_weight.flush(sums.squared_weight);
        digits.flush(sums);
        pending = false;
    }
    void merge(const WeightedPairTask& other) {
        sums.weight.add(other.sums.weight);
        sums.squared_weight.add(other.sums.squared_weight);
        add_pair_sums(sums, other.sums);
    }

    WeightedMoments sums{};
    Digits<1> weight;
    Digits<2> squared_weight;
    PairDigits<2> digits;
    bool pending = false;
};

}  // namespace
}  // namespace sums

WeightedSum exact_weighted_sum(const NumberColumn& x, const NumberColumn& weight, std::size_t rows,
                               SumPath path) {
    const auto walker = sums::walk<sums::WeightedColumnTask>({x, weight}, rows, path);
    WeightedSum result = walker->task.sums;
    result.bad_row = walker->bad_row[0];
    result.bad_row_weight = walker->bad_row[1];
    return result;
}

WeightedMoments exact_weighted_moments(const NumberColumn& actual, const NumberColumn& predicted,
                                       const NumberColumn& weight, std::size_t rows, SumPath path) {
    const auto walker = sums::walk<sums::WeightedPairTask>({actual, predicted, weight}, rows, path);
    WeightedMoments moments = walker->task.sums;
    moments.bad_row_actual = walker->bad_row[0];
    moments.bad_row_predicted = walker->bad_row[1];
    moments.bad_row_weight = walker->bad_row[2];
    return moments;
}

}  // namespace assay
