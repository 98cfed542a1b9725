"""Pages in a real browser: what they show, held against Python."""

import os
import shutil

import numpy as np
import pytest

import assay
from assay.formatting.numbers import format_interval, format_value
from assay.plots.thin_scores import two_by_two

BROWSER = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium")
needs_chromium = pytest.mark.skipif(BROWSER is None, reason="needs chromium: apt-get install chromium")

# One call tells all that a page shows: counts, figures, markers and the curves that they are to be on.
_SEEN = """() => {
  const text = (node) => node.textContent;
  const middle = (node) => { const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const cells = Object.fromEntries(
    [...document.querySelectorAll("[data-cell]")].map((one) => [one.dataset.cell, text(one.querySelector("b"))]));
  const figures = Object.fromEntries(
    [...document.querySelectorAll("tr[data-figure]")].map((row) => [
      row.dataset.figure, [...row.querySelectorAll("td")].map(text)]));
  const charts = {};
  for (const figure of document.querySelectorAll("figure.chart")) {
    const title = figure.querySelector("figcaption").firstChild.textContent;
    const dot = figure.querySelector("circle.marker");
    if (!dot) continue;
    const axis = figure.querySelector("line.axis").getBoundingClientRect();
    const ups = [...figure.querySelectorAll("line.grid")].filter((one) => one.getAttribute("y1") === one.getAttribute("y2"));
    const curve = figure.querySelector("path.line.accent");
    const here = new DOMPoint(Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy")));
    charts[title] = {
      seen: dot.getAttribute("visibility") !== "hidden",
      beyond: dot.classList.contains("beyond"),
      at: [Number(dot.dataset.x), Number(dot.dataset.y)],
      pixel: middle(dot),
      left: axis.x, right: axis.x + axis.width, bottom: axis.y, top: Math.min(...ups.map((one) => one.getBoundingClientRect().y)),
      on_curve: curve.isPointInStroke(here),
    };
  }
  const cut = document.querySelector("line.cut");
  return {
    cells, figures, charts,
    box: document.querySelector(".controls input")?.value,
    slider: document.querySelector("input[type=range]")?.getAttribute("aria-valuetext"),
    cut: cut && cut.getAttribute("visibility") !== "hidden" ? middle(cut)[0] : null,
  };
}"""


def spread(n, seed=0):
    """Return labels and probabilities that go together well."""
    draw = np.random.default_rng(seed)
    actual = (draw.random(n) < 0.3).astype(int)
    return actual, 1 / (1 + np.exp(-(draw.normal(size=n) + 2 * actual - 1)))


def seen(page):
    """Return all that the page shows."""
    return page.evaluate(_SEEN)


def cpu_seconds(page):
    """Return the CPU time that the process of a page has used, which no other program changes."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    metrics = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")


def typed(page, threshold):
    """Type a threshold in."""
    box = page.locator(".controls input")
    box.fill(repr(float(threshold)))
    box.press("Enter")


def cells_of(ev):
    """Return the counts of an evaluation as they are printed."""
    table = two_by_two(ev.tallies["confusion"], ev.task.labels)
    names = (("tn", "fp"), ("fn", "tp"))
    return {
        name: f"{one:,}" if isinstance(one, int) else f"{one:,.1f}"
        for row, named in zip(table, names, strict=True)
        for one, name in zip(row, named, strict=True)
    }


def agrees(page, at, *, lost=False):
    """Hold the whole page against an evaluation at a threshold: text by text, and pixel by pixel.

    `lost` are the intervals of rows in groups, which figures of counts have at the starting threshold only.
    """
    shows, threshold = seen(page), at.task.threshold
    assert shows["cells"] == cells_of(at), (threshold, shows["cells"], cells_of(at))
    assert set(shows["figures"]) == set(at)
    counted = {one.name for group in at.groups for one in group if one.metric.reads.tally is assay.Confusion}
    for name, (value, interval, *_) in shows["figures"].items():
        estimate = at[name]
        gone = lost and name in counted - {"prevalence"}
        assert value == (format_value(estimate.value) if estimate.defined else "\u2013"), (threshold, name)
        assert interval == ("" if gone else format_interval(estimate)), (threshold, name)
    (tn, fp), (fn, tp) = two_by_two(at.tallies["confusion"], at.task.labels)
    charts = shows["charts"]
    if "ROC curve" in charts:
        _is_at(charts["ROC curve"], fp / (fp + tn), tp / (tp + fn))
    if "Precision and recall" in charts and tp + fp:
        _is_at(charts["Precision and recall"], tp / (tp + fn), tp / (tp + fp))
    cost = charts["Expected cost per 1,000 rows"]
    if cost["seen"]:
        said = at.settings
        share = (tp + fn) / (tp + fp + fn + tn) if said.prevalence is None else said.prevalence
        false_alarms = (said.cost_fp or 1) * fp / (fp + tn) * (1 - share)
        wanted = 1000 * (false_alarms + (said.cost_fn or 1) * fn / (tp + fn) * share)
        assert cost["at"][1] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        assert cost["on_curve"] or cost["beyond"]
    for chart in charts.values():  # nothing is drawn outside its frame
        if chart["seen"]:
            assert chart["left"] - 1 <= chart["pixel"][0] <= chart["right"] + 1
            assert chart["pixel"][1] <= chart["bottom"] + 1


def _is_at(chart, x, y):
    """Hold a marker of a chart of shares against where it should be, to half a pixel, and on its curve."""
    assert chart["at"] == pytest.approx([x, y], abs=1e-12)
    pixel = (
        chart["left"] + x * (chart["right"] - chart["left"]),
        chart["bottom"] + y * (chart["top"] - chart["bottom"]),
    )
    assert chart["pixel"] == pytest.approx(pixel, abs=0.5)
    assert chart["on_curve"]
