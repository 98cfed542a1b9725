"""Bad files, as people have them: our own exception in one line that says what, where and what to do."""

import gzip

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.engines import scan, source

GOOD = "y,score,region\n0,0.1,north\n1,0.9,south\n1,0.8,north\n"
TABLE = pa.table({"y": [0, 1, 1], "score": [0.1, 0.9, 0.8], "region": ["n", "s", "n"]})


def parquet(**columns):
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({**dict(zip(TABLE.column_names, TABLE.columns, strict=True)), **columns}), out)
    return out.getvalue().to_pybytes()


def twins():
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays([*TABLE.columns, TABLE["y"]], [*TABLE.column_names, "y"]), out)
    return out.getvalue().to_pybytes()


def feather():
    out = pa.BufferOutputStream()
    pyarrow.feather.write_feather(TABLE, out, compression="uncompressed")
    return out.getvalue().to_pybytes()


def database(path):
    with duckdb.connect(path) as opened:
        opened.execute("CREATE TABLE preds AS SELECT 1 AS y, 0.5 AS score")


LATIN = "y,score,region\n0,0.1,café\n".encode("latin-1")
RAGGED = GOOD + "1,0.7\n" + GOOD.partition("\n")[2]
# Each: the file's name, what it holds, what is asked beyond actual="y" and score="score", our error, its words.
FILES = [
    ("a.csv", "", {}, assay.FileError, r"a\.csv is empty: there is not even a line of column names"),
    ("a.csv", "y,score\n", {}, assay.LengthError, r"a\.csv holds no rows, only the names of columns"),
    ("a.csv", GOOD, {"actual": "Y"}, assay.ColumnError, r'no column "Y" in .*a\.csv.* Columns: "y", "score"'),
    ("a.csv", GOOD, {"score": "scores"}, assay.ColumnError, r'no column "scores" in .*a\.csv\. Did you mean "score"\?'),
    ("a.csv", GOOD, {"by": "regoin"}, assay.ColumnError, r'Did you mean "region"\?'),
    ("a.csv", GOOD, {"score": "region"}, assay.ColumnError, r'region holds text where numbers are needed, such as "north" .line 2 of .*a\.csv'),
    ("a.csv", GOOD + "1,NA,n\n", {}, assay.ColumnError, r'score holds text where numbers are needed, such as "NA" .line 5 of .*null="NA"'),
    ("a.csv", RAGGED, {}, assay.FileError, r"line 5 of .*a\.csv has 2 values where the header has 3\. Mend that line"),
    ("a.csv", GOOD + "1,0.7,n,4\n", {}, assay.FileError, r"line 5 of .*a\.csv has 4 values where the header has 3\."),
    ("a.csv", GOOD + '1,0.7,"open\n', {}, assay.FileError, "opens a quote that is never closed"),
    ("a.csv", GOOD + "1,,n\n", {}, assay.MissingValueError, r"1 value is missing in score .first at row 3 of .*a\.csv, counting from 0"),
    ("a.csv", GOOD + "1,nan,n\n", {}, assay.MissingValueError, r"missing in score .first at row 3 of .*a\.csv"),
    ("a.csv", GOOD + ",0.5,n\n", {}, assay.MissingValueError, r"missing in y .first at row 3 of .*a\.csv"),
    ("a.csv", GOOD + "2,0.5,n\n", {}, assay.LabelError, r"y has 3 labels .0, 1, 2. where two are needed"),
    ("a.csv", GOOD + "2,0.5,n\n", {"labels": [0, 1]}, assay.LabelError, r"y holds the label 2 .first at row 3 of .*a\.csv.*not among the declared"),
    ("a.csv", GOOD, {"actual": "region"}, assay.LabelError, r"the labels of region are .* say which one is positive"),
    ("a.csv", GOOD, {"actual": "region", "positive": "wst", "labels": ["north", "south"]}, assay.LabelError, '"wst" is not among the declared'),
    ("a.csv", "y,y,score\n0,1,0.5\n", {}, assay.ColumnError, r'two columns of .*a\.csv are named "y"'),
    ("a.csv", "y,Y,score\n0,1,0.5\n", {}, assay.ColumnError, r"capitals aside"),
    ("a.csv", LATIN, {"by": "region"}, assay.FileError, r'a\.csv is not the text it should be: say its encoding, as encoding="latin-1"'),
    ("a.csv", GOOD + "1,0.5,n\n0,-inf,n\n1,1e400,n", {"weight": "score"}, assay.NumberError, r"score is negative: -inf .row 4 of .*a\.csv"),
    ("a.csv.gz", gzip.compress(GOOD.encode())[:-20], {}, assay.FileError, r"a\.csv\.gz cannot be read: .*GZIP"),
    ("a.csv.gz", GOOD, {}, assay.FileError, r"a\.csv\.gz cannot be read: .*GZIP"),
    ("a.parquet", b"", {}, assay.FileError, r"a\.parquet cannot be read"),
    ("a.parquet", b"hello", {}, assay.FileError, r"a\.parquet cannot be read: .*too small to be a Parquet file"),
    ("a.parquet", parquet()[:-30], {}, assay.FileError, r"a\.parquet cannot be read: .*magic bytes"),
    ("a.parquet", parquet()[:300] + parquet()[-200:], {}, assay.FileError, r"a\.parquet cannot be read"),
    ("a.parquet", parquet(score=["0.1", "0.9", "0.8"]), {}, assay.ColumnError, r'score holds text where scores are needed, such as "0\.1" .row 0 of .*a\.parquet'),
    ("a.parquet", parquet(score=[[1.0], [2.0], [3.0]]), {}, assay.ColumnError, r'"score" of .*a\.parquet is of type DOUBLE\[\], which holds neither'),
    ("a.parquet", parquet(score=[b"a", b"b", b"c"]), {}, assay.ColumnError, "is of type BLOB"),
    ("a.parquet", parquet(score=[None, None, None]), {}, assay.MissingValueError, "3 values are missing in score"),
    ("a.parquet", parquet(score=[0.1, np.nan, 0.5]), {}, assay.MissingValueError, r"missing in score .first at row 1 of .*a\.parquet"),
    ("a.parquet", parquet(y=[0.0, 0.5, 1.0]), {}, assay.LabelError, r"y holds 0\.5 .row 1 of .*a\.parquet.*which is no label"),
    ("a.parquet", twins(), {}, assay.ColumnError, r'two columns of .*a\.parquet are named "y"'),
    ("a.parquet", twins()[:0] + parquet()[:0] + b"PAR1", {}, assay.FileError, r"a\.parquet cannot be read"),
    ("a.feather", feather()[:-100], {}, assay.FileError, r"a\.feather cannot be read as an Arrow file"),
    ("a.arrow", b"", {}, assay.FileError, r"a\.arrow cannot be read as an Arrow file"),
    ("a.arrow", feather(), {"score": "scroe"}, assay.ColumnError, r'no column "scroe" in .*a\.arrow\. Did you mean "score"'),
    ("a.jsonl", '{"y": 1, "score": 0.5}\n{"y": 0, \n', {}, assay.FileError, r"a\.jsonl cannot be read: Malformed JSON .* line"),
    ("a.jsonl", '{"y": 1, "score": 0.5}\n{"y": 0}\n', {}, assay.MissingValueError, r"missing in score .first at row 1 of .*a\.jsonl"),
    ("a.jsonl", '{"y": 1, "score": {"a": 1}}\n', {}, assay.ColumnError, r"is of type STRUCT"),
    ("a.jsonl", '{"y": 1}\n', {}, assay.ColumnError, r'no column "score" in .*a\.jsonl'),
    ("a.duckdb", "no database", {}, assay.InputError, r"a\.duckdb is a database: say which rows of it are meant"),
    ("a.xyz", GOOD, {"actual": 3}, assay.ColumnError, "actual=3: of a file a column is meant by its name"),
    ("a.csv", GOOD, {"memory": "lots"}, assay.InputError, 'memory="lots" is no amount of memory'),
    ("a.csv", GOOD, {"memory": 1000}, assay.InputError, "too little to read files with"),
    ("a.csv", GOOD, {"threads": 0}, assay.InputError, "threads=0: at least one"),
    ("a.csv", GOOD, {"missing": "guess"}, assay.InputError, "missing='guess' is not known"),
    ("a.csv", GOOD, {"tallies": {}}, assay.InputError, "no tallies were asked for"),
    ("a.csv", GOOD, {"score": ["score", "y"], "labels": [1]}, assay.LabelError, "say whose column each one is"),
]  # fmt: skip


