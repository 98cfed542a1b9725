"""Text and plots of comparisons, each loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result
from assay.formatting.table import JOINED

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from assay.comparison.compare import Comparison
    from assay.comparison.procedures import DatasetComparison, ResampleComparison

_MAX_DIFFERENCES = 3  # models of which every two are drawn

__all__ = ["ComparisonShortcuts", "DatasetComparisonShortcuts", "ResampleComparisonShortcuts"]


class ComparisonShortcuts(Result):
    """The text, the conclusion and the plot of a comparison of models."""

    def text(self, *, width: int = 80) -> str:
        """Return the table and the conclusion below it, in lines of at most so many columns."""
        from assay.reports.text.comparison import draw  # noqa: PLC0415 - circular import

        return draw(cast("Comparison", self), width=width)

    @property
    def summary(self) -> str:
        """What the differences show and what they do not, in plain words."""
        from assay.reports.text.comparison import conclusions  # noqa: PLC0415 - circular import

        return " ".join(conclusions(cast("Comparison", self))).replace(JOINED, " ")

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the interactive page of the models and their differences, and return its path.

        Further keywords are those of :func:`assay.report`.
        """
        from assay.reports.page import write  # noqa: PLC0415 - circular import
        from assay.reports.page.build import comparison_html  # noqa: PLC0415

        return write(comparison_html(cast("Comparison", self), **options), path)

    def plot(self, metric: str | None = None, **options: Any) -> Any:
        """Draw the differences with their intervals, of one metric or of all, and return the axes.

        Four models or more are drawn in their order on the metric, or on the first one. Further keywords are
        those of :func:`assay.plots.forest`.
        """
        from assay.plots.forest import differences  # noqa: PLC0415 - circular import
        from assay.plots.model_order import leaderboard  # noqa: PLC0415

        comparison = cast("Comparison", self)
        draw = differences if len(comparison.names) <= _MAX_DIFFERENCES else leaderboard
        return draw(comparison, metric, **options)


class ResampleComparisonShortcuts(Result):
    """The text of a comparison over resamples."""

    def text(self, *, width: int = 80) -> str:
        """Return the comparison as lines of at most so many columns."""
        from assay.reports.text.procedures import draw_resamples  # noqa: PLC0415 - circular import

        return draw_resamples(cast("ResampleComparison", self), width=width)


class DatasetComparisonShortcuts(Result):
    """The text of a comparison over data sets."""

    def text(self, *, width: int = 80) -> str:
        """Return the comparison as lines of at most so many columns."""
        from assay.reports.text.procedures import draw_datasets  # noqa: PLC0415 - circular import

        return draw_datasets(cast("DatasetComparison", self), width=width)
