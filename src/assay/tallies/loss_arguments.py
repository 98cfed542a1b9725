"""Arguments of row-wise loss functions: read from the rows by parameter name."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay import kernels
from assay.errors import ColumnError, NumberError, TallyError
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs.columns import doubles
from assay.inputs.labels import check_declared, encode, translate
from assay.tallies.moments import refuse_bad_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.inputs import Column, Rows
    from assay.inputs.columns import Array

__all__ = [
    "check_clip",
    "evaluate_in_blocks",
    "log_losses",
    "loss_argument",
    "own_parameters",
    "positional_parameters",
    "raise_not_probability",
    "require_probabilities",
    "row_values",
]

_BLOCK_ROWS = 1 << 16  # rows per call of the loss function
_SUM_TOLERANCE = 1e-6  # largest deviation from 1 of the sum of a row's probabilities


def row_values(
    rows: Rows, function: Callable[..., Array], parameters: Mapping[str, Any]
) -> tuple[Array, str]:
    """Return the value of a function for each row, and its name with its keyword-only parameters.

    The function's positional parameters name its inputs, as plain arrays: ``actual``, ``predicted`` and
    ``score`` are columns of numbers, ``positive`` is 1 where the row is positive and else 0, and
    ``probability`` is a score in [0, 1]. With several classes, ``scores`` has a column per class,
    ``probabilities`` are scores that add up to 1 in each row, and ``codes`` is the column index of the
    actual class. Keyword-only parameters are options of the function; all of them are part of the name,
    so that only tallies of the same function with the same options merge.
    """
    own, name = own_parameters(function, parameters)
    if not rows.n:
        return np.empty(0), name
    what = f"the loss {function.__name__}"
    columns = [loss_argument(rows, role, what) for role in positional_parameters(function)]
    return evaluate_in_blocks(function, columns, own), name


def positional_parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters."""
    return [p.name for p in _parameters(function) if p.kind is not p.KEYWORD_ONLY]


@functools.lru_cache(64)  # reading a signature takes longer than the loss of a hundred rows
def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return a function's parameters other than ``*args`` and ``**kwargs``."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))


