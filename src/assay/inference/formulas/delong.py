"""DeLong's variance by placements: areas of weighted rows, and of several models on the same rows.

Rows come as entries: a score with how many positive and how many negative rows (or how much weight of
each) have it. Single rows are entries of 0 and 1; the tallies of scores are entries already.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import chi_square_p, normal_p, student_p
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.test_result import Alternative, TestResult
from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.formulas.auc import Area

__all__ = [
    "Placements",
    "auc_influence",
    "delong_covariance",
    "delong_paired",
    "delong_several",
    "delong_unpaired",
    "placements",
    "weighted_area",
]

_ROUNDING = 1e-15  # of placements, which are shares
_TWO = 2


class Placements(NamedTuple):
    """The area, and for each entry the share of the other class that a row of either class passes.

    ``of_positives`` is how much of the negatives a positive with this score lies above, ``of_negatives``
    how much of the positives a negative lies below; ties count half.
    """

    value: float
    of_positives: NDArray[np.float64]
    of_negatives: NDArray[np.float64]


def placements(scores: Any, positives: Any, negatives: Any) -> Placements:
    """Return the area under the ROC curve and each entry's placements (Hanley and Hajian-Tilaki 1997).

    Parameters
    ----------
    scores, positives, negatives
        Distinct scores in rising order, and how many positives and negatives have each of them.

    Returns
    -------
    Placements
        The area, and of each entry's score the share of the other class that it is ahead of.

    Raises
    ------
    MetricError
        There are no positives, or no negatives.

    Examples
    --------
    >>> ranked = placements([0.1, 0.7, 0.9], [0, 1, 1], [1, 1, 0])
    >>> ranked.value, ranked.of_positives
    (0.875, array([0.25, 0.75, 1.  ]))
    """
    positive, negative = (np.asarray(x, dtype=np.float64) for x in (positives, negatives))
    m, n = float(positive.sum()), float(negative.sum())
    if not m or not n:
        raise MetricError(f"an area needs both classes: there are no {'negatives' if m else 'positives'}.")
    _, level = np.unique(np.asarray(scores), return_inverse=True)
    positives_at, negatives_at = (np.bincount(level, weights=x) for x in (positive, negative))
    below = np.cumsum(negatives_at) - negatives_at / 2
    above = m - np.cumsum(positives_at) + positives_at / 2
    # Of counts every product is a half-integer, whose sum is exact: the rows' order does not matter.
    area = float((positives_at * below).sum()) / (m * n)
    return Placements(area, (below / n)[level], (above / m)[level])


def auc_influence(scores: Any, positives: Any, negatives: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the influence on the area of a unit of weight of a positive, and of a negative, by entry.

    Weighted by the entries they add up to 0. Squared they give the variance of weighted rows, added within
    groups first that of clustered ones, added over several areas that of their mean (Hampel 1974).

    Parameters
    ----------
    scores, positives, negatives
        Distinct scores in rising order, and how many positives and negatives have each of them.

    Returns
    -------
    tuple[NDArray, NDArray]
        The influence of a positive of each entry, and of a negative.

    Raises
    ------
    MetricError
        There are no positives, or no negatives.

    Examples
    --------
    >>> of_positives, of_negatives = auc_influence([0.1, 0.7, 0.9], [0, 1, 1], [1, 1, 0])
    >>> of_positives[1:], of_negatives[:2]
    (array([-0.0625,  0.0625]), array([ 0.0625, -0.0625]))
    """
    ranked = placements(scores, positives, negatives)
    sizes = (float(np.sum(x, dtype=np.float64)) for x in (positives, negatives))
    first, second = (
        (placement - ranked.value) / size
        for placement, size in zip((ranked.of_positives, ranked.of_negatives), sizes, strict=True)
    )
    return first, second


