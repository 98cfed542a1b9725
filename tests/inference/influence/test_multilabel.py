"""The influence of rows of several labels: numeric slopes, a tally's own, and intervals that know of both."""

import numpy as np
import pytest
from support.numeric_influence import nudged

import assay
from assay.errors import LengthError
from assay.inference.influence.influence import influence
from assay.inference.influence.multilabel import of_indicators
from assay.inference.intervals.multilabel import label_sets_estimate
from assay.metrics import find

CASES = [
    ("hamming_loss", {}),
    ("subset_accuracy", {}),
    ("f1", {"positive": "b"}),
    *((name, {"average": one}) for name in ("f1", "recall") for one in ("micro", "macro", "weighted")),
    ("f_beta", {"average": "macro", "beta": 2.0}),
    ("f_beta", {"positive": "a", "beta": 0.5}),
]
LABELS = ["a", "b", "c"]


def tables(seed=1, n=24):
    """Two tables of 0 and 1 that agree more often than not, and weights."""
    rng = np.random.default_rng(seed)
    actual = (rng.uniform(size=(n, 3)) < [0.6, 0.4, 0.3]).astype(int)
    wrong = rng.uniform(size=(n, 3)) < 0.25
    return actual, np.where(wrong, 1 - actual, actual), rng.uniform(0.5, 2, n)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_slopes_are_those_by_weight(name, options):
    """By numeric differences; they add up to nothing."""
    metric = find(name)
    actual, predicted, weight = tables()

    def value(weights):
        tally = assay.LabelSets.of_indicators(
            actual=actual, predicted=predicted, labels=LABELS, weight=weights
        )
        return metric(tally, **options)

    given = {"actual": actual, "predicted": predicted, "labels": LABELS}
    found = of_indicators(metric, **given, weight=weight, **options)
    assert found.value == value(weight)
    np.testing.assert_allclose(found.slopes, nudged(value, weight), rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-14
    tally = influence(metric, assay.LabelSets.of_indicators(**given, weight=weight), **options)
    if "positive" in options or name == "subset_accuracy":
        assert tally.variance == pytest.approx(found.variance, rel=1e-12)
        assert tally.acceleration == pytest.approx(found.acceleration, rel=1e-9)
    else:  # which labels go together, a tally does not know
        assert tally is None


def test_a_single_label_is_known_to_its_tally():
    """Averages over one label are that label's, and the Hamming loss is its error rate."""
    actual, predicted, _ = tables()
    tally = assay.LabelSets.of_indicators(actual=actual[:, :1], predicted=predicted[:, :1])
    own = influence(find("f1"), tally, positive=0)
    assert influence(find("f1"), tally, average="micro").variance == own.variance
    loss = influence(find("hamming_loss"), tally)
    share = loss.value
    assert loss.variance == pytest.approx(share * (1 - share) / len(actual), rel=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_absent_labels_are_treated_as_the_average_has_it(average):
    """A label that no row has, and none was predicted, has no value of F1."""
    actual, predicted, weight = tables()
    actual[:, 2] = predicted[:, 2] = 0
    given = {"actual": actual, "predicted": predicted, "labels": LABELS}
    strict = of_indicators(find("f1"), **given, average=average)
    assert (strict is None) == (average == "macro")
    for absent in ("skip", 1.0):

        def value(weights, undefined=absent):
            tally = assay.LabelSets.of_indicators(**given, weight=weights)
            return find("f1")(tally, average=average, undefined=undefined)

        found = of_indicators(find("f1"), **given, weight=weight, average=average, undefined=absent)
        np.testing.assert_allclose(found.slopes, nudged(value, weight), rtol=0, atol=3e-9)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_every_figure_of_label_sets_has_an_interval(name, options):
    """Of plain, weighted and grouped rows; of a tally where that says enough, the same."""
    actual, predicted, weight = tables(n=60)
    given = {"actual": actual, "predicted": predicted, "labels": LABELS}
    plain = label_sets_estimate(name, **given, **options)
    for more in ({}, {"weight": weight}, {"group": np.arange(60) // 5}):
        found = label_sets_estimate(name, **given, **more, **options)
        assert found.low < found.value < found.high
        assert found.groups == (12 if "group" in more else None)
    tally = assay.estimate(name, assay.LabelSets.of_indicators(**given), **options)
    assert tally.value == plain.value
    if "positive" in options or name == "subset_accuracy":
        assert (tally.low, tally.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    else:
        assert tally.low is None
        assert tally.note


def test_one_label_of_sets_is_judged_as_one_class():
    """The interval is that of the same label as a class of its own."""
    actual, predicted, _ = tables(n=60)
    given = {"actual": actual, "predicted": predicted, "labels": LABELS}
    alone = assay.rows(actual=actual[:, 1], predicted=predicted[:, 1])
    for name in ("recall", "precision", "f1", "informedness", "prevalence"):
        found = label_sets_estimate(name, **given, positive="b")
        expected = assay.estimate(name, alone)
        assert (found.low, found.high, found.method) == (expected.low, expected.high, expected.method)


def test_rows_of_weight_0_leave_and_tables_must_match():
    """As everywhere."""
    actual, predicted, weight = tables(n=30)
    weight[:10] = 0
    with_none = label_sets_estimate("f1", actual=actual, predicted=predicted, weight=weight, average="micro")
    left = {"actual": actual[10:], "predicted": predicted[10:]}
    without = label_sets_estimate("f1", **left, weight=weight[10:], average="micro")
    assert (with_none.low, with_none.high) == (without.low, without.high)
    with pytest.raises(LengthError):
        label_sets_estimate("f1", actual=actual, predicted=predicted[1:], average="micro")
