"""Evaluate predictions: gather the rows, infer the task, fill the tallies."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import InputError, suggest_keywords
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.from_counts import as_confusion, table_task
from assay.evaluation.from_scan import evaluate_scan, is_scanned
from assay.evaluation.infer_task import Task, infer_task
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.evaluation.task import Settings
from assay.evaluation.task_tallies import core_tallies
from assay.evaluation.validation import (
    check_settings,
    check_task,
    columns_without_role_error,
    refuse_cluster_columns,
    refuse_columns_without_role,
    refuse_no_rows,
    refuse_options_of_lists,
    refuse_several_columns,
    refuse_tags_without_ledger,
    refuse_unused_settings,
)
from assay.formatting.frame_output import library_of
from assay.hints import param
from assay.inference.formulas.proportions import check_confidence
from assay.inputs import Rows
from assay.inputs.discretize import with_slices
from assay.inputs.multilabel import (
    are_graded,
    are_label_lists,
    are_rows_of_items,
    as_lists,
    has_several_outputs,
)
from assay.inputs.roles import gather_rows
from assay.tallies import Collection, Confusion, Queries, Scores
from assay.tallies.collection import maker
from assay.tallies.scores.thresholding import counted_at, with_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.evaluation.shortcuts import LedgerAddress
    from assay.evaluation.task import TaskName
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
    key: Any = None,
    by: Any = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    task: TaskName | None = None,
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
    proxy: Any = None,
    selection: Any = None,
    ledger: LedgerAddress | None = None,
    tags: Iterable[str] = (),
) -> Evaluation:
    """Evaluate predictions: every metric that fits the task, each with its interval.

    Parameters
    ----------
    data
        A table whose columns the roles may name (see :func:`assay.rows`), or rows. Or data that is
        scanned once and never held in memory: the path of a file, a folder or a pattern, an
        :func:`assay.engines.source`, a Spark or Dask data frame. Or a table of counts, rows actual, with
        ``labels=`` in its order; a frame or nested dicts that name their rows and columns; a
        :class:`assay.CrossTable` or a confusion tally.
    more
        Not used: columns are passed by the name of their role.
    actual, predicted, score, weight, group, query, key, by, labels, positive, missing
        The roles of :func:`assay.rows`. Rows that may have several labels have a table of 0 and 1 for
        `actual` and `predicted`, or lists of labels; a regression of several outputs has a table of numbers.
        Of a frame or a file, such a role is a list of column names. Ranked lists may be lists of items, best
        first. By `by` the rows are sliced: see :attr:`Evaluation.slices`.
    edges
        Where numbers to slice by are cut, by their columns: ``{"age": [30, 50]}``. Without, at their
        quartiles, unless they are whole and of few different values.
    task
        ``"binary"``, ``"multiclass"``, ``"ordinal"``, ``"multilabel"``, ``"regression"``, ``"multioutput"``
        (a regression of several outputs) or ``"ranking"``. Inferred where there is no doubt, and always
        reported.
    threshold
        Scores at or above it are predicted positive. Actual and predicted numbers are both cut at it.
    confidence
        The confidence level of all intervals.
    beta, cost_fp, cost_fn
        Which error is worse: F-beta is reported, and thresholds are chosen by the costs; a cost that is not
        given is 1.
    prevalence
        The share of positives where the model will be used, if other than in these rows: predictive values
        are reported for it.
    k
        The depth at which ranked lists are evaluated.
    empty
        What a ranked list without a relevant item counts as: ``"zero"`` (the default), ``"one"``, or
        ``"skip"`` to leave it out. Their number is reported.
    name
        The name of the model in reports.
    memory, threads
        The memory that reading a file may take, and its number of threads (see :func:`assay.engines.scan`).
        Rows in memory need neither.
    proxy
        A stand-in for `actual` on all rows, a model that judges say, where `actual` is missing on most of
        them: estimates then use both (prediction-powered inference), and ``ev["f1"].labels_alone`` says what
        the labels say alone. Names of several columns are several proxies.
    selection
        With `proxy`: how likely each row was to be labelled, where that differed.
    ledger
        Where to record the evaluation: True (``.assay/ledger.db``), a path or an address (see
        :func:`assay.ledger`), or a ledger. Its summary then says how many models were evaluated on this test
        set before, and has intervals that hold for all of them. Name the rows by `key`, so that a test set
        is known by more than its labels.
    tags
        Words to record beside, such as ``["nightly"]``.

    Returns
    -------
    Evaluation
        Its metrics by name, counts, curves, slices, text and page.

    Raises
    ------
    InputError
        A role is missing, or does not fit the others or the task.
    ColumnError
        A column is not there, or is none.
    LengthError
        Columns have different numbers of values.
    MissingValueError
        A value is missing, and `missing` is ``"refuse"``.
    LabelError
        A label was not declared, or it is not clear which one is positive.
    NumberError
        A number is not finite, or no probability.
    FileError
        A file cannot be read.
    MetricError
        A setting does not fit, such as a `confidence` of 95.

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
    settings_given: dict[str, Any] = {
        "beta": beta, "cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence, "k": k,
        "empty": empty, "name": name,
    }  # fmt: skip
    check_settings(threshold=threshold, confidence=confidence, **settings_given)
    check_confidence(confidence)
    settings_given = _plain_settings(settings_given)
    confidence, threshold = float(confidence), None if threshold is None else float(threshold)
    roles = {
        "actual": actual, "predicted": predicted, "score": score, "weight": weight, "group": group,
        "query": query, "key": key, "by": by,
    }  # fmt: skip
    refuse_tags_without_ledger(ledger, tags)
    by_role = any(value is not None for value in roles.values())
    refuse_columns_without_role(data, more, by_role=by_role)
    refuse_cluster_columns(roles)
    if proxy is not None or selection is not None:
        if proxy is None:
            raise InputError(f"{param('selection')} is for labels beside a {param('proxy')}: pass that too.")
        if ledger or key is not None:
            raise InputError(
                f"a ledger does not store evaluations by a {param('proxy')} yet: leave out {param('ledger')} "
                f"and {param('key')}."
            )
        from assay.evaluation.proxy.from_proxy import evaluate_with_proxy  # noqa: PLC0415 - circular import

        shared = {
            "labels": labels, "positive": positive, "missing": missing, "task": task, "threshold": threshold,
            "confidence": confidence, "edges": edges, "memory": memory, "threads": threads, **settings_given,
        }  # fmt: skip
        return evaluate_with_proxy(evaluate, data, roles, (proxy, selection), shared)
    settings = Settings(confidence, **settings_given, library=library_of(data, actual, predicted, score))
    options: dict[str, Any] = {
        "labels": labels, "positive": positive, "missing": missing, "task": task, "threshold": threshold,
        "edges": edges,
    }  # fmt: skip
    if is_scanned(data):
        ev = evaluate_scan(
            data, roles, settings, **options, memory=memory, threads=threads, fingerprint=bool(ledger)
        )
    else:
        ev = _evaluate_in_memory(data, roles, settings, settings_given, **options)
    return ev if ledger is None or ledger is False else ev.record(ledger, tags=tags)


