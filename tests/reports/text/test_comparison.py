"""Comparisons as people read them: the table at 80 columns, and the words below it."""

import json

import numpy as np
import pytest

import assay
from assay.formatting.table import grid, listed
from assay.formatting.width import width


def accuracies(both, only_first, only_second, neither, **options):
    """Two models that are right so often; all rows are 1."""
    first = [1] * both + [1] * only_first + [0] * only_second + [0] * neither
    second = [1] * both + [0] * only_first + [1] * only_second + [0] * neither
    return assay.compare(
        actual=[1] * len(first), predicted={"a": first, "b": second}, metrics="accuracy", **options
    )


def test_a_difference_that_is_seen():
    """Who, where, by how much and how sure."""
    assert (
        accuracies(60, 3, 20, 17).summary
        == "b is better on accuracy by 0.1700 [0.0839, 0.2649] (p = 0.000277)."
    )
    assert (
        accuracies(60, 20, 3, 17).summary
        == "a is better on accuracy by 0.1700 [0.0839, 0.2649] (p = 0.000277)."
    )


def test_a_p_value_too_small_to_print_has_its_own_sign():
    """One sign, and one space on either side of it."""
    assert "(p < 2.2e-16)." in accuracies(100, 10, 400, 90).summary.replace("\xa0", " ")


def test_a_difference_that_is_not_seen_is_not_called_equal():
    """It says that the data cannot tell, and how many rows would."""
    said = accuracies(60, 5, 12, 23).summary
    assert said == (
        "On accuracy the data cannot tell a and b apart: about 170 more rows would (80% power, if the "
        "difference is as large as it looks)."
    )
    assert "equal" not in said


def test_a_margin_allows_claims():
    """Not inferior, equivalent, superior, inferior, and nothing."""
    assert (
        "b is non-inferior and equivalent to a on accuracy"
        in accuracies(900, 10, 10, 80, margin=0.02).summary
    )
    assert "b is superior and non-inferior to a" in accuracies(600, 30, 200, 170, margin=0.02).summary
    assert "b is inferior to a" in accuracies(600, 200, 30, 170, margin=0.02).summary
    nothing = accuracies(6, 2, 2, 3, margin=0.02).summary
    assert "on accuracy nothing can be claimed of b against a, not even that they are equal" in nothing
    assert "equivalent by the 90% one" in str(accuracies(6, 2, 2, 3, margin=0.02))


def test_losses_are_better_lower():
    """The claim of a loss is turned too."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=200)
    predicted = {"rough": y + rng.normal(size=200), "fine": y + 0.2 * rng.normal(size=200)}
    found = assay.compare(actual=y, predicted=predicted, metrics=["mae", "mse"], margin={"mae": 0.1})
    assert found.summary.startswith("fine is better on MAE (lower) by 0.")
    assert found["mae"].difference < 0
    assert found["mae"].margin.claims == ("superior", "non-inferior")
    assert found["mse"].margin is None


def test_a_figure_without_direction_only_differs():
    """More predicted positives are neither better nor worse."""
    found = assay.compare(
        actual=[0, 1] * 30, predicted={"a": [0] * 60, "b": [1] * 60}, metrics="detection_prevalence"
    )
    assert found["detection_prevalence"].decided
    assert found["detection_prevalence"].winner is None
    assert found.summary.startswith("a and b differ on detection prevalence by 1.0000")


@pytest.fixture
def several():
    """Three models, one with a long name, on labels and scores."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 240)
    spreads = {"base": 2.0, "a model with quite a long name": 1.9, "新しいモデル": 0.5}
    scores = {name: 1 / (1 + np.exp(-(y - 0.5 + s * rng.normal(size=240)))) for name, s in spreads.items()}
    labels = {name: (s > 0.5) * 1 for name, s in scores.items()}
    metrics = ["accuracy", "mcc", "auc", "log_loss", "one_vs_rest_balanced_accuracy"]
    return assay.compare(actual=y, score=scores, predicted=labels, metrics=metrics)


@pytest.mark.parametrize("room", [68, 80, 100])
def test_no_line_is_wider_than_asked(several, room):
    """Whatever the models are called."""
    lines = several.text(width=room).splitlines()
    assert max(map(width, lines)) <= room
    assert all(line == line.rstrip() for line in lines)


def test_several_models_are_told_pair_by_pair(several):
    """Values once, then every pair, all at once, and the family's size."""
    text = str(several)
    assert "p corrected by Holm over 15 tests" in text
    assert "All 3 models alike on accuracy? Cochran Q: p = " in text
    assert "All 3 models alike on ROC AUC? DeLong of several: p = " in text
    assert "新しいモデル is better than base on" in " ".join(text.split())
    assert len(several) == 15


def test_the_title_says_what_was_made_out():
    """Not paired, groups, and rows left out."""
    y = np.array([0, 1] * 20)
    apart = assay.compare(
        assay.rows(actual=y, predicted=y), assay.rows(actual=y[:30], predicted=1 - y[:30]), metrics="accuracy"
    )
    assert str(apart).startswith("not paired: different rows, 40 and 30 · 95% intervals\n")
    flipped = np.where(np.arange(40) % 5 == 0, 1 - y, y)
    grouped = assay.compare(
        actual=y,
        predicted={"a": y, "b": flipped},
        group=np.arange(40) // 4,
        metrics="accuracy",
        confidence=0.9,
    )
    assert str(grouped).startswith("paired on 40 rows · in 10 groups · 90% intervals\n")
    score = np.where(np.arange(40) == 3, np.nan, y)
    dropped = assay.compare(actual=y, score={"a": score, "b": flipped}, missing="drop", metrics="brier")
    assert str(dropped).startswith("paired on 39 rows (1 left out for missing values) · 95% intervals\n")


def test_many_undecided_metrics_are_summed_up():
    """The fewest rows and the most; and what one wants to see."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    labels = {name: np.where(rng.random(300) < 0.7, y, 1 - y) for name in "ab"}
    found = assay.compare(actual=y, predicted=labels, detect={"accuracy": 0.02})
    assert found.summary.startswith("The data cannot tell a and b apart on any of the 4 metrics: about ")
    assert "up to about" in found.summary
    assert "To see a difference with 80% power would take: of 0.02 in accuracy about" in found.summary


def test_plain_data_is_json():
    """With null and a reason where there is no number."""
    found = assay.compare(
        actual=[1, 0, 1, 0] * 10, score={"a": [0.9, 0.1, 0.0, 0.2] * 10, "b": [0.8, 0.3, 0.4, 0.1] * 10},
        metrics=["log_loss", "brier", "auc"], margin=0.05,
    )  # fmt: skip
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["models"] == ["a", "b"]
    loss, brier, _ = data["differences"]
    assert (loss["difference"], loss["reason"]) == (None, "it is infinite (a)")
    assert loss["first_value"] == "Infinity"
    assert brier["better"] == "lower"
    assert brier["claims"] is not None
    assert data["summary"] == found.summary


def test_a_grid_lines_up():
    """Numbers at the right, words at the left; long words are wrapped and headings stand on their columns."""
    body = [["first thing", "1.5", "0.25"], ["second", "10.5", "1"]]
    assert grid(["", "a long heading", "p"], body, max_width=28) == [
        "                a long",
        "               heading     p",
        "first              1.5  0.25",
        "thing",
        "second            10.5     1",
    ]
    assert listed(["a", "b", "c"]) == "a, b and c"
