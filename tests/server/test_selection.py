"""Tests of what is selected: search, filters and order."""

from collections import Counter

import pytest

import assay
from assay.server.run_index import RunIndex, key_of
from assay.server.selection import (
    Selection,
    better_direction,
    choices,
    known_metrics,
    main_metrics,
    sorted_runs,
)


@pytest.fixture(scope="module")
def runs(ledger_path):
    with assay.ledger(ledger_path, read_only=True) as book:
        index = RunIndex(book)
        index.refresh()
    return index.runs


def selected(runs, **given):
    return Selection.of({name: [value] for name, value in given.items()}).of_runs(runs)


def test_filters_select_what_they_say(runs):
    """Each filter, and several together, against a loop over all runs."""
    assert selected(runs) == runs
    assert selected(runs, model="forest") == [run for run in runs if run.model == "forest"]
    assert selected(runs, tag="nightly", model="baseline") == [run for run in runs if run.model == "baseline"]
    assert selected(runs, task="regression") == [run for run in runs if run.task == "regression"]
    assert selected(runs, test=runs[0].test) == runs[:2]
    assert selected(runs, since="2026-03-03", until="2026-03-04") == runs[4:8]
    assert selected(runs, until="2026-03") == [run for run in runs if run.time < "2026-04"]
    assert selected(runs, model="' OR 1=1 --") == []


def test_the_search_looks_for_every_word_anywhere(runs):
    """Words are found in any case in models, tags, numbers and test sets."""
    assert {run.model for run in selected(runs, q="FOREST nightly")} == {"forest"}
    assert [run.number for run in selected(runs, q="#14")] == [14]
    assert selected(runs, q=runs[3].test[:12]) == runs[2:4]
    assert selected(runs, q="forest release") == []


def test_long_names_are_selected_by_their_key(runs):
    """A name of 10,000 letters can be filtered by."""
    (long,) = [run for run in runs if len(run.model) > 5_000]
    assert selected(runs, model=key_of(long.model)) == [long]


def test_dates_that_are_none_filter_nothing(runs):
    """What a person mistypes shows all runs."""
    assert selected(runs, since="soon", until="9999-99-99x") == runs


def test_runs_are_sorted_and_those_without_a_value_are_last(runs):
    """In both orders."""
    for sign in ("", "-"):
        values = [run.estimates.get("auc", (None,))[0] for run in sorted_runs(runs, f"{sign}auc")]
        there = [value for value in values if value is not None]
        assert there == sorted(there, reverse=bool(sign))
        assert values[len(there) :] == [None] * 2
    assert [run.number for run in sorted_runs(runs, "-run")] == [run.number for run in reversed(runs)]
    assert sorted_runs(runs, "nonsense")[0].number in {run.number for run in runs}
    assert [run.model for run in sorted_runs(runs, "model")][-1] == "\u05d7\u05ea\u05d5\u05dc \u202e model"


def test_main_metrics_are_those_of_most_runs(runs):
    """Two classes come first here; a regression alone has its own."""
    assert main_metrics(runs, known_metrics(runs))[0] == "auc"
    numbers = [run for run in runs if run.task == "regression"]
    assert set(main_metrics(numbers, known_metrics(numbers))) <= set(numbers[0].estimates)
    assert main_metrics([], []) == []


def test_choices_are_counted(runs):
    """The most frequent first."""
    found = choices(Counter(tag for run in runs for tag in run.tags))
    assert found[0] == {"key": "nightly", "name": "nightly", "runs": 12}


def test_directions_are_those_of_the_metrics():
    """Unknown names have none."""
    assert [better_direction(name) for name in ("auc", "log_loss", "no such metric", "")] == [1, -1, 0, 0]
