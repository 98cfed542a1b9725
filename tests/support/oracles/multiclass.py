"""What the metrics of all classes should be: exact fractions row by row, or one-hot correlation."""

import math
from fractions import Fraction

from support.oracles.rates import anything, weigh


def is_actual(k):
    return lambda a, _: a == k


def is_predicted(k):
    return lambda _, p: p == k


def agreed(d):
    return weigh(d, lambda a, p: a == p)


def recalls(d):
    sizes = [weigh(d, is_actual(k)) for k in d.labels]
    hits = [weigh(d, lambda a, p, k=k: a == p == k) for k in d.labels]
    return [hit / size for hit, size in zip(hits, sizes, strict=True)] if all(sizes) else [math.nan]


def precisions(d):
    sizes = [weigh(d, is_predicted(k)) for k in d.labels]
    hits = [weigh(d, lambda a, p, k=k: a == p == k) for k in d.labels]
    return [hit / size for hit, size in zip(hits, sizes, strict=True)] if all(sizes) else [math.nan]


def mean(values):
    return sum(values) / len(values)


def part(amount):
    return lambda d: amount(d) / weigh(d, anything) if weigh(d, anything) else math.nan


def adjusted(d):
    chance = Fraction(1, len(d.labels))
    return (mean(recalls(d)) - chance) / (1 - chance) if chance < 1 else math.nan


def f_of_averages(d):
    p, r = mean(precisions(d)), mean(recalls(d))
    if math.isnan(p) or math.isnan(r):
        return math.nan
    return 2 / (1 / p + 1 / r) if p and r else 0


def correlation(d):
    """The correlation of the two as vectors of one-hot coordinates, by covariances over the rows."""
    n = weigh(d, anything)
    if not n:
        return math.nan

    def covariance(first, second):
        out = Fraction(0)
        rows = list(zip(first, second, map(Fraction, d.weight), strict=True))
        for k in d.labels:
            x, y = (sum(w for *pair, w in rows if pair[i] == k) / n for i in (0, 1))
            out += sum(w * ((a == k) - x) * ((p == k) - y) for a, p, w in rows) / n
        return out

    spread = covariance(d.actual, d.actual) * covariance(d.predicted, d.predicted)
    return float(covariance(d.actual, d.predicted)) / math.sqrt(spread) if spread else math.nan


ORACLES = {
    "accuracy": part(agreed),
    "error_rate": part(lambda d: weigh(d, lambda a, p: a != p)),
    "no_information_rate": part(lambda d: max(weigh(d, is_actual(k)) for k in d.labels)),
    "balanced_accuracy": lambda d: mean(recalls(d)),
    "adjusted_balanced_accuracy": adjusted,
    "g_mean": lambda d: float(math.prod(recalls(d))) ** (1 / len(d.labels)),
    "macro_f1_of_averages": f_of_averages,
    "mcc": correlation,
}
