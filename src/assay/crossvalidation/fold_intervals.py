"""How sure a validation's figures are, though its folds learn from the same rows and so go together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from assay.crossvalidation.fit_folds import pooled
from assay.errors import AssayError
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.hypothesis_tests.corrected_resampled import corrected_t
from assay.inference.intervals.choose_interval import estimate, estimate_tally
from assay.metrics import Undefined
from assay.tallies import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.fold_metrics import Combination, Figure
    from assay.crossvalidation.setup import CrossValSetup
    from assay.metrics import Value

__all__ = ["Reach", "combined", "estimated", "fold_values", "limited", "of_groups"]

Reach: TypeAlias = Literal["corrected", "naive"]
_METHODS = {"corrected": "corrected resampled t", "naive": "plain t over folds (optimistic)"}


def fold_values(folds: Sequence[Fold], figure: Figure) -> list[Value]:
    """Return a figure's value in every fold."""
    return [fold.values[figure.name] for fold in folds]


def combined(folds: Sequence[Fold], figure: Figure, by: Combination) -> Value:
    """Return a figure of all folds: from their tallies together, or the mean of their values.

    Folds without a value have no say in a mean; where none has one, the first's reason is given.
    """
    if by == "pooled":
        tally = pooled(folds, figure.key)
        if tally is not None:
            try:
                return figure.read(tally)
            except AssayError as error:
                return Undefined(str(error).rstrip("."))
    known = [value for value in fold_values(folds, figure) if not isinstance(value, Undefined)]
    if not known:
        first = folds[0].values[figure.name]
        assert isinstance(first, Undefined)  # noqa: S101
        return first
    return _mean(known)


def estimated(
    folds: Sequence[Fold],
    figure: Figure,
    by: Combination,
    *,
    reach: Reach = "corrected",
    confidence: float = 0.95,
) -> Estimate:
    """Return a figure of all folds with its interval: the value so far away as its folds vary.

    "corrected" widens the spread of the mean by how much the training rows overlap (Nadeau and Bengio
    2003), "naive" takes the folds for independent, which they are not. A single fold has the interval of
    its rows: it is sure of this model, not of others learnt alike.
    """
    value = combined(folds, figure, by)
    known: list[float] = [one for one in fold_values(folds, figure) if not isinstance(one, Undefined)]
    counted = [fold for fold in folds if _counts(fold, figure, by)]
    n = sum(fold.n_test for fold in counted)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, "", n)
    if len(folds) == 1:
        return _of_one(folds[0], figure, confidence)
    notes = [] if len(counted) == len(folds) else [f"over {len(counted):,} of {len(folds):,} folds"]
    if 2 <= len(known) < len(counted):  # noqa: PLR2004
        notes.append(f"only {len(known):,} folds have a value of their own, of which the interval is made")
    method = _METHODS[reach]
    if why := _without_spread(folds, figure, known):
        return Estimate(value, None, None, confidence, "", n, "; ".join([*notes, why]))
    error = _standard_error(known, folds, reach)
    if not error:
        return Estimate(
            value, None, None, confidence, "", n, "; ".join([*notes, "all folds have the same value"])
        )
    width = student_quantile(confidence, len(known) - 1) * error
    low, high = limited(figure, value, width)
    return Estimate(value, low, high, confidence, method, n, "; ".join(notes), error)


def _without_spread(folds: Sequence[Fold], figure: Figure, known: Sequence[float]) -> str:
    """Return why the folds' values say nothing of how sure a figure is; nothing where they do."""
    if all(fold.n_test == 1 for fold in folds) and not figure.is_mean:
        return f"the {figure.name} of one row says nothing of that of many, so that there is no interval"
    if len(known) < 2:  # noqa: PLR2004 - a spread takes two
        return "one fold only has a value" if known else "no fold has a value of its own"
    return "" if all(map(math.isfinite, known)) else "a fold's value is infinite"


def _counts(fold: Fold, figure: Figure, by: Combination) -> bool:
    """Tell whether a fold has a say: by its value, or by its tally where folds are pooled."""
    if by == "pooled":
        return isinstance(fold.tallies.get(figure.key), Tally)
    return not isinstance(fold.values[figure.name], Undefined)


def limited(figure: Figure, value: float, width: float) -> tuple[float, float]:
    """Return limits that lie so far away from a value, but within the metric's bounds."""
    least, largest = figure.metric.bounds
    return max(value - width, min(least, value)), min(value + width, max(largest, value))


def _standard_error(known: list[float], folds: Sequence[Fold], reach: Reach) -> float:
    if reach == "naive":
        return float(np.std(known, ddof=1)) / math.sqrt(len(known))
    tested = math.fsum(fold.n_test for fold in folds)
    trained = math.fsum(fold.n_distinct for fold in folds)
    return corrected_t(known, trained, tested).standard_error or 0.0


def _of_one(fold: Fold, figure: Figure, confidence: float) -> Estimate:
    tally: Any = fold.tallies[figure.key]
    assert isinstance(tally, Tally)  # noqa: S101 - it has a value
    return estimate_tally(figure.metric, tally, figure.reading, confidence=confidence)


def of_groups(plan: CrossValSetup, fold: Fold, figure: Figure, *, confidence: float) -> Estimate:
    """Return a single fold's figure with the interval of its groups, whose rows go together."""
    value = fold.values[figure.name]
    if isinstance(value, Undefined) or fold.answers is None:
        return Estimate(value, None, None, confidence, "", fold.n_test)
    rows = plan.judged(fold.answers, fold.test)[figure.needs]
    return estimate(figure.metric, rows, confidence=confidence, **figure.options)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else sum(values) / len(values)
