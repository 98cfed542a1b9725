"""Differences row by row: the check values, SciPy, enumeration, and laws."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values

import assay
from assay.inference.hypothesis_tests.paired_means import diebold_mariano, paired_t, sign_flips, wilcoxon
from assay.metrics import Undefined

differences = st.lists(st.integers(-9, 9), min_size=1, max_size=10)


def o31():
    inputs, expected = check_values(31)
    return np.array(inputs["a"]) - np.array(inputs["b"]), expected


def test_per_query_comparison_is_that_of_o31():
    """Paired t with its interval, sign flips and Wilcoxon, both exact."""
    values, expected = o31()
    found = paired_t(values)
    assert found.estimate == pytest.approx(expected["diff"], rel=1e-12)
    assert found.standard_error == pytest.approx(expected["se"], rel=1e-12)
    assert found.statistic == pytest.approx(expected["t"], rel=1e-12)
    assert found.p_value == pytest.approx(expected["p_t"], rel=1e-12)
    limits = found.low, found.high
    assert limits == pytest.approx((expected["ci_lo"], expected["ci_hi"]), rel=1e-12)
    assert sign_flips(values).p_value == expected["signflip_exact_p"]
    ranked = wilcoxon(values)
    assert ranked.statistic == expected["wilcoxon_wplus"]
    assert ranked.p_value == expected["wilcoxon_exact_p"]


@settings(deadline=None)
@given(differences)
def test_exact_tests_count_out_all_signs(values):
    """Wilcoxon and the sign flips against every pattern, zeros and ties included, all alternatives."""
    kept = [x for x in values if x]
    ranks = scipy.stats.rankdata(np.abs(kept)) if kept else []
    for alternative in ("two-sided", "greater", "less"):
        sums, positive = [], []
        for signs in itertools.product((1, -1), repeat=len(kept)):
            sums.append(sum(s * abs(x) for s, x in zip(signs, kept, strict=True)))
            positive.append(sum(r for s, r in zip(signs, ranks, strict=True) if s > 0))
        seen = sum(kept)
        far = {
            "two-sided": sum(abs(s) >= abs(seen) for s in sums),
            "greater": sum(s >= seen for s in sums),
            "less": sum(s <= seen for s in sums),
        }
        assert sign_flips(values, alternative=alternative).p_value == far[alternative] / len(sums)
        if not kept:
            assert wilcoxon(values, alternative=alternative).p_value == 1
            continue
        own = sum(r for x, r in zip(kept, ranks, strict=True) if x > 0)
        above, below = sum(w >= own for w in positive), sum(w <= own for w in positive)
        chances = {
            "two-sided": min(1.0, 2 * min(above, below) / len(sums)),
            "greater": above / len(sums),
            "less": below / len(sums),
        }
        found = wilcoxon(values, alternative=alternative, method="exact")
        assert (found.statistic, found.p_value) == (own, chances[alternative])
        assert bool(found.note) == (len(kept) < len(values))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("corrected", [True, False])
def test_the_normal_wilcoxon_agrees_with_scipy(alternative, corrected):
    """With ties and zeros, corrected for continuity or not."""
    values = np.random.default_rng(3).integers(-8, 12, 90).astype(float)
    found = wilcoxon(values, alternative=alternative, corrected=corrected)
    theirs = scipy.stats.wilcoxon(
        values, zero_method="wilcox", correction=corrected, method="asymptotic", alternative=alternative
    )
    assert "normal" in found.method
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)


def test_the_exact_wilcoxon_agrees_with_scipy_beyond_enumeration():
    """Forty-five differences without ties."""
    values = np.random.default_rng(4).normal(0.3, 1, 45)
    theirs = scipy.stats.wilcoxon(values, method="exact")
    assert wilcoxon(values).p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    large = np.random.default_rng(4).normal(0.3, 1, 120)
    theirs = scipy.stats.wilcoxon(large, method="exact")
    assert wilcoxon(large, method="exact").p_value == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_paired_t_agrees_with_scipy(alternative):
    """Also far out, where 1 - cdf would be 0."""
    values = np.random.default_rng(5).normal(0.3, 1, 40)
    theirs = scipy.stats.ttest_1samp(values, 0, alternative=alternative)
    found = paired_t(values, alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    assert paired_t(values + 1e4).p_value > 0


def test_random_flips_are_the_same_anywhere():
    """One seed, one p, whatever the threads and the blocks; another seed, another."""
    values = np.random.default_rng(6).normal(0.2, 1, 70)
    found = sign_flips(values, seed=7)
    assert found.p_value == pytest.approx(_by_hand(values, 100_000, 7), abs=0)
    assert found.note == "100,000 flips, seed 7"
    assay.set_threads(1)
    try:
        assert sign_flips(values, seed=7).p_value == found.p_value
    finally:
        assay.set_threads(0)
    assert sign_flips(values, seed=8).p_value != found.p_value
    assert found.p_value == pytest.approx(paired_t(values).p_value, rel=0.15)
    assert sign_flips(values + 9, flips=999).p_value == 1 / 1000


def _by_hand(values, flips, seed):
    """The same from NumPy's generator, sign by sign."""
    words = -(-len(values) // 64)
    drawn = np.random.Philox(key=[seed, 0]).random_raw(flips * words).reshape(flips, words)
    sums = np.zeros(flips)
    for place, value in enumerate(values):
        flipped = (drawn[:, place // 64] >> np.uint64(place % 64)) & np.uint64(1)
        sums += np.where(flipped == 1, -value, value)
    return (int((np.abs(sums) >= abs(values.sum()) - 1e-12).sum()) + 1) / (flips + 1)


def test_blocks_of_flips_do_not_show(monkeypatch):
    """Drawn a few at a time, the flips are the same."""
    values = np.random.default_rng(6).normal(0.2, 1, 70)
    whole = sign_flips(values, flips=500).p_value
    monkeypatch.setattr("assay.inference.hypothesis_tests.paired_means._SIGNS_AT_ONCE", 2000)
    assert sign_flips(values, flips=500).p_value == whole


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=3, max_size=30))
def test_one_step_ahead_is_the_paired_t(values):
    """Harvey's correction at horizon 1 makes Diebold-Mariano the paired t test."""
    one, other = diebold_mariano(values), paired_t(values)
    if one.statistic is None:
        assert other.statistic is None or abs(other.statistic) > 1e6
        return
    assert one.statistic == pytest.approx(other.statistic, rel=1e-6)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-4, abs=1e-300)


