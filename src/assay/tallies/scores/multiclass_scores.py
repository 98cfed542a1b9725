"""The class-score tally: per class its column of scores, with the rows of every class at each."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from assay import kernels
from assay.errors import ColumnError, LabelError, MergeError, shown
from assay.hints import param
from assay.inputs import need_rows
from assay.inputs.columns import doubles
from assay.inputs.labels import Label, Labels, check_declared, encode, translate
from assay.tallies.scores.scores import Scores, fits_float32, narrowed
from assay.tallies.tally import Tally, frozen, merge, no_values, require

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["ClassConcordance", "ClassScores"]

_EXACT_FLOAT = 1 << 53  # up to which every whole number is a float
_EXACT_INTEGER = 1 << 63


class ClassConcordance(NamedTuple):
    """How the rows of one class rank above those of another, class by class of either.

    ``above[i, j]`` over ``pairs[i, j]`` is the area under the ROC curve of class i against class j by the
    column of class i. Without weights both are whole numbers: twice the pairs of rows in which the row of
    class i scores higher, a tie counting half, and twice all pairs. They are floats where that is exact,
    else integers. With weights, ``above`` is the share of class i that scores above a row of class j,
    added over those rows times their weights, and ``pairs`` is the sum of the weights.
    """

    above: Array
    pairs: Array


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Tally, kind="class scores"):
    """Scores of several classes: the distinct (score, class, weight) of each class's column, and how often.

    Column c holds the scores for label c; its entries are those from ``offsets[c]`` to ``offsets[c + 1]``,
    in order. ``classes`` is the index of the label that is true of the rows. Weights are None where every
    weight is 1. Any two classes, one against the rest or all pooled are a :class:`~assay.Scores`.

    State: one entry per distinct (score, class) of each column, so up to 10 bytes a row and class.

    Examples
    --------
    >>> import assay
    >>> scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.4, 0.2]]
    >>> tally = assay.ClassScores.of(assay.rows(actual=["a", "b", "c", "a"], score=scores))
    >>> tally.labels, tally.n
    (('a', 'b', 'c'), 4)
    >>> tally.against_rest("b").positives
    array([0, 0, 0, 1], dtype=uint8)
    """

    labels: Labels = ()
    offsets: Array = no_values(np.int64, 1)
    scores: Array = no_values(np.float32)
    classes: Array = no_values(np.uint8)
    weights: Array | None = None
    counts: Array = no_values(np.uint8)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows with actual labels and a column of scores per class."""
        actual = need_rows(rows).need("actual", "a class-score tally")
        score = rows.need("score", "a class-score tally")
        score.refuse_missing()
        if not len(rows):
            return cls()
        if score.values.ndim == 1 or rows.labels is None:
            raise ColumnError(
                f"{score.name} is one column: pass one per class, in the order of {param('labels')}; "
                "or judge one class against the rest (assay.Scores)."
            )
        codes, own = encode(actual)
        check_declared(actual, codes, own, rows.labels)
        classes = translate(own, rows.labels)[codes]
        weight = None if rows.weight is None else rows.weight.values
        pairs = _Pairs.of(classes, weight)
        no_rows = np.zeros(len(rows), dtype=np.uint8)
        columns = []
        for column in range(len(rows.labels)):
            values = np.ascontiguousarray(doubles(score.values[:, column]))
            scores, pair, _, counts, bad_row = kernels.order_pairs(values, pairs.numbers, no_rows)
            if bad_row >= 0:
                score.raise_missing(bad_row)
            columns.append((scores, pair, counts))
        tally = cls._canonical(rows.labels, pairs, columns)
        tally.__dict__["n"] = len(rows)
        return tally

    @classmethod
    def _canonical(cls, labels: Labels, pairs: _Pairs, columns: list[tuple[Array, Array, Array]]) -> Self:
        """Return the tally of each column's ordered scores, numbers of pairs, and counts."""
        scores, numbers, counts = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        classes, weights = pairs.at(numbers)
        return cls(
            labels,
            frozen(np.cumsum([0, *(len(column[0]) for column in columns)], dtype=np.int64)),
            narrowed(scores),
            frozen(classes.astype(_smallest(len(labels) - 1))),
            None if weights is None or (weights == 1).all() else frozen(weights),
            frozen(counts.astype(_smallest(counts.max(initial=0)))),
        )

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if not len(self.labels) or not len(other.labels):
            return other if len(other.labels) else self
        if self.labels != other.labels:
            raise MergeError(
                f"one tally's columns are of {shown(self.labels)}, the other's of {shown(other.labels)}."
            )
        left, right = self._pairs(), other._pairs()
        pairs = left.joined(right)
        sides = [(side, pairs.numbers_of(own)) for side, own in ((self, left), (other, right))]
        columns = []
        for column in range(len(self.labels)):
            arguments: list[Array] = []
            for side, numbers in sides:
                entries = slice(side.offsets[column], side.offsets[column + 1])
                counts = side.counts[entries]
                arguments += [doubles(side.scores[entries]), numbers[entries], np.zeros_like(counts), counts]
            scores, number, _, total = kernels.merge_pairs(*arguments)
            columns.append((scores, number, total))
        # True and False beside 1 and 0 count as those.
        labels = self.labels if type(self.labels[0]) is int else other.labels
        return self._canonical(labels, pairs, columns)

    def _pairs(self) -> _Pairs:
        return _Pairs.of(self.classes, self.weights)

    @functools.cached_property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.counts[: self.offsets[min(1, len(self.labels))]].sum())

    @functools.cached_property
    def class_weights(self) -> Array:
        """How many rows each class has, or what they weigh."""
        column = slice(0, self.offsets[min(1, len(self.labels))])
        mass = self.counts[column] * (1 if self.weights is None else self.weights[column])
        return np.bincount(self.classes[column], mass, minlength=len(self.labels))

    def against_rest(self, label: Label) -> Scores:
        """Return one class against all others, by its own column of scores."""
        column = self._index_of(label)
        return self._binary(column, np.ones(len(self.labels), dtype=bool), label)

    def pair(self, label: Label, other: Label) -> Scores:
        """Return one class against one other, by the first one's column of scores."""
        column = self._index_of(label)
        chosen = np.zeros(len(self.labels), dtype=bool)
        chosen[[column, self._index_of(other)]] = True
        return self._binary(column, chosen, label)

    def pooled(self) -> Scores:
        """Return all columns as one: each row counts once per class, as positive for its own."""
        if not self.labels:
            return Scores()
        everyone = np.ones(len(self.labels), dtype=bool)
        return merge(self._binary(column, everyone, 1) for column in range(len(self.labels)))

    def concordance(self) -> ClassConcordance:
        """Return what the ranks of every two classes add up to, by the column of one of them.

        One search per column: with K classes and n rows the cost is that of K n entries, not of K squared.
        """
        return self.cached("concordance", lambda: _concordance(self))  # type: ignore[no-any-return]

    def _index_of(self, label: Label) -> int:
        if label not in self.labels:
            raise LabelError(f"the label {shown([label])} is not among {shown(self.labels)}.")
        return self.labels.index(label)

    def _binary(self, column: int, chosen: Array, label: Label) -> Scores:
        """Return a column's rows of its own class as positive, of the other chosen classes as negative."""
        within = slice(self.offsets[column], self.offsets[column + 1])
        in_chosen = slice(None) if chosen.all() else chosen[self.classes[within]]
        scores, own = self.scores[within][in_chosen], self.classes[within][in_chosen] == column
        counts = self.counts[within][in_chosen]
        weights = None if self.weights is None else self.weights[within][in_chosen]
        if not len(scores):
            return Scores(label)
        if weights is not None and (weights == 1).all():
            weights = None
        first = np.ones(len(scores), dtype=bool)  # of its score, and of its weight where there are several
        if weights is None:
            np.not_equal(scores[1:], scores[:-1], out=first[1:])
        else:  # entries are in the order of their class before that of their weight
            order = np.lexsort((weights, scores))
            scores, own, counts, weights = (x[order] for x in (scores, own, counts, weights))
            first[1:] = (scores[1:] != scores[:-1]) | (weights[1:] != weights[:-1])
        starts = np.flatnonzero(first)
        sides = [np.add.reduceat(np.where(side, counts, 0), starts, dtype=np.uint64) for side in (own, ~own)]
        smallest = _smallest(max(side.max() for side in sides))
        positives, negatives = (frozen(side.astype(smallest)) for side in sides)
        entry_weights = None if weights is None else frozen(weights[starts])
        return Scores(label, narrowed(scores[starts]), entry_weights, positives, negatives)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        size, entries = len(self.labels), len(self.scores)
        require(type(self.labels) is tuple and len(set(self.labels)) == size, "a label twice")
        kinds = {type(label) for label in self.labels}
        require(len(kinds) <= 1 and kinds <= {str, int, bool}, "labels of several kinds")
        require(self.offsets.dtype == np.int64 and self.offsets.shape == (size + 1,), "wrong offsets")
        require(self.offsets[0] == 0 and self.offsets[-1] == entries, "offsets beyond the entries")
        require((np.diff(self.offsets) > 0).all(), "a column without rows")
        require(self.scores.dtype in (np.float32, np.float64) and self.scores.ndim == 1, "wrong scores")
        require(not np.isnan(self.scores).any(), "a score is not a number")
        require(self.scores.dtype == np.float32 or not fits_float32(self.scores), "scores too wide")
        for values, largest in ((self.classes, max(size - 1, 0)), (self.counts, self.counts.max(initial=0))):
            require(values.shape == (entries,) and values.dtype == _smallest(largest), "wrong entries")
        require((self.classes < max(size, 1)).all() and (self.counts > 0).all(), "an entry without rows")
        if self.weights is not None:
            require(self.weights.dtype == np.float64 and self.weights.shape == (entries,), "wrong weights")
            require((self.weights > 0).all() and np.isfinite(self.weights).all(), "a weight out of range")
            require((self.weights != 1).any(), "weights that are all 1")
        self._check_columns()

    def _check_columns(self) -> None:
        """Raise ValueError unless the columns are in order and hold the same rows."""
        weights = np.ones(len(self.scores)) if self.weights is None else self.weights
        first = None
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            keys = self.scores[start:stop], self.classes[start:stop], weights[start:stop]
            rising, same = np.zeros(stop - start - 1, dtype=bool), np.ones(stop - start - 1, dtype=bool)
            for key in keys:
                rising |= same & (key[1:] > key[:-1])
                same &= key[1:] == key[:-1]
            require(rising.all(), "entries out of order")
            pairs, inverse = np.unique(np.stack(keys[1:]), axis=1, return_inverse=True)
            rows = pairs.tolist(), np.bincount(inverse.ravel(), self.counts[start:stop]).tolist()
            require(first is None or rows == first, "columns of different rows")
            first = rows


