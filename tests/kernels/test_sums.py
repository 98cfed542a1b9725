import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import _kernels

PATHS = _kernels.exact_sum_paths()
CHUNK = 2048
MOMENTS = (
    "sum_actual",
    "sum_predicted",
    "sum_absolute_error",
    "sum_squared_actual",
    "sum_squared_predicted",
    "sum_squared_error",
)


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    _kernels.set_threads(0)


def units(value, factors):
    """Return a Fraction as an integer number of 2**(-1074 * factors)."""
    scaled = value * 2 ** (1074 * factors)
    assert scaled.denominator == 1
    return scaled.numerator


def integers(column):
    """Return doubles as exact integers in units of 2**-1074."""
    ratios = (x.as_integer_ratio() for x in column.tolist())
    return [numerator << 1075 - denominator.bit_length() for numerator, denominator in ratios]


def moments_by_hand(actual, predicted):
    a, p = integers(actual), integers(predicted)
    e = [x - y for x, y in zip(a, p, strict=True)]
    largest = Fraction(max(map(abs, e), default=0), 2**1074)
    try:
        largest = float(largest)
    except OverflowError:
        largest = math.inf
    return {
        "n": len(a),
        "sum_actual": sum(a),
        "sum_predicted": sum(p),
        "sum_absolute_error": sum(map(abs, e)),
        "sum_squared_actual": sum(x * x for x in a),
        "sum_squared_predicted": sum(x * x for x in p),
        "sum_squared_error": sum(x * x for x in e),
        "max_absolute_error": largest,
        "bad_row_actual": -1,
        "bad_row_predicted": -1,
    }


def weighted_by_hand(actual, predicted, weight):
    a, p, w = integers(actual), integers(predicted), integers(weight)
    rows = list(zip(w, a, p, strict=True))
    return {
        "n": len(a),
        "sum_weight": sum(w),
        "sum_squared_weight": sum(v * v for v in w),
        "sum_w_actual": sum(v * x for v, x, _ in rows),
        "sum_w_predicted": sum(v * y for v, _, y in rows),
        "sum_w_absolute_error": sum(v * abs(x - y) for v, x, y in rows),
        "sum_w_squared_actual": sum(v * x * x for v, x, _ in rows),
        "sum_w_squared_predicted": sum(v * y * y for v, _, y in rows),
        "sum_w_squared_error": sum(v * (x - y) ** 2 for v, x, y in rows),
        "bad_row_actual": -1,
        "bad_row_predicted": -1,
        "bad_row_weight": -1,
    }


def doubles(rng, size, low=-1074, high=1023):
    """Return doubles whose exponents are spread evenly over a range."""
    mantissa = rng.integers(2**52, 2**53, size).astype(float)
    sign = rng.choice([-1.0, 1.0], size)
    return sign * np.ldexp(mantissa, rng.integers(low, high + 1, size) - 52)


COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "offset": lambda rng, n: 1e16 + rng.normal(size=n),
    "integers": lambda rng, n: rng.integers(-1000, 1000, n).astype(float),
    "forty bits": lambda rng, n: rng.integers(-(2**40), 2**40, n).astype(float),
    "zeros": lambda rng, n: rng.choice([0.0, -0.0], n),
    "half zeros": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.5),
    "subnormal": lambda rng, n: rng.integers(-(2**40), 2**40, n) * 5e-324,
    "underflow": lambda rng, n: rng.normal(size=n) * 1e-200,
    "near overflow": lambda rng, n: rng.uniform(-1, 1, n) * 1.7976931348623157e308,
    "heavy tails": lambda rng, n: rng.normal(size=n) * np.exp(6 * rng.normal(size=n)),
    "some wild": lambda rng, n: rng.normal(size=n) * rng.choice([1, 1e-100], n, p=[0.99, 0.01]),
    "exponents": lambda rng, n: doubles(rng, n, -300, 300),
    "everything": doubles,
}


