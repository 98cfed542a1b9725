"""The pictures of a regression: residuals, predicted against actual, and how the errors are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import format_value
from assay.inputs.columns import doubles
from assay.plots.regression import inner_limits, means_by_tenths, quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.evaluation.evaluation import Evaluation

__all__ = ["of_numbers", "regression_shapes"]

_BINS = 50
_CELLS = 40  # a side, of clouds of points
_SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)  # quantiles of the errors


def regression_shapes(ev: Evaluation) -> dict[str, Any]:
    """Return the pictures of an evaluation's numbers: of its rows, or of the pairs that its tallies hold."""
    rows = ev.stored_rows
    if rows is None or rows.actual is None or rows.predicted is None or not len(rows):
        return {}
    actual, predicted = (doubles(column.numbers("numbers")) for column in (rows.actual, rows.predicted))
    mass = np.ones(len(rows)) if rows.weight is None else doubles(rows.weight.numbers("weights"))
    return of_numbers(actual, predicted, mass, weighted=rows.weight is not None)


def of_numbers(
    actual: NDArray[Any], predicted: NDArray[Any], mass: NDArray[Any], *, weighted: bool = False
) -> dict[str, Any]:
    """Return the residuals and the predictions as clouds in cells, and the residuals' distribution."""
    left = actual - predicted
    middle, mean = means_by_tenths(predicted, left, mass)
    residual_limits, everything = inner_limits(left), inner_limits(np.concatenate([actual, predicted]))
    inside = (left >= residual_limits[0]) & (left <= residual_limits[1])
    heights, edges = np.histogram(left[inside], _BINS, residual_limits, weights=mass[inside])
    return {
        "weighted": weighted,
        "residuals": {
            **_cloud(predicted, left, mass, inner_limits(predicted), residual_limits, weighted=weighted),
            "trend": [middle.tolist(), mean.tolist()],
        },
        "predicted": _cloud(actual, predicted, mass, everything, everything, weighted=weighted),
        "distribution": {
            "limits": [float(edges[0]), float(edges[-1])],
            "counts": _amounts(heights, weighted=weighted),
            "outside": int(np.count_nonzero(~inside)),
        },
        "quantiles": [
            [f"{100 * share:g}%", format_value(value)]
            for share, value in zip(_SHARES, quantiles(left, mass, _SHARES), strict=True)
        ],
    }


def _cloud(
    x: NDArray[Any], y: NDArray[Any], mass: NDArray[Any], across: tuple[float, float],
    up: tuple[float, float], *, weighted: bool,
) -> dict[str, Any]:  # fmt: skip
    """Return rows counted in square cells, with the limits of both axes and how many rows lie beyond them."""
    inside = (x >= across[0]) & (x <= across[1]) & (y >= up[0]) & (y <= up[1])
    counts, *_ = np.histogram2d(x[inside], y[inside], _CELLS, (across, up), weights=mass[inside])
    i, j = np.nonzero(counts)
    amounts = _amounts(counts[i, j], weighted=weighted)
    cells = [[a, b, amount] for a, b, amount in zip(i.tolist(), j.tolist(), amounts, strict=True)]
    outside = int(np.count_nonzero(~inside))
    return {"x": list(across), "y": list(up), "size": _CELLS, "cells": cells, "outside": outside}


def _amounts(sums: NDArray[Any], *, weighted: bool) -> list[float]:
    """Return numbers of rows as whole numbers, sums of weights in four digits."""
    return [float(f"{value:.4g}") if weighted else round(value) for value in sums.tolist()]
