"""The bootstrap units of rows: rows, or whole groups of rows, drawn with replacement."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.formatting.numbers import count_of
from assay.inference.bootstrap.tally_units import (
    float_or_nan,
    mean_of_defined,
    mean_units,
    one_by_one,
    units_of_tally,
)
from assay.inference.bootstrap.units import ResamplingUnits
from assay.inference.bootstrap.vectorized import TABLE_VIEWS, of_tables
from assay.inference.influence.confusion import cell_of_rows
from assay.inference.influence.row_means import query_values
from assay.inputs import Rows, encode
from assay.metrics.views.row_means import Mean
from assay.tallies import Confidences, Confusion, NumberPairs, Queries, Scores, Values
from assay.tallies.loss_arguments import positional_parameters, row_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Metric

__all__ = ["canonical_order", "units_of_rows"]

_SCORE_ARGUMENTS = {"positive", "score", "probability"}  # that a loss can take from a score tally
_TALLIES_WITH_ROWS = (
    Scores,
    Values,
    NumberPairs,
    Queries,
    Confidences,
)  # tallies that rows can be drawn from


def units_of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    """Return the units of rows: the groups where rows have some, else rows, by way of the smallest tally."""
    options = metric.with_positive(options, rows.positive)
    if rows.group is not None:
        if stratified:
            raise MetricError("stratified=True draws rows within classes, but these rows are drawn by group.")
        return _group_units(metric, rows, options)
    if rows.multioutput:
        if stratified:
            raise MetricError(
                "stratified=True keeps the rows of each class, but these rows have several labels."
            )
        return _single_row_units(metric, rows, options)
    averaged = bool(options.get("average")) and "average" not in metric.parameters
    if metric.reads in TABLE_VIEWS:
        if rows.weight is None:
            return units_of_tally(metric, Confusion.of(rows), options, stratified=stratified)
        return _weighted_cell_units(metric, rows, options, stratified=stratified)
    kind = getattr(metric.reads, "tally", None)
    tally = None if averaged or metric.loss is not None else metric.tally(rows)
    if isinstance(tally, _TALLIES_WITH_ROWS):
        return units_of_tally(metric, tally, options, stratified=stratified)
    if stratified:
        if (
            metric.loss is not None
            and {"positive"} < set(positional_parameters(metric.loss)) <= _SCORE_ARGUMENTS
        ):
            return units_of_tally(metric, Scores.of(rows), options, stratified=True)
        raise MetricError(
            f"stratified=True keeps the rows of each class, but {metric.name} reads {_title(kind)}."
        )
    if metric.reads is Mean:
        values, weights, counts = _distinct(*_losses(metric, rows, options))
        return mean_units(metric, values, counts, weights)
    return _single_row_units(metric, rows, options)


def canonical_order(*models: Rows) -> NDArray[np.intp]:
    """Return an order of rows by their values, for every model, that does not depend on how they came."""
    keys: list[Any] = []
    for rows in models:
        for role in ("actual", "predicted", "score", "weight", "query"):
            column = getattr(rows, role)
            if column is not None:
                keys.extend(column.values.T if column.values.ndim > 1 else [column.values])
    return np.lexsort(keys[::-1])


def _title(kind: Any) -> str:
    return f"a tally of {getattr(kind, 'kind', 'something else')}"


def _losses(metric: Metric, rows: Rows, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return each row's loss and weight."""
    own = {name: value for name, value in options.items() if name in metric.loss_parameters}
    values, _ = row_values(rows, metric.loss, own)
    return values, np.ones(len(values)) if rows.weight is None else rows.weight.values


