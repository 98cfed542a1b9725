"""Hard settings of the coverage study, other designs: few and unequal clusters, and weighted rows.

What a cluster shares is independent of its size, and a weight of its row's class and prediction, so that
every ratio of expected sums is that of the distribution of a single row.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
from hard_populations import PROBABILITY_METRICS
from scenarios import NORMAL_MEAN, Binormal, Scenario, shown_metrics, table_truth
from scipy import special

import assay

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAMILIES"]

_COUNTS = shown_metrics("binary", "labels")
_SCORES = tuple(dict.fromkeys([*shown_metrics("binary", "scores"), *PROBABILITY_METRICS]))
_DESIGNS = (
    *itertools.product((8, 15, 40), ("lognormal", "one big", "Poisson"), (0.05, 0.2, 0.5)),
    *itertools.product((15, 40), ("half in one",), (0.05, 0.5)),
)


def _groups(rng: np.random.Generator, clusters: int, shape: str) -> np.ndarray:
    """Return each row's cluster: about 15 rows in each; in a big one five times as many, or half of all."""
    if shape == "lognormal":
        sizes = np.maximum(np.rint(np.exp(2.2 + rng.standard_normal(clusters))), 1).astype(np.int64)
    elif shape == "Poisson":
        sizes = 1 + rng.poisson(14, clusters)
    else:
        sizes = np.full(clusters, 15)
        sizes[0] *= 5 if shape == "one big" else clusters - 1
    return np.repeat(np.arange(clusters), sizes)


def _rates(rng: np.random.Generator, mean: float, icc: float, clusters: int) -> np.ndarray:
    """Return a rate for each cluster, so that two rows of one have this intraclass correlation."""
    strength = 1 / icc - 1
    return rng.beta(mean * strength, (1 - mean) * strength, clusters)


def _shared(rng: np.random.Generator, groups: np.ndarray, clusters: int, icc: float) -> np.ndarray:
    """Return a standard normal number a row, of which a cluster's rows share a part."""
    common = rng.standard_normal(clusters)[groups]
    return math.sqrt(icc) * common + math.sqrt(1 - icc) * rng.standard_normal(len(groups))


def cluster_counts() -> list[Scenario]:
    """Predictions that are right at a rate of the cluster's own; positives too are more common in some."""
    scenarios = []
    for clusters, shape, icc in _DESIGNS:

        def draw(
            rng: np.random.Generator, clusters: int = clusters, shape: str = shape, icc: float = icc
        ) -> assay.Rows:
            groups = _groups(rng, clusters, shape)
            right, positive = (_rates(rng, mean, icc, clusters)[groups] for mean in (0.85, 0.3))
            y = (rng.random(len(groups)) < positive).astype(np.int64)
            predicted = np.where(rng.random(len(groups)) < right, y, 1 - y)
            return assay.rows(actual=y, predicted=predicted, group=groups, labels=[0, 1])

        table = np.array([[0.7 * 0.85, 0.7 * 0.15], [0.3 * 0.15, 0.3 * 0.85]])
        scenarios.append(
            Scenario(f"{clusters} clusters, {shape}, ICC {icc}", draw, table_truth(table, _COUNTS))
        )
    return scenarios


def cluster_labels() -> list[Scenario]:
    """One label a cluster: the positives are in few of them. The rate of right predictions is its own."""
    scenarios = []
    for clusters, shape, icc in itertools.product((15, 40), ("lognormal", "Poisson"), (0.05, 0.2, 0.5)):
        for share in (0.1, 0.25):

            def draw(
                rng: np.random.Generator,
                clusters: int = clusters,
                shape: str = shape,
                icc: float = icc,
                share: float = share,
            ) -> assay.Rows:
                groups = _groups(rng, clusters, shape)
                y = (rng.random(clusters) < share).astype(np.int64)[groups]
                right = _rates(rng, 0.8, icc, clusters)[groups]
                predicted = np.where(rng.random(len(groups)) < right, y, 1 - y)
                return assay.rows(actual=y, predicted=predicted, group=groups, labels=[0, 1])

            table = np.array([[0.8, 0.2], [0.2, 0.8]]) * [[1 - share], [share]]
            name = f"{clusters} clusters, {shape}, ICC {icc}, {share:.0%} of them positive"
            scenarios.append(Scenario(name, draw, table_truth(table, _COUNTS)))
    return scenarios


def cluster_scores() -> list[Scenario]:
    """Scores and calibrated probabilities whose noise a cluster's rows share in part."""
    scenarios = []
    population = Binormal(0.3, 1.5)
    truth = population.truth(_SCORES)
    for clusters, shape, icc in _DESIGNS:

        def draw(
            rng: np.random.Generator, clusters: int = clusters, shape: str = shape, icc: float = icc
        ) -> assay.Rows:
            groups = _groups(rng, clusters, shape)
            positive = _rates(rng, population.prevalence, icc, clusters)[groups]
            y = (rng.random(len(groups)) < positive).astype(np.int64)
            x = population.shift * y + _shared(rng, groups, clusters, icc)
            return assay.rows(actual=y, score=population.probability(x), group=groups, labels=[0, 1])

        scenarios.append(Scenario(f"{clusters} clusters, {shape}, ICC {icc}", draw, truth))
    return scenarios


