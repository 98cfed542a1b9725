"""Laws of comparisons, each figure a second way, and rows that do not go together."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.inference.influence.influence import influence
from assay.metrics import Undefined, find

labelled = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40
)
numbered = st.lists(st.tuples(*[st.floats(-5, 5).map(lambda x: round(x, 2))] * 3), min_size=2, max_size=30)
OF_LABELS = ["accuracy", "balanced_accuracy", "mcc", "f1", "recall", "precision", "kappa", "specificity"]


def both_ways(actual, first, second, role, **options):
    forth = assay.compare(actual=actual, **{role: {"a": first, "b": second}}, **options)
    back = assay.compare(actual=actual, **{role: {"b": second, "a": first}}, **options)
    return zip(forth, back, strict=True)


def mirrored(forth, back):
    """Whether one difference is the other seen from the other side."""
    if isinstance(forth.difference, Undefined):
        assert isinstance(back.difference, Undefined)
        return
    assert forth.difference == -back.difference
    if isinstance(forth.p_value, Undefined):
        assert isinstance(back.p_value, Undefined)
    else:
        assert forth.p_value == pytest.approx(back.p_value, abs=1e-12)
        assert forth.adjusted == pytest.approx(back.adjusted, abs=1e-12)
        assert forth.winner == back.winner
    if forth.low is None:
        assert back.low is None
    else:
        assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low), abs=1e-9)
        assert forth.low <= forth.difference <= forth.high
        assert forth.same or forth.low < forth.high


@settings(deadline=None, max_examples=60)
@given(labelled)
def test_exchanging_the_models_turns_every_difference_of_labels(rows):
    """Signs and limits turn, p stays, the winner is the same."""
    columns, more = zip(*rows, strict=True), {"task": "multiclass", "metrics": OF_LABELS, "replicates": 19}
    for forth, back in both_ways(*columns, "predicted", **more):
        if forth.method.startswith("bootstrap"):
            assert forth.difference == -back.difference
        else:
            mirrored(forth, back)


@settings(deadline=None, max_examples=40)
@given(numbered)
def test_exchanging_the_models_turns_every_difference_of_numbers(rows):
    """Means of losses by their rows."""
    columns, more = zip(*rows, strict=True), {"metrics": ["mae", "mse"], "replicates": 19}
    for forth, back in both_ways(*columns, "predicted", task="regression", **more):
        if not forth.method.startswith("bootstrap"):
            mirrored(forth, back)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 5)), min_size=6, max_size=30))
def test_exchanging_the_models_turns_every_area(rows):
    """DeLong's test."""
    actual, first, second = zip(*rows, strict=True)
    if not 2 <= sum(actual) <= len(actual) - 2:
        return
    for forth, back in both_ways(actual, first, second, "score", metrics="auc", test="delong", replicates=19):
        if not forth.method.startswith("bootstrap"):
            mirrored(forth, back)


