import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference_figures import messages, methods, oracle

import assay
from assay.metrics import (
    Ranks,
    Undefined,
    auc,
    average_precision,
    break_even,
    convex_hull_auc,
    equal_error_rate,
    gain_at,
    gini,
    h_measure,
    hand_till_auc,
    ks,
    lift_at,
    macro_auc,
    max_f1,
    max_informedness,
    micro_auc,
    partial_auc,
    pr_auc_integral,
    pr_auc_trapezoid,
    precision_at_share,
    tie_expected_average_precision,
    weighted_auc,
)

EXACT = {"rel": 1e-9}  # the digits the check values are written with


def scores(actual, score, **more):
    return assay.Scores.of(assay.rows(actual=actual, score=score, **more))


def class_scores(actual, score, **more):
    return assay.ClassScores.of(assay.rows(actual=actual, score=score, **more))


@pytest.fixture
def fifteen():
    """Fifteen rows with ties, the data of most check values."""
    inputs = methods("AUC/DeLong")["inputs"]
    return scores(inputs["y"], inputs["score"])


def test_treasure_ships_ranked_by_hard_labels():
    """The ROC AUC of hard labels taken as scores is the balanced accuracy."""
    tally = scores([1] * 10 + [0] * 10, [1] * 9 + [0, 1, 1] + [0] * 8)
    assert auc(tally) == 0.85


CHESTS = [0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1]
CHEST_SCORES = [0.1, 0.3, 0.2, 0.6, 0.8, 0.05, 0.9, 0.5, 0.3, 0.66, 0.3, 0.2, 0.85, 0.15, 0.99]


def test_chest_x_rays():
    """The AUC of the teaching text; the print that drops a score is refused with both lengths."""
    assert auc(scores(CHESTS, CHEST_SCORES)) == 0.83
    with pytest.raises(assay.LengthError, match="15 values, score has 14"):
        scores(CHESTS, CHEST_SCORES[:-1])


def test_text_messages():
    """The AUC of the spam probability."""
    actual, score = messages()
    tally = scores(actual, score, positive="spam")
    assert auc(tally) == pytest.approx(oracle("sms_proc.json")["prob_spam"]["auc"], rel=1e-15)


def test_ten_points_with_an_area_of_0_72():
    """Labels by ascending score 0,1,0,0,1,0,1,0,1,1 rank 18 of 25 pairs right."""
    assert auc(scores([0, 1, 0, 0, 1, 0, 1, 0, 1, 1], range(10))) == 18 / 25


def test_areas_of_fifteen_rows(fifteen):
    """AUC, partial AUC and the hull against the check values."""
    expected = methods("AUC/DeLong")["outputs"]
    assert auc(fifteen) == 87 / 112
    assert gini(fifteen) == 31 / 56
    for low, high in ((0, 0.2), (0.1, 0.4)):
        name = f"pauc_{low}_{high}"
        assert partial_auc(fifteen, false_positive_rate=(low, high)) == pytest.approx(expected[name], **EXACT)
        corrected = partial_auc(fifteen, false_positive_rate=(low, high), corrected=True)
        assert corrected == pytest.approx(expected[f"{name}_mcclish"], **EXACT)
    decisions = methods("decision thresholds")["outputs"]
    assert convex_hull_auc(fifteen) == decisions["auch_convex_hull"]
    assert equal_error_rate(fifteen) == pytest.approx(decisions["eer_interpolated"], **EXACT)
    assert max_f1(fifteen) == pytest.approx(decisions["max_f1"], **EXACT)
    assert max_informedness(fifteen) == pytest.approx(decisions["youden_J"], **EXACT)


def test_four_areas_under_one_precision_recall_curve(fifteen):
    """The four definitions differ, and each has its own name."""
    expected = methods("average precision variants")["outputs"]
    assert average_precision(fifteen) == pytest.approx(9833 / 12740, rel=1e-15)
    assert pr_auc_trapezoid(fifteen) == pytest.approx(expected["pr_trapezoid"], **EXACT)
    assert pr_auc_integral(fifteen) == pytest.approx(expected["pr_davis_goadrich"], **EXACT)
    assert tie_expected_average_precision(fifteen) == pytest.approx(expected["ap_tie_expected"], **EXACT)


