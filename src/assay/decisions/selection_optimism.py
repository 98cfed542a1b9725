"""Optimism of a threshold on the rows it was chosen on: cross-fitting and the bootstrap."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay import kernels
from assay.decisions.criteria import ROWS_PREDICTED, parse_criterion
from assay.decisions.criterion_options import CriterionOptions, criterion_keywords
from assay.decisions.sweep import Sample, cells
from assay.decisions.threshold_intervals import IN_GROUPS, estimate_outcome
from assay.errors import MetricError, check_whole_number
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import (
    counts_dict,
    format_four_digits,
    format_scaled_interval,
    format_threshold,
    printed_measure,
)
from assay.formatting.result import Result, ResultTable
from assay.formatting.result_table import IntervalCell
from assay.formatting.table import paragraph
from assay.hints import param
from assay.inference.bootstrap.bootstrap_limits import Limits, percentile
from assay.inference.bootstrap.units import pieces
from assay.inference.distributions import student_quantile
from assay.inference.formulas.proportions import check_seed, normal_quantile
from assay.metrics import Binary
from assay.tallies.scores.scores import pooled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from assay.decisions.criterion import Criterion
    from assay.inference.estimate import Estimate

__all__ = ["CrossFit", "Optimism", "cross_fit_of", "cross_fitted", "optimism", "optimism_of"]

_MAX_CUTOFFS = 1 << 14  # in a replicate: more would change the optimism by less than the resampling does
_MAX_FAILED_SHARE = 0.01  # of the replicates; with more, the others no longer represent all


@dataclasses.dataclass(frozen=True, slots=True)
class CrossFit(Result):
    """Performance of a chosen threshold on unseen rows: each fold at the threshold the others choose."""

    measure: str
    estimate: Estimate
    counts: Binary
    thresholds: tuple[float, ...]
    seed: int

    @property
    def summary(self) -> str:
        """The cross-fitted measure with its interval, in a sentence."""
        name, times = printed_measure(self.measure)
        limits = format_scaled_interval(self.estimate, times)
        value = f"{format_four_digits(float(self.estimate) * times)} {limits}".rstrip()
        return f"Cross-fitted over {len(self.thresholds)} folds: {name} {value}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "measure": self.measure,
            "threshold_source": "cross-fit",
            "estimate": self.estimate.to_dict(),
            "counts": counts_dict(self.counts),
            "thresholds": json_safe(self.thresholds),
            "seed": self.seed,
        }

    def tables(self) -> list[ResultTable]:
        """Return the measure and its counts, as one row; then the thresholds of the folds."""
        row = {"measure": self.measure, "value": IntervalCell.of(self.estimate), **counts_dict(self.counts)}
        folds: dict[str, list[Any]] = {
            "fold": list(range(1, len(self.thresholds) + 1)),
            "threshold": list(self.thresholds),
        }
        return [ResultTable({name: [value] for name, value in row.items()}), ResultTable(folds, "folds")]

    def text(self, *, width: int = 80) -> str:
        """Return the sentence in lines of at most so many columns."""
        return "\n".join(paragraph(self.summary, max_width=width))


@dataclasses.dataclass(frozen=True, slots=True)
class Optimism:
    """Optimism of a measure by the bootstrap (Harrell 1996), and the variation of the threshold.

    `apparent` is the measure on the rows the threshold was chosen on, `optimism` how much higher it is there
    than on other rows, on average over replicates, and `corrected` the difference. A share `confidence` of
    the replicates has its threshold between `low` and `high`. That is the variation of the choice, no
    confidence interval of the best threshold: the bootstrap of a maximum is not consistent (Abrevaya and
    Huang 2005), and with few rows the range misses the best threshold more often than it states.
    """

    measure: str
    apparent: float
    optimism: float
    low: float
    high: float
    confidence: float
    replicates: int
    seed: int
    note: str = ""

    @property
    def corrected(self) -> float:
        """The measure less its optimism."""
        return self.apparent - self.optimism

    def __str__(self) -> str:
        name, times = printed_measure(self.measure)
        side = "high" if self.optimism > 0 else "low"
        bias = f"too {side} by about {abs(self.optimism) * times:.2g}" if self.optimism else "not optimistic"
        return (
            f"Over {self.replicates:,} replicates, {name} is {bias}: "
            f"{format_four_digits(self.corrected * times)} corrected. "
            f"In {100 * self.confidence:.4g}% of them the threshold lies between "
            f"{format_threshold(self.low)} and {format_threshold(self.high)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = dataclasses.asdict(self) | {"corrected": self.corrected}
        return dict(json_safe(data))


@criterion_keywords
def cross_fitted(
    data: Any, *, folds: int = 10, seed: int = 0, **options: Unpack[CriterionOptions]
) -> CrossFit:
    """Estimate how a chosen threshold performs on unseen rows: chosen on the other folds, pooled.

    The estimate is of the procedure, since each fold has its own threshold; the interval allows for the
    variation of these, see docs/how-to/decisions.md. Folds are stratified by class; rows of a group stay
    together. The order of the rows does not matter.

    Parameters
    ----------
    data
        Rows or a score tally.
    folds
        How many folds there are.
    seed
        Where the random draws begin: the same seed gives the same result.
    best, beta, min_recall, min_precision, min_specificity
        The criterion, as :func:`choose_threshold` takes it.
    cost_fp, cost_fn, cost_tp, cost_tn, prevalence, calibrated
        The criterion by costs, likewise.
    capacity, max_positive_rate, equal_error, confidence, method
        Other criteria, and the confidence of any, likewise.

    Returns
    -------
    CrossFit
        The pooled counts, the measure with its interval, and the threshold of each fold.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores; or not exactly one criterion is stated; or
        `folds` is below 2.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1] * 50, score=[i % 9 for i in range(100)])
    >>> fit = cross_fitted(rows, best="f1")
    >>> fit.counts.n, len(fit.thresholds)
    (100, 10)
    """
    criterion = parse_criterion(**options)
    return cross_fit_of(Sample.of(data, criterion.amounts), criterion, folds, seed)


@criterion_keywords
def optimism(
    data: Any, *, replicates: int = 200, seed: int = 0, **options: Unpack[CriterionOptions]
) -> Optimism:
    """Estimate by the bootstrap how optimistic the measure is, and how much the threshold varies.

    In each replicate a threshold is chosen, and evaluated on the replicate and on the rows: the mean
    difference is the optimism (Harrell 1996). Groups are resampled whole. With more than 16,384 scores
    neighbours are merged, which changes the optimism by far less than the resampling does.

    Parameters
    ----------
    data
        Rows or a score tally.
    replicates
        How many bootstrap replicates are drawn.
    seed
        Where the random draws begin: the same seed gives the same result.
    best, beta, min_recall, min_precision, min_specificity
        The criterion, as :func:`choose_threshold` takes it.
    cost_fp, cost_fn, cost_tp, cost_tn, prevalence, calibrated
        The criterion by costs, likewise.
    capacity, max_positive_rate, equal_error, confidence, method
        Other criteria, and the confidence of any, likewise.

    Returns
    -------
    Optimism
        The apparent measure, its optimism, the corrected measure and the spread of the thresholds.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores; or not exactly one criterion is stated; or
        `replicates` is below 2.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1] * 50, score=[i % 9 for i in range(100)])
    >>> result = optimism(rows, best="youden", replicates=50)
    >>> result.optimism > 0, result.corrected < result.apparent
    (True, True)
    """
    criterion = parse_criterion(**options)
    return optimism_of(Sample.of(data, criterion.amounts), criterion, replicates, seed)


def cross_fit_of(sample: Sample, criterion: Criterion, folds: int, seed: int) -> CrossFit:
    """Return the cross-fitted measure of a sample."""
    folds = check_whole_number("folds", folds, 2)
    check_seed(seed)
    if criterion.measure == ROWS_PREDICTED:
        raise MetricError(
            "a capacity is for all rows, not for a fold: state it as a share of them, "
            f"{param('max_positive_rate')}."
        )
    fold_counts = _folds(sample, folds, seed)
    total = np.stack([sample.tally.positives, sample.tally.negatives])
    thresholds, total_outcome, table = [], None, None
    fold_of_group = _folds_of_groups(sample, folds, seed)
    for number, held_out in enumerate(fold_counts, 1):
        times = None if fold_of_group is None else (fold_of_group != number - 1).astype(np.int64)
        training = sample.sweep(*(total - held_out), times=times)
        try:
            chosen = criterion.choose(sample, training)
        except MetricError as refused:
            raise MetricError(f"without fold {number} of {folds}: {refused}") from None
        outcome = sample.sweep(*held_out).at(chosen.cutoff_index)
        thresholds.append(chosen.threshold)
        total_outcome = outcome if total_outcome is None else total_outcome.add(outcome)
        part = sample.table_at(training.cutoff(chosen.cutoff_index), *held_out)
        table = part if table is None or part is None else table.merge(part)
    assert total_outcome is not None  # noqa: S101 - there are two folds at least
    no_interval = IN_GROUPS if sample.groups is not None else ""
    estimate = estimate_outcome(
        criterion, total_outcome, sample.tally.n, table=table, no_interval=no_interval
    )
    sweep = sample.sweep()
    values = [criterion.value(sweep.at(sweep.index_of(threshold))) for threshold in thresholds]
    estimate = _widen(estimate, values, criterion)
    counts = Binary(*(x[0].item() for x in cells(total_outcome.counts)))
    return CrossFit(criterion.measure, estimate, counts, tuple(thresholds), seed)


def optimism_of(sample: Sample, criterion: Criterion, replicates: int, seed: int) -> Optimism:
    """Return the optimism of a sample's threshold."""
    replicates = check_whole_number("replicates", replicates, 2)
    check_seed(seed)
    sweep = sample.sweep()
    apparent = criterion.value(sweep.at(criterion.choose(sample, sweep).cutoff_index))
    thresholds, gains = np.full(replicates, np.nan), np.full(replicates, np.nan)
    if sample.groups is None:
        sample = dataclasses.replace(sample, tally=pooled(sample.tally, _MAX_CUTOFFS))
        sweep = sample.sweep()
    for number, drawn in enumerate(_replicates(sample, replicates, seed)):
        replicate = sample.sweep(*drawn, times=_drawn_groups(sample, seed, number))
        try:
            chosen = criterion.choose(sample, replicate)
        except MetricError:
            continue  # the replicate lacks a class, or no threshold meets the constraint there
        thresholds[number] = chosen.threshold
        gains[number] = criterion.value(replicate.at(chosen.cutoff_index)) - criterion.value(
            sweep.at(chosen.cutoff_index)
        )
    known = ~np.isnan(gains)
    failed = replicates - int(known.sum())
    if failed > _MAX_FAILED_SHARE * replicates:
        raise MetricError(
            f"in {failed:,} of {replicates:,} replicates no threshold could be chosen for {criterion.words}, "
            "so its optimism is not known: there are too few rows."
        )
    note = f"{failed:,} of {replicates:,} replicates have no threshold" if failed else ""
    low, high = _range(thresholds[known], criterion.confidence)
    gain = math.fsum(gains[known]) / int(known.sum())
    return Optimism(
        criterion.measure, apparent, gain, low, high, criterion.confidence, replicates, seed, note
    )


