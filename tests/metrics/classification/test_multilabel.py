"""Rows with several labels: over labels, over sets, over rows, against scikit-learn."""

import numpy as np
import pytest

import assay
from assay.metrics import f1, find, hamming_loss, jaccard, precision, recall, subset_accuracy
from assay.metrics.classification.multilabel import over_rows


@pytest.fixture
def sets():
    rng = np.random.default_rng(3)
    actual = rng.integers(0, 2, (40, 4))
    predicted = np.where(rng.random((40, 4)) < 0.8, actual, 1 - actual)
    actual[:, 0] = predicted[:, 0] = 1  # so that no row is without a label
    return actual, predicted, rng.choice([0.5, 1.0, 3.0], 40)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
@pytest.mark.parametrize("weighted", [False, True])
def test_averages_over_labels(sets, name, average, weighted):
    """Every metric of one class reads a label-set tally."""
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the second opinion")
    actual, predicted, weight = sets
    weight = weight if weighted else None
    tally = assay.LabelSets.of_indicators(actual=actual, predicted=predicted, weight=weight)
    theirs = getattr(metrics, f"{name}_score")(actual, predicted, average=average, sample_weight=weight)
    assert find(name)(tally, average=average) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("metric", [precision, recall, f1, jaccard], ids=lambda metric: metric.name)
def test_averages_over_rows(sets, metric):
    """The mean of each row's own figure, weighted too."""
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the second opinion")
    actual, predicted, weight = sets
    function = getattr(metrics, f"{metric.name}_score")
    for given in (None, weight):
        theirs = function(actual, predicted, average="samples", sample_weight=given)
        ours = over_rows(metric, actual=actual, predicted=predicted, weight=given)
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_whole_sets_and_single_labels():
    """Exact matches, wrong labels, one label by its name."""
    tally = assay.LabelSets.of_lists(
        actual=[["cat", "dog"], ["dog"], []], predicted=[["dog"], ["dog"], ["owl"]]
    )
    assert tally.labels == ("cat", "dog", "owl")
    assert subset_accuracy(tally) == 1 / 3
    assert hamming_loss(tally) == 2 / 9
    assert recall(tally, positive="dog") == 1
    with pytest.raises(assay.LabelError, match='the labels are "cat", "dog", "owl": name one with positive='):
        recall(tally)
    with pytest.raises(assay.LabelError, match='"cow" is none of them'):
        recall(tally, positive="cow")
    with pytest.raises(assay.MetricError, match="reads a tally of label sets, not one of confusion"):
        subset_accuracy(assay.Confusion.of(assay.rows(actual=[1], predicted=[1])))


def test_a_row_without_a_value_leaves_the_mean_undefined():
    """Nothing was predicted for the second row, so it has no precision."""
    value = over_rows(precision, actual=[[1, 0], [1, 0]], predicted=[[1, 0], [0, 0]])
    assert repr(value) == "undefined: nothing was predicted positive (1 of 2 rows)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"actual": [["a"]], "predicted": []}, assay.LengthError, "actual has 1 row, predicted has 0"),
        ({"actual": ["ab"], "predicted": [["a"]]}, assay.ColumnError, "holds 'ab' where a list of labels"),
        ({"actual": [["a"]], "predicted": [["b"]], "labels": ["a"]}, assay.LabelError, '"b" is not among'),
        ({"actual": [["a", 1]], "predicted": [[]]}, assay.LabelError, "some labels are text"),
    ],
)
def test_lists_that_are_no_label_sets_are_refused(arguments, error, message):
    """Each with our own exception and what is wrong."""
    with pytest.raises(error, match=message):
        assay.LabelSets.of_lists(**arguments)
