"""Comparisons of learning procedures, over resamples and over data sets, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import format_p, p_text, span
from assay.formatting.table import grid, listed, paragraph
from assay.formatting.width import clean
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from assay.comparison.procedures import DatasetComparison, ResampleComparison

__all__ = ["draw_datasets", "draw_resamples"]


def draw_resamples(result: ResampleComparison, *, width: int = 80) -> str:
    """Return a comparison over resamples as lines of at most so many columns."""
    first, second = map(clean, result.names)
    share = f"{100 * result.test_share:.3g}%"
    title = f"{result.resamples} resamples of one data set, each tested on {share} of its rows"
    test = result.test
    shown = f"{result.difference:+.4f}"
    if test.low is not None:
        shown += f" [{test.low:+.4f}, {test.high:+.4f}]"
    means = [f"{mean:.4f}" for mean in result.means]
    table = grid(
        ["", first, second, f"{second} - {first}", "p"],
        [[f"mean {_metric(result)}".strip(), *means, shown, format_p(test.p_value)]],
        max_width=width,
    )
    notes = [f"{100 * result.confidence:g}% interval and p by the corrected resampled t (Nadeau and Bengio)."]
    if result.five_by_two is not None:
        outcome = result.five_by_two.p_value
        reported = outcome.reason if isinstance(outcome, Undefined) else p_text(outcome)
        notes.append(f"5x2cv F test: {reported}.")
    worse, same, better = (f"{100 * chance:.1f}%" for chance in result.posterior)
    notes.append(
        f"Chances that {second} is worse, practically the same (within {result.rope:g}), better: "
        f"{worse}, {same}, {better} (correlated Bayesian t)."
    )
    parts = [
        paragraph(title, max_width=width), table,
        [line for note in notes for line in paragraph(note, max_width=width, indent=2)],
        paragraph(_resamples_conclusion(result, first, second), max_width=width),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts)


def _metric(result: ResampleComparison) -> str:
    return clean(metric_title(result.metric)) if result.metric else ""


def _resamples_conclusion(result: ResampleComparison, first: str, second: str) -> str:
    if isinstance(result.test.p_value, Undefined):
        return f"Nothing can be said: {result.test.p_value.reason}."
    if result.winner is None:
        return f"The resamples cannot tell {first} and {second} apart, which does not make them equal."
    on = f" on {_metric(result)}" if result.metric else ""
    by = f"{abs(result.difference):.4f} ({p_text(result.test.p_value)})"
    return f"{clean(result.winner)} is better{on} by {by}."


def draw_datasets(result: DatasetComparison, *, width: int = 80) -> str:
    """Return a comparison over data sets as lines of at most so many columns."""
    title = f"{len(result.names)} models over {result.sets} data sets; rank 1 is best"
    order = sorted(range(len(result.names)), key=lambda index: (result.ranks[index], index))
    limits = result.rank_intervals
    ranks = grid(
        ["", "mean rank", "rank"],
        [
            [clean(result.names[index]), f"{result.ranks[index]:.3f}", span(*limits[result.names[index]])]
            for index in order
        ],
        max_width=width,
    )
    body = []
    for pair in result.pairs:
        name = f"{clean(pair.second)} - {clean(pair.first)}"
        p_values = map(format_p, (pair.test.p_value, pair.adjusted, pair.nemenyi))
        body.append([name, clean(pair.ahead) if pair.ahead else "neither", *p_values])
    pairs = grid(["", "ahead", "Wilcoxon p", "Holm p", "Nemenyi p"], body, max_width=width)
    overall = result.overall.p_value
    outcome = overall.reason if isinstance(overall, Undefined) else p_text(overall)
    notes = [
        f"All alike? Iman-Davenport: {outcome}.",
        f"Nemenyi's critical difference of mean ranks: {result.critical_difference:.3f}.",
        f"Ranks are of the mean, and hold together with {100 * result.confidence:g}% confidence.",
    ]
    parts = [
        paragraph(title, max_width=width),
        ranks, pairs,
        [line for note in notes for line in paragraph(note, max_width=width, indent=2)],
        paragraph(_datasets_conclusion(result), max_width=width),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts)


def _datasets_conclusion(result: DatasetComparison) -> str:
    won = []
    for pair in result.pairs:
        winner = result.winner(pair.first, pair.second)
        if winner is not None:
            loser = pair.first if winner == pair.second else pair.second
            won.append(f"{clean(winner)} is better than {clean(loser)} (Holm {p_text(pair.adjusted)})")
    best = f" The best mean is that of {listed(map(clean, result.tied_with_best), last=' or ')}."
    if not won:
        return "The data sets cannot tell any two of the models apart, which does not make them equal." + best
    rest = "" if len(won) == len(result.pairs) else "; on the other pairs the data sets cannot tell"
    return f"{listed(won)}{rest}.{best}"
