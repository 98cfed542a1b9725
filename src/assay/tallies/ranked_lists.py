"""The query tally: for every ranked list what stood where, so that any measure at any k can be read off."""

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
from assay.hints import passed
from assay.inputs import Column, Label, column, encode, need_rows
from assay.inputs.columns import doubles
from assay.inputs.labels import label_union, same_kind
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["ListScores", "Queries"]

_NOT_RETRIEVED = "Documents that were judged but not retrieved have a score of minus infinity."


class ListScores(NamedTuple):
    """What the first k places of every list hold, one number per query; ties are averaged over.

    ``hits`` counts relevant items, ``precision_sum`` adds P@i over the places i that hold one,
    ``precision_mean_sum`` adds P@i over all k places (P@i over a shorter list divides by its length),
    ``reciprocal_rank`` is 1 over the first relevant place, ``hit`` 1 where there is one at all; gains are
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
    """Ranked lists: the gain at every place, which places are tied, and what the best list would hold.

    Queries with names are kept in the order of their names, and a name may come from one shard only;
    lists without names are kept in the order of their content, so that no order of rows shows.

    State: nine bytes per place and eight per relevant item.

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

        A row whose score is minus infinity was judged but not retrieved: it has no place in the list, and
        counts among the relevant items and in the ideal order.

        >>> import assay
        >>> judged = assay.rows(query=["q"] * 3, actual=[1, 3, 0], score=[0.7, -np.inf, 0.2])
        >>> tally = Queries.of(judged)
        >>> tally.lengths.tolist(), tally.relevant.tolist(), tally.ideal_gains.tolist()
        ([2], [2], [3.0, 1.0])
        """
        query = need_rows(rows).need("query", "a query tally")
        if rows.weight is not None:
            raise TallyError("queries are counted as they are and take no weights.")
        gain = rows.need("actual", "a query tally")
        score = rows.need("score", "a query tally")
        gains = doubles(gain.numbers("gains"))
        scores = score.numbers("scores")
        gain.refuse_missing()
        _refuse_missing(score)
        if not len(rows):
            return cls()
        codes, names = encode(query)
        offsets, order = kernels.order_groups(codes, len(names))
        ranked, tied, ideal, ideal_offsets, _, bad_row = kernels.rank_rows(
            offsets, scores[order], gains[order]
        )
        if bad_row >= 0:
            _refuse(gain, score, int(order[bad_row]))
        missed = np.isneginf(scores)
        if missed.any():  # they are ranked last, so that the list ends before them
            lengths = np.bincount(codes[~missed], minlength=len(names))
            places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
            retrieved = places < np.repeat(lengths, np.diff(offsets))
            ranked, tied = ranked[retrieved], tied[retrieved]
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(names, *map(frozen, (offsets, ranked, tied, ideal_offsets, ideal)))

    @classmethod
    def of_lists(cls, *, actual: Sequence[Any], predicted: Sequence[Any], query: Any = None) -> Self:
        """Return the tally of lists: for each query the relevant items, and the predicted ones by rank.

        Relevant items are a list, or a mapping from item to gain where relevance has grades. An item
        predicted twice counts at its first place only.

        >>> tally = Queries.of_lists(actual=[{"a": 3, "b": 1, "c": 0}], predicted=[["b", "c", "d"]])
        >>> tally.gains, tally.ideal_gains
        (array([1., 0., 0.]), array([3., 1.]))
        """
        actual, predicted = _lists(actual, "actual"), _lists(predicted, "predicted")
        if len(actual) != len(predicted):
            raise LengthError(f"actual has {len(actual):,} lists, predicted has {len(predicted):,}.")
        if any(isinstance(one, Mapping) for one in actual):
            return cls._of_grades(actual, predicted, query)
        wanted, wanted_offsets = _flat(actual, "actual")
        given, offsets = _flat(predicted, "predicted")
        items, limits = _items(wanted, given)
        gains, relevant = kernels.match_lists(wanted_offsets, items[:limits], offsets, items[limits:])
        ideal_offsets = np.concatenate([[0], np.cumsum(relevant)]).astype(np.int64)
        tied = np.zeros(len(gains), dtype=np.uint8)
        ideal = np.ones(int(ideal_offsets[-1]))
        lists = cls(None, offsets, gains.astype(np.float64), tied, ideal_offsets, ideal)
        return lists._named(query)

    @classmethod
    def _of_grades(cls, actual: list[Any], predicted: list[Any], query: Any) -> Self:
        """Return the tally of lists whose relevant items have gains, by item."""
        _flat(predicted, "predicted")  # which refuses what is no list of items
        gains: list[float] = []
        ideal: list[float] = []
        ends, ideal_ends = [0], [0]
        for row, (wanted, listed) in enumerate(zip(actual, predicted, strict=True)):
            if not isinstance(wanted, Mapping):
                raise ColumnError(
                    f"actual holds a mapping from item to gain in one row and {wanted!r} at row {row:,} "
                    "(counting from 0): give all lists alike."
                )
            known = {_plain(item): _gain(gain, row) for item, gain in wanted.items()}
            once = dict.fromkeys(_plain(item) for item in listed)
            gains += [known.get(item, 0.0) for item in once]
            ideal += sorted((gain for gain in known.values() if gain > 0), reverse=True)
            ends.append(len(gains))
            ideal_ends.append(len(ideal))
        lists = cls(
            None, np.array(ends, dtype=np.int64), np.array(gains, dtype=np.float64),
            np.zeros(len(gains), dtype=np.uint8), np.array(ideal_ends, dtype=np.int64),
            np.array(ideal, dtype=np.float64),
        )  # fmt: skip
        return lists._named(query)

    def _named(self, query: Any) -> Self:
        """Return the same lists in the order of their queries' names, or of their content without any."""
        if query is None:
            return self._ordered(None)
        names = column(query, "query")
        if len(names) != len(self):
            raise LengthError(f"query has {len(names):,} values for {len(self):,} lists.")
        codes, labels = encode(names)
        if len(labels) < len(names):
            repeated = labels[int(np.argmax(np.bincount(codes)))]
            raise LabelError(f"the query {shown([repeated])} comes twice: a query has one list.")
        return self._ordered(tuple(labels[int(code)] for code in codes))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' queries."""
        self._same_kind(other)
        if not len(self) or not len(other):
            return other if len(other) else self
        if (self.names is None) != (other.names is None):
            raise MergeError("one tally's queries have names, the other's have none.")
        names = None
        if self.names is not None and other.names is not None:
            names = same_kind((*self.names, *other.names))
            both = set(self.names) & set(other.names)
            if both:
                raise MergeError(
                    f"the query {shown([min(both)])} is in both tallies: all rows of a query "
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
        return joined._ordered(names)  # noqa: SLF001 - our own

    def _ordered(self, names: tuple[Label, ...] | None) -> Self:
        """Return the same lists in the order of their names, or of their content."""
        if not len(self):
            return type(self)()
        if names is None:
            keys: Any = [self._content(index) for index in range(len(self))]
        else:
            keys = names
        order = sorted(range(len(self)), key=keys.__getitem__)
        offsets, places = _reordered(self.offsets, order)
        ideal_offsets, ideal_places = _reordered(self.ideal_offsets, order)
        return type(self)(
            None if names is None else tuple(names[index] for index in order),
            *map(frozen, (offsets, self.gains[places], self.tied[places])),
            *map(frozen, (ideal_offsets, self.ideal_gains[ideal_places])),
        )

    def _content(self, index: int) -> tuple[bytes, bytes, bytes]:
        places = slice(self.offsets[index], self.offsets[index + 1])
        ideal = slice(self.ideal_offsets[index], self.ideal_offsets[index + 1])
        return (
            self.gains[places].tobytes(),
            self.tied[places].tobytes(),
            self.ideal_gains[ideal].tobytes(),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def relevant(self) -> Array:
        """How many relevant items each query has, listed or not."""
        return np.diff(self.ideal_offsets)

    @property
    def empty_lists(self) -> int:
        """How many queries have no relevant item, so that there is nothing to find."""
        return int(np.count_nonzero(self.relevant == 0))

    @property
    def lengths(self) -> Array:
        """How long each list is."""
        return np.diff(self.offsets)

    def at(self, k: int | None = None) -> ListScores:
        """Return what the first k places of every list hold; all places where k is None."""
        try:
            places = 0 if k is None else min(operator.index(k), 2**62)
        except TypeError:
            places = -1
        if k is not None and places < 1:
            raise NumberError(f"{passed('k', k)}: a list has a whole number of places, at least one.")
        found = kernels.score_lists(
            self.offsets, self.gains, self.tied, self.ideal_offsets, self.ideal_gains, places
        )
        return ListScores(*found)

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
    """Return the offsets of lists in another order, and where each of their places was before."""
    sizes = np.diff(offsets)[order]
    fresh = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.repeat(offsets[:-1][order] - fresh[:-1], sizes) + np.arange(fresh[-1])
    return fresh, places


def _lists(lists: Any, name: str) -> list[Any]:
    try:
        return list(lists)
    except TypeError:
        raise ColumnError(f"{name} is a {type(lists).__name__} where a list of lists is needed.") from None


def _flat(lists: Sequence[Any], name: str) -> tuple[list[Any], Array]:
    """Return all items of all lists and where each list begins."""
    sizes = np.zeros(len(lists) + 1, dtype=np.int64)
    items: list[Any] = []
    for row, one in enumerate(lists):
        # What is relevant has no order, so it may be a set; a prediction without an order is no ranking.
        unordered = isinstance(one, (set, frozenset)) and name == "predicted"
        if unordered or isinstance(one, (str, bytes, dict)) or not hasattr(one, "__iter__"):
            raise ColumnError(
                f"{name} holds {one!r} at row {row:,} (counting from 0) where a list of items is needed."
            )
        items.extend(one)
        sizes[row + 1] = len(items)
    return items, sizes


def _items(wanted: list[Any], given: list[Any]) -> tuple[Array, int]:
    """Return both sides' items as numbers of one encoding, and where the second side begins."""
    if not wanted and not given:
        return np.empty(0, dtype=np.int64), 0
    everything = column(
        [_plain(item) for item in (*wanted, *given)],
        "items",
    )
    codes, _ = encode(everything)
    return codes.astype(np.int64), len(wanted)


def _plain(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item


def _gain(gain: Any, row: int) -> float:
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


def _refuse_missing(score: Column, row: int | None = None) -> None:
    """Raise where a score is missing, saying how a document that was not retrieved is passed."""
    if row is None:
        if score.missing is None:
            return
        row = int(np.argmax(score.missing))
    try:
        score.raise_missing(row)
    except MissingValueError as missing:
        raise MissingValueError(f"{missing} {_NOT_RETRIEVED}") from None


def _refuse(gain: Column, score: Column, row: int) -> None:
    if np.isnan(float(score.values[row])):
        _refuse_missing(score, row)
    value = float(gain.values[row])
    if np.isnan(value):
        gain.raise_missing(row)
    raise NumberError(f"{gain.name} is {value} ({gain.where(row)}): a gain is a finite number, 0 or more.")
