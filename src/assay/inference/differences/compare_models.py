"""Which of two or more models is better: every metric's difference by the method that suits it.

One table says which methods are tried for a metric, in their order; a method answers, or says why it fails
on these rows, or that it is not meant for them, and then the next is asked.
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
from assay.inference.differences.default_comparison_metrics import default_metrics
from assay.inference.differences.difference import Difference, Margin, direction, judged_by_margin
from assay.inference.differences.difference_request import DifferenceRequest, DifferenceResult
from assay.inference.differences.pairing import size_of
from assay.inference.formulas.delong import delong_several
from assay.inference.formulas.proportions import check_confidence
from assay.inference.hypothesis_tests.multiple_testing import benjamini_hochberg, holm
from assay.inference.hypothesis_tests.paired_proportions import cochran_q
from assay.inference.influence.row_contributions import outcomes
from assay.inputs import Rows
from assay.inputs.columns import doubles
from assay.inputs.labels import binary, encode
from assay.metrics import Metric, Undefined, find
from assay.metrics.spec import MetricSpec, is_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inference.differences.difference_request import ComparisonSettings, DifferenceMethod
    from assay.inference.differences.pairing import Models, Pair
    from assay.inference.formulas.proportions import Interval
    from assay.inference.test_result import Test

__all__ = [
    "Asked",
    "ComparisonTable",
    "asked_metrics",
    "difference_of",
    "judged",
    "methods_for",
    "with_positive",
]

Correction: TypeAlias = Literal["holm", "bh"] | None

_TWO = 2
_HALF = 0.5


class Asked(NamedTuple):
    """A metric with the options it is asked with."""

    metric: Metric
    options: dict[str, Any]

    @property
    def spec(self) -> MetricSpec:
        """The metric and its options as one."""
        return MetricSpec(self.metric, self.options)

    @property
    def name(self) -> str:
        """The metric's name with its average, and its other options where there are some."""
        said = ", ".join(f"{name}={value}" for name, value in self.spec.others.items())
        return f"{self.spec.base} ({said})" if said else self.spec.base


class ComparisonTable(NamedTuple):
    """All differences, metric by metric and pair by pair, and the tests of more than two models at once."""

    differences: tuple[Difference, ...]
    overall: dict[str, Test]
    family: int


def asked_metrics(
    metrics: Any, data: Sequence[Any], *, stated: bool = False, task: str | None = None
) -> list[Asked]:
    """Return the metrics asked for, each once, or those that suit the models' rows or tallies.

    A metric is a name such as ``"auc"`` or ``"macro f1"``, a metric, or either with its options:
    ``("ndcg", {"k": 10})``. `stated` says that a positive label was, `task` which kind of problem it is.
    """
    if metrics is None:
        return [Asked(find(name), {}) for name in default_metrics(data, stated=stated, task=task)]
    listed = [metrics] if isinstance(metrics, (str, Metric)) or is_pair(metrics) else list(metrics)
    if not listed:
        raise MetricError("metrics= is empty: name at least one, or leave it out.")
    specs = [MetricSpec.of(one) for one in listed]
    found = [Asked(spec.metric, spec.options) for spec in specs]
    return list({one.name: one for one in reversed(found)}.values())[::-1]


