import math
import subprocess
import sys

import numpy as np
import pytest

import assay
from assay.metrics import (
    Binary,
    Classes,
    Undefined,
    catalogue,
    each,
    f1,
    f_beta,
    find,
    mcc,
    precision,
    recall,
)
from assay.metrics.curves.curves import detection_error, gain, lift, precision_recall, roc, roc_hull
from assay.metrics.curves.cutoffs import at_cutoffs, best, performance
from assay.metrics.probability.calibration import calibration_null
from assay.metrics.probability.proper_scores import corp


@pytest.fixture
def ships():
    """The treasure ships: ten with, ten without."""
    actual = [1] * 10 + [0] * 10
    predicted = [1] * 9 + [0, 1, 1] + [0] * 8
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))


def test_a_metric_reads_a_tally(ships):
    """Calling a metric with a tally gives its number."""
    assert precision(ships) == 9 / 11
    assert recall(ships) == 0.9
    assert f1(ships) == 18 / 21
    assert recall(ships, positive=0) == 0.8


def test_averages_are_functions_of_the_classes(ships):
    """Macro, micro and weighted averages of a one-class metric."""
    assert recall(ships, average="macro") == pytest.approx(0.85, abs=1e-15)
    assert recall(ships, average="micro") == 17 / 20
    assert each(recall, Binary.each(ships), ships.labels) == {0: 0.8, 1: 0.9}


def test_an_average_that_makes_no_sense_is_refused(ships):
    """A metric of all classes has no average, and an average has no positive class: neither is a crash."""
    with pytest.raises(assay.MetricError, match="accuracy reads all classes at once, so it has no average"):
        find("accuracy")(ships, average="macro")
    numbers = assay.rows(actual=[1.0, 2.0], predicted=[1.0, 3.0])
    with pytest.raises(assay.MetricError, match="leave average= out"):
        find("mae")(numbers, average="macro")
    with pytest.raises(assay.MetricError, match="an average of recall takes no positive"):
        recall(ships, average="macro", positive=1)


def test_rows_of_several_classes_are_averaged_over():
    """The area of each class against the rest, of rows as of their tally."""
    scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]]
    rows = assay.rows(actual=["a", "b", "c", "a"], score=scores)
    one = assay.rows(actual=["no", "yes", "yes"], predicted=["yes", "yes", "no"], positive="yes")
    assert precision(one, average=None) == 0.5
    for average in ("macro", "micro", "weighted"):
        whole = find("auc")(assay.ClassScores.of(rows), average=average)
        assert find("auc")(rows, average=average) == whole


def test_an_undefined_value_says_why():
    """No value is a value: with its reason, NaN as a float, and no part of any sum."""
    none = assay.Confusion.of(assay.rows(actual=[0, 1], predicted=[0, 0]))
    value = precision(none)
    assert value == Undefined("nothing was predicted positive")
    assert math.isnan(float(value))
    assert value + 1 is value
    macro = precision(none, average="macro")
    assert macro == Undefined("nothing was predicted positive (class 1)")
    assert precision(none, average="macro", undefined="skip") == 0.5
    assert precision(none, average="macro", undefined=1) == 0.75
    assert precision(assay.Confusion.empty()) == Undefined("there are no rows")


def test_beta_has_its_limits(ships):
    """Beta 0 is precision, infinite beta is recall."""
    assert f_beta(ships, beta=0) == precision(ships)
    assert f_beta(ships, beta=math.inf) == recall(ships)


def test_a_formula_takes_arrays():
    """One formula serves a number, a class axis and a cutoff axis."""
    cutoffs = Binary(np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([2, 1, 0]), np.array([2, 2, 1]))
    np.testing.assert_array_equal(precision.formula(cutoffs), [math.nan, 1, 2 / 3])
    np.testing.assert_allclose(mcc.formula(cutoffs.classes())[1], 2 / math.sqrt(12))


def test_counts_beyond_two_billion_stay_exact():
    """The square of n does not run over."""
    table = np.array([[3_000_000_000, 1], [1, 5]], dtype=np.int64)
    tally = assay.Confusion((0, 1), cells=np.arange(4, dtype=np.uint64), counts=table.ravel())
    expected = (3_000_000_000 * 5 - 1) / math.sqrt((3_000_000_001 * 6) ** 2)
    assert mcc(tally) == pytest.approx(expected, rel=1e-15)
    assert Classes.of(tally).table.dtype == object


def test_the_positive_label_is_never_guessed():
    """Labels that are not 0/1 or the like need positive= or an average."""
    mail = assay.Confusion.of(assay.rows(actual=["ham", "spam"], predicted=["ham", "ham"]))
    with pytest.raises(assay.LabelError, match='"ham", "spam": say which one is positive'):
        recall(mail)
    assert recall(mail, positive="ham") == 1


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: metric.name)
def test_every_declaration_is_complete(metric):
    """A metric says what it means, its formula, its range, its best value and when it is undefined."""
    assert metric.meaning
    assert metric.expression
    low, high = metric.bounds
    assert low < high
    assert metric.best is None or low <= metric.best <= high
    assert metric.undefined


