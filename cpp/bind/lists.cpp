#include "kernel/lists/lists.hpp"

#include "bind/module.hpp"
#include "kernel/lists/group_ranking.hpp"

namespace assay::bind {
namespace {

using Integers = Column<std::int64_t>;

template <class T>
std::span<const T> span(const Column<T>& column) {
    return {column.data(), column.size()};
}

// Offsets of the kernel's own: it checks them once and indexes by them ever after.
std::vector<std::int64_t> copy(const Integers& offsets) {
    return {offsets.data(), offsets.data() + offsets.size()};
}

nb::tuple matched(Integers actual_offsets, Integers actual_items, Integers predicted_offsets,
                  Integers predicted_items) {
    MatchedLists result;
    {
        const Released released;
        result = match_lists(copy(actual_offsets), span(actual_items), copy(predicted_offsets),
                             span(predicted_items));
    }
    return nb::make_tuple(to_numpy(std::move(result.gains)), to_numpy(std::move(result.relevant)));
}

template <class Score>
nb::tuple ranked(Integers query_offsets, Column<Score> scores, Column<double> gains) {
    RankedRows result;
    {
        const Released released;
        result = rank_rows(copy(query_offsets), span(scores), span(gains));
    }
    return nb::make_tuple(to_numpy(std::move(result.gains)), to_numpy(std::move(result.tied)),
                          to_numpy(std::move(result.ideal)),
                          to_numpy(std::move(result.ideal_offsets)),
                          to_numpy(std::move(result.relevant)), result.bad_row);
}

template <class Gain>
nb::tuple scored(Integers offsets, Column<Gain> gains, Column<std::uint8_t> tied,
                 Integers ideal_offsets, Column<double> ideal_gains, std::int64_t k) {
    ListScores result;
    {
        const Released released;
        result = score_lists(copy(offsets), span(gains), span(tied), copy(ideal_offsets),
                             span(ideal_gains), k);
    }
    return nb::make_tuple(
        to_numpy(std::move(result.hits)), to_numpy(std::move(result.precision_sum)),
        to_numpy(std::move(result.precision_mean_sum)), to_numpy(std::move(result.reciprocal_rank)),
        to_numpy(std::move(result.dcg_linear)), to_numpy(std::move(result.dcg_exponential)),
        to_numpy(std::move(result.ideal_dcg_linear)),
        to_numpy(std::move(result.ideal_dcg_exponential)), to_numpy(std::move(result.hit)));
}

template <class Score, class Row>
nb::tuple grouped(Integers offsets, Column<Row> rows, Column<Score> scores,
                  Column<std::uint8_t> positive) {
    GroupRanking result;
    {
        const Released released;
        result = rank_groups(copy(offsets), span(rows), span(scores), span(positive));
    }
    return nb::make_tuple(to_numpy(std::move(result.positives)),
                          to_numpy(std::move(result.concordance)),
                          to_numpy(std::move(result.average_precision)), result.bad_row);
}

template <class Score, class Row>
void bind_grouped(nb::module_& m) {
    m.def("rank_groups", &grouped<Score, Row>, nb::arg("offsets").noconvert(),
          nb::arg("rows").noconvert(), nb::arg("scores").noconvert(),
          nb::arg("positive").noconvert(),
          "Per group: positives, concordant pairs twice and tied pairs, average precision; then\n"
          "a row whose score is NaN, or -1.");
}

template <class Score>
void bind_ranked(nb::module_& m) {
    m.def("rank_rows", &ranked<Score>, nb::arg("query_offsets").noconvert(),
          nb::arg("scores").noconvert(), nb::arg("gains").noconvert(),
          "Gains in rank order, tied flags, ideal gains, their offsets, relevant, bad row or -1.");
}

template <class Gain>
void bind_scored(nb::module_& m) {
    m.def(
        "score_lists", &scored<Gain>, nb::arg("offsets").noconvert(), nb::arg("gains").noconvert(),
        nb::arg("tied").noconvert(), nb::arg("ideal_offsets").noconvert(),
        nb::arg("ideal_gains").noconvert(), nb::arg("k"),
        "Per query: hits, precision_sum, precision_mean_sum, reciprocal_rank, dcg_linear,\n"
        "dcg_exponential, ideal_dcg_linear, ideal_dcg_exponential, hit; k = 0 is the whole list.");
}

}  // namespace

void bind_lists(nb::module_& m) {
    m.def("match_lists", &matched, nb::arg("actual_offsets").noconvert(),
          nb::arg("actual_items").noconvert(), nb::arg("predicted_offsets").noconvert(),
          nb::arg("predicted_items").noconvert(),
          "1 or 0 for each predicted place, and the number of distinct actual items per query.");
    bind_grouped<double, std::uint32_t>(m);
    bind_grouped<float, std::uint32_t>(m);
    bind_grouped<double, std::int64_t>(m);
    bind_grouped<float, std::int64_t>(m);
    bind_ranked<double>(m);
    bind_ranked<float>(m);
    bind_scored<double>(m);
    bind_scored<std::uint8_t>(m);
}

}  // namespace assay::bind
