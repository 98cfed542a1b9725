"""The exceptions of assay, as a tree.

::

    AssayError
    ├── InputError (ValueError)      the rows cannot be used as they are
    │   ├── LengthError              columns of different lengths, or of none
    │   ├── MissingError             NaN, None or null where a value is needed
    │   ├── LabelError               labels that do not fit together or the declared set
    │   ├── NumberError              a score, weight or number that cannot be one
    │   ├── ColumnError              a column that is not there or of no usable kind
    │   ├── FileError                a file that is not there, cannot be read, or is damaged
    │   └── SplitError               parts that cannot be made, or that share what they must not
    ├── TallyError (ValueError)
    │   ├── MergeError               two tallies that do not belong together
    │   └── BytesError               bytes that are no tally, or a damaged or newer one
    ├── MetricError (ValueError)     a metric that does not exist, or asked of the wrong tally
    └── PartError (ImportError)      an optional part that is not installed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AssayError",
    "BytesError",
    "ColumnError",
    "FileError",
    "InputError",
    "LabelError",
    "LengthError",
    "MergeError",
    "MetricError",
    "MissingError",
    "NumberError",
    "PartError",
    "SplitError",
    "TallyError",
]


class AssayError(Exception):
    """Any error that assay raises on purpose."""


class InputError(AssayError, ValueError):
    """The rows cannot be used as they are."""


class LengthError(InputError):
    """Columns of different lengths, or of none."""


class MissingError(InputError):
    """NaN, None or null where a value is needed."""


class LabelError(InputError):
    """Labels that do not fit together or the declared set."""


class NumberError(InputError):
    """A score, weight or number that cannot be one."""


class ColumnError(InputError):
    """A column that is not there or of no usable kind."""


class FileError(InputError):
    """A file that is not there, cannot be read, or is damaged."""


class SplitError(InputError):
    """Parts of the rows that cannot be made as asked, or that share what they must not."""


class TallyError(AssayError, ValueError):
    """A tally that cannot be made, merged or read."""


class MergeError(TallyError):
    """Two tallies that do not belong together."""


class BytesError(TallyError):
    """Bytes that are no tally, or a damaged or newer one."""


class MetricError(AssayError, ValueError):
    """A metric that does not exist, or that is asked of the wrong tally."""


class PartError(AssayError, ImportError):
    """An optional part that is not installed."""


def shown(values: Iterable[object], limit: int = 6) -> str:
    """Return values as a short list for a message: ``1, 2, 3 and 7 more``.

    >>> shown(["a", "b"]), shown(range(10), limit=3)
    ('"a", "b"', '0, 1, 2 and 7 more')
    """
    everything = list(values)
    words = [f'"{value}"' if isinstance(value, str) else str(value) for value in everything[:limit]]
    rest = len(everything) - limit
    return ", ".join(words) + (f" and {rest:,} more" if rest > 0 else "")
