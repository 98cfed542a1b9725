import dataclasses

import numpy as np
import pytest
from support.reference_figures import messages

import assay
from assay.decisions import choose_threshold, cross_fitted
from assay.errors import InputError

LABELS = [(0, 1), (False, True), ("ham", "spam"), ("spam", "ham"), (-1, 1)]


def scored(n=400, seed=1):
    random = np.random.default_rng(seed)
    score = random.random(n).round(2)
    actual = (random.random(n) < score).astype(int)
    return actual, score, random.choice([0.5, 1, 2.3, 1 / 3], n), random.integers(0, 60, n)


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("roles", [(), ("weight",), ("group",), ("weight", "group")], ids=str)
def test_cut_scores_are_judged_as_predictions(labels, roles):
    """Scores at a threshold, said at once or later, are the predictions that the cut makes: to the bit."""
    actual, score, weight, group = scored()
    names = np.array(labels)
    given = {"weight": weight, "group": group}
    more = {role: given[role] for role in roles} | {"positive": labels[1]}
    told = assay.evaluate(actual=names[actual], predicted=names[(score >= 0.4).astype(int)], **more)
    cut = assay.evaluate(actual=names[actual], score=score, threshold=0.4, **more)
    moved = assay.evaluate(actual=names[actual], score=score, threshold=0.9, **more).at(0.4)
    assert told.tallies["confusion"] == cut.tallies["confusion"] == moved.tallies["confusion"]
    for name in told:
        assert told[name] == cut[name] == moved[name], name
        assert told[name].method == cut[name].method == moved[name].method
    bare = dataclasses.replace(moved, source_rows=None)  # as it is loaded: tallies alone
    assert bare["recall"].value == told["recall"].value
    if "group" not in roles:
        assert bare["recall"] == told["recall"]


def test_weighted_recall_by_hand():
    """Recall at a threshold is the weight of positives found over that of all positives."""
    actual, score, weight, _ = scored()
    ev = assay.evaluate(actual=actual, score=score, weight=weight, threshold=0.3)
    positive, found = actual == 1, score >= 0.3
    expected = weight[positive & found].sum() / weight[positive].sum()
    assert float(ev["recall"]) == pytest.approx(expected, rel=1e-14)
    # The sandwich: each positive row brings its weight times its distance from the mean.
    off = (found[positive] - expected) * weight[positive]
    error = np.sqrt((off**2).sum()) / weight[positive].sum()
    assert ev.estimate("recall", method="delta").standard_error == pytest.approx(error, rel=1e-12)


def test_float32_scores_are_cut_where_float64_are():
    """The float32 next to 0.7 lies below 0.7, in the rows as in the tally."""
    score = np.array([0.7, 0.9, 0.2], dtype=np.float32)
    ev = assay.evaluate(actual=[1, 1, 0], score=score, threshold=0.7, group=[1, 2, 3])
    assert float(ev["recall"]) == 0.5
    assert ev.errors("false_negatives")["false_negatives"].columns["row"] == [0]


def test_thresholds_are_those_of_the_decisions():
    """The evaluation adds its rows and what it was told, no more."""
    actual, score, weight, group = scored()
    rows = assay.rows(actual=actual, score=score, weight=weight, group=group)
    ev = assay.evaluate(actual=actual, score=score, weight=weight, group=group)
    for stated in ({"cost_fp": 5, "cost_fn": 1}, {"best": "f1"}, {"min_recall": 0.9}, {"capacity": 20}):
        assert str(ev.choose_threshold(**stated)) == str(choose_threshold(rows, **stated))
    fit = ev.cross_fitted_threshold(best="f1", folds=5)
    assert fit.thresholds == cross_fitted(rows, best="f1", folds=5).thresholds


def test_the_evaluation_says_what_is_worse():
    """Costs come first, then beta; one cost alone is held against 1; without either one must say."""
    actual, score, *_ = scored()
    rows = assay.rows(actual=actual, score=score)

    def chosen(**said):
        return assay.evaluate(actual=actual, score=score, **said).choose_threshold().threshold

    assert chosen(cost_fp=5, cost_fn=1) == choose_threshold(rows, cost_fp=5, cost_fn=1).threshold
    assert chosen(cost_fn=4, beta=2) == choose_threshold(rows, cost_fp=1, cost_fn=4).threshold
    assert chosen(beta=2) == choose_threshold(rows, best="f_beta", beta=2).threshold
    shifted = choose_threshold(rows, cost_fp=1, cost_fn=4, prevalence=0.1).threshold
    assert chosen(cost_fn=4, prevalence=0.1) == shifted
    with pytest.raises(InputError, match="say what a threshold is to be best for"):
        chosen()
    with pytest.raises(InputError, match="on scores of two classes"):
        assay.evaluate(actual=[0, 1], predicted=[0, 1]).choose_threshold(best="f1")


def test_what_is_worse_is_said_once_and_used_everywhere():
    """Costs, or beta, stated to evaluate: the figure, its words, the hint, the threshold and the plot have them."""
    actual, score, *_ = scored()
    for said, costs in (
        ({"cost_fp": 1, "cost_fn": 5}, "1, a false negative 5"),
        ({"cost_fn": 5}, "1, a false negative 5"),
    ):
        ev = assay.evaluate(actual=actual, score=score, **said)
        text = " ".join(str(ev).split())
        assert f"a false positive costs {costs}" in text
        assert "ev.choose_threshold() weighs the two by their costs." in text
        found = ev.choose_threshold()
        assert found.criterion == f"a false positive costs {costs}"
        assert ev.at(found.threshold)["misclassification_cost"].value == pytest.approx(found.value, rel=1e-14)
        assert f"least: {found.value:.3g} at {found.threshold:g}" in [
            text.get_text() for text in ev.plot.expected_cost().texts
        ]
    ev = assay.evaluate(actual=actual, score=score, beta=2)
    assert "F2" in str(ev)
    assert "weighs the two by F2" in " ".join(str(ev).split())
    found = ev.choose_threshold()
    assert found.criterion == "the highest f_beta, beta=2"
    assert ev.at(found.threshold)["f_2"].value == pytest.approx(found.value, rel=1e-14)
    assert ev.choose_threshold(beta=0.5).threshold == ev.choose_threshold(best="f_beta", beta=0.5).threshold
    with pytest.raises(TypeError, match=r"Did you mean min_recall=\?"):
        assay.evaluate(actual=actual, score=score).choose_threshold(min_recal=0.9)


def test_the_threshold_of_the_evaluation_stands_beside():
    """The table shows the threshold that the evaluation was made with, or another one that is named."""
    actual, score, *_ = scored()
    ev = assay.evaluate(actual=actual, score=score, threshold=0.3, cost_fp=1, cost_fn=2)
    assert ev.choose_threshold().baseline.threshold == 0.3
    assert ev.choose_threshold(baseline=0.6).baseline.threshold == 0.6


def test_text_messages():
    """A false alarm that costs five times a miss moves the threshold up, as the decisions have it."""
    actual, score = messages()
    ev = assay.evaluate(actual=actual, score=score, positive="spam", cost_fp=5, cost_fn=1)
    assert str(ev.choose_threshold()).startswith(" cost-optimal threshold 0.686")
