"""How good the probabilities of several classes are: losses of a row, and calibration three ways."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.metrics.arithmetic import mild, ratio, total
from assay.metrics.metric import metric, need_tally
from assay.metrics.parameters import whole
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


def _own(codes: Any, values: Any) -> Any:
    """Return each row's value of its own class."""
    return np.take_along_axis(values, codes[:, None], axis=1)[:, 0]


def _squared(codes: Any, probabilities: Any) -> Any:
    errors = probabilities.copy()
    errors[np.arange(len(codes)), codes] -= 1
    return (errors**2).sum(axis=1)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=NO_ROWS, aliases=("categorical_cross_entropy",), title="log loss",
)  # fmt: skip
def multiclass_log_loss(codes: Any, probabilities: Any, *, clip: float = 0.0) -> Any:
    """How surprising the classes were to the model: ``-mean(log(probability of the actual class))``.

    Infinite where an actual class was given probability 0; a `clip` above 0 moves probabilities into
    [clip, 1 - clip] first. Rows whose probabilities do not add up to 1 are refused.
    """
    return log_losses(None, _own(codes, probabilities), clip=clip)


@mean_metric(bounds=(0, 2), best=0, undefined=NO_ROWS, title="Brier score")
def multiclass_brier(codes: Any, probabilities: Any) -> Any:
    """The squared distance of the probabilities from what happened, added over the classes.

    ``mean(sum over classes (probability - outcome)²)``. Of two classes it is twice the Brier score of one.
    """
    return _squared(codes, probabilities)


@mean_metric(bounds=(0, 1), best=0, undefined=NO_ROWS, title="halved Brier score")
def halved_multiclass_brier(codes: Any, probabilities: Any) -> Any:
    """Half the Brier score of several classes, so that 1 is the worst.

    ``mean(sum over classes (probability - outcome)²) / 2``
    """
    return _squared(codes, probabilities) / 2


@mean_metric(bounds=(0, 1), best=0, undefined="there is one class only", aliases=("rps",))
def ranked_probability_score(codes: Any, probabilities: Any) -> Any:
    """How far the probabilities are from what happened where classes have an order, that of the labels.

    ``mean(sum over cuts (probability below - outcome below)²) / (classes - 1)``: being far off costs more
    than being off by one.
    """
    cuts = probabilities.shape[1] - 1
    below = np.cumsum(probabilities, axis=1)[:, :-1]
    return ratio(((below - (codes[:, None] <= np.arange(cuts))) ** 2).sum(axis=1), np.full(len(codes), cuts))


@mean_metric(bounds=(0, 1), best=1, undefined=NO_ROWS)
def spherical_score(codes: Any, probabilities: Any) -> Any:
    """The probability of what happened beside the length of them all: ``mean(p(actual) / sqrt(sum(p²)))``."""
    return _own(codes, probabilities) / np.sqrt((probabilities**2).sum(axis=1))


@mean_metric(bounds=(0, 1), best=1, undefined=NO_ROWS, title="top-k accuracy")
def top_k_accuracy(codes: Any, scores: Any, *, k: int = 2) -> Any:
    """How often the actual class is among the k of the highest scores: ``mean(rank of the actual <= k)``.

    Where classes tie for the last of the k places, the row counts by the share of them that get one: no
    order of the labels shows.
    """
    k = whole("k", k)
    own = _own(codes, scores)[:, None]
    above, level = (scores > own).sum(axis=1), (scores == own).sum(axis=1)
    return np.clip((k - above) / level, 0, 1)


@dataclasses.dataclass(frozen=True, slots=True)
class Confidence:
    """How probable the predicted classes were held, and how often they were right: together, and by class."""

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
        rows = mild(np.array([_mass(one) for one in tally.tallies]))
        return cls(Probabilities.of(tally.pooled()), tuple(map(Probabilities.of, tally.tallies)), rows)


def _mass(tally: Scores) -> float:
    """Return how many rows a tally has, or what they weigh."""
    rows = tally.positives.astype(np.float64) + tally.negatives
    return float(total(rows if tally.weights is None else rows * tally.weights))


@metric(
    reads=Confidence, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("confidence_ece",),
    depends_on_n=True,
)  # fmt: skip
def confidence_calibration_error(
    c: Confidence, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """How far the probability of the predicted class is from how often it is right, in bins.

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
    """As the confidence's calibration error, but for each predicted class apart (Gupta and Ramdas 2022).

    ``sum over predicted classes(rows calibration error of the class) / n``. Biased upward.
    """
    parts = [expected_calibration_error.formula(one, bins=bins, rule=rule, ties=ties) for one in c.each]
    return ratio(total(c.rows * np.array(parts)), total(c.rows))


@metric(
    reads=ClassRanks, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("classwise_ece",),
    depends_on_n=True, probabilities=True,
)  # fmt: skip
def classwise_calibration_error(
    c: ClassRanks, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share"
) -> Any:
    """How far each class's probability is from how often it happens, every class counting alike.

    ``mean over classes(calibration error of the class against the rest)``. Biased upward.
    """
    parts = [
        expected_calibration_error.formula(
            Probabilities.of(c.source.against_rest(label)), bins=bins, rule=rule, ties=ties
        )
        for label in c.source.labels
    ]
    return ratio(total(np.array(parts)), len(parts))
