"""Calibration errors: whether, of rows with probability 0.3, three in ten are positive.

Binned errors depend on the bins, so they are options: `bins`, `rule` and `ties`, see
:mod:`assay.metrics.probability.binning`. All of them are above 0 for calibrated probabilities too, the more
so the fewer the rows: 15 bins of equal mass show a mean ECE of 0.09 with 200 rows of a perfect model, and
0.02 with 5,000. :func:`calibration_null` computes what to expect of the rows at hand.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import ratio, root, total
from assay.metrics.metric import Metric, metric, tallied
from assay.metrics.probability.binning import Rule, Ties, binned
from assay.metrics.probability.isotonic import isotonic
from assay.metrics.undefined import NO_ROWS, Undefined
from assay.metrics.views.probability import Probabilities, one_by_one
from assay.tallies import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 1e-12

__all__ = ["CalibrationCurve", "Null", "calibration_curve", "calibration_null", "row_quantile"]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Mean probability and observed rate of each bin, with the number of rows; empty bins are left out.

    `low` and `high` are the smallest and the largest probability of each bin's rows.
    """

    predicted: NDArray[Any]
    observed: NDArray[Any]
    rows: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]


def calibration_curve(
    tally: Any, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share", clip: float = 0.0
) -> CalibrationCurve:
    """Return observed rates against mean predicted probabilities, in bins.

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    bins
        How many bins.
    rule
        Bins of equal ``"mass"``, of equal ``"width"``, closed on the right, or of ``"left-closed width"``.
    ties
        Where an edge falls among rows of equal probability: each side gets its ``"share"`` of their
        positives, or ``"positives first"``.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    CalibrationCurve
        Of each bin the mean probability, the observed rate, the rows, and its limits.

    Raises
    ------
    MetricError
        There are no rows, a score is no probability, or there are no such bins.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.3, 0.6, 0.8]))
    >>> curve = calibration_curve(tally, bins=2)
    >>> curve.predicted, curve.observed
    (array([0.2, 0.7]), array([0.5, 0.5]))
    """
    bin_sums = binned(Probabilities.some(tally, clip=clip), bins, rule, ties)
    ends = np.append(bin_sums.starts[1:], len(bin_sums.p)) - 1
    return CalibrationCurve(
        bin_sums.predicted, bin_sums.observed, bin_sums.rows, bin_sums.p[bin_sums.starts], bin_sums.p[ends]
    )


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("ece",),
    title="calibration error", depends_on_n=True,
)  # fmt: skip
@one_by_one
def expected_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Mean absolute difference of the bins' mean probabilities and observed rates (ECE).

    ``sum(rows |predicted - observed|) / n``

    Biased upward: compare it with its mean for calibrated rows (:func:`calibration_null`), or take the
    debiased error.
    """
    bin_sums = binned(v, bins, rule, ties)
    return total(bin_sums.rows * np.abs(bin_sums.gaps)) / total(bin_sums.rows)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("mce",),
    depends_on_n=True,
)  # fmt: skip
@one_by_one
def maximum_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Largest absolute difference of a bin's mean probability and observed rate.

    ``max |predicted - observed|``

    Biased upward, the more so the fewer rows the smallest bin has.
    """
    return np.abs(binned(v, bins, rule, ties).gaps).max()


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("rms_ce",),
    title="RMS calibration error", depends_on_n=True,
)  # fmt: skip
@one_by_one
def rms_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Root mean squared difference of the bins' mean probabilities and observed rates.

    ``sqrt(sum(rows (predicted - observed)²) / n)``. Biased upward.
    """
    bin_sums = binned(v, bins, rule, ties)
    return root(total(bin_sums.rows * bin_sums.gaps**2) / total(bin_sums.rows))


@metric(
    reads=Probabilities, kind="extreme", bounds=(-math.inf, 1), best=None, undefined="no bin has two rows",
    aliases=("debiased_ece_squared",), depends_on_n=True,
)  # fmt: skip
@one_by_one
def debiased_calibration_square(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Squared calibration error less its expectation by chance alone, so it may be below 0.

    ``sum(rows ((predicted - observed)² - observed (1 - observed) / (rows - 1))) / n`` over bins of more than
    one row (Kumar, Liang and Ma 2019). With weights the rows less 1 are Kish's effective rows of the bin.
    """
    bin_sums = binned(v, bins, rule, ties)
    several = bin_sums.effective > 1.5  # noqa: PLR2004 - two rows, however weights round
    if not several.any():
        return math.nan
    chance = ratio(bin_sums.observed * (1 - bin_sums.observed), bin_sums.effective - 1)
    return total((bin_sums.rows * (bin_sums.gaps**2 - chance))[several]) / total(bin_sums.rows)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined="no bin has two rows",
    aliases=("debiased_ece",), depends_on_n=True,
)  # fmt: skip
@one_by_one
def debiased_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Calibration error less its expectation by chance alone: ``sqrt(max(0, debiased squared error))``."""
    return root(debiased_calibration_square.formula(v, bins=bins, rule=rule, ties=ties)) + 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Null:
    """A calibration error, its mean if the probabilities were right, and the p-value of that hypothesis."""

    value: float
    mean: float
    p_value: float
    replicates: int


def calibration_null(
    metric: Metric, tally: Any, *, replicates: int = 999, seed: int = 0, clip: float = 0.0, **parameters: Any
) -> Null:
    """Return the distribution of a calibration error if every probability were right.

    Outcomes are drawn from the probabilities themselves, `replicates` times. The p-value is the share of
    replicates, the observed value included, that are no smaller than it.

    Parameters
    ----------
    metric
        A metric of probabilities, such as ``assay.metrics.expected_calibration_error``.
    tally
        Rows with probabilities, or a score tally of them.
    replicates
        How many sets of outcomes are drawn.
    seed
        The seed of the draws: the same one gives the same result.
    clip
        Move probabilities into [clip, 1 - clip] first.
    **parameters
        Options of the metric, such as ``bins=10``.

    Returns
    -------
    Null
        The value, its mean if the probabilities were right, the p-value, and the number of replicates.

    Raises
    ------
    MetricError
        The metric does not read probabilities, or has no value for these rows.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import ece
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1] * 25, score=[0.1, 0.3, 0.6, 0.8] * 25))
    >>> null = calibration_null(ece, tally, bins=4)
    >>> round(null.value, 3), null.mean < 0.1, null.p_value
    (0.4, True, 0.001)
    """
    if metric.reads is not Probabilities:
        raise MetricError(
            f"{metric.name} does not read probabilities, so that no outcomes can be drawn from them."
        )
    tally = tallied(tally, Scores)
    view = Probabilities.of(tally, clip=clip)
    value = metric.value(metric.formula(view, **parameters), view) if len(view.p) else math.nan
    if isinstance(value, Undefined) or math.isnan(value):
        raise MetricError(f"{metric.name} has no value for these rows, so there is nothing to compare.")
    random = np.random.default_rng(seed)
    rows = tally.positives.astype(np.int64) + tally.negatives.astype(np.int64)
    p = np.clip(tally.scores.astype(np.float64), clip, 1 - clip)
    values = np.empty(replicates)
    for replicate in range(replicates):
        positives = random.binomial(rows, p)
        drawn = Probabilities.gathered(p, tally.weights, positives, rows - positives)
        values[replicate] = metric.formula(drawn, **parameters)
    p_value = (1 + int(np.count_nonzero(values >= value))) / (replicates + 1)
    return Null(value, float(np.mean(values)), p_value, replicates)


def _distances(view: Probabilities) -> NDArray[Any]:
    return np.asarray(np.abs(view.p - isotonic(view)))


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS,
    aliases=("ici_isotonic", "isotonic_ici"),
)  # fmt: skip
@one_by_one
def isotonic_calibration_index(v: Probabilities) -> Any:
    """Mean distance of the probabilities from their isotonic fit: ``mean |p - fit(p)|``.

    Austin and Steyerberg's (2019) ICI fits by loess: :func:`integrated_calibration_index`. This fit has
    no tuning parameters, stays within 0 and 1, and takes any number of rows.
    """
    return ratio(total(v.counts * _distances(v)), v.n)


@metric(
    reads=Probabilities, kind="order", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("e50_isotonic",)
)
@one_by_one
def isotonic_median_distance(v: Probabilities) -> Any:
    """Median distance of the probabilities from their isotonic fit: ``median |p - fit(p)|``."""
    return row_quantile(_distances(v), v.counts, 1, 2)


@metric(
    reads=Probabilities, kind="order", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("e90_isotonic",)
)
@one_by_one
def isotonic_upper_distance(v: Probabilities) -> Any:
    """90% quantile of the probabilities' distance from their isotonic fit.

    ``90% quantile of |p - fit(p)|``
    """
    return row_quantile(_distances(v), v.counts, 9, 10)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("emax_isotonic",)
)
@one_by_one
def isotonic_largest_distance(v: Probabilities) -> Any:
    """Largest distance of a probability from its isotonic fit: ``max |p - fit(p)|``."""
    return _distances(v).max()


def row_quantile(values: NDArray[Any], counts: NDArray[Any], part: int, of: int) -> float:
    """Return the quantile `part` / `of` over rows; the mean of two values where it falls between them."""
    order = np.argsort(values, kind="stable")
    values, reached = values[order], np.cumsum(counts[order])
    cut = part * reached[-1]
    # Sums of weights that reach the cut up to rounding have reached it.
    low = np.searchsorted(of * reached, cut * (1 - _ROUNDING), side="left")
    high = np.searchsorted(of * reached, cut * (1 + _ROUNDING), side="right")
    return float((values[low] + values[min(high, len(values) - 1)]) / 2)
