"""The same rows are the same rows in every format, whatever their labels and columns are called."""

import gzip
import io
import json
import os
import random
import sys
import threading
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.cli import main
from assay.engines import scan, source

ODD = [
    "a", "b", "A", "0", "1", "1.0", "1e2", "100", "007", "NA", "NULL", "null", "None", "nan", "inf", "true", "FALSE",
    " x ", "\t", "é", "e\u0301", "日本", "🙂", "\u202eabc", "a,b", "a;b", "a\tb", "a|b", 'q"q', '"', "'", "\\", "\\n",
    "line\nbreak", "cr\rlf", "x\r\ny", "#c", "=1+1", "2020-01-01", "1:00:00", "01:00:00", "\ufeffz", "\u2028", "\x0b",
    "{}", "[1]", "5b8f8c1e-7d2e-4a53-9a3e-0c2ad54a4f11", "x" * 3000, "$a", "%41", "--", "a=b", "y=0", "\x1b[1m",
]  # fmt: skip


def cell(value, delimiter, *, always):
    """Return a value as it stands in a CSV."""
    if value is None:
        return ""
    if always or any(sign in value for sign in f'"\r\n{delimiter}'):
        return '"' + value.replace('"', '""') + '"'
    return value


def delimited(names, rows, *, delimiter=",", end="\n", before="", always=False):
    lines = [delimiter.join(cell(value, delimiter, always=always) for value in row) for row in [names, *rows]]
    return (before + "".join(f"{line}{end}" for line in lines)).encode()


