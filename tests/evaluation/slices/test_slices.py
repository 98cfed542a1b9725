import math

import numpy as np
import pytest

import assay
from assay.errors import ColumnError, InputError, MetricError
from assay.evaluation import Evaluation
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.metrics import find
from assay.tallies.leave_one_out import leave_one_out_tallies


def table(n=600, seed=3, **more):
    """Return rows of two classes with scores, places and ages, worse in the south."""
    random = np.random.default_rng(seed)
    at = random.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2])
    score = random.random(n).round(2)
    flip = random.random(n) < np.where(at == "south", 0.4, 0.05)
    actual = (random.random(n) < np.where(flip, 1 - score, score)).astype(int)
    names = np.array(["ham", "spam"])
    columns = {
        "actual": names[actual],
        "predicted": names[(score >= 0.5).astype(int)],
        "score": score,
        "at": at,
        "age": random.normal(45, 15, n),
        "weight": random.choice([0.5, 1.0, 2.25], n),
        "person": random.integers(0, 80, n),
    }
    return columns | more


def judged(columns, **more):
    roles = {"actual": "actual", "predicted": "predicted", "score": "score", "positive": "spam", "by": "at"}
    return assay.evaluate(columns, **(roles | more))


def filtered(columns, mask, **more):
    return judged({name: values[mask] for name, values in columns.items()}, **({"by": None} | more))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"weight": "weight"},
        {"group": "person"},
        {"weight": "weight", "group": "person"},
        {"predicted": None},
        {"predicted": None, "weight": "weight", "threshold": 0.3},
        {"score": None},
        {"beta": 2, "confidence": 0.9},
    ],
    ids=str,
)
def test_a_slice_is_the_evaluation_of_its_rows(more):
    """Every figure of a slice, interval and all, is what evaluating the filtered rows gives."""
    columns = table()
    slices = judged(columns, **more).slices["at"]
    assert list(slices) == ["north", "south", "west"]
    for label, ev in slices.items():
        alone = filtered(columns, columns["at"] == label, **more)
        assert ev.n == alone.n == slices.sizes[label]
        assert list(ev) == list(alone)
        for name in alone:
            assert ev[name] == alone[name], name
            assert ev[name].method == alone[name].method


def test_other_problems_are_sliced_as_well():
    """Classes, ordered ones, numbers and ranked lists: each slice is the evaluation of its rows."""
    random = np.random.default_rng(5)
    n = 400
    by, classes = random.choice(["a", "b"], n), np.array(["x", "y", "z"])
    truth = random.integers(0, 3, n)
    said = np.where(random.random(n) < 0.7, truth, random.integers(0, 3, n))
    scores = random.dirichlet(np.ones(3), n)
    numbers = random.normal(size=n)
    problems = [
        {"actual": classes[truth], "predicted": classes[said]},
        {"actual": classes[truth], "predicted": classes[said], "score": scores, "labels": ["x", "y", "z"]},
        {"actual": truth, "predicted": said, "task": "ordinal"},
        {"actual": numbers, "predicted": numbers + random.normal(size=n)},
    ]
    for roles in problems:
        slices = assay.evaluate(**roles, by=by).slices["by"]
        for label, ev in slices.items():
            kept = {
                key: value[by == label] if isinstance(value, np.ndarray) else value
                for key, value in roles.items()
            }
            alone = assay.evaluate(**kept)
            assert {name: repr(ev[name]) for name in alone} == {name: repr(alone[name]) for name in alone}
        assert len(str(slices).splitlines()) > 8
    query = np.repeat(np.arange(100), 4)
    of_list = np.where(query < 60, "web", "mail")
    roles = {"actual": (scores[:, 0] > 0.5).astype(int), "score": scores[:, 1], "query": query}
    slices = assay.evaluate(**roles, by=of_list).slices["by"]
    assert slices.sizes == {"mail": 40, "web": 60}
    alone = assay.evaluate(**{name: values[query < 60] for name, values in roles.items()})
    assert slices["web"]["ndcg"] == alone["ndcg"]
    with pytest.raises(InputError, match="list 0 lies in two slices"):
        assay.evaluate(**roles, by=np.tile(["u", "v"], 200)).slices["by"]


