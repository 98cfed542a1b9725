"""The data of the page: counts, metrics, curves, slices and errors of evaluations, as plain data."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import __version__
from assay.comparison.compare import compare
from assay.errors import AssayError, InputError, MetricError
from assay.evaluation.error_rows import ErrorRows
from assay.evaluation.evaluation import Evaluation
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_value
from assay.formatting.width import LINE, short
from assay.hints import render
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.test_result import p_text
from assay.metrics import Undefined, find
from assay.metrics.spec import metric_title
from assay.plots.thin_scores import ThinnedScores, condensed, cutoff_of, two_by_two
from assay.reports.page import as_html, write
from assay.reports.page.charts import class_rocs, of_pairs, of_scores
from assay.reports.page.metric_cells import class_cells, heat_map, metric_cell, slice_table, texts
from assay.reports.page.slider import MOST, Cutoffs, chosen_cutoffs, live_metrics
from assay.reports.page.static_html import as_still
from assay.reports.summarize import MAX_HIGHLIGHTS, WHY_NO_INTERVAL, default_highlights, summarize
from assay.tallies import BinnedScores, ClassScores, Collection, Confusion, NumberPairs, Scores
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from assay.inference.differences.difference import Difference

__all__ = ["page_of", "report"]

_LAYOUT_VERSION = 1  # of the data that the script reads
_MAX_ERRORS = 100  # rows worth looking at; more would be read by nobody
_MAX_DIFFERENCES = 400  # between models
_MAX_CUTOFFS = 2_400  # of all models together
_MAX_MODELS = 16  # on one page, so that it stays small: each has its curves and its cutoffs


def report(
    evaluations: Evaluation | Sequence[Evaluation],
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    highlight: Sequence[str] = (),
    slices: Sequence[dict[str, Any]] | None = None,
    errors: Sequence[dict[str, Any]] | ErrorRows | None = None,
) -> Path:
    """Write one self-contained page about a model, or about several side by side, and return its path.

    Parameters
    ----------
    evaluations
        One evaluation, or several of the same kind, each under its ``name=``.
    path
        Where to; a file that is there is replaced, once the new one is whole.
    title
        The page's heading; by default the model's name and the task.
    highlight
        Names of up to three metrics to show large; by default those that suit the task.
    slices
        By default those of the first evaluation, where its rows were gathered with ``by=``. Or parts of the
        rows from elsewhere: ``{"name", "n", "metrics": {metric: [value, low, high]}}`` for each, a number
        None where there is none. An empty list shows none.
    errors
        Rows worth looking at, which are then in the file: ``ev.errors()``, or a mapping from column to value
        for each.

    Examples
    --------
    >>> import assay, tempfile, pathlib
    >>> ev = assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.6, 0.4, 0.9])
    >>> path = assay.report(ev, pathlib.Path(tempfile.mkdtemp()) / "report.html")
    >>> path.name, path.stat().st_size < 150_000
    ('report.html', True)
    """
    several = [evaluations] if isinstance(evaluations, Evaluation) else list(evaluations)
    return write(html_of(several, title=title, highlight=highlight, slices=slices, errors=errors), path)


def html_of(several: Sequence[Evaluation], **options: Any) -> str:
    """Return the page as text; `options` are those of :func:`page_of`."""
    page = page_of(several, **options)
    return as_html(page, "\n".join(as_still(summarize(ev)) for ev in several))


def page_of(
    several: Sequence[Evaluation],
    *,
    title: str | None = None,
    highlight: Sequence[str] = (),
    slices: Sequence[dict[str, Any]] | None = None,
    errors: Sequence[dict[str, Any]] | ErrorRows | None = None,
) -> dict[str, Any]:
    """Return the plain data of the page of one evaluation or several."""
    if not several or not all(isinstance(ev, Evaluation) for ev in several):
        raise InputError("a report needs an evaluation, or a list of them: assay.report([a, b], path).")
    if len(several) > _MAX_MODELS:
        raise InputError(
            f"a report shows up to {_MAX_MODELS} models, not {len(several):,}: leave some out, or write "
            "several."
        )
    tasks = {ev.task.name for ev in several}
    if len(tasks) > 1:
        raise InputError(f"models of one report have the same task, not {' and '.join(sorted(tasks))}.")
    names = _names(several)
    models = [
        {"name": name, **_model(ev, highlight, min(MOST, _MAX_CUTOFFS // len(several)))}
        for name, ev in zip(names, several, strict=True)
    ]
    task_title = several[0].task.title
    heading = f"{', '.join(names)}: {task_title.lower()}" if names[0] else task_title
    if title:
        heading = short(title, LINE)
    if title is None:  # the kind of problem is said in the heading
        for model in models:
            model["title"] = model["title"].removeprefix(f"{task_title} · ")
    return {
        "layout": _LAYOUT_VERSION,
        "assay": __version__,
        "title": heading,
        "models": models,
        "comparison": _comparison(several, names) if len(several) > 1 else None,
        "slices": slice_table(slices) if slices else _sliced(several[0]) if slices is None else None,
        "errors": _errors(errors) if errors is not None and len(errors) else None,
    }


def _names(several: Sequence[Evaluation]) -> list[str]:
    """Return what the models are called, no two alike."""
    names: list[str] = []
    for number, ev in enumerate(several):
        said = short(ev.settings.name) if ev.settings.name else ""
        name = said or (f"model {chr(97 + number)}" if len(several) > 1 else "")
        names.append(name if name not in names or not name else f"{name} ({number + 1})")
    return names


def _model(ev: Evaluation, highlight: Sequence[str], most: int) -> dict[str, Any]:
    scores_drawn, remarks = _scores_to_draw(ev)
    if scores_drawn is not None and "confusion" not in ev.tallies:
        ev = _at_default_cutoff(ev, scores_drawn)
        remarks.append(
            "No threshold was given: the page starts where as many rows are predicted positive as there are."
        )
    summary = summarize(ev)
    table = ev.tallies.get("confusion")
    lines = {line.name: line for group in summary.groups for line in group}
    metrics = {spec.name: spec.metric for group in ev.groups for spec in group}
    data: dict[str, Any] = {
        "title": short(summary.title.removeprefix(f"{ev.settings.name}: "), LINE),
        "heading": [short(line, LINE) for line in summary.heading],
        "remarks": [
            short(line, LINE) for line in (*remarks, *summary.remarks) if line != render(WHY_NO_INTERVAL)
        ],
        "task": ev.task.name,
        "n": ev.n,
        "confidence": f"{100 * ev.settings.confidence:.4g}%",
        "metrics": [[metric_cell(line, metrics[line.name]) for line in group] for group in summary.groups],
        "highlight": _highlighted(ev, lines, highlight),
        "table": heat_map(summary.labels, summary.table) if summary.table else None,
        "classes": None,
        "live": None,
        "shapes": {},
    }
    if scores_drawn is not None:
        data["shapes"] = of_scores(
            scores_drawn, confidence=ev.settings.confidence, probabilities=bool(ev.are_probabilities)
        )
        if isinstance(table, Confusion) and "scores" in data["shapes"]:
            data["table"] = heat_map(ev.task.labels, two_by_two(table, ev.task.labels))
            data["live"] = _live(ev, scores_drawn, table, most)
        elif isinstance(table, Confusion):
            data["remarks"].append(
                "There is no slider: the scores are infinite, or too far apart for an axis."
            )
    if ev.task.name in ("multiclass", "ordinal") and isinstance(table, Confusion) and table.weights is None:
        data["classes"] = class_cells(table, summary.labels, ev.settings.confidence)
    ranked = ev.tallies.get("class_scores")
    if isinstance(ranked, ClassScores):
        parts = [(short(label), ranked.against_rest(label)) for label in ranked.labels[:8]]
        data["shapes"]["rocs"] = class_rocs(parts)
    if ev.task.name == "regression" and ev.rows is not None:
        data["shapes"] |= of_pairs(NumberPairs.of(_unweighted(ev)))
    return data


def _scores_to_draw(ev: Evaluation) -> tuple[ThinnedScores | None, list[str]]:
    """Return the scores of two classes as the page draws them, if there are some, and what to say of them."""
    scores = ev.tallies.get("scores")
    if ev.task.name != "binary" or not isinstance(scores, (Scores, BinnedScores)):
        return None, []
    try:
        return condensed(scores), []
    except MetricError as error:
        return None, [f"There is no slider: {error}"]


def _at_default_cutoff(ev: Evaluation, scores_drawn: ThinnedScores) -> Evaluation:
    """Return the evaluation at the cutoff that predicts about as many rows positive as there are."""
    source = scores_drawn.source
    above = np.cumsum((source.positives.astype(np.int64) + source.negatives)[::-1])
    reached = int(np.searchsorted(above, source.positives.sum(dtype=np.int64)))
    threshold = float(source.scores[::-1][min(reached, len(above) - 1)])
    task = dataclasses.replace(ev.task, threshold=threshold, inferred=())
    table = confusions_at(source, [threshold], task.labels)[0]
    tallies = Collection.of_mapping({**dict(ev.tallies.items()), "confusion": table})
    # What was found without counts stays as it is: of rows that are gone it cannot be found again.
    saved = {
        key: estimate for key, estimate in ev.estimates.items() if find(key[0]).reads.tally is not Confusion
    }
    return dataclasses.replace(ev, task=task, tallies=tallies, saved=saved)


def _unweighted(ev: Evaluation) -> Any:
    return dataclasses.replace(ev.rows, weight=None, group=None)  # type: ignore[type-var]


def _highlighted(ev: Evaluation, lines: dict[str, Any], highlight: Sequence[str]) -> list[str]:
    """Return the names of the metrics to show large."""
    if highlight:
        known = {name: name for name in lines}
        chosen = [known.get(name) or find(name).name for name in highlight]
        unknown = [name for name in chosen if name not in lines]
        if unknown or len(chosen) > MAX_HIGHLIGHTS:
            raise InputError(
                f"highlight= names up to three metrics of this report: {', '.join(lines)}"
                + (f"; not {', '.join(unknown)}." if unknown else ".")
            )
        return chosen
    return default_highlights(ev, list(lines))


def _live(ev: Evaluation, scores_drawn: ThinnedScores, table: Confusion, most: int) -> dict[str, Any]:
    """Return the counts and metrics at all cutoffs that the slider reaches."""
    settings, labels = ev.settings, ev.task.labels
    (_, fp), (_, tp) = two_by_two(table, labels)
    threshold = ev.task.threshold
    if threshold is None:  # the predictions were given: by some threshold, perhaps
        threshold = cutoff_of(scores_drawn.source, table, labels)
    counts = (int(tp), int(fp)) if table.weights is None else None
    cutoffs = chosen_cutoffs(scores_drawn, labels, threshold=threshold, counts=counts, most=most)
    wanted = [
        (spec.name, spec.metric, _options(spec.options, spec.metric, ev.positive))
        for group in ev.groups
        for spec in group
        if spec.metric.reads.tally is Confusion and spec.metric.loss is None and spec.name != "prevalence"
    ]
    grouped = bool(settings.group)
    return {
        **_counts(cutoffs),
        "labels": [short(label) for label in labels],
        "score": short(settings.score),
        "probabilities": bool(ev.are_probabilities),
        "grouped": grouped,
        "weighted": table.weights is not None,
        "binned": scores_drawn.binned,
        "z": normal_quantile(settings.confidence),
        "tail": 1 - settings.confidence,
        "cost_fp": settings.cost_fp,
        "cost_fn": settings.cost_fn,
        "prevalence": settings.prevalence,
        "metrics": live_metrics(
            cutoffs, wanted, labels, confidence=settings.confidence, intervals=not grouped
        ),
    }


def _options(options: dict[str, Any], metric: Any, positive: Any) -> dict[str, Any]:
    needs = "positive" in metric.view_options and not options.get("average")
    return {**options, "positive": positive} if needs else dict(options)


def _counts(cutoffs: Cutoffs) -> dict[str, Any]:
    return {
        "cutoffs": [*json_safe(cutoffs.values.tolist()[:-1]), None],
        **{name: getattr(cutoffs, name).tolist() for name in ("tp", "fp", "fn", "tn")},
        "positives": cutoffs.tp[0].item(),
        "negatives": cutoffs.fp[0].item(),
        "start": cutoffs.start,
        "distinct": cutoffs.distinct,
        "complete": cutoffs.complete,
        "hull": cutoffs.hull,
        "step": cutoffs.step,
    }


def _comparison(several: Sequence[Evaluation], names: list[str]) -> dict[str, Any]:
    """Return the models' metrics side by side, and their differences where the rows can be paired."""
    shared = [name for name in several[0] if all(name in ev for ev in several[1:])]
    rows = [{"label": metric_title(name), "values": [texts(ev[name]) for ev in several]} for name in shared]
    data: dict[str, Any] = {"rows": rows, "differences": [], "summary": "", "paired": False, "left_out": 0}
    if any(ev.rows is None for ev in several):
        data["summary"] = "Differences need the rows of every model, which not all of these evaluations hold."
        return data
    try:
        comparison = compare(
            *(ev.rows for ev in several), names=names, confidence=several[0].settings.confidence
        )
    except AssayError as error:
        data["summary"] = f"The models were not compared row by row: {error}"
        return data
    data["summary"], data["paired"] = comparison.summary, comparison.paired
    data["differences"] = [_difference(diff) for diff in itertools.islice(comparison, _MAX_DIFFERENCES)]
    data["left_out"] = len(comparison) - len(data["differences"])
    return data


