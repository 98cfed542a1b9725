"""Krippendorff's alpha (2011): of counts of ratings, and at once of a table of numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import InputError, LengthError
from assay.hints import passed
from assay.inference.formulas.rater_agreement import (
    FEW_ITEMS,
    MAX_CATEGORIES,
    NO_VARIATION,
    Coefficient,
    RatingCounts,
)
from assay.metrics import Undefined
from assay.tallies import Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Value

__all__ = ["alpha_of_counts", "krippendorff_alpha"]

_LEVELS = ("nominal", "ordinal", "interval", "ratio")
_TABLE = 2  # dimensions
_MIN_ITEMS = 2


def krippendorff_alpha(ratings: Any, level: str = "nominal") -> Value:
    """Return Krippendorff's alpha of a table of numbers, NaN where a rating is missing.

    :func:`assay.agreement` has its interval, takes words and data frames, and shows other coefficients beside
    it.

    Parameters
    ----------
    ratings
        A row per item, a column per rater.
    level
        What the numbers are: ``"nominal"``, ``"ordinal"``, ``"interval"`` or ``"ratio"``.

    Returns
    -------
    float or Undefined
        Alpha, or the reason why there is none.

    Raises
    ------
    InputError
        `ratings` are no table of numbers, or `level` is not known.

    Examples
    --------
    >>> ratings = [[1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]]
    >>> round(krippendorff_alpha(ratings), 4), round(krippendorff_alpha(ratings, level="ordinal"), 4)
    (0.6207, 0.5499)
    """
    if level not in _LEVELS:
        raise InputError(
            f'{passed("level", level)} is not known: use "nominal", "ordinal", "interval" or "ratio".'
        )
    table = _table_of(ratings)
    items, raters = table.shape
    by_item = table.flags.c_contiguous
    flat = (table if by_item else table.T).ravel()
    result = kernels.krippendorff_alpha(flat, items, raters, by_item, _LEVELS.index(level))
    if result is None:
        return _by_counts(table, level)
    alpha, twice = result
    if twice < _MIN_ITEMS:
        return FEW_ITEMS
    return NO_VARIATION if math.isnan(alpha) else alpha


def alpha_of_counts(counts: RatingCounts, level: str, numbers: NDArray[np.float64] | None) -> Coefficient:
    """Return alpha with its items' values; `numbers` are the categories' own, None where they are words."""
    if level == "nominal":
        if counts.categories > MAX_CATEGORIES:
            return Coefficient(
                Undefined(f"there are more than {MAX_CATEGORIES} categories: state their level")
            )
        return counts.krippendorff(1 - np.eye(counts.categories))
    if level == "ordinal":
        return counts.krippendorff_squares(counts.mean_ranks())
    if numbers is None:
        return Coefficient(Undefined("the ratings are text: their level is nominal or ordinal"))
    if level == "interval":
        return counts.krippendorff_squares(numbers)
    if (numbers < 0).any():
        return Coefficient(Undefined("a rating is below 0: a ratio needs a true zero"))
    if counts.categories > MAX_CATEGORIES:
        return Coefficient(Undefined(f"there are more than {MAX_CATEGORIES} different ratings"))
    sums = np.add.outer(numbers, numbers)
    return counts.krippendorff(
        np.divide(np.subtract.outer(numbers, numbers), np.where(sums > 0, sums, 1)) ** 2
    )


def _table_of(ratings: Any) -> NDArray[np.float64]:
    try:
        table = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "ratings are a table of numbers, a row per item and a column per rater, NaN where one is "
            "missing. assay.agreement takes words and data frames."
        ) from None
    if table.ndim != _TABLE:
        raise InputError(
            f"ratings are a table, a row per item and a column per rater, not of {table.ndim} dimensions."
        )
    if not table.size:
        raise LengthError("there are no ratings.")
    return table if table.flags.c_contiguous or table.flags.f_contiguous else np.ascontiguousarray(table)


def _by_counts(table: NDArray[np.float64], level: str) -> Value:
    """Return alpha the slow way: of many different numbers, or many raters."""
    if np.isinf(table).any():
        item, rater = np.argwhere(np.isinf(table))[0].tolist()
        raise InputError(f"a rating is infinite (item {item}, rater {rater}): ratings are finite numbers.")
    tally = Ratings.of({f"{rater:09d}": column for rater, column in enumerate(table.T)})
    numbers = np.array(tally.categories, dtype=np.float64)
    return alpha_of_counts(RatingCounts.of(tally), level, numbers).value
