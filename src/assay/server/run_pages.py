"""A run, and runs side by side: the interactive page of their evaluations, under the server's navigation."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final

from assay.errors import InputError
from assay.reports.page.build import page_of
from assay.reports.page.static_html import as_still
from assay.reports.summarize import summarize
from assay.server.list_pages import run_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.server.run_index import Run, RunIndex

__all__ = ["RunPages"]

_CACHED: Final = 32
_NOT_PAIRED: Final = (
    "Not paired: a ledger stores tallies and no rows, so nothing says which rows the models get wrong "
    "together. The differences have the intervals of models on different rows, which on one test set are "
    "mostly wider than paired ones: assay.compare of the rows, or assay compare of their files, pairs them."
)
_OTHER_TEST_SETS: Final = (
    "Not paired: these runs are on different test sets, so a difference is one of models and of rows."
)
_PAIRED: Final = "Paired, row by row."


class RunPages:
    """The pages of runs, made when first asked for."""

    def __init__(self, index: RunIndex) -> None:
        self.index = index
        self._made = functools.lru_cache(maxsize=_CACHED)(self._make)

    def one(self, run: Run) -> tuple[dict[str, Any], str]:
        """Return the plain data of a run's page, and what is shown where scripts do not run."""
        page, still = self._made(((run.number, run.hash),))
        same = [other for other in self.index.runs if other.model == run.model and other.task == run.task]
        place = next(i for i, other in enumerate(same) if other.number == run.number)
        before, after = (same[i].number if 0 <= i < len(same) else None for i in (place - 1, place + 1))
        facts = run_facts(run) | {
            "commit": run.commit[:12],
            "version": run.version,
            "before": before,
            "after": after,
            "same_test": sum(other.test == run.test for other in self.index.runs) - 1,
        }
        return page | {"run": facts}, still

    def several(self, runs: Sequence[Run]) -> tuple[dict[str, Any], str]:
        """Return the plain data of the page of runs side by side."""
        tasks = dict.fromkeys(run.title for run in runs)
        if len({run.task for run in runs}) > 1:
            raise InputError(f"runs of different tasks cannot be compared: {' and '.join(tasks)}.")
        page, still = self._made(tuple((run.number, run.hash) for run in runs))
        paired = bool(page["comparison"] and page["comparison"]["paired"])
        notes = [
            _PAIRED if paired else _NOT_PAIRED if len({run.test for run in runs}) == 1 else _OTHER_TEST_SETS
        ]
        notes += _alike(runs)
        return page | {"compared": {"runs": [run_facts(run) for run in runs], "notes": notes}}, still

    def _make(self, runs: tuple[tuple[int, str], ...]) -> tuple[dict[str, Any], str]:
        evaluations = [self.index.ledger.load(number) for number, _ in runs]
        if len(runs) > 1:
            evaluations = _told_apart(evaluations, [number for number, _ in runs])
        return page_of(evaluations), "\n".join(as_still(summarize(ev)) for ev in evaluations)


def _told_apart(evaluations: Sequence[Evaluation], numbers: Sequence[int]) -> list[Evaluation]:
    """Return evaluations whose names differ: those of one name have the number of their run."""
    names = [ev.settings.name or "" for ev in evaluations]
    return [
        ev
        if name and names.count(name) == 1
        else dataclasses.replace(
            ev, settings=dataclasses.replace(ev.settings, name=f"{name} #{number}".strip())
        )
        for ev, name, number in zip(evaluations, names, numbers, strict=True)
    ]


def _alike(runs: Sequence[Run]) -> list[str]:
    """Return a sentence where runs made the same predictions on one test set."""
    groups: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        groups.setdefault((run.test, run.predictions), []).append(run.number)
    return [
        f"Runs {', '.join(f'#{number}' for number in numbers)} have the same predictions."
        for numbers in groups.values()
        if len(numbers) > 1
    ]
