"""Tests of a table of counts: association, symmetry, and accuracy against guessing.

They read counts. Sums of weights are not counts, and a test that took them for such would change when the
weights are scaled, so weighted tallies are refused.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.hints import passed
from assay.inference.distributions import chi_square_p
from assay.inference.hypothesis_tests.hypergeometric import Hypergeometric, log_binomial
from assay.inference.test_result import Alternative, TestResult
from assay.metrics import Classes, Undefined, Value, find
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "Alternative",
    "TestResult",
    "bowker",
    "chi_square",
    "fisher",
    "mcnemar",
    "no_information",
    "stuart_maxwell",
]


def chi_square(table: Any, *, correction: bool = False) -> TestResult:
    """Test whether rows and columns have anything to do with each other.

    Empty rows and columns have no part in it. `correction` is Yates', for two rows and two columns.

    Parameters
    ----------
    table
        Counts, in rows and columns.
    correction
        Whether to take Yates' correction for continuity.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `table` is no table of counts.

    Examples
    --------
    >>> chi_square([[1202, 5], [29, 154]])
    Pearson's chi-squared test: statistic 1099.9, df 1, p < 2.2e-16
    """
    counts = _counts(table)
    counts = counts[counts.sum(1) > 0][:, counts.sum(0) > 0]
    method = "Pearson's chi-squared test"
    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if correction:
        method += " with Yates' continuity correction"
        if counts.shape != (2, 2):
            return TestResult(method, *_no("the correction is for two rows and two columns"))
    if min(counts.shape) < 2:  # noqa: PLR2004
        return TestResult(method, *_no("the table has fewer than two rows or columns with counts"))
    statistic = _yates(counts) if correction else float(find("chi_square").formula(Classes(counts)))
    return TestResult(method, statistic, df, chi_square_p(statistic, df))


def fisher(
    table: Any,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
    odds_ratio: bool = True,
) -> TestResult:
    """Test two rows and two columns exactly, given the totals, and estimate the odds ratio.

    The estimate is the conditional one, likeliest given the totals, and not the plain ratio of the counts.
    R's fisher.test searches for it and its interval only to about 1e-4 in one over the ratio, so that its
    results for a strong association are right to two or three digits; these are right to twelve. Without
    `odds_ratio` the test is several times as fast.

    Parameters
    ----------
    table
        Counts, in two rows and two columns.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.
    confidence
        The confidence level of the interval.
    odds_ratio
        Whether to estimate the odds ratio and its interval.

    Returns
    -------
    TestResult
        With the conditional odds ratio as its estimate, unless that is left out.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `alternative` is not known; or `table` is no table of
        counts.

    Examples
    --------
    >>> test = fisher([[3, 1], [1, 3]])
    >>> round(test.p_value, 6), round(test.estimate, 6)
    (0.485714, 6.40832)
    """
    method = "Fisher's exact test"
    counts = _counts(table)
    if counts.shape != (2, 2):
        return TestResult(method, *_no("it is for two rows and two columns"), alternative)
    (x, b), (c, d) = counts.tolist()
    chances = Hypergeometric(x + b, c + d, x + c)
    if alternative not in ("two-sided", "less", "greater"):
        raise MetricError(f'alternative={alternative!r} is not known: use "two-sided", "less" or "greater".')
    if not 0 < confidence < 1:
        raise MetricError(f"{passed('confidence', confidence)} is a share between 0 and 1, such as 0.95.")
    chance = {"two-sided": chances.as_unlikely, "less": chances.at_most, "greater": chances.at_least}
    p_value = chance[alternative](x)
    if not odds_ratio:
        return TestResult(method, None, None, p_value, alternative)
    tail = (1 - confidence) / (2 if alternative == "two-sided" else 1)
    low = 0.0 if alternative == "less" else _odds_with(chances, x, tail, upwards=True)
    high = math.inf if alternative == "greater" else _odds_with(chances, x, tail, upwards=False)
    return TestResult(
        method, None, None, p_value, alternative,
        estimate=_odds(chances, x), low=low, high=high, confidence=confidence,
    )  # fmt: skip


def mcnemar(
    table: Any, method: Literal["mid-p", "exact", "corrected", "uncorrected"] = "mid-p"
) -> TestResult:
    """Test whether the two ways to disagree are equally frequent.

    For two models set which of them is right against each other: does one err more often? For a confusion
    table: is each class predicted as often as it occurs? That is about bias, not about being right.

    The exact test is never too bold and often too shy; mid-p is neither (Fagerland, Lydersen, Laake 2013).

    Parameters
    ----------
    table
        Counts in two rows and two columns: of rows that both, either or neither has right.
    method
        ``"mid-p"``, ``"exact"``, ``"corrected"`` or ``"uncorrected"``.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `table` is no table of counts; or `method` is not known.

    Examples
    --------
    >>> mcnemar([[1202, 5], [29, 154]], "corrected")
    McNemar's test, continuity-corrected: statistic 15.559, df 1, p = 7.998e-05
    """
    names = {"mid-p": "mid-p", "exact": "exact", "corrected": "continuity-corrected", "uncorrected": ""}
    if method not in names:
        known = ", ".join(f'"{name}"' for name in names)
        raise MetricError(f"method={method!r} is not known: use {known}.")
    name = f"McNemar's test, {names[method]}" if names[method] else "McNemar's test"
    counts = _counts(table)
    if counts.shape != (2, 2):
        return TestResult(name, *_no("it is for two classes: Bowker's test is for more"))
    b, c = int(counts[0, 1]), int(counts[1, 0])
    note = "" if b + c else "the two never disagree"
    if method in ("mid-p", "exact"):
        return TestResult(name, None, None, _coin(b, c, middle=method == "mid-p"), note=note)
    distance = max(abs(b - c) - (method == "corrected"), 0)
    statistic = distance**2 / (b + c) if b + c else 0.0
    return TestResult(name, statistic, 1, chi_square_p(statistic, 1), note=note)


def bowker(table: Any) -> TestResult:
    """Test whether each pair of classes is confused as often one way as the other.

    Pairs of classes that were never confused count for no degree of freedom.

    Parameters
    ----------
    table
        Counts, in rows and columns.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `table` is no table of counts.

    Examples
    --------
    >>> bowker([[44, 6, 3], [5, 30, 7], [2, 9, 61]])
    Bowker's test of symmetry: statistic 0.54091, df 3, p = 0.9098
    """
    method = "Bowker's test of symmetry"
    counts = _counts(table)
    if counts.shape[0] != counts.shape[1]:
        return TestResult(method, *_no("rows and columns are not the same classes"))
    above, below = counts[np.triu_indices(len(counts), 1)], counts.T[np.triu_indices(len(counts), 1)]
    confused = above + below > 0
    df = int(confused.sum())
    if not df:
        return TestResult(method, 0.0, 0, 1.0, note="no classes were confused")
    differences = (above - below)[confused].astype(np.float64)
    statistic = float((differences**2 / (above + below)[confused].astype(np.float64)).sum())
    return TestResult(method, statistic, df, chi_square_p(statistic, df))


def stuart_maxwell(table: Any) -> TestResult:
    """Test whether each class is predicted as often as it occurs (marginal homogeneity).

    Stuart (1955) and Maxwell (1970): the differences of the margins over their covariance. Bowker's test asks
    more, each pair of classes by itself; for two classes both are McNemar's. Classes that were never confused
    have no part in it, and classes that were confused only among themselves are tested apart.

    Parameters
    ----------
    table
        Counts, in rows and columns.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `table` is no table of counts.

    Examples
    --------
    >>> stuart_maxwell([[44, 6, 3], [5, 30, 7], [2, 9, 61]])
    Stuart-Maxwell test of marginal homogeneity: statistic 0.38585, df 2, p = 0.8245
    """
    method = "Stuart-Maxwell test of marginal homogeneity"
    counts = _counts(table)
    if counts.shape[0] != counts.shape[1]:
        return TestResult(method, *_no("rows and columns are not the same classes"))
    moved = (counts + counts.T).astype(np.float64)
    np.fill_diagonal(moved, 0.0)
    if not moved.any():
        return TestResult(method, 0.0, 0, 1.0, note="no classes were confused")
    differences = (counts.sum(1) - counts.sum(0)).astype(np.float64)
    covariance = np.diag(moved.sum(1)) - moved
    # The differences add up to 0 within each set of classes that are confused with each other, so that the
    # covariance lacks a rank for each set; the generalised inverse leaves the statistic as it would be
    # with one class of each set left out.
    inverse = np.linalg.pinv(covariance, hermitian=True)
    statistic = max(float(differences @ inverse @ differences), 0.0)
    df = int(np.linalg.matrix_rank(covariance, hermitian=True))
    return TestResult(method, statistic, df, chi_square_p(statistic, df))


def no_information(table: Any) -> TestResult:
    """Test whether accuracy is above what always predicting the commonest class would give.

    Exact and one-sided: the chance of as many correct rows or more.

    Parameters
    ----------
    table
        Counts, in rows and columns.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `table` is no table of counts.

    Examples
    --------
    >>> no_information([[1202, 5], [29, 154]])
    accuracy above the no-information rate, exact binomial: p < 2.2e-16
    """
    from scipy.special import betainc  # noqa: PLC0415 - SciPy takes its time to load

    method = "accuracy above the no-information rate, exact binomial"
    if isinstance(table, Confusion) and table.weights is None:  # no full table: classes may be very many
        n, correct, largest = table.n, table.correct, int(table.actual_totals.max(initial=0))
    else:
        counts = _counts(table)
        if counts.shape[0] != counts.shape[1]:
            return TestResult(method, *_no("rows and columns are not the same classes"), "greater")
        n, correct, largest = int(counts.sum()), int(np.trace(counts)), int(counts.sum(1).max(initial=0))
    if not n:
        return TestResult(method, *_no("there are no rows"), "greater")
    rate = largest / n
    p = float(betainc(correct, n - correct + 1, rate)) if correct else 1.0
    return TestResult(
        method, None, None, p, "greater", estimate=correct / n, note=f"the no-information rate is {rate:.4f}"
    )


def _counts(table: Any) -> NDArray[Any]:
    """Return a table of counts, refusing what is none; as Python's integers where squares would not fit."""
    if isinstance(table, Confusion):
        if table.weights is not None:
            raise MetricError(
                "the rows are weighted: a test of counts does not hold for sums of weights. "
                "If the weights are how often a row occurs, give the table itself."
            )
        table = table.table()
    counts = np.asarray(table)
    if counts.ndim != 2:  # noqa: PLR2004
        raise MetricError(f"a table has rows and columns; this has {counts.ndim} axes.")
    whole = counts.astype(np.int64) if counts.dtype.kind in "biuf" else counts
    if whole.dtype != np.int64 or (whole != counts).any() or (whole < 0).any():
        raise MetricError("a test of counts needs whole numbers that are not below 0.")
    if int(whole.max(initial=0)) * whole.size < 1 << 31 or int(whole.sum(dtype=object)) < 1 << 31:
        return whole
    return whole.astype(object)


