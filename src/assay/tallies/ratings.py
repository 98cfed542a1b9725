"""The tally of ratings: every distinct pattern of who rated an item how, with the number of such items."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from assay import kernels
from assay.errors import ColumnError, InputError, LengthError
from assay.formatting.numbers import count_of
from assay.inputs import column, encode, label_union
from assay.inputs.labels import cross, plain_label, positions
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.inputs import Column
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label

__all__ = ["Ratings"]

Category: TypeAlias = "Label | float"
_ORDER = ("raters", "categories", "groups")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Ratings(Tally, kind="ratings"):
    """Patterns of ratings with the number of items that have each; ratings may be missing.

    ``cells`` holds the patterns one after the other: for each rating the index of the rater times the number
    of categories plus the index of the category. ``sizes`` says how many ratings each pattern has. Patterns
    are sorted, first by size. With groups, items of different groups have different patterns.

    State: one entry per rating of a pattern that occurs, however many items there are.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Ratings.of({"ann": ["a", "b", "a"], "bob": ["a", None, "a"]})
    >>> tally.raters, tally.categories, tally.sizes.tolist(), tally.counts.tolist()
    (('ann', 'bob'), ('a', 'b'), [1, 2], [1, 2])
    """

    raters: tuple[Label, ...] = ()
    categories: tuple[Category, ...] = ()
    groups: tuple[Label, ...] = ()
    sizes: Array = no_values(np.int64)
    cells: Array = no_values(np.int64)
    clusters: Array = no_values(np.int64)
    counts: Array = no_values(np.int64)

    @classmethod
    def of(cls, ratings: Mapping[Any, Any], *, group: Any = None) -> Self:
        """Return the tally of a column of ratings for each rater, one row per item."""
        names = [plain_label(name) for name in ratings]
        columns = [column(values, str(name)) for name, values in ratings.items()]
        lengths = {len(values) for values in columns}
        if len(lengths) > 1:
            raise LengthError(f"the raters' columns have different lengths: {sorted(lengths)}.")
        if lengths <= {0}:
            return cls()
        order = sorted(range(len(names)), key=lambda index: label_union((names[index],), ())[0])
        raters = label_union(tuple(names), ())
        if len(raters) != len(names):
            raise InputError("two raters have the same name.")
        codes, categories = _encoded([columns[index] for index in order])
        table = np.stack(codes, axis=1)
        rated = table >= 0
        cells = (np.arange(len(raters)) * max(len(categories), 1) + table)[rated]
        clusters, groups = _grouped(group, len(table))
        sizes = rated.sum(axis=1)
        return cls._distinct(
            raters, categories, groups, sizes, cells, clusters, np.ones(len(table), np.int64)
        )

    @classmethod
    def of_long(cls, item: Any, rater: Any, rating: Any, *, group: Any = None) -> Self:
        """Return the tally of one row per rating; the rows of an item must not be split between tallies."""
        columns = [
            column(values, name) for values, name in ((item, "item"), (rater, "rater"), (rating, "rating"))
        ]
        for values in columns[:2]:
            values.require_complete()
        lengths = {len(values) for values in columns}
        if len(lengths) > 1:
            raise LengthError(f"item, rater and rating have different lengths: {sorted(lengths)}.")
        (items, item_names), (rater_codes, raters) = encode(columns[0]), encode(columns[1])
        (codes,), categories = _encoded(columns[2:])
        by_rater = kernels.order_groups(rater_codes, len(raters))[1]
        by_item = kernels.order_groups(np.ascontiguousarray(items[by_rater]), len(item_names))[1]
        order = by_rater[by_item]
        items, who, what = items[order].astype(np.int64), rater_codes[order].astype(np.int64), codes[order]
        twice = np.flatnonzero((items[1:] == items[:-1]) & (who[1:] == who[:-1]))
        if twice.size:
            index = int(twice[0])
            raise InputError(
                f"the rater {raters[who[index]]} rated the item {item_names[items[index]]} twice: keep "
                "one of the ratings."
            )
        rated = what >= 0
        sizes = np.bincount(items[rated], minlength=len(item_names))
        clusters, groups = _grouped(group, len(items))
        if groups:
            clusters = _group_of_item(items, clusters[order], item_names)
        else:
            clusters = np.zeros(len(item_names), np.int64)
        cells = who[rated] * max(len(categories), 1) + what[rated]
        ones = np.ones(len(item_names), np.int64)
        return cls._distinct(raters, categories, groups, sizes, cells, clusters, ones)

    @classmethod
    def _distinct(  # noqa: PLR0917 - the fields, in order
        cls,
        raters: Any,
        categories: Any,
        groups: Any,
        sizes: Array,
        cells: Array,
        clusters: Array,
        counts: Array,
    ) -> Self:
        """Return the tally of patterns that may repeat and come in any order."""
        starts = np.cumsum(sizes) - sizes
        parts: list[tuple[Array, ...]] = []
        radix = max(len(raters) * max(len(categories), 1), 1)
        for size in np.unique(sizes).tolist():
            chosen = np.flatnonzero(sizes == size)
            table = cells[starts[chosen][:, None] + np.arange(size)]
            columns = [(np.ascontiguousarray(clusters[chosen]).astype(np.uint64), max(len(groups), 1))]
            columns += [(np.ascontiguousarray(table[:, at]).astype(np.uint64), radix) for at in range(size)]
            pattern, (cluster, *digits) = cross(columns)
            totals = np.zeros(len(cluster), dtype=np.int64)
            np.add.at(totals, pattern, counts[chosen])
            flat = np.stack(digits, axis=1).ravel() if digits else np.empty(0, np.int64)
            parts.append((np.full(len(cluster), size), flat, cluster, totals))
        if not parts:
            return cls(tuple(raters), tuple(categories), tuple(groups))
        fields = [frozen(np.concatenate(part).astype(np.int64)) for part in zip(*parts, strict=True)]
        return cls(tuple(raters), tuple(categories), tuple(groups), *fields)

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' items."""
        self._same_kind(other)
        raters = label_union(self.raters, other.raters)
        groups = label_union(self.groups, other.groups)
        categories = _category_union(self.categories, other.categories)
        columns: list[tuple[Array, ...]] = []
        for tally in (self, other):
            who, what = np.divmod(tally.cells, max(len(tally.categories), 1))
            new_raters = positions(tally.raters, raters)
            new_codes = (
                np.searchsorted(np.array(categories, dtype=object), np.array(tally.categories, object))
                if categories
                else np.empty(0, np.int64)
            )
            cells = new_raters[who] * max(len(categories), 1) + new_codes[what] if len(who) else tally.cells
            clusters = tally.clusters
            if tally.groups:
                clusters = positions(tally.groups, groups)[clusters]
            columns.append((tally.sizes, cells, clusters, tally.counts))
        return self._distinct(raters, categories, groups, *map(np.concatenate, zip(*columns, strict=True)))

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.counts.sum())

    @property
    def ratings(self) -> int:
        """How many ratings there are."""
        return int(self.sizes @ self.counts)

    def patterns(self) -> tuple[Array, Array, Array]:
        """Return the index of the pattern, of the rater and of the category of each pattern's ratings."""
        who, what = np.divmod(self.cells, max(len(self.categories), 1))
        return np.repeat(np.arange(len(self.sizes)), self.sizes), who, what

    def check(self) -> None:
        """Raise ValueError if no items could have led to this state."""
        for name in _ORDER:
            labels = getattr(self, name)
            require(isinstance(labels, tuple), f"wrong {name}")
            kinds = {type(label) for label in labels}
            allowed = {str, int, bool, float} if name == "categories" else {str, int, bool}
            require(len(kinds) <= 1 and kinds <= allowed, f"{name} of several kinds")
            require(
                all(first < second for first, second in itertools.pairwise(labels)),
                f"{name} out of order",
            )
        arrays = self.sizes, self.cells, self.clusters, self.counts
        require(all(part.dtype == np.int64 and part.ndim == 1 for part in arrays), "wrong types")
        sizes, cells, clusters, counts = arrays
        require(sizes.shape == clusters.shape == counts.shape, "shapes differ")
        require(
            (sizes >= 0).all() and (counts > 0).all() and int(sizes.sum()) == len(cells),
            "sizes do not add up",
        )
        require((clusters >= 0).all() and (clusters < max(len(self.groups), 1)).all(), "a group outside")
        require(
            (cells >= 0).all() and (cells < len(self.raters) * len(self.categories)).all(), "a cell outside"
        )
        if self.categories:
            pattern, who, what = self.patterns()
            require(((np.diff(pattern) != 0) | (np.diff(who) > 0)).all(), "raters out of order")
            require(len(np.unique(what)) == len(self.categories), "a category without ratings")
            whole = all(float(value).is_integer() for value in self.categories if isinstance(value, float))
            require(not (whole and isinstance(self.categories[0], float)), "whole numbers as fractions")
        again = self._distinct(self.raters, self.categories, self.groups, *arrays)
        require(again == self, "patterns out of order")


