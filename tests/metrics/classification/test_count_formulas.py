"""What holds for every formula over counts: any leading axes, complex steps, weights, large counts."""

import dataclasses
import importlib
import math
from types import SimpleNamespace

import numpy as np
import pytest

import assay
from assay import LabelError, MetricError
from assay.metrics import (
    Binary,
    Classes,
    Ordered,
    Undefined,
    accuracy,
    balanced_accuracy,
    bias_corrected_cramers_v,
    catalogue,
    chi_square,
    cramers_v,
    each,
    find,
    gwet_ac1,
    kappa,
    krippendorff_alpha,
    max_kappa,
    mcc,
    mean_cost,
    mutual_information,
    npv_at_prevalence,
    positive_likelihood_ratio,
    precision_at_prevalence,
    quadratic_weighted_kappa,
    scott_pi,
    specificity,
    uncertainty_coefficient,
    weighted_accuracy,
    weighted_kappa,
)

COUNTS = [metric for metric in catalogue() if metric.reads in (Binary, Classes, Ordered)]
ORACLES = {
    name: oracle
    for room in ("rates", "multiclass", "agreement", "association", "ordinal")
    for name, oracle in importlib.import_module(f"support.oracles.{room}").ORACLES.items()
}
every_count_metric = pytest.mark.parametrize("metric", COUNTS, ids=lambda metric: metric.name)


def confusion(actual, predicted, **more):
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted, **more))


def view(metric, tables):
    """Return the metric's view of tables, of two classes where it reads one class."""
    if metric.reads is Binary:
        return Binary(tables[..., 1, 1], tables[..., 0, 1], tables[..., 1, 0], tables[..., 0, 0])
    return metric.reads(tables)


def tables_for(metric, rng, *shape):
    size = 2 if metric.reads is Binary else 4
    return rng.integers(1, 60, (*shape, size, size))


@every_count_metric
def test_every_count_metric_agrees_with_its_oracle(metric):
    """Fractions row by row, for few and many classes, absent ones, and weights of any kind."""
    rng = np.random.default_rng(2026)
    for trial in range(40):
        n, size = int(rng.integers(1, 40)), 2 if metric.reads is Binary else int(rng.integers(1, 10))
        actual = rng.integers(0, rng.choice([1, size]), n)
        predicted = np.where(rng.random(n) < rng.random(), actual, rng.integers(0, rng.choice([1, size]), n))
        weight = [np.ones(n), rng.integers(0, 3, n).astype(float), rng.random(n) * 10][trial % 3]
        value = metric(confusion(actual, predicted, weight=weight, labels=list(range(size))))
        data = SimpleNamespace(
            actual=actual.tolist(),
            predicted=predicted.tolist(),
            weight=weight.tolist(),
            labels=list(range(size)),
        )
        expected = float(ORACLES[metric.name](data))
        assert float(value) == pytest.approx(expected, rel=1e-11, abs=1e-13, nan_ok=True)
        if not isinstance(value, Undefined):
            assert metric.bounds[0] <= value <= metric.bounds[1]


@every_count_metric
def test_a_formula_takes_tables_along_leading_axes(metric):
    """One call over cutoffs and replicates gives what a call for each would."""
    tables = tables_for(metric, np.random.default_rng(1), 3, 5)
    together = metric.formula(view(metric, tables))
    assert np.shape(together) == (3, 5)
    apart = [[float(metric.formula(view(metric, table))) for table in row] for row in tables]
    np.testing.assert_allclose(together, apart, rtol=1e-14)


