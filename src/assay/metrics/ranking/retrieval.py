"""Ranked lists: the first k positions of each query's list, averaged over the queries.

A list without any relevant item counts as 0 (``empty="zero"``, as in trec_eval and torchmetrics), as 1
(``empty="one"``), or not at all (``empty="skip"``). In a list shorter than k, the missing positions count as
misses.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from assay.errors import MetricError
from assay.hints import passed
from assay.metrics.arithmetic import ratio, where
from assay.metrics.metric import Metric, metric, need_tally
from assay.tallies import Queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.tallies.ranked_lists import ListScores

__all__ = ["Lists"]

EMPTY = ("zero", "one", "skip")
NO_RELEVANT = "no query has a relevant item, and lists without one are left out"


@dataclasses.dataclass(frozen=True)
class Lists:
    """The first k positions of every query's list; all positions where k is None."""

    queries: Queries
    k: int | None
    empty: str = "zero"

    tally = Queries
    title = "ranked lists"
    needs = "lists"
    takes_weights = False

    @classmethod
    def of(cls, tally: Any, *, k: int | None = None, empty: Literal["zero", "one", "skip"] = "zero") -> Self:
        """Return the view of a query tally at depth k; `empty` is how lists without a relevant item count."""
        need_tally(tally, Queries)
        if empty not in EMPTY:
            synonyms = {"neg": "zero", "pos": "one"}  # torchmetrics'
            meant = f' Did you mean "{synonyms[empty]}"?' if empty in synonyms else ""
            raise MetricError(f'{passed("empty", empty)} is not known: use "zero", "one" or "skip".{meant}')
        return cls(tally, k, empty)

    @functools.cached_property
    def at(self) -> ListScores:
        """What the positions hold, query by query."""
        return self.queries.at(self.k)

    @functools.cached_property
    def depths(self) -> NDArray[Any]:
        """Number of positions that are evaluated for each query."""
        if self.k is None:
            return self.queries.lengths
        return np.full(len(self.queries), self.k)

    @property
    def relevant(self) -> NDArray[Any]:
        """Number of relevant items of each query, listed or not."""
        return self.queries.relevant

    def with_empty(self, values: Any, largest: float) -> NDArray[np.float64]:
        """Return each list's value, with `empty` for lists without a relevant item; NaN for one left out.

        A metric whose largest value is not 1, such as a gain, is 0 where there is nothing to gain.
        """
        filled = np.array(values, dtype=np.float64)
        as_one = self.empty == "one" and largest == 1
        filled[self.relevant == 0] = math.nan if self.empty == "skip" else float(as_one)
        return filled


def query_metric(
    *,
    bounds: tuple[float, float],
    best: float | None,
    undefined: str,
    aliases: tuple[str, ...] = (),
    title: str = "",
) -> Callable[[Callable[..., Any]], Metric]:
    """Declare a metric that is a mean over queries: the decorated function gives each query's value."""

    def declare(value_of_list: Callable[..., Any]) -> Metric:
        @functools.wraps(value_of_list)
        def each(view: Lists, **parameters: Any) -> Any:
            return view.with_empty(value_of_list(view, **parameters), bounds[1])

        @functools.wraps(value_of_list)
        def formula(view: Lists, **parameters: Any) -> Any:
            values = each(view, **parameters)
            defined = values[~np.isnan(values)]
            return math.fsum(defined) / len(defined) if len(defined) else math.nan

        return metric(
            reads=Lists,
            kind="mean",
            bounds=bounds,
            best=best,
            undefined=undefined,
            aliases=aliases,
            each=each,
            title=title,
        )(formula)

    return declare


@query_metric(
    bounds=(0, 1),
    best=None,
    undefined="all lists are empty, or lists without a relevant item are left out",
    aliases=("p_at_k",),
)
def precision_at_k(lists: Lists) -> Any:
    """Share of the first k positions that hold a relevant item: ``hits / k``."""
    return ratio(lists.at.hits, lists.depths)


@query_metric(bounds=(0, 1), best=1, undefined=NO_RELEVANT, aliases=("r_at_k",))
def recall_at_k(lists: Lists) -> Any:
    """Share of the relevant items that are in the first k positions: ``hits / relevant``."""
    return ratio(lists.at.hits, lists.relevant)


