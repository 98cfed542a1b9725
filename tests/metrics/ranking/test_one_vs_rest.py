"""Metrics of scores with positive=: one class of several against the rest."""

import numpy as np
import pytest

import assay
from assay.metrics import catalogue, find

OF_SCORES = [metric for metric in catalogue() if metric.of_scores]


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(7)
    actual = rng.choice(["a", "b", "c"], 80, p=[0.5, 0.3, 0.2])
    scores = rng.random((80, 3)) + (actual[:, None] == np.array(["a", "b", "c"]))
    return {
        "actual": actual,
        "score": scores / scores.sum(1, keepdims=True),
        "weight": rng.choice([0.5, 1.0, 2.0], 80),
        "group": rng.integers(0, 20, 80),
    }


def alone(classes, place):
    """Return the same rows with one class's own truth and scores."""
    label = "abc"[place]
    return {**classes, "actual": classes["actual"] == label, "score": classes["score"][:, place]}


def rows(columns, *names):
    return assay.rows(**{name: columns[name] for name in ("actual", "score", *names)})


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda metric: metric.name)
@pytest.mark.parametrize("weight", [(), ("weight",)], ids=["plain", "weighted"])
def test_one_of_several_classes_is_that_class_against_the_rest(metric, weight, classes):
    """The same value from rows, and from a tally where it holds enough, as from the class's own column."""
    several = rows(classes, *weight)
    for place, label in enumerate("abc"):
        expected = metric(rows(alone(classes, place), *weight))
        assert repr(metric(several, positive=label)) == repr(expected)
        assert repr(metric(assay.ClassScores.of(several), positive=label)) == repr(expected)


@pytest.mark.parametrize("more", [(), ("weight",), ("group",), ("weight", "group")])
@pytest.mark.parametrize("name", ["auc", "average_precision", "log_loss", "brier", "cox_slope"])
def test_its_interval_is_that_of_the_class_against_the_rest(name, more, classes):
    """Groups and weights are those of the rows."""
    several, own = rows(classes, *more), rows(alone(classes, 1), *more)
    assert repr(assay.estimate(name, several, positive="b")) == repr(assay.estimate(name, own))


def test_an_evaluation_of_several_classes_reads_one_too(classes):
    """By estimate, with the option's own name."""
    ev = assay.evaluate(actual=classes["actual"], score=classes["score"], labels=["a", "b", "c"])
    assert ev.estimate("auc", positive="c").value == find("auc")(rows(alone(classes, 2)))


def test_the_positive_label_of_one_column_of_scores():
    """It may be said with the metric; a tally made for another label is refused."""
    one = assay.rows(actual=["no", "yes", "no", "yes"], score=[0.1, 0.7, 0.6, 0.9], positive="yes")
    auc = find("auc")
    assert auc(one) == auc(one, positive="yes") == 1
    assert auc(one, positive="no") == 0
    assert auc(assay.Scores.of(one), positive="yes") == 1
    with pytest.raises(assay.LabelError, match='the scores are those of "yes": for "no" pass its own scores'):
        auc(assay.Scores.of(one), positive="no")


def test_what_cannot_be_read_is_refused(classes):
    """A label that is none, an average beside it, and several classes without either."""
    several = rows(classes)
    auc = find("auc")
    for data in (several, assay.ClassScores.of(several)):
        with pytest.raises(assay.LabelError, match='the label "d" is not among "a", "b", "c"'):
            auc(data, positive="d")
    with pytest.raises(assay.MetricError, match="an average of auc takes no positive"):
        auc(several, positive="a", average="macro")
    with pytest.raises(assay.MetricError, match="name one with positive=, or average over them"):
        auc(assay.ClassScores.of(several))
