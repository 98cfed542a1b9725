"""Learning curve: how a metric grows with the number of training rows, and whether more would help."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.crossvalidation.diagnostics import Diagnostic, fold_diagnostics
from assay.crossvalidation.fit_folds import FitResult, Fold, FoldTask, WorkerConfig, evaluate_fold, fit_folds
from assay.crossvalidation.fold_intervals import combine_folds, estimate_folds
from assay.crossvalidation.fold_metrics import combination_of, find_metric
from assay.crossvalidation.resolve_splits import choose_test_part, describe_splits, resolve_splits
from assay.crossvalidation.setup import CrossValSetup, prepare_setup
from assay.crossvalidation.shortcuts import LearningCurveShortcuts
from assay.errors import SplitError, check_whole_number, suggest_keywords
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of, number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.formulas.proportions import check_confidence
from assay.inputs import column, encode
from assay.metrics.spec import metric_title
from assay.resampling.row_hashing import read_keys
from assay.resampling.time_order import read_times

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.evaluation.task import TaskName
    from assay.inference.estimate import Estimate
    from assay.inputs import Label
    from assay.inputs.columns import Array
    from assay.metrics.spec import MetricSpec

__all__ = ["LearningCurve", "learning_curve"]

_MAX_SEED = 2**32 - 1
_FIRST_REPEAT = 1 << 32  # of the random words that order training rows: beyond those that make folds
_DEFAULT_SIZES = (0.1, 0.25, 0.5, 0.75, 1.0)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(LearningCurveShortcuts):
    """Metrics of models trained on fewer rows and on more. Made by :func:`assay.learning_curve`.

    ``sizes`` are mean numbers of training rows; ``folds`` are the tested folds of each size, and
    ``training_folds`` the same models on the rows they were trained on.
    """

    setup: CrossValSetup
    name: str
    how: str
    sizes: tuple[int, ...]
    folds: tuple[tuple[Fold, ...], ...]
    training_folds: tuple[tuple[Fold, ...], ...]
    problems: tuple[Diagnostic, ...]
    confidence: float

    def _spec(self, name: Any) -> MetricSpec:
        metrics = self.setup.metrics
        return metrics[0] if name is None else find_metric(metrics, name, self.setup.positive)

    def estimates(self, name: str | None = None) -> list[Estimate]:
        """Return a metric, by default the first, for every size: on rows that were not trained on."""
        spec = self._spec(name)
        return [
            estimate_folds(folds, spec, combination_of(spec), confidence=self.confidence)
            for folds in self.folds
        ]

    def training(self, name: str | None = None) -> list[Any]:
        """Return a metric for every size on the training rows themselves."""
        spec = self._spec(name)
        return [combine_folds(folds, spec, combination_of(spec)) for folds in self.training_folds]

    def __repr__(self) -> str:
        return f"<LearningCurve of {self.name}: {', '.join(f'{size:,}' for size in self.sizes)} rows>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "model": self.name,
            "how": self.how,
            "sizes": list(self.sizes),
            "metrics": {
                spec.name: {
                    "tested": [estimate.to_dict() for estimate in self.estimates(spec.name)],
                    "training": self.training(spec.name),
                }
                for spec in self.setup.metrics
            },
            "problems": [problem._asdict() for problem in self.problems],
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the curve: a row for each metric and size."""
        names = [spec.name for spec in self.setup.metrics]
        columns: dict[str, list[Any]] = {
            "metric": [name for name in names for _ in self.sizes],
            "rows": [size for _ in names for size in self.sizes],
            "value": [IntervalCell.of(estimate) for name in names for estimate in self.estimates(name)],
            "training": [number_or_none(value) for name in names for value in self.training(name)],
        }
        return [ResultTable(columns, printed_as={"metric": metric_title})]


