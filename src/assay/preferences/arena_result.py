"""The result of an arena: strengths, ratings, ranks with intervals, and the set tied with the best."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, shown
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import span
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.distributions import normal_p, student_p, student_quantile
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.formulas.rank_intervals import Ranking, letters, rank_models
from assay.inference.test_result import TestResult
from assay.preferences.shortcuts import ArenaShortcuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs.labels import Label

__all__ = ["Arena"]

_PER_STRENGTH = 400 / math.log(10)  # points of a rating, as Elo has them
_MIDDLE = 1000.0


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Arena(ArenaShortcuts):
    """Models ranked by pairwise preferences.

    ``strengths`` are log strengths that add up to 0, in ``covariance`` their errors; ``ranks`` intervals that
    are true together; ``tied_with_best`` the models that may be the best. ``position`` is how much being left
    helps, on the same scale, and ``effects`` are those of the covariates. ``win_rates`` has the share of wins
    of the row's model against the column's, a tie half.
    """

    models: tuple[Label, ...]
    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    position: Estimate | None
    effects: dict[str, Estimate]
    tie_parameter: float | None
    ties: int
    comparisons: int
    clusters: int | None
    df: float | None
    method: str
    separated: bool
    win_rates: NDArray[np.float64]
    meetings: NDArray[np.int64]
    fit: TestResult
    order_flips: tuple[int, int]
    log_likelihood: float
    seed: int
    confidence: float
    notes: tuple[str, ...] = ()
    library: str = ""

    __repr__ = ArenaShortcuts.__str__

    @property
    def _library(self) -> str:
        return self.library

    @functools.cached_property
    def ranking(self) -> Ranking:
        """The ranks by simultaneous tests of all differences, computed when first asked for."""
        return rank_models(
            self.values, self.covariance, confidence=self.confidence, df=self.df, seed=self.seed
        )

    @property
    def order(self) -> list[Label]:
        """The models from strongest to weakest."""
        return [self.models[index] for index in self._order]

    @property
    def _order(self) -> list[int]:
        return sorted(range(len(self.models)), key=lambda index: (-self.values[index], index))

    @property
    def strengths(self) -> dict[Label, Estimate]:
        """Log strengths against the mean of all models, with their own intervals."""
        return {
            model: self._estimate(float(value), math.sqrt(max(float(self.covariance[index, index]), 0.0)))
            for index, (model, value) in enumerate(zip(self.models, self.values, strict=True))
        }

    @property
    def ratings(self) -> dict[Label, Estimate]:
        """Strengths in points, as Elo's: 1000 is the mean, and 400 more are ten times the odds."""
        return {model: _rated(estimate) for model, estimate in self.strengths.items()}

    @property
    def ranks(self) -> dict[Label, tuple[int, int]]:
        """The interval of each model's rank, 1 the best; all are true together with the confidence."""
        limits = zip(self.ranking.low.tolist(), self.ranking.high.tolist(), strict=True)
        return dict(zip(self.models, limits, strict=True))

    @property
    def tied_with_best(self) -> list[Label]:
        """The models that may be the best, strongest first: the best is among them with the confidence."""
        return [self.models[index] for index in self._order if index in self.ranking.tied_with_best]

    @property
    def letters(self) -> dict[Label, str]:
        """Letters by model: two models that share none differ by more than chance."""
        return dict(zip(self.models, letters(self.ranking.apart, self._order), strict=True))

    def difference(self, first: Label, second: Label) -> TestResult:
        """Return the difference of two log strengths, the first less the second, with its test."""
        if first not in self.models or second not in self.models:
            raise MetricError(
                f"{shown([first, second])} are not two of the models: {shown(self.models, 20)}."
            )
        a, b = self.models.index(first), self.models.index(second)
        value = float(self.values[a] - self.values[b])
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        estimate = self._estimate(value, math.sqrt(max(float(variance), 0.0)))
        error = estimate.standard_error or math.nan
        p = normal_p(value / error) if self.df is None else student_p(value / error, self.df)
        return TestResult(
            "difference of log strengths", value / error, self.df, p, estimate=value, low=estimate.low,
            high=estimate.high, confidence=self.confidence, standard_error=error,
        )  # fmt: skip

    def _estimate(self, value: float, error: float) -> Estimate:
        quantile = student_quantile(self.confidence, self.df) if self.df else normal_quantile(self.confidence)
        method = "penalized" if self.separated else "sandwich"
        limits = value - quantile * error, value + quantile * error
        return Estimate(
            value, *limits, self.confidence, method, self.comparisons, "", error, groups=self.clusters
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        strengths, ratings, ranks, marks = self.strengths, self.ratings, self.ranks, self.letters
        data = {
            "method": self.method,
            "comparisons": self.comparisons,
            "ties": self.ties,
            "clusters": self.clusters,
            "separated": self.separated,
            "models": [
                {"model": model, "strength": strengths[model].to_dict(), "rating": ratings[model].to_dict(),
                 "rank": list(ranks[model]), "letters": marks[model]}
                for model in self.order
            ],
            "tied_with_best": self.tied_with_best,
            "position": None if self.position is None else self.position.to_dict(),
            "effects": {name: effect.to_dict() for name, effect in self.effects.items()},
            "tie_parameter": self.tie_parameter,
            "win_rates": {"models": list(self.models), "rates": self.win_rates.tolist(),
                          "comparisons": self.meetings.tolist()},
            "fit": self.fit.to_dict(),
            "shown_in_both_orders": self.order_flips[1],
            "decided_by_position": self.order_flips[0],
            "log_likelihood": self.log_likelihood,
            "notes": list(self.notes),
        }  # fmt: skip
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the ranking, then the share of wins of each model against each other one."""
        ranks, ratings, marks = self.ranks, self.ratings, self.letters
        order = self._order
        wins = self.win_rates * np.where(self.meetings > 0, self.meetings, 0)
        share = np.nansum(wins, axis=1) / np.maximum(self.meetings.sum(axis=1), 1)
        main: dict[str, list[Any]] = {
            "model": [str(model) for model in self.order],
            "rating": [IntervalCell.of(ratings[model]) for model in self.order],
            "rank": [span(*ranks[model]) for model in self.order],
            "letters": [marks[model] for model in self.order],
            "wins": [float(share[index]) for index in order],
            "comparisons": [int(self.meetings[index].sum()) for index in order],
        }
        heads = {"rating": f"rating [{100 * self.confidence:g}% interval]"}
        tables = [ResultTable(main, headings=heads, printed_as={"rating": _points})]
        columns: dict[str, list[Any]] = {"wins_of": [str(self.models[index]) for index in order]}
        for index in order:
            rates = self.win_rates[order, index]
            columns[f"against {self.models[index]}"] = [
                None if math.isnan(rate) else float(rate) for rate in rates
            ]
        names = {name: name for name in columns} | {"wins_of": ""}
        tables.append(ResultTable(columns, "share of wins, a tie half", headings=names))
        return tables


def _points(cell: IntervalCell) -> str:
    return f"{cell.value:.0f} [{cell.low:.0f}, {cell.high:.0f}]"


def _rated(estimate: Estimate) -> Estimate:
    """Return an estimate of a log strength in points."""
    value, low, high = (
        _MIDDLE + _PER_STRENGTH * float(number or 0.0)
        for number in (estimate.value, estimate.low, estimate.high)
    )
    error = _PER_STRENGTH * (estimate.standard_error or 0.0)
    return dataclasses.replace(estimate, value=value, low=low, high=high, standard_error=error)
