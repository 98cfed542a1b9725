"""The influence on figures of ranks: numeric slopes, laws, and the check values."""

import math

import numpy as np
import pytest
from support.numeric_influence import nudged
from support.r_figures import D15_POSITIVE, D15_SCORE, check_values

import assay
from assay.inference.formulas.average_precision import average_precision_influence
from assay.inference.formulas.delong import auc_influence
from assay.inference.influence.influence import influence
from assay.inference.influence.ranking_derivatives import SLOPES
from assay.metrics import catalogue, find

SMOOTH = [
    ("auc", {}),
    ("gini", {}),
    ("partial_auc", {"false_positive_rate": (0.123, 0.567)}),
    ("partial_auc", {"false_positive_rate": (0, 0.3141), "corrected": True}),
    ("partial_auc", {"sensitivity": (0.4321, 1.0)}),
    ("partial_auc", {"sensitivity": (0.123, 0.567), "corrected": True}),
    ("ks", {}),
    ("max_informedness", {}),
    ("max_f1", {}),
    ("convex_hull_auc", {}),
    ("h_measure", {}),
    ("h_measure", {"prior": (2, 2)}),
    ("average_precision", {}),
    ("pr_auc_trapezoid", {}),
    ("tie_expected_average_precision", {}),
    ("pr_auc_integral", {}),
]
BY_RANK = [
    ("gain_at", {"share": 0.313}),
    ("lift_at", {"share": 0.313}),
    ("precision_at_share", {"share": 0.313}),
    ("break_even", {}),
    ("equal_error_rate", {}),
]


def columns(seed, levels=None, n=40):
    """Labels, scores (tied where there are few levels) and weights."""
    rng = np.random.default_rng(seed)
    actual = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    score = actual * 0.9 + rng.normal(size=n)
    if levels:
        score = np.floor(np.clip(score, -1.9, 2.9) * levels / 4.8)
    return actual, score, rng.uniform(0.5, 2, n)


def of_weights(metric, actual, score, options):
    """The value as a function of the weights."""
    return lambda weight: metric(
        assay.Scores.of(assay.rows(actual=actual, score=score, weight=weight)), **options
    )


def test_every_figure_of_ranks_has_slopes():
    """A new one must be given its own."""
    assert set(SLOPES) == {metric.name for metric in catalogue() if metric.reads.__name__ == "Ranks"}


