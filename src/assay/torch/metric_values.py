"""Name the values of an evaluation as loggers of training runs take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation import Evaluation

__all__ = ["checked_names", "metric_values"]


def checked_names(metrics: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the names of metrics, each of which there is; None, for those that fit the task, stays None."""
    if metrics is None:
        return None
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    for name in names:
        MetricSpec.of(name)  # raises where there is no such metric, before any row is seen
    return names


def metric_values(
    evaluation: Evaluation, metrics: Sequence[str] | None = None, *, intervals: bool = False
) -> dict[str, float]:
    """Return values by name, with underscores for spaces; NaN where one is undefined.

    With `intervals` each has its limits beside it.

    >>> import assay
    >>> ev = assay.evaluate(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0])
    >>> metric_values(ev, ["recall", "macro f1"])
    {'recall': 0.5, 'macro_f1': 0.7333333333333334}
    >>> list(metric_values(ev, ["recall"], intervals=True))
    ['recall', 'recall_low', 'recall_high']
    """
    values = {}
    for name in evaluation if metrics is None else metrics:
        estimate, key = evaluation[name], name.replace(" ", "_")
        values[key] = float(estimate)
        if intervals:
            for end, limit in (("low", estimate.low), ("high", estimate.high)):
                values[f"{key}_{end}"] = float("nan") if limit is None else float(limit)
    return values
