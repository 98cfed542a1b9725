"""Compare learning procedures: over resamples of one data set, and over several data sets."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.comparison.shortcuts import DatasetComparisonShortcuts, ResampleComparisonShortcuts
from assay.errors import InputError, LengthError, MetricError
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of, number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.formulas.proportions import check_confidence
from assay.inference.formulas.rank_intervals import Ranking, rank_models
from assay.inference.hypothesis_tests.corrected_resampled import (
    Posterior,
    corrected_t,
    correlated_bayes,
    five_by_two_f,
)
from assay.inference.hypothesis_tests.many_datasets import (
    critical_difference,
    friedman,
    iman_davenport,
    mean_ranks,
    nemenyi,
)
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.inference.hypothesis_tests.paired_means import wilcoxon
from assay.metrics import Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.inference.test_result import TestResult
    from assay.metrics import Value

__all__ = ["DatasetComparison", "PairOfSets", "ResampleComparison", "compare_datasets", "compare_resamples"]

_FIVE_BY_TWO = (5, 2)
_TWO = 2


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ResampleComparison(ResampleComparisonShortcuts):
    """Two procedures over resamples of one data set: the mean difference (second minus first) and its test.

    ``posterior`` says how likely the second is worse, practically the same (within ``rope``) and better.
    ``five_by_two`` is Alpaydin's test where the resamples are five halvings.
    """

    names: tuple[str, str]
    means: tuple[float, float]
    test: TestResult
    posterior: Posterior
    rope: float
    resamples: int
    test_share: float
    confidence: float
    larger_is_better: bool
    five_by_two: TestResult | None = None
    metric: str = ""

    @property
    def difference(self) -> float:
        """The second's mean less the first's."""
        return self.means[1] - self.means[0]

    @property
    def winner(self) -> str | None:
        """The better procedure's name; None where the resamples cannot tell."""
        p = self.test.p_value
        if isinstance(p, Undefined) or not p < 1 - self.confidence:
            return None
        return self.names[(self.difference > 0) == self.larger_is_better]

    __repr__ = ResampleComparisonShortcuts.__str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "names": list(self.names),
            "metric": self.metric,
            "means": list(self.means),
            "difference": self.difference,
            "test": self.test.to_dict(),
            "rope": self.rope,
            "posterior": self.posterior._asdict(),
            "resamples": self.resamples,
            "test_share": self.test_share,
            "larger_is_better": self.larger_is_better,
            "five_by_two": None if self.five_by_two is None else self.five_by_two.to_dict(),
            "winner": self.winner,
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the two means, their difference and the chances of the posterior, as one row."""
        row = {
            "metric": self.metric or None,
            "first": self.names[0],
            "second": self.names[1],
            "first_mean": self.means[0],
            "second_mean": self.means[1],
            "difference": IntervalCell(self.difference, self.test.low, self.test.high),
            "p_value": number_or_none(self.test.p_value),
            "worse": self.posterior.worse,
            "same": self.posterior.same,
            "better": self.posterior.better,
            "winner": self.winner,
        }
        return [ResultTable({name: [value] for name, value in row.items()})]


def compare_resamples(
    first: Any,
    second: Any,
    *,
    test_share: float | None = None,
    repeats: int = 1,
    rope: float = 0.01,
    larger_is_better: bool = True,
    names: Sequence[str] = ("a", "b"),
    metric: str = "",
    confidence: float = 0.95,
) -> ResampleComparison:
    """Compare two learning procedures by a metric on the same resamples of one data set.

    The training sets overlap, so the differences go together, and a plain t test finds differences where
    there are none. This one allows for it (Nadeau and Bengio 2003), and the posterior says how likely the two
    are the same for practice (Corani and Benavoli 2015).

    Parameters
    ----------
    first, second
        A metric's value on each resample, in the same order: accuracies of 10 times 10 folds, say. Five rows
        of two are a 5x2cv, which has a test of its own beside.
    test_share
        The share of the rows that each resample tests on. By default that of cross-validation: one over the
        number of folds, which are the resamples over `repeats`.
    repeats
        How often the folds were made anew.
    rope
        A difference that would not matter: within it the two are the same for practice.
    larger_is_better
        False for losses.
    metric
        The metric's name, to be printed.
    names
        What the two procedures are called.
    confidence
        The confidence level of the interval.

    Returns
    -------
    ResampleComparison
        The mean difference with its interval and test, and how likely the two are the same.

    Raises
    ------
    LengthError
        The two have different numbers of resamples.
    MetricError
        `test_share`, `repeats`, `rope` or `confidence` does not fit.
    InputError
        There are not two names.

    Examples
    --------
    >>> import assay
    >>> a = [0.80, 0.82, 0.79, 0.81, 0.83, 0.78, 0.80, 0.81, 0.82, 0.79]
    >>> b = [0.82, 0.835, 0.785, 0.84, 0.84, 0.802, 0.808, 0.808, 0.838, 0.802]
    >>> print(assay.compare_resamples(a, b))
    10 resamples of one data set, each tested on 10% of its rows
    <BLANKLINE>
               a       b                       b - a       p
    mean  0.8050  0.8178  +0.0128 [+0.0017, +0.0239]  0.0286
    <BLANKLINE>
    95% interval and p by the corrected resampled t (Nadeau and Bengio).
    Chances that b is worse, practically the same (within 0.01), better: 0.1%,
      29.1%, 70.8% (correlated Bayesian t).
    <BLANKLINE>
    b is better by 0.0128 (p = 0.02864).
    """
    columns = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    if columns[0].shape != columns[1].shape:
        raise LengthError(f"the first has {columns[0].size} resamples, the second {columns[1].size}.")
    halved = columns[0].shape == _FIVE_BY_TWO
    values = [column.reshape(-1) for column in columns]
    count = len(values[0])
    share = _share(count, 0.5 if halved and test_share is None else test_share, repeats)
    differences = values[1] - values[0]
    sizes = (1 - share, share)
    test = corrected_t(differences, *sizes, confidence=confidence)
    turned = differences if larger_is_better else -differences
    posterior = correlated_bayes(turned, *sizes, rope=rope)
    halves = five_by_two_f(columns[1] - columns[0]) if halved else None
    labels = tuple(map(str, names))
    if len(labels) != _TWO:
        raise InputError(f"two procedures have two names, not {list(labels)}.")
    means = (math.fsum(values[0]) / count, math.fsum(values[1]) / count)
    return ResampleComparison(
        (labels[0], labels[1]),
        means,
        test,
        posterior,
        rope,
        count,
        share,
        confidence,
        larger_is_better,
        halves,
        metric,
    )


class PairOfSets(NamedTuple):
    """Two models over the data sets: Wilcoxon's test of their differences (second minus first)."""

    first: str
    second: str
    test: TestResult
    adjusted: Value
    nemenyi: float
    ahead: str | None  # whose ranks are better, whether or not by more than chance


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DatasetComparison(DatasetComparisonShortcuts):
    """Models over several data sets: their mean ranks, whether they differ at all, and which pairs do."""

    names: tuple[str, ...]
    ranks: NDArray[np.float64]
    overall: TestResult
    friedman: TestResult
    critical_difference: float
    pairs: tuple[PairOfSets, ...]
    sets: int
    confidence: float
    ranking: Ranking

    @property
    def rank_intervals(self) -> dict[str, tuple[int, int]]:
        """The interval of each model's rank by its mean over data sets like these; all hold together."""
        limits = zip(self.ranking.low.tolist(), self.ranking.high.tolist(), strict=True)
        return dict(zip(self.names, limits, strict=True))

    @property
    def tied_with_best(self) -> list[str]:
        """The models that may have the best mean: the best is among them with the confidence."""
        return [self.names[index] for index in self.ranking.tied_with_best]

    def winner(self, first: str, second: str) -> str | None:
        """Return which of two models is better by Wilcoxon and Holm; None where the data sets cannot tell."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                decided = not isinstance(pair.adjusted, Undefined) and pair.adjusted < 1 - self.confidence
                return pair.ahead if decided else None
        raise MetricError(f"{first} and {second} are not two of the models.")

    __repr__ = DatasetComparisonShortcuts.__str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "names": list(self.names),
            "mean_ranks": self.ranks.tolist(),
            "rank_intervals": {name: list(limits) for name, limits in self.rank_intervals.items()},
            "tied_with_best": self.tied_with_best,
            "sets": self.sets,
            "overall": self.overall.to_dict(),
            "friedman": self.friedman.to_dict(),
            "critical_difference": self.critical_difference,
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "wilcoxon": pair.test.to_dict(),
                    "adjusted_p_value": pair.adjusted,
                    "nemenyi_p": pair.nemenyi,
                    "winner": self.winner(pair.first, pair.second),
                }
                for pair in self.pairs
            ],
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the mean ranks, best first, and the tests of all pairs."""
        order = sorted(range(len(self.names)), key=lambda index: (self.ranks[index], index))
        ranks: dict[str, list[Any]] = {
            "model": [self.names[index] for index in order],
            "mean_rank": [float(self.ranks[index]) for index in order],
            "rank_low": [int(self.ranking.low[index]) for index in order],
            "rank_high": [int(self.ranking.high[index]) for index in order],
            "tied_with_best": [index in self.ranking.tied_with_best for index in order],
        }
        pairs: dict[str, list[Any]] = {
            "first": [pair.first for pair in self.pairs],
            "second": [pair.second for pair in self.pairs],
            "winner": [self.winner(pair.first, pair.second) for pair in self.pairs],
            "wilcoxon_p": [number_or_none(pair.test.p_value) for pair in self.pairs],
            "adjusted_p_value": [number_or_none(pair.adjusted) for pair in self.pairs],
            "nemenyi_p": [pair.nemenyi for pair in self.pairs],
        }
        return [ResultTable(ranks, "mean ranks"), ResultTable(pairs, "pairs of models")]


