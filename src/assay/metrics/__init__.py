"""The catalogue: every metric as one declaration over a tally, found by name.

>>> from assay.metrics import catalogue, find, precision
>>> find("ppv") is precision
True
"""

from __future__ import annotations

import importlib
from typing import Any

from assay.metrics.averaging import averaged, each, pooled
from assay.metrics.metric import Metric, View, catalogue, find, metric
from assay.metrics.multioutput import each_output, over_outputs
from assay.metrics.undefined import Undefined, Value
from assay.metrics.views.confusion import Binary, Classes, Ordered
from assay.metrics.views.ranking import Ranks
from assay.metrics.views.row_means import Mean, mean_metric

# The rooms of the catalogue, in the order in which a reader would want them.
_ROOMS = (
    "classification.rates",
    "classification.multiclass",
    "classification.agreement",
    "classification.association",
    "classification.ordinal",
    "classification.multilabel",
    "ranking.roc",
    "ranking.precision_recall",
    "ranking.multiclass_auc",
    "ranking.retrieval",
    "ranking.retrieval_user_models",
    "probability.proper_scores",
    "probability.calibration",
    "probability.loess_calibration",
    "probability.calibration_tests",
    "probability.multiclass_probability",
    "regression.moments",
    "regression.row_losses",
    "regression.deviance",
    "regression.order_statistics",
)
for _room in _ROOMS:
    importlib.import_module(f"{__name__}.{_room}")

__all__ = [
    "Binary",
    "Classes",
    "Mean",
    "Metric",
    "Ordered",
    "Ranks",
    "Undefined",
    "Value",
    "View",
    "averaged",
    "catalogue",
    "each",
    "each_output",
    "find",
    "mean_metric",
    "metric",
    "over_outputs",
    "pooled",
]


def __getattr__(name: str) -> Any:
    from assay.errors import MetricError  # noqa: PLC0415 - only for the message

    try:
        return find(name)
    except MetricError as unknown:
        raise AttributeError(str(unknown)) from None


def __dir__() -> list[str]:
    return sorted([*__all__, *(known.name for known in catalogue())])
