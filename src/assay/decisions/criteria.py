"""Criteria for choosing a threshold: exactly one of them is stated by keywords."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.decisions.costs import (
    Costs,
    bayes_threshold,
    check_share,
    in_percent,
    is_number,
    shifted_threshold,
)
from assay.decisions.criterion import CONFIDENCE, Criterion
from assay.decisions.guarantees import Guarantee
from assay.decisions.sweep import Amounts
from assay.errors import MetricError
from assay.formatting.numbers import format_amount
from assay.hints import param, passed
from assay.inference.formulas.proportions import check_confidence
from assay.metrics import Binary, find
from assay.metrics.arithmetic import ratio, root
from assay.metrics.curves.cutoffs import of_counts, rounding
from assay.metrics.parameters import number
from assay.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.decisions.sweep import Outcome, Sample, Sweep

__all__ = ["interpolated_error", "parse_criterion"]

_CORNERS = ("closest_corner", "closest_topleft", "topleft")
_COSTS = ("cost_fp", "cost_fn", "cost_tp", "cost_tn")
_CONSTRAINTS: Final = {"min_recall": "recall", "min_precision": "precision", "min_specificity": "specificity"}
_SHOWN_DEFAULTS: Final = {"f_beta": {"beta": 1}}  # options that are shown also where they are not stated
ROWS_PREDICTED = "rows predicted positive"


def parse_criterion(
    *,
    best: Any = None,
    beta: float | None = None,
    cost_fp: Any = None,
    cost_fn: Any = None,
    cost_tp: Any = None,
    cost_tn: Any = None,
    prevalence: float | None = None,
    calibrated: bool = False,
    min_recall: float | None = None,
    min_precision: float | None = None,
    min_specificity: float | None = None,
    confidence: float | None = None,
    method: str | None = None,
    capacity: float | None = None,
    max_positive_rate: float | None = None,
    equal_error: bool = False,
) -> Criterion:
    """Return the criterion that keywords state; see :func:`assay.decisions.choose_threshold`."""
    for name, value in (("calibrated", calibrated), ("equal_error", equal_error)):
        if not isinstance(value, bool):
            raise MetricError(f"{passed(name, value)} is neither True nor False.")
    constraints = {
        "min_recall": min_recall,
        "min_precision": min_precision,
        "min_specificity": min_specificity,
    }
    others = {
        "best": best,
        "capacity": capacity,
        "max_positive_rate": max_positive_rate,
        "equal_error": equal_error or None,
    }
    costs = dict(zip(_COSTS, (cost_fp, cost_fn, cost_tp, cost_tn), strict=True))
    stated = [name for name, value in {**constraints, **others}.items() if value is not None]
    if any(value is not None for value in costs.values()):
        stated.insert(0, "cost_fp")
    _check_one(stated, beta)
    kind = stated[0]
    if prevalence is not None and kind not in ("cost_fp", "best"):
        raise MetricError(f"{param('prevalence')} reweights costs: it has no use with {param(kind)}.")
    if calibrated and kind != "cost_fp":
        raise MetricError(
            f"{param('calibrated', True)} turns costs into a threshold: it has no use with {param(kind)}."
        )
    if method is not None and kind not in _CONSTRAINTS:
        raise MetricError(f"method= is for a lower limit: it has no use with {param(kind)}.")
    if kind != "best" and beta is not None:
        raise MetricError(
            f"{param('beta')} is an option of {param('best', 'f_beta')}: it has no part in {param(kind)}."
        )
    if confidence is not None:
        check_confidence(confidence)
    if kind == "cost_fp":
        criterion = _of_costs(costs, prevalence, calibrated=calibrated)
    elif best is not None:
        options = {"beta": beta, "prevalence": prevalence}
        criterion = _of_metric(best, {name: value for name, value in options.items() if value is not None})
    elif kind in _CONSTRAINTS:
        criterion = _of_constraint(
            _CONSTRAINTS[kind], kind, constraints[kind], confidence, method or "clopper-pearson"
        )
    elif kind == "equal_error":
        criterion = _EQUAL_ERROR
    else:
        criterion = _of_capacity(capacity, max_positive_rate)
    return dataclasses.replace(criterion, confidence=confidence or CONFIDENCE)


def _check_one(stated: list[str], beta: float | None) -> None:
    if len(stated) > 1:
        names = " and ".join(param(name) for name in stated)
        raise MetricError(f"{names} are {len(stated)} criteria: state one.")
    if not stated:
        hint = (
            f" For that beta say {param('best', 'f_beta')}, {passed('beta', beta)}."
            if beta is not None
            else ""
        )
        raise MetricError(
            f"say what the threshold is for: {param('cost_fp')} and {param('cost_fn')}, {param('best')} "
            f"with a metric's name, {param('min_recall')}, "
            f"{param('min_precision')}, {param('min_specificity')}, {param('capacity')}, "
            f"{param('max_positive_rate')} or {param('equal_error', True)}.{hint}"
        )


def _of_costs(stated: dict[str, Any], prevalence: float | None, *, calibrated: bool) -> Criterion:
    for name in ("cost_fp", "cost_fn"):
        if stated[name] is None:
            raise MetricError(f"{param(name)} is missing: a threshold depends on the costs of both errors.")
    shown: dict[str, Any] = {"title": "cost-optimal threshold", "measure": "cost per row", "lowest": True}
    if any(isinstance(value, bool) for value in stated.values()):
        raise MetricError("a cost is a number or a column of numbers, neither True nor False.")
    if not all(value is None or is_number(value) for value in stated.values()):
        return _of_amounts(stated, prevalence, calibrated=calibrated, shown=shown)
    costs = Costs(stated["cost_fp"], stated["cost_fn"], stated["cost_tp"] or 0, stated["cost_tn"] or 0)
    words = costs.words
    if prevalence is not None:
        check_share("prevalence", prevalence)
        words = f"{words}; {prevalence:.4g} of the rows positive"
        shown |= {"needs": ("positives", "negatives"), "prevalence": prevalence}

    def cost(outcome: Outcome) -> Any:
        c = outcome.counts
        if prevalence is None:
            spent = costs.fp * c.fp + costs.fn * c.fn
            if costs.tp or costs.tn:
                spent = spent + (costs.tp * c.tp + costs.tn * c.tn)
            return ratio(spent, c.n)
        of_positives = ratio(costs.fn * c.fn + costs.tp * c.tp, c.positives)
        return prevalence * of_positives + (1 - prevalence) * ratio(
            costs.fp * c.fp + costs.tn * c.tn, c.negatives
        )

    def bayes(sample: Sample, sweep: Sweep) -> float:
        sample.tally.need_probabilities()
        threshold = bayes_threshold(costs.fp, costs.fn, cost_tp=costs.tp, cost_tn=costs.tn)
        if prevalence is None:
            return threshold
        totals = sweep.at(0).counts
        share = float(totals.positives[0] / totals.n[0])
        return float(shifted_threshold(threshold, share, prevalence))

    shown["rises"] = True
    if calibrated:
        shown |= {"title": "Bayes threshold", "fixed": bayes}
    return Criterion(words, formula=cost, costs=costs, **shown)


def _of_amounts(
    stated: dict[str, Any], prevalence: float | None, *, calibrated: bool, shown: dict[str, Any]
) -> Criterion:
    idle = {"cost_tp": stated["cost_tp"], "cost_tn": stated["cost_tn"], "prevalence": prevalence}
    idle["calibrated"] = calibrated or None
    for name, value in idle.items():
        if value is not None:
            raise MetricError(
                f"{param(name)} does not go with costs of each row: leave it out, or use one cost for all."
            )

    def cost(outcome: Outcome) -> Any:
        return ratio(outcome.costs.fp + outcome.costs.fn, outcome.counts.n) / outcome.unit

    amounts = Amounts(stated["cost_fp"], stated["cost_fn"])
    return Criterion("every row has its own costs", formula=cost, amounts=amounts, rises=True, **shown)


def _of_metric(metric_or_name: Any, parameters: dict[str, Any]) -> Criterion:
    if (
        isinstance(metric_or_name, str)
        and metric_or_name.strip().lower().replace(" ", "_").replace("-", "_") in _CORNERS
    ):
        if parameters:
            raise MetricError(f"closest_corner takes no {', '.join(sorted(parameters))}.")
        return _CLOSEST_CORNER
    spec = MetricSpec.of(metric_or_name).check()
    metric, parameters = spec.metric, _joined(spec, parameters)
    unknown = set(parameters) - {*metric.parameters, *(("average",) if spec.average else ())}
    if unknown:
        has = f"it takes {', '.join(metric.parameters)}" if metric.parameters else "it has no parameters"
        raise MetricError(f"{metric.name} takes no {', '.join(sorted(unknown))}: {has}.")
    if metric.best is None:
        raise MetricError(
            f"no value of {metric.name} is better than another, so no threshold is best for it: "
            f"name a metric that has a best value, or say {param('capacity')} or "
            f"{param('max_positive_rate')}."
        )
    lowest = metric.best == metric.bounds[0]
    name = f"{spec.average} {metric.name}" if spec.average else metric.name
    shown = {**_SHOWN_DEFAULTS.get(metric.name, {}), **parameters}
    own = "".join(f", {name}={value:g}" for name, value in shown.items() if is_number(value))

    def value(outcome: Outcome) -> NDArray[Any]:
        return of_counts(metric, outcome.counts, parameters)

    return Criterion(
        f"the {'lowest' if lowest else 'highest'} {name}{own}", spec.base, value,
        title="best threshold", lowest=lowest, scale=float(metric.bounds[0] < 0), needs=("positives",),
        metric=metric, parameters=parameters,
        rises=metric.monotone and parameters.keys() <= {"beta", "prevalence"},
    )  # fmt: skip


def _joined(spec: MetricSpec, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a metric and those stated beside it, which must not contradict each other."""
    for name in spec.options.keys() & parameters.keys():
        both = spec.options[name], parameters[name]
        if both[0] != both[1]:
            raise MetricError(
                f"{param('best')} has {passed(name, both[0])} and beside it is {passed(name, both[1])}: "
                "state one."
            )
    return {**spec.options, **parameters}


