"""The result: what it says, how it prints, what it refuses, and intervals on rows it was not chosen on."""

import dataclasses
import inspect
import json
import math

import numpy as np
import pytest
import scipy.stats

import assay
from assay.decisions import choose_threshold, evaluate_threshold
from assay.decisions.criteria import parse_criterion
from assay.decisions.criterion_options import CriterionOptions
from assay.formatting.numbers import format_threshold
from assay.inference.formulas.mover import informedness_interval, mean_recall_interval
from assay.metrics import Binary, Classes, Undefined, catalogue, find

ACTUAL = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
SCORE = [0.95, 0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.55, 0.5, 0.45, 0.4, 0.3, 0.3, 0.2, 0.1]
ROWS = assay.rows(actual=ACTUAL, score=SCORE)


def modified_wilson(x, n):
    """Wilson's limits for x of n as they are printed, moved out to the exact one-sided ones of 95%."""
    z, p = scipy.stats.norm.ppf(0.975), x / n
    middle, half = p + z**2 / (2 * n), z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = ((middle + side * half) / (1 + z**2 / n) for side in (-1, 1))
    exact_low = scipy.stats.beta.ppf(0.05, x, n - x + 1) if x else 0.0
    exact_high = scipy.stats.beta.ppf(0.95, x + 1, n - x) if x < n else 1.0
    return min(low, exact_low), max(high, exact_high)


def mcc_by_rates(tp, fp, fn, tn):
    """MCC's limits: each rate of the table goes to its limits alone, and the changes add up in squares."""
    n = tp + fp + fn + tn
    rates = [(tp + fp, n), (tp, tp + fp), (fn, fn + tn)]

    def mcc(flagged, precision, omission):
        a, b = flagged * precision, flagged * (1 - precision)
        c, d = (1 - flagged) * omission, (1 - flagged) * (1 - omission)
        return (a * d - b * c) / math.sqrt((a + b) * (a + c) * (b + d) * (c + d))

    centre = [x / size for x, size in rates]
    value, squares = mcc(*centre), [0.0, 0.0]
    for index, rate in enumerate(rates):
        ends = [mcc(*(*centre[:index], limit, *centre[index + 1 :])) for limit in modified_wilson(*rate)]
        squares[0] += min(0.0, *(end - value for end in ends)) ** 2
        squares[1] += max(0.0, *(end - value for end in ends)) ** 2
    return max(value - math.sqrt(squares[0]), -1.0), min(value + math.sqrt(squares[1]), 1.0)


def test_a_cost_optimal_threshold_prints_beside_one_half():
    """The table has both thresholds, their errors and what they cost."""
    assert str(choose_threshold(ROWS, cost_fp=1, cost_fn=4)).splitlines() == [
        " cost-optimal threshold 0.3 (a false positive costs 1, a false negative 4)",
        "                       at 0.5   at 0.3",
        " false positives            4        6",
        " false negatives            2        0",
        " cost per 1,000 rows      800      400",
        " Chosen and evaluated on the same rows, so that it looks better than it will be:",
        " folds=10 or replicates=200 estimates by how much.",
        " For calibrated probabilities the costs alone imply 0.2.",
    ]


def test_a_demand_prints_with_what_it_costs():
    """What is demanded stands last, what is paid for it above."""
    text = str(choose_threshold(ROWS, min_recall=0.5, confidence=0.8, folds=3, replicates=30))
    assert "recall of at least 0.5 at 80% confidence" in " ".join(text.split())
    for words in (
        "precision",
        "one-sided Clopper-Pearson limit of recall is",
        "Cross-fitted over 3 folds: recall",
    ):
        assert words in " ".join(text.split())


