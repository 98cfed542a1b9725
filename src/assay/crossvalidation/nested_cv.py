"""Interval of nested cross-validation for means over rows: Bates, Hastie and Tibshirani 2021."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.crossvalidation.fit_folds import FoldTask, WorkerConfig, fit_folds
from assay.crossvalidation.fold_losses import row_losses
from assay.crossvalidation.fold_metrics import needs_of
from assay.errors import MetricError, SplitError
from assay.hints import hint, param
from assay.resampling.error_estimators import NestedInterval, nested_cv_interval
from assay.resampling.splitters import KFold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.crossvalidation.fit_folds import FitResult
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array
    from assay.metrics.spec import MetricSpec

__all__ = ["check_nested", "nested_intervals"]

_MIN_FOLDS = 3  # the inner cross-validation needs two


def check_nested(setup: CrossValSetup, splitter: Any) -> None:
    """Raise where there is no interval of nested cross-validation."""
    if not isinstance(splitter, KFold):
        raise SplitError(
            f"{param('interval', 'nested')} is for k-fold cross-validation: say "
            f"{hint('split=kfold(k)', '--folds')}."
        )
    if not any(spec.metric.is_row_mean for spec in setup.metrics):
        raise MetricError(
            "an interval of nested cross-validation is for means over rows: accuracy, error_rate, mae, mse, "
            "log_loss, brier and their like."
        )
    if splitter.k < _MIN_FOLDS:
        raise SplitError(f"nested cross-validation needs at least {_MIN_FOLDS} folds, not {splitter.k}.")
    if setup.weight is not None:
        raise MetricError("an interval of nested cross-validation is not defined for weighted rows.")


def nested_intervals(
    setup: CrossValSetup,
    splitter: KFold,
    *,
    strata: Any = None,
    group: Any = None,
    key: Any = None,
    confidence: float = 0.95,
    workers: WorkerConfig | None = None,
) -> dict[str, NestedInterval]:
    """Return the interval of nested cross-validation for every metric that is a mean over rows.

    Each repeat makes new folds. A model that leaves out two folds tests both: each is an inner test fold
    where the other is the outer one, so that a repeat costs ``k (k + 1) / 2`` fits.
    """
    k, repeats = splitter.k, splitter.repeats
    specs = [spec for spec in setup.metrics if spec.metric.is_row_mean]
    splits = splitter.split(strata, group=group, key=key, n=setup.n)
    left_out: list[tuple[int, ...]] = [(fold,) for fold in range(k)]
    left_out += itertools.combinations(range(k), 2)

    def fold_tasks() -> Iterator[FoldTask]:
        for repeat in range(repeats):
            tests = [split["test"] for split in splits[repeat * k : (repeat + 1) * k]]
            for number, folds in enumerate(left_out):
                test = np.concatenate([tests[fold] for fold in folds])
                train = np.ones(setup.n, dtype=bool)
                train[test] = False
                yield FoldTask(repeat * len(left_out) + number, np.flatnonzero(train), test)

    total = repeats * len(left_out)
    results = fit_folds(setup, fold_tasks(), total, workers or WorkerConfig(), keep_models=False)
    sums = {spec.name: _NestedErrors() for spec in specs}
    for _ in range(repeats):
        of_repeat = list(itertools.islice(results, len(left_out)))
        for spec in specs:
            sums[spec.name].add(k, left_out, [_test_losses(setup, spec, result) for result in of_repeat])
    return {name: errors.interval(k, setup.n, confidence) for name, errors in sums.items()}


def _test_losses(setup: CrossValSetup, spec: MetricSpec, result: FitResult) -> Array:
    if result.output is None:
        raise MetricError(f"a model of nested cross-validation failed: {result.failure}.")
    return row_losses(spec, setup.prediction_rows(result.output, result.fold_task.test)[needs_of(spec)])


@dataclasses.dataclass
class _NestedErrors:
    """For each outer fold: the inner mean less the outer, the outer variance, and the losses behind them."""

    differences: list[float] = dataclasses.field(default_factory=list)
    variances: list[float] = dataclasses.field(default_factory=list)
    inner: list[float] = dataclasses.field(default_factory=list)
    outer: list[Array] = dataclasses.field(default_factory=list)

    def add(self, k: int, left_out: list[tuple[int, ...]], held_out: list[Array]) -> None:
        """Add a repeat: the losses of each model on the folds it left out."""
        outer = held_out[:k]
        inner: list[list[Array]] = [[] for _ in range(k)]
        for folds, losses in zip(left_out[k:], held_out[k:], strict=True):
            first, second = folds
            size = len(outer[first])
            # With the first fold as the outer one, the second was held out of its inner model.
            inner[first].append(losses[size:])
            inner[second].append(losses[:size])
        for inside, outside in zip(map(np.concatenate, inner), outer, strict=True):
            self.differences.append(float(inside.mean() - outside.mean()))
            self.variances.append(float(outside.var(ddof=1)) / len(outside) if len(outside) > 1 else 0.0)
            self.inner.append(float(inside.mean()))
        self.outer += outer

    def interval(self, k: int, n: int, confidence: float) -> NestedInterval:
        """Return the interval of all repeats."""
        outer = np.concatenate(self.outer)
        return nested_cv_interval(
            self.differences, self.variances, folds=k, nested_error=math.fsum(self.inner) / len(self.inner),
            cv_error=float(outer.mean()), spread=float(outer.std(ddof=1)), n=n, confidence=confidence,
        )  # fmt: skip
