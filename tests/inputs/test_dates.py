"""Dates name slices and groups: in memory as in a file."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay

DAYS = [dt.date(2024, 5, 1 + k % 3) for k in range(60)]
TIMES = [dt.datetime(2024, 5, 1 + k % 3, 13, 30) for k in range(60)]  # noqa: DTZ001 - without a zone
ZONED = [time.replace(tzinfo=dt.UTC) for time in TIMES]
Y, P = np.arange(60) % 2, np.arange(60) // 7 % 2
DAY_NAMES = [f"2024-05-0{k}" for k in (1, 2, 3)]
TIME_NAMES = [f"{day} 13:30:00" for day in DAY_NAMES]

COLUMNS = {
    "a list of dates": (DAYS, DAY_NAMES),
    "a list of times": (TIMES, TIME_NAMES),
    "objects": (np.array(DAYS, dtype=object), DAY_NAMES),
    "NumPy days": (np.array(DAYS, "M8[D]"), DAY_NAMES),
    "NumPy nanoseconds": (np.array(TIMES, "M8[ns]"), TIME_NAMES),
    "pandas times": (pd.Series(pd.to_datetime(TIMES)), TIME_NAMES),
    "pandas objects": (pd.Series(DAYS), DAY_NAMES),
    "pandas periods": (pd.Series(pd.PeriodIndex(DAYS, freq="D")), DAY_NAMES),
    "pandas with a zone": (pd.Series(pd.to_datetime(ZONED)), [f"{name}+00:00" for name in TIME_NAMES]),
    "Polars dates": (pl.Series(DAYS), DAY_NAMES),
    "Polars times": (pl.Series(TIMES), TIME_NAMES),
    "pyarrow dates": (pa.array(DAYS), DAY_NAMES),
    "pyarrow times": (pa.chunked_array([TIMES[:20], TIMES[20:]]), TIME_NAMES),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_dates_are_slices(name):
    """As a column, and as a column of a table."""
    values, names = COLUMNS[name]
    assert list(assay.evaluate(actual=Y, predicted=P, by=[values]).slices["by"]) == names
    table = {"y": Y, "p": P, "day": values}
    assert list(assay.evaluate(table, actual="y", predicted="p", by="day").slices["day"]) == names


@pytest.mark.parametrize("values", [DAYS, TIMES], ids=["dates", "times"])
@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_a_frame_is_sliced_as_its_file_is(frame, values, tmp_path):
    """The same slices with the same metrics."""
    table = frame({"y": Y, "p": P, "day": values})
    path = tmp_path / "rows.parquet"
    (table.write_parquet if frame is pl.DataFrame else table.to_parquet)(path)
    by_frame, by_file = (
        assay.evaluate(data, actual="y", predicted="p", by="day").slices["day"] for data in (table, str(path))
    )
    assert list(by_frame) == list(by_file)
    for key in by_frame:
        assert by_frame[key]["accuracy"] == by_file[key]["accuracy"]


def test_dates_are_groups():
    """Rows of a day go together."""
    ev = assay.evaluate(actual=Y, predicted=P, group=DAYS)
    codes = [DAYS.index(day) for day in DAYS]
    assert ev["accuracy"] == assay.evaluate(actual=Y, predicted=P, group=codes)["accuracy"]


def test_missing_dates_are_missing():
    """With their row."""
    with pytest.raises(assay.MissingValueError, match=r"1 value is missing in by \(first at row 1"):
        assay.evaluate(actual=Y, predicted=P, by=[[DAYS[0], None, *DAYS[2:]]])
    with pytest.raises(assay.MissingValueError, match="1 value is missing in by"):
        assay.evaluate(actual=Y, predicted=P, by=[np.array([*DAYS[:59], None], "M8[D]")])
