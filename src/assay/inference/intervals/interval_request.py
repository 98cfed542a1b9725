"""The request for a metric's interval, with the standard error of the metric, and a method's result."""

from __future__ import annotations

import dataclasses
import functools
import math
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
from assay.metrics.views.regression import ERROR_VIEWS
from assay.tallies import Collection, ColumnTallies, Confusion, LabelSets, Scores, Tally
from assay.tallies.exact_numbers import Dyadic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric

__all__ = [
    "NOISE",
    "NUMERIC_VIEWS",
    "IntervalRequest",
    "IntervalResult",
    "Spread",
    "drop_equal_weights",
    "has_weights",
    "without_equal_weights",
]

# Views whose rows bring numbers of any size: there the standard error is itself uncertain, so that Student's
# t with its degrees of freedom covers better than the normal quantile.
NUMERIC_VIEWS = ERROR_VIEWS | {Mean, Lists}
_TINY = np.finfo(np.float64).tiny
# Views in which a row's leverage on a metric depends on its class, as it does in averages over classes.
_CLASS_VIEWS = frozenset({Ranks, ClassRanks})
NOISE = 1e-13  # relative rounding error: of a value, of its distance from a bound, of a standard error


def without_equal_weights(request: IntervalRequest) -> IntervalRequest:
    """Drop the weights of a request whose rows all have the same weight: it carries no information.

    Tallies of losses are left as they are: they treat equal weights as none by themselves.
    """
    if not request.weighted:
        return request
    tally, rows = request.tally, request.rows
    if rows is None:
        tally = drop_equal_weights(tally)
        return request if tally is request.tally else dataclasses.replace(request, tally=tally)
    rows = drop_equal_weights(rows)
    if rows is request.rows:
        return request
    if isinstance(tally, LabelSets):  # its rows are not columns of `rows`
        tally = dataclasses.replace(tally, weights=None)
    else:
        tally, _ = request.metric.tallied(rows, request.row_options)
    return dataclasses.replace(request, tally=tally, rows=rows)


def drop_equal_weights(data: Any) -> Any:
    """Return rows, or a tally of labels or scores, without their weights where these are all equal.

    >>> import assay
    >>> drop_equal_weights(assay.rows(actual=[1, 0], predicted=[1, 1], weight=[2, 2])).weight is None
    True
    """
    if isinstance(data, Tally):
        weights = _row_weights(data)
        dropped: dict[str, Any] = {"weights": None}
    else:
        weights = None if data.weight is None else data.weight.values
        dropped = {"weight": None}
    if weights is None or not len(weights) or weights.min() != weights.max():
        return data
    return dataclasses.replace(data, **dropped)


def _row_weights(tally: Tally) -> NDArray[np.float64] | None:
    """Return weights of a tally's rows: at least two different ones where they are not all equal."""
    if isinstance(tally, Scores):
        return tally.weights
    if not isinstance(tally, Confusion) or tally.weights is None:
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
    """A metric's standard error, its degrees of freedom (None: normal), and the effective sample size.

    ``effective_sample_size`` is how many independent rows of equal weight would have the same standard error,
    ``groups`` the number of groups, ``design_effect`` the factor by which grouping raises the variance, and
    ``units`` the effective number of rows of equal weight, or of groups of equal size.
    ``design_df`` are the degrees of freedom that the groups or weights leave, whatever the values are.
    """

    error: float
    df: float | None
    effective_sample_size: float
    groups: int | None = None
    design_effect: float | None = None
    units: float = math.nan
    design_df: float | None = None

    def quantile(self, confidence: float) -> float:
        """Return how many standard errors a two-sided interval reaches."""
        return normal_quantile(confidence) if self.df is None else student_quantile(confidence, self.df)


