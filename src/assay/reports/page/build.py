"""The page of one evaluation or several: a self-contained file made of plain data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay import __version__
from assay.errors import AssayError, InputError
from assay.evaluation.error_rows import ErrorRows
from assay.evaluation.evaluate import evaluate
from assay.evaluation.evaluation import Evaluation
from assay.formatting.numbers import format_value
from assay.formatting.width import LINE, short
from assay.inputs import Rows
from assay.reports.page import as_html, write
from assay.reports.page.code_lines import code_lines
from assay.reports.page.comparison_data import comparison_data
from assay.reports.page.metric_cells import take_definitions
from assay.reports.page.model_data import model_data
from assay.reports.page.slice_data import slice_table, slices_of
from assay.reports.page.slider import MOST
from assay.reports.page.static_html import as_notebook, as_still
from assay.reports.summarize import summarize

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from assay.comparison.compare import Comparison

__all__ = ["comparison_html", "html_of", "notebook_html", "page_of", "report"]

_LAYOUT_VERSION = 3  # of the data that the script reads
_MAX_ERRORS = 100  # rows worth looking at; more would be read by nobody
_MAX_CUTOFFS = 2_400  # of all models together
_MAX_MODELS = 16  # on one page, so that it stays small: each has its curves and its cutoffs
_MAX_NAMES = 4  # models that a heading names


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

    Returns
    -------
    pathlib.Path
        The path of the page.

    Raises
    ------
    InputError
        `evaluations` holds something else, or evaluations of different tasks.
    MetricError
        A metric of `highlight` is not known.
    FileError
        The page cannot be written.

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


def notebook_html(ev: Evaluation) -> str:
    """Return an evaluation as a notebook shows it: the page in a frame, and tables without scripts.

    What a page cannot show, such as a metric without rows, leaves the tables alone.
    """
    still = as_still(summarize(ev))
    try:
        return as_notebook(html_of([ev]), still)
    except AssayError:
        return still


def comparison_html(
    comparison: Comparison, evaluations: Sequence[Evaluation] | None = None, **options: Any
) -> str:
    """Return the page of a comparison: of its models' rows, or of the evaluations that were compared.

    A comparison of tallies that hold no rows needs the evaluations.
    """
    if evaluations is None:
        if not all(isinstance(data, Rows) for data in comparison.models.data):
            raise InputError(
                "the page of this comparison needs the evaluations: pass them to assay.report([a, b], path)."
            )
        evaluations = [
            evaluate(_with_positive(data, comparison.positive), name=name, confidence=comparison.confidence)
            for name, data in zip(comparison.names, comparison.models.data, strict=True)
        ]
    named = [
        dataclasses.replace(ev, settings=dataclasses.replace(ev.settings, name=name))
        for name, ev in zip(comparison.names, evaluations, strict=True)
    ]
    return html_of(named, comparison=comparison, **options)


def _with_positive(rows: Rows, positive: Any) -> Rows:
    """Return rows with the positive label that was compared, where they do not state it themselves."""
    stated = rows.positive is not None or positive is None
    return rows if stated else dataclasses.replace(rows, positive=positive)


def page_of(
    several: Sequence[Evaluation],
    *,
    title: str | None = None,
    highlight: Sequence[str] = (),
    slices: Sequence[dict[str, Any]] | None = None,
    errors: Sequence[dict[str, Any]] | ErrorRows | None = None,
    comparison: Comparison | None = None,
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
    most = min(MOST, _MAX_CUTOFFS // len(several))
    models = [
        {
            "name": name,
            **model_data(ev, highlight, most, models=len(several)),
            "slices": slices_of(ev, models=len(several)) if slices is None else None,
        }
        for name, ev in zip(names, several, strict=True)
    ]
    task_title = several[0].task.title
    if title is None:  # the kind of problem is said in the heading
        for model in models:
            model["title"] = model["title"].removeprefix(f"{task_title} · ")
    definitions = take_definitions(models)
    return {
        "layout": _LAYOUT_VERSION,
        "assay": __version__,
        "title": short(title, LINE) if title else _heading(names, task_title),
        "definitions": definitions,
        "models": models,
        "comparison": comparison_data(several, names, comparison) if len(several) > 1 else None,
        "slices": slice_table(slices) if slices else None,
        "errors": _errors(errors) if errors is not None and len(errors) else None,
        "code": code_lines(several),
    }


def _heading(names: list[str], task_title: str) -> str:
    """Return the heading of the page: the models by name where there are a few, else their number."""
    if not names[0]:
        return task_title
    models = ", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} models"
    return f"{models}: {task_title.lower()}"


def _names(several: Sequence[Evaluation]) -> list[str]:
    """Return what the models are called, no two alike."""
    names: list[str] = []
    for number, ev in enumerate(several):
        given_name = short(ev.settings.name) if ev.settings.name else ""
        name = given_name or (f"model {chr(97 + number)}" if len(several) > 1 else "")
        names.append(name if name not in names or not name else f"{name} ({number + 1})")
    return names


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
