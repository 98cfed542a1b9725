"""A tally with a memory limit: dropped, with the reason, once it exceeds the limit or rows rule it out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.tallies.tally import Tally, require, restored

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Rows

__all__ = ["BoundedTally"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class BoundedTally(Tally, kind="perhaps"):
    """A tally, or the reason it was dropped; `limit` is the maximum size of its arrays in bytes (0: none).

    The tally of some rows is never larger than that of all rows, so whether it is dropped depends on the rows
    and not on how they were split into batches. Of two reasons the alphabetically first is kept.

    State: that of the tally, at most about the limit.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[1.0, 2.0], predicted=[3.0, 2.0])
    >>> bounded = BoundedTally.of(rows, assay.NumberPairs, limit=24)
    >>> bounded.tally, bounded.why
    (None, 'its exact tally outgrows the memory')
    """

    n: int = 0
    limit: int = 0
    why: str = ""
    tally: Tally | None = None

    @classmethod
    def of(cls, rows: Rows, each: Callable[[Rows], Tally] | type[Tally], limit: int = 0) -> Self:
        """Return the tally that `each` builds from rows, dropped if it takes more bytes than `limit`."""
        build: Callable[[Rows], Tally] = getattr(each, "of", each)
        return cls._within(len(rows), limit, build(rows))

    @classmethod
    def lost(cls, n: int, why: str, limit: int = 0) -> Self:
        """Return a dropped tally of n rows, with the reason."""
        return cls(n, limit, why) if n else cls()

    @classmethod
    def _within(cls, n: int, limit: int, tally: Tally) -> Self:
        if not n:
            return cls()
        if limit and _array_bytes(tally.state()) > limit:
            return cls(n, limit, "its exact tally outgrows the memory")
        return cls(n, limit, "", tally)

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows; dropped if either is, or above the limit."""
        self._same_kind(other)
        if not self.n or not other.n:
            return self if self.n else other
        n, limit = self.n + other.n, max(self.limit, other.limit)
        if self.tally is None or other.tally is None:
            return type(self)(n, limit, min(filter(None, (self.why, other.why))))
        return self._within(n, limit, self.tally.merge(other.tally))

    def state(self) -> tuple[Any, ...]:
        """Return the fields in order, the tally as kind and state."""
        inner = None if self.tally is None else (self.tally.kind, self.tally.state())
        return self.n, self.limit, self.why, inner

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return the tally with this :meth:`state`."""
        n, limit, why, inner = state
        return cls(n, limit, why, None if inner is None else restored(*inner))

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.n) is int and type(self.limit) is int and type(self.why) is str, "wrong types")
        require(self.n >= 0 and self.limit >= 0, "a count below 0")
        require(bool(self.n) == (self.tally is not None or bool(self.why)), "neither a tally nor a reason")
        require(self.tally is None or not self.why, "a tally and a reason")
        if self.tally is not None and self.limit:
            require(_array_bytes(self.tally.state()) <= self.limit, "a tally beyond its limit")


def _array_bytes(state: Any) -> int:
    """Return the total size in bytes of the arrays of a state."""
    if isinstance(state, np.ndarray):
        return int(state.nbytes)
    return sum(map(_array_bytes, state)) if isinstance(state, tuple) else 0
