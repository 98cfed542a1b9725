"""Read a column from any array-like object (NumPy, pandas, Arrow, tensors, lists) without needless copies.

No optional library is imported here: types are recognized by protocol (Arrow's PyCapsules, DLPack,
``__array__``) or by the name of their module.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np

from assay import kernels
from assay.device.tensors import is_on_device, to_host
from assay.errors import ColumnError
from assay.inputs.columns import Array, Column
from assay.inputs.device_column import DeviceColumn
from assay.inputs.labels import stated_order
from assay.inputs.python_objects import from_objects, from_sequence, type_name

__all__ = ["column", "column_names", "from_arrow", "from_tensor", "is_tensor"]

_KERNEL_DTYPES: Final = frozenset(map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")))


def column(values: Any, name: str = "values") -> Column:
    """Return a column from anything with one value per row, copying only if necessary.

    Parameters
    ----------
    values
        A list, an array, a tensor or a data frame's column.
    name
        What errors call the column.

    Returns
    -------
    Column
        The values, or codes with their labels.

    Raises
    ------
    ColumnError
        There is not one value per row, or values are of different kinds.

    Examples
    --------
    >>> import assay
    >>> assay.column(["ham", "spam", "ham"]).labels
    ('ham', 'spam')
    >>> assay.column(range(3)).values
    array([0, 1, 2])
    """
    if type(values) is np.ndarray:
        return _from_numpy(values, name)
    if isinstance(values, Column):
        return values
    if isinstance(values, (list, tuple)):
        return from_sequence(values, name)
    if isinstance(values, (str, bytes, dict, set, frozenset)) or np.isscalar(values) or values is None:
        raise ColumnError(
            f"{name} is {type_name(values)} where one value per row is needed, in order: "
            "a list, an array, a tensor or a data frame's column."
        )
    if isinstance(values, np.ma.MaskedArray):
        filled = _from_numpy(np.asarray(values.data), name)
        return _with_missing(filled, np.ma.getmaskarray(values).ravel())
    if isinstance(values, np.ndarray):
        return _from_numpy(np.asarray(values), name)
    names = column_names(values)
    if names is not None:
        if len(names) != 1:
            raise ColumnError(f"{name} is a table of {len(names)} columns: pass one of them.")
        return column(values[names[0]], name)
    if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "dtype"):
        return _with_order(_from_pandas(values, name), values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _with_order(from_arrow(values, name), values)
    if is_tensor(values):
        on_device = DeviceColumn.of(values, name) if is_on_device(values) else None
        return on_device or _from_numpy(from_tensor(values, name), name)
    if hasattr(values, "__array__"):
        return _from_numpy(np.asarray(values), name)
    try:
        listed = list(values)
    except TypeError:
        raise ColumnError(
            f"{name} is {type_name(values)}, which assay cannot read rows from. "
            "Pass a list, an array, a tensor or a data frame's column."
        ) from None
    return from_sequence(listed, name)


def column_names(values: Any) -> list[Any] | None:
    """Return the column names of a data frame held in memory, or None for anything else."""
    names = getattr(values, "column_names", None)  # pyarrow
    if names is None and hasattr(values, "__getitem__") and not isinstance(values, type):
        names = getattr(values, "columns", None)  # pandas, Polars
    return None if names is None or callable(names) else list(names)


def _from_numpy(array: Array, name: str) -> Column:
    if array.ndim != 1:
        if array.ndim == 2 and array.shape[1] == 1:  # noqa: PLR2004 - a column vector is a column
            array = array[:, 0]
        else:
            raise ColumnError(f"{name} has shape {array.shape}; one value per row is needed, so shape (n,).")
    kind = array.dtype.kind
    if kind in "biuf":
        return Column(name, _native_contiguous(array))
    if kind == "U":
        try:
            codes, labels, *_ = kernels.encode_fixed_text(_code_points(array))
        except UnicodeDecodeError:
            raise ColumnError(f"{name} holds invalid Unicode code points.") from None
        return Column(name, codes, tuple(labels))
    if kind in "OT":
        return from_objects(array.astype(object, copy=False), name)
    advice = {
        "S": "decode them to text first, for example values.astype(str)",
        "M": "turn dates into text or numbers first, such as their month as text",
        "m": "turn durations into numbers first",
        "c": "take the real part, the modulus or whatever is meant",
        "V": "pick one field",
    }
    raise ColumnError(f"{name} has dtype {array.dtype}, which is not supported: {advice[kind]}.")


def _native_contiguous(array: Array) -> Array:
    """Return numbers contiguous, in native byte order and a dtype that the kernels support."""
    dtype = array.dtype
    if dtype in _KERNEL_DTYPES and array.flags.c_contiguous and array.flags.aligned:
        return array
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)  # noqa: PLR2004 - float16
    with np.errstate(invalid="ignore", over="ignore"):  # no warnings for NaN
        plain = np.require(array, dtype=dtype.newbyteorder("="), requirements=["C", "A"])
    if dtype.kind == "b" and plain.view(np.uint8).max(initial=0) > 1:  # booleans viewed from other bytes
        plain = plain.view(np.uint8).astype(bool)
    return plain


def _code_points(array: Array) -> Array:
    """Return fixed-width text as a matrix of code points, one row per value."""
    width = array.dtype.itemsize // 4
    native = np.require(array, dtype=array.dtype.newbyteorder("="), requirements=["C", "A"])
    return native.view(np.uint32).reshape(len(native), width)


def _from_pandas(values: Any, name: str) -> Column:
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _from_numpy(values.to_numpy(), name)
    if dtype.name == "category":
        categorical = getattr(values, "cat", values)  # of a Series, behind .cat
        return _from_categories(np.asarray(categorical.codes), categorical.categories, name)
    if hasattr(dtype, "numpy_dtype") and not hasattr(dtype, "pyarrow_dtype"):  # Int64, boolean, Float64
        plain = _from_numpy(values.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.type(0)), name)
        return _with_missing(plain, np.asarray(values.isna()))
    if hasattr(values, "__arrow_c_stream__") and "pyarrow" in str(getattr(dtype, "storage", dtype)):
        return from_arrow(values, name)
    return from_objects(values.to_numpy(dtype=object), name)


def _from_categories(codes: Array, categories: Any, name: str) -> Column:
    """Return a column from pandas' codes, where -1 means missing; unused categories are dropped."""
    if categories.dtype.name.startswith("interval"):  # pandas.cut: the interval's own text
        categories = [str(category) for category in categories]
    category_column = column(categories, f"the list of categories of {name}")
    absent = codes < 0
    indices = np.where(absent, 0, codes)
    if len(category_column) == 0:
        return Column(name, np.zeros(len(codes)), missing=absent if len(codes) else None)
    values = category_column.values[indices]
    if category_column.labels is None:
        return _with_missing(Column(name, values), absent)
    present_values = values[~absent] if absent.any() else values
    present = Column(name, present_values, category_column.labels).take(slice(None))
    if not absent.any():
        return present
    all_codes = np.zeros(len(codes), dtype=present.values.dtype)
    all_codes[~absent] = present.values
    return Column(name, all_codes, present.labels, absent)


