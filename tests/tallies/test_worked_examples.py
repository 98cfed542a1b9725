"""Figures of the teaching texts and of R, read off the tallies: the sums behind them are right."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from support.generated_rows import spam_rows
from support.reference_figures import oracle

import assay


def confusion(actual, predicted, **more):
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted, **more))


def auc(tally):
    ranks = tally.concordance()
    return Fraction(ranks.concordant, 2 * ranks.positives * ranks.negatives)


def scores(actual, score, **more):
    return assay.Scores.of(assay.rows(actual=actual, score=score, **more))


def sms():
    names = {"actual": "actual_type", "predicted": "predict_type", "score": "prob_spam"}
    rows = spam_rows()
    return {role: [row[name] for row in rows] for role, name in names.items()}


def test_treasure_ships():
    """Twenty ships: the counts, and the area of hard labels taken as scores."""
    actual, predicted = [1] * 10 + [0] * 10, [1] * 9 + [0, 1, 1] + [0] * 8
    tally = confusion(actual, predicted)
    assert tally.table().tolist() == [[8, 2], [1, 9]]
    assert Fraction(tally.correct, tally.n) == Fraction(17, 20)
    hard = scores(actual, predicted)
    assert auc(hard) == Fraction(85, 100)
    assert len(hard.scores) == 2, "three points of a curve: one before, one at, one after"


def test_chest_x_rays():
    """Eight pictures: TP, FP, FN, TN are 2, 1, 2, 3."""
    tally = confusion([0, 1, 1, 1, 0, 0, 0, 1], [0, 1, 0, 1, 0, 1, 0, 0])
    assert tally.table().tolist() == [[3, 1], [2, 2]]


def test_area_of_fifteen_scores():
    """The text's fifteen scores have the area 0.83; fourteen of them are refused, both lengths named."""
    actual = [0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    score = [0.1, 0.3, 0.2, 0.6, 0.8, 0.05, 0.9, 0.5, 0.3, 0.66, 0.3, 0.2, 0.85, 0.15, 0.99]
    assert auc(scores(actual, score)) == Fraction(83, 100)
    with pytest.raises(assay.LengthError, match="actual has 15 values, score has 14"):
        scores(actual, score[:-1])


def test_three_classes_and_ordered_ratings():
    """Counts of the two multi-class examples."""
    tally = confusion([0, 1, 2, 0, 1, 2, 0, 2, 2], [0, 2, 1, 0, 2, 1, 0, 0, 2])
    assert tally.table().tolist() == [[3, 0, 0], [0, 0, 2], [1, 2, 1]]
    ratings = confusion([1, 2, 3] * 3, [2, 1, 3, 1, 2, 3, 3, 1, 2])
    assert Fraction(ratings.correct, ratings.n) == Fraction(4, 9)


LISTS = {
    "actual": [[1, 2, 3], [0, 2], [1], [2, 3], [1, 0], []],
    "predicted": [[0, 1, 2], [1], [0, 2, 3], [2, 3, 4, 0], [0, 1, 2], [0]],
}


def test_top_k_lists_under_the_teaching_convention():
    """MAP@1 to MAP@4 of six lists, where AP@k is the mean of P@1 to P@k."""
    tally = assay.Queries.of_lists(**LISTS)
    found = [tally.at(k).precision_mean_sum.sum() / k / 6 for k in (1, 2, 3, 4)]
    assert found == pytest.approx([1 / 3, 0.375, 13 / 36, 0.3472222222222222], abs=1e-12)
    named = assay.Queries.of_lists(**LISTS, query=range(6))
    assert named.at(3).precision_mean_sum / 3 == pytest.approx([7 / 18, 0, 0, 8 / 9, 8 / 9, 0])


def test_average_precision_at_k_has_four_denominators():
    """Hits at ranks 2 and 3 of 3, four relevant: the sum of precisions is 7/6 before anybody divides."""
    tally = assay.Queries.of_lists(actual=[[1, 2, 3, 4]], predicted=[[9, 1, 2]])
    total = tally.at(3).precision_sum[0]
    assert total == pytest.approx(7 / 6)
    assert total / tally.relevant[0] == pytest.approx(0.2916666666666667)
    assert total / min(3, tally.relevant[0]) == pytest.approx(0.3888888888888889)
    assert total / tally.at(3).hits[0] == pytest.approx(0.5833333333333334)


def test_regression_of_five_rows():
    """MAE 0.008 and RMSE 0.00894427190999915, from exact sums rounded once."""
    rows = assay.rows(actual=[0.1, 0.2, 0.3, 0.4, 0.5], predicted=[0.11, 0.19, 0.29, 0.41, 0.5])
    tally = assay.Moments.of(rows)
    assert float(tally.absolute_error) / 5 == pytest.approx(0.008, rel=1e-15)
    assert math.sqrt(float(tally.squared_error) / 5) == pytest.approx(0.00894427190999915, rel=1e-15)


def test_sms_spam_filter():
    """1,390 messages: the four counts, and the area of the scores as R has it."""
    data = sms()
    rows = assay.rows(data, actual="actual", predicted="predicted", score="score", positive="spam")
    tally = assay.Confusion.of(rows)
    assert tally.labels == ("ham", "spam")
    assert tally.table().tolist() == [[1202, 5], [29, 154]]
    assert tally.actual_totals.tolist() == [1207, 183]
    assert tally.predicted_totals.tolist() == [1231, 159]
    assert float(auc(assay.Scores.of(rows))) == pytest.approx(
        oracle("sms_proc")["prob_spam"]["auc"], rel=1e-12
    )
    low, high = assay.Scores.of(rows).binned(20).auc_bounds()
    assert low <= auc(assay.Scores.of(rows)) <= high


def delong_variance(tally):
    """Return DeLong's variance from the integer sums of a tally."""
    ranks = tally.concordance()
    m, n = ranks.positives, ranks.negatives
    first = Fraction(ranks.positive_squares, 4 * n * n) - m * auc(tally) ** 2
    second = Fraction(ranks.negative_squares, 4 * m * m) - n * auc(tally) ** 2
    return first / (m * (m - 1)) + second / (n * (n - 1))


def test_delong_variance_as_pROC_has_it():  # noqa: N802 - that is its name
    """The variance of the area, from exact integers, equals R's on the spam filter's scores and on tied ones."""
    expected = oracle("sms_proc")
    data = sms()
    spam = scores(data["actual"], data["score"], positive="spam")
    assert float(delong_variance(spam)) == pytest.approx(expected["prob_spam"]["var_delong"], rel=1e-10)
    toy = expected["toy"]
    tied = scores([int(label) for label in toy["y"]], toy["score"])
    assert float(auc(tied)) == pytest.approx(toy["auc"], rel=1e-14)
    assert float(delong_variance(tied)) == pytest.approx(toy["var_delong"], rel=1e-12)


def test_fifteen_tied_scores():
    """AUC 87/112 and its variance on the check data with ties; KS by hand."""
    actual = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
    score = [0.95, 0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.55, 0.5, 0.45, 0.4, 0.3, 0.3, 0.2, 0.1]
    tally = scores(actual, score)
    assert auc(tally) == Fraction(87, 112)
    assert float(delong_variance(tally)) == pytest.approx(0.0161147048105, rel=1e-10)
    ranks = tally.concordance()
    gaps = [
        abs(Fraction(sum(a for a, s in zip(actual, score, strict=True) if s <= t), 7)
            - Fraction(sum(1 - a for a, s in zip(actual, score, strict=True) if s <= t), 8))
        for t in sorted(set(score))
    ]  # fmt: skip
    assert Fraction(ranks.widest, 7 * 8) == max(gaps)
    assert ranks.widest_at == gaps.index(max(gaps))


def test_threshold_sweep_of_ten_points():
    """Raising the threshold past one point at a time gives the text's pairs of TP and TN; AUC 18/25."""
    labels = [0, 1, 0, 0, 1, 0, 1, 0, 1, 1]
    tally = scores(labels, np.arange(10) / 10)
    below = np.cumsum(tally.negatives), np.cumsum(tally.positives)
    pairs = [(5, 0), *((5 - int(p), int(q)) for q, p in zip(*below, strict=True))]
    assert pairs == [(5, 0), (5, 1), (4, 1), (4, 2), (4, 3), (3, 3), (3, 4), (2, 4), (2, 5), (1, 5), (0, 5)]
    assert auc(tally) == Fraction(18, 25)


def test_from_scratch_tutorial():
    """The tutorial's ten rows, rows actual."""
    tally = confusion([0] * 5 + [1] * 5, [0, 1, 1, 0, 0, 1, 0, 1, 1, 1])
    assert tally.table().tolist() == [[3, 2], [1, 4]]


def test_weighted_counts_keep_their_sums():
    """Ten weighted rows: the exact sums of weight and weight squared per cell (check value O8)."""
    rows = [(1, 1, 2.0), (1, 0, 0.5), (0, 0, 1.0), (0, 1, 1.5), (1, 1, 1.0), (0, 0, 3.0),
            (1, 1, 0.25), (0, 0, 0.75), (1, 0, 1.25), (0, 1, 0.4)]  # fmt: skip
    actual, predicted, weight = map(list, zip(*rows, strict=True))
    tally = confusion(actual, predicted, weight=weight)
    assert tally.table(tally.weight()).tolist() == [[4.75, 1.9], [1.75, 3.25]]
    right, total = tally.weight()[[0, 3]].sum(), tally.weight().sum()
    assert right / total == pytest.approx(0.68669527897, rel=1e-10)
    assert total**2 / tally.weight(2).sum() == pytest.approx(6.83826678423, rel=1e-10)
    cubes = sum(Fraction(w) ** 3 for a, p, w in rows if (a, p) == (1, 1))
    assert tally.weight(3)[3] == float(cubes)


def test_whole_weights_are_counts():
    """Integer weights stay exact counts: a weight of 2**60 beside 1 loses nothing."""
    tally = confusion([0, 0], [0, 0], weight=[2.0**60, 1.0])
    exponent, units = tally.weights[0]
    assert (exponent, units.tolist()) == (0, [2**60 + 1])


@pytest.mark.parametrize("bits", [12, 16, 18, 20, 22])
def test_certified_bounds_hold_the_exact_figures(bits):
    """On five shapes of scores the bins' bounds contain the exact area and the exact average precision."""
    rng = np.random.default_rng(bits)
    n = 20_000
    label = rng.integers(0, 2, n)
    shapes = {
        "sigmoid": 1 / (1 + np.exp(-(rng.normal(size=n) + label))),
        "piled up": rng.beta(0.1, 0.1, n),
        "logits": rng.normal(size=n) * 5 + label,
        "decimals": (rng.random(n) + 0.2 * label).round(2),
        "tiny": rng.random(n) * 1e-12 * (1 + label),
    }
    for name, score in shapes.items():
        exact = scores(label, score)
        binned = assay.BinnedScores.of(assay.rows(actual=label, score=score), bits)
        assert binned == exact.binned(bits)
        low, high = binned.auc_bounds()
        assert low <= auc(exact) <= high, name
        p, q = exact.positives[::-1].astype(float), exact.negatives[::-1].astype(float)
        found = np.cumsum(p)
        average = math.fsum(p / p.sum() * found / (found + np.cumsum(q)))
        low, high = binned.average_precision_bounds()
        assert low <= average <= high, name


def test_bounds_nest_as_bits_grow():
    """More bits never widen the certified interval."""
    rng = np.random.default_rng(0)
    exact = scores(rng.integers(0, 2, 5000), rng.random(5000))
    widths = [np.diff(exact.binned(bits).auc_bounds())[0] for bits in range(12, 23)]
    assert widths == sorted(widths, reverse=True)
    assert exact.binned(12).average_precision_bounds()[1] <= 1


def test_bounds_of_a_single_class_are_not_numbers():
    """Without positives or without negatives there is nothing to bound."""
    assert all(map(math.isnan, scores([0, 0], [0.1, 0.2]).binned().auc_bounds()))
    assert all(map(math.isnan, scores([0, 0], [0.1, 0.2]).binned().average_precision_bounds()))


def test_a_cell_of_one_float_is_a_tie_for_certain():
    """Scores that are exactly 0 and 1 are bounded exactly: hard labels lose nothing to bins."""
    label, hard = [0, 1, 1, 0, 1, 0], [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    exact = auc(scores(label, hard))
    low, high = scores(label, hard).binned().auc_bounds()
    assert low <= exact <= high <= math.nextafter(low, 1)
    low, high = scores(label, hard).binned().average_precision_bounds()
    assert high - low < 1e-13


def test_weighted_bounds_hold_the_weighted_figures():
    """Weighted areas and average precisions lie in the bins' bounds; binning before or after is the same."""
    rng = np.random.default_rng(1)
    label, score, weight = rng.integers(0, 2, 3000), rng.random(3000), rng.gamma(1.0, size=3000)
    rows = assay.rows(actual=label, score=score, weight=weight)
    for bits in (12, 18):
        binned = assay.BinnedScores.of(rows, bits)
        assert binned == assay.Scores.of(rows).binned(bits)
        low, high = binned.auc_bounds()
        assert low <= roc_auc_score(label, score, sample_weight=weight) <= high
        low, high = binned.average_precision_bounds()
        assert low <= average_precision_score(label, score, sample_weight=weight) <= high
        assert high - low < (0.02 if bits == 12 else 0.001)


@pytest.mark.parametrize("options", [{}, {"weight": [0.5, 1.0, 2.0, 0.25, 3.0]}, {"labels": [3, 2, 1, 0]}])
def test_either_model_is_found_in_the_joint_tally(options):
    """The joint counts of two models hold either one's own, with the labels that it has."""
    actual = [0, 1, 2, 1, 0]
    both = [assay.rows(actual=actual, predicted=p, **options) for p in ([0, 1, 3, 1, 1], [2, 1, 2, 0, 0])]
    joint = assay.PairedLabels.of(*both)
    for which, one in enumerate(both):
        assert joint.of_model(which) == assay.Confusion.of(one)


def test_a_table_of_counts_is_the_tally_of_its_rows():
    """In whichever order its labels stand; declared, they keep it."""
    counts = [[2, 0, 1], [4, 3, 0], [0, 1, 5]]
    labels = ["owl", "cat", "dog"]
    pairs = [(labels[i], labels[j]) for i in range(3) for j in range(3) for _ in range(counts[i][j])]
    actual, predicted = zip(*pairs, strict=True)
    for more in ({}, {"labels": labels}):
        rows = assay.rows(actual=list(actual), predicted=list(predicted), **more)
        assert assay.Confusion.of_table(counts, labels, declared=bool(more)) == assay.Confusion.of(rows)
