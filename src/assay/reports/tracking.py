"""Evaluations as runs of MLflow: values and limits as metrics, settings as parameters, the page as a file."""

from __future__ import annotations

import datetime as dt
import importlib
import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay import __version__
from assay.errors import MissingDependencyError
from assay.evaluation.storage import to_bytes
from assay.ledgers.ledger import EVALUATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.evaluation.evaluation import Evaluation
    from assay.ledgers.entry import Entry
    from assay.ledgers.ledger import Ledger

__all__ = ["ledger_to_mlflow", "log_mlflow"]

_EXPERIMENT: Final = "assay"
_ENTRY: Final = "assay.entry"  # the tag by which an entry that was sent is known


def log_mlflow(
    ev: Evaluation,
    *,
    run_id: str | None = None,
    experiment: str = _EXPERIMENT,
    tracking_uri: str | None = None,
    page: bool = True,
    tags: Mapping[str, str] | None = None,
) -> str:
    """Log an evaluation to MLflow, to a run or a new one, and return the run's id.

    Of each metric ``auc`` there are ``auc``, ``auc.low`` and ``auc.high``.
    """
    client = _client(tracking_uri)
    if run_id is not None:
        _log(client, run_id, ev, page=page)
        for name, value in (tags or {}).items():
            client.set_tag(run_id, name, value)
        return run_id
    run = _new_run(client, experiment, ev.name, dict(tags or {}), None)
    _log(client, run, ev, page=page)
    client.set_terminated(run)
    return run


def ledger_to_mlflow(
    book: Ledger, *, experiment: str, tracking_uri: str | None, page: bool, entries: Iterable[Entry]
) -> list[str]:
    """Send evaluations of a ledger to MLflow, a run each; those that are there already are left out."""
    client = _client(tracking_uri)
    known = _sent(client, experiment)
    runs = []
    for entry in entries:
        if entry.kind != EVALUATION or entry.content in known:
            continue
        words = {_ENTRY: entry.content, "assay.number": str(entry.number), "assay.test": entry.test}
        words |= {"assay.tags": ",".join(entry.tags)} if entry.tags else {}
        words |= (
            {"mlflow.source.git.commit": str(entry.payload["commit"])} if entry.payload.get("commit") else {}
        )
        moment = int(dt.datetime.fromisoformat(entry.time).timestamp() * 1000)
        run = _new_run(client, experiment, entry.model, words, moment)
        _log(client, run, book.load(entry), page=page, moment=moment)
        client.set_terminated(run, end_time=moment)
        runs.append(run)
    return runs


def _client(tracking_uri: str | None) -> Any:
    try:
        tracking = importlib.import_module("mlflow.tracking")
    except ModuleNotFoundError:
        raise MissingDependencyError(
            "MLflow is not installed: pip install 'assay-metrics[mlflow]'."
        ) from None
    return tracking.MlflowClient(tracking_uri=tracking_uri)


def _experiment(client: Any, name: str) -> str:
    experiment = client.get_experiment_by_name(name)
    return str(client.create_experiment(name) if experiment is None else experiment.experiment_id)


def _sent(client: Any, experiment: str) -> set[str]:
    """Return the entries that an experiment has a run of."""
    home, token, sent = _experiment(client, experiment), None, set()
    while True:
        runs = client.search_runs([home], max_results=1000, page_token=token)
        sent |= {run.data.tags[_ENTRY] for run in runs if _ENTRY in run.data.tags}
        token = runs.token
        if not token:
            return sent


def _new_run(client: Any, experiment: str, name: str, tags: dict[str, str], moment: int | None) -> str:
    home = _experiment(client, experiment)
    run = client.create_run(home, run_name=name or None, tags=tags, start_time=moment)
    return str(run.info.run_id)


def _log(client: Any, run: str, ev: Evaluation, *, page: bool, moment: int | None = None) -> None:
    entities = importlib.import_module("mlflow.entities")
    moment = int(dt.datetime.now(dt.UTC).timestamp() * 1000) if moment is None else moment
    numbers = {
        f"{name}{end}": float(value)
        for name in ev
        for end, value in (("", ev[name].value), (".low", ev[name].low), (".high", ev[name].high))
        if value is not None and ev[name].defined
    }
    # What is infinite or no number has no place in MLflow's charts.
    metrics = [
        entities.Metric(_allowed(name), value, moment, 0)
        for name, value in numbers.items()
        if math.isfinite(value)
    ]
    settings = {
        "task": ev.task.name,
        "rows": ev.n,
        "confidence": ev.settings.confidence,
        "assay": __version__,
    }
    settings |= {"threshold": ev.task.threshold} if ev.task.threshold is not None else {}
    parameters = [entities.Param(name, str(value)) for name, value in settings.items()]
    client.log_batch(run, metrics=metrics, params=parameters)
    with tempfile.TemporaryDirectory() as folder:
        tally = Path(folder) / "evaluation.assay"
        tally.write_bytes(to_bytes(ev))
        client.log_artifact(run, str(tally))
        if page:
            client.log_artifact(run, str(ev.report(Path(folder) / "report.html")))
        client.log_artifact(run, str(_summary(Path(folder), ev)))


def _summary(folder: Path, ev: Evaluation) -> Path:
    path = folder / "summary.md"
    path.write_text(ev.to_markdown(), encoding="utf-8")
    return path


def _allowed(name: str) -> str:
    """Return a metric's name in the letters that MLflow takes."""
    return "".join(letter if letter.isalnum() or letter in "_-. /" else "_" for letter in name)
