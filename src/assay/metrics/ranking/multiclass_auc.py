"""AUC of several classes or labels: each against the rest, or each pair of classes, averaged."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import MetricError, shown
from assay.metrics.arithmetic import ratio
from assay.metrics.metric import metric, need_tally
from assay.metrics.ranking.roc import auc
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.ranking import Ranks
from assay.tallies import ClassScores, ColumnTallies

if TYPE_CHECKING:
    from assay.tallies import Tally

__all__ = ["ClassRanks"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClassRanks:
    """Every class against the rest or against one other, each by its own column of scores.

    Or every label of rows that may have several: rows with it against rows without it.
    """

    source: ClassScores | ColumnTallies

    tally = ClassScores
    title = "scores of several classes"
    needs = "class scores"

    @classmethod
    def of(cls, tally: Any) -> Self:
        """Return the view of a class-score tally, or of the scores of each label."""
        if not isinstance(tally, ColumnTallies):
            need_tally(tally, ClassScores)
        return cls(tally)

    def scores_of(self, label: Any) -> Tally:
        """Return the scores of one class against the rest, or of rows with a label and rows without it."""
        source = self.source
        return source.of_label(label) if isinstance(source, ColumnTallies) else source.against_rest(label)

    @functools.cached_property
    def _ranks(self) -> list[Ranks]:
        return [Ranks.of(self.scores_of(label)) for label in self.source.labels]

    @functools.cached_property
    def rows(self) -> Any:
        """Number of rows of each class or label, or the sum of their weights."""
        if isinstance(self.source, ColumnTallies):
            return np.array([ranks.positives for ranks in self._ranks], dtype=np.float64)
        return self.source.class_weights

    @property
    def absent_classes(self) -> list[Any]:
        """Labels without rows."""
        return [label for label, rows in zip(self.source.labels, self.rows, strict=True) if not rows]

    @functools.cached_property
    def areas(self) -> Any:
        """Area under the ROC curve of each class against the rest; NaN where it has none."""
        if isinstance(self.source, ColumnTallies):
            return np.array([auc.formula(ranks) for ranks in self._ranks])
        above, pairs = (x * ~np.eye(len(x), dtype=bool) for x in self.source.concordance())
        return _areas(above.sum(1), pairs.sum(1))

    @functools.cached_property
    def pair_areas(self) -> Any:
        """Area of each class (rows) against each other one (columns), by the first one's scores."""
        if isinstance(self.source, ColumnTallies):
            raise MetricError(
                "rows that may have several labels have no pairs of classes: use macro_auc or micro_auc."
            )
        return _areas(*self.source.concordance())


def _areas(above: Any, pairs: Any) -> Any:
    """Return quotients of integers, each rounded once, whatever their size; NaN without pairs."""
    if pairs.dtype == np.float64:
        return ratio(above, pairs)
    quotients = [ratio(int(x), int(y)) for x, y in zip(above.flat, pairs.flat, strict=True)]
    return np.array(quotients).reshape(pairs.shape)


def missing_class(c: ClassRanks) -> str:
    """Return which classes have no rows, so that there is nothing to compare with them."""
    if isinstance(c.source, ColumnTallies):
        constant = [label for label, area in zip(c.source.labels, c.areas, strict=True) if np.isnan(area)]
        return f"all rows have, or all lack, the label {shown(constant)}"
    return (
        f"there are no rows of {shown(c.absent_classes)}" if c.absent_classes else "all rows are of one class"
    )


missing_class.__doc__ = "a class has no rows"  # what the catalogue says


@metric(
    reads=ClassRanks, kind="rank", bounds=(0, 1), best=1, undefined=missing_class,
    aliases=("hand_till", "auc_one_vs_one", "multiclass_auc"), title="Hand-Till AUC",
)  # fmt: skip
def hand_till_auc(c: ClassRanks, *, average: str = "macro", undefined: str = "strict") -> Any:
    """AUC averaged over pairs of classes, every pair counting the same: ``mean over pairs(auc)``.

    Hand & Till's M (2001); the area of a pair is the mean of both classes' columns. It does not depend on the
    classes' shares; ``average="weighted"`` lets each pair count by its rows, as scikit-learn's weighted
    one-vs-one does. Rows may have weights. ``undefined="skip"`` leaves classes without rows out.
    """
    if average not in ("macro", "weighted") or undefined not in ("strict", "skip"):
        raise MetricError('average= is "macro" or "weighted", undefined= is "strict" or "skip".')
    if c.absent_classes and undefined == "strict":
        return np.nan
    present = np.flatnonzero(c.rows)
    first, second = (present[side] for side in np.triu_indices(len(present), 1))
    if not len(first):
        return np.nan
    areas = (c.pair_areas[first, second] + c.pair_areas[second, first]) / 2
    return np.average(areas, weights=None if average == "macro" else c.rows[first] + c.rows[second])


@metric(
    reads=ClassRanks, kind="rank", bounds=(0, 1), best=1, undefined=missing_class,
    aliases=("auc_one_vs_rest", "ovr_macro_auc"),
)  # fmt: skip
def macro_auc(c: ClassRanks) -> Any:
    """AUC of each class against the rest, every class counting the same: ``mean over classes(auc)``."""
    return np.mean(c.areas)


@metric(
    reads=ClassRanks, kind="rank", bounds=(0, 1), best=1, undefined="all rows are of one class",
    aliases=("ovr_weighted_auc",),
)  # fmt: skip
def weighted_auc(c: ClassRanks) -> Any:
    """AUC of each class against the rest, each counting by its rows: ``sum(rows auc) / n``."""
    present = c.rows > 0
    return np.average(c.areas[present], weights=c.rows[present])


@metric(
    reads=ClassRanks, kind="rank", bounds=(0, 1), best=1, undefined=NO_ROWS,
    aliases=("ovr_micro_auc",),
)  # fmt: skip
def micro_auc(c: ClassRanks) -> Any:
    """AUC of all rows and classes pooled: ``auc of all columns as one``.

    It compares a row's score for its own class with scores for other classes, so all columns must be on one
    scale.
    """
    return auc.formula(Ranks.of(c.source.pooled()))
