"""Metrics of every fold: what each needs of a model, the tally it is read from, and how folds combine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from assay.errors import AssayError, MetricError, MissingValueError, shown
from assay.metrics import Undefined
from assay.metrics.spec import MetricSpec, requested_metrics
from assay.metrics.views.ranking import Ranks
from assay.tallies import ColumnTallies, Scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.inputs import Label, Rows
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


def metric_specs(metrics: Any, positive: Label | None) -> tuple[MetricSpec, ...]:
    """Return the specs of one metric or of several, each once, with the positive label in its options."""
    specs: dict[str, MetricSpec] = {}
    for spec in requested_metrics(metrics, positive):
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
    request = requested_metrics([name], positive)[0]
    if request.name in known:
        return known[request.name]
    same = [spec for spec in specs if spec.metric is request.metric and spec.average == request.average]
    if len(same) == 1 and not isinstance(name, tuple):  # its options need not be repeated
        return same[0]
    if len(same) > 1:
        names = shown([spec.name for spec in same])
        raise MetricError(f"{request.name} was requested more than once: name one of {names}.")
    raise MetricError(f"{request.name} was not requested: there are {shown(known)}.")


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


def make_tallies(specs: Iterable[MetricSpec], rows: dict[Need, Rows]) -> dict[Any, Tally | Undefined]:
    """Return the tallies of one fold by their keys, each made once for all metrics that are read from it.

    A tally that these rows do not allow is undefined, with the reason.
    """
    tallies: dict[Any, Tally | Undefined] = {}
    for spec in specs:
        key = spec.tally_key
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
    if spec.metric.loss is not None and spec.metric.of_scores:  # a score tally holds all of it
        return ColumnTallies.of(rows, Scores) if rows.multioutput else Scores.of(rows)
    return spec.metric.tallied(rows, spec.options)[0]
