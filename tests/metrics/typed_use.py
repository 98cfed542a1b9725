"""How typed code uses metrics: no test, but what mypy checks (an unused ignore is an error)."""

from __future__ import annotations

import assay
from assay.metrics import auc, ece


def use(rows: assay.Rows) -> tuple[float | assay.metrics.Undefined, list[assay.metrics.Metric]]:
    """Call a metric and name metrics, by aliases too."""
    _: str = auc(rows)  # type: ignore[assignment] # a value is a float or undefined
    assay.metrics.nonsense  # type: ignore[attr-defined] # noqa: B018 - a name that is no metric's
    return auc(rows), [ece, assay.metrics.f1, assay.metrics.sensitivity]
