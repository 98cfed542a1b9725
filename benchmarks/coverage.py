"""How often the default intervals hold the truth: simulated for every kind of metric, as a table.

``python benchmarks/coverage.py`` prints it; ``--write`` puts it into docs/coverage.md, ``--sets 500`` is
quicker, names of families run only those. Every interval is the one that ``assay.estimate`` gives by default
at 95%. It takes some minutes on two cores.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import math
import multiprocessing
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from populations import FAMILIES, Scenario

import assay

if TYPE_CHECKING:
    from collections.abc import Iterable

NOMINAL, LEAST, MOST = 0.95, 0.93, 0.97
PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"


@dataclasses.dataclass
class Cell:
    """How one metric's interval did in one scenario."""

    family: str
    scenario: str
    metric: str
    held: int = 0
    below: int = 0  # the truth lay below the interval
    above: int = 0
    lacking: int = 0  # no interval was given
    undefined: int = 0  # no value
    width: float = 0.0
    methods: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    @property
    def given(self) -> int:
        return self.held + self.below + self.above

    @property
    def coverage(self) -> float:
        return self.held / self.given if self.given else math.nan

    @property
    def error(self) -> float:
        """The simulation's own standard error at the nominal coverage."""
        return math.sqrt(NOMINAL * (1 - NOMINAL) / self.given) if self.given else math.nan

    @property
    def outside(self) -> bool:
        """Whether the coverage is outside what is asked for by more than the simulation's own error."""
        return not LEAST - self.error <= self.coverage <= MOST + self.error


def judged(family: str, scenario: Scenario, sets: int) -> list[Cell]:
    """Return how the intervals of a scenario's metrics did over so many simulated data sets."""
    rng = np.random.Generator(np.random.Philox(key=abs(hash_of(family, scenario.name))))
    cells = {name: Cell(family, scenario.name, name) for name in scenario.truth}
    for _ in range(sets):
        data = scenario.draw(rng)
        for name, truth in scenario.truth.items():
            metric, options = scenario.metric(name)
            _counted(cells[name], scenario.estimate(metric, data, options), truth)
    return list(cells.values())


def hash_of(*words: str) -> int:
    """Return a number that is the same in every process."""
    return zlib.crc32("/".join(words).encode())


def _counted(cell: Cell, found: assay.Estimate, truth: float) -> None:
    if not found.defined:
        cell.undefined += 1
    elif found.low is None or found.high is None:
        cell.lacking += 1
    else:
        slack = 1e-12 * max(1.0, abs(truth))
        cell.below += truth < found.low - slack
        cell.above += truth > found.high + slack
        cell.held += found.low - slack <= truth <= found.high + slack
        cell.width += found.high - found.low if math.isfinite(found.high - found.low) else 0.0
        cell.methods[found.method] += 1


def summary(cells: Iterable[Cell]) -> list[str]:
    """Return the table of a family: one line per metric over all scenarios."""
    by_metric: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        by_metric.setdefault((cell.family, cell.metric), []).append(cell)
    lines = [
        "| family | metric | method | scenarios | mean | least | most | outside 0.93 to 0.97 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (family, metric), group in by_metric.items():
        known = [cell for cell in group if cell.given]
        if not known:
            lines.append(f"| {family} | {metric} | | {len(group)} | | | | no interval |")
            continue
        methods = sum((cell.methods for cell in known), collections.Counter())
        method = ", ".join(name for name, _ in methods.most_common(2))
        covered = [cell.coverage for cell in known]
        out = [cell for cell in known if cell.outside]
        named = "; ".join(f"{cell.scenario}: {cell.coverage:.3f}" for cell in out[:4])
        more = f"; {len(out) - 4} more" if len(out) > 4 else ""
        lines.append(
            f"| {family} | {metric} | {method} | {len(known)} | {np.mean(covered):.3f} | {min(covered):.3f} "
            f"| {max(covered):.3f} | {named}{more} |"
        )
    return lines


def _task(job: tuple[str, int, int]) -> list[Cell]:
    family, place, sets = job
    return judged(family, FAMILIES[family]()[place], sets)


def main() -> int:
    """Simulate, print and, if asked, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], help="which to run; all by default")
    parser.add_argument("--sets", type=int, default=2000, help="data sets a scenario")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    given = parser.parse_args()
    wanted = given.families or list(FAMILIES)
    jobs = [(family, place, given.sets) for family in wanted for place in range(len(FAMILIES[family]()))]
    cells: list[Cell] = []
    assay.set_threads(1)
    with multiprocessing.Pool() as pool:
        for done, part in enumerate(pool.imap(_task, jobs), 1):
            cells += part
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)} scenarios", end="", file=sys.stderr)
    lines = summary(cells)
    print("\n".join(lines))
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        lines = [f"{given.sets:,} data sets a scenario.", "", *lines]
        begin, end = "<!-- table -->\n", "<!-- end -->"
        head, tail = page.split(begin)[0], page.split(end)[1]
        PAGE.write_text(head + begin + "\n".join(lines) + "\n" + end + tail, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
