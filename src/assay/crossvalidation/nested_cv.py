"""Nested cross-validation for an interval: Bates, Hastie and Tibshirani 2021, for means over rows."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.crossvalidation.fit_folds import FoldTask, WorkerConfig, attempts
from assay.crossvalidation.fold_losses import losses
from assay.errors import MetricError, SplitError
from assay.resampling.error_estimators import NestedInterval, nested_cv_interval
from assay.resampling.splitters import KFold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.crossvalidation.fit_folds import FitResult
    from assay.crossvalidation.fold_metrics import Figure
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array

__all__ = ["nested_intervals", "refuse_nested"]

_LEAST = 3  # folds: the inner cross-validation needs two


def refuse_nested(plan: CrossValSetup, splitter: Any) -> None:
    """Raise where there can be no interval of nested cross-validation."""
    if not isinstance(splitter, KFold):
        raise SplitError('interval="nested" is for k-fold cross-validation: say split=kfold(k).')
    if not any(figure.is_mean for figure in plan.figures):
        raise MetricError(
            "an interval of nested cross-validation is for means over rows: accuracy, error_rate, mae, mse, "
            "log_loss, brier and their like."
        )
    if splitter.k < _LEAST:
        raise SplitError(f"nested cross-validation needs at least {_LEAST} folds, not {splitter.k}.")
    if plan.weight is not None:
        raise MetricError("an interval of nested cross-validation knows no weights.")


def nested_intervals(
    plan: CrossValSetup,
    splitter: KFold,
    *,
    strata: Any = None,
    group: Any = None,
    key: Any = None,
    confidence: float = 0.95,
    crew: WorkerConfig | None = None,
) -> dict[str, NestedInterval]:
    """Return the interval of nested cross-validation for every figure of a plan that is a mean over rows.

    Each repeat makes folds anew. Every two folds left out together serve both as inner test rows of the
    other, so that a repeat costs ``k (k + 1) / 2`` fits.
    """
    k, repeats = splitter.k, splitter.repeats
    asked = [figure for figure in plan.figures if figure.is_mean]
    splits = splitter.split(strata, group=group, key=key, n=plan.n)
    left_out: list[tuple[int, ...]] = [(fold,) for fold in range(k)]
    left_out += itertools.combinations(range(k), 2)

    def works() -> Iterator[FoldTask]:
        for repeat in range(repeats):
            tests = [split["test"] for split in splits[repeat * k : (repeat + 1) * k]]
            for place, folds in enumerate(left_out):
                test = np.concatenate([tests[fold] for fold in folds])
                kept = np.ones(plan.n, dtype=bool)
                kept[test] = False
                yield FoldTask(repeat * len(left_out) + place, np.flatnonzero(kept), test)

    done = attempts(plan, works(), repeats * len(left_out), crew or WorkerConfig(), keep=False)
    gathered = {figure.name: _Gathered() for figure in asked}
    for _ in range(repeats):
        repeat = list(itertools.islice(done, len(left_out)))
        for figure in asked:
            gathered[figure.name].add(k, left_out, [_held_out(plan, figure, one) for one in repeat])
    return {name: found.interval(k, plan.n, confidence) for name, found in gathered.items()}


def _held_out(plan: CrossValSetup, figure: Figure, attempt: FitResult) -> Array:
    if attempt.answers is None:
        raise MetricError(f"a model of nested cross-validation failed: {attempt.failure}.")
    return losses(figure, plan.judged(attempt.answers, attempt.work.test)[figure.needs])


@dataclasses.dataclass
class _Gathered:
    """What the repeats leave: for each outer fold the two means' difference, and the outer variance."""

    differences: list[float] = dataclasses.field(default_factory=list)
    variances: list[float] = dataclasses.field(default_factory=list)
    inner: list[float] = dataclasses.field(default_factory=list)
    outer: list[Array] = dataclasses.field(default_factory=list)

    def add(self, k: int, left_out: list[tuple[int, ...]], held_out: list[Array]) -> None:
        """Add a repeat: the losses of each model on the folds that it left out."""
        outer = held_out[:k]
        inner: list[list[Array]] = [[] for _ in range(k)]
        for folds, found in zip(left_out[k:], held_out[k:], strict=True):
            first, second = folds
            size = len(outer[first])
            # With the first fold as the outer one, the second was held out of its inner model.
            inner[first].append(found[size:])
            inner[second].append(found[:size])
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
