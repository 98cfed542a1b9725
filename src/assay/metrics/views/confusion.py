"""Views of a confusion tally: one class against the rest, all classes at once, and ordered classes."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import LabelError, shown
from assay.hints import param
from assay.metrics.arithmetic import floats, mild, ratio
from assay.metrics.averaging import averaged
from assay.metrics.exact import Exact
from assay.metrics.metric import need_tally
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.metric import Metric
    from assay.metrics.undefined import Value

__all__ = [
    "LARGEST_TABLE",
    "Binary",
    "Classes",
    "Ordered",
    "apart",
    "default_positive",
    "effective_rows",
    "refuse_unordered",
]

_SQUARE_FITS = 1 << 31  # rows whose number squared fits 64 bits
LARGEST_TABLE = 1 << 27  # cells
_NUMERIC_PAIRS = ({0, 1}, {-1, 1})


@dataclasses.dataclass(frozen=True, slots=True)
class Binary:
    """One class against the rest: true and false positives, false and true negatives.

    Each is a number, or an array with one entry per class, cutoff or replicate.
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any

    tally = Confusion
    title = "one class against the rest"
    needs = "labels"

    @classmethod
    def of(cls, tally: Confusion | LabelSets, *, positive: Any = None) -> Self:
        """Return the counts for one label; it need not be stated where the labels are 0/1 or the like."""
        if isinstance(tally, LabelSets):
            return cls._of_sets(tally, positive)
        need_tally(tally, Confusion)
        key = (cls, type(positive), positive)
        if key not in tally.cache:
            tally.cache[key] = cls._of_table(tally, positive)
        return tally.cache[key]  # type: ignore[no-any-return]

    @classmethod
    def _of_table(cls, tally: Confusion, positive: Any) -> Self:
        labels = tally.labels
        if positive is None:
            positive = default_positive(labels)
        elif positive not in labels:
            raise LabelError(f"the positive label {shown([positive])} is not among {shown(labels)}.")
        index = labels.index(positive) if positive in labels else -1
        if index < 0:
            return cls(0, 0, 0, _table(tally).sum().item())
        if len(labels) == 2:  # noqa: PLR2004 - each count is a cell
            table, other = _table(tally), 1 - index
            cells = table[index, index], table[other, index], table[index, other], table[other, other]
            return cls(*(cell.item() for cell in cells))
        return cls(*(column[index].item() for column in tally.each_against_rest()))

    @classmethod
    def _of_sets(cls, tally: LabelSets, label: Any) -> Self:
        """Return the counts of one label of rows that may have several."""
        if label not in tally.labels:
            stated = "" if label is None else f", and {shown([label])} is none of them"
            raise LabelError(
                f"the labels are {shown(tally.labels)}{stated}: name one with {param('positive')}, "
                f"or average over all of them with {param('average', 'macro', 'micro', 'weighted')}."
            )
        each, index = cls.each(tally), tally.labels.index(label)
        return cls(*(x[index].item() for x in (each.tp, each.fp, each.fn, each.tn)))

    @classmethod
    def each(cls, tally: Confusion | LabelSets) -> Binary:
        """Return the counts of every label, as arrays."""
        if isinstance(tally, LabelSets):
            n, _, tp, fp, fn = tally.split(None if tally.weights is None else mild(tally.weight()))
            return Binary(tp, fp, fn, n - tp - fp - fn)
        need_tally(tally, Confusion)
        counts = tally.each_against_rest()
        if tally.weights is None and tally.n >= _SQUARE_FITS:
            return Binary(*(column.astype(object) for column in counts))
        return Binary(*counts)

    @staticmethod
    def averaged(
        metric: Metric,
        tally: Confusion | LabelSets,
        average: str,
        parameters: dict[str, Any],
        undefined: Any = "strict",
    ) -> Value:
        """Return a metric's average over the labels."""
        return averaged(
            metric, Binary.each(tally), average, parameters, names=tally.labels, undefined=undefined
        )

    @property
    def positives(self) -> Any:
        """Number of actual positives."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        """Number of actual negatives."""
        return self.tn + self.fp

    @property
    def predicted_positives(self) -> Any:
        """Number of predicted positives."""
        return self.tp + self.fp

    @property
    def predicted_negatives(self) -> Any:
        """Number of predicted negatives."""
        return self.tn + self.fn

    @property
    def n(self) -> Any:
        """Number of rows."""
        return self.tp + self.fp + self.fn + self.tn

    def classes(self) -> Classes:
        """Return the same as tables of two classes, the negative first, for metrics of all classes."""
        cells = np.stack([np.stack([self.tn, self.fp]), np.stack([self.fn, self.tp])])
        return Classes(np.moveaxis(cells, (0, 1), (-2, -1)))  # each cell contiguous in memory: quick to add


@dataclasses.dataclass(frozen=True)
class Classes:
    """All classes at once: a table whose rows are actual and whose columns are predicted.

    The table's last two axes are the classes; axes before them hold cutoffs or replicates. ``effective`` is
    Kish's effective number of rows, None where that is the table's sum.
    """

    table: NDArray[Any]
    effective: Any = None

    tally = Confusion
    title = "all classes at once"
    needs = "labels"

    @classmethod
    def of(cls, tally: Confusion) -> Self:
        """Return the full table of a tally, weighted where the rows are."""
        need_tally(tally, Confusion)
        if cls not in tally.cache:
            tally.cache[cls] = cls._of_table(tally)
        return tally.cache[cls]  # type: ignore[no-any-return]

    @classmethod
    def _of_table(cls, tally: Confusion) -> Self:
        if len(tally.labels) ** 2 > LARGEST_TABLE:
            return _many_classes(cls, tally)  # type: ignore[no-any-return]
        table = _table(tally)
        if table.dtype == np.int64 and tally.n >= _SQUARE_FITS:
            table = table.astype(object)  # Python's integers, so that n squared stays exact
        return cls(table, effective_rows(tally))

    def against_rest(self) -> Binary:
        """Return each class against the rest, the classes as the last axis."""
        tp, fp, fn = self.hits, self.misses.sum(-2), self.misses.sum(-1)
        if self._rounds:
            return Binary(tp, fp, fn, _without_each(self.table))
        return Binary(tp, fp, fn, np.asarray(self.n)[..., None] - tp - fn - fp)

    @functools.cached_property
    def actual(self) -> NDArray[Any]:
        """Number of rows of each actual class."""
        return np.asarray(self.table.sum(-1))

    @functools.cached_property
    def predicted(self) -> NDArray[Any]:
        """Number of rows of each predicted class."""
        return np.asarray(self.table.sum(-2))

    @property
    def hits(self) -> NDArray[Any]:
        """Number of correctly predicted rows of each class."""
        return np.diagonal(self.table, axis1=-2, axis2=-1)

    @property
    def recalls(self) -> NDArray[Any]:
        """Recall of each class, NaN for a class without rows."""
        return np.asarray(ratio(self.hits, self.actual))

    @functools.cached_property
    def misses(self) -> NDArray[Any]:
        """The table without its diagonal."""
        rows, columns = self.table.shape[-2:]
        return np.where(np.arange(rows)[:, None] == np.arange(columns), 0, self.table)

    @functools.cached_property
    def correct(self) -> Any:
        """Number of rows predicted correctly."""
        return self.hits.sum(-1)

    @functools.cached_property
    def wrong(self) -> Any:
        """Number of rows predicted incorrectly."""
        return self.misses.sum((-2, -1)) if self._rounds else self.n - self.correct

    @functools.cached_property
    def n(self) -> Any:
        """Number of rows."""
        return self.correct + self.wrong if self._rounds else self.table.sum((-2, -1))

    @property
    def rows(self) -> Any:
        """Number of rows, a constant in derivatives; with weights, Kish's (1965) effective number."""
        return np.real(floats(self.n)) if self.effective is None else self.effective

    @property
    def _rounds(self) -> bool:
        """Whether these are sums of weights, whose differences would have rounding errors."""
        return self.table.dtype.kind == "f"

    @property
    def size(self) -> int:
        """Number of classes."""
        return int(self.table.shape[-1])

    @functools.cached_property
    def chance(self) -> NDArray[Any]:
        """Expected table if truth and prediction were independent, times n."""
        return np.asarray(self.actual[..., :, None] * self.predicted[..., None, :])

    @functools.cached_property
    def chance_correct(self) -> Any:
        """Expected number of correct rows by chance alone, times n."""
        return (self.actual * self.predicted).sum(-1)

    @functools.cached_property
    def chance_wrong(self) -> Any:
        """Expected number of incorrect rows by chance alone, times n."""
        return apart(self.actual, self.predicted)

    @property
    def beyond_chance(self) -> Any:
        """Number of correct rows beyond those expected by chance alone, times n.

        Computed from the incorrect rows, so that it equals `chance_wrong` exactly where there are none.
        """
        return self.chance_wrong - self.wrong * self.n


