"""The order of many compared models: ranks against the differences, and a text that fits a screen."""

import itertools

import numpy as np
import pytest
from support.gallery import models

import assay
from assay.comparison.standings import standings


@pytest.fixture(scope="module")
def comparison():
    return assay.compare(*models(12))


def test_ranks_are_those_of_the_differences(comparison):
    """A model's ranks leave room for those that it loses to and wins against, counted from the differences."""
    for metric in ("accuracy", "auc", "log_loss"):
        board = standings(comparison, metric)
        sign = -1 if metric == "log_loss" else 1
        values = [sign * model.value for model in board]
        assert values == sorted(values, reverse=True)
        for model in board:
            lost = won = 0
            for a, b in itertools.combinations(comparison.names, 2):
                diff = comparison[metric, a, b]
                if model.name in (a, b) and diff.adjusted < 0.05:
                    better = b if sign * diff.difference > 0 else a
                    won += better == model.name
                    lost += better != model.name
            assert (model.rank_low, model.rank_high) == (1 + lost, 12 - won)
            first = board[0].name
            pair = [name for name in comparison.names if name in (first, model.name)]
            assert model.tied == (model.name == first or comparison[(metric, *pair)].adjusted >= 0.05)


def test_twelve_models_fit_a_screen(comparison):
    """The text of twelve models has at most 60 lines of 80 columns, the best model in the first row."""
    lines = comparison.text(width=80).splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    best = standings(comparison, "accuracy")[0]
    first = next(line for line in lines if line.startswith("model"))
    assert first.startswith(best.name)
    assert f"{best.value:.4f}*" in first
    assert len(comparison.summary.split()) < 150


def test_claims_by_a_margin_are_made_pair_by_pair():
    """With a margin every pair of models is described, however many they are."""
    actual = np.arange(200) % 2
    several = [
        assay.rows(actual=actual, predicted=np.where(np.arange(200) < 5 * k, 1 - actual, actual))
        for k in range(6)
    ]
    text = assay.compare(*several, metrics="accuracy", margin=0.05).text()
    assert text.count("With a margin of 0.05") == 15
