import gzip
import json
import random
from collections import Counter

import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.cli import main
from assay.engines import scan, source


def labels(text, tmp_path, name="rows.csv", **how):
    """Return the confusion tally of the columns y and p of a text file."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return scan(source(path, **how), actual="y", predicted="p", tallies={"it": assay.Confusion})["it"]


def expected(actual, predicted):
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))


DIALECTS = [
    ("y,p\na,b\nb,b\n", {}),
    ("y\tp\na\tb\nb\tb", {}),
    ("y;p\r\na;b\r\nb;b\r\n", {}),
    ("y|p\na|b\nb|b\n", {}),
    ("y#p\na#b\nb#b\n", {"delimiter": "#"}),
    ("'y','p'\n'a','b'\n'b',b\n", {"quote": "'"}),
    ("\ufeffy,p\na,b\nb,b\n", {}),
    ("a,b\nb,b\n", {"names": ["y", "p"]}),
    ('x,p,"y"\n1,b,a\n"2,\n3",b,"b"\n', {}),
    ('"a ""quoted"", name",p,y\n1,b,a\n2,b,b\n', {}),
    ('"a name\nof two lines",p,y\n1,b,a\n2,b,b\n', {}),
    ("y,p\n\na,b\nb,b\n\n", {}),
    ("y,p\na,b\nb,b\n".encode("utf-16"), {"encoding": "utf-16"}),
    ("y,p\na,b\nb,b\n".encode("cp424"), {"encoding": "cp424"}),
    ("y,p,x,x\na,b,1,2\nb,b,1,2\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "how"), DIALECTS)
def test_dialects(text, how, tmp_path):
    """However a table is written down, it holds the same rows."""
    assert labels(text, tmp_path, **how) == expected(["a", "b"], ["b", "b"])


def test_letters_beyond_ascii_come_through_every_encoding(tmp_path):
    """Labels are what they were, whatever bytes stood for them."""
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "iso8859-15"):
        text = "y,p\ncafé,thé\nthé,thé\n".encode(encoding)
        assert labels(text, tmp_path, encoding=encoding) == expected(["café", "thé"], ["thé", "thé"]), (
            encoding
        )


KINDS = [
    (["0", "1", "1"], [0, 1, 1]),
    ([" 0", "+1", "-12"], [0, 1, -12]),
    (["1.0", "2", "1"], [1.0, 2.0, 1.0]),
    (["true", "False", "TRUE"], [True, False, True]),
    (["true", "1", "0"], ["true", "1", "0"]),
    (["007", "7", "7"], ["007", "7", "7"]),
    (["1_000", "1", "1"], ["1_000", "1", "1"]),
    (["1", "x", "2.5"], ["1", "x", "2.5"]),
    (["9223372036854775807", "-9223372036854775808", "1"], [2**63 - 1, -(2**63), 1]),
    (["9223372036854775808", "1", "1"], ["9223372036854775808", "1", "1"]),
    (["a", "b", "NA"], ["a", "b", "NA"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "meant"), KINDS, ids=lambda value: str(value)[:30])
@pytest.mark.parametrize("far", [0, 1500])
def test_what_labels_are_is_decided_by_all_of_them(texts, meant, far, tmp_path):
    """Whole numbers, numbers, true/false or text: the last row counts as much as the first."""
    for turn in range(3):
        chosen, wanted = (values[turn:] + values[:turn] for values in (texts, meant))
        written = [chosen[0]] * far + chosen
        said = [wanted[0]] * far + wanted
        text = "y,p\n" + "".join(f"{label},{label}\n" for label in written)
        assert labels(text, tmp_path) == expected(said, said)


def test_numbers_are_read_to_the_last_bit(tmp_path):
    """A score is the float nearest to its digits, and a decimal comma is a comma."""
    scores = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 0.30000000000000004]
    text = "y;s\n" + "".join(f"{i % 2};{score!r}\n" for i, score in enumerate(scores))
    whole = assay.Scores.of(assay.rows(actual=[0, 1] * 3, score=scores))
    for decimal in ".,":
        (tmp_path / "s.csv").write_text(text.replace(".", decimal))
        found = source(tmp_path / "s.csv", decimal=decimal)
        assert scan(found, actual="y", score="s", tallies={"it": assay.Scores})["it"] == whole


def test_what_stands_for_nothing_can_be_said(tmp_path):
    """Only an empty value is missing unless other texts are named."""
    (tmp_path / "s.csv").write_text("y,s\n0,NA\n1,0.5\n-,0.5\n0,\n")
    found = scan(
        source(tmp_path / "s.csv", null=["", "NA", "-"]),
        actual="y", score="s", missing="drop", tallies={"it": assay.Scores},
    )  # fmt: skip
    assert (found.rows, found.dropped) == (1, 3)


def test_files_are_found_by_name_pattern_and_folder(tmp_path):
    """Hidden files and those of no known format are passed over; odd names are no trouble."""
    frame = pl.DataFrame({"y": [0, 1], "p": [1, 1]})
    inside = tmp_path / "part=1"
    inside.mkdir()
    for name in ("a.csv", "o'dd [1]*.csv", "_temporary.csv", ".hidden.csv", "notes.md", "part=1/b.csv"):
        frame.write_csv(tmp_path / name)

    def read(given):
        found = scan(source(given), actual="y", predicted="p", tallies={"it": assay.Confusion})
        return found.files, found.rows

    assert read(tmp_path) == (3, 6)
    assert read(str(tmp_path)) == (3, 6)
    assert read(f"{tmp_path}/**/*.csv") == (4, 8)
    assert read(tmp_path / "o'dd [1]*.csv") == (1, 2)
    assert read([tmp_path / "a.csv", tmp_path / "part=1"]) == (2, 4)
    assert read(tmp_path / "notes.md") == (1, 2)


def test_measured_quantities_are_numbers_wherever_their_fractions_are(tmp_path):
    """A regression's column may begin with whole numbers, and have a decimal comma."""
    values = [1, 2, 3] * 700 + [0.5, 1e-3]
    whole = assay.Moments.of(assay.rows(actual=values, predicted=values[::-1]))
    for decimal in ".,":
        rows = zip(values, values[::-1], strict=True)
        text = "y;p\n" + "".join(f"{y};{p}\n" for y, p in rows)
        (tmp_path / "r.csv").write_text(text.replace(".", decimal))
        found = source(tmp_path / "r.csv", decimal=decimal)
        assert scan(found, actual="y", predicted="p", tallies={"it": assay.Moments})["it"] == whole


