"""A share that must be reached: by what was counted, or with a stated confidence by its lower limit."""

from __future__ import annotations

import bisect
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.decisions.wording import amount
from assay.errors import MetricError
from assay.inference.proportions import check_confidence, normal_quantile, proportion_interval
from assay.metrics.arithmetic import ratio, root
from assay.metrics.cutoffs import rounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.decisions.sweep import Outcome, Sweep
    from assay.metrics import Binary

__all__ = ["Guarantee", "least_hits", "lower_limit_reaches"]

_METHODS = {"clopper-pearson": "Clopper-Pearson", "wilson": "Wilson"}
_HALF = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Guarantee:
    """The least that recall, precision or specificity must be.

    With a confidence its one-sided lower limit must be that: the lower end of the two-sided interval whose
    confidence is ``2 confidence - 1``. Clopper and Pearson's limit errs at most as often as is said; Wilson's
    is close to that on average.

    Recall only falls as the threshold rises, and specificity only rises: whoever takes the last threshold
    whose limit is met errs no more often than at a threshold named beforehand (Bates et al. 2021, risk-
    controlling sets). Precision goes up and down: a walk over the cutoffs tests it, see
    :func:`assay.decisions.walks.last_certified`.
    """

    measure: str
    share: float
    confidence: float | None = None
    method: str = "clopper-pearson"

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            known = " or ".join(f'"{name}"' for name in _METHODS)
            raise MetricError(f"method={self.method!r} is no lower limit of a share here: use {known}.")
        if self.confidence is not None:
            check_confidence(self.confidence)
            if self.confidence <= _HALF:
                raise MetricError(f"confidence={self.confidence!r} is no confidence: it is above 0.5.")

    @property
    def walks(self) -> bool:
        """Whether cutoffs must be tested one after the other, for the measure goes up and down."""
        return self.confidence is not None and self.measure == "precision"

    @property
    def words(self) -> str:
        """The demand as a sentence has it."""
        said = f"a {self.measure} of at least {self.share:.4g}"
        return said if self.confidence is None else f"{said} at {100 * self.confidence:.4g}% confidence"

    def met(self, outcome: Outcome) -> NDArray[np.bool_]:
        """Tell of each cutoff whether the demand is met there."""
        x, n = _parts(outcome.counts, self.measure)
        with np.errstate(invalid="ignore"):
            least = self.share - rounding(self.share)  # sums of weights are rounded
            enough = np.asarray(ratio(x, n) >= least)  # no value is not enough
        if self.confidence is None:
            return enough
        if outcome.squares is not None:
            x, n = self.worth(outcome)
        elif len(n):  # the same class at every cutoff, so one number settles it
            return np.asarray(x >= least_hits(int(n[0]), self.share, self.confidence, self.method))
        places = np.flatnonzero(enough)  # a limit is below what it limits
        enough[places] = lower_limit_reaches(x[places], n[places], self.share, self.confidence, self.method)
        return enough

    def refuted(self, x: Any, n: Any, level: float) -> NDArray[np.bool_]:
        """Tell of each x of n whether they refute that the share is lower, erring as often as the level."""
        return lower_limit_reaches(x, n, self.share, 1 - level, self.method)

    def worth(self, outcome: Outcome) -> tuple[Any, Any]:
        """Return what the share counts, and of how many: of weighted rows, of as many as they are worth."""
        x, n = _parts(outcome.counts, self.measure)
        squares = outcome.squares
        return (x, n) if squares is None else _effective(x, n, *_parts(squares, self.measure))

    def limit(self, outcome: Outcome) -> float:
        """Return the lower limit of one outcome."""
        x, n = self.worth(outcome)
        confidence = 2 * (self.confidence or 0.95) - 1
        return proportion_interval(float(x[0]), float(n[0]), confidence, self.method)[0]

    def limit_words(self, outcome: Outcome) -> str:
        """Return the limit at one outcome as a sentence has it."""
        if self.walks:
            return (
                f"The precision of at least {self.share:.4g} holds although the threshold was chosen on "
                f"these rows: cutoffs were tested one after the other down to it ({_METHODS[self.method]})."
            )
        return (
            f"The one-sided {_METHODS[self.method]} limit of {self.measure} is {self.limit(outcome):.4g}; "
            "it holds although the threshold was chosen on these rows."
        )

    def unmet(self, sweep: Sweep) -> str:
        """Return why no cutoff meets the demand, and how near one comes."""
        x, n = _parts(sweep.between(0, len(sweep)).counts, self.measure)
        said = f"no threshold has {self.words}"
        if self.confidence is None:
            values = ratio(x, n)
            place = int(np.nanargmax(values))
            return (
                f"{said}: the highest is {values[place]:.4g}, at {sweep.cutoff(place):.6g}. Ask for less, "
                'or for the best balance (best="f1", or costs).'
            )
        place = int(np.nanargmax(_wilson_limit(x, n, self.confidence)))
        hits, limit = f"{amount(x[place])} of {amount(n[place])}", self.limit(sweep.at(place))
        if limit >= self.share:
            return (
                f"{said}: {hits} at {sweep.cutoff(place):.6g} would be enough of a threshold named "
                "beforehand, but not of the best of many. Ask for less, be less sure, or bring more rows."
            )
        return (
            f"{said}: even the best threshold's {hits} leaves a lower limit of {limit:.4g}. "
            "Ask for less, be less sure, or bring more rows."
        )


