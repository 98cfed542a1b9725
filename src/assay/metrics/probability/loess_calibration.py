"""Distances of the probabilities from a smooth calibration curve: ICI, E50, E90 and Emax by loess.

By Austin and Steyerberg (2019); the same distances from the isotonic fit have names that begin with
isotonic. They are above 0 for calibrated probabilities too: :func:`calibration_null` computes by how much.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.metrics.arithmetic import ratio, total
from assay.metrics.metric import metric
from assay.metrics.probability.calibration import row_quantile
from assay.metrics.probability.loess import loess
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.probability import Probabilities, one_by_one

if TYPE_CHECKING:
    from numpy.typing import NDArray


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("ici", "eavg", "ici_loess"),
)  # fmt: skip
@one_by_one
def integrated_calibration_index(v: Probabilities, *, span: float = 0.75, degree: int = 2) -> Any:
    """Mean distance of the probabilities from a smooth calibration curve: ``mean |p - loess(p)|``.

    The curve is R's loess(y ~ p) with surface = "direct": the exact local fit, not interpolated. With
    degree=1 and span=2/3 it is the lowess of rms::val.prob, which prints it as Eavg (its window has
    floor(2 n / 3) rows). The fit is not restricted to 0..1, so that a distance may be above 1.
    """
    return ratio(total(v.counts * _distances(v, span, degree)), v.n)


@metric(
    reads=Probabilities, kind="order", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("e50", "e50_loess"),
)  # fmt: skip
@one_by_one
def median_calibration_distance(v: Probabilities, *, span: float = 0.75, degree: int = 2) -> Any:
    """Median distance of the probabilities from a smooth calibration curve.

    ``median |p - loess(p)|``
    """
    return row_quantile(_distances(v, span, degree), v.counts, 1, 2)


@metric(
    reads=Probabilities, kind="order", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("e90", "e90_loess"),
)  # fmt: skip
@one_by_one
def upper_calibration_distance(v: Probabilities, *, span: float = 0.75, degree: int = 2) -> Any:
    """90% quantile of the probabilities' distance from a smooth calibration curve.

    ``90% quantile of |p - loess(p)|``

    The quantile is R's type 2, the mean of two rows where the cut falls between them; val.prob interpolates.
    """
    return row_quantile(_distances(v, span, degree), v.counts, 9, 10)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("emax", "emax_loess"),
)  # fmt: skip
@one_by_one
def largest_calibration_distance(v: Probabilities, *, span: float = 0.75, degree: int = 2) -> Any:
    """Largest distance of a probability from a smooth calibration curve: ``max |p - loess(p)|``."""
    return _distances(v, span, degree).max()


def _distances(view: Probabilities, span: float, degree: int) -> NDArray[Any]:
    return np.asarray(np.abs(view.p - loess(view, span=span, degree=degree)))