def test_the_four_areas_of_the_messages():
    """Trapezoids, steps and the integral between cutoffs for the text messages, typed in R."""
    actual, score = messages()
    tally, areas = scores(actual, score, positive="spam"), oracle("precision_recall_areas")["prob_spam"]
    assert pr_auc_trapezoid(tally) == pytest.approx(areas["trapezoid"], rel=1e-12)
    assert average_precision(tally) == pytest.approx(areas["average_precision"], rel=1e-12)
    assert pr_auc_integral(tally) == pytest.approx(areas["davis_goadrich"], rel=1e-12)


def test_weighted_areas():
    """Weighted AUC and average precision."""
    item = methods("weighted AUC")
    inputs, expected = item["inputs"], item["outputs"]
    tally = scores(inputs["y"], inputs["score"], weight=inputs["weight"])
    assert auc(tally) == pytest.approx(expected["auc"], **EXACT)
    assert average_precision(tally) == pytest.approx(expected["average_precision"], **EXACT)


@pytest.mark.parametrize("data", ["prob_spam", "toy"])
@pytest.mark.parametrize("focus", ["specificity", "sensitivity"])
@pytest.mark.parametrize("corrected", [False, True])
def test_partial_areas_are_those_of_proc(data, focus, corrected):
    """Over ranges of specificity and of sensitivity, raw and by McClish, as pROC gives them."""
    figures = oracle("sms_proc.json")[data]
    if data == "toy":
        tally = scores(figures["y"], figures["score"])
    else:
        actual, score = messages()
        tally = scores(actual, score, positive="spam")
    cases = [one for one in figures["partial"] if (one["focus"], one["correct"]) == (focus, corrected)]
    assert len(cases) == 3
    for one in cases:
        high, low = one["partial.auc"]
        part = {"sensitivity": (low, high)}
        if focus == "specificity":
            part = {"false_positive_rate": (1 - high, 1 - low)}
        assert partial_auc(tally, **part, corrected=corrected) == pytest.approx(one["value"], rel=1e-13)


def test_a_part_of_the_curve_must_be_one(fifteen):
    """A range runs from a rate to a higher one."""
    for wrong in ((0.2, 0.1), (-0.1, 0.5), (0.5, 1.5), (0.3, 0.3)):
        with pytest.raises(assay.MetricError, match="the lower rate first"):
            partial_auc(fifteen, false_positive_rate=wrong)


def test_several_classes_against_the_check_values():
    """Hand and Till's measure and one against the rest, by every average."""
    item = methods("multiclass AUC")
    inputs, expected = item["inputs"], item["outputs"]
    tally = class_scores(inputs["y"], inputs["proba"])
    assert hand_till_auc(tally) == pytest.approx(expected["hand_till_m"], **EXACT)
    for metric, average in ((macro_auc, "macro"), (weighted_auc, "weighted"), (micro_auc, "micro")):
        assert metric(tally) == pytest.approx(expected[f"ovr_{average}"], **EXACT)
        assert auc(tally, average=average) == metric(tally)
    for label in range(3):
        assert auc(tally.against_rest(label)) == pytest.approx(expected[f"ovr_class{label}"], **EXACT)


def test_hand_and_till_with_weights_is_repetition():
    """Weights, which nobody else takes, count as rows said several times."""
    rng = random.Random(4)
    actual = [rng.randrange(3) for _ in range(40)]
    score = [[rng.randrange(5) / 4 for _ in range(3)] for _ in actual]
    weight = [rng.randrange(1, 4) for _ in actual]
    again = [i for i, times in enumerate(weight) for _ in range(times)]
    weighted = class_scores(actual, score, weight=weight)
    repeated = class_scores([actual[i] for i in again], [score[i] for i in again])
    assert hand_till_auc(weighted) == pytest.approx(hand_till_auc(repeated), rel=1e-15)
    assert hand_till_auc(weighted, average="weighted") == pytest.approx(
        hand_till_auc(repeated, average="weighted"), rel=1e-15
    )


