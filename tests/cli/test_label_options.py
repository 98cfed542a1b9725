"""Labels said on the command line: numbers to the last digit, text where any of them is text."""

import json

import pytest

from assay.cli import main


def told(capsys, *words):
    """Run a command and return its exit code with the JSON that it printed."""
    code = main([*map(str, words), "--json"])
    out = capsys.readouterr()
    return code, (json.loads(out.out) if out.out else out.err)


def labels(found):
    """Return the labels of an evaluation's or a cross table's JSON."""
    return found.get("labels", found.get("row_labels"))


def test_a_positive_label_is_meant_to_its_last_digit(tmp_path, capsys):
    """9007199254740993 is not the class beside it, which floats cannot tell from it."""
    path = tmp_path / "a.csv"
    rows = ["9007199254740993,9007199254740993"] * 3 + ["9007199254740992,9007199254740993"]
    path.write_text("y,p\n" + "\n".join(rows) + "\n")
    ask = ("evaluate", path, "--actual", "y", "--predicted", "p", "--positive", "9007199254740993")
    code, found = told(capsys, *ask)
    assert code == 0
    assert found["positive"] == 9007199254740993
    assert found["confusion"]["counts"] == [[0, 1], [0, 3]]


@pytest.mark.parametrize(
    "rest", [["x"] + ["0", "1"] * 70_000, ["0", "1"] * 70_000 + ["x"]], ids=["first", "last"]
)
@pytest.mark.parametrize("command", ["crosstab", "evaluate"])
def test_labels_do_not_hang_on_the_order_of_rows(command, rest, tmp_path, capsys):
    """A text in the last row makes all labels text, as one in the first row does."""
    path = tmp_path / "a.csv"
    path.write_text("y,p\n" + "".join(f"{label},{label}\n" for label in rest))
    ask = (command, path, "--actual", "y", "--predicted", "p")
    code, found = told(capsys, *ask, "--labels", "0,1,x")
    assert code == 0
    assert labels(found) == ["0", "1", "x"]
    code, found = told(capsys, *ask, "--labels", "0,1")
    assert code == 2
    assert 'y holds the label "x"' in found


def test_labels_of_a_shard_are_those_of_the_whole(tmp_path, capsys):
    """Where no row is an x, the labels 0,1,x are still text."""
    path = tmp_path / "a.csv"
    path.write_text("y,p\n0,1\n1,1\n")
    code, found = told(capsys, "crosstab", path, "--actual", "y", "--predicted", "p", "--labels", "0,1,x")
    assert (code, labels(found)) == (0, ["0", "1", "x"])


@pytest.mark.parametrize(
    "rest", [["x"] + ["0", "1"] * 70_000, ["0", "1"] * 70_000 + ["x"]], ids=["first", "last"]
)
def test_the_positive_label_among_text(rest, tmp_path, capsys):
    """--positive 1 means the text 1 where a text is found anywhere."""
    path = tmp_path / "a.csv"
    path.write_text("y,p\n" + "".join(f"{label},{label}\n" for label in rest))
    code, found = told(capsys, "evaluate", path, "--actual", "y", "--predicted", "p", "--positive", "1")
    assert code == 0
    assert found["positive"] == "1"


def test_text_columns_and_folders_are_options(tmp_path, capsys):
    """--text and --hive reach the reader."""
    folder = tmp_path / "p=100"
    folder.mkdir()
    (folder / "a.csv").write_text("y\n100\n1e2\n10e1\n")
    code, found = told(capsys, "crosstab", folder, "--actual", "y", "--predicted", "p", "--hive")
    assert (code, labels(found)) == (0, [100])
    ask = ("crosstab", folder, "--actual", "y", "--predicted", "y", "--text", "y")
    assert labels(told(capsys, *ask)[1]) == ["100", "10e1", "1e2"]


def test_a_file_named_twice(tmp_path, capsys, monkeypatch):
    """Commands evaluate a a and merge a ./a would count rows twice."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("y,p\n0,1\n1,1\n")
    ask = ["--actual", "y", "--predicted", "p"]
    assert main(["evaluate", "a.csv", "a.csv", *ask]) == 2
    assert "a.csv is named twice: its rows would count twice" in capsys.readouterr().err
    assert main(["tally", "a.csv", *ask, "--labels", "0,1", "--output", "a[1].assay", "--quiet"]) == 0
    assert main(["tally", "a.csv", *ask, "--labels", "0,1", "--output", "a1.assay", "--quiet"]) == 0
    for other in ("./a[1].assay", "a[1].assay"):
        assert main(["merge", "a[1].assay", other, "--output", "all.assay"]) == 2
        assert "named twice" in capsys.readouterr().err
    assert main(["merge", "a[1].assay", "a1.assay", "--output", "all.assay"]) == 0
    assert capsys.readouterr().out.strip().endswith("4 rows")


def test_many_labels_are_listed_in_place_of_a_table(tmp_path, capsys):
    """A table of 20,000 labels would take gigabytes: the pairs that occur are told, the most frequent first."""
    path = tmp_path / "a.csv"
    rows = [(i, i if i % 4 else (i + 1) % 20_000) for i in range(20_000)] + [(3, 5)] * 7
    path.write_text("y,p\n" + "".join(f"l{a},l{b}\n" for a, b in rows))
    ask = ("crosstab", path, "--actual", "y", "--predicted", "p")
    assert main(list(map(str, ask))) == 0
    text = capsys.readouterr().out
    assert "20,000 labels are too many for a table: 20,007 rows, 15,000 of them correct" in text
    assert "7  'l3' predicted as 'l5'" in text.splitlines()[2]
    code, found = told(capsys, *ask)
    assert (code, found["total"], found["correct"], found["labels"]) == (0, 20_007, 15_000, 20_000)
    assert found["cells"][0] == {"actual": "l3", "predicted": "l5", "count": 7}
    assert sum(cell["count"] for cell in found["cells"]) == 20_007
    assert main([*map(str, ask), "--chisq"]) == 2
    assert "--chisq needs a full table, and there are 20,000 labels" in capsys.readouterr().err