def _evaluate_in_memory(
    data: Any,
    roles: dict[str, Any],
    settings: Settings,
    settings_given: Mapping[str, Any],
    *,
    labels: Sequence[Label] | None,
    positive: Label | None,
    missing: str,
    task: TaskName | None,
    threshold: float | None,
    edges: Mapping[str, Sequence[float]] | None,
) -> Evaluation:
    """Return the evaluation of columns, rows, lists or counts."""
    actual, predicted, score = (roles[role] for role in ("actual", "predicted", "score"))
    weight, group, query, by = (roles[role] for role in ("weight", "group", "query", "by"))
    by_role = any(value is not None for value in roles.values())
    if data is not None and not by_role and not isinstance(data, Rows):
        table = as_confusion(data, labels)
        if table is not None:
            return _evaluate_counts(table, positive, task, threshold, settings)
        raise columns_without_role_error(data)
    if task == "ranking":
        lists = [as_lists(data, value) for value in (actual, predicted)]
        are_ranked_lists = are_rows_of_items(lists[1]) and (
            are_rows_of_items(lists[0]) or are_graded(lists[0])
        )
        if score is None and are_ranked_lists:
            refuse_options_of_lists(weight=weight, group=group, by=by, edges=edges, labels=labels,
                                positive=positive, threshold=threshold, **settings_given)  # fmt: skip
            tally = Queries.of_lists(actual=lists[0], predicted=lists[1], query=query)
            return Evaluation(Task("ranking"), settings, Collection.of_mapping({"queries": tally}))
    notes: tuple[str, ...] = ()
    if isinstance(data, Rows):
        if by_role or labels is not None or positive is not None:
            raise InputError(
                "rows have their roles, labels and positive label already: pass them to assay.rows()."
            )
        rows = data
    else:
        multioutput = task in MULTIOUTPUT_TASKS or has_several_outputs(data, actual, predicted)
        if multioutput and task is None and are_label_lists(data, actual, predicted):
            task, notes = "multilabel", ("each row holds a list of labels",)
        if multioutput and positive is not None:
            raise InputError(f"{param('positive')} has no use for rows of several labels: leave it out.")
        if not multioutput:
            refuse_several_columns(roles)
        columns = {role: value for role, value in roles.items() if role != "by"}
        rows = gather_rows(
            data, columns, by=by, labels=labels, positive=positive, missing=missing, multioutput=multioutput
        )
    refuse_no_rows(rows.n)
    gathered = rows
    rows = with_slices(rows, edges) if rows.by or edges else rows
    inferred, rows = infer_task(rows, task, threshold)
    inferred = dataclasses.replace(inferred, inferred=(*notes, *inferred.inferred))
    refuse_unused_settings(inferred.name, settings)
    names: dict[str, Any] = {
        role: column.name
        for role in ("actual", "predicted", "score", "weight", "group")
        if (column := getattr(rows, role)) is not None
    }
    settings = dataclasses.replace(settings, **names, by=tuple(value.name for value in rows.by))
    return Evaluation(
        inferred,
        settings,
        Collection.of_mapping(_tallies(inferred, rows)),
        rows,
        rows.dropped,
        gathered=gathered,
    )


