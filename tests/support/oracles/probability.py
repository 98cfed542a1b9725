"""Probabilities a second way: row by row in plain Python, in fractions, by SciPy's solvers.

Rows count by their weight; where their number matters, it is that of equal rows they are worth. Figures of bins are at their defaults: 15 bins of equal mass, 10 groups.
"""

import math
from fractions import Fraction

import numpy as np
from scipy import optimize, stats


def _rows(d):
    """Yield probability, outcome and weight of every row, exactly."""
    return [
        (Fraction(p), int(y), Fraction(w)) for p, y, w in zip(d.score, d.actual, d.weight, strict=True) if w
    ]


def _mean(d, value):
    rows = _rows(d)
    n = sum(w for *_, w in rows)
    return float(sum(w * value(p, y) for p, y, w in rows) / n) if rows else math.nan


def _log_loss(d):
    rows = _rows(d)
    if not rows:
        return math.nan
    given = [(float(p if y else 1 - p), float(w)) for p, y, w in rows]
    if not all(p for p, _ in given):
        return math.inf
    return -math.fsum(w * math.log(p) for p, w in given) / math.fsum(w for _, w in given)


def _rate(d):
    rows = _rows(d)
    return sum(w for _, y, w in rows if y) / sum(w for *_, w in rows) if rows else math.nan


def _brier(d):
    return _mean(d, lambda p, y: (p - y) ** 2)


def _base_brier(d):
    rate = _rate(d)
    return float(rate * (1 - rate))


def _base_log_loss(d):
    rate = _rate(d)
    return -sum(float(x) * math.log(x) for x in (rate, 1 - rate) if x) if _rows(d) else math.nan


def _skill(score, base):
    return 1 - score / base if base else math.nan


def _groups(d):
    """Return (probability, positives, rows) of each distinct probability, ascending."""
    found = {}
    for p, y, w in sorted(_rows(d)):
        positives, rows = found.get(p, (0, 0))
        found[p] = positives + w * y, rows + w
    return [(p, *sums) for p, sums in found.items()]


def _isotonic(d):
    """Return the fit by its geometry: from each place go where the mean is least, and from there on again."""
    groups, fit = _groups(d), []
    while len(fit) < len(groups):
        positives = rows = 0
        means = []
        for _, more, size in groups[len(fit) :]:
            positives, rows = positives + more, rows + size
            means.append(positives / rows)
        reach = max(place for place, mean in enumerate(means, 1) if mean == min(means))
        fit += [min(means)] * reach
    return fit


def _fitted(d, cost):
    """Return the mean cost of the isotonic fit."""
    groups = _groups(d)
    if not groups:
        return math.nan
    costs = [
        float(pos) * cost(c, 1) * (pos > 0) + float(n - pos) * cost(c, 0) * (n > pos)
        for c, (_, pos, n) in zip(_isotonic(d), groups, strict=True)
    ]
    return math.fsum(costs) / float(sum(n for *_, n in groups))


def _squared(c, y):
    return float((c - y) ** 2)


def _surprise(c, y):
    given = c if y else 1 - c
    return -math.log(given) if given else 0.0  # never paid


def _distances(d):
    """Return the distances from the fit, ascending, with their rows."""
    return sorted((abs(p - c), n) for c, (p, _, n) in zip(_isotonic(d), _groups(d), strict=True))


def _quantile(d, part):
    distances = _distances(d)
    if not distances:
        return math.nan
    cut, reached = part * sum(n for _, n in distances), 0
    for place, (value, n) in enumerate(distances):
        reached += n
        if reached > cut:
            return float(value)
        if reached == cut:
            return float(value + distances[place + 1][0]) / 2
    return None


def _bins(d, bins):
    """Return weight, mean probability, rate and worth in equal rows of bins of equal mass.

    A bin is a stretch of the sorted rows.
    """
    weights = {w for *_, w in _rows(d)}
    unit = weights.pop() if len(weights) == 1 else None  # one weight for all is as good as none
    groups = [(p, pos / (unit or 1), size / (unit or 1)) for p, pos, size in _groups(d)]
    squares = {p: sum((w / (unit or 1)) ** 2 for q, _, w in _rows(d) if q == p) for p, *_ in groups}
    n = sum(rows for *_, rows in groups)
    each, over = divmod(n, bins) if unit else (n / bins, 0)
    found, begin = [], Fraction(0)
    for place in range(bins):
        end = begin + each + min(max(over - place, 0), 1)
        at, rows, probability, positives, square = Fraction(0), 0, 0, 0, 0
        for p, pos, size in groups:
            inside = max(min(at + size, end) - max(at, begin), 0)
            rows, probability, positives = (
                rows + inside,
                probability + inside * p,
                positives + inside * pos / size,
            )
            square += inside / size * squares[p]
            at += size
        if rows:
            found.append((rows, probability / rows, positives / rows, rows**2 / square))
        begin = end
    return found


