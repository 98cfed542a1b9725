"""The pages of metrics over time, as plain data: by model, and by slice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from assay.errors import AssayError
from assay.ledgers.history import history_of
from assay.metrics.spec import metric_title
from assay.server.list_pages import filters, limits_texts, run_facts
from assay.server.run_index import key_of
from assay.server.selection import (
    Selection,
    choices,
    confidence_text,
    known_metrics,
    main_metrics,
    shown_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.ledgers.ledger import Ledger
    from assay.server.run_index import Limits, Run, RunIndex

    Parameters = Mapping[str, Sequence[str]]
    Sizes = Mapping[str, tuple[int, Limits]]

__all__ = ["SliceReader", "slices_page", "trends_page"]

_MAX_SERIES: Final = 24
_MAX_POINTS: Final = 400  # of a series
_MAX_SLICED: Final = 60  # runs whose slices are computed
_CACHED: Final = 5_000


def trends_page(index: RunIndex, parameters: Parameters) -> dict[str, Any]:
    """Return a metric over time, a series for each model, those with the latest runs first."""
    selection = Selection.of(parameters)
    found = [run for run in selection.of_runs(index.runs) if run.days is not None]
    metric, known = _metric(found, parameters)
    found = [run for run in found if run.estimates.get(metric, (None,))[0] is not None]
    by_model: dict[str, list[Run]] = {}
    for run in sorted(found, key=lambda run: run.time, reverse=True):
        by_model.setdefault(run.model, []).append(run)
    repeated = {name: runs for name, runs in by_model.items() if len(runs) > 1} or by_model
    shown = dict(list(repeated.items())[:_MAX_SERIES])
    series = [
        _series(
            shown_name(name), [(run, run.rows, run.estimates[metric]) for run in runs[:_MAX_POINTS][::-1]]
        )
        for name, runs in shown.items()
    ]
    return {
        "title": "Trends",
        "filters": filters(index, selection),
        "metric": metric,
        "label": metric_title(metric) if metric else "",
        "confidence": confidence_text(found),
        "known": known,
        "series": series,
        "left_out": sum(max(0, len(runs) - _MAX_POINTS) for runs in shown.values()),
        "left_out_series": len(repeated) - len(shown),
        "single": len(by_model) - len(repeated),
    }


def _metric(runs: Sequence[Run], parameters: Parameters) -> tuple[str, list[dict[str, str]]]:
    """Return the metric that is chosen, and those that could be."""
    known = known_metrics(runs)
    wanted = next(iter(parameters.get("metric", ())), "")
    metric = wanted if wanted in known else next(iter(main_metrics(runs, known)), "")
    return metric, [{"name": name, "label": metric_title(name)} for name in sorted(known)]


def _series(name: str, runs: Sequence[tuple[Run, int, Limits]]) -> dict[str, Any]:
    return {
        "name": name,
        "points": [
            {
                "run": run.number,
                "days": run.days,
                "time": run_facts(run)["time"],
                "model": shown_name(run.model),
                "rows": rows,
                "numbers": list(limits),
                "text": limits_texts(limits),
            }
            for run, rows, limits in runs
        ],
    }


class SliceReader:
    """Metrics of the slices of runs, computed from their stored tallies once for each run."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._known: dict[tuple[int, str, str, str], Sizes] = {}

    def of_runs(self, runs: Sequence[Run], column: str, metric: str) -> list[Sizes]:
        """Return the rows and the metric of each slice, for each run; nothing where it has no such metric."""
        keys = {run.number: (run.number, run.hash, column, metric) for run in runs}
        if len(self._known) > _CACHED:
            self._known.clear()
        missing = [number for number, key in keys.items() if key not in self._known]
        for number, sizes in self._computed(missing, column, metric).items():
            self._known[keys[number]] = sizes
        return [self._known.get(key, {}) for key in keys.values()]

    def _computed(self, numbers: Sequence[int], column: str, metric: str) -> dict[int, Sizes]:
        if not numbers:
            return {}
        try:
            history = history_of(self.ledger, [self.ledger.entry(one) for one in numbers], [metric], column)
        except AssayError:  # one of them has no such metric, or too many slices
            if len(numbers) == 1:
                return {numbers[0]: {}}
            return {
                number: sizes
                for one in numbers
                for number, sizes in self._computed([one], column, metric).items()
            }
        found: dict[int, dict[str, tuple[int, Limits]]] = {number: {} for number in numbers}
        for line in history:
            cell = line.metrics[history.names[0]]
            found[line.number][line.slice] = (line.rows, (cell.value, cell.low, cell.high))
        return dict(found)


def slices_page(index: RunIndex, slices: SliceReader, parameters: Parameters) -> dict[str, Any]:
    """Return a metric of each slice of one model over time, the slices with most rows first."""
    selection = Selection.of(parameters)
    sliced = [run for run in index.runs if run.by and run.days is not None]
    models = choices(Counter(run.model for run in sliced if run.model))
    if not selection.model and sliced:
        # The one with most runs, of which most is to be seen; of several the last one to be evaluated.
        counts = Counter(run.model for run in sliced)
        shown = max(reversed(sliced), key=lambda run: counts[run.model])
        selection = Selection.of({**parameters, "model": [key_of(shown.model)]})
    found = sorted(selection.of_runs(sliced), key=lambda run: run.time)
    columns = list(dict.fromkeys(name for run in reversed(found) for name in run.by))
    wanted = next(iter(parameters.get("column", ())), "")
    column = wanted if wanted in columns else next(iter(columns), "")
    metric, known = _metric(found, parameters)
    newest = [run for run in found if column in run.by][-_MAX_SLICED:]
    points: dict[str, list[tuple[Run, int, Limits]]] = {}
    for run, sizes in zip(newest, slices.of_runs(newest, column, metric), strict=True):
        for name, (rows, limits) in sizes.items():
            if limits[0] is not None:
                points.setdefault(name, []).append((run, rows, limits))
    ordered = sorted(points, key=lambda name: -points[name][-1][1])
    everywhere = [(run, run.rows, run.estimates[metric]) for run in newest if metric in run.estimates]
    return {
        "title": "Slices over time",
        "filters": {**filters(index, selection), "models": models},
        "metric": metric,
        "label": metric_title(metric) if metric else "",
        "confidence": confidence_text(newest),
        "known": known,
        "column": column,
        "columns": columns,
        "series": [_series(shown_name(name), points[name]) for name in ordered[:_MAX_SERIES]],
        "whole": _series("all rows", [one for one in everywhere if one[2][0] is not None]),
        "left_out": len(found) - len(newest),
        "left_out_series": max(0, len(ordered) - _MAX_SERIES),
    }
