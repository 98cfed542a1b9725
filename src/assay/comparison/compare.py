"""Compare models: their differences on some metrics, with intervals and corrected p-values."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal

from assay.comparison.evaluated_models import (
    are_matched,
    model_data,
    model_names,
    with_evaluation_settings,
)
from assay.comparison.flips import Flips, flips_of
from assay.comparison.model_task import default_names, infer_models_task, prepare_for_metrics
from assay.comparison.proxy_differences import power_differences, powered_models
from assay.comparison.ranked_models import Leaderboard, leaderboard_of
from assay.comparison.shortcuts import ComparisonShortcuts
from assay.comparison.standings import standings
from assay.errors import InputError, MetricError, suggest_keywords
from assay.evaluation.validation import check_task, refuse_several_columns
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import format_p, number_or_none
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.differences.compare_models import (
    compare_metrics,
    comparison_name,
    metric_options,
    metric_specs,
)
from assay.inference.differences.difference_request import ComparisonSettings
from assay.inference.differences.pairing import count_empty_lists, prepare_models
from assay.inference.intervals.choose_interval import estimate
from assay.inputs.multilabel import has_several_outputs
from assay.metrics.spec import MetricSpec, is_pair, metric_title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
    from assay.evaluation.task import Task, TaskName
    from assay.inference.differences.compare_models import Correction
    from assay.inference.differences.difference import Difference
    from assay.inference.differences.pairing import Models
    from assay.inference.estimate import Estimate
    from assay.inference.test_result import TestResult

__all__ = ["Comparison", "compare"]

_TWO_MODELS = 2
_TASKS_OF_LABELS = ("binary", "multiclass", "ordinal")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparisonShortcuts):
    """Models' differences on some metrics, with their tests, corrected as one family.

    Made by :func:`compare`. It prints as a table with a plain sentence below; ``comparison["auc"]`` is one
    :class:`~assay.inference.differences.difference.Difference`, of more than two models
    ``comparison["auc", "a", "b"]``.
    """

    differences: tuple[Difference, ...]
    overall: dict[str, TestResult]
    family: int
    confidence: float
    correction: Correction
    models: Models
    requests: tuple[MetricSpec, ...]
    task: Task | None = None
    powered: Mapping[str, PoweredEvaluation] = dataclasses.field(default_factory=dict)

    @property
    def positive(self) -> Any:
        """The positive label, where there is one."""
        return None if self.task is None else self.task.positive

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names."""
        return self.models.names

    @property
    def paired(self) -> bool:
        """Whether the models were evaluated on the same rows, and so compared row by row."""
        return self.models.paired

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each model has, or queries where only these are compared."""
        return self.models.sizes(of_queries=self.of_queries)

    @property
    def of_queries(self) -> bool:
        """Whether all that is compared are means over queries."""
        return all(request.metric.each is not None for request in self.requests)

    @property
    def empty_lists(self) -> int:
        """How many ranked lists have no relevant item, in the model that has most of them."""
        return max(map(count_empty_lists, self.models.data)) if self.of_queries else 0

    @property
    def groups(self) -> int | None:
        """How many groups the rows come in."""
        counts = (difference.groups for difference in self.differences)
        return next((count for count in counts if count is not None), None)

    @property
    def dropped(self) -> int:
        """How many rows were left out because a value was missing."""
        return max(getattr(data, "dropped", 0) for data in self.models.data)

    @functools.cached_property
    def flips(self) -> tuple[Flips, ...]:
        """Which rows get better and worse from one model to the other, for each pair that predicts labels."""
        if self.task is None or self.task.name not in _TASKS_OF_LABELS:
            return ()
        pairs = dict.fromkeys((each.first, each.second) for each in self.differences)
        index = self.names.index
        flips_of_pairs = (
            flips_of(self.models.pair(index(first), index(second)), first, second) for first, second in pairs
        )
        return tuple(flips for flips in flips_of_pairs if flips is not None)

    def ranks(self, metric: str) -> dict[str, tuple[int, int]]:
        """Return the interval of each model's rank on a metric, 1 the best, by corrected tests of all pairs.

        With Holm's correction all intervals hold together with the confidence.
        """
        pairs = [pair for pair in self.differences if pair.metric in self.metric_names(metric)]
        size = len(self.names)
        if len(pairs) < size * (size - 1) // 2 or not all(pair.direction for pair in pairs):
            raise MetricError(
                f"{metric} ranks no models: it needs all pairs of them, and a better direction."
            )
        beaten = {name: [0, 0] for name in self.names}  # by how many others, and how many others
        for pair in pairs:
            if pair.winner is not None:
                beaten[pair.winner][1] += 1
                beaten[pair.first if pair.winner == pair.second else pair.second][0] += 1
        return {name: (1 + lost, size - won) for name, (lost, won) in beaten.items()}

    @property
    def leaderboard(self) -> dict[str, dict[str, tuple[int, int]]]:
        """The intervals of ranks by metric, where more than two models were compared in all pairs by Holm."""
        if len(self.names) <= _TWO_MODELS or self.correction != "holm":
            return {}
        directed = dict.fromkeys(pair.metric for pair in self.differences if pair.direction)
        ranks_by_metric = {}
        for metric in directed:
            with contextlib.suppress(MetricError):
                ranks_by_metric[metric] = self.ranks(metric)
        return ranks_by_metric

    def standings(self, metric: str | None = None) -> Leaderboard:
        """Return the models on a metric, best first, with intervals, ranks, and letters of those alike.

        `metric` may be left out where one was compared. ``.to_latex()`` is the table of a paper.
        """
        compared = list(dict.fromkeys(pair.metric for pair in self.differences))
        if metric is None and len(compared) > 1:
            raise MetricError(
                f"{len(compared)} metrics were compared: name one, as in standings({compared[0]!r})."
            )
        chosen = next(
            (name for name in compared if metric is None or name in self.metric_names(metric)), None
        )
        if chosen is None:
            raise MetricError(f"{metric} was not compared.")
        self.ranks(chosen)  # which says what is missing for an order
        return leaderboard_of(
            metric_title(chosen), standings(self, chosen),
            [pair for pair in self.differences if pair.metric == chosen],
            {name: self.estimate(chosen, name) for name in self.names}, self.confidence,
        )  # fmt: skip

    def tied_with_best(self, metric: str) -> list[str]:
        """Return the models that no other is shown to be better than on a metric."""
        return [name for name, (low, _) in self.ranks(metric).items() if low == 1]

    def estimate(self, metric: str, model: str) -> Estimate:
        """Return one model's own value of a metric that was compared, with its interval."""
        for request in self._requests_for(metric):
            if model in self.powered:
                return self.powered[model].estimate(request, confidence=self.confidence)
            if model in self.names:
                (options,) = metric_options([request], self.models, self.positive)
                read = self.models.read_by(request.metric, options)
                data, options = read.data[self.names.index(model)], read.options_for(self.models, options)
                return estimate(request.metric, data, confidence=self.confidence, **options)
        raise MetricError(f"{metric} of {model} was not compared.")

    def metric_names(self, metric: Any) -> set[str]:
        """Return under which names a metric was compared: itself, by an alias, or with some average."""
        return {comparison_name(request) for request in self._requests_for(metric)}

    def _requests_for(self, metric: Any) -> list[MetricSpec]:
        """Return what was compared under a name: its own, any alias, and with an average or without."""
        of_name = [request for request in self.requests if metric == comparison_name(request)]
        if of_name:
            return of_name
        spec = MetricSpec.of(metric)
        same = [
            request
            for request in self.requests
            if request.metric is spec.metric and spec.others.items() <= request.options.items()
        ]
        averaged_alike = [request for request in same if request.average == spec.average]
        return averaged_alike or ([] if spec.average else same)

    def __getitem__(self, key: Any) -> Difference:
        metric, *pair = key if isinstance(key, tuple) and not is_pair(key) else (key,)
        names = self.metric_names(metric)
        matches = [
            difference
            for difference in self.differences
            if difference.metric in names
            and (not pair or (difference.first, difference.second) == tuple(pair))
        ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise MetricError(
                f"there are {len(matches)} differences in {MetricSpec.of(metric).base}: name the models too, "
                "as in [metric, a, b]."
            )
        raise MetricError(f"{' '.join([str(MetricSpec.of(metric)), *pair])} was not compared.")

    def _ipython_key_completions_(self) -> list[str]:
        return list(dict.fromkeys(difference.metric for difference in self.differences))

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    __repr__ = ComparisonShortcuts.__str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {
            "models": list(self.names),
            "task": None if self.task is None else self.task.name,
            "paired": self.paired,
            "n": list(self.sizes),
            "dropped": self.dropped,
            "empty_lists": self.empty_lists,
            "confidence": self.confidence,
            "correction": self.correction,
            "family": self.family,
            "differences": [difference.to_dict() for difference in self.differences],
            "flips": [flips.to_dict() for flips in self.flips],
            "overall": {name: test.to_dict() for name, test in self.overall.items()},
            "leaderboard": {
                metric: {name: list(limits) for name, limits in ranks.items()}
                for metric, ranks in self.leaderboard.items()
            },
            "summary": self.summary,
        }
        return dict(json_safe(data))

    def tables(self) -> list[ResultTable]:
        """Return the differences, a row for each metric and pair of models."""
        differences = self.differences
        columns: dict[str, list[Any]] = {
            "metric": [difference.metric for difference in differences],
            "first": [difference.first for difference in differences],
            "second": [difference.second for difference in differences],
            "first_value": [number_or_none(difference.values[0]) for difference in differences],
            "second_value": [number_or_none(difference.values[1]) for difference in differences],
            "difference": [
                IntervalCell(number_or_none(difference.difference), difference.low, difference.high)
                for difference in differences
            ],
            "p_value": [number_or_none(difference.p_value) for difference in differences],
            "adjusted_p_value": [number_or_none(difference.adjusted) for difference in differences],
            "winner": [difference.winner for difference in differences],
            "method": [difference.method for difference in differences],
        }
        headings = {"p_value": "p", "adjusted_p_value": "adjusted p"}
        frame_only = ["winner"]  # seen in the sign of the difference
        if len(self.names) == _TWO_MODELS:
            headings |= dict(zip(("first_value", "second_value"), self.names, strict=True))
            frame_only += ["first", "second"]
        if self.correction is None or self.family <= 1:
            frame_only.append("adjusted_p_value")
        printed_as: dict[str, Callable[[Any], str]] = {
            "metric": metric_title, "p_value": format_p, "adjusted_p_value": format_p,
        }  # fmt: skip
        return [ResultTable(columns, headings=headings, frame_only=tuple(frame_only), printed_as=printed_as)]


@suggest_keywords
def compare(
    *models: Any,
    metrics: Any = None,
    names: Sequence[str] | None = None,
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    weight: Any = None,
    group: Any = None,
    query: Any = None,
    labels: Any = None,
    positive: Any = None,
    missing: Literal["refuse", "drop"] = "refuse",
    task: TaskName | None = None,
    paired: bool | None = None,
    confidence: float = 0.95,
    correction: Correction = "holm",
    against: Literal["all", "first"] = "all",
    margin: float | Mapping[str, float] | None = None,
    detect: float | Mapping[str, float] | None = None,
    test: str | Sequence[str] | None = None,
    ordered: bool = False,
    horizon: int = 1,
    replicates: int = 1999,
    seed: int = 0,
) -> Comparison:
    """Compare two or more models: which is better, by how much, and whether more rows would tell.

    Parameters
    ----------
    models
        Evaluations, or rows of each model (:func:`assay.rows`), on the same rows in the same order; or their
        tallies, and evaluations that hold no more, which count as different rows; or one joint tally
        (``PairedLabels``, ``PairedScores``); or a table whose columns are named below.
    metrics
        Names of metrics, some with an average or options: ``["auc", "macro f1", ("ndcg", {"k": 10})]``. By
        default what suits the rows.
    names
        What the models are called; by default the names of their columns, or a, b, c.
    actual, weight, group, query, labels, positive, missing
        As in :func:`assay.rows`: one for all models. Rows that one model lacks are left out of all.
    task
        As in :func:`assay.evaluate`: inferred where there is no doubt. Evaluations have theirs.
    predicted, score
        What differs: a mapping from model to column, or a list of the table's column names.
    paired
        None: paired where the actual values are the same, one by one. False: different rows, whose variances
        add.
    confidence
        Of the intervals; what it leaves is the level of the tests.
    correction
        Of the p-values for their number, over all metrics and pairs: ``"holm"``, ``"bh"`` or None.
    against
        Which pairs of more than two models: ``"all"``, or each against the ``"first"``.
    margin
        A difference that would not matter, fixed before the rows are seen, one or by metric. It allows to
        claim that the second model is not inferior, or equivalent; that it does not differ significantly
        never says so.
    detect
        A difference that one wants to see, one or by metric: how many rows would that take?
    test
        Other tests than the usual ones: ``"exact"``, ``"corrected"``, ``"uncorrected"`` for shares (McNemar),
        ``"wilcoxon"``, ``"sign-flips"`` for means, ``"delong"`` where rows are few, ``"permutation"``.
    ordered, horizon
        Rows are in order of time, forecast so many steps ahead: mean losses by Diebold and Mariano's test.
    replicates, seed
        Of methods that draw at random: how often, and where they begin.

    Returns
    -------
    Comparison
        Differences with intervals and tests, as a table and as sentences.

    Raises
    ------
    InputError
        The models, or their columns, are not given in one way, or do not fit each other.
    ColumnError
        A column is not there, or is none.
    LengthError
        Models that are to be paired have different numbers of rows.
    MetricError
        A metric, test or correction is not known, or a setting does not fit.

    Examples
    --------
    >>> import assay
    >>> y = [0] * 50 + [1] * 50
    >>> a = assay.rows(actual=y, predicted=[0] * 38 + [1] * 12 + [1] * 40 + [0] * 10)
    >>> b = assay.rows(actual=y, predicted=[0] * 48 + [1] * 2 + [1] * 41 + [0] * 9)
    >>> print(assay.compare(a, b, metrics=["accuracy", "recall"]))
    paired on 100 rows · 95% intervals · p corrected by Holm over 2 tests
    <BLANKLINE>
                   a       b                       b - a         p    Holm p
    accuracy  0.7800  0.8900  +0.1100 [+0.0625, +0.1863]  0.000488  0.000977
    recall    0.8000  0.8200  +0.0200 [-0.0528, +0.1050]       0.5       0.5
    <BLANKLINE>
    accuracy and recall: Tango; McNemar's test, mid-p.
    <BLANKLINE>
    b is better on accuracy by 0.1100 [0.0625, 0.1863] (Holm p = 0.000977); on
    recall the data cannot tell them apart: about 850 more rows would (80% power, if
    the difference is as large as it looks).
    <BLANKLINE>
    Flips: b is right on 11 rows that a has wrong, and wrong on no row that a has
    right; 11% of predictions differ.
    """
    if any(hasattr(model, "per_fold") for model in models):
        raise InputError(
            "cross-validations are compared fold by fold, because their folds go together: say "
            "first.compare(second) or first.compare(second, third), or compare a single split's rows: "
            "first.predictions, second.predictions."
        )
    check_task(task)
    if not has_several_outputs(models[0] if models else None, actual, None):
        refuse_several_columns({"actual": actual, "predicted": None})
    inputs = prepare_models(
        model_data(models), default_names=model_names(models), names=names, paired=paired,
        predicted=predicted, score=score, missing=missing, actual=actual, weight=weight, group=group,
        query=query, labels=labels, positive=positive,
    )  # fmt: skip
    if are_matched(models, inputs.data):
        inputs = dataclasses.replace(inputs, matched=True)
    inferred, inputs = infer_models_task(inputs, models, task, positive)
    specs = metric_specs(default_names(inferred, inputs, models) if metrics is None else metrics)
    inputs = prepare_for_metrics(inputs, specs, inferred)
    requests = [with_evaluation_settings(spec, models, inputs.names) for spec in specs]
    tests = (test,) if isinstance(test, str) else tuple(test or ())
    settings = ComparisonSettings(tests, ordered, horizon, replicates, seed)
    result = compare_metrics(
        inputs, requests, confidence=confidence, correction=correction, against=against, margin=margin,
        detect=detect, positive=None if inferred is None else inferred.positive, settings=settings,
    )  # fmt: skip
    powered = powered_models(models, inputs.names)
    result = power_differences(powered, requests, result, correction, paired=inputs.paired)
    return Comparison(
        result.differences,
        result.overall,
        result.family,
        confidence,
        correction,
        inputs,
        tuple(requests),
        inferred,
        powered,
    )
