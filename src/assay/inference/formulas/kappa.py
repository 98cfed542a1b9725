"""Kappa with both of its standard errors: one for its interval, one for the test of no agreement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.hints import passed
from assay.inference.distributions import normal_p
from assay.inference.formulas.proportions import Interval, normal_quantile, proportion_interval
from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KappaErrors", "agreement_weights", "kappa_errors", "pabak", "pabak_interval"]


_ROUNDING = 1e-12  # of the largest agreement: what is left where weights such as 1 - 1/3 cancel


class KappaErrors(NamedTuple):
    """Kappa with its standard errors and its test against agreement by chance.

    ``standard_error`` is the error at the estimate (vcd's ASE) and makes intervals. ``null_error`` is the
    error if truth and prediction had nothing to do with each other (irr's): it makes the
    ``statistic`` (z) and its two-sided ``p_value``, and must not make an interval. All are undefined where
    chance alone agrees always.
    """

    estimate: Value
    standard_error: Value
    null_error: Value
    statistic: Value
    p_value: Value
    n: float

    def wald(self, confidence: float = 0.95) -> Interval | None:
        """Return value plus or minus its error, as vcd, psych and DescTools print it; None if undefined."""
        if isinstance(self.estimate, Undefined) or isinstance(self.standard_error, Undefined):
            return None
        half_width = normal_quantile(confidence) * self.standard_error
        return self.estimate - half_width, self.estimate + half_width


def agreement_weights(
    size: int, scheme: str | Any = "none", values: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the agreement weight of each pair of classes, 1 on the diagonal, by a scheme or a matrix.

    ``"none"`` gives nothing beside the diagonal, ``"linear"`` falls with the distance of the ranks (Cicchetti
    and Allison), ``"quadratic"`` with its square (Fleiss and Cohen), ``"ordinal"`` with the number of pairs
    of classes between the two (Gwet). `values` are numbers to take the distances of, in place of the ranks.
    A matrix is taken as it is.

    Parameters
    ----------
    size
        How many classes there are.
    scheme
        ``"none"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, or a matrix.
    values
        Numbers in place of the ranks of the classes.

    Returns
    -------
    NDArray
        A square matrix.

    Raises
    ------
    MetricError
        The scheme is not known, or a matrix does not fit so many classes.

    Examples
    --------
    >>> agreement_weights(3, "linear")
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    if not isinstance(scheme, str):
        matrix = np.asarray(scheme, dtype=np.float64)
        if matrix.shape != (size, size):
            raise MetricError(f"weights of shape {matrix.shape} do not fit {size} classes.")
        return matrix
    if scheme == "none":
        return np.eye(size)
    if scheme == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
        return np.asarray(1 - steps * (steps + 1) / max(size * (size - 1), 1), dtype=np.float64)
    powers = {"linear": 1, "quadratic": 2}
    if scheme not in powers:
        raise MetricError(
            f'{passed("weights", scheme)} is not known: use "none", "linear", "quadratic", "ordinal", or '
            "a matrix."
        )
    points = np.arange(size, dtype=np.float64) if values is None else values
    steps = np.abs(np.subtract.outer(points, points)) / (float(np.ptp(points)) if size > 1 else 1.0)
    return np.asarray(1 - steps ** powers[scheme], dtype=np.float64)


def kappa_errors(table: Any, weights: str | Any = "none") -> KappaErrors:
    """Return kappa, weighted or not, with both standard errors, z and p.

    Fleiss, Cohen and Everitt 1969. Rows are actual, columns predicted; it does not matter which.

    Parameters
    ----------
    table
        Counts, a row per actual class and a column per predicted class.
    weights
        ``"none"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, or a matrix as :func:`agreement_weights`
        returns it.

    Returns
    -------
    KappaErrors
        Kappa, its standard error, the one if there were no agreement beyond chance, z and p.

    Raises
    ------
    MetricError
        `weights` are not known, or do not fit the classes.

    Examples
    --------
    >>> kappa = kappa_errors([[231, 32], [27, 54]])
    >>> round(kappa.estimate, 6), round(kappa.standard_error, 6), round(kappa.null_error, 6)
    (0.533597, 0.053284, 0.053874)
    >>> f"{kappa.p_value:.2g}"
    '4e-23'
    """
    counts = np.asarray(table).astype(np.float64)
    n = float(counts.sum())
    agree = agreement_weights(len(counts), weights)
    if not n:
        return _undefined("there are no rows", n)
    shares = counts / n
    actual, predicted = shares.sum(1), shares.sum(0)
    chance = np.outer(actual, predicted)
    expected = float((agree * chance).sum())
    # 1 - expected, from its parts: exactly 0 where all rows share one class.
    beyond = float(((1 - agree) * chance).sum())
    if beyond <= 0:
        return _undefined("all rows are of one class and were predicted so, which chance alone would do", n)
    kappa = 1 - float(((1 - agree) * shares).sum()) / beyond
    means = (agree @ predicted)[:, None] + (actual @ agree)[None, :]
    # Squares about the mean, which Fleiss, Cohen and Everitt write as a difference: it would cancel.
    terms = agree - means * (1 - kappa) - (kappa - expected * (1 - kappa))
    error = math.sqrt(float((shares * terms**2).sum()) / n) / beyond
    null_error = math.sqrt(float((chance * (agree - means + expected) ** 2).sum()) / n) / beyond
    if reason := _no_spread(counts, agree):
        why = Undefined(f"{reason}: chance agreement has no spread")
        return KappaErrors(kappa, error, 0.0, why, why, n)
    z = kappa / null_error
    return KappaErrors(kappa, error, null_error, z, normal_p(z), n)


def _no_spread(counts: NDArray[np.float64], agree: NDArray[np.float64]) -> str:
    """Return why agreement by chance does not vary, so that kappa cannot be tested; "" where it does.

    The mean agreement of shuffled labels is fixed where the agreement of two classes is a sum of one part
    by the actual and one by the predicted class, among the classes that occur.
    """
    actual, predicted = np.flatnonzero(counts.sum(1)), np.flatnonzero(counts.sum(0))
    if len(actual) == 1 or len(predicted) == 1:
        return "all rows are of one class or were predicted as one"
    agreement = agree[np.ix_(actual, predicted)]
    interaction = agreement - agreement[:, :1] - agreement[:1] + agreement[0, 0]
    if np.abs(interaction).max() > _ROUNDING * np.abs(agree).max():
        return ""
    if not np.intersect1d(actual, predicted).size:
        return "actual and predicted labels have no class in common"
    return "every predicted class is on one side of the actual ones"


def pabak(table: Any) -> float:
    """Return kappa as it would be with classes and mistakes in balance (Byrt, Bishop and Carlin 1993).

    ``(k observed - 1) / (k - 1)``, which is ``2 observed - 1`` for two classes.

    Parameters
    ----------
    table
        Counts, a row per actual class and a column per predicted class.

    Returns
    -------
    float
        The coefficient.

    Examples
    --------
    >>> round(pabak([[1202, 5], [29, 154]]), 6)
    0.951079
    """
    counts = np.asarray(table).astype(np.float64)
    return _rescaled(float(np.trace(counts) / counts.sum()), len(counts))


def pabak_interval(table: Any, *, confidence: float = 0.95, method: str = "wilson") -> Interval:
    """Return the interval of PABAK, mapped from that of the observed agreement, which is a proportion.

    Byrt, Bishop and Carlin 1993.

    Parameters
    ----------
    table
        Counts, a row per actual class and a column per predicted class.
    confidence
        The confidence level of the interval.
    method
        The interval of the observed agreement, as :func:`proportion_interval` names it.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known.

    Examples
    --------
    >>> low, high = pabak_interval([[1202, 5], [29, 154]], method="clopper-pearson")
    >>> round(low, 4), round(high, 4)
    (0.932, 0.966)
    """
    counts = np.asarray(table).astype(np.float64)
    limits = proportion_interval(float(np.trace(counts)), float(counts.sum()), confidence, method)
    low, high = (_rescaled(limit, len(counts)) for limit in limits)
    return low, high


def _rescaled(agreement: float, size: int) -> float:
    return (size * agreement - 1) / (size - 1)


def _undefined(reason: str, n: float) -> KappaErrors:
    why = Undefined(reason)
    return KappaErrors(why, why, why, why, why, n)
