"""The rows of a table of slices as plain data: values, differences from the rest, and tests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.formatting.numbers import number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.inference.differences.difference import Difference
    from assay.inference.estimate import Estimate

__all__ = ["SliceLine", "SliceReport", "line_table"]

_FIELDS = ("by", "metric", "label", "n", "share")
_ORDER = (
    "by", "slice", "n", "share", "metric", "value", "method", "rest", "difference", "p_value",
    "adjusted_p_value", "too_few", "reason",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SliceLine:
    """One slice's value of a metric, and its difference from the rest where that was tested.

    The value is computed when it is first asked for: of many slices a page shows the worst only.
    """

    by: str
    metric: str
    label: str
    n: int
    share: float
    rows: Evaluation
    difference: Difference | None
    too_few: str = ""

    @property
    def estimate(self) -> Estimate:
        """The slice's value of the metric with its interval."""
        return self.rows[self.metric]

    @property
    def reason(self) -> str:
        """Why there is no value, or no test; empty where there are both."""
        diff, value = self.difference, self.estimate.value
        if isinstance(value, Undefined) or self.too_few or diff is None:
            return value.reason if isinstance(value, Undefined) else self.too_few
        return next(
            (item.reason for item in (diff.difference, diff.p_value) if isinstance(item, Undefined)), ""
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: None where there is no number."""
        return {name: column[0] for name, column in line_table([self]).flat().items()}


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
    remark: str = ""


def line_table(lines: Sequence[SliceLine]) -> ResultTable:
    """Return lines as a table: each slice's value, its difference from the rest and the test of it."""
    diffs = [line.difference for line in lines]
    # A p-value is shown with a test only: Holm has corrected what was tested.
    tested = [diff is not None and not isinstance(diff.p_value, Undefined) for diff in diffs]
    columns: dict[str, list[Any]] = {name: [getattr(line, name) for line in lines] for name in _FIELDS}
    columns["value"] = [IntervalCell.of(line.estimate) for line in lines]
    columns["method"] = [line.estimate.method for line in lines]
    columns["rest"] = [None if diff is None else number_or_none(diff.values[0]) for diff in diffs]
    columns["difference"] = [
        IntervalCell(None)
        if diff is None
        else IntervalCell(number_or_none(diff.difference), diff.low, diff.high)
        for diff in diffs
    ]
    for name, field in (("p_value", "p_value"), ("adjusted_p_value", "adjusted")):
        columns[name] = [
            number_or_none(getattr(diff, field)) if known else None
            for diff, known in zip(diffs, tested, strict=True)
        ]
    columns["too_few"] = [bool(line.too_few) for line in lines]
    columns["reason"] = [line.reason for line in lines]
    columns["slice"] = columns.pop("label")
    return ResultTable(
        {name: columns[name] for name in _ORDER},
        printed_as={"metric": metric_title},
        frame_only=("method", "too_few", "reason"),
    )
