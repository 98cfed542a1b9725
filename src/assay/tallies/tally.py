"""What every tally is: a frozen value with ``empty``, ``of`` and ``merge``.

The laws, tested for each of them with ``==``: merging with ``empty()`` changes nothing; the order and
the grouping of merges do not matter; the rows cut in any way, tallied apart and merged, equal the rows
tallied at once; no argument is changed; bytes round-trip; the number of threads changes nothing.

They hold because a tally's state is *canonical*: a function of the multiset of rows and of nothing else.
The smallest tally with all of that::

    @dataclasses.dataclass(frozen=True, eq=False, repr=False)
    class RowCount(Tally, kind="row count"):
        n: int = 0

        @classmethod
        def of(cls, rows): return cls(len(rows))
        def merge(self, other): return RowCount(self.n + other.n)
        def check(self): require(self.n >= 0, "a count below 0")
"""

from __future__ import annotations

import abc
import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from assay.errors import FormatError, MergeError, TallyError, shown
from assay.tallies import serialization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.inputs.labels import Labels

__all__ = ["Tally", "from_bytes", "merge"]

_kinds: dict[str, type[Tally]] = {}


class Tally(abc.ABC):
    """Exact state of rows that have been read; a frozen dataclass whose fields are its state."""

    kind: ClassVar[str]
    cache: dict[Any, Any]  # small results by key: a tally does not change, and neither do they

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Return a tally whose fields are not yet set, and with nothing in its cache."""
        tally = super().__new__(cls)
        tally.__dict__["cache"] = {}
        return tally

    def __init_subclass__(cls, *, kind: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if kind:
            cls.kind = kind
            _kinds[kind] = cls

    @classmethod
    def empty(cls) -> Self:
        """Return the tally of no rows, which merging leaves without effect."""
        return cls()

    @abc.abstractmethod
    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return the tally whose :meth:`state` this was, not yet checked."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        require(len(state) == len(fields), f"{len(state)} fields instead of {len(fields)}")
        return cls(*state)

    @abc.abstractmethod
    def check(self) -> None:
        """Raise ValueError if the state is one that no rows could have led to.

        Called on state that came from outside, so that damaged bytes never become a number.
        """

    def state(self) -> tuple[Any, ...]:
        """Return the fields in order: what is compared, and what the bytes hold."""
        return tuple(getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the result in the cache under a key; it is computed the first time."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _same(self.state(), other.state())

    def __repr__(self) -> str:
        fields = zip(dataclasses.fields(self), self.state(), strict=True)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{field.name}={_brief(x)}' for field, x in fields)})"

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the state as versioned bytes: equal tallies give equal bytes."""
        return serialization.pack(self.kind, self.state())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the tally that :meth:`to_bytes` wrote, or raise :class:`~assay.errors.FormatError`."""
        tally = from_bytes(data)
        if not isinstance(tally, cls):
            raise FormatError(f"the bytes hold a tally of {tally.kind}, not of {cls.kind}.")
        return tally

    def __reduce__(self) -> tuple[Any, ...]:
        return from_bytes, (self.to_bytes(),)

    def _same_kind(self, other: Tally) -> None:
        """Raise unless the other tally is of this kind."""
        if type(other) is not type(self):
            kind = getattr(other, "kind", type(other).__name__)
            raise MergeError(f"a tally of {self.kind} does not merge with {kind}.")


AnyTally = TypeVar("AnyTally", bound=Tally)


def merge(tallies: Iterable[AnyTally]) -> AnyTally:
    """Return the tally of all tallies' rows, merged as a tree so that the cost stays linear.

    Evaluations merge alike.

    Parameters
    ----------
    tallies
        Tallies of one kind, or evaluations.

    Returns
    -------
    Tally
        Of the same kind.

    Raises
    ------
    MergeError
        The tallies are of different kinds, labels or settings.
    TallyError
        There are none.

    Examples
    --------
    >>> import assay
    >>> halves = [assay.Sums.of([0.1, 0.2]), assay.Sums.of([0.3])]
    >>> assay.merge(halves) == assay.Sums.of([0.3, 0.2, 0.1])
    True
    """
    # A counter in binary: one tally per power of two merged so far, so equals meet equals.
    levels: list[AnyTally | None] = []
    for tally in tallies:
        if not isinstance(getattr(tally, "tallies", tally), Tally | tuple):  # evaluations have some
            raise MergeError(f"only tallies and evaluations merge, not a {type(tally).__name__}.")
        carried = tally
        for level, waiting in enumerate(levels):
            if waiting is None:
                levels[level] = carried
                break
            carried = waiting.merge(carried)
            levels[level] = None
        else:
            levels.append(carried)
    left = [tally for tally in levels if tally is not None]
    if not left:
        raise TallyError("there is nothing to merge: no tallies were given.")
    merged = left[0]
    for tally in left[1:]:
        merged = tally.merge(merged)
    return merged


def from_bytes(data: bytes) -> Tally:
    """Return the tally, of whatever kind, that ``to_bytes`` wrote.

    Parameters
    ----------
    data
        What ``to_bytes`` returned.

    Returns
    -------
    Tally
        Equal to the one that was written.

    Raises
    ------
    FormatError
        The bytes are no tally, or damaged, or of a newer version.

    Examples
    --------
    >>> import assay
    >>> counts = assay.Confusion.of(assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> from_bytes(counts.to_bytes()) == counts
    True
    """
    return restored(*serialization.unpack(data))


def restored(kind: str, state: tuple[Any, ...]) -> Tally:
    """Return the tally of a kind and a state that came from outside, checked."""
    if kind not in _kinds:
        from assay.tallies import load_all  # noqa: PLC0415 - it holds what it loads

        load_all()
    if kind not in _kinds:
        raise FormatError(f'it holds a tally of "{kind}", which this version of assay does not know.')
    try:
        tally = _kinds[kind].restore(state)
        tally.check()
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as wrong:
        raise FormatError(f"it holds no valid tally of {kind}: {wrong}.") from None
    return tally


def no_values(dtype: Any, size: int = 0) -> Any:
    """Return a dataclass field that is an array of no values (or of `size` zeros) unless given."""
    array = frozen(np.zeros(size, dtype=dtype))
    return dataclasses.field(default_factory=lambda: array)


def frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the array, closed for writing."""
    array.flags.writeable = False
    return array


def require(condition: object, what: str) -> None:
    """Raise ValueError unless the condition holds: for :meth:`Tally.check`."""
    if not condition:
        raise ValueError(what)


def require_same_labels(first: Labels, second: Labels) -> None:
    """Raise where two tallies that are merged have different labels, or the same in another order."""
    if first != second:
        raise MergeError(f"the tallies have different labels: {shown(first)} against {shown(second)}.")


def _brief(value: Any) -> str:
    """Return a field's value so that it fits a line."""
    if isinstance(value, np.ndarray) and value.size > 6:  # noqa: PLR2004 - what still reads well
        return f"<{' x '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, np.ndarray):
        return str(value.tolist())
    if isinstance(value, tuple) and len(value) > 6:  # noqa: PLR2004
        return f"<{len(value)} of them>"
    return repr(value)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray):
        return (
            isinstance(second, np.ndarray) and first.dtype == second.dtype and np.array_equal(first, second)
        )
    if isinstance(first, tuple):
        return isinstance(second, tuple) and len(first) == len(second) and all(map(_same, first, second))
    # True == 1, but a tally of true/false labels is not one of numbers.
    return type(first) is type(second) and bool(first == second)
