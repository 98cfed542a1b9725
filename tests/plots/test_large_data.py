"""Plots of more scores than can be told apart show what all of them would."""

import matplotlib as mpl
import numpy as np
import pytest

import assay
from assay.decisions import choose_threshold
from assay.inference.formulas.calibration_bands import consistency_band
from assay.metrics import find
from assay.metrics.curves import curves
from assay.metrics.views.probability import Probabilities

mpl.use("Agg")
PIXEL = 1 / 2_400


@pytest.fixture(scope="module")
def tally():
    random = np.random.default_rng(0)
    p = random.random(300_000) ** 2
    return assay.Scores.of(assay.rows(actual=random.random(300_000) < p**1.2, score=p))


def test_the_least_cost_is_that_of_all_scores(tally):
    """Where it lies is a corner of the hull, which is kept; elsewhere the line is within a pixel."""
    for costs in (
        {"cost_fp": 1, "cost_fn": 4},
        {"cost_fp": 500, "cost_fn": 1},
        {"cost_fp": 1, "cost_fn": 900},
    ):
        ax = assay.plots.expected_cost(tally, **costs)
        best = choose_threshold(tally, **costs)
        assert ax.texts[0].get_text() == f"least: {best.value:.3g} at {best.threshold:.4g}"
        every = assay.plots.expected_cost(assay.decisions.expected_cost(tally, **costs))
        (x, y), (all_x, all_y) = (np.array(one.lines[0].get_data())[:, ::-1] for one in (ax, every))
        assert ax.get_ylim() == pytest.approx(every.get_ylim(), rel=PIXEL)
        assert (x[0], x[-1]) == pytest.approx((all_x[0], all_x[-1]))
        # Both lines stray by half a pixel of all that there is, also of what is beyond the picture's top.
        at, tall = np.linspace(x[0], x[-1], 5_000), y.max()
        shifted = [np.interp(at + shift * PIXEL, x, y) for shift in (-2, -1, 0, 1, 2)]
        there = np.interp(at, all_x, all_y)
        assert (np.min(shifted, axis=0) - 2 * PIXEL * tall <= there).all()
        assert (there <= np.max(shifted, axis=0) + 2 * PIXEL * tall).all()


def test_the_calibration_line_is_that_of_all_scores(tally):
    """Its steps begin where those of the isotonic fit do, and are as high."""
    line, every = assay.plots.calibration(tally, band="none").lines[1], curves.calibration(tally)
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    low, high = (np.interp(every.x + shift, x, y) for shift in (-2 * PIXEL, 2 * PIXEL))
    assert (low - 2 * PIXEL <= every.y).all()
    assert (every.y <= high + 2 * PIXEL).all()


def test_the_calibration_plot_of_very_many_scores_goes_through_no_column_of_floats(tally, monkeypatch):
    """Its line, band and key are those of all scores, without the columns that the formulas would make."""
    words = assay.plots.calibration(tally).get_legend_handles_labels()[1]
    brier, part = find("brier")(tally), find("brier_miscalibration")(tally)
    whole = np.concatenate([tally.positives, tally.negatives]).astype(float), np.tile(tally.scores, 2)
    assert brier == pytest.approx(
        ((np.repeat([1.0, 0.0], len(tally.scores)) - whole[1]) ** 2 @ whole[0]) / tally.n
    )
    assert f"MCB {part:.3f}" in words[1]
    few = assay.Scores(tally.positive, tally.scores, None, tally.positives, tally.negatives)
    made = type(Probabilities.of(few))
    monkeypatch.setattr(made, "positives", property(lambda _: pytest.fail("a column of floats")))
    ax = assay.plots.calibration(few)
    assert ax.get_legend_handles_labels()[1] == words
    ((band, *_),) = [one.get_paths() for one in ax.collections]
    expected = consistency_band(tally)
    limits = np.unique(np.concatenate([expected.low, expected.high]))
    assert np.array_equal(np.unique(band.vertices[:, 1]), limits)
