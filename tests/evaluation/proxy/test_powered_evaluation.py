"""evaluate(..., proxy=): every task, fallbacks, selection, groups, comparison, plans, mistakes."""

import json

import numpy as np
import pytest
from support.reference_figures import oracle

import assay
from assay.inference.proxy_estimate import ProxyEstimate

JUDGES = oracle("judges")


def rows_of(n=400, size=4000, *, right=0.93, seed=1, prevalence=0.4):
    """Return a table with a human label on the first rows, a judge, predictions and scores."""
    draw = np.random.default_rng(seed)
    truth = (draw.random(size) < prevalence).astype(int)
    table = {
        name: np.where(draw.random(size) < share, truth, 1 - truth)
        for name, share in (("judge", right), ("a", 0.8), ("b", 0.7))
    }
    table["score"] = truth + draw.normal(0, 1, size)
    table["human"] = np.where(np.arange(size) < n, truth, np.nan)
    table["truth"] = truth
    return table


def test_the_check_table_through_evaluate():
    """The joint table's values, limits and worth, and what labels and judge say alone."""
    data = JUDGES["ppi_table"]
    labelled, rest = data["data"]["labelled_counts_h_j_m"], data["data"]["unlabelled_counts_j_m"]
    human, judge, model = (np.repeat([(cell >> bit) & 1 for cell in range(8)], labelled) for bit in (2, 1, 0))
    judge = np.concatenate([judge, np.repeat([0, 0, 1, 1], rest)])
    model = np.concatenate([model, np.repeat([0, 1, 0, 1], rest)])
    human = [*human.tolist(), *[None] * sum(rest)]
    ev = assay.evaluate(actual=human, predicted=model, proxy=judge)
    for name in ("accuracy", "recall", "precision", "specificity", "f1", "balanced_accuracy", "mcc", "kappa"):
        found, expected = ev[name], data["values"][name]
        joint = expected["joint"]
        assert isinstance(found, ProxyEstimate)
        assert found.method == "joint table"
        assert (found.value, found.low, found.high) == pytest.approx(
            (joint["estimate"], joint["low"], joint["high"]), abs=1e-9
        )
        assert found.effective_labels == pytest.approx(joint["worth"], rel=1e-9)
        assert found.labels_alone.value == pytest.approx(expected["labels_alone"], abs=1e-11)
        assert found.proxy_alone == pytest.approx((expected["judge_alone"],), abs=1e-11)
    plain = assay.evaluate(actual=human[:240], predicted=model[:240])
    assert ev["f1"].labels_alone == plain["f1"]
    text = " ".join(ev.text(full=True).split())
    assert "240 of 4,000 rows have a label" in text
    assert "240 labels are worth 309" in text


def test_auc_is_the_check_value():
    """One step on the area under the curve, where labels are enough; few labels stand alone."""
    rows = JUDGES["ppi_auc"]["data"]["rows_score_judge_human"]
    expected = JUDGES["ppi_auc"]["values"]
    score, judge, human = (list(column) for column in zip(*rows, strict=True))
    found = assay.evaluate(actual=human, score=score, proxy=judge)["auc"]
    if found.powered:
        assert (found.value, found.low, found.high) == pytest.approx(
            (expected["estimate"], expected["low"], expected["high"]), abs=1e-9
        )
    else:
        assert found.value == pytest.approx(expected["labels_alone"], abs=1e-11)
        assert "labels alone" in found.note


def test_intervals_are_shorter_and_hold():
    """With a good judge intervals are shorter than those of the labels, and the truth of all rows is near."""
    table = rows_of()
    ev = assay.evaluate(table, actual="human", predicted="a", score="score", proxy="judge")
    whole = assay.evaluate(table, actual="truth", predicted="a", score="score")
    for name in ("accuracy", "f1", "mcc", "auc", "recall", "average_precision"):
        found = ev[name]
        assert found.powered, name
        assert found.high - found.low < found.labels_alone.high - found.labels_alone.low
        assert abs(found.value - whole[name].value) < 2.6 * found.standard_error
        assert found.effective_labels > 400


def test_fallbacks_are_the_labels_alone_and_say_why():
    """A useless proxy, one that agrees with every label, and few labels."""
    draw = np.random.default_rng(5)
    table = rows_of()
    table["noise"] = draw.integers(0, 2, 4000)
    for proxy, n, why in (("noise", 400, "says too little"), ("truth", 400, "agrees with every label"),
                          ("judge", 15, "too few")):  # fmt: skip
        human = np.where(np.arange(4000) < n, table["truth"], np.nan)
        found = assay.evaluate(actual=human, predicted=table["a"], proxy=table[proxy])["accuracy"]
        assert not found.powered
        assert why in found.note
        alone = found.labels_alone
        assert (found.value, found.low, found.high) == (alone.value, alone.low, alone.high)


