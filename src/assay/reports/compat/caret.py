"""The lines of caret's confusionMatrix, in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.formatting.width import short
from assay.hints import hint, param
from assay.inference.hypothesis_tests import contingency
from assay.metrics import Undefined
from assay.reports.compat.layout import (
    LABEL,
    ByClass,
    CompatLayout,
    NameValueLines,
    counts_table,
    four,
    r_number,
    r_p,
)
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["caret"]

_BY_CLASS = (
    ("Sensitivity", "recall"), ("Specificity", "specificity"), ("Pos Pred Value", "precision"),
    ("Neg Pred Value", "negative_predictive_value"), ("Prevalence", "prevalence"),
    ("Detection Rate", "detection_rate"), ("Detection Prevalence", "detection_prevalence"),
    ("Balanced Accuracy", "one_vs_rest_balanced_accuracy"),
)  # fmt: skip
_AT = {"precision": "precision_at_prevalence", "negative_predictive_value": "npv_at_prevalence"}


def caret(ev: Evaluation) -> CompatLayout:
    """Return the layout of an evaluation of classes, or of numbers as postResample has them."""
    if ev.task.name == "regression":
        names = (("RMSE", "rmse"), ("Rsquared", "squared_correlation"), ("MAE", "mae"))
        row = ("", tuple(_four(ev[metric].value) for _, metric in names))
        return CompatLayout(
            (ByClass(tuple(name for name, _ in names), (row,), gap=2),),
            ("Rsquared is the squared correlation, which forgives a wrong scale; R² of ev is by sums.",),
        )  # fmt: skip
    table = ev.tallies.get("confusion")
    if not isinstance(table, Confusion):
        raise InputError(
            f"{param('like', 'caret')} shows a table of counts: pass {param('predicted')}, or "
            f"{param('threshold')} for the scores."
        )
    if table.weights is not None:
        raise InputError(
            f"{param('like', 'caret')} counts rows, and these are weighted: caret has no weights."
        )
    labels = ev.task.labels if set(ev.task.labels) == set(table.labels) else table.labels
    order = [table.labels.index(label) for label in labels]
    counts = table.table()[order][:, order]
    parts: list[Any] = [("Confusion Matrix and Statistics",), counts_table(labels, counts.tolist())]
    overall = _overall(ev, counts)
    if ev.positive is not None:
        lines = [
            *overall,
            None,
            *_of_class(ev, ev.positive),
            None,
            ("'Positive' Class", short(ev.positive, LABEL)),
        ]
        parts.append(NameValueLines(tuple(lines)))
    else:
        columns = [[value for _, value in _of_class(ev, label)] for label in labels]
        rows = tuple(
            (name, tuple(column[index] for column in columns)) for index, (name, _) in enumerate(_BY_CLASS)
        )
        heads = tuple(f"Class: {short(label, LABEL)}" for label in labels)
        by_class = ByClass(heads, rows)
        parts += [
            ("Overall Statistics",),
            NameValueLines(tuple(overall)),
            ("Statistics by Class:",),
            by_class,
        ]
    return CompatLayout(tuple(parts), tuple(_differs(ev)))


def _overall(ev: Evaluation, counts: Any) -> list[tuple[str, str] | None]:
    sure = ev.settings.confidence
    accuracy = ev.estimate("accuracy", method="clopper-pearson")
    limits = f"({r_number(accuracy.low)}, {r_number(accuracy.high)})"
    test = contingency.no_information(counts)
    two = len(counts) == 2  # noqa: PLR2004 - R's test of more classes is Bowker's
    mcnemar = contingency.mcnemar(counts, "corrected") if two else contingency.bowker(counts)
    # R has NaN where there is nothing to compare, of several classes for any two that were never confused.
    symmetric = isinstance(mcnemar.p_value, Undefined) or bool(mcnemar.note) or _never_confused(counts)
    return [
        ("Accuracy", _r(accuracy.value)),
        (f"{100 * sure:g}% CI", limits),
        ("No Information Rate", _r(ev["no_information_rate"].value)),
        ("P-Value [Acc > NIR]", r_p(None if isinstance(test.p_value, Undefined) else test.p_value)),
        None,
        ("Kappa", _r(ev["kappa"].value)),
        None,
        ("Mcnemar's Test P-Value", r_p(None if symmetric else float(mcnemar.p_value))),
    ]


def _never_confused(counts: Any) -> bool:
    """Tell whether some two of several classes were never taken for one another."""
    size = len(counts)
    pairs = (counts + counts.T)[np.triu_indices(size, 1)]
    return size > 2 and not bool(pairs.all())  # noqa: PLR2004 - of two, McNemar's test says it itself


def _of_class(ev: Evaluation, label: Any) -> list[tuple[str, str]]:
    """Return caret's lines of one class; predictive values at the stated prevalence."""
    share = ev.settings.prevalence if ev.positive is not None else None
    lines = []
    for name, metric in _BY_CLASS:
        if share is not None and metric in _AT:
            value = ev.estimate(_AT[metric], positive=label, prevalence=share).value
        elif share is not None and metric == "prevalence":
            value = share
        else:
            value = ev.estimate(metric, positive=label).value
        lines.append((name, _four(value)))
    return lines


def _differs(ev: Evaluation) -> list[str]:
    differences = [
        (
            "Rows of the table are what was predicted, columns what was true: the reverse of "
            f"{hint('ev.confusion', 'assay crosstab')}."
        ),
        (
            "The interval of accuracy is the exact binomial one (Clopper and Pearson), wider than Wilson's, "
            "which print(ev) has."
        ),
        (
            "McNemar's test is against the truth: it asks whether each class is predicted as often as it "
            "occurs, not whether the model is right, nor whether it beats another."
        ),
    ]  # fmt: skip
    table = ev.tallies["confusion"]
    if isinstance(table, Confusion) and _never_confused(table.table()):
        differences.append(
            "R's test has no value where two classes were never confused: ev.confusion.bowker() leaves such "
            "pairs out."
        )
    if ev.positive is not None:
        differences.append(
            f"caret takes the first level for positive unless set; here it is {short(ev.positive, LABEL)}."
        )
    if ev.settings.prevalence is not None and ev.positive is not None:
        differences.append(
            f"Predictive values are at the stated prevalence, {ev.settings.prevalence:g}; precision is not."
        )
    if ev.settings.group:
        differences.append("Its interval and tests take rows for independent, though they come in groups.")
    return differences


def _r(value: Any) -> str:
    return r_number(None if isinstance(value, Undefined) else float(value))


def _four(value: Any) -> str:
    return "NA" if isinstance(value, Undefined) else four(value)
