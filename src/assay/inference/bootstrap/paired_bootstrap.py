"""Paired bootstrap and permutation test of two models on the same rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.formatting.progress import Progress
from assay.inference.bootstrap.bootstrap import check_count
from assay.inference.bootstrap.row_units import canonical_order
from assay.inference.bootstrap.tally_units import float_or_nan, score_cells
from assay.inference.bootstrap.units import (
    DEFAULT_REPLICATES,
    FEWER_REPLICATES,
    ResamplingUnits,
    draw,
    pieces,
)
from assay.inference.bootstrap.vectorized import MAX_ROWS_FOR_INTEGERS, TABLE_VIEWS, of_tables
from assay.inference.formulas.proportions import check_seed
from assay.inference.test_result import TestResult
from assay.inputs import Rows
from assay.metrics import Metric, Undefined, find
from assay.tallies import Confusion, PairedLabels, PairedScores, Scores
from assay.tallies.paired import same_actual

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs import Column

__all__ = ["PairedReplicates", "paired_replicates", "permutation"]

_ROUNDING = 1e-12  # relative
_PERMUTATION_STREAM = 0xC0  # second half of the key of the permutations' draws


class PairedReplicates(NamedTuple):
    """A metric of both models in each replicate, and the difference, second minus first."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class _Joint:
    """Rows with the outputs of two models, and the metric of both by counts of entries or by swaps.

    ``both`` takes counts, a replicate per row and an entry per column; ``swapped`` takes how many rows of
    each entry change sides, a permutation per row.
    """

    sizes: NDArray[np.uint64]
    both: Callable[[NDArray[np.int64]], tuple[Any, Any]]
    swapped: Callable[[NDArray[np.int64]], tuple[Any, Any]]
    differ: NDArray[np.bool_]
    strata: tuple[NDArray[np.intp], ...] = ()
    native: Any = None
    cheap: bool = True


