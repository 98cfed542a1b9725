"""The view of a score tally whose scores are probabilities: each distinct one with its outcomes."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import mild, ratio, total
from assay.metrics.metric import need_tally, tallied
from assay.tallies import Scores
from assay.tallies.loss_arguments import check_clip
from assay.tallies.scores.scores import rising_rates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

__all__ = ["Probabilities", "effective", "one_by_one"]

_MANY = 1 << 17  # probabilities of which a column takes longer to make than what is made of it
_EQUAL_WEIGHT = 1e-12  # relative difference up to which weights count as equal


def effective(mass: Any, squares: Any, heaviest: float) -> Any:
    """Return Kish's (1965) effective number of rows: the squared sum of weights over the sum of squares.

    `squares` are over the square of the largest weight; None where every row counts once.

    >>> effective(4.0, 2.5, 2.0)                      # weights of 1, 1 and 2
    1.6
    """
    return mass if squares is None else ratio((mass / heaviest) ** 2, squares)


@dataclasses.dataclass(frozen=True)
class Probabilities:
    """Every distinct probability, ascending, with the number of its positives and negatives.

    A weighted row counts by its weight. Axes of the counts before the last hold replicates. ``squares`` are
    the sums of the squared weights of each probability's rows, over the square of `heaviest`, the largest
    weight; None where every row counts once, or where there are replicates.
    """

    p: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]
    squares: NDArray[Any] | None = None
    heaviest: float = 1.0
    weighted: bool = False

    tally = Scores
    title = "probabilities"
    needs = "score"
    uses_probabilities = True

    @classmethod
    def of(cls, tally: Any, *, clip: float = 0.0) -> Self:
        """Return the probabilities of a score tally or of rows, moved into [clip, 1 - clip].

        Scores outside of [0, 1] are refused: what they mean is not guessed.
        """
        tally = tallied(tally, Scores)
        need_tally(tally, Scores)
        tally.need_probabilities()
        if tally.weights is None and not check_clip(clip):
            return _TallyProbabilities(tally)  # type: ignore[return-value]
        return cls.gathered(tally.scores, tally.weights, tally.positives, tally.negatives, clip=clip)

    @classmethod
    def some(cls, tally: Any, *, clip: float = 0.0) -> Self:
        """Return the probabilities of a tally that has rows."""
        view = cls.of(tally, clip=clip)
        if not len(view.p):
            raise MetricError("there are no rows, so that there is nothing to decompose.")
        return view

    @classmethod
    def gathered(
        cls,
        p: NDArray[Any],
        weights: NDArray[Any] | None,
        positives: NDArray[Any],
        negatives: NDArray[Any],
        *,
        clip: float = 0.0,
    ) -> Self:
        """Return the view of ascending probabilities, perhaps with repetitions, with counts and weights."""
        p = p.astype(np.float64, copy=False)
        sums = [x.astype(np.float64) for x in (positives, negatives)]
        if not check_clip(clip) and weights is None:
            return cls(p, sums[0], sums[1])  # a tally's scores are distinct
        p = np.clip(p, clip, 1 - clip)
        heaviest = 1.0
        if weights is not None:
            weights = mild(weights)
            heaviest = float(weights.max(initial=0.0)) or 1.0
            sums = [*(x * weights for x in sums), (sums[0] + sums[1]) * np.square(weights / heaviest)]
        starts = np.flatnonzero(np.diff(p, prepend=np.nan) != 0)
        if len(starts) < len(p):
            p, sums = p[starts], [np.add.reduceat(x, starts, axis=-1) for x in sums]
        squares = sums[2] if weights is not None else None
        return cls(p, sums[0], sums[1], squares, heaviest, weighted=weights is not None)

    def each(self) -> Iterator[Probabilities]:
        """Yield every replicate as a view of its own, without the probabilities that have no rows."""
        positives, negatives = (x.reshape(-1, len(self.p)) for x in (self.positives, self.negatives))
        for positive, negative in zip(positives, negatives, strict=True):
            occupied = positive + negative > 0
            yield Probabilities(
                self.p[occupied], positive[occupied], negative[occupied], weighted=self.weighted
            )

    @property
    def replicated(self) -> bool:
        """Whether the counts have axes of replicates."""
        return self.positives.ndim > 1

    @property
    def many(self) -> Scores | None:
        """The tally of rows of very many probabilities, whose kernels need no column for a formula."""
        return None

    @functools.cached_property
    def counts(self) -> NDArray[Any]:
        """Number of rows of each probability."""
        return np.asarray(self.positives + self.negatives)

    @functools.cached_property
    def n(self) -> Any:
        """Number of rows."""
        return total(self.counts)

    @functools.cached_property
    def rates(self) -> NDArray[Any]:
        """Share of positives among the rows of each probability."""
        return np.asarray(ratio(self.positives, self.counts))

    @functools.cached_property
    def base_rate(self) -> Any:
        """Share of positives among all rows."""
        return ratio(total(self.positives), self.n)

    @functools.cached_property
    def observed(self) -> Any:
        """Number of positives."""
        return total(self.positives)

    @functools.cached_property
    def expected(self) -> Any:
        """Number of positives if every probability is right: the sum over rows."""
        return total(self.counts * self.p)

    def pooled(self) -> tuple[NDArray[Any], Probabilities]:
        """Return the pools of the isotonic fit: the first entry of each, and their rates as probabilities.

        Neighbours whose rates do not rise are pooled until all do (PAV); a pool's rate is that of its rows.
        """
        rates = rising_rates(self.positives, self.counts)
        starts = np.flatnonzero(np.diff(rates, prepend=-1.0))
        positives, negatives = (np.add.reduceat(side, starts) for side in (self.positives, self.negatives))
        return starts, Probabilities(rates[starts], positives, negatives, weighted=self.weighted)

    def in_rows(self) -> Probabilities:
        """Return the same in numbers of rows where all rows have one weight; else itself.

        Bins of equally many rows can then be cut between rows, as without weights.
        """
        if self.squares is None:
            return self
        rows = self.counts / self.heaviest
        if not np.allclose(self.squares, rows, rtol=_EQUAL_WEIGHT, atol=0.0):
            return self
        positives, negatives = (np.rint(x / self.heaviest) for x in (self.positives, self.negatives))
        return Probabilities(self.p, positives, negatives)

    def mean(self, if_positive: Any, if_negative: Any) -> Any:
        """Return the mean over rows of a cost at each probability for positives, and one for negatives."""
        with np.errstate(invalid="ignore"):
            costs = [
                np.where(count > 0, count * cost, 0.0)  # a cost without rows may be infinite
                for count, cost in ((self.positives, if_positive), (self.negatives, if_negative))
            ]
        return ratio(total(costs[0]) + total(costs[1]), self.n)


class _TallyProbabilities(Probabilities):
    """The view of a tally whose rows count once each; its counts become floats when a formula reads them.

    Of ten million distinct probabilities that takes longer than all that a report computes, so that sums over
    rows come from the tally itself.
    """

    source: Scores

    def __init__(self, source: Scores) -> None:
        vars(self).update(source=source, p=source.scores.astype(np.float64, copy=False))

    @property
    def replicated(self) -> bool:
        """Whether the counts have axes of replicates: a tally has none."""
        return False

    @property
    def many(self) -> Scores | None:
        """The tally, if it has very many probabilities."""
        return self.source if len(self.p) > _MANY else None

    @functools.cached_property
    def positives(self) -> NDArray[Any]:
        """Number of positives of each probability."""
        return np.asarray(self.source.positives.astype(np.float64))

    @functools.cached_property
    def negatives(self) -> NDArray[Any]:
        """Number of negatives of each probability."""
        return np.asarray(self.source.negatives.astype(np.float64))

    @functools.cached_property
    def n(self) -> Any:
        """Number of rows."""
        return float(self.source.n)

    @functools.cached_property
    def base_rate(self) -> Any:
        """Share of positives among all rows."""
        return ratio(self.observed, self.n)

    @functools.cached_property
    def observed(self) -> Any:
        """Number of positives."""
        return float(self.source.totals[0])

    @functools.cached_property
    def expected(self) -> Any:
        """Number of positives if every probability is right: the sum over rows."""
        return self.source.score_moments()[0]  # type: ignore[index] # probabilities are finite

    def pooled(self) -> tuple[NDArray[Any], Probabilities]:
        """Return the pools of the isotonic fit, from integers."""
        starts, *sides = self.source.rising_pools()
        positives, negatives = (side.astype(np.float64) for side in sides)
        return starts, Probabilities(positives / (positives + negatives), positives, negatives)


def one_by_one(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula that takes replicates, of one that takes none: each is evaluated on its own."""

    @functools.wraps(formula)
    def over_replicates(view: Probabilities, **parameters: Any) -> Any:
        if not view.replicated:
            return formula(view, **parameters)
        values = [formula(replicate, **parameters) for replicate in view.each()]
        return np.array(values).reshape(view.positives.shape[:-1])

    return over_replicates
