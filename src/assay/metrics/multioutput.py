"""Rows of several labels or outputs: one tally for each, and averages of a metric over them or over rows."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.hints import passed
from assay.metrics.averaging import over_classes
from assay.metrics.undefined import Undefined, Value
from assay.metrics.views.confusion import Binary
from assay.metrics.views.ranking import Ranks
from assay.metrics.views.regression import Errors
from assay.metrics.views.row_means import Mean
from assay.tallies import ColumnTallies, LabelSets, Losses, Moments, Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics.metric import Metric
    from assay.tallies import Tally

__all__ = ["column_weights", "each_output", "over_columns", "over_outputs", "sample_values", "tally_columns"]

_ADVICE = ': undefined="skip" leaves such rows out, undefined=0 counts them as 0'
_LABEL_AVERAGES, _OUTPUT_AVERAGES = ("macro", "micro", "weighted", "samples"), ("macro", "variance_weighted")


def each_output(metric: Metric, tallies: Sequence[Tally], **parameters: Any) -> list[Value]:
    """Return a metric's value for each output.

    Parameters
    ----------
    metric
        A metric of numbers.
    tallies
        A tally per output.
    parameters
        The metric's own options.

    Returns
    -------
    list
        A value per output, or the reason why there is none.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import mae
    >>> both = [assay.Moments.of(assay.rows(actual=[1, 2], predicted=p)) for p in ([1, 3], [1, 2])]
    >>> each_output(mae, both)
    [0.5, 0.0]
    """
    return [metric(tally, **parameters) for tally in tallies]


def over_outputs(
    metric: Metric, tallies: Sequence[Tally], weights: Any = "equal", **parameters: Any
) -> Value:
    """Return a metric's average over outputs; undefined if an output of positive weight has no value.

    `weights` is ``"equal"``, ``"variance"`` (an output counts by the variance of its actual values, for
    metrics that read moments), or one number per output.

    Parameters
    ----------
    metric
        A metric of numbers.
    tallies
        A tally per output.
    weights
        ``"equal"``, ``"variance"`` or a number per output.
    parameters
        The metric's own options.

    Returns
    -------
    float or Undefined
        The average.

    Raises
    ------
    MetricError
        The weights are not known, negative or of another number; or the metric cannot be read from the
        tallies.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import r2
    >>> actual, predicted = [[0.5, -1, 7], [1, 1, -6]], [[0, -1, 8], [2, 2, -5]]
    >>> both = [assay.Moments.of(assay.rows(actual=a, predicted=p)) for a, p in zip(actual, predicted)]
    >>> [round(over_outputs(r2, both, weights), 3) for weights in ("equal", "variance", [0.3, 0.7])]
    [0.937, 0.938, 0.925]
    """
    values = each_output(metric, tallies, **parameters)
    if isinstance(weights, str):
        if weights not in ("equal", "variance"):
            raise MetricError(
                f'{passed("weights", weights)} is not known: use "equal", "variance" or numbers.'
            )
        equal = weights == "equal"
        weights = [1.0 if equal else float(Errors.of(tally).actual_variance) for tally in tallies]  # type: ignore[arg-type]
    if len(weights) != len(values):
        raise MetricError(f"there are {len(values)} outputs, but {len(weights)} weights for them.")
    for index, (value, weight) in enumerate(zip(values, weights, strict=True)):
        if isinstance(value, Undefined) and weight:
            return Undefined(f"{value.reason} (output {index})")
    if not any(weights):
        return Undefined("all outputs have weight 0")
    counted = [(value, weight) for value, weight in zip(map(float, values), weights, strict=True) if weight]
    numbers, kept_weights = np.array(counted, dtype=float).T
    return math.fsum(numbers * kept_weights) / math.fsum(kept_weights)


def tally_columns(metric: Metric, rows: Any, options: dict[str, Any]) -> Tally:
    """Return the tally of rows of several labels or outputs that a metric with options reads.

    The parameters of a row's loss are taken out of the options.

    >>> import assay
    >>> rows = assay.rows(actual=[["cat"], []], predicted=[["cat"], ["dog"]])
    >>> tally_columns(assay.metrics.find("f1"), rows, {"average": "macro"}).kind
    'label sets'
    """
    if options.get("average") == "samples":
        undefined = options.pop("undefined", "strict")
        values = _with_undefined(sample_values(metric, rows, options), undefined)
        weight = None if rows.weight is None else rows.weight.values
        defined = ~np.isnan(values) if undefined == "skip" else np.ones(len(values), dtype=bool)
        chosen = None if weight is None else weight[defined]
        return Losses.of_values(values[defined], chosen, loss=f"{metric.name} of a row")
    if metric.needs in ("labels", "label sets"):
        return LabelSets.of(rows)
    if metric.needs == "class scores" or metric.of_scores:
        return ColumnTallies.of(rows, Scores)
    names = () if metric.loss is None else metric.loss_parameters
    own = {name: options.pop(name) for name in names if name in options}
    return ColumnTallies.of(rows, functools.partial(metric.tally, **own))


def over_columns(metric: Metric, tally: Tally, options: dict[str, Any]) -> Value:
    """Return a metric's average over labels or outputs, or over rows (``average="samples"``).

    Every column counts the same (``"macro"``), by its number of positives (``"weighted"``) or by the variance
    of its actual values (``"variance_weighted"``); ``"micro"`` reads all labels as one.

    >>> import assay
    >>> rows = assay.rows(actual=[[0.5, 1.0], [1.5, 3.0]], predicted=[[0.5, 2.0], [1.0, 3.0]])
    >>> assay.metrics.mae(rows, average="macro")
    0.375
    """
    options = dict(options)
    average, undefined = options.pop("average", None), options.pop("undefined", "strict")
    if average == "samples":
        if not isinstance(tally, Losses):
            raise MetricError(f"the samples average of {metric.name} is a mean over rows: pass the rows.")
        view = Mean.of(tally)
        if not tally.n:
            return Undefined("no row has a value")
        if math.isnan(view.mean) and callable(metric.undefined):  # of scores, by the labels of a row
            value: Value = Undefined(f"a row has every label or none{view.missing_rows}")
        else:
            value = metric.value(view.mean, view)
        return (
            Undefined(f"{value.reason}{_ADVICE}")
            if isinstance(value, Undefined) and view.undefined
            else value
        )
    assert isinstance(tally, ColumnTallies)  # noqa: S101 - the only other tally of several columns
    known = _LABEL_AVERAGES if metric.needs == "score" else _OUTPUT_AVERAGES
    if average not in known:
        unit = _unit(metric)
        stated = "" if average is None else f"average={average!r} is not one for {unit}s. "
        raise MetricError(
            f"{stated}{metric.name} of {len(tally.labels)} {unit}s is averaged over them: say average="
            f'{" or ".join(f"{name!r}" for name in known)}, as in "{known[0]} {metric.name}".'
        )
    if average == "micro":
        return metric(tally.pooled(), **options)
    values = [metric(each, **options) for each in tally.tallies]
    reason = next((value.reason for value in values if isinstance(value, Undefined)), "")
    numbers = [math.nan if isinstance(value, Undefined) else float(value) for value in values]
    weights = column_weights(tally, average)
    kind = "macro" if average == "macro" else "weighted"
    unit = _unit(metric)
    return over_classes(
        numbers, weights, kind, names=tally.labels, reason=reason, undefined=undefined, unit=unit
    )


def column_weights(tally: ColumnTallies, average: str) -> NDArray[np.float64]:
    """Return how much each label or output counts in an average."""
    if average == "macro":
        return np.ones(len(tally.labels))
    weights: list[float] = []
    for each in tally.tallies:
        if average == "weighted" and isinstance(each, Scores):
            weights.append(float(Ranks.of(each).positives))
        elif average == "variance_weighted" and isinstance(each, Moments):
            weights.append(float(Errors.of(each).actual_variance))
        else:
            raise MetricError(f"average={average!r} cannot be read from a tally of {each.kind}.")
    return np.array(weights)


def sample_values(metric: Metric, rows: Any, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return a metric of every row's own labels, NaN where it has none (scikit-learn's "samples")."""
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    actual = rows.need("actual", metric.name)
    if metric.reads is Binary:
        predicted = rows.need("predicted", metric.name)
        counts = Binary(*LabelSets.each_row(actual=actual.values, predicted=predicted.values))
        return np.array(np.broadcast_to(metric.formula(counts, **parameters), len(rows)), dtype=np.float64)
    if metric.reads is not Ranks:
        raise MetricError(f"{metric.name} is no metric of one row's labels: leave out the samples average.")
    rows.need("score", metric.name)
    views = (Ranks.of(Scores.of(rows.labels_of_row(index))) for index in range(len(rows)))
    return np.array([float(metric.formula(view, **parameters)) for view in views])


def _with_undefined(values: NDArray[np.float64], undefined: Any) -> NDArray[np.float64]:
    if undefined in ("strict", "skip"):
        return values
    if isinstance(undefined, (int, float)):
        return np.where(np.isnan(values), float(undefined), values)
    raise MetricError(f'undefined={undefined!r} is not known: use "strict", "skip" or a number.')


def _unit(metric: Metric) -> str:
    return "label" if metric.needs == "score" else "output"
