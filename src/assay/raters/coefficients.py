"""Coefficients of agreement with their intervals and tests, from patterns of ratings."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.formatting.numbers import number_or_none
from assay.inference.distributions import student_p
from assay.inference.estimate import Estimate
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.intraclass import ICC_FORMS, MeanSquares, kendall_w, mean_correlation
from assay.inference.formulas.kappa import kappa_errors
from assay.inference.formulas.krippendorff import alpha_of_counts
from assay.inference.formulas.proportions import wilson
from assay.inference.formulas.rater_agreement import Coefficient, RatingCounts, fleiss_null_test
from assay.inference.hypothesis_tests.contingency import stuart_maxwell
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.inference.test_result import TestResult
from assay.metrics import Undefined
from assay.raters.agreement_result import RaterPair
from assay.raters.judge import spread_of_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs.labels import Label
    from assay.metrics import Value

__all__ = ["MANY_PAIRS", "CoefficientEstimator", "coefficients", "numeric_coefficients", "pairs_of_raters"]

MANY_PAIRS = 1_000  # pairs of raters beyond which none is looked at on its own
_MIN_RATERS = 2
_ROUNDING = 1e-14


@dataclasses.dataclass(frozen=True, eq=False)
class CoefficientEstimator:
    """Turns coefficients with their items' values into estimates with intervals and tests."""

    counts: RatingCounts
    clusters: NDArray[np.int64] | None
    confidence: float

    def spread(self, coefficient: Coefficient) -> tuple[float, float, int | None]:
        """Return the standard error, its degrees of freedom and the number of groups."""
        if coefficient.items is None:
            return math.nan, math.nan, None
        used = np.isfinite(coefficient.items)
        if float(self.counts.counts[used].sum()) < _MIN_RATERS:
            return math.nan, math.nan, None
        clusters = None if self.clusters is None else self.clusters[used]
        return spread_of_items(
            coefficient.items[used] - coefficient.centre, self.counts.counts[used], clusters
        )

    def estimate(self, coefficient: Coefficient, bounds: tuple[float, float]) -> Estimate:
        """Return the estimate with its interval by Student's t on the atanh scale, items as the sample."""
        value, n = _beyond_rounding(coefficient.value), int(self.counts.counts[self.counts.ratings > 1].sum())
        scale = "logit" if bounds[0] == 0 else "atanh"
        method = f"{scale} t on items"
        if isinstance(value, Undefined):
            return Estimate(value, None, None, self.confidence, method, n)
        error, df, groups = self.spread(coefficient)
        if not error >= 0:
            unit = "item" if groups is None else "group"
            return Estimate(value, None, None, self.confidence, method, n, f"a single {unit} shows no spread")
        limits = delta_interval(value, error, bounds, confidence=self.confidence, df=df)
        if limits is None and value >= 1 and math.isfinite(coefficient.chance):
            units = n if groups is None else groups
            low, _ = wilson(units, units, self.confidence)
            low = 1 - (1 - low) / (1 - coefficient.chance)
            note = "full agreement: the lower limit is Wilson's for the observed agreement"
            return Estimate(value, low, 1.0, self.confidence, "Wilson", n, note, error, groups=groups)
        if limits is None:
            return Estimate(value, None, None, self.confidence, method, n, "the items do not vary", error)
        return Estimate(value, *limits, self.confidence, method, n, "", error, groups=groups)

    def test(self, coefficient: Coefficient) -> TestResult | None:
        """Return the t test of no agreement beyond chance."""
        error, df, _ = self.spread(coefficient)
        if isinstance(coefficient.value, Undefined) or not error > 0:
            return None
        t = coefficient.value / error
        return TestResult("t test of agreement by chance", t, df, student_p(t, df), standard_error=error)


