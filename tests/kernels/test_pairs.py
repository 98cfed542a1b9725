import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import programs

from assay import _kernels

INTEGERS = [np.dtype(kind + size) for kind in "iu" for size in "1248"]
CODES = [np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32)]


@pytest.fixture(autouse=True, params=[1, 2, 3], ids="{0}-threads".format)
def _threads(request):
    _kernels.set_threads(request.param)
    yield
    _kernels.set_threads(0)


def narrowest(labels):
    return next(t for t in CODES if labels <= np.iinfo(t).max + 1)


def check_encoding(values):
    codes, labels = _kernels.encode_integers(values)
    expected_labels, expected_codes = np.unique(values, return_inverse=True)
    assert labels.dtype == values.dtype
    assert codes.dtype == narrowest(len(labels))
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_array_equal(codes, expected_codes)


def check_integer_pairs(actual, predicted):
    result = _kernels.count_integer_pairs(actual, predicted)
    expected_labels, codes = np.unique(np.concatenate([actual, predicted]), return_inverse=True)
    k = len(expected_labels)
    expected = np.zeros((k, k), np.int64)
    np.add.at(expected, (codes[: len(actual)], codes[len(actual) :]), 1)
    assert result is not None
    labels, counts = result
    assert labels.dtype == actual.dtype
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_array_equal(counts, expected)


def check_counts(actual, predicted, rows_k, columns_k, *groups):
    cells = actual.astype(np.uint64) * np.uint64(columns_k) + predicted
    if groups:
        cells += groups[0].astype(np.uint64) * np.uint64(rows_k * columns_k)
    expected_cells, expected_counts = np.unique(cells, return_counts=True)
    arguments = (actual, predicted, rows_k, columns_k, *groups)
    found, counts = _kernels.count_pairs_sparse(*arguments)
    assert found.dtype == np.uint64
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(found, expected_cells)
    np.testing.assert_array_equal(counts, expected_counts)
    shape = (*groups[1:], rows_k, columns_k)
    if math.prod(shape) <= 2**22:
        expected = np.zeros(shape, np.int64)
        expected.reshape(-1)[expected_cells.astype(np.int64)] = expected_counts
        dense = _kernels.count_pairs(*arguments)
        assert dense.dtype == np.int64
        assert dense.shape == shape
        np.testing.assert_array_equal(dense, expected)


def check_order(codes, k):
    offsets, rows = _kernels.order_groups(codes, k)
    np.testing.assert_array_equal(rows, np.lexsort((codes,)))
    sizes = np.bincount(codes, minlength=k) if len(codes) else np.zeros(k, np.int64)
    np.testing.assert_array_equal(offsets, np.concatenate([[0], np.cumsum(sizes)]))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("rows", [0, 1, 2, 100, 4097, 16385, 70_001])
def test_codes_are_places_in_the_sorted_labels(dtype, rows):
    """Codes and labels equal NumPy's for every integer type and for sizes around the limits."""
    rng = np.random.default_rng(rows)
    info = np.iinfo(dtype)
    check_encoding(rng.integers(0, 2, rows).astype(dtype))
    check_encoding(rng.integers(info.min, info.max, rows, dtype=dtype, endpoint=True))
    check_encoding(rng.integers(info.max - 20, info.max, rows, dtype=dtype, endpoint=True))
    check_encoding(rng.integers(info.min, info.min + 20, rows, dtype=dtype, endpoint=True))
    check_encoding(rng.choice(np.array([info.min, 0, info.max], dtype), rows))


def test_labels_that_no_sample_can_show_are_found():
    """A label of a single row, inside the sampled range or far outside it, is encoded."""
    rng = np.random.default_rng(1)
    for rare in (3, -1, 40, 70_000, 10**7, -(2**63), 2**63 - 1):
        values = rng.choice(np.array([0, 1, 2, 5, 6, 30]), 100_000)
        values[77_777] = rare
        check_encoding(values)
        check_encoding(values[values >= 0].astype(np.uint64))
        values[values == 6] = 10**15
        check_encoding(values)


