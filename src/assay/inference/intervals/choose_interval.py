"""A metric's value with its confidence interval, by the default method of the metric or by one by name.

Which methods are tried for a metric, each method states where it is defined (see
:mod:`assay.inference.intervals.registry`). The estimate's note says which of them failed, and why.
"""

from __future__ import annotations

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
from assay.inference.intervals.registry import Rule, method_named, rule_for, selectable_methods
from assay.metrics import Metric, Undefined
from assay.metrics.spec import MetricSpec
from assay.metrics.views.regression import Errors, Explained, Ranged, Scaled, ValuePairs
from assay.tallies import Queries, Tally

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.metrics.metric import Kind

__all__ = ["answer", "estimate", "estimate_tally", "methods_for"]

# Views of numbers, whose errors may have any size: an outlying one is worth a warning.
_ERROR_VIEWS = frozenset({Errors, Scaled, Explained, Ranged, ValuePairs})


def methods_for(metric: Metric, options: dict[str, Any]) -> Rule:
    """Return the names of the methods tried for a metric, in their order, or why it has no interval."""
    _load_methods(metric.kind)
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
    rule = methods_for(asked.metric, asked.options)
    if rule.reason:
        return rule.reason
    if asked.clustered and (reason := _unseen_class(asked)):
        return reason
    reasons: list[str] = []
    for name in rule.methods:
        found = method_named(name)(asked)
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


def _unseen_class(asked: IntervalRequest) -> str:
    from assay.inference.intervals.unseen_class import unseen_class  # noqa: PLC0415 - loads other methods

    return unseen_class(asked)


def _asked_for(name: str, asked: IntervalRequest) -> IntervalResult | str:
    """Return the answer of one method by its name."""
    if name in METHODS:
        if asked.metric.kind != "proportion" or asked.options.get("average"):
            raise MetricError(f'method="{name}" is for proportions, which {asked.metric.name} is not.')
        _load_methods(asked.metric.kind)
        return _answered(method_named("proportion")(asked, name))
    _load_methods()
    if name not in selectable_methods():
        known = ", ".join(f'"{one}"' for one in (*METHODS, *selectable_methods()))
        raise MetricError(f"method={name!r} is not known: use one of {known}, or leave it out.")
    return _answered(method_named(name)(asked))


def _answered(found: IntervalResult | str | None) -> IntervalResult | str:
    return "the method is not meant for rows like these" if found is None else found


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
    if asked.metric.reads in _ERROR_VIEWS and asked.metric.kind != "order":
        note = "; ".join(filter(None, (note, heavy_tails.outlier_warning(asked))))
    return Estimate(value, low, high, confidence, found.method, size, note, error, **sizes)


def _held(asked: IntervalRequest, found: IntervalResult) -> tuple[float, float]:
    """Return limits within the metric's bounds that hold the value."""
    least, largest = asked.metric.bounds
    return min(max(found.low, least), asked.value), max(min(found.high, largest), asked.value)
