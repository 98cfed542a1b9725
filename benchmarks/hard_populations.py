"""Hard settings of the coverage study: rare classes, one error, sure models, many classes, few lists.

Rows are on their own here; rows in clusters and rows with weights are in hard_designs.py.
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

import numpy as np
from scenarios import Binormal, Scenario, of_table, score_rows, score_tally, score_truth, shown_metrics
from scipy import special

import assay
from assay.metrics import find

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["FAMILIES", "PROBABILITY_METRICS"]

PROBABILITY_METRICS = (
    *shown_metrics("binary", "probabilities"), "log_loss_skill", "brier_skill", "root_brier",
)  # fmt: skip
_SIZES = ((500, 0.01), (100, 0.05))  # rows and share of positives: five are expected


def _positives(rng: np.random.Generator, n: int, prevalence: float, *, fixed: bool) -> int:
    """Return how many rows are positive: the expected number, or drawn, and at least one."""
    return round(n * prevalence) if fixed else max(int(rng.binomial(n, prevalence)), 1)


def _continuous(
    population: Binormal, n: int, *, fixed: bool
) -> Callable[[np.random.Generator], assay.Scores]:
    def draw(rng: np.random.Generator) -> assay.Scores:
        m = _positives(rng, n, population.prevalence, fixed=fixed)
        return score_rows(population.shift + rng.standard_normal(m), rng.standard_normal(n - m))

    return draw


def _tied(
    name: str,
    n: int,
    prevalence: float,
    positives: Sequence[float],
    negatives: Sequence[float],
    *,
    fixed: bool,
) -> Scenario:
    """Return the scenario of few distinct scores, which each class has with its own shares."""
    scores = np.arange(len(positives), dtype=np.float64)
    shares = np.array([positives, negatives]) / np.sum([positives, negatives], axis=1, keepdims=True)

    def draw(rng: np.random.Generator) -> assay.Scores:
        m = _positives(rng, n, prevalence, fixed=fixed)
        return score_tally(scores, *rng.multinomial([m, n - m], shares))

    whole = shares * [[prevalence], [1 - prevalence]]
    return Scenario(name, draw, score_truth(scores, *whole, shown_metrics("binary", "scores")))


def rare_scores() -> list[Scenario]:
    """Ranking with five positives or one: continuous, tied and constant scores."""
    metrics = shown_metrics("binary", "scores")
    scenarios = []
    for (n, prevalence), fixed in itertools.product(_SIZES, (True, False)):
        rows = f"n {n}, 5 positives" + ("" if fixed else " expected")
        for area in (0.8, 0.95, 0.2):
            population = Binormal.with_area(area, prevalence)
            draw = _continuous(population, n, fixed=fixed)
            scenarios.append(Scenario(f"{rows}, area {area}", draw, population.truth(metrics)))
            edges = np.array([-np.inf, -1, 0, 1, 2, np.inf])
            levels = (np.diff(special.ndtr(edges - mean)) for mean in (population.shift, 0))
            scenarios.append(_tied(f"{rows}, area {area}, 5 scores", n, prevalence, *levels, fixed=fixed))
        scenarios.append(
            _tied(f"{rows}, area 0.95, 2 scores", n, prevalence, (0.05, 0.95), (0.95, 0.05), fixed=fixed)
        )
    near = Binormal.with_area(0.995, 0.01)
    for fixed in (True, False):
        name = "n 5000, 50 positives" + ("" if fixed else " expected") + ", area 0.995"
        scenarios.append(Scenario(name, _continuous(near, 5000, fixed=fixed), near.truth(metrics)))
    for n, area in ((100, 0.8), (100, 0.95), (500, 0.8)):
        alone = Binormal.with_area(area, 1 / n)
        draw = _continuous(alone, n, fixed=True)
        scenarios.append(Scenario(f"n {n}, 1 positive, area {area}", draw, alone.truth(metrics)))
    for n, prevalence in _SIZES:
        scenarios.append(_tied(f"n {n}, 5 positives, 1 score", n, prevalence, (1.0,), (1.0,), fixed=True))
    return scenarios


def useless() -> list[Scenario]:
    """Five positives and predictions that are independent of the truth, of which 5% or 30% are positive."""
    scenarios = []
    for (n, prevalence), share, fixed in itertools.product(_SIZES, (0.05, 0.3), (True, False)):
        shares = np.outer([1 - prevalence, prevalence], [1 - share, share])
        name = f"n {n}, 5 positives" + ("" if fixed else " expected") + f", {share:.0%} predicted positive"
        scenarios.append(of_table(name, shares, n, shown_metrics("binary", "labels"), fixed=fixed))
    return scenarios


def one_error() -> list[Scenario]:
    """One expected error in 500 to 5,000 rows: a false positive, a false negative, or either."""
    scenarios = []
    for n, prevalence in itertools.product((500, 1000, 5000), (0.5, 0.1, 0.02)):
        for kind, false_positives in (("false positive", 1.0), ("false negative", 0.0), ("error", 0.5)):
            fp, fn = false_positives / n, (1 - false_positives) / n
            shares = np.array([[1 - prevalence - fp, fp], [fn, prevalence - fn]])
            name = f"n {n}, {prevalence:.0%} positive, 1 {kind} expected"
            scenarios.append(of_table(name, shares, n, shown_metrics("binary", "labels")))
    return scenarios


def _probabilities(population: Binormal, n: int) -> Callable[[np.random.Generator], assay.Rows]:
    def draw(rng: np.random.Generator) -> assay.Rows:
        y = (rng.random(n) < population.prevalence).astype(np.int64)
        p = population.probability(y * population.shift + rng.standard_normal(n))
        return assay.rows(actual=y, score=p, labels=[0, 1])

    return draw


def rare_probabilities() -> list[Scenario]:
    """Probabilities of a rare class, calibrated and not, in 20 to 100 rows."""
    scenarios = []
    models = (
        ("calibrated", 1.0, 0.0),
        ("overconfident", 2.0, 0.0),
        ("too high", 1.0, 1.0),
        ("too low", 1.0, -1.0),
    )
    for n, prevalence, (kind, slope, offset) in itertools.product((20, 50, 100), (0.02, 0.05, 0.1), models):
        population = Binormal(prevalence, 1.5, slope, offset)
        name = f"n {n}, {prevalence:.0%} positive, {kind}"
        scenarios.append(Scenario(name, _probabilities(population, n), population.truth(PROBABILITY_METRICS)))
    return scenarios


def sure_probabilities() -> list[Scenario]:
    """Probabilities near 0 and 1 that are rarely wrong, and then have a large loss; all alike or not."""
    scenarios = []
    several = 1 - np.logspace(-2, -4, 41)
    levels = (("0.999", np.array([0.999])), ("0.9999", np.array([0.9999])), ("0.99 to 0.9999", several))
    for n, (text, sure), right in itertools.product((20, 100), levels, (0.95, 0.99, 0.999)):

        def draw(
            rng: np.random.Generator, n: int = n, sure: np.ndarray = sure, right: float = right
        ) -> assay.Rows:
            p, guess = rng.choice(sure, n), rng.integers(0, 2, n)
            y = np.where(rng.random(n) < right, guess, 1 - guess)
            return assay.rows(actual=y, score=np.where(guess == 1, p, 1 - p), labels=[0, 1])

        share = np.full(len(sure), 0.5 / len(sure))  # of all rows, for each probability and either guess
        false, true = share * (1 - right), share * right
        scores = np.concatenate([(1 - sure)[::-1], sure])
        positives, negatives = np.concatenate([false, true]), np.concatenate([true, false])
        truth = score_truth(scores, positives, negatives, PROBABILITY_METRICS)
        scenarios.append(Scenario(f"n {n}, probability {text}, right {right}", draw, truth))
    return scenarios


def _zipf(classes: int, power: float) -> np.ndarray:
    shares = 1 / np.arange(1, classes + 1) ** power
    return shares / shares.sum()


def many_classes() -> list[Scenario]:
    """Ten to fifty classes whose shares follow Zipf's law; wrong predictions follow the shares."""
    scenarios = []
    metrics = shown_metrics("multiclass", "labels")
    sizes = ((10, 1.0, 200), (10, 1.0, 1000), (10, 1.5, 500), (20, 1.0, 500), (20, 1.0, 2000))
    for classes, power, n in (*sizes, (50, 1.0, 1000), (50, 1.0, 5000)):
        for right in (0.7, 0.9, 0.98):
            shares = _zipf(classes, power)
            others = np.tile(shares, (classes, 1)) * (1 - np.eye(classes))
            table = shares[:, None] * (
                right * np.eye(classes) + (1 - right) * others / others.sum(1, keepdims=True)
            )
            name = f"{classes} classes, n {n}, Zipf {power}, {right} right"
            scenarios.append(of_table(name, table, n, metrics))
    return scenarios


