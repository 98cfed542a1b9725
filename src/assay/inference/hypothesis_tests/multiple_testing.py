"""Multiple testing: corrections of several p-values, and of several looks at one test set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = [
    "adaptive_reach",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "hoeffding_reach",
    "holm",
    "ladder",
    "look_level",
    "spent_level",
]


def bonferroni(p: Any) -> NDArray[np.float64]:
    """Return p-values times their number, at most 1 (Bonferroni 1936).

    Parameters
    ----------
    p
        The p-values of all tests.

    Returns
    -------
    NDArray
        Corrected p-values, in the order of `p`.

    Raises
    ------
    MetricError
        `p` holds something other than numbers from 0 to 1.

    Examples
    --------
    >>> bonferroni([0.01, 0.25, 0.6]).tolist()
    [0.03, 0.75, 1.0]
    """
    values = _p_values(p)
    return np.minimum(1.0, values * len(values))


def holm(p: Any) -> NDArray[np.float64]:
    """Return p-values of which none below alpha is a false finding but with chance alpha (Holm 1979).

    It needs no independence, and is never worse than Bonferroni's.

    Parameters
    ----------
    p
        The p-values of all tests.

    Returns
    -------
    NDArray
        Corrected p-values, in the order of `p`.

    Raises
    ------
    MetricError
        `p` holds something other than numbers from 0 to 1.

    Examples
    --------
    >>> holm([0.001, 0.04, 0.03, 0.005, 0.2]).round(4).tolist()
    [0.005, 0.09, 0.09, 0.02, 0.2]
    """
    values = _p_values(p)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    return _back(order, np.minimum(1.0, stepped))


def benjamini_hochberg(p: Any) -> NDArray[np.float64]:
    """Return p-values of which those below alpha hold a share alpha of false findings (1995).

    For independent or positively dependent tests; for screening.

    Parameters
    ----------
    p
        The p-values of all tests.

    Returns
    -------
    NDArray
        Corrected p-values, in the order of `p`.

    Raises
    ------
    MetricError
        `p` holds something other than numbers from 0 to 1.

    Examples
    --------
    >>> benjamini_hochberg([0.001, 0.04, 0.03, 0.005, 0.2]).round(4).tolist()
    [0.005, 0.05, 0.05, 0.0125, 0.2]
    """
    values = _p_values(p)
    order = np.argsort(values, kind="stable")[::-1]
    stepped = np.minimum.accumulate(values[order] * len(values) / np.arange(len(values), 0, -1))
    return _back(order, np.minimum(1.0, stepped))


def benjamini_yekutieli(p: Any) -> NDArray[np.float64]:
    """Return p-values of which those below alpha hold a share alpha of false findings, however dependent.

    Benjamini and Yekutieli 2001.

    Parameters
    ----------
    p
        The p-values of all tests.

    Returns
    -------
    NDArray
        Corrected p-values, in the order of `p`.

    Raises
    ------
    MetricError
        `p` holds something other than numbers from 0 to 1.

    Examples
    --------
    >>> benjamini_yekutieli([0.001, 0.04, 0.03]).round(5).tolist()
    [0.0055, 0.07333, 0.07333]
    """
    values = _p_values(p)
    factor = float((1 / np.arange(1, len(values) + 1)).sum())
    return np.minimum(1.0, benjamini_hochberg(values) * factor)


def look_level(alpha: float, looks: int) -> float:
    """Return the level at which each of so many intervals is made for all to hold at once: alpha / looks.

    Bonferroni 1936.

    Parameters
    ----------
    alpha
        The level of all intervals together.
    looks
        How many intervals there will be.

    Returns
    -------
    float
        A level.

    Raises
    ------
    MetricError
        `looks` is below 1.

    Examples
    --------
    >>> look_level(0.05, 10)
    0.005
    """
    _check_looks(looks)
    return alpha / looks


def spent_level(alpha: float, look: int) -> float:
    """Return the level for the look of this number if nobody knows how many will follow.

    ``alpha / (look (look + 1))``, which adds up to alpha over all looks (Lan and DeMets 1983).

    Parameters
    ----------
    alpha
        The level of all looks together.
    look
        The number of the look, from 1.

    Returns
    -------
    float
        A level.

    Raises
    ------
    MetricError
        `look` is below 1.

    Examples
    --------
    >>> spent_level(0.05, 1), spent_level(0.05, 4)
    (0.025, 0.0025)
    """
    _check_looks(look)
    return alpha / (look * (look + 1))


def hoeffding_reach(n: float, alpha: float = 0.05, looks: int = 1) -> float:
    """Return how far the mean of n losses in [0, 1] can lie off, whatever they are (Hoeffding 1963).

    For all of `looks` models at once, if these were fixed before the first look.

    Parameters
    ----------
    n
        How many losses the mean is of.
    alpha
        The chance that one of the means lies further off.
    looks
        How many models are evaluated on the rows.

    Returns
    -------
    float
        A distance.

    Raises
    ------
    MetricError
        `looks` is below 1.

    Examples
    --------
    >>> round(hoeffding_reach(1000, looks=10), 6)
    0.054733
    """
    _check_looks(looks)
    return math.sqrt(math.log(2 * looks / alpha) / (2 * n))


def adaptive_reach(n: float, looks: int, answers: int, alpha: float = 0.05) -> float:
    """Return the same if each model was chosen after the looks before it, which gave one of so many answers.

    The union then covers every model that the answers could have led to: it grows with the root of the
    looks, where fixed models cost the root of their logarithm (Dwork and others 2015).

    Parameters
    ----------
    n
        How many losses the mean is of.
    looks
        How many models are evaluated on the rows.
    answers
        How many different answers a look can give.
    alpha
        The chance that one of the means lies further off.

    Returns
    -------
    float
        A distance.

    Raises
    ------
    MetricError
        `looks` is below 1.

    Examples
    --------
    >>> round(adaptive_reach(1000, looks=10, answers=101), 4)
    0.1504
    """
    _check_looks(looks)
    return math.sqrt(((looks - 1) * math.log(answers) + math.log(2 / alpha)) / (2 * n))


def ladder(losses: Iterable[float], step: float) -> list[float]:
    """Return what the Ladder answers to losses in turn: the best so far, moved only by more than a step.

    Blum and Hardt 2015. Answers are multiples of the step.

    Parameters
    ----------
    losses
        The mean losses of models, in the order in which they were submitted.
    step
        By how much a loss must fall to be told.

    Returns
    -------
    list[float]
        An answer per loss.

    Raises
    ------
    MetricError
        `step` is not above 0.

    Examples
    --------
    >>> ladder([0.3, 0.295, 0.284, 0.283, 0.26, 0.27, 0.255], 0.01)
    [0.3, 0.3, 0.28, 0.28, 0.26, 0.26, 0.26]
    """
    if not step > 0:
        raise MetricError(f"step={step!r} must be above 0.")
    best: int | None = None  # in steps, so that no rounding adds up
    answers = []
    for loss in losses:
        if best is None or loss < (best - 1) * step:
            best = round(loss / step)
        answers.append(best * step)
    return answers


def _p_values(p: Any) -> NDArray[np.float64]:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise MetricError("p-values are a list of numbers from 0 to 1.")
    return values


def _back(order: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values in the order their p-values came in."""
    placed = np.empty(len(values))
    placed[order] = values
    return placed


def _check_looks(looks: int) -> None:
    if looks < 1:
        raise MetricError(f"{looks!r} is no number of looks.")
