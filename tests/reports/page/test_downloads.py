"""What is taken from a page: tables as CSV, charts as SVG and PNG, and a link that keeps what is shown."""

import csv
import xml.etree.ElementTree as ET

import matplotlib.image
import pytest
from support.browser import cells_of, needs_chromium, seen, typed
from support.gallery import GALLERY, classes, sliced

import assay
from assay.formatting.width import short
from assay.metrics.spec import metric_title

pytestmark = needs_chromium


def saved(page, name):
    """Return the text of the file that a button saves."""
    return saved_bytes(page, name).decode()


def saved_bytes(page, name):
    """Return the content of the file that a button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name).first.click()
    return download.value.path().read_bytes()


def test_tables_are_saved_as_numbers(opened):
    """The CSV of slices has a column for each value and limit, in the digits of the page."""
    ev = sliced(4)
    page = opened(ev.report)
    rows = list(csv.DictReader(saved(page, "CSV of Slices").splitlines()))
    assert [row["slice"] for row in rows][:2] == ["all rows", "part 0"]
    (by,) = ev.slices
    for row in rows[1:]:
        own = ev.slices[by][row["slice"]]["recall"]
        found = [float(row[f"recall (TPR){end}"]) for end in ("", " low", " high")]
        assert found == pytest.approx([own.value, own.low, own.high], abs=5e-5)


def test_metrics_and_counts_are_saved_as_numbers(opened):
    """The CSV of all metrics has value and limits; that of counts is the table at the threshold shown."""
    (ev,) = GALLERY["binary"]()
    page = opened(ev.report)
    typed(page, 0.7)
    at = ev.at(float(seen(page)["box"]))
    rows = {row["metric"]: row for row in csv.DictReader(saved(page, "CSV of All metrics").splitlines())}
    for name in at:
        own = at[name]
        row = rows[metric_title(name)]
        found = [float(row[f"value{end}"]) for end in ("", " low", " high")]
        assert found == pytest.approx([own.value, own.low, own.high], abs=5e-5)
    counts = list(csv.reader(saved(page, "CSV of Table of counts").splitlines()))
    table = at.tallies["confusion"].table()
    assert counts[0] == ["actual, predicted", "0", "1", "total"]
    assert [list(map(int, row[1:3])) for row in counts[1:3]] == table.tolist()
    (ev,) = GALLERY["9 classes"]()
    page = opened(ev.report)
    page.locator('label:has-text("Show") select').first.select_option(value="shares")
    counts = list(csv.reader(saved(page, "CSV of Table of counts").splitlines()))
    table = ev.tallies["confusion"].table()
    assert [list(map(int, row[1:-1])) for row in counts[1:-1]] == table.tolist()


def test_a_phone_saves_whole_names(opened):
    """On a phone the middle of long names gives way, in the tables that are seen and not in those saved."""
    (ev,) = GALLERY["long labels"]()
    page = opened(ev.report, width=390)
    heads = page.locator("table.matrix tbody th").all_inner_texts()[:-1]
    assert all(len(head) <= 16 for head in heads)
    assert len(set(heads)) == 4
    counts = list(csv.reader(saved(page, "CSV of Table of counts").splitlines()))
    assert [row[0] for row in counts[1:-1]] == [short(label) for label in ev.task.labels]


def test_a_spreadsheet_sees_no_formula(opened):
    """Labels that begin like a formula are marked as text; commas and quotes are kept."""
    names = ["=1+1", 'a,"b"', "@x"]
    page = opened(classes(3, 200, names=names).report)
    rows = list(csv.DictReader(saved(page, "CSV of Classes, each against the rest").splitlines()))
    assert [row["class"] for row in rows] == ["'=1+1", 'a,"b"', "'@x"]


def test_charts_are_saved_with_their_colours(opened):
    """A saved chart is SVG of its own: no class, and strokes that are colours."""
    (ev,) = GALLERY["binary"]()
    text = saved(opened(ev.report), "SVG of ROC curve")
    root = ET.fromstring(text)  # noqa: S314 - our own
    lines = [node for node in root.iter() if node.tag.endswith("path")]
    assert lines
    assert all(node.get("stroke").startswith("rgb") for node in lines)
    assert "class=" not in text


def test_charts_are_saved_as_pictures(opened, tmp_path):
    """A saved PNG has the shape of the chart, several times as many dots, and ink on a plain ground."""
    (ev,) = GALLERY["binary"]()
    path = tmp_path / "roc.png"
    path.write_bytes(saved_bytes(opened(ev.report), "PNG of ROC curve"))
    dots = matplotlib.image.imread(path)
    assert dots.shape[:2] == (4 * 290, 4 * 340)
    ground = dots[0, 0]
    assert 0.01 < (abs(dots - ground).max(axis=2) > 0.1).mean() < 0.5


@pytest.mark.slow
def test_a_link_keeps_what_is_shown(opened, tmp_path):
    """Model and threshold are in the address, which opens the page as it was left; the start has none."""
    several = GALLERY["2 models"]()
    path = assay.report(several, tmp_path / "models.html")
    page = opened(lambda _: path)
    page.get_by_role("radio").nth(1).check()
    known = several[1].tallies["scores"].scores.tolist()[300]
    typed(page, known)
    page.wait_for_url(lambda url: "threshold=" in url)  # written once the slider rests
    link = page.url
    again = opened(lambda _: path)
    again.goto(link)  # another fragment of the same file
    again.get_by_role("radio").nth(1).and_(again.locator(":checked")).wait_for()
    assert again.get_by_role("radio").nth(1).is_checked()
    assert seen(again)["cells"] == cells_of(several[1].at(known))
    again.get_by_role("button", name="Back to the start").click()
    again.wait_for_url(lambda url: "threshold" not in url)
    again.goto(f"{path.as_uri()}#model=99&threshold=x&class=nothing")
    again.get_by_role("radio").nth(0).and_(again.locator(":checked")).wait_for()
    assert seen(again)["cells"] == cells_of(several[0])
    assert {url.partition("#")[0] for url in page.asked} == {path.as_uri()}
    page.asked.clear()
