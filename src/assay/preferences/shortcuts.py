"""Text and plot of an arena, each loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from assay.preferences.arena_result import Arena

__all__ = ["ArenaShortcuts"]


class ArenaShortcuts(Result):
    """The text and the plot of models ranked by preferences."""

    def text(self, *, width: int = 80) -> str:
        """Return the ranking and what it rests on, in lines of at most so many columns."""
        from assay.reports.text.arena import draw  # noqa: PLC0415 - circular import

        return draw(cast("Arena", self), width=width)

    def to_html(self, *, title: str = "Models ranked by preferences") -> str:
        """Return a page with every interval drawn: one self-contained document, without scripts."""
        from assay.reports.page.result_page import result_html  # noqa: PLC0415 - circular import
        from assay.reports.text.arena import parts_of  # noqa: PLC0415

        return result_html(parts_of(cast("Arena", self)), title)

    def report(self, path: str | os.PathLike[str], *, title: str = "Models ranked by preferences") -> Path:
        """Write the page of :meth:`to_html`, and return its path."""
        from assay.reports.page import write  # noqa: PLC0415 - circular import

        return write(self.to_html(title=title), path)

    def plot(self, **options: Any) -> Any:
        """Draw the ratings with their intervals, best first, and return the axes; options are `forest`'s."""
        from assay.plots.forest import forest  # noqa: PLC0415 - circular import

        result = cast("Arena", self)
        drawn = {model: result.ratings[model] for model in result.order}
        return forest(drawn, **{"title": "Ratings", "sizes": False, "x": "1000 is the mean", **options})
