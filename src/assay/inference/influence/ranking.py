"""The influence of rows on figures of ranks: of one class against the rest, and averaged over classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.delta import kish
from assay.inference.influence.class_average_auc import area_average
from assay.inference.influence.gradients import class_shares
from assay.inference.influence.influence import Influence, row_influence, tally_influence, value_of
from assay.inference.influence.ranking_derivatives import rank_slopes
from assay.inputs import Column, Rows
from assay.inputs.columns import doubles
from assay.inputs.labels import binary
from assay.metrics import Ranks, Undefined
from assay.tallies import ClassScores, Scores
from assay.tallies.loss_arguments import numbers
from assay.tallies.scores.pooling import pooled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["ClassRows", "by_row", "class_average", "of_rows", "of_tally", "unit_sums"]

_WHAT = "an influence"


@tally_influence(Ranks)
def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of each entry's positives, and of its negatives: two rows of units.

    None for an average over classes: their tally does not say which scores are those of one row. Of very
    many scores, neighbours are one entry.
    """
    if not isinstance(tally, Scores) or options.get("average"):
        return None
    value = value_of(metric, tally, options)
    return None if isinstance(value, Undefined) else _of_entries(metric, pooled(tally), options, value)


def _of_entries(metric: Metric, tally: Scores, options: dict[str, Any], value: float) -> Influence | None:
    sums = unit_sums(tally)
    worth = kish(float(sums[0].sum()), float(sums[min(1, len(sums) - 1)].sum()))
    found = rank_slopes(metric.name, Ranks.of(tally), worth, value, **{**metric.parameters, **options})
    if found is None:
        return None
    slopes = np.stack(found)[:, ::-1]
    if tally.weights is not None:  # a score may have several entries, one for each weight
        slopes = np.repeat(slopes, np.diff(tally.starts(), append=len(tally.scores)), axis=1)
    return Influence(value, slopes, *sums)


def unit_sums(tally: Scores) -> list[NDArray[np.float64]]:
    """Return what the rows of each entry weigh, positives first, and with weights also squared and cubed."""
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
        return _averaged(metric, rows, average, options, tally)
    if not isinstance(tally, Scores):
        tally = Scores.of(rows)
    value = value_of(metric, tally, options)
    if isinstance(value, Undefined):
        return None
    found = _of_entries(metric, tally, options, value)
    return None if found is None else by_row(found, tally, rows)


def by_row(found: Influence, tally: Scores, rows: Rows) -> Influence:
    """Return the influence of every row, where that of the entries of its tally is known."""
    positive, _ = binary(rows.need("actual", _WHAT), rows.positive, rows.labels)
    score = doubles(rows.need("score", _WHAT).numbers("scores"))
    # The rows are the tally's own, so that their scores in order are its scores: no search, which would take
    # ten times as long, is needed to find a row's entry.
    order = np.argsort(score)
    fresh = np.ones(len(score), dtype=bool)
    np.not_equal(score[order[1:]], score[order[:-1]], out=fresh[1:])
    entry = np.empty(len(score), dtype=np.intp)
    entry[order] = tally.starts()[np.cumsum(fresh) - 1]
    slopes = found.slopes[1 - positive.astype(np.intp), entry]
    return Influence.of_rows(found.value, slopes, None if rows.weight is None else rows.weight.values)


class ClassRows:
    """Rows with a column of scores per class, to be read one class at a time."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.codes = numbers(rows, "codes", _WHAT)
        self.scores = numbers(rows, "scores", _WHAT)
        self.weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values
        self.size = self.scores.shape[1]
        self.mass = np.bincount(self.codes, self.weight, minlength=self.size).astype(np.float64)

    def influence(self, value: float, slopes: NDArray[Any]) -> Influence:
        """Return the influence of the rows from their slopes."""
        weight = None if self.rows.weight is None else self.weight
        return Influence.of_rows(value, slopes, weight)

    def of_class(
        self, metric: Metric, place: int, parameters: dict[str, Any]
    ) -> tuple[float, NDArray[np.float64]] | None:
        """Return a class's value by its own column, against the rest, and each row's slope."""
        own = self.codes == place
        found = self._of_column(metric, own, self.scores[:, place], self.weight, parameters)
        return None if found is None else (found.value, found.slopes)

    def together(self, metric: Metric, parameters: dict[str, Any]) -> Influence | None:
        """Return the influence where all columns are read as one, each row once per class."""
        positive = self.codes[:, None] == np.arange(self.size)
        weight = np.repeat(self.weight, self.size)
        found = self._of_column(metric, positive.ravel(), self.scores.ravel(), weight, parameters)
        if found is None:
            return None
        return self.influence(found.value, found.slopes.reshape(positive.shape).sum(axis=1))

    def _of_column(
        self,
        metric: Metric,
        positive: NDArray[np.bool_],
        scores: NDArray[Any],
        weight: NDArray[Any],
        parameters: dict[str, Any],
    ) -> Influence | None:
        given = None if self.rows.weight is None else Column("weight", weight)
        columns = Column("actual", positive), Column("score", np.ascontiguousarray(scores))
        one = Rows(len(positive), actual=columns[0], score=columns[1], weight=given)
        return of_rows(metric, one, dict(parameters))


def _averaged(
    metric: Metric, rows: Rows, average: str, options: dict[str, Any], tally: Tally | None
) -> Influence | None:
    """Return the influence on an average over classes: the sum over them, and that of their weights."""
    value = metric(tally if isinstance(tally, ClassScores) else rows, **options)
    if isinstance(value, Undefined):
        return None
    parameters = {name: given for name, given in options.items() if name in metric.parameters}
    several = ClassRows(rows)
    if average == "micro":
        return several.together(metric, parameters)
    undefined = options.get("undefined", "strict")
    return class_average(metric, several, average, value=value, parameters=parameters, undefined=undefined)


def class_average(
    metric: Metric,
    several: ClassRows,
    average: str,
    *,
    value: float,
    parameters: dict[str, Any],
    undefined: Any = "strict",
) -> Influence | None:
    """Return the influence on the classes' mean, each against the rest, alike or by their rows."""
    if metric.name == "auc":
        return area_average(several, average, value, undefined)
    values, slopes = np.full(several.size, np.nan), np.zeros(len(several.codes))
    for place in range(several.size):
        found = several.of_class(metric, place, parameters)
        if found is not None:  # shares are in proportion to this until they are known
            values[place] = found[0]
            slopes += (1.0 if average == "macro" else several.mass[place]) * found[1]
    classes = class_shares(average, values, several.mass, undefined)
    if classes is None:
        return None
    place = int(classes.shares.argmax())
    scale = classes.shares[place] / (1.0 if average == "macro" else several.mass[place])
    return several.influence(value, scale * slopes + classes.moved[several.codes])
