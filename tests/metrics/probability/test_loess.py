"""The smooth calibration curve and the distances from it, against R's loess and lowess."""

import numpy as np
import pytest

import assay
from assay import MetricError
from assay.metrics import find
from assay.metrics.probability import loess as module
from assay.metrics.probability.calibration import calibration_null
from assay.metrics.probability.loess import loess
from assay.metrics.views.probability import Probabilities

# In R: i <- 1:40; p <- ((i*37) %% 101)/103 + 0.01; y <- as.integer(((i*i*29) %% 97)/97 < p)
INDEX = np.arange(1, 41)
P = (INDEX * 37 % 101) / 103 + 0.01
Y = ((INDEX**2 * 29 % 97) / 97 < P).astype(int)
ROWS = assay.rows(actual=Y, score=P)


def near(value):
    return pytest.approx(value, rel=1e-12)


def view(actual, score, **more):
    return Probabilities.of(assay.Scores.of(assay.rows(actual=actual, score=score, positive=1, **more)))


def test_the_fit_is_that_of_loess_with_a_direct_surface():
    """F <- loess(y ~ p, span = .75, degree = 2, control = loess.control(surface = "direct")); e <- abs(p - fitted(f))."""
    fitted = loess(view(Y, P))
    assert (fitted.min(), fitted.max()) == near((-0.1701456932545005, 0.98324260114829))
    assert find("ici")(ROWS) == near(0.07481871779532069)  # mean(e)
    assert find("e50")(ROWS) == near(0.0365056964129955)  # median(e)
    assert find("e90")(ROWS) == near(0.200166642962994)  # quantile(e, .9, type = 2)
    assert find("emax")(ROWS) == near(0.2259997703274209)  # max(e)


def test_other_spans_and_degrees():
    """The same with span = .6 and degree = 1, and with degree = 0."""
    assert find("ici")(ROWS, span=0.6, degree=1) == near(0.05750282405052538)
    assert find("emax")(ROWS, span=0.6, degree=1) == near(0.2139706873975404)
    assert find("ici")(ROWS, degree=0) == near(0.09210689253146037)


def test_the_figures_of_val_prob():
    """rms::val.prob(p, y) fits by lowess(p, y, iter = 0): degree 1, floor(2 n / 3) = 26 of 40 rows."""
    assert find("eavg")(ROWS, degree=1, span=26 / 40) == near(0.0538976033175385)
    assert find("emax")(ROWS, degree=1, span=26 / 40) == near(0.2012165675052270)


def test_tied_probabilities():
    """loess(y ~ round(p, 1)) with a direct surface: eleven probabilities, each with several rows."""
    expected = [
        -0.1583847804, -0.0202840994, 0.1817773907, 0.4246367602, 0.6147476574, 0.6429190683,
        0.5831669106, 0.6393306698, 0.7481956653, 0.8673148638, 0.9792355778,
    ]  # fmt: skip
    tied = view(Y, P.round(1))
    assert loess(tied) == pytest.approx(expected, abs=1e-10)
    assert find("ici")(assay.rows(actual=Y, score=P.round(1))) == near(0.08479478238260468)


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("span", [0.3, 0.75, 1.0])
def test_running_sums_give_what_the_rows_give(monkeypatch, span, degree):
    """Both ways to fit agree, also where nearly all rows lie close to 0."""
    rng = np.random.default_rng(5)
    p = rng.beta(0.5, 15, 900)
    weight = rng.uniform(0.2, 3, 900)
    data = view((rng.random(900) < p).astype(int), p, weight=weight)
    fits = []
    for few in (0, 10**6):
        monkeypatch.setattr(module, "_MAX_ROW_BY_ROW", few)
        fits.append(loess(data, span=span, degree=degree))
    assert fits[0] == pytest.approx(fits[1], abs=1e-9)


def test_one_probability_that_nearly_all_rows_have(monkeypatch):
    """Its window is narrow and nearly singular; both ways agree, and where it has all the span, it is its rate."""
    monkeypatch.setattr(module, "_MAX_ROW_BY_ROW", 0)
    p = np.concatenate([np.full(740, 0.2), np.linspace(0.01, 0.99, 260)])
    y = (np.arange(1000) % 5 == 0).astype(int)
    narrow = loess(view(y, p))
    monkeypatch.setattr(module, "_MAX_ROW_BY_ROW", 10**6)
    assert narrow == pytest.approx(loess(view(y, p)), abs=1e-9)
    most = view(y, np.where(np.arange(1000) < 800, 0.2, p))
    assert loess(most)[np.searchsorted(most.p, 0.2)] == most.rates[np.searchsorted(most.p, 0.2)]


def test_a_common_factor_of_the_weights_changes_nothing():
    """The window is a share of the weight."""
    rng = np.random.default_rng(2)
    weight = rng.choice([0.25, 0.5, 1.0, 3.0], 40)
    values = [find("ici")(assay.rows(actual=Y, score=P, weight=weight * c)) for c in (1, 1 / 25, 7)]
    assert values[1:] == pytest.approx([values[0]] * 2, rel=1e-9)


def test_names_say_which_fit():
    """The isotonic distances are others, under names that say so; the null takes either."""
    isotonic = find("ici_isotonic")
    assert isotonic.name == "isotonic_calibration_index"
    assert isotonic(ROWS) != find("ici")(ROWS)
    null = calibration_null(find("ici"), ROWS, replicates=99)
    assert 0 < null.mean < 0.3
    assert 0 < null.p_value <= 1


def test_what_is_refused():
    """A span beyond all rows, a degree that is none, scores that are no probabilities."""
    with pytest.raises(MetricError, match="between 0 and 1"):
        find("ici")(ROWS, span=1.5)
    with pytest.raises(MetricError, match="degree=3"):
        find("ici")(ROWS, degree=3)
