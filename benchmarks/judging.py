"""Agreement of raters, preferences, and few labels with many proxies, beside the peers that are installed."""

from __future__ import annotations

import importlib
import os
from typing import Any

# Tables of 100 models are too small to share between threads: those of OpenBLAS wait for each other, and
# where other programs run, a fit of 20 ms takes 2 s. It works where this file is run by itself: NumPy reads
# it once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from harness import Line, measure

import assay
from assay.inference import krippendorff_alpha

GOALS = {"krippendorff": 50, "evalica": 5}


def peer(name: str) -> Any:
    """Return a peer, or None where it is not installed: these are in no locked requirements."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def run() -> list[Line]:
    return [
        run_alpha(),
        run_alpha(missing=0.1),
        run_alpha(level="ordinal"),
        run_alpha(level="interval"),
        run_alpha(200_000),
        run_long_ratings(),
        run_preferences(),
        run_arena(),
        *run_proxies(),
    ]


def run_alpha(items: int = 1000, level: str = "nominal", missing: float = 0.0) -> Line:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, items)
    table = np.where(rng.random((items, 5)) < 0.7, truth[:, None], rng.integers(0, 5, (items, 5))) * 1.0
    table[rng.random(table.shape) < missing] = np.nan
    other = peer("krippendorff")
    transposed = np.ascontiguousarray(table.T)  # as the peer takes it: a row per rater
    peers = {} if other is None else {
        "krippendorff": lambda: other.alpha(transposed, level_of_measurement=level)
    }  # fmt: skip
    absent = f", {missing:.0%} missing" if missing else ""
    return measure(
        f"alpha, {level}, {items:,} items of 5 raters{absent}", 5 * items,
        lambda: krippendorff_alpha(table, level), peers, goal=GOALS["krippendorff"],
    )  # fmt: skip


def run_long_ratings() -> Line:
    rng = np.random.default_rng(2)
    n = 2_000_000
    item, rater = np.repeat(np.arange(n), 5), np.tile(np.arange(5), n)
    rating = np.where(rng.random(5 * n) < 0.7, np.repeat(rng.integers(0, 5, n), 5), rng.integers(0, 5, 5 * n))
    return measure(
        "agreement, all coefficients, long form", 5 * n,
        lambda: assay.agreement(item=item, rater=rater, rating=rating), runs=2,
    )  # fmt: skip


def games(n: int = 1_000_000, models: int = 100) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    strength = rng.normal(0, 0.5, models)
    left = rng.integers(0, models, n)
    right = (left + rng.integers(1, models, n)) % models
    won = rng.random(n) < 1 / (1 + np.exp(strength[right] - strength[left]))
    return left, right, won


def run_preferences() -> Line:
    left, right, won = games()
    winner = np.where(won, "left", "right")
    other = peer("evalica")
    peers: dict[str, Any] = {}
    if other is not None:
        xs, ys = left.tolist(), right.tolist()
        winners = [other.Winner.X if value else other.Winner.Y for value in won]
        peers["evalica"] = lambda: other.bradley_terry(xs, ys, winners)
    return measure(
        "Bradley-Terry, strengths with errors", len(left),
        lambda: assay.arena(left=left, right=right, winner=winner, position=False).strengths,
        peers,
        goal=GOALS["evalica"], runs=3,
    )  # fmt: skip


def run_arena() -> Line:
    left, right, won = games()
    winner = np.where(won, "left", "right")
    return measure(
        "the same with position and intervals of ranks", len(left),
        lambda: assay.arena(left=left, right=right, winner=winner).ranks, runs=2,
    )  # fmt: skip


def run_proxies(n: int = 10_000_000) -> list[Line]:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, n)
    predicted = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    judge = np.where(rng.random(n) < 0.93, truth, 1 - truth)
    score = truth + rng.normal(size=n)
    human = np.where(np.arange(n) < 1000, truth, np.nan)
    plain = {
        "plain evaluation": lambda: assay.evaluate(actual=judge, predicted=predicted)["accuracy"],
    }
    by_score = {"plain evaluation": lambda: assay.evaluate(actual=judge, score=score)["auc"]}
    return [
        measure("accuracy of few labels and a proxy", n,
                lambda: assay.evaluate(actual=human, predicted=predicted, proxy=judge)["accuracy"], plain,
                runs=2),
        measure("AUC of few labels and a proxy", n,
                lambda: assay.evaluate(actual=human, score=score, proxy=judge)["auc"], by_score, runs=2),
    ]  # fmt: skip


if __name__ == "__main__":
    run()
