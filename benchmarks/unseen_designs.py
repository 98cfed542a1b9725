"""Unseen settings of the coverage study, other designs: clusters, weighted rows, and regressions.

Most are finite populations from which rows are drawn with replacement, so that the true values are those of
the whole list of rows. As in unseen_populations.py no setting may be changed because of what a run shows.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
from scenarios import Scenario, shown_metrics, table_truth, truths
from scipy import special, stats
from unseen_populations import POINTS, RANKS, binary_table, class_scores, quantiles, rank_truth

import assay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "FAMILIES",
    "cluster_number_scenarios",
    "cluster_score_scenarios",
    "cluster_table_scenarios",
    "number_scenarios",
    "weight_scenarios",
]

_COUNTS = shown_metrics("binary", "labels")
_NUMBERS = (
    "mae", "rmse", "mean_error", "median_absolute_error", "r2", "pearson", "spearman", "mse",
    "explained_variance", "squared_correlation",
)  # fmt: skip


def _cluster_rows(rng: np.random.Generator, clusters: int, shape: str) -> np.ndarray:
    """Return each row's cluster. What a cluster's rows share is independent of its size."""
    if shape == "geometric":
        sizes = rng.geometric(1 / 12, clusters)
    elif shape == "two sizes":
        sizes = np.where(rng.random(clusters) < 0.3, 40, 6)
    else:  # a third of all rows is in one cluster
        sizes = np.full(clusters, 12)
        sizes[0] = 6 * (clusters - 1)
    return np.repeat(np.arange(clusters), sizes)


def _cluster_rates(rng: np.random.Generator, mean: float, icc: float, clusters: int) -> np.ndarray:
    """Return a beta rate for each cluster: its rows then have this intraclass correlation."""
    return rng.beta(mean * (1 / icc - 1), (1 - mean) * (1 / icc - 1), clusters)


def _cluster_normal(rng: np.random.Generator, groups: np.ndarray, icc: float) -> np.ndarray:
    """Return a standard normal number for each row, with this correlation inside a cluster."""
    common = rng.standard_normal(groups.max() + 1)[groups]
    return math.sqrt(icc) * common + math.sqrt(1 - icc) * rng.standard_normal(len(groups))


def _cluster_index(rng: np.random.Generator, groups: np.ndarray, icc: float) -> np.ndarray:
    """Return one of the equally likely points for each row, correlated inside a cluster."""
    uniform = special.ndtr(_cluster_normal(rng, groups, icc))
    return np.minimum((uniform * POINTS).astype(np.int64), POINTS - 1)


def clusters() -> list[Scenario]:
    """Clustered rows: recall, specificity, share of positives, noise and errors vary between clusters."""
    tables = (
        (6, "geometric", 0.15, 0.4, 0.8, 0.9), (6, "a third in one", 0.02, 0.4, 0.7, 0.75),
        (10, "geometric", 0.35, 0.3, 0.9, 0.85), (10, "two sizes", 0.02, 0.15, 0.7, 0.95),
        (10, "a third in one", 0.15, 0.6, 0.85, 0.6), (25, "geometric", 0.02, 0.03, 0.8, 0.9),
        (25, "two sizes", 0.35, 0.15, 0.6, 0.9), (25, "a third in one", 0.35, 0.5, 0.9, 0.9),
        (60, "geometric", 0.15, 0.15, 0.97, 0.97), (60, "two sizes", 0.15, 0.03, 0.75, 0.98),
    )  # fmt: skip
    scores = (
        (6, "two sizes", 0.02, "logistic", 0.88), (10, "geometric", 0.15, "t with 3 df", 0.7),
        (10, "a third in one", 0.35, "exponential", 0.7), (25, "two sizes", 0.15, "7 values", 0.88),
        (25, "geometric", 0.35, "logistic", 0.99), (60, "a third in one", 0.02, "exponential", 0.88),
        (60, "geometric", 0.15, "90% at one score", 0.7),
    )  # fmt: skip
    numbers = ((6, "geometric", 0.15), (10, "two sizes", 0.35), (25, "a third in one", 0.02))
    return [
        *cluster_table_scenarios(tables), *cluster_score_scenarios(scores), *cluster_number_scenarios(numbers)
    ]  # fmt: skip


def _draw_table(
    rng: np.random.Generator, *, count: int, shape: str, icc: float, means: tuple[float, float, float]
) -> assay.Rows:
    groups = _cluster_rows(rng, count, shape)
    prevalence, recall, specificity = (_cluster_rates(rng, mean, icc, count)[groups] for mean in means)
    y = (rng.random(len(groups)) < prevalence).astype(np.int64)
    predicted = (rng.random(len(groups)) < np.where(y == 1, recall, 1 - specificity)).astype(np.int64)
    return assay.rows(actual=y, predicted=predicted, group=groups, labels=[0, 1])


def cluster_table_scenarios(
    settings: Iterable[tuple[int, str, float, float, float, float]],
) -> list[Scenario]:
    """Return a scenario for each setting.

    It is the number and shape of clusters, the correlation, the share of positives, recall and specificity.
    """
    scenarios = []
    for count, shape, icc, prevalence, recall, specificity in settings:
        draw = functools.partial(
            _draw_table, count=count, shape=shape, icc=icc, means=(prevalence, recall, specificity)
        )
        name = f"{count} clusters, {shape}, ICC {icc}, {prevalence:.0%} positive, recall {recall}"
        truth = table_truth(binary_table(prevalence, recall, specificity), _COUNTS)
        scenarios.append(Scenario(name, draw, truth))
    return scenarios


_HIGH, _LOW, _SHARE = 0.5, 0.1, 0.25  # a quarter of the clusters has half positives, the others a tenth
_MEAN_RATE = _SHARE * _HIGH + (1 - _SHARE) * _LOW


def _draw_scores(
    rng: np.random.Generator, *, count: int, shape: str, icc: float, kind: str, area: float
) -> assay.Rows:
    groups = _cluster_rows(rng, count, shape)
    rates = np.where(rng.random(count) < _SHARE, _HIGH, _LOW)[groups]
    y = (rng.random(len(groups)) < rates).astype(np.int64)
    index = _cluster_index(rng, groups, icc)
    positives, negatives = class_scores(kind, area, _MEAN_RATE)
    score = np.where(y == 1, positives[index], negatives[index])
    return assay.rows(actual=y, score=score, group=groups, labels=[0, 1])


def cluster_score_scenarios(settings: Iterable[tuple[int, str, float, str, float]]) -> list[Scenario]:
    """Return a scenario for each number and shape of clusters, correlation, kind of scores and area."""
    scenarios = []
    for count, shape, icc, kind, area in settings:
        draw = functools.partial(_draw_scores, count=count, shape=shape, icc=icc, kind=kind, area=area)
        name = f"{count} clusters, {shape}, ICC {icc}, {kind}, area {area}, two kinds of clusters"
        scenarios.append(Scenario(name, draw, rank_truth(kind, area, _MEAN_RATE)))
    return scenarios


def cluster_number_scenarios(settings: Iterable[tuple[int, str, float]]) -> list[Scenario]:
    """Return regressions whose predictions are normal and whose errors are Laplace of scale 0.6.

    A setting is the number and the shape of clusters, and the correlation.
    """
    scale = 0.6
    errors = quantiles(stats.laplace(scale=scale))
    variance = float(np.mean(errors**2))
    truth = {
        "mae": float(np.abs(errors).mean()),
        "mse": variance,
        "rmse": math.sqrt(variance),
        "mean_error": 0.0,
        "median_absolute_error": scale * math.log(2),
        "r2": 1 / (1 + variance),
        "explained_variance": 1 / (1 + variance),
        "pearson": 1 / math.sqrt(1 + variance),
        "squared_correlation": 1 / (1 + variance),
    }
    scenarios = []
    for count, shape, icc in settings:

        def draw(
            rng: np.random.Generator, count: int = count, shape: str = shape, icc: float = icc
        ) -> assay.Rows:
            groups = _cluster_rows(rng, count, shape)
            predicted = _cluster_normal(rng, groups, icc)
            actual = predicted + errors[_cluster_index(rng, groups, icc)]
            return assay.rows(actual=actual, predicted=predicted, group=groups)

        scenarios.append(Scenario(f"{count} clusters, {shape}, ICC {icc}, Laplace errors", draw, truth))
    return scenarios


@functools.cache
def _binary_rows(kind: str, area: float, prevalence: float, recall: float) -> dict[str, np.ndarray]:
    """Return a finite population of actual classes, scores and predicted classes."""
    positives, negatives = class_scores(kind, area, prevalence)
    m = round(POINTS * prevalence)
    spread = (np.linspace(0, POINTS - 1, size).round().astype(np.int64) for size in (m, POINTS - m))
    score = np.concatenate([part[index] for part, index in zip((positives, negatives), spread, strict=True)])
    cutoff = np.quantile(positives, 1 - recall)
    actual = np.repeat([1, 0], [m, POINTS - m])
    return {"actual": actual, "predicted": (score > cutoff).astype(np.int64), "score": score}


def _random_weights(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """Return weights of mean 1 (gamma) or of the values 1 and 10."""
    if kind == "1 and 10":
        return np.where(rng.random(n) < 0.2, 10.0, 1.0)
    shape = 0.5 if kind == "gamma(0.5)" else 2.0
    return rng.gamma(shape, 1 / shape, n)


def _sampling(rows: dict[str, np.ndarray], kind: str) -> np.ndarray:
    """Return how likely each row of a population is to be drawn, against the others."""
    if kind == "predicted positives sampled":
        return np.where(rows["predicted"] == 1, 0.9, 0.15)
    if kind == "positives sampled":
        return np.where(rows["actual"] == 1, 0.8, 0.1)
    return np.ones(len(rows["actual"]))


def _draw_rows(
    rng: np.random.Generator,
    *,
    n: int,
    rows: dict[str, np.ndarray],
    weighting: str = "",
    chances: np.ndarray | None = None,
    factors: np.ndarray | None = None,
) -> assay.Rows:
    """Return rows of a finite population, drawn with replacement and by their chances, with weights."""
    index = rng.integers(0, POINTS, n)
    columns = {}
    if weighting.endswith("sampled"):
        limits = chances.cumsum()
        index = np.minimum(np.searchsorted(limits, rng.random(n) * limits[-1]), POINTS - 1)
        columns["weight"] = 1 / chances[index]
    elif weighting:
        columns["weight"] = _random_weights(rng, n, weighting)
    if factors is not None:
        columns["weight"] = columns["weight"] * factors[index]
    if "score" in rows:
        columns["labels"] = [0, 1]
    return assay.rows(**{name: column[index] for name, column in rows.items()}, **columns)


def weights() -> list[Scenario]:
    """Weights that are very unequal, follow the class, or undo unequal chances of being drawn."""
    settings = (
        (100, "gamma(0.5)", "logistic", 0.88, 0.15, 0.7), (400, "gamma(0.5)", "exponential", 0.7, 0.03, 0.6),
        (80, "1 and 10", "t with 3 df", 0.88, 0.4, 0.85), (400, "1 and 10", "7 values", 0.7, 0.15, 0.5),
        (100, "follows the class", "logistic", 0.7, 0.3, 0.6),
        (400, "follows the class", "exponential", 0.99, 0.03, 0.97),
        (150, "predicted positives sampled", "logistic", 0.88, 0.15, 0.75),
        (600, "predicted positives sampled", "t with 3 df", 0.7, 0.03, 0.4),
        (100, "positives sampled", "exponential", 0.88, 0.15, 0.8),
        (300, "positives sampled", "90% at one score", 0.88, 0.03, 0.5),
        (60, "gamma(0.5)", "t with 3 df", 0.99, 0.85, 0.97),
    )  # fmt: skip
    return weight_scenarios(settings)


def weight_scenarios(settings: Iterable[tuple[int, str, str, float, float, float]]) -> list[Scenario]:
    """Return a scenario for each setting.

    It is the number of rows, the kind of weights and of scores, the area, the share of positives and recall.
    """
    scenarios = []
    for n, weighting, kind, area, prevalence, recall in settings:
        rows = _binary_rows(kind, area, prevalence, recall)
        chances = _sampling(rows, weighting)
        factors = 1 + 2.0 * rows["actual"] if weighting == "follows the class" else np.ones(POINTS)
        draw = functools.partial(
            _draw_rows, n=n, rows=rows, weighting=weighting, chances=chances, factors=factors
        )
        truth = truths((*_COUNTS, *RANKS), assay.rows(**rows, weight=factors, labels=[0, 1]))
        model = (
            f"{kind}, area {area}, recall {truth['recall']:.2f}"  # ties make it less than that of the cutoff
        )
        name = f"n {n}, {weighting}, {prevalence:.0%} positive, {model}"
        scenarios.append(Scenario(name, draw, truth))
    return scenarios


@functools.cache
def _number_rows(kind: str) -> dict[str, np.ndarray]:
    """Return a finite population: predictions above 1, and actual values, above 0 with skewed errors."""
    rng = np.random.Generator(np.random.Philox(key=7))
    predicted = 1 + rng.permutation(quantiles(stats.gamma(3)))
    if kind == "Laplace":
        errors = quantiles(stats.laplace(scale=0.8))
    elif kind == "skewed gamma":
        errors = quantiles(stats.gamma(0.7)) - 0.7
    elif kind == "three in a hundred wild":
        errors = quantiles(stats.norm()) * np.where(np.arange(POINTS) % 100 < 3, 8.0, 0.5)
    else:  # heteroscedastic: the error grows with the prediction
        errors = 0.4 * predicted * rng.permutation(quantiles(stats.norm()))
        return {"actual": predicted + errors + 0.3, "predicted": predicted}
    return {"actual": predicted + rng.permutation(errors), "predicted": predicted}


def numbers() -> list[Scenario]:
    """Regressions with Laplace, skewed, contaminated and heteroscedastic errors, with weights in some."""
    kinds = ("Laplace", "skewed gamma", "heteroscedastic")
    settings = (
        *itertools.product((15, 60, 250), kinds, ("",)),
        (60, "three in a hundred wild", ""), (250, "three in a hundred wild", ""),
        (60, "Laplace", "gamma(0.5)"), (150, "heteroscedastic", "1 and 10"),
        (100, "heteroscedastic", "large predictions sampled"),
    )  # fmt: skip
    return number_scenarios(settings)


def number_scenarios(settings: Iterable[tuple[int, str, str]]) -> list[Scenario]:
    """Return a scenario for each number of rows, kind of errors and of weights."""
    scenarios = []
    for n, kind, weighting in settings:
        rows = _number_rows(kind)
        chances = 0.1 + rows["predicted"] if weighting.endswith("sampled") else None
        draw = functools.partial(_draw_rows, n=n, rows=rows, weighting=weighting, chances=chances)
        metrics = [name for name in _NUMBERS if not weighting or name != "spearman"]
        if kind == "skewed gamma":  # the others have actual values near 0, and below it
            metrics += ["mape", "msle"]
        name = f"n {n}, {kind} errors" + (f", weights {weighting}" if weighting else "")
        scenarios.append(Scenario(name, draw, truths(metrics, assay.rows(**rows))))
    return scenarios


FAMILIES: dict[str, Callable[[], list[Scenario]]] = {
    "unseen clusters": clusters,
    "unseen weights": weights,
    "unseen numbers": numbers,
}
