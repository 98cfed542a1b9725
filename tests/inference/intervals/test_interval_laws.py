"""Laws over the whole catalogue: every metric has an interval, or says why it has none."""

import random

import pytest
from support.every_metric import every, sample_of
from support.samples import SAMPLES, SetData

import assay
from assay.metrics import catalogue

# Figures that no interval of the same rows can describe, and why; a new metric is not among them by default.
WITHOUT = {
    *("chi_square", "spiegelhalter_z", "spiegelhalter_p", "hosmer_lemeshow", "hosmer_lemeshow_p"),  # of tests
    *("max_f1", "max_informedness"),  # the best of all cutoffs, chosen on the same rows
    *("brier_miscalibration", "log_miscalibration", "brier_reliability", "expected_calibration_error"),
    *("maximum_calibration_error", "rms_calibration_error", "debiased_calibration_square"),
    *("debiased_calibration_error", "integrated_calibration_index", "largest_calibration_distance"),
    *("median_calibration_distance", "upper_calibration_distance", "confidence_calibration_error"),
    *("isotonic_calibration_index", "isotonic_largest_distance"),
    *("isotonic_median_distance", "isotonic_upper_distance"),
    *("top_label_calibration_error", "classwise_calibration_error"),  # too large where there is no error
    *("brier_discrimination", "log_discrimination", "brier_resolution"),  # fitted to the same rows
    *("max_error", "rmse_over_range"),  # made of the largest of many
    "mase",  # has no value without its scale
    *("max_kappa", "expected_agreement"),  # have a corner or a turn where both margins agree
}
NEED_ROWS = {"h_measure"}  # a hundred of each class, or as many groups
DRAWN = {"rmse_over_iqr", "rpiq"}
SIZES = (1, 2, 3, 6, 12, 25, 60)


def given(metric, data, *, weighted=False, group=None):
    """Return the rows, or for rows of several labels the tally, that a metric reads."""
    if isinstance(data, SetData):
        return data.tally(metric, weighted=weighted)
    if group is None:
        return data.rows(weighted=weighted)
    columns = {name: getattr(data, name) for name in ("actual", "predicted", "score", "query")}
    kept = {name: column for name, column in columns.items() if column}
    more = {"labels": data.labels} if data.labels else {}
    return assay.rows(**kept, **more, group=group)


def drawn(metric, times=14, sizes=SIZES):
    """Yield rows of every size, seeded by the metric's name so that a failure comes again."""
    if metric.name in DRAWN:  # thousands of replicates each
        times, sizes = min(times, 3), sizes[-2:]
    if metric.name in NEED_ROWS:
        times, sizes = min(times, 6), (sizes[-1], 500)
    for turn in range(times):
        yield sample_of(metric).draw(random.Random(f"{metric.name} {turn}"), sizes[turn % len(sizes)])


def sound(metric, found):
    """Assert that an estimate is one: limits about the value and within the bounds, or a reason."""
    low, high = metric.bounds
    if not found.defined:
        assert found.value.reason
        assert found.low is found.high is None
    elif found.low is None:
        assert found.high is None
        assert found.note, "neither an interval nor a reason"
    else:
        assert low <= found.low <= found.value <= found.high <= high, found
        assert found.method
        # Ranks hold a quantile for certain enough where most rows are equal; nothing else may be so sure.
        assert found.low < found.high or metric.kind == "order", (
            "an interval of no width claims to be certain"
        )


@every()
def test_every_metric_has_an_interval_or_says_why(metric):
    """On ordinary rows there is an interval about the value and within the bounds, except where listed."""
    had = 0
    for data in drawn(metric):
        found = assay.estimate(metric, given(metric, data))
        sound(metric, found)
        had += found.low is not None
    assert bool(had) == (metric.name not in WITHOUT)


@pytest.mark.slow
@every()
def test_a_perfect_model_is_not_certain(metric):
    """Where every row is right there is still an interval of some width, or a reason."""
    for data in drawn(metric):
        sound(metric, assay.estimate(metric, given(metric, sample_of(metric).perfect(data))))


@pytest.mark.slow
@every(lambda metric: metric.takes_weights)
def test_weighted_rows(metric):
    """The same holds for rows with weights, which are never worth more than their number."""
    had = 0
    for data in drawn(metric):
        found = assay.estimate(metric, given(metric, data, weighted=True))
        sound(metric, found)
        had += found.low is not None
    assert bool(had) == (metric.name not in WITHOUT)


@pytest.mark.slow
@every(lambda metric: metric.reads.__name__ != "Sets")
def test_rows_in_groups(metric):
    """The same holds for rows in groups; the estimate says how many there are and what they cost."""
    had = 0
    for data in drawn(metric, sizes=(6, 60, 300)):
        group = [random.Random(f"{metric.name} {i}").randrange(12) for i in range(len(data))]
        if data.query:  # groups are of whole queries
            group = data.query
        found = assay.estimate(metric, given(metric, data, group=group))
        sound(metric, found)
        had += found.low is not None
        if found.low is not None:
            assert found.groups == len(set(group))
            assert found.design_effect is None or found.design_effect >= 0
    assert bool(had) == (
        metric.name not in WITHOUT | NEED_ROWS | {"poisson_log_loss"}
    )  # which fractions do not have


@pytest.mark.slow
@every(lambda metric: metric.name not in WITHOUT)
def test_surer_is_wider(metric):
    """At 99% the interval holds the one at 80%."""
    for data in drawn(metric, times=4, sizes=(40, 60)):
        wide, narrow = (assay.estimate(metric, given(metric, data), confidence=c) for c in (0.99, 0.8))
        if wide.low is not None and narrow.low is not None:
            assert wide.low <= narrow.low
            assert narrow.high <= wide.high


@pytest.mark.slow
@every(lambda metric: metric.name not in WITHOUT)
def test_the_order_of_rows_does_not_show(metric):
    """The same estimate whatever the order, to what the sums of rows leave open in the last digits."""
    for data in drawn(metric, times=3, sizes=(25, 40)):
        index = list(range(len(data)))
        random.Random(metric.name).shuffle(index)
        one, other = (assay.estimate(metric, given(metric, rows)) for rows in (data, data.take(index)))
        assert one.value == other.value
        assert (one.method, one.note) == (other.method, other.note)
        if one.low is not None:
            assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-12)


def test_no_metric_is_listed_that_is_not_there():
    """The list of those without an interval names metrics of the catalogue."""
    assert {metric.name for metric in catalogue()} >= WITHOUT
    assert SAMPLES
