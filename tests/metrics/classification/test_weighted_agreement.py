"""Agreement of ordered classes in which a near miss counts in part."""

import numpy as np
import pytest

import assay
from assay.metrics import find

# The table of irrCAC's cont3x3abstractors.
TABLE = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])


def tally(table=TABLE):
    return assay.Confusion.of_table(table, tuple(range(len(table))), declared=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # As scott2.table, gwet.ac1.table and bp2.table of irrCAC with weights = quadratic.weights(1:3) have
        # it: agreement observed less expected, over 1 less expected. Computed in R.
        ("weighted_scott_pi", 0.8921092638909324),
        ("gwet_ac2", 0.9402368792784962),
        ("weighted_brennan_prediger", 0.9175000000000001),
    ],
)
def test_quadratic_weights_are_those_of_irrcac(name, value):
    """Of a table that two raters made."""
    assert find(name)(tally(), weights="quadratic") == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize(
    ("weighted", "plain"),
    [
        ("weighted_scott_pi", "scott_pi"),
        ("gwet_ac2", "gwet_ac1"),
        ("weighted_brennan_prediger", "brennan_prediger"),
        ("weighted_kappa", "kappa"),
    ],
)
def test_without_partial_credit_it_is_the_plain_coefficient(weighted, plain):
    """Weights of 1 on the diagonal and 0 elsewhere; of two classes any weights are those."""
    assert find(weighted)(tally(), weights=np.eye(3)) == pytest.approx(find(plain)(tally()), rel=1e-13)
    two = tally(np.array([[30, 10], [5, 55]]))
    assert find(weighted)(two) == pytest.approx(find(plain)(two), rel=1e-13)


def test_far_errors_may_lie_below_minus_1():
    """Every row of seven classes is wrong by as much as can be: what the bounds say, and no less."""
    table = np.zeros((7, 7), dtype=int)
    table[0, 6] = table[6, 0] = 20
    assert find("weighted_brennan_prediger")(tally(table), weights="quadratic") == pytest.approx(1 - 4.5)
    found = assay.estimate("gwet_ac2", tally(table + np.eye(7, dtype=int)))
    assert found.low < found.value < found.high < 0