def hard_column(kind, rng, size):
    return COLUMNS[kind](rng, size)


@pytest.mark.parametrize("kind", COLUMNS)
def test_moments_equal_fractions(kind):
    """Every sum is the exact one, on every path, whatever the numbers."""
    rng = np.random.default_rng(7)
    for size in (1, 2, 7, 8, 9, 100, 2500):
        actual, predicted = (hard_column(kind, rng, size) for _ in range(2))
        expected = moments_by_hand(actual, predicted)
        assert expected["sum_actual"] == units(sum(map(Fraction, actual.tolist())), 1)
        squares = (expected["sum_actual"], expected["sum_squared_actual"], -1)
        for path in PATHS:
            assert _kernels.exact_moments(actual, predicted, path=path) == expected, path
            assert _kernels.exact_square_sum(actual, path=path) == squares, path
            assert _kernels.exact_sum(actual, path=path) == (expected["sum_actual"], -1), path


@pytest.mark.parametrize("path", PATHS)
def test_differences_are_never_rounded(path):
    """Predictions a tiny step away from large values give the tiny step, squared exactly."""
    actual = np.array([1e16, 1e308, 1.0, 2.0**53, -5e-324, 0.0])
    predicted = np.array([1.0, 1e-308, 1.0 + 2**-52, -1.0, 5e-324, -0.0])
    expected = moments_by_hand(actual, predicted)
    assert _kernels.exact_moments(actual, predicted, path=path) == expected
    near = np.nextafter(actual, np.inf)
    expected = moments_by_hand(actual, near)
    assert _kernels.exact_moments(actual, near, path=path) == expected


@pytest.mark.parametrize("path", PATHS)
def test_cancellation_leaves_what_is_left(path):
    """Large values that cancel do not cover a small one, and -0.0 adds nothing."""
    x = np.array([1e300, 1.0, -1e300, 1e-300, -0.0, -1.0])
    total, bad_row = _kernels.exact_sum(x, path=path)
    assert bad_row == -1
    assert total / 2**1074 == math.fsum(x) == 1e-300


def test_lengths_around_the_chunk():
    """No row is lost or counted twice where chunks, vectors and threads meet."""
    rng = np.random.default_rng(3)
    base, other = rng.normal(size=66_000), rng.normal(size=66_000)
    a, p = integers(base), integers(other)
    sums = [0, *itertools.accumulate(a)]
    absolute = [0, *itertools.accumulate(abs(x - y) for x, y in zip(a, p, strict=True))]
    squared = [0, *itertools.accumulate((x - y) ** 2 for x, y in zip(a, p, strict=True))]
    edges = (0, 1, 7, 8, 9, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 8 * CHUNK, 8 * CHUNK + 1)
    lengths = (*edges, 32 * CHUNK - 1, 32 * CHUNK, 32 * CHUNK + 1, 66_000)
    for n, path in itertools.product(lengths, PATHS):
        moments = _kernels.exact_moments(base[:n], other[:n], path=path)
        assert moments["n"] == n
        assert moments["sum_actual"] == sums[n]
        assert moments["sum_absolute_error"] == absolute[n]
        assert moments["sum_squared_error"] == squared[n]
        assert _kernels.exact_sum(base[:n], path=path)[0] == sums[n]


def window_edges(rng, size):
    """Return numbers at the limits of windows and limbs: powers of two and their neighbours."""
    anchor = int(rng.integers(-1074, 900))
    steps = rng.choice([0, 1, 47, 48, 49, 50, 51, 52, 53, 97, 98, 99, 100, 101, 102, 103], size)
    x = np.ldexp(rng.choice([1.0, 1.5, 3.0, 2.0**53 - 1], size), np.minimum(anchor + steps, 960))
    x = np.where(rng.random(size) < 0.5, x, np.nextafter(x, rng.choice([0.0, np.inf], size)))
    return np.where(rng.random(size) < 0.5, x, -x)


