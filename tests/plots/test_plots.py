"""What is drawn are the metrics' own numbers, read back from the lines; and what is said is true."""

import itertools
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import assay
from assay import decisions, plots
from assay.inference.formulas.proportions import modified_wilson, normal_quantile
from assay.metrics.curves import curves
from assay.plots.simplify import stepped

mpl.use("agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """Leave no figure open."""
    yield
    plt.close("all")


def made(n=400, seed=1, **more):
    random = np.random.default_rng(seed)
    actual = random.choice(["ham", "spam"], n, p=[0.7, 0.3])
    score = np.round(np.clip(0.35 * (actual == "spam") + 0.65 * random.random(n), 0, 1), 2)
    predicted = np.where(score > 0.5, "spam", "ham")
    return assay.rows(actual=actual, score=score, predicted=predicted, positive="spam", **more)


def line(ax, label=None, colour=plots.axes.COLOURS[0]):
    """Return the points of the first line of a colour, or of the one whose label begins so."""
    for one in ax.get_lines():
        if one.get_label().startswith(label) if label else one.get_color() == colour:
            return np.asarray(one.get_xdata()), np.asarray(one.get_ydata())
    raise AssertionError("no such line")


def words(ax):
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def same(drawn, x, y):
    assert np.array_equal(drawn[0], x)
    assert np.array_equal(drawn[1], y)


def test_a_roc_curve_is_the_metrics_own_in_either_direction():
    """Rates are drawn as they are; over specificity the axis runs backwards, so that the picture is the same."""
    rows = made()
    curve = curves.roc(rows)
    same(line(plots.roc(rows)), curve.x, curve.y)
    ax = plots.roc(rows, over="specificity")
    same(line(ax), 1 - curve.x, curve.y)
    assert ax.get_xlim()[0] > ax.get_xlim()[1]
    hull = curves.roc_hull(rows)
    ax = plots.roc(rows, hull=True)
    dashed = next(one for one in ax.get_lines() if one.get_linestyle() == "--")
    same((dashed.get_xdata(), dashed.get_ydata()), hull.x, hull.y)


def test_the_key_has_the_area_and_its_interval():
    """It is what estimate says, groups and all, and the title has the rows and the positive class."""
    rows = made()
    ax = plots.roc(rows)
    assert words(ax) == [f"AUC {assay.estimate('auc', rows):.3f}"]
    positives = int((np.asarray(curves.roc(rows).y) > 0).any() and assay.Scores.of(rows).positives.sum())
    assert ax.get_title() == f"ROC curve\n400 rows · positive: spam ({positives}, {positives / 400:.1%})"
    assert words(plots.precision_recall(rows)) == [f"AP {assay.estimate('average_precision', rows):.3f}"]
    assert words(plots.det(rows)) == [f"EER {assay.estimate('equal_error_rate', rows):.3f}"]
    grouped = made(group=np.repeat(np.arange(40), 10))
    assert words(plots.roc(grouped)) == [f"AUC {assay.estimate('auc', grouped):.3f}"]
    assert words(plots.roc(grouped)) != words(plots.roc(rows))
    confident = assay.estimate("auc", rows, confidence=0.5)
    assert words(plots.roc(rows, confidence=0.5)) == [f"AUC {confident:.3f}"]


def test_marked_cutoffs_have_the_rates_there_and_the_intervals_of_the_summary():
    """A row at the cutoff is predicted positive."""
    rows = made()
    tally = assay.Scores.of(rows)
    above = tally.scores >= 0.5
    tp, fp = int(tally.positives[above].sum()), int(tally.negatives[above].sum())
    positives, negatives = int(tally.positives.sum()), int(tally.negatives.sum())
    ax = plots.roc(rows, at=0.5)
    across, up, point = ax.get_lines()[-3:]
    assert point.get_xdata()[0] == fp / negatives
    assert point.get_ydata()[0] == tp / positives
    assert tuple(across.get_xdata()) == modified_wilson(fp, negatives)
    assert tuple(up.get_ydata()) == modified_wilson(tp, positives)
    assert [text.get_text() for text in ax.texts] == ["≥ 0.5"]
    ax = plots.precision_recall(rows, at=[0.5, 0.25])
    assert ax.get_lines()[-4].get_ydata()[0] == tp / (tp + fp)
    assert len([text for text in ax.texts if "≥" in text.get_text()]) == 2


def test_precision_is_drawn_in_the_steps_that_average_precision_adds_up():
    """The area under the drawn line is average precision, and the dotted line is the prevalence."""
    rows = made()
    ax = plots.precision_recall(rows, iso_f=(0.5,))
    steps = stepped(curves.precision_recall(rows))
    drawn = line(ax, "AP")
    same(drawn, steps.x, steps.y)
    area = float((np.diff(drawn[0]) * drawn[1][1:]).sum())
    assert area == pytest.approx(assay.metrics.average_precision(rows), rel=1e-12)
    tally = assay.Scores.of(rows)
    level = next(one for one in ax.get_lines() if one.get_linestyle() == ":")
    assert level.get_ydata()[0] == tally.positives.sum() / tally.n
    recall, precision = (np.asarray(x) for x in ax.get_lines()[0].get_data())
    assert np.allclose(2 * recall * precision / (recall + precision), 0.5)


def test_gain_lift_and_error_tradeoff_are_the_metrics_own():
    """Rates of 0, which no probit axis has, are drawn at its edge."""
    rows = made()
    for draw, curve in ((plots.gain, curves.gain(rows)), (plots.lift, curves.lift(rows))):
        same(line(draw(rows)), curve.x, curve.y)
    ax, curve = plots.det(rows), curves.detection_error(rows)
    x, y = line(ax)
    low = x.min()
    assert 0 < ax.get_xlim()[0] < low < curve.x[curve.x > 0].min()
    assert np.array_equal(x, np.clip(curve.x, low, 1 - low))
    assert np.array_equal(y, np.clip(curve.y, low, 1 - low))
    assert ((curve.x == 0) | (curve.x >= low)).all()


@pytest.mark.parametrize("bins", [None, 8])
@pytest.mark.parametrize("highest", [0.02, 1e-6, 0.4])
def test_the_axes_of_calibration_fit_the_probabilities(highest, bins):
    """Both sides end alike just above the probabilities, with ticks between; the bars at the foot fill them."""
    random = np.random.default_rng(5)
    score = highest * random.beta(2, 2, 900)
    actual = (random.random(900) < np.maximum(score, 0.02 * score / highest)).astype(int)
    rows = assay.rows(actual=actual, score=score)
    ax = plots.calibration(rows, bins=bins)
    ax.figure.canvas.draw()
    assert ax.get_xlim() == ax.get_ylim()
    assert highest < ax.get_xlim()[1] < 3 * highest
    assert ax.get_box_aspect() == 1
    diagonal = next(one for one in ax.get_lines() if one.get_linestyle() == ":")
    assert diagonal.get_xdata()[1] == diagonal.get_ydata()[1] <= ax.get_xlim()[1]
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert max(ends) == pytest.approx(diagonal.get_xdata()[1])
    for axis in (ax.xaxis, ax.yaxis):
        texts = [tick.get_text() for tick in axis.get_ticklabels()]
        assert 3 <= len(set(texts)) == len(texts) <= 7
        assert all(len(text) <= 8 for text in texts)
    boxes = [tick.get_window_extent() for tick in ax.get_xticklabels()]
    assert all(right.x0 > left.x1 for left, right in itertools.pairwise(boxes))
    (said,) = words(ax)[-1:]
    assert "Brier 0.000" not in said
    curve = curves.calibration(rows)
    if bins is None:
        same(line(ax), curve.x, curve.y)
        beyond = curve.y.max() > diagonal.get_ydata()[1]
        assert ("beyond the axes" in ax.get_title()) == beyond


def test_calibration_of_several_models_has_the_axes_of_the_farthest():
    """A model of tiny probabilities does not cut another one off, and a half or more has all of 0 to 1."""
    random = np.random.default_rng(6)
    score = random.beta(2, 2, 500)
    actual = (random.random(500) < score).astype(int)
    small, large = (assay.rows(actual=actual, score=score * factor) for factor in (0.1, 1.0))
    assert plots.calibration({"small": small, "large": large}).get_xlim() == pytest.approx((-0.02, 1.02))
    assert plots.calibration(small).get_xlim()[1] < 0.3


def test_calibration_is_the_isotonic_fit_within_its_band_or_bins_with_intervals():
    """Both kinds of band and the bins come from where they are computed."""
    from assay.inference.formulas.calibration_bands import confidence_band, consistency_band  # noqa: PLC0415
    from assay.metrics.probability.calibration import calibration_curve  # noqa: PLC0415

    rows = made()
    curve = curves.calibration(rows)
    for band, compute in (("consistency", consistency_band), ("confidence", confidence_band)):
        ax = plots.calibration(rows, band=band)
        same(line(ax), curve.x, curve.y)
        limits, shown = compute(rows), ax.collections[0].get_paths()[0].vertices
        assert {*limits.low, *limits.high} == {*shown[:, 1]}
        assert {*limits.p} == {*shown[:, 0]}
        assert words(ax)[0] == f"95% {band} band"
    brier = assay.estimate("brier", rows)
    part = assay.metrics.find("brier_miscalibration")(rows)
    assert words(ax)[1] == f"Brier {brier:.3f}, MCB {part:.3f}"
    ax = plots.calibration(rows, bins=8)
    held = calibration_curve(rows, bins=8)
    same(line(ax), held.predicted, held.observed)
    bars = np.array([piece[:, 1] for piece in ax.collections[0].get_segments()])
    expected = [modified_wilson(rate * n, n) for rate, n in zip(held.observed, held.rows, strict=True)]
    assert np.allclose(bars, expected, rtol=0, atol=1e-12)


def test_scores_are_counted_by_class():
    """Bars add up to the classes, as shares or as rows; what is infinite is told, not drawn."""
    rows = made()
    tally = assay.Scores.of(rows)
    by_class = tally.negatives.sum(), tally.positives.sum()
    for scale in ("share", "count", "log count"):
        ax = plots.scores(rows, scale=scale, bins=20, at=0.5)
        heights = [patch.get_data().values.sum() for patch in ax.patches[1::2]]
        assert heights == pytest.approx([1, 1] if scale == "share" else by_class)
    assert words(ax) == [f"not spam ({by_class[0]})", f"spam ({by_class[1]})"]
    odd = assay.rows(actual=[0, 1, 1, 0], score=[-np.inf, 3.0, np.inf, 1.0])
    assert plots.scores(odd).get_title().endswith("2 rows of infinite score not shown")


def test_costs_over_thresholds_and_over_their_ratio():
    """The lowest point is marked, and a curve that is given is drawn as it is."""
    rows = made()
    curve = decisions.expected_cost(rows, cost_fp=5, cost_fn=1)
    ax = plots.expected_cost(rows, cost_fp=5, cost_fn=1)
    x, y = line(ax)
    steps = stepped(curve)
    assert np.array_equal(y, steps.y)
    assert np.array_equal(x[1:], np.where(np.isinf(steps.x), x[0], steps.x)[1:])
    assert ax.texts[0].get_text() == f"least: {curve.y.min():.3g} at {curve.cutoffs[curve.y.argmin()]:.4g}"
    assert ax.get_title().endswith("costs: false positive 5, false negative 1")
    same(line(plots.expected_cost(curve)), x, y)
    own = plots.expected_cost(rows, cost_fp=np.linspace(1, 2, 400), cost_fn=1)
    assert own.get_title().endswith("costs: false negative 1, others row by row")
    envelope = decisions.cost_curve(rows)
    same(line(plots.cost_curve(rows)), envelope.x, envelope.y)
    same(line(plots.cost_curve({"a": envelope, "b": rows}), "b"), envelope.x, envelope.y)
    with pytest.raises(assay.MetricError, match="cost_fp"):
        plots.expected_cost(rows)


def test_net_benefit_is_drawn_beside_treating_all_and_none():
    """With the interval at each threshold where there is one model; with names where there are several."""
    rows = made()
    curve = decisions.net_benefit(rows)
    ax = plots.net_benefit(rows)
    same(line(ax, "by the model"), curve.x, curve.y)
    same(line(ax, "treat all"), curve.x, curve["treat_all"])
    shown = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert shown.max() == pytest.approx((curve.y + normal_quantile(0.95) * curve["standard_error"]).max())
    at = [0.1, 0.2, 0.4]
    same(line(plots.net_benefit(rows, thresholds=at), "by the model"), at, decisions.net_benefit(rows, at).y)
    assert words(plots.net_benefit({"one": curve, "two": rows})) == ["treat none", "treat all", "one", "two"]
    plain = curves.Curve("net benefit", "threshold", "net_benefit", curve.x, curve.y, curve.x)
    assert words(plots.net_benefit(plain)) == ["treat none", "by the model"]


def test_confusion_cells_are_counts_and_shares():
    """Rows are actual; shades are shares of the actual class, the predicted one, or of all."""
    rows = made()
    table = assay.CrossTable.of(rows)
    for shares, part in (
        ("actual", table.row_shares), ("predicted", table.column_shares), ("all", table.table_shares),
    ):  # fmt: skip
        ax = plots.confusion(rows, shares=shares)
        assert np.array_equal(np.asarray(ax.images[0].get_array()), part)
        written = [text.get_text() for text in ax.texts]
        assert written[0::2] == [f"{count:,}" for count in table.counts.ravel()]
        assert written[1::2] == [f"{share:.1%}" for share in part.ravel()]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "actual")
    turned = plots.confusion(assay.CrossTable.of(rows, rows="predicted"))
    assert np.array_equal(np.asarray(turned.images[0].get_array()), table.row_shares)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(0, 101, 4))
def test_letters_stand_out_from_their_cells(share):
    """The contrast of every count with its shade is at least that asked of small print, 4.5 to 1."""
    ax = plots.confusion(assay.CrossTable([[share, 100 - share], [1, 0]], ["a", "b"]))
    colours = ax.images[0].to_rgba(ax.images[0].get_array())
    for text in ax.texts:
        column, row = text.xy
        lights = [contrast_light(one) for one in (colours[row, column], mpl.colors.to_rgb(text.get_color()))]
        assert (max(lights) + 0.05) / (min(lights) + 0.05) >= 4.5


def contrast_light(colour):
    """Return the relative luminance of the web's guidelines."""
    parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_many_classes_fit():
    """With thirty classes counts are written where they fit; with 300 the shades alone are left."""
    random = np.random.default_rng(0)
    for size, written in ((30, True), (300, False)):
        ax = plots.confusion(
            assay.rows(actual=random.integers(0, size, 9_000), predicted=random.integers(0, size, 9_000))
        )
        assert bool(ax.texts) == written
        assert len(ax.get_xticks()) <= 40
    small = plt.figure(figsize=(1.6, 1.4)).add_subplot()
    assert not plots.confusion(assay.rows(actual=np.arange(30), predicted=np.arange(30)), ax=small).texts


def test_numbers_are_drawn_as_points_or_hexagons_and_the_title_says_which():
    """All rows are in the hexagons; of too many points some are picked, the same ones every time."""
    random = np.random.default_rng(0)
    few = assay.rows(actual=random.normal(size=50), predicted=random.normal(size=50))
    pairs = assay.NumberPairs.of(few)
    ax = plots.residuals(few)
    assert np.array_equal(
        ax.collections[0].get_offsets(), np.stack([pairs.predicted, pairs.actual - pairs.predicted], -1)
    )
    ax = plots.predicted_actual(few)
    assert np.array_equal(ax.collections[0].get_offsets(), np.stack([pairs.actual, pairs.predicted], -1))
    assert ax.get_title() == "Predicted and actual\n50 rows"
    predicted = random.normal(size=30_000)
    many = assay.rows(
        actual=predicted + random.normal(size=30_000), predicted=predicted, weight=np.full(30_000, 2.0)
    )
    ax = plots.residuals(many)
    assert ax.collections[0].get_array().sum() == 60_000  # the weights
    said = ax.get_title().replace("\n", " · ")
    assert said == "Residuals · 30,000 rows · hexagons by weight"
    drawn = [plots.residuals(many, show="points", seed=4).collections[0].get_offsets() for _ in range(2)]
    assert np.array_equal(*drawn)
    assert len(drawn[0]) == 20_000
    said = plots.residuals(many, show="points").get_title().replace("\n", " · ")
    assert said.endswith("points by weight · 20,000 points of 30,000 drawn")


def test_the_trend_of_residuals_is_their_mean_by_tenths():
    """Tenths of the rows in the order of the predictions."""
    random = np.random.default_rng(1)
    predicted = random.random(1_000)
    rows = assay.rows(actual=predicted + random.random(1_000), predicted=predicted)
    x, y = line(plots.residuals(rows), "mean")
    order = np.argsort(predicted)
    left = (np.asarray(rows.actual.values) - predicted)[order].reshape(10, 100)
    assert np.allclose(y, left.mean(1))
    assert np.allclose(x, predicted[order].reshape(10, 100).mean(1))


def test_a_forest_has_a_line_for_each_estimate():
    """Points and intervals are the estimates', what is undefined says why, what is out of sight is an arrow."""
    rows = made()
    found = {name: assay.estimate(name, rows) for name in ("precision", "recall", "mcc")}
    found["none"] = assay.Estimate(
        assay.metrics.Undefined("nothing was predicted positive"), None, None, 0.95, "", 9
    )
    found["far"] = assay.Estimate(2.0, 0.5, 12.0, 0.95, "", 9)
    ax = plots.forest(found, reference=found["recall"], limits=(0, 1))
    for row, one in enumerate([found[name] for name in ("precision", "recall", "mcc")]):
        blue = [one for one in ax.get_lines() if one.get_color() == plots.axes.COLOURS[0]]
        ends, point = (np.asarray(part.get_xdata()) for part in blue if part.get_ydata()[0] == row)
        assert ends.tolist() == [one.low, one.high]
        assert point.tolist() == [one.value]
        assert ax.texts[row].get_text() == format(one, ".3f")
    assert ax.texts[3].get_text() == "undefined: nothing was predicted positive"
    arrows = [one for one in ax.get_lines() if one.get_marker() == ">"]
    assert [one.get_ydata()[0] for one in arrows] == [4]
    assert next(label.get_text() for label in ax.get_yticklabels()) == "precision  (n = 400)"


def test_metrics_and_slices_are_forests_of_what_estimate_says():
    """Options go to the metrics that know them; slices are held against all rows."""
    by = np.random.default_rng(3).choice(["north", "south", "west"], 400)
    rows = made(by=by)
    ax = plots.metrics(rows, ["f1", "accuracy", "auc"], positive="spam")
    assert [text.get_text() for text in ax.texts] == [
        format(assay.estimate(name, rows), ".3f") for name in ("f1", "accuracy", "auc")
    ]
    ax = plots.slices(rows, "f1")
    grouped = assay.Grouped.of(rows, assay.Confusion)
    expected = [
        format(assay.estimate("f1", grouped[name], positive="spam"), ".3f")
        for name in ("north", "south", "west")
    ]
    assert [text.get_text() for text in ax.texts] == expected
    assert f"all rows, {assay.estimate('f1', rows):.3f}" in " ".join(ax.get_title().split("\n"))
    again = plots.slices(grouped, "f1", positive="spam", order=True)
    assert sorted(text.get_text() for text in again.texts) == sorted(expected)
    values = [float(text.get_text().split()[0]) for text in again.texts]
    assert values == sorted(values, reverse=True)
    with pytest.raises(assay.ColumnError, match="by="):
        plots.slices(made(), "f1")


def test_several_models_share_a_picture_and_keep_their_colours():
    """Each has its line and its area in the key; calibration is left out where there are no probabilities."""
    two = {"one": made(seed=1), "other": made(seed=2)}
    axes = plots.compare(two)
    assert [ax.get_title().split("\n")[0] for ax in axes] == [
        "ROC curve",
        "Precision-recall curve",
        "Calibration",
    ]
    assert words(axes[0]) == [f"{name}  AUC {assay.estimate('auc', rows):.3f}" for name, rows in two.items()]
    for name, rows, colour in zip(two, two.values(), plots.axes.COLOURS, strict=False):
        curve = curves.roc(rows)
        same(line(axes[0], name), curve.x, curve.y)
        assert all(any(one.get_color() == colour for one in ax.get_lines()) for ax in axes)
    logits = {"a": assay.rows(actual=[0, 1, 1], score=[-3.0, 2.0, 5.0])}
    assert len(plots.compare(logits)) == 2
    by_slice = assay.Grouped.of(made(by=np.repeat(["x", "y"], 200)), assay.Scores)
    assert [text.split()[0] for text in words(plots.roc(by_slice))] == ["x", "y"]


def test_classes_with_a_column_each_are_drawn_against_the_rest():
    """Rows with several scores, or their tally: a line per class, by its name, and nobody guesses a positive."""
    random = np.random.default_rng(0)
    actual = random.choice(["a", "b", "c"], 300)
    scores = random.dirichlet([1, 1, 1], 300) + (actual[:, None] == np.array(["a", "b", "c"]))
    rows = assay.rows(actual=actual, score=scores / scores.sum(1, keepdims=True), labels=["a", "b", "c"])
    ax = plots.Plots(rows).roc()
    tally = assay.ClassScores.of(rows)
    for label in "abc":
        curve = curves.roc(tally.against_rest(label))
        same(line(ax, f"{label}  AUC"), curve.x, curve.y)
    assert ax.get_title() == "ROC curve\n300 rows · positive: each of 3 classes in turn"
    assert words(plots.roc(tally)) == words(ax)


def test_binned_scores_are_drawn_at_their_cells_and_say_so():
    """At the lower edges of the cells the curve is exact, so every point of it is one of the rows' own."""
    rows = made()
    ax = plots.Plots(assay.BinnedScores.of(rows, bits=12)).roc()
    drawn, exact = set(zip(*line(ax), strict=True)), curves.roc(rows)
    assert drawn <= set(zip(exact.x, exact.y, strict=True))
    assert "400 rows · in bins · positive: spam" in ax.get_title()
    assert plots.scores(assay.BinnedScores.of(rows)).get_title()


def test_a_long_key_stands_beside_the_picture():
    """Nothing is hidden behind thirty names."""
    ax = plots.roc({f"model {number}": made(60, seed=number) for number in range(30)})
    ax.figure.canvas.draw()
    key, figure = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert key.x0 > ax.get_window_extent().x1
    assert key.x1 <= figure.x1
    assert (figure.y0, key.y1) <= (key.y0, figure.y1)
    looks = {(one.get_color(), one.get_linestyle()) for one in ax.get_lines()[1:]}
    assert len(looks) == 28


def test_the_accessor_draws_each_plot_in_a_word():
    """Of rows, which are tallied once, of a tally, and of a collection."""
    rows = made(by=np.repeat(["x", "y"], 200))
    plot = plots.Plots(rows)
    for name in (
        "roc",
        "precision_recall",
        "det",
        "gain",
        "lift",
        "calibration",
        "scores",
        "confusion",
        "cost_curve",
        "net_benefit",
    ):
        assert getattr(plot, name)().get_title()
    assert plot.expected_cost(cost_fp=2, cost_fn=1).get_title()
    assert plot.tally(assay.Scores) is plot.tally(assay.Scores)
    assert plot.metrics(["f1"]).get_title()
    assert plot.slices("f1").get_title()
    plt.close("all")
    both = plots.Plots(assay.Collection.of(rows, {"labels": assay.Confusion, "ranks": assay.Scores}))
    curve = curves.roc(rows)
    same(line(both.roc()), curve.x, curve.y)
    assert both.confusion().get_title()
    with pytest.raises(assay.MetricError, match="tally of number pairs"):
        both.residuals()
    numbers = plots.Plots(assay.rows(actual=[1.0, 2.0], predicted=[1.5, 2.5]))
    assert numbers.residuals().get_title()
    assert numbers.predicted_actual().get_title()
    assert "roc" in repr(plot)


def test_axes_go_in_and_come_out():
    """What is given is drawn on and returned; nothing else is opened."""
    figure, ax = plt.subplots()
    assert plots.roc(made(), ax=ax) is ax
    assert plt.get_fignums() == [figure.number]


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [plots.roc, plots.precision_recall, plots.det, plots.gain, plots.lift, plots.calibration, plots.scores],
)
def test_ties_weights_and_few_rows_are_drawn(draw):
    """Without a warning, and to the last pixel."""
    cases = [
        assay.rows(actual=[0, 1], score=[0.2, 0.7]),
        assay.rows(actual=[0, 1] * 20, score=[0.5] * 40),
        assay.rows(actual=[0, 1] * 20, score=np.linspace(0, 1, 40), weight=np.linspace(1, 3, 40)),
        assay.rows(actual=[0, 1] * 20, score=np.linspace(1, 0, 40).astype(np.float32)),
    ]
    for rows in cases:
        draw(rows).figure.canvas.draw()
    assert (
        draw(
            {"long $name_of^a model that goes on": cases[0]} if draw is not plots.scores else cases[0]
        ).figure.canvas.draw()
        is None
    )


