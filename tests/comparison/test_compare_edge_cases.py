"""Comparisons of rows that nobody expects: groups all alike, differences all alike, numbers of any size."""

import json

import numpy as np
import pytest

import assay
from assay.inference.differences.independent_differences import welch
from assay.inference.hypothesis_tests.paired_means import diebold_mariano, paired_t
from assay.metrics import Undefined

RNG = np.random.default_rng(7)
Y = np.arange(30) % 3


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "kappa"])
def test_groups_that_are_all_alike_are_no_proof(metric):
    """Every group has the same errors: what rounding leaves of their spread once made a p of 1e-148."""
    found = assay.compare(
        actual=Y, predicted={"a": Y, "b": np.ones(30, int)}, group=np.arange(30) // 3, metrics=metric,
        task="multiclass",
    )  # fmt: skip
    (one,) = found
    assert one.p_value > 1e-4
    assert one.low is None
    assert "all groups are alike" in one.note
    assert found.groups == 10
    assert "in 10 groups" in str(found)


def test_an_estimate_of_groups_that_are_all_alike():
    """Nor does the mean of such groups have limits a rounding apart."""
    rows = assay.rows(
        actual=np.tile([1.1, 1.2, 1.7], 10),
        predicted=np.tile([1.2, 1.0, 1.8], 10),
        group=np.arange(30) // 3,
    )
    found = assay.estimate("mean_error", rows)
    assert found.low is None
    assert "all groups are alike" in found.note


def test_rows_that_all_differ_by_the_same_have_no_p():
    """Differences alike but for rounding show no spread, on rows and over resamples."""
    values = 0.7 + RNG.random(10)
    assert isinstance(paired_t((values + 0.1) - values).p_value, Undefined)
    assert isinstance(assay.compare_resamples(values, values + 0.1).test.p_value, Undefined)
    halves = values.reshape(5, 2)
    assert isinstance(assay.compare_resamples(halves, halves + 0.1).five_by_two.p_value, Undefined)


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e120, 1e160])
def test_the_unit_of_the_losses_changes_no_p(size):
    """Squares of the smallest and largest losses are no floats, but their tests are the same."""
    first, second = RNG.normal(size=(2, 12))
    for test in (paired_t, lambda d, **more: diebold_mariano(d, horizon=2, **more)):
        small, plain = test(size * first), test(first)
        assert small.p_value == pytest.approx(plain.p_value, rel=1e-9)
        assert small.standard_error == pytest.approx(size * plain.standard_error, rel=1e-9)
    small, plain = welch(size * first, size * second), welch(first, second)
    assert (small.p_value, small.df) == pytest.approx((plain.p_value, plain.df), rel=1e-9)


@pytest.mark.parametrize("turned", [False, True])
def test_draws_that_change_nothing_are_no_interval(turned):
    """Classes apart and a constant score, on different rows: 1 less 0 whatever is drawn, from either side."""
    actual = np.array([0, 1] * 20)
    scores = {"a": np.where(actual, 0.9, 0.1), "b": np.full(40, 0.5)}
    if turned:
        scores = dict(reversed(scores.items()))
    (one,) = assay.compare(actual=actual, score=scores, metrics="h_measure", paired=False, replicates=19)
    assert isinstance(one.p_value, Undefined)
    json.dumps(one.to_dict(), allow_nan=False)


LABELS = np.array(["ham", "spam"])
TRUTH = RNG.integers(0, 2, 100)
GUESSES = {
    name: np.where(RNG.random(100) < share, TRUTH, 1 - TRUTH) for name, share in (("a", 0.8), ("b", 0.9))
}
OF_LABELS = {"actual": TRUTH, "predicted": GUESSES}
OF_TEXT = {"actual": LABELS[TRUTH], "predicted": {name: LABELS[one] for name, one in GUESSES.items()}}


def test_one_metric_of_two_labels_is_two():
    """Recall of one label does not stand in for that of the other."""
    metrics = [("recall", {"positive": label}) for label in LABELS.tolist()]
    found = assay.compare(**OF_TEXT, task="multiclass", metrics=metrics)
    assert [one.metric for one in found] == ["recall (positive=ham)", "recall (positive=spam)"]
    assert found["recall (positive=ham)"].values != found["recall (positive=spam)"].values


