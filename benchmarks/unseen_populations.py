"""Unseen settings of the coverage study: populations on which no interval was tuned.

They were chosen without a look at any interval: other shares of positives, class sizes, score distributions,
class counts and probabilities than those of the other files. No setting may be changed because of what a run
shows. Rows in clusters, weighted rows and regressions are in unseen_designs.py.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from hard_populations import PROBABILITY_METRICS
from scenarios import Scenario, of_table, score_truth, shown_metrics, truths
from scipy import optimize, special, stats

import assay
from assay.metrics import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "FAMILIES",
    "POINTS",
    "RANKS",
    "binary_table",
    "class_probability_scenarios",
    "class_scenarios",
    "class_scores",
    "probability_scenarios",
    "quantiles",
    "query_scenarios",
    "rank_truth",
    "score_scenarios",
    "table_scenarios",
]

RANKS = shown_metrics("binary", "scores")
POINTS = 50_000  # equally likely scores of each class, so that the true values are those of the whole list


def quantiles(distribution: Any, count: int = POINTS) -> np.ndarray:
    """Return equally likely values of a distribution, ascending."""
    return distribution.ppf((np.arange(count) + 0.5) / count)


@functools.cache
def class_scores(kind: str, area: float, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the equally likely scores of the positives, and of the negatives, ascending.

    Where scores are tied, the area is that of the continuous scores behind them.
    """
    if kind == "exponential":
        negatives = quantiles(stats.expon())
        return negatives * area / (1 - area), negatives
    if kind == "uniform mixture":  # some positives have scores in the upper fifth only
        upper = round(POINTS * (area - 0.5) / 0.4)
        parts = quantiles(stats.uniform(0.8, 0.2), upper), quantiles(stats.uniform(), POINTS - upper)
        return np.sort(np.concatenate(parts)), quantiles(stats.uniform())
    distribution = stats.t(3) if kind == "t with 3 df" else stats.logistic()
    negatives = quantiles(distribution)
    shift = optimize.brentq(lambda d: distribution.cdf(negatives + d).mean() - area, -20, 20)
    positives = negatives + shift
    if kind.endswith("values"):  # rounded down to a few equally wide steps
        steps = np.linspace(-2, 2 + shift, int(kind.split(maxsplit=1)[0]) - 1)
        return tuple(np.searchsorted(steps, part).astype(np.float64) for part in (positives, negatives))
    if kind == "90% at one score":
        floor = np.quantile(
            np.concatenate([positives, negatives]),
            0.9,
            weights=np.repeat([prevalence, 1 - prevalence], POINTS),
            method="inverted_cdf",
        )
        return np.maximum(positives, floor), np.maximum(negatives, floor)
    return positives, negatives


@functools.cache
def rank_truth(kind: str, area: float, prevalence: float) -> dict[str, float]:
    """Return the true values of the metrics of scores."""
    both = np.concatenate(class_scores(kind, area, prevalence))  # the positives are the first half
    scores, inverse = np.unique(both, return_inverse=True)
    positives, negatives = (
        np.bincount(part, minlength=len(scores)) / POINTS for part in np.split(inverse, 2)
    )
    return score_truth(scores, prevalence * positives, (1 - prevalence) * negatives, RANKS)


def _draw_scores(
    rng: np.random.Generator, *, n: int, prevalence: float, fixed: bool, kind: str, area: float
) -> assay.Rows:
    m = round(n * prevalence) if fixed else int(rng.binomial(n, prevalence))
    positives, negatives = class_scores(kind, area, prevalence)
    return assay.rows(
        actual=np.repeat([1, 0], [m, n - m]),
        score=np.concatenate([rng.choice(positives, m), rng.choice(negatives, n - m)]),
        labels=[0, 1],
    )


def rare() -> list[Scenario]:
    """Ranking with 2 to 30 positives, or 85% of them, and scores that are skewed, heavy-tailed or tied."""
    settings = (
        (1000, 0.003, True, "exponential", 0.88), (1000, 0.003, False, "logistic", 0.7),
        (4000, 0.003, True, "t with 3 df", 0.99), (100, 0.03, True, "exponential", 0.35),
        (400, 0.03, False, "uniform mixture", 0.7), (1000, 0.03, False, "t with 3 df", 0.55),
        (80, 0.15, True, "logistic", 0.88), (200, 0.15, False, "exponential", 0.99),
        (47, 0.15, True, "t with 3 df", 0.7), (80, 0.85, True, "logistic", 0.88),
        (200, 0.85, False, "exponential", 0.55), (40, 0.05, True, "logistic", 0.88),
        (40, 0.05, True, "t with 3 df", 0.99), (400, 0.03, False, "3 values", 0.88),
        (47, 0.15, True, "7 values", 0.7), (1000, 0.012, False, "90% at one score", 0.88),
        (200, 0.15, True, "90% at one score", 0.7), (80, 0.85, False, "7 values", 0.99),
    )  # fmt: skip
    return score_scenarios(settings)


