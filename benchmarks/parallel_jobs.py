"""Runs the jobs of a simulation on all cores, until they are done or time is up."""

from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing
import os
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["completed_jobs"]

Job = TypeVar("Job")
Result = TypeVar("Result")


def completed_jobs(
    work: Callable[[Job], Result],
    jobs: Iterable[Job],
    *,
    processes: int | None = None,
    minutes: float | None = None,
) -> Iterator[Result]:
    """Yield the results of jobs as they are done, in any order, from processes that are forked now.

    Jobs start in their order. After so many minutes no other one starts: those that run come to their end.
    """
    processes = processes or os.cpu_count() or 1
    end = time.monotonic() + 60 * minutes if minutes else float("inf")
    waiting = iter(jobs)
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(processes, mp_context=fork) as pool:
        running = {pool.submit(work, job) for job in itertools.islice(waiting, 2 * processes)}
        while running:
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            if time.monotonic() < end:
                running |= {pool.submit(work, job) for job in itertools.islice(waiting, len(done))}
            for future in done:
                yield future.result()
