"""The figures of the teaching texts, written as arithmetic."""

import math

import pytest
from support.reference_figures import messages, oracle

import assay
from assay.inference.formulas.auc import auc_estimate
from assay.inference.formulas.kappa import kappa_errors
from assay.inference.formulas.proportions import proportion_interval
from assay.inference.hypothesis_tests.contingency import mcnemar, no_information
from assay.metrics import (
    Binary,
    Undefined,
    accuracy,
    auc,
    balanced_accuracy,
    detection_prevalence,
    detection_rate,
    error_rate,
    expected_agreement,
    f1,
    f2,
    f_beta,
    f_half,
    false_positive_rate,
    find,
    kappa,
    mean_average_precision,
    mean_cost,
    misclassification_cost,
    negative_predictive_value,
    no_information_rate,
    one_vs_rest_balanced_accuracy,
    precision,
    prevalence,
    quadratic_weighted_kappa,
    recall,
    specificity,
    weighted_accuracy,
    weighted_kappa,
)
from assay.metrics.curves.curves import roc
from assay.metrics.curves.cutoffs import performance
from assay.metrics.interpretation import SCALES, band, hint


def confusion(actual, predicted, **more):
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted, **more))


def of_counts(*, tp, fn, fp, tn):
    """Return the tally of four counts, as rows."""
    return confusion([1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn)


def exactly(value):
    return pytest.approx(value, rel=1e-15)


@pytest.fixture
def ships():
    return confusion([1] * 10 + [0] * 10, [1] * 9 + [0, 1, 1] + [0] * 8)


def test_treasure_ships_counts(ships):
    """Eight left alone, two false alarms, one missed, nine found."""
    assert ships.table().tolist() == [[8, 2], [1, 9]]
    assert Binary.of(ships) == Binary(tp=9, fp=2, fn=1, tn=8)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        (accuracy, 17 / 20),
        (precision, 9 / 11),
        (recall, 9 / 10),
        (f1, 2 * 9 / (2 * 9 + 2 + 1)),
        (specificity, 8 / 10),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_treasure_ships(ships, metric, value):
    """Accuracy 0.85, precision 0.8181818, recall 0.9, F1 0.8571429."""
    assert metric(ships) == exactly(value)


def test_treasure_ships_area_of_hard_labels(ships):
    """Labels taken as scores have one point on the ROC curve, and the area below it is 0.85."""
    assert one_vs_rest_balanced_accuracy(ships) == exactly((9 / 10 + 8 / 10) / 2) == exactly(0.85)


def test_treasure_ships_false_positive_rate_is_not_specificity(ships):
    """It is one less specificity, FP / (FP + TN); a popular text equates the two."""
    assert false_positive_rate(ships) == 2 / (2 + 8)
    assert false_positive_rate(ships) == exactly(1 - specificity(ships))
    assert false_positive_rate(ships) != specificity(ships)


def test_treasure_ships_with_three_levels():
    """None, some, tons: accuracy is correct over all; precision for 2 takes the rest together."""
    tally = confusion([0, 1, 2, 2, 1, 0, 2], [0, 2, 2, 1, 1, 0, 2])
    assert accuracy(tally) == 5 / 7
    assert precision(tally, positive=2) == 2 / 3
    assert mean_cost(tally) == (1 + 1) / 7
    assert weighted_accuracy(tally) == exactly((5 + 2 * 0.5) / 7)


def test_treasure_ships_two_ranks_off_cost_more_than_one():
    """With ordered classes nothing predicted as tons is worse than some predicted as tons."""
    near, far = confusion([0, 1, 2, 1], [0, 1, 2, 2]), confusion([0, 1, 2, 0], [0, 1, 2, 2])
    assert accuracy(near) == accuracy(far) == 3 / 4
    assert weighted_accuracy(near) == (3 + 1 / 2) / 4 > weighted_accuracy(far) == 3 / 4
    assert weighted_kappa(near) > weighted_kappa(far)
    assert mean_cost(far, costs="quadratic") == 4 / 4


def test_treasure_ships_with_a_threshold_on_islands():
    """A continuous output becomes two classes, and every binary measure applies."""
    actual, predicted = [0.2, 3.0, 7.5, 1.0], [0.5, 2.5, 6.0, 4.0]
    tally = confusion([island >= 2 for island in actual], [island >= 2 for island in predicted])
    assert (precision(tally), recall(tally)) == (exactly(2 / 3), 1)


@pytest.fixture
def xrays():
    return confusion([0, 1, 1, 1, 0, 0, 0, 1], [0, 1, 0, 1, 0, 1, 0, 0])


def test_chest_xrays_counts(xrays):
    """TP 2, FP 1, FN 2, TN 3."""
    assert Binary.of(xrays) == Binary(tp=2, fp=1, fn=2, tn=3)


@pytest.mark.parametrize(
    ("metric", "value"),
    [(accuracy, 5 / 8), (precision, 2 / 3), (recall, 2 / 4)],
    ids=lambda one: getattr(one, "name", ""),
)
def test_chest_xrays(xrays, metric, value):
    """Accuracy 0.625, precision 0.6666667, recall 0.5."""
    assert metric(xrays) == exactly(value)


def test_chest_xrays_all_negative():
    """Ninety healthy and ten ill, all called healthy."""
    tally = confusion([0] * 90 + [1] * 10, [0] * 100)
    assert accuracy(tally) == 90 / 100
    assert balanced_accuracy(tally) == (1 + 0) / 2
    assert recall(tally) == 0
    assert precision(tally) == Undefined("nothing was predicted positive")


def test_chest_xrays_f1_example():
    """Three of nineteen are positive, four were predicted so, two of them rightly."""
    actual = [int(place in (3, 10, 17)) for place in range(19)]
    predicted = [int(place in (2, 6, 10, 17)) for place in range(19)]
    assert (
        f1(confusion(actual, predicted)) == exactly(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3)) == exactly(4 / 7)
    )