def test_two_classes_by_their_own_columns_are_one_area():
    """With two complementary columns Hand and Till's measure is the plain AUC."""
    score = np.array([0.1, 0.4, 0.35, 0.8])
    both = class_scores([0, 0, 1, 1], np.stack([1 - score, score], 1))
    assert hand_till_auc(both) == macro_auc(both) == auc(scores([0, 0, 1, 1], score)) == 0.75


def test_an_absent_class_is_named():
    """A class without rows leaves the average undefined, or out on request."""
    tally = class_scores(
        ["a", "b", "a"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4]], labels=["a", "b", "c"]
    )
    assert hand_till_auc(tally) == Undefined('there are no rows of "c"')
    assert macro_auc(tally) == Undefined('there are no rows of "c"')
    assert auc(tally, average="macro") == Undefined('a class has no rows (class "c")')
    assert hand_till_auc(tally, undefined="skip") == auc(tally, average="macro", undefined="skip") == 1
    assert weighted_auc(tally) == 1


def test_one_class_alone_has_no_area():
    """A single class is undefined, and the reason says which one is missing."""
    assert auc(scores([1, 1], [0.1, 0.9])) == Undefined(
        "there are no actual negatives among 2 rows, so there is no pair to compare"
    )
    assert "no actual positives among 1 row," in auc(scores([0], [0.5])).reason
    assert average_precision(scores([0], [0.5])) == Undefined("there are no actual positives")
    assert average_precision(scores([1], [0.5])) == 1


def test_ten_thresholds_are_not_the_truth():
    """Four rows have an AUC of 75%, whatever a histogram of ten bins says."""
    assert auc(scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])) == 0.75


def test_scores_that_rank_backwards_are_not_turned_round():
    """An AUC below one half stays there."""
    assert auc(scores([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])) == 0
    assert gini(scores([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])) == -1


def test_scores_that_hardly_differ_are_told_apart():
    """No tolerance makes ties: the next float is another score."""
    assert auc(scores([0, 1], [0.5, np.nextafter(0.5, 1)])) == 1
    assert auc(scores([0, 1], [1e-300, 1.1e-300])) == 1


