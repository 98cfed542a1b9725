"""What cross-validation says against itself: copies, groups, preprocessing."""

# ruff: noqa: N803 - models speak as those of scikit-learn do

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import assay
from assay.crossvalidation.diagnostics import find_leakage
from assay.resampling import bootstrap, holdout, kfold

RNG = np.random.default_rng(8)
X = RNG.normal(3, 2, size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 3).astype(int)


def kinds(*args, **more):
    return [problem.kind for problem in assay.crossval(*args, metrics="accuracy", **more).problems]


def test_nothing_is_said_against_what_is_sound():
    """Independent rows in stratified folds raise no problem."""
    assert kinds(DecisionTreeClassifier(), X, Y) == []
    assert kinds(DecisionTreeClassifier(), X, Y, split=bootstrap(3)) == []


def test_copies_across_parts():
    """Rows that were doubled are on both sides; kept together as groups they are not."""
    doubled, twice = np.concatenate([X, X[:50]]), np.concatenate([Y, Y[:50]])
    found = assay.crossval(DecisionTreeClassifier(), doubled, twice, split=5)
    assert {problem.kind for problem in found.problems} == {"copies"}
    assert "5 of 5 folds share rows" in str(found)
    owner = np.concatenate([np.arange(120), np.arange(50)])
    assert kinds(DecisionTreeClassifier(), doubled, twice, split=5, group=owner) == []


@pytest.mark.parametrize("form", ["pandas", "polars", "dict"])
def test_copies_in_frames(form):
    """A frame's columns are read one by one, words and all."""
    columns = {"a": np.concatenate([X[:, 0], X[:60, 0]]), "b": ["x", "y"] * 90}
    given = columns if form == "dict" else pytest.importorskip(form).DataFrame(columns)

    class Blind:
        def fit(self, X, y): ...

        def predict(self, X):
            return np.zeros(len(X["a"]), dtype=int)

    assert "copies" in kinds(Blind(), given, np.arange(180) % 2, task="binary")


def test_equal_rows_of_few_values_are_ordinary():
    """Three columns of yes and no: most rows have a twin, which says nothing."""
    coarse = (X > 3).astype(float)
    assert kinds(DecisionTreeClassifier(), coarse, Y) == []


def test_groups_on_both_sides():
    """Ready splits that tear groups apart are found out."""
    group = np.arange(120) // 4
    ready = kfold(3).split(Y)
    found = kinds(DecisionTreeClassifier(), X, Y, split=list(ready), group=group)
    assert found == ["groups"] * 3
    assert kinds(DecisionTreeClassifier(), X, Y, split=3, group=group) == []


def test_standardised_columns():
    """Mean 0 and deviation 1 to the last digits, by n or by n - 1; not what merely is near."""
    for spread in (X.std(axis=0), X.std(axis=0, ddof=1)):
        (error,) = find_leakage((X - X.mean(axis=0)) / spread, None)
        assert str(error).startswith("3 columns (0, 1, 2) have mean 0 and deviation 1 over all rows")
    assert find_leakage(RNG.normal(size=(120, 3)), None) == []
    half = X.copy()
    half[:60] = (X[:60] - X[:60].mean(axis=0)) / X[:60].std(axis=0)
    assert find_leakage(half, None) == []
    assert find_leakage(np.tile([[-1.0], [1.0]], (60, 1)), None) == []


def test_numbers_beyond_bounds_are_passed_over():
    """Columns whose sums overflow, or that hold infinities, raise no warning of their own."""
    huge = X.copy()
    huge[:, 0] *= 1e307
    huge[:5, 1] = np.inf
    huge[:5, 2] = np.nan
    assert find_leakage(huge, Y.astype(float)) == []


def test_target_encoded_columns():
    """A column that holds the target's mean of its own rows was made of the target."""
    words = RNG.integers(0, 8, size=120)
    means = np.array([Y[words == word].mean() for word in range(8)])
    (error,) = find_leakage(np.stack([X[:, 0], means[words]], axis=1), Y.astype(float))
    assert str(error).startswith("column 1 has the target's mean over all rows of equal value")
    others = np.array([(Y[words == word].sum() + 1) / ((words == word).sum() + 2) for word in range(8)])
    assert find_leakage(others[words][:, None], Y.astype(float)) == []
    frame = pytest.importorskip("pandas").DataFrame({"age": X[:, 0], "town": means[words]})
    assert kinds(LogisticRegression(), frame, Y) == ["preprocessing"]
    prices = X[:, 1]
    encoded = np.array([prices[words == word].mean() for word in range(8)])[words][:, None]
    cv = assay.crossval(DecisionTreeRegressor(), encoded, prices, metrics="mae")
    assert [problem.kind for problem in cv.problems] == ["preprocessing"]


def test_gaps_filled_with_the_mean_of_all():
    """A column of ever different values, one of which is repeated and is their mean, was filled before."""
    holed = X[:, 0].copy()
    gaps = RNG.choice(120, 9, replace=False)
    holed[gaps] = np.delete(holed, gaps).mean()
    (error,) = find_leakage(np.stack([X[:, 1], holed], axis=1), None)
    assert str(error).startswith("column 1 has one repeated value, which is the mean of all rows")
    assert len(find_leakage(np.stack([X[:, 1], holed], axis=1).tolist(), None)) == 1
    median = X[:, 0].copy()
    median[gaps] = np.median(np.delete(median, gaps))
    assert find_leakage(np.stack([X[:, 1], median], axis=1), None) == []
    symmetric = np.tile([0.0, 0.5, 1.0], 40)[:, None]  # its mean is one of its few values by design
    assert find_leakage(symmetric, None) == []
    assert kinds(LogisticRegression(), np.stack([X[:, 1], holed], axis=1), Y) == ["preprocessing"]


def test_every_bootstrap_replicate_is_told_apart():
    """Replicates that lack a class are counted, and not all taken for the first."""
    rare = np.zeros(40, dtype=int)
    rare[:2] = 1
    found = assay.crossval(
        DecisionTreeClassifier(), X[:40], rare, split=bootstrap(12), metrics="accuracy", seed=1
    )
    lacking = [problem.where for problem in found.problems if problem.kind == "classes"]
    assert len(set(lacking)) == len(lacking) > 1
    assert lacking == [f"fold {fold.fold + 1}" for fold in found.folds if not rare[fold.test].any()]


def test_a_holdout_remembers_no_earlier_model():
    """A process keeps no memory of test sets: the same call gives the same result, whatever ran before it."""
    trees = [DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 9)]
    assert [kinds(tree, X, Y, split=holdout(seed=97)) for tree in trees] == [[], []]
