"""The slider's data: exact counts at the cutoffs it reaches, and all metrics there with intervals.

All of it is computed here, by the code that made the metrics of the summary, and is shipped as it is printed:
so page and Python agree to the last digit by construction.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.estimate import Estimate
from assay.inference.intervals.choose_interval import estimate_tally
from assay.metrics import Undefined
from assay.metrics.views.ranking import Ranks
from assay.plots.thin_scores import two_by_two
from assay.reports.page.metric_cells import texts
from assay.tallies import Confusion
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.plots.thin_scores import ThinnedScores

    Live = tuple[str, Metric, dict[str, Any]]  # a name, a metric that reads counts, its options

__all__ = ["MOST", "Cutoffs", "chosen_cutoffs", "live_metrics", "table_of"]

MOST = 1_200  # cutoffs that are all reached: each costs about a millisecond and, with its metrics, 250 bytes
_OF_MORE = 600  # cutoffs where not all can be reached: as fine as a hand can move a slider


class Cutoffs(NamedTuple):
    """Rising cutoffs, the last of them above all scores, with what reaches them: rows, or their weight.

    ``start`` is where the metrics of the summary are, or None where no cutoff predicts the same rows
    positive; ``distinct`` is how many distinct scores there are, ``complete`` whether all are here, and
    ``hull`` whether all those are that some costs make the cheapest.
    """

    values: NDArray[np.float64]
    tables: list[Confusion]
    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    tn: NDArray[Any]
    start: int | None
    distinct: int
    complete: bool
    hull: bool


def chosen_cutoffs(
    drawn: ThinnedScores,
    labels: Sequence[Any],
    *,
    threshold: float | None = None,
    counts: tuple[int, int] | None = None,
    most: int = MOST,
) -> Cutoffs:
    """Return the cutoffs that a slider reaches: all of them if they are few, else those that matter.

    Of many cutoffs these are kept: the extremes, the corners of the ROC curve's hull (so that whatever errors
    cost, the cheapest cutoff is among them), and cutoffs that part positives and negatives evenly. The
    stated threshold is there in any case, with `counts`, its true and false positives, where the rows between
    two cutoffs are not known one by one.

    >>> import assay
    >>> from assay.plots.thin_scores import condensed
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> found = chosen_cutoffs(condensed(tally), (0, 1), threshold=0.5)
    >>> found.values.tolist(), found.tp.tolist(), found.fp.tolist(), found.start
    ([0.1, 0.5, 0.7, 0.9, inf], [2, 2, 2, 1, 0], [2, 1, 1, 0, 0], 1)
    """
    ranks = Ranks(drawn.tally)
    table = ranks.at_cutoffs()
    values = ranks.cutoffs()[::-1].astype(np.float64)
    tp, fp = (np.asarray(one)[::-1] for one in (table.tp, table.fp))
    places, hull = np.arange(len(values)), True
    if len(values) > most:
        corners, room = len(values) - 1 - ranks.hull(), min(most, _OF_MORE)
        if len(corners) > 3 * room // 4:
            hull = False
            corners = corners[np.linspace(0, len(corners) - 1, 3 * room // 4).astype(np.intp)]
        each = (room - len(corners) - 4) // 2
        evenly = [
            np.searchsorted(-one, -np.linspace(one[0], 0, each)) for one in (tp, fp) if one[0]
        ]  # fmt: skip
        ends = [0, 1, len(values) - 2, len(values) - 1]
        places = np.unique(np.concatenate([corners, ends, *evenly]))
        places = places[places < len(values)]
    shown, hits, alarms = values[places], tp[places], fp[places]
    start = None
    if threshold is not None:
        start = int(np.searchsorted(shown, threshold))
        if start == len(shown) or shown[start] != threshold:
            reached = int(np.searchsorted(values, threshold))
            own = counts or (tp[reached], fp[reached])
            shown, hits, alarms = (
                np.insert(column, start, one)
                for column, one in zip((shown, hits, alarms), (threshold, *own), strict=True)
            )
    if drawn.tally.weights is None:
        four = (hits, alarms, tp[0] - hits, fp[0] - alarms)
        columns = zip(*(column.tolist() for column in four), strict=True)
        tables = [table_of(tp, fp, fn, tn, labels) for tp, fp, fn, tn in columns]
    else:
        # The last cutoff is above all scores, even where one of them is infinite.
        tables = confusions_at(drawn.tally, [*shown[:-1].tolist(), np.nan], labels)
        four = tuple(np.array([two_by_two(one, labels) for one in tables]).reshape(-1, 4).T[[3, 1, 2, 0]])
    complete = drawn.whole and len(places) == len(values)
    return Cutoffs(shown, tables, *four, start, drawn.distinct, complete, hull)


def table_of(tp: int, fp: int, fn: int, tn: int, labels: Sequence[Any]) -> Confusion:
    """Return the confusion tally of counts; the second of the two labels is the positive one.

    >>> table_of(2, 1, 0, 5, ("spam", "ham")).table()
    array([[2, 0],
           [1, 5]])
    """
    return Confusion.of_table([[tn, fp], [fn, tp]], labels)


def live_metrics(
    cutoffs: Cutoffs, metrics: Iterable[Live], *, confidence: float, intervals: bool
) -> dict[str, Any]:
    """Return the metrics at every cutoff, in columns: as printed, packed small.

    `intervals` is False where rows come in groups: those cannot be told from counts.
    """
    wanted = list(metrics)
    found: dict[str, list[Estimate]] = {name: [] for name, _, _ in wanted}
    for table in cutoffs.tables:
        for name, metric, options in wanted:
            if intervals:
                made = estimate_tally(metric, table, options, confidence=confidence)
            else:
                value = metric(table, **options)
                made = Estimate(value, None, None, confidence, "", table.n)
            found[name].append(made)
    return {name: _column(estimates) for name, estimates in found.items()}


def _column(estimates: list[Estimate]) -> dict[str, Any]:
    """Return one metric's columns; the method is written only where it changes."""
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
