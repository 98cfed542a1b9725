"""The result of repeated runs: estimates by model, the variance within and between questions, differences."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import MetricError, shown
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_p
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.repeated_runs.shortcuts import RepeatedRunsShortcuts

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.inference.formulas.repeated_runs import RunVariance
    from assay.inputs.labels import Label

__all__ = ["RepeatedRuns", "RunDifference"]


class RunDifference(NamedTuple):
    """A difference of two models on the same questions, second minus first.

    ``correlation`` is that of the question values; ``variance_ratio`` is the variance over that of as many
    unpaired questions: what pairing saves.
    """

    metric: str
    first: Label
    second: Label
    difference: Estimate
    p_value: float | None
    correlation: float | None
    variance_ratio: float | None

    @property
    def winner(self) -> Label | None:
        """The model that is better by more than chance; None where the questions cannot tell."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0 <= high:
            return None
        return self.second if low > 0 else self.first


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RepeatedRuns(RepeatedRunsShortcuts):
    """Estimates of each model by name (``"mean"``, ``"pass@5"``), the variance behind them, and differences.

    ``variance`` says by model how much of the variance lies between questions and how much within.
    """

    estimates: dict[Label, dict[str, Estimate]]
    variance: dict[Label, RunVariance | None]
    differences: tuple[RunDifference, ...]
    questions: int
    runs: int
    groups: int | None
    costs: tuple[float, float]
    confidence: float
    notes: tuple[str, ...] = ()
    library: str = ""

    @property
    def models(self) -> tuple[Label, ...]:
        """The models, in order."""
        return tuple(self.estimates)

    def __getitem__(self, name: Any) -> Any:
        """Return an estimate by its name; where there are several models, a model's estimates."""
        source: Any = self.estimates if len(self.estimates) > 1 else next(iter(self.estimates.values()))
        if name not in source:
            raise MetricError(f'there is no "{name}" here: use {shown(source, 20)}.')
        return source[name]

    __repr__ = RepeatedRunsShortcuts.__str__

    @property
    def _library(self) -> str:
        return self.library

    def best_runs(self, model: Label | None = None) -> float | None:
        """Return how many runs of a question give the smallest error for the money; None where unknown."""
        variance = self.variance[self.models[0] if model is None else model]
        return None if variance is None else variance.best_runs(*self.costs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "questions": self.questions,
            "runs": self.runs,
            "groups": self.groups,
            "models": [
                {
                    "model": model,
                    "estimates": {name: estimate.to_dict() for name, estimate in estimates.items()},
                    "variance": self._variance(model),
                }
                for model, estimates in self.estimates.items()
            ],
            "differences": [
                item._asdict() | {"difference": item.difference.to_dict(), "winner": item.winner}
                for item in self.differences
            ],
            "notes": list(self.notes),
        }
        return dict(json_safe(data))

    def _variance(self, model: Label) -> dict[str, Any] | None:
        variance = self.variance[model]
        if variance is None:
            return None
        return {
            "between": variance.between,
            "within": variance.within,
            "icc": variance.icc,
            "design_effect": variance.design_effect,
            "standard_error": variance.standard_error(),
            "standard_error_one_run": variance.standard_error(runs=1),
            "standard_error_infinite_runs": variance.standard_error(runs=math.inf),
            "standard_error_twice_the_questions": variance.standard_error(questions=2 * variance.questions),
            "standard_error_twice_the_runs": variance.standard_error(runs=2 * variance.runs),
            "best_runs": variance.best_runs(*self.costs),
        }

    def tables(self) -> list[ResultTable]:
        """Return the estimates, the differences, and the variance of each model."""
        pairs = [(model, name) for model, estimates in self.estimates.items() for name in estimates]
        main: dict[str, list[Any]] = {
            "model": [str(model) for model, _ in pairs],
            "metric": [name for _, name in pairs],
            "value": [IntervalCell.of(self.estimates[model][name]) for model, name in pairs],
            "method": [self.estimates[model][name].method for model, name in pairs],
        }
        limits = f"value [{100 * self.confidence:g}% interval]"
        alone = () if len(self.models) > 1 else ("model",)
        tables = [ResultTable(main, headings={"value": limits}, frame_only=(*alone, "method"))]
        if self.differences:
            columns: dict[str, list[Any]] = {
                "metric": [item.metric for item in self.differences],
                "first": [str(item.first) for item in self.differences],
                "second": [str(item.second) for item in self.differences],
                "difference": [IntervalCell.of(item.difference) for item in self.differences],
                "p_value": [item.p_value for item in self.differences],
            }
            tables.append(
                ResultTable(columns, "differences on the same questions, second minus first",
                            headings={"p_value": "p"}, printed_as={"p_value": format_p})
            )  # fmt: skip
        rows = [(model, data) for model in self.models if (data := self._variance(model)) is not None]
        if rows:
            names = ("between", "within", "standard_error", "standard_error_twice_the_questions",
                     "standard_error_twice_the_runs", "standard_error_infinite_runs")  # fmt: skip
            variance: dict[str, list[Any]] = {"model": [str(model) for model, _ in rows]}
            variance |= {name: [data[name] for _, data in rows] for name in names}
            heads = {
                "between": "variance between questions", "within": "variance within questions",
                "standard_error": "standard error now",
                "standard_error_twice_the_questions": "with twice the questions",
                "standard_error_twice_the_runs": "with twice the runs",
                "standard_error_infinite_runs": "with any number of runs",
            }  # fmt: skip
            tables.append(ResultTable(variance, "variance of the mean", headings=heads, frame_only=alone))
        return tables
