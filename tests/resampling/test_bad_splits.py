import pickle

import numpy as np
import pytest

from assay import AssayError, ColumnError, LengthError, MissingValueError, SplitError
from assay.resampling import Split, bootstrap, holdout, kfold, leave_group_out, leave_one_out, walk_forward


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"train": 0.5, "test": 0.25}, 'the shares of "train", "test" add up to 0.75, not to 1'),
        ({"train": 0.9, "test": 0.2}, "add up to 1.1, not to 1"),
        ({"train": 1.0}, "the share of 'train' is 1.0, where a number between 0 and 1 is needed"),
        ({"train": 1.5, "test": -0.5}, "the share of 'train' is 1.5"),
        ({"train": float("nan"), "test": 0.5}, "the share of 'train' is nan"),
        ({"train": "half", "test": 0.5}, "the share of 'train' is 'half'"),
        ({}, "parts= is empty"),
        ({"unused": 0.5, "test": 0.5}, "'unused' is no name for a part"),
        ({1: 0.5, 2: 0.5}, "1 is no name for a part"),
        ({"": 0.5, "test": 0.5}, "'' is no name for a part"),
        ({"train": 1 - 1e-7, "test": 1e-7}, "a share is at least 1 in 1,000,000"),
    ],
)
def test_parts_that_do_not_add_up(parts, message):
    """Shares are between 0 and 1 and add up to 1; names are text."""
    with pytest.raises(SplitError, match=message):
        holdout(parts)


def test_shares_are_what_was_meant():
    """Thirds, tenths and other fractions that no float holds are taken as such, float32 as well."""
    assert holdout({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}).split(n=9)[0].sizes() == {"a": 3, "b": 3, "c": 3}
    tenths = {"a": 0.7, "b": 0.2, "c": 0.1}
    assert holdout(tenths).split(n=1000)[0].sizes() == {"a": 700, "b": 200, "c": 100}
    narrow = holdout({"a": np.float32(0.7), "b": np.float32(0.3)})
    assert narrow.split(n=10)[0].sizes() == {"a": 7, "b": 3}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kfold(1), "k=1 should be a whole number of at least 2"),
        (lambda: kfold(2.5), "k=2.5 should be a whole number"),
        (lambda: kfold(True), "k=True should be a whole number"),  # noqa: FBT003
        (lambda: kfold(seed=-1), "seed=-1 should be a whole number from 0 to 18,446,744,073,709,551,615"),
        (lambda: kfold(seed=2**64), "seed="),
        (lambda: kfold(repeats=0), "repeats=0 should be a whole number of at least 1"),
        (lambda: kfold(bins=0), "bins=0"),
        (
            lambda: kfold(stratify=["a", "b"]),
            "stratify=.* should be True or False: what to stratify by is y=",
        ),
        (lambda: bootstrap(0), "replicates=0"),
        (lambda: walk_forward(0), "folds=0"),
        (lambda: walk_forward(gap=-1), "gap=-1 should be a number of the unit of time"),
        (lambda: walk_forward(gap="1 day"), "gap='1 day' should be a number"),
        (lambda: walk_forward(window=0), "window=0 should be more than 0"),
        (lambda: holdout(gap=True), "gap=True"),
    ],
)
def test_settings_that_cannot_be(make, message):
    """A splitter is checked when it is made."""
    with pytest.raises(SplitError, match=message):
        make()


