"""Ledgers leave as files and come back: nothing is lost, changed or taken twice."""

import json

import numpy as np
import pyarrow.parquet
import pytest

import assay


def filled(book, models=("first", "second"), start=0):
    rng = np.random.default_rng(3)
    actual = rng.integers(0, 2, 100)
    for model in models:
        predicted = actual ^ (rng.random(100) < 0.2)
        key = range(start, start + 100)
        assay.evaluate(actual=actual, predicted=predicted, key=key, name=model, ledger=book)
    book.append("plan", {"name": "churn"})


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.parquet"])
def test_what_was_exported_comes_back(url, tmp_path, name):
    """Every entry has its content, its time and its data; a second import adds nothing."""
    with assay.ledger(url) as book:
        filled(book)
        assert book.export(tmp_path / name) == 3
        other = assay.ledger(tmp_path / "other.db")
        assert other.import_from(tmp_path / name) == 3
        assert other.import_from(tmp_path / name) == 0
        assert other.verify()
        assert [entry.content for entry in other.entries()] == [entry.content for entry in book.entries()]
        for left, right in zip(
            book.entries(kind="evaluation"), other.entries(kind="evaluation"), strict=True
        ):
            assert book.load(left).to_json() == other.load(right).to_json()
        other.close()


def test_two_ledgers_become_one(url, tmp_path):
    """Entries of both are there once, and looks of both count."""
    with assay.ledger(url) as book, assay.ledger(tmp_path / "other.db") as other:
        filled(book, ["first"])
        other.import_from(book)
        filled(other, ["third"])
        filled(book, ["second"])
        assert book.import_from(other) == 2  # the third model and a plan
        assert [entry.model for entry in book.entries(kind="evaluation")] == ["first", "second", "third"]
        assert book.verify()
        assert book.import_from(tmp_path / "other.db") == 0


def test_a_changed_file_is_refused(tmp_path):
    """Neither a changed estimate nor changed data are imported, and files of something else say so."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        filled(book)
        book.export(tmp_path / "runs.jsonl")
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    record = json.loads(lines[1])
    record["payload"]["model"] = "better"
    (tmp_path / "payload.jsonl").write_text("\n".join([lines[0], json.dumps(record)]))
    record = json.loads(lines[0])
    first = next(iter(record["data"]))
    record["data"][first] = "AAAA"
    (tmp_path / "data.jsonl").write_text(json.dumps(record))
    (tmp_path / "text.jsonl").write_text("no JSON")
    (tmp_path / "other.jsonl").write_text('{"a": 1}')
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "other.parquet")
    with assay.ledger(tmp_path / "target.db") as target:
        for name, words in (
            ("payload.jsonl", "entry 2 was changed"), ("data.jsonl", "entry 1 was changed"),
            ("text.jsonl", "is no JSON"), ("other.jsonl", "line 1 is no entry"), ("other.parquet", "holds no entries"),
        ):  # fmt: skip
            with pytest.raises(assay.LedgerError, match=words):
                target.import_from(tmp_path / name)
        with pytest.raises(assay.FileError, match="there is no file"):
            target.import_from(tmp_path / "missing.jsonl")
        with pytest.raises(assay.FileError, match=r"\.jsonl or \.parquet"):
            target.export(tmp_path / "runs.csv")


def test_a_parquet_file_can_be_queried(tmp_path):
    """Models, test sets and estimates are columns that other programs read."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        filled(book)
        book.export(tmp_path / "runs.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "runs.parquet").to_pydict()
    assert table["model"] == ["first", "second", ""]
    assert json.loads(table["payload"][0])["estimates"]["accuracy"]["value"] > 0.5