def test_regression_several_classes_and_ranked_lists():
    """Every task whose metrics have influences."""
    draw = np.random.default_rng(3)
    y = draw.normal(size=3000)
    few = np.where(np.arange(3000) < 150, y, np.nan)
    ev = assay.evaluate(
        actual=few, predicted=y + draw.normal(0, 0.5, 3000), proxy=y + draw.normal(0, 0.1, 3000)
    )
    for name in ("mae", "rmse", "r2", "pearson"):
        assert ev[name].powered, name
    words = np.array(["x", "y", "z"])
    truth = draw.integers(0, 3, 3000)
    predicted = np.where(draw.random(3000) < 0.7, truth, draw.integers(0, 3, 3000))
    judge = np.where(draw.random(3000) < 0.95, truth, draw.integers(0, 3, 3000))
    labels = [str(words[code]) if index < 300 else None for index, code in enumerate(truth)]
    ev = assay.evaluate(actual=labels, predicted=words[predicted], proxy=words[judge])
    assert ev["macro_f1"].powered
    assert ev["accuracy"].powered
    query = np.repeat(np.arange(200), 10)
    gain = draw.integers(0, 2, 2000)
    noisy = np.where(draw.random(2000) < 0.98, gain, 1 - gain)
    known = np.where(query < 60, gain, np.nan)
    ev = assay.evaluate(
        actual=known, score=gain + draw.normal(0, 1, 2000), query=query, proxy=noisy, task="ranking"
    )
    assert ev["ndcg"].powered
    assert ev["ndcg"].effective_labels > 66


def test_known_probabilities_of_being_labelled():
    """Rows the judge and the model disagree on were labelled more often: weights undo it."""
    table = rows_of(size=6000, seed=8)
    draw = np.random.default_rng(9)
    chance = np.where(table["judge"] != table["a"], 0.4, 0.05)
    table["chance"] = chance
    table["human"] = np.where(draw.random(6000) < chance, table["truth"], np.nan)
    ev = assay.evaluate(table, actual="human", predicted="a", proxy="judge", selection="chance")
    truth = float((table["truth"] == table["a"]).mean())
    assert ev["accuracy"].low < truth < ev["accuracy"].high
    naive = assay.evaluate(table, actual="human", predicted="a", proxy="judge")
    assert not naive["accuracy"].labels_alone.low < truth < naive["accuracy"].labels_alone.high
    assert naive.balance["judge"] < 0.01 or naive.balance["a"] < 0.01
    assert "Labelled rows differ" in naive.text(full=True)


def test_groups_are_the_unit():
    """Rows repeated in groups say what one of each says."""
    table = rows_of(200, 1500, seed=4)
    once = assay.evaluate(table, actual="human", predicted="a", proxy="judge", group=np.arange(1500))
    four = {name: np.repeat(values, 4) for name, values in table.items()}
    clustered = assay.evaluate(
        four, actual="human", predicted="a", proxy="judge", group=np.repeat(np.arange(1500), 4)
    )
    assert clustered["accuracy"].standard_error == pytest.approx(once["accuracy"].standard_error, rel=0.01)
    assert clustered["accuracy"].value == pytest.approx(once["accuracy"].value)


def test_two_models_are_compared_with_their_own_tuning():
    """The check values of a paired difference, and the rule of twenty differing rows."""
    case = JUDGES["ppi_paired"]
    judge, first, second, human = (list(column) for column in
                                   zip(*case["data"]["rows_judge_modelA_modelB_human"], strict=True))  # fmt: skip
    evs = [assay.evaluate(actual=human, predicted=model, proxy=judge, name=name)
           for model, name in ((second, "B"), (first, "A"))]  # fmt: skip
    comparison = assay.compare(*evs, metrics=["accuracy", "f1"])
    for name in ("accuracy", "f1"):
        expected, found = case["values"][name], comparison[name]
        assert found.method == "prediction-powered"
        sign = 1 if found.difference * expected["estimate"] > 0 else -1
        assert sign * found.difference == pytest.approx(expected["estimate"], abs=1e-11)
        assert found.standard_error == pytest.approx(expected["se"], abs=1e-11)
        assert sorted([sign * found.low, sign * found.high]) == pytest.approx(
            [expected["low"], expected["high"]], abs=1e-9
        )
    few = rows_of(40, 1000, seed=2)
    few["b"] = np.where(np.arange(1000) % 30 == 0, 1 - few["a"], few["a"])
    pair = [assay.evaluate(few, actual="human", predicted=name, proxy="judge", name=name) for name in "ab"]
    difference = assay.compare(*pair, metrics=["accuracy"])["accuracy"]
    assert difference.method != "prediction-powered"
    assert "the models differ on 2 labelled rows" in difference.note
    plain = assay.evaluate(few, actual="truth", predicted="b")
    with pytest.raises(assay.InputError, match="evaluate all alike"):
        assay.compare(pair[0], plain, metrics=["accuracy"], paired=False)


