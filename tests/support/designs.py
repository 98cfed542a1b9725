"""Rows for the laws of designs: ordinary models, and models at the ends of what can happen.

Every family of metrics reads the same columns, so that each case is drawn once. Cases are named: a law that
fails says which case broke it.
"""

import dataclasses
import functools
import random

import assay
from support.every_metric import sample_of
from support.samples import Data, SetData

LEVELS = 3
PER_QUERY = 12
SIZE = 40
POSITIVES = (1, 2, 5)


def family(metric):
    """Return which columns a metric reads."""
    if metric.name == "poisson_log_loss":  # of counts
        return "counts"
    data = sample_of(metric).draw(random.Random(0), 12)
    if isinstance(data, SetData):
        return "sets"
    if data.query:
        return "lists"
    if data.score:
        return "class_scores" if isinstance(data.score[0], list) else "scores"
    if data.labels:
        return "classes"
    return "binary" if set(data.actual) <= {0, 1} else "numbers"


def rows_of(metric, data, *, weight=None, group=None):
    """Return the rows, or for rows of several labels the tally, that a metric reads."""
    design = {name: column for name, column in (("weight", weight), ("group", group)) if column is not None}
    if isinstance(data, SetData):
        return metric.reads.tally.of_indicators(actual=data.actual, predicted=data.predicted, **design)
    columns = {name: getattr(data, name) for name in ("actual", "predicted", "score", "query")}
    present = {name: column for name, column in columns.items() if column}
    labels = {"labels": data.labels} if data.labels else {}
    return assay.rows(**present, **labels, **design)


def binary(rng, size, positives=None):
    """Return classes of which six in ten are predicted with knowledge, the others blindly."""
    actual = [int(rng.random() < 0.4) for _ in range(size)]
    if positives is not None:
        actual = [1] * positives + [0] * (size - positives)
    return Data(actual, [a if rng.random() < 0.6 else rng.randrange(2) for a in actual])


def classes(rng, size):
    """Return the same of three classes, one of them more frequent."""
    actual = [rng.choice([0, 0, 1, 2]) for _ in range(size)]
    predicted = [a if rng.random() < 0.6 else rng.randrange(LEVELS) for a in actual]
    return Data(actual, predicted, labels=tuple(range(LEVELS)))


def sets(rng, size):
    """Return three labels per row."""
    actual = [[rng.randrange(2) for _ in range(LEVELS)] for _ in range(size)]
    return SetData(actual, [[a if rng.random() < 0.6 else rng.randrange(2) for a in row] for row in actual])


def numbers(rng, size):
    """Return numbers and predictions that lean to the middle."""
    actual = [rng.uniform(1, 9) for _ in range(size)]
    return Data(actual, [0.7 * a + 0.3 * rng.uniform(1, 9) for a in actual])


def counts(rng, size):
    """Return whole numbers and what was expected."""
    actual = [float(rng.randrange(1, 9)) for _ in range(size)]
    return Data(actual, [a + rng.uniform(-0.8, 1) for a in actual])


def scores(rng, size, positives=None):
    """Return scores of two classes that overlap."""
    actual = binary(rng, size, positives).actual
    return Data(actual, score=[0.1 + 0.3 * a + 0.5 * rng.random() for a in actual])


def class_scores(rng, size):
    """Return probabilities of three classes."""
    actual = classes(rng, size).actual
    matrix = []
    for label in actual:
        drawn = [rng.random() + 0.05 for _ in range(LEVELS)]
        matrix.append([0.7 * x / sum(drawn) + 0.3 * (k == label) for k, x in enumerate(drawn)])
    return Data(actual, score=matrix, labels=tuple(range(LEVELS)))


def lists(rng, size):
    """Return queries of twelve documents each; the size is the number of queries."""
    query = [f"q{i // PER_QUERY:05d}" for i in range(size * PER_QUERY)]
    actual = [rng.choice([0, 0, 0, 1, 2]) for _ in query]
    return Data(actual, score=[0.3 * gain + rng.random() for gain in actual], query=query)


_DRAW = {
    function.__name__: function
    for function in (binary, classes, sets, numbers, counts, scores, class_scores, lists)
}


@functools.cache
def ordinary(name, size, turn=0):
    """Return rows of a family that show neither a rate of 0 nor of 1."""
    return _DRAW[name](random.Random(f"{name} {size} {turn}"), size)


