"""Is an Arrow IPC file what it says? Its metadata are checked before the reader of arro3 sees them.

That reader ends the whole process where a buffer lies outside its message or is too short for its rows, so
every length and offset is compared with the bytes that are there. The layout is the one of
https://arrow.apache.org/docs/format/Columnar.html (messages are flatbuffers: tables of numbered slots).
"""

from __future__ import annotations

import dataclasses
import mmap
import struct
from typing import TYPE_CHECKING, Any, Final, NoReturn

from assay.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_arrow"]

_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3  # kinds of messages
(
    _NULL, _INT, _FLOAT, _BINARY, _TEXT, _BOOL, _DECIMAL, _DATE, _TIME, _TIMESTAMP, _INTERVAL, _LIST, _STRUCT,
    _UNION, _FIXED_BINARY, _FIXED_LIST, _MAP, _DURATION, _LARGE_BINARY, _LARGE_TEXT, _LARGE_LIST, _RUNS,
    _BINARY_VIEW, _TEXT_VIEW,
) = range(1, 25)  # fmt: skip
_WITH_OFFSETS: Final = {_BINARY: 4, _TEXT: 4, _LARGE_BINARY: 8, _LARGE_TEXT: 8}
_LISTS: Final = {_LIST: 4, _MAP: 4, _LARGE_LIST: 8}
_RATIO: Final = 40_000  # more than any codec makes of a byte
_MOST_DIGITS: Final = {32: 9, 64: 18, 128: 38, 256: 76}  # of decimals, by their bits


class _Damaged(Exception):  # noqa: N818 - a reason
    """What is wrong with the bytes."""


