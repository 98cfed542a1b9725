"""The pages of a ledger in use: list, filter, compare, open, by keyboard, on a phone, in the dark."""

import re

import pytest
from support.browser import needs_chromium
from support.ledger_server import HOSTILE, NIGHTS, serving

import assay
from assay.formatting.numbers import format_interval, format_value

pytestmark = [needs_chromium, pytest.mark.slow]

RUNS = 2 * NIGHTS + len(HOSTILE) + 2
PATHS = {
    "runs": "", "hostile runs": "?tag=release", "test sets": "tests", "trends": "trends", "one trend": "trends?model=forest",
    "trends of the release": "trends?tag=release", "slices": "slices", "plans": "plans", "run": "run/1",
    "hostile run": f"run/{2 * NIGHTS + 1}", "regression": f"run/{RUNS}",
    "compared": f"compare?run={2 * NIGHTS + 1}&run={2 * NIGHTS + 3}&run={2 * NIGHTS + 4}", "nothing": "nothing",
}  # fmt: skip


@pytest.fixture
def visit(browser, server):
    """Return a function that opens an address; nothing but the server is asked, and nothing is said."""
    contexts, asked, said = [], [], []

    def go(path="", *, width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        context.set_default_timeout(600_000)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(
            "window.breaches = []; addEventListener('securitypolicyviolation', (one) => breaches.push(one.blockedURI));"
        )
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(server.url + path)
        return page

    yield go
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.breaches") == []
            assert page.evaluate("window.harmed") is None
        context.close()
    assert [url for url in asked if not url.startswith((server.url, "blob:"))] == []
    assert [text for text in said if "status of 404" not in text] == []


def numbers(page):
    """Return the numbers of the runs that are listed, in their order."""
    texts = page.locator("table.runs td.when small").all_inner_texts()
    return [int(text.removeprefix("#")) for text in texts]


def test_the_list_shows_what_the_ledger_holds(visit, server):
    """The newest first; values and intervals are those of the stored evaluations."""
    page = visit()
    assert numbers(page) == list(range(RUNS, 0, -1))
    heads = page.locator("table.runs thead th").all_inner_texts()
    assert heads[6:] == ["ROC AUC", "MCC", "precision (PPV)"]
    row = page.locator("table.runs tbody tr", has=page.get_by_text("#1", exact=True))
    ev = server.site.index.ledger.load(1)
    for cell, name in zip(row.locator("td.forest").all(), ("auc", "mcc", "precision"), strict=True):
        shown = cell.locator("span.number").all_inner_texts()
        assert shown == [format_value(ev[name].value), format_interval(ev[name])]
    assert row.locator("th > a").inner_text() == "baseline"
    assert "MAE" in page.locator("td.instead").first.inner_text()


def test_search_filters_and_sorting_are_in_the_address(visit):
    """Typed, chosen and clicked; the way back leads through the same pages."""
    page = visit()
    page.keyboard.press("/")
    page.keyboard.type("forest")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/?q=forest")
    assert numbers(page) == list(range(2 * NIGHTS, 0, -2))
    with page.expect_navigation():
        page.get_by_label("From").fill("2026-03-04")
        page.keyboard.press("Tab")
    assert numbers(page) == [12, 10, 8]
    with page.expect_navigation():
        page.get_by_role("link", name="ROC AUC").click()
    aucs = [
        float(text)
        for text in page.locator("td.forest[data-name='ROC AUC'] span.number:first-of-type").all_inner_texts()
    ]
    assert aucs == sorted(aucs, reverse=True)
    assert page.locator("[aria-sort]").get_attribute("aria-sort") == "descending"
    with page.expect_navigation():
        page.get_by_label("Tag").select_option("v2")
    assert "sort=-auc" in page.url
    assert page.evaluate("document.activeElement.name") == "tag"
    page.go_back()
    page.go_back()
    assert numbers(page) == [12, 10, 8]
    with page.expect_navigation():
        page.get_by_role("link", name="Show all").click()
    assert len(numbers(page)) == RUNS


def test_columns_are_chosen(visit):
    """Any metric that a run has can be a column."""
    page = visit("?tag=nightly")
    page.get_by_text("Columns").click()
    for name in ("MCC", "precision (PPV)"):
        page.get_by_label(name, exact=True).uncheck()
    page.get_by_label("Brier score").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Show", exact=True).click()
    assert page.locator("table.runs thead th").all_inner_texts()[6:] == ["ROC AUC", "Brier score"]
    with page.expect_navigation():
        page.get_by_role("link", name="Brier score").click()
    values = [
        float(text)
        for text in page.locator("td[data-name='Brier score'] span.number:first-of-type").all_inner_texts()
    ]
    assert values == sorted(values)  # less is better: the best first


def test_runs_are_chosen_on_several_pages_and_compared(visit):
    """The choice outlives a filter; runs of one test set are not paired, and the page says why."""
    first, second = 2 * NIGHTS + 1, 2 * NIGHTS + 5
    page = visit("?q=release")
    assert page.locator(".chosen").is_hidden()
    page.get_by_label(f"choose run {first},").check()
    assert "choose another" in page.locator(".chosen").inner_text()
    page.goto(page.url.replace("q=release", "q=passwd"))
    page.get_by_label(f"choose run {second},").check()
    with page.expect_navigation():
        page.get_by_role("link", name="Compare").click()
    assert page.url.endswith(f"/compare?run={first}&run={second}")
    assert "Not paired: a ledger stores tallies and no rows" in page.locator(".pairing").inner_text()
    assert page.get_by_role("heading", name="Models side by side").is_visible()
    page.go_back()
    page.get_by_role("button", name="Clear").click()
    assert page.locator(".chosen").is_hidden()


def test_a_comparison_shows_the_differences_that_python_computes(visit, server):
    """Number for number, and unpaired where test sets differ."""
    book = server.site.index.ledger
    compared = assay.compare(book.load(1), book.load(4), names=["baseline", "forest"])
    page = visit("compare?run=1&run=4")
    assert "different test sets" in page.locator(".pairing").inner_text()
    rows = page.locator("table.differences tbody tr")
    assert rows.count() == len(compared.differences)
    for row, diff in zip(rows.all(), compared.differences, strict=True):
        assert row.locator("td").nth(1).inner_text() == format_value(diff.difference)


def test_a_run_opens_as_the_interactive_page(visit):
    """With its threshold slider, and the way to its neighbours and its test set."""
    page = visit()
    with page.expect_navigation():
        page.locator("table.runs a", has_text="baseline").first.click()
    assert page.get_by_role("heading", level=1).inner_text() == "baseline: binary classification"
    before = page.locator('[data-cell="tp"] b').inner_text()
    page.get_by_role("slider").fill("0")
    assert page.locator('[data-cell="tp"] b').inner_text() != before
    assert page.locator("nav.ledger a").all_inner_texts() == [
        "Runs",
        "Test sets",
        "Trends",
        "Slices",
        "Plans",
    ]
    with page.expect_navigation():
        page.get_by_role("link", name="← before").click()
    assert "Run #9" in page.locator(".ofRun").inner_text()
    with page.expect_navigation():
        page.locator(".ofRun a.code").click()
    assert page.get_by_role("heading", level=1).inner_text().startswith("Test set ")
    assert numbers(page) == [9, 10]
    assert "look 3 at this test set, 2 models before" in page.locator(".pairing").inner_text()


def test_trends_draw_values_and_bands(visit, server):
    """A dot for each run at its place, a band over the intervals, and the same as a table."""
    page = visit("trends?metric=auc&tag=nightly")
    page.locator("circle.dot").first.wait_for()
    assert page.locator("circle.dot").count() == 2 * NIGHTS
    assert page.locator("polygon.band").count() == 2
    assert page.locator(".key").all_inner_texts() == ["forest", "baseline"]
    ys = page.locator("circle.dot.d0").evaluate_all(
        "(all) => all.map((one) => Number(one.getAttribute('cy')))"
    )
    values = [run.estimates["auc"][0] for run in server.site.index.runs if run.model == "forest"]
    slope = (ys[1] - ys[0]) / (values[1] - values[0])
    assert [ys[0] + slope * (value - values[0]) for value in values] == pytest.approx(ys, abs=0.6)
    page.get_by_text("As a table").click()
    assert page.locator("details tbody tr").count() == 2 * NIGHTS
    with page.expect_navigation():
        page.locator("a.point").first.click()
    assert re.search(r"/run/\d+$", page.url)


def test_a_trend_s_letters_keep_their_size(visit):
    """The chart is drawn for its width, and again when that changes."""
    page = visit("trends?metric=auc&tag=nightly")
    sizes = {}
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(
            """(width) => { const charts = [...document.querySelectorAll('.toFit svg')];
               return charts.length && charts.every((chart) => chart.viewBox.baseVal.width < width); }""",
            arg=width,
        )
        sizes[width] = page.evaluate(
            "document.querySelector('.toFit .axes text').getBoundingClientRect().height"
        )
    assert sizes[390] == pytest.approx(sizes[1280], rel=0.1)


def test_slices_over_time_are_those_of_the_tallies(visit, server):
    """A chart for each slice, of the values that the stored evaluations have."""
    page = visit("slices?metric=recall&model=forest")
    page.locator("circle.dot").first.wait_for()
    titles = page.locator("figcaption").all_inner_texts()
    assert sorted(titles) == sorted(["north", "south", "<b>west</b>"])
    page.get_by_text("As a table").click()
    rows = [row.locator("td").all_inner_texts() for row in page.locator("details tbody tr").all()]
    assert len(rows) == 3 * NIGHTS
    for name, _, number, n, value, limits in rows:
        part = server.site.index.ledger.load(int(number.removeprefix("#"))).slices["region"][name]
        assert (n, value) == (str(part.n), format_value(part["recall"].value))
        assert limits == format_interval(part["recall"])


def test_test_sets_list_their_looks(visit):
    """The release has a look for each model; each night has two."""
    page = visit("tests")
    rows = [row.locator("td").all_inner_texts() for row in page.locator("tbody tr").all()]
    assert len(rows) == NIGHTS + 2
    assert {row[2] for row in rows} == {"2", str(len(HOSTILE))}


@pytest.mark.parametrize("kind", PATHS)
def test_no_page_is_wider_than_the_screen(visit, kind):
    """On a phone and on a desk, light and dark; hostile names stay text."""
    page = visit(PATHS[kind], width=320)
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_role("heading", level=1).count() == 1
    for scheme, colour in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 29)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == colour