@pytest.mark.parametrize("more", [{}, {"weight": "weight"}], ids=str)
def test_a_slice_is_compared_with_all_other_rows(more):
    """Differences, intervals and p-values are those of comparing the two filtered sets of rows unpaired.

    Of means of losses they are no surer: if the slice is like the rest, the rest knows its spread better.
    """
    columns = table()
    slices = judged(columns, **more).slices["at"]
    names = ["accuracy", "precision", "recall", "f1", "auc", "average_precision", "brier"]
    found = slices.differences(names)
    assert len(found) == 3 * len(names)
    for label in slices:
        inside = columns["at"] == label
        part, rest = (filtered(columns, mask, **more) for mask in (inside, ~inside))
        told = {name: (found[label, name].values[0], found[label, name].values[1]) for name in names}
        assert told == {name: (rest[name].value, part[name].value) for name in names}
        bare = [Evaluation(ev.task, ev.settings, ev.tallies) for ev in (rest, part)]
        compared = assay.compare(*bare, metrics=names, correction=None, names=["rest", "part"])
        for name in names:
            mine, theirs = found[label, name], compared[name]
            if name == "brier":
                assert (mine.difference, mine.method) == (theirs.difference, theirs.method)
                assert mine.low <= theirs.low
                assert mine.high >= theirs.high
                assert mine.p_value >= theirs.p_value
                continue
            assert (mine.difference, mine.low, mine.high, mine.p_value, mine.method) == (
                theirs.difference, theirs.low, theirs.high, theirs.p_value, theirs.method,
            )  # fmt: skip


def test_what_tallies_cannot_tell_the_rows_do():
    """The spread of RMSE needs rows: it is that of comparing the rows unpaired. A median has no test."""
    columns = table()
    actual = columns["age"]
    predicted = actual + np.random.default_rng(1).normal(size=600)
    ev = assay.evaluate(actual=actual, predicted=predicted, by=columns["at"])
    inside = columns["at"] == "south"
    rest, part = (assay.rows(actual=actual[mask], predicted=predicted[mask]) for mask in (~inside, inside))
    theirs = assay.compare(rest, part, metrics="rmse", paired=False, correction=None)["rmse"]
    mine = ev.slices["by"].differences("rmse")["south", "rmse"]
    assert (mine.difference, mine.standard_error) == (theirs.difference, theirs.standard_error)
    assert mine.low <= theirs.low
    assert theirs.p_value <= mine.p_value < 1
    assert not any(line["p_value"] is None for line in ev.slices["by"].lines())
    median = ev.slices["by"].lines("median_absolute_error")[0]
    assert median["difference_low"] < median["difference"] < median["difference_high"]
    assert median["p_value"] is None


def test_p_values_are_corrected_over_all_that_is_shown():
    """Holm's correction over every slice and metric of the table, and of nothing else."""
    slices = judged(table()).slices["at"]
    found = list(slices.differences().values())
    assert len(found) == 12
    assert [one.family for one in found] == [12] * 12
    assert [one.adjusted for one in found] == holm([one.p_value for one in found]).tolist()
    assert [line["adjusted_p_value"] for line in slices.lines()] == [one.adjusted for one in found]


def test_of_two_slices_each_is_the_rest_of_the_other():
    """There is one test for both, counted once; the second line is the first turned round."""
    columns = table()
    columns["at"] = np.where(columns["at"] == "south", "south", "else")
    slices = judged(columns).slices["at"]
    assert {one.family for one in slices.differences().values()} == {4}
    first, second = (line for line in slices.lines("recall"))
    assert first["difference"] == -second["difference"]
    assert (first["difference_low"], first["p_value"]) == (-second["difference_high"], second["p_value"])
    assert (first["rest"], first["value"]) == (second["value"], second["rest"])


def test_groups_on_both_sides_are_left_out_together():
    """The variance of a difference is that of leaving out each group, wherever its rows lie."""
    columns = table()
    found = judged(columns, group="person").slices["at"].differences(["recall", "auc"])
    inside = columns["at"] == "south"

    def difference(name, kept):
        told = {"positive": "spam"} if name == "recall" else {}
        part, rest = (
            assay.rows(
                actual=columns["actual"][mask & kept], predicted=columns["predicted"][mask & kept],
                score=columns["score"][mask & kept], positive="spam",
            )
            for mask in (inside, ~inside)
        )  # fmt: skip
        return find(name)(part, **told) - find(name)(rest, **told)

    for name, near in (("recall", 1e-9), ("auc", 0.03)):  # an area is not linear in the rows
        whole = difference(name, np.ones(600, dtype=bool))
        without = np.array([difference(name, columns["person"] != person) for person in range(80)])
        error = math.sqrt(79 / 80 * float(np.sum((without - whole) ** 2)))
        assert found["south", name].standard_error == pytest.approx(error, rel=near)
        assert found["south", name].groups == 80


