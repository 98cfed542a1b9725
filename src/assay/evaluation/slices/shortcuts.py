"""Shortcuts of a table of slices to its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.formatting.result import Result
from assay.formatting.table import JOINED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SliceShortcuts"]


class SliceShortcuts(Result):
    """Methods that report a table of slices. Reports know evaluations, so they are imported on first use."""

    @property
    def _slices(self) -> Any:
        return self

    def text(self, metrics: Sequence[str] | str | None = None, *, width: int = 80) -> str:
        """Return the table and its conclusion as text of at most `width` columns."""
        from assay.reports.text.slices import draw  # noqa: PLC0415 - reports stand to the right

        return draw(self._slices.report(metrics), width=width)

    @property
    def summary(self) -> str:
        """The conclusion in a sentence: the worst slice, or that none differs beyond chance."""
        from assay.reports.text.slices import sentences  # noqa: PLC0415 - reports stand to the right

        return " ".join(sentences(self._slices.report())).replace(JOINED, " ")

    def plot(self, metric: str, **options: Any) -> Any:
        """Draw a metric of every slice beside that of all rows; options are those of `assay.plots.forest`."""
        from assay.plots.forest import forest  # noqa: PLC0415 - plots stand to the right

        slices = self._slices
        options = {
            "reference": slices.whole[metric], "title": f"{metric} by {' x '.join(slices.columns)}",
            "x": metric, "sizes": True, **options,
        }  # fmt: skip
        return forest({key: slices[key][metric] for key in slices}, **options)