def test_hostile_names_are_shown_as_they_are(visit):
    """As text, in a direction of their own, and cut in their middle where they are very long."""
    page = visit("?tag=release")
    texts = page.locator("table.runs th[scope=row] a bdi").all_inner_texts()
    assert HOSTILE[0] in texts
    assert "../../etc/passwd" in texts
    assert max(map(len, texts)) < 70
    with page.expect_navigation():
        page.locator("a.tag", has_text="<img").click()
    assert numbers(page) == [2 * NIGHTS + 2]
    assert page.locator("img, iframe, object, embed").count() == 0


def test_the_keyboard_reaches_everything(visit):
    """Tab goes through navigation, filters, headings and runs; space chooses, Enter opens."""
    page = visit("?tag=nightly")
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "[document.activeElement.tagName, document.activeElement.name ?? '', document.activeElement.type ?? '']"
            )
        )
        if seen[-1][2] == "checkbox":
            break
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", seen[-1]
    assert [tag for tag, *_ in seen[:5]] == ["A"] * 5
    assert {name for _, name, _ in seen} >= {"q", "model", "test", "task", "tag", "since", "until"}
    page.keyboard.press("Space")
    assert page.locator(".chosen").is_visible()
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert re.search(r"/run/12$", page.url)


def test_colours_stay_as_chosen(visit):
    """From page to page."""
    page = visit()
    page.get_by_role("button", name="Colours").click()
    page.get_by_role("button", name="Colours").click()
    page.get_by_role("link", name="Trends", exact=True).click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto(page.url.replace("trends", "run/1"))
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.get_by_role("button", name="Colours").inner_text() == "Colours: dark"


