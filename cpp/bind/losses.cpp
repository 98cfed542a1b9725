#include <nanobind/stl/optional.h>

#include "bind/module.hpp"
#include "bind/numbers.hpp"
#include "kernel/losses/log_loss.hpp"

namespace assay::bind {
namespace {

template <class Kernel>
auto with_forecasts(const std::optional<AnyColumn>& labels, const AnyColumn& probabilities,
                    double clip, Kernel&& kernel) {
    const std::size_t rows =
        labels ? common_rows(probabilities, *labels) : common_rows(probabilities);
    const NumberColumn p = numbers_of(probabilities), y = labels ? numbers_of(*labels) : p;
    const Released released;
    return kernel(Forecasts{labels ? &y : nullptr, p, rows, clip});
}

nb::object sums(const std::optional<AnyColumn>& labels, const AnyColumn& probabilities,
                double clip) {
    const LogLossSums found = with_forecasts(labels, probabilities, clip, exact_log_losses);
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

nb::object rows(const std::optional<AnyColumn>& labels, const AnyColumn& probabilities,
                double clip) {
    LogLosses found = with_forecasts(labels, probabilities, clip, log_losses);
    return nb::make_tuple(to_numpy(std::move(found.losses)), found.bad.row, found.bad.label);
}

}  // namespace

void bind_losses(nb::module_& m) {
    const auto labels = nb::arg("labels").noconvert().none();
    const auto probabilities = nb::arg("probabilities").noconvert();
    const auto clip = nb::arg("clip");
    m.def("exact_log_losses", &sums, labels, probabilities, clip,
          "Exact sums of the log losses of 0/1 labels (None: the probability is that of what\n"
          "happened) and of their squares, in units of 2**-1074 and 2**-2148, as a dict.");
    m.def("log_losses", &rows, labels, probabilities, clip,
          "(losses, bad_row, bad_label): the losses that exact_log_losses adds up.");
}

}  // namespace assay::bind
