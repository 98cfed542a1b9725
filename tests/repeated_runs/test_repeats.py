"""assay.repeats: estimates, pairs of models, groups, merged tallies, and mistakes."""

import itertools
import math

import numpy as np
import pytest
from support.reference_figures import oracle

import assay
from assay.metrics import Undefined

JUDGES = oracle("judges")


def rows_of(table, model="a"):
    return [(q, model, r, value) for q, row in enumerate(table) for r, value in enumerate(row)]


def columns(rows):
    return dict(zip(("question", "model", "run", "correct"), map(list, zip(*rows, strict=True)), strict=True))


def test_the_paired_check_values():
    """Two models on twelve questions of four runs: second minus first."""
    case = JUDGES["repeats"]
    rows = rows_of(case["data"]["scores_question_by_run"]) + rows_of(case["data"]["second_model"], "b")
    result = assay.repeats(columns(rows), question="question", correct="correct", model="model", run="run")
    assert result["a"]["mean"].value == pytest.approx(case["values"]["mean"], abs=1e-11)
    assert result["a"]["mean"].standard_error == pytest.approx(case["values"]["se"], abs=1e-11)
    difference = next(item for item in result.differences if item.metric == "mean").difference
    paired = case["paired"]
    assert -difference.value == pytest.approx(paired["difference"], abs=1e-11)
    assert difference.standard_error == pytest.approx(paired["se"], abs=1e-11)
    assert (-difference.high, -difference.low) == pytest.approx((paired["low_t"], paired["high_t"]), abs=1e-9)
    both = [np.mean(case["data"][key], axis=1) for key in ("scores_question_by_run", "second_model")]
    found = next(item for item in result.differences if item.metric == "mean")
    assert found.correlation == pytest.approx(np.corrcoef(*both)[0, 1])
    assert result.variance["a"].within == pytest.approx(case["values"]["within"])


def test_pass_at_k_of_tasks():
    """The result has the values of the formulas, by name."""
    runs = [(task, "a", r, int(r < c)) for task, (n, c) in enumerate(JUDGES["pass_k"]["data"]["tasks_n_c"])
            for r in range(n)]  # fmt: skip
    result = assay.repeats(columns(runs), question="question", correct="correct", k=[1, 3, 11])
    assert result["pass@3"].value == pytest.approx(0.853125)
    assert result["pass^3"].value == pytest.approx(0.490625)
    assert isinstance(result["pass@11"].value, Undefined)
    assert "needs 11 runs of every question, and 0 of 8" in result["pass@11"].value.reason


def test_merged_parts_are_the_whole():
    """Questions cut between parts merge to the same bits."""
    draw = np.random.default_rng(2)
    question = np.repeat(np.arange(40), 5)
    correct = (draw.random(200) < 0.6).astype(int)
    group = question // 4
    whole = assay.RunCounts.of(question, correct, group=group)
    parts = [assay.RunCounts.of(question[part], correct[part], group=group[part])
             for part in (slice(0, 85), slice(85, 200))]  # fmt: skip
    assert assay.merge(parts) == whole
    direct = assay.repeats(question=question, correct=correct, group=group)
    assert assay.repeats(assay.merge(parts)).to_dict() == direct.to_dict()
    assert direct.groups == 10


def test_runs_are_not_rows():
    """Ten identical runs of a question say what one says."""
    draw = np.random.default_rng(3)
    once = (draw.random(50) < 0.7).astype(int)
    single = assay.repeats(question=np.arange(50), correct=once)["mean"]
    many = assay.repeats(question=np.repeat(np.arange(50), 10), correct=np.repeat(once, 10))
    assert many["mean"].low == pytest.approx(single.low)
    assert many.variance["model"].design_effect == pytest.approx(10)
    rows = assay.rows(actual=np.ones(50, int), predicted=once, labels=[0, 1])
    assert single.low == pytest.approx(assay.estimate("accuracy", rows, method="wilson").low)


