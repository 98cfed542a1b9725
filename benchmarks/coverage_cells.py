"""How intervals did, one metric in one scenario a cell: counts, tables of the worst cells, and JSON."""

from __future__ import annotations

import collections
import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import assay

__all__ = ["Cell", "add_up", "by_family", "changes", "load", "save", "too_low", "worst_by_metric"]

LEAST, MOST = 0.93, 0.97  # coverage asked for, beside the simulation's own error
RARE = 0.1  # share of data sets with an interval
_COUNTERS = ("no_interval", "no_value", "methods")


@dataclasses.dataclass
class Cell:
    """How one metric's interval did in one scenario."""

    family: str
    scenario: str
    metric: str
    truth: float
    sets: int = 0
    below: int = 0  # the truth lay below the interval
    above: int = 0
    endless: int = 0  # intervals of infinite width
    width: float = 0.0  # added up over the finite ones
    no_interval: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    no_value: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    methods: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def add(self, estimate: assay.Estimate) -> None:
        """Count one estimate."""
        self.sets += 1
        if not estimate.defined:
            self.no_value[estimate.value.reason] += 1
        elif estimate.low is None or estimate.high is None:
            self.no_interval[estimate.note] += 1
        else:
            slack = 1e-12 * max(1.0, abs(self.truth))  # rounding of the truth itself
            self.below += self.truth < estimate.low - slack
            self.above += self.truth > estimate.high + slack
            self.methods[estimate.method] += 1
            width = estimate.high - estimate.low
            if math.isfinite(width):
                self.width += width
            else:
                self.endless += 1

    def merge(self, other: Cell) -> None:
        """Add another part of the same cell."""
        for name in ("sets", "below", "above", "endless", "width"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))

    @property
    def key(self) -> tuple[str, str, str]:
        return self.family, self.scenario, self.metric

    @property
    def intervals(self) -> int:
        return self.methods.total()

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return 1 - (self.below + self.above) / self.intervals if self.intervals else math.nan

    @property
    def error(self) -> float:
        """The simulation's own standard error where the coverage is just enough."""
        return math.sqrt(LEAST * (1 - LEAST) / self.intervals) if self.intervals else math.nan

    @property
    def low(self) -> bool:
        """Whether the coverage is below what is asked for by more than twice the simulation's error."""
        return self.coverage < LEAST - 2 * self.error

    @property
    def high(self) -> bool:
        """Whether the intervals are wider than need be: the coverage is above 0.97 by more than chance."""
        return self.coverage > MOST + 2 * math.sqrt(MOST * (1 - MOST) / max(self.intervals, 1))

    @property
    def mean_width(self) -> float:
        finite = self.intervals - self.endless
        return self.width / finite if finite else math.inf if self.intervals else math.nan

    def share(self, name: str) -> float:
        """Return the share of all data sets with no interval, or with no value."""
        return getattr(self, name).total() / self.sets if self.sets else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with the figures that follow from it."""
        data = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        derived = {"coverage": self.coverage, "mean_width": self.mean_width}
        return data | {name: value if math.isfinite(value) else None for name, value in derived.items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Cell:
        """Return the cell of plain data."""
        fields = {field.name: data[field.name] for field in dataclasses.fields(cls)}
        return cls(**fields | {name: collections.Counter(data[name]) for name in _COUNTERS})


def save(path: Path, cells: Iterable[Cell]) -> None:
    """Write cells as JSON."""
    data = {"cells": [cell.to_dict() for cell in cells]}
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(json.dumps(data) + "\n", encoding="utf-8")
    unfinished.replace(path)


def load(*paths: Path) -> list[Cell]:
    """Return the cells of some files."""
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return [Cell.from_dict(data) for text in texts for data in json.loads(text)["cells"]]


def add_up(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells of several parts of a study, each once."""
    whole: dict[tuple[str, str, str], Cell] = {}
    for cell in cells:
        if cell.key in whole:
            whole[cell.key].merge(cell)
        else:
            whole[cell.key] = cell
    return list(whole.values())


def _row(*entries: Any) -> str:
    return f"| {' | '.join(map(str, entries))} |"