def from_arrow(values: Any, name: str) -> Column:
    """Return a column from an Arrow array."""
    try:
        imported = kernels.import_arrow(values)
    except ValueError as error:
        dates = str(error).startswith(("td", "ts"))
        advice = (
            "Turn dates into text or numbers first, such as their month as text" if dates else "Cast it first"
        )
        raise ColumnError(
            f"{name} has an Arrow type that holds neither text nor plain numbers ({error}). {advice}."
        ) from None
    except RuntimeError as error:
        raise ColumnError(f"{name} could not be read: {error}.") from None
    if imported[0] == "numbers":
        _, numbers, missing = imported
        return Column(name, _native_contiguous(numbers), missing=missing)
    _, codes, labels, missing = imported
    return Column(name, codes, tuple(labels), missing)


def is_tensor(values: Any) -> bool:
    """Whether values are a tensor of another library, readable through DLPack."""
    return hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray)


def from_tensor(values: Any, name: str) -> Array:
    """Return a tensor of any number of axes as an array, without a copy if NumPy has its dtype.

    One on a device is copied from there. Other dtypes, such as bfloat16, become float32, which represents all
    of their values exactly.
    """
    if is_on_device(values):
        try:
            values = to_host(values)
        except (RuntimeError, TypeError, ValueError) as error:
            raise ColumnError(
                f"{name} is on a device ({getattr(values, 'device', 'unknown')}) from which it cannot be "
                f"copied ({error}): pass a tensor that holds values."
            ) from None
        if isinstance(values, np.ndarray):
            return values
    if getattr(values, "requires_grad", False):
        values = values.detach()
    kind = str(getattr(values, "dtype", ""))
    try:
        if "bfloat16" in kind or "float8" in kind:
            wide = values.float() if hasattr(values, "float") else np.asarray(values).astype(np.float32)
            return np.asarray(wide)
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ColumnError(
            f"{name} is a tensor of {kind} that NumPy cannot read ({error}): turn it into plain "
            "numbers first, such as values.float() and values.to_dense() in PyTorch."
        ) from None


def _with_missing(plain: Column, mask: Array) -> Column:
    return dataclasses.replace(plain, missing=mask) if mask.any() else plain


def _with_order(plain: Column, values: Any) -> Column:
    order = stated_order(values)
    return plain if order is None else dataclasses.replace(plain, order=order)
