"""Evaluation: a mapping from metric name to estimate, read from tallies that one pass filled."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from assay.errors import InputError, MetricError
from assay.evaluation.default_metrics import flatten, report_metrics
from assay.evaluation.looks import Looks, LooksMethods
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS, matrix_rows
from assay.evaluation.read_metric import MAX_ROWS_FOR_SKEWNESS, read_metrics
from assay.evaluation.score_columns import predict_at_threshold
from assay.evaluation.shortcuts import EvaluationShortcuts
from assay.evaluation.task import Settings
from assay.evaluation.thresholds import ThresholdMethods
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import check_seed
from assay.inference.intervals.choose_interval import TalliedMetric, estimate_tallies
from assay.inputs.labels import same_kind
from assay.metrics import Metric, Undefined, catalogue
from assay.metrics.spec import MetricSpec
from assay.tallies import (
    BinnedScores,
    BoundedTally,
    Collection,
    Confusion,
    Losses,
    NumberPairs,
    Queries,
    Scores,
    StoredRows,
)
from assay.tallies.scores.thresholding import counted_at

if TYPE_CHECKING:
    from assay.crosstable import CrossTable
    from assay.decisions.threshold import Threshold
    from assay.evaluation.error_rows import ErrorRows
    from assay.evaluation.infer_task import Task
    from assay.evaluation.per_class import ClassTable
    from assay.evaluation.slices.partition import RowPartition, TallyPartition
    from assay.evaluation.slices.slices import SlicesByColumn
    from assay.inputs import Label, Rows
    from assay.metrics.curves.curves import Curve
    from assay.tallies import Tally

__all__ = ["Evaluation", "Settings"]

_CURVES = ("roc", "roc_hull", "precision_recall", "detection_error", "gain", "lift")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Evaluation(EvaluationShortcuts, ThresholdMethods, LooksMethods, Mapping[str, Estimate]):
    """Metrics of a model's predictions, each with its interval. Made by :func:`assay.evaluate`.

    It is a mapping from a metric's name to its estimate. Iterating gives the metrics that a report shows;
    ``ev[name]`` also computes any other metric of the catalogue, by any of its names.
    """

    task: Task
    settings: Settings
    tallies: Collection
    source_rows: Rows | None = None
    dropped: int = 0
    saved: Mapping[Any, Estimate] = dataclasses.field(default_factory=dict)  # computed while there were rows
    gathered: Rows | None = None  # the rows as they were passed, by which a test set is recognized
    looks: Looks | None = None  # of an evaluation in a ledger

    @property
    def name(self) -> str:
        """The name of the model in reports."""
        return self.settings.name

    @property
    def positive(self) -> Label | None:
        """The positive label, where there is one."""
        return self.task.positive

    @functools.cached_property
    def n(self) -> int:
        """Number of rows; of ranked lists, number of lists."""
        queries = self.by_name.get("queries")
        return len(queries) if isinstance(queries, Queries) else self.tallies.n

    @functools.cached_property
    def by_name(self) -> dict[str, Tally]:
        """The tallies by name, as a plain dict."""
        return dict(self.tallies.items())

    @functools.cached_property
    def groups(self) -> list[list[MetricSpec]]:
        """The metrics that a report shows, in groups that belong together."""
        has_scores = bool({"scores", "class_scores", "label_scores"} & self.by_name.keys())
        has_labels = bool({"confusion", "label_sets"} & self.by_name.keys())
        return report_metrics(
            self.task.name, labels=has_labels, scores=has_scores,
            probabilities=has_scores and self.are_probabilities, settings=self.settings,
        )  # fmt: skip

    @functools.cached_property
    def _specs(self) -> dict[str, MetricSpec]:
        return {spec.name: spec for spec in flatten(self.groups)}

    @functools.cached_property
    def are_probabilities(self) -> bool:
        """Whether scores lie between 0 and 1, so that losses and calibration mean something."""
        scores = self.scores
        if scores is not None:
            return bool(len(scores.scores)) and scores.scores[0] >= 0 and bool(scores.scores[-1] <= 1)
        return self.task.probabilities

    @functools.cached_property
    def scores(self) -> Scores | None:
        """The tally of the positive class's scores; binned scores at the lower ends of their bins."""
        tally = self.by_name.get("scores")
        return tally.lowest() if isinstance(tally, BinnedScores) else tally  # type: ignore[return-value]

    @functools.cached_property
    def binned(self) -> BinnedScores | None:
        """The binned scores, where scores are counted in bins."""
        tally = self.by_name.get("scores")
        return tally if isinstance(tally, BinnedScores) else None

    @functools.cached_property
    def readable(self) -> Collection:
        """The tallies that metrics read: binned scores at the lower ends of their bins."""
        if self.binned is None or self.scores is None:
            return self.tallies
        return Collection.of_mapping({**self.by_name, "scores": self.scores})

    @property
    def empty_lists(self) -> int | None:
        """Number of ranked lists without a relevant item; None where there are no lists."""
        queries = self.by_name.get("queries")
        return queries.empty_lists if isinstance(queries, Queries) else None

    @functools.cached_property
    def estimates(self) -> dict[Any, Estimate]:
        """The estimates computed so far."""
        return dict(self.saved)

    def __getitem__(self, name: str | Metric | tuple[str | Metric, Mapping[str, Any]]) -> Estimate:
        return self.estimate(self.spec(name))

    def spec(self, name: Any) -> MetricSpec:
        """Return a metric by its name; with the beta, costs or depth of the settings where they apply."""
        if isinstance(name, str) and name in self._specs:
            return self._specs[name]
        spec = MetricSpec.of(name)
        same = [
            shown
            for shown in self._specs.values()
            if shown.metric is spec.metric and shown.average == spec.average and not spec.others
        ]
        return same[0] if len(same) == 1 else dataclasses.replace(spec, alias=spec.alias or _plain_name(spec))

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._specs

    def _ipython_key_completions_(self) -> list[str]:
        return [*self._specs, *(metric.name for metric in catalogue() if metric.name not in self._specs)]

    def estimate(
        self,
        metric: MetricSpec | Metric | str,
        *,
        confidence: float | None = None,
        method: str | None = None,
        seed: int = 0,
        **options: Any,
    ) -> Estimate:
        """Return a metric of the catalogue with its interval, by another method or at another confidence.

        `method` and `seed` are those of :func:`assay.estimate`.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 0, 1, 1, 1], predicted=[0, 1, 1, 1, 0])
        >>> ev.estimate("f_beta", beta=2)
        0.6667 [0.06707, 0.9926]
        """
        spec = metric if isinstance(metric, MetricSpec) else MetricSpec.of((metric, options))
        return self.estimate_all([spec], confidence=confidence, method=method, seed=seed)[0]

    def estimate_all(
        self,
        specs: Iterable[MetricSpec],
        *,
        confidence: float | None = None,
        method: str | None = None,
        seed: int = 0,
    ) -> list[Estimate]:
        """Return the estimates of several metrics; those that are not yet known are computed together."""
        level = self.settings.confidence if confidence is None else confidence
        check_seed(seed)
        drawn = (("seed", repr(seed)),) if seed else ()
        keyed = [((*self.key(spec.metric, spec.options, level, method), *drawn), spec) for spec in specs]
        missing = {key: spec for key, spec in keyed if key not in self.estimates}
        if missing:
            computed = self._compute(list(missing.values()), level, method, seed)
            self.estimates.update(zip(missing, computed, strict=True))
        return [self.estimates[key] for key, _ in keyed]

    def key(
        self,
        metric: Metric,
        options: dict[str, Any],
        confidence: float | None = None,
        method: str | None = None,
    ) -> tuple[Any, ...]:
        """Return the key of an estimate: the metric, its confidence, method and options."""
        level = self.settings.confidence if confidence is None else confidence
        return (metric.name, level, method, *sorted((name, repr(value)) for name, value in options.items()))

    def _compute(
        self, specs: Sequence[MetricSpec], confidence: float, method: str | None, seed: int
    ) -> list[Estimate]:
        """Return the estimates of some metrics, computed from their tallies and rows."""
        tallied = read_metrics(self, [(spec.metric, spec.options) for spec in specs])
        limited = [self._without_rows(metric, confidence, method) for metric in tallied]
        with_rows = [
            self._with_rows(metric) if self._needs_rows(metric.tally) or method else metric
            for metric, estimate in zip(tallied, limited, strict=True)
            if estimate is None
        ]
        computed = iter(estimate_tallies(with_rows, confidence=confidence, method=method, seed=seed))
        return [next(computed) if estimate is None else estimate for estimate in limited]

    def _with_rows(self, tallied: TalliedMetric) -> TalliedMetric:
        """Return a metric and its tally with the rows of the tally."""
        rows = self.stored_rows
        if rows is None or not rows.multioutput or not isinstance(tallied.tally, Scores):
            return tallied._replace(rows=rows)
        row_options = dict(tallied.row_options)  # of the rows of one label, which is taken out of them
        rows = tallied.metric.of_class(rows, row_options)
        return tallied._replace(rows=rows, row_options=row_options)

    def _without_rows(self, tallied: TalliedMetric, confidence: float, method: str | None) -> Estimate | None:
        """Return the estimate of a metric whose tally or rows were not kept whole; None for all others."""
        metric, tally, tally_options = tallied[:3]
        if isinstance(tally, BoundedTally):
            return Estimate(Undefined(tally.why), None, None, confidence, "", self.n)
        if self.settings.group and self.stored_rows is None:
            note = f"the rows come in groups ({self.settings.group}), which their tallies do not keep"
            return Estimate(metric(tally, **tally_options), None, None, confidence, "", self.n, note)
        if self.binned is not None and isinstance(tally, (Scores, Losses)):
            from assay.evaluation.binned_estimates import estimate_in_bins  # noqa: PLC0415 - few scores are in bins

            return estimate_in_bins(
                self.binned, metric, tally, tally_options, confidence=confidence, method=method
            )
        return None

    def _needs_rows(self, tally: Tally) -> bool:
        """Tell whether an interval needs the rows: clustered rows always, else where the tally is not enough.

        Of many rows, sums of losses are enough: the skewness no longer matters to their mean.
        """
        if self.settings.group:
            return True
        return not isinstance(tally, (Confusion, Scores)) and not (
            isinstance(tally, Losses) and tally.n > MAX_ROWS_FOR_SKEWNESS
        )

    @functools.cached_property
    def stored_rows(self) -> Rows | None:
        """The rows in any order, as the task reads them: those in memory, or those that a tally stores.

        The pairs of actual and predicted values of a regression are its rows.
        """
        stored = self.by_name.get("cases")
        if self.rows is not None and self.rows.multioutput:
            # In an order of their own, so that rows of a file, which are stored so, give the same digits.
            from assay.inference.bootstrap.row_units import canonical_order  # noqa: PLC0415 - few need it

            return self.rows.take(canonical_order(self.rows))
        if self.rows is None and isinstance(stored, StoredRows):
            rows = stored.rows()
            if self.task.name in MULTIOUTPUT_TASKS:
                rows = matrix_rows(rows)
            return dataclasses.replace(self, source_rows=rows).rows
        pairs = self.by_name.get("spearman")
        if self.rows is None and isinstance(pairs, NumberPairs) and not self.settings.group:
            return pairs.rows()
        return self.rows

    def read(self, metric: Metric, options: dict[str, Any], *, held: bool = False) -> TalliedMetric:
        """Return the tally that a metric reads, its options beside the tally, and its options beside rows."""
        return read_metrics(self, [(metric, options)], held=held)[0]

    @functools.cached_property
    def rows(self) -> Rows | None:
        """The rows as the task reads them: with both classes, though one has no row, and with predictions."""
        rows = self.source_rows
        if rows is None or self.task.name != "binary":
            return rows
        if rows.labels is None:
            rows = dataclasses.replace(rows, labels=same_kind(self.task.labels))
        return predict_at_threshold(rows, self.task)

    @property
    def confusion(self) -> CrossTable:
        """The cross table of actual against predicted labels."""
        from assay.crosstable import CrossTable  # noqa: PLC0415 - loaded on first use

        return CrossTable.of(self._tally("confusion", Confusion))

    def _tally(self, name: str, kind: type[Any]) -> Any:
        tally = self.readable.get(name)
        if not isinstance(tally, kind):
            raise InputError(f"this evaluation has no {_missing(name, self.task.name)}.")
        return tally

    def at(self, threshold: float | Threshold) -> Self:
        """Return the evaluation of the same scores at another threshold, a number or a chosen threshold.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.6, 0.9])
        >>> float(ev["recall"]), float(ev.at(0.8)["recall"])
        (1.0, 0.5)
        >>> ev.at(ev.choose_threshold(best="precision")).task.threshold
        0.9
        """
        threshold = threshold if isinstance(threshold, (int, float)) else threshold.threshold
        scores = self._tally("scores", Scores)
        inferred: tuple[str, ...] = ()
        if self.binned is not None and (edge := self.binned.edge(threshold)) != threshold:
            inferred = (f"the scores are in bins, one of which begins at {edge!r}: they are cut there",)
            threshold = edge
        rows = None if self.source_rows is None else dataclasses.replace(self.source_rows, predicted=None)
        task = dataclasses.replace(self.task, threshold=threshold, inferred=inferred)
        table = counted_at(self.binned or scores, threshold, task.labels)
        tallies = {**self.by_name, "confusion": table}
        return dataclasses.replace(
            self, task=task, tallies=Collection.of_mapping(tallies), source_rows=rows, saved={}
        )

    def curve(self, name: str) -> Curve:
        """Return a curve by its name: roc, roc_hull, precision_recall, detection_error, gain or lift."""
        from assay.metrics.curves import curves  # noqa: PLC0415

        if name not in _CURVES:
            raise MetricError(f"there is no curve {name!r}: there are {', '.join(_CURVES)}.")
        curve: Curve = getattr(curves, name)(self._tally("scores", Scores))
        return curve

    def merge(self, other: Evaluation) -> Evaluation:
        """Return the evaluation of both sides' rows, which must be of the same task."""
        from assay.evaluation.merge import merged  # noqa: PLC0415 - circular import

        return merged(self, other)

    def __repr__(self) -> str:
        title = self.task.title
        size, metrics = count_of(self.n, "row"), count_of(len(self), "metric")
        return f"<Evaluation of {size}: {title[0].lower()}{title[1:]}, {metrics}>"

    @functools.cached_property
    def classes(self) -> ClassTable:
        """Precision, recall and F1 of every class, each against the rest, with intervals.

        Of rows that may have several labels, those of every label; of several outputs MAE, RMSE and R².
        """
        from assay.evaluation.per_class import class_table  # noqa: PLC0415 - circular import

        return class_table(self)

    @functools.cached_property
    def outputs(self) -> Mapping[Label, Evaluation]:
        """The evaluation of each label, a binary task, or of each output, a regression, by its name.

        >>> import assay
        >>> actual, predicted = [[1.5, 0.5], [2.0, 1.0], [4.0, 0.0]], [[1.0, 0.5], [2.0, 1.5], [3.5, 0.0]]
        >>> ev = assay.evaluate(actual=actual, predicted=predicted, labels=["height", "weight"])
        >>> round(float(ev.outputs["height"]["mae"]), 4)
        0.3333
        """
        from assay.evaluation.outputs import evaluations_of_outputs  # noqa: PLC0415 - circular import

        return evaluations_of_outputs(self)

    def reading(self, name: str) -> tuple[MetricSpec, Tally, dict[str, Any], dict[str, Any]]:
        """Return a metric by its name, the tally it reads, and its options beside the tally and beside rows.

        The tally is one of those at hand, where one will do.
        """
        spec = self.spec(name)
        return (spec, *self.read(spec.metric, spec.options, held=True)[1:4])

    @functools.cached_property
    def slices(self) -> SlicesByColumn:
        """The evaluation of each slice of the rows, by each column of ``by=``, with tests against the rest.

        >>> import assay
        >>> table = {"y": [0, 1] * 40, "p": [0, 1] * 25 + [1, 0] * 15, "at": ["home"] * 50 + ["away"] * 30}
        >>> ev = assay.evaluate(table, actual="y", predicted="p", by="at")
        >>> ev.slices["at"]["home"]["accuracy"]
        1 [0.9287, 1]
        """
        from assay.evaluation.slices.slices import SlicesByColumn  # noqa: PLC0415 - circular import

        return SlicesByColumn(self)

    def partition(self, columns: tuple[str, ...]) -> RowPartition | TallyPartition:
        """Return the slices of the rows by columns, crossed where they are several."""
        from assay.evaluation.slices.partition import partition_of  # noqa: PLC0415 - circular import

        return partition_of(self, columns)

    def errors(self, which: str | None = None, n: int = 20) -> ErrorRows:
        """Return the rows with errors, at most `n` of each kind, the most confident errors first.

        For two classes ``"false_positives"`` and ``"false_negatives"``; for several classes ``"mistakes"``
        and ``"confusions"``, counts of the confused pairs of classes; for multilabel rows ``"mistakes"`` and
        ``"labels"``; for a regression ``"residuals"``, actual less predicted; for ranked ``"lists"`` those
        of the lowest NDCG. Rows are numbered from 0 in what the caller passed.

        >>> import assay
        >>> print(assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.2, 0.6, 0.9]).errors("false_positives"))
        false positives: 1 · highest score first
        row  actual  predicted   score
          2       0          1  0.6000
        """
        from assay.evaluation.error_rows import error_rows  # noqa: PLC0415 - loaded on first use

        return error_rows(self, which, n)


def _plain_name(spec: MetricSpec) -> str:
    """Return the name without options: the estimate's options are those of the evaluation."""
    return spec.name if spec.others else spec.base


def _missing(name: str, task_name: str) -> str:
    """Return what an evaluation lacks, and what would provide it."""
    if task_name != "binary":
        fit = {"confusion": "binary, multiclass and ordinal tasks have", "scores": "binary tasks have"}
        what = {"confusion": "cross table", "scores": "single column of scores"}
        return f"{what[name]}, which only {fit[name]}: this is a {task_name} task"
    if name == "scores":
        return f"scores: pass {param('score')} beside {param('actual')}"
    return f"predictions: pass {param('predicted')}, or {param('threshold')} for the scores"
