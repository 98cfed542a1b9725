"""Pages of every kind of data in a real browser: no complaint, nothing empty, and Python's numbers."""

import itertools

import pytest
from support.browser import needs_chromium, seen
from support.gallery import GALLERY, binary, classes
from support.page_numbers import holds_tables

import assay
from assay.formatting.numbers import format_interval, format_value
from assay.reports.page.model_data import model_data

pytestmark = needs_chromium

# What has a heading has something below it that is seen; what has a table has rows; names are not stacks of letters.
_EMPTY = """() => {
  const visible = (node) => node.getClientRects().length && node.getBoundingClientRect().height > 4;
  const wrong = [];
  for (const part of document.querySelectorAll("section")) {
    const rest = [...part.children].slice(1).filter(visible);
    if (!rest.some((node) => node.textContent.trim() || node.querySelector("svg"))) wrong.push(part.textContent);
  }
  for (const head of document.querySelectorAll("h3")) {
    const next = head.nextElementSibling;
    if (!head.closest(".card") && !(next && visible(next))) wrong.push(`h3 ${head.textContent}`);
  }
  for (const table of document.querySelectorAll("table"))
    if (!table.tBodies.length || !table.tBodies[0].rows.length) wrong.push(`table ${table.className}`);
  for (const chart of document.querySelectorAll("figure.chart svg .plot"))
    if (!chart.children.length) wrong.push("an empty chart");
  for (const select of document.querySelectorAll("select")) if (!select.options.length) wrong.push("nothing to choose");
  for (const name of document.querySelectorAll("th[scope=row]")) {
    const box = name.getBoundingClientRect();
    if (visible(name) && name.textContent.length > 3 && box.width < 24) wrong.push(`stack ${name.textContent}`);
  }
  return wrong;
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return a function from a name of the gallery to its evaluations and the path of their page, made once."""
    folder, made = tmp_path_factory.mktemp("gallery"), {}

    def page(name):
        if name not in made:
            several = GALLERY[name]()
            made[name] = several, assay.report(several, folder / f"{len(made)}.html")
        return made[name]

    return page


@pytest.mark.slow
@pytest.mark.parametrize("name", GALLERY)
def test_pages_are_full_and_true(opened, pages, name):
    """On a desk and on a phone, light, dark and printed, nothing is empty, and all metrics are Python's."""
    several, path = pages(name)
    assert path.stat().st_size < 1_500_000
    for width, scheme in ((1280, "light"), (390, "dark")):
        page = opened(lambda _: path, width=width, color_scheme=scheme)
        assert page.evaluate(_EMPTY) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("window.harmed") is None
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1_000})
    assert page.evaluate(_EMPTY) == []
    page.emulate_media(media="screen")
    radios = page.get_by_role("radio").all()
    for at, ev in enumerate(several):
        if radios:
            radios[at].check()
        _holds_metrics(page, ev)
        holds_tables(page, ev, several)


def _holds_metrics(page, ev):
    """Hold the table of all metrics against the evaluation."""
    figures = seen(page)["figures"]
    if "confusion" in ev.tallies or ev.task.name != "binary" or "scores" not in ev.tallies:
        assert set(figures) == set(ev)
    for name in set(figures) & set(ev):
        estimate = ev[name]
        value = format_value(estimate.value) if estimate.defined else "\u2013"
        assert figures[name][:2] == [value, format_interval(estimate) if estimate.defined else ""]


def test_classes_are_chosen_for_their_curves(opened):
    """Choosing a class draws its curves, with the AUC that Python has of it against the rest."""
    (ev,) = GALLERY["9 classes"]()
    page = opened(ev.report)
    tally = ev.tallies["class_scores"]
    for label in ("class 3", "class 8"):
        page.get_by_label("Class", exact=True).select_option(value=label)
        area = assay.estimate("auc", tally.against_rest(label))
        text = page.locator(
            'section:has(h2 > button:text-is("Each class against the rest")) figcaption'
        ).first.inner_text()
        assert f"AUC {format_value(area.value)} {format_interval(area)}" in text
        assert label in text


