"""Ranking metrics against scikit-learn's own on random targets: values, types, warnings, kinds of error."""

import itertools
import random
import warnings

import numpy as np
import pytest

import assay.sklearn

theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference here")

CURVES = ["confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve"]
AREAS = ["roc_auc_score", "average_precision_score"]
LISTED = [
    "coverage_error",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "dcg_score",
    "ndcg_score",
]
LABELS = {
    "0/1": [0, 1],
    "-1/1": [-1, 1],
    "truth": [False, True],
    "text": ["ham", "spam"],
    "others": [3, 7],
    "floats": [0.0, 1.0],
    "one class": [1],
    "no positive": [0],
    "three": [0, 1, 2],
}
WEIGHTS = {
    "none": lambda *_: None,
    "floats": lambda rng, n: rng.uniform(0.1, 2, n),
    "integers": lambda rng, n: rng.integers(1, 5, n),
    "some zero": lambda rng, n: np.r_[1, rng.integers(0, 3, n - 1)],
    "some negative": lambda rng, n: np.r_[9.0 * n, 9.0 * n, rng.integers(-2, 4, n)][:n],
    "list": lambda rng, n: rng.uniform(0.1, 2, n).tolist(),
}
SCORES = {
    "floats": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: rng.integers(0, 5, n) / 4,
    "single": lambda rng, n: rng.random(n).astype(np.float32),
    "integers": lambda rng, n: rng.integers(-9, 9, n),
    "small": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "truth": lambda rng, n: rng.integers(0, 2, n).astype(bool),
    "list": lambda rng, n: rng.random(n).tolist(),
    "column": lambda rng, n: rng.random((n, 1)),
}