@pytest.mark.parametrize("k", [255, 256, 257, 1000, 65_535, 65_536, 65_537, 150_000])
def test_codes_are_as_narrow_as_the_number_of_labels_allows(k):
    """256 labels fit a byte, 65,536 fit two, whether they lie close together or far apart."""
    rng = np.random.default_rng(k)
    values = np.concatenate([np.arange(k), rng.integers(0, k, k)])
    rng.shuffle(values)
    check_encoding(values - k // 2)
    check_encoding(values * 1_000_003 - 2**60)


def test_labels_that_share_low_or_high_bits_are_told_apart():
    """Multiples of powers of two, which a weak hash would pile up, are encoded."""
    rng = np.random.default_rng(5)
    for shift in (20, 32, 44):
        check_encoding(rng.integers(0, 2**18, 200_000).astype(np.uint64) << np.uint64(shift))


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=50))
@settings(deadline=None, max_examples=100)
def test_any_short_list_of_integers_is_encoded(values):
    """Codes and labels equal NumPy's for any integers of 64 bits."""
    check_encoding(np.array(values, np.int64))


def test_booleans_are_read_as_bytes():
    """A column of bool is encoded and counted as 0 and 1."""
    values = np.array([True, False, True])
    codes, labels = _kernels.encode_integers(values)
    assert codes.tolist() == [1, 0, 1]
    assert labels.tolist() == [0, 1]
    labels, counts = _kernels.count_integer_pairs(values, ~values)
    assert labels.tolist() == [0, 1]
    assert counts.tolist() == [[0, 1], [2, 0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [0, 1, 100, 20_000, 150_000])
def test_whole_floats_are_encoded_as_integers(dtype, rows):
    """Whole numbers up to 2**53 get the codes of the integers they equal; -0.0 is 0."""
    rng = np.random.default_rng(rows)
    near = rng.integers(-3, 4, rows).astype(dtype)
    far = rng.choice(np.array([-(2.0**53), -1, -0.0, 0.0, 7, 2.0**53]), rows).astype(dtype)
    wide = rng.integers(-(2**22), 2**22, rows).astype(dtype) * 256
    for values in (near, far, wide):
        codes, labels, bad_row = _kernels.encode_doubles(values)
        expected_labels, expected_codes = np.unique(values.astype(np.int64), return_inverse=True)
        assert bad_row == -1
        assert labels.dtype == np.int64
        np.testing.assert_array_equal(labels, expected_labels)
        np.testing.assert_array_equal(codes, expected_codes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.5, -1e-30, 2.0**54, -1e30])
def test_the_first_float_that_is_no_whole_number_is_named(dtype, bad):
    """bad_row is the first of several bad rows, wherever it stands."""
    for row in (0, 1, 511, 512, 65_535, 65_536, 149_998):
        values = np.ones(150_000, dtype)
        values[[row, 149_999]] = bad
        codes, labels, bad_row = _kernels.encode_doubles(values)
        assert bad_row == row
        assert len(codes) == len(labels) == 0


def test_two_to_the_53_is_the_last_whole_number():
    """The float above 2**53 is refused, 2**53 itself is not."""
    assert _kernels.encode_doubles(np.array([2.0**53]))[2] == -1
    assert _kernels.encode_doubles(np.array([-(2.0**53), np.nextafter(2.0**53, np.inf)]))[2] == 1


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("rows", [1, 7, 8, 100, 4096, 4097, 70_001])
def test_integer_pairs_equal_a_count_by_numpy(dtype, rows):
    """Labels and counts are right for every type: 0/1, close to either end, all in one cell."""
    rng = np.random.default_rng(rows)
    info = np.iinfo(dtype)
    for low, high in [(0, 1), (1, 2), (0, 19), (info.max - 5, info.max), (info.min, info.min + 5)]:
        columns = rng.integers(low, high, (2, rows), dtype=dtype, endpoint=True)
        check_integer_pairs(*columns)
        check_integer_pairs(np.sort(columns[0]), columns[0])
        one_cell = np.where(rng.random(rows) < 0.95, dtype.type(high), columns[0])
        check_integer_pairs(one_cell, one_cell.copy())
    if info.min < 0:
        check_integer_pairs(*rng.integers(-20, 20, (2, rows)).astype(dtype))


