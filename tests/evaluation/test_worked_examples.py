"""The examples that teaching texts work through, each from one call."""

import csv
import math

import pytest
from shared import SHARED

import assay
from assay import evaluate


def near(value):
    return pytest.approx(value, abs=5e-8)


@pytest.fixture(scope="module")
def sms():
    """The evaluation of 1,390 text messages, from their file's columns."""
    path = SHARED / "data/sms_results.csv"
    if not path.exists():
        pytest.skip("needs data/sms_results.csv of the shared files beside the repository")
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    table = {name: [row[name] for row in rows] for name in ("actual_type", "predict_type")}
    table["prob_spam"] = [float(row["prob_spam"]) for row in rows]
    return evaluate(table, actual="actual_type", predicted="predict_type", score="prob_spam", positive="spam")


SMS = {
    "accuracy": 1356 / 1390, "error_rate": 34 / 1390, "no_information_rate": 1207 / 1390,
    "kappa": 0.88671721, "recall": 154 / 183, "specificity": 1202 / 1207, "precision": 154 / 159,
    "negative_predictive_value": 1202 / 1231, "prevalence": 183 / 1390, "detection_rate": 154 / 1390,
    "detection_prevalence": 159 / 1390, "f1": 2 * 154 / (2 * 154 + 5 + 29), "auc": 0.98299988,
    "balanced_accuracy": (154 / 183 + 1202 / 1207) / 2,
    "expected_agreement": (1231 * 1207 + 159 * 183) / 1390**2,
}  # fmt: skip


@pytest.mark.parametrize("name", SMS)
def test_sms_figure(sms, name):
    """A figure of the filter is the published one."""
    assert float(sms[name]) == near(SMS[name])


def test_sms_counts_intervals_and_tests(sms):
    """The table, the exact interval, the tests and the words of the bands are the published ones."""
    table = sms.confusion
    assert table.counts.tolist() == [[1202, 5], [29, 154]]
    accuracy = sms.estimate("accuracy", method="clopper-pearson")
    assert (round(accuracy.low, 3), round(accuracy.high, 3)) == (0.966, 0.983)
    assert table.no_information().p < 2.2e-16
    assert table.mcnemar("corrected").p == pytest.approx(7.998e-05, rel=1e-4)
    assert table.contributions.round(3).tolist() == [[16.565, 128.248], [109.256, 845.876]]
    assert table.row_shares.round(3).tolist() == [[0.996, 0.004], [0.158, 0.842]]
    assert table.column_shares.round(3).tolist() == [[0.976, 0.031], [0.024, 0.969]]
    assert table.table_shares.round(3).tolist() == [[0.865, 0.004], [0.021, 0.111]]
    text = str(sms)
    assert 'a hint: "very good", by Altman (1991)' in text
    assert 'a hint: "outstanding", by Hosmer, Lemeshow and Sturdivant (2013)' in text
    assert len(text.splitlines()) <= 42
    assert max(map(len, text.splitlines())) <= 80


def test_sms_as_caret_prints_it(sms):
    """Every line of caret's confusionMatrix is there, in its order."""
    lines = [line.strip() for line in sms.text(like="caret").splitlines()]
    expected = [
        "Prediction  ham spam", "ham 1202   29", "spam    5  154", "Accuracy : 0.9755", "95% CI : (0.966, 0.983)",
        "No Information Rate : 0.8683", "P-Value [Acc > NIR] : < 2.2e-16", "Kappa : 0.8867",
        "Mcnemar's Test P-Value : 7.998e-05", "Sensitivity : 0.8415", "Specificity : 0.9959",
        "Pos Pred Value : 0.9686", "Neg Pred Value : 0.9764", "Prevalence : 0.1317", "Detection Rate : 0.1108",
        "Detection Prevalence : 0.1144", "Balanced Accuracy : 0.9187", "'Positive' Class : spam",
    ]  # fmt: skip
    assert [line for line in lines if line in expected] == expected


def test_sms_as_proc_prints_it(sms):
    """The area has DeLong's plain interval, and the direction is said."""
    text = sms.text(like="pROC")
    assert "1207 controls (actual_type ham) < 183 cases" in text
    assert "Area under the curve: 0.983\n95% CI: 0.9715-0.9945 (DeLong)" in text


