"""The intervals of figures of ranks: each by its method, of plain, weighted and grouped rows, and at the ends."""

import dataclasses

import numpy as np
import pytest
from support.r_figures import D15_POSITIVE, D15_SCORE, agrees, check_values, r_figures, sms

import assay
from assay.inference.distributions import student_quantile
from assay.inference.formulas.auc import (
    auc_estimate,
    delong,
    delong_interval,
    moderated_auc_interval,
    newcombe_auc_interval,
)
from assay.inference.formulas.average_precision import average_precision_estimate, logit_binomial
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.proportions import wilson
from assay.inference.influence.influence import influence
from assay.metrics import catalogue, find

RANKS = [metric.name for metric in catalogue() if metric.reads.__name__ == "Ranks"]
JUDGED = [name for name in RANKS if find(name).kind == "rank"]


def columns(n=200, share=0.3, shift=1.2, seed=1):
    """Labels and scores."""
    rng = np.random.default_rng(seed)
    actual = (np.arange(n) < share * n).astype(int)
    return actual, actual * shift + rng.normal(size=n)


def apart(m=20, n=30):
    """Rows whose classes do not overlap."""
    return {"actual": [1] * m + [0] * n, "score": [*range(n + 1, n + m + 1), *range(n)]}


def both(found):
    """Its limits."""
    return found.low, found.high


def d15(**more):
    """The rows of the check values."""
    return assay.rows(actual=D15_POSITIVE, score=D15_SCORE, **more)


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_every_figure_of_ranks_has_an_interval_around_it(name, confidence):
    """Within its bounds, wider the surer, the same for rows and tally; weighted and grouped as well."""
    actual, score = columns(400)
    metric, rng = find(name), np.random.default_rng(2)
    rows = assay.rows(actual=actual, score=score)
    plain = assay.estimate(metric, rows, confidence=confidence)
    assert both(plain) == both(assay.estimate(name, assay.Scores.of(rows), confidence=confidence))
    weight = rng.integers(1, 4, len(actual))
    group = rng.integers(0, 40, len(actual))
    heavy = assay.estimate(name, assay.rows(actual=actual, score=score, weight=weight), confidence=confidence)
    grouped = assay.estimate(name, assay.rows(actual=actual, score=score, group=group), confidence=confidence)
    for found in (plain, heavy, grouped):
        if name == "h_measure" and found is grouped:  # positives in fewer than a hundred groups
            assert "too high" in found.note
            continue
        assert metric.bounds[0] <= found.low < found.value < found.high <= metric.bounds[1]
        assert found.method
        assert (found.positives, found.negatives, found.n) == (actual.sum(), 400 - actual.sum(), 400)
    assert grouped.groups == len(set(group.tolist()))
    assert grouped.design_effect > 0
    wider = assay.estimate(name, rows, confidence=confidence + (1 - confidence) / 2)
    assert wider.low < plain.low
    assert wider.high >= plain.high


