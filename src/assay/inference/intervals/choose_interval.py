"""Every metric's interval, by the method that suits it: one table, and the call that reads it.

A method answers with an interval, with the reason why it fails on these rows, or with None where it is not
meant for rows like these; then the next in line is asked. The estimate's note says what failed.
"""

from __future__ import annotations

import functools
import importlib
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import METHODS, check_confidence
from assay.inference.influence.influence import value_of
from assay.inference.intervals import heavy_tails
from assay.inference.intervals.interval_request import (
    IntervalRequest,
    IntervalResult,
    check_seed,
    rescaled,
    without_equal_weights,
)
from assay.metrics import Metric, Undefined
from assay.metrics.spec import MetricSpec
from assay.tallies import Queries, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Rows

    Method = Callable[..., IntervalResult | str | None]

__all__ = ["answer", "estimate", "estimate_tally", "methods_for"]

# Which methods are tried, in their order, as "module.function": first by the metric's own name, then by its
# view and kind, then by its kind.
_RATES = ("confusion_rates.by_rates", "confusion_rates.by_accuracy")
_SMOOTH = ("confusion.by_delta", "resampling.dirichlet")
_DELTA = (*_RATES, *_SMOOTH)
_PRECISION_AREA = ("ranking.precision_area",)
_AT_SHARE = ("ranking.at_share",)
_BY_NAME: dict[str, tuple[str, ...]] = {
    "f1": ("confusion_rates.on_jaccard", *_DELTA),
    "balanced_accuracy": ("class_averages.mean_of_recalls", *_DELTA),
    "adjusted_balanced_accuracy": ("class_averages.mean_of_recalls", *_DELTA),
    "g_mean": ("class_averages.mean_of_recalls", *_DELTA),
    "one_vs_rest_balanced_accuracy": ("confusion_rates.on_two_rates", *_DELTA),
    "informedness": ("confusion_rates.on_two_rates", *_DELTA),
    "markedness": ("confusion_rates.on_two_rates", *_DELTA),
    "positive_likelihood_ratio": ("confusion.ratio_of_rates", *_DELTA),
    "negative_likelihood_ratio": ("confusion.ratio_of_rates", *_DELTA),
    "prevalence_threshold": ("confusion.on_likelihood_ratio", *_DELTA),
    "no_information_rate": ("largest_share.largest_share", "confusion.proportion"),
    "brennan_prediger": ("confusion.on_accuracy", *_DELTA),
    "diagnostic_odds_ratio": ("confusion.woolf", *_DELTA),
    "mutual_information": ("confusion.less_chance", *_SMOOTH),
    "uncertainty_coefficient": ("confusion.less_chance", *_SMOOTH),
    "uncertainty_coefficient_predicted": ("confusion.less_chance", *_SMOOTH),
    "normalized_mutual_information": ("confusion.less_chance", *_SMOOTH),
    # Metrics that rise to both sides of a table: their rates' limits do not bound them.
    **dict.fromkeys(
        (
            *("cramers_v", "bias_corrected_cramers_v", "tschuprows_t", "contingency_coefficient"),
            *("goodman_kruskal_tau", "goodman_kruskal_tau_predicted"),
        ),
        ("chi_square_association.less_chance", *_SMOOTH),
    ),
    **dict.fromkeys(
        (
            "goodman_kruskal_lambda",
            "goodman_kruskal_lambda_predicted",
            "goodman_kruskal_lambda_symmetric",
        ),
        ("confusion.by_plain_delta", "resampling.dirichlet"),
    ),
    "auc": ("ranking.area",),
    "gini": ("ranking.gini",),
    "partial_auc": ("ranking.partial_area",),
    "convex_hull_auc": ("ranking.hull_area",),
    "ks": ("ranking.best_of_cutoffs",),
    "h_measure": ("ranking.h_apart", "ranking.best_of_cutoffs"),
    "average_precision": _PRECISION_AREA,
    "pr_auc_trapezoid": _PRECISION_AREA,
    "pr_auc_integral": _PRECISION_AREA,
    "pr_auc_davis_goadrich": _PRECISION_AREA,
    "tie_expected_average_precision": _PRECISION_AREA,
    "gain_at": _AT_SHARE,
    "precision_at_share": _AT_SHARE,
    "break_even": _AT_SHARE,
    "equal_error_rate": _AT_SHARE,
    "lift_at": ("ranking.lift",),
    "brier_uncertainty": ("probability.of_base_rate",),
    "log_uncertainty": ("probability.of_base_rate",),
    "brier_skill": ("probability.skill",),
    "log_loss_skill": ("probability.skill",),
    "cox_snell_r2": ("probability.skill",),
    "nagelkerke_r2": ("probability.skill",),
    "observed_expected_ratio": ("probability.observed_expected",),
    "root_brier": ("probability.root_of_loss", "regression.by_sums", *_SMOOTH),
    "cox_intercept": ("probability.recalibration",),
    "cox_slope": ("probability.recalibration",),
    "calibration_in_the_large": ("probability.recalibration",),
    "brier_reliability": ("probability.biased",),
    "squared_correlation": ("regression.squared",),
    "mse": _SMOOTH,  # so that its limits are those of its root, squared
    "msle": ("regression.by_sums", *_SMOOTH),
    "rmse_over_range": ("regression.of_extremes",),
}
_MEAN = (
    "regression.share",
    "probability.mean_loss",
    *(f"regression.{name}" for name in ("hall", "student", "bernstein")),
)
_BY_VIEW: dict[tuple[str, str], tuple[str, ...]] = {
    ("Ranks", "rank"): _SMOOTH,
    ("Ranks", "extreme"): ("ranking.chosen_here",),
    ("ClassRanks", "rank"): ("ranking.over_classes",),
    ("ClassRanks", "extreme"): ("probability.biased",),
    ("Confidence", "extreme"): ("probability.biased",),
    ("Probabilities", "extreme"): ("probability.biased",),
    ("Probabilities", "order"): ("probability.biased",),
    ("Probabilities", "moments"): ("probability.overfitted",),
    ("Probabilities", "statistic"): ("probability.of_a_test",),
    **{(view, "moments"): _SMOOTH for view in ("Errors", "Scaled", "Explained", "Ranged")},
    ("Mean", "moments"): ("regression.by_sums", *_SMOOTH),
    ("ValuePairs", "rank"): _SMOOTH,
    ("AbsoluteErrors", "order"): ("regression.by_order",),
    ("AbsolutePercentageErrors", "order"): ("median_percentage_error.by_order",),
    ("Ranged", "order"): ("resampling.bca",),
}
_BY_KIND: dict[str, tuple[str, ...]] = {
    "proportion": ("confusion.proportion",),
    "counts": _DELTA,
    "mean": _MEAN,
}
_METHODS: dict[str, str] = {
    "delta": "confusion.by_delta",
    "dirichlet": "resampling.dirichlet",
    "bca": "resampling.bca",
    "percentile": "resampling.percentile",
    "basic": "resampling.basic",
    "normal": "resampling.normal",
    "studentised": "resampling.studentised",
    "student": "regression.student",
    "hall": "regression.hall",
    "bernstein": "regression.bernstein",
    "hoeffding": "regression.hoeffding",
    "chi-square": "regression.chi_square",
    "lin": "regression.lin",
    "delong": "ranking.plain_area",
    "fisher": "fisher_z.fisher",
    "bonett-wright": "fisher_z.bonett_wright",
    "fieller": "fisher_z.fieller",
}
_NO_INTERVAL: dict[str, str] = {
    "expected_agreement": "it turns where the classes are even; the interval of kappa takes it into account",
    "max_kappa": "it has a corner where both margins agree, which no standard error describes",
}
# Views of numbers, whose errors may have any size: an outlying one is worth a warning.
_OF_ERRORS = frozenset({"Errors", "Scaled", "Explained", "Ranged", "ValuePairs"})
_NONE: dict[str, str] = {
    "extreme": "it is the most extreme of many figures, which no interval from the same rows describes",
    "statistic": "it is the statistic of a test, which grows with the rows: its p-value says what it means",
}


