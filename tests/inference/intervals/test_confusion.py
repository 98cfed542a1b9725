"""The intervals of count metrics: each by its method, right by a second way, for plain, weighted and grouped rows."""

import math

import numpy as np
import pytest

import assay
from assay.inference.distributions import student_quantile
from assay.inference.formulas.mover import f1_interval, informedness_interval, markedness_interval
from assay.inference.formulas.proportions import modified_wilson, proportion_interval
from assay.inference.formulas.ratios import koopman
from assay.inference.influence.gradients import metric_gradient
from assay.inference.influence.influence import influence
from assay.inference.influence.margin_gradients import margin_gradient
from assay.metrics import Classes, catalogue, find

TP, FP, FN, TN = 45, 12, 5, 68


def rows(tp=TP, fp=FP, fn=FN, tn=TN, **more):
    """Return the rows of four counts."""
    actual = [1] * (tp + fn) + [0] * (fp + tn)
    predicted = [1] * tp + [0] * fn + [1] * fp + [0] * tn
    return assay.rows(actual=actual, predicted=predicted, **more)


PROPORTIONS = {
    "recall": (TP, TP + FN), "specificity": (TN, TN + FP), "precision": (TP, TP + FP),
    "negative_predictive_value": (TN, TN + FN), "false_positive_rate": (FP, FP + TN),
    "false_negative_rate": (FN, FN + TP), "false_discovery_rate": (FP, FP + TP),
    "false_omission_rate": (FN, FN + TN), "prevalence": (TP + FN, 130), "detection_rate": (TP, 130),
    "detection_prevalence": (TP + FP, 130), "rate_of_negative_predictions": (TN + FN, 130),
    "jaccard": (TP, TP + FP + FN), "accuracy": (TP + TN, 130), "error_rate": (FP + FN, 130),
    "no_information_rate": (FP + TN, 130),
}  # fmt: skip


@pytest.mark.parametrize("name", PROPORTIONS)
@pytest.mark.parametrize("method", [None, "wilson", "clopper-pearson", "agresti-coull", "jeffreys", "mid-p"])
def test_a_proportion_is_x_of_n(name, method):
    """Every rate has the interval of its own count of its own total."""
    found = assay.estimate(name, rows(), method=method)
    expected = proportion_interval(*PROPORTIONS[name], 0.95, method or "modified-wilson")
    assert (found.low, found.high) == expected
    assert found.n == 130
    assert found.value == PROPORTIONS[name][0] / PROPORTIONS[name][1]


def test_every_proportion_of_the_catalogue_is_listed():
    """No proportion of one table is left without its count."""
    views = ("Binary", "Classes")
    assert {m.name for m in catalogue() if m.kind == "proportion" and m.reads.__name__ in views} == set(
        PROPORTIONS
    )


@pytest.mark.parametrize("counts", [(0, 3, 4, 5), (7, 0, 0, 9), (1, 0, 10**9, 10**14), (0, 0, 1, 0)])
def test_the_totals_of_a_rate_are_found_at_its_ends(counts):
    """At 0 of n and n of n, and at any size, the n is right."""
    tp, fp, fn, tn = counts
    labels, cells = (0, 1), np.array([tn, fp, fn, tp])
    kept = np.flatnonzero(cells)
    tally = assay.Confusion(labels, declared=True, cells=kept.astype(np.uint64), counts=cells[kept])
    for name, x, n in (("recall", tp, tp + fn), ("specificity", tn, tn + fp), ("jaccard", tp, tp + fp + fn)):
        found = assay.estimate(name, tally)
        if n:
            assert (found.low, found.high) == pytest.approx(
                proportion_interval(x, n, method="modified-wilson"), rel=1e-13
            )
        else:
            assert not found.defined


def test_named_methods():
    """F1 is mapped from Jaccard, sums of rates by MOVER, ratios by Koopman: each as its own function has it."""
    data = rows()
    f1 = assay.estimate("f1", data)
    assert (f1.low, f1.high) == f1_interval(TP, FP, FN, method="modified-wilson")
    assert f1.method == "Wilson on Jaccard"
    informed = assay.estimate("informedness", data)
    expected = informedness_interval(TP, FP, FN, TN, method="jeffreys")
    assert (informed.low, informed.high) == pytest.approx(expected, rel=1e-14)
    marked = assay.estimate("markedness", data)
    expected = markedness_interval(TP, FP, FN, TN, method="jeffreys")
    assert (marked.low, marked.high) == pytest.approx(expected, rel=1e-14)
    balanced, half = (
        assay.estimate("balanced_accuracy", data),
        assay.estimate("one_vs_rest_balanced_accuracy", data),
    )
    assert (balanced.low, balanced.high) == pytest.approx(((informed.low + 1) / 2, (informed.high + 1) / 2))
    assert (balanced.low, balanced.high) == pytest.approx((half.low, half.high))
    ratio = assay.estimate("positive_likelihood_ratio", data)
    low, high = koopman(TP, TP + FN, FP, FP + TN)
    assert (ratio.low, ratio.high) == pytest.approx((low, high), rel=0.02)
    assert ratio.low <= low < high <= ratio.high
    threshold = assay.estimate("prevalence_threshold", data)
    assert threshold.low == pytest.approx(1 / (1 + math.sqrt(high)))
    pabak = assay.estimate("brennan_prediger", data)
    low, high = proportion_interval(TP + TN, 130, method="modified-wilson")
    assert (pabak.low, pabak.high) == (2 * low - 1, 2 * high - 1)