def score_scenarios(settings: Iterable[tuple[int, float, bool, str, float]]) -> list[Scenario]:
    """Return a scenario for each setting.

    It is the number of rows, the share of positives, whether it is fixed, the kind of scores and the area.
    """
    scenarios = []
    for n, expected, fixed, kind, area in settings:
        prevalence = round(n * expected) / n if fixed else expected
        draw = functools.partial(_draw_scores, n=n, prevalence=prevalence, fixed=fixed, kind=kind, area=area)
        rows = f"n {n}, {round(n * prevalence)} positives" + ("" if fixed else " expected")
        scenarios.append(Scenario(f"{rows}, {kind}, area {area}", draw, rank_truth(kind, area, prevalence)))
    return scenarios


def binary_table(prevalence: float, recall: float, specificity: float) -> np.ndarray:
    """Return the shares of a table of two classes, rows actual."""
    return np.array(
        [
            [(1 - prevalence) * specificity, (1 - prevalence) * (1 - specificity)],
            [prevalence * (1 - recall), prevalence * recall],
        ]
    )


def tables() -> list[Scenario]:
    """Predicted classes: 0.3% to 85% positive, good, weak and harmful models."""
    settings = (
        (1000, 0.003, 0.75, 0.97, False), (2000, 0.0035, 0.9, 0.995, True), (400, 0.03, 0.55, 0.9, False),
        (100, 0.03, 0.8, 0.7, True), (80, 0.15, 0.35, 0.93, True), (80, 0.15, 0.2, 0.5, False),
        (200, 0.15, 0.97, 0.99, False), (120, 0.85, 0.97, 0.6, False), (80, 0.85, 0.7, 0.75, True),
        (40, 0.05, 0.6, 0.85, True), (300, 0.4, 0.99, 0.98, False), (25, 0.48, 0.72, 0.64, False),
    )  # fmt: skip
    return table_scenarios(settings)


def table_scenarios(settings: Iterable[tuple[int, float, float, float, bool]]) -> list[Scenario]:
    """Return a scenario for each setting.

    It is the number of rows, the share of positives, recall, specificity and whether the share is fixed.
    """
    return [
        of_table(
            f"n {n}, {n * prevalence:g} positives" + ("" if fixed else " expected")
            + f", recall {recall}, specificity {specificity}",
            binary_table(prevalence, recall, specificity), n, shown_metrics("binary", "labels"), fixed=fixed,
        )
        for n, prevalence, recall, specificity, fixed in settings
    ]  # fmt: skip


def _class_shares(count: int, kind: str) -> np.ndarray:
    shares = np.ones(count) if kind == "uniform" else (0.6 if count < 10 else 0.85) ** np.arange(count)
    return shares / shares.sum()


def classes() -> list[Scenario]:
    """Four to thirty classes with uniform or geometric shares; errors anywhere or in confusable pairs."""
    settings = (
        (4, "uniform", "anywhere", 60, 0.6), (4, "geometric", "pairs", 150, 0.85),
        (7, "uniform", "pairs", 70, 0.85), (7, "geometric", "anywhere", 300, 0.6),
        (7, "geometric", "pairs", 300, 0.97), (15, "uniform", "anywhere", 300, 0.85),
        (15, "geometric", "anywhere", 300, 0.6), (15, "geometric", "pairs", 800, 0.97),
        (30, "uniform", "pairs", 600, 0.6), (30, "geometric", "anywhere", 1200, 0.85),
    )  # fmt: skip
    probabilities = ((4, 0.5, 1.0, 80), (4, 0.5, 2.0, 200), (7, 0.2, 0.5, 100), (15, 0.1, 1.0, 400))
    return [*class_scenarios(settings), *class_probability_scenarios(probabilities)]


def class_scenarios(settings: Iterable[tuple[int, str, str, int, float]]) -> list[Scenario]:
    """Return a scenario for each setting.

    It is the number of classes, the kind of their shares and of errors, the number of rows and the accuracy.
    """
    scenarios = []
    for count, kind, errors, n, right in settings:
        wrong = np.ones((count, count)) - np.eye(count)
        if errors == "pairs":  # 0 and 1, 2 and 3, ...; a last one without a partner has the one before it
            wrong = np.zeros((count, count))
            index = np.arange(count)
            wrong[index, np.where(index ^ 1 < count, index ^ 1, index - 1)] = 1
        parts = right * np.eye(count) + (1 - right) * wrong / wrong.sum(axis=1, keepdims=True)
        table = _class_shares(count, kind)[:, None] * parts
        name = f"{count} classes, {kind}, n {n}, {right} right, errors {errors}"
        scenarios.append(of_table(name, table, n, shown_metrics("multiclass", "labels")))
    return scenarios


def _draw_classes(rng: np.random.Generator, *, n: int, limits: np.ndarray, model: np.ndarray) -> assay.Rows:
    index = rng.integers(0, len(model), n)
    y = (rng.random((n, 1)) > limits[index]).sum(axis=1)
    return assay.rows(actual=y, score=model[index], labels=list(range(model.shape[1])))


