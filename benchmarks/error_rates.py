"""How often promises are broken and true null hypotheses rejected: simulated, as a table.

``python benchmarks/error_rates.py`` prints one line per setting and procedure: the rate of errors at a
nominal 5%, the simulation's own standard error, and in how many data sets there was an answer at all. Names
of families run only those, ``--sets 300`` says how many data sets a setting has, ``--only TEXT`` keeps
settings whose name contains the text. ``--minutes 3`` stops in time; ``--json FILE`` keeps the counts as they
come in, and ``--read FILE`` prints those of one or more such files, added up.

- ``promises``: `choose_threshold` promises a recall, precision or specificity that the population lacks.
- ``slices``: a slice drawn at random is said to differ from the rest, p below 0.05 before Holm's correction.
- ``compare``: two models of the same quality are said to differ, p below 0.05.
- ``ranges``: the bootstrap's range of the best threshold for F1, or a cross-fitted interval, lacks the truth.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from parallel_jobs import completed_jobs
from scipy import special

import assay
from assay.decisions import choose_threshold, cross_fitted, optimism

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LEVEL = 0.05
_LOT = 20  # data sets that are drawn from one stream of random numbers
_SECONDS_BETWEEN_SAVES = 30


@dataclasses.dataclass(frozen=True)
class Population:
    """Rows of two normal classes whose scores, and whose share of positives, go together within groups.

    `icc` is the correlation of two scores of a group and class, and of two labels of a group; each class's
    scores are normal with variance 1 whatever it is, so that the true rates are those of independent rows.
    `labels` says how the class is drawn: "row" by row, or "group": one class for all rows of a group.
    """

    name: str
    groups: int = 0
    rows: int = 500
    sizes: str = "equal"
    icc: float = 0.0
    prevalence: float = 0.3
    distance: float = 1.5
    labels: str = "row"
    weights: float = 0.0
    part: str = "row"
    share: float = 0.15
    kind: str = "binary"
    cut: float = 0.75

    def layout(self, rng: np.random.Generator) -> tuple[np.ndarray, int]:
        """Return the group of each row, and how many groups there are."""
        if not self.groups:
            return np.arange(self.rows), self.rows
        size = {
            "equal": lambda: np.ones(self.groups),
            "lognormal": lambda: np.exp(rng.standard_normal(self.groups)),
            "one big": lambda: np.r_[self.groups / 2, np.ones(self.groups - 1)],
        }[self.sizes]()
        sizes = np.maximum(np.rint(size / size.sum() * self.rows).astype(int), 2)
        return np.repeat(np.arange(self.groups), sizes), self.groups

    def draw(self, rng: np.random.Generator, models: int = 1) -> dict[str, Any]:
        """Return the columns of a data set: a score for each model, all of the same quality."""
        group, groups = self.layout(rng)
        n = len(group)
        if self.labels == "group":
            actual = (rng.random(groups) < self.prevalence)[group]
        elif self.groups and self.icc:
            spread = 1 / self.icc - 1
            rate = rng.beta(self.prevalence * spread, (1 - self.prevalence) * spread, groups)
            actual = rng.random(n) < rate[group]
        else:
            actual = rng.random(n) < self.prevalence

        def noise() -> np.ndarray:
            own = rng.standard_normal(n)
            if not self.groups:
                return own
            return math.sqrt(self.icc) * rng.standard_normal(groups)[group] + math.sqrt(1 - self.icc) * own

        common = noise() if models > 1 else 0.0
        scores = [
            self.distance * actual + (noise() if models == 1 else (common + noise()) / math.sqrt(2))
            for _ in range(models)
        ]
        table: dict[str, Any] = {"actual": actual.astype(np.int64), "score": scores}
        if self.groups:
            table["group"] = group
        if self.weights:
            table["weight"] = np.exp(self.weights * rng.standard_normal(n))
        by_group = self.part == "group" and self.groups
        chosen = (rng.random(groups) < self.share)[group] if by_group else rng.random(n) < self.share
        table["part"] = np.where(chosen, "slice", "rest")
        return table

    def roles(self, table: dict[str, Any]) -> dict[str, Any]:
        """Return the columns that say how rows count."""
        return {role: table[role] for role in ("group", "weight") if role in table}

    def true(self, measure: str, threshold: float) -> float:
        """Return the measure in all of the population."""
        recall, alarms = special.ndtr(self.distance - threshold), special.ndtr(-threshold)
        if measure == "recall":
            return float(recall)
        if measure == "specificity":
            return float(1 - alarms)
        hits = self.prevalence * recall
        if measure == "f1":
            return float(2 * hits / (hits + (1 - self.prevalence) * alarms + self.prevalence))
        return float(hits / (hits + (1 - self.prevalence) * alarms))


@dataclasses.dataclass
class Cell:
    """How often one procedure erred in one setting."""

    family: str
    setting: str
    procedure: str
    errors: int = 0
    answers: int = 0
    sets: int = 0

    @property
    def rate(self) -> float:
        """Errors as a share of all data sets: of those with an answer, for tests and intervals."""
        of = self.sets if self.family == "promises" else self.answers
        return self.errors / of if of else math.nan

    @property
    def simulation_error(self) -> float:
        of = self.sets if self.family == "promises" else self.answers
        return math.sqrt(LEVEL * (1 - LEVEL) / of) if of else math.nan


def promises(one: Population, rng: np.random.Generator) -> Iterator[tuple[str, bool | None]]:
    """Yield whether each promise was broken, None where none was made."""
    table = one.draw(rng)
    rows = assay.rows(actual=table["actual"], score=table["score"][0], positive=1, labels=[0, 1],
                      **one.roles(table))  # fmt: skip
    for measure, share in (("recall", 0.8), ("precision", 0.5), ("specificity", 0.8), ("recall", 0.6)):
        try:
            found = choose_threshold(rows, confidence=0.95, **{f"min_{measure}": share})
        except assay.MetricError:
            yield f"{measure} {share}", None
            continue
        yield f"{measure} {share}", one.true(measure, found.threshold) < share - 1e-12


BINARY = ("accuracy", "precision", "recall", "specificity", "f1", "mcc", "balanced_accuracy", "auc", "brier")
NUMBERS = ("mae", "rmse", "mean_error")
CLASSES = ("accuracy", "balanced_accuracy", "macro_f1", "mcc")
TASKS = {"binary": "binary", "numbers": "regression", "classes": "multiclass", "lists": "ranking"}
LISTS = ("ndcg", "mean_average_precision", "mean_reciprocal_rank")


def problem(one: Population, table: dict[str, Any], model: int = 0) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the columns to evaluate, and the metrics, for a population's kind of prediction."""
    score, actual = table["score"][model], table["actual"]
    if one.kind == "numbers":  # losses with a long tail, the same for every model
        noise = score - one.distance * actual
        return {"actual": np.sign(noise) * np.expm1(np.abs(noise)), "predicted": 0 * score}, NUMBERS
    if one.kind == "classes":
        classes = actual + 2 * (np.arange(len(actual)) % 3 == 0)
        wrong = score - one.distance * actual > one.cut
        return {"actual": classes, "predicted": np.where(wrong, (classes + 1) % 4, classes)}, CLASSES
    if one.kind == "lists":
        n = len(score) // 8 * 8
        return {"actual": actual[:n], "score": score[:n], "query": np.arange(n) // 8}, LISTS
    probability = special.expit(1.5 * (score - one.cut))
    return {"actual": actual, "score": probability, "predicted": (score >= one.cut).astype(int)}, BINARY


def slices(one: Population, rng: np.random.Generator) -> Iterator[tuple[str, bool | None]]:
    """Yield whether each metric of a slice drawn at random was said to differ from the rest."""
    table = one.draw(rng)
    columns, metrics = problem(one, table)
    n = len(columns["actual"])
    part = table["part"][:n] if one.kind != "lists" else np.repeat(table["part"][:n:8], 8)
    roles = {role: column[:n] for role, column in one.roles(table).items()}
    told = {"positive": 1} if one.kind == "binary" else {}
    task = TASKS[one.kind]
    ev = assay.evaluate({**columns, "part": part, **roles}, by="part", task=task, **told,
                        **{name: name for name in (*columns, *roles)})  # fmt: skip
    if len(ev.slices["part"]) < 2:
        return
    found = ev.slices["part"].differences(metrics)
    by_metric = {name: difference for (_, name), difference in found.items()}
    for name in metrics:
        yield name, _rejected(by_metric.get(name))


def compare(one: Population, rng: np.random.Generator) -> Iterator[tuple[str, bool | None]]:
    """Yield whether each metric was said to differ between two models of the same quality."""
    table = one.draw(rng, models=2)
    both = [problem(one, table, model) for model in (0, 1)]
    metrics = both[0][1]
    n = len(both[0][0]["actual"])
    roles = {role: column[:n] for role, column in one.roles(table).items()}
    told = {"positive": 1, "labels": [0, 1]} if one.kind == "binary" else {}
    models = [assay.rows(**columns, **roles, **told) for columns, _ in both]
    asked = [("f1", {"average": "macro"}) if name == "macro_f1" else name for name in metrics]
    found = assay.compare(*models, metrics=asked, task=TASKS[one.kind], correction=None)
    for name, difference in zip(metrics, found.differences, strict=True):
        yield name, _rejected(difference)


def _rejected(difference: Any) -> bool | None:
    if difference is None or not isinstance(difference.p_value, float):
        return None
    return difference.p_value < LEVEL


def ranges(one: Population, rng: np.random.Generator) -> Iterator[tuple[str, bool | None]]:
    """Yield whether the range of the best threshold, and the cross-fitted interval, lack the truth."""
    table = one.draw(rng)
    rows = assay.rows(actual=table["actual"], score=table["score"][0], positive=1, labels=[0, 1],
                      **one.roles(table))  # fmt: skip
    grid = np.linspace(-3, 5, 4001)
    best = grid[np.argmax([one.true("f1", x) for x in grid])]
    try:
        wide = optimism(rows, best="f1", replicates=200)
        yield "range of the threshold", not wide.low <= best <= wide.high
    except assay.MetricError:
        yield "range of the threshold", None
    for measure in ("f1", "recall"):
        asked = {"best": "f1"} if measure == "f1" else {"min_recall": 0.8}
        try:
            fit = cross_fitted(rows, **asked, folds=10)
        except assay.MetricError:
            yield f"cross-fitted {measure}", None
            continue
        low, high = fit.estimate.low, fit.estimate.high
        chosen = choose_threshold(rows, **asked).threshold
        truths = {
            f"cross-fitted {measure}": float(np.mean([one.true(measure, x) for x in fit.thresholds])),
            f"cross-fitted {measure}, at the threshold of all rows": one.true(measure, chosen),
        }
        for name, truth in truths.items():
            yield name, None if low is None or high is None else not low <= truth <= high


def _clustered(**more: Any) -> list[Population]:
    """Return the shapes of groups that every procedure is tried on."""
    shapes = (
        ("20 groups, ICC 0.1", {"groups": 20, "icc": 0.1}),
        ("20 groups, ICC 0.5", {"groups": 20, "icc": 0.5}),
        ("50 groups, ICC 0.3", {"groups": 50, "icc": 0.3}),
        ("8 lognormal groups, ICC 0.1", {"groups": 8, "icc": 0.1, "sizes": "lognormal"}),
        ("15 lognormal groups, ICC 0.3", {"groups": 15, "icc": 0.3, "sizes": "lognormal"}),
        ("40 groups, one big, ICC 0.3", {"groups": 40, "icc": 0.3, "sizes": "one big"}),
        ("40 lognormal groups, ICC 0.5", {"groups": 40, "icc": 0.5, "sizes": "lognormal", "rows": 800}),
        ("40 groups, label by group", {"groups": 40, "icc": 0.3, "labels": "group"}),
    )
    return [Population(name, **{**shape, **more}) for name, shape in shapes]


_ROWS = [
    Population("200 rows", rows=200),
    Population("500 rows, 3% positive", prevalence=0.03),
    Population("500 rows, lognormal weights", weights=0.7),
    Population("1000 rows, 3% positive, lognormal weights", rows=1000, prevalence=0.03, weights=0.7),
    Population("500 rows, hardly an error, weights", weights=0.7, distance=5.0, cut=2.5),
    Population("500 rows, weights of sigma 1.2", weights=1.2),
]
_OTHERS = [
    Population("numbers, 200 rows", kind="numbers", rows=200),
    Population("numbers, 300 rows, weights", kind="numbers", rows=300, weights=0.7),
    Population("numbers, 12 lognormal groups", kind="numbers", groups=12, icc=0.2, sizes="lognormal"),
    Population("classes, 300 rows", kind="classes", rows=300, cut=0.8),
    Population("classes, 300 rows, weights", kind="classes", rows=300, cut=0.8, weights=0.7),
    Population(
        "classes, 12 lognormal groups", kind="classes", groups=12, icc=0.2, sizes="lognormal", cut=0.8
    ),
    Population("lists, 100 queries", kind="lists", rows=800, prevalence=0.4, share=0.4),
]
_PERFECT = [
    Population("400 rows, hardly an error", rows=400, distance=5.0, cut=2.5),
    Population("20 groups, hardly an error", groups=20, icc=0.2, distance=4.5, cut=2.25),
    Population("1000 rows, 8 groups, 3% positive", rows=1000, groups=8, icc=0.05, prevalence=0.03),
    Population("1000 rows, 40 lognormal groups, 3% positive", rows=1000, groups=40, icc=0.1,
               sizes="lognormal", prevalence=0.03),
    Population("30 groups, weights", groups=30, icc=0.2, weights=0.7),
]  # fmt: skip
_SLICED_GROUPS = [
    dataclasses.replace(one, name=f"{one.name}, slices of groups", part="group", share=0.35)
    for one in _clustered()
    if one.groups >= 40
]

FAMILIES: dict[str, tuple[Callable[..., Any], list[Population]]] = {
    "promises": (
        promises,
        [
            *_ROWS,
            *_clustered(rows=1000),
            Population("2000 rows, 40 groups, 3% positive", rows=2000, groups=40, icc=0.1, prevalence=0.03),
            Population("30 groups, weights, ICC 0.2", groups=30, rows=1000, icc=0.2, weights=0.7),
            Population("30 lognormal groups, weights, ICC 0.3", groups=30, rows=1500, icc=0.3, weights=1.0,
                       sizes="lognormal"),
            Population("scores tell nothing, 40 groups", groups=40, rows=1000, icc=0.2, prevalence=0.49,
                       distance=0.0),
        ],
    ),
    "slices": (
        slices,
        [*_ROWS, *_PERFECT, *(x for x in _clustered() if x.groups > 10), *_SLICED_GROUPS, *_OTHERS],
    ),
    "compare": (compare, [*_ROWS, *_PERFECT, *_clustered(), *_OTHERS]),
    "ranges": (
        ranges,
        [
            Population("100 rows", rows=100),
            Population("200 rows", rows=200),
            Population("1000 rows", rows=1000),
            Population("1000 rows, 5% positive", rows=1000, prevalence=0.05),
            Population("500 rows, scores that hardly rank", distance=0.5),
            Population("500 rows, scores that rank well", distance=3.0),
            Population("300 rows, weights", rows=300, weights=0.7),
            Population("30 groups, ICC 0.2", groups=30, icc=0.2, rows=600),
        ],
    ),
}  # fmt: skip


def judged(family: str, place: int, lot: int, sets: int, seed: int) -> list[Cell]:
    """Return how often each procedure erred over one lot of data sets of one setting."""
    procedure, settings = FAMILIES[family]
    one = settings[place]
    key = zlib.crc32(f"{family}/{one.name}/{seed}".encode())
    rng = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, lot]))
    cells: dict[str, Cell] = {}
    for _ in range(sets):
        for name, wrong in procedure(one, rng):
            cell = cells.setdefault(name, Cell(family, one.name, name))
            cell.sets += 1
            cell.answers += wrong is not None
            cell.errors += bool(wrong)
    return list(cells.values())


