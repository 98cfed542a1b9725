"""Which rows were wrong: the surest mistakes first, by their numbers as the caller counts rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, shown
from assay.formatting.frame_output import as_frame
from assay.formatting.table import grid, paragraph
from assay.formatting.width import clean, short
from assay.inference.influence.row_contributions import row_figures
from assay.inputs import encode
from assay.reports.summary import shown_value
from assay.tallies import Confusion, LabelSets, Queries

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation
    from assay.inputs import Column, Rows
    from assay.inputs.multilabel import LabelTables

__all__ = ["ErrorGroup", "ErrorRows", "mistakes"]

_LONG = 26  # columns that a label takes at most
_KINDS = {
    "binary": ("false_positives", "false_negatives"),
    "multiclass": ("mistakes", "confusions"),
    "ordinal": ("mistakes", "confusions"),
    "multilabel": ("mistakes", "labels"),
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


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ErrorRows:
    """The rows that were wrong, kind by kind; made by :meth:`Evaluation.errors`. It prints as tables."""

    parts: tuple[ErrorGroup, ...]
    library: str = ""

    def __getitem__(self, name: str) -> ErrorGroup:
        for part in self.parts:
            if part.name == name:
                return part
        raise InputError(f"there are no {name!r} here, only {shown(self)}.")

    def __iter__(self) -> Any:
        return iter(part.name for part in self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{', '.join(f'{part.title}: {part.total:,}' for part in self.parts)}>"

    def text(self, *, width: int = 80) -> str:
        """Return the tables in lines of at most so many columns."""
        blocks = []
        for part in self.parts:
            said = [f"{part.title}: {part.total:,}", part.order]
            said += [f"{len(part):,} shown"] if len(part) < part.total else []
            lines = paragraph(" · ".join(filter(None, said)), room=width)
            if len(part):
                body = [[_shown(value) for value in row] for row in zip(*part.columns.values(), strict=True)]
                lines += grid(list(part.columns), body, room=width, words=0)
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return one table as columns: of several kinds of rows together, with their kind first.

        Counts of confusions are no rows: ask for them alone, ``ev.errors("confusions")``.
        """
        first = self.parts[0]
        if len(self.parts) == 1:
            return {name: list(values) for name, values in first.columns.items()}
        alike = [part for part in self.parts if part.columns.keys() == first.columns.keys()]
        if len(alike) == 1:
            return {name: list(values) for name, values in first.columns.items()}
        kinds = {"kind": [part.name for part in alike for _ in range(len(part))]}
        return kinds | {
            name: [value for part in alike for value in part.columns[name]] for name in first.columns
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return the same as a frame of the library that the rows came from, or of another one.

        ``library`` is "pandas", "polars", "pyarrow" or "dict".
        """
        return as_frame(self.to_dict(), self.library if library is None else library)


def _query(ev: Evaluation) -> str:
    """Return a query that finds the mistakes in a file."""
    told, task = ev.settings, ev.task
    actual, score = (f'"{name}"' for name in (told.actual, told.score))
    positive = f"'{ev.positive}'" if isinstance(ev.positive, str) else ev.positive
    start = "SELECT * FROM 'the file' "
    if ev.task.name == "regression":
        return f'{start}ORDER BY abs({actual} - "{told.predicted}") DESC LIMIT 20'
    if ev.task.name == "ranking":
        return f"{start}WHERE {actual} = 0 ORDER BY {score} DESC LIMIT 20"
    if task.threshold is not None and "scores" in ev.tallies:
        wrong = f"({score} >= {task.threshold:g}) <> ({actual} = {positive})"
        return f"{start}WHERE {wrong} ORDER BY {score} DESC LIMIT 20"
    return f'{start}WHERE {actual} <> "{told.predicted}" LIMIT 20'


def mistakes(ev: Evaluation, which: str | None = None, n: Any = 20) -> ErrorRows:
    """Return the mistakes of an evaluation, at most `n` of each kind."""
    kinds = _KINDS.get(ev.task.name, ())
    if which is not None and which not in kinds:
        raise InputError(f"which={which!r} is not known: {ev.task.name} problems have {shown(kinds)}.")
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InputError(f"n={n!r} is how many mistakes of a kind to show: a whole number, 1 or more.")
    counted = {"confusions": _confusions, "labels": _labels, "lists": _lists}  # from tallies alone
    wanted = [kind for kind in kinds if which in (None, kind)]
    if not _has_rows(ev) and which is None:
        wanted = [kind for kind in kinds if kind in counted]
    if not wanted or not (_has_rows(ev) or wanted[0] in counted):
        raise InputError(
            "the mistakes are found in the rows, which this evaluation does not hold: it has their tallies "
            f"alone. Evaluate rows in memory, or ask the file itself, as DuckDB does: {_query(ev)}."
        )
    made: dict[str, Any] = {
        "false_positives": _false, "false_negatives": _false, "mistakes": _mistaken,
        "residuals": _residuals,
    }  # fmt: skip
    parts = tuple(
        counted[kind](ev, n) if kind in counted
        else _wrong_sets(ev.sets, n) if ev.sets is not None
        else made[kind](ev, ev.rows, n, kind)
        for kind in wanted
    )  # fmt: skip
    return ErrorRows(parts, ev.settings.library)


def _has_rows(ev: Evaluation) -> bool:
    return ev.rows is not None or ev.sets is not None


def _false(ev: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return rows wrongly taken for positive, highest scores first, or for negative, lowest first."""
    actual, predicted = (_is(column, ev.positive) for column in _labelled(rows))
    missed = kind == "false_negatives"
    wrong = np.flatnonzero(actual & ~predicted if missed else predicted & ~actual)
    score = None if rows.score is None else rows.score.numbers("scores")
    order = None if score is None else (score[wrong] if missed else -score[wrong])
    sure = "" if score is None else f"{'lowest' if missed else 'highest'} score first"
    shown_rows = _first(wrong, order, n)
    columns = _columns(rows, shown_rows)
    if score is not None:
        columns["score"] = score[shown_rows].tolist()
    return ErrorGroup(kind, kind.replace("_", " "), sure, len(wrong), columns)


def _mistaken(ev: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return rows of a wrong class, the surest first where classes have scores."""
    actual, predicted = _labelled(rows)
    (mine, known), (theirs, said) = encode(actual), encode(predicted)
    place = {label: index for index, label in enumerate(known)}
    table = np.array([place.get(label, -1) for label in said], dtype=np.int64)
    wrong = np.flatnonzero(mine.astype(np.int64) != table[theirs])
    score = rows.score
    if score is None or score.values.ndim == 1:
        return ErrorGroup(kind, "wrong rows", "", len(wrong), _columns(rows, _first(wrong, None, n)))
    labels = rows.labels or ev.task.labels
    of_class = np.array([labels.index(label) for label in said], dtype=np.intp)
    sure = score.values[wrong, of_class[theirs[wrong]]]
    chosen = _first(wrong, -sure, n)
    columns = _columns(rows, chosen)
    columns["score"] = score.values[chosen, of_class[theirs[chosen]]].tolist()
    place = {label: index for index, label in enumerate(labels)}
    truth = np.array([place[label] for label in known], dtype=np.intp)
    columns["score of actual"] = score.values[chosen, truth[mine[chosen]]].tolist()
    return ErrorGroup(kind, "wrong rows", "highest score of the predicted class first", len(wrong), columns)


def _confusions(ev: Evaluation, n: int) -> ErrorGroup:
    """Return which classes are taken for which, the most frequent first."""
    table = ev.tallies.get("confusion")
    if not isinstance(table, Confusion):
        raise InputError("this evaluation has no predictions whose confusions could be counted.")
    actual, predicted = table.digits()
    wrong = np.flatnonzero(actual != predicted)
    order = _first(wrong, -table.counts[wrong], n)
    totals = table.actual_totals
    columns: dict[str, list[Any]] = {
        "actual": [table.labels[i] for i in actual[order]],
        "predicted": [table.labels[i] for i in predicted[order]],
        "rows": table.counts[order].tolist(),
        "share of actual": (table.counts[order] / totals[actual[order]]).tolist(),
    }
    return ErrorGroup("confusions", "confused pairs of classes", "most frequent first", len(wrong), columns)


def _wrong_sets(sets: LabelTables, n: int) -> ErrorGroup:
    """Return rows whose labels are not those predicted, the most wrong labels first."""
    missed, added = sets.actual.astype(bool), sets.predicted.astype(bool)
    missed, added = missed & ~added, added & ~missed
    wrong_labels = (missed | added).sum(axis=1)
    wrong = np.flatnonzero(wrong_labels)
    chosen = _first(wrong, -wrong_labels[wrong], n)
    columns: dict[str, list[Any]] = {
        "row": (chosen if sets.origin is None else sets.origin[chosen]).tolist(),
        "wrong": wrong_labels[chosen].tolist(),
    }
    for name, table in (("missed", missed), ("added", added)):
        columns[name] = [[sets.labels[place] for place in np.flatnonzero(table[row])] for row in chosen]
    return ErrorGroup("mistakes", "wrong rows", "most wrong labels first", len(wrong), columns)


def _labels(ev: Evaluation, n: int) -> ErrorGroup:
    """Return the labels that are most often missed or wrongly added."""
    table = ev.tallies["label_sets"]
    assert isinstance(table, LabelSets)  # noqa: S101 - what such problems have
    _, _, _, added, missed = table.split()
    wrong = np.flatnonzero(added + missed)
    order = _first(wrong, -(added + missed)[wrong], n)
    columns: dict[str, list[Any]] = {
        "label": [table.labels[place] for place in order],
        "missed": missed[order].tolist(),
        "added": added[order].tolist(),
    }
    return ErrorGroup("labels", "labels with errors", "most errors first", len(wrong), columns)


def _residuals(_: Evaluation, rows: Rows, n: int, kind: str) -> ErrorGroup:
    """Return the rows whose numbers are furthest off."""
    actual, predicted = (column.numbers("numbers").astype(np.float64) for column in _labelled(rows))
    off = actual - predicted
    chosen = _first(np.arange(len(off)), -np.abs(off), n)
    columns: dict[str, list[Any]] = {
        "row": _numbers(rows, chosen),
        "actual": actual[chosen].tolist(),
        "predicted": predicted[chosen].tolist(),
        "error": off[chosen].tolist(),
    }
    return ErrorGroup(kind, "rows", "largest error first", len(off), columns)


def _lists(ev: Evaluation, n: int) -> ErrorGroup:
    """Return the ranked lists with the least NDCG; those where nothing is relevant have none."""
    figure, tally, options, _ = ev.reading("ndcg")
    values = row_figures(figure.metric, tally, options)
    assert isinstance(tally, Queries)  # noqa: S101 - what NDCG reads
    assert values is not None  # noqa: S101 - it is a mean over lists
    known = np.flatnonzero((tally.relevant > 0) & ~np.isnan(values))
    chosen = _first(known, values[known], n)
    query = "query" if ev.rows is None else ev.rows.need("query", "ranked lists").name
    columns: dict[str, list[Any]] = {
        # Lists without names are held in an order of their own.
        **({query: [tally.names[i] for i in chosen]} if tally.names else {}),
        "ndcg": values[chosen].tolist(),
        "items": np.diff(tally.offsets)[chosen].tolist(),
        "relevant": np.diff(tally.ideal_offsets)[chosen].tolist(),
    }
    return ErrorGroup("lists", "lists with something to find", "lowest NDCG first", len(known), columns)


def _labelled(rows: Rows) -> tuple[Column, Column]:
    if rows.predicted is None:
        raise InputError(
            "there are no predictions to be wrong: give predicted= to evaluate(), or threshold= for scores "
            "(ev.at(threshold).errors() will do as well)."
        )
    return rows.need("actual", "a list of mistakes"), rows.predicted


def _is(column: Column, positive: Any) -> Any:
    codes, labels = encode(column)
    return np.array([label == positive for label in labels], dtype=bool)[codes]


def _columns(rows: Rows, chosen: Any) -> dict[str, list[Any]]:
    """Return the numbers, actual and predicted labels of some rows."""
    columns: dict[str, list[Any]] = {"row": _numbers(rows, chosen)}
    for name, column in zip(("actual", "predicted"), _labelled(rows), strict=True):
        codes, labels = encode(column)
        columns[name] = [labels[int(code)] for code in codes[chosen]]
    return columns


def _numbers(rows: Rows, chosen: Any) -> list[int]:
    """Return rows as the caller counts them."""
    found: list[int] = (chosen if rows.origin is None else rows.origin[chosen]).tolist()
    return found


def _first(places: Any, order: Any, n: int) -> Any:
    """Return the first `n` places in an order, ties as they come; without one, the first that there are."""
    if order is None or not len(places):
        return places[:n]
    if len(places) > n:
        kept = np.flatnonzero(order <= np.partition(order, n - 1)[n - 1])
        places, order = places[kept], order[kept]
    return places[np.argsort(order, kind="stable")[:n]]


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return short(", ".join(map(clean, value)) if value else "-", _LONG)
    return shown_value(value) if isinstance(value, float) else short(value, _LONG)
