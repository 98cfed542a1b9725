"""Tallies by key, merged key by key, and the collection: several tallies of the same rows, by name."""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any, Self

from assay.errors import TallyError
from assay.tallies.tally import Tally, require, restored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.inputs import Rows

__all__ = ["Collection", "MappedTallies", "maker"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MappedTallies(Tally, Mapping[Any, Tally]):
    """Tallies by key, in the order of their keys. It reads as a mapping."""

    index: tuple[Any, ...] = ()
    tallies: tuple[Tally, ...] = ()

    @staticmethod
    def rank(key: Any) -> Any:
        """Return what keys are ordered by; raise TypeError for what is no key."""
        return key

    @classmethod
    def of_mapping(cls, tallies: Mapping[Any, Tally]) -> Self:
        """Return the tallies of a mapping."""
        keys = tuple(sorted(tallies, key=cls.rank))
        return cls(keys, tuple(tallies[key] for key in keys))

    def merge(self, other: Self) -> Self:
        """Return both sides' tallies, key by key; one that a side lacks is taken as it is."""
        self._same_kind(other)
        merged = dict(self.items())
        for key, tally in other.items():
            merged[key] = merged[key].merge(tally) if key in merged else tally
        return self.of_mapping(merged)

    def __getitem__(self, key: Any) -> Tally:
        try:
            position = bisect.bisect_left(self.index, key)
        except TypeError:  # a key of another kind
            raise KeyError(key) from None
        if position == len(self.index) or self.index[position] != key:
            raise KeyError(key)
        return self.tallies[position]

    def items(self) -> Any:
        """Return the keys with their tallies."""
        return zip(self.index, self.tallies, strict=True)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.index)

    def __len__(self) -> int:
        return len(self.index)

    def state(self) -> tuple[Any, ...]:
        """Return keys and tallies, those as kind and state."""
        return self.index, tuple((tally.kind, tally.state()) for tally in self.tallies)

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return the tallies whose :meth:`state` this was."""
        keys, tallies = state
        return cls(keys, tuple(restored(*kind_and_state) for kind_and_state in tallies))

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(len(self.index) == len(self.tallies), "keys and tallies differ in number")
        ranks = [self.rank(key) for key in self.index]
        require(all(a < b for a, b in itertools.pairwise(ranks)), "keys out of order")


def maker(tally_or_function: Callable[[Rows], Tally] | type[Tally]) -> Callable[[Rows], Tally]:
    """Return the function that makes a tally of rows; a tally's class stands for its ``of``."""
    function: Callable[[Rows], Tally] = getattr(tally_or_function, "of", tally_or_function)
    if not callable(function):
        raise TallyError(
            f"{tally_or_function!r} makes no tally: pass a tally, as assay.Confusion, or a function of rows."
        )
    return function


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Collection(MappedTallies, kind="collection"):
    """Several tallies of the same rows, by name. It reads as a mapping.

    State: that of its tallies together.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], score=[0.2, 0.9, 0.4])
    >>> both = assay.Collection.of(r, {"labels": assay.Confusion, "ranks": assay.Scores})
    >>> both["labels"].n, both["ranks"].n
    (3, 3)
    """

    @classmethod
    def of(cls, rows: Rows, each: Mapping[str, Callable[[Rows], Tally] | type[Tally]]) -> Self:
        """Return the tallies that each entry makes of the rows."""
        for name in each:
            if type(name) is not str:
                raise TallyError(f"a tally's name is text, not {name!r}.")
        return cls.of_mapping({name: maker(make)(rows) for name, make in each.items()})

    @property
    def n(self) -> int:
        """How many rows there are, by whichever tally counts them; of ranked lists, how many lists."""
        sizes = (
            getattr(tally, "n", None) or (len(tally) if isinstance(tally, Sized) else 0)
            for tally in self.tallies
        )
        return max(sizes, default=0)

    @staticmethod
    def rank(key: Any) -> str:
        """Return the name itself."""
        if type(key) is not str:
            raise TypeError(f"a tally's name is text, not {type(key).__name__}")
        return key
