"""Derivatives of ranking metrics by the positives and negatives at each score.

A ranking metric is a formula of the counts at and above each threshold. A row counts at its own threshold and
above every lower one, so its slope is the formula's slope at its threshold plus the sum of the slopes by the
cumulative counts from there down: one pass, whatever the metric.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from assay.metrics.views.ranking import Ranks

__all__ = ["SLOPES", "Slopes", "rank_slopes"]

_MAX_ROWS_AT_ONCE = 1 << 20  # whose ranks within their ties are computed together
_PRIOR_STEP = 1e-5  # of a central difference by the prevalence, good to ten digits


class Slopes(NamedTuple):
    """By threshold, the highest first: the derivatives of the metric by the weight of either class."""

    of_positives: NDArray[np.float64]
    of_negatives: NDArray[np.float64]

    def times(self, factor: float) -> Slopes:
        """Return the slopes of the metric times a factor."""
        return Slopes(self.of_positives * factor, self.of_negatives * factor)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class _Steps:
    """The weights of positives (`p`) and negatives (`q`) at each threshold, the highest first.

    `effective_rows` is the effective sample size, `rows` how many rows there are at each threshold.
    """

    p: NDArray[np.float64]
    q: NDArray[np.float64]
    effective_rows: float
    rows: NDArray[np.float64]

    @functools.cached_property
    def tp(self) -> NDArray[np.float64]:
        return np.cumsum(self.p)

    @functools.cached_property
    def fp(self) -> NDArray[np.float64]:
        return np.cumsum(self.q)

    @property
    def positives(self) -> float:
        return float(self.tp[-1])

    @property
    def negatives(self) -> float:
        return float(self.fp[-1])

    @property
    def n(self) -> float:
        return self.positives + self.negatives

    @functools.cached_property
    def rates(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """False and true positive rates at every cutoff, from the one that no row is above."""
        fpr, tpr = self.fp / self.negatives, self.tp / self.positives
        return np.concatenate([[0.0], fpr]), np.concatenate([[0.0], tpr])

    def row_slopes(
        self, own: tuple[Any, Any], running: tuple[Any, Any], whole: tuple[float, float] = (0.0, 0.0)
    ) -> Slopes:
        """Return the slopes of rows from those by steps, by cumulative counts and by the classes' sizes.

        Each is a pair: by the positives, and by the negatives.
        """
        return Slopes(
            *(
                at + np.cumsum(below[::-1])[::-1] + by_size
                for at, below, by_size in zip(own, running, whole, strict=True)
            )
        )

    def by_rates(self, by_fpr: NDArray[Any], by_tpr: NDArray[Any]) -> Slopes:
        """Return the slopes of rows from those by the rates at every cutoff."""
        fpr, tpr = self.rates
        m, n = self.positives, self.negatives
        # Not by BLAS: in a profile of 500 slices its products of short vectors took half of the time.
        whole = -float((by_tpr * tpr).sum()) / m, -float((by_fpr * fpr).sum()) / n
        return self.row_slopes((0.0, 0.0), (by_tpr[1:] / m, by_fpr[1:] / n), whole)

    def at(self, index: int, by_fpr: float, by_tpr: float) -> Slopes:
        """Return the slopes of a metric of the rates at one cutoff alone."""
        first, second = np.zeros(len(self.p) + 1), np.zeros(len(self.p) + 1)
        first[index], second[index] = by_fpr, by_tpr
        return self.by_rates(first, second)


def rank_slopes(
    name: str, ranks: Ranks, effective_rows: float, value: float, **parameters: Any
) -> Slopes | None:
    """Return the slopes of a ranking metric by its name and value, None where it has none in closed form.

    >>> import assay
    >>> from assay.metrics import Ranks
    >>> tally = assay.Scores.of(assay.rows(actual=[1, 1, 1, 0, 0], score=[5, 4, 2, 3, 1]))
    >>> rank_slopes("auc", Ranks.of(tally), 5, 5 / 6).of_negatives.round(4)
    array([-0.2083, -0.125 , -0.0833,  0.    ,  0.0833])
    """
    if name not in SLOPES:
        return None
    positives, negatives, rows = ranks.steps()
    p, q = (np.asarray(x, dtype=np.float64) for x in (positives, negatives))
    return SLOPES[name](_Steps(p, q, effective_rows, rows), value, **parameters)


def _area_slopes(
    x: NDArray[Any], y: NDArray[Any], low: float = 0.0, high: float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the slopes, by each point's x and y, of the area under a polygonal curve between two x.

    Where the range ends on a vertical line, the two one-sided slopes differ, and their mean is taken.
    """
    width, rise = np.diff(x), np.diff(y)
    vertical = width == 0
    safe = np.where(vertical, 1.0, width)
    begin, end = (np.clip((edge - x[:-1]) / safe, 0, 1) for edge in (low, high))
    inside = ((x[:-1] >= low) & (x[:-1] <= high)) * 0.5 + ((x[:-1] > low) & (x[:-1] < high)) * 0.5
    after = np.where(vertical, inside / 2, (end**2 - begin**2) / 2)  # the weight of a line's end point
    before = np.where(vertical, inside / 2, (end - begin) - (end**2 - begin**2) / 2)
    by_x, by_y = np.zeros(len(x)), np.zeros(len(x))
    by_x[1:] -= rise * after
    by_x[:-1] -= rise * before
    by_y[1:] += width * after
    by_y[:-1] += width * before
    return by_x, by_y


