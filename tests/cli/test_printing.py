"""What is printed: no escapes of data's, letters that the output has, paths and labels as they are."""

import io
import json
import os
import shlex
import sys
import zipfile

import duckdb
import pytest

import assay
from assay.cli import main
from assay.cli.options import shell_style
from assay.errors import FileError
from assay.hints import hint_style, param

ESC = "\x1b]0;owned\x07\x1b[31m\x9b1m\u202e"
HOSTILE = f"y,p,r\n0,0.1,n{ESC}\n1,0.8,s\n0,0.3,s\n1,0.9,n{ESC}\n"


def is_safe(text):
    return not any(char in text for char in ESC if not char.isascii() or not char.isprintable())


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("evaluate e.csv --actual r --predicted r --task multiclass", 0),
        ("evaluate e.csv --actual r --predicted r --task multiclass --full", 0),
        ("evaluate e.csv --actual r --predicted r --task multiclass --json", 0),
        ("evaluate e.csv --actual r --predicted r --task multiclass --markdown", 0),
        ("evaluate e.csv --actual r --predicted r --task multiclass --like caret", 0),
        ("evaluate e.csv --actual y --score p --by r", 0),
        ("evaluate e.csv --actual y --score p --by r --json", 0),
        ("evaluate e.csv --actual r --predicted r --positive s", 0),
        ("crosstab e.csv --actual r --predicted r --json", 0),
        ("crosstab e.csv --actual r --predicted r", 0),
        ("split e.csv --parts a=0.5,b=0.5 --stratify r", 0),
        ("split e.csv --parts a=0.5,b=0.5 --stratify r --json", 0),
        ("evaluate e.csv --actual r --predicted r", 2),
        ("evaluate e.csv --actual r --predicted r --labels s,t", 2),
        ("evaluate e.csv --actual r --score p --positive gone", 2),
        ("evaluate e.csv --actual y --score r", 2),
        ("split e.csv --parts a=0.5,b=0.5 --time r", 2),
    ],
)
def test_no_escape_of_data_reaches_a_terminal(line, code, tmp_path, monkeypatch, capfd):
    """Labels that would set a title, colours or the direction of writing are shown with those escaped."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text(HOSTILE)
    assert main(shlex.split(line)) == code
    said = capfd.readouterr()
    assert is_safe(said.out + said.err)
    assert "\\x1b" in said.out + said.err or "--json" in line
    if "--json" in line:
        assert "owned" in json.dumps(json.loads(said.out))


def test_no_escape_of_a_name_reaches_a_terminal(tmp_path, monkeypatch, capfd):
    """Names of files and columns, typed or found, are data as well."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{ESC}.csv").write_text("y,p\n")
    for words in ([f"{ESC}.csv"], ["."], [f"{ESC}gone.csv"], ["."]):
        assert main(["evaluate", *words, "--actual", f"y{ESC}", "--score", "p"]) == 2
        assert main(["evaluate", *words, "--actual", "y", "--score", "p"]) == 2
    assert main([ESC]) == 2
    assert main(["evaluate", ".", f"--{ESC}"]) == 2
    assert is_safe(capfd.readouterr().err)


def test_python_is_spared_escapes_too():
    """Messages of errors and the text of an evaluation, without the command line."""
    with pytest.raises(assay.LabelError) as refused:
        assay.evaluate(actual=[ESC, "b"], predicted=[ESC, "b"], task="binary")
    assert is_safe(str(refused.value))
    assert is_safe(str(assay.evaluate(actual=[ESC, "b"], predicted=[ESC, "b"], task="multiclass")))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16", "utf-8"])
