"""How often the gate lets a model pass that does not meet the plan, and one that does: simulated, as tables.

``python benchmarks/gate.py`` draws predictions of models whose true quality lies on the limit of a
requirement, or where the plan says that it passes with 80%, and checks them with ``assay.check``. ``--write``
writes the tables into docs/explanation/gate.md, ``--sets 2000`` says how many data sets a setting has,
``--only TEXT`` keeps settings whose name contains the text.

- Errors: a requirement that is truly just not met passes; at most 2.5% of data sets are to, however many
  requirements, slices and looks there are.
- Power: of models exactly as good as the plan says that they must be, 80% are to pass.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import math
import sys
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

import assay
from assay.errors import NoLooksLeftError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.plans.plan import Plan

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "gate.md"
RATE = 0.025  # what a 95% interval leaves on one side
Table = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Setting:
    """A plan, how predictions are drawn for it, and the true improvement, or value, on its limit.

    ``draw(rng, truth)`` returns a baseline's and a candidate's predictions, the candidate's truly better by
    so much; without a baseline the truth is the candidate's own value.
    """

    name: str
    requirements: tuple[str, ...]
    draw: Any
    truth: float
    columns: Any
    settings: Any = dataclasses.field(default_factory=dict)
    assume: Any = dataclasses.field(default_factory=dict)
    looks: int = 1

    def plan(self, test: Table) -> Plan:
        """Return the plan for a test set."""
        return assay.plan(
            test, requirements=list(self.requirements), actual="y", key="id", settings=self.settings,
            assume=self.assume, looks=self.looks, **self.columns,
        )  # fmt: skip


def labels_of(n: int, positive: int) -> Table:
    """Return the rows of a test set with so many positives."""
    return {"id": list(range(n)), "y": np.repeat([0, 1], [n - positive, positive])}


def labels_drawn(n: int, positive: int, disagreement: float) -> Any:
    """Return how two classifiers' labels are drawn: right on the same rows but for a share that differs."""
    test = labels_of(n, positive)
    y = test["y"]

    def draw(rng: np.random.Generator, improvement: float) -> tuple[Table, Table]:
        only_new, only_old = (disagreement + improvement) / 2, (disagreement - improvement) / 2
        kind = rng.choice(
            4, n, p=[only_new, only_old, 0.1, 0.9 - disagreement]
        )  # 2: both wrong, 3: both right
        old, new = np.isin(kind, (1, 3)), np.isin(kind, (0, 3))
        return {**test, "z": np.where(old, y, 1 - y)}, {**test, "z": np.where(new, y, 1 - y)}

    return draw


def right_labels(n: int, positive: int) -> Any:
    """Return how a classifier's labels are drawn, right with a probability in either class."""
    test = labels_of(n, positive)
    y = test["y"]

    def draw(rng: np.random.Generator, share: float) -> tuple[Table, Table]:
        return {}, {**test, "z": np.where(rng.random(n) < share, y, 1 - y)}

    return draw


def scores_drawn(n: int, positive: int, area: float, correlation: float) -> Any:
    """Return how two models' scores are drawn: normal in each class, going together within it."""
    test = labels_of(n, positive)
    y = test["y"]

    def draw(rng: np.random.Generator, improvement: float) -> tuple[Table, Table]:
        shared, first, second = rng.standard_normal((3, n))
        weight = math.sqrt(correlation)
        rest = math.sqrt(1 - correlation)
        distances = [math.sqrt(2) * ndtri(area + better) for better in (0.0, improvement)]
        old, new = (
            ndtr(weight * shared + rest * own + distance * (y - 0.5) - 0.5)
            for own, distance in zip((first, second), distances, strict=True)
        )
        return {**test, "p": old}, {**test, "p": new}

    return draw


def one_score(n: int, positive: int) -> Any:
    """Return how a model's scores are drawn for a true area."""
    both = scores_drawn(n, positive, 0.5, 0.0)

    def draw(rng: np.random.Generator, area: float) -> tuple[Table, Table]:
        return {}, both(rng, area - 0.5)[1]

    return draw