def class_probability_scenarios(settings: Iterable[tuple[int, float, float, int]]) -> list[Scenario]:
    """Return scenarios of a thousand equally likely probability vectors, calibrated or not.

    A setting is the number of classes, Dirichlet's concentration, the temperature and the number of rows.
    """
    metrics = shown_metrics("multiclass", "scores probabilities")
    scenarios = []
    for count, concentration, temperature, n in settings:
        rng = np.random.Generator(np.random.Philox(key=count))
        actual = rng.dirichlet(np.full(count, concentration), 1000) * 0.99 + 0.01 / count
        model = special.softmax(np.log(actual) / temperature, axis=1)
        draw = functools.partial(_draw_classes, n=n, limits=actual.cumsum(axis=1)[:, :-1], model=model)
        everyone = assay.rows(
            actual=np.tile(np.arange(count), len(model)),
            score=np.repeat(model, count, axis=0),
            weight=actual.ravel(),
            labels=list(range(count)),
        )
        name = f"{count} classes, Dirichlet({concentration}), temperature {temperature}, n {n}"
        scenarios.append(Scenario(name, draw, truths(metrics, everyone)))
    return scenarios


def probabilities() -> list[Scenario]:
    """Beta probabilities, calibrated, of temperature 0.5 and 2, or with shifted log odds."""
    models = (("calibrated", 1.0, 0.0), ("temperature 0.5", 2.0, 0.0), ("temperature 2", 0.5, 0.0))
    shifted = (("offset 0.7", 1.0, 0.7), ("offset -1.5", 1.0, -1.5))
    settings = (
        *itertools.product((((2, 2), 40), ((0.2, 0.2), 150)), (*models, shifted[0])),
        *itertools.product((((0.3, 3), 60), ((6, 1), 100)), (models[1], shifted[1])),
    )
    return probability_scenarios((n, *shape, *model) for (shape, n), model in settings)


def probability_scenarios(settings: Iterable[tuple[int, float, float, str, float, float]]) -> list[Scenario]:
    """Return a scenario for each setting.

    It is the number of rows, the two parameters of beta probabilities, and the model: name, slope and offset.
    """
    scenarios = []
    for n, a, b, kind, slope, offset in settings:
        actual = np.clip(quantiles(stats.beta(a, b)), 1e-4, 1 - 1e-4)
        model = special.expit(slope * special.logit(actual) + offset)

        def draw(
            rng: np.random.Generator, n: int = n, actual: np.ndarray = actual, model: np.ndarray = model
        ) -> assay.Rows:
            index = rng.integers(0, POINTS, n)
            y = (rng.random(n) < actual[index]).astype(np.int64)
            return assay.rows(actual=y, score=model[index], labels=[0, 1])

        scores, inverse = np.unique(model, return_inverse=True)
        shares = (np.bincount(inverse, part / POINTS) for part in (actual, 1 - actual))
        truth = score_truth(scores, *shares, PROBABILITY_METRICS)
        scenarios.append(Scenario(f"n {n}, beta({a}, {b}), {kind}", draw, truth))
    return scenarios


def queries() -> list[Scenario]:
    """Seven and fifteen ranked lists of ten items, of a good, a middling, a random or a perfect system."""
    settings = (
        (7, 1, 0.25), (7, 1, 2.0), (7, 2, 0.5), (7, 2, math.inf), (15, 1, 0.0), (15, 1, math.inf),
        (15, 2, 1.5), (15, 4, 0.15), (15, 4, 3.0),
    )  # fmt: skip
    return query_scenarios(settings)


def query_scenarios(settings: Iterable[tuple[int, int, float]]) -> list[Scenario]:
    """Return a scenario for each number of lists, of relevant items and skill of the system."""
    scenarios = []
    length, k = 10, 5

    def ranked(lists: np.ndarray) -> assay.Rows:
        return assay.rows(
            actual=lists.ravel(),
            score=np.tile(np.arange(length, 0, -1), len(lists)),
            query=np.repeat(np.arange(len(lists)), length),
        )

    for n, relevant, skill in settings:
        places = np.array(list(itertools.combinations(range(length), relevant)))
        if math.isinf(skill):
            places = places[:1]  # the relevant items come first, always
        lists = np.zeros((len(places), length), dtype=np.int64)
        np.put_along_axis(lists, places, 1, axis=1)
        chances = np.exp(-min(skill, 9) * places.sum(axis=1))
        chances /= chances.sum()

        def draw(
            rng: np.random.Generator, n: int = n, lists: np.ndarray = lists, chances: np.ndarray = chances
        ) -> assay.Rows:
            return ranked(lists[rng.choice(len(lists), n, p=chances)])

        truth = {
            f"{name} k={k}": float(
                np.dot(chances, [float(find(name)(ranked(row[None]), k=k)) for row in lists])
            )
            for name in shown_metrics("ranking")
        }
        system = "perfect" if math.isinf(skill) else f"skill {skill}"
        scenarios.append(Scenario(f"{n} queries, {relevant} relevant, {system}", draw, truth))
    return scenarios


FAMILIES: dict[str, Callable[[], list[Scenario]]] = {
    "unseen rare": rare,
    "unseen tables": tables,
    "unseen classes": classes,
    "unseen probabilities": probabilities,
    "unseen queries": queries,
}