def _of_constraint(measure: str, name: str, minimum: Any, confidence: float | None, method: str) -> Criterion:
    share = number(name, minimum, above=0)
    if share > 1:
        raise MetricError(f"{passed(name, minimum)} is a share, so it is at most 1{in_percent(name, share)}.")
    guarantee = Guarantee(measure, share, confidence, method)
    metric = find(measure)
    fewest = measure == "recall"  # every lower threshold has it too, with more false positives
    return Criterion(
        f"{'the fewest false positives' if fewest else 'the most true positives'} with {guarantee.words}",
        measure,
        lambda outcome: of_counts(metric, outcome.counts, {}),
        lowest=fewest,
        objective=(lambda o: o.counts.fp) if fewest else (lambda o: o.counts.tp),
        allowed=guarantee.met,
        unmet=guarantee.unmet,
        needs=("negatives",) if measure == "specificity" else ("positives",),
        companions=("precision",) if fewest else ("recall",),
        metric=metric,
        guarantee=guarantee,
        rises=True,
    )


def _of_capacity(capacity: Any, max_positive_rate: Any) -> Criterion:
    metric = find("detection_prevalence")
    if capacity is not None:
        limit = number("capacity", capacity, minimum=0)
        if math.isinf(limit):
            raise MetricError(
                f"{param('capacity', math.inf)} allows all rows, so there is nothing to choose."
            )
        return Criterion(
            f"as many rows predicted positive as possible, but no more than {format_amount(limit)}",
            ROWS_PREDICTED,
            lambda outcome: outcome.counts.predicted_positives,
            allowed=lambda outcome: outcome.counts.predicted_positives <= limit + rounding(limit),
            companions=("precision", "recall"),
            unmet=_infinite_scores,
        )
    name = "max_positive_rate"
    share = number(name, max_positive_rate, minimum=0)
    if share > 1:
        raise MetricError(
            f"{passed(name, max_positive_rate)} is a share of the rows: at most 1{in_percent(name, share)}."
        )
    return Criterion(
        f"as many rows predicted positive as possible, but no more than {share:.4g} of all",
        "share predicted positive",
        lambda outcome: of_counts(metric, outcome.counts, {}),
        allowed=lambda outcome: of_counts(metric, outcome.counts, {}) <= share + rounding(share),
        companions=("precision", "recall"),
        metric=metric,
        unmet=_infinite_scores,
    )