def _distinct(values: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return the distinct pairs of value and weight in order, and how many rows have each."""
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]
    same = (values[1:] == values[:-1]) & (weights[1:] == weights[:-1])
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(values), 1), dtype=bool), ~same]))
    return values[starts], weights[starts], np.diff(np.append(starts, len(values)))


def _table_units(
    metric: Metric, labels: Any, sizes: Any, parts: tuple[Any, Any, Any], options: dict[str, Any]
) -> ResamplingUnits:
    """Return units that add some mass to some cells of a table; parts are unit, cell and mass."""
    unit, cell, mass = parts
    size = len(labels)
    integers = mass.dtype.kind in "iu"

    def table(counts: NDArray[np.int64]) -> Any:
        full = np.bincount(cell, counts[unit] * mass, minlength=size * size)
        return (full.astype(np.int64) if integers else full).reshape(size, size)

    def read(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        tables = np.stack([table(replicate) for replicate in counts])
        if integers:
            return of_tables(metric, tables, labels, options)
        squares = np.array([float(replicate[unit] @ np.square(mass / mass.max())) for replicate in counts])
        effective = np.square(tables.sum((-2, -1)) / mass.max()) / squares  # Kish's effective sample size
        return of_tables(metric, tables, labels, options, effective=effective)

    return ResamplingUnits(np.asarray(sizes, dtype=np.uint64), read)


def _weighted_cell_units(
    metric: Metric, rows: Rows, options: dict[str, Any], *, stratified: bool
) -> ResamplingUnits:
    tally = Confusion.of(rows)
    cells = cell_of_rows(rows, tally)
    cell, mass, sizes = _distinct(cells, rows.need("weight", "a weighted bootstrap").values)
    units = _table_units(metric, tally.labels, sizes, (np.arange(len(cell)), cell, mass), options)
    if not stratified:
        return units
    actual = cell // len(tally.labels)
    strata = tuple(np.flatnonzero(actual == label) for label in np.unique(actual))
    return dataclasses.replace(units, strata=strata)


def _single_row_units(metric: Metric, rows: Rows, options: dict[str, Any]) -> ResamplingUnits:
    ordered = rows.take(canonical_order(rows))
    indices = np.arange(len(rows))

    def read_one(counts: NDArray[np.int64]) -> float:
        return float_or_nan(metric(ordered.take(np.repeat(indices, counts)), **options))

    return ResamplingUnits(np.ones(len(rows), dtype=np.uint64), one_by_one(read_one), cheap=False)


def _group_units(metric: Metric, rows: Rows, options: dict[str, Any]) -> ResamplingUnits:
    group, names = encode(rows.need("group", "a bootstrap of groups"))
    group = group.astype(np.intp)
    ones = np.ones(len(names), dtype=np.uint64)
    note = f"{count_of(len(names), 'group is', 'groups are')} drawn"
    if metric.reads in TABLE_VIEWS and not rows.multioutput:
        tally = Confusion.of(rows)
        cells = cell_of_rows(rows, tally)
        size = len(tally.labels) ** 2
        pairs, where = np.unique(group * size + cells, return_inverse=True)
        mass: Any = np.bincount(where, minlength=len(pairs))
        if rows.weight is not None:
            mass = np.bincount(where, rows.weight.values, minlength=len(pairs))
        units = _table_units(metric, tally.labels, ones, (pairs // size, pairs % size, mass), options)
        return dataclasses.replace(units, note=note)
    if metric.each is not None:
        return dataclasses.replace(_query_group_units(metric, rows, options, group, len(names)), note=note)
    ordered = rows.take(canonical_order(rows))
    codes, _ = encode(ordered.need("group", "a bootstrap of groups"))
    offsets, order = kernels.order_groups(codes, len(names))

    def read_one(counts: NDArray[np.int64]) -> float:
        chosen = np.repeat(np.arange(len(names)), counts)
        index = np.concatenate([order[offsets[code] : offsets[code + 1]] for code in chosen])
        return float_or_nan(metric(ordered.take(index.astype(np.intp)), **options))

    return ResamplingUnits(ones, one_by_one(read_one), cheap=False, note=note)


def _query_group_units(
    metric: Metric, rows: Rows, options: dict[str, Any], group: NDArray[np.intp], size: int
) -> ResamplingUnits:
    """Return the units of groups of queries: the rows of a query must be in one group."""
    query, _ = encode(rows.need("query", "a query tally"))
    query = query.astype(np.intp)
    of_query = np.zeros(int(query.max(initial=-1)) + 1, dtype=np.intp)
    of_query[query] = group
    if (of_query[query] != group).any():
        raise MetricError(
            "a query's rows lie in several groups: draw queries, or make the groups of whole queries."
        )
    each = query_values(metric, Queries.of(rows), options)
    known = ~np.isnan(each)
    sums = np.bincount(of_query, np.where(known, each, 0.0), minlength=size)
    defined = np.bincount(of_query, known, minlength=size)
    return ResamplingUnits(
        np.ones(size, dtype=np.uint64), lambda counts: mean_of_defined(counts, sums, defined)
    )