def methods_for(metric: Metric, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the methods tried for a metric, in their order."""
    if options.get("average") and metric.kind in ("proportion", "counts"):
        if metric.name == "recall" and options["average"] == "macro":
            return _BY_NAME["balanced_accuracy"]
        return ("class_averages.class_average", *_DELTA)
    if options.get("average") and metric.kind == "rank":
        return ("ranking.over_classes",)
    by_view = _BY_VIEW.get((metric.reads.__name__, metric.kind), _BY_KIND.get(metric.kind, ()))
    return _BY_NAME.get(metric.name, by_view)


def estimate(
    metric: Metric | str,
    data: Any,
    *,
    confidence: float = 0.95,
    method: str | None = None,
    seed: int = 0,
    **options: Any,
) -> Estimate:
    """Return a metric's value with its interval, by the method that suits it or by the one asked for.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name; ``"macro f1"`` is an average over the classes.
    data
        Rows, or the tally that the metric reads. Rows with ``group=`` are clustered: the groups are the
        unit, and the estimate says how much that costs (``design_effect``). Rows with ``weight=`` have
        sandwich errors and count for what they are worth.
    confidence
        How sure the interval is to be.
    method
        None for the one that suits the metric. Else ``"wilson"``, ``"clopper-pearson"``,
        ``"agresti-coull"``, ``"jeffreys"``, ``"mid-p"`` for proportions; ``"delta"``, ``"dirichlet"``;
        ``"student"``, ``"hall"``, ``"bernstein"``, ``"hoeffding"`` for means of rows, the last two for
        losses within bounds, whatever their distribution; ``"chi-square"`` (RMSE) and ``"lin"``
        (concordance) if errors are normal; ``"fisher"``, ``"bonett-wright"``, ``"fieller"`` for correlations;
        ``"delong"``, the plain one of the area under the ROC curve;
        ``"bca"``, ``"percentile"``, ``"basic"``, ``"normal"``, ``"studentised"`` for bootstraps.
    seed
        Of methods that draw at random: the same seed gives the same digits.
    options
        The metric's own: ``positive=``, ``average=``, ``beta=`` and so on.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=[0] * 80 + [1] * 50, predicted=[0] * 68 + [1] * 12 + [1] * 45 + [0] * 5)
    >>> assay.estimate("recall", r)
    0.9 [0.7864, 0.9598]
    >>> f1 = assay.estimate("f1", r)
    >>> f1, f1.method
    (0.8411 [0.7532, 0.9018], 'Wilson on Jaccard')
    """
    spec = MetricSpec.of((metric, options))
    known, options = spec.metric, spec.options
    check_confidence(confidence)
    check_seed(seed)
    if "positive" in options:
        known.check_options(options)
        data = known.of_class(data, options)
    if isinstance(data, Tally):
        return estimate_tally(known, data, options, confidence=confidence, method=method, seed=seed)
    tally, left = known.tallied(data, options)
    rows = rescaled(data)
    if rows is data:
        return estimate_tally(
            known,
            tally,
            left,
            rows=rows,
            row_options=options,
            confidence=confidence,
            method=method,
            seed=seed,
        )
    # Weights near the ends of what floats hold: the value is theirs, the spread that of milder ones.
    value = known(tally, **left)
    tally, left = known.tallied(rows, options)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, "", _size(known, tally, left))
    return answer(IntervalRequest(known, value, tally, left, confidence, rows, options, seed), method)


def estimate_tally(
    metric: Metric,
    tally: Tally,
    options: dict[str, Any],
    *,
    rows: Rows | None = None,
    row_options: dict[str, Any] | None = None,
    confidence: float = 0.95,
    method: str | None = None,
    seed: int = 0,
) -> Estimate:
    """Return the same where the tally is at hand, and perhaps the rows it was made of.

    `options` are those that the metric takes beside the tally, `row_options` those it would take beside rows.
    """
    value = value_of(metric, tally, options)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, "", _size(metric, tally, options))
    return answer(
        IntervalRequest(metric, value, tally, options, confidence, rows, row_options or {}, seed), method
    )


def answer(asked: IntervalRequest, method: str | None = None) -> Estimate:
    """Return the estimate that a question asks for, by the method that suits it or by the one asked for."""
    size = _size(asked.metric, asked.tally, asked.options)
    asked = without_equal_weights(asked)
    result = _asked_for(method, asked) if method else _first(asked)
    if isinstance(result, str) and method is None and asked.metric.is_custom:
        result = _resampled(asked, result)
    return _estimated(asked, result, size)


def _resampled(asked: IntervalRequest, reason: str) -> IntervalResult | str:
    """Return the bootstrap's interval of a user's own metric, whose slopes are not known here."""
    if asked.metric.kind in _NONE:
        return reason
    from assay.inference.intervals.resampling import bca  # noqa: PLC0415 - few need it

    result = bca(asked)
    return reason if result is None else result


def _size(metric: Metric, tally: Tally, options: dict[str, Any]) -> int:
    """Return how many rows stand behind an estimate; of ranked lists, how many lists have a value."""
    if isinstance(tally, Queries) and metric.each is not None:
        from assay.inference.influence.row_means import query_values  # noqa: PLC0415 - few rank lists

        return int(np.count_nonzero(~np.isnan(query_values(metric, tally, options))))
    return tally.n if hasattr(tally, "n") else len(tally)  # type: ignore[arg-type]


def _first(asked: IntervalRequest) -> IntervalResult | str:
    """Return the answer of the first method that has one, or all their reasons."""
    if reason := _NO_INTERVAL.get(asked.metric.name):
        return reason
    if asked.clustered and (unseen := _method("unseen_class.unseen_class")(asked)):
        return unseen
    names = methods_for(asked.metric, asked.options)
    if not names:
        return _NONE.get(asked.metric.kind, "there is no method for it")
    reasons: list[str] = []
    for name in names:
        found = _method(name)(asked)
        if isinstance(found, IntervalResult) and asked.metric.kind != "order":
            low, high = _held(asked, found)
            found = found if low < high else "the rows show no spread"
        if isinstance(found, IntervalResult):
            if reasons:
                said = "; ".join([*reasons, found.note] if found.note else reasons)
                return found._replace(note=said)
            return found
        if found:
            reasons.append(found)
    return "; ".join(dict.fromkeys(reasons)) or "no method is meant for rows like these"


def _asked_for(name: str, asked: IntervalRequest) -> IntervalResult | str:
    """Return the answer of one method by its name."""
    if name in METHODS:
        if asked.metric.kind != "proportion" or asked.options.get("average"):
            raise MetricError(f'method="{name}" is for proportions, which {asked.metric.name} is not.')
        return _answered(_method("confusion.proportion")(asked, name))
    if name not in _METHODS:
        known = ", ".join(f'"{one}"' for one in (*METHODS, *_METHODS))
        raise MetricError(f"method={name!r} is not known: use one of {known}, or leave it out.")
    return _answered(_method(_METHODS[name])(asked))


def _answered(found: IntervalResult | str | None) -> IntervalResult | str:
    return "the method is not meant for rows like these" if found is None else found


@functools.cache
def _method(name: str) -> Method:
    """Return a method by its home and name; loaded when it is first needed."""
    home, _, function = name.partition(".")
    return getattr(importlib.import_module(f"assay.inference.intervals.{home}"), function)  # type: ignore[no-any-return]


def _estimated(asked: IntervalRequest, found: IntervalResult | str, size: int) -> Estimate:
    """Return the estimate: limits within the metric's bounds that hold the value, or none and why."""
    value, confidence = asked.value, asked.confidence
    sizes = asked.sizes
    if isinstance(found, str):
        return Estimate(value, None, None, confidence, "", size, found, **sizes)
    low, high = _held(asked, found)
    error = found.standard_error
    if (error is None or math.isnan(error)) and asked.spread is not None:
        error = asked.spread.error
    error = None if error is None or math.isnan(error) else error
    note = found.note
    if asked.metric.reads.__name__ in _OF_ERRORS and asked.metric.kind != "order":
        note = "; ".join(filter(None, (note, heavy_tails.outlier_warning(asked))))
    return Estimate(value, low, high, confidence, found.method, size, note, error, **sizes)


def _held(asked: IntervalRequest, found: IntervalResult) -> tuple[float, float]:
    """Return limits within the metric's bounds that hold the value."""
    least, largest = asked.metric.bounds
    return min(max(found.low, least), asked.value), max(min(found.high, largest), asked.value)
