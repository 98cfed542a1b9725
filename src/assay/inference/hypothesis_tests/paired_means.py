"""Tests of paired differences: t, Wilcoxon signed-rank, sign flips, Diebold-Mariano."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.formatting.numbers import count_of
from assay.inference.distributions import check_alternative, normal_p, student_p, student_quantile
from assay.inference.test_result import Alternative, TestResult
from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TIE", "diebold_mariano", "length", "paired_t", "sign_flips", "wilcoxon"]

_MAX_DIFFERENCES_TO_ENUMERATE = 20  # up to so many, every pattern of signs is tried
_MAX_DIFFERENCES_FOR_EXACT_WILCOXON = 50  # up to so many, the distribution is enumerated
_SIGNS_AT_ONCE = 1 << 22  # drawn together
TIE = 1e-12  # relative difference that is taken for a rounding error


def length(values: NDArray[np.float64]) -> float:
    """Return the root of the sum of squares, also where the squares are too large or too small for floats.

    >>> length(np.array([3e-200, 4e-200]))
    5e-200
    """
    largest = float(np.abs(values).max(initial=0.0))
    return largest * math.sqrt(math.fsum((values / largest) ** 2)) if largest else 0.0


def paired_t(
    differences: Any, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> TestResult:
    """Return Student's test that the mean difference is 0, with its interval (Student 1908).

    Parameters
    ----------
    differences
        One number per row: the loss of one model less that of the other.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.
    confidence
        The confidence level of the interval.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `alternative` is not known; or `differences` are not
        finite numbers, or there are none.

    Examples
    --------
    >>> paired_t([0.07, 0.01, -0.02, 0.08, 0.05, 0.11, 0.09, -0.03])
    paired t: statistic 2.4303, df 7, p = 0.0454
    """
    values = _column(differences)
    n = len(values)
    mean = math.fsum(values) / n
    if n < 2:  # noqa: PLR2004
        return TestResult(
            "paired t", None, 0, Undefined("a single difference shows no spread"), alternative, mean
        )
    error = length(values - mean) / math.sqrt((n - 1) * n)
    return _student("paired t", mean, error, n - 1, alternative=alternative, confidence=confidence)


def wilcoxon(
    differences: Any,
    *,
    method: Literal["auto", "exact", "normal"] = "auto",
    corrected: bool = True,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Return Wilcoxon's signed-rank test that the differences lie evenly about 0 (1945).

    The statistic is the sum of ranks of the positive differences; zeros are dropped and tied sizes share
    their mean rank. Exact means the chance over all patterns of signs, with the ranks as they are; normal
    has the correction for ties and, unless `corrected` is False, for continuity.

    Parameters
    ----------
    differences
        One number per row: the loss of one model less that of the other.
    method
        ``"exact"``, ``"normal"`` or ``"auto"``, which chooses by the number of rows.
    corrected
        Whether the normal statistic is corrected for continuity.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `differences` are not finite numbers, or there are none; or `method` or `alternative` is not known.

    Examples
    --------
    >>> wilcoxon([0.07, 0.01, -0.02, 0.08, 0.05, 0.11, 0.09, -0.03])
    Wilcoxon signed-rank (exact): statistic 31, p = 0.07812
    """
    check_alternative(alternative)
    if method not in ("auto", "exact", "normal"):
        raise MetricError(f'method={method!r} is not known: use "auto", "exact" or "normal".')
    values = _column(differences)
    nonzero = values[values != 0]
    n, dropped = len(nonzero), len(values) - len(nonzero)
    note = f"{dropped:,} differences of 0 were dropped" if dropped else ""
    if not n:
        return TestResult(
            "Wilcoxon signed-rank", None, None, 1.0, alternative, note="there are no differences"
        )
    _, level, sizes = np.unique(np.abs(nonzero), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(sizes) - sizes + 1)[level]  # twice the mean rank: an integer
    positive = int(doubled[nonzero > 0].sum())
    exact = method == "exact" or (method == "auto" and n <= _MAX_DIFFERENCES_FOR_EXACT_WILCOXON)
    p = (
        _exact_wilcoxon_p(doubled, positive, alternative)
        if exact
        else _normal_wilcoxon_p(n, sizes, positive / 2, alternative, corrected=corrected)
    )
    return TestResult(
        f"Wilcoxon signed-rank ({'exact' if exact else 'normal'})",
        positive / 2,
        None,
        p,
        alternative,
        note=note,
    )


