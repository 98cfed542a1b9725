"""Compare two or more models: the difference on every metric, by the method that suits it, with corrected p.

The methods for a metric are tried in order: each returns a result, or a reason why it fails on these rows, or
None if it is not meant for them; then the next is tried.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay.errors import MetricError
from assay.hints import param, passed
from assay.inference.differences.difference import Difference, Margin, assess_margin, direction
from assay.inference.differences.difference_request import DifferenceRequest, DifferenceResult
from assay.inference.differences.pairing import size_of
from assay.inference.formulas.delong import delong_several
from assay.inference.formulas.proportions import check_confidence
from assay.inference.hypothesis_tests.multiple_testing import benjamini_hochberg, holm
from assay.inference.hypothesis_tests.paired_proportions import cochran_q
from assay.inference.influence.row_contributions import outcomes_of_rows, row_contributions
from assay.inputs import Rows
from assay.metrics import Metric, Undefined
from assay.metrics.spec import MetricSpec, requested_metrics, values_of, with_positive

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from assay.inference.differences.difference_request import ComparisonSettings, DifferenceMethod
    from assay.inference.differences.pairing import Models, Pair
    from assay.inference.formulas.proportions import Interval
    from assay.inference.test_result import TestResult
    from assay.tallies import Tally

__all__ = [
    "ComparisonTable",
    "compare_metrics",
    "comparison_name",
    "compute_difference",
    "methods_for",
    "metric_options",
    "metric_specs",
    "subtract",
]

Correction: TypeAlias = Literal["holm", "bh"] | None

_TWO_MODELS = 2
_MIN_ROWS_PER_CLASS = 2  # for a variance
_MIN_CONFIDENCE_WITH_MARGIN = 0.5


class ComparisonTable(NamedTuple):
    """All differences, metric by metric and pair by pair, and the tests of more than two models at once.

    ``family`` is how many differences have a p-value.
    """

    differences: tuple[Difference, ...]
    overall: dict[str, TestResult]
    family: int


def metric_specs(metrics: Any) -> list[MetricSpec]:
    """Return the metrics to compare, each once.

    A metric is a name such as ``"auc"`` or ``"macro f1"``, a metric, or either with its options:
    ``("ndcg", {"k": 10})``.
    """
    specs = requested_metrics(metrics)
    return list({comparison_name(spec): spec for spec in reversed(specs)}.values())[::-1]


def comparison_name(spec: MetricSpec) -> str:
    """Return the name of a metric in a comparison: with its average, and its other options in brackets.

    >>> comparison_name(MetricSpec.of(("macro f_beta", {"beta": 2})))
    'macro_f_beta (beta=2)'
    """
    options = ", ".join(f"{name}={value}" for name, value in spec.others.items())
    return f"{spec.base} ({options})" if options else spec.base


def compare_metrics(
    models: Models,
    specs: Sequence[MetricSpec],
    *,
    confidence: float = 0.95,
    correction: Correction = "holm",
    against: Literal["all", "first"] = "all",
    margin: float | Mapping[str, float] | None = None,
    detect: float | Mapping[str, float] | None = None,
    positive: Any = None,
    settings: ComparisonSettings,
) -> ComparisonTable:
    """Return every pair's difference on every metric, their p-values corrected as one family."""
    _check_arguments(specs, confidence, correction, against, margin=margin, detect=detect)
    pairs = list(itertools.combinations(range(len(models.names)), 2))
    if against == "first":
        pairs = [pair for pair in pairs if pair[0] == 0]
    differences: list[Difference] = []
    overall: dict[str, TestResult] = {}
    pairs_of_data: dict[tuple[int, ...], dict[tuple[int, int], Pair]] = {}
    for spec, metric in zip(specs, _metrics_of_models(models, specs, positive), strict=True):
        name, data = comparison_name(spec), metric.models.data
        identity = tuple(map(id, data))
        if identity not in pairs_of_data:  # metrics that read the same data share what a pair makes of it
            pairs_of_data[identity] = {pair: metric.models.pair(*pair) for pair in pairs}
        limits = (_number_for(margin, spec, "margin"), _number_for(detect, spec, "detect"))
        for first, second in pairs:
            pair = pairs_of_data[identity][first, second]
            left, right = (
                metric.tallies[index] if side is data[index] else None  # or its weights were rescaled
                for index, side in ((first, pair.first), (second, pair.second))
            )
            request = DifferenceRequest(
                spec.metric, metric.options, (metric.values[first], metric.values[second]), pair, confidence,
                settings, tallies=(left, right),
            )  # fmt: skip
            names = (models.names[first], models.names[second])
            differences.append(compute_difference(request, name, names, *limits))
        if len(models.names) > _TWO_MODELS and models.paired:
            test = _test_of_all_models(spec.metric, metric.options, models)
            if test is not None:
                overall[name] = test
    return ComparisonTable(*correct_differences(differences, correction, overall))


