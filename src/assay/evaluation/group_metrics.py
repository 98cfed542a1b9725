"""Metrics of every group of rows at once: a user, an item, a query, however many there are."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import AssayError, ColumnError, NumberError, suggest_keywords
from assay.evaluation.default_metrics import default_metrics
from assay.evaluation.group_metrics_result import GroupMetrics
from assay.evaluation.infer_task import infer_task
from assay.evaluation.validation import check_settings, check_task, refuse_metrics_without_columns
from assay.formatting.frame_output import library_of
from assay.formatting.progress import Progress
from assay.hints import param
from assay.inference.formulas.proportions import check_confidence
from assay.inputs import column, encode, label_union
from assay.inputs.labels import cross, translate
from assay.inputs.roles import gather_rows
from assay.metrics.arithmetic import ratio
from assay.metrics.averaging import average_tables, pooled
from assay.metrics.ranking.precision_recall import average_precision
from assay.metrics.ranking.retrieval import Lists
from assay.metrics.ranking.roc import auc, gini
from assay.metrics.spec import MetricSpec, listed_metrics, with_positive
from assay.metrics.views.confusion import Binary, Classes, default_positive
from assay.metrics.views.row_means import Mean
from assay.tallies import Queries
from assay.tallies.loss_arguments import row_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from assay.evaluation.task import Task
    from assay.inputs import Label, Labels, Rows
    from assay.metrics import Metric

__all__ = ["group_metrics"]

_MAX_CELLS = 1 << 22  # of the tables of counts that are held at a time
_AREAS = (auc, gini, average_precision)  # computed for all groups at once


@suggest_keywords
def group_metrics(
    data: Any = None,
    *,
    by: Any,
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    metrics: str | Iterable[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    missing: str = "refuse",
    task: str | None = None,
    threshold: float | None = None,
    k: int | None = None,
    confidence: float = 0.95,
) -> GroupMetrics:
    """Compute metrics of every group of rows in one pass: per user, item, query or device.

    Where :attr:`assay.Evaluation.slices` evaluates each of a few slices in full and tests them, this gives
    the values of up to millions of groups, their distribution, and the worst of them. Counts of labels, areas
    under curves, metrics of ranked lists and means over rows are computed for all groups together; other
    metrics group by group.

    Parameters
    ----------
    data
        A data frame or dict whose columns the roles may name, or None.
    by
        The column, or a list of columns, that says which group a row belongs to.
    actual, predicted, score, labels, positive, missing, task, threshold
        As in :func:`assay.evaluate`. With ``task="ranking"`` every group is a ranked list.
    metrics
        Names of metrics; by default those of slices.
    k
        The depth at which ranked lists are evaluated.
    confidence
        The confidence level of the means over groups.

    Returns
    -------
    GroupMetrics
        A value per group and metric: NaN where a group has none, as of AUC where it has but one class.

    Raises
    ------
    ColumnError
        A column is not there, or `by` is missing.
    LengthError
        Columns have different numbers of values.
    InputError
        The task, or a role, does not fit.
    MetricError
        A metric is not known, or `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> import assay
    >>> table = {"user": ["a", "a", "a", "b", "b", "b"], "click": [0, 1, 1, 1, 0, 0],
    ...          "p": [0.2, 0.9, 0.1, 0.4, 0.5, 0.3]}
    >>> groups = assay.group_metrics(table, by="user", actual="click", score="p", metrics=["auc", "recall"])
    >>> groups["auc"], groups["recall"]
    (array([0.5, 0.5]), array([0.5, 0. ]))
    >>> groups.value("recall", "a")
    0.5
    """
    check_task(task)
    check_settings(threshold=threshold, confidence=confidence, k=k)
    check_confidence(confidence)
    if by is None:
        raise ColumnError(f"name the column that says which group a row belongs to: {param('by')}.")
    roles = {"actual": actual, "predicted": predicted, "score": score}
    rows = gather_rows(data, roles, by=by, labels=labels, positive=positive, missing=missing)
    if not rows.n:
        raise ColumnError("there are no rows.")
    groups = _Groups.of(rows)
    rows = dataclasses.replace(rows, by=())
    if task == "ranking":
        rows = dataclasses.replace(rows, query=column(groups.codes.astype(np.int64), "query"))
    inferred, rows = infer_task(rows, task, threshold)
    readers = _Readers(groups, rows, inferred)
    specs = _specs(metrics, inferred, rows, k)
    return GroupMetrics(
        groups.names, groups.keys, groups.sizes, readers.values(specs),
        {spec.name: spec.label for spec in specs}, {spec.name: spec.metric.best for spec in specs},
        inferred.title, confidence, library_of(data, actual, predicted, score),
    )  # fmt: skip


def _specs(metrics: Any, task: Task, rows: Rows, k: int | None) -> list[MetricSpec]:
    """Return the metrics with the options that the task and the depth of lists give them."""
    if metrics is None:
        scores = rows.score is not None
        metrics = default_metrics(task.name, "slices", scores=scores, probabilities=scores)
    specs = [MetricSpec.of(metric) for metric in listed_metrics(metrics)]
    refuse_metrics_without_columns(specs, task, rows)
    own = [({"k": k} if k is not None and spec.metric.each else {}) | spec.options for spec in specs]
    pairs = with_positive(
        [(spec.metric, options) for spec, options in zip(specs, own, strict=True)], task.positive
    )
    return [
        MetricSpec(spec.metric, options, spec.name) for spec, (_, options) in zip(specs, pairs, strict=True)
    ]


@dataclasses.dataclass(frozen=True, eq=False)
class _Groups:
    """The group of every row by its number, and each group's rows, end to end."""

    names: tuple[str, ...]
    keys: list[tuple[Label, ...]]
    codes: NDArray[Any]

    @classmethod
    def of(cls, rows: Rows) -> _Groups:
        encoded = [encode(column) for column in rows.by]
        codes, digits = cross([(codes, max(len(labels), 1)) for codes, labels in encoded])
        labels = [[own[code] for code in digit] for (_, own), digit in zip(encoded, digits, strict=True)]
        # A column without a name has that of its role.
        names = tuple("group" if column.name == "by" else column.name for column in rows.by)
        return cls(names, list(zip(*labels, strict=True)), codes)

    def __len__(self) -> int:
        return len(self.keys)

    @functools.cached_property
    def order(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where each group's rows begin, and the row numbers by group."""
        return kernels.order_groups(self.codes, len(self))

    @functools.cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rows of each group."""
        return np.diff(self.order[0])

    def rows_of(self, group: int) -> NDArray[Any]:
        """Return the row numbers of a group."""
        offsets, order = self.order
        return order[offsets[group] : offsets[group + 1]]


class _Readers:
    """Ways to the values of metrics for all groups, NaN where a group has none."""

    def __init__(self, groups: _Groups, rows: Rows, task: Task) -> None:
        self._groups, self._rows, self._task = groups, rows, task

    def values(self, specs: Sequence[MetricSpec]) -> dict[str, NDArray[np.float64]]:
        """Return the values of every metric by its name."""
        counted = [spec for spec in specs if spec.metric.reads in (Binary, Classes)]
        values = self._of_counts(counted) if counted else {}
        for spec in specs:
            if spec.name not in values:
                values[spec.name] = self._reader(spec)(spec.metric, dict(spec.options))
        return {spec.name: values[spec.name] for spec in specs}

    def _reader(self, spec: MetricSpec) -> Callable[[Any, dict[str, Any]], NDArray[np.float64]]:
        metric = spec.metric
        if metric in _AREAS and self._task.name == "binary" and not set(spec.options) - {"positive"}:
            return self._area
        if metric.each is not None:
            return self._of_lists
        return self._means if metric.reads is Mean and metric.loss is not None else self._one_by_one

    @functools.cached_property
    def _ranking(self) -> tuple[NDArray[Any], ...]:
        """Positives, negatives, twice the concordant pairs and average precision of every group."""
        score = self._rows.need("score", "areas under curves")
        positive, _ = self._rows.binary_actual("areas under curves")
        offsets, order = self._groups.order
        positives, concordance, precision, bad_row = kernels.rank_groups(
            offsets, order, score.numbers("scores"), np.ascontiguousarray(positive, dtype=np.uint8)
        )
        if bad_row >= 0:
            raise NumberError(f"{score.where(bad_row)} is NaN: a score is a number.")
        return positives, self._groups.sizes - positives, concordance, precision

    def _area(self, metric: Metric, _: dict[str, Any]) -> NDArray[np.float64]:
        positives, negatives, concordance, precision = self._ranking
        if metric is average_precision:
            return precision
        pairs = positives.astype(np.float64) * negatives
        area: NDArray[np.float64] = ratio(concordance, 2 * pairs)
        return area if metric is auc else ratio(concordance - pairs, pairs)

    @functools.cached_property
    def _lists(self) -> Queries:
        return Queries.of(self._rows)

    def _of_lists(self, metric: Metric, options: dict[str, Any]) -> NDArray[np.float64]:
        view = {name: options.pop(name) for name in ("k", "empty") if name in options}
        assert metric.each is not None  # noqa: S101 - chosen for that
        return np.asarray(metric.each(Lists.of(self._lists, **view), **options), dtype=np.float64)

    def _means(self, metric: Metric, options: dict[str, Any]) -> NDArray[np.float64]:
        assert metric.loss is not None  # noqa: S101 - chosen for that
        options.pop("positive", None)  # the rows state it
        offsets, order = self._groups.order
        losses = row_values(self._rows, metric.loss, options)[0][order]
        bounds = itertools.pairwise(offsets.tolist())
        means = [_mean(losses[start:end]) for start, end in bounds]
        return np.array([metric.formula(Mean(mean, 1)) for mean in means])

    def _of_counts(self, specs: Sequence[MetricSpec]) -> dict[str, NDArray[np.float64]]:
        """Return the values of metrics of counts, from tables of as many groups as memory should hold."""
        actual, predicted, labels = self._labels()
        offsets, order = self._groups.order
        size = len(labels)
        values = {spec.name: np.full(len(self._groups), np.nan) for spec in specs}
        step = max(1, _MAX_CELLS // size**2)
        for start in range(0, len(self._groups), step):
            end = min(start + step, len(self._groups))
            index = slice(None) if end - start == len(self._groups) else order[offsets[start] : offsets[end]]
            codes = (self._groups.codes[index] - self._groups.codes.dtype.type(start)).astype(np.uint32)
            counts = kernels.count_pairs(actual[index], predicted[index], size, size, codes, end - start)
            tables = counts.reshape(end - start, size, size)
            for spec in specs:
                values[spec.name][start:end] = self._value(spec, tables, labels)
        return values

    def _labels(self) -> tuple[NDArray[Any], NDArray[Any], Labels]:
        """Return the actual and the predicted label of every row by its number among the labels."""
        task, rows = self._task, self._rows
        if rows.predicted is None and task.threshold is not None:
            score = rows.need("score", "labels by a threshold").numbers("scores")
            positive, _ = rows.binary_actual("labels by a threshold")
            predicted = score >= task.threshold
            return positive.astype(np.uint8), predicted.astype(np.uint8), task.labels  # the negative first
        encoded = [encode(rows.need(role, "metrics of labels")) for role in ("actual", "predicted")]
        labels = functools.reduce(label_union, [task.labels, *(own for _, own in encoded)])
        codes = [translate(own, labels)[codes].astype(np.uint32) for codes, own in encoded]
        return codes[0], codes[1], labels

    def _value(self, spec: MetricSpec, tables: NDArray[Any], labels: Labels) -> Any:
        """Return a metric of tables of counts, one for each group."""
        metric, options = spec.metric, dict(spec.options)
        classes = Classes(tables)
        if metric.reads is Classes:
            options.pop("positive", None)
            return metric.formula(classes, **options)
        average, undefined = options.pop("average", None), options.pop("undefined", "strict")
        each = classes.against_rest()
        if average == "micro":
            return metric.formula(pooled(each), **options)
        if average is not None:
            return average_tables(metric.formula(each, **options), each.positives, average, undefined)
        positive = options.pop("positive", None)
        index = labels.index(default_positive(labels) if positive is None else positive)
        return metric.formula(Binary(*(x[:, index] for x in (each.tp, each.fp, each.fn, each.tn))), **options)

    def _one_by_one(self, metric: Metric, options: dict[str, Any]) -> NDArray[np.float64]:
        """Return a metric of each group's own rows."""
        values = np.full(len(self._groups), np.nan)
        rows = dataclasses.replace(self._rows, labels=self._rows.labels or self._task.labels or None)
        refusals = []
        with Progress(f"groups ({metric.name})", len(self._groups)) as bar:
            for group in range(len(self._groups)):
                try:
                    tally, remaining = metric.tallied(rows.take(self._groups.rows_of(group)), options)
                    values[group] = float(metric(tally, **remaining))
                except AssayError as error:  # of a group that has no value, such as one with a single class
                    refusals.append(error)
                bar.step()
        if len(refusals) == len(self._groups):
            raise refusals[0]
        return values


def _mean(losses: NDArray[np.float64]) -> float:
    """Return the mean of losses, the sum rounded once; NaN where a row has none."""
    try:
        return math.fsum(losses) / len(losses)
    except (ValueError, OverflowError):  # infinities of both signs, or a sum beyond the largest number
        return math.nan
