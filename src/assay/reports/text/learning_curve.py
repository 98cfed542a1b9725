"""A learning curve as text: a table of sizes for each metric, and whether more rows may help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.formatting.numbers import count_of, format_interval, format_value
from assay.formatting.table import grid, paragraph
from assay.formatting.width import clean
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from assay.crossvalidation.learning_curve import LearningCurve
    from assay.metrics.spec import MetricSpec

__all__ = ["draw"]


def draw(curve: LearningCurve, *, width: int = 80) -> str:
    """Return a learning curve as lines of at most so many columns."""
    title = f"{clean(curve.name)}: learning curve, {curve.how} of {count_of(curve.setup.n, 'row')}"
    parts = [paragraph(title, max_width=width)]
    parts += [_table(curve, spec, width) for spec in curve.setup.metrics]
    parts.append(paragraph(_conclusion(curve), max_width=width))
    if curve.problems:
        first, *others = curve.problems
        where = first.where or ""
        more = f" And {len(others):,} more problem{'s' * (len(others) != 1)}: see problems." if others else ""
        text = f"! {where[:1].upper() + where[1:]}: {first.what}{more}"
        parts.append(paragraph(text, max_width=width, indent=2))
    return "\n\n".join("\n".join(part) for part in parts)


def _table(curve: LearningCurve, spec: MetricSpec, width: int) -> list[str]:
    head = ["rows", metric_title(spec.name), f"{100 * curve.confidence:g}% interval", "training", "gap"]
    body = []
    for size, estimate, training in zip(
        curve.sizes, curve.estimates(spec.name), curve.training(spec.name), strict=True
    ):
        gap = "-"
        if estimate.defined and not isinstance(training, Undefined):
            gap = format_value(abs(training - float(estimate)))
        interval = format_interval(estimate) or "-"
        body.append([f"{size:,}", _number(estimate.value), interval, _number(training), gap])
    return grid(head, body, max_width=width, words=0)


def _conclusion(curve: LearningCurve) -> str:
    """Return what the last two sizes say about the first metric."""
    spec = curve.setup.metrics[0]
    estimates = curve.estimates()[-2:]
    known = len(estimates) == 2 and all(estimate.defined for estimate in estimates)  # noqa: PLR2004
    if not known or estimates[-1].low is None or estimates[-1].high is None:
        return "There are too few sizes to say more."
    growth = float(estimates[-1]) - float(estimates[-2])
    if spec.metric.best is not None and spec.metric.best != spec.metric.bounds[1]:
        growth = -growth
    if growth > (estimates[-1].high - estimates[-1].low) / 4:  # half of the interval's half width
        return f"{metric_title(spec.name)} was still improving with the last rows: more may help."
    return (
        f"From {curve.sizes[-2]:,} to {curve.sizes[-1]:,} rows {metric_title(spec.name)} improved by no more "
        "than the noise between folds: what more rows like these would add is small, or cannot be told."
    )


def _number(value: Any) -> str:
    return "-" if isinstance(value, Undefined) else format_value(value)
