"""The regression functions beside scikit-learn's own: values, averages, weights, warnings and errors."""

import math
import warnings

import numpy as np
import pytest

import assay.sklearn as ours

theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference here")

PLAIN = (
    "mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "mean_squared_log_error",
    "root_mean_squared_log_error", "mean_absolute_percentage_error", "mean_pinball_loss",
    "median_absolute_error", "r2_score", "explained_variance_score", "d2_pinball_score",
    "d2_absolute_error_score",
)  # fmt: skip
SINGLE = (
    "max_error", "mean_tweedie_deviance", "mean_poisson_deviance", "mean_gamma_deviance", "d2_tweedie_score",
)  # fmt: skip
WEIGHTLESS = ("max_error",)
PARAMETERS = {
    "mean_pinball_loss": [{"alpha": 0.1}, {"alpha": 1}],
    "d2_pinball_score": [{"alpha": 0.1}, {"alpha": 0.9}, {"alpha": 0.3}],
    "mean_tweedie_deviance": [{"power": power} for power in (-1.5, 0, 1, 1.5, 2, 3)],
    "d2_tweedie_score": [{"power": power} for power in (-1.5, 0, 1, 1.5, 2, 3)],
    "r2_score": [{"force_finite": False}],
    "explained_variance_score": [{"force_finite": False}],
}
CASES = [(name, extra) for name in PLAIN + SINGLE for extra in [{}, *PARAMETERS.get(name, [])]]


def drawn(seed, shape, dtype=np.float64):
    rng = np.random.default_rng(seed)
    actual = rng.gamma(2.0, size=shape) + 0.1
    predicted = actual * rng.lognormal(0, 0.3, size=shape)
    if np.dtype(dtype).kind in "iu":
        actual, predicted = np.ceil(actual * 3), np.ceil(predicted * 3)
    return actual.astype(dtype), predicted.astype(dtype)


def both(name, *args, **named):
    return getattr(ours, name)(*args, **named), getattr(theirs, name)(*args, **named)


@pytest.mark.parametrize(("name", "extra"), CASES)
@pytest.mark.parametrize("n", [2, 3, 50, 1001])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_output_agrees(name, extra, n, weighted):
    """Values of one output, with and without weights (some of them 0), are scikit-learn's."""
    if weighted and name in WEIGHTLESS:
        return
    actual, predicted = drawn(n, n)
    weight = {}
    if weighted:
        weight = {"sample_weight": np.random.default_rng(n).integers(0, 4, n) + np.eye(n)[:2].sum(0)}
    mine, other = both(name, actual, predicted, **weight, **extra)
    assert mine == pytest.approx(other, rel=1e-11, abs=1e-13)
    assert type(mine) is type(other)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(
    "multioutput", ["raw_values", "uniform_average", [0.2, 0.5, 0.3], "variance_weighted"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_several_outputs_agree(name, multioutput, weighted):
    """Each output's value and the averages over them are scikit-learn's."""
    if multioutput == "variance_weighted" and name not in ("r2_score", "explained_variance_score"):
        return
    actual, predicted = drawn(3, (40, 3))
    actual[:, 2] = 1.5  # nothing to explain
    weight = {"sample_weight": np.random.default_rng(1).uniform(0.1, 3, 40)} if weighted else {}
    mine, other = both(name, actual, predicted, multioutput=multioutput, **weight)
    np.testing.assert_allclose(mine, other, rtol=1e-11)
    assert type(mine) is type(other)


@pytest.mark.parametrize("name", PLAIN + SINGLE)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, ">f8"])
def test_other_types_agree(name, dtype):
    """Columns of other types give what scikit-learn gives, which for float32 is less exact."""
    actual, predicted = drawn(7, 60, dtype)
    if dtype == np.uint8:
        predicted = np.maximum(actual, predicted)  # scikit-learn's unsigned differences run over
        actual, predicted = predicted, actual
    mine, other = both(name, actual, predicted)
    if not (dtype == np.uint8 and name in ("median_absolute_error", "max_error")):
        assert mine == pytest.approx(other, rel=1e-4 if dtype == np.float32 else 1e-11)
    mixed = getattr(ours, name)(actual.astype(np.float32), predicted.astype(np.float64))
    assert mixed == pytest.approx(mine, rel=1e-6)


@pytest.mark.parametrize("name", PLAIN + SINGLE)
def test_views_lists_and_columns_agree(name):
    """Lists, strided views, tables of one column and read-only arrays are the same rows."""
    actual, predicted = drawn(5, 20)
    expected = getattr(ours, name)(actual, predicted)
    frozen = actual.copy()
    frozen.flags.writeable = False
    for one in (actual.tolist(), np.repeat(actual, 2)[::2], actual.reshape(-1, 1), frozen):
        assert getattr(ours, name)(one, predicted) == expected