def _auc(s: _Steps, _: float) -> Slopes:
    return s.by_rates(*_area_slopes(*s.rates))


def _gini(s: _Steps, value: float) -> Slopes:
    return _auc(s, value).times(2)


def _partial_auc(
    s: _Steps,
    _: float,
    *,
    false_positive_rate: tuple[float, float],
    sensitivity: tuple[float, float] | None,
    corrected: bool,
) -> Slopes:
    fpr, tpr = s.rates
    low, high = false_positive_rate if sensitivity is None else sensitivity
    width, guessing = high - low, (high * high - low * low) / 2
    if sensitivity is None:
        slopes = s.by_rates(*_area_slopes(fpr, tpr, low, high))
    else:
        by_tpr, by_fpr = _area_slopes(tpr, fpr, low, high)
        slopes, guessing = s.by_rates(-by_fpr, -by_tpr), width - guessing
    return slopes.times(0.5 / (width - guessing)) if corrected else slopes


def _ks(s: _Steps, _: float) -> Slopes:
    """Slopes at the cutoff of the largest distance; at a maximum, that the cutoff moves has no effect."""
    fpr, tpr = s.rates
    index = int(np.argmax(np.abs(tpr - fpr)))
    sign = float(np.sign(tpr[index] - fpr[index]))
    return s.at(index, -sign, sign)


def _max_informedness(s: _Steps, _: float) -> Slopes:
    fpr, tpr = s.rates
    return s.at(int(np.argmax(tpr - fpr)), -1.0, 1.0)


def _max_f1(s: _Steps, _: float) -> Slopes:
    size = s.positives + s.tp + s.fp
    index = int(np.argmax(2 * s.tp / size))
    tp, total = s.tp[index], size[index]
    running = np.zeros((2, len(s.p)))
    running[:, index] = 2 / total - 2 * tp / total**2, -2 * tp / total**2
    return s.row_slopes((0.0, 0.0), (running[0], running[1]), (-2 * tp / total**2, 0.0))


def _hull_corners(s: _Steps) -> NDArray[np.intp]:
    from assay.metrics.curves.convex_hull import upper_hull  # noqa: PLC0415 - few need it

    # On counts, so that points on a line are found as such, wherever the counts are whole.
    tp, fp = (np.concatenate([[0.0], x]) for x in (s.tp, s.fp))
    if all((x == np.rint(x)).all() for x in (tp, fp)):
        tp, fp = tp.astype(np.int64), fp.astype(np.int64)
    return upper_hull(fp, tp)