@pytest.mark.parametrize("seed", range(60))
def test_window_edges(seed):
    """Values at the edges of windows and limbs give the same integers on every path."""
    rng = np.random.default_rng(seed)
    size = int(rng.choice([3, 8, 40, 200]))
    common = window_edges(rng, size)
    for other in (window_edges(rng, size), -common, np.roll(common, 1), common * 0.5):
        expected = moments_by_hand(common, other)
        for path in PATHS:
            assert _kernels.exact_moments(common, other, path=path) == expected, path


@pytest.mark.parametrize("bits", range(90, 106))
def test_every_span_of_bits(bits):
    """Columns that use a given number of bits are summed exactly on both sides of the limit."""
    rng = np.random.default_rng(bits)
    top = np.ldexp(1.0, bits - 1)
    for scale in (0, -1074, 900 - bits):
        x = rng.choice([top, -top, 2 * top - top / 2**52, 1.0, -1.0, 3.0], 500)
        y = rng.choice([top, -top, 1.0, -1.0, 0.0], 500)
        actual, predicted = np.ldexp(x, scale), np.ldexp(y, scale)
        expected = moments_by_hand(actual, predicted)
        for path in PATHS:
            assert _kernels.exact_moments(actual, predicted, path=path) == expected, path


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "exponents"])
def test_order_threads_and_paths_change_nothing(kind):
    """Any order of rows, 1, 2 or 3 threads and any path give one set of integers."""
    rng = np.random.default_rng(11)
    size = 150_001
    actual, predicted = (hard_column(kind, rng, size) for _ in range(2))
    weight = np.abs(hard_column(kind, rng, size))
    order = rng.permutation(size)
    shuffled = actual[order], predicted[order], weight[order]
    expected = _kernels.exact_moments(actual, predicted, path="scalar")
    expected_weighted = _kernels.exact_weighted_moments(actual, predicted, weight, path="scalar")
    for threads in (1, 2, 3):
        _kernels.set_threads(threads)
        for path in PATHS:
            assert _kernels.exact_moments(actual, predicted, path=path) == expected
            assert _kernels.exact_moments(*shuffled[:2], path=path) == expected
            weighted = _kernels.exact_weighted_moments(*shuffled, path=path)
            assert weighted == expected_weighted


def test_columns_that_change_their_nature():
    """A window, or none, found for some rows does no harm to other rows that follow."""
    rng = np.random.default_rng(14)
    kinds = [*COLUMNS, *rng.permutation(list(COLUMNS)), *rng.permutation(list(COLUMNS))]
    actual, predicted, weight = (
        np.concatenate([hard_column(kind, rng, CHUNK + 99) for kind in kinds]) for _ in range(3)
    )
    weight = np.abs(weight)
    expected = moments_by_hand(actual, predicted)
    weighted = _kernels.exact_weighted_moments(actual, predicted, weight, path="scalar")
    for path in PATHS:
        assert _kernels.exact_moments(actual, predicted, path=path) == expected, path
        moments = _kernels.exact_weighted_moments(actual, predicted, weight, path=path)
        assert moments == weighted, path


def test_pieces_add_up():
    """The sums of a split add up to those of the whole, so tallies can be merged by addition."""
    rng = np.random.default_rng(5)
    actual, predicted = (hard_column("heavy tails", rng, 30_000) for _ in range(2))
    whole = _kernels.exact_moments(actual, predicted)
    cuts = [0, 1, 4097, 9000, 30_000]
    parts = [
        _kernels.exact_moments(actual[begin:end], predicted[begin:end])
        for begin, end in itertools.pairwise(cuts)
    ]
    for name in MOMENTS:
        assert sum(part[name] for part in parts) == whole[name]