def weighted_area(scores: Any, weights: Any, positives: Any, negatives: Any) -> tuple[float, float]:
    """Return the area of weighted rows and its infinitesimal-jackknife variance, whatever the weights' unit.

    Entries are those of a weighted score tally: a score, the weight of each row, and how many rows.
    The variance is Jaeckel's (1972).

    Parameters
    ----------
    scores, weights
        The score and the weight of each entry.
    positives, negatives
        How many positives and negatives have that score and weight.

    Returns
    -------
    tuple[float, float]
        The area and its variance.

    Raises
    ------
    MetricError
        There are no positives, or no negatives.

    Examples
    --------
    >>> value, variance = weighted_area([0.1, 0.7, 0.9], [1.0, 2.0, 1.0], [0, 1, 1], [1, 1, 0])
    >>> round(value, 4), round(variance, 4)
    (0.7778, 0.0219)
    """
    weight = np.asarray(weights, dtype=np.float64)
    counts = [np.asarray(x, dtype=np.float64) for x in (positives, negatives)]
    weighted = [count * weight for count in counts]
    slopes = auc_influence(scores, *weighted)
    terms = (count @ np.square(weight * slope) for count, slope in zip(counts, slopes, strict=True))
    return placements(scores, *weighted).value, float(sum(terms))