def test_output_that_is_not_utf_8_gets_what_it_can_hold(encoding, here, monkeypatch):
    """Lines are drawn in plain characters and other letters escaped, in JSON as JSON does."""
    (here / "e.csv").write_text(
        "y,h\n"
        + "é漢\ud83d,é漢\ud83d\nb,b\n".encode("utf-16", "surrogatepass").decode("utf-16", "replace") * 5
    )

    def printed(*words):
        out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["evaluate", "e.csv", "--actual", "y", "--predicted", "h", *words]) == 0
        return out.buffer.getvalue().decode(encoding)

    assert "é漢" in json.loads(printed("--task", "multiclass", "--json"))["labels"][1]
    text = printed("--task", "multiclass", "--full")
    assert ("é" if encoding != "ascii" else "\\xe9") in text
    assert ("漢" if encoding.startswith("utf") else "\\u6f22") in text
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("there is no file k=5/p.csv.", "there is no file k=5/p.csv."),
        (f"runs/k=5/p.csv is empty: say {param('k', 5)}.", "runs/k=5/p.csv is empty: say --k 5."),
        (f'no column "k=5" in p.csv: say {param("k")}.', 'no column "k=5" in p.csv: say --k.'),
        (f'y holds "k=1": say {param("missing", "drop")}', 'y holds "k=1": say --missing drop'),
        (f"{param('missing', 'drop')} or {param('null', 'NA')}", "--missing drop or --null NA"),
        (f"{param('threads', 0)}: at least one is needed.", "--threads 0: at least one is needed."),
        (f"say {param('k', 1, 2, 3)}, not {param('by')}", "say --k 1, 2 or 3, not by"),
        ("k=3.csv cannot be read", "k=3.csv cannot be read"),
    ],
)
def test_advice_is_written_as_options_and_data_is_left_alone(message, expected):
    """Paths, columns and labels that look like a parameter of Python's are no advice."""
    error = FileError(message)
    with hint_style(shell_style(["--k", "--missing", "--null", "--threads"])):
        assert str(error) == expected
    assert "--" not in str(error)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate k=5/gone.csv --actual y --score p", "there is no file k=5/gone.csv"),
        ("evaluate a.csv --actual y --score p --encoding rot13", "--encoding rot13 is not known"),
        ("evaluate a.csv --actual y --score p --encoding base64", "--encoding base64 is not known"),
        ("evaluate a.csv --actual y --score p --encoding ''", "--encoding"),
        ("evaluate a.csv --actual y --score p --quote ab", "--quote ab: a quote is one character"),
        ("evaluate a.csv --actual y --score p --decimal ::", "--decimal ::"),
        ("evaluate a.csv --actual y --score p --delimiter '\"'", "no column"),
        ("evaluate a.csv --actual y --score p --delimiter .", "."),
        ("evaluate a.csv --actual y --score p --quote é", "."),
        ("evaluate a.csv --actual y --score p --delimiter é", "."),
        ("evaluate --actual y --score p -- --gone.csv", "there is no file --gone.csv"),
        ("demo -- now", "there is no use for 'now' here"),
        ("evaluate two.zip --actual y --score p", 'should hold one file, and holds "a.csv", "b.csv"'),
        ("evaluate bad.csv.xz --actual y --score p", "bad.csv.xz cannot be unpacked"),
        ("evaluate bad.csv.bz2 --actual y --score p", "bad.csv.bz2 cannot be unpacked"),
        ("evaluate bad.zip --actual y --score p", "bad.zip cannot be unpacked"),
        ("evaluate 'no*.csv' --actual y --score p", "2 files (no1.csv, no2.csv) holds no rows"),
    ],
)  # fmt: skip
def test_odd_words_get_one_line(line, words, here, capfd):
    """What was an internal error or bad advice is a line that says what to do."""
    with zipfile.ZipFile(here / "two.zip", "w") as archive:
        for name in ("a.csv", "b.csv", "__MACOSX/._a.csv"):
            archive.writestr(name, "y,p\n0,0.5\n")
    for ending in ("csv.xz", "csv.bz2", "zip"):
        (here / f"bad.{ending}").write_bytes(b"no such thing")
    for name in ("no1.csv", "no2.csv"):
        (here / name).write_text("y,p\n")
    assert main(shlex.split(line)) == 2
    said = capfd.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert "should not have happened" not in said


