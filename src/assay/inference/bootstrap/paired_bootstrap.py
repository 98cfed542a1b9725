"""Two models on the same rows: how far their difference moves, and whether chance alone would make it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.formatting.progress import Progress
from assay.inference.bootstrap.bootstrap import checked_count, checked_seed
from assay.inference.bootstrap.row_units import canonical_order, with_positive
from assay.inference.bootstrap.tally_units import number
from assay.inference.bootstrap.units import MANY, SOME, ResamplingUnits, draw, pieces
from assay.inference.bootstrap.vectorized import SQUARE_FITS, of_tables
from assay.inference.test_result import Test
from assay.inputs import Rows
from assay.metrics import Metric, Undefined, find
from assay.metrics.views.confusion import Binary, Classes, Ordered
from assay.tallies import Confusion, PairedLabels, PairedScores, Scores
from assay.tallies.paired import same_actual

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs import Column

__all__ = ["PairedReplicates", "paired_replicates", "permutation"]

_TABLES = (Binary, Classes, Ordered)
_COINS = 0xC0  # the second half of the key of the permutations' draws


class PairedReplicates(NamedTuple):
    """A metric of both models in each replicate, and the difference, second minus first."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class _Joint:
    """Rows judged by two models: how both metrics are read from counts of the entries, and how from swaps.

    ``swapped`` takes how many rows of each entry change sides, a permutation per row.
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
    """Return a metric of two models in bootstrap replicates of the rows that both judged.

    `data` is a joint tally (PairedLabels, PairedScores) or a pair of rows of the same length, one for each
    model. Both models see the same draws, so what they have in common cancels in the difference.

    >>> import assay
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> a, b = (assay.rows(actual=y, predicted=p) for p in ([0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 1, 0]))
    >>> found = paired_replicates("accuracy", (a, b), count=500)
    >>> bool((found.difference >= 0).all()), bool((found.second - found.first == found.difference).all())
    (True, True)
    """
    metric = find(metric) if isinstance(metric, str) else metric
    joint = _joint(metric, data, options, stratified=stratified)
    count = checked_count(count, MANY if joint.cheap else SOME)
    seed = checked_seed(seed)
    found = np.full((2, count), np.nan)
    if joint.sizes.sum():
        units = ResamplingUnits(joint.sizes, lambda counts: joint.both(counts)[0], joint.strata)
        with Progress("paired bootstrap", count, show=progress) as bar:
            for begin, end in pieces(len(joint.sizes), count, native=joint.native is not None):
                if joint.native is not None:
                    found[:, begin:end] = joint.native(seed, begin, end)
                else:
                    found[:, begin:end] = joint.both(draw(units, seed, begin, end))
                bar.step(end - begin)
    return PairedReplicates(found[0], found[1], found[1] - found[0])


def permutation(
    metric: Metric | str,
    data: Any,
    *,
    count: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
    **options: Any,
) -> Test:
    """Return the test whether two models are exchangeable: each row's outputs are swapped by a coin's toss.

    ``p = (1 + permutations with a difference at least as large) / (1 + permutations)`` (Davison and Hinkley
    1997), for any metric. The estimate is the difference, second minus first.

    >>> import assay
    >>> y = [0] * 40 + [1] * 40
    >>> a, b = (assay.rows(actual=y, predicted=p) for p in ([0] * 30 + [1] * 50, [0] * 39 + [1] * 41))
    >>> permutation("accuracy", (a, b)).p < 0.01
    True
    """
    metric = find(metric) if isinstance(metric, str) else metric
    joint = _joint(metric, data, options, stratified=False)
    count = checked_count(count, MANY if joint.cheap else SOME)
    said = f"permutation test of {metric.name}"
    actual = np.nan
    if joint.sizes.sum():
        first, second = (float(one[0]) for one in joint.both(joint.sizes.astype(np.int64)[None]))
        actual = second - first
    if np.isnan(actual):
        return Test(said, None, None, Undefined("a model has no value, so there is no difference to judge"))
    if not joint.differ.any():
        return Test(said, None, None, 1.0, estimate=actual, note="the models never differ")
    rng = np.random.Generator(np.random.Philox(key=[checked_seed(seed), _COINS]))
    sizes = np.where(joint.differ, joint.sizes, 0).astype(np.int64)
    reached = lacking = 0
    # Swapping is symmetric, but the two sums are not added in one order: ties must not turn on a last bit.
    enough = abs(actual) * (1 - 1e-12)
    with Progress("permutations", count, show=progress) as bar:
        for begin, end in pieces(len(sizes), count):
            one, two = joint.swapped(rng.binomial(sizes, 0.5, (end - begin, len(sizes))))
            distances = np.abs(np.asarray(two) - np.asarray(one))
            lacking += int(np.isnan(distances).sum())
            reached += int((np.isnan(distances) | (distances >= enough)).sum())
            bar.step(end - begin)
    note = f"{count:,} permutations, seed {seed}"
    if lacking:
        note += f"; {lacking:,} of them have no value and count against a difference"
    return Test(said, None, None, (1 + reached) / (1 + count), estimate=actual, note=note)


def _joint(metric: Metric, data: Any, options: dict[str, Any], *, stratified: bool) -> _Joint:
    if isinstance(data, PairedLabels):
        _need(metric, metric.reads in _TABLES, data)
        return _of_labels(metric, data, options, stratified=stratified)
    if isinstance(data, PairedScores):
        _need(metric, metric.reads.tally is Scores or metric.loss is not None, data)
        return _of_scores(metric, data, options, stratified=stratified)
    if not (isinstance(data, tuple) and len(data) == 2 and all(isinstance(one, Rows) for one in data)):  # noqa: PLR2004
        raise MetricError(
            "two models are compared on a joint tally (assay.PairedLabels, assay.PairedScores) or on a pair "
            f"of rows, not on a {type(data).__name__}."
        )
    first, second = data
    options = with_positive(metric, first, options)
    plain = first.weight is None and first.group is None
    if metric.reads in _TABLES and plain:
        return _of_labels(metric, PairedLabels.of(first, second), options, stratified=stratified)
    if plain and metric.reads.tally is Scores and not options.get("average"):
        return _of_scores(metric, PairedScores.of(first, second), options, stratified=stratified)
    if stratified:
        raise MetricError(
            "stratified=True needs a table of labels or scores of two classes, without weights."
        )
    return _of_rows(metric, first, second, options)


def _need(metric: Metric, fits: object, data: Any) -> None:
    if not fits:
        raise MetricError(f"{metric.name} is not read from a tally of {data.kind}.")


def _of_labels(metric: Metric, tally: PairedLabels, options: dict[str, Any], *, stratified: bool) -> _Joint:
    if tally.weights is not None:
        raise MetricError("a weighted tally of paired labels holds sums of weights, no rows: pass both rows.")
    if tally.labels:
        metric(Confusion(tally.labels, declared=tally.declared), **options)  # refuses what it cannot take
    actual, *predicted = tally.digits()
    size = len(tally.labels)
    kind = np.int64 if tally.n < SQUARE_FITS else np.float64
    cells = [actual * size + one for one in predicted]

    def values(parts: list[tuple[Any, NDArray[np.int64]]]) -> NDArray[np.float64]:
        full = np.zeros((len(parts[0][1]), size * size), dtype=kind)
        for where, counts in parts:
            np.add.at(full.T, where, counts.T)
        return of_tables(metric, full.reshape(len(full), size, size), tally.labels, options)

    def both(counts: NDArray[np.int64]) -> tuple[Any, Any]:
        return values([(cells[0], counts)]), values([(cells[1], counts)])

    def swapped(swaps: NDArray[np.int64]) -> tuple[Any, Any]:
        stay = tally.counts - swaps
        return (
            values([(cells[0], stay), (cells[1], swaps)]),
            values([(cells[1], stay), (cells[0], swaps)]),
        )

    strata = tuple(np.flatnonzero(actual == one) for one in np.unique(actual)) if stratified else ()
    return _Joint(tally.counts.astype(np.uint64), both, swapped, predicted[0] != predicted[1], strata)


def _of_scores(metric: Metric, tally: PairedScores, options: dict[str, Any], *, stratified: bool) -> _Joint:
    both_sides = np.stack([tally.positives, tally.negatives], axis=1).astype(np.uint64).ravel()
    cells = np.flatnonzero(both_sides)
    entry, negative = cells // 2, cells % 2
    sizes = both_sides[cells]
    known = [np.unique(one, return_inverse=True) for one in (tally.first, tally.second)]
    first, second = (where.astype(np.uint32) for _, where in known)
    everything = np.unique(np.concatenate([tally.first, tally.second]))
    places = [np.searchsorted(everything, one)[entry] for one in (tally.first, tally.second)]

    def value(parts: list[tuple[Any, NDArray[np.int64]]]) -> float:
        sides = np.zeros((2, len(everything)), dtype=np.int64)
        for where, counts in parts:
            np.add.at(sides, (negative, where), counts)
        kept = np.flatnonzero(sides.any(0))
        chosen = np.ascontiguousarray(sides[:, kept])
        chosen = chosen.astype(np.min_scalar_type(int(chosen.max(initial=0))))
        return number(metric(Scores(tally.positive, everything[kept], None, *chosen), **options))

    def both(counts: NDArray[np.int64]) -> tuple[Any, Any]:
        found = [[value([(place, one)]) for one in counts] for place in places]
        return np.array(found[0]), np.array(found[1])

    def swapped(swaps: NDArray[np.int64]) -> tuple[Any, Any]:
        whole = sizes.astype(np.int64)
        pairs = [(0, 1), (1, 0)]
        found = [
            [value([(places[mine], whole - one), (places[theirs], one)]) for one in swaps]
            for mine, theirs in pairs
        ]
        return np.array(found[0]), np.array(found[1])

    def native(seed: int, begin: int, end: int) -> Any:
        areas = kernels.resample_paired_areas(
            tally.positives, tally.negatives, first, second, seed, begin, end, stratified
        )
        return np.stack(areas) if metric.name == "auc" else 2 * np.stack(areas) - 1

    strata = tuple(np.flatnonzero(negative == side) for side in (0, 1)) if stratified else ()
    fast = native if metric.name in ("auc", "gini") and not options else None
    differ = (tally.first != tally.second)[entry]
    return _Joint(sizes, both, swapped, differ, strata, fast, cheap=False)


def _of_rows(metric: Metric, first: Rows, second: Rows, options: dict[str, Any]) -> _Joint:
    """Return the rows themselves, or their groups, in an order that does not depend on how they came."""
    same_actual(first, second, f"a comparison by {metric.name}")
    if first.group is not None or metric.each is not None:
        raise MetricError(f"rows of two models are compared row by row, but {_units_of(first)} were given.")
    order = canonical_order(first, second)
    models = first.take(order), second.take(order)
    outputs = {
        role: (mine, theirs)
        for role in ("predicted", "score")
        if (mine := getattr(models[0], role)) is not None and (theirs := getattr(models[1], role)) is not None
    }
    alike = all(mine.labels == theirs.labels for mine, theirs in outputs.values())
    places = np.arange(len(first))

    def value(rows: Rows) -> float:
        return number(metric(rows, **options))

    def both(counts: NDArray[np.int64]) -> tuple[Any, Any]:
        taken = [np.repeat(places, one) for one in counts]
        found = [np.array([value(model.take(index)) for index in taken]) for model in models]
        return found[0], found[1]

    def swapped(swaps: NDArray[np.int64]) -> tuple[Any, Any]:
        if not alike:
            raise MetricError("the two models' outputs are of different kinds and cannot be swapped.")
        found: list[list[float]] = [[], []]
        for one in swaps:
            for side, model in enumerate(models):
                sides: dict[str, Any] = {
                    role: _mixed(pair[side], pair[1 - side], one) for role, pair in outputs.items()
                }
                found[side].append(value(dataclasses.replace(model, **sides)))
        return np.array(found[0]), np.array(found[1])

    differ: Any = np.ones(len(first), dtype=bool)
    if alike:
        apart = [np.asarray(mine.values != theirs.values) for mine, theirs in outputs.values()]
        differ = np.any([one.reshape(len(first), -1).any(axis=1) for one in apart], axis=0)
    return _Joint(np.ones(len(first), dtype=np.uint64), both, swapped, differ, cheap=False)


def _mixed(own: Column, other: Column, swaps: NDArray[np.int64]) -> Column:
    """Return a model's own output, and the other's where they are swapped."""
    turned = (swaps > 0).reshape(-1, *[1] * (own.values.ndim - 1))
    return dataclasses.replace(own, values=np.where(turned, other.values, own.values))


def _units_of(rows: Rows) -> str:
    return "groups" if rows.group is not None else "queries"
