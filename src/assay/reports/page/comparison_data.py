"""The models of a page side by side: their metrics, their ranks, and the differences of every two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.comparison.compare import compare
from assay.comparison.standings import standings
from assay.errors import AssayError
from assay.evaluation.default_metrics import default_metrics
from assay.formatting.numbers import format_value, p_text
from assay.inference.differences.difference import direction
from assay.metrics import Undefined
from assay.metrics.spec import MetricSpec, metric_title
from assay.reports.page.metric_cells import texts
from assay.reports.text.comparison import pair_lines
from assay.reports.text.leaderboard import leaderboard_conclusions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.comparison.compare import Comparison
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.differences.difference import Difference

__all__ = ["comparison_data"]

_STATED = ("f_beta", "misclassification_cost")  # metrics that a caller asks for by beta= and the costs
_TWO = 2
_MAX_MODELS_IN_WORDS = 3  # whose pairs are all described


def comparison_data(
    several: Sequence[Evaluation], names: list[str], comparison: Comparison | None = None
) -> dict[str, Any]:
    """Return the models' metrics side by side, and their differences where the rows can be paired."""
    shared = [name for name in several[0] if all(name in ev for ev in several[1:])]
    data: dict[str, Any] = {
        "metrics": [
            {
                "label": metric_title(name),
                "direction": direction(MetricSpec.of(name).metric),
                "values": [texts(ev[name]) for ev in several],
            }
            for name in shared
        ],
        "compared": [],
        "methods": [],
        "summary": [],
        "paired": False,
        "family": 0,
    }
    try:
        comparison = comparison or _compare(several, names)
    except AssayError as error:
        data["summary"] = [f"The models were not compared: {error}"]
        return data
    data |= {
        "summary": list(filter(None, _words(comparison))),
        "paired": comparison.paired,
        "family": comparison.family,
    }
    data["compared"] = [
        _compared(comparison, name, several, data["methods"]) for name in _metrics(comparison)
    ]
    return data


def _words(comparison: Comparison) -> list[str]:
    """Return what the comparison says, in lines: of two models with the numbers, of three pair by pair."""
    size = len(comparison.names)
    if size == _TWO:
        return [comparison.summary]
    best = leaderboard_conclusions(comparison)
    return [*best, *pair_lines(comparison)] if size <= _MAX_MODELS_IN_WORDS else best


def _compare(several: Sequence[Evaluation], names: list[str]) -> Comparison:
    """Compare evaluations on the usual metrics that all of them have, and on F-beta and costs if stated."""
    settings = several[0].settings
    usual = [
        name
        for name in default_metrics(several[0].task.name, "comparison")
        if all(name in ev for ev in several)
    ]
    metrics: list[Any] = list(usual)
    for group in several[0].groups:
        metrics += [
            (spec.metric, dict(spec.options))
            for spec in group
            if spec.metric.name in _STATED and all(spec.name in ev for ev in several)
        ]
    return compare(*several, names=names, metrics=metrics or None, confidence=settings.confidence)


def _metrics(comparison: Comparison) -> list[str]:
    return list(dict.fromkeys(diff.metric for diff in comparison.differences))


def _compared(
    comparison: Comparison, metric: str, several: Sequence[Evaluation], methods: list[str]
) -> dict[str, Any]:
    """Return one metric's ranks and differences; what says how they were found is kept once, in `methods`."""
    index = {name: at for at, name in enumerate(comparison.names)}
    differences = [diff for diff in comparison.differences if diff.metric == metric]
    ranks = standings(comparison, metric)
    pairs = []
    for diff in differences:
        method = "; ".join(dict.fromkeys(filter(None, (diff.method, diff.test))))
        if method not in methods:
            methods.append(method)
        pairs.append([index[diff.first], index[diff.second], *_difference(diff), methods.index(method)])
    return {
        "label": metric_title(metric),
        "direction": differences[0].direction,
        "values": [
            texts(ev[metric] if metric in ev else comparison.estimate(metric, name))
            for ev, name in zip(several, comparison.names, strict=True)
        ],
        "order": [index[model.name] for model in ranks],
        "ranks": [[model.rank_low, model.rank_high, model.tied] for model in ranks],
        "pairs": pairs,
    }


def _difference(diff: Difference) -> tuple[list[str | None], str, int]:
    """Return a difference and its limits as printed, its p-value, and who is better.

    1 is the second model, -1 the first, 0 neither beyond chance; 2 a difference of which neither is better.
    """
    numbers = (diff.difference, diff.low, diff.high)
    p = diff.p_value if diff.adjusted is None else diff.adjusted
    text = [None if x is None or isinstance(x, Undefined) else format_value(x) for x in numbers]
    better = 0
    if diff.decided:
        better = 2 if diff.winner is None else 1 if diff.winner == diff.second else -1
    return text, "" if isinstance(p, Undefined) else p_text(p), better
