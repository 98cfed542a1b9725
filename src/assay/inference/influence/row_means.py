"""The influence of rows on a mean of one loss per row, and of queries on a mean over queries."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.influence.gradients import slopes_by
from assay.inference.influence.influence import Influence, row_influence, tally_influence
from assay.metrics import Mean
from assay.metrics.ranking.retrieval import Lists
from assay.tallies import Losses, Queries, Scores
from assay.tallies.loss_arguments import row_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["of_rows", "of_tally", "query_values"]


@tally_influence(Mean, Lists)
def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of each query, or of each score's rows; None for a tally of losses."""
    if isinstance(tally, Queries):
        return _influence_of_queries(query_values(metric, tally, options))
    if not isinstance(tally, Scores):
        return None
    entries = tally.entry_losses(metric.loss, **options)
    losses, counts = (np.concatenate([entry[index] for entry in entries]) for index in (0, 1))
    if tally.weights is None:
        sums = [counts.astype(np.float64)]
    else:
        weights = np.concatenate([entry[2] for entry in entries])
        sums = [counts * weights**power for power in (1, 2, 3)]
    view = Mean.of(tally.losses(metric.loss, **options))
    return _influence_of_losses(metric, view, losses, sums)


@row_influence(Mean, Lists)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row; of ranked lists, of every query, in the order of their names."""
    if metric.reads is Lists:
        return _influence_of_queries(query_values(metric, Queries.of(rows), options))
    losses, name = row_values(rows, metric.loss, options)
    weight = None if rows.weight is None else rows.weight.values
    powers = [np.ones(len(losses))] if weight is None else [weight, weight**2, weight**3]
    if isinstance(tally, Scores) and tally.n != len(losses):
        tally = tally.losses(metric.loss, **options)
    if isinstance(tally, Losses) and tally.n != len(losses):
        influence = _influence_of_losses(metric, Mean.of(tally), losses, powers)
        if influence is None:
            return None
        return dataclasses.replace(influence, slopes=influence.slopes * (len(losses) / tally.n))
    view = Mean.of(Losses.of_values(losses, weight, loss=name))
    return _influence_of_losses(metric, view, losses, powers)


def query_values(metric: Metric, queries: Queries, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return a metric's value for each query, NaN where it has none or is left out.

    >>> import assay
    >>> lists = assay.Queries.of_lists(actual=[[1, 2, 3], [2, 3], []], predicted=[[0, 1], [2, 3], [4, 5]])
    >>> np.sort(query_values(assay.metrics.recall_at_k, lists, {"k": 2}))
    array([0.        , 0.33333333, 1.        ])
    >>> np.sort(query_values(assay.metrics.recall_at_k, lists, {"k": 2, "empty": "skip"}))
    array([0.33333333, 1.        ,        nan])
    """
    if metric.each is None:
        raise MetricError(f"{metric.name} is no mean over queries.")
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    view = Lists.of(queries, **{name: value for name, value in options.items() if name not in parameters})
    return np.asarray(metric.each(view, **parameters), dtype=np.float64)


def _influence_of_losses(
    metric: Metric, view: Mean, losses: NDArray[np.float64], sums: list[NDArray[np.float64]]
) -> Influence | None:
    """Return the influence of units with a loss each, from the sums of their weights' powers."""
    if not view.n or not math.isfinite(view.mean):
        return None
    value = metric.value(metric.formula(view), view)
    # The metric may be the root of the mean, which has no slope at 0, but then all losses are 0.
    slope = slopes_by(lambda mean: metric.formula(Mean(mean, view.n)), [view.mean])[0]
    slopes = slope * (losses - view.mean) / float(sums[0].sum())
    return Influence(float(value), slopes, *sums)


def _influence_of_queries(values: NDArray[np.float64]) -> Influence | None:
    """Return the influence of queries; one without a value has neither slope nor mass."""
    known = ~np.isnan(values)
    if not known.any():
        return None
    mean = math.fsum(values[known]) / int(known.sum())
    slopes = np.where(known, values - mean, 0.0) / int(known.sum())
    return Influence(mean, slopes, known.astype(np.float64))
