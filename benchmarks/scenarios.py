"""Scenarios of the coverage study: a population, how data sets are drawn from it, and its true values."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

import assay
from assay.evaluation.default_metrics import default_groups
from assay.metrics import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.metrics import Metric

__all__ = [
    "NORMAL_MEAN",
    "Binormal",
    "Scenario",
    "confusion",
    "of_table",
    "score_rows",
    "score_tally",
    "score_truth",
    "shown_metrics",
    "table_truth",
]

NORMAL_MEAN = math.sqrt(2 / math.pi)  # of the absolute value of a standard normal number
_ROWS = 1e12  # of a population that is counted out: its shares are then rounded to 12 decimals
_CELLS = 1 << 16  # of a continuous score, whose areas are then right to five decimals and more


@dataclasses.dataclass
class Scenario:
    """A population: how a data set is drawn from it, and the true value of each metric.

    A metric's name may be followed by its options: ``"f1 average=macro"``.
    """

    name: str
    draw: Callable[[np.random.Generator], Any]
    truth: dict[str, float]

    @staticmethod
    @functools.cache
    def metric(name: str) -> tuple[Metric, dict[str, Any]]:
        """Return the metric of a name with its options."""
        word, *options = name.split()
        pairs = dict(option.split("=") for option in options)
        return find(word), {key: int(value) if value.isdigit() else value for key, value in pairs.items()}

    def estimate(self, metric: Metric, data: Any, options: dict[str, Any]) -> assay.Estimate:
        """Return the default interval."""
        return assay.estimate(metric, data, **options)


@functools.cache
def shown_metrics(task: str, parts: str = "") -> tuple[str, ...]:
    """Return the names of all metrics that a full report shows for a task.

    Of two and more classes the parts are some of "labels", "scores" and "probabilities". Probabilities alone
    are returned without the metrics of scores that a report shows beside them.
    """
    wanted = parts.split()
    known = {part: part in wanted for part in ("labels", "scores", "probabilities")}
    names = _names(task, **known | {"scores": known["scores"] or known["probabilities"]})
    if known["probabilities"] and not known["scores"]:
        ranks = _names(task, labels=False, scores=True, probabilities=False)
        names = [name for name in names if name not in ranks]
    return tuple(dict.fromkeys(names))


def _names(task: str, **parts: bool) -> list[str]:
    groups = default_groups(task, "report", **parts) + default_groups(task, "full report", **parts)
    return [
        " ".join([metric.metric.name, *(f"{key}={value}" for key, value in metric.options.items())])
        for group in groups
        for metric in group
    ]


def truths(metrics: Iterable[str], population: Any) -> dict[str, float]:
    """Return the value of each metric that has a finite one in a population."""
    values = {}
    for name in metrics:
        metric, options = Scenario.metric(name)
        value = float(metric(population, **options))
        if math.isfinite(value):
            values[name] = value
    return values


def confusion(table: np.ndarray) -> assay.Confusion:
    """Return the tally of a table of counts, labels 0, 1, ..."""
    return assay.Confusion.of_table(table, range(len(table)))


def table_truth(shares: np.ndarray, metrics: Iterable[str]) -> dict[str, float]:
    """Return the true values of a table of shares."""
    micro = [name for name in metrics if name.endswith("average=micro")]
    others = [name for name in metrics if name not in micro]
    values = truths(others, confusion(np.rint(shares * 1e15).astype(np.int64)))
    # Micro averages of more than three thousand million rows fail as yet.
    return values | truths(micro, confusion(np.rint(shares * 1e9).astype(np.int64)))


def of_table(
    name: str, shares: np.ndarray, n: int, metrics: tuple[str, ...], *, fixed: bool = False
) -> Scenario:
    """Return the scenario of n rows that fall into a table's cells with these shares.

    With `fixed` each actual class has its expected number of rows in every data set.
    """
    if fixed:
        sizes = np.rint(shares.sum(axis=1) * n).astype(np.int64)
        parts = shares / shares.sum(axis=1, keepdims=True)

        def draw(rng: np.random.Generator) -> assay.Confusion:
            return confusion(rng.multinomial(sizes, parts))
    else:
        flat = shares.ravel() / shares.sum()

        def draw(rng: np.random.Generator) -> assay.Confusion:
            return confusion(rng.multinomial(n, flat).reshape(shares.shape))

    return Scenario(name, draw, table_truth(shares, metrics))


def score_tally(scores: np.ndarray, positives: np.ndarray, negatives: np.ndarray) -> assay.Scores:
    """Return the tally of counts at each of some ascending scores."""
    present = (positives + negatives) > 0
    counts = (part[present].astype(np.uint64) for part in (positives, negatives))
    return assay.Scores(1, np.asarray(scores, dtype=np.float64)[present], None, *counts)


def score_rows(positives: np.ndarray, negatives: np.ndarray) -> assay.Scores:
    """Return the tally of the scores of both classes."""
    y = np.concatenate([np.ones(len(positives), dtype=np.int64), np.zeros(len(negatives), dtype=np.int64)])
    return assay.Scores.of(assay.rows(actual=y, score=np.concatenate([positives, negatives])))


def score_truth(
    scores: np.ndarray, positives: np.ndarray, negatives: np.ndarray, metrics: Iterable[str]
) -> dict[str, float]:
    """Return the true values of scores at which so large a share of all rows is positive, or negative."""
    whole = (np.rint(part * _ROWS) for part in (positives, negatives))
    return truths(metrics, score_tally(scores, *whole))


@dataclasses.dataclass(frozen=True)
class Binormal:
    """Two classes whose latent scores are normal: mean 0 and mean `shift`, standard deviation 1.

    The probability of a positive follows by Bayes' theorem. A model with a `slope` other than 1 or an
    `offset` other than 0 moves its log odds and is miscalibrated.
    """

    prevalence: float
    shift: float
    slope: float = 1.0
    offset: float = 0.0

    @classmethod
    def with_area(cls, area: float, prevalence: float, **more: float) -> Binormal:
        """Return the population with a given area under the ROC curve."""
        return cls(prevalence, float(special.ndtri(area)) * math.sqrt(2), **more)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Return the model's probability at a latent score."""
        odds = special.logit(self.prevalence) + self.shift * x - self.shift**2 / 2
        return special.expit(self.slope * odds + self.offset)

    def cutoff(self, recall: float) -> float:
        """Return the latent score above which so large a share of the positives lies."""
        return self.shift - float(special.ndtri(recall))

    def table(self, cutoff: float) -> np.ndarray:
        """Return the shares of the confusion table, rows actual, of a latent score above a cutoff."""
        false, true = special.ndtr(-cutoff), special.ndtr(self.shift - cutoff)
        p = self.prevalence
        return np.array([[(1 - p) * (1 - false), (1 - p) * false], [p * (1 - true), p * true]])

    @functools.cache  # noqa: B019 - populations are few
    def truth(self, metrics: tuple[str, ...]) -> dict[str, float]:
        """Return the true values of metrics of scores and of probabilities.

        They are those of a tally of the whole population over narrow cells of the latent score. A negative
        shift is that of a model which ranks the wrong way round, and has no probabilities here.
        """
        edges = np.linspace(min(0, self.shift) - 8, max(0, self.shift) + 8, _CELLS + 1)
        middles = (edges[1:] + edges[:-1]) / 2
        scores = self.probability(middles) if self.shift > 0 else middles
        negatives, positives = (np.diff(special.ndtr(edges - mean)) for mean in (0, self.shift))
        return score_truth(scores, self.prevalence * positives, (1 - self.prevalence) * negatives, metrics)
