"""What the slider shows: exact counts at the cutoffs it reaches, and all figures there with intervals.

All of it is computed here, by the code that made the figures of the summary, and is shipped as it is printed:
so page and Python agree to the last digit by construction.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.estimate import Estimate
from assay.inference.intervals import estimate_tally
from assay.metrics import Undefined
from assay.metrics.ranks import Ranks
from assay.reports.page.figures import texts
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.tallies import Scores

    Live = tuple[str, Metric, dict[str, Any]]  # a name, a metric that reads counts, its options

__all__ = ["MOST", "Cutoffs", "chosen_cutoffs", "live_figures", "table_of"]

MOST = 1_200  # cutoffs: each costs about a millisecond and, with all its figures, 250 bytes


class Cutoffs(NamedTuple):
    """Rising cutoffs, the last of them infinity, with the counts of rows that reach them.

    ``start`` is where the figures of the summary are, or None where no cutoff predicts the same rows
    positive; ``distinct`` is how many distinct scores there are, ``complete`` whether all are here, and
    ``hull`` whether all those are that some costs make the cheapest.
    """

    values: NDArray[np.float64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    positives: int
    negatives: int
    start: int | None
    distinct: int
    complete: bool
    hull: bool


def chosen_cutoffs(
    scores: Scores, *, threshold: float | None, counts: tuple[int, int] | None, most: int = MOST
) -> Cutoffs:
    """Return the cutoffs that a slider reaches: all of them if they are few, else those that matter.

    Of many cutoffs these are kept: the extremes, the corners of the ROC curve's hull (so that whatever errors
    cost, the cheapest cutoff is among them), and cutoffs that part positives and negatives evenly. The
    stated threshold is there in any case; else `counts`, the true and false positives of given predictions,
    are looked for.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> found = chosen_cutoffs(tally, threshold=0.5, counts=None)
    >>> found.values.tolist(), found.tp.tolist(), found.fp.tolist(), found.start
    ([0.1, 0.5, 0.7, 0.9, inf], [2, 2, 2, 1, 0], [2, 1, 1, 0, 0], 1)
    """
    ranks = Ranks(scores)
    table = ranks.at_cutoffs()
    values = ranks.cutoffs()[::-1].astype(np.float64)
    tp, fp = (np.asarray(one)[::-1] for one in (table.tp, table.fp))
    if threshold is None and counts is not None:
        threshold = _threshold_of(values, tp, fp, counts)
    places, hull = np.arange(len(values)), True
    if len(values) > most:
        corners = len(values) - 1 - ranks.hull()
        if len(corners) > most // 2:
            hull = False
            corners = corners[np.linspace(0, len(corners) - 1, most // 2).astype(np.intp)]
        each = (most - len(corners) - 4) // 2
        evenly = [
            np.searchsorted(-one, -np.linspace(one[0], 0, each)) for one in (tp, fp) if one[0]
        ]  # fmt: skip
        ends = [0, 1, len(values) - 2, len(values) - 1]
        places = np.unique(np.concatenate([corners, ends, *evenly]))
        places = places[places < len(values)]
    kept, complete = places, len(places) == len(values)
    shown, start = values[kept], None
    if threshold is not None:
        start = int(np.searchsorted(shown, threshold))
        if start == len(shown) or shown[start] != threshold:
            reached = int(np.searchsorted(values, threshold))
            kept, shown = np.insert(kept, start, reached), np.insert(shown, start, threshold)
    return Cutoffs(
        shown, tp[kept], fp[kept], int(tp[0]), int(fp[0]), start, len(values) - 1, complete, hull
    )  # fmt: skip


def _threshold_of(
    values: NDArray[Any], tp: NDArray[Any], fp: NDArray[Any], counts: tuple[int, int]
) -> float | None:
    """Return a threshold that has so many true and false positives: one half if it has, else a score."""
    same = np.flatnonzero((tp == counts[0]) & (fp == counts[1]))
    if not len(same):
        return None
    place = int(same[0])
    below = values[place - 1] if place else -np.inf
    half = 0.5
    return half if below < half <= values[place] else float(values[place])


def table_of(tp: int, fp: int, fn: int, tn: int, labels: Sequence[Any]) -> Confusion:
    """Return the confusion tally of counts; the second of the two labels is the positive one.

    >>> table_of(2, 1, 0, 5, ("spam", "ham")).table()
    array([[2, 0],
           [1, 5]])
    """
    return Confusion.of_table([[tn, fp], [fn, tp]], labels)


def live_figures(
    cutoffs: Cutoffs, figures: Iterable[Live], labels: Sequence[Any], *, confidence: float, intervals: bool
) -> dict[str, Any]:
    """Return the figures at every cutoff, in columns: as printed, packed small.

    `intervals` is False where rows come in groups: those cannot be told from counts.
    """
    wanted = list(figures)
    found: dict[str, list[Estimate]] = {name: [] for name, _, _ in wanted}
    for hits, alarms in zip(cutoffs.tp.tolist(), cutoffs.fp.tolist(), strict=True):
        table = table_of(hits, alarms, cutoffs.positives - hits, cutoffs.negatives - alarms, labels)
        for name, metric, options in wanted:
            if intervals:
                made = estimate_tally(metric, table, options, confidence=confidence)
            else:
                value = metric(table, **options)
                made = Estimate(value, None, None, confidence, "", table.n)
            found[name].append(made)
    return {name: _column(estimates) for name, estimates in found.items()}


def _column(estimates: list[Estimate]) -> dict[str, Any]:
    """Return one figure's columns; words are told only where they change."""
    shown = [texts(one) for one in estimates]
    value, low, high = ([_packed(text) for text in column] for column in zip(*shown, strict=True))
    words = [
        str(one.value) if isinstance(one.value, Undefined) else one.method or one.note for one in estimates
    ]
    starts = itertools.groupby(range(len(words)), key=words.__getitem__)
    return {"value": value, "low": low, "high": high, "words": [[next(run), text] for text, run in starts]}


def _packed(text: str | None) -> int | str | None:
    """Return a printed number in ten-thousandths where that is what it says, else as printed.

    >>> _packed("0.9755"), _packed("1.2e-05"), _packed(None)
    (9755, '1.2e-05', None)
    """
    if text is None:
        return None
    try:
        whole = round(float(text) * 10_000)
    except (ValueError, OverflowError):
        return text
    return whole if f"{whole / 10_000:.4f}" == text else text
