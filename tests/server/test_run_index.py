"""Tests of the runs in memory: what was appended is read once, and odd entries end nothing."""

import assay
from assay.server.run_index import RunIndex, key_of


def test_runs_that_are_appended_later_are_found(tmp_path):
    """A second process appends, the index reads what is new and nothing twice."""
    path = tmp_path / "ledger.db"
    with assay.ledger(path) as book, assay.ledger(path, read_only=True) as reader:
        book.append("note", {"text": "first"})
        index = RunIndex(reader)
        index.refresh()
        assert (len(index.runs), len(index.others)) == (0, 1)
        ev = assay.evaluate(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0], name="first")
        entry = book.record(ev, tags=["a"])
        index.refresh()
        index.refresh()
    (run,) = index.runs
    assert (run.number, run.model, run.tags, run.rows, run.look) == (entry.number, "first", ("a",), 4, 1)
    assert run.estimates["accuracy"] == (ev["accuracy"].value, ev["accuracy"].low, ev["accuracy"].high)
    assert index.run(entry.number) is run
    assert index.run(99) is None


def test_looks_are_numbered_by_predictions(tmp_path):
    """The same predictions again are the same look."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        for predicted in ([0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0]):
            book.record(assay.evaluate(actual=[0, 1, 1, 0], predicted=predicted))
        index = RunIndex(book)
        index.refresh()
    assert [run.look for run in index.runs] == [1, 2, 1]


def test_entries_of_any_content_are_runs(tmp_path):
    """Another version may write other fields, and other types."""
    odd = [
        {},
        {"rows": "many", "estimates": [1]},
        {"estimates": {"auc": {"value": "Infinity", "low": True}, "f1": 3}},
    ]
    with assay.ledger(tmp_path / "ledger.db") as book:
        for payload in odd:
            book.append("evaluation", payload, time="someday")
        index = RunIndex(book)
        index.refresh()
    assert [run.rows for run in index.runs] == [0, 0, 0]
    assert index.runs[2].estimates == {"auc": (float("inf"), None, None)}
    assert index.runs[0].days is None


def test_many_entries_are_read_in_steps(tmp_path):
    """More entries than are read at once are all there."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        for number in range(2_100):
            book.append("evaluation", {"model": f"m{number}"}, time="2026-01-01T00:00:00+00:00")
        index = RunIndex(book)
        index.refresh()
    assert [run.number for run in index.runs] == list(range(1, 2_101))


def test_long_names_have_short_keys():
    """Names that differ beyond what an address holds have keys that differ."""
    assert key_of("x" * 5_000) != key_of("x" * 5_001)
    assert len(key_of("\u05d7" * 5_000)) < 30
