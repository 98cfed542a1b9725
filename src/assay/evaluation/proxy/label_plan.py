"""Plan labels: how many to buy for a width or a power, and from which rows."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation, row_influence_of
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of
from assay.formatting.result import Result
from assay.formatting.result_table import ResultTable
from assay.hints import param, passed
from assay.inference.distributions import normal_point
from assay.inference.formulas.proportions import normal_quantile
from assay.inputs import encode
from assay.metrics.spec import MetricSpec, metric_title

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LabelPlan", "labels_needed"]

_MIN_PILOT = 50
_MIN_PER_STRATUM = 5
_BINS = 5
_SHARE_OF_NONE = 1e-9  # of the largest stratum's: what a stratum without spread has
_HALVINGS = 100
_CAUTION = 0.8  # of a one-sided limit below which the explained share is not likely to be


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Result):
    """How many labels a metric needs in all, with the proxy and without, and how to spread them.

    ``labels`` and ``labels_without_proxy`` are None where no number is enough: more rows are needed, not
    more labels. ``strata`` has the
    rows of each kind, how many have a label, and how many should (Neyman's allocation); ``rows`` are the
    numbers of the rows to label next, drawn at random within strata, and ``probabilities`` how likely each
    row of all was to be labelled in the end, to pass as ``selection=``.
    """

    metric: str
    half_width: float
    labels: int | None
    labels_without_proxy: int | None
    explained: float
    total: int
    pilot: int
    strata: tuple[dict[str, Any], ...]
    rows: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    __repr__ = Result.__str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        names = ("metric", "half_width", "labels", "labels_without_proxy", "explained", "total", "pilot")
        data = {name: getattr(self, name) for name in names}
        return dict(json_safe(data | {"strata": list(self.strata), "rows": self.rows}))

    def tables(self) -> list[ResultTable]:
        """Return the strata with the numbers to label, under a sentence."""
        wanted = "no number of labels is enough: more rows are needed" if self.labels is None else (
            f"{count_of(self.labels, 'label')} in all, {self.labels_without_proxy:,} without the proxy"
        )  # fmt: skip
        title = f"{metric_title(self.metric)} within {self.half_width:g} either way: {wanted}"
        columns = {
            name: [row[name] for row in self.strata] for name in ("stratum", "rows", "labelled", "to_label")
        }
        return [ResultTable(columns, title, headings={"to_label": "to label"})]


def labels_needed(
    pilot: Any,
    metric: Any,
    *,
    half_width: float | None = None,
    detect: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    seed: int = 0,
) -> LabelPlan:
    """Return how many labels an evaluation with a proxy needs, and which rows to label next.

    Parameters
    ----------
    pilot
        What :func:`assay.evaluate` returned with ``proxy=``, of 50 labels or more.
    metric
        The metric that is to be known.
    half_width
        How far the interval may reach on either side.
    detect, power
        Instead: a difference from a fixed value that is to be seen, and with what chance.
    confidence
        The confidence level of the interval to come.
    seed
        Where random draws begin: the same seed gives the same result.

    Returns
    -------
    LabelPlan
        How many labels it takes, with the proxy and without, and how likely each row is to be labelled.

    Raises
    ------
    InputError
        `pilot` was made without ``proxy=``, or not one of `half_width` and `detect` is given.
    MetricError
        The metric is not known, or `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> import assay, numpy as np
    >>> draw = np.random.default_rng(1)
    >>> truth = draw.integers(0, 2, 2000)
    >>> noisy = lambda right: np.where(draw.random(2000) < right, truth, 1 - truth)
    >>> human = np.where(np.arange(2000) < 100, truth, np.nan)
    >>> ev = assay.evaluate(actual=human, predicted=noisy(0.8), proxy=noisy(0.95))
    >>> plan = assay.labels_needed(ev, "accuracy", half_width=0.03)
    >>> plan.labels, plan.labels_without_proxy
    (351, 709)
    """
    if not isinstance(pilot, PoweredEvaluation):
        raise InputError(f"a plan of labels is made from an evaluation with {param('proxy')}.")
    if (half_width is None) == (detect is None):
        raise InputError(f"say {param('half_width')} or {param('detect')}, one of the two.")
    n, total = len(pilot.labelled_numbers()), pilot.total
    if n < _MIN_PILOT:
        raise InputError(
            f"a pilot of {count_of(n, 'label')} says too little: {_MIN_PILOT} or more are needed."
        )
    z = normal_quantile(confidence)
    chance: Any = power
    if not (isinstance(chance, (int, float)) and 0 < chance < 1):
        raise InputError(f"{passed('power', power)} is a chance between 0 and 1.")
    width = (
        _positive("half_width", half_width)
        if detect is None
        else _positive("detect", detect) * z / (z + normal_point(power))
    )
    spec = MetricSpec.of(metric)
    human, added = pilot.influences(spec.metric, spec.options)
    if human is None or added is None:
        raise InputError(
            f"{spec.name} cannot be planned: it has no influence of single rows, or the proxy no value."
        )
    variance = n * added.labels_error**2
    explained = _cautious(added.explained, n)
    relative_variance = (width / z) ** 2 / variance - explained / total
    # With every row labelled a proxy adds nothing: where that is not enough, no number is.
    alone = _within(variance * (z / width) ** 2, total)
    labels = (
        None
        if alone is None or not relative_variance > 0
        else _within(max((1 - explained) / relative_variance, n), total)
    )
    codes, names = _strata(pilot)
    spread = _residual_spread(pilot, spec, codes, len(names))
    wanted, rows, chances = _allocation(pilot, codes, spread, labels or total, seed)
    chosen = codes[pilot.labelled_numbers()]
    sizes, labelled = (np.bincount(part, minlength=len(names)) for part in (codes, chosen))
    table = tuple(
        {"stratum": name, "rows": int(sizes[index]), "labelled": int(labelled[index]),
         "to_label": int(wanted[index] - labelled[index])}
        for index, name in enumerate(names) if sizes[index]
    )  # fmt: skip
    return LabelPlan(spec.name, width, labels, alone, explained, total, n, table, rows, chances)


def _positive(name: str, value: Any) -> float:
    """Return a number above 0; the sign of a difference to detect does not matter."""
    size = abs(value) if name == "detect" and isinstance(value, (int, float)) else value
    if not (isinstance(size, (int, float)) and 0 < size < math.inf):
        raise InputError(f"{passed(name, value)} is a number above 0.")
    return float(size)


def _within(needed: float, total: int) -> int | None:
    """Return a number of labels as a whole one; None where there are fewer rows."""
    return math.ceil(needed) if needed <= total else None


def _cautious(explained: float, n: int) -> float:
    """Return the explained share at its lower limit, by Fisher's z of the correlation."""
    rho = math.sqrt(min(max(explained, 0.0), 1 - 1e-12))
    return max(math.tanh(math.atanh(rho) - normal_point(_CAUTION) / math.sqrt(n - 3)), 0.0) ** 2


def _strata(pilot: PoweredEvaluation) -> tuple[NDArray[np.int64], list[str]]:
    """Return the stratum of every row: its proxy's label and prediction, or a fifth of the proxy's range."""
    rows = pilot.proxies[0].rows
    if rows is None or rows.actual is None:
        raise InputError("the evaluation no longer has its rows.")
    if pilot.task.name in ("regression", "ranking"):
        values = np.asarray(rows.actual.numbers("proxies"), dtype=np.float64)
        edges = np.unique(np.quantile(values, np.linspace(0, 1, _BINS + 1)[1:-1]))
        codes = np.searchsorted(edges, values, side="right")
        return codes, [f"fifth {index + 1} of the proxy" for index in range(len(edges) + 1)]
    own, labels = encode(rows.actual)
    if rows.predicted is None:
        return own.astype(np.int64), [f"proxy {label}" for label in labels]
    other, predicted = encode(rows.predicted)
    names = [f"proxy {label}, predicted {guess}" for label in labels for guess in predicted]
    return own.astype(np.int64) * len(predicted) + other.astype(np.int64), names


def _residual_spread(
    pilot: PoweredEvaluation, spec: MetricSpec, codes: NDArray[np.int64], size: int
) -> NDArray[np.float64]:
    """Return how much what the proxy does not explain varies, stratum by stratum."""
    human = row_influence_of(pilot, spec.metric, spec.options)
    proxy = row_influence_of(pilot.proxies[0], spec.metric, spec.options)
    labelled = pilot.labelled_numbers()
    if human is None or proxy is None or len(human.slopes) != len(labelled):
        return np.ones(size)
    psi, own = human.slopes * len(human.slopes), (proxy.slopes * len(proxy.slopes))[labelled]
    own = own - own.mean()
    residual = psi - own * (float(psi @ own) / max(float(own @ own), 1e-300))
    strata, overall = codes[labelled], float(residual.std())
    spread = np.full(size, overall)
    for stratum in range(size):
        values = residual[strata == stratum]
        if len(values):  # shrunk to the spread of all: few labels of a stratum may happen to agree
            weight = len(values) / (len(values) + _MIN_PER_STRATUM)
            spread[stratum] = weight * float(values.std()) + (1 - weight) * overall
    return spread


def _allocation(
    pilot: PoweredEvaluation, codes: NDArray[np.int64], spread: NDArray[np.float64], labels: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return how many rows of each stratum should have a label, the rows to label next, and their chances."""
    size = len(spread)
    sizes, labelled = (np.bincount(part, minlength=size) for part in (codes, codes[pilot.labelled_numbers()]))
    share = sizes * spread
    lowest = np.maximum(np.minimum(_MIN_PER_STRATUM, sizes), labelled)
    wanted = _shared_out(labels, share, lowest, sizes)
    wanted = labelled + _within_budget(wanted - labelled, labels - pilot.labels_count)
    draw = np.random.default_rng(seed)
    free = np.ones(len(codes), dtype=bool)
    free[pilot.labelled_numbers()] = False
    chosen = []
    for stratum in np.flatnonzero(sizes).tolist():
        candidates = np.flatnonzero(free & (codes == stratum))
        chosen.append(draw.choice(candidates, int(wanted[stratum] - labelled[stratum]), replace=False))
    return wanted, np.sort(np.concatenate(chosen)), (wanted / np.maximum(sizes, 1))[codes]


def _shared_out(
    labels: int, share: NDArray[np.float64], lowest: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return labels in proportion to shares, at least the lowest number and at most the rows of each stratum.

    What a small stratum cannot take goes to the others.
    """
    share = np.maximum(share, _SHARE_OF_NONE * max(float(share.max()), 1e-300) * (sizes > 0))

    def at(scale: float) -> NDArray[np.float64]:
        return np.clip(scale * share, lowest, sizes)

    low, high = 0.0, float((sizes[share > 0] / share[share > 0]).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(at(middle).sum()) < labels else (low, middle)
    ends = np.rint(np.cumsum(at(high)))  # rounded so that they add up
    return np.diff(ends, prepend=0).astype(np.int64)


def _within_budget(extra: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """Return what to add to each stratum, made smaller in proportion where it is more than the budget."""
    excess = int(extra.sum())
    if excess <= budget:
        return extra
    ends = np.cumsum(extra) * budget // excess  # rounded so that they add up to the budget
    return np.diff(ends, prepend=0)
