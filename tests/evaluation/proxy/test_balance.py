"""Tests that labelled rows look like all rows, from rows and from tallies."""

import numpy as np
import pytest
from scipy import stats

import assay


def judged(labelled, size=4000, seed=2):
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 2, size)
    chosen = labelled(draw, truth)
    table = {
        "human": np.where(chosen, truth, np.nan),
        "judge": np.where(draw.random(size) < 0.9, truth, 1 - truth),
        "said": np.where(draw.random(size) < 0.8, truth, 1 - truth),
        "score": np.round(truth + draw.normal(size=size), 2),
    }
    return table, chosen


def test_the_p_values_are_those_of_scipy():
    """Chi-square without correction for labels; Kolmogorov and Smirnov, with its limit, for scores."""
    table, chosen = judged(lambda draw, truth: draw.random(len(truth)) < 0.1)
    ev = assay.evaluate(table, actual="human", predicted="said", score="score", proxy="judge")
    for name in ("judge", "said"):
        counts = [
            [np.count_nonzero(table[name][mask] == label) for label in (0, 1)] for mask in (chosen, ~chosen)
        ]
        assert ev.balance[name] == pytest.approx(
            stats.chi2_contingency(counts, correction=False).pvalue, rel=1e-9
        )
    gap = stats.ks_2samp(table["score"][chosen], table["score"][~chosen]).statistic
    size = np.count_nonzero(chosen) * np.count_nonzero(~chosen) / len(chosen)
    assert ev.balance["score"] == pytest.approx(stats.kstwobign.sf(np.sqrt(size) * gap), rel=1e-9)
    assert "Labelled rows differ" not in ev.text()


def test_a_choice_by_the_answer_is_seen():
    """Where positives are labelled more often, labels and scores show it."""
    table, _ = judged(lambda draw, truth: draw.random(len(truth)) < np.where(truth == 1, 0.15, 0.05))
    ev = assay.evaluate(table, actual="human", predicted="said", score="score", proxy="judge")
    assert max(ev.balance.values()) < 0.001
    assert "Labelled rows differ from the others in judge" in " ".join(ev.text().split())


def test_numbers_are_compared_by_their_distributions():
    """Of a regression, the proxy's and the predicted numbers."""
    draw = np.random.default_rng(7)
    y = draw.normal(size=2000)
    for chosen, small in ((draw.random(2000) < 0.1, False), (y > 1, True)):
        ev = assay.evaluate(
            {"human": np.where(chosen, y, np.nan), "said": y + draw.normal(0, 0.3, 2000), "near": y + 0.1},
            actual="human", predicted="said", proxy="near",
        )  # fmt: skip
        assert set(ev.balance) == {"near", "said"}
        assert (ev.balance["near"] < 0.01) is small
