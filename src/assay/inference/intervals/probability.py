"""How figures of probabilities get their intervals, and why some have none.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.bounded_losses import LossSample, loss_interval
from assay.inference.formulas.delta import delta_interval, kish
from assay.inference.formulas.proportions import modified_wilson, normal_quantile
from assay.inference.influence.influence import Influence
from assay.inference.influence.ranking import by_row, unit_sums
from assay.inference.intervals.confusion import effective_proportion
from assay.inference.intervals.confusion_rates import wilson_name
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.registry import DELTA, Default, interval_method, no_interval
from assay.metrics import Undefined, find
from assay.metrics.probability.calibration_tests import cox
from assay.metrics.probability.multiclass_probability import Confidence
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.metrics.views.probability import Probabilities
from assay.tallies import Scores
from assay.tallies.loss_arguments import log_losses, numbers, row_values
from assay.tallies.scores.pooling import pooled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inference.intervals.interval_request import IntervalRequest
    from assay.inputs import Rows

__all__ = [
    "mean_loss",
    "observed_expected",
    "of_base_rate",
    "recalibration",
    "root_of_loss",
    "skill",
]

_NO_SPREAD = "the rows show no spread"
_TINY = 1e-300
_LARGEST_LOG = 700.0
_PRIOR_ROWS = 5.0  # of the rarer class, for which the plain binomial variance stands
_FISHER = {
    "cox_intercept": "intercept_error",
    "cox_slope": "slope_error",
    "calibration_in_the_large": "in_the_large_error",
}


no_interval(
    "it is biased upward where the probabilities are right, and an interval would lie above 0 with it: "
    "compare it with its null instead (assay.metrics.probability.calibration.calibration_null)",
    metrics=("brier_reliability",),
    views=(Probabilities, Confidence, ClassRanks),
    kinds=("extreme", "order"),
)
no_interval(
    "it is read from a fit to the same rows, which flatters by as much as an interval would span",
    views=(Probabilities,),
    kinds=("moments",),
)
no_interval(
    "it is the p-value of a test: how rare such rows are if the probabilities are right",
    metrics=("spiegelhalter_p", "hosmer_lemeshow_p"),
)


@interval_method("base-rate-score", Default(metrics=("brier_uncertainty", "log_uncertainty")))
def of_base_rate(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a score that the base rate has, from Wilson's of the rate.

    The score rises up to a rate of one half and falls from there, so that its largest is at the half where
    that is among the rates. At the half its slope is 0, and a standard error would say nothing.
    """
    rate = _base_rate(asked)
    middle = 0.5
    score = _squares if asked.metric.name == "brier_uncertainty" else _logs
    ends = [score(limit) for limit in (rate.low, rate.high)]
    high = score(middle) if rate.low <= middle <= rate.high else max(ends)
    return IntervalResult(min(ends), high, f"{rate.method} of the base rate", rate.note)


