"""What the charts draw: curves of no more points than can be seen, and numbers counted into bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.formulas.calibration_bands import consistency_band
from assay.metrics.curves import curves
from assay.plots.regression import means_by_tenths
from assay.plots.score_distributions import histogram
from assay.plots.simplify import simplified, stepped, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from assay.metrics.curves.curves import Curve
    from assay.plots.thin_scores import ThinnedScores
    from assay.tallies import NumberPairs, Scores

__all__ = ["class_rocs", "of_pairs", "of_scores"]

_PIXELS = 1_400  # a chart of 350 pixels, the widest that the style allows, at four times its size
_TOLERANCE = 0.3  # of a pixel, so that with what condensing and rounding add it stays below half
_UNITS = 10_000  # to a side of the charts whose axes run from 0 to 1
_SQUARE = ((0.0, 1.0), (0.0, 1.0))
_BINS = 50
_CELLS = 40  # a side, of clouds of points
_DIGITS = 5
_CURVES = 8  # classes with a curve of their own: more cannot be told apart


def of_scores(drawn: ThinnedScores, *, confidence: float, probabilities: bool) -> dict[str, Any]:
    """Return what there is to draw of scores of two classes; a curve that has no meaning here is left out."""
    shapes: dict[str, Any] = {}
    scores = drawn.tally
    try:
        edges, positives, negatives = histogram(drawn.source, _BINS)
        shapes["scores"] = {
            "limits": [float(edges[0]), float(edges[-1])],
            "positives": _shares(positives),
            "negatives": _shares(negatives),
        }
        shapes["roc"] = _line(curves.roc(scores, keep_collinear=False))
        shapes["precision_recall"] = _line(stepped(curves.precision_recall(scores, keep_collinear=False)))
    except MetricError:  # a class is absent, or scores are infinite
        return shapes
    if probabilities:
        band = consistency_band(scores, confidence=confidence, replicates=200)
        upper, lower = (visible(band.p * _PIXELS, one * _PIXELS, _TOLERANCE) for one in (band.high, band.low))
        places = np.union1d(upper, lower)
        shapes["calibration"] = {
            **_line(curves.calibration(scores)),
            "band": [_steps(one[places]) for one in (band.p, band.low, band.high)],
        }
    return shapes


def class_rocs(parts: Iterable[tuple[str, Scores]]) -> list[dict[str, Any]]:
    """Return the ROC curves of some classes, each against the rest."""
    lines = []
    for name, scores in list(parts)[:_CURVES]:
        try:
            lines.append({"name": name, **_line(curves.roc(scores, keep_collinear=False))})
        except MetricError:  # the class is absent
            continue
    return lines


def of_pairs(pairs: NumberPairs) -> dict[str, Any]:
    """Return the residuals and the predictions as clouds in cells, and the residuals' distribution."""
    actual, predicted = (np.asarray(one, dtype=np.float64) for one in (pairs.actual, pairs.predicted))
    mass = pairs.counts.astype(np.float64)
    left = actual - predicted
    heights, edges = np.histogram(left, _BINS, weights=mass)
    middle, mean = means_by_tenths(predicted, left, pairs.counts)
    return {
        "residuals": {**_cloud(predicted, left, mass), "trend": [_rounded(middle), _rounded(mean)]},
        "predicted": _cloud(actual, predicted, mass),
        "distribution": {
            "limits": [float(edges[0]), float(edges[-1])],
            "counts": heights.astype(int).tolist(),
        },
    }


def _cloud(x: NDArray[Any], y: NDArray[Any], mass: NDArray[Any]) -> dict[str, Any]:
    counts, across, up = np.histogram2d(x, y, _CELLS, weights=mass)
    i, j = np.nonzero(counts)
    cells = [[int(a), int(b), int(c)] for a, b, c in zip(i, j, counts[i, j], strict=True)]
    limits = {"x": [float(across[0]), float(across[-1])], "y": [float(up[0]), float(up[-1])]}
    return {**limits, "size": _CELLS, "cells": cells}


def _line(curve: Curve) -> dict[str, list[int]]:
    """Return a curve of shares, packed small: see :func:`_steps`."""
    kept = simplified(curve, pixels=_PIXELS, limits=_SQUARE, tolerance=_TOLERANCE)
    return {"x": _steps(kept.x), "y": _steps(kept.y)}


def _steps(shares: NDArray[Any]) -> list[int]:
    """Return shares in ten-thousandths, each as the step from the one before.

    >>> _steps(np.array([0.5, 0.52, 0.1]))
    [5000, 200, -4200]
    """
    units: list[int] = np.diff(np.rint(shares * _UNITS).astype(np.int64), prepend=0).tolist()
    return units


def _shares(heights: NDArray[Any]) -> list[float]:
    total = heights.sum()
    return _rounded(heights / total if total else heights)


def _rounded(values: NDArray[Any]) -> list[float]:
    """Return numbers of as many digits as a chart can show: five after the point, or five in all."""
    numbers = np.asarray(values, dtype=np.float64)
    large = np.abs(numbers).max(initial=0.0)
    digits = _DIGITS if large <= 1 else max(0, _DIGITS - int(np.ceil(np.log10(large))))
    return [round(one, digits) for one in numbers.tolist()]
