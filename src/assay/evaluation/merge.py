"""Merge two evaluations into one of both sides' rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MergeError, MetricError
from assay.evaluation.default_metrics import flatten
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.from_scan import tallies_as_read
from assay.evaluation.infer_task import TaskDecision
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.evaluation.read_metric import tally_name
from assay.evaluation.task import Settings
from assay.evaluation.task_tallies import slice_tallies_of, tallies_for_task
from assay.hints import param, passed
from assay.inputs import label_union
from assay.tallies import (
    BinnedScores,
    BoundedTally,
    Collection,
    ColumnProfile,
    Confusion,
    Grouped,
    Scores,
    StoredRows,
    merge,
)

if TYPE_CHECKING:
    from assay.evaluation.task import Task
    from assay.tallies import Tally

__all__ = ["common_settings", "common_task", "completed", "merged", "slice_tallies"]

_MAX_STORED_BYTES = 1 << 25  # bytes
_MAY_DIFFER = ("name", "actual", "predicted", "score", "library")  # settings that may differ between shards


def completed(ev: Evaluation) -> Evaluation:
    """Return the evaluation with tallies for all its metrics, so that it no longer needs its rows.

    Where intervals need the rows, these are stored as a tally too, while they are few.
    """
    if ev.source_rows is None:
        return ev
    tallies = dict(ev.tallies.items())
    bare = dataclasses.replace(ev, source_rows=None, saved={})
    for spec in flatten(ev.groups):
        try:
            bare.read(spec.metric, spec.options, held=True)
        except MetricError:  # no tally at hand serves it
            tallies[tally_name(spec.metric, spec.options)] = ev.read(spec.metric, spec.options).tally
    needs_rows = ev.task.name in ("regression", *MULTIOUTPUT_TASKS) or "class_scores" in tallies
    if ev.settings.group or needs_rows:
        stored = StoredRows.within(ev.source_rows, _MAX_STORED_BYTES)  # what intervals need
        tallies["cases"] = stored.tally or stored
    slices = slice_tallies(ev)
    if slices is not None:
        tallies["slices"] = slices
    return dataclasses.replace(ev, tallies=Collection.of_mapping(tallies), saved=ev.estimates)


def slice_tallies(ev: Evaluation) -> Grouped | None:
    """Return the tallies of each slice of rows that are held; None where there are none."""
    rows = ev.source_rows
    if rows is None or not rows.by:
        return None
    grouped = slice_tallies_of(rows, tallies_for_task(ev.task, rows), cut=ev.settings.by)
    if ev.task.name == "ranking":
        try:
            merge(grouped.tallies)
        except MergeError:  # a list lies in two slices, which are then none
            return None
    decision = TaskDecision(ev.task)
    parts = {
        key: Collection.of_mapping(tallies_as_read(dict(tallies.items()), decision))
        for key, tallies in grouped.items()
    }
    return Grouped.of_mapping(parts)


def merged(ev: Evaluation, other: Any) -> Evaluation:
    """Return the evaluation of both sides' rows, which must pose the same problem.

    >>> import assay
    >>> first = assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0])
    >>> second = assay.evaluate(actual=[0, 1], predicted=[1, 1])
    >>> merged(first, second).n
    5
    """
    if type(other) is not Evaluation and isinstance(other, Evaluation):
        raise InputError("one evaluation has a proxy and the other has none: evaluate both alike.")
    if not isinstance(other, Evaluation):
        raise MetricError(f"an evaluation merges with another, not with a {type(other).__name__}.")
    task, settings = common_task(ev, other), common_settings(ev.settings, other.settings)
    left, right = (dict(completed(side).tallies.items()) for side in (ev, other))
    slices: list[Any] = [side.get("slices") for side in (left, right)]
    if None not in slices:
        from assay.evaluation.slices.partition import check_same_edges  # noqa: PLC0415 - loads comparisons

        check_same_edges(slices[0], slices[1], settings.by)
    both = {name: _joined(left[name], right[name]) for name in left if name in right}
    return Evaluation(task, settings, Collection.of_mapping(both), dropped=ev.dropped + other.dropped)


def _joined(left: Any, right: Any) -> Tally:
    """Return the tally of both sides' rows; where one side's is in bins, or lost, the other's is made so."""
    if type(left) in (Grouped, Collection) and type(left) is type(right):
        # True and 1 are one key, whichever side it came from: the keys are joined as tallies join them.
        keys = left.of_mapping(dict.fromkeys(left, ColumnProfile())).merge(
            right.of_mapping(dict.fromkeys(right, ColumnProfile()))
        )
        both: dict[Any, Tally] = {
            key: _joined(left[key], right[key])
            if key in left and key in right
            else (left if key in left else right)[key]
            for key in keys
        }
        result: Tally = left.of_mapping(both)
        return result
    for first, second in ((left, right), (right, left)):
        if isinstance(first, BinnedScores) and isinstance(second, Scores):
            return first.merge(second.binned(first.bits))
        if isinstance(first, BoundedTally) and not isinstance(second, BoundedTally):
            n = second.n if hasattr(second, "n") else len(second)
            return first.merge(BoundedTally(n, first.limit, "", second))
    return left.merge(right)  # type: ignore[no-any-return]


def common_task(ev: Evaluation, other: Evaluation) -> Task:
    """Return the task of both sides, or raise where they differ."""
    first, second = ev.task, other.task
    inferred = first.inferred if first.inferred == second.inferred else ()
    first, second = (dataclasses.replace(side, inferred=inferred) for side in (first, second))
    if first == second:
        return first
    if first.name == second.name in ("multiclass", "ordinal") and not (_declared(ev) or _declared(other)):
        joined = label_union(first.labels, second.labels)
        first, second = (dataclasses.replace(side, labels=joined) for side in (first, second))
        if first == second:
            return first
    for name, advice in (
        ("name", f"say {param('task')} for both"),
        ("labels", f"declare the same {param('labels')}, in the same order, for both"),
        ("positive", f"say the same {param('positive')} for both"),
        ("threshold", f"say the same {param('threshold')} for both"),
        ("probabilities", "make the scores of every row add up to 1 in both, or in neither"),
    ):
        left, right = getattr(first, name), getattr(second, name)
        if left != right:
            raise InputError(
                f"the two evaluations are of different tasks: {name} is {left!r} in one and {right!r} in "
                f"the other. To merge them, {advice}."
            )
    return first


def _declared(ev: Evaluation) -> bool:
    table = ev.tallies.get("confusion")
    return "class_scores" in ev.tallies or (isinstance(table, Confusion) and table.declared)


def common_settings(own: Settings, other: Settings) -> Settings:
    """Return the settings of both sides, or raise where those that matter differ."""
    shared = {
        name: getattr(own if getattr(own, name) == getattr(other, name) else Settings(), name)
        for name in _MAY_DIFFER
    }
    if not (own.weight and other.weight):  # weights that are all 1 are none, and have no name
        shared["weight"] = own.weight or other.weight
    first, second = (dataclasses.replace(side, **shared) for side in (own, other))
    for field in dataclasses.fields(first):
        left, right = getattr(first, field.name), getattr(second, field.name)
        if left != right:
            raise InputError(
                f"the two evaluations were made with different settings: {passed(field.name, left)} and "
                f"{passed(field.name, right)}. Make both alike to merge them."
            )
    return first
