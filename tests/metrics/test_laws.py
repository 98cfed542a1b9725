"""Laws over the whole catalogue: a metric that breaks one, or has no oracle, fails here."""

import importlib
import inspect
import math
import random
from pathlib import Path

import pytest
from metrics.samples import SAMPLES

from assay.metrics import Undefined, catalogue

ORACLES = {
    name: oracle
    for path in sorted(Path(__file__).parent.glob("oracle_*.py"))
    for name, oracle in importlib.import_module(f"metrics.{path.stem}").ORACLES.items()
}
NEVER_REACHED = {
    "mase",  # which has no value without the scale it is given
    *("cox_intercept", "cox_slope", "calibration_in_the_large"),  # the logit of certainty is infinite
}
# What depends on the number of rows, not only on their shares.
COUNTS_ROWS = {
    *("adjusted_r2", "rpd", "krippendorff_alpha"),  # a correction by n - 1 and the like
    *("rmse_over_iqr", "rpiq"),  # a straight line from row to row
    *("debiased_calibration_square", "debiased_calibration_error"),  # the rows of a bin less 1
    *("expected_calibration_error", "maximum_calibration_error", "rms_calibration_error"),  # rows per bin
    *("confidence_calibration_error", "top_label_calibration_error", "classwise_calibration_error"),
    *("chi_square", "spiegelhalter_z", "spiegelhalter_p", "hosmer_lemeshow", "hosmer_lemeshow_p"),  # tests
    *("tie_expected_average_precision", "pr_auc_davis_goadrich"),  # tied rows, one after the other
    "bias_corrected_cramers_v",  # what chance adds to n rows
}
SIZES = (1, 2, 3, 5, 8, 13, 21, 40)


def sample_of(metric):
    """Return what the metric's view is drawn from; of a mean over rows, what the loss of a row asks for."""
    asked = {} if metric.loss is None else inspect.signature(metric.loss).parameters
    if "codes" in asked:
        return SAMPLES["Confidence"]
    return SAMPLES["Probabilities" if "positive" in asked else metric.reads.__name__]


def every(condition=lambda _: True):
    """Run a law over every metric to which it applies."""
    chosen = [metric for metric in catalogue() if condition(metric)]
    return pytest.mark.parametrize("metric", chosen, ids=lambda metric: metric.name)


def takes_weights(metric):
    return sample_of(metric).weighted


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
    assert metric.name in ORACLES, "write one line for it in tests/metrics/oracle_*.py"
    for data in drawn(metric):
        plain = data.take(range(len(data)))
        plain.weight = [1.0] * len(data)
        ours, theirs = value(metric, data), ORACLES[metric.name](plain)
        assert agree(ours, theirs), (data, ours, theirs)


@every(takes_weights)
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


@every(takes_weights)
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


@every(lambda metric: takes_weights(metric) and metric.name in COUNTS_ROWS)
def test_a_row_of_weight_zero_is_no_row(metric):
    """Also where the number of rows matters."""
    for data in drawn(metric, times=16):
        rng = random.Random(metric.name)
        data.weight = [weight * rng.randrange(2) for weight in data.weight]
        left = data.take([i for i, weight in enumerate(data.weight) if weight])
        if len(left):
            assert repr(value(metric, data, weighted=True)) == repr(value(metric, left, weighted=True))


@every(lambda metric: takes_weights(metric) and metric.name not in COUNTS_ROWS)
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