def coefficients(
    estimator: CoefficientEstimator, agree: Any, level: str, numbers: Any, scheme: Any
) -> tuple[dict[str, Estimate], dict[str, TestResult]]:
    """Return the coefficients beyond chance that the level and the weights allow, and their tests."""
    counts = estimator.counts
    found: dict[str, Coefficient] = {"krippendorff_alpha": alpha_of_counts(counts, level, numbers)}
    if agree is not None:
        distance = 1 - agree
        plain = isinstance(scheme, str) and scheme == "none"
        found |= {
            "gwet_ac1" if plain else "gwet_ac2": counts.gwet(distance),
            "fleiss_kappa": counts.fleiss(distance),
            "conger_kappa": counts.conger(distance),
            "brennan_prediger": counts.brennan_prediger(distance),
        }
        if counts.raters * (counts.raters - 1) // 2 <= MANY_PAIRS:
            found["light_kappa"] = counts.light(agree)
        found["percent_agreement"] = counts.percent(distance)
    tests = {name: estimator.test(item) for name, item in found.items() if name != "percent_agreement"}
    if (
        agree is not None
        and np.array_equal(agree, np.eye(len(agree)))
        and (exact := fleiss_null_test(counts))
    ):
        tests["fleiss_kappa"] = exact
    bounds = {name: (0.0, 1.0) if name == "percent_agreement" else (-1.0, 1.0) for name in found}
    estimates = {name: estimator.estimate(item, bounds[name]) for name, item in found.items()}
    return estimates, {name: test for name, test in tests.items() if test is not None}


class NumericCoefficients(NamedTuple):
    estimates: dict[str, Estimate]
    tests: dict[str, TestResult]
    notes: list[str]


def numeric_coefficients(
    counts: RatingCounts, people: list[int], numbers: Any, level: str, confidence: float
) -> NumericCoefficients:
    """Return intraclass correlations, Kendall's W and the mean correlation of items that all have rated."""
    if level == "nominal" or counts.categories == 0:
        return NumericCoefficients({}, {}, [])
    codes = counts.dense()[:, people]
    complete = (codes >= 0).all(axis=1)
    items = counts.counts[complete]
    n, dropped = int(items.sum()), int(counts.counts[~complete & (counts.ratings > 0)].sum())
    notes = [f"ICC and Kendall's W use the {n:,} items that everyone rated; {dropped:,} others are left out."]
    if n < _MIN_RATERS:
        return NumericCoefficients(
            {}, {}, ["no two items were rated by everyone: no ICC and no Kendall's W."]
        )
    points = np.arange(counts.categories, dtype=np.float64) if numbers is None else numbers
    ratings = points[codes[complete]]
    estimates: dict[str, Estimate] = {}
    tests: dict[str, TestResult] = {}
    if level != "ordinal":
        squares = MeanSquares.of(ratings, items)
        for form in ICC_FORMS:
            value, low, high, test = squares.icc(form, confidence)
            estimates[form] = Estimate(value, low, high, confidence, "F, McGraw and Wong", n)
            if test is not None:
                tests[form] = test
        estimates["mean_correlation"] = Estimate(
            mean_correlation(ratings, items), None, None, confidence, "Fisher's z", n
        )
    concordance = kendall_w(ratings, items)
    value = (
        concordance.estimate if concordance.estimate is not None else Undefined("no rater ranks the items")
    )
    estimates["kendall_w"] = Estimate(value, None, None, confidence, "chi-square test", n, concordance.note)
    tests["kendall_w"] = concordance
    return NumericCoefficients(estimates, tests, notes if dropped else [])


def pairs_of_raters(
    counts: RatingCounts, names: tuple[Label, ...], people: list[int], agree: NDArray[np.float64]
) -> tuple[RaterPair, ...]:
    """Return each pair of people on the items that both rated."""
    found: list[RaterPair] = []
    for (first, second), table, _ in counts.pairs():
        if first not in people or second not in people or not table.sum():
            continue
        kappa = kappa_errors(table, agree).estimate
        bias = stuart_maxwell(table.astype(np.int64))
        share = float((table * agree).sum() / table.sum())
        agreed = number_or_none(_beyond_rounding(kappa))
        found.append(RaterPair(names[first], names[second], int(table.sum()), share, agreed, bias, None))
    tested = [index for index, pair in enumerate(found) if not isinstance(pair.bias.p_value, Undefined)]
    adjusted: dict[int, float] = {}
    if tested:
        corrected = holm([float(found[index].bias.p_value) for index in tested]).tolist()
        adjusted = dict(zip(tested, corrected, strict=True))
    return tuple(pair._replace(adjusted=adjusted.get(index)) for index, pair in enumerate(found))


def _beyond_rounding(value: Value) -> Value:
    """Return a coefficient, 0 where rounding alone keeps it from that."""
    return value if isinstance(value, Undefined) or abs(value) > _ROUNDING else 0.0
