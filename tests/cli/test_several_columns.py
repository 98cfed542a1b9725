"""Several labels or outputs on the command line: columns named with commas."""

import json

import numpy as np
import pandas as pd
import pytest

import assay
from assay.cli import main


@pytest.fixture
def files(tmp_path):
    """Two models of three labels and of two outputs, in Parquet and CSV."""
    draw = np.random.default_rng(2)
    n = 150
    actual = draw.integers(0, 2, (n, 3))
    truth = draw.normal(size=(n, 2))
    columns = {f"y{i}": actual[:, i] for i in range(3)} | {f"t{i}": truth[:, i] for i in range(2)}
    for model in "ab":
        said = np.where(draw.random((n, 3)) < 0.8, actual, 1 - actual)
        score = 0.7 * draw.random((n, 3)) + 0.3 * actual
        columns |= {f"{model}{i}": said[:, i] for i in range(3)} | {
            f"s{model}{i}": score[:, i] for i in range(3)
        }
        guess = truth + draw.normal(size=(n, 2))
        columns |= {f"g{model}{i}": guess[:, i] for i in range(2)}
    table = pd.DataFrame(columns | {"region": draw.choice(["n", "s"], n)})
    table.to_parquet(tmp_path / "rows.parquet")
    table.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


def output(capsys, *words):
    assert main(list(map(str, words))) == 0
    printed = capsys.readouterr()
    assert not printed.err
    return printed.out


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
def test_indicator_columns_are_evaluated_by_slices(files, name, capsys):
    """The JSON is that of Python's call, slices included."""
    words = [
        "evaluate",
        files / name,
        "--actual",
        "y0,y1,y2",
        "--predicted",
        "a0,a1,a2",
        "--score",
        "sa0,sa1,sa2",
    ]
    data = json.loads(output(capsys, *words, "--by", "region", "--json"))
    ev = assay.evaluate(
        files / name,
        actual=["y0", "y1", "y2"],
        predicted=["a0", "a1", "a2"],
        score=["sa0", "sa1", "sa2"],
        by="region",
    )
    assert data["task"] == "multilabel"
    assert data["labels"] == ["y0", "y1", "y2"]
    assert data["metrics"] == json.loads(json.dumps(ev.to_dict()["metrics"]))
    assert [line["slice"] for line in data["slices"]["region"][:2]] == ["n", "s"]
    assert [each["label"] for each in data["classes"]] == ["y0", "y1", "y2"]
    text = output(capsys, *words, "--by", "region", "--require", "macro auc >= 0.5")
    assert "macro AUC" in text
    assert "2 slices by region" in text


def test_several_outputs_are_evaluated(files, capsys):
    """Named by --labels where the columns' names say little; a page has them, too."""
    page = files / "report.html"
    text = output(capsys, "evaluate", files / "rows.parquet", "--actual", "t0,t1", "--predicted", "ga0,ga1",
                  "--labels", "height,weight", "--by", "region", "--report", page)  # fmt: skip
    assert "Regression of 2 outputs" in text
    assert "height" in text
    assert "height" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("actual", "first", "second", "metric"),
    [("y0,y1,y2", "a0,a1,a2", "b0,b1,b2", "micro_f1"), ("t0,t1", "ga0,ga1", "gb0,gb1", "macro_rmse")],
)
def test_two_models_are_compared(files, capsys, actual, first, second, metric):  # noqa: PLR0917 - parameters
    """Columns of one file, and a file for each model."""
    words = [
        "compare",
        files / "rows.parquet",
        "--actual",
        actual,
        "--predicted",
        first,
        "--predicted",
        second,
    ]
    data = json.loads(output(capsys, *words, "--model-names", "old,new", "--json"))
    assert (data["models"], data["paired"]) == (["old", "new"], True)
    table = pd.read_parquet(files / "rows.parquet")
    models = [
        assay.rows(table, actual=actual.split(","), predicted=said.split(",")) for said in (first, second)
    ]
    found = {each["metric"]: each for each in data["differences"]}[metric]
    expected = assay.compare(*models, metrics=[metric]).differences[0]
    assert found["difference"] == pytest.approx(expected.difference, rel=1e-12)
    assert [found["low"], found["high"]] == pytest.approx([expected.low, expected.high], rel=1e-12)
    second_file = files / "second.parquet"
    table.rename(columns=dict(zip(second.split(","), first.split(","), strict=True)) |
                 dict(zip(first.split(","), second.split(","), strict=True))).to_parquet(second_file)  # fmt: skip
    words = ["compare", files / "rows.parquet", second_file, "--actual", actual, "--predicted", first]
    apart = json.loads(output(capsys, *words, "--json"))
    assert apart["paired"]
    assert {each["metric"]: each["difference"] for each in apart["differences"]}[metric] == found[
        "difference"
    ]


def test_shards_are_tallied_and_merged(files, capsys):
    """The merged evaluation is that of the whole file."""
    table = pd.read_parquet(files / "rows.parquet")
    names = ["--actual", "y0,y1,y2", "--score", "sa0,sa1,sa2"]
    for number, part in enumerate((table[:60], table[60:])):
        part.to_parquet(files / f"{number}.parquet")
        output(capsys, "tally", files / f"{number}.parquet", *names, "--output", files / f"{number}.assay")
    output(capsys, "merge", files / "0.assay", files / "1.assay", "--output", files / "both.assay")
    whole = json.loads(output(capsys, "evaluate", files / "rows.parquet", *names, "--json"))
    both = assay.load(files / "both.assay").to_dict()
    assert json.loads(json.dumps(both))["metrics"] == whole["metrics"]


def test_a_column_whose_name_has_a_comma_is_one_column(files, capsys):
    """As it was before commas separated names."""
    table = pd.read_parquet(files / "rows.parquet").rename(columns={"y0": "y,0"})
    table.to_parquet(files / "comma.parquet")
    data = json.loads(
        output(capsys, "evaluate", files / "comma.parquet", "--actual", "y,0", "--predicted", "a0", "--json")
    )
    assert data["task"] == "binary"


@pytest.mark.parametrize(
    ("task", "target", "model"),
    [("multilabel", "y0,y1,y2", "DecisionTreeClassifier"), ("multioutput", "t0,t1", "DecisionTreeRegressor")],
)
def test_targets_of_several_columns_are_cross_validated(files, capsys, task, target, model):
    """The task may be inferred from the target's columns, or stated; the result is the same."""
    words = ["crossval", files / "rows.parquet", "--target", target, "--features", "ga0,ga1"]
    words += ["--model", f"sklearn.tree:{model}", "--set", "max_depth=2", "--folds", "3", "--json"]
    inferred = json.loads(output(capsys, *words))
    stated = json.loads(output(capsys, *words, "--task", task))
    assert inferred["task"] == stated["task"] == task
    assert inferred["metrics"] == stated["metrics"]
