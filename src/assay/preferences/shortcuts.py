"""Text and plot of an arena, each loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result

if TYPE_CHECKING:
    from assay.preferences.arena_result import Arena

__all__ = ["ArenaShortcuts"]


class ArenaShortcuts(Result):
    """The text and the plot of models ranked by preferences."""

    def text(self, *, width: int = 80) -> str:
        """Return the ranking and what it rests on, in lines of at most so many columns."""
        from assay.reports.text.arena import draw  # noqa: PLC0415 - circular import

        return draw(cast("Arena", self), width=width)

    def plot(self, **options: Any) -> Any:
        """Draw the ratings with their intervals, best first, and return the axes; options are `forest`'s."""
        from assay.plots.forest import forest  # noqa: PLC0415 - circular import

        result = cast("Arena", self)
        drawn = {model: result.ratings[model] for model in result.order}
        return forest(drawn, **{"title": "Ratings", "sizes": False, "x": "1000 is the mean", **options})
