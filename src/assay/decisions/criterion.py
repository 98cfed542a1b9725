"""A criterion for choosing a threshold, and the search for the best cutoff."""

from __future__ import annotations

import bisect
import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.decisions.sequential_testing import certified_cutoffs
from assay.errors import MetricError
from assay.hints import param
from assay.metrics.classification.rates import NO_NEGATIVES, NO_POSITIVES
from assay.metrics.curves.cutoffs import rounding

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.decisions.costs import Costs
    from assay.decisions.guarantees import Guarantee
    from assay.decisions.sweep import Amounts, Outcome, Sample, Sweep
    from assay.metrics import Metric

__all__ = ["CONFIDENCE", "Choice", "Criterion"]

CONFIDENCE = 0.95


class Choice(NamedTuple):
    """A threshold, the index of its cutoff, and how many cutoffs are equally good."""

    threshold: float
    cutoff_index: int
    ties: int


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Criterion:
    """One criterion: which cutoffs are allowed, which of them is best, and which measure is reported.

    `formula` is the reported measure of an outcome; `objective` is what is maximised, or minimised if
    `lowest`, where that is something else. `metric` is the measure if it is one of the catalogue; `costs`
    and `prevalence` say how costs are weighed. `fixed` gives the threshold where no search is needed.
    `rises` says that one more true positive, or one false positive less, never makes it worse.
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

    def choose(self, sample: Sample, sweep: Sweep) -> Choice:
        """Return the best cutoff, the highest of several, or raise with the reason why there is none."""
        totals = sweep.at(0).counts
        for kind, reason in (("positives", NO_POSITIVES), ("negatives", NO_NEGATIVES)):
            if kind in self.needs and not getattr(totals, kind)[0]:
                raise MetricError(
                    f"{reason}, so no threshold can be chosen for {self.words}. "
                    f"Costs, {param('capacity')} and {param('max_positive_rate')} also work with one class."
                )
        if self.fixed is not None:
            threshold = self.fixed(sample, sweep)
            return Choice(threshold, sweep.index_of(threshold), 1)
        if self.guarantee is not None and self.guarantee.needs_sequential_tests(sweep):
            best = self._best_certified(self.guarantee, sweep)
        else:
            best = self._best_cutoff(sweep, rising=self.rises)
        if best is None:
            raise MetricError(self._why_none(sweep))
        index, ties = best
        return Choice(sweep.cutoff(index), index, ties)

    @staticmethod
    def _best_certified(guarantee: Guarantee, sweep: Sweep) -> tuple[int, int] | None:
        """Return the index of the best certified cutoff, the first of several, and how many are equally good.

        For recall that is the one with the fewest false positives, else the one with the most true positives.
        None where no cutoff is certified.
        """
        certified = certified_cutoffs(guarantee, sweep)
        if certified is None:
            return None

        def true_positives(index: int) -> float:
            return float(sweep.at(int(index)).counts.tp[0])

        def false_positives(index: int) -> float:
            return float(sweep.at(int(index)).counts.fp[0])

        if guarantee.measure == "recall":
            fewest = false_positives(certified[0])
            ties = bisect.bisect_right(certified, fewest + rounding(fewest), key=false_positives)
            return int(certified[0]), ties
        max_true_positives = true_positives(certified[-1])
        first = bisect.bisect_left(
            certified, max_true_positives - rounding(max_true_positives), key=true_positives
        )
        return int(certified[first]), len(certified) - first

    def _why_none(self, sweep: Sweep) -> str:
        if self.unmet is not None:
            return self.unmet(sweep)
        totals = sweep.at(0).counts
        missing = [name for name in ("positives", "negatives") if not getattr(totals, name)[0]]
        why = f": there are no actual {missing[0]}" if missing else ""
        return f"{self.measure} has no value at any cutoff{why}."

    def _best_cutoff(self, sweep: Sweep, *, rising: bool) -> tuple[int, int] | None:
        """Return the first index of the best value and how many cutoffs share it, None if all are undefined.

        Branch and bound: where more true positives and fewer false positives never make it worse, a block of
        cutoffs is no better than the true positives at its end with the false positives at its beginning.
        Blocks whose bound is not good enough are not read.
        """
        size, sign = len(sweep), -1.0 if self.lowest else 1.0
        begins = np.arange(0, size, sweep.block)
        order, bounds, top = range(len(begins)), None, -math.inf
        if rising and len(begins) > 1:
            starts, ends = slice(len(begins)), slice(1, len(begins) + 1)
            bounds = sign * self._values(sweep.ends(ends, starts), no_value=math.inf)
            bounds[np.isnan(bounds)] = -math.inf  # no cutoff of the block is allowed
            top = float(np.fmax.reduce(sign * self._values(sweep.ends(starts, starts))[1:], initial=top))
            order = np.argsort(-bounds, kind="stable").tolist()
        tops: dict[int, float] = {}
        for block in order:
            if bounds is not None and bounds[block] < top - 4 * self._tolerance(top):
                break
            values = sign * self._block_values(sweep, int(begins[block]))
            tops[block] = float(np.fmax.reduce(values, initial=-math.inf))
            top = max(top, tops[block])
        index, ties = -1, 0
        for block in sorted(block for block, best in tops.items() if best >= top - self._tolerance(top)):
            values = sign * self._block_values(sweep, int(begins[block]))
            shared = values >= top - self._tolerance(top)
            if not ties:
                index = int(begins[block]) + int(np.argmax(shared))
            ties += int(np.count_nonzero(shared))
        return (index, ties) if ties else None

    def _tolerance(self, top: float) -> float:
        """Return how far below the best a value may be by rounding alone."""
        return rounding(top, self.scale)

    def _block_values(self, sweep: Sweep, begin: int) -> NDArray[Any]:
        """Return the objective at the cutoffs of a block, NaN where it is undefined or not allowed."""
        values = self._values(sweep.between(begin, begin + sweep.block))
        if not begin and len(sweep) > 1 and sweep.scores[-1] == math.inf:
            values[0] = math.nan  # rows with a score of infinity are predicted positive by every threshold
        return values

    def _values(self, outcome: Outcome, no_value: float = math.nan) -> NDArray[Any]:
        values = np.array((self.objective or self.formula)(outcome), dtype=np.float64)
        if not math.isnan(no_value):
            values[np.isnan(values)] = no_value * (-1 if self.lowest else 1)
        if self.allowed is not None:
            values[~self.allowed(outcome)] = math.nan
        return values

    def value(self, outcome: Outcome) -> float:
        """Return the measure of one outcome, NaN where it is undefined."""
        return float(self.formula(outcome)[0])
