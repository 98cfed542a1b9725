"""Intervals of metrics of probabilities: losses, skill scores, recalibration.

A method returns None where it does not apply to such rows, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.formatting.numbers import count_of
from assay.inference.formulas.bounded_losses import LossSample, loss_interval
from assay.inference.formulas.delta import delta_interval, kish
from assay.inference.formulas.proportions import modified_wilson, normal_quantile
from assay.inference.influence.influence import Influence
from assay.inference.influence.ranking import by_row, unit_sums
from assay.inference.intervals.confusion import effective_proportion
from assay.inference.intervals.confusion_rates import wilson_name
from assay.inference.intervals.delta_method import NO_SLOPE
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import DELTA, Default, interval_method, no_interval
from assay.metrics import Undefined, find
from assay.metrics.probability.calibration_tests import cox
from assay.metrics.probability.multiclass_probability import Confidence
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.metrics.views.probability import Probabilities
from assay.tallies import Scores
from assay.tallies.loss_arguments import log_losses, loss_argument, row_values
from assay.tallies.scores.scores import pooled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inference.intervals.interval_request import IntervalRequest
    from assay.inputs import Rows

__all__ = [
    "base_rate_score",
    "loss_of_probabilities",
    "observed_expected",
    "recalibration",
    "root_of_loss",
    "skill_score",
]

_NO_SPREAD = "the rows show no spread"
_MAX_EXPONENT = 700.0
_PRIOR_ROWS = 5.0  # weight of the binomial variance, in rows of the rarer class
_FISHER_ERRORS = {
    "cox_intercept": "intercept_error",
    "cox_slope": "slope_error",
    "calibration_in_the_large": "in_the_large_error",
}


no_interval(
    "it is biased upward where the probabilities are right, so that an interval would lie above 0: "
    "compare it with what it would be for probabilities that are right",
    metrics=("brier_reliability",),
    views=(Probabilities, Confidence, ClassRanks),
    kinds=("extreme", "order"),
)
no_interval(
    "it comes from a fit to the same rows, whose optimism is as large as an interval would be wide",
    views=(Probabilities,),
    kinds=("moments",),
)
no_interval(
    "it is the p-value of a test: how rare such rows are if the probabilities are right",
    metrics=("spiegelhalter_p", "hosmer_lemeshow_p"),
)


@interval_method("base-rate-score", Default(metrics=("brier_uncertainty", "log_uncertainty")))
def base_rate_score(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the score of predicting the base rate, from Wilson's of the rate.

    The score rises up to a rate of one half and falls from there, so that its maximum is at one half where
    the rate's interval contains it. There its slope is 0, and a standard error would be of no use.
    """
    rate = _base_rate(request)
    middle = 0.5
    score = _squares if request.metric.name == "brier_uncertainty" else _logs
    ends = [score(limit) for limit in (rate.low, rate.high)]
    high = score(middle) if rate.low <= middle <= rate.high else max(ends)
    return IntervalResult(min(ends), high, f"{rate.method} of the base rate", rate.note)


