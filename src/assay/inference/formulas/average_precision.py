"""Average precision with its standard error and intervals, from distinct scores and their counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.distributions import expit
from assay.inference.estimate import Estimate
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.proportions import Interval, normal_quantile
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PrecisionInfluence",
    "average_precision_estimate",
    "average_precision_influence",
    "average_precision_variance",
    "logit_binomial",
]

_MIN_POSITIVES_FOR_DELTA = 50  # below, the logit-binomial interval covered better


class PrecisionInfluence(NamedTuple):
    """Average precision, and what one more unit of weight of a positive or a negative does to it.

    The slopes are by entry; weighted by the entries they add up to 0.
    """

    value: float
    of_positives: NDArray[np.float64]
    of_negatives: NDArray[np.float64]


def average_precision_influence(scores: Any, positives: Any, negatives: Any) -> PrecisionInfluence | None:
    """Return average precision (ties as one step) and its slopes; None without positives.

    Entries are scores with the count, or the weight, of each class, in any order.

    >>> found = average_precision_influence([0.1, 0.7, 0.9], [1, 1, 0], [0, 0, 1])
    >>> round(found.value, 4), found.of_negatives.round(4)
    (0.5833, array([-0.1111, -0.2361, -0.2361]))
    """
    positive_mass, negative_mass = (np.asarray(x, dtype=np.float64) for x in (positives, negatives))
    m = float(positive_mass.sum())
    if not m:
        return None
    _, level = np.unique(np.asarray(scores), return_inverse=True)
    here, there = (np.bincount(level, weights=x) for x in (positive_mass, negative_mass))
    true, false = (np.cumsum(x[::-1])[::-1] for x in (here, there))  # at or above each score
    called = true + false
    precision = np.divide(true, called, out=np.zeros_like(true), where=called > 0)
    value = float(here @ precision) / m
    share = np.divide(here, called**2, out=np.zeros_like(here), where=called > 0)
    gain, loss = np.cumsum(share * false), np.cumsum(share * true)  # at or below each score
    of_positives = (precision - value + gain) / m
    return PrecisionInfluence(value, of_positives[level], (-loss / m)[level])


def average_precision_variance(
    scores: Any, positives: Any, negatives: Any, weights: Any = None
) -> tuple[float, float] | None:
    """Return average precision and its infinitesimal-jackknife variance (Davison and Hinkley 1997, ch. 2).

    `positives` and `negatives` count rows; `weights` are those of each entry's rows. None without positives.

    Parameters
    ----------
    scores, positives, negatives
        Distinct scores in rising order, and how many positives and negatives have each of them.
    weights
        The weight of each entry's rows.

    Returns
    -------
    tuple or None
        Average precision and its variance.

    Examples
    --------
    >>> value, variance = average_precision_variance([0.1, 0.4, 0.7, 0.9], [0, 1, 0, 1], [1, 0, 1, 0])
    >>> round(value, 4), round(variance, 4)
    (0.8333, 0.0324)
    """
    counts = [np.asarray(x, dtype=np.float64) for x in (positives, negatives)]
    weight = np.ones(len(counts[0])) if weights is None else np.asarray(weights, dtype=np.float64)
    influence = average_precision_influence(scores, *(count * weight for count in counts))
    if influence is None:
        return None
    slopes = influence.of_positives, influence.of_negatives
    terms = (count @ np.square(weight * slope) for count, slope in zip(counts, slopes, strict=True))
    return influence.value, float(sum(terms))


def logit_binomial(value: float, positives: float, *, confidence: float = 0.95) -> Interval | None:
    """Return the interval as if the area were a proportion of the positives (Boyd, Eng and Page 2013).

    None at 0 and 1.

    Parameters
    ----------
    value
        The area under the precision-recall curve.
    positives
        How many rows are positive.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float] or None
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> low, high = logit_binomial(0.771821, 7)
    >>> round(low, 4), round(high, 4)
    (0.3667, 0.9518)
    """
    if not 0 < value < 1:
        return None
    centre = math.log(value / (1 - value))
    half_width = normal_quantile(confidence) / math.sqrt(positives * value * (1 - value))
    return expit(centre - half_width), expit(centre + half_width)


def average_precision_estimate(
    scores: Any, positives: Any, negatives: Any, weights: Any = None, *, confidence: float = 0.95
) -> Estimate:
    """Return average precision with its interval: logit-binomial below 50 positives, else by its error.

    Boyd, Eng and Page 2013 compare them.

    Parameters
    ----------
    scores, positives, negatives
        Distinct scores in rising order, and how many positives and negatives have each of them.
    weights
        The weight of each entry's rows.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        Average precision with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> average_precision_estimate([0.1, 0.4, 0.7, 0.9], [0, 1, 0, 1], [1, 0, 1, 0])
    0.8333 [0.1082, 0.9952]
    """
    n = int(np.sum(positives, dtype=np.int64) + np.sum(negatives, dtype=np.int64))
    m = int(np.sum(positives, dtype=np.int64))
    value_and_variance = average_precision_variance(scores, positives, negatives, weights)
    if value_and_variance is None:
        return Estimate(Undefined("there are no positives"), None, None, confidence, "logit", n)
    value, variance = value_and_variance
    error = math.sqrt(variance)
    if m < _MIN_POSITIVES_FOR_DELTA and weights is None:
        limits, method = logit_binomial(value, m, confidence=confidence), "logit-binomial"
    else:
        limits, method = delta_interval(value, error, (0, 1), confidence=confidence), "logit"
    if limits is None:
        note = "every positive ranks above every negative, so the rows show no spread"
        return Estimate(value, None, None, confidence, method, n, note)
    return Estimate(value, *limits, confidence, method, n, "", error)
