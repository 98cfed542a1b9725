"""Prediction error on unseen data: the .632 bootstrap and its relatives, and an interval for nested CV."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay.errors import LengthError, MetricError, NumberError
from assay.formatting.numbers import count_of
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import normal_quantile
from assay.inputs import column, rows
from assay.metrics import Undefined, Value
from assay.resampling.split import Split
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = [
    "BootstrapOptimism",
    "Convention",
    "NestedInterval",
    "err632",
    "err632plus",
    "leave_one_out_bootstrap",
    "nested_cv_interval",
    "no_information_rate",
    "no_information_squared_error",
]

Convention: TypeAlias = Literal["1997", "capped", "ipred"]

_DRAWN = 0.632  # as printed, for 1 - 1/e: the chance that a bootstrap draws a row
_NOT_DRAWN = 0.368


class BootstrapOptimism(NamedTuple):
    """The .632+ estimate, how far the model overfits from 0 to 1, and the out-of-bag error's weight."""

    value: float
    relative_overfitting: float
    weight: float


class NestedInterval(NamedTuple):
    """The interval of nested cross-validation and what it is made of."""

    estimate: Estimate
    mse: float
    raw_inflation: float
    inflation: float
    bias: float


def leave_one_out_bootstrap(losses: Any, drawn: Any, *, by: Literal["row", "replicate"] = "row") -> Value:
    """Return the mean loss on rows that were not drawn: over each row's replicates, then over rows.

    `losses` holds a line of losses for each replicate, all rows in it; `drawn` the bootstrap's splits, or
    how often each row was drawn, likewise. Losses of drawn rows are ignored, and so are rows that
    every replicate drew. With ``by="replicate"`` the means of the replicates are averaged, as caret
    does.

    Parameters
    ----------
    losses
        A line of losses per replicate, one per row.
    drawn
        The bootstrap's splits, or how often each row was drawn.
    by
        ``"row"`` or ``"replicate"``: what is averaged first.

    Returns
    -------
    float or Undefined
        The error; undefined where every replicate drew every row.

    Raises
    ------
    MetricError
        `by` is not known.
    LengthError
        Losses and draws do not have the same shape.
    NumberError
        A loss is no finite number.

    Examples
    --------
    >>> leave_one_out_bootstrap([[0, 1, 0], [1, 1, 0]], [[2, 0, 1], [0, 0, 3]])
    1.0
    """
    if by not in ("row", "replicate"):
        raise MetricError(f'by={by!r} is neither "row" nor "replicate".')
    values = np.asarray(losses, dtype=np.float64)
    counts = np.array([item.draws if isinstance(item, Split) else item for item in drawn])
    if values.ndim != 2 or values.shape != counts.shape:  # noqa: PLR2004 - replicates by rows
        raise LengthError(
            f"losses have shape {values.shape} and drawn {counts.shape}: both have a line per replicate "
            "with a value per row."
        )
    out = counts == 0
    if not np.isfinite(values[out]).all():
        raise NumberError("losses holds a loss that is no finite number where the row was not drawn.")
    axis = 0 if by == "row" else 1
    times = out.sum(axis=axis)
    if not times.any():
        return Undefined("no row was ever left out of the bag")
    sums = np.where(out, values, 0.0).sum(axis=axis)
    means = sums[times > 0] / times[times > 0]
    return math.fsum(means) / len(means)


def no_information_rate(actual: Any, predicted: Any) -> float:
    """Return the expected error rate if the same predictions were assigned to the rows at random.

    ``sum of p (1 - q)`` over classes of actual share p and predicted share q.

    Parameters
    ----------
    actual, predicted
        Labels, one per row.

    Returns
    -------
    float
        An error rate.

    Raises
    ------
    LengthError
        The columns have different numbers of rows.

    Examples
    --------
    >>> no_information_rate(["a"] * 6 + ["b"] * 4, ["a"] * 7 + ["b"] * 3)
    0.46
    """
    table = Confusion.of(rows(actual=actual, predicted=predicted)).table()
    n = int(table.sum())
    if n == 0:
        raise LengthError("there are no rows.")
    met = sum(int(p) * int(q) for p, q in zip(table.sum(axis=1), table.sum(axis=0), strict=True))
    return float(1 - Fraction(met, n * n))