def _at_indices(s: _Steps, indices: NDArray[np.intp], values: NDArray[Any]) -> NDArray[np.float64]:
    full = np.zeros(len(s.p) + 1)
    full[indices] = values
    return full


def _convex_hull_auc(s: _Steps, _: float) -> Slopes:
    """Slopes with the hull's corners fixed: at the largest area, that they move has no effect."""
    corners = _hull_corners(s)
    fpr, tpr = s.rates
    by_fpr, by_tpr = _area_slopes(fpr[corners], tpr[corners])
    return s.by_rates(_at_indices(s, corners, by_fpr), _at_indices(s, corners, by_tpr))


def _h_measure(s: _Steps, value: float, *, prior: tuple[float, float] | None) -> Slopes:
    """Slopes of one less a ratio of minimum costs, with the cutoff for each cost fixed."""
    rate, corners = s.positives / s.n, _hull_corners(s)
    fpr, tpr = (x[corners] for x in s.rates)
    won, lost = rate * np.diff(tpr), (1 - rate) * np.diff(fpr)
    switch = won / (won + lost)
    ends = np.array([0.0, 1.0])  # without scores: predict nothing or everything positive

    def costs(of: float) -> tuple[float, float]:
        """Minimum costs with and without scores, where the prevalence moves the cost distribution alone."""
        minimum = []
        for cuts, x, y in ((switch, fpr, tpr), ([rate], ends, ends)):
            mean_c, mean_rest = _costs_between(of, prior, cuts)
            minimum.append(float(((1 - rate) * x * mean_c + rate * (1 - y) * mean_rest).sum()))
        return minimum[0], minimum[1]

    mean_c, mean_rest = _costs_between(rate, prior, switch)
    (_, base_c), (base_rest, _) = _costs_between(rate, prior, [rate])
    below, above = costs(rate - _PRIOR_STEP), costs(rate + _PRIOR_STEP)
    moved = [(b - a) / (2 * _PRIOR_STEP) for a, b in zip(below, above, strict=True)]
    with_scores, without = costs(rate)
    by_rate = float(((1 - tpr) * mean_rest - fpr * mean_c).sum()) + moved[0]
    by_rate = -by_rate / without + with_scores / without**2 * (float(base_rest - base_c) + moved[1])
    if not value:
        return Slopes(np.zeros(len(s.p)), np.zeros(len(s.p)))
    slopes = s.by_rates(
        _at_indices(s, corners, -(1 - rate) * mean_c / without),
        _at_indices(s, corners, rate * mean_rest / without),
    )
    return Slopes(
        slopes.of_positives + by_rate * (1 - rate) / s.n, slopes.of_negatives - by_rate * rate / s.n
    )


def _costs_between(rate: float, prior: tuple[float, float] | None, cuts: Any) -> tuple[Any, Any]:
    """Return the means of c, and of 1 - c, over the costs between cuts that fall from 1 to 0."""
    from scipy.special import betainc  # noqa: PLC0415 - SciPy takes its time to load

    a, b = (1 + rate, 2 - rate) if prior is None else prior
    falling = np.concatenate([[1.0], cuts, [0.0]])
    mean_c = a / (a + b) * -np.diff(betainc(a + 1, b, falling))
    return mean_c, b / (a + b) * -np.diff(betainc(a, b + 1, falling))


def _average_precision(s: _Steps, value: float) -> Slopes:
    called = s.tp + s.fp
    by_tp, by_fp = s.p * s.fp / called**2, -s.p * s.tp / called**2
    m = s.positives
    return s.row_slopes((s.tp / called / m, 0.0), (by_tp / m, by_fp / m), (-value / m, 0.0))


