"""The bootstrap of any metric: draw the rows anew many times and see how far the metric moves.

Rows in one entry of a tally cannot be told apart, so drawing rows with replacement is drawing multinomial
counts of the entries (Efron 1979): a confusion table of a billion rows is resampled as fast as one of a
hundred. Replicate b is a function of the seed, of b and of the entries: the order of rows, how they were
cut into tallies, threads and other replicates do not change it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.inference.bootstrap import bootstrap_limits
from assay.inference.bootstrap.row_units import units_of_rows, with_positive
from assay.inference.bootstrap.tally_units import units_of_tally
from assay.inference.bootstrap.units import MANY, drawn_values
from assay.inference.bootstrap.units import acceleration as jackknifed
from assay.inference.bootstrap.vectorized import of_tables
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import check_confidence
from assay.inference.influence.influence import influence
from assay.inputs import Rows
from assay.metrics import Metric, Undefined, find
from assay.metrics.views.confusion import Binary, Classes, Ordered
from assay.metrics.views.row_means import Mean
from assay.tallies import Confusion, Losses, Tally, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.bootstrap.units import ResamplingUnits
    from assay.metrics import Value

__all__ = [
    "bootstrap",
    "checked_count",
    "checked_seed",
    "dirichlet_interval",
    "exact_value",
    "replicates",
    "units_of",
]

_METHODS = {
    "bca": "BCa",
    "percentile": "percentile",
    "basic": "basic",
    "normal": "normal",
    "studentised": "studentised",
}
_PRIOR = 2.0  # of all cells together
_GAMMAS = 0xD1  # the second half of the key of the Dirichlet draws


def replicates(
    metric: Metric | str,
    data: Any,
    *,
    count: int | None = None,
    seed: int = 0,
    stratified: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """Return a metric's value in each of `count` bootstrap replicates, NaN where one has none.

    `data` is a tally that still knows its rows (Confusion, Scores, Values, NumberPairs, Queries, Confidences,
    one label of LabelSets), or rows, which are then tallied or, where no tally will do, drawn themselves.
    Rows with groups are drawn by whole groups, rankings by whole queries, weighted rows with their weights.
    Further keywords are the metric's own. Without `count` there are 9,999 replicates, or 1,999 of metrics of
    scores, of what is read row by row, and of more than 4,096 entries.

    `stratified` keeps the number of rows of each actual class: only where the design fixed it.

    >>> import assay
    >>> tally = assay.Confusion.of(assay.rows(actual=[0, 0, 0, 1, 1, 1], predicted=[0, 0, 1, 1, 1, 0]))
    >>> values = replicates("accuracy", tally, count=1000, seed=1)
    >>> values.shape, bool(abs(values.mean() - 4 / 6) < 0.02)
    ((1000,), True)
    """
    metric = find(metric) if isinstance(metric, str) else metric
    value, units = exact_value(metric, data, options), None
    if not isinstance(value, Undefined) or _size(data):
        units = units_of(metric, data, options, stratified=stratified)
    count = checked_count(count, MANY if units is None else units.usual_count)
    if units is None or not units.n:
        return np.full(count, math.nan)
    return drawn_values(units, count, checked_seed(seed), progress=progress)


def bootstrap(
    metric: Metric | str,
    data: Any,
    *,
    confidence: float = 0.95,
    method: Literal["bca", "percentile", "basic", "normal", "studentised", "dirichlet"] = "bca",
    count: int | None = None,
    seed: int = 0,
    stratified: bool = False,
    acceleration: float | None = None,
    convention: bootstrap_limits.Convention = "order",
    progress: bool | None = None,
    **options: Any,
) -> Estimate:
    """Return a metric's exact value with limits from its bootstrap replicates (see :func:`replicates`).

    ``"bca"`` (Efron 1987) corrects for bias and skewness, the latter by `acceleration`, which is taken from
    the rows' influences, or else from the jackknife, unless it is given; ``"basic"`` mirrors the percentile's
    limits at the value, ``"normal"`` takes the replicates' bias and standard deviation, and both may reach
    beyond a metric's bounds; ``"studentised"`` is for means of rows, and the best there is where they are
    skewed; ``"dirichlet"`` is :func:`dirichlet_interval`, which has a width where a model made no error.

    With ``convention="order"`` a limit is one of the replicates, and replicates that equal the value count
    half in BCa's bias. ``convention="boot"`` is that of R's boot.ci: quantiles between two replicates are
    interpolated on the normal scale, and only replicates below the value count in the bias. (Its default
    acceleration is a regression's approximation of the influences that are exact here.)

    >>> import assay
    >>> actual, predicted = [0] * 50 + [1] * 50, [0] * 45 + [1] * 50 + [0] * 5
    >>> tally = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))
    >>> bootstrap("mcc", tally)
    0.8 [0.6585, 0.8999]
    >>> bootstrap("mcc", tally).note
    '9,999 replicates, seed 0'
    """
    metric = find(metric) if isinstance(metric, str) else metric
    check_confidence(confidence)
    if method == "dirichlet":
        if stratified or acceleration is not None:
            raise MetricError('method="dirichlet" takes neither stratified= nor acceleration=.')
        return dirichlet_interval(metric, data, confidence=confidence, count=count, seed=seed, **options)
    if method not in _METHODS:
        known = ", ".join(f'"{name}"' for name in (*_METHODS, "dirichlet"))
        raise MetricError(f"method={method!r} is not known: use {known}.")
    if convention not in ("order", "boot"):
        raise MetricError(f'convention={convention!r} is not known: use "order" or "boot".')
    said = f"bootstrap, {_METHODS[method]}{', stratified' if stratified else ''}"
    value = exact_value(metric, data, options)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, said, _size(data), "there is no value to judge")
    units = units_of(metric, data, options, stratified=stratified)
    count = checked_count(count, units.usual_count)
    seed = checked_seed(seed)
    values = drawn_values(units, count, seed, progress=progress)
    if method == "percentile":
        limits = bootstrap_limits.percentile(values, confidence=confidence, convention=convention)
    elif method == "basic":
        limits = bootstrap_limits.basic(values, float(value), confidence=confidence, convention=convention)
    elif method == "normal":
        limits = bootstrap_limits.normal(values, float(value), confidence=confidence)
    elif method == "bca":
        a = _skewness(metric, data, options, units, seed=seed) if acceleration is None else acceleration
        limits = bootstrap_limits.bca(values, float(value), a, confidence=confidence, convention=convention)
    else:
        errors, error = _errors(units, count, seed, progress=progress)
        limits = bootstrap_limits.studentised(
            values, errors, float(value), error, confidence=confidence, convention=convention
        )
    kept = values[~np.isnan(values)]
    spread = float(kept.std(ddof=1)) if len(kept) > 1 and np.isfinite(kept).all() else None
    notes = [f"{count:,} replicates, seed {seed}", units.note, limits.note]
    if limits.note == "every replicate has the same value" and metric.reads in (Binary, Classes, Ordered):
        notes.append('method="dirichlet" has limits then')
    note = "; ".join(one for one in notes if one)
    return Estimate(value, limits.low, limits.high, confidence, said, _size(data), note, spread)


def dirichlet_interval(
    metric: Metric | str,
    data: Any,
    *,
    confidence: float = 0.95,
    count: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Estimate:
    """Return equal-tailed limits of a table's metric over tables that could have led to the counts.

    Shares are drawn from the Dirichlet distribution of the counts plus a prior of 2 rows spread over all
    cells, which for two classes is Jeffreys'. It has a width where a model made no error at all, where every
    bootstrap replicate would be alike; where the value itself lies beyond a limit, the limit is the value.

    >>> import assay
    >>> tally = assay.Confusion.of(assay.rows(actual=[0] * 20 + [1] * 20, predicted=[0] * 20 + [1] * 20))
    >>> dirichlet_interval("mcc", tally)
    1 [0.8329, 1]
    """
    metric = find(metric) if isinstance(metric, str) else metric
    check_confidence(confidence)
    fits = metric.reads in (Binary, Classes, Ordered)
    tally = Confusion.of(data) if fits and isinstance(data, Rows) else data
    if not fits or not isinstance(tally, Confusion):
        raise MetricError(
            f"a Dirichlet interval is one of a confusion table, which {metric.name} is not read from."
        )
    if tally.weights is not None:
        raise MetricError("a Dirichlet interval counts rows: sums of weights are no counts.")
    value, said = exact_value(metric, data, options), "Dirichlet, 2 rows added"
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, said, tally.n, "there is no value to judge")
    count = checked_count(count, MANY)
    options = with_positive(metric, data, options)
    size = len(tally.labels)
    rng = np.random.Generator(np.random.Philox(key=[checked_seed(seed), _GAMMAS]))
    shape = tally.table().ravel() + _PRIOR / size**2
    values = np.empty(count)
    together = max((1 << 21) // size**2, 1)
    for begin in range(0, count, together):
        tables = rng.standard_gamma(shape, (min(together, count - begin), size**2))
        tables *= tally.n / tables.sum(-1, keepdims=True)
        values[begin : begin + together] = of_tables(
            metric, tables.reshape(-1, size, size), tally.labels, options
        )
    low, high, said_of_them = bootstrap_limits.percentile(values, confidence=confidence)
    if low is not None and high is not None:
        low, high = min(low, float(value)), max(high, float(value))
    notes = [f"{count:,} draws, seed {seed}", said_of_them]
    return Estimate(value, low, high, confidence, said, tally.n, "; ".join(one for one in notes if one))


def exact_value(metric: Metric, data: Any, options: dict[str, Any]) -> Value:
    """Return the metric of the data as they are; values of a tally are taken for the losses of a mean."""
    if isinstance(data, Values) and metric.reads is Mean:
        losses = Losses.of_counts(data.values.astype(np.float64), data.counts, data.weights)
        return metric(losses, **{k: v for k, v in options.items() if k not in metric.loss_parameters})
    return metric(data, **options)


def units_of(
    metric: Metric, data: Any, options: dict[str, Any], *, stratified: bool = False
) -> ResamplingUnits:
    """Return what a bootstrap of the data draws."""
    if isinstance(data, Tally):
        return units_of_tally(metric, data, options, stratified=stratified)
    return units_of_rows(metric, data, options, stratified=stratified)


def _skewness(
    metric: Metric, data: Any, options: dict[str, Any], units: ResamplingUnits, *, seed: int
) -> float:
    """Return the acceleration: by the rows' influences where they have some, else jackknifed."""
    of_losses = isinstance(data, Values) and metric.reads is Mean
    of_units = metric.each is not None or (isinstance(data, Rows) and data.group is not None)
    found = None if of_losses or of_units else influence(metric, data, **options)
    return jackknifed(units, seed) if found is None else found.acceleration


def _errors(
    units: ResamplingUnits, count: int, seed: int, *, progress: bool | None
) -> tuple[NDArray[np.float64], float]:
    """Return the standard errors of the replicates and of the mean itself."""
    if units.errors is None:
        raise MetricError(
            'method="studentised" is for means of rows with finite losses, read from rows or values.'
        )
    errors = drawn_values(units, count, seed, progress=progress, what=units.errors)
    return errors, float(units.errors(units.sizes.astype(np.int64)[None])[0])


def _size(data: Any) -> int:
    return int(data.n) if hasattr(data, "n") else len(data)


def checked_count(count: int | None, default: int) -> int:
    """Return how many replicates are asked for, or raise where that is no such number."""
    return default if count is None else _whole(count, "count", 1, 1 << 40)


def checked_seed(seed: int) -> int:
    """Return the seed, or raise where it is none."""
    return _whole(seed, "seed", 0, 1 << 64)


def _whole(value: Any, name: str, least: int, beyond: int) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value < beyond:
        raise MetricError(f"{name}={value!r}: a whole number from {least} on is needed.")
    return int(value)
