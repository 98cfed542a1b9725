"""The evaluation of few labels and many proxies, by prediction-powered inference."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

import numpy as np

from assay.errors import InputError
from assay.evaluation.evaluation import Evaluation
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.prediction_powered import (
    PoweredEstimate,
    joint_table,
    one_step,
    one_step_weighted,
)
from assay.inference.influence.influence import Influence, influence
from assay.inference.proxy_estimate import ProxyEstimate
from assay.inputs import encode, rows
from assay.metrics import Undefined
from assay.metrics.ranking.retrieval import Lists
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from assay.evaluation.slices.slices import SlicesByColumn
    from assay.inference.estimate import Estimate
    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.metrics.spec import MetricSpec

    TableReader = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]] | None]

__all__ = ["PoweredEvaluation", "row_influence_of"]

_MIN_LABELS = 20
_MIN_INFORMATIVE = 3
_MIN_GROUPS = 20  # of labelled rows, below which a tuning fits their few means by itself
_MIN_PER_CLASS = 60  # labels of either class, below which intervals of metrics of scores are too short
_MIN_GAIN = 1.1  # times the labels, that a proxy must be worth
_NOTHING = 1e-9
_SMALL_STRATUM, _MIN_PER_STRATUM = 0.05, 5  # larger strata of the joint table need so many labels
_TWO = 2


class _Power(NamedTuple):
    value: float
    error: float
    df: float | None
    method: str
    found: PoweredEstimate
    effective_labels: float


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PoweredEvaluation(Evaluation):
    """An evaluation whose estimates use the labels and, on all rows, one proxy or several.

    It is the evaluation of the labelled rows; ``proxies`` are those of all rows with a proxy as truth,
    ``labelled`` the numbers of the labelled rows among all. ``ev["f1"].labels_alone`` is what the labels say
    alone. ``balance`` has the p-values of tests that the labelled rows look like a random sample.
    """

    proxies: tuple[Evaluation, ...] = ()
    labelled: NDArray[np.int64] = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    selected: bool = False
    balance: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many rows there are, labelled or not."""
        return self.proxies[0].n

    @functools.cached_property
    def slices(self) -> SlicesByColumn:
        """Not offered: evaluate each slice of the rows by itself."""
        _refuse("slices")

    def merge(self, other: Evaluation) -> Evaluation:
        """Not offered: evaluate all rows at once."""
        del other
        _refuse("merging")

    def save(self, path: Any) -> None:
        """Not offered: to_json() holds every estimate."""
        del path
        _refuse("saving")

    def at(self, threshold: Any) -> Self:
        """Return the evaluation of the same scores at another threshold."""
        moved = super().at(threshold)
        return dataclasses.replace(moved, proxies=tuple(proxy.at(threshold) for proxy in self.proxies))

    def _compute(
        self, specs: Sequence[MetricSpec], confidence: float, method: str | None, seed: int
    ) -> list[Estimate]:
        alone = super()._compute(specs, confidence, method, seed)
        if method is not None:
            return alone
        return [
            self._with_proxies(each, spec.metric, spec.options, confidence)
            for each, spec in zip(alone, specs, strict=True)
        ]

    def _with_proxies(
        self, alone: Estimate, metric: Metric, options: dict[str, Any], confidence: float
    ) -> ProxyEstimate:
        """Return the estimate of a metric by the proxies, too, or why the labels alone are better."""
        values = tuple(_proxy_value(proxy, metric, options) for proxy in self.proxies)
        power = self._power(metric, options) if alone.defined else "the metric has no value"
        if isinstance(power, _Power):
            df = None if power.df is None else max(power.df, 1.0)
            limits = delta_interval(power.value, power.error, metric.bounds, confidence=confidence, df=df)
            if limits is not None:
                return self._powered(alone, values, power, limits)
            power = "the estimate lies on a bound"
        reason = f"labels alone: {power}"
        note = "; ".join(filter(None, [alone.note, reason]))
        fields = {field.name: getattr(alone, field.name) for field in dataclasses.fields(alone) if field.init}
        return ProxyEstimate(
            **(fields | {"note": note}),
            labels_alone=alone,
            proxy_alone=values,
            effective_labels=float(alone.n),
        )

    def _powered(
        self, alone: Estimate, values: tuple[Any, ...], power: _Power, limits: tuple[float, float]
    ) -> ProxyEstimate:
        few = "few labelled rows count for it" if power.df is not None and power.df < _MIN_LABELS else ""
        against = "the proxy's errors run against people's" if min(power.found.tuning) < 0 else ""
        balance = power.found.balance_p
        note = "; ".join(filter(None, [few, against]))
        return ProxyEstimate(
            power.value, *limits, alone.confidence, power.method, alone.n, note, power.error,
            alone.positives, alone.negatives, alone.groups, labels_alone=alone, proxy_alone=values,
            tuning=power.found.tuning, effective_labels=min(power.effective_labels, float(self.total)),
            powered=True, balance_p=None if math.isnan(balance) else balance,
        )  # fmt: skip

    def _power(self, metric: Metric, options: dict[str, Any]) -> _Power | str:
        """Return the prediction-powered estimate, or why the labels alone are better."""
        n = len(self._units(metric))
        if n < _MIN_LABELS:
            return f"{n} labels are too few, {_MIN_LABELS} are the minimum"
        if n == self.total:
            return "every row has a label"
        effective = self._effective_size()
        if effective < _MIN_LABELS:
            return (
                f"the unequal weights leave {effective:.3g} effective labels, {_MIN_LABELS} are the minimum"
            )
        groups = self._labelled_groups()
        if groups is not None and groups < _MIN_GROUPS:
            return f"labels in {groups} of the groups are too few, {_MIN_GROUPS} are the minimum"
        human, found = self.influences(metric, options)
        if human is None:
            return "the metric has no influence of single rows"
        if found is None:
            return "the proxy has no value of it, or does not vary on the labelled rows"
        own = np.abs(human.slopes)
        informative = float(human.mass[own > _NOTHING * float(own.max(initial=0.0))].sum())
        if informative < _MIN_INFORMATIVE or self._few_of_a_class(metric):
            return "too few labelled rows count for it"
        if found.explained >= 1 - _NOTHING:
            return "the proxy agrees with every label"
        power = _Power(human.value + found.shift, found.error, found.df, "prediction-powered", found,
                       found.effective_labels)  # fmt: skip
        joint = self._joint(metric, options, found)
        power = joint or power
        if power.effective_labels < _MIN_GAIN * n:
            return "the proxy says too little about the labels"
        return power

    def _effective_size(self) -> float:
        """Return Kish's effective number of labels; without weights there is no limit.

        Influences are slopes at the labels' own estimate, which mean nothing where a few rows make it up.
        """
        weight = None if self.source_rows is None else self.source_rows.weight
        if weight is None:
            return math.inf
        values = np.asarray(weight.values, dtype=np.float64)
        return float(values.sum()) ** 2 / float(values @ values)

    def _labelled_groups(self) -> int | None:
        """Return the number of groups that have labelled rows; None where rows are not grouped."""
        group = None if self.source_rows is None else self.source_rows.group
        return None if group is None else len(encode(group)[1])

    def _few_of_a_class(self, metric: Metric) -> bool:
        """Tell whether a metric of scores has too few labelled rows of one class."""
        if self.task.name != "binary" or metric.reads.tally is Confusion or self.source_rows is None:
            return False
        codes, labels = encode(self.source_rows.need("actual", "an evaluation"))
        return len(labels) < _TWO or int(np.bincount(codes).min()) < _MIN_PER_CLASS

    def influences(
        self, metric: Metric, options: dict[str, Any]
    ) -> tuple[Influence | None, PoweredEstimate | None]:
        """Return the labelled rows' influences on a metric, and what the proxies add to the estimate."""
        cells = self._cell_influences(metric, options)
        if cells is not None:
            return cells
        human = row_influence_of(self, metric, options)
        if human is None:
            return None, None
        columns = [row_influence_of(proxy, metric, options) for proxy in self.proxies]
        known = [column for column in columns if column is not None]
        if len(known) < len(columns):
            return human, None
        return human, self.combine(metric, human, known)

    def combine(self, metric: Metric, human: Influence, proxies: list[Influence]) -> PoweredEstimate | None:
        """Return what influences of proxies add to those of people; a difference of models has its own."""
        labelled = self._units(metric)
        totals = [float(column.mass.sum()) for column in proxies]
        psi = [column.slopes * total for column, total in zip(proxies, totals, strict=True)]
        everything = self.proxies[0].source_rows
        plain = everything is None or (everything.weight is None and everything.group is None)
        if (plain and not self.selected) or metric.reads is Lists:
            own = human.slopes * float(human.mass.sum())
            return one_step(own, np.stack(psi, axis=1)[labelled], len(psi[0]))
        if len(psi) > 1:
            return None
        clusters = None
        if everything is not None and everything.group is not None:
            clusters = encode(everything.group)[0].astype(np.int64)
        found = one_step_weighted(
            human.slopes * float(human.mass.sum()), human.mass, psi[0], proxies[0].mass, labelled, clusters
        )
        return None if found is None else _of_few_clusters(found, clusters, labelled)

    def _units(self, metric: Metric) -> NDArray[np.int64]:
        """Return which of all rows are labelled; of ranked lists, which queries, in order of name."""
        if metric.reads is not Lists or self.source_rows is None:
            return self.labelled
        names = [encode(ev.source_rows.need("query", "a ranked list"))[1] for ev in (self, self.proxies[0])
                 if ev.source_rows is not None]  # fmt: skip
        index = {name: position for position, name in enumerate(names[1])}
        return np.array([index[name] for name in names[0]], dtype=np.int64)

    def _table_reader(self, metric: Metric, options: dict[str, Any]) -> TableReader:
        """Return a function that gives a metric's value and influence at a table of two classes."""
        labels, row_options = self.task.labels, self.read(metric, options).row_options
        corners = [(first, second) for first in labels for second in labels]

        def read(table: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]] | None:
            shares = table.ravel() / table.sum()
            filled = shares > 0
            actual, predicted = (np.array([corner[side] for corner in corners])[filled] for side in (0, 1))
            cells = rows(actual=actual, predicted=predicted, weight=shares[filled], labels=labels)
            at = influence(metric, cells, **row_options)
            if at is None or len(at.slopes) != np.count_nonzero(filled):
                return None
            slopes = np.zeros(4)
            slopes[filled] = at.slopes
            return at.value, slopes.reshape(2, 2)

        return read

    def _cell_influences(
        self, metric: Metric, options: dict[str, Any]
    ) -> tuple[Influence, PoweredEstimate | None] | None:
        """Return the influences by the cells of the joint table, as those of rows; None where there is none.

        Rows of a cell have one influence, so that nothing is computed row by row.
        """
        tables = self._joint_counts
        if tables is None or metric.reads.tally is not Confusion or options.get("average"):
            return None
        read = self._table_reader(metric, options)
        human, proxy = read(tables[0].sum(axis=1)), read(tables[1])
        if human is None:
            return None
        counts = tables[0].ravel()
        psi = np.broadcast_to(human[1][:, None, :], (2, 2, 2)).ravel()
        own = Influence(human[0], psi[counts > 0] / counts.sum(), counts[counts > 0])
        if proxy is None:
            return own, None
        a = np.broadcast_to(proxy[1][None, :, :], (2, 2, 2)).ravel()
        found = one_step(psi[counts > 0], a[counts > 0], float(tables[1].sum()), own.mass)
        return own, found

    def _joint(self, metric: Metric, options: dict[str, Any], found: PoweredEstimate) -> _Power | None:
        """Return the estimate of the joint table; None where there is no such table of two classes."""
        tables = self._joint_counts
        if tables is None or metric.reads.tally is not Confusion or options.get("average"):
            return None
        strata, shares = tables[0].sum(axis=0), tables[1] / tables[1].sum()
        if ((shares > _SMALL_STRATUM) & (strata < _MIN_PER_STRATUM)).any():
            return None
        joint = joint_table(*tables, self._table_reader(metric, options))
        if joint is None or not joint.large_sample_error > 0:
            return None
        effective = len(self.labelled) * (found.labels_error / joint.large_sample_error) ** 2
        return _Power(joint.estimate, joint.error, None, "joint table", found, effective)

    @functools.cached_property
    def _joint_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Labelled rows by human label, proxy and prediction, and all rows by proxy and prediction."""
        own, everything = self.rows, self.proxies[0].rows
        if (
            self.task.name != "binary"
            or len(self.proxies) > 1
            or self.selected
            or own is None
            or everything is None
        ):
            return None
        if own.predicted is None or everything.weight is not None or everything.group is not None:
            return None
        table = self.proxies[0].tallies.get("confusion")
        if not isinstance(table, Confusion):
            return None
        positive = self.task.labels[1]
        human = _is(own, "actual", positive)
        labelled = everything.take(self.labelled)
        proxy, predicted = (_is(labelled, role, positive) for role in ("actual", "predicted"))
        counts = np.bincount(4 * human + 2 * proxy + predicted, minlength=8).reshape(2, 2, 2)
        order = [table.labels.index(label) for label in self.task.labels]
        return counts.astype(np.float64), table.table()[np.ix_(order, order)].astype(np.float64)


def _of_few_clusters(
    found: PoweredEstimate, clusters: NDArray[np.int64] | None, labelled: NDArray[np.int64]
) -> PoweredEstimate:
    """Return an estimate whose error allows for the tuning being learnt from the labelled clusters alone.

    The sandwich counts all clusters; residuals are seen in those with labels, less two for mean and slope.
    """
    if clusters is None:
        return found
    seen, groups = len(np.unique(clusters[labelled])), len(np.unique(clusters))
    spare = max(seen - _TWO, 1)
    factor = math.sqrt(seen / spare * (groups - 1) / groups)
    return found._replace(error=found.error * factor, df=min(found.df, float(spare)))


def _is(data: Rows, role: str, label: Any) -> NDArray[np.int64]:
    codes, labels = encode(data.need(role, "an evaluation"))
    return np.array([value == label for value in labels], dtype=np.int64)[codes]


def row_influence_of(ev: Evaluation, metric: Metric, options: dict[str, Any]) -> Influence | None:
    """Return the influence of every row of an evaluation on a metric."""
    own = ev.rows if metric.reads.tally is Confusion else ev.source_rows
    if own is None:
        return None
    return influence(metric, own, **ev.read(metric, options).row_options)


def _proxy_value(proxy: Evaluation, metric: Metric, options: dict[str, Any]) -> Any:
    tallied = proxy.read(metric, options)
    value = metric(tallied.tally, **tallied.options)
    return value if isinstance(value, Undefined) else float(value)


def _refuse(what: str) -> NoReturn:
    raise InputError(f"{what} is not offered with a proxy: pass the rows to evaluate() instead.")