@every_count_metric
def test_a_formula_takes_complex_steps(metric):
    """Its derivative in every cell is the imaginary part of a tiny imaginary step: intervals need it."""
    table = tables_for(metric, np.random.default_rng(2)).astype(float)
    cells = np.eye(table.size).reshape(table.size, *table.shape)
    rows = table.sum()  # which stay as many: a weight moves, no row is added

    def formula(tables):
        seen = view(metric, tables)
        return metric.formula(seen if metric.reads is Binary else dataclasses.replace(seen, effective=rows))

    exact = np.imag(formula(table + 1e-30j * cells)) / 1e-30
    step = 1e-4
    rough = (formula(table + step * cells) - formula(table - step * cells)) / (2 * step)
    np.testing.assert_allclose(exact, rough, rtol=1e-6, atol=1e-9)


@every_count_metric
def test_billions_of_rows_do_not_overflow(metric):
    """The same shares give the same value, whether of a hundred rows or of forty billion."""
    few = np.array([[40, 3], [7, 50]])
    many = few * 400_000_000
    tallies = [
        assay.Confusion((0, 1), cells=np.arange(4, dtype=np.uint64), counts=table.ravel().astype(np.int64))
        for table in (few, many)
    ]
    small, large = (metric(tally) for tally in tallies)
    if metric is chi_square:
        small *= 400_000_000
    by_rows = metric in (krippendorff_alpha, bias_corrected_cramers_v)  # they correct for the number of rows
    tolerance = 0.02 if by_rows else 1e-14
    assert large == pytest.approx(small, rel=tolerance)


@pytest.mark.parametrize("metric", [one for one in catalogue() if one.reads is Binary], ids=lambda m: m.name)
@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_averages_of_billions_of_rows_are_those_of_few(metric, average):
    """Counts of more than three billion rows are added up over the classes as any others."""
    few = np.array([[40, 3, 2], [7, 50, 1], [4, 6, 30]])
    small, large = (
        metric(assay.Confusion.of_table(table, ("a", "b", "c"), declared=True), average=average)
        for table in (few, few * 400_000_000)
    )
    assert large == pytest.approx(small, rel=1e-14)


def test_kappa_of_counts_that_overflow_elsewhere():
    """A peer once gave 5.22 for a table of 32-bit counts."""
    table = np.array([[100_000, 100_000], [0, 100_000]], dtype=np.int64) * 100_000
    tally = assay.Confusion(
        (0, 1), cells=np.array([0, 1, 3], dtype=np.uint64), counts=table.ravel()[[0, 1, 3]]
    )
    assert kappa(tally) == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9), rel=1e-15)
    assert mcc(tally) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("size", [2, 5, 9, 40])
def test_weights_leave_nothing_beside_zero(size):
    """Sums of weights in any order: what is 0 is 0, what is 1 is 1, and what is undefined is."""
    rng = np.random.default_rng(size)
    labels = list(range(size))
    weight = rng.random(200) * 10.0 ** rng.integers(-8, 8, 200)
    mixed, one = rng.integers(0, size, 200), np.full(200, size - 1)
    perfect = confusion(mixed, mixed, weight=weight, labels=labels)
    for metric in (accuracy, kappa, mcc, scott_pi, max_kappa, weighted_kappa, gwet_ac1):
        assert metric(perfect) == 1
    assert specificity(perfect, average="macro") == 1
    truth_constant = confusion(one, mixed, weight=weight, labels=labels)
    prediction_constant = confusion(mixed, one, weight=weight, labels=labels)
    for tally in (truth_constant, prediction_constant):
        assert isinstance(mcc(tally), Undefined)
        assert isinstance(chi_square(tally), Undefined)
    assert isinstance(uncertainty_coefficient(truth_constant), Undefined)
    assert specificity(prediction_constant, positive=size - 1) == 0
    parts = Binary.each(truth_constant)
    assert (parts.tn[:-1] >= 0).all()
    assert (parts.tp + parts.fn == np.where(np.arange(size) == size - 1, parts.tp + parts.fn, 0)).all()


