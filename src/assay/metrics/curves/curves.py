"""Curves over cutoffs: ROC and its hull, precision-recall, DET, gain and lift, calibration.

Each is read from rows or from a score tally and, except calibration, runs from the highest cutoff to the
lowest. The columns are plain arrays under their own names, ready for a plot, a table or a file:

>>> import assay
>>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
>>> curve = roc(tally)
>>> curve["false_positive_rate"].tolist(), curve["recall"].tolist(), curve.cutoffs.tolist()
([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.9, 0.7, 0.1])
>>> curve.area()
0.875
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, shown
from assay.metrics.arithmetic import ratio
from assay.metrics.classification.rates import NO_POSITIVES
from assay.metrics.metric import tallied
from assay.metrics.probability.isotonic import isotonic
from assay.metrics.ranking.roc import one_class
from assay.metrics.views.probability import Probabilities
from assay.metrics.views.ranking import Ranks
from assay.tallies import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = [
    "Curve",
    "calibration",
    "detection_error",
    "gain",
    "lift",
    "precision_recall",
    "roc",
    "roc_hull",
    "some_rows",
]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """Points of a curve: two named columns, and the cutoff of each point."""

    name: str
    x_name: str
    y_name: str
    x: NDArray[Any]
    y: NDArray[Any]
    cutoffs: NDArray[Any]

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.y_name} over {self.x_name}, {len(self):,} points>"

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name: x, y and the cutoffs."""
        return {self.x_name: self.x, self.y_name: self.y, "cutoff": self.cutoffs}

    def __getitem__(self, column: str) -> NDArray[Any]:
        if column not in self.columns:
            raise MetricError(f"{self.name} has no column {column!r}: it has {shown(self.columns)}.")
        return self.columns[column]

    def area(self) -> float:
        """Return the area under straight lines between the points."""
        return float((np.diff(self.x) * (self.y[1:] + self.y[:-1])).sum() / 2)

    def at(self, x: float) -> float:
        """Return the height at x on straight lines between points; the highest where it is vertical."""
        return float(np.interp(x, self.x, self.y)) if x not in self.x else float(self.y[self.x == x].max())

    def taken(self, indices: NDArray[Any]) -> Curve:
        """Return the curve of some of the points."""
        return dataclasses.replace(self, x=self.x[indices], y=self.y[indices], cutoffs=self.cutoffs[indices])


def roc(data: Any, *, keep_collinear: bool = True) -> Curve:
    """Return the ROC curve: recall over the false positive rate.

    Without the collinear points, those on a straight line between two others, it looks the same.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.
    keep_collinear
        Keep the points that lie on a straight line between two others.

    Returns
    -------
    Curve
        The false positive rate and the recall at every cutoff, the highest first.

    Raises
    ------
    MetricError
        There are no rows, or all are of one class; or `data` has no scores.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> curve = roc(rows)
    >>> curve, curve.area()
    (<ROC curve: recall over false_positive_rate, 4 points>, 0.875)
    """
    ranks = _both_classes(data)
    table = ranks.at_cutoffs()
    curve = Curve(
        "ROC curve", "false_positive_rate", "recall",
        table.fp / ranks.negatives, table.tp / ranks.positives, ranks.cutoffs(),
    )  # fmt: skip
    return curve if keep_collinear else curve.taken(bends(table.fp, table.tp))


def roc_hull(data: Any) -> Curve:
    """Return the corners of the ROC curve's convex hull: the cutoffs that are best at some cost.

    Parameters
    ----------
    data
        Rows or a score tally.

    Returns
    -------
    Curve
        Cutoffs, with the false positive rate and the recall at each.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores.

    Examples
    --------
    >>> import assay
    >>> corners = roc_hull(assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9]))
    >>> corners.cutoffs.tolist(), list(corners.columns)
    ([inf, 0.8, 0.35, 0.1], ['false_positive_rate', 'recall', 'cutoff'])
    """
    ranks = some_rows(data)
    return roc(ranks.source).taken(ranks.hull())


def precision_recall(data: Any, *, keep_collinear: bool = True) -> Curve:
    """Return precision over recall, from recall 0, where precision is 1 by convention.

    Points not needed for drawing are those between others of the same true positives.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.
    keep_collinear
        Keep the points that are not needed for drawing.

    Returns
    -------
    Curve
        The recall and the precision at every cutoff, the highest first.

    Raises
    ------
    MetricError
        There are no positives, or no rows; or `data` has no scores.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> precision_recall(rows)["precision"].round(3).tolist()
    [1.0, 1.0, 0.667, 0.5]
    """
    ranks = _positives(data)
    table = ranks.at_cutoffs()
    precision = ratio(table.tp, table.predicted_positives)
    precision[0] = 1.0
    curve = Curve(
        "precision-recall curve",
        "recall",
        "precision",
        table.tp / ranks.positives,
        precision,
        ranks.cutoffs(),
    )
    if keep_collinear:
        return curve
    level = np.diff(table.tp) == 0
    return curve.taken(~np.concatenate([[False], level[:-1] & level[1:], [False]]))


