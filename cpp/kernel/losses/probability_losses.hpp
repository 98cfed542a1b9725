// Losses of rows' probabilities: the log loss and the squared error, which is the Brier score's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/buffer.hpp"
#include "kernel/sums/sums.hpp"

namespace assay {

enum class ProbabilityLoss { log, squared };

// Forecasts: the probability of label 1, and the labels. Without labels (nullptr) it is the
// probability of what happened. With clip > 0 a probability is first moved into [clip, 1 - clip];
// clip > 1/2 throws std::invalid_argument.
//
// The log loss of a row is -log(p) where the label is 1 and -log(1 - p) where it is 0, 1 - p not
// rounded, infinite where what happened had probability 0. It is a double off by less than 0.85 of
// its last bit, with the same bits on every CPU. The squared loss is (label - p)^2, the difference
// and its square each rounded once.
//
// A row is bad if its probability is NaN or outside [0, 1], or its label is neither 0 nor 1.
struct Forecasts {
    const NumberColumn* labels;
    NumberColumn probabilities;
    std::size_t rows;
    double clip;
    ProbabilityLoss loss = ProbabilityLoss::log;
};

// The first bad rows, -1 where there is none.
struct BadForecasts {
    std::int64_t row = -1, label = -1;
};

struct LossSums {
    ValueSum sum;
    ProductSum squared_sum;
    std::int64_t infinite;  // rows with an infinite loss: in no sum and no extreme
    double least, largest;  // +inf and -inf where no row has a finite loss
    BadForecasts bad;       // neither are these
};

// Exact sums of the rounded losses, and of their squares. Parallel; a log loss takes 3 ns a row on
// one thread with AVX-512, 11 ns with SSE2; some 70 kilobytes for each thread.
LossSums exact_losses(const Forecasts& forecasts);

struct RowLosses {
    Buffer<double> losses;  // NaN in bad rows
    BadForecasts bad;
};

// The losses themselves. Parallel.
RowLosses row_losses(const Forecasts& forecasts);

}  // namespace assay
