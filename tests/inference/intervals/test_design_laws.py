"""Laws of weights, groups and confidence over the whole catalogue: values, limits and standard errors.

Each law runs over an ordinary model and over models at the ends of what can happen (`designs.cases`). Where a
metric does not keep a law, `design_exceptions` says why, and says so only as long as it is true.
"""

import itertools
import math

import pytest
from support import design_exceptions as exceptions
from support.designs import (
    PER_QUERY,
    SIZE,
    cases,
    family,
    lognormal_weights,
    ordinary,
    own_groups,
    repeated,
    rows_of,
    unequal_groups,
)
from support.every_metric import every
from support.samples import SetData

import assay
from assay.metrics import Undefined, catalogue

CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
RESAMPLED = {"rmse_over_iqr", "rpiq"}  # a second per estimate: one law and one case must do
# Of the width of the interval of plain rows, that of as many groups of one row.
LEAST_RATIO, LARGEST_RATIO = 0.98, 1.6
LEAST_RATIO_OF_COPIES = 0.95
MANY, MANY_TOLERANCE = 2_000, 0.03
JACKKNIFE_TOLERANCE = 0.25


def estimate(metric, data, confidence=0.95, **design):
    return assay.estimate(metric, rows_of(metric, data, **design), confidence=confidence)


def judge(law, metric, broken):
    """Assert that a law holds, or that it is listed why it does not; what is listed must not hold."""
    reason = exceptions.EXCEPTIONS[law].get(metric.name)
    if reason is None:
        assert not broken, broken
    elif reason not in exceptions.DEPENDS_ON_ROUNDING:
        assert broken, f"the law holds now: take {metric.name} from the exceptions of {law!r} ({reason})"


def width(found):
    return 0.0 if found.low is None else found.high - found.low


def ratio(found, plain):
    """Return how many times wider an interval is than another."""
    if width(found) == width(plain):
        return 1.0
    return width(found) / width(plain) if width(plain) else math.inf


def near(one, other, scale):
    if one is None or other is None or one == other:
        return one == other
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other), scale)


def differing(one, other):
    """Return the names of what two estimates do not share."""
    if not one.defined or not other.defined:
        return [] if one.defined == other.defined else ["value"]
    scale = width(one) if 0 < width(one) < math.inf else 1e-6  # values near 0 are what sums leave of 0
    names = [
        name
        for name in ("value", "low", "high", "standard_error")
        if not near(getattr(one, name), getattr(other, name), scale)
    ]
    return names if one.method == other.method else [*names, "method"]


def takes_groups(metric):
    return metric.reads.__name__ != "Sets" and metric.name not in RESAMPLED


def is_fast(metric):
    return metric.name not in RESAMPLED


def cases_of(metric):
    """Return the cases by their names; of resampled metrics the ordinary one."""
    named = cases(family(metric))
    return named if is_fast(metric) else {"ordinary": named["ordinary"]}


def designs_of(metric, data):
    """Return the ways in which rows may come: plain, weighted, in groups of unequal sizes."""
    found = {"plain": {}}
    if metric.takes_weights:
        found["weighted"] = {"weight": lognormal_weights(data)}
    if takes_groups(metric):
        found["grouped"] = {"group": unequal_groups(data)}
    return found


def groupings(metric, name, data):
    """Return rows as they are and in groups; at the ends one or the other, by the length of the name."""
    both = [{}, {"group": unequal_groups(data)}] if takes_groups(metric) else [{}]
    return both if name == "ordinary" else [both[len(name) % len(both)]]


@pytest.mark.slow
@every(lambda metric: metric.takes_weights and is_fast(metric))
def test_a_factor_of_all_weights_changes_nothing(metric):
    """Weights of a survey, of costs, or that add up to 1: only how they compare matters."""
    broken = {}
    factors = itertools.cycle((1 / 25, 2, 3, 1e-6, 1e6))
    for name, data in cases_of(metric).items():
        weight = lognormal_weights(data)
        for design in groupings(metric, name, data):
            factor = next(factors)
            found = estimate(metric, data, weight=weight, **design)
            scaled = estimate(metric, data, weight=[factor * one for one in weight], **design)
            if names := differing(found, scaled):
                broken[name, factor, *design] = names, found.to_dict(), scaled.to_dict()
    judge("a factor of all weights", metric, broken)


@pytest.mark.slow
@every(lambda metric: metric.takes_weights)
def test_equal_weights_are_none(metric):
    """Whatever the one weight is: value, limits, standard error and method are those without weights."""
    broken = {}
    weights = itertools.cycle((2, 0.04, 1))
    for name, data in cases_of(metric).items():
        for design in groupings(metric, name, data):
            weight = next(weights)
            plain = estimate(metric, data, **design)
            equal = estimate(metric, data, weight=[weight] * len(data), **design)
            if names := differing(plain, equal):
                broken[name, weight, *design] = names, plain.to_dict(), equal.to_dict()
    judge("equal weights", metric, broken)


def alone(metric, named):
    """Return the cases where groups of one row say more than the rows, or much less."""
    broken = {}
    for name, data in named.items():
        plain, grouped = estimate(metric, data), estimate(metric, data, group=own_groups(data))
        if not plain.defined:
            assert not grouped.defined
            continue
        assert grouped.value == plain.value
        if plain.low is None or grouped.low is None:
            assert grouped.low is not None or grouped.note
            if plain.low is not None and (isinstance(name, tuple) or name == "ordinary"):
                broken[name] = "no interval", grouped.note
        elif not LEAST_RATIO <= ratio(grouped, plain) <= LARGEST_RATIO:
            broken[name] = ratio(grouped, plain), plain.to_dict(), grouped.to_dict()
    return broken


