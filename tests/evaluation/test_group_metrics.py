"""Metrics by group: each value is that of the group's rows alone."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import assay
from assay.evaluation import group_metrics as module

BINARY = (
    "accuracy", "precision", "recall", "f1", "mcc", "kappa", "balanced_accuracy", "f_beta(beta=2)",
    "specificity(positive=1)", "macro f1", "auc", "gini", "average_precision", "log_loss", "brier", "ks",
)  # fmt: skip


def of_each(rows, metrics, codes, **options):
    """The values of metrics from the evaluation of each group's rows."""
    values = {metric: [] for metric in metrics}
    for group in np.unique(codes):
        own = {role: np.asarray(values)[codes == group] for role, values in rows.items()}
        for metric in metrics:
            try:
                value = assay.evaluate(**own, **options)[metric].value
            except assay.AssayError:
                value = math.nan
            values[metric].append(value if isinstance(value, float) else math.nan)
    return values


@pytest.fixture
def binary():
    """Rows of 25 groups of very different sizes, some with one class only."""
    draw = np.random.default_rng(4)
    codes = np.sort(draw.integers(0, 25, 600) ** 2 // 25)
    actual = (draw.random(600) < draw.choice([0.0, 0.3, 0.6, 1.0], 25)[codes]).astype(int)
    score = np.round(np.clip(draw.random(600) * 0.7 + 0.25 * actual, 0.01, 0.99), 2)
    order = draw.permutation(600)
    return codes[order], {"actual": actual[order], "score": score[order]}


def test_binary_metrics_are_those_of_each_group(binary):
    """Counts, areas, means and other metrics equal an evaluation of the group's rows, or both have none."""
    codes, rows = binary
    groups = assay.group_metrics(by=codes, metrics=BINARY, **rows)
    expected = of_each(rows, BINARY, codes, task="binary", labels=[0, 1], positive=1)
    assert groups.sizes.tolist() == np.unique(codes, return_counts=True)[1].tolist()
    for name, values in zip(groups, expected.values(), strict=True):
        assert np.isnan(groups[name]).tolist() == np.isnan(values).tolist(), name
        assert groups[name] == pytest.approx(np.array(values), rel=1e-14, abs=1e-15, nan_ok=True), name
    assert np.isnan(groups["auc"]).any()
    assert not np.isnan(groups["auc"]).all()


def test_areas_are_those_of_scikit_learn(binary):
    """The area under the ROC curve of each group is roc_auc_score's."""
    codes, rows = binary
    groups = assay.group_metrics(by=codes, metrics="auc", **rows)
    for (key,), area in zip(groups.keys, groups["auc"], strict=True):
        own = {role: values[codes == key] for role, values in rows.items()}
        if len(set(own["actual"])) == 2:
            assert area == pytest.approx(roc_auc_score(own["actual"], own["score"]), rel=1e-13)


@pytest.mark.parametrize("cells", [1 << 22, 20])
def test_several_classes(monkeypatch, cells):
    """Metrics of all classes and averages over them, however many tables are held at a time."""
    monkeypatch.setattr(module, "_MAX_CELLS", cells)
    draw = np.random.default_rng(1)
    codes, labels = draw.integers(0, 12, 300), np.array(["a", "b", "c"])
    actual = labels[draw.integers(0, 3, 300)]
    predicted = np.where(draw.random(300) < 0.6, actual, labels[draw.integers(0, 3, 300)])
    actual[codes == 3], predicted[codes == 3] = "a", "a"
    rows = {"actual": actual, "predicted": predicted}
    metrics = ["accuracy", "kappa", "balanced_accuracy", "macro f1", "micro f1", "weighted precision",
               ("recall", {"positive": "b"}), ("f1", {"average": "macro", "undefined": "skip"})]  # fmt: skip
    groups = assay.group_metrics(by=codes, metrics=metrics, **rows)
    for name, metric in zip(groups, metrics, strict=True):
        for index, group in enumerate(np.unique(codes)):
            own = {role: values[codes == group] for role, values in rows.items()}
            value = assay.evaluate(**own, labels=labels.tolist())[metric].value
            value = value if isinstance(value, float) else math.nan
            assert groups[name][index] == pytest.approx(value, rel=1e-14, nan_ok=True), (name, group)


def test_lists_are_groups():
    """With task="ranking" each group is a ranked list, whatever columns name it."""
    draw = np.random.default_rng(2)
    table = {"user": draw.integers(0, 9, 200).tolist(), "day": [f"d{day}" for day in draw.integers(0, 2, 200)],
             "gain": draw.integers(0, 4, 200).tolist(), "score": draw.random(200).round(1).tolist()}  # fmt: skip
    groups = assay.group_metrics(
        table, by=["user", "day"], actual="gain", score="score", task="ranking", k=5,
        metrics=["ndcg", "mean_reciprocal_rank", "precision_at_k"],
    )  # fmt: skip
    assert list(groups) == ["ndcg", "mean_reciprocal_rank", "precision_at_k"]
    names = [f"{user:02d} {day}" for user, day in zip(table["user"], table["day"], strict=True)]
    lists = assay.evaluate(actual=table["gain"], score=table["score"], query=names, task="ranking", k=5)
    for name in groups:
        assert math.fsum(groups[name]) / len(groups) == pytest.approx(lists[name].value, rel=1e-14)
    assert groups.keys[:2] == [(0, "d0"), (0, "d1")]


def test_numbers():
    """Errors of a regression by group."""
    draw = np.random.default_rng(8)
    codes, actual = draw.integers(0, 6, 90), draw.normal(size=90) + 1e9
    rows = {"actual": actual, "predicted": actual + draw.normal(size=90)}
    metrics = ["mae", "rmse", "r2", "median_absolute_error", "msle"]
    groups = assay.group_metrics(by=codes, metrics=metrics, **rows)
    expected = of_each(rows, metrics, codes)
    for name in metrics:
        assert groups[name] == pytest.approx(expected[name], rel=1e-14), name


def test_frames_in_and_out():
    """Columns are named, the frame has the library of the rows, and text names the worst groups first."""
    frame = pd.DataFrame(
        {"user": ["x", "x", "y", "y", "z"], "y": [1, 0, 1, 0, 1], "p": [0.9, 0.2, 0.1, 0.8, 0.7]}
    )
    groups = assay.group_metrics(frame, by="user", actual="y", score="p", metrics=["auc", "accuracy"])
    out = groups.to_frame()
    assert out.columns.tolist() == ["user", "n", "auc", "accuracy"]
    assert out["accuracy"].tolist() == [1.0, 0.0, 1.0]
    assert groups.value("auc", "y") == 0.0
    assert math.isnan(groups.value("auc", "z"))
    assert groups.worst("auc") == [1, 0]
    text = groups.text()
    assert text.startswith("3 groups by user, 5 rows\n")
    assert max(map(len, text.splitlines())) <= 80


def test_a_million_groups():
    """A row for each of a million groups is counted, with a bounded table."""
    codes = np.arange(1_000_000)
    groups = assay.group_metrics(
        by=codes[::-1], actual=codes % 2, predicted=codes // 2 % 2, metrics="accuracy"
    )
    assert len(groups) == 1_000_000
    assert groups["accuracy"].sum() == 500_000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"by": None, "actual": [0, 1], "predicted": [0, 1]}, "which group a row belongs to"),
        ({"by": [1], "actual": [0, 1], "predicted": [0, 1]}, "by has 1"),
        ({"by": [], "actual": [], "predicted": []}, "no rows"),
        ({"by": [1, 2], "actual": [0, 1], "predicted": [0, 1], "metrics": "auc"}, "needs scores"),
        ({"by": [1, 2], "actual": [0, 1], "predicted": [0, 1], "metrics": "acuracy"}, "accuracy"),
        ({"by": [1, 2], "actual": [0, 1], "score": [0.1, math.nan], "metrics": "auc"}, "missing|NaN"),
        ({"by": ["a", None], "actual": [0, 1], "predicted": [0, 1]}, "missing"),
        ({"by": [1, 2], "actual": [0, 1], "predicted": [0, 1], "k": 0}, "k=0"),
    ],
)
def test_what_is_wrong_is_said(given, words):
    """Bad columns, metrics and options are refused in words."""
    with pytest.raises(assay.AssayError, match=words):
        assay.group_metrics(**given)
