"""Validate targets, scores and sample weights as scikit-learn does, without needless scans.

Every function here takes anything array-like (lists, NumPy, pandas, Polars, Arrow, tensors) and returns
NumPy arrays. Integer, boolean and text arrays are always labels, so their content is never scanned.
Errors are a ValueError where scikit-learn raises one, and an :class:`InvalidParameterError` (which is a
TypeError as well) where it raises a TypeError.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.device.tensors import is_on_device
from assay.errors import ColumnError, InputError, LabelError, LengthError, NumberError
from assay.inputs import column, encode
from assay.inputs.arrays import from_tensor
from assay.sklearn.parameter_checks import InvalidParameterError, is_sparse

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = [
    "as_array",
    "column_or_1d",
    "consistent_length",
    "distinct",
    "finite",
    "is_indicator",
    "numeric",
    "positive_label",
    "regression_targets",
    "sample_count",
    "sample_weights",
    "type_of_target",
    "unique_labels",
    "whole",
]

_TABLE = 2  # number of dimensions of a table


def sample_count(values: Any) -> int:
    """Return the number of rows of an array-like; raise if it has no length.

    >>> sample_count([1, 2, 3]), sample_count(np.zeros((4, 2)))
    (3, 4)
    """
    shape = getattr(values, "shape", None)
    if shape is not None and not callable(shape):
        if len(shape) == 0:
            raise InvalidParameterError(
                "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, "
                f"got scalar `{values!r}` instead."
            )
        if isinstance(shape[0], numbers.Integral):
            return int(shape[0])
    if not hasattr(values, "__len__") and hasattr(values, "__array__"):
        return sample_count(np.asarray(values))
    try:
        return len(values)
    except TypeError:
        raise InvalidParameterError(f"Expected sequence or array-like, got {type(values)}") from None


def consistent_length(*arrays: Any) -> int:
    """Return the number of rows that all arrays have (None is skipped); raise if they differ.

    >>> consistent_length([1, 2], np.zeros(2), None)
    2
    """
    lengths = [sample_count(array) for array in arrays if array is not None]
    if any(length != lengths[0] for length in lengths):
        raise LengthError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    return lengths[0]


def as_array(values: Any, name: str = "") -> Array:
    """Return anything dense as a NumPy array of its own dtype and shape, without a copy if possible.

    pandas' nullable numbers become float64, ragged lists an array of objects.
    """
    array: Array = values if type(values) is np.ndarray else _to_array(values, name)
    if array.dtype.kind == "c":
        raise ColumnError(f"Complex data not supported\n{array}\n")
    return array


def _to_array(values: Any, name: str) -> Array:
    if is_sparse(values):
        suffix = f" for {name}" if name else ""
        raise InvalidParameterError(
            f"Sparse data was passed{suffix}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if isinstance(values, np.matrix):
        raise InvalidParameterError(
            "np.matrix is not supported. Please convert to a numpy array with np.asarray."
        )
    if is_on_device(values):
        return from_tensor(values, name or "the input")
    if _has_nullable_dtype(values):
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    try:
        return np.asarray(values)
    except ValueError:  # rows of different lengths
        return np.asarray(values, dtype=object)


def _has_nullable_dtype(values: Any) -> bool:
    """Whether this is a pandas column of nullable numbers, or a frame of numbers with such a column."""
    dtypes = [values.dtype] if hasattr(values, "dtype") else list(getattr(values, "dtypes", ()))
    return any(hasattr(d, "na_value") for d in dtypes) and all(d.kind in "biuf" for d in dtypes)


def finite(array: Array, name: str = "") -> Array:
    """Return the array; raise if it holds NaN or infinity."""
    kind = array.dtype.kind
    if kind == "O":
        # Only a NaN differs from itself.
        if any(value is not None and value != value for value in array.flat):  # noqa: PLR0124
            raise NumberError("Input contains NaN")
        return array
    if kind != "f":
        return array
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum()) or np.isfinite(array).all():
            return array
    prefix = f"{name} " if name else ""
    what = "NaN" if np.isnan(array).any() else f"infinity or a value too large for {array.dtype!r}"
    raise NumberError(f"Input {prefix}contains {what}.")


def numeric(
    values: Any,
    name: str = "",
    *,
    dtype: Any = None,
    max_dims: int = 2,
    least_rows: int = 1,
    check_finite: bool = True,
) -> Array:
    """Return an array of numbers of 1 to `max_dims` dimensions, at least one row, all finite; or raise.

    Their type is kept unless `dtype` is given (a type, or several allowed ones with the wanted first), which
    reads numbers in text as well; objects become float64.

    >>> numeric([1, 2]), numeric([[1, 2.5]])
    (array([1, 2]), array([[1. , 2.5]]))
    """
    array = as_array(values, name)
    if array.dtype.kind in "USTV" and dtype is None:
        raise ColumnError(
            "dtype='numeric' is not compatible with arrays of bytes/strings."
            "Convert your data to numeric values explicitly instead."
        )
    if array.dtype.kind == "O":
        array = array.astype(np.float64)
    if isinstance(dtype, (list, tuple)):
        dtype = None if array.dtype in dtype else dtype[0]
    if dtype is not None:
        try:
            array = array.astype(dtype, copy=False)
        except ValueError as error:
            raise NumberError(str(error)) from None
    if array.ndim > max_dims:
        raise ColumnError(f"Found array with dim {array.ndim}, while dim <= {max_dims} is required.")
    if array.ndim == 0:
        sample_count(array)
    if check_finite:
        finite(array, name)
    if len(array) < least_rows:
        raise LengthError(
            f"Found array with {len(array)} sample(s) (shape={array.shape}) while a minimum of "
            f"{least_rows} is required."
        )
    if array.ndim == _TABLE and array.shape[1] < 1:
        raise LengthError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    return array


def column_or_1d(values: Any, name: str = "y") -> Array:
    """Return one value per row as a contiguous 1-D array; a table of one column is accepted.

    >>> column_or_1d([[1], [2]])
    array([1, 2])
    """
    array = as_array(values, name)
    if array.ndim == _TABLE and array.shape[1] == 1:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ColumnError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return np.ascontiguousarray(array)


def sample_weights(sample_weight: Any, n: int, *, dtype: Any = None) -> Array | None:
    """Return weights as a finite 1-D array of numbers, one per row and not all of them 0; None stays None.

    A single number means equal weights. Integers stay integers unless `dtype` is passed; negative weights
    are accepted, as in scikit-learn.
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Number):
        weights = numeric(np.full(n, sample_weight), "sample_weight", dtype=dtype)
    else:
        weights = numeric(sample_weight, "sample_weight", dtype=dtype)
        if weights.ndim != 1:
            raise ColumnError(
                f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. "
                f"Expected either a scalar value or a 1D array of length {n}."
            )
        if len(weights) != n:
            raise LengthError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    if not weights.any():
        raise NumberError("Sample weights must contain at least one non-zero number.")
    return weights


