"""SlicesByColumn: an evaluation for each part of the rows, and each part held against the rest."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import ColumnError, InputError, MetricError, shown
from assay.evaluation.slices.partition import Key, cuts, weight_of
from assay.formatting.frame_output import as_frame
from assay.formatting.table import JOINED
from assay.inference.differences.slice_vs_rest import against_rest, grouped_against_rest
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.inputs import encode
from assay.inputs.discretize import MOST, too_many
from assay.metrics import Undefined
from assay.reports.text.slices import SliceLine, SliceReport, draw, sentences
from assay.tallies.leave_one_out import rests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.inference.differences.difference import Difference
    from assay.tallies import Tally

__all__ = ["SliceTable", "SlicesByColumn"]

# What a table of slices shows unless told: few, for each of them is tested for each slice.
_MAIN = {
    "binary": ("accuracy", "precision", "recall", "auc"),
    "multiclass": ("accuracy", "balanced_accuracy", "macro_f1", "macro_auc"),
    "ordinal": ("accuracy", "quadratic_weighted_kappa", "mean_absolute_rank_error"),
    "multilabel": ("subset_accuracy", "hamming_loss"),
    "regression": ("mae", "rmse", "mean_error"),
    "ranking": ("ndcg", "mean_average_precision", "mean_reciprocal_rank"),
}
_LEAST = 30  # rows, or ranked lists, below which a slice is not tested
_LEAST_GROUPS = 10
_LEAST_OF_A_CLASS = 10  # below which ranks of a class have no variance one could trust


class SlicesByColumn(Mapping[Any, "SliceTable"]):
    """The slices of an evaluation by each column of ``by=``, and by all of them crossed.

    ``slices["carrier"]`` and ``slices["carrier", "age"]`` are mappings from a slice's label, or labels, to
    its evaluation.
    """

    def __init__(self, ev: Evaluation) -> None:
        if not ev.settings.by:
            raise ColumnError("there is nothing to slice by: name one or more columns in evaluate(..., by=).")
        if ev.given is None and "slices" not in ev.tallies:
            raise InputError(
                "slices need the rows, or tallies of each slice, and this evaluation holds neither."
            )
        self._ev = ev
        self._columns = ev.settings.by
        self._made: dict[tuple[str, ...], SliceTable] = {}

    def __getitem__(self, key: str | tuple[str, ...]) -> SliceTable:
        names = (key,) if isinstance(key, str) else tuple(key)
        for name in names:
            if name not in self._columns:
                known = shown(self._columns)
                raise ColumnError(f"the rows are not sliced by {shown([name])}, but by {known}.")
        if not names or len(set(names)) < len(names):
            raise ColumnError(f"name each column once to cross their slices, not {list(names)}.")
        if names not in self._made:
            self._made[names] = SliceTable(self._ev, names)
        return self._made[names]

    def __contains__(self, key: object) -> bool:
        return key in list(self)

    def __iter__(self) -> Iterator[Any]:
        yield from self._columns
        if len(self._columns) > 1:
            yield self._columns

    def __len__(self) -> int:
        return len(list(iter(self)))

    def to_frame(self, metrics: Sequence[str] | str | None = None, *, library: str | None = None) -> Any:
        """Return the tables of all columns as one frame, of the rows' own library or of the one named."""
        lines = [line for slicing in self.values() for line in slicing.table(metrics)]
        return _framed(lines, self._ev, library)

    def __str__(self) -> str:
        return "\n\n".join(str(one) for one in self.values())

    def __repr__(self) -> str:
        said = ", ".join(f"{' x '.join(one.columns)} ({len(one)})" for one in self.values())
        return f"<slices by {said}>"