def _infinite_scores(sweep: Sweep) -> str:
    """Return why the capacity cannot be met: every threshold includes rows with a score of infinity."""
    above = format_amount(float(sweep.at(1).counts.predicted_positives[0]))
    rows = format_amount(float(sweep.at(0).counts.n[0]))
    return (
        f"{above} of {rows} score infinity, so every threshold includes "
        "them: give them finite scores, or raise the limit."
    )


def _error_rates(c: Binary) -> tuple[Any, Any]:
    return ratio(c.fp, c.negatives), ratio(c.fn, c.positives)


def _corner_distance(outcome: Outcome) -> Any:
    fpr, fnr = _error_rates(outcome.counts)
    return root(fpr * fpr + fnr * fnr)


def _rate_difference(outcome: Outcome) -> Any:
    fpr, fnr = _error_rates(outcome.counts)
    return np.abs(fpr - fnr)


def interpolated_error(sweep: Sweep, index: int) -> float:
    """Return the equal error rate, interpolated between the two cutoffs where the error rates cross.

    It is the metric of that name, computed from the neighbours of the cutoff where the rates are nearest.
    """
    fpr, fnr = _error_rates(sweep.between(max(index - 1, 0), index + 2).counts)
    after = int(np.argmax(fpr >= fnr))  # not the first index: there every positive is missed
    before = fpr[after - 1], fnr[after - 1]
    gap = before[1] - before[0]
    share = gap / (gap + fpr[after] - fnr[after])
    return float(before[0] + share * (fpr[after] - before[0]))


_CLOSEST_CORNER: Final = Criterion(
    "closest to the corner where recall is 1 and no negative is called positive", "distance to the corner",
    _corner_distance, title="best threshold", lowest=True, rises=True, needs=("positives", "negatives"),
    companions=("recall", "specificity"),
)  # fmt: skip
_EQUAL_ERROR: Final = Criterion(
    "false positive and false negative rates as equal as possible", "difference of the error rates",
    _rate_difference, lowest=True, scale=1.0, needs=("positives", "negatives"),
    companions=("false_positive_rate", "false_negative_rate"),
)  # fmt: skip
