"""The second way: every cutoff in turn, counted row by row, criteria in fractions."""

import math
from fractions import Fraction


def exact(number):
    """The decimal that is written, not the float nearest to it."""
    return Fraction(str(number))


def cutoffs(rows):
    """Infinity and every distinct score, from the highest down."""
    return [math.inf, *sorted({row[1] for row in rows}, reverse=True)]


def counts(rows, cutoff):
    """What is found, falsely called, missed and left alone; rows are (actual, score, weight)."""
    cells = dict.fromkeys(("tp", "fp", "fn", "tn"), Fraction(0))
    for actual, score, *weight in rows:
        called = score >= cutoff
        cell = ("tp" if actual else "fp") if called else ("fn" if actual else "tn")
        cells[cell] += Fraction(weight[0]) if weight else 1
    return cells


def share(x, n):
    """A quotient, None where there is none."""
    return x / n if n else None


def recall(c):
    return share(c["tp"], c["tp"] + c["fn"])


def specificity(c):
    return share(c["tn"], c["tn"] + c["fp"])


def precision(c):
    return share(c["tp"], c["tp"] + c["fp"])


def f_beta(c, beta):
    square = exact(beta) ** 2
    return share((1 + square) * c["tp"], (1 + square) * c["tp"] + square * c["fn"] + c["fp"])


def informedness(c):
    return None if recall(c) is None or specificity(c) is None else recall(c) + specificity(c) - 1


def accuracy(c):
    return share(c["tp"] + c["tn"], sum(c.values()))


def signed_square_of_mcc(c):
    top = c["tp"] * c["tn"] - c["fp"] * c["fn"]
    bottom = (c["tp"] + c["fp"]) * (c["tp"] + c["fn"]) * (c["tn"] + c["fp"]) * (c["tn"] + c["fn"])
    return share(top * abs(top), bottom)


def distance_to_corner(c):
    """Squared: the order is the same."""
    return (1 - recall(c)) ** 2 + (1 - specificity(c)) ** 2


def difference_of_errors(c):
    return abs((1 - recall(c)) - (1 - specificity(c)))


def cost(c, fp, fn, tp=0, tn=0):
    spent = sum(exact(price) * c[cell] for cell, price in (("fp", fp), ("fn", fn), ("tp", tp), ("tn", tn)))
    return spent / sum(c.values())


def cost_at_prevalence(c, fp, fn, prevalence):
    new = exact(prevalence)
    return new * exact(fn) * (1 - recall(c)) + (1 - new) * exact(fp) * (1 - specificity(c))


def tail(x, n, p):
    """The chance of x hits or more among n."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(x, n + 1))


def choose(rows, value, *, lowest=False, allowed=None):
    """The highest cutoff of the best value, that value, and how many share it; None where none is allowed."""
    found = []
    for cutoff in cutoffs(rows):
        c = counts(rows, cutoff)
        figure = value(c)
        if figure is not None and (allowed is None or allowed(c)):
            found.append((cutoff, -figure if lowest else figure))
    if not found:
        return None
    best = max(figure for _, figure in found)
    tied = [cutoff for cutoff, figure in found if figure == best]
    return tied[0], -best if lowest else best, len(tied)


def certified(rows, share, delta, refutes):
    """The counts at the cutoffs that a walk certifies: starts add to its level, a failure takes it away.

    `refutes` tells of x, n and a level whether x of n refute a lower share.
    """
    starts, passed, level = _starts(len(rows), share, delta), [], Fraction(0)
    each, left = delta / max(len(starts), 1), list(starts)
    for cutoff in cutoffs(rows)[1:]:
        c = counts(rows, cutoff)
        x, n = int(c["tp"]), int(c["tp"] + c["fp"])
        while left and left[0] <= n:
            level += each
            left.pop(0)
        if level and refutes(x, n, level):
            passed.append(c)
        else:
            level = Fraction(0)
    return passed


def _starts(rows, share, delta):
    """Twice the least number that can refute a lower share, or that, and twice the one before."""
    least = next((k for k in range(1, rows + 1) if share**k <= delta), None) if share < 1 else None
    if least is None:
        return []
    return [2 * least * 2**k for k in range(rows) if 2 * least * 2**k <= rows] or [least]
