"""The pictures of ranked lists: metrics over the depth k, and their distribution over the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import format_value
from assay.inference.influence.row_means import query_values
from assay.metrics import Undefined, find
from assay.metrics.spec import metric_title
from assay.plots.list_metrics import list_depths
from assay.reports.page.metric_cells import texts
from assay.tallies import Queries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.evaluation.evaluation import Evaluation

__all__ = ["ranking_shapes"]

_AT_K = ("ndcg", "recall_at_k", "precision_at_k", "hit_rate")
_BINS = 20
_MAX_LISTS = 5  # at either end of their order


def ranking_shapes(ev: Evaluation) -> dict[str, Any]:
    """Return each metric at every depth with its interval, and how NDCG is over the lists."""
    queries = ev.tallies.get("queries")
    if not isinstance(queries, Queries) or not len(queries):
        return {}
    longest = int(queries.lengths.max())
    empty: dict[str, Any] = {} if ev.settings.empty is None else {"empty": ev.settings.empty}
    curves = []
    for name in _AT_K:
        estimates = [(k, ev.estimate(name, k=k, **empty)) for k in list_depths(longest)]
        points = [
            [k, texts(estimate)] for k, estimate in estimates if not isinstance(estimate.value, Undefined)
        ]
        if points:
            curves.append({"label": metric_title(name), "points": points})
    depth: dict[str, Any] = {} if ev.settings.k is None else {"k": ev.settings.k}
    values = query_values(find("ndcg"), queries, {**depth, **empty})
    known = np.flatnonzero(~np.isnan(values))
    counts, _ = np.histogram(values[known], _BINS, (0.0, 1.0))
    return {
        "at_k": curves,
        "k": ev.settings.k,
        "lists": {"label": metric_title("ndcg"), "counts": counts.tolist(), "n": len(known)},
        "extremes": _extremes(ev, queries, values, known),
        "lengths": [int(queries.lengths.min()), longest],
    }


def _extremes(ev: Evaluation, queries: Queries, values: NDArray[Any], known: NDArray[Any]) -> dict[str, Any]:
    """Return NDCG, items and relevant items of the worst and the best lists that have something to find.

    Their names are data of the caller's, which a page holds only where they are handed in as errors. Beside
    them stand how many lists have nothing to find, and what these count as.
    """
    relevant = np.diff(queries.ideal_offsets)
    ordered = known[relevant[known] > 0]
    ordered = ordered[np.argsort(values[ordered], kind="stable")]
    ends = {"worst": ordered[:_MAX_LISTS], "best": ordered[_MAX_LISTS:][::-1][:_MAX_LISTS]}
    tables = {
        end: [[format_value(float(values[at])), int(queries.lengths[at]), int(relevant[at])] for at in chosen]
        for end, chosen in ends.items()
    }
    return {
        **tables,
        "nothing_to_find": int(np.count_nonzero(relevant == 0)),
        "counted": ev.settings.empty or "zero",
    }
