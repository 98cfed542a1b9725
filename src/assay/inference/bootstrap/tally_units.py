"""The bootstrap units of a tally, and a metric of the resampled tally."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.inference.bootstrap.units import ResamplingUnits
from assay.inference.bootstrap.vectorized import MAX_ROWS_FOR_INTEGERS, of_binary, of_tables
from assay.inference.influence.row_means import query_values
from assay.metrics import Undefined
from assay.metrics.classification.multilabel import Sets
from assay.metrics.views.confusion import Binary
from assay.metrics.views.row_means import Mean
from assay.tallies import (
    ClassScores,
    Collection,
    Confidences,
    Confusion,
    LabelSets,
    Losses,
    Moments,
    NumberPairs,
    Queries,
    Scores,
    Values,
)
from assay.tallies.loss_arguments import evaluate_in_blocks, own_parameters, positional_parameters
from assay.tallies.scores.scores import MAX_ENTRIES, pooled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.tallies import PairedScores, Tally

__all__ = [
    "float_or_nan",
    "mean_of_defined",
    "mean_units",
    "one_by_one",
    "score_cells",
    "score_values",
    "units_of_tally",
]

_KERNELS: dict[str, Callable[..., Any]] = {
    "auc": kernels.resample_areas,
    "gini": lambda *arguments: 2 * kernels.resample_areas(*arguments) - 1,
    "average_precision": kernels.resample_precisions,
}
_NO_ROWS = (
    "A tally of {kind} holds sums and no rows to draw from: pass the rows themselves (assay.rows(...)){more}."
)


def units_of_tally(
    metric: Metric, tally: Tally, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    """Return the units of a tally; raise where it no longer holds its rows."""
    if isinstance(tally, Confusion):
        return _confusion_units(metric, tally, options, stratified=stratified)
    if isinstance(tally, Scores):
        return _score_units(metric, tally, options, stratified=stratified)
    if stratified:
        raise MetricError(
            f"stratified=True keeps the rows of each class, but a tally of {tally.kind} has none."
        )
    if isinstance(tally, LabelSets):
        return _label_set_units(metric, tally, options)
    if isinstance(tally, Values) and metric.reads is Mean:
        return mean_units(metric, tally.values.astype(np.float64), tally.counts, tally.weights)
    if isinstance(tally, (Values, NumberPairs)):
        return _count_units(metric, tally, options)
    if isinstance(tally, Queries):
        return _query_units(metric, tally, options)
    if isinstance(tally, Confidences):
        return _confidence_units(metric, tally, options)
    more = {
        Losses: ", or a tally of the losses themselves, assay.Values.of_rows(rows, loss)",
        Moments: "",
        Collection: "",
        ClassScores: "; a tally of class scores has each class's column by itself",
    }
    for kind, hint in more.items():
        if isinstance(tally, kind):
            raise MetricError(_NO_ROWS.format(kind=tally.kind, more=hint))
    raise MetricError(f"a tally of {tally.kind} cannot be resampled.")


def float_or_nan(value: Any) -> float:
    """Return a metric's value, NaN where it has none."""
    return float("nan") if isinstance(value, Undefined) else float(value)


