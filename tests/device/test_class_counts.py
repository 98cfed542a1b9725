"""Pairs of classes counted where their tensors are, beside a table made with NumPy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.device.class_counts import integer_pairs  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1"])
@pytest.mark.parametrize(("low", "classes"), [(0, 1), (0, 2), (0, 3), (-1, 3), (5, 4), (0, 9), (0, 100)])
def test_values_that_occur_and_their_table(low, classes, dtype):
    """From any lowest value on, unless the type has no negative ones."""
    low = max(low, 0) if dtype == "u1" else low
    random = np.random.default_rng(classes)
    for n in (1, 1000, 70_000):
        columns = [(low + random.integers(0, classes, n)).astype(dtype) for _ in range(2)]
        values, table = integer_pairs(*(torch.from_numpy(column).to(DEVICE) for column in columns))
        expected_values = np.unique(columns)
        expected = np.zeros((len(expected_values), len(expected_values)), dtype=int)
        np.add.at(expected, tuple(np.searchsorted(expected_values, column) for column in columns), 1)
        assert np.array_equal(values, expected_values)
        assert values.dtype == expected_values.dtype
        assert np.array_equal(table, expected)


def test_rare_values_behind_the_first_rows_are_counted():
    """The first rows say which values to expect; others are found and counted all the same."""
    actual, predicted = (torch.zeros(100_000, dtype=torch.int64, device=DEVICE) for _ in range(2))
    actual[:5], actual[-1], predicted[-2] = 3, 40, -7
    values, table = integer_pairs(actual, predicted)
    assert values.tolist() == [-7, 0, 3, 40]
    assert table.tolist() == [[0, 0, 0, 0], [1, 99_993, 0, 0], [0, 5, 0, 0], [0, 1, 0, 0]]


def test_values_that_span_too_much_are_left_to_the_cpu():
    """A table of all of them would be too large."""
    far = torch.tensor([0, 10**6], device=DEVICE)
    assert integer_pairs(far, far) is None
    assert integer_pairs(far[:0], far[:0]) is None
