"""Fit and test the models of all folds, one after another or in parallel."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.crossvalidation.fold_metrics import combination_of, make_tallies
from assay.crossvalidation.model_adapter import ModelOutput, fit_model, new_model, predict_rows
from assay.crossvalidation.row_selection import RowBuffers, take_rows
from assay.errors import AssayError, InputError, check_whole_number
from assay.formatting.progress import Progress
from assay.hints import hint
from assay.inputs import encode
from assay.metrics import Undefined
from assay.metrics.spec import read_values
from assay.tallies import Tally, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array
    from assay.metrics import Value
    from assay.metrics.spec import MetricSpec

__all__ = ["FitResult", "Fold", "FoldTask", "WorkerConfig", "evaluate_fold", "fit_folds", "pooled_tally"]

_SEED_STEP = 1_000_003  # so that seeds of neighbouring folds and of neighbouring runs do not meet


class FoldTask(NamedTuple):
    """Training rows and test rows of one fit; the number sets its seed, whichever worker runs it."""

    number: int
    train: Array
    test: Array


class FitResult(NamedTuple):
    """The result of one fit: a model's output, or what went wrong."""

    fold_task: FoldTask
    output: ModelOutput | None
    failure: str
    fit_seconds: float
    model: Any


class WorkerConfig(NamedTuple):
    """How many fits run at a time, in threads or processes, and whether a progress bar is drawn."""

    jobs: int = 1
    processes: bool = False
    progress: bool | None = None

    @classmethod
    def of(cls, jobs: Any, *, processes: bool, progress: bool | None) -> WorkerConfig:
        """Return the configuration, or raise where `jobs` is no whole number of at least 1."""
        return cls(check_whole_number("jobs", jobs, error=InputError), processes, progress)


@dataclasses.dataclass(frozen=True, eq=False)
class Fold:
    """One fold: the rows tested, what the model predicted for them, and the value of every metric.

    ``values`` are undefined, with the reason, where the fold failed or does not allow the metric. A
    bootstrap draws ``n_train`` rows, of which ``n_distinct`` are distinct.
    """

    repeat: int
    fold: int
    n_train: int
    n_distinct: int
    n_test: int
    test: Array
    values: dict[str, Value]
    tallies: dict[Any, Tally | Undefined]
    output: ModelOutput | None
    failure: str
    fit_seconds: float
    model: Any = None

    @property
    def seconds(self) -> float:
        """How long the model took to fit and to predict."""
        return self.fit_seconds + (self.output.seconds if self.output is not None else 0.0)


def fit_folds(
    setup: CrossValSetup,
    fold_tasks: Iterable[FoldTask],
    total: int,
    workers: WorkerConfig,
    *,
    keep_models: bool,
) -> Iterator[FitResult]:
    """Yield the result of each fit in the order of the tasks, whichever finished first."""
    with Progress("fits", total, show=workers.progress) as bar:
        if workers.jobs == 1:
            buffers = RowBuffers()
            for fold_task in fold_tasks:
                yield fit_fold(setup, fold_task, buffers, keep_models=keep_models)
                bar.step()
            return
        waiting: collections.deque[Any] = collections.deque()
        with _executor(setup, workers, keep_models=keep_models) as submit:
            for fold_task in fold_tasks:
                waiting.append(submit(fold_task))
                if len(waiting) >= 2 * workers.jobs:  # rows of all folds at once might fill the memory
                    yield waiting.popleft().result()
                    bar.step()
            while waiting:
                yield waiting.popleft().result()
                bar.step()


@contextlib.contextmanager
def _executor(
    setup: CrossValSetup, workers: WorkerConfig, *, keep_models: bool
) -> Iterator[Callable[[FoldTask], Future[FitResult]]]:
    """Yield a function that submits a fit; on exit, fits that have not begun are dropped."""
    executor: Executor
    fit: Callable[[FoldTask], FitResult] = _fit_in_process
    if workers.processes:
        executor = ProcessPoolExecutor(
            workers.jobs, initializer=_initialize_process, initargs=(setup, keep_models)
        )
    else:
        executor = ThreadPoolExecutor(workers.jobs)
        fit = functools.partial(fit_fold, setup, buffers=RowBuffers(), keep_models=keep_models)
    interrupted = False
    try:
        yield lambda fold_task: executor.submit(fit, fold_task)
    except KeyboardInterrupt:
        interrupted = True
        raise
    except BrokenExecutor:
        raise InputError(
            "a process ended before its model was fitted: the memory may not be enough for so many, or "
            "model, X and y cannot be sent to it. Say "
            f"{hint('processes=False, for threads, or fewer', 'fewer')} "
            "jobs."
        ) from None
    finally:
        processes = list((getattr(executor, "_processes", None) or {}).values())
        executor.shutdown(wait=not interrupted, cancel_futures=True)
        if interrupted:  # do not wait for fits that may take hours
            for process in processes:
                process.kill()


