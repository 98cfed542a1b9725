"""Text stays text: labels of files are those that stand in them, by one rule in all formats."""

import json

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.cli import main
from assay.engines import read, scan, source

ALIKE = {
    "times": ["1:00:00", "01:00:00", "1:00"],
    "dates": ["2020-01-01", "2020-1-1", "01/01/2020"],
    "moments": ["2020-01-01 00:00:00", "2020-01-01T00:00:00", "2020-01-01"],
    "uuids": ["5b8f8c1e-7d2e-4a53-9a3e-0c2ad54a4f11", "5B8F8C1E-7D2E-4A53-9A3E-0C2AD54A4F11", "x"],
    "numbers": ["1e2", "100", "10e1"],
    "zeros": ["0", "-0", "0.0"],
}


def labels_of(path, **how):
    tally = scan(source(path, **how), actual="y", predicted="y", tallies={"it": assay.Confusion})["it"]
    return tally.labels


def write(tmp_path, values):
    """Write one column of text in every format; return the files."""
    table = pa.table({"y": values})
    pq.write_table(table, tmp_path / "a.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    objects = [json.dumps({"y": value}) for value in values]
    (tmp_path / "a.jsonl").write_text("\n".join(objects))
    (tmp_path / "a.json").write_text("[" + ",".join(objects) + "]")
    (tmp_path / "a.csv").write_text("y\n" + "".join(f"{value}\n" for value in values))
    return [tmp_path / f"a.{ending}" for ending in ("parquet", "feather", "jsonl", "json", "csv")]


@pytest.mark.parametrize("values", ALIKE.values(), ids=ALIKE)
def test_text_that_looks_alike_is_not_one_label(values, tmp_path):
    """Text of a typed file is text; that of a CSV, too, where text= says so."""
    for path in write(tmp_path, values):
        assert labels_of(path, text="y") == tuple(sorted(values)), path.name
        if path.suffix != ".csv":
            assert labels_of(path) == tuple(sorted(values)), path.name


def test_numbers_are_text_where_that_is_said(tmp_path):
    """text= makes text of numbers, true and false, and dates, in every format."""
    table = pa.table({"y": [1, 2], "t": [True, False], "s": [0.5, 1.0]})
    pq.write_table(table, tmp_path / "a.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    (tmp_path / "a.jsonl").write_text('{"y": 1, "t": true, "s": 0.5}\n{"y": 2, "t": false, "s": 1.0}')
    with duckdb.connect(tmp_path / "a.duckdb") as opened:
        opened.execute(
            "CREATE TABLE rows AS FROM (VALUES (1, true, 0.5::DOUBLE), (2, false, 1.0)) t(y, t, s)"
        )
    for path in (tmp_path / f"a.{ending}" for ending in ("parquet", "feather", "jsonl", "duckdb")):
        how = {"table": "rows"} if path.suffix == ".duckdb" else {}
        columns = read(source(path, text=["y", "t", "s"], **how), ["y", "t", "s"])
        found = {name: column.labels for name, column in columns.items()}
        assert found == {"y": ("1", "2"), "t": ("false", "true"), "s": ("0.5", "1.0")}, path.name


def test_a_column_of_text_must_be_there(tmp_path):
    """A name that is misspelt is not passed over."""
    (tmp_path / "a.csv").write_text("y,p\n1,1\n")
    with pytest.raises(assay.ColumnError, match=r'no column "yy" in .*Did you mean "y"'):
        labels_of(tmp_path / "a.csv", text="yy")


def test_moments_are_the_same_text_in_every_time_zone(tmp_path, monkeypatch):
    """A moment with a time zone is told in UTC, whatever the machine's own zone is."""
    stamps = pa.array([0, 3_600_000_000], pa.timestamp("us", tz="Asia/Tokyo"))
    pq.write_table(pa.table({"y": stamps}), tmp_path / "a.parquet")
    monkeypatch.setenv("TZ", "America/New_York")
    assert labels_of(tmp_path / "a.parquet") == ("1970-01-01 00:00:00+00", "1970-01-01 01:00:00+00")


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_split_writes_json_as_it_stands(ending, tmp_path, capsys):
    """Objects are copied, not read and written anew."""
    objects = [
        '{"y": "1:00:00", "n": 1e2, "k": {"d": "2020-1-1"}}',
        '{"y":"01:00:00","n":100}',
        '{"z": null}',
    ]
    path = tmp_path / f"a.{ending}"
    path.write_text(f"[{', '.join(objects)}]" if ending == "json" else "\n".join(objects))
    assert main(["split", str(path), "--parts", "a=0.7,b=0.3", "--quiet"]) == 0
    written = [(tmp_path / f"a-{part}.{ending}").read_text() for part in "ab"]
    assert all(sum(text.count(one) for text in written) == 1 for one in objects), written
    rows = [
        row for text in written
        for row in (json.loads(text) if ending == "json" else map(json.loads, text.splitlines()))
    ]  # fmt: skip
    assert sorted(map(str, rows)) == sorted(str(json.loads(one)) for one in objects)
    assert (
        main(["split", str(path), "--folds", "2", "--column", "fold", "--output", str(tmp_path / "o.json")])
        == 0
    )
    capsys.readouterr()
    text = (tmp_path / "o.json").read_text()
    rows = json.loads(text) if ending == "json" else list(map(json.loads, text.splitlines()))
    assert [{k: v for k, v in row.items() if k != "fold"} for row in rows] == list(map(json.loads, objects))
    assert {row["fold"] for row in rows} == {"fold1", "fold2"}


def test_many_keys_of_a_kind_are_columns(tmp_path):
    """Two hundred and more keys with numbers are no map."""
    row = {f"k{i}": i for i in range(400)} | {"y": 1, "p": 1}
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(row) for _ in range(3)))
    assert scan(tmp_path / "a.jsonl", actual="y", predicted="p", tallies={"it": assay.Confusion})["it"].n == 3


def test_keys_that_differ_in_capitals_keep_their_names(tmp_path):
    """Such keys are named as they stand, and refused only where one of them is meant."""
    (tmp_path / "a.jsonl").write_text(
        '{"y": 1, "p": 1, "A": 2, "a": 3}\n{"y": 0, "p": 1, "a": 3, "a_1": 5}\n'
    )
    assert sorted(source(tmp_path / "a.jsonl").columns()) == ["A", "a", "a_1", "p", "y"]
    assert labels_of(tmp_path / "a.jsonl") == (0, 1)
    with pytest.raises(assay.ColumnError, match=r'two columns of .* are named "A" \(capitals aside\)'):
        read(tmp_path / "a.jsonl", ["A"])


def test_a_byte_order_mark_before_json(tmp_path):
    """Some editors write one: it is no part of the first object."""
    for ending, text in (
        ("jsonl", '{"y": 1}\r\n{"y": 0}\r\n'),
        ("json", '[{"y": 1}, {"y": 0}]'),
        ("", '\n{"y": 1}\n{"y": 0}'),
    ):
        path = tmp_path / (f"a.{ending}" if ending else "plain")
        path.write_text("\ufeff" + text)
        assert labels_of(path) == (0, 1)


def test_nothing_is_missing_beside_what_is_said(tmp_path):
    """null="NA" makes NA missing as well as an empty value, which is no label."""
    (tmp_path / "a.csv").write_text("y,p\nNA,a\n,a\na,a\nb,\n")
    found = scan(
        source(tmp_path / "a.csv", null="NA"), actual="y", predicted="p", missing="drop",
        tallies={"it": assay.Confusion},
    )  # fmt: skip
    assert (found.rows, found.dropped, found["it"].labels) == (1, 3, ("a",))