def _head(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


def _missing(cells: list[Cell], name: str, *, reason: bool = True) -> str:
    """Return the largest share of data sets without an interval (a value), and the most common reason."""
    worst = max(cells, key=lambda cell: cell.share(name))
    if not worst.share(name):
        return ""
    most = sum((getattr(cell, name) for cell in cells), collections.Counter()).most_common(1)[0][0]
    return f"{worst.share(name):.3f}" + (f" ({most})" if reason else "")


def _grouped(cells: Iterable[Cell], *names: str) -> dict[tuple[str, ...], list[Cell]]:
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault(tuple(getattr(cell, name) for name in names), []).append(cell)
    return groups


def _best_case(cell: Cell) -> float:
    """Return the coverage plus what chance may have taken off: a cell of few intervals is not the worst."""
    return cell.coverage + 2 * cell.error


def _described(group: list[Cell]) -> list[str]:
    """Return the entries that describe some scenarios: the worst, how it misses, and what is not given."""
    known = [cell for cell in group if cell.intervals]
    if not known:
        return ["", "", "", "", "", _missing(group, "no_interval"), _missing(group, "no_value"), ""]
    worst = min(known, key=_best_case)
    methods = sum((cell.methods for cell in known), collections.Counter())
    return [
        ", ".join(name for name, _ in methods.most_common(2)),
        f"{worst.coverage:.3f}",
        f"{worst.below / worst.intervals:.3f}",
        f"{worst.above / worst.intervals:.3f}",
        worst.scenario,
        _missing(group, "no_interval"),
        _missing(group, "no_value", reason=False),
        f"{worst.mean_width:.3g}",
    ]


_DESCRIBED = ("method", "worst", "truth below", "truth above", "in", "no interval", "no value", "width there")


def by_family(cells: Iterable[Cell]) -> list[str]:
    """Return the table of each metric in each family, over all its scenarios."""
    lines = _head("family", "metric", "scenarios", "mean", "low", "high", *_DESCRIBED)
    for (family, metric), group in _grouped(cells, "family", "metric").items():
        covered = [cell.coverage for cell in group if cell.intervals]
        mean = f"{np.mean(covered):.3f}" if covered else ""
        counts = (sum(getattr(cell, name) for cell in group) or "" for name in ("low", "high"))
        lines.append(_row(family, metric, len(group), mean, *counts, *_described(group)))
    return lines


def worst_by_metric(cells: Iterable[Cell]) -> list[str]:
    """Return the table of each metric's worst cell over all families."""
    lines = _head("metric", "cells", "low", *_DESCRIBED[:4], "family", *_DESCRIBED[4:])
    for (metric,), group in _grouped(cells, "metric").items():
        known = [cell for cell in group if cell.intervals]
        family = min(known, key=_best_case).family if known else ""
        entries = _described(group)
        low = sum(cell.low for cell in group) or ""
        lines.append(_row(metric, len(group), low, *entries[:4], family, *entries[4:]))
    return lines


def too_low(cells: Iterable[Cell]) -> list[str]:
    """Return the list of all cells whose coverage is below what is asked for, the worst first.

    Those with an interval in few data sets come last, in a list of their own: there the rare rows that make
    an interval possible are also those that mislead it.
    """
    low = sorted((cell for cell in cells if cell.low), key=lambda cell: cell.coverage)
    rare = [
        cell for cell in low if cell.intervals < RARE * cell.sets and cell.below + cell.above < cell.sets / 20
    ]
    usual = [cell for cell in low if cell not in rare]
    lines = [f"{len(usual)} cells below {LEAST} less two simulation errors:", "", *_listed(usual)]
    if rare:
        count = f"{len(rare)} such cells have an interval in less than a tenth of the data sets"
        lines += ["", f"{count}, and miss in fewer than one of twenty of them all:", "", *_listed(rare)]
    return lines


def _listed(low: list[Cell]) -> list[str]:
    lines = _head(
        "coverage", "truth below", "truth above", "metric", "family", "scenario", "given", "method", "width"
    )
    for cell in low:
        missed = (f"{part / cell.intervals:.3f}" for part in (cell.below, cell.above))
        method = cell.methods.most_common(1)[0][0]
        lines.append(
            _row(f"{cell.coverage:.3f}", *missed, cell.metric, cell.family, cell.scenario,
                 f"{cell.intervals / cell.sets:.3f}", method,
                 f"{cell.mean_width:.3g}")
        )  # fmt: skip
    return lines


def changes(before: Iterable[Cell], after: Iterable[Cell]) -> list[str]:
    """Return the table of cells that are in both runs and changed in coverage, intervals or width."""
    old = {cell.key: cell for cell in before}
    lines = _head("family", "scenario", "metric", "coverage", "no interval", "width")
    for cell in after:
        was = old.get(cell.key)
        if was is None:
            continue
        pairs = [
            (f"{one.coverage:.3f}", f"{one.share('no_interval'):.3f}", f"{one.mean_width:.3g}")
            for one in (was, cell)
        ]
        if pairs[0] != pairs[1]:
            lines.append(
                _row(*cell.key, *(f"{a} to {b}" if a != b else a for a, b in zip(*pairs, strict=True)))
            )
    return lines
