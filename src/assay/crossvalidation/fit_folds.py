"""The folds of a validation at work: models fitted and asked, one after another or several at a time."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import operator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.crossvalidation.fold_metrics import tallies
from assay.crossvalidation.model_adapter import Answers, answered, fitted, fresh
from assay.crossvalidation.row_selection import RowBuffers, choose
from assay.errors import AssayError, InputError
from assay.formatting.progress import Progress
from assay.inputs import encode
from assay.metrics import Undefined
from assay.tallies import Tally, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array
    from assay.metrics import Value

__all__ = ["FitResult", "Fold", "FoldTask", "WorkerConfig", "attempts", "judged", "pooled"]

_STEP = 1_000_003  # so that seeds of neighbouring folds and of neighbouring runs do not meet


class FoldTask(NamedTuple):
    """Rows to learn from and rows to be tested on; the number is the work's own, whoever does it."""

    number: int
    train: Array
    test: Array


class FitResult(NamedTuple):
    """What came of a piece of work: a model's answers, or what went wrong."""

    work: FoldTask
    answers: Answers | None
    failure: str
    fit_seconds: float
    model: Any


class WorkerConfig(NamedTuple):
    """Who does the work: how many at a time, threads or processes, and whether a bar is drawn."""

    jobs: int = 1
    processes: bool = False
    progress: bool | None = None

    @classmethod
    def of(cls, jobs: Any, *, processes: bool, progress: bool | None) -> WorkerConfig:
        """Return the crew asked for."""
        try:
            number = operator.index(jobs)
        except TypeError:
            number = 0
        if number < 1 or isinstance(jobs, bool):
            raise InputError(f"jobs={jobs!r} should be a whole number of at least 1.")
        return cls(number, processes, progress)


