"""The catalogue of metrics as people read it: a list, one entry in full, Markdown, plain data."""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from typing import TYPE_CHECKING, Any

from assay.inference.intervals.choose_interval import methods_for
from assay.metrics import catalogue, find
from assay.metrics.interpretation import SCALES
from assay.metrics.peer_differences import DIFFERENCES
from assay.metrics.peer_names import AMBIGUOUS, PEER_NAMES, PEER_SPECS
from assay.reports.measured_coverage import MEASURED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.metrics import Metric

__all__ = ["as_data", "as_markdown", "as_text", "entry", "metric_facts", "related_metrics"]

_WIDTH = 80
_RELATED = 6
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
      interval    proportion
      coverage    in 188 simulated settings, 1 of them too low; the worst covered
                  0.811 (cluster labels: 15 clusters, Poisson, ICC 0.05, 10% of them
                  positive)
      elsewhere   pos_pred_value
      differs     scikit-learn and torchmetrics return 0 where it is undefined
      reads       a confusion tally: one class against the rest
      related     specificity, negative_predictive_value, recall,
                  false_positive_rate, false_negative_rate, false_discovery_rate
    """
    metric = find(name)
    also = f", also called {', '.join(metric.aliases)}" if metric.aliases else ""
    facts = metric_facts(metric)
    lines = [metric.name + also, f"  {metric.meaning}"]
    lines += [f"  {key:<11} {value}" for key, value in facts.items() if value]
    lines += [f"  {paragraph}" for paragraph in metric.notes.split("\n\n") if paragraph]
    return "\n".join(
        textwrap.fill(line, _WIDTH, subsequent_indent=" " * (14 if line[2:13].strip() in facts else 2))
        for line in lines
    )


def metric_facts(metric: Metric) -> dict[str, str]:
    """Return what there is to know about a metric, by the word for it: what is empty is left out.

    The command line and the metric's page in the documentation show these same facts.

    >>> metric_facts(find("macro_auc"))["elsewhere"]
    'roc_aunu, roc_auc_ovr, roc_auc_score (ovr, macro)'
    """
    facts = {
        "formula": metric.expression,
        "range": _range(metric),
        "undefined": _undefined(metric),
        "options": ", ".join(f"{key}={value!r}" for key, value in metric.options.items()),
        "interval": _interval(metric),
        "coverage": _coverage(metric),
        "elsewhere": "; ".join(_elsewhere(metric)),
        "differs": DIFFERENCES.get(metric.name, ""),
        "words": ", ".join(scale.name for scale in SCALES.values() if scale.metric == metric.name),
        "reads": f"a {metric.reads.tally.kind} tally: {metric.reads.title}",
        "related": ", ".join(related.name for related in related_metrics(metric)),
    }
    if facts["words"]:
        facts["words"] += ": see assay.metrics.interpretation"
    return {key: value for key, value in facts.items() if value}


def related_metrics(metric: Metric) -> list[Metric]:
    """Return the metrics that its text names, and those declared beside it, the nearest first.

    >>> [related.name for related in related_metrics(find("f2"))]
    ['f1', 'f_half', 'f_beta', 'jaccard', 'rate_of_negative_predictions', 'positive_likelihood_ratio']
    """
    order = [other for other in catalogue() if other.home == metric.home and not other.is_custom]
    position = {other.name: number for number, other in enumerate(order)}
    beside = sorted(order, key=lambda other: abs(position[other.name] - position.get(metric.name, 0)))
    words = {*re.findall(r"\w+", f"{metric.notes} {metric.expression}")}
    named = [other for other in catalogue() if other.name in words]
    chosen = {other.name: other for other in [*named, *beside] if other is not metric}
    return list(chosen.values())[:_RELATED]


def _interval(metric: Metric) -> str:
    """Return the names of the methods tried for its interval, or why it has none."""
    rule = methods_for(metric, {})
    return ", then ".join(rule.methods) if rule.methods else f"none: {rule.reason}"


def _coverage(metric: Metric) -> str:
    """Return how often its 95% intervals held the truth in simulations; nothing where it has none."""
    if metric.name not in MEASURED or not methods_for(metric, {}).methods:
        return ""
    settings, low, worst, where = MEASURED[metric.name]
    too_low = f"{low:,} of them too low" if low else "none of them too low"
    return f"in {settings:,} simulated settings, {too_low}; the worst covered {worst:.3f} ({where})"


def _elsewhere(metric: Metric) -> Iterator[str]:
    """Yield the names of other packages, and how a name of theirs may mean something else."""
    peer_names = [name for name, ours in PEER_NAMES.items() if ours == metric.name]
    peer_names += [
        f"{name} (with {', '.join(f'{key}={value!r}' for key, value in options.items())})"
        for name, (ours, options) in PEER_SPECS.items()
        if ours == metric.name
    ]
    if peer_names:
        yield ", ".join(peer_names)
    for name, meanings in AMBIGUOUS.items():
        if re.search(rf"(^|, |\bor ){metric.name}\b", meanings):
            yield f"{name} means different things: {meanings}"


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
    places = {
        title: place
        for place, title in reversed(list(enumerate(chosen_metric.reads.title for chosen_metric in chosen)))
    }
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
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