def check_arrow(path: str, name: str) -> None:
    """Raise unless the metadata of an Arrow file or stream fit the bytes that are there."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a path as the caller wrote it
            file.seek(0, 2)
            if not file.tell():
                _fail("it is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                (_check_file if data[:6] == b"ARROW1" else _check_stream)(data)
    except _Damaged as damaged:
        raise FileError(f"{name} cannot be read as an Arrow file: {damaged}.") from None
    except (struct.error, IndexError, UnicodeDecodeError):
        raise FileError(f"{name} cannot be read as an Arrow file: its metadata are damaged.") from None
    except RecursionError:
        raise FileError(f"{name} cannot be read as an Arrow file: its types have no end.") from None


def _fail(reason: str) -> NoReturn:
    raise _Damaged(reason)


@dataclasses.dataclass(frozen=True)
class _Table:
    """A table of a flatbuffer: values by the number of their slot."""

    data: bytes
    start: int

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, struct.unpack_from("<I", data)[0])

    def _slot(self, number: int) -> int | None:
        if not 0 <= self.start < len(self.data):
            _fail("its metadata are damaged")
        vtable = self.start - struct.unpack_from("<i", self.data, self.start)[0]
        if not 0 <= vtable < len(self.data):
            _fail("its metadata are damaged")
        offset = 4 + 2 * number
        if offset + 2 > struct.unpack_from("<H", self.data, vtable)[0]:
            return None
        offset = struct.unpack_from("<H", self.data, vtable + offset)[0]
        return self.start + offset if offset else None

    def number(self, slot: int, kind: str, default: int = 0) -> int:
        at = self._slot(slot)
        return default if at is None else int(struct.unpack_from(f"<{kind}", self.data, at)[0])

    def table(self, slot: int) -> _Table | None:
        at = self._slot(slot)
        return None if at is None else _Table(self.data, at + struct.unpack_from("<I", self.data, at)[0])

    def _vector(self, slot: int) -> tuple[int, int]:
        at = self._slot(slot)
        if at is None:
            return 0, 0
        start = at + struct.unpack_from("<I", self.data, at)[0]
        return start + 4, struct.unpack_from("<I", self.data, start)[0]

    def tables(self, slot: int) -> list[_Table]:
        start, count = self._vector(slot)
        if count * 4 > len(self.data):
            _fail("its metadata are damaged")
        offsets = [start + 4 * index for index in range(count)]
        return [
            _Table(self.data, offset + struct.unpack_from("<I", self.data, offset)[0]) for offset in offsets
        ]

    def structs(self, slot: int, form: str) -> list[tuple[Any, ...]]:
        start, count = self._vector(slot)
        size = struct.calcsize(form)
        if start + count * size > len(self.data):
            _fail("its metadata are damaged")
        return list(struct.iter_unpack(form, self.data[start : start + count * size]))


@dataclasses.dataclass(frozen=True)
class _Field:
    """A column: its type, as what it is stored, and the columns within it."""

    kind: int
    table: _Table | None
    children: tuple[_Field, ...]
    dictionary: int | None = None
    index: _Field | None = None

    def width(self) -> int | None:
        """Return how many bits a value takes, or None where values differ."""
        kind, own = self.kind, self.table
        if kind == _NULL:
            return 0
        if own is None:
            _fail("a column has no type")
        if kind == _INT:
            return _one_of(own.number(0, "i"), (8, 16, 32, 64))
        if kind == _FLOAT:
            return (16, 32, 64)[_one_of(own.number(0, "h"), (0, 1, 2))]
        if kind == _BOOL:
            return 1
        if kind == _DECIMAL:
            bits = _one_of(own.number(2, "i", 128), (32, 64, 128, 256))
            digits, scale = own.number(0, "i"), own.number(1, "i")
            if not (1 <= digits <= _MOST_DIGITS[bits] and abs(scale) <= digits):
                _fail("a column of decimals has no such digits")
            return bits
        if kind == _DATE:
            return (32, 64)[_one_of(own.number(0, "h", 1), (0, 1))]
        if kind == _TIME:
            bits = own.number(1, "i", 32)
            _one_of(own.number(0, "h", 1), {32: (0, 1), 64: (2, 3)}.get(bits, ()))
            return bits
        if kind in (_TIMESTAMP, _DURATION):
            _one_of(own.number(0, "h"), (0, 1, 2, 3))
            return 64
        if kind == _INTERVAL:
            return (32, 64, 128)[_one_of(own.number(0, "h"), (0, 1, 2))]
        if kind == _FIXED_BINARY:
            size = own.number(0, "i")
            return 8 * size if size >= 0 else _fail("a column has values of a negative size")
        return None


def _one_of(value: int, known: tuple[int, ...]) -> int:
    return value if value in known else _fail("a column has an unknown type")


def _fields(schema: _Table) -> list[_Field]:
    return [_field(table, 0) for table in schema.tables(1)]


def _field(table: _Table, depth: int) -> _Field:
    if depth > 64:  # noqa: PLR2004 - deeper than any schema
        _fail("its types have no end")
    kind = table.number(2, "B")
    if not _NULL <= kind <= _TEXT_VIEW:
        _fail("a column has an unknown type")
    children = tuple(_field(child, depth + 1) for child in table.tables(5))
    field = _Field(kind, table.table(3), children)
    field.width()
    expected = {_LIST: 1, _LARGE_LIST: 1, _FIXED_LIST: 1, _MAP: 1, _RUNS: 2}.get(kind)
    if expected is not None and len(children) != expected:
        _fail("a column of lists lacks its values")
    encoding = table.table(4)
    if encoding is None:
        return field
    index = encoding.table(1)
    if index is None:
        _fail("a dictionary's codes have no type")
    stored = _Field(_INT, index, ())
    stored.width()
    return dataclasses.replace(field, dictionary=encoding.number(0, "q"), index=stored)


@dataclasses.dataclass
class _Body:
    """The nodes and buffers of a batch, taken one after another as its columns need them."""

    data: Any
    start: int
    size: int
    nodes: Iterator[tuple[int, int]]
    buffers: Iterator[tuple[int, int]]
    variadic: Iterator[tuple[int]]
    compressed: bool

    def node(self) -> tuple[int, int]:
        length, missing = next(self.nodes, None) or _fail("a column is not there")
        if not 0 <= missing <= length or length < 0:
            _fail("a column has an impossible length")
        return length, missing

    def buffer(self, needed: int) -> None:
        """Take a buffer that holds at least so many bytes, once it is unpacked."""
        offset, size = next(self.buffers, None) or _fail("a column is not there")
        if offset < 0 or size < 0 or offset + size > self.size:
            _fail("a column lies outside the file")
        if self.compressed and size:
            if size < 8:  # noqa: PLR2004 - a length stands before what is compressed
                _fail("a column is too short")
            unpacked = struct.unpack_from("<q", self.data, self.start + offset)[0]
            if unpacked < -1 or unpacked > (size - 8) * _RATIO:
                _fail("a column has an impossible length")
            size = size - 8 if unpacked == -1 else unpacked
        if size < needed:
            _fail("a column is too short")


def _check_batch(batch: _Table | None, fields: list[_Field], data: Any, start: int, size: int) -> None:
    if batch is None:
        _fail("a message is empty")
    body = _Body(
        data, start, size,
        iter(batch.structs(1, "<qq")), iter(batch.structs(2, "<qq")), iter(batch.structs(4, "<q")),
        batch.table(3) is not None,
    )  # fmt: skip
    rows = batch.number(0, "q")
    if rows < 0:
        _fail("a batch has an impossible length")
    for field in fields:
        _check_column(field, body, rows)


def _check_column(field: _Field, body: _Body, rows: int | None) -> None:
    """Check a column of so many rows; None where only its own node knows how many they are."""
    length, missing = body.node()
    if rows is not None and length < rows:
        _fail("a column has fewer rows than its batch")
    if field.dictionary is not None:
        body.buffer(-(-length // 8) if missing else 0)
        body.buffer(length * ((field.index and field.index.width()) or 0) // 8)
        return
    if field.kind == _NULL:
        return
    if field.kind == _UNION:
        dense = field.table is not None and field.table.number(0, "h") == 1
        body.buffer(length)
        if dense:
            body.buffer(4 * length)
        for child in field.children:
            _check_column(child, body, None)
        return
    if field.kind == _RUNS:
        for child in field.children:
            _check_column(child, body, None)
        return
    body.buffer(-(-length // 8) if missing else 0)
    width = field.width()
    if width is not None:
        body.buffer(-(-length * width // 8))
    elif field.kind in _WITH_OFFSETS:
        body.buffer((length + 1) * _WITH_OFFSETS[field.kind] if length else 0)
        body.buffer(0)
    elif field.kind in (_BINARY_VIEW, _TEXT_VIEW):
        body.buffer(16 * length)
        (count,) = next(body.variadic, None) or _fail("a column is not there")
        for _ in range(_count(count)):
            body.buffer(0)
    elif field.kind in _LISTS:
        body.buffer((length + 1) * _LISTS[field.kind] if length else 0)
        _check_column(field.children[0], body, None)
    elif field.kind == _FIXED_LIST:
        each = field.table.number(0, "i") if field.table is not None else 0
        if each < 0:
            _fail("a column has lists of a negative size")
        _check_column(field.children[0], body, each * length)
    else:
        for child in field.children:
            _check_column(child, body, length)


def _count(number: int) -> int:
    return number if 0 <= number < 1 << 20 else _fail("a column has an impossible length")


def _inside(field: _Field) -> Iterator[_Field]:
    """Yield every field that has a dictionary, those within others as well."""
    if field.dictionary is not None:
        yield field
    for child in field.children:
        yield from _inside(child)


def _check_message(message: _Table, fields: list[_Field], data: Any, start: int, size: int) -> None:
    """Check a message that follows the schema: a batch of rows, or of the values of a dictionary."""
    kind, header = message.number(1, "B"), message.table(2)
    if header is None:
        _fail("a message is empty")
    if kind == _BATCH:
        _check_batch(header, fields, data, start, size)
    elif kind == _DICTIONARY:
        number = header.number(0, "q")
        known = [inner for field in fields for inner in _inside(field) if inner.dictionary == number]
        if not known:
            _fail("a dictionary belongs to no column")
        plain = dataclasses.replace(known[0], dictionary=None, index=None)
        _check_batch(header.table(1), [plain], data, start, size)
    else:
        _fail("a message is of an unknown kind")


def _prefix(data: Any, at: int) -> tuple[int, int]:
    """Return where the metadata of a message begin, and how many bytes they are."""
    (size,) = struct.unpack_from("<i", data, at)
    at += 4
    if size == -1:  # files of today begin a message with this mark
        (size,) = struct.unpack_from("<i", data, at)
        at += 4
    if size < 0 or at + size > len(data):
        _fail("a message lies outside the file")
    return at, size


def _check_file(data: Any) -> None:
    if len(data) < 18 or data[-6:] != b"ARROW1":  # noqa: PLR2004 - both marks, and the footer's size
        _fail("its end is missing")
    (size,) = struct.unpack_from("<i", data, len(data) - 10)
    if not 0 < size <= len(data) - 18:
        _fail("its end is damaged")
    footer = _Table.root(data[len(data) - 10 - size : len(data) - 10])
    schema = footer.table(1)
    if schema is None:
        _fail("it has no schema")
    fields = _fields(schema)
    for slot in (2, 3):
        for offset, metadata, body in footer.structs(slot, "<qi4xq"):
            if offset < 0 or metadata <= 0 or body < 0 or offset + metadata + body > len(data):
                _fail("a batch lies outside the file")
            start, size = _prefix(data, offset)
            message = _Table.root(data[start : start + size])
            if message.number(1, "B") != (_DICTIONARY if slot == 2 else _BATCH):  # noqa: PLR2004 - the slot
                _fail("a message is of an unknown kind")
            _check_message(message, fields, data, offset + metadata, body)


def _check_stream(data: Any) -> None:
    at, fields = 0, None
    while at + 4 <= len(data):
        start, size = _prefix(data, at)
        if size == 0:
            break
        message = _Table.root(data[start : start + size])
        body = message.number(3, "q")
        at = start + size
        if body < 0 or at + body > len(data):
            _fail("it ends in the middle of a message")
        if fields is None:
            schema = message.table(2)
            if message.number(1, "B") != _SCHEMA or schema is None:
                _fail("it does not begin with a schema")
            fields = _fields(schema)
        else:
            _check_message(message, fields, data, at, body)
        at += body
    if fields is None:
        _fail("it does not begin with a schema")