@pytest.mark.parametrize(
    ("splitter", "columns", "error", "message"),
    [
        (kfold(), {}, SplitError, "there is nothing to split: pass y="),
        (kfold(), {"y": []}, LengthError, "there are no rows to split"),
        (kfold(), {"n": 0}, LengthError, "there are no rows to split"),
        (kfold(), {"n": -1}, SplitError, "n=-1"),
        (kfold(), {"n": 9}, SplitError, "k=10 folds of 9 rows: there cannot be more folds than rows"),
        (kfold(2), {"y": ["a", "b"], "n": 3}, LengthError, "y has 2 values, n is 3"),
        (kfold(2), {"y": ["a", "b"], "group": [1, 2, 3]}, LengthError, "y has 2 values, group has 3"),
        (kfold(2), {"y": ["a", None]}, MissingValueError, "missing in y"),
        (kfold(2), {"y": [1.0, float("nan")]}, MissingValueError, "missing in y"),
        (kfold(2), {"y": [0.5, 1.5]}, SplitError, "To stratify by its quantiles, say bins="),
        (kfold(2), {"y": [1, 2], "group": ["a", None]}, MissingValueError, "missing in group"),
        (kfold(2, bins=2), {"y": ["a", "b"]}, ColumnError, "numbers to cut into quantiles"),
        (kfold(2, bins=2), {"y": [1.0, float("nan")]}, MissingValueError, "missing in y"),
        (kfold(2, bins=3), {"y": [1.0, 2.0]}, SplitError, "bins=3 for 2 rows"),
        (
            kfold(2),
            {"key": [1, 2, 1]},
            SplitError,
            r"key holds 1 twice \(row 0, counting from 0, and row 2\)",
        ),
        (
            kfold(2),
            {"key": ["x", "y", "y"]},
            SplitError,
            r'key holds "y" twice \(row 1, counting from 0, and row 2\)',
        ),
        (kfold(2), {"key": [1.0, 1.0]}, SplitError, "pass the column as group="),
        (kfold(2), {"key": [0.5, 1.0]}, AssayError, "which is no label"),
        (kfold(2), {"key": ["x", None]}, MissingValueError, "missing in key"),
        (
            kfold(2),
            {"time": [1, 2]},
            SplitError,
            "KFold has no use for time=: holdout and walk_forward go by time",
        ),
        (leave_one_out(), {"group": [1, 2]}, SplitError, "LeaveOneOut has no use for group="),
        (holdout(), {"group": [1, 2], "time": [1, 2]}, SplitError, "cannot both hold"),
        (holdout(), {"n": 1}, SplitError, "2 parts of 1 row:"),
        (
            holdout({"a": 0.99, "b": 0.01}),
            {"n": 5},
            SplitError,
            "the part 'b' would have no rows: its share of 5 rows is below one",
        ),
        (leave_one_out(), {"n": 1}, SplitError, "leaves none to train on"),
        (leave_group_out(), {"n": 5}, SplitError, "leave_group_out needs group="),
        (leave_group_out(), {"group": [1, 1]}, SplitError, "leaves no rows to train on"),
        (bootstrap(), {"n": 1}, SplitError, "a bootstrap of one row leaves none"),
        (bootstrap(), {"group": [1, 1]}, SplitError, "a bootstrap of one group leaves none"),
        (walk_forward(), {"n": 10}, SplitError, "walk_forward needs time="),
    ],
)
def test_columns_that_cannot_be_split(splitter, columns, error, message):
    """What is wrong with the columns is said when they are given, not at the first split."""
    with pytest.raises(error, match=message):
        splitter.split(**columns)


def test_a_class_smaller_than_the_number_of_folds():
    """Its records go to different folds and the others do without; nothing is refused."""
    y = np.array(["a"] * 40 + ["b"] * 3)
    counts = [int((y[split["test"]] == "b").sum()) for split in kfold(10).split(y)]
    assert sorted(counts) == [0] * 7 + [1] * 3


def test_unknown_parts_and_splits():
    """A part or a split that is not there is named with those that are."""
    split = holdout().split(n=8)[0]
    with pytest.raises(SplitError, match="there is no part 'valid': the parts are"):
        split["valid"]
    with pytest.raises(IndexError, match="there are 10 splits"):
        kfold().split(n=20)[10]
    assert kfold().split(n=20)[-1] == kfold().split(n=20)[9]


def test_splitters_are_values():
    """Equal settings are equal and hash alike; none can be changed. Splits compare by their rows."""
    assert kfold(5) == kfold(5)
    assert len({holdout(), holdout({"train": 0.75, "test": 0.25}), holdout(seed=1)}) == 2
    with pytest.raises(AttributeError):
        kfold(5).k = 6
    split = bootstrap().split(n=8)[0]
    for value in (kfold(5), holdout(), walk_forward(), split):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own
    assert split != "split"
    assert split != Split(("a", "b"), split.places)
    with pytest.raises(TypeError, match="unhashable"):
        hash(split)
    assert len(split) == 2
    assert repr(kfold().split(n=20)) == "<10 splits>"
    assert repr(holdout().split(n=20)) == "<1 split>"
