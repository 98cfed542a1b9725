"""Parameters: what each may be, declared beside the function, checked only where the caller passes one.

::

    @validated(y_true=ROWS, y_pred=ROWS, normalize=BOOLEAN, sample_weight=OPTIONAL_ARRAY)
    def accuracy_score(y_true, y_pred, *, normalize=True, sample_weight=None): ...

A rule is a tuple of alternatives; a value that none of them allows raises
:class:`InvalidParameterError`, in the words scikit-learn's users know.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from assay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "ARRAY",
    "AVERAGE",
    "BOOLEAN",
    "CALLABLE",
    "NAN",
    "NONE",
    "OPTIONAL_ARRAY",
    "POS_LABEL",
    "ROWS",
    "SPARSE",
    "ZERO_DIVISION",
    "Alternative",
    "InvalidParameterError",
    "instance_of",
    "interval",
    "is_array_like",
    "is_sparse",
    "number_among",
    "text_among",
    "validated",
]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class InvalidParameterError(InputError, TypeError):
    """A parameter of the wrong type or value: both a ValueError and a TypeError, as in scikit-learn."""


@dataclasses.dataclass(frozen=True, slots=True)
class Alternative:
    """One thing a parameter may be: a test, and the words for it; without words it goes unmentioned."""

    allows: Callable[[Any], bool]
    words: str = ""


Rule: TypeAlias = tuple[Alternative, ...]


def is_sparse(values: Any) -> bool:
    """Tell whether this is a sparse matrix or array, known by its methods: SciPy is not needed."""
    return hasattr(values, "tocsr") and hasattr(values, "nnz")


def is_array_like(values: Any) -> bool:
    """Tell whether this is anything array-like that is neither a scalar nor sparse."""
    if type(values) is np.ndarray or type(values) is list:
        return True
    return (
        (hasattr(values, "__len__") or hasattr(values, "shape") or hasattr(values, "__array__"))
        and not np.isscalar(values)
        and not is_sparse(values)
    )


def instance_of(kind: type, name: str = "") -> Rule:
    """Return the rule for instances of a type, named as users know it."""
    return (Alternative(lambda value: isinstance(value, kind), f"an instance of {name or kind.__name__!r}"),)


def text_among(*options: str) -> Rule:
    """Return the rule for one of several words."""
    listed = ", ".join(map(repr, options))
    return (
        Alternative(lambda value: isinstance(value, str) and value in options, f"a str among {{{listed}}}"),
    )


def number_among(*options: float) -> Rule:
    """Return the rule for one of several numbers; NaN may be one of them."""
    listed = ", ".join(map(repr, options))
    with_nan = any(map(math.isnan, options))

    def allows(value: Any) -> bool:
        return isinstance(value, numbers.Real) and (value in options or (with_nan and _is_nan(value)))

    return (Alternative(allows, f"a float among {{{listed}}}"),)


def interval(kind: type, low: float | None, high: float | None, *, closed: str) -> Rule:
    """Return the rule for numbers of a type (numbers.Integral or numbers.Real) between two bounds.

    `closed` is "left", "right", "both" or "neither"; a bound of None is infinite.
    """
    whole = kind is numbers.Integral
    lowest, highest = -math.inf if low is None else low, math.inf if high is None else high
    with_lowest, with_highest = closed in ("left", "both"), closed in ("right", "both")

    def allows(value: Any) -> bool:
        # A NaN compares as false with either bound, so it is refused.
        return isinstance(value, kind) and bool(
            (value >= lowest if with_lowest else value > lowest)  # type: ignore[operator]
            and (value <= highest if with_highest else value < highest)  # type: ignore[operator]
        )

    ends = [str(end if whole or math.isinf(end) else float(end)) for end in (lowest, highest)]
    brackets = "[" if with_lowest else "(", "]" if with_highest else ")"
    kind_word = "an int" if whole else "a float"
    return (Alternative(allows, f"{kind_word} in the range {brackets[0]}{ends[0]}, {ends[1]}{brackets[1]}"),)


def _is_nan(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and math.isnan(value)


ARRAY: Rule = (Alternative(is_array_like, "an array-like"),)
SPARSE: Rule = (Alternative(is_sparse, "a sparse array or matrix"),)
NONE: Rule = (Alternative(lambda value: value is None, "None"),)
NAN: Rule = (Alternative(_is_nan, "numpy.nan"),)
CALLABLE: Rule = (Alternative(callable, "a callable"),)
BOOLEAN: Rule = (
    Alternative(
        lambda value: isinstance(value, (bool, np.bool_)),
        "an instance of 'bool' or an instance of 'numpy.bool'",
    ),
)
ROWS: Rule = ARRAY + SPARSE
OPTIONAL_ARRAY: Rule = ARRAY + NONE
POS_LABEL: Rule = instance_of(numbers.Real, "float") + instance_of(str) + BOOLEAN + NONE
AVERAGE: Rule = text_among("micro", "macro", "samples", "weighted", "binary") + NONE
ZERO_DIVISION: Rule = number_among(0.0, 1.0) + NAN + text_among("warn")


def validated(**rules: Rule) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator that checks what the caller passes; defaults are right by themselves.

    >>> @validated(normalize=BOOLEAN)
    ... def share(hits, *, normalize=True): ...
    >>> share(3, normalize="yes")
    Traceback (most recent call last):
        ...
    assay.sklearn.parameter_checks.InvalidParameterError: The 'normalize' parameter of share must be an \
instance of 'bool' or an instance of 'numpy.bool'. Got 'yes' instead.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        name = function.__name__
        order = [(known, rules.get(known, ())) for known in inspect.signature(function).parameters]
        assert set(rules) <= {known for known, _ in order}, f"{name} has no such parameter"  # noqa: S101

        @functools.wraps(function)
        def checked(*args: Parameters.args, **keywords: Parameters.kwargs) -> Result:
            for (known, rule), value in zip(order, args, strict=False):
                for alternative in rule:
                    if alternative.allows(value):
                        break
                else:
                    if rule:
                        _refuse(name, known, rule, value)
            for parameter, value in keywords.items():
                rule = rules.get(parameter, ())
                for alternative in rule:
                    if alternative.allows(value):
                        break
                else:
                    if rule:
                        _refuse(name, parameter, rule, value)
            return function(*args, **keywords)

        return checked

    return decorate


def _refuse(function: str, parameter: str, rule: Iterable[Alternative], value: Any) -> None:
    words = [alternative.words for alternative in rule if alternative.words]
    allowed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    raise InvalidParameterError(
        f"The {parameter!r} parameter of {function} must be {allowed}. Got {value!r} instead."
    )
