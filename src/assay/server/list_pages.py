"""The list of runs as plain data, and what all lists say of a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from assay.formatting.numbers import format_value
from assay.metrics.spec import metric_title
from assay.server.run_index import key_of
from assay.server.selection import (
    Selection,
    better_direction,
    choices,
    confidence_text,
    known_metrics,
    main_metrics,
    short_test,
    shown_name,
    sorted_runs,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.server.run_index import Limits, Run, RunIndex

    Parameters = Mapping[str, Sequence[str]]

__all__ = [
    "columns_of",
    "filters",
    "limits_texts",
    "moment",
    "run_facts",
    "runs_page",
]

_PER_PAGE: Final = 100


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
        "metrics": columns_of(chosen),
        "confidence": confidence_text(shown),
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


def columns_of(names: Sequence[str]) -> list[dict[str, Any]]:
    """Return metrics as columns of a table."""
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
        "time": moment(run.time),
        "model": shown_name(run.model),
        "model_key": key_of(run.model),
        "test": run.test,
        "test_name": short_test(run.test),
        "rows": run.rows,
        "look": run.look,
        "title": run.title,
        "tags": [{"key": key_of(tag), "name": shown_name(tag, 32)} for tag in run.tags],
    }


def filters(index: RunIndex, selection: Selection) -> dict[str, Any]:
    """Return what is filtered by, and what could be."""
    counts = index.counts
    return {
        "chosen": selection.to_dict(),
        "choices": {
            "model": choices(counts["model"]),
            "test": [{**one, "name": short_test(one["key"])} for one in choices(counts["test"])],
            "task": [{**one, "name": index.titles[one["key"]]} for one in choices(counts["task"])],
            "tag": choices(counts["tag"]),
        },
    }


def limits_texts(limits: Limits | None) -> tuple[str | None, ...]:
    """Return a value and its limits as they are printed, None for what there is not."""
    return tuple(None if one is None else format_value(one) for one in limits or (None, None, None))


def moment(time: str) -> str:
    """Return a time to the minute.

    >>> moment("2026-09-01T02:00:08.000000+00:00")
    '2026-09-01 02:00'
    """
    return shown_name(time[:16].replace("T", " "))


def _whole(parameters: Parameters, name: str, default: int) -> int:
    word = next(iter(parameters.get(name, ())), "")
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else default  # noqa: PLR2004
