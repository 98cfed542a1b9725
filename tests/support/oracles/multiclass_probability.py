"""Probabilities of several classes a second way: row by row, in plain Python and fractions.

Data has `actual`, an index into each row of `score`, and `weight`; the score is probabilities.
"""

import math
from fractions import Fraction
from types import SimpleNamespace

from support.oracles import probability


def _mean(d, value):
    n = math.fsum(d.weight)
    each = zip(d.actual, d.score, d.weight, strict=True)
    return math.fsum(w * value(y, p) for y, p, w in each if w) / n if n else math.nan


def _squared(y, p):
    return float(sum((Fraction(one) - (k == y)) ** 2 for k, one in enumerate(p)))


def _ranked(y, p):
    if len(p) == 1:
        return math.nan
    cuts = range(1, len(p))
    return sum((math.fsum(p[:cut]) - (y < cut)) ** 2 for cut in cuts) / len(cuts)


def _top_two(y, p):
    """Return the share of all orders of the tied classes that have the actual one in the first two places."""
    above, level = sum(one > p[y] for one in p), sum(one == p[y] for one in p)
    return sum(above + place < 2 for place in range(level)) / level


def _confidence(d, label=None):
    """Return the rows as outcomes: whether the most probable class was the actual one."""
    chosen = [
        (max(p), p.index(max(p)) == y, w)
        for y, p, w in zip(d.actual, d.score, d.weight, strict=True)
        if label is None or p.index(max(p)) == label
    ]
    score, actual, weight = zip(*chosen, strict=True) if chosen else ((), (), ())
    return SimpleNamespace(score=score, actual=actual, weight=weight)


def _ece(d):
    return probability.ORACLES["expected_calibration_error"](d)


def _top_label(d):
    parts = [_confidence(d, label) for label in range(len(d.score[0]))] if d.score else []
    n = math.fsum(d.weight)
    return (
        math.fsum(math.fsum(one.weight) * _ece(one) for one in parts if sum(one.weight)) / n
        if n
        else math.nan
    )


def _classwise(d):
    """Return the mean over the columns of the binary calibration error."""
    if not any(d.weight):
        return math.nan
    columns = range(len(d.score[0]))
    each = [
        SimpleNamespace(
            score=[p[k] for p in d.score], actual=[y == k for y in d.actual], weight=list(d.weight)
        )
        for k in columns
    ]
    return math.fsum(map(_ece, each)) / len(columns)


ORACLES = {
    "multiclass_log_loss": lambda d: _mean(d, lambda y, p: -math.log(p[y]) if p[y] else math.inf),
    "multiclass_brier": lambda d: _mean(d, _squared),
    "halved_multiclass_brier": lambda d: _mean(d, _squared) / 2,
    "ranked_probability_score": lambda d: _mean(d, _ranked),
    "spherical_score": lambda d: _mean(d, lambda y, p: p[y] / math.hypot(*p)),
    "top_k_accuracy": lambda d: _mean(d, _top_two),
    "confidence_calibration_error": lambda d: _ece(_confidence(d)),
    "top_label_calibration_error": _top_label,
    "classwise_calibration_error": _classwise,
}
