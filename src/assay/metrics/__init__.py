"""The catalogue: every metric as one declaration over a tally, found by name.

>>> from assay.metrics import catalogue, find, precision
>>> find("ppv") is precision
True
"""

from __future__ import annotations

import importlib
from typing import Any

from assay.metrics.averages import averaged, each, pooled
from assay.metrics.counts import Binary, Classes, Ordered
from assay.metrics.means import Mean, mean_metric
from assay.metrics.metric import Metric, View, catalogue, find, metric
from assay.metrics.outputs import each_output, over_outputs
from assay.metrics.ranks import Ranks
from assay.metrics.undefined import Undefined, Value

# The rooms of the catalogue, in the order in which a reader would want them.
_ROOMS = (
    "rates",
    "classes",
    "agreement",
    "association",
    "ordinal",
    "label_sets",
    "ranking",
    "precision_recall",
    "class_ranking",
    "retrieval",
    "retrieval_readers",
    "probability",
    "calibration",
    "calibration_loess",
    "calibration_tests",
    "class_probability",
    "regression",
    "row_errors",
    "deviance",
    "ordered",
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
