import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay import ColumnError, LengthError, SplitError
from assay.resampling import Split, bootstrap, check, holdout, kfold, walk_forward


def split(*places):
    return Split(("train", "test"), np.array(places, dtype=np.uint8))


def messages(*args, **columns):
    found = check(*args, **columns)
    assert all(isinstance(error, SplitError) for error in found)
    return [str(error) for error in found]


def test_a_part_without_a_class():
    """A class that a part lacks is named with the part."""
    assert messages(split(0, 0, 1, 1), y=["a", "b", "b", "b"]) == [
        """the part 'test' holds no row of the class "a". Stratify by y=, or make fewer parts."""
    ]
    assert messages(split(0, 0, 1, 1), y=[1, 2, 3, 3])[1].startswith(
        "the part 'test' holds no row of the classes 1, 2."
    )
    assert messages(split(0, 1, 1, 0), y=["a", "a", "b", "b"]) == []
    small = kfold(5).split(["a"] * 20 + ["b"] * 3)
    assert sum(len(check(one, y=["a"] * 20 + ["b"] * 3)) for one in small) == 2  # three folds have one b each


def test_a_group_on_both_sides():
    """Groups with rows in two parts are counted, and one is shown; rows in no part do not count."""
    assert messages(split(0, 1, 1, 1), group=["x", "x", "y", "y"]) == [
        """1 group has rows in more than one part, such as "x" in "train", "test". Split with group=."""
    ]
    assert messages(split(0, 1, 0, 1), group=[1, 1, 2, 2])[0].startswith("2 groups have rows")
    assert messages(split(0, 2, 1, 2), group=["x", "x", "y", "y"]) == []
    group = np.arange(100) % 10
    assert all(not check(one, group=group) for one in kfold(4).split(group=group))


def test_time_reversed():
    """Training rows from the time of the test are counted."""
    assert messages(split(0, 0, 1, 1), time=[1, 5, 4, 6]) == [
        "in the part 'train' 1 row is not earlier than the first of 'test' (4). Split with time=."
    ]
    assert messages(split(0, 0, 1, 1), time=[4, 5, 4, 6])[0].startswith(
        "in the part 'train' 2 rows are not earlier"
    )
    days = [dt.date(2024, 1, day) for day in (3, 2, 1)]
    assert "(2024-01-01" in messages(split(0, 0, 1), time=days)[0]
    assert all(not check(one, time=range(30)) for one in walk_forward(3).split(time=range(30)))


X = {"x": [1.0, 2.0, np.nan, -0.0, np.nan, 0.0], "city": ["a", "b", "c", "d", "c", "d"]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda data: list(data.values())])
def test_equal_rows_in_two_parts(kind):
    """Rows that agree in every column, missing values included, are found in any table."""
    assert messages(split(0, 0, 0, 0, 1, 1), data=kind(X)) == [
        (
            "2 distinct rows occur in more than one part, such as rows 3 and 5, counting from 0. "
            "Drop the copies, or pass group= so that they stay together."
        )
    ]
    assert messages(split(0, 0, 1, 0, 1, 0), data=kind(X)) == []
    assert messages(split(0, 0, 2, 0, 1, 1), data=kind(X))[0].startswith("1 distinct row occurs")


def test_a_matrix_is_rows_too():
    """A NumPy matrix, of bools as well, is read by its rows."""
    matrix = np.array([[1, 2], [1, 3], [1, 2]])
    assert "rows 0 and 2" in messages(split(0, 0, 1), data=matrix)[0]
    assert "rows 0 and 2" in messages(split(0, 0, 1), data=matrix > 2)[0]
    assert "rows 0 and 2" in messages(split(0, 0, 1), data=matrix[:, 1])[0]
    nulls = pl.DataFrame({"a": [1, None, None]})
    assert "rows 1 and 2" in messages(split(0, 0, 1), data=nulls)[0]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_dates_are_compared_too(kind):
    """Dates, which have no use as labels, still tell rows apart."""
    days = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 1)]  # noqa: DTZ001
    assert "rows 0 and 2" in messages(split(0, 0, 1), data=kind({"day": days}))[0]
    assert messages(split(0, 0, 1), data=kind({"day": days, "x": [1, 2, 3]})) == []
    with pytest.raises(ColumnError, match="column 0 of data"):
        check(split(0, 0, 1), data=[np.array([b"a", b"b", b"c"])])


def test_a_bootstrap_draws_a_row_twice_without_harm():
    """A row drawn several times is still one row, on one side."""
    one = bootstrap(1).split(n=20)[0]
    assert check(one, data=np.arange(20), group=np.arange(20)) == []


def test_several_things_at_once_can_be_raised():
    """Findings are errors: all are listed, and any can be raised."""
    found = check(
        split(0, 0, 1, 1), y=["a", "b", "b", "b"], group=[1, 1, 1, 2], time=[1, 2, 2, 3], data=[[1, 2, 2, 3]]
    )
    assert len(found) == 4
    with pytest.raises(SplitError, match="Split with group="):
        raise found[1]
    assert check(holdout().split(n=8)[0]) == []


@pytest.mark.parametrize("role", ["y", "group", "time", "data"])
def test_columns_must_fit_the_split(role):
    """A column of another length is refused."""
    with pytest.raises(LengthError, match=f"the split is of 3 rows, {role} has 2"):
        check(split(0, 0, 1), **{role: np.array([1, 2])})
    with pytest.raises(LengthError, match="data has no columns"):
        check(split(0, 0, 1), data=[])
    with pytest.raises(LengthError, match="different lengths: 2, 3"):
        check(split(0, 0, 1), data=[[1, 2, 3], [1, 2]])
