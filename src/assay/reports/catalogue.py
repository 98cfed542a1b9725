"""The catalogue of metrics as people read it: a list, one entry in full, Markdown, plain data."""

from __future__ import annotations

import itertools
import math
import textwrap
from typing import TYPE_CHECKING, Any

from assay.metrics import catalogue, find
from assay.metrics.interpretation import SCALES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.metrics import Metric

__all__ = ["as_data", "as_markdown", "as_text", "entry"]

_WIDTH = 80
_NAME = 33  # the longest name still leaves room for its meaning


def as_text(metrics: Iterable[Metric] | None = None) -> str:
    """Return the metrics as a list at 80 columns, under the view of the rows that they read."""
    lines: list[str] = []
    for title, group in _grouped(metrics):
        lines += ["", title[0].upper() + title[1:]]
        for metric in group:
            meaning = textwrap.wrap(metric.meaning, _WIDTH - _NAME - 2)
            lines.append(f"  {metric.name:<{_NAME - 1}} {meaning[0]}")
            lines += [" " * (_NAME + 2) + more for more in meaning[1:]]
    return "\n".join(lines[1:])


def entry(name: str) -> str:
    """Return all there is to know about one metric.

    >>> print(entry("ppv"))
    precision, also called ppv, prec, positive_predictive_value
      Share of predicted positives that are positive.
      formula     tp / (tp + fp)
      range       0 to 1, best 1
      undefined   nothing was predicted positive
      options     positive=None, average=None, undefined='strict'
      reads       a confusion tally: one class against the rest
    """
    metric = find(name)
    also = f", also called {', '.join(metric.aliases)}" if metric.aliases else ""
    facts = {
        "formula": metric.expression,
        "range": _range(metric),
        "undefined": _undefined(metric),
        "options": ", ".join(f"{key}={value!r}" for key, value in metric.options.items()),
        "words": ", ".join(scale.name for scale in SCALES.values() if scale.metric == metric.name),
        "reads": f"a {metric.reads.tally.kind} tally: {metric.reads.title}",
    }
    if facts["words"]:
        facts["words"] += ": see assay.metrics.interpretation"
    lines = [metric.name + also, f"  {metric.meaning}"]
    lines += [f"  {key:<11} {value}" for key, value in facts.items() if value]
    lines += [f"  {paragraph}" for paragraph in metric.notes.split("\n\n") if paragraph]
    return "\n".join(
        textwrap.fill(line, _WIDTH, subsequent_indent=" " * (14 if line[2:13].strip() in facts else 2))
        for line in lines
    )


def as_data(metrics: Iterable[Metric] | None = None) -> list[dict[str, Any]]:
    """Return the metrics as plain data, ready for JSON; an infinite bound is None."""
    return [
        {
            "name": metric.name,
            "aliases": list(metric.aliases),
            "meaning": metric.meaning,
            "formula": metric.expression,
            "parameters": {key: _plain(value) for key, value in _parameters(metric).items()},
            "bounds": [_plain(bound) for bound in metric.bounds],
            "best": _plain(metric.best),
            "undefined": _undefined(metric),
            "kind": metric.kind,
            "reads": metric.reads.tally.kind,
            "view": metric.reads.title,
        }
        for metric in (catalogue() if metrics is None else metrics)
    ]


def as_markdown(metrics: Iterable[Metric] | None = None) -> str:
    """Return the metrics as a page: a table per view."""
    lines: list[str] = []
    for title, group in _grouped(metrics):
        lines += [f"\n## {title[0].upper()}{title[1:]}\n"]
        lines += ["| metric | meaning | formula | range, best | undefined when |", "|---|---|---|---|---|"]
        for metric in group:
            names = f"**{metric.name}**" + "".join(f"<br>{alias}" for alias in metric.aliases)
            meaning = "<br>".join([metric.meaning, *metric.notes.split("\n\n")]).removesuffix("<br>")
            own = "".join(f"<br>`{key}={value!r}`" for key, value in _parameters(metric).items())
            cells = (names, meaning, f"`{metric.expression}`{own}", _range(metric), _undefined(metric))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines).strip() + "\n"


def _grouped(metrics: Iterable[Metric] | None) -> Iterator[tuple[str, list[Metric]]]:
    """Yield the metrics under the titles of their views, in the catalogue's order."""
    chosen = list(catalogue() if metrics is None else metrics)
    places = {title: place for place, title in reversed(list(enumerate(one.reads.title for one in chosen)))}
    ordered = sorted(chosen, key=lambda metric: places[metric.reads.title])
    for title, group in itertools.groupby(ordered, key=lambda metric: metric.reads.title):
        yield title, list(group)


def _parameters(metric: Metric) -> dict[str, Any]:
    """Return the options of this very metric: what it shares with all of its view is told there."""
    return {**metric.loss_parameters, **metric.parameters}


def _range(metric: Metric) -> str:
    low, high = (f"{bound:g}".replace("inf", "infinity") for bound in metric.bounds)
    if metric.best is None:
        return f"{low} to {high}"
    best = "the higher the better" if math.isinf(metric.best) else f"best {metric.best:g}"
    return f"{low} to {high}, {best}"


def _undefined(metric: Metric) -> str:
    return metric.undefined if isinstance(metric.undefined, str) else (metric.undefined.__doc__ or "")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
