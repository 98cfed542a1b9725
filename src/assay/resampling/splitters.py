"""Splitters: frozen values that say how rows are parted, and part them when given columns.

What is passed to ``split`` is respected: the classes of `y` are spread evenly, the rows of a `group` stay
together, `time` is never reversed, and a row's `key` decides its part in whatever order the rows come.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from assay import kernels
from assay.errors import SplitError
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.resampling.assignment import assign_rows
from assay.resampling.group_assignment import assign_groups, group_strata
from assay.resampling.split import TRAIN_TEST, Split, Splits
from assay.resampling.split_inputs import SplitInputs, read, shares
from assay.resampling.time_order import ordered_parts, walk

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["Bootstrap", "Holdout", "KFold", "LeaveGroupOut", "LeaveOneOut", "Splitter", "WalkForward"]


class Splitter(Protocol):
    """Anything that splits rows by the columns it is given."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts."""

    @property
    def number(self) -> int | None:
        """How many splits there will be, where that does not depend on the rows."""

    def split(
        self, y: Any = None, *, group: Any = None, time: Any = None, key: Any = None, n: int | None = None
    ) -> Splits:
        """Return the splits of so many rows."""


_INSTEAD = {
    "group": "holdout, kfold, bootstrap and leave_group_out keep groups together",
    "time": "holdout and walk_forward go by time, other splits would train on the future of the test",
}


@dataclasses.dataclass(frozen=True, slots=True)
class _Base:
    """Base of the splitters: reads the columns, and refuses those it does not use."""

    takes: ClassVar[tuple[str, ...]] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts."""
        return TRAIN_TEST

    @property
    def number(self) -> int | None:
        """How many splits there will be, where that does not depend on the rows."""
        return None

    def split(
        self, y: Any = None, *, group: Any = None, time: Any = None, key: Any = None, n: int | None = None
    ) -> Splits:
        """Return the splits, each made on access; the functions of the module say what each column does."""
        for role, values in (("group", group), ("time", time)):
            if values is not None and role not in self.takes:
                raise SplitError(f"{type(self).__name__} has no use for {param(role)}: {_INSTEAD[role]}.")
        if group is not None and time is not None:
            raise SplitError(
                f"{param('group')} and {param('time')} cannot both hold: a group may have rows on both "
                "sides of a date."
            )
        stratify, bins = self._strata()
        return self._splits(
            read(y=y, group=group, time=time, key=key, n=n, stratify=stratify, bins=bins), time
        )

    def _strata(self) -> tuple[bool, int | None]:
        return False, None

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        raise NotImplementedError


@dataclasses.dataclass(frozen=True, slots=True)
class _Stratified(_Base):
    """A splitter that can stratify by class, or by quantiles of a number."""

    stratify: bool
    bins: int | None
    seed: int

    def _strata(self) -> tuple[bool, int | None]:
        return self.stratify, self.bins


@dataclasses.dataclass(frozen=True, slots=True)
class Holdout(_Stratified):
    """Named parts of stated shares; make one with :func:`holdout`."""

    parts: tuple[tuple[str, float], ...]
    repeats: int
    gap: Any
    takes: ClassVar[tuple[str, ...]] = ("group", "time")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts."""
        return tuple(name for name, _ in self.parts)

    @property
    def number(self) -> int | None:
        """How many splits there will be."""
        return self.repeats

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        names, meant = self.names, shares(dict(self.parts))
        if time is not None and self.repeats > 1:
            raise SplitError(
                f"by time there is one split: leave out {param('repeats')}, or use walk_forward for several."
            )
        if time is None and len(names) > inputs.n:
            raise SplitError(
                f"{count_of(len(names), 'part')} of {count_of(inputs.n, 'row')}: "
                "there cannot be more parts than rows."
            )

        def make(repeat: int) -> Split:
            if time is not None:
                parts = ordered_parts(time, meant, names, self.gap)
            elif inputs.groups is not None:
                parts = assign_groups(inputs, meant, self.seed, repeat)
            else:
                parts = assign_rows(
                    inputs.keys, inputs.strata, inputs.strata_count, meant, seed=self.seed, repeat=repeat
                )
            split = Split(names, parts, repeat=repeat)
            empty = [name for name, size in split.sizes().items() if not size]
            if empty:
                raise SplitError(
                    f"the part {empty[0]!r} would have no rows: "
                    f"its share of {count_of(inputs.n, 'row')} is below one."
                )
            return split

        made = functools.lru_cache(maxsize=1)(make)
        made(0)  # raises at once for what cannot be done
        return Splits(self.repeats, made)


