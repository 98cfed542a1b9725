"""Bootstrap replicates and intervals of any metric.

Rows in one entry of a tally are identical, so drawing rows with replacement is drawing multinomial
counts of the entries (Efron 1979): a confusion table of a billion rows is resampled as fast as one of a
hundred. Replicate b is a function of the seed, of b and of the entries: the order of rows, how they were
cut into tallies, threads and other replicates do not change it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError, check_whole_number
from assay.formatting.numbers import count_of
from assay.inference.bootstrap import bootstrap_limits
from assay.inference.bootstrap.row_units import units_of_rows
from assay.inference.bootstrap.tally_units import units_of_tally
from assay.inference.bootstrap.units import DEFAULT_REPLICATES, replicate_values
from assay.inference.bootstrap.units import acceleration as jackknife_acceleration
from assay.inference.bootstrap.vectorized import TABLE_VIEWS, of_tables
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import check_confidence, check_seed
from assay.inference.influence.influence import influence
from assay.inputs import Rows
from assay.metrics import Metric, Undefined, find
from assay.metrics.views.row_means import Mean
from assay.tallies import Confusion, Losses, Tally, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.bootstrap.units import ResamplingUnits
    from assay.metrics import Value

__all__ = [
    "bootstrap_interval",
    "check_count",
    "dirichlet_interval",
    "exact_value",
    "replicates",
    "units_of",
]

_MAX_REPLICATES = 1 << 40

_METHOD_NAMES = {
    "bca": "BCa",
    "percentile": "percentile",
    "basic": "basic",
    "normal": "normal",
    "studentised": "studentised",
}
_PRIOR_ROWS = 2.0  # spread over all cells
_DIRICHLET_STREAM = 0xD1  # second half of the key of the Dirichlet draws
_CELLS_AT_ONCE = 1 << 21
_NO_VALUE = "there is no value, and so no limits"


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

    `data` is a tally that still holds its rows (Confusion, Scores, Values, NumberPairs, Queries, Confidences,
    one label of LabelSets), or rows, which are then tallied or, where no tally will do, drawn themselves.
    Rows with groups are drawn by whole groups, rankings by whole queries, weighted rows with their weights.
    Further keywords are the metric's own. Without `count` there are 9,999 replicates, or 1,999 of metrics of
    scores, of what is read row by row, and of more than 4,096 entries.

    `stratified` keeps the number of rows of each actual class: only where the design fixed it.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name.
    data
        Rows, or a tally that still holds them.
    count
        How many replicates are drawn.
    seed
        Where the random draws begin: the same seed gives the same result.
    stratified
        Whether each actual class keeps its number of rows in every replicate.
    progress
        Whether a progress bar is drawn; by default on a terminal.
    options
        The metric's own options: ``average=``, ``positive=`` and so on.

    Returns
    -------
    NDArray
        One value per replicate.

    Raises
    ------
    MetricError
        The metric is not known, or cannot be computed from `data`; or `count` or `seed` is no whole number.

    Examples
    --------
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
    count = check_count(count, DEFAULT_REPLICATES if units is None else units.usual_count)
    if units is None or not units.n:
        return np.full(count, math.nan)
    return replicate_values(units, count, check_seed(seed), progress=progress)


def bootstrap_interval(
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

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name.
    data
        Rows, or a tally that still holds them.
    confidence
        The confidence level of the interval.
    method
        ``"bca"``, ``"percentile"``, ``"basic"``, ``"normal"``, ``"studentised"`` or ``"dirichlet"``.
    count
        How many replicates are drawn.
    seed
        Where the random draws begin: the same seed gives the same result.
    stratified
        Whether each actual class keeps its number of rows in every replicate.
    acceleration
        BCa's correction for skewness, where it is known.
    convention
        ``"order"`` or ``"boot"``: how limits are read off the replicates.
    progress
        Whether a progress bar is drawn; by default on a terminal.
    options
        The metric's own options: ``average=``, ``positive=`` and so on.

    Returns
    -------
    Estimate
        The value with its interval; its note names the replicates and the seed.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or the metric is not known, or
        cannot be computed from `data`; or `count` or `seed` is no whole number.

    Examples
    --------
    >>> import assay
    >>> actual, predicted = [0] * 50 + [1] * 50, [0] * 45 + [1] * 50 + [0] * 5
    >>> tally = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))
    >>> bootstrap_interval("mcc", tally)
    0.8 [0.6585, 0.8999]
    >>> bootstrap_interval("mcc", tally).note
    '9,999 replicates, seed 0'
    """
    metric = find(metric) if isinstance(metric, str) else metric
    check_confidence(confidence)
    if method == "dirichlet":
        if stratified or acceleration is not None:
            raise MetricError('method="dirichlet" takes neither stratified= nor acceleration=.')
        return dirichlet_interval(metric, data, confidence=confidence, count=count, seed=seed, **options)
    if method not in _METHOD_NAMES:
        known = ", ".join(f'"{name}"' for name in (*_METHOD_NAMES, "dirichlet"))
        raise MetricError(f"method={method!r} is not known: use {known}.")
    if convention not in ("order", "boot"):
        raise MetricError(f'convention={convention!r} is not known: use "order" or "boot".')
    method_name = f"bootstrap, {_METHOD_NAMES[method]}{', stratified' if stratified else ''}"
    value = exact_value(metric, data, options)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, method_name, _size(data), _NO_VALUE)
    units = units_of(metric, data, options, stratified=stratified)
    count = check_count(count, units.usual_count)
    seed = check_seed(seed)
    values = replicate_values(units, count, seed, progress=progress)
    if method == "percentile":
        limits = bootstrap_limits.percentile(values, confidence=confidence, convention=convention)
    elif method == "basic":
        limits = bootstrap_limits.basic(values, float(value), confidence=confidence, convention=convention)
    elif method == "normal":
        limits = bootstrap_limits.normal(values, float(value), confidence=confidence)
    elif method == "bca":
        a = _acceleration(metric, data, options, units, seed=seed) if acceleration is None else acceleration
        limits = bootstrap_limits.bca(values, float(value), a, confidence=confidence, convention=convention)
    else:
        errors, own_error = _standard_errors(units, count, seed, progress=progress)
        limits = bootstrap_limits.studentised(
            values, errors, float(value), own_error, confidence=confidence, convention=convention
        )
    defined = values[~np.isnan(values)]
    error = float(defined.std(ddof=1)) if len(defined) > 1 and np.isfinite(defined).all() else None
    notes = [f"{count_of(count, 'replicate')}, seed {seed}", units.note, limits.note]
    if limits.note == "every replicate has the same value" and metric.reads in TABLE_VIEWS:
        notes.append('method="dirichlet" has limits then')
    note = "; ".join(filter(None, notes))
    return Estimate(value, limits.low, limits.high, confidence, method_name, _size(data), note, error)


