"""The units that a tally holds, and how a metric is read from a resampled tally: which is a tally again."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.inference.bootstrap.units import ResamplingUnits
from assay.inference.bootstrap.vectorized import SQUARE_FITS, of_binary, of_tables
from assay.metrics import Undefined
from assay.metrics.classification.multilabel import Sets
from assay.metrics.ranking.retrieval import Lists
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
from assay.tallies.loss_arguments import asked_for, evaluated, own_parameters
from assay.tallies.scores.pooling import MOST, pooled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = [
    "mean_of_known",
    "mean_units",
    "number",
    "one_by_one",
    "query_values",
    "score_values",
    "units_of_tally",
]

_NATIVE: dict[str, Callable[..., Any]] = {
    "auc": kernels.resample_areas,
    "gini": lambda *given: 2 * kernels.resample_areas(*given) - 1,
    "average_precision": kernels.resample_precisions,
}
_ROWS_ARE_GONE = (
    "A tally of {kind} holds sums and no rows to draw from: pass the rows themselves (assay.rows(...)){more}."
)


def units_of_tally(
    metric: Metric, tally: Tally, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    """Return the units of a tally, or raise where it no longer knows its rows."""
    if isinstance(tally, Confusion):
        return _of_confusion(metric, tally, options, stratified=stratified)
    if isinstance(tally, Scores):
        return _of_scores(metric, tally, options, stratified=stratified)
    if stratified:
        raise MetricError(
            f"stratified=True keeps the rows of each class, but a tally of {tally.kind} has none."
        )
    if isinstance(tally, LabelSets):
        return _of_label_sets(metric, tally, options)
    if isinstance(tally, Values) and metric.reads is Mean:
        return mean_units(metric, tally.values.astype(np.float64), tally.counts, tally.weights)
    if isinstance(tally, (Values, NumberPairs)):
        return _of_counts(metric, tally, options)
    if isinstance(tally, Queries):
        return _of_queries(metric, tally, options)
    if isinstance(tally, Confidences):
        return _of_confidences(metric, tally, options)
    more = {
        Losses: ", or a tally of the losses themselves, assay.Values.of_rows(rows, loss)",
        Moments: "",
        Collection: "",
        ClassScores: "; a tally of class scores has each class's column by itself",
    }
    for kind, said in more.items():
        if isinstance(tally, kind):
            raise MetricError(_ROWS_ARE_GONE.format(kind=tally.kind, more=said))
    raise MetricError(f"a tally of {tally.kind} cannot be resampled.")


def number(value: Any) -> float:
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
    whole = float(mass.sum())
    centre = float((mass[finite] * values[finite]).sum() / whole) if whole else 0.0
    plain = np.where(finite, values - centre, 0.0)
    odd = [(~finite & (values == value), value) for value in (np.inf, -np.inf)]
    odd.append((np.isnan(values), np.nan))

    def means(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        taken = counts * weights
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (taken * plain).sum(-1) / taken.sum(-1) + centre
            for where, value in odd:  # as they are added to what there is: two infinities have no mean
                if where.any():
                    found = found + np.where(counts[:, where].any(-1), value, 0.0)
        return np.asarray(found)

    def errors(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        taken = counts * weights
        whole = taken.sum(-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = plain - ((taken * plain).sum(-1) / whole)[:, None]
            rows = counts.sum(-1)
            spread = (taken * weights * away**2).sum(-1) * rows / (rows - 1)
            return np.asarray(np.sqrt(spread) / whole)

    def read(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([float(metric.formula(Mean(float(mean), 1))) for mean in means(counts)])

    plain_mean = metric.kind == "mean" and finite.all()
    return ResamplingUnits(np.asarray(sizes, dtype=np.uint64), read, errors=errors if plain_mean else None)


def score_values(scores: Scores, metric: Metric, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return what a mean metric's loss is at each entry of a score tally, for positives, then negatives."""
    own, _ = own_parameters(metric.loss, {k: v for k, v in options.items() if k in metric.loss_parameters})
    plain = scores.scores.astype(np.float64)
    both = []
    for positive in (1.0, 0.0):
        known = {"positive": np.full(len(plain), positive)}
        both.append(evaluated(metric.loss, [known.get(role, plain) for role in asked_for(metric.loss)], own))
    return np.stack(both)


