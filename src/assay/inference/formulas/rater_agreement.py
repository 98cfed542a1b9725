"""Agreement of several raters beyond chance, where ratings may be missing, with items as the sample.

Fleiss (1971), Conger (1980), Light (1971), Brennan and Prediger (1981), Gwet (2008) for AC1 and AC2 and
Krippendorff's alpha (2011), each with the value of every item in its variance. All are written with
disagreement, one less the agreement weight: where raters agree fully, nothing cancels.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.distributions import normal_p
from assay.inference.formulas.kappa import kappa_errors
from assay.inference.test_result import TestResult
from assay.metrics import Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics import Value
    from assay.tallies import Ratings

__all__ = ["FEW_ITEMS", "MAX_CATEGORIES", "NO_VARIATION", "Coefficient", "RatingCounts", "fleiss_null_test"]

MAX_CATEGORIES = 512  # of which a table of all pairs is made
_MIN_RATINGS = 2
FEW_ITEMS = Undefined("fewer than two items were rated twice")
NO_VARIATION = Undefined("the ratings do not vary")
_TWICE = "no item was rated twice"
_ONE_CATEGORY = "all ratings are in one category"


class Coefficient(NamedTuple):
    """A coefficient, the item values whose spread is its variance, and the number of items behind each.

    The mean of the item values about ``centre`` is 0; one entry per pattern of ratings. ``chance`` and
    ``observed`` are the agreement by chance and the one observed.
    """

    value: Value
    items: NDArray[np.float64] | None = None
    centre: float = math.nan
    observed: float = math.nan
    chance: float = math.nan


@dataclasses.dataclass(frozen=True, eq=False)
class RatingCounts:
    """Patterns of ratings: how many items have each, and for each rating its pattern, rater and category."""

    counts: NDArray[np.float64]
    pattern: NDArray[np.int64]
    rater: NDArray[np.int64]
    category: NDArray[np.int64]
    raters: int
    categories: int

    @classmethod
    def of(cls, tally: Ratings, order: Sequence[int] | None = None, size: int | None = None) -> RatingCounts:
        """Return the counts of a tally; `order` maps its categories to those declared, `size` of them."""
        pattern, rater, category = tally.patterns()
        if order is not None and len(category):
            category = np.asarray(order, dtype=np.int64)[category]
        size = len(tally.categories) if size is None else size
        return cls(tally.counts.astype(np.float64), pattern, rater, category, len(tally.raters), size)

    @functools.cached_property
    def table(self) -> NDArray[np.float64]:
        """How many raters put the items of each pattern (the rows) in each category."""
        cells = self.pattern * self.categories + self.category
        counts = np.bincount(cells, minlength=len(self.counts) * self.categories)
        return counts.reshape(len(self.counts), self.categories).astype(np.float64)

    @functools.cached_property
    def ratings(self) -> NDArray[np.float64]:
        """The number of ratings of each pattern."""
        return np.bincount(self.pattern, minlength=len(self.counts)).astype(np.float64)

    @property
    def n(self) -> float:
        """The number of items with a rating."""
        return float(self.counts[self.ratings > 0].sum())

    @functools.cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each category: the mean over items of its share of the item's ratings."""
        rated = self.ratings > 0
        own = self.table[rated] / self.ratings[rated][:, None]
        return np.asarray(self.counts[rated] @ own / self.n)

    def disagreement(self, distance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean distance of two ratings of an item, pattern by pattern; NaN below two ratings."""
        pairs = self.ratings * (self.ratings - 1)
        apart = ((self.table @ distance) * self.table).sum(axis=1)
        means: NDArray[np.float64] = np.divide(
            apart, pairs, out=np.full(len(pairs), math.nan), where=pairs > 0
        )
        return means

    def observed(self, distance: NDArray[np.float64]) -> float:
        """Return the mean disagreement over the items that were rated twice; NaN where none was."""
        apart, twice = self.disagreement(distance), self.ratings >= _MIN_RATINGS
        items = float(self.counts[twice].sum())
        return float(self.counts[twice] @ apart[twice]) / items if items else math.nan

    def percent(self, distance: NDArray[np.float64]) -> Coefficient:
        """Return the mean agreement of two raters of an item."""
        return self._corrected(distance, 1.0, np.zeros(len(self.counts)))

    def fleiss(self, distance: NDArray[np.float64]) -> Coefficient:
        """Return Fleiss' kappa: chance by the shares of the categories over all raters."""
        by_category = (distance + distance.T) / 2 @ self.shares
        expected = float(self.shares @ by_category)
        return self._corrected(distance, expected, self._item_mean(by_category) - expected)

    def gwet(self, distance: NDArray[np.float64]) -> Coefficient:
        """Return Gwet's AC1, or AC2 with weights: chance by guessing at items that are hard to rate."""
        size = len(distance)
        if size < _MIN_RATINGS:
            return Coefficient(Undefined("there is only one category: declare all of them"))
        unit = float((1 - distance).sum()) / (size * (size - 1))
        expected = 1 - unit * float(self.shares @ (1 - self.shares))
        moved = unit * (float(self.shares @ (1 - self.shares)) - self._item_mean(1 - self.shares))
        return self._corrected(distance, expected, moved)

    def brennan_prediger(self, distance: NDArray[np.float64]) -> Coefficient:
        """Return Brennan and Prediger's coefficient: chance draws every category alike."""
        if len(distance) < _MIN_RATINGS:
            return Coefficient(Undefined("there is only one category: declare all of them"))
        return self._corrected(distance, float(distance.mean()), np.zeros(len(self.counts)))

    def conger(self, distance: NDArray[np.float64]) -> Coefficient:
        """Return Conger's kappa: chance by each rater's own shares of the categories."""
        totals = self.rater_totals()
        sizes = totals.sum(axis=1)
        rating = np.flatnonzero(sizes > 0)
        if len(rating) < _MIN_RATINGS:
            return Coefficient(Undefined("fewer than two raters rated anything"))
        pairs = len(rating) * (len(rating) - 1)
        own = np.divide(totals, sizes[:, None], out=np.zeros_like(totals), where=sizes[:, None] > 0)
        sums, same = own.sum(axis=0), np.einsum("gk,kl,gl->g", own, distance, own)
        expected = (float(sums @ distance @ sums) - float(same.sum())) / pairs
        if not expected > 0:
            return Coefficient(Undefined(_ONE_CATEGORY))
        # The change of chance agreement by an item: through the shares of each rater who rated it.
        others = (sums - own) @ ((distance + distance.T) / 2)
        mean = np.einsum("gk,gk->g", own, others)
        slopes = (others - mean[:, None]) * (self.n / np.maximum(sizes, 1))[:, None] / pairs
        return self._corrected(distance, expected, self._sum_over_ratings(slopes[self.rater, self.category]))

    def light(self, weights: NDArray[np.float64]) -> Coefficient:
        """Return Light's kappa: the mean of Cohen's kappas of all pairs of raters; items by the jackknife."""
        kappas, moved = [], np.zeros(len(self.counts))
        for (first, second), table, cells in self.pairs():
            del first, second
            value = kappa_errors(table, weights).estimate
            if isinstance(value, Undefined):
                continue
            kappas.append(float(value))
            rated = cells >= 0
            change = _kappa_without(table, 1 - weights) - float(value)
            moved[rated] += change.ravel()[cells[rated]]
        if not kappas:
            return Coefficient(Undefined("no pair of raters has a kappa"))
        value = float(np.mean(kappas))
        return self._jackknifed(value, value + moved / len(kappas), math.nan, math.nan)

    def krippendorff(self, distance: NDArray[np.float64]) -> Coefficient:
        """Return Krippendorff's alpha of a table of distances: chance by all pairable ratings."""
        twice = self.ratings >= _MIN_RATINGS
        return self._alpha(
            self.disagreement(distance)[twice], self.table[twice] @ (distance @ self._pairable()), twice
        )

    def krippendorff_squares(self, points: NDArray[np.float64]) -> Coefficient:
        """Return Krippendorff's alpha of squared differences of numbers, of any number of categories.

        Ordinal alpha is this of the categories' mean ranks among the pairable ratings.
        """
        twice = self.ratings >= _MIN_RATINGS
        sizes = self.ratings[twice]
        # About their mean, so that the squares do not cancel.
        points = points - float(self._pairable() @ points)
        sums, squares = (self._sum_over_ratings((points**power)[self.category])[twice] for power in (1, 2))
        apart = 2 * np.maximum(sizes * squares - sums**2, 0) / (sizes * (sizes - 1))
        second = float(self._pairable() @ points**2)
        by_category = points**2 + second
        return self._alpha(apart, self._sum_over_ratings(by_category[self.category])[twice], twice)

    def mean_ranks(self) -> NDArray[np.float64]:
        """Return the mean rank of each category among the ratings of items that were rated twice."""
        totals = self._pairable_totals()
        return np.asarray(np.cumsum(totals) - totals / 2)

    def rater_totals(self) -> NDArray[np.float64]:
        """Return how many items each rater put in each category."""
        cells = self.rater * self.categories + self.category
        totals = np.bincount(cells, self.counts[self.pattern], minlength=self.raters * self.categories)
        return np.asarray(totals.reshape(self.raters, self.categories), dtype=np.float64)

    def dense(self) -> NDArray[np.int64]:
        """Return the category of each pattern and rater, -1 where the rater did not rate."""
        codes = np.full((len(self.counts), self.raters), -1, dtype=np.int64)
        codes[self.pattern, self.rater] = self.category
        return codes

    def pairs(self) -> Any:
        """Yield each pair of raters, the table of the items both rated, and each pattern's cell."""
        codes, size = self.dense(), self.categories
        for first, second in itertools.combinations(range(self.raters), 2):
            both = (codes[:, first] >= 0) & (codes[:, second] >= 0)
            cells = np.where(both, codes[:, first] * size + codes[:, second], -1)
            table = np.bincount(cells[both], self.counts[both], minlength=size * size).reshape(size, size)
            yield (first, second), table, cells

    def without_rater(self, rater: int) -> RatingCounts:
        """Return the counts without the ratings of one rater."""
        keep = self.rater != rater
        pattern, others, category = (part[keep] for part in (self.pattern, self.rater, self.category))
        return dataclasses.replace(self, pattern=pattern, rater=others, category=category)

    def collapsed(self, category: int) -> RatingCounts:
        """Return the counts with two categories: a chosen one, and all others together."""
        chosen = (self.category == category).astype(np.int64)
        return dataclasses.replace(self, category=chosen, categories=2)

    def _pairable(self) -> NDArray[np.float64]:
        totals = self._pairable_totals()
        return np.asarray(totals / max(float(totals.sum()), 1.0))

    def _pairable_totals(self) -> NDArray[np.float64]:
        """Return how many ratings of items that were rated twice are in each category."""
        items = np.where(self.ratings >= _MIN_RATINGS, self.counts, 0.0)
        totals = np.bincount(self.category, items[self.pattern], minlength=self.categories)
        return np.asarray(totals, dtype=np.float64)

    def _alpha(
        self, apart: NDArray[np.float64], chance_sums: NDArray[np.float64], twice: NDArray[np.bool_]
    ) -> Coefficient:
        """Return alpha from each pattern's mean disagreement and its ratings' expected disagreement."""
        counts, sizes = self.counts[twice], self.ratings[twice]
        items, total = float(counts.sum()), float(counts @ sizes)
        if items < _MIN_RATINGS:
            return Coefficient(FEW_ITEMS)
        mean_size = total / items
        observed = float(counts @ (apart * sizes)) / total
        expected = float(counts @ chance_sums) / total
        if not expected > 0:
            return Coefficient(NO_VARIATION)
        value = 1 - (1 - 1 / total) * observed / expected
        plain = 1 - observed / expected  # Gwet's variance is about this value, which differs by 1 / total
        share = sizes / mean_size
        own = np.zeros(len(self.counts))
        # Disagreement in place of agreement in Gwet's item values: the terms in the ratings' number cancel.
        x = share * apart - observed * (share - 1)
        y = chance_sums / mean_size - expected * (share - 1)
        own[twice] = 1 - x / expected + 2 * (1 - plain) * (y - expected) / expected
        return Coefficient(value, np.where(twice, own, math.nan), plain, 1 - observed, 1 - expected)

    def _item_mean(self, by_category: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = self.table @ by_category
        means: NDArray[np.float64] = np.divide(
            sums, self.ratings, out=np.zeros(len(sums)), where=self.ratings > 0
        )
        return means

    def _sum_over_ratings(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(self.pattern, values, minlength=len(self.counts)), dtype=np.float64)

    def _corrected(
        self, distance: NDArray[np.float64], expected: float, moved: NDArray[np.float64]
    ) -> Coefficient:
        """Return ``1 - observed / expected`` disagreement, and the items' values (Gwet 2008)."""
        observed = self.observed(distance)
        if math.isnan(observed):
            return Coefficient(Undefined(_TWICE))
        if not expected > 0:
            return Coefficient(Undefined(_ONE_CATEGORY))
        value = 1 - observed / expected
        twice = self.ratings >= _MIN_RATINGS
        scale = self.n / float(self.counts[twice].sum())
        apart = self.disagreement(distance)
        # (n / n2) (pa_i - pe) [rated twice] / (1 - pe), less twice the change of chance agreement.
        own = np.where(twice, scale * (expected - np.nan_to_num(apart)) / expected, 0.0)
        own += 2 * (1 - value) * moved / expected
        return Coefficient(
            value, np.where(self.ratings > 0, own, math.nan), value, 1 - observed, 1 - expected
        )

    def _jackknifed(
        self, value: float, leave_one_out: NDArray[np.float64], observed: float, chance: float
    ) -> Coefficient:
        """Return a coefficient whose items' values are those of the delete-one jackknife."""
        rated = self.ratings > 0
        finite = np.where(np.isfinite(leave_one_out), leave_one_out, value)
        own = value + (self.n - 1) * (value - finite)
        centre = float(self.counts[rated] @ own[rated]) / self.n
        return Coefficient(value, np.where(rated, own, math.nan), centre, observed, chance)


def fleiss_null_test(counts: RatingCounts) -> TestResult | None:
    """Return the test of no agreement beyond chance by Fleiss, Nee and Landis (1979), for full designs.

    Its error holds where there is no agreement, and must not make an interval. None where items have
    different numbers of ratings.
    """
    sizes = np.unique(counts.ratings[counts.counts > 0])
    if len(sizes) != 1 or sizes[0] < _MIN_RATINGS:
        return None
    raters, p = float(sizes[0]), counts.shares
    spread = float(p @ (1 - p))
    if not spread > 0:
        return None
    skew = float((p * (1 - p)) @ (1 - 2 * p))
    variance = 2 / (counts.n * raters * (raters - 1) * spread**2) * (spread**2 - skew)
    value = counts.fleiss(1 - np.eye(counts.categories)).value
    if isinstance(value, Undefined) or not variance > 0:
        return None
    z = float(value) / math.sqrt(variance)
    name = "Fleiss, Nee and Landis' test of agreement by chance"
    return TestResult(name, z, None, normal_p(z), standard_error=math.sqrt(variance))


def _kappa_without(table: NDArray[np.float64], distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return kappa without one item of each cell of a table; NaN where nothing is left to say."""
    n = float(table.sum())
    first, second = table.sum(axis=1), table.sum(axis=0)
    observed = float((table * distance).sum()) - distance
    by_first, by_second = distance @ second, first @ distance
    expected = float(first @ distance @ second) - by_first[:, None] - by_second[None, :] + distance
    with np.errstate(all="ignore"):
        return np.asarray(1 - observed * (n - 1) / expected)
