"""What is left out of a curve cannot be seen: measured, from both sides, in pixels."""

import numpy as np
import pytest
from scipy.special import ndtri
from support.line_distance import distances, in_between

import assay
from assay.metrics.curves import curves
from assay.metrics.curves.curves import Curve
from assay.plots.simplify import simplified, stepped, visible

PIXELS = 2400


def strays(x, y, kept):
    """Return the largest distance between a line and what is kept of it, either way."""
    whole = np.stack([x, y], -1)
    left = whole[kept]
    sample = in_between(left)[:: max(1, len(left) // 300)]
    return max(distances(in_between(whole, 3), left).max(), distances(sample, whole).max())


def made(name, n=1_500):
    """Return some awkward lines, in pixels."""
    random = np.random.default_rng(len(name))
    x = np.linspace(0, PIXELS, n)
    return {
        "walk": (x, np.cumsum(random.normal(size=n)) * 5),
        "noise": (x, random.random(n) * PIXELS),
        "parabola": (x, x * x / PIXELS),
        "steps": (np.repeat(x, 2)[:-1], np.repeat(np.sort(random.random(n) * PIXELS), 2)[1:]),
        "spikes": (x, np.where(random.random(n) < 0.002, PIXELS, 0.0)),
        "upright": (np.zeros(n), np.linspace(0, PIXELS, n)),
        "spiral": (np.cos(x / 50) * x / 3, np.sin(x / 50) * x / 3),
        "backwards": (x[::-1], np.sqrt(x * PIXELS)),
        "still": (np.ones(n), np.ones(n)),
    }[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["walk", "noise", "parabola", "steps", "spikes", "upright", "spiral", "backwards", "still"]
)
def test_a_line_is_nowhere_half_a_pixel_from_what_is_kept_of_it(name):
    """The farthest that any place of either line is from the other is below the tolerance."""
    x, y = made(name)
    kept = visible(x, y, 0.5)
    assert strays(x, y, kept) < 0.5
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    assert (np.diff(kept) > 0).all()


@pytest.mark.parametrize("tolerance", [0.1, 1.0, 5.0])
def test_the_tolerance_is_kept_and_used(tolerance):
    """A larger tolerance keeps fewer points and strays farther, never beyond it."""
    x, y = made("walk")
    kept = visible(x, y, tolerance)
    assert strays(x, y, kept) < tolerance
    assert len(kept) < len(visible(x, y, tolerance / 2))


def scored(n=150_000):
    random = np.random.default_rng(5)
    actual = (random.random(n) < 0.3).astype(int)
    return assay.Scores.of(assay.rows(actual=actual, score=random.normal(size=n) + actual))


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "gain", "lift", "detection_error"])
def test_curves_of_many_rows_shrink_and_look_the_same(kind):
    """Every kept point is one of the curve's own, with its cutoff, and none is missed at print size."""
    whole = getattr(curves, kind)(scored())
    if kind == "precision_recall":
        whole = stepped(whole)
    few = simplified(whole)
    assert len(few) * 30 < len(whole)
    points, kept = (set(zip(one.x, one.y, one.cutoffs, strict=True)) for one in (whole, few))
    assert kept <= points
    corner = np.array([whole.x.min(), whole.y.min()])
    size = np.array([whole.x.max(), whole.y.max()]) - corner
    every, part = ((np.stack([one.x, one.y], -1) - corner) / size * PIXELS for one in (whole, few))
    assert distances(every[:: len(every) // 4_000], part).max() < 0.5


def test_a_scale_is_that_of_the_axes():
    """On probit axes what is near 0 is far apart, so more of it is kept, and nothing strays there."""
    whole = curves.detection_error(scored())
    shown = (1e-4, 0.999)
    held = Curve("held", "x", "y", np.clip(whole.x, *shown), np.clip(whole.y, *shown), whole.cutoffs)
    few = simplified(held, limits=(shown, shown), scale=ndtri)
    wide = PIXELS / (ndtri(shown[1]) - ndtri(shown[0]))
    every, part = (np.stack([ndtri(one.x), ndtri(one.y)], -1) * wide for one in (held, few))
    assert distances(every[::40], part).max() < 0.5
    assert (few.x < 0.01).sum() > (simplified(held).x < 0.01).sum()


def test_gaps_stay_gaps():
    """A line is broken where it has no value, once per gap, and each piece keeps its ends."""
    x, y = made("walk")
    y = y.copy()
    y[100:300] = np.nan
    y[1_000] = np.inf
    kept = visible(x, y)
    gaps = kept[~np.isfinite(y[kept])]
    assert gaps.tolist() == [100, 1_000]
    assert {0, 99, 300, 999, 1_001, len(x) - 1} <= set(kept.tolist())


def test_few_points_are_left_as_they_are():
    """A short curve is the very same."""
    tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    curve = curves.roc(tally)
    assert simplified(curve) is curve
    assert len(visible(np.array([1.0]), np.array([2.0]))) == 1
    assert len(visible(np.array([]), np.array([]))) == 0


def test_steps_hold_to_the_left_whichever_way_the_curve_runs():
    """The area under the steps is average precision; turned round, the steps are the same."""
    tally = scored(2_000)
    curve = curves.precision_recall(tally)
    assert stepped(curve).area() == pytest.approx(assay.metrics.average_precision(tally), rel=1e-12)
    turned = curve.taken(np.arange(len(curve))[::-1])
    assert np.array_equal(stepped(turned).x, stepped(curve).x[::-1])
    assert np.array_equal(stepped(turned).y, stepped(curve).y[::-1])
