"""The page in a real browser: what the slider does, what is blocked, and that it is quick."""

import numpy as np
import pytest
from support.browser import agrees, cpu_seconds, needs_chromium, seen, spread, typed

import assay
from assay.formatting.numbers import format_interval, format_value

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (requirements/dev.lock)")
pytestmark = needs_chromium

HOSTILE = ("<script>window.harmed=1</script>", '"><img src=x onerror="window.harmed=1">')


@pytest.fixture(scope="module")
def evaluation():
    actual, score = spread(800)
    return assay.evaluate(actual=actual, score=score.round(3), name="example", beta=2)


def cells(page):
    return {name: int(text.replace(",", "")) for name, text in seen(page)["cells"].items()}


def counts(ev, threshold):
    rows = ev.source_rows
    actual, above = rows.actual.values, rows.score.values >= threshold
    return {
        "tp": int((above & (actual == 1)).sum()),
        "fp": int((above & (actual == 0)).sum()),
        "fn": int((~above & (actual == 1)).sum()),
        "tn": int((~above & (actual == 0)).sum()),
    }


def test_typed_thresholds_agree_with_python(opened, evaluation):
    """At twenty thresholds counts, figures, intervals and markers are those of Python, digit by digit."""
    page = opened(evaluation.report)
    agrees(page, evaluation.at(0.5))
    known = evaluation.tallies["scores"].scores
    for threshold in np.random.default_rng(5).choice(known, 20, replace=False).tolist():
        typed(page, threshold)
        agrees(page, evaluation.at(threshold))
    page.get_by_role("button", name="Back to the start").click()
    agrees(page, evaluation.at(0.5))


