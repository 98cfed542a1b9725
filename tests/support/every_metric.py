"""A test over every metric of the catalogue, and what a metric's rows are drawn from."""

import inspect

import pytest

from assay.metrics import catalogue
from support.samples import SAMPLES


def sample_of(metric):
    """Return what the metric's view is drawn from; of a mean over rows, what the loss of a row asks for."""
    asked = {} if metric.loss is None else inspect.signature(metric.loss).parameters
    if "codes" in asked:
        return SAMPLES["Confidence"]
    return SAMPLES["Probabilities" if "positive" in asked else metric.reads.__name__]


def every(condition=lambda _: True):
    """Run a law over every metric to which it applies."""
    chosen = [metric for metric in catalogue() if condition(metric)]
    return pytest.mark.parametrize("metric", chosen, ids=lambda metric: metric.name)