def _over_bins(d, value, bins=15):
    found = _bins(d, bins)
    return value(found, sum(n for n, *_ in found)) if found else math.nan


def _debiased(found, n):
    several = [one for one in found if one[3] > 1.5]
    if not several:
        return math.nan
    return float(sum(m * ((p - y) ** 2 - y * (1 - y) / (worth - 1)) for m, p, y, worth in several) / n)


def _hosmer_lemeshow(d):
    terms = []
    for _, p, y, m in _bins(d, 10):
        if p in (0, 1):
            terms.append(math.nan if p == y else math.inf)
        else:
            terms.append(float(m * (p - y) ** 2 / (p * (1 - p))))
    return math.fsum(terms) if terms else math.nan


def _hosmer_lemeshow_p(d):
    statistic = _hosmer_lemeshow(d)
    return math.nan if math.isnan(statistic) else stats.chi2.sf(statistic, len(_bins(d, 10)))


def _logits(d):
    p, y, w = (np.array(column, dtype=float) for column in (d.score, d.actual, d.weight))
    with np.errstate(divide="ignore"):
        return (np.log(p / (1 - p)))[w > 0], y[w > 0], w[w > 0]


def _in_the_large(d):
    x, y, w = _logits(d)
    if not np.isfinite(x).all() or len(set(y)) < 2:
        return math.nan
    return optimize.brentq(lambda a: (w * (y - 1 / (1 + np.exp(-a - x)))).sum(), -60, 60, xtol=1e-14)


def _cox(d, which):
    x, y, w = _logits(d)
    if not np.isfinite(x).all() or len(set(y)) < 2 or len(set(x)) < 2:
        return math.nan
    if x[y == 1].min() >= x[y == 0].max() or x[y == 0].min() >= x[y == 1].max():
        return math.nan

    def gradient(line):
        missed = w * (y - 1 / (1 + np.exp(-np.clip(line[0] + line[1] * x, -700, 700))))
        return [missed.sum(), (missed * x).sum()]

    return optimize.root(gradient, [0.0, 0.5], method="lm", options={"xtol": 1e-15, "ftol": 1e-15}).x[which]


def _spiegelhalter(d):
    rows = _rows(d)
    excess = sum(w * (y - p) * (1 - 2 * p) for p, y, w in rows)
    variance = sum(w**2 * (1 - 2 * p) ** 2 * p * (1 - p) for p, _, w in rows)
    return float(excess) / math.sqrt(variance) if variance else math.nan


def _observed_expected(d):
    observed, expected = sum(w * y for _, y, w in _rows(d)), sum(w * p for p, _, w in _rows(d))
    if not expected:
        return math.inf if observed else math.nan
    return float(observed / expected)


def _reliability(d):
    n = sum(rows for *_, rows in _groups(d))
    return float(sum(rows * (p - pos / rows) ** 2 for p, pos, rows in _groups(d)) / n) if n else math.nan


def _resolution(d):
    groups, rate = _groups(d), _rate(d)
    n = sum(rows for *_, rows in groups)
    return float(sum(rows * (pos / rows - rate) ** 2 for _, pos, rows in groups) / n) if n else math.nan


def _cox_snell(d):
    """One less the likelihood ratio of base rate and probabilities, to the power of 2 / n."""
    n, base = sum(d.weight), _base_log_loss(d)
    if not n or not base > 0:
        return math.nan
    mine = _log_loss(d)
    return 1 - math.exp(-base * n * 2 / n) / math.exp(-mine * n * 2 / n) if mine < math.inf else -math.inf


def _nagelkerke(d):
    found = _cox_snell(d)
    return found if math.isnan(found) else found / (1 - math.exp(-2 * _base_log_loss(d)))


def _local_fit(rows, x0):
    """Return the local quadratic fit at a probability, in rational numbers but for the weights.

    Rows come by distance until three quarters of their weight are reached; the farthest has weight 0. Fewer
    than three probabilities of some weight are met exactly, so that there the fit is the rate itself.
    """
    x0, whole, reached, width = Fraction(x0), sum(w for *_, w in rows), 0, Fraction(0)
    for distance, w in sorted((abs(Fraction(x) - x0), w) for x, _, w in rows):
        reached, width = reached + w, distance
        if reached >= Fraction(3, 4) * whole:
            break
    inside = [(Fraction(x) - x0, y, w) for x, y, w in rows if abs(Fraction(x) - x0) < width]
    if len({x for x, *_ in inside}) <= 2:
        here = [(y, w) for x, y, w in rows if Fraction(x) == x0]
        return sum(y * w for y, w in here) / sum(w for _, w in here)
    sums, targets = [Fraction(0)] * 5, [Fraction(0)] * 3
    for x, y, w in inside:
        weight = w * (1 - abs(x / width) ** 3) ** 3
        for k in range(5):
            sums[k] += weight * (x / width) ** k
        for k in range(3):
            targets[k] += weight * y * (x / width) ** k

    def determinant(a, b, c):
        return (
            a[0] * (b[1] * c[2] - b[2] * c[1])
            - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
        )

    columns = [sums[0:3], sums[1:4], sums[2:5]]
    return determinant(targets, columns[1], columns[2]) / determinant(*columns)


