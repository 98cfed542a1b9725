"""Many useless models on one test set: how often the interval of the one that is picked excludes the truth.

``python benchmarks/reusing_test_set.py`` prints the table; ``--write`` puts it into
docs/explanation/ledgers.md. Every model guesses: its accuracy on the population is 0.5. Each strategy looks
at up to 200 models on one test set and ends with one of them, whose interval is read at its look, as
``ev.for_all_looks("accuracy")`` gives it.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import re
import time
from pathlib import Path

import numpy as np

import assay
from assay.evaluation.looks import Looks, expected_maximum

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "ledgers.md"
MODELS = 200
SIZES = (1_000, 10_000)
TRUTH = 0.5


@functools.lru_cache(maxsize=1 << 18)
def limits(correct: int, rows: int, look: int) -> tuple[float, float, float, float]:
    """Return the interval and that for all looks of an accuracy, as an evaluation prints them."""
    table = assay.Confusion.of_table([[correct, rows - correct], [0, 0]], labels=(0, 1))
    ev = dataclasses.replace(assay.evaluate(table, task="multiclass"), looks=Looks("", look))
    plain, all_looks = ev["accuracy"], ev.for_all_looks("accuracy")
    return plain.low, plain.high, all_looks.low, all_looks.high


def best_of_all(draw, rows):
    """Independent models; the best of them at the end."""
    correct = draw.binomial(rows, TRUTH, MODELS)
    return correct, int(correct.argmax())


def until_significant(draw, rows):
    """Independent models, until one is shown to be better than guessing by its plain interval."""
    correct = draw.binomial(rows, TRUTH, MODELS)
    for index, count in enumerate(correct):
        if limits(int(count), rows, 1)[0] > TRUTH:
            return correct[: index + 1], index
    return correct, MODELS - 1


def restart_from_best(draw, rows):
    """Half of a new model's predictions are those of a fresh one, half those of the first; pick the best."""
    first = draw.random(rows) < TRUTH
    right = np.array(
        [first.sum()]
        + [
            np.where(draw.random(rows) < 0.5, first, draw.random(rows) < TRUTH).sum()
            for _ in range(MODELS - 1)
        ]
    )
    return right, int(right.argmax())


def hill_climbing(draw, rows):
    """Each model is the best so far with a tenth of its predictions drawn again."""
    best = draw.random(rows) < TRUTH
    correct = [int(best.sum())]
    for _ in range(MODELS - 1):
        tried = np.where(draw.random(rows) < 0.1, draw.random(rows) < TRUTH, best)
        correct.append(int(tried.sum()))
        if tried.sum() > best.sum():
            best = tried
    return np.array(correct), int(np.argmax(correct))


def vote_of_the_better(draw, rows):
    """199 models; the last one is the majority vote of those that did better than guessing."""
    votes, correct = np.zeros(rows, dtype=np.int32), []
    for _ in range(MODELS - 1):
        right = draw.random(rows) < TRUTH
        correct.append(int(right.sum()))
        sign = 1 if correct[-1] > rows * TRUTH else -1  # one that did worse votes with the other label
        votes += sign * np.where(right, 1, -1).astype(np.int32)
    correct.append(int((votes > 0).sum() + (votes == 0).sum() // 2))
    return np.array(correct), MODELS - 1


STRATEGIES = {
    "the best of 200": best_of_all,
    "the first that looks significant": until_significant,
    "the best of 200 alike": restart_from_best,
    "small changes of the best so far": hill_climbing,
    "a vote of those that did better": vote_of_the_better,
}


def simulated(strategy, rows, times, seed):
    """Return how often the plain interval, that for all looks and the worst case exclude the truth."""
    missed = np.zeros(3)
    any_missed, accuracy, apparent = 0, 0.0, 0.0
    for number in range(times):
        draw = np.random.default_rng((seed, number))
        correct, index = strategy(draw, rows)
        low, high, wide_low, wide_high = limits(int(correct[index]), rows, index + 1)
        value = correct[index] / rows
        worst = Looks("", index + 1).worst_case(rows)
        missed += [not low <= TRUTH <= high, not wide_low <= TRUTH <= wide_high, abs(value - TRUTH) > worst]
        every = (limits(int(count), rows, look) for look, count in enumerate(correct, 1))
        any_missed += any(not each[2] <= TRUTH <= each[3] for each in every)
        accuracy, apparent = accuracy + value, apparent + value - TRUTH
    return missed / times, any_missed / times, accuracy / times


def table(times, seed):
    lines = [
        (
            "| rows | what is picked | its accuracy, on average | interval misses | interval for all looks "
            "misses | any of all looks' misses | worst case misses |"
        ),
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    for rows in SIZES:
        for name, strategy in STRATEGIES.items():
            runs = times if strategy in (best_of_all, until_significant) else max(times // (rows // 250), 50)
            begin = time.process_time()
            missed, any_missed, accuracy = simulated(strategy, rows, runs, seed)
            shares = " | ".join(f"{share:.1%}" for share in (*missed[:2], any_missed, missed[2]))
            lines.append(f"| {rows:,} | {name} ({runs:,} times) | {accuracy:.3f} | {shares} |")
            print(lines[-1], f"{time.process_time() - begin:.0f} s", flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = table(arguments.times, arguments.seed)
    error = 0.5 / SIZES[0] ** 0.5
    optimism = error * expected_maximum(MODELS)
    print(f"expected optimism of the best of {MODELS} on {SIZES[0]:,} rows: {optimism:.4f}")
    if arguments.write:
        text = PAGE.read_text(encoding="utf-8")
        mark = "<!-- table: written by benchmarks/reusing_test_set.py -->"
        pattern = rf"(?s){re.escape(mark)}\n.*?\n\n"
        PAGE.write_text(re.sub(pattern, "\n".join([mark, *lines]) + "\n\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