def area_correlation(n: int, positive: int, area: float, correlation: float) -> float:
    """Return how two areas correlate whose scores do so much, from many rows of such models."""
    times = 40
    old, new = scores_drawn(times * n, times * positive, area, correlation)(np.random.default_rng(1), 0.0)
    both = assay.compare(
        actual=old["y"], score={"old": old["p"], "new": new["p"]}, metrics=["auc"], confidence=0.95
    )
    error = both["auc"].standard_error
    alone = [assay.evaluate(actual=each["y"], score=each["p"])["auc"].standard_error for each in (old, new)]
    return float((alone[0] ** 2 + alone[1] ** 2 - error**2) / (2 * alone[0] * alone[1]))


def f1_of(share: float, recall: float, false_alarms: float) -> float:
    """Return F1 of rates and the share of positives."""
    hits, alarms, misses = share * recall, (1 - share) * false_alarms, share * (1 - recall)
    return 2 * hits / (2 * hits + alarms + misses)


def f1_drawn(n: int, positive: int) -> Any:
    """Return how labels are drawn whose F1 is better by so much: by fewer false alarms."""
    test = labels_of(n, positive)
    y, share = test["y"], positive / n
    before = f1_of(share, 0.8, 0.1)

    def draw(rng: np.random.Generator, improvement: float) -> tuple[Table, Table]:
        rate = brentq(lambda rate: f1_of(share, 0.8, rate) - before - improvement, 0.0, 0.5)
        drawn, again = rng.random((2, n))
        same = rng.random(n) < 0.6  # rows on which both models do the same
        other = np.where(same, drawn, again)
        old = np.where(y == 1, drawn < 0.8, drawn < 0.1)
        new = np.where(y == 1, other < 0.8, other < rate)
        return {**test, "z": old.astype(int)}, {**test, "z": new.astype(int)}

    return draw


def errors_drawn(n: int, correlation: float = 0.7) -> Any:
    """Return how two regressions are drawn, normal errors of standard deviation 1 and less by so much."""
    y = np.random.default_rng(0).normal(size=n) * 3
    test = {"id": list(range(n)), "y": y}

    def draw(rng: np.random.Generator, improvement: float) -> tuple[Table, Table]:
        shared, first, second = rng.standard_normal((3, n))
        weight, rest = math.sqrt(correlation), math.sqrt(1 - correlation)
        old, new = weight * shared + rest * first, (1 - improvement) * (weight * shared + rest * second)
        return {**test, "z": y + old}, {**test, "z": y + new}

    return draw


def in_regions(draw: Any, count: int) -> Any:
    """Return the same draws, the rows in so many regions."""

    def of_regions(rng: np.random.Generator, truth: float) -> tuple[Table, Table]:
        tables = draw(rng, truth)
        return tuple({**each, "at": np.arange(len(each["y"])) % count} if each else each for each in tables)  # type: ignore[return-value]

    return of_regions


LABELS, SCORES = {"predicted": "z"}, {"score": "p"}
REGRESSION, CUT = {"task": "regression"}, {"threshold": 0.5}