def test_a_metric_takes_rows():
    """Rows are tallied first; the positive label they state is the one that is read."""
    mail = assay.rows(actual=["ham", "spam", "spam"], predicted=["ham", "ham", "spam"], positive="spam")
    assert recall(mail) == 0.5
    assert recall(mail, positive="ham") == 1
    assert recall(mail, average="macro") == 0.75
    numbers = assay.rows(actual=[1.0, 2.0], predicted=[1.0, 4.0])
    assert find("mse")(numbers) == 2
    assert find("pinball")(numbers, alpha=0.9) == pytest.approx(0.1)
    with pytest.raises(assay.MetricError, match=r"not from a list: gather the columns first"):
        recall([1, 0])


PAIR = assay.rows(actual=[1, 0], predicted=[1, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: f_beta(PAIR, beta=-1), "beta=-1 is not a number from 0 on"),
        (lambda: f_beta(PAIR, beta=math.nan), "beta=nan is not a number from 0 on"),
        (lambda: f_beta(PAIR, beta="2"), "beta='2' is not a number"),
        (lambda: find("huber")(PAIR, delta=-1), "delta=-1 is not a number above 0"),
        (lambda: find("pseudo_huber")(PAIR, delta=0), "delta=0 is not a number above 0"),
        (
            lambda: find("ece")(assay.rows(actual=[0, 1], score=[0.2, 0.7]), bins=2.5),
            "bins=2.5 should be a whole number",
        ),
        (lambda: find(3), "found by its name, not by 3"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(call, message):
    """The message names the parameter and what it may be."""
    with pytest.raises(assay.MetricError, match=message):
        call()


def test_columns_are_asked_to_be_gathered():
    """Two columns, or columns by name, get the way to say it, and where functions of columns are."""
    for attempt in (lambda: recall([1, 0], [1, 1]), lambda: recall(actual=[1, 0], predicted=[1, 1])):
        with pytest.raises(assay.MetricError, match=r"not from columns: .* assay\.rows\(.* assay\.sklearn"):
            attempt()


def test_an_option_that_a_metric_does_not_have_is_refused():
    """By what it does take, which depends on whether an average is asked for."""
    rows = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0])
    for options, known in (
        ({"beta": 2}, "f1 takes no beta: it takes positive, average"),
        (
            {"average": "macro", "zero_division": 0},
            "an average of f1 takes no zero_division: it takes average, undefined",
        ),
        (
            {"average": "macro", "positive": 1},
            "an average of f1 takes no positive: it takes average, undefined",
        ),
    ):
        with pytest.raises(assay.MetricError, match=known):
            f1(rows, **options)
    with pytest.raises(assay.MetricError, match="mcc takes no positive: it has no options"):
        mcc(rows, positive=1)


def test_scores_of_several_classes_without_an_average():
    """The message says what to ask instead."""
    rows = assay.rows(actual=["a", "b", "c", "b"], score=[[7, 2, 1], [1, 8, 1], [2, 3, 5], [3, 3, 4]])
    with pytest.raises(assay.ColumnError, match='average="macro", multiclass_log_loss'):
        find("auc")(rows)


def test_curves_and_cutoffs_take_rows():
    """As metrics do: the tally is made on the way."""
    rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    tally = assay.Scores.of(rows)
    for read in (roc, roc_hull, precision_recall, detection_error, gain, lift):
        assert read(rows).columns.keys() == read(tally).columns.keys()
        assert all((read(rows)[name] == read(tally)[name]).all() for name in read(tally).columns)
    assert at_cutoffs(rows, "precision").y[1:].tolist() == [1, 2 / 3, 2 / 4]
    assert best(rows, "f1") == best(tally, "f1")
    assert performance(rows, "auc") == performance(tally, "auc") == find("auc")(rows)
    assert corp(rows) == corp(tally)
    assert calibration_null(find("ece"), rows, bins=2) == calibration_null(find("ece"), tally, bins=2)


def test_a_metric_explains_itself():
    """What a notebook shows for help is the metric's own text, and the notes are free of markup."""
    known = find("mean_average_precision")
    assert known.__doc__.startswith("Mean of the precision at each relevant item")
    assert known.options == {"k": None, "empty": "zero", "convention": "retrieval"}
    assert '"trec": all relevant items (trec_eval, ranx)' in known.notes
    assert find("kappa").notes == ""
    assert not [metric.name for metric in catalogue() if "`" in metric.notes or ":func:" in metric.notes]


def test_parts_are_found_without_an_import_of_their_own():
    """`import assay` is enough to reach them."""
    code = "import assay; print(assay.metrics.f1.name, assay.sklearn.f1_score([0, 1], [0, 1]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "f1 1.0\n"
