"""The influence of rows on ranking metrics: of one class against the rest, and averaged over classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.delta import kish
from assay.inference.influence.class_average_auc import area_average
from assay.inference.influence.gradients import class_shares
from assay.inference.influence.influence import Influence, row_influence, tally_influence
from assay.inference.influence.ranking_derivatives import rank_slopes
from assay.inputs import Column, Rows
from assay.metrics import Ranks, Undefined
from assay.metrics.spec import value_of
from assay.tallies import ClassScores, Scores
from assay.tallies.loss_arguments import loss_argument
from assay.tallies.scores.scores import pooled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["ClassRows", "by_row", "class_average", "of_many", "of_rows", "of_tally", "unit_sums"]

_PURPOSE = "an influence"


@tally_influence(Ranks)
def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of each entry's positives, and of its negatives: two rows of units.

    None for an average over classes: their tally does not say which scores are those of one row. Of very
    many scores, neighbours are one entry.
    """
    if not isinstance(tally, Scores) or options.get("average"):
        return None
    value = value_of(metric, tally, options)
    return (
        None if isinstance(value, Undefined) else _influence_of_entries(metric, pooled(tally), options, value)
    )


def _influence_of_entries(
    metric: Metric, tally: Scores, options: dict[str, Any], value: float
) -> Influence | None:
    sums = unit_sums(tally)
    effective = kish(float(sums[0].sum()), float(sums[min(1, len(sums) - 1)].sum()))
    by_threshold = rank_slopes(
        metric.name, Ranks.of(tally), effective, value, **{**metric.parameters, **options}
    )
    if by_threshold is None:
        return None
    slopes = np.stack(by_threshold)[:, ::-1]
    if tally.weights is not None:  # a score may have several entries, one for each weight
        slopes = np.repeat(slopes, np.diff(tally.starts(), append=len(tally.scores)), axis=1)
    return Influence(value, slopes, *sums)


def unit_sums(tally: Scores) -> list[NDArray[np.float64]]:
    """Return the sums of each entry's weights, positives first; with weights also of squares and cubes."""
    counts = np.stack([tally.positives, tally.negatives]).astype(np.float64)
    if tally.weights is None:
        return [counts]
    return [counts * tally.weights**power for power in (1, 2, 3)]


