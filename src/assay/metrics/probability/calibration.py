"""Whether probabilities mean what they say, so that of rows given 0.3 three in ten are positive.

Binned figures depend on the bins, so the rule is part of what is asked: `bins`, `rule` and `ties`, see
:mod:`assay.metrics.probability.binning`. All of them are above 0 for calibrated probabilities too,
the more so the fewer the rows: 15 bins of equal mass show a mean ECE of 0.09 with 200 rows of a perfect
model, and 0.02 with 5,000.
:func:`calibration_null` says what to expect of the rows at hand.
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
    """Mean probability and observed rate, bin by bin, with the number of rows; empty bins are left out.

    `low` and `high` are the least and the largest probability of each bin's rows.
    """

    predicted: NDArray[Any]
    observed: NDArray[Any]
    rows: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]


def calibration_curve(
    tally: Any, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share", clip: float = 0.0
) -> CalibrationCurve:
    """Return what was observed against what was predicted, in bins.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.3, 0.6, 0.8]))
    >>> curve = calibration_curve(tally, bins=2)
    >>> curve.predicted, curve.observed
    (array([0.2, 0.7]), array([0.5, 0.5]))
    """
    held = binned(Probabilities.some(tally, clip=clip), bins, rule, ties)
    ends = np.append(held.starts[1:], len(held.p)) - 1
    return CalibrationCurve(held.predicted, held.observed, held.rows, held.p[held.starts], held.p[ends])


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("ece",),
    title="calibration error", depends_on_n=True,
)  # fmt: skip
@one_by_one
def expected_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """How far the bins' mean probabilities are from their rates: ``sum(rows |predicted - observed|) / n``.

    Biased upward: look at it beside its mean for calibrated rows (:func:`calibration_null`), or take the
    debiased error.
    """
    held = binned(v, bins, rule, ties)
    return total(held.rows * np.abs(held.gaps)) / total(held.rows)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("mce",),
    depends_on_n=True,
)  # fmt: skip
@one_by_one
def maximum_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """The bin whose mean probability is furthest from its rate: ``max |predicted - observed|``.

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
    """As the calibration error, in squares: ``sqrt(sum(rows (predicted - observed)²) / n)``.

    Biased upward.
    """
    held = binned(v, bins, rule, ties)
    return root(total(held.rows * held.gaps**2) / total(held.rows))


