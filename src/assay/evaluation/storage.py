"""An evaluation in one file: its problem, settings and tallies, and the figures found while there were rows.

The bytes are those of tallies (:mod:`assay.tallies.serialization`): versioned, with a checksum and without
pickle, so that reading a file runs no code.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import FileError, FormatError
from assay.evaluation.default_metrics import flat
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.merge import completed
from assay.evaluation.per_class import FIGURES
from assay.evaluation.settings import Settings
from assay.evaluation.task import Task
from assay.inference.estimate import Estimate
from assay.metrics import Undefined, find
from assay.output_files import write_file
from assay.tallies import Collection, serialization

__all__ = ["from_bytes", "load", "save", "to_bytes"]

_KIND = "evaluation"
_FORMAT = 1


def to_bytes(ev: Evaluation) -> bytes:
    """Return an evaluation as versioned bytes."""
    whole = completed(ev)
    # The figures are kept, too: those that need the rows are there when the rows are not.
    asked = [(figure.metric, figure.options) for figure in flat(whole.groups)]
    if {"confusion", "label_sets"} & set(whole.tallies):
        asked += [(find(name), {"positive": label}) for label in whole.classes for name in FIGURES]
    found = tuple(
        (whole.key(metric, options), _written(whole.estimate(metric, **options))) for metric, options in asked
    )
    parts = (_written(whole.task), _written(whole.settings), whole.dropped, found)
    return serialization.pack(_KIND, (_FORMAT, *parts, (whole.tallies.kind, whole.tallies.state())))


def from_bytes(data: bytes) -> Evaluation:
    """Return the evaluation that :func:`to_bytes` wrote, or raise :class:`~assay.errors.FormatError`."""
    if not data.startswith(b"assay\0"):
        raise FormatError("this is no evaluation that assay saved: it does not begin as one.")
    task_name, state = serialization.unpack(data)
    if task_name != _KIND:
        raise FormatError(
            f"it holds a tally of {task_name}, not an evaluation: read it with assay.from_bytes."
        )
    if not state or type(state[0]) is not int or state[0] > _FORMAT:
        raise FormatError("this evaluation was written by a newer assay. Update assay to read it.")
    try:
        _, task, settings, dropped, found, tallies = state
        collection = Collection.from_bytes(serialization.pack(*tallies))
        kept = {key: _read(Estimate, fields) for key, fields in found}
        ev = Evaluation(_read(Task, task), _read(Settings, settings), collection, dropped=dropped, kept=kept)
        ev.groups  # noqa: B018 - raises where kind and settings are none
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as wrong:
        if isinstance(wrong, FormatError):
            raise
        raise FormatError(f"this evaluation is damaged: {wrong}.") from None
    return ev


def save(ev: Evaluation, path: Any) -> None:
    """Write an evaluation to a file, whole or not at all; new files have the permissions that any has."""
    write_file(path, to_bytes(ev))


def load(path: Any) -> Evaluation:
    """Return the evaluation that ``save`` wrote to a file.

    >>> import assay, pathlib, tempfile
    >>> ev = assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0], name="first")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ev.save(pathlib.Path(folder) / "first.assay")
    ...     again = assay.load(pathlib.Path(folder) / "first.assay")
    >>> again.to_json() == ev.to_json()
    True
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileError(f"there is no file {path}.") from None
    except OSError as failed:
        raise FileError(f"{path} cannot be read: {failed.strerror or failed}.") from None
    try:
        return from_bytes(data)
    except FormatError as wrong:
        raise FormatError(f"{path}: {wrong}") from None


def _written(one: Any) -> tuple[tuple[str, Any], ...]:
    """Return a dataclass's fields by name, as the bytes know them; those at their defaults are left out."""
    fields = dataclasses.fields(one)
    said = ((field.name, getattr(one, field.name), field.default) for field in fields)
    return tuple((name, _value(value)) for name, value, default in said if value is not default)


def _value(value: Any) -> Any:
    if isinstance(value, Undefined):
        return ("undefined", value.reason)
    if isinstance(value, np.generic):
        return value.item()
    return value


def _read(task_name: Any, fields: Any) -> Any:
    """Return a dataclass of fields by name; those that this version does not know are passed over."""
    known = {field.name for field in dataclasses.fields(task_name)}
    said = {name: value for name, value in fields if name in known}
    if task_name is Estimate and isinstance(said["value"], tuple):
        said["value"] = Undefined(str(said["value"][1]))
    return task_name(**said)
