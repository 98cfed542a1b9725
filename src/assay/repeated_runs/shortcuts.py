"""Text and plot of repeated runs, each loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from assay.repeated_runs.repeats_result import RepeatedRuns

__all__ = ["RepeatedRunsShortcuts"]


class RepeatedRunsShortcuts(Result):
    """The text and the plot of repeated runs."""

    def text(self, *, width: int = 80) -> str:
        """Return the estimates, the variance and what to buy next, in lines of at most so many columns."""
        from assay.reports.text.repeats import draw  # noqa: PLC0415 - circular import

        return draw(cast("RepeatedRuns", self), width=width)

    def to_html(self, *, title: str = "Repeated runs") -> str:
        """Return a page with every interval drawn: one self-contained document, without scripts."""
        from assay.reports.page.result_page import result_html  # noqa: PLC0415 - circular import
        from assay.reports.text.repeats import parts_of  # noqa: PLC0415

        return result_html(parts_of(cast("RepeatedRuns", self)), title)

    def report(self, path: str | os.PathLike[str], *, title: str = "Repeated runs") -> Path:
        """Write the page of :meth:`to_html`, and return its path."""
        from assay.reports.page import write  # noqa: PLC0415 - circular import

        return write(self.to_html(title=title), path)

    def plot(self, **options: Any) -> Any:
        """Draw the estimates with their intervals, and return the axes; options are those of `forest`."""
        from assay.plots.forest import forest  # noqa: PLC0415 - circular import

        result = cast("RepeatedRuns", self)
        several = len(result.models) > 1
        drawn = {
            f"{model} {name}" if several else name: estimate
            for model, estimates in result.estimates.items()
            for name, estimate in estimates.items()
            if estimate.defined
        }
        return forest(drawn, **{"title": "Repeated runs", "sizes": False, **options})
