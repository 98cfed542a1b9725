"""Rows with errors, the most confident ones first, numbered as in the caller's data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, check_whole_number, shown
from assay.formatting.frame_output import as_frame
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_value
from assay.formatting.result import Result, ResultTable
from assay.formatting.table import grid, paragraph
from assay.formatting.width import clean, short
from assay.hints import hint, param
from assay.inference.influence.row_contributions import row_contributions
from assay.inputs import encode
from assay.tallies import Confusion, LabelSets, Queries

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation
    from assay.inputs import Column, Rows

__all__ = ["ErrorGroup", "ErrorRows", "error_rows"]

_MAX_LABEL_WIDTH = 26  # characters of a label
_KINDS_BY_TASK = {
    "binary": ("false_positives", "false_negatives"),
    "multiclass": ("mistakes", "confusions"),
    "ordinal": ("mistakes", "confusions"),
    "multilabel": ("mistakes", "labels"),
    "multioutput": ("residuals",),
    "regression": ("residuals",),
    "ranking": ("lists",),
}


@dataclasses.dataclass(frozen=True)
class ErrorGroup:
    """Error rows of one kind: what they are, how many there are in all, and the columns of those shown."""

    name: str
    title: str
    order: str
    total: int
    columns: dict[str, list[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def heading(self) -> str:
        """What the rows are, how many there are, their order, and how many are shown."""
        parts = [f"{self.title}: {self.total:,}", self.order]
        parts += [f"{len(self):,} shown"] if len(self) < self.total else []
        return " · ".join(filter(None, parts))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ErrorRows(Result):
    """The rows with errors by kind, made by :meth:`Evaluation.errors`. It prints as tables."""

    groups: tuple[ErrorGroup, ...]
    library: str = ""

    def __getitem__(self, name: str) -> ErrorGroup:
        for group in self.groups:
            if group.name == name:
                return group
        raise InputError(f"there are no {name!r} here, only {shown(self)}.")

    def __iter__(self) -> Any:
        return iter(group.name for group in self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        return f"<{', '.join(f'{group.title}: {group.total:,}' for group in self.groups)}>"

    def text(self, *, width: int = 80) -> str:
        """Return the tables as text of at most `width` columns."""
        blocks = []
        for group in self.groups:
            lines = paragraph(group.heading, max_width=width)
            if len(group):
                body = [[_cell(value) for value in row] for row in zip(*group.columns.values(), strict=True)]
                lines += grid(list(group.columns), body, max_width=width, words=0)
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks)

    def tables(self) -> list[ResultTable]:
        """Return a table for each kind of error."""
        return [ResultTable(group.columns, title=group.heading) for group in self.groups]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: each kind of error with its total and its rows as columns."""
        data = {
            group.name: {
                "title": group.title,
                "order": group.order,
                "total": group.total,
                "rows": group.columns,
            }
            for group in self.groups
        }
        return dict(json_safe(data))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one table as columns; several kinds of rows together have their kind in the first column.

        Counts of confused pairs are not rows: request them alone, ``ev.errors("confusions")``.
        """
        first = self.groups[0]
        if len(self.groups) == 1:
            return {name: list(values) for name, values in first.columns.items()}
        same_columns = [group for group in self.groups if group.columns.keys() == first.columns.keys()]
        if len(same_columns) == 1:
            return {name: list(values) for name, values in first.columns.items()}
        kinds = {"kind": [group.name for group in same_columns for _ in range(len(group))]}
        return kinds | {
            name: [value for group in same_columns for value in group.columns[name]] for name in first.columns
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame of the library that they came from, or of another one.

        ``library`` is "pandas", "polars", "pyarrow" or "dict". Several kinds of rows together have their
        kind in the first column; counts of confused pairs are not rows: request them alone.
        """
        return as_frame(self._columns(), self.library if library is None else library)


