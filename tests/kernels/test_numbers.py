"""Exact sums of columns of any plain type, each of its own: no copy, and the sums of their doubles."""

import itertools

import numpy as np
import pytest

from assay import _kernels

PATHS = _kernels.exact_sum_paths()
CHUNK = 2048
INTEGERS = [np.dtype(f"{kind}{width}") for kind in "iu" for width in (1, 2, 4, 8)]
TYPES = [*INTEGERS, np.dtype("f4"), np.dtype("f8")]


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    _kernels.set_threads(0)


def numbers(rng, size, dtype):
    """Return numbers over the whole range of a type, as far as a double holds them."""
    if dtype.kind == "f":
        return rng.normal(size=size).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(max(limits.min, -(2**53)), min(limits.max, 2**53), size, dtype, endpoint=True)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("actual_type", TYPES, ids=str)
def test_any_two_types_equal_their_doubles(actual_type, path):
    """Whatever types two columns have, all sums are those of the columns as doubles."""
    rng = np.random.default_rng(1)
    for predicted_type, size in itertools.product(TYPES, (0, 1, 9, CHUNK, 2 * CHUNK + 7)):
        actual, predicted = numbers(rng, size, actual_type), numbers(rng, size, predicted_type)
        wide = actual.astype(float), predicted.astype(float)
        found = _kernels.exact_moments(actual, predicted, path=path)
        assert found == _kernels.exact_moments(*wide, path="scalar"), predicted_type
        assert _kernels.exact_sum(actual, path=path) == _kernels.exact_sum(wide[0])
        assert _kernels.exact_square_sum(actual, path=path) == _kernels.exact_square_sum(wide[0])


@pytest.mark.parametrize("weight_type", ["u1", "i8", "f4", "f8"])
def test_weights_of_any_type(weight_type):
    """Weighted sums take any three types as well."""
    rng = np.random.default_rng(2)
    for size in (1, 30, 2 * CHUNK + 5):
        columns = [numbers(rng, size, np.dtype(one)) for one in ("i8", "f4")]
        columns.append(np.abs(numbers(rng, size, np.dtype(weight_type))))
        wide = [one.astype(float) for one in columns]
        expected = _kernels.exact_weighted_moments(*wide, path="scalar")
        sums = _kernels.exact_weighted_sum(wide[0], wide[2], path="scalar")
        for path in PATHS:
            assert _kernels.exact_weighted_moments(*columns, path=path) == expected, path
            assert _kernels.exact_weighted_sum(columns[0], columns[2], path=path) == sums, path


@pytest.mark.parametrize("label_type", ["i8", "u1", "i4", "u8", "?"])
def test_labels_against_scores(label_type):
    """0/1 labels against scores: the same integers in any order, on 1, 2 or 3 threads."""
    rng = np.random.default_rng(3)
    size = 150_003
    score = rng.random(size)
    label = (rng.random(size) < score).astype(label_type)
    order = rng.permutation(size)
    expected = _kernels.exact_moments(label.astype(float), score, path="scalar")
    for threads, path in itertools.product((1, 2, 3), PATHS):
        _kernels.set_threads(threads)
        assert _kernels.exact_moments(label, score, path=path) == expected
        assert _kernels.exact_moments(score[order], label[order], path=path) == {
            **expected,
            "sum_actual": expected["sum_predicted"],
            "sum_predicted": expected["sum_actual"],
            "sum_squared_actual": expected["sum_squared_predicted"],
            "sum_squared_predicted": expected["sum_squared_actual"],
        }


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("path", PATHS)
def test_integers_around_the_limits(dtype, path):
    """Integers from 2**51, where reading them changes, to 2**53 are exact; the next one is a bad row."""
    edges = [2**k + d for k in (50, 51, 52, 53) for d in (-2, -1, 0, 1, 2)]
    good = [edge for edge in edges if edge <= 2**53]
    if dtype is np.int64:
        good += [-edge for edge in good]
    rng = np.random.default_rng(4)
    for size in (50, CHUNK, 20_000):
        column = rng.choice([0, 1], size).astype(dtype)
        column[size // 2 :][:40] = rng.choice(good, len(column[size // 2 :][:40]))
        score = rng.random(size)
        expected = _kernels.exact_moments(column.astype(float), score, path="scalar")
        assert _kernels.exact_moments(column, score, path=path) == expected
        beyond = [2**53 + 1, 2**63 - 1, *([-(2**53) - 1, -(2**63)] if dtype is np.int64 else [2**64 - 1])]
        for bad in beyond:
            spoiled = column.copy()
            spoiled[[size - 3, size - 2]] = bad
            found = _kernels.exact_moments(spoiled, score, path=path)
            assert found["bad_row_actual"] == size - 3
            assert found["bad_row_predicted"] == -1
            without = np.delete(spoiled, [size - 3, size - 2]).astype(float)
            assert found["sum_actual"] == _kernels.exact_sum(without)[0]
            assert _kernels.exact_sum(spoiled, path=path)[1] == size - 3


def test_a_bad_score_is_named_beside_integers():
    """A score that is not finite is the bad row of its own column."""
    rng = np.random.default_rng(5)
    label, score = rng.integers(0, 2, 70_000), rng.random(70_000)
    score[[66_000, 69_000]] = np.nan
    for path in PATHS:
        found = _kernels.exact_moments(label, score, path=path)
        assert (found["bad_row_actual"], found["bad_row_predicted"]) == (-1, 66_000)


@pytest.mark.parametrize("dtype", ["f2", "c16", ">f8", "U3"])
def test_other_types_are_refused(dtype):
    """What is no plain number is a TypeError, not a guess."""
    with pytest.raises(TypeError):
        _kernels.exact_moments(np.zeros(3), np.zeros(3, dtype))
    with pytest.raises(TypeError):
        _kernels.exact_sum(np.zeros(3, dtype))
