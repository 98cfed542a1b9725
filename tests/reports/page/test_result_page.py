"""Pages of agreements, repeated runs and arenas: their words, tables and drawn intervals, and nothing that runs."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import assay


def results():
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 3, 60)
    votes = {name: np.where(draw.random(60) < 0.8, truth, draw.integers(0, 3, 60)) for name in ("ann", "<b>")}
    left, right = draw.integers(0, 4, (2, 200))
    met = left != right
    names = np.array(["a", "b", "<script>alert(1)</script>", "d"])
    question = np.repeat(np.arange(50), 4)
    return {
        "agreement": assay.agreement(votes, raters=list(votes)),
        "arena": assay.arena(
            left=names[left[met]], right=names[right[met]],
            winner=draw.choice(["left", "tie", "right"], met.sum()),
        ),
        "repeats": assay.repeats(
            question=question, correct=(draw.random(200) < 0.6).astype(int),
            model=np.tile(["x", "x", "y", "y"], 50),
        ),
    }  # fmt: skip


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.elements, self.words = [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("name", ["agreement", "arena", "repeats"])
def test_a_page_has_all_cells_and_runs_nothing(name, tmp_path):
    """Every cell of every table is there as text, an interval is drawn, and labels are no elements."""
    result = results()[name]
    path = result.report(tmp_path / "page.html", title="My <title>")
    page = path.read_text(encoding="utf-8")
    assert page == result.to_html(title="My <title>")
    reader = _Reader()
    reader.feed(page)
    tags = [tag for tag, _ in reader.elements]
    assert "script" not in tags
    assert "b" not in tags
    assert not [attrs for _, attrs in reader.elements if any(key.startswith("on") for key in attrs)]
    words = "".join(reader.words)
    assert "My <title>" in words
    for table in result.tables():
        for row in table.body:
            assert all(cell in words for cell in row)
    policy = next(attrs["content"] for tag, attrs in reader.elements if attrs.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert tags.count("svg") > 1


def test_intervals_are_drawn_to_scale():
    """The middle of a strip is where its value is between the least and the greatest limit."""
    result = results()["repeats"]
    page = result.to_html()
    cells = [cell for cell in result.tables()[0].columns["value"] if cell.low is not None]
    low, high = min(cell.low for cell in cells), max(cell.high for cell in cells)
    drawn = re.findall(r'<svg class="strip"[^>]*>(.*?)</svg>', page)[: len(cells)]
    for cell, shapes in zip(cells, drawn, strict=True):
        at = float(re.search(r'circle cx="([\d.]+)"', shapes).group(1))
        assert at == pytest.approx(6 + 168 * (cell.value - low) / (high - low), abs=0.06)
        left, right = map(float, re.search(r'x1="([\d.]+)" x2="([\d.]+)"', shapes).groups())
        assert left <= at <= right
    assert 'class="zero"' in page, "differences are drawn with their zero"


def test_nothing_is_drawn_where_no_interval_is():
    """A single item has no interval, and its page no strip."""
    page = assay.agreement({"a": [1], "b": [2]}, raters=["a", "b"]).to_html()
    assert "<svg" not in page
    assert "1 item is few" in page
