"""The order of compared models on a metric: ranks that the tests support, and who is tied with the best."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from assay.metrics import Undefined

if TYPE_CHECKING:
    from assay.comparison.compare import Comparison
    from assay.metrics import Value

__all__ = ["Standing", "standings"]


@dataclasses.dataclass(frozen=True, slots=True)
class Standing:
    """A model's place on one metric.

    It ranks no higher than ``rank_low`` and no lower than ``rank_high``: that many models are significantly
    better, or worse, than it. ``tied`` says whether the test cannot tell it from the model of the best value.
    """

    name: str
    value: Value
    rank_low: int
    rank_high: int
    tied: bool


def standings(comparison: Comparison, metric: str) -> tuple[Standing, ...]:
    """Return the models in the order of their values of a metric that was compared, the best first.

    Metrics of which neither more nor less is better have no order: every rank is possible, and all are tied.

    >>> import assay
    >>> y = [0, 1] * 200
    >>> right = [assay.rows(actual=y, predicted=y[:n] + [1 - v for v in y[n:]]) for n in (300, 390, 388)]
    >>> order = standings(assay.compare(*right, metrics="accuracy"), "accuracy")
    >>> [(model.name, model.value, model.rank_low, model.rank_high, model.tied) for model in order]
    [('b', 0.975, 1, 2, True), ('c', 0.97, 1, 2, True), ('a', 0.75, 3, 3, False)]
    """
    differences = [diff for diff in comparison.differences if diff.metric == metric]
    values: dict[str, Value] = {}
    better = dict.fromkeys(comparison.names, 0)
    worse = dict.fromkeys(comparison.names, 0)
    for diff in differences:
        values |= zip((diff.first, diff.second), diff.values, strict=True)
        if diff.winner is not None:
            worse[diff.winner] += 1
            better[diff.first if diff.winner == diff.second else diff.second] += 1
    sign = differences[0].direction if differences else 0
    order = sorted(values, key=lambda name: _key(values[name], sign))
    decided = {frozenset((diff.first, diff.second)) for diff in differences if diff.winner is not None}
    size = len(order)
    return tuple(
        Standing(
            name, values[name], 1 + better[name], size - worse[name],
            not isinstance(values[name], Undefined) and frozenset((name, order[0])) not in decided,
        )
        for name in order
    )  # fmt: skip


def _key(value: Value, sign: int) -> float:
    return math.inf if isinstance(value, Undefined) or math.isnan(value) else -(sign or 1) * float(value)