def models(n=300, seed=3, spread=(0.9, 0.7)):
    """Labels, two scores that go together, and predictions by them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    common = rng.normal(size=n)
    scores = {
        name: 1 / (1 + np.exp(-(y - 0.5 + s * (common + rng.normal(size=n)))))
        for name, s in zip("ab", spread, strict=True)
    }
    return y, scores, {name: (s > 0.5) * 1 for name, s in scores.items()}


@pytest.mark.parametrize(
    "name", ["f1", "mcc", "kappa", "balanced_accuracy", "precision", "jaccard", "g_mean"]
)
def test_errors_are_those_of_numeric_slopes(name):
    """Each row's weight is moved a little; what that does to the difference, squared and added, is its variance."""
    y, _, predicted = models(60)
    metric = find(name)
    found = assay.compare(actual=y, predicted=predicted, metrics=name)[name]

    def difference(weight):
        first, second = (metric(assay.rows(actual=y, predicted=p, weight=weight)) for p in predicted.values())
        return second - first

    variance = 0.0
    for row in range(len(y)):
        up, down = np.ones(len(y)), np.ones(len(y))
        up[row], down[row] = 1 + 2**-13, 1 - 2**-13
        variance += ((difference(up) - difference(down)) / 2**-12) ** 2
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_over_classes_are_compared(average):
    """Of three classes, by the same slopes as one model's own."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200)
    predicted = {
        name: np.where(rng.random(200) < share, y, rng.integers(0, 3, 200))
        for name, share in (("a", 0.4), ("b", 0.7))
    }
    metrics = [("f1", {"average": average})]
    found = assay.compare(actual=y, predicted=predicted, task="multiclass", metrics=metrics)
    one = found["f1"]
    assert one.metric == f"{average}_f1"
    sides = [
        influence(find("f1"), assay.rows(actual=y, predicted=p), average=average) for p in predicted.values()
    ]
    slopes = sides[1].slopes - sides[0].slopes
    assert one.standard_error == pytest.approx(math.sqrt(slopes @ slopes), rel=1e-9)
    assert one.winner == "b"


@pytest.mark.parametrize("name", ["f1", "mcc", "auc", "brier"])
def test_permutation_and_closed_form_agree(name):
    """Two tests of the same, within what swaps leave open; of counts they are few values, and p is 0.295."""
    y, scores, predicted = models(400, seed=8, spread=(0.9, 0.8))
    given = {"actual": y, "score": scores, "predicted": predicted, "metrics": name}
    closed = assay.compare(**given)[name]
    draws = {"replicates": 9999} if name in ("f1", "mcc") else {}  # drawn as counts, they cost little
    swapped = assay.compare(**given, test=["permutation", "sign-flips"], **draws)[name]
    assert swapped.test != closed.test
    assert swapped.p_value == pytest.approx(closed.p_value, abs=0.04)


def test_the_drawn_interval_is_near_the_closed_one():
    """A bootstrap of rows against the paired delta."""
    y, _, predicted = models(300)
    closed = assay.compare(actual=y, predicted=predicted, metrics="f1")["f1"]
    drawn = assay.compare(actual=y, predicted=predicted, metrics="f1", test="permutation", replicates=999)[
        "f1"
    ]
    assert (drawn.low, drawn.high) == pytest.approx((closed.low, closed.high), abs=0.02)
    again = assay.compare(actual=y, predicted=predicted, metrics="f1", test="permutation", replicates=999)[
        "f1"
    ]
    assert (again.low, again.p_value) == (drawn.low, drawn.p_value)


def test_different_rows_add_their_variances():
    """Each model's own error, added in squares; pairing models that go together sees more."""
    y, scores, predicted = models(400)
    sides = [assay.rows(actual=y, predicted=predicted[k], score=scores[k]) for k in "ab"]
    apart = assay.compare(*sides, metrics=["mcc", "f1", "auc"], paired=False)
    for name in ("mcc", "f1"):
        errors = [math.sqrt(influence(find(name), side).variance) for side in sides]
        assert apart[name].standard_error == pytest.approx(math.hypot(*errors), rel=1e-9)
    together = assay.compare(*sides, metrics=["mcc", "f1", "auc"])
    for one in together:
        assert one.standard_error < apart[one.metric].standard_error


def test_identical_models_never_disagree():
    """Every metric: no difference, p = 1, and it is not called equality of two models that were told apart."""
    y, scores, predicted = models(100)
    found = assay.compare(
        actual=y, predicted={"a": predicted["a"], "b": predicted["a"]}, score={"a": scores["a"], "b": scores["a"]},
        metrics=["accuracy", "mcc", "f1", "auc", "log_loss", "brier"],
    )  # fmt: skip
    for one in found:
        assert (one.difference, one.p_value, one.same, one.winner) == (0, 1, True, None)
        assert one.rows_needed() is None
    assert found.summary == "a and b never disagree."


