"""What is asked of a cross-validation, in every form: splits, metrics, intervals, workers; and what is refused."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from support.odd_models import Dying, Model, Witness, X, Y, judge

import assay
from assay.crossvalidation.fold_metrics import needs_of
from assay.errors import AssayError, InputError, LabelError, LengthError, MetricError
from assay.metrics import Undefined, catalogue
from assay.resampling import Split, as_cv, bootstrap, holdout, kfold, leave_one_out, walk_forward


def test_ready_splits_in_every_form():
    """Row numbers, masks, one split, a series, a column of names and scikit-learn's object are the same folds."""
    split = holdout(seed=5).split(Y)[0]
    expected = judge(split=holdout(seed=5)).per_fold("accuracy")
    masks = split.masks()
    pandas = pytest.importorskip("pandas")
    forms = [
        split, [split], holdout(seed=5).split(Y), [tuple(split)], [(masks["train"], masks["test"])],
        split.column(), split.column().tolist(), pandas.Series(split.column(), index=range(120, 0, -1)),
        as_cv(holdout(seed=5)), iter([tuple(split)]),
    ]  # fmt: skip
    for form in forms:
        assert judge(split=form).per_fold("accuracy") == expected
    three = holdout({"train": 0.5, "validate": 0.25, "test": 0.25}).split(Y)[0]
    assert Split.of_column(three.column()) == three
    assert judge(split=three.column(), part="validate").folds[0].n_test == 30


def test_ready_splits_of_repeats_keep_their_numbers():
    """Two times three folds are told as such, passed as a splitter or as splits; others are numbered."""
    splitter = kfold(3, repeats=2)
    tables = [
        judge(split=split, metrics="accuracy").prediction_columns() for split in (splitter, splitter.split(Y))
    ]
    for name in tables[0]:
        assert np.array_equal(tables[0][name], tables[1][name])
    assert "2.3" in str(judge(split=splitter.split(Y)))
    drawn = judge(split=list(bootstrap(3).split(Y)), metrics="accuracy")
    assert [fold.fold for fold in drawn.folds] == [0, 1, 2]


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ([(np.ones(10, dtype=bool), np.zeros(10, dtype=bool))], "a mask of 10 rows was given for 120"),
        ([([0, 1], [60, 60])], "row 60 is tested twice"),
        ([([0, 1], [2.5])], "rows are numbers from 0 to 119"),
        ([([0, 1], [120])], "rows are numbers from 0 to 119"),
        ([([0, 1], [-1])], "rows are numbers from 0 to 119"),
        ([5], "5 is no pair"),
        ([], "holds no splits"),
        (5.0, "neither a splitter nor a number"),
        (kfold, "neither a splitter nor a number"),
        (["a"] * 120, 'names "a": "train" and a part to test are needed'),
        (kfold(3).split(Y[:100]), "a split is of 100 rows, X has 120"),
        ([*holdout().split(Y), *holdout({"train": 0.5, "a": 0.25, "b": 0.25}).split(Y)], "different parts"),
    ],
)
def test_splits_that_are_none(split, words):
    """What is no split is said; a long array is not printed whole."""
    with pytest.raises(AssayError, match=words) as refused:
        judge(split=split)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        (5, "neither a metric nor a list"),
        ([("f_beta",)], "say it as a pair"),
        ([("f_beta", {"bta": 2})], "f_beta takes no bta"),
        (["accuracyy"], "Did you mean accuracy"),
        ([len], "found by its name"),
        (["subset_accuracy"], "rows with several labels"),
    ],
)
def test_metrics_that_are_none(metrics, words):
    """Before anything is fitted."""
    with pytest.raises(MetricError, match=words):
        judge(metrics=metrics)