def fit_fold(
    setup: CrossValSetup, fold_task: FoldTask, buffers: RowBuffers, *, keep_models: bool
) -> FitResult:
    """Fit a new model and let it predict; an error of the model is recorded, not raised."""
    needs = setup.needs
    seconds = 0.0
    for rows, purpose in ((fold_task.train, "learn from"), (fold_task.test, "test on")):
        if not len(rows):
            return FitResult(fold_task, None, f"there are no rows to {purpose}", seconds, None)
    try:
        model = new_model(setup.model, setup.seed * _SEED_STEP + fold_task.number)
        seconds = fit_model(
            model,
            buffers.rows("train", setup.features, fold_task.train),
            take_rows(setup.target, fold_task.train),
            setup.fit_options_of(fold_task.train),
        )
        output = predict_rows(
            model, buffers.rows("test", setup.features, fold_task.test), labels="predicted" in needs,
            scores=bool(needs & {"score", "scores"}),
            classes=() if hasattr(model, "classes_") else _training_classes(setup, fold_task.train),
            outputs=setup.outputs,
        )  # fmt: skip
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        return FitResult(fold_task, None, error_line(error), seconds, None)
    return FitResult(fold_task, output, "", seconds, model if keep_models else None)


def error_line(error: Exception) -> str:
    """Return an error on one line.

    >>> error_line(ValueError("no   rows.")), error_line(KeyError())
    ('ValueError: no rows', 'KeyError: no message')
    """
    message = " ".join(str(error).split()).rstrip(".") or "no message"
    return f"{type(error).__name__}: {message}"


def evaluate_fold(setup: CrossValSetup, result: FitResult, *, repeat: int = 0, fold: int = 0) -> Fold:
    """Return the fold of a fit, with the tallies of its predictions and the value of every metric."""
    failure = result.failure
    tallies: dict[Any, Tally | Undefined] = {}
    train, test = result.fold_task.train, result.fold_task.test
    if result.output is not None:
        try:
            tallies = make_tallies(setup.metrics, setup.prediction_rows(result.output, test))
        except (AssayError, ValueError) as error:
            failure = error_line(error)
        reasons = [tally.reason for tally in tallies.values() if isinstance(tally, Undefined)]
        if tallies and len(reasons) == len(tallies):  # no metric at all can be computed
            failure = reasons[0]
    return Fold(
        repeat, fold, len(train), int(np.count_nonzero(np.bincount(train))), len(test), test,
        _metric_values(setup, tallies, failure, len(test)), tallies, None if failure else result.output,
        failure, result.fit_seconds, result.model,
    )  # fmt: skip


def _metric_values(
    setup: CrossValSetup, tallies: dict[Any, Tally | Undefined], failure: str, n_test: int
) -> dict[str, Value]:
    known: dict[str, Value] = {}
    tallied: dict[str, tuple[MetricSpec, Tally]] = {}
    for spec in setup.metrics:
        tally = tallies.get(spec.tally_key, Undefined(f"the fold failed ({failure})"))
        if n_test == 1 and combination_of(spec) == "averaged":  # its average precision would always be 1
            tally = Undefined("one row alone has no order")
        if isinstance(tally, Undefined):
            known[spec.name] = tally
        else:
            tallied[spec.name] = (spec, tally)
    known |= zip(tallied, read_values(tallied.values()), strict=True)
    return {spec.name: known[spec.name] for spec in setup.metrics}


def pooled_tally(folds: Sequence[Fold], key: Any) -> Tally | None:
    """Return one tally of all folds, merged; None where no fold has it."""
    tallies = [tally for fold in folds if isinstance(tally := fold.tallies.get(key), Tally)]
    return merge(tallies) if tallies else None


def _training_classes(setup: CrossValSetup, train: Array) -> tuple[Any, ...]:
    """Return the classes among training rows, for models without ``classes_``."""
    if not setup.labels:
        return ()
    codes, labels = encode(setup.actual)
    occurs = np.bincount(codes[train], minlength=len(labels)) > 0
    return tuple(label for label, present in zip(labels, occurs, strict=True) if present)


_process_state: list[Any] = []  # of a worker process: sent once, not with every fit


def _initialize_process(setup: CrossValSetup, keep_models: bool) -> None:  # noqa: FBT001 - by position
    _process_state[:] = [setup, RowBuffers(), keep_models]


def _fit_in_process(fold_task: FoldTask) -> FitResult:
    setup, buffers, keep_models = _process_state
    return fit_fold(setup, fold_task, buffers, keep_models=keep_models)
