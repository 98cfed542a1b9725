import math

import numpy as np
import pytest
from support.reference_figures import methods, oracle

import assay
from assay.metrics import auc, average_precision, convex_hull_auc, gain_at, lift_at, pr_auc_trapezoid
from assay.metrics.curves.convex_hull import upper_hull
from assay.metrics.curves.curves import detection_error, gain, lift, precision_recall, roc, roc_hull


def scores(actual, score, **more):
    return assay.Scores.of(assay.rows(actual=actual, score=score, **more))


@pytest.fixture
def random_tally():
    rng = np.random.default_rng(2)
    actual = rng.integers(0, 2, 500)
    return scores(actual, (actual + rng.normal(size=500)).round(1))


def test_hard_labels_have_curves_of_three_points():
    """Treasure ships: both curves are drawn from hard labels too."""
    ships = scores([1] * 10 + [0] * 10, [1] * 9 + [0, 1, 1] + [0] * 8)
    curve = roc(ships)
    assert list(zip(curve.x.tolist(), curve.y.tolist(), strict=True)) == [(0, 0), (0.2, 0.9), (1, 1)]
    assert curve.area() == pytest.approx(0.85)
    curve = precision_recall(ships)
    assert list(zip(curve.x.tolist(), curve.y.tolist(), strict=True)) == [(0, 1), (0.9, 9 / 11), (1, 0.5)]


def test_the_sweep_over_ten_points():
    """Raising the threshold past one point at a time gives the table of the text."""
    tally = scores([0, 1, 0, 0, 1, 0, 1, 0, 1, 1], range(10))
    curve = roc(tally)
    table = [(5, 0), (5, 1), (4, 1), (4, 2), (4, 3), (3, 3), (3, 4), (2, 4), (2, 5), (1, 5), (0, 5)]
    tp, tn = curve["recall"] * 5, (1 - curve["false_positive_rate"]) * 5
    assert [(round(a), round(b)) for a, b in zip(tp, tn, strict=True)] == table[::-1]
    assert curve.cutoffs.tolist() == [math.inf, *range(9, -1, -1)]


def test_the_toy_curve_is_that_of_proc():
    """Sensitivities and specificities point by point."""
    toy = oracle("sms_proc.json")["toy"]
    curve = roc(scores(toy["y"], toy["score"]))
    np.testing.assert_allclose(curve["recall"], toy["sensitivities"][::-1], rtol=1e-13)
    np.testing.assert_allclose(1 - curve.x, toy["specificities"][::-1], rtol=1e-13, atol=1e-15)


def test_the_hull_has_the_corners_of_the_check_values():
    """The corners of the hull, and its area."""
    item = methods("decision thresholds")
    curve = roc_hull(scores(item["inputs"]["y"], item["inputs"]["score"]))
    points = np.stack([curve.x, curve.y], 1)
    np.testing.assert_allclose(points, item["outputs"]["hull_points"], rtol=1e-9)
    assert curve.area() == pytest.approx(item["outputs"]["auch_convex_hull"])


def test_areas_under_the_curves_are_the_metrics(random_tally):
    """The curves hold what the metrics add up."""
    assert roc(random_tally).area() == pytest.approx(auc(random_tally), rel=1e-13)
    assert roc_hull(random_tally).area() == pytest.approx(convex_hull_auc(random_tally), rel=1e-13)
    curve = precision_recall(random_tally)
    assert curve.area() == pytest.approx(pr_auc_trapezoid(random_tally), rel=1e-13)
    assert np.diff(curve.x) @ curve.y[1:] == pytest.approx(average_precision(random_tally), rel=1e-13)
    assert gain(random_tally).at(0.1) == pytest.approx(gain_at(random_tally), rel=1e-12)
    share = lift(random_tally)["share"][7]
    assert lift(random_tally)["lift"][7] == pytest.approx(lift_at(random_tally, share=share), rel=1e-12)


@pytest.mark.parametrize("draw", [roc, detection_error])
def test_collinear_points_can_be_left_out(draw, random_tally):
    """Without the points on straight lines the curve is shorter and the same."""
    full, short = draw(random_tally), draw(random_tally, keep_collinear=False)
    sparse = draw(scores([0, 0, 0, 1, 1, 1], range(6)), keep_collinear=False)
    assert len(sparse) == 3
    assert len(short) <= len(full)
    assert short.area() == pytest.approx(full.area(), rel=1e-13)
    precise = precision_recall(scores([0, 0, 0, 1, 1, 1], range(6)), keep_collinear=False)
    assert precise.x.tolist() == [0, 1 / 3, 2 / 3, 1, 1]


def test_the_detection_error_tradeoff_is_the_roc_curve_upside_down(random_tally):
    """The false negative rate is what recall lacks to 1."""
    curve = detection_error(random_tally)
    np.testing.assert_allclose(curve["false_negative_rate"], 1 - roc(random_tally)["recall"], atol=1e-15)


def test_columns_are_named():
    """A column is asked for by name, and a wrong name gets the right ones."""
    curve = roc(scores([0, 1], [0.2, 0.3]))
    assert set(curve.columns) == {"false_positive_rate", "recall", "cutoff"}
    assert repr(curve) == "<ROC curve: recall over false_positive_rate, 3 points>"
    assert curve.at(0) == 1
    with pytest.raises(assay.MetricError, match='it has "false_positive_rate", "recall", "cutoff"'):
        curve["tpr"]


def test_no_class_no_curve():
    """A missing class is said; no rows are said."""
    for draw in (roc, detection_error):
        with pytest.raises(assay.MetricError, match="no actual negatives"):
            draw(scores([1, 1], [0.1, 0.2]))
    for draw in (precision_recall, gain, lift):
        with pytest.raises(assay.MetricError, match="no actual positives"):
            draw(scores([0, 0], [0.1, 0.2]))
    with pytest.raises(assay.MetricError, match="no rows"):
        roc(assay.Scores.empty())
    with pytest.raises(assay.MetricError, match="not one of confusion"):
        roc(assay.Confusion.empty())


def test_the_hull_of_many_points_is_that_of_a_plain_loop():
    """Passes over the whole and the loop behind them agree with the loop alone."""
    rng = np.random.default_rng(0)
    for size in (3, 10, 1000, 20_000):
        x, y = (np.concatenate([[0], np.cumsum(rng.integers(0, 3, size))]) for _ in range(2))
        corners: list[int] = []
        for place in range(size + 1):
            if corners and (x[place], y[place]) == (x[corners[-1]], y[corners[-1]]):
                continue
            while len(corners) > 1:
                a, b = corners[-2:]
                if (x[b] - x[a]) * (y[place] - y[a]) < (y[b] - y[a]) * (x[place] - x[a]):
                    break
                corners.pop()
            corners.append(place)
        found = upper_hull(x, y)
        assert [(x[i], y[i]) for i in found] == [(x[i], y[i]) for i in corners]
        assert upper_hull(x.astype(float), y.astype(float)).tolist() == found.tolist()
    arc = np.arange(3000)
    high = np.concatenate([np.sqrt(arc), [1e9]])
    assert upper_hull(np.concatenate([arc, [3000]]).astype(float), high).tolist() == [0, 3000]