def _pr_auc_trapezoid(s: _Steps, value: float) -> Slopes:
    called, m = s.tp + s.fp, s.positives
    precision = s.tp / called
    before = np.concatenate([[1.0], precision[:-1]])
    share = (s.p + np.append(s.p[1:], 0.0)) / 2  # the recall that each precision stands for
    by_tp, by_fp = share * s.fp / called**2, -share * s.tp / called**2
    return s.row_slopes(((precision + before) / 2 / m, 0.0), (by_tp / m, by_fp / m), (-value / m, 0.0))


def _pr_auc_integral(s: _Steps, value: float) -> Slopes:
    p, q, m = s.p, s.q, s.positives
    size = p + q
    tp_above, above = s.tp - p, s.tp + s.fp - size
    first = above <= 0
    safe = np.where(first, 1.0, above)
    pace, slower, faster = p / size, q / size**2, -p / size**2  # positives per row, and its two slopes
    length = np.where(first, 0.0, np.log1p(size / safe))
    rest = np.where(first, 0.0, tp_above - above * pace)
    last = np.where(first, 0.0, rest * pace / (above + size))
    # The area is p pace + rest pace length, and rest, too, moves with the pace.
    by_pace = p + (rest - above * pace) * length
    by_p, by_q = pace + by_pace * slower + last, by_pace * faster + last
    by_tp_above = pace * length
    by_above = np.where(first, 0.0, -(pace**2) * length - rest * pace * size / (safe * (above + size)))
    own = (by_p - by_tp_above - by_above) / m, (by_q - by_above) / m
    return s.row_slopes(own, ((by_tp_above + by_above) / m, by_above / m), (-value / m, 0.0))


def _tie_expected_average_precision(s: _Steps, value: float) -> Slopes:
    """Slopes of each tie's sum of precisions over random orders, by its positives, its rows and those above.

    The i-th of t tied rows of mean weight w has precision N / D and counts by p / t, where
    N = found + w + (i - 1) (p - w) / (t - 1) and D = above + i w.
    """
    p, mass, m, rows = s.p, s.p + s.q, s.positives, s.rows
    weight = mass / rows
    tp_above, above = s.tp - p, s.tp + s.fp - mass
    others = np.maximum(rows - 1, 1.0)
    sums = np.zeros((4, len(p)))  # of N/D, of 1/D, of (i - 1)/(t - 1)/D, and by the weight
    squared = np.zeros(len(p))  # of N/D²
    for entry, rank in _ranks_within_ties(np.where(p > 0, rows, 0.0)):
        w, before = weight[entry], (rank - 1) / others[entry]
        top = tp_above[entry] + w + before * (p[entry] - w)
        bottom = above[entry] + rank * w
        by_weight = (1 - before) / bottom - rank * top / bottom**2
        for row, term in enumerate((top / bottom, 1 / bottom, before / bottom, by_weight)):
            sums[row] += np.bincount(entry, term, minlength=len(p))
        squared += np.bincount(entry, top / bottom**2, minlength=len(p))
    share = p / rows
    by_mass = share * sums[3] / rows
    by_p = sums[0] / rows + share * sums[2] + by_mass
    by_tp_above, by_above = share * sums[1], -share * squared
    own = (by_p - by_tp_above - by_above) / m, (by_mass - by_above) / m
    return s.row_slopes(own, ((by_tp_above + by_above) / m, by_above / m), (-value / m, 0.0))


