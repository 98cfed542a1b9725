"""Tests of assay.ledger: nothing is lost, and what was changed is found."""

import concurrent.futures
import contextlib
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from support import postgres, programs

import assay
from assay.cli import main
from assay.ledgers import ledger as ledger_module
from assay.ledgers import looks_count, store
from assay.ledgers.postgres import PostgresStore

EVALUATE = """
import sys, numpy as np, assay
address, count, name, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
book = assay.ledger(address)
actual = np.random.default_rng(1).integers(0, 2, 200)
for number in range(count):
    wrong = np.random.default_rng((seed, number)).random(200) < 0.2
    assay.evaluate(actual=actual, predicted=actual ^ wrong, key=range(200), ledger=book, name=f"{name} {number}")
    print(number, flush=True)
"""


def evaluation(seed=0, n=200, *, rows_seed=1):
    rng = np.random.default_rng(rows_seed)
    actual = rng.integers(0, 2, n)
    wrong = np.random.default_rng(seed).random(n) < 0.2
    return assay.evaluate(
        assay.rows(actual=actual, predicted=actual ^ wrong, key=[f"{rows_seed}-{i}" for i in range(n)])
    )


def shorter(n):
    """Return an evaluation of the first rows alone."""
    actual = np.random.default_rng(1).integers(0, 2, 200)[:n]
    return assay.evaluate(assay.rows(actual=actual, predicted=actual, key=[f"1-{i}" for i in range(n)]))


def changed(url, statement):
    """Change the tables as one does who goes around the triggers; return what verify then finds."""
    with contextlib.closing(connected(url)) as connection:
        for table in ("assay_entries", "assay_blobs", "assay_sketches"):
            if is_server(url):
                connection.execute(f"DROP TRIGGER IF EXISTS {table}_no_change ON {table}")
            else:
                for change in ("update", "delete"):
                    connection.execute(f"DROP TRIGGER IF EXISTS {table}_no_{change}")
        connection.execute(statement)
    return assay.ledger(url).verify()


def is_server(url):
    return url.startswith("postgresql")


def connected(url):
    if is_server(url):
        return pytest.importorskip("psycopg").connect(url, autocommit=True)
    return sqlite3.connect(url, isolation_level=None)


def literal(url, number):
    """Return a byte as SQL writes it."""
    return f"decode('{number:02x}', 'hex')" if is_server(url) else f"x'{number:02x}'"


def test_an_evaluation_is_stored_and_loaded(book):
    """The loaded evaluation has the estimates of the recorded one, and no rows."""
    ev = evaluation()
    entry = book.record(ev, model="first", tags=["nightly"])
    loaded = book.load(entry.number)
    assert loaded["accuracy"].value == ev["accuracy"].value
    assert (loaded["accuracy"].low, loaded["accuracy"].high) == (ev["accuracy"].low, ev["accuracy"].high)
    assert loaded.source_rows is None
    stored = entry.payload["estimates"]["accuracy"]
    assert (stored["value"], stored["low"]) == (ev["accuracy"].value, ev["accuracy"].low)
    assert [one.number for one in book.entries(model="first", tag="nightly")] == [1]
    assert book.entries(model="second") == []
    assert book.verify()


def test_another_model_is_a_look_and_the_same_predictions_are_none(book):
    """Looks count different predictions on one test set; another test set starts at 1."""
    for seed, number in ((0, 1), (1, 2), (0, 1), (2, 3)):
        ev = evaluation(seed)
        assert book.looks(ev).number == number
        book.record(ev, model=f"model {seed}")
    assert str(book.looks(evaluation(3))) == (
        "look 4 at this test set, 3 models before (model 0, model 1, model 2)"
    )
    assert book.looks(evaluation(0, rows_seed=9)).number == 1
    baseline = book.entries(model="model 0")[0].predictions
    assert book.looks(evaluation(2), besides={baseline}).number == 2
    assert book.looks(evaluation(3), besides={baseline}).models == ("model 1", "model 2")


def test_looks_at_a_test_set_that_shares_most_rows_count(book):
    """A subset of 80% of the rows is not a fresh test set."""
    book.record(evaluation(0), model="first")
    looks = book.looks(shorter(160))
    assert (looks.number, looks.overlaps[0].share) == (2, 0.8)
    assert book.looks(shorter(90)).number == 1
    book.record(shorter(160), model="shorter")
    assert book.looks(shorter(120)).number == 3
    assert book.looks(shorter(100)).number == 3


