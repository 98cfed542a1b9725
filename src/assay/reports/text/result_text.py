"""A result as text: a title, its tables one below the other, notes, and what they show in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.formatting.table import listed, paragraph
from assay.formatting.width import clean
from assay.hints import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.formatting.result_table import ResultTable

__all__ = ["ResultParts", "draw_result", "missing_notes"]


class ResultParts(NamedTuple):
    """What a result says, in the order in which it is read: for a terminal as for a page."""

    title: str
    tables: Sequence[ResultTable]
    notes: Sequence[str]
    conclusions: Sequence[str]


def draw_result(parts: ResultParts, *, width: int = 80) -> str:
    """Return the parts of a result as lines of at most so many columns."""
    blocks = [paragraph(clean(parts.title), max_width=width)]
    blocks += [table.to_text(width=width) for table in parts.tables]
    notes = [line for note in parts.notes
             for line in paragraph(clean(render(note)), max_width=width, indent=2)]  # fmt: skip
    conclusions = [
        line for text in parts.conclusions for line in paragraph(clean(render(text)), max_width=width)
    ]
    return "\n\n".join("\n".join(block) for block in [*blocks, notes, conclusions] if block)


def missing_notes(estimates: Mapping[str, Any]) -> Iterator[str]:
    """Say of estimates that have no value, or no interval, why: those of one reason together.

    >>> from assay.metrics import Undefined
    >>> from assay.inference.estimate import Estimate
    >>> why = Undefined("all are equal")
    >>> list(missing_notes({name: Estimate(why, None, None, 0.95, "", 3) for name in ("alpha", "kappa")}))
    ['No value of alpha and kappa: all are equal.']
    >>> list(missing_notes({"mean": Estimate(0.5, None, None, 0.95, "", 1, "a single item shows no spread")}))
    ['No interval of mean: a single item shows no spread.']
    """
    names: dict[tuple[str, str], list[str]] = {}
    for name, estimate in estimates.items():
        if not estimate.defined:
            names.setdefault(("value", estimate.value.reason), []).append(name)
        elif estimate.low is None and estimate.note:
            names.setdefault(("interval", estimate.note), []).append(name)
    for (what, reason), these in names.items():
        yield f"No {what} of {listed(these)}: {reason}."
