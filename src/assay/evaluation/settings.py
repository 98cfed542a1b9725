"""What the caller said beside the rows."""

from __future__ import annotations

import dataclasses

__all__ = ["Settings"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the caller said beside the rows: how sure, which error is worse, at which prevalence, how deep."""

    confidence: float = 0.95
    beta: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prevalence: float | None = None
    k: int | None = None
    empty: str | None = None  # what a list without a relevant item counts as, 0 unless it is stated
    name: str = ""
    actual: str = "actual"
    predicted: str = "predicted"
    score: str = "score"
    weight: str = ""
    group: str = ""
    by: tuple[str, ...] = ()
    library: str = ""  # whose data frames the caller brought

    @property
    def costs(self) -> dict[str, float]:
        """What both errors cost, by the names that all take; one that is stated alone is held against 1.

        >>> Settings(cost_fn=5).costs, Settings().costs
        ({'cost_fp': 1.0, 'cost_fn': 5}, {})
        """
        if self.cost_fp is None and self.cost_fn is None:
            return {}
        each = {"cost_fp": self.cost_fp, "cost_fn": self.cost_fn}
        return {name: 1.0 if cost is None else cost for name, cost in each.items()}
