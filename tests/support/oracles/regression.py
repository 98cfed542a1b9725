"""A second way to every regression metric: plain loops over rows, in rational numbers where that is possible."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import stats
from sklearn import metrics as theirs


def rational(d):
    """Return actual, predicted and weight of every row as rational numbers."""
    return [tuple(map(Fraction, row)) for row in zip(d.actual, d.predicted, d.weight, strict=True)]


def mean(d, of):
    """Return the weighted mean of a function of actual and predicted, exactly."""
    rows = rational(d)
    total = sum(w for *_, w in rows)
    return sum(w * of(a, p) for a, p, w in rows) / total if total else math.nan


def variance(d, of):
    middle = mean(d, of)
    return mean(d, lambda a, p: (of(a, p) - middle) ** 2)


def first(a, p):
    return a


def second(a, p):
    return p


def error(a, p):
    return a - p


def rounded(exact):
    """Return the float nearest to a number, infinite where it is beyond all of them."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def over(top, bottom):
    return math.nan if not bottom or top != top else rounded(top / bottom)  # noqa: PLR0124 - NaN


def covariance(d):
    a_mean, p_mean = mean(d, first), mean(d, second)
    return mean(d, lambda a, p: (a - a_mean) * (p - p_mean))


def whole_weight(d):
    return sum(map(Fraction, d.weight))


def mean_square(d):
    return mean(d, lambda a, p: (a - p) ** 2)


def one_less(value):
    return rounded(1 - Fraction(value)) if value == value else math.nan  # noqa: PLR0124 - NaN


def share_of_squares(d):
    spread = variance(d, first)
    return mean_square(d) / spread if spread else math.nan


def worth(d):
    """Return how many rows of equal weight the rows are worth (Kish)."""
    squares = sum(Fraction(w) ** 2 for w in d.weight)
    return whole_weight(d) ** 2 / squares if squares else Fraction(0)


def adjusted_r2(d, parameters=1):
    n, share = worth(d), share_of_squares(d)
    if n <= parameters + 1 or share != share:  # noqa: PLR0124 - NaN
        return math.nan
    return float(1 - share * (n - 1) / (n - parameters - 1))


def pearson(d):
    spreads = float(variance(d, first)), float(variance(d, second))
    return over(float(covariance(d)), math.sqrt(spreads[0]) * math.sqrt(spreads[1]))


def ccc(d):
    bottom = variance(d, first) + variance(d, second) + mean(d, error) ** 2
    return over(2 * covariance(d), bottom)


def cosine_similarity(d):
    top = mean(d, lambda a, p: a * p)
    sizes = [math.sqrt(mean(d, lambda a, p, of=of: of(a, p) ** 2)) for of in (first, second)]
    return over(float(top), sizes[0] * sizes[1])


def rpd(d):
    n = worth(d)
    if n <= 1:
        return math.nan
    spread, lost = variance(d, first) * n / (n - 1), mean_square(d)
    if not lost:
        return math.inf if spread else math.nan
    return math.sqrt(spread / lost)


def kling_gupta(d):
    spreads, level = (variance(d, first), variance(d, second)), mean(d, first)
    if not (spreads[0] and spreads[1] and level):
        return math.nan
    parts = pearson(d), math.sqrt(spreads[1] / spreads[0]), float(mean(d, second) / level)
    return 1 - math.dist(parts, (1, 1, 1))


def row_mean(loss):
    """Return the oracle of a mean over rows; a loss that raises or is NaN leaves it undefined."""

    def of(d):
        try:
            losses = [loss(a, p) for a, p in zip(d.actual, d.predicted, strict=True)]
        except (ZeroDivisionError, ValueError):
            return math.nan
        return math.fsum(w * x for w, x in zip(d.weight, losses, strict=True)) / math.fsum(d.weight)

    return of


def rooted(of):
    return lambda d: math.sqrt(of(d)) if of(d) == of(d) else math.nan


def squared_log(a, p):
    return (math.log1p(a) - math.log1p(p)) ** 2


def deviance(distribution):
    """Return a deviance as twice the lost log-likelihood, by SciPy's distributions."""

    def of(a, p):
        if p <= 0:
            raise ValueError
        return distribution(a, p)

    return of


