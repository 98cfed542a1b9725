#include <nanobind/stl/optional.h>

#include "bind/module.hpp"
#include "bind/numbers.hpp"
#include "kernel/losses/probability_losses.hpp"

namespace assay::bind {
namespace {

template <class Kernel>
auto with_forecasts(const std::optional<AnyColumn>& labels, const AnyColumn& probabilities,
                    double clip, ProbabilityLoss loss, Kernel&& kernel) {
    const std::size_t rows =
        labels ? common_rows(probabilities, *labels) : common_rows(probabilities);
    const NumberColumn p = numbers_of(probabilities), y = labels ? numbers_of(*labels) : p;
    const Released released;
    return kernel(Forecasts{labels ? &y : nullptr, p, rows, clip, loss});
}

template <ProbabilityLoss loss>
nb::object sums(const std::optional<AnyColumn>& labels, const AnyColumn& probabilities,
                double clip) {
    const LossSums found = with_forecasts(labels, probabilities, clip, loss, exact_losses);
    nb::dict result;
    result["sum"] = to_int(found.sum);
    result["squared_sum"] = to_int(found.squared_sum);
    result["infinite"] = found.infinite;
    result["least"] = found.least;
    result["largest"] = found.largest;
    result["bad_row"] = found.bad.row;
    result["bad_label"] = found.bad.label;
    return result;
}

template <ProbabilityLoss loss>
nb::object rows(const std::optional<AnyColumn>& labels, const AnyColumn& probabilities,
                double clip) {
    RowLosses found = with_forecasts(labels, probabilities, clip, loss, row_losses);
    return nb::make_tuple(to_numpy(std::move(found.losses)), found.bad.row, found.bad.label);
}

}  // namespace

void bind_losses(nb::module_& m) {
    const auto labels = nb::arg("labels").noconvert().none();
    const auto probabilities = nb::arg("probabilities").noconvert();
    const auto clip = nb::arg("clip");
    m.def("exact_brier_losses", &sums<ProbabilityLoss::squared>, labels, probabilities, clip,
          "The same as exact_log_losses of the squared differences of probability and label.");
    m.def("exact_log_losses", &sums<ProbabilityLoss::log>, labels, probabilities, clip,
          "Exact sums of the log losses of 0/1 labels (None: the probability is that of what\n"
          "happened) and of their squares, in units of 2**-1074 and 2**-2148, as a dict.");
    m.def("brier_losses", &rows<ProbabilityLoss::squared>, labels, probabilities, clip,
          "(losses, bad_row, bad_label): the losses that exact_brier_losses adds up.");
    m.def("log_losses", &rows<ProbabilityLoss::log>, labels, probabilities, clip,
          "(losses, bad_row, bad_label): the losses that exact_log_losses adds up.");
}

}  // namespace assay::bind
