"""How often the default intervals hold the truth: simulated for every kind of metric, as tables.

``python benchmarks/coverage.py`` prints the worst scenario of every metric: its coverage, how often the
truth lay below and above the interval, how often there was none and why, and the mean width; then all cells
that are too low. Words choose families ("easy", "hard", "unseen" and "random" are all of a kind; ``--list``
prints them and their scenarios), ``--metrics "auc,*f1*"`` chooses metrics, ``--sets 500`` is quicker.
``--json FILE`` keeps the results as they come in: ``--read FILE`` prints them again, ``--before FILE`` what
changed since. ``--minutes 8`` stops in time, with about as many data sets of every scenario; ``--first 2000``
begins with data set 2000, so that parts of one study run on several machines, or one after the other:
``--read`` adds up the parts. ``--write`` puts tables into docs/explanation/coverage.md: those of the settings
that were drawn, the others stay as they are.

Every interval is the one that ``assay.estimate`` gives by default at 95%. The data sets depend neither on the
choice of metrics nor on the number of processes. It needs NumPy, SciPy and assay's kernels, and no more.
"""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import os
import sys
import time
import warnings
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import hard_designs
import hard_populations
import numpy as np
import populations
import random_settings
import unseen_designs
import unseen_populations
from coverage_cells import Cell, add_up, by_family, changes, load, save, too_low, worst_by_metric
from parallel_jobs import completed_jobs

import assay

if TYPE_CHECKING:
    from scenarios import Scenario

EASY = populations.FAMILIES
HARD = hard_populations.FAMILIES | hard_designs.FAMILIES
UNSEEN = unseen_populations.FAMILIES | unseen_designs.FAMILIES
RANDOM = random_settings.FAMILIES
FAMILIES = EASY | HARD | UNSEEN | RANDOM
PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "coverage.md"
_LOT = 50  # data sets that are drawn from one stream of random numbers
_SECONDS_BETWEEN_SAVES = 30
_scenarios: dict[tuple[str, str], Scenario] = {}  # filled before the processes are forked


def simulate(job: tuple[str, str, tuple[str, ...], int, int]) -> list[Cell]:
    """Return how the intervals of a scenario's metrics did over one lot of simulated data sets."""
    family, name, metrics, lot, sets = job
    scenario = _scenarios[family, name]
    key = zlib.crc32(f"{family}/{name}".encode())
    rng = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, lot]))
    cells = {metric: Cell(family, name, metric, scenario.truth[metric]) for metric in metrics}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(sets):
            data = scenario.draw(rng)
            for metric, cell in cells.items():
                known, options = scenario.metric(metric)
                cell.add(scenario.estimate(known, data, options))
    return list(cells.values())


def wanted(metric: str, patterns: list[str]) -> bool:
    """Tell whether a metric's name is like one of some patterns."""
    return any(fnmatch.fnmatchcase(metric, pattern) for pattern in patterns)


