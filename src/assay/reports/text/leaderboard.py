"""Many compared models as text: their values best first, ranks that the tests support, and who is best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.comparison.standings import standings
from assay.formatting.numbers import decimals_for, format_number, p_text
from assay.formatting.table import grid_blocks, listed
from assay.formatting.width import clean
from assay.hints import hint, render
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.comparison.compare import Comparison
    from assay.comparison.standings import Standing

__all__ = ["MAX_MODELS_IN_PAIRS", "leaderboard_conclusions", "leaderboard_lines", "overall_tests"]

MAX_MODELS_IN_PAIRS = 5  # whose pairs can all be read; of more the order is shown
_MAX_NAMED = 4  # models that a sentence names


def leaderboard_lines(comparison: Comparison, width: int) -> list[str]:
    """Return the models in the order of the first metric, with their values of all metrics."""
    metrics = _metrics(comparison)
    boards = {metric: standings(comparison, metric) for metric in metrics}
    columns = {metric: _column(board) for metric, board in boards.items()}
    first = boards[metrics[0]]
    head = ["", "rank", *map(_words, metrics)]
    body = [
        [clean(model.name), _ranks(model), *(columns[metric][model.name] for metric in metrics)]
        for model in first
    ]
    table = render(hint("comparison.to_frame()", "--json"))
    notes = (
        f"rank: on {_words(metrics[0])}, as far as the tests tell",
        "* cannot be told from the best value of its column",
        f"all {len(comparison.differences):,} differences: {table}",
    )
    return [*grid_blocks(head, body, max_width=width), "", *notes]


def leaderboard_conclusions(comparison: Comparison) -> list[str]:
    """Return who is best on which metrics, and who cannot be told from it."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for metric in _metrics(comparison):
        board = standings(comparison, metric)
        if not any(diff.direction for diff in comparison.differences if diff.metric == metric):
            continue
        tied = tuple(model.name for model in board if model.tied)
        if tied:
            groups.setdefault(tied, []).append(_words(metric))
    return [_sentence(names, metrics) for names, metrics in groups.items()]


def overall_tests(comparison: Comparison) -> list[str]:
    """Return the tests of all models at once, in one paragraph."""
    outcomes: dict[str, list[str]] = {}
    for metric, test in comparison.overall.items():
        p = "undefined" if isinstance(test.p_value, Undefined) else p_text(test.p_value)
        outcomes.setdefault(test.method, []).append(f"{_words(metric)} {p}")
    texts = [f"{method}: {', '.join(values)}" for method, values in outcomes.items()]
    return [f"All {len(comparison.names)} models alike? {'; '.join(texts)}."] if texts else []


def _metrics(comparison: Comparison) -> list[str]:
    return list(dict.fromkeys(diff.metric for diff in comparison.differences))


def _column(board: Sequence[Standing]) -> dict[str, str]:
    """Return the values of one metric by model, with a star where the best cannot be told from it."""
    values = [model.value for model in board]
    spec = decimals_for(values, (0.0,))
    return {model.name: f"{format_number(model.value, spec)}{'*' if model.tied else ' '}" for model in board}


def _ranks(model: Standing) -> str:
    return f"{model.rank_low}" if model.rank_low == model.rank_high else f"{model.rank_low}-{model.rank_high}"


def _sentence(names: Sequence[str], metrics: Sequence[str]) -> str:
    best, *others = map(clean, names)
    where = f"{best} has the best value of {listed(metrics)}"
    if not others:
        return f"{where}, and every other model is worse beyond chance."
    if len(others) > _MAX_NAMED:
        return f"{where}; {len(others)} others cannot be told from it."
    return f"{where}; {listed(others)} cannot be told from it."


def _words(name: str) -> str:
    shown = metric_title(name)
    return clean(shown if "(" in name else shown.partition(" (")[0])