def sign_flips(
    differences: Any, *, flips: int = 100_000, seed: int = 0, alternative: Alternative = "two-sided"
) -> TestResult:
    """Return the randomisation test of the mean difference: how often random signs make it as large.

    All patterns of signs up to 20 differences; beyond, so many random ones, the observed signs counted among
    them, so that p is never 0 (Smucker, Allan and Carterette 2007). The seed's signs are the same anywhere.

    Parameters
    ----------
    differences
        One number per row: the loss of one model less that of the other.
    flips
        How many patterns of signs are drawn, beyond 20 differences.
    seed
        Where the random draws begin: the same seed gives the same result.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `differences` are not finite numbers, or there are none; or `alternative` is not known.

    Examples
    --------
    >>> sign_flips([0.07, 0.01, -0.02, 0.08, 0.05, 0.11, 0.09, -0.03]).p_value
    0.0625
    """
    check_alternative(alternative)
    values = _column(differences)
    nonzero = values[values != 0]
    observed, tolerance = math.fsum(nonzero), TIE * math.fsum(np.abs(nonzero))

    def count_as_large(sums: NDArray[np.float64]) -> int:
        if alternative == "two-sided":
            return int((np.abs(sums) >= abs(observed) - tolerance).sum())
        turned, own = (sums, observed) if alternative == "greater" else (-sums, -observed)
        return int((turned >= own - tolerance).sum())

    if len(nonzero) <= _MAX_DIFFERENCES_TO_ENUMERATE:
        sums = np.zeros(1)
        for value in nonzero:
            sums = np.concatenate([sums + value, sums - value])
        return TestResult("sign flips (exact)", None, None, count_as_large(sums) / len(sums), alternative)
    as_large = sum(count_as_large(sums) for sums in _sums_with_random_signs(nonzero, observed, flips, seed))
    return TestResult(
        "sign flips",
        None,
        None,
        (as_large + 1) / (flips + 1),
        alternative,
        note=f"{flips:,} flips, seed {seed}",
    )