def test_scores_that_are_no_shares_have_students_interval():
    """Any number may be a score; pass@k is then left out."""
    score = [1.5, 2.0, -3.0, 4.0, 0.0, 1.0]
    result = assay.repeats(question=[1, 1, 2, 2, 3, 3], correct=score)
    means = np.array([1.75, 0.5, 0.5])
    error = means.std(ddof=1) / np.sqrt(3)
    assert result["mean"].standard_error == pytest.approx(error)
    assert result["mean"].high == pytest.approx(means.mean() + 4.302652729911275 * error)
    assert list(result.estimates["model"]) == ["mean"]


def test_answers_and_selectors():
    """Majority among answers and the best of k by a selector, by hand."""
    table = {"q": [1, 1, 1, 2, 2, 2], "ok": [1, 1, 0, 0, 0, 1], "a": ["x", "x", "y", "u", "u", "v"],
             "s": [0.9, 0.2, 0.5, 0.1, 0.2, 0.3]}  # fmt: skip
    result = assay.repeats(table, question="q", correct="ok", answer="a", selector="s", k=[1, 2, 3])
    assert result["majority@3"].value == 0.5
    expected = []
    for q in (0, 3):
        best = [
            max(pair)
            for pair in itertools.combinations(
                zip(table["s"][q : q + 3], table["ok"][q : q + 3], strict=True), 2
            )
        ]
        expected.append(np.mean([ok for _, ok in best]))
    assert result["best of 2"].value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "need question= and correct="),
        ({"question": [1, 1], "correct": [1]}, "different lengths"),
        ({"question": [1, 1], "correct": [1, None]}, r"missing in correct .* Leave such rows out, or fill"),
        ({"question": [1, None], "correct": [1, 0]}, r"missing in question .* Leave such rows out, or fill"),
        ({"question": [1, 2], "correct": [1, 0], "group": [1, None]}, "missing in group .* Leave such rows"),
        ({"question": [1, 1], "correct": [1, float("inf")]}, "infinite"),
        ({"question": [1, 1], "correct": [1, 0], "run": [2, 2]}, "run 2 of the question 1 is there twice"),
        ({"question": [1, 1], "correct": [1, 0], "group": [2, 3]}, "in two groups"),
        ({"question": [1, 1], "correct": [1, 0], "k": 0}, "whole number of runs"),
        ({"question": [], "correct": []}, "no runs"),
    ],
)
def test_mistakes_are_named(arguments, message):
    """What is wrong is said."""
    with pytest.raises(assay.AssayError, match=message):
        assay.repeats(**arguments)


def test_run_counts_refuse_scores():
    """A tally of runs counts what is right or wrong."""
    with pytest.raises(assay.AssayError, match="correct is 1 or 0"):
        assay.RunCounts.of([1], [0.5])


def test_majority_of_answers_is_exact_where_all_choices_are_few():
    answers, correct = ["x", "y", "z", "x"], [1, 0, 0, 1]
    result = assay.repeats(question=np.repeat(range(10), 4), correct=correct * 10, answer=answers * 10, k=[2])
    votes = []
    for pair in itertools.combinations(range(4), 2):
        first, second = pair
        votes.append((correct[first] + correct[second]) / 2)  # one vote each ties, two of x agree
    assert float(result["majority@2"]) == pytest.approx(np.mean(votes), rel=1e-12)


def test_equal_questions_have_an_interval_of_some_width():
    rows = {"question": np.repeat(range(10), 4), "correct": [1, 0, 0, 1] * 10}
    tallied = assay.repeats(**rows, k=[2])
    by_row = assay.repeats(**rows, selector=[0.1, 0.2, 0.3, 0.4] * 10, k=[2])
    for metric in ("mean", "pass@2", "pass^2", "majority@2"):
        assert by_row[metric].low == pytest.approx(tallied[metric].low, rel=1e-9)
        assert by_row[metric].high - by_row[metric].low > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": "a"}, "k="), ({"k": 2.5}, "k="), ({"k": [math.nan]}, "k="), ({"k": [True]}, "k="),
        ({"cost_question": -1}, "cost_question"), ({"cost_run": "a"}, "cost_run"), ({"cost_run": math.nan}, "cost_run"),
        ({"selector": [1.0, math.nan] * 4}, "missing in selector"),
    ],
)  # fmt: skip
def test_impossible_settings_are_named(options, message):
    with pytest.raises(assay.errors.AssayError, match=message):
        assay.repeats(question=[1, 1, 2, 2, 3, 3, 4, 4], correct=[1, 0] * 4, **options)


