"""Split rows into training and test parts, and estimate prediction error from resamples."""

from assay.resampling.error_estimators import (
    BootstrapOptimism,
    err632,
    err632plus,
    leave_one_out_bootstrap,
    nested_cv_interval,
    no_information_rate,
    no_information_squared_error,
)
from assay.resampling.factories import (
    bootstrap,
    holdout,
    kfold,
    leave_group_out,
    leave_one_out,
    walk_forward,
)
from assay.resampling.sklearn_adapter import CrossValidator, as_cv
from assay.resampling.split import Split, Splits
from assay.resampling.split_checks import check
from assay.resampling.splitters import Splitter

__all__ = [
    "BootstrapOptimism",
    "CrossValidator",
    "Split",
    "Splits",
    "Splitter",
    "as_cv",
    "bootstrap",
    "check",
    "err632",
    "err632plus",
    "holdout",
    "kfold",
    "leave_group_out",
    "leave_one_out",
    "leave_one_out_bootstrap",
    "nested_cv_interval",
    "no_information_rate",
    "no_information_squared_error",
    "walk_forward",
]
