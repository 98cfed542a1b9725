"""LeDell's interval of the cross-validated area: R's figures, groups, weights, coverage, and in crossval."""

import numpy as np
import pytest

import assay
from assay.errors import LengthError, MetricError, SplitError
from assay.inference.formulas.cross_validated_auc import cross_validated_auc
from assay.resampling import bootstrap, holdout, kfold

INDEX = np.arange(1, 61)
FOLD = INDEX % 3
ACTUAL = ((INDEX**2 * 29) % 97 > 45).astype(int)
SCORE = ((INDEX * 37) % 101) / 101 + 0.4 * ACTUAL


def rows(**more):
    return assay.rows(actual=ACTUAL, score=SCORE, **more)


def test_figures_of_cvauc():
    """The estimate, standard error and limits of ci.cvAUC by its formula, computed in R for the same rows."""
    found = cross_validated_auc(rows(), FOLD)
    assert found.value == pytest.approx(0.8445399045399046, rel=1e-13)
    assert found.standard_error == pytest.approx(0.04821319981450439, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((0.7500437693240428, 0.9390360397557663), rel=1e-12)
    assert found.method == "influence curves"


def test_row_by_row():
    """The influence of each row from its comparisons with all others of its fold, one by one; ties count half."""
    rng = np.random.default_rng(4)
    actual, score, fold = rng.integers(0, 2, 50), rng.integers(0, 6, 50), rng.integers(0, 4, 50)
    n, share = 50, actual.mean()
    squares, areas = [], []
    for number in range(4):
        mine = [(a, s) for a, s, f in zip(actual, score, fold, strict=True) if f == number]
        above = [[(s > t) + (s == t) / 2 for b, t in mine if not b] for a, s in mine if a]
        area = np.mean(above)
        areas.append(area)
        of_rows = []
        for a, s in mine:
            others = (
                [(s > t) + (s == t) / 2 for b, t in mine if not b]
                if a
                else [(t > s) + (s == t) / 2 for b, t in mine if b]
            )
            of_rows.append((np.mean(others) - area) / (share if a else 1 - share))
        squares.append(np.mean(np.square(of_rows)))
    found = cross_validated_auc(assay.rows(actual=actual, score=score), fold)
    assert found.value == pytest.approx(np.mean(areas), rel=1e-13)
    assert found.standard_error == pytest.approx(np.sqrt(np.mean(squares) / n), rel=1e-12)


def test_one_fold_is_delongs_error_but_for_its_corrections():
    """Of one fold it is the infinitesimal jackknife's standard error of the plain area."""
    found = cross_validated_auc(rows(), np.zeros(60))
    plain = assay.estimate("auc", rows())
    assert found.value == pytest.approx(plain.value, rel=1e-13)
    assert found.standard_error == pytest.approx(plain.standard_error, rel=0.05)


def test_groups_and_weights():
    """Rows in groups of like rows are worth less; a unit of the weights does not matter, a group each does little."""
    alone = cross_validated_auc(rows(), FOLD)
    scaled = cross_validated_auc(rows(weight=np.full(60, 0.3)), FOLD)
    assert scaled.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    single = cross_validated_auc(rows(group=INDEX), FOLD)
    assert single.standard_error == pytest.approx(alone.standard_error * np.sqrt(60 / 59), rel=1e-12)
    twice = assay.rows(actual=np.repeat(ACTUAL, 2), score=np.repeat(SCORE, 2), group=np.repeat(INDEX, 2))
    clustered = cross_validated_auc(twice, np.repeat(FOLD, 2))
    assert clustered.standard_error == pytest.approx(single.standard_error, rel=1e-12)
    assert clustered.groups == 60


def test_what_has_no_interval_says_why():
    """A fold of one class, no positives, no overlap, and a column of another length."""
    assert "fold 0 has rows of one class" in cross_validated_auc(rows(), ACTUAL).value.reason
    one = cross_validated_auc(assay.rows(actual=[0, 0], score=[0.1, 0.2], positive=1), [1, 2])
    assert "no positives" in one.value.reason
    apart = cross_validated_auc(assay.rows(actual=[0, 1, 0, 1], score=[1, 2, 1, 2]), [1, 1, 2, 2])
    assert apart.low is None
    assert "no spread" in apart.note
    with pytest.raises(LengthError, match="2 values"):
        cross_validated_auc(rows(), [1, 2])


def test_coverage_of_fixed_models():
    """Scores from given models: the interval holds the models' own mean area about as often as it says."""
    rng = np.random.default_rng(11)
    shift = 1.0
    true = 0.7602499389065233  # of two normals one apart: the normal distribution at 1 / sqrt(2)
    held = 0
    for _ in range(300):
        actual = (rng.random(200) < 0.3).astype(int)
        score = rng.normal(size=200) + shift * actual
        found = cross_validated_auc(assay.rows(actual=actual, score=score), np.arange(200) % 5)
        held += found.low <= true <= found.high
    assert 0.9 <= held / 300 <= 0.985


class Slope:
    """Scores by a straight line through the class means."""

    def fit(self, x, y):
        """Learn the direction."""
        self.direction = x[y == 1].mean(0) - x[y == 0].mean(0)

    def decision_function(self, x):
        """Return the scores."""
        return x @ self.direction

    def predict(self, x):
        """Return the labels."""
        return (self.decision_function(x) > 0).astype(int)


def data(n=150):
    rng = np.random.default_rng(8)
    y = (rng.random(n) < 0.4).astype(int)
    return rng.normal(size=(n, 3)) + 0.7 * y[:, None], y


def test_in_a_cross_validation():
    """The figure of the folds' scores, row by row; Gini's is twice that less 1; other metrics as before."""
    x, y = data()
    cv = assay.crossval(
        Slope(), x, y, task="binary", metrics=["auc", "gini", "accuracy"], split=5, interval="ledell"
    )
    table = cv.prediction_columns()
    expected = cross_validated_auc(assay.rows(actual=table["actual"], score=table["score"]), table["fold"])
    found = cv["auc"]
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    assert found.value == pytest.approx(np.mean([float(value) for value in cv.per_fold("auc")]), rel=1e-13)
    assert cv["gini"].low == pytest.approx(2 * found.low - 1)
    assert cv["accuracy"].method == "corrected resampled t"
    assert "LeDell" in str(cv)


def test_what_a_cross_validation_refuses():
    """Rows tested more than once, one split, no area among the metrics."""
    x, y = data(60)
    told = {"task": "binary", "interval": "ledell"}
    with pytest.raises(SplitError, match="tested once"):
        assay.crossval(Slope(), x, y, metrics="auc", split=kfold(3, repeats=2), **told)
    with pytest.raises(SplitError, match="tested once"):
        assay.crossval(Slope(), x, y, metrics="auc", split=bootstrap(5), **told)
    with pytest.raises(SplitError, match="single split"):
        assay.crossval(Slope(), x, y, metrics="auc", split=holdout({"train": 0.7, "test": 0.3}), **told)
    with pytest.raises(MetricError, match='metrics="auc"'):
        assay.crossval(Slope(), x, y, metrics="accuracy", **told)


class Fails(Slope):
    """Fails unless an outlying row is among those it learns from, so in one fold alone."""

    def fit(self, x, y):
        """Learn the direction."""
        if x[:, 0].min() > -4:
            raise ValueError("there is no outlying row")
        super().fit(x, y)


def test_a_fold_that_failed_is_told():
    """The mean is over the others, and the note says so."""
    x, y = data()
    x[7, 0] = -5.0  # the fold that tests this row fails
    cv = assay.crossval(Fails(), x, y, task="binary", metrics="auc", split=5, interval="ledell")
    assert cv["auc"].note == "over 4 of 5 folds"
    assert cv["auc"].low is not None