def test_too_few_runs_and_one_question_are_put_in_words():
    few = assay.repeats(question=[1, 1, 2, 2], correct=[1, 0, 1, 1], k=[3])
    assert "No value of pass@3, pass^3 and majority@3: it needs 3 runs" in " ".join(str(few).split())
    single = assay.repeats(question=[1] * 5, correct=[1, 0, 1, 1, 0])
    assert "run once" not in str(single)


def test_the_variance_table_counts_groups():
    """The error now is that of the estimate, and splits into groups of questions and runs."""
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(30), 16)
    question, easy = np.repeat(np.arange(120), 4), np.repeat(rng.normal(size=30), 16)
    correct = (rng.normal(size=480) < easy).astype(int)
    found = assay.repeats(question=question, correct=correct, group=group)
    variance, error = found.variance[found.models[0]], found["mean"].standard_error
    assert variance.standard_error() == pytest.approx(error)
    assert variance.standard_error(questions=240) == pytest.approx(error / math.sqrt(2))
    runs = variance.within / 4 / 120
    assert variance.standard_error(runs=math.inf) == pytest.approx(math.sqrt(error**2 - runs))
    alone = assay.repeats(question=question, correct=correct)
    assert variance[:4] == alone.variance[alone.models[0]][:4]
    assert error > 1.3 * alone["mean"].standard_error


def test_one_of_a_thing_is_singular_and_a_model_without_name_is_not_named():
    """The head line counts in the singular, and no table has a column of models where there is none."""
    assert str(assay.repeats(question=[1], correct=[1])).startswith("1 question, 1 run\n")
    text = str(assay.repeats(question=[1, 1, 2, 2], correct=[1, 0, 1, 1], group=[1, 1, 1, 1]))
    assert text.startswith("2 questions in 1 group, 4 runs\n")
    assert "model" not in text


def test_k_is_any_iterable_and_may_be_far_beyond_the_runs():
    """More runs than there are take no time, and are said to be missing."""
    rows = {"question": [1, 1, 2, 2], "correct": [1, 0, 1, 1]}
    for k in ({2}, (k for k in (2, 2)), range(2, 3)):
        assert assay.repeats(**rows, k=k)["pass@2"].value == 1
    far = assay.repeats(**rows, k=10**30)
    assert "and 0 of 2 have them" in far[f"pass@{10**30}"].value.reason


def test_models_that_never_differ_have_no_interval_of_no_width():
    """Three questions answered alike do not show that the models are equal for certain."""
    rows = {"question": [1, 2, 3] * 2, "model": ["a"] * 3 + ["b"] * 3}
    for correct in ([1, 0, 1] * 2, [0.1, 0.2, 0.7, 0.2, 0.3, 0.8]):  # no difference, and 0.1 but for rounding
        found = assay.repeats(**rows, correct=correct).differences[0]
        assert found.difference.low is None
        assert found.difference.note == "all questions differ alike"
        assert found.p_value is None
        assert found.winner is None


def test_runs_that_never_vary_give_no_advice():
    """Where all runs are correct, nothing says that a run is worth as much as a question."""
    text = " ".join(str(assay.repeats(question=[1, 1, 2, 2], correct=[1] * 4)).split())
    assert "worth as much" not in text
    assert "no run differs from another" in text


def test_a_question_alone_says_why_it_has_no_interval():
    text = " ".join(str(assay.repeats(question=[1, 1], correct=[1, 0])).split())
    assert "No interval of mean, pass@2, pass^2 and majority@2: a single question shows no spread." in text