@pytest.mark.parametrize("weight", [None, 0.1])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_one_class_against_the_rest_is_the_same_either_way(size, weight):
    """All classes at once, and each by its name."""
    rng = np.random.default_rng(size)
    weights = None if weight is None else rng.random(50) + weight
    tally = confusion(
        rng.integers(0, size, 50), rng.integers(0, size, 50), weight=weights, labels=list(range(size))
    )
    together = Binary.each(tally)
    for place in range(size):
        alone = Binary.of(tally, positive=place)
        for name in ("tp", "fp", "fn", "tn"):
            assert getattr(together, name)[place] == pytest.approx(getattr(alone, name), rel=1e-14)


def test_an_absent_class_makes_no_likelihood_infinite():
    """Nothing over nothing is no number, even where the divisor is 0."""
    assert isinstance(positive_likelihood_ratio(confusion([0, 0], [0, 0], labels=[0, 1])), Undefined)
    assert positive_likelihood_ratio(confusion([0, 1], [0, 1])) == math.inf


def test_words_have_no_order_until_it_is_stated():
    """Since "high" sorts before "low", three words or more need their order; numbers and two words do not."""
    actual, predicted = ["low", "high", "middle"], ["low", "middle", "middle"]
    with pytest.raises(LabelError, match="no order of their own: state it"):
        quadratic_weighted_kappa(confusion(actual, predicted))
    stated = confusion(actual, predicted, labels=["low", "middle", "high"])
    assert mean_cost(stated) == 1 / 3
    assert mean_cost(stated, costs="quadratic") == 1 / 3
    assert mean_cost(confusion([1, 5, 9], [1, 9, 1])) == (0 + 1 + 2) / 3
    assert quadratic_weighted_kappa(confusion(["a", "b"], ["a", "a"])) == kappa(
        confusion(["a", "b"], ["a", "a"])
    )