def _smooth_distances(d):
    """Return how far each row's probability is from the local fit, with its weight."""
    rows = [(p, y, Fraction(w)) for p, y, w in zip(d.score, d.actual, d.weight, strict=True) if w]
    fits = {p: _local_fit(rows, p) for p, *_ in rows}
    return [(abs(float(Fraction(p) - fits[p])), w) for p, _, w in rows]


def _smooth_quantile(d, share):
    found = sorted(_smooth_distances(d))
    whole, passed = sum(w for _, w in found), 0
    for place, (x, w) in enumerate(found):
        passed += w
        if passed == share * whole:
            return (x + found[min(place + 1, len(found) - 1)][0]) / 2
        if passed > share * whole:
            return x
    return math.nan


def _smooth_mean(d):
    found = _smooth_distances(d)
    return math.fsum(x * w for x, w in found) / sum(w for _, w in found) if found else math.nan


ORACLES = {
    "integrated_calibration_index": _smooth_mean,
    "median_calibration_distance": lambda d: _smooth_quantile(d, Fraction(1, 2)),
    "upper_calibration_distance": lambda d: _smooth_quantile(d, Fraction(9, 10)),
    "largest_calibration_distance": lambda d: max((x for x, _ in _smooth_distances(d)), default=math.nan),
    "cox_snell_r2": _cox_snell,
    "nagelkerke_r2": _nagelkerke,
    "log_loss": _log_loss,
    "brier": _brier,
    "root_brier": lambda d: math.sqrt(_brier(d)),
    "brier_uncertainty": _base_brier,
    "log_uncertainty": _base_log_loss,
    "brier_skill": lambda d: _skill(_brier(d), _base_brier(d)),
    "log_loss_skill": lambda d: _skill(_log_loss(d), _base_log_loss(d)),
    "brier_miscalibration": lambda d: _brier(d) - _fitted(d, _squared),
    "brier_discrimination": lambda d: _base_brier(d) - _fitted(d, _squared),
    "log_miscalibration": lambda d: _log_loss(d) - _fitted(d, _surprise),
    "log_discrimination": lambda d: _base_log_loss(d) - _fitted(d, _surprise),
    "brier_reliability": _reliability,
    "brier_resolution": _resolution,
    "expected_calibration_error": lambda d: _over_bins(
        d, lambda found, n: float(sum(m * abs(p - y) for m, p, y, _ in found) / n)
    ),
    "maximum_calibration_error": lambda d: _over_bins(
        d, lambda found, _: float(max(abs(p - y) for _, p, y, _ in found))
    ),
    "rms_calibration_error": lambda d: _over_bins(
        d, lambda found, n: math.sqrt(sum(m * (p - y) ** 2 for m, p, y, _ in found) / n)
    ),
    "debiased_calibration_square": lambda d: _over_bins(d, _debiased),
    "debiased_calibration_error": lambda d: (
        math.sqrt(max(_over_bins(d, _debiased), 0)) if _rows(d) else math.nan
    ),
    "cox_intercept": lambda d: _cox(d, 0),
    "cox_slope": lambda d: _cox(d, 1),
    "calibration_in_the_large": _in_the_large,
    "observed_expected_ratio": _observed_expected,
    "spiegelhalter_z": _spiegelhalter,
    "spiegelhalter_p": lambda d: 2 * stats.norm.sf(abs(_spiegelhalter(d))),
    "hosmer_lemeshow": _hosmer_lemeshow,
    "hosmer_lemeshow_p": _hosmer_lemeshow_p,
    "isotonic_calibration_index": lambda d: (
        float(sum(n * x for x, n in _distances(d)) / sum(n for _, n in _distances(d)))
        if _rows(d)
        else math.nan
    ),
    "isotonic_median_distance": lambda d: _quantile(d, Fraction(1, 2)),
    "isotonic_upper_distance": lambda d: _quantile(d, Fraction(9, 10)),
    "isotonic_largest_distance": lambda d: float(max((x for x, _ in _distances(d)), default=math.nan)),
}