def _difference(diff: Difference) -> dict[str, Any]:
    numbers = (diff.difference, diff.low, diff.high)
    p = diff.p_value if diff.adjusted is None else diff.adjusted
    return {
        "label": metric_title(diff.metric),
        "pair": f"{diff.second} - {diff.first}",
        "text": [None if x is None or isinstance(x, Undefined) else format_value(x) for x in numbers],
        "p_value": "" if isinstance(p, Undefined) else p_text(p),
        "method": "; ".join(filter(None, (diff.method, diff.test))),
    }


def _sliced(ev: Evaluation) -> dict[str, Any] | None:
    """Return the slices of an evaluation by all columns of ``by=``, with what their tests say."""
    if not ev.settings.by or (ev.source_rows is None and "slices" not in ev.tallies):
        return None
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    notes: list[str] = []
    for key in ev.slices:
        try:
            slicing = ev.slices[key]
            lines, by = slicing.report().lines, " x ".join(slicing.columns)
            notes.append(short(f"By {by}: {slicing.summary}", 2 * LINE))
        except AssayError as error:  # more slices than anyone would read, or lists cut in two
            notes.append(short(error, LINE))
            continue
        for line in lines:
            own = {
                "name": f"{short(by)} = {short(line.label)}",
                "n": line.n,
                "metrics": {},
                "note": line.too_few,
            }
            entry = parts.setdefault((by, line.label), own)
            entry["metrics"][line.metric] = [line.estimate.value, line.estimate.low, line.estimate.high]
    return {**slice_table(list(parts.values())), "notes": notes}


def _errors(errors: Sequence[dict[str, Any]] | ErrorRows) -> dict[str, Any]:
    """Return rows worth looking at as a table of texts."""
    if isinstance(errors, ErrorRows):
        table = errors.to_frame(library="dict")
        if "kind" in table:
            table["kind"] = [name.replace("_", " ") for name in table["kind"]]
        errors = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    columns = list(dict.fromkeys(name for row in errors for name in row))
    rows = [[_cell(row.get(name, "")) for name in columns] for row in errors[:_MAX_ERRORS]]
    return {"columns": [short(name) for name in columns], "rows": rows, "left_out": len(errors) - len(rows)}


def _cell(value: Any) -> str:
    return format_value(value) if isinstance(value, float) and value == value else short(value, LINE)  # noqa: PLR0124