@interval_method("loss-of-probabilities")
def mean_loss(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a mean loss of probabilities, which say what a wrong row would lose.

    None where the probabilities are not at hand, and for other losses.
    """
    if not math.isfinite(asked.value):
        return None
    sample = _loss_sample(asked)
    if sample is None or not math.isfinite(sample.wrong) or not sample.wrong > sample.right:
        return None
    rows, error = _worth(asked, sample)
    if not rows > 0:
        return "one group shows no spread"
    low, high = (limit - sample.mean for limit in loss_interval(sample, rows, confidence=asked.confidence))
    note = ""
    if (sample.losses[sample.weights > 0] <= (sample.right + sample.wrong) / 2).all():
        note = (
            f"no large loss among {asked.tally.n:,} rows: the upper limit assumes that a row "  # type: ignore[attr-defined]
            f"that is wrong loses {sample.wrong:.3g}, as these probabilities would"
        )
    return IntervalResult(asked.value + low, asked.value + high, "Bayesian bootstrap", note, error)


@interval_method("root-of-loss", Default(metrics=("root_brier",), then=("loss-sums", *DELTA)))
def root_of_loss(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the root of a mean loss."""
    found = mean_loss(dataclasses.replace(asked, metric=find("brier"), value=asked.value**2))
    if not isinstance(found, IntervalResult):
        return found
    error = found.standard_error / (2 * asked.value) if found.standard_error and asked.value else None
    low, high = math.sqrt(max(found.low, 0.0)), math.sqrt(found.high)
    return found._replace(low=low, high=high, standard_error=error)


@interval_method(
    "skill-score", Default(metrics=("brier_skill", "log_loss_skill", "cox_snell_r2", "nagelkerke_r2"))
)
def skill(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of one less a ratio of scores, from those of the score and of the base rate's.

    Both are put together on the log scale by MOVER, with the correlation that the rows show.
    """
    spread = asked.spread
    if spread is None:
        return "its slope is not known here"
    names = ("log_loss", "log_uncertainty") if "log" in asked.metric.name else ("brier", "brier_uncertainty")
    base = dataclasses.replace(asked, metric=find(names[1]), value=float(find(names[1])(asked.tally)))
    own = dataclasses.replace(asked, metric=find(names[0]), value=(1 - asked.value) * base.value)
    limits = [method(each) for method, each in ((mean_loss, own), (of_base_rate, base))]
    if (
        not all(isinstance(found, IntervalResult) for found in limits)
        or not own.value > 0
        or not base.value > 0
    ):
        return _NO_SPREAD
    first, second = limits
    correlation = _correlation(own, base)
    ups = [math.log(own.value / max(first.low, _TINY)), math.log(second.high / base.value)]  # type: ignore[union-attr]
    downs = [math.log(first.high / own.value), math.log(base.value / max(second.low, _TINY))]  # type: ignore[union-attr]
    rise, fall = (math.sqrt(max(a * a + b * b - 2 * correlation * a * b, 0.0)) for a, b in (ups, downs))
    left = 1 - asked.value
    low, high = 1 - left * math.exp(min(fall, _LARGEST_LOG)), 1 - left * math.exp(-rise)
    note = first.note  # type: ignore[union-attr]
    return IntervalResult(low, high, "MOVER of the loss and the base rate", note, spread.error)


def _correlation(own: IntervalRequest, base: IntervalRequest) -> float:
    """Return the correlation of a score and of the base rate's, by the influence of the same entries."""
    tally: Any = pooled(own.tally)  # type: ignore[arg-type]
    mass = unit_sums(tally)
    p = np.clip(tally.scores.astype(np.float64), _clip(own), 1 - _clip(own))
    losses = _outcomes(own, p)
    weights = mass[0] if len(mass) == 1 else mass[1]
    first = np.where(weights > 0, losses - own.value, 0.0)
    rate = float(mass[0][0].sum() / mass[0].sum())
    slope = 1 - 2 * rate if base.metric.name == "brier_uncertainty" else math.log((1 - rate) / rate)
    second = slope * (np.array([[1.0], [0.0]]) - rate) * np.ones_like(first)
    scale = math.sqrt(float((weights * first**2).sum()) * float((weights * second**2).sum()))
    few = min(_class_sizes(own))  # rows of a class show it badly
    return float((weights * first * second).sum()) / scale * few / (few + _PRIOR_ROWS) if scale > 0 else 0.0


def _clip(asked: IntervalRequest) -> float:
    return float(asked.options.get("clip", 0.0))


def _outcomes(asked: IntervalRequest, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what rows of each probability lose if they are positive, and if they are not."""
    own = {name: value for name, value in asked.options.items() if name in asked.metric.loss_parameters}
    with np.errstate(divide="ignore"):
        return np.stack([asked.metric.loss(np.full(len(p), outcome), p, **own) for outcome in (1.0, 0.0)])


def _loss_sample(asked: IntervalRequest) -> LossSample | None:
    """Return the losses, and what rows lose when they are right and when they are wrong."""
    if isinstance(asked.tally, Scores):
        if asked.metric.name not in ("log_loss", "brier"):
            return None
        tally: Any = pooled(asked.tally)
        losses, mass = _outcomes(asked, tally.scores.astype(np.float64)), unit_sums(tally)[0]
        both = mass.sum(axis=0)
        return _sample(losses, mass, both, losses.min(axis=0), losses.max(axis=0))
    if asked.rows is None:
        return None
    if asked.metric.name in ("log_loss", "brier"):
        return _binary_sample(asked, asked.rows)
    if asked.metric.name not in _CLASS_LOSSES:
        return None
    probabilities = numbers(asked.rows, "probabilities", "a loss")
    losses = row_values(asked.rows, asked.metric.loss, asked.row_options)[0]
    weight = np.ones(len(losses)) if asked.rows.weight is None else asked.rows.weight.values
    each = _CLASS_LOSSES[asked.metric.name](probabilities, _clip(asked))
    top = probabilities.argmax(axis=1)
    at_top = np.arange(len(top)), top
    others = probabilities.copy()
    others[at_top] = 0.0
    left = others.sum(axis=1)
    with np.errstate(invalid="ignore"):
        wrong = np.where(others > 0, others * each, 0.0).sum(axis=1) / left
    return _sample(losses, weight, weight, each[at_top], np.where(left > 0, wrong, np.inf))


def _binary_sample(asked: IntervalRequest, rows: Rows) -> LossSample:
    """Return the losses of rows of two classes."""
    positive, p = (numbers(rows, role, "a loss") for role in ("positive", "probability"))
    losses = _outcomes(asked, p)
    weight = np.ones(len(p)) if rows.weight is None else rows.weight.values
    mass = np.stack([weight * positive, weight * (1 - positive)])
    return _sample(losses, mass, weight, losses.min(axis=0), losses.max(axis=0))


def _sample(
    losses: NDArray[np.float64],
    mass: NDArray[np.float64],
    weight: NDArray[np.float64],
    right: NDArray[np.float64],
    wrong: NDArray[np.float64],
) -> LossSample:
    known = (weight > 0) & np.isfinite(wrong)  # a probability of 0 or 1 has no bound on what it may lose
    share = float(weight[known].sum())
    means = [float(weight[known] @ each[known]) / share if share else math.nan for each in (right, wrong)]
    paid = np.where(mass > 0, losses, 0.0)
    return LossSample(paid.reshape(-1), mass.reshape(-1), *means)


def _worth(asked: IntervalRequest, sample: LossSample) -> tuple[float, float]:
    """Return how many independent rows the losses are worth, and the standard error of their mean."""
    n = float(asked.tally.n)  # type: ignore[attr-defined]
    if asked.plain:
        return n, math.sqrt(sample.variance / max(n - 1, 1.0))
    spread = asked.spread
    if spread is None or math.isnan(spread.error):
        return math.nan, math.nan
    if not spread.error > 0:
        return spread.units, 0.0
    independent = sample.variance / spread.error**2
    if not asked.clustered:
        return min(independent, spread.units), spread.error
    shrunk = normal_quantile(asked.confidence) / spread.quantile(asked.confidence)
    return min(independent, n) * shrunk**2, spread.error


# What each class costs the rows, were it the actual one.
_CLASS_LOSSES: dict[str, Callable[[NDArray[np.float64], float], NDArray[np.float64]]] = {
    "multiclass_log_loss": lambda p, clip: log_losses(None, p.ravel(), clip=clip).reshape(p.shape),
    "multiclass_brier": lambda p, _: np.square(p).sum(axis=1, keepdims=True) - 2 * p + 1,
    "halved_multiclass_brier": lambda p, _: (np.square(p).sum(axis=1, keepdims=True) - 2 * p + 1) / 2,
}


@interval_method("observed-expected", Default(metrics=("observed_expected_ratio",)))
def observed_expected(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of observed to expected positives, from one of the base rate of as many rows.

    The error is that of the ratio. The textbook's, of the observed alone, is wider than it need be: rows
    that are likelier to be positive add to both. Few positives show that too badly, so that it is moderated
    by the textbook's.
    """
    spread = asked.spread
    if spread is None:
        return _NO_SPREAD
    tally: Any = asked.tally
    mass = unit_sums(tally)[0]
    clip = _clip(asked)
    expected = float((mass * np.clip(tally.scores.astype(np.float64), clip, 1 - clip)).sum() / mass.sum())
    rate = asked.value * expected
    if not 0 < rate < 1 or not spread.error > 0:
        base = _base_rate(asked)
        return IntervalResult(
            base.low / expected, base.high / expected, f"{base.method} of the base rate", base.note
        )
    rows = _moderated_rows(rate, (spread.error * expected) ** 2, *_class_sizes(asked))
    if spread.df is not None:
        rows *= (normal_quantile(asked.confidence) / spread.quantile(asked.confidence)) ** 2
    low, high = modified_wilson(rate * rows, rows, asked.confidence)
    return IntervalResult(
        low / expected, high / expected, "modified Wilson on effective rows", "", spread.error
    )


def _class_sizes(asked: IntervalRequest) -> tuple[float, float]:
    """Return how many independent rows of equal weight are positive, and how many are not."""
    sums = unit_sums(asked.tally)  # type: ignore[arg-type]
    squares = sums[min(1, len(sums) - 1)]
    effect = asked.spread.design_effect if asked.spread is not None else None
    share = 1.0 if effect is None or not effect > 0 else 1 / effect
    sides = zip(sums[0].sum(1), squares.sum(1), strict=True)
    return tuple(share * kish(float(weight), float(square)) for weight, square in sides)  # type: ignore[return-value]


def _moderated_rows(share: float, variance: float, positives: float, negatives: float) -> float:
    """Return the independent rows that a share's variance is worth, moderated where a class has few rows."""
    few, alone = min(positives, negatives), share * (1 - share)
    plain = alone / (positives + negatives)
    return alone / ((few * variance + _PRIOR_ROWS * plain) / (few + _PRIOR_ROWS))


@interval_method("recalibration", Default(metrics=("cox_intercept", "cox_slope", "calibration_in_the_large")))
def recalibration(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a recalibration's coefficient by the larger of two standard errors.

    The sandwich (Huber 1967) holds whether or not the line is right, but is small where few rows are of a
    class: a slope from 4 positives was covered 0.88 of the time. Fisher's information is not, but takes the
    line for right: calibration in the large was covered 0.91 of the time where the slope is not 1.
    """
    spread = asked.spread
    if spread is None:
        return "its slope is not known here"
    error, method = spread.error, "sandwich"
    fit: Any = cox(asked.tally, clip=asked.options.get("clip", 0.0))
    if not isinstance(fit, Undefined):
        # The fit takes weights for counts: its information is that of as many rows as they are worth.
        weight, effect = float(unit_sums(asked.tally)[0].sum()), spread.design_effect or 1.0  # type: ignore[arg-type]
        scale = math.sqrt(weight / spread.worth) if effect > 0 else 1.0
        known = float(getattr(fit, _FISHER[asked.metric.name])) * (scale if math.isfinite(scale) else 1.0)
        error, method = max((error, method), (known, "Fisher's information"))
    limits = delta_interval(
        asked.value, error, asked.metric.bounds, confidence=asked.confidence, df=spread.df
    )
    return _NO_SPREAD if limits is None else IntervalResult(*limits, method, "", error)


def _base_rate(asked: IntervalRequest) -> IntervalResult:
    """Return the interval of the share of positives."""
    tally: Any = asked.tally
    sums = unit_sums(tally)
    positives, negatives = (float(one.sum()) for one in sums[0])
    n = positives + negatives  # so that no rounding makes the share more than 1
    if asked.plain:
        low, high = modified_wilson(positives, n, asked.confidence)
        return IntervalResult(low, high, wilson_name(positives, n, (low, high), asked.confidence))
    rate = positives / n
    slopes = np.array([[1 - rate], [-rate]]) / n * np.ones_like(sums[0])
    found = Influence(rate, slopes, *sums)
    if asked.clustered:
        found = by_row(found, tally, asked.rows)  # type: ignore[arg-type]
    return effective_proportion(rate, asked.spread_of(found), asked.confidence)


def _squares(rate: float) -> float:
    return rate * (1 - rate)


def _logs(rate: float) -> float:
    return -sum(share * math.log(share) for share in (rate, 1 - rate) if share > 0)