def _many_classes(view: type[Any], tally: Confusion) -> Any:
    """Return a view of too many classes for a full table, from its diagonal and margins."""

    class ManyClasses(view):  # type: ignore[misc]
        """All classes at once, by diagonal and margins; the tally refuses what reads the cells."""

        def __init__(self) -> None:
            counts = Binary.each(tally)
            self.__dict__.update(
                _hits=counts.tp,
                actual=counts.positives,
                predicted=counts.predicted_positives,
                wrong=counts.fp.sum(),
                effective=effective_rows(tally),
            )
            self.__dict__["n"] = self.correct + self.wrong

        @property
        def table(self) -> NDArray[Any]:
            return _table(tally)

        @property
        def hits(self) -> NDArray[Any]:
            return np.asarray(self.__dict__["_hits"])

        @property
        def _rounds(self) -> bool:
            return tally.weights is not None

        @property
        def size(self) -> int:
            return len(tally.labels)

        def against_rest(self) -> Binary:
            return Binary.each(tally)

    return ManyClasses()


class Ordered(Classes):
    """All classes at once, where their order matters: low, middle, high.

    Numbers are in their own order. Words are not ("high" sorts before "low"), so three or more of them need
    their order stated: ``assay.rows(..., labels=["low", "middle", "high"])``.
    """

    title = "ordered classes"

    @classmethod
    def of(cls, tally: Confusion) -> Self:
        """Return the full table of a tally whose labels have a known order."""
        view = super().of(tally)
        if not tally.declared:
            refuse_unordered(tally.labels)
        return view


