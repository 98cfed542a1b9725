"""The examples that teaching texts work through, each from one call."""

import json
import math

import pytest

import assay
from assay import evaluate
from assay.cli import main
from assay.sklearn import precision_score


def near(value):
    return pytest.approx(value, abs=5e-8)


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
    assert repr(ranked.curve("precision_recall")) == (
        "<precision-recall curve: precision over recall, 3 points>"
    )
    assert float(ev["false_positive_rate"]) == near(1 - float(ev["specificity"]))
    for axes in (ranked.plot.roc(), ranked.plot.precision_recall()):
        axes.figure.canvas.draw()


def test_treasure_levels_and_islands():
    """Levels of treasure: one against the rest, and distance counts. Islands: numbers cut at a threshold."""
    actual, predicted = [0, 0, 1, 1, 2, 2, 2, 0], [0, 1, 1, 2, 2, 2, 0, 0]
    levels = evaluate(actual=actual, predicted=predicted, task="ordinal")
    assert float(levels["accuracy"]) == 5 / 8
    assert float(levels.classes[2]["precision"]) == 2 / 3
    tons = evaluate(actual=actual, predicted=predicted, positive=2)
    assert float(tons["precision"]) == 2 / 3
    assert "evaluated against the other 2 labels" in str(tons)
    near_miss = evaluate(actual=[0, 1, 2], predicted=[1, 1, 2], task="ordinal")
    far_miss = evaluate(actual=[0, 1, 2], predicted=[2, 1, 2], task="ordinal")
    assert float(near_miss["accuracy"]) == float(far_miss["accuracy"])
    assert float(near_miss["weighted_kappa"]) > float(far_miss["weighted_kappa"])
    named = {"weights": [[1, 0.9, 0.2], [0.9, 1, 0.9], [0.2, 0.9, 1]]}
    assert float(near_miss.estimate("weighted_accuracy", **named)) == near((2 + 0.9) / 3)
    assert float(far_miss.estimate("weighted_accuracy", **named)) == near((2 + 0.2) / 3)
    assert float(far_miss.estimate("mean_cost", costs=[[0, 1, 7], [1, 0, 1], [7, 1, 0]])) == near(7 / 3)
    assert float(far_miss.estimate("mean_cost", costs="quadratic")) == near(4 / 3)
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
        actual=[0, 1, 2, 0, 1, 2, 0, 2, 2], predicted=[0, 2, 1, 0, 2, 1, 0, 0, 2], task="multiclass"
    )
    assert ev.confusion.counts.tolist() == [[3, 0, 0], [0, 0, 2], [1, 2, 1]]
    assert float(ev["weighted_f1"]) == near(0.4126984)
    ratings = evaluate(
        actual=[1, 2, 3, 1, 2, 3, 1, 2, 3], predicted=[2, 1, 3, 1, 2, 3, 3, 1, 2], task="ordinal"
    )
    assert float(ratings["quadratic_weighted_kappa"]) == near(1 / 3)
    assert float(ratings["accuracy"]) == near(4 / 9)


def test_top_k_lists():
    """Six lists: the mean average precision at 1 to 4 by the convention of teaching texts."""
    actual = [[1, 2, 3], [0, 2], [1], [2, 3], [1, 0], []]
    predicted = [[0, 1, 2], [1], [0, 2, 3], [2, 3, 4, 0], [0, 1, 2], [0]]
    ev = evaluate(actual=actual, predicted=predicted, task="ranking")
    expected = {1: 1 / 3, 2: 0.375, 3: 0.3611111, 4: 0.3472222}
    for k, value in expected.items():
        found = ev.estimate("mean_average_precision", k=k, convention="teaching")
        assert float(found) == near(value)
    assert ev.n == 6


@pytest.mark.parametrize(
    ("actual", "predicted", "expected"),
    [
        ([1, 2, 3], [0, 1, 2], (0, 0.25, 0.3888889)),
        ([0, 2], [1], (0, 0, 0)),
        ([1], [0, 2, 3], (0, 0, 0)),
        ([2, 3], [2, 3, 4, 0], (1, 1, 0.8888889)),
        ([1, 0], [0, 1, 2], (1, 1, 0.8888889)),
        ([], [0], (0, 0, 0)),
    ],
)
def test_top_k_of_each_list(actual, predicted, expected):
    """AP@1 to AP@3 of every list, by the convention of teaching texts."""
    ev = evaluate(actual=[actual], predicted=[predicted], task="ranking")
    for k, value in enumerate(expected, 1):
        assert float(ev.estimate("mean_average_precision", k=k, convention="teaching")) == near(value)


