"""Which figures a report shows, kind of problem by kind of problem, and from what they are read."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.metrics import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.metrics import Metric

__all__ = ["Figure", "figures_of"]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A metric with the options it is shown with, under a name of its own."""

    name: str
    metric: Metric
    options: dict[str, Any]

    @classmethod
    def of(cls, text: str, **options: Any) -> Figure:
        """Return the figure of a metric's name; ``"macro f1"`` averages over the classes."""
        *average, name = text.split()
        metric = find(name)
        if average:
            options = {"average": average[0], **options}
        return cls("_".join([*average, metric.name]), metric, options)


# Each line is a group that a report keeps together.
_LABELS = (
    "accuracy precision recall specificity negative_predictive_value f1",
    "balanced_accuracy mcc kappa",
    "prevalence detection_rate detection_prevalence",
)
_SCORES = ("auc average_precision",)
_PROBABILITIES = ("log_loss brier",)
_CLASSES = ("accuracy balanced_accuracy mcc kappa", "macro:precision macro:f1 weighted:f1")
_ORDERED = ("accuracy balanced_accuracy", "quadratic_weighted_kappa weighted_kappa mean_absolute_rank_error")
_CLASS_SCORES = ("hand_till_auc macro_auc",)
_CLASS_PROBABILITIES = ("multiclass_log_loss multiclass_brier top_label_calibration_error",)
_SETS = ("subset_accuracy hamming_loss", "micro:f1 macro:f1 micro:precision micro:recall")
_NUMBERS = ("mae rmse mean_error median_absolute_error max_error", "r2 pearson spearman")
_LISTS = ("ndcg mean_average_precision mean_reciprocal_rank", "precision_at_k recall_at_k hit_rate")


def figures_of(
    kind: str, *, counts: bool, scores: bool, probabilities: bool, beta: float | None, k: int | None
) -> list[list[Figure]]:
    """Return the figures of a kind of problem in groups: those that what is there allows.

    >>> [[figure.name for figure in group] for group in figures_of(
    ...     "regression", counts=False, scores=False, probabilities=False, beta=None, k=None)]
    [['mae', 'rmse', 'mean_error', 'median_absolute_error', 'max_error'], ['r2', 'pearson', 'spearman']]
    """
    if kind == "binary":
        lines = (_LABELS if counts else ()) + (_SCORES if scores else ())
        lines += _PROBABILITIES if probabilities else ()
    elif kind in ("multiclass", "ordinal"):
        lines = (_ORDERED if kind == "ordinal" else _CLASSES) if counts else ()
        lines += (_CLASS_SCORES if scores else ()) + (_CLASS_PROBABILITIES if probabilities else ())
    else:
        lines = {"multilabel": _SETS, "regression": _NUMBERS, "ranking": _LISTS}[kind]
    depth = {} if kind != "ranking" or k is None else {"k": k}
    groups = [[Figure.of(word.replace(":", " "), **depth) for word in line.split()] for line in lines]
    if beta is not None and kind == "binary" and counts:
        groups[0].append(Figure(f"f_{beta:g}", find("f_beta"), {"beta": beta}))
    return groups


def flat(groups: list[list[Figure]]) -> Iterator[Figure]:
    """Yield the figures of all groups."""
    for group in groups:
        yield from group
