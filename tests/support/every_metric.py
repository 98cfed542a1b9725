"""A test over every metric of the catalogue, and what a metric's rows are drawn from."""

import inspect

import pytest

from assay.metrics import catalogue
from support.samples import SAMPLES

# What depends on the number of rows, not only on their shares.
COUNTS_ROWS = {
    *("adjusted_r2", "rpd", "krippendorff_alpha"),  # a correction by n - 1 and the like
    *("rmse_over_iqr", "rpiq"),  # a straight line from row to row
    *("debiased_calibration_square", "debiased_calibration_error"),  # the rows of a bin less 1
    *("expected_calibration_error", "maximum_calibration_error", "rms_calibration_error"),  # rows per bin
    *("confidence_calibration_error", "top_label_calibration_error", "classwise_calibration_error"),
    *("chi_square", "spiegelhalter_z", "spiegelhalter_p", "hosmer_lemeshow", "hosmer_lemeshow_p"),  # tests
    *("tie_expected_average_precision", "pr_auc_davis_goadrich"),  # tied rows, one after the other
    "bias_corrected_cramers_v",  # what chance adds to n rows
}


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


def takes_weights(metric):
    return sample_of(metric).weighted
