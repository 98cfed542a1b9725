"""Evaluate data that is never held in memory: one scan fills the tallies."""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from typing import TYPE_CHECKING, Any

from assay.engines import Source, scan, source
from assay.engines.accumulator import as_bytes
from assay.engines.dispatch import is_cluster
from assay.errors import ColumnError, InputError, MergeError
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.infer_task import TaskDecision, decide_task, stated_task
from assay.evaluation.task import TaskRequest
from assay.evaluation.task_tallies import (
    CUT,
    FINGERPRINT,
    PROFILE,
    STORED_ROWS,
    needs_edges_error,
    slice_tallies_of,
    tallies_for_scan,
)
from assay.evaluation.validation import (
    columns_without_role_error,
    refuse_no_rows,
    refuse_unused_settings,
)
from assay.formatting.progress import Progress
from assay.hints import param
from assay.inference.intervals.interval_request import has_weights
from assay.inputs.discretize import MAX_DISTINCT_INTEGERS, MAX_SLICES, check_edges, too_many
from assay.inputs.labels import plain_label, same_kind
from assay.tallies import (
    BinnedScores,
    BoundedTally,
    Collection,
    Confusion,
    Fingerprint,
    Grouped,
    Scores,
    StoredRows,
    merge,
)
from assay.tallies.scores.thresholding import counted_at, renamed, with_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.engines import Scan
    from assay.evaluation.task import Settings
    from assay.tallies import ColumnProfile, Tally

__all__ = ["evaluate_scan", "is_scanned"]

_BOUNDED_TALLIES = 40  # a bounded tally may take this fraction (1/40) of the memory
_SLICES = "slices"


def is_scanned(data: Any) -> bool:
    """Tell whether data is scanned rather than held in memory: a file, a source, or a cluster's frame.

    >>> is_scanned("preds.parquet"), is_scanned({"y": [0, 1]})
    (True, False)
    """
    return isinstance(data, (str, os.PathLike, Source)) or is_cluster(data)


