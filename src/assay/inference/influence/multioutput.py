"""The influence of rows of several labels or outputs on averages over them.

A row moves every label or output at once: its influences on each are added up by their shares in the average,
and where the shares depend on the rows (positives, variances), the row moves these, too.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.influence import Influence, influence, row_influence, tally_influence
from assay.inference.influence.multilabel import of_indicators
from assay.inputs import Column
from assay.inputs.columns import doubles
from assay.metrics import Undefined, find
from assay.metrics.multioutput import column_weights, sample_values
from assay.tallies import ColumnTallies, LabelSets, Moments, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["of_rows", "of_tally"]

# Metrics that are averages of another one over labels by themselves.
_AVERAGES_OF_AUC = {"macro_auc": "macro", "weighted_auc": "weighted", "micro_auc": "micro"}


@tally_influence(ColumnTallies)
def of_tally(_metric: Metric, _tally: Any, _options: dict[str, Any]) -> Influence | None:
    """Return None: tallies of each column do not say which of their rows are the same."""
    return None


@row_influence(ColumnTallies)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row of several labels or outputs."""
    average = options.get("average")
    if average == "samples":
        return _of_row_values(metric, rows, options)
    if metric.needs in ("labels", "label sets"):
        columns = {role: rows.need(role, metric.name).values for role in ("actual", "predicted")}
        weight = None if rows.weight is None else rows.weight.values
        known = tally if isinstance(tally, LabelSets) else None
        return of_indicators(metric, **columns, labels=rows.labels, weight=weight, tally=known, **options)
    if options.get("positive") is not None:
        of_class = dict(options)
        return influence(metric, metric.of_class(rows, of_class), **of_class)
    if metric.name in _AVERAGES_OF_AUC:
        metric, average = find("auc"), _AVERAGES_OF_AUC[metric.name]
    own = {name: value for name, value in options.items() if name not in ("average", "undefined")}
    value = metric(rows, **own, average=average, undefined=options.get("undefined", "strict"))
    if isinstance(value, Undefined):
        return None
    if average == "micro":
        return _of_pooled_columns(metric, rows, own, value)
    return _of_columns(metric, rows, own, str(average), value)


def _of_row_values(metric: Metric, rows: Rows, options: dict[str, Any]) -> Influence | None:
    """Return the influence on a mean of one value per row."""
    undefined = options.get("undefined", "strict")
    values = sample_values(metric, rows, options)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values
    defined = ~np.isnan(values)
    if not defined.all() and undefined == "strict":
        return None
    if undefined not in ("strict", "skip"):
        values, defined = np.where(defined, values, float(undefined)), np.ones(len(values), dtype=bool)
    mass = np.where(defined, weight, 0.0)
    total = float(mass.sum())
    if not total:
        return None
    values = np.where(defined, values, 0.0)
    mean = float(mass @ values) / total
    slopes = np.where(defined, (values - mean) / total, 0.0)
    return Influence.of_rows(mean, slopes, None if rows.weight is None else weight)


def _of_pooled_columns(metric: Metric, rows: Rows, options: dict[str, Any], value: float) -> Influence | None:
    """Return the influence on the micro average: all columns read as one, each row once per column."""
    size = len(rows.labels or ())
    columns: dict[str, Any] = {
        role: Column(role, matrix.values.ravel())
        for role in ("actual", "predicted", "score")
        if (matrix := getattr(rows, role)) is not None
    }
    if rows.weight is not None:
        columns["weight"] = Column("weight", np.repeat(rows.weight.values, size))
    pooled = dataclasses.replace(
        rows, n=len(rows) * size, **columns, group=None, query=None, by=(), labels=None, origin=None
    )
    each = influence(metric, pooled, **options)
    if each is None:
        return None
    weight = None if rows.weight is None else rows.weight.values
    return Influence.of_rows(value, each.slopes.reshape(-1, size).sum(axis=1), weight)


def _of_columns(
    metric: Metric, rows: Rows, options: dict[str, Any], average: str, value: float
) -> Influence | None:
    """Return the influence on the mean over labels or outputs, each counting by its share."""
    source = Scores if metric.needs == "score" else Moments
    shares = np.ones(len(rows.labels or ()))
    if average != "macro":
        shares = column_weights(ColumnTallies.of(rows, source), average)
    slopes, total = np.zeros(len(rows)), 0.0
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values
    for index, share in enumerate(shares.tolist()):
        column = rows.of_column(index)
        each = influence(metric, column, **options)
        if each is None:
            if share and not _has_value(metric, column, options):
                continue  # the average leaves it out, or has no value either
            return None
        total += share
        slopes += share * each.slopes
        if average != "macro":
            slopes += (each.value - value) * _slopes_of_share(column, average, weight)
    if not total:
        return None
    return Influence.of_rows(value, slopes / total, None if rows.weight is None else weight)


def _has_value(metric: Metric, rows: Rows, options: dict[str, Any]) -> bool:
    value = metric(rows, **options)
    return not isinstance(value, Undefined) and math.isfinite(value)


def _slopes_of_share(rows: Rows, average: str, weight: NDArray[Any]) -> NDArray[np.float64]:
    """Return how a row moves the share of a column: by its label, or by its part in the variance."""
    actual = doubles(rows.need("actual", "an influence").values)
    if average == "weighted":
        return np.asarray(actual)
    total = float(weight.sum())
    squares = np.square(actual - float(weight @ actual) / total)
    return np.asarray((squares - float(weight @ squares) / total) / total)