def write(folder, names, rows, draw):
    """Write a table of text in every format; return the sources."""
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    partition = folder / "y=0" / f"{draw.choice(['a', 'p'])}=1"
    partition.mkdir(parents=True)
    pq.write_table(table, partition / "a.parquet", row_group_size=draw.choice([1, 7, 1000]))
    pyarrow.feather.write_feather(
        table, folder / "a.feather", compression=draw.choice(["lz4", "uncompressed"])
    )
    objects = [
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=draw.random() < 0.5) for row in rows
    ]
    (folder / "a.jsonl").write_text("\n".join(objects), encoding="utf-8")
    (folder / "a.json").write_text("[" + ",\n".join(objects) + "]", encoding="utf-8")
    ways = {
        "end": draw.choice(["\n", "\r\n"]),
        "before": draw.choice(["", "\r\n", "\n\n"]),
        "always": draw.random() < 0.5,
    }
    (folder / "a.csv").write_bytes(delimited(names, rows, **ways))
    (folder / "b.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + delimited(names, rows, end="\r\n")))
    (folder / "a.tsv").write_bytes(delimited(names, rows, delimiter="\t"))
    with duckdb.connect(folder / "a.duckdb") as opened:
        opened.execute(
            f"CREATE TABLE rows AS FROM read_parquet('{partition / 'a.parquet'}', hive_partitioning=false)"
        )
    text = {"text": names}
    return [
        source(partition / "a.parquet"), source(folder / "a.feather"), source(folder / "a.jsonl"),
        source(folder / "a.json"), source(folder / "a.csv", delimiter=",", **text),
        source(folder / "b.csv.gz", delimiter=",", **text), source(folder / "a.tsv", **text),
        source(folder / "a.duckdb", table="rows"),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_generated_tables_with_odd_labels_and_names(first, tmp_path):
    """Three hundred tables: the tally of each is that of its rows as lists, in eight formats."""
    for seed in range(first, first + 50):
        draw = random.Random(seed)
        names = []
        while len(names) < draw.choice([2, 3, 5]):
            name = draw.choice([*ODD, "y", "p", "c0", "c1", "json", "filename", "given_rows"])
            if name.strip() and not name.startswith("\ufeff") and name.lower() not in map(str.lower, names):
                names.append(name)
        labels = draw.sample(ODD, draw.choice([2, 3, 10]))
        missing = draw.choice([0, 0, 0.2])
        count = draw.choice([1, 2, 5, 30, 300])
        rows = [
            [None if draw.random() < missing else draw.choice(labels) for _ in names] for _ in range(count)
        ]
        actual, predicted = names[0], names[1]
        kept = [row for row in rows if row[0] is not None and row[1] is not None]
        expected = assay.Confusion.of(
            assay.rows(actual=[row[0] for row in kept], predicted=[row[1] for row in kept])
        )
        folder = tmp_path / str(seed)
        folder.mkdir()
        for origin in write(folder, names, rows, draw):
            found = scan(
                origin, actual=actual, predicted=predicted, missing="drop", threads=1,
                tallies={"it": assay.Confusion},
            )  # fmt: skip
            assert (found.rows, found.dropped) == (len(kept), len(rows) - len(kept)), (seed, origin.name)
            assert found["it"] == expected, (seed, origin.name)


def test_the_same_rows_give_the_same_json(tmp_path, monkeypatch, capsys):
    """Every dialect and format, standard input and a pipe: one evaluation, byte for byte."""
    draw = random.Random(7)
    rows = [
        (draw.choice(["no\nway", "yes, sir"]), repr(round(draw.random(), 3)), draw.choice(["n", "s w", "é"]))
        for _ in range(200)
    ]
    names = ("y", "s", "region")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "y=1" / "s=0.5").mkdir(parents=True)
    plain = delimited(names, rows)
    files = {
        "lf.csv": plain,
        "crlf.csv": delimited(names, rows, end="\r\n"),
        "mark.csv": b"\xef\xbb\xbf" + delimited(names, rows, end="\r\n", always=True),
        "quoted.csv": delimited(names, rows, always=True),
        "blank.csv": delimited(names, rows, before="\n\n"),
        "mixed.csv": delimited(names, rows[:90])
        + delimited(("", "", ""), rows[90:], end="\r\n").split(b"\r\n", 1)[1],
        "a.tsv": delimited(names, rows, delimiter="\t"),
        "packed.csv.gz": gzip.compress(plain),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    objects = [json.dumps({"y": y, "s": float(s), "region": region}) for y, s, region in rows]
    (tmp_path / "a.jsonl").write_text("\n".join(objects))
    (tmp_path / "a.json").write_text("[" + ",".join(objects) + "]")
    columns = list(zip(*rows, strict=True))
    table = pa.table({"y": columns[0], "s": list(map(float, columns[1])), "region": columns[2]})
    pq.write_table(table, "y=1/s=0.5/a.parquet")
    pyarrow.feather.write_feather(table, "a.feather")
    with duckdb.connect("a.duckdb") as opened:
        opened.execute(
            "CREATE TABLE rows AS FROM read_parquet('y=1/s=0.5/a.parquet', hive_partitioning=false)"
        )

    def answer(*words):
        ask = [
            "--actual",
            "y",
            "--score",
            "s",
            "--positive",
            "yes, sir",
            "--by",
            "region",
            "--json",
            "--quiet",
        ]
        assert main(["evaluate", *words, *ask]) == 0
        return capsys.readouterr().out

    expected = answer("lf.csv")
    assert json.loads(expected)["n"] == 200
    for name in [*files, "a.jsonl", "a.json", "y=1/s=0.5/a.parquet", "y=1", "a.feather"]:
        assert answer(name) == expected, name
    assert answer("a.duckdb", "--table", "rows") == expected
    for name in ("crlf.csv", "a.jsonl", "y=1/s=0.5/a.parquet", "a.feather"):
        data = (tmp_path / name).read_bytes()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        assert answer("-") == expected, f"{name} as standard input"
        pipe = tmp_path / f"pipe-{name.replace('/', '-')}"
        os.mkfifo(pipe)
        threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True).start()
        assert answer(pipe.name) == expected, f"{name} through a pipe"