def test_macro_recall_is_balanced_accuracy():
    """The same figure under two names has one interval."""
    data = assay.rows(actual=[0, 0, 0, 1, 1, 2, 2, 2], predicted=[0, 0, 1, 1, 1, 2, 0, 2])
    one, other = assay.estimate("recall", data, average="macro"), assay.estimate("balanced_accuracy", data)
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)


def test_a_positive_label_that_is_text():
    """The label that rows state as positive is the one whose rate is meant."""
    data = assay.rows(actual=["ham", "spam", "spam"], predicted=["ham", "spam", "ham"], positive="spam")
    assert assay.estimate("recall", data).value == 0.5
    assert assay.estimate("recall", data, positive="ham").value == 1.0
    assert (assay.estimate("f2", data).low, assay.estimate("f2", data).high) != (None, None)


@pytest.mark.parametrize(
    "name", ["recall", "accuracy", "f1", "mcc", "kappa", "g_mean", "lift", "balanced_accuracy"]
)
def test_weights_of_any_unit(name):
    """A common factor of the weights changes nothing, and equal weights leave the standard error as it is."""
    rng = np.random.default_rng(3)
    weight = rng.choice([0.5, 1.0, 2.0], 130)
    one, two = (assay.estimate(name, rows(weight=weight * factor)) for factor in (1, 8))
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), rel=1e-12)
    plain = influence(find(name), rows())
    even = influence(find(name), rows(weight=[3.0] * 130))
    assert even.standard_error == pytest.approx(plain.standard_error, rel=1e-12)


@pytest.mark.parametrize("name", ["recall", "precision", "accuracy", "f1", "f2", "mcc", "kappa", "g_mean"])
def test_groups_of_one_are_rows_of_their_own(name):
    """Where every row is a group, the error is that of the rows, but for what leaving one out adds to few."""
    alone = assay.estimate(name, rows(group=list(range(130))))
    plain = influence(find(name), rows())
    assert alone.groups == 130
    assert 1 < alone.design_effect < 1.03
    assert 1 < alone.standard_error / plain.standard_error < 1.015


@pytest.mark.parametrize("name", ["recall", "precision", "accuracy", "f1", "mcc", "kappa", "g_mean"])
def test_groups_have_the_error_of_leaving_each_out(name):
    """The jackknife, written out: every group in turn is left out and the metric read again."""
    rng = np.random.default_rng(11)
    group = rng.choice(12, 130, p=np.arange(1, 13) / 78)
    data = rows(group=group)
    groups = np.unique(group)
    values = [float(find(name)(rows().take(group != one))) for one in groups]
    center = float(find(name)(rows()))
    brute = math.sqrt((1 - 1 / len(groups)) * sum((value - center) ** 2 for value in values))
    exact = name in ("recall", "precision", "accuracy")  # ratios: the leverage is exact
    found = assay.estimate(name, data).standard_error
    assert found == pytest.approx(brute, rel=1e-12 if exact else 0.12)


@pytest.mark.parametrize("name", ["recall", "accuracy", "f1", "mcc", "kappa"])
def test_rows_that_are_repeated_in_groups_tell_no_more(name):
    """Three copies of every row, grouped: the error is that of the rows once, not a third of its square."""
    actual, predicted = np.array([1] * 50 + [0] * 80), np.array([1] * 45 + [0] * 5 + [1] * 12 + [0] * 68)
    tripled = assay.rows(
        actual=np.repeat(actual, 3), predicted=np.repeat(predicted, 3), group=np.repeat(np.arange(130), 3)
    )
    found, alone = assay.estimate(name, tripled), assay.estimate(name, rows(group=list(range(130))))
    assert found.standard_error == pytest.approx(alone.standard_error)
    assert found.design_effect == pytest.approx(3 * alone.design_effect)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


