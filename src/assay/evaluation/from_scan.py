"""From data that is never held to an evaluation: one scan fills the tallies, and they tell everything."""

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
from assay.evaluation.task_tallies import CASES, CUT, TRAITS, quantity, sliced, tallies_for_scan
from assay.evaluation.validation import refuse_unused, unnamed_columns
from assay.formatting.progress import Progress
from assay.inference.intervals.interval_request import has_weights
from assay.inputs.discretize import FEW, MOST, check_edges, too_many
from assay.inputs.labels import plain_label, same_kind
from assay.tallies import (
    BinnedScores,
    BoundedTally,
    Collection,
    Confusion,
    Grouped,
    Scores,
    StoredRows,
    merge,
)
from assay.tallies.scores.counts_at_threshold import counted_at, renamed, with_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.engines import Scan
    from assay.evaluation.settings import Settings
    from assay.tallies import ColumnProfile, Tally

__all__ = ["evaluate_streamed", "is_streamed"]

_SHARE = 40  # what each tally that may be lost can take of the memory: a part of what all tallies have
_SLICES = "slices"


def is_streamed(data: Any) -> bool:
    """Tell whether data is scanned rather than held: a file, a source, or a frame of a cluster.

    >>> is_streamed("preds.parquet"), is_streamed({"y": [0, 1]})
    (True, False)
    """
    return isinstance(data, (str, os.PathLike, Source)) or is_cluster(data)


