"""Ranked lists by a model of the reader: R-precision, rank-biased precision, expected reciprocal rank.

A query without a relevant item counts 0, as in trec_eval; where no query has one there is no value. Tied
scores are averaged over their orders.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import MetricError, check_whole_number
from assay.metrics.arithmetic import ratio, where
from assay.metrics.parameters import number
from assay.metrics.ranking.retrieval import NO_RELEVANT, Lists, query_metric


@query_metric(bounds=(0, 1), best=1, undefined=NO_RELEVANT, aliases=("rprec", "r_prec"), title="R-precision")
def r_precision(lists: Lists) -> Any:
    """Share of the first R positions that hold a relevant item, R being the number of relevant items.

    ``hits / R``. Precision and recall are equal there. With k= it looks at no more than k positions:
    precision at the smaller of R and k.
    """
    query, position, relevance = _positions(lists)
    depth = np.minimum(lists.relevant, _depth(lists))
    within = position < depth[query]
    hits = np.bincount(query[within], relevance[within], minlength=len(lists.queries))
    return _counted(lists, where(depth > 0, ratio(hits, depth), 0.0))


@query_metric(
    bounds=(0, 1), best=None, undefined=NO_RELEVANT, aliases=("rbp", "rbp_at_k"),
    title="rank-biased precision",
)  # fmt: skip
def rank_biased_precision(lists: Lists, *, persistence: float = 0.8) -> Any:
    """Expected share of relevant items among those seen by a reader who goes on with a fixed probability.

    ``(1 - persistence) sum(persistence^(rank - 1) where relevant)``

    Moffat & Zobel (2008). What is not in the list counts as not relevant, so that it is a lower bound; 0.5 is
    an impatient reader, 0.95 a patient one.
    """
    persistence = number("persistence", persistence, minimum=0)
    if persistence >= 1:
        raise MetricError(f"persistence={persistence!r}: a probability of going on is below 1.")
    query, position, relevance = _positions(lists)
    seen = (1 - persistence) * persistence**position * relevance
    return _counted(lists, np.bincount(query, seen, minlength=len(lists.queries)))


@query_metric(bounds=(0, 1), best=None, undefined=NO_RELEVANT, aliases=("err_at_k", "expected_rr"))
def expected_reciprocal_rank(lists: Lists, *, max_gain: float | None = None) -> Any:
    """Expected reciprocal rank at which a reader stops who stops at relevant items with some probability.

    ``sum(stop(rank) / rank prod(1 - stop) over the ranks above)``, ``stop = (2^gain - 1) / 2^max_gain``

    Chapelle et al. (2009), often called ERR. `max_gain` is the top of the scale of gains, else the largest
    gain there is; state it where data are compared. With gains of 0 and 1, a relevant item stops every
    second reader.
    """
    gains = lists.queries.gains
    largest = float(max(gains.max(initial=0.0), lists.queries.ideal_gains.max(initial=0.0)))
    top = largest if max_gain is None else number("max_gain", max_gain, above=0)
    if largest > top:
        raise MetricError(f"max_gain={top:g}, but an item has a gain of {largest:g}.")
    stop = np.where(gains > 0, np.exp2(gains - top) - np.exp2(-top), 0.0)
    limit = _depth(lists)
    values = _stopping_in_order(lists, stop, limit)
    offsets, tied = lists.queries.offsets, lists.queries.tied != 0
    query_of_item = np.repeat(np.arange(len(lists.queries)), lists.queries.lengths)
    for query in np.unique(query_of_item[tied]).tolist():
        inside = slice(int(offsets[query]), int(offsets[query + 1]))
        values[query] = _stopping_with_ties(stop[inside], tied[inside], limit)
    return _counted(lists, values)


def _depth(lists: Lists) -> float:
    return math.inf if lists.k is None else check_whole_number("k", lists.k)


def _counted(lists: Lists, values: Any) -> Any:
    """Return the queries' values, or NaN where no query has a relevant item."""
    return values if lists.relevant.any() else np.full(len(values), math.nan)


def _positions(lists: Lists) -> tuple[Any, Any, Any]:
    """Return each position's query, its index from 0 and the probability that it holds a relevant item.

    Tied positions share their relevant items evenly. Positions beyond k are left out.
    """
    queries = lists.queries
    query = np.repeat(np.arange(len(queries)), queries.lengths)
    position = np.arange(len(query)) - queries.offsets[:-1][query]
    relevance = (queries.gains > 0).astype(np.float64)
    if len(relevance) and queries.tied.any():
        group = np.cumsum(
            np.concatenate([[0], queries.tied[:-1] == 0])
        )  # a position tied with the next one is in its group
        relevance = (np.bincount(group, relevance) / np.bincount(group))[group]
    within_depth = position < _depth(lists)
    return query[within_depth], position[within_depth], relevance[within_depth]


def _stopping_in_order(lists: Lists, stop: Any, limit: float) -> Any:
    """Return the expected reciprocal rank of every query, as if no scores were tied.

    Only relevant items stop anyone, so that all queries' first ones are taken together, then the second ones.
    """
    queries = lists.queries
    relevant = np.flatnonzero(stop > 0)
    query = np.repeat(np.arange(len(queries)), queries.lengths)[relevant]
    rank = relevant - queries.offsets[:-1][query] + 1
    relevant, query, rank = (x[rank <= limit] for x in (relevant, query, rank))
    turn = np.arange(len(query)) - np.searchsorted(
        query, query
    )  # number of earlier stopping items of its query
    order = np.argsort(turn, kind="stable")
    ends = np.cumsum(np.bincount(turn)) if len(turn) else np.zeros(0, dtype=np.int64)
    values, going_on = np.zeros(len(queries)), np.ones(len(queries))
    for begin, end in zip(np.concatenate([[0], ends[:-1]]).tolist(), ends.tolist(), strict=False):
        taken = order[begin:end]
        of, stopping = query[taken], stop[relevant[taken]]
        values[of] += going_on[of] * stopping / rank[taken]
        going_on[of] *= 1 - stopping
    return values


def _stopping_with_ties(stop: Any, tied: Any, limit: float) -> float:
    """Return the expected reciprocal rank of one list, averaged over the orders of tied items.

    The probability to go on past j of a group's m items in random order is the mean, over all choices of j of
    them, of the product of their probabilities. It is built item by item: with one more item it is that
    without the item in (m + 1 - j) of m + 1 choices, and with it in the others.
    """
    value, going_on, begin = 0.0, 1.0, 0
    while begin < len(stop) and begin < limit:
        end = begin + int(np.argmin(tied[begin:])) + 1
        group = stop[begin:end]
        stopping = group[group > 0]
        past = np.ones(len(group) - len(stopping) + 1)  # nobody stops at an item that is not relevant
        for chance in stopping.tolist():
            size = len(past)
            j = np.arange(size + 1)
            without, with_it = np.append(past, 0.0), np.append(0.0, past)
            past = ((size - j) * without + j * (1 - chance) * with_it) / size
        ranks = begin + np.arange(1, len(past))
        value += going_on * float((-np.diff(past) / ranks)[ranks <= limit].sum())
        going_on *= float(past[-1])
        begin = end
    return value