@dataclasses.dataclass(frozen=True, eq=False)
class IntervalRequest:
    """A metric's value whose interval is requested, its tally, and the rows where they are available.

    `plain` tells whether rows are independent and unweighted: methods that count rows check it first, since
    grouped or weighted rows are not as many independent ones.
    """

    metric: Metric
    value: float
    tally: Tally
    options: dict[str, Any]  # of the metric, when it is called with the tally
    confidence: float
    rows: Rows | None = None
    row_options: dict[str, Any] = dataclasses.field(
        default_factory=dict
    )  # of the metric, when it is called with the rows
    seed: int = 0

    @property
    def clustered(self) -> bool:
        """Whether rows come in groups."""
        return self.rows is not None and self.rows.group is not None

    @functools.cached_property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return has_weights(self.tally) if self.rows is None else self.rows.weight is not None

    @property
    def plain(self) -> bool:
        """Whether rows are independent and unweighted."""
        return not self.clustered and not self.weighted

    @functools.cached_property
    def influence(self) -> Influence | None:
        """The influence of the tally's entries, or of the rows where only they have one or come in groups."""
        if not self.clustered:
            result = influence(self.metric, self.tally, **self.options)
            if result is not None or self.rows is None:
                return result
        return influence(self.metric, self.rows, tally=self.tally, **self.row_options)

    @functools.cached_property
    def units(self) -> Influence | None:
        """The influence of the independent sampling units: rows, queries, or groups of them."""
        if self.influence is None or not self.clustered:
            return self.influence
        return Influence.of_rows(self.influence.value, self._group_sums(self.influence.parts))

    @functools.cached_property
    def spread(self) -> Spread | None:
        """The standard error from influences: clustered where there are groups, else the sandwich."""
        return None if self.influence is None else self.spread_of(self.influence)

    def spread_of(self, rows: Influence) -> Spread:
        """Return the standard error of a metric of the same rows from its influence."""
        if self.clustered:
            return self._clustered_spread(rows)
        n = rows.effective_sample_size
        if self.metric.reads not in NUMERIC_VIEWS or n <= 1:
            return Spread(self.without_rounding(rows.standard_error), None, n, units=n)
        error, design_df = rows.standard_error * math.sqrt(n / (n - 1)), n - 1
        if rows.squares is not None and rows.slopes.ndim == 1:  # heavy rows pull the estimate to themselves
            error = cluster_jackknife(rows.parts, rows.mass, rows.squares).error
            design_df = min(n - 1, satterthwaite_df(rows.mass, rows.squares, n, 1.0))
        df = min(design_df, rows.freedom)
        return Spread(self.without_rounding(error), df, n, units=n, design_df=design_df)

    def _clustered_spread(self, rows: Influence) -> Spread:
        """Return the standard error by the cluster jackknife."""
        sums, independent_error = self._group_sums(rows.parts), rows.standard_error
        leverage, expected = min(
            (tuple(map(self._group_sums, each)) for each in self._information(rows)),
            key=lambda each: float(each[1].sum() ** 2 / max(each[1] @ each[1], _TINY)),
        )
        jackknife, groups = cluster_jackknife(sums, leverage, expected), len(sums)
        if math.isnan(jackknife.error):
            return Spread(math.nan, 0.0, math.nan, groups, math.nan, jackknife.effective_clusters)
        # Groups that are all alike leave rounding errors.
        error = 0.0 if jackknife.error < NOISE * independent_error else jackknife.error
        effect = (error / independent_error) ** 2 if independent_error > 0 else math.nan
        error = self.without_rounding(error)
        observed_effect = effect if effect > 0 else 1.0
        satterthwaite = satterthwaite_df(leverage, expected, rows.effective_sample_size, observed_effect)
        df = design_df = max(min(jackknife.df, satterthwaite), 1.0)
        if self.metric.reads in NUMERIC_VIEWS:
            df = min(df, Influence.of_rows(rows.value, sums).freedom)
        effective_size = rows.effective_sample_size / effect if effect > 0 else math.nan
        return Spread(error, df, effective_size, groups, effect, jackknife.effective_clusters, design_df)

    def _information(self, rows: Influence) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return each row's leverage and its expected share of the variance, if rows were independent.

        Both are taken to be the same for all rows of one actual class, or of one predicted class, but for
        their weights, so that they do not depend on which rows happen to be wrong. There is one pair by
        actual and one by predicted classes where both are known.
        """
        weight = rows.mass
        if not rows.slopes.any():
            return [(weight, weight * weight)]
        columns: Any = self.rows
        by_class = self.metric.reads in _CLASS_VIEWS or self.options.get("average")
        labels = (
            [columns.actual, columns.predicted if self.options.get("average") else None] if by_class else []
        )
        pairs = []
        for column in labels:
            if column is None or column.values.ndim > 1 or len(column.values) != len(weight):
                continue
            codes, _ = encode(column)
            total = np.bincount(codes, weight)
            squares = np.square(rows.slopes / np.abs(rows.slopes).max())
            by_label = np.bincount(codes, weight * squares) / np.maximum(total, _TINY)
            pairs.append((weight * by_label[codes], weight * weight * by_label[codes]))
        return pairs or [(weight, weight * weight)]

    def _group_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        codes, labels = self._groups
        return np.bincount(codes, weights=values, minlength=len(labels)).astype(np.float64)

    def without_rounding(self, error: float) -> float:
        """Return a standard error, 0 where it is no larger than rounding errors."""
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
        """Sizes that an estimate reports: groups with their design effect, positives and negatives."""
        sizes: dict[str, Any] = {}
        if self.clustered:
            effect = None if self.spread is None else self.spread.design_effect
            known = effect is not None and not math.isnan(effect)
            sizes = {"groups": len(self._groups[1]), "design_effect": effect if known else None}
        if isinstance(self.tally, Scores):
            sizes["positives"], sizes["negatives"] = self.tally.totals
        return sizes


def has_weights(tally: Tally) -> bool:
    """Return whether a tally's rows have weights other than 1."""
    if isinstance(tally, (Collection, ColumnTallies)):
        return any(has_weights(part) for part in tally.tallies)
    if getattr(tally, "weights", None) is not None:
        return True
    weight = getattr(tally, "weight", None)
    return isinstance(weight, Dyadic) and weight != Dyadic.of(tally.n)  # type: ignore[attr-defined]
