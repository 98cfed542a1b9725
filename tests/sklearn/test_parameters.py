"""What callers may pass: parameters, targets and weights that are refused, and what the package needs."""

import inspect
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from support.agreement import assert_same, outcome

import assay.sklearn
from assay.errors import InputError
from assay.sklearn import InvalidParameterError, target_checks
from assay.sklearn.parameter_checks import interval, number_among, validated

PUBLIC = [name for name in assay.sklearn.__all__ if name.islower()]


@pytest.fixture
def theirs():
    return pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference here")


def test_the_table_names_what_each_module_offers():
    """Every name in the table is there, public in its module, and loaded only when asked for."""
    for name in assay.sklearn.__all__:
        assert getattr(assay.sklearn, name).__name__ == name
    for home, names in assay.sklearn._HOMES.items():
        module = sys.modules[f"assay.sklearn.{home}"]
        assert set(names) <= set(module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = assay.sklearn.nonsense


@pytest.mark.parametrize("name", PUBLIC)
def test_signatures_are_scikit_learns(name, theirs):
    """Names, kinds and defaults of the parameters are the same, one by one."""

    def shape(function):
        return [(p.name, p.kind, repr(p.default)) for p in inspect.signature(function).parameters.values()]

    assert shape(getattr(assay.sklearn, name)) == shape(getattr(theirs, name))


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_refuses_what_scikit_learn_refuses(name, theirs):
    """A value of a wrong type or out of range is refused in the same words."""
    ours, reference = getattr(assay.sklearn, name), getattr(theirs, name)
    rules = reference._skl_parameter_constraints
    first, second, *others = inspect.signature(reference).parameters
    right = {first: np.array([0, 1, 1]), second: np.array([0, 1, 0])}
    if "beta" in others:
        right["beta"] = 1.0
    for parameter in [first, second, *others]:
        if rules.get(parameter, "no_validation") == "no_validation":
            continue
        for wrong in (type("Odd", (), {})(), "nonsense", 3.7, -4, 2j):
            value, _ = outcome(ours, **right | {parameter: wrong})
            expected, _ = outcome(reference, **right | {parameter: wrong})
            if "parameter of" not in str(expected):
                continue
            assert isinstance(value, InvalidParameterError), (parameter, wrong, value)
            assert isinstance(value, ValueError)
            assert isinstance(value, TypeError)
            # Options are listed in no order of their own there.
            order = re.compile(r"\{(.+?)\}")
            assert order.sub("{}", str(value)) == order.sub("{}", str(expected))


def test_a_rule_is_checked_by_position_and_by_name_and_defaults_are_not():
    """What the caller passes is checked however he passes it."""

    @validated(size=interval(float, 0, 1, closed="left"), kind=number_among(0, 1))
    def function(size, kind="a default outside the rule"):
        return size, kind

    assert function(0.5) == (0.5, "a default outside the rule")
    for wrong in (1.0, -0.1, float("nan"), "0.5"):
        with pytest.raises(InvalidParameterError, match=r"in the range \[0.0, 1.0\)"):
            function(wrong)
        with pytest.raises(InvalidParameterError, match="Got"):
            function(size=wrong)
    with pytest.raises(InvalidParameterError, match="'kind' parameter of function"):
        function(0.5, kind=2)
    with pytest.raises(TypeError, match="missing 1 required"):
        function()


BAD_TARGETS = [
    ([0, 1], [0, 1, 1]),
    ([], []),
    ([0.5, 1.5], [0, 1]),
    ([0, 1], [0.5, 1.5]),
    ([0.5, 1.5], [0.5, 1.5]),
    ([np.nan, 1], [0, 1]),
    ([np.inf, 1], [0, 1]),
    (["a", "b"], [0, 1]),
    ([None, "a"], ["a", "a"]),
    ([1, None], [1, 1]),
    ([b"a", b"b"], [b"a", b"b"]),
    ([[0, 1], [1, 0]], [0, 1]),
    ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    ([[0, 1], [1, 0]], [[0, 1, 1], [1, 0, 1]]),
    ([[1], [2, 3]], [[1], [2, 3]]),
    ([{1}, {2}], [{1}, {2}]),
    (np.array(1), np.array(1)),
    (np.array([1 + 2j]), np.array([1])),
    (np.array([1, 2], dtype=object), [1, 2]),
    (np.zeros((2, 2, 2)), np.zeros((2, 2, 2))),
    ({"a": 1}, {"a": 1}),
    (np.array([[1], [0]]).view(np.matrix), [1, 0]),
]


@pytest.mark.parametrize(("y_true", "y_pred"), BAD_TARGETS, ids=range(len(BAD_TARGETS)))
@pytest.mark.parametrize("name", ["accuracy_score", "confusion_matrix", "f1_score", "classification_report"])
def test_targets_that_are_none_are_refused_alike(name, y_true, y_pred, theirs):
    """Lengths, kinds and mixtures that scikit-learn refuses are refused, as the same kind of error."""
    value, _ = outcome(getattr(assay.sklearn, name), y_true, y_pred)
    expected, _ = outcome(getattr(theirs, name), y_true, y_pred)
    if isinstance(y_true, np.ndarray) and y_true.dtype == object:
        assert isinstance(expected, ValueError)  # we read whole numbers from objects, too
        return
    assert isinstance(expected, (ValueError, TypeError, IndexError))
    assert isinstance(value, InputError)
    if isinstance(expected, TypeError):
        assert isinstance(value, TypeError)


@pytest.mark.parametrize(
    "weight",
    [
        [1, 2],
        [[1], [2], [3]],
        [1, 2, np.nan],
        [1, 2, np.inf],
        ["a", "b", "c"],
        [0, 0, 0],
        "abc",
        1.0,
        [1j, 1, 1],
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["accuracy_score", "confusion_matrix", "recall_score", "hamming_loss"])
def test_weights_that_are_none_are_refused_alike(name, weight, theirs):
    """Weights of a wrong number, shape or kind are refused in scikit-learn's words."""
    rows = [0, 1, 1], [0, 1, 0]
    value, _ = outcome(getattr(assay.sklearn, name), *rows, sample_weight=weight)
    expected, _ = outcome(getattr(theirs, name), *rows, sample_weight=weight)
    if weight == ["a", "b", "c"]:  # there the failure is NumPy's, later
        assert isinstance(value, InputError)
        return
    assert_same(value, expected)


@pytest.mark.parametrize(
    "values", [case for pair in BAD_TARGETS for case in pair], ids=range(2 * len(BAD_TARGETS))
)
def test_kinds_of_targets_are_scikit_learns(values, theirs):
    """Each odd target is called what scikit-learn calls it, or refused as there."""
    from sklearn.utils.multiclass import type_of_target  # noqa: PLC0415 - only where it is installed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, _ = outcome(target_checks.type_of_target, values)
        expected, _ = outcome(type_of_target, values)
    if isinstance(expected, Exception):
        assert isinstance(
            value, tuple(kind for kind in (ValueError, TypeError) if isinstance(expected, kind))
        )
    else:
        assert value == expected


def test_regression_targets_become_tables_of_one_column_per_output():
    """Numbers, weights and the kind of average over outputs are checked in one place."""
    actual, predicted, weights, multioutput = target_checks.regression_targets([1, 2], [[1.5], [2]], [1, 2])
    assert actual.shape == predicted.shape == (2, 1)
    assert weights.dtype == np.float64
    assert multioutput == "uniform_average"
    *_, custom = target_checks.regression_targets(np.ones((2, 2)), np.ones((2, 2)), None, [0.3, 0.7])
    assert custom.tolist() == [0.3, 0.7]
    for args, message in (
        (([1, 2], [1]), "inconsistent numbers of samples"),
        (([1, 2], [[1, 2], [3, 4]]), "different number of output"),
        ((["a", "b"], [1, 2]), "could not convert string to float"),
        (([b"1", b"2"], [1, 2]), "not compatible with arrays of bytes/strings"),
        (([np.nan, 2], [1, 2]), "contains NaN"),
        (([1, 2], [1, np.inf]), "contains infinity"),
        (([], []), "minimum of 1"),
        ((np.zeros((2, 0)), np.zeros((2, 0))), "0 feature"),
        ((np.zeros((1, 1, 1)), np.zeros((1, 1, 1))), "dim 3"),
        (([1, 2], [1, 2], None, "nonsense"), "Allowed 'multioutput'"),
        (([1, 2], [1, 2], None, [1.0]), "only in multi-output"),
        ((np.ones((2, 2)), np.ones((2, 2)), None, [1.0]), "equally many custom weights"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            target_checks.regression_targets(*args, *[None] * (3 - len(args)))


def test_positive_labels_are_not_guessed():
    """1 is positive among 0 and 1 or -1 and 1; other labels need a word."""
    assert target_checks.positive_label(None, np.array([0, 1, 1])) == 1
    assert target_checks.positive_label(None, np.array([-1.0, 1.0])) == 1
    assert target_checks.positive_label("yes", np.array(["no", "yes"])) == "yes"
    for labels in (["no", "yes"], [1, 2], [0, 1, 2]):
        with pytest.raises(InputError, match="pos_label is not specified"):
            target_checks.positive_label(None, np.array(labels))


def test_neither_scikit_learn_nor_scipy_is_imported():
    """The functions, their warnings and their errors work in a process that has neither loaded."""
    script = (
        "import sys, warnings, assay.sklearn as s\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        "    assert s.f1_score([0, 0], [0, 0]) == 0.0\n"
        "assert said[0].category is s.UndefinedMetricWarning, said\n"
        "assert s.UndefinedMetricWarning.__module__ == 'assay.sklearn.undefined_warnings'\n"
        "print(s.classification_report([[0, 1], [1, 1]], [[0, 1], [1, 0]]).split()[0])\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'polars', 'pyarrow', 'narwhals'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    assert done.stdout == "precision\n"


def test_the_warning_is_scikit_learns_own_once_it_is_loaded(theirs):
    """A filter on scikit-learn's class catches ours, and the warning names the caller's line."""
    from sklearn.exceptions import UndefinedMetricWarning  # noqa: PLC0415 - only where it is installed

    assert assay.sklearn.UndefinedMetricWarning is UndefinedMetricWarning
    with pytest.warns(UndefinedMetricWarning, match="no predicted samples") as said:
        assay.sklearn.precision_score([1, 1], [0, 0])
    assert said[0].filename == __file__