@metric(
    reads=Probabilities, kind="extreme", bounds=(-math.inf, 1), best=None, undefined="no bin has two rows",
    aliases=("debiased_ece_squared",), depends_on_n=True,
)  # fmt: skip
@one_by_one
def debiased_calibration_square(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """The squared calibration error less what chance alone adds to it, so it may be below 0.

    ``sum(rows ((predicted - observed)² - observed (1 - observed) / (rows - 1))) / n`` over bins of more than
    one row (Kumar, Liang and Ma 2019). With weights the rows less 1 are those of equal weight that a bin's
    are worth (Kish).
    """
    held = binned(v, bins, rule, ties)
    several = held.effective > 1.5  # noqa: PLR2004 - two rows, however weights round
    if not several.any():
        return math.nan
    chance = ratio(held.observed * (1 - held.observed), held.effective - 1)
    return total((held.rows * (held.gaps**2 - chance))[several]) / total(held.rows)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined="no bin has two rows",
    aliases=("debiased_ece",), depends_on_n=True,
)  # fmt: skip
@one_by_one
def debiased_calibration_error(
    v: Probabilities, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """The calibration error less what chance alone adds: ``sqrt(max(0, debiased squared error))``."""
    return root(debiased_calibration_square.formula(v, bins=bins, rule=rule, ties=ties)) + 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Null:
    """A figure beside its mean if the probabilities were right, and how rare it would be then."""

    value: float
    mean: float
    p_value: float
    replicates: int


def calibration_null(
    figure: Metric, tally: Any, *, replicates: int = 999, seed: int = 0, clip: float = 0.0, **parameters: Any
) -> Null:
    """Return what a figure of miscalibration would be if every probability were right.

    Outcomes are drawn from the probabilities themselves, `replicates` times. The p-value is the share of
    them, the rows' own value included, that are no smaller than it.

    >>> import assay
    >>> from assay.metrics import ece
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1] * 25, score=[0.1, 0.3, 0.6, 0.8] * 25))
    >>> null = calibration_null(ece, tally, bins=4)
    >>> round(null.value, 3), null.mean < 0.1, null.p_value
    (0.4, True, 0.001)
    """
    if figure.reads is not Probabilities:
        raise MetricError(
            f"{figure.name} is no figure of probabilities, so that nothing can be drawn for it."
        )
    tally = tallied(tally, Scores)
    view = Probabilities.of(tally, clip=clip)
    value = figure.value(figure.formula(view, **parameters), view) if len(view.p) else math.nan
    if isinstance(value, Undefined) or math.isnan(value):
        raise MetricError(f"{figure.name} has no value for these rows, so there is nothing to compare.")
    random = np.random.default_rng(seed)
    rows = tally.positives.astype(np.int64) + tally.negatives.astype(np.int64)
    p = np.clip(tally.scores.astype(np.float64), clip, 1 - clip)
    figures = np.empty(replicates)
    for draw in range(replicates):
        positives = random.binomial(rows, p)
        drawn = Probabilities.gathered(p, tally.weights, positives, rows - positives)
        figures[draw] = figure.formula(drawn, **parameters)
    mean = float(np.mean(figures))
    return Null(value, mean, (1 + int(np.count_nonzero(figures >= value))) / (replicates + 1), replicates)


def _distances(view: Probabilities) -> NDArray[Any]:
    return np.asarray(np.abs(view.p - isotonic(view)))


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS,
    aliases=("ici_isotonic", "isotonic_ici"),
)  # fmt: skip
@one_by_one
def isotonic_calibration_index(v: Probabilities) -> Any:
    """The mean distance of the probabilities from their isotonic fit: ``mean |p - fit(p)|``.

    Austin and Steyerberg's (2019) ICI fits by loess: :func:`integrated_calibration_index`. This fit has
    nothing to tune, is within 0 and 1, and takes any number of rows.
    """
    return ratio(total(v.counts * _distances(v)), v.n)


@metric(
    reads=Probabilities, kind="order", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("e50_isotonic",)
)
@one_by_one
def isotonic_median_distance(v: Probabilities) -> Any:
    """The median distance of the probabilities from their isotonic fit: ``median |p - fit(p)|``."""
    return row_quantile(_distances(v), v.counts, 1, 2)


@metric(
    reads=Probabilities, kind="order", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("e90_isotonic",)
)
@one_by_one
def isotonic_upper_distance(v: Probabilities) -> Any:
    """The distance from the isotonic fit that 9 rows in 10 keep within: ``90% quantile of |p - fit(p)|``."""
    return row_quantile(_distances(v), v.counts, 9, 10)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("emax_isotonic",)
)
@one_by_one
def isotonic_largest_distance(v: Probabilities) -> Any:
    """The largest distance of a probability from its isotonic fit: ``max |p - fit(p)|``."""
    return _distances(v).max()


def row_quantile(values: NDArray[Any], counts: NDArray[Any], part: int, of: int) -> float:
    """Return what `part` of `of` rows lie below; the mean of two values where the cut falls between them."""
    order = np.argsort(values, kind="stable")
    values, reached = values[order], np.cumsum(counts[order])
    cut = part * reached[-1]
    # Sums of weights that reach the cut but for rounding have reached it.
    low = np.searchsorted(of * reached, cut * (1 - _ROUNDING), side="left")
    high = np.searchsorted(of * reached, cut * (1 + _ROUNDING), side="right")
    return float((values[low] + values[min(high, len(values) - 1)]) / 2)
