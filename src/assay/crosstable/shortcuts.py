"""Text and plot of a cross table, each loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result

if TYPE_CHECKING:
    from assay.crosstable.crosstable import CrossTable

__all__ = ["CrossTableShortcuts"]


class CrossTableShortcuts(Result):
    """The boxes of text that a cross table prints as, and its heat map."""

    def text(self, *, width: int = 80, **options: Any) -> str:
        """Return the table as boxes of text, in blocks of columns where it is wider than `width`.

        Options: `contributions`, `row_shares`, `column_shares`, `table_shares` (all True), `expected`,
        `residuals`, `chisq`, `fisher`, `mcnemar` (all False), `digits` (3), `percent` (shares and accuracy
        as percentages), `ascii` (lines of plain characters).
        """
        from assay.reports.text.crosstable import draw  # noqa: PLC0415 - circular import

        return draw(cast("CrossTable", self), width=width, **options)

    def plot(self, **options: Any) -> Any:
        """Draw the table as a heat map and return the axes; options are those of `assay.plots.confusion`."""
        from assay.plots.confusion import confusion  # noqa: PLC0415 - circular import

        return confusion(self, **options)
