"""How much better a threshold looks on the rows it was chosen on than it is: cross-fitting and bootstrap."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay import kernels
from assay.decisions.criteria import ROWS_PREDICTED, parse_criterion
from assay.decisions.criterion_options import CriterionOptions, criterion_keywords
from assay.decisions.sweep import Sample, cells
from assay.decisions.threshold_intervals import IN_GROUPS, estimated
from assay.errors import MetricError
from assay.formatting.numbers import counted, cutoff, figure, interval, measured, plain
from assay.inference.bootstrap.bootstrap_limits import Limits, percentile
from assay.inference.bootstrap.units import pieces
from assay.inference.distributions import student_quantile
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.intervals.interval_request import check_seed
from assay.metrics import Binary
from assay.metrics.parameters import whole
from assay.tallies.scores.pooling import pooled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from assay.decisions.criterion import Criterion
    from assay.inference.estimate import Estimate

__all__ = ["CrossFit", "Optimism", "cross_fit_of", "cross_fitted", "optimism", "optimism_of"]

_CUTOFFS = 1 << 14  # in a replicate: more would change the luck by less than the draws do
_MAY_LACK = 0.01  # of the replicates; beyond, what is left no longer stands for all


@dataclasses.dataclass(frozen=True, slots=True)
class CrossFit:
    """What choosing is worth on rows it did not see: each fold judged at the threshold the others chose."""

    measure: str
    estimate: Estimate
    counts: Binary
    thresholds: tuple[float, ...]
    seed: int

    def __str__(self) -> str:
        name, times = measured(self.measure)
        value = f"{figure(float(self.estimate) * times)} {interval(self.estimate, times)}".rstrip()
        return f"Cross-fitted over {len(self.thresholds)} folds: {name} {value}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "measure": self.measure,
            "threshold_source": "cross-fit",
            "estimate": self.estimate.to_dict(),
            "counts": counted(self.counts),
            "thresholds": [plain(x) for x in self.thresholds],
            "seed": self.seed,
        }


@dataclasses.dataclass(frozen=True, slots=True)
class Optimism:
    """How much of a measure is luck (Harrell 1996), and how far the threshold itself wanders.

    `apparent` is the measure on the rows it was chosen on, `optimism` how much higher it is there than
    where it was not chosen, on average over the replicates, and `corrected` the difference. The threshold
    lies between `low` and `high` in so many of the replicates as `confidence` says. That is how far it
    wanders, no confidence interval of the best threshold: the bootstrap of a maximum is not consistent
    (Abrevaya and Huang 2005), and of few rows the range lacks the best one more often than it says.
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
        """The measure without what is luck."""
        return self.apparent - self.optimism

    def __str__(self) -> str:
        name, times = measured(self.measure)
        side = "high" if self.optimism > 0 else "low"
        luck = f"too {side} by about {abs(self.optimism) * times:.2g}" if self.optimism else "as it should be"
        return (
            f"Over {self.replicates:,} replicates, {name} is {luck}: {figure(self.corrected * times)} "
            f"corrected. In {100 * self.confidence:.4g}% of them the threshold lies between "
            f"{cutoff(self.low)} and {cutoff(self.high)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = dataclasses.asdict(self) | {"corrected": self.corrected}
        return {name: plain(value) if isinstance(value, float) else value for name, value in data.items()}


@criterion_keywords
def cross_fitted(
    data: Any, *, folds: int = 10, seed: int = 0, **criterion: Unpack[CriterionOptions]
) -> CrossFit:
    """Return what choosing a threshold is worth: chosen on all folds but one, judged on that one, pooled.

    It speaks of the procedure, for each fold has its threshold; the interval allows for how far these move
    the measure, see docs/decisions.md. The classes are spread evenly over the
    folds; rows of a group stay together. The order of the rows does not matter.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 1] * 50, score=[i % 9 for i in range(100)])
    >>> fit = cross_fitted(rows, best="f1")
    >>> fit.counts.n, len(fit.thresholds)
    (100, 10)
    """
    wanted = parse_criterion(**criterion)
    return cross_fit_of(Sample.of(data, wanted.amounts), wanted, folds, seed)


@criterion_keywords
def optimism(
    data: Any, *, replicates: int = 200, seed: int = 0, **criterion: Unpack[CriterionOptions]
) -> Optimism:
    """Return how much better the measure looks than it is, by bootstrap, and how far the threshold wanders.

    In each replicate the threshold is chosen anew, and judged on the replicate and on the rows: the mean
    difference is the optimism (Harrell 1996). Rows of a group are drawn together. Of more than 16,384 scores
    neighbours are put together, which moves the optimism by far less than the draws do.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 1] * 50, score=[i % 9 for i in range(100)])
    >>> found = optimism(rows, best="youden", replicates=50)
    >>> found.optimism > 0, found.corrected < found.apparent
    (True, True)
    """
    wanted = parse_criterion(**criterion)
    return optimism_of(Sample.of(data, wanted.amounts), wanted, replicates, seed)


def cross_fit_of(sample: Sample, wanted: Criterion, folds: int, seed: int) -> CrossFit:
    """Return the cross-fitted measure of a sample."""
    folds = whole("folds", folds, least=2)
    check_seed(seed)
    if wanted.measure == ROWS_PREDICTED:
        raise MetricError(
            "a capacity is that of all rows, not of a fold: state it as a share of them, max_positive_rate=."
        )
    parts = _folds(sample, folds, seed)
    total = np.stack([sample.tally.positives, sample.tally.negatives])
    thresholds, pooled, table = [], None, None
    fold_of_group = _folds_of_groups(sample, folds, seed)
    for number, held_out in enumerate(parts, 1):
        times = None if fold_of_group is None else (fold_of_group != number - 1).astype(np.int64)
        training = sample.sweep(*(total - held_out), times=times)
        try:
            chosen = wanted.choose(sample, training)
        except MetricError as refused:
            raise MetricError(f"without fold {number} of {folds}: {refused}") from None
        outcome = sample.sweep(*held_out).at(chosen.place)
        thresholds.append(chosen.threshold)
        pooled = outcome if pooled is None else pooled.added(outcome)
        part = sample.table_at(training.cutoff(chosen.place), *held_out)
        table = part if table is None or part is None else table.merge(part)
    assert pooled is not None  # noqa: S101 - there are two folds at least
    why_not = IN_GROUPS if sample.groups is not None else ""
    estimate = estimated(wanted, pooled, sample.tally.n, table=table, why_not=why_not)
    sweep = sample.sweep()
    values = [wanted.value(sweep.at(sweep.place(threshold))) for threshold in thresholds]
    estimate = _widened(estimate, values, wanted)
    counts = Binary(*(x[0].item() for x in cells(pooled.counts)))
    return CrossFit(wanted.measure, estimate, counts, tuple(thresholds), seed)


def optimism_of(sample: Sample, wanted: Criterion, replicates: int, seed: int) -> Optimism:
    """Return the optimism of a sample's threshold."""
    replicates = whole("replicates", replicates, least=2)
    check_seed(seed)
    sweep = sample.sweep()
    apparent = wanted.value(sweep.at(wanted.choose(sample, sweep).place))
    thresholds, gains = np.full(replicates, np.nan), np.full(replicates, np.nan)
    if sample.groups is None:
        sample = dataclasses.replace(sample, tally=pooled(sample.tally, _CUTOFFS))
        sweep = sample.sweep()
    for number, drawn in enumerate(_replicates(sample, replicates, seed)):
        there = sample.sweep(*drawn, times=_drawn_groups(sample, seed, number))
        try:
            chosen = wanted.choose(sample, there)
        except MetricError:
            continue  # a class is absent from the replicate, or what is demanded is out of reach there
        thresholds[number] = chosen.threshold
        gains[number] = wanted.value(there.at(chosen.place)) - wanted.value(sweep.at(chosen.place))
    known = ~np.isnan(gains)
    lacking = replicates - int(known.sum())
    if lacking > _MAY_LACK * replicates:
        raise MetricError(
            f"in {lacking:,} of {replicates:,} replicates no threshold could be chosen for {wanted.words}, "
            "so that its optimism is not known: the rows are too few for it."
        )
    note = f"{lacking:,} of {replicates:,} replicates have no threshold" if lacking else ""
    low, high = _range(thresholds[known], wanted.confidence)
    gain = math.fsum(gains[known]) / int(known.sum())
    return Optimism(wanted.measure, apparent, gain, low, high, wanted.confidence, replicates, seed, note)


def _widened(estimate: Estimate, values: list[float], wanted: Criterion) -> Estimate:
    """Return a cross-fitted estimate whose interval allows for the choice of the threshold as well.

    The interval of pooled folds takes the thresholds as given. How far they move the measure is seen on all
    rows: the jackknife variance of the measure over the folds' thresholds is added to the squared half width,
    and Student's t of the folds less one stands in for the normal quantile.
    """
    if estimate.low is None or estimate.high is None or not np.isfinite(values).all():
        return estimate
    folds, value = len(values), float(estimate)
    chosen = (folds - 1) / folds * float(np.square(np.subtract(values, np.mean(values))).sum())
    normal = normal_quantile(estimate.confidence)
    wider = student_quantile(estimate.confidence, folds - 1) / normal
    low, high = (
        value + side * wider * math.hypot(end - value, normal * math.sqrt(chosen))
        for side, end in ((-1, estimate.low), (1, estimate.high))
    )
    least, largest = (0.0, math.inf) if wanted.metric is None else wanted.metric.bounds
    return dataclasses.replace(
        estimate, low=max(low, least), high=min(high, largest), method=f"{estimate.method}, cross-fitted"
    )


def _range(thresholds: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    limits: Limits = percentile(thresholds, confidence=confidence)
    if limits.low is None or limits.high is None:  # all the same
        return float(thresholds[0]), float(thresholds[0])
    return limits.low, limits.high


def _folds(sample: Sample, folds: int, seed: int) -> NDArray[Any]:
    """Return how many rows of each fold every entry of the tally has: by fold, class and entry.

    Rows of an entry are alike, so that it is enough to deal out the tally.
    """
    entries = len(sample.tally.scores)
    if sample.groups is not None:
        places, codes = sample.groups
        number = int(codes.max()) + 1
        fold = _folds_of_groups(sample, folds, seed)[codes]
    else:
        sizes = _sizes(sample)
        places = np.repeat(np.arange(len(sizes)), sizes)
        positives = int(sizes[:entries].sum())
        number = len(places)
        # Each class is shuffled and dealt out; the second goes on where the first ended.
        second = _dealt(number - positives, folds, seed, first=positives, stream=1)
        fold = np.concatenate([_dealt(positives, folds, seed), second])
    if number < folds:
        what = "rows" if sample.groups is None else "groups"
        raise MetricError(f"folds={folds}: there are no more than {number:,} {what} to deal out.")
    most = np.bincount(places, minlength=2 * entries)
    counts = np.zeros((folds, 2 * entries), dtype=np.min_scalar_type(int(most.max())))
    for one in range(folds):
        if most.max() == 1:  # every row is an entry of its own
            counts[one, places[fold == one]] = 1
        else:
            counts[one] = np.bincount(places[fold == one], minlength=2 * entries)
    return counts.reshape(folds, 2, entries)


def _replicates(sample: Sample, replicates: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield how many rows every entry of the tally has in each replicate: by class and entry."""
    entries = len(sample.tally.scores)
    if sample.groups is not None:
        places, codes = sample.groups
        for one in range(replicates):
            drawn = _drawn_groups(sample, seed, one)
            counts = np.bincount(places, weights=drawn[codes], minlength=2 * entries)
            yield counts.astype(np.int64).reshape(2, entries)
        return
    sizes = _sizes(sample)
    held = np.flatnonzero(sizes)
    if sizes.max() == 1:  # every row is an entry of its own
        for one in range(replicates):
            counts = np.zeros(2 * entries, dtype=np.int64)
            drawn = kernels.random_below(seed, one, 0, len(held), len(held))
            counts[held] = np.bincount(drawn, minlength=len(held))
            yield counts.reshape(2, entries)
        return
    for begin, end in pieces(len(held), replicates):
        drawn = kernels.resample_counts(sizes[held].astype(np.uint64), seed, begin, end)
        for one in drawn:
            counts = np.zeros(2 * entries, dtype=np.int64)
            counts[held] = one
            yield counts.reshape(2, entries)


def _folds_of_groups(sample: Sample, folds: int, seed: int) -> Any:
    """Return the fold of each group, None where rows come in none."""
    return None if sample.groups is None else _dealt(int(sample.groups[1].max()) + 1, folds, seed)


def _drawn_groups(sample: Sample, seed: int, replicate: int) -> Any:
    """Return how often each group is in a replicate, None where rows come in none."""
    if sample.groups is None:
        return None
    number = int(sample.groups[1].max()) + 1
    return np.bincount(kernels.random_below(seed, replicate, 0, number, number), minlength=number)


def _sizes(sample: Sample) -> NDArray[np.int64]:
    """Return how many positives, then how many negatives, every entry of the tally has."""
    return np.concatenate([sample.tally.positives, sample.tally.negatives]).astype(np.int64)


def _dealt(n: int, folds: int, seed: int, *, first: int = 0, stream: int = 0) -> NDArray[Any]:
    """Return the fold of each of n, dealt out from a first one on in an order that the seed decides."""
    fold = np.empty(n, dtype=np.min_scalar_type(folds))
    order = np.argsort(kernels.random_words(seed, stream, 0, n), kind="stable")
    fold[order] = (first + np.arange(n)) % folds
    return fold