@pytest.mark.parametrize(
    "criterion",
    [
        {"best": "f1"},
        {"best": "closest_corner"},
        {"best": "f_beta", "beta": 0.5},
        {"cost_fp": 1, "cost_fn": 12345.678},
        {"cost_fp": list(range(15)), "cost_fn": 1e6},
        {"min_precision": 0.4},
        {"min_specificity": 0.5, "confidence": 0.9, "method": "wilson"},
        {"max_positive_rate": 0.2},
        {"equal_error": True},
        {"cost_fp": 1, "cost_fn": 3, "cost_tp": 0.5, "cost_tn": 0.25, "prevalence": 0.031},
    ],
    ids=str,
)
def test_everything_fits_80_columns_and_json(criterion):
    """Long words are wrapped, and plain data holds what is printed."""
    found = choose_threshold(ROWS, **criterion, folds=3, replicates=50, seed=1)
    assert max(map(len, str(found).splitlines())) <= 80
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["threshold"] == found.threshold
    assert data["counts"]["tp"] == found.counts.tp
    assert data["threshold_source"] == "same-data"
    assert len(data["cross_fit"]["thresholds"]) == 3
    assert data["cross_fit"]["threshold_source"] == "cross-fit"
    assert data["optimism"]["corrected"] == found.optimism.corrected
    assert repr(found).startswith(f"<{found.title} {format_threshold(found.threshold)}: ")


def test_infinity_and_what_is_undefined_there():
    """Where nothing is predicted positive, precision has no value, and JSON says so with null."""
    rows = assay.rows(actual=[0, 0, 0, 1], score=[5, 4, 3, -2])
    found = choose_threshold(rows, capacity=0, baseline=3.5)
    assert found.threshold == math.inf
    assert found.to_dict()["threshold"] == "Infinity"
    assert found.to_dict()["precision"] is None
    assert "threshold infinity" in str(found)
    assert "undefined" in str(found)
    undefined = evaluate_threshold(rows, math.inf, best="precision")
    assert not undefined.estimate.defined
    assert math.isnan(undefined.value)


def test_large_counts_are_printed_in_full():
    """Millions of rows are counted to the last one."""
    tally = assay.Scores.of(assay.rows(actual=[0, 1], score=[0.2, 0.7]))
    many = np.array([0, 12_345_678], dtype=np.uint32)
    large = dataclasses.replace(tally, positives=many, negatives=many[::-1])
    text = str(choose_threshold(large, capacity=12_400_000, baseline=0.1))
    assert "no more than 12,400,000" in " ".join(text.split())
    assert "12,345,678" in text
    assert "e+" not in text


def test_another_threshold_to_hold_it_against():
    """0.5 where scores are probabilities, none where they are not, and any that is asked for."""
    assert choose_threshold(ROWS, best="f1").baseline.threshold == 0.5
    scores = assay.rows(actual=ACTUAL, score=[10 * s for s in SCORE])
    assert choose_threshold(scores, best="f1").baseline is None
    assert choose_threshold(scores, best="f1", baseline=5).baseline.threshold == 5
    near = choose_threshold(ROWS, best="f1", baseline=0.60000000001)
    assert "at 0.60000000001" in str(near)
    assert near.baseline.counts.tp == 4


def test_chosen_on_some_rows_and_judged_on_others():
    """Only then is there an interval; the threshold stays and the criterion goes along."""
    chosen = choose_threshold(ROWS, best="f1")
    assert chosen.estimate.low is None
    assert "same rows" in chosen.estimate.note
    test = assay.rows(actual=[1, 0, 1, 1, 0, 0], score=[0.7, 0.65, 0.6, 0.2, 0.1, 0.3])
    judged = chosen.on(test)
    assert (judged.threshold, judged.threshold_source, judged.criterion) == (
        0.6,
        "validation",
        chosen.criterion,
    )
    assert (judged.counts.tp, judged.counts.fp, judged.counts.fn) == (2, 1, 1)
    limits = [2 * limit / (1 + limit) for limit in modified_wilson(2, 4)]  # of Jaccard, two of four rows
    assert (judged.estimate.low, judged.estimate.high) == pytest.approx(limits, rel=1e-12)
    assert chosen.on(test, confidence=0.8).estimate.low > judged.estimate.low
    paid = choose_threshold(ROWS, cost_fp=1, cost_fn=[3] * 15)
    assert paid.on(test, cost_fn=[1, 1, 1, 9, 1, 1]).value == 11 / 6