def test_groups_of_one_row_each_are_no_groups():
    """Where every row is its own group, the test is nearly that of plain rows."""
    columns = table(2000)
    columns["row"] = np.arange(2000)
    grouped = judged(columns, group="row").slices["at"].differences("recall")
    plain = judged(columns).slices["at"].differences("recall")
    for key, one in grouped.items():
        assert one.difference == pytest.approx(plain[key].difference, rel=1e-12)
        assert one.p_value == pytest.approx(plain[key].p_value, abs=0.02)
        assert one.low == pytest.approx(plain[key].low, abs=0.01)


def test_chance_alone_is_seldom_taken_for_a_difference():
    """Where no slice differs, a table names one in at most about 5 of 100 cases."""
    random = np.random.default_rng(11)
    named = 0
    for _ in range(200):
        n = 500
        score = random.random(n)
        actual = (random.random(n) < score).astype(int)
        by = random.choice(list("abcd"), n)
        ev = assay.evaluate(actual=actual, score=score, by=by)
        named += any(one.decided for one in ev.slices["by"].differences().values())
    assert named <= 18  # 200 draws of 0.05 exceed it once in 100 times


def test_small_slices_are_shown_but_not_tested():
    """A slice of 29 rows has its figures, is flagged, and takes no part in the correction; 30 are enough."""
    columns = table()
    south = np.flatnonzero(columns["at"] == "south")
    for size, tested in ((29, False), (30, True)):
        changed = columns | {"at": columns["at"].astype("U10")}
        changed["at"][south[:size]] = "tiny"
        slices = judged(changed).slices["at"]
        assert (("tiny", "recall") in slices.differences()) is tested
        assert ("tiny" in slices.too_few) is not tested
        lines = [line for line in slices.lines("recall") if line["slice"] == "tiny"]
        assert [line["too_few"] for line in lines] == [not tested]
        assert lines[0]["value"] is not None
        assert ("fewer than 30 rows" in str(slices)) is not tested


def test_few_groups_or_few_of_a_class_are_not_tested():
    """Ten groups at least, and ten rows of either class for what ranks them."""
    columns = table()
    columns["person"] = np.where(columns["at"] == "south", columns["person"] % 9, columns["person"] + 100)
    assert judged(columns, group="person").slices["at"].too_few == {"south": "fewer than 10 groups"}
    columns = table()
    spam = np.flatnonzero((columns["at"] == "west") & (columns["actual"] == "spam"))
    keep = np.ones(600, dtype=bool)
    keep[spam[9:]] = False
    ev = filtered(columns, keep, by="at")
    lines = {line["slice"]: line for line in ev.slices["at"].lines("auc")}
    assert lines["west"]["p_value"] is None
    assert lines["west"]["reason"] == "fewer than 10 rows of a class"
    assert lines["north"]["p_value"] is not None


def test_a_small_rest_is_not_tested_against():
    """A slice of nearly all rows has no rest to speak of."""
    columns = table()
    columns["at"] = np.where(np.arange(600) < 20, "few", "most")
    slices = judged(columns).slices["at"]
    assert slices.too_few == {"few": "fewer than 30 rows", "most": "fewer than 30 rows in the rest"}
    assert slices.differences() == {}
    assert slices.summary == "No slice could be tested against the rest."


def test_too_many_slices_are_refused():
    """A column with a label for each row is no column to slice by."""
    columns = table(1200, user=np.array([f"user {i}" for i in range(1200)]))
    with pytest.raises(InputError, match="1,200 slices by user, and at most 1,000 are allowed"):
        judged(columns, by="user").slices["user"]


def test_columns_are_crossed():
    """Each column alone and all of them crossed; any others for the asking."""
    columns = table(sex=np.tile(["f", "m"], 300))
    slices = judged(columns, by=["at", "age", "sex"], edges={"age": [40]}).slices
    assert list(slices) == ["at", "age", "sex", ("at", "age", "sex")]
    assert list(slices["age"]) == ["1: below 40", "2: 40 or more"]
    crossed = slices["at", "sex"]
    assert list(crossed)[:2] == [("north", "f"), ("north", "m")]
    mask = (columns["at"] == "south") & (columns["sex"] == "m")
    assert crossed["south", "m"]["f1"] == filtered(columns, mask)["f1"]
    assert sum(crossed.shares.values()) == pytest.approx(1)
    assert "south · m" in str(crossed)
    with pytest.raises(ColumnError, match='not sliced by "set", but by "at", "age", "sex"'):
        slices["set"]
    with pytest.raises(ColumnError, match="each column once"):
        slices["at", "at"]


