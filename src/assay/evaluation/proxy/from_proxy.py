"""Evaluate rows of which a few have labels by people and all have labels by a proxy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, NumberError
from assay.evaluation.from_scan import is_scanned
from assay.evaluation.proxy.combine_labels import chosen_task, explain_other_labels, powered
from assay.evaluation.proxy.scanned_labels import (
    evaluate_scanned_labels,
    may_stay_outside,
    proxy_names,
    rows_of_source,
)
from assay.formatting.frame_output import library_of
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import Rows, column, encode, rows
from assay.inputs.discretize import with_slices
from assay.inputs.frames import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
    from assay.evaluation.task import Settings
    from assay.inputs import Column
    from assay.inputs.columns import Array

__all__ = ["evaluate_with_proxy"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query")
_SMALL_PROBABILITY = 0.01


def evaluate_with_proxy(
    evaluate: Callable[..., Evaluation],
    data: Any,
    roles: dict[str, Any],
    proxies: tuple[Any, Any],
    options: dict[str, Any],
) -> PoweredEvaluation:
    """Return the evaluation of labelled rows that uses the proxies of all rows.

    `evaluate` is :func:`assay.evaluate` itself, `proxies` are its `proxy` and `selection`, `options` its
    settings.
    """
    proxy, selection = proxies
    if roles.get("actual") is None:
        raise InputError(f"{param('proxy')} stands in for labels that are missing: pass {param('actual')}.")
    limits = {name: options.pop(name) for name in ("memory", "threads")}
    names = proxy_names(proxy, data)
    if is_scanned(data):
        if may_stay_outside(data, roles, names, selection, limits["memory"]):
            return evaluate_scanned_labels(evaluate, data, roles, names, options | limits)
        data = rows_of_source(data, [*_flat(roles), *names, selection], limits)
    edges, missing = options.pop("edges", None), options.pop("missing", "refuse")
    columns = _ProxyColumns(data, roles, names, selection, missing=missing, edges=edges)
    labelled_rows = columns.rows_of(columns.labelled, columns.actual, options, weighted=True)
    human = evaluate(labelled_rows, **_rest(options))
    human = dataclasses.replace(human, settings=columns.renamed(human.settings, data, roles))
    if human.source_rows is not None:  # rows are numbered as the caller has them
        numbers = columns.numbers_of_labelled()
        numbers = numbers if human.source_rows.origin is None else numbers[human.source_rows.origin]
        human = dataclasses.replace(
            human, source_rows=dataclasses.replace(human.source_rows, origin=numbers), dropped=columns.dropped
        )
    chosen = chosen_task(human.task, options)
    with explain_other_labels(human.task, options):
        by_proxy = [
            evaluate(columns.rows_of(None, each, chosen), **_rest(chosen)) for each in columns.proxies
        ]
    return powered(
        human, by_proxy, [each.take(columns.labelled) for each in columns.proxies], labelled=columns.labelled,
        selected=selection is not None, remarks=columns.remarks_on_selection,
    )  # fmt: skip


def _flat(roles: dict[str, Any]) -> list[Any]:
    """Return the names of all roles' columns; `by` may name several."""
    return [
        name for value in roles.values() for name in (value if isinstance(value, (list, tuple)) else [value])
    ]