def test_intervals_by_the_method_of_the_measure():
    """Each measure has the interval that suits it, or none."""
    table = (5, 2, 2, 6)  # at 0.6
    cases = {
        "recall": modified_wilson(5, 7),
        "precision": modified_wilson(5, 7),
        "specificity": modified_wilson(6, 8),
        "accuracy": modified_wilson(11, 15),
        "youden": informedness_interval(*table, method="jeffreys"),
        "balanced_accuracy": mean_recall_interval((5, 6), (7, 8), method="jeffreys"),
    }
    for name, limits in cases.items():
        found = evaluate_threshold(ROWS, 0.6, best=name)
        assert (found.counts.tp, found.counts.fp, found.counts.fn, found.counts.tn) == table
        assert (found.estimate.low, found.estimate.high) == pytest.approx(limits, rel=1e-12)
    mcc = evaluate_threshold(ROWS, 0.6, best="mcc").estimate
    assert (mcc.low, mcc.high) == pytest.approx(mcc_by_rates(*table), rel=1e-12)
    assert mcc.method == "MOVER-Wilson"
    assert evaluate_threshold(ROWS, 0.6, best="closest_corner").estimate.low is None
    shifted = evaluate_threshold(ROWS, 0.6, cost_fp=1, cost_fn=4, prevalence=0.2).estimate
    assert shifted.low < shifted.value < shifted.high
    weighted = assay.rows(actual=ACTUAL, score=SCORE, weight=[2.0] * 15)
    assert evaluate_threshold(weighted, 0.6, best="mcc").estimate.low == pytest.approx(mcc.low)


def test_a_threshold_has_the_intervals_of_its_predictions():
    """What is judged at a threshold is what an evaluation of the cut scores says: one table of methods."""
    cut = assay.rows(actual=ACTUAL, predicted=[int(one >= 0.6) for one in SCORE])
    for name in ("recall", "f1", "f2", "informedness", "balanced_accuracy", "mcc", "kappa", "g_mean", "lift"):
        assert evaluate_threshold(ROWS, 0.6, best=name).estimate == assay.estimate(name, cut), name


@pytest.mark.parametrize("weight", [[2.0] * 15, [1.0, 2.5, 0.5] * 5], ids=["equal", "unequal"])
def test_weighted_rows_have_the_intervals_of_their_predictions(weight):
    """At a threshold, and cross-fitted; weights that are all the same change nothing."""
    rows = assay.rows(actual=ACTUAL, score=SCORE, weight=weight)
    cut = assay.rows(actual=ACTUAL, predicted=[int(one >= 0.6) for one in SCORE], weight=weight)
    for name in ("recall", "f1", "f2", "informedness", "balanced_accuracy", "mcc", "kappa", "g_mean"):
        judged, expected = evaluate_threshold(rows, 0.6, best=name).estimate, assay.estimate(name, cut)
        assert limits_of(judged) == pytest.approx(limits_of(expected), rel=1e-12), name
        fitted = choose_threshold(rows, best=name, folds=3).cross_fit.estimate
        assert fitted.low <= fitted.value <= fitted.high
        if len(set(weight)) == 1:
            plain = choose_threshold(ROWS, best=name, folds=3).cross_fit.estimate
            assert limits_of(fitted) == pytest.approx(limits_of(plain), rel=1e-12), name


def limits_of(estimate):
    """The value and its limits."""
    return estimate.value, estimate.low, estimate.high


def test_scores_of_infinity_are_above_every_threshold():
    """Where rows score infinity, a threshold of infinity still finds them, and that is what is counted."""
    rows = assay.rows(actual=[0, 0, 1, 0], score=[math.inf, 1, 0.5, -math.inf])
    found = choose_threshold(rows, cost_fp=1, cost_fn=1)
    assert (found.threshold, found.counts.fp, found.ties) == (math.inf, 1, 2)
    assert evaluate_threshold(rows, -math.inf, best="recall").counts.fp == 3
    for room in ({"capacity": 0}, {"max_positive_rate": 0.2}):
        with pytest.raises(assay.MetricError, match="1 of 4 score infinity"):
            choose_threshold(rows, **room)


def test_all_right_is_not_certain():
    """Where no row is wrong a cost shows no spread, and the limit of MCC is that of its rates."""
    rows = assay.rows(actual=[0, 0, 1, 1], score=[0.1, 0.2, 0.8, 0.9])
    cost = evaluate_threshold(rows, 0.5, cost_fp=1, cost_fn=1).estimate
    assert cost.low is None
    assert cost.note
    found = evaluate_threshold(rows, 0.5, best="mcc").estimate
    assert found.value == found.high == 1.0
    assert (found.low, found.high) == pytest.approx(mcc_by_rates(2, 0, 0, 2), rel=1e-12)
    assert found.low < 0.1


