"""Figures of forecasts: Theil's U of three kinds, and percentage errors, against R."""

import math

import pytest

import assay
from assay import MetricError
from assay.metrics import Undefined, find
from assay.metrics.regression.moments import relative_changes

SERIES = [112.0, 118.0, 132.0, 129.0, 121.0, 135.0, 148.0, 148.0, 136.0, 119.0]
FORECASTS = [115.0, 116.0, 128.0, 131.0, 125.0, 130.0, 144.0, 150.0, 140.0, 124.0]
ROWS = assay.rows(actual=SERIES, predicted=FORECASTS)


def near(value):
    return pytest.approx(value, rel=1e-13)


def test_figures_of_r():
    """TheilU of DescTools by its formula, types 1 and 2; MLmetrics::RMSPE(f, y); median(abs((y - f) / y))."""
    assert find("theil_u1")(ROWS) == near(0.01407296005411808)
    assert find("theil_u2")(ROWS) == near(0.02819137190380558)
    assert find("rmspe")(ROWS) == near(0.02858582674344287)
    assert find("mdape")(ROWS) == near(0.02821939586645469)


def test_theil_u_of_forecast_accuracy_is_that_of_relative_changes():
    """forecast::accuracy(ts(f), ts(y)) prints Theil's U 0.3368780338418789."""
    actual, predicted = relative_changes(SERIES, FORECASTS)
    assert find("theil_u2")(assay.rows(actual=actual, predicted=predicted)) == near(0.3368780338418789)
    with pytest.raises(MetricError, match="is 0"):
        relative_changes([1.0, 0.0, 2.0], [1.0, 1.0, 1.0])
    with pytest.raises(MetricError, match="3 values"):
        relative_changes([1.0, 2.0, 2.0], [1.0, 1.0])


def test_theil_u_has_two_meanings_and_is_not_guessed():
    """The uncertainty coefficient has its own name; the bare name is refused with all that it may mean."""
    assert find("theil_u_actual") is find("uncertainty_coefficient")
    for name in ("theil_u", "Theil's U".replace("'", "")):
        with pytest.raises(MetricError, match="several meanings: say uncertainty_coefficient"):
            find(name)
    with pytest.raises(MetricError, match="goodman_kruskal_tau"):
        find("tau")


def test_the_median_percentage_error_does_not_mind_a_few_zeros():
    """An actual 0 is infinitely far off unless it was predicted; half of the rows being so leave no median."""
    value = find("median_absolute_percentage_error")
    assert value(assay.rows(actual=[0.0, 2.0, 4.0], predicted=[1.0, 1.0, 3.0])) == 0.5
    assert value(assay.rows(actual=[0.0, 2.0, 4.0], predicted=[0.0, 1.0, 3.0])) == 0.25
    lost = value(assay.rows(actual=[0.0, 0.0, 4.0, 4.0], predicted=[1.0, 1.0, 3.0, 3.0]))
    assert isinstance(lost, Undefined)
    assert "half of the actual values" in lost.reason
    rows = assay.rows(actual=[0.0] * 4 + [4.0] * 9, predicted=[3.0, 5.0, 4.5] * 4 + [3.5])
    found = assay.estimate(value, rows)
    assert found.low <= found.value < found.high == math.inf


def test_percentage_errors_of_groups_have_their_own_ranks():
    """Rows in groups: the ranks are those of percentage errors, not of errors."""
    rows = assay.rows(
        actual=[x * (1 + i % 5) for i, x in enumerate(SERIES * 6)],
        predicted=[x * (1 + i % 5) for i, x in enumerate(FORECASTS * 6)],
        group=[i // 3 for i in range(60)],
    )
    found = assay.estimate("mdape", rows)
    alone = assay.estimate(
        "mdape", assay.rows(actual=SERIES * 6, predicted=FORECASTS * 6, group=[i // 3 for i in range(60)])
    )
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    assert found.low < found.value < found.high
