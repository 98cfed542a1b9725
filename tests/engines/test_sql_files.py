"""The files of a query: those that stand in it as text or as patterns, and no others can be read."""

import duckdb
import pytest

import assay
from assay import output_files
from assay.engines import read, source
from assay.engines.sql_files import QueriedFiles


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with some files, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv", "it's.csv", 'a "b".csv', "in/c.csv", "in/d.csv"):
        (tmp_path / name).write_text("y\n1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("sql", "files"),
    [
        ("SELECT * FROM 'a.csv'", {"a.csv"}),
        ("FROM a.csv", {"a.csv"}),
        ("FROM './a.csv' -- it's no 'b.csv'", {"a.csv"}),
        ("FROM 'it''s.csv' /* \"b.csv\" */", {"it's.csv"}),
        ('FROM "a ""b"".csv"', {'a "b".csv'}),
        ("FROM read_csv($$a.csv$$)", {"a.csv"}),
        ("FROM read_csv($q$a.csv$q$)", {"a.csv"}),
        ("FROM read_csv(['a.csv', 'in/d.csv'])", {"a.csv", "in/d.csv"}),
        ("FROM 'in/*.csv'", {"in/c.csv", "in/d.csv"}),
        ("FROM '?n/[c].csv' WHERE y::VARCHAR NOT IN ('.', '/', '*')", {"in/c.csv"}),
        ("FROM '**/c.csv'", {"in/c.csv"}),
    ],
)
def test_files_of_a_query_are_known_and_read(sql, files, here):
    """Whatever the quotes; comments, folders and other text are none."""
    found = source(sql=sql)
    assert {(here / path).resolve() for path in found.queried.paths} == {here / name for name in files}
    assert found.files_read == {output_files.identity(here / name) for name in files}
    assert len(read(found, ["y"])["y"]) == len(files)


def test_no_other_file_is_read(here):
    """A path that is put together is refused, with what to do."""
    for sql in ("FROM read_csv('a' || '.csv')", "SELECT 1 AS y FROM glob('i' || 'n/*.csv')"):
        with pytest.raises(assay.FileError, match=r"which the query does not name: .*as text"):
            read(source(sql=sql), ["y"])


def test_an_address_is_left_to_the_reader(here):
    """What is read from elsewhere needs an extension of DuckDB's, so that nothing is closed to it."""
    assert QueriedFiles.of("FROM 'https://example.org/a.csv'", duckdb).everywhere
    assert not QueriedFiles.of("FROM 'a.csv'", duckdb).everywhere
    assert QueriedFiles.of(f"FROM 'file://{here}/a.csv'", duckdb).paths == (f"{here}/a.csv",)


def test_a_query_may_spill(here):
    """Temporary files of the reader's own are not closed to it."""
    rows = source(sql="SELECT i AS y FROM range(2000000) t(i) ORDER BY hash(i)")
    assert len(read(rows, ["y"], memory="200MB")["y"]) == 2_000_000