def test_costs_and_weights_may_be_given_as_tables():
    """A user says what each error costs, or how far two classes agree."""
    tally = confusion([0, 1, 2, 2], [0, 2, 0, 2])
    costs = [[0, 1, 5], [1, 0, 2], [9, 3, 0]]
    assert mean_cost(tally, costs=costs) == (2 + 9) / 4
    agreement = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert weighted_accuracy(tally, weights=agreement) == weighted_accuracy(tally) == (2 + 0.5 + 0) / 4
    assert weighted_accuracy(tally, weights="quadratic") == (2 + 0.75 + 0) / 4
    assert weighted_kappa(tally, weights=agreement) == weighted_kappa(tally)
    assert weighted_kappa(tally, weights=np.eye(3)) == pytest.approx(kappa(tally), rel=1e-15)
    assert weighted_kappa(tally, weights="quadratic") == quadratic_weighted_kappa(tally)


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (mean_cost, {"costs": [[0, 1], [1, 0]]}, "3 classes, but the table is 2 x 2"),
        (mean_cost, {"costs": 3}, "a single number"),
        (mean_cost, {"costs": [[0, 1, -1]] * 3}, "below 0"),
        (mean_cost, {"costs": [[0, 1, math.nan]] * 3}, "not finite"),
        (mean_cost, {"costs": [["x"] * 3] * 3}, "no table of numbers"),
        (mean_cost, {"costs": "cubic"}, '"cubic" is not known'),
        (weighted_kappa, {"weights": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}, "1 - costs / costs.max"),
        (mutual_information, {"base": 1}, "base"),
        (find("cost"), {"cost_fn": -5, "positive": 1}, "cost_fn=-5 is not a number from 0 on"),
        (mutual_information, {"base": -2}, "base"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(metric, options, message):
    """What is wrong, and what to give."""
    with pytest.raises(MetricError, match=message):
        metric(confusion([0, 1, 2], [0, 2, 1]), **options)


def test_a_prevalence_is_a_share():
    """At the rows' own prevalence both are what they are anyway; beyond 1 there is none."""
    tally = confusion([1] * 4 + [0] * 16, [1, 1, 1, 0] + [1] * 2 + [0] * 14)
    assert precision_at_prevalence(tally, prevalence=4 / 20) == pytest.approx(3 / 5, rel=1e-15)
    assert npv_at_prevalence(tally, prevalence=4 / 20) == pytest.approx(14 / 15, rel=1e-15)
    assert precision_at_prevalence(tally, prevalence=1) == npv_at_prevalence(tally, prevalence=0) == 1
    with pytest.raises(MetricError, match="between 0 and 1"):
        precision_at_prevalence(tally, prevalence=20)


def test_an_unused_label_has_no_part_in_association():
    """A declared class that never occurs changes neither chi-square nor what is made of it."""
    actual, predicted = [0, 0, 1, 1, 1, 0, 1], [0, 1, 1, 1, 0, 0, 1]
    plain, wider = confusion(actual, predicted), confusion(actual, predicted, labels=[0, 1, 2])
    for metric in (chi_square, cramers_v, uncertainty_coefficient, mutual_information):
        assert metric(plain) == metric(wider)
    assert cramers_v(plain) == pytest.approx(abs(mcc(plain)), rel=1e-15)


def test_information_of_what_is_nearly_independent_keeps_its_digits():
    """Nothing cancels: half of chi-square over n, as theory has it for small departures."""
    table = np.array([[10**8 + 1, 10**8], [10**8, 10**8]])
    tally = assay.Confusion((0, 1), cells=np.arange(4, dtype=np.uint64), counts=table.ravel())
    assert mutual_information(tally) == pytest.approx(chi_square(tally) / (2 * table.sum()), rel=1e-7)
    assert mutual_information(tally, base=2) == mutual_information(tally) / math.log(2)


ALIASES = {
    "caret": "sensitivity specificity ppv npv precision recall f1 prevalence detection_rate detection_prevalence kappa",
    "ROCR": "acc err fpr fall tpr rec sens fnr miss tnr spec ppv prec npv pcfall pcmiss rpp rnp phi mat mi chisq odds "
            "lift f cost",
    "yardstick": "accuracy bal_accuracy detection_prevalence f_meas j_index kap mcc npv ppv precision recall "
                 "sensitivity specificity fall_out miss_rate markedness",
    "pycm": "tpr tnr ppv npv fnr fpr fdr for acc f1 f0.5 f2 mcc bm mk plr nlr dor err pre g_mean jaccard kappa nir "
            "scott_pi gwet_ac1 krippendorff_alpha bennett_s cramer_v pearson_c chi_squared",
    "scikit-learn": "accuracy balanced_accuracy cohen_kappa matthews_corrcoef zero_one_loss jaccard f1 precision recall",
}  # fmt: skip


@pytest.mark.parametrize(("package", "names"), ALIASES.items())
def test_people_find_metrics_by_the_names_they_know(package, names):
    """Every count measure of the peers has an entry under its name there."""
    for name in names.split():
        assert find(name) in COUNTS


def test_macro_averages_say_which_class_is_missing():
    """A class that is never predicted has no precision, and the average names it."""
    tally = confusion(["a", "b", "c"], ["a", "b", "b"])
    assert find("precision")(tally, average="macro") == Undefined(
        'nothing was predicted positive (class "c")'
    )
    assert each(find("recall"), Binary.each(tally), tally.labels) == {"a": 1, "b": 1, "c": 0}
    assert balanced_accuracy(tally) == 2 / 3


@pytest.mark.parametrize(
    "name", ["mcc", "cramers_v", "contingency_coefficient", "kappa", "uncertainty_coefficient"]
)
@pytest.mark.parametrize("size", [1e-90, 1e-60, 1e60, 1e90])
def test_the_size_of_weights_does_not_show(name, size):
    """Weights of any size a float's square can hold give the figure of weights near 1."""
    weight = np.array([1.0, 2, 3, 1, 1, 2.5])
    near, far = (confusion([0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 0, 2], weight=w) for w in (weight, weight * size))
    assert find(name)(far) == pytest.approx(find(name)(near), rel=1e-13)