@functools.lru_cache(maxsize=16)  # every block of cutoffs asks the same
def least_hits(n: int, share: float, confidence: float, method: str) -> int:
    """Return how many of n are enough for the lower limit of their share to reach so much; n + 1 if none are.

    >>> least_hits(100, 0.9, 0.95, "clopper-pearson")
    96
    """

    def reaches(x: int) -> bool:
        return bool(lower_limit_reaches([x], [n], share, confidence, method)[0])

    return bisect.bisect_left(range(n + 1), True, key=reaches)  # noqa: FBT003 - what is looked for


def lower_limit_reaches(x: Any, n: Any, share: float, confidence: float, method: str) -> NDArray[np.bool_]:
    """Tell of each x of n whether the one-sided lower limit of its share is at least so much.

    Clopper and Pearson's does where so many hits, or more, would be unlikely with that share.

    >>> lower_limit_reaches([58, 59], [58, 59], 0.95, 0.95, "clopper-pearson")
    array([False,  True])
    """
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if method == "wilson":
        return np.asarray(_wilson_limit(x, n, confidence) >= share)
    from scipy.special import betainc  # noqa: PLC0415 - SciPy takes its time to load

    some = x > 0  # the limit of none is 0
    unlikely = np.ones(len(x))
    unlikely[some] = betainc(x[some], n[some] - x[some] + 1, share)
    return np.asarray(unlikely <= 1 - confidence)


def _wilson_limit(x: Any, n: Any, confidence: float) -> Any:
    z = normal_quantile(2 * confidence - 1)
    return ((x + z * z / 2) - z * root(ratio(x * (n - x), n) + z * z / 4)) / (n + z * z)


def _parts(c: Binary, measure: str) -> tuple[Any, Any]:
    """Return what a share counts, and of how many."""
    if measure == "recall":
        return c.tp, c.positives
    return (c.tp, c.predicted_positives) if measure == "precision" else (c.tn, c.negatives)


def _effective(x: Any, n: Any, x_squares: Any, n_squares: Any) -> tuple[Any, Any]:
    """Return the x of n that weighted ones are worth: as uncertain a share (Korn and Graubard 1998)."""
    share = ratio(x, n)
    spread = x_squares * (1 - share) ** 2 + (n_squares - x_squares) * share**2
    worth = np.where(
        (share > 0) & (share < 1), ratio(share * (1 - share) * n * n, spread), ratio(n * n, n_squares)
    )
    return share * worth, worth