@dataclasses.dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of a class and a weight, numbered in order: the second key of the kernels, which take two."""

    numbers: Array
    classes: Array
    weights: Array | None
    distinct: Array | None = None

    @classmethod
    def of(cls, classes: Array, weights: Array | None, distinct: Array | None = None) -> _Pairs:
        if weights is None:
            return cls(classes.astype(np.float64), classes, None)
        if distinct is None:
            distinct = np.unique(weights)
        numbers = classes.astype(np.int64) * len(distinct) + np.searchsorted(distinct, weights)
        return cls(numbers.astype(np.float64), classes, weights, distinct)

    def joined(self, other: _Pairs) -> _Pairs:
        """Return a numbering for both sides' pairs."""
        if self.weights is None is other.weights:
            return self
        sides = [np.ones(1) if side.distinct is None else side.distinct for side in (self, other)]
        return dataclasses.replace(self, distinct=np.unique(np.concatenate(sides)))

    def numbers_of(self, other: _Pairs) -> Array:
        """Return another side's pairs by this numbering."""
        if self.distinct is None:
            return other.numbers
        weights = np.ones(len(other.classes)) if other.weights is None else other.weights
        return _Pairs.of(other.classes, weights, self.distinct).numbers

    def at(self, numbers: Array) -> tuple[Array, Array | None]:
        """Return the classes and the weights of pairs by their numbers."""
        integers = numbers.astype(np.int64)
        if self.distinct is None:
            return integers, None
        classes, weight_indices = np.divmod(integers, len(self.distinct))
        return classes, self.distinct[weight_indices]


