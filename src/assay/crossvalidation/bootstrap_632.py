"""Bootstrap estimates of performance on unseen data: out of bag, .632 and .632+."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.crossvalidation.fold_intervals import combine_folds
from assay.crossvalidation.fold_losses import no_information_value, row_losses
from assay.crossvalidation.fold_metrics import needs_of
from assay.metrics import Undefined
from assay.resampling.error_estimators import err632, err632plus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.setup import CrossValSetup
    from assay.metrics import Value
    from assay.metrics.spec import MetricSpec

__all__ = ["OutOfBag", "out_of_bag"]

_NO_632PLUS = Undefined(".632+ is for means over rows and for AUC, whose no-information value is known")


class OutOfBag(NamedTuple):
    """The bootstrap estimates of one metric, all on the metric's own scale.

    ``apparent`` is that of a model fitted to all rows, on the same rows. ``out_of_bag`` is that of rows that
    were not drawn: averaged over each row's replicates, then over rows, where the metric is a mean over rows
    (``by_row``), else over replicates. ``no_information`` is the value if predictions and labels were
    independent, ``relative_overfitting`` is 0 for none and 1 for a model that fits noise alone, and
    ``weight`` is that of the out-of-bag value in ``err632plus``.
    """

    apparent: Value
    out_of_bag: Value
    err632: Value
    err632plus: Value
    no_information: Value
    relative_overfitting: Value
    weight: Value
    by_row: bool


def out_of_bag(setup: CrossValSetup, spec: MetricSpec, folds: Sequence[Fold], apparent: Fold) -> OutOfBag:
    """Return the bootstrap estimates of a metric from the replicates and the model fitted to all rows."""
    by_row = spec.metric.is_row_mean and setup.weight is None
    outside = _leave_one_out(setup, spec, folds) if by_row else combine_folds(folds, spec, "averaged")
    inside = apparent.values[spec.name]
    undefined = next((value for value in (outside, inside) if isinstance(value, Undefined)), None)
    if undefined is None and not (math.isfinite(outside) and math.isfinite(inside)):
        undefined = Undefined("one of the values that it combines is infinite")
    if undefined is not None:
        return OutOfBag(inside, outside, undefined, undefined, undefined, undefined, undefined, by_row)
    err632_value = err632(float(inside), float(outside))
    if not (by_row or spec.metric.name == "auc") or apparent.output is None:
        return OutOfBag(
            inside, outside, err632_value, _NO_632PLUS, _NO_632PLUS, _NO_632PLUS, _NO_632PLUS, by_row
        )
    chance = no_information_value(spec, setup.prediction_rows(apparent.output, apparent.test)[needs_of(spec)])
    if isinstance(chance, Undefined) or not math.isfinite(chance):
        why = chance if isinstance(chance, Undefined) else Undefined("its no-information value is infinite")
        return OutOfBag(inside, outside, err632_value, why, chance, why, why, by_row)
    # The formula is for errors: a metric that is best at 1 is subtracted from 1, and so is the result.
    is_score = spec.metric.best == 1
    errors = [1 - float(value) if is_score else float(value) for value in (inside, outside, chance)]
    plus = err632plus(*errors)
    value = 1 - plus.value if is_score else plus.value
    return OutOfBag(
        inside, outside, err632_value, value, chance, plus.relative_overfitting, plus.weight, by_row
    )


def _leave_one_out(setup: CrossValSetup, spec: MetricSpec, folds: Sequence[Fold]) -> Value:
    """Return the leave-one-out bootstrap: the mean over rows of their means over replicates without them."""
    sums, counts = np.zeros(setup.n), np.zeros(setup.n, dtype=np.int64)
    for fold in folds:
        if fold.output is not None and fold.n_test:
            rows = setup.prediction_rows(fold.output, fold.test)[needs_of(spec)]
            sums[fold.test] += row_losses(spec, rows)
            counts[fold.test] += 1
    tested = counts > 0
    if not tested.any():
        return Undefined("no row was ever left out of the bag")
    means = sums[tested] / counts[tested]
    return math.fsum(means) / len(means) if np.isfinite(means).all() else float(means.mean())
