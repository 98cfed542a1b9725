"""Costs of errors, and thresholds that follow from costs and prevalence alone."""

from __future__ import annotations

import dataclasses
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, NumberError
from assay.hints import param, passed
from assay.metrics.parameters import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Costs",
    "bayes_threshold",
    "check_share",
    "checked_cost",
    "in_percent",
    "is_number",
    "numbers_of",
    "probability_cost",
    "shifted_probability",
    "shifted_threshold",
]

MAX_COST = 1e100  # squares of sums of larger ones would overflow
NO_GAINS = (
    "State a gain not as a negative cost: add the same amount to both costs of that class, which changes "
    "no decision."
)


@dataclasses.dataclass(frozen=True, slots=True)
class Costs:
    """Costs of the four outcomes; only the cost of an error beyond that of being right matters.

    >>> Costs(5, 1).words
    'a false positive costs 5, a false negative 1'
    """

    fp: float
    fn: float
    tp: float = 0.0
    tn: float = 0.0

    def __post_init__(self) -> None:
        for name in ("fp", "fn", "tp", "tn"):
            checked_cost(f"cost_{name}", getattr(self, name))
        if self.alarm < 0 or self.miss < 0:
            error, right = ("fp", "tn") if self.alarm < 0 else ("fn", "tp")
            raise MetricError(
                f"{passed(f'cost_{error}', getattr(self, error))} is below "
                f"{passed(f'cost_{right}', getattr(self, right))}: an "
                "error must not cost less than being right on the same row."
            )
        if not self.alarm + self.miss:
            raise MetricError("both errors cost nothing, so every threshold is equally good.")
        for name in ("fp", "fn", "tp", "tn"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def alarm(self) -> float:
        """Cost of a false positive beyond that of a true negative."""
        return self.fp - self.tn

    @property
    def miss(self) -> float:
        """Cost of a false negative beyond that of a true positive."""
        return self.fn - self.tp

    @property
    def words(self) -> str:
        """The costs as a phrase."""
        text = f"a false positive costs {self.fp:g}, a false negative {self.fn:g}"
        right = [(self.tp, "a true positive"), (self.tn, "a true negative")]
        return ", ".join([text, *(f"{what} {cost:g}" for cost, what in right if cost)])


def bayes_threshold(cost_fp: float, cost_fn: float, *, cost_tp: float = 0, cost_tn: float = 0) -> float:
    """Return the cost-optimal threshold of calibrated probabilities (Elkan 2001).

    It follows from the costs alone: ``(fp - tn) / ((fp - tn) + (fn - tp))``.

    Parameters
    ----------
    cost_fp, cost_fn
        What a false positive and a false negative cost.
    cost_tp, cost_tn
        What a true positive and a true negative cost.

    Returns
    -------
    float
        A threshold between 0 and 1.

    Raises
    ------
    MetricError
        A cost is negative or no number; or no error costs more than being right.

    Examples
    --------
    >>> bayes_threshold(1, 4)
    0.2
    """
    costs = Costs(cost_fp, cost_fn, cost_tp, cost_tn)
    return costs.alarm / (costs.alarm + costs.miss)


def shifted_probability(probability: Any, prevalence: float, new_prevalence: float) -> Any:
    """Return a probability, or an array of them, adjusted to another prevalence (Saerens 2002).

    The distribution of scores within each class is taken to be unchanged.

    Parameters
    ----------
    probability
        One probability or an array of them.
    prevalence, new_prevalence
        The share of positives in the rows, and where the model will be used.

    Returns
    -------
    float or NDArray
        Of the shape of `probability`.

    Raises
    ------
    NumberError
        A probability does not lie within 0 and 1.
    MetricError
        A prevalence is no share between 0 and 1.

    Examples
    --------
    >>> shifted_probability(0.5, 0.5, 0.2)
    0.2
    """
    check_share("prevalence", prevalence)
    check_share("new_prevalence", new_prevalence)
    p = numbers_of("probability", probability)
    if not ((p >= 0) & (p <= 1)).all():
        bad = p[~((p >= 0) & (p <= 1))].flat[0]
        raise NumberError(f"{bad} is no probability: those lie between 0 and 1.")
    yes, no = p * (new_prevalence / prevalence), (1 - p) * ((1 - new_prevalence) / (1 - prevalence))
    shifted = yes / (yes + no)
    return shifted if shifted.ndim else float(shifted)


def shifted_threshold(threshold: Any, prevalence: float, new_prevalence: float) -> Any:
    """Return the threshold on the old probabilities that equals a threshold on the shifted ones.

    The inverse of :func:`shifted_probability`.

    Parameters
    ----------
    threshold
        One threshold or an array of them.
    prevalence, new_prevalence
        The share of positives in the rows, and where the model will be used.

    Returns
    -------
    float or NDArray
        Of the shape of `threshold`.

    Raises
    ------
    NumberError
        A threshold does not lie within 0 and 1.
    MetricError
        A prevalence is no share between 0 and 1.

    Examples
    --------
    >>> round(shifted_threshold(0.2, 7 / 15, 0.2), 6)
    0.466667
    """
    return shifted_probability(threshold, new_prevalence, prevalence)


def probability_cost(prevalence: float, cost_fp: float, cost_fn: float) -> float:
    """Return the probability cost, the x axis of a cost curve: the positives' share of the maximum cost.

    Drummond and Holte 2006: ``prevalence cost_fn / (prevalence cost_fn + (1 - prevalence) cost_fp)``.

    Parameters
    ----------
    prevalence
        The share of positives.
    cost_fp, cost_fn
        What a false positive and a false negative cost.

    Returns
    -------
    float
        A share between 0 and 1.

    Raises
    ------
    MetricError
        A cost is negative or no number; or `prevalence` is no share between 0 and 1.

    Examples
    --------
    >>> probability_cost(0.5, 1, 4)
    0.8
    """
    costs = Costs(cost_fp, cost_fn)
    check_share("prevalence", prevalence)
    positive, negative = prevalence * costs.fn, (1 - prevalence) * costs.fp
    return positive / (positive + negative)


def checked_cost(name: str, value: Any) -> float:
    """Return a cost as a number, or raise naming it."""
    if not is_number(value) or not value >= 0:
        raise MetricError(f"{passed(name, value)} is not a number from 0 on. {NO_GAINS}")
    if not float(value) <= MAX_COST:
        raise MetricError(f"{passed(name, value)} is too large: state costs in a larger unit.")
    return float(value)


def numbers_of(name: str, values: Any) -> NDArray[np.float64]:
    """Return a number or several as an array, or raise naming them."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MetricError(f"{passed(name, values)} is neither a number nor a list of numbers.") from None


def is_number(value: Any) -> bool:
    """Tell whether this is one real number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_share(name: str, value: Any) -> float:
    """Return a share strictly between 0 and 1, or raise naming it."""
    share = number(name, value)
    if not 0 < share < 1:
        raise MetricError(f"{passed(name, value)} is a share between 0 and 1{in_percent(name, share)}.")
    return share


def in_percent(name: str, value: float) -> str:
    """Return a hint for a percentage passed as a share; empty for other numbers.

    >>> from assay.hints import render
    >>> render(in_percent("prevalence", 10))
    ': for 10% say prevalence=0.1'
    """
    return f": for {value:g}% say {param(name, value / 100)}" if 1 < value <= 100 else ""  # noqa: PLR2004
