"""What evaluate(..., ledger=...) records: of arrays, files, Dask frames, slices and every task."""

import os
import subprocess

import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import assay
from assay.engines import scan
from assay.ledgers import record
from assay.ledgers.record import fingerprint_of, git_commit

N = 3_000
ROLES = {"actual": "y", "score": "score", "key": "id"}


def table(n=N):
    rng = np.random.default_rng(5)
    actual = rng.integers(0, 2, n)
    return {
        "id": np.array([f"case {number}" for number in range(n)], dtype=object),
        "y": actual,
        "score": np.round(np.clip(0.2 * actual + 0.8 * rng.random(n), 0, 1), 3),
        "region": rng.choice(["north", "south"], n),
        "size": np.round(rng.normal(10, 3, n), 3),
        "guess": np.round(rng.normal(10, 3, n), 3),
        "class": rng.choice(["a", "b", "c"], n),
        "said": rng.choice(["a", "b", "c"], n),
    }


@pytest.fixture
def book(tmp_path):
    with assay.ledger(tmp_path / "ledger.db") as ledger:
        yield ledger


def forms(columns, folder):
    """Yield the same rows as arrays, a frame, a CSV, a shuffled Parquet file and a Dask frame."""
    order = np.random.default_rng(1).permutation(len(columns["id"]))
    shuffled = pa.table({name: values[order] for name, values in columns.items()})
    pa.csv.write_csv(pa.table(columns), folder / "rows.csv")
    pa.parquet.write_table(shuffled, folder / "rows.parquet", row_group_size=700)
    yield "dict", columns
    yield "pandas", pd.DataFrame(columns)
    yield "csv", folder / "rows.csv"
    yield "parquet", folder / "rows.parquet"
    yield "dask", dask.dataframe.from_pandas(pd.DataFrame(columns).iloc[order], npartitions=3)


