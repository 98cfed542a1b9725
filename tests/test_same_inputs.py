"""The same columns have the same task, or the same refusal in the same words, wherever they are passed.

Every input is tried on evaluate, compare and crossval; labels and numbers also as tables of counts and files.
"""

import dataclasses
import datetime as dt
import decimal
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.crossvalidation.row_selection import take_rows

N = 20
TEXT = ["ham", "spam"] * 10
THREE = ["a", "b", "c", "a"] * 5
GRADES = [1, 2, 3, 4] * 5
PROBABILITIES = np.tile([0.2, 0.9], 10)
LEVELS = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)


@dataclasses.dataclass(frozen=True)
class Input:
    """Columns and options; `predicted` is what was true, unless there is one of its own, or a score."""

    actual: Any
    predicted: Any = None
    score: Any = None
    options: dict = dataclasses.field(default_factory=dict)

    @property
    def columns(self):
        """The columns by role."""
        if self.score is not None:
            return {"actual": self.actual, "score": self.score}
        return {"actual": self.actual, "predicted": self.actual if self.predicted is None else self.predicted}


class Predicts:
    """A model that has learned nothing but what it will predict for each row."""

    def __init__(self, table):
        self.table = table

    def fit(self, *_):
        """Learn nothing."""

    def predict(self, rows):
        """Return what was said for these rows."""
        return self._take(self.table["predicted" if "predicted" in self.table else "actual"], rows)

    @staticmethod
    def _take(values, rows):
        return take_rows(list(values) if isinstance(values, range) else values, rows[:, 0].astype(int))


class Scores(Predicts):
    """The same with scores of the positive class, as probabilities of both."""

    classes_ = (0, 1)

    def predict_proba(self, rows):
        """Return a column for each class."""
        scores = np.asarray(self._take(self.table["score"], rows), dtype=float)
        return scores if scores.ndim > 1 else np.stack([1 - scores, scores], axis=1)


def task_by_evaluate(columns, options):
    return assay.evaluate(**columns, **options).task


def task_by_compare(columns, options):
    role = "score" if "score" in columns else "predicted"
    models = {role: {"first": columns[role], "second": columns[role]}}
    return assay.compare(actual=columns["actual"], **models, **options).task


def task_by_crossval(columns, options):
    model = (Scores if "score" in columns else Predicts)(columns)
    features = np.arange(len(columns["actual"]))[:, None]
    cv = assay.crossval(
        model, features, columns["actual"], split=2, resubstitution=False, progress=False, **options
    )
    return cv.task


BY = {"evaluate": task_by_evaluate, "compare": task_by_compare, "crossval": task_by_crossval}


def outcome(by, columns, options):
    """Return the task's name and positive label, or the refusal, the target called as evaluate calls it."""
    try:
        task = BY[by](columns, options)
    except assay.AssayError as refused:
        words = re.sub(r"\by\b", "actual", str(refused))
        return type(refused).__name__, words
    return task.name, task.positive, task.labels


def ordered(values):
    return pd.Series(pd.Categorical(values, dtype=LEVELS))


