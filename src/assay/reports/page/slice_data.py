"""The slices of a page: each slice's metrics beside those of all rows, the worst first, with their tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.formatting.numbers import format_value, p_text
from assay.formatting.width import LINE, short
from assay.inference.differences.difference import direction
from assay.metrics import Undefined
from assay.metrics.spec import MetricSpec, metric_title
from assay.reports.page.metric_cells import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.slices.slice_report import SliceLine
    from assay.inference.differences.difference import Difference

__all__ = ["slice_table", "slices_of"]

_MAX_SLICES = 1_000  # of a model that have a line of their own
_MAX_SLICE_LINES = 600  # of several models together: each takes up to 700 bytes
_UNNAMED = "by"  # what a column of slices is called that came without a name


def slice_table(slices: Sequence[Any]) -> dict[str, Any]:
    """Return slices as the page has them, of ``{"name", "n", "metrics": {metric: [value, low, high]}}``.

    A number may be None where there is none; a ``"note"`` is shown below the name.

    >>> slice_table([{"name": "Monday", "n": 12, "metrics": {"recall": [0.5, 0.25, 0.75]}}])["rows"][0]
    {'name': 'Monday', 'n': 12, 'note': '', 'metrics': {'recall (TPR)': ('0.5000', '0.2500', '0.7500')}}
    """
    names = list(dict.fromkeys(name for part in slices for name in part["metrics"]))
    rows = [
        {
            "name": short(part["name"]),
            "n": int(part["n"]),
            "note": short(part["note"], LINE) if part.get("note") else "",
            "metrics": {
                metric_title(name): tuple(map(_shown, numbers)) for name, numbers in part["metrics"].items()
            },
        }
        for part in slices[:_MAX_SLICES]
    ]
    return _table(names, rows, len(slices))


def slices_of(ev: Evaluation, *, models: int = 1) -> dict[str, Any] | None:
    """Return the slices of an evaluation by all columns of ``by=``, the worst first, with their tests.

    So many `models` share the page, whose lines they divide between them.
    """
    if not ev.settings.by or (ev.source_rows is None and "slices" not in ev.tallies):
        return None
    lines: list[SliceLine] = []
    notes: list[str] = []
    for key in ev.slices:
        try:
            table = ev.slices[key]
            lines += table.report().lines
            unnamed = table.columns == (_UNNAMED,)
            words = table.summary if unnamed else f"By {' x '.join(table.columns)}: {table.summary}"
            notes.append(short(words, 2 * LINE))
        except AssayError as error:  # more slices than anyone would read, or lists cut in two
            notes.append(short(error, LINE))
    by_slice: dict[tuple[str, str], list[SliceLine]] = {}
    for line in lines:
        by_slice.setdefault((line.by, line.label), []).append(line)
    names = list(dict.fromkeys(line.metric for line in lines))
    ordered = sorted(by_slice.values(), key=_badness)
    rows = [
        {
            "name": short(group[0].label)
            if group[0].by == _UNNAMED
            else f"{short(group[0].by)} = {short(group[0].label)}",
            "n": group[0].n,
            "note": group[0].too_few,
            "metrics": {metric_title(line.metric): texts(line.estimate) for line in group},
            "tests": {
                metric_title(line.metric): _test(line.difference)
                for line in group
                if line.difference is not None and not line.too_few
            },
        }
        for group in ordered[: _MAX_SLICES if models == 1 else _MAX_SLICE_LINES // models]
    ]
    whole = {metric_title(name): texts(ev[name]) for name in names}
    return {**_table(names, rows, len(ordered)), "notes": notes, "all": whole}


def _badness(lines: list[SliceLine]) -> tuple[bool, float]:
    """Return a key that sorts slices by their first metric, the worst first and the small ones last."""
    first = lines[0]
    value = first.estimate.value
    if isinstance(value, Undefined) or math.isnan(value):
        return True, math.inf
    return bool(first.too_few), value * (direction(MetricSpec.of(first.metric).metric) or 1)


def _test(diff: Difference) -> dict[str, Any] | None:
    """Return how far a slice is from the rest, and whether that is beyond chance and for the worse."""
    if isinstance(diff.difference, Undefined) or isinstance(diff.p_value, Undefined):
        return None
    p = diff.p_value if diff.adjusted is None else diff.adjusted
    better = float(diff.difference) * diff.direction if diff.decided else 0.0
    return {
        "difference": f"{'+' if float(diff.difference) > 0 else ''}{format_value(diff.difference)}",
        "p": p_text(float(p)),
        "decided": diff.decided,
        "better": (better > 0) - (better < 0),
    }


def _table(names: Sequence[str], rows: list[dict[str, Any]], known: int) -> dict[str, Any]:
    return {
        "metrics": [metric_title(name) for name in names],
        "directions": [direction(MetricSpec.of(name).metric) for name in names],
        "rows": rows,
        "left_out": known - len(rows),
    }


def _shown(number: Any) -> str | None:
    missing = number is None or isinstance(number, Undefined) or math.isnan(number)
    return None if missing else format_value(float(number))
