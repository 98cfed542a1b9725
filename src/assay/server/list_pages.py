"""The pages that list what is in a ledger, as plain data: runs, test sets and their looks, plans."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from assay.evaluation.looks import Looks
from assay.formatting.numbers import format_value
from assay.formatting.width import LINE, short
from assay.metrics.spec import metric_title
from assay.server.run_index import key_of
from assay.server.selection import (
    Selection,
    better_direction,
    choices,
    known_metrics,
    main_metrics,
    short_test,
    sorted_runs,
)
from assay.tallies import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.ledgers.entry import Entry
    from assay.server.run_index import Limits, Run, RunIndex

    Parameters = Mapping[str, Sequence[str]]

__all__ = [
    "filters",
    "limits_texts",
    "plans_page",
    "run_facts",
    "runs_page",
    "test_set_page",
    "test_sets_page",
]

_PER_PAGE: Final = 100
_MAX_TEST_SETS: Final = 500
_MAX_OTHERS: Final = 500  # entries that are no evaluations
_MAX_MODELS: Final = 3  # that a test set is listed with


def runs_page(index: RunIndex, parameters: Parameters) -> dict[str, Any]:
    """Return the runs that are selected, a page of them, with the metrics that are chosen."""
    selection = Selection.of(parameters)
    found = selection.of_runs(index.runs)
    known = known_metrics(found)
    picked = [name for name in parameters.get("metric", ()) if name in known]
    chosen = picked or main_metrics(found, known)
    order = next(iter(parameters.get("sort", ())), "-run")
    ordered = sorted_runs(found, order)
    last = max(1, math.ceil(len(ordered) / _PER_PAGE))
    page = min(max(_whole(parameters, "page", 1), 1), last)
    shown = ordered[(page - 1) * _PER_PAGE : page * _PER_PAGE]
    return {
        "title": "Runs",
        "filters": filters(index, selection),
        "total": len(index.runs),
        "found": len(found),
        "sort": order,
        "picked": bool(picked),
        "page": page,
        "pages": last,
        "metrics": _columns(chosen),
        "known": [{"name": name, "label": metric_title(name)} for name in sorted(known)],
        "rows": [
            {
                **run_facts(run),
                "cells": [limits_texts(run.estimates.get(name)) for name in chosen],
                "instead": _instead(run, chosen),
            }
            for run in shown
        ],
    }  # fmt: skip


def _columns(names: Sequence[str]) -> list[dict[str, Any]]:
    return [{"name": name, "label": metric_title(name), "better": better_direction(name)} for name in names]


def _instead(run: Run, chosen: Sequence[str]) -> list[dict[str, Any]]:
    """Return the main metrics of a run that has none of those chosen."""
    if any(name in run.estimates for name in chosen):
        return []
    names = main_metrics([run], known_metrics([run]))
    return [{"label": metric_title(name), "text": limits_texts(run.estimates[name])} for name in names]


def run_facts(run: Run) -> dict[str, Any]:
    """Return what lists say of a run."""
    return {
        "run": run.number,
        "time": _moment(run.time),
        "model": short(run.model),
        "model_key": key_of(run.model),
        "test": run.test,
        "test_name": short_test(run.test),
        "rows": run.rows,
        "look": run.look,
        "title": run.title,
        "tags": [{"key": key_of(tag), "name": short(tag, 32)} for tag in run.tags],
    }


def filters(index: RunIndex, selection: Selection) -> dict[str, Any]:
    """Return what is filtered by, and what could be."""
    return {
        "chosen": selection.to_dict(),
        "choices": {
            "model": choices(index.runs, lambda run: (run.model,)),
            "test": [
                {**one, "name": short_test(one["key"])}
                for one in choices(index.runs, lambda run: (run.test,))
            ],
            "task": [
                {**one, "name": next(run.title for run in reversed(index.runs) if run.task == one["key"])}
                for one in choices(index.runs, lambda run: (run.task,))
            ],
            "tag": choices(index.runs, lambda run: run.tags),
        },
    }


def limits_texts(limits: Limits | None) -> tuple[str | None, ...]:
    """Return a value and its limits as they are printed, None for what there is not."""
    return tuple(None if one is None else format_value(one) for one in limits or (None, None, None))


def test_sets_page(index: RunIndex) -> dict[str, Any]:
    """Return the test sets, that of the latest run first, with the number of looks at each."""
    by_test: dict[str, list[Run]] = {}
    for run in reversed(index.runs):
        by_test.setdefault(run.test, []).append(run)
    rows = [
        {**_test_facts(test, runs), "confidence": _confidence_text(max(run.look for run in runs) + 1)}
        for test, runs in list(by_test.items())[:_MAX_TEST_SETS]
    ]
    return {"title": "Test sets", "rows": rows, "left_out": len(by_test) - len(rows)}


def _test_facts(test: str, runs: Sequence[Run]) -> dict[str, Any]:
    models = list(dict.fromkeys(run.model for run in runs if run.model))
    return {
        "test": test,
        "test_name": short_test(test),
        "task": runs[0].title,
        "rows": runs[0].rows,
        "runs": len(runs),
        "looks": max(run.look for run in runs),
        "models": [short(name, 32) for name in models[:_MAX_MODELS]],
        "more_models": max(0, len(models) - _MAX_MODELS),
        "first": _moment(runs[-1].time),
        "last": _moment(runs[0].time),
    }


def _confidence_text(look: int) -> str:
    return f"{100 * Looks('', look).confidence(0.95):.4g}%"


def test_set_page(index: RunIndex, test: str) -> dict[str, Any] | None:
    """Return the looks at a test set in their order, None where there is no such test set."""
    runs = [run for run in index.runs if run.test == test]
    if not runs:
        return None
    known = known_metrics(runs)
    chosen = main_metrics(runs, known)
    first: dict[int, Run] = {}
    for run in runs:
        first.setdefault(run.look, run)
    data = index.ledger.blob(index.ledger.entry(runs[0].number).blobs["fingerprint"])
    fingerprint = Fingerprint.from_bytes(data)
    looks = index.ledger.looks(fingerprint)
    return {
        "title": f"Test set {short_test(test)}",
        **_test_facts(test, runs[::-1]),
        "basis": list(fingerprint.basis),
        "next": str(looks),
        "confidence": f"{100 * looks.confidence(0.95):.4g}%",
        "overlaps": [
            {
                "test": one.test_set,
                "test_name": short_test(one.test_set),
                "share": f"{one.share:.0%}",
                "looks": one.looks,
            }
            for one in looks.overlaps
        ],
        "by_labels": looks.by_labels,
        "metrics": _columns(chosen),
        "rows_of": [
            {
                **run_facts(run),
                "runs": sum(one.look == look for one in runs),
                "confidence": _confidence_text(look),
                "cells": [limits_texts(run.estimates.get(name)) for name in chosen],
            }
            for look, run in sorted(first.items())
        ],
    }  # fmt: skip


def plans_page(index: RunIndex) -> dict[str, Any]:
    """Return the entries that are no evaluations, the latest first: plans and their checks."""
    newest = index.others[::-1][:_MAX_OTHERS]
    return {
        "title": "Plans",
        "rows": [_other(entry) for entry in newest],
        "left_out": len(index.others) - len(newest),
    }


def _other(entry: Entry) -> dict[str, Any]:
    words = {
        name: short(value, LINE)
        for name, value in entry.payload.items()
        if isinstance(value, (str, int, float)) and value != "" and name not in {"model", "test"}
    }
    return {
        "run": entry.number,
        "time": _moment(entry.time),
        "kind": short(entry.kind),
        "model": short(entry.model),
        "test": entry.test,
        "test_name": short_test(entry.test),
        "facts": words,
    }


def _moment(time: str) -> str:
    """Return a time to the minute.

    >>> _moment("2026-09-01T02:00:08.000000+00:00")
    '2026-09-01 02:00'
    """
    return short(time[:16].replace("T", " "))


def _whole(parameters: Parameters, name: str, default: int) -> int:
    word = next(iter(parameters.get(name, ())), "")
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else default  # noqa: PLR2004