def outcome(function, *args, **named):
    """Return what a call gave, a value or the error, and the kinds of its warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = function(*args, **named)
        except (ValueError, TypeError, NotImplementedError, IndexError, AttributeError) as error:
            value = error
    return value, {one.category for one in said if one.category is not RuntimeWarning}


def assert_same(ours, other):
    if isinstance(other, Exception):
        assert isinstance(ours, Exception), f"{ours!r} where {other!r} is raised"
        wanted = [kind for kind in (ValueError, TypeError, NotImplementedError) if isinstance(other, kind)]
        assert isinstance(ours, tuple(wanted) or ValueError)
    elif isinstance(other, tuple):
        assert len(ours) == len(other)
        for mine, one in zip(ours, other, strict=True):
            assert_same(mine, one)
    elif isinstance(other, np.ndarray):
        assert (ours.dtype, ours.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(ours, other, rtol=1e-12, atol=1e-13)
    else:
        assert not isinstance(ours, Exception), ours
        assert isinstance(ours, float)
        np.testing.assert_allclose(ours, other, rtol=1e-12, atol=1e-13)


def compare(name, *args, **named):
    ours, warned = outcome(getattr(assay.sklearn, name), *args, **named)
    other, expected = outcome(getattr(theirs, name), *args, **named)
    assert_same(ours, other)
    if not isinstance(other, Exception):
        assert warned == expected


def rng_of(*words):
    return np.random.default_rng(random.Random(" ".join(map(str, words))).getrandbits(64))


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_two_classes(name, labels, weights):
    """Labels and weights of every kind, with tied scores, at several sizes."""
    for n in (1, 2, 3, 20, 100):
        rng = rng_of(name, labels, weights, n)
        actual = np.array(LABELS[labels])[rng.integers(0, len(LABELS[labels]), n)]
        weight = WEIGHTS[weights](rng, n)
        compare(name, actual, SCORES["tied"](rng, n), sample_weight=weight)


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
@pytest.mark.parametrize("scores", SCORES)
def test_scores_of_every_kind(name, scores):
    """Floats, integers, truth values, lists and columns; thresholds come back in the type they came in."""
    for n in (2, 30, 200):
        rng = rng_of(name, scores, n)
        actual = np.r_[0, 1, rng.integers(0, 2, n)][:n]
        given = SCORES[scores](rng, n)
        if scores == "truth" and name in CURVES:
            continue  # scikit-learn's curves cannot subtract truth values
        compare(name, actual, given)
        if name in ("roc_curve", "precision_recall_curve", "det_curve"):
            compare(name, actual, given, drop_intermediate=name != "roc_curve")


@pytest.mark.parametrize("name", [*CURVES, "average_precision_score"])
@pytest.mark.parametrize("labels", LABELS)
def test_a_stated_positive_label(name, labels):
    """Each label in turn, one that does not occur, and one of another kind."""
    rng = rng_of(name, labels)
    actual = np.array(LABELS[labels])[rng.integers(0, len(LABELS[labels]), 30)]
    for positive in (*LABELS[labels], 5, "no such label"):
        # NumPy compares text with a number as one answer for the whole array, which scikit-learn trips over.
        if isinstance(positive, str) == isinstance(LABELS[labels][0], str):
            compare(name, actual, rng.random(30), pos_label=positive)


@pytest.mark.parametrize("max_fpr", [0.01, 0.1, 0.5, 0.999, 1])
def test_a_part_of_the_curve(max_fpr):
    """The standardised partial area."""
    for n in (2, 5, 50):
        rng = rng_of(max_fpr, n)
        actual = np.r_[0, 1, rng.integers(0, 2, n)][:n]
        compare("roc_auc_score", actual, rng.integers(0, 9, n), max_fpr=max_fpr)
        compare("roc_auc_score", actual, rng.random(n), max_fpr=max_fpr, sample_weight=rng.random(n))


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
@pytest.mark.parametrize("weights", ["none", "floats", "some zero"])
def test_label_sets(name, average, weights):
    """Every average over the columns, some of which may lack a class."""
    for n, columns in ((1, 2), (5, 3), (30, 4)):
        rng = rng_of(name, average, weights, n)
        actual, score = rng.integers(0, 2, (n, columns)), rng.integers(0, 6, (n, columns)) / 5
        weight = WEIGHTS[weights](rng, n)
        compare(name, actual, score, average=average, sample_weight=weight)
        if name == "roc_auc_score":
            compare(name, actual, score, average=average, sample_weight=weight, max_fpr=0.3)
    compare(name, np.zeros((3, 2), int), np.ones((3, 2)), average=average)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
@pytest.mark.parametrize("way", ["ovr", "ovo", "raise"])
def test_several_classes(average, way):
    """One against the rest and in pairs, classes as text or numbers, absent ones named by labels."""
    for n, classes in ((6, 3), (60, 5)):
        rng = rng_of(average, way, n)
        score = rng.dirichlet(np.ones(classes), n).round(2)
        score[:, 0] += 1 - score.sum(axis=1)
        codes = np.r_[np.arange(classes), rng.integers(0, classes, n)][:n]
        text = np.array([f"class {code}" for code in range(classes)])
        named = {"average": average, "multi_class": way}
        compare("roc_auc_score", codes, score, **named)
        compare("roc_auc_score", text[codes], score, **named)
        compare("roc_auc_score", codes, score, sample_weight=rng.random(n), **named)
        few = np.minimum(codes, classes - 2)
        compare("roc_auc_score", few, score, **named)
        compare("roc_auc_score", few, score, labels=np.arange(classes), **named)
        compare("roc_auc_score", few % 2, score, labels=np.arange(classes), **named)
        compare("roc_auc_score", codes, score, labels=np.arange(classes)[::-1], **named)
        compare("roc_auc_score", codes, score, labels=[0] * classes, **named)
        compare("roc_auc_score", codes, score, labels=np.arange(1, classes + 1), **named)
        compare("roc_auc_score", codes, score * 2, **named)
        compare("roc_auc_score", codes, score[:, 0], **named)
        compare("roc_auc_score", codes, score, max_fpr=0.5, **named)
        compare("average_precision_score", codes, score, average=average)
        compare("average_precision_score", text[codes], score, average=average, pos_label="class 0")


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("weights", ["none", "floats", "list"])
def test_items_listed_by_score(name, weights):
    """Label sets, gains and ties; rows in which all or none are true."""
    for n, columns in ((1, 2), (1, 5), (20, 2), (30, 6)):
        rng = rng_of(name, weights, n, columns)
        for score in (rng.random((n, columns)), rng.integers(0, 3, (n, columns)), np.ones((n, columns))):
            for share in (0, 1, 2):
                actual = (rng.random((n, columns)) < share / 2).astype(int)
                compare(name, actual, score, sample_weight=WEIGHTS[weights](rng, n))
            compare(name, rng.integers(0, 5, (n, columns)), score)
            compare(name, rng.normal(size=(n, columns)), score)
    compare(name, [[1, 0], [0, 1]], [[0.3, 0.5], [1, 2]])
    compare(name, [[1], [0]], [[0.3], [0.5]])
    compare(name, [1, 0], [0.3, 0.5])
    compare(name, [[1, 0]], [[0.3, 0.5, 0.7]])
    compare(name, [[1, 0], [1, 1]], [[0.3, 0.5]])


@pytest.mark.parametrize("name", ["label_ranking_average_precision_score", "label_ranking_loss"])
def test_label_sets_may_be_sparse(name):
    """A sparse table of labels gives the same."""
    sparse = pytest.importorskip("scipy.sparse", reason="sparse tables are SciPy's")
    rng = rng_of(name)
    actual, score = rng.integers(0, 2, (20, 5)), rng.random((20, 5))
    compare(name, sparse.csr_array(actual), score)
    compare(name, sparse.coo_array(actual), score)


@pytest.mark.parametrize("k", [None, 1, 2, 4, 9])
def test_gains_of_the_first_k(k):
    """Depths, bases of the logarithm, ties averaged over or not."""
    rng = rng_of(k)
    gains, score = rng.integers(0, 4, (20, 5)), rng.integers(0, 4, (20, 5))
    compare("dcg_score", gains, score, k=k)
    compare("dcg_score", gains, score, k=k, log_base=10)
    compare("ndcg_score", gains, score, k=k)
    compare("ndcg_score", gains, rng.random((20, 5)), k=k, ignore_ties=True)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("normalize", [True, False])
def test_classes_among_the_first_k(k, normalize):
    """Ties go to the later class; two classes by one column; labels that do not occur."""
    for n, classes in ((4, 2), (5, 3), (60, 4)):
        rng = rng_of(k, n)
        codes = np.r_[np.arange(classes), rng.integers(0, classes, n)][:n]
        named = {"k": k, "normalize": normalize}
        score = rng.integers(0, 4, (n, classes)) / 3
        compare("top_k_accuracy_score", codes, score, **named)
        compare("top_k_accuracy_score", codes, score, sample_weight=rng.random(n), **named)
        compare("top_k_accuracy_score", np.array(list("abcd"))[codes], score, **named)
        compare("top_k_accuracy_score", codes % 2, score[:, 0], **named)
        compare("top_k_accuracy_score", codes % 2, score[:, 0] * 4 - 2, **named)
        compare("top_k_accuracy_score", codes % 2, score, labels=range(classes), **named)
        compare("top_k_accuracy_score", codes, score, labels=range(classes)[::-1], **named)
        compare("top_k_accuracy_score", codes, score[:, 0], **named)
        compare("top_k_accuracy_score", rng.random(n), score[:, 0], **named)


def test_any_metric_at_every_threshold():
    """What a caller's function gives for the rows in the order of their scores."""
    rng = rng_of("thresholds")
    actual, score, weight = rng.integers(0, 2, 40), rng.integers(0, 9, 40), rng.integers(0, 3, 40)
    for metric in (theirs.accuracy_score, theirs.confusion_matrix):
        compare("metric_at_thresholds", actual, score, metric)
        compare("metric_at_thresholds", actual, score, metric, sample_weight=weight)
    compare("metric_at_thresholds", actual, score, theirs.fbeta_score, metric_params={"beta": 2})
    compare("metric_at_thresholds", actual, score, "accuracy")


