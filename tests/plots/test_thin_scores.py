"""Condensed scores: exact at every cutoff that is left, and drawn so that nobody sees what is not."""

import numpy as np
import pytest
from support.browser import spread
from support.line_distance import distances, in_between

import assay
from assay.metrics.curves import curves
from assay.metrics.curves.convex_hull import upper_hull
from assay.metrics.views.ranking import Ranks
from assay.plots.simplify import stepped
from assay.plots.thin_scores import condensed
from assay.reports.page.charts import of_scores
from assay.tallies.scores.thresholding import confusions_at

FOUR_TIMES = 4 * 350  # pixels: the widest chart of the page, magnified


def tally(actual, score, weight=None):
    return assay.Scores.of(assay.rows(actual=actual, score=score, weight=weight))


def awkward():
    """Return tallies that are hard to condense: ties, long tails, rare classes, infinite scores."""
    actual, score = spread(400_000)
    tails = np.where(np.arange(400_000) % 1_000, score, score**20)
    tied = np.where(score > 0.7, score.round(1), score)
    rare = (np.arange(400_000) % 40_000 == 7).astype(int)
    infinite = np.where(score > 0.99, np.inf, np.where(score < 0.005, -np.inf, 9e5 * score - 4e5))
    cases = {"plain": score, "tails": tails, "tied": tied, "infinite": infinite}
    found = {name: tally(actual, one) for name, one in cases.items()}
    return {**found, "rare": tally(rare, score), "binned": tally(actual, score).binned()}


TALLIES = awkward()


@pytest.mark.parametrize("name", TALLIES)
def test_counts_at_the_cutoffs_that_are_left_are_exact(name):
    """What reaches a cutoff is what reaches it of all rows; rows, extremes and the hull are all there."""
    whole = TALLIES[name]
    made = condensed(whole)
    if not made.binned:  # whose edges are floats as the kernel has them
        made.tally.check()
    source = made.source
    assert made.tally.n == source.n == 400_000
    assert made.tally.totals == source.totals
    assert len(made.tally.scores) < 240_000
    assert {source.scores[0], source.scores[-1]} <= set(made.tally.scores.tolist())
    some = np.sort(np.random.default_rng(0).choice(made.tally.scores, 200))
    few, all_rows = (confusions_at(one, some, (0, 1)) for one in (made.tally, source))
    assert [one.table().tolist() for one in few] == [one.table().tolist() for one in all_rows]
    corners = Ranks(source).cutoffs()[Ranks(source).hull()]
    assert np.isin(corners[1:], made.tally.scores).all()


def test_bins_are_cut_at_edges_where_the_rows_are_counted_exactly():
    """At the lower edges of bins the counts are those of the exact scores."""
    exact, edges = TALLIES["plain"], condensed(TALLIES["binned"])
    some = np.sort(np.random.default_rng(0).choice(edges.tally.scores, 200))
    found, wanted = (confusions_at(one, some, (0, 1)) for one in (edges.tally, exact))
    assert [one.table().tolist() for one in found] == [one.table().tolist() for one in wanted]
    assert not edges.whole


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "tails", "tied", "rare", "binned"])
def test_no_curve_strays_by_half_a_pixel_at_four_times_its_size(name):
    """Every shipped curve, rounded as it is, is within half a pixel of the exact one, either way."""
    made = condensed(TALLIES[name])
    shapes = of_scores(made, confidence=0.95, probabilities=True)
    exact = {
        "roc": curves.roc(made.source, keep_collinear=False),
        "precision_recall": stepped(curves.precision_recall(made.source, keep_collinear=False)),
        "calibration": curves.calibration(made.source),
    }
    for kind, curve in exact.items():
        shown = np.stack([np.cumsum(shapes[kind][side]) for side in "xy"], -1) / 10_000 * FOUR_TIMES
        whole = np.stack([curve.x, curve.y], -1) * FOUR_TIMES
        # All that stands out, and a sample of the rest.
        places = np.arange(len(whole))
        kept = np.unique(np.concatenate([places[::60], places[:300], places[-300:]]))
        assert distances(whole[kept], shown).max() < 0.5, kind
        near = whole[np.unique((whole / 0.05).astype(np.int64), axis=0, return_index=True)[1]]
        sample = in_between(shown, 3)[:: max(1, len(shown) // 700)]
        gaps = [np.hypot(*(near - point).T).min() for point in sample]
        jumps = np.hypot(*np.diff(whole, axis=0).T).max()
        assert np.max(gaps) < 0.5 + jumps / 2, kind
        assert len(shown) < 6_000


def test_few_scores_and_weighted_rows_are_left_alone():
    """What is quickly drawn is drawn as it is; sums of weights are not taken together."""
    actual, score = spread(2_000)
    for one in (tally(actual, score), tally(actual, score, weight=score + 1)):
        assert condensed(one).tally is one
        assert condensed(one).whole


@pytest.mark.parametrize("labels", [(0, 1), ("spam", "ham")])
@pytest.mark.parametrize("weights", ["none", "plain", "whole"])
def test_cuts_are_the_tallies_of_the_rows_themselves(weights, labels):
    """At every threshold the tally is the one that rows with those predictions have, weights and all."""
    draw = np.random.default_rng(3)
    actual, score = spread(300)
    score = score.round(2)
    weight = {"none": None, "plain": draw.random(300), "whole": draw.integers(1, 4, 300).astype(float)}[
        weights
    ]
    thresholds = np.sort([*draw.random(20), *score[:5], -np.inf, 0.0, 1.0, np.inf])
    names = np.array(labels)
    made = confusions_at(tally(actual, score, weight), thresholds, labels)
    for threshold, one in zip(thresholds, made, strict=True):
        one.check()
        predicted = names[(score >= threshold).astype(int)]
        rows = assay.rows(actual=names[actual], predicted=predicted, weight=weight)
        assert one == assay.Confusion.of(rows)
    (nothing,) = confusions_at(tally(actual, np.full(300, np.inf), weight), [np.nan], labels)
    assert nothing.predicted_totals[nothing.labels.index(labels[1])] == 0


def test_the_hull_of_a_long_curve_is_that_of_all_its_points():
    """Looking at the points near a rougher hull first leaves the corners as they were."""
    draw = np.random.default_rng(6)
    for rise in (
        draw.random(300_000) < np.linspace(0.9, 0.1, 300_000),
        draw.random(300_000) < 0.5,
        np.ones(300_000, bool),
    ):
        x, y = (np.concatenate([[0], np.cumsum(step)]) for step in (~rise, rise))
        assert upper_hull(x, y).tolist() == upper_hull(x.astype(float), y.astype(float)).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.0005])
def test_millions_of_scores_give_the_same_picture(share):
    """Every point is one of the whole curve's, and no point of the whole one is half a pixel of 2,400 away."""
    random = np.random.default_rng(0)
    actual = (random.random(400_000) < share).astype(np.int8)
    whole = assay.Scores.of(assay.rows(actual=actual, score=random.normal(size=len(actual)) + 1.5 * actual))
    small = condensed(whole).tally
    assert len(small.scores) < 200_000
    assert small.totals == whole.totals
    assert np.isin(small.scores, whole.scores).all()
    for draw in (curves.roc, curves.gain, curves.precision_recall, curves.lift):
        full, few = (np.stack([one.x, one.y], -1) for one in (draw(whole), draw(small)))
        full, few = (one * 2400 / np.ptp(full, axis=0) for one in (full, few))
        places = np.unique(np.concatenate([np.arange(60), random.integers(len(full), size=100)]))
        assert distances(full[places], few).max() < 0.5, draw
