"""Random rows for the laws: per view of a tally, how rows are drawn and what a perfect model predicts."""

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import assay


@dataclasses.dataclass
class Data:
    """Plain columns of one length; what a view does not need stays empty."""

    actual: list = dataclasses.field(default_factory=list)
    predicted: list = dataclasses.field(default_factory=list)
    score: list = dataclasses.field(default_factory=list)
    query: list = dataclasses.field(default_factory=list)
    weight: list = dataclasses.field(default_factory=list)
    labels: tuple = ()

    def __len__(self):
        return len(self.actual)

    def take(self, index):
        """Return the rows at these places."""
        columns = {
            name: [column[i] for i in index]
            for name in ("actual", "predicted", "score", "query", "weight")
            if (column := getattr(self, name))
        }
        return dataclasses.replace(self, **columns)

    def rows(self, *, weighted=False):
        """Return what `assay.rows` makes of them."""
        columns = {name: getattr(self, name) for name in ("actual", "predicted", "score", "query")}
        given = {name: column for name, column in columns.items() if column}
        more = {"labels": self.labels} if self.labels else {}
        return assay.rows(**given, **more, **({"weight": self.weight} if weighted else {}))

    def tally(self, metric, *, weighted=False):
        """Return the tally that a metric reads of them."""
        return metric.tally(self.rows(weighted=weighted))


class SetData(Data):
    """Rows of 0 and 1, one per label."""

    def tally(self, metric, *, weighted=False):
        """Return the tally of the label sets."""
        weight = {"weight": self.weight} if weighted else {}
        return metric.reads.tally.of_indicators(actual=self.actual, predicted=self.predicted, **weight)


@dataclasses.dataclass
class Sample:
    """How rows of a kind are drawn."""

    draw: Callable[[random.Random, int], Data]
    perfect: Callable[[Data], Data]
    columns: tuple[str, ...] = ()


def _pick(rng, values, n):
    return [rng.choice(values) for _ in range(n)]


def _weights(rng, n):
    return [rng.choice([0.25, 0.5, 1.0, 1.5, 3.0]) for _ in range(n)]


def _binary(rng, n):
    return Data(_pick(rng, [0, 1], n), _pick(rng, [0, 1], n), weight=_weights(rng, n))


def _classes(rng, n):
    labels = tuple(range(rng.choice([2, 3, 4])))
    return Data(_pick(rng, labels, n), _pick(rng, labels, n), weight=_weights(rng, n), labels=labels)


def _sets(rng, n):
    width = rng.choice([1, 2, 3])
    sides = ([_pick(rng, [0, 1], width) for _ in range(n)] for _ in range(2))
    return SetData(*sides, weight=_weights(rng, n))


def _numbers(rng, n):
    actual = [rng.choice([0.5, 1.0, 2.0, rng.uniform(0.1, 9)]) for _ in range(n)]
    return Data(actual, [rng.uniform(0.1, 9) for _ in actual], weight=_weights(rng, n))


def _scores(rng, n):
    actual = _pick(rng, [0, 1], n)
    return Data(
        actual, score=[rng.choice([0.25, 0.5, rng.random()]) for _ in actual], weight=_weights(rng, n)
    )


def _class_scores(rng, n):
    labels = tuple(range(rng.choice([2, 3, 4])))
    scores = [[rng.random() for _ in labels] for _ in range(n)]
    scores = [[one / sum(row) for one in row] for row in scores]
    return Data(_pick(rng, labels, n), score=scores, weight=_weights(rng, n), labels=labels)


def _lists(rng, n):
    query = sorted(_pick(rng, ["a", "b", "c"], n))
    return Data(_pick(rng, [0, 0, 1, 2], n), score=rng.sample(range(1000), n), query=query, weight=[1.0] * n)


def _as_predicted(d):
    return dataclasses.replace(d, predicted=list(d.actual))


def _as_scores(d):
    return dataclasses.replace(d, score=[float(one) for one in d.actual])


def _as_class_scores(d):
    return dataclasses.replace(d, score=[[float(one == k) for k in d.labels] for one in d.actual])


def _as_order(d):
    """Return lists in their best order; the first item of each is relevant, so that there is one to find."""
    first = {query: i for i, query in reversed(list(enumerate(d.query)))}
    pairs = list(zip(d.query, d.actual, strict=True))
    d = dataclasses.replace(d, actual=[max(one, int(first[q] == i)) for i, (q, one) in enumerate(pairs)])
    return dataclasses.replace(d, score=[gain + i / 1000 for i, gain in enumerate(d.actual)])


SAMPLES: dict[str, Any] = {
    "Binary": Sample(_binary, _as_predicted),
    "Classes": Sample(_classes, _as_predicted),
    "AbsoluteErrors": Sample(_numbers, _as_predicted),
    "AbsolutePercentageErrors": Sample(_numbers, _as_predicted),
    "Errors": Sample(_numbers, _as_predicted),
    "Explained": Sample(_numbers, _as_predicted),
    "Mean": Sample(_numbers, _as_predicted),
    "Sets": Sample(_sets, _as_predicted),
    "Ordered": Sample(_classes, _as_predicted),
    "ValuePairs": Sample(_numbers, _as_predicted),
    "Ranged": Sample(_numbers, _as_predicted),
    "Scaled": Sample(_numbers, _as_predicted),
    "Ranks": Sample(_scores, _as_scores),
    "ClassRanks": Sample(_class_scores, _as_class_scores),
    "Probabilities": Sample(_scores, _as_scores),
    "Confidence": Sample(_class_scores, _as_class_scores),
    "Lists": Sample(_lists, _as_order),
}