def test_the_table_of_counts_is_sorted_and_shared(opened):
    """Counts, shares and both orders of the classes are those of the cross table."""
    (ev,) = GALLERY["9 classes"]()
    page = opened(ev.report)
    cells = [
        [cell.strip() for cell in row.locator("td.cell b").all_inner_texts()]
        for row in page.locator("table.matrix tbody tr").all()[:-1]
    ]
    table = ev.tallies["confusion"].table()
    assert cells == [[f"{count:,}" for count in row] for row in table.tolist()]
    page.get_by_label("in the order of").select_option(value="errors")
    wrong = table.sum(1) - table.diagonal()
    first = page.locator("table.matrix tbody th").first.inner_text()
    assert wrong[ev.tallies["confusion"].labels.index(first)] == wrong.max()
    pairs = model_data(ev, (), 100)["confused"]["rows"]
    off = [(count, i, j) for i, row in enumerate(table.tolist()) for j, count in enumerate(row) if i != j]
    assert pairs[0][2] == max(off)[0]


def test_tiny_probabilities_are_reached_by_the_mouse(opened):
    """Scores up to 1e-4 have an axis of powers of ten, along which the slider reaches all of them."""
    (ev,) = GALLERY["tiny probabilities"]()
    page = opened(ev.report)
    box = page.get_by_role("slider").bounding_box()
    known = ev.tallies["scores"].scores
    reached = []
    for share in (0.3, 0.5, 0.7, 0.9):
        page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        reached.append(int(page.get_by_role("slider").get_attribute("data-at")))
    assert all(b - a > len(known) / 50 for a, b in itertools.pairwise(reached))


def test_large_numbers_on_axes_are_written_in_thousands(opened):
    """Prices have ticks of whole thousands, which the name of the axis says; their bars hold all rows."""
    (ev,) = GALLERY["house prices"]()
    page = opened(ev.report)
    chart = page.locator("figure.chart", has_text="Predicted and actual")
    texts = chart.locator("svg .axes text").all_text_contents()
    assert {"actual (thousands)", "predicted (thousands)"} <= set(texts)
    ticks = [float(text.replace(",", "")) for text in texts if text[:1].isdigit()]
    assert max(ticks) * 1_000 > ev.rows.actual.values.max() / 2
    assert all(tick == int(tick) for tick in ticks)


def test_the_leaderboard_fits_a_phone(opened):
    """What the tests say of each model is read without scrolling sideways."""
    page = opened(lambda path: assay.report(GALLERY["12 models"](), path), width=390)
    boxes = [cell.bounding_box() for cell in page.locator("table.board tbody td:last-child").all()]
    assert len(boxes) == 12
    assert all(box["x"] + box["width"] <= 390 and box["height"] < 90 for box in boxes)


def test_the_slider_claims_no_more_scores_than_there_are(opened):
    """Round thresholds are steps of the slider besides the scores: with few scores there are more steps."""
    actual, score = binary(1_390)
    ev = assay.evaluate(actual=actual, score=score)
    live = model_data(ev, (), 1_200)["live"]
    assert len(live["cutoffs"]) > live["distinct"] == len(set(score))
    page = opened(ev.report)
    words = page.locator(".threshold").inner_text()
    assert f"The slider has {len(live['cutoffs']):,} steps; there are 1,390 distinct scores." in words


@pytest.mark.slow
@pytest.mark.parametrize(("size", "printed"), [(50, 50), (300, 40)])
def test_paper_has_all_classes_or_says_how_many_it_lacks(opened, size, printed):
    """A table of up to a hundred lines is printed whole; of a longer one paper says that it is not."""
    page = opened(classes(size, 3_000).report)
    assert page.locator("table.slices tbody tr").count() == 40
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("table.slices tbody tr").count() == printed
    said = page.locator("p.printed").all_inner_texts()
    assert said == (
        [""] if size == 50 else ["The first 40 of 300 are printed; the page itself has all of them."]
    )


def test_slices_without_a_name_are_named_by_their_labels(opened):
    """An array of slices has no column name: lines are called by the labels alone, the worst first."""
    (ev,) = GALLERY["2 slices"]()
    page = opened(ev.report)
    part = page.locator("section", has=page.get_by_role("heading", name="Slices", exact=True))
    assert part.locator("tbody th").all_inner_texts() == ["all rows", "part 0", "part 1"]
    assert "By by" not in part.inner_text()
