import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate

from assay import SplitError
from assay.resampling import as_cv, bootstrap, holdout, kfold, leave_group_out, leave_one_out, walk_forward

X, Y = make_classification(n_samples=120, random_state=0)
GROUPS = np.arange(120) % 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("splitter", "count", "groups"),
    [
        (kfold(4), 4, None),
        (kfold(3, repeats=2), 6, None),
        (kfold(3), 3, GROUPS),
        (holdout(repeats=5), 5, None),
        (bootstrap(7), 7, None),
        (leave_group_out(), 6, GROUPS),
        (leave_one_out(), 120, None),
    ],
)
def test_every_splitter_serves_cross_validate(splitter, count, groups):
    """cross_validate takes the splits as they are, and asks how many there are."""
    cv = as_cv(splitter)
    scores = cross_validate(LogisticRegression(), X, Y, cv=cv, groups=groups, return_indices=True)
    assert len(scores["test_score"]) == count == cv.get_n_splits(X, Y, groups)
    ours = splitter.split(Y, group=groups)
    for fold, split in enumerate(ours):
        assert scores["indices"]["train"][fold].tolist() == split["train"].tolist()
        assert scores["indices"]["test"][fold].tolist() == split["test"].tolist()


def test_grid_search_and_prediction():
    """GridSearchCV, cross_val_predict and clone work with it, on a data frame and labels of text too."""
    frame, labels = pd.DataFrame(X), np.where(Y, "yes", "no")
    cv = as_cv(kfold(3, seed=5))
    search = clone(GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=cv)).fit(frame, labels)
    assert search.n_splits_ == 3
    assert set(cross_val_predict(LogisticRegression(), frame, labels, cv=cv)) == {"yes", "no"}


def test_time_and_keys_are_given_beforehand():
    """What scikit-learn does not pass on is part of the object."""
    cv = as_cv(walk_forward(3), time=np.arange(120)[::-1])
    assert [test.tolist() for _, test in cv.split(X, Y)][-1] == list(range(30))
    assert len(cross_validate(LogisticRegression(), X, Y, cv=cv)["test_score"]) == 3
    key = np.random.default_rng(0).permutation(120)
    ours = kfold(3).split(Y, key=key)
    for (train, test), split in zip(as_cv(kfold(3), key=key).split(X, Y), ours, strict=True):
        assert (train.tolist(), test.tolist()) == (split["train"].tolist(), split["test"].tolist())


def test_a_measured_target_is_not_stratified_by_itself():
    """A number as target is refused unless bins= or stratify=False say what to do."""
    target = X[:, 0]
    with pytest.raises(SplitError, match=r"say bins=; stratify=False leaves it alone"):
        cross_validate(Ridge(), X, target, cv=as_cv(kfold(3)))
    for splitter in (kfold(3, bins=4), kfold(3, stratify=False)):
        assert len(cross_validate(Ridge(), X, target, cv=as_cv(splitter))["test_score"]) == 3
    several = X[:, :2]
    assert len(cross_validate(Ridge(), X, several, cv=as_cv(kfold(3, stratify=False)))["test_score"]) == 3


def test_what_scikit_learn_cannot_use_is_refused():
    """Three parts are one too many, and leaving out needs the rows to count."""
    with pytest.raises(
        SplitError, match='takes a part to train and one to test; this splitter has "a", "b", "c"'
    ):
        as_cv(holdout({"a": 0.5, "b": 0.25, "c": 0.25}))
    with pytest.raises(SplitError, match="depends on the rows: pass X, or groups"):
        as_cv(leave_one_out()).get_n_splits()
    assert as_cv(leave_one_out()).get_n_splits([[1], [2]]) == 2
    assert as_cv(leave_group_out()).get_n_splits(groups=[1, 2, 2]) == 2


def test_scikit_learn_is_not_needed():
    """Nothing here imports scikit-learn, nor anything else that is heavy."""
    script = (
        "import sys; from assay.resampling import as_cv, kfold;"
        "list(as_cv(kfold(2)).split([1, 2, 3, 4], [0, 0, 1, 1])); print(' '.join(sys.modules))"
    )
    loaded = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"sklearn", "pandas", "polars", "pyarrow", "scipy"} & set(loaded)