def jobs_of(
    families: list[str], patterns: list[str], scenarios: str, sets: int, first: int = 0
) -> list[tuple[str, str, tuple[str, ...], int, int]]:
    """Return the jobs of some families: first one lot of every scenario, then the next, of all metrics."""
    jobs = []
    for family in families:
        for scenario in FAMILIES[family]():
            if (family, scenario.name) in _scenarios:
                raise SystemExit(f"two scenarios of {family} are both called {scenario.name}")
            _scenarios[family, scenario.name] = scenario
            metrics = tuple(name for name in scenario.truth if wanted(name, patterns))
            if metrics and fnmatch.fnmatchcase(scenario.name, scenarios):
                jobs.append((family, scenario.name, metrics))
    return [
        (*job, (first + start) // _LOT, min(_LOT, sets - start))
        for start in range(0, sets, _LOT)
        for job in jobs
    ]


def study(
    jobs: list[tuple[str, str, tuple[str, ...], int, int]],
    *,
    processes: int | None = None,
    minutes: float | None = None,
    path: Path | None = None,
) -> list[Cell]:
    """Simulate and return the cells, in the order of the jobs; a file gets them twice a minute."""
    cells = {(family, name, metric): None for family, name, metrics, *_ in jobs for metric in metrics}
    saved = time.monotonic()
    for done, part in enumerate(completed_jobs(simulate, jobs, processes=processes, minutes=minutes), 1):
        for cell in part:
            known = cells[cell.key]
            if known is None:
                cells[cell.key] = cell
            else:
                known.merge(cell)
        if path and time.monotonic() > saved + _SECONDS_BETWEEN_SAVES:
            save(path, filter(None, cells.values()))
            saved = time.monotonic()
            print(f"{done:,} of {len(jobs):,} lots", file=sys.stderr, flush=True)
    complete = list(filter(None, cells.values()))
    if path:
        save(path, complete)
    return complete


_COLUMNS = """\
A cell is a metric in a scenario. `low` counts cells whose coverage is below 0.93 by more than two simulation
errors. `worst` is the least coverage, found in the scenario `in`; there the true value lay below, and above,
so large a share of the intervals, and they were so wide. `no interval` is the largest share of data sets
without one, with the reason; `no value` that of data sets in which the metric has no value.
"""
_UNSEEN = """\
## Settings chosen without a look at intervals

From other prevalences, class sizes, score distributions, cluster shapes, weights and class counts, written by
someone who had not seen how intervals behave there. They were drawn twice: between the draws laws over the
catalogue changed some methods, average precision's among them, which was then looked at here as well, and the
agreement by chance, low in both draws, lost its interval and its rows. The first draw had 87 low cells of
1,794 with an interval. The no-information rate of like classes and the weighted regressions were mended after
the second draw, with these cells in view, and so were later unequal clusters, shared information, the note on
outlying errors, Cramér's V, the H measure, observed to expected positives and the Cox slope: of those, these
settings are no independent check any more.
"""
_RANDOM = """\
## Settings on which nothing was tuned

A random generator chose everything about these settings: numbers of rows, classes and clusters, shares of
positives, areas, kinds of scores, weights and errors (`benchmarks/random_settings.py`). They were drawn once,
in November 2026, and no method was changed for what they show. After it the search for where a metric turns
between the limits of its rates became coarser, which moves limits of weighted and clustered rows by less
than one in ten thousand.
"""
# The parts of docs/explanation/coverage.md: the settings they are of, and what is said of these.
PARTS = {"known": (EASY | HARD, _COLUMNS), "unseen": (UNSEEN, _UNSEEN), "random": (RANDOM, _RANDOM)}


def page_lines(cells: list[Cell]) -> dict[str, list[str]]:
    """Return the parts of docs/explanation/coverage.md by name: the simulated cases and the tables."""
    parts = {}
    for part, (settings, title) in PARTS.items():
        group = [cell for cell in cells if cell.family in settings]
        if not group:
            continue
        families = dict.fromkeys(cell.family for cell in group)
        listed = [f"- **{family}**: {FAMILIES[family].__doc__.splitlines()[0]}" for family in families]
        most, least = (each(cell.sets for cell in group) for each in (max, min))
        count = f"{most:,}" if most == least else f"{least:,} to {most:,}"
        sets = f"{count} data sets a scenario, {len(group):,} cells."
        parts[part] = [title, sets, "", *listed, "", *worst_by_metric(group), "", *too_low(group), ""]
    return parts


def _write(page: Path, parts: dict[str, list[str]]) -> None:
    text = page.read_text(encoding="utf-8")
    for part, lines in parts.items():
        begin, end = f"<!-- {part} settings -->\n", f"<!-- end of {part} settings -->"
        head, tail = text.split(begin)[0], text.split(end)[1]
        text = head + begin + "\n".join(lines) + "\n" + end + tail
    page.write_text(text, encoding="utf-8")


def main() -> int:
    """Simulate, print and, where wanted, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    names = ["easy", "hard", "unseen", "random", *FAMILIES]
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY",
        help="easy, hard, unseen, random or names; easy and hard by default",
    )  # fmt: skip
    parser.add_argument("--metrics", default="*", help='patterns of names, such as "auc,*f1*,mcc"')
    parser.add_argument("--scenarios", default="*", help='a pattern of names, such as "8 clusters*"')
    parser.add_argument("--sets", type=int, default=2000, help="data sets a scenario")
    parser.add_argument(
        "--first", type=int, default=0, help="the first data set: others than in an earlier run"
    )
    parser.add_argument("--minutes", type=float, help="start no more data sets after so long")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures of all cells")
    parser.add_argument("--read", type=Path, nargs="+", metavar="FILE", help="print figures of earlier runs")
    parser.add_argument("--before", type=Path, metavar="FILE", help="show what changed since that run")
    parser.add_argument("--by-family", action="store_true", help="each metric in each family")
    parser.add_argument("--list", action="store_true", help="print the families and their scenarios")
    parser.add_argument("--write", action="store_true", help="write docs/explanation/coverage.md")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.families if name not in names]:
        parser.error(f"no family is called {unknown[0]!r}: choose from {', '.join(names)}")
    kinds = {"easy": list(EASY), "hard": list(HARD), "unseen": list(UNSEEN), "random": list(RANDOM)}
    families = list(dict.fromkeys(itertools.chain.from_iterable(
        kinds.get(name, [name]) for name in chosen.families or ("easy", "hard")
    )))  # fmt: skip
    if chosen.list:
        for family in families:
            print(family, *(f"  {scenario.name}" for scenario in FAMILIES[family]()), sep="\n")
        return 0
    patterns = chosen.metrics.split(",")
    cells: list[Cell] = []
    if chosen.read:
        cells = [cell for cell in add_up(load(*chosen.read)) if wanted(cell.metric, patterns)]
    else:
        if chosen.first % _LOT:
            parser.error(f"--first {chosen.first}: data sets come in lots of {_LOT}, so use a multiple of it")
        assay.set_threads(1)
        jobs = jobs_of(families, patterns, chosen.scenarios, chosen.sets, chosen.first)
        cells = study(jobs, processes=chosen.processes, minutes=chosen.minutes, path=chosen.json)
    lines = [*by_family(cells), ""] if chosen.by_family else []
    lines += [*worst_by_metric(cells), "", *too_low(cells)]
    if chosen.before:
        lines += ["", *changes(load(chosen.before), cells)]
    print("\n".join(lines))
    if chosen.write:
        _write(PAGE, page_lines(cells))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
