"""One column from anything array-like, in one of two forms: numbers, or codes into a list of labels.

Nothing here imports a library the caller has not: a type is known by the protocol it speaks (Arrow's
PyCapsules, DLPack, ``__array__``) or by the name of its module.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.errors import ColumnError, LabelError, MissingError

__all__ = ["Array", "Column", "column", "doubles"]

Array: TypeAlias = NDArray[Any]

_READY: Final = frozenset(
    np.dtype(name) for name in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
)
_CPU: Final = 1  # DLPack's number for ordinary memory
_CUDA_HOST: Final = 3  # page-locked, but still ordinary memory


@dataclasses.dataclass(slots=True, eq=False)  # not frozen: that alone would double a small call's cost
class Column:
    """One value per row; not changed once it is made.

    ``values`` are the numbers themselves, or, where ``labels`` is given, indices into it. A row that
    holds nothing is marked in ``missing``; a float column says it by NaN.
    """

    name: str
    values: Array
    labels: tuple[str | int, ...] | None = None
    missing: Array | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: Any) -> Column:
        """Return the rows chosen by a mask, an index array or a slice."""
        missing = None if self.missing is None else self.missing[index]
        if missing is not None and not missing.any():
            missing = None
        values = np.ascontiguousarray(self.values[index])
        if self.labels is None:
            return Column(self.name, values, None, missing)
        codes, used = kernels.encode_integers(values)
        labels = tuple(self.labels[int(code)] for code in used)
        return Column(self.name, codes, labels, missing)

    def absent(self) -> Array | None:
        """Return a mask of the rows that hold nothing, or None where every row holds something."""
        if self.missing is not None:
            return self.missing
        if self.values.dtype.kind != "f":
            return None
        mask = np.isnan(self.values)
        return mask if mask.any() else None

    def refuse_missing(self) -> None:
        """Raise if a row is known to hold nothing."""
        if self.missing is not None:
            self.raise_missing(int(np.argmax(self.missing)), int(np.count_nonzero(self.missing)))

    def raise_missing(self, row: int, count: int | None = None) -> None:
        """Raise the error for a missing value first seen at a row."""
        if count is None:
            absent = self.absent()
            count = 1 if absent is None else int(np.count_nonzero(absent))
        what = "1 value is" if count == 1 else f"{count:,} values are"
        raise MissingError(
            f"{what} missing in {self.name} (first at row {row:,}, counting from 0). Use "
            'missing="drop" to leave such rows out (they are counted), or fill them first.'
        )

    def numbers(self, what: str) -> Array:
        """Return the values as float32 or float64, exactly, or raise where they are not numbers."""
        values = self.values
        if self.labels is not None and len(values):
            raise ColumnError(
                f"{self.name} holds text where {what} are needed (row 0 is "
                f'"{self.labels[int(values[0])]}"). Pass a column of numbers, or convert this one first.'
            )
        if values.dtype.kind == "f":
            return values
        exact = values.astype(np.float64)
        if values.dtype.itemsize == np.dtype(np.int64).itemsize and len(values):
            wide = (values > 2**53) | (values < -(2**53)) if values.dtype.kind == "i" else values > 2**53
            if wide.any():
                row = int(np.argmax(wide))
                raise ColumnError(
                    f"{self.name} holds {values[row]} (row {row:,}, counting from 0), an integer beyond "
                    "2**53, which float64 cannot tell from its neighbours. Rank or rescale it first."
                )
        return exact


def doubles(values: Array) -> Array:
    """Return numbers as float64, copied only where they are not; a NaN of any sort passes quietly."""
    with np.errstate(invalid="ignore", over="ignore"):
        return values.astype(np.float64, copy=False)


def column(values: Any, name: str = "values") -> Column:
    """Return a column from anything with one value per row, copying only where it must.

    >>> column(["ham", "spam", "ham"]).labels
    ('ham', 'spam')
    >>> column(range(3)).values
    array([0, 1, 2])
    """
    if isinstance(values, Column):
        return values
    if type(values) is np.ndarray:
        return _from_numpy(values, name)
    if isinstance(values, (list, tuple)):
        return _from_sequence(values, name)
    if isinstance(values, (str, bytes, dict)) or np.isscalar(values) or values is None:
        raise ColumnError(
            f"{name} is {_type_name(values)} where one value per row is needed: "
            "a list, an array, a tensor or a data frame's column."
        )
    if isinstance(values, np.ma.MaskedArray):
        filled = _from_numpy(np.asarray(values.data), name)
        return _with_missing(filled, np.ma.getmaskarray(values))
    if isinstance(values, np.ndarray):
        return _from_numpy(np.asarray(values), name)
    home = type(values).__module__.partition(".")[0]
    if home == "pandas" and hasattr(values, "dtype"):
        return _from_pandas(values, name)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _from_arrow(values, name)
    if hasattr(values, "__dlpack__"):
        return _from_dlpack(values, name)
    if hasattr(values, "__array__"):
        return _from_numpy(np.asarray(values), name)
    try:
        listed = list(values)
    except TypeError:
        raise ColumnError(
            f"{name} is {_type_name(values)}, which assay cannot read rows from. "
            "Pass a list, an array, a tensor or a data frame's column."
        ) from None
    return _from_sequence(listed, name)


def _from_numpy(array: Array, name: str) -> Column:
    if array.ndim != 1:
        if array.ndim == 2 and array.shape[1] == 1:  # noqa: PLR2004 - a column vector is a column
            array = array[:, 0]
        else:
            raise ColumnError(f"{name} has shape {array.shape}; one value per row is needed, so shape (n,).")
    kind = array.dtype.kind
    if kind in "biuf":
        return Column(name, _plain(array))
    if kind == "U":
        try:
            codes, labels, *_ = kernels.encode_fixed_text(_code_points(array))
        except UnicodeDecodeError:
            raise ColumnError(
                f"{name} holds bytes that are no text: some code points do not exist."
            ) from None
        return Column(name, codes, tuple(labels))
    if kind in "OT":
        return _from_objects(array.astype(object, copy=False), name)
    advice = {
        "S": "decode them to text first, for example values.astype(str)",
        "M": "turn dates into text or numbers first",
        "m": "turn durations into numbers first",
        "c": "take the real part, the modulus or whatever is meant",
        "V": "pick one field",
    }
    raise ColumnError(f"{name} has dtype {array.dtype}, which has no use here: {advice[kind]}.")


def _plain(array: Array) -> Array:
    """Return numbers in this machine's byte order, contiguous, in a width the kernels know."""
    dtype = array.dtype
    if dtype in _READY and array.flags.c_contiguous:
        return array
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)  # noqa: PLR2004 - float16
    with np.errstate(invalid="ignore", over="ignore"):  # a NaN of any sort passes quietly
        plain = np.ascontiguousarray(array, dtype=dtype.newbyteorder("="))
    if dtype.kind == "b" and plain.view(np.uint8).max(initial=0) > 1:  # bytes dressed up as truth
        plain = plain.view(np.uint8).astype(bool)
    return plain


