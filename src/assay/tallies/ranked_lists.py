"""Query tally: the gain at every rank of every list, from which any ranking metric at any k follows."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from assay import kernels
from assay.errors import (
    ColumnError,
    LabelError,
    LengthError,
    MergeError,
    MissingValueError,
    NumberError,
    TallyError,
    shown,
)
from assay.formatting.numbers import count_of
from assay.hints import param, passed
from assay.inputs import Column, Label, column, encode, need_rows
from assay.inputs.labels import label_union, same_kind
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["ListScores", "Queries"]

_NOT_RETRIEVED = "Documents that were judged but not retrieved have a score of minus infinity."


class ListScores(NamedTuple):
    """Sums over the first k ranks of every list, one number per query; averaged over the order of ties.

    ``hits`` counts relevant items, ``precision_sum`` adds P@i over the ranks i of relevant items,
    ``precision_mean_sum`` adds P@i over all k ranks (P@i over a shorter list divides by its length),
    ``reciprocal_rank`` is 1 over the rank of the first relevant item, ``hit`` is 1 if there is one; gains are
    discounted by log2(i + 1).
    """

    hits: Array
    precision_sum: Array
    precision_mean_sum: Array
    reciprocal_rank: Array
    dcg_linear: Array
    dcg_exponential: Array
    ideal_dcg_linear: Array
    ideal_dcg_exponential: Array
    hit: Array


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Queries(Tally, kind="queries"):
    """Ranked lists: the gain at every rank, which ranks are tied, and the gains of the ideal order.

    Queries with names are sorted by name, and a name may occur in one shard only; lists without names are
    sorted by content, so that the result does not depend on the order of rows.

    State: nine bytes per rank and eight per relevant item.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Queries.of_lists(actual=[[1, 2, 3], [2, 3]], predicted=[[0, 1, 2], [2, 3, 4, 0]])
    >>> tally.at(k=2).hits
    array([1., 2.])
    """

    names: tuple[Label, ...] | None = None
    offsets: Array = no_values(np.int64, 1)
    gains: Array = no_values(np.float64)
    tied: Array = no_values(np.uint8)
    ideal_offsets: Array = no_values(np.int64, 1)
    ideal_gains: Array = no_values(np.float64)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows with a query, a score and an actual gain (0: not relevant).

        A row whose score is minus infinity was not retrieved: it has no rank in the list, but counts among
        the relevant items and in the ideal order.

        >>> import assay
        >>> rows = assay.rows(query=["q"] * 3, actual=[1, 3, 0], score=[0.7, -np.inf, 0.2])
        >>> tally = Queries.of(rows)
        >>> tally.lengths.tolist(), tally.relevant.tolist(), tally.ideal_gains.tolist()
        ([2], [2], [3.0, 1.0])
        """
        query = need_rows(rows).need("query", "a query tally")
        if rows.weight is not None:
            raise TallyError(f"ranked lists take no weights: leave out {param('weight')}.")
        gain = rows.need("actual", "a query tally")
        score = rows.need("score", "a query tally")
        gains = gain.float64("gains")
        scores = score.numbers("scores")
        gain.refuse_missing()
        _refuse_missing_score(score)
        if not len(rows):
            return cls()
        codes, names = encode(query)
        offsets, order = kernels.order_groups(codes, len(names))
        ranked, tied, ideal, ideal_offsets, _, bad_row = kernels.rank_rows(
            offsets, scores[order], gains[order]
        )
        if bad_row >= 0:
            _refuse_row(gain, score, int(order[bad_row]))
        not_retrieved = np.isneginf(scores)
        if not_retrieved.any():  # they are ranked last: cut the lists before them
            lengths = np.bincount(codes[~not_retrieved], minlength=len(names))
            ranks = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
            retrieved = ranks < np.repeat(lengths, np.diff(offsets))
            ranked, tied = ranked[retrieved], tied[retrieved]
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(names, *map(frozen, (offsets, ranked, tied, ideal_offsets, ideal)))

    @classmethod
    def of_lists(cls, *, actual: Sequence[Any], predicted: Sequence[Any], query: Any = None) -> Self:
        """Return the tally of lists: for each query the relevant items, and the predicted items, best first.

        Relevant items are a list, or a mapping from item to gain for graded relevance. An item predicted
        twice counts at its first rank only.

        >>> tally = Queries.of_lists(actual=[{"a": 3, "b": 1, "c": 0}], predicted=[["b", "c", "d"]])
        >>> tally.gains, tally.ideal_gains
        (array([1., 0., 0.]), array([3., 1.]))
        """
        actual, predicted = _as_list(actual, "actual"), _as_list(predicted, "predicted")
        if len(actual) != len(predicted):
            raise LengthError(
                f"actual has {count_of(len(actual), 'list')}, predicted has {len(predicted):,}."
            )
        if any(isinstance(relevant_items, Mapping) for relevant_items in actual):
            return cls._of_graded(actual, predicted, query)
        relevant_items, relevant_offsets = _flatten(actual, "actual")
        predicted_items, offsets = _flatten(predicted, "predicted")
        codes, split = _encode_items(relevant_items, predicted_items)
        gains, relevant = kernels.match_lists(relevant_offsets, codes[:split], offsets, codes[split:])
        ideal_offsets = np.concatenate([[0], np.cumsum(relevant)]).astype(np.int64)
        tied = np.zeros(len(gains), dtype=np.uint8)
        ideal = np.ones(int(ideal_offsets[-1]))
        lists = cls(None, offsets, gains.astype(np.float64), tied, ideal_offsets, ideal)
        return lists._named(query)

    @classmethod
    def _of_graded(cls, actual: list[Any], predicted: list[Any], query: Any) -> Self:
        """Return the tally of lists whose relevant items are mappings from item to gain."""
        _flatten(predicted, "predicted")  # for its checks
        gains: list[float] = []
        ideal: list[float] = []
        ends, ideal_ends = [0], [0]
        for row, (relevant_items, ranked_items) in enumerate(zip(actual, predicted, strict=True)):
            if not isinstance(relevant_items, Mapping):
                raise ColumnError(
                    f"actual holds a mapping from item to gain in one row and {relevant_items!r} at row "
                    f"{row:,} (counting from 0): pass a mapping in every row."
                )
            gain_of = {_to_python(item): _check_gain(gain, row) for item, gain in relevant_items.items()}
            unique_items = dict.fromkeys(_to_python(item) for item in ranked_items)
            gains += [gain_of.get(item, 0.0) for item in unique_items]
            ideal += sorted((gain for gain in gain_of.values() if gain > 0), reverse=True)
            ends.append(len(gains))
            ideal_ends.append(len(ideal))
        lists = cls(
            None, np.array(ends, dtype=np.int64), np.array(gains, dtype=np.float64),
            np.zeros(len(gains), dtype=np.uint8), np.array(ideal_ends, dtype=np.int64),
            np.array(ideal, dtype=np.float64),
        )  # fmt: skip
        return lists._named(query)

    def _named(self, query: Any) -> Self:
        """Return the same lists sorted by their queries' names, or by content if there are none."""
        if query is None:
            return self._sorted(None)
        names = column(query, "query")
        if len(names) != len(self):
            raise LengthError(f"query has {count_of(len(names), 'value')} for {count_of(len(self), 'list')}.")
        codes, labels = encode(names)
        if len(labels) < len(names):
            repeated = labels[int(np.argmax(np.bincount(codes)))]
            raise LabelError(f"the query {shown([repeated])} occurs twice: a query has one list.")
        return self._sorted(tuple(labels[int(code)] for code in codes))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' queries."""
        self._same_kind(other)
        if not len(self) or not len(other):
            return other if len(other) else self
        if (self.names is None) != (other.names is None):
            raise MergeError("the queries of one tally have names, those of the other have none.")
        names = None
        if self.names is not None and other.names is not None:
            names = same_kind((*self.names, *other.names))
            shared = set(self.names) & set(other.names)
            if shared:
                raise MergeError(
                    f"the query {shown([min(shared)])} is in both tallies: all rows of a query "
                    "must be tallied together."
                )
        joined = type(self)(
            None,
            np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            np.concatenate([self.gains, other.gains]),
            np.concatenate([self.tied, other.tied]),
            np.concatenate([self.ideal_offsets, other.ideal_offsets[1:] + self.ideal_offsets[-1]]),
            np.concatenate([self.ideal_gains, other.ideal_gains]),
        )
        return joined._sorted(names)  # noqa: SLF001 - same class

    def _sorted(self, names: tuple[Label, ...] | None) -> Self:
        """Return the same lists sorted by name, or by content without names."""
        if not len(self):
            return type(self)()
        if names is None:
            keys: Any = [self._content(index) for index in range(len(self))]
        else:
            keys = names
        order = sorted(range(len(self)), key=keys.__getitem__)
        offsets, indices = _reordered(self.offsets, order)
        ideal_offsets, ideal_indices = _reordered(self.ideal_offsets, order)
        return type(self)(
            None if names is None else tuple(names[index] for index in order),
            *map(frozen, (offsets, self.gains[indices], self.tied[indices])),
            *map(frozen, (ideal_offsets, self.ideal_gains[ideal_indices])),
        )

    def _content(self, index: int) -> tuple[bytes, bytes, bytes]:
        ranks = slice(self.offsets[index], self.offsets[index + 1])
        ideal = slice(self.ideal_offsets[index], self.ideal_offsets[index + 1])
        return (
            self.gains[ranks].tobytes(),
            self.tied[ranks].tobytes(),
            self.ideal_gains[ideal].tobytes(),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def relevant(self) -> Array:
        """The number of relevant items of each query, retrieved or not."""
        return np.diff(self.ideal_offsets)

    @property
    def empty_lists(self) -> int:
        """The number of queries without a relevant item."""
        return int(np.count_nonzero(self.relevant == 0))

    @property
    def lengths(self) -> Array:
        """The length of each list."""
        return np.diff(self.offsets)

    def at(self, k: int | None = None) -> ListScores:
        """Return sums over the first k ranks of every list; over all ranks if k is None."""
        try:
            depth = 0 if k is None else min(operator.index(k), 2**62)
        except TypeError:
            depth = -1
        if k is not None and depth < 1:
            raise NumberError(f"{passed('k', k)}: k must be a whole number, 1 or more.")
        sums = kernels.score_lists(
            self.offsets, self.gains, self.tied, self.ideal_offsets, self.ideal_gains, depth
        )
        return ListScores(*sums)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        n = len(self.offsets) - 1
        for offsets, values in (
            (self.offsets, self.gains),
            (self.offsets, self.tied),
            (self.ideal_offsets, self.ideal_gains),
        ):
            require(offsets.dtype == np.int64 and offsets.shape == (n + 1,), "wrong offsets")
            require(offsets[0] == 0 and offsets[-1] == len(values), "offsets beyond the values")
            require((np.diff(offsets) >= 0).all() and values.ndim == 1, "offsets out of order")
        require(self.gains.dtype == np.float64 and self.ideal_gains.dtype == np.float64, "no gains")
        require((self.gains >= 0).all() and (self.ideal_gains > 0).all(), "a gain below 0")
        require(np.isfinite(self.gains).all() and np.isfinite(self.ideal_gains).all(), "no gain")
        require(self.tied.dtype == np.uint8 and (self.tied <= 1).all(), "wrong ties")
        if self.names is not None:
            require(type(self.names) is tuple and len(self.names) == n > 0, "wrong names")
            require(self.names == label_union(self.names, ()), "names out of order")


def _reordered(offsets: Array, order: list[int]) -> tuple[Array, Array]:
    """Return the offsets of lists in another order, and the old index of each of their entries."""
    sizes = np.diff(offsets)[order]
    new_offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indices = np.repeat(offsets[:-1][order] - new_offsets[:-1], sizes) + np.arange(new_offsets[-1])
    return new_offsets, indices


def _as_list(lists: Any, name: str) -> list[Any]:
    try:
        return list(lists)
    except TypeError:
        raise ColumnError(f"{name} is a {type(lists).__name__} where a list of lists is needed.") from None


def _flatten(lists: Sequence[Any], name: str) -> tuple[list[Any], Array]:
    """Return the items of all lists in one list, and the offsets of the lists."""
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    items: list[Any] = []
    for row, row_items in enumerate(lists):
        # Relevant items have no order, so they may be a set; predicted items are ranked, so they may not.
        unordered = isinstance(row_items, (set, frozenset)) and name == "predicted"
        if unordered or isinstance(row_items, (str, bytes, dict)) or not hasattr(row_items, "__iter__"):
            raise ColumnError(
                f"{name} holds {row_items!r} at row {row:,} (counting from 0) where a list of items is "
                "needed."
            )
        items.extend(row_items)
        offsets[row + 1] = len(items)
    return items, offsets


def _encode_items(relevant: list[Any], predicted: list[Any]) -> tuple[Array, int]:
    """Return relevant and predicted items as codes of one encoding, and where the predicted ones begin."""
    if not relevant and not predicted:
        return np.empty(0, dtype=np.int64), 0
    items = column([_to_python(item) for item in (*relevant, *predicted)], "items")
    codes, _ = encode(items)
    return codes.astype(np.int64), len(relevant)


def _to_python(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item


def _check_gain(gain: Any, row: int) -> float:
    try:
        value = float(gain)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0 <= value < np.inf:
        raise NumberError(
            f"actual holds a gain of {gain!r} at row {row:,} (counting from 0): a gain is a finite number, 0 "
            "or more."
        )
    return value


def _refuse_missing_score(score: Column, row: int | None = None) -> None:
    """Raise if a score is missing, with a hint on how to pass documents that were not retrieved."""
    if row is None:
        if score.missing is None:
            return
        row = int(np.argmax(score.missing))
    try:
        score.raise_missing(row)
    except MissingValueError as missing:
        raise MissingValueError(f"{missing} {_NOT_RETRIEVED}") from None


def _refuse_row(gain: Column, score: Column, row: int) -> None:
    if np.isnan(float(score.values[row])):
        _refuse_missing_score(score, row)
    value = float(gain.values[row])
    if np.isnan(value):
        gain.raise_missing(row)
    raise NumberError(f"{gain.name} is {value} ({gain.where(row)}): a gain is a finite number, 0 or more.")