@query_metric(
    bounds=(0, 1), best=1, undefined=NO_RELEVANT, aliases=("hit_at_k", "hit_rate_at_k", "success_at_k")
)
def hit_rate(lists: Lists) -> Any:
    """Share of queries with a relevant item in the first k positions: ``1 if hits > 0 else 0``."""
    return where(lists.relevant > 0, lists.at.hit, math.nan)


@query_metric(bounds=(0, 1), best=1, undefined=NO_RELEVANT, aliases=("mrr", "reciprocal_rank"))
def mean_reciprocal_rank(lists: Lists) -> Any:
    """Reciprocal rank of the first relevant item: ``1 / rank of the first relevant item``."""
    return where(lists.relevant > 0, lists.at.reciprocal_rank, math.nan)


@query_metric(bounds=(0, 1), best=1, undefined=NO_RELEVANT, aliases=("map", "map_at_k", "ap_at_k"))
def mean_average_precision(
    lists: Lists,
    *,
    convention: Literal["retrieval", "trec", "depth", "hits", "teaching"] = "retrieval",
) -> Any:
    """Mean of the precision at each relevant item: ``sum(P@i where i is relevant) / min(k, relevant)``.

    The convention names the denominator. ``"retrieval"``: min(k, relevant), as Kaggle, Spark's
    meanAveragePrecisionAt and LightGBM have it; 1 where the first positions are all relevant. ``"trec"``: all
    relevant items (trec_eval, ranx). ``"depth"``: k. ``"hits"``: the hits themselves (torchmetrics), which
    rewards retrieving fewer. ``"teaching"`` is another sum: the mean of P@1 to P@k over all positions, P@i
    divided by the list's length where the list is shorter.
    """
    at, relevant, depths = lists.at, lists.relevant, lists.depths
    if convention == "teaching":
        return where(depths > 0, ratio(at.precision_mean_sum, depths), 0.0)
    denominators = {
        "retrieval": np.minimum(depths if lists.k is not None else relevant, relevant),
        "trec": relevant,
        "depth": depths,
        "hits": at.hits,
    }
    if convention not in denominators:
        known = ", ".join(f'"{name}"' for name in (*denominators, "teaching"))
        raise MetricError(f"convention={convention!r} is not known: use {known}.")
    values = where(at.hits > 0, ratio(at.precision_sum, denominators[convention]), 0.0)
    return where(relevant > 0, values, math.nan)


@query_metric(bounds=(0, 1), best=1, undefined=NO_RELEVANT, aliases=("ndcg_at_k",), title="NDCG")
def ndcg(lists: Lists, *, gain: Literal["linear", "exponential"] = "linear") -> Any:
    """Discounted gain of the first k positions as a share of the best order's: ``dcg / ideal dcg``.

    A gain is the relevance itself, or 2 to its power less 1 where gain="exponential"; position i is
    discounted by log2(i + 1). Tied scores are averaged over their orders.
    """
    return ratio(_gain(lists, gain), _gain(lists, gain, "ideal_"))


@query_metric(bounds=(0, math.inf), best=math.inf, undefined=NO_RELEVANT, aliases=("dcg_at_k",), title="DCG")
def dcg(lists: Lists, *, gain: Literal["linear", "exponential"] = "linear") -> Any:
    """Gain of the first k positions, discounted by rank: ``sum(gain / log2(rank + 1))``."""
    return _gain(lists, gain)


@query_metric(bounds=(0, 1), best=None, undefined=NO_RELEVANT)
def f1_at_k(lists: Lists) -> Any:
    """Harmonic mean of precision and recall in the first k positions: ``2 hits / (k + relevant)``."""
    return where(lists.relevant > 0, ratio(2 * lists.at.hits, lists.depths + lists.relevant), math.nan)


def _gain(lists: Lists, gain: str, which: str = "") -> NDArray[Any]:
    if gain not in ("linear", "exponential"):
        raise MetricError(f'gain={gain!r} is not known: use "linear" or "exponential".')
    return np.asarray(getattr(lists.at, f"{which}dcg_{gain}"))
