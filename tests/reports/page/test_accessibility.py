"""The page in use: by touch, by keyboard, by a screen reader, on narrow screens, on paper, with bad entries."""

import itertools
import re

import numpy as np
import pytest
from support.browser import agrees, needs_chromium, seen, spread

import assay

pytestmark = [needs_chromium, pytest.mark.slow]

ACTUAL, SCORE = spread(500, seed=11)
DRAW = np.random.default_rng(12)
CLASSES = np.array([f"class {k}" for k in range(30)])
LONG = np.array(["a" * 10_000, "b\u202e\u2028<!--</script>" * 400])


def plain():
    return assay.evaluate(
        actual=ACTUAL, score=SCORE.round(3), name="first", by=np.where(DRAW.random(500) < 0.5, "odd", "even")
    )


def pages():
    """Return what writes a page of every kind."""
    several = DRAW.integers(0, 30, 500)
    both = DRAW.integers(0, 2, (90, 3))
    first = plain()
    return {
        "plain": lambda path: first.report(path, errors=first.errors(n=3)),
        "models": lambda path: assay.report([first, assay.evaluate(actual=ACTUAL, score=1 - SCORE)], path),
        "classes": assay.evaluate(actual=CLASSES[several], predicted=CLASSES[several[::-1]]).report,
        "numbers": assay.evaluate(actual=SCORE, predicted=np.sqrt(SCORE)).report,
        "lists": assay.evaluate(actual=ACTUAL, score=SCORE, query=np.arange(500) // 10, k=3).report,
        "sets": assay.evaluate(actual=both, predicted=both[::-1], task="multilabel").report,
        "weights": assay.evaluate(actual=ACTUAL, score=SCORE, weight=SCORE + 1).report,
        "long labels": assay.evaluate(
            actual=LONG[ACTUAL], score=SCORE, positive=LONG[1], name=LONG[1], group=np.arange(500) % 30
        ).report,
    }


PAGES = pages()


@pytest.mark.parametrize("kind", PAGES)
def test_no_kind_of_page_is_wider_than_a_phone(opened, kind):
    """At 320, 390 and 768 pixels nothing reaches beyond the screen, but within boxes that scroll themselves."""
    page = opened(PAGES[kind], width=320)
    for width in (320, 390, 768):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.harmed") is None


_UNLABELLED = """() => [...document.querySelectorAll("input, button, [role=img], [role=region], [tabindex]")].filter((one) =>
    !(one.ariaLabel || one.labels?.[0]?.textContent.trim() || one.textContent.trim())).map((one) => one.outerHTML)"""
_DOUBLE = """() => { const all = [...document.querySelectorAll("[id]")].map((one) => one.id);
    return all.filter((id, place) => all.indexOf(id) !== place); }"""
_DANGLING = """() => [...document.querySelectorAll("[aria-labelledby], [aria-describedby], label[for]")].filter((one) =>
    !document.getElementById(one.getAttribute("aria-labelledby") ?? one.getAttribute("aria-describedby") ?? one.htmlFor)).length"""


@pytest.mark.parametrize("kind", PAGES)
def test_everything_has_a_name_and_headings_descend(opened, kind):
    """Controls, pictures and regions are named, ids are one each, and no level of headings is left out."""
    page = opened(PAGES[kind])
    assert page.evaluate(_UNLABELLED) == []
    assert page.evaluate(_DOUBLE) == []
    assert page.evaluate(_DANGLING) == 0
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert page.evaluate("[...document.querySelectorAll('th')].every((one) => one.scope)")
    assert page.evaluate("document.documentElement.lang") == "en"


_CONTRASTS = """() => {
  const numbers = (text) => {
    const found = text.match(/[\\d.]+/g).map(Number);
    return text.startsWith("color(") ? [...found.slice(0, 3).map((x) => 255 * x), found[3] ?? 1] : [...found.slice(0, 3), found[3] ?? 1];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  const found = [];
  const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || node.closest(".tip, .hidden, :disabled, title")) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(numbers(node instanceof SVGElement ? style.fill : style.color)), light(behind(node))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.outerHTML.slice(0, 120)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["plain", "classes", "models"])
def test_text_stands_out_from_its_ground(opened, kind, scheme):
    """Every text has a contrast of 4.5 to 1 or more (WCAG 2.2, 1.4.3), on shaded cells too."""
    page = opened(PAGES[kind], color_scheme=scheme)
    found = page.evaluate(_CONTRASTS)
    assert len(found) > 100
    assert [one for one in found if one[0] < 4.5] == []


def test_touch_moves_the_slider(opened):
    """On a phone a tap on the track moves counts and markers, and the thumb is under its line."""
    ev = plain()
    page = opened(ev.report, width=390, has_touch=True, is_mobile=True)
    slider = page.get_by_role("slider")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    shows = seen(page)
    assert 0.7 < float(shows["box"]) < 0.8
    agrees(page, ev.at(float(shows["box"])))
    assert shows["cut"] == pytest.approx(box["x"] + 0.75 * box["width"], abs=6)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_tabulator_walks_through_the_controls_in_order(opened):
    """Tab reaches colours, slider, box, costs and headings that sort, as they stand; each shows its focus."""
    ev = plain()
    page = opened(ev.report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "theme"
    boxes, names = [], []
    for _ in range(60):
        page.keyboard.press("Tab")
        box, name, outline = page.evaluate(
            """() => { const one = document.activeElement, box = one.getBoundingClientRect();
               return [{ top: box.top + scrollY, left: box.left, right: box.right },
               one.type ?? one.className, getComputedStyle(one).outlineStyle]; }"""
        )
        if name is None or box["top"] == 0:
            break
        boxes.append(box)
        names.append(name)
        assert outline != "none", name
    assert names.count("range") == 1
    assert names.index("range") < names.index("number")
    assert {"word", "button", "scroll"} <= set(names)
    for before, after in itertools.pairwise(boxes):  # further down, or the next column
        assert after["top"] > before["top"] - 60 or after["left"] >= before["right"]


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("fp", "-1"),
        ("fp", ""),
        ("fp", "e"),
        ("fn", "1e400"),
        ("prevalence", "0"),
        ("prevalence", "100"),
        ("prevalence", "-3"),
    ],
)
def test_bad_entries_are_told_and_change_nothing(opened, field, bad):
    """A cost below 0, none, or a prevalence that is none is marked, explained, and leaves the numbers alone."""
    page = opened(plain().report)
    before = page.locator("dl.outputs").inner_text()
    entry = page.locator(f'[data-field="{field}"]')
    entry.focus()
    entry.press("Control+a")
    entry.press("Delete")
    page.keyboard.type(bad)
    assert entry.get_attribute("aria-invalid") == "true"
    told = page.locator(f"#{entry.get_attribute('aria-describedby')}")
    assert told.is_visible()
    if field != "prevalence" and "1e4" not in bad:  # which were good until the last letter
        assert page.locator("dl.outputs").inner_text() == before
    entry.fill("3")
    assert entry.get_attribute("aria-invalid") == "false"
    assert not told.is_visible()
    assert page.locator("dl.outputs").inner_text() != before


def test_costs_that_are_nothing_are_refused_together(opened):
    """One error may be free, but not both."""
    page = opened(plain().report)
    page.locator('[data-field="fp"]').fill("0")
    assert page.locator('[data-field="fp"]').get_attribute("aria-invalid") == "false"
    page.locator('[data-field="fn"]').fill("0")
    assert page.locator('[data-field="fn"]').get_attribute("aria-invalid") == "true"


def test_a_bad_threshold_gives_way_to_the_one_that_is(opened):
    """What is no number, or nothing, is replaced by where the slider is; what is beyond goes to the end."""
    page = opened(plain().report)
    box = page.locator(".controls input")
    for bad in ("", "e"):
        box.focus()
        box.press("Control+a")
        box.press("Delete")
        page.keyboard.type(bad)
        box.press("Enter")
        box.blur()
        assert box.input_value() == "0.5"
    box.fill("-7")
    box.press("Enter")
    assert float(box.input_value()) == SCORE.round(3).min()
    box.fill("7")
    box.press("Enter")
    assert seen(page)["slider"] == "above all scores"
    assert box.input_value() == ""


def test_what_was_typed_in_stays_with_another_model(opened):
    """Costs and prevalence are about the use, not about the model."""
    other = assay.evaluate(actual=ACTUAL, score=SCORE**2, name="second")
    page = opened(lambda path: assay.report([plain(), other], path))
    page.locator('[data-field="fn"]').fill("9")
    page.locator('[data-field="prevalence"]').fill("2.5")
    page.get_by_role("radio").nth(1).check()
    assert page.locator('[data-field="fn"]').input_value() == "9"
    assert page.locator('[data-field="prevalence"]').input_value() == "2.5"
    (_, fp), (fn, _) = assay.plots.thin_scores.two_by_two(other.tallies["confusion"], (0, 1))
    positives = int(ACTUAL.sum())
    cost = 1000 * (fp / (500 - positives) * 0.975 + 9 * fn / positives * 0.025)
    assert page.locator('[data-output="cost"]').inner_text() == f"{cost:.1f}"
    assert page.get_by_role("radio").nth(1).evaluate("(one) => one === document.activeElement")


def test_predictive_values_of_rows_in_groups_have_no_interval_that_ignores_them(opened):
    """At a prevalence that is typed in, rows in groups and with weights show the value alone."""
    for ev in (
        assay.evaluate(actual=ACTUAL, score=SCORE, group=np.arange(500) % 30),
        assay.evaluate(actual=ACTUAL, score=SCORE, weight=SCORE + 1),
    ):
        page = opened(ev.report)
        page.locator('[data-field="prevalence"]').fill("5")
        value = ev.estimate("precision_at_prevalence", prevalence=0.05).value
        assert page.locator('[data-output="ppv"]').inner_text() == f"{value:.4f}"


def test_slices_sort_numbers_as_numbers(opened):
    """Tiny, infinite and missing values are in their order, missing ones last both ways; names count, too."""
    values = [0.00001, 12.5, None, np.inf, -3.0, 0.5, None]
    slices = [
        {"name": f"slice {k}", "n": 10**k, "metrics": {"mean_error": [one, None, None]}}
        for k, one in enumerate(values)
    ]
    page = opened(lambda path: plain().report(path, slices=slices))
    order = lambda: [text[-1] for text in page.locator("table.slices tbody th").all_inner_texts()]  # noqa: E731
    heading = page.get_by_role("button", name="mean error")
    heading.click()
    assert "".join(order()) == "4051326"
    heading.click()
    assert "".join(order()) == "3150426"
    page.locator("table.slices").get_by_role("button", name="rows").click()
    assert "".join(order()) == "0123456"
    heading.focus()
    page.keyboard.press("Enter")
    assert "".join(order()) == "4051326"


def test_explanations_of_the_last_figure_are_not_cut_off(opened):
    """The tooltip of the table's last line lies within the page, and above what is below."""
    page = opened(plain().report)
    word = page.locator("table.stacked .word").last
    word.focus()
    tip = page.locator("table.stacked .tip").last
    box = tip.bounding_box()
    on_top = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).className", [box["x"] + 5, box["y"] + box["height"] - 5]
    )
    assert on_top == "tip"


@pytest.mark.parametrize("kind", PAGES)
def test_paper_has_all_of_it(opened, kind):
    """A page prints to a few sheets: unfolded, without controls, and in the colours of paper."""
    page = opened(PAGES[kind], color_scheme="dark")
    sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", print_background=True)))
    assert 1 <= sheets <= 12
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("button.theme").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("dl.computed").count() > 0
    assert all(part.is_visible() for part in page.locator("dl.computed").all())