def test_two_proxies_together():
    """Several proxies are more than one."""
    table = rows_of(300, 3000, right=0.85, seed=6)
    draw = np.random.default_rng(7)
    table["second"] = np.where(draw.random(3000) < 0.85, table["truth"], 1 - table["truth"])
    one = assay.evaluate(table, actual="human", score="score", proxy="judge")["auc"]
    two = assay.evaluate(table, actual="human", score="score", proxy=["judge", "second"])["auc"]
    assert len(two.tuning) == 2
    assert two.effective_labels > one.effective_labels


def test_every_output_has_it(tmp_path):
    """JSON, frames, LaTeX, another threshold, and files."""
    table = rows_of(seed=11)
    ev = assay.evaluate(table, actual="human", score="score", threshold=0.5, proxy="judge")
    data = json.loads(ev.to_json())
    assert data["metrics"]["auc"]["powered"] is True
    assert data["metrics"]["auc"]["effective_labels"] > 400
    frame = ev.to_frame(library="dict")
    assert {"labels_alone", "proxy_alone", "effective_labels"} <= set(frame)
    assert "labels alone" in ev.to_latex()
    moved = ev.at(0.8)
    again = assay.evaluate(table, actual="human", score="score", threshold=0.8, proxy="judge")
    assert moved["recall"] == again["recall"]
    path = tmp_path / "rows.csv"
    names = ("human", "judge", "score")
    lines = [",".join(names)]
    lines += [",".join("" if np.isnan(value) else repr(float(value)) if name == "score" else str(int(value))
                       for name, value in zip(names, row, strict=True))
              for row in zip(*(table[name] for name in names), strict=True)]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    read = assay.evaluate(str(path), actual="human", score="score", threshold=0.5, proxy="judge")
    assert read["auc"] == ev["auc"]


def test_error_rows_are_numbered_as_the_caller_has_them():
    """The labelled rows lie anywhere among all; a row without a prediction is dropped before."""
    human = [None, 1, None, 0, 1, None, 1, 0]
    predicted = [1.0, 0, 0, 0, 1, None, 0, 0]
    ev = assay.evaluate(actual=human, predicted=predicted, proxy=[1] * 4 + [0] * 4, missing="drop")
    assert ev.errors().to_frame(library="dict")["row"] == [1, 6]


