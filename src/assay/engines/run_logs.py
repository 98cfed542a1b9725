"""Read logs of evaluation runs into columns: of Inspect, of lm-evaluation-harness, and tables.

A log becomes one row per scored run: ``question``, ``run``, ``model``, ``task``, ``scorer``, ``correct``,
``answer``, ``target``. These are what :func:`assay.repeats` and the others take.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.engines.read_columns import read
from assay.errors import FileError, shown
from assay.formatting.frame_output import as_frame
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.inputs import Column

__all__ = ["read_log"]

_COLUMNS = ("question", "run", "model", "task", "scorer", "correct", "answer", "target")
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partly, no answer
_LOG_ENDINGS = (".eval", ".json", ".jsonl")
# What lm-evaluation-harness writes beside the values of metrics.
_HARNESS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
    "prompt_hash", "target_hash",
}  # fmt: skip


def read_log(
    path: str | os.PathLike[str],
    *,
    question: str | None = None,
    run: str | None = None,
    correct: str | None = None,
    model: str | None = None,
    answer: str | None = None,
    scorer: str | None = None,
    library: str = "dict",
) -> Any:
    """Read a log of runs into columns, one row for each scored run.

    Parameters
    ----------
    path
        An ``.eval`` or JSON log of Inspect, a ``samples_*.jsonl`` of lm-evaluation-harness, a folder of them,
        or a table (CSV, Parquet, JSON lines) whose columns are named below.
    question, run, correct, model, answer
        Names of a table's columns. For a log, `model` names the model where the log does not.
    scorer
        Which scorer (Inspect) or metric (lm-evaluation-harness) to take, where there are several.
    library
        ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"dict"`` for a dict of lists.

    Returns
    -------
    dict or data frame
        The columns ``question``, ``run``, ``correct`` and ``model``, and ``answer`` where there are answers.
        Those of a log also ``task``, ``scorer`` and ``target``; where there are several tasks, questions are
        named with their task, as ``sums/3``.

    Raises
    ------
    FileError
        The log cannot be read, or holds no scored runs.
    InputError
        `library` is not known.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> log = {"eval": {"model": "m", "task": "t"}, "samples": [
    ...     {"id": 1, "epoch": 1, "target": "4", "scores": {"match": {"value": "C", "answer": "4"}}}]}
    >>> _ = (folder / "log.json").write_text(json.dumps(log))
    >>> read_log(folder / "log.json")["correct"]
    [1.0]
    """
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"{path!r} is no path of a log.")
    path_of_log = Path(os.fspath(path))
    if question is not None or correct is not None:
        return as_frame(_table(path_of_log, question, correct, run=run, model=model, answer=answer), library)
    if not path_of_log.exists():
        raise FileError(f"there is no file {path_of_log}.")
    files = (
        sorted(file for file in path_of_log.rglob("*") if file.suffix in _LOG_ENDINGS)
        if path_of_log.is_dir()
        else [path_of_log]
    )
    rows = [row for file in files for row in _rows(file, model, scorer, only_file=not path_of_log.is_dir())]
    if not rows:
        raise FileError(f"{path_of_log} holds no scored runs.")
    scorers = dict.fromkeys(row["scorer"] for row in rows)
    if scorer is None and len(scorers) > 1 and _repeated(rows):
        raise FileError(
            f"{path_of_log} has several scores of each run: choose one with "
            f"{param('scorer')}: {shown(scorers)}."
        )
    if len({row["task"] for row in rows}) > 1:  # each task numbers its questions from the start
        for row in rows:
            row["question"] = f"{row['task']}/{row['question']}"
    return as_frame({name: [row[name] for row in rows] for name in _COLUMNS}, library)


def _repeated(rows: list[dict[str, Any]]) -> bool:
    """Tell whether a run has more than one score."""
    runs = [(row["model"], row["task"], row["question"], row["run"]) for row in rows]
    return len(set(runs)) < len(runs)


def _table(
    path: Path, question: str | None, correct: str | None, **options: str | None
) -> dict[str, list[Any]]:
    if question is None or correct is None:
        raise FileError(f"a table of runs needs both {param('question')} and {param('correct')}.")
    names = {"question": question, "correct": correct} | {k: v for k, v in options.items() if v is not None}
    columns = read(path, list(names.values()))
    return {role: _values(columns[name]) for role, name in names.items()}


def _values(column: Column) -> list[Any]:
    column.refuse_missing()
    if column.labels is None:
        return list(column.values.tolist())
    return [column.labels[code] for code in column.values.tolist()]


def _rows(file: Path, model: str | None, scorer: str | None, *, only_file: bool) -> Iterator[dict[str, Any]]:
    """Yield the scored runs of one file; files of a folder that are no logs are passed over."""
    try:
        if file.suffix == ".eval":
            yield from _inspect(_archive(file), model, scorer)
        elif file.suffix == ".jsonl":
            yield from _harness(file, model, scorer, only_file=only_file)
        else:
            log = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(log, dict) and "samples" in log and "eval" in log:
                yield from _inspect(log, model, scorer)
            elif only_file:
                raise FileError(
                    f"{file} is no log of Inspect: name the columns of a table with {param('question')} and "
                    f"{param('correct')}."
                )
    except (json.JSONDecodeError, UnicodeDecodeError) as wrong:
        table = f" Name the columns of a table with {param('question')} and {param('correct')}."
        hint = "" if file.suffix in _LOG_ENDINGS else table
        raise FileError(f"{file} is no valid JSON: {wrong}.{hint}") from None
    except (AttributeError, TypeError) as wrong:
        raise FileError(
            f"{file} has another form than the logs of Inspect and lm-evaluation-harness that are documented "
            f"({wrong})."
        ) from None


def _archive(file: Path) -> dict[str, Any]:
    """Return the header and the samples of Inspect's .eval, which is a zip archive of JSON."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            start = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            header = json.loads(archive.read(start)) if start else {}
            samples = [
                json.loads(archive.read(name)) for name in sorted(names) if name.startswith("samples/")
            ]
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError) as wrong:
        raise FileError(
            f"{file} cannot be read as an .eval log ({wrong}): convert it by `inspect log convert --to json`."
        ) from None
    return {"eval": header.get("eval", {}), "samples": samples}


