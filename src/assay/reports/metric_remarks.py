"""What the value and the interval of a metric say, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.interpretation import SCALES, band

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate

__all__ = ["auc_remarks", "calibration_remarks"]

_CHANCE_AUC = 0.5


def auc_remarks(value: float, estimate: Estimate) -> list[str]:
    """Return remarks on an AUC: ranked backwards, no better than chance, or a word of a scale."""
    if value < _CHANCE_AUC:
        remarks = [f"below 0.5: the scores rank backwards; reversed they have {1 - value:.4f}"]
        chance = estimate.high is not None and estimate.high >= _CHANCE_AUC
        return [*remarks, "the interval reaches 0.5: it may be mere chance"] if chance else remarks
    if estimate.low is not None and estimate.low < _CHANCE_AUC:
        return ["the interval reaches below 0.5: the ranking may be no better than chance"]
    word = band(value, "hosmer-lemeshow", low=estimate.low, high=estimate.high)
    return [f'a hint: "{word}", by {SCALES["hosmer-lemeshow"].source}']


def calibration_remarks(value: float, estimate: Estimate) -> list[str]:
    """Return whether the probabilities are too low or too high, where the interval excludes 1."""
    if estimate.low is None or estimate.high is None or estimate.low <= 1 <= estimate.high:
        return []
    return [f"calibration: the probabilities are too {'low' if value > 1 else 'high'} on the whole"]
