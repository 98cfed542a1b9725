"""`assay split`: every row is in one part, as it was, in the order it had, in the format it had."""

import csv
import datetime as dt
import gzip
import json
import shlex

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay.cli import main
from assay.engines import read, source
from assay.resampling import holdout, kfold


def run(line, capfd):
    assert main(shlex.split(line)) == 0
    said = capfd.readouterr()
    assert not said.err
    return said.out


def rows_of(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".feather":
        return pyarrow.feather.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def formats(here):
    """Return the same rows in every format."""
    table = pq.read_table("preds.parquet")
    rows = table.to_pylist()
    (here / "preds.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (here / "preds.json").write_text(json.dumps(rows))
    with gzip.open(here / "packed.csv.gz", "wt", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return ["preds.parquet", "preds.feather", "preds.jsonl", "preds.json", "packed.csv.gz"]


def test_parts_hold_the_rows_that_the_splitter_says(here, formats, capfd):
    """In every format, the parts are those of assay.resampling, row by row."""
    y = np.array(pq.read_table("preds.parquet")["y"])
    split = holdout({"train": 0.5, "validate": 0.3, "test": 0.2}, seed=4).split(y)[0]
    for name in formats:
        told = run(
            f"split {name} --stratify y --parts train=0.5,validate=0.3,test=0.2 --seed 4 --json", capfd
        )
        whole = rows_of(here / name)
        for part in json.loads(told)["parts"]:
            expected = [whole[row] for row in split[part["part"]]]
            assert rows_of(here / part["file"]) == expected, name
            assert part["rows"] == len(expected)
            assert part["classes"]["1"] == int(y[split[part["part"]]].sum())


def test_a_column_more_says_the_part(here, formats, capfd):
    """--column writes all rows, in their order, each with its fold; repeats are columns of their own."""
    y = np.array(pq.read_table("preds.parquet")["y"])
    splits = kfold(3, repeats=2, seed=1).split(y)
    folds = np.zeros((2, 120), dtype=int)
    for one in splits:
        folds[one.repeat, one["test"]] = one.fold + 1
    for name in formats:
        ending = name.partition(".")[2]
        run(
            f"split {name} --stratify y --folds 3 --repeats 2 --seed 1 --column fold --output new.{ending}",
            capfd,
        )
        found = rows_of(here / f"new.{ending}")
        assert [row.pop("fold_1") for row in found] == [f"fold{fold}" for fold in folds[0]]
        assert [row.pop("fold_2") for row in found] == [f"fold{fold}" for fold in folds[1]]
        assert found == rows_of(here / name)


def test_lines_of_text_stay_as_they_are(here, capfd):
    """Quotes, line ends within them, empty values, odd bytes and the way numbers are written are kept."""
    lines = [
        b'1,"a ""quoted"" word",0.10\r\n', b'2,"two\nlines",1e3\r\n', b"3,caf\xc3\xa9,\r\n", b'4,"",007\r\n',
        b"5,plain,5\r\n", b"6,last,6",
    ]  # fmt: skip
    (here / "odd.csv").write_bytes(b"\xef\xbb\xbfid,text,number\r\n" + b"".join(lines))
    run("split odd.csv --parts a=0.5,b=0.5 --key id --seed 3", capfd)
    parts = [(here / f"odd-{name}.csv").read_bytes() for name in "ab"]
    assert all(part.startswith(b"\xef\xbb\xbfid,text,number\r\n") for part in parts)
    for line in lines:
        assert sum(line in part for part in parts) == 1
    run("split odd.csv --folds 2 --column fold --output new.csv", capfd)
    assert b'2,"two\nlines",1e3,fold' in (here / "new.csv").read_bytes()


def test_keys_decide_whatever_the_order(here, capfd):
    """The same keys in another order are in the same parts."""
    header, *lines = (here / "data.csv").read_text().splitlines()
    numbered = [f"{number},{line}" for number, line in enumerate(lines)]
    for name, some in (("one", numbered), ("other", numbered[::-1])):
        (here / f"{name}.csv").write_text("\n".join([f"id,{header}", *some]) + "\n")
        run(f"split {name}.csv --parts a=0.6,b=0.4 --key id --seed 8 --quiet", capfd)
    for part in "ab":
        first, second = ((here / f"{name}-{part}.csv").read_text().split() for name in ("one", "other"))
        assert sorted(first) == sorted(second)


def test_groups_stay_together_and_time_is_not_reversed(here, capfd):
    """No group is on both sides; the past lies before the future, less the gap."""
    run("split preds.parquet --parts a=0.6,b=0.4 --group region", capfd)
    regions = [{row["region"] for row in rows_of(here / f"preds-{part}.parquet")} for part in "ab"]
    assert not regions[0] & regions[1]
    run("split data.csv --time day --parts past=0.7,future=0.3 --gap 2d", capfd)
    past, future = (
        [dt.date.fromisoformat(row["day"]) for row in rows_of(here / f"data-{name}.csv")]
        for name in ("past", "future")
    )
    assert min(future) - max(past) == dt.timedelta(days=3)
    run("split data.csv --time day --folds 3 --window 30d", capfd)
    assert len(list(here.glob("data-fold*-t*.csv"))) == 6


def test_standard_input_can_be_split(here, capfd, monkeypatch):
    """Rows from a pipe are written to the current folder, or where it is said."""
    import io  # noqa: PLC0415

    class Pipe:
        buffer = io.BytesIO((here / "data.csv").read_bytes())

    monkeypatch.setattr("sys.stdin", Pipe())
    run("split - --parts a=0.5,b=0.5 --into parts", capfd)
    assert len(rows_of(here / "parts" / "stdin-a.csv")) == 60


def test_a_split_that_fails_leaves_nothing(here, capfd, monkeypatch):
    """Where writing fails half-way, no part and no temporary file is left."""
    before = {path.name for path in here.rglob("*")}
    monkeypatch.setattr(
        "assay.engines.write_parts._same_rows", lambda *_: (_ for _ in ()).throw(OSError("full"))
    )
    assert main(["split", "data.csv", "--parts", "a=0.5,b=0.5"]) == 2
    assert "full" in capfd.readouterr().err
    assert {path.name for path in here.rglob("*")} == before


def test_the_table_of_parts_can_be_read(here, capfd):
    """Records are parted 50/25/25 with the classes in proportion."""
    said = run("split data.csv --stratify default --parts train=0.5,validate=0.25,test=0.25", capfd)
    lines = said.splitlines()
    assert lines[0].split() == ["part", "rows", "no", "yes", "file"]
    assert lines[1].split()[:2] == ["train", "60"]


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_columns_without_a_role_may_hold_anything(ending, tmp_path, capsys):
    """Lists, structs, bytes and dates are dealt out with their rows, the first column among them."""
    table = pa.table({
        "l": [[1], [2], [3], [4]], "o": [{"a": 1}] * 4, "b": [b"x"] * 4, "y": pa.array([0, 1, 0, 1], pa.int8()),
        "t": pa.array([1, 2, 3, 4], pa.timestamp("ns")), "u": pa.array([1, 2, 3, 4], pa.uint16()),
    })  # fmt: skip
    path = tmp_path / f"a.{ending}"
    (pq.write_table if ending == "parquet" else pyarrow.feather.write_feather)(table, path)
    assert main(["split", str(path), "--parts", "a=0.5,b=0.5"]) == 0
    capsys.readouterr()
    read = pq.read_table if ending == "parquet" else pyarrow.feather.read_table
    parts = [read(tmp_path / f"a-{part}.{ending}") for part in "ab"]
    assert sum(part.num_rows for part in parts) == 4
    for part in parts:
        assert part.schema.types == table.schema.types
        assert all(row in table.to_pylist() for row in part.to_pylist())


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_packed_arrays_of_objects_are_written_as_they_stand(ending, here, capfd):
    """An array of JSON objects packed in any way is written so again: text that looks like a time stays text."""
    rows = [{"y": i % 2, "at": "1:00:00", "id": f"{i:03}"} for i in range(12)]
    (here / "objects.json").write_text(json.dumps(rows))
    run(f"split objects.json --folds 2 --column fold --output packed.json.{ending} --quiet", capfd)
    packed = here / f"packed.json.{ending}"
    assert packed.read_bytes().startswith(
        {"gz": b"\x1f\x8b", "bz2": b"BZh", "zst": b"\x28\xb5\x2f\xfd"}[ending]
    )
    run(f"split {packed.name} --parts a=0.5,b=0.5 --quiet", capfd)
    parts = [read(source(path), ["id", "at", "fold"]) for path in sorted(here.glob("packed-[ab].json*"))]
    assert len(parts) == 2
    ids = [str(part["id"].labels[code]) for part in parts for code in part["id"].values]
    assert sorted(ids) == [row["id"] for row in rows]
    for part in parts:
        assert part["at"].labels == ("1:00:00",)
        assert set(part["fold"].labels) <= {"fold1", "fold2"}
