"""Decision curves: net benefit, cost curves and expected cost over thresholds."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay.decisions.costs import numbers_of
from assay.decisions.criteria import parse_criterion
from assay.decisions.criterion_options import CriterionOptions, criterion_keywords
from assay.decisions.sweep import Sample, checked_threshold
from assay.errors import MetricError
from assay.hints import param
from assay.metrics.arithmetic import ratio
from assay.metrics.classification.rates import NO_NEGATIVES, NO_POSITIVES
from assay.metrics.curves.curves import Curve
from assay.metrics.curves.cutoffs import performance

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DecisionCurve", "cost_curve", "expected_cost", "net_benefit", "normalised_cost"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Curve):
    """A curve with reference columns at the same points, such as treating all."""

    beside: dict[str, NDArray[Any]] = dataclasses.field(default_factory=dict)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name: those of a curve, then those beside it."""
        return {**super().columns, **self.beside}

    def taken(self, indices: NDArray[Any]) -> DecisionCurve:
        """Return the curve of some of the points."""
        beside = {name: column[indices] for name, column in self.beside.items()}
        columns = {name: getattr(self, name)[indices] for name in ("x", "y", "cutoffs")}
        return dataclasses.replace(self, beside=beside, **columns)


def net_benefit(data: Any, thresholds: Any = None) -> DecisionCurve:
    """Return the net benefit of acting on probabilities over the threshold (Vickers and Elkin 2006).

    ``tp / n - fp / n * t / (1 - t)``: the true positives per row, less the false ones at the rate at which a
    decision-maker with threshold t trades them. Beside it: that of treating all and none, the
    standardised one (over the prevalence), and the standard error at a threshold that was not tuned.
    `thresholds` are 0.01 to 0.99 by 0.01 unless given.

    Parameters
    ----------
    data
        Rows or a score tally.
    thresholds
        Threshold probabilities.

    Returns
    -------
    DecisionCurve
        A point per threshold.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores; or a threshold is not above 0 and below 1.
    NumberError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> curve = net_benefit(rows, [0.2, 0.5])
    >>> curve["net_benefit"].round(4).tolist(), curve["treat_all"].round(4).tolist()
    ([0.4167, 0.3333], [0.375, 0.0])
    """
    sample = Sample.of(data)
    sample.tally.need_probabilities()
    at = np.arange(1, 100) / 100
    if thresholds is not None:
        at = np.atleast_1d(numbers_of("thresholds", thresholds))
    if at.ndim != 1 or not len(at) or not ((at >= 0) & (at < 1)).all():
        raise MetricError("thresholds of net benefit are one or more probabilities from 0 to below 1.")
    sweep = sample.sweep()
    outcome = sweep.take([sweep.index_of(threshold) for threshold in at.tolist()])
    c, odds = outcome.counts, at / (1 - at)
    benefit = c.tp / c.n - c.fp / c.n * odds
    share = c.positives / c.n
    if outcome.squares is None:
        error = np.sqrt(np.maximum(c.tp / c.n + odds**2 * (c.fp / c.n) - benefit**2, 0) / c.n)
    else:  # the sandwich: squared weights times squared distances from the mean
        s = outcome.squares
        distances = s.tp * (1 - benefit) ** 2 + s.fp * (odds + benefit) ** 2 + (s.fn + s.tn) * benefit**2
        error = np.sqrt(distances) / c.n
    beside = {
        "treat_all": share - (1 - share) * odds,
        "treat_none": np.zeros(len(at)),
        "standardised": ratio(benefit, share),
        "standard_error": error,
    }
    return DecisionCurve("net benefit", "threshold", "net_benefit", at, benefit, at, beside)


def cost_curve(data: Any) -> DecisionCurve:
    """Return the lowest expected cost over the probability cost, with the cutoff that has it.

    Drummond and Holte 2006: the lower envelope of the lines of all cutoffs, its corners those of the ROC
    curve's hull. Beside it the cost of always predicting the same class, whichever is cheaper.

    Parameters
    ----------
    data
        Rows or a score tally.

    Returns
    -------
    DecisionCurve
        Corners of the curve, with their thresholds.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> curve = cost_curve(rows)
    >>> round(curve.at(0.5), 4), curve.cutoffs.tolist()
    (0.1667, [0.8, 0.35, 0.1])
    """
    envelope: Any = performance(Sample.of(data).tally, "ecost")
    beside = {"always_the_same": np.minimum(envelope.x, 1 - envelope.x)}
    columns = envelope.x, envelope.y, envelope.cutoffs
    return DecisionCurve(envelope.name, envelope.x_name, envelope.y_name, *columns, beside)


def normalised_cost(data: Any, threshold: float, probability_cost: Any) -> Any:
    """Return a threshold's line in a cost curve: ``fnr x + fpr (1 - x)`` over the probability cost x.

    Parameters
    ----------
    data
        Rows or a score tally.
    threshold
        The threshold: scores at or above it are predicted positive.
    probability_cost
        One probability cost or an array of them.

    Returns
    -------
    float or NDArray
        The cost at each probability cost, of the shape of `probability_cost`.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores; or `threshold` is no number; or a
        probability cost is no share between 0 and 1.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> round(normalised_cost(rows, 0.5, 0.5), 4)
    0.1667
    """
    x = numbers_of("probability_cost", probability_cost)
    if not ((x >= 0) & (x <= 1)).all():
        raise MetricError("a probability cost lies between 0 and 1.")
    sweep = Sample.of(data).sweep()
    c = sweep.at(sweep.index_of(checked_threshold(threshold))).counts
    for total, reason in ((c.positives[0], NO_POSITIVES), (c.negatives[0], NO_NEGATIVES)):
        if not total:
            raise MetricError(f"{reason}, so it has no value.")
    cost = c.fn[0] / c.positives[0] * x + c.fp[0] / c.negatives[0] * (1 - x)
    return cost if x.ndim else float(cost)


@criterion_keywords
def expected_cost(data: Any, **costs: Unpack[CriterionOptions]) -> Curve:
    """Return the cost per row at every cutoff; the costs are those of :func:`choose_threshold`.

    Parameters
    ----------
    data
        Rows or a score tally.
    best, beta, calibrated, min_recall, min_precision, min_specificity
        Criteria of :func:`choose_threshold` that are no costs: refused.
    cost_fp, cost_fn, cost_tp, cost_tn
        What each outcome costs.
    prevalence
        The share of positives where the model will be used.
    capacity, max_positive_rate, equal_error, confidence, method
        Likewise.

    Returns
    -------
    Curve
        The cutoffs, and the column ``cost_per_row``.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores; or a cost is missing, negative or no
        number; or a criterion other than costs is stated.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> expected_cost(rows, cost_fp=1, cost_fn=4)["cost_per_row"].round(2).tolist()
    [2.0, 1.33, 0.67, 0.83, 0.17, 0.33, 0.5]
    """
    criterion = parse_criterion(**costs) if costs else None
    if criterion is None or criterion.measure != "cost per row":
        raise MetricError(f"expected cost needs costs: {param('cost_fp')} and {param('cost_fn')}.")
    sweep = Sample.of(data, criterion.amounts).sweep()
    values, cutoffs = criterion.formula(sweep.between(0, len(sweep))), sweep.cutoffs
    return Curve("expected cost", "cutoff", "cost_per_row", cutoffs, values, cutoffs)
