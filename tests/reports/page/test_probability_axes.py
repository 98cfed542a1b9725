"""Charts of probabilities whose axes end where the probabilities do, on the page."""

import re

import numpy as np
import pytest
from support.browser import needs_chromium, seen, typed

import assay
from assay.formatting.numbers import format_value
from assay.metrics.curves import curves
from assay.plots.probability_side import probability_side
from assay.reports.page.build import page_of

pytestmark = [needs_chromium, pytest.mark.slow]


def rare(highest, n=4_000, seed=3):
    """Return probabilities up to `highest`, and outcomes of which one in forty or more is positive."""
    draw = np.random.default_rng(seed)
    score = highest * draw.beta(2, 2, n)
    actual = (draw.random(n) < np.maximum(score, 0.05 * score / highest)).astype(int)
    return actual, score


def evaluation(highest, **options):
    actual, score = rare(highest)
    return assay.evaluate(actual=actual, score=score, threshold=highest / 2, **options)


def chart(page, title):
    return page.locator(f"xpath=//figure[figcaption/text()[1] = '{title}']").first


def ends(drawn):
    """Return the pixels of the frame of a chart: left, right, top and bottom."""
    return drawn.evaluate(
        """(figure) => {
          const axis = figure.querySelector("line.axis").getBoundingClientRect();
          const lines = [...figure.querySelectorAll("line.grid")];
          const across = lines.filter((one) => one.getAttribute("x1") === one.getAttribute("x2"));
          return [axis.left, axis.right, across[0].getBoundingClientRect().top, axis.bottom];
        }"""
    )


def ticks(drawn, axis):
    """Return the texts of the ticks of an axis and what they are multiplied with."""
    texts = drawn.locator(f'.axes text[text-anchor="{axis}"]:not(.name)').all_text_contents()
    name = drawn.locator(".axes text.name").nth(0 if axis == "middle" else 1).text_content()
    power = re.search("10(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", name)
    raised = {ord(sign): plain for sign, plain in zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True)}
    return texts, 10.0 ** int(power[1].translate(raised)) if power else 1.0


@pytest.mark.parametrize("highest", [0.02, 1e-6, 0.3])
def test_the_axes_of_calibration_fit_the_probabilities(opened, highest):
    """Both sides end alike, at a round number just above the probabilities; ticks are few and short."""
    ev = evaluation(highest)
    page = opened(ev.report)
    drawn = chart(page, "Calibration")
    side = page_of([ev])["models"][0]["shapes"]["calibration"]["side"]
    assert highest * 0.9 < side <= 3 * highest
    for axis in ("middle", "end"):
        texts, factor = ticks(drawn, axis)
        values = [float(text) * factor for text in texts]
        assert values[0] == 0
        assert 0.8 * side <= values[-1] <= side * (1 + 1e-9)
        assert 3 <= len(texts) == len(set(texts)) <= 7
        assert all(len(text) <= 6 for text in texts)
    left, right, top, bottom = ends(drawn)
    box = drawn.locator("path.line.chance").bounding_box()  # from corner to corner
    assert box["x"] == pytest.approx(left, abs=1)
    assert box["x"] + box["width"] == pytest.approx(right, abs=1)
    assert box["height"] == pytest.approx(bottom - top, abs=1.5)
    line = drawn.locator("path.line.accent").bounding_box()
    assert line["width"] > 0.3 * (right - left)
    foot = drawn.locator("path.bars.foot").bounding_box()
    assert foot["height"] == pytest.approx(0.15 * (bottom - top), abs=2)