_SEPARATION = 2.0  # of a class's own score from the others', in standard deviations


def class_scores() -> list[Scenario]:
    """A normal score for each of ten classes, rare ones among them, and the probabilities that follow."""
    scenarios = []
    for n, power in ((200, 1.0), (500, 1.0), (500, 1.5)):
        shares = _zipf(10, power)

        def draw(rng: np.random.Generator, n: int = n, shares: np.ndarray = shares) -> assay.Rows:
            y, x = _class_draw(rng, n, shares)
            return assay.rows(actual=y, score=x, labels=list(range(len(shares))))

        def sure(rng: np.random.Generator, n: int = n, shares: np.ndarray = shares) -> assay.Rows:
            y, x = _class_draw(rng, n, shares)
            p = special.softmax(np.log(shares) + _SEPARATION * x, axis=1)
            return assay.rows(actual=y, score=p, labels=list(range(len(shares))))

        area = float(special.ndtr(_SEPARATION / np.sqrt(2)))  # of any two classes, and of one and the rest
        name = f"10 classes, n {n}, Zipf {power}"
        scenarios.append(Scenario(f"{name}, scores", draw, {"hand_till_auc": area, "macro_auc": area}))
        scenarios.append(Scenario(f"{name}, probabilities", sure, _class_losses(10, power)))
    return scenarios