BAD = [
    ({}, "say what the threshold is for"),
    ({"min_recall": 0.9, "beta": 2}, "beta= is an option of best="),
    ({"best": ("f_beta", {"beta": 2}), "beta": 3}, "best= has beta=2 and beside it is beta=3"),
    ({"best": "macro accuracy"}, "accuracy reads all classes at once, so it has no average"),
    ({"min_recall": 0.9, "best": "f1"}, "min_recall= and best= are 2 criteria"),
    ({"cost_fp": 1, "cost_fn": 2, "capacity": 4, "max_positive_rate": 0.1}, "are 3 criteria"),
    ({"cost_fp": 1}, "cost_fn= is missing"),
    ({"cost_tp": 1}, "cost_fp= is missing"),
    ({"cost_fp": -1, "cost_fn": 1}, "State a gain not as a negative cost"),
    ({"cost_fp": math.nan, "cost_fn": 1}, "not a number from 0 on"),
    ({"cost_fp": math.inf, "cost_fn": 1}, "state costs in a larger unit"),
    ({"cost_fp": 1, "cost_fn": 1, "cost_tn": 2}, "cost_fp=1 is below cost_tn=2"),
    ({"cost_fp": 0, "cost_fn": 0}, "both errors cost nothing"),
    ({"cost_fp": 1, "cost_fn": 1, "prevalence": 1}, "prevalence=1 is a share between 0 and 1"),
    ({"cost_fp": [1] * 14, "cost_fn": 1}, "cost_fp has 14 values, but there are 15 rows"),
    ({"cost_fp": [1] * 14 + [-1], "cost_fn": 1}, r"cost_fp is -1\.0 \(row 14, counting from 0\)"),
    ({"cost_fp": [1] * 14 + [None], "cost_fn": 1}, "1 value is missing in cost_fp"),
    ({"cost_fp": [1.0] * 14 + [math.nan], "cost_fn": 1}, "1 value is missing in cost_fp"),
    ({"cost_fp": ["a"] * 15, "cost_fn": 1}, "cost_fp"),
    ({"cost_fp": [1] * 15, "cost_fn": 1, "cost_tp": 1}, "cost_tp= does not go with costs of each row"),
    (
        {"cost_fp": [1] * 15, "cost_fn": 1, "calibrated": True},
        "calibrated= does not go with costs of each row",
    ),
    ({"best": "f11"}, r'no metric "f11"\. Did you mean f1\?'),
    ({"best": "auc"}, "auc is no measure of counts"),
    ({"best": "prevalence"}, "no value of prevalence is better than another"),
    ({"best": "f1", "beta": 2}, "f1 takes no beta"),
    ({"best": "f_beta", "beta": -2}, "beta=-2 is not a number from 0 on"),
    ({"best": "closest_corner", "beta": 2}, "closest_corner takes no beta"),
    ({"best": 3}, "found by its name"),
    ({"min_recall": 0}, "min_recall=0 is not a number above 0"),
    ({"min_precision": 1.2}, "so it is at most 1"),
    ({"min_precision": 0.99, "confidence": 0.95}, "lower confidence=, or use more rows"),
    ({"min_recall": 0.99, "confidence": 0.95}, "even the best threshold's 7 of 7"),
    ({"min_recall": 0.9, "confidence": 1.5}, "confidence=1.5 is a share"),
    ({"min_recall": 0.9, "confidence": 0.4}, "above 0.5"),
    ({"min_recall": 0.9, "confidence": 0.9, "method": "wald"}, 'use "clopper-pearson" or "wilson"'),
    ({"min_recall": 0.9, "prevalence": 0.4}, "it has no use with min_recall="),
    ({"min_recall": 0.9, "calibrated": True}, "it has no use with min_recall="),
    ({"capacity": -1}, "capacity=-1"),
    ({"capacity": math.inf}, "allows all rows"),
    ({"max_positive_rate": 0.1, "method": "wilson"}, "it has no use with max_positive_rate="),
    ({"max_positive_rate": 1.5}, "a share of the rows: at most 1"),
    ({"beta": 2}, r'For that beta say best="f_beta", beta=2'),
    ({"min_recall": 95}, r"for 95% say min_recall=0\.95"),
    ({"max_positive_rate": 10}, r"for 10% say max_positive_rate=0\.1"),
    ({"cost_fp": 1, "cost_fn": 1, "prevalence": 20}, r"for 20% say prevalence=0\.2"),
    ({"equal_error": 0.1}, "equal_error=0.1 is neither True nor False"),
    ({"cost_fp": 1, "cost_fn": 1, "calibrated": "no"}, "calibrated='no' is neither True nor False"),
    ({"cost_fp": True, "cost_fn": 1}, "a cost is a number or a column of numbers"),
    ({"cost_fp": "5", "cost_fn": 1}, "cost_fp is a str where one value per row is needed"),
    ({"best": "f1", "folds": 3, "seed": -1}, "seed=-1 should be a whole number from 0"),
    ({"best": "f1", "replicates": 9, "seed": 1.5}, "seed=1.5 should be a whole number from 0"),
    ({"best": "f1", "folds": "ten"}, "folds='ten' should be a whole number of at least 2"),
    ({"best": "f1", "baseline": "half"}, "baseline='half' is not a number"),
]


