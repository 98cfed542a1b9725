"""Ranking metrics in a second way: loops over rows and pairs in exact fractions, SciPy's integrals, scikit-learn."""

import itertools
import math
import warnings
from fractions import Fraction as Exact

import numpy as np
from scipy import integrate, special, stats
from sklearn import metrics as peer

HALF = Exact(1, 2)


def groups(d):
    """Return (score, weight of positives, weight of negatives), the highest score first."""
    found = {}
    for actual, score, weight in zip(d.actual, d.score, d.weight, strict=True):
        found.setdefault(score, [Exact(0), Exact(0)])[1 - actual] += Exact(weight)
    return [(score, *found[score]) for score in sorted(found, reverse=True)]


def sizes(d):
    return tuple(sum((group[side] for group in groups(d)), Exact(0)) for side in (1, 2))


def points(d):
    """Return the ROC curve's points (false, true positives), from nothing on."""
    steps = groups(d)
    return [(sum(q for *_, q in steps[:i]), sum(p for _, p, _ in steps[:i])) for i in range(len(steps) + 1)]


def defined(*, both=True):
    """Give NaN where a class is missing."""

    def wrap(oracle):
        def guarded(d):
            positives, negatives = sizes(d)
            return float(oracle(d)) if positives and (negatives or not both) else math.nan

        return guarded

    return wrap


def area(positives, negatives):
    """Return how often one of the first beats one of the second, over all pairs of (score, weight)."""
    won = sum(
        u * v * (HALF if a == b else a > b)
        for (a, u), (b, v) in itertools.product(positives, negatives)
    )  # fmt: skip
    return won / sum(u for _, u in positives) / sum(v for _, v in negatives)


def sides(d):
    rows = [(actual, (s, Exact(w))) for actual, s, w in zip(d.actual, d.score, d.weight, strict=True)]
    return [row for actual, row in rows if actual], [row for actual, row in rows if not actual]


@defined()
def auc(d):
    return area(*sides(d))


@defined()
def gini(d):
    return 2 * area(*sides(d)) - 1


@defined()
def partial_auc(d):
    corrected = peer.roc_auc_score(d.actual, d.score, sample_weight=d.weight, max_fpr=0.1)
    return (2 * corrected - 1) * (0.1 - 0.005) + 0.005


@defined()
def ks(d):
    positives, negatives = sizes(d)
    return max(abs(tp / positives - fp / negatives) for fp, tp in points(d))


@defined()
def equal_error_rate(d):
    positives, negatives = sizes(d)
    curve = [(fp / negatives, tp / positives) for fp, tp in points(d)]
    for (x0, y0), (x1, y1) in itertools.pairwise(curve):
        if x1 + y1 >= 1:
            return x0 + (x1 - x0) * (1 - x0 - y0) / (x1 - x0 + y1 - y0)
    raise AssertionError


def hull(d):
    """Walk from corner to corner, always to the point of the steepest way up."""
    positives, negatives = sizes(d)
    left = sorted({(fp / negatives, tp / positives) for fp, tp in points(d)})
    corners = [(Exact(0), Exact(0))]
    while corners[-1] != (1, 1):
        x, y = corners[-1]
        ahead = [(a, b) for a, b in left if (a, b) != (x, y) and a >= x and b >= y]
        steep = max(ahead, key=lambda p: (math.inf if p[0] == x else (p[1] - y) / (p[0] - x), p))
        corners.append(steep)
    return corners


@defined()
def convex_hull_auc(d):
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(hull(d)))


@defined()
def h_measure(d):
    positives, negatives = map(float, sizes(d))
    rate = positives / (positives + negatives)
    lines = [((1 - rate) * float(fp) / negatives, rate * (1 - float(tp) / positives)) for fp, tp in points(d)]
    prior = stats.beta(1 + rate, 2 - rate)
    kinks = {float(b / (b + a)) for a, b in _slopes(d, rate)} | {rate}

    def mean(cost):
        edges = [0.0, *sorted(k for k in kinks if 0 < k < 1), 1.0]
        parts = (
            integrate.quad(lambda c: cost(c) * prior.pdf(c), low, high, epsabs=1e-14, epsrel=1e-13)[0]
            for low, high in itertools.pairwise(edges)
        )
        return math.fsum(parts)

    least = mean(lambda c: min(c * a + (1 - c) * b for a, b in lines))
    return 1 - least / mean(lambda c: min(c * (1 - rate), (1 - c) * rate))


def _slopes(d, rate):
    """Return what each edge of the hull adds in false alarms and takes away in misses."""
    for (x0, y0), (x1, y1) in itertools.pairwise(hull(d)):
        yield (1 - rate) * float(x1 - x0), rate * float(y1 - y0)


def found_among(d, rows):
    """Return the positives among so many rows from the top; tied rows in proportion."""
    found = Exact(0)
    for _, p, q in groups(d):
        taken = min(p + q, rows)
        found += p * taken / (p + q)
        rows -= taken
    return found


@defined(both=False)
def gain_at(d):
    return found_among(d, Exact(1, 10) * sum(sizes(d))) / sizes(d)[0]


def precision_at_share(d):
    return float(found_among(d, Exact(1, 10) * sum(sizes(d))) / sum(sizes(d)) * 10)


@defined(both=False)
def lift_at(d):
    return found_among(d, Exact(1, 10) * sum(sizes(d))) / sizes(d)[0] * 10


@defined(both=False)
def max_f1(d):
    positives, _ = sizes(d)
    return max(2 * tp / (tp + fp + positives) for fp, tp in points(d))