def no_information_squared_error(actual: Any, predicted: Any) -> float:
    """Return the mean squared error over every pair of a row and another's prediction.

    Parameters
    ----------
    actual, predicted
        Numbers, one per row.

    Returns
    -------
    float
        A mean squared error.

    Raises
    ------
    LengthError
        The columns have different numbers of rows.

    Examples
    --------
    >>> no_information_squared_error([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    1.3333333333333333
    """
    y, f = (_finite(values, name) for values, name in ((actual, "actual"), (predicted, "predicted")))
    if len(y) != len(f) or not len(y):
        raise LengthError(
            f"actual has {count_of(len(y), 'value')}, predicted has {len(f):,}: "
            "as many are needed, at least one."
        )
    means = [math.fsum(values) / len(values) for values in (y, f)]
    spreads = [
        math.fsum((values - mean) ** 2) / len(values) for values, mean in zip((y, f), means, strict=True)
    ]
    return sum(spreads) + (means[0] - means[1]) ** 2


def err632(apparent: float, out_of_bag: float, *, weight: float = _DRAWN) -> float:
    """Return ``0.632 out_of_bag + 0.368 apparent`` (Efron 1983).

    Rows that were not drawn are harder than new ones, since the model was trained on fewer. Where a model can
    memorise its rows, the apparent error is near 0 and this is too low: take :func:`err632plus`.
    caret's weight is ``1 - exp(-1)``, unrounded.

    Parameters
    ----------
    apparent
        The error on the rows that the model was trained on.
    out_of_bag
        The error on rows that were not drawn.
    weight
        The weight of the latter.

    Returns
    -------
    float
        The estimated error.

    Raises
    ------
    MetricError
        A number is negative or not finite.

    Examples
    --------
    >>> round(err632(apparent=0.08, out_of_bag=0.22), 5)
    0.16848
    """
    _check(apparent=apparent, out_of_bag=out_of_bag, weight=weight)
    return weight * out_of_bag + (1 - weight) * apparent


def err632plus(
    apparent: float, out_of_bag: float, no_information: float, *, convention: Convention = "1997"
) -> BootstrapOptimism:
    """Return the .632+ estimate, which weights out-of-bag rows more the more a model overfits.

    Efron and Tibshirani 1997. `no_information` is the error without information:
    :func:`no_information_rate`, or 0.5 for an error of ``1 - auc``. Conventions differ only where the
    out-of-bag error is worse than that: "1997" (equation 32) caps it in the overfitting rate and in the
    correction, "capped" everywhere, so that the estimate is never above `no_information`, and "ipred" not
    in the rate, which may then exceed 1.

    Parameters
    ----------
    apparent
        The error on the rows that the model was trained on.
    out_of_bag
        The error on rows that were not drawn.
    no_information
        The error without information.
    convention
        ``"1997"``, ``"capped"`` or ``"ipred"``.

    Returns
    -------
    BootstrapOptimism
        The estimate, its weight and the relative overfitting rate.

    Raises
    ------
    MetricError
        A number is negative or not finite; or `convention` is not known.

    Examples
    --------
    >>> plus = err632plus(apparent=0.08, out_of_bag=0.22, no_information=0.46)
    >>> round(plus.value, 6), round(plus.relative_overfitting, 6), round(plus.weight, 6)
    (0.182358, 0.368421, 0.731125)
    """
    _check(apparent=apparent, out_of_bag=out_of_bag, no_information=no_information)
    if convention not in ("1997", "capped", "ipred"):
        raise MetricError(f'convention={convention!r} is none of "1997", "capped" and "ipred".')
    capped = min(out_of_bag, no_information)
    rate = 0.0
    if out_of_bag > apparent and no_information > apparent:
        rate = ((out_of_bag if convention == "ipred" else capped) - apparent) / (no_information - apparent)
    weight = _DRAWN / (1 - _NOT_DRAWN * rate)
    plain = err632(apparent, capped if convention == "capped" else out_of_bag)
    # (weight - 0.632) times the distance is equation 32's correction, .632 .368 R / (1 - .368 R).
    return BootstrapOptimism(plain + (weight - _DRAWN) * (capped - apparent), rate, weight)