def _widen(estimate: Estimate, values: list[float], criterion: Criterion) -> Estimate:
    """Return a cross-fitted estimate whose interval also allows for the choice of the threshold.

    The interval of pooled folds takes the thresholds as fixed. Their effect is measured on all rows: the
    jackknife variance of the measure over the folds' thresholds is added to the squared half width, and
    Student's t with folds less one degrees of freedom replaces the normal quantile.
    """
    if estimate.low is None or estimate.high is None or not np.isfinite(values).all():
        return estimate
    folds, value = len(values), float(estimate)
    variance = (folds - 1) / folds * float(np.square(np.subtract(values, np.mean(values))).sum())
    normal = normal_quantile(estimate.confidence)
    factor = student_quantile(estimate.confidence, folds - 1) / normal
    low, high = (
        value + side * factor * math.hypot(end - value, normal * math.sqrt(variance))
        for side, end in ((-1, estimate.low), (1, estimate.high))
    )
    lowest, highest = (0.0, math.inf) if criterion.metric is None else criterion.metric.bounds
    return dataclasses.replace(
        estimate, low=max(low, lowest), high=min(high, highest), method=f"{estimate.method}, cross-fitted"
    )


def _range(thresholds: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    limits: Limits = percentile(thresholds, confidence=confidence)
    if limits.low is None or limits.high is None:  # all the same
        return float(thresholds[0]), float(thresholds[0])
    return limits.low, limits.high


def _folds(sample: Sample, folds: int, seed: int) -> NDArray[Any]:
    """Return the number of rows of each fold at every entry of the tally: by fold, class and entry.

    Rows of an entry are equal, so that it is enough to assign counts of the tally to folds.
    """
    entries = len(sample.tally.scores)
    if sample.groups is not None:
        indices, codes = sample.groups
        number = int(codes.max()) + 1
        fold = _folds_of_groups(sample, folds, seed)[codes]
    else:
        sizes = _sizes(sample)
        indices = np.repeat(np.arange(len(sizes)), sizes)
        positives = int(sizes[:entries].sum())
        number = len(indices)
        # Each class is shuffled and assigned in turn; the second starts at the fold after the first ends.
        second = _assign_folds(number - positives, folds, seed, first=positives, stream=1)
        fold = np.concatenate([_assign_folds(positives, folds, seed), second])
    if number < folds:
        what = "rows" if sample.groups is None else "groups"
        raise MetricError(f"{param('folds', folds)}: there are only {number:,} {what}.")
    totals = np.bincount(indices, minlength=2 * entries)
    counts = np.zeros((folds, 2 * entries), dtype=np.min_scalar_type(int(totals.max())))
    for number in range(folds):
        if totals.max() == 1:  # every row is an entry of its own
            counts[number, indices[fold == number]] = 1
        else:
            counts[number] = np.bincount(indices[fold == number], minlength=2 * entries)
    return counts.reshape(folds, 2, entries)


def _replicates(sample: Sample, replicates: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield the number of rows at every entry of the tally in each replicate: by class and entry."""
    entries = len(sample.tally.scores)
    if sample.groups is not None:
        indices, codes = sample.groups
        for replicate in range(replicates):
            drawn = _drawn_groups(sample, seed, replicate)
            counts = np.bincount(indices, weights=drawn[codes], minlength=2 * entries)
            yield counts.astype(np.int64).reshape(2, entries)
        return
    sizes = _sizes(sample)
    occupied = np.flatnonzero(sizes)
    if sizes.max() == 1:  # every row is an entry of its own
        for replicate in range(replicates):
            counts = np.zeros(2 * entries, dtype=np.int64)
            drawn = kernels.random_below(seed, replicate, 0, len(occupied), len(occupied))
            counts[occupied] = np.bincount(drawn, minlength=len(occupied))
            yield counts.reshape(2, entries)
        return
    for begin, end in pieces(len(occupied), replicates):
        drawn = kernels.resample_counts(sizes[occupied].astype(np.uint64), seed, begin, end)
        for resampled in drawn:
            counts = np.zeros(2 * entries, dtype=np.int64)
            counts[occupied] = resampled
            yield counts.reshape(2, entries)


def _folds_of_groups(sample: Sample, folds: int, seed: int) -> Any:
    """Return the fold of each group, None where there are no groups."""
    return None if sample.groups is None else _assign_folds(int(sample.groups[1].max()) + 1, folds, seed)


def _drawn_groups(sample: Sample, seed: int, replicate: int) -> Any:
    """Return how often each group is in a replicate, None where there are no groups."""
    if sample.groups is None:
        return None
    number = int(sample.groups[1].max()) + 1
    return np.bincount(kernels.random_below(seed, replicate, 0, number, number), minlength=number)


def _sizes(sample: Sample) -> NDArray[np.int64]:
    """Return the number of positives, then of negatives, at every entry of the tally."""
    return np.concatenate([sample.tally.positives, sample.tally.negatives]).astype(np.int64)


def _assign_folds(n: int, folds: int, seed: int, *, first: int = 0, stream: int = 0) -> NDArray[Any]:
    """Return the fold of each of n, assigned in turn from a first fold on in a random order."""
    fold = np.empty(n, dtype=np.min_scalar_type(folds))
    order = np.argsort(kernels.random_words(seed, stream, 0, n), kind="stable")
    fold[order] = (first + np.arange(n)) % folds
    return fold
