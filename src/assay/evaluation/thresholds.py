"""Thresholds of an evaluation: by what its caller said is worse, unless another criterion is stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.decisions import choose_threshold, cross_fitted
from assay.errors import InputError
from assay.tallies import BinnedScores, Scores

if TYPE_CHECKING:
    from assay.decisions.selection_optimism import CrossFit
    from assay.decisions.threshold import Threshold
    from assay.evaluation.evaluation import Evaluation

__all__ = ["chosen", "chosen_by_folds"]

_CRITERIA = (
    "cost_fp", "cost_fn", "cost_tp", "cost_tn", "best", "min_recall", "min_precision", "min_specificity",
    "capacity", "rate", "equal_error",
)  # fmt: skip


_BESIDE = {"confidence", "versus", "folds", "replicates", "seed"}


def chosen(ev: Evaluation, *, versus: float | None = None, **stated: Any) -> Threshold:
    """Return the threshold for a criterion, beside the one that the evaluation was made with."""
    beside = ev.task.threshold if versus is None else versus
    return choose_threshold(_data(ev), versus=beside, **_criterion(ev, stated))


def chosen_by_folds(ev: Evaluation, **stated: Any) -> CrossFit:
    """Return what choosing a threshold by a criterion is worth, by cross-fitting."""
    return cross_fitted(_data(ev), **_criterion(ev, stated))


def _data(ev: Evaluation) -> Any:
    """Return the rows, whose groups and costs count, or the tally of their scores."""
    scores = next((one for one in ev.tallies.tallies if isinstance(one, (Scores, BinnedScores))), None)
    if ev.task.name != "binary" or scores is None:
        raise InputError("a threshold is chosen on scores of two classes: pass score= to evaluate().")
    return scores if ev.rows is None else ev.rows


def _criterion(ev: Evaluation, stated: dict[str, Any]) -> dict[str, Any]:
    """Return what is stated, or else what the evaluation knows: costs first, then beta."""
    settings = ev.settings
    if not any(name in stated for name in _CRITERIA):
        if "beta" in stated:
            stated = {"best": "f_beta", **stated}
        elif settings.costs:
            stated = settings.costs | stated
        elif settings.beta is not None:
            stated = {"best": "f_beta", "beta": settings.beta, **stated}
        elif not stated.keys() <= _BESIDE:
            return stated  # a name is not known: who chooses says which may have been meant
        else:
            raise InputError(
                'say what a threshold is to be best for: cost_fp= and cost_fn=, best="f1", min_recall=0.95 '
                "and so on; or say cost_fp= and cost_fn=, or beta=, to evaluate()."
            )
    if settings.prevalence is not None and {"cost_fp", "cost_fn"} & stated.keys():
        stated = {"prevalence": settings.prevalence, **stated}
    demanded = any(name.startswith("min_") for name in stated)  # where confidence is part of the demand
    return stated if demanded else {"confidence": settings.confidence, **stated}
