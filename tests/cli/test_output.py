"""What commands write: never over what they read, and refused before rows are read where it cannot be."""

import os
import re
import shlex
import shutil
import threading

import duckdb
import pytest

from assay.cli import main

ROLES = "--actual y --score p"


def wrong(line, capfd, code=2):
    """Run a command that cannot be done; return the one line it says."""
    assert main(shlex.split(line)) == code
    said = capfd.readouterr()
    assert not said.out
    assert said.err.startswith("assay: ")
    assert said.err.count("\n") == 1
    assert "should not have happened" not in said.err
    return said.err


@pytest.mark.parametrize(
    "line",
    [
        f"evaluate 'shards/*.parquet' {ROLES} --output shards/2.parquet",
        f"evaluate shards {ROLES} --report shards/1.parquet",
        f"evaluate shards {ROLES} --output link",
        f"evaluate hard.parquet {ROLES} --output shards/1.parquet",
        f"evaluate --sql \"SELECT * FROM 'shards/1.parquet'\" {ROLES} --output shards/1.parquet",  # noqa: S608
        f"evaluate --sql \"SELECT * FROM read_parquet(['preds.parquet', './*s/*.parquet']) -- it's\" {ROLES} --json --output shards/2.parquet",  # noqa: S608
        f"tally --sql 'FROM \"shards/1.parquet\"' {ROLES} --output shards/1.parquet",
        f"threshold db.duckdb --table t {ROLES} --best f1 --output db.duckdb",
        "crosstab --sql \"FROM 'shards/1.parquet'\" --actual y --predicted yhat --output shards/1.parquet",
        f"compare 'a.csv' b.csv {ROLES} --output b.csv",
        "crossval --sql \"SELECT y, p FROM 'shards/*.parquet'\" --target y --model sklearn.naive_bayes:GaussianNB --folds 3 --keep shards/1.parquet",
        "split --sql \"FROM 'shards/1.parquet'\" --folds 2 --column fold --output shards/1.parquet",
        "split 'da*.csv' --folds 2 --column fold --output data.csv",
    ],
)  # fmt: skip
def test_what_is_read_is_never_written(line, here, capfd):
    """Patterns, folders, queries and databases: every file that was read stays as it is."""
    (here / "link").symlink_to("shards/2.parquet")
    (here / "hard.parquet").hardlink_to(here / "shards" / "1.parquet")
    with duckdb.connect(here / "db.duckdb") as made:
        made.execute("CREATE TABLE t AS FROM 'preds.parquet'")
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert "is read from: it would be replaced" in wrong(line, capfd)
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_standard_input_is_not_replaced_either(here, capfd, monkeypatch):
    """A file that a shell opens as standard input is read as well."""
    with (here / "a.csv").open("rb") as file:
        before = os.dup(0)
        try:
            os.dup2(file.fileno(), 0)
            with open(0, encoding="utf-8", closefd=False) as stdin:
                monkeypatch.setattr("sys.stdin", stdin)
                assert "is read from" in wrong(f"evaluate - {ROLES} --output a.csv", capfd)
        finally:
            os.dup2(before, 0)
            os.close(before)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"evaluate a.csv {ROLES} --output gone/x", "there is no folder gone"),
        (f"evaluate a.csv {ROLES} --report shards", "shards is a folder"),
        (f"evaluate a.csv {ROLES} --output x --report ./x", "would be written twice"),
        (f"tally a.csv {ROLES} --output gone/x", "there is no folder gone"),
        (f"threshold a.csv {ROLES} --best f1 --output gone/x", "there is no folder gone"),
        ("crosstab preds.csv --actual type --predicted said --output gone/x", "there is no folder gone"),
        ("compare two.csv --actual y --score a --score b --output gone/x", "there is no folder gone"),
        (
            "crossval data.csv --target default --positive yes --model sklearn.tree:X --keep gone/x",
            "there is no folder gone",
        ),
        ("split data.csv --folds 2 --column fold --output gone/x.csv", "there is no folder gone"),
        (f'evaluate a.csv {ROLES} --require "reacll > 0.5"', 'there is no metric "reacll"'),
        (f'evaluate a.csv {ROLES} --require-point "macro recll > 0.5"', 'there is no metric "recll"'),
        (
            'crossval data.csv --target default --positive yes --model sklearn.tree:X --require "aucc > 0"',
            "no metric",
        ),
        (
            'crossval data.csv --target default --positive yes --model m:X --metrics accuracy --require "auc > 0"',
            "auc",
        ),
    ],
)
def test_what_cannot_be_written_or_demanded_is_said_first(line, words, here, capfd, monkeypatch):
    """No row is read, no model fitted: nothing is even looked for."""

    def never(*_, **__):
        raise AssertionError("rows were looked for")

    monkeypatch.setattr("assay.engines.source", never)
    assert words in wrong(line, capfd)