@interval_method("loss-of-probabilities")
def loss_of_probabilities(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a mean loss of probabilities, which tell the loss of a wrong row.

    None where the probabilities are not available, and for other losses.
    """
    if not math.isfinite(request.value):
        return None
    sample = _loss_sample(request)
    if sample is None or not math.isfinite(sample.wrong) or not sample.wrong > sample.right:
        return None
    size = _effective_size(request, sample)
    if not size.rows > 0:
        return "one group shows no spread"
    limits = loss_interval(sample, size.rows, most_rows=size.most_rows, confidence=request.confidence)
    low, high = (limit - sample.mean for limit in limits)
    note = ""
    if (sample.losses[sample.weights > 0] <= (sample.right + sample.wrong) / 2).all():
        note = (
            f"no large loss among {count_of(request.tally.n, 'row')}: the upper limit assumes that a row "  # type: ignore[attr-defined]
            f"that is wrong has a loss of {sample.wrong:.3g}, as these probabilities imply"
        )
    return IntervalResult(request.value + low, request.value + high, "Bayesian bootstrap", note, size.error)


@interval_method("root-of-loss", Default(metrics=("root_brier",), then=("loss-sums", *DELTA)))
def root_of_loss(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the root of a mean loss."""
    result = loss_of_probabilities(dataclasses.replace(request, metric=find("brier"), value=request.value**2))
    if not isinstance(result, IntervalResult):
        return result
    error = result.standard_error / (2 * request.value) if result.standard_error and request.value else None
    low, high = math.sqrt(max(result.low, 0.0)), math.sqrt(result.high)
    return result._replace(low=low, high=high, standard_error=error)


@interval_method(
    "skill-score", Default(metrics=("brier_skill", "log_loss_skill", "cox_snell_r2", "nagelkerke_r2"))
)
def skill_score(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a skill score, 1 - score / score of the base rate, from those of both scores.

    Both are combined on the log scale by MOVER, with their correlation in the rows.
    """
    spread = request.spread
    if spread is None:
        return NO_SLOPE
    names = (
        ("log_loss", "log_uncertainty") if "log" in request.metric.name else ("brier", "brier_uncertainty")
    )
    base = dataclasses.replace(request, metric=find(names[1]), value=float(find(names[1])(request.tally)))
    own = dataclasses.replace(request, metric=find(names[0]), value=(1 - request.value) * base.value)
    limits = [method(each) for method, each in ((loss_of_probabilities, own), (base_rate_score, base))]
    if (
        not all(isinstance(result, IntervalResult) for result in limits)
        or not own.value > 0
        or not base.value > 0
    ):
        return _NO_SPREAD
    first, second = limits
    correlation = _correlation(own, base)
    remainder = 1 - request.value
    # A score that may be 0 leaves no limit: the best skill, or one that is as low as you like.
    low, high = -math.inf, 1.0
    if second.low > 0:  # type: ignore[union-attr]
        fall = math.log(first.high / own.value), math.log(base.value / second.low)  # type: ignore[union-attr]
        low = 1 - remainder * math.exp(min(_correlated_length(*fall, correlation), _MAX_EXPONENT))
    if first.low > 0:  # type: ignore[union-attr]
        rise = math.log(own.value / first.low), math.log(second.high / base.value)  # type: ignore[union-attr]
        high = 1 - remainder * math.exp(-_correlated_length(*rise, correlation))
    note = first.note  # type: ignore[union-attr]
    return IntervalResult(low, high, "MOVER of the loss and the base rate", note, spread.error)


def _correlated_length(first: float, second: float, correlation: float) -> float:
    """Return how far two limits are from their values together, their errors being correlated."""
    return math.sqrt(max(first * first + second * second - 2 * correlation * first * second, 0.0))


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
    smaller = min(_class_sizes(own))  # a small class shows the correlation badly
    return (
        float((weights * first * second).sum()) / scale * smaller / (smaller + _PRIOR_ROWS)
        if scale > 0
        else 0.0
    )


def _clip(request: IntervalRequest) -> float:
    return float(request.options.get("clip", 0.0))


def _outcomes(request: IntervalRequest, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the loss at each probability of a positive row, and of a negative one."""
    own = {name: value for name, value in request.options.items() if name in request.metric.loss_parameters}
    with np.errstate(divide="ignore"):
        return np.stack([request.metric.loss(np.full(len(p), outcome), p, **own) for outcome in (1.0, 0.0)])


def _loss_sample(request: IntervalRequest) -> LossSample | None:
    """Return the losses, and the mean losses of right and of wrong rows by their probabilities."""
    if isinstance(request.tally, Scores):
        if request.metric.name not in ("log_loss", "brier"):
            return None
        tally: Any = pooled(request.tally)
        losses, mass = _outcomes(request, tally.scores.astype(np.float64)), unit_sums(tally)[0]
        both = mass.sum(axis=0)
        return _sample(losses, mass, both, losses.min(axis=0), losses.max(axis=0))
    if request.rows is None:
        return None
    if request.metric.name in ("log_loss", "brier"):
        return _binary_sample(request, request.rows)
    if request.metric.name not in _CLASS_LOSSES:
        return None
    probabilities = loss_argument(request.rows, "probabilities", "a loss")
    losses = row_values(request.rows, request.metric.loss, request.row_options)[0]
    weight = np.ones(len(losses)) if request.rows.weight is None else request.rows.weight.values
    each = _CLASS_LOSSES[request.metric.name](probabilities, _clip(request))
    top = probabilities.argmax(axis=1)
    at_top = np.arange(len(top)), top
    others = probabilities.copy()
    others[at_top] = 0.0
    left = others.sum(axis=1)
    with np.errstate(invalid="ignore"):
        wrong = np.where(others > 0, others * each, 0.0).sum(axis=1) / left
    return _sample(losses, weight, weight, each[at_top], np.where(left > 0, wrong, np.inf))


def _binary_sample(request: IntervalRequest, rows: Rows) -> LossSample:
    """Return the losses of rows of two classes."""
    positive, p = (loss_argument(rows, role, "a loss") for role in ("positive", "probability"))
    losses = _outcomes(request, p)
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
    known = (weight > 0) & np.isfinite(wrong)  # the loss at a probability of 0 or 1 is unbounded
    weight_known = weight[known]
    share = float(weight_known.sum())
    means = [
        float((weight_known * each[known]).sum()) / share if share else math.nan for each in (right, wrong)
    ]
    observed = np.where(mass > 0, losses, 0.0)
    return LossSample(observed.reshape(-1), mass.reshape(-1), *means)


class _LossSize(NamedTuple):
    """The effective sample size of losses at a confidence, at most, and the standard error of their mean."""

    rows: float
    most_rows: float
    error: float


def _effective_size(request: IntervalRequest, sample: LossSample) -> _LossSize:
    """Return the effective sample size of the losses, and the standard error of their mean."""
    n = float(request.tally.n)  # type: ignore[attr-defined]
    if request.plain:
        return _LossSize(n, n, math.sqrt(sample.variance / max(n - 1, 1.0)))
    spread = request.spread
    if spread is None or math.isnan(spread.error):
        return _LossSize(math.nan, math.nan, math.nan)
    if not spread.error > 0:
        return _LossSize(spread.units, spread.units, 0.0)
    independent = sample.variance / spread.error**2
    if not request.clustered:
        rows = min(independent, spread.units)
        return _LossSize(rows, rows, spread.error)
    shrinkage = normal_quantile(request.confidence) / spread.quantile(request.confidence)
    most_rows = min(independent, n)
    return _LossSize(most_rows * shrinkage**2, most_rows, spread.error)


# The loss of each row for each class, if that were the actual one.
_CLASS_LOSSES: dict[str, Callable[[NDArray[np.float64], float], NDArray[np.float64]]] = {
    "multiclass_log_loss": lambda p, clip: log_losses(None, p.ravel(), clip=clip).reshape(p.shape),
    "multiclass_brier": lambda p, _: np.square(p).sum(axis=1, keepdims=True) - 2 * p + 1,
    "halved_multiclass_brier": lambda p, _: (np.square(p).sum(axis=1, keepdims=True) - 2 * p + 1) / 2,
}


@interval_method("observed-expected", Default(metrics=("observed_expected_ratio",)))
def observed_expected(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of observed to expected positives, from one of the base rate of as many rows.

    The error is that of the ratio. The textbook's, of the observed count alone, is too wide: rows with higher
    probabilities add to both counts. With few positives that is badly estimated, so that it is moderated by
    the textbook's.
    """
    spread = request.spread
    if spread is None:
        return _NO_SPREAD
    expected, expected_square = _mean_probability(request)
    rate = request.value * expected
    if not 0 < rate < 1 or not spread.error > 0:
        base = _base_rate(request)
        return IntervalResult(
            base.low / expected, base.high / expected, f"{base.method} of the base rate", base.note
        )
    sizes = _class_sizes(request)
    of_expected = (expected_square / expected**2 - 1) / sum(sizes)  # squared coefficient of variation
    rows = _moderated_rows(rate, (spread.error * expected) ** 2, *sizes, rate**2 * of_expected)
    if spread.df is not None:
        rows *= (normal_quantile(request.confidence) / spread.quantile(request.confidence)) ** 2
    low, high = modified_wilson(rate * rows, rows, request.confidence)
    return IntervalResult(
        low / expected, high / expected, "modified Wilson on effective rows", "", spread.error
    )


def _mean_probability(request: IntervalRequest) -> tuple[float, float]:
    """Return the means over rows of the probabilities and of their squares."""
    tally: Any = request.tally
    clip = _clip(request)
    sums = None if clip else tally.score_moments()
    if sums is not None:
        return sums[0] / tally.n, sums[1] / tally.n
    mass = unit_sums(tally)[0]
    p, each = np.clip(tally.scores.astype(np.float64), clip, 1 - clip), mass.sum(0) / mass.sum()
    return float(each @ p), float(each @ p**2)


def _class_sizes(request: IntervalRequest) -> tuple[float, float]:
    """Return the effective number of positives and of negatives."""
    tally: Any = request.tally
    effect = request.spread.design_effect if request.spread is not None else None
    share = 1.0 if effect is None or not effect > 0 else 1 / effect
    if tally.weights is None:
        return share * tally.totals[0], share * tally.totals[1]
    sums = unit_sums(tally)
    sides = zip(sums[0].sum(1), sums[1].sum(1), strict=True)
    return tuple(share * kish(float(weight), float(square)) for weight, square in sides)  # type: ignore[return-value]


def _moderated_rows(
    share: float, variance: float, positives: float, negatives: float, of_expected: float
) -> float:
    """Return the effective sample size of a share, its variance moderated where a class has few rows.

    ``of_expected`` is what the expected count adds where it is independent of the observed one.
    """
    smaller, unit = min(positives, negatives), share * (1 - share)
    prior = unit / (positives + negatives) + of_expected
    return unit / ((smaller * variance + _PRIOR_ROWS * prior) / (smaller + _PRIOR_ROWS))


@interval_method("recalibration", Default(metrics=("cox_intercept", "cox_slope", "calibration_in_the_large")))
def recalibration(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a recalibration's coefficient by the larger of two standard errors.

    The sandwich (Huber 1967) holds whether or not the line is right, but is small where few rows are of a
    class: a slope from 4 positives was covered 0.88 of the time. Fisher's information is not, but takes the
    line for right: calibration in the large was covered 0.91 of the time where the slope is not 1.
    A slope from few rows is too high, so that its lower limit is that of the slope times the shrinkage
    ``1 - 1 / chi-square`` (van Houwelingen and le Cessie 1990), at most one standard error lower.
    """
    spread = request.spread
    if spread is None:
        return NO_SLOPE
    error, method = spread.error, "sandwich"
    fit: Any = cox(request.tally, clip=request.options.get("clip", 0.0))
    if not isinstance(fit, Undefined):
        # The fit takes weights for counts: its information is rescaled to the effective sample size.
        weight, effect = float(unit_sums(request.tally)[0].sum()), spread.design_effect or 1.0  # type: ignore[arg-type]
        scale = math.sqrt(weight / spread.effective_sample_size) if effect > 0 else 1.0
        known = float(getattr(fit, _FISHER_ERRORS[request.metric.name])) * (
            scale if math.isfinite(scale) else 1.0
        )
        error, method = max((error, method), (known, "Fisher's information"))
    limits = delta_interval(
        request.value, error, request.metric.bounds, confidence=request.confidence, df=spread.df
    )
    if limits is None:
        return _NO_SPREAD
    low, high = limits
    if request.metric.name == "cox_slope" and request.value > 0:
        low -= min(error**2 / request.value, error)
    return IntervalResult(low, high, method, "", error)


def _base_rate(request: IntervalRequest) -> IntervalResult:
    """Return the interval of the share of positives."""
    tally: Any = request.tally
    sums = unit_sums(tally)
    positives, negatives = (float(mass.sum()) for mass in sums[0])
    n = positives + negatives  # so that rounding cannot make the share exceed 1
    if request.plain:
        low, high = modified_wilson(positives, n, request.confidence)
        return IntervalResult(low, high, wilson_name(positives, n, (low, high), request.confidence))
    rate = positives / n
    slopes = np.array([[1 - rate], [-rate]]) / n * np.ones_like(sums[0])
    influence = Influence(rate, slopes, *sums)
    if request.clustered:
        influence = by_row(influence, tally, request.rows)  # type: ignore[arg-type]
    return effective_proportion(rate, request.spread_of(influence), request.confidence)


def _squares(rate: float) -> float:
    return rate * (1 - rate)


def _logs(rate: float) -> float:
    return -sum(share * math.log(share) for share in (rate, 1 - rate) if share > 0)
