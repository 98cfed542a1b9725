"""Odd but lawful input of the ranking functions, held against scikit-learn's own answers."""

import numpy as np
import pytest

import assay.sklearn as ours

theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference here")

CURVES = ["confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve"]
AREAS = ["roc_auc_score", "average_precision_score"]


def drawn(*shape):
    rng = np.random.default_rng(len(shape))
    return (rng.random(shape) < 0.5).astype(int), rng.random(shape).round(1)


def flat(result):
    return np.hstack(result) if isinstance(result, tuple) else result


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_a_table_of_minus_one_and_one(name, average):
    """In a table of -1 and 1 only the 1 is positive, and it is weighed by how many there are.

    scikit-learn weighs by the sum of the column, which counts every -1 against it.
    """
    table, score = drawn(20, 3)
    found, wanted = (getattr(lib, name)(2 * table - 1, score, average=average) for lib in (ours, theirs))
    if average != "weighted":
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(found, getattr(ours, name)(table, score, average=average), rtol=1e-12)


def test_a_table_whose_positive_label_is_unknown():
    """Areas under ROC curves refuse a table of 0 and 2; average precision looks for 1 and finds none."""
    table, score = drawn(20, 3)
    for library in (ours, theirs):
        with pytest.raises(ValueError, match="pos_label is not specified"):
            library.roc_auc_score(2 * table, score)
        with pytest.warns(UserWarning, match=r"(?i)no positive"):
            assert library.average_precision_score(2 * table, score) == 0


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
def test_weights_in_a_column(name):
    """Weights may come as a table of one column, which scikit-learn's ranking functions take."""
    actual, score = drawn(30)
    weight = np.random.default_rng(0).random((30, 1))
    for given in (weight, weight.tolist()):
        found, wanted = (getattr(lib, name)(actual, score, sample_weight=given) for lib in (ours, theirs))
        np.testing.assert_allclose(flat(found), flat(wanted), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples"])
def test_weights_in_a_column_beside_a_table(average):
    """So may those of a table of label sets."""
    table, score = drawn(30, 4)
    weight = np.random.default_rng(0).random((30, 1))
    table[:, 0] = 1 - table[:, 1]  # every row has both labels
    found, wanted = (
        lib.roc_auc_score(table, score, average=average, sample_weight=weight) for lib in (ours, theirs)
    )
    assert found == pytest.approx(wanted, rel=1e-12)


def test_one_class_beside_scores_of_two():
    """A fold of one class has no area, whatever the shape of its scores: NaN and a warning, no error."""
    for library in (ours, theirs):
        with pytest.warns(ours.UndefinedMetricWarning):
            assert np.isnan(library.roc_auc_score([1, 1], [[0.2, 0.8], [0.4, 0.6]]))


@pytest.mark.parametrize("name", ["confusion_matrix_at_thresholds", "precision_recall_curve"])
def test_thresholds_of_truth_values(name):
    """Scores of True and False have thresholds of that type."""
    actual, score = drawn(10)
    found, wanted = (getattr(lib, name)(actual, score > 0.5)[-1] for lib in (ours, theirs))
    assert found.dtype == wanted.dtype == bool
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("name", AREAS)
def test_a_frame_of_nullable_columns(name):
    """A pandas frame of nullable columns is a table of numbers, as each of its columns is."""
    pandas = pytest.importorskip("pandas", reason="the frame is pandas'")
    table, score = drawn(20, 3)
    given = pandas.DataFrame(table).convert_dtypes(), pandas.DataFrame(score).convert_dtypes()
    found, wanted = (getattr(lib, name)(*given) for lib in (ours, theirs))
    assert found == pytest.approx(wanted, rel=1e-12)
    assert ours.f1_score(given[0], given[0], average="macro") == 1


def test_a_metric_at_thresholds_of_odd_scores_and_weights():
    """Scores in text are refused rather than sorted as text, and weights may stand in a column."""
    actual, score = drawn(12)
    for text in (score.astype(str), score.astype(str).astype(object)):
        for library in (ours, theirs):
            with pytest.raises(TypeError):
                library.metric_at_thresholds(actual, text, library.accuracy_score)
    weight = np.random.default_rng(0).random((12, 1))
    found, wanted = (
        lib.metric_at_thresholds(actual, score, lib.accuracy_score, sample_weight=weight)
        for lib in (ours, theirs)
    )
    np.testing.assert_allclose(flat(found), flat(wanted), rtol=1e-12)


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("form", [np.asarray, list])
def test_integer_scores_that_no_float_holds(name, dtype, form):
    """Scores beyond 2**53, such as times in nanoseconds, are ranked as the integers they are."""
    actual, score = drawn(60)
    times = form((1_700_000_000_000_000_000 + (score * 50).astype(np.int64)).astype(dtype))
    weight = np.random.default_rng(0).integers(0, 3, 60)
    for extra in ({}, {"sample_weight": weight}):
        found, wanted = (getattr(lib, name)(actual, times, **extra) for lib in (ours, theirs))
        np.testing.assert_allclose(flat(found), flat(wanted), rtol=1e-12, atol=1e-15)
        if isinstance(wanted, tuple):
            assert found[-1].dtype == wanted[-1].dtype
            assert found[-1].tolist() == wanted[-1].tolist()
