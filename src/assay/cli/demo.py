"""``demo``: evaluate a spam filter on bundled data, choose a threshold and compare two versions of it."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.comparison.compare import compare
from assay.datasets import messages
from assay.evaluation import evaluate
from assay.hints import hint_style, python_style
from assay.inputs import Rows, rows
from assay.tallies import BinnedScores, Confusion, Moments, Scores, merge

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["demo"]


@hint_style(python_style)  # it shows what to type in Python
def demo() -> str:
    """Return the text that the command prints."""
    data = messages()
    ev = evaluate(data, name="spam filter")
    text = str(ev)
    took = _timed(lambda rows_: str(evaluate(rows_)), data)  # the second time: the first loads modules
    shards = [evaluate(data.take(slice(part, None, 7)), name="spam filter") for part in range(7)]
    same = merge(shard.tallies for shard in reversed(shards)).to_bytes() == ev.tallies.to_bytes()
    parts = [
        text,
        "new.choose_threshold(cost_fp=5, cost_fn=1)",
        str(evaluate(messages(1)).choose_threshold(cost_fp=5, cost_fn=1)),
        'assay.compare(old, new, metrics=["auc", "accuracy", "f1", "brier"])',
        str(compare(data, messages(1), names=["old", "new"], metrics=["auc", "accuracy", "f1", "brier"])),
        "\n".join(_closing_remarks(took, same=same)),
        "\n".join(_timings()),
    ]
    return "\n\n".join(parts)


def _closing_remarks(took: float, *, same: bool) -> list[str]:
    return [
        " The labels are a real filter's; the scores are drawn to agree with them.",
        f" Evaluated, with every interval, in {took * 1e3:.1f} ms. Seven shards of the same rows, evaluated",
        f" apart and merged backwards, hold {'the same bytes' if same else 'DIFFERENT bytes'}.",
    ]


def _timings(n: int = 2_000_000) -> list[str]:
    """Return how long tallies and an evaluation of many rows take."""
    draw = kernels.random_words(7, 0, 0, 2 * n) / 2.0**64
    label = (draw[:n] < draw[n:]).astype(np.int64)
    data = rows(actual=label, predicted=(draw[n:] > 0.5).astype(np.int64), score=draw[n:])  # noqa: PLR2004
    numbers = rows(actual=draw[:n], predicted=draw[n:])
    lines = [f" The same on {n:,} rows:"]
    for what, make, used in (
        ("counts of label pairs", Confusion.of, data),
        ("every distinct score, exactly", Scores.of, data),
        ("scores in bins, with bounds", BinnedScores.of, data),
        ("exact sums of a regression", Moments.of, numbers),
        ("an evaluation, printed", lambda frame: str(evaluate(frame)), data),
    ):
        best = min(_timed(make, used) for _ in range(3))
        lines.append(f"   {what:<32}{best * 1e3:8.1f} ms")
    advice = "assay metrics lists every metric; README.md shows how to use your own rows."
    return [*lines, "", *textwrap.wrap(advice, 78, initial_indent=" ", subsequent_indent=" ")]


def _timed(make: Callable[[Rows], object], used: Rows) -> float:
    start = time.perf_counter()
    make(used)
    return time.perf_counter() - start