def test_a_plan_of_labels():
    """The number by the formula, the rows by strata, and what cannot be reached."""
    table = rows_of(200, 5000, seed=12)
    ev = assay.evaluate(table, actual="human", predicted="a", proxy="judge")
    plan = assay.labels_needed(ev, "accuracy", half_width=0.02)
    assert plan.labels < plan.labels_without_proxy
    p = ev["accuracy"].labels_alone.value
    assert plan.labels_without_proxy == pytest.approx(p * (1 - p) * (1.959964 / 0.02) ** 2, abs=2)
    room = (0.02 / 1.959963984540054) ** 2 / (p * (1 - p)) - plan.explained / 5000
    assert plan.labels == pytest.approx((1 - plan.explained) / room, abs=1)
    assert sum(row["rows"] for row in plan.strata) == 5000
    assert len(plan.rows) == sum(row["to_label"] for row in plan.strata)
    assert not set(plan.rows.tolist()) & set(range(200))
    assert ((plan.probabilities > 0) & (plan.probabilities <= 1)).all()
    disagreeing = [
        row for row in plan.strata if row["stratum"] in ("proxy 0, predicted 1", "proxy 1, predicted 0")
    ]
    agreeing = [row for row in plan.strata if row not in disagreeing]

    def share(rows):
        return sum(row["to_label"] for row in rows) / sum(row["rows"] for row in rows)

    assert share(disagreeing) > share(agreeing) * 0.9
    tiny = assay.labels_needed(ev, "accuracy", half_width=0.001)
    assert tiny.labels is None
    assert "more rows are needed" in tiny.text(width=120)
    powered = assay.labels_needed(ev, "accuracy", detect=0.03, power=0.8)
    assert powered.half_width == pytest.approx(0.03 * 1.959964 / (1.959964 + 0.841621), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"selection": "judge"}, "pass that too"),
        ({"proxy": "judge", "by": "nowhere"}, "nowhere"),
        ({"proxy": "unsure"}, "people's labels, and a proxy and predictions must have the same"),
        ({"proxy": "judge", "actual": None}, "pass actual="),
        ({"proxy": "judge", "actual": "empty"}, "no label at all"),
        ({"proxy": "human"}, "missing"),
        ({"proxy": "judge", "selection": "zero"}, "how likely a row was"),
        ({"proxy": "judge", "predicted": None, "score": ["a", "b"]}, "single column of scores"),
    ],
)
def test_mistakes_are_named(arguments, message):
    """What is wrong is said."""
    table = rows_of(50, 200)
    table |= {"empty": [None] * 200, "zero": [0.0] * 200, "unsure": [0, 1, 2, 1] * 50}
    with pytest.raises(assay.AssayError, match=message):
        assay.evaluate(table, **({"actual": "human", "predicted": "a"} | arguments))


def test_what_is_not_offered_says_so():
    """A plan without a pilot is refused, and one without a width."""
    table = rows_of(60, 300)
    ev = assay.evaluate(table, actual="human", predicted="a", proxy="judge")
    with pytest.raises(assay.InputError, match="evaluation with proxy="):
        assay.labels_needed(assay.evaluate(actual=[0, 1], predicted=[0, 1]), "accuracy", half_width=0.1)
    with pytest.raises(assay.InputError, match="half_width= or detect="):
        assay.labels_needed(ev, "accuracy")
    pilot = assay.evaluate(rows_of(30, 300), actual="human", predicted="a", proxy="judge")
    with pytest.raises(assay.InputError, match="pilot of 30 labels"):
        assay.labels_needed(pilot, "accuracy", half_width=0.1)


def test_a_plan_that_is_met_labels_nothing_more():
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, 400)
    human = [int(value) if index % 4 == 0 else None for index, value in enumerate(truth)]
    guess, judge = (np.where(draw.random(400) < right, truth, 1 - truth) for right in (0.8, 0.9))
    ev = assay.evaluate(
        {"human": human, "guess": guess, "judge": judge}, actual="human", predicted="guess", proxy="judge"
    )
    plan = assay.labels_needed(ev, "accuracy", half_width=0.5)
    assert plan.labels == 100
    assert len(plan.rows) == 0
    more = assay.labels_needed(ev, "accuracy", half_width=0.06)
    assert 0 < len(more.rows) <= more.labels - 100


def _judged(rows=400, labelled=4, **columns):
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, rows)
    human = [int(value) if index % labelled == 0 else None for index, value in enumerate(truth)]
    guess, judge = (np.where(draw.random(rows) < right, truth, 1 - truth) for right in (0.8, 0.9))
    return {"human": human, "guess": guess, "judge": judge} | columns


