"""Looks at a test set: their number, intervals that hold for all of them, and the optimism of the best."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.hints import hint
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.hypothesis_tests.multiple_testing import adaptive_reach, spent_level
from assay.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.metrics import Metric

__all__ = ["Looks", "LooksMethods", "Overlap", "expected_maximum"]

_MAX_NAMES = 3


@dataclasses.dataclass(frozen=True)
class Overlap:
    """Another test set that shares rows with this one: the share, and the looks at it."""

    test_set: str
    share: float
    looks: int


@dataclasses.dataclass(frozen=True)
class Looks:
    """The looks at a test set so far, and which of them this evaluation is.

    A look is a set of predictions whose metrics were computed on the test set, or on one that shares at
    least half of its rows; the same predictions again are no new look.
    """

    test_set: str
    number: int  # of this look, from 1; where nothing is evaluated, of the next one
    models: tuple[str, ...] = ()  # names of the models of all looks before this one, the first one first
    repeated: bool = False  # whether the same predictions were evaluated on these rows before
    overlaps: tuple[Overlap, ...] = ()
    by_labels: bool = False  # whether rows were told apart by their labels alone
    total: int = 0  # of all looks so far, this one and later ones too

    @property
    def before(self) -> int:
        """The number of looks before this one."""
        return self.number - 1

    @property
    def count(self) -> int:
        """The number of looks so far, of which somebody may pick the best."""
        return max(self.total, self.number)

    def confidence(self, confidence: float) -> float:
        """Return the confidence of this look's intervals at which all looks' intervals hold together.

        >>> Looks("", 3).confidence(0.95)
        0.9958333333333333
        """
        return 1 - spent_level(1 - confidence, self.number)

    def worst_case(self, rows: int, confidence: float = 0.95, answers: int = 2) -> float:
        """Return how far off a mean over rows can be if each model was chosen by the looks before it.

        Each look then told one of so many answers, by default whether the model was better. No interval that
        counts looks alone holds against that (Dwork and others 2015).

        >>> round(Looks("", 11).worst_case(1000), 4)
        0.0729
        """
        return adaptive_reach(rows, self.number, answers, 1 - confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the looks as plain data."""
        data = dataclasses.asdict(self) | {"models": list(self.models), "total": self.count}
        return {**data, "overlaps": [dataclasses.asdict(overlap) for overlap in self.overlaps]}

    def __str__(self) -> str:
        """Return the looks in a line.

        >>> str(Looks("", 3, ("first", "second")))
        'look 3 at this test set, 2 models before (first, second)'
        """
        text = f"look {self.number:,} at this test set"
        if self.before:
            different = list(dict.fromkeys(name for name in self.models if name))
            names = ", ".join(different[:_MAX_NAMES]) + (", ..." if len(different) > _MAX_NAMES else "")
            plural = "s" if self.before > 1 else ""
            text += f", {self.before:,} model{plural} before" + (f" ({names})" if names else "")
        if self.repeated:
            text += "; the same predictions again"
        if self.overlaps:
            shares = ", ".join(f"{overlap.share:.0%}" for overlap in self.overlaps[:_MAX_NAMES])
            text += f"; looks at {len(self.overlaps)} overlapping test sets count ({shares} of rows shared)"
        if self.by_labels:
            text += "; recognized by labels alone, so name the rows by key"
        return text


class LooksMethods:
    """The methods of an evaluation in a ledger that allow for the other looks at its test set."""

    @property
    def _ev(self) -> Any:
        return self

    def for_all_looks(self, metric: MetricSpec | Metric | str, **options: Any) -> Estimate:
        """Return a metric with the interval that holds together with those of all looks at the test set.

        The chance that any of them misses is at most what the confidence leaves: look j is given
        ``1 / (j (j + 1))`` of it, however many looks follow. It presumes that models were not made from the
        results of earlier looks, see docs/explanation/ledgers.md.

        >>> import assay, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with assay.ledger(f"{folder.name}/ledger.db") as book:
        ...     for wrong in (5, 3):
        ...         predicted = [0, 1] * (50 - wrong) + [1, 0] * wrong
        ...         ev = assay.evaluate(actual=[0, 1] * 50, predicted=predicted, key=range(100), ledger=book)
        >>> ev["accuracy"], ev.for_all_looks("accuracy")
        (0.94 [0.8752, 0.9736], 0.94 [0.8444, 0.9826])
        >>> folder.cleanup()
        """
        ev, looks = self._ev, self._known_looks()
        level = looks.confidence(ev.settings.confidence)
        name = (metric, options) if options else metric
        spec = metric if isinstance(metric, MetricSpec) else ev.spec(name)
        estimate: Estimate = ev.estimate_all([spec], confidence=level)[0]
        return estimate

    def selection_optimism(self, metric: MetricSpec | Metric | str) -> float | None:
        """Return by how much the best of all models looked at seems better than it is, on average, at most.

        The standard error times the expected maximum of as many standard normal values: so much if the models
        are equally good and their errors are independent; less if one is truly better, or if they err on
        the same rows. None where there is no interval.
        """
        ev, looks = self._ev, self._known_looks()
        estimate = ev.estimate(metric) if isinstance(metric, MetricSpec) else ev[metric]
        error = estimate.standard_error
        if error is None:
            if estimate.low is None or estimate.high is None:
                return None
            error = (estimate.high - estimate.low) / (2 * normal_quantile(estimate.confidence))
        return float(error * expected_maximum(looks.count))

    def _known_looks(self) -> Looks:
        looks: Looks | None = self._ev.looks
        if looks is None:
            raise InputError(
                "the looks at this test set are not known: evaluate with "
                f"{hint('ledger=True', '--ledger')}, which counts them."
            )
        return looks


@functools.lru_cache(maxsize=256)
def expected_maximum(count: int) -> float:
    """Return the expected maximum of so many independent standard normal values.

    >>> [round(expected_maximum(count), 4) for count in (1, 2, 3, 10, 200)]
    [0.0, 0.5642, 0.8463, 1.5388, 2.746]
    """
    from scipy.special import log_ndtr, ndtr  # noqa: PLC0415 - it takes its time to load

    if count == 1:
        return 0.0
    # E[max] is the integral of 1 - F^k above 0, less that of F^k below.
    at = np.linspace(0, 12, 4801)
    step = at[1]
    above, below = -np.expm1(count * log_ndtr(at)), ndtr(-at) ** count
    inner = above - below
    return float(step * (inner.sum() - (inner[0] + inner[-1]) / 2))
