"""Slices: the evaluation of each part of the rows, and its test against the rest."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import ColumnError, InputError, shown
from assay.evaluation.default_metrics import default_metrics
from assay.evaluation.proxy.powered_slices import PoweredPartition
from assay.evaluation.slices.partition import Key, total_weight
from assay.evaluation.slices.shortcuts import SliceShortcuts
from assay.evaluation.slices.slice_report import SliceLine, SliceReport, line_table
from assay.formatting.frame_output import as_frame
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of
from assay.formatting.result import Result, ResultTable
from assay.hints import hint
from assay.inference.differences.slice_vs_rest import against_rest, grouped_against_rest
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.inputs import encode
from assay.inputs.discretize import MAX_SLICES, too_many
from assay.metrics import Undefined
from assay.metrics.spec import MetricSpec, listed_metrics
from assay.tallies.leave_one_out import leave_one_out_tallies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.slices.partition import RowPartition, TallyPartition
    from assay.inference.differences.difference import Difference
    from assay.tallies import Tally

__all__ = ["SliceTable", "SlicesByColumn"]

_MIN_ROWS_TO_TEST = 30  # or ranked lists
_MIN_GROUPS_TO_TEST = 10
_MIN_CLASS_ROWS_TO_TEST = 10  # fewer rows of a class give no reliable variance of ranks


class SlicesByColumn(Result, Mapping[Any, "SliceTable"]):
    """The slices of an evaluation by each column of ``by=``, and by all of them crossed.

    ``slices["carrier"]`` and ``slices["carrier", "age"]`` are mappings from a slice's label, or labels, to
    its evaluation.
    """

    def __init__(self, ev: Evaluation) -> None:
        if not ev.settings.by:
            raise ColumnError(
                "there is nothing to slice by: name one or more columns in "
                f"{hint('evaluate(..., by=)', '--by')}."
            )
        if ev.source_rows is None and "slices" not in ev.tallies:
            raise InputError(
                "slices need the rows, or tallies of each slice, and this evaluation holds neither."
            )
        self._ev = ev
        self._columns = ev.settings.by
        self._evaluations: dict[tuple[str, ...], SliceTable] = {}

    def __getitem__(self, key: str | tuple[str, ...]) -> SliceTable:
        names = (key,) if isinstance(key, str) else tuple(key)
        for name in names:
            if name not in self._columns:
                known = shown(self._columns)
                raise ColumnError(f"the rows are not sliced by {shown([name])}, but by {known}.")
        if not names or len(set(names)) < len(names):
            raise ColumnError(f"name each column once to cross their slices, not {list(names)}.")
        if names not in self._evaluations:
            self._evaluations[names] = SliceTable(self._ev, names)
        return self._evaluations[names]

    def __contains__(self, key: object) -> bool:
        return key in list(self)

    def __iter__(self) -> Iterator[Any]:
        yield from self._columns
        if len(self._columns) > 1:
            yield self._columns

    def __len__(self) -> int:
        return len(list(iter(self)))

    def text(self, *, width: int = 80) -> str:
        """Return the tables of all columns as text of at most `width` columns."""
        return "\n\n".join(slices.text(width=width) for slices in self.values())

    def tables(self) -> list[ResultTable]:
        """Return a table for each column, and for all of them crossed."""
        return [table for slices in self.values() for table in slices.tables()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the table of each column by its name."""
        return {" x ".join(slices.columns): slices.to_dict() for slices in self.values()}

    def to_frame(self, library: str | None = None, *, metrics: Sequence[str] | str | None = None) -> Any:
        """Return the tables of all columns as one data frame, of the rows' library or the one named."""
        lines = [line for slices in self.values() for line in slices.report(metrics).lines]
        return as_frame(line_table(lines).flat(), self._library if library is None else library)

    @property
    def _library(self) -> str:
        return self._ev.settings.library

    def __repr__(self) -> str:
        parts = [f"{' x '.join(slices.columns)} ({len(slices)})" for slices in self.values()]
        return f"<slices by {', '.join(parts)}>"