def test_words_follow_the_style_of_the_page():
    """On a dark page titles, names and marks are light."""
    with plt.style.context("dark_background"):
        ax = plots.roc(made(), at=0.5)
        words = [ax.title, ax.xaxis.label, *ax.get_xticklabels(), *ax.texts, *ax.get_legend().get_texts()]
        assert {mpl.colors.to_rgb(word.get_color()) for word in words} == {(1, 1, 1)}


@pytest.mark.parametrize("draw", [plots.roc, plots.det])
def test_one_class_has_no_curve(draw):
    """It is said before anything is opened."""
    with pytest.raises(assay.MetricError, match="there is no curve"):
        draw(assay.rows(actual=[1, 1], score=[0.2, 0.7], labels=[0, 1]))
    assert not plt.get_fignums()


def test_what_cannot_be_drawn_is_refused():
    """No rows, options that are not known, a positive class that nobody stated."""
    with pytest.raises(assay.MetricError, match="over='left' is not known"):
        plots.roc(made(), over="left")
    with pytest.raises(assay.LabelError, match="positive"):
        plots.roc(assay.rows(actual=["a", "b"], score=[0.1, 0.2]))
    with pytest.raises(assay.MetricError, match="nothing to draw"):
        plots.roc({})
    with pytest.raises(assay.MetricError, match="no rows"):
        plots.confusion(assay.Confusion())
    with pytest.raises(assay.MetricError, match="no rows"):
        plots.residuals(assay.NumberPairs())
    with pytest.raises(assay.MetricError, match="no estimates"):
        plots.forest({})
    with pytest.raises(assay.NumberError, match="probabilit"):
        plots.calibration(assay.rows(actual=[0, 1], score=[0.2, 7.0]))
    with pytest.raises(assay.MetricError, match="one model"):
        plots.scores({"a": made(), "b": made()})
    with pytest.raises(assay.MetricError, match="3 pictures need as many axes"):
        plots.compare({"a": made()}, axes=plt.subplots(1, 2)[1])


def test_curves_of_many_rows_are_drawn_with_few_points():
    """A line of a hundred thousand cutoffs has no more points than can be seen."""
    random = np.random.default_rng(0)
    actual = random.integers(0, 2, 100_000)
    rows = assay.rows(actual=actual, score=random.normal(size=100_000) + actual)
    assert len(line(plots.roc(rows))[0]) < 2_000


def test_importing_plots_does_not_import_matplotlib_and_its_absence_is_a_hint():
    """The first plot loads it, or says how to get it."""
    script = (
        "import sys, assay; assay.plots; print('matplotlib' in sys.modules);"
        "sys.modules['matplotlib'] = None;"
        "rows = assay.rows(actual=[0, 1], score=[0.1, 0.9]);\n"
        "try: assay.plots.roc(rows)\n"
        "except assay.MissingDependencyError as hint: print(hint)"
    )
    said = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert said == [
        "False",
        "plots need Matplotlib, which is not installed: pip install 'assay-metrics[plots]'.",
    ]


def test_a_list_of_models_is_refused():
    """Several models need names: a list of them is told how."""
    with pytest.raises(assay.MetricError, match="by their names"):
        plots.compare([assay.rows(actual=[0, 1], score=[0.2, 0.7])])
