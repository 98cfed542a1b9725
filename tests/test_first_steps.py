"""What a newcomer meets first: help(), completion, and a type checker that knows the names."""

import inspect
import os
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import assay

SCRIPT = """
import assay
from assay.metrics import auc

assay.evalute(actual=[0, 1], predicted=[0, 1])
assay.evaluate(actual=[0, 1], predicted=[0, 1], task="binray")
assay.compare(actual=[0, 1], predicted={"a": [0, 1], "b": [1, 1]}, task="binray")
assay.crossval(None, [], [], task="binray")
area: float = auc(assay.rows(actual=[0, 1], score=[0.1, 0.9]))
ev = assay.evaluate(actual=[0, 1], score=[0.1, 0.9])
recall: float = float(ev["recall"])
ev.chose_threshold()
ev.choose_threshold(bets="f1")
table: assay.CrossTable = ev.confusion
assay.decisions.choose_threshold(ev.rows, best="f1").threshold.real
assay.metrics.f1
"""
COMPLAINTS = {
    5: 'Module has no attribute "evalute"; maybe "evaluate"?',
    6: "\"Literal['binray']\"; expected \"Literal['binary', 'multiclass', 'ordinal'",
    7: "\"Literal['binray']\"; expected \"Literal['binary', 'multiclass', 'ordinal'",
    8: "\"Literal['binray']\"; expected \"Literal['binary', 'multiclass', 'ordinal'",
    9: 'expression has type "float | Undefined", variable has type "float"',
    12: '"Evaluation" has no attribute "chose_threshold"',
    13: 'Unexpected keyword argument "bets"',
}


def test_a_type_checker_finds_misspelt_names_and_tasks(tmp_path):
    """Mypy --strict, on a script of a user who has the package installed."""
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    source = str(Path(assay.__file__).parents[1])
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "script.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": source}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = [line.split(":", 2) for line in done.stdout.splitlines() if ": error:" in line]
    assert {int(line) for _, line, _ in errors} == set(COMPLAINTS), done.stdout + done.stderr
    for _, line, words in errors:
        assert COMPLAINTS[int(line)] in words


def test_help_of_the_package_is_short():
    """It explains the functions one needs first; all other names are in dir()."""
    text = pydoc.plain(pydoc.render_doc(assay))
    assert len(text.splitlines()) < 600
    assert "Evaluate the predictions of machine-learning models" in text
    assert {"Evaluation", "AssayError", "Confusion", "metrics"} <= set(dir(assay))


@pytest.mark.parametrize(
    "function",
    [
        assay.Evaluation.choose_threshold, assay.Evaluation.cross_fitted_threshold,
        assay.decisions.choose_threshold, assay.decisions.cross_fitted,
    ],
)  # fmt: skip
def test_help_names_the_criteria_of_a_threshold(function):
    """And not only that there are some."""
    parameters = inspect.signature(function).parameters
    assert {"best", "cost_fp", "min_recall", "capacity", "equal_error"} <= set(parameters)
    assert not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())


def test_names_of_metrics_are_completed():
    """In ev["<TAB>, cv["<TAB> and comparison["<TAB>."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 2, 40)
    scores = {name: rng.random(40) for name in ("old", "new")}
    ev = assay.evaluate(actual=actual, score=scores["new"], name="new")
    completed = ev._ipython_key_completions_()
    assert completed[: len(ev)] == list(ev)
    assert {metric.name for metric in assay.metrics.catalogue()} <= set(completed)
    assert all(isinstance(name, str) for name in completed)
    comparison = assay.compare(actual=actual, score=scores, metrics=["auc", "brier"])
    assert comparison._ipython_key_completions_() == ["auc", "brier"]


def test_an_evaluation_has_a_name_and_takes_a_chosen_threshold():
    """ev.name, ev.at(ev.choose_threshold(...))."""
    ev = assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.4, 0.35, 0.8], name="new")
    chosen = ev.choose_threshold(best="precision")
    assert ev.name == "new"
    assert ev.at(chosen).task.threshold == ev.at(chosen.threshold).task.threshold == 0.8
