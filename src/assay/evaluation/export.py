"""An evaluation as plain data: for JSON, by a schema with a version, and as columns of a table."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from assay.inference.test_result import Test
from assay.metrics import Undefined
from assay.metrics.views.confusion import LARGEST_TABLE
from assay.reports.summarize import summarised
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.crosstable import CrossTable
    from assay.evaluation.evaluation import Evaluation

__all__ = ["SCHEMA", "as_dict", "as_json", "figure_columns"]

SCHEMA = "assay/evaluation/1"
_WORDS = ("actual", "predicted", "score", "weight", "group")
_PLAIN = {int, str, bool, type(None)}  # what JSON says as it is
_NUMBERS = {int, float}
_STATED = ("confidence", "beta", "cost_fp", "cost_fn", "prevalence", "k", "empty")


def as_dict(ev: Evaluation, *, full: bool = False) -> dict[str, Any]:
    """Return everything as plain data, as docs/evaluation.schema.json says; `full`, what a full text has.

    >>> import assay
    >>> data = as_dict(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> data["schema"], data["figures"]["recall"]["value"], data["confusion"]["counts"]
    ('assay/evaluation/1', 0.5, [[1, 0], [1, 1]])
    """
    task, settings = ev.task, ev.settings
    table = ev.tallies.get("confusion")
    # A table of more labels than that is no use as text: each class's counts are among the classes.
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
        "columns": {name: getattr(settings, name) or None for name in _WORDS},
        "settings": {name: getattr(settings, name) for name in _STATED},
        "confusion": ev.confusion.to_dict(full=full) if has_table else None,
        "figures": {name: ev[name].to_dict() for name in ev},
        "classes": ev.classes.to_dict() if has_classes else None,
        "remarks": list(summarised(ev).remarks),
    }
    if full:
        lines = (line for group in summarised(ev, full=True).groups for line in group)
        data["figures"] = {line.name: line.estimate.to_dict() for line in lines}
        # Rows with weights, or in groups, are not the independent counts that these tests are of.
        alone = has_table and table.weights is None and not settings.group  # type: ignore[union-attr]
        data["tests"] = {name: one.to_dict() for name, one in _tests(ev.confusion)} if alone else {}
    plain: dict[str, Any] = _plain(data)
    return plain


def as_json(ev: Evaluation, indent: int | None = None, *, full: bool = False) -> str:
    """Return the same as JSON, the same text for the same evaluation."""
    return json.dumps(as_dict(ev, full=full), indent=indent, ensure_ascii=False, allow_nan=False)


def _tests(table: CrossTable) -> Iterator[tuple[str, Test]]:
    """Yield what caret, irr and gmodels test a table for."""
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


def figure_columns(ev: Evaluation) -> dict[str, list[Any]]:
    """Return the figures as columns; what is not there is None, and `note` says why.

    >>> import assay
    >>> columns = figure_columns(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> columns["figure"][:3], columns["value"][2]
    (['accuracy', 'precision', 'recall'], 0.5)
    """
    found = [ev[name] for name in ev]
    columns: dict[str, list[Any]] = {"figure": list(ev)}
    columns["value"] = [None if isinstance(one.value, Undefined) else float(one.value) for one in found]
    for name in ("low", "high"):
        columns[name] = [None if (limit := getattr(one, name)) is None else float(limit) for one in found]
    columns |= {name: [getattr(one, name) for one in found] for name in ("confidence", "method", "n")}
    columns["note"] = [one.value.reason if isinstance(one.value, Undefined) else one.note for one in found]
    return columns


def _plain(value: Any) -> Any:
    """Return what JSON can say: no NaN, and infinity in words."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        kinds = set(map(type, value))
        if kinds <= _PLAIN or (kinds <= _NUMBERS and math.isfinite(sum(value))):  # as rows of tables are
            return list(value)
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if hasattr(value, "item"):
        return _plain(value.item())
    return value
