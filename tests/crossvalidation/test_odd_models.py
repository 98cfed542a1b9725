"""Cross-validation of odd targets and odd models: refused in words, or told as a problem."""

# ruff: noqa: N803, ARG002, ARG005 - models speak as those of scikit-learn do

import itertools
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC
from support.odd_models import TREE, Locked, Model, X, Y, judge

from assay.errors import (
    ColumnError,
    InputError,
    LabelError,
    LengthError,
    MetricError,
    MissingValueError,
    NumberError,
    SplitError,
)
from assay.resampling import bootstrap, kfold


@pytest.mark.parametrize(
    ("target", "error", "words"),
    [
        (np.where(np.arange(120) == 3, np.nan, X[:, 0]), MissingValueError, r"1 value is missing in y \(first at row 3"),
        ([None, *Y[1:].tolist()], MissingValueError, r"missing in y \(first at row 0, counting from 0\)\. Leave such rows"),
        (np.where(np.arange(120) == 3, np.inf, X[:, 0]), NumberError, "y is infinite: inf"),
        (np.stack([Y, 1 - Y], axis=1), InputError, r'y has 2 columns: say task="multilabel"'),
        ([["a", "b"] if one else ["a"] for one in Y], ColumnError, "y holds lists of labels, which models do not learn"),
        (np.zeros(120, dtype=int), LabelError, "nothing to tell apart"),
        (Y[:50], LengthError, "X has 120 rows, y has 50"),
    ],
)  # fmt: skip
def test_targets_that_cannot_be_learnt(target, error, words):
    """What is missing, endless, several or constant is refused before anything is fitted."""
    with pytest.raises(error, match=words):
        judge(
            target=target,
            model=LinearRegression() if isinstance(target, np.ndarray) and target.dtype.kind == "f" else TREE,
        )


@pytest.mark.parametrize("given", [5, None, iter(X), np.array(5), lambda: X])
def test_features_whose_rows_cannot_be_chosen(given):
    """A number, nothing, an iterator: the message says what will do."""
    with pytest.raises(InputError, match="whose rows cannot be counted and taken"):
        judge(features=given)


def test_lazy_frames_and_empty_tables():
    """A lazy frame is to be collected; a table without columns has no rows."""
    polars = pytest.importorskip("polars")
    with pytest.raises(InputError, match="Collect it first"):
        judge(features=polars.DataFrame(X).lazy())
    with pytest.raises(LengthError, match="X has no columns"):
        judge(features={})


@pytest.mark.parametrize("make", [iter, tuple, lambda y: range(len(y))])
def test_targets_of_any_sequence(make):
    """A target that is read once, or that no array can index, reaches the model all the same."""
    cv = judge(
        Model(lambda X: np.zeros(len(X), dtype=int)), target=make(Y.tolist()), task="multiclass", split=2
    )
    assert not [one for one in cv.problems if one.kind == "failure"]


def test_odd_indices_do_not_count():
    """A frame's rows are taken by their places, whatever its index says; so are a target's and predictions'."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, index=np.arange(120)[::-1] * 3)
    target = pandas.Series(Y, index=list("abcdef") * 20)
    assert judge(features=frame, target=target).per_fold("accuracy") == judge().per_fold("accuracy")
    said = Model(lambda X: pandas.Series((X[:, 0] > 0).astype(int), index=range(len(X), 0, -1)))
    plain = Model(lambda X: (X[:, 0] > 0).astype(int))
    assert judge(said, task="binary").per_fold("accuracy") == judge(plain, task="binary").per_fold("accuracy")


@pytest.mark.parametrize(
    "predict",
    [
        lambda X: [1] * len(X),
        lambda X: np.ones((len(X), 1)),
        lambda X: np.ones(len(X), dtype=bool),
        lambda X: (1 for _ in range(len(X))),
        lambda X: np.ones(len(X), dtype=np.float32),
    ],
)
def test_predictions_in_other_forms(predict):
    """Lists, columns, truth values, generators and floats that are whole are labels."""
    assert float(judge(Model(predict), task="binary", metrics="accuracy")["accuracy"]) == pytest.approx(
        Y.mean()
    )


@pytest.mark.parametrize(
    ("predict", "words"),
    [
        (lambda X: None, "predict returned nothing"),
        (lambda X: [1], "y has 30 values, predicted has 1"),
        (lambda X: np.ones((len(X), 2)), "predicted has shape"),
        (lambda X: np.full(len(X), 0.3), "predicted holds 0.3"),
        (lambda X: ["1"] * len(X), "some labels are text and others numbers"),
        (lambda X: [7] * len(X), "predicted holds the label 7"),
        (lambda X: np.full(len(X), np.nan), r"30 values are missing in predicted \(first at row 0, counting from 0\)\."),
    ],
)  # fmt: skip
def test_predictions_that_cannot_be_judged(predict, words):
    """Answers of which no figure can be read are a failed fold, and not a figure without a value."""
    with pytest.raises(SplitError, match=f"every fold failed. The first: .*{words}"):
        judge(Model(predict), task="binary")


@pytest.mark.parametrize(
    "proba",
    [
        lambda X: [[0.4, 0.6]] * len(X),
        lambda X: [0.6] * len(X),
        lambda X: np.full((len(X), 1), 0.6),
        lambda X: np.array([[0.4, 0.6]] * len(X), dtype=object),
        lambda X: np.tile(np.array([0.4, 0.6], dtype=np.float64), (len(X), 1)),
    ],
)
def test_probabilities_in_other_forms(proba):
    """Lists, one column, objects: all say how likely the positive class is."""
    found = float(judge(Model(proba=proba), metrics=["brier", "auc"])["brier"])
    assert found == pytest.approx(np.mean((Y - 0.6) ** 2))


@pytest.mark.parametrize(
    ("proba", "words"),
    [
        (lambda X: [0.6], "score has 1"),
        (lambda X: np.ones((len(X), 3)) / 3, "3 scores per row for 2 classes"),
        (lambda X: np.ones((len(X), 2, 2)) / 2, r"scores of shape \(30, 2, 2\)"),
        (lambda X: np.full((len(X), 2), np.nan), "missing in score"),
        (lambda X: np.array([["a", "b"]] * len(X)), "score holds text"),
    ],
)
def test_probabilities_that_cannot_be_judged(proba, words):
    """Too few, too many, none, or text."""
    with pytest.raises(SplitError, match=words):
        judge(Model(proba=proba), metrics=["auc", "brier"])


def test_scores_that_are_no_probabilities_rank_all_the_same():
    """The area is read; the Brier score says in every fold why it is not, and the whole prints."""
    cv = judge(Model(proba=lambda X: np.stack([X[:, 0], X[:, 0] * 9], axis=1)), metrics=["auc", "brier"])
    assert cv["auc"].defined
    assert "not a probability" in cv["brier"].value.reason
    assert [one.kind for one in cv.problems] == ["undefined"] * 4
    assert "not a probability" in str(cv).replace("\n  ", " ")
    for name in ("brier", "log_loss", "expected_calibration_error"):
        with pytest.raises(
            MetricError, match=f"{name} needs probabilities, but a LinearSVC has no predict_proba"
        ):
            judge(LinearSVC(), metrics=name)
    assert judge(LinearSVC(), metrics="auc")["auc"].defined


def test_classes_that_a_model_tells():
    """Scores belong to the classes that the model names, in its order; other names than the target's are refused."""
    words = np.array(["no", "yes"])[Y]
    areas = {}
    for classes in (["no", "yes"], ["yes", "no"], [0, 1]):
        model = Model(lambda X: np.full(len(X), "yes"), lambda X: np.stack([-X[:, 1], X[:, 1]], axis=1))
        model.classes_ = np.array(classes)
        if classes == [0, 1]:
            with pytest.raises(SplitError, match='the model\'s classes are 0, 1, those of y "no", "yes"'):
                judge(model, target=words, positive="yes", metrics="auc")
        else:
            areas[classes[1]] = float(judge(model, target=words, positive="yes", metrics="auc")["auc"])
    assert areas["yes"] == pytest.approx(1 - areas["no"])


