"""Influences on metrics of large tables: of the cells that occur, beside a full table moved cell by cell."""

from fractions import Fraction

import numpy as np
import pytest
from support.group_jackknife import jackknife_error, leverage_error

import assay
from assay.inference.influence.gradients import metric_gradient
from assay.inference.influence.influence import influence
from assay.inference.influence.margin_gradients import margin_gradient
from assay.metrics import Binary, Undefined, catalogue, find

SIZE = 11  # classes, so that a table is too large for its moved copies to be kept
AVERAGES = ("macro", "weighted", "micro")
OF_CLASSES = [metric.name for metric in catalogue() if metric.reads.__name__ == "Classes"]
OF_ONE = ["precision", "recall", "f1", "specificity", "jaccard", "informedness", "negative_predictive_value"]


def sample(seed=1, n=400):
    """Rows of labels, of which 3 is never predicted and 5 has one row; weights."""
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, SIZE, n)
    actual[actual == 5] = 4
    actual[0] = 5
    predicted = np.where(rng.random(n) < 0.6, actual, rng.integers(0, SIZE, n))
    predicted[predicted == 3] = 2
    return actual, predicted, rng.lognormal(size=n)


def tally_of(weighty):
    actual, predicted, weight = sample()
    given = {"weight": weight} if weighty else {}
    rows = assay.rows(actual=actual, predicted=predicted, labels=list(range(SIZE)), **given)
    return rows, assay.Confusion.of(rows)


def same_slopes(metric, rows, tally, **options):
    """Compare with the slopes of a full table, at its cells and at the rows."""
    table = tally.table(tally.weight())
    actual, predicted, weight = sample()
    worth = {}
    if tally.weights is not None and metric.reads.__name__ == "Classes":  # how many rows these count for
        worth = {"effective": weight.sum() ** 2 / (weight**2).sum()}
    expected = metric_gradient(metric, table, **worth, **options)
    found = influence(metric, tally, **options)
    if np.isnan(expected).any():
        assert found is None
        return False
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.slopes[0], expected[table > 0], rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(found.mass[0], table[table > 0], rtol=1e-15)
    for given in (None, tally):
        of_rows = influence(metric, rows, tally=given, **options)
        np.testing.assert_allclose(of_rows.slopes, expected[actual, predicted], rtol=0, atol=1e-12 * scale)
    assert of_rows.variance == pytest.approx(found.variance, rel=1e-12)
    return True


@pytest.mark.parametrize("weighty", [False, True])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_metrics_of_all_classes(name, weighty):
    """By margins or by cells, as the metric allows."""
    rows, tally = tally_of(weighty)
    metric = find(name)
    if isinstance(metric(tally), Undefined):
        assert influence(metric, tally) is None
    else:
        same_slopes(metric, rows, tally)


@pytest.mark.parametrize("name", ["mcc", "kappa", "gwet_ac1", "scott_pi"])
def test_classes_that_are_alike_have_one_slope(name):
    """Of 80 classes with few rows each, many have the same hits and totals: found once, they are the same."""
    rng = np.random.default_rng(4)
    actual = np.arange(240) % 80
    predicted = np.where(rng.random(240) < 0.7, actual, rng.integers(0, 80, 240))
    tally = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))
    counts, cells = Binary.each(tally), tally.digits()
    each, once = (margin_gradient(find(name).formula, counts, cells, symmetric=one) for one in (False, True))
    np.testing.assert_allclose(once, each, rtol=1e-12)
    np.testing.assert_allclose(influence(find(name), tally).slopes[0], each, rtol=1e-12)


@pytest.mark.parametrize("weighty", [False, True])
@pytest.mark.parametrize("absent", ["strict", "skip", 0.25])
@pytest.mark.parametrize("average", AVERAGES)
def test_averages_over_classes(average, absent, weighty):
    """Of metrics of one class, where a class without a value is refused, left out or a number."""
    rows, tally = tally_of(weighty)
    options = {"average": average} if average == "micro" else {"average": average, "undefined": absent}
    known = [same_slopes(find(name), rows, tally, **options) for name in OF_ONE]
    assert sum(known) >= (len(OF_ONE) if absent != "strict" or average == "micro" else 4)


@pytest.mark.parametrize("weighty", [False, True])
def test_one_class_against_the_rest(weighty):
    """Four cells, from the sums of every class that are found at once."""
    rows, tally = tally_of(weighty)
    table = tally.table(tally.weight())
    actual, predicted, _ = sample()
    for place in range(SIZE):
        for name in ("recall", "f1", "specificity"):
            expected = metric_gradient(find(name), table, positive=place)
            found = influence(find(name), rows, tally=tally, positive=place)
            np.testing.assert_allclose(found.slopes, expected[actual, predicted], rtol=0, atol=1e-14)


@pytest.mark.parametrize("weighty", [False, True])
@pytest.mark.parametrize("name", ["mcc", "macro f1", "recall"])
def test_errors_of_groups_are_those_of_the_full_table(name, weighty):
    """The cluster jackknife: of a rate by leaving out groups, else by the slopes of the full table."""
    actual, predicted, weight = sample()
    groups = np.random.default_rng(2).integers(0, 20, len(actual))
    given = {"weight": weight} if weighty else {}
    rows = assay.rows(actual=actual, predicted=predicted, group=groups, labels=list(range(SIZE)), **given)
    tally = assay.Confusion.of(rows)
    metric = find(name.split()[-1])
    options = {"average": "macro"} if " " in name else {"positive": 4} if name == "recall" else {}
    mass = weight if weighty else np.ones(len(actual))
    if name == "recall":
        own = actual == 4

        def rate(stays):
            return mass[own & stays & (predicted == 4)].sum() / mass[own & stays].sum()

        assert set(groups[own]) == set(groups)
        error = jackknife_error(rate, groups)
    else:
        slopes = metric_gradient(metric, tally.table(tally.weight()), **options)[actual, predicted]
        # Averages over classes say more of some classes' rows; in other metrics all rows count alike.
        labels = [actual, predicted] if "average" in options else [np.zeros(len(actual))]
        error = leverage_error(slopes, mass, groups, labels)
    found = assay.estimate(metric, rows, **options)
    assert found.standard_error == pytest.approx(error, rel=1e-12)


@pytest.mark.parametrize("weighty", [False, True])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_counts_of_every_class_are_sums_of_its_rows(power, weighty):
    """Rounded once, and none is left beside 0 by a difference."""
    _, tally = tally_of(weighty)
    actual, predicted, weight = sample()
    mass = [Fraction(float(one)) ** power if weighty else 1 for one in weight]
    found = tally.each_against_rest(power)
    for place in range(SIZE):
        own, said = actual == place, predicted == place
        sides = own & said, ~own & said, own & ~said, ~own & ~said
        for column, side in zip(found, sides, strict=True):
            assert column[place] == float(sum(mass[row] for row in np.flatnonzero(side)))
        view = Binary.of(tally, positive=place)
        if power == 1:
            assert [view.tp, view.fp, view.fn, view.tn] == [column[place] for column in found]
