"""Questions that were run several times: pass@k and its kin without bias, and the questions as the sample.

Chen et al. 2021 (pass@k), Miller 2024 (errors clustered by question).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.inference.distributions import student_quantile
from assay.inference.formulas.proportions import normal_quantile, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "RunVariance",
    "best_of_k",
    "decompose",
    "majority_at_k",
    "pass_all_k",
    "pass_at_k",
    "question_interval",
    "question_spread",
]

_HALF = 0.5


def pass_at_k(runs: NDArray[np.int64], correct: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return each question's chance that at least one of k runs is correct: 1 - C(n - c, k) / C(n, k).

    >>> pass_at_k(np.array([10, 10]), np.array([2, 10]), 3).round(6).tolist()
    [0.533333, 1.0]
    """
    return 1 - pass_all_k(runs, runs - correct, k)


def pass_all_k(runs: NDArray[np.int64], correct: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return each question's chance that all of k runs are correct: C(c, k) / C(n, k); NaN below k runs.

    >>> pass_all_k(np.array([10, 2]), np.array([8, 2]), 3).round(6).tolist()
    [0.466667, nan]
    """
    chance = np.where(runs >= k, 1.0, math.nan)
    for step in range(min(k, int(runs.max(initial=0)))):
        chance = chance * np.maximum(correct - step, 0) / np.maximum(runs - step, 1)
    return np.asarray(chance)


def majority_at_k(runs: NDArray[np.int64], correct: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return each question's chance that most of k runs are correct; a tie counts half.

    Runs are right or wrong: all wrong answers count as one.

    >>> majority_at_k(np.array([10]), np.array([7]), 3).round(6).tolist()
    [0.816667]
    """
    total = np.zeros(len(runs))
    for hits in range(min(k, int(runs.max(initial=0))) + 1):
        share = 1.0 if 2 * hits > k else _HALF if 2 * hits == k else 0.0
        if share:
            total += share * _hypergeometric(runs, correct, k, hits)
    return np.where(runs >= k, total, math.nan)


def _hypergeometric(
    runs: NDArray[np.int64], correct: NDArray[np.int64], k: int, hits: int
) -> NDArray[np.float64]:
    """Return the chance of so many correct runs among k that are drawn without replacement."""
    from scipy.special import gammaln  # noqa: PLC0415 - SciPy takes its time to load

    def log_choose(n: NDArray[np.int64], r: int) -> NDArray[np.float64]:
        possible = (n >= r) & (r >= 0)
        safe = np.where(possible, n, r)
        value = gammaln(safe + 1.0) - gammaln(r + 1.0) - gammaln(safe - r + 1.0)
        return np.where(possible, value, -math.inf)

    with np.errstate(invalid="ignore"):
        exponent = log_choose(correct, hits) + log_choose(runs - correct, k - hits) - log_choose(runs, k)
    return np.where(np.isnan(exponent), 0.0, np.exp(exponent))


def best_of_k(selector: NDArray[np.float64], quality: NDArray[np.float64], k: int) -> float:
    """Return the mean quality of the run with the largest selector score among k runs of one question.

    Runs with equal scores share their mean quality. NaN below k runs.

    >>> round(best_of_k(np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]), 2), 6)
    0.333333
    """
    n = len(quality)
    if n < k:
        return math.nan
    _, codes = np.unique(selector, return_inverse=True)
    shared = np.bincount(codes, quality)[codes] / np.bincount(codes)[codes]
    ordered = shared[np.argsort(codes, kind="stable")]
    chances = [math.comb(rank, k - 1) / math.comb(n, k) for rank in range(n)]
    return float(ordered @ np.array(chances))


class RunVariance(NamedTuple):
    """The variance of scores: between questions, and within a question from run to run.

    ``between`` may be below 0 by chance. ``questions`` and ``runs`` are the sizes (the mean of unequal runs,
    by the analysis of variance). ``between_groups`` is the variance between questions that errors count with
    where questions come in groups: that which questions of their own would need for the error of the groups.
    """

    between: float
    within: float
    questions: float
    runs: float
    between_groups: float | None = None

    @property
    def sampled(self) -> float:
        """The variance between questions as errors count it, groups allowed for; at least 0."""
        return max(self.between if self.between_groups is None else self.between_groups, 0.0)

    @property
    def icc(self) -> float:
        """The share of the variance that lies between questions."""
        between = max(self.between, 0.0)
        total = between + self.within
        return between / total if total > 0 else math.nan

    @property
    def design_effect(self) -> float:
        """How many times larger the variance of the mean is than if all runs were questions of their own."""
        return 1 + (self.runs - 1) * self.icc

    def standard_error(self, questions: float | None = None, runs: float | None = None) -> float:
        """Return the standard error of the mean with so many questions and runs of each."""
        t = self.questions if questions is None else questions
        r = self.runs if runs is None else runs
        return math.sqrt((self.sampled + self.within / r) / t)

    def best_runs(self, cost_question: float, cost_run: float) -> float:
        """Return the number of runs of a question that gives the smallest error for the money; at least 1."""
        if not self.sampled > 0:
            return math.inf if cost_question > 0 else 1.0
        return max(math.sqrt(cost_question * self.within / (cost_run * self.sampled)), 1.0)


def decompose(
    runs: NDArray[np.int64],
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    counts: NDArray[np.float64],
    clusters: NDArray[np.int64] | None = None,
) -> RunVariance | None:
    """Return the variance between and within questions, one entry per pattern of questions; None without.

    `variances` are those of the runs of a question, with the divisor n - 1. `clusters` are the questions'
    groups.
    """
    questions, total = float(counts.sum()), float(counts @ runs)
    spare = float(counts @ (runs - 1))
    if questions < 2 or not spare > 0:  # noqa: PLR2004
        return None
    within = float(counts @ ((runs - 1) * np.nan_to_num(variances))) / spare
    grand = float(counts @ (runs * means)) / total
    between_squares = float(counts @ (runs * (means - grand) ** 2)) / (questions - 1)
    size = (total - float(counts @ runs.astype(np.float64) ** 2) / total) / (questions - 1)
    error = math.nan if clusters is None else question_spread(means, counts, clusters)[1]
    groups = None if math.isnan(error) else questions * error**2 - within / size
    return RunVariance((between_squares - within) / size, within, questions, size, groups)


def question_spread(
    values: NDArray[np.float64], counts: NDArray[np.float64], clusters: NDArray[np.int64] | None
) -> tuple[float, float, float, int | None]:
    """Return the mean over questions, its standard error, the degrees of freedom and the number of clusters.

    One entry per pattern of questions; with clusters, entries of different clusters differ.

    >>> question_spread(np.array([0.0, 1.0]), np.array([1.0, 3.0]), None)[:3]
    (0.75, 0.25, 3.0)
    """
    total = float(counts.sum())
    mean = float(counts @ values) / total
    if len(values) and float(values.min()) == float(values.max()):
        mean = float(values[0])  # not what rounding makes of the sum: equal values have no spread
    deviations = counts * (values - mean) / total
    if clusters is None:
        if total < 2:  # noqa: PLR2004
            return mean, math.nan, 0.0, None
        return mean, math.sqrt(float(counts @ (values - mean) ** 2) / (total * (total - 1))), total - 1, None
    used = np.unique(clusters)
    sums = np.bincount(clusters, deviations)
    groups = len(used)
    if groups < 2:  # noqa: PLR2004
        return mean, math.nan, 0.0, groups
    return mean, math.sqrt(groups / (groups - 1) * float(sums @ sums)), groups - 1.0, groups


def question_interval(
    mean: float, error: float, df: float, questions: float, *, confidence: float = 0.95, share: bool = True
) -> tuple[float, float, str]:
    """Return the interval of a mean over questions, and the method.

    Shares have Wilson's with as many questions as would give the same error, made smaller as Student's t is
    wider than the normal; those of an error of 0 with the number of questions. Other scores have Student's.
    """
    t = student_quantile(confidence, df)
    if not share:
        return mean - t * error, mean + t * error, "t on questions"
    size = questions
    if error > 0 and 0 < mean < 1:
        size = (normal_quantile(confidence) / t) ** 2 * mean * (1 - mean) / error**2
    elif error > 0:
        return max(mean - t * error, 0.0), min(mean + t * error, 1.0), "t on questions"
    return *wilson(mean * size, size, confidence), "Wilson on questions"
