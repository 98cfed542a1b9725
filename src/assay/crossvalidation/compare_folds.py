"""Compare cross-validations of two or more models on the same folds."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison.procedures import ResampleComparison, compare_resamples
from assay.crossvalidation.shortcuts import FoldComparisonShortcuts
from assay.errors import InputError, MetricError, SplitError
from assay.formatting.json_values import json_safe
from assay.formatting.result_table import ResultTable
from assay.hints import param
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.crossvalidation import CrossValidation
    from assay.inputs.columns import Array
    from assay.metrics.spec import MetricSpec

__all__ = ["FoldComparison", "compare_folds"]

_FIVE_BY_TWO = (5, 2)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class FoldComparison(FoldComparisonShortcuts):
    """Three or more models on the same folds: every pair compared, p-values adjusted by Holm over all pairs.

    ``pairs`` are in the order of the names: first and second, first and third, and so on; each is what
    comparing the two alone gives. ``adjusted_p_values`` has a p-value for each of them.
    """

    names: tuple[str, ...]
    metric: str
    means: tuple[float, ...]
    pairs: tuple[ResampleComparison, ...]
    adjusted_p_values: tuple[float, ...]
    confidence: float

    @property
    def best(self) -> str:
        """The model with the best mean; whether it differs from the others is for the pairs to say."""
        choose = max if self.pairs[0].larger_is_better else min
        return self.names[self.means.index(choose(self.means))]

    def pair(self, first: str, second: str) -> ResampleComparison:
        """Return the comparison of two models, named in the order in which they were passed."""
        for comparison in self.pairs:
            if comparison.names == (first, second):
                return comparison
        raise InputError(f"there is no pair {first!r}, {second!r}: the models are {', '.join(self.names)}.")

    def __repr__(self) -> str:
        return f"<FoldComparison of {len(self.names)} models by {self.metric}: {', '.join(self.names)}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "names": list(self.names),
            "metric": self.metric,
            "means": list(self.means),
            "best": self.best,
            "confidence": self.confidence,
            "pairs": [
                {**comparison.to_dict(), "adjusted_p_value": adjusted}
                for comparison, adjusted in zip(self.pairs, self.adjusted_p_values, strict=True)
            ],
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the means of all models, and the differences of all pairs."""
        means: dict[str, list[Any]] = {"model": list(self.names), "mean": list(self.means)}
        pairs: dict[str, list[Any]] = {}
        for comparison in self.pairs:
            for name, column in comparison.tables()[0].columns.items():
                pairs.setdefault(name, []).extend(column)
        pairs["adjusted_p_value"] = [None if math.isnan(p) else p for p in self.adjusted_p_values]
        titles = {"metric": metric_title}
        return [ResultTable(pairs, "differences", printed_as=titles), ResultTable(means, "means")]


def compare_folds(
    first: CrossValidation, *others: Any, metric: str | None = None, rope: float = 0.01
) -> ResampleComparison | FoldComparison:
    """Return the comparison of two cross-validations, or of all pairs of more than two."""
    if not others:
        raise InputError("name at least one other cross-validation to compare with.")
    for other in others:
        if not hasattr(other, "per_fold"):
            hint = " A metric is passed by name, metric=." if isinstance(other, str) else ""
            raise InputError(
                f"a cross-validation is compared with another one, not with a {type(other).__name__}.{hint}"
            )
        _need_same_folds(first, other)
    results: list[CrossValidation] = [first, *others]
    if len(first.folds) == 1:
        raise SplitError(
            "one split is no series of resamples: compare the models row by row, by "
            "assay.compare(first.predictions, second.predictions)."
        )
    name = _shared_metric(results) if metric is None else metric
    names, values = _model_names(results), [_fold_values(result, name) for result in results]
    spec = first.metric_spec(name)
    pairs = [
        _compare_pair(first, spec, [names[a], names[b]], [values[a], values[b]], rope)
        for a, b in itertools.combinations(range(len(results)), 2)
    ]
    if len(pairs) == 1:
        return pairs[0]
    return FoldComparison(
        tuple(names), spec.name, tuple(math.fsum(column) / len(column) for column in values), tuple(pairs),
        _adjusted([comparison.test.p_value for comparison in pairs]), first.confidence,
    )  # fmt: skip


def _compare_pair(
    first: CrossValidation, spec: MetricSpec, names: list[str], values: list[Array], rope: float
) -> ResampleComparison:
    best = spec.metric.best
    if best is None or best not in spec.metric.bounds:
        raise MetricError(f"{spec.name} is neither better when larger nor when smaller.")
    shape = _FIVE_BY_TWO if (first.repeats, len(first.folds)) == (5, 10) else (-1,)
    tested, trained = (
        math.fsum(getattr(fold, size) for fold in first.folds) for size in ("n_test", "n_distinct")
    )
    return compare_resamples(
        *(column.reshape(shape) for column in values), test_share=tested / (tested + trained),
        repeats=first.repeats, rope=rope, larger_is_better=best == spec.metric.bounds[1], names=names,
        metric=spec.name, confidence=first.confidence,
    )  # fmt: skip


def _adjusted(p_values: Sequence[Any]) -> tuple[float, ...]:
    """Return p-values adjusted by Holm; NaN for a pair that has none, which counts as a test all the same."""
    known = np.array([1.0 if isinstance(p, Undefined) else float(p) for p in p_values])
    adjusted = holm(known).tolist()
    return tuple(
        math.nan if isinstance(p, Undefined) else value for p, value in zip(p_values, adjusted, strict=True)
    )


def _shared_metric(results: Sequence[CrossValidation]) -> str:
    shared = [name for name in results[0] if all(name in other for other in results[1:])]
    if not shared:
        raise MetricError(
            f"the {'two' if len(results) == 2 else len(results)} have no metric in common."  # noqa: PLR2004
        )
    return shared[0]


def _model_names(results: Sequence[CrossValidation]) -> list[str]:
    """Return the models' names, or letters where two have the same."""
    names = [result.name for result in results]
    return names if len(set(names)) == len(names) else [chr(ord("a") + k) for k in range(len(names))]


def _fold_values(result: CrossValidation, name: str) -> Array:
    values = result.per_fold(name)
    undefined = [value for value in values if isinstance(value, Undefined)]
    if undefined:
        metric = result.metric_spec(name).name
        raise MetricError(
            f"{len(undefined)} of {len(values)} folds of {result.name} have no {metric} "
            f"({undefined[0].reason}): folds are compared one by one, and none is left out."
        )
    return np.array([float(value) for value in values])


def _need_same_folds(first: CrossValidation, second: CrossValidation) -> None:
    same = len(first.folds) == len(second.folds) and all(
        left.n_train == right.n_train and np.array_equal(left.test, right.test)
        for left, right in zip(first.folds, second.folds, strict=True)
    )
    left, right = first.setup.actual, second.setup.actual
    if not same or left.labels != right.labels or not np.array_equal(left.values, right.values):
        raise SplitError(
            f"{first.name} and {second.name} were not tested on the same folds of the same rows: pass both "
            f"the same split= (and {param('seed')}), y, {param('group')} and {param('key')}."
        )
