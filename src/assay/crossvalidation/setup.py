"""What every fold of a cross-validation needs: model, rows, task and metrics, checked before any fit."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.crossvalidation.fold_metrics import (
    Need,
    metric_specs,
    needs_of,
)
from assay.crossvalidation.model_adapter import example_model, has_scores, model_name
from assay.crossvalidation.row_selection import count_rows, take_rows
from assay.crossvalidation.target_task import infer_task
from assay.errors import (
    ColumnError,
    InputError,
    LabelError,
    LengthError,
    MetricError,
    shown,
)
from assay.evaluation.default_metrics import default_metrics
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.evaluation.validation import refuse_no_rows, refuse_other_task
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import Column, column, encode
from assay.inputs.labels import binary
from assay.inputs.labels import weights as checked_weights
from assay.inputs.multilabel import are_label_lists, has_several_columns, target_columns
from assay.inputs.roles import declare_labels, gather_rows
from assay.metrics.views.confusion import Binary, Ordered, default_positive, refuse_unordered
from assay.resampling.split_inputs import present
from assay.tallies.moments import refuse_bad_rows

if TYPE_CHECKING:
    from assay.crossvalidation.model_adapter import ModelOutput
    from assay.evaluation.infer_task import TaskDecision
    from assay.evaluation.task import Task
    from assay.inputs import Label, Labels, Rows
    from assay.inputs.columns import Array
    from assay.metrics.spec import MetricSpec

__all__ = ["CrossValSetup", "prepare_setup"]

_TWO: Final = 2


@dataclasses.dataclass(frozen=True, eq=False)
class CrossValSetup:
    """A model, the rows it is fitted to and tested on, the task, and the metrics that are computed."""

    model: Any
    features: Any
    target: Any
    actual: Column
    decision: TaskDecision
    labels: Labels  # all classes that the model learns, none for a regression
    metrics: tuple[MetricSpec, ...]
    weight: Array | None
    group: Column | None
    fit_options: Mapping[str, Any]
    seed: int

    @functools.cached_property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.actual.values)

    @property
    def name(self) -> str:
        """The model's name."""
        return model_name(self.model)

    @property
    def task(self) -> Task:
        """The task, as an evaluation of the predictions has it."""
        return self.decision.task

    @property
    def multioutput(self) -> bool:
        """Whether the target has several columns: labels, several a row, or outputs."""
        return self.task.name in MULTIOUTPUT_TASKS

    @property
    def outputs(self) -> Labels:
        """The names of the target's columns where there are several, else none."""
        return self.task.labels if self.multioutput else ()

    @property
    def positive(self) -> Label | None:
        """The positive label as the target has it, None where no class is positive."""
        several = self.decision.one_vs_rest
        return self.task.positive if several is None else several

    @functools.cached_property
    def needs(self) -> set[Need]:
        """What metrics need of the model: predictions, scores, scores of all classes."""
        return {needs_of(spec) for spec in self.metrics}

    def fit_options_of(self, train: Array) -> dict[str, Any]:
        """Return the options of ``fit`` for some training rows: columns have a value for each of these."""
        return {
            name: take_rows(value, train) if _is_column(value, self.n) else value
            for name, value in self.fit_options.items()
        }

    def prediction_rows(self, output: ModelOutput, test: Array) -> dict[Need, Rows]:
        """Return test rows with what a model predicted for them, by what metrics need."""
        needs = self.needs
        roles: dict[str, Any] = {"actual": self.actual.take(test)}
        if self.weight is not None:
            roles["weight"] = self.weight[test]
        if self.group is not None:
            roles["group"] = self.group.take(test)
        if self.multioutput:
            return self._rows_of_outputs(roles, output)
        labels: dict[str, Any] = {"labels": self.labels, "positive": self.positive} if self.labels else {}
        if "predicted" in needs:
            roles["predicted"] = output.predicted
        by_need: dict[Need, Rows] = {}
        if "scores" in needs:
            by_need["scores"] = gather_rows(None, {**roles, "score": self.class_scores(output)}, **labels)
        if "score" in needs:
            roles["score"] = self.positive_scores(output)
        if needs - {"scores"}:
            gathered = gather_rows(None, roles, **labels)
            if self.decision.one_vs_rest is not None:
                gathered = self.decision.rows(gathered)
            by_need["predicted"] = by_need["score"] = gathered
        return by_need

    def _rows_of_outputs(self, roles: dict[str, Any], output: ModelOutput) -> dict[Need, Rows]:
        """Return rows of several labels or outputs with what a model predicted for them."""
        predicted = {"predicted": output.predicted, "score": output.scores}
        roles |= {role: values for role, values in predicted.items() if values is not None}
        several = gather_rows(None, roles, labels=self.outputs, multioutput=True)
        several = self.decision.rows(several)
        return {"predicted": several, "score": several, "scores": several}

    def class_scores(self, output: ModelOutput) -> Array:
        """Return a column of scores per class: the lowest possible for a class absent from training."""
        scores, classes = self._scores_of(output)
        if scores.ndim == 1:
            if not output.are_probabilities:
                raise MetricError("the model scores one class only, where a score for each is needed.")
            scores = np.stack([1 - scores, scores], axis=1)
        table = np.full((len(scores), len(self.labels)), _lowest_score(output))
        table[:, [self.labels.index(label) for label in classes]] = scores
        return table

    def positive_scores(self, output: ModelOutput) -> Array:
        """Return scores of the positive class: the lowest possible where it was absent from training."""
        positive = self.positive
        scores, classes = self._scores_of(output)
        if scores.ndim == 1:
            if positive == classes[-1]:
                return scores
            return 1 - scores if output.are_probabilities else -scores
        if positive not in classes:
            return np.full(len(scores), _lowest_score(output))
        return np.ascontiguousarray(scores[:, classes.index(positive)])

    def _scores_of(self, output: ModelOutput) -> tuple[Array, Labels]:
        """Return a model's scores and their classes, which are among those of the target.

        A single column is for the second of two classes, also where training rows had one class only.
        """
        scores, classes = output.scores, output.classes
        assert scores is not None  # noqa: S101 - a metric needs them
        if not set(classes) <= set(self.labels):
            raise LabelError(f"the model's classes are {shown(classes)}, those of y {shown(self.labels)}.")
        if scores.ndim == 1 and len(classes) != _TWO:
            if len(self.labels) != _TWO:
                raise MetricError(f"the model gave one score per row for {len(classes)} classes.")
            classes = self.labels
        return scores, classes


