"""The lines of caret's confusionMatrix, in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.inference import tables
from assay.metrics import Undefined
from assay.reports.alike_text import ByClass, Layout, Pairs, counts_table, r_number, r_p
from assay.reports.widths import clean
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


def caret(ev: Evaluation) -> Layout:
    """Return the layout of an evaluation of classes, or of numbers as postResample has them."""
    if ev.kind == "regression":
        names = (("RMSE", "rmse"), ("Rsquared", "squared_correlation"), ("MAE", "mae"))
        row = ("", tuple(_four(ev[metric].value) for _, metric in names))
        return Layout(
            (ByClass(tuple(name for name, _ in names), (row,), gap=2),),
            ("Rsquared is the squared correlation, which forgives a wrong scale; R² of ev is by sums.",),
        )  # fmt: skip
    table = ev.tallies.get("confusion")
    if not isinstance(table, Confusion):
        raise InputError(
            'like="caret" shows a table of counts: pass predicted=, or threshold= for the scores.'
        )
    if table.weights is not None:
        raise InputError('like="caret" counts rows, and these are weighted: caret has no weights.')
    labels = ev.problem.labels if set(ev.problem.labels) == set(table.labels) else table.labels
    order = [table.labels.index(label) for label in labels]
    counts = table.table()[order][:, order]
    parts: list[Any] = [("Confusion Matrix and Statistics",), counts_table(labels, counts.tolist())]
    overall = _overall(ev, counts)
    if ev.positive is not None:
        lines = [*overall, None, *_of_class(ev, ev.positive), None, ("'Positive' Class", clean(ev.positive))]
        parts.append(Pairs(tuple(lines)))
    else:
        columns = [[value for _, value in _of_class(ev, label)] for label in labels]
        rows = tuple(
            (name, tuple(column[place] for column in columns)) for place, (name, _) in enumerate(_BY_CLASS)
        )
        heads = tuple(f"Class: {clean(label)}" for label in labels)
        by_class = ByClass(heads, rows)
        parts += [("Overall Statistics",), Pairs(tuple(overall)), ("Statistics by Class:",), by_class]
    return Layout(tuple(parts), tuple(_differs(ev)))


def _overall(ev: Evaluation, counts: Any) -> list[tuple[str, str] | None]:
    sure = ev.settings.confidence
    accuracy = ev.estimate("accuracy", method="clopper-pearson")
    limits = f"({r_number(accuracy.low)}, {r_number(accuracy.high)})"
    test = tables.no_information(counts)
    two = len(counts) == 2  # noqa: PLR2004 - R's test of more classes is Bowker's
    mcnemar = tables.mcnemar(counts, "corrected") if two else tables.bowker(counts)
    symmetric = isinstance(mcnemar.p, Undefined) or bool(mcnemar.note)  # nothing to compare: R has NaN
    return [
        ("Accuracy", _r(accuracy.value)),
        (f"{100 * sure:g}% CI", limits),
        ("No Information Rate", _r(ev["no_information_rate"].value)),
        ("P-Value [Acc > NIR]", r_p(None if isinstance(test.p, Undefined) else test.p)),
        None,
        ("Kappa", _r(ev["kappa"].value)),
        None,
        ("Mcnemar's Test P-Value", r_p(None if symmetric else float(mcnemar.p))),
    ]


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
    said = [
        "Rows of the table are what was predicted, columns what was true: the reverse of ev.confusion.",
        (
            "The interval of accuracy is the exact binomial one (Clopper and Pearson), wider than Wilson's, "
            "which print(ev) has."
        ),
        (
            "McNemar's test is against the truth: it asks whether each class is predicted as often as it "
            "occurs, not whether the model is right, nor whether it beats another."
        ),
    ]  # fmt: skip
    if ev.positive is not None:
        said.append(f"caret takes the first level for positive unless told; here it is {clean(ev.positive)}.")
    if ev.settings.prevalence is not None and ev.positive is not None:
        said.append(
            f"Predictive values are at the stated prevalence, {ev.settings.prevalence:g}; precision is not."
        )
    if ev.settings.group:
        said.append("Its interval and tests take rows for independent, though they come in groups.")
    return said


def _r(value: Any) -> str:
    return r_number(None if isinstance(value, Undefined) else float(value))


def _four(value: Any) -> str:
    return "NA" if isinstance(value, Undefined) else f"{value:.4f}"