def test_few_groups_leave_the_labels_alone():
    table = _judged(document=np.arange(400) // 4 % 2)
    ev = assay.evaluate(table, actual="human", predicted="guess", proxy="judge", group="document")
    accuracy = ev["accuracy"]
    assert not accuracy.powered
    assert "labels in 2 of the groups are too few" in accuracy.note
    assert accuracy.high - accuracy.low > 0.5


def test_all_rows_labelled_is_said():
    ev = assay.evaluate(_judged(labelled=1), actual="human", predicted="guess", proxy="judge")
    assert "every row has a label" in ev["accuracy"].note
    assert "the others are used" not in str(ev)


def test_no_proxy_column_and_hostile_names():
    with pytest.raises(assay.errors.InputError, match="proxy= names no column"):
        assay.evaluate(_judged(), actual="human", predicted="guess", proxy=[])
    table = _judged()
    table["\x1b[31m"] = table.pop("judge")
    ev = assay.evaluate(table, actual="human", predicted="guess", proxy="\x1b[31m")
    assert "\x1b" not in str(ev)


@pytest.mark.parametrize("chance", [1e-6, 1e-9, 1e-12, 1e-15])
def test_one_label_that_outweighs_all_others_is_no_base_for_a_proxy(chance):
    """Metrics are then those of the weighted labels alone, by the weighted counts, and the note says why."""
    table = rows_of(n=120, size=600)
    selection = np.full(600, 0.2)
    selection[0] = chance
    ev = assay.evaluate(table, actual="human", predicted="a", proxy="judge", selection=selection)
    truth, said, weight = table["truth"][:120], table["a"][:120], 1 / selection[:120]
    (tn, fp), (fn, tp) = ([weight[(truth == i) & (said == j)].sum() for j in (0, 1)] for i in (0, 1))
    expected = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert float(ev["mcc"]) == pytest.approx(expected, rel=1e-6)
    assert "effective labels" in ev["mcc"].note


def test_labels_without_weight_are_refused():
    """Weights of 0 on all rows, or on all rows with a label, leave nothing to evaluate."""
    table = rows_of(n=120, size=600)
    roles = {"actual": "human", "predicted": "a", "proxy": "judge"}
    with pytest.raises(assay.InputError, match="is 0 on every row: nothing is left"):
        assay.evaluate(table, **roles, weight=np.zeros(600))
    with pytest.raises(assay.InputError, match="is 0 on every row that has a label"):
        assay.evaluate(table, **roles, weight=(np.arange(600) >= 120).astype(float))


def test_guessing_is_judged_by_the_interval_with_the_proxy():
    """Accuracy far above the share of the larger class is said to be higher, whatever the labels alone show."""
    table = rows_of(120, 6000, prevalence=0.5)
    text = " ".join(assay.evaluate(table, actual="human", predicted="a", proxy="judge").text().split())
    assert "no-information rate 0.5" in text
    assert "accuracy is higher" in text
    table["a"] = np.random.default_rng(3).integers(0, 2, 6000)
    text = " ".join(assay.evaluate(table, actual="human", predicted="a", proxy="judge").text().split())
    assert "accuracy is higher" not in text


def test_a_plan_that_all_rows_cannot_meet_has_no_number():
    """Labels of all 1,000 rows would leave an interval that is too long: neither way is enough."""
    ev = assay.evaluate(rows_of(200, 1000, seed=12), actual="human", predicted="a", proxy="judge")
    error = ev["accuracy"].labels_alone.standard_error
    reached = 1.96 * error * np.sqrt(200 / 1000)  # with a label on every row
    plan = assay.labels_needed(ev, "accuracy", half_width=0.95 * reached)
    assert plan.labels is None
    assert plan.labels_without_proxy is None
    assert len(plan.rows) == 800
    met = assay.labels_needed(ev, "accuracy", half_width=1.05 * reached)
    assert 200 < met.labels <= met.labels_without_proxy <= 1000


def test_a_plan_draws_as_many_rows_as_it_asks_for():
    """What strata that are wholly labelled cannot take goes to the others, in proportion."""
    ev = assay.evaluate(rows_of(200, 1000, seed=12), actual="human", predicted="a", proxy="judge")
    for width in (0.025, 0.03, 0.035, 0.04, 0.05):
        plan = assay.labels_needed(ev, "accuracy", half_width=width)
        assert len(plan.rows) == (1000 if plan.labels is None else plan.labels) - 200
        assert sum(row["to_label"] for row in plan.strata) == len(plan.rows)
        assert all(row["labelled"] + row["to_label"] <= row["rows"] for row in plan.strata)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"half_width": "a"}, "half_width='a' is a number above 0"),
        ({"half_width": -0.1}, "half_width=-0.1 is a number above 0"),
        ({"half_width": float("nan")}, "half_width=nan is a number above 0"),
        ({"detect": 0}, "detect=0 is a number above 0"),
        ({"detect": 0.1, "power": 1.5}, "power=1.5 is a chance"),
    ],
)
def test_an_impossible_plan_is_named(options, message):
    ev = assay.evaluate(rows_of(60, 300), actual="human", predicted="a", proxy="judge")
    with pytest.raises(assay.InputError, match=message):
        assay.labels_needed(ev, "accuracy", **options)


def test_ranked_lists_without_a_whole_one_are_named():
    """There are labels, but none of the lists has them on all rows."""
    table = rows_of(100, 100) | {"query": np.arange(100) // 10}
    table["human"] = np.where(np.arange(100) % 3 == 0, table["truth"], np.nan)
    with pytest.raises(assay.InputError, match="no query has a label in human on all of its rows"):
        assay.evaluate(table, actual="human", score="score", query="query", proxy="judge", task="ranking")
