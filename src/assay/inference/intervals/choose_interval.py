"""A metric's value with its confidence interval, by the default method of the metric or by one by name.

Which methods are tried for a metric, each method states where it is defined (see
:mod:`assay.inference.intervals.method_registry`). The estimate's note says which of them failed, and why.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import METHODS, check_confidence, check_seed
from assay.inference.influence.influence import rescaled
from assay.inference.intervals import heavy_tails
from assay.inference.intervals.interval_request import (
    IntervalRequest,
    IntervalResult,
    without_equal_weights,
)
from assay.inference.intervals.method_registry import Rule, method_named, rule_for, selectable_methods
from assay.metrics import Binary, Metric, Ranks, Undefined
from assay.metrics.classification.multilabel import Sets
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.metrics.spec import MetricSpec, values_of
from assay.metrics.views.regression import ERROR_VIEWS
from assay.tallies import (
    ClassScores,
    Collection,
    ColumnTallies,
    LabelSets,
    Losses,
    Queries,
    Scores,
    Tally,
    Values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.inputs import Rows
    from assay.metrics.metric import Kind

__all__ = [
    "TalliedMetric",
    "answer_request",
    "estimate",
    "estimate_tallies",
    "estimate_tally",
    "methods_for",
    "tallies_for",
]

_SINGLE_METRIC_TALLIES = (Losses, Values)  # of one metric each, and they do not say of which


class TalliedMetric(NamedTuple):
    """A metric, the tally that it is computed from, and the tally's rows where they are available.

    `options` are those of the metric when it is called with the tally, `row_options` with the rows.
    """

    metric: Metric
    tally: Tally
    options: dict[str, Any]
    row_options: dict[str, Any]
    rows: Rows | None = None


def methods_for(metric: Metric, options: dict[str, Any], *, several_columns: bool = False) -> Rule:
    """Return the names of the methods tried for a metric, in their order, or why it has no interval.

    Averages over several labels or outputs, each with its own column, have the delta method by their rows.
    """
    _load_methods(metric.kind)
    if several_columns and metric.kind not in ("extreme", "statistic"):
        return Rule(("bca",) if metric.kind == "order" else ("delta",))
    return rule_for(metric, options.get("average")) or Rule((), "there is no method for it")


def _load_methods(kind: Kind | None = None) -> None:
    """Import the modules that register the methods of one kind of metrics, or of all kinds.

    All of them take 30 ms to load, which the first interval of a program would wait for.
    """
    from assay.inference.intervals import delta_method, resampling  # noqa: F401, PLC0415

    if kind in (None, "rank", "extreme"):
        from assay.inference.intervals import ranking, roc_auc  # noqa: F401, PLC0415
    if kind != "rank":
        from assay.inference.intervals import (  # noqa: F401, PLC0415
            chi_square_association,
            class_averages,
            confusion,
            confusion_rates,
            largest_share,
        )
    if kind not in ("proportion", "counts", "rank"):
        from assay.inference.intervals import fisher_z, probability, regression  # noqa: F401, PLC0415


def estimate(
    metric: Metric | str,
    data: Any,
    *,
    confidence: float = 0.95,
    method: str | None = None,
    seed: int = 0,
    **options: Any,
) -> Estimate:
    """Return a metric's value with its confidence interval.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name; ``"macro f1"`` is an average over the classes.
    data
        Rows, or the tally that the metric reads. Rows with ``group=`` are clustered: the groups are the
        unit, and the estimate has the ``design_effect``. Rows with ``weight=`` have sandwich errors and
        their effective sample size.
    confidence
        The nominal coverage of the interval.
    method
        None for the default method of the metric. Else ``"wilson"``, ``"clopper-pearson"``,
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

    Returns
    -------
    Estimate
        The value with its interval; where it has none, the reason.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or the metric, or `method`, is not known, or does not fit
        the data.

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
    options = spec.options
    check_confidence(confidence)
    check_seed(seed)
    if "positive" in options:
        spec.metric.check_options(options)
        data = spec.metric.of_class(data, options)
    if isinstance(data, Tally):
        return estimate_tally(spec.metric, data, options, confidence=confidence, method=method, seed=seed)
    tally, tally_options = spec.metric.tallied(data, options)
    rows = rescaled(data)
    if rows is data:
        return estimate_tally(
            spec.metric,
            tally,
            tally_options,
            rows=rows,
            row_options=options,
            confidence=confidence,
            method=method,
            seed=seed,
        )
    # Weights near the limits of floats: the value is that of the rows, the spread that of rescaled weights.
    value = spec.metric(tally, **tally_options)
    tally, tally_options = spec.metric.tallied(rows, options)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, "", _size(spec.metric, tally, tally_options))
    return answer_request(
        IntervalRequest(spec.metric, value, tally, tally_options, confidence, rows, options, seed), method
    )


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
    """Return the estimate from a tally, and from the rows it was made of where they are available.

    `options` are those of the metric when it is called with the tally, `row_options` with the rows.
    """
    tallied = TalliedMetric(metric, tally, options, row_options or {}, rows)
    return estimate_tallies([tallied], confidence=confidence, method=method, seed=seed)[0]


