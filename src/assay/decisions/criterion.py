"""What a threshold is chosen for, in words and as formulas over outcomes, and how it is found."""

from __future__ import annotations

import bisect
import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.decisions.sequential_testing import last_certified
from assay.errors import MetricError
from assay.metrics.classification.rates import NO_NEGATIVES, NO_POSITIVES
from assay.metrics.curves.cutoffs import rounding

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.decisions.costs import Costs
    from assay.decisions.guarantees import Guarantee
    from assay.decisions.sweep import Amounts, Outcome, Sample, Sweep
    from assay.metrics import Metric

__all__ = ["CONFIDENCE", "Chosen", "Criterion"]

CONFIDENCE = 0.95


class Chosen(NamedTuple):
    """A threshold, the place of its cutoff, and how many cutoffs are as good."""

    threshold: float
    place: int
    ties: int


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Criterion:
    """One criterion: which cutoffs are allowed, which of them is best, and what is reported of it.

    `formula` is the reported measure of an outcome; `objective` is what is made highest, or lowest, where
    that is something else. `metric` is the measure where it is one of the catalogue; `costs` and
    `prevalence` say how costs are weighed. `fixed` gives the threshold where no search is needed. `rises`
    says that finding one more positive, or calling one negative less positive, never makes it worse.
    """

    words: str
    measure: str
    formula: Callable[[Outcome], Any]
    title: str = "threshold"
    lowest: bool = False
    scale: float = 0.0
    objective: Callable[[Outcome], Any] | None = None
    allowed: Callable[[Outcome], Any] | None = None
    unmet: Callable[[Sweep], str] | None = None
    needs: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    metric: Metric | None = None
    parameters: dict[str, Any] = dataclasses.field(default_factory=dict)
    costs: Costs | None = None
    amounts: Amounts | None = None
    prevalence: float | None = None
    guarantee: Guarantee | None = None
    fixed: Callable[[Sample, Sweep], float] | None = None
    rises: bool = False
    confidence: float = CONFIDENCE

    def choose(self, sample: Sample, sweep: Sweep) -> Chosen:
        """Return the best cutoff, the highest where several are, or raise saying why there is none."""
        totals = sweep.at(0).counts
        for kind, reason in (("positives", NO_POSITIVES), ("negatives", NO_NEGATIVES)):
            if kind in self.needs and not getattr(totals, kind)[0]:
                raise MetricError(
                    f"{reason}, so that no threshold can be chosen for {self.words}. "
                    "Costs, capacity= or max_positive_rate= need no more than one class."
                )
        if self.fixed is not None:
            threshold = self.fixed(sample, sweep)
            return Chosen(threshold, sweep.place(threshold), 1)
        if self.guarantee is not None and self.guarantee.walks(sweep):
            found = self._walked(self.guarantee, sweep)
        else:
            found = self._found(sweep, rising=self.rises)
        if found is None:
            raise MetricError(self._unmet(sweep))
        place, ties = found
        return Chosen(sweep.cutoff(place), place, ties)

    @staticmethod
    def _walked(guarantee: Guarantee, sweep: Sweep) -> tuple[int, int] | None:
        """Return the best certified place, the first of several, and how many are as good; None without any.

        Of recall that is the one with the fewest false positives, else the one with the most positives found.
        """
        certified = last_certified(guarantee, sweep)
        if certified is None:
            return None

        def found(place: int) -> float:
            return float(sweep.at(int(place)).counts.tp[0])

        def alarms(place: int) -> float:
            return float(sweep.at(int(place)).counts.fp[0])

        if guarantee.measure == "recall":
            fewest = alarms(certified[0])
            ties = bisect.bisect_right(certified, fewest + rounding(fewest), key=alarms)
            return int(certified[0]), ties
        most = found(certified[-1])
        first = bisect.bisect_left(certified, most - rounding(most), key=found)
        return int(certified[first]), len(certified) - first

    def _unmet(self, sweep: Sweep) -> str:
        if self.unmet is not None:
            return self.unmet(sweep)
        totals = sweep.at(0).counts
        lacking = [name for name in ("positives", "negatives") if not getattr(totals, name)[0]]
        why = f": there are no actual {lacking[0]}" if lacking else ""
        return f"{self.measure} has no value at any cutoff{why}."

    def _found(self, sweep: Sweep, *, rising: bool) -> tuple[int, int] | None:
        """Return the first place of the best value and how many share it, or None where there is no value.

        Where finding more positives and calling fewer negatives positive never makes it worse, a block of
        cutoffs is no better than the positives above its end with the negatives above its beginning would
        be: blocks that even so are not good enough are left unread.
        """
        size, sign = len(sweep), -1.0 if self.lowest else 1.0
        begins = np.arange(0, size, sweep.block)
        order, bounds, top = range(len(begins)), None, -math.inf
        if rising and len(begins) > 1:
            begun, ended = slice(len(begins)), slice(1, len(begins) + 1)
            bounds = sign * self._values(sweep.ends(ended, begun), no_value=math.inf)
            bounds[np.isnan(bounds)] = -math.inf  # none of the block is allowed
            top = float(np.fmax.reduce(sign * self._values(sweep.ends(begun, begun))[1:], initial=top))
            order = np.argsort(-bounds, kind="stable").tolist()
        tops: dict[int, float] = {}
        for block in order:
            if bounds is not None and bounds[block] < top - 4 * self._reach(top):
                break
            values = sign * self._read(sweep, int(begins[block]))
            tops[block] = float(np.fmax.reduce(values, initial=-math.inf))
            top = max(top, tops[block])
        place, ties = -1, 0
        for block in sorted(block for block, best in tops.items() if best >= top - self._reach(top)):
            values = sign * self._read(sweep, int(begins[block]))
            shared = values >= top - self._reach(top)
            if not ties:
                place = int(begins[block]) + int(np.argmax(shared))
            ties += int(np.count_nonzero(shared))
        return (place, ties) if ties else None

    def _reach(self, top: float) -> float:
        """Return how far below the best a value is that rounding alone can have set apart from it."""
        return rounding(top, self.scale)

    def _read(self, sweep: Sweep, begin: int) -> NDArray[Any]:
        """Return the objective at the cutoffs of a block, NaN where it has no value or is not allowed."""
        values = self._values(sweep.between(begin, begin + sweep.block))
        if not begin and len(sweep) > 1 and sweep.scores[-1] == math.inf:
            values[0] = math.nan  # rows score infinity, so that no threshold leaves all of them out
        return values

    def _values(self, outcome: Outcome, no_value: float = math.nan) -> NDArray[Any]:
        values = np.array((self.objective or self.formula)(outcome), dtype=np.float64)
        if not math.isnan(no_value):
            values[np.isnan(values)] = no_value * (-1 if self.lowest else 1)
        if self.allowed is not None:
            values[~self.allowed(outcome)] = math.nan
        return values

    def value(self, outcome: Outcome) -> float:
        """Return the measure of one outcome, NaN where it has none."""
        return float(self.formula(outcome)[0])
