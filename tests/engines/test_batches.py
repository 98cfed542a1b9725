"""Batches that are tallied as they are read, without being gathered into lots."""

import functools
import re
import threading

import numpy as np
import polars as pl
import pytest

import assay
from assay.engines import accumulator, local_scan, scan, scan_request

RNG = np.random.default_rng(6)
N = 20_000
FRAME = pl.DataFrame(
    {
        "y": RNG.integers(0, 2, N),
        "said": RNG.integers(0, 2, N),
        "score": RNG.random(N),
        "kind": RNG.choice(["a", "b", "c"], N),
        "number": RNG.integers(0, 5000, N),
    }
)
ROLES = {"actual": "y", "predicted": "said", "score": "score"}
ROWS = assay.rows(**{role: FRAME[name].to_numpy() for role, name in ROLES.items()})
BINS = functools.partial(assay.BinnedScores.of, bits=14)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Batches of some hundred rows are as good as large ones."""
    monkeypatch.setattr(local_scan, "_SINGLE", 500)


@pytest.fixture
def folder(tmp_path):
    """Two files of many small row groups, which are the batches."""
    FRAME[:9000].write_parquet(tmp_path / "a.parquet", row_group_size=1000)
    FRAME[9000:].write_parquet(tmp_path / "b.parquet", row_group_size=1700)
    return tmp_path


@pytest.fixture
def lots(monkeypatch):
    """How many batches each lot had that was tallied, and in which thread that was."""
    seen = []
    gather = local_scan._Plan._gather

    def watched(self, lot, *rest):
        if lot.parts:
            seen.append((len(lot.parts), threading.current_thread().name))
        return gather(self, lot, *rest)

    monkeypatch.setattr(local_scan._Plan, "_gather", watched)
    return seen


@pytest.mark.parametrize(
    "make", [assay.BinnedScores, assay.BinnedScores.of, BINS, assay.Confusion, assay.Confusion.of]
)
def test_the_reader_tallies_each_batch(folder, lots, make):
    """Light tallies are made of a batch in the thread that read it, and equal those of all rows."""
    found = scan(folder, tallies={"it": make}, **ROLES)
    assert found["it"] == assay.Collection.of(ROWS, {"it": make})["it"]
    assert found.rows == N
    assert len(lots) > 10
    assert set(lots) == {(1, "assay-reader")}


def test_small_batches_are_gathered(folder, lots, monkeypatch):
    """What is too small to be worth it waits for more; the tally is the same."""
    monkeypatch.setattr(local_scan, "_SINGLE", 1500)
    found = scan(folder, tallies={"it": BINS}, **ROLES)
    assert found["it"] == BINS(ROWS)
    assert {thread for _, thread in lots} == {"assay-reader", "MainThread"}


def test_tallies_of_both_sorts_go_the_general_way(folder, lots):
    """One tally that is better made of many rows decides for all of them; bins are counted in place still."""
    makers = {"bins": BINS, "labels": assay.Confusion, "ranks": assay.Scores}
    found = scan(folder, tallies=makers, **ROLES)
    assert found.tallies == assay.Collection.of(ROWS, makers)
    assert [batches for batches, _ in lots] == [sum(batches for batches, _ in lots)]


@pytest.mark.parametrize("several", [False, True])
def test_scores_that_outgrow_their_memory_are_counted_at_once_from_then_on(
    folder, lots, monkeypatch, several
):
    """Where exact scores become bins on the way, what follows is tallied batch by batch, to the same bins."""
    monkeypatch.setattr(scan_request, "_TALLIES", 12_000)  # of 1 GiB: 89 kB, about 8,000 scores
    monkeypatch.setattr(local_scan, "_BATCHES", 1 << 15)  # lots of 32 kB
    monkeypatch.setattr(accumulator, "_PER_CELL", 1)
    makers = {"it": assay.Scores, **({"labels": assay.Confusion} if several else {})}
    found = scan(folder, tallies=makers, bits=12, **ROLES)
    expected = {"it": functools.partial(assay.BinnedScores.of, bits=12), "labels": assay.Confusion}
    assert found.tallies == assay.Collection.of(ROWS, {name: expected[name] for name in makers})
    assert found.notes
    assert lots[0][1] == "MainThread"
    assert (1, "assay-reader") in lots


def test_tallies_that_grow_heavy_are_made_of_lots(folder, lots):
    """Thousands of labels: merging their table for every batch would cost more than a lot does."""
    roles = {"actual": "number", "predicted": "said"}
    found = scan(folder, tallies={"it": assay.Confusion}, **roles)
    assert found["it"] == assay.Confusion.of(
        assay.rows(actual=FRAME["number"].to_numpy(), predicted=FRAME["said"].to_numpy())
    )
    assert {thread for _, thread in lots} == {"assay-reader", "MainThread"}
    assert max(batches for batches, _ in lots) > 1


@pytest.mark.parametrize("extra", [{"weight": "w"}, {"second": {"predicted": "y"}}])
def test_weights_and_second_models_go_the_general_way(folder, lots, extra):
    """What costs more by the batch is gathered into lots."""
    for file in folder.iterdir():
        pl.read_parquet(file).with_columns(w=pl.lit(0.5)).write_parquet(file, row_group_size=1000)
    make = assay.PairedLabels if "second" in extra else assay.BinnedScores
    scan(folder, tallies={"it": make}, **ROLES, **extra)
    assert [thread for _, thread in lots] == ["MainThread"]


def test_rows_without_a_value_are_dropped_or_named(folder):
    """The file and the row in it are named as ever, and dropped rows are counted."""
    holes = FRAME.with_columns(
        score=pl.when(pl.int_range(N).is_in([12_345, 15_000])).then(None).otherwise("score")
    )
    holes.write_parquet(folder / "c.parquet", row_group_size=1000)
    one = folder / "c.parquet"
    with pytest.raises(
        assay.MissingValueError, match=r"missing in score .first at row 12,345 of .*c\.parquet"
    ):
        scan(one, tallies={"it": BINS}, **ROLES)
    found = scan(one, tallies={"it": BINS}, missing="drop", **ROLES)
    assert (found.rows, found.dropped) == (N - 2, 2)
    kept = np.delete(np.arange(N), [12_345, 15_000])
    assert found["it"] == BINS(ROWS.take(kept))


def test_a_wrong_label_in_a_later_batch_is_refused(folder):
    """Labels are looked at in every batch."""
    odd = FRAME.with_columns(y=pl.when(pl.int_range(N) == 17_000).then(2).otherwise("y"))
    odd.write_parquet(folder / "c.parquet", row_group_size=1000)
    with pytest.raises(assay.LabelError, match="y has 3 labels"):
        scan(folder / "c.parquet", tallies={"it": BINS}, **ROLES)
    minus = FRAME.with_columns(y=pl.when(pl.int_range(N) < 1000).then(-1).otherwise("y"))
    minus.write_parquet(folder / "c.parquet", row_group_size=1000)
    with pytest.raises(assay.LabelError, match=re.escape("both -1 and 0")):
        scan(folder / "c.parquet", tallies={"it": BINS}, **ROLES)


def test_text_is_read_wider_where_it_must_be(tmp_path):
    """A column of a CSV that turns out to be no whole numbers is read again, and counted once."""
    values = ["1"] * 5000 + ["x"] * 5
    (tmp_path / "f.csv").write_text("a,b\n" + "".join(f"{v},{v}\n" for v in values), encoding="utf-8")
    found = scan(tmp_path, actual="a", predicted="b", tallies={"it": assay.Confusion})
    assert found["it"].labels == ("1", "x")
    assert found["it"].n == found.rows == 5005


def test_progress_is_told_in_the_callers_thread(folder, monkeypatch):
    """Every row is told of in the end, by calls in the thread that asked."""
    monkeypatch.setattr(local_scan, "_PROGRESS_INTERVAL", -1)
    heard = []
    scan(
        folder, tallies={"it": BINS}, **ROLES,
        progress=lambda rows: heard.append((rows, threading.current_thread().name)),
    )  # fmt: skip
    assert [name for _, name in heard] == ["MainThread"] * len(heard)
    assert heard[-1][0] == N
    assert len(heard) > 10


def test_what_progress_raises_ends_the_scan(folder, monkeypatch):
    """A caller may stop a scan, as Ctrl-C does; the reader's thread ends with it."""
    monkeypatch.setattr(local_scan, "_PROGRESS_INTERVAL", -1)

    def stop(_rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(folder, tallies={"it": BINS}, progress=stop, **ROLES)
    assert not [one for one in threading.enumerate() if one.name == "assay-reader"]
