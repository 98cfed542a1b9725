"""Is a judge as good as one more person: its agreement with people against theirs with each other."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of
from assay.inference.distributions import student_p, student_quantile
from assay.inference.estimate import Estimate
from assay.inference.hypothesis_tests.multiple_testing import benjamini_yekutieli, holm
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.formulas.rater_agreement import RatingCounts
    from assay.inputs.labels import Label

__all__ = ["JudgeComparison", "PersonComparison", "compare_judge"]

_MIN_ITEMS = 30
_ROUNDING = 1e-12  # of agreement
_HALF = 0.5  # of the people, that a judge must be able to replace


class PersonComparison(NamedTuple):
    """A person's agreement with the other people, and the judge's with the same people on the same items."""

    person: Label
    judge: float
    agreement: float
    difference: Estimate
    adjusted: float


@dataclasses.dataclass(frozen=True, eq=False)
class JudgeComparison:
    """The judge's mean agreement with people, less that of people with each other on the same items.

    ``verdict`` is "better", "not worse" (by more than the margin), "worse" or "not shown".
    """

    judge: Label
    agreement: float
    people_agreement: float
    difference: Estimate
    margin: float
    people: tuple[PersonComparison, ...]
    alternative_test: dict[str, Any]

    @property
    def verdict(self) -> str:
        """What the interval of the difference shows."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None:
            return "not shown"
        if low > 0:
            return "better"
        if high < 0:
            return "worse"
        return "not worse" if low > -self.margin else "not shown"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "judge": self.judge,
            "agreement": self.agreement,
            "people_agreement": self.people_agreement,
            "difference": self.difference.to_dict(),
            "margin": self.margin,
            "verdict": self.verdict,
            "people": [
                {
                    "person": person.person,
                    "judge": person.judge,
                    "agreement": person.agreement,
                    "difference": person.difference.to_dict(),
                    "adjusted_p_value": person.adjusted,
                }
                for person in self.people
            ],
            "alternative_annotator_test": self.alternative_test,
        }
        return dict(json_safe(data))


class _Sides(NamedTuple):
    """Pattern by pattern: the judge's and a person's agreement with the others, and the number of items."""

    judge: NDArray[np.float64]
    person: NDArray[np.float64]
    counts: NDArray[np.float64]
    clusters: NDArray[np.int64] | None


def compare_judge(
    counts: RatingCounts,
    clusters: NDArray[np.int64] | None,
    judge: int,
    names: tuple[Label, ...],
    agree: NDArray[np.float64],
    *,
    margin: float = 0.05,
    epsilon: float = 0.2,
    confidence: float = 0.95,
) -> JudgeComparison:
    """Return the comparison of a judge with people, by agreement weights of pairs of categories.

    Both sides are held against the same people: with person r set aside, the judge and r are each compared
    with the other people who rated the item (so that people are not short of one colleague).
    """
    codes = counts.dense()
    people = [index for index in range(counts.raters) if index != judge and (codes[:, index] >= 0).any()]
    others = counts.without_rater(judge)
    usable = (codes[:, judge] >= 0) & (others.ratings > 1)
    sizes, own = others.ratings[usable], codes[usable, judge]
    table, kept, groups = (
        others.table[usable],
        counts.counts[usable],
        None if clusters is None else clusters[usable],
    )
    with_people = (agree[own] * table).sum(axis=1)
    among = ((table @ agree) * table).sum(axis=1) - sizes
    whole = _Sides(with_people / sizes, among / (sizes * (sizes - 1)), kept, groups)
    compared, wins = [], []
    for person in people:
        rated = codes[usable, person] >= 0
        theirs = codes[usable, person][rated]
        left = sizes[rated] - 1
        by_judge = (with_people[rated] - agree[own[rated], theirs]) / left
        by_person = ((agree[theirs] * table[rated]).sum(axis=1) - 1) / left
        sides = _Sides(by_judge, by_person, kept[rated], None if groups is None else groups[rated])
        compared.append((names[person], sides, _difference(sides, confidence)))
        wins.append(_wins(sides, epsilon))
    adjusted = holm([p for _, _, (_, p) in compared]).tolist() if compared else []
    rows = tuple(
        PersonComparison(
            name, _mean(sides.judge, sides.counts), _mean(sides.person, sides.counts), estimate, p
        )
        for (name, sides, (estimate, _)), p in zip(compared, adjusted, strict=True)
    )
    return JudgeComparison(
        names[judge], _mean(whole.judge, kept), _mean(whole.person, kept), _difference(whole, confidence)[0],
        margin, rows, _alternative(wins, epsilon, 1 - confidence),
    )  # fmt: skip


