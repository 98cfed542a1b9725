"""Every number and every marker of the page against Python, for scores of every kind, in a real browser."""

import dataclasses
import pathlib

import numpy as np
import pytest
from support.browser import agrees, needs_chromium, seen, spread, typed

import assay
from assay.formatting.numbers import format_value
from assay.reports import page as page_folder
from assay.reports.page.model_data import model_data
from assay.tallies import Collection

pytestmark = needs_chromium

ACTUAL, SCORE = spread(600, seed=3)
WORDS = np.array(["spam", "ham"])[ACTUAL]
RARE = np.zeros(600, dtype=int)
RARE[7] = 1
DRAW = np.random.default_rng(4)
INFINITE = np.where(SCORE > 0.9, np.inf, np.where(SCORE < 0.1, -np.inf, SCORE))
KINDS = {
    "plain": lambda: assay.evaluate(actual=ACTUAL, score=SCORE, beta=2, cost_fp=2, cost_fn=7),
    "ties": lambda: assay.evaluate(actual=ACTUAL, score=SCORE.round(1), prevalence=0.02),
    "few rows": lambda: assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.4, 0.4, 0.9]),
    "a class nearly absent": lambda: assay.evaluate(actual=RARE, score=SCORE),
    "logits": lambda: assay.evaluate(actual=ACTUAL, score=3 * np.log(SCORE / (1 - SCORE)) - 20),
    "infinite scores": lambda: assay.evaluate(actual=ACTUAL, score=INFINITE),
    "narrow floats": lambda: assay.evaluate(actual=ACTUAL, score=SCORE.astype(np.float32)),
    "words": lambda: assay.evaluate(actual=WORDS, score=SCORE, positive="ham", threshold=0.31),
    "weights": lambda: assay.evaluate(actual=ACTUAL, score=SCORE, weight=DRAW.random(600) + 0.5),
    "weights of quarters": lambda: assay.evaluate(
        actual=ACTUAL, score=SCORE.round(2), weight=DRAW.integers(1, 9, 600) / 4
    ),
    "groups": lambda: assay.evaluate(actual=ACTUAL, score=SCORE, group=np.arange(600) % 40),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_agrees_with_python_at_twenty_thresholds(opened, kind):
    """Counts, figures and intervals are Python's digit by digit; markers are on their curves, at their pixel."""
    ev = KINDS[kind]()
    page = opened(ev.report)
    known = np.unique(ev.tallies["scores"].scores.astype(float))
    known = known[np.isfinite(known)]
    chosen = np.random.default_rng(5).choice(known, min(20, len(known)), replace=False)
    between = np.random.default_rng(6).uniform(known[0], known[-1], 3)
    for threshold in [*chosen, known[0], known[-1], *between]:
        typed(page, threshold)
        agrees(page, ev.at(threshold), lost=kind == "groups")
        assert float(seen(page)["box"]) == known[known >= threshold].min() or ev.task.threshold is not None
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    shows = seen(page)
    assert float(shows["cells"]["tp"]) == float(shows["cells"]["fp"]) == 0
    page.keyboard.press("Home")
    agrees(page, ev.at(-np.inf if kind == "infinite scores" else known[0]), lost=kind == "groups")
    page.get_by_role("button", name="Back to the start").click()
    if ev.task.threshold is not None:
        agrees(page, ev)
    if kind == "groups":
        assert (
            "intervals are shown at the threshold the page starts at"
            in page.locator("[data-groups]").inner_text()
        )


def binned(ev):
    """Return an evaluation as a scan of files leaves it: without rows, its scores in bins."""
    _ = ev.to_dict()
    tallies = {**dict(ev.tallies.items()), "scores": ev.tallies["scores"].binned()}
    task = dataclasses.replace(ev.task, probabilities=bool(ev.are_probabilities))
    return dataclasses.replace(
        ev, task=task, tallies=Collection.of_mapping(tallies), source_rows=None, saved=ev.estimates
    )


