"""Bands about calibration: what they promise, seen over populations whose rates are known."""

import numpy as np
import pytest
from scipy.stats import binom

import assay
from assay.inference.formulas.calibration_bands import _cells, confidence_band, consistency_band
from assay.inference.formulas.proportions import clopper_pearson
from assay.metrics.curves.curves import calibration
from assay.tallies import Scores


def drawn(random, n, truth=lambda p: p, distinct=None):
    p = random.beta(0.8, 1.2, n) if distinct is None else random.choice(distinct, n)
    return assay.rows(actual=(random.random(n) < truth(p)).astype(int), score=p)


def upper_at(band, p):
    """Return the upper limit at some probabilities: it holds up to the place where it steps."""
    return np.append(band.high[0::2], 1.0)[np.searchsorted(band.p[0::2], p, side="left")]


def lower_at(band, p):
    """Return the lower limit at some probabilities: it holds from the place where it steps."""
    return np.append(0.0, band.low[1::2])[np.searchsorted(band.p[1::2], p, side="right")]


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_calibrated_curve_is_within_the_consistency_band_as_often_as_said(confidence):
    """Over 300 data sets, at probabilities where the fit takes many values; more where it is often 0 or 1."""
    random = np.random.default_rng(1)
    middle, ends = np.array([0.2, 0.35, 0.5, 0.65, 0.8]), np.array([0.02, 0.95])
    inside = []
    for _ in range(300):
        rows = drawn(random, 300)
        band = consistency_band(rows, confidence=confidence, replicates=200)
        curve, at = calibration(rows), np.append(middle, ends)
        height, low, high = (
            np.interp(at, one[0], one[1]) for one in ((curve.x, curve.y), band[:2], band[::2])
        )
        inside.append((height >= low - 1e-12) & (height <= high + 1e-12))
    shares, error = np.mean(inside, axis=0), np.std(np.mean(np.array(inside)[:, :5], axis=1)) / np.sqrt(300)
    assert abs(shares[:5].mean() - confidence) < 4 * error
    assert (shares[5:] > confidence).all()


def test_probabilities_far_apart_have_the_quantiles_of_their_binomials():
    """Where neighbours are never pooled, the band is that of each proportion by itself."""
    p, rows = np.array([0.1, 0.5, 0.9]), 400
    data = assay.rows(actual=np.tile([0, 1], 600), score=np.repeat(p, rows))
    band = consistency_band(data, confidence=0.9, replicates=20_000)
    assert np.abs(band.low * rows - binom.ppf(0.05, rows, p)).max() <= 1
    assert np.abs(band.high * rows - binom.ppf(0.95, rows, p)).max() <= 1


def test_cells_stand_for_their_probabilities():
    """Of 40,000 distinct probabilities the band in 1,000 cells is that of probabilities that come in cells."""
    random = np.random.default_rng(3)
    p = np.sort(random.random(40_000))
    fine = consistency_band(assay.rows(actual=(random.random(40_000) < p).astype(int), score=p))
    coarse = p.reshape(500, 80).mean(1).repeat(80)
    rough = consistency_band(assay.rows(actual=(random.random(40_000) < p).astype(int), score=coarse))
    assert len(fine.p) == 1_000
    assert np.abs(np.interp(rough.p, fine.p, fine.low) - rough.low).max() < 0.015
    assert np.abs(np.interp(rough.p, fine.p, fine.high) - rough.high).max() < 0.015