@pytest.mark.parametrize(("criterion", "message"), BAD, ids=[str(one) for one, _ in BAD])
def test_what_is_refused(criterion, message):
    """Each says what is wrong and what to do."""
    with pytest.raises(assay.AssayError, match=message):
        choose_threshold(ROWS, **criterion)


def test_rows_that_no_threshold_can_be_chosen_on():
    """No rows, one class, scores that are no probabilities, weights beside costs, tallies of another kind."""
    with pytest.raises(assay.MetricError, match="there are no rows"):
        choose_threshold(assay.rows(actual=[], score=[]), best="f1")
    negatives = assay.rows(actual=[0, 0, 0], score=[0.1, 0.2, 0.3])
    for criterion in ({"best": "f1"}, {"min_recall": 0.5}, {"equal_error": True}, {"min_precision": 0.5}):
        with pytest.raises(assay.MetricError, match="there are no actual positives"):
            choose_threshold(negatives, **criterion)
    assert choose_threshold(negatives, cost_fp=1, cost_fn=1).threshold == math.inf
    assert choose_threshold(negatives, max_positive_rate=0.4).threshold == 0.3
    assert choose_threshold(negatives, min_specificity=0.5).threshold == math.inf
    with pytest.raises(assay.MetricError, match="there are no actual negatives"):
        choose_threshold(assay.rows(actual=[1, 1], score=[0.1, 0.2]), min_specificity=0.5)
    with pytest.raises(
        assay.MetricError, match=r"informedness has no value .*: there are no actual negatives"
    ):
        choose_threshold(assay.rows(actual=[1, 1], score=[0.1, 0.2]), best="youden")
    with pytest.raises(assay.MetricError, match=r"the highest is 0\.5, at 1"):
        choose_threshold(assay.rows(actual=[0, 1], score=[2, 1]), min_precision=0.9)
    with pytest.raises(assay.NumberError, match=r"7\.3, which is not a probability"):
        choose_threshold(assay.rows(actual=[0, 1], score=[0.1, 7.3]), cost_fp=1, cost_fn=1, calibrated=True)
    weighted = assay.rows(actual=[0, 1], score=[0.1, 0.3], weight=[1, 2])
    with pytest.raises(assay.MetricError, match="the rows have both weights and costs"):
        choose_threshold(weighted, cost_fp=[1, 2], cost_fn=1)
    with pytest.raises(assay.MetricError, match="need the rows"):
        choose_threshold(assay.Scores.of(ROWS), cost_fp=[1] * 15, cost_fn=1)
    with pytest.raises(assay.AssayError, match="scores"):
        choose_threshold(assay.Confusion.of(assay.rows(actual=[0, 1], predicted=[0, 1])), best="f1")
    with pytest.raises(assay.AssayError):
        choose_threshold([0.1, 0.2], best="f1")
    with pytest.raises(assay.MetricError, match="is not a number"):
        evaluate_threshold(ROWS, math.nan, best="f1")


