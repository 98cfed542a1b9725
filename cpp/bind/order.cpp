#include "kernel/order.hpp"

#include <stdexcept>
#include <variant>

#include "bind/module.hpp"

namespace assay::bind {
namespace {

using AnyCounts = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Count>
std::span<const Count> span_of(const AnyCounts& counts) {
    return {static_cast<const Count*>(counts.data()), counts.size()};
}

CountsView view(const AnyCounts& counts) {
    if (counts.dtype() == nb::dtype<std::uint8_t>()) return span_of<std::uint8_t>(counts);
    if (counts.dtype() == nb::dtype<std::uint16_t>()) return span_of<std::uint16_t>(counts);
    if (counts.dtype() == nb::dtype<std::uint32_t>()) return span_of<std::uint32_t>(counts);
    if (counts.dtype() == nb::dtype<std::uint64_t>()) return span_of<std::uint64_t>(counts);
    throw nb::type_error("counts are uint8, uint16, uint32 or uint64");
}

template <class T>
std::span<const T> span_of(const Column<T>& column) {
    return {column.data(), column.size()};
}

nb::object give(Counts&& counts) {
    return std::visit([](auto&& buffer) { return to_numpy(std::move(buffer)); }, std::move(counts));
}

nb::object integer(Wide value) {
    nb::object low = nb::int_(static_cast<std::uint64_t>(value));
    const auto high = static_cast<std::uint64_t>(value >> 64);
    if (high == 0) return low;
    return (nb::int_(high) << nb::int_(64)) | low;
}

void same_length(std::size_t a, std::size_t b) {
    if (a != b) throw std::invalid_argument("columns differ in length");
}

template <class Score, class Label>
nb::tuple order_columns(const Column<Score>& scores, const Column<Label>& positive) {
    same_length(scores.size(), positive.size());
    ScoreTally<Score> tally;
    {
        nb::gil_scoped_release release;
        tally = order_scores(scores.data(), positive.data(), scores.size());
    }
    return nb::make_tuple(to_numpy(std::move(tally.scores)), give(std::move(tally.positives)),
                          give(std::move(tally.negatives)), tally.bad_score_row,
                          tally.bad_label_row);
}

template <class Score>
nb::tuple merge_columns(const Column<Score>& scores_a, const AnyCounts& positives_a,
                        const AnyCounts& negatives_a, const Column<Score>& scores_b,
                        const AnyCounts& positives_b, const AnyCounts& negatives_b) {
    const ScoreTallyView<Score> a{span_of(scores_a), view(positives_a), view(negatives_a)};
    const ScoreTallyView<Score> b{span_of(scores_b), view(positives_b), view(negatives_b)};
    ScoreTally<Score> tally;
    {
        nb::gil_scoped_release release;
        tally = merge_scores(a, b);
    }
    return nb::make_tuple(to_numpy(std::move(tally.scores)), give(std::move(tally.positives)),
                          give(std::move(tally.negatives)));
}

template <class Score>
void bind_scores(nb::module_& m) {
    const auto scores = nb::arg("scores").noconvert();
    const auto positive = nb::arg("positive").noconvert();
    m.def("order_scores", &order_columns<Score, std::int64_t>, scores, positive,
          "Distinct scores ascending, positives and negatives at each, first row with NaN, first "
          "row whose label is neither 0 nor 1 (-1 where there is none).");
    m.def("order_scores", &order_columns<Score, std::uint8_t>, scores, positive);
    m.def("merge_scores", &merge_columns<Score>, nb::arg("scores_a").noconvert(),
          nb::arg("positives_a").noconvert(), nb::arg("negatives_a").noconvert(),
          nb::arg("scores_b").noconvert(), nb::arg("positives_b").noconvert(),
          nb::arg("negatives_b").noconvert(),
          "The scores, positives and negatives of two ordered tallies taken together.");
}

}  // namespace

void bind_order(nb::module_& m) {
    bind_scores<double>(m);
    bind_scores<float>(m);
    m.def(
        "sweep_scores",
        [](const AnyCounts& positives, const AnyCounts& negatives) {
            const CountsView p = view(positives), q = view(negatives);
            ScoreSweep sweep;
            {
                nb::gil_scoped_release release;
                sweep = sweep_scores(p, q);
            }
            return nb::make_tuple(sweep.positives, sweep.negatives, integer(sweep.concordance),
                                  integer(sweep.positive_squares), integer(sweep.negative_squares),
                                  integer(sweep.gap), sweep.gap_index);
        },
        nb::arg("positives").noconvert(), nb::arg("negatives").noconvert(),
        "m, n0, concordance, positive_squares, negative_squares, gap, gap_index of counts in "
        "ascending order of score: AUC = concordance / (2 m n0), KS = gap / (m n0).");
}

}  // namespace assay::bind