def estimate_tallies(
    metrics: Sequence[TalliedMetric], *, confidence: float = 0.95, method: str | None = None, seed: int = 0
) -> list[Estimate]:
    """Return the estimates of several metrics, each from its tally."""
    values = values_of([tallied[:3] for tallied in metrics])
    estimates = []
    for (metric, tally, options, row_options, rows), value in zip(metrics, values, strict=True):
        if isinstance(value, Undefined):
            size = _size(metric, tally, options)
            estimates.append(Estimate(value, None, None, confidence, "", size))
            continue
        request = IntervalRequest(metric, value, tally, options, confidence, rows, row_options, seed)
        estimates.append(answer_request(request, method))
    return estimates


def tallies_for(metrics: Iterable[tuple[Metric, dict[str, Any]]], tallies: Collection) -> list[Tally | None]:
    """Return the tally that each of some metrics with options can be computed from, None where there is none.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], score=[0.2, 0.9, 0.4])
    >>> both = assay.Collection.of(rows, {"labels": assay.Confusion, "ranks": assay.Scores})
    >>> metrics = [(assay.metrics.find(name), {}) for name in ("recall", "auc", "brier")]
    >>> [tally.kind for tally in tallies_for(metrics, both)]
    ['confusion', 'scores', 'scores']
    """
    candidates = [tally for tally in tallies.tallies if not isinstance(tally, _SINGLE_METRIC_TALLIES)]
    return [
        next((tally for tally in candidates if _serves(metric, tally, options)), None)
        for metric, options in metrics
    ]


def _serves(metric: Metric, tally: Tally, options: dict[str, Any]) -> bool:
    """Return whether a metric with options can be computed from a tally."""
    if options.get("average") == "samples":  # a mean over rows
        return False
    if isinstance(tally, ColumnTallies):
        return _serves_columns(metric, tally, options)
    if metric.loss is not None:
        return isinstance(tally, Scores) and metric.of_scores
    if isinstance(tally, LabelSets):
        return metric.reads in (Binary, Sets)
    if options.get("average") and metric.reads is Ranks:
        return isinstance(tally, ClassScores)
    return tally.kind == metric.reads.tally.kind and not isinstance(tally, Collection)


def _serves_columns(metric: Metric, tally: ColumnTallies, options: dict[str, Any]) -> bool:
    """Return whether an average over labels or outputs can be computed from the tallies of each."""
    kind = tally.tallies[0].kind if tally.tallies else ""
    if metric.reads is ClassRanks:
        return kind == Scores.kind
    if not options.get("average"):
        return False
    if metric.loss is not None:
        return kind == Scores.kind and metric.of_scores
    return bool(kind == metric.reads.tally.kind)


def answer_request(request: IntervalRequest, method: str | None = None) -> Estimate:
    """Return the estimate for a request, by the default methods of the metric or by a named one."""
    size = _size(request.metric, request.tally, request.options)
    request = without_equal_weights(request)
    result = _by_named_method(method, request) if method else _by_default_methods(request)
    if isinstance(result, str) and method is None and request.metric.is_custom:
        result = _by_bootstrap(request, result)
    return _estimated(request, result, size)


