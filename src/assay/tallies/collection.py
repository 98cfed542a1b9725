"""The collection: several tallies of the same rows, by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Sized
from typing import TYPE_CHECKING, Any, Self

from assay.errors import TallyError
from assay.tallies.mapping import MappedTallies, maker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.inputs import Rows
    from assay.tallies.tally import Tally

__all__ = ["Collection"]


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
            getattr(one, "n", None) or (len(one) if isinstance(one, Sized) else 0) for one in self.tallies
        )
        return max(sizes, default=0)

    @staticmethod
    def rank(key: Any) -> str:
        """Return the name itself."""
        if type(key) is not str:
            raise TypeError(f"a tally's name is text, not {type(key).__name__}")
        return key