@functools.cache
def cases(name):
    """Return one ordinary case of a family and those at the ends, by what is the matter with them."""
    rng = random.Random(f"{name} at the ends")
    data = _DRAW[name](rng, SIZE)
    found = {"ordinary": ordinary(name, SIZE)}
    if name in ("binary", "classes"):
        found |= _table_cases(rng, data)
    elif name == "scores":
        found |= _score_cases(rng, data)
    elif name == "class_scores":
        found |= {
            "perfect": _with_class_scores(data, 0),
            "all wrong": _with_class_scores(data, 1),
        }
    elif name == "sets":
        found |= {
            "perfect": SetData(data.actual, data.actual),
            "all wrong": SetData(data.actual, [[1 - a for a in row] for row in data.actual]),
        }
    elif name == "lists":
        found |= {
            "perfect": dataclasses.replace(data, score=[a + i / 1e6 for i, a in enumerate(data.actual)]),
            "all wrong": dataclasses.replace(data, score=[-a + i / 1e6 for i, a in enumerate(data.actual)]),
        }
    else:
        found |= {
            "perfect": dataclasses.replace(data, predicted=list(data.actual)),
            "one error": dataclasses.replace(data, predicted=[data.actual[0] + 1, *data.actual[1:]]),
            "equal errors": dataclasses.replace(data, predicted=[a + 1 for a in data.actual]),
        }
    return found


def _with_class_scores(data, shift):
    sure = [[float((label + shift) % LEVELS == k) for k in data.labels] for label in data.actual]
    return dataclasses.replace(data, score=sure)


def _table_cases(rng, data):
    size = len(data.labels) or 2
    pairs = list(zip(data.actual, data.predicted, strict=True))
    found = {
        "perfect": list(data.actual),
        "all wrong": [(a + 1) % size for a in data.actual],
        "every positive found": [1 if a == 1 else p for a, p in pairs],
        "no positive found": [0 if a == 1 else p for a, p in pairs],
        "nothing predicted positive": [0 if p == 1 else p for p in data.predicted],
    }
    found = {name: dataclasses.replace(data, predicted=predicted) for name, predicted in found.items()}
    for count in POSITIVES:
        few = binary(rng, SIZE, count)
        few.labels = (0, 1) if data.labels else ()
        for name, hit in (("found", 1), ("missed", 0)):
            predicted = [hit] * count + few.predicted[count:]
            found[f"{count} of {count} positives {name}"] = dataclasses.replace(few, predicted=predicted)
        if count > 1:
            predicted = [1] + [0] * (count - 1) + few.predicted[count:]
            found[f"1 of {count} positives found"] = dataclasses.replace(few, predicted=predicted)
    return found


def _score_cases(rng, data):
    found = {
        "perfect": _apart(data, 1),
        "certain": dataclasses.replace(data, score=[float(a) for a in data.actual]),
        "all wrong": _apart(data, 0),
        "one score": dataclasses.replace(data, score=[0.5] * len(data)),
    }
    for count in POSITIVES:
        few = scores(rng, SIZE, count)
        found[f"{count} positives"] = few
        found[f"{count} positives on top"] = _apart(few, 1)
    return found


def _apart(data, top):
    """Return scores of which those of one class are all above the others."""
    score = [0.6 + 0.3 * s if a == top else 0.4 * s for a, s in zip(data.actual, data.score, strict=True)]
    return dataclasses.replace(data, score=score)


def own_groups(data):
    """Return a group per row, or per query."""
    return data.query or list(range(len(data)))


def unequal_groups(data):
    """Return groups of unequal sizes, of whole queries where there are some."""
    rng = random.Random("unequal groups")
    units = data.query or list(range(len(data)))
    group = {unit: min(int(rng.paretovariate(0.8)), 9) for unit in sorted(set(units))}
    return [group[unit] for unit in units]


def repeated(data, times):
    """Return every row, or every query, so many times, and the group that holds the copies of each."""
    index = list(range(len(data))) * times
    copies = data.take(index)
    if data.query:
        copies.query = [
            f"{query} copy {place // len(data)}" for place, query in enumerate(data.query * times)
        ]
    return copies, own_groups(data) * times


def lognormal_weights(data):
    """Return weights of rows that differ by a factor of ten and more."""
    rng = random.Random("lognormal weights")
    return [rng.lognormvariate(0, 0.7) for _ in range(len(data))]
