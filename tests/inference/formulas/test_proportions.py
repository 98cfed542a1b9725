"""Intervals of one proportion against R: base R and formulas, on a grid of x, n and confidence."""

import pytest
from support.reference_figures import oracle

import assay
from assay.inference.formulas.proportions import METHODS, proportion_interval

# x=81 of 263, 0 of 20 and 19 of 20 (methods O1 to O3).
EXPECTED = {
    (81, 263): {
        "wilson": (0.2552885198783, 0.3662095769828),
        "clopper-pearson": (0.2527367455853, 0.3676219226014),
        "agresti-coull": (0.25522066519, 0.3662774316711),
        "jeffreys": (0.254521934991, 0.3656474991741),
        "mid-p": (0.2544021049455, 0.3657734742578),
        "wilson-corrected": (0.2535086822952, 0.368176201043),
    },
    (0, 20): {
        "wilson": (0, 0.1611251580528),
        "clopper-pearson": (0, 0.1684334709831),
        "agresti-coull": (0, 0.1898095605425),
        "jeffreys": (0, 0.1166389829049),
        "mid-p": (0, 0.1391083406683),
        "wilson-corrected": (0, 0.2004533450135),
    },
    (19, 20): {
        "wilson": (0.7638688065533, 0.9911185511992),
        "clopper-pearson": (0.751267237228, 0.9987349105021),
        "agresti-coull": (0.7458854860708, 1),
        "jeffreys": (0.7891813637507, 0.9945509674186),
        "mid-p": (0.7771939442824, 0.9974991271684),
        "wilson-corrected": (0.7305562544285, 0.9973844448633),
    },
}


@pytest.mark.parametrize(
    ("x", "n", "method", "limits"),
    [(*at, method, limits) for at, found in EXPECTED.items() for method, limits in found.items()],
)
def test_intervals_of_the_check_values(x, n, method, limits):
    """Six intervals at three places."""
    assert proportion_interval(x, n, 0.95, method) == pytest.approx(limits, rel=2e-12, abs=1e-13)


def test_intervals_agree_with_r_over_the_whole_grid():
    """54 settings of every method, by prop.test, binom.test and formulas typed in R, to 1e-10."""
    cases = oracle("proportion_ci")["intervals"]
    assert len(cases) == 54
    for case in cases:
        x, n, confidence = case["x"], case["n"], case["conf.level"]
        for method in METHODS:
            ours = proportion_interval(x, n, confidence, method)
            assert ours == pytest.approx(tuple(case[method]), abs=1e-10), (x, n, confidence, method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 7, 100, 10**9])
def test_every_interval_holds_its_estimate_and_mirrors(method, n):
    """It contains x/n, lies in [0, 1], and the complement has the mirrored interval."""
    for x in {0, 1, n // 3, n - 1, n}:
        low, high = proportion_interval(x, n, 0.95, method)
        assert 0 <= low <= x / n <= high <= 1
        assert low < high
        mirrored = proportion_interval(n - x, n, 0.95, method)
        assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=2e-12)


def test_nothing_seen_rules_nothing_out():
    """No rows give the whole range."""
    assert proportion_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 2, 0.95, "wald"), 'no interval for a proportion: use "wilson"'),
        ((1, 2, 95), "a share between 0 and 1"),
        ((3, 2), "3 of 2 is no proportion"),
    ],
)
def test_nonsense_is_refused(arguments, message):
    """The message says what can be said instead."""
    with pytest.raises(assay.MetricError, match=message):
        proportion_interval(*arguments)