def _lowest_score(output: ModelOutput) -> float:
    return 0.0 if output.are_probabilities else -np.inf


def prepare_setup(
    model: Any,
    features: Any,
    target: Any,
    *,
    metrics: Any,
    task: str | None,
    labels: Any = None,
    positive: Label | None,
    weight: Any,
    group: Any,
    fit_options: Mapping[str, Any] | None,
    seed: int,
) -> CrossValSetup:
    """Return the setup of a cross-validation, or raise for what cannot work before any model is fitted."""
    example = example_model(model)
    if isinstance(target, range) or not hasattr(target, "__getitem__"):  # rows cannot be taken from it
        target = list(target) if isinstance(target, Iterable) else target
    actual, names = _target_column(target, labels)
    if hasattr(features, "tocsr"):  # the sparse format whose rows can be taken
        features = features.tocsr()
    n = count_rows(features)
    if n != len(actual.values):
        raise LengthError(f"X has {count_of(n, 'row')}, y has {len(actual.values):,}.")
    refuse_no_rows(n)
    declared = None if labels is None else declare_labels(labels)
    decision = infer_task(example, actual, task, positive, declared or names or None)
    decided = decision.task
    if metrics is None:
        metrics = default_metrics(decided.name, "cross-validation", scores=has_scores(example))
    classes = decided.labels if decided.name in ("multiclass", "ordinal") else ()
    if decided.name == "binary":
        classes = declared or encode(actual)[1]
    setup = CrossValSetup(
        model, features, target, actual, decision, classes, metric_specs(metrics, decided.positive),
        _weights(weight, n), _groups(group, n), _fit_options(fit_options), seed,
    )  # fmt: skip
    for spec in setup.metrics:
        _check_metric(spec, example, setup)
    return setup


def _weights(weight: Any, n: int) -> Array | None:
    if weight is None:
        return None
    weights = checked_weights(column(weight, "weight"))
    if len(weights) != n:
        raise LengthError(f"X has {count_of(n, 'row')}, weight has {count_of(len(weights), 'value')}.")
    if not weights.all():
        raise InputError("weight holds a 0: leave such rows out.")
    return weights


