"""The table of slices as text: each slice's metrics, its differences from the rest, and a conclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import count_of, format_decimal, format_p, p_text
from assay.formatting.table import JOINED, grid, paragraph
from assay.formatting.width import clean
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from assay.evaluation.slices.slice_report import SliceLine, SliceReport
    from assay.inference.differences.difference import Difference
    from assay.inference.estimate import Estimate

__all__ = ["draw", "sentences"]


def draw(report: SliceReport, *, width: int = 80) -> str:
    """Return the tables, metric by metric, with what they show below."""
    parts = [f"{count_of(report.slices, 'slice')} by {clean(report.by)}", f"{report.n:,} {report.unit}"]
    parts += [f"rows grouped by {clean(report.groups)}"] if report.groups else []
    parts.append(f"{100 * report.confidence:.3g}% intervals, each for itself")
    parts += [f"p corrected by Holm over {report.family} tests"] if report.family > 1 else []
    lines = paragraph(" · ".join(parts), max_width=width)
    for metric in dict.fromkeys(line.metric for line in report.lines):
        head = [clean(report.by), "n", "share", metric_title(metric), "less the rest"]
        head.append("Holm p" if report.family > 1 else "p")
        body = [_cells(line) for line in report.lines if line.metric == metric]
        lines += ["", *grid(head, body, max_width=width)]
    notes = _notes(report)
    if notes:
        lines += ["", *(line for note in notes for line in paragraph(note, max_width=width, indent=2))]
    conclusion = [*([report.remark] if report.remark else []), *sentences(report)]
    return "\n".join([*lines, "", *paragraph(" ".join(conclusion), max_width=width)])


def _cells(line: SliceLine) -> list[str]:
    diff = line.difference
    diff_text, p = "", ""
    if line.too_few:
        p = "too few"
    elif diff is not None and not isinstance(diff.difference, Undefined):
        limits = "" if diff.low is None else f" [{format_decimal(diff.low)}, {format_decimal(diff.high)}]"
        diff_text = f"{format_decimal(diff.difference, sign=True)}{limits}"
        p = "-" if isinstance(diff.p_value, Undefined) else format_p(_p_of(diff))
    return [
        clean(line.label), f"{line.n:,}", f"{line.share:.1%}",
        _own(line.estimate), diff_text, p,
    ]  # fmt: skip


def _own(estimate: Estimate) -> str:
    if isinstance(estimate.value, Undefined):
        return "undefined"
    if estimate.low is None or estimate.high is None:
        return format_decimal(float(estimate))
    limits = f"[{format_decimal(estimate.low)}, {format_decimal(estimate.high)}]"
    return f"{format_decimal(float(estimate))} {limits}"


def _notes(report: SliceReport) -> list[str]:
    """Return notes on slices that are small or have no value: each reason once."""
    notes: dict[str, list[str]] = {}
    for line in report.lines:
        if line.too_few:
            notes.setdefault(f"too few: {line.too_few}, so that no test is worth making", [])
        if isinstance(line.estimate.value, Undefined):
            of = f"{metric_title(line.metric)} of {clean(line.label)}"
            notes.setdefault(f"undefined: {line.estimate.value.reason}", []).append(of)
    parts = []
    for reason, whose in notes.items():
        more = f", and {len(whose) - 3} more" if len(whose) > 3 else ""  # noqa: PLR2004 - what still reads well
        parts.append(f"{reason} ({', '.join(whose[:3])}{more})" if whose else reason)
    return parts


def sentences(report: SliceReport) -> list[str]:
    """Return what the differences show: the worst slice, or that chance could have made all of them."""
    tested = [
        (line, line.difference)
        for line in report.lines
        if line.difference is not None and not isinstance(line.difference.p_value, Undefined)
    ]
    if not tested:
        return ["No slice could be tested against the rest."]
    # What is worse comes before what is merely different, then the smallest p-value.
    decided = sorted(
        ((line, diff) for line, diff in tested if diff.decided),
        key=lambda pair: (_worse(pair[1]) is not True, _p_of(pair[1]), -abs(float(pair[1].difference))),
    )
    if report.slices == 2:  # noqa: PLR2004 - of two slices each is the other's rest: named once
        first_of_metric = {line.metric: (line, diff) for line, diff in reversed(decided)}
        decided = list(first_of_metric.values())[::-1]
    if not decided:
        smallest = min(_p_of(diff) for _, diff in tested)
        name = f"smallest {_named(report)} {_equals(smallest)}"
        return [
            f"No slice differs from the rest beyond chance ({name.replace(' ', JOINED)}).",
            "That does not show that they are alike: the intervals say how far apart they may be.",
        ]
    line, diff = decided[0]
    size = f"by {format_decimal(abs(float(diff.difference)))}"
    if diff.low is not None and diff.high is not None:
        ends = sorted((diff.low, diff.high), key=lambda end: end * float(diff.difference))
        turn = 1 if float(diff.difference) > 0 else -1
        size += f" [{format_decimal(turn * ends[0])}, {format_decimal(turn * ends[1])}]"
    way = "higher" if float(diff.difference) > 0 else "lower"
    p = f"{_named(report)} {_equals(_p_of(diff))}".replace(" ", JOINED)
    name, label = metric_title(line.metric), clean(line.label)
    conclusion = [f"{name} is {way} for {label} than for the rest {size.replace(' ', JOINED, 1)}, {p}."]
    if report.family > 1:
        conclusion.append(f"Picked from {report.family} comparisons, it is likely smaller than it looks.")
    if len(decided) > 1:
        more = len(decided) - 1
        conclusion.append(f"{more} more {'difference is' if more == 1 else 'differences are'} beyond chance.")
    return conclusion


def _worse(diff: Difference) -> bool | None:
    """Tell whether a slice is worse than the rest; None where neither value is better."""
    if not diff.direction:
        return None
    return float(diff.difference) * diff.direction < 0


def _named(report: SliceReport) -> str:
    return "Holm p" if report.family > 1 else "p"


def _equals(p: float) -> str:
    return p_text(p).removeprefix("p ")


def _p_of(diff: Difference) -> float:
    return float(diff.p_value if diff.adjusted is None else diff.adjusted)
