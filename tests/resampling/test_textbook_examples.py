"""The credit records of the texts, and what caret's splitters promise on them."""

import numpy as np
import pytest
from support.reference_figures import credit_defaults, oracle

from assay import rows
from assay.metrics import kappa
from assay.resampling import bootstrap, holdout, kfold


@pytest.fixture(scope="module")
def default():
    return np.array(credit_defaults())


def held(y, part):
    return [int((y[part] == label).sum()) for label in ("no", "yes")]


def test_half_a_quarter_and_a_quarter(default):
    """1,000 records of 700 and 300 are parted 350/150, 175/75 and 175/75."""
    split = holdout({"train": 0.5, "validate": 0.25, "test": 0.25}, seed=12345).split(default)[0]
    assert [held(default, part) for part in split] == [[350, 150], [175, 75], [175, 75]]


def test_three_quarters_as_caret(default):
    """Three quarters of each class: 525 and 225 train."""
    expected = oracle("resampling_caret.json")["splits"]["createDataPartition_p0.75"]
    split = holdout().split(default)[0]
    for part in ("train", "test"):
        assert held(default, split[part]) == [expected[part]["no"], expected[part]["yes"]]


def test_ten_folds_as_caret(default):
    """Every fold has 100 records, 30 of them defaults; 3 times repeated, a record trains 27 times."""
    expected = oracle("resampling_caret.json")["splits"]
    splits = kfold(10).split(default)
    assert [len(split["test"]) for split in splits] == expected["createFolds_k10"]["fold_sizes"]
    assert [held(default, split["test"])[1] for split in splits] == expected["createFolds_k10"][
        "yes_per_fold"
    ]
    repeated = kfold(10, repeats=3).split(default)
    multi = expected["createMultiFolds_k10_times3"]
    assert len(repeated) == multi["n_elements"]
    assert [len(split["train"]) for split in repeated] == multi["train_sizes"]
    assert [held(default, split["train"])[1] for split in repeated] == multi["yes_in_train"]
    trained = np.sum([split.masks()["train"] for split in repeated], axis=0)
    assert np.unique(trained).tolist() == multi["each_row_in_train_count"]


def test_small_classes_as_caret():
    """Of 23, 14 and 4 records five folds have 4 or 5, 2 or 3, and 0 or 1; ours are also even altogether."""
    small = oracle("resampling_caret.json")["small_classes"]
    y = np.repeat(list(small["y_counts"]), list(small["y_counts"].values()))
    table = np.array([[(y[split["test"]] == label).sum() for label in "abc"] for split in kfold(5).split(y)])
    theirs = np.array(small["createFolds_k5_class_counts_per_fold"]["values"])
    assert np.sort(table, axis=0).tolist() == np.sort(theirs, axis=0).tolist()
    assert sorted(table.sum(axis=1).tolist()) == [8, 8, 8, 8, 9]
    train = holdout({"train": 0.6, "test": 0.4}).split(y)[0]["train"]
    up, down = (
        small["createDataPartition_p0.6_train_counts"],
        small["floor_of_share_0.6"],
    )
    for label in "abc":
        assert down[label] <= (y[train] == label).sum() <= up[label]


def test_quantiles_of_a_number_as_caret():
    """101 numbers in four bins of 26, 25, 25 and 25: each bin trains its share."""
    numeric = oracle("resampling_caret.json")["small_classes"]["numeric_y"]
    y = np.random.default_rng(1).normal(size=numeric["n"])
    binned = np.searchsorted(np.sort(y)[[26, 51, 76]], y, side="right")
    assert np.bincount(binned).tolist() == numeric["bin_sizes"]
    train = holdout(bins=4).split(y)[0]["train"]
    assert all(
        abs(a - b) <= 1 for a, b in zip(np.bincount(binned[train]), numeric["train_per_bin"], strict=True)
    )
    assert abs(len(train) - 0.75 * 101) < 1


def test_draws_as_caret(default):
    """A bootstrap of 1,000 records has about 632 of them, and without stratification about 300 defaults."""
    expected = oracle("resampling_caret.json")["splits"]["createResample_times10"]
    splits = bootstrap(10, stratify=False).split(default)
    assert [len(split["train"]) for split in splits] == expected["sizes"]
    distinct = [1000 - len(split["test"]) for split in splits]
    assert abs(np.mean(distinct) - np.mean(expected["n_unique"])) < 15
    assert np.std([held(default, split["train"])[1] for split in splits]) > 0
    assert all(held(default, split["train"]) == [700, 300] for split in bootstrap(10).split(default))


def test_kappas_of_the_folds(default):
    """From the ten folds of the text, each record tested once, kappa fold by fold."""
    for name, found in oracle("cv_credit.json").items():
        if name == "versions":
            continue
        tested = sorted(row for fold in found["folds"] for row in fold["test_index"])
        assert tested == list(range(1, 1001))
        for fold in found["folds"]:
            assert held(default, np.array(fold["test_index"]) - 1) == [70, 30]
        kappas = [
            kappa(rows(actual=fold["actual_yes"], predicted=fold["pred_yes"])) for fold in found["folds"]
        ]
        assert kappas == pytest.approx(found["kappas"], rel=1e-12)
