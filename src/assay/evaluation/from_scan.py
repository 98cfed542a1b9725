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
from assay.evaluation.infer_task import Verdict, decided, stated_problem
from assay.evaluation.task import Stated
from assay.evaluation.task_tallies import CASES, CUT, TRAITS, fillings, quantity, sliced
from assay.evaluation.validation import refuse_unused, unnamed_columns
from assay.formatting.progress import Progress
from assay.inference.intervals.interval_request import has_weights
from assay.inputs.discretize import FEW, MOST, check_edges, too_many
from assay.inputs.labels import plain_label, same_kind
from assay.tallies import BinnedScores, Cases, Collection, Confusion, Grouped, Perhaps, Scores, merge
from assay.tallies.scores.counts_at_threshold import counted_at, renamed, with_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.engines import Scan
    from assay.evaluation.settings import Settings
    from assay.tallies import Tally, Traits

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
    kind: str | None,
    threshold: float | None,
    labels: Sequence[Any] | None,
    positive: Any,
    missing: str,
    edges: Mapping[str, Sequence[float]] | None,
    memory: int | str,
    threads: int | None,
) -> Evaluation:
    """Return the evaluation of data that is scanned; `roles` are names of columns."""
    if kind == "multilabel":
        raise InputError(
            'rows that may have several labels, kind="multilabel", are judged in memory: read them first.'
        )
    said = {role: one for role, one in roles.items() if one is not None}
    if not said:
        raise unnamed_columns(data)
    by = said.pop("by", ())
    by = (by,) if isinstance(by, str) else tuple(by)
    check_edges(by, edges)
    if len(set(by)) < len(by):
        raise ColumnError(f"by= names a column twice: {list(by)}.")
    stated = _stated(said, kind, threshold, labels, positive)
    limit = max(as_bytes(memory) // _SHARE, 1)
    told: dict[str, Any] = {
        **said, "by": by, "labels": labels, "positive": stated.positive, "missing": missing,
        "edges": edges, "memory": memory, "threads": threads,
    }  # fmt: skip
    reading = _Reading(data, told, stated, tuple(edges or ()), limit)
    problem = stated_problem(stated)
    found = reading.scan(None if problem is None else problem.kind)
    if not found.scan.rows:
        raise InputError("there are no rows to judge.")
    verdict = Verdict(problem) if problem is not None else decided(found.traits, stated)
    if problem is None and verdict.problem.kind == "regression":
        # Labels were looked for, and quantities found: these are summed in a pass of their own.
        found = reading.scan("regression")
    refuse_unused(verdict.problem.kind, settings)
    return found.evaluation(verdict, settings)


def _stated(
    roles: dict[str, Any], kind: str | None, threshold: float | None, labels: Any, positive: Any
) -> Stated:
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
    return Stated(
        kind, threshold,
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
    stated: Stated
    cut: tuple[str, ...]
    limit: int

    def scan(self, kind: str | None) -> _Found:
        """Return what a pass over the rows finds for a kind of problem, or for any that labels pose."""
        makers = fillings(self.stated, kind, self.limit)
        if self.told["by"]:
            makers = {_SLICES: functools.partial(sliced, makers=makers, cut=self.cut)}
        with Progress("rows", self._count()) as bar:
            found = scan(self.data, tallies=makers, progress=bar.reach, **self.told)
        return _Found(self, found, kind)

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
    kind: str | None

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
            if self.kind == "ranking":
                raise InputError(
                    f"a list lies in two slices by {' x '.join(self.reading.told['by'])}: slices of ranked "
                    f"lists are of whole lists, so slice by something that a list has once. {refused}"
                ) from None
            raise

    @property
    def traits(self) -> Traits:
        """What the columns hold."""
        found: Any = self.whole[TRAITS]
        return found  # type: ignore[no-any-return]

    def evaluation(self, verdict: Verdict, settings: Settings) -> Evaluation:
        """Return the evaluation of the tallies."""
        problem, told = verdict.problem, self.reading.told
        read = functools.partial(as_read, verdict=verdict)
        tallies = read(self.whole)
        weighted = any(map(has_weights, tallies.values()))
        names: dict[str, Any] = {
            role: name for role, name in self.reading.stated.names.items()
            if role in ("actual", "predicted", "score", "weight", "group") and (role != "weight" or weighted)
        }  # fmt: skip
        if problem.kind == "multiclass" and "predicted" not in names:
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
        return Evaluation(problem, settings, Collection.of_mapping(tallies), dropped=self.scan.dropped)


def as_read(found: Mapping[str, Tally], verdict: Verdict) -> dict[str, Tally]:
    """Return the tallies of rows as their problem reads them: those that its figures need."""
    problem = verdict.problem
    cut = found.get(CUT)
    tallies = verdict.tallies({name: _held(one) for name, one in found.items() if name not in (TRAITS, CUT)})
    if problem.kind in ("multiclass", "ordinal") and "class_scores" in tallies and not problem.probabilities:
        tallies = {name: one for name, one in tallies.items() if name in ("class_scores", "confusion", CASES)}
    cases = tallies.get(CASES)
    if isinstance(cases, Cases):
        tallies[CASES] = Cases.of(verdict.rows(cases.rows()))
    scores, table = tallies.get("scores"), tallies.get("confusion")
    if problem.kind == "binary" and isinstance(table, Confusion):
        tallies["confusion"] = with_labels(table, problem.labels)
    if problem.kind == "binary" and problem.threshold is not None and "confusion" not in tallies:
        if isinstance(scores, BinnedScores) and isinstance(cut, Confusion):
            tallies["confusion"] = renamed(cut, problem.labels)
        elif isinstance(scores, (Scores, BinnedScores)):
            tallies["confusion"] = counted_at(scores, problem.threshold, problem.labels)
    return tallies


def _held(tally: Tally) -> Tally:
    """Return a tally that may be lost as what it is where it is not."""
    return tally.tally if isinstance(tally, Perhaps) and tally.tally is not None else tally
