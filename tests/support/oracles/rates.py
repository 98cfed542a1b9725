"""What the rates of one class should be, row by row and in exact fractions."""

import math
from fractions import Fraction


def weigh(d, wanted):
    """The exact weight of the rows for which a condition on actual and predicted holds."""
    rows = zip(d.actual, d.predicted, d.weight, strict=True)
    return sum((Fraction(w) for a, p, w in rows if wanted(a, p)), Fraction(0))


def share(part, whole):
    """The rate of a part of the rows among a whole of them, as two conditions."""

    def of(d):
        size = weigh(d, whole)
        return weigh(d, lambda a, p: whole(a, p) and part(a, p)) / size if size else math.nan

    return of


def positive(a, p):
    return a == 1


def negative(a, p):
    return a != 1


def called(a, p):
    return p == 1


def passed_over(a, p):
    return p != 1


def anything(a, p):
    return True


recall = share(called, positive)
specificity = share(passed_over, negative)
precision = share(positive, called)
npv = share(negative, passed_over)
fpr = share(called, negative)
fnr = share(passed_over, positive)
prevalence = share(positive, anything)


def f_beta(beta):
    """The weighted harmonic mean of precision and recall, by its definition and not by counts."""

    def of(d):
        p, r = precision(d), recall(d)
        if math.isnan(p) and math.isnan(r):
            return math.nan
        if math.isnan(p) or math.isnan(r) or p * r == 0:
            return 0
        return (1 + beta**2) / (1 / p + beta**2 / r)

    return of


def quotient(over, under):
    def of(d):
        a, b = over(d), under(d)
        if math.isnan(a) or math.isnan(b) or a == b == 0:
            return math.nan
        return a / b if b else math.inf

    return of


def odds_ratio(d):
    """The odds of being called, of positives over negatives: infinite where only one of the two is."""
    cells = {(a, p): weigh(d, lambda x, y, a=a, p=p: (x, y) == (a, p)) for a in (0, 1) for p in (0, 1)}
    over, under = cells[1, 1] * cells[0, 0], cells[0, 1] * cells[1, 0]
    if under:
        return over / under
    return math.inf if over else math.nan


def at_half(hit, alarm):
    """A predictive value where both classes are equally frequent: the rates themselves are the odds."""

    def of(d):
        h, a = hit(d), alarm(d)
        return h / (h + a) if not math.isnan(h + a) and h + a else math.nan

    return of


def threshold(d):
    """Where precision as a function of prevalence bends most: sqrt(LR-) form of Balayla."""
    r, f = recall(d), fpr(d)
    if math.isnan(r) or math.isnan(f) or r == f == 0:
        return math.nan
    return 1 / (1 + math.sqrt(r / f)) if f else 0


def geometric(d):
    p, r = precision(d), recall(d)
    return math.nan if math.isnan(p) or math.isnan(r) else math.sqrt(p * r)


def phi(d):
    """The geometric mean of informedness and markedness, with the sign that both have."""
    informed = recall(d) - fpr(d)
    marked = precision(d) - share(positive, passed_over)(d)
    if math.isnan(informed) or math.isnan(marked):
        return math.nan
    return math.copysign(math.sqrt(informed * marked), informed)


ORACLES = {
    "recall": recall,
    "specificity": specificity,
    "precision": precision,
    "negative_predictive_value": npv,
    "false_positive_rate": fpr,
    "false_negative_rate": fnr,
    "false_discovery_rate": share(negative, called),
    "false_omission_rate": share(positive, passed_over),
    "prevalence": prevalence,
    "detection_rate": share(lambda a, p: a == p == 1, anything),
    "detection_prevalence": share(called, anything),
    "rate_of_negative_predictions": share(passed_over, anything),
    "f_beta": f_beta(1),
    "f1": f_beta(1),
    "f2": f_beta(2),
    "f_half": f_beta(Fraction(1, 2)),
    "jaccard": share(lambda a, p: a == p, lambda a, p: a == 1 or p == 1),
    "positive_likelihood_ratio": quotient(recall, fpr),
    "negative_likelihood_ratio": quotient(fnr, specificity),
    "informedness": lambda d: recall(d) - fpr(d),
    "fowlkes_mallows": geometric,
    "markedness": lambda d: precision(d) - share(positive, passed_over)(d),
    "phi": phi,
    "one_vs_rest_balanced_accuracy": lambda d: (1 + recall(d) - fpr(d)) / 2,
    "diagnostic_odds_ratio": odds_ratio,
    "lift": lambda d: precision(d) / prevalence(d) if prevalence(d) else math.nan,
    "precision_at_prevalence": at_half(recall, fpr),
    "npv_at_prevalence": at_half(specificity, fnr),
    "misclassification_cost": share(lambda a, p: a != p, anything),
    "prevalence_threshold": threshold,
}
