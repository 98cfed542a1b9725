"""Rows as a plan names them: those of its test set, and the predictions on it."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engines import Source, read, source
from assay.engines.dispatch import is_cluster
from assay.errors import InputError, PlanError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.task import Settings
from assay.formatting.progress import Progress
from assay.hints import hint, param
from assay.inputs import Rows
from assay.inputs.discretize import with_slices
from assay.inputs.labels import encode
from assay.inputs.multilabel import has_several_outputs
from assay.inputs.roles import gather_rows
from assay.plans.test_set import TestSet
from assay.tallies import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.plans.plan import Plan

__all__ = ["check_test_set", "evaluate_plan", "other_setting", "plan_rows", "test_set_of"]

_TEST_ROLES = ("actual", "weight", "group", "query", "key", "by")
_OF_ROWS = ("labels", "positive", "missing")  # settings that rows have
_OF_METRICS = ("beta", "prevalence", "k", "empty")
_OF_WEIGHTED_ROWS = ("weight", "group")  # columns whose names evaluations know


def plan_rows(
    plan: Plan, data: Any, roles: Iterable[str] | None = None, limits: Mapping[str, Any] | None = None
) -> Rows:
    """Return the columns that a plan names, of a table or a file, as rows in memory; only some roles of them.

    `limits` are those of :func:`assay.engines.read`: memory and threads.
    """
    if isinstance(data, Rows):
        return data
    if is_cluster(data):
        raise PlanError(
            "a plan reads rows of tables and files: evaluate this data frame with the plan's columns and "
            f"settings, and pass the evaluation{hint(' (assay.evaluate)', '')}."
        )
    wanted = plan.columns if roles is None else {role: plan.columns.get(role) for role in roles}
    columns = {role: name for role, name in wanted.items() if name is not None}
    by = columns.pop("by", ())
    if isinstance(data, (str, os.PathLike, Source)):
        data = _read(plan, data, [*columns.values(), *by], limits or {})
    several = has_several_outputs(data, columns.get("actual"), columns.get("predicted"))
    stated = {key: plan.settings[key] for key in _OF_ROWS if key in plan.settings}
    rows = _in_order_of_keys(gather_rows(data, columns, by=by, multioutput=several, **stated))
    return with_slices(rows, plan.settings.get("edges")) if rows.by else rows


def _in_order_of_keys(rows: Rows) -> Rows:
    """Return the rows in the order of their keys, so that sums over them have the same bits in any file."""
    if rows.key is None:
        return rows
    codes, _ = encode(rows.key)
    return rows if bool((codes[1:] >= codes[:-1]).all()) else rows.take(np.argsort(codes, kind="stable"))


def _read(plan: Plan, data: Any, named: list[Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    origin = data if isinstance(data, Source) else source(data)
    columns = [name for names in named for name in ([names] if isinstance(names, str) else names)]
    score = plan.columns.get("score", ())
    numbers = {*([score] if isinstance(score, str) else score), *plan.settings.get("edges", {})}
    numbers |= {plan.columns.get("weight")}
    stated = [plan.settings.get("positive"), *plan.settings.get("labels", ())]
    if any(isinstance(label, str) for label in stated):  # "1" is text, though a CSV has the number
        labels = [plan.columns.get(role) for role in ("actual", "predicted")]
        as_text = tuple(name for name in labels if isinstance(name, str) and name in columns)
        origin = dataclasses.replace(origin, text=(*origin.text, *as_text))
    with Progress("rows", origin.count()) as bar:
        present = [name for name in columns if name in numbers]
        return read(origin, columns, numbers=present, progress=bar.reach, **limits)


def evaluate_plan(plan: Plan, rows: Rows, *, name: str = "") -> Evaluation:
    """Return the evaluation of predictions with the plan's settings, and intervals of its confidence."""
    settings = {key: value for key, value in plan.settings.items() if key not in (*_OF_ROWS, "edges")}
    return evaluate(rows, **settings, confidence=plan.confidence, name=name)


