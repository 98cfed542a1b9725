"""The credit records of the texts, done rightly: a tree's kappa in ten folds, a hundred, and the bootstrap."""

import contextlib
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from sklearn.tree import DecisionTreeClassifier
from support.generated_rows import credit_rows, write_csv
from support.reference_figures import credit, oracle

import assay
from assay.cli import main
from assay.inference.distributions import student_quantile
from assay.metrics import kappa
from assay.metrics.interpretation import band as scale_band
from assay.resampling import bootstrap, holdout, kfold

TREE = DecisionTreeClassifier(max_depth=5, min_samples_leaf=10, random_state=0)


@pytest.fixture(scope="module")
def records():
    return credit()


def test_ten_kappas_their_mean_interval_and_band(records):
    """Each model learns from 900 records and is tested on 100 others, 30 of them defaults."""
    features, default = records
    cv = assay.crossval(TREE, features, default, positive="yes", metrics=["kappa", "accuracy"])
    assert len(cv.per_fold("kappa")) == 10
    for fold, value in zip(cv.folds, cv.per_fold("kappa"), strict=True):
        assert (fold.n_train, fold.n_test) == (900, 100)
        assert (default[fold.test] == "yes").sum() == 30
        assert value == pytest.approx(cohen_kappa_score(default[fold.test], fold.output.predicted))
    mean = cv.averaged("kappa")
    assert mean.value == pytest.approx(np.mean(cv.per_fold("kappa")))
    assert mean.low < mean.value < mean.high
    assert cv["kappa"].value == kappa(cv.predictions)
    # R's trees have 0.33 and 0.37 on folds of their own.
    means = [found["mean_kappa"] for name, found in oracle("cv_credit").items() if "rpart" in name]
    assert min(abs(mean.value - theirs) for theirs in means) < 0.08
    half = student_quantile(0.95, 9) * np.std(cv.per_fold("kappa"), ddof=1) * math.sqrt(1 / 10 + 1 / 9)
    assert (mean.low, mean.high) == pytest.approx((mean.value - half, mean.value + half), rel=1e-12)
    text = str(cv)
    assert "on the scale of Altman (1991): a convention, not a verdict" in text.replace("\n  ", " ")
    assert not cv.problems


class Replayed:
    """A model that predicts of every record what a model of R predicted; a record is its number."""

    def __init__(self, said=()):
        self.said = said

    def fit(self, _records, _default):
        """Learn nothing."""
        return self

    def predict(self, records):
        """Return what was said of these records."""
        return np.asarray(self.said)[records[:, 0]]


@pytest.mark.parametrize(
    ("name", "mean", "band"),
    [
        ("rpart_seed123", 0.3688945, "fair"),
        ("rpart_seed123_rounding", 0.3339664, "fair"),
        ("lda_seed123", 0.3679804, "fair"),
    ],
)
def test_kappas_of_r(records, name, mean, band):
    """R's models on caret's folds: each kappa, accuracy, mean and spread is R's."""
    _, default = records
    theirs = oracle("cv_credit")[name]
    said = np.full(len(default), "no", dtype="<U3")
    splits = []
    for fold in theirs["folds"]:
        test = np.array(fold["test_index"]) - 1
        said[test] = np.where(np.array(fold["pred_yes"]) == 1, "yes", "no")
        splits.append((np.setdiff1d(np.arange(len(default)), test), test))
    cv = assay.crossval(
        Replayed(said), np.arange(len(default))[:, None], default,
        split=splits, task="binary", positive="yes", metrics=["kappa", "accuracy"], resubstitution=False,
    )  # fmt: skip
    for metric, plural in (("kappa", "kappas"), ("accuracy", "accuracies")):
        assert cv.per_fold(metric) == pytest.approx(theirs[plural], rel=1e-12)
        assert cv.averaged(metric).value == pytest.approx(theirs[f"mean_{metric}"], rel=1e-12)
        assert np.std(cv.per_fold(metric), ddof=1) == pytest.approx(theirs[f"sd_{metric}"], rel=1e-12)
        half = student_quantile(0.95, 9) * theirs[f"sd_{metric}"] * math.sqrt(1 / 10 + 1 / 9)
        assert cv.averaged(metric).high == pytest.approx(theirs[f"mean_{metric}"] + half, rel=1e-12)
    assert round(cv.averaged("kappa").value, 7) == mean
    assert scale_band(mean, "altman") == band
    for fold, split in zip(theirs["folds"], cv.folds, strict=True):
        pairs = zip(default[split.test], split.output.predicted, strict=True)
        table = np.zeros((2, 2), int)
        for actual, predicted in pairs:
            table[int(actual == "yes"), int(predicted == "yes")] += 1
        assert assay.CrossTable(table, ["no", "yes"]).kappa().statistic == pytest.approx(fold["z"], rel=1e-12)


