"""Tests of the pages of test sets: looks are counted as the ledger counts them."""

import dataclasses

import pytest
from support.ledger_server import HOSTILE, NIGHTS, classified

import assay
from assay.formatting.numbers import format_interval, format_value
from assay.server.looks_pages import LooksPages
from assay.server.run_index import RunIndex


def pages_of(book):
    index = RunIndex(book)
    index.refresh()
    return LooksPages(index)


@pytest.fixture(scope="module")
def pages(ledger_path):
    with assay.ledger(ledger_path, read_only=True) as book:
        yield pages_of(book)


def test_every_test_set_is_listed_with_its_looks(pages):
    """The latest first; the confidence is that of the look that comes next."""
    rows = pages.all()["rows"]
    assert len(rows) == NIGHTS + 2
    assert [row["looks"] for row in rows] == [2, len(HOSTILE), *[2] * NIGHTS]
    assert rows[0]["confidence"] == "99.58%"  # 1 - 0.05 / (3 * 4)
    assert rows[-1]["models"] == ["forest", "baseline"]


def test_looks_have_intervals_that_hold_for_all(pages):
    """The same as the evaluation with its looks has; so has the optimism of the best."""
    book = pages.index.ledger
    run = pages.index.runs[2 * NIGHTS]
    page = pages.one(run.test)
    assert [row["look"] for row in page["looks_of"]] == list(range(1, len(HOSTILE) + 1))
    best = None
    for row in page["looks_of"]:
        ev = book.load(row["run"])
        ev = dataclasses.replace(ev, looks=book.looks(ev))
        estimate = ev.for_all_looks("auc")
        assert row["for_all"] == {
            "interval": format_interval(estimate), "confidence": f"{100 * estimate.confidence:.4g}%",
        }  # fmt: skip
        if best is None or ev["auc"].value > best["auc"].value:
            best = ev
    assert page["optimism"]["by"] == format_value(best.selection_optimism("auc"))
    assert page["optimism"]["of"] == len(HOSTILE)


def test_test_sets_that_share_rows_are_named(tmp_path):
    """Their looks count, and each leads to its page."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        rows = {"y": [0, 1] * 100, "p": [0.2, 0.7] * 100, "id": range(200)}
        for size in (200, 180):
            part = {name: list(values)[:size] for name, values in rows.items()}
            book.record(assay.evaluate(assay.rows(part, actual="y", score="p", key="id"), name=f"of {size}"))
        pages = pages_of(book)
        page = pages.one(pages.index.runs[1].test)
    assert [(one["share"], one["looks"]) for one in page["overlaps"]] == [("90%", 1)]
    assert page["next"].startswith("look 3")


def test_a_test_set_that_is_unknown_has_no_page(pages):
    """Nor has a part of an identity."""
    assert pages.one("none") is None
    assert pages.one(pages.index.runs[0].test[:8]) is None


def test_another_confidence_is_that_of_its_runs(tmp_path):
    """Runs with 90% intervals have looks of their own confidence."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        ev = classified("a")
        book.record(dataclasses.replace(ev, settings=dataclasses.replace(ev.settings, confidence=0.9)))
        pages = pages_of(book)
    assert pages.all()["rows"][0]["confidence"] == "98.33%"  # 1 - 0.1 / (2 * 3)
