#include "kernel/binned_scores.hpp"

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

template <class Count>
using Table = nb::ndarray<Count, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Score, class Label>
nb::tuple added(Table<std::uint16_t> recent, Table<std::int64_t> counts, Column<Score> scores,
                Column<Label> positive, int bits) {
    if (scores.size() != positive.size())
        throw std::invalid_argument("scores and labels differ in length");
    const std::size_t cells = bin_count(bits);
    if (recent.shape(0) != cells || counts.shape(0) != cells || recent.shape(1) != 2 ||
        counts.shape(1) != 2)
        throw std::invalid_argument("a table does not have two counts for every cell");
    BadRows bad;
    {
        const Released released;
        bad = add_scores(scores.data(), positive.data(), scores.size(), bits, recent.data(),
                         counts.data());
    }
    return nb::make_tuple(bad.bad_score_row, bad.bad_label_row);
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

template <class Score, class Label>
void bind_added(nb::module_& m) {
    m.def("add_scores", &added<Score, Label>, nb::arg("recent").noconvert(),
          nb::arg("counts").noconvert(), nb::arg("scores").noconvert(),
          nb::arg("positive").noconvert(), nb::arg("bits"),
          "Adds rows to counts per cell (negatives, positives), which are the sum of two tables of "
          "uint16 and int64, and returns the first bad score and label row or -1; where there is "
          "one, nothing was added.");
}

}  // namespace

void bind_binned(nb::module_& m) {
    bind_counted<double, std::uint8_t>(m);
    bind_counted<double, std::int64_t>(m);
    bind_counted<float, std::uint8_t>(m);
    bind_counted<float, std::int64_t>(m);
    bind_added<double, std::uint8_t>(m);
    bind_added<double, std::int64_t>(m);
    bind_added<float, std::uint8_t>(m);
    bind_added<float, std::int64_t>(m);
    bind_placed<double>(m);
    bind_placed<float>(m);
    m.def(
        "bin_edges", [](int bits) { return to_numpy(bin_edges(bits)); }, nb::arg("bits"),
        "The smallest float64 of every cell, ascending.");
    m.def(
        "bin_octaves", [](int bits) { return to_numpy(bin_octaves(bits)); }, nb::arg("bits"),
        "The map from scores to cells as a table: a packed word per octave.");
}

}  // namespace assay::bind
