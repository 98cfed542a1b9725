"""Which file a path means: folders named like columns, names like patterns, pipes, and one file named twice."""

import bz2
import gzip
import json
import os
import threading

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.engines import read, scan, source


def accuracy(*given, **how):
    """Return rows and accuracy of the columns y and p."""
    tally = scan(source(*given, **how), actual="y", predicted="p", tallies={"it": assay.Confusion})["it"]
    return tally.n, tally.correct / tally.n


def write_all(folder, y, p):
    """Write the same two columns in every format to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table({"y": y, "p": p})
    pq.write_table(table, folder / "a.parquet")
    pyarrow.feather.write_feather(table, folder / "a.feather")
    lines = [json.dumps({"y": a, "p": b}) for a, b in zip(y, p, strict=True)]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "a.json").write_text("[" + ",".join(lines) + "]")
    (folder / "a.csv").write_text("y,p\n" + "".join(f"{a},{b}\n" for a, b in zip(y, p, strict=True)))
    return [folder / f"a.{ending}" for ending in ("parquet", "feather", "jsonl", "json", "csv")]


def test_a_folder_named_like_a_column_changes_nothing(tmp_path):
    """Columns are those of the file, whatever its folders are called."""
    for path in write_all(tmp_path / "y=0" / "p=1", [0, 1, 1, 0], [0, 1, 1, 1]):
        assert accuracy(path) == (4, 0.75), path.name
        assert source(path).columns() == ["y", "p"]


def test_folders_are_columns_where_that_is_asked_for(tmp_path):
    """hive=True reads year=2024 as a column, in every format, and not over one of the file's."""
    for fold, truth in ((0, [0, 0]), (1, [1, 0])):
        folder = tmp_path / f"p={fold}" / "name=a%2Fb"
        for path in write_all(folder, truth, [7, 7]):
            if path.suffix == ".csv":
                path.write_text("y\n" + "".join(f"{value}\n" for value in truth))
            elif path.suffix in (".jsonl", ".json"):
                path.write_text("\n".join(json.dumps({"y": value}) for value in truth))
            elif path.suffix == ".parquet":
                pq.write_table(pa.table({"y": truth}), path)
            else:
                pyarrow.feather.write_feather(pa.table({"y": truth}), path)
    for ending in ("parquet", "feather", "jsonl", "json", "csv"):
        found = source(f"{tmp_path}/*/*/a.{ending}", hive=True)
        assert found.columns() == ["y", "p", "name"]
        assert accuracy(f"{tmp_path}/*/*/a.{ending}", hive=True) == (4, 0.75), ending
        columns = read(found, ["p", "name"])
        assert columns["p"].values.tolist() == [0, 0, 1, 1]
        assert columns["name"].labels == ("a/b",)
    (tmp_path / "flat.csv").write_text("y,p\n0,0\n")
    with pytest.raises(assay.FileError, match=r"lies in no folder named as year=2024"):
        source(tmp_path / "flat.csv", hive=True)


def test_a_folder_and_a_file_that_both_have_a_column(tmp_path):
    """Nobody knows which is meant, so hive=True refuses it; folders that differ are refused, too."""
    (path, *_) = write_all(tmp_path / "y=0", [1], [1])
    with pytest.raises(assay.FileError, match=r'has a column "y" and lies in a folder y=0'):
        accuracy(path, hive=True)
    (other, *_) = write_all(tmp_path / "z=0", [1], [1])
    with pytest.raises(assay.FileError, match=r"the folders of .* name the columns"):
        source([path, other], hive=True)


def test_a_query_over_folders_must_say_what_it_means(tmp_path):
    """In SQL the reader guesses: that is refused unless hive_partitioning is said."""
    (path, *_) = write_all(tmp_path / "y=0", [1, 1], [1, 1])
    for table in (f"'{path}'", f"read_parquet('{tmp_path}/*/*.parquet')"):
        with pytest.raises(assay.FileError, match="y=0 would take the place of a column"):
            accuracy(sql=f"FROM {table}")
    own = f"FROM read_parquet('{path}', hive_partitioning=false)"
    assert accuracy(sql=own) == (2, 1.0)
    assert accuracy(sql=own.replace("false", "true")) == (2, 0.0)


