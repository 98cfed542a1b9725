"""What a loss of a row may ask for, by the names of its parameters, and how it is called."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay import kernels
from assay.errors import ColumnError, NumberError, TallyError
from assay.hints import param
from assay.inputs import need_rows
from assay.inputs.columns import doubles
from assay.inputs.labels import binary, check_declared, encode, translate
from assay.tallies.moments import refuse_bad_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.inputs import Column, Rows
    from assay.inputs.columns import Array

__all__ = [
    "asked_for",
    "checked_clip",
    "evaluated",
    "log_losses",
    "no_probability",
    "numbers",
    "own_parameters",
    "refuse_outside",
    "row_values",
]

_BLOCK = 1 << 16  # rows for which a loss is taken at a time
_SUM_SLACK = 1e-6  # how far a row's probabilities may be from adding up to 1


def row_values(
    rows: Rows, function: Callable[..., Array], parameters: Mapping[str, Any]
) -> tuple[Array, str]:
    """Return what a function gives each row, and its name with its own parameters.

    The function's positional parameters say what it needs, as plain arrays: ``actual``, ``predicted`` and
    ``score`` are columns of numbers, ``positive`` is 1 where the row is positive and else 0, and
    ``probability`` is a score that lies in [0, 1]. Of several classes, ``scores`` has a column each,
    ``probabilities`` are scores of which each row's add up to 1, and ``codes`` says which column is the
    actual class's. Keyword-only parameters are the function's own; all of them are written into the name,
    so that only tallies of one and the same function merge.
    """
    own, name = own_parameters(function, parameters)
    if not len(need_rows(rows)):
        return np.empty(0), name
    what = f"the loss {function.__name__}"
    columns = [numbers(rows, role, what) for role in asked_for(function)]
    return evaluated(function, columns, own), name


def asked_for(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters."""
    return [one.name for one in _parameters(function) if one.kind is not one.KEYWORD_ONLY]


@functools.lru_cache(64)  # reading a signature takes longer than the loss of a hundred rows
def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return a function's parameters that have a name of their own."""
    known = inspect.signature(function).parameters.values()
    return tuple(one for one in known if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD))


def own_parameters(function: Callable[..., Any], parameters: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a function's keyword-only parameters, given or by default, and its name with them."""
    known = _parameters(function)
    own = {one.name: parameters.get(one.name, one.default) for one in known if one.kind is one.KEYWORD_ONLY}
    if unknown := sorted(set(parameters) - set(own)):
        raise TallyError(f"the loss {function.__name__} has no parameter {', '.join(unknown)}.")
    return own, " ".join([function.__name__, *(f"{key}={_plain(value)}" for key, value in own.items())])


def evaluated(function: Callable[..., Any], columns: list[Array], parameters: Mapping[str, Any]) -> Array:
    """Return what a function gives each row of columns, block by block so that its temporaries stay in cache.

    It says by NaN or infinity where it has no finite value.
    """
    values = np.empty(len(columns[0]))
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        with np.errstate(all="ignore"):
            found = np.asarray(function(*(one[start : start + _BLOCK] for one in columns), **parameters))
        if found.shape != block.shape:
            raise TallyError(
                f"the loss {function.__name__} gave an array of shape {found.shape} for {len(block):,} rows: "
                "it is to give one number per row."
            )
        block[:] = found
    return values


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple, np.ndarray)):
        raise TallyError(
            "a loss's parameter is one number for all rows. Where each row has its own, take the losses "
            "first and tally them: Losses.of_values(losses)."
        )
    if isinstance(value, (int, float, np.number)) and type(value) is not bool:
        return repr(float(value))  # 1, 1.0 and numpy.float64(1) are one parameter
    return repr(value)


def log_losses(positive: Array | None, probability: Array, *, clip: float = 0.0) -> Array:
    """Return minus the logarithm of what each row's own class was given; infinite where that is 0.

    Without `positive` the probability is that of the row's own class already. The bits are the same on
    every CPU.

    >>> log_losses(np.array([1.0, 0.0, 1.0]), np.array([0.5, 0.0, 0.0]))
    array([0.69314718, 0.        ,        inf])
    """
    losses: Array = kernels.log_losses(positive, np.ascontiguousarray(probability), checked_clip(clip))[0]
    return losses


def checked_clip(clip: float) -> float:
    """Return how far probabilities are moved from 0 and 1, or raise where it is no such number."""
    if not 0 <= clip < 0.5:  # noqa: PLR2004 - the middle
        raise TallyError(f"clip={clip!r} is not a number from 0 up to, but not at, 1/2.")
    return float(clip)


def numbers(rows: Rows, role: str, what: str) -> Array:
    """Return the plain array that a loss's parameter stands for; `what` needs it."""
    if role == "positive":
        labels, _ = binary(rows.need("actual", what), rows.positive, rows.labels)
        return labels.astype(np.float64)
    if role == "codes":
        return _codes(rows, what)
    if role in ("scores", "probabilities"):
        return _matrix(rows, role, what)
    if role not in ("actual", "predicted", "score", "probability"):
        raise TallyError(
            f"{what} asks for {role!r}: it may ask for actual, predicted, score, positive or probability, "
            "or for codes, scores or probabilities of several classes."
        )
    found = rows.need("score" if role == "probability" else role, what)
    values = doubles(found.numbers("probabilities" if role == "probability" else "numbers"))
    found.refuse_missing()
    finite = np.isfinite(values)
    if not finite.all():
        # A score may be infinite, and then the loss has its say; a regression's numbers may not.
        bad = ~finite if role in ("actual", "predicted") else np.isnan(values)
        refuse_bad_rows((found,), (int(np.argmax(bad)) if bad.any() else -1,))
    if role == "probability":
        refuse_outside(found, values)
    return values


def no_probability(value: float, where: str) -> NoReturn:
    """Raise the error for a score that is no probability."""
    raise NumberError(
        f"{where} is {value!r}, which is no probability: those lie between 0 and 1. If the scores are "
        "logits, turn them into probabilities first (1 / (1 + exp(-score))); if they only rank, judge them "
        "by their ranks (auc, average precision)."
    )


def refuse_outside(column: Column, values: Array) -> None:
    """Raise for the first value that is no probability."""
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        if values.ndim == 1 and np.isnan(values).any():
            column.raise_missing(int(np.argmax(np.isnan(values))))
        place = np.unravel_index(int(np.argmax((values < 0) | (values > 1))), values.shape)
        no_probability(float(values[place]), f"{column.name} ({column.where(int(place[0]))})")


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
        refuse_outside(column, values)
        sums = values.sum(axis=1)
        far = np.abs(sums - 1) > _SUM_SLACK
        if far.any():
            row = int(np.argmax(far))
            raise NumberError(
                f"the probabilities of {column.name} add up to {sums[row]:.9g} ({column.where(row)}), and "
                f"not to 1 in {int(far.sum()):,} of {len(far):,} rows. Divide each row by its sum first, if "
                "that is what is meant."
            )
    return values
