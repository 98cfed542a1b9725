import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from assay import AssayError, SplitError
from assay.resampling import holdout, walk_forward
from assay.resampling.time_order import read_times

times = st.lists(st.integers(0, 200), min_size=20, max_size=100)


@settings(deadline=None, max_examples=80)
@given(times, st.integers(1, 4), st.integers(0, 10), st.one_of(st.none(), st.integers(1, 50)))
def test_time_is_never_reversed(time, folds, gap, window):
    """All that trains lies more than the gap before all that tests, and within the window."""
    try:
        splits = walk_forward(folds, gap=gap, window=window).split(time=time)
    except SplitError as refused:
        assert "would have no rows in fold" in str(refused)  # noqa: PT017 - rows of few distinct times
        return
    when = np.array(time)
    tested = []
    for train, test in splits:
        start = when[test].min()
        assert (start - when[train] > gap).all()
        assert window is None or (start - when[train] <= gap + window).all()
        tested += test.tolist()
        everything = (start - when > gap) & (True if window is None else start - when <= gap + window)
        assert np.flatnonzero(everything).tolist() == train.tolist()
    assert len(set(tested)) == len(tested)
    assert when[tested].min() > when[np.setdiff1d(np.arange(len(time)), tested)].max()


@settings(deadline=None, max_examples=60)
@given(times, st.integers(0, 5))
def test_parts_follow_each_other(time, gap):
    """Each part of a holdout lies more than the gap before the next; equal times are in one part."""
    try:
        split = holdout({"train": 0.6, "validate": 0.2, "test": 0.2}, gap=gap).split(time=time)[0]
    except SplitError as refused:
        assert "would have no rows" in str(refused)  # noqa: PT017
        return
    when = np.array(time)
    train, validate, test = (when[part] for part in split)
    assert validate.min() - train.max() > gap
    assert test.min() - validate.max() > gap
    if gap == 0:
        assert split.sizes()["train"] <= round(0.6 * len(time))
        assert "unused" not in split.column()


@pytest.mark.parametrize("n", [20, 23, 101])
@pytest.mark.parametrize(("gap", "window"), [(0, None), (2, None), (0, 6), (1, 4)])
def test_rows_in_order_are_split_as_by_scikit_learn(n, gap, window):
    """With the row number for time, the splits are those of TimeSeriesSplit."""
    peer = TimeSeriesSplit(4, gap=gap, max_train_size=window).split(np.zeros(n))
    for ours, theirs in zip(
        walk_forward(4, gap=gap, window=window).split(time=np.arange(n)), peer, strict=True
    ):
        assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]


DAYS = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=day) for day in range(12)]
NAIVE = [day.replace(tzinfo=None) for day in DAYS]


@pytest.mark.parametrize(
    "time",
    [
        NAIVE,
        DAYS,
        [day.date() for day in DAYS],
        np.array(NAIVE, dtype="datetime64[D]"),
        pd.Series(NAIVE),
        pd.Series(DAYS),
        pd.to_datetime(pd.Series(NAIVE)).dt.tz_localize("Europe/Oslo"),
        pl.Series(NAIVE),
        pl.Series([day.date() for day in DAYS]),
    ],
    ids=[
        "datetimes",
        "aware",
        "dates",
        "datetime64",
        "pandas",
        "pandas UTC",
        "pandas Oslo",
        "polars",
        "polars dates",
    ],
)
def test_dates_of_every_kind(time):
    """A gap of two days leaves out two days, whatever holds the dates."""
    for gap in (dt.timedelta(days=2), np.timedelta64(2, "D")):
        splits = walk_forward(2, gap=gap, window=dt.timedelta(days=3)).split(time=time)
        assert [[part.tolist() for part in split] for split in splits] == [
            [[0, 1], [4, 5, 6, 7]],
            [[3, 4, 5], [8, 9, 10, 11]],
        ]
    assert holdout().split(time=time)[0]["test"].tolist() == [9, 10, 11]


def test_moments_in_several_zones_are_ordered_as_they_happened():
    """Nine o'clock in New York is later than ten in Oslo."""
    oslo, york = dt.timezone(dt.timedelta(hours=1)), dt.timezone(dt.timedelta(hours=-5))
    assert np.argsort(
        read_times([dt.datetime(2024, 1, 1, 9, tzinfo=york), dt.datetime(2024, 1, 1, 10, tzinfo=oslo)])
    ).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("splitter", "time", "message"),
    [
        (walk_forward(), ["2024-01-01"] * 9, "neither numbers nor dates"),
        (walk_forward(), [1.0, np.nan] * 9, r"missing in time \(row 1"),
        (walk_forward(), [dt.date(2024, 1, 1), None] * 9, r"missing in time \(row 1"),
        (walk_forward(), [1, 2, 3], "a walk forward needs at least 6 rows"),
        (
            walk_forward(),
            [1] * 20,
            "'train' would have no rows in fold 1 of 5: there are too few distinct times",
        ),
        (walk_forward(gap=100), range(20), "'train' would have no rows in fold 1"),
        (walk_forward(gap=1), NAIVE, "gap=1, but time holds dates: pass a datetime.timedelta"),
        (
            walk_forward(window=dt.timedelta(days=1)),
            range(20),
            "window= is a duration, but time holds numbers",
        ),
        (walk_forward(), np.zeros((4, 2)), r"time has shape \(4, 2\)"),
        (walk_forward(), np.array([2**63] * 9, dtype=np.uint64), "beyond 2"),
        (holdout(), [5] * 8, "'train' would have no rows"),
        (holdout(repeats=3), range(8), "by time there is one split"),
    ],
)
def test_times_that_cannot_be_split(splitter, time, message):
    """What cannot be ordered, or leaves a part empty, is refused with what to do."""
    with pytest.raises(AssayError, match=message):
        splitter.split(time=time)


def test_the_last_row_tests_where_the_share_is_less_than_one():
    """A holdout by time has a test row even where its share rounds to none."""
    assert holdout({"train": 0.9, "test": 0.1}).split(time=[3, 1, 2])[0]["test"].tolist() == [0]