@pytest.mark.parametrize("ties", [False, True])
def test_cells_of_very_many_probabilities_are_cut_between_the_same_rows(ties):
    """Of 300,000 rows the bands are those of rows that weigh 2 each, whose cells are cut from whole columns."""
    random = np.random.default_rng(7)
    p = random.beta(0.3, 2, 300_000)
    if ties:  # of some probabilities more rows than a cell has, of others a few
        p[:90_000] = random.choice([0.0, 0.0312, 0.5, 1.0], 90_000)
        p[90_000:120_000] = random.choice(p[120_000:], 30_000)
    y = (random.random(len(p)) < p**1.2).astype(int)
    plain, even = (Scores.of(assay.rows(actual=y, score=p, weight=w)) for w in (None, np.full(len(p), 2.0)))
    assert len(plain.scores) > 131_072
    for cells in (_cells(plain, 1_000), _cells(plain, 120)):
        same = _cells(even, 1_000 if len(cells.p) > 120 else 120)
        assert np.array_equal(cells.smallest, same.smallest)
        assert np.array_equal(cells.largest, same.largest)
        assert np.array_equal(cells.positives * 2, same.positives)
        assert np.array_equal(cells.mass * 2, same.mass)
        assert np.array_equal(cells.mass, same.effective_sizes)
        assert np.allclose(cells.p, same.p, rtol=1e-13, atol=0)
    bands = [consistency_band(one, replicates=100) for one in (plain, even)]
    assert all(np.allclose(*sides, rtol=0, atol=1e-12) for sides in zip(*(b[:3] for b in bands), strict=True))


@pytest.mark.parametrize("distinct", [None, np.array([0.1, 0.3, 0.6, 0.9])])
def test_true_rates_are_within_the_confidence_band_all_at_once(distinct):
    """Whatever rising truth, at every place and on all but few data sets."""
    random = np.random.default_rng(2)
    places = np.linspace(0, 1, 501) if distinct is None else distinct
    missed = 0
    for _ in range(100):
        rows = drawn(random, 400, lambda p: p**1.7, distinct)
        band = confidence_band(rows, confidence=0.8)
        truth = places**1.7
        missed += not ((truth >= lower_at(band, places)) & (truth <= upper_at(band, places))).all()
    assert missed <= 20


def test_one_probability_has_the_exact_limits_of_a_proportion():
    """With a single cell there is a single block, which shares its error with none."""
    rows = assay.rows(actual=[1] * 81 + [0] * 182, score=[0.3] * 263)
    band = confidence_band(rows)
    low, high = clopper_pearson(81, 263)
    assert band.p.tolist() == [0.3, 0.3]
    assert (band.low[1], band.high[0]) == (pytest.approx(low, rel=1e-12), pytest.approx(high, rel=1e-12))
    assert (band.low[0], band.high[1]) == (0, 1)


def test_the_confidence_band_holds_the_curve_and_rises():
    """The isotonic fit lies within its band, whose limits rise with the probability."""
    rows = drawn(np.random.default_rng(4), 2_000)
    band, curve = confidence_band(rows), calibration(rows)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert (curve.y >= lower_at(band, curve.x)).all()
    assert (curve.y <= upper_at(band, curve.x)).all()


def test_weights_widen_the_consistency_band_and_have_no_confidence_band():
    """Unequal weights make rows worth less; equal ones of any size change nothing."""
    random = np.random.default_rng(6)
    p, y = random.choice([0.2, 0.4, 0.7], 600), random.integers(0, 2, 600)
    plain = consistency_band(assay.rows(actual=y, score=p))
    even = consistency_band(assay.rows(actual=y, score=p, weight=np.full(600, 0.25)))
    uneven = consistency_band(assay.rows(actual=y, score=p, weight=random.choice([0.1, 5.0], 600)))
    assert np.allclose(plain.low, even.low, rtol=0, atol=1e-12)
    assert (uneven.high - uneven.low > plain.high - plain.low).all()
    with pytest.raises(assay.MetricError, match="takes no weights"):
        confidence_band(assay.rows(actual=y, score=p, weight=random.choice([0.1, 5.0], 600)))


@pytest.mark.parametrize("band", [consistency_band, confidence_band])
def test_what_has_no_band_is_refused(band):
    """No rows, scores that are no probabilities, and confidences that are no shares."""
    with pytest.raises(assay.MetricError, match="no rows"):
        band(assay.Scores())
    with pytest.raises(assay.NumberError, match="probabilit"):
        band(assay.rows(actual=[0, 1], score=[0.5, 7.0]))
    with pytest.raises(assay.MetricError, match="confidence"):
        band(assay.rows(actual=[0, 1], score=[0.5, 0.7]), confidence=95)
