"""A tally that may be lost: where rows forbid it, or where it outgrows a limit."""

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
    """A tally, or why there is none: `limit` is how many bytes its arrays may take, 0 for any number.

    A tally of some rows is never larger than that of all of them, so whether it is lost hangs on the rows
    and not on how they were cut. Of two reasons the first by the alphabet is kept.

    State: that of the tally, at most about the limit.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[1.0, 2.0], predicted=[3.0, 2.0])
    >>> found = BoundedTally.of(rows, assay.NumberPairs, limit=24)
    >>> found.tally, found.why
    (None, 'its exact tally outgrows the memory')
    """

    n: int = 0
    limit: int = 0
    why: str = ""
    tally: Tally | None = None

    @classmethod
    def of(cls, rows: Rows, each: Callable[[Rows], Tally] | type[Tally], limit: int = 0) -> Self:
        """Return the tally that `each` makes of rows, within a limit of bytes."""
        made: Callable[[Rows], Tally] = getattr(each, "of", each)
        return cls._within(len(rows), limit, made(rows))

    @classmethod
    def lost(cls, n: int, why: str, limit: int = 0) -> Self:
        """Return what is left of rows that forbid the tally."""
        return cls(n, limit, why) if n else cls()

    @classmethod
    def _within(cls, n: int, limit: int, tally: Tally) -> Self:
        if not n:
            return cls()
        if limit and _bytes(tally.state()) > limit:
            return cls(n, limit, "its exact tally outgrows the memory")
        return cls(n, limit, "", tally)

    def merge(self, other: Self) -> Self:
        """Return the tally of both sides' rows, unless either is lost or they outgrow the limit."""
        self._same_kind(other)
        if not self.n or not other.n:
            return self if self.n else other
        n, limit = self.n + other.n, max(self.limit, other.limit)
        if self.tally is None or other.tally is None:
            return type(self)(n, limit, min(filter(None, (self.why, other.why))))
        return self._within(n, limit, self.tally.merge(other.tally))

    def state(self) -> tuple[Any, ...]:
        """Return the fields in order, the tally as kind and state."""
        held = None if self.tally is None else (self.tally.kind, self.tally.state())
        return self.n, self.limit, self.why, held

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return what the :meth:`state` was of."""
        n, limit, why, held = state
        return cls(n, limit, why, None if held is None else restored(*held))

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.n) is int and type(self.limit) is int and type(self.why) is str, "wrong types")
        require(self.n >= 0 and self.limit >= 0, "a count below 0")
        require(bool(self.n) == (self.tally is not None or bool(self.why)), "neither a tally nor a reason")
        require(self.tally is None or not self.why, "a tally and a reason")
        if self.tally is not None and self.limit:
            require(_bytes(self.tally.state()) <= self.limit, "a tally beyond its limit")


def _bytes(state: Any) -> int:
    """Return how many bytes the arrays of a state take."""
    if isinstance(state, np.ndarray):
        return int(state.nbytes)
    return sum(map(_bytes, state)) if isinstance(state, tuple) else 0