def diebold_mariano(
    differences: Any,
    *,
    horizon: int = 1,
    kernel: Literal["rectangular", "bartlett"] = "rectangular",
    lags: int | None = None,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Return the test of equal mean loss of two forecasts, rows in order of time (Diebold and Mariano 1995).

    Forecasts `horizon` steps ahead have errors that go together over ``horizon - 1`` lags, which the variance
    allows for, or over `lags` of them; Bartlett's weights keep it positive (Newey and West 1987). Corrected
    for short series with Student's t (Harvey, Leybourne and Newbold 1997).

    Parameters
    ----------
    differences
        One number per row, in order of time: the loss of one forecast less that of the other.
    horizon
        How many steps ahead the forecasts are.
    kernel
        ``"rectangular"`` or ``"bartlett"``.
    lags
        Over how many lags errors go together; by default ``horizon - 1``.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.
    confidence
        The confidence level of the interval.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `alternative` is not known; or `differences` are not
        finite numbers, or there are none; or there are too few rows for the horizon or the lags.

    Examples
    --------
    >>> diebold_mariano([0.07, 0.01, -0.02, 0.08, 0.05, 0.11, 0.09, -0.03], horizon=2)
    Diebold-Mariano: statistic 2.2014, df 7, p = 0.0636
    """
    values = _column(differences)
    n, max_lag = len(values), horizon - 1 if lags is None else lags
    if horizon < 1 or not 0 <= max_lag < n:
        raise MetricError(
            f"{count_of(n, 'row is', 'rows are')} too few for a horizon of {horizon} and {max_lag} lags."
        )
    mean = math.fsum(values) / n
    size = length(values - mean) or 1.0  # so that products are of numbers up to 1
    centred = (values - mean) / size

    def spread(lag: int) -> float:
        return math.fsum(centred[lag:] * centred[: n - lag]) / n

    note, method = "", "Diebold-Mariano"
    weights = [1 - lag / (max_lag + 1) if kernel == "bartlett" else 1.0 for lag in range(1, max_lag + 1)]
    total = spread(0) + 2 * math.fsum(w * spread(lag) for lag, w in enumerate(weights, 1))
    if total <= 0 < spread(0):
        weights = [1 - lag / (max_lag + 1) for lag in range(1, max_lag + 1)]
        total = spread(0) + 2 * math.fsum(w * spread(lag) for lag, w in enumerate(weights, 1))
        note = "the rectangular variance was not positive: Bartlett's weights were taken"
    short = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    if short <= 0:
        raise MetricError(f"{count_of(n, 'row is', 'rows are')} too few for a horizon of {horizon}.")
    error = size * math.sqrt(max(total, 0.0) / n / short)
    return _student(method, mean, error, n - 1, alternative=alternative, confidence=confidence, note=note)


def _student(
    method: str,
    mean: float,
    error: float,
    df: float,
    *,
    alternative: Alternative,
    confidence: float,
    note: str = "",
) -> TestResult:
    """Return a t test of a mean with its interval, or what stands in for it without spread."""
    if error <= TIE * abs(mean):
        p: Value = Undefined("every row differs by the same") if mean else 1.0
        return TestResult(method, None, df, p, alternative, mean, confidence=confidence, note=note)
    t, half_width = mean / error, student_quantile(confidence, df) * error
    p = student_p(t, df, alternative)
    return TestResult(
        method, t, df, p, alternative, mean, mean - half_width, mean + half_width, confidence, note, error
    )


def _exact_wilcoxon_p(doubled: NDArray[Any], positive: int, alternative: Alternative) -> float:
    """Return the exact p-value of a rank sum over all patterns of signs."""
    ways = np.zeros(int(doubled.sum()) + 1, dtype=object)  # Python's integers: 2**n of them
    ways[0] = 1
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    everything = 1 << len(doubled)
    above, below = int(ways[positive:].sum()), int(ways[: positive + 1].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(above, below) / everything)
    return (above if alternative == "greater" else below) / everything


def _normal_wilcoxon_p(
    n: int, sizes: NDArray[Any], positive: float, alternative: Alternative, *, corrected: bool
) -> float:
    """Return the p-value of a rank sum by the normal approximation."""
    ties = sizes.astype(np.float64)
    spread = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    distance = positive - n * (n + 1) / 4
    if corrected:
        towards = {
            "two-sided": math.copysign(0.5, distance) if distance else 0.0,
            "greater": 0.5,
            "less": -0.5,
        }
        distance -= towards[alternative]
    return min(1.0, normal_p(distance / math.sqrt(spread), alternative))


def _sums_with_random_signs(values: NDArray[np.float64], total: float, flips: int, seed: int) -> Any:
    """Yield sums with random signs, one per flip; flip r takes the words from r times their number on."""
    words = -(-len(values) // 64)
    block = max(1, _SIGNS_AT_ONCE // (64 * words))
    for begin in range(0, flips, block):
        end = min(begin + block, flips)
        random = kernels.random_words(seed, 0, begin * words, end * words).astype("<u8", copy=False)
        bits = np.unpackbits(random.view(np.uint8), bitorder="little").reshape(end - begin, 64 * words)
        yield total - 2 * (bits[:, : len(values)] @ values)


def _column(differences: Any) -> NDArray[np.float64]:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise MetricError("differences are one finite number per row, and at least one.")
    return values