def test_shares_from_the_top():
    """Gain, precision and lift of the best-scored fifth; tied rows are taken in proportion."""
    tally = scores([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert gain_at(tally, share=0.2) == pytest.approx(2 / 3)
    assert precision_at_share(tally, share=0.2) == 1
    assert lift_at(tally, share=0.2) == pytest.approx(10 / 3)
    tied = scores([1, 1, 0, 0], [1, 1, 1, 1])
    assert gain_at(tied, share=0.25) == 0.25
    assert precision_at_share(tied, share=0.1) == 0.5
    with pytest.raises(assay.MetricError, match="share"):
        gain_at(tied, share=0)


def test_break_even_is_where_both_are_equal():
    """As many predicted as there are positives: precision is recall."""
    assert break_even(scores([1, 0, 1, 0], [4, 3, 2, 1])) == 0.5
    actual, score = messages()
    expected = oracle("sms_rocr.json")["measures"]["prbe"]["value"]
    assert break_even(scores(actual, score, positive="spam")) == pytest.approx(expected, rel=1e-12)


def test_the_prior_of_the_h_measure_can_be_stated():
    """Hand's symmetric prior of 2009 gives another figure than that of 2014; both are 0 for ties alone."""
    tally = scores([0, 0, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6])
    assert h_measure(tally) != h_measure(tally, prior=(2, 2))
    assert h_measure(scores([0, 1, 1], [1, 1, 1])) == 0
    assert h_measure(scores([0, 1, 1], [1, 2, 3])) == 1


ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-50, 50), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=2,
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(rows=ROWS, weighted=st.booleans())
def test_turning_scores_round_turns_the_area_round(rows, weighted):
    """AUC(-s) = 1 - AUC(s), to the bit where rows have no weights."""
    actual, score, weight = (list(column) for column in zip(*rows, strict=True))
    more = {"weight": weight} if weighted else {}
    there, back = auc(scores(actual, score, **more)), auc(scores(actual, [-s for s in score], **more))
    if isinstance(there, Undefined):
        assert isinstance(back, Undefined)
    elif weighted:
        assert back == pytest.approx(1 - there, abs=1e-15)
    else:
        assert gini(scores(actual, score)) == -gini(scores(actual, [-s for s in score]))
        assert back == pytest.approx(1 - there, abs=2e-16)


RANKS = [metric for metric in assay.metrics.catalogue() if metric.reads is Ranks]


@pytest.mark.parametrize("metric", RANKS, ids=lambda metric: metric.name)
@settings(max_examples=30, deadline=None)
@given(rows=ROWS)
def test_only_the_order_of_scores_counts(metric, rows):
    """A strictly rising function of the scores changes no ranking metric by a bit."""
    actual, score, _ = (list(column) for column in zip(*rows, strict=True))
    plain, bent = metric(scores(actual, score)), metric(scores(actual, [math.atan(s) * 3 - 7 for s in score]))
    assert repr(plain) == repr(bent)


@settings(max_examples=100, deadline=None)
@given(rows=ROWS)
def test_the_hull_is_never_below_the_curve(rows):
    """The hull's area is at least the curve's, and ks is its largest Youden index or that of the reverse."""
    actual, score, _ = (list(column) for column in zip(*rows, strict=True))
    tally = scores(actual, score)
    if isinstance(auc(tally), Undefined):
        return
    assert convex_hull_auc(tally) >= max(auc(tally), 0.5)
    assert ks(tally) >= max_informedness(tally) - 1e-15


def test_replicates_lie_along_leading_axes():
    """Masses per entry of the tally, replicate by replicate, give each replicate's figure at once."""
    rng = np.random.default_rng(8)
    actual, score = rng.integers(0, 2, 60), rng.integers(0, 20, 60) / 20
    tally = scores(actual, score)
    positive, negative = (
        rng.integers(0, 4, (5, len(tally.scores))) * counts for counts in (tally.positives, tally.negatives)
    )
    together = Ranks(tally, positive, negative)
    names = (
        auc,
        gini,
        ks,
        average_precision,
        pr_auc_trapezoid,
        pr_auc_integral,
        break_even,
        gain_at,
        max_f1,
    )
    for metric in (*names, equal_error_rate, max_informedness, tie_expected_average_precision):
        values = metric.formula(together)
        assert values.shape == (5,)
        for row in range(5):
            one = [
                (label, s)
                for side, label in ((positive, 1), (negative, 0))
                for s, times in zip(tally.scores, side[row], strict=True)
                for _ in range(times)
            ]
            alone = metric(scores(*zip(*one, strict=True)))
            assert values[row] == pytest.approx(alone, rel=1e-12), metric.name


def test_counts_beyond_four_billion_stay_exact():
    """The area is a ratio of integers of any size."""
    big = 5_000_000_000
    tally = assay.Scores(
        1,
        np.array([0.25, 0.5], dtype=np.float32),
        None,
        np.array([1, big], dtype=np.uint64),
        np.array([big, 1], dtype=np.uint64),
    )
    assert auc(tally) == (2 * big * big + 2 * big) / (2 * (big + 1) ** 2)
    assert convex_hull_auc(tally) == auc(tally)


def test_a_metric_of_ranks_needs_scores():
    """The wrong tally is named, and several classes are told how to be averaged."""
    with pytest.raises(assay.MetricError, match="not one of confusion"):
        auc(assay.Confusion.of(assay.rows(actual=[0, 1], predicted=[0, 1])))
    with pytest.raises(assay.MetricError, match='average="macro"'):
        auc(class_scores([0, 1], [[0.2, 0.8], [0.3, 0.7]]))
    with pytest.raises(assay.MetricError, match="needs scores of several classes"):
        auc(scores([0, 1], [0.2, 0.8]), average="macro")