def _inspect(log: dict[str, Any], model: str | None, scorer: str | None) -> Iterator[dict[str, Any]]:
    about = log.get("eval") or {}
    for sample in log.get("samples") or ():
        for name, score in (sample.get("scores") or {}).items():
            for label, value in _scores(name, score.get("value")):
                if scorer is None or scorer in (name, label):
                    yield {
                        "question": sample.get("id"), "run": sample.get("epoch", 1),
                        "model": model or about.get("model") or "", "task": about.get("task") or "",
                        "scorer": label, "correct": value, "answer": _text(score.get("answer")),
                        "target": _text(sample.get("target")),
                    }  # fmt: skip


def _scores(name: str, value: Any) -> Iterable[tuple[str, float]]:
    """Yield a score as a number: letters of grades, true and false, numbers; of several by their names."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _scores(f"{name}/{key}", part)
    elif isinstance(value, str) and value.upper() in _GRADES:
        yield name, _GRADES[value.upper()]
    elif isinstance(value, (bool, int, float)):
        yield name, float(value)


def _harness(
    file: Path, model: str | None, scorer: str | None, *, only_file: bool
) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        runs: dict[Any, int] = {}
        for line in lines:
            if not line.strip():
                continue
            row = json.loads(line)
            if not isinstance(row, dict) or "doc_id" not in row:
                if only_file:
                    raise FileError(
                        f"{file} is no log of lm-evaluation-harness: name the columns of a table with "
                        f"{param('question')} and {param('correct')}."
                    )
                return
            metrics = row.get("metrics") or [name for name in row if name not in _HARNESS]
            key = (row["doc_id"], row.get("filter"))
            runs[key] = runs.get(key, 0) + 1
            for name in metrics:
                label = f"{name},{row['filter']}" if row.get("filter") not in (None, "none") else name
                for scorer_name, value in _scores(label, row.get(name)):
                    if scorer is None or scorer in (name, scorer_name):
                        yield {
                            "question": row["doc_id"], "run": runs[key], "model": model or file.parent.name,
                            "task": _task(file), "scorer": scorer_name, "correct": value,
                            "answer": _text(row.get("filtered_resps")), "target": _text(row.get("target")),
                        }  # fmt: skip


def _task(file: Path) -> str:
    """Return the task of a file named samples_TASK_TIME.jsonl."""
    words = file.stem.removeprefix("samples_")
    head, _, tail = words.rpartition("_")
    return head if head and tail[:1].isdigit() else words


def _text(value: Any) -> str:
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
