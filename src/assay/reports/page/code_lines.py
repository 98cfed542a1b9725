"""How to get what a page shows in Python or, of a page made on the command line, in a shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.formatting.width import LINE, short
from assay.hints import hint, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation

__all__ = ["code_lines"]

_SCORES = ("scores", "class_scores", "label_scores")
_FILE = "FILE"
_HERE = "\0"  # where a number of the page goes


def code_lines(several: Sequence[Evaluation]) -> dict[str, Any]:
    """Return what to type for the parts of a page, and what follows its threshold and its costs.

    >>> import assay
    >>> ev = assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.6, 0.4, 0.9])
    >>> code = code_lines([ev])
    >>> code["lines"][0]
    ['the evaluation', 'ev = assay.evaluate(data, actual="actual", score="score")']
    >>> code["at"]
    ['ev.at(', ')']
    """
    ev = several[0]
    columns = _columns(ev)
    python = ", ".join(f"{name}={_quoted(value)}" for name, value in columns.items())
    shell = " ".join([_FILE, *(word for name, value in columns.items() for word in _option(name, value))])
    lines = [
        ("the evaluation", f"ev = assay.evaluate(data, {python})", f"assay evaluate {shell}"),
        *_parts(ev, shell),
    ]
    command, page = "evaluate", 'ev.report("page.html")'
    if len(several) > 1:
        lines.append(("the models compared", "assay.compare(ev, other)", f"assay compare {shell}"))
        command, page = "compare", 'assay.report([ev, other], "page.html")'
    lines.append(("this page", page, f"assay {command} {shell} --report page.html"))
    return {
        "title": render(hint("How to get this in Python", "How to get this on the command line")),
        "lines": [
            [what, short(code, 2 * LINE)]
            for what, code in ((what, render(hint(python, typed))) for what, python, typed in lines)
            if code
        ],
        "at": _around(f"ev.at({_HERE})", f"assay evaluate {shell} --threshold {_HERE}"),
        "costs": _around(
            f"ev.choose_threshold(cost_fp={_HERE}, cost_fn={_HERE})",
            f"assay threshold {shell} --cost-fp {_HERE} --cost-fn {_HERE}",
        ),
    }


def _columns(ev: Evaluation) -> dict[str, Any]:
    """Return the columns that the evaluation was made of, by their roles."""
    settings, tallies = ev.settings, ev.tallies
    labels = ev.task.labels if ev.task.name in MULTIOUTPUT_TASKS else ()
    columns: dict[str, Any] = {"actual": list(labels) or settings.actual}
    scored = any(name in tallies for name in _SCORES) or ev.task.name == "ranking"
    if ev.task.threshold is None and not (scored and "confusion" not in tallies):
        columns["predicted"] = settings.predicted
    if scored:
        columns["score"] = settings.score
    if ev.task.name == "ranking":
        query = ev.rows.query if ev.rows is not None else None
        columns["query"] = query.name if query is not None and query.name else "query"
    for role in ("weight", "group"):
        if getattr(settings, role):
            columns[role] = getattr(settings, role)
    if settings.by:
        columns["by"] = settings.by[0] if len(settings.by) == 1 else list(settings.by)
    if ev.task.name == "binary" and ev.task.positive not in (1, True):
        columns["positive"] = ev.task.positive
    return columns


def _parts(ev: Evaluation, shell: str) -> list[tuple[str, str, str]]:
    """Return what to type for the numbers and pictures of a task."""
    lines = [
        ("a metric with its interval", f'ev["{next(iter(ev), "")}"]', f"assay evaluate {shell} --full"),
        ("all of it as data", "ev.to_dict()", f"assay evaluate {shell} --json"),
    ]
    if "confusion" in ev.tallies:
        lines.append(("the table of counts", "ev.confusion", ""))
    if ev.task.name in ("multiclass", "ordinal", *MULTIOUTPUT_TASKS):
        lines.append(("each class, label or output", "ev.classes", ""))
    lines += [(f"slices by {column}", f"ev.slices[{_quoted(column)}]", "") for column in ev.settings.by]
    picture = {"regression": "residuals", "ranking": "at_k"}.get(ev.task.name, "overview")
    lines.append(("a chart", f"ev.plot.{'roc' if 'scores' in ev.tallies else picture}()", ""))
    if ev.rows is not None:
        lines.append(("the rows with the largest errors", "ev.errors()", ""))
    return lines


def _around(python: str, shell: str) -> list[str]:
    """Return what stands before, between and after the numbers of a call."""
    return render(hint(python, shell)).split(_HERE)


def _option(name: str, value: Any) -> list[str]:
    """Return an option of the command line with its value; one that is repeated comes as often."""
    if name == "by":
        return [
            word
            for column in (value if isinstance(value, list) else [value])
            for word in ("--by", _typed(column))
        ]
    return [f"--{name}", _typed(value)]


def _quoted(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    return f'"{value}"' if isinstance(value, str) and '"' not in value else repr(value)


def _typed(value: Any) -> str:
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list) else str(value))
