"""The models of a comparison on one metric, best first: values with intervals, ranks, and letters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.json_values import json_safe
from assay.formatting.numbers import span
from assay.formatting.result import Result
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.formulas.rank_intervals import letters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.comparison.standings import Standing
    from assay.inference.differences.difference import Difference
    from assay.inference.estimate import Estimate

__all__ = ["Leaderboard", "leaderboard_of"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """Models in the order of their values; those that share a letter cannot be told apart.

    ``estimates``, ``ranks`` and ``letters`` are by model. A model's own interval does not say whether it
    differs from another: the letters do, by the tests of all pairs.
    """

    metric: str
    estimates: Mapping[str, Estimate]
    ranks: Mapping[str, tuple[int, int]]
    letters: Mapping[str, str]
    confidence: float

    @property
    def order(self) -> list[str]:
        """The models, best first."""
        return list(self.estimates)

    @property
    def tied_with_best(self) -> list[str]:
        """The models that no other is shown to be better than."""
        return [name for name, (low, _) in self.ranks.items() if low == 1]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "metric": self.metric,
            "models": [
                {"model": name, **estimate.to_dict(), "rank": list(self.ranks[name]),
                 "letters": self.letters[name]}
                for name, estimate in self.estimates.items()
            ],
            "tied_with_best": self.tied_with_best,
        }  # fmt: skip
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return a row for each model."""
        columns: dict[str, list[Any]] = {
            "model": self.order,
            "value": [IntervalCell.of(estimate) for estimate in self.estimates.values()],
            "rank": [span(*self.ranks[name]) for name in self.order],
            "letters": [self.letters[name] for name in self.order],
        }
        head = f"{self.metric} [{100 * self.confidence:g}% interval]"
        return [ResultTable(columns, headings={"value": head})]

    def text(self, *, width: int = 80) -> str:
        """Return the models in lines of at most so many columns."""
        return f"{super().text(width=width)}\n\nModels that share a letter cannot be told apart."

    __repr__ = Result.__str__


def leaderboard_of(
    metric: str,
    standings: Sequence[Standing],
    differences: Sequence[Difference],
    estimates: Mapping[str, Estimate],
    confidence: float,
) -> Leaderboard:
    """Return the leaderboard of models in order, from the differences of all pairs of them."""
    names = [model.name for model in standings]
    apart = np.zeros((len(names), len(names)), dtype=bool)
    for difference in differences:
        if difference.winner is not None:
            first, second = names.index(difference.first), names.index(difference.second)
            apart[first, second] = apart[second, first] = True
    marks = letters(apart, range(len(names)))
    return Leaderboard(
        metric, {name: estimates[name] for name in names},
        {model.name: (model.rank_low, model.rank_high) for model in standings},
        dict(zip(names, marks, strict=True)), confidence,
    )  # fmt: skip