def test_wide_labels_are_counted_while_a_table_pays():
    """A range of 1,024 values is counted; a wider one, or a wide one of few rows, is None."""
    rng = np.random.default_rng(0)
    many = rng.integers(0, 1024, (2, 70_000))
    check_integer_pairs(*many)
    check_integer_pairs(*(many + np.iinfo(np.int64).min))
    check_integer_pairs(*(many + (np.iinfo(np.int64).max - 1023)))
    check_integer_pairs(*rng.choice(np.array([0, 1000]), (2, 70_000)))
    check_integer_pairs(*rng.integers(-100, 100, (2, 70_000)))
    many[0, :2] = 0, 1024
    assert _kernels.count_integer_pairs(*many) is None
    assert _kernels.count_integer_pairs(np.array([0, 1000]), np.array([0, 1000])) is None
    ends = np.array([-(2**63), 2**63 - 1])
    assert _kernels.count_integer_pairs(ends, ends) is None


def test_a_wrong_guess_of_the_range_is_mended():
    """A label of one row in 100,000 lies outside the sampled range and is still counted."""
    rng = np.random.default_rng(2)
    for rare in (2, 3, -1, 300, -300, 1023):
        for column in (0, 1):
            columns = rng.integers(0, 2, (2, 100_000))
            columns[column, 99_999] = rare
            check_integer_pairs(*columns)
    columns[0, 50_000] = 5000
    assert _kernels.count_integer_pairs(*columns) is None


