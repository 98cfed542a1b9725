// The sum of a column, and of its squares where they are wanted.
#pragma once

#include "kernel/sums/chunk_driver.hpp"

namespace assay::sums {

template <bool squares>
struct ColumnTask {
    static constexpr int columns = 1, groups = 1, group[] = {0};
    static constexpr bool is_unsigned[] = {false};
    using Totals = ColumnTotals;

    static bool available(const Kernels&) { return true; }
    static bool run(const Kernels& kernels, const double* const* x, int rows, const int* window,
                    Totals& totals) {
        return (squares ? kernels.square_sum : kernels.sum)(x[0], rows, window[0], totals);
    }
    void absorb(const Totals& totals, int rows, const int* window) {
        const Wide<6> total = value_total(totals.high, totals.low, rows);
        sum.add(total, window[0]);
        if constexpr (squares) squared.add(square_total(totals.square, total, rows), 2 * window[0]);
    }
    void add_row(const double* values) {
        const Binary x(values[0]);
        sum_digits.add(product(x), x.bit, x.negative);
        if constexpr (squares) square_digits.add(product(x, x), 2 * x.bit, false);
        pending = true;
    }
    void flush() {
        if (!pending) return;
        sum_digits.flush(sum);
        square_digits.flush(squared);
        pending = false;
    }
    void merge(const ColumnTask& other) {
        sum.add(other.sum);
        squared.add(other.squared);
    }

    ValueSum sum;
    ProductSum squared;
    Digits<1> sum_digits;
    Digits<2> square_digits;
    bool pending = false;
};

}  // namespace assay::sums
