"""Metrics of every fold: what each needs of a model, the tally it is read from, and how folds combine."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from assay.errors import AssayError, MetricError, MissingValueError, shown
from assay.metrics import Undefined
from assay.metrics.spec import MetricSpec, requested_metrics
from assay.metrics.views.ranking import Ranks
from assay.tallies import ColumnTallies, Confusion, Scores
from assay.tallies.loss_arguments import positional_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.inputs import Label, Rows
    from assay.metrics import Value
    from assay.tallies import Tally

__all__ = [
    "Combination",
    "Need",
    "combination_of",
    "find_metric",
    "make_tallies",
    "metric_specs",
    "needs_labels",
    "needs_of",
    "read_metric",
    "read_options",
    "tally_key",
    "with_positive",
]

Need: TypeAlias = Literal["predicted", "score", "scores"]
Combination: TypeAlias = Literal["pooled", "averaged"]

_NEEDS: Final[dict[str, Need]] = {
    "labels": "predicted",
    "numbers": "predicted",
    "score": "score",
    "class scores": "scores",
    "label sets": "predicted",
}
_NOT_PREDICTED: Final = {"lists": "ranked lists"}
_ONE_SCORE: Final = {"positive", "score", "probability"}


def with_positive(metric: Any, positive: Label | None) -> MetricSpec:
    """Return the spec of a metric, of its name, or of a pair of either and options, for a positive label.

    The label is an option of metrics that take one; it does not change the name.

    >>> with_positive("macro f1", None).name, with_positive(("f_beta", {"beta": 2}), 1).name
    ('macro_f1', 'f_beta_beta_2')
    """
    spec = MetricSpec.of(metric)
    over_classes = spec.average and "average" not in spec.metric.parameters
    if positive is not None and "positive" in spec.metric.view_options and not over_classes:
        spec = dataclasses.replace(spec, options={"positive": positive, **spec.options}, alias=spec.name)
    spec.metric.check_options(spec.options)
    return spec


def metric_specs(metrics: Any, positive: Label | None) -> tuple[MetricSpec, ...]:
    """Return the specs of one metric or of several, each once."""
    specs: dict[str, MetricSpec] = {}
    for metric in requested_metrics(metrics):
        spec = with_positive(metric, positive)
        specs.setdefault(spec.name, spec)
    return tuple(specs.values())


def find_metric(specs: Sequence[MetricSpec], name: Any, positive: Label | None = None) -> MetricSpec:
    """Return the spec of a name: its own, any alias of its metric, or as it was requested.

    >>> specs = metric_specs(["accuracy", "macro f1", ("f_beta", {"beta": 2})], 1)
    >>> [find_metric(specs, name, 1).name for name in ("acc", "macro F1", "macro_f1", "f_beta")]
    ['accuracy', 'macro_f1', 'macro_f1', 'f_beta_beta_2']
    """
    known = {spec.name: spec for spec in specs}
    if isinstance(name, str) and name in known:
        return known[name]
    wanted = with_positive(name, positive)
    if wanted.name in known:
        return known[wanted.name]
    same = [spec for spec in specs if spec.metric is wanted.metric and spec.average == wanted.average]
    if len(same) == 1 and not isinstance(name, tuple):  # its options need not be repeated
        return same[0]
    if len(same) > 1:
        names = shown([spec.name for spec in same])
        raise MetricError(f"{wanted.name} was requested more than once: name one of {names}.")
    raise MetricError(f"{wanted.name} was not requested: there are {shown(known)}.")


def needs_of(spec: MetricSpec) -> Need:
    """Return what a metric needs of a model: predictions, scores of the positive class, or of all classes."""
    if spec.needs not in _NEEDS:
        what = _NOT_PREDICTED[spec.needs]
        raise MetricError(f"{spec.metric.name} is for {what}, which a cross-validation does not predict.")
    return _NEEDS[spec.needs]


def needs_labels(spec: MetricSpec) -> bool:
    """Tell whether a metric is for classes, so that it has no meaning for a numeric target."""
    return needs_of(spec) != "predicted" or spec.needs in ("labels", "label sets")


def combination_of(spec: MetricSpec) -> Combination:
    """Return how a metric's folds are combined.

    Counts and sums mean the same whatever model they come from: they are pooled. Scores of two models are
    not on one scale: what depends on their order is averaged over folds.
    """
    ranks = spec.metric.kind in ("rank", "statistic") or spec.metric.reads is Ranks
    return "averaged" if ranks else "pooled"


def tally_key(spec: MetricSpec) -> Any:
    """Return a key that two metrics share if they are read from the same tally."""
    metric = spec.metric
    if spec.average == "samples":
        return (spec.name,)
    if metric.loss is not None:
        if _reads_scores(spec):
            return "scores"
        own = {name: spec.options.get(name) for name in metric.loss_parameters}
        return (metric.name, *sorted((name, repr(value)) for name, value in own.items()))
    if spec.average and hasattr(metric.reads, "of_classes"):
        return metric.reads.of_classes
    tally = metric.reads.tally
    return tally.kind if tally in (Confusion, Scores) else tally


def _reads_scores(spec: MetricSpec) -> bool:
    """Tell whether a loss is of the label and the score alone, so that a score tally holds all of it."""
    return (
        spec.metric.loss is not None
        and {"positive"} < set(positional_parameters(spec.metric.loss)) <= _ONE_SCORE
    )


def read_options(spec: MetricSpec) -> dict[str, Any]:
    """Return the options for reading the tally: those of a row's loss are in the tally already."""
    if spec.metric.loss is None or _reads_scores(spec):
        return spec.options
    own = spec.metric.loss_parameters
    return {name: value for name, value in spec.options.items() if name not in own}


def read_metric(spec: MetricSpec, tally: Tally) -> Value:
    """Return a metric's value from its tally."""
    return spec.metric(tally, **read_options(spec))


def make_tallies(specs: Iterable[MetricSpec], rows: dict[Need, Rows]) -> dict[Any, Tally | Undefined]:
    """Return the tallies of one fold by their keys, each made once for all metrics that are read from it.

    A tally that these rows do not allow is undefined, with the reason.
    """
    tallies: dict[Any, Tally | Undefined] = {}
    for spec in specs:
        key = tally_key(spec)
        if key in tallies:
            continue
        try:
            tallies[key] = _make_tally(spec, rows[needs_of(spec)])
        except MissingValueError as error:  # its advice on missing= is for other functions
            tallies[key] = Undefined(str(error).partition("). ")[0] + ")")
        except AssayError as error:
            tallies[key] = Undefined(str(error).rstrip("."))
    return tallies


def _make_tally(spec: MetricSpec, rows: Rows) -> Tally:
    if not _reads_scores(spec):
        return spec.metric.tallied(rows, spec.options)[0]
    return ColumnTallies.of(rows, Scores) if rows.multioutput else Scores.of(rows)
