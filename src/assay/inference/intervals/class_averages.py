"""Intervals of averages over classes: of recalls, and of any metric of one class against the rest.

Each class's rate is skewed where it is near 1 or its rows are few, but an average over many classes is not.
Limits that carry every class's skewness into the average (MOVER) covered 0.79 with 50 classes, where the
delta method has 0.94; with two classes it is the other way round. So both are mixed by the number of classes.
The delta method takes each class's variance with half a row added to each cell: two correct rows of a class
do not show that it is always predicted correctly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.mover import mover
from assay.inference.formulas.proportions import proportion_interval
from assay.inference.influence.gradients import class_slopes
from assay.inference.intervals.confusion_rates import mover_rates, mover_two_rates
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import RATES, Default, interval_method
from assay.metrics import Binary, Classes
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.inference.formulas.proportions import Interval
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["class_average", "mean_of_recalls"]

_TWO = 2
_ADDED_ROWS = 0.5  # to each cell


@interval_method(
    "mean-of-recalls",
    Default(
        metrics=("balanced_accuracy", "adjusted_balanced_accuracy", "g_mean", "macro recall"), then=RATES
    ),
)
def mean_of_recalls(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a mean of recalls, arithmetic or geometric, each of them a proportion."""
    tally, geometric = request.tally, request.metric.name == "g_mean"
    if not isinstance(tally, Confusion):
        return None
    if len(tally.labels) == _TWO and not geometric:
        return mover_two_rates(request)
    if not request.plain:
        return mover_rates(request)
    view = Classes.of(tally)
    hits, totals = (np.asarray(x, dtype=float) for x in (view.hits, view.actual))
    if not totals.all():
        return None
    limits = [
        proportion_interval(x, n, request.confidence, "jeffreys")
        for x, n in zip(hits.tolist(), totals.tolist(), strict=True)
    ]
    result = (
        _geometric(hits, totals, limits, request) if geometric else _arithmetic(hits, totals, limits, request)
    )
    if geometric or request.metric.name != "adjusted_balanced_accuracy":
        return result
    # (K b - 1) / (K - 1): balanced accuracy corrected for chance.
    size = len(hits)
    low, high = ((size * limit - 1) / (size - 1) for limit in (result.low, result.high))
    error = None if result.standard_error is None else result.standard_error * size / (size - 1)
    return result._replace(low=low, high=high, standard_error=error)


def _arithmetic(
    hits: NDArray[np.float64],
    totals: NDArray[np.float64],
    limits: Sequence[Interval],
    request: IntervalRequest,
) -> IntervalResult:
    size = len(hits)
    rates = hits / totals
    value = float(rates.mean())
    exact = mover(rates.tolist(), limits, [1 / size] * size)
    smooth = (hits + _ADDED_ROWS) * (totals - hits + _ADDED_ROWS) / (totals + 1) ** 2 / totals
    delta = delta_interval(
        value, math.sqrt(float(smooth.sum())) / size, (0, 1), confidence=request.confidence
    )
    low, high = _mixed(value, exact, delta, size)
    error = math.sqrt(float((rates * (1 - rates) / totals).sum())) / size
    return IntervalResult(max(low, 0.0), min(high, 1.0), "MOVER and delta", "", error)


def _geometric(
    hits: NDArray[np.float64],
    totals: NDArray[np.float64],
    limits: Sequence[Interval],
    request: IntervalRequest,
) -> IntervalResult:
    """Return the interval of a geometric mean of rates: that of the sum of their logarithms."""
    share = 1 / len(hits)
    method = "MOVER-Jeffreys on logarithms"
    if not hits.all():  # the product is 0, and at most that of the rates' upper limits
        return IntervalResult(0.0, math.prod(high**share for _, high in limits), method)
    logs = np.log(hits / totals)
    value = float(logs.mean())
    ends = [(math.log(low), math.log(high)) for low, high in limits]
    exact = mover(logs.tolist(), ends, [share] * len(hits))
    smooth = (totals - hits + _ADDED_ROWS) / ((hits + _ADDED_ROWS) * totals)
    delta = delta_interval(
        value, math.sqrt(float(smooth.sum())) * share, (-math.inf, math.inf), confidence=request.confidence
    )
    low, high = _mixed(value, exact, delta, len(hits))
    error = math.exp(value) * share * math.sqrt(float(((totals - hits) / (hits * totals)).sum()))
    return IntervalResult(math.exp(low), min(math.exp(high), 1.0), method, "", error)


