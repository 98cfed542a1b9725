"""Few labels and many proxies of data that is not in memory: labelled rows are stored, all others tallied."""

from __future__ import annotations

import dataclasses
import functools
import os
from typing import TYPE_CHECKING, Any

from assay.engines import Source, scan, source
from assay.engines import read as read_columns
from assay.engines.accumulator import as_bytes, in_words
from assay.engines.dispatch import is_cluster
from assay.errors import InputError
from assay.evaluation.proxy.combine_labels import chosen_task, explain_other_labels, powered
from assay.hints import param, passed
from assay.tallies import BoundedTally, StoredRows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
    from assay.inputs import Column

__all__ = ["evaluate_scanned_labels", "may_stay_outside", "proxy_names", "rows_of_source"]

_LABELLED = "labelled"
_SHARE = 8  # the part of the memory that labelled rows may take is one of so many
_COLUMNS_SHARE = 8  # and that of columns which are read whole instead
_VALUE_BYTES = 8
_NEED_ROWS = ("weight", "group", "query")


def proxy_names(proxy: Any, data: Any) -> list[Any]:
    """Return the proxies: names of columns, or a column by itself."""
    several = isinstance(proxy, (list, tuple)) and all(isinstance(name, str) for name in proxy)
    named: list[Any] = list(proxy) if several and data is not None else [proxy]
    if not named:
        raise InputError(f"{param('proxy')} names no column: name one, or several.")
    if is_cluster(data) or isinstance(data, (str, os.PathLike, Source)):
        for name in named:
            if not isinstance(name, str):
                raise InputError(
                    f"{passed('proxy', type(name).__name__)}: of a file or a cluster's frame, pass the "
                    "column's name."
                )
    return named


def may_stay_outside(
    data: Any, roles: Mapping[str, Any], proxies: Sequence[str], selection: Any, memory: int | str
) -> bool:
    """Tell whether tallies are enough, and whether the columns are too large to be read instead.

    Rows that weigh differently, come in groups or lists, or were selected are needed one by one.
    """
    if selection is not None or any(roles.get(role) is not None for role in _NEED_ROWS):
        return False
    if is_cluster(data):
        return True
    count = None if str(data) == "-" else _count(data)
    if count is None:
        return False
    columns = len(proxies) + sum(value is not None for value in roles.values())
    return count * columns * _VALUE_BYTES > as_bytes(memory) // _COLUMNS_SHARE


def _count(data: Any) -> int | None:
    return (data if isinstance(data, Source) else source(data)).count()


def rows_of_source(data: Any, names: Sequence[Any], limits: Mapping[str, Any]) -> dict[str, Column]:
    """Return columns of a file; those of a cluster's frame are refused."""
    if is_cluster(data):
        raise InputError(
            f"{param('proxy')} with {param('weight')}, {param('group')}, {param('query')} or "
            f"{param('selection')} needs the rows one by one: collect these columns of the frame first, with "
            "toPandas() or compute()."
        )
    wanted = [name for name in names if isinstance(name, str)]
    threads = {} if limits.get("threads") is None else {"threads": limits["threads"]}
    return read_columns(data, wanted, memory=limits["memory"], **threads)


def evaluate_scanned_labels(
    evaluate: Callable[..., Evaluation],
    data: Any,
    roles: Mapping[str, Any],
    proxies: Sequence[str],
    options: dict[str, Any],
) -> PoweredEvaluation:
    """Return the evaluation of data that is scanned: once for the labelled rows, once for each proxy."""
    named = {role: value for role, value in roles.items() if value is not None}
    by = named.pop("by", ())
    by = (by,) if isinstance(by, str) else tuple(by)
    human, stand_ins = _labelled(evaluate, data, named, by, proxies, options)
    chosen = chosen_task(human.task, options)
    sliced = {"by": list(by)} if by else {}
    with explain_other_labels(human.task, options):
        by_proxy = [evaluate(data, **(named | {"actual": proxy}), **sliced, **chosen) for proxy in proxies]
    human = dataclasses.replace(human, dropped=by_proxy[0].dropped)
    return powered(human, by_proxy, stand_ins)


def _labelled(  # noqa: PLR0917 - what the scan is told
    evaluate: Callable[..., Evaluation],
    data: Any,
    named: Mapping[str, Any],
    by: tuple[str, ...],
    proxies: Sequence[str],
    options: dict[str, Any],
) -> tuple[Evaluation, list[Column]]:
    """Return the evaluation of the labelled rows, and the proxies' labels of them."""
    limit = as_bytes(options["memory"]) // _SHARE
    beside = tuple(dict.fromkeys([*by, *proxies]))
    edges = options.get("edges")
    limits = {name: options[name] for name in ("labels", "positive", "memory", "threads")}
    tally = scan(
        data, tallies={_LABELLED: functools.partial(StoredRows.within, limit=limit)}, **named, by=beside,
        missing="drop", edges=edges, **limits,
    )[_LABELLED]  # fmt: skip
    if isinstance(tally, BoundedTally) and tally.tally is None:
        raise InputError(
            f"the {tally.n:,} labelled rows take more than {in_words(limit)}, a part of "
            f"{param('memory', in_words(as_bytes(options['memory'])))}: give more, or evaluate the labelled "
            "rows by themselves, which are many enough."
        )
    stored = tally.tally if isinstance(tally, BoundedTally) else tally
    if not isinstance(stored, StoredRows) or not stored.n:
        raise InputError(f"{named['actual']} has no label at all: a proxy alone evaluates nothing.")
    rows = stored.rows()
    beside_by_name = {column.name: column for column in rows.by}
    rows = dataclasses.replace(rows, by=tuple(beside_by_name[name] for name in by))
    left_out = ("labels", "positive", "edges", "missing", "memory", "threads")
    settings = {name: value for name, value in options.items() if name not in left_out}
    return evaluate(rows, **settings), [beside_by_name[name] for name in proxies]
