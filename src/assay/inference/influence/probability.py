"""The influence of rows on metrics of probabilities: skill scores, the base rate's scores, recalibration.

Metrics of a fit to the same rows (decompositions of a score, distances from the isotonic fit, errors by bins)
have a bias that is no smaller than their standard error, which alone would mislead: they have no influence.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.influence import Influence, row_influence, tally_influence
from assay.inference.influence.ranking import by_row, of_many, unit_sums
from assay.metrics import Undefined
from assay.metrics.probability.logistic_recalibration import fit_both, fit_intercept
from assay.metrics.spec import value_of
from assay.metrics.views.probability import Probabilities
from assay.tallies import Scores
from assay.tallies.loss_arguments import check_clip, log_losses
from assay.tallies.scores.scores import pooled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric, Value
    from assay.tallies import Tally

__all__ = ["of_rows", "of_tally"]

_OUTCOMES = np.array([[1.0], [0.0]])  # of positives and of negatives, the two rows of units


@tally_influence(Probabilities)
def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of each entry's positives, and of its negatives: two rows of units."""
    value = value_of(metric, tally, options)
    return _influence_of_entries(metric, pooled(tally), options, value)


def _influence_of_entries(
    metric: Metric, tally: Scores, options: dict[str, Any], value: Value
) -> Influence | None:
    if isinstance(value, Undefined) or not math.isfinite(value) or metric.name not in _SLOPES:
        return None
    clip = check_clip(options.get("clip", 0.0))
    slopes = _SLOPES[metric.name](_Entries(tally, clip), value)
    sums = unit_sums(tally)
    return Influence(value, slopes, *sums)


@row_influence(Probabilities)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row: that of its probability and class."""
    if not isinstance(tally, Scores):
        tally = Scores.of(rows)
    value, tally = value_of(metric, tally, options), of_many(tally, rows)
    entries = _influence_of_entries(metric, tally, options, value)
    return None if entries is None else by_row(entries, tally, rows)


class _Entries:
    """A tally's entries as probabilities: `p` of each, and what its positives and its negatives weigh."""

    def __init__(self, tally: Scores, clip: float) -> None:
        self.p = np.clip(tally.scores.astype(np.float64), clip, 1 - clip)
        self.mass = unit_sums(tally)[0]
        self.n = float(self.mass.sum())
        self.rate = float(self.mass[0].sum()) / self.n
        self.view = Probabilities.of(tally, clip=clip)

    def mean(self, losses: NDArray[Any]) -> tuple[float, NDArray[np.float64]]:
        """Return the mean of a loss by class and entry, and its slopes."""
        # A loss without rows may be infinite, such as that of a positive of probability 0.
        finite = np.where((self.mass == 0) & np.isinf(losses), 0.0, losses)
        mean = float((self.mass * finite).sum()) / self.n
        return mean, (finite - mean) / self.n

    def squares(self, p: NDArray[Any]) -> tuple[float, NDArray[np.float64]]:
        """Return the Brier score of probabilities of the entries, and its slopes."""
        return self.mean((_OUTCOMES - p) ** 2)

    def logs(self, p: NDArray[Any]) -> tuple[float, NDArray[np.float64]]:
        """Return the log loss of probabilities of the entries, and its slopes."""
        return self.mean(np.stack([log_losses(None, p), log_losses(np.zeros(len(p)), p)]))

    def base(self, score: str) -> tuple[float, NDArray[np.float64]]:
        """Return the base rate's own score, and its slopes."""
        rate = self.rate
        moved = (_OUTCOMES - rate) / self.n * np.ones_like(self.mass)
        if score == "brier":
            return rate * (1 - rate), (1 - 2 * rate) * moved
        if rate in (0.0, 1.0):
            return 0.0, np.zeros_like(self.mass)
        return -rate * np.log(rate) - (1 - rate) * np.log1p(-rate), (np.log1p(-rate) - np.log(rate)) * moved


def _brier_uncertainty(e: _Entries, _: float) -> NDArray[np.float64]:
    return e.base("brier")[1]


def _log_uncertainty(e: _Entries, _: float) -> NDArray[np.float64]:
    return e.base("log")[1]


def _skill(score: tuple[float, NDArray[Any]], base: tuple[float, NDArray[Any]]) -> NDArray[np.float64]:
    """Return the slopes of one less a ratio of scores."""
    return np.asarray((score[0] / base[0] * base[1] - score[1]) / base[0])


def _brier_skill(e: _Entries, _: float) -> NDArray[np.float64]:
    return _skill(e.squares(e.p), e.base("brier"))


def _log_loss_skill(e: _Entries, _: float) -> NDArray[np.float64]:
    return _skill(e.logs(e.p), e.base("log"))


def _cox_snell(e: _Entries, value: float) -> NDArray[np.float64]:
    return np.asarray(-2 * (1 - value) * (e.logs(e.p)[1] - e.base("log")[1]))


def _nagelkerke(e: _Entries, value: float) -> NDArray[np.float64]:
    base, moved = e.base("log")
    maximum = -math.expm1(-2 * base)
    return np.asarray((_cox_snell(e, value * maximum) - 2 * value * (1 - maximum) * moved) / maximum)


def _observed_expected_ratio(e: _Entries, value: float) -> NDArray[np.float64]:
    return np.asarray((_OUTCOMES - value * e.p) / float((e.mass * e.p).sum()))


def _recalibration(e: _Entries, *, both: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the slopes of the fitted intercept and slope: one Newton step by a row's own score.

    Huber 1967: squared and added up they are the sandwich, which holds whether or not the line is right.
    """
    fit = fit_both(e.view) if both else fit_intercept(e.view)
    if fit is None:
        none = np.full(e.mass.shape, np.nan)
        return none, none
    x = np.log(e.p) - np.log1p(-e.p)
    eta = fit.intercept + fit.slope * x
    rate, rest = np.exp(-np.logaddexp(0, -eta)), np.exp(-np.logaddexp(0, eta))
    residual = np.stack([rest, -rate])
    variance = e.mass.sum(0) * rate * rest
    centre = float(variance @ x) / float(variance.sum())
    height = residual / float(variance.sum())  # of the line at its centre, where the slope does not matter
    if not both:
        return height, np.zeros_like(height)
    slope = residual * (x - centre) / float(variance @ (x - centre) ** 2)
    return height - centre * slope, slope


_SLOPES: dict[str, Callable[[_Entries, float], NDArray[np.float64]]] = {
    "brier_uncertainty": _brier_uncertainty,
    "log_uncertainty": _log_uncertainty,
    "brier_skill": _brier_skill,
    "log_loss_skill": _log_loss_skill,
    "cox_snell_r2": _cox_snell,
    "nagelkerke_r2": _nagelkerke,
    "observed_expected_ratio": _observed_expected_ratio,
    "cox_intercept": lambda e, _: _recalibration(e, both=True)[0],
    "cox_slope": lambda e, _: _recalibration(e, both=True)[1],
    "calibration_in_the_large": lambda e, _: _recalibration(e, both=False)[0],
}