def compare_datasets(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    larger_is_better: bool = True,
    confidence: float = 0.95,
) -> DatasetComparison:
    """Compare models over several data sets by their ranks (Demsar 2006).

    Iman and Davenport's test says whether they differ at all; then each pair by Wilcoxon's signed ranks,
    corrected by Holm. Nemenyi's critical difference is printed beside, but not relied on: mean ranks of two
    models depend on the others (Benavoli, Corani and Mangili 2016).

    Parameters
    ----------
    scores
        A row per data set, a column per model; or a mapping from model to its values.
    names
        What the models are called, where the mapping does not say it.
    larger_is_better
        False for losses.
    confidence
        The confidence level of the intervals.

    Returns
    -------
    DatasetComparison
        The mean ranks, the test of all models and those of the pairs.

    Raises
    ------
    InputError
        `scores` are no table, or `names` do not fit it.
    MetricError
        There are fewer than two models, or `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> import assay
    >>> found = assay.compare_datasets({"a": [0.8, 0.7, 0.6], "b": [0.9, 0.75, 0.65], "c": [0.7, 0.6, 0.62]})
    >>> found.ranks, found.overall
    (array([2.33333333, 1.        , 2.66666667]), Iman-Davenport: statistic 7, df 2 and 4, p = 0.04938)
    """
    check_confidence(confidence)
    table, labels = _table(scores, names)
    models = table.shape[1]
    ranks = mean_ranks(table, larger_is_better=larger_is_better)
    nemenyi_p = nemenyi(table)
    pairs, tests = [], []
    for first, second in itertools.combinations(range(models), 2):
        differences = table[:, second] - table[:, first]
        test = wilcoxon(differences)
        tests.append(test)
        untied = differences[differences != 0]
        half = len(untied) * (len(untied) + 1) / 4  # the statistic where neither is ahead
        ahead = None
        if test.statistic is not None and test.statistic != half:
            ahead = labels[second if (float(test.statistic) > half) == larger_is_better else first]
        pairs.append((labels[first], labels[second], test, float(nemenyi_p[first, second]), ahead))
    adjusted = holm([float(test.p_value) for test in tests]).tolist()
    compared = tuple(
        PairOfSets(first, second, test, p, by_nemenyi, ahead)
        for (first, second, test, by_nemenyi, ahead), p in zip(pairs, adjusted, strict=True)
    )
    critical = critical_difference(models, len(table), alpha=1 - confidence)
    return DatasetComparison(
        labels, ranks, iman_davenport(table), friedman(table), critical, compared, len(table), confidence,
        _rank_by_means(table if larger_is_better else -table, confidence),
    )  # fmt: skip


