"""Agreement of raters who give numbers or ranks: intraclass correlations, Kendall's W, mean correlations.

Shrout and Fleiss (1979), McGraw and Wong (1996); Kendall and Babington Smith (1939); Finn (1970).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.inference.distributions import chi_square_p, f_p
from assay.inference.test_result import TestResult
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Value

__all__ = [
    "ICC_FORMS",
    "IntraclassCorrelation",
    "MeanSquares",
    "finn",
    "kendall_w",
    "mean_correlation",
    "mean_ranks",
]

ICC_FORMS = ("icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k")
_MIN_ITEMS = 2
_ROUNDING = 1e-12  # of a mean square, and of a correlation
_SAME_MEANS = Undefined("the items' means vary less than chance alone would make them")


class IntraclassCorrelation(NamedTuple):
    """An intraclass correlation with its limits and its F test."""

    value: Value
    low: float | None
    high: float | None
    test: TestResult | None


class MeanSquares(NamedTuple):
    """The two-way analysis of variance of items by raters, without missing ratings."""

    items: float
    raters: float
    error: float
    within: float
    n: float
    k: int

    @classmethod
    def of(cls, ratings: NDArray[np.float64], counts: NDArray[np.float64]) -> MeanSquares:
        """Return the mean squares of a table, a row per pattern of items and a column per rater."""
        n, k = float(counts.sum()), ratings.shape[1]
        rater_means = counts @ ratings / n
        item_means = ratings.mean(axis=1)
        grand = float(rater_means.mean())
        between_items = k * float(counts @ (item_means - grand) ** 2)
        between_raters = n * float(((rater_means - grand) ** 2).sum())
        within = float(counts @ ((ratings - item_means[:, None]) ** 2).sum(axis=1))
        residual = ratings - item_means[:, None] - rater_means + grand
        error = float(counts @ (residual**2).sum(axis=1))
        return cls(
            between_items / (n - 1), between_raters / (k - 1), error / ((n - 1) * (k - 1)),
            within / (n * (k - 1)), n, k,
        )  # fmt: skip

    def icc(self, form: str, confidence: float = 0.95) -> IntraclassCorrelation:
        """Return one of the six forms: ``icc_2_1`` is two-way random, agreement, of a single rater.

        The first number is the design: 1 one-way, 2 raters are a sample, 3 these raters only. The second is 1
        for one rater's ratings, k for the mean of all raters'.
        """
        design, average = form[4], form.endswith("k")
        if not self.items + self.within > 0:
            return IntraclassCorrelation(Undefined("the ratings do not vary"), None, None, None)
        if design == "2":
            return self._agreement(average=average, confidence=confidence)
        noise, df = (self.within, self.n * (self.k - 1)) if design == "1" else (self.error, self._df_error)
        variance = self.items + (0 if average else (self.k - 1) * noise)
        if not variance > _ROUNDING * self.within:
            return IntraclassCorrelation(_SAME_MEANS, None, None, None)
        value = (self.items - noise) / variance
        if not noise > 0:
            return IntraclassCorrelation(value, None, None, None)
        ratio = self.items / noise
        test = TestResult("F test of no agreement", ratio, (self.n - 1, df), f_p(ratio, (self.n - 1, df)))
        share = (1 + confidence) / 2
        lower, upper = ratio / _f_point(share, self.n - 1, df), ratio * _f_point(share, df, self.n - 1)
        if average:
            return IntraclassCorrelation(value, 1 - 1 / lower, 1 - 1 / upper, test)
        low, high = ((limit - 1) / (limit + self.k - 1) for limit in (lower, upper))
        return IntraclassCorrelation(value, low, high, test)

    @property
    def _df_error(self) -> float:
        return (self.n - 1) * (self.k - 1)

    def _agreement(self, *, average: bool, confidence: float) -> IntraclassCorrelation:
        n, k = self.n, self.k
        between = (self.raters - self.error) / n
        variance, of_mean = self.items + (k - 1) * self.error + k * between, self.items + between
        if not min(variance, of_mean if average else variance) > _ROUNDING * self.within:
            return IntraclassCorrelation(_SAME_MEANS, None, None, None)
        single = (self.items - self.error) / variance
        value = (self.items - self.error) / of_mean if average else single
        if not self.error > 0 or not single < 1:
            return IntraclassCorrelation(value, None, None, None)
        ratio = self.items / self.error
        a, b = k * single / (n * (1 - single)), 1 + k * single * (n - 1) / (n * (1 - single))
        spread = (a * self.raters) ** 2 / (k - 1) + (b * self.error) ** 2 / self._df_error
        df = (a * self.raters + b * self.error) ** 2 / spread
        test = TestResult(
            "F test of no agreement", ratio, (n - 1, self._df_error), f_p(ratio, (n - 1, self._df_error))
        )
        share = (1 + confidence) / 2
        first, second = _f_point(share, n - 1, df), _f_point(share, df, n - 1)
        rest = k * self.raters + (k * n - k - n) * self.error
        low = n * (self.items - first * self.error) / (first * rest + n * self.items)
        high = n * (second * self.items - self.error) / (rest + n * second * self.items)
        if average:
            if not 1 + (k - 1) * low > 0:  # a mean's variance may be 0 within the limits
                return IntraclassCorrelation(value, None, None, test)
            low, high = (k * limit / (1 + (k - 1) * limit) for limit in (low, high))
        return IntraclassCorrelation(value, low, high, test)


def kendall_w(ratings: NDArray[np.float64], counts: NDArray[np.float64]) -> TestResult:
    """Return Kendall's coefficient of concordance, corrected for ties, with its chi-square test."""
    n, k = float(counts.sum()), ratings.shape[1]
    name = "Kendall's test of concordance"
    ranked = [mean_ranks(ratings[:, rater], counts) for rater in range(k)]
    ranks = np.stack([ranks for ranks, _ in ranked], axis=1)
    ties = sum(correction for _, correction in ranked)
    sums = ranks.sum(axis=1)
    spread = float(counts @ (sums - k * (n + 1) / 2) ** 2)
    largest = k * k * (n**3 - n) - k * ties
    if n < _MIN_ITEMS or not largest > 0:
        why = Undefined("no rater ranks the items" if n >= _MIN_ITEMS else "there are fewer than two items")
        return TestResult(name, None, None, why, estimate=why)
    value = 12 * spread / largest
    statistic = k * (n - 1) * value
    note = "chi-square is rough below 8 items" if n < 8 else ""  # noqa: PLR2004 - Siegel and Castellan 1988
    return TestResult(name, statistic, n - 1, chi_square_p(statistic, n - 1), estimate=value, note=note)