def test_keys_move_the_slider_cutoff_by_cutoff(opened, evaluation):
    """Arrows reach the next cutoff, Home and End the extremes, page keys a twentieth of the way."""
    page = opened(evaluation.report)
    slider = page.get_by_role("slider")
    slider.focus()
    known = evaluation.tallies["scores"].scores.tolist()
    above = min(score for score in known if score > 0.5)
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == f"{above:g}"
    agrees(page, evaluation.at(above))
    page.keyboard.press("ArrowRight")
    agrees(page, evaluation.at(known[known.index(above) + 1]))
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    agrees(page, evaluation.at(max(score for score in known if score < 0.5)))
    page.keyboard.press("Home")
    agrees(page, evaluation.at(known[0]))
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "above all scores"
    assert cells(page)["tp"] == cells(page)["fp"] == 0
    page.keyboard.press("ArrowLeft")
    agrees(page, evaluation.at(known[-1]))
    page.keyboard.press("PageDown")
    agrees(page, evaluation.at(known[-1 - -(-(len(known) + 1) // 20)]))
    page.wait_for_function("document.querySelector('[data-said]').textContent.startsWith('Threshold')")


def test_the_mouse_drags_the_slider(opened, evaluation):
    """The thumb is dragged along the distributions; the line above it is where the thumb is."""
    page = opened(evaluation.report)
    box = page.get_by_role("slider").bounding_box()
    middle = box["y"] + box["height"] / 2
    start = page.locator("line.cut").bounding_box()
    page.mouse.move(start["x"], middle)
    page.mouse.down()
    for share in (0.6, 0.7, 0.8):
        page.mouse.move(box["x"] + share * box["width"], middle)
    page.mouse.up()
    cut = page.locator("line.cut").bounding_box()
    assert cut["x"] == pytest.approx(box["x"] + 0.8 * box["width"], abs=4)
    place = int(page.get_by_role("slider").get_attribute("data-at"))
    known = sorted([*evaluation.tallies["scores"].scores.tolist(), 0.5])
    known = list(dict.fromkeys(known))
    assert known[place] > 0.7
    agrees(page, evaluation.at(known[place]))


def test_costs_and_prevalence_are_typed_in(opened, evaluation):
    """The cheapest threshold is Python's, and predictive values at a prevalence have its digits."""
    page = opened(evaluation.report)
    page.locator('[data-field="fp"]').fill("5")
    page.locator('[data-field="fn"]').fill("2")
    page.get_by_role("button", name="Go to the cheapest threshold").click()
    best = assay.decisions.choose_threshold(evaluation.tallies["scores"], cost_fp=5, cost_fn=2)
    now = cells(page)
    wanted = counts(evaluation, best.threshold)
    assert 5 * now["fp"] + 2 * now["fn"] == 5 * wanted["fp"] + 2 * wanted["fn"]
    cost = 1000 * (5 * now["fp"] + 2 * now["fn"]) / 800
    assert page.locator('[data-output="cost"]').inner_text() == f"{cost:.1f}"
    page.locator('[data-field="prevalence"]').fill("2.5")
    known = evaluation.tallies["scores"].scores.tolist()
    for threshold in [0.5, known[0], known[40], known[-1], known[-30], *known[100:600:50]]:
        typed(page, threshold)
        at = evaluation.at(threshold)
        for name, metric in (("ppv", "precision_at_prevalence"), ("npv", "npv_at_prevalence")):
            estimate = at.estimate(metric, prevalence=0.025)
            said = page.locator(f'[data-output="{name}"]').inner_text()
            if estimate.defined:
                assert said == f"{format_value(estimate.value)} {format_interval(estimate)}", (
                    threshold,
                    name,
                )
            else:
                assert said.startswith("undefined")
    page.locator('[data-field="prevalence"]').fill("250")
    assert page.locator('[data-field="prevalence"]').get_attribute("aria-invalid") == "true"


def test_hostile_labels_do_nothing_but_show(opened):
    """Labels that are markup are text, in tables, charts, attributes and lists."""
    actual, score = spread(200)
    names = np.array(HOSTILE)
    ev = assay.evaluate(actual=names[actual], score=score, positive=HOSTILE[1], name=HOSTILE[0])
    slices = [{"name": word, "n": 9, "metrics": {"recall": [0.5, 0.2, 0.8]}} for word in HOSTILE]
    errors = [{word: word for word in HOSTILE}]
    page = opened(lambda path: assay.report([ev, ev], path, slices=slices, errors=errors))
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("window.harmed") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert HOSTILE[0] in page.locator("h1").inner_text()
    assert page.locator("table.matrix thead th").nth(1).inner_text() == HOSTILE[1]
    page.get_by_role("radio").nth(1).check()
    assert page.locator("table.matrix thead th").nth(0).inner_text() == HOSTILE[0]


def test_the_policy_blocks_what_is_not_ours(opened, evaluation):
    """Handlers, scripts and styles that got into the file all the same are refused by the browser."""
    foreign = (
        "<button onclick='window.harmed = 1'>press</button><script>window.harmed = 2</script>"
        "<style>h1 { display: none }</style><p style='display: none' id='styled'>seen</p>"
        "<img src='https://example.org/x.png' onerror='window.harmed = 3'>"
    )

    def write(path):
        text = evaluation.report(path).read_text(encoding="utf-8")
        path.write_text(text.replace("<main", f"{foreign}<main", 1), encoding="utf-8")
        return path

    page = opened(write)
    page.get_by_role("button", name="press").click()
    assert page.evaluate("window.harmed") is None
    assert page.locator("h1").is_visible()
    assert page.locator("#styled").is_visible()
    with pytest.raises(playwright.Error, match="TrustedHTML"):
        page.evaluate("() => { document.body.innerHTML = '<b>text</b>'; }")
    page.evaluate("() => fetch('https://example.org/').catch(() => {})")
    refused = [text for text in page.said if "Content Security Policy" in text]
    assert len(refused) >= 6
    assert page.refused == ["csp"]  # the picture's: nothing was sent
    assert len(page.evaluate("breaches.splice(0)")) >= 6
    page.said.clear()  # the browser told of each refusal
    page.asked.clear()


def test_given_predictions_that_no_cutoff_makes_are_shown_first(opened):
    """The table of given predictions stands until the slider is moved, and comes back on demand."""
    actual, score = spread(300)
    ev = assay.evaluate(actual=actual, score=score, predicted=1 - actual)
    page = opened(ev.report)
    assert cells(page) == {"tp": 0, "fp": int((actual == 0).sum()), "fn": int(actual.sum()), "tn": 0}
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert cells(page)["tp"] > 0
    page.get_by_role("button", name="Back to the start").click()
    assert cells(page)["tp"] == 0


def test_slices_are_sorted_by_any_column(opened, evaluation):
    """A click on a heading sorts, another turns it round; what has no value comes last."""
    slices = [
        {"name": f"slice {place}", "n": rows, "metrics": {"recall": limits}}
        for place, (rows, limits) in enumerate(
            [(5, [0.5, 0.4, 0.6]), (50, [None, None, None]), (7, [0.2, 0.1, 0.3])]
        )
    ]
    page = opened(lambda path: evaluation.report(path, slices=slices))
    names = lambda: page.locator("table.slices tbody th").all_inner_texts()  # noqa: E731
    page.get_by_role("button", name="recall (TPR)").click()
    assert names() == ["slice 2", "slice 0", "slice 1"]
    page.get_by_role("button", name="recall (TPR)").click()
    assert names() == ["slice 0", "slice 2", "slice 1"]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.locator("table.slices").get_by_role("button", name="rows").click()
    assert names() == ["slice 0", "slice 2", "slice 1"]


def test_meanings_show_on_hover_and_on_focus(opened, evaluation):
    """A figure's meaning is a tooltip for the mouse and the keyboard; Escape puts it away."""
    page = opened(evaluation.report)
    word = page.locator('tr[data-figure="precision"] .word')
    tip = page.locator(f"#{word.get_attribute('aria-describedby')}")
    assert tip.inner_text() == "" or not tip.is_visible()
    word.focus()
    assert tip.is_visible()
    assert tip.inner_text() == assay.metrics.find("precision").meaning
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.locator("h1").hover()
    page.locator('tr[data-figure="recall"] .word').hover()
    assert page.locator('tr[data-figure="recall"] .tip').is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1180])
def test_no_width_scrolls_sideways(opened, evaluation, width):
    """On a phone, a tablet and a desk the page is as wide as the screen, in light and in dark."""
    for scheme in ("light", "dark"):
        page = opened(evaluation.report, color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 740})
        page.reload()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
        page.get_by_role("button", name="Colours").click()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.reload()


@pytest.mark.slow
def test_a_million_distinct_scores_open_within_a_second(opened, tmp_path):
    """The page of a large tally is drawn in under a second of CPU time, and a step of the slider in a blink."""
    actual, score = spread(1_000_000)
    ev = assay.evaluate(actual=actual, score=score)
    page = opened(ev.report)
    before = cpu_seconds(page)
    page.reload()
    page.get_by_role("slider").wait_for()
    drawn = cpu_seconds(page)
    assert 0 < drawn - before < 1
    page.evaluate(
        """() => {
            const slider = document.querySelector("input[type=range]");
            for (let k = 0; k < 100; k++) slider.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", cancelable: true }));
        }"""
    )
    assert 0 < cpu_seconds(page) - drawn < 100 * 0.03


@pytest.mark.slow
def test_every_kind_is_drawn_without_a_word_of_complaint(opened):
    """Pages of all kinds of problems open, have a heading and their figures, and no error is logged."""
    draw = np.random.default_rng(1)
    actual, score = spread(300)
    several = draw.integers(0, 30, 300)
    names = np.array([f"class {k}" for k in range(30)])[several]
    numbers = draw.normal(size=300)
    for ev in (
        assay.evaluate(actual=actual, predicted=1 - actual),
        assay.evaluate(actual=actual, score=10 * score - 3),
        assay.evaluate(actual=actual, score=np.where(score > 0.9, np.inf, score)),
        assay.evaluate(
            actual=actual, score=np.where(score > 0.9, np.inf, np.where(score < 0.1, -np.inf, score))
        ),
        assay.evaluate(actual=actual, score=np.full(300, 0.5)),
        assay.evaluate(actual=actual, score=score, group=np.arange(300) % 30),
        assay.evaluate(actual=actual, score=score, weight=score + 1),
        assay.evaluate(actual=names, predicted=names[::-1]),
        assay.evaluate(actual=numbers, predicted=numbers[::-1]),
        assay.evaluate(actual=actual, score=score, query=np.arange(300) // 10, k=3),
    ):
        page = opened(ev.report)
        assert page.locator("h1").inner_text() == ev.task.title
        assert set(seen(page)["figures"]) >= set(ev)
        for slider in page.get_by_role("slider").all():
            slider.focus()
            for key in ("Home", "End", "PageDown"):
                page.keyboard.press(key)


def test_sections_fold_and_are_listed_at_the_side(opened, evaluation):
    """A heading folds its part away, on paper it is shown; the contents at the side open it and go there."""
    page = opened(evaluation.report, width=1700)
    part = page.locator("section", has=page.get_by_role("heading", name="All metrics"))
    part.get_by_role("button", name="All metrics", exact=True).click()
    assert not part.locator("table").is_visible()
    page.emulate_media(media="print")
    assert part.locator("table").is_visible()
    assert part.locator("h2").inner_text() == "All metrics"
    page.emulate_media(media="screen")
    listed = page.get_by_role("navigation", name="Contents").get_by_role("button")
    assert listed.all_inner_texts() == page.locator("section > h2 > button").all_inner_texts()
    listed.filter(has_text="All metrics").click()
    assert part.locator("table").is_visible()
    assert abs(part.bounding_box()["y"]) < 60
    assert page.locator("nav.contents:visible").count() == 1


@pytest.mark.parametrize("width", [390, 1280, 1499])
def test_without_room_at_the_side_contents_are_folded_at_the_top(opened, evaluation, width):
    """The list opens by key, leads to a section, folds itself away again, and is not on paper."""
    page = opened(evaluation.report, width=width)
    contents = page.get_by_role("navigation", name="Contents")
    assert contents.count() == 1
    entries = contents.get_by_role("button")
    assert entries.count() == 0  # folded: the tabulator and a screen reader pass over them
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Contents"
    page.keyboard.press("Enter")
    assert entries.all_inner_texts() == page.locator("section > h2 > button").all_inner_texts()
    assert all(entry.bounding_box()["height"] >= 24 for entry in entries.all())
    part = page.locator("section", has=page.get_by_role("heading", name="All metrics"))
    part.get_by_role("button", name="All metrics", exact=True).click()  # folds it
    entries.filter(has_text="All metrics").press("Enter")
    assert part.locator("table").is_visible()
    assert page.evaluate("document.activeElement.textContent") == "All metrics"
    assert abs(part.bounding_box()["y"]) < 60
    assert entries.count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not page.locator("nav.contents").first.is_visible()
    assert not page.locator("nav.contents").last.is_visible()
