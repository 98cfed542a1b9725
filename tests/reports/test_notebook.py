"""A notebook whose cells end with every kind of result, executed: each shows itself as HTML."""

import html
import pathlib

import nbconvert
import nbformat
import pytest
from nbconvert.preprocessors import ExecutePreprocessor
from support.browser import needs_chromium
from test_results import RESULTS

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


_TESTS = str(pathlib.Path(__file__).parents[1])
_EVERY = f"import sys\nsys.path.insert(0, {_TESTS!r})\nfrom test_results import RESULTS"


@pytest.fixture(scope="module")
def notebook():
    """Return the executed notebook: its setup, then a cell for each result."""
    return executed((_SETUP, *CELLS.values()))


@pytest.fixture(scope="module")
def every_result():
    """Return an executed notebook with a cell for each example of every class of results."""
    return executed((_EVERY, *(f"RESULTS[{name!r}]()" for name in RESULTS)))


def executed(codes):
    """Return a notebook of cells of code, executed."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes])
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


@pytest.mark.slow
def test_every_class_of_results_has_a_rich_form(every_result):
    """Whatever the package returns shows tables with its numbers, and no cell prints a warning or a trace."""
    for name, cell in zip(RESULTS, every_result.cells[1:], strict=True):
        (output,) = cell.outputs
        assert output.output_type == "execute_result", name
        assert any(tag in output.data["text/html"] for tag in ("<table", "<pre", "<p")), name
        assert any(sign.isdigit() for sign in output.data["text/html"]), name
        assert not output.data["text/plain"].startswith("<assay"), name


@pytest.mark.slow
@needs_chromium
def test_pages_run_within_an_exported_notebook(notebook, browser, tmp_path):
    """In the exported document every evaluation is a page that is drawn, whose slider moves its numbers."""
    text, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    path = tmp_path / "notebook.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.route("http*://**", lambda route: route.abort())
    harm = []
    page.on("pageerror", lambda error: harm.append(str(error)))
    page.goto(path.as_uri())
    frames = [frame for frame in page.frames if frame != page.main_frame]
    assert len(frames) == 5
    for frame in frames:
        frame.locator("h1").wait_for()
        assert frame.locator("section").count() >= 2
    binary = frames[0]
    before = binary.locator("[data-cell=tp] b").inner_text()
    box = binary.locator("input.exact")
    box.fill("0.9")
    box.press("Enter")
    assert binary.locator("[data-cell=tp] b").inner_text() != before
    assert harm == []
    page.close()