@pytest.mark.parametrize("highest", [0.02, 1e-6])
def test_markers_of_tiny_probabilities_are_where_pythons_numbers_are(opened, highest):
    """The rate at a threshold is that of the isotonic fit, and net benefit that of the formula, to their digits."""
    ev = evaluation(highest)
    page = opened(ev.report)
    fit = curves.calibration(ev.tallies["scores"])
    side = page_of([ev])["models"][0]["shapes"]["calibration"]["side"]
    for threshold in np.quantile(ev.tallies["scores"].scores, [0.1, 0.4, 0.7, 0.95]).tolist():
        typed(page, threshold)
        shown = float(page.locator("input.exact").input_value())
        charts = seen(page)["charts"]
        x, y = charts["Calibration"]["at"]
        assert x == pytest.approx(shown, rel=1e-5)
        assert y == pytest.approx(np.interp(shown, fit.x, fit.y), abs=2e-3 * side)
        actual, score = rare(highest)
        above = score >= x
        n = len(actual)
        benefit = ((above & (actual == 1)).sum() - (above & (actual == 0)).sum() * x / (1 - x)) / n
        mark = charts["Net benefit"]
        assert mark["at"][0] == x
        assert mark["at"][1] == pytest.approx(benefit, rel=1e-9)
        left, right = mark["left"], mark["right"]
        assert mark["pixel"][0] == pytest.approx(left + x / side * (right - left), abs=1)
        words = chart(page, "Net benefit").locator("svg").first.get_attribute("aria-label")
        assert format_value(float(benefit)) in words


def test_what_goes_on_beyond_the_axes_is_said_and_cut_off(opened):
    """A few rows at the top have a rate that is far above all probabilities: it does not set the axes."""
    draw = np.random.default_rng(8)
    score = 0.01 * draw.beta(2, 5, 3_000)
    actual = (draw.random(3_000) < score).astype(int)
    actual[np.argsort(score)[-2:]] = 1
    ev = assay.evaluate(actual=actual, score=score, threshold=0.005)
    page = opened(ev.report)
    drawn = chart(page, "Calibration")
    assert "the line goes on to 1.0000, beyond the frame" in drawn.inner_text()
    shape = page_of([ev])["models"][0]["shapes"]["calibration"]
    assert shape["beyond"] == "1.0000"
    assert shape["side"] <= 0.03
    for style in ("path.line.accent", "polygon.band", "path.bars.foot"):
        assert drawn.locator(style).get_attribute("clip-path").startswith("url(#clip-")


def test_models_and_classes_share_the_axes_that_hold_them(opened):
    """Of several models the farther probabilities set the axes; of classes those of the one that is shown."""
    actual, score = rare(0.02)
    several = [
        assay.evaluate(actual=actual, score=score * factor, threshold=0.005, name=f"times {factor}")
        for factor in (1, 0.5)
    ]
    page = opened(lambda path: assay.report(several, path))
    sides = [model["shapes"]["calibration"]["side"] for model in page_of(several)["models"]]
    texts, factor = ticks(chart(page, "Calibration of all models"), "middle")
    assert max(float(text) * factor for text in texts) == pytest.approx(max(sides), rel=0.2)
    draw = np.random.default_rng(2)
    probabilities = draw.dirichlet([0.1, 3, 6], 800) * [0.1, 1, 1]
    probabilities /= probabilities.sum(1, keepdims=True)
    labels = np.array(["rare", "some", "most"])
    actual = labels[(draw.random((800, 1)) > probabilities.cumsum(1)).sum(1)]
    actual[:3] = labels
    ev = assay.evaluate(actual=actual, score=probabilities, labels=list(labels))
    page = opened(ev.report)
    found = {one["name"]: one["calibration"]["side"] for one in page_of([ev])["models"][0]["class_curves"]}
    assert found["rare"] < 0.5 < found["most"] == 1
    for name in ("rare", "most"):
        page.get_by_label("Class", exact=True).select_option(value=name)
        texts, factor = ticks(chart(page, "Calibration"), "end")
        assert 0.7 * found[name] < max(float(text) * factor for text in texts) <= found[name] * (1 + 1e-9)


def test_where_axes_of_probabilities_end():
    """They end at a round number, and at 1 where probabilities come farther than a half."""
    assert probability_side(0.5, 0.4) == 0.5
    assert probability_side(0.51, 0.1) == 1
    assert probability_side(0.3, 0.7) == 1
    assert probability_side(0.0, 0.3) == 1
    assert probability_side(1e-300, 1e-300) == 1
    for highest in 10.0 ** np.random.default_rng(1).uniform(-60, -0.31, 300):
        side = probability_side(float(highest), 0.0)
        assert highest * (1 - 1e-9) <= side <= 1.6 * highest
        assert len(f"{side:e}".split("e")[0].rstrip("0")) <= 3