def add_up(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells of several lots, each once, in the order of the settings."""
    whole: dict[tuple[str, str, str], Cell] = {}
    for cell in cells:
        known = whole.setdefault(
            (cell.family, cell.setting, cell.procedure), Cell(cell.family, cell.setting, cell.procedure)
        )
        for name in ("errors", "answers", "sets"):
            setattr(known, name, getattr(known, name) + getattr(cell, name))
    order = {
        (family, one.name): (index, place)
        for index, (family, (_, settings)) in enumerate(FAMILIES.items())
        for place, one in enumerate(settings)
    }
    return sorted(whole.values(), key=lambda cell: order[cell.family, cell.setting])


def save(path: Path, cells: Iterable[Cell]) -> None:
    """Write cells as JSON."""
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(json.dumps([dataclasses.asdict(cell) for cell in cells]) + "\n", encoding="utf-8")
    unfinished.replace(path)


def lines(cells: list[Cell]) -> Iterator[str]:
    """Yield the table, a line per setting and procedure; rates beyond two simulation errors are marked."""
    yield "| family | setting | procedure | rate | simulation error | answers | data sets | |"
    yield "|---|---|---|---|---|---|---|---|"
    for cell in cells:
        beyond = cell.rate > LEVEL + 2 * cell.simulation_error
        yield (
            f"| {cell.family} | {cell.setting} | {cell.procedure} | {cell.rate:.3f} "
            f"| {cell.simulation_error:.3f} | {cell.answers} | {cell.sets} | {'beyond' if beyond else ''} |"
        )


def _task(job: tuple[str, int, int, int, int]) -> list[Cell]:
    return judged(*job)


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], help="which to run; all by default")
    parser.add_argument("--sets", type=int, default=300, help="data sets a setting")
    parser.add_argument("--seed", type=int, default=0, help="other data sets of the same settings")
    parser.add_argument("--only", default="", help="settings whose name contains this text")
    parser.add_argument("--processes", type=int, default=None, help="as many as there are cores, by default")
    parser.add_argument("--minutes", type=float, help="start no more data sets after so long")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the counts of all cells")
    parser.add_argument("--read", type=Path, nargs="+", metavar="FILE", help="print counts of earlier runs")
    given = parser.parse_args()
    if given.read:
        texts = [path.read_text(encoding="utf-8") for path in given.read]
        cells = add_up(Cell(**data) for text in texts for data in json.loads(text))
        print("\n".join(lines(cells)))
        return 0
    jobs = [
        (family, place, lot, min(_LOT, given.sets - start), given.seed)
        for lot, start in enumerate(range(0, given.sets, _LOT))
        for family in given.families or FAMILIES
        for place, one in enumerate(FAMILIES[family][1])
        if given.only in one.name
    ]
    assay.set_threads(1)
    cells, saved = [], time.monotonic()
    parts = completed_jobs(_task, jobs, processes=given.processes, minutes=given.minutes)
    for done, part in enumerate(parts, 1):
        cells = add_up([*cells, *part])
        if time.monotonic() > saved + _SECONDS_BETWEEN_SAVES:
            saved = time.monotonic()
            print(f"{done:,} of {len(jobs):,} lots", file=sys.stderr, flush=True)
            if given.json:
                save(given.json, cells)
    if given.json:
        save(given.json, cells)
    print("\n".join(lines(cells)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
