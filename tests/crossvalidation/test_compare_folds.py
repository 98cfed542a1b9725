"""Two and more cross-validations compared on the same folds."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.comparison.procedures import ResampleComparison
from assay.errors import InputError, MetricError, SplitError
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.resampling import holdout, kfold

X = np.random.default_rng(0).normal(size=(300, 4))
Y = (X.sum(axis=1) > 0).astype(int)
SPLIT = kfold(5, repeats=2)
MODELS = {
    "prior": DummyClassifier(strategy="prior"),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "logistic": LogisticRegression(),
}


def judge(model=MODELS["stump"], **options):
    return assay.crossval(model, X, Y, resubstitution=False, **options)


@pytest.fixture(scope="module")
def results():
    return [judge(model, split=SPLIT, name=name) for name, model in MODELS.items()]


def test_three_models_are_compared_in_pairs(results):
    """Every pair is what comparing the two alone gives, and p-values are adjusted by Holm over the pairs."""
    first, second, third = results
    comparison = first.compare(second, third, metric="accuracy")
    expected = [first.compare(second, metric="accuracy"), first.compare(third, metric="accuracy"),
                second.compare(third, metric="accuracy")]  # fmt: skip
    assert [pair.names for pair in comparison.pairs] == [pair.names for pair in expected]
    assert [pair.test for pair in comparison.pairs] == [pair.test for pair in expected]
    assert comparison.adjusted_p_values == tuple(holm([pair.test.p_value for pair in expected]).tolist())
    means = [np.mean(result.per_fold("accuracy")) for result in results]
    assert comparison.means == pytest.approx(means, rel=1e-12)
    assert comparison.best == "logistic"
    assert comparison.pair("prior", "logistic").winner == "logistic"
    assert isinstance(expected[0], ResampleComparison)


def test_the_text_has_every_model_and_pair(results):
    """A table of means, a table of differences, how p was adjusted, and what follows."""
    comparison = results[0].compare(*results[1:])
    text = str(comparison)
    for word in (*MODELS, "stump - prior", "logistic - stump", "p (Holm)", "over all 3 pairs"):
        assert word in text
    assert "logistic is better than prior" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    assert max(map(len, comparison.text(width=60).splitlines())) <= 60
    data = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert data["best"] == "logistic"
    assert [pair["adjusted_p_value"] for pair in data["pairs"]] == list(comparison.adjusted_p_values)


def test_losses_are_best_when_small(results):
    """The best model by a loss is the one with the smallest."""
    losses = [judge(model, split=SPLIT, name=name, metrics="log_loss") for name, model in MODELS.items()]
    comparison = losses[0].compare(*losses[1:])
    assert comparison.best == min(zip(comparison.means, MODELS, strict=True))[1]


def test_models_that_predict_alike(results):
    """A pair without a spread has no p-value: none is invented, and the others are adjusted all the same."""
    twin = judge(MODELS["prior"], split=SPLIT, name="twin")
    comparison = results[0].compare(twin, results[2], metric="accuracy")
    assert np.isnan(comparison.adjusted_p_values[0])
    assert comparison.to_dict()["pairs"][0]["adjusted_p_value"] is None
    assert "-" in str(comparison)
    assert comparison.adjusted_p_values[1] < 0.05


def test_models_of_one_name_get_letters(results):
    """Two models of the same class are told apart."""
    same = [
        judge(DecisionTreeClassifier(max_depth=depth, random_state=0), split=SPLIT) for depth in (1, 2, 3)
    ]
    assert same[0].compare(*same[1:]).names == ("a", "b", "c")


def test_what_cannot_be_compared(results):
    """Each is refused with what to do."""
    first = results[0]
    with pytest.raises(InputError, match="at least one other"):
        first.compare()
    with pytest.raises(InputError, match="metric="):
        first.compare(results[1], "accuracy")
    with pytest.raises(InputError, match="not with a list"):
        first.compare([results[1]])
    with pytest.raises(SplitError, match="not tested on the same folds"):
        first.compare(results[1], judge(split=5))
    with pytest.raises(SplitError, match="row by row"):
        judge(split=holdout()).compare(judge(split=holdout()))
    with pytest.raises(MetricError, match="no metric in common"):
        first.compare(judge(split=SPLIT, metrics="mcc"))
    with pytest.raises(InputError, match="there is no pair"):
        first.compare(*results[1:]).pair("stump", "prior")
