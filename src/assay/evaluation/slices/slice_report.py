"""The rows of a table of slices as plain data: values, differences from the rest, and tests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.metrics import Undefined

if TYPE_CHECKING:
    from assay.inference.differences.difference import Difference
    from assay.inference.estimate import Estimate

__all__ = ["SliceLine", "SliceReport"]


@dataclasses.dataclass(frozen=True)
class SliceLine:
    """One slice's value of a metric, and its difference from the rest where that was tested."""

    metric: str
    label: str
    n: int
    share: float
    estimate: Estimate
    difference: Difference | None
    too_few: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: None where there is no number."""
        found, own = self.difference, self.estimate
        known = found is not None and not isinstance(found.difference, Undefined)
        tested = found is not None and not isinstance(found.p, Undefined)
        reason = own.value.reason if isinstance(own.value, Undefined) else self.too_few
        if not reason and found is not None:
            lacking = [one for one in (found.difference, found.p) if isinstance(one, Undefined)]
            reason = lacking[0].reason if lacking else ""
        return {
            "slice": self.label,
            "n": self.n,
            "share": self.share,
            "metric": self.metric,
            "value": float(own) if own.defined else None,
            "low": own.low,
            "high": own.high,
            "method": own.method,
            "rest": _number(found.values[0]) if found is not None else None,
            "difference": _number(found.difference) if found is not None and known else None,
            "difference_low": found.low if found is not None else None,
            "difference_high": found.high if found is not None else None,
            "p": _number(found.p) if found is not None and tested else None,
            "adjusted_p": _number(found.adjusted) if found is not None and tested else None,
            "too_few": bool(self.too_few),
            "reason": reason,
        }


@dataclasses.dataclass(frozen=True)
class SliceReport:
    """The contents of a table of slices: a line per metric and slice, and the number of tests."""

    by: str
    slices: int
    n: int
    unit: str
    confidence: float
    family: int
    lines: tuple[SliceLine, ...]
    groups: str = ""


def _number(value: Any) -> float | None:
    return None if value is None or isinstance(value, Undefined) else float(value)
