"""What the charts draw: curves of no more points than can be seen, and numbers counted into bins."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.formatting.numbers import format_value
from assay.inference.formulas.calibration_bands import consistency_band
from assay.metrics.curves import curves
from assay.plots.probability_side import probability_side, reach_of
from assay.plots.score_distributions import histogram
from assay.plots.simplify import simplified, stepped, visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.curves.curves import Curve
    from assay.plots.thin_scores import ThinnedScores
    from assay.tallies import Scores

__all__ = ["of_class", "of_confidences", "of_scores"]

_PIXELS = 1_400  # a chart of 350 pixels, the widest that the style allows, at four times its size
_TOLERANCE = 0.3  # of a pixel, so that with what condensing and rounding add it stays below half
_UNITS = 10_000  # to a side of the charts whose axes run from 0 to 1, or of calibration to less
_BINS = 50
_CLASS_BINS = 30
_CLASS_TOLERANCE = 1.2  # of a pixel: there may be sixty classes
_DIGITS = 5
_SMALL = 0.1  # probabilities that are all below it have an axis of their own
_SPREAD = 20  # times the middle one: how far the highest must be for an axis of powers of ten


def of_scores(drawn: ThinnedScores, *, confidence: float, probabilities: bool) -> dict[str, Any]:
    """Return what there is to draw of scores of two classes; a curve that has no meaning here is left out."""
    shapes: dict[str, Any] = {}
    scores = drawn.tally
    try:
        shapes["scores"] = _score_axis(drawn.source, probabilities=probabilities)
        shapes["roc"] = _line(curves.roc(scores, keep_collinear=False))
        shapes["precision_recall"] = _line(stepped(curves.precision_recall(scores, keep_collinear=False)))
    except MetricError:  # a class is absent, or scores are infinite
        return shapes
    if probabilities:
        shapes["calibration"] = _calibration(scores, confidence)
        if shapes["scores"].get("log"):  # its bars stand on an axis of their own
            shapes["calibration"]["foot"] = _foot(scores, shapes["calibration"]["side"])
    return shapes


def _score_axis(scores: Scores, *, probabilities: bool) -> dict[str, Any]:
    """Return both classes' scores in bins; of tiny probabilities over powers of ten."""
    known = scores.scores[scores.scores > 0] if probabilities else scores.scores[:0]
    if not len(known) or known[-1] > _SMALL:
        return _distributions(*histogram(scores, _BINS))
    lowest, middle, highest = (float(known[at]) for at in (0, len(known) // 2, -1))
    if highest <= _SPREAD * middle:
        return _distributions(*histogram(scores, _BINS, (0.0, highest)))
    powers = np.log10(np.maximum(scores.scores.astype(np.float64), lowest))
    limits = (float(np.floor(np.log10(lowest))), float(np.ceil(np.log10(highest))))
    in_powers = dataclasses.replace(scores, scores=powers)
    return {**_distributions(*histogram(in_powers, _BINS, limits)), "log": True}


def _calibration(scores: Scores, confidence: float | None, tolerance: float = _TOLERANCE) -> dict[str, Any]:
    """Return the calibration curve on axes that fit it; with a confidence, the band where it is by chance.

    The axes end at ``side``, which the numbers are shares of. A curve that leaves them has its highest rate,
    as text, under ``beyond``.
    """
    curve = curves.calibration(scores)
    highest, rate = reach_of([curve])
    side = probability_side(highest, rate)
    shape = {**_line(curve, tolerance, side), "side": side}
    if rate > side:
        shape["beyond"] = format_value(rate)
    if confidence is not None:
        shape["band"] = _band(scores, confidence, tolerance, side)
    return shape


def _band(scores: Scores, confidence: float, tolerance: float, side: float) -> list[list[int]]:
    """Return probabilities with the limits between which the calibration curve would be by chance."""
    band = consistency_band(scores, confidence=confidence, replicates=200)
    columns = [column / side for column in (band.p, band.low, band.high)]
    p, low, high = (column * _PIXELS for column in columns)
    indices = np.union1d(visible(p, high, tolerance), visible(p, low, tolerance))
    return [_steps(column[indices]) for column in columns]


def _foot(scores: Scores, side: float) -> list[Any]:
    """Return the ends of an axis of probabilities, and how many rows have which, in bins."""
    _, positives, negatives = histogram(scores, _BINS, (0.0, side))
    return [[0.0, side], _shares(positives + negatives)]


def of_class(scores: Scores, *, probabilities: bool, confidence: float | None) -> dict[str, Any]:
    """Return the curves and the scores of one class against the rest; it raises where a side has no rows.

    With a confidence the calibration curve has its band.
    """
    edges, positives, negatives = histogram(scores, _CLASS_BINS)
    shapes = {
        "roc": _line(curves.roc(scores, keep_collinear=False), _CLASS_TOLERANCE),
        "precision_recall": _line(
            stepped(curves.precision_recall(scores, keep_collinear=False)), _CLASS_TOLERANCE
        ),
        "scores": _distributions(edges, positives, negatives),
    }
    if probabilities:
        shapes["calibration"] = _calibration(scores, confidence, _CLASS_TOLERANCE)
    return shapes


def of_confidences(scores: Scores, confidence: float) -> dict[str, Any]:
    """Return how often the predicted class is right over its probability, and how many rows have which."""
    shape = _calibration(scores, confidence)
    return {**shape, "foot": _foot(scores, shape["side"])}


def _line(curve: Curve, tolerance: float = _TOLERANCE, side: float = 1.0) -> dict[str, Any]:
    """Return a curve of shares on axes from 0 to `side`, packed small: see :func:`_steps`."""
    drawn = simplified(curve, pixels=_PIXELS, limits=((0.0, side), (0.0, side)), tolerance=tolerance)
    return {"x": _steps(drawn.x / side), "y": _steps(drawn.y / side)}


def _distributions(edges: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]) -> dict[str, Any]:
    return {
        "limits": [float(edges[0]), float(edges[-1])],
        "positives": _shares(positives),
        "negatives": _shares(negatives),
    }


def _steps(shares: NDArray[Any]) -> list[int]:
    """Return shares in ten-thousandths, each as the step from the one before.

    >>> _steps(np.array([0.5, 0.52, 0.1]))
    [5000, 200, -4200]
    """
    units: list[int] = np.diff(np.rint(shares * _UNITS).astype(np.int64), prepend=0).tolist()
    return units


def _shares(heights: NDArray[Any]) -> list[float]:
    total = heights.sum()
    return [round(share, _DIGITS) for share in (heights / total if total else heights).tolist()]