def test_treasure_ships():
    """Twenty ships: the counts, the four rates, and the area of hard labels taken as scores."""
    actual, predicted = [1] * 10 + [0] * 10, [1] * 9 + [0, 1, 1] + [0] * 8
    ev = evaluate(actual=actual, predicted=predicted)
    assert ev.confusion.counts.tolist() == [[8, 2], [1, 9]]
    found = [float(ev[name]) for name in ("accuracy", "precision", "recall", "f1", "false_positive_rate")]
    assert found == [0.85, 9 / 11, 0.9, near(0.8571429), 0.2]
    ranked = evaluate(actual=actual, score=predicted)
    assert float(ranked["auc"]) == near(0.85)
    assert repr(ranked.curve("roc")) == "<ROC curve: recall over false_positive_rate, 3 points>"
    assert "points>" in repr(ranked.curve("precision_recall"))


def test_treasure_levels_and_islands():
    """Levels of treasure: one against the rest, and distance counts. Islands: numbers cut at a threshold."""
    actual, predicted = [0, 0, 1, 1, 2, 2, 2, 0], [0, 1, 1, 2, 2, 2, 0, 0]
    levels = evaluate(actual=actual, predicted=predicted, kind="ordinal")
    assert float(levels["accuracy"]) == 5 / 8
    assert float(levels.classes[2]["precision"]) == 2 / 3
    tons = evaluate(actual=actual, predicted=predicted, positive=2)
    assert float(tons["precision"]) == 2 / 3
    assert "judged against the other 2 labels" in str(tons)
    near_miss = evaluate(actual=[0, 1, 2], predicted=[1, 1, 2], kind="ordinal")
    far_miss = evaluate(actual=[0, 1, 2], predicted=[2, 1, 2], kind="ordinal")
    assert float(near_miss["accuracy"]) == float(far_miss["accuracy"])
    assert float(near_miss["weighted_kappa"]) > float(far_miss["weighted_kappa"])
    islands = evaluate(actual=[0.5, 1.5, 2.5, 3.5], predicted=[1.0, 2.5, 2.0, 4.0], threshold=2)
    assert islands.confusion.counts.tolist() == [[1, 1], [0, 2]]
    assert float(islands["recall"]) == 1


def test_chest_x_rays():
    """Eight pictures, and a hundred all predicted negative."""
    ev = evaluate(actual=[0, 1, 1, 1, 0, 0, 0, 1], predicted=[0, 1, 0, 1, 0, 1, 0, 0])
    assert ev.confusion.counts.tolist() == [[3, 1], [2, 2]]
    assert [float(ev[name]) for name in ("accuracy", "precision", "recall")] == [0.625, near(2 / 3), 0.5]
    negative = evaluate(actual=[0] * 90 + [1] * 10, predicted=[0] * 100)
    assert [float(negative[name]) for name in ("accuracy", "balanced_accuracy", "recall")] == [0.9, 0.5, 0]
    assert not negative["precision"].defined
    assert "Always guessing 0 would be right at least as often" in " ".join(str(negative).split())


