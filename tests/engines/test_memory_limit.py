"""Little memory is read with in smaller pieces, and nothing takes far more than it was given."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay.engines import scan
from assay.engines.accumulator import size
from assay.tallies import ColumnProfile, Scores


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["64MiB", "256MiB"])
def test_a_csv_of_two_columns_needs_little(memory, tmp_path):
    """Buffers of text are as small as the memory asks for."""
    draw = np.random.default_rng(1)
    y, s = draw.integers(0, 2, 600_000), draw.random(600_000)
    pq.write_table(pa.table({"y": y, "s": s}), tmp_path / "a.parquet")
    rows = zip(y.tolist(), s.tolist(), strict=True)
    (tmp_path / "a.csv").write_text("y,s,x\n" + "".join(f"{a},{b!r},{'x' * 60}\n" for a, b in rows))
    ask = {"actual": "y", "score": "s", "tallies": {"it": assay.BinnedScores}, "threads": 2}
    assert scan(tmp_path / "a.csv", memory=memory, **ask)["it"] == scan(tmp_path / "a.parquet", **ask)["it"]


def test_large_row_groups_of_many_columns(tmp_path):
    """Where two row groups are too many to hold at once, one is read after another."""
    draw = np.random.default_rng(2)
    columns = {f"s{i}": draw.random(400_000) for i in range(20)}
    columns["y"] = draw.integers(0, 20, 400_000)
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=200_000, compression="none")
    found = scan(
        tmp_path / "a.parquet", actual="y", score=[f"s{i}" for i in range(20)], memory="256MiB", threads=2,
        tallies={"n": lambda rows: assay.Sums.of([float(len(rows))])},
    )  # fmt: skip
    assert float(found["n"].total) == found.rows == 400_000


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_exact_scores_take_less_room_than_these(weighted):
    """Scores that outgrow their memory must not need several times as much on the way into bins."""
    draw = np.random.default_rng(3)
    n = 4_000_000
    weight = draw.integers(1, 1000, n) / 8 if weighted else None
    exact = Scores.of(assay.rows(actual=draw.integers(0, 2, n), score=draw.random(n), weight=weight))
    tracemalloc.start()
    binned = exact.binned(12)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * size(exact)
    assert binned.n == n
    whole = exact.weights if weighted else np.ones(n)
    rows = exact.positives.astype(np.int64) + exact.negatives
    assert float(sum(sum(part) for part in binned._mass())) == pytest.approx(
        float((whole * rows).sum()), rel=1e-12
    )


@pytest.mark.slow
def test_many_labels_that_tallies_share_count_once(tmp_path):
    """A hundred thousand labels fit where they are held once, though three tallies speak of them."""
    draw = np.random.default_rng(4)
    names = np.array([f"a label of some length {i}" for i in range(100_000)])
    first = names[draw.integers(0, len(names), 400_000)]
    second = np.where(draw.random(400_000) < 0.9, first, names[draw.integers(0, len(names), 400_000)])
    pq.write_table(pa.table({"y": first, "p": second}), tmp_path / "a.parquet")
    found = scan(
        tmp_path / "a.parquet", actual="y", predicted="p", memory="160MiB",
        tallies={"traits": ColumnProfile, "confusion": assay.Confusion},
    )  # fmt: skip
    assert found["confusion"].correct == (first == second).sum()
    assert len(found["traits"].actual.labels) == len(np.unique(first))


def test_sizes_tell_what_is_held():
    """Labels of two tallies that are the same objects are counted once, others twice."""
    labels = tuple(f"label {i}" for i in range(5000))
    copies = tuple("".join(list(label)) for label in labels)
    assert size((labels, labels)) < 1.3 * size(labels)
    assert size((labels, copies)) > 1.9 * size(labels)