def _number_truth(noise: float) -> dict[str, float]:
    """Return the true values of standard normal predictions and normal errors."""
    total = 1 + noise**2
    correlation = 1 / math.sqrt(total)
    return {
        "mae": noise * NORMAL_MEAN,
        "rmse": noise,
        "mean_error": 0.0,
        "median_absolute_error": noise * float(special.ndtri(0.75)),
        "r2": 1 / total,
        "pearson": correlation,
        "spearman": 6 / math.pi * math.asin(correlation / 2),
        "mse": noise**2,
        "explained_variance": 1 / total,
        "squared_correlation": 1 / total,
    }


def cluster_numbers() -> list[Scenario]:
    """A regression whose errors, and whose predictions, a cluster's rows share in part."""
    scenarios = []
    noise = 0.7
    for clusters, shape, icc in _DESIGNS:

        def draw(
            rng: np.random.Generator, clusters: int = clusters, shape: str = shape, icc: float = icc
        ) -> assay.Rows:
            groups = _groups(rng, clusters, shape)
            predicted, errors = (_shared(rng, groups, clusters, icc) for _ in range(2))
            return assay.rows(actual=predicted + noise * errors, predicted=predicted, group=groups)

        scenarios.append(Scenario(f"{clusters} clusters, {shape}, ICC {icc}", draw, _number_truth(noise)))
    return scenarios


def _weights(rng: np.random.Generator, n: int, spread: float) -> np.ndarray:
    """Return lognormal weights, or 2 for every row where they have no spread."""
    return np.exp(spread * rng.standard_normal(n)) if spread else np.full(n, 2.0)


def _weight_name(spread: float) -> str:
    return f"lognormal weights {spread}" if spread else "all weights 2"


def weights_rare() -> list[Scenario]:
    """Weighted rows with five positives, most of them found, and for comparison with fifty."""
    scenarios = []
    sizes = ((500, 0.01, True), (500, 0.01, False), (100, 0.05, True), (500, 0.1, False))
    for (n, prevalence, fixed), spread in itertools.product(sizes, (0.0, 0.5, 1.0)):
        for area, recall in ((0.8, 0.6), (0.95, 0.9), (0.998, 0.97)):
            population = Binormal.with_area(area, prevalence)
            cutoff = population.cutoff(recall)

            def draw(
                rng: np.random.Generator,
                n: int = n,
                spread: float = spread,
                population: Binormal = population,
                cutoff: float = cutoff,
                *,
                fixed: bool = fixed,
            ) -> assay.Rows:
                if fixed:
                    y = np.zeros(n, dtype=np.int64)
                    y[: round(n * population.prevalence)] = 1
                else:
                    y = (rng.random(n) < population.prevalence).astype(np.int64)
                x = population.shift * y + rng.standard_normal(n)
                return assay.rows(
                    actual=y,
                    predicted=(x > cutoff).astype(np.int64),
                    score=population.probability(x),
                    weight=_weights(rng, n, spread),
                    labels=[0, 1],
                )

            truth = table_truth(population.table(cutoff), _COUNTS) | population.truth(_SCORES)
            positives = f"{round(n * prevalence)} positives" + ("" if fixed else " expected")
            name = f"n {n}, {positives}, {_weight_name(spread)}, area {area}, recall {recall}"
            scenarios.append(Scenario(name, draw, truth))
    return scenarios


def weights_found() -> list[Scenario]:
    """Weighted rows, five positives of 500, hardly a false positive; all positives found as a rule."""
    scenarios = []
    for spread, recall, specificity in itertools.product((0.0, 0.5, 1.0), (0.8, 0.9, 0.97), (0.99, 0.998)):
        population = Binormal(0.01, float(special.ndtri(recall) + special.ndtri(specificity)))
        cutoff = population.cutoff(recall)

        def draw(
            rng: np.random.Generator,
            spread: float = spread,
            population: Binormal = population,
            cutoff: float = cutoff,
        ) -> assay.Rows:
            y = (np.arange(500) < 5).astype(np.int64)
            predicted = (population.shift * y + rng.standard_normal(500) > cutoff).astype(np.int64)
            return assay.rows(actual=y, predicted=predicted, weight=_weights(rng, 500, spread), labels=[0, 1])

        name = f"n 500, 5 positives, {_weight_name(spread)}, recall {recall}, specificity {specificity}"
        scenarios.append(Scenario(name, draw, table_truth(population.table(cutoff), _COUNTS)))
    return scenarios


def weights_numbers() -> list[Scenario]:
    """Weighted rows of a regression with normal errors."""
    scenarios = []
    truth = {name: value for name, value in _number_truth(0.7).items() if name != "spearman"}
    for n, spread in itertools.product((30, 100, 300), (0.0, 0.5, 1.0)):

        def draw(rng: np.random.Generator, n: int = n, spread: float = spread) -> assay.Rows:
            predicted = rng.standard_normal(n)
            actual = predicted + 0.7 * rng.standard_normal(n)
            return assay.rows(actual=actual, predicted=predicted, weight=_weights(rng, n, spread))

        scenarios.append(Scenario(f"n {n}, {_weight_name(spread)}", draw, truth))
    return scenarios


FAMILIES: dict[str, Callable[[], list[Scenario]]] = {
    "clusters": cluster_counts,
    "cluster labels": cluster_labels,
    "cluster scores": cluster_scores,
    "cluster numbers": cluster_numbers,
    "few positives weighted": weights_rare,
    "positives found weighted": weights_found,
    "numbers weighted": weights_numbers,
}