@pytest.mark.parametrize(
    "metric",
    [one for one in catalogue() if issubclass(one.reads, (Binary, Classes))],
    ids=lambda one: one.name,
)
def test_every_metric_of_counts_has_a_best_threshold_or_says_why_not(metric):
    """The value is what the metric gives for the labels at that threshold, and no other cutoff beats it."""
    if metric.best is None:
        with pytest.raises(assay.MetricError, match="is better than another"):
            choose_threshold(ROWS, best=metric.name)
        return
    found = choose_threshold(ROWS, best=metric.name)

    def at(threshold):
        labels = [int(score >= threshold) for score in SCORE]
        return metric(assay.Confusion.of(assay.rows(actual=ACTUAL, predicted=labels, labels=[0, 1])))

    assert found.value == pytest.approx(float(at(found.threshold)), rel=1e-12)
    others = [value for t in [math.inf, *SCORE] if not isinstance(value := at(t), Undefined)]
    assert found.value == pytest.approx(
        min(others) if metric.best == metric.bounds[0] else max(others), rel=1e-12
    )
    judged = evaluate_threshold(ROWS, 0.6, best=metric.name).estimate
    if judged.low is not None:
        assert judged.low <= judged.value <= judged.high


def test_a_metric_is_named_or_given():
    """The metric itself is as good as its name, and what is not said of it is printed."""
    given = choose_threshold(ROWS, best=find("f1"))
    assert given.to_dict() == choose_threshold(ROWS, best="f1").to_dict()
    assert choose_threshold(ROWS, best="f_beta").criterion == "the highest f_beta, beta=1"


def test_a_metric_with_a_prevalence_of_its_own():
    """prevalence= goes to the metric that takes one."""
    found = choose_threshold(ROWS, best="precision_at_prevalence", prevalence=0.1)
    assert found.criterion == "the highest precision_at_prevalence, prevalence=0.1"
    assert found.threshold == 0.95


def test_ten_thousand_times_as_many_cutoffs_as_a_block_holds():
    """Cutoffs are read in blocks; what is chosen does not depend on where a block ends."""
    n = 100_000
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 2, n)
    score = rng.permutation(n) + n // 3 * actual
    found = choose_threshold(assay.rows(actual=actual, score=score), best="accuracy")
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.diff(score[order]) != 0, True)
    tp, fp = np.cumsum(actual[order])[ends], np.cumsum(1 - actual[order])[ends]
    right = np.concatenate([[n - actual.sum()], tp + (n - actual.sum()) - fp])
    assert found.value == right.max() / n
    assert found.ties == (right == right.max()).sum()
    assert found.threshold == np.concatenate([[math.inf], score[order][ends]])[right.argmax()]


def test_the_part_is_loaded_when_it_is_asked_for():
    """assay.decisions is there without an import of its own."""
    assert assay.decisions.choose_threshold is choose_threshold
    assert "decisions" in dir(assay)
    for name in assay.decisions.__all__:
        assert getattr(assay.decisions, name).__doc__


TAKE_A_CRITERION = [
    choose_threshold,
    evaluate_threshold,
    assay.decisions.cross_fitted,
    assay.decisions.optimism,
    assay.decisions.expected_cost,
    assay.Evaluation.choose_threshold,
    assay.Evaluation.cross_fitted_threshold,
]


@pytest.mark.parametrize("function", TAKE_A_CRITERION, ids=lambda function: function.__qualname__)
def test_help_names_every_keyword_of_a_criterion(function):
    """No function hides a criterion behind **: the keywords are shown, and unknown ones refused with a hint."""
    parameters = inspect.signature(function).parameters
    keywords = list(inspect.signature(parse_criterion).parameters)
    assert list(parameters)[-len(keywords) :] == list(CriterionOptions.__annotations__)
    assert set(keywords) == set(CriterionOptions.__annotations__)
    for name in keywords:
        assert parameters[name].default == inspect.signature(parse_criterion).parameters[name].default
    for wrong, right in (("rate", "max_positive_rate"), ("min_recal", "min_recall")):
        with pytest.raises(TypeError, match=f"{right}="):
            function(ROWS, **{wrong: 0.5})


def test_metrics_with_options_are_stated_as_everywhere():
    """A metric, a pair with options and the option beside the name choose the same threshold."""
    expected = choose_threshold(ROWS, best="f_beta", beta=2)
    for best in (("f_beta", {"beta": 2}), (assay.metrics.f_beta, {"beta": 2})):
        found = choose_threshold(ROWS, best=best)
        assert (str(found), found.estimate) == (str(expected), expected.estimate)
    assert (
        choose_threshold(ROWS, best=assay.metrics.f1).to_dict() == choose_threshold(ROWS, best="f1").to_dict()
    )
