"""Save, load and merge evaluations of few labels and many proxies: labelled rows, and tallies of all rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.errors import FormatError, InputError
from assay.evaluation.evaluate import evaluate_rows
from assay.evaluation.merge import common_settings, common_task
from assay.evaluation.proxy.combine_labels import powered
from assay.evaluation.proxy.powered_evaluation import POWERED_KIND, PoweredEvaluation
from assay.evaluation.storage import fields_of, from_bytes, read_fields, to_bytes
from assay.evaluation.task import Settings, Task
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.tallies import StoredRows, serialization
from assay.tallies.tally import restored

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["merged", "powered_from_state", "powered_to_bytes"]

_FORMAT = 1


def powered_to_bytes(ev: PoweredEvaluation) -> bytes:
    """Return an evaluation with proxies as versioned bytes."""
    _refuse_rows(ev, "saved")
    stored = _labelled_rows(ev)
    task = dataclasses.replace(ev.task, inferred=ev.inferred_from_labels)
    proxies = tuple(serialization.unpack(to_bytes(proxy, estimates=False)) for proxy in ev.proxies)
    names = tuple(column.name for column in ev.stand_ins)
    state = (_FORMAT, fields_of(task), fields_of(ev.settings), ev.dropped, names, stored.state(), proxies)
    return serialization.pack(POWERED_KIND, state)


def powered_from_state(state: Any) -> PoweredEvaluation:
    """Return what :func:`powered_to_bytes` wrote."""
    if not state or type(state[0]) is not int or state[0] > _FORMAT:
        raise FormatError("this evaluation was written by a newer assay. Update assay to read it.")
    try:
        _, task, settings, dropped, names, stored, proxies = state
        rows: Any = restored(StoredRows.kind, stored)
        return _joined(
            read_fields(Task, task), read_fields(Settings, settings), rows, names,
            [from_bytes(serialization.pack(*proxy)) for proxy in proxies], dropped,
        )  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"this evaluation is damaged: {error}.") from None


def merged(ev: PoweredEvaluation, other: Any) -> PoweredEvaluation:
    """Return the evaluation of both sides' rows.

    >>> import assay
    >>> human, judge, said = [1, 0, None, None], [1, 0, 0, 1], [1, 1, 0, 1]
    >>> ev = assay.evaluate(actual=human, predicted=said, proxy=judge)
    >>> both = ev.merge(ev)
    >>> both.total, both.n
    (8, 4)
    """
    if not isinstance(other, PoweredEvaluation):
        raise InputError("one evaluation has a proxy and the other has none: evaluate both alike.")
    if len(ev.proxies) != len(other.proxies):
        counts = [count_of(len(side.proxies), "proxy", "proxies") for side in (ev, other)]
        raise InputError(f"one evaluation has {counts[0]} and the other {counts[1]}: evaluate both alike.")
    for side in (ev, other):
        _refuse_rows(side, "merged")
    sides = [
        dataclasses.replace(side, task=dataclasses.replace(side.task, inferred=side.inferred_from_labels))
        for side in (ev, other)
    ]
    return _joined(
        common_task(*sides), common_settings(ev.settings, other.settings),
        _labelled_rows(ev).merge(_labelled_rows(other)), tuple(column.name for column in ev.stand_ins),
        [first.merge(second) for first, second in zip(ev.proxies, other.proxies, strict=True)],
        ev.dropped + other.dropped,
    )  # fmt: skip


def _joined(  # noqa: PLR0917 - what was stored, in order
    task: Task,
    settings: Settings,
    stored: StoredRows,
    names: tuple[str, ...],
    proxies: list[Evaluation],
    dropped: int,
) -> PoweredEvaluation:
    rows = stored.rows()
    columns = {int(column.name): column for column in rows.by}
    stand_ins = [dataclasses.replace(columns[index], name=name) for index, name in enumerate(names)]
    by = tuple(
        dataclasses.replace(columns[len(names) + index], name=name) for index, name in enumerate(settings.by)
    )
    human = evaluate_rows(task, settings, dataclasses.replace(rows, by=by))
    return powered(dataclasses.replace(human, dropped=dropped), proxies, stand_ins)


def _labelled_rows(ev: PoweredEvaluation) -> StoredRows:
    """Return the labelled rows; proxies' labels, and then the columns to slice by, are named by number."""
    rows = ev.source_rows
    assert rows is not None  # noqa: S101 - labelled rows are always held
    beside = tuple(
        dataclasses.replace(column, name=str(index)) for index, column in enumerate((*ev.stand_ins, *rows.by))
    )
    return StoredRows.of(dataclasses.replace(rows, by=beside))


def _refuse_rows(ev: PoweredEvaluation, what: str) -> None:
    if not ev.simple or ev.task.name == "ranking":
        raise InputError(
            f"an evaluation with {param('proxy')} cannot be {what} where rows have weights, groups, lists or "
            f"{param('selection')}: it needs all rows one by one. Keep the rows, and evaluate them together."
        )
