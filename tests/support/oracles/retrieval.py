"""Ranked lists a second way: query by query, place by place, in plain Python.

Scores are distinct within a query here, so that there is one order; ties have their own test.
"""

import math


def _queries(d):
    """Return for every query its gains in rank order."""
    for query in sorted(set(d.query)):
        rows = [i for i, one in enumerate(d.query) if one == query]
        yield [d.actual[i] for i in sorted(rows, key=lambda i: -d.score[i])]


def _mean(d, value):
    values = [one for gains in _queries(d) if (one := value(gains)) is not None]
    return sum(values) / len(values) if values else math.nan


def _when_relevant(value):
    return lambda gains: value(gains) if any(gains) else 0.0


def _hits(gains):
    return sum(gain > 0 for gain in gains)


def _average_precision(gains):
    places = [i for i, gain in enumerate(gains, 1) if gain > 0]
    return sum(seen / i for seen, i in enumerate(places, 1)) / len(places)


def _dcg(gains):
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, 1))


def _counting_all(value):
    """The mean over all queries, one without a relevant item counting 0."""

    def of(d):
        lists = list(_queries(d))
        return sum(value(gains) if any(gains) else 0.0 for gains in lists) / len(lists)

    return of


def _r_precision(gains):
    return _hits(gains[: _hits(gains)]) / _hits(gains)


def _rank_biased(gains):
    return 0.2 * sum(0.8**i for i, gain in enumerate(gains) if gain > 0)


def _expected_reciprocal_rank(d):
    largest = max(d.actual, default=0)

    def of(gains):
        going_on, value = 1.0, 0.0
        for i, gain in enumerate(gains, 1):
            stop = (2**gain - 1) / 2**largest
            value += going_on * stop / i
            going_on *= 1 - stop
        return value

    return _counting_all(of)(d)


ORACLES = {
    "r_precision": _counting_all(_r_precision),
    "rank_biased_precision": _counting_all(_rank_biased),
    "expected_reciprocal_rank": _expected_reciprocal_rank,
    "precision_at_k": lambda d: _mean(d, lambda gains: _hits(gains) / len(gains)),
    "recall_at_k": lambda d: _mean(d, _when_relevant(lambda gains: _hits(gains) / _hits(gains))),
    "hit_rate": lambda d: _mean(d, _when_relevant(lambda _: 1.0)),
    "mean_reciprocal_rank": lambda d: _mean(
        d, _when_relevant(lambda gains: 1 / next(i for i, gain in enumerate(gains, 1) if gain > 0))
    ),
    "mean_average_precision": lambda d: _mean(d, _when_relevant(_average_precision)),
    "ndcg": lambda d: _mean(d, _when_relevant(lambda gains: _dcg(gains) / _dcg(sorted(gains, reverse=True)))),
    "dcg": lambda d: _mean(d, _dcg),
    "f1_at_k": lambda d: _mean(
        d, _when_relevant(lambda gains: 2 * _hits(gains) / (len(gains) + _hits(gains)))
    ),
}
