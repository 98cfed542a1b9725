"""Comparisons of learning procedures as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.table import grid, listed, paragraph
from assay.formatting.width import clean
from assay.inference.test_result import p_text
from assay.metrics import Undefined
from assay.reports.summary import shown_name

if TYPE_CHECKING:
    from assay.comparison.procedures import DatasetComparison, ResampleComparison

__all__ = ["draw_datasets", "draw_resamples"]


def draw_resamples(found: ResampleComparison, *, width: int = 80) -> str:
    """Return a comparison over resamples as lines of at most so many columns."""
    first, second = map(clean, found.names)
    share = f"{100 * found.test_share:.3g}%"
    title = f"{found.resamples} resamples of one data set, each tested on {share} of its rows"
    test = found.test
    shown = f"{found.difference:+.4f}"
    if test.low is not None:
        shown += f" [{test.low:+.4f}, {test.high:+.4f}]"
    p = "-" if isinstance(test.p, Undefined) else f"{test.p:.3g}"
    means = [f"{mean:.4f}" for mean in found.means]
    table = grid(
        ["", first, second, f"{second} - {first}", "p"],
        [[f"mean {_figure(found)}".strip(), *means, shown, p]],
        room=width,
    )
    sure = 100 * found.confidence
    notes = [f"{sure:g}% interval and p by the corrected resampled t (Nadeau and Bengio)."]
    if found.five_by_two is not None:
        outcome = found.five_by_two.p
        said = outcome.reason if isinstance(outcome, Undefined) else p_text(outcome)
        notes.append(f"5x2cv F test: {said}.")
    worse, same, better = (f"{100 * chance:.1f}%" for chance in found.posterior)
    notes.append(
        f"Chances that {second} is worse, practically the same (within {found.rope:g}), better: "
        f"{worse}, {same}, {better} (correlated Bayesian t)."
    )
    parts = [
        paragraph(title, room=width), table,
        [line for note in notes for line in paragraph(note, room=width, indent=2)],
        paragraph(_resamples_said(found, first, second), room=width),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts)


def _figure(found: ResampleComparison) -> str:
    return clean(shown_name(found.metric)) if found.metric else ""


def _resamples_said(found: ResampleComparison, first: str, second: str) -> str:
    if isinstance(found.test.p, Undefined):
        return f"Nothing can be said: {found.test.p.reason}."
    if found.winner is None:
        return f"The resamples cannot tell {first} and {second} apart, which does not make them equal."
    on = f" on {_figure(found)}" if found.metric else ""
    return f"{clean(found.winner)} is better{on} by {abs(found.difference):.4f} ({p_text(found.test.p)})."


def draw_datasets(found: DatasetComparison, *, width: int = 80) -> str:
    """Return a comparison over data sets as lines of at most so many columns."""
    order = sorted(range(len(found.names)), key=lambda place: (found.ranks[place], place))
    ranks = grid(
        ["", "mean rank"],
        [[clean(found.names[place]), f"{found.ranks[place]:.3f}"] for place in order],
        room=width,
    )
    body = []
    for one in found.pairs:
        p = "-" if isinstance(one.test.p, Undefined) else f"{one.test.p:.3g}"
        adjusted = "-" if isinstance(one.adjusted, Undefined) else f"{one.adjusted:.3g}"
        pair = f"{clean(one.second)} - {clean(one.first)}"
        body.append([pair, clean(one.ahead) if one.ahead else "neither", p, adjusted, f"{one.nemenyi:.3g}"])
    pairs = grid(["", "ahead", "Wilcoxon p", "Holm p", "Nemenyi p"], body, room=width)
    overall = found.overall.p
    outcome = overall.reason if isinstance(overall, Undefined) else p_text(overall)
    notes = [
        f"All alike? Iman-Davenport: {outcome}.",
        f"Nemenyi's critical difference of mean ranks: {found.critical_difference:.3f}.",
    ]
    parts = [
        paragraph(f"{len(found.names)} models over {found.sets} data sets; rank 1 is best", room=width),
        ranks, pairs,
        [line for note in notes for line in paragraph(note, room=width, indent=2)],
        paragraph(_datasets_said(found), room=width),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts)


def _datasets_said(found: DatasetComparison) -> str:
    won = []
    for one in found.pairs:
        winner = found.winner(one.first, one.second)
        if winner is not None:
            loser = one.first if winner == one.second else one.second
            won.append(f"{clean(winner)} is better than {clean(loser)} (Holm p = {one.adjusted:.3g})")
    if not won:
        return "The data sets cannot tell any two of the models apart, which does not make them equal."
    rest = "" if len(won) == len(found.pairs) else "; on the other pairs the data sets cannot tell"
    return f"{listed(won)}{rest}."
