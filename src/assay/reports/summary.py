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
    """One metric: its name, its estimate, and remarks printed under it; notes only in the full text."""

    name: str
    estimate: Estimate
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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
