"""Settings of an evaluation."""

from __future__ import annotations

import dataclasses

__all__ = ["Settings"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of an evaluation: confidence, costs, prevalence, depth of lists, and names of columns."""

    confidence: float = 0.95
    beta: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prevalence: float | None = None
    k: int | None = None
    empty: str | None = None  # the value of a list without a relevant item; 0 by default
    name: str = ""
    actual: str = "actual"
    predicted: str = "predicted"
    score: str = "score"
    weight: str = ""
    group: str = ""
    by: tuple[str, ...] = ()
    library: str = ""  # the data-frame library of the caller's columns

    @property
    def costs(self) -> dict[str, float]:
        """The costs of both errors; the other one is 1 where only one is given.

        >>> Settings(cost_fn=5).costs, Settings().costs
        ({'cost_fp': 1.0, 'cost_fn': 5}, {})
        """
        if self.cost_fp is None and self.cost_fn is None:
            return {}
        each = {"cost_fp": self.cost_fp, "cost_fn": self.cost_fn}
        return {name: 1.0 if cost is None else cost for name, cost in each.items()}