def _code_points(array: Array) -> Array:
    """Return fixed-width text as a table of code points, one row per value."""
    width = array.dtype.itemsize // 4
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return native.view(np.uint32).reshape(len(native), width)


def _from_sequence(values: list[Any] | tuple[Any, ...], name: str) -> Column:
    if values and isinstance(values[0], str):
        return _from_objects(values, name)
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):
        array = None
    if array is None or array.dtype.kind not in "biuf" or array.ndim != 1:
        if array is not None and array.ndim > 1:
            return _from_numpy(array, name)
        return _from_objects(values, name)
    # NumPy turns 2**63 beside -1 into floats, and so loses digits: look again at the integers.
    if array.dtype.kind == "f" and all(type(value) is int for value in values):
        return _from_objects(values, name)
    return Column(name, array)


def _from_objects(values: Any, name: str) -> Column:
    """Return a column from Python objects: all text, or all numbers, with None and NaN missing."""
    codes, labels, _, _, missing, bad_row = kernels.encode_objects(values)
    if bad_row < 0 and (labels or not len(values)):
        return Column(name, codes, tuple(labels), missing)
    kinds = [_kind(value) for value in values]
    for row, kind in enumerate(kinds):
        if kind == "other":
            raise ColumnError(
                f"{name} holds {_type_name(values[row])} at row {row:,} (counting from 0): "
                f"{_short(values[row])}. A column holds text, whole numbers, true/false or numbers."
            )
    found = set(kinds) - {"missing"}
    if "text" in found and len(found) > 1:
        row = next(row for row, kind in enumerate(kinds) if kind not in {"text", "missing"})
        text = kinds.index("text")
        raise LabelError(
            f"{name} mixes text and numbers: row {text:,} is {_short(values[text])}, row {row:,} is "
            f"{_short(values[row])} (counting from 0). Make them all text or all numbers."
        )
    mask = np.array([kind == "missing" for kind in kinds], dtype=bool)
    absent = mask if mask.any() else None
    if found <= {"whole", "truth"} and found:
        return _from_integers(values, name, absent, truth=found == {"truth"})
    numbers = [math.nan if gone else float(value) for value, gone in zip(values, mask, strict=True)]
    return Column(name, np.array(numbers, dtype=np.float64), missing=absent)