def _mixed(value: float, exact: Interval, delta: Interval | None, size: int) -> Interval:
    """Mix the limits of MOVER, which suit two classes, with those of delta, which suit many."""
    if delta is None or size <= _TWO:
        return exact
    weight = _TWO / size
    half_widths = [
        math.sqrt(weight * (value - a) ** 2 + (1 - weight) * (value - b) ** 2)
        for a, b in zip(exact, delta, strict=True)
    ]
    return value - half_widths[0], value + half_widths[1]


@interval_method("class-average", Default(averages=("proportion", "counts"), then=RATES))
def class_average(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the delta interval of an average over classes, with half a row added to each cell.

    The variance of the average is raised by the same factor as the sum of the classes' variances.
    """
    spread, tally = request.spread, request.tally
    average = request.options.get("average")
    if spread is None or average not in ("macro", "weighted") or not isinstance(tally, Confusion):
        return None
    if math.isnan(spread.error) or request.metric.reads is not Binary:
        return None
    each = Binary.each(tally)
    scale = 1.0 if request.plain else spread.units / float(tally.weight().sum())
    cells = np.stack([np.asarray(x, dtype=np.float64) for x in (each.tp, each.fp, each.fn, each.tn)]) * scale
    options = {name: value for name, value in request.options.items() if name in request.metric.parameters}
    weights = np.ones(cells.shape[1]) if average == "macro" else cells[0] + cells[2]
    variances, smoothed = (_variances(request, moved, options) for moved in (cells, cells + _ADDED_ROWS))
    known = np.isfinite(variances) & np.isfinite(smoothed)
    square = np.square(weights[known] / weights[known].sum())
    biases, left_out = _jackknife(request, cells, options, weighted=average == "weighted")
    # Of a share of m rows, the geometric mean has m - 1 in place of m.
    left_out = np.where(left_out > 0, np.sqrt(variances * left_out), smoothed)
    observed = float(square @ variances[known])
    smooth = max(float(square @ smoothed[known]), float(square @ left_out[known]))
    if not smooth > 0:
        return None
    error = spread.error * math.sqrt(max(smooth / observed, 1.0)) if observed > 0 else math.sqrt(smooth)
    bias = float(weights[known] / weights[known].sum() @ biases[known])
    ends = sorted(
        (request.value, min(max(request.value - bias, request.metric.bounds[0]), request.metric.bounds[1]))
    )
    bounds, confidence = request.metric.bounds, request.confidence
    both = [delta_interval(end, error, bounds, confidence=confidence, df=spread.df) for end in ends]
    first, last = (limits or (request.value, request.value) for limits in both)
    if first == last == (request.value, request.value):
        return None
    return IntervalResult(
        min(first[0], last[0]), max(first[1], last[1]), "delta, half a row added", "", spread.error
    )


def _jackknife(
    request: IntervalRequest, cells: NDArray[np.float64], options: dict[str, Any], *, weighted: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each class's bias and variance by the jackknife (Quenouille 1956, Tukey 1958).

    A ratio of few rows is biased: F1 of a class of four rows lies low. So is an average weighted by classes'
    sizes: a class with more rows by chance has more hits, too, and a higher precision. The variance of a
    share of m rows is m / (m - 1) times what it should be, and the delta method's (m - 1) / m times.
    """
    with np.errstate(all="ignore"):
        value = np.asarray(request.metric.formula(Binary(*cells), **options))
        size = (cells[0] + cells[2]) / cells.sum(axis=0)
        bias, variance = np.zeros(cells.shape[1]), np.zeros(cells.shape[1])
        for cell in range(len(cells)):
            fewer = cells.copy()
            fewer[cell] = np.maximum(fewer[cell] - 1, 0.0)
            moved = np.asarray(request.metric.formula(Binary(*fewer), **options))
            variance += np.where(np.isfinite(moved - value), cells[cell] * np.square(moved - value), 0.0)
            if weighted:  # a class's weight in the average changes with its size, too
                moved = moved * (fewer[0] + fewer[2]) / fewer.sum(axis=0) / size
            bias += np.where(np.isfinite(moved - value), cells[cell] * (moved - value), 0.0)
    return bias, variance


def _variances(
    request: IntervalRequest, cells: NDArray[np.float64], options: dict[str, Any]
) -> NDArray[np.float64]:
    """Return the variance of every class's value by the delta method."""
    with np.errstate(all="ignore"):
        slopes = class_slopes(lambda c: request.metric.formula(c, **options), Binary(*cells))
    stacked = np.stack([np.asarray(x) for x in (slopes.tp, slopes.fp, slopes.fn, slopes.tn)])
    return np.asarray((cells * np.square(stacked)).sum(axis=0))