class SliceTable(SliceShortcuts, Mapping[Any, "Evaluation"]):
    """One way to slice the rows: a mapping from label (of crossed columns: labels) to evaluation.

    It prints as a table: the main metrics of each slice with intervals, and their differences from all other
    rows, with p-values corrected by Holm over the table. Slices of fewer than 30 rows (lists,
    of ranked lists), or 10 groups, have their metrics but are not tested.
    """

    def __init__(self, ev: Evaluation, columns: tuple[str, ...]) -> None:
        self.whole = ev
        self.columns = columns
        self._partition: RowPartition | TallyPartition | PoweredPartition = ev.partition(columns)
        self._keys = self._partition.keys
        if len(self._keys) > MAX_SLICES:
            raise too_many(len(self._keys), " x ".join(self.columns))
        self._index_of = {key: index for index, key in enumerate(self._keys)}
        self._evaluations: dict[int, Evaluation] = {}
        self._readings: dict[str, Any] = {}
        self._tested: dict[tuple[str, ...], list[list[Difference | None]]] = {}

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, key: Key) -> Evaluation:
        index = self._index_of[key]
        if index not in self._evaluations:
            self._evaluations[index] = self._evaluated(index)
        return self._evaluations[index]

    def _evaluated(self, index: int) -> Evaluation:
        settings = self.whole.settings
        slice_name = f"{' x '.join(self.columns)} = {label_text(self._keys[index])}"
        name = f"{settings.name}, {slice_name}" if settings.name else slice_name
        return self._partition.evaluation(index, dataclasses.replace(settings, name=name, by=()))

    @functools.cached_property
    def sizes(self) -> dict[Key, int]:
        """Number of rows of each slice; of ranked lists, number of lists."""
        return {key: ev.n for key, ev in self.items()}

    @functools.cached_property
    def shares(self) -> dict[Key, float]:
        """Share of the rows in each slice, by weight where rows have weights."""
        weights = [total_weight(ev) if self.whole.settings.weight else ev.n for ev in self.values()]
        total = math.fsum(weights)
        return {key: weight / total for key, weight in zip(self._keys, weights, strict=True)}

    @functools.cached_property
    def too_few(self) -> dict[Key, str]:
        """Slices that are not tested because they, or the rest, are too small, with the reason."""
        unit = "lists" if self.whole.task.name == "ranking" else "rows"
        if isinstance(self._partition, PoweredPartition):
            unit = f"labelled {unit}"
        counted = [(self.sizes, self._rests(self.sizes), _MIN_ROWS_TO_TEST, unit)]
        if self._grouped:
            inside, outside = (
                dict(zip(self._keys, counts, strict=True)) for counts in self._partition.groups()
            )
            counted.append((inside, outside, _MIN_GROUPS_TO_TEST, "groups"))
        small: dict[Key, str] = {}
        for own, others, minimum, what in counted:
            for key in self._keys:
                if own[key] < minimum:
                    small.setdefault(key, f"fewer than {minimum} {what}")
                elif others[key] < minimum:
                    small.setdefault(key, f"fewer than {minimum} {what} in the rest")
        return small

    @staticmethod
    def _rests(sizes: dict[Key, int]) -> dict[Key, int]:
        total = sum(sizes.values())
        return {key: total - size for key, size in sizes.items()}

    @property
    def _grouped(self) -> bool:
        """Whether rows are clustered and their groups are at hand."""
        return bool(self.whole.settings.group) and self.whole.stored_rows is not None

    def differences(self, metrics: Sequence[str] | str | None = None) -> dict[tuple[Key, str], Difference]:
        """Return each slice's difference from all other rows, by slice and metric: value less the rest's.

        Slices that are too small are left out. Their p-values are corrected as one family, by Holm.
        """
        names = self._names(metrics)
        if names not in self._tested:
            self._tested[names] = self._corrected(self._against_rest(names))
        return {
            (key, name): difference
            for name, by_slice in zip(names, self._tested[names], strict=True)
            for key, difference in zip(self._keys, by_slice, strict=True)
            if difference is not None
        }

    def _reading(self, name: str) -> Any:
        """Return a metric of all rows with the tally it reads, cached."""
        if name not in self._readings:
            self._readings[name] = self.whole.reading(name)
        return self._readings[name]

    def _names(self, metrics: Sequence[str] | str | None) -> tuple[str, ...]:
        if metrics is None:
            names = [name for name in default_metrics(self.whole.task.name, "slices") if name in self.whole]
            if self.whole.settings.beta is not None:
                names += [name for name in self.whole if name == f"f_{self.whole.settings.beta:g}"]
            return tuple(names)
        requested = [
            metric if isinstance(metric, str) else MetricSpec.of(metric).name
            for metric in listed_metrics(metrics)
        ]
        return tuple(dict.fromkeys(self._reading(name)[0].name for name in requested))

    def _against_rest(self, names: tuple[str, ...]) -> list[list[Difference | None]]:
        """Return the difference of each slice by metric; None for slices that are not tested."""
        differences: dict[str, list[Difference | None]] = {name: [None] * len(self) for name in names}
        # Each of two slices is the other's rest: one test serves both.
        tested = [index for index, key in enumerate(self._keys) if key not in self.too_few]
        tested = tested[: {1: 0, 2: 1}.get(len(self), len(self))]
        if self.whole.settings.group and not self._grouped:  # the tallies have no groups
            tested = []
        # Extremes, which grow as rows get fewer, and test statistics are shown but not compared.
        names = tuple(name for name in names if self._can_be_compared(name))
        if tested and names:
            for index, name, difference in (
                self._by_groups(names, tested) if self._grouped else self._by_tallies(names, tested)
            ):
                named = dataclasses.replace(difference, metric=name)
                if isinstance(self._partition, PoweredPartition):
                    spec = self._reading(name)[0]
                    part: Any = self[self._keys[index]]
                    named = self._partition.sharpen(index, part, spec, named)
                differences[name][index] = self._trusted(self._keys[index], named)
        return list(differences.values())

    def _can_be_compared(self, name: str) -> bool:
        return self._reading(name)[0].metric.kind not in ("statistic", "extreme")

    def _by_tallies(self, names: tuple[str, ...], tested: list[int]) -> Iterator[tuple[int, str, Difference]]:
        """Yield differences from tallies; metrics that read the same tally share the work."""
        readings: dict[tuple[int, ...], tuple[list[Tally], list[str]]] = {}
        for name in names:
            parts = [self[key].reading(name)[1] for key in self._keys]
            readings.setdefault(tuple(map(id, parts)), (parts, []))[1].append(name)
        for parts, together in readings.values():
            whole = self._reading(together[0])[1]
            for index, rest in zip(tested, leave_one_out_tallies(whole, parts, tested), strict=True):
                for name in together:
                    yield index, name, self._difference(index, name, parts[index], rest)

    def _difference(self, index: int, name: str, part: Tally, rest: Tally) -> Difference:
        """Return the difference of a slice from tallies, or from the rows where tallies are not enough."""
        spec, _, options, row_options = self._reading(name)
        common: dict[str, Any] = {
            "name": label_text(self._keys[index]),
            "confidence": self.whole.settings.confidence,
        }
        difference = against_rest(spec.metric, part, rest, **common, **options)
        if difference.method or isinstance(difference.difference, Undefined):
            return difference
        sides = self._partition.sides(index)
        if sides is None:  # there are no rows
            return difference
        own, others = (side.rows for side in sides)
        return against_rest(spec.metric, own, others, **common, **row_options)

    def _by_groups(self, names: tuple[str, ...], tested: list[int]) -> Iterator[tuple[int, str, Difference]]:
        """Yield differences of clustered rows."""
        rows: Any = self.whole.stored_rows
        groups = len(encode(rows.need("group", "slices of groups"))[1])
        for index in tested:
            sides = self._partition.sides(index)
            assert sides is not None  # noqa: S101 - there are rows
            for name in names:
                spec, _, _, row_options = self._reading(name)
                yield index, name, grouped_against_rest(
                    spec.metric, *sides, groups, name=label_text(self._keys[index]),
                    confidence=self.whole.settings.confidence, **row_options,
                )  # fmt: skip

    def _trusted(self, key: Key, difference: Difference | None) -> Difference | None:
        """Return the difference without a test where a class has very few rows to rank."""
        if difference is None or "scores" not in self.whole.tallies:
            return difference
        estimate = (
            self[key][difference.metric]
            if difference.metric in ("auc", "gini", "average_precision")
            else None
        )
        counts = [] if estimate is None else [estimate.positives, estimate.negatives]
        if not any(count is not None and count < _MIN_CLASS_ROWS_TO_TEST for count in counts):
            return difference
        few = Undefined(f"fewer than {_MIN_CLASS_ROWS_TO_TEST} rows of a class")
        return dataclasses.replace(difference, p_value=few, low=None, high=None)

    @staticmethod
    def _corrected(differences: list[list[Difference | None]]) -> list[list[Difference | None]]:
        """Return the differences with p-values corrected as one family (Holm)."""
        tested = [
            (i, j)
            for i, row in enumerate(differences)
            for j, difference in enumerate(row)
            if difference is not None and not isinstance(difference.p_value, Undefined)
        ]
        adjusted = holm([float(_p(differences[i][j])) for i, j in tested]).tolist() if tested else []
        for (i, j), p in zip(tested, adjusted, strict=True):
            difference = differences[i][j]
            assert difference is not None  # noqa: S101 - selected above
            differences[i][j] = dataclasses.replace(difference, adjusted=p, family=len(tested))
        return differences

    def report(self, metrics: Sequence[str] | str | None = None) -> SliceReport:
        """Return the contents of the table as plain data."""
        names = self._names(metrics)
        tested = self.differences(names)
        by = " x ".join(self.columns)
        lines = tuple(
            SliceLine(
                by, name, label_text(key), self.sizes[key], self.shares[key], self[key],
                self._mirrored(tested, key, name), self.too_few.get(key, ""),
            )
            for name in names
            for key in self._keys
        )  # fmt: skip
        family = max((difference.family for difference in tested.values()), default=0)
        unit = "lists" if self.whole.task.name == "ranking" else "rows"
        if isinstance(self._partition, PoweredPartition):
            unit = f"labelled {unit}"
        grouped = self.whole.settings.group
        return SliceReport(
            by, len(self), self.whole.n, f"{unit}{self._empty}",
            self.whole.settings.confidence,
            family if any(difference.adjusted is not None for difference in tested.values()) else 0,
            lines, grouped,
            self._partition.remark if isinstance(self._partition, PoweredPartition) else "",
        )  # fmt: skip

    @property
    def _empty(self) -> str:
        """Number of ranked lists without a relevant item, in brackets."""
        count = self.whole.empty_lists
        return f" ({count:,} without a relevant item)" if count else ""

    def _mirrored(self, tested: dict[tuple[Key, str], Difference], key: Key, name: str) -> Difference | None:
        """Return the difference of a slice; of two slices, the second's is the first's reversed."""
        if (key, name) in tested or len(self) != 2 or key in self.too_few:  # noqa: PLR2004
            return tested.get((key, name))
        (other,) = (slice_key for slice_key in self._keys if slice_key != key)
        difference = tested.get((other, name))
        return None if difference is None else reversed_difference(difference, label_text(key))

    def lines(self, metrics: Sequence[str] | str | None = None) -> list[dict[str, Any]]:
        """Return the table as plain data: a mapping for each slice and metric."""
        return [line.to_dict() for line in self.report(metrics).lines]

    def tables(self, metrics: Sequence[str] | str | None = None) -> list[ResultTable]:
        """Return the table: a row for each metric and slice."""
        return [line_table(self.report(metrics).lines)]

    def to_dict(self, metrics: Sequence[str] | str | None = None) -> dict[str, Any]:
        """Return plain data for JSON."""
        report = self.report(metrics)
        data = {
            "by": report.by,
            "n": report.n,
            "confidence": report.confidence,
            "family": report.family,
            "lines": [line.to_dict() for line in report.lines],
            "summary": self.summary,
        }
        return dict(json_safe(data))

    def to_frame(self, library: str | None = None, *, metrics: Sequence[str] | str | None = None) -> Any:
        """Return the table as a frame of the library that the rows came from, or of the one named."""
        return as_frame(self.tables(metrics)[0].flat(), self._library if library is None else library)

    @property
    def _library(self) -> str:
        return self.whole.settings.library

    def __repr__(self) -> str:
        return f"<{count_of(len(self), 'slice')} by {' x '.join(self.columns)}: {shown(self._keys, 6)}>"


def label_text(key: Key) -> str:
    """Return a slice's label as text; those of crossed columns are joined.

    >>> label_text(("north", 3))
    'north · 3'
    """
    return " · ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def reversed_difference(difference: Difference, name: str) -> Difference:
    """Return the difference of two slices from the other one's side."""
    low, high = (None if end is None else -end for end in (difference.high, difference.low))
    value = difference.difference if isinstance(difference.difference, Undefined) else -difference.difference
    return dataclasses.replace(
        difference, second=name, values=difference.values[::-1], difference=value, low=low, high=high
    )


def _p(difference: Difference | None) -> float:
    assert difference is not None  # noqa: S101 - selected above
    return float(difference.p_value)
