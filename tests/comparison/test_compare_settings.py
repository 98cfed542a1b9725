"""Comparing evaluations by the costs, the beta, the prevalence and the depth that they were given."""

import numpy as np
import pytest

import assay
from assay.metrics.spec import MetricSpec

COST = {"actual": [0] * 60 + [1] * 40, "cost_fp": 1, "cost_fn": 5}
OLD, NEW = [0] * 50 + [1] * 10 + [1] * 20 + [0] * 20, [0] * 40 + [1] * 20 + [1] * 35 + [0] * 5


def test_costs_are_those_that_the_evaluations_were_given():
    """The compared values are the evaluations' own."""
    old, new = (assay.evaluate(predicted=one, **COST) for one in (OLD, NEW))
    found = assay.compare(old, new, metrics="cost")
    assert found["cost"].values == (old["cost"].value, new["cost"].value)
    assert found["cost"].values == ((10 + 5 * 20) / 100, (20 + 5 * 5) / 100)
    assert found["cost"].metric == "misclassification_cost (cost_fp=1, cost_fn=5)"
    stated = assay.compare(old, new, metrics=("cost", {"cost_fn": 2}))["cost"]
    assert stated.values == ((10 + 2 * 20) / 100, (20 + 2 * 5) / 100)


def test_different_costs_are_refused_with_both():
    """They are not the same metric."""
    old = assay.evaluate(predicted=OLD, name="old", **COST)
    new = assay.evaluate(predicted=NEW, name="new", **{**COST, "cost_fn": 2})
    with pytest.raises(assay.InputError, match="of old was evaluated with cost_fp=1 and cost_fn=5") as no:
        assay.compare(old, new, metrics="cost")
    assert "that of new with cost_fp=1 and cost_fn=2" in str(no.value)
    bare = assay.evaluate(predicted=NEW, actual=COST["actual"], name="bare")
    with pytest.raises(assay.InputError, match="that of bare with no cost_fp or cost_fn"):
        assay.compare(old, bare, metrics="cost")
    assert assay.compare(old, bare, metrics="accuracy")["accuracy"].values == (0.7, 0.75)


def test_depth_beta_and_prevalence_are_the_evaluations_own():
    """Ranked lists to the depth that was asked for; F-beta and precision at a prevalence alike."""
    rng = np.random.default_rng(3)
    lists = {"query": np.repeat(np.arange(30), 6), "actual": rng.integers(0, 3, 180)}
    given = [assay.evaluate(**lists, score=rng.random(180), k=2) for _ in range(2)]
    assert assay.compare(*given)["ndcg"].values == tuple(one["ndcg"].value for one in given)
    more = {"actual": COST["actual"], "beta": 2, "prevalence": 0.1}
    given = [assay.evaluate(predicted=one, **more) for one in (OLD, NEW)]
    for name in ("f_beta", "precision_at_prevalence"):
        assert assay.compare(*given, metrics=name)[name].values == tuple(one[name].value for one in given)
    assert given[0]["f_beta"].value == given[0]["f_2"].value


def test_saved_evaluations_are_compared_unpaired_and_say_so(tmp_path):
    """In memory the rows are matched one by one; what was saved keeps tallies alone, with their settings."""
    evaluations = [assay.evaluate(predicted=predicted, **COST) for predicted in (OLD, NEW)]
    saved = []
    for number, evaluation in enumerate(evaluations):
        evaluation.save(tmp_path / f"{number}.assay")
        saved.append(assay.load(tmp_path / f"{number}.assay"))
    kept, loaded = (assay.compare(*models, metrics=["accuracy", "cost"]) for models in (evaluations, saved))
    assert (kept.paired, loaded.paired) == (True, False)
    assert str(kept).startswith("paired on 100 rows")
    assert str(loaded).startswith("not paired: tallies keep no pairs of rows, 100 and 100")
    for name in ("accuracy", "cost"):
        assert kept[name].values == loaded[name].values
    with pytest.raises(assay.InputError, match="hold no pairs of rows: give rows, or a joint tally"):
        assay.compare(*saved, metrics="accuracy", paired=True)


def test_metrics_with_options_are_read_as_everywhere():
    """An average in the name, a pair with options, several of one metric; each found by its options."""
    old, new = (assay.rows(actual=COST["actual"], predicted=predicted) for predicted in (OLD, NEW))
    metrics = ["macro f1", ("f_beta", {"beta": 2}), ("f_beta", {"beta": 3}), MetricSpec.of("recall")]
    compared = assay.compare(old, new, metrics=metrics)
    names = ["macro_f1", "f_beta (beta=2)", "f_beta (beta=3)", "recall"]
    assert [difference.metric for difference in compared] == names
    assert compared["macro f1"] is compared["macro_f1"] is compared["f1"]
    for beta in (2, 3):
        value = assay.metrics.f_beta(new, beta=beta)
        assert compared[f"f_beta (beta={beta})"].values[1] == value
        assert compared.estimate(f"f_beta (beta={beta})", "b").value == value
    with pytest.raises(assay.MetricError, match="2 differences in f_beta"):
        _ = compared["f_beta"]
