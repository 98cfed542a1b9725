"""Laws over the whole catalogue: a metric that breaks one, or has no oracle, fails here."""

import importlib
import math
import random
from pathlib import Path

import pytest
import support.oracles
from support.every_metric import every, sample_of

from assay.metrics import Undefined

ORACLES = {
    name: oracle
    for path in sorted(Path(support.oracles.__path__[0]).glob("*.py"))
    for name, oracle in getattr(
        importlib.import_module(f"support.oracles.{path.stem}"), "ORACLES", {}
    ).items()
}
NEVER_REACHED = {
    "mase",  # which has no value without the scale it is given
    *("cox_intercept", "cox_slope", "calibration_in_the_large"),  # the logit of certainty is infinite
}
SIZES = (1, 2, 3, 5, 8, 13, 21, 40)


def has_a_best(metric):
    return metric.best is not None


def reads_labels(metric):
    return metric.reads.__name__ in ("Binary", "Classes", "Ordered")


def drawn(metric, times=24):
    """Yield rows of every size, seeded by the metric's name so that a failure comes again."""
    for turn in range(times):
        rng = random.Random(f"{metric.name} {turn}")
        yield sample_of(metric).draw(rng, SIZES[turn % len(SIZES)])


def value(metric, data, *, weighted=False):
    return metric(data.tally(metric, weighted=weighted))


def agree(ours, theirs, tolerance=1e-12):
    if isinstance(ours, Undefined):
        return math.isnan(theirs)
    return ours == theirs or ours == pytest.approx(theirs, rel=tolerance, abs=tolerance)


@every()
def test_every_metric_has_an_oracle_and_agrees_with_it(metric):
    """A second way to compute it gives the same number, or agrees that there is none."""
    assert metric.name in ORACLES, "write one line for it in tests/support/oracles"
    for data in drawn(metric):
        plain = data.take(range(len(data)))
        plain.weight = [1.0] * len(data)
        ours, theirs = value(metric, data), ORACLES[metric.name](plain)
        assert agree(ours, theirs), (data, ours, theirs)


@every(lambda metric: metric.takes_weights)
def test_weights_agree_with_the_oracle(metric):
    """The same with a weight on every row."""
    for data in drawn(metric):
        ours, theirs = value(metric, data, weighted=True), ORACLES[metric.name](data)
        assert agree(ours, theirs), (data, ours, theirs)


@every()
def test_every_value_is_within_its_bounds(metric):
    """No value leaves the range that the metric declares."""
    low, high = metric.bounds
    for data in drawn(metric, times=60):
        ours = value(metric, data)
        assert isinstance(ours, Undefined) or low <= ours <= high, (data, ours)


@every(has_a_best)
def test_a_perfect_model_reaches_the_best(metric):
    """Where a best value is declared, predicting the truth reaches it or leaves the metric undefined."""
    reached = 0
    for data in drawn(metric):
        ours = value(metric, sample_of(metric).perfect(data))
        if isinstance(ours, Undefined):
            continue
        reached += 1
        if math.isfinite(metric.best):
            assert ours == pytest.approx(metric.best, abs=1e-12), data
        else:
            assert isinstance(other := value(metric, data), Undefined) or ours >= other, data
    assert reached or metric.name in NEVER_REACHED


@every()
def test_the_order_of_rows_does_not_show(metric):
    """The same bits whatever the order."""
    for data in drawn(metric, times=8):
        index = list(range(len(data)))
        random.Random(metric.name).shuffle(index)
        assert repr(value(metric, data)) == repr(value(metric, data.take(index)))


@pytest.mark.slow
@every(lambda metric: metric.takes_weights)
def test_a_common_factor_of_the_weights_changes_nothing(metric):
    """Weights say how much rows count beside each other: their unit has no meaning."""
    for data in drawn(metric, times=16):
        for weights in (data.weight, [1.0] * len(data)):
            data.weight = weights
            expected = value(metric, data, weighted=True)
            for factor in (1 / 25, 1 / len(data), 2.0, 3.0, 1e-6, 1e6, 1e-250, 1e250):
                data.weight = [weight * factor for weight in weights]
                ours = value(metric, data, weighted=True)
                if isinstance(expected, Undefined):
                    assert isinstance(ours, Undefined), (data, factor, ours)
                else:
                    assert agree(ours, float(expected)), (data, factor, ours, expected)


@every(lambda metric: metric.takes_weights and metric.depends_on_n)
def test_a_row_of_weight_zero_is_no_row(metric):
    """Also where the number of rows matters."""
    for data in drawn(metric, times=16):
        rng = random.Random(metric.name)
        data.weight = [weight * rng.randrange(2) for weight in data.weight]
        left = data.take([i for i, weight in enumerate(data.weight) if weight])
        if len(left):
            assert repr(value(metric, data, weighted=True)) == repr(value(metric, left, weighted=True))


@every(lambda metric: metric.takes_weights and not metric.depends_on_n)
def test_a_weight_is_a_repetition(metric):
    """A row of weight three is a row three times; weight zero is no row.

    That holds for what is read from the shares of the rows alone. What depends on their number, by n - 1, by
    bins of equally many rows or by a test's statistic, cannot hold this and the law above at once: all rows
    twice are not the same rows with weights of 2.
    """
    for data in drawn(metric, times=16):
        rng = random.Random(metric.name)
        data.weight = [float(rng.randrange(4)) for _ in data.actual]
        repeated = data.take([i for i, weight in enumerate(data.weight) for _ in range(int(weight))])
        if not len(repeated):
            continue
        ours, theirs = value(metric, data, weighted=True), value(metric, repeated)
        if isinstance(theirs, Undefined):
            assert isinstance(ours, Undefined), data
        else:
            assert agree(ours, float(theirs)), (data, ours, theirs)


@every()
def test_no_rows_give_no_value(metric):
    """An empty tally is undefined, and says so."""
    empty = next(drawn(metric)).tally(metric).empty()
    assert metric(empty) == Undefined("there are no rows")


@every(reads_labels)
def test_labels_may_be_text(metric):
    """Numbers and text as labels give the same figure."""
    for data in drawn(metric, times=8):
        text = data.take(range(len(data)))
        text.actual, text.predicted = (
            [f"class {x}" for x in column] for column in (text.actual, text.predicted)
        )
        text.labels = tuple(f"class {x}" for x in text.labels)
        options = {"positive": "class 1"} if metric.reads.__name__ == "Binary" else {}
        if options and "class 1" not in {*text.actual, *text.predicted}:
            continue
        assert repr(metric(metric.tally(text.rows()), **options)) == repr(value(metric, data))