def test_models_that_separate_the_classes():
    """Both perfectly: no difference. One perfectly, one perfectly wrong: no closed form, but a test."""
    y = [0] * 25 + [1] * 25
    alike = assay.compare(actual=y, score={"a": y, "b": list(range(50))}, metrics="auc")["auc"]
    assert (alike.difference, alike.p_value) == (0, 1)
    apart = assay.compare(actual=y, score={"a": [-x for x in y], "b": y}, metrics="auc", replicates=199)[
        "auc"
    ]
    assert apart.difference == 1
    assert apart.p_value == pytest.approx(1 / 200)
    assert apart.low is None
    assert "no spread" in apart.note
    different = assay.compare(
        assay.rows(actual=y, score=y), assay.rows(actual=[0, *y], score=[0, *y]), metrics="auc"
    )["auc"]
    assert different.difference == 0


def test_one_row_and_none():
    """One row shows no spread, and no rows are refused."""
    one = assay.compare(actual=[1], predicted={"a": [1], "b": [0]}, metrics=["accuracy"])["accuracy"]
    assert one.difference == -1
    assert not one.decided
    assert one.low == -1
    with pytest.raises(assay.LengthError, match="there are no rows to evaluate"):
        assay.compare(actual=[], predicted={"a": [], "b": []}, metrics=["accuracy"])


def test_weights_have_no_unit_and_equal_weights_are_none():
    """Sandwich errors where weights differ; weights that are all 3 are those of no weights, test and all."""
    y, scores, predicted = models(200)
    weight = np.random.default_rng(1).integers(1, 5, 200) * 0.25
    given = {"actual": y, "predicted": predicted, "score": scores, "metrics": ["accuracy", "f1", "brier"]}
    light, heavy = (assay.compare(**given, weight=weight * unit) for unit in (1, 1024))
    for one, other in zip(light, heavy, strict=True):
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
        assert one.difference == pytest.approx(other.difference, rel=1e-12)
    plain, even = assay.compare(**given), assay.compare(**given, weight=np.full(200, 3.0))
    for one, other in zip(plain, even, strict=True):
        assert one.difference == pytest.approx(other.difference, rel=1e-12)
        assert (one.low, one.high, one.p_value) == pytest.approx(
            (other.low, other.high, other.p_value), rel=1e-9
        )
        assert (one.method, one.test) == (other.method, other.test)
    assert even["accuracy"].method == "Tango"
    assert even["f1"].standard_error == pytest.approx(plain["f1"].standard_error, rel=1e-9)


def test_groups_are_the_unit():
    """Groups of one row are rows; rows given twice in their group say no more than once."""
    y, scores, predicted = models(200)
    given = {"actual": y, "predicted": predicted, "score": scores, "metrics": ["accuracy", "f1", "brier"]}
    alone = assay.compare(**given, group=np.arange(200))
    plain = assay.compare(**given)
    assert alone["accuracy"].standard_error == pytest.approx(
        plain["accuracy"].standard_error * math.sqrt(200 / 199), rel=1e-9
    )
    sides = [influence(find("f1"), assay.rows(actual=y, predicted=predicted[k])).parts for k in "ab"]
    left = np.where(np.asarray(y) == 1, np.sum(y), 200 - np.sum(y)) - 1  # of a row's class without the row
    apart = (sides[1] - sides[0]) * (left + 1) / left
    assert alone["f1"].standard_error == pytest.approx(math.sqrt(199 / 200 * (apart @ apart)), rel=1e-9)
    assert alone["brier"].standard_error == pytest.approx(plain["brier"].standard_error, rel=1e-9)
    assert alone["brier"].p_value == pytest.approx(plain["brier"].p_value, rel=1e-9)  # Student's t both times
    twice = {
        "actual": np.tile(y, 2),
        "predicted": {k: np.tile(v, 2) for k, v in predicted.items()},
        "score": {k: np.tile(v, 2) for k, v in scores.items()},
        "group": np.tile(np.arange(200), 2),
        "metrics": given["metrics"],
    }
    for one in assay.compare(**twice):
        assert one.standard_error == pytest.approx(alone[one.metric].standard_error, rel=1e-9)
        assert one.p_value == pytest.approx(alone[one.metric].p_value, rel=1e-9)
        assert one.design_effect == pytest.approx(2 * alone[one.metric].design_effect, rel=1e-9)
    lone = assay.compare(**given, group=np.zeros(200), replicates=19)
    assert all(one.low is None or one.low == one.high for one in lone)


