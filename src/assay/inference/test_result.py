"""The result of a hypothesis test: statistic, p-value, and the estimated effect with its interval."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Literal, TypeAlias

from assay.formatting.numbers import p_text
from assay.metrics import Undefined, Value

__all__ = ["Alternative", "TestResult"]

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]


@dataclasses.dataclass(frozen=True, slots=True)
class TestResult:
    """A hypothesis test's name, its statistic and degrees of freedom where it has them, and its p-value.

    `estimate` is what the test is about (an odds ratio, a difference) with its interval and standard error
    where there are any; `note` says what a reader should know. An F has a pair of degrees of freedom.

    >>> TestResult("paired t test", 2.4303, 7, 0.0454)
    paired t test: statistic 2.4303, df 7, p = 0.0454
    """

    __test__: ClassVar[bool] = False  # pytest does not collect it

    method: str
    statistic: Value | None
    df: float | tuple[float, float] | None
    p_value: Value
    alternative: Alternative = "two-sided"
    estimate: Value | None = None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    note: str = ""
    standard_error: float | None = None

    def __repr__(self) -> str:
        if isinstance(self.p_value, Undefined):
            return f"{self.method}: {self.p_value!r}"
        parts = [f"statistic {self.statistic:.5g}"] if self.statistic is not None else []
        if self.df is not None:
            df = self.df if isinstance(self.df, tuple) else (self.df,)
            parts.append(f"df {' and '.join(f'{number:.5g}' for number in df)}")
        return f"{self.method}: {', '.join([*parts, p_text(self.p_value)])}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: null and a reason where there is no p-value, never NaN.

        >>> TestResult("a coin", None, None, 0.5).to_dict()
        {'method': 'a coin', 'p_value': 0.5, 'alternative': 'two-sided', 'note': ''}
        """
        data = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if isinstance(self.p_value, Undefined):
            data["reason"] = self.p_value.reason
        for name in ("statistic", "p_value", "estimate"):
            if isinstance(data[name], Undefined):
                data[name] = None
        return {name: value for name, value in data.items() if value is not None or name == "p_value"}