def _mean(values: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    total = float(counts.sum())
    return float(counts @ values) / total if total else math.nan


def _difference(sides: _Sides, confidence: float) -> tuple[Estimate, float]:
    """Return the mean difference of an item with Student's interval, and its p-value (1 without)."""
    n = int(sides.counts.sum())
    if n < 2:  # noqa: PLR2004
        why = Undefined("fewer than two items were rated by the judge and two people")
        return Estimate(why, None, None, confidence, "t on items", n), 1.0
    each = sides.judge - sides.person
    mean = _mean(each, sides.counts)
    error, df, groups = spread_of_items(each - mean, sides.counts, sides.clusters)
    note = (
        f"{count_of(n, 'item is', 'items are')} few: {_MIN_ITEMS} or more are advised"
        if n < _MIN_ITEMS
        else ""
    )
    if not error > 0:
        note = "the items do not vary" if error == 0 else "a single group shows no spread"
        return Estimate(mean, None, None, confidence, "t on items", n, note, 0.0), 1.0
    half = student_quantile(confidence, df) * error
    estimate = Estimate(
        mean, mean - half, mean + half, confidence, "t on items", n, note, error, groups=groups
    )
    return estimate, student_p(mean / error, df)


def spread_of_items(
    deviations: NDArray[np.float64], counts: NDArray[np.float64], clusters: NDArray[np.int64] | None
) -> tuple[float, float, int | None]:
    """Return the standard error of a mean over items, its degrees of freedom and the number of clusters.

    One entry per pattern of items; entries of different clusters differ. An error that rounding alone makes
    is 0, and that of a single cluster NaN.
    """
    n = float(counts.sum())
    if clusters is None:
        return _without_rounding(math.sqrt(float(counts @ deviations**2) / (n * (n - 1)))), n - 1, None
    sums = np.bincount(clusters, counts * deviations / n)
    used = np.bincount(clusters, counts) > 0
    groups = int(np.count_nonzero(used))
    if groups == 1:
        return math.nan, math.nan, groups
    return _without_rounding(math.sqrt(groups / (groups - 1) * float(sums @ sums))), groups - 1, groups


def _without_rounding(error: float) -> float:
    return error if error > _ROUNDING else 0.0


def _wins(sides: _Sides, epsilon: float) -> tuple[float, float, float]:
    """Return how often the judge and the person are at least as close to the others, and a one-sided p."""
    judge = (sides.judge >= sides.person).astype(np.float64)
    person = (sides.person >= sides.judge).astype(np.float64)
    n = float(sides.counts.sum())
    difference = person - judge
    mean = _mean(difference, sides.counts)
    if n < 2:  # noqa: PLR2004
        return math.nan, math.nan, 1.0
    error = math.sqrt(float(sides.counts @ (difference - mean) ** 2) / (n * (n - 1)))
    if not error > 0:
        return _mean(judge, sides.counts), _mean(person, sides.counts), 0.0 if mean < epsilon else 1.0
    p = student_p((mean - epsilon) / error, n - 1, "less")
    return _mean(judge, sides.counts), _mean(person, sides.counts), p


def _alternative(wins: list[tuple[float, float, float]], epsilon: float, alpha: float) -> dict[str, Any]:
    """Return the alternative annotator test (Calderon, Reichart and Dror 2025).

    For each person a one-sided paired test that the judge is not worse by epsilon, corrected by Benjamini and
    Yekutieli; the judge passes where it may replace at least half of the people.
    """
    adjusted = benjamini_yekutieli([p for _, _, p in wins]).tolist() if wins else []
    share = float(np.mean([p < alpha for p in adjusted])) if adjusted else math.nan
    advantage = float(np.mean([judge for judge, _, _ in wins])) if wins else math.nan
    return {
        "epsilon": epsilon,
        "winning_rate": share,
        "passes": bool(share >= _HALF),
        "advantage": advantage,
        "adjusted_p_values": adjusted,
    }