def detection_error(data: Any, *, keep_collinear: bool = True) -> Curve:
    """Return the detection error tradeoff: the false negative rate over the false positive rate.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.
    keep_collinear
        Keep the points that lie on a straight line between two others.

    Returns
    -------
    Curve
        Both rates at every cutoff, the highest first.

    Raises
    ------
    MetricError
        There are no rows, or all are of one class; or `data` has no scores.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> detection_error(rows)["false_negative_rate"].tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    ranks = _both_classes(data)
    table = ranks.at_cutoffs()
    curve = Curve(
        "detection error tradeoff", "false_positive_rate", "false_negative_rate",
        table.fp / ranks.negatives, table.fn / ranks.positives, ranks.cutoffs(),
    )  # fmt: skip
    return curve if keep_collinear else curve.taken(bends(table.fp, table.tp))


def gain(data: Any) -> Curve:
    """Return the cumulative gain: recall over the share of rows predicted positive.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.

    Returns
    -------
    Curve
        The share of rows and the recall at every cutoff, the highest first.

    Raises
    ------
    MetricError
        There are no positives, or no rows; or `data` has no scores.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> curve = gain(rows)
    >>> curve["share"].tolist(), curve["recall"].tolist()
    ([0.0, 0.25, 0.75, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    ranks = _positives(data)
    table = ranks.at_cutoffs()
    return Curve(
        "cumulative gain", "share", "recall",
        table.predicted_positives / ranks.n, table.tp / ranks.positives, ranks.cutoffs(),
    )  # fmt: skip


def lift(data: Any) -> Curve:
    """Return the lift, precision over prevalence, over the share of rows predicted positive.

    The first point, where nothing is predicted positive, has no lift and is left out.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.

    Returns
    -------
    Curve
        The share of rows and the lift at every cutoff, the highest first.

    Raises
    ------
    MetricError
        There are no positives, or no rows; or `data` has no scores.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> lift(rows)["lift"].round(3).tolist()
    [2.0, 1.333, 1.0]
    """
    ranks = _positives(data)
    above = ranks.tp + ranks.fp
    height = ranks.tp / above * (ranks.n / ranks.positives)
    return Curve("lift", "share", "lift", above / ranks.n, height, ranks.thresholds)


def calibration(data: Any) -> Curve:
    """Return the observed rate of each probability, by the isotonic fit.

    The fit over the distinct probabilities, the lowest first: the curve of CORP (Dimitriadis, Gneiting and
    Jordan 2021), which has no bins to choose; :func:`assay.metrics.probability.calibration.calibration_curve`
    has bins.

    Parameters
    ----------
    data
        Rows with probabilities, or a score tally of them.

    Returns
    -------
    Curve
        The distinct probabilities and the rate of positives that fits each.

    Raises
    ------
    MetricError
        There are no rows, or a score is no probability.

    Examples
    --------
    >>> import assay
    >>> curve = calibration(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.3, 0.6, 0.8]))
    >>> curve["probability"].tolist(), curve["rate"].tolist()
    ([0.1, 0.3, 0.6, 0.8], [0.0, 0.5, 0.5, 1.0])
    """
    view = Probabilities.some(data)
    return Curve("calibration curve", "probability", "rate", view.p, isotonic(view), view.p)


def bends(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which points are not on a straight line between their neighbours; both ends are kept.

    >>> bends(np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1])).tolist()
    [True, False, True, True]
    """
    bent = np.ones(len(x), dtype=bool)
    if len(x) > 2:  # noqa: PLR2004 - both ends
        run, rise = np.diff(x), np.diff(y)
        bent[1:-1] = run[:-1] * rise[1:] != rise[:-1] * run[1:]
    return bent


def _both_classes(data: Any) -> Ranks:
    ranks = some_rows(data)
    if not (ranks.positives and ranks.negatives):
        raise MetricError(f"there is no curve: {one_class(ranks)}.")
    return ranks


def _positives(data: Any) -> Ranks:
    ranks = some_rows(data)
    if not ranks.positives:
        raise MetricError(f"there is no curve: {NO_POSITIVES}.")
    return ranks


def some_rows(data: Any) -> Ranks:
    """Return the view of rows or of a score tally, which must not be empty."""
    ranks = Ranks.of(tallied(data, Scores))
    if not ranks.source.n:
        raise MetricError("there is no curve: there are no rows.")
    return ranks