def refuse_unordered(labels: tuple[Any, ...]) -> None:
    """Raise where labels are words, whose order is unknown; of two either order will do."""
    if len(labels) > 2 and isinstance(labels[0], str):  # noqa: PLR2004
        raise LabelError(
            f"the labels {shown(labels)} have no order of their own: "
            f"state it, lowest first, with {param('labels')} where the rows are read."
        )


def effective_rows(tally: Confusion) -> float | None:
    """Return Kish's (1965) effective number of rows of a tally; None without weights."""
    if tally.weights is None:
        return None
    weight, squares = (exact_sum.total() for exact_sum in tally.sums()[:2])
    return float(Exact.of(weight) * Exact.of(weight) / Exact.of(squares))


def apart(first: NDArray[Any], second: NDArray[Any]) -> Any:
    """Return the number of pairs, one from each margin, of different classes.

    All other classes are added up from both ends and nothing is subtracted, so that it is exactly 0 where one
    class has all rows, and accurate where one has nearly all.
    """
    others = np.zeros_like(second)
    others[..., 1:] += second.cumsum(-1)[..., :-1]
    others[..., :-1] += second[..., ::-1].cumsum(-1)[..., ::-1][..., 1:]
    return (first * others).sum(-1)


def _without_each(table: NDArray[Any]) -> NDArray[Any]:
    """Return for each class the sum of the table without the class's row and column.

    The four remaining corners are summed from their own end, so that nothing is subtracted.
    """
    size = table.shape[-1]
    before = np.arange(size)
    after = before[::-1]
    total = np.zeros((), dtype=table.dtype)
    for rows, columns in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        sums = np.zeros((*table.shape[:-2], size + 1, size + 1), dtype=table.dtype)
        sums[..., 1:, 1:] = table[..., ::rows, ::columns].cumsum(-2).cumsum(-1)
        total = total + sums[..., before if rows > 0 else after, before if columns > 0 else after]
    return total


def _table(tally: Confusion) -> NDArray[Any]:
    return np.asarray(tally.table() if tally.weights is None else mild(tally.table(tally.weight())))


def default_positive(labels: tuple[Any, ...]) -> Any:
    """Return the label that is positive where none is stated: 1 or True; raise for all others."""
    if any(set(labels) <= pair for pair in _NUMERIC_PAIRS):
        return True if labels and isinstance(labels[0], bool) else 1
    raise LabelError(
        f"the labels are {shown(labels)}: say which one is positive with {param('positive')}, "
        f"or average over all of them with {param('average', 'macro', 'micro', 'weighted')}."
    )
