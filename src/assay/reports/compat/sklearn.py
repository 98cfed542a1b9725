"""scikit-learn's classification report and its main scores, under its names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.formatting.numbers import format_count
from assay.formatting.width import short
from assay.hints import param
from assay.metrics import Undefined
from assay.reports.compat.layout import LABEL, ByClass, CompatLayout, NameValueLines, four
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["sklearn"]

_HEADS = ("precision", "recall", "f1-score", "support")
_RATES = ("precision", "recall", "f1")
_LABELS = (
    ("accuracy_score", "accuracy"), ("balanced_accuracy_score", "balanced_accuracy"),
    ("matthews_corrcoef", "mcc"), ("cohen_kappa_score", "kappa"),
)  # fmt: skip
_SCORES = (("roc_auc_score", "auc"), ("average_precision_score", "average_precision"))
_ZERO = ("mcc", "average_precision")  # what is 0 there where it has no value
_NUMBERS = (
    ("mean_absolute_error", "mae"), ("mean_squared_error", "mse"), ("root_mean_squared_error", "rmse"),
    ("median_absolute_error", "median_absolute_error"), ("max_error", "max_error"), ("r2_score", "r2"),
    ("explained_variance_score", "explained_variance"),
)  # fmt: skip


def sklearn(ev: Evaluation) -> CompatLayout:
    """Return the report of classes, and the scores under scikit-learn's names."""
    parts: list[Any] = []
    differs: list[str] = []
    lines: list[tuple[str, str] | None] = []
    filled = False
    if {"confusion", "label_sets"} & set(ev.tallies):
        report, filled = _report(ev)
        parts.append(report)
    if isinstance(ev.tallies.get("confusion"), Confusion):
        lines += [_score(ev, *score_line) for score_line in _LABELS]
    if "scores" in ev.tallies:
        lines += [_score(ev, *score_line) for score_line in _SCORES]
        if ev.are_probabilities:
            lines += [("log_loss", _four(ev.estimate("log_loss", clip=_rounding()).value))]
            lines += [_score(ev, "brier_score_loss", "brier")]
    if "class_scores" in ev.tallies:
        lines.append(("roc_auc_score (ovr, macro)", _four(ev["macro_auc"].value)))
        lines.append(("roc_auc_score (ovo, macro)", _four(ev["hand_till_auc"].value)))
        if ev.are_probabilities:
            lines.append(("log_loss", _four(ev.estimate("multiclass_log_loss", clip=_rounding()).value)))
            lines.append(_score(ev, "brier_score_loss", "multiclass_brier"))
    if ev.task.name == "regression":
        lines += [_score(ev, *score_line) for score_line in _NUMBERS]
    if not lines and not parts:
        raise InputError(f"{param('like', 'sklearn')} has no layout for a problem of kind {ev.task.name}.")
    if lines:
        parts.append(NameValueLines(tuple(lines)))
    if filled or any(line is not None and line[1].endswith("*") for line in lines):
        differs.append("* marks what has no value: scikit-learn fills in 0 or nan and warns; ev says why.")
    if any(line is not None and line[0] == "log_loss" for line in lines):
        differs.append("log_loss moves probabilities of 0 and 1 inside by the rounding of a double.")
    differs.append("scikit-learn gives no intervals: print(ev) has them.")
    return CompatLayout(tuple(parts), tuple(differs))


def _rounding() -> float:
    return float(np.finfo(np.float64).eps)


def _score(ev: Evaluation, name: str, metric: str) -> tuple[str, str]:
    return name, _four(ev[metric].value, "0.0000*" if metric in _ZERO else "nan*")


def _four(value: Any, nothing: str = "nan*") -> str:
    return nothing if isinstance(value, Undefined) else four(value)


def _report(ev: Evaluation) -> tuple[ByClass, bool]:
    """Return the table of classes and averages, and whether something in it was filled in."""
    classes = ev.classes
    order = sorted(classes) if ev.task.name != "multilabel" else list(classes)
    rates = {label: [_filled(classes[label][name].value) for name in _RATES] for label in order}
    weights = np.array([float(classes.support[label]) for label in order])
    undefined = any(isinstance(classes[label][name].value, Undefined) for label in order for name in _RATES)
    table = np.array([rates[label] for label in order])
    total = format_count(sum(classes.support[label] for label in order)).replace(",", "")
    rows: list[tuple[str, tuple[str, ...]] | None] = [None]
    for label in order:
        cells = [
            "0.00*" if isinstance(classes[label][name].value, Undefined) else f"{value:.2f}"
            for name, value in zip(_RATES, rates[label], strict=True)
        ]
        rows.append((short(label, LABEL), (*cells, format_count(classes.support[label]).replace(",", ""))))
    rows.append(None)
    if isinstance(ev.tallies.get("label_sets"), LabelSets):
        micro = [_filled(ev.estimate(name, average="micro").value) for name in _RATES]
        rows.append(("micro avg", (*(f"{rate:.2f}" for rate in micro), total)))
    else:
        rows.append(("accuracy", ("", "", f"{_filled(ev['accuracy'].value):.2f}", total)))
    rows.append(("macro avg", (*(f"{rate:.2f}" for rate in table.mean(0)), total)))
    weighted = np.average(table, axis=0, weights=weights) if weights.sum() else np.zeros(len(_RATES))
    rows.append(("weighted avg", (*(f"{rate:.2f}" for rate in weighted), total)))
    return ByClass(_HEADS, tuple(rows), gap=1, least=9), undefined


def _filled(value: Any) -> float:
    return 0.0 if isinstance(value, Undefined) else float(value)