def evaluate_streamed(
    data: Any,
    roles: Mapping[str, Any],
    settings: Settings,
    *,
    task_name: str | None,
    threshold: float | None,
    labels: Sequence[Any] | None,
    positive: Any,
    missing: str,
    edges: Mapping[str, Sequence[float]] | None,
    memory: int | str,
    threads: int | None,
) -> Evaluation:
    """Return the evaluation of data that is scanned; `roles` are names of columns."""
    if task_name == "multilabel":
        raise InputError(
            'rows that may have several labels, task="multilabel", are judged in memory: read them first.'
        )
    said = {role: one for role, one in roles.items() if one is not None}
    if not said:
        raise unnamed_columns(data)
    by = said.pop("by", ())
    by = (by,) if isinstance(by, str) else tuple(by)
    check_edges(by, edges)
    if len(set(by)) < len(by):
        raise ColumnError(f"by= names a column twice: {list(by)}.")
    stated = _stated(said, task_name, threshold, labels, positive)
    limit = max(as_bytes(memory) // _SHARE, 1)
    told: dict[str, Any] = {
        **said, "by": by, "labels": labels, "positive": stated.positive, "missing": missing,
        "edges": edges, "memory": memory, "threads": threads,
    }  # fmt: skip
    reading = _Reading(data, told, stated, tuple(edges or ()), limit)
    task = stated_task(stated)
    found = reading.scan(None if task is None else task.name)
    if not found.scan.rows:
        raise InputError("there are no rows to judge.")
    verdict = TaskDecision(task) if task is not None else decide_task(found.traits, stated)
    if task is None and verdict.task.name == "regression":
        # Labels were looked for, and quantities found: these are summed in a pass of their own.
        found = reading.scan("regression")
    refuse_unused(verdict.task.name, settings)
    return found.evaluation(verdict, settings)


def _stated(
    roles: dict[str, Any], task_name: str | None, threshold: float | None, labels: Any, positive: Any
) -> TaskRequest:
    """Return what the caller said, in the words of the problem."""
    score: Any = roles.get("score")
    several = score is not None and not isinstance(score, str)
    if several and not isinstance(score, (list, tuple, dict)):
        raise _no_name("score", score)
    if isinstance(score, dict):
        labels = tuple(score)
    for role, one in roles.items():
        if role != "score" and not isinstance(one, str):
            raise _no_name(role, one)
    names = {role: one if isinstance(one, str) else role for role, one in roles.items()}
    return TaskRequest(
        task_name, threshold,
        None if labels is None else same_kind(tuple(map(plain_label, labels))),
        None if positive is None else plain_label(positive),
        names, len(score) if several else 1,
    )  # fmt: skip


def _no_name(role: str, one: Any) -> ColumnError:
    return ColumnError(
        f"{role}= was given as {type(one).__name__}: of a file or a cluster's frame a column is meant by its "
        "name."
    )


@dataclasses.dataclass(frozen=True)
class _Reading:
    """How data is scanned: with which words, and into which tallies."""

    data: Any
    told: dict[str, Any]
    stated: TaskRequest
    cut: tuple[str, ...]
    limit: int

    def scan(self, task_name: str | None) -> _Found:
        """Return what a pass over the rows finds for a kind of problem, or for any that labels pose."""
        makers = tallies_for_scan(self.stated, task_name, self.limit)
        if self.told["by"]:
            makers = {_SLICES: functools.partial(sliced, makers=makers, cut=self.cut)}
        with Progress("rows", self._count()) as bar:
            found = scan(self.data, tallies=makers, progress=bar.reach, **self.told)
        return _Found(self, found, task_name)

    def _count(self) -> int | None:
        """Return about how many rows there are, where somebody sees it and it costs little to know."""
        if sys.stderr is None or not sys.stderr.isatty() or str(self.data) == "-":
            return None
        origin = source(self.data) if isinstance(self.data, (str, os.PathLike)) else self.data
        return origin.count() if isinstance(origin, Source) else None


@dataclasses.dataclass(frozen=True)
class _Found:
    """What a scan found."""

    reading: _Reading
    scan: Scan
    task_name: str | None

    @functools.cached_property
    def slices(self) -> Grouped | None:
        """The tallies of each slice, by all columns crossed."""
        found = self.scan.tallies.get(_SLICES)
        if not isinstance(found, Grouped):
            return None
        for place, name in enumerate(self.reading.told["by"]):
            labels = {key[place] for key in found}
            numbers = not any(isinstance(label, (str, bool)) for label in labels)
            if numbers and len(labels) > FEW and name not in self.reading.cut:
                raise quantity(name)
            if len(labels) > MOST:
                raise too_many(len(labels), name)
        return found

    @functools.cached_property
    def whole(self) -> Mapping[str, Tally]:
        """The tallies of all rows."""
        if self.slices is None:
            return dict(self.scan.tallies.items())
        try:
            whole: Any = merge(self.slices.tallies)
            return dict(whole.items())
        except MergeError as refused:
            if self.task_name == "ranking":
                raise InputError(
                    f"a list lies in two slices by {' x '.join(self.reading.told['by'])}: slices of ranked "
                    f"lists are of whole lists, so slice by something that a list has once. {refused}"
                ) from None
            raise

    @property
    def traits(self) -> ColumnProfile:
        """What the columns hold."""
        found: Any = self.whole[TRAITS]
        return found  # type: ignore[no-any-return]

    def evaluation(self, verdict: TaskDecision, settings: Settings) -> Evaluation:
        """Return the evaluation of the tallies."""
        task, told = verdict.task, self.reading.told
        read = functools.partial(as_read, verdict=verdict)
        tallies = read(self.whole)
        weighted = any(map(has_weights, tallies.values()))
        names: dict[str, Any] = {
            role: name for role, name in self.reading.stated.names.items()
            if role in ("actual", "predicted", "score", "weight", "group") and (role != "weight" or weighted)
        }  # fmt: skip
        if task.name == "multiclass" and "predicted" not in names:
            names["predicted"] = "highest score"
        if self.reading.stated.cut:
            names["score"] = names["predicted"]
        settings = dataclasses.replace(settings, **names, by=told["by"])
        if self.slices is not None:
            parts = {
                key: Collection.of_mapping(
                    read({name: tally for name, tally in one.items() if name != CASES})
                )
                for key, one in self.slices.items()
            }
            tallies[_SLICES] = Grouped.of_mapping(parts)
        return Evaluation(task, settings, Collection.of_mapping(tallies), dropped=self.scan.dropped)


def as_read(found: Mapping[str, Tally], verdict: TaskDecision) -> dict[str, Tally]:
    """Return the tallies of rows as their problem reads them: those that its figures need."""
    task = verdict.task
    cut = found.get(CUT)
    tallies = verdict.tallies({name: _held(one) for name, one in found.items() if name not in (TRAITS, CUT)})
    if task.name in ("multiclass", "ordinal") and "class_scores" in tallies and not task.probabilities:
        tallies = {name: one for name, one in tallies.items() if name in ("class_scores", "confusion", CASES)}
    cases = tallies.get(CASES)
    if isinstance(cases, StoredRows):
        tallies[CASES] = StoredRows.of(verdict.rows(cases.rows()))
    scores, table = tallies.get("scores"), tallies.get("confusion")
    if task.name == "binary" and isinstance(table, Confusion):
        tallies["confusion"] = with_labels(table, task.labels)
    if task.name == "binary" and task.threshold is not None and "confusion" not in tallies:
        if isinstance(scores, BinnedScores) and isinstance(cut, Confusion):
            tallies["confusion"] = renamed(cut, task.labels)
        elif isinstance(scores, (Scores, BinnedScores)):
            tallies["confusion"] = counted_at(scores, task.threshold, task.labels)
    return tallies


def _held(tally: Tally) -> Tally:
    """Return a tally that may be lost as what it is where it is not."""
    return tally.tally if isinstance(tally, BoundedTally) and tally.tally is not None else tally
