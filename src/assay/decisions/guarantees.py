"""Constraints on recall, precision or specificity: on the sample, or with a confidence on unseen data."""

from __future__ import annotations

import bisect
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.decisions.effective_counts import lower_limit_reaches, outcome_evidence, rate_counts, wilson_limit
from assay.errors import MetricError
from assay.formatting.numbers import format_amount
from assay.hints import passed
from assay.inference.formulas.proportions import check_confidence
from assay.metrics.arithmetic import ratio
from assay.metrics.curves.cutoffs import rounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.decisions.effective_counts import Evidence
    from assay.decisions.sweep import Outcome, Sweep

__all__ = ["Guarantee", "lower_limit_reaches", "min_hits"]

_METHODS = {"clopper-pearson": "Clopper-Pearson", "wilson": "Wilson"}
_HALF = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Guarantee:
    """The minimum that recall, precision or specificity must reach.

    With a confidence, its one-sided lower limit must reach it: the lower end of the two-sided interval whose
    confidence is ``2 confidence - 1``. Clopper and Pearson's limit has at least the stated confidence;
    Wilson's has it on average.

    Recall is monotone in the threshold, and so is specificity: the last threshold whose limit reaches the
    minimum has the same error rate as a threshold fixed beforehand (Bates et al. 2021, risk-controlling
    sets). Precision is not monotone, nor are the limits of weighted or grouped rows: there cutoffs are
    tested in sequence, see :func:`assay.decisions.sequential_testing.certified_cutoffs`.
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
                raise MetricError(
                    f"{passed('confidence', self.confidence)} is no confidence: it is above 0.5."
                )

    def needs_sequential_tests(self, sweep: Sweep) -> bool:
        """Tell whether cutoffs must be tested in sequence, because their limits are not monotone."""
        return self.confidence is not None and (self.measure == "precision" or not sweep.plain)

    @property
    def words(self) -> str:
        """The constraint as a phrase."""
        text = f"a {self.measure} of at least {self.share:.4g}"
        return text if self.confidence is None else f"{text} at {100 * self.confidence:.4g}% confidence"

    def met(self, outcome: Outcome) -> NDArray[np.bool_]:
        """Tell for each cutoff whether it meets the constraint."""
        x, n = rate_counts(outcome.counts, self.measure)
        with np.errstate(invalid="ignore"):
            minimum = self.share - rounding(self.share)  # sums of weights are rounded
            enough = np.asarray(ratio(x, n) >= minimum)  # False where undefined
        if self.confidence is None:
            return enough
        if not len(n):
            return enough
        # The class is the same at every cutoff, and so is the number of hits that it takes.
        return np.asarray(x >= min_hits(int(n[0]), self.share, self.confidence, self.method))

    def evidence(self, sweep: Sweep, indices: NDArray[np.intp] | range) -> Evidence:
        """Return the evidence about the rate at consecutive cutoffs, in rising order.

        For grouped rows the cutoffs need not be consecutive.
        """
        if sweep.groups is not None:
            return sweep.groups.evidence(self.measure, np.asarray(indices))
        return outcome_evidence(sweep.between(int(indices[0]), int(indices[-1]) + 1), self.measure)

    def rejected(self, x: Any, n: Any, level: float) -> NDArray[np.bool_]:
        """Tell for each x of n whether a test at the level rejects that the true share is lower."""
        return lower_limit_reaches(x, n, self.share, 1 - level, self.method)

    def limit(self, sweep: Sweep, index: int) -> float:
        """Return the lower limit at one cutoff."""
        evidence = self.evidence(sweep, np.array([index]))
        return evidence.limit(0, self.confidence or 0.95, self.method)

    def limit_words(self, sweep: Sweep, index: int) -> str:
        """Return a sentence on the limit at one cutoff."""
        if self.measure == "precision":
            text = (
                f"The precision of at least {self.share:.4g} holds although the threshold was chosen on "
                f"these rows: cutoffs were tested in sequence down to it ({_METHODS[self.method]})."
            )
        else:
            text = (
                f"The one-sided {_METHODS[self.method]} limit of {self.measure} is "
                f"{self.limit(sweep, index):.4g}; it holds although the threshold was chosen on these rows."
            )
        if sweep.groups is None:
            return text
        return f"{text} Whole groups were the sampling unit: {self._group_counts(sweep, index)}."

    def _group_counts(self, sweep: Sweep, index: int) -> str:
        """Return how many groups the rate at a cutoff is computed from, as a phrase."""
        evidence = self.evidence(sweep, np.array([index]))
        assert evidence.groups is not None  # noqa: S101 - for the type checker
        assert evidence.units is not None  # noqa: S101
        number, units = int(evidence.groups[0]), float(evidence.units[0])
        kind = {"recall": "positives", "specificity": "negatives"}.get(self.measure, "predicted positives")
        effective = f", equivalent to {units:.3g} of equal size" if units < number - _HALF else ""
        return f"{number:,} of them have {kind}{effective}"

    def unmet(self, sweep: Sweep) -> str:
        """Return why no cutoff meets the constraint, and how close the best one comes."""
        x, n = rate_counts(sweep.between(0, len(sweep)).counts, self.measure)
        text = f"no threshold has {self.words}"
        if self.confidence is None:
            values = ratio(x, n)
            index = int(np.nanargmax(values))
            return (
                f"{text}: the highest is {values[index]:.4g}, at {sweep.cutoff(index):.6g}. Lower it, "
                'or use another criterion (best="f1", or costs).'
            )
        index = int(np.nanargmax(wilson_limit(x, n, self.confidence)))
        hits, limit = f"{format_amount(x[index])} of {format_amount(n[index])}", self.limit(sweep, index)
        if sweep.groups is not None:
            hits += f" (whole groups are the sampling unit: {self._group_counts(sweep, index)})"
        if limit >= self.share:
            return (
                f"{text}: {hits} at {sweep.cutoff(index):.6g} would be enough for a threshold fixed "
                "beforehand, but not for the best of many. Lower it, lower confidence=, or use more rows."
            )
        return (
            f"{text}: even the best threshold's {hits} leaves a lower limit of {limit:.4g}. "
            f"Lower it, lower confidence=, or use more {'rows' if sweep.groups is None else 'groups'}."
        )


@functools.lru_cache(maxsize=16)  # the same for every block of cutoffs
def min_hits(n: int, share: float, confidence: float, method: str) -> int:
    """Return the fewest hits of n whose lower limit reaches a share; n + 1 if no number does.

    >>> min_hits(100, 0.9, 0.95, "clopper-pearson")
    96
    """

    def reaches(x: int) -> bool:
        return bool(lower_limit_reaches([x], [n], share, confidence, method)[0])

    return bisect.bisect_left(range(n + 1), True, key=reaches)  # noqa: FBT003 - the value searched for
