"""Plots of evaluations from every source: drawn, or refused in words that name the task."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from support.gallery import (
    GALLERY,
    binary,
    classes,
    labels,
    lists,
    models,
    numbers,
    outputs,
    reloaded,
    scored_labels,
    sliced,
)

import assay
from assay.errors import MetricError
from assay.plots import Plots

SCORES = (
    "roc",
    "precision_recall",
    "det",
    "gain",
    "lift",
    "calibration",
    "scores",
    "cost_curve",
    "net_benefit",
)
DRAWN = {
    "binary": (*SCORES, "confusion", "metrics", "classes", "overview"),
    "loaded": (*SCORES, "confusion", "metrics", "overview"),
    "bins": (*SCORES, "confusion", "metrics", "overview"),
    "file": (*SCORES, "confusion", "metrics", "overview"),
    "3 classes": ("roc", "precision_recall", "calibration", "confusion", "metrics", "classes", "overview"),
    "50 classes": ("roc", "confusion", "metrics", "classes", "overview"),
    "12 grades": ("confusion", "metrics", "classes", "overview"),
    "3 labels": ("metrics", "classes", "overview"),
    "30 labels": ("metrics", "classes", "overview"),
    "regression": ("residuals", "predicted_actual", "metrics", "overview"),
    "weighted numbers": ("residuals", "predicted_actual", "overview"),
    "merged numbers": ("residuals", "predicted_actual", "metrics", "overview"),
    "loaded numbers": ("residuals", "predicted_actual", "metrics", "overview"),
    "ranked lists": ("at_k", "lists", "metrics", "overview"),
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_an_evaluation_is_drawn_by_its_plots_and_by_the_functions(name):
    """`ev.plot.x()` and `assay.plots.x(ev)` draw whatever the evaluation was made of."""
    (ev,) = GALLERY[name]()
    for plot in DRAWN[name]:
        for axes in (getattr(ev.plot, plot)(), getattr(assay.plots, plot)(ev)):
            for ax in np.ravel(axes):
                assert ax.get_title()
                assert ax.has_data()
        plt.close("all")


@pytest.mark.parametrize(
    ("name", "plot", "words"),
    [
        (
            "binary",
            "residuals",
            "draws predicted numbers, which regression tasks alone have: the task here is binary",
        ),
        ("5 grades", "predicted_actual", "the task here is ordinal"),
        (
            "regression",
            "roc",
            "draws scores, which binary, multiclass and ordinal tasks have: the task here is regress",
        ),
        ("regression", "confusion", "draws predicted labels, which binary"),
        ("4 outputs", "residuals", "one output at a time: name it with label="),
        ("ranked lists", "roc", "the task here is ranking"),
        ("3 classes", "at_k", "draws ranked lists, which ranking tasks alone have"),
        ("binary labels only", "roc", "this evaluation has no scores to draw: it needs score="),
        ("3 classes", "scores", "of several classes name one with label="),
        ("300 classes", "roc", "300 classes have more curves than can be told apart"),
        ("regression", "classes", "metrics of each class need predicted labels"),
    ],
)
def test_another_task_is_refused_by_its_name(name, plot, words):
    """A plot of the wrong task says what it draws and which tasks have that; no figure is left behind."""
    (ev,) = GALLERY[name]()
    for draw in (getattr(ev.plot, plot), lambda: getattr(assay.plots, plot)(ev)):
        with pytest.raises(assay.errors.AssayError, match=words):
            draw()
    assert not plt.get_fignums()


def test_one_class_of_several_is_chosen():
    """`label=` draws a class against the rest, with the AUC of that class."""
    ev = classes(50, 2_000)
    area = assay.estimate("auc", ev.tallies["class_scores"].against_rest("class 7"))
    for plots in (ev.plot, reloaded(ev).plot, Plots(ev.rows)):
        (text,) = plots.roc(label="class 7").get_legend().get_texts()
        assert f"AUC {float(area):.3f}" in text.get_text()
        assert plots.scores(label="class 7").has_data()
    with pytest.raises(MetricError, match="chooses one of several classes"):
        models(1)[0].plot.roc(label="class 7")


def test_fifty_classes_have_a_whole_key_and_a_picture():
    """The key of fifty curves is inside the figure and leaves room for the square."""
    ax = classes(50, 2_000).plot.roc()
    figure = ax.figure
    figure.canvas.draw()
    key = ax.get_legend().get_window_extent()
    assert len(ax.get_legend().get_texts()) == 50
    assert key.x1 <= figure.bbox.x1 + 1
    assert key.y0 >= -1
    assert key.y1 <= figure.bbox.y1 + 1
    assert ax.get_window_extent().width > 250


def test_metrics_of_an_evaluation_are_its_own():
    """Names that the evaluation knows are drawn with its estimates, at its confidence."""
    ev = classes(3, 500, confidence=0.8)
    ax = ev.plot.metrics(["macro_f1", "accuracy"])
    texts = [text.get_text() for text in ax.texts]
    for name, text in zip(("macro_f1", "accuracy"), texts, strict=True):
        estimate = ev[name]
        assert text == f"{float(estimate):.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
    assert "80% intervals" in ax.get_title()
    with pytest.raises(MetricError, match="name the metrics to draw"):
        assay.plots.metrics(ev.rows)


def test_slices_of_an_evaluation_are_its_own():
    """The slices drawn are those of `ev.slices`, from the highest to the lowest on demand."""
    ev = sliced(4)
    (by,) = ev.slices
    ax = ev.plot.slices("accuracy", order=True)
    own = {label: part["accuracy"].value for label, part in ev.slices[by].items()}
    names = [tick.get_text().partition("  ")[0] for tick in ax.get_yticklabels()]
    assert names == sorted(own, key=lambda label: -own[label])


def test_lists_are_drawn_as_they_are_counted():
    """Metrics over k end at those of the whole lists; the bars count the lists."""
    ev = lists()
    ax = ev.plot.at_k(["ndcg"])
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(ev["ndcg"].value)
    bars = ev.plot.lists()
    assert sum(patch.get_height() for patch in bars.patches) == 100
    skipped = ev.plot.lists(empty="skip")
    assert sum(patch.get_height() for patch in skipped.patches) == 96
    assert "4 without a value" in skipped.get_title()
    assert ev.plot.metrics().get_title() == "Metrics\n100 lists · 95% intervals"


def test_metrics_are_named_as_reports_name_them():
    """Pictures and text have the same names of metrics."""
    ev = numbers()
    names = [tick.get_text() for tick in ev.plot.metrics(["r2", "rmse", "mae"]).get_yticklabels()]
    assert names == ["R²", "RMSE", "MAE"]
    prices = numbers(150_000.0)
    error = prices["mae"]
    wanted = f"{error.value:,.0f} [{error.low:,.0f}, {error.high:,.0f}]"
    assert error.value > 10_000
    assert prices.plot.metrics(["mae"]).texts[0].get_text() == wanted
    assert ev.plot.overview()[-1].get_yticklabels()[-1].get_text() == "Spearman correlation"
    assert labels(3).plot.classes().get_title() == "F1 by label"


def test_classes_are_drawn_with_the_intervals_of_the_table():
    """The forest of labels has the values of `ev.classes`."""
    ev = labels(3)
    texts = [text.get_text() for text in ev.plot.classes("recall").texts]
    wanted = [ev.classes[label]["recall"] for label in ev.classes]
    assert texts == [f"{float(item):.3f} [{item.low:.3f}, {item.high:.3f}]" for item in wanted]
    with pytest.raises(MetricError, match="none of precision, recall, f1"):
        ev.plot.classes("auc")


def test_plots_of_numbers_weigh_their_rows():
    """Areas of points, hexagons, bars and the median are by weight; whole weights are as many rows."""
    times = np.random.default_rng(8).integers(0, 4, 1_500)
    ev, repeated = numbers(weight=times), numbers()
    rows = repeated.rows
    repeated = assay.rows(
        actual=np.repeat(rows.actual.values, times), predicted=np.repeat(rows.predicted.values, times)
    )
    ax = ev.plot.residuals()
    assert "points by weight" in ax.get_title()
    assert "by weight" not in numbers().plot.residuals().get_title()
    trend = ax.get_lines()[-1].get_xydata()
    assert len(trend) == 10
    assert np.allclose(
        trend, assay.plots.residuals(repeated, show="hexagons").get_lines()[-1].get_xydata(), rtol=0.1
    )
    areas = np.sort(ax.collections[0].get_sizes())
    assert np.unique(areas.round(6)).size == 3  # of weights 1, 2 and 3
    drawn, wanted = ev.plot.residual_distribution(), assay.plots.residual_distribution(repeated)
    heights = [[bar.get_height() for bar in one.patches] for one in (drawn, wanted)]
    assert sum(heights[0]) == pytest.approx(times.sum(), rel=0.01)
    lines = [[line.get_xdata()[0] for line in one.get_lines()] for one in (drawn, wanted)]
    assert lines[0] == lines[1]
    left = np.asarray(repeated.actual.values) - np.asarray(repeated.predicted.values)
    assert lines[0] == np.quantile(left, [0.25, 0.5, 0.75], method="inverted_cdf").tolist()


def test_totals_of_weights_have_the_digits_of_their_cells():
    """Six digits of a sum of weights, at the margins too."""
    actual, score = binary(600)
    ev = assay.evaluate(actual=actual, score=score, weight=np.random.default_rng(1).random(600))
    labels_below = [tick.get_text() for tick in ev.plot.confusion().get_yticklabels()]
    totals = ev.tallies["confusion"].table(ev.tallies["confusion"].weight()).sum(1)
    assert labels_below == [f"{label}\n{total:.6g}" for label, total in zip((0, 1), totals, strict=True)]


def test_labels_and_outputs_are_chosen_for_every_plot():
    """`label=` draws one of several labels or outputs, as the evaluation of that label does."""
    for name, plots in (
        ("3 labels with scores", ("roc", "confusion", "scores", "calibration")),
        ("loaded labels", ("roc", "precision_recall", "confusion")),
        ("loaded outputs", ("residuals", "predicted_actual", "residual_distribution")),
    ):
        (ev,) = GALLERY[name]()
        label = ev.task.labels[1]
        for plot in plots:
            one = getattr(ev.plot, plot)(label=label)
            other = getattr(ev.outputs[label].plot, plot)()
            assert one.get_title() == other.get_title()
            for drawn, wanted in zip(one.get_lines(), other.get_lines(), strict=True):
                assert np.array_equal(drawn.get_xydata(), wanted.get_xydata(), equal_nan=True)
        with pytest.raises(MetricError, match="'nothing' is none of"):
            ev.plot.roc(label="nothing")
        with pytest.raises(MetricError, match="at a time: name it with label="):
            ev.plot.roc()


def test_plots_of_one_class_ask_for_it():
    """What several classes cost is drawn of one of them, which the refusal says how to name."""
    ev = classes(3)
    for plot in ("cost_curve", "net_benefit"):
        with pytest.raises(MetricError, match=rf"one class at a time: .* as in ev.plot.{plot}\(label=...\)"):
            getattr(ev.plot, plot)()
        assert getattr(ev.plot, plot)(label="class 1").has_data()


def test_an_overview_without_positives_draws_what_there_is():
    """One absent class takes the curves away, and nothing else."""
    (ev,) = GALLERY["one class"]()
    assert [ax.get_title().split("\n")[0] for ax in ev.plot.overview()] == [
        "Scores by class", "Confusion table", "Metrics",
    ]  # fmt: skip


def test_many_models_are_drawn_in_their_order():
    """The leaderboard has values, intervals and ranks of the comparison, the matrix every decided pair."""
    several = models(12)
    comparison = assay.compare(*several)
    ax = comparison.plot("auc")
    order = sorted(several, key=lambda ev: -float(ev["auc"]))
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert [name.split(" (")[0].removesuffix(" *") for name in names] == [ev.name for ev in order]
    assert names[0] == "model 10 * (1 to 2)"
    assert [text.get_text() for text in ax.texts] == [f"{ev['auc']:.3f}" for ev in order]
    marks = [text.get_text() for text in assay.plots.outcomes(comparison, "auc").texts]
    decided = sum(diff.metric == "auc" and diff.winner is not None for diff in comparison.differences)
    assert len(marks) == 12 * 11
    assert marks.count("\u25b2") == marks.count("\u25bc") == decided
    with pytest.raises(MetricError, match="rmse was not compared, only accuracy"):
        comparison.plot("rmse")


def test_differences_of_three_models_name_both_models_and_the_metric():
    """The middle of a long name is left out of each part, not of the whole line."""
    ax = assay.compare(*models(3), metrics=["balanced_accuracy"]).plot()
    assert ax.get_yticklabels()[0].get_text() == "balanced accuracy · model 2 - model 1"


@pytest.mark.parametrize(
    ("made", "drawn"),
    [
        (lambda: sliced(3), "accuracy"),
        (lambda: reloaded(sliced(3)), "accuracy"),
        (lambda: numbers(by=np.arange(1_500) % 3), "MAE"),
        (lambda: lists(by=np.repeat(np.arange(100) % 3, 12)), "NDCG"),
    ],
)
def test_slices_without_a_metric_are_drawn_by_the_first_of_their_table(made, drawn):
    """`ev.plot.slices()` needs no metric; rows and tallies, which have no table, do."""
    ev = made()
    assert ev.plot.slices().get_xlabel() == drawn
    with pytest.raises(MetricError, match="name the metric to draw of each slice"):
        assay.plots.slices(assay.rows(actual=[0, 1], predicted=[0, 1], by=["a", "b"]))


def test_a_refused_plot_names_one_that_the_task_has():
    """Of several outputs the example is a plot of numbers, of several labels one of scores."""
    with pytest.raises(MetricError, match=r"ev\.plot\.residuals\(label='output 0'\)"):
        outputs(3).plot.residuals()
    with pytest.raises(MetricError, match=r"ev\.plot\.roc\(label='label 0'\)"):
        scored_labels(3).plot.roc()