def other_setting(plan: Plan, ev: Evaluation) -> str:
    """Return a setting of an evaluation that is not the plan's, in words; empty where all are.

    Rows are evaluated as the plan says. An evaluation that was made elsewhere may have another threshold or
    positive label, or lack weights, by which the requirements would be tested instead.
    """
    task, settings = ev.task, ev.settings
    made_with: dict[str, Any] = {
        "task": task.name, "labels": task.labels, "positive": task.positive, "threshold": task.threshold,
        **{name: getattr(settings, name) for name in (*_OF_METRICS, *_OF_WEIGHTED_ROWS)},
    }  # fmt: skip
    stated = ("task", "positive") if task.name == "binary" else ("task", "labels")
    wanted: dict[str, Any] = {name: plan.settings[name] for name in stated if name in plan.settings}
    if task.name == "binary" and "positive" not in wanted and not _cuts_numbers(plan):
        wanted["positive"] = 1  # what is positive where nothing says so
    # Probabilities are cut at 0.5 where nothing says otherwise.
    wanted["threshold"] = plan.settings.get("threshold", 0.5 if task.threshold == 0.5 else None)  # noqa: PLR2004
    wanted |= {name: plan.settings.get(name) for name in _OF_METRICS}
    both = Settings(cost_fp=plan.settings.get("cost_fp"), cost_fn=plan.settings.get("cost_fn")).costs
    for name in ("cost_fp", "cost_fn"):  # where one is given, the other is 1
        made_with[name], wanted[name] = settings.costs.get(name), both.get(name)
    wanted |= {name: plan.columns.get(name, "") for name in _OF_WEIGHTED_ROWS}
    for name, value in wanted.items():
        if made_with[name] != value and _as_text(made_with[name]) != _as_text(value):
            return f"{name} is {_as_text(made_with[name])}, and in the plan {_as_text(value)}"
    return ""


def _cuts_numbers(plan: Plan) -> bool:
    return "score" not in plan.columns and "threshold" in plan.settings


def _as_text(value: Any) -> str:
    """Return a setting as a message shows it; labels as text, for a file may have 1 where a plan has "1"."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "not given" if value in {None, ""} else str(value)


def test_set_of(plan: Plan, data: Any) -> TestSet:
    """Return the test set of a plan: of an evaluation, or of data whose actual values alone are read."""
    if isinstance(data, Evaluation):
        return TestSet.of(data)
    rows = plan_rows(plan, data, _TEST_ROLES)
    if rows.actual is None:
        raise PlanError(f"a test set needs actual values: name {param('actual')}.")
    fingerprint = Fingerprint.of(rows)
    # A model that is always right tells of labels and slices.
    perfect = dataclasses.replace(rows, predicted=rows.actual, score=None, group=None, query=None)
    task = plan.settings.get("task")
    ranked = task == "ranking" or (task is None and rows.query is not None)
    ev = evaluate(perfect, task="regression" if ranked else task)  # grades are no labels
    return TestSet.of(ev, fingerprint)


test_set_of.__test__ = False  # type: ignore[attr-defined]  # its name looks like a test to pytest


def check_test_set(plan: Plan, ev: Evaluation) -> str:
    """Return how the rows of an evaluation differ from the plan's test set; empty where they do not."""
    planned = plan.test_set
    if planned is None:
        return ""
    rows = ev.gathered
    if rows is None:
        test_set = TestSet.of(ev)
        if planned.fingerprint and not test_set.fingerprint:
            raise PlanError(
                "this evaluation does not say which rows it was made of, as the plan requires: check the "
                "rows themselves, or an evaluation of a ledger."
            )
        return planned.difference(test_set)
    fingerprint = Fingerprint.of(rows)
    if planned.fingerprint == fingerprint.test_set and not planned.slice_fingerprints:
        return ""
    try:
        test_set = test_set_of(plan, rows)
    except InputError:  # a label is gone, say
        test_set = TestSet(rows.n, fingerprint=fingerprint.test_set)
        planned = TestSet(planned.rows, fingerprint=planned.fingerprint)
    difference = planned.difference(test_set)
    dropped = f" ({rows.dropped:,} left out because a value is missing)" if rows.dropped else ""
    return difference + (dropped if difference else "")
