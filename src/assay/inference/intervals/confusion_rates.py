"""Intervals of a confusion table's metrics from the rates that make it up (MOVER).

They hold for independent, weighted and clustered rows.

A table of two classes is three independent rates: the share predicted positive, precision, and the false
omission rate. Each has an interval that holds with few rows and at 0 and 1;
the metric's follows from theirs (MOVER). Simulated over 14 settings, among them five positives, a useless
model and one error in 5,000 rows, intervals of MCC, kappa and F-beta covered 0.935 to 0.998 where the delta
method fell to 0.25. Several classes are the rate of rows that are right, and the rest by the delta method.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.bootstrap.vectorized import of_tables
from assay.inference.distributions import student_quantile
from assay.inference.formulas.effective_proportions import ClusterCells, Rate
from assay.inference.formulas.mover import mover_function
from assay.inference.formulas.proportions import Interval, jeffreys, modified_wilson, wilson
from assay.inference.influence.confusion import cell_of_rows
from assay.inference.influence.gradients import STEP, moved_counts
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import RATES, Default, interval_method
from assay.inputs.labels import encode
from assay.metrics import Binary
from assay.metrics.views.confusion import Ordered, effective_rows
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from assay.inference.intervals.interval_request import IntervalRequest
    from assay.metrics import Metric

__all__ = [
    "EXAMPLE_TABLE",
    "METRICS_BY_ACTUAL",
    "METRICS_THAT_TURN",
    "cell_numbers",
    "cell_weights",
    "cells_by_group",
    "class_cells",
    "correct_and_wrong_cells",
    "mover_accuracy",
    "mover_rates",
    "mover_two_rates",
    "rate_of",
    "table_of_rates",
    "wilson_name",
    "wilson_on_jaccard",
]

_TWO = 2
_MAX_EXPONENT = 709.0  # whose exponential is a float
_MAX_CLASSES = 2_000  # beyond, five full tables take long, and the delta method covers well
_STEP = 1e-5  # relative step of a share for a numerical derivative
_ALL = [True, True, True, True]
# Of tp, fp, fn and tn: which cells are in the numerator, and which in the denominator.
_BY_PREDICTED = (
    ([True, True, False, False], _ALL),  # the share predicted positive
    ([True, False, False, False], [True, True, False, False]),  # precision
    ([False, False, True, False], [False, False, True, True]),  # the false omission rate
)
_BY_ACTUAL = (
    ([True, False, True, False], _ALL),  # prevalence
    ([True, False, False, False], [True, False, True, False]),  # recall
    ([False, True, False, False], [False, True, False, True]),  # the false positive rate
)
# Metrics that depend on recall and the false positive rate alone.
METRICS_BY_ACTUAL = frozenset(
    (
        *("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"),
        *("precision_at_prevalence", "npv_at_prevalence", "prevalence_threshold", "g_mean"),
    )
)
# Metrics that fall and then rise again as a rate comes to 0 or 1, where their value is below a limit:
# agreement below chance comes nearer to it, and tau-c is largest where predictions are even.
METRICS_THAT_TURN = {
    **dict.fromkeys(("kappa", "weighted_kappa", "quadratic_weighted_kappa"), 0.0),
    "stuarts_tau_c": math.inf,
}
# A table in which no rate is 0 or 1, to find which cells a metric depends on.
EXAMPLE_TABLE = Binary(7.0, 3.0, 2.0, 11.0)


class _Rates(NamedTuple):
    """Three rates that make up a table of two classes, their intervals and how they vary together."""

    rates: list[Rate]
    limits: list[Interval]
    correlations: NDArray[np.float64] | None
    by_predicted: bool
    weight: float  # of all rows: some metrics depend on the number of rows

    def table(self, *rates: Any) -> Binary:
        """Return the table that the rates make up."""
        return table_of_rates(*rates, weight=self.weight, by_predicted=self.by_predicted)

    def error(self, slopes: NDArray[np.float64]) -> float:
        """Return the standard error of a function of the rates by the delta method."""
        contributions = sum(slope * rate.parts for slope, rate in zip(slopes, self.rates, strict=True))
        return float(np.sqrt(np.square(contributions).sum()))


def table_of_rates(first: Any, second: Any, third: Any, *, weight: Any, by_predicted: bool) -> Binary:
    """Return the table of some weight that three rates make up.

    They are the share predicted positive, precision and the false omission rate, or else prevalence, recall
    and the false positive rate.
    """
    first = first * weight
    other = weight - first
    hits, misses = first * second, other * third
    rest = first * (1 - second), other * (1 - third)
    if by_predicted:
        return Binary(hits, rest[0], misses, rest[1])
    return Binary(hits, misses, rest[0], rest[1])


def class_cells(request: IntervalRequest) -> ClusterCells | None:
    """Return the weights of tp, fp, fn and tn, in all and by group; None for averages."""
    tally, options = request.tally, request.options
    if options.get("average"):
        return None
    if isinstance(tally, Confusion) and (request.metric.reads is Binary or len(tally.labels) == _TWO):
        positive = options.get("positive") if request.metric.reads is Binary else tally.labels[1]
        return _cells_of_table(request, tally, positive)
    if not isinstance(tally, LabelSets) or request.metric.reads is not Binary:
        return None
    if request.plain:
        c = Binary.of(tally, positive=options.get("positive"))
        return ClusterCells(np.array([c.tp, c.fp, c.fn, c.tn], dtype=np.float64))
    if request.rows is not None and request.rows.multioutput:
        return _cells_of_label(request, tally.labels.index(options["positive"]))
    sums = request.influence
    if request.clustered or sums is None or sums.mass.shape != (4,):  # by row, which needs the clusters
        return None
    return ClusterCells(sums.mass, sums.squares)


def _cells_of_label(request: IntervalRequest, index: int) -> ClusterCells:
    """Return the weights of one label's tp, fp, fn and tn, in all and by group."""
    rows: Any = request.rows
    actual, predicted = (column.values[:, index] != 0 for column in (rows.actual, rows.predicted))
    cells = cell_numbers(actual, predicted)
    weight = np.ones(len(cells)) if rows.weight is None else rows.weight.values
    squares = None if rows.weight is None else cell_weights(cells, weight**2, 4)
    clusters = cells_by_group(request, cells, 4) if request.clustered else None
    return ClusterCells(cell_weights(cells, weight, 4), squares, clusters)