class _MetricOfModels(NamedTuple):
    """A metric's options, the models as it reads them, and each model's tally and value."""

    options: dict[str, Any]
    models: Models
    tallies: list[Tally]
    values: list[Any]


def _metrics_of_models(models: Models, specs: Sequence[MetricSpec], positive: Any) -> list[_MetricOfModels]:
    """Return the value of every metric for every model, with the tallies that it was computed from."""
    tallies_of_rows: dict[Any, Tally] = {}
    read: list[tuple[dict[str, Any], Models, list[tuple[Tally, dict[str, Any]]]]] = []
    for spec, stated in zip(specs, metric_options(specs, models, positive), strict=True):
        own = models.read_by(spec.metric, stated)
        options = own.options_for(models, stated)
        # Rows of one of several labels are the metric's own, and so are their tallies.
        tallied = own.tallied(spec, options, tallies_of_rows if own is models else {})
        read.append((options, own, tallied))
    calls = [
        (spec.metric, tally, options)
        for spec, (_, _, tallied) in zip(specs, read, strict=True)
        for tally, options in tallied
    ]
    values = iter(values_of(calls))
    return [
        _MetricOfModels(options, own, [tally for tally, _ in tallied], [next(values) for _ in tallied])
        for options, own, tallied in read
    ]


def _check_arguments(
    specs: Sequence[MetricSpec],
    confidence: float,
    correction: Correction,
    against: str,
    *,
    margin: float | Mapping[str, float] | None,
    detect: float | Mapping[str, float] | None,
) -> None:
    check_confidence(confidence)
    if margin is not None and confidence <= _MIN_CONFIDENCE_WITH_MARGIN:
        raise MetricError(
            f"{passed('confidence', confidence)}: a margin is tested by intervals of more than 0.5, such "
            "as 0.95."
        )
    if correction not in ("holm", "bh", None):
        raise MetricError(f'{passed("correction", correction)} is not known: use "holm", "bh" or None.')
    if against not in ("all", "first"):
        raise MetricError(f'{passed("against", against)} is not known: use "all" or "first".')
    for argument, numbers in (("margin", margin), ("detect", detect)):
        _check_names(numbers, specs, argument)
    for spec in specs:
        if spec.metric.kind == "statistic":
            raise MetricError(
                f"{spec.metric.name} is the statistic of a test: two of them say nothing about which model "
                "is better. Ask for the metric that it tests."
            )


def correct_differences(
    differences: list[Difference], correction: Correction, overall: dict[str, TestResult]
) -> tuple[tuple[Difference, ...], dict[str, TestResult], int]:
    """Return the differences with p-values corrected for their number, the overall tests, and that number."""
    tested = [index for index, item in enumerate(differences) if not isinstance(item.p_value, Undefined)]
    if correction and tested:
        correct = holm if correction == "holm" else benjamini_hochberg
        adjusted = correct([float(differences[index].p_value) for index in tested])
        for index, p_value in zip(tested, adjusted.tolist(), strict=True):
            differences[index] = dataclasses.replace(differences[index], adjusted=p_value, family=len(tested))
    return tuple(differences), overall, len(tested)