@pytest.mark.parametrize(("name", "options"), SMOOTH)
@pytest.mark.parametrize("levels", [None, 12, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_slopes_are_those_by_weight(name, options, levels, seed):
    """By numeric differences, with ties and without; rows and entries agree; they add up to nothing."""
    metric = find(name)
    actual, score, weight = columns(seed, levels)
    rows = assay.rows(actual=actual, score=score, weight=weight)
    found = influence(metric, rows, **options)
    assert found.value == metric(rows, **options)
    expected = nudged(of_weights(metric, actual, score, options), weight)
    np.testing.assert_allclose(found.slopes, expected, rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-14
    entries = influence(metric, assay.Scores.of(rows), **options)
    assert entries.variance == pytest.approx(found.variance, rel=1e-12)
    assert entries.acceleration == pytest.approx(found.acceleration, rel=1e-10)
    assert entries.effective_sample_size == pytest.approx(found.effective_sample_size, rel=1e-12)
    assert entries.parts.sum() == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize(("name", "options"), BY_RANK)
@pytest.mark.parametrize("seed", [1, 2])
def test_slopes_at_a_rank_are_those_by_weight_where_many_rows_are_tied(name, options, seed):
    """With so many rows at the cutoff that they say themselves who is near it."""
    metric = find(name)
    actual, score, weight = columns(seed, 2, 60)
    rows = assay.rows(actual=actual, score=score, weight=weight)
    found = influence(metric, rows, **options)
    expected = nudged(of_weights(metric, actual, score, options), weight)
    np.testing.assert_allclose(found.slopes, expected, rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-14


@pytest.mark.parametrize(("name", "options"), BY_RANK)
def test_the_error_at_a_rank_is_that_of_repeated_samples(name, options):
    """Without ties, too, where the slope at a single row would say nothing."""
    metric, rng = find(name), np.random.default_rng(5)
    values, errors = [], []
    for _ in range(400):
        actual = (rng.uniform(size=400) < 0.3).astype(int)
        score = actual * 1.2 + rng.normal(size=400)
        found = influence(metric, assay.Scores.of(assay.rows(actual=actual, score=score)), **options)
        values.append(found.value)
        errors.append(found.standard_error)
        assert found.parts.sum() == pytest.approx(0, abs=1e-14)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.1)


@pytest.mark.parametrize("share", [0.02, 1.0])
def test_shares_at_the_ends_have_slopes(share):
    """Also where there is nobody on one side of the cutoff."""
    actual, score, _ = columns(3)
    rows = assay.rows(actual=actual, score=score)
    for name in ("gain_at", "lift_at", "precision_at_share"):
        found = influence(find(name), rows, share=share)
        assert abs(found.parts.sum()) < 1e-14
    if share == 1:
        assert influence(find("gain_at"), rows, share=share).variance < 1e-30


def test_tie_expected_average_precision_moves_as_its_rows_do():
    """One more row among very many of the same kinds: random orders within ties are an even pace there."""
    metric, many = find("tie_expected_average_precision"), 20_000
    positives, negatives = np.array([1, 3, 0, 4]), np.array([4, 2, 1, 1])

    def tally(p, q):
        scores = np.arange(4, dtype=np.float32)
        width = np.min_scalar_type(int(max(p.max(), q.max())))
        return assay.Scores(1, scores, None, p.astype(width), q.astype(width))

    large = tally(positives * many, negatives * many)
    slopes = influence(metric, large).slopes
    for side in (0, 1):
        for entry in range(4):
            sides = [positives * many, negatives * many]
            if not sides[side][entry]:
                continue
            step = np.zeros(4, dtype=np.int64)
            step[entry] = 100
            ends = []
            for sign in (-1, 1):
                moved = [one + sign * step if place == side else one for place, one in enumerate(sides)]
                ends.append(metric(tally(*moved)))
            assert slopes[side, entry] * 200 == pytest.approx(ends[1] - ends[0], rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("levels", [None, 6])
def test_slopes_are_those_of_the_functions_of_columns(levels):
    """DeLong's and average precision's own, which take columns."""
    actual, score, _ = columns(7, levels)
    rows = assay.rows(actual=actual, score=score)
    first, second = auc_influence(score, actual, 1 - actual)
    expected = np.where(actual == 1, first, second)
    np.testing.assert_allclose(influence(find("auc"), rows).slopes, expected, atol=1e-16)
    known = average_precision_influence(score, actual, 1 - actual)
    expected = np.where(actual == 1, known.of_positives, known.of_negatives)
    np.testing.assert_allclose(influence(find("average_precision"), rows).slopes, expected, atol=1e-16)


def test_weighted_errors_are_those_of_o20():
    """Area and its error with weights; and average precision's error of O11 without."""
    inputs, expected = check_values(20)
    rows = assay.rows(actual=D15_POSITIVE, score=D15_SCORE, weight=inputs["weight"])
    found = influence(find("auc"), rows)
    assert found.value == pytest.approx(expected["auc"], rel=1e-12)
    assert found.standard_error == pytest.approx(expected["ij_se"], rel=1e-12)
    _, expected = check_values(11)
    found = influence(find("average_precision"), assay.rows(actual=D15_POSITIVE, score=D15_SCORE))
    assert found.standard_error == pytest.approx(expected["ap_ij_se"], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "options"), [one for one in (*SMOOTH, *BY_RANK) if one[0] != "tie_expected_average_precision"]
)
def test_weights_are_repetitions(name, options):
    """Whole weights give the slopes of repeated rows, row by row, and no unit of weights shows in the error."""
    metric = find(name)
    actual, score, _ = columns(4, 3 if (name, options) in BY_RANK else 9)
    times = np.random.default_rng(1).integers(1, 4, len(actual))
    heavy = influence(metric, assay.rows(actual=actual, score=score, weight=times), **options)
    rows = assay.rows(actual=np.repeat(actual, times), score=np.repeat(score, times))
    repeated = influence(metric, rows, **options)
    assert heavy.value == pytest.approx(repeated.value, rel=1e-12)
    if (name, options) not in BY_RANK:  # how far to look around a cutoff depends on what rows are worth
        np.testing.assert_allclose(np.repeat(heavy.slopes, times), repeated.slopes, atol=1e-15)
    scaled = influence(metric, assay.rows(actual=actual, score=score, weight=times * 512.0), **options)
    assert scaled.variance == pytest.approx(heavy.variance, rel=1e-9)


def test_an_undefined_figure_has_no_influence():
    """Nor has an average of a tally of classes: it does not know its rows."""
    rows = assay.rows(actual=[1, 1], score=[0.2, 0.4], positive=1)
    assert influence(find("auc"), rows) is None
    scores = assay.ClassScores.of(assay.rows(actual=[0, 1, 2], score=np.eye(3), labels=[0, 1, 2]))
    assert influence(find("auc"), scores, average="macro") is None
    assert influence(find("macro_auc"), scores) is None


def class_columns(seed, n=36, size=3, levels=None):
    """Labels and a column of scores per class."""
    rng = np.random.default_rng(seed)
    actual = rng.permutation(np.arange(n) % size)
    scores = np.eye(size)[actual] + rng.normal(size=(n, size))
    if levels:
        scores = np.round(scores * levels) / levels
    return actual, scores, rng.uniform(0.5, 2, n)


CLASSES = [
    *((name, {"average": average}) for name in ("auc", "average_precision", "ks") for average in
      ("macro", "weighted", "micro")),
    ("macro_auc", {}), ("weighted_auc", {}), ("micro_auc", {}), ("hand_till_auc", {}),
    ("hand_till_auc", {"average": "weighted"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), CLASSES)
@pytest.mark.parametrize("levels", [None, 2])
def test_averages_over_classes_move_by_all_of_a_rows_scores(name, options, levels):
    """By numeric differences of every row's weight, its own class's part among them."""
    metric = find(name)
    actual, scores, weight = class_columns(2, levels=levels)

    def value(weights):
        return metric(assay.rows(actual=actual, score=scores, weight=weights, labels=[0, 1, 2]), **options)

    rows = assay.rows(actual=actual, score=scores, weight=weight, labels=[0, 1, 2])
    found = influence(metric, rows, **options)
    assert found.value == value(weight)
    np.testing.assert_allclose(found.slopes, nudged(value, weight), rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-14


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_absent_classes_are_treated_as_the_average_has_it(average):
    """Left out, or standing for a number, or leaving nothing."""
    actual, scores, weight = class_columns(2, size=4)
    kept = actual != 3
    rows = assay.rows(actual=actual[kept], score=scores[kept], weight=weight[kept], labels=[0, 1, 2, 3])
    strict = influence(find("auc"), rows, average=average)
    assert (strict is None) == (average == "macro")  # without rows it has no part in a weighted average
    for absent in ("skip", 0.5):
        found = influence(find("auc"), rows, average=average, undefined=absent)

        def value(weights, undefined=absent):
            given = assay.rows(actual=actual[kept], score=scores[kept], weight=weights, labels=[0, 1, 2, 3])
            return find("auc")(given, average=average, undefined=undefined)

        np.testing.assert_allclose(found.slopes, nudged(value, weight[kept]), rtol=0, atol=3e-9)
    skipped = influence(find("hand_till_auc"), rows, undefined="skip")
    assert skipped.value == find("hand_till_auc")(rows, undefined="skip")
    assert abs(skipped.parts.sum()) < 1e-14
    assert influence(find("hand_till_auc"), rows) is None


def test_two_classes_are_one_against_the_other():
    """The macro average of two complementary columns is the area itself, and so is its error."""
    actual, score, _ = columns(3)
    both = assay.rows(actual=actual, score=np.stack([-score, score], axis=1), labels=[0, 1])
    alone = influence(find("auc"), assay.rows(actual=actual, score=score))
    for name in ("macro_auc", "hand_till_auc", "weighted_auc"):
        found = influence(find(name), both)
        assert found.value == pytest.approx(alone.value, rel=1e-12)
        assert math.sqrt(found.variance) == pytest.approx(math.sqrt(alone.variance), rel=1e-10)
