"""The learning curve: nested training rows, the same tests, sizes as shares and as counts."""

# ruff: noqa: N803, D102 - models speak as those of scikit-learn do

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.errors import MetricError, SplitError
from assay.resampling import kfold, walk_forward

X, Y = make_classification(400, 8, n_informative=4, flip_y=0.05, random_state=5)


class Remembering:
    """A model that tells which rows it was given."""

    seen = []  # noqa: RUF012 - shared on purpose

    def fit(self, X, y):
        self.seen.append((X[:, 0].astype(int).tolist(), y.tolist()))

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_all_rows_give_the_figures_of_cross_validation():
    """At share 1 the tests are those of crossval on the same folds."""
    model = DecisionTreeClassifier(max_depth=4, random_state=0)
    curve = assay.learning_curve(model, X, Y, metrics=["accuracy", "auc"], sizes=[0.1, 0.5, 1.0])
    cv = assay.crossval(model, X, Y, split=5, metrics=["accuracy", "auc"])
    assert curve.sizes == (32, 160, 320)
    # Training rows come in another order, to which this tree is all but blind.
    assert curve.estimates("accuracy")[-1].value == pytest.approx(cv["accuracy"].value, abs=0.01)
    assert [one.n_test for one in curve.folds[0]] == [80] * 5
    assert curve.training()[0] > float(curve.estimates()[0])
    assert float(curve.estimates()[0]) < float(curve.estimates()[-1])


def test_smaller_sizes_are_within_larger_ones_and_stratified():
    """Rows of a smaller size are among those of a larger; classes have their shares to within a record."""
    Remembering.seen.clear()
    rows = np.arange(400.0)[:, None]
    y = (np.arange(400) % 4 == 0).astype(int)
    assay.learning_curve(
        Remembering(), rows, y, task="binary", sizes=[20, 0.5, 1.0], metrics="accuracy", split=4
    )
    for fold in range(4):
        small, half, whole = (Remembering.seen[fold * 3 + place] for place in range(3))
        assert set(small[0]) < set(half[0]) < set(whole[0])
        assert [len(one[0]) for one in (small, half, whole)] == [20, 150, 300]
        for one in (small, half, whole):
            assert abs(sum(one[1]) - len(one[1]) / 4) <= 1


def test_by_time_the_latest_rows_are_learnt_from():
    """A shorter history is the most recent one."""
    Remembering.seen.clear()
    rows = np.arange(100.0)[:, None]
    assay.learning_curve(
        Remembering(), rows, np.arange(100) % 2, task="binary", time=np.arange(100), sizes=[5, 1.0],
        split=walk_forward(3), metrics="accuracy",
    )  # fmt: skip
    short, full = Remembering.seen[:2]
    assert sorted(short[0]) == sorted(full[0])[-5:]


def test_keys_decide_which_rows_are_learnt_from():
    """With keys, each size learns from the same rows in whatever order they come."""
    learnt = []
    for order in (np.arange(200), np.random.default_rng(3).permutation(200)):
        Remembering.seen.clear()
        assay.learning_curve(
            Remembering(), order[:, None].astype(float), order % 2, task="binary", sizes=[0.3, 10], split=3,
            metrics="accuracy", key=order,
        )  # fmt: skip
        learnt.append([sorted(rows) for rows, _ in Remembering.seen])
    assert learnt[0] == learnt[1]


def test_sizes_in_any_order():
    """Sizes are told from few to many, and one may stand alone."""
    model = DecisionTreeClassifier(max_depth=4, random_state=0)
    curve = assay.learning_curve(model, X, Y, sizes=[1.0, 40, 0.5], metrics="accuracy")
    assert curve.sizes == (40, 160, 320)
    assert assay.learning_curve(model, X, Y, sizes=0.5, metrics="accuracy").sizes == (160,)


def test_it_prints_and_is_the_same_for_any_jobs():
    """Lines of 80 columns that end with whether more rows would help."""
    model = DecisionTreeClassifier()
    one, other = (
        assay.learning_curve(model, X, Y, split=kfold(3), sizes=[0.2, 1.0], jobs=jobs) for jobs in (1, 2)
    )
    assert str(one) == str(other)
    assert max(map(len, str(one).splitlines())) <= 80
    assert "more" in str(one).rpartition("\n\n")[2]
    assert len(one.to_dict()["metrics"]["accuracy"]["tested"]) == 2


def test_bad_sizes():
    """A share above 1, a count beyond the fold and a metric that was not requested are refused."""
    model = DecisionTreeClassifier()
    for sizes, words in (
        ([1.5], "neither a share"),
        ([1000], "trains on 320"),
        ([], "empty"),
        ([True], "neither"),
    ):
        with pytest.raises(SplitError, match=words):
            assay.learning_curve(model, X, Y, sizes=sizes)
    with pytest.raises(MetricError, match="was not requested"):
        assay.learning_curve(model, X, Y, sizes=[1.0]).estimates("mcc")