def test_the_level_holds_where_models_are_alike():
    """Of 400 pairs of equally good models about one in twenty is told apart."""
    rng = np.random.default_rng(31)
    found = {"accuracy": 0, "mcc": 0, "auc": 0, "brier": 0}
    for _ in range(400):
        y = rng.integers(0, 2, 150)
        scores = {name: 1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=150)))) for name in "ab"}
        labels = {name: (s > 0.5) * 1 for name, s in scores.items()}
        for one in assay.compare(
            actual=y, score=scores, predicted=labels, metrics=list(found), correction=None
        ):
            found[one.metric] += one.decided
    for name, count in found.items():
        assert 0.02 * 400 <= count <= 0.085 * 400, name


def test_rows_that_do_not_pair_are_refused():
    """Each with what is wrong and what to do."""
    y, _, predicted = models(20)
    a = assay.rows(actual=y, predicted=predicted["a"])
    turned = assay.rows(actual=y[::-1], predicted=predicted["b"])
    with pytest.raises(assay.InputError, match="another order"):
        assay.compare(a, turned)
    assert not assay.compare(a, turned, paired=False).paired
    shorter = assay.rows(actual=y[:9], predicted=predicted["b"][:9])
    with pytest.raises(assay.LengthError, match="20 rows, the second 9"):
        assay.compare(a, shorter, paired=True)
    assert not assay.compare(a, shorter, metrics="accuracy").paired
    other = assay.rows(
        actual=1 - y if (1 - y).sum() != y.sum() else np.ones(20, int), predicted=predicted["b"]
    )
    with pytest.raises(assay.InputError, match="actual values differ"):
        assay.compare(a, other, paired=True)
    for role in ("group", "weight"):
        marked = assay.rows(actual=y, predicted=predicted["b"], **{role: np.arange(1, 21)})
        with pytest.raises(assay.InputError, match=f"different {role}s"):
            assay.compare(a, marked)
    with pytest.raises(assay.InputError, match="different positive"):
        assay.compare(a, assay.rows(actual=y, predicted=predicted["b"], positive=0))
    with pytest.raises(assay.InputError, match="no pairs of rows"):
        assay.compare(assay.Confusion.of(a), assay.Confusion.of(a), paired=True)