def _plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings as plain numbers, which files and JSON need; the other of one cost alone is 1."""
    plain = {
        name: value.item() if isinstance(value, np.generic) else value for name, value in settings.items()
    }
    costs = ("cost_fp", "cost_fn")
    if sum(plain[name] is None for name in costs) == 1:
        plain |= {name: 1.0 for name in costs if plain[name] is None}
    return plain


def _evaluate_counts(
    tally: Confusion,
    positive: Label | None,
    task_name: str | None,
    threshold: float | None,
    settings: Settings,
) -> Evaluation:
    """Return the evaluation of a ready confusion table."""
    if threshold is not None:
        raise InputError(
            f"{param('threshold')} cuts scores, which a ready table no longer has: leave it out."
        )
    task, tally = table_task(tally, positive, task_name)
    refuse_unused_settings(task.name, settings)
    return Evaluation(task, settings, Collection.of_mapping({"confusion": tally}))


def _tallies(task: Task, rows: Rows) -> dict[str, Tally]:
    """Return the tallies of a task that every report reads."""
    tallies: dict[str, Tally] = {name: maker(make)(rows) for name, make in core_tallies(task, rows).items()}
    table = tallies.get("confusion")
    if isinstance(table, Confusion) and task.name == "binary":
        tallies["confusion"] = with_labels(table, task.labels)
    elif table is None and task.threshold is not None and isinstance(scores := tallies.get("scores"), Scores):
        tallies["confusion"] = counted_at(scores, task.threshold, task.labels)
    return tallies


def evaluate_rows(task: Task, settings: Settings, rows: Rows) -> Evaluation:
    """Return the evaluation of rows of a known task, such as a slice of all rows."""
    return Evaluation(task, settings, Collection.of_mapping(_tallies(task, rows)), rows)
