"""Proper scores and calibration errors of the probabilities of several classes."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import check_whole_number
from assay.metrics.arithmetic import mild, ratio, total
from assay.metrics.metric import metric, need_tally
from assay.metrics.probability.calibration import expected_calibration_error
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.probability import Probabilities
from assay.metrics.views.row_means import mean_metric
from assay.tallies import Confidences
from assay.tallies.loss_arguments import log_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.probability.binning import Rule, Ties
    from assay.tallies import Scores

__all__ = ["Confidence"]


def _of_actual_class(codes: Any, values: Any) -> Any:
    """Return each row's value for its actual class."""
    return np.take_along_axis(values, codes[:, None], axis=1)[:, 0]


def _squared(codes: Any, probabilities: Any) -> Any:
    errors = probabilities.copy()
    errors[np.arange(len(codes)), codes] -= 1
    return (errors**2).sum(axis=1)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=NO_ROWS, aliases=("categorical_cross_entropy",), title="log loss",
)  # fmt: skip
def multiclass_log_loss(codes: Any, probabilities: Any, *, clip: float = 0.0) -> Any:
    """Mean negative log-likelihood of the actual classes: ``-mean(log(probability of the actual class))``.

    Infinite where an actual class had probability 0; a `clip` above 0 moves probabilities into
    [clip, 1 - clip] first. Rows whose probabilities do not add up to 1 are refused.
    """
    return log_losses(None, _of_actual_class(codes, probabilities), clip=clip)


@mean_metric(bounds=(0, 2), best=0, undefined=NO_ROWS, title="Brier score")
def multiclass_brier(codes: Any, probabilities: Any) -> Any:
    """Squared difference of probabilities and outcome, added over the classes.

    ``mean(sum over classes (probability - outcome)²)``. For two classes it is twice the Brier score of one.
    """
    return _squared(codes, probabilities)


@mean_metric(bounds=(0, 1), best=0, undefined=NO_ROWS, title="halved Brier score")
def halved_multiclass_brier(codes: Any, probabilities: Any) -> Any:
    """Half the Brier score of several classes, so that 1 is the worst.

    ``mean(sum over classes (probability - outcome)²) / 2``
    """
    return _squared(codes, probabilities) / 2


@mean_metric(bounds=(0, 1), best=0, undefined="there is only one class", aliases=("rps",))
def ranked_probability_score(codes: Any, probabilities: Any) -> Any:
    """Squared difference of cumulative probabilities and outcome, for classes in the order of the labels.

    ``mean(sum over cuts (probability below - outcome below)²) / (classes - 1)``: being far off costs more
    than being off by one.
    """
    cuts = probabilities.shape[1] - 1
    below = np.cumsum(probabilities, axis=1)[:, :-1]
    return ratio(((below - (codes[:, None] <= np.arange(cuts))) ** 2).sum(axis=1), np.full(len(codes), cuts))


@mean_metric(bounds=(0, 1), best=1, undefined=NO_ROWS)
def spherical_score(codes: Any, probabilities: Any) -> Any:
    """Probability of the actual class over the norm of all probabilities.

    ``mean(p(actual) / sqrt(sum(p²)))``
    """
    return _of_actual_class(codes, probabilities) / np.sqrt((probabilities**2).sum(axis=1))


@mean_metric(bounds=(0, 1), best=1, undefined=NO_ROWS, title="top-k accuracy")
def top_k_accuracy(codes: Any, scores: Any, *, k: int = 2) -> Any:
    """Share of rows whose actual class is among the k highest scores: ``mean(rank of the actual <= k)``.

    Where classes tie for the last of the k positions, the row counts by the share of them that fit: the order
    of the labels does not matter.
    """
    k = check_whole_number("k", k)
    actual = _of_actual_class(codes, scores)[:, None]
    above, tied = (scores > actual).sum(axis=1), (scores == actual).sum(axis=1)
    return np.clip((k - above) / tied, 0, 1)


@dataclasses.dataclass(frozen=True, slots=True)
class Confidence:
    """Probabilities of the predicted classes and how often these are correct: together, and by class."""

    together: Probabilities
    each: tuple[Probabilities, ...]
    rows: NDArray[Any]  # of each predicted class, or what they weigh

    tally = Confidences
    title = "confidence in the predicted class"
    needs = "class scores"
    uses_probabilities = True

    @classmethod
    def of(cls, tally: Any) -> Self:
        """Return the view of a confidence tally."""
        need_tally(tally, Confidences)
        rows = mild(np.array([_mass(scores) for scores in tally.tallies]))
        return cls(Probabilities.of(tally.pooled()), tuple(map(Probabilities.of, tally.tallies)), rows)


def _mass(tally: Scores) -> float:
    """Return the number of rows of a tally, or the sum of their weights."""
    rows = tally.positives.astype(np.float64) + tally.negatives
    return float(total(rows if tally.weights is None else rows * tally.weights))


@metric(
    reads=Confidence, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("confidence_ece",),
    depends_on_n=True,
)  # fmt: skip
def confidence_calibration_error(
    c: Confidence, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Difference of the predicted class's probability and the accuracy, in bins.

    ``sum(rows |mean largest probability - share correct|) / n``. Biased upward.
    """
    return expected_calibration_error.formula(c.together, bins=bins, rule=rule, ties=ties)


@metric(
    reads=Confidence, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("top_label_ece",),
    title="top-label ECE", depends_on_n=True,
)  # fmt: skip
def top_label_calibration_error(
    c: Confidence, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Difference of the predicted class's probability and the accuracy, for each predicted class on its own.

    ``sum over predicted classes(rows calibration error of the class) / n``. Gupta and Ramdas (2022). Biased
    upward.
    """
    parts = [expected_calibration_error.formula(view, bins=bins, rule=rule, ties=ties) for view in c.each]
    return ratio(total(c.rows * np.array(parts)), total(c.rows))


@metric(
    reads=ClassRanks, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("classwise_ece",),
    depends_on_n=True, probabilities=True,
)  # fmt: skip
def classwise_calibration_error(
    c: ClassRanks, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """Calibration error of each class against the rest, every class counting the same.

    ``mean over classes(calibration error of the class against the rest)``. Biased upward.
    """
    parts = [
        expected_calibration_error.formula(
            Probabilities.of(c.scores_of(label)), bins=bins, rule=rule, ties=ties
        )
        for label in c.source.labels
    ]
    return ratio(total(np.array(parts)), len(parts))
