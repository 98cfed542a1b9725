"""The same rows as caret, scikit-learn, yardstick and pROC show them: their definitions, names and order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.formatting.width import short, wrapped
from assay.hints import param, passed
from assay.inference.formulas.auc import delong, delong_interval
from assay.metrics import Binary, Undefined, each, find
from assay.metrics.averaging import over_classes
from assay.reports.compat.caret import caret
from assay.reports.compat.layout import LABEL, CompatLayout, as_lines, named_columns, r_number
from assay.reports.compat.sklearn import sklearn
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["alike"]

_TIBBLE = ("<chr>", "<chr>", "<dbl>")
# yardstick's names in its order, with the metric that has its definition.
_BINARY = (
    ("accuracy", "accuracy"), ("kap", "kappa"), ("sens", "recall"), ("spec", "specificity"),
    ("ppv", "precision"), ("npv", "negative_predictive_value"), ("mcc", "mcc"), ("j_index", "informedness"),
    ("bal_accuracy", "one_vs_rest_balanced_accuracy"), ("detection_prevalence", "detection_prevalence"),
    ("precision", "precision"), ("recall", "recall"), ("f_meas", "f1"),
)  # fmt: skip
# Whose averages leave out a class without a value; others are NA then.
_SKIPPING = {"sens", "spec", "j_index", "precision", "recall", "f_meas"}
# What yardstick computes from other rates, and so has no value of where one of these has none.
_MADE_OF = {
    "ppv": ("recall", "specificity"),
    "npv": ("recall", "specificity"),
    "f_meas": ("precision", "recall"),
}
_WHOLE = {"accuracy", "kappa", "mcc"}
_SCORES = (("roc_auc", "auc"), ("pr_auc", "pr_auc_trapezoid"), ("average_precision", "average_precision"))
_NUMBERS = (("rmse", "rmse"), ("rsq", "squared_correlation"), ("mae", "mae"))


def alike(ev: Evaluation, like: str, width: int = 80) -> str:
    """Return an evaluation's text as another program would show it, with a note of what differs."""
    known = {"caret": caret, "sklearn": sklearn, "yardstick": yardstick, "proc": proc}
    name = {"scikit-learn": "sklearn"}.get(str(like).lower(), str(like).lower())
    if name not in known:
        raise InputError(
            f'{passed("like", like)} is not known: use "caret", "sklearn", "yardstick" or "pROC".'
        )
    return "\n".join(as_lines(known[name](ev), width))


def yardstick(ev: Evaluation) -> CompatLayout:
    """Return a tibble of yardstick's metrics under its names."""
    if ev.task.name == "regression":
        rows = [(name, "standard", ev[metric].value) for name, metric in _NUMBERS]
        note = "rsq is the squared correlation; R² by sums of squares is yardstick's rsq_trad."
        return CompatLayout((_tibble(rows),), (note,))
    differs = []
    if ev.task.name == "binary":
        rows = _of_two(ev)
        event = short(ev.positive, LABEL)
        differs.append(f"The event is {event}: yardstick takes the first level unless told otherwise.")
        if ev.settings.prevalence is not None:
            differs.append(f"ppv and npv are at a prevalence of {ev.settings.prevalence:g}.")
    elif ev.task.name in ("multiclass", "ordinal"):
        rows = _of_several(ev)
        differs.append(
            "Averages over classes are macro ones. Of sens, spec, j_index, precision, recall and f_meas they "
            "leave out a class without a value; the others are then NA. f_meas has none of a class that was "
            "never predicted."
        )
    else:
        raise InputError(f"{param('like', 'yardstick')} has no layout for a problem of kind {ev.task.name}.")
    if any(name == "mn_log_loss" for name, *_ in rows):
        differs.append("mn_log_loss moves probabilities of 0 and 1 inside by the rounding of a double.")
    return CompatLayout((_tibble(rows),), tuple(differs))


def _of_two(ev: Evaluation) -> list[tuple[str, str, Any]]:
    rows: list[tuple[str, str, Any]] = []
    if isinstance(ev.tallies.get("confusion"), Confusion):
        rows += [(name, "binary", _of_event(ev, name, metric)) for name, metric in _BINARY]
        share = ev.settings.prevalence
        if share is not None:
            at = {"ppv": "precision_at_prevalence", "npv": "npv_at_prevalence"}
            rows = [
                (name, kind, ev.estimate(at[name], prevalence=share).value if name in at else value)
                for name, kind, value in rows
            ]
    if "scores" in ev.tallies:
        rows += [(name, "binary", ev[metric].value) for name, metric in _SCORES]
        if ev.are_probabilities:
            rows.append(("mn_log_loss", "binary", ev.estimate("log_loss", clip=_rounding()).value))
            rows.append(("brier_class", "binary", ev["brier"].value))
    return rows


