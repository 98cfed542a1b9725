"""Model cards: the sections that an evaluation's numbers can fill, as Markdown, for Hugging Face, as JSON."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from assay import __version__
from assay.errors import InputError
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_interval, format_value
from assay.formatting.result_table import escape_markdown
from assay.formatting.width import clean
from assay.hints import passed
from assay.metrics.spec import metric_title
from assay.output_files import write_file
from assay.reports.summarize import default_highlights, summarize

if TYPE_CHECKING:
    import os

    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate

__all__ = ["CardFormat", "card", "card_data"]

CardFormat = Literal["markdown", "huggingface", "json"]
_FORMATS: Final = ("markdown", "huggingface", "json")
_MAX_SLICES: Final = 30  # of a column; more are left to the page
# The names that Hugging Face has for tasks of tables, and for some metrics.
_TASKS: Final = {
    "regression": "tabular-regression", "multioutput": "tabular-regression", "ranking": "text-ranking",
    "multilabel": "text-classification",
}  # fmt: skip
_METRICS: Final = {
    "auc": "roc_auc", "mcc": "matthews_correlation", "macro_f1": "f1", "mean_reciprocal_rank": "mrr",
    "rmse": "rmse", "brier": "brier_score",
}  # fmt: skip


def card(
    ev: Evaluation,
    path: str | os.PathLike[str] | None = None,
    *,
    format: CardFormat | None = None,  # noqa: A002 - the word that people look for
    dataset: str = "",
    task: str | None = None,
) -> str:
    r"""Return the model card of an evaluation as text, and write it where a path is given.

    Parameters
    ----------
    ev
        The evaluation.
    path
        The file to write.
    format
        ``"markdown"``: the sections of a model card that numbers can fill. ``"huggingface"``: the same below
        metadata (YAML) whose ``model-index`` the Hub reads. ``"json"``: the data. By default Markdown, or
        JSON for a path that ends so.
    dataset
        The name of the test set.
    task
        The Hub's name of the task, such as ``"text-classification"``.

    Examples
    --------
    >>> import assay
    >>> ev = assay.evaluate(actual=[0, 1] * 20, predicted=[0, 1] * 18 + [1, 0] * 2, name="spam filter")
    >>> print("\n".join(card(ev).splitlines()[:7]))
    # Model card: spam filter
    <BLANKLINE>
    ## Model details
    <BLANKLINE>
    - Name: spam filter
    - Task: Binary classification, labels 0, 1, positive class 1
    - Threshold: none
    """
    if format is None:
        format = "json" if path is not None and Path(path).suffix == ".json" else "markdown"  # noqa: A001
    if format not in _FORMATS:
        raise InputError(f'{passed("format", format)} is not known: use "markdown", "huggingface" or "json".')
    data = card_data(ev, dataset)
    if format == "json":
        text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = _markdown(ev, data)
        if format == "huggingface":
            text = f"---\n{_model_index(ev, data, task)}---\n\n{text}"
    if path is not None:
        write_file(path, text)
    return text


def card_data(ev: Evaluation, dataset: str = "") -> dict[str, Any]:
    """Return what a card says as plain data."""
    task, settings = ev.task, ev.settings
    looks = None if ev.looks is None else ev.looks.to_dict() | {"text": str(ev.looks)}
    slices = {
        " x ".join(table.columns): [
            {"slice": " x ".join(map(str, key)) if isinstance(key, tuple) else str(key), "rows": part.n}
            | {"metrics": _estimates(part, default_highlights(part, list(part)))}
            for key, part in list(table.items())[:_MAX_SLICES]
        ]
        for table in (ev.slices.values() if settings.by else ())
    }
    data = {
        "schema": "assay/card/1",
        "model": {"name": settings.name, "task": task.name, "labels": list(task.labels),
                  "positive": task.positive, "threshold": task.threshold},
        "evaluation_data": {"dataset": dataset, "rows": ev.n, "dropped": ev.dropped,
                            "weight": settings.weight or None, "group": settings.group or None,
                            "looks": looks},
        "metrics": _estimates(ev, list(ev)),
        "slices": slices,
        "remarks": list(summarize(ev, advice=False).remarks),
        "evaluated_by": f"assay {__version__}",
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
    }  # fmt: skip
    return dict(json_safe(data))


def _estimates(ev: Evaluation, names: list[str]) -> dict[str, Any]:
    estimates: dict[str, Any] = {}
    for name in names:
        estimate = ev[name]
        estimates[name] = estimate.to_dict()
        if ev.looks is not None:
            for_all = ev.for_all_looks(name)
            estimates[name]["for_all_looks"] = json_safe([for_all.low, for_all.high])
    return estimates


def _markdown(ev: Evaluation, data: dict[str, Any]) -> str:
    """Return the sections; what only people know is left for them to write."""
    task, settings, held = ev.task, ev.settings, data["evaluation_data"]
    name = _text(settings.name or "model")
    labels = f", labels {_text(', '.join(map(str, task.labels)))}" if task.labels else ""
    positive = "" if task.positive is None else f", positive class {_text(task.positive)}"
    lines = [f"# Model card: {name}", "", "## Model details", "", f"- Name: {name}"]
    lines += [f"- Task: {task.title}{labels}{positive}"]
    lines += [f"- Threshold: {'none' if task.threshold is None else f'{task.threshold:g}'}"]
    if data["slices"]:
        lines += ["", "## Factors", "", *(f"- {_text(columns)}" for columns in data["slices"])]
    lines += ["", "## Evaluation data", ""]
    lines += [f"- Data set: {_text(held['dataset'])}"] if held["dataset"] else []
    lines += [
        f"- Rows: {ev.n:,}" + (f" ({ev.dropped:,} with a missing value left out)" if ev.dropped else "")
    ]
    lines += [f"- Weighted by {_text(settings.weight)}"] if settings.weight else []
    lines += [f"- Grouped by {_text(settings.group)}"] if settings.group else []
    if ev.looks is not None:
        lines += [f"- Test set {ev.looks.test_set}: {_text(ev.looks)}"]
    level = f"{100 * settings.confidence:.4g}% interval"
    heads = ["metric", "value", level] + (["for all looks"] if ev.looks is not None else [])
    lines += [
        "",
        "## Quantitative analyses",
        "",
        *_table(heads, [_row(ev, each, metric_title(each)) for each in ev]),
    ]
    for columns, parts in data["slices"].items():
        names = list(parts[0]["metrics"]) if parts else []
        heads = ["slice", "rows", *map(metric_title, names)]
        rows = [
            [part["slice"], f"{part['rows']:,}", *(_cell(part["metrics"].get(each)) for each in names)]
            for part in parts
        ]
        lines += ["", f"### By {_text(columns)}", "", *_table(heads, rows)]
    if data["remarks"]:
        lines += ["", "## Caveats and recommendations", "", *(f"- {_text(text)}" for text in data["remarks"])]
    lines += ["", f"Evaluated by {data['evaluated_by']} on {data['date']}.", ""]
    return "\n".join(lines)


def _row(ev: Evaluation, name: str, title: str) -> list[str]:
    estimate = ev[name]
    cells = [title, format_value(estimate.value), format_interval(estimate) if estimate.defined else ""]
    return cells + ([format_interval(ev.for_all_looks(name))] if ev.looks is not None else [])


def _cell(estimate: dict[str, Any] | None) -> str:
    if estimate is None or estimate["value"] is None:
        return "undefined"
    limits = (estimate["low"], estimate["high"])
    value = format_value(float(estimate["value"]))
    if None in limits:
        return value
    return f"{value} [{', '.join(format_value(float(end)) for end in limits)}]"


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *([_text(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _text(value: object) -> str:
    return escape_markdown(clean(value))


def _model_index(ev: Evaluation, data: dict[str, Any], task: str | None) -> str:
    """Return the metadata of the Hub as YAML: JSON's texts and numbers are YAML's, too."""
    kind = task or _TASKS.get(ev.task.name, "tabular-classification")
    dataset = data["evaluation_data"]["dataset"] or "test set"
    lines = [
        "model-index:",
        f"- name: {_quoted(ev.settings.name or 'model')}",
        "  results:",
        "  - task:",
        f"      type: {_quoted(kind)}",
        f"      name: {_quoted(ev.task.title)}",
        "    dataset:",
        f"      name: {_quoted(dataset)}",
        f"      type: {_quoted(dataset)}",
        "    metrics:",
    ]
    for name in ev:
        estimate = ev[name]
        if estimate.defined and isinstance(data["metrics"][name]["value"], (int, float)):
            lines += [
                f"    - type: {_quoted(_METRICS.get(name, name))}",
                f"      name: {_quoted(_metric_name(name, estimate))}",
                f"      value: {json.dumps(data['metrics'][name]['value'])}",
            ]
    return "\n".join(lines) + "\n"


def _metric_name(name: str, estimate: Estimate) -> str:
    limits = format_interval(estimate)
    level = f" {100 * estimate.confidence:.4g}% interval {limits}" if limits else ""
    return f"{metric_title(name)}{level}"


def _quoted(value: object) -> str:
    return json.dumps(clean(value), ensure_ascii=False)
