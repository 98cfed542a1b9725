"""The result of an agreement of raters: estimates and tests by name, by category, by pair and by rater."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError, shown
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_p, number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.distributions import student_p
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.raters.shortcuts import RaterAgreementShortcuts

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.inference.test_result import TestResult
    from assay.inputs.labels import Label
    from assay.raters.judge import JudgeComparison

__all__ = ["TITLES", "RaterAgreement", "RaterPair"]

TITLES = {
    "krippendorff_alpha": "Krippendorff's alpha", "gwet_ac1": "Gwet's AC1", "gwet_ac2": "Gwet's AC2",
    "fleiss_kappa": "Fleiss' kappa", "conger_kappa": "Conger's kappa", "light_kappa": "Light's kappa",
    "brennan_prediger": "Brennan-Prediger", "percent_agreement": "agreement of two raters",
    "kendall_w": "Kendall's W", "mean_correlation": "mean correlation",
    "icc_1_1": "ICC(1,1)", "icc_2_1": "ICC(2,1)", "icc_3_1": "ICC(3,1)", "icc_1_k": "ICC(1,k)",
    "icc_2_k": "ICC(2,k)", "icc_3_k": "ICC(3,k)",
}  # fmt: skip


class RaterPair(NamedTuple):
    """Two raters on the items that both rated: Cohen's kappa, and whether one leans to other categories."""

    first: Label
    second: Label
    n: int
    agreement: float
    kappa: float | None
    bias: TestResult
    adjusted: float | None


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RaterAgreement(RaterAgreementShortcuts):
    """How far raters agree: estimates by name, their tests, and the same by category, by pair and by rater.

    ``odd_one_out`` is the rater who agrees with the others less than they do with each other, by more than
    chance (Holm over the raters); None where nobody does. ``against`` compares a judge with the people.
    """

    estimates: dict[str, Estimate]
    tests: dict[str, TestResult]
    by_category: dict[Label, Estimate]
    pairs: tuple[RaterPair, ...]
    by_rater: dict[Label, JudgeComparison]
    against: JudgeComparison | None
    level: str
    weights: str
    items: int
    ratings: int
    raters: tuple[Label, ...]
    categories: tuple[Any, ...]
    confidence: float
    notes: tuple[str, ...] = ()
    library: str = ""

    def __getitem__(self, name: str) -> Estimate:
        """Return an estimate by its name, ``"fleiss_kappa"`` say."""
        if name not in self.estimates:
            raise MetricError(f'there is no "{name}" here: use {shown(self.estimates, 20)}.')
        return self.estimates[name]

    __repr__ = RaterAgreementShortcuts.__str__

    @property
    def odd_one_out(self) -> Label | None:
        """The rater who is furthest from the others, where that is more than chance; None otherwise."""
        tested = [
            (rater, result) for rater, result in self.by_rater.items()
            if result.difference.standard_error and result.difference.defined
        ]  # fmt: skip
        if not tested:
            return None
        statistics = [
            (float(result.difference.value) / (result.difference.standard_error or 1), result.difference.n)
            for _, result in tested
        ]
        adjusted = holm([student_p(t, max(n - 1, 1), "less") for t, n in statistics])
        worst = int(np.argmin([t for t, _ in statistics]))
        return tested[worst][0] if adjusted[worst] < 1 - self.confidence else None

    @property
    def _library(self) -> str:
        return self.library

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "items": self.items,
            "ratings": self.ratings,
            "raters": list(self.raters),
            "categories": list(self.categories),
            "level": self.level,
            "weights": self.weights,
            "estimates": {name: estimate.to_dict() for name, estimate in self.estimates.items()},
            "tests": {name: test.to_dict() for name, test in self.tests.items()},
            "by_category": [
                {"category": label, **estimate.to_dict()} for label, estimate in self.by_category.items()
            ],
            "pairs": [pair._asdict() | {"bias": pair.bias.to_dict()} for pair in self.pairs],
            "by_rater": [result.to_dict() for result in self.by_rater.values()],
            "odd_one_out": self.odd_one_out,
            "against": None if self.against is None else self.against.to_dict(),
            "notes": list(self.notes),
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the coefficients, then the raters, the categories and the pairs where there are any."""
        estimates = self.estimates.items()
        main: dict[str, list[Any]] = {
            "coefficient": [TITLES[name] for name, _ in estimates],
            "value": [IntervalCell.of(estimate) for _, estimate in estimates],
            "p_value": [_p_of(self.tests.get(name)) for name, _ in estimates],
            "method": [estimate.method for _, estimate in estimates],
        }
        limits = f"value [{100 * self.confidence:g}% interval]"
        tables = [
            ResultTable(
                main,
                headings={"value": limits, "p_value": "p"},
                frame_only=("method",),
                printed_as={"p_value": format_p},
            )
        ]
        if self.by_rater:
            rows = self.by_rater.items()
            raters: dict[str, list[Any]] = {
                "rater": [rater for rater, _ in rows],
                "with_others": [_finite(result.agreement) for _, result in rows],
                "others": [_finite(result.people_agreement) for _, result in rows],
                "difference": [IntervalCell.of(result.difference) for _, result in rows],
            }
            heads = {"with_others": "agrees with the others", "others": "the others with each other"}
            tables.append(ResultTable(raters, "raters", headings=heads))
        if self.by_category:
            categories: dict[str, list[Any]] = {
                "category": list(map(str, self.by_category)),
                "fleiss_kappa": [IntervalCell.of(estimate) for estimate in self.by_category.values()],
            }
            tables.append(ResultTable(categories, "categories, each against the rest"))
        if self.pairs:
            pairs: dict[str, list[Any]] = {
                "first": [str(pair.first) for pair in self.pairs],
                "second": [str(pair.second) for pair in self.pairs],
                "items": [pair.n for pair in self.pairs],
                "agreement": [_finite(pair.agreement) for pair in self.pairs],
                "kappa": [pair.kappa for pair in self.pairs],
                "bias_p": [pair.adjusted for pair in self.pairs],
            }
            tables.append(
                ResultTable(
                    pairs,
                    "pairs of raters",
                    headings={"bias_p": "bias, Holm p"},
                    printed_as={"bias_p": format_p},
                )
            )
        return tables


def _p_of(test: TestResult | None) -> float | None:
    return None if test is None else number_or_none(test.p_value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
