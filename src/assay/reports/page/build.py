"""What the page shows of evaluations, as plain data: taken from their tallies, figures and settings."""

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
from assay.formatting.metric_titles import metric_title
from assay.formatting.numbers import format_value
from assay.formatting.width import LINE, short
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.test_result import p_text
from assay.metrics import Undefined, find
from assay.plots.thin_scores import ThinnedScores, condensed, cutoff_of, two_by_two
from assay.reports.page import as_html, write
from assay.reports.page.charts import class_rocs, of_pairs, of_scores
from assay.reports.page.metric_cells import class_figures, figure, heat_map, slice_table, texts
from assay.reports.page.slider import MOST, Cutoffs, chosen_cutoffs, live_figures
from assay.reports.page.static_html import as_still
from assay.reports.summarize import WHY_SILENT
from assay.tallies import BinnedScores, ClassScores, Collection, Confusion, NumberPairs, Scores
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from assay.inference.differences.difference import Difference

__all__ = ["page_of", "report"]

_VERSION = 1  # of the data's layout
_LARGE = 3  # figures that are shown large
_MATTER = {
    "binary": ("auc", "mcc", "precision", "recall"),
    "multiclass": ("accuracy", "balanced_accuracy", "macro_f1"),
    "ordinal": ("quadratic_weighted_kappa", "mean_absolute_rank_error", "accuracy"),
    "multilabel": ("subset_accuracy", "micro_f1", "macro_f1"),
    "regression": ("mae", "rmse", "r2"),
    "ranking": ("ndcg", "mean_average_precision", "mean_reciprocal_rank"),
}
_ERRORS = 100  # rows worth looking at; more would be read by nobody
_DIFFERENCES = 400  # between models
_CUTOFFS = 2_400  # of all models together
_MODELS = 16  # on one page, so that it stays small: each has its curves and its cutoffs


