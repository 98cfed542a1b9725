"""Several models on the same folds as text: their means, and the differences of all pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.formatting.numbers import format_p
from assay.formatting.table import grid, listed, paragraph
from assay.formatting.width import clean
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from assay.comparison.procedures import ResampleComparison
    from assay.crossvalidation.compare_folds import FoldComparison

__all__ = ["draw"]


def draw(comparison: FoldComparison, *, width: int = 80) -> str:
    """Return a comparison of several models as lines of at most so many columns."""
    metric, first = metric_title(comparison.metric), comparison.pairs[0]
    share = f"{100 * first.test_share:.3g}%"
    title = f"{first.resamples} resamples of one data set, each tested on {share} of its rows"
    means = grid(
        ["", f"mean {metric}"],
        [[clean(name), f"{mean:.4f}"] for name, mean in zip(comparison.names, comparison.means, strict=True)],
        max_width=width,
    )
    pairs = grid(
        ["", "difference", "p", "p (Holm)"],
        [_row(pair, p) for pair, p in zip(comparison.pairs, comparison.adjusted_p_values, strict=True)],
        max_width=width,
    )
    note = (
        f"{100 * comparison.confidence:g}% intervals and p by the corrected resampled t (Nadeau and Bengio); "
        f"p adjusted by Holm over all {len(comparison.pairs)} pairs."
    )
    parts = [
        paragraph(title, max_width=width), means, pairs, paragraph(note, max_width=width, indent=2),
        paragraph(_conclusion(comparison), max_width=width),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts)


def _row(pair: ResampleComparison, adjusted: float) -> list[str]:
    first, second = map(clean, pair.names)
    difference = f"{pair.difference:+.4f}"
    if pair.test.low is not None:
        difference += f" [{pair.test.low:+.4f}, {pair.test.high:+.4f}]"
    known = not math.isnan(adjusted)
    p_values = [format_p(p if known else None) for p in (pair.test.p_value, adjusted)]
    return [f"{second} - {first}", difference, *p_values]


def _conclusion(comparison: FoldComparison) -> str:
    level = 1 - comparison.confidence
    different = [
        f"{clean(better)} is better than {clean(worse)}"
        for pair, p in zip(comparison.pairs, comparison.adjusted_p_values, strict=True)
        if p < level and (better := pair.winner) is not None
        for worse in pair.names
        if worse != better
    ]
    if not different:
        return "No pair differs beyond chance; that does not show that the models are alike."
    others = len(comparison.pairs) - len(different)
    rest = f" The other {others} pairs cannot be told apart." if others > 1 else ""
    return f"{listed(different)}.{rest or (' The other pair cannot be told apart.' if others else '')}"