@dataclasses.dataclass(frozen=True, eq=False)
class Fold:
    """One fold: which rows were tested, what the model said of them, and every figure's value.

    ``values`` are undefined, with the reason, where the fold failed or does not allow the figure. A
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
    answers: Answers | None
    failure: str
    fit_seconds: float
    model: Any = None

    @property
    def seconds(self) -> float:
        """What the model itself took to fit and to answer."""
        return self.fit_seconds + (self.answers.seconds if self.answers is not None else 0.0)


def attempts(
    plan: CrossValSetup, work: Iterable[FoldTask], total: int, crew: WorkerConfig, *, keep: bool
) -> Iterator[FitResult]:
    """Yield what comes of each piece of work, in its order, whoever finished first."""
    with Progress("fits", total, show=crew.progress) as bar:
        if crew.jobs == 1:
            bench = RowBuffers()
            for one in work:
                yield attempt(plan, one, bench, keep=keep)
                bar.step()
            return
        waiting: collections.deque[Any] = collections.deque()
        with _executor(plan, crew, keep=keep) as submit:
            for one in work:
                waiting.append(submit(one))
                if len(waiting) >= 2 * crew.jobs:  # rows of all folds at once might fill the memory
                    yield waiting.popleft().result()
                    bar.step()
            while waiting:
                yield waiting.popleft().result()
                bar.step()


@contextlib.contextmanager
def _executor(
    plan: CrossValSetup, crew: WorkerConfig, *, keep: bool
) -> Iterator[Callable[[FoldTask], Future[FitResult]]]:
    """Yield what takes work; when that is stopped, work that was not begun is dropped."""
    executor: Executor
    do: Callable[[FoldTask], FitResult] = _attempt_remembered
    if crew.processes:
        executor = ProcessPoolExecutor(crew.jobs, initializer=_remember, initargs=(plan, keep))
    else:
        executor = ThreadPoolExecutor(crew.jobs)
        do = functools.partial(attempt, plan, bench=RowBuffers(), keep=keep)
    interrupted = False
    try:
        yield lambda work: executor.submit(do, work)
    except KeyboardInterrupt:
        interrupted = True
        raise
    except BrokenExecutor:
        raise InputError(
            "a process ended before its model was fitted: the memory may not be enough for so many, or "
            "model, X and y cannot be sent to it. Say processes=False, for threads, or fewer jobs."
        ) from None
    finally:
        workers = list((getattr(executor, "_processes", None) or {}).values())
        executor.shutdown(wait=not interrupted, cancel_futures=True)
        if interrupted:  # who interrupts does not want to wait for fits that may take hours
            for worker in workers:
                worker.kill()


def attempt(plan: CrossValSetup, work: FoldTask, bench: RowBuffers, *, keep: bool) -> FitResult:
    """Fit a fresh model and let it answer; what it raises is told, not raised."""
    needs = plan.needs
    taken = 0.0
    for rows, purpose in ((work.train, "learn from"), (work.test, "test on")):
        if not len(rows):
            return FitResult(work, None, f"there are no rows to {purpose}", taken, None)
    try:
        model = fresh(plan.model, plan.seed * _STEP + work.number)
        taken = fitted(
            model,
            bench.rows("train", plan.features, work.train),
            choose(plan.target, work.train),
            plan.options(work.train),
        )
        answers = answered(
            model, bench.rows("test", plan.features, work.test), labels="predicted" in needs,
            scores=bool(needs & {"score", "scores"}),
            classes=() if hasattr(model, "classes_") else _classes(plan, work.train),
        )  # fmt: skip
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        return FitResult(work, None, told(error), taken, None)
    return FitResult(work, answers, "", taken, model if keep else None)


def told(error: Exception) -> str:
    """Return an error on one line.

    >>> told(ValueError("no   rows.")), told(KeyError())
    ('ValueError: no rows', 'KeyError: without a word')
    """
    said = " ".join(str(error).split()).rstrip(".") or "without a word"
    return f"{type(error).__name__}: {said}"


def judged(plan: CrossValSetup, attempt: FitResult, *, repeat: int = 0, fold: int = 0) -> Fold:
    """Return the fold that an attempt makes, with the tallies of its answers and the figures' values."""
    failure = attempt.failure
    found: dict[Any, Tally | Undefined] = {}
    if attempt.answers is not None:
        try:
            found = tallies(plan.figures, plan.judged(attempt.answers, attempt.work.test))
        except (AssayError, ValueError) as error:
            failure = told(error)
        refused = [tally.reason for tally in found.values() if isinstance(tally, Undefined)]
        if found and len(refused) == len(found):  # not one figure can be read from such answers
            failure = refused[0]
    values: dict[str, Value] = {}
    alone = len(attempt.work.test) == 1
    for figure in plan.figures:
        if alone and figure.combination == "averaged":  # its average precision would always be 1
            values[figure.name] = Undefined("one row alone has no order")
            continue
        tally = found.get(figure.key, Undefined(f"the fold failed ({failure})"))
        try:
            values[figure.name] = tally if isinstance(tally, Undefined) else figure.read(tally)
        except AssayError as error:
            values[figure.name] = Undefined(str(error).rstrip("."))
    train, test = attempt.work.train, attempt.work.test
    answers = None if failure else attempt.answers
    distinct = int(np.count_nonzero(np.bincount(train)))
    return Fold(
        repeat, fold, len(train), distinct, len(test), test, values, found, answers, failure,
        attempt.fit_seconds, attempt.model,
    )  # fmt: skip


def pooled(folds: Sequence[Fold], key: Any) -> Tally | None:
    """Return the folds' tallies of one kind together; None where there is none."""
    kept = [tally for fold in folds if isinstance(tally := fold.tallies.get(key), Tally)]
    return merge(kept) if kept else None


def _classes(plan: CrossValSetup, train: Array) -> tuple[Any, ...]:
    """Return the classes among training rows, for models that do not tell their own."""
    if not plan.labels:
        return ()
    codes, labels = encode(plan.actual)
    present = np.bincount(codes[train], minlength=len(labels)) > 0
    return tuple(label for label, here in zip(labels, present, strict=True) if here)


_remembered: list[Any] = []


def _remember(plan: CrossValSetup, keep: bool) -> None:  # noqa: FBT001 - as the executor passes it
    _remembered[:] = [plan, RowBuffers(), keep]


def _attempt_remembered(work: FoldTask) -> FitResult:
    plan, bench, keep = _remembered
    return attempt(plan, work, bench, keep=keep)