def mean_units(metric: Metric, values: Any, sizes: Any, weights: Any = None) -> ResamplingUnits:
    """Return the units of a mean over rows: `sizes` rows of each value, each of some weight.

    Sums run along the entries in their order and not by a matrix product, whose last bits depend on the
    CPU and on how many replicates are taken at a time.
    """
    values = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    finite = np.isfinite(values)
    mass = sizes * weights
    total = float(mass.sum())
    centre = float((mass[finite] * values[finite]).sum() / total) if total else 0.0
    centred = np.where(finite, values - centre, 0.0)
    not_finite = [(~finite & (values == value), value) for value in (np.inf, -np.inf)]
    not_finite.append((np.isnan(values), np.nan))

    def means(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        drawn_mass = counts * weights
        with np.errstate(invalid="ignore", divide="ignore"):
            result = (drawn_mass * centred).sum(-1) / drawn_mass.sum(-1) + centre
            for where, value in not_finite:  # added, so that two infinities of unlike sign have no mean
                if where.any():
                    result = result + np.where(counts[:, where].any(-1), value, 0.0)
        return np.asarray(result)

    def errors(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        drawn_mass = counts * weights
        total = drawn_mass.sum(-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviations = centred - ((drawn_mass * centred).sum(-1) / total)[:, None]
            rows = counts.sum(-1)
            squares = (drawn_mass * weights * deviations**2).sum(-1) * rows / (rows - 1)
            return np.asarray(np.sqrt(squares) / total)

    def read(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([float(metric.formula(Mean(float(mean), 1))) for mean in means(counts)])

    finite_mean = metric.kind == "mean" and finite.all()
    return ResamplingUnits(np.asarray(sizes, dtype=np.uint64), read, errors=errors if finite_mean else None)


def score_values(scores: Scores, metric: Metric, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return the loss of a mean metric at each entry of a score tally, for positives, then negatives."""
    own, _ = own_parameters(metric.loss, {k: v for k, v in options.items() if k in metric.loss_parameters})
    values = scores.scores.astype(np.float64)
    losses = []
    for positive in (1.0, 0.0):
        classes = {"positive": np.full(len(values), positive)}
        arguments = [classes.get(role, values) for role in positional_parameters(metric.loss)]
        losses.append(evaluate_in_blocks(metric.loss, arguments, own))
    return np.stack(losses)


def _confusion_units(
    metric: Metric, tally: Confusion, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    if tally.weights is not None:
        more = "; it knows each cell's sum of weights, not the weights"
        raise MetricError(_NO_ROWS.format(kind="weighted confusion", more=more))
    size = len(tally.labels)
    kind = np.int64 if tally.n < MAX_ROWS_FOR_INTEGERS else np.float64

    def read(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        full = np.zeros((len(counts), size * size), dtype=kind)
        full[:, tally.cells.astype(np.intp)] = counts
        return of_tables(metric, full.reshape(len(full), size, size), tally.labels, options)

    strata: tuple[Any, ...] = ()
    if stratified:
        actual = tally.digits()[0]
        strata = tuple(np.flatnonzero(actual == label) for label in np.unique(actual))
    return ResamplingUnits(tally.counts.astype(np.uint64), read, strata)


def _label_set_units(metric: Metric, tally: LabelSets, options: dict[str, Any]) -> ResamplingUnits:
    """Return the units of one label, or of rows that are wholly right or not: the tally holds no more."""
    if tally.weights is None and metric.reads is Sets and metric.name == "subset_accuracy":
        sizes = np.array([tally.exact, tally.n - tally.exact], dtype=np.uint64)
        return ResamplingUnits(sizes, lambda counts: counts[:, 0] / counts.sum(-1))
    single = tally.labels[0] if len(tally.labels) == 1 else None
    label = options.get("positive", single)
    if (
        tally.weights is not None
        or metric.reads is not Binary
        or label is None
        or (options.get("average") and single is None)
    ):
        more = ", label by label with positive=, or the share of rows that are wholly right"
        raise MetricError(
            "a tally of label sets does not know which labels came together"
            f"{' nor what each row weighs' if tally.weights is not None else ''}: what can be drawn from it "
            f"are the rows of one label{more}."
        )
    index = tally.labels.index(label)
    tp, fp, fn = (int(counts[index]) for counts in (tally.tp, tally.fp, tally.fn))
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    sizes = np.array([tp, fp, fn, tally.n - tp - fp - fn], dtype=np.uint64)
    return ResamplingUnits(sizes, lambda counts: of_binary(metric, counts, parameters))


def _count_units(metric: Metric, tally: Any, options: dict[str, Any]) -> ResamplingUnits:
    """Return the units of a tally whose entries stand in columns beside their counts."""
    fields = [field.name for field in dataclasses.fields(tally) if field.name != "counts"]
    columns = {name: getattr(tally, name) for name in fields if getattr(tally, name) is not None}

    def read_one(counts: NDArray[np.int64]) -> float:
        present = np.flatnonzero(counts)
        entries = {name: column[present] for name, column in columns.items()}
        resampled = dataclasses.replace(tally, counts=_smallest_integers(counts[present]), **entries)
        return float_or_nan(metric(resampled, **options))

    return ResamplingUnits(tally.counts.astype(np.uint64), one_by_one(read_one))


def _query_units(metric: Metric, tally: Queries, options: dict[str, Any]) -> ResamplingUnits:
    each = query_values(metric, tally, options)
    defined = ~np.isnan(each)
    sums = np.where(defined, each, 0.0)
    return ResamplingUnits(
        np.ones(len(each), dtype=np.uint64), lambda counts: mean_of_defined(counts, sums, defined)
    )


def mean_of_defined(counts: Any, sums: NDArray[Any], defined: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of the defined values of units: each holds so many, which add up to `sums`."""
    total = (counts * defined).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(total > 0, (counts * sums).sum(-1) / total, np.nan))


def _confidence_units(metric: Metric, tally: Confidences, options: dict[str, Any]) -> ResamplingUnits:
    scores: dict[Any, Any] = dict(tally.items())
    cells = [score_cells(of_class) for of_class in scores.values()]
    ends = np.cumsum([0, *(len(sizes) for _, _, sizes in cells)])

    def read_one(counts: NDArray[np.int64]) -> float:
        resampled = {
            key: _resampled(of_class, cells[i][0], cells[i][1], counts[ends[i] : ends[i + 1]])
            for i, (key, of_class) in enumerate(scores.items())
        }
        present = {key: of_class for key, of_class in resampled.items() if len(of_class.scores)}
        return float_or_nan(metric(Confidences.of_mapping(present), **options))

    sizes = np.concatenate([np.zeros(0, dtype=np.uint64), *(sizes for _, _, sizes in cells)])
    return ResamplingUnits(sizes.astype(np.uint64), one_by_one(read_one), cheap=False)


def _score_units(
    metric: Metric, tally: Scores, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    entry, negative, sizes = score_cells(tally)
    strata = tuple(np.flatnonzero(negative == side) for side in (0, 1)) if stratified else ()
    if metric.loss is not None:
        if "probability" in positional_parameters(metric.loss):
            tally.need_probabilities()
        values = score_values(tally, metric, options)[negative, entry]
        weights = None if tally.weights is None else tally.weights[entry]
        return dataclasses.replace(mean_units(metric, values, sizes, weights), strata=strata)
    native = _KERNELS.get(metric.name) if tally.weights is None and not options else None
    if native is None and tally.weights is None and len(tally.scores) > MAX_ENTRIES:
        return _pooled_score_units(metric, tally, options, stratified=stratified)

    def read_one(counts: NDArray[np.int64]) -> float:
        if native is not None:  # its formula takes scores without rows, and the kernel needs no copies
            return float_or_nan(metric(_resampled_with_empty(tally, entry, negative, counts)))
        return float_or_nan(metric(_resampled(tally, entry, negative, counts), **options))

    fast = None
    if native is not None:
        sides = tally.positives, tally.negatives

        def fast(seed: int, begin: int, end: int) -> Any:
            return native(*sides, seed, begin, end, stratified)

    return ResamplingUnits(sizes, one_by_one(read_one), strata, fast, cheap=False)


def _pooled_score_units(
    metric: Metric, tally: Scores, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    """Return the units with neighbouring scores pooled, which does not change the spread noticeably."""
    smaller = pooled(tally)
    shift = float_or_nan(metric(tally, **options)) - float_or_nan(metric(smaller, **options))
    units = _score_units(metric, smaller, options, stratified=stratified)
    note = f"the spread is that of {len(smaller.scores):,} groups of neighbouring scores"
    return dataclasses.replace(units, values=lambda counts: units.values(counts) + shift, note=note)


def score_cells(
    tally: Scores | PairedScores,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.uint64]]:
    """Return of each cell with rows its entry, 0 if positive, else 1, and its rows, in the kernels' order."""
    both = np.stack([tally.positives, tally.negatives], axis=1).astype(np.uint64).ravel()
    cells = np.flatnonzero(both)
    return cells // 2, cells % 2, both[cells]


def _resampled(tally: Scores, entry: Any, negative: Any, counts: NDArray[np.int64]) -> Scores:
    sides = np.zeros((2, len(tally.scores)), dtype=np.int64)
    sides[negative, entry] = counts
    present = np.flatnonzero(sides.any(0))
    weights = None if tally.weights is None else tally.weights[present]
    if weights is not None and (weights == 1).all():
        weights = None
    return Scores(
        tally.positive,
        tally.scores[present],
        weights,
        *_smallest_integers(np.ascontiguousarray(sides[:, present])),
    )


def _resampled_with_empty(tally: Scores, entry: Any, negative: Any, counts: NDArray[np.int64]) -> Scores:
    """Return a resampled tally in which some scores have no rows: not canonical, but sweeps allow it."""
    sides = np.zeros((2, len(tally.scores)), dtype=np.min_scalar_type(int(counts.max(initial=0))))
    sides[negative, entry] = counts
    return Scores(tally.positive, tally.scores, None, *sides)


def _smallest_integers(counts: NDArray[Any]) -> NDArray[Any]:
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def one_by_one(read_one: Callable[[Any], float]) -> Callable[[Any], NDArray[np.float64]]:
    """Return a function of many replicates from a function of one."""
    return lambda counts: np.array([read_one(replicate) for replicate in counts], dtype=np.float64)