# What all three accept, and as which task.
ACCEPTED: dict[str, tuple[str, Input]] = {
    "0 and 1": ("binary", Input([0, 1] * 10)),
    "0.0 and 1.0": ("binary", Input([0.0, 1.0] * 10)),
    "booleans": ("binary", Input([False, True] * 10)),
    "only true": ("binary", Input([True] * N)),
    "booleans as objects": ("binary", Input(np.array([True, False] * 10, dtype=object))),
    "-1 and 1": ("binary", Input([-1, 1] * 10)),
    "two text labels and the positive one": ("binary", Input(TEXT, options={"positive": "spam"})),
    "two text labels, all alike": ("multiclass", Input(TEXT, options={"task": "multiclass"})),
    "three labels": ("multiclass", Input(THREE)),
    "one of three labels is positive": ("binary", Input(THREE, options={"positive": "c"})),
    "one of three numbers is positive": ("binary", Input(GRADES, options={"positive": 4})),
    "declared whole numbers": ("multiclass", Input(GRADES, options={"labels": [1, 2, 3, 4, 5]})),
    "grades": ("ordinal", Input(GRADES, options={"task": "ordinal"})),
    "quantities": ("regression", Input(GRADES, options={"task": "regression"})),
    "fractions": ("regression", Input([0.5, 1.5] * 10)),
    "only 1, said to be binary": ("binary", Input([1] * N, options={"task": "binary"})),
    "one text label, said to be one of several": ("multiclass", Input(["a"] * N, options={"task": "multiclass"})),
    "a column of one": ("binary", Input(np.array([0, 1] * 10)[:, None])),
    "categories": ("multiclass", Input(pd.Series(pd.Categorical(THREE)))),
    "ordered categories": ("ordinal", Input(ordered(["low", "high", "mid", "low"] * 5), options={"task": "ordinal"})),
    "decimals 0 and 1": ("binary", Input([decimal.Decimal(0), decimal.Decimal(1)] * 10)),
    "decimal fractions": ("regression", Input([decimal.Decimal("0.5"), decimal.Decimal("1.5")] * 10)),
    "huge integers": ("binary", Input([2**70, 1] * 10, options={"positive": 2**70})),
    "pandas boolean": ("binary", Input(pd.array([True, False] * 10, dtype="boolean"))),
    "pandas Int64": ("binary", Input(pd.Series([1, 0] * 10, dtype="Int64"))),
    "pandas string": ("binary", Input(pd.Series(TEXT, dtype="string"), options={"positive": "ham"})),
    "polars": ("binary", Input(pl.Series([1, 0] * 10))),
    "polars text": ("multiclass", Input(pl.Series(THREE))),
    "pyarrow": ("binary", Input(pa.array([True, False] * 10))),
    "a tuple": ("binary", Input((0, 1) * 10)),
    "a range": ("regression", Input(range(N), options={"task": "regression"})),
    "empty text is a label": ("binary", Input(["", "a"] * 10, options={"positive": "a"})),
    "probabilities": ("binary", Input([0, 1] * 10, score=PROBABILITIES)),
    "float32 scores": ("binary", Input([0, 1] * 10, score=PROBABILITIES.astype(np.float32))),
    "a column of probabilities for each of two": (
        "binary", Input([0, 1] * 10, score=np.stack([1 - PROBABILITIES, PROBABILITIES], axis=1)),
    ),
}  # fmt: skip

# What all three refuse, and how the message begins.
REFUSED: dict[str, tuple[str, Input]] = {
    "two text labels": ('the labels are "ham", "spam": say which one is positive', Input(TEXT)),
    "digits as text": ('the labels are "0", "1": say which one is positive', Input(["0", "1"] * 10)),
    "two whole numbers": ("the labels are 1, 2: say which one is positive", Input([1, 2] * 10)),
    "a positive label that does not occur": (
        'the positive label "eggs" does not occur', Input(TEXT, options={"positive": "eggs"}),
    ),
    "whole numbers": ("actual holds whole numbers (0, 1, 2, 3 and 16 more)", Input(list(range(N)))),
    "whole floats": ("actual holds whole numbers (1, 2, 3, 4)", Input([float(grade) for grade in GRADES])),
    "only 0": ("actual holds whole numbers (0), which may be", Input([0] * N)),
    "only one text label": ('actual holds "a" only: there is nothing to tell apart', Input(["a"] * N)),
    "one row of text": ('actual holds "a" only: there is nothing to tell apart', Input(["a"])),
    "one row": ("actual holds whole numbers (1)", Input([1])),
    "no rows": ("there are no rows to evaluate", Input([], predicted=[])),
    "all missing": ("20 values are missing in actual (first at row 0", Input([None] * N, predicted=[0, 1] * 10)),
    "NaN": ("1 value is missing in actual (first at row 18", Input([0.0, 1.0] * 9 + [np.nan, 1.0])),
    "None among labels": (
        "1 value is missing in actual (first at row 18",
        Input(["ham", "spam"] * 9 + [None, "spam"], options={"positive": "spam"}),
    ),
    "pandas NA": ("10 values are missing in actual", Input(pd.Series([1, None] * 10, dtype="Int64"))),
    "polars null": ("10 values are missing in actual", Input(pl.Series([1, None] * 10))),
    "infinite": ("actual is infinite: inf (row 1", Input([0.5, np.inf] * 10, predicted=[0.5, 1.0] * 10)),
    "three axes": ("actual has shape (20, 2, 2)", Input(np.zeros((N, 2, 2)))),
    "dates": ("actual holds a date at row 0", Input([dt.date(2024, 1, 1), dt.date(2024, 1, 2)] * 10)),
    "NumPy dates": ("actual has dtype datetime64", Input(np.array(["2024-01-01", "2024-01-02"] * 10, "M8[D]"))),
    "mixed types": ("actual mixes text and numbers", Input([0, "a"] * 10)),
    "complex numbers": ("actual holds a complex", Input([1j, 2] * 10)),
    "bytes": ("actual holds a bytes", Input([b"a", b"b"] * 10)),
    "an unknown task": ("task='binray' is not known", Input([0, 1] * 10, options={"task": "binray"})),
    "text as a regression": (
        'actual holds text where numbers are needed, such as "ham"', Input(TEXT, options={"task": "regression"}),
    ),
    "three labels as a binary task": (
        'actual has 3 labels ("a", "b", "c") where two are needed', Input(THREE, options={"task": "binary"}),
    ),
    "fractions as a binary task": (
        "actual holds 0.5 (row 0, counting from 0), which is no label",
        Input([0.5, 1.5] * 10, options={"task": "binary"}),
    ),
    "words as grades": (
        'the labels "a", "b", "c" have no order of their own', Input(THREE, options={"task": "ordinal"}),
    ),
    "a positive label of a regression": (
        "positive= is for classes, but actual is taken for measured quantities",
        Input([0.5, 1.5] * 10, options={"positive": 1}),
    ),
    "a positive label of a stated regression": (
        "positive= is for classes, but actual is taken for measured quantities",
        Input([0, 1] * 10, options={"task": "regression", "positive": 1}),
    ),
    "a positive label of a multiclass task": (
        'positive= has no use where task="multiclass"',
        Input(THREE, options={"task": "multiclass", "positive": "a"}),
    ),
    "labels that are one text": ('labels="ham" is one text', Input(TEXT, options={"labels": "ham"})),
    "a label declared twice": ('the label "ham" is declared twice', Input(TEXT, options={"labels": ["ham", "ham"]})),
}  # fmt: skip