CASES = {
    "binary": {"actual": "y", "score": "score"},
    "sliced": {"actual": "y", "score": "score", "by": "region"},
    "cut": {"actual": "size", "predicted": "guess", "threshold": 10.0},
    "regression": {"actual": "size", "predicted": "guess"},
    "multiclass": {"actual": "class", "predicted": "said"},
    "one against the rest": {"actual": "class", "predicted": "said", "positive": "b"},
    "multilabel": {"actual": ["y"], "predicted": ["y"]},
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_rows_are_one_test_set_in_any_form(case, book, tmp_path):
    """Whatever the rows come in, they are one look at one test set."""
    columns, options = table(), CASES[case]
    seen = {}
    for name, data in forms(columns, tmp_path):
        ev = assay.evaluate(data, **options, key="id", ledger=book, name=name)
        fingerprint = fingerprint_of(ev)
        seen[name] = (fingerprint.test_set, fingerprint.predictions)
        assert ev.looks.number == 1, name
        assert ev.looks.repeated == (name != "dict")
    assert len(set(seen.values())) == 1, seen
    entries = book.entries()
    assert len({entry.test for entry in entries}) == 1
    first, *others = (entry.payload["estimates"] for entry in entries)
    for estimates in others:
        assert estimates.keys() == first.keys()
        for metric, estimate in estimates.items():
            assert estimate["value"] == first[metric]["value"], metric


def test_a_percent_of_changed_rows_is_another_test_set_whose_looks_count(book):
    """The overlap is estimated within a point, and the earlier look counts."""
    columns = table(20_000)
    assay.evaluate(columns, **ROLES, ledger=book, name="first")
    changed = {**columns, "id": columns["id"].copy()}
    changed["id"][:200] = [f"new {number}" for number in range(200)]
    looks = assay.evaluate(changed, **ROLES, ledger=book, name="second").looks
    assert looks.number == 2
    assert looks.overlaps[0].share == pytest.approx(19_800 / 20_200, abs=0.01)


def test_what_is_recorded_is_what_was_evaluated(book, tmp_path):
    """An entry says when, what, by whom and on which rows, and holds estimates and slices."""
    pa.parquet.write_table(pa.table(table()), tmp_path / "rows.parquet")
    ev = assay.evaluate(
        tmp_path / "rows.parquet",
        **ROLES,
        by="region",
        ledger=book,
        name="new",
        tags=["nightly"],
        confidence=0.9,
    )
    (entry,) = book.entries(model="new", tag="nightly")
    payload = entry.payload
    assert payload["version"] == assay.__version__
    assert payload["basis"] == ["key", "actual"]
    assert (payload["rows"], payload["task"], payload["by"]) == (N, "binary", ["region"])
    assert payload["settings"]["confidence"] == 0.9
    loaded = book.load(entry)
    for name in ev:
        assert (loaded[name].value, loaded[name].low) == (ev[name].value, ev[name].low), name
        assert payload["estimates"][name]["low"] == ev[name].low
    north = (loaded.slices["region"]["north"]["recall"], ev.slices["region"]["north"]["recall"])
    assert (north[0].value, north[0].low) == (north[1].value, north[1].low)
    assert str(loaded) == str(
        assay.evaluate(tmp_path / "rows.parquet", **ROLES, by="region", name="new", confidence=0.9)
    )
    blob = book.blob(entry.blobs["evaluation"])
    assert b"case 7" not in blob  # no row is stored


def test_very_many_different_scores_are_stored_in_bins(book, monkeypatch):
    """The entry stays small, its estimates are those of all scores, and days still become a week."""
    monkeypatch.setattr(record, "_MAX_EXACT_SCORES", 1_000)
    draw = np.random.default_rng(2)
    columns = {"y": draw.integers(0, 2, N), "score": draw.random(N), "id": np.arange(N)}
    columns["region"] = draw.choice(["north", "south"], N)
    whole = assay.evaluate(columns, **ROLES, by="region", ledger=book)
    loaded = book.load(1)
    assert isinstance(loaded.by_name["scores"], assay.BinnedScores)
    assert (loaded["auc"].value, loaded["auc"].low) == (whole["auc"].value, whole["auc"].low)
    slices = [ev.slices["region"]["north"]["auc"].value for ev in (loaded, whole)]
    assert slices[0] == pytest.approx(slices[1], abs=1e-4)
    halves = [
        {name: column[part] for name, column in columns.items()} for part in (slice(1200), slice(1200, N))
    ]
    for half in halves:
        assay.evaluate(half, **ROLES, by="region", ledger=book)
    assert book.merge([2, 3])["auc"].value == pytest.approx(whole["auc"].value, abs=1e-4)
    assert book.merge([2, 3])["accuracy"].value == whole["accuracy"].value


def test_predictions_under_two_names_are_a_look_of_the_first(book):
    """Whatever the names are."""
    for name in ("zoe", "ann"):
        assay.evaluate(table(), **ROLES, ledger=book, name=name)
    other = table()
    other["score"] = other["score"][::-1]
    looks = assay.evaluate(other, **ROLES, ledger=book, name="new").looks
    assert (looks.number, looks.models) == (2, ("zoe",))


@pytest.mark.parametrize(
    "name", ["<b>", "a\nb", "a\0b", "\udcff.csv", "\u202egnp", "x" * 100_000, "'; --", "%"]
)
def test_names_and_tags_of_any_letters_are_recorded(name, url):
    """And found by what they are recorded as; bytes that are no text are spelt."""
    with assay.ledger(url) as book:
        entry = book.record(assay.evaluate(actual=[0, 1], predicted=[0, 1]), model=name, tags=name)
        assert book.entries(model=entry.model, tag=entry.tags[0]) == [entry]
        assert (entry.model == name) == (
            ("\0" not in name and name.isprintable()) or name in {"a\nb", "\u202egnp"}
        )
        assert book.verify()
        assert len(str(book.history()).splitlines()[-1]) <= 80


def test_what_is_no_time_entry_or_address_is_refused(book):
    """In our own words."""
    with pytest.raises(assay.LedgerError, match="since='yesterday' is no time"):
        book.entries(since="yesterday")
    with pytest.raises(assay.LedgerError, match="named by its number, not by 'a'"):
        book.merge(["a"])
    with pytest.raises(assay.LedgerError, match="not by a int"):
        assay.ledger(5)
    with pytest.raises(assay.LedgerError, match="NUL"):
        book.append("note", {"model": "a\0b"})


def test_times_of_any_zone_are_compared_as_moments(book):
    """An entry of 12:00 UTC is after 13:00 in Berlin's winter, and before 14:00."""
    book.append("note", {}, time="2026-11-19T12:00:00.000000+00:00")
    for since, count in (
        ("2026-11-19T13:00:00+01:00", 1),
        ("2026-11-19T14:00:00+01:00", 0),
        ("2026-11-19", 1),
    ):
        assert len(book.entries(since=since)) == count


def test_a_ledger_is_named_in_four_ways(tmp_path, monkeypatch):
    """True is .assay/ledger.db where the program runs; a path, a text and a ledger are themselves."""
    monkeypatch.chdir(tmp_path)
    columns = {"actual": [0, 1, 1, 0], "predicted": [0, 1, 0, 0]}
    assert assay.evaluate(**columns, ledger=True).looks.number == 1
    assert len(assay.ledger()) == 1
    for place in (tmp_path / "other.db", str(tmp_path / "third.db"), assay.ledger(tmp_path / "fourth.db")):
        assert assay.evaluate(**columns, ledger=place).looks.number == 1
    assert assay.evaluate(**columns, ledger=False).looks is None
    assert assay.evaluate(**columns).record(tmp_path / "other.db", model="again").looks.repeated


def test_rows_that_were_scanned_without_a_key_can_be_recorded_only_at_once(book, tmp_path):
    """The fingerprint is made in the pass over the rows, by ledger= or key=."""
    pa.parquet.write_table(pa.table(table()), tmp_path / "rows.parquet")
    bare = assay.evaluate(tmp_path / "rows.parquet", actual="y", score="score")
    with pytest.raises(assay.LedgerError, match=r"ledger= or key="):
        book.record(bare)
    keyed = assay.evaluate(tmp_path / "rows.parquet", **ROLES)
    assert (
        fingerprint_of(keyed)
        == scan(tmp_path / "rows.parquet", tallies={"it": assay.Fingerprint}, **ROLES)["it"]
    )
    assert book.record(keyed).number == 1


def test_evaluations_by_a_proxy_are_refused(book):
    """They are not stored yet, and the message says what to leave out."""
    with pytest.raises(assay.InputError, match="does not store evaluations by a proxy"):
        assay.evaluate({"y": [0, None], "p": [0, 1]}, actual="y", predicted="p", proxy="p", ledger=book)


def test_the_commit_is_that_of_git(tmp_path):
    """It is read without running git: of a branch, a packed branch, a worktree, and of none."""
    commands = ["init -q -b main", "commit -q --allow-empty -m x", "worktree add -q ../side"]
    folder = tmp_path / "project"
    folder.mkdir()
    identity = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def git(words):
        done = subprocess.run(  # noqa: S603 - our own commands
            ["git", *words.split()],  # noqa: S607
            cwd=folder,
            env=os.environ | identity,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    assert git_commit(str(tmp_path)) == ""
    for command in commands:
        git(command)
    head = git("rev-parse HEAD")
    git_commit.cache_clear()
    for place in (folder, tmp_path / "side"):
        assert git_commit(str(place)) == head
    git("pack-refs --all")
    git_commit.cache_clear()
    assert git_commit(str(folder)) == head
