"""A metric with an average or options is named alike wherever a metric is named."""

import json

import numpy as np
import polars as pl
import pytest
import sklearn.metrics
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.cli.main import main

RNG = np.random.default_rng(5)
N = 240
Y = RNG.integers(0, 2, N)
SCORE = {name: np.round(0.3 * Y + 0.7 * RNG.random(N), 2) for name in ("old", "new")}
PREDICTED = {name: (score >= 0.5).astype(int) for name, score in SCORE.items()}
REGION = np.array(["north", "south", "west"])[RNG.integers(0, 3, N)]
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
F_2 = ("f_beta", {"beta": 2})


def macro_f1(actual, predicted):
    return sklearn.metrics.f1_score(actual, predicted, average="macro")


def f_2(actual, predicted):
    return sklearn.metrics.fbeta_score(actual, predicted, beta=2)


def macro_f_2(actual, predicted):
    return sklearn.metrics.fbeta_score(actual, predicted, beta=2, average="macro")


# By what scikit-learn computes.
METRICS = {
    "macro f1": macro_f1, "macro_f1": macro_f1, "f1_macro": macro_f1, "f_beta(beta=2)": f_2,
    "f_beta_beta_2": f_2, "macro f_beta(beta=2)": macro_f_2, "weighted f1": lambda a, p: sklearn.metrics.f1_score(
        a, p, average="weighted"),
    "micro f1": lambda a, p: sklearn.metrics.f1_score(a, p, average="micro"),
}  # fmt: skip


@pytest.fixture(scope="module")
def ev():
    """The new model, sliced by region."""
    return assay.evaluate({"region": REGION}, actual=Y, score=SCORE["new"], by="region")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Both models in a file."""
    path = tmp_path_factory.mktemp("names") / "rows.csv"
    pl.DataFrame({"y": Y, **PREDICTED, "p": SCORE["new"]}).write_csv(path)
    return str(path)


def by_evaluate(name, ev, _):
    return ev[name].value, ev.rows


def by_estimate(name, ev, _):
    return ev.estimate(name).value, ev.rows


def by_function(name, ev, _):
    return assay.estimate(name, ev.rows).value, ev.rows


def by_compare(name, ev, _):
    return assay.compare(actual=Y, predicted=PREDICTED, metrics=[name])[name].values[1], ev.rows


def by_slices(name, ev, _):
    (line,) = [each for each in ev.slices["region"].report(name).lines if each.label == "south"]
    return line.estimate.value, ev.rows.take(REGION == "south")


def by_slice_differences(name, ev, _):
    differences = ev.slices["region"].differences([name])
    (south,) = [each for (key, _), each in differences.items() if key == "south"]
    return south.values[1], ev.rows.take(REGION == "south")


def by_crossval(name, *_):
    cv = assay.crossval(TREE, SCORE["new"][:, None], Y, metrics=[name], split=4, progress=False)
    return cv[name].value, cv.predictions


def by_choose_threshold(name, ev, _):
    chosen = ev.choose_threshold(best=name)
    at = ev.at(chosen)
    best = max(ev.at(float(cut))[name].value for cut in np.unique(SCORE["new"]))
    assert chosen.estimate.value == pytest.approx(best, rel=1e-12)
    return chosen.estimate.value, at.rows


def by_decisions(name, ev, _):
    chosen = assay.decisions.choose_threshold(ev.rows, best=name)
    return chosen.estimate.value, ev.at(chosen).rows


DOORS = [
    by_evaluate, by_estimate, by_function, by_compare, by_slices, by_slice_differences, by_crossval,
    by_choose_threshold, by_decisions,
]  # fmt: skip


def expected(name, rows):
    return METRICS[name](rows.actual.values, rows.predicted.values)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("door", DOORS)
def test_a_name_with_an_average_or_options_is_understood(door, name, ev, table):
    """With the value that scikit-learn computes of the same rows."""
    value, rows = door(name, ev, table)
    assert value == pytest.approx(expected(name, rows), rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_the_command_line_understands_it_too(name, ev, table, capsys):
    """As --metrics, and as --require of an evaluation."""
    options = ["--actual", "y", "--predicted", "old", "--predicted", "new", "--metrics", name, "--json"]
    assert main(["compare", table, *options]) == 0
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    value = expected(name, ev.rows)
    assert difference["second_value"] == pytest.approx(value, rel=1e-12)
    for limit, code in ((value - 1e-6, 0), (value + 1e-6, 1)):
        requirement = ["--require-point", f"{name} >= {limit!r}"]
        assert main(["evaluate", table, "--actual", "y", "--predicted", "new", *requirement]) == code
        assert ("is not met" in capsys.readouterr().err) == (code == 1)


@pytest.mark.parametrize("metric", [F_2, assay.metrics.f1, (assay.metrics.find("f_beta"), {"beta": 2})])
@pytest.mark.parametrize("door", DOORS)
def test_a_metric_and_a_pair_with_options_are_understood(door, metric, ev, table):
    """Wherever a name is."""
    value, rows = door(metric, ev, table)
    function = f_2 if isinstance(metric, tuple) else sklearn.metrics.f1_score
    assert value == pytest.approx(function(rows.actual.values, rows.predicted.values), rel=1e-12)


@pytest.mark.parametrize(
    "key", ["f_beta_beta_2", "macro_f_beta_beta_0.5", "ndcg_k_10", "recall_positive_spam"]
)
def test_the_key_of_a_result_is_a_name(key):
    """What a JSON file calls a metric can be asked for."""
    assert assay.metrics.spec.MetricSpec.of(key).name == key


@pytest.mark.parametrize(
    ("text", "near"), [("f1_scores", "f1"), ("hit_rate_at_depth", "hit_rate"), ("macro_f1_scores", "f1")]
)
def test_a_name_that_goes_on_after_a_metric_is_refused_with_near_names(text, near):
    """A metric's name with more behind it is a key with options only if the options are there."""
    with pytest.raises(assay.MetricError, match=near):
        assay.metrics.spec.MetricSpec.of(text)