def _cells_of_table(request: IntervalRequest, tally: Confusion, positive: Any) -> ClusterCells:
    c = Binary.of(tally, positive=positive)
    mass = np.array([c.tp, c.fp, c.fn, c.tn], dtype=np.float64)
    if request.plain:
        return ClusterCells(mass)
    label = 1 if positive is None else positive
    index = tally.labels.index(label) if label in tally.labels else -1
    actual, predicted = (digit == index for digit in tally.digits())
    cells = cell_numbers(actual, predicted)
    squares = cell_weights(cells, tally.weight(2), 4) if request.weighted else None
    if not request.clustered:
        return ClusterCells(mass, squares)
    rows = request.rows

    def summed() -> tuple[Any, NDArray[np.float64]]:
        actual, predicted = np.divmod(cell_of_rows(rows, tally), len(tally.labels))  # type: ignore[arg-type]
        return rows, cells_by_group(request, cell_numbers(actual == index, predicted == index), 4)

    return ClusterCells(mass, squares, tally.cached(("clusters", id(rows), index), summed)[1])


def correct_and_wrong_cells(request: IntervalRequest) -> ClusterCells | None:
    """Return the weights of the correct rows and of the wrong ones, in all and by group."""
    tally = request.tally
    if not isinstance(tally, Confusion):
        return None
    wrong = np.not_equal(*tally.digits()).astype(np.intp)
    mass = cell_weights(wrong, tally.weight(), 2)
    if request.plain:
        return ClusterCells(mass)
    squares = cell_weights(wrong, tally.weight(2), 2) if request.weighted else None
    if not request.clustered:
        return ClusterCells(mass, squares)
    cells = cell_of_rows(request.rows, tally)  # type: ignore[arg-type]
    wrong_rows = np.not_equal(*np.divmod(cells, len(tally.labels))).astype(np.intp)
    return ClusterCells(mass, squares, cells_by_group(request, wrong_rows, 2))


def rate_of(request: IntervalRequest) -> Rate | None:
    """Return a metric of one class as a rate, with the effective rows of its denominator.

    The formula's slopes show which cells are hits and which are in the denominator.
    """
    cells = class_cells(request)
    if cells is None:
        return None
    slopes = np.asarray(request.metric.formula(moved_counts(EXAMPLE_TABLE))).imag / STEP
    return cells.rate(list(slopes > 0), list(slopes != 0), request.confidence)


@interval_method("wilson-on-jaccard", Default(metrics=("f1",), then=RATES))
def wilson_on_jaccard(request: IntervalRequest) -> IntervalResult | str | None:
    """Return F1's interval, mapped from that of Jaccard, which is a proportion."""
    cells = class_cells(request)
    if cells is None:
        return None
    rate = cells.rate([True, False, False, False], [True, True, True, False], request.confidence)
    if rate is None:
        return None
    limits = _limits(rate, request.confidence)
    low, high = (2 * limit / (1 + limit) for limit in limits)
    error = 2 / (1 + rate.value) ** 2 * rate.error
    name = wilson_name(rate.hits, rate.rows, limits, request.confidence)
    return IntervalResult(
        low, high, f"{name} on Jaccard" + ("" if request.plain else ", effective rows"), "", error
    )