def whole(values: Array) -> bool:
    """Whether every number is whole and fits into 64 bits, as labels must."""
    if values.dtype.kind in "biu":
        return True
    if values.dtype.kind != "f":
        return False
    with np.errstate(invalid="ignore"):
        return bool((values.astype(np.int64) == values).all())


def distinct(array: Array) -> Array:
    """Return the distinct values of an array, sorted, as ``numpy.unique`` does, but faster for labels."""
    if array.dtype.kind in "biuU" and array.size:
        values = column(np.ascontiguousarray(array).reshape(-1))
        return np.array(encode(values)[1], dtype=array.dtype)
    try:
        return np.unique(array)
    except TypeError as error:
        raise InvalidParameterError(str(error)) from None


def is_indicator(values: Any) -> bool:
    """Whether this is a multilabel indicator: a table of at most two distinct integers such as 0 and 1."""
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if len(shape) != _TABLE or shape[1] < 2:  # noqa: PLR2004 - one column is one label per row
        return False
    if is_sparse(values):
        nonzero = distinct(np.asarray(values.tocsr().data))
        at_most_two = len(nonzero) <= 1 or (len(nonzero) == 2 and 0 in nonzero)  # noqa: PLR2004
        return not len(nonzero) or (at_most_two and whole(nonzero))
    if values.dtype.kind not in "biuf":
        return False
    if values.dtype.kind == "f" and not whole(values[:1]):  # check one row before scanning the whole table
        return False
    values_found = distinct(values)
    return len(values_found) <= 2 and whole(values_found)  # noqa: PLR2004 - present and absent


def type_of_target(values: Any, name: str = "") -> str:
    """Return the type of a target, with scikit-learn's names.

    One of "binary", "multiclass", "multilabel-indicator", "multiclass-multioutput", "continuous",
    "continuous-multioutput" and "unknown".

    >>> type_of_target(["a", "b", "a"]), type_of_target([[0, 1], [1, 1]]), type_of_target([0.5, 2])
    ('binary', 'multilabel-indicator', 'continuous')
    """
    if is_sparse(values):
        array = values.tocsr()
        if is_indicator(array):
            return "multilabel-indicator"
        array = array.toarray()
    else:
        array = as_target(values)
        if is_indicator(array):
            return "multilabel-indicator"
    if array.ndim not in (1, _TABLE):
        return "unknown"
    if not array.size:
        return "binary" if array.ndim == 1 else "unknown"
    if array.dtype.kind == "O" and not isinstance(array.flat[0], str):
        return "unknown"
    suffix = "-multioutput" if array.ndim == _TABLE and array.shape[1] > 1 else ""
    if array.dtype.kind == "f" and not whole(array):
        finite(array, name)
        return f"continuous{suffix}"
    if suffix or len(distinct(array)) > 2:  # noqa: PLR2004 - two classes are binary
        return f"multiclass{suffix}"
    return "binary"


