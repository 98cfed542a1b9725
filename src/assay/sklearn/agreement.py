"""Agreement beyond chance: Cohen's kappa and Matthews' correlation."""

from __future__ import annotations

import math
import numbers
from typing import Any

from assay.metrics import kappa, mcc, weighted_kappa
from assay.sklearn.classification import square
from assay.sklearn.label_targets import one_label_per_row
from assay.sklearn.parameter_checks import ARRAY, NAN, NONE, OPTIONAL_ARRAY, interval, text_among, validated
from assay.sklearn.undefined_warnings import warn_undefined

__all__ = ["cohen_kappa_score", "matthews_corrcoef"]


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY)
def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the correlation of prediction and truth, 0 where there is none to speak of.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.

    Returns
    -------
    float
        The coefficient.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1]), 12)
    -0.333333333333
    """
    value = float(mcc.formula(square(one_label_per_row(y_true, y_pred, sample_weight)).classes()))
    return 0.0 if math.isnan(value) else value


@validated(
    y1=ARRAY, y2=ARRAY, labels=OPTIONAL_ARRAY, weights=text_among("linear", "quadratic") + NONE,
    sample_weight=OPTIONAL_ARRAY,
    replace_undefined_by=interval(numbers.Real, -1.0, 1.0, closed="both") + NAN,
)  # fmt: skip
def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Return the agreement of two raters beyond chance. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y1, y2
        The labels that each rater gave.
    labels
        The labels to take, in order; by default those that occur.
    weights
        None, ``"linear"`` or ``"quadratic"``.
    sample_weight
        How much each row counts.
    replace_undefined_by
        What stands where there is no value.

    Returns
    -------
    float
        Kappa.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(cohen_kappa_score(["no", "no", "yes", "no"], ["no", "yes", "yes", "no"]), 12)
    0.5
    """
    pairs = square(
        one_label_per_row(y1, y2, sample_weight), labels,
        "At least one label in `labels` must be present in `y1` (even though `cohen_kappa_score` is "
        "otherwise agnostic to the order of `y1` and `y2`).",
    )  # fmt: skip
    classes = pairs.classes()
    value = kappa.formula(classes) if weights is None else weighted_kappa.formula(classes, weights=weights)
    if not math.isnan(value):
        return float(value)
    why = (
        "`y1`, `y2` and `labels` have only one label in common. "
        if pairs.n
        else "`y2` contains no labels that are present in both `y1` and `labels`."
    )
    warn_undefined(
        f"{why}`cohen_kappa_score` is undefined and set to the value defined by the `replace_undefined_by` "
        f"param, which is set to {replace_undefined_by}."
    )
    return replace_undefined_by
