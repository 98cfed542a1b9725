"""The view of a score tally: the counts above each cutoff, from the highest score to the lowest."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import MetricError
from assay.hints import param
from assay.metrics.arithmetic import mild
from assay.metrics.averaging import over_classes
from assay.metrics.curves.convex_hull import upper_hull
from assay.metrics.metric import need_tally
from assay.metrics.views.confusion import Binary
from assay.tallies import ClassScores, ColumnTallies, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.metric import Metric
    from assay.metrics.undefined import Value
    from assay.tallies.scores.scores import Concordance

__all__ = ["Ranks", "added"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """The rows of two classes in the order of their scores, read lazily from a score tally.

    Scores run from the highest to the lowest; a row is predicted positive where its score is at or above the
    cutoff. Counts are integers, or sums of weights. `positive_mass` and `negative_mass` replace the tally's
    own counts at each of its entries; their leading axes hold bootstrap replicates.
    """

    source: Scores
    positive_mass: Any = None
    negative_mass: Any = None

    tally = Scores
    of_classes = ClassScores
    title = "scores of two classes"
    needs = "score"

    @classmethod
    def of(cls, tally: Any) -> Self:
        """Return the view of a score tally."""
        if isinstance(tally, (ClassScores, ColumnTallies)):
            average = param("average", "macro", "micro", "weighted")
            need_tally(
                tally, Scores, f": name one with {param('positive')}, or average over them with {average}"
            )
        need_tally(tally, Scores)
        return cls(tally)

    @staticmethod
    def averaged(
        metric: Metric, tally: Any, average: str, parameters: dict[str, Any], undefined: Any = "strict"
    ) -> Value:
        """Return a metric's average over the classes, each against the rest by its own column of scores."""
        if not isinstance(tally, ClassScores):
            raise MetricError(f"average={average!r} needs scores of several classes (assay.ClassScores).")
        if average == "micro":
            pooled = Ranks.of(tally.pooled())
            return metric.value(metric.formula(pooled, **parameters), pooled)
        views = [Ranks.of(tally.against_rest(label)) for label in tally.labels]
        values = [metric.formula(view, **parameters) for view in views]
        reason = "a class has no rows" if callable(metric.undefined) else metric.undefined
        return over_classes(
            values, tally.class_weights, average, names=tally.labels, reason=reason, undefined=undefined
        )

    @property
    def plain(self) -> bool:
        """Whether every row of the tally counts once."""
        return self.source.weights is None and self.positive_mass is None

    @functools.cached_property
    def concordance(self) -> Concordance | None:
        """Exact integers behind the area under the curve; None where rows do not count once each."""
        return self.source.concordance() if self.plain else None

    @functools.cached_property
    def pairs(self) -> tuple[int, int, int] | None:
        """Positives, negatives and twice their concordant pairs; None where rows do not count once each."""
        return self.source.concordant_pairs() if self.plain else None

    @property
    def thresholds(self) -> NDArray[Any]:
        """The distinct scores, the highest first."""
        source = self.source
        return (source.scores if source.weights is None else source.scores[self._starts])[::-1]

    @property
    def positive_steps(self) -> NDArray[Any]:
        """Number of positives at each threshold."""
        return self.source.positives[::-1] if self.plain else self._steps[0]

    @property
    def negative_steps(self) -> NDArray[Any]:
        """Number of negatives at each threshold."""
        return self.source.negatives[::-1] if self.plain else self._steps[1]

    @functools.cached_property
    def tied_rows(self) -> NDArray[Any]:
        """Number of rows at each threshold, regardless of weights; of replicates by their mass."""
        if self.source.weights is None:
            return np.asarray(self.positive_steps.astype(np.float64) + self.negative_steps)
        entries = self.source.positives.astype(np.float64) + self.source.negatives
        rows, mass = (
            np.add.reduceat(x, self._starts)[::-1] if len(x) else x
            for x in (entries, entries * self.source.weights)
        )
        if self.positive_mass is None:
            return np.asarray(rows)
        return np.asarray((self.positive_steps + self.negative_steps) * (rows / mass))

    def steps(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the numbers of positives, of negatives and of rows at each threshold."""
        return self.positive_steps, self.negative_steps, self.tied_rows

    @functools.cached_property
    def tp(self) -> NDArray[Any]:
        """Number of positives at or above each threshold."""
        return _running(self.positive_steps)

    @functools.cached_property
    def fp(self) -> NDArray[Any]:
        """Number of negatives at or above each threshold."""
        return _running(self.negative_steps)

    @functools.cached_property
    def positives(self) -> Any:
        """Number of positives."""
        return self.tp[..., -1] if self.pairs is None else self.pairs[0]

    @functools.cached_property
    def negatives(self) -> Any:
        """Number of negatives."""
        return self.fp[..., -1] if self.pairs is None else self.pairs[1]

    @property
    def effective(self) -> float | None:
        """Kish's (1965) effective number of rows; None without weights."""
        source = self.source
        if source.weights is None or not len(source.scores):
            return None
        weights = source.weights / source.weights.max()
        rows = source.positives.astype(np.float64) + source.negatives
        return float((rows @ weights) ** 2 / (rows @ np.square(weights)))

    @property
    def n(self) -> Any:
        """Number of rows."""
        return self.positives + self.negatives

    def cutoffs(self) -> NDArray[Any]:
        """Return the cutoffs: infinity, where nothing is predicted positive, then every threshold."""
        return np.concatenate([[math.inf], self.thresholds])

    def at_cutoffs(self) -> Binary:
        """Return the counts at each of :meth:`cutoffs`, as the last axis."""
        tp, fp = (_with_zero_first(x) for x in (self.tp, self.fp))
        return Binary(tp, fp, tp[..., -1:] - tp, fp[..., -1:] - fp)

    def hull(self) -> NDArray[np.intp]:
        """Return the indices, among the cutoffs, of the corners of the ROC curve's convex hull."""
        return upper_hull(_with_zero_first(self.fp), _with_zero_first(self.tp))

    @functools.cached_property
    def _starts(self) -> NDArray[np.intp]:
        return self.source.starts()

    @functools.cached_property
    def _steps(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Weight of the positives and of the negatives at each threshold."""
        source = self.source
        positive, negative = self.positive_mass, self.negative_mass
        if positive is None:
            weights = mild(source.weights)  # type: ignore[arg-type] # without weights this is not reached
            positive, negative = source.positives * weights, source.negatives * weights
        if source.weights is not None and len(source.scores):
            positive, negative = (np.add.reduceat(x, self._starts, axis=-1) for x in (positive, negative))
        return positive[..., ::-1], negative[..., ::-1]


def added(terms: NDArray[Any]) -> Any:
    """Return the sum along the last axis, added in order, as the totals are, so that no share exceeds 1."""
    return np.cumsum(terms, axis=-1)[..., -1]


def _running(steps: NDArray[Any]) -> NDArray[Any]:
    return np.cumsum(steps, axis=-1, dtype=np.float64 if steps.dtype.kind == "f" else np.int64)


def _with_zero_first(running: NDArray[Any]) -> NDArray[Any]:
    """Return the same with a 0 in front: the count above a cutoff of infinity."""
    return np.concatenate([np.zeros((*running.shape[:-1], 1), running.dtype), running], axis=-1)
