"""assay.agreement: both forms of input, estimates, the odd one out, a judge against people, mistakes."""

import itertools
import math

import numpy as np
import pytest
from support.reference_figures import oracle

import assay
from assay.metrics import Undefined

JUDGES = oracle("judges")
FLEISS = JUDGES["raters"]["fleiss_1971"]["data"]
KRIPPENDORFF = JUDGES["raters"]["krippendorff_2011"]["data"]


def wide(data):
    return {f"r{index}": list(column) for index, column in enumerate(zip(*data, strict=True))}


def long(data):
    rows = [(i, f"r{r}", value) for i, row in enumerate(data) for r, value in enumerate(row)]
    return dict(zip(("item", "rater", "rating"), map(list, zip(*rows, strict=True)), strict=True))


def test_fleiss_1971_as_published():
    """Thirty patients, six psychiatrists: kappa .430, z 17.65, the error of items .0542 and not .0244."""
    table = wide(FLEISS)
    result = assay.agreement(table, raters=list(table))
    kappa = result["fleiss_kappa"]
    assert kappa.value == pytest.approx(0.430245, abs=1e-6)
    assert kappa.standard_error == pytest.approx(0.05420, abs=6e-6)
    assert result.tests["fleiss_kappa"].statistic == pytest.approx(17.6518, abs=1e-4)
    assert [round(item.value, 3) for item in result.by_category.values()] == [
        0.245,
        0.245,
        0.52,
        0.471,
        0.566,
    ]
    assert result.items == 30
    assert result.ratings == 180
    # atanh-t on items, by hand
    t = 2.045229642132703  # of 29 degrees of freedom
    low = math.tanh(math.atanh(kappa.value) - t * kappa.standard_error / (1 - kappa.value**2))
    assert kappa.low == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorff_2011_as_published(level, expected):
    """Four observers, twelve units, with missing ratings."""
    table = wide(KRIPPENDORFF)
    assert (
        round(assay.agreement(table, raters=list(table), level=level)["krippendorff_alpha"].value, 3)
        == expected
    )


def test_wide_and_long_forms_and_merged_tallies_are_one():
    """However the ratings come, and in however many parts, the result is the same to the bit."""
    table, rows = wide(KRIPPENDORFF), long(KRIPPENDORFF)
    first = assay.agreement(table, raters=list(table))
    second = assay.agreement(rows, item="item", rater="rater", rating="rating")
    halves = [assay.Ratings.of({name: column[part] for name, column in table.items()})
              for part in (slice(0, 5), slice(5, None))]  # fmt: skip
    merged = assay.merge(halves)
    assert merged == assay.Ratings.of(table) == assay.Ratings.of_long(*rows.values())
    third = assay.agreement(merged)
    assert first.to_dict() == second.to_dict() == third.to_dict()
    assert first.to_dict() == assay.agreement(raters=table).to_dict()


def test_a_judge_against_people_is_the_definition():
    """With every person set aside in turn, judge and person are held against the same others."""
    case = JUDGES["judge_versus_people"]
    people, judge = case["data"]["people"], case["data"]["judge"]
    table = wide(people) | {"judge": judge}
    result = assay.agreement(table, raters=list(table), against="judge")
    found, expected = result.against, case["values"]
    assert found.difference.value == pytest.approx(expected["difference"], abs=1e-11)
    assert found.difference.standard_error == pytest.approx(expected["se"], abs=1e-10)
    assert (found.difference.low, found.difference.high) == pytest.approx(
        (expected["low"], expected["high"]), abs=1e-9
    )
    for person, reference in zip(found.people, expected["per_person"], strict=True):
        assert person.judge == pytest.approx(reference["judge"], abs=1e-11)
        assert person.agreement == pytest.approx(reference["person"], abs=1e-11)
        assert person.difference.standard_error == pytest.approx(reference["se"], abs=1e-10)
    each = []
    for row, own in zip(people, judge, strict=True):
        gaps = []
        for person in range(4):
            others = [value for index, value in enumerate(row) if index != person]
            gaps.append(
                np.mean([own == value for value in others]) - np.mean([row[person] == v for v in others])
            )
        each.append(np.mean(gaps))
    assert found.difference.value == pytest.approx(np.mean(each))
    assert found.verdict == "not shown"
    assert result.raters == ("r0", "r1", "r2", "r3"), "the judge is no person"
    without = assay.agreement(wide(people), raters=list(wide(people)))
    assert result["fleiss_kappa"] == without["fleiss_kappa"]


