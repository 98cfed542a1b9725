"""The result of a cross-validation: a mapping from metric to estimate, with the folds behind it."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.crossvalidation.auc_interval import has_influence_curve, influence_interval
from assay.crossvalidation.compare_folds import compare_folds
from assay.crossvalidation.fold_intervals import (
    clip_limits,
    combine_folds,
    estimate_folds,
    estimate_groups,
)
from assay.crossvalidation.fold_metrics import combination_of, find_metric
from assay.crossvalidation.shortcuts import CrossValidationShortcuts
from assay.errors import InputError, MetricError
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of, number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.estimate import Estimate
from assay.inputs import Rows, rows
from assay.inputs.roles import gather_rows
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from assay.comparison.procedures import ResampleComparison
    from assay.crossvalidation.bootstrap_632 import OutOfBag
    from assay.crossvalidation.compare_folds import FoldComparison
    from assay.crossvalidation.diagnostics import Diagnostic
    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.fold_metrics import Combination
    from assay.crossvalidation.setup import CrossValSetup
    from assay.evaluation.task import Task
    from assay.inputs.columns import Array
    from assay.metrics import Value
    from assay.metrics.spec import MetricSpec
    from assay.resampling.error_estimators import NestedInterval

__all__ = ["CrossValidation"]

_OUTPUT_COLUMNS = {"actual": "actual {}", "predicted": "predicted {}", "score": "score of {}"}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(CrossValidationShortcuts, Mapping[str, Estimate]):
    """Metrics of models on rows they were not trained on. Made by :func:`assay.crossval`.

    It is a mapping from a metric's name to its estimate: all folds' counts and sums together (pooled), or
    the mean over folds for what depends on the order of scores (averaged), with an interval that allows for
    folds trained on overlapping rows.
    """

    setup: CrossValSetup
    name: str
    how: str
    folds: tuple[Fold, ...]
    training: dict[str, Value]
    problems: tuple[Diagnostic, ...]
    confidence: float
    bootstrap: dict[str, OutOfBag]
    nested: dict[str, NestedInterval]
    repeats: int
    seconds: float
    model: Any = None
    interval: str = "corrected"

    @functools.cached_property
    def _specs(self) -> dict[str, MetricSpec]:
        return {spec.name: spec for spec in self.setup.metrics}

    def metric_spec(self, name: Any) -> MetricSpec:
        """Return a metric with its options: by its name, by any alias, or as it was requested."""
        return find_metric(self.setup.metrics, name, self.setup.positive)

    @property
    def task(self) -> Task:
        """The task, as :func:`assay.evaluate` has it for the predictions."""
        return self.setup.task

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.setup.n

    def __getitem__(self, name: str) -> Estimate:
        return self._estimate(self.metric_spec(name).name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, name: object) -> bool:
        try:
            return self.metric_spec(name) is not None
        except MetricError:
            return False

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    @functools.cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    def _estimate(self, name: str) -> Estimate:
        if name not in self._estimates:
            spec = self._specs[name]
            if name in self.nested:
                estimate = _clipped(spec, self.nested[name].estimate)
            elif self.interval == "ledell" and has_influence_curve(spec):
                estimate = self._by_influence_curves(spec)
            elif len(self.folds) == 1 and self.setup.group is not None:
                estimate = estimate_groups(self.setup, self.folds[0], spec, confidence=self.confidence)
            else:
                estimate = estimate_folds(self.folds, spec, combination_of(spec), confidence=self.confidence)
            self._estimates[name] = estimate
        return self._estimates[name]

    def _by_influence_curves(self, spec: MetricSpec) -> Estimate:
        fold = self.prediction_columns()["fold"]
        estimate = influence_interval(spec, self.predictions, fold, confidence=self.confidence)
        used = len(np.unique(fold))
        if used < len(self.folds) and estimate.defined:
            note = f"over {used:,} of {len(self.folds):,} folds"
            return dataclasses.replace(estimate, note="; ".join(filter(None, [note, estimate.note])))
        return estimate

    def per_fold(self, name: str) -> list[Value]:
        """Return a metric's value in every fold, undefined with the reason where it has none."""
        key = self.metric_spec(name).name
        return [fold.values[key] for fold in self.folds]

    def combination(self, name: str) -> Combination:
        """Return how a metric's folds are combined."""
        return combination_of(self.metric_spec(name))

    def pooled(self, name: str) -> Value:
        """Return a metric of all folds' counts, sums or scores together."""
        return combine_folds(self.folds, self.metric_spec(name), "pooled")

    def averaged(self, name: str) -> Estimate:
        """Return the mean of a metric over folds, with the interval that allows for their dependence."""
        return estimate_folds(self.folds, self.metric_spec(name), "averaged", confidence=self.confidence)

    def naive(self, name: str) -> Estimate:
        """Return a metric with the interval of independent folds, which is too narrow: for comparison."""
        spec = self.metric_spec(name)
        return estimate_folds(
            self.folds, spec, combination_of(spec), correction="naive", confidence=self.confidence
        )

    def spread(self, name: str) -> Value:
        """Return the standard deviation of a metric over folds."""
        values = [value for value in self.per_fold(name) if not isinstance(value, Undefined)]
        if len(values) < 2 or not all(map(math.isfinite, values)):  # noqa: PLR2004
            return Undefined("a standard deviation needs two finite values")
        return float(np.std(values, ddof=1))

    def out_of_bag(self, name: str) -> OutOfBag:
        """Return the bootstrap estimates: out of bag, .632 and .632+ with what they are made of."""
        if not self.bootstrap:
            raise MetricError(
                "these folds are no bootstrap: say split=bootstrap(200), with resubstitution=True."
            )
        return self.bootstrap[self.metric_spec(name).name]

    @property
    def models(self) -> tuple[Any, ...]:
        """The folds' models, where they were kept."""
        return tuple(fold.model for fold in self.folds)

    def prediction_columns(self) -> dict[str, Array]:
        """Return the out-of-fold predictions as columns: a line per tested row.

        Columns: row, repeat, fold, actual, predicted, and score: of the positive class, or one per class
        ("score of ..."). Of several labels or outputs there is one of each ("actual ...", "predicted ...").
        """
        succeeded = [fold for fold in self.folds if fold.output is not None]
        if not succeeded:
            raise InputError("no fold has predictions.")
        parts: dict[str, list[Any]] = {}
        for fold in succeeded:
            for name, values in _fold_columns(self.setup, fold).items():
                parts.setdefault(name, []).append(values)
        columns = {name: np.concatenate(values) for name, values in parts.items()}
        order = np.lexsort((columns["row"], columns["repeat"]))
        return {name: values[order] for name, values in columns.items()}

    @functools.cached_property
    def predictions(self) -> Rows:
        """The out-of-fold predictions, for :func:`assay.evaluate`.

        Rows keep their groups; where there are none and rows were tested several times, the predictions of
        one row are a group, so that intervals allow for their dependence.
        """
        table = self.prediction_columns()
        if self.setup.multioutput:
            return self._rows_of_outputs(table)
        roles: dict[str, Any] = {"actual": table["actual"]}
        if "predicted" in table:
            roles["predicted"] = table["predicted"]
        if "score" in table:
            roles["score"] = table["score"]
        else:
            names = [f"score of {label}" for label in self.setup.labels]
            scores = [table[name] for name in names if name in table]
            if scores:
                roles["score"] = np.stack(scores, axis=1)
        if self.setup.labels:
            roles |= {"labels": self.setup.labels, "positive": self.setup.positive}
        return rows(**roles, **self._weight_and_group(table["row"]))

    def _weight_and_group(self, tested: Array) -> dict[str, Any]:
        """Return the weights and groups of tested rows; the predictions of one row are a group."""
        roles: dict[str, Any] = {}
        if self.setup.weight is not None:
            roles["weight"] = self.setup.weight[tested]
        if self.setup.group is not None:
            roles["group"] = self.setup.group.take(tested)
        elif len(np.unique(tested)) < len(tested):
            roles["group"] = tested
        return roles

    def _rows_of_outputs(self, table: dict[str, Array]) -> Rows:
        """Return the out-of-fold predictions of several labels or outputs."""
        outputs = self.setup.outputs
        roles = {
            role: np.stack([table[prefix.format(name)] for name in outputs], axis=1)
            for role, prefix in _OUTPUT_COLUMNS.items()
            if prefix.format(outputs[0]) in table
        }
        roles |= self._weight_and_group(table["row"])
        return gather_rows(None, roles, labels=outputs, multioutput=True)

    def compare(
        self, *others: CrossValidation, metric: str | None = None, rope: float = 0.01
    ) -> ResampleComparison | FoldComparison:
        """Compare with one or more other models that were tested on the same folds.

        By the first metric that all have, or by `metric`. See :func:`assay.compare_resamples`.
        """
        return compare_folds(self, *others, metric=metric, rope=rope)

    def __repr__(self) -> str:
        count = len(self.problems)
        problems = f", {count:,} problem{'s' * (count != 1)}" if count else ""
        return f"<CrossValidation of {self.name}: {self.how} of {count_of(self.n, 'row')}{problems}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "model": self.name,
            "task": self.task.name,
            "how": self.how,
            "rows": self.n,
            "metrics": {
                name: {
                    **self[name].to_dict(),
                    "combination": self.combination(name),
                    "mean_of_folds": self.averaged(name).value,
                    "folds": self.per_fold(name),
                    "naive": self.naive(name).to_dict(),
                    "training": self.training.get(name),
                    **({"bootstrap": self.bootstrap[name]._asdict()} if name in self.bootstrap else {}),
                }
                for name in self
            },
            "problems": [problem._asdict() for problem in self.problems],
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the metrics, a row each; then their values in every fold."""
        columns: dict[str, list[Any]] = {
            "metric": list(self),
            "value": [IntervalCell.of(self[name]) for name in self],
            "combination": [self.combination(name) for name in self],
            "fold_mean": [number_or_none(self.averaged(name).value) for name in self],
            "fold_sd": [number_or_none(self.spread(name)) for name in self],
            "training": [number_or_none(self.training.get(name)) for name in self],
            "method": [self[name].method for name in self],
        }
        folds: dict[str, list[Any]] = {
            "repeat": [fold.repeat + 1 for fold in self.folds],
            "fold": [fold.fold + 1 for fold in self.folds],
        }
        folds |= {name: list(map(number_or_none, self.per_fold(name))) for name in self}
        titles = {name: metric_title(name) for name in self}
        return [
            ResultTable(columns, printed_as={"metric": metric_title}),
            ResultTable(folds, title="folds", headings=titles),
        ]


def _clipped(spec: MetricSpec, estimate: Estimate) -> Estimate:
    if estimate.low is None or estimate.high is None or isinstance(estimate.value, Undefined):
        return estimate
    low, high = clip_limits(spec, estimate.value, estimate.value - estimate.low)
    return dataclasses.replace(estimate, low=low, high=high)


def _columns_of_outputs(setup: CrossValSetup, fold: Fold) -> dict[str, Any]:
    """Return the predictions of one fold for several labels or outputs as columns."""
    columns: dict[str, Any] = {
        "row": fold.test,
        "repeat": np.full(len(fold.test), fold.repeat),
        "fold": np.full(len(fold.test), fold.fold),
    }
    output: Any = fold.output
    matrices = {
        "actual": setup.actual.take(fold.test).values,
        "predicted": output.predicted,
        "score": output.scores,
    }
    for role, matrix in matrices.items():
        if matrix is not None:
            prefix = _OUTPUT_COLUMNS[role]
            by_output = zip(setup.outputs, np.asarray(matrix).T, strict=True)
            columns |= {prefix.format(name): values for name, values in by_output}
    return columns


def _fold_columns(setup: CrossValSetup, fold: Fold) -> dict[str, Any]:
    """Return the predictions of one fold as columns."""
    output = fold.output
    assert output is not None  # noqa: S101 - folds that failed are left out
    actual = setup.actual.take(fold.test)
    values = actual.values if actual.labels is None else np.array(actual.labels)[actual.values]
    if setup.multioutput:
        return _columns_of_outputs(setup, fold)
    columns: dict[str, Any] = {
        "row": fold.test,
        "repeat": np.full(len(fold.test), fold.repeat),
        "fold": np.full(len(fold.test), fold.fold),
        "actual": values,
    }
    if output.predicted is not None:
        columns["predicted"] = np.asarray(output.predicted)
    if output.scores is not None:
        if setup.positive is not None:
            columns["score"] = setup.positive_scores(output)
        else:
            scores = setup.class_scores(output)
            columns |= {f"score of {label}": scores[:, code] for code, label in enumerate(setup.labels)}
    return columns