def compute_difference(
    request: DifferenceRequest,
    name: str,
    names: tuple[str, str],
    margin: float | None,
    detect: float | None,
) -> Difference:
    """Return the difference of two models on a metric, by the first method that has a result.

    Without a result, the difference says why there is none.
    """
    values, n, turn = request.values, _size(request), direction(request.metric)
    difference = subtract(values, names)
    if isinstance(difference, Undefined):
        return Difference(
            name, *names, values, difference, None, None, request.confidence, difference, "", "", n,
            direction=turn, detect=detect,
        )  # fmt: skip
    result = _first_result(request)
    if isinstance(result, str):
        return Difference(
            name, *names, values, difference, None, None, request.confidence, Undefined(result), "", "", n,
            direction=turn, detect=detect, note=result,
        )  # fmt: skip
    note = result.note
    if request.settings.ordered and not result.method.startswith("Diebold"):
        note = "; ".join(filter(None, [note, "it does not allow for rows that go together in time"]))
    return Difference(
        name, *names, values, difference, result.low, result.high, request.confidence, result.test.p_value,
        result.method, result.test.method, n, result.n, turn,
        standard_error=result.standard_error, note=note, disagreeing=result.disagreeing,
        groups=result.groups, design_effect=result.design_effect, more=result.more,
        margin=None if margin is None or not turn else _claims_by_margin(request, result, turn, margin),
        detect=detect, same=result.standard_error == 0 == difference,
    )  # fmt: skip


def _claims_by_margin(
    request: DifferenceRequest, result: DifferenceResult, turn: int, margin: float
) -> Margin | None:
    """Return what a margin allows to claim; None where there is no interval."""
    # The narrower interval leaves on either side what the wider one leaves on both: one-sided tests.
    narrow = _first_result(dataclasses.replace(request, confidence=2 * request.confidence - 1))
    limits = [_oriented_interval(each, turn) for each in (result, narrow)]
    if limits[0] is None or limits[1] is None:
        return None
    return assess_margin(turn * request.difference, limits[0], limits[1], margin, result.standard_error)


def _oriented_interval(result: DifferenceResult | str, turn: int) -> Interval | None:
    """Return a result's interval, turned so that more is better."""
    if isinstance(result, str) or result.low is None or result.high is None:
        return None
    return (result.low, result.high) if turn > 0 else (-result.high, -result.low)


def _first_result(request: DifferenceRequest) -> DifferenceResult | str:
    """Return the result of the first method that has one, or the reasons of all."""
    reasons: list[str] = []
    for method in methods_for(request.metric, request.options, paired=request.pair.paired):
        result = method(request)
        if isinstance(result, DifferenceResult):
            return result._replace(note="; ".join(filter(None, [*reasons, result.note])))
        if result:
            reasons.append(result)
    if reasons:
        return "; ".join(dict.fromkeys(reasons))
    if request.pair.has_rows:
        return "no method is meant for rows like these"
    return "tallies say too little: give the rows"


def methods_for(metric: Metric, options: dict[str, Any], *, paired: bool) -> tuple[DifferenceMethod, ...]:
    """Return the methods to try for a metric, in order.

    >>> from assay.metrics import find
    >>> [method.__name__ for method in methods_for(find("auc"), {}, paired=True)]
    ['compare_aucs', 'compare_by_bootstrap']
    """
    # Imported here, since every evaluation loads this module for its slices, and few compare anything.
    if paired:
        from assay.inference.differences.paired_differences import BY_KIND, BY_METRIC  # noqa: PLC0415
    else:
        from assay.inference.differences.independent_differences import BY_KIND, BY_METRIC  # noqa: PLC0415
    if options.get("average") and metric.kind in ("proportion", "rank"):
        return BY_KIND["counts"]
    return BY_METRIC.get(metric.name, BY_KIND[metric.kind])