def _rank_by_means(table: NDArray[np.float64], confidence: float) -> Ranking:
    """Return the ranking by the mean over data sets, which are a sample: Student's t on their differences."""
    sets, models = table.shape
    covariance = np.atleast_2d(np.cov(table.T)) / sets if sets > 1 else np.full((models, models), np.inf)
    if not np.isfinite(covariance).all():  # one data set shows no spread: any rank is possible
        any_rank = np.ones(models, np.int64), np.full(models, models)
        return Ranking(*any_rank, tuple(range(models)), np.zeros((models, models), bool), math.inf, "none")
    return rank_models(table.mean(axis=0), covariance, confidence=confidence, df=sets - 1.0)


def _share(count: int, stated: float | None, repeats: int) -> float:
    """Return the share of rows tested on: as stated, or that of folds."""
    if stated is not None:
        if not 0 < stated < 1:
            raise MetricError(f"test_share={stated!r} is a share between 0 and 1.")
        return float(stated)
    if repeats < 1 or count % repeats or count // repeats < _TWO:
        raise MetricError(
            f"{count} resamples are not {repeats} times two folds or more: say test_share=, the share of "
            "rows that each resample tests on."
        )
    return repeats / count


def _table(scores: Any, names: Sequence[str] | None) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    if isinstance(scores, Mapping):
        if names is not None:
            raise InputError("the mapping names the models: leave names= out.")
        lengths = {len(column) for column in scores.values()}
        if len(lengths) > 1:
            raise LengthError(f"the models have values on different numbers of sets: {sorted(lengths)}.")
        return np.array(list(scores.values()), dtype=np.float64).T, tuple(map(str, scores))
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != _TWO:
        raise InputError("scores are a table: one row per data set, one column per model.")
    letters = "abcdefghijklmnopqrstuvwxyz"
    labels = tuple(map(str, names)) if names is not None else tuple(
        letters[index] if index < len(letters) else f"model {index + 1}" for index in range(table.shape[1])
    )  # fmt: skip
    if len(labels) != table.shape[1] or len(set(labels)) != len(labels):
        raise InputError(
            f"{count_of(table.shape[1], 'model')} need as many different names, not {list(labels)}."
        )
    return table, labels
