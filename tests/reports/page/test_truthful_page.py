"""What a page says is what Python says, and what does not follow the slider or the model says so."""

import itertools
import statistics

import numpy as np
import pytest
from support.browser import agrees, cells_of, needs_chromium, seen, spread, typed
from support.gallery import GALLERY, classes, lists, models, numbers, sliced

import assay
from assay.formatting.numbers import format_interval, format_value
from assay.metrics.spec import metric_title
from assay.reports.page.build import page_of

pytestmark = [needs_chromium, pytest.mark.slow]


def class_rows(page, table):
    """Return the rows of a table of the page: name, then value and interval of each metric."""
    rows = page.locator(f'section:has(h2 > button:text-is("{table}")) table.slices tbody tr')
    return {
        row.locator("th").inner_text(): [
            [part.inner_text() for part in cell.locator("span.number").all()]
            for cell in row.locator("td.forest").all()
        ]
        for row in rows.all()
    }


@pytest.mark.parametrize(
    "options",
    [{}, {"group": np.arange(2_000) // 20}, {"weight": np.random.default_rng(1).random(2_000) + 0.5}],
    ids=["plain", "groups", "weights"],
)
def test_the_class_table_is_that_of_the_evaluation(opened, options):
    """Values and intervals of every class are those of `ev.classes`, of groups and weights too."""
    ev = classes(3, **options)
    shown = class_rows(opened(ev.report), "Classes, each against the rest")
    assert set(shown) == set(ev.classes)
    for label, cells in shown.items():
        estimates = [ev.classes[label][name] for name in ("precision", "recall", "f1")]
        if not ev.settings.group:  # of which the tally of scores knows nothing
            scores = ev.tallies["class_scores"].against_rest(label)
            estimates += [assay.estimate(name, scores) for name in ("auc", "average_precision")]
        assert cells == [[format_value(one.value), format_interval(one)] for one in estimates]


TIES = {
    "equal costs": ([0, 1, 0, 1] * 10, [0.1, 0.2, 0.3, 0.4] * 10, 1, 1),
    "no cost of false positives": ([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], 0, 1),
    "no cost of false negatives": ([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], 1, 0),
    "scores backwards": ([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1], 1, 1),
    "costs in thirds": ([0, 1, 0, 1] * 10, [0.1, 0.2, 0.3, 0.4] * 10, 1 / 3, 2 / 3),
    "a score of infinity": ([0, 1, 0, 1], [0.1, 0.2, np.inf, 0.4], 5, 1),
}


@pytest.mark.parametrize("prevalence", [None, 0.2])
@pytest.mark.parametrize("name", TIES)
def test_the_cheapest_threshold_is_the_one_that_python_chooses(opened, name, prevalence):
    """Of thresholds that cost the same the page goes to the highest, as `choose_threshold` does."""
    actual, score, cost_fp, cost_fn = TIES[name]
    ev = assay.evaluate(actual=actual, score=score)
    page = opened(ev.report)
    page.locator('[data-field="fn"]').fill(repr(cost_fn))
    page.locator('[data-field="fp"]').fill(repr(cost_fp))
    if prevalence is not None:
        page.locator('[data-field="prevalence"]').fill(str(100 * prevalence))
    go = page.get_by_role("button", name="Go to the cheapest threshold")
    if go.is_enabled():
        go.click()
    best = ev.choose_threshold(cost_fp=cost_fp, cost_fn=cost_fn, prevalence=prevalence, baseline=None)
    slider = page.get_by_role("slider").get_attribute("aria-valuetext")
    assert slider == ("above all scores" if np.isinf(best.threshold) else f"{best.threshold:g}")


def test_round_thresholds_are_exact_though_scores_are_many(opened):
    """Of 20,000 distinct scores every typed threshold of up to three decimals has Python's counts and metrics."""
    actual, score = spread(20_000)
    ev = assay.evaluate(actual=actual, score=score)
    page = opened(ev.report)
    for threshold in (0.9, 0.25, 0.123, 0.95, 0.05, 0.5, 0.777):
        typed(page, threshold)
        assert float(seen(page)["box"]) == threshold
        agrees(page, ev.at(threshold))
    assert "the multiples of 0.001" in page.locator(".threshold").inner_text()


def test_what_does_not_follow_the_slider_says_so(opened):
    """Slices, remarks and models say which threshold they are of, and that they stay there."""
    ev = sliced(3)
    page = opened(ev.report)
    notes = page.locator(".fixed")
    assert notes.count() == 2
    assert all("at threshold 0.5" in text for text in notes.all_inner_texts())
    assert page.locator(".fixed.moved").count() == 0
    assert "threshold 0.5 on score" in page.locator(".facts").inner_text()
    typed(page, 0.7)
    assert page.locator(".fixed.moved").count() == 2
    assert all("does not follow the slider" in text for text in notes.all_inner_texts())
    assert "threshold 0.7" in page.locator(".facts").inner_text()
    page.get_by_role("button", name="Back to the start").click()
    assert page.locator(".fixed.moved").count() == 0


def test_the_code_follows_the_threshold_and_the_costs(opened):
    """What to type in Python has the threshold and the costs that are shown, and gives what is shown."""
    actual, score = spread(300)
    ev = assay.evaluate({"y": actual, "p": score}, actual="y", score="p")
    page = opened(ev.report)
    page.get_by_text("How to get this in Python").click()
    code = page.locator("dl.code")
    assert 'assay.evaluate(data, actual="y", score="p")' in code.inner_text()
    typed(page, sorted(score)[200])
    assert f"ev.at({float(seen(page)['box'])!r})" in code.inner_text()
    page.locator('[data-field="fn"]').fill("7")
    assert "ev.choose_threshold(cost_fp=1, cost_fn=7)" in code.inner_text()
    for line in code.locator("code").all_inner_texts():
        if line.startswith("ev.") and "report" not in line:
            eval(line, {"ev": ev})  # noqa: S307 - it is ours, and is to run


def test_a_name_of_the_leaderboard_shows_the_model(opened):
    """Choosing a name there shows that model below, and the metric that was chosen stays."""
    several = models(5)
    page = opened(lambda path: assay.report(several, path))
    page.get_by_label("Metric", exact=True).select_option(label="ROC AUC")
    best = max(several, key=lambda ev: float(ev["auc"]))
    page.locator("table.board button", has_text=best.name).click()
    assert page.locator("input[type=radio]:checked").get_attribute("data-model") == str(several.index(best))
    assert page.locator(".facts").inner_text().replace("\u2068", "").startswith(f"{best.name}:")
    assert seen(page)["cells"] == cells_of(best)
    assert page.locator("table.board thead").inner_text().split("\t")[2] == "ROC AUC"


def test_more_curves_are_those_of_python(opened):
    """Gain, lift and errors in normal quantiles have their marker where the counts put it."""
    actual, score = spread(400)
    ev = assay.evaluate(actual=actual, score=score)
    page = opened(ev.report)
    page.get_by_text("More curves").click()
    for threshold in (0.2, 0.6):
        typed(page, threshold)
        at = ev.at(float(seen(page)["box"]))
        (_, fp), (fn, tp) = at.tallies["confusion"].table().tolist()
        picked = (tp + fp) / 400
        charts = seen(page)["charts"]
        assert charts["Cumulative gain"]["at"] == pytest.approx([picked, float(at["recall"])])
        lift = float(at["precision"]) / actual.mean()
        assert charts["Lift"]["at"] == pytest.approx([picked, lift])
        normal = statistics.NormalDist().inv_cdf
        rates = [fp / (actual == 0).sum(), fn / actual.sum()]
        assert charts["Detection error tradeoff"]["at"] == pytest.approx(list(map(normal, rates)), abs=1e-3)
        assert all(
            charts[name]["on_curve"] for name in ("Cumulative gain", "Lift", "Detection error tradeoff")
        )


def test_slices_are_those_of_the_chosen_model(opened):
    """Another model brings its own slices, under its name."""
    actual, score = spread(900)
    part = np.array(["a", "b", "c"])[np.arange(900) % 3]
    several = [
        assay.evaluate(actual=actual, score=p, by=part, name=name)
        for name, p in (("first", score), ("second", 1 - score))
    ]
    page = opened(lambda path: assay.report(several, path))
    for at, ev in enumerate(several):
        page.get_by_role("radio").nth(at).check()
        rows = class_rows(page, f"Slices of \u2068{ev.name}\u2069")
        (by,) = ev.slices
        for label in "abc":
            own = ev.slices[by][label]["recall"]
            assert [format_value(own.value), format_interval(own)] in rows[label]
        whole = ev["accuracy"]
        assert rows["all rows"][0] == [format_value(whole.value), format_interval(whole)]
    assert "chosen below: every model is at threshold 0.5" in page.locator("main").inner_text()


def test_slices_come_worst_first_with_their_tests(opened):
    """The slice whose scores are turned round is the first, and its test says that it is worse."""
    ev = sliced(5)
    page = opened(ev.report)
    table = page.locator('section:has(h2 > button:text-is("Slices")) table.slices tbody tr')
    assert table.nth(1).locator("th").inner_text() == "part 0"
    (by,) = ev.slices
    diff = ev.slices[by].differences()["part 0", "accuracy"]
    said = table.nth(1).locator("td.forest").first.locator(".tested").inner_text()
    assert said.startswith("\u25bc worse than the rest: -")
    assert format_value(diff.difference) in said


def test_lists_without_a_relevant_item_are_counted_and_said(opened):
    """The page says how many lists have no relevant item, and how they are counted."""
    for options, words, size in (({}, "counted as 0", 100), ({"empty": "skip"}, "left out", 96)):
        ev = lists(**options)
        text = opened(ev.report).locator("main").inner_text()
        assert f"4 lists without a relevant item, {words}" in text
        assert ev["hit_rate"].n == size
        assert "whole lists, without a limit k" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "4 lists without a relevant item are counted as 0, and in neither table."),
        ({"empty": "one"}, "4 lists without a relevant item are counted as 1, and in neither table."),
        (
            {"empty": "skip"},
            "4 lists without a relevant item are left out of the metrics, and in neither table.",
        ),
    ],
)
def test_the_worst_and_the_best_lists_have_python_s_values(opened, options, said):
    """Without their names, which are the caller's; lists with nothing to find are counted below them."""
    ev = lists(**options)
    page = opened(ev.report)
    frame = ev.errors(n=200).to_frame(library="dict")
    rows = list(zip(*(frame[name] for name in ("ndcg", "items", "relevant")), strict=True))
    assert len(rows) == 96
    tables = dict(zip(("worst", "best"), page.locator(".abreast table").all(), strict=True))
    texts = {
        end: [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
        for end, table in tables.items()
    }
    assert tables["worst"].locator("th").all_inner_texts() == ["NDCG", "items", "relevant"]
    wanted = [[format_value(value), str(n), str(k)] for value, n, k in rows]
    assert texts["worst"] == wanted[:5]
    assert {row[0] for row in texts["best"]} <= {row[0] for row in wanted[-40:]}
    assert all(row in wanted for row in texts["best"])
    assert said in page.locator("main").inner_text()


@pytest.mark.parametrize(("scale", "offset"), [(1e-9, 0.0), (10.0, 1e9), (150_000.0, 0.0), (1.0, 0.0)])
def test_the_trend_of_residuals_is_drawn_at_any_size(opened, scale, offset):
    """The trend has the same shape whatever the size of the numbers, and ticks can be told apart."""
    page = opened(numbers(scale, offset).report)
    chart = page.locator('figure:has(figcaption:has-text("Residuals"))').first
    path = chart.locator("path.line.warning").get_attribute("d")
    heights = {part.split(" ")[1] for part in path.replace("M", "L").split("L")[1:]}
    assert len(heights) >= 8  # of ten points: neither level nor a staircase
    for axis in ("end", "middle"):
        ticks = chart.locator(f'.axes text[text-anchor="{axis}"]:not(.name)').all_text_contents()
        assert len(set(ticks)) == len(ticks) >= 3
        assert all(len(text) <= 6 for text in ticks)


def test_charts_of_weighted_numbers_weigh_them(opened):
    """Cells and bars add up to the weights, and the page says that they are weights."""
    weight = np.random.default_rng(8).random(1_500) * 3
    ev = numbers(weight=weight)
    shapes = page_of([ev])["models"][0]["shapes"]
    inside = sum(shapes["distribution"]["counts"])
    assert inside == pytest.approx(weight.sum(), rel=0.01)
    assert sum(amount for *_, amount in shapes["predicted"]["cells"]) == pytest.approx(weight.sum(), rel=0.01)
    assert "cells by the weight of their rows" in opened(ev.report).locator("main").inner_text()


def test_tables_state_their_confidence(opened):
    """Tables of classes, slices and models say which confidence their intervals have."""
    actual, score = spread(900)
    part = np.arange(900) % 3
    several = [
        assay.evaluate(actual=actual, score=score, confidence=0.9, by=part, name=name) for name in ("a", "b")
    ]
    text = opened(lambda path: assay.report(several, path)).locator("main").inner_text()
    assert text.count("90% intervals, each for itself") == 2
    text = opened(classes(3, 300, confidence=0.8).report).locator("main").inner_text()
    assert text.count("80% intervals, each for itself") == 1


def test_a_remark_on_an_absent_class_names_what_is_undefined():
    """Averages that have a value are not called undefined."""
    ev = assay.evaluate(actual=list("aabbab" * 20), predicted=list("abbbac" * 20), labels=["a", "b", "c"])
    (remark,) = (text for text in page_of([ev])["models"][0]["remarks"] if "No row is" in text)
    assert remark == 'No row is "c": its recall is undefined, and with it balanced accuracy.'
    assert ev["macro_f1"].defined
    assert not ev["balanced_accuracy"].defined


def test_three_models_are_described_in_a_line_for_each_pair(opened):
    """Who is best, then every two models: short lines, whose numbers stand in the table below."""
    several = models(3)
    said = page_of(several)["comparison"]["summary"]
    names = [ev.settings.name for ev in several]
    pairs = [[name for name in names if name in line] for line in said[-3:]]
    assert pairs == [list(pair) for pair in itertools.combinations(names, 2)]
    assert len(said) <= 6
    assert all(len(line) < 300 and "[" not in line and "p =" not in line for line in said)
    found = assay.compare(*several)
    for diff in found.differences:  # who wins is what the tests say
        (line,) = (line for line in said[-3:] if diff.first in line and diff.second in line)
        title = metric_title(diff.metric).partition(" (")[0]
        winner = next(
            (f"{name} is better than" for name in (diff.first, diff.second) if diff.winner == name), None
        )
        known = (title, "on any of", "on all")
        where = next(clause for clause in line.split("; ") if any(words in clause for words in known))
        assert where.startswith(winner) if winner else "cannot tell" in where
    page = opened(lambda path: assay.report(several, path))
    lines = page.locator("section").first.locator("p").all_inner_texts()
    assert lines[: len(said)] == said


def test_many_models_have_an_order_and_every_pair(opened):
    """The leaderboard of twelve models has ranks and ties, and a cell of the matrix its numbers."""
    several = models(12)
    page = opened(lambda path: assay.report(several, path))
    found = assay.compare(*several)
    board = page.locator("table.board tbody tr")
    assert board.count() == 12
    values = [ev["accuracy"].value for ev in several]
    assert board.first.locator("th").inner_text() == several[int(np.argmax(values))].name
    assert page.locator("table.outcomes tbody button").count() == 12 * 11
    page.get_by_label("Metric", exact=True).select_option(label="ROC AUC")
    cell = page.locator("table.outcomes tbody tr").first.locator("button").last
    cell.click()
    first = page.locator("table.board tbody tr").first.locator("th").inner_text()
    last = page.locator("table.board tbody tr").last.locator("th").inner_text()
    pair = sorted((first, last), key=found.names.index)
    diff = found["auc", pair[0], pair[1]]
    assert format_value(diff.difference) in page.locator("[aria-live=polite]:not([data-said])").inner_text()
    assert len(page.locator("main").inner_text().split()) < 5_000


def test_the_table_of_thresholds_has_pythons_numbers(opened):
    """Every line of the table is the evaluation at its threshold."""
    actual, score = spread(2_000)
    ev = assay.evaluate(actual=actual, score=score)
    page = opened(ev.report)
    page.get_by_text("Table of thresholds").click()
    rows = [row.locator("td").all_inner_texts() for row in page.locator("details.thresholds tbody tr").all()]
    assert len(rows) >= 20
    for threshold, tp, fp, _, _, *values in rows:
        if threshold == "above all scores":
            continue
        above = score >= float(threshold)
        if not np.isin(float(threshold), [0.5, *np.arange(0.05, 1, 0.05).round(2)]):
            continue  # printed with six digits, of which Python has more
        assert [int(tp.replace(",", "")), int(fp.replace(",", ""))] == [
            actual[above].sum(),
            (1 - actual[above]).sum(),
        ]
        at = ev.at(float(threshold))
        wanted = [at[name] for name in ("precision", "recall", "specificity", "f1")]
        assert values == [format_value(one.value) for one in wanted]


def test_a_typed_threshold_that_is_no_step_says_which_is_shown(opened):
    """Of 20,000 scores the nearest step is shown and named, with the most rows that lie between."""
    (ev,) = GALLERY["many scores"]()
    page = opened(ev.report)
    note = page.locator("[data-instead]")
    for wanted in (0.912345678, 0.1234567, 0.5, 0.87, 0.3333333):
        typed(page, wanted)
        shown = float(page.locator("input.exact").input_value())
        assert seen(page)["cells"] == cells_of(ev.at(shown))
        if wanted in (0.5, 0.87):
            assert shown == wanted
            assert not note.is_visible()
            continue
        assert abs(shown - wanted) < 0.0006
        words = note.inner_text()
        assert words.startswith(f"{wanted} is no step of the slider")
        scores = ev.tallies["scores"].scores
        between = ((scores >= min(shown, wanted)) & (scores < max(shown, wanted))).sum()
        most, verb = words.split("At most ")[1].removesuffix(" between the two.").split(" ", 1)
        most = int(most.replace(",", ""))
        assert verb == ("row is" if most == 1 else "rows are")
        assert between <= most < 60
    page.get_by_role("button", name="Back to the start").click()
    assert not note.is_visible()