def test_a_page_of_another_site_cannot_read(browser, server):
    """Neither by a script nor in a frame nor as a picture, with and without the rules of browsers."""
    context = browser.new_context()
    page = context.new_page()
    page.route(
        "http://evil.example/", lambda route: route.fulfill(body="<h1>evil</h1>", content_type="text/html")
    )
    page.goto("http://evil.example/")
    tried = page.evaluate(
        """async (url) => {
          const found = [];
          try { found.push(await (await fetch(url)).text()); } catch { found.push("refused"); }
          found.push((await fetch(url, { mode: "no-cors" }).catch(() => ({ type: "refused" }))).type);
          const frame = document.createElement("iframe");
          frame.src = url;
          document.body.append(frame);
          await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
          try { found.push(frame.contentDocument?.title ?? "no access"); } catch { found.push("no access"); }
          return found;
        }""",
        server.url,
    )
    assert tried[0] == "refused"
    assert tried[1] in {"refused", "opaque"}
    assert tried[2] == "no access"
    context.close()


def test_an_empty_ledger_says_what_to_do(browser, tmp_path):
    """Every page has words for it."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        book.append("note", {})
    with serving(tmp_path / "ledger.db") as server:
        page = browser.new_page()
        for path, words in {
            "": "The ledger is empty", "tests": "no test set yet", "trends": "No run", "slices": "No run is sliced",
        }.items():  # fmt: skip
            page.goto(server.url + path)
            assert words in page.locator("#page").inner_text()
        page.close()


def test_more_runs_than_a_page_holds_are_paged(browser, tmp_path):
    """A hundred at a time."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        for number in range(1, 251):
            book.append("evaluation", {"model": f"m{number}", "test": "t"}, time="2026-01-01T00:00:00+00:00")
    with serving(tmp_path / "ledger.db") as server:
        page = browser.new_page()
        page.goto(server.url)
        assert numbers(page) == list(range(250, 150, -1))
        page.get_by_role("link", name="older").click()
        page.get_by_role("link", name="older").click()
        assert numbers(page) == list(range(50, 0, -1))
        assert "page 3 of 3" in page.locator(".pager").inner_text()
        page.close()