def test_what_follows_two_dashes_is_no_option(here, capfd):
    """A file may be named like an option."""
    (here / "--odd.csv").write_bytes((here / "a.csv").read_bytes())
    assert main(["evaluate", "--actual", "y", "--score", "p", "--", "--odd.csv"]) == 0
    assert main(["metrics", "--", "kappa"]) == 0
    assert "120 rows" in capfd.readouterr().out


def test_a_database_reads_nothing_but_itself(here, capfd):
    """A view of a database that came from anywhere cannot show files of this machine."""
    (here / "secret.csv").write_text("y,p\n0,0.25\n1,0.75\n")
    with duckdb.connect(here / "db.duckdb") as made:
        made.execute("CREATE TABLE own AS SELECT 1 AS y, 0.5 AS p UNION ALL SELECT 0, 0.2")
        made.execute(f"CREATE VIEW spy AS FROM '{here / 'secret.csv'}'")
        made.execute("CREATE VIEW fine AS FROM own")
    for table in ("own", "fine"):
        assert main(shlex.split(f"evaluate db.duckdb --table {table} --actual y --score p")) == 0
    capfd.readouterr()
    both = "--sql \"SELECT y, p FROM own UNION ALL FROM 'secret.csv'\""  # what was typed may be read
    assert main(shlex.split(f"evaluate db.duckdb {both} --actual y --score p")) == 0
    capfd.readouterr()
    for asked in ("--table spy", "--sql 'FROM spy'", "--sql \"FROM read_text('secret' || '.csv')\""):
        assert main(shlex.split(f"evaluate db.duckdb {asked} --actual y --score p")) == 2
        said = capfd.readouterr().err
        assert "secret.csv, which the query does not name" in said
        assert "0.75" not in said


def test_the_current_folder_comes_last(here, capfd):
    """A module beside the rows does not replace an installed one, and can be a model all the same."""
    (here / "colorsys.py").write_text("class Model: pass\n")
    (here / "own_model.py").write_text(
        "class Model:\n"
        "    def fit(self, X, y): self.most = max(set(y), key=list(y).count)\n"
        "    def predict(self, X): return [self.most] * len(X)\n"
    )
    sys.modules.pop("colorsys", None)
    line = (
        "crossval data.csv --target default --positive yes --without day --folds 3 --metrics accuracy --model"
    )
    before = list(sys.path)
    assert main(shlex.split(f"{line} colorsys:Model")) == 2
    assert "colorsys has no Model" in capfd.readouterr().err
    assert main(shlex.split(f"{line} own_model:Model")) == 0
    assert sys.path == before
    sys.modules.pop("own_model")
    capfd.readouterr()


def test_which_files_a_pattern_matched_is_said_on_a_terminal(here, capfd, monkeypatch):
    """One line on standard error, unless --quiet is said or nobody looks."""
    line = "evaluate 'shards/*.parquet' --actual y --score p --output out.txt"
    assert main(shlex.split(line)) == 0
    assert not capfd.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(shlex.split(line)) == 0
    assert capfd.readouterr().err == "assay: reading 2 files (shards/1.parquet, shards/2.parquet)\n"
    assert main(shlex.split(f"{line} --quiet")) == 0
    assert not capfd.readouterr().err


@pytest.mark.parametrize("error", [MemoryError(), OSError(28, os.strerror(28)), RecursionError("deep")])
def test_every_end_has_its_code(error, here, capfd, monkeypatch):
    """The system's failures end with 2, ours with 70, and none with the 1 of a requirement."""

    def fail():
        raise error

    monkeypatch.setattr("assay.cli.demo.demo", fail)
    assert main(["demo"]) == (70 if isinstance(error, RecursionError) else 2)
    assert capfd.readouterr().err.count("\n") == 1


def test_the_demo_gives_advice_in_python(capfd):
    """It shows calls in Python, so that its advice is in Python too."""
    assert main(["demo"]) == 0
    printed = capfd.readouterr().out
    assert "folds=10 or replicates=200" in printed
    assert 'ev.report("report.html")' in printed