def test_figures_are_found_as_they_were_asked_for():
    """By name, by alias, with or without options; what could be two is not guessed, an average is not its metric."""
    asked = ["acc", "macro f1", ("f_beta", {"beta": 2}), ("f_beta", {"beta": 0.5}), "matthews_corrcoef"]
    cv = judge(metrics=asked)
    assert list(cv) == ["accuracy", "macro_f1", "f_beta_beta_2", "f_beta_beta_0.5", "mcc"]
    assert cv["macro f1"] is cv["macro_f1"]
    assert cv["f_beta", {"beta": 2}] is cv["f_beta_beta_2"]
    assert cv["Accuracy"] is cv["accuracy"]
    assert "macro f1" in cv
    assert "f1" not in cv
    assert 5 not in cv
    with pytest.raises(MetricError, match=r'more than once: name one of "f_beta_beta_2", "f_beta_beta_0\.5"'):
        cv["f_beta"]
    assert judge(metrics=("f_beta", {"beta": 2}))["f_beta"].value == cv["f_beta_beta_2"].value
    with pytest.raises(MetricError, match="mae is for numbers, but y holds labels"):
        judge(target=np.array(["no", "yes"])[Y], positive="yes", metrics="mae")


def test_settings_that_contradict_the_rows():
    """Three classes are not binary, options are a dict, a class of options is passed on whole."""
    with pytest.raises(LabelError, match=r"y has 3 labels \(0, 1, 2\) where two are needed"):
        judge(target=np.arange(120) % 3, task="binary")
    with pytest.raises(InputError, match="fit_options= is a list, not a dict"):
        judge(fit_options=[1])
    with pytest.raises(LengthError, match="X has 120 rows, group has 3"):
        judge(group=[1, 2, 3])
    with pytest.raises(InputError, match="fold by fold"):
        assay.compare(judge(), judge())


@pytest.mark.parametrize("name", [metric.name for metric in catalogue()])
def test_every_metric_of_the_catalogue(name):
    """Each is read in every fold as from the fold's own rows, or it is said at once why not."""
    targets = {"classes": (GaussianNB(), Y), "numbers": (LinearRegression(), X[:, 0] * 2 + Y + 10)}
    done = 0
    for model, target in targets.values():
        try:
            cv = judge(model, target=target, metrics=name, resubstitution=False)
        except MetricError as refused:
            assert str(refused).endswith((".", ")"))  # noqa: PT017 - a sentence
            continue
        done += 1
        (spec,) = cv.setup.metrics
        for fold, value in zip(cv.folds, cv.per_fold(name), strict=True):
            rows = cv.setup.prediction_rows(fold.output, fold.test)[needs_of(spec)]
            plain = spec.metric(rows, **spec.options)
            assert isinstance(plain, Undefined) == isinstance(value, Undefined)
            assert isinstance(plain, Undefined) or value == pytest.approx(plain, rel=1e-12, nan_ok=True)
        json.dumps(cv.to_dict(), allow_nan=False)
        assert max(map(len, str(cv).splitlines())) <= 80
    assert done or figure_is_of_lists(name)


def figure_is_of_lists(name):
    return assay.metrics.find(name).reads.__name__ in ("Lists", "Sets")


def test_one_row_at_a_time_has_intervals_of_means_only():
    """Left out one by one, rows have errors whose mean has an interval; a root or an F1 of one row has none."""
    cv = judge(LinearRegression(), target=X[:, 0] + Y, split=leave_one_out(), metrics=["mae", "rmse", "r2"])
    assert cv["mae"].low is not None
    for name in ("rmse", "r2"):
        assert cv[name].low is None
        assert "says nothing about that of many" in cv[name].note
    assert cv["rmse"].value == pytest.approx(assay.metrics.rmse(cv.predictions))