def _of_confusion(
    metric: Metric, tally: Confusion, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    if tally.weights is not None:
        more = "; it knows each cell's sum of weights, not the weights"
        raise MetricError(_ROWS_ARE_GONE.format(kind="weighted confusion", more=more))
    size = len(tally.labels)
    kind = np.int64 if tally.n < SQUARE_FITS else np.float64

    def read(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        full = np.zeros((len(counts), size * size), dtype=kind)
        full[:, tally.cells.astype(np.intp)] = counts
        return of_tables(metric, full.reshape(len(full), size, size), tally.labels, options)

    strata: tuple[Any, ...] = ()
    if stratified:
        actual = tally.digits()[0]
        strata = tuple(np.flatnonzero(actual == label) for label in np.unique(actual))
    return ResamplingUnits(tally.counts.astype(np.uint64), read, strata)


def _of_label_sets(metric: Metric, tally: LabelSets, options: dict[str, Any]) -> ResamplingUnits:
    """Return the units of one label, or of rows that are wholly right or not: the tally knows no more."""
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
    place = tally.labels.index(label)
    tp, fp, fn = (int(one[place]) for one in (tally.tp, tally.fp, tally.fn))
    rest = {name: value for name, value in options.items() if name in metric.parameters}
    sizes = np.array([tp, fp, fn, tally.n - tp - fp - fn], dtype=np.uint64)
    return ResamplingUnits(sizes, lambda counts: of_binary(metric, counts, rest))


def _of_counts(metric: Metric, tally: Any, options: dict[str, Any]) -> ResamplingUnits:
    """Return the units of a tally whose entries stand in columns beside their counts."""
    fields = [one.name for one in dataclasses.fields(tally) if one.name != "counts"]
    columns = {name: getattr(tally, name) for name in fields if getattr(tally, name) is not None}

    def read_one(counts: NDArray[np.int64]) -> float:
        kept = np.flatnonzero(counts)
        chosen = {name: column[kept] for name, column in columns.items()}
        return number(metric(dataclasses.replace(tally, counts=_smallest(counts[kept]), **chosen), **options))

    return ResamplingUnits(tally.counts.astype(np.uint64), one_by_one(read_one))


def _of_queries(metric: Metric, tally: Queries, options: dict[str, Any]) -> ResamplingUnits:
    each = query_values(metric, tally, options)
    known = ~np.isnan(each)
    plain = np.where(known, each, 0.0)
    return ResamplingUnits(
        np.ones(len(each), dtype=np.uint64), lambda counts: mean_of_known(counts, plain, known)
    )


def query_values(metric: Metric, tally: Queries, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return the metric of each query, NaN where it has none."""
    if metric.each is None:
        raise MetricError(f"{metric.name} is no mean over queries.")
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    view = Lists.of(tally, **{name: value for name, value in options.items() if name not in parameters})
    return np.asarray(metric.each(view, **parameters), dtype=np.float64)


def mean_of_known(counts: Any, sums: NDArray[Any], known: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean over what is known: units hold so many known values, which add up to `sums`."""
    whole = (counts * known).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, (counts * sums).sum(-1) / whole, np.nan))


def _of_confidences(metric: Metric, tally: Confidences, options: dict[str, Any]) -> ResamplingUnits:
    scores: dict[Any, Any] = dict(tally.items())
    cells = [_cells(one) for one in scores.values()]
    ends = np.cumsum([0, *(len(sizes) for _, _, sizes in cells)])

    def read_one(counts: NDArray[np.int64]) -> float:
        made = {
            key: _resampled(one, cells[i][0], cells[i][1], counts[ends[i] : ends[i + 1]])
            for i, (key, one) in enumerate(scores.items())
        }
        kept = {key: one for key, one in made.items() if len(one.scores)}
        return number(metric(Confidences.of_mapping(kept), **options))

    sizes = np.concatenate([np.zeros(0, dtype=np.uint64), *(sizes for _, _, sizes in cells)])
    return ResamplingUnits(sizes.astype(np.uint64), one_by_one(read_one), cheap=False)


def _of_scores(
    metric: Metric, tally: Scores, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    entry, negative, sizes = _cells(tally)
    strata = tuple(np.flatnonzero(negative == side) for side in (0, 1)) if stratified else ()
    if metric.loss is not None:
        if "probability" in asked_for(metric.loss):
            tally.need_probabilities()
        values = score_values(tally, metric, options)[negative, entry]
        weights = None if tally.weights is None else tally.weights[entry]
        return dataclasses.replace(mean_units(metric, values, sizes, weights), strata=strata)
    native = _NATIVE.get(metric.name) if tally.weights is None and not options else None
    if native is None and tally.weights is None and len(tally.scores) > MOST:
        return _of_pooled(metric, tally, options, stratified=stratified)

    def read_one(counts: NDArray[np.int64]) -> float:
        if (
            native is not None
        ):  # its formula takes scores that nothing got, and the kernel behind it no copies
            return number(metric(_with_empty(tally, entry, negative, counts)))
        return number(metric(_resampled(tally, entry, negative, counts), **options))

    fast = None
    if native is not None:
        sides = tally.positives, tally.negatives

        def fast(seed: int, begin: int, end: int) -> Any:
            return native(*sides, seed, begin, end, stratified)

    return ResamplingUnits(sizes, one_by_one(read_one), strata, fast, cheap=False)


def _of_pooled(
    metric: Metric, tally: Scores, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    """Return the units with neighbouring scores put together: for the spread that is as good."""
    small = pooled(tally)
    shift = number(metric(tally, **options)) - number(metric(small, **options))
    units = _of_scores(metric, small, options, stratified=stratified)
    note = f"the spread is that of {len(small.scores):,} groups of neighbouring scores"
    return dataclasses.replace(units, values=lambda counts: units.values(counts) + shift, note=note)


def _cells(tally: Scores) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.uint64]]:
    """Return each cell that has rows: its entry, 0 if positive, else 1, and its rows; as the kernels go."""
    both = np.stack([tally.positives, tally.negatives], axis=1).astype(np.uint64).ravel()
    cells = np.flatnonzero(both)
    return cells // 2, cells % 2, both[cells]


def _resampled(tally: Scores, entry: Any, negative: Any, counts: NDArray[np.int64]) -> Scores:
    sides = np.zeros((2, len(tally.scores)), dtype=np.int64)
    sides[negative, entry] = counts
    kept = np.flatnonzero(sides.any(0))
    weights = None if tally.weights is None else tally.weights[kept]
    if weights is not None and (weights == 1).all():
        weights = None
    return Scores(
        tally.positive, tally.scores[kept], weights, *_smallest(np.ascontiguousarray(sides[:, kept]))
    )


def _with_empty(tally: Scores, entry: Any, negative: Any, counts: NDArray[np.int64]) -> Scores:
    """Return a tally in which some scores have no rows: no canonical one, but sweeps do not mind."""
    sides = np.zeros((2, len(tally.scores)), dtype=np.min_scalar_type(int(counts.max(initial=0))))
    sides[negative, entry] = counts
    return Scores(tally.positive, tally.scores, None, *sides)


def _smallest(counts: NDArray[Any]) -> NDArray[Any]:
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def one_by_one(read_one: Callable[[Any], float]) -> Callable[[Any], NDArray[np.float64]]:
    """Return a function of many replicates that reads one after another."""
    return lambda counts: np.array([read_one(one) for one in counts], dtype=np.float64)