def test_three_classes_counts():
    """Nine rows of three classes."""
    tally = confusion([0, 1, 2, 0, 1, 2, 0, 2, 2], [0, 2, 1, 0, 2, 1, 0, 0, 2])
    assert tally.table().tolist() == [[3, 0, 0], [0, 0, 2], [1, 2, 1]]


def test_three_classes_weighted_f1():
    """Each class's F1 weighs as many rows as the class has: 0.4126984."""
    tally = confusion([0, 1, 2, 0, 1, 2, 0, 2, 2], [0, 2, 1, 0, 2, 1, 0, 0, 2])
    each = (2 * 3 / (2 * 3 + 1 + 0), 0, 2 * 1 / (2 * 1 + 2 + 3))
    weighted = f1(tally, average="weighted")
    assert weighted == exactly((3 * each[0] + 2 * each[1] + 4 * each[2]) / 9)
    assert weighted == pytest.approx(0.4126984, abs=5e-8)


@pytest.fixture
def ratings():
    return confusion([1, 2, 3, 1, 2, 3, 1, 2, 3], [2, 1, 3, 1, 2, 3, 3, 1, 2])


def test_ordered_ratings_quadratic_weighted_kappa(ratings):
    """Steps squared: 1 + 1 + 4 + 1 + 1 of nine rows, against 12 if shuffled."""
    shuffled = sum((actual - predicted) ** 2 for actual in (1, 2, 3) for predicted in (1, 2, 3))
    assert shuffled == 12
    assert quadratic_weighted_kappa(ratings) == exactly(1 - (1 + 1 + 4 + 1 + 1) / shuffled) == exactly(1 / 3)


def test_ordered_ratings_accuracy(ratings):
    """Four of nine."""
    assert accuracy(ratings) == 4 / 9


@pytest.fixture
def sms():
    return confusion(
        ["ham"] * 1207 + ["spam"] * 183, ["ham"] * 1202 + ["spam"] * 5 + ["ham"] * 29 + ["spam"] * 154
    )