def poisson(a, p):
    if a < 0:
        raise ValueError
    return 2 * ((a * math.log(a / p) if a else 0) - a + p)


def gamma(a, p):
    return (
        2 * (stats.gamma.logpdf(a, 1, scale=a) - stats.gamma.logpdf(a, 1, scale=p)) if a > 0 else math.log(a)
    )


def poisson_log(a, p):
    if a < 0 or a != int(a) or p < 0:
        raise ValueError
    return -float(stats.poisson.logpmf(a, p))


def quantile(numbers, weight, share):
    """Return the averaged inverse of the cumulated weights."""
    rows = sorted((x, Fraction(w)) for x, w in zip(numbers, weight, strict=True) if w)
    target, passed = share * sum(w for _, w in rows), 0
    for place, (value, w) in enumerate(rows):
        passed += w
        if passed == target:
            return (value + rows[min(place + 1, len(rows) - 1)][0]) / 2
        if passed > target:
            return value
    return math.nan


def interpolated(d, share):
    """Return the linear quantile of the actual values, by the mean over a stretch of the cumulated weights.

    The stretch is as long as one of the equal rows that the rows are worth (Akinshin 2023).
    """
    rows = sorted((a, Fraction(w)) for a, w in zip(d.actual, d.weight, strict=True) if w)
    whole, n = sum(w for _, w in rows), worth(d)
    begin, passed, total = share * (n - 1) / n, Fraction(0), Fraction(0)
    for a, w in rows:
        low, high = (min(max(at, begin), begin + 1 / n) for at in (passed, passed + w / whole))
        total += Fraction(a) * (high - low) * n
        passed += w / whole
    return float(total)


def between(d, low, high):
    return interpolated(d, high) - interpolated(d, low) if d.actual else math.nan


def absolute_errors(d):
    return [abs(a - p) for a, p in zip(d.actual, d.predicted, strict=True)]


def median_percentage_error(d):
    """The median share, of an actual 0 infinite unless it was predicted; no value where it is not finite."""
    shares = [
        abs((a - p) / a) if a else (math.inf if p else 0.0)
        for a, p in zip(d.actual, d.predicted, strict=True)
    ]
    found = quantile(shares, d.weight, Fraction(1, 2))
    return found if found < math.inf else math.nan


def relative_absolute_error(d):
    middle = mean(d, first)
    return over(mean(d, lambda a, p: abs(a - p)), mean(d, lambda a, _: abs(a - middle)))


def rpiq(d):
    spread, lost = between(d, Fraction(1, 4), Fraction(3, 4)), mean_square(d)
    if not lost:
        return math.inf if spread else math.nan
    return spread / math.sqrt(lost)


def agreement(d):
    signs = [
        (np.sign(a - b), np.sign(p - q))
        for (a, p), (b, q) in itertools.combinations(zip(d.actual, d.predicted, strict=True), 2)
    ]
    same, other = sum(a * p > 0 for a, p in signs), sum(a * p < 0 for a, p in signs)
    return same, other, sum(a != 0 for a, _ in signs)


def concordance_index(d):
    same, other, untied = agreement(d)
    return over((same + untied - other) / 2, untied)


def somers_d(d):
    same, other, untied = agreement(d)
    return over(same - other, untied)


def varies(*columns):
    return all(len(set(column)) > 1 for column in columns)


def explained(function, **parameters):
    def of(d):
        if not varies(d.actual):
            return math.nan
        return float(function(d.actual, d.predicted, sample_weight=d.weight, **parameters))

    return of


def rank_correlation(function):
    def of(d):
        return float(function(d.actual, d.predicted).statistic) if varies(d.actual, d.predicted) else math.nan

    return of


def spanned(d):
    """Return how far the largest actual value is from the least, of rows that count."""
    counting = [a for a, weight in zip(d.actual, d.weight, strict=True) if weight]
    return max(counting) - min(counting)


