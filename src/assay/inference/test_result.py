"""The result of a test: the statistic, its p-value and the effect it speaks of."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate

__all__ = ["Test"]


@dataclasses.dataclass(frozen=True, slots=True)
class Test:
    """What a test found, by which method, and the estimate of what it tests.

    ``statistic`` is None for tests that have none but their p-value, ``df`` where the distribution has no
    degrees of freedom; two of them are a pair. ``p`` is undefined, with the reason, where the test
    cannot be made. ``note`` says which fall-back was taken.

    >>> Test("paired t", 2.4303, 7, 0.0454)
    paired t: 2.43 (df 7), p = 0.0454
    """

    __test__ = False  # not one of pytest's

    method: str
    statistic: float | None
    df: float | tuple[float, float] | None
    p: Value
    estimate: Estimate | None = None
    note: str = ""

    def __repr__(self) -> str:
        parts = [] if self.statistic is None else [f"{self.statistic:.4g}"]
        if self.df is not None:
            df = self.df if isinstance(self.df, tuple) else (self.df,)
            parts.append(f"(df {', '.join(f'{one:.4g}' for one in df)})")
        p = repr(self.p) if isinstance(self.p, Undefined) else f"{self.p:.4g}"
        shown = f"{' '.join(parts)}, " if parts else ""
        return f"{self.method}: {shown}p = {p}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: null and a reason where there is no p-value, never NaN."""
        data: dict[str, Any] = {"method": self.method, "statistic": self.statistic}
        data["df"] = list(self.df) if isinstance(self.df, tuple) else self.df
        data["p"] = None if isinstance(self.p, Undefined) else self.p
        if isinstance(self.p, Undefined):
            data["reason"] = self.p.reason
        if self.estimate is not None:
            data["estimate"] = self.estimate.to_dict()
        if self.note:
            data["note"] = self.note
        return data