OBSERVED = (1202 + 154) / 1390
EXPECTED = (1207 * 1231 + 183 * 159) / 1390**2


@pytest.mark.parametrize(
    ("metric", "value", "printed"),
    [
        (accuracy, (1202 + 154) / 1390, 0.9755396),
        (error_rate, (5 + 29) / 1390, 0.0244604),
        (no_information_rate, 1207 / 1390, 0.8683),
        (kappa, (OBSERVED - EXPECTED) / (1 - EXPECTED), 0.8867172),
        (expected_agreement, EXPECTED, 0.784),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_spam_filter_of_both_classes(sms, metric, value, printed):
    """What does not depend on which class is positive."""
    assert metric(sms) == pytest.approx(value, rel=1e-14)
    digits = len(str(printed)) - 2
    assert round(metric(sms), digits) == printed


@pytest.mark.parametrize(
    ("metric", "value", "printed"),
    [
        (recall, 154 / 183, 0.8415301),
        (specificity, 1202 / 1207, 0.9958575),
        (precision, 154 / 159, 0.9685535),
        (negative_predictive_value, 1202 / 1231, 0.9764),
        (prevalence, 183 / 1390, 0.1317),
        (detection_rate, 154 / 1390, 0.1108),
        (detection_prevalence, 159 / 1390, 0.1144),
        (f1, 2 * 154 / (2 * 154 + 5 + 29), 0.9005848),
        (f1, 2 * (154 / 159) * (154 / 183) / (154 / 159 + 154 / 183), 0.9005848),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_spam_filter_of_spam(sms, metric, value, printed):
    """With spam as the positive class."""
    assert metric(sms, positive="spam") == exactly(value)
    digits = len(str(printed)) - 2
    assert round(metric(sms, positive="spam"), digits) == printed


def test_spam_filter_p_values(sms):
    """Accuracy is above the no-information rate, and ham is predicted more often than it occurs."""
    assert no_information(sms).p_value < 2.2e-16
    assert mcnemar(sms, "corrected").p_value == pytest.approx(7.998e-05, rel=1e-4)


def test_spam_filter_observed_agreement(sms):
    """Pr(a) 0.976."""
    assert find("observed agreement")(sms) == OBSERVED
    assert round(OBSERVED, 3) == 0.976


MODELS = {
    "coronavirus 1": {"tp": 0, "fn": 10, "fp": 0, "tn": 990},
    "coronavirus 2": {"tp": 8, "fn": 2, "fp": 48, "tn": 942},
    "spam 1": {"tp": 30, "fn": 10, "fp": 5, "tn": 55},
    "spam 2": {"tp": 35, "fn": 5, "fp": 10, "tn": 50},
    "figure": {"tp": 3, "fn": 2, "fp": 1, "tn": 4},
    "exercise": {"tp": 120, "fn": 22, "fp": 63, "tn": 795},
}
PRINTED = {
    "coronavirus 1": (0.99, 0, None, 1),
    "coronavirus 2": (0.95, 0.8, 0.1428571, 0.9515152),
    "spam 1": (0.85, 0.75, 0.8571429, 0.9166667),
    "spam 2": (0.85, 0.875, 0.7777778, 0.8333333),
    "figure": (0.7, 0.6, 0.75, 0.8),
    "exercise": (0.915, 0.8450704, 0.6557377, 0.9265734),
}


@pytest.mark.parametrize("name", MODELS)
def test_coronavirus_and_email_models(name):
    """Accuracy, recall, precision and specificity of each, from the counts and as printed."""
    counts = MODELS[name]
    tally = of_counts(**counts)
    tp, fn, fp, tn = counts.values()
    assert accuracy(tally) == (tp + tn) / (tp + fn + fp + tn)
    assert recall(tally) == tp / (tp + fn)
    assert specificity(tally) == tn / (tn + fp)
    if name == "coronavirus 1":
        assert precision(tally) == Undefined("nothing was predicted positive")
    else:
        assert precision(tally) == tp / (tp + fp)
    for metric, printed in zip((accuracy, recall, precision, specificity), PRINTED[name], strict=True):
        if printed is not None:
            assert metric(tally) == pytest.approx(printed, abs=5e-8)


def test_coronavirus_precision_by_the_teaching_convention():
    """No false positive was made, so some call it 1: as a stand-in that has to be asked for."""
    tally = of_counts(**MODELS["coronavirus 1"])
    assert precision(tally, average="macro", undefined=1) == (990 / 1000 + 1) / 2


@pytest.mark.parametrize("name", ["coronavirus 2", "spam 1", "spam 2", "figure", "exercise"])
def test_f_beta_tends_to_precision_and_to_recall(name):
    """Both limits of beta are inputs like any other."""
    tally = of_counts(**MODELS[name])
    assert f_beta(tally, beta=0) == precision(tally)
    assert f_beta(tally, beta=math.inf) == recall(tally)
    assert f_beta(tally, beta=1e-9) == pytest.approx(precision(tally), rel=1e-12)
    assert f_beta(tally, beta=1e9) == pytest.approx(recall(tally), rel=1e-12)
    assert f_beta(tally, beta=1e200) == recall(tally)


def test_which_error_is_worse_decides():
    """Beta 2 and dear misses for the disease, beta one half and dear alarms for the mail."""
    first, second = of_counts(**MODELS["spam 1"]), of_counts(**MODELS["spam 2"])
    assert accuracy(first) == accuracy(second)
    assert f_half(first) == exactly(1.25 * 30 / (1.25 * 30 + 0.25 * 10 + 5))
    assert f_half(first) > f_half(second)
    assert f2(first) == exactly(5 * 30 / (5 * 30 + 4 * 10 + 5))
    assert f2(first) < f2(second)
    assert misclassification_cost(first, cost_fp=5, cost_fn=1) == (5 * 5 + 10) / 100
    assert misclassification_cost(second, cost_fp=5, cost_fn=1) == (5 * 10 + 5) / 100


def test_threshold_sweep():
    """Ten points by ascending score, the threshold raised past one at a time."""
    labels = [0, 1, 0, 0, 1, 0, 1, 0, 1, 1]
    pairs = [(5, 0), (5, 1), (4, 1), (4, 2), (4, 3), (3, 3), (3, 4), (2, 4), (2, 5), (1, 5), (0, 5)]
    for passed, (tp, tn) in enumerate(pairs):
        tally = confusion(labels, [int(place >= passed) for place in range(10)], labels=[0, 1])
        counts = Binary.of(tally)
        assert (counts.tp, counts.tn) == (tp, tn)
        assert (recall(tally), specificity(tally)) == (tp / 5, tn / 5)


def test_from_scratch_tutorial_accuracy():
    """Eight of ten: 80%, a way to print 0.8."""
    tally = confusion([0] * 5 + [1] * 5, [0, 1, 0, 0, 0, 1, 0, 1, 1, 1])
    assert accuracy(tally) == 0.8
    assert f"{accuracy(tally):.0%}" == "80%"


def test_from_scratch_tutorial_confusion():
    """Rows are actual; the tutorial prints the transpose."""
    tally = confusion([0] * 5 + [1] * 5, [0, 1, 1, 0, 0, 1, 0, 1, 1, 1])
    assert tally.table().tolist() == [[3, 2], [1, 4]]
    assert assay.CrossTable.of(tally, rows="predicted").counts.tolist() == [[3, 1], [2, 4]]


# What the texts have beyond counts: ranks, curves, lists, errors of numbers, words.
def scores(actual, score, **more):
    return assay.Scores.of(assay.rows(actual=actual, score=score, **more))


def test_top_k_lists_have_the_retrieval_convention_by_default():
    """Hits at places 2 and 3 of three wanted items: (1/2 + 2/3) / 3, not the text's (0 + 1/2 + 2/3) / 3."""
    tally = assay.Queries.of_lists(actual=[[1, 2, 3]], predicted=[[0, 1, 2]])
    assert mean_average_precision(tally, k=3) == exactly((1 / 2 + 2 / 3) / min(3, 3))
    assert mean_average_precision(tally, k=2) == exactly((1 / 2) / min(2, 3))
    assert mean_average_precision(tally, k=2, convention="teaching") == exactly((0 + 1 / 2) / 2)


def test_top_k_lists_mean_over_six():
    """MAP@1 to MAP@4 as arithmetic: 0.3333333, 0.375, 0.3611111, 0.3472222."""
    tally = assay.Queries.of_lists(
        actual=[[1, 2, 3], [0, 2], [1], [2, 3], [1, 0], []],
        predicted=[[0, 1, 2], [1], [0, 2, 3], [2, 3, 4, 0], [0, 1, 2], [0]],
    )
    # P@1 to P@4 of the lists with hits; where three items are listed, P@4 is divided by three.
    each = [(0, 1 / 2, 2 / 3, 2 / 3), (1, 2 / 2, 2 / 3, 2 / 4), (1, 2 / 2, 2 / 3, 2 / 3)]
    for k, printed in ((1, 0.3333333), (2, 0.375), (3, 0.3611111), (4, 0.3472222)):
        found = mean_average_precision(tally, k=k, convention="teaching")
        assert found == pytest.approx(sum(sum(values[:k]) / k for values in each) / 6, rel=1e-14)
        assert found == pytest.approx(printed, abs=5e-8)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean_error", (-0.01 + 0.01 + 0.01 - 0.01 + 0) / 5),
        ("mae", 0.04 / 5),
        ("mse", 0.0004 / 5),
        ("rmse", math.sqrt(0.0004 / 5)),
        ("mpe", (-0.01 / 0.1 + 0.01 / 0.2 + 0.01 / 0.3 - 0.01 / 0.4) / 5),
        ("mape", (0.01 / 0.1 + 0.01 / 0.2 + 0.01 / 0.3 + 0.01 / 0.4) / 5),
        ("r2", 1 - 0.0004 / (0.2**2 + 0.1**2 + 0.1**2 + 0.2**2)),
        (
            "msle",
            (
                math.log(1.1 / 1.11) ** 2
                + math.log(1.2 / 1.19) ** 2
                + math.log(1.3 / 1.29) ** 2
                + math.log(1.4 / 1.41) ** 2
            )
            / 5,
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_regression(name, value):
    """MAE 0.008, RMSE 0.00894427190999915 and the rest of the measures to have, of the same five rows."""
    rows = assay.rows(actual=[0.1, 0.2, 0.3, 0.4, 0.5], predicted=[0.11, 0.19, 0.29, 0.41, 0.5])
    assert find(name)(rows) == pytest.approx(value, rel=1e-12, abs=1e-16)


def test_regression_rmsle_is_the_root_of_msle():
    """Root mean squared logarithmic error."""
    rows = assay.rows(actual=[0.1, 0.2, 0.3, 0.4, 0.5], predicted=[0.11, 0.19, 0.29, 0.41, 0.5])
    assert find("rmsle")(rows) == exactly(math.sqrt(find("msle")(rows)))


def test_regression_percentages_of_negative_values():
    """MAPE divides by the absolute value, MPE by the value: -1 + 2 of -2 is half too much either way."""
    rows = assay.rows(actual=[-2.0, -4.0], predicted=[-1.0, -5.0])
    assert find("mape")(rows) == (1 / 2 + 1 / 4) / 2
    assert find("mpe")(rows) == ((-2 + 1) / -2 + (-4 + 5) / -4) / 2


def test_spam_filter_accuracy_interval(sms):
    """0.966 to 0.983 by the exact binomial interval of 1,356 of 1,390."""
    low, high = proportion_interval(sms.correct, sms.n, method="clopper-pearson")
    assert (round(low, 3), round(high, 3)) == (0.966, 0.983)


def test_spam_filter_kappa_errors(sms):
    """As printed z is 33.2 and p 0; the printed errors are those of an old vcd, which is right no more.

    It took kappa for a proportion, 0.01918876, and for weights divided by the chance agreement instead of
    what it leaves, 0.01587936. Fleiss, Cohen and Everitt's error, which vcd prints today, is 0.0190912.
    """
    found = kappa_errors(sms.table())
    assert round(found.statistic, 1) == 33.2
    assert 0 < found.p_value < 1e-240
    assert math.sqrt(OBSERVED * (1 - OBSERVED) / 1390) / (1 - EXPECTED) == pytest.approx(0.01918876, abs=5e-9)
    diagonal = (1202 / 1390, 154 / 1390)
    assert math.sqrt(sum(p * (1 - p) for p in diagonal) / 1390) / EXPECTED == pytest.approx(
        0.01587936, abs=5e-9
    )
    assert found.standard_error == pytest.approx(0.0190912, abs=5e-8)
    assert kappa_errors(sms.table(), "linear").standard_error == exactly(found.standard_error)


def test_spam_filter_area():
    """On generated scores with the text's counts, as pROC has it."""
    actual, score = messages()
    expected = oracle("sms_proc")["prob_spam"]["auc"]
    assert auc(scores(actual, score, positive="spam")) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("scale", "value", "word"),
    [
        ("teaching-kappa", 0.19, "poor"), ("teaching-kappa", 0.3, "fair"), ("teaching-kappa", 0.5, "moderate"),
        ("teaching-kappa", 0.7, "good"), ("teaching-kappa", 0.9, "very good"),
        ("teaching-auc", 0.95, "A (outstanding)"), ("teaching-auc", 0.85, "B (excellent/good)"),
        ("teaching-auc", 0.75, "C (acceptable/fair)"), ("teaching-auc", 0.65, "D (poor)"),
        ("teaching-auc", 0.55, "F (no discrimination)"),
    ],
)  # fmt: skip
def test_interpretation_bands(scale, value, word):
    """A hint with its source, never a verdict."""
    assert band(value, scale) == word
    assert hint(value, scale) == (
        f'"{word}" on the scale of {SCALES[scale].source}: a convention, not a verdict'
    )


def test_equal_areas_of_different_shapes():
    """Two curves of one area that cross: the area alone does not tell them apart."""
    early = scores([1, 1, 0, 0, 0, 0, 1, 1], range(8, 0, -1))
    even = scores([0, 0, 1, 1, 1, 1, 0, 0], range(8, 0, -1))
    assert auc(early) == auc(even) == 0.5
    assert roc(early).y.tolist() != roc(even).y.tolist()


def test_threshold_sweep_area_and_both_orientations():
    """18 of 25 pairs; sensitivity against 1 - specificity, or against specificity itself."""
    tally = scores([0, 1, 0, 0, 1, 0, 1, 0, 1, 1], range(10))
    assert auc(tally) == 18 / 25
    first, second = performance(tally, "sens", against="fpr"), performance(tally, "sens", against="spec")
    assert first.y.tolist() == second.y.tolist() == [tp / 5 for tp in (0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5)]
    assert second.x.tolist() == [tn / 5 for tn in (5, 5, 5, 4, 4, 3, 3, 2, 1, 1, 0)]
    assert first.x == pytest.approx([1 - x for x in second.x])


def test_an_area_under_one_half_ranks_backwards():
    """It is said, not turned round; the flipped figure is one less it, the area of the scores' negatives."""
    actual, score = [0, 0, 1, 1, 0], [0.9, 0.6, 0.5, 0.7, 0.8]
    tally = scores(actual, score)
    assert auc(tally) == 1 / 6
    assert auc(scores(actual, [-one for one in score])) == exactly(1 - 1 / 6)
    assert "below 0.5: the scores rank backwards" in auc_estimate(tally.concordance()).note
    assert "below chance" in band(auc(tally), "teaching-auc")
