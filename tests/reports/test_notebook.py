"""A notebook whose cells end with every kind of result, executed: each shows itself as HTML."""

import html

import nbconvert
import nbformat
import pytest
from nbconvert.preprocessors import ExecutePreprocessor

_SETUP = """
import numpy as np
import assay
draw = np.random.default_rng(0)
actual = (draw.random(300) < 0.4).astype(int)
score = np.clip(0.3 * actual + 0.7 * draw.random(300), 0, 1)
other = np.clip(0.2 * actual + 0.8 * draw.random(300), 0, 1)
ev = assay.evaluate(actual=actual, score=score, by=np.where(np.arange(300) % 2, "odd", "even"))
"""
CELLS = {
    "two classes": "ev",
    "classes": 'many = assay.evaluate(actual=list("abcab" * 20), predicted=list("abcba" * 20))\nmany',
    "labels": 'assay.evaluate(actual=[["a"], ["a", "b"], []] * 20, predicted=[["a"], ["b"], ["b"]] * 20)',
    "numbers": "assay.evaluate(actual=draw.normal(size=90), predicted=draw.normal(size=90))",
    "lists": "assay.evaluate(actual=actual, score=score, query=np.arange(300) // 10)",
    "table of classes": "many.classes",
    "counts": "many.confusion",
    "slices": "ev.slices",
    "errors": "ev.errors(n=3)",
    "threshold": 'ev.choose_threshold(best="f1")',
    "comparison": "assay.compare(actual=actual, score={'first': score, 'second': other})",
}


@pytest.fixture(scope="module")
def notebook():
    """Return the executed notebook: its setup, then a cell for each result."""
    cells = [nbformat.v4.new_code_cell(code) for code in (_SETUP, *CELLS.values())]
    made = nbformat.v4.new_notebook(cells=cells)
    kernel = ExecutePreprocessor(timeout=600, startup_timeout=600, kernel_name="python3")
    kernel.preprocess(made, {})
    return made


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(CELLS)), ids=list(CELLS))
def test_every_result_shows_itself(notebook, place):
    """The output of each cell is one result with text and tables; that of an evaluation is the page as well."""
    (output,) = notebook.cells[place + 1].outputs
    assert output.output_type == "execute_result"
    shown = output.data["text/html"]
    assert "<table" in shown
    assert "object at 0x" not in output.data["text/plain"]
    is_evaluation = list(CELLS)[place] in ("two classes", "classes", "labels", "numbers", "lists")
    assert is_evaluation == shown.startswith("<iframe sandbox")
    if is_evaluation:
        assert html.unescape(shown.split('srcdoc="')[1]).startswith("<!doctype html>")


@pytest.mark.slow
def test_the_notebook_is_exported(notebook):
    """The exported document holds the pages as frames, sandboxed like in the notebook."""
    text, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert text.count('sandbox="allow-scripts allow-downloads"') == 5
