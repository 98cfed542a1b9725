"""Coefficients of several raters: published examples, R's packages, and plain loops as a second way."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reference_figures import oracle

import assay
from assay.inference.formulas.kappa import agreement_weights
from assay.inference.formulas.rater_agreement import RatingCounts, fleiss_null_test
from assay.metrics import Undefined

RATERS = oracle("judges")["raters"]
EXAMPLES = ("krippendorff_2011", "shrout_fleiss_1979", "fleiss_1971", "made_missing", "made_complete")
SCHEMES = {"unweighted": "none", "linear": "linear", "quadratic": "quadratic", "ordinal": "ordinal"}
METHODS = {
    "pa": "percent", "gwet.ac1": "gwet", "fleiss.kappa": "fleiss", "conger.kappa": "conger",
    "bp.coeff": "brennan_prediger", "krippen.alpha": "krippendorff",
}  # fmt: skip
IRRCAC = 6e-6  # irrCAC prints five digits


def counts_of(data):
    """Return the counts of a table with a row per item and a column per rater."""
    tally = assay.Ratings.of(
        {f"r{index}": list(values) for index, values in enumerate(zip(*data, strict=True))}
    )
    return RatingCounts.of(tally), np.array(tally.categories, dtype=float)


def error(counts, coefficient):
    used = np.isfinite(coefficient.items)
    items = counts.counts[used]
    n = items.sum()
    return math.sqrt(items @ (coefficient.items[used] - coefficient.centre) ** 2 / (n * (n - 1)))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("weights", SCHEMES)
@pytest.mark.parametrize("method", METHODS)
def test_values_and_errors_are_those_of_irrcac(name, weights, method):
    """Every coefficient with every weight, with and without missing ratings, and its standard error."""
    expected = RATERS[name]["values"][f"irrCAC.{method}.{weights}"]
    counts, values = counts_of(RATERS[name]["data"])
    scheme = SCHEMES[weights]
    distance = 1 - agreement_weights(len(values), scheme, None if scheme == "ordinal" else values)
    coefficient = getattr(counts, METHODS[method])(distance)
    assert coefficient.value == pytest.approx(expected["value"], abs=IRRCAC)
    assert error(counts, coefficient) == pytest.approx(expected["se"], abs=IRRCAC)
    if method != "pa":
        assert coefficient.chance == pytest.approx(expected["pe"], abs=1e-11)


@pytest.mark.parametrize("name", EXAMPLES)
def test_alpha_is_that_of_the_krippendorff_package(name):
    """Nominal, ordinal, interval and ratio; Krippendorff (2011) prints .743, .815, .849 and .797."""
    expected = RATERS[name]["values"]["krippendorff_py"]
    counts, values = counts_of(RATERS[name]["data"])
    sums = np.add.outer(values, values)
    ratio = (np.subtract.outer(values, values) / np.where(sums > 0, sums, 1)) ** 2
    alphas = {
        "nominal": counts.krippendorff(1 - np.eye(len(values))),
        "ordinal": counts.krippendorff_squares(counts.mean_ranks()),
        "interval": counts.krippendorff_squares(values),
        "ratio": counts.krippendorff(ratio),
    }
    assert {level: found.value for level, found in alphas.items()} == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", ["shrout_fleiss_1979", "fleiss_1971", "made_complete"])
def test_light_conger_and_the_null_error_are_those_of_irr(name):
    """The functions kappam.light and kappam.fleiss (exact too) of irr, and its table by category."""
    expected = RATERS[name]["values"]
    counts, values = counts_of(RATERS[name]["data"])
    size = len(values)
    assert counts.light(np.eye(size)).value == pytest.approx(expected["irr.light"]["value"], abs=1e-11)
    assert counts.conger(1 - np.eye(size)).value == pytest.approx(expected["irr.fleiss_exact"], abs=1e-11)
    test = fleiss_null_test(counts)
    assert test.statistic == pytest.approx(expected["irr.fleiss"]["z"], abs=1e-9)
    assert test.standard_error == pytest.approx(expected["irr.fleiss"]["se0"], abs=1e-12)
    by_category = [counts.collapsed(index).fleiss(1 - np.eye(2)).value for index in range(size)]
    assert by_category == pytest.approx([row[0] for row in expected["irr.fleiss"]["detail"]], abs=6e-4)


TABLES = st.lists(st.lists(st.sampled_from([None, 1, 2, 4]), min_size=3, max_size=3), min_size=3, max_size=9)


def alpha_by_loops(data):
    """Return alpha from the pairs of every unit, as Krippendorff defines it, for squared differences."""
    units = [[value for value in row if value is not None] for row in data]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [value for unit in units for value in unit]
    observed = sum(
        (a - b) ** 2 / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    )
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(pooled, 2))
    return 1 - (len(pooled) - 1) * observed / expected if expected else None


@given(TABLES)
def test_alpha_is_that_of_all_pairs_of_ratings(data):
    """The moments' form and the table's form are the definition's."""
    expected = alpha_by_loops(data)
    counts, values = counts_of(data)
    squares = np.subtract.outer(values, values) ** 2
    for found in (counts.krippendorff_squares(values), counts.krippendorff(squares)):
        if expected is None or sum(sum(v is not None for v in row) > 1 for row in data) < 2:
            assert isinstance(found.value, Undefined)
        else:
            assert found.value == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=40))
