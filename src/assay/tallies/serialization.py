r"""Tallies as bytes: a fixed head, tagged values, a checksum. No pickle, so reading runs no code.

::

    b"assay\0"  version: u8  kind: text  fields: tuple  checksum: crc32 of all before

A value is one tag byte and its content; lengths are unsigned little-endian base-128 numbers. Arrays are
little-endian and contiguous; an array of Python integers is written one by one. Nothing is allocated
that the bytes at hand do not cover, so a damaged length costs nothing.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.errors import FormatError
from assay.tallies.exact_numbers import Dyadic

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["VERSION", "pack", "unpack"]

VERSION: Final = 1
_HEAD: Final = b"assay\0"
_DTYPES: Final = ("|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f4", "<f8", "|b1")
_DEEPEST: Final = 60  # tallies nested in tallies, some levels each


def pack(kind: str, state: tuple[Any, ...]) -> bytes:
    """Return the bytes of a tally's kind and fields."""
    out = bytearray(_HEAD)
    out.append(VERSION)
    _write(out, kind)
    _write(out, state)
    out += struct.pack("<I", zlib.crc32(out))
    return bytes(out)


def unpack(data: bytes) -> tuple[str, tuple[Any, ...]]:
    """Return a tally's kind and fields, or raise FormatError saying what is wrong."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise FormatError(f"a tally is read from bytes, not from {type(data).__name__}.")
    view = memoryview(bytes(data))
    if len(view) < len(_HEAD) + 1 or bytes(view[: len(_HEAD)]) != _HEAD:
        raise FormatError("these bytes are no tally: they do not begin as one.")
    version = view[len(_HEAD)]
    if version > VERSION:
        raise FormatError(
            f"this tally was written by a newer assay (format {version}; this one reads up to "
            f"{VERSION}). Update assay to read it."
        )
    if len(view) < len(_HEAD) + 5 or zlib.crc32(view[:-4]) != struct.unpack("<I", view[-4:])[0]:
        raise FormatError("this tally is damaged or cut short: its checksum does not fit.")
    reader = _Reader(view[len(_HEAD) + 1 : -4])
    try:
        kind, state = reader.value(), reader.value()
    except (ValueError, OverflowError, RecursionError) as wrong:
        raise FormatError(f"this tally is damaged: {wrong}.") from None
    if reader.left or type(kind) is not str or type(state) is not tuple:
        raise FormatError("this tally is damaged: it does not end where it should.")
    return kind, state


def _write(out: bytearray, value: Any) -> None:
    if value is None:
        out += b"n"
    elif value is True or value is False:
        out += b"t" if value else b"f"
    elif type(value) is int:
        size = (value.bit_length() + 8) // 8  # one bit more for the sign
        out += b"i"
        _write_length(out, size)
        out += value.to_bytes(size, "little", signed=True)
    elif type(value) is float:
        out += b"d" + struct.pack("<d", value)
    elif type(value) is Dyadic:
        out += b"q"
        _write(out, value.units)
        _write(out, value.exponent)
    elif type(value) is str:
        text = value.encode("utf-8", "surrogatepass")
        out += b"s"
        _write_length(out, len(text))
        out += text
    elif type(value) is tuple:
        out += b"("
        _write_length(out, len(value))
        for item in value:
            _write(out, item)
    elif isinstance(value, np.ndarray):
        _write_array(out, value)
    else:
        raise TypeError(f"a tally's state cannot hold a {type(value).__name__}")


def _write_array(out: bytearray, array: np.ndarray[Any, Any]) -> None:
    out += b"a"
    _write_length(out, array.ndim)
    for size in array.shape:
        _write_length(out, size)
    if array.dtype == object:
        out.append(len(_DTYPES))
        for item in array.ravel():
            _write(out, item)
        return
    little = array.dtype.newbyteorder("<").str
    out.append(_DTYPES.index(little))
    out += np.ascontiguousarray(array, dtype=little).data.cast("B") if array.size else b""


def _write_length(out: bytearray, length: int) -> None:
    while length > 127:  # noqa: PLR2004 - seven bits a byte
        out.append(length & 127 | 128)
        length >>= 7
    out.append(length)


class _Reader:
    """Reads tagged values from a view, never past its end."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._at = 0
        self._depth = 0

    @property
    def left(self) -> int:
        return len(self._view) - self._at

    def value(self) -> Any:
        tag = chr(self._take(1)[0])
        read = self._tags.get(tag)
        if read is None:
            raise ValueError(f"unknown tag {tag!r}")
        return read(self)

    def _take(self, size: int) -> memoryview:
        if size > self.left:
            raise ValueError(f"{size} bytes expected where {self.left} are left")
        block = self._view[self._at : self._at + size]
        self._at += size
        return block

    def _length(self) -> int:
        length = shift = 0
        while True:
            byte = self._take(1)[0]
            length |= (byte & 127) << shift
            if byte < 128:  # noqa: PLR2004 - the last byte of a length
                return length
            shift += 7
            if shift > 63:  # noqa: PLR2004 - no length needs more than 64 bits
                raise ValueError("a length is too long")

    def _integer(self) -> int:
        return int.from_bytes(self._take(self._length()), "little", signed=True)

    def _double(self) -> float:
        value: float = struct.unpack("<d", self._take(8))[0]
        return value

    def _dyadic(self) -> Dyadic:
        units, exponent = self.value(), self.value()
        if type(units) is not int or type(exponent) is not int or abs(exponent) > 1 << 20:
            raise ValueError("an exact number is not one")
        return Dyadic.of(units, exponent)

    def _text(self) -> str:
        return bytes(self._take(self._length())).decode("utf-8", "surrogatepass")

    def _tuple(self) -> tuple[Any, ...]:
        count = self._length()
        if count > self.left:  # every item takes a byte at least
            raise ValueError(f"{count} values expected where {self.left} bytes are left")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("values are nested too deep")
        items = tuple(self.value() for _ in range(count))
        self._depth -= 1
        return items

    def _array(self) -> np.ndarray[Any, Any]:
        shape = tuple(self._length() for _ in range(self._length_below(4)))
        size = math.prod(shape)
        which = self._take(1)[0]
        if which == len(_DTYPES):
            if size > self.left:
                raise ValueError(f"{size} values expected where {self.left} bytes are left")
            array: np.ndarray[Any, Any] = np.empty(size, dtype=object)
            for index in range(size):
                array[index] = self.value()
                if type(array[index]) is not int:
                    raise ValueError("an array of integers holds something else")
        elif which < len(_DTYPES):
            dtype = np.dtype(_DTYPES[which])
            content = bytes(self._take(size * dtype.itemsize))
            array = np.frombuffer(content, dtype=dtype) if size else np.empty(0, dtype=dtype)
            array = array.astype(dtype.newbyteorder("="), copy=False)
        else:
            raise ValueError(f"unknown array type {which}")
        array = array.reshape(shape)
        array.flags.writeable = False
        return array

    def _length_below(self, limit: int) -> int:
        length = self._length()
        if length >= limit:
            raise ValueError(f"an array of {length} dimensions")
        return length

    _tags: Final[dict[str, Callable[[_Reader], Any]]] = {
        "n": lambda _: None,
        "t": lambda _: True,
        "f": lambda _: False,
        "i": _integer,
        "d": _double,
        "q": _dyadic,
        "s": _text,
        "(": _tuple,
        "a": _array,
    }
