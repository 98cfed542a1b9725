"""The summary of an evaluation as plain data: headings, metrics with their intervals, and remarks.

Renderers (text, Markdown, the page) draw it; nobody computes while drawing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evaluation.per_class import ClassRow
    from assay.inference.estimate import Estimate

__all__ = ["Line", "Summary"]


@dataclasses.dataclass(frozen=True)
class Line:
    """One metric: name, title, estimate, and remarks printed under it; notes only in the full text."""

    name: str
    title: str
    estimate: Estimate
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    all_looks: Estimate | None = None  # with the interval that holds for all looks at the test set

    @property
    def design_effect(self) -> str:
        """The design effect of grouped rows in words, empty where there is none."""
        effect = self.estimate.design_effect
        if effect is None or effect != effect:  # noqa: PLR0124 - NaN
            return ""
        return f"{self.estimate.groups:,} groups, design effect {effect:.2f}"


@dataclasses.dataclass(frozen=True)
class Summary:
    """A heading, the table of counts where there is one, groups of metrics, and remarks at the end.

    ``table`` holds labels and counts, rows actual, columns predicted; ``classes`` the metrics of each class.
    """

    title: str
    heading: tuple[str, ...]
    groups: tuple[tuple[Line, ...], ...]
    labels: tuple[Any, ...] = ()
    table: tuple[tuple[float, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    classes: tuple[ClassRow, ...] = ()

    def without_remarks(self) -> Summary:
        """Return the summary with nothing but its values."""
        groups = (
            tuple(dataclasses.replace(line, remarks=(), notes=()) for line in group) for group in self.groups
        )
        return dataclasses.replace(self, groups=tuple(groups), remarks=())