@pytest.mark.parametrize(
    "odd", ["a[1]", "x*", "q?", "[ab]", "~", "s3:a", "$HOME", "back\\slash", "{a,b}", "ü"]
)
def test_a_path_that_exists_is_that_file(odd, tmp_path):
    """A name that looks like a pattern, a home or an address is the file of that name, alone."""
    for near in ("a1", "xy", "qq", "a", "b", "aa"):
        for path in write_all(tmp_path / "others", [0, 0], [1, 1]):
            path.rename(tmp_path / f"{near}{path.suffix}")
    folder = tmp_path / "in" / odd
    for path in write_all(folder, [0, 1], [0, 1]):
        meant = tmp_path / f"{odd}{path.suffix}"
        meant.write_bytes(path.read_bytes())
        assert accuracy(meant) == (2, 1.0), meant.name
    assert accuracy(folder) == (10, 1.0)


def test_a_database_with_a_name_like_a_pattern(tmp_path):
    """A database file is opened by its name, too."""
    for name, truth in (("d[1].duckdb", 1), ("d1.duckdb", 0)):
        with duckdb.connect(":memory:") as opened:
            opened.execute(f"ATTACH '{tmp_path}/plain.duckdb' AS d")
            opened.execute(f"CREATE TABLE d.rows AS SELECT {truth} AS y, 1 AS p")
        (tmp_path / "plain.duckdb").rename(tmp_path / name)
    assert accuracy(tmp_path / "d[1].duckdb", table="rows") == (1, 1.0)


def test_bytes_that_are_no_text_may_name_a_file(tmp_path):
    """A name in another encoding is still the name of a file."""
    plain = tmp_path / "a.csv"
    plain.write_text("y,p\n1,1\n")
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv")
    plain.rename(odd)
    assert accuracy(odd) == (1, 1.0)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather", "jsonl", "json", ""])
def test_a_named_pipe_is_read_once_and_whole(ending, tmp_path):
    """What comes through a FIFO is the rows, in every format, named after it or not."""
    paths = write_all(tmp_path / "files", [0, 1, 1, 0], [0, 1, 1, 1])
    (tmp_path / "files" / "a.csv.gz").write_bytes(gzip.compress(paths[-1].read_bytes()))
    data = (tmp_path / "files" / f"a.{ending or 'parquet'}").read_bytes()
    pipe = tmp_path / (f"pipe.{ending}" if ending else "pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(data), daemon=True)
    writer.start()
    assert accuracy(pipe) == (4, 0.75)
    writer.join(10)


def test_a_pipe_is_read_as_its_name_says(tmp_path):
    """JSON lines that are packed begin with no brace: the name tells what they are."""
    pipe = tmp_path / "pipe.jsonl.gz"
    os.mkfifo(pipe)
    data = gzip.compress(b'{"y": 0, "p": 0}\n{"y": 1, "p": 0}\n')
    writer = threading.Thread(target=lambda: pipe.write_bytes(data), daemon=True)
    writer.start()
    assert accuracy(pipe) == (2, 0.5)
    writer.join(10)


def test_an_archive_may_have_an_odd_name_and_hold_a_mark(tmp_path):
    """What is unpacked is read as a file of that name would be."""
    for name, truth in (("d[1].csv.bz2", 1), ("d1.csv.bz2", 0)):
        (tmp_path / name).write_bytes(bz2.compress(f"y,p\n{truth},1\n".encode()))
    assert accuracy(tmp_path / "d[1].csv.bz2") == (1, 1.0)
    (tmp_path / "marked.json.bz2").write_bytes(bz2.compress(b'\xef\xbb\xbf[{"y": 1, "p": 1}]'))
    assert accuracy(tmp_path / "marked.json.bz2") == (1, 1.0)


def test_text_of_a_query_that_is_no_file_is_text(tmp_path, monkeypatch):
    """A label with a slash or a star in it is looked for nowhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("y,p\nb/c,b/c\nx=1/*.csv,b/c\n")
    assert accuracy(sql="FROM 'a.csv' WHERE y IN ('b/c', 'x=1/*.csv')") == (2, 0.5)


def test_a_file_named_twice_is_refused(tmp_path, monkeypatch):
    """By one name, by two, by a pattern, by a link: its rows would count twice."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("y,p\n1,1\n")
    (tmp_path / "b.csv").write_text("y,p\n1,1\n")
    (tmp_path / "folder").mkdir()
    os.link("a.csv", "folder/hard.csv")
    (tmp_path / "soft.csv").symlink_to(tmp_path / "a.csv")
    for given in (["a.csv", "a.csv"], ["a.csv", "./a.csv"], ["a.csv", "*.csv"], ["a.csv", "folder"],
                  ["b.csv", "a.csv", "soft.csv"], ["-", "-"]):  # fmt: skip
        with pytest.raises(assay.FileError, match=r"named twice.*its rows would count twice"):
            source(given)
    assert accuracy(["a.csv", "b.csv"]) == (2, 1.0)
