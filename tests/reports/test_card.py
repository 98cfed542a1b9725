"""Model cards: sections that numbers fill, metadata that the Hub reads, and plain data."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml

import assay


def evaluation(**more):
    rng = np.random.default_rng(1)
    actual = rng.integers(0, 2, 200)
    frame = pd.DataFrame(
        {
            "y": np.where(actual, "spam|<b>", "ham"),
            "p": np.clip(0.3 * actual + 0.7 * rng.random(200), 0, 1),
            "region": rng.choice(["north", "so|uth"], 200),
            "id": range(200),
        }
    )
    return assay.evaluate(
        frame, actual="y", score="p", positive="spam|<b>", by="region", key="id", name='filter: "v1"', **more
    )


def test_the_sections_hold_the_numbers():
    """Every metric has its value and interval, every slice a line, and text of labels stays text."""
    ev = evaluation()
    text = ev.card(dataset="spam 2026")
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert heads == [
        '# Model card: filter: "v1"', "## Model details", "## Factors", "## Evaluation data",
        "## Quantitative analyses", "### By region", "## Caveats and recommendations",
    ]  # fmt: skip
    assert "- Data set: spam 2026" in text
    assert f"| ROC AUC | {ev['auc'].value:.4f} | \\[{ev['auc'].low:.4f}, {ev['auc'].high:.4f}\\] |" in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    north = ev.slices["region"]["north"]
    assert f"| north | {north.n} | {north['auc'].value:.4f} " in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert sum("| " + title in text for title in ("ROC AUC", "recall", "F1")) == 3
    assert len(rows) == 2 + len(ev) + 2 + 2


def test_the_hub_reads_the_metadata():
    """The YAML has a model-index with a name, a task, a data set, and each defined metric with its value."""
    ev = evaluation()
    text = ev.card(format="huggingface", dataset="spam: 2026", task="text-classification")
    _, head, body = text.split("---\n", 2)
    (model,) = yaml.safe_load(head)["model-index"]
    assert model["name"] == 'filter: "v1"'
    (result,) = model["results"]
    assert result["task"]["type"] == "text-classification"
    assert result["dataset"] == {"name": "spam: 2026", "type": "spam: 2026"}
    values = {metric["type"]: metric["value"] for metric in result["metrics"]}
    assert values["roc_auc"] == ev["auc"].value
    assert values["f1"] == ev["f1"].value
    assert body.startswith("\n# Model card")


def test_the_data_are_plain(tmp_path):
    """JSON has every estimate, looks where they are known, and is written where the path says so."""
    ev = evaluation(ledger=tmp_path / "ledger.db")
    ev.card(tmp_path / "card.json")
    data = json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))
    assert data["metrics"]["auc"]["value"] == ev["auc"].value
    for_all = ev.for_all_looks("auc")
    assert data["metrics"]["auc"]["for_all_looks"] == [for_all.low, for_all.high]
    assert data["evaluation_data"]["looks"]["text"] == "look 1 at this test set"
    assert [part["slice"] for part in data["slices"]["region"]] == ["north", "so|uth"]
    assert "look 1 at this test set" in ev.card()
    assert ev.card(tmp_path / "card.md") == (tmp_path / "card.md").read_text(encoding="utf-8")
    with pytest.raises(assay.InputError, match="is not known"):
        ev.card(format="pdf")


@pytest.mark.parametrize(
    "ev",
    [
        assay.evaluate(actual=[1.5, 2.0, 4.0], predicted=[1.0, 2.5, 4.5]),
        assay.evaluate(actual=["a", "b", "c", "a"], predicted=["a", "b", "a", "a"]),
        assay.evaluate(actual=[[1, 0], [0, 1]], predicted=[[1, 0], [1, 1]], task="multilabel"),
        assay.evaluate(actual=[["a"], ["b"]], predicted=[["a", "b"], ["a", "b"]], task="ranking"),
        assay.evaluate(actual=[0], predicted=[0], labels=[0, 1], positive=1),
    ],
    ids=["regression", "multiclass", "multilabel", "ranking", "one row"],
)
def test_every_task_has_a_card(ev):
    """Undefined metrics are left out of the metadata, and stand in the table."""
    head = ev.card(format="huggingface").split("---\n", 2)[1]
    (result,) = yaml.safe_load(head)["model-index"][0]["results"]
    assert all(np.isfinite(metric["value"]) for metric in result["metrics"])
    json.loads(ev.card(format="json"))
