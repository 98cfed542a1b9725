"""``assay demo``: the main job on bundled data, a spam filter judged on 1,390 messages."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.comparison.compare import compare
from assay.evaluation import evaluate
from assay.inputs import Rows, rows
from assay.tallies import BinnedScores, Confusion, Moments, Scores, merge

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["demo", "messages"]

_CELLS = ((1202, 5), (29, 154))  # actual ham, spam by predicted ham, spam


def messages(version: int = 0) -> Rows:
    """Return the filter's messages: real counts, with scores drawn to agree with them.

    Another version of the filter has other scores for the same messages, and predicts by them.
    """
    actual, predicted = np.divmod(np.repeat(np.arange(4), np.ravel(_CELLS)), 2)
    drawn = kernels.random_words(2026, 0, 0, len(actual)) / 2.0**64
    score = np.where(predicted == 1, 1 - 0.5 * drawn**3, 0.5 * drawn**3)
    if version:
        moved = kernels.random_words(2026, 1 + version, 0, len(actual)) / 2.0**64 - 0.5
        score = np.clip(score + 0.2 * (actual - 0.5) * drawn + 0.3 * moved, 0, 1)
        predicted = (score >= 0.5).astype(np.int64)  # noqa: PLR2004 - where the filter cuts
    names = np.array(["ham", "spam"])
    shuffled = np.argsort(kernels.random_words(2026, 1, 0, len(actual)))
    return rows(
        {"actual": names[actual], "predicted": names[predicted], "score": score},
        actual="actual", predicted="predicted", score="score", positive="spam",
    ).take(shuffled)  # fmt: skip


def demo() -> str:
    """Return what the command prints."""
    data = messages()
    ev = evaluate(data, name="spam filter")
    text = str(ev)
    took = _timed(lambda given: str(evaluate(given)), data)  # not the first time, which loads what it uses
    shards = [evaluate(data.take(slice(part, None, 7)), name="spam filter") for part in range(7)]
    same = merge(one.tallies for one in reversed(shards)).to_bytes() == ev.tallies.to_bytes()
    parts = [
        text,
        "new.choose_threshold(cost_fp=5, cost_fn=1)",
        str(evaluate(messages(1)).choose_threshold(cost_fp=5, cost_fn=1)),
        'assay.compare(old, new, metrics=["auc", "accuracy", "f1", "brier"])',
        str(compare(data, messages(1), names=["old", "new"], metrics=["auc", "accuracy", "f1", "brier"])),
        "\n".join(_told(took, same=same)),
        "\n".join(_large()),
    ]
    return "\n\n".join(parts)


def _told(took: float, *, same: bool) -> list[str]:
    return [
        " The labels are a real filter's; the scores are drawn to agree with them.",
        f" Judged, with every interval, in {took * 1e3:.1f} ms. Seven shards of the same rows, judged",
        f" apart and merged backwards, hold {'the same bytes' if same else 'DIFFERENT bytes'}.",
    ]


def _large(n: int = 2_000_000) -> list[str]:
    """Return how long it takes on more rows."""
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
        ("an evaluation, printed", lambda given: str(evaluate(given)), data),
    ):
        best = min(_timed(make, used) for _ in range(3))
        lines.append(f"   {what:<32}{best * 1e3:8.1f} ms")
    advice = "assay metrics lists all that can be asked; README.md shows how, with rows of your own."
    return [*lines, "", *textwrap.wrap(advice, 78, initial_indent=" ", subsequent_indent=" ")]


def _timed(make: Callable[[Rows], object], used: Rows) -> float:
    start = time.perf_counter()
    make(used)
    return time.perf_counter() - start
