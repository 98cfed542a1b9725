"""Populations whose true figures are known, from which the coverage study draws its data sets."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
from scenarios import NORMAL_MEAN, Scenario, of_table, score_rows, table_truth
from scipy import special

import assay
from assay.metrics import find

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAMILIES"]


BINARY = (
    "accuracy", "recall", "specificity", "precision", "negative_predictive_value", "jaccard", "f1", "f2",
    "balanced_accuracy", "informedness", "markedness", "mcc", "kappa", "g_mean", "fowlkes_mallows",
    "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio", "lift",
)  # fmt: skip


def binary() -> list[Scenario]:
    """Two classes: few and many rows, rare positives, good and very good models."""
    found = []
    for n in (50, 100, 200, 400, 1000):
        for prevalence in (0.5, 0.2, 0.05):
            for recall, specificity in ((0.8, 0.8), (0.9, 0.95), (0.95, 0.95)):
                if n * prevalence < 10:
                    continue  # a handful of positives is another question: see "rare"
                shares = np.array(
                    [
                        [(1 - prevalence) * specificity, (1 - prevalence) * (1 - specificity)],
                        [prevalence * (1 - recall), prevalence * recall],
                    ]
                )
                name = f"n {n}, {prevalence:.0%} positive, recall {recall}, specificity {specificity}"
                found.append(of_table(name, shares, n, BINARY))
    return found


SEVERAL = (
    "accuracy", "balanced_accuracy", "mcc", "kappa", "g_mean", "scott_pi", "gwet_ac1", "macro_f1_of_averages",
    "f1 average=macro", "f1 average=weighted", "precision average=macro", "recall average=macro",
    "quadratic_weighted_kappa", "weighted_kappa", "cramers_v", "uncertainty_coefficient",
    "normalized_mutual_information", "mutual_information", "goodman_kruskal_lambda",
)  # fmt: skip


def several() -> list[Scenario]:
    """Three and five classes, even and uneven."""
    found = []
    for size, shares in ((3, (0.5, 0.3, 0.2)), (3, (0.8, 0.15, 0.05)), (5, (0.2,) * 5)):
        for right in (0.7, 0.9):
            for n in (100, 300, 1000):
                margin = np.array(shares)
                if n * margin.min() < 10:
                    continue
                off = (1 - right) / (size - 1)
                table = margin[:, None] * (np.full((size, size), off) + np.eye(size) * (right - off))
                name = f"n {n}, {size} classes ({', '.join(map(str, shares[:3]))}), {right} right"
                found.append(of_table(name, table, n, SEVERAL))
    return found


def perfect() -> list[Scenario]:
    """Models so good that many data sets show no error: two expected errors and fewer."""
    found = []
    for n, wrong in ((50, 2.5), (50, 1.0), (100, 2.0), (400, 2.0), (300, 1.0)):
        rate = wrong / n
        shares = np.array([[0.5 - rate / 2, rate / 2], [rate / 2, 0.5 - rate / 2]])
        metrics = ("accuracy", "f1", "mcc", "kappa", "f2", "balanced_accuracy", "g_mean")
        found.append(of_table(f"n {n}, {wrong} errors expected", shares, n, metrics))
    return found


def binormal(area: float, m: int, n: int, spread: float = 1.0) -> Scenario:
    """Scores of two normal classes with a given area."""
    shift = float(special.ndtri(area)) * math.sqrt(1 + spread**2)

    def draw(rng: np.random.Generator) -> assay.Scores:
        return score_rows(shift + spread * rng.standard_normal(m), rng.standard_normal(n))

    name = f"area {area}, {m} and {n} rows" + (f", spread {spread}" if spread != 1 else "")
    return Scenario(name, draw, {"auc": area, "gini": 2 * area - 1})


def areas() -> list[Scenario]:
    """The grid of classes and areas, equal and unequal spreads."""
    grid = (
        (0.6, 10, 10), (0.6, 50, 50), (0.8, 20, 20), (0.8, 20, 200), (0.8, 200, 200), (0.9, 10, 10),
        (0.9, 20, 200), (0.9, 50, 50), (0.97, 10, 10), (0.97, 20, 20), (0.97, 50, 50), (0.97, 200, 200),
    )  # fmt: skip
    found = [binormal(*one) for one in grid]
    return [*found, binormal(0.9, 20, 200, 2.5), binormal(0.9, 200, 20, 0.4), binormal(0.9, 50, 50, 2.5)]


def _true_precision(prevalence: float, shift: float) -> float:
    """Return the average precision of two normal classes of spread 1, by integration over the positives."""
    x = np.linspace(-9, 9 + shift, 400_001)
    density = np.exp(-((x - shift) ** 2) / 2) / math.sqrt(2 * math.pi)
    tp, fp = prevalence * special.ndtr(shift - x), (1 - prevalence) * special.ndtr(-x)
    return float(np.trapezoid(density * tp / (tp + fp), x))


def precisions() -> list[Scenario]:
    """Average precision and the distance of the classes, classes drawn at random."""
    found = []
    shift = 1.5
    for n, prevalence in ((200, 0.1), (1000, 0.1), (100, 0.5), (400, 0.05), (2000, 0.05)):

        def draw(rng: np.random.Generator, n: int = n, prevalence: float = prevalence) -> assay.Scores:
            m = max(int(rng.binomial(n, prevalence)), 1)
            return score_rows(shift + rng.standard_normal(m), rng.standard_normal(n - m))

        truth = {
            "average_precision": _true_precision(prevalence, shift),
            "auc": float(special.ndtr(shift / math.sqrt(2))),
            "ks": 2 * float(special.ndtr(shift / 2)) - 1,
        }
        found.append(Scenario(f"n {n}, {prevalence:.0%} positive", draw, truth))
    return found


def probabilities() -> list[Scenario]:
    """Calibrated probabilities, spread evenly or piled up at the ends; the losses have known means."""
    found = []
    for a, b in ((1, 1), (0.5, 0.5), (0.4, 4)):
        x = special.betaincinv(a, b, (np.arange(2_000_000) + 0.5) / 2_000_000)
        for n in (30, 100, 300, 1000):

            def draw(rng: np.random.Generator, a: float = a, b: float = b, n: int = n) -> assay.Rows:
                p = np.clip(rng.beta(a, b, n), 1e-12, 1 - 1e-12)
                return assay.rows(actual=(rng.random(n) < p).astype(np.int64), score=p)

            entropy = float(-np.mean(special.xlogy(x, x) + special.xlog1py(1 - x, -x)))
            spread = float(np.mean(x * (1 - x)))
            mean = a / (a + b)
            truth = {
                "brier": spread,
                "log_loss": entropy,
                "brier_skill": 1 - spread / (mean * (1 - mean)),
                "root_brier": math.sqrt(spread),
                "observed_expected_ratio": 1.0,
                "cox_slope": 1.0,
                "cox_intercept": 0.0,
                "calibration_in_the_large": 0.0,
            }
            found.append(Scenario(f"n {n}, beta({a}, {b})", draw, truth))
    return found


def numbers() -> list[Scenario]:
    """Regressions with normal and with heavy-tailed errors."""
    found = []
    for n in (30, 100, 300, 1000):
        for heavy in (False, True):
            for noise in (0.5, 1.5):

                def draw(
                    rng: np.random.Generator, n: int = n, *, heavy: bool = heavy, noise: float = noise
                ) -> assay.Rows:
                    p = rng.standard_normal(n)
                    e = rng.standard_t(6, n) / math.sqrt(1.5) if heavy else rng.standard_normal(n)
                    return assay.rows(actual=p + noise * e, predicted=p)

                # Of t with 6 degrees: E|t| = 2 sqrt(6) G(3.5) / (G(3) sqrt(pi) 5), brought to variance 1.
                size = 2 * math.sqrt(6) * math.gamma(3.5) / (math.gamma(3) * math.sqrt(math.pi) * 5)
                absolute = size / math.sqrt(1.5) if heavy else NORMAL_MEAN
                middle = (
                    float(special.stdtrit(6, 0.75)) / math.sqrt(1.5) if heavy else float(special.ndtri(0.75))
                )
                total = 1 + noise**2
                correlation = 1 / math.sqrt(total)
                truth = {
                    "mean_error": 0.0,
                    "mae": noise * absolute,
                    "mse": noise**2,
                    "rmse": noise,
                    "median_absolute_error": noise * float(middle),
                    "r2": 1 - noise**2 / total,
                    "explained_variance": 1 - noise**2 / total,
                    "ccc": 2 / (1 + total),
                    "pearson": correlation,
                    "wape": noise * absolute / _mean_size(noise, heavy=heavy),
                }
                if not heavy:  # of two normal columns the rank correlations are known
                    truth["spearman"] = 6 / math.pi * math.asin(correlation / 2)
                    truth["kendall_tau"] = 2 / math.pi * math.asin(correlation)
                    truth["concordance_index"] = (1 + truth["kendall_tau"]) / 2
                kind = "heavy tails" if heavy else "normal"
                found.append(Scenario(f"n {n}, {kind}, noise {noise}", draw, truth))
    return found


@functools.cache
def _mean_size(noise: float, *, heavy: bool) -> float:
    """Return the mean size of a normal number plus noise."""
    if not heavy:
        return math.sqrt(1 + noise**2) * NORMAL_MEAN
    e = special.stdtrit(6, (np.arange(200_000) + 0.5) / 200_000) / math.sqrt(1.5) * noise
    # E|z + e| for a normal z at each e.
    folded = NORMAL_MEAN * np.exp(-e * e / 2) + e * (1 - 2 * special.ndtr(-e))
    return float(folded.mean())


def skewed() -> list[Scenario]:
    """Mean losses of skewed rows: lognormal and squared normal."""
    found = []
    for n in (30, 100, 300):

        def lognormal(rng: np.random.Generator, n: int = n) -> assay.Rows:
            return assay.rows(actual=np.exp(rng.standard_normal(n)), predicted=np.zeros(n))

        def squared(rng: np.random.Generator, n: int = n) -> assay.Rows:
            return assay.rows(actual=rng.standard_normal(n), predicted=np.zeros(n))

        found.append(Scenario(f"n {n}, lognormal losses", lognormal, {"mae": math.exp(0.5)}))
        found.append(Scenario(f"n {n}, squared normal losses", squared, {"mse": 1.0}))
    return found


def clusters() -> list[Scenario]:
    """Rows in groups that share their luck: recall, accuracy, F1 and area of clustered rows."""
    found = []
    for groups, size in ((20, 10), (50, 5), (200, 5)):

        def draw(rng: np.random.Generator, groups: int = groups, size: int = size) -> assay.Rows:
            group = np.repeat(np.arange(groups), size)
            ease = rng.beta(8, 2, groups)[group]  # the share that is right, group by group; 0.8 on average
            y = np.tile(np.arange(size) % 2, groups)
            right = rng.random(len(y)) < ease
            return assay.rows(actual=y, predicted=np.where(right, y, 1 - y), group=group)

        even = (size + 1) // 2 / size  # the share of negatives
        shares = np.array([[0.8 * even, 0.2 * even], [0.2 * (1 - even), 0.8 * (1 - even)]])
        truth = table_truth(shares, ("accuracy", "recall", "precision", "f1", "mcc", "kappa"))
        found.append(Scenario(f"{groups} groups of {size}", draw, truth))
    return found


def weighted() -> list[Scenario]:
    """Rows with uneven weights that say nothing of their class."""
    found = []
    for n in (100, 400):

        def draw(rng: np.random.Generator, n: int = n) -> assay.Rows:
            y = (rng.random(n) < 0.4).astype(np.int64)
            right = rng.random(n) < 0.85
            return assay.rows(
                actual=y, predicted=np.where(right, y, 1 - y), weight=np.exp(rng.standard_normal(n) * 0.7)
            )

        shares = np.array([[0.6 * 0.85, 0.6 * 0.15], [0.4 * 0.15, 0.4 * 0.85]])
        truth = table_truth(shares, ("accuracy", "recall", "precision", "f1", "mcc", "kappa"))
        found.append(Scenario(f"n {n}, lognormal weights", draw, truth))
    return found


def queries() -> list[Scenario]:
    """Ranked lists of eight items of which three are relevant, in random order: the query is the unit."""
    found = []
    order = _orders()
    for n in (20, 50, 200):

        def draw(rng: np.random.Generator, n: int = n) -> assay.Rows:
            relevant = rng.permuted(np.tile([1, 1, 1, 0, 0, 0, 0, 0], (n, 1)), axis=1).ravel()
            return assay.rows(
                actual=relevant,
                score=np.tile(np.arange(8, 0, -1), n),
                query=np.repeat(np.arange(n), 8),
            )

        found.append(Scenario(f"{n} queries", draw, dict(order)))
    return found


@functools.cache
def _orders() -> dict[str, float]:
    """Return the mean of each metric over all orders of three relevant items among eight."""
    from itertools import combinations

    relevant = [[int(place in hits) for place in range(8)] for hits in combinations(range(8), 3)]
    data = assay.rows(
        actual=np.ravel(relevant),
        score=np.tile(np.arange(8, 0, -1), len(relevant)),
        query=np.repeat(np.arange(len(relevant)), 8),
    )
    names = ("ndcg", "mean_average_precision", "mean_reciprocal_rank", "precision_at_k", "hit_rate")
    return {f"{name} k=3": float(find(name)(data, k=3)) for name in names}


FAMILIES: dict[str, Callable[[], list[Scenario]]] = {
    "two classes": binary,
    "several classes": several,
    "hardly an error": perfect,
    "areas": areas,
    "precision and recall": precisions,
    "probabilities": probabilities,
    "numbers": numbers,
    "skewed losses": skewed,
    "groups": clusters,
    "weights": weighted,
    "queries": queries,
}
