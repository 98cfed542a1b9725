"""The bootstrap's estimates of what is to come: out of bag, .632 and .632+, on a figure's own scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.crossvalidation.fold_intervals import combined
from assay.crossvalidation.fold_losses import losses, no_information
from assay.metrics import Undefined
from assay.resampling.error_estimators import err632, err632plus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.fold_metrics import Figure
    from assay.crossvalidation.setup import CrossValSetup
    from assay.metrics import Value

__all__ = ["OutOfBag", "out_of_bag"]

_NO_PLUS = Undefined(".632+ is for losses of rows and for areas, whose value without information is known")


class OutOfBag(NamedTuple):
    """What a bootstrap says of one figure, all on that figure's own scale.

    ``apparent`` is that of the model of all rows on the same rows, ``out_of_bag`` that of rows that were
    not drawn, averaged over each row's replicates and then over rows where the figure is a mean of rows
    (``by_row``), else over replicates. ``no_information`` is what the figure would be by chance,
    ``relative_overfitting`` from 0 to 1 how far the model fits chance, ``weight`` that of the
    out-of-bag figure in ``err632plus``.
    """

    apparent: Value
    out_of_bag: Value
    err632: Value
    err632plus: Value
    no_information: Value
    relative_overfitting: Value
    weight: Value
    by_row: bool


def out_of_bag(plan: CrossValSetup, figure: Figure, folds: Sequence[Fold], apparent: Fold) -> OutOfBag:
    """Return the three estimates of a figure from a bootstrap's folds and the model of all rows."""
    by_row = figure.is_mean and plan.weight is None
    outside = _by_row(plan, figure, folds) if by_row else combined(folds, figure, "averaged")
    inside = apparent.values[figure.name]
    undefined = next((value for value in (outside, inside) if isinstance(value, Undefined)), None)
    if undefined is None and not (math.isfinite(outside) and math.isfinite(inside)):
        undefined = Undefined("a figure that it weighs is infinite")
    if undefined is not None:
        return OutOfBag(inside, outside, undefined, undefined, undefined, undefined, undefined, by_row)
    plain = err632(float(inside), float(outside))
    if not (by_row or figure.metric.name == "auc") or apparent.answers is None:
        return OutOfBag(inside, outside, plain, _NO_PLUS, _NO_PLUS, _NO_PLUS, _NO_PLUS, by_row)
    chance = no_information(figure, plan.judged(apparent.answers, apparent.test)[figure.needs])
    if isinstance(chance, Undefined) or not math.isfinite(chance):
        why = chance if isinstance(chance, Undefined) else Undefined("by chance it would be infinite")
        return OutOfBag(inside, outside, plain, why, chance, why, why, by_row)
    # The formula is for errors: a figure that is best at 1 is turned round, and the result turned back.
    turned = figure.metric.best == 1
    errors = [1 - float(one) if turned else float(one) for one in (inside, outside, chance)]
    plus = err632plus(*errors)
    value = 1 - plus.value if turned else plus.value
    return OutOfBag(inside, outside, plain, value, chance, plus.relative_overfitting, plus.weight, by_row)


def _by_row(plan: CrossValSetup, figure: Figure, folds: Sequence[Fold]) -> Value:
    """Return the leave-one-out bootstrap: the mean over rows of their means over replicates without them."""
    sums, times = np.zeros(plan.n), np.zeros(plan.n, dtype=np.int64)
    for fold in folds:
        if fold.answers is not None and fold.n_test:
            sums[fold.test] += losses(figure, plan.judged(fold.answers, fold.test)[figure.needs])
            times[fold.test] += 1
    known = times > 0
    if not known.any():
        return Undefined("no row was ever left out of the bag")
    means = sums[known] / times[known]
    return math.fsum(means) / len(means) if np.isfinite(means).all() else float(means.mean())