def test_a_changed_entry_is_found(book, url):
    """The payload, a searched column, binary data, the order: verify names the entry."""
    for number in range(4):
        book.append("note", {"model": "m", "number": number}, {"data": bytes([number])})
    assert str(book.verify()) == "4 entries, every one as it was recorded"
    found = changed(url, "UPDATE assay_entries SET payload = replace(payload, '2', '7') WHERE number = 3")
    assert found.problems == ("entry 3 was changed after it was recorded.",)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE assay_entries SET model = 'x' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE assay_blobs SET data = {255} WHERE data = {1}", "the data data of entry 2 are changed"),
        ("DELETE FROM assay_blobs WHERE data = {1}", "the data data of entry 2 are missing"),
        ("DELETE FROM assay_entries WHERE number = 2", "entry 2 is missing: 1 is followed by 3"),
        ("DELETE FROM assay_entries WHERE number = 4", "the last entry is 3, where 4 was recorded last"),
        ("UPDATE assay_entries SET payload = '[]' WHERE number = 2", "entry 2 of the ledger is damaged"),
        ("UPDATE assay_entries SET blobs = '{' WHERE number = 2", "entry 2 of the ledger is damaged"),
        ("UPDATE assay_head SET hash = 'x'", "entry 4, the last one, is not the one that was recorded last"),
        ("DELETE FROM assay_sketches", "the hashes by which test sets are found were changed"),
        ("UPDATE assay_sketches SET test = 'x'", "the hashes of a test set x are of no entry"),
    ],
)
def test_every_kind_of_damage_is_found(book, url, statement, words):
    """Whatever is edited or removed, verify says which entry."""
    for number in range(3):
        book.append("note", {"model": "m", "number": number}, {"data": bytes([number])})
    book.record(evaluation())
    bytes_of = {f"{{{number}}}": literal(url, number) for number in (1, 255)}
    for word, data in bytes_of.items():
        statement = statement.replace(word, data)
    found = changed(url, statement)
    assert not found
    assert words in str(found)


def test_a_ledger_without_its_head_is_damaged(book, url):
    """Neither verified nor appended to, in words."""
    book.append("note", {})
    book.close()
    with pytest.raises(assay.LedgerError, match="no longer says which entry was recorded last"):
        changed(url, "DELETE FROM assay_head")
    with pytest.raises(assay.LedgerError, match="is damaged"):
        book.append("note", {})


def test_numbers_that_are_not_whole_are_changed_ones(tmp_path):
    """SQLite takes any number for the number of an entry."""
    path = str(tmp_path / "ledger.db")
    with assay.ledger(path) as book:
        book.append("note", {})
    assert "entry 1 was changed" in str(changed(path, "UPDATE assay_entries SET number = 1.5"))


@pytest.mark.parametrize("payload", ['{"estimates": 3}', '{"tags": 5}'])
def test_an_entry_of_odd_content_breaks_nothing(tmp_path, payload):
    """What was edited is found by verify; the history says which entry cannot be read, or shows it."""
    path = str(tmp_path / "ledger.db")
    with assay.ledger(path) as book:
        book.record(evaluation(), tags=["nightly"])
        assert not changed(path, f"UPDATE assay_entries SET payload = '{payload}'")  # noqa: S608 - ours
        assert book.entries(tag="nightly") == []
        if "estimates" in payload:
            with pytest.raises(assay.LedgerError, match="entry 1 of the ledger is damaged"):
                book.history()
        else:
            assert len(book.history()) == 1


@pytest.mark.parametrize("statements", ["shortened", "written anew"])
def test_what_the_chain_cannot_show_a_noted_hash_does(book, url, statements, capsys):
    """A ledger whose end was cut off with care, or that was made anew, lacks the entry that was noted."""
    for number in range(3):
        book.append("note", {"number": number})
    noted = book.verify().last
    assert noted == book.entries()[-1].hash
    book.append("note", {"number": 3})
    assert book.verify(noted=noted)
    assert book.verify(noted=noted[:16].upper())
    with pytest.raises(assay.LedgerError, match="is no hash of an entry"):
        book.verify(noted="abc")
    if statements == "shortened":
        kept = book.entry(2).hash
        changed(url, "DELETE FROM assay_entries WHERE number > 2")
        found = changed(url, f"UPDATE assay_head SET number = 2, hash = '{kept}'")  # noqa: S608 - ours
    else:
        changed(url, "DELETE FROM assay_entries")
        changed(url, "UPDATE assay_head SET number = 0, hash = ''")
        with assay.ledger(url) as again:
            for number in range(4):
                again.append("note", {"number": number})
            found = again.verify()
    assert found  # the chain holds
    assert main(["ledger", "verify", "--ledger", url]) == 0
    assert f"the last has the hash {found.last}" in capsys.readouterr().out
    assert main(["ledger", "verify", "--ledger", url, "--noted", noted]) == 1
    assert f"no entry has the noted hash {noted[:16]}" in capsys.readouterr().out
    assert main(["ledger", "export", "x.jsonl", "--ledger", url, "--noted", noted]) == 2


