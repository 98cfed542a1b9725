"""Measures us and the peers on the same data in one process, and prints ratios.

A machine is noisy: every figure is the best of several runs, taken in turns (ours, peer, ours, peer...) so
that a slow moment hits both; the spread is how far the middle run was from the best.
"""

from __future__ import annotations

import dataclasses
import gc
import statistics
import time
from typing import TYPE_CHECKING

import numpy as np

from assay import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclasses.dataclass
class Timing:
    best: float
    middle: float
    runs: int

    @property
    def spread(self) -> float:
        return self.middle / self.best - 1


@dataclasses.dataclass
class Line:
    """One claim: what was measured, on how many rows, and what it took each."""

    what: str
    n: int
    ours: Timing
    peers: dict[str, Timing]
    goal: float | None = None  # times the first peer
    moved: int | None = None  # bytes that must be read at least
    reading: Timing | None = None  # how long it takes to read them and nothing else
    note: str = ""

    def ratio(self, peer: str) -> float:
        return self.peers[peer].best / self.ours.best

    def as_dict(self) -> dict[str, object]:
        return {
            "what": self.what,
            "n": self.n,
            "ours_s": self.ours.best,
            "ours_spread": self.ours.spread,
            "peers_s": {name: timing.best for name, timing in self.peers.items()},
            "ratios": {name: self.ratio(name) for name in self.peers},
            "goal": self.goal,
            "bytes_moved": self.moved,
            "reading_s": self.reading and self.reading.best,
            "note": self.note,
        }


def once(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def many(function: Callable[[], object], inner: int) -> float:
    start = time.perf_counter()
    for _ in range(inner):
        function()
    return (time.perf_counter() - start) / inner


def measure(
    what: str,
    n: int,
    ours: Callable[[], object],
    peers: dict[str, Callable[[], object]] | None = None,
    *,
    goal: float | None = None,
    moved: int | None = None,
    runs: int = 9,
    peer_seconds: float = 6.0,
    note: str = "",
) -> Line:
    """Time ours and each peer in turns; a slow peer is run fewer times, but never fewer than twice.

    Where the bytes to be read are given, so is reading them: a virtual machine's memory may be twice as fast
    a minute later, so its speed means nothing unless it is taken in turns as well.
    """
    peers = peers or {}
    words = np.ones((moved or 0) // 8, dtype=np.uint64)
    reading: list[float] = []
    first = {name: once(peer) for name, peer in peers.items()}  # warms up, and says how long it takes
    ours()
    inner = max(1, min(2000, int(2e-3 / max(once(ours), 1e-7))))
    inner_of = {name: max(1, min(200, int(2e-3 / took))) for name, took in first.items()}
    times: list[float] = []
    peer_times: dict[str, list[float]] = {name: [took] for name, took in first.items()}
    gc.collect()
    gc.disable()
    try:
        for run in range(runs):
            times.append(many(ours, inner))
            if moved is not None:
                reading.append(many(lambda: _kernels.sum_words(words), inner))
            for name, peer in peers.items():
                if run == 0 or sum(peer_times[name]) < peer_seconds:
                    peer_times[name].append(many(peer, inner_of[name]))
            times.append(many(ours, inner))
    finally:
        gc.enable()
    line = Line(
        what, n, timing(times), {name: timing(found) for name, found in peer_times.items()},
        goal, moved, timing(reading) if reading else None, note,
    )  # fmt: skip
    show(line)
    return line


def timing(times: list[float]) -> Timing:
    return Timing(min(times), statistics.median(times), len(times))


def clock(seconds: float) -> str:
    for unit, size in (("s ", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            return f"{seconds / size:8.2f} {unit}"
    raise AssertionError


def show(line: Line) -> None:
    words = f"{line.what:<44}{line.n:>12,}  {clock(line.ours.best)} ±{line.ours.spread:4.0%}"
    for name in line.peers:
        words += f"   {name} {clock(line.peers[name].best).strip()} = {line.ratio(name):,.0f}x"
    if line.goal is not None and line.peers:
        reached = line.ratio(next(iter(line.peers)))
        words += f"   goal {line.goal:g}x {'reached' if reached >= line.goal else 'NOT reached'}"
    if line.reading is not None:
        words += f"   {line.reading.best / line.ours.best:.0%} of the memory's speed"
    if line.note:
        words += f"   {line.note}"
    print(words, flush=True)


def bandwidth() -> float:
    """Return how many bytes a second all threads can read at the moment."""
    words = np.ones(20_000_000, dtype=np.uint64)
    _kernels.sum_words(words)
    found = words.nbytes / min(once(lambda: _kernels.sum_words(words)) for _ in range(9))
    print(f"memory is read at {found / 1e9:.1f} GB/s on {_kernels.threads()} threads")
    return found