def delong_covariance(
    scores: Any, positives: Any, negatives: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the areas of several models on the same rows and their covariance (DeLong and others 1988).

    `scores` has one row per model and one column per entry.

    Parameters
    ----------
    scores
        The scores of each model, a row per model and a column per entry.
    positives, negatives
        How many positives and negatives each entry has.

    Returns
    -------
    tuple[NDArray, NDArray]
        The area of each model, and their covariance.

    Raises
    ------
    MetricError
        There are no positives, or no negatives.

    Examples
    --------
    >>> areas, covariance = delong_covariance([[1, 3, 2, 4], [2, 1, 4, 3]], [0, 0, 1, 1], [1, 1, 0, 0])
    >>> areas.tolist(), covariance.tolist()
    ([0.75, 1.0], [[0.125, 0.0], [0.0, 0.0]])
    """
    models = [placements(row, positives, negatives) for row in np.asarray(scores)]
    areas = np.array([model.value for model in models])
    covariance = np.zeros((len(areas), len(areas)))
    for placed, sizes in (
        ([model.of_positives for model in models], positives),
        ([model.of_negatives for model in models], negatives),
    ):
        count = np.asarray(sizes, dtype=np.float64)
        covariance += _spread(np.stack(placed) - areas[:, None], count)
    return areas, covariance


def delong_paired(
    first: Any,
    second: Any,
    positives: Any,
    negatives: Any,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Return DeLong's test of two models' areas on the same rows, with the interval of their difference.

    The four columns are those of :class:`assay.PairedScores`. Do not use it for nested models evaluated on
    the rows they were fitted to (Demler and others 2012).

    Parameters
    ----------
    first, second
        The scores of each model, entry by entry.
    positives, negatives
        How many positives and negatives have that pair of scores.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.
    confidence
        The confidence level of the interval.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `alternative` is not known; or there are no positives,
        or no negatives.

    Examples
    --------
    >>> import assay
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> a = assay.rows(actual=y, score=[1, 3, 2, 4, 3, 6])
    >>> b = assay.rows(actual=y, score=[4, 1, 2, 3, 5, 1])
    >>> both = assay.PairedScores.of(a, b)
    >>> test = delong_paired(both.first, both.second, both.positives, both.negatives)
    >>> round(test.estimate, 4), round(test.low, 4), test
    (0.3333, -0.3467, paired DeLong: statistic 0.96077, p = 0.3367)
    """
    left, right = (placements(scores, positives, negatives) for scores in (first, second))
    difference = left.value - right.value
    spread = 0.0
    for placed, sizes in (
        (left.of_positives - right.of_positives, positives),
        (left.of_negatives - right.of_negatives, negatives),
    ):
        centred = placed - difference
        centred[np.abs(centred) < _ROUNDING] = (
            0.0  # else rows without spread would be certain of a difference
        )
        spread += _variance_of_mean(centred, np.asarray(sizes, dtype=np.float64))
    return _compared("paired DeLong", difference, spread, alternative=alternative, confidence=confidence)


def delong_unpaired(
    first: Area,
    second: Area,
    *,
    student: bool = False,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Return the test of two areas from different rows: their variances add.

    Normal, or with `student` a t of Satterthwaite's degrees of freedom as pROC has it (Robin
    and others 2011).

    Parameters
    ----------
    first, second
        The two areas with their variances, of :func:`delong`.
    student
        Whether to take Student's t, as pROC does.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.
    confidence
        The confidence level of the interval.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `alternative` is not known.

    Examples
    --------
    >>> from assay.inference.formulas.auc import Area
    >>> delong_unpaired(Area(0.98, 3.4e-5, 183, 1207), Area(0.96, 1.1e-4, 183, 1207))
    unpaired DeLong: statistic 1.6667, p = 0.09558
    """
    if isinstance(first.variance, Undefined) or isinstance(second.variance, Undefined):
        undefined = first.variance if isinstance(first.variance, Undefined) else second.variance
        return TestResult("unpaired DeLong", None, None, undefined, alternative)
    difference = float(first.value) - float(second.value)
    parts = first.variance, second.variance
    sizes = [area.positives + area.negatives for area in (first, second)]
    test = _compared(
        "unpaired DeLong", difference, sum(parts), alternative=alternative, confidence=confidence
    )
    if not student or not isinstance(test.statistic, float):
        return test
    df = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    p = student_p(test.statistic, df, alternative)
    return dataclasses.replace(test, method="unpaired DeLong with Student's t", df=df, p_value=p)


def delong_several(scores: Any, positives: Any, negatives: Any) -> TestResult:
    """Return the test that several models' areas on the same rows are all equal: chi-square.

    DeLong and others 1988, with the contrasts of neighbours. Where models rank alike, their contrasts have no
    spread and take no degree of freedom.

    Parameters
    ----------
    scores
        The scores of each model, a row per model and a column per entry.
    positives, negatives
        How many positives and negatives each entry has.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        There are no positives, or no negatives.

    Examples
    --------
    >>> scores = [[1, 3, 2, 4, 5, 6], [2, 1, 4, 3, 5, 0], [6, 5, 1, 2, 3, 4]]
    >>> delong_several(scores, [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    DeLong of several: statistic 9.1429, df 2, p = 0.01034
    """
    areas, covariance = delong_covariance(scores, positives, negatives)
    contrasts = np.eye(len(areas))[:-1] - np.eye(len(areas))[1:]
    steps, spread = contrasts @ areas, contrasts @ covariance @ contrasts.T
    sizes, axes = np.linalg.eigh(spread)
    nonzero = sizes > 1e-12 * max(float(np.trace(covariance)), 1e-300)
    along = axes.T @ steps
    if np.abs(along[~nonzero]).max(initial=0.0) > 1e-9:  # noqa: PLR2004 - rounding of areas
        return TestResult(
            "DeLong of several", None, None, Undefined("areas differ, but the rows show no spread")
        )
    if not nonzero.any():
        return TestResult("DeLong of several", 0.0, 0, 1.0, note="the models rank alike")
    statistic = float((along[nonzero] ** 2 / sizes[nonzero]).sum())
    return TestResult(
        "DeLong of several", statistic, int(nonzero.sum()), chi_square_p(statistic, int(nonzero.sum()))
    )


def _spread(centred: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the covariance of class means from centred placements, one row per model."""
    return np.asarray((centred * counts) @ centred.T / _pairs(counts))


def _variance_of_mean(centred: NDArray[Any], counts: NDArray[Any]) -> float:
    """Return the variance of a class mean from centred placements, the same in any order of rows."""
    pairs = _pairs(counts)
    return float(np.sort(counts * np.square(centred)).sum()) / pairs


def _pairs(counts: NDArray[Any]) -> float:
    size = float(counts.sum())
    if size < _TWO:
        raise MetricError("a class of a single row shows no spread: DeLong's test needs two of each.")
    return size * (size - 1)


def _compared(
    method: str, difference: float, spread: float, *, alternative: Alternative, confidence: float
) -> TestResult:
    """Return the normal test of a difference with its interval; without spread there is none."""
    error = math.sqrt(spread)
    if not error:
        p: Value = 1.0 if not difference else Undefined("the areas differ, but the rows show no spread")
        note = "the models rank alike" if not difference else ""
        return TestResult(method, None, None, p, alternative, difference, confidence=confidence, note=note)
    z, half_width = difference / error, normal_quantile(confidence) * error
    low, high = max(-1.0, difference - half_width), min(1.0, difference + half_width)
    p = normal_p(z, alternative)
    return TestResult(
        method, z, None, p, alternative, difference, low, high, confidence, standard_error=error
    )
