"""The exceptions of assay, as a tree, and the checks of arguments that many functions take.

::

    AssayError
    ├── InputError (ValueError)      the rows cannot be used as they are
    │   ├── LengthError              columns of different lengths, or without rows
    │   ├── MissingValueError             NaN, None or null where a value is needed
    │   ├── LabelError               labels that do not fit together or the declared set
    │   ├── NumberError              a score, weight or number that cannot be one
    │   ├── ColumnError              a column that is not there or of no usable kind
    │   ├── FileError                a file that is not there, cannot be read, or is damaged
    │   └── SplitError               parts that cannot be made, or that share what they must not
    ├── TallyError (ValueError)
    │   ├── MergeError               two tallies that do not belong together
    │   └── FormatError               bytes that are no tally, or a damaged or newer one
    ├── MetricError (ValueError)     a metric that does not exist, or that a tally does not have
    ├── PlanError (ValueError)       a plan or a requirement that cannot be read or used
    │   ├── PlanChangedError         the plan, or its test set, is not the one that was sealed
    │   └── NoLooksLeftError         as many models as the plan allows have been checked
    └── MissingDependencyError (ImportError)      an optional dependency that is not installed
"""

from __future__ import annotations

import difflib
import functools
import numbers
import types
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from assay.escape import printable
from assay.hints import Hint, hints_in, param, passed, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "AssayError",
    "ColumnError",
    "FileError",
    "FormatError",
    "InputError",
    "LabelError",
    "LedgerError",
    "LengthError",
    "MergeError",
    "MetricError",
    "MissingDependencyError",
    "MissingValueError",
    "NoLooksLeftError",
    "NumberError",
    "PlanChangedError",
    "PlanError",
    "SplitError",
    "TallyError",
    "check_whole_number",
    "param",
    "passed",
    "shown",
    "suggest_keywords",
]

P = ParamSpec("P")
T = TypeVar("T")

# Keywords of scikit-learn, other libraries and earlier versions, with the names used here.
_OTHER_NAMES = {
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

    Its message may quote data, and is safe to print. What it advises is data, too: see :mod:`assay.hints`.

    >>> from assay.hints import param
    >>> refused = LabelError(f"say which label is positive with {param('positive')}")
    >>> str(refused), refused.hints
    ('say which label is positive with positive=', [Hint(python='positive=', shell='', parameter='positive')])
    """

    @property
    def message(self) -> str:
        """The message before its hints are written out, to be quoted in another message."""
        return super().__str__()

    @property
    def hints(self) -> list[Hint]:
        """The parameters and calls that the message advises."""
        return hints_in(self.message)

    def __str__(self) -> str:
        return printable(render(self.message), lines=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class InputError(AssayError, ValueError):
    """The rows cannot be used as they are."""


class LengthError(InputError):
    """Columns of different lengths, or without rows."""


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
    """A metric that does not exist, or that a tally does not have."""


class LedgerError(AssayError, ValueError):
    """A ledger that cannot be used, or an evaluation that it cannot record."""


class PlanError(AssayError, ValueError):
    """A plan or a requirement that cannot be read or used."""


class PlanChangedError(PlanError):
    """The plan, or its test set, is not the one that was sealed."""


class NoLooksLeftError(PlanError):
    """As many models as the plan allows have been checked."""


class MissingDependencyError(AssayError, ImportError):
    """An optional dependency that is not installed."""


def shown(values: Iterable[object], limit: int = 6) -> str:
    """Return values as a short list for a message: ``1, 2, 3 and 7 more``.

    >>> shown(["a", "b"]), shown(range(10), limit=3)
    ('"a", "b"', '0, 1, 2 and 7 more')
    """
    everything = list(values)
    words = [f'"{value}"' if isinstance(value, str) else str(value) for value in everything[:limit]]
    rest = len(everything) - limit
    text = ", ".join(words)
    return (text if text.isprintable() else printable(text)) + (f" and {rest:,} more" if rest > 0 else "")


def check_whole_number(
    name: str,
    value: Any,
    minimum: int = 1,
    maximum: int | None = None,
    *,
    error: type[AssayError] = MetricError,
) -> int:
    """Return a whole number within limits, or raise naming the parameter.

    >>> check_whole_number("bins", 2.5)
    Traceback (most recent call last):
        ...
    assay.errors.MetricError: bins=2.5 should be a whole number of at least 1.
    """
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < minimum or (maximum is not None and value > maximum):
        limits = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum:,}"
        raise error(f"{passed(name, value)} should be a whole number {limits}.")
    return int(value)


def suggest_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function suggest the right name for a keyword that it does not have.

    >>> @suggest_keywords
    ... def evaluate(*, actual, score=None, threshold=None):
    ...     return actual
    >>> evaluate(y_true=[0, 1])
    Traceback (most recent call last):
        ...
    TypeError: evaluate() has no y_true=: it is called actual= here.
    >>> evaluate(actual=[0, 1], treshold=0.3)
    Traceback (most recent call last):
        ...
    TypeError: evaluate() has no treshold=. Did you mean threshold=?
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if (signature := getattr(function, "__signature__", None)) is not None:  # it states more than the code
        names = tuple(name for name in signature.parameters if name != "self")
    known = frozenset(names)
    advise = functools.partial(_refuse_keywords, function.__name__, names)

    def checked(*args: P.args, **keywords: P.kwargs) -> T:
        if not keywords.keys() <= known:
            advise(keywords)
        return function(*args, **keywords)

    # doctest attributes a function to a module by its globals, and `checked` needs none.
    own = types.FunctionType(checked.__code__, function.__globals__, closure=checked.__closure__)
    return cast("Callable[P, T]", functools.wraps(function)(own))


def _refuse_keywords(function: str, known: tuple[str, ...], keywords: dict[str, Any]) -> None:
    name = next(word for word in keywords if word not in known)
    here = next((word for word in _OTHER_NAMES.get(name, ()) if word in known), None)
    if here is not None:
        raise TypeError(f"{function}() has no {name}=: it is called {here}= here.")
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        raise TypeError(f"{function}() has no {name}=. Did you mean {near[0]}=?")
    raise TypeError(f"{function}() has no {name}=: it takes {', '.join(known)}.")
