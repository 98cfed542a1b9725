"""Influence functions: the change of a metric by one more row of each kind (infinitesimal jackknife).

All standard errors come from them. Squared and added up, the influences are the variance; added within groups
first, the variance of clustered rows; squared with their weights, the sandwich; those of two models on the
same rows subtracted, the variance of their difference; cubed, the skewness that BCa corrects for.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from assay.inference.formulas.delta import acceleration, kish
from assay.tallies import ColumnTallies, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric

    # Both return None where the metric has no influence in closed form. The last argument of RowInfluence is
    # the rows' tally where the caller has it: with many classes, counting again takes longer than the slopes.
    TallyInfluence: TypeAlias = Callable[[Metric, Any, dict[str, Any]], "Influence | None"]
    RowInfluence: TypeAlias = Callable[[Metric, Rows, dict[str, Any], Tally | None], "Influence | None"]
    Registered = TypeVar("Registered", bound=Callable[..., Any])

__all__ = ["Influence", "influence", "power_of_two", "rescaled", "row_influence", "tally_influence"]

# Largest weight of rows, and one over it: sums of cubes of weights beyond either overflow or underflow.
_MIN_LARGEST_WEIGHT = 2.0**-160
# Functions that compute influences, by the view that a metric reads; those of tallies may also be registered
# by the type of the tally, which comes first; those of rows of several labels or outputs are registered by
# ColumnTallies, whatever the view. Filled by the modules that this package's __init__ imports.
_TALLY_INFLUENCES: dict[type, TallyInfluence] = {}
_ROW_INFLUENCES: dict[type, RowInfluence] = {}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Influence:
    """A metric's value and, unit by unit, its derivative by the weight of the unit.

    A unit is a row, or an entry that stands for identical rows: a cell of a table, a score of a tally.
    ``mass``, ``squares`` and ``cubes`` are the sums over a unit's rows of their weights, of the weights
    squared and cubed; without weights all three are the number of rows. Slopes times mass add up to 0.

    >>> rows = Influence(0.75, np.array([0.0625, -0.1875]), np.array([3.0, 1.0]))
    >>> rows.variance, round(rows.acceleration, 6)
    (0.046875, -0.096225)
    """

    value: float
    slopes: NDArray[np.float64]
    mass: NDArray[np.float64]
    squares: NDArray[np.float64] | None = None
    cubes: NDArray[np.float64] | None = None

    @classmethod
    def of_rows(cls, value: float, slopes: NDArray[Any], weight: NDArray[Any] | None = None) -> Influence:
        """Return the influence of rows, one unit each."""
        if weight is None:
            return cls(value, slopes, np.ones(len(slopes)))
        return cls(value, slopes, weight, weight**2, weight**3)

    @property
    def variance(self) -> float:
        """The infinitesimal jackknife's variance: slopes squared times squared weights (Jaeckel 1972)."""
        size, scaled, second = self._scaled
        return size * (size * _sum_of_products(second, np.square(scaled)))

    @property
    def standard_error(self) -> float:
        """The root of the variance."""
        size, scaled, second = self._scaled
        return size * math.sqrt(_sum_of_products(second, np.square(scaled)))

    @functools.cached_property
    def _scaled(self) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """A power of two, the slopes divided by it so that their powers do not underflow, and the squares."""
        scale = power_of_two(float(np.abs(self.slopes).max(initial=0.0)))
        second = self.mass if self.squares is None else self.squares
        return scale, (self.slopes / scale).reshape(-1), second.reshape(-1)

    @property
    def acceleration(self) -> float:
        """The skewness that BCa corrects for; NaN where there is no spread."""
        squares = self.mass if self.squares is None else self.squares
        return acceleration(self.slopes, squares, self.cubes)

    @functools.cached_property
    def freedom(self) -> float:
        """The degrees of freedom of the variance, by the influences' kurtosis (Satterthwaite 1946).

        As many as rows where the influences are normal, fewer where a few rows make up the variance.
        """
        _, scaled, second = self._scaled
        if not scaled.any():
            return math.inf
        # The rows of a unit have one weight, so that its fourth powers follow from the others.
        fourth = second
        if self.cubes is not None:
            cubes = self.cubes.reshape(-1)
            fourth = np.divide(cubes**2, second, out=np.zeros_like(second), where=second > 0)
        squared = np.square(scaled)
        share = (
            _sum_of_products(fourth, np.square(squared)) / _sum_of_products(second, squared) ** 2
            - 1 / self.effective_sample_size
        )
        return 2 / share if share > 0 else math.inf

    @property
    def effective_sample_size(self) -> float:
        """The effective sample size of the weighted rows (Kish 1965)."""
        squares = self.mass if self.squares is None else self.squares
        return kish(float(self.mass.sum()), float(squares.sum()))

    @property
    def parts(self) -> NDArray[np.float64]:
        """The contribution of each unit: its slope times its mass."""
        return self.slopes * self.mass

    def minus(self, other: Influence) -> Influence:
        """Return the influence on the difference of two metrics of the same units."""
        return dataclasses.replace(self, value=self.value - other.value, slopes=self.slopes - other.slopes)


