"""Evaluate rows of which a few have labels by people and all have labels by a proxy."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engines import Source
from assay.engines import read as read_columns
from assay.errors import InputError, NumberError
from assay.evaluation.from_scan import is_scanned
from assay.evaluation.proxy.balance import balance_tests, balance_warnings
from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
from assay.formatting.frame_output import library_of
from assay.formatting.width import clean
from assay.hints import param
from assay.inputs import column, encode
from assay.inputs.frames import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.evaluation.evaluation import Evaluation
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
    if roles.get("by") is not None or options.get("edges") is not None:
        raise InputError(
            f"{param('by')} is not offered with {param('proxy')}: evaluate each slice by itself."
        )
    if roles.get("actual") is None:
        raise InputError(f"{param('proxy')} stands in for labels that are missing: pass {param('actual')}.")
    columns = _ProxyColumns(data, roles, proxy, selection, missing=options.pop("missing", "refuse"))
    human = evaluate(**columns.of(columns.labelled, columns.actual, weighted=True), **options)
    chosen = options | {"task": human.task.name}
    if human.task.labels:
        chosen |= {"labels": list(human.task.labels)}
    if human.task.name == "binary":
        chosen |= {"positive": human.task.positive, "threshold": human.task.threshold}
    everything = np.arange(columns.n)
    by_proxy = tuple(evaluate(**columns.of(everything, each), **chosen) for each in columns.proxies)
    tests = balance_tests(columns.named(), columns.labelled, columns.n) if selection is None else {}
    stated = [*human.task.inferred, *columns.remarks, *balance_warnings(tests)]
    fields = {field.name: getattr(human, field.name) for field in dataclasses.fields(human)}
    fields["settings"] = dataclasses.replace(human.settings, library=library_of(data, *roles.values()))
    if human.source_rows is not None:  # rows are numbered as the caller has them
        numbers = columns.numbers[columns.labelled]
        numbers = numbers if human.source_rows.origin is None else numbers[human.source_rows.origin]
        fields["source_rows"] = dataclasses.replace(human.source_rows, origin=numbers)
    fields["task"] = dataclasses.replace(human.task, inferred=tuple(stated))
    return PoweredEvaluation(
        **fields, proxies=by_proxy, labelled=columns.labelled, selected=selection is not None, balance=tests
    )


class _ProxyColumns:
    """The caller's columns, complete but for the labels."""

    def __init__(self, data: Any, roles: dict[str, Any], proxy: Any, selection: Any, *, missing: str) -> None:
        several = isinstance(proxy, (list, tuple)) and all(isinstance(name, str) for name in proxy)
        named: list[Any] = list(proxy) if several and data is not None else [proxy]
        if not named:
            raise InputError(f"{param('proxy')} names no column: name one, or several.")
        table = Table(_loaded(data, [*roles.values(), *named, selection])) if data is not None else None

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
        self.proxies = [take(each, "proxy") for each in named]
        self.selection = None if selection is None else take(selection, "selection")
        self.n = len(self.actual)
        others = [*self.roles.values(), *self.proxies]
        for values in [*others, *([self.selection] if self.selection is not None else [])]:
            if len(values) != self.n:
                raise InputError(f"{values.name} has {len(values):,} values, {self.actual.name} {self.n:,}.")
        self._complete(others, missing)
        absent = self.actual.absent()
        self.labelled: Array = np.arange(self.n) if absent is None else np.flatnonzero(~absent)
        self._whole_queries()
        if not len(self.labelled):
            raise InputError(f"{self.actual.name} has no label at all: a proxy alone evaluates nothing.")
        self.weight = self._label_weights()
        names = " and ".join(clean(each.name) for each in self.proxies)
        share = f"{len(self.labelled):,} of {self.n:,} rows have a label in {clean(self.actual.name)}"
        self.remarks = [f"{share}; the others are used through {names}", *self.remarks_on_selection]
        if len(self.labelled) == self.n:
            self.remarks[0] = f"all {self.n:,} rows have a label: {names} adds nothing"

    def _complete(self, others: list[Column], missing: str) -> None:
        """Leave out, or refuse, rows that lack anything but a label."""
        keep = np.ones(self.n, dtype=bool)
        for values in others:
            absent = values.absent()
            if absent is not None and missing == "drop":
                keep &= ~absent
            elif absent is not None:
                values.raise_missing(int(np.argmax(absent)))
        weight = self.roles.get("weight")
        if weight is not None:
            keep &= weight.numbers("weights") != 0
            if len(keep) and not keep.any():
                raise InputError(f"{weight.name} is 0 on every row: nothing is left to evaluate.")
            absent = self.actual.absent()
            if not (keep if absent is None else keep & ~absent).any():
                raise InputError(f"{weight.name} is 0 on every row that has a label: no label is left.")
        self.numbers = np.flatnonzero(keep)  # of the rows in what the caller passed
        if keep.all():
            return
        self.roles = {role: values.take(keep) for role, values in self.roles.items()}
        self.proxies = [values.take(keep) for values in self.proxies]
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

    def of(self, index: Array, actual: Column, *, weighted: bool = False) -> dict[str, Any]:
        """Return the roles of some rows, with a column as truth."""
        whole = len(index) == self.n
        taken: dict[str, Any] = {
            role: values if whole else values.take(index) for role, values in self.roles.items()
        }
        taken["actual"] = actual if whole and actual.absent() is None else actual.take(index)
        if weighted and self.weight is not None:
            taken["weight"] = self.weight
        return taken

    def named(self) -> dict[str, Column]:
        """Return the columns by which labelled rows may be told from others."""
        columns = {each.name: each for each in self.proxies}
        return columns | {
            self.roles[role].name: self.roles[role] for role in ("predicted", "score") if role in self.roles
        }


def _loaded(data: Any, roles: list[Any]) -> Any:
    """Return the columns of a file that the roles name; other tables as they are."""
    if not is_scanned(data):
        return data
    if not isinstance(data, (str, os.PathLike, Source)):
        raise InputError(
            f"{param('proxy')} needs the rows in memory: pass a file, a data frame or arrays. Counts of two "
            "classes merge as PairedLabels and Confusion tallies."
        )
    return read_columns(data, [name for name in roles if isinstance(name, str)])
