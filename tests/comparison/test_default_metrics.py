"""What models are compared by where no metric is named: the same reading of the rows as evaluate's."""

import numpy as np
import pytest

import assay

GRADES = [1, 2, 3, 4, 5, 3, 2, 4] * 10
HIGHER = [min(grade + 1, 5) for grade in GRADES]


def models(actual, *predicted, **more):
    return [assay.rows(actual=actual, predicted=one, **more) for one in predicted]


def names(*given, **more):
    return [one.metric for one in assay.compare(*given, **more)]


def test_whole_numbers_are_not_guessed_to_be_classes():
    """What evaluate refuses is refused, with what to say for each meaning."""
    with pytest.raises(assay.InputError, match='which may be classes, grades or quantities: say task="multi'):
        assay.evaluate(actual=GRADES, predicted=HIGHER)
    with pytest.raises(assay.InputError, match="grades or quantities: say with metrics= what to") as refused:
        assay.compare(*models(GRADES, HIGHER, GRADES))
    assert "quadratic_weighted_kappa for grades, mae and rmse for quantities" in str(refused.value)
    assert names(*models(GRADES, HIGHER, GRADES), metrics="mae") == ["mae"]
    declared = models(GRADES, HIGHER, GRADES, labels=[1, 2, 3, 4, 5])
    assert names(*declared) == ["accuracy", "balanced_accuracy", "mcc"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("regression", ["mae", "rmse", "r2"]),
        ("ordinal", ["accuracy", "quadratic_weighted_kappa", "mean_absolute_rank_error"]),
        ("multiclass", ["accuracy", "balanced_accuracy", "mcc"]),
    ],
)
def test_evaluations_are_compared_as_what_they_are(kind, expected):
    """Whole numbers that were evaluated as quantities are compared as such."""
    given = [assay.evaluate(actual=GRADES, predicted=one, task=kind) for one in (HIGHER, GRADES)]
    assert names(*given) == expected


def test_evaluations_of_different_problems_have_no_metrics_in_common():
    """Unless the caller names one."""
    first = assay.evaluate(actual=GRADES, predicted=HIGHER, task="regression")
    second = assay.evaluate(actual=GRADES, predicted=GRADES, task="multiclass")
    with pytest.raises(assay.InputError, match="different problems, regression and multiclass"):
        assay.compare(first, second)
    assert names(first, second, metrics="accuracy") == ["accuracy"]


def test_numbers_of_one_model_make_it_a_regression_for_both():
    """The first model's predictions may be whole by chance."""
    actual = np.array([1.0, 2.0, 3.0, 4.0] * 5)
    assert names(*models(actual, actual + 1, actual + 0.25)) == ["mae", "rmse", "r2"]


def test_scores_in_the_place_of_predictions_are_refused():
    """As evaluate does."""
    actual = [0, 1] * 20
    with pytest.raises(assay.InputError, match="pass scores as score="):
        assay.compare(*models(actual, [0.2, 0.9] * 20, [0.4, 0.7] * 20))


def test_two_classes_need_no_positive_one_for_what_is_the_same_either_way():
    """Text labels without positive= are compared by metrics that do not depend on it."""
    actual, said = ["ham", "spam"] * 20, ["ham", "ham"] * 20
    assert names(*models(actual, said, actual)) == ["accuracy", "balanced_accuracy", "mcc"]
    assert names(*models(actual, said, actual, positive="spam"))[-1] == "f1"
