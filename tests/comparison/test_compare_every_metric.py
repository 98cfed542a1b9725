"""Every metric of the catalogue is compared: with a test, or with the reason why there is none."""

import numpy as np
import pytest

import assay
from assay.metrics import Undefined, catalogue
from assay.tallies.loss_arguments import positional_parameters

N = 72
RNG = np.random.default_rng(11)
TWO = RNG.integers(0, 2, N)
THREE = RNG.integers(0, 3, N)
LEVELS = np.round(RNG.gamma(3, 1, N)) + 1
PROBABILITIES = {
    name: 1 / (1 + np.exp(-(TWO - 0.5 + s * RNG.normal(size=N)))) for name, s in (("a", 1.0), ("b", 0.7))
}
CLASSES = {
    name: 0.5 * RNG.dirichlet(np.ones(3), N) + 0.5 * np.eye(3)[np.where(RNG.random(N) < 0.6, THREE, 0)]
    for name in "ab"
}
GROUP = np.arange(N) // 6
OF_TWO = {"actual": TWO, "predicted": {name: (p > 0.5) * 1 for name, p in PROBABILITIES.items()}}
OF_THREE = {
    "actual": THREE, "predicted": {name: p.argmax(1) for name, p in CLASSES.items()}, "task": "multiclass",
}  # fmt: skip
OF_NUMBERS = {"actual": LEVELS, "predicted": {name: LEVELS * RNG.uniform(0.7, 1.4, N) for name in "ab"}}
OF_SCORES = {"actual": TWO, "score": PROBABILITIES}
OF_CLASS_SCORES = {"actual": THREE, "score": CLASSES}
ROWS = {
    "Binary": OF_TWO, "Classes": OF_THREE, "Ordered": OF_THREE, "Ranks": OF_SCORES, "Probabilities": OF_SCORES,
    "ClassRanks": OF_CLASS_SCORES, "Confidence": OF_CLASS_SCORES, "Lists": {**OF_SCORES, "query": GROUP},
}  # fmt: skip
OPTIONS = {
    "mase": {"scale": 1.0}, "crps_gaussian": {"deviation": 1.0}, "precision_at_prevalence": {"prevalence": 0.2},
    "npv_at_prevalence": {"prevalence": 0.2},
}  # fmt: skip
UNWEIGHTED = ("Lists", "ValuePairs")
METRICS = [metric for metric in catalogue() if metric.reads.__name__ != "Sets"]


def rows_for(metric):
    view = metric.reads.__name__
    if view != "Mean":
        return ROWS.get(view, OF_NUMBERS)
    asked = set(positional_parameters(metric.loss))
    if asked & {"codes", "scores", "probabilities"}:
        return OF_CLASS_SCORES
    return OF_NUMBERS if "predicted" in asked else OF_SCORES


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_is_compared(metric):
    """Plain rows, rows in groups, and weighted ones; from either side; a p-value, and no line without words."""
    given = {**rows_for(metric), "metrics": [(metric, OPTIONS.get(metric.name, {}))], "replicates": 9}
    if metric.kind == "statistic":
        with pytest.raises(assay.MetricError, match="statistic of a test"):
            assay.compare(**given)
        return
    for more in ({}, {"group": GROUP // 2}, {"weight": 0.5 + GROUP % 3}):
        if "weight" in more and metric.reads.__name__ in UNWEIGHTED:
            with pytest.raises(assay.AssayError, match="weight"):
                assay.compare(**given, **more)
            continue
        found = assay.compare(**given, **more)
        (one,) = found
        assert found.summary.endswith(".")
        if isinstance(one.difference, Undefined):
            assert one.difference.reason
            continue
        assert not isinstance(one.p_value, Undefined), one.p_value
        assert 0 <= one.p_value <= 1
        assert one.method
        assert one.test
        if one.low is not None:
            assert one.low <= one.difference <= one.high
            assert -one.high <= metric.bounds[1] - metric.bounds[0]


@pytest.mark.parametrize(
    "metric", [one for one in METRICS if one.kind != "statistic"], ids=lambda metric: metric.name
)
def test_every_metric_is_compared_on_different_rows(metric):
    """Each model's first rows against the other's last ones."""
    sides = rows_for(metric)
    query = {} if "query" not in sides else {"query": sides["query"]}
    both = []
    for name, kept in (("a", slice(0, 42)), ("b", slice(42, N))):
        columns = {role: sides[role][name] for role in ("predicted", "score") if role in sides}
        both.append(assay.rows(actual=sides["actual"], **columns, **query).take(kept))
    task = {"task": sides["task"]} if "task" in sides else {}
    (one,) = assay.compare(*both, **task, metrics=[(metric, OPTIONS.get(metric.name, {}))], replicates=9)
    if not isinstance(one.difference, Undefined):
        assert one.n == (12 if query else N)
        if metric.kind == "extreme" or isinstance(one.p_value, Undefined):
            assert isinstance(one.p_value, Undefined)
            words = ("no spread", "same value", "there is no test")
            assert metric.kind == "extreme" or any(word in one.p_value.reason for word in words)
        else:
            assert 0 <= one.p_value <= 1
            assert one.low <= one.difference <= one.high


def test_groups_of_queries():
    """Whole queries go together, and a query in two groups is refused."""
    given = {**ROWS["Lists"], "metrics": "ndcg"}
    plain, grouped = assay.compare(**given)["ndcg"], assay.compare(**given, group=GROUP // 2)["ndcg"]
    assert grouped.difference == plain.difference
    assert (grouped.groups, grouped.n) == (6, 12)
    each = assay.compare(**given, group=GROUP)["ndcg"]  # a query a group: the paired t
    assert each.p_value == pytest.approx(plain.p_value, rel=1e-9)
    with pytest.raises(assay.InputError, match="different groups"):
        assay.compare(**given, group=np.arange(N) % 2)


def test_order_in_time_is_told_where_it_is_not_allowed_for():
    """Only mean losses have a test for it."""
    found = assay.compare(**OF_SCORES, metrics=["brier", "auc"], ordered=True, horizon=2)
    assert found["brier"].method == "Diebold-Mariano"
    assert "in time" in found["auc"].note