def test_regression():
    """Five numbers."""
    ev = evaluate(actual=[0.1, 0.2, 0.3, 0.4, 0.5], predicted=[0.11, 0.19, 0.29, 0.41, 0.5])
    assert float(ev["mae"]) == near(0.008)
    assert float(ev["rmse"]) == pytest.approx(0.00894427190999915, rel=1e-15)
    logs = [math.log(pair) ** 2 for pair in (1.1 / 1.11, 1.2 / 1.19, 1.3 / 1.29, 1.4 / 1.41)]
    further = {
        "mean_error": 0, "mse": 0.00008, "msle": sum(logs) / 5, "rmsle": math.sqrt(sum(logs) / 5),
        "mpe": (-0.01 / 0.1 + 0.01 / 0.2 + 0.01 / 0.3 - 0.01 / 0.4) / 5,
        "mape": (0.01 / 0.1 + 0.01 / 0.2 + 0.01 / 0.3 + 0.01 / 0.4) / 5, "r2": 1 - 0.0004 / 0.1,
    }  # fmt: skip
    for name, value in further.items():
        assert float(ev[name]) == pytest.approx(value, rel=1e-12, abs=1e-16)
    negative = evaluate(actual=[-2.0, -4.0], predicted=[-1.0, -5.0], task="regression")
    assert [float(negative[name]) for name in ("mape", "mpe")] == [0.375, 0.125]


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


@pytest.mark.parametrize("name", MODELS)
def test_models_from_a_file_by_the_command(name, tmp_path, capfd):
    """The same figures from rows in a file."""
    tp, fn, fp, tn, *expected = MODELS[name]
    lines = ["sick,sick"] * tp + ["sick,healthy"] * fn + ["healthy,sick"] * fp + ["healthy,healthy"] * tn
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["y,said", *lines]), encoding="utf-8")
    said = [
        "--actual",
        "y",
        "--predicted",
        "said",
        "--positive",
        "sick",
        "--labels",
        "healthy,sick",
        "--json",
    ]
    assert main(["evaluate", str(path), *said]) == 0
    figures = json.loads(capfd.readouterr().out)["metrics"]
    for metric, value in zip(("accuracy", "recall", "precision", "specificity"), expected, strict=True):
        assert figures[metric]["value"] == (None if value is None else near(value))


def test_precision_of_none_predicted_by_the_teaching_convention():
    """No false positive was made, so some call it 1: that is given only where it is asked for."""
    assert precision_score([1] * 10 + [0] * 990, [0] * 1000, zero_division=1) == 1


def test_the_worse_error_decides_between_mail_filters():
    """Both are right as often; false alarms weigh in favour of the first, misses of the second."""
    for beta, name in ((0.5, "f_0.5"), (2, "f_2")):
        values = []
        for model in ("spam 1", "spam 2"):
            tp, fn, fp, tn, *_ = MODELS[model]
            ev = evaluate([[tn, fp], [fn, tp]], labels=["mail", "spam"], positive="spam", beta=beta)
            values.append(float(ev[name]))
            assert values[-1] == near((1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp))
        assert (values[0] > values[1]) == (beta < 1)


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
    rates = [(float(at["recall"]), float(at["specificity"])) for at in map(ev.at, range(11))]
    assert rates == [(tp / 5, tn / 5) for tp, tn in found]
    assert float(ev["auc"]) == 18 / 25
    assert ev.plot.roc(over="specificity").get_xlabel() == "specificity"
    backwards = evaluate(actual=labels, score=[-one for one in range(10)])
    assert "rank backwards; reversed they have 0.7200" in str(backwards)


def test_from_scratch_tutorial():
    """Ten rows: accuracy, and a table that says what its rows are."""
    actual = [0] * 5 + [1] * 5
    assert float(evaluate(actual=actual, predicted=[0, 1, 0, 0, 0, 1, 0, 1, 1, 1])["accuracy"]) == 0.8
    assert "Accuracy: 80.0% (8 of 10 correct)" in evaluate(
        actual=actual, predicted=[0, 1, 0, 0, 0, 1, 0, 1, 1, 1]
    ).confusion.text(percent=True)
    ev = evaluate(actual=actual, predicted=[0, 1, 1, 0, 0, 1, 0, 1, 1, 1])
    assert ev.confusion.counts.tolist() == [[3, 2], [1, 4]]
    assert ev.confusion.transposed().counts.tolist() == [[3, 1], [2, 4]]
    assert "│    predicted │" in str(ev.confusion.transposed())
    assert evaluate(ev.confusion.transposed()).confusion.counts.tolist() == [[3, 2], [1, 4]]
