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
    for metrics in (None, "mae"):
        with pytest.raises(assay.InputError, match='or quantities: say task="multiclass", "ordinal" or "reg'):
            assay.compare(*models(GRADES, HIGHER, GRADES), metrics=metrics)
    assert names(*models(GRADES, HIGHER, GRADES), task="regression") == ["mae", "rmse", "r2"]
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
    with pytest.raises(assay.InputError, match="if these are scores pass them as score="):
        assay.compare(*models(actual, [0.2, 0.9] * 20, [0.4, 0.7] * 20))


def test_two_classes_need_a_positive_one_or_the_task():
    """As evaluate does: both read the same label as the positive one, or none."""
    actual, predicted = ["ham", "spam"] * 20, ["ham", "ham"] * 20
    both = models(actual, predicted, actual)
    with pytest.raises(assay.LabelError, match="say which one is positive with positive=, or evaluate both"):
        assay.compare(*both)
    assert names(*both, task="multiclass") == ["accuracy", "balanced_accuracy", "mcc"]
    assert names(*models(actual, predicted, actual, positive="spam"))[-1] == "f1"


def test_one_of_three_classes_is_compared_with_the_rest():
    """Accuracy is then that of two classes, the positive one and all others, as evaluate has it."""
    actual, predicted = ["a", "b", "c"] * 20, ["b", "a", "c"] * 20
    comparison = assay.compare(*models(actual, predicted, actual, positive="c"))
    assert comparison.task == assay.evaluate(actual=actual, predicted=predicted, positive="c").task
    assert comparison["accuracy"].values == (1.0, 1.0)


def test_tables_of_counts_are_read_as_evaluate_reads_them():
    """Of two classes one is positive; whole numbers in a table are classes."""
    pair = [
        assay.Confusion.of(each) for each in models(["ham", "spam"] * 20, ["ham"] * 40, ["ham", "spam"] * 20)
    ]
    with pytest.raises(assay.LabelError) as refused:
        assay.compare(*pair)
    with pytest.raises(assay.LabelError) as refused_too:
        assay.evaluate(pair[0])
    assert str(refused.value) == str(refused_too.value)
    assert names(*pair, positive="spam")[-1] == "f1"
    tallies = [assay.Confusion.of(each) for each in models(GRADES, HIGHER, GRADES)]
    assert names(*tallies) == ["accuracy", "balanced_accuracy", "mcc"]
    assert names(*tallies, task="ordinal")[1] == "quadratic_weighted_kappa"


def test_tallies_have_a_task():
    """Scores are of two classes, sums of errors of a regression; another task is refused."""
    pair = [
        assay.Scores.of(assay.rows(actual=[0, 1] * 20, score=score))
        for score in ([0.1, 0.9] * 20, [0.2] * 40)
    ]
    assert names(*pair) == ["auc", "average_precision", "log_loss", "brier"]
    with pytest.raises(assay.InputError, match='a Scores tally is no regression task: use task="binary"'):
        assay.compare(*pair, task="regression")


def test_what_states_the_task_already_is_not_told_again():
    """Rows have their positive label, evaluations their task too."""
    rows = models([0, 1] * 20, [0, 0] * 20, [0, 1] * 20)
    with pytest.raises(assay.InputError, match="rows have their roles, labels and positive label already"):
        assay.compare(*rows, positive=1)
    evaluations = [assay.evaluate(each) for each in rows]
    for more in ({"task": "multiclass"}, {"positive": 0}):
        with pytest.raises(assay.InputError, match="evaluations have their task and positive label already"):
            assay.compare(*evaluations, **more)


def test_scores_are_cut_for_a_named_metric_of_labels():
    """At 0.5, where evaluate cuts them."""
    actual, scores = [0, 1, 1, 0, 1] * 8, [0.1, 0.9, 0.4, 0.6, 0.8] * 8
    comparison = assay.compare(actual=actual, score={"a": scores, "b": actual}, metrics=["f1", "auc"])
    assert comparison["f1"].values[0] == assay.evaluate(actual=actual, score=scores)["f1"].value
    assert "f1" not in names(actual=actual, score={"a": scores, "b": actual})
