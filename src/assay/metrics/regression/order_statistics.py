"""Regression: figures of order. Quantiles of the errors, spreads of the truth, and agreement of ranks."""

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
    """How far off the prediction in the middle is, whatever outliers do: ``median(abs(error))``."""
    return a.quantile(0.5)


@metric(
    reads=AbsoluteErrors, kind="order", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("absolute_error_quantile",),
)  # fmt: skip
def quantile_error(a: AbsoluteErrors, *, share: float = 0.9) -> Any:
    """How far off at most so large a share of the predictions are: ``quantile(abs(error), share)``."""
    return a.quantile(share)


@metric(
    reads=AbsolutePercentageErrors, kind="order", bounds=(0, math.inf), best=0,
    undefined="half of the actual values or more are 0, by which nothing can be divided",
    aliases=("mdape", "medape", "median_ape"),
)  # fmt: skip
def median_absolute_percentage_error(a: AbsolutePercentageErrors) -> Any:
    """How far off the prediction in the middle is, as a share of the truth: ``median(abs(error / actual))``.

    A share, not a percentage: 0.2 is 20 percent. An actual value of 0 is infinitely far off unless it was
    predicted, which the median does not mind.
    """
    return a.quantile(0.5)


@metric(
    reads=Ranged, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL,
    aliases=("rae",),
)  # fmt: skip
def relative_absolute_error(r: Ranged) -> Any:
    """The absolute error as a share of that of predicting the mean: ``mae / mean(abs(a - mean(a)))``."""
    mean = float(r.errors.mean_actual)
    return ratio(float(mae.formula(r.errors)), r.mean_of(lambda values: abs(values - mean)))


@metric(
    reads=Ranged, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL,
    aliases=("nrmse_range",),
)  # fmt: skip
def rmse_over_range(r: Ranged) -> Any:
    """The typical error as a share of the actual values' range: ``rmse / (max(actual) - min(actual))``."""
    return ratio(rmse.formula(r.errors), r.range)


@metric(
    reads=Ranged, kind="order", bounds=(0, math.inf), best=0,
    undefined="the middle half of the actual values are all the same", aliases=("nrmse_iqr",),
    title="RMSE over IQR", depends_on_n=True,
)  # fmt: skip
def rmse_over_iqr(r: Ranged) -> Any:
    """The typical error as a share of the actual values' middle half: ``rmse / iqr(actual)``."""
    return ratio(rmse.formula(r.errors), r.between(0.25, 0.75))


@metric(
    reads=Ranged, kind="order", bounds=(0, math.inf), best=math.inf,
    undefined="the middle half of the actual values are all the same, and nothing is missed",
    aliases=("ratio_of_performance_to_interquartile_range",), title="RPIQ", depends_on_n=True,
)  # fmt: skip
def rpiq(r: Ranged) -> Any:
    """How many typical errors the middle half of the actual values spans: ``iqr(actual) / rmse``."""
    return limit_ratio(r.between(0.25, 0.75), rmse.formula(r.errors))


@metric(
    reads=ValuePairs, kind="rank", bounds=(-1, 1), best=1, undefined=SAME_EITHER,
    aliases=("spearman_rho", "spearman_r", "rank_correlation"), title="Spearman correlation",
)  # fmt: skip
def spearman(p: ValuePairs) -> Any:
    """How steadily predictions rise with the truth: ``pearson(rank(actual), rank(predicted))``.

    Equal numbers share their mean rank.
    """
    return pearson.formula(p.ranks)


@metric(
    reads=ValuePairs, kind="rank", bounds=(-1, 1), best=1, undefined=SAME_EITHER,
    aliases=("kendall", "kendall_tau_b", "tau_b"), title="Kendall's tau-b",
)  # fmt: skip
def kendall_tau(p: ValuePairs) -> Any:
    """How many more pairs of rows are ordered alike than not, ties in either left aside (tau-b).

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
    """How often the larger of two actual values has the larger prediction; a tied prediction counts half.

    ``(concordant + tied_predicted / 2) / pairs not tied in actual``
    """
    concordant, discordant, _, tied, _ = p.agreement
    return ratio(2 * concordant + tied, 2 * (concordant + discordant + tied))


@metric(reads=ValuePairs, kind="rank", bounds=(-1, 1), best=1, undefined=SAME_ACTUAL, title="Somers' D")
def somers_d(p: ValuePairs) -> Any:
    """How many more pairs of different actual values are ordered right than wrong.

    ``(concordant - discordant) / pairs not tied in actual``
    """
    concordant, discordant, _, tied, _ = p.agreement
    return ratio(concordant - discordant, concordant + discordant + tied)
