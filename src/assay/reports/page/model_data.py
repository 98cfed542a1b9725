"""The data of one model of the page: counts, metrics, curves, classes and cutoffs, as plain data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, MetricError
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_interval, format_value
from assay.formatting.width import LINE, short
from assay.inference.formulas.proportions import normal_quantile
from assay.metrics import Undefined, find
from assay.metrics.spec import metric_title
from assay.plots.thin_scores import ThinnedScores, condensed, cutoff_of, two_by_two
from assay.reports.metric_remarks import calibration_remarks
from assay.reports.page.charts import of_confidences, of_scores
from assay.reports.page.class_data import (
    class_curves,
    class_table_data,
    confused_pairs,
    heat_map,
    label_counts,
    rank_errors,
)
from assay.reports.page.label_data import errors_together, label_parts
from assay.reports.page.metric_cells import metric_cell
from assay.reports.page.ranking_data import ranking_shapes
from assay.reports.page.regression_data import regression_shapes
from assay.reports.page.slider import MOST, Cutoffs, chosen_cutoffs, live_metrics
from assay.reports.summarize import MAX_HIGHLIGHTS, default_highlights, summarize
from assay.tallies import BinnedScores, Collection, Confidences, Confusion, Scores
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation


__all__ = ["model_data"]


def model_data(ev: Evaluation, highlight: Sequence[str], most: int, *, models: int = 1) -> dict[str, Any]:
    """Return what the page shows of one model; `most` is how many cutoffs its slider may reach.

    So many `models` share the page, whose classes and labels they divide between them.
    """
    scores_drawn, remarks = _scores_to_draw(ev)
    if scores_drawn is not None and "confusion" not in ev.tallies:
        ev = _at_default_cutoff(ev, scores_drawn)
        remarks.append(
            "No threshold was given: the page starts where as many rows are predicted positive as there are."
        )
    summary = summarize(ev, advice=False)
    lines = {line.name: line for group in summary.groups for line in group}
    metrics = {spec.name: spec.metric for group in ev.groups for spec in group}
    heading = list(summary.heading)
    if scores_drawn is not None and ev.task.threshold is not None:  # which the page says of the slider
        stated = f"threshold {ev.task.threshold:g} on {short(ev.settings.score, 32)} · "
        heading[0] = heading[0].removeprefix(stated)
    if ev.task.name == "ranking" and ev.settings.k is None:
        heading[0] += " · whole lists, without a limit k"
    data: dict[str, Any] = {
        "title": short(summary.title.removeprefix(f"{ev.settings.name}: "), LINE),
        "heading": [short(line, LINE) for line in heading],
        "remarks": [short(line, LINE) for line in (*remarks, *summary.remarks)],
        "task": ev.task.name,
        "n": ev.n,
        "confidence": f"{100 * ev.settings.confidence:.4g}%",
        "metrics": [[metric_cell(line, metrics[line.name]) for line in group] for group in summary.groups],
        "highlight": _highlighted(ev, lines, highlight),
        "table": None,
        "confused": None,
        "rank_errors": None,
        "classes": None,
        "class_curves": [],
        "parts": [],
        "parts_left_out": 0,
        "together": None,
        "live": None,
        "shapes": {},
    }
    if ev.task.name == "binary":
        _add_two_classes(data, ev, scores_drawn, most)
    elif ev.task.name in ("multiclass", "ordinal"):
        _add_classes(data, ev, models)
    elif ev.task.name in MULTIOUTPUT_TASKS:
        data["classes"] = class_table_data(ev, models=models)
        data["parts"], data["parts_left_out"] = label_parts(
            ev, 2 * min(most, MOST // models), _part_data, models=models
        )
        if ev.task.name == "multilabel":
            data["together"] = errors_together(ev)
    elif ev.task.name == "regression":
        data["shapes"] = regression_shapes(ev)
    elif ev.task.name == "ranking":
        data["shapes"] = ranking_shapes(ev)
    return data


def _part_data(ev: Evaluation, most: int) -> dict[str, Any]:
    """Return what the page shows of one label or output."""
    return model_data(ev, (), most)


def _add_two_classes(
    data: dict[str, Any], ev: Evaluation, scores_drawn: ThinnedScores | None, most: int
) -> None:
    """Add the counts of two classes and, of scores, the curves and the cutoffs."""
    table = ev.tallies.get("confusion")
    if isinstance(table, Confusion):
        data["table"] = heat_map(ev.task.labels, two_by_two(table, ev.task.labels))
    if scores_drawn is None:
        return
    data["shapes"] = of_scores(
        scores_drawn, confidence=ev.settings.confidence, probabilities=bool(ev.are_probabilities)
    )
    if "calibration" in data["shapes"] and ev.binned is None:  # of bins it would be biased
        data["shapes"]["calibration"]["ratio"] = _observed_expected(ev)
    if not isinstance(table, Confusion):
        return
    if "scores" in data["shapes"]:
        data["live"] = _live(ev, scores_drawn, table, most)
    else:
        data["remarks"].append("There is no slider: the scores are infinite, or too far apart for an axis.")


def _observed_expected(ev: Evaluation) -> str:
    """Return how many positives there are for each that the probabilities foretell, and what that says."""
    estimate = ev.estimate("observed_expected_ratio")
    if isinstance(estimate.value, Undefined):
        return ""
    remarks = calibration_remarks(estimate.value, estimate)
    title = metric_title("observed_expected_ratio")
    value = f"{title} {format_value(estimate.value)} {format_interval(estimate)}".strip()
    return "; ".join([value, *(remark.removeprefix("calibration: ") for remark in remarks)])


def _add_classes(data: dict[str, Any], ev: Evaluation, models: int) -> None:
    """Add the counts of several classes, each class's metrics, and the curves of their scores."""
    counted = label_counts(ev)
    if counted is not None:
        labels, counts = counted
        data["table"] = heat_map(labels, counts.tolist())
        data["confused"] = confused_pairs(labels, counts)
        if ev.task.name == "ordinal":
            data["rank_errors"] = rank_errors(counts)
        data["classes"] = class_table_data(ev, models=models)
    data["class_curves"] = class_curves(ev, models=models)
    if data["class_curves"] and ev.are_probabilities:
        tally = ev.read(find("top_label_calibration_error"), {}).tally
        if isinstance(tally, Confidences):
            data["shapes"]["top_label"] = of_confidences(tally.pooled(), ev.settings.confidence)


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
