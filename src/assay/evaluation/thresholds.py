"""Choose the threshold of an evaluation, by its costs or beta unless another criterion is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from assay.decisions.criterion_options import CriterionOptions, criterion_keywords
from assay.errors import InputError
from assay.hints import hint, param
from assay.tallies import BinnedScores, Scores

if TYPE_CHECKING:
    from assay.decisions.selection_optimism import CrossFit
    from assay.decisions.threshold import Threshold

__all__ = ["ThresholdMethods"]

_CRITERIA = (
    "cost_fp", "cost_fn", "cost_tp", "cost_tn", "best", "min_recall", "min_precision", "min_specificity",
    "capacity", "max_positive_rate", "equal_error",
)  # fmt: skip


class ThresholdMethods:
    """The methods of an evaluation that choose a threshold."""

    @criterion_keywords
    def choose_threshold(
        self,
        *,
        baseline: float | None = None,
        folds: int | None = None,
        replicates: int | None = None,
        seed: int = 0,
        **criterion: Unpack[CriterionOptions],
    ) -> Threshold:
        """Return the best threshold for a criterion, as :func:`assay.decisions.choose_threshold` does.

        Without a criterion it is the lowest cost, or the best F-beta, by the costs or the beta that the
        evaluation was made with. The baseline shown beside it is the evaluation's own threshold by default.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.4, 0.35, 0.8], cost_fp=1, cost_fn=5)
        >>> ev.choose_threshold().threshold, ev.choose_threshold(best="precision").threshold
        (0.35, 0.8)
        """
        from assay.decisions.threshold import choose_threshold  # noqa: PLC0415 - loaded on first use

        ev: Any = self
        return choose_threshold(
            _scores_of(ev), baseline=ev.task.threshold if baseline is None else baseline, folds=folds,
            replicates=replicates, seed=seed, **_criterion(ev, criterion),
        )  # fmt: skip

    @criterion_keywords
    def cross_fitted_threshold(
        self, *, folds: int = 10, seed: int = 0, **criterion: Unpack[CriterionOptions]
    ) -> CrossFit:
        """Return the measure of each fold at the threshold that the other folds choose, pooled."""
        from assay.decisions.selection_optimism import cross_fitted  # noqa: PLC0415 - loaded on first use

        return cross_fitted(_scores_of(self), folds=folds, seed=seed, **_criterion(self, criterion))


def _scores_of(ev: Any) -> Any:
    """Return the rows, whose groups and costs count, or else the tally of scores."""
    scores = next((tally for tally in ev.tallies.tallies if isinstance(tally, (Scores, BinnedScores))), None)
    if ev.task.name != "binary" or scores is None:
        raise InputError(
            "a threshold is chosen on scores of two classes: pass "
            f"{param('score')}{hint(' to evaluate()', '')}."
        )
    return scores if ev.rows is None else ev.rows


def _criterion(ev: Any, options: CriterionOptions) -> Any:
    """Return the criterion, or else one by the evaluation's settings: costs first, then beta."""
    settings = ev.settings
    criterion = {name: value for name, value in options.items() if value is not None and value is not False}
    if not any(name in criterion for name in _CRITERIA):
        if "beta" in criterion:
            criterion = {"best": "f_beta", **criterion}
        elif settings.costs:
            criterion = settings.costs | criterion
        elif settings.beta is not None:
            criterion = {"best": "f_beta", "beta": settings.beta, **criterion}
        elif not criterion.keys() <= {"confidence"}:
            return criterion  # no criterion, but part of one: choose_threshold() says what is missing
        else:
            raise InputError(
                f"say what a threshold is to be best for: {param('cost_fp')} and {param('cost_fn')}, "
                f"{param('best', 'f1')}, {param('min_recall', 0.95)} "
                f"and so on; or say {param('cost_fp')} and {param('cost_fn')}, or {param('beta')}, to "
                "evaluate()."
            )
    if settings.prevalence is not None and {"cost_fp", "cost_fn"} & criterion.keys():
        criterion = {"prevalence": settings.prevalence, **criterion}
    # The confidence of a constraint is part of the constraint, not that of intervals.
    is_constraint = any(name.startswith("min_") for name in criterion)
    return criterion if is_constraint else {"confidence": settings.confidence, **criterion}
