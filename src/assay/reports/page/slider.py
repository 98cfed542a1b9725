"""The slider's data: exact counts at the cutoffs it reaches, and all metrics there with intervals.

All of it is computed here, by the methods that made the metrics of the summary, and is shipped as it is
printed: so page and Python agree to the last digit.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.formatting.numbers import format_value
from assay.inference.intervals.choose_interval import estimate_tally
from assay.inference.intervals.many_tables import estimate_counts
from assay.metrics import Binary, Undefined
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

MOST = 1_200  # cutoffs that are all reached: with its metrics each takes about 150 bytes
_OF_MORE = 600  # cutoffs where not all can be reached: as fine as a hand can move a slider
_ROUND_STEPS = (1, 2, 5)  # times a power of ten: between thresholds that people type
_UNITS = 10_000  # printed numbers have four decimals
_NEAR_TIE = 1e-6  # how near a tie of rounding the fifth decimal may be to be looked at more closely


class Cutoffs(NamedTuple):
    """Rising cutoffs, the last of them above all scores, with what reaches them: rows, or their weight.

    ``tables`` are those of weighted rows, None where the counts say all. ``start`` is where the metrics of
    the summary are, or None where no cutoff predicts the same rows positive; ``distinct`` is how many
    distinct scores there are, ``complete`` whether all are here, and ``hull`` whether all those are that some
    costs make the cheapest. ``step`` is None where all are here: else all its multiples within the scores
    are.
    """

    values: NDArray[np.float64]
    tables: Sequence[Confusion] | None
    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    tn: NDArray[Any]
    start: int | None
    distinct: int
    complete: bool
    hull: bool
    step: float | None


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
    tp, fp = (np.asarray(count)[::-1] for count in (table.tp, table.fp))
    indices, hull, step = np.arange(len(values)), True, None
    if len(values) > most:
        indices, hull = _important(ranks, tp, fp, min(most, _OF_MORE))
    shown, hits, alarms = values[indices], tp[indices], fp[indices]
    own: list[tuple[float, int, int]] = []
    if len(values) > most and not drawn.binned:
        step, round_numbers = _round_cutoffs(shown, most // 2 if most < MOST else MOST)
        own = list(zip(round_numbers.tolist(), *_counts_from(drawn, round_numbers), strict=True))
    if threshold is not None and threshold not in shown:
        reached = int(np.searchsorted(values, threshold))
        own.append((threshold, *(counts or (tp[reached], fp[reached]))))
    if own:
        shown, hits, alarms = _with_more((shown, hits, alarms), own)
    start = None if threshold is None else int(np.searchsorted(shown, threshold))
    complete = drawn.whole and len(indices) == len(values)
    facts: Any = {
        "start": start,
        "distinct": drawn.distinct,
        "complete": complete,
        "hull": hull,
        "step": step,
    }
    if drawn.tally.weights is None:
        return Cutoffs(shown, None, hits, alarms, tp[0] - hits, fp[0] - alarms, **facts)
    # The last cutoff is above all scores, even where one of them is infinite.
    tables = confusions_at(drawn.tally, [*shown[:-1].tolist(), np.nan], labels)
    four: Any = np.array([two_by_two(table, labels) for table in tables]).reshape(-1, 4).T[[3, 1, 2, 0]]
    return Cutoffs(shown, tables, *four, **facts)


def _important(ranks: Ranks, tp: NDArray[Any], fp: NDArray[Any], limit: int) -> tuple[NDArray[np.intp], bool]:
    """Return the indices of so many cutoffs that matter, and whether all corners of the hull are there."""
    size, hull = len(tp), True
    corners = size - 1 - ranks.hull()
    if len(corners) > 3 * limit // 4:
        hull = False
        corners = corners[np.linspace(0, len(corners) - 1, 3 * limit // 4).astype(np.intp)]
    each = (limit - len(corners) - 4) // 2
    evenly = [
        np.searchsorted(-count, -np.linspace(count[0], 0, each)) for count in (tp, fp) if count[0]
    ]  # fmt: skip
    indices = np.unique(np.concatenate([corners, [0, 1, size - 2, size - 1], *evenly]))
    return indices[indices < size], hull


def _round_cutoffs(shown: NDArray[np.float64], limit: int) -> tuple[float | None, NDArray[np.float64]]:
    """Return the finest round step of which so many multiples lie within the scores, and the multiples."""
    finite = shown[np.isfinite(shown)]
    if len(finite) < 2 or not finite[-1] - finite[0] < math.inf:  # noqa: PLR2004
        return None, np.empty(0)
    rough = (finite[-1] - finite[0]) / limit
    power = math.floor(math.log10(rough))
    steps = [(times, k) for k in (power, power + 1) for times in _ROUND_STEPS]
    times, power = next((times, k) for times, k in steps if times * 10.0**k >= rough)
    scale = 10.0 ** abs(power)
    step = times * scale if power >= 0 else times / scale
    wholes = np.arange(math.ceil(finite[0] / step), math.floor(finite[-1] / step) + 1) * times
    multiples = wholes * scale if power >= 0 else wholes / scale  # as decimals are read: 0.3, not 3 * 0.1
    return step, multiples[~np.isin(multiples, shown)]


def _counts_from(drawn: ThinnedScores, thresholds: NDArray[np.float64]) -> list[list[int]]:
    """Return how many positives, and how many negatives, have a score from each of rising thresholds on."""
    source = drawn.source
    firsts = np.searchsorted(source.scores, thresholds)
    counts = []
    for side in (source.positives, source.negatives):
        sums = [part.sum(dtype=np.int64) for part in np.split(side, firsts)[1:]]
        counts.append(np.cumsum(sums[::-1])[::-1].tolist())
    return counts


def _with_more(
    columns: tuple[NDArray[Any], ...], entries: list[tuple[float, int, int]]
) -> tuple[NDArray[Any], ...]:
    """Return columns of rising cutoffs and their counts with further entries, each where it belongs."""
    more = sorted({entry[0]: entry for entry in entries}.values())
    at = np.searchsorted(columns[0], [entry[0] for entry in more])
    return tuple(
        np.insert(column, at, values) for column, values in zip(columns, zip(*more, strict=True), strict=True)
    )


def table_of(tp: int, fp: int, fn: int, tn: int, labels: Sequence[Any]) -> Confusion:
    """Return the confusion tally of counts; the second of the two labels is the positive one.

    >>> table_of(2, 1, 0, 5, ("spam", "ham")).table()
    array([[2, 0],
           [1, 5]])
    """
    return Confusion.of_table([[tn, fp], [fn, tp]], labels)


def live_metrics(
    cutoffs: Cutoffs, metrics: Iterable[Live], labels: Sequence[Any], *, confidence: float, intervals: bool
) -> dict[str, Any]:
    """Return the metrics at every cutoff, in columns: as printed, packed small.

    `intervals` is False where rows come in groups: those cannot be told from counts.
    """
    return {
        name: _column(*_estimates(cutoffs, metric, options, labels, confidence, intervals=intervals))
        for name, metric, options in metrics
    }


def _estimates(
    cutoffs: Cutoffs, metric: Metric, options: dict[str, Any], labels: Sequence[Any], confidence: float,
    *, intervals: bool,
) -> tuple[NDArray[Any], dict[int, tuple[Any, Any, Any]], list[str]]:  # fmt: skip
    """Return values and limits as numbers, or as printed where found one by one, and the methods."""
    size = len(cutoffs.values)
    numbers, words = np.full((3, size), np.nan), [""] * size
    printed: dict[int, tuple[Any, Any, Any]] = {}
    many = None
    if cutoffs.tables is None:
        counts = Binary(
            *(column.astype(np.int64) for column in (cutoffs.tp, cutoffs.fp, cutoffs.fn, cutoffs.tn))
        )
        many = estimate_counts(metric, counts, options, confidence=confidence)
    if many is not None:
        numbers[0, many.known] = many.values[many.known]
        if intervals:
            numbers[1:, many.known] = many.low[many.known], many.high[many.known]
            words = [method if known else "" for method, known in zip(many.methods, many.known, strict=True)]
    for index in range(size) if many is None else np.flatnonzero(~many.known).tolist():
        table = _table_at(cutoffs, index, labels)
        if intervals:
            estimate = estimate_tally(metric, table, options, confidence=confidence)
            printed[index] = texts(estimate)
            value, words[index] = estimate.value, estimate.method or estimate.note
        else:
            value = metric(table, **options)
            printed[index] = (None if isinstance(value, Undefined) else format_value(value), None, None)
        words[index] = str(value) if isinstance(value, Undefined) else words[index]
    return numbers, printed, words


def _table_at(cutoffs: Cutoffs, index: int, labels: Sequence[Any]) -> Confusion:
    if cutoffs.tables is not None:
        return cutoffs.tables[index]
    tp, fp, fn, tn = (column[index].item() for column in (cutoffs.tp, cutoffs.fp, cutoffs.fn, cutoffs.tn))
    return table_of(tp, fp, fn, tn, labels)


def _column(
    numbers: NDArray[Any], printed: dict[int, tuple[Any, Any, Any]], words: list[str]
) -> dict[str, Any]:
    """Return one metric's columns; the method is written only where it changes."""
    columns = {}
    for place, name in enumerate(("value", "low", "high")):
        units = _packed(numbers[place])
        for index, text in printed.items():
            units[index] = text[place]
        columns[name] = _steps(units)
    starts = itertools.groupby(range(len(words)), key=words.__getitem__)
    return {**columns, "words": [[next(run), text] for text, run in starts]}


