"""What an interval is asked for, and what one method answers."""

from __future__ import annotations

import dataclasses
import functools
import math
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import student_quantile
from assay.inference.formulas.cluster_jackknife import cluster_jackknife, satterthwaite_df
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.influence.influence import Influence, influence
from assay.inputs.labels import encode
from assay.metrics import Mean, Ranks
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.metrics.ranking.retrieval import Lists
from assay.metrics.views.regression import Errors, Explained, Ranged, Scaled, ValuePairs
from assay.tallies import Collection, Confusion, LabelSets, Scores, Tally
from assay.tallies.exact_numbers import Dyadic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric

__all__ = [
    "NOISE",
    "IntervalRequest",
    "IntervalResult",
    "Spread",
    "check_seed",
    "has_weights",
    "rescaled",
    "without_equal_weights",
]

# Views whose rows bring numbers of any size: there the standard error is itself unsure, so that Student's t
# with the degrees of freedom it has covers better than the normal quantile.
_STUDENT = frozenset({Mean, Lists, Errors, Scaled, Explained, Ranged, ValuePairs})
_LEAST_WEIGHT = 2.0**-160  # of the largest: sums of cubes of those beyond are no floats
_TINY = np.finfo(np.float64).tiny
# Views whose rows say more or less of a metric by their class, as averages over classes do.
_BY_CLASS = frozenset({Ranks, ClassRanks})
NOISE = 1e-13  # of the value, of its distance from a bound, or of what the rows bring one by one


def check_seed(seed: Any) -> None:
    """Raise unless a seed is a whole number that 64 bits hold."""
    if not (isinstance(seed, Integral) and 0 <= int(seed) < 1 << 64):
        raise MetricError(f"seed={seed!r} is a whole number from 0 to 2**64 - 1.")


def rescaled(rows: Any) -> Any:
    """Return rows whose weights' cubes are floats: extreme ones are divided by a power of two.

    That changes no spread. Tallies are returned as they are.
    """
    if rows is None or isinstance(rows, Tally) or rows.weight is None or not len(rows):
        return rows
    held = rows.weight
    largest = float(held.values.max())
    if _LEAST_WEIGHT <= largest <= 1 / _LEAST_WEIGHT:
        return rows
    # No row is lost, though it be worth nothing beside the others.
    weights = np.maximum(np.ldexp(held.values, -math.frexp(largest)[1]), np.finfo(np.float64).tiny)
    return dataclasses.replace(rows, weight=dataclasses.replace(held, values=weights))


def without_equal_weights(question: IntervalRequest) -> IntervalRequest:
    """Return the same question of rows without weights, where all weights are equal: they say nothing then.

    Tallies of losses are left as they are: they count equal weights as none by themselves.
    """
    if not question.weighted:
        return question
    tally, rows = question.tally, question.rows
    weights = _row_weights(tally) if rows is None else rows.weight.values  # type: ignore[union-attr]
    if weights is None or not len(weights) or weights.min() != weights.max():
        return question
    if rows is not None:
        rows = dataclasses.replace(rows, weight=None)
        if isinstance(tally, LabelSets):  # whose rows are no columns of these
            tally = dataclasses.replace(tally, weights=None)
        else:
            tally, _ = question.metric.tallied(rows, question.row_options)
    elif isinstance(tally, (Confusion, Scores)):
        tally = dataclasses.replace(tally, weights=None)
    else:
        return question
    return dataclasses.replace(question, tally=tally, rows=rows)


def _row_weights(tally: Tally) -> NDArray[np.float64] | None:
    """Return weights that rows of a tally have, at least two of them where they are not all equal."""
    if isinstance(tally, Scores):
        return tally.weights
    if not isinstance(tally, Confusion):
        return None
    first, second = (np.asarray(tally.weight(power), dtype=np.float64) for power in (1, 2))
    means, squares = first / tally.counts, second / tally.counts
    return means if np.array_equal(squares, means**2) else np.array([0.0, 1.0])


