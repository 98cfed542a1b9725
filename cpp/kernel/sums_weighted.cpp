// Exact weighted sums.
#include "kernel/sums_walk.hpp"

namespace assay {
namespace sums {
namespace {

// Sums of weight * x and weight * x * x, row by row.
struct WeightedColumnTask {
    static constexpr int columns = 2, groups = 2, group[] = {0, 1};
    static constexpr bool is_unsigned[] = {false, true};
    struct Totals {};

    static bool available(const Kernels&) { return false; }
    static bool run(const Kernels&, const double* const*, int, const int*, Totals&) {
        return false;
    }
    void absorb(const Totals&, int, const int*) {}
    void add_row(const double* values) {
        const Binary x(values[0]), w(values[1]);
        const auto wx = product(w, x);
        sum.add(wx, w.bit + x.bit, x.negative);
        square.add(product(wx, x), w.bit + 2 * x.bit, false);
    }
    void flush() {
        sum.flush(sums.weighted);
        square.flush(sums.weighted_square);
    }
    void merge(const WeightedColumnTask& other) {
        sums.weighted.add(other.sums.weighted);
        sums.weighted_square.add(other.sums.weighted_square);
    }

    WeightedSum sums{};
    Digits<2> sum;
    Digits<3> square;
};

struct WeightedPairTask {
    static constexpr int columns = 3, groups = 2, group[] = {0, 0, 1};
    static constexpr bool is_unsigned[] = {false, false, true};
    struct Totals {};

    static bool available(const Kernels&) { return false; }
    static bool run(const Kernels&, const double* const*, int, const int*, Totals&) {
        return false;
    }
    void absorb(const Totals&, int, const int*) {}
    void add_row(const double* values) {
        const Binary a(values[0]), p(values[1]), w(values[2]);
        const bool below = values[0] < values[1];
        const auto wa = product(w, a), wp = product(w, p);
        const int bit_a = w.bit + a.bit, bit_p = w.bit + p.bit;
        weight.add(product(w), w.bit, false);
        squared_weight.add(product(w, w), 2 * w.bit, false);
        actual.add(wa, bit_a, a.negative);
        predicted.add(wp, bit_p, p.negative);
        absolute_error.add(wa, bit_a, a.negative != below);
        absolute_error.add(wp, bit_p, p.negative == below);
        squared_actual.add(product(wa, a), bit_a + a.bit, false);
        squared_predicted.add(product(wp, p), bit_p + p.bit, false);
        cross.add(product(wa, p), bit_a + p.bit, a.negative != p.negative);
        pending = true;
    }
    void flush() {
        if (!pending) return;
        weight.flush(sums.weight);
        squared_weight.flush(sums.squared_weight);
        actual.flush(sums.actual);
        predicted.flush(sums.predicted);
        absolute_error.flush(sums.absolute_error);
        TripleSum of_a, of_p;
        squared_actual.flush(of_a);
        squared_predicted.flush(of_p);
        sums.squared_actual.add(of_a);
        sums.squared_predicted.add(of_p);
        sums.squared_error.add(of_a);
        sums.squared_error.add(of_p);
        cross.flush(sums.squared_error, 1, true);
        pending = false;
    }
    void merge(const WeightedPairTask& other) {
        sums.weight.add(other.sums.weight);
        sums.squared_weight.add(other.sums.squared_weight);
        sums.actual.add(other.sums.actual);
        sums.predicted.add(other.sums.predicted);
        sums.absolute_error.add(other.sums.absolute_error);
        sums.squared_actual.add(other.sums.squared_actual);
        sums.squared_predicted.add(other.sums.squared_predicted);
        sums.squared_error.add(other.sums.squared_error);
    }

    WeightedMoments sums{};
    Digits<1> weight;
    Digits<2> squared_weight, actual, predicted, absolute_error;
    Digits<3> squared_actual, squared_predicted, cross;
    bool pending = false;
};

}  // namespace
}  // namespace sums

template <class T>
WeightedSum exact_weighted_sum(const T* x, const T* weight, std::size_t rows, SumPath path) {
    const T* const columns[] = {x, weight};
    const auto walker = sums::walk<sums::WeightedColumnTask>(columns, rows, path);
    WeightedSum result = walker->task.sums;
    result.bad_row = walker->bad_row[0];
    result.bad_row_weight = walker->bad_row[1];
    return result;
}

template <class T>
WeightedMoments exact_weighted_moments(const T* actual, const T* predicted, const T* weight,
                                       std::size_t rows, SumPath path) {
    const T* const columns[] = {actual, predicted, weight};
    const auto walker = sums::walk<sums::WeightedPairTask>(columns, rows, path);
    WeightedMoments moments = walker->task.sums;
    moments.bad_row_actual = walker->bad_row[0];
    moments.bad_row_predicted = walker->bad_row[1];
    moments.bad_row_weight = walker->bad_row[2];
    return moments;
}

template WeightedSum exact_weighted_sum(const double*, const double*, std::size_t, SumPath);
template WeightedSum exact_weighted_sum(const float*, const float*, std::size_t, SumPath);
template WeightedMoments exact_weighted_moments(const double*, const double*, const double*,
                                                std::size_t, SumPath);
template WeightedMoments exact_weighted_moments(const float*, const float*, const float*,
                                                std::size_t, SumPath);

}  // namespace assay
