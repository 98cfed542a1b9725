"""Label metrics against scikit-learn's own: values, types, warnings and errors, on random targets."""

import random

import numpy as np
import pytest
from support.agreement import assert_same, outcome

import assay.sklearn

theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference here")

COUNTING = ["hamming_loss", "matthews_corrcoef", "balanced_accuracy_score", "accuracy_score", "zero_one_loss"]
RATES = ["precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score"]
LABELLED = ["confusion_matrix", "multilabel_confusion_matrix", "cohen_kappa_score", *RATES]
FORMS = [
    "array",
    "list",
    "tuple",
    "float",
    "small",
    "strided",
    "column",
    "pandas",
    "nullable",
    "category",
    "polars",
]
POOLS = {
    "0/1": [0, 1],
    "-1/1": [-1, 1],
    "one class": [3],
    "classes": [0, 1, 2, 7],
    "large": [2**40, 5, -8],
    "truth": [False, True],
    "text": ["ham", "spam", "eggs"],
    "two words": ["no", "yes"],
}  # fmt: skip
WEIGHTS = {
    "none": lambda *_: None,
    "floats": lambda rng, n: rng.uniform(0.1, 2, n),
    "halves": lambda rng, n: rng.integers(1, 5, n) / 2,
    "integers": lambda rng, n: rng.integers(1, 5, n),
    "some zero": lambda rng, n: np.r_[1, rng.integers(0, 3, n - 1)],
    "some negative": lambda rng, n: np.r_[9.0 * n, rng.integers(-2, 4, n - 1)],
    "list": lambda rng, n: rng.uniform(0.1, 2, n).tolist(),
}


def targets(pool, n, seed):
    """Return two lists of labels that agree more often than not; some labels may lack on a side."""
    rng = random.Random(seed)
    few, others = pool[: rng.randrange(1, len(pool) + 1)], pool[: rng.randrange(1, len(pool) + 1)]
    actual = [rng.choice(few) for _ in range(n)]
    return actual, [label if rng.random() < 0.6 else rng.choice(others) for label in actual]


def formed(values, form):
    """Return labels in one of the forms that callers use."""
    number = not isinstance(values[0], str)
    if form in ("pandas", "nullable", "category"):
        pandas = pytest.importorskip("pandas", reason="a form of input is pandas'")
        if form == "category":
            return pandas.Series(values).astype("category")
        kind = "boolean" if isinstance(values[0], bool) else "Int64"
        return pandas.Series(values, dtype=kind if form == "nullable" and number else None)
    if form == "polars":
        return pytest.importorskip("polars", reason="a form of input is Polars'").Series(values)
    if form in ("list", "tuple"):
        return values if form == "list" else tuple(values)
    array = np.array(values)
    if form == "float" and number:
        return array.astype(np.float64)
    if form == "small" and number and np.abs(array.astype(float)).max() < 100:
        return array.astype(np.int8)
    if form == "strided":
        return np.repeat(array, 2)[::2]
    return array.reshape(-1, 1) if form == "column" else array


