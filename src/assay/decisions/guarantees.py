"""A share that must be reached: by what was counted, or with a stated confidence by its lower limit."""

from __future__ import annotations

import bisect
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.decisions.effective_counts import lower_limit_reaches, of_outcome, parts_of, wilson_limit
from assay.errors import MetricError
from assay.formatting.numbers import amount
from assay.inference.formulas.proportions import check_confidence
from assay.metrics.arithmetic import ratio
from assay.metrics.curves.cutoffs import rounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.decisions.effective_counts import Evidence
    from assay.decisions.sweep import Outcome, Sweep

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
    controlling sets). Precision goes up and down, and so do the limits of weighted or grouped rows: a walk
    over the cutoffs tests them, see :func:`assay.decisions.sequential_testing.last_certified`.
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

    def walks(self, sweep: Sweep) -> bool:
        """Tell whether cutoffs must be tested one after the other, for the limits go up and down."""
        return self.confidence is not None and (self.measure == "precision" or not sweep.plain)

    @property
    def words(self) -> str:
        """The demand as a sentence has it."""
        said = f"a {self.measure} of at least {self.share:.4g}"
        return said if self.confidence is None else f"{said} at {100 * self.confidence:.4g}% confidence"

    def met(self, outcome: Outcome) -> NDArray[np.bool_]:
        """Tell of each cutoff whether the demand is met there."""
        x, n = parts_of(outcome.counts, self.measure)
        with np.errstate(invalid="ignore"):
            least = self.share - rounding(self.share)  # sums of weights are rounded
            enough = np.asarray(ratio(x, n) >= least)  # no value is not enough
        if self.confidence is None:
            return enough
        if not len(n):
            return enough
        # The same class at every cutoff, so that one number settles it.
        return np.asarray(x >= least_hits(int(n[0]), self.share, self.confidence, self.method))

    def evidence(self, sweep: Sweep, places: NDArray[np.intp] | range) -> Evidence:
        """Return what the sample says about the rate at some cutoffs, in rising order and without a gap.

        Of rows in groups the cutoffs may have gaps.
        """
        if sweep.groups is not None:
            return sweep.groups.evidence(self.measure, np.asarray(places))
        return of_outcome(sweep.between(int(places[0]), int(places[-1]) + 1), self.measure)

    def refuted(self, x: Any, n: Any, level: float) -> NDArray[np.bool_]:
        """Tell of each x of n whether they refute that the share is lower, erring as often as the level."""
        return lower_limit_reaches(x, n, self.share, 1 - level, self.method)

    def limit(self, sweep: Sweep, place: int) -> float:
        """Return the lower limit at one cutoff."""
        evidence = self.evidence(sweep, np.array([place]))
        return evidence.limit(0, self.confidence or 0.95, self.method)

    def limit_words(self, sweep: Sweep, place: int) -> str:
        """Return the limit at one cutoff as a sentence has it."""
        if self.measure == "precision":
            said = (
                f"The precision of at least {self.share:.4g} holds although the threshold was chosen on "
                f"these rows: cutoffs were tested one after the other down to it ({_METHODS[self.method]})."
            )
        else:
            said = (
                f"The one-sided {_METHODS[self.method]} limit of {self.measure} is "
                f"{self.limit(sweep, place):.4g}; it holds although the threshold was chosen on these rows."
            )
        if sweep.groups is None:
            return said
        return f"{said} Whole groups were the unit: {self._groups(sweep, place)}."

    def _groups(self, sweep: Sweep, place: int) -> str:
        """Return how many groups the rate at a cutoff rests on, in words."""
        evidence = self.evidence(sweep, np.array([place]))
        assert evidence.groups is not None  # noqa: S101 - for the type checker
        assert evidence.units is not None  # noqa: S101
        number, units = int(evidence.groups[0]), float(evidence.units[0])
        kind = {"recall": "positives", "specificity": "negatives"}.get(self.measure, "predicted positives")
        worth = f", worth {units:.3g} of equal size" if units < number - _HALF else ""
        return f"{number:,} of them have {kind}{worth}"

    def unmet(self, sweep: Sweep) -> str:
        """Return why no cutoff meets the demand, and how near one comes."""
        x, n = parts_of(sweep.between(0, len(sweep)).counts, self.measure)
        said = f"no threshold has {self.words}"
        if self.confidence is None:
            values = ratio(x, n)
            place = int(np.nanargmax(values))
            return (
                f"{said}: the highest is {values[place]:.4g}, at {sweep.cutoff(place):.6g}. Ask for less, "
                'or for the best balance (best="f1", or costs).'
            )
        place = int(np.nanargmax(wilson_limit(x, n, self.confidence)))
        hits, limit = f"{amount(x[place])} of {amount(n[place])}", self.limit(sweep, place)
        if sweep.groups is not None:
            hits += f" (whole groups are the unit: {self._groups(sweep, place)})"
        if limit >= self.share:
            return (
                f"{said}: {hits} at {sweep.cutoff(place):.6g} would be enough of a threshold named "
                "beforehand, but not of the best of many. Ask for less, be less sure, or bring more rows."
            )
        return (
            f"{said}: even the best threshold's {hits} leaves a lower limit of {limit:.4g}. "
            f"Ask for less, be less sure, or bring more {'rows' if sweep.groups is None else 'groups'}."
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
