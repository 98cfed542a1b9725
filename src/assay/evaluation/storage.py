"""Save and load an evaluation: its task, settings and tallies, and the estimates computed from the rows.

The bytes are those of tallies (:mod:`assay.tallies.serialization`): versioned, with a checksum and without
pickle, so that reading a file runs no code.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import FileError, FormatError
from assay.evaluation.default_metrics import flatten
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.merge import completed
from assay.evaluation.per_class import class_metrics
from assay.evaluation.proxy.powered_evaluation import POWERED_KIND, PoweredEvaluation
from assay.evaluation.task import Settings, Task
from assay.inference.estimate import Estimate
from assay.metrics import Undefined, find
from assay.output_files import write_file
from assay.tallies import Collection, serialization

__all__ = ["fields_of", "from_bytes", "load", "read_fields", "save", "to_bytes"]

_KIND = "evaluation"
_FORMAT = 1


def to_bytes(ev: Evaluation, *, estimates: bool = True) -> bytes:
    """Return an evaluation as versioned bytes, with its estimates or with its tallies alone."""
    if isinstance(ev, PoweredEvaluation):
        from assay.evaluation.proxy.powered_storage import powered_to_bytes  # noqa: PLC0415 - circular import

        return powered_to_bytes(ev)
    whole = completed(ev)
    # Estimates are saved too: some need the rows, which are not saved.
    requests = [(spec.metric, spec.options) for spec in flatten(whole.groups)] if estimates else []
    if estimates and whole.task.name != "multioutput":  # its outputs are evaluated from tallies of their own
        of_classes = class_metrics(whole)
        labels = whole.classes if of_classes else ()
        requests += [(find(name), {"positive": label}) for label in labels for name in of_classes]
    saved_estimates = tuple(
        (whole.key(metric, options), fields_of(whole.estimate(metric, **options)))
        for metric, options in requests
    )
    parts = (fields_of(whole.task), fields_of(whole.settings), whole.dropped, saved_estimates)
    return serialization.pack(_KIND, (_FORMAT, *parts, (whole.tallies.kind, whole.tallies.state())))


def from_bytes(data: bytes) -> Evaluation:
    """Return the evaluation that :func:`to_bytes` wrote, or raise :class:`~assay.errors.FormatError`."""
    if not data.startswith(b"assay\0"):
        raise FormatError("this is no evaluation that assay saved: it does not begin as one.")
    kind, state = serialization.unpack(data)
    if kind == POWERED_KIND:
        from assay.evaluation.proxy.powered_storage import powered_from_state  # noqa: PLC0415 - circular import

        return powered_from_state(state)
    if kind != _KIND:
        raise FormatError(f"it holds a tally of {kind}, not an evaluation: read it with assay.from_bytes.")
    if not state or type(state[0]) is not int or state[0] > _FORMAT:
        raise FormatError("this evaluation was written by a newer assay. Update assay to read it.")
    try:
        _, task, settings, dropped, saved_estimates, tallies = state
        collection = Collection.from_bytes(serialization.pack(*tallies))
        saved = {key: read_fields(Estimate, fields) for key, fields in saved_estimates}
        ev = Evaluation(
            read_fields(Task, task), read_fields(Settings, settings), collection, dropped=dropped, saved=saved
        )
        ev.groups  # noqa: B018 - raises where task or settings are invalid
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"this evaluation is damaged: {error}.") from None
    return ev


def save(ev: Evaluation, path: Any) -> None:
    """Write an evaluation to a file, whole or not at all, with the permissions of any new file."""
    write_file(path, to_bytes(ev))


def load(path: Any) -> Evaluation:
    """Return the evaluation that ``save`` wrote to a file.

    Parameters
    ----------
    path
        The path of the file.

    Returns
    -------
    Evaluation
        The same as was saved.

    Raises
    ------
    FileError
        The file cannot be read.
    FormatError
        The file is not what ``save`` writes, or is damaged.

    Examples
    --------
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
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from None
    try:
        return from_bytes(data)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def fields_of(record: Any) -> tuple[tuple[str, Any], ...]:
    """Return a dataclass's fields by name; those at their defaults are left out."""
    fields = [field for field in dataclasses.fields(record) if field.init]  # others follow from them
    values = ((field.name, getattr(record, field.name), field.default) for field in fields)
    return tuple((name, _value(value)) for name, value, default in values if value is not default)


def _value(value: Any) -> Any:
    if isinstance(value, Undefined):
        return ("undefined", value.reason)
    if isinstance(value, np.generic):
        return value.item()
    return value


def read_fields(dataclass: Any, fields: Any) -> Any:
    """Return a dataclass from its fields by name; fields that this version does not know are ignored."""
    known = {field.name for field in dataclasses.fields(dataclass) if field.init}
    values = {name: value for name, value in fields if name in known}
    if dataclass is Estimate and isinstance(values["value"], tuple):
        values["value"] = Undefined(str(values["value"][1]))
    return dataclass(**values)