ORACLES = {
    "mean_error": lambda d: float(mean(d, error)),
    "mae": lambda d: float(mean(d, lambda a, p: abs(a - p))),
    "mse": lambda d: float(mean_square(d)),
    "rmse": lambda d: math.sqrt(mean_square(d)),
    "error_deviation": lambda d: math.sqrt(variance(d, error)),
    "r2": lambda d: one_less(share_of_squares(d)),
    "adjusted_r2": adjusted_r2,
    "explained_variance": lambda d: one_less(
        variance(d, error) / variance(d, first) if variance(d, first) else math.nan
    ),
    "ccc": ccc,
    "pearson": pearson,
    "squared_correlation": lambda d: over(covariance(d) ** 2, variance(d, first) * variance(d, second)),
    "cosine_similarity": cosine_similarity,
    "relative_squared_error": lambda d: rounded(share_of_squares(d)),
    "root_relative_squared_error": lambda d: math.sqrt(share_of_squares(d)),
    "rpd": rpd,
    "rmse_over_mean": lambda d: over(math.sqrt(mean_square(d)), abs(float(mean(d, first)))),
    "theil_u1": lambda d: over(
        math.sqrt(mean_square(d)),
        math.sqrt(mean(d, lambda a, _: a * a)) + math.sqrt(mean(d, lambda _, p: p * p)),
    ),
    "theil_u2": lambda d: over(math.sqrt(mean_square(d)), math.sqrt(mean(d, lambda a, _: a * a))),
    "kling_gupta": kling_gupta,
    "max_error": lambda d: max(absolute_errors(d)),
    "mase": lambda _: math.nan,  # no scale is given
    "wape": lambda d: over(mean(d, lambda a, p: abs(a - p)), mean(d, lambda a, _: abs(a))),
    "mape": row_mean(lambda a, p: abs((a - p) / a)),
    "rmspe": rooted(row_mean(lambda a, p: ((a - p) / a) ** 2)),
    "mpe": row_mean(lambda a, p: (a - p) / a),
    "smape_200": row_mean(lambda a, p: 200 * abs(a - p) / (abs(a) + abs(p)) if a or p else 0.0),
    "smape_100": row_mean(lambda a, p: 100 * abs(a - p) / (abs(a) + abs(p)) if a or p else 0.0),
    "msle": row_mean(squared_log),
    "rmsle": rooted(row_mean(squared_log)),
    "huber": row_mean(lambda a, p: abs(a - p) - 0.5 if abs(a - p) > 1 else (a - p) ** 2 / 2),
    "pseudo_huber": row_mean(lambda a, p: math.sqrt(1 + (a - p) ** 2) - 1),
    "log_cosh": row_mean(lambda a, p: float(np.logaddexp(a - p, p - a)) - math.log(2)),
    "pinball": row_mean(lambda a, p: abs(a - p) / 2),
    "crps_gaussian": row_mean(lambda a, p: abs(a - p)),  # a deviation of 0
    "tweedie_deviance": row_mean(lambda a, p: (a - p) ** 2),
    "poisson_deviance": row_mean(deviance(poisson)),
    "gamma_deviance": row_mean(deviance(gamma)),
    "poisson_log_loss": row_mean(poisson_log),
    "d2_tweedie": explained(theirs.d2_tweedie_score),
    "d2_pinball": explained(theirs.d2_pinball_score),
    "d2_absolute_error": explained(theirs.d2_absolute_error_score),
    "median_absolute_error": lambda d: quantile(absolute_errors(d), d.weight, Fraction(1, 2)),
    "median_absolute_percentage_error": median_percentage_error,
    "quantile_error": lambda d: quantile(absolute_errors(d), d.weight, Fraction(9, 10)),
    "relative_absolute_error": relative_absolute_error,
    "rmse_over_range": lambda d: over(math.sqrt(mean_square(d)), spanned(d)),
    "rmse_over_iqr": lambda d: over(math.sqrt(mean_square(d)), between(d, Fraction(1, 4), Fraction(3, 4))),
    "rpiq": rpiq,
    "spearman": rank_correlation(stats.spearmanr),
    "kendall_tau": rank_correlation(stats.kendalltau),
    "concordance_index": concordance_index,
    "somers_d": somers_d,
}