def _test_of_all_models(metric: Metric, options: dict[str, Any], models: Models) -> TestResult | None:
    """Return the test that all models are alike: Cochran's Q of proportions, DeLong's of AUC; else None."""
    first = models.data[0]
    if not isinstance(first, Rows) or first.weight is not None or first.group is not None:
        return None
    if metric.name == "auc" and not options.get("average"):
        each = [metric.of_class(rows, dict(options)) for rows in models.data]
        positive = each[0].binary_actual("auc")[0]
        if min(int(positive.sum()), int(len(positive) - positive.sum())) < _MIN_ROWS_PER_CLASS:
            return None
        scores = [rows.need("score", "auc").float64("scores") for rows in each]
        return delong_several(scores, positive, 1 - positive)
    if metric.kind != "proportion" or options.get("average"):
        return None
    hits: list[NDArray[np.bool_]] = []
    if first.multioutput:
        shares = [row_contributions(metric, rows, options) for rows in models.data]
        hits = [share == 1 for share in shares if share is not None]
        return cochran_q(np.stack(hits, axis=1)) if len(hits) == len(shares) else None
    for rows in models.data:
        outcomes = outcomes_of_rows(metric, options, rows)
        if outcomes is None or not outcomes.fixed:
            return None
        hits.append(outcomes.hit[outcomes.counted])
    return cochran_q(np.stack(hits, axis=1))


def subtract(values: tuple[Any, Any], names: tuple[str, str]) -> float | Undefined:
    """Return the second value less the first, or which model has no finite value, and why."""
    for value, name in zip(values, names, strict=True):
        if isinstance(value, Undefined):
            return Undefined(f"{value.reason} ({name})")
        if math.isinf(value):
            return Undefined(f"it is infinite ({name})")
    return float(values[1] - values[0])


def _size(request: DifferenceRequest) -> int:
    """Return how many rows or queries the two models have: the same ones, or both together."""
    of_queries = request.metric.each is not None
    sizes = [size_of(data, of_queries=of_queries) for data in request.pair.both]
    return sizes[0] if request.pair.paired else sum(sizes)


def metric_options(specs: Iterable[MetricSpec], models: Models, positive: Any) -> list[dict[str, Any]]:
    """Return each metric's options with the positive label that the rows, or the caller, state."""
    first = models.data[0]
    stated = first.positive if isinstance(first, Rows) else positive
    return [options for _, options in with_positive([(spec.metric, spec.options) for spec in specs], stated)]


def _number_for(numbers: float | Mapping[str, float] | None, spec: MetricSpec, argument: str) -> float | None:
    """Return the number for a metric from an argument: one for all metrics, or a mapping by their names."""
    number: Any = numbers
    if isinstance(numbers, Mapping):
        by_metric = {MetricSpec.of(name).base: value for name, value in numbers.items()}
        number = by_metric.get(spec.base, by_metric.get(spec.metric.name))
    if number is None:
        return None
    if not (isinstance(number, Real) and 0 < float(number) < math.inf):
        raise MetricError(
            f"{passed(argument, number)} must be a number above 0, or one for each metric by its name."
        )
    return float(number)


def _check_names(numbers: Any, specs: Sequence[MetricSpec], argument: str) -> None:
    """Raise where a number is given for a metric that is not compared: it would be ignored."""
    compared = [spec.base for spec in specs]
    known = {*compared, *(spec.metric.name for spec in specs)}
    for name in numbers if isinstance(numbers, Mapping) else ():
        if MetricSpec.of(name).base not in known:
            raise MetricError(
                f"{param(argument)} names {name}, which is not compared: only {', '.join(compared)}."
            )