@pytest.mark.parametrize("name", JUDGED)
def test_rows_that_come_in_pairs_are_half_as_many(name):
    """Each row twice, in a group of two: nearly the interval of the rows once, with a design effect of 2."""
    actual, score = columns(400)
    once = assay.rows(actual=actual, score=score, group=np.arange(400))
    twice = assay.rows(actual=np.repeat(actual, 2), score=np.repeat(score, 2), group=np.arange(800) // 2)
    if name in ("pr_auc_trapezoid", "tie_expected_average_precision", "h_measure", "ks"):
        tolerance = 0.05  # ties matter to the first two, and random halves to the others
    else:
        tolerance = 1e-2
    first, second = assay.estimate(name, once), assay.estimate(name, twice)
    assert both(second) == pytest.approx(both(first), rel=tolerance)
    assert second.design_effect == pytest.approx(2, rel=0.01)


@pytest.mark.parametrize("name", RANKS)
def test_separated_classes_never_give_an_interval_of_nothing(name):
    """A perfect figure has a lower limit below 1, or the reason why there is none."""
    found = assay.estimate(name, assay.rows(**apart()))
    if find(name).kind == "extreme":
        assert found.low is None
        assert "chosen on the same rows" in found.note
        return
    if name == "h_measure":
        assert "fewer than 100 rows" in found.note
        several = {key: np.tile(values, 5) for key, values in apart().items()}
        found = assay.estimate(name, assay.rows(**several))
        assert found.high - found.low > 0.001
        return
    assert found.high - found.low > 0.001
    assert found.low <= found.value <= found.high
    for more in ({"weight": np.arange(50) % 3 + 1}, {"group": np.arange(50) // 2}):
        judged = assay.estimate(name, assay.rows(**apart(), **more))
        assert judged.high - judged.low > 0.001


def test_the_area_is_that_of_o10_and_o15():
    """DeLong's variance, moderated by Newcombe's; where the classes do not overlap, at least Newcombe's limits."""
    _, expected = check_values(10)
    found = assay.estimate("auc", d15())
    assert found.standard_error == pytest.approx(expected["delong_se"], rel=1e-12)
    tally = assay.Scores.of(d15())
    freedom = influence(find("auc"), tally).freedom
    assert both(found) == both(auc_estimate(tally.concordance(), df=freedom))
    assert agrees(delong_interval(delong(tally.concordance())), expected, "logit")
    doubled = assay.estimate("gini", d15())
    assert both(doubled) == pytest.approx(tuple(2 * x - 1 for x in both(found)), rel=1e-12)
    assert doubled.standard_error == pytest.approx(2 * found.standard_error, rel=1e-12)
    _, expected = check_values(15)
    assert agrees(newcombe_auc_interval(1.0, 20, 30), expected, "newcombe5", rel=1e-9)
    perfect = assay.estimate("auc", assay.rows(**apart()))
    assert perfect.low < newcombe_auc_interval(1.0, 20, 30)[0]
    assert perfect.high == 1


def test_the_area_of_the_spam_filter_is_r_s():
    """Value, DeLong's error and values of partial areas as pROC has them."""
    actual, score = sms()
    rows, theirs = assay.rows(actual=actual, score=score), r_figures("sms_proc")["prob_spam"]
    found = assay.estimate("auc", rows)
    assert found.value == pytest.approx(theirs["auc"], abs=1e-14)
    assert found.standard_error**2 == pytest.approx(theirs["var_delong"], rel=1e-10)
    for part in theirs["partial"]:
        upper, lower = part["partial.auc"]
        side = (
            {"sensitivity": (lower, upper)}
            if part["focus"] == "sensitivity"
            else {"false_positive_rate": (1 - upper, 1 - lower)}
        )
        judged = assay.estimate("partial_auc", rows, corrected=part["correct"], **side)
        assert judged.value == pytest.approx(part["value"], abs=1e-12)
        assert judged.low < judged.value < judged.high


def test_weighted_and_grouped_areas_are_of_influence():
    """Each class's squared parts with its effective rows less one; of groups, each left out in turn."""
    inputs, expected = check_values(20)
    weight, actual = np.asarray(inputs["weight"], dtype=float), np.asarray(d15().actual.values)
    data = d15(weight=weight)
    parts = influence(find("auc"), data).parts
    assert np.sqrt(parts @ parts) == pytest.approx(expected["ij_se"], rel=1e-10)
    variance, sizes = 0.0, []
    for side in (1, 0):
        own = weight[actual == side]
        sizes.append(own.sum() ** 2 / (own @ own))
        variance += parts[actual == side] @ parts[actual == side] * sizes[-1] / (sizes[-1] - 1)
    found = assay.estimate("auc", data)
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-10)
    freedom = influence(find("auc"), assay.Scores.of(data)).freedom
    limits = moderated_auc_interval(expected["auc"], variance, *sizes, df=freedom)
    assert both(found) == pytest.approx(limits, rel=1e-10)
    group = np.arange(15) // 2
    found = assay.estimate("auc", d15(group=group))
    values = [float(find("auc")(d15().take(group != one))) for one in range(8)]
    brute = np.sqrt(7 / 8 * sum((value - 87 / 112) ** 2 for value in values))
    assert found.standard_error == pytest.approx(brute, rel=0.15)
    assert found.groups == 8


def test_constant_scores_have_the_interval_of_a_variance_that_was_not_seen():
    """About one half, by Newcombe's variance, weighted or not."""
    for more in ({}, {"weight": [1, 2, 3, 4]}):
        found = assay.estimate("auc", assay.rows(actual=[0, 1, 0, 1], score=[1, 1, 1, 1], **more))
        assert found.value == 0.5
        assert found.low == pytest.approx(1 - found.high)
        assert found.low < 0.2


def test_a_class_of_one_row_has_a_wide_interval_and_a_class_of_one_group_none():
    """Its part of the variance is not seen, whatever the other class shows."""
    lone = {"actual": [1, 0, 0, 0, 0, 0], "score": [4, 1, 2, 3, 5, 6]}
    for more in ({}, {"weight": [1, 2, 1, 2, 1, 2]}):
        for name in ("auc", "gini"):
            found = assay.estimate(name, assay.rows(**lone, **more))
            span = find(name).bounds[1] - find(name).bounds[0]
            assert found.high - found.low > 0.8 * span
    assert "single positive row" in assay.estimate("auc", assay.rows(**lone)).note
    for more in ({}, {"weight": [1, 2, 1, 2, 1, 2]}, {"group": [0, 0, 1, 1, 2, 2]}):
        names = ("auc", "gini", "partial_auc") if "group" in more else ("partial_auc",)
        for name in names:
            found = assay.estimate(name, assay.rows(**lone, **more))
            assert found.low is None
            assert "single" in found.note
    scores = np.random.default_rng(1).normal(size=(9, 3))
    rows = assay.rows(actual=[0, 0, 0, 0, 1, 1, 1, 1, 2], score=scores, labels=[0, 1, 2])
    assert "single" in assay.estimate("macro_auc", rows).note


def moderated(value, error, positives):
    """Return the logit interval whose variance counts twenty positives of the binomial one, written out."""
    binomial = value * (1 - value) / positives
    variance = max((positives * error**2 + 20 * binomial) / (positives + 20), error**2)
    reach = student_quantile(0.95, positives + 4) * np.sqrt(variance) / (value * (1 - value))
    centre = np.log(value / (1 - value))
    return tuple(1 / (1 + np.exp(-(centre + side * reach))) for side in (-1, 1))


def test_average_precision_is_that_of_o11():
    """The logit by the error, moderated by the logit-binomial one of as many positives."""
    _, expected = check_values(11)
    found = assay.estimate("average_precision", d15())
    assert agrees(logit_binomial(found.value, 7), expected, "ap_logit_binomial")
    assert found.standard_error == pytest.approx(expected["ap_ij_se"], rel=1e-12)
    assert both(found) == pytest.approx(moderated(found.value, found.standard_error, 7), rel=1e-12)
    for name, key in (
        ("pr_auc_trapezoid", "pr_trapezoid"),
        ("pr_auc_integral", "pr_davis_goadrich"),
        ("tie_expected_average_precision", "ap_tie_expected"),
    ):
        other = assay.estimate(name, d15())
        assert both(other) == pytest.approx(moderated(expected[key], other.standard_error, 7), rel=1e-12)
    actual, score = columns()
    many = assay.estimate("average_precision", assay.rows(actual=actual, score=score))
    known = average_precision_estimate(score, actual, 1 - actual)
    assert many.standard_error == pytest.approx(known.standard_error, rel=1e-10)
    assert both(many) == pytest.approx((known.low, known.high), rel=0.05)


def test_weighted_positives_count_for_what_they_are_worth():
    """So that 60 of very uneven weight are few, and no unit of the weights matters."""
    actual, score = columns()
    weight = np.where(np.arange(len(actual)) % 10, 1.0, 30.0)
    found = assay.estimate("average_precision", assay.rows(actual=actual, score=score, weight=weight))
    mine = weight[actual == 1]
    worth = mine.sum() ** 2 / (mine**2).sum()
    assert worth < 50
    assert both(found) == pytest.approx(moderated(found.value, found.standard_error, worth), rel=1e-10)
    scaled = assay.estimate("average_precision", assay.rows(actual=actual, score=score, weight=weight * 64))
    assert both(scaled) == pytest.approx(both(found), rel=1e-12)


def test_positives_all_on_top_bound_average_precision():
    """By Wilson's of as many positives; without negatives there is nothing to bound."""
    found = assay.estimate("average_precision", assay.rows(**apart()))
    assert both(found) == (pytest.approx(wilson(20, 20)[0], rel=1e-12), 1.0)
    alone = assay.estimate("average_precision", assay.rows(actual=[1, 1, 1], score=[1, 2, 3], positive=1))
    assert alone.low is None
    assert "no negatives" in alone.note


def test_partial_areas_are_one_interval_on_two_scales():
    """Corrected or not, over either axis; the whole range is the area itself."""
    actual, score = columns()
    rows = assay.rows(actual=actual, score=score)
    for part in ({"false_positive_rate": (0.1, 0.4)}, {"sensitivity": (0.6, 1.0)}):
        low, high = next(iter(part.values()))
        width, guessing = high - low, (high**2 - low**2) / 2
        guessing = width - guessing if "sensitivity" in part else guessing
        raw = assay.estimate("partial_auc", rows, **part)
        corrected = assay.estimate("partial_auc", rows, corrected=True, **part)
        mapped = [(1 + (x - guessing) / (width - guessing)) / 2 for x in both(raw)]
        assert both(corrected) == pytest.approx(mapped, rel=1e-10)
        assert 0 <= raw.low < raw.value < raw.high <= width
    whole = assay.estimate("partial_auc", rows, false_positive_rate=(0, 1))
    found = influence(find("auc"), rows)
    assert both(whole) == pytest.approx(delta_interval(found.value, found.standard_error, (0, 1)), rel=1e-10)
    few = assay.estimate("partial_auc", rows, false_positive_rate=(0, 0.05))
    assert "about 7 rows" in few.note


def test_what_is_chosen_on_the_rows_is_lowered():
    """By what halves of the rows gain; the seed decides which halves, and nothing else does."""
    actual, score = columns(400)
    rows = assay.rows(actual=actual, score=score)
    for name in ("ks", "h_measure"):
        found = assay.estimate(name, rows)
        assert "lowered by halves" in found.method
        assert "optimistic by about 0.0" in found.note
        assert both(found) == both(assay.estimate(name, rows))
        assert both(found) != both(assay.estimate(name, rows, seed=1))
        plain = influence(find(name), rows)
        assert found.low < delta_interval(plain.value, plain.standard_error, (0, 1))[0]
    hull, area = assay.estimate("convex_hull_auc", rows), assay.estimate("auc", rows)
    assert hull.low == area.low
    assert hull.high > area.high


def test_the_hulls_upper_limit_is_no_lower_than_the_areas():
    """Thirteen positives at two of three scores: the hull's own spread says less than that of the area below it."""
    score = np.repeat([0.0, 1.0, 2.0], [48, 345, 7])
    actual = np.zeros(400, dtype=int)
    actual[[*range(48, 59), 393, 394]] = 1
    rows = assay.rows(actual=actual, score=score)
    hull, area = assay.estimate("convex_hull_auc", rows), assay.estimate("auc", rows)
    assert hull.value >= area.value
    assert hull.high == area.high


def test_rankings_at_a_share_that_is_all_or_nothing_are_wilsons():
    """Of as many rows as the figure is about."""
    rows = assay.rows(**apart())
    expected = {
        "gain_at": ({"share": 0.5}, wilson(20, 20)),
        "break_even": ({}, wilson(20, 20)),
        "precision_at_share": ({"share": 0.2}, wilson(10, 10)),
        "equal_error_rate": ({}, wilson(0, 20)),
    }
    for name, (options, limits) in expected.items():
        assert both(assay.estimate(name, rows, **options)) == pytest.approx(limits, rel=1e-12)
    actual, score = columns()
    rows = assay.rows(actual=actual, score=score)
    gain, lift = (assay.estimate(name, rows, share=0.25) for name in ("gain_at", "lift_at"))
    assert both(lift) == pytest.approx([4 * x for x in both(gain)], rel=1e-12)


def class_rows(n=90, shift=1.0, **more):
    """Rows of three classes with a column of scores for each."""
    rng = np.random.default_rng(4)
    actual = np.arange(n) % 3
    return assay.rows(
        actual=actual, score=np.eye(3)[actual] * shift + rng.normal(size=(n, 3)), labels=[0, 1, 2], **more
    )


OVER = [
    ("macro_auc", {}), ("weighted_auc", {}), ("micro_auc", {}), ("hand_till_auc", {}),
    ("hand_till_auc", {"average": "weighted"}), ("auc", {"average": "macro"}), ("gini", {"average": "macro"}),
    ("average_precision", {"average": "micro"}), ("ks", {"average": "weighted"}),
    ("convex_hull_auc", {"average": "macro"}), ("lift_at", {"average": "macro"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), OVER)
def test_figures_of_several_classes_have_intervals_from_rows(name, options):
    """Plain, weighted and grouped; their tally alone says why it has none."""
    for more in ({}, {"weight": np.arange(90) % 4 + 1}, {"group": np.arange(90) // 6}):
        found = assay.estimate(name, class_rows(**more), **options)
        assert found.low < found.value < found.high
    tally = assay.ClassScores.of(class_rows())
    found = assay.estimate(name, tally, **options)
    assert found.value == find(name)(tally, **options)
    assert found.low is None
    assert "pass the rows" in found.note


def test_areas_of_several_classes_are_of_their_influence():
    """On the logit scale; two of them that are the same figure have the same interval."""
    rows = class_rows()
    found = influence(find("macro_auc"), rows)
    expected = delta_interval(found.value, found.standard_error, (0, 1))
    assert both(assay.estimate("macro_auc", rows)) == pytest.approx(expected, rel=1e-12)
    assert both(assay.estimate("auc", rows, average="macro")) == pytest.approx(expected, rel=1e-12)
    perfect = assay.estimate("hand_till_auc", class_rows(shift=99.0))
    assert both(perfect) == pytest.approx(newcombe_auc_interval(1.0, 30, 30), rel=1e-12)


def test_an_unknown_figure_of_ranks_says_so():
    """A metric that is not of the catalogue has no slopes, and no interval is made up."""
    own = dataclasses.replace(find("auc"), name="area_of_ones_own")
    found = assay.estimate(own, d15())
    assert found.value == 87 / 112
    assert found.low is None
    assert "standard error is not known" in found.note