def test_entries_cannot_be_changed_by_accident(book, url):
    """The tables refuse updates and deletions."""
    book.append("note", {"model": "m"})
    with contextlib.closing(connected(url)) as connection:
        for statement in ("UPDATE assay_entries SET model = ''", "DELETE FROM assay_entries"):
            with pytest.raises(Exception, match="only appended to"):
                connection.execute(statement)


def test_what_is_no_ledger_is_refused(book, url, tmp_path):
    """Files that are no database, newer tables, other addresses and other objects have their own words."""
    (tmp_path / "text.db").write_text("not a database " * 100)
    with pytest.raises(assay.LedgerError, match="cannot be used"):
        len(assay.ledger(tmp_path / "text.db"))
    with pytest.raises(assay.LedgerError, match="is no ledger") as refused:
        assay.ledger("mysql://me:secret@host/name")
    assert "secret" not in str(refused.value)
    with pytest.raises(assay.LedgerError, match="records evaluations, not a dict"):
        book.record({})
    with pytest.raises(assay.LedgerError, match="no entry 7"):
        book.entry(7)
    book.append("note", {})
    with pytest.raises(assay.LedgerError, match="newer assay"):
        changed(url, "UPDATE assay_head SET version = 99")


def test_a_password_is_never_shown(postgres_folder):
    """Neither the ledger's name nor an error has it; a server that does not answer is said to be one."""
    address = f"postgresql://me:secret@/none?host={postgres_folder}"
    book = assay.ledger(address)
    assert "secret" not in repr(book)
    with pytest.raises(assay.LedgerError, match="cannot be used") as failed:
        len(book)
    assert "secret" not in str(failed.value)
    away = assay.ledger("postgresql://me:secret@127.0.0.1:1/none?password=secret")
    with pytest.raises(assay.LedgerError, match="refused") as failed:
        len(away)
    assert "secret" not in str(failed.value)


def test_tables_that_another_made_while_one_waited_are_not_made_again(postgres_folder, monkeypatch):
    """Two processes find no tables; the second waits for the first, and then uses the tables of the first."""
    url = postgres.new_database(postgres_folder)
    lock_tables = PostgresStore._lock_tables
    waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

    def record(name):
        with assay.ledger(url) as book:
            book.record(evaluation(len(name)), model=name)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        second = []

        def lock_and_let_another_wait(this):
            lock_tables(this)
            if not second:
                second.append(pool.submit(record, "second"))
                while not second[0].done() and not this.rows(waiting):
                    time.sleep(0.01)

        monkeypatch.setattr(PostgresStore, "_lock_tables", lock_and_let_another_wait)
        record("first")
        second[0].result()
    with assay.ledger(url) as book:
        assert sorted(entry.model for entry in book.entries()) == ["first", "second"]


def test_an_older_ledger_is_brought_up_to_date(url, monkeypatch):
    """Tables of the first version get the changes made since, and all entries are still there."""
    with monkeypatch.context() as older:
        older.setattr(store, "_MIGRATIONS", store._MIGRATIONS[:1])
        older.setattr(store, "VERSION", 1)
        older.setattr(looks_count, "add_sketch", lambda *_: None)
        older.setattr(ledger_module, "add_sketch", lambda *_: None)
        with assay.ledger(url) as book:
            book.record(evaluation(), model="first")
    with pytest.raises(assay.LedgerError, match="older assay"):
        len(assay.ledger(url, read_only=True))
    with assay.ledger(url) as book:
        assert book.verify()
        assert book.looks(evaluation(1)).number == 2
        assert book.looks(shorter(160)).overlaps[0].share == 0.8
    with contextlib.closing(connected(url)) as connection:
        assert connection.execute("SELECT version FROM assay_head").fetchone()[0] == store.VERSION