def _by_bootstrap(request: IntervalRequest, reason: str) -> IntervalResult | str:
    """Return the bootstrap interval of a user's own metric, whose derivatives are not known here."""
    if request.metric.kind in ("extreme", "statistic"):
        return reason
    from assay.inference.intervals.resampling import bca  # noqa: PLC0415 - only for custom metrics

    result = bca(request)
    return reason if result is None else result


def _size(metric: Metric, tally: Tally, options: dict[str, Any]) -> int:
    """Return the number of rows of an estimate; of ranked lists, the number of lists with a value."""
    if isinstance(tally, Queries) and metric.each is not None:
        from assay.inference.influence.row_means import query_values  # noqa: PLC0415 - few rank lists

        return int(np.count_nonzero(~np.isnan(query_values(metric, tally, options))))
    return tally.n if hasattr(tally, "n") else len(tally)  # type: ignore[arg-type]


def _by_default_methods(request: IntervalRequest) -> IntervalResult | str:
    """Return the interval of the first default method that has one, or the reasons of all."""
    rule = methods_for(request.metric, request.options, several_columns=_averages_columns(request))
    if rule.reason:
        return rule.reason
    if request.clustered and (reason := _unseen_class(request)):
        return reason
    reasons: list[str] = []
    for name in rule.methods:
        result = method_named(name)(request)
        if isinstance(result, IntervalResult) and request.metric.kind != "order":
            low, high = _limits_with_value(request, result)
            result = result if low < high else "the rows show no spread"
        if isinstance(result, IntervalResult):
            if reasons:
                note = "; ".join([*reasons, result.note] if result.note else reasons)
                return result._replace(note=note)
            return result
        if result:
            reasons.append(result)
    if request.rows is not None and request.rows.multioutput and request.options.get("average"):
        from assay.inference.intervals.multilabel import limits_of_labels  # noqa: PLC0415 - circular import

        if limits := limits_of_labels(request):
            return limits
    return "; ".join(dict.fromkeys(reasons)) or "no method applies to rows like these"


def _averages_columns(request: IntervalRequest) -> bool:
    return isinstance(request.tally, ColumnTallies) or request.options.get("average") == "samples"


def _unseen_class(request: IntervalRequest) -> str:
    """Return why grouped rows without one actual class have no interval; else nothing."""
    from assay.inference.intervals.unseen_class import unseen_class  # noqa: PLC0415 - loads other methods

    return unseen_class(request)


def _by_named_method(name: str, request: IntervalRequest) -> IntervalResult | str:
    """Return the interval by the method of this name."""
    if name in METHODS:
        if request.metric.kind != "proportion" or request.options.get("average"):
            raise MetricError(f'method="{name}" is for proportions, which {request.metric.name} is not.')
        _load_methods(request.metric.kind)
        return _or_not_applicable(method_named("proportion")(request, name))
    _load_methods()
    if name not in selectable_methods():
        known = ", ".join(f'"{method}"' for method in (*METHODS, *selectable_methods()))
        raise MetricError(f"method={name!r} is not known: use one of {known}, or leave it out.")
    return _or_not_applicable(method_named(name)(request))


def _or_not_applicable(result: IntervalResult | str | None) -> IntervalResult | str:
    return "the method does not apply to rows like these" if result is None else result


def _estimated(request: IntervalRequest, result: IntervalResult | str, size: int) -> Estimate:
    """Return the estimate with its limits, or with the reason why there are none."""
    value, confidence = request.value, request.confidence
    sizes = request.sizes
    if isinstance(result, str):
        return Estimate(value, None, None, confidence, "", size, result, **sizes)
    low, high = _limits_with_value(request, result)
    error = result.standard_error
    if (error is None or math.isnan(error)) and request.spread is not None:
        error = request.spread.error
    error = None if error is None or math.isnan(error) else error
    note = result.note
    if request.metric.reads in ERROR_VIEWS and request.metric.kind != "order":
        note = "; ".join(filter(None, (note, heavy_tails.outlier_warning(request))))
    return Estimate(value, low, high, confidence, result.method, size, note, error, **sizes)


def _limits_with_value(request: IntervalRequest, result: IntervalResult) -> tuple[float, float]:
    """Return limits within the metric's bounds, with the value between them."""
    lower, upper = request.metric.bounds
    return min(max(result.low, lower), request.value), max(min(result.high, upper), request.value)