def test_two_raters_are_the_catalogue(pairs):
    """Of two raters Fleiss is Scott's pi, Conger and Light are Cohen's kappa, and so on."""
    rows = assay.rows(actual=[a for a, _ in pairs], predicted=[b for _, b in pairs])
    counts, values = counts_of(pairs)
    distance = 1 - np.eye(len(values))
    metrics = assay.metrics
    for found, metric in (
        (counts.fleiss(distance), metrics.scott_pi),
        (counts.conger(distance), metrics.kappa),
        (counts.light(np.eye(len(values))), metrics.kappa),
        (counts.gwet(distance), metrics.gwet_ac1),
        (counts.brennan_prediger(distance), metrics.brennan_prediger),
        (counts.krippendorff(distance), metrics.krippendorff_alpha),
        (counts.percent(distance), metrics.accuracy),
    ):
        expected = metric(assay.Confusion.of(rows))
        if isinstance(expected, Undefined):
            assert isinstance(found.value, Undefined)
        else:
            assert found.value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", ["fleiss_1971", "made_missing"])
def test_the_jackknife_error_is_near_the_linear_one(name):
    """Leaving out each item in turn gives the error that the reference has, and Light's is made so."""
    data = RATERS[name]["data"]
    expected = RATERS[name]["values"]["fleiss_jackknife"]["jackknife_se"]
    size = len(counts_of(data)[1])
    values = []
    for left_out in range(len(data)):
        counts, seen = counts_of(data[:left_out] + data[left_out + 1 :])
        assert len(seen) == size
        values.append(counts.fleiss(1 - np.eye(size)).value)
    n = len(data)
    jackknife = math.sqrt((n - 1) / n * ((np.array(values) - np.mean(values)) ** 2).sum())
    assert jackknife == pytest.approx(expected, abs=1e-10)


def test_lights_error_is_that_of_leaving_out_each_item():
    """The delete-one values from the pairs' cells are those of fitting again."""
    data = RATERS["made_missing"]["data"]
    counts, values = counts_of(data)
    found = counts.light(np.eye(len(values)))
    again = []
    for left_out in range(len(data)):
        fewer, seen = counts_of(data[:left_out] + data[left_out + 1 :])
        again.append(fewer.light(np.eye(len(seen))).value)
    n = len(data)
    expected = math.sqrt((n - 1) / n * ((np.array(again) - np.mean(again)) ** 2).sum())
    assert error(counts, found) == pytest.approx(expected, rel=1e-9)


def test_what_has_no_value_says_why():
    """No item rated twice, one category, one item."""
    alone, _ = counts_of([[1, None], [None, 2]])
    assert alone.fleiss(1 - np.eye(2)).value == Undefined("no item was rated twice")
    same, _ = counts_of([[1, 1], [1, 1]])
    assert same.fleiss(1 - np.eye(1)).value == Undefined("all ratings are in one category")
    assert same.krippendorff(1 - np.eye(1)).value == Undefined("the ratings do not vary")
    assert isinstance(same.gwet(1 - np.eye(1)).value, Undefined)
    assert RatingCounts.of(assay.Ratings.of({"a": ["x", "x"], "b": ["x", "x"]}), [0], 2).gwet(
        1 - np.eye(2)
    ).value == pytest.approx(1)
    assert fleiss_null_test(alone) is None
