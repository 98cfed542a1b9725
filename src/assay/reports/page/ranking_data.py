"""The pictures of ranked lists: metrics over the depth k, and their distribution over the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.row_means import query_values
from assay.metrics import Undefined, find
from assay.metrics.spec import metric_title
from assay.reports.page.metric_cells import texts
from assay.tallies import Queries

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["ranking_shapes"]

_AT_K = ("ndcg", "recall_at_k", "precision_at_k", "hit_rate")
_ALL_DEPTHS = 20  # depths that are all drawn; of longer lists fewer, further apart
_BINS = 20


def ranking_shapes(ev: Evaluation) -> dict[str, Any]:
    """Return each metric at every depth with its interval, and how NDCG is distributed over the lists."""
    queries = ev.tallies.get("queries")
    if not isinstance(queries, Queries) or not len(queries):
        return {}
    longest = int(queries.lengths.max())
    empty: dict[str, Any] = {} if ev.settings.empty is None else {"empty": ev.settings.empty}
    curves = []
    for name in _AT_K:
        estimates = [(k, ev.estimate(name, k=k, **empty)) for k in _depths(longest)]
        points = [
            [k, texts(estimate)] for k, estimate in estimates if not isinstance(estimate.value, Undefined)
        ]
        if points:
            curves.append({"label": metric_title(name), "points": points})
    depth: dict[str, Any] = {} if ev.settings.k is None else {"k": ev.settings.k}
    values = query_values(find("ndcg"), queries, {**depth, **empty})
    values = values[~np.isnan(values)]
    counts, _ = np.histogram(values, _BINS, (0.0, 1.0))
    return {
        "at_k": curves,
        "k": ev.settings.k,
        "lists": {"label": metric_title("ndcg"), "counts": counts.tolist(), "n": len(values)},
        "lengths": [int(queries.lengths.min()), longest],
    }


def _depths(longest: int) -> list[int]:
    """Return the depths at which metrics are shown: all of short lists, else ever fewer.

    >>> _depths(4), _depths(100)[-4:]
    ([1, 2, 3, 4], [58, 69, 83, 100])
    """
    if longest <= _ALL_DEPTHS:
        return list(range(1, longest + 1))
    return np.unique(np.rint(np.geomspace(1, longest, 26)).astype(int)).tolist()  # type: ignore[no-any-return]