def _class_draw(rng: np.random.Generator, n: int, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = np.searchsorted(shares.cumsum()[:-1], rng.random(n))
    x = rng.standard_normal((n, len(shares)))
    x[np.arange(n), y] += _SEPARATION
    return y, x


@functools.cache
def _class_losses(classes: int, power: float) -> dict[str, float]:
    """Return the mean losses over 4 million rows; their error is below 2% of an interval's half width."""
    rng = np.random.Generator(np.random.Philox(key=20))
    shares = _zipf(classes, power)
    logs, squares, lots = 0.0, 0.0, 40
    for _ in range(lots):
        y, x = _class_draw(rng, 100_000, shares)
        p = special.softmax(np.log(shares) + _SEPARATION * x, axis=1)
        own = np.take_along_axis(p, y[:, None], axis=1)[:, 0]
        logs -= float(np.mean(np.log(own)))
        squares += float(np.mean((p**2).sum(axis=1) - 2 * own + 1))
    # The probabilities are those of the population, so that they are calibrated.
    calibration = {"top_label_calibration_error": 0.0}
    return {"multiclass_log_loss": logs / lots, "multiclass_brier": squares / lots, **calibration}


_LENGTH = 8  # items of a list


def few_queries() -> list[Scenario]:
    """Five to twenty ranked lists, relevant items far up: each set of their places has a known chance."""
    scenarios = []
    for n, relevant, pull in itertools.product((5, 10, 20), (1, 3), (0.1, 0.3, 1.0)):
        places = np.array(list(itertools.combinations(range(_LENGTH), relevant)))
        lists = np.zeros((len(places), _LENGTH), dtype=np.int64)
        np.put_along_axis(lists, places, 1, axis=1)
        chances = np.exp(-pull * places.sum(axis=1))
        chances /= chances.sum()

        def draw(
            rng: np.random.Generator, n: int = n, lists: np.ndarray = lists, chances: np.ndarray = chances
        ) -> assay.Rows:
            return _ranked(lists[rng.choice(len(lists), n, p=chances)])

        truth = {}
        for name in shown_metrics("ranking"):
            each = [float(find(name)(_ranked(one[None]), k=3)) for one in lists]
            truth[f"{name} k=3"] = float(np.dot(chances, each))
        hits = truth["hit_rate k=3"]
        scenarios.append(
            Scenario(f"{n} queries, {relevant} relevant, pull {pull}, hit rate {hits:.3f}", draw, truth)
        )
    return scenarios


def _ranked(lists: np.ndarray) -> assay.Rows:
    return assay.rows(
        actual=lists.ravel(),
        score=np.tile(np.arange(_LENGTH, 0, -1), len(lists)),
        query=np.repeat(np.arange(len(lists)), _LENGTH),
    )


FAMILIES: dict[str, Callable[[], list[Scenario]]] = {
    "rare positives": rare_scores,
    "useless model": useless,
    "one error": one_error,
    "rare probabilities": rare_probabilities,
    "sure probabilities": sure_probabilities,
    "many classes": many_classes,
    "class scores": class_scores,
    "few queries": few_queries,
}