def test_estimates_of_tallies_know_the_positive_label():
    """The label stated for a comparison of tallies is that of each model's own interval."""
    rows = [assay.rows(actual=OF_TEXT["actual"], predicted=one) for one in OF_TEXT["predicted"].values()]
    found = assay.compare(*map(assay.Confusion.of, rows), metrics="recall", positive="spam")
    assert found.estimate("recall", "a").value == found["recall"].values[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"margin": 0.05, "confidence": 0.5}, "intervals of more than 0.5"),
        ({"margin": {"auc": 0.05}}, "auc, which is not compared"),
        ({"detect": {"auc": 0.05}}, "auc, which is not compared"),
        ({"margin": "0.05"}, "a number above 0"),
        ({"confidence": "95%"}, "a share between 0 and 1"),
        ({"replicates": 20.5}, "a whole number"),
        ({"horizon": "day"}, "a whole number"),
        ({"seed": -1}, "a whole number from 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, said):
    """With a message that names what was given, and no number that goes unheeded."""
    with pytest.raises(assay.MetricError, match=said):
        assay.compare(**OF_LABELS, metrics="accuracy", **options)


def test_a_margin_is_any_number():
    """Of NumPy, too."""
    (one,) = assay.compare(**OF_LABELS, metrics="accuracy", margin=np.float32(0.25))
    assert one.margin.margin == 0.25


@pytest.mark.parametrize("metric", ["accuracy", "auc", "brier"])
@pytest.mark.parametrize("more", [{}, {"weight": 1 + np.arange(100) % 2}])
def test_permutation_is_for_any_metric(metric, more):
    """Who asks for outputs to be swapped gets that, also of shares and means."""
    scores = {name: 0.3 * one + 0.7 * RNG.random(100) for name, one in GUESSES.items()}
    (one,) = assay.compare(
        **OF_LABELS, score=scores, metrics=metric, test="permutation", replicates=99, **more
    )
    assert one.test == "randomisation of rows"


def test_permutation_of_queries_flips_signs():
    """Of a mean over queries, swapping outputs turns signs."""
    scores = {name: 0.3 * one + 0.7 * RNG.random(100) for name, one in GUESSES.items()}
    given = {"actual": TRUTH, "score": scores, "query": np.arange(100) // 10, "metrics": "ndcg"}
    (swapped,), (flipped,) = (assay.compare(**given, test=name) for name in ("permutation", "sign-flips"))
    assert (swapped.test, swapped.p_value) == (flipped.test, flipped.p_value)
    assert "sign flips" in swapped.test


def test_shares_of_very_many_rows_are_compared():
    """Products of totals beyond 64 bits once led to Fisher's test of 1e15 rows, which never ends."""

    def many_of(tally, times):
        doubled = [tally]
        while 2 ** len(doubled) <= times:
            doubled.append(assay.merge([doubled[-1]] * 2))
        return [one for place, one in enumerate(doubled) if times >> place & 1]

    def tally(right, wrong):
        rows = [assay.rows(actual=[1], predicted=[p], labels=[0, 1]) for p in (1, 0)]
        of_one = map(assay.Confusion.of, rows)
        return assay.merge(
            part for one, times in zip(of_one, (right, wrong), strict=True) for part in many_of(one, times)
        )

    many = 10**14
    (one,) = assay.compare(
        tally(8 * many, 2 * many), tally(8 * many + 3 * 10**7, 2 * many), metrics="accuracy"
    )
    assert one.test == "Pearson's chi-squared test"
    assert one.p_value == pytest.approx(0.7373151, rel=1e-5)


@pytest.mark.parametrize("more", [{}, {"group": np.arange(30) // 3}, {"weight": 1 + np.arange(30) % 2}])
def test_a_constant_shift_is_no_proof_by_another_way(more):
    """Where every row differs by the same, the next method does not take rounding for spread either."""
    actual, first = RNG.normal(size=(2, 30))
    models = {"a": first, "b": first + 0.1}
    (one,) = assay.compare(actual=actual, predicted=models, metrics="mean_error", replicates=99, **more)
    assert one.low is None
    assert one.p_value > 1e-4


def test_squared_errors_of_groups_keep_their_p_at_any_size():
    """The variance of squares of 1e150 is no float, but their spread is."""
    actual, first, second = RNG.normal(size=(3, 30))
    found = [
        assay.compare(
            actual=size * actual,
            predicted={"a": size * first, "b": size * second},
            group=np.arange(30) // 3,
            metrics="mse",
            task="regression",
        )["mse"]
        for size in (1, 2.0**400)
    ]
    assert found[1].p_value == pytest.approx(found[0].p_value)
    assert found[1].design_effect == pytest.approx(found[0].design_effect)


def test_one_group_is_one():
    """It shows no spread, and is not called groups."""
    found = assay.compare(**OF_LABELS, group=[0] * 100, metrics="accuracy", replicates=99)
    assert "in 1 group ·" in str(found)
    assert found["accuracy"].p_value == 1