def test_no_spread_in_groups():
    """A share of 1 in groups counts each group once; a single group shows nothing."""
    right = assay.rows(actual=[1, 1, 1, 0, 0, 0], predicted=[1, 1, 1, 0, 0, 0], group=[1, 1, 2, 2, 3, 3])
    found = assay.estimate("accuracy", right)
    assert (found.low, found.high) == proportion_interval(3, 3, method="modified-wilson")
    assert "counts as 3 clusters" in found.note
    lone = assay.estimate("mcc", rows(group=[0] * 130))
    assert lone.low is None
    assert "one group" in lone.note


def test_a_table_of_two_classes_is_three_rates():
    """F2 without a missed positive: each rate at its limits, the falls added in squares, written out."""
    tp, fp, tn = 45, 12, 68
    found = assay.estimate("f2", rows(fn=0))
    shares = [(tp + fp, 125), (tp, tp + fp), (0, tn)]
    centre = [x / n for x, n in shares]
    limits = [modified_wilson(x, n) for x, n in shares]

    def f2(first, second, third):
        hits, false, missed = first * second, first * (1 - second), (1 - first) * third
        return 5 * hits / (5 * hits + 4 * missed + false)

    below = above = 0.0
    for place, ends in enumerate(limits):
        changes = [f2(*centre[:place], end, *centre[place + 1 :]) - found.value for end in ends]
        below, above = math.hypot(below, min(changes)), math.hypot(above, max(changes))
    assert (found.low, found.high) == pytest.approx((found.value - below, found.value + above), rel=1e-12)
    assert found.method == "MOVER-Wilson"
    assert found.standard_error == pytest.approx(influence(find("f2"), rows(fn=0)).standard_error, rel=1e-10)


def test_the_slopes_by_margins_are_those_by_cells():
    """Metrics of margins have the same slopes both ways, with empty cells and uneven classes."""
    rng = np.random.default_rng(5)
    table = rng.integers(0, 4, (7, 7)) + np.diag(rng.integers(3, 30, 7))
    table[-2:], table[:, -2:] = table[[-2]], table[:, [-2]]
    table[-2:, -2:] = np.diag([9, 9])
    known = 0
    for metric in catalogue():
        if metric.reads.__name__ not in ("Classes", "Ordered"):
            continue
        expected = None
        for symmetric in (False, metric.reads is Classes):  # the last two classes have the same totals
            counts = Classes(table).against_rest()
            slopes = margin_gradient(metric.formula, counts, np.nonzero(table), symmetric=symmetric)
            if slopes is not None:
                known += 1
                expected = metric_gradient(metric, table)[table > 0] if expected is None else expected
                assert slopes == pytest.approx(expected, rel=1e-10, abs=1e-15), metric.name
    assert known >= 24


def test_many_classes_are_quick_and_the_same():
    """A table too large to move cell by cell has the intervals of its margins."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 90, 9000)
    p = np.where(rng.random(9000) < 0.8, y, rng.integers(0, 90, 9000))
    tally = assay.Confusion.of(assay.rows(actual=y, predicted=p))
    found = assay.estimate("kappa", tally)
    assert found.method == "MOVER on accuracy"
    assert found.standard_error == pytest.approx(0.0043, abs=0.0005)


def test_a_kappa_by_distance_has_students_quantile_where_a_few_far_errors_are_most_of_it():
    """Eight near and two far errors of 100: the limits from Wilson's of accuracy, and from the rest by t.

    The degrees of freedom are those of the rows' parts in the variance, each part a numerical derivative.
    """
    table = np.diag([18.0] * 5)
    table[[0, 1, 2, 3, 1, 2, 3, 4], [1, 2, 3, 4, 0, 1, 2, 3]] = 1
    table[0, 4] = table[4, 0] = 1

    def kappa(counts):
        distance = np.square(np.subtract.outer(np.arange(5), np.arange(5)))
        chance = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
        return 1 - (distance * counts).sum() / (distance * chance).sum()

    def moved(i, j):
        one = np.zeros((5, 5))
        one[i, j] = 1e-6
        return (kappa(table + one) - kappa(table - one)) / 2e-6

    slopes = np.array([[moved(i, j) for j in range(5)] for i in range(5)])
    squares, fourths = float((table * slopes**2).sum()), float((table * slopes**4).sum())
    freedom = 2 / (fourths / squares**2 - 1 / 100)
    correct, wrong = np.diag(np.diag(table)) / 90, (table - np.diag(np.diag(table))) / 10
    low, high, less, more = (
        kappa(share * correct + (1 - share) * wrong)
        for share in (*modified_wilson(90, 100, 0.95), 0.9 - 1e-6, 0.9 + 1e-6)
    )
    own = ((more - less) / 2e-6) ** 2 * 0.9 * 0.1 / 100
    rest = student_quantile(0.95, freedom) * math.sqrt(squares - own)
    value = kappa(table)
    expected = value - math.hypot(value - low, rest), min(value + math.hypot(high - value, rest), 1)
    tally = assay.Confusion.of_table(table.astype(int), range(5))
    found = assay.estimate("quadratic_weighted_kappa", tally)
    assert freedom < 12
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["mutual_information", "uncertainty_coefficient"])
def test_shared_information_is_corrected_for_chance_with_weights_and_groups_too(name):
    """Weights that differ by a millionth, and groups of one row, leave the limits of plain rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 100)
    columns = {"actual": y, "predicted": np.where(rng.random(100) < 0.9, y, rng.integers(0, 5, 100))}
    plain = assay.estimate(name, assay.rows(**columns))
    weighted = assay.estimate(name, assay.rows(**columns, weight=1 + 1e-6 * (np.arange(100) % 2)))
    grouped = assay.estimate(name, assay.rows(**columns, group=np.arange(100)))
    assert plain.low < assay.estimate(name, assay.rows(**columns), method="delta").low - 0.05
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), rel=1e-5)
    assert (grouped.low, grouped.high) == pytest.approx((plain.low, plain.high), rel=0.02)
    assert grouped.method == weighted.method == plain.method
    # Copies of rows in a group of their own add nothing.
    copies = {key: np.repeat(column, 3) for key, column in columns.items()}
    copied = assay.estimate(name, assay.rows(**copies, group=np.repeat(np.arange(100), 3)))
    assert (copied.low, copied.high) == pytest.approx((grouped.low, grouped.high), abs=0.03)


