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
    name: str = ""
    actual: str = "actual"
    predicted: str = "predicted"
    score: str = "score"
    weight: str = ""
    group: str = ""
    library: str = ""  # whose data frames the caller brought