@pytest.mark.slow
def test_bins_are_exact_at_their_edges(opened):
    """Of scores in bins the slider reaches the edges, where counts are those of the rows; bounds are certified."""
    actual, score = spread(40_000, seed=9)
    ev = assay.evaluate(actual=actual, score=score, threshold=0.3)  # which is no edge
    kept = binned(ev)
    page = opened(kept.report)
    assert seen(page)["cells"] == {
        "tp": f"{(actual[score >= 0.3] == 1).sum():,}", "fp": f"{(actual[score >= 0.3] == 0).sum():,}",
        "fn": f"{(actual[score < 0.3] == 1).sum():,}", "tn": f"{(actual[score < 0.3] == 0).sum():,}",
    }  # fmt: skip
    page.get_by_role("slider").focus()
    for key in ("ArrowRight", "PageUp", "PageUp", "PageDown", "ArrowLeft", "PageDown", "Home", "ArrowRight"):
        page.keyboard.press(key)
        edge = float(seen(page)["box"])
        agrees(page, ev.at(edge))
    typed(page, 0.7)
    edge = float(seen(page)["box"])
    assert edge == pytest.approx(0.7, abs=0.001)
    agrees(page, ev.at(edge))
    low, high = kept.tallies["scores"].auc_bounds()
    assert low <= ev["auc"].value <= high
    told = page.locator(".remarks").inner_text()
    assert f"AUC between {np.floor(low * 1e6) / 1e6:.6f} and {np.ceil(high * 1e6) / 1e6:.6f} and" in told
    assert "lower edges of bins. The steps are the extremes" in page.locator(".threshold").inner_text()


def test_remarks_on_bins_name_no_option():
    """A page's reader cannot evaluate anew: what would keep the scores exactly is said in text alone."""
    ev = binned(assay.evaluate(actual=ACTUAL, score=SCORE))
    size = len(ev.binned.cells)
    assert f"The scores were counted in {size:,} bins." in model_data(ev, (), 100)["remarks"]
    assert "more memory= keeps them exactly" in " ".join(ev.text().split())


def test_one_score_is_not_called_scores(opened):
    """Of constant scores the slider has one step below the end."""
    page = opened(assay.evaluate(actual=[0, 1, 1], score=[0.5] * 3).report)
    assert "The slider reaches the one score that there is; counts are exact." in (
        page.locator(".threshold").inner_text()
    )


def test_bins_of_weighted_rows_say_why_there_is_no_slider(opened):
    """Bins keep too little of weights for a slider: the page shows the one threshold and tells."""
    ev = binned(assay.evaluate(actual=ACTUAL, score=SCORE, weight=SCORE + 1))
    page = opened(ev.report)
    assert page.get_by_role("slider").count() == 0
    assert (
        "There is no slider: a threshold cannot be chosen from a binned tally of weighted rows"
        in page.locator(".remarks").inner_text()
    )


def test_numbers_are_written_as_python_writes_them(browser):
    """Ties go to the even digit, and small and large numbers have Python's exponents."""
    script = (pathlib.Path(page_folder.__file__).parent / "elements.js").read_text(encoding="utf-8")
    draw = np.random.default_rng(2)
    numbers = [
        0.0, 1.0, 0.03125, 0.09375, 0.00005, 0.000123456, 1.5e-7, 9.99995, 9.99994, 12.345, 12345.0, 12355.0, 123456.789,
        99995.0, 0.00099999, 0.001, 10.0, 1e-300, 2.5e10, *draw.random(300), *(draw.integers(0, 2**12, 300) / 2**12),
        *(10.0 ** draw.uniform(-9, 9, 300)), *(draw.integers(10_000, 100_000, 200) * 10.0),
    ]  # fmt: skip
    numbers = [float(one) for one in numbers]
    numbers += [-one for one in numbers if one]
    page = browser.new_page()
    found = page.evaluate(f"(numbers) => {{ {script}; return numbers.map(shown); }}", numbers)
    assert found == [format_value(one) for one in numbers]
    tenths = [one / 8 for one in range(4_000)]
    found = page.evaluate(f"(numbers) => {{ {script}; return numbers.map((x) => fixed(x, 1)); }}", tenths)
    assert found == [f"{one:.1f}" for one in tenths]
    page.close()
