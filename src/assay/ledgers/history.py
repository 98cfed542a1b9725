"""History: the evaluations of a ledger over time, a line each, with their intervals."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from assay.errors import InputError, LedgerError
from assay.formatting.json_values import json_safe
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.formatting.width import clean
from assay.hints import param
from assay.ledgers.shortcuts import HistoryShortcuts
from assay.metrics.spec import MetricSpec, metric_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.ledgers.entry import Entry
    from assay.ledgers.ledger import Ledger

__all__ = ["History", "HistoryLine", "history_of"]

# The metric that is printed where none is named: the first of these that all evaluations have.
_FIRST: Final = (
    "auc", "macro_auc", "accuracy", "macro_f1", "f1", "recall", "precision", "mae", "rmse", "r2", "ndcg",
    "mean_average_precision", "micro_f1", "subset_accuracy", "macro_mae", "macro_rmse",
)  # fmt: skip
_TEST_LETTERS: Final = 6
_LONGEST_NAME: Final = 40


@dataclasses.dataclass(frozen=True)
class HistoryLine:
    """An evaluation, or a slice of one, with some of its metrics."""

    number: int
    time: str
    model: str
    test: str
    look: int
    rows: int
    tags: tuple[str, ...]
    commit: str
    slice: str
    metrics: Mapping[str, IntervalCell]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class History(HistoryShortcuts):
    """Evaluations over time, the oldest first. Made by :meth:`assay.Ledger.history`.

    It prints as a table; :meth:`to_frame` has a row for each evaluation, or each slice, and three columns for
    each metric; :meth:`plot` draws one of them.
    """

    lines: tuple[HistoryLine, ...]
    names: tuple[str, ...]  # of the metrics
    printed: tuple[str, ...]  # those of them that are printed
    by: str = ""
    confidence: float | None = None  # of the intervals, where it is the same for all

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[HistoryLine]:
        return iter(self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the lines as plain data."""
        lines = []
        for line in self.lines:
            data = {field.name: getattr(line, field.name) for field in dataclasses.fields(line)}
            data["metrics"] = {name: cell._asdict() for name, cell in line.metrics.items()}
            lines.append(data | {"tags": list(line.tags)})
        return {"by": self.by or None, "metrics": list(self.names), "evaluations": json_safe(lines)}

    def tables(self) -> list[ResultTable]:
        """Return the lines as a table."""
        fields = ["number", "time", "model", "test", "look", "rows"] + (["slice"] if self.by else [])
        columns: dict[str, list[Any]] = {
            name: [getattr(line, name) for line in self.lines] for name in fields
        }
        empty = IntervalCell(None)
        columns |= {name: [line.metrics.get(name, empty) for line in self.lines] for name in self.names}
        columns |= {
            "tags": [", ".join(line.tags) for line in self.lines],
            "commit": [line.commit for line in self.lines],
        }
        unprinted = [name for name in self.names if name not in self.printed]
        unprinted += ["tags", "commit"]
        unprinted += ["look"] if self.by else []
        unprinted += [name for name in ("model", "test") if len(set(columns[name])) == 1]
        return [
            ResultTable(
                columns,
                headings={"number": "#", "slice": self.by}
                | {name: metric_title(name) for name in self.names},
                frame_only=tuple(unprinted),
                printed_as={"time": _minute, "test": _shortened, "model": _name},
            )
        ]

    def text(self, *, width: int = 80) -> str:
        """Return the table in lines of at most so many columns."""
        if not self.lines:
            return "no evaluations"
        return super().text(width=width)


def _minute(time: str) -> str:
    return clean(time[:16].replace("T", " "))


def _name(model: str) -> str:
    """Return a name as a table shows it, a long one without its end."""
    text = clean(model)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def _shortened(test: str) -> str:
    return test[:_TEST_LETTERS]


def history_of(
    book: Ledger, entries: Sequence[Entry], metrics: Iterable[str] | None, by: str | None
) -> History:
    """Return the history of some evaluations of a ledger."""
    specs = None if metrics is None else [MetricSpec.of(metric) for metric in _listed(metrics)]
    looks = book.look_numbers()
    lines = [
        line
        for entry in entries
        for line in (_slice_lines(book, entry, specs, by, looks) if by else _lines(book, entry, specs, looks))
    ]
    names = list(dict.fromkeys(name for line in lines for name in line.metrics))
    printed = names
    if specs is None:
        shared = [name for name in _FIRST if all(name in line.metrics for line in lines)]
        printed = shared[:1] or names[:1]
    levels = {entry.payload.get("settings", {}).get("confidence", 0.95) for entry in entries}
    confidence = levels.pop() if len(levels) == 1 else None
    return History(tuple(lines), tuple(names), tuple(printed), by or "", confidence)


def _listed(metrics: Iterable[str]) -> list[str]:
    return [metrics] if isinstance(metrics, str) else list(metrics)


def _lines(
    book: Ledger, entry: Entry, specs: Sequence[MetricSpec] | None, looks: Mapping[int, int]
) -> list[HistoryLine]:
    stored = entry.payload.get("estimates", {})
    if not isinstance(stored, dict):
        raise LedgerError(f"entry {entry.number} of the ledger is damaged: it has no estimates by metric.")
    if specs is None:
        return [_line(entry, looks, {name: _cell(stored[name]) for name in stored})]
    cells, loaded = {}, None
    for spec in specs:
        if spec.name in stored:
            cells[spec.name] = _cell(stored[spec.name])
        else:
            loaded = book.load(entry) if loaded is None else loaded
            cells[spec.name] = IntervalCell.of(loaded[spec.name])
    return [_line(entry, looks, cells)]


def _slice_lines(
    book: Ledger, entry: Entry, specs: Sequence[MetricSpec] | None, by: str, looks: Mapping[int, int]
) -> list[HistoryLine]:
    if by not in entry.payload.get("by", ()):
        return []
    table = book.load(entry).slices[by]
    lines = []
    for key, part in table.items():
        names = list(part) if specs is None else [spec.name for spec in specs]
        cells = {name: IntervalCell.of(part[name]) for name in names}
        label = key[0] if isinstance(key, tuple) else key
        lines.append(_line(entry, looks, cells, str(label), part.n))
    return lines


def _line(
    entry: Entry,
    looks: Mapping[int, int],
    cells: Mapping[str, IntervalCell],
    part: str = "",
    rows: int | None = None,
) -> HistoryLine:
    payload = entry.payload
    return HistoryLine(
        entry.number, entry.time, entry.model, entry.test, looks.get(entry.number, 0),
        int(payload.get("rows", 0)) if rows is None else rows, entry.tags, str(payload.get("commit", "")),
        part, cells,
    )  # fmt: skip


def _cell(stored: Mapping[str, Any]) -> IntervalCell:
    """Return an estimate as it was stored; infinity is a word there."""
    return IntervalCell(
        *(None if stored[end] is None else float(stored[end]) for end in IntervalCell._fields)
    )


def check_by(by: str | None) -> None:
    """Raise where a column to slice by is no name."""
    if by is not None and not isinstance(by, str):
        raise InputError(f"{param('by')} names one column that the evaluations were sliced by.")