def test_more_scalar_rows_than_a_million():
    """Rows that fit no window are summed exactly beyond 2**20 of them."""
    rng = np.random.default_rng(9)
    x = doubles(rng, 1_200_000, -300, 300)
    expected = math.fsum(x)
    for path in ("best", "scalar"):
        total, square, bad_row = _kernels.exact_square_sum(x, path=path)
        assert bad_row == -1
        assert total / 2**1074 == expected
    repeated = np.tile(x[:1000], 1200)
    once = _kernels.exact_square_sum(x[:1000])
    assert _kernels.exact_square_sum(repeated) == (1200 * once[0], 1200 * once[1], -1)
    assert square > 0


def test_float32_equals_its_doubles():
    """Single precision columns give the sums of their exact doubles."""
    rng = np.random.default_rng(2)
    for size in (0, 1, 9, CHUNK, 20_001):
        a, p, w = (rng.normal(size=size).astype(np.float32) for _ in range(3))
        a[: size // 9] *= np.float32(1e-42)
        w = np.abs(w)
        wide = a.astype(float), p.astype(float), w.astype(float)
        assert _kernels.exact_sum(a) == _kernels.exact_sum(wide[0])
        assert _kernels.exact_square_sum(a) == _kernels.exact_square_sum(wide[0])
        assert _kernels.exact_moments(a, p) == _kernels.exact_moments(*wide[:2])
        assert _kernels.exact_weighted_sum(a, w) == _kernels.exact_weighted_sum(wide[0], wide[2])
        weighted = _kernels.exact_weighted_moments(*wide)
        assert _kernels.exact_weighted_moments(a, p, w) == weighted


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_first_bad_row_is_named(path, bad):
    """The first row that is not finite is returned for each column."""
    rng = np.random.default_rng(4)
    for size, rows in ((5, (3,)), (5000, (2999, 4100)), (200_000, (150_000, 66_000, 199_999))):
        actual, predicted = rng.normal(size=size), rng.normal(size=size)
        actual[list(rows)] = bad
        predicted[size - 1] = bad
        moments = _kernels.exact_moments(actual, predicted, path=path)
        assert moments["bad_row_actual"] == min(rows)
        assert moments["bad_row_predicted"] == size - 1
        assert _kernels.exact_sum(actual, path=path)[1] == min(rows)
        assert _kernels.exact_square_sum(actual, path=path)[2] == min(rows)


def test_wrong_arguments_are_refused():
    """Columns of different lengths or with gaps and unknown paths are errors, not guesses."""
    x = np.zeros(3)
    with pytest.raises(ValueError, match="length"):
        _kernels.exact_moments(x, x[:2])
    with pytest.raises(TypeError):
        _kernels.exact_sum(x[::2])
    with pytest.raises(ValueError, match="path"):
        _kernels.exact_sum(x, path="fastest")


finite = st.floats(allow_nan=False, allow_infinity=False)
weights = st.floats(min_value=0, allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(st.lists(st.tuples(finite, finite, weights), max_size=30))
def test_any_floats(rows):
    """Whatever floats Hypothesis finds, all sums equal those of Python's integers."""
    columns = np.array(rows, dtype=float).reshape(-1, 3).T.copy()
    moments = moments_by_hand(*columns[:2])
    weighted = weighted_by_hand(*columns)
    for path in PATHS:
        assert _kernels.exact_moments(*columns[:2], path=path) == moments
        assert _kernels.exact_weighted_moments(*columns, path=path) == weighted


@pytest.mark.parametrize("kind", COLUMNS)
def test_weighted_moments_equal_fractions(kind):
    """Every weighted sum is the exact one, on every path, whatever numbers and weights."""
    rng = np.random.default_rng(8)
    for size, weight_kind in itertools.product((1, 9, 300, 2100), ("normal", kind, "integers")):
        actual, predicted = (hard_column(kind, rng, size) for _ in range(2))
        weight = np.abs(hard_column(weight_kind, rng, size))
        expected = weighted_by_hand(actual, predicted, weight)
        sums = (expected["sum_w_actual"], expected["sum_w_squared_actual"], -1, -1)
        for path in PATHS:
            moments = _kernels.exact_weighted_moments(actual, predicted, weight, path=path)
            assert moments == expected, path
            assert _kernels.exact_weighted_sum(actual, weight, path=path) == sums, path


@pytest.mark.parametrize("seed", range(30))
def test_weighted_window_edges(seed):
    """Weights and values at the edges of windows give the same integers on every path."""
    rng = np.random.default_rng(seed)
    size = int(rng.choice([3, 8, 40, 200]))
    actual, weight = window_edges(rng, size), np.abs(window_edges(rng, size))
    for predicted in (window_edges(rng, size), -actual):
        expected = weighted_by_hand(actual, predicted, weight)
        for path in PATHS:
            weighted = _kernels.exact_weighted_moments(actual, predicted, weight, path=path)
            assert weighted == expected, path


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("bad", [-1.0, -5e-324, math.nan, math.inf])
def test_bad_weights_are_named(path, bad):
    """A negative or non-finite weight is a bad row; a weight of -0.0 is a weight of zero."""
    rng = np.random.default_rng(6)
    for size in (10, 3000, 100_000):
        x, weight = rng.normal(size=size), rng.uniform(size=size)
        weight[1] = -0.0
        expected = weighted_by_hand(x[:10], x[:10], weight[:10])
        good = _kernels.exact_weighted_moments(x[:10], x[:10], weight[:10], path=path)
        assert good == expected
        weight[size - 2] = bad
        assert _kernels.exact_weighted_sum(x, weight, path=path)[2:] == (-1, size - 2)
        moments = _kernels.exact_weighted_moments(x, x, weight, path=path)
        assert moments["bad_row_weight"] == size - 2
        assert moments["bad_row_actual"] == moments["bad_row_predicted"] == -1


def cell_integers(power):
    """Return (exponent, one Python integer per cell) of a columnar sum."""
    exponent, limbs = power
    assert limbs.dtype == np.uint64
    return exponent, [sum(int(limb) << 64 * i for i, limb in enumerate(row)) for row in limbs.tolist()]


def cells_by_hand(cells, number_of_cells, weight, power):
    sums = [0] * number_of_cells
    for cell, w in zip(cells.tolist(), integers(weight), strict=True):
        sums[cell] += w**power
    lowest = min(((s & -s).bit_length() - 1 for s in sums if s), default=1074 * power)
    exponent = min(0, lowest - 1074 * power)
    scaled = [Fraction(s, 2 ** (1074 * power)) / Fraction(2) ** exponent for s in sums]
    assert all(s.denominator == 1 for s in scaled)
    return exponent, [s.numerator for s in scaled]


def check_cells(cells, number_of_cells, weight):
    cells = cells.astype(np.uint32)
    result = _kernels.exact_cell_sums(cells, number_of_cells, weight)
    assert result["bad_row_cell"] == result["bad_row_weight"] == -1
    rows = np.bincount(cells, minlength=number_of_cells)
    np.testing.assert_array_equal(result["rows"], rows)
    for power, name in enumerate(("weight", "squared_weight", "cubed_weight"), start=1):
        expected = cells_by_hand(cells, number_of_cells, weight, power)
        assert cell_integers(result[name]) == expected
        longest = max((s.bit_length() for s in expected[1]), default=0)
        assert result[name][1].shape == (number_of_cells, max(1, -(-longest // 64)))


CELL_WEIGHTS = ("normal", "integers", "forty bits", "zeros", "subnormal", "exponents", "everything")


@pytest.mark.parametrize("kind", [*CELL_WEIGHTS, "near overflow", "heavy tails"])
def test_cell_sums_equal_fractions(kind):
    """Rows and the exact sums of three powers of the weights are right in every cell."""
    rng = np.random.default_rng(12)
    for size, number_of_cells in ((0, 1), (1, 1), (1, 4), (50, 3), (1000, 4), (1000, 700)):
        cells = rng.integers(0, number_of_cells, size)
        check_cells(cells, number_of_cells, np.abs(hard_column(kind, rng, size)))


@pytest.mark.parametrize("span", [20, 21, 22, 52, 63, 64, 65, 66, 128, 200])
def test_cell_weights_of_any_span(span):
    """The limits between small, one-limb and long weights change no bit."""
    rng = np.random.default_rng(span)
    values = [1.0, 2.0 ** (span - 1), 2.0 ** (span - 1) + 2.0 ** max(0, span - 53), 0.0, -0.0]
    for scale in (0, -40, 5, -1074):
        weight = np.ldexp(rng.choice(values, 300), scale)
        check_cells(rng.integers(0, 5, 300), 5, weight)


@pytest.mark.parametrize("kind", ["normal", "integers", "exponents"])
@pytest.mark.parametrize("number_of_cells", [4, 30_000])
def test_cell_sums_do_not_depend_on_order_or_threads(kind, number_of_cells):
    """Any order of rows and 1, 2 or 3 threads give equal arrays."""
    rng = np.random.default_rng(13)
    size = 100_000
    cells = rng.integers(0, number_of_cells, size).astype(np.uint32)
    weight = np.abs(hard_column(kind, rng, size))
    if kind == "exponents":
        weight = np.abs(doubles(rng, size, -60, 60))
    order = rng.permutation(size)
    results = []
    for threads in (1, 2, 3):
        _kernels.set_threads(threads)
        results.append(_kernels.exact_cell_sums(cells, number_of_cells, weight))
        results.append(_kernels.exact_cell_sums(cells[order], number_of_cells, weight[order]))
    for result in results[1:]:
        np.testing.assert_array_equal(result["rows"], results[0]["rows"])
        for name in ("weight", "squared_weight", "cubed_weight"):
            assert result[name][0] == results[0][name][0]
            np.testing.assert_array_equal(result[name][1], results[0][name][1])
    exponent, sums = cell_integers(results[0]["weight"])
    total = Fraction(sum(sums)) * Fraction(2) ** exponent
    assert units(total, 1) == _kernels.exact_sum(weight)[0]
    exponent, sums = cell_integers(results[0]["squared_weight"])
    total = Fraction(sum(sums)) * Fraction(2) ** exponent
    assert units(total, 2) == _kernels.exact_square_sum(weight)[1]


def test_integer_weights_are_plain_counts():
    """Integer weights come back with exponent 0 and one limb, like counts."""
    cells = np.array([0, 1, 1, 2, 0], dtype=np.uint32)
    result = _kernels.exact_cell_sums(cells, 4, np.array([1.0, 2.0, 4.0, 3.0, 8.0]))
    assert result["rows"].tolist() == [2, 2, 1, 0]
    assert result["weight"][0] == 0
    assert result["weight"][1].tolist() == [[9], [6], [3], [0]]
    assert result["squared_weight"][1].tolist() == [[65], [20], [9], [0]]
    assert result["cubed_weight"][1].tolist() == [[513], [72], [27], [0]]


@pytest.mark.parametrize("size", [10, 50_000, 200_000])
def test_bad_cells_are_named(size):
    """A code beyond the cells or a weight that is none is returned as the first such row."""
    cells, weight = np.zeros(size, dtype=np.uint32), np.ones(size)
    cells[[size - 1, size // 2]] = 4
    assert _kernels.exact_cell_sums(cells, 4, weight)["bad_row_cell"] == size // 2
    assert _kernels.exact_cell_sums(cells, 5, weight)["bad_row_cell"] == -1
    for bad in (math.nan, math.inf, -math.inf, -1.0, -5e-324):
        weight[[size - 2, size // 3]] = bad
        result = _kernels.exact_cell_sums(cells, 5, weight)
        assert (result["bad_row_cell"], result["bad_row_weight"]) == (-1, size // 3)
        assert not result["rows"].any()
