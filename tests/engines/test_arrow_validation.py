"""Arrow files: the types that Parquet has, and damaged bytes that must end in our error, not in an abort."""

import datetime as dt
import decimal
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.engines import read

DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None]
TYPES = {
    "date": pa.array(DAYS),
    "date64": pa.array(DAYS, pa.date64()),
    "moment": pa.array([dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 1, 12, 0, 1), None]),  # noqa: DTZ001
    "nanoseconds": pa.array([1, 2, None], pa.timestamp("ns")),
    "seconds": pa.array([1, 2, None], pa.timestamp("s")),
    "zoned": pa.array([1, 2, None], pa.timestamp("ms", tz="Asia/Tokyo")),
    "time": pa.array([dt.time(1), dt.time(2), None]),
    "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal(2), None]),
    "wide decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal(2), None], pa.decimal128(30, 2)),
    "text": pa.array(["a", "b", None]),
    "large text": pa.array(["a", "b", None], pa.large_string()),
    "views": pa.array(["a", "some longer text", None], pa.string_view()),
    "dictionary": pa.array(["a", "b", None]).dictionary_encode(),
    "half": pa.array([0.5, 1.5, None], pa.float16()),
    "whole": pa.array([1, 2, None]),
    "truth": pa.array([True, False, None]),
    "nothing": pa.nulls(3),
}


@pytest.mark.parametrize("values", TYPES.values(), ids=TYPES)
def test_a_column_is_the_same_in_arrow_and_in_parquet(values, tmp_path):
    """What Parquet reads, Arrow reads, to the same labels or numbers."""
    table = pa.table({"v": values, "i": [1, 2, 3]})
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "a.arrows"), "wb") as out, pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table, max_chunksize=2)
    parquet = table if values.type != pa.float16() else table.set_column(0, "v", values.cast(pa.float32()))
    pq.write_table(parquet, tmp_path / "a.parquet")
    expected = read(tmp_path / "a.parquet", ["v"])["v"]
    for name in ("a.feather", "a.arrows"):
        found = read(tmp_path / name, ["v"])["v"]
        assert found.labels == expected.labels
        assert found.missing.tolist() == expected.missing.tolist() == [False, False, True][: len(found)] or (
            values.type == pa.null()
        )
        assert found.values[:2].tolist() == expected.values[:2].tolist()


def test_lists_are_refused_by_name(tmp_path):
    """A column that holds no labels says so."""
    pyarrow.feather.write_feather(pa.table({"v": [[1], [2]]}), tmp_path / "a.feather")
    with pytest.raises(assay.ColumnError, match=r'the column "v" of .*a\.feather is of type .*\[\]'):
        read(tmp_path / "a.feather", ["v"])


DAMAGE = """
import random, sys
from pathlib import Path
import assay
from assay.engines import read
whole = {path: path.read_bytes() for path in map(Path, sys.argv[2:])}
outcomes = set()
for seed in range(int(sys.argv[1])):
    draw = random.Random(seed)
    path = draw.choice(list(whole))
    data = bytearray(whole[path])
    for _ in range(draw.choice([1, 1, 3])):
        at = draw.randrange(len(data))
        if draw.random() < 0.7:  # where the metadata are
            at = draw.choice([draw.randrange(min(1500, len(data))), len(data) - 1 - draw.randrange(min(1500, len(data)))])
        how = draw.randrange(5)
        if how == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif how == 1:
            data[at : at + 8] = bytes(8)
        elif how == 2:
            data[at : at + 4] = b"\\xff" * 4
        elif how == 3:
            data[at:at] = bytes(draw.randrange(1, 9))
        else:
            data[at] = draw.randrange(4)
    file = path.with_name("damaged.arrow")
    file.write_bytes(data)
    try:
        read(file, ["y", "g", "d", "s"])
        outcomes.add("read")
    except assay.AssayError as error:
        assert "\\n" not in str(error)
        outcomes.add("refused")
print(sorted(outcomes))
"""


@pytest.mark.slow
def test_a_damaged_file_ends_in_our_error(tmp_path):
    """Bits flipped, bytes lost or added: each file is read or refused, and the process lives."""
    table = pa.table({
        "y": [0, 1] * 50, "s": [i / 100 for i in range(100)], "g": ["a", None] * 50,
        "d": pa.array(["u", "v"] * 50).dictionary_encode(), "l": [[1, 2], [3]] * 50, "o": [{"a": 1}] * 100,
    })  # fmt: skip
    paths = []
    for compression in ("uncompressed", "lz4", "zstd"):
        paths.append(tmp_path / f"{compression}.arrow")
        pyarrow.feather.write_feather(table, paths[-1], compression=compression, chunksize=40)
    paths.append(tmp_path / "stream.arrow")
    with pa.OSFile(str(paths[-1]), "wb") as out, pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table, max_chunksize=40)
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", DAMAGE, "250", *map(str, paths)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "['read', 'refused']"), done.stderr[-2000:]
    assert "panicked" not in done.stderr


def test_every_cut_of_a_file_is_refused(tmp_path):
    """A file that was not written to its end says so."""
    pyarrow.feather.write_feather(pa.table({"y": [0, 1]}), tmp_path / "a.feather")
    data = (tmp_path / "a.feather").read_bytes()
    draw = random.Random(4)
    for length in sorted({0, 1, 7, 8, len(data) - 1, *draw.sample(range(len(data)), 20)}):
        (tmp_path / "cut.feather").write_bytes(data[:length])
        with pytest.raises(assay.FileError, match=r"cut\.feather cannot be read as an Arrow file"):
            read(tmp_path / "cut.feather", ["y"])