def _groups(group: Any, n: int) -> Column | None:
    if group is None:
        return None
    groups = present(group, "group")
    if len(groups) != n:
        raise LengthError(f"X has {count_of(n, 'row')}, group has {count_of(len(groups), 'value')}.")
    return groups


def _fit_options(fit_options: Any) -> dict[str, Any]:
    if fit_options is not None and not isinstance(fit_options, Mapping):
        raise InputError(f"fit_options= is a {type(fit_options).__name__}, not a dict of keywords.")
    return dict(fit_options or {})


def _target_column(target: Any, labels: Sequence[Label] | None = None) -> tuple[Column, Labels]:
    """Return the target, finite values, and the names of its columns where there are several."""
    names: Labels = ()
    if has_several_columns(None, target):
        if are_label_lists(None, target):
            raise ColumnError(
                "y holds lists of labels, which models do not learn: pass a table of 0 and 1, a column per "
                "label, as scikit-learn's MultiLabelBinarizer makes it."
            )
        columns, names = target_columns(None, actual=target, predicted=None, score=None, labels=labels)
        actual = dataclasses.replace(columns["actual"], name="y")
        actual.refuse_missing()
    else:
        actual = present(target, "y")
    if actual.labels is None and actual.values.dtype.kind == "f" and np.isinf(actual.values).any():
        infinite = np.isinf(actual.values).reshape(len(actual), -1)
        row = int(np.argmax(infinite.any(axis=1)))
        column_values = actual.values.reshape(len(actual), -1)[:, int(infinite[row].argmax())]
        refuse_bad_rows((dataclasses.replace(actual, values=column_values),), (row,))
    return actual, names


def _check_metric(spec: MetricSpec, model: Any, setup: CrossValSetup) -> None:
    """Raise where a metric does not fit the task or the model."""
    task, actual = setup.task, setup.actual
    if setup.multioutput:
        _check_multioutput_metric(spec, model, task)
        return
    refuse_other_task(spec, task, "y")
    if spec.average and not (spec.metric.averages_over_classes or "average" in spec.metric.parameters):
        raise spec.metric.no_average()
    need = needs_of(spec)
    if need != "predicted" and not has_scores(model):
        raise MetricError(
            f"{spec.name} needs scores, but a {model_name(model)} has neither predict_proba nor "
            "decision_function."
        )
    if spec.metric.uses_probabilities and not hasattr(model, "predict_proba"):
        raise MetricError(
            f"{spec.name} needs probabilities, but a {model_name(model)} has no predict_proba: calibrate "
            "it, or use a metric of the order of its scores (auc, average_precision)."
        )
    if need == "scores" and setup.decision.one_vs_rest is not None:
        raise MetricError(
            f"{spec.name} needs the scores of all classes, but {param('positive')} names one: leave it out."
        )
    if issubclass(spec.metric.reads, Ordered) and task.name == "multiclass":
        refuse_unordered(setup.labels)
    of_one_class = need == "score" or spec.metric.reads is Binary
    if of_one_class and task.positive is None and not {"average", "positive"} & spec.options.keys():
        if spec.metric.reads is Binary:
            default_positive(setup.labels)  # raises for labels of which none is obviously positive
        binary(actual, None, setup.labels)
        raise LabelError(
            f"{spec.name} needs a positive label, which {param('task', task.name)} does not have."
        )


def _check_multioutput_metric(spec: MetricSpec, model: Any, task: Task) -> None:
    """Raise where a metric does not fit a target with several columns, or the model."""
    refuse_other_task(spec, task, "y")
    if needs_of(spec) != "predicted" and not has_scores(model):
        raise MetricError(
            f"{spec.name} needs scores, but a {model_name(model)} has neither predict_proba nor "
            "decision_function."
        )
    averages = spec.average is not None or "positive" in spec.options
    if not averages and spec.metric.needs in ("labels", "score", "numbers"):
        raise MetricError(
            f'{spec.name} is of one label or output, and y has {len(task.labels)}: say "macro {spec.name}".'
        )


def _is_column(value: Any, n: int) -> bool:
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes, Mapping)):
        return False
    return (int(value.shape[0]) if getattr(value, "shape", ()) else len(value)) == n
