#include "kernel/binned.hpp"

#include <stdexcept>

#include "bind/module.hpp"

namespace assay::bind {
namespace {

template <class Score, class Label>
nb::tuple counted(Column<Score> scores, Column<Label> positive, int bits) {
    if (scores.size() != positive.size())
        throw std::invalid_argument("scores and labels differ in length");
    BinnedScores result;
    {
        const Released released;
        result = bin_scores(scores.data(), positive.data(), scores.size(), bits);
    }
    const std::size_t cells = result.cells;
    return nb::make_tuple(to_numpy(std::move(result.counts), {cells, 2}), result.bad_score_row,
                          result.bad_label_row);
}

template <class Score>
nb::tuple placed(Column<Score> scores, Column<std::uint8_t> positive, int bits) {
    if (scores.size() != positive.size())
        throw std::invalid_argument("scores and labels differ in length");
    BinnedPlaces result;
    {
        const Released released;
        result = bin_places(scores.data(), positive.data(), scores.size(), bits);
    }
    return nb::make_tuple(to_numpy(std::move(result.places)), result.bad_score_row,
                          result.bad_label_row);
}

template <class Score>
void bind_placed(nb::module_& m) {
    m.def("bin_places", &placed<Score>, nb::arg("scores").noconvert(),
          nb::arg("positive").noconvert(), nb::arg("bits"),
          "2 * cell + label of every row, and the first bad score and label row or -1.");
}

template <class Score, class Label>
void bind_counted(nb::module_& m) {
    m.def("bin_scores", &counted<Score, Label>, nb::arg("scores").noconvert(),
          nb::arg("positive").noconvert(), nb::arg("bits"),
          "Counts per cell (negatives, positives), and the first bad score and label row or -1.");
}

}  // namespace

void bind_binned(nb::module_& m) {
    bind_counted<double, std::uint8_t>(m);
    bind_counted<double, std::int64_t>(m);
    bind_counted<float, std::uint8_t>(m);
    bind_counted<float, std::int64_t>(m);
    bind_placed<double>(m);
    bind_placed<float>(m);
    m.def(
        "bin_edges", [](int bits) { return to_numpy(bin_edges(bits)); }, nb::arg("bits"),
        "The smallest float64 of every cell, ascending.");
}

}  // namespace assay::bind