def _packed(numbers: NDArray[Any]) -> list[int | str | None]:
    """Return numbers in ten-thousandths where that is what is printed of them, else as printed.

    >>> _packed(np.array([0.97553, 1.2e-05, math.nan, 1]))
    [9755, '1.2e-05', None, 10000]
    """
    scaled = np.nan_to_num(numbers * _UNITS, posinf=0.0, neginf=0.0)
    units: list[Any] = np.rint(scaled).astype(np.int64).tolist()
    plain = (np.abs(numbers) >= 0.001) & (np.abs(numbers) < 0.9999) | np.isin(numbers, (0.0, 1.0, -1.0))  # noqa: PLR2004
    near_tie = np.abs(scaled - np.floor(scaled) - 0.5) < _NEAR_TIE
    for index in np.flatnonzero(~plain | near_tie).tolist():
        number = float(numbers[index])
        text = None if math.isnan(number) else format_value(number)
        exact = (
            text is not None
            and text.count(".") == 1
            and f"{round(float(text) * _UNITS) / _UNITS:.4f}" == text
        )
        units[index] = round(float(text) * _UNITS) if exact else text  # type: ignore[arg-type]
    return units


def _steps(units: list[int | str | None]) -> list[int | str | None]:
    """Return whole numbers as the steps from the whole number before, texts as they are.

    >>> _steps([9755, 9754, "1.2e-05", None, 9750])
    [9755, -1, '1.2e-05', None, -4]
    """
    before, steps = 0, list(units)
    for index, unit in enumerate(units):
        if isinstance(unit, int):
            steps[index], before = unit - before, unit
    return steps
