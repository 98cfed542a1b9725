"""Measures of association and of ordered tables: figures of R and SciPy, and names that lead where they say."""

import itertools

import numpy as np
import pytest
from scipy.stats.contingency import association

import assay
from assay import LabelError
from assay.metrics import find

SQUARE = np.array([[44, 6, 3], [5, 30, 7], [2, 9, 61]])
WIDE = np.array([[44, 6, 3, 8], [5, 30, 7, 1], [2, 9, 61, 4], [0, 0, 0, 0]])  # no row is of the last class


def tally(table):
    return assay.Confusion.of_table(table, tuple(range(len(table))), declared=True)


def near(value):
    return pytest.approx(value, rel=1e-13)


def test_figures_of_r():
    """vcd::assocstats(x)$cramer and $contingency; gamma, tau-c and T by their definitions in R."""
    data = tally(SQUARE)
    assert find("cramers_v")(data) == near(0.704274616678242)
    assert find("contingency_coefficient")(data) == near(0.705686436546104)
    assert find("goodman_kruskal_gamma")(data) == near(0.916721397609352)
    assert find("stuarts_tau_c")(data) == near(0.75072609272473)
    assert find("tschuprows_t")(data) == near(0.704274616678242)
    assert find("tschuprows_t")(tally(WIDE)) == near(0.620484886171588)


@pytest.mark.parametrize("table", [SQUARE, WIDE])
def test_scipy_agrees(table):
    """scipy.stats.contingency.association of the classes that occur."""
    used = table[table.sum(1) > 0]
    data = tally(table)
    assert find("tschuprows_t")(data) == near(association(used, method="tschuprow"))
    assert find("cramers_v")(data) == near(association(used, method="cramer"))


def test_tau_of_two_classes_is_phi_squared():
    """And V's correction takes off what it says, by hand: phi² less 1 / (n - 1), over 1 less the same."""
    data = tally(np.array([[30, 10], [5, 55]]))
    phi = find("phi")(data)
    assert find("goodman_kruskal_tau")(data) == near(phi**2)
    assert find("goodman_kruskal_tau_predicted")(data) == near(phi**2)
    corrected = ((phi**2 - 1 / 99) / (1 - 1 / 99)) ** 0.5
    assert find("bias_corrected_cramers_v")(data) == near(corrected)


def test_phi_is_of_one_class_against_the_rest():
    """For two classes it is mcc; of more it needs a class or an average, and is no longer mcc."""
    two, three = tally(np.array([[30, 10], [5, 55]])), tally(SQUARE)
    assert find("phi")(two) == near(find("mcc")(two))
    with pytest.raises(LabelError, match="positive="):
        find("phi")(three)
    against_rest = np.array([[44, 9], [7, 107]])  # class 0 against the others
    (a, b), (c, d) = against_rest
    expected = (a * d - b * c) / np.sqrt(float((a + b) * (c + d) * (a + c) * (b + d)))
    assert find("phi")(three, positive=0) == near(expected)


@pytest.mark.parametrize(
    "name", ["cramers_v", "tschuprows_t", "bias_corrected_cramers_v", "goodman_kruskal_tau"]
)
def test_where_chance_gives_as_much_the_interval_begins_at_0(name):
    """A table without association: the plain interval of V lay above 0, this one begins there."""
    found = assay.estimate(name, tally(np.array([[10, 11, 9], [9, 10, 11], [11, 9, 10]])))
    assert found.low == 0
    assert 0 < found.high < 0.5
    assert found.method == "delta, atanh, less chance"


@pytest.mark.parametrize("groups", [None, 2, 6])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.0])
@pytest.mark.parametrize(
    "name", ["cramers_v", "contingency_coefficient", "bias_corrected_cramers_v", "gk_tau"]
)
def test_surer_intervals_hold_less_sure_ones(name, share, groups):
    """Also where the lower limit comes to 0, and the upper one is made otherwise."""
    rng = np.random.default_rng(3)
    actual = rng.integers(0, 3, 300)
    predicted = np.where(rng.random(300) < share, actual, rng.integers(0, 3, 300))
    group = {} if groups is None else {"group": np.arange(300) * groups // 300}
    rows = assay.rows(actual=actual, predicted=predicted, **group)
    levels = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999)
    found = [assay.estimate(name, rows, confidence=level) for level in levels]
    if found[0].low is None:  # a V of 0 shows no spread, and two groups are no measure of it
        assert (found[0].value, groups) == (0, 2)
        assert all("too few groups" in one.note for one in found)
        return
    for narrow, wide in itertools.pairwise(found):
        assert wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high
