"""The interval of cross-validated areas by influence curves: LeDell, Petersen and van der Laan 2015."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, SplitError
from assay.inference.formulas.cross_validated_auc import cross_validated_auc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.fold_metrics import Figure
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inference.estimate import Estimate
    from assay.inputs import Rows

__all__ = ["has_influence_curve", "influence_interval", "refuse_influence_curves"]


def has_influence_curve(figure: Figure) -> bool:
    """Tell whether a figure is the area under the ROC curve of two classes, or Gini's index of it."""
    return figure.metric.name in ("auc", "gini") and not figure.options.get("average")


def refuse_influence_curves(plan: CrossValSetup, tests: Sequence[Any]) -> None:
    """Raise where there can be no interval by influence curves: no area, one fold, or rows tested twice."""
    if not any(map(has_influence_curve, plan.figures)):
        raise MetricError(
            'interval="ledell" is for the area under the ROC curve of two classes: ask for metrics="auc".'
        )
    if len(tests) < 2:  # noqa: PLR2004
        raise SplitError('interval="ledell" is for cross-validation, not for a single split.')
    rows = np.concatenate(tests)
    if len(np.unique(rows)) < len(rows):
        raise SplitError(
            'interval="ledell" takes every row for tested once: leave repeats and the bootstrap out.'
        )


def influence_interval(figure: Figure, rows: Rows, fold: Any, *, confidence: float) -> Estimate:
    """Return the mean of the folds' areas with its interval, or of Gini's indices."""
    found = cross_validated_auc(rows, fold, confidence=confidence)
    if figure.metric.name == "auc" or not found.defined:
        return found
    if found.low is None or found.high is None or found.standard_error is None:
        return dataclasses.replace(found, value=2 * float(found) - 1)
    return dataclasses.replace(
        found,
        value=2 * float(found) - 1,
        low=2 * found.low - 1,
        high=2 * found.high - 1,
        standard_error=2 * found.standard_error,
    )
