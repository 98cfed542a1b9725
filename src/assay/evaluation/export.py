"""Export an evaluation as plain data for JSON, by a versioned schema, and as columns of a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.evaluation.per_class import class_metrics
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.proxy_estimate import ProxyEstimate
from assay.inference.test_result import TestResult
from assay.metrics import Undefined
from assay.metrics.spec import metric_title
from assay.metrics.views.confusion import LARGEST_TABLE
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.crosstable import CrossTable
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate

__all__ = ["SCHEMA", "as_dict", "tables"]

SCHEMA = "assay/evaluation/1"
_ROLES = ("actual", "predicted", "score", "weight", "group")
_MAX_CLASSES_IN_TABLES = 12
_SETTINGS = ("confidence", "beta", "cost_fp", "cost_fn", "prevalence", "k", "empty")


def as_dict(
    ev: Evaluation, remarks: Sequence[str] = (), full: Mapping[str, Estimate] | None = None
) -> dict[str, Any]:
    """Return an evaluation as plain data by docs/reference/evaluation.schema.json.

    `remarks` are the sentences of a summary; `full` are the estimates of a full report by name, with which
    the shares of the table and its tests are exported too.

    >>> import assay
    >>> data = as_dict(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> data["schema"], data["metrics"]["recall"]["value"], data["confusion"]["counts"]
    ('assay/evaluation/1', 0.5, [[1, 0], [1, 1]])
    """
    task, settings = ev.task, ev.settings
    table = ev.tallies.get("confusion")
    # A larger table is of no use as text; the counts of each class are among the classes.
    has_table = isinstance(table, Confusion) and len(table.labels) ** 2 <= LARGEST_TABLE
    has_classes = bool(class_metrics(ev))
    data = {
        "schema": SCHEMA,
        "name": settings.name,
        "task": ev.task.name,
        "n": ev.n,
        "dropped": ev.dropped,
        "empty_lists": ev.empty_lists,
        "labels": list(task.labels),
        "positive": task.positive,
        "threshold": task.threshold,
        "inferred": list(task.inferred),
        "columns": {name: getattr(settings, name) or None for name in _ROLES},
        "settings": {name: getattr(settings, name) for name in _SETTINGS},
        "confusion": ev.confusion.to_dict(full=full is not None) if has_table else None,
        "metrics": {name: ev[name].to_dict() for name in ev},
        "classes": ev.classes.to_dict()["classes"] if has_classes else None,
        "remarks": list(remarks),
    }
    if ev.looks is not None:
        data["looks"] = ev.looks.to_dict() | {"confidence": ev.looks.confidence(settings.confidence)}
        data["for_all_looks"] = {
            name: {"low": number_or_none(estimate.low), "high": number_or_none(estimate.high)}
            for name in ev
            for estimate in [ev.for_all_looks(name)]
        }
    if full is not None:
        data["metrics"] = {name: estimate.to_dict() for name, estimate in full.items()}
        # Rows with weights, or in groups, are not the independent counts that these tests are of.
        independent = has_table and table.weights is None and not settings.group  # type: ignore[union-attr]
        data["tests"] = {name: item.to_dict() for name, item in _tests(ev.confusion)} if independent else {}
    return dict(json_safe(data))


def _proxy_columns(estimates: Sequence[Any]) -> dict[str, list[Any]]:
    """Return what labels and proxies say alone, and how many labels both together are worth."""
    return {
        "labels_alone": [IntervalCell.of(each.labels_alone) for each in estimates],
        "proxy_alone": [number_or_none(next(iter(each.proxy_alone), None)) for each in estimates],
        "effective_labels": [round(each.effective_labels) for each in estimates],
    }


def _tests(table: CrossTable) -> Iterator[tuple[str, TestResult]]:
    """Yield the tests of a table that caret, irr and gmodels print."""
    yield "no_information", table.no_information()
    if len(table.labels) == 2:  # noqa: PLR2004 - of more classes it is Bowker's
        yield "mcnemar", table.mcnemar("corrected")
    else:
        yield "bowker", table.bowker()
    kappa = table.kappa()
    error = None if isinstance(kappa.standard_error, Undefined) else kappa.standard_error
    yield (
        "kappa",
        TestResult(
            "kappa beyond chance",
            kappa.statistic,
            None,
            kappa.p_value,
            estimate=kappa.estimate,
            standard_error=error,
        ),
    )
    yield "chi_square", table.chi_square()


def tables(ev: Evaluation) -> list[ResultTable]:
    """Return the metrics as a table; then the counts and the classes, where there are a few classes.

    A missing value is None, and `note` says why.

    >>> import assay
    >>> columns = tables(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0]))[0].flat()
    >>> columns["metric"][:3], columns["value"][2]
    (['accuracy', 'precision', 'recall'], 0.5)
    """
    estimates = [ev[name] for name in ev]
    columns: dict[str, list[Any]] = {
        "metric": list(ev),
        "value": [IntervalCell.of(each) for each in estimates],
    }
    columns |= {name: [getattr(each, name) for each in estimates] for name in ("confidence", "method", "n")}
    if all(isinstance(each, ProxyEstimate) for each in estimates):
        columns |= _proxy_columns(estimates)
    columns["note"] = [
        each.value.reason if isinstance(each.value, Undefined) else each.note for each in estimates
    ]
    result_tables = [
        ResultTable(columns, printed_as={"metric": metric_title}, frame_only=("confidence", "n", "note"))
    ]
    if len(ev.task.labels) <= _MAX_CLASSES_IN_TABLES:
        result_tables += ev.confusion.tables() if isinstance(ev.tallies.get("confusion"), Confusion) else []
        several = ev.task.name in ("multiclass", "ordinal", *MULTIOUTPUT_TASKS)
        result_tables += ev.classes.tables() if several and class_metrics(ev) else []
    return result_tables
