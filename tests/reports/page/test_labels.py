"""Several labels or outputs on a page: a picker, whose pictures and numbers are those of ``ev.outputs``."""

import numpy as np
import pytest
from support.browser import cells_of, needs_chromium, seen, typed
from support.gallery import outputs, scored_labels

from assay.formatting.numbers import format_interval, format_value
from assay.reports.page.build import html_of, page_of
from assay.reports.page.label_data import wrong_together
from assay.reports.page.metric_cells import take_definitions

# The metrics of the chosen label: name, value and interval.
_PART = """() => Object.fromEntries([...document.querySelectorAll("tr[data-part-figure]")].map((row) =>
  [row.dataset.partFigure, [row.cells[1].textContent, row.cells[2].textContent]]))"""


def printed(ev):
    """Return the metrics of an evaluation as the page prints them."""
    return {
        name: [format_value(ev[name].value), format_interval(ev[name])]
        if ev[name].defined
        else ["\u2013", ""]
        for name in ev
    }


@pytest.mark.slow
@needs_chromium
def test_a_label_is_chosen_with_its_slider(opened):
    """Counts and metrics of the chosen label are those of its own evaluation, at any threshold."""
    ev = scored_labels(3)
    page = opened(ev.report)
    for label in ("label 0", "label 2"):
        page.get_by_label("Shown label").select_option(value=label)
        assert page.evaluate(_PART) == printed(ev.outputs[label])
        threshold = ev.outputs[label].tallies["scores"].scores.tolist()[120]
        typed(page, threshold)
        at = ev.outputs[label].at(threshold)
        assert seen(page)["cells"] == cells_of(at)
        shown, own = page.evaluate(_PART), printed(at)
        moving = ("precision", "recall", "specificity", "f1", "mcc", "accuracy")
        assert {name: shown[name] for name in moving} == {name: own[name] for name in moving}
        assert {name: one[:2] for name, one in seen(page)["figures"].items()} == printed(ev)
    page.wait_for_url(lambda url: "part=label+2" in url)


@pytest.mark.slow
@needs_chromium
def test_an_output_is_chosen(opened):
    """The metrics of the chosen output are those of its own evaluation; it has its pictures."""
    ev = outputs(3)
    page = opened(ev.report)
    page.get_by_label("Shown output").select_option(value="output 1")
    assert page.evaluate(_PART) == printed(ev.outputs["output 1"])
    assert page.locator("figure.chart").count() == 3


def test_many_labels_leave_the_smallest_out():
    """A page has pictures of the largest labels, and says how many it leaves out."""
    (model,) = page_of([scored_labels(45, 200)])["models"]
    assert (len(model["parts"]), model["parts_left_out"]) == (40, 5)
    assert len(model["classes"]["rows"]) == 45


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_of_wrong_labels_are_counted(weighted):
    """Rows that are wrong in both of two labels, counted one by one."""
    draw = np.random.default_rng(0)
    wrong = draw.random((80, 5)) < 0.3
    mass = draw.random(80) if weighted else None
    found = wrong_together(wrong, list("abcde"), mass)
    weights = [1.0] * 80 if mass is None else mass.tolist()
    for first, second, amount, expected in found["rows"]:
        i, j = "abcde".index(first), "abcde".index(second)
        both, one, other = (
            sum(w for w, row in zip(weights, wrong.tolist(), strict=True) if all(row[k] for k in chosen))
            for chosen in ((i, j), (i,), (j,))
        )
        assert amount == pytest.approx(both)
        assert expected == pytest.approx(one * other / sum(weights), abs=0.05)
    amounts = [row[2] for row in found["rows"]]
    assert amounts == sorted(amounts, reverse=True)
    assert len(amounts) + found["left_out"] == 10


def test_definitions_that_differ_stay_with_their_metric():
    """Only what two metrics of one name have in common is said once."""
    cells = [{"name": "f1", "label": label, "text": (None,) * 3} for label in ("F1", "F1", "F1 of a")]
    models = [{"metrics": [[cell]], "parts": []} for cell in cells]
    assert take_definitions(models) == {"f1": {"label": "F1"}}
    assert [model["metrics"][0][0].get("label") for model in models] == [None, None, "F1 of a"]


@needs_chromium
def test_the_chosen_label_is_named_on_paper(opened):
    """The choice itself is not printed: the heading says which label it is."""
    page = opened(scored_labels(3).report)
    page.get_by_label("Shown label").select_option(value="label 2")
    page.emulate_media(media="print")
    heading = page.locator("h2", has_text="One label")
    assert heading.inner_text() == "One label: \u2068label 2\u2069"


@pytest.mark.slow
def test_models_divide_the_labels_that_have_pictures():
    """A page of many models with many labels stays small: each has pictures of its largest labels."""
    several = [scored_labels(30, 200, name=f"model {k}") for k in range(16)]
    page = html_of(several)
    assert len(page.encode()) < 1_500_000
    models = page_of(several)["models"]
    assert [(len(model["parts"]), model["parts_left_out"]) for model in models] == [(2, 28)] * 16
