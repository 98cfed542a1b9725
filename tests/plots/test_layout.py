"""What a reader sees: nothing cut, nothing over something else, nothing left behind."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

import assay
from assay import plots

mpl.use("agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """Leave no figure open."""
    yield
    plt.close("all")


def made(n, seed=1, share=0.3, signal=2.0, names=("ham", "spam"), **more):
    random = np.random.default_rng(seed)
    positive = random.random(n) < share
    positive[:2] = True, False
    score = 1 / (1 + np.exp(-(signal * positive - 1.5 + random.logistic(size=n))))
    labels = np.array(names)
    return assay.rows(
        actual=labels[positive.astype(int)], score=score, predicted=labels[(score > 0.5).astype(int)],
        positive=names[1], **more,
    )  # fmt: skip


HOSTILE = ("$x_1$ and $y^2", "ünï_$\\frac{1}{2}$ <b>漢字 a label that goes on and on and on")
CASES = {
    "twelve rows": made(12),
    "two rows": assay.rows(actual=[0, 1], score=[0.2, 0.7], predicted=[0, 1]),
    "one score": assay.rows(actual=[0, 1] * 20, score=[0.5] * 40, predicted=[1] * 40),
    "perfect": assay.rows(
        actual=[0] * 50 + [1] * 50, score=np.linspace(0, 1, 100), predicted=[0] * 50 + [1] * 50
    ),
    "backwards": assay.rows(
        actual=[1] * 50 + [0] * 50, score=np.linspace(0, 1, 100), predicted=[0] * 50 + [1] * 50
    ),
    "rare": made(3_000, share=0.004, signal=4),
    "hostile": made(60, names=HOSTILE),
}
DRAWINGS = {
    "roc": lambda rows: plots.roc(rows, at=(0.2, 0.5)),
    "roc by specificity": lambda rows: plots.roc(rows, over="specificity", at=(0.2, 0.5)),
    "precision-recall": lambda rows: plots.precision_recall(rows, at=0.5, iso_f=(0.2, 0.8)),
    "det": plots.det,
    "gain": plots.gain,
    "lift": plots.lift,
    "calibration": plots.calibration,
    "calibration in bins": lambda rows: plots.calibration(rows, bins=10),
    "scores": lambda rows: plots.scores(rows, at=0.5),
    "expected cost": lambda rows: plots.expected_cost(rows, cost_fp=5, cost_fn=1),
    "cost curve": plots.cost_curve,
    "net benefit": plots.net_benefit,
    "confusion": plots.confusion,
    "metrics": lambda rows: plots.metrics(rows, ["accuracy", "mcc", "auc", "lift"]),
}


def words(figure):
    """Return what is written in a figure, with its box; empty words and those outside a scale left out."""
    figure.canvas.draw()
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent()
            if box.width and box.height:
                found.append((text, box))
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph")  # the default font has no Chinese letters
@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("case", ["twelve rows", "one score", "perfect", "rare", "hostile"])
def test_nothing_is_cut_and_labels_are_no_formulas(case, drawing):
    """All words are within the figure, and a $ in a label is a $."""
    figure = DRAWINGS[drawing](CASES[case]).figure
    shown = figure.bbox.padded(2)
    ticks = {
        label
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for label in axis.get_ticklabels(which="both")
    }
    for text, box in words(figure):
        if text not in ticks:  # those beyond an axis are not drawn
            assert shown.x0 <= box.x0 <= box.x1 <= shown.x1, text
            assert shown.y0 <= box.y0 <= box.y1 <= shown.y1, text
        if "10^" not in text.get_text():  # powers of ten beside a logarithmic scale
            assert not is_math_text(text.get_text()), text


@pytest.mark.parametrize("case", ["perfect", "backwards", "one score", "two rows", "rare"])
@pytest.mark.parametrize("over", ["1 - specificity", "specificity"])
def test_marks_are_named_within_the_axes(case, over):
    """At a corner the words stand on the other side of the mark."""
    ax = plots.roc(CASES[case], at=(0.01, 0.5, 0.99), over=over)
    ax.figure.canvas.draw()
    frame = ax.get_window_extent().padded(1)
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1
        assert frame.y0 <= box.y0
        assert box.y1 <= frame.y1


@pytest.mark.parametrize("case", CASES)
def test_the_rates_of_an_error_tradeoff_stand_apart(case):
    """Ticks of a probit axis crowd at its ends: those that would run into others are left out."""
    ax = plots.det(CASES[case])
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    for one, other in itertools.pairwise(boxes):
        assert one.y1 <= other.y0 + 1


def test_twelve_models_leave_room_for_their_curves():
    """Pictures with a key beside them are wider, so that the axes stay as large as ever."""
    axes = plots.compare({f"model {number}": made(200, seed=number) for number in range(12)})
    axes[0].figure.canvas.draw()
    for ax in axes:
        box = ax.get_window_extent()
        assert box.width / ax.figure.dpi > 2.5
        key = ax.get_legend().get_window_extent()
        assert key.x0 >= box.x1
        assert all(
            key.x1 <= other.get_window_extent().x0
            for other in axes
            if other.get_position().x0 > ax.get_position().x0
        )


def test_long_names_stand_above_what_is_said_of_them():
    """A key is no wider than the picture."""
    long = {
        "a model with a very long name indeed": made(200),
        "another of those, with a name as long": made(200, 2),
    }
    for ax in plots.compare(long):
        ax.figure.canvas.draw()
        assert ax.get_legend().get_window_extent().width <= ax.get_window_extent().width
        assert "\n" in ax.get_legend().get_texts()[0].get_text()


def test_curves_are_seen_on_a_dark_page():
    """The seventh colour, black on white, is that of the words; no line has the colour of the page."""
    several = {f"model {number}": made(60, seed=number) for number in range(8)}
    with plt.style.context("dark_background"):
        for draw in (plots.gain, plots.cost_curve, plots.net_benefit):
            ax = draw(several)
            page = mpl.colors.to_rgb(ax.get_facecolor())
            assert page not in {mpl.colors.to_rgb(one.get_color()) for one in ax.get_lines()}
        ax = plots.expected_cost(several, cost_fp=1, cost_fn=2)
        assert (
            len(
                {(one.get_color(), one.get_linestyle()) for one in ax.get_lines() if len(one.get_xdata()) > 2}
            )
            == 8
        )


def test_precision_begins_where_the_first_positive_is_found():
    """Cutoffs that find nothing have a precision and no width: no line runs along the axis."""
    rows = assay.rows(actual=[0, 0, 1, 1, 0], score=[0.9, 0.8, 0.7, 0.6, 0.5])
    line = plots.precision_recall(rows, baseline=False).get_lines()[0]
    assert line.get_xdata().tolist() == [0, 0, 0.5, 0.5, 1, 1, 1]
    assert line.get_ydata().tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.5, 0.5, 0.4, 0.4])


def test_a_model_that_does_harm_is_seen():
    """Where positives are rare and probabilities too high, net benefit is far below 0, and shown."""
    ax = plots.net_benefit(CASES["rare"])
    low, high = ax.get_ylim()
    line = next(one for one in ax.get_lines() if one.get_label() == "by the model")
    seen = (line.get_ydata() > low) & (line.get_ydata() < high)
    assert seen.mean() > 0.4


def test_large_counts_have_all_their_digits():
    """A table of a billion rows is read without powers of ten."""
    ax = plots.confusion(assay.CrossTable([[123456789, 9876543], [7654321, 987654321]], ["a", "b"]))
    assert [text.get_text() for text in ax.texts][::2] == [
        "123,456,789",
        "9,876,543",
        "7,654,321",
        "987,654,321",
    ]


def test_a_power_of_ten_stands_clear_of_the_title():
    """Matplotlib writes it above the left side."""
    random = np.random.default_rng(0)
    ax = plots.residuals(assay.rows(actual=random.normal(size=90) * 1e9, predicted=random.normal(size=90)))
    ax.figure.canvas.draw()
    power = ax.yaxis.get_offset_text()
    assert power.get_text()
    assert ax.title.get_window_extent().y0 >= power.get_window_extent().y1 - 1


BAD = {
    "over": lambda: plots.roc(CASES["twelve rows"], over="left"),
    "at": lambda: plots.roc(CASES["twelve rows"], at="half"),
    "scores at": lambda: plots.scores(CASES["twelve rows"], at="half"),
    "confidence": lambda: plots.roc(CASES["twelve rows"], confidence=2),
    "band": lambda: plots.calibration(CASES["twelve rows"], band="wide"),
    "bins": lambda: plots.calibration(CASES["twelve rows"], bins=0),
    "iso_f": lambda: plots.precision_recall(CASES["twelve rows"], iso_f=(2.5,)),
    "show": lambda: plots.residuals(assay.rows(actual=[1.0], predicted=[2.0]), show="stars"),
    "shares": lambda: plots.confusion(CASES["twelve rows"], shares="none"),
    "scale": lambda: plots.scores(CASES["twelve rows"], scale="root"),
    "costs": lambda: plots.expected_cost(CASES["twelve rows"]),
    "thresholds": lambda: plots.net_benefit(CASES["twelve rows"], thresholds=[1.5]),
    "kinds": lambda: plots.compare({"a": CASES["twelve rows"]}, kinds=("pie",)),
    "ax": lambda: plots.roc(CASES["twelve rows"], ax="here"),
    "axes": lambda: plots.gain(CASES["twelve rows"], ax=[1, 2]),
    "metric": lambda: plots.slices(CASES["twelve rows"], "f11"),
    "data": lambda: plots.roc([1, 2, 3]),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_leaves_no_figure(case):
    """An error of the package, that says what is known, before anything is opened."""
    with pytest.raises(assay.AssayError) as said:
        BAD[case]()
    assert str(said.value).endswith((".", "?"))
    assert not plt.get_fignums()


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_settings_are_left_as_they_were_and_nothing_is_shown(drawing, monkeypatch):
    """A plot opens one figure at most, changes no setting, and leaves showing it to the caller."""
    monkeypatch.setattr(plt, "show", lambda *_, **__: pytest.fail("shown"))
    before = dict(mpl.rcParams)
    ax = DRAWINGS[drawing](CASES["twelve rows"])
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == [ax.figure.number]
