"""Choose the threshold of an evaluation, by its costs or beta unless another criterion is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.decisions import choose_threshold, cross_fitted
from assay.errors import InputError
from assay.tallies import BinnedScores, Scores

if TYPE_CHECKING:
    from assay.decisions.selection_optimism import CrossFit
    from assay.decisions.threshold import Threshold
    from assay.evaluation.evaluation import Evaluation

__all__ = ["choose_threshold_of", "cross_fit_threshold_of"]

_CRITERIA = (
    "cost_fp", "cost_fn", "cost_tp", "cost_tn", "best", "min_recall", "min_precision", "min_specificity",
    "capacity", "rate", "equal_error",
)  # fmt: skip


_NOT_CRITERIA = {"confidence", "versus", "folds", "replicates", "seed"}


def choose_threshold_of(ev: Evaluation, *, versus: float | None = None, **criterion: Any) -> Threshold:
    """Return the best threshold for a criterion, and the evaluation's own for comparison."""
    other = ev.task.threshold if versus is None else versus
    return choose_threshold(_scores_of(ev), versus=other, **_criterion(ev, criterion))


def cross_fit_threshold_of(ev: Evaluation, **criterion: Any) -> CrossFit:
    """Return the performance of a threshold chosen by a criterion, by cross-fitting."""
    return cross_fitted(_scores_of(ev), **_criterion(ev, criterion))


def _scores_of(ev: Evaluation) -> Any:
    """Return the rows, whose groups and costs count, or else the tally of scores."""
    scores = next((tally for tally in ev.tallies.tallies if isinstance(tally, (Scores, BinnedScores))), None)
    if ev.task.name != "binary" or scores is None:
        raise InputError("a threshold is chosen on scores of two classes: pass score= to evaluate().")
    return scores if ev.rows is None else ev.rows


def _criterion(ev: Evaluation, criterion: dict[str, Any]) -> dict[str, Any]:
    """Return the criterion, or else one by the evaluation's settings: costs first, then beta."""
    settings = ev.settings
    if not any(name in criterion for name in _CRITERIA):
        if "beta" in criterion:
            criterion = {"best": "f_beta", **criterion}
        elif settings.costs:
            criterion = settings.costs | criterion
        elif settings.beta is not None:
            criterion = {"best": "f_beta", "beta": settings.beta, **criterion}
        elif not criterion.keys() <= _NOT_CRITERIA:
            return criterion  # an unknown name: choose_threshold suggests one
        else:
            raise InputError(
                'say what a threshold is to be best for: cost_fp= and cost_fn=, best="f1", min_recall=0.95 '
                "and so on; or say cost_fp= and cost_fn=, or beta=, to evaluate()."
            )
    if settings.prevalence is not None and {"cost_fp", "cost_fn"} & criterion.keys():
        criterion = {"prevalence": settings.prevalence, **criterion}
    is_constraint = any(
        name.startswith("min_") for name in criterion
    )  # whose confidence is part of the constraint
    return criterion if is_constraint else {"confidence": settings.confidence, **criterion}