def own_parameters(function: Callable[..., Any], parameters: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a function's keyword-only parameters, passed or default, and its name with them."""
    signature = _parameters(function)
    own = {p.name: parameters.get(p.name, p.default) for p in signature if p.kind is p.KEYWORD_ONLY}
    if unknown := sorted(set(parameters) - set(own)):
        raise TallyError(f"the loss {function.__name__} has no parameter {', '.join(unknown)}.")
    return own, " ".join(
        [function.__name__, *(f"{key}={_canonical_repr(value)}" for key, value in own.items())]
    )


def evaluate_in_blocks(
    function: Callable[..., Any], columns: list[Array], parameters: Mapping[str, Any]
) -> Array:
    """Return the value of a function for each row, in blocks so that its temporary arrays stay in cache.

    Rows without a finite value are NaN or infinite.
    """
    values = np.empty(len(columns[0]))
    for start in range(0, len(values), _BLOCK_ROWS):
        block = values[start : start + _BLOCK_ROWS]
        with np.errstate(all="ignore"):
            blocks = (column[start : start + _BLOCK_ROWS] for column in columns)
            losses = np.asarray(function(*blocks, **parameters))
        if losses.shape != block.shape:
            raise TallyError(
                f"the loss {function.__name__} returned an array of shape {losses.shape} for {len(block):,} "
                "rows: it must return one number per row."
            )
        block[:] = losses
    return values


def _canonical_repr(value: Any) -> str:
    if isinstance(value, (list, tuple, np.ndarray)):
        raise TallyError(
            "a loss's parameter is one number for all rows. Where each row has its own, take the losses "
            "first and tally them: Losses.of_values(losses)."
        )
    if isinstance(value, (int, float, np.number)) and type(value) is not bool:
        return repr(float(value))  # 1, 1.0 and numpy.float64(1) are the same parameter
    return repr(value)


def log_losses(positive: Array | None, probability: Array, *, clip: float = 0.0) -> Array:
    """Return minus the logarithm of the probability of each row's actual class; infinite where it is 0.

    Without `positive`, `probability` is already that of the actual class. Results are bitwise the same on
    every CPU.

    >>> log_losses(np.array([1.0, 0.0, 1.0]), np.array([0.5, 0.0, 0.0]))
    array([0.69314718, 0.        ,        inf])
    """
    losses: Array = kernels.log_losses(positive, np.ascontiguousarray(probability), check_clip(clip))[0]
    return losses


def check_clip(clip: float) -> float:
    """Return `clip`, how far probabilities are kept from 0 and 1, as a float; raise if not in [0, 1/2)."""
    if not 0 <= clip < 0.5:  # noqa: PLR2004 - the middle
        raise TallyError(f"clip={clip!r} is not a number from 0 up to, but not at, 1/2.")
    return float(clip)


def loss_argument(rows: Rows, role: str, what: str) -> Array:
    """Return the array for one parameter of a loss function; `what` names the loss in error messages."""
    if role == "positive":
        return rows.binary_actual(what)[0].astype(np.float64)
    if role == "codes":
        return _codes(rows, what)
    if role in ("scores", "probabilities"):
        return _matrix(rows, role, what)
    if role not in ("actual", "predicted", "score", "probability"):
        raise TallyError(
            f"{what} has the parameter {role!r}: known are actual, predicted, score, positive and "
            "probability, and codes, scores and probabilities of several classes."
        )
    if role == "probability":
        values = rows.float64("score", what, "probabilities")
        require_probabilities(rows.score, values)  # type: ignore[arg-type]
        return values
    values = rows.float64(role, what)
    finite = np.isfinite(values)
    if not finite.all():
        # A score may be infinite: the loss function decides. The numbers of a regression may not.
        bad = np.isnan(values) if role == "score" else ~finite
        refuse_bad_rows((rows.need(role, what),), (int(np.argmax(bad)) if bad.any() else -1,))
    return values


def raise_not_probability(value: float, where: str) -> NoReturn:
    """Raise the error for a score outside [0, 1]."""
    raise NumberError(
        f"{where} is {value!r}, which is not a probability: those lie between 0 and 1. If the scores are "
        "logits, turn them into probabilities first (1 / (1 + exp(-score))); if they only rank, use ranking "
        "metrics (auc, average precision)."
    )


def require_probabilities(column: Column, values: Array) -> None:
    """Raise for the first value outside [0, 1]."""
    lowest, highest, missing = kernels.extremes(np.ascontiguousarray(values).reshape(-1))
    if values.size and not (missing < 0 and lowest >= 0 and highest <= 1):
        if values.ndim == 1 and np.isnan(values).any():
            column.raise_missing(int(np.argmax(np.isnan(values))))
        index = np.unravel_index(int(np.argmax((values < 0) | (values > 1))), values.shape)
        raise_not_probability(float(values[index]), f"{column.name} ({column.where(int(index[0]))})")


def _codes(rows: Rows, what: str) -> Array:
    actual = rows.need("actual", what)
    codes, labels = encode(actual)
    declared = rows.labels or labels
    check_declared(actual, codes, labels, declared)
    return translate(labels, declared).astype(np.intp)[codes]


def _matrix(rows: Rows, role: str, what: str) -> Array:
    column = rows.need("score", what)
    if column.values.ndim == 1:
        raise ColumnError(
            f"{what} needs a column of scores per class, but {column.name} is a single one: pass "
            f"{param('score')} a "
            "table with a column for each label."
        )
    column.refuse_missing()
    values = doubles(column.values)
    if role == "probabilities":
        require_probabilities(column, values)
        sums = values.sum(axis=1)
        off = np.abs(sums - 1) > _SUM_TOLERANCE
        if off.any():
            row = int(np.argmax(off))
            raise NumberError(
                f"the probabilities of {column.name} add up to {sums[row]:.9g} ({column.where(row)}), and "
                f"not to 1 in {int(off.sum()):,} of {count_of(len(off), 'row')}. "
                f"Divide each row by its sum first, if "
                "they are meant as probabilities."
            )
    return values