def as_target(values: Any) -> Array:
    """Return a dense target as an array, or raise if it is a scalar, bytes or a list of label lists."""
    if isinstance(values, str) or not (isinstance(values, Sequence) or hasattr(values, "__array__")):
        raise InputError(f"Expected array-like (array or non-string sequence), got {values!r}")
    if type(values).__name__ in ("SparseSeries", "SparseArray"):
        raise InputError("y cannot be class 'SparseSeries' or 'SparseArray'")
    array = as_array(values)
    if array.dtype.kind in "OSV" and array.ndim and len(array):
        first = array[0]
        if isinstance(first, bytes):
            raise InvalidParameterError(
                "Support for labels represented as bytes is not supported. "
                "Convert the labels to a string or integer format."
            )
        if isinstance(first, Sequence) and not isinstance(first, str):
            raise LabelError(
                "You appear to be using a legacy multi-label data representation. Sequence of sequences are "
                "no longer supported; use a binary array or sparse matrix instead - the MultiLabelBinarizer "
                "transformer can convert to this format."
            )
    return array


def unique_labels(*arrays: Array) -> Array:
    """Return the distinct labels of several 1-D arrays together, sorted; text beside numbers is refused."""
    labels_by_array = [distinct(array) for array in arrays]
    labels = {label for array_labels in labels_by_array for label in array_labels.tolist()}
    if len({isinstance(label, str) for label in labels}) > 1:
        raise LabelError(
            f"Mix of label input types (string and number); Got {' and '.join(map(str, labels_by_array))}."
        )
    return np.asarray(sorted(labels))


def positive_label(pos_label: Any, y_true: Array) -> Any:
    """Return the positive label: `pos_label`, or 1 where the labels are among {0, 1} or {-1, 1}."""
    if pos_label is not None:
        return pos_label
    classes = distinct(y_true)
    labels = classes.tolist()
    if classes.dtype.kind in "OUSTV" or labels not in ([0, 1], [-1, 1], [0], [-1], [1]):
        raise LabelError(
            f"y_true takes value in {{{', '.join(map(repr, labels))}}} and pos_label is not specified: "
            "either make y_true take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def _numbers(values: Any) -> Array:
    """Return numbers in their own dtype; numbers in text as float64."""
    array = as_array(values)
    return numeric(array, dtype=np.float64 if array.dtype.kind in "UT" else None)


def regression_targets(
    y_true: Any, y_pred: Any, sample_weight: Any, multioutput: Any = "uniform_average"
) -> tuple[Array, Array, Array | None, Any]:
    """Return actual and predicted numbers as tables of one column per output, the weights, and `multioutput`.

    `multioutput` must be None, "raw_values", "uniform_average", "variance_weighted", or one weight per
    output, which is returned as an array.
    """
    n = consistent_length(y_true, y_pred, sample_weight)
    actual, predicted = (_numbers(values) for values in (y_true, y_pred))
    weights = sample_weights(sample_weight, n, dtype=(np.float64, np.float32))
    actual = actual.reshape(-1, 1) if actual.ndim == 1 else actual
    predicted = predicted.reshape(-1, 1) if predicted.ndim == 1 else predicted
    outputs = actual.shape[1]
    if outputs != predicted.shape[1]:
        raise LengthError(
            f"y_true and y_pred have different number of output ({outputs}!={predicted.shape[1]})"
        )
    if isinstance(multioutput, str):
        known = ("raw_values", "uniform_average", "variance_weighted")
        if multioutput not in known:
            raise InputError(
                f"Allowed 'multioutput' string values are {known}. You provided multioutput={multioutput!r}"
            )
    elif multioutput is not None:
        multioutput = numeric(multioutput)
        if outputs == 1:
            raise InputError("Custom weights are useful only in multi-output cases.")
        if outputs != len(multioutput):
            raise LengthError(
                f"There must be equally many custom weights ({len(multioutput)}) as outputs ({outputs})."
            )
    return actual, predicted, weights, multioutput
