"""Bias and spread of mutual information by leaving out each row, against a loop over the rows."""

import numpy as np
import pytest

import assay
from assay.inference.formulas.shared_information import information_jackknife


def information(table):
    """Return the mutual information of a table in nats."""
    joint = table / table.sum()
    chance = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    held = joint > 0
    return float((joint[held] * np.log(joint[held] / chance[held])).sum())


@pytest.mark.parametrize(
    "table", [[[30, 1, 2], [0, 20, 3], [2, 1, 40]], [[3, 1], [1, 4]], [[1, 0, 0], [0, 1, 2], [5, 0, 1]]]
)
def test_each_row_is_left_out(table):
    """The bias is that of Quenouille, the spread that of Tukey."""
    counts = np.array(table, dtype=float)
    n, value, left_out = counts.sum(), information(counts), []
    for index in np.ndindex(counts.shape):
        fewer = counts.copy()
        fewer[index] -= 1
        left_out += [information(fewer)] * int(counts[index]) if counts[index] else []
    found = information_jackknife(table)
    assert found.bias == pytest.approx((n - 1) * (np.mean(left_out) - value), rel=1e-9)
    error = np.sqrt(np.square(np.array(left_out) - np.mean(left_out)).sum())
    rows = [index for index in np.ndindex(counts.shape) for _ in range(int(counts[index]))]
    actual, predicted = zip(*rows, strict=True)
    data = assay.rows(actual=actual, predicted=predicted)
    plain = assay.estimate("mutual_information", data, method="delta").standard_error
    assert found.factor == pytest.approx(error / plain, rel=1e-9)


def test_a_table_of_many_rows_needs_no_correction():
    """The factor tends to 1, and the bias to 0."""
    found = information_jackknife(np.array([[300, 10, 20], [30, 200, 30], [20, 10, 400]]) * 100)
    assert (found.bias, found.factor) == (pytest.approx(0, abs=1e-4), pytest.approx(1, abs=1e-3))


def test_a_sparse_table_is_covered():
    """Of five classes and 100 rows, nine in ten right, 0.86 of the intervals held the truth."""
    table = np.full((5, 5), 0.1 / 20) + np.eye(5) * (0.18 - 0.1 / 20)
    rng, held = np.random.default_rng(6), 0
    for _ in range(300):
        cells = rng.multinomial(100, table.ravel())
        actual, predicted = np.divmod(np.repeat(np.arange(25), cells), 5)
        found = assay.estimate("mutual_information", assay.rows(actual=actual, predicted=predicted))
        held += found.low <= information(table) <= found.high
    assert held / 300 >= 0.9
