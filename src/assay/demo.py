"""``assay demo``: the main job on bundled data, a spam filter judged on 1,390 messages."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.inputs import Rows, rows
from assay.metrics import Binary, find
from assay.tallies import BinnedScores, Collection, Confusion, Moments, Scores, merge

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["demo"]

_OF_LABELS = ("accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa")
_OF_SCORES = ("auc", "average_precision", "log_loss", "brier")
_CELLS = ((1202, 5), (29, 154))  # actual ham, spam by predicted ham, spam


def messages() -> Rows:
    """Return the filter's messages: real counts, with scores drawn to agree with them."""
    actual, predicted = np.divmod(np.repeat(np.arange(4), np.ravel(_CELLS)), 2)
    drawn = kernels.random_words(2026, 0, 0, len(actual)) / 2.0**64
    score = np.where(predicted == 1, 1 - 0.5 * drawn**3, 0.5 * drawn**3)
    names = np.array(["ham", "spam"])
    shuffled = np.argsort(kernels.random_words(2026, 1, 0, len(actual)))
    return rows(
        {"actual": names[actual], "predicted": names[predicted], "score": score},
        actual="actual", predicted="predicted", score="score", positive="spam",
    ).take(shuffled)  # fmt: skip


def demo() -> str:
    """Return what the command prints."""
    data = messages()
    each = {"labels": Confusion, "ranks": Scores}
    start = time.perf_counter()
    whole = Collection.of(data, each)
    took = time.perf_counter() - start
    confusion, scores = whole["labels"], whole["ranks"]
    assert isinstance(confusion, Confusion)  # noqa: S101 - for the type checker
    assert isinstance(scores, Scores)  # noqa: S101
    ranks = scores.concordance()
    pairs = 2 * ranks.positives * ranks.negatives
    shards = [Collection.of(data.take(slice(part, None, 7)), each) for part in range(7)]
    size = len(whole.to_bytes())
    same = merge(reversed(shards)).to_bytes() == whole.to_bytes()
    lines = [
        f"Spam filter · {confusion.n:,} messages · positive class: {scores.positive}",
        "",
        *_crossed(confusion),
        "",
        *_figures(confusion, positive=data.positive),
        *_figures(scores),
        "",
        " The labels are a real filter's; the scores are drawn to agree with them.",
        f" The AUC is exactly {ranks.concordant:,} / {pairs:,}.",
        f" Read once, in {took * 1e3:.2f} ms, into two tallies of {size:,} bytes. Seven shards of",
        f" the same rows, tallied apart and merged backwards: {'the same bytes' if same else 'DIFFERENT'}.",
        *_large(),
    ]
    return "\n".join(lines)


def _crossed(confusion: Confusion) -> list[str]:
    """Return the table of counts with its totals, lined up whatever the labels and counts."""
    names = [str(label) for label in confusion.labels]
    table = confusion.table()
    body = [
        [name, *(f"{count:,}" for count in counts), f"{counts.sum():,}"]
        for name, counts in zip(names, table, strict=True)
    ]
    sums = ["total", *(f"{count:,}" for count in table.sum(axis=0)), f"{table.sum():,}"]
    grid = [["actual", *names, "total"], *body, sums]
    widths = [max(len(line[place]) for line in grid) for place in range(len(grid[0]))]
    lines = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [word.rjust(width) for word, width in zip(line[1:], widths[1:], strict=True)]
        )
        for line in grid
    ]
    return [" " + " " * (widths[0] + 2) + "predicted", *(f" {line}" for line in lines)]


def _figures(tally: Confusion | Scores, **options: Any) -> list[str]:
    """Return some metrics of a tally, each with what it means."""
    chosen = _OF_LABELS if isinstance(tally, Confusion) else _OF_SCORES
    lines = []
    for metric in map(find, chosen):
        reads_one = metric.reads is Binary
        value = metric(tally, **(options if reads_one else {}))
        lines.append(
            f" {metric.name:<19}{value:.4f}   {textwrap.shorten(metric.meaning, 50, placeholder='...')}"
        )
    return lines


def _large(n: int = 2_000_000) -> list[str]:
    """Return how long it takes on more rows."""
    draw = kernels.random_words(7, 0, 0, 2 * n) / 2.0**64
    label = (draw[:n] < draw[n:]).astype(np.int64)
    data = rows(actual=label, predicted=(draw[n:] > 0.5).astype(np.int64), score=draw[n:])  # noqa: PLR2004
    numbers = rows(actual=draw[:n], predicted=draw[n:])
    lines = ["", f" The same on {n:,} rows:"]
    for what, make, used in (
        ("counts of label pairs", Confusion.of, data),
        ("every distinct score, exactly", Scores.of, data),
        ("scores in bins, with bounds", BinnedScores.of, data),
        ("exact sums of a regression", Moments.of, numbers),
    ):
        best = min(_timed(make, used) for _ in range(3))
        lines.append(f"   {what:<32}{best * 1e3:8.1f} ms")
    advice = "assay metrics lists all that can be asked; README.md shows how, with rows of your own."
    return [*lines, "", *textwrap.wrap(advice, 78, initial_indent=" ", subsequent_indent=" ")]


def _timed(make: Callable[[Rows], object], used: Rows) -> float:
    start = time.perf_counter()
    make(used)
    return time.perf_counter() - start