@pytest.mark.parametrize("horizon", [1, 2, 4])
@pytest.mark.parametrize("kernel", ["rectangular", "bartlett"])
def test_diebold_mariano_by_its_definition(horizon, kernel):
    """Sums over lags written out."""
    values = np.random.default_rng(9).normal(0.2, 1, 50)
    n, centred = 50, values - values.mean()
    total = 0.0
    for lag in range(-(horizon - 1), horizon):
        weight = 1 - abs(lag) / horizon if kernel == "bartlett" else 1
        total += weight * sum(centred[t] * centred[t - abs(lag)] for t in range(abs(lag), n)) / n
    statistic = values.mean() / math.sqrt(total / n)
    statistic *= math.sqrt((n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n)
    found = diebold_mariano(values, horizon=horizon, kernel=kernel)
    assert found.statistic == pytest.approx(statistic, rel=1e-10)
    assert found.p_value == pytest.approx(2 * scipy.stats.t.sf(abs(statistic), n - 1), rel=1e-10)
    assert diebold_mariano(values, horizon=horizon, kernel=kernel, lags=0).note == ""


def test_a_variance_below_nothing_is_said():
    """Alternating losses: the rectangular sum is negative, Bartlett's is not."""
    found = diebold_mariano([1.0, -1.0] * 10 + [0.5], horizon=2)
    assert "Bartlett" in found.note
    assert found.statistic is not None


def test_without_spread():
    """All alike: nothing to test; all 0: nothing to see."""
    assert isinstance(paired_t([2.0, 2.0]).p_value, Undefined)
    assert paired_t([0.0, 0.0]).p_value == 1
    assert isinstance(paired_t([2.0]).p_value, Undefined)
    assert wilcoxon([0.0]).p_value == 1
    assert sign_flips([0.0]).p_value == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t([]), "one finite number per row"),
        (lambda: paired_t([1.0, math.nan]), "one finite number per row"),
        (lambda: paired_t([1.0, 2.0], alternative="both"), 'use "two-sided"'),
        (lambda: diebold_mariano([1.0, 2.0], horizon=3), "too few"),
        (lambda: diebold_mariano([1.0, 2.0, 4.0], horizon=3, lags=0), "too few"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()
