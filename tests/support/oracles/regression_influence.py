"""A second way to influences of numbers: written out by hand, or by weighted pairs of rows."""

import itertools
import math

import numpy as np


def rmse(y, p, w):
    """RMSE and its influence per row, whose weighted mean is 0 (Hampel 1974)."""
    squares = np.square(y - p)
    middle = mean(squares, w)
    value = math.sqrt(middle)
    return value, (squares - middle) / (2 * value)


def r2(y, p, w):
    """One less the squared errors over the squared distances from the mean."""
    return one_less_ratio(np.square(y - p), np.square(y - mean(y, w)), w)


def explained_variance(y, p, w):
    """The same, forgiving a constant error."""
    errors = y - p
    return one_less_ratio(np.square(errors - mean(errors, w)), np.square(y - mean(y, w)), w)


def ccc(y, p, w):
    """Lin's concordance correlation."""
    apart = mean(y, w) - mean(p, w)
    a, b = y - mean(y, w), p - mean(p, w)
    together, spreads = 2 * mean(a * b, w), mean(a * a, w) + mean(b * b, w)
    whole = spreads + apart**2
    moved = a * a + b * b - spreads + 2 * apart * (a - b)
    value = together / whole
    return value, (2 * a * b - together - value * moved) / whole


def one_less_ratio(above, below, w):
    top, bottom = mean(above, w), mean(below, w)
    return 1 - top / bottom, -(above - top) / bottom + top * (below - bottom) / bottom**2


def mean(values, w):
    return math.fsum(values * w) / math.fsum(w)


def agreement(y, p, w):
    """Concordant, discordant, tied in actual alone and in predicted alone: a pair counts its two weights."""
    found = [0.0] * 4
    for i, j in itertools.combinations(range(len(y)), 2):
        a, b = np.sign(y[i] - y[j]), np.sign(p[i] - p[j])
        if a or b:
            found[2 if not a else 3 if not b else 0 if a == b else 1] += w[i] * w[j]
    return found


def kendall_tau(y, p, w):
    same, other, tied_y, tied_p = agreement(y, p, w)
    return (same - other) / math.sqrt((same + other + tied_p) * (same + other + tied_y))


def concordance_index(y, p, w):
    same, other, _, tied = agreement(y, p, w)
    return (same + tied / 2) / (same + other + tied)


def somers_d(y, p, w):
    same, other, _, tied = agreement(y, p, w)
    return (same - other) / (same + other + tied)


def spearman(y, p, w):
    """The correlation of ranks, where a row lifts those above it by its weight and its ties by half."""
    ranks = [np.array([w[x < one].sum() + w[x == one].sum() / 2 for one in x]) for x in (y, p)]
    a, b = (rank - mean(rank, w) for rank in ranks)
    return mean(a * b, w) / math.sqrt(mean(a * a, w) * mean(b * b, w))


PAIRS = {
    "kendall_tau": kendall_tau,
    "concordance_index": concordance_index,
    "somers_d": somers_d,
    "spearman": spearman,
}
ERRORS = {"rmse": rmse, "r2": r2, "explained_variance": explained_variance, "ccc": ccc}