@dataclasses.dataclass(frozen=True, slots=True)
class KFold(_Stratified):
    """Folds that test in turn; make one with :func:`kfold`."""

    k: int
    repeats: int
    takes: ClassVar[tuple[str, ...]] = ("group",)

    @property
    def number(self) -> int | None:
        """How many splits there will be."""
        return self.k * self.repeats

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        del time
        folds = functools.lru_cache(maxsize=1)(functools.partial(self._folds, inputs))
        folds(0)  # raises at once for what cannot be done

        def make(index: int) -> Split:
            repeat, fold = divmod(index, self.k)
            return Split(TRAIN_TEST, (folds(repeat) == fold).view(np.uint8), repeat=repeat, fold=fold)

        return Splits(self.k * self.repeats, make)

    def _folds(self, inputs: SplitInputs, repeat: int) -> Array:
        if self.k > inputs.n:
            raise SplitError(
                f"{param('k', self.k)} folds of {count_of(inputs.n, 'row')}: "
                "there cannot be more folds than rows."
            )
        if inputs.groups is not None:
            return assign_groups(inputs, (Fraction(1, self.k),) * self.k, self.seed, repeat)
        return assign_rows(
            inputs.keys, inputs.strata, inputs.strata_count, self.k, seed=self.seed, repeat=repeat
        )


@dataclasses.dataclass(frozen=True, slots=True)
class LeaveOneOut(_Base):
    """Each row tests once, alone; make one with :func:`leave_one_out`."""

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        del time
        if inputs.n < 2:  # noqa: PLR2004
            raise SplitError("leaving one row out of one leaves none to train on.")

        def make(row: int) -> Split:
            parts = np.zeros(inputs.n, dtype=np.uint8)
            parts[row] = 1
            return Split(TRAIN_TEST, parts, fold=row)

        return Splits(inputs.n, make)


@dataclasses.dataclass(frozen=True, slots=True)
class LeaveGroupOut(_Base):
    """Each group tests once; make one with :func:`leave_group_out`."""

    takes: ClassVar[tuple[str, ...]] = ("group",)

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        del time
        groups, count = inputs.groups, len(inputs.group_labels)
        if groups is None:
            raise SplitError(f"leave_group_out needs {param('group')}: which rows belong together.")
        if count < 2:  # noqa: PLR2004
            raise SplitError("leaving one group out of one leaves no rows to train on.")

        def make(group: int) -> Split:
            return Split(TRAIN_TEST, (groups == group).view(np.uint8), fold=group)

        return Splits(count, make)


@dataclasses.dataclass(frozen=True, slots=True)
class Bootstrap(_Stratified):
    """As many rows drawn with replacement, tested on those not drawn; make one with :func:`bootstrap`."""

    replicates: int
    takes: ClassVar[tuple[str, ...]] = ("group",)

    @property
    def number(self) -> int | None:
        """How many splits there will be."""
        return self.replicates

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        del time
        units, strata, count = inputs.n, inputs.strata, inputs.strata_count
        # Positions in the order of the keys are drawn, so that the order of the rows does not matter.
        order = inputs.keys.order()
        if inputs.groups is not None:
            units, order = len(inputs.group_labels), None
            strata, count = group_strata(inputs)
        if units < 2:  # noqa: PLR2004
            what = "row" if inputs.groups is None else "group"
            raise SplitError(f"a bootstrap of one {what} leaves none to test on.")
        members, ends = None, np.array([0, units])
        if strata is not None:
            ends, members = kernels.order_groups(strata if order is None else strata[order], count)

        def make(replicate: int) -> Split:
            drawn = np.zeros(units, dtype=np.int64)
            for begin, end in itertools.pairwise(ends.tolist()):
                if begin < end:
                    drawn_rows = kernels.random_below(self.seed, replicate, begin, end, end - begin)
                    drawn[begin:end] = np.bincount(drawn_rows, minlength=end - begin)
            for positions in (members, order):
                if positions is not None:
                    spread = np.empty_like(drawn)
                    spread[positions] = drawn
                    drawn = spread
            if inputs.groups is not None:
                drawn = drawn[inputs.groups]
            return Split(TRAIN_TEST, (drawn == 0).view(np.uint8), drawn, repeat=replicate)

        return Splits(self.replicates, make)


@dataclasses.dataclass(frozen=True, slots=True)
class WalkForward(_Base):
    """Each fold is tested by a model trained on its past; make one with :func:`walk_forward`."""

    folds: int
    gap: Any
    window: Any
    takes: ClassVar[tuple[str, ...]] = ("time",)

    @property
    def number(self) -> int | None:
        """How many splits there will be."""
        return self.folds

    def _splits(self, inputs: SplitInputs, time: Any) -> Splits:
        if time is None:
            raise SplitError(f"walk_forward needs {param('time')}: when each row was known.")
        del inputs
        windows = walk(time, self.folds, self.gap, self.window)
        return Splits(self.folds, lambda fold: Split(TRAIN_TEST, windows[fold], fold=fold))