def test_groups_widen_the_interval_of_a_single_split():
    """Rows of one patient are alike: a holdout of groups has the interval of groups, and so have predictions."""
    patient = np.repeat(np.arange(24), 5)
    features = np.repeat(np.random.default_rng(1).normal(size=(24, 2)), 5, axis=0)
    target = np.repeat((features[::5, 0] + np.random.default_rng(2).normal(size=24) > 0).astype(int), 5)
    alone = judge(
        features=features, target=target, split=holdout().split(target, group=patient), metrics="accuracy"
    )
    together = judge(features=features, target=target, split=holdout(), group=patient, metrics="accuracy")
    assert together["accuracy"].groups == 6
    assert (
        together["accuracy"].high - together["accuracy"].low > alone["accuracy"].high - alone["accuracy"].low
    )
    folds = judge(features=features, target=target, group=patient)
    assert assay.evaluate(folds.predictions)["accuracy"].groups == 24


def test_nested_intervals_go_by_keys_and_quantiles():
    """With keys, the interval is the same in any order of rows; a measured target is stratified there, too."""
    shuffle = np.random.default_rng(0).permutation(120)
    target, key = X[:, 0] + Y, np.arange(120)
    found = [
        judge(
            Model(lambda rows: rows[:, 1]), X[rows], target[rows], key=key[rows], task="regression", metrics="mae",
            split=kfold(4, bins=3), interval="nested", nested_repeats=2,
        )["mae"]
        for rows in (np.arange(120), shuffle)
    ]  # fmt: skip
    assert found[0].value == pytest.approx(found[1].value, rel=1e-12)
    assert found[0].high == pytest.approx(found[1].high, rel=1e-12)


def test_results_can_be_sent_and_kept():
    """A validation is pickled with its models and folds; its figures are the same."""
    cv = judge(LogisticRegression(), metrics=["accuracy", "auc", ("f_beta", {"beta": 2})], keep_models=True)
    again = pickle.loads(pickle.dumps(cv))  # noqa: S301 - our own
    assert str(again) == str(cv)
    assert again["auc"] == cv["auc"]


@pytest.mark.slow
def test_processes_that_are_started_anew():
    """Where a process starts from nothing, as on some systems, plan, model and metrics are sent to it."""
    script = (
        "import multiprocessing, numpy as np, assay\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    X = np.sin(np.arange(300.0)).reshape(100, 3); y = (X[:, 0] > 0).astype(int)\n"
        "    runs = [assay.crossval(DecisionTreeClassifier(), X, y, split=3, **more)\n"
        "            for more in ({}, {'jobs': 2, 'processes': True})]\n"
        "    print(str(runs[0]) == str(runs[1]))"
    )
    out = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert out.stdout.split() == ["True"]
    assert out.stderr == ""  # no bar where there is no terminal


def test_a_process_that_dies_is_told():
    """Out of memory or a crash in native code: an error with what to do, and no hanging."""
    with pytest.raises(InputError, match="a process ended before its model was fitted"):
        judge(Dying(), task="binary", jobs=2, processes=True)


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 6), st.integers(1, 3), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_no_row_is_judged_by_a_model_that_learnt_it(k, repeats, seed, jobs):
    """Every row is tested once a repeat, always by a model that has not seen it, for any number of jobs."""
    y = np.arange(60) % 3
    cv = judge(
        Witness(), np.arange(60.0)[:, None], y, task="multiclass", split=kfold(k, repeats=repeats, seed=seed),
        metrics="accuracy", jobs=jobs, resubstitution=False,
    )  # fmt: skip
    table = cv.prediction_columns()
    assert (np.bincount(table["row"]) == repeats).all()
    assert (table["predicted"] == 1).all()
    assert cv["accuracy"].value == pytest.approx((y == 1).mean())
    for fold in cv.folds:
        assert fold.n_train == 60 - fold.n_test
        assert abs(fold.n_test - 60 / k) < 1


def test_walks_forward_may_be_numbered():
    """Steps in time are folds one after the other, and the report says so."""
    cv = judge(split=walk_forward(3), time=np.arange(120))
    assert [fold.fold for fold in cv.folds] == [0, 1, 2]
    assert "3 steps forward in time" in str(cv)
