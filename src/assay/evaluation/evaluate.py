"""From columns to an evaluation: gather the rows, see which problem they pose, fill their tallies."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import InputError, suggest_keywords
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.from_counts import as_confusion, table_task
from assay.evaluation.from_scan import evaluate_streamed, is_streamed
from assay.evaluation.infer_task import Task, infer_task
from assay.evaluation.settings import Settings
from assay.evaluation.validation import (
    check_stated,
    check_task,
    refuse_beside_lists,
    refuse_cluster_columns,
    refuse_misplaced,
    refuse_tables,
    refuse_unused,
    unnamed_columns,
)
from assay.formatting.frame_output import library_of
from assay.inference.formulas.proportions import check_confidence
from assay.inputs import Rows
from assay.inputs import rows as gathered
from assay.inputs.category_order import order_of
from assay.inputs.discretize import with_slices
from assay.inputs.multilabel import are_graded, are_rows_of_items, are_sets, as_lists, label_tables
from assay.tallies import ClassScores, Collection, Confusion, Moments, Queries, Scores
from assay.tallies.scores.counts_at_threshold import counted_at, with_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.inputs import Label
    from assay.tallies import Tally

__all__ = ["evaluate", "evaluate_rows"]


@suggest_keywords
def evaluate(
    data: Any = None,
    *more: Any,
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    weight: Any = None,
    group: Any = None,
    query: Any = None,
    by: Any = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    task: str | None = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    beta: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    k: int | None = None,
    empty: Literal["zero", "one", "skip"] | None = None,
    name: str = "",
    memory: int | str = "1GiB",
    threads: int | None = None,
) -> Evaluation:
    """Judge predictions: every figure that fits the problem, each with its interval.

    Parameters
    ----------
    data
        A table whose columns the roles may name (see :func:`assay.rows`), or rows. Or what is read once and
        never held: the path of a file, a folder or a pattern, an :func:`assay.engines.source`, a frame of
        Spark or Dask. Or a ready table of counts, rows actual, with ``labels=`` in its order; a frame or
        nested dicts that name their rows and columns; a :class:`assay.CrossTable` or a confusion tally.
    more
        Nothing: columns are passed by the name of their role.
    actual, predicted, score, weight, group, query, by, labels, positive, missing
        The roles of :func:`assay.rows`. Rows that may have several labels have a table of 0 and 1 for
        `actual` and `predicted`, or lists of labels; ranked lists may be lists of items, best first. By `by`
        the rows are sliced: see :attr:`Evaluation.slices`.
    edges
        Where numbers to slice by are cut, by their columns: ``{"age": [30, 50]}``. Without, at their
        quartiles, unless they are whole and of few different values.
    task
        ``"binary"``, ``"multiclass"``, ``"ordinal"``, ``"multilabel"``, ``"regression"`` or ``"ranking"``.
        Inferred where it cannot be mistaken, and always told.
    threshold
        At or above which a score counts as positive. For actual and predicted numbers, where both are cut.
    confidence
        Of all intervals.
    beta, cost_fp, cost_fn
        Which error is worse: F-beta is shown with the figures, and thresholds are chosen by the costs, of
        which one that is not said is 1.
    prevalence
        Where the model will be used, if other than in these rows: predictive values there.
    k
        How deep ranked lists are judged.
    empty
        What a ranked list without a relevant item counts as: ``"zero"`` (the default), ``"one"``, or
        ``"skip"`` to leave it out. How many there are is told.
    name
        What to call the model in reports.
    memory, threads
        What reading a file may take, and how many threads do it (see :func:`assay.engines.scan`); rows in
        memory need neither.

    Examples
    --------
    >>> import assay
    >>> ev = assay.evaluate(actual=[0, 0, 0, 1, 1], score=[0.1, 0.4, 0.2, 0.8, 0.3])
    >>> ev["auc"]
    0.8333 [0.2169, 0.9882]
    >>> ev["recall"], ev.task.threshold
    (0.5 [0.02532, 0.9747], 0.5)
    """
    check_task(task)
    said: dict[str, Any] = {
        "beta": beta, "cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence, "k": k,
        "empty": empty, "name": name,
    }  # fmt: skip
    check_stated(threshold=threshold, confidence=confidence, **said)
    check_confidence(confidence)
    # NumPy's numbers are plain from here on, as files and JSON want them.
    said = {name: value.item() if isinstance(value, np.generic) else value for name, value in said.items()}
    if (cost_fp is None) != (cost_fn is None):  # one cost alone is a multiple of the other
        said |= {name: 1.0 for name in ("cost_fp", "cost_fn") if said[name] is None}
    confidence, threshold = float(confidence), None if threshold is None else float(threshold)
    roles = {
        "actual": actual, "predicted": predicted, "score": score, "weight": weight, "group": group,
        "query": query, "by": by,
    }  # fmt: skip
    by_role = any(one is not None for one in roles.values())
    refuse_misplaced(data, more, by_role=by_role)
    refuse_cluster_columns(roles)
    settings = Settings(confidence, **said, library=library_of(data, actual, predicted, score))
    if is_streamed(data):
        return evaluate_streamed(
            data, roles, settings, task_name=task, threshold=threshold, labels=labels, positive=positive,
            missing=missing, edges=edges, memory=memory, threads=threads,
        )  # fmt: skip
    if data is not None and not by_role and not isinstance(data, Rows):
        table = as_confusion(data, labels)
        if table is not None:
            return _of_table(table, positive, task, threshold, settings)
        raise unnamed_columns(data)
    if task in (None, "multilabel", "ranking"):
        lists = [as_lists(data, one) for one in (actual, predicted)]
        ranked = are_rows_of_items(lists[1]) and (are_rows_of_items(lists[0]) or are_graded(lists[0]))
        if task == "ranking" and score is None and ranked:
            refuse_beside_lists(weight=weight, group=group, by=by, edges=edges, labels=labels,
                                positive=positive, threshold=threshold, **said)  # fmt: skip
            tally = Queries.of_lists(actual=lists[0], predicted=lists[1], query=query)
            return Evaluation(Task("ranking"), settings, Collection.of_mapping({"queries": tally}))
        if task == "multilabel" or (task is None and any(map(are_sets, lists))):
            refuse_unused("multilabel", settings)
            stated: dict[str, Any] = {"labels": labels, "threshold": threshold, "missing": missing}
            return _of_sets(data, roles, task, settings, {"positive": positive, "edges": edges}, **stated)
    if isinstance(data, Rows):
        if by_role or labels is not None or positive is not None:
            raise InputError(
                "rows have their roles, labels and positive label already: say them in assay.rows()."
            )
        rows = data
    else:
        refuse_tables(roles, task)
        if task == "ordinal" and labels is None:
            labels = order_of(data, actual)
        rows = gathered(data, **roles, labels=labels, positive=positive, missing=missing)
    if not len(rows):
        raise InputError("there are no rows to judge.")
    rows = with_slices(rows, edges)
    decision, rows = infer_task(rows, task, threshold)
    refuse_unused(decision.name, settings)
    names: dict[str, Any] = {
        role: kept.name
        for role in ("actual", "predicted", "score", "weight", "group")
        if (kept := getattr(rows, role)) is not None
    }
    settings = dataclasses.replace(settings, **names, by=tuple(one.name for one in rows.by))
    return Evaluation(decision, settings, Collection.of_mapping(_tallies(decision, rows)), rows, rows.dropped)


def _of_table(
    tally: Confusion,
    positive: Label | None,
    task_name: str | None,
    threshold: float | None,
    settings: Settings,
) -> Evaluation:
    """Return the evaluation of a ready confusion table."""
    if threshold is not None:
        raise InputError("threshold= cuts scores, which a ready table no longer has: leave it out.")
    task, tally = table_task(tally, positive, task_name)
    refuse_unused(task.name, settings)
    return Evaluation(task, settings, Collection.of_mapping({"confusion": tally}))


def _of_sets(
    data: Any, roles: dict[str, Any], task_name: str | None, settings: Settings, beside: dict[str, Any], *,
    labels: Any, threshold: float | None, missing: str,
) -> Evaluation:  # fmt: skip
    """Return the evaluation of rows that may have several labels."""
    beside = {"query": roles["query"], "by": roles["by"], **beside}
    idle = [f"{name}=" for name, one in beside.items() if one is not None]
    if idle:
        raise InputError(f"{' and '.join(idle)} has no use for rows of several labels: leave it out.")
    given = {name: roles[name] for name in ("actual", "predicted", "score", "weight", "group")}
    tables = label_tables(data, **given, threshold=threshold, labels=labels, missing=missing)
    inferred = tables.inferred if task_name else ("each row holds a list of labels", *tables.inferred)
    tally = tables.tally()
    task = Task("multilabel", tally.labels, None, threshold, inferred)
    said: dict[str, Any] = {
        name: one.name for name in ("weight", "group") if (one := getattr(tables, name)) is not None
    }
    settings = dataclasses.replace(settings, **said)
    tallies = Collection.of_mapping({"label_sets": tally})
    return Evaluation(task, settings, tallies, dropped=tables.dropped, sets=tables)


def _tallies(task: Task, rows: Rows) -> dict[str, Tally]:
    """Return the tallies that a problem's figures are read from."""
    if task.name == "regression":
        return {"moments": Moments.of(rows)}
    if task.name == "ranking":
        return {"queries": Queries.of(rows)}
    found: dict[str, Tally] = {}
    if rows.score is not None and rows.score.values.ndim > 1:
        found["class_scores"] = ClassScores.of(rows)
    elif rows.score is not None:
        found["scores"] = Scores.of(rows)
    if rows.predicted is not None:
        table = Confusion.of(rows)
        found["confusion"] = with_labels(table, task.labels) if task.name == "binary" else table
    elif task.threshold is not None and isinstance(scores := found.get("scores"), Scores):
        found["confusion"] = counted_at(scores, task.threshold, task.labels)
    return found


def evaluate_rows(task: Task, settings: Settings, rows: Rows) -> Evaluation:
    """Return the evaluation of rows whose problem is known: some of the rows that posed it."""
    return Evaluation(task, settings, Collection.of_mapping(_tallies(task, rows)), rows)