@interval_method(
    "mover-two-rates",
    Default(metrics=("one_vs_rest_balanced_accuracy", "informedness", "markedness"), then=RATES),
)
def mover_two_rates(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a sum of two rates: recall and specificity, or precision and NPV.

    Each has Jeffreys' interval. With Wilson's, the more usual, the coverage fell to 0.89 where a rate of few
    rows is near 1; with Jeffreys' it stayed within 0.93 and 0.98 over the same grid. Weighted and clustered
    rows, whose effective number may be two or three, take the wider one.
    """
    cells = class_cells(request)
    if cells is None:
        return None
    masks = (_BY_PREDICTED if request.metric.name == "markedness" else _BY_ACTUAL)[1:]
    rates = [rate for mask in masks if (rate := cells.rate(*mask, request.confidence)) is not None]
    if len(rates) < _TWO:
        return None
    limit = jeffreys if request.plain else modified_wilson
    limits = [limit(rate.hits, rate.rows, request.confidence) for rate in rates]
    factor, shift = (0.5, 0.5) if request.metric.bounds[0] == 0 else (1.0, 0.0)
    correlations = None if request.plain else _correlations(rates)

    def function(first: Any, second: Any) -> Any:
        return factor * (first - second) + shift  # the second rate is that of errors

    (low, high), slopes = mover_function(function, [rate.value for rate in rates], limits, correlations)
    parts = sum(slope * rate.parts for slope, rate in zip(slopes, rates, strict=True))
    name = "MOVER-Jeffreys" if request.plain else "MOVER-Wilson"
    return IntervalResult(low, high, name, "", float(np.sqrt(np.square(parts).sum())))


@interval_method("mover-rates", Default(kinds=("counts",), then=RATES[1:]))
def mover_rates(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a metric of two classes from those of three rates; None for more classes."""
    cells = class_cells(request)
    if cells is None or math.isinf(request.value):
        return None
    splits = (
        (_BY_ACTUAL, _BY_PREDICTED)
        if request.metric.name in METRICS_BY_ACTUAL
        else (_BY_PREDICTED, _BY_ACTUAL)
    )
    candidates: Iterable[_Rates] = (
        rates for masks in splits if (rates := _rates(request, cells, masks)) is not None
    )
    if request.clustered:
        # A rate of 0 or 1 of many rows in few clusters has little information: the other split may have more.
        candidates = sorted(candidates, key=lambda rates: sum(rate.lost for rate in rates.rates))
    for rates in candidates:
        if (result := _from_rates(request, rates)) is not None:
            return result
    return None


def _from_rates(request: IntervalRequest, split: _Rates) -> IntervalResult | None:
    formula = _formula(request)
    positive = request.value > 0 and math.isinf(request.metric.bounds[1])

    def function(*rates: Any) -> Any:
        value = formula(split.table(*rates))
        return np.log(value) if positive else value

    values = [rate.value for rate in split.rates]
    turns = request.value < METRICS_THAT_TURN.get(request.metric.name, -math.inf)
    (low, high), slopes = mover_function(function, values, split.limits, split.correlations, turns=turns)
    if not low < high:
        return None
    error = split.error(np.nan_to_num(slopes))
    if positive:
        low, high, error = _exp(low), _exp(high), error * request.value
    return IntervalResult(low, high, "MOVER-Wilson", "", error)


def _rates(request: IntervalRequest, cells: ClusterCells, masks: Any) -> _Rates | None:
    """Return the three rates of a table, by its predictions or by its classes; None where one has no rows."""
    if request.plain:  # all metrics of one table share them
        key = ("rates", request.confidence, masks is _BY_PREDICTED, cells.mass.tobytes())
        return request.tally.cached(key, lambda: _compute_rates(request, cells, masks))  # type: ignore[no-any-return]
    return _compute_rates(request, cells, masks)


def _compute_rates(request: IntervalRequest, cells: ClusterCells, masks: Any) -> _Rates | None:
    rates = [
        rate for hits, total in masks if (rate := cells.rate(hits, total, request.confidence)) is not None
    ]
    if len(rates) < len(masks):
        return None
    limits = [_limits(rate, request.confidence) for rate in rates]
    correlations = None if request.plain else _correlations(rates)
    return _Rates(rates, limits, correlations, masks is _BY_PREDICTED, float(cells.mass.sum()))


def wilson_name(x: float, n: float, limits: Interval, confidence: float) -> str:
    """Return the name of a modified Wilson interval: Wilson's where it did not need to be modified."""
    return "Wilson" if wilson(x, n, confidence) == limits else "modified Wilson"


def _exp(x: float) -> float:
    return math.exp(x) if x < _MAX_EXPONENT else math.inf


def _limits(rate: Rate, confidence: float) -> Interval:
    return modified_wilson(rate.hits, rate.rows, confidence)


def _correlations(rates: list[Rate]) -> NDArray[np.float64]:
    parts = np.stack([rate.parts for rate in rates])
    sizes = np.sqrt(np.square(parts).sum(axis=1))
    scale = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    correlations = parts @ parts.T * np.outer(scale, scale)
    np.fill_diagonal(correlations, 1.0)
    return np.asarray(correlations)


@interval_method("mover-accuracy")
def mover_accuracy(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a metric of several classes: accuracy by MOVER, and the rest by delta.

    Accuracy is moved to its limits, while the correct and the wrong rows each keep their distribution over
    the cells; what these distributions add to the variance is taken from the delta method. The interval has
    a width where no row is wrong.
    """
    spread, cells = request.spread, correct_and_wrong_cells(request)
    if spread is None or cells is None or math.isnan(spread.error) or math.isinf(request.value):
        return None
    if len(request.tally.labels) > _MAX_CLASSES:  # type: ignore[attr-defined]
        return None
    if request.metric.reads is Binary and not request.options.get("average"):
        return None
    rate = cells.rate([True, False], [True, True], request.confidence)
    if rate is None:
        return None
    tally: Any = request.tally
    table = tally.table(tally.weight()).astype(np.float64)
    mixes = _mixes(table)
    if mixes is None:
        return None
    step = _STEP * min(max(rate.value, _STEP), max(1 - rate.value, _STEP))
    ends = _limits(rate, request.confidence)
    shares = np.clip([rate.value, *ends, rate.value - step, rate.value + step], 0.0, 1.0)
    tables = (shares[:, None, None] * mixes[0] + (1 - shares[:, None, None]) * mixes[1]) * float(table.sum())
    effective = effective_rows(tally)
    effective_size = None if effective is None else np.full(len(tables), effective)
    values = of_tables(request.metric, tables, tally.labels, request.options, effective_size)
    log = request.value > 0 and math.isinf(request.metric.bounds[1])
    if log:
        with np.errstate(divide="ignore"):
            values = np.log(values)
    if np.isnan(values[:3]).any():
        return None
    changes = values[1:3] - values[0]
    scale = request.value if log else 1.0
    own = (values[4] - values[3]) / (shares[4] - shares[3]) * rate.error
    rest_variance = (spread.error / scale) ** 2 - (own**2 if math.isfinite(own) else 0.0)
    quantile = spread.quantile(request.confidence)
    if request.metric.reads is Ordered and request.influence is not None:
        # A few far errors are most of their variance, which is as uncertain as their number is small.
        df = min(request.influence.freedom, math.inf if spread.df is None else spread.df)
        quantile = student_quantile(request.confidence, df)
    rest = quantile * math.sqrt(max(rest_variance, 0.0))
    low = values[0] - math.hypot(min(*changes, 0.0), rest)
    high = values[0] + math.hypot(max(*changes, 0.0), rest)
    if not low < high:
        return None
    if log:
        low, high = _exp(low), _exp(high)
    return IntervalResult(float(low), float(high), "MOVER on accuracy", "", spread.error)


def _mixes(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return how the correct rows, and the wrong ones, are distributed over the cells.

    Where none is wrong, or none correct, they are distributed as actual and predicted classes by chance.
    """
    correct = np.diag(np.diag(table))
    wrong = table - correct
    chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    chance_correct = np.diag(np.diag(chance))
    mixes = [
        correct if correct.any() else chance_correct,
        wrong if wrong.any() else chance - chance_correct,
    ]
    totals = [float(mix.sum()) for mix in mixes]
    if not all(totals):
        return None
    return mixes[0] / totals[0], mixes[1] / totals[1]


def _formula(request: IntervalRequest) -> Callable[[Binary], Any]:
    metric: Metric = request.metric
    options = {name: value for name, value in request.options.items() if name in metric.parameters}
    if metric.reads is Binary:
        return lambda counts: metric.formula(counts, **options)
    effective = effective_rows(request.tally)  # type: ignore[arg-type]
    return lambda counts: metric.formula(metric.reads(counts.classes().table, effective), **options)


def cell_numbers(actual: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return 0 for tp, 1 for fp, 2 for fn and 3 for tn."""
    return np.where(actual, np.where(predicted, 0, 2), np.where(predicted, 1, 3))


def cell_weights(cells: NDArray[np.intp], weights: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Return the sum of the weights in each of `size` cells."""
    return np.bincount(cells, weights=weights, minlength=size).astype(np.float64)


def cells_by_group(request: IntervalRequest, cells: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    """Return the sums of weights of each group's rows in each cell."""
    rows: Any = request.rows
    codes, labels = encode(rows.group)
    weight = np.ones(len(codes)) if rows.weight is None else rows.weight.values
    return cell_weights(codes.astype(np.intp) * size + cells, weight, len(labels) * size).reshape(-1, size)