def _crowd(n=300, seed=3):
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 3, n)
    return {
        name: np.where(draw.random(n) < right, truth, draw.integers(0, 3, n)).tolist()
        for name, right in (("ann", 0.85), ("bob", 0.85), ("cyn", 0.85), ("dee", 0.4), ("judge", 0.95))
    }


def test_the_odd_one_out_and_a_better_judge():
    """A careless rater is found, a judge better than people is called so, and it passes the alternative test."""
    table = _crowd()
    result = assay.agreement(table, raters=list(table), against="judge")
    assert result.odd_one_out == "dee"
    assert result.against.verdict == "better"
    assert result.against.alternative_test["passes"]
    assert "dee agrees with the others less" in result.text()
    alike = {name: table[name] for name in ("ann", "bob", "cyn")}
    assert assay.agreement(alike, raters=list(alike)).odd_one_out is None


def test_pairs_are_cohens_kappa():
    """Each pair as the catalogue has it, on the items that both rated."""
    table = _crowd(80)
    result = assay.agreement(table, raters=list(table))
    assert len(result.pairs) == 10
    for pair in result.pairs:
        rows = assay.rows(actual=table[pair.first], predicted=table[pair.second])
        assert pair.kappa == pytest.approx(assay.metrics.kappa(assay.Confusion.of(rows)))
    light = np.mean([pair.kappa for pair in result.pairs])
    assert result["light_kappa"].value == pytest.approx(light)


def test_clusters_widen_the_interval():
    """Items repeated three times in a cluster are one item: the error is that of the clusters."""
    table = _crowd(60)
    once = assay.agreement(table, raters=list(table))
    thrice = {name: column * 3 for name, column in table.items()}
    clustered = assay.agreement(thrice, raters=list(table), group=list(range(60)) * 3)
    naive = assay.agreement(thrice, raters=list(table))
    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "conger_kappa"):
        assert clustered[name].standard_error == pytest.approx(once[name].standard_error, rel=0.01)
        assert naive[name].standard_error < 0.7 * clustered[name].standard_error
        assert clustered[name].groups == 60


def test_declared_labels_count_and_order():
    """Categories that do not occur count for AC1, and their order for weights."""
    table = {"a": ["low", "mid", "low", "mid", "low"], "b": ["low", "mid", "mid", "mid", "low"]}
    seen = assay.agreement(table, raters=["a", "b"])
    declared = assay.agreement(table, raters=["a", "b"], labels=["low", "mid", "high"])
    assert seen["gwet_ac1"].value != declared["gwet_ac1"].value
    rows = assay.rows(actual=table["a"], predicted=table["b"], labels=["low", "mid", "high"])
    assert declared["gwet_ac1"].value == pytest.approx(assay.metrics.gwet_ac1(assay.Confusion.of(rows)))
    ordinal = assay.agreement(table, raters=["a", "b"], labels=["low", "mid", "high"], weights="linear")
    expected = assay.metrics.gwet_ac2(assay.Confusion.of(rows), weights="linear")
    assert ordinal["gwet_ac2"].value == pytest.approx(expected)


def test_full_agreement_has_a_lower_limit():
    """Raters who always agree have an interval below 1."""
    table = {"a": [1, 2, 3] * 4, "b": [1, 2, 3] * 4}
    kappa = assay.agreement(table, raters=["a", "b"])["fleiss_kappa"]
    assert kappa.value == 1
    assert 0.5 < kappa.low < 1
    assert kappa.high == 1
    assert "Wilson" in kappa.method


def test_many_distinct_numbers():
    """Scores without ties have alpha of interval level and ICC, and no kappa."""
    draw = np.random.default_rng(1)
    truth = draw.normal(size=700)
    table = {name: truth + draw.normal(0, 0.5, 700) for name in "abc"}
    result = assay.agreement(table, raters=list(table), level="interval")
    assert "fleiss_kappa" not in result.estimates
    assert result["icc_2_1"].value == pytest.approx(0.8, abs=0.03)
    assert result["krippendorff_alpha"].value == pytest.approx(result["icc_2_1"].value, abs=0.01)
    assert isinstance(assay.agreement(table, raters=list(table))["krippendorff_alpha"].value, Undefined)