def _from_integers(values: Any, name: str, absent: Array | None, *, truth: bool) -> Column:
    """Return a column of Python integers of any size; beyond 64 bits they become labels."""
    whole = [0 if value is None or value != value else int(value) for value in values]  # noqa: PLR0124
    if absent is not None:
        whole = [0 if gone else value for value, gone in zip(whole, absent, strict=True)]
    low, high = min(whole), max(whole)
    if truth:
        return Column(name, np.array(whole, dtype=bool), missing=absent)
    if low >= -(2**63) and high < 2**63:
        return Column(name, np.array(whole, dtype=np.int64), missing=absent)
    if low >= 0 and high < 2**64:
        return Column(name, np.array(whole, dtype=np.uint64), missing=absent)
    labels = tuple(sorted(set(whole)))
    place = {label: code for code, label in enumerate(labels)}
    return Column(name, np.array([place[value] for value in whole], np.uint32), labels, absent)


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return "missing"
    if isinstance(value, (bool, np.bool_)):
        return "truth"
    if isinstance(value, (int, np.integer)):
        return "whole"
    if isinstance(value, (float, np.floating)):
        return "missing" if math.isnan(value) else "number"
    if type(value).__name__ in {"Decimal", "Fraction"}:
        return "number"
    return "other"


def _from_pandas(values: Any, name: str) -> Column:
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _from_numpy(values.to_numpy(), name)
    if dtype.name == "category":
        categorical = getattr(values, "cat", values)  # a Series keeps them behind .cat
        return _from_categories(np.asarray(categorical.codes), categorical.categories, name)
    absent = np.asarray(values.isna())
    if hasattr(dtype, "numpy_dtype") and not hasattr(dtype, "pyarrow_dtype"):  # Int64, boolean, Float64
        plain = _from_numpy(values.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.type(0)), name)
        return _with_missing(plain, absent)
    if hasattr(values, "__arrow_c_stream__") and "pyarrow" in str(getattr(dtype, "storage", dtype)):
        return _from_arrow(values, name)
    return _from_objects(values.to_numpy(dtype=object), name)


def _from_categories(codes: Array, categories: Any, name: str) -> Column:
    """Return a column from pandas' codes, where -1 stands for missing."""
    kept = column(categories, name)
    absent = codes < 0
    places = np.where(absent, 0, codes)
    if kept.labels is None:
        if len(kept) == 0:
            return Column(name, np.zeros(len(codes)), missing=absent if len(codes) else None)
        return _with_missing(Column(name, kept.values[places]), absent)
    texts = [kept.labels[int(code)] for code in kept.values]
    used = np.unique(places[~absent])
    labels = sorted(texts[int(code)] for code in used)
    order = {label: code for code, label in enumerate(labels)}
    lookup = np.zeros(max(len(texts), 1), dtype=np.min_scalar_type(max(len(labels) - 1, 0)))
    for code in used:
        lookup[code] = order[texts[int(code)]]
    return _with_missing(Column(name, lookup[places], tuple(labels)), absent)


def _from_arrow(values: Any, name: str) -> Column:
    try:
        imported = kernels.import_arrow(values)
    except ValueError as refused:
        raise ColumnError(
            f"{name} has an Arrow type that holds neither text nor plain numbers ({refused}). Cast it first."
        ) from None
    if imported[0] == "numbers":
        _, numbers, missing = imported
        return Column(name, _plain(numbers), missing=missing)
    _, codes, labels, missing = imported
    return Column(name, codes, tuple(labels), missing)


def _from_dlpack(values: Any, name: str) -> Column:
    device = values.__dlpack_device__()[0]
    if int(device) not in (_CPU, _CUDA_HOST):
        raise ColumnError(
            f"{name} is on a device ({getattr(values, 'device', device)}). Bring it to the CPU first: "
            "values.cpu() in PyTorch, numpy.asarray(values) in JAX."
        )
    if getattr(values, "requires_grad", False):
        values = values.detach()
    try:
        array = np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as refused:
        raise ColumnError(f"{name} is a tensor NumPy cannot read: {refused}") from None
    return _from_numpy(array, name)


def _with_missing(plain: Column, mask: Array) -> Column:
    return dataclasses.replace(plain, missing=mask) if mask.any() else plain


def _type_name(value: Any) -> str:
    kind = type(value).__name__
    return f"an {kind}" if kind[:1] in "aeiouAEIOU" else f"a {kind}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - fits a line of a message