def test_numbers_are_cut_at_their_quartiles():
    """Quantities fall into four slices of about a quarter each; few whole numbers are names."""
    columns = table(4000, stars=np.arange(4000) % 5)
    slices = judged(columns, by=["age", "stars"]).slices
    assert len(slices["age"]) == 4
    assert all(abs(share - 0.25) < 0.02 for share in slices["age"].shares.values())
    assert list(slices["stars"]) == [0, 1, 2, 3, 4]
    edges = np.quantile(columns["age"], [0.25, 0.5, 0.75])
    inside = (columns["age"] >= round(edges[0])) & (columns["age"] < round(edges[1]))
    assert slices["age"].sizes[list(slices["age"])[1]] == inside.sum()
    assert len(judged(columns | {"age": np.full(4000, 1.5)}).slices["at"]) == 3
    assert list(judged(columns | {"age": np.full(4000, 1.5)}, by="age").slices["age"]) == ["1.5"]


def test_wrong_ways_to_slice_say_what_to_do():
    """Every refusal names the column and the way out."""
    columns = table(60, wait=np.full(60, 3, dtype="m8[D]"))
    with pytest.raises(ColumnError, match="turn durations into numbers"):
        judged(columns, by="wait")
    with pytest.raises(ColumnError, match="edges= cuts numbers, but at holds text"):
        judged(columns, edges={"at": [1]})
    with pytest.raises(ColumnError, match=r'not sliced by: by= has "age"\. Did you mean "age"'):
        judged(columns, by="age", edges={"ages": [1]})
    with pytest.raises(ColumnError, match="nothing to slice by"):
        _ = judged(columns, by=None).slices
    lists = {"actual": [1, 0, 1, 0], "score": [0.1, 0.4, 0.2, 0.3], "query": [1, 1, 2, 2]}
    torn = assay.evaluate(**lists, by=["a", "b", "a", "a"])
    with pytest.raises(InputError, match="lies in two slices"):
        _ = torn.slices["by"]
    with pytest.raises(InputError, match="holds neither"):
        _ = torn.merge(assay.evaluate(**lists | {"query": [3, 3, 4, 4]}, by=["a"] * 4)).slices
    with pytest.raises(MetricError, match="metrics= is empty"):
        judged(columns).slices["at"].lines([])
    with pytest.raises(KeyError):
        judged(columns).slices["at"]["east"]
    with pytest.raises(Exception, match="missing"):
        judged(columns | {"age": np.append(np.nan, columns["age"][1:])}, by="age")


def test_the_table_fits_a_terminal_and_claims_no_more_than_it_shows():
    """Lines of 80 columns at most; the worst slice is named with its interval, or none is."""
    text = str(judged(table()).slices["at"])
    assert max(map(len, text.splitlines())) <= 80
    assert "is lower for south than for the rest by" in text
    assert "p corrected by Holm over 12 tests" in text.replace("\n", " ")
    assert "likely smaller than it looks" in text.replace("\n", " ")
    even = table(at=np.tile(["a", "b", "c"], 200))
    summary = judged(even).slices["at"].summary
    assert summary.startswith("No slice differs from the rest beyond chance (smallest Holm p = ")
    alone = judged(table(at=np.full(600, "here"))).slices["at"]
    assert alone.summary == "No slice could be tested against the rest."
    long = table(at=np.array(["a very long name of a place, longer than any table " * 3, "b"] * 300))
    assert max(map(len, str(judged(long).slices["at"]).splitlines())) <= 80


def test_the_rest_is_the_whole_without_the_part():
    """What is left of any tally without a part is, to the bit, the tally of the other rows."""
    columns = table()
    ev = judged(columns)
    weighted = judged(columns, weight="weight")
    numbers = assay.evaluate(
        actual=columns["age"], predicted=columns["age"] + columns["score"], by=columns["at"]
    )
    for whole, name in (
        (ev, "scores"), (ev, "confusion"), (weighted, "scores"), (weighted, "confusion"), (numbers, "moments"),
    ):  # fmt: skip
        slices = next(iter(whole.slices.values()))
        parts = [one.tallies[name] for one in slices.values()]
        others = [assay.merge([two for two in parts if two is not one]) for one in parts]
        assert list(leave_one_out_tallies(whole.tallies[name], parts)) == others