@pytest.mark.parametrize("name", PLAIN + SINGLE)
@pytest.mark.parametrize(
    "wrong",
    [
        ([1.0, math.nan], [1.0, 2.0]), ([1.0, 2.0], [1.0, math.inf]), ([1.0, 2.0], [1.0]), ([], []),
        (["a", "b"], ["a", "b"]), ([[1.0, 2.0]], [[1.0]]), (1.0, 2.0), ([[[1.0]]], [[[1.0]]]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [np.asarray, lambda values: values])
def test_wrong_input_is_refused_alike(name, wrong, form):
    """What scikit-learn refuses is refused with an error of the same kind."""
    wrong = [form(side) for side in wrong]
    with pytest.raises((ValueError, TypeError)) as expected:
        getattr(theirs, name)(*wrong)
    with pytest.raises(type(expected.value).__mro__[1] if "Invalid" in type(expected.value).__name__ else type(expected.value)):  # fmt: skip
        getattr(ours, name)(*wrong)


@pytest.mark.parametrize("name", [name for name in PLAIN + SINGLE if name not in WEIGHTLESS])
def test_wrong_weights_are_refused_alike(name):
    """Weights that are too many, missing, not finite or all 0 are refused."""
    actual, predicted = drawn(1, 5)
    for weight in (np.ones(4), np.zeros(5), [1, 1, math.nan, 1, 1], np.ones((5, 2)), "ones"):
        with pytest.raises(ValueError):  # noqa: PT011 - each says its own
            getattr(theirs, name)(actual, predicted, sample_weight=weight)
        with pytest.raises(ValueError):  # noqa: PT011
            getattr(ours, name)(actual, predicted, sample_weight=weight)
    poisoned = np.array([1.0, 1, 1, 1, math.nan])
    with pytest.raises(ValueError, match="contains NaN"):
        getattr(ours, name)(actual, poisoned, sample_weight=[1, 1, 1, 1, 0])


@pytest.mark.parametrize("name", ["mean_squared_error", "mean_absolute_error", "r2_score", "explained_variance_score",
                                  "mean_absolute_percentage_error", "mean_poisson_deviance"])  # fmt: skip
def test_weights_below_0_agree(name):
    """scikit-learn lets negative weights through; the sums are the same."""
    actual, predicted = drawn(11, 30)
    weight = np.random.default_rng(2).normal(size=30) + 0.5
    mine, other = both(name, actual, predicted, sample_weight=weight)
    assert mine == pytest.approx(other, rel=1e-10)


@pytest.mark.parametrize(
    "name", ["r2_score", "d2_tweedie_score", "d2_pinball_score", "d2_absolute_error_score"]
)
def test_one_row_warns(name):
    """One row explains nothing: NaN and scikit-learn's own warning, at the caller's line."""
    with pytest.warns(ours.UndefinedMetricWarning, match="less than two samples") as caught:
        assert math.isnan(getattr(ours, name)([1.0], [2.0]))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", ["r2_score", "explained_variance_score"])
def test_nothing_to_explain(name):
    """A constant truth is explained fully or not at all, or without `force_finite` is NaN or minus infinity."""
    function = getattr(ours, name)
    assert function([2, 2, 2], [2, 2, 2]) == 1
    assert function([2, 2, 2], [2, 3, 4]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(function([2, 2, 2], [2, 2, 2], force_finite=False))
        assert function([2, 2, 2], [2, 3, 4], force_finite=False) == -math.inf
    # A mean of tenths is not a tenth, so scikit-learn's figure for this one is beyond -1e31.
    assert function([0.1, 0.1, 0.1], [0.1, 0.1, 0.2]) == 0


@pytest.mark.parametrize("power", [0, 1, 2])
def test_a_constant_truth_has_no_tweedie_deviance(power):
    """The share of nothing is a division by zero in both."""
    for module in (theirs, ours):
        with pytest.raises(ZeroDivisionError):
            module.d2_tweedie_score([1.0, 1.0], [1.0, 2.0], power=power)


@pytest.mark.parametrize(
    ("name", "args", "named", "message"),
    [
        ("mean_squared_log_error", ([-1.0], [1.0]), {}, "^Mean Squared Logarithmic Error cannot"),
        ("root_mean_squared_log_error", ([1.0], [-2.0]), {}, "^Root Mean Squared Logarithmic Error cannot"),
        ("mean_tweedie_deviance", ([1.0], [0.0]), {"power": -1}, "power=-1 .* strictly positive y_pred"),
        ("mean_poisson_deviance", ([-1.0], [1.0]), {}, "non-negative y and strictly positive y_pred"),
        ("mean_gamma_deviance", ([0.0], [1.0]), {}, "strictly positive y and y_pred"),
        ("d2_tweedie_score", ([1.0, 2.0], [0.0, 1.0]), {"power": 3}, "strictly positive y and y_pred"),
        ("max_error", ([[1.0, 2.0]], [[1.0, 2.0]]), {}, "Multioutput not supported in max_error"),
        (
            "d2_tweedie_score",
            ([[1.0, 2.0]], [[1.0, 2.0]]),
            {},
            "Multioutput not supported in d2_tweedie_score",
        ),
        (
            "mean_squared_error",
            ([1.0], [1.0]),
            {"multioutput": "variance_weighted"},
            "'multioutput' parameter",
        ),
        ("mean_squared_error", ([1.0], [1.0]), {"multioutput": [1.0]}, "Custom weights are useful only"),
        ("r2_score", ([[1.0, 2.0]], [[1.0, 2.0]]), {"multioutput": [1.0]}, "equally many custom weights"),
        ("mean_pinball_loss", ([1.0], [1.0]), {"alpha": 1.5}, "'alpha' parameter"),
        ("mean_tweedie_deviance", ([1.0], [1.0]), {"power": 0.5}, "'power' parameter"),
        ("r2_score", ([1.0], [1.0]), {"force_finite": 1}, "'force_finite' parameter"),
    ],
)
def test_messages_are_those_users_know(name, args, named, message):
    """The error and its words are scikit-learn's."""
    for module in (theirs, ours):
        with pytest.raises(ValueError, match=message):
            getattr(module, name)(*args, **named)


def test_sums_beyond_float_are_right():
    """Where scikit-learn's float sums lose everything, the exact ones do not."""
    actual, predicted = np.array([1e16, 1.0, -1e16, 1.0, 3.0]), np.array([1e16, 2.0, -1e16, 0.5, 3.0])
    assert ours.mean_squared_error(actual, predicted) == 0.25
    assert ours.mean_absolute_error(actual, predicted) == 0.3
    huge = np.array([1e300, -1e300])
    assert ours.mean_squared_error(huge, -huge) == math.inf
    assert ours.r2_score(huge, -huge) == -3


def test_half_the_pinball_is_the_absolute_error():
    """The pinball loss at one half is half of the absolute error, to the last bit."""
    for seed in range(20):
        actual, predicted = drawn(seed, 33)
        assert ours.mean_absolute_error(actual, predicted) == 2 * ours.mean_pinball_loss(actual, predicted)


def test_order_and_number_of_rows_leave_no_trace():
    """Rows in another order give the same bits, from a table of several outputs as well."""
    actual, predicted = drawn(1, (5000, 2))
    order = np.random.default_rng(0).permutation(5000)
    for name in PLAIN:
        function = getattr(ours, name)
        first, second = (function(a, p) for a, p in ((actual, predicted), (actual[order], predicted[order])))
        assert first.hex() == second.hex(), name


def test_numbers_in_text():
    """Numbers in text are read, as in scikit-learn; other text is refused."""
    actual, predicted = ["1", "2.5", "4"], np.array(["1", "2", "5"])
    for name in ("mean_absolute_error", "mean_squared_error", "r2_score", "mean_gamma_deviance"):
        mine, other = both(name, actual, predicted)
        assert mine == pytest.approx(other, rel=1e-12)
    for library in (ours, theirs):
        with pytest.raises(ValueError, match="could not convert string"):
            library.mean_squared_error(["one", "two"], [1, 2])


def test_weights_in_text_and_objects():
    """Weights that are numbers in text or objects are read, too."""
    actual, predicted = [1.0, 2.5, 4.0], [1.0, 2.0, 5.0]
    for weights in (["1", "0.5", "2"], np.array([1, 0.5, 2], dtype=object)):
        mine, other = both("mean_squared_error", actual, predicted, sample_weight=weights)
        assert mine == pytest.approx(other, rel=1e-12)


def test_weights_of_outputs_under_a_root():
    """A root of the mean squared error takes weights for a single output as well."""
    mine, other = both("root_mean_squared_error", [1.0, 2.0], [1.5, 4.0], multioutput=[2.0])
    assert mine == pytest.approx(other, rel=1e-12)
    actual, predicted = drawn(3, (10, 2))
    for weights in ([0.3, 0.7], (1, 2), np.array([1, 0])):
        mine, other = both("root_mean_squared_error", actual, predicted, multioutput=weights)
        assert mine == pytest.approx(other, rel=1e-12)
    for library in (ours, theirs):
        with pytest.raises(TypeError, match="shapes of a and weights differ"):
            library.root_mean_squared_error(actual, predicted, multioutput=[1, 2, 3])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mean_square_below_zero_has_no_root():
    """Weights below 0 may make the mean square negative: then there is no root."""
    weights = [-1.0, -1.0, 3.0]
    mine, other = both("root_mean_squared_error", [1, 2, 3], [2, 4, 3], sample_weight=weights)
    assert math.isnan(mine)
    assert math.isnan(other)


@pytest.mark.parametrize("name", ["r2_score", "d2_tweedie_score", "d2_pinball_score"])
def test_a_single_row_must_be_finite_as_well(name):
    """One row has no score, but a NaN in it is an error all the same."""
    for library in (ours, theirs):
        with pytest.raises(ValueError, match="contains NaN"):
            getattr(library, name)(np.array([np.nan]), np.array([1.0]))
