"""How often intervals of few labels and many proxies hold the truth, for docs/explanation/coverage.md.

``python benchmarks/proxy_coverage.py 1000`` simulates so many data sets per setting and prints the table;
``--write`` writes it into the page. Of 5,000 rows 50, 100 or 400 have a label by people.
The model has recall 0.80 and specificity 0.85, the proxy is good (0.92, 0.95), poor (0.65, 0.70), or biased
(0.95, 0.80, and in a third of rows the model's own label). A number is predicted with noise, and
so is its proxy. Labels and clusters of five rows are drawn at random; true values are exact.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import assay

ROWS = 5_000
LABELS = (50, 100, 400)
PROXIES = {"good": (0.92, 0.95), "poor": (0.65, 0.70), "biased": (0.95, 0.80)}
NOISE = {"good": 0.3, "poor": 2.0, "biased": 0.6}
COUNTED = ("accuracy", "recall", "f1", "mcc", "auc")
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "coverage.md"
BEGIN, END = "<!-- proxies: written by benchmarks/proxy_coverage.py -->", "<!-- end of proxies -->"
RECALL, SPECIFICITY = 0.80, 0.85
TO_POSITIVES, TO_NEGATIVES = 0.8416212336, -1.0364333895  # of the normal scores of either class
SEED = 2026


def classes(rng, n, prevalence, proxy, clusters):
    """Return truth, score, prediction and proxy of rows; rows of a cluster of five share their difficulty."""
    truth = rng.random(n) < prevalence
    shared = np.repeat(rng.normal(size=-(-n // 5)), 5)[:n] if clusters else None
    own = rng.normal(size=n)
    hard = own if shared is None else np.sqrt(0.3) * shared + np.sqrt(0.7) * own
    score = hard + np.where(truth, TO_POSITIVES, TO_NEGATIVES)
    predicted = score > 0
    sensitivity, specificity = PROXIES[proxy]
    judge = np.where(truth, rng.random(n) < sensitivity, rng.random(n) > specificity)
    if proxy == "biased":
        judge = np.where(rng.random(n) < 0.35, predicted, judge)
    return truth, score, predicted, judge


def numbers(rng, n, proxy, clusters):
    truth = rng.gamma(2, 1, n)
    shared = np.repeat(rng.normal(size=-(-n // 5)), 5)[:n] if clusters else 0.0
    predicted = truth + 0.6 * rng.normal(size=n) + 0.4 * shared
    shift = 0.5 if proxy == "biased" else 0.0
    return truth, predicted, truth + NOISE[proxy] * rng.normal(size=n) + shift


def true_values(prevalence, clusters):
    """Return the metrics of the population: of two classes by their rates, of numbers by normal errors."""
    if prevalence is None:
        return {"mae": math.sqrt((0.36 + 0.16 * clusters) * 2 / math.pi)}
    found, missed = prevalence * RECALL, prevalence * (1 - RECALL)
    false, left = (1 - prevalence) * (1 - SPECIFICITY), (1 - prevalence) * SPECIFICITY
    margins = (found + false) * (missed + left) * prevalence * (1 - prevalence)
    return {
        "accuracy": found + left,
        "recall": RECALL,
        "f1": 2 * found / (2 * found + missed + false),
        "mcc": (found * left - false * missed) / math.sqrt(margins),
        "auc": (1 + math.erf((TO_POSITIVES - TO_NEGATIVES) / 2)) / 2,
    }


def simulated(seed, labels, prevalence, proxy, clusters):
    """Return for each metric the limits, those of the labels alone, and whether the proxy was used."""
    rng = np.random.default_rng(seed)
    group = np.arange(ROWS) // 5 if clusters else None
    known = np.zeros(ROWS, bool)
    if clusters:  # whole clusters are labelled
        known[np.isin(np.arange(ROWS) // 5, rng.choice(ROWS // 5, labels // 5, replace=False))] = True
    else:
        known[rng.choice(ROWS, labels, replace=False)] = True
    if prevalence is None:
        truth, predicted, judge = numbers(rng, ROWS, proxy, clusters)
        human = np.where(known, truth, np.nan)
        ev = assay.evaluate(actual=human, predicted=predicted, proxy=judge, group=group)
        return {"mae": ev["mae"]}
    truth, score, predicted, judge = classes(rng, ROWS, prevalence, proxy, clusters)
    human = np.where(known, truth, np.nan)
    ev = assay.evaluate(
        actual=human, predicted=predicted.astype(int), score=score, proxy=judge.astype(int), group=group,
        task="binary", labels=[0, 1], positive=1,
    )  # fmt: skip
    return {name: ev[name] for name in COUNTED}


def measured(sets, labels, prevalence, proxy, clusters):
    truth = true_values(prevalence, clusters)
    held = dict.fromkeys(truth, 0)
    alone = dict.fromkeys(truth, 0)
    used = dict.fromkeys(truth, 0)
    widths = {name: [] for name in truth}
    for number in range(sets):
        seed = (SEED, number, labels, int(100 * (prevalence or 0)), list(PROXIES).index(proxy), int(clusters))
        for name, found in simulated(seed, labels, prevalence, proxy, clusters).items():
            other = found.labels_alone
            # What has no interval says nothing, and so is never wrong.
            held[name] += found.low is None or found.low <= truth[name] <= found.high
            alone[name] += other.low is None or other.low <= truth[name] <= other.high
            used[name] += found.powered
            if found.low is not None and other.low is not None and other.high > other.low:
                widths[name].append((found.high - found.low, other.high - other.low))
    rows = []
    for name, value in held.items():
        own, labels_alone = np.mean(widths[name], axis=0) if widths[name] else (np.nan, np.nan)
        rows.append((name, labels, prevalence, proxy, clusters, value / sets, alone[name] / sets,
                     own / labels_alone, used[name] / sets))  # fmt: skip
    return rows


def table(rows, sets):
    error = np.sqrt(0.95 * 0.05 / sets)
    lines = [
        f"{sets} data sets of {ROWS:,} rows per setting; a coverage of 0.95 is known to {error:.3f}.",
        "`alone` is the coverage of the labels alone, `width` the mean width over theirs, `used` the share",
        "of sets in which the proxy was used.",
        "",
        "| metric | labels | prevalence | proxy | clusters | coverage | alone | width | used |",
        "|---|---:|---:|---|---|---:|---:|---:|---:|",
    ]
    for name, labels, prevalence, proxy, clusters, held, alone, width, used in rows:
        share = "" if prevalence is None else f"{prevalence:.0%}"
        lines.append(
            f"| {name} | {labels} | {share} | {proxy} | {'of 5' if clusters else 'no'} | {held:.3f} | "
            f"{alone:.3f} | {width:.2f} | {used:.2f} |"
        )
    low = [row for row in rows if row[5] < 0.93]
    high = [row for row in rows if row[5] > 0.97]
    lines += ["", f"Of {len(rows)} cells {len(low)} are below 0.93 and {len(high)} above 0.97."]
    return lines


def main() -> int:
    sets = int(next((word for word in sys.argv[1:] if word.isdigit()), "1000"))
    rows = []
    for clusters in (False, True):
        for prevalence in (0.5, 0.05, None):
            for proxy in PROXIES:
                for labels in LABELS:
                    rows += measured(sets, labels, prevalence, proxy, clusters)
                    print(rows[-1], file=sys.stderr, flush=True)
    rows.sort(key=lambda row: ((*COUNTED, "mae").index(row[0]), row[4]))
    lines = table(rows, sets)
    print("\n".join(lines))
    if "--write" in sys.argv:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
