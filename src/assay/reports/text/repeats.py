"""Repeated runs as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.formatting.numbers import count_of, p_text
from assay.reports.text.result_text import ResultParts, draw_result, missing_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.repeated_runs.repeats_result import RepeatedRuns

__all__ = ["draw", "parts_of"]


def draw(result: RepeatedRuns, *, width: int = 80) -> str:
    """Return repeated runs as lines of at most so many columns."""
    return draw_result(parts_of(result), width=width)


def parts_of(result: RepeatedRuns) -> ResultParts:
    """Return what repeated runs say: title, tables, notes and conclusions."""
    clusters = f" in {count_of(result.groups, 'group')}" if result.groups else ""
    models = f", {len(result.models)} models" if len(result.models) > 1 else ""
    title = f"{count_of(result.questions, 'question')}{clusters}, {count_of(result.runs, 'run')}{models}"
    named = {
        f"{metric} of {model}" if models else metric: estimate
        for model in result.models
        for metric, estimate in result.estimates[model].items()
    }
    notes = [*missing_notes(named), *result.notes]
    return ResultParts(title, result.tables(), notes, [*_conclusions(result)])


def _conclusions(result: RepeatedRuns) -> Iterator[str]:
    for item in result.differences:
        if item.metric != "mean":
            continue
        if item.winner is None:
            yield f"The questions cannot tell {item.first} and {item.second} apart by their mean."
        else:
            p = f" ({p_text(item.p_value)})" if item.p_value is not None else ""
            yield f"{item.winner} has the better mean, by {abs(float(item.difference)):.4f}{p}."
    yield from _purchases(result)


def _purchases(result: RepeatedRuns) -> Iterator[str]:
    """Say whether more questions or more runs make the interval shorter."""
    for model in result.models:
        variance = result.variance[model]
        if variance is None:
            continue
        name = f"{model}: " if len(result.models) > 1 else ""
        best = variance.best_runs(*result.costs)
        if not variance.between > 0 and not variance.within > 0:
            yield f"{name}no run differs from another: nothing says whether questions or runs are worth more."
        elif not variance.between > 0:
            yield f"{name}the questions do not differ beyond chance: a run is worth as much as a question."
        elif result.costs[0] > 0:
            runs = "any number of" if math.isinf(best) else f"about {best:.1f}"
            yield f"{name}at these costs {runs} runs of a question are best."
        else:
            yield (
                f"{name}where only runs cost, ask new questions once each rather than these again: "
                f"{100 * variance.icc:.0f}% of the variance lies between questions."
            )