def _encoded(columns: Sequence[Column]) -> tuple[list[Array], tuple[Category, ...]]:
    """Return the columns' ratings as codes, -1 where one is missing, and the categories that occur."""
    present, masks = [], []
    for values in columns:
        absent = values.absent()
        masks.append(np.ones(len(values), bool) if absent is None else ~absent)
        present.append(values if absent is None else values.take(masks[-1]))
    if any(_fractional(values) for values in present):
        numbers = [values.numbers("ratings").astype(np.float64) for values in present]
        if not all(np.isfinite(part).all() for part in numbers):
            raise ColumnError("a rating is infinite: ratings are finite numbers, or labels.")
        unique = np.unique(np.concatenate(numbers)) + 0.0
        categories: tuple[Category, ...] = tuple(unique.tolist())
        coded = [np.searchsorted(unique, part) for part in numbers]
    else:
        pairs = [encode(values) for values in present if len(values)]
        union: tuple[Any, ...] = ()
        for _, labels in pairs:
            union = label_union(union, labels)
        categories = union
        filled = iter(pairs)
        coded = []
        for values in present:
            if not len(values):
                coded.append(np.empty(0, np.int64))
                continue
            codes, labels = next(filled)
            coded.append(positions(labels, union)[codes])
    codes_with_gaps = []
    for mask, part in zip(masks, coded, strict=True):
        codes = np.full(len(mask), -1, dtype=np.int64)
        codes[mask] = part
        codes_with_gaps.append(codes)
    return codes_with_gaps, categories


