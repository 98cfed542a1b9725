"""Tests of the page of plans: what was sealed and checked, and entries of any content."""

import numpy as np
import pytest

import assay
from assay.formatting.numbers import format_value
from assay.server.plan_pages import plans_page
from assay.server.run_index import RunIndex


def page_of(book):
    index = RunIndex(book)
    index.refresh()
    return plans_page(index)


def table(strength, seed):
    actual = np.random.default_rng(1).integers(0, 2, 400)
    noise = np.random.default_rng(seed).normal(size=400)
    return {"y": actual, "p": 1 / (1 + np.exp(-(noise + strength * actual))), "id": np.arange(400)}


def test_checks_are_listed_under_their_plan(tmp_path):
    """The newest first, with the numbers and the reasons that the check printed."""
    base = table(1.5, 2)
    wanted = ["recall >= 0.5", "auc no worse than production by 0.01"]
    plan = assay.plan(base, name="gate", requirements=wanted, actual="y", score="p", key="id", looks=3)
    with assay.ledger(tmp_path / "ledger.db") as book:
        results = [
            assay.check(plan, table(strength, k), against={"production": base}, ledger=book, name=f"m{k}")
            for k, strength in enumerate((0.3, 3.0))
        ]
        page = page_of(book)
    (shown,) = page["plans"]
    assert (shown["name"], shown["rows"], shown["used"], shown["allowed"]) == ("gate", 400, 2, 3)
    assert shown["sha256"] == plan.sha256[:12]
    assert shown["requirements"] == [one.requirement.canonical for one in results[0]]
    assert [check["model"] for check in shown["checks"]] == ["m1", "m0"]
    assert [check["met"] for check in shown["checks"]] == [result.met for result in results[::-1]]
    for check, result in zip(shown["checks"], results[::-1], strict=True):
        for cell, one in zip(check["results"], result, strict=True):
            assert cell["met"] == one.met
            assert cell["text"][0].removeprefix("+") == format_value(one.estimate.value)
            assert bool(cell["reason"]) == bool(one.reason)
    difference = shown["checks"][0]["results"][1]
    assert difference["text"][0].startswith("+")
    assert difference["note"] == "paired"


def test_a_plan_that_was_not_checked_says_what_it_asks_for(tmp_path):
    """Sealed alone."""
    base = table(1.5, 2)
    plan = assay.plan(base, name="gate", requirements=["auc >= 0.7"], actual="y", score="p")
    with assay.ledger(tmp_path / "ledger.db") as book:
        book.append("plan", {"name": plan.name, "sha256": plan.sha256, "plan": plan.to_dict()})
        (shown,) = page_of(book)["plans"]
    assert shown["checks"] == []
    assert shown["requirements"] == ["auc >= 0.7"]
    assert shown["sealed"]


@pytest.mark.parametrize(
    "payload",
    [{}, {"plan": 3, "requirements": "x"}, {"sha256": None, "looks": "many", "requirements": [1, {}]}],
)
@pytest.mark.parametrize("kind", ["plan", "check", "note"])
def test_entries_of_any_content_end_nothing(tmp_path, kind, payload):
    """Another version may write other fields."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        book.append(kind, payload)
        assert len(page_of(book)["plans"]) == (kind != "note")