@every(takes_groups)
def test_groups_of_one_row_are_rows(metric):
    """Of 20 to 60 rows: as many groups have fewer degrees of freedom at most."""
    broken = alone(metric, {(size,): ordinary(family(metric), size) for size in (20, 30, SIZE, 60)})
    judge("groups of one row", metric, broken)


@every(takes_groups)
def test_groups_of_one_row_are_rows_at_the_ends(metric):
    """With rates of 0 and 1, and with one, two and five positives."""
    judge("groups of one row at the ends", metric, alone(metric, cases(family(metric))))


@every(takes_groups)
def test_many_groups_of_one_row_are_rows(metric):
    """Of 2,000 rows the limits agree."""
    name = family(metric)
    data = ordinary(name, MANY // 4 if name == "lists" else MANY)
    plain, grouped = estimate(metric, data), estimate(metric, data, group=own_groups(data))
    broken = {}
    if plain.low is not None:
        assert grouped.low is not None, grouped.note
        apart = max(abs(plain.low - grouped.low), abs(plain.high - grouped.high))
        if apart > MANY_TOLERANCE * width(plain):
            broken = {"many": (plain.to_dict(), grouped.to_dict())}
    judge("many groups of one row", metric, broken)


@every(takes_groups)
def test_copies_in_one_group_say_no_more(metric):
    """Rows three times, the copies of each in one group: no narrower than the rows alone."""
    broken = {}
    for name, data in cases(family(metric)).items():
        plain = estimate(metric, data)
        copies, group = repeated(data, 3)
        grouped = estimate(metric, copies, group=group)
        if plain.low is None or grouped.low is None:
            assert grouped.low is not None or not grouped.defined or grouped.note
        elif ratio(grouped, plain) < LEAST_RATIO_OF_COPIES:
            broken[name] = ratio(grouped, plain), plain.to_dict(), grouped.to_dict()
    judge("copies in one group", metric, broken)


@pytest.mark.slow
@every(is_fast)
def test_intervals_are_nested(metric):
    """The surer, the wider at both ends; the standard error has nothing to do with it."""
    broken = {}
    for number, (name, data) in enumerate(cases(family(metric)).items()):
        designs = designs_of(metric, data)
        if number:  # at the ends, every second case in groups and the others with weights or without in turn
            turn = ("weighted", "grouped", "plain", "grouped")[number % 4]
            designs = {turn: designs[turn]} if turn in designs else {"plain": {}}
        for design, columns in designs.items():
            rows = rows_of(metric, data, **columns)
            found = [assay.estimate(metric, rows, confidence=c) for c in CONFIDENCES]
            for inner, outer in itertools.pairwise(found):
                if inner.low is None:
                    continue
                if outer.low is None:
                    assert metric.kind == "order"  # no ranks are so sure
                    continue
                slack = 1e-12 * max(1.0, abs(inner.value))
                apart = inner.low < outer.low - slack or outer.high + slack < inner.high
                if apart or not near(inner.standard_error, outer.standard_error, slack):
                    broken[name, design, outer.confidence] = inner.to_dict(), outer.to_dict()
    judge("nested intervals", metric, broken)


@every(is_fast)
def test_an_interval_comes_with_a_standard_error_and_a_width(metric):
    """Wherever there is an interval, of plain, weighted and grouped rows."""
    without, without_at_the_ends, flat = {}, {}, {}
    for name, data in cases(family(metric)).items():
        for design, columns in designs_of(metric, data).items():
            found = estimate(metric, data, **columns)
            assert found.low is not None or found.note or not found.defined, "neither interval nor reason"
            if found.low is not None and found.standard_error is None:
                (without if name == "ordinary" else without_at_the_ends)[name, design] = found.to_dict()
            if found.low is not None and not found.low < found.high:
                flat[name, design] = found.to_dict()
    judge("a standard error", metric, without)
    judge("a standard error at the ends", metric, without_at_the_ends)
    judge("a width", metric, flat)


def jackknife(metric, data, unit, weight=None):
    """Return the standard error by leaving out each unit in turn (Tukey 1958)."""
    values = []
    for left_out in sorted(set(unit)):
        index = [i for i, one in enumerate(unit) if one != left_out]
        rest = None if weight is None else [weight[i] for i in index]
        rows = rows_of(metric, data.take(index), weight=rest)
        value = metric(rows) if isinstance(data, SetData) else metric(metric.tally(rows))
        assert not isinstance(value, Undefined), value
        values.append(float(value))
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return math.sqrt((len(values) - 1) / len(values) * squares)


@every(is_fast)
def test_the_standard_error_is_the_jackknife_s(metric):
    """Of 40 ordinary rows: plain, weighted, and in groups of three."""
    data = ordinary(family(metric), SIZE)
    units = own_groups(data)
    triples = [unit // 3 for unit in units] if not data.query else [int(one[1:]) // 3 for one in units]
    mild = [math.sqrt(one) for one in lognormal_weights(data)]  # so that no row of 40 decides
    designs = {"plain": ({}, units), "weighted": ({"weight": mild}, units)}
    designs["grouped"] = {"group": triples}, triples
    broken = {}
    for design in designs_of(metric, data):
        columns, unit = designs[design]
        found = estimate(metric, data, **columns)
        if found.low is None or found.standard_error is None:
            continue
        expected = jackknife(metric, data, unit, columns.get("weight"))
        if found.standard_error != pytest.approx(expected, rel=JACKKNIFE_TOLERANCE, abs=1e-12):
            broken[design] = found.standard_error, expected
    judge("the jackknife", metric, broken)


def test_exceptions_are_metrics():
    """No exception is of a metric that is not there."""
    names = {metric.name for metric in catalogue()}
    for law, listed in exceptions.EXCEPTIONS.items():
        assert names >= set(listed), law
    assert PER_QUERY > 10