def _smallest(largest: Any) -> np.dtype[Any]:
    return np.min_scalar_type(int(largest))


def _concordance(tally: ClassScores) -> ClassConcordance:
    size, largest = len(tally.labels), 2 * tally.n**2  # what no sum of pairs is above
    weighted = tally.weights is not None
    kind: Any = np.float64 if weighted else np.int64 if largest < _EXACT_INTEGER else object
    floats = weighted or largest < _EXACT_FLOAT
    above, pairs = (np.zeros((size, size), dtype=np.float64 if floats else kind) for _ in range(2))
    for column in range(size):
        within = slice(tally.offsets[column], tally.offsets[column + 1])
        scores, classes, rows = tally.scores[within], tally.classes[within], tally.counts[within].astype(kind)
        if tally.weights is not None:
            rows *= tally.weights[within]
        own = classes == column
        reached = np.concatenate([np.zeros(1, dtype=kind), np.cumsum(rows[own])])
        total = reached[-1]
        if not total:
            continue
        below, through = (reached[np.searchsorted(scores[own], scores, side)] for side in ("left", "right"))
        if weighted:  # both are the same numbers where all of the class is above: then the area is exactly 1
            terms = rows * ((total - through + (through - below) / 2) / total), rows
        else:
            terms = rows * (2 * total - through - below), rows * (2 * total)
        for sums, values in zip((above, pairs), terms, strict=True):
            if floats:
                sums[column] = np.bincount(classes, values, minlength=size)
            else:
                np.add.at(sums[column], classes, values)
    return ClassConcordance(above, pairs)