def paired_replicates(
    metric: Metric | str,
    data: Any,
    *,
    count: int | None = None,
    seed: int = 0,
    stratified: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> PairedReplicates:
    """Return a metric of two models in bootstrap replicates of the rows that both were evaluated on.

    `data` is a joint tally (PairedLabels, PairedScores) or a pair of rows of the same length, one for each
    model. Both models see the same draws, so what they have in common cancels in the difference.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name.
    data
        A joint tally, or a pair of rows.
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
    PairedReplicates
        The metric of the first model, of the second, and their difference, by replicate.

    Raises
    ------
    MetricError
        The metric is not known; or `data` are no two models on the same rows; or `count` or `seed` is no
        whole number.

    Examples
    --------
    >>> import assay
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> a, b = (assay.rows(actual=y, predicted=p) for p in ([0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 1, 0]))
    >>> result = paired_replicates("accuracy", (a, b), count=500)
    >>> bool((result.difference >= 0).all()), bool((result.second - result.first == result.difference).all())
    (True, True)
    """
    metric = find(metric) if isinstance(metric, str) else metric
    joint = _joint(metric, data, options, stratified=stratified)
    count = check_count(count, DEFAULT_REPLICATES if joint.cheap else FEWER_REPLICATES)
    seed = check_seed(seed)
    values = np.full((2, count), np.nan)
    if joint.sizes.sum():
        units = ResamplingUnits(joint.sizes, lambda counts: joint.both(counts)[0], joint.strata)
        with Progress("paired bootstrap", count, show=progress) as bar:
            for begin, end in pieces(len(joint.sizes), count, native=joint.native is not None):
                if joint.native is not None:
                    values[:, begin:end] = joint.native(seed, begin, end)
                else:
                    values[:, begin:end] = joint.both(draw(units, seed, begin, end))
                bar.step(end - begin)
    return PairedReplicates(values[0], values[1], values[1] - values[0])


def permutation(
    metric: Metric | str,
    data: Any,
    *,
    count: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
    **options: Any,
) -> TestResult:
    """Return the permutation test of two models: each row's outputs are swapped with probability 1/2.

    ``p = (1 + permutations with a difference at least as large) / (1 + permutations)`` (Davison and Hinkley
    1997), for any metric. The estimate is the difference, second minus first.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name.
    data
        A joint tally, or a pair of rows.
    count
        How many permutations are drawn.
    seed
        Where the random draws begin: the same seed gives the same result.
    progress
        Whether a progress bar is drawn; by default on a terminal.
    options
        The metric's own options: ``average=``, ``positive=`` and so on.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        The metric is not known; or `data` are no two models on the same rows; or `count` or `seed` is no
        whole number.

    Examples
    --------
    >>> import assay
    >>> y = [0] * 40 + [1] * 40
    >>> a, b = (assay.rows(actual=y, predicted=p) for p in ([0] * 30 + [1] * 50, [0] * 39 + [1] * 41))
    >>> permutation("accuracy", (a, b)).p_value < 0.01
    True
    """
    metric = find(metric) if isinstance(metric, str) else metric
    joint = _joint(metric, data, options, stratified=False)
    count = check_count(count, DEFAULT_REPLICATES if joint.cheap else FEWER_REPLICATES)
    name = f"permutation test of {metric.name}"
    observed = np.nan
    if joint.sizes.sum():
        first, second = (float(values[0]) for values in joint.both(joint.sizes.astype(np.int64)[None]))
        observed = second - first
    if np.isnan(observed):
        return TestResult(
            name, None, None, Undefined("a model has no value, so there is no difference to test")
        )
    if not joint.differ.any():
        return TestResult(name, None, None, 1.0, estimate=observed, note="the models never differ")
    rng = np.random.Generator(np.random.Philox(key=[check_seed(seed), _PERMUTATION_STREAM]))
    sizes = np.where(joint.differ, joint.sizes, 0).astype(np.int64)
    as_large = undefined = 0
    # Swapping is symmetric, but sums are added in another order: ties must not depend on the last bit.
    threshold = abs(observed) * (1 - _ROUNDING)
    with Progress("permutations", count, show=progress) as bar:
        for begin, end in pieces(len(sizes), count):
            left, right = joint.swapped(rng.binomial(sizes, 0.5, (end - begin, len(sizes))))
            distances = np.abs(np.asarray(right) - np.asarray(left))
            undefined += int(np.isnan(distances).sum())
            as_large += int((np.isnan(distances) | (distances >= threshold)).sum())
            bar.step(end - begin)
    note = f"{count:,} permutations, seed {seed}"
    if undefined:
        note += f"; {undefined:,} of them have no value and count against a difference"
    return TestResult(name, None, None, (1 + as_large) / (1 + count), estimate=observed, note=note)


def _joint(metric: Metric, data: Any, options: dict[str, Any], *, stratified: bool) -> _Joint:
    if isinstance(data, PairedLabels):
        _check_tally(metric, metric.reads in TABLE_VIEWS, data)
        return _joint_of_labels(metric, data, options, stratified=stratified)
    if isinstance(data, PairedScores):
        _check_tally(metric, metric.reads.tally is Scores or metric.loss is not None, data)
        return _joint_of_scores(metric, data, options, stratified=stratified)
    if not (isinstance(data, tuple) and len(data) == 2 and all(isinstance(rows, Rows) for rows in data)):  # noqa: PLR2004
        raise MetricError(
            "two models are compared on a joint tally (assay.PairedLabels, assay.PairedScores) or on a pair "
            f"of rows, not on a {type(data).__name__}."
        )
    first, second = data
    options = metric.with_positive(options, first.positive)
    independent = first.weight is None and first.group is None
    if metric.reads in TABLE_VIEWS and independent:
        return _joint_of_labels(metric, PairedLabels.of(first, second), options, stratified=stratified)
    if independent and metric.reads.tally is Scores and not options.get("average"):
        return _joint_of_scores(metric, PairedScores.of(first, second), options, stratified=stratified)
    if stratified:
        raise MetricError(
            "stratified=True needs a table of labels or scores of two classes, without weights."
        )
    return _joint_of_rows(metric, first, second, options)


def _check_tally(metric: Metric, fits: object, data: Any) -> None:
    if not fits:
        raise MetricError(f"{metric.name} is not read from a tally of {data.kind}.")


def _joint_of_labels(
    metric: Metric, tally: PairedLabels, options: dict[str, Any], *, stratified: bool
) -> _Joint:
    if tally.weights is not None:
        raise MetricError("a weighted tally of paired labels holds sums of weights, no rows: pass both rows.")
    if tally.labels:
        metric(Confusion(tally.labels, declared=tally.declared), **options)  # refuses what it cannot take
    actual, *predicted = tally.digits()
    size = len(tally.labels)
    kind = np.int64 if tally.n < MAX_ROWS_FOR_INTEGERS else np.float64
    cells = [actual * size + codes for codes in predicted]

    def values(parts: list[tuple[Any, NDArray[np.int64]]]) -> NDArray[np.float64]:
        full = np.zeros((len(parts[0][1]), size * size), dtype=kind)
        for where, counts in parts:
            np.add.at(full.T, where, counts.T)
        return of_tables(metric, full.reshape(len(full), size, size), tally.labels, options)

    def both(counts: NDArray[np.int64]) -> tuple[Any, Any]:
        return values([(cells[0], counts)]), values([(cells[1], counts)])

    def swapped(swaps: NDArray[np.int64]) -> tuple[Any, Any]:
        unchanged = tally.counts - swaps
        return (
            values([(cells[0], unchanged), (cells[1], swaps)]),
            values([(cells[1], unchanged), (cells[0], swaps)]),
        )

    strata = tuple(np.flatnonzero(actual == label) for label in np.unique(actual)) if stratified else ()
    return _Joint(tally.counts.astype(np.uint64), both, swapped, predicted[0] != predicted[1], strata)


def _joint_of_scores(
    metric: Metric, tally: PairedScores, options: dict[str, Any], *, stratified: bool
) -> _Joint:
    entry, negative, sizes = score_cells(tally)
    scores = (tally.first, tally.second)
    first, second = (np.unique(own, return_inverse=True)[1].astype(np.uint32) for own in scores)
    levels = np.unique(np.concatenate(scores))
    indices = [np.searchsorted(levels, own)[entry] for own in scores]

    def value(parts: list[tuple[Any, NDArray[np.int64]]]) -> float:
        sides = np.zeros((2, len(levels)), dtype=np.int64)
        for where, counts in parts:
            np.add.at(sides, (negative, where), counts)
        present = np.flatnonzero(sides.any(0))
        counts = np.ascontiguousarray(sides[:, present])
        counts = counts.astype(np.min_scalar_type(int(counts.max(initial=0))))
        return float_or_nan(metric(Scores(tally.positive, levels[present], None, *counts), **options))

    def both(counts: NDArray[np.int64]) -> tuple[Any, Any]:
        left, right = ([value([(index, replicate)]) for replicate in counts] for index in indices)
        return np.array(left), np.array(right)

    def swapped(swaps: NDArray[np.int64]) -> tuple[Any, Any]:
        total = sizes.astype(np.int64)
        left, right = (
            [value([(indices[own], total - swap), (indices[other], swap)]) for swap in swaps]
            for own, other in ((0, 1), (1, 0))
        )
        return np.array(left), np.array(right)

    def native(seed: int, begin: int, end: int) -> Any:
        areas = kernels.resample_paired_areas(
            tally.positives, tally.negatives, first, second, seed, begin, end, stratified
        )
        return np.stack(areas) if metric.name == "auc" else 2 * np.stack(areas) - 1

    strata = tuple(np.flatnonzero(negative == side) for side in (0, 1)) if stratified else ()
    fast = native if metric.name in ("auc", "gini") and not options else None
    differ = (tally.first != tally.second)[entry]
    return _Joint(sizes, both, swapped, differ, strata, fast, cheap=False)


def _joint_of_rows(metric: Metric, first: Rows, second: Rows, options: dict[str, Any]) -> _Joint:
    """Return the rows themselves, in an order that does not depend on how they came."""
    same_actual(first, second, f"a comparison by {metric.name}")
    if first.group is not None or metric.each is not None:
        units = "groups" if first.group is not None else "queries"
        raise MetricError(f"rows of two models are compared row by row, but {units} were given.")
    order = canonical_order(first, second)
    models = first.take(order), second.take(order)
    outputs = {
        role: (left, right)
        for role in ("predicted", "score")
        if (left := getattr(models[0], role)) is not None and (right := getattr(models[1], role)) is not None
    }
    same_labels = all(left.labels == right.labels for left, right in outputs.values())
    indices = np.arange(len(first))

    def value(rows: Rows) -> float:
        return float_or_nan(metric(rows, **options))

    def both(counts: NDArray[np.int64]) -> tuple[Any, Any]:
        draws = [np.repeat(indices, replicate) for replicate in counts]
        left, right = (np.array([value(model.take(draw)) for draw in draws]) for model in models)
        return left, right

    def swapped(swaps: NDArray[np.int64]) -> tuple[Any, Any]:
        if not same_labels:
            raise MetricError("the two models' outputs are of different kinds and cannot be swapped.")
        values: list[list[float]] = [[], []]
        for swap in swaps:
            for side, model in enumerate(models):
                columns: dict[str, Any] = {
                    role: _swap(pair[side], pair[1 - side], swap) for role, pair in outputs.items()
                }
                values[side].append(value(dataclasses.replace(model, **columns)))
        return np.array(values[0]), np.array(values[1])

    differ: Any = np.ones(len(first), dtype=bool)
    if same_labels:
        unequal = [np.asarray(left.values != right.values) for left, right in outputs.values()]
        differ = np.any([cells.reshape(len(first), -1).any(axis=1) for cells in unequal], axis=0)
    return _Joint(np.ones(len(first), dtype=np.uint64), both, swapped, differ, cheap=False)


def _swap(own: Column, other: Column, swaps: NDArray[np.int64]) -> Column:
    """Return a model's own output, and the other's where they are swapped."""
    swapped = (swaps > 0).reshape(-1, *[1] * (own.values.ndim - 1))
    return dataclasses.replace(own, values=np.where(swapped, other.values, own.values))