def mean_ranks(values: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the mean rank of each value among items that may repeat, and the sum of t³ - t over the ties."""
    _, codes = np.unique(values, return_inverse=True)
    sizes = np.bincount(codes, counts)
    ranks = np.cumsum(sizes) - sizes + (sizes + 1) / 2
    return ranks[codes], float((sizes**3 - sizes).sum())


def mean_correlation(ratings: NDArray[np.float64], counts: NDArray[np.float64]) -> Value:
    """Return the mean correlation of all pairs of raters, by Fisher's z (irr's meancor).

    Perfect correlations, which have no z, are left out where there are others.
    """
    n, k = float(counts.sum()), ratings.shape[1]
    centred = ratings - counts @ ratings / n
    cross = (centred * counts[:, None]).T @ centred
    spread = np.sqrt(np.diag(cross))
    if not (spread > 0).all():
        return Undefined("a rater gives all items the same rating")
    r = (cross / np.outer(spread, spread))[np.triu_indices(k, 1)]
    perfect = np.abs(r) > 1 - _ROUNDING
    return float(np.sign(r).mean()) if perfect.all() else math.tanh(float(np.arctanh(r[~perfect]).mean()))


def finn(squares: MeanSquares, levels: int, *, two_way: bool = True) -> TestResult:
    """Return Finn's coefficient: the error's mean square against that of ratings drawn at random."""
    noise = squares.error if two_way else squares.within
    df = squares.n * (squares.k - 1)
    chance = (levels**2 - 1) / 12
    value = 1 - noise / chance
    if not noise > 0:
        return TestResult("Finn's test", None, None, Undefined("the raters agree fully"), estimate=value)
    return TestResult(
        "Finn's test", chance / noise, (math.inf, df), f_p(chance / noise, (1e12, df)), estimate=value
    )


def _f_point(share: float, df1: float, df2: float) -> float:
    from scipy.special import fdtri  # noqa: PLC0415 - SciPy takes its time to load

    return float(fdtri(df1, df2, share))
