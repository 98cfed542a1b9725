"""The pages of test sets, as plain data: the looks at each, and intervals that hold for all of them."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final

from assay.errors import AssayError
from assay.evaluation.looks import Looks
from assay.formatting.numbers import format_interval, format_value
from assay.ledgers.record import FINGERPRINT
from assay.metrics.spec import metric_title
from assay.server.list_pages import columns_of, limits_texts, moment, run_facts
from assay.server.selection import better_direction, known_metrics, main_metrics, short_test, shown_name
from assay.tallies import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.server.run_index import Run, RunIndex

__all__ = ["LooksPages"]

_MAX_TEST_SETS: Final = 500
_MAX_MODELS: Final = 3  # that a test set is listed with
_MAX_LOOKS: Final = 40  # whose intervals for all looks are computed
_CACHED: Final = 2_000


class LooksPages:
    """The pages of test sets; intervals for all looks are computed once, for they never change again."""

    def __init__(self, index: RunIndex) -> None:
        self.index = index
        self._for_all_looks = functools.lru_cache(maxsize=_CACHED)(self._computed)

    def all(self) -> dict[str, Any]:
        """Return the test sets, that of the latest run first, with the number of looks at each."""
        by_test: dict[str, list[Run]] = {}
        for run in reversed(self.index.runs):
            by_test.setdefault(run.test, []).append(run)
        rows = [
            {**_facts(test, runs), "confidence": _at_look(max(run.look for run in runs) + 1, runs)}
            for test, runs in list(by_test.items())[:_MAX_TEST_SETS]
        ]
        return {"title": "Test sets", "rows": rows, "left_out": len(by_test) - len(rows)}

    def one(self, test: str) -> dict[str, Any] | None:
        """Return the looks at a test set in their order, None where there is no such test set."""
        runs = [run for run in self.index.runs if run.test == test]
        if not runs:
            return None
        ledger = self.index.ledger
        chosen = main_metrics(runs, known_metrics(runs))
        first: dict[int, Run] = {}
        for run in runs:
            first.setdefault(run.look, run)
        fingerprint = Fingerprint.from_bytes(ledger.blob(ledger.entry(runs[0].number).blobs[FINGERPRINT]))
        looks = ledger.looks(fingerprint)
        few = len(first) <= _MAX_LOOKS and bool(chosen)
        return {
            "title": f"Test set {short_test(test)}",
            **_facts(test, runs[::-1]),
            "basis": list(fingerprint.basis),
            "next": str(looks),
            "confidence": _percent(looks.confidence(_level(runs[-1:]))),
            "overlaps": [
                {"test": one.test_set, "test_name": short_test(one.test_set), "share": f"{one.share:.0%}",
                 "looks": one.looks}
                for one in looks.overlaps
            ],
            "metrics": columns_of(chosen),
            "optimism": self._optimism(list(first.values()), chosen[0]) if few else None,
            "looks_of": [
                {
                    **run_facts(run),
                    "runs": sum(one.look == look for one in runs),
                    "cells": [limits_texts(run.estimates.get(name)) for name in chosen],
                    "for_all": self._for_all_looks(run.number, run.hash, chosen[0]) if few else None,
                }
                for look, run in sorted(first.items())
            ],
        }  # fmt: skip

    def _with_looks(self, number: int) -> Evaluation:
        ev = self.index.ledger.load(number)
        return dataclasses.replace(ev, looks=self.index.ledger.looks(ev), saved=ev.estimates)

    def _computed(self, number: int, _hash: str, metric: str) -> dict[str, str] | None:
        """Return the interval of a look that holds together with those of all looks, and its confidence."""
        try:
            estimate = self._with_looks(number).for_all_looks(metric)
        except AssayError:
            return None
        text = format_interval(estimate)
        return {"interval": text, "confidence": _percent(estimate.confidence)} if text else None

    def _optimism(self, runs: Sequence[Run], metric: str) -> dict[str, Any] | None:
        """Return by how much the best of several looks seems better than it is, on average, at most."""
        sign = better_direction(metric)
        values = {run.number: run.estimates.get(metric, (None,))[0] for run in runs}
        there = [(value * sign, number) for number, value in values.items() if value is not None]
        if not sign or len(there) < 2:  # noqa: PLR2004
            return None
        best = max(there)[1]
        try:
            optimism = self._with_looks(best).selection_optimism(metric)
        except AssayError:
            return None
        if optimism is None:
            return None
        return {"run": best, "label": metric_title(metric), "of": len(there), "by": format_value(optimism)}


def _facts(test: str, runs: Sequence[Run]) -> dict[str, Any]:
    models = list(dict.fromkeys(run.model for run in runs if run.model))
    return {
        "test": test,
        "test_name": short_test(test),
        "task": runs[0].title,
        "rows": runs[0].rows,
        "runs": len(runs),
        "looks": max(run.look for run in runs),
        "models": [shown_name(name, 32) for name in models[:_MAX_MODELS]],
        "more_models": max(0, len(models) - _MAX_MODELS),
        "first": moment(runs[-1].time),
        "last": moment(runs[0].time),
    }


def _at_look(look: int, runs: Sequence[Run]) -> str:
    return _percent(Looks("", look).confidence(_level(runs)))


def _level(runs: Sequence[Run]) -> float:
    """Return the confidence of the first run that has intervals."""
    return next((run.confidence for run in runs if run.confidence is not None), 0.95)


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
