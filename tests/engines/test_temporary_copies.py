"""What is copied before it is read: archives, pipes, standard input; the rows are those of the plain file."""

import bz2
import gzip
import io
import lzma
import os
import tempfile
import threading
import zipfile

import pytest

import assay
from assay.engines import scan, source, temporary_copies

ROWS = b"y,p\n" + b"0,0.1\n1,0.9\n1,0.4\n0,0.3\n" * 50


def counted(data, **more):
    return scan(data, actual="y", score="p", tallies={"it": assay.Scores}, **more)["it"]


def zipped(data, name="rows.csv"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._rows.csv", "of a system")
        archive.writestr(name, data)
    return out.getvalue()


PACKED = {
    "rows.csv.bz2": bz2.compress(ROWS),
    "rows.csv.xz": lzma.compress(ROWS),
    "ROWS.CSV.XZ": lzma.compress(ROWS),
    "rows.zip": zipped(ROWS),
    "rows.csv.zip": zipped(ROWS, "within/rows.csv"),
    "rows.tsv.bz2": bz2.compress(ROWS.replace(b",", b"\t")),
}


@pytest.fixture
def spilled(tmp_path, monkeypatch):
    """Return the folder for temporary files."""
    folder = tmp_path / "spilled"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("name", PACKED)
def test_archives_are_read(name, tmp_path, spilled):
    """By their names; nothing is left of the copies."""
    (tmp_path / "plain.csv").write_bytes(ROWS)
    (tmp_path / name).write_bytes(PACKED[name])
    assert counted(tmp_path / name) == counted(tmp_path / "plain.csv")
    assert not list(spilled.iterdir())


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zipped])
def test_pipes_and_standard_input_tell_by_their_first_bytes(pack, tmp_path, monkeypatch, spilled):
    """A pipe has no name that says how it is packed."""
    (tmp_path / "plain.csv").write_bytes(ROWS)
    expected = counted(tmp_path / "plain.csv")
    os.mkfifo(tmp_path / "pipe")
    feeder = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(pack(ROWS),))
    feeder.start()
    assert counted(tmp_path / "pipe") == expected
    feeder.join(20)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pack(ROWS))))
    assert counted("-") == expected
    assert not list(spilled.iterdir())


def test_an_archive_in_another_encoding_is_read(tmp_path):
    """It is unpacked first, then written anew in UTF-8."""
    (tmp_path / "rows.csv.bz2").write_bytes(bz2.compress("y,ž\n0,0.5\n1,0.7\n".encode("cp1250")))
    assert source(tmp_path / "rows.csv.bz2", encoding="cp1250").columns() == ["y", "ž"]


def test_an_archive_with_a_password_is_refused(tmp_path):
    """Python cannot write one, so that the bit that says so is set."""
    data = bytearray(zipped(ROWS))
    for start in (data.index(b"PK\x01\x02", 40), data.rindex(b"PK\x01\x02")):
        data[start + 8] |= 1
    (tmp_path / "rows.zip").write_bytes(data)
    with pytest.raises(assay.FileError, match=r"rows\.zip cannot be unpacked: .*(password|encrypted)"):
        source(tmp_path / "rows.zip")


def test_a_name_that_is_no_text_is_read(tmp_path, spilled):
    """Names are bytes on some systems; messages show what they can of them."""
    (tmp_path / "plain.csv").write_bytes(ROWS)
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.csv")
    try:
        with open(odd, "wb") as file:  # noqa: PTH123 - a name of bytes
            file.write(ROWS)
    except OSError:
        pytest.skip("names must be text here")
    assert counted(odd) == counted(tmp_path / "plain.csv")
    assert not list(spilled.iterdir())


def test_a_packed_database_is_refused(tmp_path):
    """It would have to be written somewhere to be opened."""
    (tmp_path / "x.duckdb.xz").write_bytes(lzma.compress(b""))
    with pytest.raises(assay.InputError, match="copy or unpack it"):
        source(tmp_path / "x.duckdb.xz", table="t")


def test_a_disk_too_small_for_a_copy_is_told(spilled):
    """The line says where the copy is written and what to do."""

    class Full(io.BytesIO):
        name = str(spilled / "assay-x" / "1" / "rows.csv")

        def write(self, _):
            raise OSError(28, "No space left on device")

    with pytest.raises(assay.FileError, match=r"a\.csv\.xz is copied to .*spilled.*No space left.*TMPDIR"):
        temporary_copies._write(Full(), b"rows", "a.csv.xz")


@pytest.mark.parametrize("name", ["rows.csv.bz2", "rows.csv.xz", "rows.zip"])
def test_a_damaged_archive_leaves_no_copy(name, tmp_path, spilled):
    """What was unpacked before the damage is removed."""
    (tmp_path / name).write_bytes(PACKED[name][:-40])
    with pytest.raises(assay.FileError, match=rf"{name} cannot be unpacked"):
        source(tmp_path / name)
    assert not list(spilled.iterdir())


def test_the_threads_of_one_scan_are_its_own(tmp_path):
    """Others keep their number while it runs and afterwards, in whatever order scans end."""
    (tmp_path / "plain.csv").write_bytes(ROWS)
    before = assay.threads()
    inside, leave = threading.Barrier(3, timeout=600), [threading.Event() for _ in range(2)]
    seen = {}

    def run(number):
        def progress(_):
            seen[number] = assay.threads()
            inside.wait()
            leave[number].wait(600)

        counted(tmp_path / "plain.csv", threads=number + 3, progress=progress)
        seen[number, "after"] = assay.threads()

    runs = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for one in runs:
        one.start()
    inside.wait()
    assert assay.threads() == before
    for event, one in zip(leave, runs, strict=True):
        event.set()
        one.join(600)
        assert assay.threads() == before
    assert seen == {0: 3, 1: 4, (0, "after"): before, (1, "after"): before}
