"""Intervals of cross-validated metrics that allow for folds trained on overlapping rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from assay.crossvalidation.fit_folds import pooled_tally
from assay.crossvalidation.fold_metrics import needs_of
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.hypothesis_tests.corrected_resampled import corrected_t
from assay.inference.intervals.choose_interval import estimate, estimate_tally
from assay.metrics import Undefined
from assay.metrics.spec import read_values
from assay.tallies import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.fold_metrics import Combination
    from assay.crossvalidation.setup import CrossValSetup
    from assay.metrics import Value
    from assay.metrics.spec import MetricSpec

__all__ = ["Correction", "clip_limits", "combine_folds", "estimate_folds", "estimate_groups"]

Correction: TypeAlias = Literal["corrected", "naive"]
_METHODS = {"corrected": "corrected resampled t", "naive": "plain t over folds (optimistic)"}
_TWO = 2  # values that a standard deviation needs


def combine_folds(folds: Sequence[Fold], spec: MetricSpec, combination: Combination) -> Value:
    """Return a metric over all folds: from their merged tallies, or the mean of their values.

    Folds without a value are left out of a mean; where no fold has one, the reason is the first fold's.
    """
    if combination == "pooled":
        tally = pooled_tally(folds, spec.tally_key)
        if tally is not None:
            return read_values([(spec, tally)])[0]
    values = _defined_values(folds, spec)
    if not values:
        first = folds[0].values[spec.name]
        assert isinstance(first, Undefined)  # noqa: S101
        return first
    return _mean(values)


def estimate_folds(
    folds: Sequence[Fold],
    spec: MetricSpec,
    combination: Combination,
    *,
    correction: Correction = "corrected",
    confidence: float = 0.95,
) -> Estimate:
    """Return a metric over all folds with an interval from the spread of the folds' values.

    "corrected" widens the standard error of the mean by how much training rows overlap (Nadeau and Bengio
    2003); "naive" takes folds for independent, which they are not. A single fold has the interval of its
    test rows: it is about this one model, not about others trained in the same way.
    """
    value = combine_folds(folds, spec, combination)
    values = _defined_values(folds, spec)
    used = [fold for fold in folds if _is_used(fold, spec, combination)]
    n = sum(fold.n_test for fold in used)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, "", n)
    if len(folds) == 1:
        return _estimate_one_fold(folds[0], spec, confidence)
    notes = [] if len(used) == len(folds) else [f"over {len(used):,} of {len(folds):,} folds"]
    if _TWO <= len(values) < len(used):
        notes.append(f"the interval is of the {len(values):,} folds that have a value of their own")
    if reason := _no_spread(folds, spec, values):
        return Estimate(value, None, None, confidence, "", n, "; ".join([*notes, reason]))
    standard_error = _standard_error(values, folds, correction)
    if not standard_error:
        notes.append("all folds have the same value")
        return Estimate(value, None, None, confidence, "", n, "; ".join(notes))
    half_width = student_quantile(confidence, len(values) - 1) * standard_error
    low, high = clip_limits(spec, value, half_width)
    return Estimate(value, low, high, confidence, _METHODS[correction], n, "; ".join(notes), standard_error)


def _defined_values(folds: Sequence[Fold], spec: MetricSpec) -> list[float]:
    values = (fold.values[spec.name] for fold in folds)
    return [value for value in values if not isinstance(value, Undefined)]


def _no_spread(folds: Sequence[Fold], spec: MetricSpec, values: Sequence[float]) -> str:
    """Return why the folds' values give no interval; empty where they do."""
    if all(fold.n_test == 1 for fold in folds) and not spec.metric.is_row_mean:
        return f"the {spec.name} of one row says nothing about that of many, so there is no interval"
    if len(values) < _TWO:
        return "only one fold has a value" if values else "no fold has a value of its own"
    return "" if all(map(math.isfinite, values)) else "a fold's value is infinite"


def _is_used(fold: Fold, spec: MetricSpec, combination: Combination) -> bool:
    """Tell whether a fold is part of the estimate: by its tally where folds are pooled, or by its value."""
    if combination == "pooled":
        return isinstance(fold.tallies.get(spec.tally_key), Tally)
    return not isinstance(fold.values[spec.name], Undefined)


def clip_limits(spec: MetricSpec, value: float, half_width: float) -> tuple[float, float]:
    """Return the limits at a distance from a value, within the metric's bounds."""
    lowest, highest = spec.metric.bounds
    return max(value - half_width, min(lowest, value)), min(value + half_width, max(highest, value))


def _standard_error(values: list[float], folds: Sequence[Fold], correction: Correction) -> float:
    if correction == "naive":
        return float(np.std(values, ddof=1)) / math.sqrt(len(values))
    n_test = math.fsum(fold.n_test for fold in folds)
    n_train = math.fsum(fold.n_distinct for fold in folds)
    return corrected_t(values, n_train, n_test).standard_error or 0.0


def _estimate_one_fold(fold: Fold, spec: MetricSpec, confidence: float) -> Estimate:
    tally: Any = fold.tallies[spec.tally_key]
    assert isinstance(tally, Tally)  # noqa: S101 - it has a value
    return estimate_tally(spec.metric, tally, spec.tally_options, confidence=confidence)


def estimate_groups(setup: CrossValSetup, fold: Fold, spec: MetricSpec, *, confidence: float) -> Estimate:
    """Return a single fold's metric with an interval that takes its groups for the sampling unit."""
    value = fold.values[spec.name]
    if isinstance(value, Undefined) or fold.output is None:
        return Estimate(value, None, None, confidence, "", fold.n_test)
    rows = setup.prediction_rows(fold.output, fold.test)[needs_of(spec)]
    return estimate(spec.metric, rows, confidence=confidence, **spec.options)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else sum(values) / len(values)