def test_points_with_an_area():
    """Rising and falling x, repeated x, too few points."""
    rng = rng_of("points")
    for x in (np.arange(9), np.arange(9)[::-1], np.repeat(np.arange(3), 3), rng.random(9), [1], [1, 1]):
        compare("auc", x, rng.random(len(x)))
    compare("auc", [1, 2], [1, 2, 3])


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
def test_what_is_refused(name):
    """Lengths that differ, nothing at all, values that are none, tables where columns are wanted."""
    good, score = [0, 1, 1], [0.1, 0.2, 0.3]
    for actual, given in (
        (good, [0.1, 0.2]),
        ([], []),
        (good, [0.1, np.nan, 0.3]),
        (good, [0.1, np.inf, 0.3]),
        (good, [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]]),
        ([0.5, 1, 1], score),
        ([[0, 1], [1, 0], [1, 1]], score),
        ([0, np.nan, 1], score),
        (good, ["a", "b", "c"]),
        (good, None),
        (None, score),
        (good, 3),
    ):
        compare(name, actual, given)
    for weight in ([1, 2], [1, np.nan, 1], [0, 0, 0], [[1, 1, 1]], "abc"):
        ours, _ = outcome(getattr(assay.sklearn, name), good, score, sample_weight=weight)
        assert isinstance(ours, ValueError), weight
    for parameter in ({"average": "mean"}, {"pos_label": []}, {"drop_intermediate": "yes"}, {"max_fpr": 2}):
        assert isinstance(
            outcome(getattr(assay.sklearn, name), good, score, **parameter)[0], (ValueError, TypeError)
        )


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
@pytest.mark.parametrize("form", ["pandas", "nullable", "polars", "arrow", "tuple"])
def test_columns_of_every_library(name, form):
    """Series, Arrow arrays and tuples give what arrays give."""
    rng = rng_of(name)
    actual, score = rng.integers(0, 2, 30), rng.random(30).round(1)
    if form in ("pandas", "nullable"):
        pandas = pytest.importorskip("pandas", reason="a form of input is pandas'")
        kinds = ("Int64", "Float64") if form == "nullable" else (None, None)
        given = pandas.Series(actual, dtype=kinds[0]), pandas.Series(score, dtype=kinds[1])
    elif form == "polars":
        polars = pytest.importorskip("polars", reason="a form of input is Polars'")
        given = polars.Series(actual), polars.Series(score)
    elif form == "arrow":
        arrow = pytest.importorskip("pyarrow", reason="a form of input is Arrow's")
        given = arrow.array(actual), arrow.array(score)
    else:
        given = tuple(actual.tolist()), tuple(score.tolist())
    function = getattr(assay.sklearn, name)
    assert_same(function(*given), function(actual, score))


def test_every_ranking_name_is_public():
    """The fourteen functions are offered by name, with scikit-learn's own signatures."""
    import inspect  # noqa: PLC0415 - here alone

    names = [*CURVES, *AREAS, *LISTED, "auc", "metric_at_thresholds", "top_k_accuracy_score"]
    assert len(names) == 14
    for name in names:
        ours, other = (inspect.signature(getattr(module, name)) for module in (assay.sklearn, theirs))
        pairs = itertools.zip_longest(ours.parameters.values(), other.parameters.values())
        assert all((a.name, a.kind, a.default) == (b.name, b.kind, b.default) for a, b in pairs), name