def _fractional(values: Column) -> bool:
    """Tell whether a column holds numbers that are not all whole."""
    numbers = values.values
    return values.labels is None and numbers.dtype.kind == "f" and bool((numbers % 1 != 0).any())


def _category_union(first: tuple[Category, ...], second: tuple[Category, ...]) -> tuple[Category, ...]:
    """Return the categories of both: fractions on either side make all of them floats."""
    if any(isinstance(value, float) for value in (*first, *second)):
        if any(isinstance(value, str) for value in (*first, *second)):
            raise InputError("some ratings are text and others numbers: make them all text or all numbers.")
        return tuple(sorted({float(value) for value in (*first, *second)}))
    return label_union(first, second)  # type: ignore[arg-type]


def _grouped(group: Any, n: int) -> tuple[Array, tuple[Label, ...]]:
    if group is None:
        return np.zeros(n, np.int64), ()
    values = column(group, "group").require_complete()
    if len(values) != n:
        raise LengthError(f"group has {count_of(len(values), 'value')} for {count_of(n, 'row')}.")
    codes, labels = encode(values)
    return codes.astype(np.int64), labels


def _group_of_item(items: Array, groups: Array, names: tuple[Label, ...]) -> Array:
    """Return each item's group, from rows sorted by item; an item belongs to one group."""
    first = np.searchsorted(items, np.arange(len(names)))
    other = np.flatnonzero(groups != groups[first][items])
    if other.size:
        raise InputError(f"the item {names[items[int(other[0])]]} is in two groups.")
    return groups[first]