class SliceTable(Mapping[Any, "Evaluation"]):
    """One way to slice the rows: a mapping from label (of crossed columns: labels) to evaluation.

    It prints as a table: each slice's main metrics with their intervals, and how each slice differs from all
    other rows, with p-values corrected by Holm over all that is shown. Slices of fewer than 30 rows (lists,
    of ranked lists), or 10 groups, have their figures but are not tested.
    """

    def __init__(self, ev: Evaluation, columns: tuple[str, ...]) -> None:
        self.whole = ev
        self.columns = columns
        self._cuts = cuts(ev, columns)
        self._keys = self._cuts.keys
        if len(self._keys) > MOST:
            raise too_many(len(self._keys), " x ".join(self.columns))
        self._places = {key: place for place, key in enumerate(self._keys)}
        self._made: dict[int, Evaluation] = {}
        self._readings: dict[str, Any] = {}
        self._tested: dict[tuple[str, ...], list[list[Difference | None]]] = {}

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, key: Key) -> Evaluation:
        place = self._places[key]
        if place not in self._made:
            self._made[place] = self._evaluated(place)
        return self._made[place]

    def _evaluated(self, place: int) -> Evaluation:
        settings = self.whole.settings
        named = f"{' x '.join(self.columns)} = {label_text(self._keys[place])}"
        name = f"{settings.name}, {named}" if settings.name else named
        return self._cuts.evaluation(place, dataclasses.replace(settings, name=name, by=()))

    @functools.cached_property
    def sizes(self) -> dict[Key, int]:
        """How many rows each slice has; of ranked lists, how many lists."""
        return {key: ev.n for key, ev in self.items()}

    @functools.cached_property
    def shares(self) -> dict[Key, float]:
        """The share of the rows that each slice has, by weight where rows have weights."""
        held = [weight_of(ev) if self.whole.settings.weight else ev.n for ev in self.values()]
        total = math.fsum(held)
        return {key: one / total for key, one in zip(self._keys, held, strict=True)}

    @functools.cached_property
    def too_few(self) -> dict[Key, str]:
        """The slices that are not tested because they, or all others together, are too small, and why."""
        unit = "lists" if self.whole.task.name == "ranking" else "rows"
        counted = [(self.sizes, self._rests(self.sizes), _LEAST, unit)]
        if self._grouped:
            inside, outside = (dict(zip(self._keys, one, strict=True)) for one in self._cuts.groups())
            counted.append((inside, outside, _LEAST_GROUPS, "groups"))
        small: dict[Key, str] = {}
        for mine, others, least, what in counted:
            for key in self._keys:
                if mine[key] < least:
                    small.setdefault(key, f"fewer than {least} {what}")
                elif others[key] < least:
                    small.setdefault(key, f"fewer than {least} {what} in the rest")
        return small

    @staticmethod
    def _rests(sizes: dict[Key, int]) -> dict[Key, int]:
        total = sum(sizes.values())
        return {key: total - size for key, size in sizes.items()}

    @property
    def _grouped(self) -> bool:
        """Whether rows come in groups that are known."""
        return bool(self.whole.settings.group) and self.whole.cases is not None

    def differences(self, metrics: Sequence[str] | str | None = None) -> dict[tuple[Key, str], Difference]:
        """Return each slice's difference from all other rows, by slice and metric: value less the rest's.

        Slices that are too small are left out. Their p-values are corrected as one family, by Holm.
        """
        names = self._names(metrics)
        if names not in self._tested:
            self._tested[names] = self._corrected(self._against_rest(names))
        return {
            (key, name): one
            for name, found in zip(names, self._tested[names], strict=True)
            for key, one in zip(self._keys, found, strict=True)
            if one is not None
        }

    def _reading(self, name: str) -> Any:
        """Return what a figure of all rows is read from, made once."""
        if name not in self._readings:
            self._readings[name] = self.whole.reading(name)
        return self._readings[name]

    def _names(self, metrics: Sequence[str] | str | None) -> tuple[str, ...]:
        if metrics is None:
            kept = [name for name in _MAIN[self.whole.task.name] if name in iter(self.whole)]
            if self.whole.settings.beta is not None:
                kept += [name for name in self.whole if name == f"f_{self.whole.settings.beta:g}"]
            return tuple(kept)
        listed = (metrics,) if isinstance(metrics, str) else tuple(metrics)
        if not listed:
            raise MetricError("metrics= is empty: name at least one, or leave it out.")
        return tuple(dict.fromkeys(self._reading(name)[0].name for name in listed))

    def _against_rest(self, names: tuple[str, ...]) -> list[list[Difference | None]]:
        """Return each slice's difference, metric by metric; None for slices that are not tested."""
        found: dict[str, list[Difference | None]] = {name: [None] * len(self) for name in names}
        # Of two slices each is the other's rest: one test, not two.
        tested = [place for place, key in enumerate(self._keys) if key not in self.too_few]
        tested = tested[: {1: 0, 2: 1}.get(len(self), len(self))]
        if self.whole.settings.group and not self._grouped:  # tallies do not keep the groups
            tested = []
        # What only grows as rows get fewer, or is a test itself, is shown and not compared.
        names = tuple(name for name in names if self._can_be_compared(name))
        if tested and names:
            for place, name, one in (
                self._by_groups(names, tested) if self._grouped else self._by_tallies(names, tested)
            ):
                found[name][place] = self._trusted(self._keys[place], one)
        return list(found.values())

    def _can_be_compared(self, name: str) -> bool:
        return self._reading(name)[0].metric.kind not in ("statistic", "extreme")

    def _by_tallies(self, names: tuple[str, ...], tested: list[int]) -> Iterator[tuple[int, str, Difference]]:
        """Yield the differences by tallies; metrics that read the same ones are asked together."""
        readings: dict[tuple[int, ...], tuple[list[Tally], list[str]]] = {}
        for name in names:
            parts = [self[key].reading(name)[1] for key in self._keys]
            readings.setdefault(tuple(map(id, parts)), (parts, []))[1].append(name)
        for parts, together in readings.values():
            whole = self._reading(together[0])[1]
            for place, rest in enumerate(rests(whole, parts)):
                for name in together if place in tested else ():
                    yield place, name, self._difference(place, name, parts[place], rest)

    def _difference(self, place: int, name: str, part: Tally, rest: Tally) -> Difference:
        """Return a slice's difference by tallies, or by the rows where tallies say too little."""
        figure, _, options, asked = self._reading(name)
        told: dict[str, Any] = {
            "name": label_text(self._keys[place]),
            "confidence": self.whole.settings.confidence,
        }
        found = against_rest(figure.metric, part, rest, **told, **options)
        if found.method or isinstance(found.difference, Undefined):
            return found
        sides = self._cuts.sides(place)
        if sides is None:  # the tallies say all there is to say
            return found
        mine, others = (side.rows for side in sides)
        return against_rest(figure.metric, mine, others, **told, **asked)

    def _by_groups(self, names: tuple[str, ...], tested: list[int]) -> Iterator[tuple[int, str, Difference]]:
        """Yield the differences by rows that come in groups."""
        rows: Any = self.whole.cases
        groups = len(encode(rows.need("group", "slices of groups"))[1])
        for place in tested:
            sides = self._cuts.sides(place)
            assert sides is not None  # noqa: S101 - there are rows
            for name in names:
                figure, _, _, asked = self._reading(name)
                yield place, name, grouped_against_rest(
                    figure.metric, *sides, groups, name=label_text(self._keys[place]),
                    confidence=self.whole.settings.confidence, **asked,
                )  # fmt: skip

    def _trusted(self, key: Key, found: Difference | None) -> Difference | None:
        """Return a difference without a test where that rests on the ranks of very few rows of a class."""
        if found is None or "scores" not in self.whole.tallies:
            return found
        estimate = self[key][found.metric] if found.metric in ("auc", "gini", "average_precision") else None
        counts = [] if estimate is None else [estimate.positives, estimate.negatives]
        if not any(count is not None and count < _LEAST_OF_A_CLASS for count in counts):
            return found
        few = Undefined(f"fewer than {_LEAST_OF_A_CLASS} rows of a class")
        return dataclasses.replace(found, p=few, low=None, high=None)

    @staticmethod
    def _corrected(found: list[list[Difference | None]]) -> list[list[Difference | None]]:
        """Return the differences with their p-values corrected over all of them."""
        tested = [
            (i, j)
            for i, row in enumerate(found)
            for j, one in enumerate(row)
            if one is not None and not isinstance(one.p, Undefined)
        ]
        adjusted = holm([float(_p(found[i][j])) for i, j in tested]).tolist() if tested else []
        for (i, j), p in zip(tested, adjusted, strict=True):
            one = found[i][j]
            assert one is not None  # noqa: S101 - chosen so
            found[i][j] = dataclasses.replace(one, adjusted=p, family=len(tested))
        return found

    def report(self, metrics: Sequence[str] | str | None = None) -> SliceReport:
        """Return all that the table shows, as plain data."""
        names = self._names(metrics)
        tested = self.differences(names)
        lines = tuple(
            SliceLine(
                name, label_text(key), self.sizes[key], self.shares[key], self[key][name],
                self._mirrored(tested, key, name), self.too_few.get(key, ""),
            )
            for name in names
            for key in self._keys
        )  # fmt: skip
        family = max((one.family for one in tested.values()), default=0)
        unit = "lists" if self.whole.task.name == "ranking" else "rows"
        grouped = self.whole.settings.group
        return SliceReport(
            " x ".join(self.columns), len(self), self.whole.n, f"{unit}{self._empty}",
            self.whole.settings.confidence,
            family if any(one.adjusted is not None for one in tested.values()) else 0, lines, grouped,
        )  # fmt: skip

    @property
    def _empty(self) -> str:
        """How many of the ranked lists have nothing to find, in brackets."""
        count = self.whole.empty_lists
        return f" ({count:,} without a relevant item)" if count else ""

    def _mirrored(self, tested: dict[tuple[Key, str], Difference], key: Key, name: str) -> Difference | None:
        """Return a slice's difference; of two slices the second's is the first's turned round."""
        if (key, name) in tested or len(self) != 2 or key in self.too_few:  # noqa: PLR2004
            return tested.get((key, name))
        (other,) = (one for one in self._keys if one != key)
        found = tested.get((other, name))
        return None if found is None else turned(found, label_text(key))

    def table(self, metrics: Sequence[str] | str | None = None) -> list[dict[str, Any]]:
        """Return the table as plain data: a mapping for each slice and metric."""
        return [{"by": " x ".join(self.columns), **one.to_dict()} for one in self.report(metrics).lines]

    def to_frame(self, metrics: Sequence[str] | str | None = None, *, library: str | None = None) -> Any:
        """Return the table as a frame of the library that the rows came from, or of the one named."""
        return _framed(self.table(metrics), self.whole, library)

    @property
    def summary(self) -> str:
        """Which slice is worst, or that none can be told from the rest, in a sentence."""
        return " ".join(sentences(self.report())).replace(JOINED, " ")

    def text(self, metrics: Sequence[str] | str | None = None, *, width: int = 80) -> str:
        """Return the table and the sentence below it, in lines of at most so many columns."""
        return draw(self.report(metrics), width=width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{len(self)} slices by {' x '.join(self.columns)}: {shown(self._keys, 6)}>"


def _framed(lines: list[dict[str, Any]], ev: Evaluation, library: str | None) -> Any:
    columns = {name: [line[name] for line in lines] for name in lines[0]}
    return as_frame(columns, ev.settings.library if library is None else library)


def label_text(key: Key) -> str:
    """Return a slice's label as text; those of crossed columns are joined.

    >>> label_text(("north", 3))
    'north · 3'
    """
    return " · ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def turned(found: Difference, name: str) -> Difference:
    """Return the difference of two slices seen from the other one."""
    low, high = (None if end is None else -end for end in (found.high, found.low))
    value = found.difference if isinstance(found.difference, Undefined) else -found.difference
    return dataclasses.replace(
        found, second=name, values=found.values[::-1], difference=value, low=low, high=high
    )


def _p(found: Difference | None) -> float:
    assert found is not None  # noqa: S101 - chosen so
    return float(found.p)