def test_f1_and_area_of_short_lists():
    """Two short lists, and one that was printed with a score too few."""
    actual, predicted = ([int(i in there) for i in range(19)] for there in ({3, 10, 17}, {2, 6, 10, 17}))
    assert float(evaluate(actual=actual, predicted=predicted)["f1"]) == near(0.5714286)
    actual = [0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    score = [0.1, 0.3, 0.2, 0.6, 0.8, 0.05, 0.9, 0.5, 0.3, 0.66, 0.3, 0.2, 0.85, 0.15, 0.99]
    assert float(evaluate(actual=actual, score=score)["auc"]) == near(0.83)
    with pytest.raises(assay.LengthError, match="actual has 15 values, score has 14"):
        evaluate(actual=actual, score=score[:-1])


def test_three_classes_and_ratings():
    """Three classes by their averages, ratings by their distance."""
    ev = evaluate(
        actual=[0, 1, 2, 0, 1, 2, 0, 2, 2], predicted=[0, 2, 1, 0, 2, 1, 0, 0, 2], kind="multiclass"
    )
    assert ev.confusion.counts.tolist() == [[3, 0, 0], [0, 0, 2], [1, 2, 1]]
    assert float(ev["weighted_f1"]) == near(0.4126984)
    ratings = evaluate(
        actual=[1, 2, 3, 1, 2, 3, 1, 2, 3], predicted=[2, 1, 3, 1, 2, 3, 3, 1, 2], kind="ordinal"
    )
    assert float(ratings["quadratic_weighted_kappa"]) == near(1 / 3)
    assert float(ratings["accuracy"]) == near(4 / 9)


def test_top_k_lists():
    """Six lists: the mean average precision at 1 to 4 by the convention of teaching texts."""
    actual = [[1, 2, 3], [0, 2], [1], [2, 3], [1, 0], []]
    predicted = [[0, 1, 2], [1], [0, 2, 3], [2, 3, 4, 0], [0, 1, 2], [0]]
    ev = evaluate(actual=actual, predicted=predicted, kind="ranking")
    expected = {1: 1 / 3, 2: 0.375, 3: 0.3611111, 4: 0.3472222}
    for k, value in expected.items():
        found = ev.estimate("mean_average_precision", k=k, convention="teaching")
        assert float(found) == near(value)
    assert ev.n == 6


def test_regression():
    """Five numbers."""
    ev = evaluate(actual=[0.1, 0.2, 0.3, 0.4, 0.5], predicted=[0.11, 0.19, 0.29, 0.41, 0.5])
    assert float(ev["mae"]) == near(0.008)
    assert float(ev["rmse"]) == near(0.00894427190999915)


MODELS = {
    "coronavirus 1": (0, 10, 0, 990, 0.99, 0, None, 1),
    "coronavirus 2": (8, 2, 48, 942, 0.95, 0.8, 0.1428571, 0.9515152),
    "spam 1": (30, 10, 5, 55, 0.85, 0.75, 0.8571429, 0.9166667),
    "spam 2": (35, 5, 10, 50, 0.85, 0.875, 0.7777778, 0.8333333),
    "figure": (3, 2, 1, 4, 0.7, 0.6, 0.75, 0.8),
    "exercise": (120, 22, 63, 795, 0.915, 0.8450704, 0.6557377, 0.9265734),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_given_by_their_tables(name):
    """Four counts give the rates of the text; what a text calls 1 by convention is undefined here."""
    tp, fn, fp, tn, *expected = MODELS[name]
    ev = evaluate([[tn, fp], [fn, tp]], labels=["healthy", "sick"], positive="sick", beta=2)
    for metric, value in zip(("accuracy", "recall", "precision", "specificity"), expected, strict=True):
        if value is None:
            assert not ev[metric].defined
            assert "undefined: nothing was predicted positive" in str(ev)
        else:
            assert float(ev[metric]) == near(value)
    assert " F2 " in str(ev)


def test_which_error_is_worse_is_stated_once():
    """F-beta goes from precision to recall as beta grows, and both ends are valid."""
    table = [[942, 48], [2, 8]]
    named = {"labels": [0, 1], "positive": 1}
    low, high = (evaluate(table, **named, beta=beta) for beta in (0, math.inf))
    assert float(low["f_0"]) == float(low["precision"])
    assert float(high["f_inf"]) == float(high["recall"])


def test_threshold_sweep():
    """Ten points: each threshold has its counts, and the area is 18 of 25 pairs."""
    labels = [0, 1, 0, 0, 1, 0, 1, 0, 1, 1]
    ev = evaluate(actual=labels, score=range(10), threshold=0)
    found = []
    for threshold in range(11):
        counts = ev.at(threshold).confusion.counts
        found.append((int(counts[1, 1]), int(counts[0, 0])))
    assert found == [
        (5, 0), (5, 1), (4, 1), (4, 2), (4, 3), (3, 3), (3, 4), (2, 4), (2, 5), (1, 5), (0, 5),
    ]  # fmt: skip
    assert float(ev["auc"]) == 18 / 25
    backwards = evaluate(actual=labels, score=[-one for one in range(10)])
    assert "rank backwards; turned round they have 0.7200" in str(backwards)


def test_from_scratch_tutorial():
    """Ten rows: accuracy, and a table that says what its rows are."""
    actual = [0] * 5 + [1] * 5
    assert float(evaluate(actual=actual, predicted=[0, 1, 0, 0, 0, 1, 0, 1, 1, 1])["accuracy"]) == 0.8
    ev = evaluate(actual=actual, predicted=[0, 1, 1, 0, 0, 1, 0, 1, 1, 1])
    assert ev.confusion.counts.tolist() == [[3, 2], [1, 4]]
    assert ev.confusion.transposed().counts.tolist() == [[3, 1], [2, 4]]
    assert evaluate(ev.confusion.transposed()).to_json() != ""
    assert evaluate(ev.confusion.transposed()).confusion.counts.tolist() == [[3, 2], [1, 4]]
