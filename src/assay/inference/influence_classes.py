"""The influence of rows on areas of several classes: the sum of what a row does to each area in them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence_scores import ClassRows, class_average
from assay.metrics import Undefined, find

if TYPE_CHECKING:
    from assay.inference.influence import Influence
    from assay.inputs import Rows
    from assay.metrics import Metric

__all__ = ["of_rows", "of_tally"]

_AVERAGES = {"macro_auc": "macro", "weighted_auc": "weighted"}


def of_tally(_metric: Metric, _tally: Any, _options: dict[str, Any]) -> Influence | None:
    """Return None: a tally of classes' scores does not say which of them are those of one row."""
    return None


def of_rows(metric: Metric, rows: Rows, options: dict[str, Any]) -> Influence | None:
    """Return the influence of every row on an average of areas."""
    value = metric(rows, **options)
    if isinstance(value, Undefined):
        return None
    auc, several = find("auc"), ClassRows(rows)
    if metric.name in _AVERAGES:
        return class_average(auc, several, _AVERAGES[metric.name], value=value, parameters={})
    if metric.name == "micro_auc":
        return several.together(auc, {})
    if metric.name == "hand_till_auc":
        return _hand_till(auc, several, value, weighted=options.get("average") == "weighted")
    return None


def _hand_till(auc: Metric, several: ClassRows, value: float, *, weighted: bool) -> Influence | None:
    mass = several.mass
    slopes, moved, total = np.zeros(len(several.codes)), np.zeros(several.size), 0.0
    for first, second in itertools.combinations(np.flatnonzero(mass).tolist(), 2):
        weight = mass[first] + mass[second] if weighted else 1.0
        total += weight
        area = 0.0
        for mine, other in ((first, second), (second, first)):
            found = several.of_class(auc, mine, {}, against=other)
            if found is None:
                return None
            area += found[0] / 2
            slopes += weight / 2 * found[1]
        moved[[first, second]] += area - value
    if weighted:  # a row also adds to the weight of every pair that its class is in
        slopes += moved[several.codes]
    return several.influence(value, slopes / total)