def test_what_cannot_be_compared_is_shown():
    """Calibration error grows as rows get fewer: slices have theirs, and no test."""
    slices = judged(table()).slices["at"]
    lines = slices.lines(["expected_calibration_error", "recall"])
    assert [line["value"] is not None for line in lines] == [True] * 6
    assert [line["p_value"] is None for line in lines] == [True] * 3 + [False] * 3
    assert {one.family for one in slices.differences(["expected_calibration_error", "recall"]).values()} == {
        3
    }


def test_slices_follow_the_threshold():
    """Judged at another threshold, so are the slices."""
    columns = table()
    ev = judged(columns, predicted=None).at(0.8)
    mask = columns["at"] == "west"
    assert (
        ev.slices["at"]["west"]["recall"] == filtered(columns, mask, predicted=None, threshold=0.8)["recall"]
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_slices_are_frames_too(library):
    """The table of slices comes as a frame of any library; of all columns one below the other."""
    ev = judged(table(), by=["at", "age"])
    frame = ev.slices["at"].to_frame(library, metrics=["accuracy", "recall"])
    assert type(frame).__module__.startswith(library)
    assert list(frame["slice"].to_pylist() if library == "pyarrow" else frame["slice"]) == [
        line["slice"] for line in ev.slices["at"].lines(["accuracy", "recall"])
    ]
    whole = ev.slices.to_frame(metrics="recall")
    assert list(dict.fromkeys(whole["by"])) == ["at", "age", "at x age"]


def test_a_slice_without_a_hit_is_not_taken_for_certain():
    """0 of 13 found, in the rest 15%: with weights and in groups as unsure as Fisher's exact test is.

    Weights that are all 2 are none.
    """
    n, random = 1013, np.random.default_rng(5)
    actual = np.r_[np.ones(13), np.ones(200), np.zeros(800)].astype(int)
    predicted = np.r_[np.zeros(13), np.ones(30), np.zeros(170), np.zeros(800)].astype(int)
    slices = np.where((np.arange(n) < 13) | (np.arange(n) >= 900), "few", "rest")
    columns = {"actual": actual, "predicted": predicted, "at": slices, "w": random.uniform(0.5, 2, n)}
    columns["g"] = np.arange(n)
    plain = assay.evaluate(columns, actual="actual", predicted="predicted", by="at").slices["at"]
    exact = plain.differences("recall")["few", "recall"].p_value
    assert exact > 0.1
    for more in ({"weight": "w"}, {"group": "g"}):
        found = assay.evaluate(columns, actual="actual", predicted="predicted", by="at", **more).slices["at"]
        for name in ("recall", "balanced_accuracy", "f1"):
            one = found.differences(name)["few", name]
            assert one.p_value > 0.05, (name, more)
        one = found.differences("recall")["few", "recall"]
        assert one.p_value == pytest.approx(exact, abs=0.1)
        assert one.low < one.difference < one.high
    columns["w"] = np.full(n, 2.0)
    even = assay.evaluate(columns, actual="actual", predicted="predicted", by="at", weight="w").slices["at"]
    for name in ("recall", "balanced_accuracy", "f1", "accuracy"):
        one, other = (slices.differences(name)["few", name] for slices in (plain, even))
        assert (one.p_value, one.low, one.high) == pytest.approx((other.p_value, other.low, other.high))
        assert one.method == other.method


@pytest.mark.parametrize("weighted", [False, True])
def test_the_rests_of_some_slices_are_those_of_all(weighted):
    """Leaving out only the parts at some indices gives their rests, of scores and of counts."""
    ev = judged(table(), **({"weight": "weight"} if weighted else {}))
    for name in ("auc", "accuracy"):
        whole = ev.reading(name)[1]
        parts = [part.reading(name)[1] for part in ev.slices["at"].values()]
        every = list(leave_one_out_tallies(whole, parts))
        assert list(leave_one_out_tallies(whole, parts, [0, 2])) == [every[0], every[2]]
        assert list(leave_one_out_tallies(whole, parts, [])) == []
