"""A table of slices as text: each slice's metrics, how it differs from the rest, and what that shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.formatting.table import JOINED, grid, paragraph
from assay.formatting.width import clean
from assay.inference.test_result import p_text
from assay.metrics import Undefined
from assay.reports.summary import shown_name

if TYPE_CHECKING:
    from assay.evaluation.slices.slice_report import SliceLine, SliceReport
    from assay.inference.differences.difference import Difference
    from assay.inference.estimate import Estimate

__all__ = ["draw", "sentences"]

_LARGE = 100  # from here on three decimals are more than one reads


def draw(report: SliceReport, *, width: int = 80) -> str:
    """Return the tables, metric by metric, with what they show below."""
    said = [f"{report.slices} slices by {clean(report.by)}", f"{report.n:,} {report.unit}"]
    said += [f"rows grouped by {clean(report.groups)}"] if report.groups else []
    said.append(f"{100 * report.confidence:.3g}% intervals, each for itself")
    said += [f"p corrected by Holm over {report.family} tests"] if report.family > 1 else []
    lines = paragraph(" · ".join(said), room=width)
    for metric in dict.fromkeys(one.metric for one in report.lines):
        head = [clean(report.by), "n", "share", shown_name(metric), "less the rest"]
        head.append("Holm p" if report.family > 1 else "p")
        body = [_cells(one) for one in report.lines if one.metric == metric]
        lines += ["", *grid(head, body, room=width)]
    notes = _notes(report)
    if notes:
        lines += ["", *(line for note in notes for line in paragraph(note, room=width, indent=2))]
    told = sentences(report)
    return "\n".join([*lines, "", *paragraph(" ".join(told), room=width)])


def _cells(one: SliceLine) -> list[str]:
    found = one.difference
    apart, p = "", ""
    if one.too_few:
        p = "too few"
    elif found is not None and not isinstance(found.difference, Undefined):
        limits = "" if found.low is None else f" [{_figure(found.low)}, {_figure(found.high)}]"
        apart = f"{_figure(found.difference, sign=True)}{limits}"
        p = "-" if isinstance(found.p, Undefined) else _p(_p_of(found))
    return [
        clean(one.label), f"{one.n:,}", f"{one.share:.1%}",
        _own(one.estimate), apart, p,
    ]  # fmt: skip


def _own(estimate: Estimate) -> str:
    if isinstance(estimate.value, Undefined):
        return "undefined"
    if estimate.low is None or estimate.high is None:
        return _figure(float(estimate))
    return f"{_figure(float(estimate))} [{_figure(estimate.low)}, {_figure(estimate.high)}]"


def _notes(report: SliceReport) -> list[str]:
    """Return what is to be said of slices that are small or have no value: each reason once."""
    notes: dict[str, list[str]] = {}
    for one in report.lines:
        if one.too_few:
            notes.setdefault(f"too few: {one.too_few}, so that no test is worth making", [])
        if isinstance(one.estimate.value, Undefined):
            of = f"{shown_name(one.metric)} of {clean(one.label)}"
            notes.setdefault(f"undefined: {one.estimate.value.reason}", []).append(of)
    said = []
    for reason, whose in notes.items():
        more = f", and {len(whose) - 3} more" if len(whose) > 3 else ""  # noqa: PLR2004 - what still reads well
        said.append(f"{reason} ({', '.join(whose[:3])}{more})" if whose else reason)
    return said


def sentences(report: SliceReport) -> list[str]:
    """Return what the differences show: the worst slice, or that chance could have made all of them."""
    tested = [
        (one, one.difference)
        for one in report.lines
        if one.difference is not None and not isinstance(one.difference.p, Undefined)
    ]
    if not tested:
        return ["No slice could be tested against the rest."]
    # What is worse comes before what is merely different, and then what is surest.
    decided = sorted(
        ((one, found) for one, found in tested if found.decided),
        key=lambda pair: (_worse(pair[1]) is not True, _p_of(pair[1]), -abs(float(pair[1].difference))),
    )
    if report.slices == 2:  # noqa: PLR2004 - of two slices each is the other's rest: told once
        decided = list({one.metric: (one, found) for one, found in reversed(decided)}.values())[::-1]
    if not decided:
        least = min(_p_of(found) for _, found in tested)
        name = f"smallest {_named(report)} {_equals(least)}"
        return [
            f"No slice differs from the rest beyond chance ({name.replace(' ', JOINED)}).",
            "That does not show that they are alike: the intervals say how far apart they may be.",
        ]
    one, found = decided[0]
    size = f"by {_figure(abs(float(found.difference)))}"
    if found.low is not None and found.high is not None:
        ends = sorted((found.low, found.high), key=lambda end: end * float(found.difference))
        turn = 1 if float(found.difference) > 0 else -1
        size += f" [{_figure(turn * ends[0])}, {_figure(turn * ends[1])}]"
    way = "higher" if float(found.difference) > 0 else "lower"
    p = f"{_named(report)} {_equals(_p_of(found))}".replace(" ", JOINED)
    name, label = shown_name(one.metric), clean(one.label)
    told = [f"{name} is {way} for {label} than for the rest {size.replace(' ', JOINED, 1)}, {p}."]
    if report.family > 1:
        told.append(f"Picked from {report.family} comparisons, it is likely smaller than it looks.")
    if len(decided) > 1:
        more = len(decided) - 1
        told.append(f"{more} more {'difference is' if more == 1 else 'differences are'} beyond chance.")
    return told


def _worse(found: Difference) -> bool | None:
    """Tell whether a slice is worse than the rest; None where neither value is better."""
    if not found.direction:
        return None
    return float(found.difference) * found.direction < 0


def _named(report: SliceReport) -> str:
    return "Holm p" if report.family > 1 else "p"


def _equals(p: float) -> str:
    return p_text(p).removeprefix("p ")


def _p_of(found: Difference) -> float:
    return float(found.p if found.adjusted is None else found.adjusted)


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - what three decimals show


def _figure(value: Any, *, sign: bool = False) -> str:
    number = float(value)
    plus = "+" if sign else ""
    return f"{number:{plus}.3f}" if abs(number) < _LARGE else f"{number:{plus}.4g}"