def started(url, count, name, seed):
    """Start a process that evaluates so many models on one test set."""
    return programs.started(
        [sys.executable, "-c", EVALUATE, url, str(count), name, str(seed)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_two_processes_record_a_thousand_evaluations_each(book, url):
    """Nothing is lost, every model is a look of its own, and the chain holds."""
    with started(url, 1000, "left", 1) as left, started(url, 1000, "right", 2) as right:
        for writer in (left, right):
            programs.communicate(writer)
            assert writer.returncode == 0
    assert book.verify()
    entries = book.entries(kind="evaluation")
    for name in ("left", "right"):
        mine = [entry.model for entry in entries if entry.model.startswith(name)]
        assert mine == [f"{name} {number}" for number in range(1000)]
    assert sorted(book.look_numbers().values()) == list(range(1, 2001))
    last = book.load(entries[-1])
    assert book.looks(last).number == 2000
    assert last["accuracy"].low == entries[-1].payload["estimates"]["accuracy"]["low"]


@pytest.mark.slow
def test_a_killed_writer_loses_at_most_its_unfinished_entry(book, url):
    """After kill -9 at any moment the ledger opens, holds all that was acknowledged, and goes on."""
    before = 0
    for attempt in range(8):
        with started(url, 100_000, f"run {attempt}", attempt) as writer:
            writer.stdout.readline()
            time.sleep(0.05 + 0.013 * attempt)
            os.kill(writer.pid, signal.SIGKILL)
            acknowledged = 1 + len(writer.communicate()[0].splitlines())
        assert book.verify()
        assert acknowledged <= len(book) - before <= acknowledged + 1
        before = len(book)
    book.record(evaluation(), model="after")
    assert book.verify()
    assert all(book.load(entry)["accuracy"].defined for entry in book.entries(after=before - 3))


def test_entries_after_a_number_are_those_appended_since(book):
    """What was read before need not be read again."""
    for number in range(3):
        book.append("note", {"number": number})
    assert [entry.number for entry in book.entries(after=2)] == [3]
    assert book.entries(after=3) == []
    assert [entry.number for entry in book.entries(after=1, limit=1)] == [2]


def test_a_ledger_that_is_only_read_is_neither_created_nor_changed(book, url):
    """Reading sees what is appended meanwhile, and refuses to append."""
    book.append("note", {"number": 1})
    with assay.ledger(url, read_only=True) as reader:
        assert len(reader) == 1
        book.append("note", {"number": 2})
        assert len(reader) == 2
        assert reader.verify()
        with pytest.raises(assay.LedgerError, match=r"readonly|read-only"):
            reader.append("note", {"number": 3})
        with pickle.loads(pickle.dumps(reader)) as again:  # noqa: S301 - our own
            assert len(again) == 2
    assert len(book) == 2


def test_reading_creates_no_ledger(tmp_path):
    """A file that is not there is not made, and one of other tables is left as it is."""
    for name, message in (("missing.db", "there is no ledger"), ("other.db", "is no ledger")):
        if name == "other.db":
            with contextlib.closing(sqlite3.connect(tmp_path / name)) as connection:
                connection.execute("CREATE TABLE mine (one INTEGER)")
        content = (tmp_path / name).read_bytes() if (tmp_path / name).exists() else None
        with pytest.raises(assay.LedgerError, match=message):
            len(assay.ledger(tmp_path / name, read_only=True))
        assert ((tmp_path / name).read_bytes() if (tmp_path / name).exists() else None) == content


def test_a_ledger_in_a_folder_that_cannot_be_written_to_is_read(tmp_path):
    """And read again where it changes meanwhile; recording to it is refused."""
    folder = tmp_path / "folder"
    with assay.ledger(folder / "ledger.db") as book:
        book.append("note", {"number": 1})
    with closed(folder), assay.ledger(folder / "ledger.db", read_only=True) as reader:
        assert len(reader) == 1
        assert reader.verify()
        with opened(folder), assay.ledger(folder / "ledger.db") as book:
            book.append("note", {"number": 2})
        assert len(reader) == 2
        with pytest.raises(assay.LedgerError, match="cannot be used"):
            assay.ledger(folder / "ledger.db").append("note", {})


@contextlib.contextmanager
def closed(folder):
    """Take away the right to write to a folder, also from root, which is then nobody."""
    user = os.geteuid()
    folder.parent.chmod(0o755)
    (folder / "ledger.db").chmod(0o644)
    folder.chmod(0o555)
    if user == 0:
        for parent in folder.parents:
            if parent.stat().st_uid == 0 and parent != parent.parent and "pytest" in str(parent):
                parent.chmod(parent.stat().st_mode | 0o055)
        os.seteuid(65534)
    try:
        yield
    finally:
        if user == 0:
            os.seteuid(0)
        folder.chmod(0o755)


@contextlib.contextmanager
def opened(folder):
    """Give the right back for a while."""
    user = os.geteuid()
    os.seteuid(os.getuid())
    folder.chmod(0o755)
    try:
        yield
    finally:
        folder.chmod(0o555)
        os.seteuid(user)
