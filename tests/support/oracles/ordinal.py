"""What the metrics of ordered classes should be: the distance of every row, in exact fractions."""

import math
from fractions import Fraction


def mean_distance(power):
    """The mean over rows of how many ranks the prediction is off, to a power."""

    def of(d):
        rows = list(zip(d.actual, d.predicted, map(Fraction, d.weight), strict=True))
        n = sum(w for *_, w in rows)
        rank = {label: place for place, label in enumerate(d.labels)}
        return sum(w * abs(rank[a] - rank[p]) ** power for a, p, w in rows) / n if n else math.nan

    return of


def kappa(power):
    """One less the mean distance over what it would be with every truth set against every prediction."""

    def of(d):
        rows = list(zip(d.actual, d.predicted, map(Fraction, d.weight), strict=True))
        n = sum(w for *_, w in rows)
        if not n:
            return math.nan
        rank = {label: place for place, label in enumerate(d.labels)}
        shuffled = sum(
            v * w * abs(rank[a] - rank[p]) ** power for a, _, v in rows for _, p, w in rows
        ) / n**2  # fmt: skip
        return 1 - mean_distance(power)(d) / shuffled if shuffled else math.nan

    return of


def beyond(expected):
    """Agreement with linear weights beyond that of a rule of chance, as irrCAC writes it: (pa - pe) / (1 - pe)."""

    def of(d):
        rows = list(zip(d.actual, d.predicted, map(Fraction, d.weight), strict=True))
        n, size = sum(w for *_, w in rows), len(d.labels)
        if not n:
            return math.nan
        rank = {label: place for place, label in enumerate(d.labels)}
        furthest = max(size - 1, 1)
        agree = {(a, p): 1 - Fraction(abs(rank[a] - rank[p]), furthest) for a in d.labels for p in d.labels}
        observed = sum(w * agree[a, p] for a, p, w in rows) / n
        share = {k: sum(w * ((a == k) + (p == k)) for a, p, w in rows) / (2 * n) for k in d.labels}
        chance = expected(agree, share, size)
        return math.nan if chance is None or chance == 1 else (observed - chance) / (1 - chance)

    return of


def by_pooled_shares(agree, share, _):
    return sum(w * share[a] * share[p] for (a, p), w in agree.items())


def by_hard_rows(agree, share, size):
    whole = sum(agree.values())
    return whole * sum(x * (1 - x) for x in share.values()) / (size * (size - 1)) if size > 1 else None


def by_drawing(agree, _, size):
    return sum(agree.values()) / size**2


def accuracy(d):
    furthest = max(len(d.labels) - 1, 1)
    return 1 - mean_distance(1)(d) / furthest


def ordered_pairs(d):
    """Pairs of rows ordered alike and the other way round, one pair after the other."""
    rank = {label: place for place, label in enumerate(d.labels)}
    rows = [(rank[a], rank[p], Fraction(w)) for a, p, w in zip(d.actual, d.predicted, d.weight, strict=True)]
    alike = other = Fraction(0)
    for i, (a, p, v) in enumerate(rows):
        for b, q, w in rows[:i]:
            alike += v * w * ((a - b) * (p - q) > 0)
            other += v * w * ((a - b) * (p - q) < 0)
    return alike, other


def gamma(d):
    alike, other = ordered_pairs(d)
    return (alike - other) / (alike + other) if alike + other else math.nan


def tau_c(d):
    alike, other = ordered_pairs(d)
    kept = [(a, p) for a, p, w in zip(d.actual, d.predicted, d.weight, strict=True) if w]
    m = min(len({a for a, _ in kept}), len({p for _, p in kept})) if kept else 1
    n = sum(map(Fraction, d.weight))
    return (alike - other) / (n**2 * Fraction(m - 1, 2 * m)) if m > 1 else math.nan


ORACLES = {
    "goodman_kruskal_gamma": gamma,
    "stuarts_tau_c": tau_c,
    "weighted_kappa": kappa(1),
    "quadratic_weighted_kappa": kappa(2),
    "weighted_scott_pi": beyond(by_pooled_shares),
    "gwet_ac2": beyond(by_hard_rows),
    "weighted_brennan_prediger": beyond(by_drawing),
    "weighted_accuracy": accuracy,
    "mean_cost": mean_distance(1),
    "mean_absolute_rank_error": mean_distance(1),
    "mean_squared_rank_error": mean_distance(2),
}