def errors() -> Iterator[Setting]:
    """Yield settings whose models lie on the limit."""
    sizes = ((100, 0.1, 0.05), (200, 0.05, 0.02), (1000, 0.1, 0.02), (1000, 0.3, 0.02), (4000, 0.05, 0.01))
    for n, share, margin in sizes:
        name = f"accuracy no worse by {margin}, {n} rows, {share:.0%} disagree"
        text = f"accuracy no worse than old by {margin}"
        yield Setting(name, (text,), labels_drawn(n, n // 2, share), -margin, LABELS)
    draw = labels_drawn(200, 100, 0.1)
    yield Setting("accuracy better, 200 rows, 10% disagree", ("accuracy better than old",), draw, 0.0, LABELS)
    draw = labels_drawn(300, 100, 0.15)
    text = "recall no worse than old by 0.05"
    yield Setting("recall no worse by 0.05, 100 positives", (text,), draw, -0.05, LABELS)
    areas = ((200, 60, 0.8, 0.03), (1000, 50, 0.85, 0.02), (1000, 300, 0.8, 0.02), (400, 200, 0.95, 0.01))
    for n, positive, area, margin in areas:
        name = f"AUC no worse by {margin}, {n} rows, {positive} positive"
        draw = scores_drawn(n, positive, area, 0.6)
        yield Setting(name, (f"auc no worse than old by {margin}",), draw, -margin, SCORES, CUT)
    draw = scores_drawn(300, 90, 0.8, 0.6)
    yield Setting("AUC better, 300 rows", ("auc better than old",), draw, 0.0, SCORES, CUT)
    draw = f1_drawn(400, 100)
    yield Setting("F1 no worse by 0.03, 400 rows", ("f1 no worse than old by 0.03",), draw, -0.03, LABELS)
    for metric, share in (("rmse", 1.0), ("mae", math.sqrt(2 / math.pi))):
        text = f"{metric} no worse than old by {0.05 * share:.6f}"
        name = f"{metric.upper()} no worse by 0.05, 200 rows"  # of the errors' standard deviation
        yield Setting(name, (text,), errors_drawn(200), -0.05, LABELS, REGRESSION)
    yield Setting("recall >= 0.9, 100 positives", ("recall >= 0.9",), right_labels(300, 100), 0.9, LABELS)
    yield Setting("AUC >= 0.8, 300 rows", ("auc >= 0.8",), one_score(300, 100), 0.8, SCORES, CUT)
    three = ("recall >= 0.9", "specificity >= 0.9", "accuracy >= 0.9")
    yield Setting("3 requirements, all on the limit (any passes)", three, right_labels(600, 200), 0.9, LABELS)
    text = "accuracy no worse than old by 0.05 in every at"
    draw = in_regions(labels_drawn(800, 400, 0.1), 4)
    yield Setting(
        "accuracy no worse by 0.05 in every one of 4 regions, all on the limit", (text,), draw, -0.05, LABELS
    )
    text = "accuracy no worse than old by 0.02"
    draw = labels_drawn(1000, 500, 0.1)
    yield Setting(
        "accuracy no worse by 0.02, 5 looks, all on the limit (any passes)",
        (text,),
        draw,
        -0.02,
        LABELS,
        looks=5,
    )


def powers() -> Iterator[Setting]:
    """Yield settings whose plans say how good a model must be."""
    for text, n, positive in (("recall >= 0.9", 600, 300), ("recall >= 0.8", 600, 60)):
        yield Setting(f"{text}, {positive} positives", (text,), right_labels(n, positive), math.nan, LABELS)
    text = "specificity >= 0.95"
    yield Setting(f"{text}, 1,500 negatives", (text,), right_labels(2000, 500), math.nan, LABELS)
    for text, n, positive in (("auc >= 0.75", 1000, 200), ("auc >= 0.9", 400, 100)):
        name = f"{text}, {n:,} rows, {positive} positive"
        yield Setting(name, (text,), one_score(n, positive), math.nan, SCORES, CUT)
    for n, share, margin in ((500, 0.1, 0.03), (2000, 0.1, 0.01), (2000, 0.3, 0.03)):
        name = f"accuracy no worse by {margin}, {n:,} rows, {share:.0%} disagree"
        text = f"accuracy no worse than old by {margin}"
        draw = labels_drawn(n, n // 2, share)
        yield Setting(name, (text,), draw, math.nan, LABELS, assume={"disagreement": share})
    draw = labels_drawn(1000, 500, 0.1)
    name = "accuracy better, 1,000 rows, 10% disagree"
    yield Setting(name, ("accuracy better than old",), draw, math.nan, LABELS)
    text = "recall no worse than old by 0.03"
    draw = labels_drawn(900, 300, 0.1)
    yield Setting("recall no worse by 0.03, 300 positives", (text,), draw, math.nan, LABELS)
    for n, positive, area, margin in ((1000, 300, 0.8, 0.02), (2000, 200, 0.85, 0.02)):
        rho = area_correlation(n, positive, area, 0.6)
        name = f"AUC no worse by {margin}, {n:,} rows, {positive} positive, correlation {rho:.2f}"
        text = f"auc no worse than old by {margin}"
        assume = {"area": area, "correlation": rho}
        draw = scores_drawn(n, positive, area, 0.6)
        yield Setting(name, (text,), draw, math.nan, SCORES, CUT, assume)


def pass_rate(setting: Setting, truth: float, sets: int, rng: np.random.Generator) -> float:
    """Return in which share of data sets any requirement passes, at any look."""
    plan = setting.plan(setting.draw(np.random.default_rng(0), truth)[1])
    passed = 0
    for _ in range(sets):
        if setting.looks == 1:
            passed += any(each.met for each in checked(plan, setting.draw(rng, truth)))
        else:
            passed += any(looked(plan, setting, truth, rng))
    return passed / sets


def checked(plan: Plan, tables: tuple[Table, Table], **more: Any) -> Any:
    """Return the check of a candidate against its baseline."""
    old, new = tables
    against = {"against": old} if plan.baselines else {}
    return assay.check(plan, new, **against, **more)


def looked(plan: Plan, setting: Setting, truth: float, rng: np.random.Generator) -> Iterator[bool]:
    """Yield whether each of several models passes, one look after the other, counted by a ledger."""
    with tempfile.TemporaryDirectory() as folder, assay.ledger(f"{folder}/ledger.db") as book:
        for _ in range(setting.looks):
            with contextlib.suppress(NoLooksLeftError):
                yield checked(plan, setting.draw(rng, truth), ledger=book).met


def row(setting: Setting, truth: float, sets: int, seed: int) -> tuple[float, float]:
    """Return the rate of a setting and the simulation's standard error."""
    rng = np.random.Generator(np.random.Philox(key=zlib.crc32(f"{setting.name}/{seed}".encode())))
    rate = pass_rate(setting, truth, sets, rng)
    return rate, math.sqrt(max(rate * (1 - rate), 1 / sets) / sets)


def error_lines(sets: int, seed: int, only: str) -> Iterator[str]:
    """Yield the table of errors; a rate beyond 2.5% by more than two simulation errors is marked."""
    yield "| on the limit | passes | simulation error | data sets | |"
    yield "|---|---:|---:|---:|---|"
    for setting in errors():
        if only in setting.name:
            size = sets if setting.looks == 1 else max(sets // setting.looks, 1)
            rate, error = row(setting, setting.truth, size, seed)
            mark = "beyond" if rate > RATE + 2 * error else ""
            yield f"| {setting.name} | {rate:.2%} | {error:.2%} | {size:,} | {mark} |"


def _any_truth(setting: Setting) -> float:
    """Return a true value at which rows can be drawn: no test set depends on it."""
    return 0.0 if "old" in setting.requirements[0] else 0.9


def power_lines(sets: int, seed: int, only: str) -> Iterator[str]:
    """Yield the table of power: what the plan says that it takes, and how often such models pass."""
    yield "| requirement | needed for 80% | passes | simulation error | if equal, says the plan | passes |"
    yield "|---|---:|---:|---:|---:|---:|"
    for setting in powers():
        if only not in setting.name:
            continue
        (power,) = setting.plan(setting.draw(np.random.default_rng(0), _any_truth(setting))[1]).powers
        assert power.needed is not None
        rate, error = row(setting, power.needed, sets, seed)
        said = equal = ""
        if power.if_equal is not None and "better than" not in setting.requirements[0]:
            said, equal = f"{power.if_equal:.1%}", f"{row(setting, 0.0, sets, seed + 1)[0]:.1%}"
        yield f"| {setting.name} | {power.needed:.4f} | {rate:.1%} | {error:.1%} | {said} | {equal} |"


def main() -> int:
    """Simulate, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sets", type=int, default=2000, help="data sets a setting")
    parser.add_argument("--seed", type=int, default=0, help="other data sets of the same settings")
    parser.add_argument("--only", default="", help="settings whose name contains this text")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/explanation/gate.md")
    given = parser.parse_args()
    assay.set_threads(1)
    text = PAGE.read_text(encoding="utf-8") if given.write else ""
    for name, lines in (("errors", error_lines), ("power", power_lines)):
        table = []
        for line in lines(given.sets, given.seed, given.only):
            print(line, flush=True)
            table.append(line)
        print()
        if given.write:
            start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
            before, _, rest = text.partition(start)
            text = "\n".join([f"{before}{start}", *table, f"{end}{rest.partition(end)[2]}"])
    if given.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