def statement(words):
    """Return what a message states, without its advice, which names parameters that not every function has."""
    return re.split(r"(?<=\))(?:\.|:) ", words)[0]


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_same_columns_are_the_same_task(name):
    """With the same positive label and the same classes in the same order."""
    expected, given = ACCEPTED[name]
    outcomes = {by: outcome(by, given.columns, given.options) for by in BY}
    assert outcomes["evaluate"][0] == expected
    assert len(set(outcomes.values())) == 1, outcomes


@pytest.mark.parametrize("name", REFUSED)
def test_the_same_columns_are_refused_in_the_same_words(name):
    """By an error of the same class; crossval names the target y, and has no missing= to advise."""
    start, given = REFUSED[name]
    outcomes = {by: outcome(by, given.columns, given.options) for by in BY}
    assert outcomes["evaluate"][1].startswith(start), outcomes["evaluate"]
    assert outcomes["compare"] == outcomes["evaluate"]
    if "missing in" in start:
        outcomes = {by: (kind, statement(words)) for by, (kind, words) in outcomes.items()}
    assert outcomes["crossval"] == outcomes["evaluate"]


# Columns that a model makes: crossval finds them out fold by fold, and a fold says what evaluate says.
PREDICTIONS = {
    "lengths that differ": ("actual has 20 values, predicted has 18", Input([0, 1] * 10, predicted=[0, 1] * 9)),
    "NaN among predictions": (
        "1 value is missing in predicted (first at row 19", Input([0.5, 1.5] * 10, predicted=[0.5] * 19 + [np.nan]),
    ),
    "text predicted for numbers": (
        "some labels are text and others numbers", Input([0, 1] * 10, predicted=TEXT),
    ),
    "scores as predictions": (
        "predicted holds 0.2 (row 0, counting from 0), but actual holds classes",
        Input([0, 1] * 10, predicted=[0.2, 0.8] * 10),
    ),
    "actual and predicted exchanged": (
        "actual holds 0.2 (row 0, counting from 0), but predicted holds classes",
        Input([0.2, 0.8] * 10, predicted=[0, 1] * 10),
    ),
    "NaN among scores": (
        "1 value is missing in score (first at row 19", Input([0, 1] * 10, score=[0.5] * 19 + [np.nan]),
    ),
    "labels as scores": ('score holds text, such as "ham"', Input([0, 1] * 10, score=TEXT)),
    "fractions beside scores": (
        "actual holds 0.5 (row 0, counting from 0), which is no label, beside scores",
        Input([0.5, 1.5] * 10, score=PROBABILITIES),
    ),
    "three columns of probabilities for two classes": (
        "score has 3 columns", Input([0, 1] * 10, score=np.full((N, 3), 1 / 3)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PREDICTIONS)
def test_the_same_predictions_are_refused_in_the_same_words(name):
    """By evaluate and compare."""
    start, given = PREDICTIONS[name]
    by_evaluate, by_compare = (outcome(by, given.columns, given.options) for by in ("evaluate", "compare"))
    assert by_evaluate[1].startswith(start), by_evaluate
    assert by_compare == by_evaluate


@pytest.mark.parametrize("score", [PROBABILITIES * 5, np.log(PROBABILITIES / (1 - PROBABILITIES))])
def test_scores_beyond_0_and_1_are_ranked_only(score):
    """Neither cut at 0.5 nor evaluated as probabilities, by evaluate and by compare."""
    ev = assay.evaluate(actual=[0, 1] * 10, score=score)
    comparison = assay.compare(actual=[0, 1] * 10, score={"first": score, "second": PROBABILITIES})
    assert ev.task.threshold is comparison.task.threshold is None
    assert list(ev) == [difference.metric for difference in comparison] == ["auc", "average_precision"]


@pytest.mark.parametrize("name", ["three labels", "two text labels", "0 and 1", "fractions", "whole numbers"])
def test_a_file_is_read_as_its_rows_are(name, tmp_path):
    """The task of a scan, and its refusals."""
    given = {**ACCEPTED, **REFUSED}[name][1]
    path = tmp_path / "rows.parquet"
    pl.DataFrame(given.columns).write_parquet(path)

    def by_file(columns, options):
        return assay.evaluate(path, **{role: role for role in columns}, **options).task

    BY["file"] = by_file
    try:
        assert outcome("file", given.columns, given.options) == outcome(
            "evaluate", given.columns, given.options
        )
    finally:
        del BY["file"]


@pytest.mark.parametrize("options", [{}, {"positive": "spam"}, {"task": "multiclass"}, {"positive": "eggs"}])
def test_tables_of_counts_are_read_as_their_labels_are(options):
    """By evaluate and compare, of tallies and of rows with declared labels."""
    labels = {"labels": ["ham", "spam"]}
    tally = assay.Confusion.of(assay.rows(actual=TEXT, predicted=TEXT, **labels))

    def result(function):
        try:
            task = function().task
        except assay.AssayError as refused:
            return str(refused)
        return task.name, task.positive

    from_counts = result(lambda: assay.evaluate(tally, **options))
    assert from_counts == result(lambda: assay.compare(tally, tally, **options))
    assert from_counts == result(lambda: assay.evaluate(actual=TEXT, predicted=TEXT, **labels, **options))


# Metrics that do not fit: by name, on which rows, and how the message begins.
MISFITS = {
    "unknown": ("f11", ACCEPTED["0 and 1"][1], 'there is no metric "f11". Did you mean f1?'),
    "unknown option": ("f_beta(gamma=2)", ACCEPTED["0 and 1"][1], "f_beta takes no gamma"),
    "average of numbers": ("macro mae", ACCEPTED["fractions"][1], "mae is averaged over labels or outputs"),
    "of classes": ("f1", ACCEPTED["fractions"][1], "f1 is for classes, but actual is taken for measured"),
    "of scores, for numbers": ("auc", ACCEPTED["fractions"][1], "auc is for classes, but actual is taken"),
    "of numbers": ("mae", ACCEPTED["three labels"][1], 'mae is for numbers, but actual holds labels: "a", "b"'),
    "of lists": ("ndcg", ACCEPTED["0 and 1"][1], "ndcg is for ranked lists, and this is a binary task"),
    "of label sets": ("subset_accuracy", ACCEPTED["0 and 1"][1], "subset_accuracy is for rows with several"),
    "of a positive label": ("f1", ACCEPTED["three labels"][1], 'the labels are "a", "b", "c": say which'),
    "of an order": ("quadratic_weighted_kappa", ACCEPTED["three labels"][1], 'the labels "a", "b", "c" have'),
    "of scores": ("auc", ACCEPTED["0 and 1"][1], "auc needs scores"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISFITS)
def test_metrics_that_do_not_fit_are_refused_in_the_same_words(name):
    """One that does not exist, one of another task, and one that needs another column."""
    metric, given, start = MISFITS[name]
    columns = given.columns
    features = np.arange(N)[:, None]
    models = {"first": columns["predicted"], "second": columns["predicted"]}
    calls = {
        "evaluate": lambda: assay.evaluate(**columns)[metric],
        "compare": lambda: assay.compare(actual=columns["actual"], predicted=models, metrics=metric),
        "crossval": lambda: assay.crossval(
            Predicts(columns), features, columns["actual"], split=2, metrics=metric, progress=False
        ),
    }
    words = {}
    for by, call in calls.items():
        with pytest.raises(assay.AssayError) as refused:
            call()
        words[by] = re.sub(r"\by\b", "actual", str(refused.value))
        assert words[by].startswith(start), words[by]
    assert words["compare"] == words["evaluate"]
    assert words["crossval"] == words["evaluate"] or name == "of scores"


def test_torch_tensors_are_columns():
    """Where torch is installed."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    given = Input(torch.tensor([0, 1] * 10))
    assert len({outcome(by, given.columns, {}) for by in BY}) == 1
