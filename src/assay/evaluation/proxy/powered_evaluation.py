"""The evaluation of few labels and many proxies, by prediction-powered inference."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from assay.errors import InputError, MetricError
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.proxy.joint_counts import joint_counts, table_reader
from assay.formatting.numbers import count_of
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.prediction_powered import (
    PoweredEstimate,
    joint_table,
    one_step,
    one_step_weighted,
)
from assay.inference.influence.influence import Influence, influence
from assay.inference.proxy_estimate import ProxyEstimate
from assay.inputs import encode
from assay.metrics import Mean, Ranks, Undefined
from assay.metrics.ranking.retrieval import Lists
from assay.metrics.views.probability import Probabilities
from assay.metrics.views.regression import Errors
from assay.tallies import BoundedTally, Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.evaluation.error_rows import ErrorRows
    from assay.evaluation.proxy.powered_slices import PoweredPartition
    from assay.inference.estimate import Estimate
    from assay.inputs import Column
    from assay.metrics import Metric
    from assay.metrics.spec import MetricSpec

__all__ = ["POWERED_KIND", "PoweredEvaluation", "SharpValue", "row_influence_of"]

POWERED_KIND = "evaluation with proxies"  # of the bytes that hold one

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
    powered: PoweredEstimate
    effective_labels: float


class SharpValue(NamedTuple):
    """A value with its standard error and degrees of freedom, by proxies or, without, by the labels alone."""

    value: float
    error: float
    df: float | None
    powered: bool


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PoweredEvaluation(Evaluation):
    """An evaluation whose estimates use the labels and, on all rows, one proxy or several.

    It is the evaluation of the labelled rows; ``proxies`` are those of all rows with a proxy as truth,
    ``stand_ins`` the proxies' labels of the labelled rows, and ``labelled`` their numbers among all rows,
    where all rows are in memory. ``ev["f1"].labels_alone`` is what the labels say alone. ``balance`` has the
    p-values of tests that the labelled rows look like a random sample.
    """

    proxies: tuple[Evaluation, ...] = ()
    stand_ins: tuple[Column, ...] = ()
    labelled: NDArray[np.int64] | None = None
    selected: bool = False
    balance: dict[str, float] = dataclasses.field(default_factory=dict)
    inferred_from_labels: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many rows there are, labelled or not."""
        return self.proxies[0].n

    @property
    def labels_count(self) -> int:
        """How many rows have a label."""
        return 0 if self.source_rows is None else len(self.source_rows)

    @property
    def simple(self) -> bool:
        """Whether rows count alike and for themselves, so that tallies of all rows do beside the labels."""
        rows = self.source_rows
        weighted = rows is not None and (rows.weight is not None or rows.group is not None)
        return not (weighted or self.selected or self.settings.weight or self.settings.group)

    def labelled_numbers(self) -> NDArray[np.int64]:
        """Return the numbers of the labelled rows among all, or raise where the rows were read only once."""
        if self.labelled is None:
            raise InputError(
                "the rows were read once and are not in memory, so that it is not known which of them have a "
                "label: pass a data frame of them."
            )
        return self.labelled

    def errors(self, which: str | None = None, n: int = 20) -> ErrorRows:
        """Return the labelled rows with errors, numbered as the caller has them: see Evaluation.errors."""
        self.labelled_numbers()
        return super().errors(which, n)

    def partition(self, columns: tuple[str, ...]) -> PoweredPartition:  # type: ignore[override]
        """Return the slices by columns, of labelled rows and of all rows."""
        from assay.evaluation.proxy.powered_slices import PoweredPartition  # noqa: PLC0415 - circular import

        return PoweredPartition(self, columns)

    def merge(self, other: Evaluation) -> PoweredEvaluation:
        """Return the evaluation of both sides' rows, which must be of one task and have as many proxies."""
        from assay.evaluation.proxy.powered_storage import merged  # noqa: PLC0415 - circular import

        return merged(self, other)

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
        against = "the proxy's errors run against people's" if min(power.powered.tuning) < 0 else ""
        balance = power.powered.balance_p
        note = "; ".join(filter(None, [few, against]))
        return ProxyEstimate(
            power.value, *limits, alone.confidence, power.method, alone.n, note, power.error,
            alone.positives, alone.negatives, alone.groups, labels_alone=alone, proxy_alone=values,
            tuning=power.powered.tuning, effective_labels=min(power.effective_labels, float(self.total)),
            powered=True, balance_p=None if math.isnan(balance) else balance,
        )  # fmt: skip

    def sharp_value(self, spec: MetricSpec) -> SharpValue | None:
        """Return a metric's value with its standard error; None where it has no influence of single rows."""
        if not self.labels_count:
            return None
        power = self._power(spec.metric, spec.options)
        if isinstance(power, _Power):
            return SharpValue(power.value, power.error, power.df, powered=True)
        human, _ = self.influences(spec.metric, spec.options)
        if human is None:
            return None
        return SharpValue(human.value, human.standard_error, max(human.mass.sum() - 1.0, 1.0), powered=False)

    def _power(self, metric: Metric, options: dict[str, Any]) -> _Power | str:
        """Return the prediction-powered estimate, or why the labels alone are better."""
        n = self._unit_count(metric)
        if n < _MIN_LABELS:
            return f"{count_of(n, 'label is', 'labels are')} too few, {_MIN_LABELS} are the minimum"
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
        human, powered = self.influences(metric, options)
        if human is None:
            return "the metric has no influence of single rows"
        if powered is None:
            return "the proxy has no value of it, or does not vary on the labelled rows"
        own = np.abs(human.slopes)
        informative = float(human.mass[own > _NOTHING * float(own.max(initial=0.0))].sum())
        if informative < _MIN_INFORMATIVE or self._few_of_a_class(metric):
            return "too few labelled rows count for it"
        if powered.explained >= 1 - _NOTHING:
            return "the proxy agrees with every label"
        power = _Power(human.value + powered.shift, powered.error, powered.df, "prediction-powered", powered,
                       powered.effective_labels)  # fmt: skip
        joint = self._joint(metric, options, powered)
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
        columns = self.proxy_influences(metric, options)
        known = [column for column in columns if column is not None]
        if len(known) < len(columns):
            return human, None
        return human, self.combine(metric, human, known)

    def proxy_influences(self, metric: Metric, options: dict[str, Any]) -> list[Influence | None]:
        """Return the influences on a metric of all rows, with each proxy as truth.

        They are those of the labelled rows where no more is needed: a tally of all rows is then enough. Else
        they are those of all rows.
        """
        if not (self.simple or metric.reads is Lists):
            return [row_influence_of(proxy, metric, options) for proxy in self.proxies]
        return [
            self._of_labelled(proxy, column, metric, options)
            for proxy, column in zip(self.proxies, self.stand_ins, strict=True)
        ]

    def _of_labelled(
        self, proxy: Evaluation, stand_in: Column, metric: Metric, options: dict[str, Any]
    ) -> Influence | None:
        """Return the influence of the labelled rows on a proxy's metric of all rows."""
        if metric.reads is Lists or not _reads_tally(metric, options):
            everything = row_influence_of(proxy, metric, options)
            units = self._units(metric, proxy, stand_in)
            if everything is None or units is None:
                return None
            scale = float(everything.mass.sum())
            psi = (everything.slopes * scale)[units]
            return Influence(everything.value, psi / proxy.n, np.ones(len(psi)))
        try:
            tallied = proxy.read(metric, options)
        except MetricError:
            return None
        if isinstance(tallied.tally, BoundedTally):
            return None
        rows = self.rows if metric.reads.tally is Confusion else self.source_rows
        if rows is None:
            return None
        rows = dataclasses.replace(rows, actual=stand_in)
        return influence(metric, rows, tally=tallied.tally, **tallied.row_options)

    def combine(self, metric: Metric, human: Influence, proxies: list[Influence]) -> PoweredEstimate | None:
        """Return what influences of proxies add to those of people; a difference of models has its own."""
        own = human.slopes * float(human.mass.sum())
        if self.simple or metric.reads is Lists:
            psi = np.stack([column.slopes for column in proxies], axis=1) * self.total
            return one_step(own, psi, self.total)
        everything = self.proxies[0].source_rows
        if len(proxies) > 1 or everything is None or self.labelled is None:
            return None
        clusters = None if everything.group is None else encode(everything.group)[0].astype(np.int64)
        slopes = proxies[0].slopes * float(proxies[0].mass.sum())
        estimate = one_step_weighted(own, human.mass, slopes, proxies[0].mass, self.labelled, clusters)
        return None if estimate is None else _of_few_clusters(estimate, clusters, self.labelled)

    def _unit_count(self, metric: Metric) -> int:
        """Return how many rows have a label; of ranked lists, how many queries."""
        if metric.reads is not Lists or self.source_rows is None:
            return self.labels_count
        return len(encode(self.source_rows.need("query", "a ranked list"))[1])

    def _units(self, metric: Metric, proxy: Evaluation, stand_in: Column) -> NDArray[np.int64] | None:
        """Return which of a proxy's rows are labelled; of ranked lists, which queries, in order of name.

        Where the rows are stored in an order of their own, rows of the same values do as well.
        """
        own, everything = self.source_rows, proxy.source_rows
        if metric.reads is Lists:
            if own is None or everything is None:
                return None
            names, all_names = (encode(rows.need("query", "a ranked list"))[1] for rows in (own, everything))
            index = {name: position for position, name in enumerate(all_names)}
            return np.array([index[name] for name in names], dtype=np.int64)
        if self.labelled is not None and everything is not None:
            return self.labelled
        stored = proxy.stored_rows
        if own is None or stored is None or stored.actual is None or stored.predicted is None:
            return None
        if stand_in.labels is not None or own.predicted is None:
            return None
        pairs = [
            np.rec.fromarrays([column.values.astype(np.float64) for column in columns])
            for columns in ((stored.actual, stored.predicted), (stand_in, own.predicted))
        ]
        order = np.argsort(pairs[0])
        return np.asarray(order[np.searchsorted(pairs[0], pairs[1], sorter=order)], dtype=np.int64)

    def _cell_influences(
        self, metric: Metric, options: dict[str, Any]
    ) -> tuple[Influence, PoweredEstimate | None] | None:
        """Return the influences by the cells of the joint table, as those of rows; None where there is none.

        Rows of a cell have one influence, so that nothing is computed row by row.
        """
        tables = self.joint_counts
        if tables is None or metric.reads.tally is not Confusion or options.get("average"):
            return None
        read = table_reader(self, metric, options)
        human, proxy = read(tables[0].sum(axis=1)), read(tables[1])
        if human is None:
            return None
        counts = tables[0].ravel()
        psi = np.broadcast_to(human[1][:, None, :], (2, 2, 2)).ravel()
        own = Influence(human[0], psi[counts > 0] / counts.sum(), counts[counts > 0])
        if proxy is None:
            return own, None
        a = np.broadcast_to(proxy[1][None, :, :], (2, 2, 2)).ravel()
        powered = one_step(psi[counts > 0], a[counts > 0], float(tables[1].sum()), own.mass)
        return own, powered

    @functools.cached_property
    def joint_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Labelled rows by human label, proxy and prediction, and all rows by proxy and prediction."""
        return joint_counts(self)

    def _joint(self, metric: Metric, options: dict[str, Any], powered: PoweredEstimate) -> _Power | None:
        """Return the estimate of the joint table; None where there is no such table of two classes."""
        tables = self.joint_counts
        if tables is None or metric.reads.tally is not Confusion or options.get("average"):
            return None
        strata, shares = tables[0].sum(axis=0), tables[1] / tables[1].sum()
        if ((shares > _SMALL_STRATUM) & (strata < _MIN_PER_STRATUM)).any():
            return None
        joint = joint_table(*tables, table_reader(self, metric, options))
        if joint is None or not joint.large_sample_error > 0:
            return None
        effective = self.labels_count * (powered.labels_error / joint.large_sample_error) ** 2
        return _Power(joint.estimate, joint.error, None, "joint table", powered, effective)


def _of_few_clusters(
    estimate: PoweredEstimate, clusters: NDArray[np.int64] | None, labelled: NDArray[np.int64]
) -> PoweredEstimate:
    """Return an estimate whose error allows for the tuning being learnt from the labelled clusters alone.

    The sandwich counts all clusters; residuals are seen in those with labels, less two for mean and slope.
    """
    if clusters is None:
        return estimate
    seen, groups = len(np.unique(clusters[labelled])), len(np.unique(clusters))
    spare = max(seen - _TWO, 1)
    factor = math.sqrt(seen / spare * (groups - 1) / groups)
    return estimate._replace(error=estimate.error * factor, df=min(estimate.df, float(spare)))


def row_influence_of(ev: Evaluation, metric: Metric, options: dict[str, Any]) -> Influence | None:
    """Return the influence of every row of an evaluation on a metric."""
    own = ev.rows if metric.reads.tally is Confusion else ev.source_rows
    own = ev.stored_rows if own is None else own
    if own is None:
        return None
    return influence(metric, own, **ev.read(metric, options).row_options)


def _reads_tally(metric: Metric, options: dict[str, Any]) -> bool:
    """Tell whether the influence of a row follows from the row and a tally of all rows."""
    if metric.reads.tally is Confusion:
        return options.get("average") != "samples"
    if options.get("average"):
        return False
    return metric.reads in (Ranks, Probabilities, Mean, Errors)


def _proxy_value(proxy: Evaluation, metric: Metric, options: dict[str, Any]) -> Any:
    tallied = proxy.read(metric, options)
    value = metric(tallied.tally, **tallied.options)
    return value if isinstance(value, Undefined) else float(value)