@suggest_keywords
def learning_curve(
    model: Any,
    X: Any,  # noqa: N803 - as everyone calls it
    y: Any,
    *,
    sizes: Sequence[float] = _DEFAULT_SIZES,
    split: Any = 5,
    metrics: Any = None,
    task: TaskName | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    group: Any = None,
    time: Any = None,
    key: Any = None,
    weight: Any = None,
    part: str | None = None,
    fit_options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    processes: bool = False,
    progress: bool | None = None,
    confidence: float = 0.95,
    name: str = "",
    seed: int = 0,
) -> LearningCurve:
    """Cross-validate a model trained on more and more of each fold's training rows.

    `sizes` are shares of them (up to 1.0) or, as whole numbers, counts, in any order. The rows of a smaller
    size are among those of a larger one; classes keep their shares, and with `time` they are the latest.
    The other parameters are those of :func:`assay.crossval`.

    Parameters
    ----------
    model, X, y
        As for :func:`assay.crossval`.
    sizes
        Shares of each fold's training rows, up to 1.0, or counts of them.
    split, metrics, task, labels, positive
        As for :func:`assay.crossval`.
    group, time, key, weight, part
        As for :func:`assay.crossval`.
    fit_options, jobs, processes, progress, confidence, name, seed
        As for :func:`assay.crossval`.

    Returns
    -------
    LearningCurve
        Estimates on test and on training rows for every size.

    Raises
    ------
    SplitError
        A size is larger than the training rows, or leaves too few of them.
    AssayError
        As :func:`assay.crossval`.

    Examples
    --------
    >>> import numpy as np, assay
    >>> class Mean:
    ...     def fit(self, X, y):
    ...         self.mean = y.mean()
    ...     def predict(self, X):
    ...         return np.full(len(X), self.mean)
    >>> y = np.sin(np.arange(100.0)) + 3
    >>> curve = assay.learning_curve(Mean(), np.zeros((100, 1)), y, sizes=[2, 20, 80], metrics="mse")
    >>> curve.sizes, curve.training()[0] < float(curve.estimates()[0])
    ((2, 20, 80), True)
    """
    check_confidence(confidence)
    check_whole_number("seed", seed, 0, _MAX_SEED, error=SplitError)
    workers = WorkerConfig.of(jobs, processes=processes, progress=progress)
    setup = prepare_setup(
        model, X, y, metrics=metrics, task=task, labels=labels, positive=positive, weight=weight, group=group,
        fit_options=fit_options, seed=seed,
    )  # fmt: skip
    splitter, splits = resolve_splits(split, setup, group=group, time=time, key=key, seed=seed)
    names = splits[0].names
    test_part = choose_test_part(names, part)
    requested = np.atleast_1d(np.asarray(sizes, dtype=object)).tolist()
    if not requested:
        raise SplitError("sizes= is empty: name at least one share or count of training rows.")
    fewest = min(len(fold[names[0]]) for fold in splits)
    requested = sorted(requested, key=lambda size: _row_count(size, fewest))
    times = None if time is None else read_times(time)
    keys = read_keys(None if key is None else column(key, "key"), setup.n)

    def fold_tasks() -> Iterator[FoldTask]:
        for number, fold in enumerate(splits):
            words = keys.words(seed, _FIRST_REPEAT + number)
            ordered = _training_order(setup, fold[names[0]], times, words)
            for rank, size in enumerate(requested):
                train = ordered[: _row_count(size, len(ordered))]
                # Test rows first, then training rows: one model predicts both.
                test = np.concatenate([fold[test_part], train])
                yield FoldTask(number * len(requested) + rank, train, test)

    tested: list[list[Fold]] = [[] for _ in requested]
    trained: list[list[Fold]] = [[] for _ in requested]
    for result in fit_folds(setup, fold_tasks(), len(splits) * len(requested), workers, keep_models=False):
        number, rank = divmod(result.fold_task.number, len(requested))
        n_test = len(result.fold_task.test) - len(result.fold_task.train)
        for folds, rows in ((tested, slice(None, n_test)), (trained, slice(n_test, None))):
            folds[rank].append(evaluate_fold(setup, _with_test_rows(result, rows), fold=number))
    if all(fold.failure for folds in tested for fold in folds):
        raise SplitError(f"every fold failed. The first: {tested[0][0].failure}.")
    problems = [problem for folds in tested for problem in fold_diagnostics(folds, repeated=False)]
    means = tuple(round(math.fsum(fold.n_train for fold in folds) / len(folds)) for folds in tested)
    return LearningCurve(
        setup, name or setup.name, describe_splits(splitter, len(splits)), means, tuple(map(tuple, tested)),
        tuple(map(tuple, trained)), tuple(problems), confidence,
    )  # fmt: skip


def _row_count(size: Any, n: int) -> int:
    """Return how many of n training rows a share or a count is."""
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool):
        if 1 <= size <= n:
            return int(size)
        raise SplitError(f"sizes= asks for {count_of(int(size), 'row')}, where a fold trains on {n:,}.")
    if isinstance(size, (float, np.floating)) and 0 < size <= 1:
        return max(1, round(float(size) * n))
    raise SplitError(f"sizes= holds {size!r}, which is neither a share up to 1.0 nor a count of rows.")


def _training_order(setup: CrossValSetup, train: Array, times: Array | None, words: Array) -> Array:
    """Return training rows in the order in which sizes take them: stratified by class, or latest first.

    The random order is that of words made from the rows' keys, so that the order of the rows does not matter.
    """
    if times is not None:
        return train[np.argsort(times[train], kind="stable")[::-1]]
    shuffled = train[np.argsort(words[train], kind="stable")]
    if not setup.labels:
        return shuffled
    codes = encode(setup.actual)[0][shuffled]
    position = np.empty(len(shuffled))  # within the class, as a share of it
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        position[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return shuffled[np.argsort(position, kind="stable")]


def _with_test_rows(result: FitResult, rows: slice) -> FitResult:
    """Return the result of a fit as if only some of its test rows had been predicted."""
    output = result.output
    if output is not None:
        output = dataclasses.replace(
            output,
            predicted=None if output.predicted is None else np.asarray(output.predicted)[rows],
            scores=None if output.scores is None else output.scores[rows],
        )
    fold_task = result.fold_task._replace(test=result.fold_task.test[rows])
    return result._replace(output=output, fold_task=fold_task)
