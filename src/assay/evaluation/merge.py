"""Two evaluations as one, of both sides' rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MergeError, MetricError
from assay.evaluation.default_metrics import flat
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.from_scan import as_read
from assay.evaluation.infer_task import TaskDecision
from assay.evaluation.settings import Settings
from assay.evaluation.slices.partition import same_cuts
from assay.evaluation.task_tallies import sliced, tallies_for_task
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

__all__ = ["completed", "merged", "slice_tallies"]

_FEW_ROWS = 1 << 25  # bytes
_WORDS = ("name", "actual", "predicted", "score", "library")  # what may differ between shards


def completed(ev: Evaluation) -> Evaluation:
    """Return the evaluation with tallies of all its figures, so that it can do without its rows.

    Where intervals need the rows, these are kept as a tally too, while they are few.
    """
    if ev.given is None or ev.sets is not None:
        return ev
    tallies = dict(ev.tallies.items())
    bare = dataclasses.replace(ev, given=None, kept={})
    for figure in flat(ev.groups):
        try:
            bare.read(figure.metric, figure.options)
        except MetricError:  # no tally at hand tells it
            tallies[figure.metric.name] = ev.read(figure.metric, figure.options)[0]
    if ev.settings.group or ev.task.name == "regression" or "class_scores" in tallies:
        kept = StoredRows.within(ev.given, _FEW_ROWS)  # what intervals need
        tallies["cases"] = kept.tally or kept
    slices = slice_tallies(ev)
    if slices is not None:
        tallies["slices"] = slices
    return dataclasses.replace(ev, tallies=Collection.of_mapping(tallies), kept=ev.found)


def slice_tallies(ev: Evaluation) -> Grouped | None:
    """Return the tallies of each slice of rows that are held; None where there are none."""
    rows = ev.given
    if rows is None or not rows.by:
        return None
    found = sliced(rows, tallies_for_task(ev.task, rows), cut=ev.settings.by)
    if ev.task.name == "ranking":
        try:
            merge(found.tallies)
        except MergeError:  # a list lies in two slices, which are then none
            return None
    verdict = TaskDecision(ev.task)
    parts = {key: Collection.of_mapping(as_read(dict(one.items()), verdict)) for key, one in found.items()}
    return Grouped.of_mapping(parts)


def merged(one: Evaluation, other: Any) -> Evaluation:
    """Return the evaluation of both sides' rows, which must pose the same problem.

    >>> import assay
    >>> first = assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0])
    >>> second = assay.evaluate(actual=[0, 1], predicted=[1, 1])
    >>> merged(first, second).n
    5
    """
    if not isinstance(other, Evaluation):
        raise MetricError(f"an evaluation merges with another, not with a {type(other).__name__}.")
    task, settings = _problem(one, other), _settings(one.settings, other.settings)
    mine, theirs = (dict(completed(side).tallies.items()) for side in (one, other))
    slices: list[Any] = [side.get("slices") for side in (mine, theirs)]
    if None not in slices:
        same_cuts(slices[0], slices[1], settings.by)
    both = {name: _joined(mine[name], theirs[name]) for name in mine if name in theirs}
    return Evaluation(task, settings, Collection.of_mapping(both), dropped=one.dropped + other.dropped)


def _joined(mine: Any, theirs: Any) -> Tally:
    """Return the tally of both sides' rows; where one side's is in bins, or lost, the other's is made so."""
    if type(mine) in (Grouped, Collection) and type(mine) is type(theirs):
        # True and 1 are one key, whichever side it came from: the keys are joined as tallies join them.
        keys = mine.of_mapping(dict.fromkeys(mine, ColumnProfile())).merge(
            theirs.of_mapping(dict.fromkeys(theirs, ColumnProfile()))
        )
        both: dict[Any, Tally] = {
            key: _joined(mine[key], theirs[key])
            if key in mine and key in theirs
            else (mine if key in mine else theirs)[key]
            for key in keys
        }
        found: Tally = mine.of_mapping(both)
        return found
    for first, second in ((mine, theirs), (theirs, mine)):
        if isinstance(first, BinnedScores) and isinstance(second, Scores):
            return first.merge(second.binned(first.bits))
        if isinstance(first, BoundedTally) and not isinstance(second, BoundedTally):
            n = second.n if hasattr(second, "n") else len(second)
            return first.merge(BoundedTally(n, first.limit, "", second))
    return mine.merge(theirs)  # type: ignore[no-any-return]


def _problem(one: Evaluation, other: Evaluation) -> Task:
    first, second = one.task, other.task
    inferred = first.inferred if first.inferred == second.inferred else ()
    first, second = (dataclasses.replace(side, inferred=inferred) for side in (first, second))
    if first == second:
        return first
    if first.name == second.name in ("multiclass", "ordinal") and not (_declared(one) or _declared(other)):
        joined = label_union(first.labels, second.labels)
        first, second = (dataclasses.replace(side, labels=joined) for side in (first, second))
        if first == second:
            return first
    for name, advice in (
        ("name", "say task= for both"),
        ("labels", "declare the same labels=, in the same order, for both"),
        ("positive", "say the same positive= for both"),
        ("threshold", "say the same threshold= for both"),
        ("probabilities", "make the scores of every row add up to 1 in both, or in neither"),
    ):
        mine, theirs = getattr(first, name), getattr(second, name)
        if mine != theirs:
            raise InputError(
                f"the two evaluations pose different problems: {name} is {mine!r} in one and {theirs!r} in "
                f"the other. To merge them, {advice}."
            )
    return first


def _declared(ev: Evaluation) -> bool:
    table = ev.tallies.get("confusion")
    return "class_scores" in ev.tallies or (isinstance(table, Confusion) and table.declared)


def _settings(one: Settings, other: Settings) -> Settings:
    words = {
        name: getattr(one if getattr(one, name) == getattr(other, name) else Settings(), name)
        for name in _WORDS
    }
    if not (one.weight and other.weight):  # weights that are all 1 are none, and have no name
        words["weight"] = one.weight or other.weight
    first, second = (dataclasses.replace(side, **words) for side in (one, other))
    for field in dataclasses.fields(first):
        mine, theirs = getattr(first, field.name), getattr(second, field.name)
        if mine != theirs:
            raise InputError(
                f"the two evaluations were made with different settings: {field.name}={mine!r} and "
                f"{field.name}={theirs!r}. Make both alike to merge them."
            )
    return first
