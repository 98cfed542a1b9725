"""The credit records of the texts, done rightly: a tree's kappa in ten folds, a hundred, and the bootstrap."""

import contextlib
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest
from shared import SHARED, credit, oracle
from sklearn.metrics import cohen_kappa_score
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.inference.distributions import student_quantile
from assay.metrics import kappa
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
        assert value == pytest.approx(cohen_kappa_score(default[fold.test], fold.answers.predicted))
    mean = cv.averaged("kappa")
    assert mean.value == pytest.approx(np.mean(cv.per_fold("kappa")))
    assert mean.low < mean.value < mean.high
    assert cv["kappa"].value == kappa(cv.predictions)
    # The trees of the texts have 0.25 to 0.30 on folds of their own.
    means = [
        found["mean_kappa"] for name, found in oracle("cv_credit_c50_rpart.json").items() if "kappas" in found
    ]
    assert min(abs(mean.value - theirs) for theirs in means) < 0.08
    half = student_quantile(0.95, 9) * np.std(cv.per_fold("kappa"), ddof=1) * math.sqrt(1 / 10 + 1 / 9)
    assert (mean.low, mean.high) == pytest.approx((mean.value - half, mean.value + half), rel=1e-12)
    text = str(cv)
    assert "on the scale of Altman (1991): a convention, not a verdict" in text.replace("\n  ", " ")
    assert not cv.problems


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


def test_the_page_prints_what_the_code_prints(monkeypatch):
    """Every block of the credit records in the documentation has the output that stands below it."""
    if not (SHARED / "data" / "credit.csv").exists():
        pytest.skip("needs credit.csv of the shared files beside the repository")
    pytest.importorskip("pandas")
    monkeypatch.chdir(SHARED / "data")
    page = (Path(__file__).parents[2] / "docs" / "crossval.md").read_text(encoding="utf-8")
    section = page.partition("## The credit records")[2].partition("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == section.count("```python") == 4
    space = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, space)  # noqa: S102 - our own page
        assert printed.getvalue() == expected
