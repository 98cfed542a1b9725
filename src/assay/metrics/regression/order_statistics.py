"""Regression metrics by order: quantiles of the errors, errors relative to spread, and rank correlations."""

from __future__ import annotations

import math
from typing import Any

from assay.metrics.arithmetic import limit_ratio, over_root, ratio
from assay.metrics.metric import metric
from assay.metrics.regression.moments import SAME_ACTUAL, SAME_EITHER, mae, pearson, rmse
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.regression import AbsoluteErrors, AbsolutePercentageErrors, Ranged, ValuePairs


@metric(
    reads=AbsoluteErrors, kind="order", bounds=(0, math.inf), best=0, undefined=NO_ROWS, aliases=("medae",)
)  # fmt: skip
def median_absolute_error(a: AbsoluteErrors) -> Any:
    """Median absolute error, which ignores outliers: ``median(abs(error))``."""
    return a.quantile(0.5)


@metric(
    reads=AbsoluteErrors, kind="order", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("absolute_error_quantile",),
)  # fmt: skip
def quantile_error(a: AbsoluteErrors, *, share: float = 0.9) -> Any:
    """Absolute error that a share of the predictions does not exceed: ``quantile(abs(error), share)``."""
    return a.quantile(share)


@metric(
    reads=AbsolutePercentageErrors, kind="order", bounds=(0, math.inf), best=0,
    undefined="half of the actual values or more are 0, by which they cannot be divided",
    aliases=("mdape", "medape", "median_ape"),
)  # fmt: skip
def median_absolute_percentage_error(a: AbsolutePercentageErrors) -> Any:
    """Median absolute error as a share of the actual value: ``median(abs(error / actual))``.

    A share, not a percentage: 0.2 is 20 percent. Where the actual value is 0 and the prediction is not, the
    error is infinite, which does not matter to the median.
    """
    return a.quantile(0.5)


@metric(
    reads=Ranged, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL,
    aliases=("rae",),
)  # fmt: skip
def relative_absolute_error(r: Ranged) -> Any:
    """Absolute error relative to that of predicting the mean: ``mae / mean(abs(a - mean(a)))``."""
    mean = float(r.errors.mean_actual)
    return ratio(float(mae.formula(r.errors)), r.mean_of(lambda values: abs(values - mean)))


@metric(
    reads=Ranged, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL,
    aliases=("nrmse_range",),
)  # fmt: skip
def rmse_over_range(r: Ranged) -> Any:
    """RMSE relative to the range of the actual values: ``rmse / (max(actual) - min(actual))``."""
    return ratio(rmse.formula(r.errors), r.range)


@metric(
    reads=Ranged, kind="order", bounds=(0, math.inf), best=0,
    undefined="the interquartile range of the actual values is 0", aliases=("nrmse_iqr",),
    title="RMSE over IQR", depends_on_n=True,
)  # fmt: skip
def rmse_over_iqr(r: Ranged) -> Any:
    """RMSE relative to the interquartile range of the actual values: ``rmse / iqr(actual)``."""
    return ratio(rmse.formula(r.errors), r.between(0.25, 0.75))


@metric(
    reads=Ranged, kind="order", bounds=(0, math.inf), best=math.inf,
    undefined="the interquartile range and the errors are 0",
    aliases=("ratio_of_performance_to_interquartile_range",), title="RPIQ", depends_on_n=True,
)  # fmt: skip
def rpiq(r: Ranged) -> Any:
    """Interquartile range of the actual values over the RMSE: ``iqr(actual) / rmse``."""
    return limit_ratio(r.between(0.25, 0.75), rmse.formula(r.errors))


@metric(
    reads=ValuePairs, kind="rank", bounds=(-1, 1), best=1, undefined=SAME_EITHER,
    aliases=("spearman_rho", "spearman_r", "rank_correlation"), title="Spearman correlation",
)  # fmt: skip
def spearman(p: ValuePairs) -> Any:
    """Spearman rank correlation: ``pearson(rank(actual), rank(predicted))``.

    Equal numbers share their mean rank.
    """
    return pearson.formula(p.ranks)


@metric(
    reads=ValuePairs, kind="rank", bounds=(-1, 1), best=1, undefined=SAME_EITHER,
    aliases=("kendall", "kendall_tau_b", "tau_b"), title="Kendall's tau-b",
)  # fmt: skip
def kendall_tau(p: ValuePairs) -> Any:
    """Kendall's tau-b: concordant less discordant pairs of rows, corrected for ties in either column.

    ``(concordant - discordant) / sqrt(pairs not tied in actual * pairs not tied in predicted)``
    """
    concordant, discordant, tied_actual, tied_predicted, _ = p.agreement
    untied = concordant + discordant
    return over_root(concordant - discordant, (untied + tied_predicted) * (untied + tied_actual))


@metric(
    reads=ValuePairs, kind="rank", bounds=(0, 1), best=1, undefined=SAME_ACTUAL,
    aliases=("concordance", "harrell_c"),
)  # fmt: skip
def concordance_index(p: ValuePairs) -> Any:
    """Share of pairs in which the larger actual value has the larger prediction; a tie counts half.

    ``(concordant + tied_predicted / 2) / pairs not tied in actual``
    """
    concordant, discordant, _, tied, _ = p.agreement
    return ratio(2 * concordant + tied, 2 * (concordant + discordant + tied))


@metric(reads=ValuePairs, kind="rank", bounds=(-1, 1), best=1, undefined=SAME_ACTUAL, title="Somers' D")
def somers_d(p: ValuePairs) -> Any:
    """Concordant less discordant pairs, as a share of the pairs of different actual values.

    ``(concordant - discordant) / pairs not tied in actual``
    """
    concordant, discordant, _, tied, _ = p.agreement
    return ratio(concordant - discordant, concordant + discordant + tied)