def _ranks_within_ties(rows: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Yield the entry and the rank within its tie, from 1 on, of all rows, a million at a time."""
    ends = np.cumsum(np.rint(rows).astype(np.int64))
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, _MAX_ROWS_AT_ONCE):
        row = np.arange(begin, min(begin + _MAX_ROWS_AT_ONCE, total))
        entry = np.searchsorted(ends, row, side="right")
        yield entry, (row - np.concatenate([[0], ends])[entry] + 1).astype(np.float64)


def _local_share(along: NDArray[Any], cumulative: NDArray[Any], at: float, rows: float) -> float:
    """Return one class's share of the rows around a position, in the order from the top.

    A cutoff by rank moves as rows are added, and the effect depends on the classes of the rows near it. A
    single row does not show them, so a window that holds the 2/3rd power of the rows is taken, unless as many
    are tied at the position itself.
    """
    index = min(int(np.searchsorted(along, at)), len(along) - 1)
    begin, total = (float(along[index - 1]) if index else 0.0), float(along[-1])
    half_width = min(total * rows ** (-1 / 3) / 2, at, total - at)
    if along[index] - begin >= 2 * half_width:
        low, high = begin, float(along[index])
    else:
        low, high = at - half_width, at + half_width
    reached = np.interp([low, high], np.append(0.0, along), np.append(0.0, cumulative))
    return float(reached[1] - reached[0]) / (high - low)


def _share_above(steps: NDArray[Any], along: NDArray[Any], at: float) -> NDArray[np.float64]:
    """Return the share of each threshold's rows that lies above a position, in the order from the top."""
    return np.asarray(np.clip((at - (along - steps)) / steps, 0, 1))


def _gain_at(s: _Steps, value: float, *, share: float) -> Slopes:
    along, at = s.tp + s.fp, share * s.n
    near, taken = _local_share(along, s.tp, at, s.effective_rows), _share_above(s.p + s.q, along, at)
    m = s.positives
    return Slopes(((1 - near) * taken + near * share - value) / m, near * (share - taken) / m)


def _lift_at(s: _Steps, value: float, *, share: float) -> Slopes:
    return _gain_at(s, value * share, share=share).times(1 / share)


def _precision_at_share(s: _Steps, value: float, *, share: float) -> Slopes:
    along, at = s.tp + s.fp, share * s.n
    near, taken = _local_share(along, s.tp, at, s.effective_rows), _share_above(s.p + s.q, along, at)
    size = share * s.n
    back = (near - value) * share
    return Slopes(((1 - near) * taken + back) / size, (back - near * taken) / size)


def _break_even(s: _Steps, value: float) -> Slopes:
    along, m = s.tp + s.fp, s.positives
    near, taken = _local_share(along, s.tp, m, s.effective_rows), _share_above(s.p + s.q, along, m)
    return Slopes(((1 - near) * taken + near - value) / m, -near * taken / m)


def _equal_error_rate(s: _Steps, value: float) -> Slopes:
    """Slopes with both classes scaled to one size, where the cutoff is the middle of the order."""
    m, n = s.positives, s.negatives
    steps, along = s.p / m + s.q / n, s.tp / m + s.fp / n
    rows = s.effective_rows * min(m, n) / s.n
    near, taken = _local_share(along, s.fp / n, 1.0, rows), _share_above(steps, along, 1.0)
    return Slopes(-near * (taken - (1 - value)) / m, (1 - near) * (taken - value) / n)


SLOPES: dict[str, Callable[..., Slopes]] = {
    "auc": _auc,
    "gini": _gini,
    "partial_auc": _partial_auc,
    "ks": _ks,
    "max_informedness": _max_informedness,
    "max_f1": _max_f1,
    "convex_hull_auc": _convex_hull_auc,
    "h_measure": _h_measure,
    "average_precision": _average_precision,
    "pr_auc_trapezoid": _pr_auc_trapezoid,
    "pr_auc_integral": _pr_auc_integral,
    "pr_auc_davis_goadrich": _pr_auc_integral,  # whose lines differ by at most one row's share
    "tie_expected_average_precision": _tie_expected_average_precision,
    "gain_at": _gain_at,
    "lift_at": _lift_at,
    "precision_at_share": _precision_at_share,
    "break_even": _break_even,
    "equal_error_rate": _equal_error_rate,
}
