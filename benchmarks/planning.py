"""Past this machine: what a scan costs here, and from that, by simulation, what it takes on a cluster.

``python benchmarks/planning.py`` prints it; ``--write`` puts it into docs/maintainers/planning.md, ``--rows``
says on how many rows to measure, ``--runs`` how often each cluster is simulated. Costs are processor time of
one thread.
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import itertools
import math
import platform
import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

import dask
import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import assay
from assay.engines import dask as dask_engine
from assay.engines.accumulator import PartialResult, size
from assay.engines.distributed_tally import columns_of, merged, tallied
from assay.engines.scan_request import ScanRequest

PAGE = Path(__file__).parents[1] / "docs" / "maintainers" / "planning.md"
SIZES = (10**10, 10**11, 10**12)
WORKERS = (10, 100, 1000)
PARTITION = 10_000_000  # rows: label, prediction and float64 score, about 100 MB of Parquet
ROLES = {"actual": "y", "predicted": "said", "score": "score", "threads": 1}
QUESTIONS = {
    "counts": {"labels": assay.Confusion},
    "bins": {"labels": assay.Confusion, "ranks": assay.BinnedScores},
    "exact, then bins": {"labels": assay.Confusion, "ranks": assay.Scores},
}
MIB = 1 << 20

# What this machine cannot tell: assumed, and said in the page.
LINK = 125e6  # bytes a second into a worker
JITTER = 0.2  # standard deviation of the logarithm of a task's time
STRAGGLERS, SLOWER = 0.01, 5.0  # share of tasks, and how much slower
FAILURES, RESTART = 0.001, 5.0  # share of attempts that die on the way, and seconds until the next can start
LOSSES, REPLACED = 1 / (1000 * 3600), 120.0  # machines lost a second of each, and seconds until one is back
SPARK_MERGES, SPARK_LEAST = 200, 1e6  # tasks of the first round of merges at most, and bytes each at least
DASK_BRANCHES = dask_engine._BRANCHES  # noqa: SLF001 - our own


@dataclasses.dataclass
class Cost:
    """What one question costs: seconds and bytes."""

    a_row: float
    a_partition: float
    a_merge: float  # of a part into what is there
    part: float  # bytes that leave a partition
    whole: float  # bytes of what is merged
    driver: float  # bytes that the answer takes


@dataclasses.dataclass
class Machine:
    """What was measured here."""

    reading: float  # seconds a row
    a_task: float  # seconds that the scheduler spends on a task
    task_bytes: float  # that the driver holds of a task
    costs: dict[str, Cost]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write docs/maintainers/planning.md")
    given = parser.parse_args()
    machine = measured(given.rows)
    lines = [*described(machine, given.rows), "", *simulated(machine, given.runs)]
    print("\n".join(lines))
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        begin, end = "<!-- table -->\n", "<!-- end -->"
        head, rest = text.split(begin)
        PAGE.write_text(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1], encoding="utf-8")
    return 0


# Measuring


def table_of(rows: int, seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    score = rng.random(rows)
    y = (rng.random(rows) < score).astype(np.int8)
    return pa.table({"y": y, "said": (score > 0.5).astype(np.int8), "score": score})


def used(work, runs: int = 3) -> float:
    """Return the processor time of a piece of work, the least of some runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def measured(rows: int) -> Machine:
    assay.set_threads(1)
    table, small = table_of(rows), table_of(rows // 8, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pq.write_table(table, path, compression="zstd")
        reading = used(lambda: pq.read_table(path, use_threads=False)) / rows
    costs = {name: cost_of(tallies, table, small) for name, tallies in QUESTIONS.items()}
    return Machine(reading, *scheduling(), costs)


def tally_of(table: pa.Table, asked: ScanRequest) -> bytes:
    return tallied(columns_of(table.to_batches(max_chunksize=100_000), asked, "it"), asked, 0)


def cost_of(tallies, table: pa.Table, small: pa.Table) -> Cost:
    asked = ScanRequest.of(tallies=tallies, **ROLES)
    long, short = (used(lambda one=one: tally_of(one, asked)) for one in (table, small))
    a_row = (long - short) / (len(table) - len(small))
    a_partition = max(short - a_row * len(small), 0.0)
    parts = [tally_of(table_of(len(table), seed), asked) for seed in range(4)]
    # With a memory that the exact scores of these few rows outgrow, they are merged as those of many would.
    tight = ScanRequest.of(tallies=tallies, memory="64MiB", **ROLES)
    a_merge = used(lambda: merged(parts, tight, "")) / len(parts)
    whole = merged(parts, tight, "")
    part = float(len(parts[0]))
    if len(whole) < part:  # exact scores: what leaves a partition grows with its rows
        a_merge, part = a_merge / len(table) * PARTITION, part / len(table) * PARTITION
    answer = size(PartialResult.from_bytes(whole).tallies)
    return Cost(a_row, a_partition, a_merge, part, float(len(whole)), float(2 * len(whole) + 2 * answer))


def scheduling(tasks: int = 2000) -> tuple[float, float]:
    """Return what a scheduler spends on a task, and what the driver holds of it."""
    pieces = [dask.delayed(one, pure=False)(None) for one in itertools.repeat(empty, tasks)]
    tracemalloc.start()
    graph = dask.delayed(list)([dask.delayed(empty, pure=False)(piece) for piece in pieces])
    held = tracemalloc.get_traced_memory()[0] / tasks
    tracemalloc.stop()
    del graph
    settings = {
        "n_workers": 1,
        "threads_per_worker": 1,
        "processes": False,
        "protocol": "tcp",
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
    }
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        seconds = used(lambda: client.gather(client.map(empty, range(tasks), pure=False)), 2) / tasks
    return seconds, held


def empty(_: object) -> None:
    return None


# Simulating


@dataclasses.dataclass
class Level:
    """Tasks of one kind. Each needs some of the level before, or, behind a barrier, all of it."""

    tasks: int
    seconds: float  # of work
    fetched: float  # bytes of input
    branches: int = 0
    barrier: bool = False


def spark_levels(rows: int, cost: Cost, reading: float) -> list[Level]:
    partitions = math.ceil(rows / PARTITION)
    merges = int(min(max(partitions * cost.part / SPARK_LEAST, 1), SPARK_MERGES, partitions))
    each = partitions / merges
    return [
        Level(partitions, (cost.a_row + reading) * PARTITION + cost.a_partition, 0.0),
        Level(merges, each * cost.a_merge, each * cost.part, barrier=True),
        Level(1, merges * later(cost), merges * cost.whole, barrier=True),
    ]


def dask_levels(rows: int, cost: Cost, reading: float) -> list[Level]:
    partitions = math.ceil(rows / PARTITION)
    levels = [Level(partitions, (cost.a_row + reading) * PARTITION + cost.a_partition, 0.0)]
    while levels[-1].tasks > 1:
        tasks, first = math.ceil(levels[-1].tasks / DASK_BRANCHES), len(levels) == 1
        seconds = DASK_BRANCHES * (cost.a_merge if first else later(cost))
        fetched = DASK_BRANCHES * (cost.part if first else cost.whole)
        levels.append(Level(tasks, seconds, fetched, branches=DASK_BRANCHES))
    return levels


def later(cost: Cost) -> float:
    """Return what it costs to merge a part that has been merged before."""
    return cost.a_merge * min(cost.whole / cost.part, 1.0)


class Cluster:
    """A discrete-event simulation: workers, one driver that hands out tasks one by one, and bad luck."""

    def __init__(self, levels: list[Level], workers: int, a_task: float, seed: int) -> None:
        self.levels, self.a_task = levels, a_task
        self.rng = np.random.default_rng(seed)
        self.free = list(range(workers))
        self.alive = [0] * workers  # how often each has been replaced
        self.done: list[set[tuple[int, int]]] = [set() for _ in range(workers)]
        self.where: dict[tuple[int, int], int] = {}
        self.left = [level.tasks for level in levels]  # tasks of a level that are not done
        self.waits = [self._needs(at) for at in range(len(levels))]
        self.ready: list[tuple[int, int]] = [(0, task) for task in range(levels[0].tasks)]
        heapq.heapify(self.ready)
        self.events: list[tuple[float, int, str, int, int, tuple[int, int]]] = []
        self.ticket = itertools.count()
        self.attempts = self.lost = 0
        self.driver_free = 0.0
        self.ends = [0.0] * len(levels)

    def _needs(self, at: int) -> list[int]:
        level = self.levels[at]
        if at == 0:
            return [0] * level.tasks
        before = self.levels[at - 1].tasks
        if level.barrier:
            return [before] * level.tasks
        return [min(level.branches, before - task * level.branches) for task in range(level.tasks)]

    def run(self) -> float:
        now = 0.0
        for worker in range(len(self.alive)):
            self._fate(0.0, worker)
        while self.left[-1]:
            while self.free and self.ready:
                self._start(now)
            now, _, what, worker, life, task = heapq.heappop(self.events)
            if what == "back":
                self.free.append(worker)
                self._fate(now, worker)
            elif life != self.alive[worker]:
                continue  # of a worker that is gone
            elif what == "gone":
                self._lose(now, worker)
            elif what == "failed":
                self._again(task)
                self._push(now + RESTART, "free", worker)
            else:
                if what == "done":
                    self._finish(now, worker, task)
                self.free.append(worker)
        return now

    def _push(self, when: float, what: str, worker: int, task: tuple[int, int] = (0, 0)) -> None:
        heapq.heappush(self.events, (when, next(self.ticket), what, worker, self.alive[worker], task))

    def _fate(self, now: float, worker: int) -> None:
        self._push(now + self.rng.exponential(1 / LOSSES), "gone", worker)

    def _start(self, now: float) -> None:
        worker, (negative, number) = self.free.pop(), heapq.heappop(self.ready)
        task = (-negative, number)
        self.driver_free = max(now, self.driver_free) + self.a_task
        level = self.levels[task[0]]
        seconds = level.seconds * math.exp(self.rng.normal(-(JITTER**2) / 2, JITTER)) + level.fetched / LINK
        chance, dies = self.rng.random(), self.rng.random() < FAILURES
        seconds *= SLOWER if chance < STRAGGLERS else 1.0
        self.attempts += 1
        self.where[task] = worker
        if dies:
            self._push(self.driver_free + seconds * self.rng.random(), "failed", worker, task)
        else:
            self._push(self.driver_free + seconds, "done", worker, task)

    def _consumers(self, task: tuple[int, int]):
        at, number = task[0] + 1, task[1]
        if at < len(self.levels):
            level = self.levels[at]
            yield from range(level.tasks) if level.barrier else (number // level.branches,)

    def _finish(self, now: float, worker: int, task: tuple[int, int]) -> None:
        at = task[0]
        self.done[worker].add(task)
        self.left[at] -= 1
        if not self.left[at]:
            self.ends[at] = self.ends[at] or now
        if at + 1 < len(self.levels) and self.levels[at + 1].barrier:
            if not self.left[at]:
                pending = [n for n, wait in enumerate(self.waits[at + 1]) if wait]
                for number in pending:
                    self.waits[at + 1][number] = 0
                    heapq.heappush(self.ready, (-at - 1, number))
            return
        for number in self._consumers(task):
            self.waits[at + 1][number] -= 1
            if not self.waits[at + 1][number]:
                heapq.heappush(self.ready, (-at - 1, number))

    def _again(self, task: tuple[int, int]) -> None:
        self.where.pop(task, None)
        heapq.heappush(self.ready, (-task[0], task[1]))

    def _lose(self, now: float, worker: int) -> None:
        """Take a machine away: its task starts anew, and so does what it had done that is still needed."""
        self.lost += 1
        self.alive[worker] += 1
        running = [task for task, at in self.where.items() if at == worker and task not in self.done[worker]]
        for task in running:
            self._again(task)
        for task in self.done[worker]:
            at = task[0]
            waiting = [n for n in self._consumers(task) if (at + 1, n) not in self.where]
            if not waiting:
                continue  # what needs it has fetched it
            self.left[at] += 1
            self._again(task)
            if not self.levels[at + 1].barrier:
                self.waits[at + 1][waiting[0]] += 1
            elif not self.waits[at + 1][waiting[0]]:
                for number in waiting:
                    self.waits[at + 1][number] = 1
                self.ready = [one for one in self.ready if one[0] != -at - 1]
                heapq.heapify(self.ready)
        self.done[worker] = set()
        if worker in self.free:
            self.free.remove(worker)
        self._push(now + REPLACED, "back", worker)


def simulated(machine: Machine, runs: int) -> list[str]:
    heads = (
        "question", "engine", "rows", "workers", "time", "the rows alone", "merging", "tasks tried (needed)",
        "moved", "driver", "longest beside the rows",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, cost in machine.costs.items():
        engines = (
            (("Spark", spark_levels), ("Dask", dask_levels)) if name == "bins" else (("Spark", spark_levels),)
        )
        for (engine, plan), rows, workers in itertools.product(engines, SIZES, WORKERS):
            levels = plan(rows, cost, machine.reading)
            found = [Cluster(levels, workers, machine.a_task, seed) for seed in range(runs)]
            times = [one.run() for one in found]
            tasks = sum(level.tasks for level in levels)
            ideal = levels[0].seconds * levels[0].tasks / workers
            merging = statistics.median(one.ends[-1] - one.ends[0] for one in found)
            tried = statistics.median(one.attempts for one in found)
            moved = sum(level.tasks * level.fetched for level in levels)
            driver = cost.driver + machine.task_bytes * tasks
            lines.append(
                f"| {name} | {engine} | {rows:.0e} | {workers:,} | {duration(statistics.median(times))} | "
                f"{duration(ideal)} | {duration(merging)} | {tried:,.0f} ({tasks:,}) | {amount(moved)} | "
                f"{amount(driver)} | {limit(levels, workers, machine.a_task)} |"
            )
    return lines


def limit(levels: list[Level], workers: int, a_task: float) -> str:
    """Return what takes longest beside the rows themselves."""
    tasks = sum(level.tasks for level in levels)
    needs = {"handing out tasks": tasks * a_task}
    needs["the last merge"] = levels[-1].seconds + levels[-1].fetched / LINK
    between = levels[1:-1]
    waves = [math.ceil(one.tasks / workers) for one in between]
    pairs = list(zip(between, waves, strict=True))
    needs["moving parts"] = sum(wave * one.fetched / LINK for one, wave in pairs)
    needs["merging parts"] = sum(wave * one.seconds for one, wave in pairs)
    name = max(needs, key=needs.__getitem__)
    return f"{name}, {duration(needs[name])}"


def duration(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds:.2f} s"


def amount(size: float) -> str:
    for unit, power in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.3g} {unit}"
    return f"{size:.0f} bytes"


def described(machine: Machine, rows: int) -> list[str]:
    said = (
        f"Measured on {rows:,} rows with assay {assay.__version__}, Python {platform.python_version()}, in "
        f"processor time of one thread. Reading Parquet: {machine.reading * 1e9:.1f} ns a row. Dask's share "
        f"of a task: {machine.a_task * 1e3:.2f} ms and {machine.task_bytes:,.0f} bytes on the driver."
    )
    heads = "question", "a row", "a partition", "a merge", "bytes of a part", "of the whole", "on the driver"
    lines = [said, "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [
        f"| {name} | {one.a_row * 1e9:.1f} ns | {one.a_partition * 1e3:.1f} ms | "
        f"{one.a_merge * 1e3:.1f} ms | {amount(one.part)} | {amount(one.whole)} | {amount(one.driver)} |"
        for name, one in machine.costs.items()
    ]
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
