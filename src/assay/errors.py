"""The exceptions of assay, as a tree.

::

    AssayError
    ├── InputError (ValueError)      the rows cannot be used as they are
    │   ├── LengthError              columns of different lengths, or of none
    │   ├── MissingValueError             NaN, None or null where a value is needed
    │   ├── LabelError               labels that do not fit together or the declared set
    │   ├── NumberError              a score, weight or number that cannot be one
    │   ├── ColumnError              a column that is not there or of no usable kind
    │   ├── FileError                a file that is not there, cannot be read, or is damaged
    │   └── SplitError               parts that cannot be made, or that share what they must not
    ├── TallyError (ValueError)
    │   ├── MergeError               two tallies that do not belong together
    │   └── FormatError               bytes that are no tally, or a damaged or newer one
    ├── MetricError (ValueError)     a metric that does not exist, or asked of the wrong tally
    └── MissingDependencyError (ImportError)      an optional part that is not installed
"""

from __future__ import annotations

import difflib
import functools
import types
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from assay.escape import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "AssayError",
    "ColumnError",
    "FileError",
    "FormatError",
    "InputError",
    "LabelError",
    "LengthError",
    "MergeError",
    "MetricError",
    "MissingDependencyError",
    "MissingValueError",
    "NumberError",
    "SplitError",
    "TallyError",
    "shown",
    "suggest_keywords",
]

P = ParamSpec("P")
T = TypeVar("T")

# What scikit-learn and its like call a thing, and what it may be called here.
_ELSEWHERE = {
    "absent": ("undefined",), "cv": ("split",), "draws": ("replicates",), "estimator": ("model",),
    "folds": ("split",), "groups": ("group",), "kind": ("task",), "matter": ("highlight",),
    "n_boot": ("replicates",),
    "n_resamples": ("replicates",), "rate": ("max_positive_rate",), "versus": ("baseline",),
    "n_bins": ("bins",), "n_jobs": ("jobs",), "n_repeats": ("repeats",),
    "n_splits": ("k", "replicates", "folds"),
    "pos_label": ("positive",), "random_state": ("seed",), "sample_weight": ("weight",),
    "scoring": ("metrics",), "test_size": ("parts",), "train_size": ("parts",), "train_sizes": ("sizes",),
    "weights": ("weight",), "y_pred": ("predicted",), "y_prob": ("score",), "y_proba": ("score",),
    "y_score": ("score",), "y_true": ("actual", "y"),
}  # fmt: skip


class AssayError(Exception):
    """Any error that assay raises on purpose.

    Its message may quote data, and is safe to print.
    """

    def __str__(self) -> str:
        return printable(super().__str__(), lines=True)


class InputError(AssayError, ValueError):
    """The rows cannot be used as they are."""


class LengthError(InputError):
    """Columns of different lengths, or of none."""


class MissingValueError(InputError):
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


class FormatError(TallyError):
    """Bytes that are no tally, or a damaged or newer one."""


class MetricError(AssayError, ValueError):
    """A metric that does not exist, or that is asked of the wrong tally."""


class MissingDependencyError(AssayError, ImportError):
    """An optional part that is not installed."""


def shown(values: Iterable[object], limit: int = 6) -> str:
    """Return values as a short list for a message: ``1, 2, 3 and 7 more``.

    >>> shown(["a", "b"]), shown(range(10), limit=3)
    ('"a", "b"', '0, 1, 2 and 7 more')
    """
    everything = list(values)
    words = [f'"{value}"' if isinstance(value, str) else str(value) for value in everything[:limit]]
    rest = len(everything) - limit
    return printable(", ".join(words)) + (f" and {rest:,} more" if rest > 0 else "")


def suggest_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function say what a keyword that it does not know is called here.

    >>> @suggest_keywords
    ... def judged(*, actual, score=None, threshold=None):
    ...     return actual
    >>> judged(y_true=[0, 1])
    Traceback (most recent call last):
        ...
    TypeError: judged() has no y_true=: it is called actual= here.
    >>> judged(actual=[0, 1], treshold=0.3)
    Traceback (most recent call last):
        ...
    TypeError: judged() has no treshold=. Did you mean threshold=?
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if (signature := getattr(function, "__signature__", None)) is not None:  # it states more than the code
        names = tuple(name for name in signature.parameters if name != "self")
    known = frozenset(names)
    advise = functools.partial(_refuse_keywords, function.__name__, names)

    def told(*args: P.args, **keywords: P.kwargs) -> T:
        if not keywords.keys() <= known:
            advise(keywords)
        return function(*args, **keywords)

    # doctest takes a function for a module's own by its globals, and told needs none.
    own = types.FunctionType(told.__code__, function.__globals__, closure=told.__closure__)
    return cast("Callable[P, T]", functools.wraps(function)(own))


def _refuse_keywords(function: str, known: tuple[str, ...], keywords: dict[str, Any]) -> None:
    name = next(word for word in keywords if word not in known)
    here = next((word for word in _ELSEWHERE.get(name, ()) if word in known), None)
    if here is not None:
        raise TypeError(f"{function}() has no {name}=: it is called {here}= here.")
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        raise TypeError(f"{function}() has no {name}=. Did you mean {near[0]}=?")
    raise TypeError(f"{function}() has no {name}=: it takes {', '.join(known)}.")
