"""The classification report: the main rates of every class and their averages, as text or as a dict."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from assay.errors import LengthError
from assay.sklearn.label_targets import IndicatorTargets, count_labels
from assay.sklearn.parameter_checks import BOOLEAN, OPTIONAL_ARRAY, ROWS, ZERO_DIVISION, interval, validated
from assay.sklearn.rates import rates
from assay.sklearn.target_checks import as_array
from assay.sklearn.undefined_warnings import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs.columns import Array

__all__ = ["classification_report"]

_HEADERS = ("precision", "recall", "f1-score", "support")


@validated(
    y_true=ROWS, y_pred=ROWS, labels=OPTIONAL_ARRAY, target_names=OPTIONAL_ARRAY,
    sample_weight=OPTIONAL_ARRAY, digits=interval(numbers.Integral, 0, None, closed="left"),
    output_dict=BOOLEAN, zero_division=ZERO_DIVISION,
)  # fmt: skip
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Return precision, recall and F1 of every class and their averages, as text or as a dict.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    target_names
        Names to print for the labels.
    sample_weight
        How much each row counts.
    digits
        How many decimals are printed.
    output_dict
        Whether to return a dict in place of text.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

    Returns
    -------
    str or dict
        The report.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> print(classification_report(["ham", "spam", "ham"], ["ham", "spam", "spam"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
             ham       1.00      0.50      0.67         2
            spam       0.50      1.00      0.67         1
    <BLANKLINE>
        accuracy                           0.67         3
       macro avg       0.75      0.75      0.67         3
    weighted avg       0.83      0.67      0.67         3
    <BLANKLINE>
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    classes = counts.present if labels is None else as_array(labels)
    names = _names(classes, target_names, labels_given=labels is not None)
    precision, recall, f1, support = rates(counts, labels, None, zero_division=zero_division)
    lines = list(zip(names, precision, recall, f1, support, strict=False))
    averages = ["micro", "macro", "weighted"]
    micro = "micro avg"
    if isinstance(counts, IndicatorTargets):
        averages.append("samples")
    elif labels is None or set(counts.labels) <= set(classes.tolist()):
        micro = "accuracy"  # with every label taken, the pooled rates all are
    summary = []
    for average in averages:
        name = micro if average == "micro" else f"{average} avg"
        *three, _ = rates(counts, labels, average, zero_division=zero_division)
        summary.append((name, *three, support.sum()))
    if output_dict:
        return _as_dict(lines, summary)
    return _as_text(lines, summary, digits, max(map(len, names), default=0))


def _names(classes: Array, target_names: Any, *, labels_given: bool) -> Sequence[Any]:
    """Return a name for each class: the caller's, or the label itself."""
    if target_names is None:
        return [str(label) for label in classes]
    if len(target_names) != len(classes):
        if not labels_given:
            raise LengthError(
                f"Number of classes, {len(classes)}, does not match size of target_names, "
                f"{len(target_names)}. Try specifying the labels parameter"
            )
        warn(f"labels size, {len(classes)}, does not match size of target_names, {len(target_names)}")
    return target_names  # type: ignore[no-any-return]


def _as_dict(lines: list[tuple[Any, ...]], summary: list[tuple[Any, ...]]) -> dict[Any, Any]:
    report: dict[Any, Any] = {
        name: dict(zip(_HEADERS, map(float, values), strict=True)) for name, *values in (*lines, *summary)
    }
    if summary[0][0] == "accuracy":
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(lines: list[tuple[Any, ...]], summary: list[tuple[Any, ...]], digits: int, longest: int) -> str:
    width = max(longest, len("weighted avg"), digits)
    text = f"{'':>{width}} " + "".join(f" {header:>9}" for header in _HEADERS) + "\n\n"
    for name, *three, support in lines:
        text += f"{name:>{width}} " + "".join(f" {rate:>9.{digits}f}" for rate in three) + f" {support:>9}\n"
    text += "\n"
    for name, *three, support in summary:
        shown = [f"{rate:>9.{digits}f}" for rate in three]
        if name == "accuracy":
            shown[:2] = [" " * 9] * 2
        text += f"{name:>{width}}  {' '.join(shown)} {support:>9}\n"
    return text
