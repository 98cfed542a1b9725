"""What the measures of association should be: cell by cell, with logarithms of exact fractions."""

import math
from fractions import Fraction


def cells(d):
    """The exact weight of each pair that occurs, of each actual and of each predicted class."""
    table, actual, predicted = {}, {}, {}
    for a, p, w in zip(d.actual, d.predicted, map(Fraction, d.weight), strict=True):
        if w:
            table[a, p] = table.get((a, p), 0) + w
            actual[a] = actual.get(a, 0) + w
            predicted[p] = predicted.get(p, 0) + w
    return table, actual, predicted, sum(actual.values())


def weighted_chi_square(d):
    table, actual, predicted, n = cells(d)
    if len(actual) < 2 or len(predicted) < 2:
        return math.nan
    return sum(
        (table.get((a, p), 0) - actual[a] * predicted[p] / n) ** 2 / (actual[a] * predicted[p] / n)
        for a in actual
        for p in predicted
    )


def chi_square(d):
    """Of the table scaled to as many rows of equal weight as the rows are worth."""
    weight = [Fraction(w) for w in d.weight]
    worth = sum(weight) ** 2 / sum(w**2 for w in weight) if any(weight) else 0
    value = weighted_chi_square(d)
    return value if math.isnan(value) else value * worth / sum(weight)


def cramers_v(d):
    _, actual, predicted, n = cells(d)
    value = weighted_chi_square(d)
    return math.nan if math.isnan(value) else math.sqrt(value / (n * (min(len(actual), len(predicted)) - 1)))


def contingency(d):
    value, n = weighted_chi_square(d), cells(d)[3]
    return math.nan if math.isnan(value) else math.sqrt(value / (value + n))


def logarithm(x):
    """The logarithm of a fraction, right also where the fraction is nearly 1."""
    return math.log1p(x - 1)


def information(d):
    table, actual, predicted, n = cells(d)
    if not n:
        return math.nan
    return math.fsum(w / n * logarithm(w * n / (actual[a] * predicted[p])) for (a, p), w in table.items())


def entropy(sizes):
    n = sum(sizes.values())
    return math.fsum(-w / n * logarithm(w / n) for w in sizes.values())


def per(*margins):
    def of(d):
        found = cells(d)
        whole = sum(entropy(found[margin]) for margin in margins) / len(margins)
        return information(d) / whole if whole else math.nan

    return of


def saved(own, other):
    """How many fewer errors the best guess of one makes when the other is known."""

    def of(d):
        found = cells(d)
        n = found[3]
        if not n:
            return math.nan
        blind = n - max(found[own].values())
        place = own - 1
        informed = n - sum(
            max(w for pair, w in found[0].items() if pair[1 - place] == known) for known in found[other]
        )
        return (blind - informed) / blind if blind else math.nan

    return of


def saved_both(d):
    """Errors saved in guessing each from the other, added up, of the errors made without."""
    table, actual, predicted, n = cells(d)
    if not n:
        return math.nan
    blind = 2 * n - max(actual.values()) - max(predicted.values())
    by_row = sum(max(w for pair, w in table.items() if pair[0] == a) for a in actual)
    by_column = sum(max(w for pair, w in table.items() if pair[1] == p) for p in predicted)
    return (blind - (2 * n - by_row - by_column)) / blind if blind else math.nan


def proportional(own, other):
    """Errors saved by guessing in proportion among rows that are alike in the other."""

    def wrong(sizes):
        total = sum(sizes)
        return sum(w * (total - w) / total for w in sizes)

    def of(d):
        found = cells(d)
        blind = wrong(found[own].values())
        place = own - 1
        informed = sum(
            wrong([w for pair, w in found[0].items() if pair[1 - place] == known]) for known in found[other]
        )
        return (blind - informed) / blind if blind else math.nan

    return of


def tschuprow(d):
    _, actual, predicted, n = cells(d)
    value = weighted_chi_square(d)
    if math.isnan(value):
        return math.nan
    return math.sqrt(value / (n * math.sqrt((len(actual) - 1) * (len(predicted) - 1))))


def bias_corrected(d):
    """Bergsma's (2013): both the mean square and the numbers of classes less what chance adds."""
    _, actual, predicted, whole = cells(d)
    value, r, k = weighted_chi_square(d), len(actual), len(predicted)
    weights = [Fraction(weight) for weight in d.weight]
    n = sum(weights) ** 2 / sum(weight**2 for weight in weights) if any(weights) else 0
    if math.isnan(value) or n <= 1:
        return math.nan
    least = min(r - Fraction((r - 1) ** 2) / (n - 1), k - Fraction((k - 1) ** 2) / (n - 1)) - 1
    if least <= 0:
        return math.nan
    return math.sqrt(max(0, value / whole - Fraction((r - 1) * (k - 1)) / (n - 1)) / least)


ORACLES = {
    "chi_square": chi_square,
    "cramers_v": cramers_v,
    "contingency_coefficient": contingency,
    "mutual_information": information,
    "bias_corrected_cramers_v": bias_corrected,
    "tschuprows_t": tschuprow,
    "uncertainty_coefficient": per(1),
    "uncertainty_coefficient_predicted": per(2),
    "normalized_mutual_information": per(1, 2),
    "goodman_kruskal_lambda": saved(1, 2),
    "goodman_kruskal_lambda_predicted": saved(2, 1),
    "goodman_kruskal_lambda_symmetric": saved_both,
    "goodman_kruskal_tau": proportional(1, 2),
    "goodman_kruskal_tau_predicted": proportional(2, 1),
}