def test_no_rows_have_no_labels():
    """Empty columns give empty results everywhere."""
    labels, counts = _kernels.count_integer_pairs(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert labels.shape == (0,)
    assert counts.shape == (0, 0)
    empty = np.zeros(0, np.uint8)
    assert _kernels.count_pairs(empty, empty, 2, 2).tolist() == [[0, 0], [0, 0]]
    assert _kernels.count_pairs(empty, empty, 0, 0).shape == (0, 0)
    check_counts(empty, empty, 3, 4)
    check_order(empty, 0)
    check_order(empty, 3)


@pytest.mark.parametrize("actual_type", CODES, ids=str)
@pytest.mark.parametrize("predicted_type", CODES, ids=str)
@pytest.mark.parametrize("rows", [1, 513, 16_384, 80_001])
def test_counts_from_codes_equal_a_count_by_numpy(actual_type, predicted_type, rows):
    """Dense and sparse counts are right for every pair of widths, with and without groups."""
    rng = np.random.default_rng(rows)
    for rows_k, columns_k in [(1, 1), (2, 2), (2, 3), (20, 20), (60, 64), (200, 150)]:
        actual = rng.integers(0, rows_k, rows).astype(actual_type)
        predicted = rng.integers(0, columns_k, rows).astype(predicted_type)
        check_counts(actual, predicted, rows_k, columns_k)
        group = rng.integers(0, 7, rows).astype(np.uint16)
        check_counts(actual, predicted, rows_k, columns_k, group, 7)


@pytest.mark.parametrize("rows", [10, 16_383, 16_384, 300_000])
def test_very_many_cells_are_counted_sparsely(rows):
    """Sparse counts are right up to 64 bits of cells, spread out, piled up and sorted."""
    rng = np.random.default_rng(rows)
    for rows_k, columns_k, groups_k in [
        (5000, 5000, 0),
        (2**16, 2**16, 0),
        (2**16, 2**16 + 1, 0),
        (2**32, 2**31, 0),
        (2**31, 2**20, 2**12),
    ]:
        tops = [min(k, 2**32) for k in (rows_k, columns_k, max(groups_k, 1))]
        spread = [rng.integers(0, top, rows).astype(np.uint32) for top in tops]
        piled = [column.copy() for column in spread]
        for top, column in zip(tops, piled, strict=True):
            column[rng.random(rows) < 0.95] = top - 1
        for columns in (spread, piled, [np.sort(column) for column in spread]):
            groups = (columns[2], groups_k) if groups_k else ()
            check_counts(columns[0], columns[1], rows_k, columns_k, *groups)


def test_codes_beyond_the_labels_are_refused():
    """A code that is not below its k raises instead of being counted somewhere else."""
    for rows in (10, 100_000):
        for dtype in CODES:
            for column, k in [(0, 2), (1, 2), (0, 5), (1, 5), (2, 5)]:
                columns = np.zeros((3, rows), dtype)
                columns[column, rows // 2] = k
                for count in (_kernels.count_pairs, _kernels.count_pairs_sparse):
                    with pytest.raises(ValueError, match="not below"):
                        count(columns[0], columns[1], k, k, columns[2], k)
                    if column < 2:
                        with pytest.raises(ValueError, match="not below"):
                            count(columns[0], columns[1], k, k)
            with pytest.raises(ValueError, match="not below"):
                _kernels.order_groups(columns[2], 5)


def test_misuse_is_refused():
    """Wrong types, unequal lengths and tables too large raise before anything is counted."""
    codes = np.zeros(4, np.uint8)
    count = _kernels.count_pairs
    with pytest.raises(ValueError, match="length"):
        count(codes, codes[:3], 2, 2)
    with pytest.raises(ValueError, match="length"):
        count(codes, codes, 2, 2, codes[:3], 2)
    with pytest.raises(ValueError, match="together"):
        count(codes, codes, 2, 2, codes)
    with pytest.raises(ValueError, match="sparsely"):
        count(codes, codes, 2**11, 2**11 + 1)
    with pytest.raises(ValueError, match="64 bits"):
        _kernels.count_pairs_sparse(codes, codes, 2**32, 2**32)
    with pytest.raises(ValueError, match="length"):
        _kernels.count_integer_pairs(codes, codes[:3])
    with pytest.raises(TypeError):
        _kernels.count_integer_pairs(codes, codes.astype(np.int8))
    for wrong in (codes.astype(np.int8), codes.astype(np.uint64), codes[::2], codes.astype(float)):
        with pytest.raises(TypeError):
            count(wrong, wrong, 2, 2)
    for wrong in (codes.astype(float), codes[::2], codes.astype(">i4"), codes.reshape(2, 2)):
        with pytest.raises(TypeError):
            _kernels.encode_integers(wrong)


def test_codes_of_32_bits_may_use_every_value():
    """The number of labels 2**32 accepts the largest code."""
    top = np.array([2**32 - 1, 0], np.uint32)
    check_counts(top, np.zeros(2, np.uint8), 2**32, 2**31)


@pytest.mark.parametrize("dtype", CODES, ids=str)
@pytest.mark.parametrize("rows", [1, 1000, 16_384, 1_200_000])
@pytest.mark.parametrize("k", [1, 2, 200, 60_000])
def test_groups_are_ordered_stably(dtype, rows, k):
    """Rows come by group and, inside a group, in their own order; groups may be empty."""
    if k > np.iinfo(dtype).max:
        return
    rng = np.random.default_rng(rows)
    check_order(rng.integers(0, k, rows).astype(dtype), k)
    check_order(np.full(rows, k // 2, dtype), k)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(6, 9))
@settings(deadline=None, max_examples=50)
def test_any_short_column_of_codes_is_ordered_and_counted(codes, k):
    """Small inputs, Hypothesis' choice: order and counts equal NumPy's."""
    column = np.array(codes, np.uint16)
    check_order(column, k)
    check_counts(column, column[::-1].copy(), k, k)


CROWDED = """
import resource
import numpy as np
from assay._kernels import count_pairs_sparse

rows = 4_000_000
actual = np.zeros(rows, np.uint32)
predicted = np.arange(rows, dtype=np.uint32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cells, counts = count_pairs_sparse(actual, predicted, 1 << 31, 1 << 31)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
assert counts.sum() == rows and np.array_equal(cells, predicted)
assert grown < (16 + 16 + 4) * rows, grown / rows
"""


@pytest.mark.skipif(
    os.environ.get("ASSAY_SANITIZER") == "thread", reason="TSan's shadow memory counts as resident"
)
def test_crowded_cells_take_no_more_memory():
    """Rows in one bucket are sorted within 16 bytes a row; the result has 16 bytes a cell."""
    done = programs.run_script(CROWDED)
    assert done.returncode == 0, done.stderr