def one_clear_line(error, caught):
    """Check what every message of ours is like."""
    message = str(caught.value)
    assert type(caught.value) is error or issubclass(type(caught.value), error)
    assert "\n" not in message
    assert len(message) < 420
    assert "duckdb" not in message.lower().replace(".duckdb", "").replace('"duckdb"', "")
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("name", "content", "asked", "error", "words"),
    FILES,
    ids=[f"{case[0]}: {case[4][:40]}" for case in FILES],
)
def test_a_bad_file_gets_a_clear_line(tmp_path, name, content, asked, error, words):  # noqa: PLR0917
    """What is wrong, in which file, column and row, and what to do."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    roles = {"actual": "y", "score": "score", "tallies": {"it": assay.Scores}, **asked}
    with pytest.raises(error, match=words) as caught:
        scan(path, **roles)
    one_clear_line(error, caught)


PLACES = [
    (lambda at: source(at / "gone.csv"), assay.FileError, r"there is no file .*gone\.csv\."),
    (lambda at: source(at / "good.cvs"), assay.FileError, r"there is no file .*good\.cvs\. Did you mean good\.csv\?"),
    (lambda at: source(at / "*.parquet"), assay.FileError, r"no file matches .*\*\.parquet"),
    (lambda at: source(at / "empty"), assay.FileError, "the folder .*empty holds no file to read"),
    (lambda at: source(at / "gone" / "*.csv"), assay.FileError, "no file matches"),
    (lambda _: source([]), assay.InputError, "the list of paths is empty"),
    (lambda _: source(), assay.InputError, "no file was named"),
    (lambda at: source(at / "good.csv", format="xls"), assay.InputError, "format='xls' is not known"),
    (lambda at: source(at / "good.csv", delimiter="::"), assay.InputError, "a delimiter is one character"),
    (lambda at: source(at / "good.csv", encoding="klingon"), assay.InputError, 'encoding="klingon" is not known'),
    (lambda at: source(at / "euro.csv", encoding="cp1252"), assay.FileError, r"euro\.csv is not text in cp1252"),
    (lambda at: source(at / "good.csv", names=["a"]).columns(), assay.InputError, "names= has 1 names, but .* has 3 columns"),
    (lambda _: source(sql="SELEC 1").columns(), assay.FileError, "the query's result cannot be read: syntax error"),
    (lambda _: source(sql="SELECT nope").columns(), assay.FileError, 'Referenced column "nope" was not found'),
    (lambda _: source(sql="DROP TABLE x").columns(), assay.FileError, "sql= must be one SELECT"),
    (lambda _: source(sql="SELECT 1; SELECT 2").columns(), assay.FileError, "sql= must be one SELECT"),
    (lambda _: source(sql="SELECT 1", table="x"), assay.InputError, "either sql= or table="),
    (lambda _: source(table="x"), assay.InputError, "needs the database file"),
    (lambda at: source([at, at], table="x"), assay.InputError, "read one database"),
    (lambda at: source(at / "some.duckdb", table="perds").columns(), assay.FileError, r"the table perds cannot be read: Table with name perds does not exist\. Did you mean \"preds\"\?"),
    (lambda at: source(at / "good.csv", table="preds").columns(), assay.FileError, r"good\.csv cannot be read"),
    (lambda _: scan(source(sql="SELECT 1 AS y, error('boom') AS s"), actual="y", score="s", tallies={"it": assay.Scores}), assay.FileError, "boom"),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "error", "words"), PLACES, ids=[case[2][:40] for case in PLACES])
def test_a_bad_place_gets_a_clear_line(attempt, error, words, tmp_path):
    """Files that are not there, folders without any, queries that are none."""
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "euro.csv").write_bytes(b"y,score\n\x81,1\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "_SUCCESS").touch()
    database(tmp_path / "some.duckdb")
    with pytest.raises(error, match=words) as caught:
        attempt(tmp_path)
    one_clear_line(error, caught)


def test_an_unreadable_file_is_named(tmp_path, monkeypatch):
    """A file without permission is refused before anything is read."""
    path = tmp_path / "secret.csv"
    path.write_text(GOOD)
    monkeypatch.setattr("os.access", lambda *_: False)  # root may read everything
    with pytest.raises(assay.FileError, match=r"secret\.csv may not be read by this user"):
        source(path)


def test_labels_of_parts_that_do_not_fit_together(tmp_path):
    """Labels -1 and 0 in two files are refused as they are in one, and text beside numbers, too."""
    (tmp_path / "a.csv").write_text("y,s\n-1,0.5\n1,0.6\n")
    (tmp_path / "b.csv").write_text("y,s\n0,0.5\n1,0.6\n")
    pq.write_table(pa.table({"y": ["no", "yes"], "s": [0.1, 0.2]}), tmp_path / "c.parquet")
    asked = {"actual": "y", "score": "s", "tallies": {"it": assay.Scores}}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("assay.engines.local_scan._BATCHES", 1 << 40)
        for names in ("a.csv", "b.csv"), ("b.csv", "a.csv"):
            with pytest.raises(assay.LabelError, match="both -1 and 0"):
                scan([tmp_path / name for name in names], **asked)
    with pytest.raises(assay.LabelError, match=r"positive=1 is a number"):
        scan([tmp_path / "a.csv", tmp_path / "c.parquet"], positive=1, **asked)


def test_there_are_enough_cases():
    """The tables hold at least sixty ways of getting it wrong."""
    assert len(FILES) + len(PLACES) >= 60
