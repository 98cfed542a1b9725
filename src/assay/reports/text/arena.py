"""An arena as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import count_of, p_text
from assay.formatting.table import listed
from assay.formatting.width import clean
from assay.reports.text.result_text import ResultParts, draw_result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.preferences.arena_result import Arena

__all__ = ["draw", "parts_of"]

_MAX_MODELS = 12  # of which the shares of wins are printed
_METHODS = {
    "bradley-terry": "Bradley-Terry", "davidson": "Davidson's model of ties",
    "half": "Bradley-Terry, ties as half",
    "rao-kupper": "Rao and Kupper's model of ties",
}  # fmt: skip
_SMALL_P = 0.01


def draw(result: Arena, *, width: int = 80) -> str:
    """Return an arena as lines of at most so many columns."""
    return draw_result(parts_of(result), width=width)


def parts_of(result: Arena) -> ResultParts:
    """Return what an arena says: title, tables, notes and conclusions."""
    clusters = f" in {count_of(result.clusters, 'group')}" if result.clusters else ""
    title = (
        f"{count_of(len(result.models), 'model')}, {count_of(result.comparisons, 'comparison')}{clusters}, "
        f"{count_of(result.ties, 'tie')}; "
        f"{_METHODS[result.method]}"
    )
    tables = result.tables()
    if len(result.models) > _MAX_MODELS:
        tables = tables[:1]
    confidence = f"{100 * result.confidence:g}%"
    notes = [
        f"Ranks hold together with {confidence} confidence; models that share a letter cannot be told apart.",
        *result.notes,
    ]
    return ResultParts(title, tables, notes, [*_conclusions(result)])


def _conclusions(result: Arena) -> Iterator[str]:
    best = [str(model) for model in result.tied_with_best]
    if len(best) == 1 and result.ranks[result.tied_with_best[0]] == (1, 1):
        yield f"{best[0]} is the best."
    elif len(best) == 1:
        yield f"{best[0]} is the best by a test of that alone; ranks that hold together are wider."
    else:
        yield f"The best is {listed(map(clean, best), last=' or ')}: the comparisons cannot tell which."
    position = result.position
    if position is not None and position.low is not None and position.high is not None:
        amount = f"{float(position):+.3f} [{position.low:+.3f}, {position.high:+.3f}]"
        side = "left" if float(position) > 0 else "right"
        if position.low > 0 or position.high < 0:
            yield f"The {side} answer is preferred for its position: {amount} on the log odds."
        else:
            yield f"No preference for a position is shown: {amount} on the log odds."
    flips, both = result.order_flips
    if both:
        yield f"Of {both:,} pairs shown in both orders, the same side won both times in {flips:,}."
    if isinstance(result.fit.p_value, float) and result.fit.p_value < _SMALL_P:
        yield (
            "Wins of some pairs are not those that the strengths expect "
            f"({p_text(result.fit.p_value)}): preferences may go in circles."
        )
