"""A page per metric, written from the registry: the facts that ``assay metrics NAME`` prints, and an example."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from formulas import typeset
from metric_pictures import picture

from assay.metrics import Metric, catalogue
from assay.reports.catalogue import metric_facts, related_metrics

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["example", "write"]

# Ten or so rows for each kind of prediction, as an example types them.
ROWS = {
    "labels": (
        "rows = assay.rows(\n    actual=[1, 1, 1, 1, 0, 0, 0, 0, 0, 0],\n    predicted=[1, 1, 1, 0, 1, 0, 0, 0, 0, 0],\n)"
    ),
    "classes": (
        'rows = assay.rows(\n    actual=["low", "low", "low", "mid", "mid", "mid", "high", "high", "high", "high"],\n'
        '    predicted=["low", "low", "mid", "mid", "mid", "high", "high", "high", "low", "high"],\n'
        '    labels=["low", "mid", "high"],\n)'
    ),
    "score": (
        "rows = assay.rows(\n    actual=[1, 1, 1, 1, 0, 0, 0, 0, 0, 0],\n"
        "    score=[0.9, 0.8, 0.6, 0.3, 0.7, 0.4, 0.3, 0.2, 0.2, 0.1],\n)"
    ),
    "class scores": (
        'rows = assay.rows(\n    actual=["a", "a", "b", "b", "c", "c", "b", "a"],\n    score={\n'
        '        "a": [0.7, 0.5, 0.2, 0.1, 0.1, 0.2, 0.4, 0.3],\n        "b": [0.2, 0.3, 0.6, 0.7, 0.2, 0.3, 0.3, 0.4],\n'
        '        "c": [0.1, 0.2, 0.2, 0.2, 0.7, 0.5, 0.3, 0.3],\n    },\n)'
    ),
    "numbers": (
        "rows = assay.rows(\n    actual=[3.0, 5.0, 2.5, 7.0, 4.5, 6.0, 1.0, 8.0],\n"
        "    predicted=[2.5, 5.5, 2.0, 8.0, 4.0, 5.5, 1.5, 7.0],\n)"
    ),
    "lists": (
        'rows = assay.rows(\n    query=["q1"] * 4 + ["q2"] * 4 + ["q3"] * 4,\n    actual=[1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0],\n'
        "    score=[0.9, 0.8, 0.4, 0.1, 0.7, 0.6, 0.5, 0.2, 0.8, 0.3, 0.2, 0.1],\n)"
    ),
    "label sets": (
        "rows = assay.rows(\n    actual=[[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]],\n"
        "    predicted=[[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1]],\n)"
    ),
}
OPTIONS = {"mase": "scale=1.5", "crps_gaussian": "deviation=0.8", "poisson_log_loss": ""}
WHOLE_NUMBERS = ROWS["numbers"].replace("3.0, 5.0, 2.5, 7.0, 4.5, 6.0, 1.0, 8.0", "3, 5, 2, 7, 4, 6, 1, 8")


def write(pages: Path, *, pictures: bool = True) -> None:
    """Write ``reference/metrics/NAME.md`` of every metric, and link the names of the list to them."""
    folder = pages / "reference" / "metrics"
    names = [metric.name for metric in catalogue()]
    for metric in catalogue():
        (folder / f"{metric.name}.md").write_text(
            page(metric, folder if pictures else None), encoding="utf-8"
        )
    index = folder / "index.md"
    text = re.sub(
        r"^\| \*\*(\w+)\*\*", r"| [**\1**](\1.md)", index.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    contents = "\n".join(sorted(names))
    index.write_text(f"{text}\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n", encoding="utf-8")


def page(metric: Metric, folder: Path | None) -> str:
    """Return the page of one metric."""
    facts = metric_facts(metric)
    keywords = " ".join([metric.name.replace("_", " "), *metric.aliases, facts.get("elsewhere", "")])
    quoted = re.sub(r"[\"\\:]", " ", keywords)
    lines = [
        f'---\nmyst:\n  html_meta:\n    keywords: "{quoted}"\n---\n',
        f"# {metric.title}: `{metric.name}`\n",
    ]
    lines += [metric.meaning, ""]
    if metric.aliases:
        lines += ["Also called " + ", ".join(f"`{alias}`" for alias in metric.aliases) + ".", ""]
    formula = typeset(metric.expression, metric.name)
    lines += ["## Formula", "", f"$$\n{formula}\n$$" if formula else f"`{metric.expression}`", ""]
    lines += [paragraph + "\n" for paragraph in metric.notes.split("\n\n") if paragraph]
    if folder is not None and (drawn := picture(metric, folder)):
        lines += [drawn, ""]
    lines += ["## Facts", "", "| | |", "|---|---|"]
    for key in ("range", "undefined", "options", "elsewhere", "differs", "words", "reads"):
        if facts.get(key):
            value = facts[key].replace("|", "\\|")
            lines.append(f"| {LABELS[key]} | {f'`{value}`' if key == 'options' else value} |")
    lines += ["", "## Confidence interval", "", *_interval(facts)]
    lines += ["", "## Example", "", "```python", example(metric), "```", ""]
    lines += [f"In a shell, `assay metrics {metric.name}` prints these facts.", "", "## Related metrics", ""]
    lines += [f"- [{other.title}]({other.name}.md): {other.meaning}" for other in related_metrics(metric)]
    return "\n".join(lines) + "\n"


LABELS = {
    "range": "range", "undefined": "undefined when", "options": "options",
    "elsewhere": "names elsewhere", "differs": "where others differ", "words": "scales of words", "reads": "reads",
}  # fmt: skip


def _interval(facts: dict[str, str]) -> list[str]:
    """Return what is known of the interval: its method, and how often it held the truth."""
    methods = facts["interval"]
    if methods.startswith("none"):
        return [f"It has no interval: {methods.removeprefix('none: ')}."]
    named = [f"[{name}](../../explanation/interval-methods.md#{name})" for name in methods.split(", then ")]
    lines = [f"Methods tried, in this order: {', '.join(named)}.", ""]
    if "coverage" not in facts:
        return [*lines, "Its coverage has not been simulated by itself."]
    return [
        *lines,
        f"Measured [coverage](../../explanation/coverage.md) of 95% intervals: {facts['coverage']}.",
    ]


def example(metric: Metric) -> str:
    """Return a worked example of a metric with its output, run here."""
    kind = "classes" if metric.reads.__name__ in ("Classes", "Ordered") else metric.needs
    rows = WHOLE_NUMBERS if metric.name == "poisson_log_loss" else ROWS[kind]
    options = OPTIONS.get(metric.name, "")
    more = f", {options}" if options else ""
    names: dict[str, Any] = {}
    lines = ["import assay", rows, f"assay.metrics.{metric.name}(rows{more})"]
    if not metric_facts(metric)["interval"].startswith("none"):
        lines += [f'estimate = assay.estimate("{metric.name}", rows{more})', "estimate"]
        lines += ["estimate.method"]
    shown = []
    for line in lines:
        shown.append(">>> " + line.replace("\n", "\n... "))
        try:
            value = eval(line, names)  # noqa: S307 - our own line
        except SyntaxError:
            exec(line, names)  # noqa: S102 - our own line
            continue
        if value is not None:
            shown.append(repr(value))
    return "\n".join(shown)