def test_shared_information_near_none_has_limits_from_0_without_a_jump():
    """From more to less than chance adds: the lower limit falls to 0, the upper one stays below log 2."""
    lows, highs = [], []
    for hits in range(38, 24, -1):
        table = np.array([[hits, 50 - hits], [50 - hits, hits]])
        found = assay.estimate("mutual_information", assay.Confusion.of_table(table, [0, 1]))
        if found.low is not None:
            lows.append(found.low)
            highs.append(found.high)
    assert len(lows) > 10
    assert lows == sorted(lows, reverse=True)
    assert lows[-1] == 0
    assert max(np.abs(np.diff(highs))) < 0.03
    assert highs[-1] < highs[0]
    few = assay.estimate("mutual_information", assay.Confusion.of_table(np.array([[36, 2], [1, 1]]), [0, 1]))
    assert few.high <= math.log(2)


def test_asking_for_a_method_that_does_not_fit():
    """A proportion's method for what is none, and a name that does not exist, are refused in words."""
    with pytest.raises(assay.MetricError, match="is for proportions"):
        assay.estimate("mcc", rows(), method="wilson")
    with pytest.raises(assay.MetricError, match="is not known"):
        assay.estimate("mcc", rows(), method="wishful")
    with pytest.raises(assay.MetricError, match="share between 0 and 1"):
        assay.estimate("mcc", rows(), confidence=95)
    with pytest.raises(assay.MetricError, match="takes no"):
        assay.estimate("mcc", rows(), beta=2)


def test_a_tally_answers_as_its_rows_do():
    """Rows and their tally give one estimate."""
    for name in ("recall", "f1", "mcc", "balanced_accuracy", "f2"):
        assert assay.estimate(name, rows()) == assay.estimate(name, assay.Confusion.of(rows()))


@pytest.mark.parametrize("name", ["recall", "balanced_accuracy", "f1", "mcc", "positive_likelihood_ratio"])
def test_a_tally_of_equal_weights_is_one_without(name):
    """Its sums tell: every row has the same weight, so that the plain method answers."""
    plain = assay.Confusion.of(rows())
    even = assay.Confusion.of(rows(weight=[2.0] * 130))
    assert assay.estimate(name, even) == assay.estimate(name, plain)
    uneven = assay.Confusion.of(rows(weight=[3.0] + [2.0] * 129))
    assert assay.estimate(name, uneven).low != assay.estimate(name, plain).low


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_precision_of_many_classes_is_covered(average):
    """Fifty classes, of which many have few rows: the plain variance covered 0.89 (macro) and 0.87 (weighted)."""
    shares = 1 / np.arange(1, 51)
    shares /= shares.sum()
    others = np.tile(shares, (50, 1)) * (1 - np.eye(50))
    table = shares[:, None] * (0.7 * np.eye(50) + 0.3 * others / others.sum(axis=1, keepdims=True))
    precision = np.diag(table) / table.sum(axis=0)
    truth = precision.mean() if average == "macro" else precision @ shares
    rng, held = np.random.default_rng(1), []
    while len(held) < 200:
        actual, predicted = np.divmod(np.repeat(np.arange(2500), rng.multinomial(1000, table.ravel())), 50)
        found = assay.estimate("precision", assay.rows(actual=actual, predicted=predicted), average=average)
        if found.low is not None and len(set(actual)) == 50:
            held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.92