def evaluate_scan(
    data: Any,
    roles: Mapping[str, Any],
    settings: Settings,
    *,
    task: str | None,
    threshold: float | None,
    labels: Sequence[Any] | None,
    positive: Any,
    missing: str,
    edges: Mapping[str, Sequence[float]] | None,
    memory: int | str,
    threads: int | None,
    fingerprint: bool = False,
) -> Evaluation:
    """Return the evaluation of data that is scanned; `roles` are names of columns.

    With `fingerprint`, or a key, the same pass makes the test set's fingerprint.
    """
    named_roles = {role: value for role, value in roles.items() if value is not None}
    if not named_roles:
        raise columns_without_role_error(data)
    by = named_roles.pop("by", ())
    by = (by,) if isinstance(by, str) else tuple(by)
    if edges:
        check_edges(by, edges)
    if len(set(by)) < len(by):
        raise ColumnError(f"{param('by')} names a column twice: {list(by)}.")
    request = _task_request(named_roles, task, threshold, labels, positive)
    limit = max(as_bytes(memory) // _BOUNDED_TALLIES, 1)
    scan_options: dict[str, Any] = {
        **named_roles, "by": by, "labels": labels, "positive": request.positive, "missing": missing,
        "edges": edges, "memory": memory, "threads": threads,
    }  # fmt: skip
    plan = _ScanPlan(
        data, scan_options, request, tuple(edges or ()), limit, fingerprint or "key" in named_roles
    )
    stated = stated_task(request)
    result = plan.scan(None if stated is None else stated.name)
    refuse_no_rows(result.scan.rows)
    decision = TaskDecision(stated) if stated is not None else decide_task(result.profile, request)
    if stated is None and decision.task.name in ("regression", "multioutput"):
        # The first pass looked for labels and met quantities, which a second pass sums.
        result = plan.scan(decision.task.name)
    refuse_unused_settings(decision.task.name, settings)
    return result.evaluation(decision, settings)


def _task_request(
    roles: dict[str, Any], task_name: str | None, threshold: float | None, labels: Any, positive: Any
) -> TaskRequest:
    """Return the request of the task by the names of columns."""
    if not isinstance(roles.get("actual"), (str, type(None))):
        return _multioutput_request(roles, task_name, threshold, labels, positive)
    score: Any = roles.get("score")
    is_matrix = score is not None and not isinstance(score, str)
    if is_matrix and not isinstance(score, (list, tuple, dict)):
        raise _not_a_name("score", score)
    if isinstance(score, dict):
        labels = tuple(score)
    for role, value in roles.items():
        if role != "score" and not isinstance(value, str):
            raise _not_a_name(role, value)
    names = {role: value if isinstance(value, str) else role for role, value in roles.items()}
    return TaskRequest(
        task_name, threshold,
        None if labels is None else same_kind(tuple(map(plain_label, labels))),
        None if positive is None else plain_label(positive),
        names, len(score) if is_matrix else 1,
    )  # fmt: skip


def _multioutput_request(
    roles: dict[str, Any], task_name: str | None, threshold: float | None, labels: Any, positive: Any
) -> TaskRequest:
    """Return the request of the task by the names of several columns, a label or output each."""
    for role, value in roles.items():
        several = role in ("actual", "predicted", "score")
        if not (isinstance(value, (list, tuple)) if several else isinstance(value, str)):
            raise _not_a_name(role, value)
    names = {role: value if isinstance(value, str) else role for role, value in roles.items()}
    columns = tuple(roles["actual"]) if labels is None else labels
    return TaskRequest(
        task_name, threshold, same_kind(tuple(map(plain_label, columns))),
        None if positive is None else plain_label(positive), names, outputs=len(roles["actual"]),
    )  # fmt: skip


def _not_a_name(role: str, value: Any) -> ColumnError:
    return ColumnError(
        f"{role}= was given as {type(value).__name__}: of a file or a cluster's frame, pass the column's "
        "name."
    )


@dataclasses.dataclass(frozen=True)
class _ScanPlan:
    """How data is scanned: with which options, into which tallies."""

    data: Any
    scan_options: dict[str, Any]
    request: TaskRequest
    cut: tuple[str, ...]
    limit: int
    fingerprint: bool

    def scan(self, task_name: str | None) -> _ScanResult:
        """Return the result of one pass for a task, or for any task of labels where it is None."""
        tallies = tallies_for_scan(self.request, task_name, self.limit)
        if self.scan_options["by"]:
            tallies = {_SLICES: functools.partial(slice_tallies_of, tallies=tallies, cut=self.cut)}
        if self.fingerprint:
            tallies = {**tallies, FINGERPRINT: Fingerprint}
        with Progress("rows", self._count()) as bar:
            result = scan(self.data, tallies=tallies, progress=bar.reach, **self.scan_options)
        return _ScanResult(self, result, task_name)

    def _count(self) -> int | None:
        """Return the approximate number of rows, where a progress bar is shown and it is cheap to know."""
        if sys.stderr is None or not sys.stderr.isatty() or str(self.data) == "-":
            return None
        origin = source(self.data) if isinstance(self.data, (str, os.PathLike)) else self.data
        return origin.count() if isinstance(origin, Source) else None


@dataclasses.dataclass(frozen=True)
class _ScanResult:
    """The result of a scan."""

    plan: _ScanPlan
    scan: Scan
    task_name: str | None

    @functools.cached_property
    def slices(self) -> Grouped | None:
        """The tallies of each slice, by all columns crossed."""
        tally = self.scan.tallies.get(_SLICES)
        if not isinstance(tally, Grouped):
            return None
        for index, name in enumerate(self.plan.scan_options["by"]):
            labels = {key[index] for key in tally}
            numbers = not any(isinstance(label, (str, bool)) for label in labels)
            if numbers and len(labels) > MAX_DISTINCT_INTEGERS and name not in self.plan.cut:
                raise needs_edges_error(name)
            if len(labels) > MAX_SLICES:
                raise too_many(len(labels), name)
        return tally

    @functools.cached_property
    def merged(self) -> Mapping[str, Tally]:
        """The tallies of all rows, but for the fingerprint."""
        if self.slices is None:
            return {name: tally for name, tally in self.scan.tallies.items() if name != FINGERPRINT}
        try:
            merged: Any = merge(self.slices.tallies)
            return dict(merged.items())
        except MergeError as error:
            if self.task_name == "ranking":
                raise InputError(
                    f"a list lies in two slices by {' x '.join(self.plan.scan_options['by'])}: slices of "
                    f"ranked lists are of whole lists, so slice by something that a list has once. {error}"
                ) from None
            raise

    @property
    def profile(self) -> ColumnProfile:
        """What the columns hold."""
        profile: Any = self.merged[PROFILE]
        return profile  # type: ignore[no-any-return]

    def evaluation(self, decision: TaskDecision, settings: Settings) -> Evaluation:
        """Return the evaluation of the tallies."""
        task, scan_options = decision.task, self.plan.scan_options
        predictions = "predicted" in self.plan.request.names or task.threshold is not None
        as_task_reads = functools.partial(tallies_as_read, decision=decision, predictions=predictions)
        tallies = as_task_reads(self.merged)
        weighted = any(map(has_weights, tallies.values()))
        names: dict[str, Any] = {
            role: name for role, name in self.plan.request.names.items()
            if role in ("actual", "predicted", "score", "weight", "group") and (role != "weight" or weighted)
        }  # fmt: skip
        if task.name == "multiclass" and "predicted" not in names:
            names["predicted"] = "highest score"
        if self.plan.request.cut:
            names["score"] = names["predicted"]
        settings = dataclasses.replace(settings, **names, by=scan_options["by"])
        if self.slices is not None:
            parts = {
                key: Collection.of_mapping(
                    as_task_reads({name: tally for name, tally in value.items() if name != STORED_ROWS})
                )
                for key, value in self.slices.items()
            }
            tallies[_SLICES] = Grouped.of_mapping(parts)
        if self.plan.fingerprint:
            tallies[FINGERPRINT] = self.scan.tallies[FINGERPRINT]
        return Evaluation(task, settings, Collection.of_mapping(tallies), dropped=self.scan.dropped)


def tallies_as_read(
    result: Mapping[str, Tally], decision: TaskDecision, *, predictions: bool = True
) -> dict[str, Tally]:
    """Return the tallies as the task reads them: those that its metrics need.

    Without `predictions`, scores of labels are no probabilities, and have no threshold of their own.
    """
    task = decision.task
    cut = result.get(CUT)
    tallies = decision.tallies(
        {name: _unwrapped(value) for name, value in result.items() if name not in (PROFILE, CUT)}
    )
    if task.name == "multilabel" and isinstance(lost := tallies.get("label_sets"), BoundedTally):
        raise InputError(lost.why)  # other numbers than 0 and 1
    if task.name == "multilabel" and not predictions:
        tallies.pop("label_sets", None)
    if task.name in ("multiclass", "ordinal") and "class_scores" in tallies and not task.probabilities:
        tallies = {
            name: value
            for name, value in tallies.items()
            if name in ("class_scores", "confusion", STORED_ROWS)
        }
    stored = tallies.get(STORED_ROWS)
    if isinstance(stored, StoredRows):
        tallies[STORED_ROWS] = StoredRows.of(decision.rows(stored.rows()))
    scores, table = tallies.get("scores"), tallies.get("confusion")
    if task.name == "binary" and isinstance(table, Confusion):
        tallies["confusion"] = with_labels(table, task.labels)
    if task.name == "binary" and task.threshold is not None and "confusion" not in tallies:
        if isinstance(scores, BinnedScores) and isinstance(cut, Confusion):
            tallies["confusion"] = renamed(cut, task.labels)
        elif isinstance(scores, (Scores, BinnedScores)):
            tallies["confusion"] = counted_at(scores, task.threshold, task.labels)
    return tallies


def _unwrapped(tally: Tally) -> Tally:
    """Return the tally inside a bounded one, where it was not lost."""
    return tally.tally if isinstance(tally, BoundedTally) and tally.tally is not None else tally
