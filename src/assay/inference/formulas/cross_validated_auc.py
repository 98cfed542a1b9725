"""The interval of a cross-validated area under the ROC curve, from influence curves fold by fold.

LeDell, Petersen and van der Laan 2015 (Electronic Journal of Statistics 9), R's cvAUC. It needs no more fits
than the cross-validation itself. It is the interval of the mean area, on unseen rows, of the models that the
folds fitted; it does not include that other training rows would have led to other models, so that it is
narrower than the corrected resampled t.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import LengthError
from assay.formatting.numbers import count_of
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.formulas.delong import placements
from assay.inference.formulas.proportions import check_confidence, normal_quantile
from assay.inputs import column, encode
from assay.metrics import Undefined
from assay.tallies import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows

__all__ = ["cross_validated_auc"]

METHOD = "influence curves"


def cross_validated_auc(rows: Rows, fold: Any, *, confidence: float = 0.95) -> Estimate:
    """Return the mean of the folds' areas with LeDell, Petersen and van der Laan's interval.

    Parameters
    ----------
    rows
        Actual labels of two classes and the scores that each row got from the model that had not seen it.
        Rows with ``group=`` are clustered: a group's influences are added up first, and Student's t takes as
        many degrees of freedom as there are groups less one. ``weight=`` counts, too.
    fold
        Which fold each row was tested in: a column of as many values. Each row is tested once.
    confidence
        Of the interval.

    Returns
    -------
    Estimate
        The mean area with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or no fold has rows of both classes.
    LengthError
        `fold` has not one value per row.

    Notes
    -----
    A positive row's influence is n / positives times its share of the fold's negatives passed, less the
    fold's area; a negative's likewise. The variance is the mean over folds of the mean squared influence,
    over n. Ties count half, where cvAUC counts them whole on both sides.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1, 1, 0, 1, 0, 0, 1], score=[1, 4, 3, 2, 5, 2, 6, 3, 5, 4])
    >>> cross_validated_auc(rows, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    0.8333 [0.572, 1]
    """
    check_confidence(confidence)
    folds, names = encode(column(fold, "fold"))
    if len(folds) != len(rows):
        raise LengthError(f"fold has {count_of(len(folds), 'value')} for {count_of(len(rows), 'row')}.")
    positive, score, weight = _columns(rows)
    n = len(positive)
    whole = float(weight.sum())
    share = float(weight @ positive) / whole if whole else 0.0
    if not 0 < share < 1:
        missing = "negatives" if share else "positives"
        return Estimate(Undefined(f"there are no {missing}"), None, None, confidence, "", n)
    areas, parts = [], np.zeros(n)
    for number, name in enumerate(names):
        tested = np.flatnonzero(folds == number)
        is_positive, weights = positive[tested], weight[tested]
        if not 0 < float(weights @ is_positive) < float(weights.sum()):
            reason = f"fold {name} has rows of one class only, so that it has no area"
            return Estimate(Undefined(reason), None, None, confidence, "", n)
        ranked = placements(score[tested], weights * is_positive, weights * (1 - is_positive))
        passed = np.where(is_positive == 1, ranked.of_positives / share, ranked.of_negatives / (1 - share))
        influence = passed - ranked.value * np.where(is_positive == 1, 1 / share, 1 / (1 - share))
        parts[tested] = weights * influence / math.sqrt(len(names) * float(weights.sum()) * whole)
        areas.append(ranked.value)
    value = math.fsum(areas) / len(areas)
    return _interval(value, parts, rows, confidence)


def _interval(value: float, parts: NDArray[np.float64], rows: Rows, confidence: float) -> Estimate:
    """Return the estimate from each row's influence: the sum of their squares is the variance."""
    n, sizes, quantile = len(parts), {}, normal_quantile(confidence)
    if rows.group is not None:
        codes, labels = encode(rows.group)
        parts = np.bincount(codes, weights=parts, minlength=len(labels)).astype(np.float64)
        sizes = {"groups": len(labels)}
        if len(labels) < 2:  # noqa: PLR2004
            return Estimate(value, None, None, confidence, "", n, "one group shows no spread", **sizes)
        parts = parts * math.sqrt(len(labels) / (len(labels) - 1))
        quantile = student_quantile(confidence, len(labels) - 1)
    error = math.sqrt(float(parts @ parts))
    if not error > 0:
        note = "every fold separates the classes without an error: the rows show no spread"
        return Estimate(value, None, None, confidence, "", n, note, **sizes)
    low, high = max(value - quantile * error, 0.0), min(value + quantile * error, 1.0)
    return Estimate(value, low, high, confidence, METHOD, n, "", error, **sizes)


def _columns(rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return 1 for the rows of the positive class, their scores and their weights."""
    tally = Scores.of(rows)
    codes, labels = encode(rows.need("actual", "a cross-validated area"))
    positive = np.array([label == tally.positive for label in labels], dtype=np.float64)[codes]
    score = np.asarray(rows.need("score", "a cross-validated area").numbers("scores"), dtype=np.float64)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values.astype(np.float64)
    return positive, score, weight