@pytest.mark.parametrize("late", ["x", "0.5", "true"])
def test_what_turns_out_late_is_read_again_from_the_start(late, tmp_path, monkeypatch):
    """A surprise far into a file stops the reader on its way and starts it anew."""
    monkeypatch.setattr("assay.engines.local_scan._BATCHES", 1 << 40)
    texts = ["0", "1"] * 100_000 + [late] + ["1", "0"] * 200_000
    (tmp_path / "late.csv").write_text("y,p\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(texts)))
    found = scan(
        tmp_path, actual="y", predicted="p", tallies={"n": lambda rows: assay.Sums.of([float(len(rows))])}
    )
    assert found.rows == float(found["n"].total) == len(texts)


def test_a_part_without_any_value_counts_as_dropped(tmp_path):
    """A file whose labels are all missing adds nothing but to the count of dropped rows."""
    (tmp_path / "a.csv").write_text("y,p,s\n,1,0.5\n,0,0.5\n")
    (tmp_path / "b.csv").write_text("y,p,s\n1,1,0.5\n0,1,\n")
    tallies = {
        "labels": assay.Confusion,
        "ranks": assay.Scores,
        "slices": lambda rows: assay.Grouped.of(rows, assay.BinnedScores),
    }
    for names in ("a.csv", "b.csv"), ("b.csv", "a.csv"), ("a.csv",):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("assay.engines.local_scan._BATCHES", 1 << 40)
            found = scan(
                [tmp_path / name for name in names],
                actual="y", predicted="p", score="s", by="p", missing="drop", tallies=tallies,
            )  # fmt: skip
        assert (found.rows, found.dropped) == ((1, 3) if len(names) > 1 else (0, 2))
        assert found["labels"].n == found["ranks"].n == found.rows


BEGINNINGS = {
    "Excel: CRLF, and LF within a name": b'"a\nb",y,p\r\n1,a,b\r\n1,b,b\r\n',
    "CRLF within a name": b'"a\r\nb",y,p\n1,a,b\n1,b,b\n',
    "CR": b'"a\nb",y,p\r1,a,b\r1,b,b\r',
    "a blank line first": b"\ny,p\na,b\nb,b\n",
    "blank lines first, CRLF": b"\r\n\r\ny,p\r\na,b\r\nb,b\r\n",
    "spaces first": b"   \ny,p\na,b\nb,b\n",
    "blank lines that end otherwise": b"\n\r\ny,p\r\na,b\r\nb,b\r\n",
    "a mark, then a name of two lines": b'\xef\xbb\xbf"a\nb",y,p\r\n1,a,b\r\n1,b,b\r\n',
    "a mark, then the delimiter in a name": b'\xef\xbb\xbf"a,b",y,p\r\n1,a,b\r\n1,b,b\r\n',
    "a mark, then a blank line": b"\xef\xbb\xbf\r\ny,p\r\na,b\r\nb,b\r\n",
    "UTF-16, a name of two lines": '"a\r\nb",y,p\r\n1,a,b\r\n1,b,b\r\n'.encode("utf-16"),
    "lines that end in different ways": b"y,p\na,b\r\nb,b\n",
    "the first of them CRLF": b"y,p\r\na,b\nb,b\r",
    "a quoted line break among them": b'x,y,p\n"1\r\n2",a,b\r\n"\r",b,b\n',
    "other delimiters within quoted names": b'"a;b;c"|"y"|"p"\n1|a|b\n1|b|b\n',
}  # fmt: skip


@pytest.mark.parametrize("data", BEGINNINGS.values(), ids=BEGINNINGS)
@pytest.mark.parametrize("packed", [False, True])
def test_no_row_is_lost_however_a_file_begins(data, packed, tmp_path):
    """The header is found and rows are counted from the line after it, however lines end."""
    how = {"encoding": "utf-16"} if data.startswith(b"\xff\xfe") else {}
    name = "rows.csv.gz" if packed else "rows.csv"
    assert labels(gzip.compress(data) if packed else data, tmp_path, name, **how) == expected(
        ["a", "b"], ["b", "b"]
    )
    # Beside another file, too, where it used to be passed over without a word.
    other = tmp_path / "other"
    other.mkdir()
    (other / "plain.csv").write_text("y,p\na,b\n", encoding=how.get("encoding"))
    found = scan(
        source([tmp_path / name, other / "plain.csv"], **how), actual="y", predicted="p",
        tallies={"it": assay.Confusion},
    )  # fmt: skip
    assert found.rows == 3


@pytest.mark.slow
@pytest.mark.parametrize("data", BEGINNINGS.values(), ids=BEGINNINGS)
def test_split_deals_out_the_same_rows(data, tmp_path, capsys):
    """The lines that split copies are the rows that were read."""
    if data.startswith(b"\xff\xfe"):
        return
    (tmp_path / "rows.csv").write_bytes(data)
    assert main(["split", str(tmp_path / "rows.csv"), "--parts", "a=0.5,b=0.5", "--json"]) == 0
    assert [part["rows"] for part in json.loads(capsys.readouterr().out)["parts"]] == [1, 1]
    for part in "ab":
        found = scan(
            tmp_path / f"rows-{part}.csv", actual="y", predicted="p", tallies={"it": assay.Confusion}
        )
        assert found.rows == 1


def test_lines_that_end_otherwise_far_into_a_file(tmp_path):
    """Ends that change after many rows are found on the way, and nothing is counted twice or lost."""
    rows = [f"{i % 3},{i % 2}" for i in range(300_000)]
    half = len(rows) // 2
    text = "y,p\n" + "".join(f"{row}\n" for row in rows[:half]) + "".join(f"{row}\r\n" for row in rows[half:])
    found = labels(text, tmp_path)
    assert found == expected([i % 3 for i in range(len(rows))], [i % 2 for i in range(len(rows))])


def test_a_zst_file_begins_like_others(tmp_path):
    """A file that only the database can unpack is read from its header on, too."""
    for name, data in BEGINNINGS.items():
        if "UTF-16" in name or "mark" in name or "otherwise" in name or "different" in name:
            continue
        if "among" in name or "the first of them" in name or name == "CR":
            continue  # such a file is refused, or its lines are those of another test
        path = tmp_path / "rows.csv.zst"
        path.write_bytes(pa.compress(data, codec="zstd", asbytes=True))
        found = scan(path, actual="y", predicted="p", tallies={"it": assay.Confusion})["it"]
        assert found == expected(["a", "b"], ["b", "b"]), name


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quoted_text_that_looks_like_rows_is_read_by_one_thread(end, tmp_path):
    """Where threads begin within quotes and take what stands there for rows, one thread reads them all."""
    draw = random.Random(5)
    labels = ["no", "yes", 'x\n1,2\n"', "a,b\r\nc", "q\n\n\n", "plain"]
    rows = [(draw.choice(labels), draw.choice(labels)) for _ in range(900_000)]
    quoted = {label: '"' + label.replace('"', '""') + '"' for label in labels}
    between = f'"z\n0,1,2{end}{"z" * 20}"'
    text = "".join(f"{quoted[y]},{between},{quoted[p]}{end}" for y, p in rows)
    (tmp_path / "rows.csv").write_bytes(f"y,x,p{end}{text}".encode())
    found = scan(
        tmp_path / "rows.csv", actual="y", predicted="p", tallies={"it": assay.Confusion}, threads=2
    )["it"]
    actual, predicted = found.digits()
    cells = zip(actual.tolist(), predicted.tolist(), found.counts.tolist(), strict=True)
    assert {(found.labels[y], found.labels[p]): n for y, p, n in cells} == Counter(rows)
