"""The score tally: every distinct score in order, with the count of each class."""

from __future__ import annotations

import dataclasses
import functools
import struct
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError, TallyError, shown
from assay.inputs import need_columns
from assay.inputs import rows as gather
from assay.inputs.columns import doubles
from assay.tallies.exact_numbers import Dyadic
from assay.tallies.loss_arguments import (
    evaluate_in_blocks,
    own_parameters,
    positional_parameters,
    raise_not_probability,
)
from assay.tallies.losses import Losses
from assay.tallies.scores.device_scores import order_on_device
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.device.score_order import ScoreOrder
    from assay.inputs import Column, Rows
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label
    from assay.tallies.scores.binned import BinnedScores

__all__ = ["MAX_ENTRIES", "Concordance", "Scores", "pooled", "rising_rates", "total_count"]

MAX_ENTRIES = 1 << 16  # entries: more would change no standard error in its fourth digit
_FEW = 1 << 12  # entries whose losses are kept, because several figures ask for them


class Concordance(NamedTuple):
    """What the ranks of two classes add up to, as exact integers.

    ``concordant`` is twice the number of pairs (a positive, a negative) in which the positive scores
    higher, a tie counting half: the area under the ROC curve is concordant / (2 positives negatives).
    ``positive_squares`` and ``negative_squares`` are the sums of squares of the same count taken row by
    row, over the positives and over the negatives: DeLong's variance needs no more. ``widest`` is the
    largest distance between the two classes' cumulative shares, times positives * negatives, and
    ``widest_at`` the index of the distinct score where it is reached first.
    """

    positives: int
    negatives: int
    concordant: int
    positive_squares: int
    negative_squares: int
    widest: int
    widest_at: int


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Scores(Tally, kind="scores"):
    """Distinct scores, ascending, with the number of positive and of negative rows at each.

    With weights the distinct (score, weight) pairs are kept instead, so that nothing is rounded; weights
    are None where every weight is 1. Scores are float32 where all of them are exactly that, else
    float64; counts take the smallest unsigned type that holds them.

    State: one entry per distinct score, so up to 10 bytes a row for distinct float64 scores. Where that
    is too much, :class:`~assay.BinnedScores` keeps a fixed number of bins.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> tally.scores, tally.positives, tally.negatives
    (array([0.1, 0.7, 0.9]), array([0, 1, 1], dtype=uint8), array([1, 1, 0], dtype=uint8))
    >>> ranks = tally.concordance()
    >>> ranks.concordant / (2 * ranks.positives * ranks.negatives)
    0.875
    """

    positive: Label | None = None
    scores: Array = no_values(np.float32)
    weights: Array | None = None
    positives: Array = no_values(np.uint8)
    negatives: Array = no_values(np.uint8)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows with actual labels and scores."""
        actual, score = need_columns(rows, "a score tally", "actual", "score")
        if actual.device_tensor is not None and (on_device := order_on_device(rows)) is not None:
            return cls._of_device(*on_device)
        values = score.complete_numbers("scores")
        if not rows.n:
            return cls()
        weights: Array | None
        if rows.weight is None:
            weights = None
            ranked, positive = with_labels(rows, actual, lambda x: kernels.order_scores(values, x))
            distinct, positives, negatives, bad_row, _ = ranked
        else:
            labels, positive = rows.binary_actual("a score tally")
            ordered = kernels.order_pairs(doubles(values), rows.weight.values, labels)
            distinct, weights, positives, negatives, bad_row = ordered
            frozen(weights)
        if bad_row >= 0:
            score.raise_missing(bad_row)
        tally = cls(positive, narrowed(distinct), weights, frozen(positives), frozen(negatives))
        tally.__dict__["n"] = rows.n  # known here, and counting it again would read the whole tally
        return tally

    @classmethod
    def _of_device(cls, order: ScoreOrder, positive: Label) -> Self:
        """Return the tally of scores on a device, from which the entries are copied when they are read."""
        tally = cls.__new__(cls)
        tally.__dict__.update(positive=positive, weights=None, n=order.n, _order=order)
        return tally

    def __getattr__(self, name: str) -> Any:
        """Copy the entries of a tally of scores on a device."""
        order = self.__dict__.get("_order")
        if order is None or name not in ("scores", "positives", "negatives"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        scores, *sides = order.distinct()
        size = np.min_scalar_type(max(int(side.max(initial=0)) for side in sides))
        positives, negatives = (frozen(side.astype(size)) for side in sides)
        self.concordant_pairs()  # while it is still on the device
        self.__dict__.update(scores=narrowed(scores), positives=positives, negatives=negatives, _order=None)
        return self.__dict__[name]

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        positive = same_positive(self.positive, other.positive)
        if not len(self.scores) or not len(other.scores):
            return dataclasses.replace(other if len(other.scores) else self, positive=positive)
        first, second = self.scores, other.scores
        if self.weights is None is other.weights:
            if first.dtype != second.dtype:
                first, second = first.astype(np.float64), second.astype(np.float64)
            scores, positives, negatives = kernels.merge_scores(
                first, self.positives, self.negatives, second, other.positives, other.negatives
            )
            return type(self)(positive, frozen(scores), None, frozen(positives), frozen(negatives))
        scores, weights, positives, negatives = kernels.merge_pairs(
            doubles(first), self._weights(), self.positives, self.negatives,
            doubles(second), other._weights(), other.positives, other.negatives,
        )  # fmt: skip
        return type(self)(positive, narrowed(scores), frozen(weights), frozen(positives), frozen(negatives))

    def _weights(self) -> Array:
        return np.ones(len(self.scores)) if self.weights is None else self.weights

    @functools.cached_property
    def n(self) -> int:
        """How many rows there are."""
        return sum(self.totals)

    @functools.cached_property
    def totals(self) -> tuple[int, int]:
        """How many rows are positive, and how many are not."""
        positives, negatives = (total_count(counts) for counts in (self.positives, self.negatives))
        return positives, negatives

    def concordance(self) -> Concordance:
        """Return the exact integers behind the area under the curve, its variance and the KS distance.

        They speak of rows, whatever their weights.
        """
        return self.cached("concordance", lambda: Concordance(*kernels.sweep_scores(*self._rows_per_score())))  # type: ignore[no-any-return]

    def score_moments(self) -> tuple[float, float] | None:
        """Return the sums over rows of the scores and of their squares, each rounded once.

        None with weights, or where a score is infinite.

        >>> import assay
        >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.5, 0.25, 0.25, 1.0]))
        >>> tally.score_moments()
        (2.0, 1.375)
        """
        return self.cached("score moments", self._score_moments) if self.weights is None else None

    def _score_moments(self) -> tuple[float, float] | None:
        scores = np.ascontiguousarray(self.scores)
        if self.n == len(scores):
            total, squares, bad_row = kernels.exact_square_sum(scores)
            sums = [Dyadic.of(total, -1074), Dyadic.of(squares, -2148)]
        else:
            sides = [
                kernels.exact_weighted_sum(scores, counts) for counts in (self.positives, self.negatives)
            ]
            bad_row = max(side[2] for side in sides)
            total, squares = (sum(side[power] for side in sides) for power in (0, 1))
            sums = [Dyadic.of(total, -2148), Dyadic.of(squares, -3222)]
        return None if bad_row >= 0 else (float(sums[0]), float(sums[1]))

    def concordant_pairs(self) -> tuple[int, int, int]:
        """Return the positives, the negatives and twice their concordant pairs, as :meth:`concordance`."""
        order = self.__dict__.get("_order")
        if order is not None:
            return self.cached("concordant pairs", order.concordant)  # type: ignore[no-any-return]
        return self.concordance()[:3]

    def rising_pools(self) -> tuple[Array, Array, Array]:
        """Return the pools of the isotonic fit: of each the first entry, its positives and its negatives.

        Neighbours are pooled until the rates of positives rise. Pools begin at the corners of the ROC curve's
        hull. A tally with weights has none here, as they would be sums of weights.

        >>> import assay
        >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.3, 0.6, 0.8]))
        >>> [column.tolist() for column in tally.rising_pools()]
        [[0, 1, 3], [0, 1, 1], [1, 1, 0]]
        """
        if self.weights is not None:
            raise TallyError("pools of rows are those of a tally without weights.")
        return self.cached("rising pools", lambda: kernels.rising_pools(self.positives, self.negatives))  # type: ignore[no-any-return]

    def average_precision(self) -> float:
        """Return the mean precision over the positives, tied scores found together; NaN without positives.

        It speaks of rows, whatever their weights.
        """
        return kernels.sweep_precision(*self._rows_per_score())

    def _rows_per_score(self) -> tuple[Array, Array]:
        if self.weights is None or not len(self.scores):
            return self.positives, self.negatives
        starts = self.starts()
        return (
            np.add.reduceat(self.positives, starts, dtype=np.uint64),
            np.add.reduceat(self.negatives, starts, dtype=np.uint64),
        )

    def starts(self) -> Array:
        """Return the index of each distinct score's first entry: with weights a score may have several."""
        fresh = np.ones(len(self.scores), dtype=bool)
        np.not_equal(self.scores[1:], self.scores[:-1], out=fresh[1:])
        return np.flatnonzero(fresh)

    def losses(self, loss: Callable[..., Array], **parameters: Any) -> Losses:
        """Return the tally of a loss over the same rows, the very one that :meth:`Losses.of` makes of them.

        The loss may ask for ``positive`` and for ``score`` or ``probability``: the tally knows no more.
        """
        own, name = own_parameters(loss, parameters)

        def compute() -> Losses:
            if hasattr(loss, "tally") and self.weights is None and self.n == len(self.scores) > _FEW:
                # One row for each score: a kernel goes through them without an array of losses.
                self.need_probabilities()
                entries = gather(actual=self.positives, score=self.scores)
                return loss.tally(entries, loss=name, **own)  # type: ignore[no-any-return]
            values, counts, weights = zip(*self.entry_losses(loss, **parameters), strict=True)
            heavy = None if self.weights is None else np.concatenate(weights)
            return Losses.of_counts(np.concatenate(values), np.concatenate(counts), heavy, loss=name)

        return self.cached((loss, name), compute)  # type: ignore[no-any-return]

    def entry_losses(
        self, loss: Callable[..., Array], **parameters: Any
    ) -> list[tuple[Array, Array, Array | None]]:
        """Return the loss, the rows and their weight at each entry, of positives and then of negatives."""
        own, name = own_parameters(loss, parameters)
        if len(self.scores) > _FEW:  # arrays that are not worth keeping
            return self._entry_losses(loss, own)
        return self.cached(("entries", loss, name), lambda: self._entry_losses(loss, own))  # type: ignore[no-any-return]

    def _entry_losses(self, loss: Callable[..., Array], own: Any) -> list[tuple[Array, Array, Array | None]]:
        roles = positional_parameters(loss)
        if not {"positive"} < set(roles) <= {"positive", "score", "probability"}:
            raise TallyError(
                f"the loss {loss.__name__} asks for {', '.join(roles)}, but a score tally holds scores and "
                "which rows are positive, no more: make a tally of losses from the rows."
            )
        if "probability" in roles:
            self.need_probabilities()
        scores, by_class = doubles(self.scores), []
        for positive, counts in ((1.0, self.positives), (0.0, self.negatives)):
            occupied = np.flatnonzero(counts)
            weights = None if self.weights is None else self.weights[occupied]
            arguments = {"positive": np.full(len(occupied), positive)}
            values = evaluate_in_blocks(loss, [arguments.get(role, scores[occupied]) for role in roles], own)
            by_class.append((values, counts[occupied], weights))
        return by_class

    def need_probabilities(self) -> None:
        """Raise unless every score is a probability."""
        for value in self.scores[[0, -1]] if len(self.scores) else ():
            if not 0 <= value <= 1:
                raise_not_probability(float(value), "a score")

    def entries(self, index: slice) -> Self:
        """Return the tally of some of its entries, which are consecutive."""
        weights = None if self.weights is None else self.weights[index]
        return type(self)(
            self.positive, self.scores[index], weights, self.positives[index], self.negatives[index]
        )

    def binned(self, bits: int = 18) -> BinnedScores:
        """Return the same rows in a fixed number of bins."""
        from assay.tallies.scores.binned import BinnedScores  # noqa: PLC0415 - each knows the other

        return BinnedScores.of_scores(self, bits)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        scores, weights = self.scores, self.weights
        check_positive(self.positive, len(scores))
        require(scores.dtype in (np.float32, np.float64) and scores.ndim == 1, "wrong scores")
        require(not np.isnan(scores).any(), "a score is not a number")
        require(scores.dtype == np.float32 or not fits_float32(scores), "scores too wide")
        check_counts(self.positives, self.negatives, len(scores))
        if weights is None:
            require((scores[1:] > scores[:-1]).all(), "scores out of order")
            return
        require(weights.dtype == np.float64 and weights.shape == scores.shape, "wrong weights")
        require((weights > 0).all() and np.isfinite(weights).all(), "a weight out of range")
        require((weights != 1).any(), "weights that are all 1")
        same = scores[1:] == scores[:-1]
        rising = (scores[1:] > scores[:-1]) | (same & (weights[1:] > weights[:-1]))
        require(rising.all(), "scores out of order")