def test_wrong_questions_are_refused():
    """What is no model, no metric, no test, no margin."""
    y, scores, predicted = models(20)
    a, b = (assay.rows(actual=y, predicted=p) for p in predicted.values())
    with pytest.raises(assay.InputError, match="two models at least"):
        assay.compare(a)
    with pytest.raises(assay.InputError, match="as many different names"):
        assay.compare(a, b, names=["a", "a"])
    with pytest.raises(assay.InputError, match="not by a list"):
        assay.compare([1, 0], [0, 1])
    with pytest.raises(assay.InputError, match="belong to columns"):
        assay.compare(a, b, actual=y)
    with pytest.raises(assay.InputError, match="not both"):
        assay.compare(a, b, predicted=predicted)
    with pytest.raises(assay.InputError, match="different models"):
        assay.compare(actual=y, predicted=predicted, score={"a": scores["a"], "c": scores["b"]})
    with pytest.raises(assay.ColumnError, match="one column per model"):
        assay.compare(actual=y, score=scores["a"])
    with pytest.raises(assay.InputError, match="give it alone"):
        assay.compare(assay.PairedLabels.of(a, b), a)
    for wrong, said in (
        ({"metrics": "chi_square"}, "statistic of a test"), ({"metrics": []}, "empty"),
        ({"metrics": "acuracy"}, "Did you mean"), ({"correction": "sidak"}, "not known"),
        ({"against": "last"}, "not known"), ({"test": "z"}, "not known"), ({"margin": 0}, "above 0"),
        ({"detect": -1}, "above 0"), ({"replicates": 0}, "at least 1"), ({"horizon": 0}, "at least 1"), ({"confidence": 2}, "confidence"),
    ):  # fmt: skip
        with pytest.raises(assay.MetricError, match=said):
            assay.compare(a, b, **wrong)


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_models_may_be_columns_of_a_table(library):
    """Their names are the columns' own; a row that one model lacks is left out of both."""
    y, scores, _ = models(50)
    columns = {"y": y, **scores}
    columns["a"] = np.where(np.arange(50) == 21, np.nan, scores["a"])
    columns["b"] = np.where(np.arange(50) == 7, np.nan, scores["b"])
    table = columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)
    found = assay.compare(table, actual="y", score=["a", "b"], missing="drop", metrics=["auc", "brier"])
    assert found.names == ("a", "b")
    assert (found.dropped, found.sizes) == (2, (48, 48))
    kept = ~np.isin(np.arange(50), (7, 21))
    expected = assay.compare(
        actual=y[kept], score={k: v[kept] for k, v in scores.items()}, metrics=["auc", "brier"]
    )
    for one, other in zip(found, expected, strict=True):
        assert one.p_value == other.p_value
    with pytest.raises(assay.MissingValueError):
        assay.compare(table, actual="y", score=["a", "b"])


def test_the_defaults_suit_the_rows():
    """Labels, words, scores, probabilities, numbers and classes."""
    y, scores, predicted = models(60)

    def of(**given):
        return [one.metric for one in assay.compare(**given, replicates=19)]

    assert of(actual=y, predicted=predicted) == ["accuracy", "balanced_accuracy", "mcc", "f1"]
    words = np.array(["no", "yes"])
    given = {"actual": words[y], "predicted": {k: words[v] for k, v in predicted.items()}}
    assert of(**given, task="multiclass") == ["accuracy", "balanced_accuracy", "mcc"]
    assert of(**given, positive="yes")[-1] == "f1"
    assert of(actual=y, score=scores) == ["auc", "average_precision", "log_loss", "brier"]
    assert of(actual=y, score={k: 9 * v for k, v in scores.items()}) == ["auc", "average_precision"]
    assert of(actual=y + 0.5, predicted=scores) == ["mae", "rmse", "r2"]
    three = np.arange(60) % 3
    wide = {k: np.stack([v, 1 - v, 0 * v], axis=1) for k, v in scores.items()}
    assert of(actual=three, score=wide)[3:] == ["macro_auc", "multiclass_log_loss", "multiclass_brier"]


def test_positive_words_are_read():
    """A stated positive label serves every metric of one class, from rows and from the joint tally."""
    y, _, predicted = models(80)
    words = np.array(["ham", "spam"])
    numbers = assay.compare(actual=y, predicted=predicted, metrics=["recall", "f1"])
    named = {k: words[v] for k, v in predicted.items()}
    texts = assay.compare(actual=words[y], predicted=named, positive="spam", metrics=["recall", "f1"])
    joint = assay.PairedLabels.of(*(assay.rows(actual=words[y], predicted=v) for v in named.values()))
    tallies = assay.compare(joint, positive="spam", metrics=["recall", "f1"])
    for one, two, three in zip(numbers, texts, tallies, strict=True):
        assert one.p_value == two.p_value == three.p_value
        assert one.low == two.low == three.low


def test_a_label_that_one_model_alone_predicts():
    """Each model has its own label set, so that the other's slip does not leave it without a figure."""
    y = [0, 0, 1, 1, 0, 1] * 10
    first = [0, 1, 1, 1, 0, 0] * 10
    second = [0, 0, 1, 2, 0, 1] * 10
    metrics = ["accuracy", "kappa", "balanced_accuracy"]
    found = assay.compare(actual=y, predicted={"a": first, "b": second}, task="multiclass", metrics=metrics)
    assert found["kappa"].values[0] == pytest.approx(
        assay.metrics.kappa(assay.rows(actual=y, predicted=first))
    )
    assert found["kappa"].low is not None
    assert "(b)" in found["balanced_accuracy"].difference.reason