@row_influence(Ranks)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row: that of its score and class, or the sum over all classes."""
    if average := options.get("average"):
        return _influence_on_average(metric, rows, average, options, tally)
    if not isinstance(tally, Scores):
        tally = Scores.of(rows)
    value = value_of(metric, tally, options)
    if isinstance(value, Undefined):
        return None
    tally = of_many(tally, rows)
    entries = _influence_of_entries(metric, tally, options, value)
    return None if entries is None else by_row(entries, tally, rows)


def by_row(entries: Influence, tally: Scores, rows: Rows) -> Influence:
    """Return the influence of every row from that of the entries of its tally, which may have others."""
    positive, score = rows.binary_actual(_PURPOSE)[0], rows.float64("score", _PURPOSE, "scores")
    if tally.n != rows.n:
        entry = np.searchsorted(tally.scores, score)
        slopes = entries.slopes[1 - positive.astype(np.intp), entry]
        return Influence.of_rows(entries.value, slopes)
    # The rows are the tally's own, so that their scores in order are its scores: no search, which would take
    # ten times as long, is needed to find a row's entry.
    order = np.argsort(score)
    is_new = np.ones(len(score), dtype=bool)
    np.not_equal(score[order[1:]], score[order[:-1]], out=is_new[1:])
    entry = np.empty(len(score), dtype=np.intp)
    entry[order] = tally.starts()[np.cumsum(is_new) - 1]
    slopes = entries.slopes[1 - positive.astype(np.intp), entry]
    return Influence.of_rows(entries.value, slopes, None if rows.weight is None else rows.weight.values)


def of_many(tally: Scores, rows: Rows) -> Scores:
    """Return a tally of many more rows with other scores put together, and those of the rows as they are."""
    if tally.n == rows.n or tally.weights is not None:
        return tally
    return pooled(tally, around=rows.float64("score", _PURPOSE, "scores"))


class ClassRows:
    """Rows with a column of scores per class, to be read one class at a time."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.codes = loss_argument(rows, "codes", _PURPOSE)
        self.scores = loss_argument(rows, "scores", _PURPOSE)
        self.weight = np.ones(rows.n) if rows.weight is None else rows.weight.values
        self.size = self.scores.shape[1]
        self.mass = np.bincount(self.codes, self.weight, minlength=self.size).astype(np.float64)

    def influence(self, value: float, slopes: NDArray[Any]) -> Influence:
        """Return the influence of the rows from their slopes."""
        weight = None if self.rows.weight is None else self.weight
        return Influence.of_rows(value, slopes, weight)

    def of_class(
        self, metric: Metric, index: int, parameters: dict[str, Any]
    ) -> tuple[float, NDArray[np.float64]] | None:
        """Return a class's value by its own column, against the rest, and each row's slope."""
        own = self.codes == index
        column = self._of_column(metric, own, self.scores[:, index], self.weight, parameters)
        return None if column is None else (column.value, column.slopes)

    def micro_average(self, metric: Metric, parameters: dict[str, Any]) -> Influence | None:
        """Return the influence on the micro-average: all columns read as one, each row once per class."""
        positive = self.codes[:, None] == np.arange(self.size)
        weight = np.repeat(self.weight, self.size)
        pooled = self._of_column(metric, positive.ravel(), self.scores.ravel(), weight, parameters)
        if pooled is None:
            return None
        return self.influence(pooled.value, pooled.slopes.reshape(positive.shape).sum(axis=1))

    def _of_column(
        self,
        metric: Metric,
        positive: NDArray[np.bool_],
        scores: NDArray[Any],
        weight: NDArray[Any],
        parameters: dict[str, Any],
    ) -> Influence | None:
        weights = None if self.rows.weight is None else Column("weight", weight)
        actual, score = Column("actual", positive), Column("score", np.ascontiguousarray(scores))
        binary_rows = Rows(len(positive), actual=actual, score=score, weight=weights)
        return of_rows(metric, binary_rows, dict(parameters))


def _influence_on_average(
    metric: Metric, rows: Rows, average: str, options: dict[str, Any], tally: Tally | None
) -> Influence | None:
    """Return the influence on an average over classes: the sum over them, and that of their weights."""
    value = metric(tally if isinstance(tally, ClassScores) else rows, **options)
    if isinstance(value, Undefined):
        return None
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    class_rows = ClassRows(rows)
    if average == "micro":
        return class_rows.micro_average(metric, parameters)
    undefined = options.get("undefined", "strict")
    return class_average(metric, class_rows, average, value=value, parameters=parameters, undefined=undefined)


def class_average(
    metric: Metric,
    class_rows: ClassRows,
    average: str,
    *,
    value: float,
    parameters: dict[str, Any],
    undefined: Any = "strict",
) -> Influence | None:
    """Return the influence on the macro or weighted average of the classes, each against the rest."""
    if metric.name == "auc":
        return area_average(class_rows, average, value, undefined)
    values, slopes = np.full(class_rows.size, np.nan), np.zeros(len(class_rows.codes))
    for index in range(class_rows.size):
        of_class = class_rows.of_class(metric, index, parameters)
        if of_class is not None:  # the shares are proportional to this factor
            values[index] = of_class[0]
            slopes += (1.0 if average == "macro" else class_rows.mass[index]) * of_class[1]
    classes = class_shares(average, values, class_rows.mass, undefined)
    if classes is None:
        return None
    index = int(classes.shares.argmax())
    scale = classes.shares[index] / (1.0 if average == "macro" else class_rows.mass[index])
    return class_rows.influence(value, scale * slopes + classes.moved[class_rows.codes])
