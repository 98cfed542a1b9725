"""Looks at a test set: their number, and the confidence at which all intervals hold together."""

from __future__ import annotations

import dataclasses

from assay.inference.hypothesis_tests.multiple_testing import spent_level

__all__ = ["Looks", "Overlap"]

_MAX_NAMES = 3


@dataclasses.dataclass(frozen=True)
class Overlap:
    """Another test set that shares rows with this one: the share, and the looks at it."""

    test_set: str
    share: float
    looks: int


@dataclasses.dataclass(frozen=True)
class Looks:
    """The looks at a test set so far, and which of them this evaluation is.

    A look is a set of predictions whose metrics were computed on the test set, or on one that shares at
    least half of its rows; the same predictions again are no new look.
    """

    test_set: str
    number: int  # of this look, from 1; where nothing is evaluated, of the next one
    models: tuple[str, ...] = ()  # names of the models of all looks before this one, the first one first
    repeated: bool = False  # whether the same predictions were evaluated on these rows before
    overlaps: tuple[Overlap, ...] = ()
    by_labels: bool = False  # whether rows were told apart by their labels alone

    @property
    def before(self) -> int:
        """The number of looks before this one."""
        return self.number - 1

    def confidence(self, confidence: float) -> float:
        """Return the confidence of this look's intervals at which all looks' intervals hold together.

        >>> Looks("", 3).confidence(0.95)
        0.9958333333333333
        """
        return 1 - spent_level(1 - confidence, self.number)

    def __str__(self) -> str:
        """Return the looks in a line.

        >>> str(Looks("", 3, ("first", "second")))
        'look 3 at this test set, 2 models before (first, second)'
        """
        text = f"look {self.number:,} at this test set"
        if self.before:
            different = list(dict.fromkeys(name for name in self.models if name))
            names = ", ".join(different[:_MAX_NAMES]) + (", ..." if len(different) > _MAX_NAMES else "")
            plural = "s" if self.before > 1 else ""
            text += f", {self.before:,} model{plural} before" + (f" ({names})" if names else "")
        if self.repeated:
            text += "; the same predictions again"
        if self.overlaps:
            shares = ", ".join(f"{overlap.share:.0%}" for overlap in self.overlaps[:_MAX_NAMES])
            text += f"; looks at {len(self.overlaps)} overlapping test sets count ({shares} of rows shared)"
        if self.by_labels:
            text += "; recognized by labels alone, so name the rows by key"
        return text