def test_every_frame_library():
    """Data frames give what dicts give."""
    table = _crowd(40)
    expected = assay.agreement(table, raters=list(table)).to_dict()
    for library in ("pandas", "polars", "pyarrow"):
        module = pytest.importorskip(library)
        frame = module.table(table) if library == "pyarrow" else module.DataFrame(table)
        result = assay.agreement(frame, raters=list(table))
        assert result.to_dict() == expected
        assert type(result.to_frame()).__module__.startswith(library)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "name a column of ratings"),
        ({"raters": ["a"]}, "two raters or more"),
        ({"raters": "a"}, "one column"),
        ({"raters": ["a", "a"]}, "twice"),
        ({"raters": ["a", "nope"]}, 'no column "nope"'),
        ({"item": "a", "rater": "b"}, "name a column of ratings"),
        ({"raters": ["a", "b"], "level": "best"}, "nominal"),
        ({"raters": ["a", "b"], "against": "c"}, "not one of the raters"),
        ({"raters": ["a", "b"], "labels": [1]}, "not among"),
        ({"raters": ["a", "b"], "weights": "cubic"}, "not known"),
        ({"item": "b", "rater": "a", "rating": "b"}, "rated the item 1 twice"),
    ],
)
def test_mistakes_are_named(arguments, message):
    """What is wrong is said, with the parameter to use."""
    with pytest.raises(assay.AssayError, match=message):
        assay.agreement({"a": [1, 1, 2], "b": [1, 1, 1]}, **arguments)


def test_ten_raters_by_loops():
    """Percent agreement and Fleiss from plain loops over many raters with gaps."""
    draw = np.random.default_rng(8)
    data = [[int(v) if draw.random() < 0.7 else None for v in draw.integers(0, 4, 10)] for _ in range(25)]
    table = wide(data)
    result = assay.agreement(table, raters=list(table))
    shares, agree = np.zeros(4), []
    for row in data:
        votes = [value for value in row if value is not None]
        shares += [votes.count(k) / len(votes) for k in range(4)]
        agree.append(np.mean([a == b for a, b in itertools.permutations(votes, 2)]))
    expected = float(((shares / len(data)) ** 2).sum())
    assert result["percent_agreement"].value == pytest.approx(np.mean(agree))
    assert result["fleiss_kappa"].value == pytest.approx((np.mean(agree) - expected) / (1 - expected))


def test_a_single_group_shows_no_spread():
    votes = {"a": list("xyz") * 4, "b": list("xyx") * 4, "document": [7] * 12}
    result = assay.agreement(votes, raters=["a", "b"], group="document")
    assert result["fleiss_kappa"].low is None
    assert "single group" in result["fleiss_kappa"].note


def test_groups_that_are_alike_have_no_interval_rather_than_one_of_no_width():
    votes = {"a": list("xyz") * 4, "b": list("xyx") * 4, "document": [0, 1] * 6}
    result = assay.agreement(votes, raters=["a", "b"], group="document")
    for name in ("krippendorff_alpha", "gwet_ac1", "conger_kappa", "percent_agreement"):
        assert result[name].low is None
        assert name not in result.tests


def test_full_agreement_of_groups_counts_groups():
    votes = {"a": list("xyz") * 4, "b": list("xyz") * 4, "document": np.repeat([0, 1, 2], 4)}
    rows, groups = (assay.agreement(votes, raters=["a", "b"], group=group) for group in (None, "document"))
    assert groups["fleiss_kappa"].low < rows["fleiss_kappa"].low
    z2 = 1.959963984540054**2
    assert groups["percent_agreement"].low == pytest.approx(3 / (3 + z2), rel=1e-9)  # Wilson, 3 of 3


def test_words_have_no_distance_and_no_order_by_the_alphabet():
    votes = {"a": ["poor", "fair", "good", "fair"], "b": ["poor", "good", "good", "fair"]}
    for options in ({"level": "interval"}, {"level": "ratio"}):
        with pytest.raises(assay.errors.InputError, match="numbers"):
            assay.agreement(votes, raters=["a", "b"], **options)
    for options in ({"level": "ordinal"}, {"weights": "linear"}):
        with pytest.raises(assay.errors.InputError, match="order"):
            assay.agreement(votes, raters=["a", "b"], **options)
        assay.agreement(votes, raters=["a", "b"], labels=["poor", "fair", "good"], **options)


def test_weights_may_be_an_array():
    votes = {"a": list("xyzx") * 3, "b": list("xyxz") * 3}
    table = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    by_table = assay.agreement(votes, raters=["a", "b"], weights=table)
    by_name = assay.agreement(votes, raters=["a", "b"], weights="linear", labels=["x", "y", "z"])
    assert float(by_table["gwet_ac2"]) == float(by_name["gwet_ac2"])
    with pytest.raises(assay.errors.InputError, match="symmetric"):
        assay.agreement(votes, raters=["a", "b"], weights=np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("votes", "options", "message"),
    [
        ({"a": [None] * 3, "b": [None] * 3}, {}, "no ratings"),
        ({"a": [], "b": []}, {}, "no ratings"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"against": "b"}, "two people"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"epsilon": "x"}, "epsilon"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"margin": math.nan}, "margin"),
    ],
)
def test_nothing_to_agree_on_is_said(votes, options, message):
    with pytest.raises(assay.errors.InputError, match=message):
        assay.agreement(votes, raters=["a", "b"], **options)