def test_one_score_is_that_of_the_second_class():
    """Also in a fold that learns from the first class only, and where the first is the positive one."""
    rows, target = X[:40], np.array([0] * 39 + [1])
    model = Model(scores=lambda X: X[:, 1], proba=None)
    splits = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    cv = judge(model, rows, target, split=splits, metrics="auc", resubstitution=False)
    assert cv.per_fold("auc")[0] == pytest.approx((rows[20:39, 1] < rows[39, 1]).mean())
    turned = judge(model, rows, target, split=splits, metrics="auc", positive=0, resubstitution=False)
    assert turned.per_fold("auc")[0] == pytest.approx(cv.per_fold("auc")[0])
    likely = Model(proba=lambda X: np.full(len(X), 0.2))
    cv = judge(likely, rows, target, split=splits, metrics="multiclass_brier", resubstitution=False)
    assert cv.per_fold("multiclass_brier")[1] == pytest.approx(2 * 0.2**2)
    with pytest.raises(SplitError, match="one score per row for 3 classes"):
        judge(model, target=np.arange(120) % 3, positive=2, metrics="auc")


def test_models_that_cannot_be_copied():
    """The advice is to pass what makes one, which then works."""
    with pytest.raises(
        SplitError, match=r"a Locked cannot be copied for every fold .*pass a function that makes one"
    ):
        judge(Locked(), task="binary")
    assert judge(Locked, task="binary")["accuracy"].defined
    with pytest.raises(InputError, match="makes a NoneType, which is no model: it has no fit"):
        judge(lambda: None)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_stops_at_once(jobs):
    """Ctrl-C is no failed fold: it ends the work, and fits that were not begun never are."""
    begun = itertools.count()

    class Interrupted(Model):
        def fit(self, X, y):
            next(begun)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(Interrupted, task="binary", split=kfold(10, repeats=3), jobs=jobs)
    assert next(begun) <= 4


def test_failures_in_answering_are_told():
    """A model that fails on one fold's rows fails that fold alone; warnings come through."""
    marked = np.column_stack([X, np.arange(120)])

    def predict(X):
        if 3 in X[:, -1]:
            raise ValueError("not this row")
        return np.ones(len(X), dtype=int)

    cv = judge(Model(predict), marked, task="binary", resubstitution=False)
    assert [one.what for one in cv.problems] == ["ValueError: not this row"]
    assert repr(cv).endswith("4 folds of 120 rows, 1 problem>")

    class Warns(Model):
        def fit(self, X, y):
            warnings.warn("few rows", UserWarning, stacklevel=1)

    with pytest.warns(UserWarning, match="few rows"):
        judge(Warns(), task="binary")


def test_parts_without_rows():
    """A bootstrap that draws every row of two has none to test; that is said, and nothing is fitted."""
    with pytest.raises(SplitError, match="there are no rows to test on"):
        judge(features=X[:2], target=[0, 1], split=bootstrap(5), metrics="accuracy")
    with pytest.raises(SplitError, match="there are no rows to learn from"):
        judge(split=[([], np.arange(10))])
