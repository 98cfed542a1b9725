"""Cross-validation: its figures against scikit-learn and arithmetic, its promises, what it refuses."""

# ruff: noqa: N803, ARG002, D102 - models speak as those of scikit-learn do

import functools
import math
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.errors import InputError, LabelError, LengthError, MetricError, SplitError
from assay.inference.distributions import student_quantile
from assay.metrics import Undefined
from assay.resampling import as_cv, bootstrap, holdout, kfold, leave_group_out, leave_one_out, walk_forward

X, Y = make_classification(300, 6, n_informative=3, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


class Constant:
    """A model that says one label, and knows no scikit-learn."""

    def __init__(self, label=1):
        self.label = label

    def fit(self, X, y):
        self.seen = len(X)

    def predict(self, X):
        return np.full(len(X), self.label)


class Fragile(Constant):
    """A model that fails where the first row is not learnt from."""

    def fit(self, X, y):
        if not (np.asarray(X)[:, 0] == X_FIRST).any():
            raise RuntimeError("I need\nthe first row")


X_FIRST = X[0, 0]


@functools.cache
def trees(**more):
    return assay.crossval(
        TREE, X, Y, metrics=["accuracy", "kappa", "f1", "auc", "average_precision", "brier"], **more
    )


def test_the_values_are_those_of_scikit_learn():
    """Fold by fold, the same figures as cross_validate's on the same folds."""
    scoring = ["accuracy", "f1", "roc_auc", "average_precision", "neg_brier_score"]
    peer = cross_validate(TREE, X, Y, cv=as_cv(kfold(10)), scoring=scoring)
    cv = trees()
    for name, theirs in zip(["accuracy", "f1", "auc", "average_precision", "brier"], scoring, strict=True):
        assert np.array(cv.per_fold(name)) == pytest.approx(np.abs(peer[f"test_{theirs}"]), rel=1e-12)


def test_counts_are_pooled_and_ranks_averaged():
    """The F1 of all folds is that of their counts together, the AUC the mean of the folds' own."""
    cv = trees()
    rows = cv.predictions
    assert len(rows) == len(Y)
    for name in ("accuracy", "kappa", "f1", "brier"):
        assert cv.combination(name) == "pooled"
        assert cv[name].value == cv.pooled(name) == assay.metrics.find(name)(rows)
    for name in ("auc", "average_precision"):
        assert cv.combination(name) == "averaged"
        assert cv[name].value == pytest.approx(np.mean(cv.per_fold(name)), rel=1e-15)
        assert cv[name].value != cv.pooled(name)


def test_the_interval_is_that_of_nadeau_and_bengio():
    """The mean's error is sqrt(1/10 + 1/9) times the spread of ten folds; the naive one lacks the 1/9."""
    cv = trees()
    values = np.array(cv.per_fold("kappa"))
    t = student_quantile(0.95, 9)
    found = cv.averaged("kappa")
    assert found.value == pytest.approx(values.mean())
    assert found.high - found.value == pytest.approx(t * values.std(ddof=1) * math.sqrt(1 / 10 + 1 / 9))
    naive = cv.naive("kappa")
    assert naive.high - naive.value == pytest.approx(t * values.std(ddof=1) / math.sqrt(10))
    assert "optimistic" in naive.method
    assert cv["kappa"].high - cv["kappa"].low == pytest.approx(found.high - found.low)


@pytest.mark.parametrize("more", [{"jobs": 3}, {"jobs": 2, "processes": True}])
def test_jobs_do_not_show(more):
    """Threads and processes give the very same values, also of models that left their seed open."""
    model = RandomForestClassifier(5)
    one = assay.crossval(model, X, Y, split=4, seed=7)
    other = assay.crossval(model, X, Y, split=4, seed=7, **more)
    assert [fold.values for fold in one.folds] == [fold.values for fold in other.folds]
    assert one.training == other.training
    assert str(one) == str(other)
    assert model.random_state is None


def test_the_seed_of_a_model_stays_where_it_was_set():
    """A random_state that was set is not changed; one left open differs from fold to fold."""
    cv = assay.crossval(TREE, X, Y, split=3, keep_models=True)
    assert [model.random_state for model in cv.models] == [0, 0, 0]
    cv = assay.crossval(make_pipeline(DecisionTreeClassifier()), X, Y, split=3, keep_models=True)
    assert len({model[0].random_state for model in cv.models}) == 3
    assert cv.model[0].tree_.n_node_samples[0] == len(Y)


@pytest.mark.parametrize("form", ["list", "pandas", "polars", "pyarrow", "sparse", "coo", "dict"])
def test_rows_are_passed_on_in_their_form(form):
    """A frame's rows reach the model as that frame; the figures are those of the array."""
    if form == "list":
        given, kind = X.tolist(), list
    elif form in ("sparse", "coo"):
        sparse = pytest.importorskip("scipy.sparse")
        given, kind = getattr(sparse, "csr_array" if form == "sparse" else "coo_matrix")(X), object
    elif form == "dict":
        given, kind = {str(i): X[:, i] for i in range(X.shape[1])}, dict
    else:
        library = pytest.importorskip(form)
        columns = {f"c{i}": X[:, i] for i in range(X.shape[1])}
        given = (library.table if form == "pyarrow" else library.DataFrame)(columns)
        kind = type(given)

    class Seeing(DecisionTreeClassifier):
        def fit(self, X, y):
            assert isinstance(X, kind)
            return super().fit(self.plain(X), y)

        def predict(self, X):
            return super().predict(self.plain(X))

        @staticmethod
        def plain(X):
            if isinstance(X, dict):
                return np.stack(list(X.values()), axis=1)
            return X.to_pandas().to_numpy() if form == "pyarrow" else X

    cv = assay.crossval(Seeing(max_depth=3, random_state=0), given, Y, metrics=["accuracy"])
    assert not any(fold.failure for fold in cv.folds)
    assert cv.per_fold("accuracy") == trees().per_fold("accuracy")


def test_factories_and_plain_objects():
    """A class, a function and an object without scikit-learn's clone all make a model per fold."""
    for model in (Constant, lambda: Constant(1), Constant(1)):
        cv = assay.crossval(model, X, Y, split=5, task="binary", metrics="accuracy", keep_models=True)
        assert cv["accuracy"].value == pytest.approx(Y.mean())
        assert len({id(one) for one in cv.models}) == 5
        assert [one.seen for one in cv.models] == [240] * 5


def test_text_labels_and_several_classes():
    """Labels of text, a column of scores per class, averages over classes."""
    features, codes = make_classification(240, 6, n_informative=4, n_classes=3, random_state=1)
    words = np.array(["low", "mid", "top"])[codes]
    metrics = ["accuracy", "macro f1", "hand_till_auc", "multiclass_log_loss", "macro auc"]
    cv = assay.crossval(LogisticRegression(), features, words, metrics=metrics, split=4)
    peer = cross_validate(
        LogisticRegression(),
        features,
        words,
        cv=as_cv(kfold(4)),
        scoring=["f1_macro", "roc_auc_ovo", "neg_log_loss"],
    )
    assert cv.per_fold("macro_f1") == pytest.approx(peer["test_f1_macro"])
    assert cv.per_fold("hand_till_auc") == pytest.approx(peer["test_roc_auc_ovo"])
    assert cv.per_fold("multiclass_log_loss") == pytest.approx(-peer["test_neg_log_loss"])
    assert cv.combination("hand_till_auc") == "averaged"
    assert float(assay.evaluate(cv.predictions)["accuracy"]) == cv["accuracy"].value


def test_the_first_class_may_be_positive():
    """Scores are turned to the stated class, be they probabilities or distances."""
    words = np.array(["no", "yes"])[Y]
    for model in (LogisticRegression(), RidgeClassifier()):
        yes, no = (
            assay.crossval(model, X, words, positive=one, metrics=["auc", "recall"]) for one in ("yes", "no")
        )
        assert no.per_fold("auc") == pytest.approx(yes.per_fold("auc"))
        assert no["recall"].value != yes["recall"].value


def test_regression():
    """Sums of errors are pooled; a target of fractions needs no word."""
    features, target = make_regression(200, 4, noise=20, random_state=0)
    cv = assay.crossval(LinearRegression(), features, target, metrics=["rmse", "r2", "mae", "spearman"])
    peer = cross_validate(
        LinearRegression(),
        features,
        target,
        cv=as_cv(kfold(10, stratify=False)),
        scoring=["r2", "neg_mean_absolute_error"],
    )
    assert cv.per_fold("r2") == pytest.approx(peer["test_r2"])
    assert cv["mae"].value == pytest.approx(-peer["test_neg_mean_absolute_error"].mean())
    assert list(assay.crossval(LinearRegression(), features, target)) == ["mae", "rmse", "r2"]
    assert cv.training["rmse"] < cv["rmse"].value


def test_a_searching_model_is_searched_in_every_fold():
    """Nested cross-validation: the inner search sees the outer training rows only."""
    search = GridSearchCV(TREE, {"max_depth": [1, 3]}, cv=3)
    cv = assay.crossval(search, X, Y, split=3, keep_models=True)
    assert all(set(model.best_params_) == {"max_depth"} for model in cv.models)
    peer = cross_validate(search, X, Y, cv=as_cv(kfold(3)))
    assert cv.per_fold("accuracy") == pytest.approx(peer["test_score"])


def test_predictions_stay_for_evaluation():
    """Every row once, in its order, with a score; repeated folds make groups of a row's lines."""
    cv = trees()
    ev = assay.evaluate(cv.predictions)
    assert float(ev["accuracy"]) == cv["accuracy"].value
    table = cv.prediction_columns()
    assert table["row"].tolist() == list(range(300))
    assert sorted(set(table["fold"].tolist())) == list(range(10))
    assert (table["actual"] == Y).all()
    twice = assay.crossval(TREE, X, Y, split=kfold(3, repeats=2))
    assert len(twice.predictions) == 600
    assert twice.predictions.group is not None


def test_every_splitter():
    """One split, one row, one group, one step in time: each is tested as it should be."""
    once = assay.crossval(TREE, X, Y, split=holdout(), metrics="accuracy")
    assert once["accuracy"].method == "Wilson"
    assert once["accuracy"].n == 75
    rows = assay.crossval(
        TREE, X[:40], Y[:40], split=leave_one_out(), metrics=["accuracy", "kappa", "auc", "average_precision"]
    )
    assert rows["accuracy"].n == 40
    assert rows["kappa"].value == assay.metrics.kappa(rows.predictions)
    assert "have a value of their own" in rows["kappa"].note
    for name in ("auc", "average_precision"):
        assert isinstance(rows[name].value, Undefined)
    assert {problem.kind for problem in rows.problems} == {"undefined"}
    group = np.arange(300) % 7
    assert len(assay.crossval(TREE, X, Y, split=leave_group_out(), group=group).folds) == 7
    forward = assay.crossval(TREE, X, Y, split=walk_forward(4), time=np.arange(300))
    assert [fold.n_train for fold in forward.folds] == [60, 120, 180, 240]
    assert not [problem for problem in forward.problems if problem.kind == "time"]
    theirs = assay.crossval(TREE, X, Y, split=StratifiedKFold(5))
    assert [fold.n_test for fold in theirs.folds] == [60] * 5
    pairs = assay.crossval(TREE, X, Y, split=[(np.arange(300) < 200, np.arange(200, 300))])
    assert pairs.folds[0].n_test == 100


def test_parts_beyond_two_must_be_named():
    """Of train, validate and test the part that is tested is said; the others are left alone."""
    split = holdout({"train": 0.5, "validate": 0.25, "test": 0.25})
    with pytest.raises(SplitError, match="say with part="):
        assay.crossval(TREE, X, Y, split=split)
    cv = assay.crossval(TREE, X, Y, split=split, part="validate")
    assert (cv.folds[0].n_train, cv.folds[0].n_test) == (150, 75)


def test_a_failed_fold_is_told_and_not_averaged():
    """The fold that lacks the first row fails; nine are averaged, and the estimate says so."""
    cv = assay.crossval(Fragile(), X, Y, task="binary", metrics=["accuracy", "kappa"])
    failed = [fold for fold in cv.folds if fold.failure]
    assert len(failed) == 1
    assert failed[0].failure == "RuntimeError: I need the first row"
    assert cv["accuracy"].note == "over 9 of 10 folds"
    assert cv["accuracy"].value == pytest.approx(
        np.mean([value for value in cv.per_fold("accuracy") if not isinstance(value, Undefined)])
    )
    assert [problem.what for problem in cv.problems if problem.kind == "failure"] == [failed[0].failure]
    assert "RuntimeError: I need the first row" in str(cv)
    with pytest.raises(SplitError, match=r"every fold failed\. The first: TypeError"):
        assay.crossval(TREE, X, Y, fit_options={"nonsense": 1})


def test_a_starved_fold_is_told():
    """Three records of a class in five folds: two folds test without it, and their AUC is no number."""
    y = np.zeros(100, dtype=int)
    y[:3] = 1
    cv = assay.crossval(LogisticRegression(), X[:100], y, split=5, metrics=["auc", "recall"])
    lacking = [value for value in cv.per_fold("auc") if isinstance(value, Undefined)]
    assert len(lacking) == 2
    assert cv["auc"].note == "over 3 of 5 folds"
    kinds = [problem.kind for problem in cv.problems]
    assert kinds.count("classes") == 2
    assert "2 of 5 folds lack a class" in str(cv)


def test_a_class_that_a_model_never_saw():
    """Where a fold's training rows lack a class, its probability there is 0."""
    features, y = X[:60], np.array(["a"] * 30 + ["b"] * 29 + ["c"])
    cv = assay.crossval(
        LogisticRegression(), features, y, split=3, metrics=["multiclass_log_loss", "accuracy"]
    )
    assert max(cv.per_fold("multiclass_log_loss")) == math.inf
    assert cv["multiclass_log_loss"].note == "a fold's value is infinite"
    assert any("'train' holds no row" in problem.what for problem in cv.problems)


def test_weights_count_where_figures_are_read():
    """A row of weight 2 counts twice in the tested folds; what is learnt by is another matter."""
    weight = 1.0 + np.arange(300) % 2
    cv = assay.crossval(
        TREE, X, Y, metrics=["accuracy"], weight=weight, fit_options={"sample_weight": weight}
    )
    peer = cross_validate(
        TREE,
        X,
        Y,
        cv=as_cv(kfold(10)),
        params={"sample_weight": weight},
        return_estimator=True,
        return_indices=True,
    )
    right = [
        np.average(model.predict(X[test]) == Y[test], weights=weight[test])
        for model, test in zip(peer["estimator"], peer["indices"]["test"], strict=True)
    ]
    assert cv.per_fold("accuracy") == pytest.approx(right)


def test_compare_on_the_same_folds():
    """Two models on the same folds are compared fold by fold; on others they are not compared."""
    stump = assay.crossval(DecisionTreeClassifier(max_depth=1), X, Y, name="stump")
    tree = assay.crossval(TREE, X, Y, name="tree")
    found = stump.compare(tree, metric="accuracy")
    assert "mean accuracy" in str(found)
    assert found.to_dict()["metric"] == "accuracy"
    assert found.names == ("stump", "tree")
    assert found.difference == pytest.approx(
        np.mean(np.subtract(tree.per_fold("accuracy"), stump.per_fold("accuracy")))
    )
    assert found.test_share == pytest.approx(0.1)
    halves = [assay.crossval(TREE, X, Y, split=kfold(2, repeats=5), metrics="brier") for _ in range(2)]
    with pytest.raises(SplitError, match="not tested on the same folds"):
        stump.compare(assay.crossval(TREE, X, Y, seed=1))
    other = assay.crossval(LogisticRegression(), X, Y, split=kfold(2, repeats=5), metrics="brier")
    against = halves[0].compare(other)
    assert against.five_by_two is not None
    assert not against.larger_is_better


def test_scikit_learn_is_not_needed():
    """A plain model is validated where scikit-learn cannot be imported."""
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import numpy as np, assay\n"
        "class Model:\n"
        "    def fit(self, X, y): self.mean = X[y == 1].mean()\n"
        "    def predict(self, X): return (X[:, 0] > self.mean / 2).astype(int)\n"
        "    def predict_proba(self, X): return 1 / (1 + np.exp(-X[:, 0]))\n"
        "y = np.arange(60) % 2; X = (y + np.sin(np.arange(60)))[:, None]\n"
        "print(assay.crossval(Model(), X, y, metrics=['accuracy', 'auc', 'brier'], split=3)['auc'].method)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert out.stdout.strip() == "corrected resampled t"


def test_a_loss_may_have_parameters():
    """Options of a metric reach its rows' losses, in one split as in many."""
    features, target = make_regression(100, 3, noise=5, random_state=1)
    asked = [("huber", {"delta": 2.0}), ("huber", {"delta": 4.0})]
    for split in (holdout(), 5):
        cv = assay.crossval(LinearRegression(), features, target, metrics=asked, split=split)
        narrow, wide = (cv[name] for name in cv)
        assert narrow.value < wide.value
        assert narrow.low < narrow.value < narrow.high


def test_bad_requests():
    """What cannot be done is said before anything is fitted."""
    words = np.array(["no", "yes"])[Y]
    with pytest.raises(LabelError, match="positive="):
        assay.crossval(TREE, X, words, metrics=["auc"])
    both = assay.crossval(TREE, X, words, task="multiclass", split=2)
    assert list(both) == ["accuracy", "balanced_accuracy", "kappa"]
    with pytest.raises(LabelError, match='auc needs a positive label, which task="multiclass" does not have'):
        assay.crossval(TREE, X, Y, task="multiclass", metrics=["auc"])
    with pytest.raises(MetricError, match="neither predict_proba nor decision_function"):
        assay.crossval(Constant(), X, Y, task="binary", metrics="auc")
    with pytest.raises(InputError, match="say task="):
        assay.crossval(Constant(), X, Y + 1 + (np.arange(300) == 0))
    with pytest.raises(MetricError, match="measured quantities"):
        assay.crossval(LinearRegression(), X, X[:, 0], metrics="accuracy")
    with pytest.raises(LengthError, match="X has 299 rows, y has 300"):
        assay.crossval(TREE, X[1:], Y)
    with pytest.raises(InputError, match="no model"):
        assay.crossval("tree", X, Y)
    with pytest.raises(MetricError, match="ranked lists"):
        assay.crossval(TREE, X, Y, metrics="ndcg")
    with pytest.raises(SplitError, match="both trains and tests"):
        assay.crossval(TREE, X, Y, split=[([0, 1], [1, 2])])
    with pytest.raises(InputError, match="jobs=0"):
        assay.crossval(TREE, X, Y, jobs=0)
    with pytest.raises(SplitError, match="k-fold"):
        assay.crossval(TREE, X, Y, split=bootstrap(5), interval="nested")
    with pytest.raises(MetricError, match="mcc was not requested: there are"):
        trees()["mcc"]
    with pytest.raises(LabelError, match="nothing to tell apart"):
        assay.crossval(TREE, X, np.zeros(300, dtype=int))


def test_it_prints_within_80_columns():
    """Figures, fold by fold, bands, what is optimistic; nothing wider than a terminal."""
    for cv in (trees(), trees(split=bootstrap(30)), trees(split=kfold(4, repeats=3)), trees(split=holdout())):
        text = str(cv)
        assert max(map(len, text.splitlines())) <= 80
        assert "Altman" in text
    assert "corrected resampled t (Nadeau and Bengio)" in str(trees())
    assert "Estimates are for models trained this way on other rows" in str(trees())
    assert "Estimates are for this one model" in str(trees(split=holdout()))
    assert "Optimistic, as if folds were independent" in str(trees())
    assert repr(trees()) == "<CrossValidation of DecisionTreeClassifier: 10 folds of 300 rows>"
    assert trees().to_dict()["metrics"]["kappa"]["combination"] == "pooled"


def test_scaling_belongs_into_the_model():
    """A pipeline learns its scale in every fold, and nothing is said against it."""
    cv = assay.crossval(make_pipeline(StandardScaler(), LogisticRegression()), X, Y)
    assert not cv.problems
    scaled = StandardScaler().fit_transform(X)
    cv = assay.crossval(LogisticRegression(), scaled, Y)
    assert [problem.kind for problem in cv.problems] == ["preprocessing"]
    assert "as if standardised before splitting" in str(cv).replace("\n  ", " ")
