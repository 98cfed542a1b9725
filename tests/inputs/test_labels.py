"""Ordered categories keep their order in every table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.crosstable import CrossTable

ORDER = ["low", "mid", "high", "never"]
VALUES = ["mid", "low", "high", "low"] * 15
GUESSES = ["mid", "low", "mid", "high"] * 15
COLUMNS = {
    "pandas": lambda values: pd.Series(pd.Categorical(values, ORDER, ordered=True)),
    "pandas categorical": lambda values: pd.Categorical(values, ORDER, ordered=True),
    "Polars": lambda values: pl.Series(values, dtype=pl.Enum(ORDER)),
}


@pytest.fixture(params=COLUMNS)
def ordered(request):
    """A function that makes ordered categories of text."""
    return COLUMNS[request.param]


def test_classes_are_shown_in_their_order(ordered):
    """In the cross table, the table of classes and the matrix; only classes that occur are."""
    ev = assay.evaluate(actual=ordered(VALUES), predicted=ordered(GUESSES))
    assert ev.task.name == "multiclass"
    assert ev.task.labels == ev.confusion.labels == ("low", "mid", "high")
    assert list(ev.classes) == ["low", "mid", "high"]
    plain = assay.evaluate(actual=VALUES, predicted=GUESSES)
    for name in plain:
        assert ev[name].value == pytest.approx(plain[name].value, rel=1e-12)


def test_a_cross_table_of_rows_has_it(ordered):
    """As that of an evaluation."""
    rows = assay.rows(actual=ordered(VALUES), predicted=ordered(GUESSES))
    assert CrossTable.of(rows).labels == ("low", "mid", "high")
    assert rows.take(np.arange(10)).actual.order == tuple(ORDER)


def test_compared_and_cross_validated_classes_have_it(ordered):
    """The same task as that of an evaluation."""
    actual, models = ordered(VALUES), {"a": ordered(VALUES), "b": ordered(GUESSES)}
    task = assay.evaluate(actual=actual, predicted=models["b"], task="ordinal").task
    assert task.labels == tuple(ORDER)  # a grade that does not occur is a grade, too
    assert assay.compare(actual=actual, predicted=models, task="ordinal").task == task


def test_slices_are_in_their_order(ordered):
    """Crossed with others, too."""
    actual, predicted = np.arange(60) % 2, np.arange(60) // 7 % 2
    table = {"y": actual, "p": predicted, "level": ordered(VALUES), "half": ["a", "b"] * 30}
    slices = assay.evaluate(table, actual="y", predicted="p", by=["half", "level"]).slices
    assert list(slices["level"]) == ["low", "mid", "high"]
    assert [key for key in slices["half", "level"] if key[0] == "b"] == [("b", "low")]
    assert list(dict.fromkeys(line.label for line in slices["level"].report().lines)) == [
        "low",
        "mid",
        "high",
    ]
    plain = assay.evaluate({**table, "level": VALUES}, actual="y", predicted="p", by="level").slices["level"]
    for key in plain:
        assert slices["level"][key]["accuracy"] == plain[key]["accuracy"]


def test_bins_of_pandas_are_in_their_order():
    """(5, 10] comes before (10, 40], whatever the alphabet says."""
    age = pd.cut(pd.Series(np.arange(60) % 30 + 6), [5, 10, 40])
    ev = assay.evaluate(actual=np.arange(60) % 2, predicted=np.arange(60) // 7 % 2, by=[age])
    assert list(ev.slices["by"]) == ["(5, 10]", "(10, 40]"]