def _of_several(ev: Evaluation) -> list[tuple[str, str, Any]]:
    rows: list[tuple[str, str, Any]] = []
    table = ev.tallies.get("confusion")
    if isinstance(table, Confusion):
        for name, metric in _BINARY:
            if metric in _WHOLE:
                rows.append((name, "multiclass", ev[metric].value))
            else:
                rows.append((name, "macro", _macro(table, name, metric)))
    if "class_scores" in ev.tallies:
        rows.append(("roc_auc", "hand_till", ev["hand_till_auc"].value))
        if ev.are_probabilities:
            losses = ev.estimate("multiclass_log_loss", clip=_rounding()).value, ev["multiclass_brier"].value
            rows.append(("mn_log_loss", "multiclass", losses[0]))
            rows.append(("brier_class", "multiclass", losses[1] / 2))
    return rows


def _of_event(ev: Evaluation, name: str, metric: str) -> Any:
    """Return the value of one of two classes."""
    parts = (ev[part].value for part in _MADE_OF.get(name, ()))
    undefined = next((value for value in parts if isinstance(value, Undefined)), None)
    return ev[metric].value if undefined is None else undefined


def _macro(tally: Confusion, name: str, metric: str) -> Any:
    """Return the mean over the classes, those without a value left out where yardstick does so."""
    classes = Binary.each(tally)
    values, *parts = (
        np.array([float(value) for value in each(find(metric_name), classes, tally.labels).values()])
        for metric_name in (metric, *_MADE_OF.get(name, ()))
    )
    undefined_values = np.isnan([values, *parts]).any(axis=0)
    absent = "skip" if name in _SKIPPING else "strict"
    return over_classes(
        np.where(undefined_values, np.nan, values),
        classes.positives,
        "macro",
        names=tally.labels,
        reason=f"{name} has no value",
        undefined=absent,
    )


def _rounding() -> float:
    return float(np.finfo(np.float64).eps)


def _tibble(rows: list[tuple[str, str, Any]]) -> tuple[str, ...]:
    values = ["NA" if isinstance(value, Undefined) else _significant(value) for *_, value in rows]
    columns = ([name for name, *_ in rows], [kind for _, kind, _ in rows], values)
    return named_columns((".metric", ".estimator", ".estimate"), columns, _TIBBLE)


def _significant(value: float) -> str:
    """Return three significant digits, as a tibble shows them."""
    return f"{value:#.3g}".rstrip(".")


def proc(ev: Evaluation) -> CompatLayout:
    """Return the lines of pROC's roc object: the area with DeLong's plain interval, the direction said."""
    scores = ev.scores
    if scores is None:
        raise InputError(
            f"{param('like', 'pROC')} shows the area under a ROC curve: pass {param('score')} of two classes."
        )
    if scores.weights is not None or ev.settings.group:
        raise InputError(f'{param("like", "pROC")} has neither weights nor groups: use ev["auc"].')
    area = delong(scores.concordance())
    if isinstance(area.value, Undefined):
        raise InputError(f"{param('like', 'pROC')} has nothing to show: {area.value.reason}.")
    limits = delong_interval(area, confidence=ev.settings.confidence, scale="identity")
    names = [short(label, LABEL) for label in ev.task.labels]
    actual, score = short(ev.settings.actual, LABEL), short(ev.settings.score, LABEL)
    cases = f"{area.positives} cases ({actual} {names[1]})"
    data = f"Data: {score} in {area.negatives} controls ({actual} {names[0]}) < {cases}."
    lines = [
        *wrapped(data, 80),
        f"Area under the curve: {area.value:.4g}",
    ]
    if limits is not None:
        lines.append(f"{100 * ev.settings.confidence:g}% CI: {limits[0]:.4g}-{limits[1]:.4g} (DeLong)")
    differs = [
        (
            'The direction is "<": higher scores speak for the cases. pROC turns scores round where that '
            "makes the area larger; here it is never done."
        ),
        (
            'The interval is DeLong\'s plain one, cut at 0 and 1; that of ev["auc"] is taken on the logit '
            "scale, which covers better near 1."
        ),
    ]
    if area.value < 0.5:  # noqa: PLR2004 - chance
        turned = r_number(1 - area.value)
        differs.insert(
            0, f"The scores rank backwards: turned round, as pROC would do it, they have {turned}."
        )
    return CompatLayout((tuple(lines),), tuple(differs))