def judged(
    models: Models,
    asked: Sequence[Asked],
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
    check_confidence(confidence)
    if margin is not None and confidence <= _HALF:
        raise MetricError(
            f"confidence={confidence!r}: a margin is judged by intervals of more than 0.5, such as 0.95."
        )
    if correction not in ("holm", "bh", None):
        raise MetricError(f'correction={correction!r} is not known: use "holm", "bh" or None.')
    if against not in ("all", "first"):
        raise MetricError(f'against={against!r} is not known: use "all" or "first".')
    for what, given in (("margin", margin), ("detect", detect)):
        _check_named(given, asked, what)
    pairs = list(itertools.combinations(range(len(models.names)), 2))
    if against == "first":
        pairs = [pair for pair in pairs if pair[0] == 0]
    found, overall = [], {}
    kept: dict[tuple[int, ...], dict[tuple[int, int], Pair]] = {}
    for one in asked:
        if one.metric.kind == "statistic":
            raise MetricError(
                f"{one.metric.name} is the statistic of a test: two of them say nothing about which model is "
                "better. Ask for the figure that it tests."
            )
        options = with_positive(one, models, positive)
        read = models.read_by(one.metric, options)
        held = tuple(map(id, read.data))
        if held not in kept:  # metrics that read the same data share what a pair makes of it
            kept[held] = {pair: read.pair(*pair) for pair in pairs}
        matched = kept[held]
        values = [_value(one.metric, data, options) for data in read.data]
        limits = (_for(margin, one, "margin"), _for(detect, one, "detect"))
        for first, second in pairs:
            names = (models.names[first], models.names[second])
            match = DifferenceRequest(
                one.metric, options, (values[first], values[second]),
                matched[first, second], confidence, settings,
            )  # fmt: skip
            found.append(difference_of(match, one.name, names, *limits))
        if len(models.names) > _TWO and models.paired:
            test = _overall(one.metric, options, models)
            if test is not None:
                overall[one.name] = test
    tested = [place for place, one in enumerate(found) if not isinstance(one.p, Undefined)]
    family = len(tested) if correction else 1
    if correction and tested:
        correct = holm if correction == "holm" else benjamini_hochberg
        adjusted = correct([float(found[place].p) for place in tested])
        for place, p in zip(tested, adjusted.tolist(), strict=True):
            found[place] = dataclasses.replace(found[place], adjusted=p, family=family)
    return ComparisonTable(tuple(found), overall, len(tested))


def difference_of(
    match: DifferenceRequest, name: str, names: tuple[str, str], margin: float | None, detect: float | None
) -> Difference:
    """Return the difference of a match: by the first method that has an answer, or why there is none."""
    metric, values = match.metric, match.values
    n = _size(match)
    turn = direction(metric)
    difference = _distance(values, names)
    if isinstance(difference, Undefined):
        return Difference(
            name, *names, values, difference, None, None, match.confidence, difference, "", "", n,
            direction=turn, detect=detect,
        )  # fmt: skip
    answer = _answer(match)
    if isinstance(answer, str):
        return Difference(
            name, *names, values, difference, None, None, match.confidence, Undefined(answer), "", "", n,
            direction=turn, detect=detect, note=answer,
        )  # fmt: skip
    note = answer.note
    if match.settings.ordered and not answer.method.startswith("Diebold"):
        note = "; ".join(filter(None, [note, "it does not allow for rows that go together in time"]))
    judged_margin = None if margin is None or not turn else _by_margin(match, answer, turn, margin)
    return Difference(
        name, *names, values, difference, answer.low, answer.high, match.confidence, answer.test.p,
        answer.method, answer.test.method, n, answer.n, turn,
        standard_error=answer.standard_error, note=note, disagreeing=answer.disagreeing,
        groups=answer.groups, design_effect=answer.design_effect, more=answer.more, margin=judged_margin,
        detect=detect, same=answer.standard_error == 0 == difference,
    )  # fmt: skip


def _by_margin(match: DifferenceRequest, answer: DifferenceResult, turn: int, margin: float) -> Margin | None:
    """Return what a margin allows to claim; None where there is no interval."""
    # The narrower interval leaves on either side what the wider one leaves on both: one-sided tests.
    narrow = _answer(dataclasses.replace(match, confidence=2 * match.confidence - 1))
    limits = [_turned(one, turn) for one in (answer, narrow)]
    if limits[0] is None or limits[1] is None:
        return None
    return judged_by_margin(turn * match.difference, limits[0], limits[1], margin, answer.standard_error)


def _turned(answer: DifferenceResult | str, turn: int) -> Interval | None:
    """Return an answer's interval, turned so that more is better."""
    if isinstance(answer, str) or answer.low is None or answer.high is None:
        return None
    return (answer.low, answer.high) if turn > 0 else (-answer.high, -answer.low)


def _answer(match: DifferenceRequest) -> DifferenceResult | str:
    """Return the answer of the first method that has one, or all their reasons."""
    reasons: list[str] = []
    for method in methods_for(match.metric, match.options, paired=match.pair.paired):
        found = method(match)
        if isinstance(found, DifferenceResult):
            said = [*reasons, found.note] if found.note else reasons
            return found._replace(note="; ".join(said))
        if found:
            reasons.append(found)
    if not reasons:
        rows = match.pair.has_rows
        return "no method is meant for rows like these" if rows else "tallies say too little: give the rows"
    return "; ".join(dict.fromkeys(reasons))


def methods_for(metric: Metric, options: dict[str, Any], *, paired: bool) -> tuple[DifferenceMethod, ...]:
    """Return the methods to try for a metric, in order.

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


def _overall(metric: Metric, options: dict[str, Any], models: Models) -> Test | None:
    """Return the test that all models are alike: Cochran's of shares, DeLong's of areas; else None."""
    first = models.data[0]
    if not isinstance(first, Rows) or first.weight is not None or first.group is not None:
        return None
    if metric.name == "auc" and not options.get("average"):
        positive = binary(first.need("actual", "auc"), first.positive, first.labels)[0]
        if min(int(positive.sum()), int(len(positive) - positive.sum())) < _TWO:
            return None
        scores = [doubles(one.need("score", "auc").numbers("scores")) for one in models.data]
        return delong_several(scores, positive, 1 - positive)
    if metric.kind != "proportion" or options.get("average"):
        return None
    hits = []
    for one in models.data:
        (actual, known), (predicted, said) = (
            encode(one.need(role, metric.name)) for role in ("actual", "predicted")
        )
        labels = tuple(dict.fromkeys((*known, *said)))
        place = np.array([labels.index(label) for label in said], dtype=np.intp)
        found = outcomes(metric, options, labels, actual.astype(np.intp), place[predicted])
        if found is None or not found.fixed:
            return None
        hits.append(found.hit[found.counted])
    return cochran_q(np.stack(hits, axis=1))


def _value(metric: Metric, data: Any, options: dict[str, Any]) -> Any:
    return metric(data, **options)


def _distance(values: tuple[Any, Any], names: tuple[str, str]) -> float | Undefined:
    """Return the second value less the first, or whose value it is that lacks."""
    for value, name in zip(values, names, strict=True):
        if isinstance(value, Undefined):
            return Undefined(f"{value.reason} ({name})")
        if math.isinf(value):
            return Undefined(f"it is infinite ({name})")
    return float(values[1] - values[0])


def _size(match: DifferenceRequest) -> int:
    of_queries = match.metric.each is not None
    sizes = [size_of(one, of_queries=of_queries) for one in (match.pair.first, match.pair.second)]
    return sizes[0] if match.pair.paired else sum(sizes)


def with_positive(asked: Asked, models: Models, positive: Any) -> dict[str, Any]:
    """Return a metric's options with the positive label that the rows, or the caller, state."""
    metric, options = asked
    stated = getattr(models.data[0], "positive", None) if isinstance(models.data[0], Rows) else positive
    if stated is None or "positive" not in metric.view_options or options.get("average"):
        return options
    return {"positive": stated, **options}


def _for(given: float | Mapping[str, float] | None, asked: Asked, what: str) -> float | None:
    """Return the number given for a metric: one for all, or by the metrics' names."""
    number: Any = given
    if isinstance(given, Mapping):
        by_metric = {MetricSpec.of(name).base: value for name, value in given.items()}
        number = by_metric.get(asked.spec.base, by_metric.get(asked.metric.name))
    if number is None:
        return None
    if not (isinstance(number, Real) and 0 < float(number) < math.inf):
        raise MetricError(f"{what}={number!r} must be a number above 0, or one for each metric by its name.")
    return float(number)


def _check_named(given: Any, asked: Sequence[Asked], what: str) -> None:
    """Raise where a number is given for a metric that is not compared: it would go unheeded."""
    compared = [one.spec.base for one in asked]
    known = {*compared, *(one.metric.name for one in asked)}
    for name in given if isinstance(given, Mapping) else ():
        if MetricSpec.of(name).base not in known:
            raise MetricError(f"{what}= names {name}, which is not compared: only {', '.join(compared)}.")
