"""What the coefficients of agreement should be: observed against expected, in exact fractions."""

import math
from fractions import Fraction

from support.oracles.multiclass import is_actual, is_predicted
from support.oracles.rates import anything, weigh


def beyond(expected):
    """Agreement beyond a rule of chance, which is given the shares of truth and of prediction."""

    def of(d):
        n = weigh(d, anything)
        if not n:
            return math.nan
        e = expected(*shares(d, n))
        observed = weigh(d, lambda a, p: a == p) / n
        return math.nan if math.isnan(e) or e == 1 else (observed - e) / (1 - e)

    return of


def shares(d, n):
    actual = [weigh(d, is_actual(k)) / n for k in d.labels]
    predicted = [weigh(d, is_predicted(k)) / n for k in d.labels]
    return actual, predicted


def cohen(actual, predicted):
    return sum(a * p for a, p in zip(actual, predicted, strict=True))


def scott(actual, predicted):
    return sum(((a + p) / 2) ** 2 for a, p in zip(actual, predicted, strict=True))


def gwet(actual, predicted):
    pooled = [(a + p) / 2 for a, p in zip(actual, predicted, strict=True)]
    return sum(x * (1 - x) for x in pooled) / (len(pooled) - 1) if len(pooled) > 1 else math.nan


def expected_agreement(d):
    """Every row's truth against every row's prediction."""
    n = weigh(d, anything)
    weights = [Fraction(w) for w in d.weight]
    pairs = (
        v * w
        for a, v in zip(d.actual, weights, strict=True)
        for p, w in zip(d.predicted, weights, strict=True)
        if a == p
    )
    return sum(pairs, Fraction(0)) / n**2 if n else math.nan


def max_kappa(d):
    """Kappa of the table with the same margins and as much as they allow on its diagonal."""
    n = weigh(d, anything)
    if not n:
        return math.nan
    actual, predicted = shares(d, n)
    e = cohen(actual, predicted)
    return (sum(map(min, actual, predicted)) - e) / (1 - e) if e != 1 else math.nan


def krippendorff(d):
    """One less observed over expected disagreement among all ratings, drawn without putting back."""
    ratings = {k: weigh(d, is_actual(k)) + weigh(d, is_predicted(k)) for k in d.labels}
    size = sum(ratings.values())
    if not size:
        return math.nan
    # Ratings are counted in rows of equal weight, of which there are as many as the rows are worth.
    worth = sum(map(Fraction, d.weight)) ** 2 / sum(Fraction(w) ** 2 for w in d.weight)
    ratings = {k: one * 2 * worth / size for k, one in ratings.items()}
    observed = weigh(d, lambda a, p: a != p) / (size / 2)
    expected = sum(ratings[i] * ratings[j] for i in d.labels for j in d.labels if i != j)
    return 1 - observed * 2 * worth * (2 * worth - 1) / expected if expected else math.nan


ORACLES = {
    "kappa": beyond(cohen),
    "expected_agreement": expected_agreement,
    "max_kappa": max_kappa,
    "scott_pi": beyond(scott),
    "krippendorff_alpha": krippendorff,
    "gwet_ac1": beyond(gwet),
    "brennan_prediger": beyond(lambda actual, _: Fraction(1, len(actual))),
}
