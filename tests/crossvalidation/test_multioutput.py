"""Cross-validation of models of several labels or outputs: every fold is what a loop by hand gives."""

import numpy as np
import pandas as pd
import pytest

import assay
from assay.cli import main
from assay.errors import InputError, MetricError
from assay.resampling import kfold

pytest.importorskip("sklearn", reason="scikit-learn has the models")
from sklearn import metrics as peer
from sklearn.datasets import make_multilabel_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.tree import DecisionTreeClassifier

X, Y = make_multilabel_classification(n_samples=160, n_features=6, n_classes=3, random_state=1)
FEATURES, NUMBERS = make_regression(160, 5, n_targets=2, noise=20, random_state=1)
SPLIT = kfold(4, stratify=False, seed=3)


def folds():
    """Training and test rows of every fold."""
    return [(fold["train"], fold["test"]) for fold in SPLIT.split(n=len(X))]


@pytest.mark.parametrize(
    "model",
    [
        MultiOutputClassifier(LogisticRegression()),
        OneVsRestClassifier(LogisticRegression()),
        RandomForestClassifier(5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_labels_of_every_fold_are_those_of_a_loop(model):
    """Values of each fold, pooled counts, and scores as each of the models has them."""
    names = ["micro f1", "macro f1", "hamming_loss", "macro auc", "macro average_precision"]
    cv = assay.crossval(model, X, Y, split=SPLIT, metrics=names, resubstitution=False)
    expected = {name: [] for name in names}
    predicted = np.zeros_like(Y)
    for train, test in folds():
        fitted = model.fit(X[train], Y[train])
        said, scores = fitted.predict(X[test]), fitted.predict_proba(X[test])
        if isinstance(scores, list):
            scores = np.stack([table[:, 1] for table in scores], axis=1)
        predicted[test] = said
        for name, value in (
            ("micro f1", peer.f1_score(Y[test], said, average="micro")),
            ("macro f1", peer.f1_score(Y[test], said, average="macro")),
            ("hamming_loss", peer.hamming_loss(Y[test], said)),
            ("macro auc", peer.roc_auc_score(Y[test], scores)),
            ("macro average_precision", peer.average_precision_score(Y[test], scores)),
        ):
            expected[name].append(value)
    for name in names:
        assert cv.per_fold(name) == pytest.approx(expected[name], rel=1e-12), name
    assert cv.combination("micro f1") == "pooled"
    assert float(cv["micro f1"].value) == pytest.approx(peer.f1_score(Y, predicted, average="micro"))
    assert cv.combination("macro auc") == "averaged"
    assert float(cv["macro auc"].value) == pytest.approx(np.mean(expected["macro auc"]))
    assert cv["macro f1"].low < cv["macro f1"].value < cv["macro f1"].high
    ev = assay.evaluate(cv.predictions)
    assert float(ev["macro_f1"]) == pytest.approx(peer.f1_score(Y, predicted, average="macro"))
    assert "score of 2" in cv.prediction_columns()


def test_outputs_of_every_fold_are_those_of_a_loop():
    """Of a regressor, whose several outputs need no word."""
    frame = pd.DataFrame(NUMBERS, columns=["height", "weight"])
    cv = assay.crossval(LinearRegression(), FEATURES, frame, split=SPLIT)
    assert list(cv) == ["macro_mae", "macro_rmse", "macro_r2"]
    predicted = np.zeros_like(NUMBERS)
    errors = []
    for train, test in folds():
        predicted[test] = LinearRegression().fit(FEATURES[train], NUMBERS[train]).predict(FEATURES[test])
        errors.append(peer.mean_absolute_error(NUMBERS[test], predicted[test]))
    assert cv.per_fold("macro mae") == pytest.approx(errors, rel=1e-12)
    assert float(cv["macro r2"].value) == pytest.approx(peer.r2_score(NUMBERS, predicted), rel=1e-12)
    assert cv.predictions.labels == ("height", "weight")
    other = assay.crossval(LinearRegression(fit_intercept=False), FEATURES, frame, split=SPLIT)
    difference = cv.compare(other, metric="macro mae")
    assert difference.to_dict()


def test_a_label_that_a_training_set_lacks_has_the_lowest_score():
    """One that all rows have has the highest."""
    rare = Y.copy()
    rare[:, 0] = 0
    rare[:3, 0] = 1
    rare[:, 1] = 1
    model = DecisionTreeClassifier(random_state=0)
    halves = [(np.arange(80, 160), np.arange(80)), (np.arange(80), np.arange(80, 160))]
    cv = assay.crossval(
        model, X, rare, split=halves, metrics=["hamming_loss", "micro auc"], resubstitution=False
    )
    columns = cv.prediction_columns()
    first = columns["fold"] == 0
    assert (columns["score of 0"][first] == 0).all()
    assert (columns["score of 1"] == 1).all()


def test_what_does_not_fit_several_columns_is_refused_before_any_fit():
    """Metrics of one output, of the other task, and targets that are neither."""
    model = LinearRegression()
    for metrics, message in (
        ("mae", 'say "macro mae"'),
        ("macro f1", "is for classes"),
        ("ndcg", "ranked lists"),
    ):
        with pytest.raises(MetricError, match=message):
            assay.crossval(model, FEATURES, NUMBERS, metrics=metrics)
    with pytest.raises(MetricError, match="is for numbers"):
        assay.crossval(MultiOutputClassifier(LogisticRegression()), X, Y, metrics="macro mae")
    with pytest.raises(MetricError, match="hamming_loss is for rows with several labels"):
        assay.crossval(LogisticRegression(), X, Y[:, 0], metrics="hamming_loss")
    with pytest.raises(InputError, match='y has 3 columns: say task="multilabel"'):
        assay.crossval(DecisionTreeClassifier(), X, 2 * Y)


def test_the_command_line_cross_validates_several_columns(tmp_path, capsys):
    """Labels and outputs, named with commas."""
    table = pd.DataFrame(X, columns=list("uvwxyz")).assign(**{f"tag{i}": Y[:, i] for i in range(3)})
    table.to_csv(tmp_path / "tags.csv", index=False)
    words = ["crossval", str(tmp_path / "tags.csv"), "--target", "tag0,tag1,tag2", "--folds", "3"]
    assert (
        main([*words, "--model", "sklearn.ensemble:RandomForestClassifier", "--set", "n_estimators=5"]) == 0
    )
    assert "macro AUC" in capsys.readouterr().out
    table = pd.DataFrame(FEATURES, columns=list("abcde")).assign(y=NUMBERS[:, 0], z=NUMBERS[:, 1])
    table.to_parquet(tmp_path / "numbers.parquet")
    words = ["crossval", str(tmp_path / "numbers.parquet"), "--target", "y,z", "--folds", "3"]
    assert main([*words, "--model", "sklearn.linear_model:LinearRegression", "--json"]) == 0
    assert "macro_mae" in capsys.readouterr().out