def _sum_of_products(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the sum of products, not by BLAS: its threads cost more than they save, and change the bits."""
    return float((left * right).sum())


def power_of_two(largest: float) -> float:
    """Return a power of two near a number, by which others can be divided without rounding; of 0 it is 1.

    >>> power_of_two(5e-200) <= 5e-200 < 2 * power_of_two(5e-200), power_of_two(0.0)
    (True, 1.0)
    """
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0


def rescaled(rows: Any) -> Any:
    """Rescale extreme weights by a power of two, so that their cubes neither overflow nor underflow.

    That changes no standard error. Tallies are returned as they are.
    """
    if rows is None or isinstance(rows, Tally) or rows.weight is None or not len(rows):
        return rows
    column = rows.weight
    largest = float(column.values.max())
    if _MIN_LARGEST_WEIGHT <= largest <= 1 / _MIN_LARGEST_WEIGHT:
        return rows
    # No row is dropped, however small its weight beside the others.
    weights = np.maximum(np.ldexp(column.values, -math.frexp(largest)[1]), np.finfo(np.float64).tiny)
    return dataclasses.replace(rows, weight=dataclasses.replace(column, values=weights))


def tally_influence(*keys: type) -> Callable[[Registered], Registered]:
    """Register a function that computes influences from tallies, for some views or types of tally."""
    return functools.partial(_register, _TALLY_INFLUENCES, keys)


def row_influence(*views: type) -> Callable[[Registered], Registered]:
    """Register a function that computes the influence of every row on metrics of some views."""
    return functools.partial(_register, _ROW_INFLUENCES, views)


def _register(registry: dict[type, Any], keys: tuple[type, ...], function: Registered) -> Registered:
    for key in keys:
        if registry.setdefault(key, function) is not function:
            raise ValueError(f"{key.__name__} has an influence already: {registry[key].__module__}.")
    return function


def influence(metric: Metric, data: Any, *, tally: Tally | None = None, **options: Any) -> Influence | None:
    """Return the influence of a tally's entries, or of rows one by one, on a metric.

    None where the metric has none in closed form, and where it has no finite value. `tally` is the one that
    the metric reads of the rows, where the caller has it already; it may count many more rows than these,
    and the influences are then those on the metric of all of its rows.

    >>> import assay
    >>> r = assay.rows(actual=[1, 1, 1, 1, 0], predicted=[1, 1, 1, 0, 0])
    >>> influence(assay.metrics.recall, r).parts
    array([ 0.0625,  0.0625,  0.0625, -0.1875,  0.    ])
    >>> influence(assay.metrics.recall, assay.Confusion.of(r)).variance
    0.046875
    """
    result: Influence | None = None
    if isinstance(data, Tally):
        if options.get("average") == "samples":  # a mean over rows, whose labels a tally does not keep
            return None
        of_tally = _TALLY_INFLUENCES.get(type(data)) or _TALLY_INFLUENCES.get(metric.reads)
        result = None if of_tally is None else of_tally(metric, data, options)
    elif of_rows := _ROW_INFLUENCES.get(ColumnTallies if data.multioutput else metric.reads):
        result = of_rows(metric, data, options, tally)
    if result is None or not math.isfinite(result.value) or not np.isfinite(result.slopes).all():
        return None
    return result
