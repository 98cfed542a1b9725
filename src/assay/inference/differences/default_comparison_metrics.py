"""The default metrics of a comparison, by what the models' rows or tallies hold."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, shown
from assay.hints import param
from assay.inputs import Rows, label_union
from assay.tallies import (
    ClassScores,
    Collection,
    ColumnProfile,
    Confusion,
    LabelSets,
    Moments,
    Queries,
    Scores,
    merge,
)
from assay.tallies.column_profile import label_task

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["default_metrics"]

_RANKING = ["ndcg", "mean_average_precision", "mean_reciprocal_rank"]
_REGRESSION = ["mae", "rmse", "r2"]
_ORDINAL = ["accuracy", "quadratic_weighted_kappa", "mean_absolute_rank_error"]
_SUM_TOLERANCE = 1e-6  # of probabilities that add up to 1, as the log loss has it
# What to suggest where whole numbers may be classes, grades or quantities.
_SUGGESTIONS = {
    "classes": "accuracy and mcc",
    "grades": "quadratic_weighted_kappa",
    "quantities": "mae and rmse",
}


def default_metrics(models: Sequence[Any], *, stated: bool, task: str | None) -> list[str]:
    """Return the metrics that suit the models' rows or tallies."""
    data = models[0]
    if isinstance(data, Collection):
        return [name for tally in data.tallies for name in default_metrics([tally], stated=stated, task=task)]
    if isinstance(data, Queries):
        return _RANKING
    if isinstance(data, ClassScores):
        return ["macro_auc"]
    if isinstance(data, Scores):
        return ["auc", "average_precision"]
    if isinstance(data, Moments):
        return _REGRESSION
    if isinstance(data, LabelSets):
        return ["subset_accuracy", "hamming_loss"]
    if isinstance(data, Confusion):
        obvious = any(set(data.labels) <= pair for pair in ({0, 1}, {-1, 1}))
        return _ORDINAL if task == "ordinal" else _metrics_of_labels(binary_task=stated or obvious)
    if not isinstance(data, Rows):
        raise InputError(f"say with {param('metrics')} what a {type(data).__name__} is to be compared by.")
    if data.query is not None:
        return _RANKING
    names: list[str] = []
    if data.predicted is not None:
        names += _metrics_of_predictions(models, task)
    if data.score is not None:
        names += _metrics_of_scores(data)
    if not names:
        raise InputError(
            f"the models' rows have neither {param('predicted')} nor {param('score')}: there is nothing to "
            "compare."
        )
    return names


def _metrics_of_predictions(models: Sequence[Any], task: str | None) -> list[str]:
    """Return the metrics that suit predictions, by the task of evaluations or by what the rows hold.

    Rows are read as :func:`assay.evaluate` reads them; what it would not guess is not guessed here.
    """
    first = models[0]
    if task is not None:
        by_task = {"regression": _REGRESSION, "ordinal": _ORDINAL}
        return by_task.get(task) or _metrics_of_labels(binary_task=task == "binary")
    profile = merge(
        ColumnProfile.of(dataclasses.replace(rows, score=None)) for rows in models if isinstance(rows, Rows)
    )
    if profile.are_numbers and first.score is None:
        if profile.predicts_fractions_for_classes or profile.predicts_classes_for_fractions:
            raise InputError(
                "one of actual and predicted holds classes, the other numbers that are not whole: pass "
                f"scores as {param('score')}; for measured quantities say with {param('metrics')} "
                f"{_SUGGESTIONS['quantities']}."
            )
        return _REGRESSION
    labels = first.labels or label_union(profile.actual.labels, profile.predicted.labels)
    inferred = label_task(labels, declared=first.labels is not None)
    if first.positive is None and first.score is None and inferred == "whole numbers":
        raise InputError(
            f"actual holds whole numbers ({shown(labels, 4)}), which may be classes, grades or quantities: "
            f"say with {param('metrics')} what to compare by, such as {_SUGGESTIONS['classes']} for classes, "
            f"{_SUGGESTIONS['grades']} for grades, {_SUGGESTIONS['quantities']} for quantities; or declare "
            f"the classes with {param('labels')}."
        )
    return _metrics_of_labels(binary_task=first.positive is not None or inferred == "binary")


def _metrics_of_labels(*, binary_task: bool) -> list[str]:
    return ["accuracy", "balanced_accuracy", "mcc", *(["f1"] if binary_task else [])]


def _metrics_of_scores(data: Rows) -> list[str]:
    values = data.need("score", "a comparison").values
    in_unit_interval = values.dtype.kind in "fiub" and bool(((values >= 0) & (values <= 1)).all())
    if values.ndim > 1:
        sum_to_one = bool(in_unit_interval and (np.abs(values.sum(1) - 1) <= _SUM_TOLERANCE).all())
        return ["macro_auc", *(["multiclass_log_loss", "multiclass_brier"] if sum_to_one else [])]
    return ["auc", "average_precision", *(["log_loss", "brier"] if in_unit_interval else [])]
