"""What users of other packages stumbled over, one test each; traps of inference are tested there."""

import warnings

import numpy as np
import pytest

import assay
import assay.sklearn
from assay.metrics import Binary, Ranks, Undefined, auc, catalogue, f1, find, kappa, precision, recall
from assay.metrics.curves.curves import precision_recall, roc
from assay.metrics.curves.cutoffs import performance


def rows(actual, predicted, **more):
    return assay.rows(actual=actual, predicted=predicted, **more)


def test_kappa_is_no_proportion():
    """A peer gives it Wilson's interval as if it were one; here its kind forbids that."""
    assert kappa.kind == "counts"
    assert {find(name).kind for name in ("accuracy", "recall", "precision")} == {"proportion"}


def test_mcnemar_of_a_confusion_table_says_what_it_compares():
    """It is read as a comparison of models, and as the p-value of kappa above it."""
    note = "not whether one model is better than another"
    assert note in assay.CrossTable.of(rows([0, 1, 1], [0, 1, 0])).text(mcnemar=True)
    assert note in assay.CrossTable.of(rows([0, 1, 2], [0, 1, 1])).text(mcnemar=True)
    other = assay.CrossTable([[3, 1], [2, 4]], ["right", "wrong"], rows="first", columns="second")
    assert note not in other.text(mcnemar=True)


def test_weights_reach_the_four_counts():
    """A peer weighs precision and recall but not the counts beside them."""
    tally = assay.Confusion.of(rows([1, 1, 0, 0], [1, 0, 1, 0], weight=[2, 3, 5, 7]))
    assert Binary.of(tally) == Binary(tp=2, fn=3, fp=5, tn=7)
    assert (precision(tally), recall(tally)) == (2 / 7, 2 / 5)


LABELS = ["yes", "no", "yes", "no", "no", "yes"]
SCORES = [0.9, 0.2, 0.4, 0.6, 0.1, 0.7]


def test_curves_are_of_the_class_that_is_asked_for():
    """Whichever label sorts first: those of "no" are those of 1 - score with the classes exchanged."""
    plain = assay.rows(actual=[int(one == "yes") for one in LABELS], score=SCORES)
    yes = assay.rows(actual=LABELS, score=SCORES, positive="yes")
    other = assay.rows(actual=[int(one == "no") for one in LABELS], score=[1 - one for one in SCORES])
    no = assay.rows(actual=LABELS, score=[1 - one for one in SCORES], positive="no")
    for curve in (roc, precision_recall):
        assert curve(yes).y.tolist() == curve(plain).y.tolist()
        assert curve(no).y.tolist() == curve(other).y.tolist()
    for metric in catalogue():
        if metric.reads is Ranks:
            assert repr(metric(yes)) == repr(metric(plain)), metric.name
            assert repr(metric(no)) == repr(metric(other)), metric.name


def test_the_positive_label_means_the_same_everywhere():
    """Not the first level here and the second there: what is stated is what every metric reads."""
    predicted = ["yes", "no", "no", "yes", "no", "yes"]
    for positive in ("yes", "no"):
        stated = rows(LABELS, predicted, positive=positive)
        recoded = rows([int(one == positive) for one in LABELS], [int(one == positive) for one in predicted])
        for metric in catalogue():
            if metric.reads is Binary:
                assert repr(metric(stated)) == repr(metric(recoded)), metric.name
    with pytest.raises(assay.LabelError, match='"no", "yes": say which one is positive'):
        recall(rows(LABELS, predicted))


def test_sar_is_what_rocr_computes_and_not_what_it_says():
    """(accuracy + AUC + 1 - RMSE) / 3: at cutoff 0.5 of two rows, right and 0.1 off each, that is 2.9 / 3."""
    curve = performance(assay.rows(actual=[0, 1], score=[0.1, 0.9]), "sar")
    assert curve.y[1] == pytest.approx((1 + 1 + 1 - 0.1) / 3)


def test_a_stand_in_for_what_is_undefined_replaces_nothing_else():
    """Once zero_division=1 made a 0.0 of F1 a 1.0: an F1 of errors alone is 0 and stays it."""
    wrong = rows([0, 1], [1, 0])
    assert f1(wrong) == 0
    assert f1(wrong, average="macro", undefined=1) == 0
    unused = rows([0, 1], [1, 0], labels=[0, 1, 2])
    assert f1(unused, average="macro", undefined=1) == (0 + 0 + 1) / 3
    assert assay.sklearn.f1_score([0, 1], [1, 0], zero_division=1) == 0


@pytest.mark.parametrize(
    "name", ["recall", "precision", "bal_accuracy", "j_index", "f1", "jaccard", "lr_plus"]
)
def test_an_unused_level_is_treated_alike_by_all(name):
    """A peer gives no value for some and ignores the level for others: here each names it, or skips it."""
    used = rows(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    unused = rows(["a", "b", "a", "b"], ["a", "b", "b", "b"], labels=["a", "b", "c"])
    strict = find(name)(unused, average="macro")
    assert isinstance(strict, Undefined)
    assert strict.reason.endswith('(class "c")')
    skipped = find(name)(unused, average="macro", undefined="skip")
    assert skipped == find(name)(used, average="macro", undefined="skip")


def test_agreement_of_a_single_label_is_undefined():
    """Neither nan nor 1: chance alone would agree as well, and the reason says so."""
    alone = kappa(rows([1, 1, 1], [1, 1, 1]))
    assert isinstance(alone, Undefined)
    assert "chance alone" in alone.reason
    with pytest.warns(assay.sklearn.UndefinedMetricWarning):
        assert assay.sklearn.cohen_kappa_score([1, 1], [1, 1], labels=[0, 1], replace_undefined_by=1.0) == 1


@pytest.mark.parametrize("label", [0, 1])
def test_a_single_class_breaks_nothing(label):
    """Every metric of labels or scores has a value or a reason, without a warning."""
    hard = rows([label] * 3, [0, 1, 1], score=[0.2, 0.6, 0.8], labels=[0, 1])
    several = assay.rows(
        actual=[label] * 3, score=[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]], labels=[0, 1, 2]
    )
    data = {"confusion": hard, "scores": hard, "class scores": several, "confidences": several}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in catalogue():
            if metric.reads.tally.kind in data:
                value = metric(data[metric.reads.tally.kind])
                assert isinstance(value, (float, Undefined)), metric.name


def test_large_logits_are_ranked_as_they_are():
    """A sigmoid in single precision makes 20, 30 and 90 equal; no sigmoid is applied. 13 of 14 pairs are right."""
    actual, score = [0, 0, 1, 0, 0, 0, 0, 1, 0], [20, 30, 85, 40, 50, 60, 90, 95, 80]
    assert auc(assay.rows(actual=actual, score=score)) == 13 / 14
    assert auc(assay.rows(actual=actual, score=np.array(score, dtype=np.float32))) == 13 / 14