def _no(reason: str) -> tuple[Undefined, None, Undefined]:
    return Undefined(reason), None, Undefined(reason)


def _yates(counts: NDArray[Any]) -> float:
    """Return chi-square of two rows and two columns, each difference less one half but not below 0."""
    (a, b), (c, d) = counts.tolist()
    n = a + b + c + d
    off = abs(a * d - b * c)
    left = max(2 * off - n, 0) / 2
    return float(left * left * n / ((a + b) * (c + d) * (a + c) * (b + d)))


def _coin(b: int, c: int, *, middle: bool) -> float:
    """Return the two-sided chance of a split as uneven as this, half of its own left out for mid-p."""
    from scipy.special import betainc  # noqa: PLC0415

    if b == c:
        return 1.0
    fewer, n = min(b, c), b + c
    p = 2 * float(betainc(n - fewer, fewer + 1, 0.5))  # bdtr takes no n beyond 32 bits
    return min(1.0, p - math.exp(log_binomial(fewer, n, 0.5, 0.5)) if middle else p)


def _odds(chances: Hypergeometric, x: int) -> Value:
    """Return the odds ratio under which the mean is what was seen: the likeliest, given the totals."""
    if chances.low == chances.high:
        return Undefined("a row or a column is empty")
    if x == chances.low:
        return 0.0
    if x == chances.high:
        return math.inf

    def excess(log_odds: float) -> float:
        values, weights = chances.tilted(log_odds)
        return float(((values - x) * weights).sum())

    return math.exp(_root(excess, chances, x))


def _odds_with(chances: Hypergeometric, x: int, tail: float, *, upwards: bool) -> float:
    """Return the odds ratio under which x or more (or x or less) has the chance `tail`."""
    if x == (chances.low if upwards else chances.high):
        return 0.0 if upwards else math.inf

    def excess(log_odds: float) -> float:
        values, weights = chances.tilted(log_odds)
        if upwards:
            return float(weights[values >= x].sum()) - tail
        return tail - float(weights[values <= x].sum())

    return math.exp(_root(excess, chances, x))


def _root(excess: Callable[[float], float], chances: Hypergeometric, x: int) -> float:
    """Return where a rising function of the log odds ratio is 0, searched from what the counts suggest."""
    from scipy.optimize import brentq  # noqa: PLC0415

    a, b, c = x, chances.first - x, chances.column - x
    d = chances.second - c
    centre = math.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5)))
    half_width = 1.0
    while not excess(centre - half_width) <= 0 <= excess(centre + half_width):
        half_width *= 2
    return float(brentq(excess, centre - half_width, centre + half_width, xtol=1e-14, rtol=8.9e-16))
