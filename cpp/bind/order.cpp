#include "kernel/order/order.hpp"

#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>
#include <variant>
#include <vector>

#include "bind/counts.hpp"
#include "bind/module.hpp"
#include "bind/numbers.hpp"
#include "kernel/order/block_sums.hpp"
#include "kernel/order/rising_rates.hpp"

namespace assay::bind {
namespace {

nb::object give(Counts&& counts) {
    return std::visit([](auto&& buffer) { return to_numpy(std::move(buffer)); }, std::move(counts));
}

nb::object integer(uint128 value) {
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
        const Released released;
        tally = order_scores(scores.data(), positive.data(), scores.size());
    }
    return nb::make_tuple(to_numpy(std::move(tally.scores)), give(std::move(tally.positives)),
                          give(std::move(tally.negatives)), tally.bad_score_row,
                          tally.bad_label_row);
}

template <class Score>
nb::tuple merge_columns(const Column<Score>& scores_a, const AnyColumn& positives_a,
                        const AnyColumn& negatives_a, const Column<Score>& scores_b,
                        const AnyColumn& positives_b, const AnyColumn& negatives_b) {
    const ScoreTallyView<Score> a{span_of(scores_a), view(positives_a), view(negatives_a)};
    const ScoreTallyView<Score> b{span_of(scores_b), view(positives_b), view(negatives_b)};
    ScoreTally<Score> tally;
    {
        const Released released;
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

nb::tuple order_pair_columns(const Column<double>& x, const Column<double>& y,
                             const Column<std::uint8_t>& positive) {
    same_length(x.size(), y.size());
    same_length(x.size(), positive.size());
    PairTally tally;
    {
        const Released released;
        tally = order_pairs(x.data(), y.data(), positive.data(), x.size());
    }
    return nb::make_tuple(to_numpy(std::move(tally.x)), to_numpy(std::move(tally.y)),
                          give(std::move(tally.positives)), give(std::move(tally.negatives)),
                          tally.bad_row);
}

nb::tuple merge_pair_columns(const Column<double>& x_a, const Column<double>& y_a,
                             const AnyColumn& positives_a, const AnyColumn& negatives_a,
                             const Column<double>& x_b, const Column<double>& y_b,
                             const AnyColumn& positives_b, const AnyColumn& negatives_b) {
    const PairTallyView a{span_of(x_a), span_of(y_a), view(positives_a), view(negatives_a)};
    const PairTallyView b{span_of(x_b), span_of(y_b), view(positives_b), view(negatives_b)};
    PairTally tally;
    {
        const Released released;
        tally = merge_pairs(a, b);
    }
    return nb::make_tuple(to_numpy(std::move(tally.x)), to_numpy(std::move(tally.y)),
                          give(std::move(tally.positives)), give(std::move(tally.negatives)));
}

nb::tuple concordant(const Column<double>& x, const Column<double>& y) {
    same_length(x.size(), y.size());
    ConcordantPairs pairs;
    {
        const Released released;
        pairs = count_concordant(x.data(), y.data(), x.size());
    }
    return nb::make_tuple(integer(pairs.concordant), integer(pairs.discordant),
                          integer(pairs.tied_x), integer(pairs.tied_y), integer(pairs.tied_both),
                          pairs.bad_row);
}

nb::object sums_of_blocks(const AnyColumn& counts, std::size_t block) {
    const CountsView values = view(counts);
    Buffer<std::int64_t> sums;
    {
        const Released released;
        sums = block_sums(values, block);
    }
    return to_numpy(std::move(sums));
}

nb::object where_reached(const std::vector<AnyColumn>& columns,
                         const Column<std::int64_t>& levels) {
    std::vector<CountsView> counts;
    for (const AnyColumn& column : columns) counts.push_back(view(column));
    Buffer<std::int64_t> entries;
    {
        const Released released;
        entries = entries_reaching(counts, span_of(levels));
    }
    return to_numpy(std::move(entries));
}

nb::tuple pools_of_counts(const AnyColumn& positives, const AnyColumn& negatives) {
    const CountsView p = view(positives), q = view(negatives);
    RisingPools pools;
    {
        const Released released;
        pools = rising_pools(p, q);
    }
    return nb::make_tuple(to_numpy(std::move(pools.starts)), to_numpy(std::move(pools.positives)),
                          to_numpy(std::move(pools.negatives)));
}

using Replicates = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object rates_of_weights(const Replicates& positives, const Column<double>& totals) {
    same_length(positives.shape(1), totals.size());
    Buffer<double> rates(positives.size());
    {
        const Released released;
        rising_rates(positives.data(), totals.data(), positives.shape(0), totals.size(),
                     rates.data());
    }
    return to_numpy(std::move(rates), {positives.shape(0), positives.shape(1)});
}

double precision(const AnyColumn& positives, const AnyColumn& negatives) {
    const CountsView p = view(positives), q = view(negatives);
    PrecisionSweep sweep;
    {
        const Released released;
        sweep = sweep_precision(p, q);
    }
    if (sweep.positives == 0) return std::numeric_limits<double>::quiet_NaN();
    // Python divides integers of any size and rounds once.
    const nb::object units = nb::int_(sweep.positives) << nb::int_(1074);
    return nb::cast<double>(to_int(sweep.sum) / units);
}

}  // namespace

void bind_order(nb::module_& m) {
    bind_scores<double>(m);
    bind_scores<float>(m);
    m.def("order_pairs", &order_pair_columns, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
          nb::arg("positive").noconvert(),
          "Distinct (x, y) in lexicographic order, positives and negatives at each, first row with "
          "NaN or a label that is neither 0 nor 1 (-1 where there is none).");
    m.def("merge_pairs", &merge_pair_columns, nb::arg("x_a").noconvert(),
          nb::arg("y_a").noconvert(), nb::arg("positives_a").noconvert(),
          nb::arg("negatives_a").noconvert(), nb::arg("x_b").noconvert(),
          nb::arg("y_b").noconvert(), nb::arg("positives_b").noconvert(),
          nb::arg("negatives_b").noconvert(),
          "The pairs, positives and negatives of two ordered tallies of pairs taken together.");
    m.def("block_sums", &sums_of_blocks, nb::arg("counts").noconvert(), nb::arg("block"),
          "The sums of so many consecutive counts each, fewer at the end.");
    m.def("entries_reaching", &where_reached, nb::arg("columns"), nb::arg("levels").noconvert(),
          "For each of ascending levels the first entry up to which the counts of all columns add\n"
          "up to at least that many; the number of entries where they do not.");
    m.def("rising_pools", &pools_of_counts, nb::arg("positives").noconvert(),
          nb::arg("negatives").noconvert(),
          "First entry, positives and negatives of each pool of the isotonic fit.");
    m.def("rising_rates", &rates_of_weights, nb::arg("positives").noconvert(),
          nb::arg("totals").noconvert(),
          "The isotonic fit of each row of positive weights, given the entries' total weights.");
    m.def("count_concordant", &concordant, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
          "Pairs of rows that are concordant, discordant, tied in x alone, in y alone, in both,\n"
          "and the first row with NaN (-1 where there is none).");
    m.def(
        "sweep_scores",
        [](const AnyColumn& positives, const AnyColumn& negatives) {
            const CountsView p = view(positives), q = view(negatives);
            ScoreSweep sweep;
            {
                const Released released;
                sweep = sweep_scores(p, q);
            }
            return nb::make_tuple(sweep.positives, sweep.negatives, integer(sweep.concordance),
                                  integer(sweep.positive_squares), integer(sweep.negative_squares),
                                  integer(sweep.gap), sweep.gap_index);
        },
        nb::arg("positives").noconvert(), nb::arg("negatives").noconvert(),
        "m, n0, concordance, positive_squares, negative_squares, gap, gap_index of counts in "
        "ascending order of score: AUC = concordance / (2 m n0), KS = gap / (m n0).");
    m.def("sweep_precision", &precision, nb::arg("positives").noconvert(),
          nb::arg("negatives").noconvert(),
          "Average precision by steps of counts in ascending order of score: the mean over\n"
          "positive rows of the precision at their score. NaN where there are none.");
}

}  // namespace assay::bind
