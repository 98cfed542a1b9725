"""Which figures a report shows, kind of problem by kind of problem, and from what they are read."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from assay.metrics import find
from assay.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evaluation.settings import Settings
    from assay.metrics import Metric

__all__ = ["MINOR", "Figure", "figures_of", "flat", "more_figures"]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A metric with the options it is shown with, under a name of its own."""

    name: str
    metric: Metric
    options: dict[str, Any]

    @classmethod
    def of(cls, text: str, **options: Any) -> Figure:
        """Return the figure of a metric's name; ``"macro f1"`` averages over the classes."""
        spec = MetricSpec.of((text, options))
        return cls(spec.base, spec.metric, spec.options)


@functools.lru_cache(256)  # the same few words for every evaluation
def _told(word: str) -> Figure:
    return Figure.of(word)


# What a summary of one screen leaves out: the title has the share of positives, and a full text all of it.
MINOR = frozenset(("prevalence", "detection_rate", "detection_prevalence", "top_label_calibration_error"))

_UNWEIGHTED = frozenset(("spearman",))  # what has no definition here for rows that do not count alike

# Each line is a group that a report keeps together.
_LABELS = (
    "accuracy precision recall specificity negative_predictive_value f1 balanced_accuracy mcc kappa",
    "prevalence detection_rate detection_prevalence",
)
_SCORES = "auc average_precision"
_PROBABILITIES = "log_loss brier"
_CLASSES = ("accuracy balanced_accuracy mcc kappa macro:precision macro:f1 weighted:f1",)
_ORDERED = ("accuracy balanced_accuracy", "quadratic_weighted_kappa weighted_kappa mean_absolute_rank_error")
_CLASS_SCORES = "hand_till_auc macro_auc"
_CLASS_PROBABILITIES = "multiclass_log_loss multiclass_brier top_label_calibration_error"
_SETS = (
    "subset_accuracy hamming_loss",
    "micro:precision micro:recall micro:f1",
    "macro:precision macro:recall macro:f1 weighted:f1",
)
_NUMBERS = ("mae rmse mean_error median_absolute_error max_error", "r2 pearson spearman")
_MORE_LABELS = (
    "error_rate false_positive_rate false_negative_rate false_discovery_rate false_omission_rate",
    "informedness markedness g_mean jaccard fowlkes_mallows",
    "positive_likelihood_ratio negative_likelihood_ratio diagnostic_odds_ratio lift",
    "no_information_rate expected_agreement max_kappa gwet_ac1 scott_pi",
)
_MORE_SCORES = (
    "gini ks equal_error_rate convex_hull_auc h_measure max_f1",
    "pr_auc_trapezoid pr_auc_integral",
)
_MORE_PROBABILITIES = ("observed_expected_ratio cox_slope expected_calibration_error",)
_MORE_CLASSES = (
    "error_rate no_information_rate macro:recall weighted:precision weighted:recall micro:f1",
    "g_mean gwet_ac1 scott_pi cramers_v mutual_information",
)
_MORE_NUMBERS = ("mse explained_variance squared_correlation mape msle",)
_LISTS = ("ndcg mean_average_precision mean_reciprocal_rank", "precision_at_k recall_at_k hit_rate")


def figures_of(
    task_name: str, *, counts: bool, scores: bool, probabilities: bool, settings: Settings
) -> list[list[Figure]]:
    """Return the figures of a kind of problem in groups: those that what is there allows.

    >>> from assay.evaluation.settings import Settings
    >>> [[figure.name for figure in group] for group in figures_of(
    ...     "regression", counts=False, scores=False, probabilities=False, settings=Settings())]
    [['mae', 'rmse', 'mean_error', 'median_absolute_error', 'max_error'], ['r2', 'pearson', 'spearman']]
    """
    lines: tuple[str, ...]
    if task_name == "binary":
        lines = _LABELS if counts else ()
        lines += (f"{_SCORES} {_PROBABILITIES}" if probabilities else _SCORES,) if scores else ()
    elif task_name in ("multiclass", "ordinal"):
        lines = (_ORDERED if task_name == "ordinal" else _CLASSES) if counts else ()
        both = f"{_CLASS_SCORES} {_CLASS_PROBABILITIES}" if probabilities else _CLASS_SCORES
        lines += (both,) if scores else ()
    else:
        lines = {"multilabel": _SETS, "regression": _NUMBERS, "ranking": _LISTS}[task_name]
    lists = {"k": settings.k, "empty": settings.empty} if task_name == "ranking" else {}
    depth = {name: value for name, value in lists.items() if value is not None}
    idle = _UNWEIGHTED if settings.weight else ()
    groups = [[_told(word) for word in line.split() if word not in idle] for line in lines]
    if depth:
        groups = [[dataclasses.replace(one, options=depth) for one in group] for group in groups]
    if task_name == "binary" and counts:
        groups[0] += _as_stated(settings)
    return groups


def more_figures(task_name: str, *, counts: bool, scores: bool, probabilities: bool) -> list[list[Figure]]:
    """Return what only a full report shows beside :func:`figures_of`."""
    lines: tuple[str, ...] = ()
    if task_name == "binary":
        lines = (_MORE_LABELS if counts else ()) + (_MORE_SCORES if scores else ())
        lines += _MORE_PROBABILITIES if probabilities else ()
    elif task_name in ("multiclass", "ordinal"):
        lines = _MORE_CLASSES if counts else ()
    elif task_name == "regression":
        lines = _MORE_NUMBERS
    return [[_told(word) for word in line.split()] for line in lines]


def _as_stated(settings: Settings) -> Iterator[Figure]:
    """Yield what the caller's own words ask for: which error is worse, and how common positives will be."""
    if (beta := settings.beta) is not None:
        yield Figure(f"f_{beta:g}", find("f_beta"), {"beta": beta})
    if (share := settings.prevalence) is not None:
        for name in ("precision_at_prevalence", "npv_at_prevalence"):
            yield Figure(name, find(name), {"prevalence": share})
    if settings.costs:
        yield Figure("misclassification_cost", find("misclassification_cost"), settings.costs)


def flat(groups: list[list[Figure]]) -> Iterator[Figure]:
    """Yield the figures of all groups."""
    for group in groups:
        yield from group
