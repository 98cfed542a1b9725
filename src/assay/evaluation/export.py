"""Export an evaluation as plain data for JSON, by a versioned schema, and as columns of a data frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.inference.test_result import Test
from assay.metrics import Undefined
from assay.metrics.views.confusion import LARGEST_TABLE
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.crosstable import CrossTable
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate

__all__ = ["SCHEMA", "as_dict", "metric_columns"]

SCHEMA = "assay/evaluation/1"
_ROLES = ("actual", "predicted", "score", "weight", "group")
_PLAIN = {int, str, bool, type(None)}  # types that JSON has
_NUMBERS = {int, float}
_SETTINGS = ("confidence", "beta", "cost_fp", "cost_fn", "prevalence", "k", "empty")


def as_dict(
    ev: Evaluation, remarks: Sequence[str] = (), full: Mapping[str, Estimate] | None = None
) -> dict[str, Any]:
    """Return an evaluation as plain data by docs/evaluation.schema.json.

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
    has_classes = bool({"confusion", "label_sets"} & set(ev.tallies))
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
        "classes": ev.classes.to_dict() if has_classes else None,
        "remarks": list(remarks),
    }
    if full is not None:
        data["metrics"] = {name: estimate.to_dict() for name, estimate in full.items()}
        # Rows with weights, or in groups, are not the independent counts that these tests are of.
        independent = has_table and table.weights is None and not settings.group  # type: ignore[union-attr]
        data["tests"] = {name: item.to_dict() for name, item in _tests(ev.confusion)} if independent else {}
    plain: dict[str, Any] = _plain(data)
    return plain


def _tests(table: CrossTable) -> Iterator[tuple[str, Test]]:
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
        Test("kappa beyond chance", kappa.z, None, kappa.p, estimate=kappa.value, standard_error=error),
    )
    yield "chi_square", table.chi_square()


def metric_columns(ev: Evaluation) -> dict[str, list[Any]]:
    """Return the metrics as columns; a missing value is None, and `note` says why.

    >>> import assay
    >>> columns = metric_columns(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> columns["metric"][:3], columns["value"][2]
    (['accuracy', 'precision', 'recall'], 0.5)
    """
    estimates = [ev[name] for name in ev]
    columns: dict[str, list[Any]] = {"metric": list(ev)}
    columns["value"] = [
        None if isinstance(item.value, Undefined) else float(item.value) for item in estimates
    ]
    for name in ("low", "high"):
        columns[name] = [
            None if (limit := getattr(item, name)) is None else float(limit) for item in estimates
        ]
    columns |= {name: [getattr(item, name) for item in estimates] for name in ("confidence", "method", "n")}
    columns["note"] = [
        item.value.reason if isinstance(item.value, Undefined) else item.note for item in estimates
    ]
    return columns


def _plain(value: Any) -> Any:
    """Return plain data for JSON: NaN as null, infinity as text."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        kinds = set(map(type, value))
        if kinds <= _PLAIN or (kinds <= _NUMBERS and math.isfinite(sum(value))):  # rows of a table
            return list(value)
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if hasattr(value, "item"):
        return _plain(value.item())
    return value