def nested_cv_interval(
    differences: Any,
    variances: Any,
    *,
    folds: int,
    nested_error: float,
    cv_error: float,
    spread: float,
    n: int,
    exponent: float = 1.5,
    confidence: float = 0.95,
) -> NestedInterval:
    """Return an interval for the error of cross-validation with correct coverage.

    Bates, Hastie and Tibshirani 2021. For every fold of every random split: `differences` are the mean loss
    of the inner cross-validation less that on the fold, `variances` the variance of the losses on the fold
    over its size. `nested_error` is the mean of the inner losses, `cv_error` that of plain
    cross-validation, `spread` the standard deviation of all `n` held-out losses. The standard error lies
    between the naive one and sqrt(folds) times it. `exponent` belongs to the correction of bias: 1.5 in the
    authors' package, 1 in the paper.

    Parameters
    ----------
    differences, variances
        One of each for every fold of every random split.
    folds
        How many folds there are.
    nested_error, cv_error
        The mean of the inner losses, and the plain estimate.
    spread, n
        The standard deviation of the held-out losses, and their number.
    exponent
        1.5 as in the authors' package, or 1 as in the paper.
    confidence
        The confidence level of the interval.

    Returns
    -------
    NestedInterval
        The corrected estimate with its interval, and the standard errors.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or there are fewer than two folds; or a number is negative
        or not finite.
    LengthError
        There are not as many differences as variances.

    Examples
    --------
    >>> nested_cv_interval(
    ...     [0.02, -0.03, 0.01, 0.04, -0.025], [0.0004, 0.0005, 0.0003, 0.0006, 0.0004],
    ...     folds=5, nested_error=0.245, cv_error=0.24, spread=0.43, n=200,
    ... ).estimate
    0.2377 [0.1781, 0.2973]
    """
    a, b = _finite(differences, "differences"), _finite(variances, "variances")
    if len(a) != len(b) or not len(a):
        raise LengthError(
            f"there are {len(a)} differences and {len(b)} variances: as many are needed, at least one."
        )
    _check(nested_error=nested_error, cv_error=cv_error, spread=spread)
    if folds < 2 or n < folds or spread < 0:  # noqa: PLR2004
        raise MetricError(
            f"folds={folds}, n={n}, spread={spread}: at least 2 folds, as many rows, and no negative spread."
        )
    mse = max(0.0, math.fsum(a**2) / len(a) - math.fsum(b) / len(b))
    naive = spread / math.sqrt(n)
    bias = (1 + ((folds - 2) / folds) ** exponent) * (nested_error - cv_error)
    value, method = nested_error - bias, "nested cross-validation"
    if not naive:
        note = "all losses are the same"
        return NestedInterval(Estimate(value, None, None, confidence, method, n, note), mse, 1.0, 1.0, bias)
    raw = math.sqrt((folds - 1) / folds * mse) / naive
    inflation = min(max(raw, 1.0), math.sqrt(folds))
    error = inflation * naive
    half_width = normal_quantile(confidence) * error
    estimate = Estimate(
        value, value - half_width, value + half_width, confidence, method, n, standard_error=error
    )
    return NestedInterval(estimate, mse, raw, inflation, bias)


def _check(**values: float) -> None:
    for name, value in values.items():
        if not math.isfinite(value):
            raise NumberError(f"{name} is {value!r}, where a finite number is needed.")


def _finite(values: Any, name: str) -> Array:
    numbers = column(values, name).numbers("numbers").astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise NumberError(
            f"{name} holds {numbers[row]} (row {row:,}, counting from 0), where a finite number is needed."
        )
    return numbers