def test_a_judge_and_people_who_always_agree_are_put_in_words():
    votes = {name: list("xyz") * 4 for name in ("ann", "bob", "judge")}
    text = " ".join(str(assay.agreement(votes, raters=list(votes), against="judge")).split())
    assert "judge agrees with a person on 1.000 of items, people with each other on 1.000" in text


def test_a_coefficient_without_value_says_why():
    text = " ".join(str(assay.agreement({"a": ["x"] * 9, "b": ["x"] * 9}, raters=["a", "b"])).split())
    assert "No value of Krippendorff's alpha" in text


def test_missing_items_get_advice_that_can_be_followed():
    """There is no option to drop rows here, and none is advised."""
    for role in ("item", "rater", "group"):
        roles = {"item": [1, 1], "rater": ["a", "b"], "rating": [1, 2], "group": [1, 1]}
        roles[role] = [roles[role][0], None]
        with pytest.raises(assay.AssayError, match=f"missing in {role} .* Leave such rows out, or fill"):
            assay.agreement(**roles)


def test_one_item_is_singular():
    """Counts of one are in the singular, in the head line and the notes."""
    text = str(assay.agreement({"ann": [1], "bob": [1]}, raters=["ann", "bob"]))
    assert text.startswith("1 item, 2 raters, 2 ratings, none missing; 1 category, nominal")
    assert "1 category occurs" in text
    assert "1 item is few" in text


def test_raters_who_are_opposed_have_no_correlation_of_means():
    """All items have the same mean: a mean's reliability is divided by nothing, and says so."""
    numbers = {"a": np.arange(600) + 0.5, "b": np.arange(600)[::-1] + 0.25}
    result = assay.agreement(numbers, raters=["a", "b"], level="interval")
    assert result["icc_1_1"].value == pytest.approx(-1, abs=1e-3)
    assert isinstance(result["icc_1_k"].value, Undefined)
    assert "too many for kappas" in " ".join(result.notes)


def test_one_rater_in_the_long_form_is_refused():
    """As one column is in the wide form."""
    for data in (None, assay.Ratings.of_long([1, 2], ["a", "a"], [3, 4])):
        roles = {} if data is not None else {"item": [1, 2], "rater": ["a", "a"], "rating": [3, 4]}
        with pytest.raises(assay.InputError, match='two raters or more: "a" is the only one'):
            assay.agreement(data, **roles)


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_the_unit_of_numbers_changes_nothing(level):
    """Squares of very small numbers do not vanish, nor do those of very large ones overflow."""
    draw = np.random.default_rng(4)
    truth = draw.gamma(2, 1, 30)
    votes = {name: truth + draw.gamma(2, 0.2, 30) for name in ("a", "b", "c")}
    plain = assay.agreement(votes, raters=list(votes), level=level)
    tiny = {name: values * 2.0**-700 for name, values in votes.items()}
    scaled = assay.agreement(tiny, raters=list(votes), level=level)
    assert {name: repr(item) for name, item in scaled.estimates.items()} == {
        name: repr(item) for name, item in plain.estimates.items()
    }
    vast = {"a": [1e300, 0.5, 3.0] * 5, "b": [1e300, 1e300, 3.0] * 5}
    assert -1 < assay.agreement(vast, raters=["a", "b"], level=level)["icc_2_1"].value < 1


def test_no_agreement_beyond_chance_is_zero():
    """Not what rounding leaves of it."""
    votes = {"a": ["lo", "hi", "mid"] * 10, "b": ["lo", "lo", "hi"] * 10}
    result = assay.agreement(votes, raters=["a", "b"])
    assert result["conger_kappa"].value == 0
    assert result.pairs[0].kappa == 0


def test_what_has_no_interval_says_why():
    """Below the table, once for all coefficients of one reason."""
    votes = {"a": list("xyz") * 4, "b": list("xyx") * 4, "document": [7] * 12}
    text = " ".join(str(assay.agreement(votes, raters=["a", "b"], group="document")).split())
    assert "No interval of Krippendorff's alpha, Gwet's AC1" in text
    assert "a single group shows no spread." in text