def report(
    evaluations: Evaluation | Sequence[Evaluation],
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    matter: Sequence[str] = (),
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
        The page's heading; by default the model's name and the kind of problem.
    matter
        Names of up to three figures to show large; by default those that suit the problem.
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
    return write(html_of(several, title=title, matter=matter, slices=slices, errors=errors), path)


def html_of(several: Sequence[Evaluation], **options: Any) -> str:
    """Return the page as text; `options` are those of :func:`page_of`."""
    page = page_of(several, **options)
    return as_html(page, "\n".join(as_still(ev.summary) for ev in several))


def page_of(
    several: Sequence[Evaluation],
    *,
    title: str | None = None,
    matter: Sequence[str] = (),
    slices: Sequence[dict[str, Any]] | None = None,
    errors: Sequence[dict[str, Any]] | ErrorRows | None = None,
) -> dict[str, Any]:
    """Return the plain data of the page of one evaluation or several."""
    if not several or not all(isinstance(ev, Evaluation) for ev in several):
        raise InputError("a report needs an evaluation, or a list of them: assay.report([a, b], path).")
    if len(several) > _MODELS:
        raise InputError(
            f"a report shows up to {_MODELS} models, not {len(several):,}: leave some out, or write several."
        )
    kinds = {ev.task.name for ev in several}
    if len(kinds) > 1:
        raise InputError(
            f"models of one report pose the same kind of problem, not {' and '.join(sorted(kinds))}."
        )
    names = _names(several)
    models = [
        {"name": name, **_model(ev, matter, min(MOST, _CUTOFFS // len(several)))}
        for name, ev in zip(names, several, strict=True)
    ]
    kind = several[0].task.title
    heading = short(title, LINE) if title else (f"{', '.join(names)}: {kind.lower()}" if names[0] else kind)
    if title is None:  # the kind of problem is said in the heading
        for model in models:
            model["title"] = model["title"].removeprefix(f"{kind} · ")
    return {
        "layout": _VERSION,
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


def _model(ev: Evaluation, matter: Sequence[str], most: int) -> dict[str, Any]:
    drawn, remarks = _drawn(ev)
    if drawn is not None and "confusion" not in ev.tallies:
        ev = _cut_somewhere(ev, drawn)
        remarks.append(
            "No threshold was given: the page starts where as many rows are predicted positive as there are."
        )
    summary = ev.summary
    table = ev.tallies.get("confusion")
    lines = {line.name: line for group in summary.groups for line in group}
    metrics = {one.name: one.metric for group in ev.groups for one in group}
    data: dict[str, Any] = {
        "title": short(summary.title.removeprefix(f"{ev.settings.name}: "), LINE),
        "heading": [short(line, LINE) for line in summary.heading],
        "remarks": [short(line, LINE) for line in (*remarks, *summary.remarks) if line != WHY_SILENT],
        "task": ev.task.name,
        "n": ev.n,
        "confidence": f"{100 * ev.settings.confidence:.4g}%",
        "figures": [[figure(line, metrics[line.name]) for line in group] for group in summary.groups],
        "matter": _mattering(ev, lines, matter),
        "table": heat_map(summary.labels, summary.table) if summary.table else None,
        "classes": None,
        "live": None,
        "shapes": {},
    }
    if drawn is not None:
        data["shapes"] = of_scores(
            drawn, confidence=ev.settings.confidence, probabilities=bool(ev.are_probabilities)
        )
        if isinstance(table, Confusion) and "scores" in data["shapes"]:
            data["table"] = heat_map(ev.task.labels, two_by_two(table, ev.task.labels))
            data["live"] = _live(ev, drawn, table, most)
        elif isinstance(table, Confusion):
            data["remarks"].append(
                "There is no slider: the scores are infinite, or too far apart for an axis."
            )
    if ev.task.name in ("multiclass", "ordinal") and isinstance(table, Confusion) and table.weights is None:
        data["classes"] = class_figures(table, summary.labels, ev.settings.confidence)
    ranked = ev.tallies.get("class_scores")
    if isinstance(ranked, ClassScores):
        parts = [(short(label), ranked.against_rest(label)) for label in ranked.labels[:8]]
        data["shapes"]["rocs"] = class_rocs(parts)
    if ev.task.name == "regression" and ev.rows is not None:
        data["shapes"] |= of_pairs(NumberPairs.of(_unweighted(ev)))
    return data


def _drawn(ev: Evaluation) -> tuple[ThinnedScores | None, list[str]]:
    """Return the scores of two classes as the page draws them, if there are some, and what to say of them."""
    scores = ev.tallies.get("scores")
    if ev.task.name != "binary" or not isinstance(scores, (Scores, BinnedScores)):
        return None, []
    try:
        return condensed(scores), []
    except MetricError as refused:
        return None, [f"There is no slider: {refused}"]


def _cut_somewhere(ev: Evaluation, drawn: ThinnedScores) -> Evaluation:
    """Return the evaluation at the cutoff that predicts about as many rows positive as there are."""
    source = drawn.source
    above = np.cumsum((source.positives.astype(np.int64) + source.negatives)[::-1])
    reached = int(np.searchsorted(above, source.positives.sum(dtype=np.int64)))
    threshold = float(source.scores[::-1][min(reached, len(above) - 1)])
    task = dataclasses.replace(ev.task, threshold=threshold, inferred=())
    table = confusions_at(source, [threshold], task.labels)[0]
    tallies = Collection.of_mapping({**dict(ev.tallies.items()), "confusion": table})
    # What was found without counts stays as it is: of rows that are gone it cannot be found again.
    kept = {key: one for key, one in ev.estimates.items() if find(key[0]).reads.tally is not Confusion}
    return dataclasses.replace(ev, task=task, tallies=tallies, saved=kept)


def _unweighted(ev: Evaluation) -> Any:
    return dataclasses.replace(ev.rows, weight=None, group=None)  # type: ignore[type-var]


def _mattering(ev: Evaluation, lines: dict[str, Any], matter: Sequence[str]) -> list[str]:
    """Return the names of the figures to show large."""
    if matter:
        known = {name: name for name in lines}
        chosen = [known.get(name) or find(name).name for name in matter]
        unknown = [name for name in chosen if name not in lines]
        if unknown or len(chosen) > _LARGE:
            raise InputError(
                f"matter= names up to three figures of this report: {', '.join(lines)}"
                + (f"; not {', '.join(unknown)}." if unknown else ".")
            )
        return chosen
    usual = [name for name in _MATTER[ev.task.name] if name in lines]
    if ev.task.name == "binary" and "auc" in usual:
        usual = [name for name in usual if name != "mcc"]
    if ev.settings.beta is not None and (stated := f"f_{ev.settings.beta:g}") in lines:
        usual = [stated, *usual]
    return (usual or list(lines))[:_LARGE]


def _live(ev: Evaluation, drawn: ThinnedScores, table: Confusion, most: int) -> dict[str, Any]:
    """Return the counts and figures at all cutoffs that the slider reaches."""
    settings, labels = ev.settings, ev.task.labels
    (_, fp), (_, tp) = two_by_two(table, labels)
    threshold = ev.task.threshold
    if threshold is None:  # the predictions were given: by some threshold, perhaps
        threshold = cutoff_of(drawn.source, table, labels)
    counts = (int(tp), int(fp)) if table.weights is None else None
    cutoffs = chosen_cutoffs(drawn, labels, threshold=threshold, counts=counts, most=most)
    wanted = [
        (one.name, one.metric, _options(one.options, one.metric, ev.positive))
        for group in ev.groups
        for one in group
        if one.metric.reads.tally is Confusion and one.metric.loss is None and one.name != "prevalence"
    ]
    grouped = bool(settings.group)
    return {
        **_counts(cutoffs),
        "labels": [short(label) for label in labels],
        "score": short(settings.score),
        "probabilities": bool(ev.are_probabilities),
        "grouped": grouped,
        "weighted": table.weights is not None,
        "binned": drawn.binned,
        "z": normal_quantile(settings.confidence),
        "tail": 1 - settings.confidence,
        "cost_fp": settings.cost_fp,
        "cost_fn": settings.cost_fn,
        "prevalence": settings.prevalence,
        "figures": live_figures(cutoffs, wanted, confidence=settings.confidence, intervals=not grouped),
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
    }


def _comparison(several: Sequence[Evaluation], names: list[str]) -> dict[str, Any]:
    """Return the models' figures side by side, and their differences where the rows can be paired."""
    shared = [name for name in several[0] if all(name in ev for ev in several[1:])]
    rows = [{"label": metric_title(name), "values": [texts(ev[name]) for ev in several]} for name in shared]
    data: dict[str, Any] = {"rows": rows, "differences": [], "summary": "", "paired": False, "left_out": 0}
    if any(ev.rows is None for ev in several):
        data["summary"] = "Differences need the rows of every model, which not all of these evaluations hold."
        return data
    try:
        judged = compare(*(ev.rows for ev in several), names=names, confidence=several[0].settings.confidence)
    except AssayError as refused:
        data["summary"] = f"The models were not compared row by row: {refused}"
        return data
    data["summary"], data["paired"] = judged.summary, judged.paired
    data["differences"] = [_difference(one) for one in itertools.islice(judged, _DIFFERENCES)]
    data["left_out"] = len(judged) - len(data["differences"])
    return data


def _difference(one: Difference) -> dict[str, Any]:
    numbers = (one.difference, one.low, one.high)
    p = one.p if one.adjusted is None else one.adjusted
    return {
        "label": metric_title(one.metric),
        "pair": f"{one.second} - {one.first}",
        "text": [None if x is None or isinstance(x, Undefined) else format_value(x) for x in numbers],
        "p": "" if isinstance(p, Undefined) else p_text(p),
        "method": "; ".join(filter(None, (one.method, one.test))),
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
        except AssayError as refused:  # more slices than anyone would read, or lists cut in two
            notes.append(short(refused, LINE))
            continue
        for line in lines:
            own = {
                "name": f"{short(by)} = {short(line.label)}",
                "n": line.n,
                "metrics": {},
                "note": line.too_few,
            }
            kept = parts.setdefault((by, line.label), own)
            kept["metrics"][line.metric] = [line.estimate.value, line.estimate.low, line.estimate.high]
    return {**slice_table(list(parts.values())), "notes": notes}


def _errors(errors: Sequence[dict[str, Any]] | ErrorRows) -> dict[str, Any]:
    """Return rows worth looking at as a table of texts."""
    if isinstance(errors, ErrorRows):
        told = errors.to_dict()
        told |= {"kind": [name.replace("_", " ") for name in told["kind"]]} if "kind" in told else {}
        errors = [dict(zip(told, row, strict=True)) for row in zip(*told.values(), strict=True)]
    columns = list(dict.fromkeys(name for row in errors for name in row))
    rows = [[_cell(row.get(name, "")) for name in columns] for row in errors[:_ERRORS]]
    return {"columns": [short(name) for name in columns], "rows": rows, "left_out": len(errors) - len(rows)}


def _cell(value: Any) -> str:
    return format_value(value) if isinstance(value, float) and value == value else short(value, LINE)  # noqa: PLR0124