def test_an_object_that_keeps_its_rows_is_compared_by_them():
    """As an evaluation is: any object with rows is a model."""

    class KeepsRows:
        def __init__(self, rows):
            self.rows = rows

    y, _, predicted = models(30)
    a, b = (assay.rows(actual=y, predicted=p) for p in predicted.values())
    assert (
        assay.compare(KeepsRows(a), KeepsRows(b))["accuracy"].p_value
        == assay.compare(a, b)["accuracy"].p_value
    )


SHAPES = {
    "8 unequal groups": (8, True, 0.3, "row"),
    "15 unequal groups": (15, True, 0.3, "row"),
    "8 groups, 4% positive": (8, False, 0.04, "row"),
    "20 groups, label by group": (20, False, 0.5, "group"),
}


def twins(random, groups, prevalence, *, unequal, labels):
    """Two models of one quality on rows in groups, which share half of their noise."""
    size = np.exp(random.standard_normal(groups)) if unequal else np.ones(groups)
    group = np.repeat(np.arange(groups), np.maximum(np.rint(size / size.sum() * 400).astype(int), 2))
    n = len(group)
    rate = (random.random(groups) < prevalence)[group] if labels == "group" else np.full(n, prevalence)
    actual = random.random(n) < rate

    def noise():
        return 0.5 * random.standard_normal(groups)[group] + math.sqrt(0.75) * random.standard_normal(n)

    common = noise()
    scores = {name: 1.5 * actual + (common + noise()) / math.sqrt(2) for name in "ab"}
    return actual.astype(int), scores, group


@pytest.mark.parametrize("shape", SHAPES)
def test_models_of_one_quality_seldom_differ_on_few_unequal_groups(shape):
    """In no more than 5% of the samples, within what chance does to so many."""
    groups, unequal, prevalence, labels = SHAPES[shape]
    names = ["accuracy", "recall", "precision", "balanced_accuracy", "auc"]
    random, rejected, tested, samples = np.random.default_rng(3), dict.fromkeys(names, 0), 0, 120
    for _ in range(samples):
        actual, scores, group = twins(random, groups, prevalence, unequal=unequal, labels=labels)
        if not 0 < actual.sum() < len(actual):
            continue
        tested += 1
        predicted = {name: (score > 0.75).astype(int) for name, score in scores.items()}
        found = assay.compare(
            actual=actual, predicted=predicted, score=scores, group=group, metrics=names, correction=None
        )
        for one in found:
            rejected[one.metric] += not isinstance(one.p_value, Undefined) and one.p_value < 0.05
    assert tested > 0.9 * samples
    for name, count in rejected.items():
        assert count / tested <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / tested), name


def test_five_groups_that_agree_are_no_proof():
    """Of 40 groups five differ, all for one model: by chance that is 2 in 32."""
    group = np.repeat(np.arange(40), 10)
    actual = np.ones(400, dtype=int)
    first, second = np.ones(400, dtype=int), np.ones(400, dtype=int)
    first[:50:10] = 0
    (one,) = assay.compare(
        actual=actual, predicted={"a": first, "b": second}, group=group, metrics="accuracy", correction=None
    )
    assert one.p_value == pytest.approx(2 / 32)


def test_four_weighted_rows_that_agree_are_no_proof():
    """Only four rows differ, all for one model: by chance that is 2 in 16, and p is not below 0.05."""
    first, second = np.ones(400, dtype=int), np.ones(400, dtype=int)
    first[:4] = 0
    (one,) = assay.compare(
        actual=np.ones(400, dtype=int), predicted={"a": first, "b": second},
        weight=np.full(400, 2.0), metrics="accuracy", correction=None,
    )  # fmt: skip
    assert 0.05 < one.p_value < 0.2
