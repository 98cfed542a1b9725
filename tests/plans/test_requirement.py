"""Requirements: what can be written, what it means, and what is refused."""

from __future__ import annotations

import math

import pytest

from assay.errors import PlanError
from assay.inference.estimate import Estimate
from assay.plans.requirement import Requirement, parse_requirement

TEXTS = {
    "recall >= 0.9": (0.9, math.inf),
    "log_loss < 0.2": (-math.inf, 0.2),
    "recall >= 0.85 in every region": (0.85, math.inf),
    "recall >= 0.85 in region=north": (0.85, math.inf),
    "calibration_slope within 0.2": (0.8, 1.2),
    "bias within 3 of 1": (-2.0, 4.0),
    "auc no worse than production by 0.01": (-0.01, math.inf),
    "accuracy better than production": (0.0, math.inf),
    "accuracy better than production by 0.02 on the point": (0.02, math.inf),
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_canonical_text_reads_as_the_same_requirement(text: str) -> None:
    """Parsing and printing are each other's inverse, and the limits are those of the sentence."""
    requirement = parse_requirement(text)
    assert requirement.canonical == text
    assert parse_requirement(requirement.canonical) == requirement
    assert requirement.limits() == pytest.approx(TEXTS[text])


@pytest.mark.parametrize("text", ["recall >= 0.90000001", "rmse <= 1234567", "mcc within 0.1 of 0.1234567"])
def test_no_digit_of_a_number_is_lost(text: str) -> None:
    """A plan is sealed by this text: what it leaves out could be changed, and would not be tested."""
    assert parse_requirement(text).canonical == text


@pytest.mark.parametrize(
    "text",
    ["recall", "recall >= many", "recall >= nan", "recall >= inf", "auc no worse than production", "", "0.9 <= recall",
     "bias within -1"],
)  # fmt: skip
def test_what_is_no_requirement_is_refused(text: str) -> None:
    """A sentence without a metric, a sign or a finite number is an error that shows the forms."""
    with pytest.raises(PlanError, match=r"requirement|cannot be read|number above 0"):
        parse_requirement(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recall > 1", "can never be met"),
        ("recall >= 0", "is always met"),
        ("auc better than production by 1.5", "can never be met"),
        ("calibration_slope no worse than production by 1", "neither more nor less"),
    ],
)
def test_requirements_that_say_nothing_are_refused(text: str, message: str) -> None:
    """What no model could meet, or could fail to, is a mistake in the plan."""
    with pytest.raises(PlanError, match=message):
        parse_requirement(text).check()


def test_the_worse_end_of_the_interval_counts() -> None:
    """A value beyond the limit is not enough where its interval crosses it."""
    estimate = Estimate(0.92, 0.88, 0.95, 0.95, "Wilson", 400)
    assert Requirement("recall", ">=", 0.9).shortfall(estimate)
    assert not Requirement("recall", ">=", 0.9, point=True).shortfall(estimate)
    assert not Requirement("recall", ">=", 0.88).shortfall(estimate)
    assert Requirement("recall", ">", 0.88).shortfall(estimate)
    assert Requirement("recall", "<", 0.95).shortfall(estimate)
    assert not Requirement("recall", "within", 0.13).shortfall(estimate)
    assert "as low as 0.88" in Requirement("recall", "within", 0.1).shortfall(estimate)