@defined()
def max_informedness(d):
    positives, negatives = sizes(d)
    return max(tp / positives - fp / negatives for fp, tp in points(d))


@defined(both=False)
def average_precision(d):
    return peer.average_precision_score(d.actual, d.score, sample_weight=d.weight)


@defined(both=False)
def pr_auc_trapezoid(d):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision, recall, _ = peer.precision_recall_curve(d.actual, d.score, sample_weight=d.weight)
    return peer.auc(recall, precision)


@defined(both=False)
def pr_auc_integral(d):
    total, tp, fp = 0.0, 0.0, 0.0
    for p, q in ((float(p), float(q)) for _, p, q in groups(d)):
        if p:
            pace = q / p

            def precision(u, tp=tp, fp=fp, pace=pace):
                return (tp + u) / (tp + u + fp + u * pace) if tp + u + fp else 1 / (1 + pace)

            total += integrate.quad(precision, 0, p, epsabs=1e-14, epsrel=1e-13)[0]
        tp, fp = tp + p, fp + q
    return total / tp


@defined(both=False)
def pr_auc_davis_goadrich(d):
    """A point for every positive of a tie, in rows of its mean weight, and the lines between; digamma's of a part."""
    total, tp, fp = 0.0, 0.0, 0.0
    for score, p, q in ((score, float(p), float(q)) for score, p, q in groups(d)):
        tied = [w for s, w in zip(d.score, d.weight, strict=True) if s == score and w]
        if p:
            weight = (p + q) / len(tied)
            count, found, above, pace = p / weight, tp / weight, (tp + fp) / weight, 1 + q / p
            if not above:
                total += p / pace
            elif count == round(count):
                values = [(found + x) / (above + x * pace) for x in range(round(count) + 1)]
                total += weight * sum((a + b) / 2 for a, b in itertools.pairwise(values))
            else:
                start = above / pace
                harmonic = special.digamma(start + count + 1) - special.digamma(start + 1)
                lines = harmonic + (1 / start - 1 / (start + count)) / 2
                total += weight * (count + (found - start) * lines) / pace
        tp, fp = tp + p, fp + q
    return total / tp


@defined(both=False)
def tie_expected_average_precision(d):
    """Place by place; of equal weights in a tie by counting the orders, of others by the tie's mean weight."""
    total, above, found = Exact(0), Exact(0), Exact(0)
    for score, p, q in groups(d):
        tied = [Exact(w) for s, w in zip(d.score, d.weight, strict=True) if s == score and w]
        t, weight = len(tied), (p + q) / max(len(tied), 1)
        if len(set(tied)) == 1:
            r = int(p / weight)
            for place, before in itertools.product(range(t), range(r)):
                ways = Exact(
                    math.comb(place, before) * math.comb(t - place - 1, r - before - 1), math.comb(t, r)
                )
                total += ways * weight * (found + (before + 1) * weight) / (above + (place + 1) * weight)
        else:
            for place in range(t):
                ahead = found + weight + (p - weight) * Exact(place, t - 1)
                total += p / t * ahead / (above + (place + 1) * weight)
        above, found = above + p + q, found + p
    return total / found


@defined(both=False)
def break_even(d):
    return found_among(d, sizes(d)[0]) / sizes(d)[0]


def column(d, label, others):
    """Return the rows of a label and of others by the label's own score."""
    place = d.labels.index(label)
    rows = [(actual, (s[place], Exact(w))) for actual, s, w in zip(d.actual, d.score, d.weight, strict=True)]
    return [row for actual, row in rows if actual == label], [row for actual, row in rows if actual in others]


def class_area(d, label, others):
    positives, negatives = column(d, label, others)
    return area(positives, negatives) if positives and negatives else math.nan


def rest(d, label):
    return [other for other in d.labels if other != label]


def hand_till_auc(d):
    pairs = itertools.permutations(d.labels, 2)
    return float(np.mean([float(class_area(d, i, [j])) for i, j in pairs]))


def macro_auc(d):
    return float(np.mean([float(class_area(d, label, rest(d, label))) for label in d.labels]))


def weighted_auc(d):
    weights = {k: sum(w for a, w in zip(d.actual, d.weight, strict=True) if a == k) for k in d.labels}
    present = [label for label in d.labels if weights[label]]
    areas = [float(class_area(d, label, rest(d, label))) for label in present]
    return float(np.average(areas, weights=[weights[label] for label in present]))


def micro_auc(d):
    both = [column(d, label, rest(d, label)) for label in d.labels]
    return float(area(*([row for side in both for row in side[k]] for k in (0, 1))))


ORACLES = {
    "auc": auc,
    "gini": gini,
    "partial_auc": partial_auc,
    "ks": ks,
    "equal_error_rate": equal_error_rate,
    "convex_hull_auc": convex_hull_auc,
    "h_measure": h_measure,
    "gain_at": gain_at,
    "precision_at_share": precision_at_share,
    "lift_at": lift_at,
    "max_f1": max_f1,
    "max_informedness": max_informedness,
    "average_precision": average_precision,
    "pr_auc_trapezoid": pr_auc_trapezoid,
    "pr_auc_integral": pr_auc_integral,
    "pr_auc_davis_goadrich": pr_auc_davis_goadrich,
    "tie_expected_average_precision": tie_expected_average_precision,
    "break_even": break_even,
    "hand_till_auc": hand_till_auc,
    "macro_auc": macro_auc,
    "weighted_auc": weighted_auc,
    "micro_auc": micro_auc,
}
