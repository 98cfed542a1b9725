"""How a comparison writes its numbers: of any size, within 80 columns, with digits enough to see the difference."""

import numpy as np
import pytest

import assay
from assay.formatting.width import width

RNG = np.random.default_rng(0)
LEVELS = RNG.gamma(3, 1, 60)


@pytest.mark.parametrize("size", [1e-200, 1e-9, 3e-5, 1e-4, 1.0, 1e6, 1e9, 1e150])
def test_numbers_of_any_size_fit_and_are_no_noughts(size):
    """Errors of 1e-9 once were all noughts, and those of 1e150 had all their digits."""
    models = {name: size * LEVELS * RNG.uniform(0.7, 1.4, 60) for name in "ab"}
    metrics = ["mae", "relative_absolute_error"]
    found = assay.compare(actual=size * LEVELS, predicted=models, task="regression", metrics=metrics)
    lines = str(found).splitlines()
    assert max(map(width, lines)) <= 80
    row = next(line for line in lines if line.startswith("MAE"))
    assert float(row.split()[1].replace(",", "")) == pytest.approx(found["mae"].values[0], rel=2e-3)
    assert float(row.split()[3].replace(",", "")) == pytest.approx(found["mae"].difference, rel=0.2)


def test_a_difference_far_smaller_than_the_values_is_seen():
    """Of many rows: the better model is not better by 0.0000."""
    actual = np.arange(400_000) % 2
    first = np.where(np.arange(400_000) % 10 == 0, 1 - actual, actual)
    second = np.where(np.arange(400_000) % 10_000 == 0, actual, first)
    found = assay.compare(actual=actual, predicted={"a": first, "b": second}, metrics="accuracy")
    assert "+0.00010 [" in str(found)
    assert "by 0.00010 [" in found.summary


def test_models_of_wide_letters_share_the_room():
    """Names that take two columns a letter are counted so."""
    names = ["日本語" * 8, "中文" * 12, "한국어" * 8, "模型" * 12, "汉字" * 12]
    models = {name: LEVELS * RNG.uniform(0.7, 1.4, 60) for name in names}
    text = str(assay.compare(actual=LEVELS, predicted=models, metrics=["mae", "rmse"], against="first"))
    assert max(map(width, text.splitlines())) <= 80