def with_labels(rows: Rows, actual: Column, count: Callable[[Array], Any]) -> tuple[Any, Label]:
    """Return what a kernel makes of the labels as 0 and 1, and which label is the positive one.

    The kernel's last answer is the first row that is neither: integers are therefore passed as they are,
    and encoded only if that turns up.
    """
    values = actual.values
    plain = actual.labels is None and actual.missing is None and rows.labels is None
    if plain and rows.positive in (None, 1):
        if values.dtype == np.int64:
            result = count(values)
            if result[-1] < 0:
                return result, 1
        elif values.dtype in (np.int8, np.uint8) and values.view(np.uint8).max(initial=0) <= 1:
            return count(values.view(np.uint8)), 1
    labels, positive = rows.binary_actual("a score tally")
    return count(labels), positive


def total_count(counts: Array) -> int:
    """Return the sum of a column of counts, added up by all threads."""
    return int(kernels.block_sums(np.ascontiguousarray(counts), _FEW).sum())


def rising_rates(positives: Array, totals: Array) -> Array:
    """Return the isotonic fit of entries that weigh so much: the rate of each, which rises.

    Neighbours whose rates do not rise are pooled; a pool's rate is that of its rows.

    >>> rising_rates(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4)).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    return kernels.rising_rates(np.ascontiguousarray(positives)[np.newaxis], np.ascontiguousarray(totals))[0]  # type: ignore[no-any-return]


def same_positive(first: Label | None, second: Label | None) -> Label | None:
    """Return the positive label of two tallies, or raise if they have two."""
    if first is None or second is None:
        return second if first is None else first
    if first != second:
        raise MergeError(
            f"the positive label is {shown([first])} in one tally and {shown([second])} in the other."
        )
    return first if type(first) is int else second


def check_positive(positive: object, size: int) -> None:
    """Raise ValueError if this is no positive label for a tally of so many entries."""
    if positive is None:
        require(size == 0, "no positive label")
    require(positive is None or type(positive) in (str, int, bool), "wrong positive label")


def check_counts(positives: Array, negatives: Array, size: int) -> None:
    """Raise ValueError unless these are two columns of counts in their smallest type."""
    require(positives.shape == (size,) and negatives.shape == (size,), "shapes differ")
    largest = max(int(positives.max(initial=0)), int(negatives.max(initial=0)))
    smallest = np.min_scalar_type(largest)
    require(positives.dtype == smallest and negatives.dtype == smallest, "counts of a wrong type")
    require(((positives > 0) | (negatives > 0)).all(), "an entry without rows")


def fits_float32(scores: Array) -> bool:
    """Tell whether every score is exactly a float32."""
    if not len(scores):
        return True
    try:  # nearly always a single score settles it
        probe = float(scores[len(scores) // 2])
        if struct.unpack("f", struct.pack("f", probe))[0] != probe:
            return False
    except OverflowError:
        return False
    with np.errstate(over="ignore"):
        return bool((scores.astype(np.float32) == scores).all())


def narrowed(scores: Array) -> Array:
    """Return the scores as float32 where that changes none of them."""
    if scores.dtype == np.float64 and fits_float32(scores):
        scores = scores.astype(np.float32)
    return frozen(scores)


def pooled(tally: Scores, max_entries: int = MAX_ENTRIES, *, around: Array | None = None) -> Scores:
    """Return the tally with neighbouring scores put together to at most so many, each at its middle one.

    How far a figure would move from sample to sample does not hang on the order of neighbours, so that a
    standard error may be read from this, and ten million scores cost what 65,536 do. Weighted tallies, whose
    rows of one score are kept apart by weight, come back as they are. Scores named in `around` stay alone.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.2, 0.3, 0.4]))
    >>> small = pooled(tally, 2)
    >>> small.scores, small.positives
    (array([0.2, 0.4]), array([1, 1], dtype=uint8))
    """
    size = len(tally.scores)
    if tally.weights is not None or size <= max_entries:
        return tally
    if around is not None:
        # Which rows are labelled is asked again by every metric.
        key = ("pooled around", max_entries, np.sort(around).tobytes())
        return tally.cached(key, lambda: _pooled_around(tally, -(-size // max_entries), around))  # type: ignore[no-any-return]
    return tally.cached(("pooled", max_entries), lambda: _pooled(tally, -(-size // max_entries)))  # type: ignore[no-any-return]


def _pooled_around(tally: Scores, together: int, around: Array) -> Scores:
    """Return the tally with so many neighbours put together each time, but for some scores that it has."""
    size = len(tally.scores)
    alone = np.searchsorted(tally.scores, np.unique(around))
    starts = np.unique(np.concatenate([np.arange(0, size, together), alone, alone + 1]))
    starts = starts[starts < size]
    middles = (starts + np.append(starts[1:], size) - 1) // 2
    sums = [np.add.reduceat(counts, starts, dtype=np.int64) for counts in (tally.positives, tally.negatives)]
    positives, negatives = (side.astype(np.min_scalar_type(int(side.max()))) for side in sums)
    return Scores(tally.positive, frozen(tally.scores[middles]), None, frozen(positives), frozen(negatives))


def _pooled(tally: Scores, together: int) -> Scores:
    """Return the tally with so many neighbours put together each time, fewer at the end."""
    size = len(tally.scores)
    starts = np.arange(0, size, together)
    middles = np.minimum(starts + together // 2, size - 1)
    sides = np.stack([kernels.block_sums(counts, together) for counts in (tally.positives, tally.negatives)])
    positives, negatives = sides.astype(np.min_scalar_type(int(sides.max())))
    return dataclasses.replace(tally, scores=tally.scores[middles], positives=positives, negatives=negatives)