def dirichlet_interval(
    metric: Metric | str,
    data: Any,
    *,
    confidence: float = 0.95,
    count: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Estimate:
    """Return the equal-tailed Bayesian interval of a confusion table's metric.

    Shares of the cells are drawn from the Dirichlet distribution of the counts plus a prior of 2 rows spread
    over all cells, which for two classes is Jeffreys'. It has a width where a model made no error at all and
    all bootstrap replicates would be the same; where the value itself lies beyond a limit, the limit is the
    value.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name.
    data
        Rows or a confusion tally.
    confidence
        The confidence level of the interval.
    count
        How many tables are drawn.
    seed
        Where the random draws begin: the same seed gives the same result.
    options
        The metric's own options: ``average=``, ``positive=`` and so on.

    Returns
    -------
    Estimate
        The value with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or the metric is not one of a confusion table; or `count`
        or `seed` is no whole number.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Confusion.of(assay.rows(actual=[0] * 20 + [1] * 20, predicted=[0] * 20 + [1] * 20))
    >>> dirichlet_interval("mcc", tally)
    1 [0.8329, 1]
    """
    metric = find(metric) if isinstance(metric, str) else metric
    check_confidence(confidence)
    reads_table = metric.reads in TABLE_VIEWS
    tally = Confusion.of(data) if reads_table and isinstance(data, Rows) else data
    if not reads_table or not isinstance(tally, Confusion):
        raise MetricError(
            f"a Dirichlet interval is one of a confusion table, which {metric.name} is not read from."
        )
    if tally.weights is not None:
        raise MetricError("a Dirichlet interval counts rows: sums of weights are no counts.")
    value, method_name = exact_value(metric, data, options), "Dirichlet, 2 rows added"
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, method_name, tally.n, _NO_VALUE)
    count = check_count(count, DEFAULT_REPLICATES)
    options = metric.with_positive(options, data.positive if isinstance(data, Rows) else None)
    size = len(tally.labels)
    rng = np.random.Generator(np.random.Philox(key=[check_seed(seed), _DIRICHLET_STREAM]))
    shape = tally.table().ravel() + _PRIOR_ROWS / size**2
    values = np.empty(count)
    batch = max(_CELLS_AT_ONCE // size**2, 1)
    for begin in range(0, count, batch):
        tables = rng.standard_gamma(shape, (min(batch, count - begin), size**2))
        tables *= tally.n / tables.sum(-1, keepdims=True)
        values[begin : begin + batch] = of_tables(
            metric, tables.reshape(-1, size, size), tally.labels, options
        )
    low, high, limits_note = bootstrap_limits.percentile(values, confidence=confidence)
    if low is not None and high is not None:
        low, high = min(low, float(value)), max(high, float(value))
    note = "; ".join(filter(None, [f"{count_of(count, 'draw')}, seed {seed}", limits_note]))
    return Estimate(value, low, high, confidence, method_name, tally.n, note)


def exact_value(metric: Metric, data: Any, options: dict[str, Any]) -> Value:
    """Return the metric of the data themselves; a tally of values holds the losses of a mean."""
    if isinstance(data, Values) and metric.reads is Mean:
        losses = Losses.of_counts(data.values.astype(np.float64), data.counts, data.weights)
        return metric(losses, **{k: v for k, v in options.items() if k not in metric.loss_parameters})
    return metric(data, **options)


def units_of(
    metric: Metric, data: Any, options: dict[str, Any], *, stratified: bool = False
) -> ResamplingUnits:
    """Return the units that a bootstrap of rows or a tally draws."""
    if isinstance(data, Tally):
        return units_of_tally(metric, data, options, stratified=stratified)
    return units_of_rows(metric, data, options, stratified=stratified)


def _acceleration(
    metric: Metric, data: Any, options: dict[str, Any], units: ResamplingUnits, *, seed: int
) -> float:
    """Return the acceleration of BCa: by the rows' influences where they have some, else by the jackknife."""
    of_losses = isinstance(data, Values) and metric.reads is Mean
    of_clusters = metric.each is not None or (isinstance(data, Rows) and data.group is not None)
    rows = None if of_losses or of_clusters else influence(metric, data, **options)
    return jackknife_acceleration(units, seed) if rows is None else rows.acceleration


def _standard_errors(
    units: ResamplingUnits, count: int, seed: int, *, progress: bool | None
) -> tuple[NDArray[np.float64], float]:
    """Return the standard errors of the replicates and of the mean itself."""
    if units.errors is None:
        raise MetricError(
            'method="studentised" is for means of rows with finite losses, read from rows or values.'
        )
    errors = replicate_values(units, count, seed, progress=progress, function=units.errors)
    return errors, float(units.errors(units.sizes.astype(np.int64)[None])[0])


def _size(data: Any) -> int:
    return int(data.n) if hasattr(data, "n") else len(data)


def check_count(count: int | None, default: int) -> int:
    """Return the number of replicates or its default; raise unless it is a whole number above 0."""
    return default if count is None else check_whole_number("count", count, 1, _MAX_REPLICATES)