def _sql_for_errors(ev: Evaluation) -> str:
    """Return a SQL query that finds the errors in a file."""
    settings, task = ev.settings, ev.task
    actual, score = (f'"{name}"' for name in (settings.actual, settings.score))
    positive = f"'{ev.positive}'" if isinstance(ev.positive, str) else ev.positive
    start = "SELECT * FROM 'the file' "
    if ev.task.name == "regression":
        return f'{start}ORDER BY abs({actual} - "{settings.predicted}") DESC LIMIT 20'
    if ev.task.name == "ranking":
        return f"{start}WHERE {actual} = 0 ORDER BY {score} DESC LIMIT 20"
    if task.threshold is not None and "scores" in ev.tallies:
        wrong = f"({score} >= {task.threshold:g}) <> ({actual} = {positive})"
        return f"{start}WHERE {wrong} ORDER BY {score} DESC LIMIT 20"
    return f'{start}WHERE {actual} <> "{settings.predicted}" LIMIT 20'


def error_rows(ev: Evaluation, which: str | None = None, n: Any = 20) -> ErrorRows:
    """Return the error rows of an evaluation, at most `n` of each kind."""
    kinds = _KINDS_BY_TASK.get(ev.task.name, ())
    if which is not None and which not in kinds:
        raise InputError(f"which={which!r} is not known: {ev.task.name} tasks have {shown(kinds)}.")
    n = check_whole_number("n", n, error=InputError)
    from_tallies = {
        "confusions": _confused_pairs,
        "labels": _label_errors,
        "lists": _worst_lists,
    }  # these need no rows
    chosen_kinds = [kind for kind in kinds if which in (None, kind)]
    if not _has_rows(ev) and which is None:
        chosen_kinds = [kind for kind in kinds if kind in from_tallies]
    if not chosen_kinds or not (_has_rows(ev) or chosen_kinds[0] in from_tallies):
        raise InputError(
            "errors are found in the rows, which this evaluation does not hold: it has their tallies alone. "
            "Evaluate rows in memory, or query the file itself, for example with DuckDB: "
            f"{_sql_for_errors(ev)}."
        )
    from_rows: dict[str, Any] = {
        "false_positives": _binary_errors, "false_negatives": _binary_errors,
        "mistakes": _multilabel_errors if ev.task.name == "multilabel" else _class_errors,
        "residuals": _output_residuals if ev.task.name == "multioutput" else _residuals,
    }  # fmt: skip
    groups = tuple(
        from_tallies[kind](ev, n) if kind in from_tallies
        else from_rows[kind](ev, ev.rows, n, kind)
        for kind in chosen_kinds
    )  # fmt: skip
    return ErrorRows(groups, ev.settings.library)


def _has_rows(ev: Evaluation) -> bool:
    return ev.rows is not None