def agree(name, *args, **named):
    """Assert that our function does what scikit-learn's does."""
    with np.errstate(all="ignore"):
        expected, warned = outcome(getattr(theirs, name), *args, **named)
    value, said = outcome(getattr(assay.sklearn, name), *args, **named)
    assert_same(value, expected)
    # A slip in one of scikit-learn's sentences, and NumPy's own warning of 0/0, are not ours to repeat.
    assert said == [
        (kind, text.replace("the the", "the")) for kind, text in warned if kind is not RuntimeWarning
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pool", POOLS)
def test_every_form_of_labels_is_read_as_scikit_learn_reads_it(pool, form):
    """Numbers, truth values and text, from lists to Polars, give the same figures and warnings."""
    for seed in range(2):
        actual, predicted = (formed(side, form) for side in targets(POOLS[pool], 12, seed))
        for name in COUNTING:
            agree(name, actual, predicted)
        agree("confusion_matrix", actual, predicted)
        agree("multilabel_confusion_matrix", actual, predicted)
        agree("precision_recall_fscore_support", actual, predicted)
        if (pool, form) != ("truth", "category"):  # scikit-learn calls their classes 0.0 and 1.0
            agree("classification_report", actual, predicted)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("pool", ["0/1", "classes", "text"])
def test_weights_count_as_in_scikit_learn(pool, weights):
    """Weights of any sign and type, and zeros whose labels still count, give the same figures."""
    for seed in range(2):
        actual, predicted = targets(POOLS[pool], 15, seed)
        weight = WEIGHTS[weights](np.random.default_rng(seed), 15)
        for name in [*COUNTING, "confusion_matrix", "multilabel_confusion_matrix", "cohen_kappa_score"]:
            # Below 0 a correlation has no root, and kappa leaves its bounds.
            if weights != "some negative" or name not in ("matthews_corrcoef", "cohen_kappa_score"):
                agree(name, actual, predicted, sample_weight=weight)
        for name in RATES:
            more = {"beta": 0.5} if name == "fbeta_score" else {}
            for average in (None, "micro", "macro", "weighted"):
                agree(name, actual, predicted, sample_weight=weight, average=average, **more)


@pytest.mark.parametrize("zero_division", ["warn", 0, 1, np.nan])
@pytest.mark.parametrize("average", [None, "binary", "micro", "macro", "weighted", "samples"])
@pytest.mark.parametrize("name", [*RATES, "precision_recall_fscore_support"])
def test_averages_and_undefined_values_are_scikit_learns(name, average, zero_division):
    """Every average with every stand-in for 0/0, for labels and label sets, chosen or all."""
    rng = np.random.default_rng(5)
    label_sets = [rng.random((9, 3)) < share for share in (0.0, 0.5, 1.0)]
    more = {"beta": 2.0} if name == "fbeta_score" else {}
    for seed, pool in enumerate((POOLS["0/1"], POOLS["one class"], POOLS["classes"], POOLS["two words"])):
        actual, predicted = targets(pool, 8, seed)
        for labels, pos_label in ((None, 1), (None, pool[-1]), (pool[::-1], 1)):
            agree(
                name, actual, predicted, average=average, zero_division=zero_division,
                labels=labels, pos_label=pos_label, **more,
            )  # fmt: skip
    for there in label_sets:
        for given in label_sets:
            labels = [2, 0] if there is given else None
            agree(
                name, there.astype(int), given.astype(int), average=average,
                zero_division=zero_division, labels=labels, **more,
            )  # fmt: skip


@pytest.mark.parametrize("name", LABELLED)
def test_labels_that_are_chosen_reordered_or_absent(name):
    """A choice of labels drops cells, keeps its order, and gives absent labels their places."""
    more = {"average": None} if name in RATES else {}
    more |= {"beta": 0.5} if name == "fbeta_score" else {}
    for pool in (POOLS["classes"], POOLS["text"]):
        absent = "zebra" if isinstance(pool[0], str) else 99
        for seed in range(5):
            actual, predicted = targets(pool, 20, seed)
            for labels in (pool, pool[::-1], pool[:2], [absent, *pool], [absent]):
                agree(name, actual, predicted, labels=labels, **more)
                agree(name, np.array(actual), np.array(predicted), labels=np.array(labels), **more)


@pytest.mark.parametrize("form", ["array", "list", "float", "csr", "coo", "frame", "column order", "truth"])
def test_label_sets_of_every_form(form):
    """Dense, nested and sparse tables of label sets are read alike, weighted or not."""
    forms = {
        "array": np.asarray,
        "list": np.ndarray.tolist,
        "float": lambda table: table.astype(float),
        "column order": np.asfortranarray,
        "truth": lambda table: table.astype(bool),
    }
    if form in ("csr", "coo"):
        forms[form] = getattr(pytest.importorskip("scipy.sparse", reason="sparse"), f"{form}_array")
    if form == "frame":
        forms[form] = pytest.importorskip("pandas", reason="a form of input is pandas'").DataFrame
    rng = np.random.default_rng(3)
    for n, size in ((1, 2), (6, 3), (30, 4)):
        there = rng.integers(0, 2, (n, size))
        given = np.where(rng.random((n, size)) < 0.6, there, rng.integers(0, 2, (n, size)))
        actual, predicted = forms[form](there), forms[form](given)
        for weight in (None, rng.integers(1, 5, n) / 2):
            for name in ("accuracy_score", "zero_one_loss"):
                agree(name, actual, predicted, sample_weight=weight)
                agree(name, actual, predicted, sample_weight=weight, normalize=False)
            agree("hamming_loss", actual, predicted, sample_weight=weight)
            agree("classification_report", actual, predicted, sample_weight=weight)
            for samplewise in (False, True):
                for labels in (None, [1, 0]):
                    agree(
                        "multilabel_confusion_matrix", actual, predicted,
                        sample_weight=weight, samplewise=samplewise, labels=labels,
                    )  # fmt: skip


def test_tables_of_minus_one_and_one_differ_where_their_values_do():
    """What is not 0 is there; for accuracy and Hamming loss the values themselves are compared."""
    actual, predicted = np.array([[-1, 1], [1, 1]]), np.array([[1, 1], [1, 1]])
    for name in ("accuracy_score", "hamming_loss", "multilabel_confusion_matrix"):
        agree(name, actual, predicted)


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
def test_a_confusion_matrix_may_be_normalized(normalize):
    """Rows, columns or all cells add up to 1; a row of nothing stays 0."""
    for seed in range(5):
        actual, predicted = targets(POOLS["classes"], 15, seed)
        agree("confusion_matrix", actual, predicted, normalize=normalize)
        agree("confusion_matrix", actual, predicted, normalize=normalize, labels=[0, 1, 99])


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_with_distances_between_labels(weights):
    """Kappa, plain or weighted by how far the labels are apart, and what stands for an undefined one."""
    for pool in POOLS.values():
        for seed in range(5):
            first, second = targets(pool, 15, seed)
            agree("cohen_kappa_score", first, second, weights=weights)
            agree("cohen_kappa_score", first, second, weights=weights, replace_undefined_by=0.5)


@pytest.mark.parametrize(
    "replace", [np.nan, 1.0, {"LR+": 3.0, "LR-": 0.25}, {"LR+": 0.5, "LR-": 2}, {"LR+": 1.0}]
)
def test_likelihood_ratios(replace):
    """Both ratios, and what stands in where one divides by nothing."""
    for counts in ([3, 1, 2, 4], [3, 0, 2, 4], [0, 1, 2, 4], [3, 1, 0, 4], [3, 1, 2, 0], [3, 4, 0, 0]):
        actual = np.repeat([0, 0, 1, 1], counts)
        predicted = np.repeat([0, 1, 0, 1], counts)
        agree("class_likelihood_ratios", actual, predicted, labels=[0, 1], replace_undefined_by=replace)


def test_reports_with_names_digits_and_dicts():
    """The report's text is scikit-learn's to the letter, and so is its dict."""
    actual, predicted = targets(POOLS["classes"], 40, 1)
    names = ["nought", "one", "a couple", "a week of them, which is rather long"]
    for digits in (0, 2, 5, 30):
        agree("classification_report", actual, predicted, digits=digits)
        agree("classification_report", actual, predicted, digits=digits, target_names=names)
    for labels in (None, [0, 1], [7, 2, 1, 0], [0, 1, 2, 7, 9]):
        for output_dict in (False, True):
            agree("classification_report", actual, predicted, labels=labels, output_dict=output_dict)
            agree(
                "classification_report", actual, predicted,
                labels=labels, output_dict=output_dict, target_names=names,
            )  # fmt: skip
    agree("classification_report", actual, predicted, target_names=names[:2])
    agree("classification_report", [1, 1], [2, 2])  # nothing is right: scikit-learn's counts are floats


def test_integer_weights_beyond_a_float_wrap_round_as_scikit_learns_do():
    """Integer weights add up as 64-bit integers, exactly."""
    for weight in (2**53 + 1, 2**62 + 3, -(2**60) - 1):
        agree("confusion_matrix", [0, 1, 1], [0, 1, 0], sample_weight=np.array([weight] * 3))


def test_a_beta_of_single_precision_does_not_round_the_result():
    """The weight of recall may be any real number; F is double all the same."""
    actual, predicted = [0, 1, 1, 0, 2], [0, 1, 2, 0, 2]
    for average in ("micro", "macro"):
        value = assay.sklearn.fbeta_score(actual, predicted, beta=np.float32(0.5), average=average)
        assert value == assay.sklearn.fbeta_score(actual, predicted, beta=0.5, average=average)


@pytest.mark.parametrize("kind", [int, str, float])
@pytest.mark.parametrize("labels", [["0", "1", "2"], [2, 0], ["1.0", "0"], ["0", "1", "2", "9"], [0, 1, 9]])
def test_labels_named_in_text_find_numbers_and_the_other_way_round(kind, labels):
    """Where text meets numbers in `labels`, both are compared as text, as scikit-learn does."""
    rng = np.random.default_rng(0)
    actual, predicted = rng.integers(0, 3, (2, 40)).astype(kind)
    for name in ("multilabel_confusion_matrix", "precision_recall_fscore_support"):
        mine, other = (
            outcome(getattr(lib, name), actual, predicted, labels=labels) for lib in (assay.sklearn, theirs)
        )
        assert_same(mine[0], other[0])