def test_a_folder_that_may_not_be_written_is_said_before_rows_are_read(here, capfd, monkeypatch):
    """Split writes beside its file or into a folder, and looks at that first."""

    def never(*_, **__):
        raise AssertionError("rows were read")

    def refuse(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("assay.engines.read", never)
    monkeypatch.setattr("assay.output_files._open_temporary", refuse)
    for line in ("split data.csv --folds 2", "split data.csv --folds 2 --into parts"):
        assert "cannot be written: Permission denied" in wrong(line, capfd)


def test_averages_over_classes_may_be_required(here, capfd):
    """Their names are known, with a blank or without; what --beta adds is, too."""
    rows = "region,predicted\n" + "a,a\nb,b\nc,c\n" * 20
    (here / "classes.csv").write_text(rows)
    line = "evaluate classes.csv --actual region --predicted predicted --require-point"
    assert main([*line.split(), "macro f1 >= 1"]) == 0
    assert main([*line.split(), "weighted_f1 > 1"]) == 1
    assert main([*f"evaluate a.csv {ROLES} --beta 2 --require-point".split(), "f_2 > 0.1"]) == 0
    assert main([*f"tally a.csv {ROLES} --beta 2 --output f2.assay".split()]) == 0
    assert main(["report", "f2.assay", "--require-point", "f_2 > 0.1"]) == 0
    capfd.readouterr()


def test_pipes_are_read_and_written(here, capfd):
    """A pipe is read once, as standard input is, and one named as output is written through."""
    assert main(shlex.split(f"evaluate a.csv {ROLES} --json")) == 0
    expected = capfd.readouterr().out
    os.mkfifo(here / "in")
    os.mkfifo(here / "out")
    got = []
    feeder = threading.Thread(target=lambda: (here / "in").write_bytes((here / "a.csv").read_bytes()))
    reader = threading.Thread(target=lambda: got.append((here / "out").read_text()))
    feeder.start()
    reader.start()
    assert main(shlex.split(f"evaluate in {ROLES} --json --output out")) == 0
    feeder.join(20)
    reader.join(20)
    assert got == [expected]
    assert (here / "out").is_fifo()


def test_models_may_each_come_through_a_pipe(here, capfd):
    """Compare looks into no pipe before it reads it, and split names parts of one in the current folder."""
    assert main(shlex.split(f"compare a.csv b.csv {ROLES} --model-names a,b")) == 0
    expected = capfd.readouterr().out
    (here / "pipes").mkdir()
    feeders = []
    for name in ("a", "b", "c"):
        os.mkfifo(here / "pipes" / name)
        data = (here / ("a.csv" if name == "c" else f"{name}.csv")).read_bytes()
        feeders.append(threading.Thread(target=(here / "pipes" / name).write_bytes, args=(data,)))
        feeders[-1].start()
    assert main(shlex.split(f"compare pipes/a pipes/b {ROLES}")) == 0
    assert capfd.readouterr().out == expected
    reader, writer = os.pipe()
    os.write(writer, (here / "a.csv").read_bytes())
    os.close(writer)
    assert main(shlex.split(f"compare /dev/fd/{reader} b.csv {ROLES}")) == 0
    assert "b - model 1" in capfd.readouterr().out  # what <(...) gives has a number for a name
    os.close(reader)
    os.mkfifo(here / "pipes" / "d")
    data = (here / "2.assay").read_bytes()
    feeders.append(threading.Thread(target=(here / "pipes" / "d").write_bytes, args=(data,)))
    feeders[-1].start()
    assert main(shlex.split("compare 1.assay pipes/d --unpaired")) == 0
    assert main(shlex.split("split pipes/c --parts x=0.5,y=0.5")) == 0
    assert (here / "rows-x.csv").exists()
    for feeder in feeders:
        feeder.join(20)


def test_split_writes_what_it_reads_from_a_pattern_or_a_table(here, capfd):
    """Parts are named by the file that a pattern stands for, and a table's rows can still be stored."""
    assert main(shlex.split("split 'dat?.csv' --folds 2 --quiet")) == 0
    assert (here / "data-fold1.csv").exists()
    with duckdb.connect(here / "db.duckdb") as made:
        made.execute("CREATE TABLE t AS FROM 'preds.parquet'")
    assert main(shlex.split("split db.duckdb --table t --folds 2 --quiet")) == 0
    assert (here / "t-fold2.parquet").exists()
    shutil.copy(here / "a.csv", here / "k=5.csv")
    assert main(shlex.split("split k=5.csv --folds 2 --quiet")) == 0
    assert (here / "k=5-fold1.csv").exists()
    assert not capfd.readouterr().err


WIDE = [
    "evaluate preds.parquet --actual y --score p --by region --full",
    "evaluate preds.parquet --actual y --score p --quiet",
    "compare two.csv --actual y --score a --score b",
    "threshold preds.parquet --actual y --score p --best f1",
    "crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --folds 3",
]


@pytest.mark.parametrize("line", WIDE)
def test_a_file_has_80_columns_however_wide_the_terminal_is(line, here, capfd, monkeypatch):
    """Text is as wide as the terminal where it is printed, and the same file is written from any."""
    texts = {}
    for columns in (60, 80, 120):
        monkeypatch.setattr("assay.formatting.width.terminal_width", lambda columns=columns: columns)
        assert main([*shlex.split(line), "--output", f"{columns}.txt"]) == 0
        assert main(shlex.split(line)) == 0
        texts[columns] = re.sub(r"\d+\.\d s\b", "1.0 s", capfd.readouterr().out)
    written = {re.sub(r"\d+\.\d s\b", "1.0 s", (here / f"{columns}.txt").read_text()) for columns in texts}
    assert written == {texts[80]}
    assert max(map(len, texts[80].splitlines())) <= 80
    assert len({*texts.values()}) > 1