def _binary_errors(ev: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return false positives, highest score first, or false negatives, lowest score first."""
    actual, predicted = (_equals(column, ev.positive) for column in _actual_and_predicted(rows))
    missed = kind == "false_negatives"
    wrong = np.flatnonzero(actual & ~predicted if missed else predicted & ~actual)
    score = None if rows.score is None else rows.score.numbers("scores")
    order = None if score is None else (score[wrong] if missed else -score[wrong])
    confidence = "" if score is None else f"{'lowest' if missed else 'highest'} score first"
    shown_rows = _first_in_order(wrong, order, n)
    columns = _columns(rows, shown_rows)
    if score is not None:
        columns["score"] = score[shown_rows].tolist()
    return ErrorGroup(kind, kind.replace("_", " "), confidence, len(wrong), columns)


def _class_errors(ev: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return rows predicted a wrong class, the highest score first where classes have scores."""
    actual, predicted = _actual_and_predicted(rows)
    (actual_codes, actual_labels), (predicted_codes, predicted_labels) = encode(actual), encode(predicted)
    index_of = {label: index for index, label in enumerate(actual_labels)}
    table = np.array([index_of.get(label, -1) for label in predicted_labels], dtype=np.int64)
    wrong = np.flatnonzero(actual_codes.astype(np.int64) != table[predicted_codes])
    score = rows.score
    if score is None or score.values.ndim == 1:
        return ErrorGroup(kind, "wrong rows", "", len(wrong), _columns(rows, _first_in_order(wrong, None, n)))
    labels = rows.labels or ev.task.labels
    of_class = np.array([labels.index(label) for label in predicted_labels], dtype=np.intp)
    confidence = score.values[wrong, of_class[predicted_codes[wrong]]]
    selected = _first_in_order(wrong, -confidence, n)
    columns = _columns(rows, selected)
    columns["score"] = score.values[selected, of_class[predicted_codes[selected]]].tolist()
    index_of = {label: index for index, label in enumerate(labels)}
    truth = np.array([index_of[label] for label in actual_labels], dtype=np.intp)
    columns["score of actual"] = score.values[selected, truth[actual_codes[selected]]].tolist()
    return ErrorGroup(kind, "wrong rows", "highest score of the predicted class first", len(wrong), columns)


def _confused_pairs(ev: Evaluation, n: int) -> ErrorGroup:
    """Return confused pairs of classes, the most frequent first."""
    table = ev.tallies.get("confusion")
    if not isinstance(table, Confusion):
        raise InputError("this evaluation has no predictions, so that no confused pairs can be counted.")
    actual, predicted = table.digits()
    wrong = np.flatnonzero(actual != predicted)
    order = _first_in_order(wrong, -table.counts[wrong], n)
    totals = table.actual_totals
    columns: dict[str, list[Any]] = {
        "actual": [table.labels[i] for i in actual[order]],
        "predicted": [table.labels[i] for i in predicted[order]],
        "rows": table.counts[order].tolist(),
        "share of actual": (table.counts[order] / totals[actual[order]]).tolist(),
    }
    return ErrorGroup("confusions", "confused pairs of classes", "most frequent first", len(wrong), columns)


def _multilabel_errors(_: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return rows whose predicted labels are wrong, those with most wrong labels first."""
    missed, added = (column.values.astype(bool) for column in _actual_and_predicted(rows))
    labels = rows.labels or ()
    missed, added = missed & ~added, added & ~missed
    wrong_labels = (missed | added).sum(axis=1)
    wrong = np.flatnonzero(wrong_labels)
    selected = _first_in_order(wrong, -wrong_labels[wrong], n)
    columns: dict[str, list[Any]] = {
        "row": _row_numbers(rows, selected),
        "wrong": wrong_labels[selected].tolist(),
    }
    for name, table in (("missed", missed), ("added", added)):
        columns[name] = [[labels[index] for index in np.flatnonzero(table[row])] for row in selected]
    return ErrorGroup(kind, "wrong rows", "most wrong labels first", len(wrong), columns)


def _label_errors(ev: Evaluation, n: int) -> ErrorGroup:
    """Return the labels most often missed or wrongly predicted."""
    table = ev.tallies["label_sets"]
    assert isinstance(table, LabelSets)  # noqa: S101 - the tally of this task
    _, _, _, added, missed = table.split()
    wrong = np.flatnonzero(added + missed)
    order = _first_in_order(wrong, -(added + missed)[wrong], n)
    columns: dict[str, list[Any]] = {
        "label": [table.labels[index] for index in order],
        "missed": missed[order].tolist(),
        "added": added[order].tolist(),
    }
    return ErrorGroup("labels", "labels with errors", "most errors first", len(wrong), columns)


def _residuals(_: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return the rows with the largest residuals."""
    actual, predicted = (
        column.numbers("numbers").astype(np.float64) for column in _actual_and_predicted(rows)
    )
    residuals = actual - predicted
    selected = _first_in_order(np.arange(len(residuals)), -np.abs(residuals), n)
    columns: dict[str, list[Any]] = {
        "row": _row_numbers(rows, selected),
        "actual": actual[selected].tolist(),
        "predicted": predicted[selected].tolist(),
        "error": residuals[selected].tolist(),
    }
    return ErrorGroup(kind, "rows", "largest error first", len(residuals), columns)


def _output_residuals(_: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return the rows and outputs with the largest residuals."""
    actual, predicted = (column.values.astype(np.float64) for column in _actual_and_predicted(rows))
    residuals, labels = actual - predicted, rows.labels or ()
    cells = _first_in_order(np.arange(residuals.size), -np.abs(residuals.ravel()), n)
    selected, outputs = np.divmod(cells, residuals.shape[1])
    columns: dict[str, list[Any]] = {
        "row": _row_numbers(rows, selected),
        "output": [labels[index] for index in outputs],
        "actual": actual.ravel()[cells].tolist(),
        "predicted": predicted.ravel()[cells].tolist(),
        "error": residuals.ravel()[cells].tolist(),
    }
    return ErrorGroup(kind, "rows and outputs", "largest error first", residuals.size, columns)


def _worst_lists(ev: Evaluation, n: int) -> ErrorGroup:
    """Return the ranked lists with the lowest NDCG, among those with a relevant item."""
    spec, tally, options, _ = ev.reading("ndcg")
    values = row_contributions(spec.metric, tally, options)
    assert isinstance(tally, Queries)  # noqa: S101 - the tally that NDCG reads
    assert values is not None  # noqa: S101 - it is a mean over lists
    with_relevant = np.flatnonzero((tally.relevant > 0) & ~np.isnan(values))
    selected = _first_in_order(with_relevant, values[with_relevant], n)
    query = "query" if ev.rows is None else ev.rows.need("query", "ranked lists").name
    columns: dict[str, list[Any]] = {
        # Lists without names are stored in another order than the caller's.
        **({query: [tally.names[i] for i in selected]} if tally.names else {}),
        "ndcg": values[selected].tolist(),
        "items": np.diff(tally.offsets)[selected].tolist(),
        "relevant": np.diff(tally.ideal_offsets)[selected].tolist(),
    }
    return ErrorGroup(
        "lists", "lists with something to find", "lowest NDCG first", len(with_relevant), columns
    )


def _actual_and_predicted(rows: Rows) -> tuple[Column, Column]:
    if rows.predicted is None:
        raise InputError(
            "there are no predictions to compare with actual: give "
            f"{param('predicted')}{hint(' to evaluate()', '')}, or "
            f"{param('threshold')} "
            "for scores (ev.at(threshold).errors() will do as well)."
        )
    return rows.need("actual", "a list of errors"), rows.predicted


def _equals(column: Column, positive: Any) -> Any:
    codes, labels = encode(column)
    return np.array([label == positive for label in labels], dtype=bool)[codes]


def _columns(rows: Rows, selected: Any) -> dict[str, list[Any]]:
    """Return the row numbers, actual and predicted labels of some rows."""
    columns: dict[str, list[Any]] = {"row": _row_numbers(rows, selected)}
    for name, column in zip(("actual", "predicted"), _actual_and_predicted(rows), strict=True):
        codes, labels = encode(column)
        columns[name] = [labels[int(code)] for code in codes[selected]]
    return columns


def _row_numbers(rows: Rows, selected: Any) -> list[int]:
    """Return row numbers in the caller's data."""
    numbers: list[int] = (selected if rows.origin is None else rows.origin[selected]).tolist()
    return numbers


def _first_in_order(indices: Any, order: Any, n: int) -> Any:
    """Return the first `n` indices by `order`, ties by index; without an order, the first `n`."""
    if order is None or not len(indices):
        return indices[:n]
    if len(indices) > n:
        candidates = np.flatnonzero(order <= np.partition(order, n - 1)[n - 1])
        indices, order = indices[candidates], order[candidates]
    return indices[np.argsort(order, kind="stable")[:n]]


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return short(", ".join(map(clean, value)) if value else "-", _MAX_LABEL_WIDTH)
    return format_value(value) if isinstance(value, float) else short(value, _MAX_LABEL_WIDTH)