def _rest(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that rows do not hold themselves."""
    return {name: value for name, value in options.items() if name not in ("labels", "positive")}


class _ProxyColumns:
    """The caller's columns, complete but for the labels."""

    def __init__(
        self,
        data: Any,
        roles: dict[str, Any],
        proxies: list[Any],
        selection: Any,
        *,
        missing: str,
        edges: Any,
    ) -> None:
        table = None if data is None else Table(data)

        def take(value: Any, role: str) -> Column:
            if table is not None and (isinstance(value, str) or table.has(value)):
                return table.column(value)
            return column(value, role)

        score = roles.get("score")
        nested = isinstance(score, (list, tuple)) and bool(score) and not isinstance(score[0], (int, float))
        if nested or isinstance(score, Mapping) or getattr(score, "ndim", 1) > 1:
            raise InputError(
                f"{param('proxy')} takes a single column of scores: leave the others out, or pass "
                f"{param('predicted')}."
            )
        self.roles = {role: take(value, role) for role in _ROLES if (value := roles.get(role)) is not None}
        self.actual = self.roles.pop("actual")
        self.proxies = [take(each, "proxy") for each in proxies]
        by = roles.get("by")
        named: list[Any] = [] if by is None else [by]
        if isinstance(by, (list, tuple)) and (data is not None or not _is_column(by)):
            named = list(by)
        self.by = [take(each, "by") for each in named]
        self.selection = None if selection is None else take(selection, "selection")
        self.n = len(self.actual)
        others = [*self.roles.values(), *self.proxies, *self.by]
        for values in [*others, *([self.selection] if self.selection is not None else [])]:
            if len(values) != self.n:
                raise InputError(
                    f"{values.name} has {count_of(len(values), 'value')}, {self.actual.name} {self.n:,}."
                )
        self._complete(others, missing)
        absent = self.actual.absent()
        self.labelled: Array = np.arange(self.n) if absent is None else np.flatnonzero(~absent)
        if not len(self.labelled):
            raise InputError(f"{self.actual.name} has no label at all: a proxy alone evaluates nothing.")
        self._whole_queries()
        self.weight = self._label_weights()
        # Numbers to slice by are cut at the quartiles of all rows, for the labelled ones, too.
        sliced = with_slices(Rows(self.n, by=tuple(self.by)), edges) if self.by or edges else None
        self.by = list(sliced.by) if sliced is not None else []

    def _complete(self, others: list[Column], missing: str) -> None:
        """Leave out, or refuse, rows that lack anything but a label."""
        self.dropped, self.numbers = 0, None  # the numbers of the rows in what the caller passed, if fewer
        absences = [(values, absent) for values in others if (absent := values.absent()) is not None]
        weight = self.roles.get("weight")
        if weight is None and not absences:
            return
        keep = np.ones(self.n, dtype=bool)
        for values, absent in absences:
            if missing != "drop":
                values.raise_missing(int(np.argmax(absent)))
            keep &= ~absent
        self.dropped = int(len(keep) - np.count_nonzero(keep))
        if weight is not None:
            keep &= weight.numbers("weights") != 0
            if len(keep) and not keep.any():
                raise InputError(f"{weight.name} is 0 on every row: nothing is left to evaluate.")
            absent = self.actual.absent()
            if not (keep if absent is None else keep & ~absent).any():
                raise InputError(f"{weight.name} is 0 on every row that has a label: no label is left.")
        if keep.all():
            return
        self.numbers = np.flatnonzero(keep)
        self.roles = {role: values.take(keep) for role, values in self.roles.items()}
        self.proxies = [values.take(keep) for values in self.proxies]
        self.by = [values.take(keep) for values in self.by]
        self.selection = None if self.selection is None else self.selection.take(keep)
        self.actual = self.actual.take(keep)
        self.n = len(self.actual)

    def _whole_queries(self) -> None:
        """Count a query as labelled only where all of its rows are."""
        query = self.roles.get("query")
        if query is None:
            return
        codes, names = encode(query)
        labelled = np.bincount(codes[self.labelled], minlength=len(names))
        whole = labelled == np.bincount(codes, minlength=len(names))
        self.labelled = self.labelled[whole[codes[self.labelled]]]
        if not len(self.labelled):
            raise InputError(
                f"no {query.name} has a label in {self.actual.name} on all of its rows: a ranked list counts "
                "where it is labelled as a whole."
            )

    def _label_weights(self) -> Array | None:
        """Return the labelled rows' weights over their probabilities of being labelled; None without any."""
        self.remarks_on_selection: list[str] = []
        own = self.roles.get("weight")
        weight = None if own is None else np.asarray(own.numbers("weights"), dtype=np.float64)[self.labelled]
        if self.selection is None:
            return weight
        chances = np.asarray(self.selection.numbers("probabilities"), dtype=np.float64)
        known = chances[self.labelled]
        if not ((known > 0) & (known <= 1)).all():
            raise NumberError(
                f"{self.selection.name} is how likely a row was to be labelled: above 0 and at most 1 on "
                "every labelled row."
            )
        if (chances == 0).any():
            raise InputError(
                "rows that could not be labelled, of probability 0, are not represented by any label."
            )
        if float(known.min()) < _SMALL_PROBABILITY:
            self.remarks_on_selection.append(
                f"a row was labelled with a probability of {known.min():.2g}: single rows weigh a lot"
            )
        return (1.0 if weight is None else weight) / known

    def numbers_of_labelled(self) -> Array:
        """Return the numbers of the labelled rows in what the caller passed."""
        return self.labelled if self.numbers is None else self.numbers[self.labelled]

    def rows_of(
        self, index: Array | None, actual: Column, options: dict[str, Any], *, weighted: bool = False
    ) -> Rows:
        """Return the rows of some numbers, or all, with a column as truth."""
        columns = self.roles | {"actual": actual}
        taken: dict[str, Any] = {
            role: values if index is None else values.take(index) for role, values in columns.items()
        }
        if weighted and self.weight is not None:
            taken["weight"] = self.weight
        stated = {name: options[name] for name in ("labels", "positive") if options.get(name) is not None}
        by = tuple(values if index is None else values.take(index) for values in self.by)
        return dataclasses.replace(rows(**taken, **stated), by=by)

    def renamed(self, settings: Settings, data: Any, roles: dict[str, Any]) -> Settings:
        """Return the settings with the names of the caller's columns."""
        weight = self.roles["weight"].name if "weight" in self.roles else settings.weight
        return dataclasses.replace(settings, weight=weight, library=library_of(data, *roles.values()))


def _is_column(values: Any) -> bool:
    """Tell whether a list is a column of plain values rather than several columns."""
    return bool(len(values)) and isinstance(values[0], (str, int, float, bool, type(None)))
