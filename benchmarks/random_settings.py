"""Random settings of the coverage study: nobody chose them, so that no interval can have been tuned on them.

The populations are those of unseen_populations.py and unseen_designs.py; a random generator with a fixed seed
chooses everything about them: numbers of rows, classes and clusters, shares of positives, areas, kinds of
scores, weights and errors. Another seed gives settings that are as good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import unseen_designs
import unseen_populations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scenarios import Scenario

__all__ = ["FAMILIES"]

_SEED = 4071
_SCORES = ("exponential", "logistic", "t with 3 df", "3 values", "7 values", "90% at one score")
_SHAPES = ("geometric", "two sizes", "a third in one")
_WEIGHTS = ("gamma(0.5)", "gamma(2)", "1 and 10", "follows the class", "positives sampled")
_ERRORS = ("Laplace", "skewed gamma", "heteroscedastic")


class _Settings:
    """Random numbers of one family."""

    def __init__(self, family: int):
        self._rng = np.random.Generator(np.random.Philox(key=_SEED + family))

    def count(self, low: float, high: float) -> int:
        """Return a whole number; small ones are as likely as large ones, on the scale of logarithms."""
        return round(float(np.exp(self._rng.uniform(np.log(low), np.log(high)))))

    def number(self, low: float, high: float) -> float:
        """Return a number of two decimals."""
        return round(float(self._rng.uniform(low, high)), 2)

    def of(self, choices: Sequence[Any]) -> Any:
        """Return one of some choices."""
        return choices[int(self._rng.integers(len(choices)))]

    def rows_and_share(self) -> tuple[int, float]:
        """Return a number of rows and a share of positives, with at least two of each class expected."""
        n = self.count(25, 2000)
        share = float(np.clip(np.exp(self._rng.uniform(np.log(0.003), np.log(0.9))), 2 / n, 1 - 2 / n))
        return n, round(share, 3) if share >= 0.01 else round(share, 4)


def scores() -> list[Scenario]:
    """Ranking with any share of positives, area and shape of scores."""
    random = _Settings(1)
    return unseen_populations.score_scenarios(
        (*random.rows_and_share(), random.of((True, False)), random.of(_SCORES), random.number(0.3, 0.99))
        for _ in range(18)
    )


def tables() -> list[Scenario]:
    """Predicted classes with any share of positives, recall and specificity."""
    random = _Settings(2)
    return unseen_populations.table_scenarios(
        (*random.rows_and_share(), random.number(0.1, 0.99), random.number(0.3, 0.995), False)
        for _ in range(18)
    )


def classes() -> list[Scenario]:
    """Three to forty classes, even or geometric, with 5 to 60 rows each; their probabilities, too."""
    random = _Settings(3)
    predicted = []
    for _ in range(10):
        count = random.count(3, 40)
        kind, errors = random.of(("uniform", "geometric")), random.of(("anywhere", "pairs"))
        predicted.append((count, kind, errors, count * random.count(5, 60), random.number(0.4, 0.98)))
    probabilities = [
        (random.count(3, 12), random.number(0.1, 1), random.number(0.5, 2), random.count(60, 600))
        for _ in range(5)
    ]
    return [
        *unseen_populations.class_scenarios(predicted),
        *unseen_populations.class_probability_scenarios(probabilities),
    ]


def probabilities() -> list[Scenario]:
    """Beta probabilities that are too sure, not sure enough, or shifted."""
    random = _Settings(4)
    settings = []
    for _ in range(10):
        slope, offset = random.number(0.5, 2), random.number(-1, 1)
        shape = random.number(0.2, 5), random.number(0.2, 5)
        settings.append((random.count(25, 500), *shape, f"slope {slope}, offset {offset}", slope, offset))
    return unseen_populations.probability_scenarios(settings)


def queries() -> list[Scenario]:
    """Five to forty ranked lists with one to four relevant items among ten."""
    random = _Settings(5)
    return unseen_populations.query_scenarios(
        (random.count(5, 40), random.of((1, 2, 3, 4)), random.number(0, 2)) for _ in range(8)
    )


def clusters() -> list[Scenario]:
    """Six to eighty clusters of unequal size: predicted classes, scores and numbers."""
    random = _Settings(6)

    def layout() -> tuple[int, str, float]:
        return random.count(6, 80), random.of(_SHAPES), random.number(0.01, 0.6)

    def rate() -> float:
        return random.number(0.5, 0.97)

    return [
        *unseen_designs.cluster_table_scenarios(
            (*layout(), random.number(0.1, 0.6), rate(), rate()) for _ in range(10)
        ),
        *unseen_designs.cluster_score_scenarios(
            (*layout(), random.of(_SCORES), random.number(0.5, 0.98)) for _ in range(8)
        ),
        *unseen_designs.cluster_number_scenarios(layout() for _ in range(5)),
    ]


def weights() -> list[Scenario]:
    """Weights that are unequal, follow the class, or undo unequal chances of being drawn."""
    random = _Settings(7)
    return unseen_designs.weight_scenarios(
        (
            random.count(60, 1000), random.of(_WEIGHTS), random.of(_SCORES), random.number(0.55, 0.98),
            random.number(0.05, 0.7), random.number(0.3, 0.95),
        )
        for _ in range(12)
    )  # fmt: skip


def numbers() -> list[Scenario]:
    """Regressions with Laplace, skewed or heteroscedastic errors, a third of them weighted."""
    random = _Settings(8)
    return unseen_designs.number_scenarios(
        (random.count(15, 500), random.of(_ERRORS), random.of(("", "", "gamma(2)"))) for _ in range(9)
    )


FAMILIES: dict[str, Callable[[], list[Scenario]]] = {
    "random scores": scores,
    "random tables": tables,
    "random classes": classes,
    "random probabilities": probabilities,
    "random queries": queries,
    "random clusters": clusters,
    "random weights": weights,
    "random numbers": numbers,
}
