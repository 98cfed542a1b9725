"""Interval of the cross-validated AUC by influence curves: LeDell, Petersen and van der Laan 2015."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, SplitError
from assay.hints import param
from assay.inference.formulas.cross_validated_auc import cross_validated_auc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.setup import CrossValSetup
    from assay.inference.estimate import Estimate
    from assay.inputs import Rows
    from assay.metrics.spec import MetricSpec

__all__ = ["check_influence_curves", "has_influence_curve", "influence_interval"]


def has_influence_curve(spec: MetricSpec) -> bool:
    """Tell whether a metric is the area under the ROC curve of two classes, or the Gini index of it."""
    return spec.metric.name in ("auc", "gini") and not spec.average


def check_influence_curves(setup: CrossValSetup, tests: Sequence[Any]) -> None:
    """Raise where there is no interval by influence curves: no AUC, one fold, or rows tested twice."""
    if not any(map(has_influence_curve, setup.metrics)):
        raise MetricError(
            f"{param('interval', 'ledell')} is for the area under the ROC curve of two classes: pass "
            f"{param('metrics', 'auc')}."
        )
    if len(tests) < 2:  # noqa: PLR2004
        raise SplitError(f"{param('interval', 'ledell')} is for cross-validation, not for a single split.")
    rows = np.concatenate(tests)
    if len(np.unique(rows)) < len(rows):
        raise SplitError(
            f"{param('interval', 'ledell')} needs every row tested once: leave repeats and the bootstrap out."
        )


def influence_interval(spec: MetricSpec, rows: Rows, fold: Any, *, confidence: float) -> Estimate:
    """Return the mean AUC, or Gini index, over folds with its interval."""
    estimate = cross_validated_auc(rows, fold, confidence=confidence)
    if spec.metric.name == "auc" or not estimate.defined:
        return estimate
    if estimate.low is None or estimate.high is None or estimate.standard_error is None:
        return dataclasses.replace(estimate, value=2 * float(estimate) - 1)
    return dataclasses.replace(
        estimate,
        value=2 * float(estimate) - 1,
        low=2 * estimate.low - 1,
        high=2 * estimate.high - 1,
        standard_error=2 * estimate.standard_error,
    )
