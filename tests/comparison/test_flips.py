"""Flips: counted row by row, by hand and from the joint tally."""

from __future__ import annotations

import json

import numpy as np
import pytest

import assay


@pytest.fixture
def models() -> tuple[list[str], list[str], list[str]]:
    """Actual values of three classes, and two models' predictions."""
    rng = np.random.default_rng(5)
    return tuple(rng.choice(["a", "b", "c"], 300, p=p).tolist() for p in ([0.5, 0.3, 0.2],) * 3)  # type: ignore[return-value]


def test_flips_are_those_of_a_loop_over_rows(models: tuple[list[str], list[str], list[str]]) -> None:
    """Better, worse and changed rows equal what a plain loop finds, row numbers included."""
    actual, old, new = models
    found = assay.compare(
        assay.rows(actual=actual, predicted=old),
        assay.rows(actual=actual, predicted=new),
        metrics=["accuracy"],
    )
    (flips,) = found.flips
    triples = list(enumerate(zip(actual, old, new, strict=True)))
    assert flips.better_rows is not None
    assert flips.worse_rows is not None
    assert flips.better_rows.tolist() == [i for i, (y, a, b) in triples if a != y and b == y]
    assert flips.worse_rows.tolist() == [i for i, (y, a, b) in triples if a == y and b != y]
    assert (flips.better, flips.worse) == (len(flips.better_rows), len(flips.worse_rows))
    assert flips.churn == sum(a != b for a, b in zip(old, new, strict=True)) / len(actual)
    assert "of predictions differ" in str(found)
    assert json.loads(found.to_json())["flips"] == [flips.to_dict()]
    accuracy = found["accuracy"]
    assert float(accuracy.difference) == pytest.approx((flips.better - flips.worse) / flips.n)


def test_a_joint_tally_has_the_same_flips_without_row_numbers(
    models: tuple[list[str], list[str], list[str]],
) -> None:
    """Counts need no rows."""
    actual, old, new = models
    rows = [assay.rows(actual=actual, predicted=each) for each in (old, new)]
    (of_rows,) = assay.compare(*rows, metrics=["accuracy"]).flips
    (of_tally,) = assay.compare(assay.PairedLabels.of(*rows), metrics=["accuracy"]).flips
    assert of_tally.to_dict() == of_rows.to_dict()
    assert of_tally.better_rows is None


def test_models_of_different_rows_and_of_numbers_have_no_flips() -> None:
    """Only predictions of labels of the same rows flip."""
    first = assay.rows(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0])
    assert not assay.compare(first, first, metrics=["accuracy"], paired=False).flips
    numbers = assay.rows(actual=[0.5, 1.5, 2.5, 4.0], predicted=[0.0, 1.0, 2.0, 3.0])
    assert not assay.compare(numbers, numbers, metrics=["mae"]).flips


def test_scores_flip_at_the_threshold_and_equal_models_never() -> None:
    """Scores are cut where a metric of labels is compared; the same model twice changes nothing."""
    y = [0, 1, 1, 0] * 5
    table = {"y": y, "a": [0.2, 0.4, 0.9, 0.6] * 5, "b": [0.2, 0.7, 0.4, 0.1] * 5}
    found = assay.compare(table, actual="y", score=["a", "b"], metrics=["accuracy", "auc"])
    (flips,) = found.flips
    assert (flips.better, flips.worse, flips.changed) == (10, 5, 15)
    same = assay.compare(table, actual="y", score={"a": "a", "b": "a"}, metrics=["accuracy"])
    assert "predict the same on every row" in str(same)