def test_ten_times_ten_folds(records):
    """A hundred folds: the interval is hardly narrower, for repeats add no records."""
    features, default = records
    once = assay.crossval(TREE, features, default, positive="yes", metrics="kappa")
    often = assay.crossval(
        TREE, features, default, positive="yes", metrics="kappa", split=kfold(10, repeats=10)
    )
    assert len(often.folds) == 100
    width = often["kappa"].high - often["kappa"].low
    naive = often.naive("kappa").high - often.naive("kappa").low
    assert width > 3 * naive
    assert abs(often["kappa"].value - once["kappa"].value) < 0.08
    assert often.predictions.group is not None


def test_bootstrap_of_the_records(records):
    """Out of bag is too dark, training too bright, and .632 and .632+ lie between."""
    features, default = records
    cv = assay.crossval(
        TREE, features, default, positive="yes", metrics=["error_rate", "kappa"], split=bootstrap(60)
    )
    found = cv.out_of_bag("error_rate")
    assert found.apparent < found.err632 < found.err632plus < found.out_of_bag < found.no_information
    assert 0 < found.relative_overfitting < 1
    assert 0.632 < found.weight < 1
    assert ".632+" in str(cv)


def test_train_validate_test(records):
    """350/150, 175/75 and 175/75: models are chosen on the second part, and the third is looked at once."""
    features, default = records
    split = holdout({"train": 0.5, "validate": 0.25, "test": 0.25})
    parts = split.split(default)[0]
    counts = [[int((default[part] == label).sum()) for label in ("no", "yes")] for part in parts]
    assert counts == [[350, 150], [175, 75], [175, 75]]
    chosen = max(
        (DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (2, 5)),
        key=lambda model: (
            assay.crossval(model, features, default, positive="yes", split=split, part="validate")[
                "kappa"
            ].value
        ),
    )
    final = assay.crossval(chosen, features, default, positive="yes", split=split, part="test")
    assert (final.folds[0].n_train, final.folds[0].n_test) == (500, 250)
    assert not final.problems
    assert final["kappa"].low < final["kappa"].value


@pytest.fixture
def path(tmp_path):
    """The records as a file."""
    return str(write_csv(credit_rows(), tmp_path / "credit.csv"))


def test_ten_kappas_by_the_command(path, records, capfd):
    """The command has the library's ten values, their mean and interval from the file itself."""
    line = [
        "crossval", path, "--target", "default", "--positive", "yes", "--folds", "10", "--metrics", "kappa",
        "--model", "sklearn.tree:DecisionTreeClassifier", "--set", "max_depth=5", "--set", "min_samples_leaf=10",
        "--set", "random_state=0",
    ]  # fmt: skip
    assert main([*line, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["metrics"]["kappa"]
    cv = assay.crossval(TREE, *records, positive="yes", metrics="kappa")
    assert found["folds"] == list(cv.per_fold("kappa"))
    assert found["mean_of_folds"] == pytest.approx(cv.averaged("kappa").value, rel=1e-12)
    assert (found["value"], found["low"], found["high"]) == (
        cv["kappa"].value, cv["kappa"].low, cv["kappa"].high,
    )  # fmt: skip
    assert main(line) == 0
    assert capfd.readouterr().out.rstrip() == str(cv).rstrip()


def test_parts_by_the_command(path, tmp_path, capfd):
    """350/150, 175/75 and 175/75 records, as the table of parts says."""
    parts = "train=0.5,validate=0.25,test=0.25"
    line = ["split", path, "--stratify", "default", "--parts", parts, "--into", str(tmp_path)]
    assert main(line) == 0
    rows = [line.split()[:4] for line in capfd.readouterr().out.splitlines()]
    assert rows[:4] == [
        ["part", "rows", "no", "yes"],
        ["train", "500", "350", "150"], ["validate", "250", "175", "75"], ["test", "250", "175", "75"],
    ]  # fmt: skip


def test_the_page_prints_what_the_code_prints(path, monkeypatch):
    """Every block of the credit records in the documentation has the output that stands below it."""
    pytest.importorskip("pandas")
    monkeypatch.chdir(Path(path).parent)
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "crossval.md").read_text(encoding="utf-8")
    section = page.partition("## Example: credit records")[2].partition("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == section.count("```python") == 4
    space = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, space)  # noqa: S102 - our own page
        assert printed.getvalue() == expected