class IntervalResult(NamedTuple):
    """An interval, how it was made, and what to know about it."""

    low: float
    high: float
    method: str
    note: str = ""
    standard_error: float | None = None


class Spread(NamedTuple):
    """A metric's standard error, the degrees of freedom behind it (None: many), and what the rows are worth.

    ``worth`` is how many independent rows of equal weight would do as well, ``groups`` how many groups the
    rows come in, ``design_effect`` how many times larger the variance is for that, and ``units`` how many
    rows of equal weight, or groups of equal size, there are in effect. ``design_df`` are the degrees of
    freedom that the groups or weights leave, whatever the values are.
    """

    error: float
    df: float | None
    worth: float
    groups: int | None = None
    design_effect: float | None = None
    units: float = math.nan
    design_df: float | None = None

    def quantile(self, confidence: float) -> float:
        """Return how many standard errors a two-sided interval reaches."""
        return normal_quantile(confidence) if self.df is None else student_quantile(confidence, self.df)


@dataclasses.dataclass(frozen=True, eq=False)
class IntervalRequest:
    """A metric's value whose interval is sought, the tally it is from, and the rows where they are at hand.

    Rows that come in groups, or have weights, are not as many independent rows: `plain` says that they
    are, and methods that count rows ask it first.
    """

    metric: Metric
    value: float
    tally: Tally
    options: dict[str, Any]  # what the metric was asked with, beside the tally
    confidence: float
    rows: Rows | None = None
    row_options: dict[str, Any] = dataclasses.field(default_factory=dict)  # and beside the rows
    seed: int = 0

    @property
    def clustered(self) -> bool:
        """Whether rows come in groups."""
        return self.rows is not None and self.rows.group is not None

    @functools.cached_property
    def weighted(self) -> bool:
        """Whether rows have weights of their own."""
        return has_weights(self.tally) if self.rows is None else self.rows.weight is not None

    @property
    def plain(self) -> bool:
        """Whether every row counts once and for itself."""
        return not self.clustered and not self.weighted

    @functools.cached_property
    def influence(self) -> Influence | None:
        """The influence of the tally's entries, or of the rows where only they have one or come in groups."""
        if not self.clustered:
            found = influence(self.metric, self.tally, **self.options)
            if found is not None or self.rows is None:
                return found
        return influence(self.metric, self.rows, tally=self.tally, **self.row_options)

    @functools.cached_property
    def units(self) -> Influence | None:
        """The influence of what was drawn on its own: of rows or queries, or of whole groups of them."""
        if self.influence is None or not self.clustered:
            return self.influence
        return Influence.of_rows(self.influence.value, self._group_sums(self.influence.parts))

    @functools.cached_property
    def spread(self) -> Spread | None:
        """The standard error by influence: of groups where there are some, with weights the sandwich."""
        return None if self.influence is None else self.spread_of(self.influence)

    def spread_of(self, rows: Influence) -> Spread:
        """Return the standard error of any metric of the same rows, whose influence this is."""
        if self.clustered:
            return self._clustered_spread(rows)
        n = rows.effective_sample_size
        if self.metric.reads not in _STUDENT or n <= 1:
            return Spread(self.seen(rows.standard_error), None, n, units=n)
        error, n_df = rows.standard_error * math.sqrt(n / (n - 1)), n - 1
        if rows.squares is not None and rows.slopes.ndim == 1:  # heavy rows pull the estimate to themselves
            error = cluster_jackknife(rows.parts, rows.mass, rows.squares).error
            n_df = min(n - 1, satterthwaite_df(rows.mass, rows.squares, n, 1.0))
        return Spread(self.seen(error), min(n_df, rows.freedom), n, units=n, design_df=n_df)

    def _clustered_spread(self, rows: Influence) -> Spread:
        """Return the standard error by the cluster jackknife."""
        sums, alone = self._group_sums(rows.parts), rows.standard_error
        leverage, expected = min(
            (tuple(map(self._group_sums, each)) for each in self._information(rows)),
            key=lambda each: float(each[1].sum() ** 2 / max(each[1] @ each[1], _TINY)),
        )
        found, groups = cluster_jackknife(sums, leverage, expected), len(sums)
        if math.isnan(found.error):
            return Spread(math.nan, 0.0, math.nan, groups, math.nan, found.effective_clusters)
        error = 0.0 if found.error < NOISE * alone else found.error  # what rounding leaves of like groups
        effect, error = (error / alone) ** 2 if alone > 0 else math.nan, self.seen(error)
        design = effect if effect > 0 else 1.0
        freedom = satterthwaite_df(leverage, expected, rows.effective_sample_size, design)
        df = design_df = max(min(found.df, freedom), 1.0)
        if self.metric.reads in _STUDENT:
            df = min(df, Influence.of_rows(rows.value, sums).freedom)
        worth = rows.effective_sample_size / effect if effect > 0 else math.nan
        return Spread(error, df, worth, groups, effect, found.effective_clusters, design_df)

    def _information(self, rows: Influence) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return each row's leverage on the metric and its expected part in the variance, were rows alone.

        Both are taken to be the same for all rows of one actual class, or of one prediction, but for their
        weights, so that the rows that happen to be wrong do not decide. Both views are returned where both
        are known.
        """
        weight = rows.mass
        if not rows.slopes.any():
            return [(weight, weight * weight)]
        known: Any = self.rows
        by_class = self.metric.reads in _BY_CLASS or self.options.get("average")
        labels = [known.actual, known.predicted if self.options.get("average") else None] if by_class else []
        found = []
        for column in labels:
            if column is None or column.values.ndim > 1 or len(column.values) != len(weight):
                continue
            codes, _ = encode(column)
            total = np.bincount(codes, weight)
            squares = np.square(rows.slopes / np.abs(rows.slopes).max())
            each = np.bincount(codes, weight * squares) / np.maximum(total, _TINY)
            found.append((weight * each[codes], weight * weight * each[codes]))
        return found or [(weight, weight * weight)]

    def _group_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        codes, labels = self._groups
        return np.bincount(codes, weights=values, minlength=len(labels)).astype(np.float64)

    def seen(self, error: float) -> float:
        """Return a standard error, 0 where it is no more than what rounding leaves of none."""
        ends = (abs(end - self.value) for end in (0.0, *self.metric.bounds) if math.isfinite(end))
        return error if error > NOISE * max(ends) else 0.0

    @functools.cached_property
    def _groups(self) -> tuple[NDArray[Any], Any]:
        """Return the group of each unit and all groups; the unit of ranked lists is the query."""
        rows: Any = self.rows
        codes, labels = encode(rows.need("group", "a clustered interval"))
        if self.metric.reads is not Lists:
            return codes, labels
        queries, _ = encode(rows.query)
        of_query = codes[np.unique(queries, return_index=True)[1]]
        if (of_query[queries] != codes).any():
            raise MetricError("a query lies in two groups: groups are of whole queries.")
        return of_query, labels

    @property
    def sizes(self) -> dict[str, Any]:
        """What to tell of the rows beside their number: groups and their price, and two ranked classes."""
        told: dict[str, Any] = {}
        if self.clustered:
            effect = None if self.spread is None else self.spread.design_effect
            known = effect is not None and not math.isnan(effect)
            told = {"groups": len(self._groups[1]), "design_effect": effect if known else None}
        if isinstance(self.tally, Scores):
            told["positives"], told["negatives"] = self.tally.totals
        return told


def has_weights(tally: Tally) -> bool:
    """Tell whether a tally's rows have weights other than 1."""
    if isinstance(tally, Collection):
        return any(has_weights(one) for one in tally.tallies)
    if getattr(tally, "weights", None) is not None:
        return True
    weight = getattr(tally, "weight", None)
    return isinstance(weight, Dyadic) and weight != Dyadic.of(tally.n)  # type: ignore[attr-defined]
