"""Comparing models: the check values, R, and what has no answer."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from support.group_jackknife import jackknife_error
from support.r_figures import D15_POSITIVE, D15_SCORE, check_values, r_figures, second_score, sms

import assay
from assay.inference.differences.difference import direction
from assay.metrics import Undefined, catalogue

Y = np.array(D15_POSITIVE)


def right_or_wrong(both, only_first, only_second, neither):
    """Rows of two models that are right so often; all rows are 1."""
    first = [1] * both + [1] * only_first + [0] * only_second + [0] * neither
    second = [1] * both + [0] * only_first + [1] * only_second + [0] * neither
    return {"actual": [1] * len(first), "predicted": {"a": first, "b": second}}


@pytest.mark.parametrize("number", [32, 33])
def test_accuracies_are_those_of_o32_and_o33(number):
    """Every form of McNemar's test, Tango's interval, and the margins; ours is the second less the first."""
    cells, expected = check_values(number)
    given = right_or_wrong(cells["both"], cells["only1"], cells["only2"], cells["neither"])
    for test, name in (
        ("mid-p", "p_mid"),
        ("exact", "p_exact"),
        ("corrected", "p_cc"),
        ("uncorrected", "p_asym"),
    ):
        found = assay.compare(**given, metrics="accuracy", test=test)["accuracy"]
        assert found.p_value == pytest.approx(expected[name], rel=1e-12)
    assert found.difference == pytest.approx(-expected["diff"], rel=1e-12)
    assert (-found.high, -found.low) == pytest.approx((expected["tango_lo"], expected["tango_hi"]), rel=1e-9)
    assert found.disagreeing == (cells["only1"], cells["only2"])
    # The first against the second, as the check values have it.
    turned = {**given, "predicted": {"b": given["predicted"]["b"], "a": given["predicted"]["a"]}}
    margin = assay.compare(**turned, metrics="accuracy", margin=0.05)["accuracy"].margin
    assert margin.noninferiority.p_value == pytest.approx(expected["ni_p"], rel=1e-12)
    assert margin.equivalence.p_value == pytest.approx(expected["tost_p_margin0.05"], rel=1e-12)
    assert ("non-inferior" in margin.claims) == (expected["tango_lo"] > -0.05)


def test_an_error_rate_is_turned():
    """More errors are worse, and the claim is of the same model."""
    given = right_or_wrong(60, 3, 20, 23)
    of_accuracy, of_errors = assay.compare(**given, metrics=["accuracy", "error_rate"])
    assert of_errors.difference == pytest.approx(-of_accuracy.difference)
    assert (of_errors.low, of_errors.high) == pytest.approx((-of_accuracy.high, -of_accuracy.low))
    assert of_errors.p_value == of_accuracy.p_value
    assert of_errors.winner == of_accuracy.winner == "b"


@pytest.mark.parametrize("source", ["rows", "tally"])
def test_joint_delta_is_that_of_o23(source):
    """Accuracy, F1, MCC, kappa and balanced accuracy, from rows and from the joint tally."""
    inputs, expected = check_values(23)
    actual, first, second = (x.ravel() for x in np.indices((2, 2, 2)))
    counts = np.ravel(inputs["joint"])
    # The check values are the first less the second.
    b, a = (
        assay.rows(actual=np.repeat(actual, counts), predicted=np.repeat(x, counts)) for x in (first, second)
    )
    names = ["accuracy", "f1", "mcc", "kappa", "balanced_accuracy"]
    given = (a, b) if source == "rows" else (assay.PairedLabels.of(a, b),)
    found = assay.compare(*given, metrics=names)
    for name in names:
        one = found[name]
        assert one.difference == pytest.approx(expected[f"diff_{name}"], rel=1e-12)
        assert one.standard_error == pytest.approx(expected[f"se_diff_{name}"], rel=1e-12)
        assert one.n == counts.sum()
    t = found["mcc"].difference / found["mcc"].standard_error
    df = freedom_of_mccs(np.array(inputs["joint"], dtype=float))
    assert found["mcc"].p_value == pytest.approx(2 * scipy.stats.t.sf(abs(t), df), rel=1e-12)


def freedom_of_mccs(joint):
    """The degrees of freedom of a difference of MCC, of counts by actual class and both predictions.

    Each class's variance has its rows less one, and the sum Welch's; no more than the rows that make it up.
    """

    def difference(cells):
        values = []
        for axis in (2, 1):  # added up over the other model's predictions
            (tn, fp), (fn, tp) = cells.sum(axis=axis)
            values.append((tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
        return values[1] - values[0]

    slopes = np.zeros(joint.shape)
    for cell in np.ndindex(joint.shape):
        moved = joint.astype(complex)
        moved[cell] += 1e-30j
        slopes[cell] = difference(moved).imag / 1e-30
    by_class = (joint * slopes**2).sum(axis=(1, 2))
    welch = by_class.sum() ** 2 / (by_class**2 / (joint.sum(axis=(1, 2)) - 1)).sum()
    made_up = 1 / ((joint * slopes**4).sum() / by_class.sum() ** 2 - 1 / joint.sum())
    return min(welch, made_up)


def test_weighted_errors_are_those_of_o8():
    """Against a model that is never right, the difference varies as the model itself does."""
    inputs, expected = check_values(8)
    actual, predicted, weight = zip(*inputs["rows_truth_pred_weight"], strict=True)
    never = [2] * len(actual)
    found = assay.compare(
        actual=actual, predicted={"never": never, "model": predicted}, weight=weight, metrics="accuracy",
        task="multiclass",
    )["accuracy"]  # fmt: skip
    assert found.difference == pytest.approx(expected["accuracy"], rel=1e-12)
    assert found.standard_error == pytest.approx(expected["accuracy_se"], rel=1e-12)


def test_clustered_errors_are_those_of_o22():
    """Groups are left out one by one; t has the effective number of them less one, and few are swapped."""
    inputs, expected = check_values(22)
    group, correct = map(np.array, zip(*inputs["rows_group_correct"], strict=True))
    found = assay.compare(
        actual=[1] * len(group), predicted={"never": [0] * len(group), "model": correct}, group=group,
        metrics="accuracy",
    )["accuracy"]  # fmt: skip
    error = jackknife_error(lambda stays: correct[stays].mean(), group)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    plain = expected["cluster_se_g_over_gm1"] ** 2 / (expected["design_effect_cr0"] * 5 / 4)
    assert found.design_effect == pytest.approx(error**2 / plain, rel=1e-12)
    assert found.groups == 5
    sizes = np.unique(group, return_counts=True)[1]
    df, t = sizes.sum() ** 2 / (sizes**2).sum() - 1, found.difference / error
    hits = [int(correct[group == one].sum()) for one in np.unique(group)]
    signs = itertools.product((-1, 1), repeat=len(hits))
    swaps = [abs(sum(sign * hit for sign, hit in zip(each, hits, strict=True))) for each in signs]
    swapped = sum(total >= sum(hits) for total in swaps) / len(swaps)  # of all ways to swap the models
    assert found.p_value == pytest.approx(max(2 * scipy.stats.t.sf(t, df), swapped), rel=1e-12)
    reach = scipy.stats.t.ppf(0.975, df) * error
    assert found.low == pytest.approx(found.difference - reach, rel=1e-12)
    assert found.high == pytest.approx(min(1, found.difference + reach), rel=1e-12)


def test_means_are_compared_as_in_o31():
    """Paired t, Wilcoxon and sign flips of the same differences."""
    inputs, expected = check_values(31)
    zeros = [0.0] * len(inputs["a"])
    given = {"actual": zeros, "predicted": {"b": inputs["b"], "a": inputs["a"]}, "metrics": "mae"}
    found = assay.compare(**given)["mae"]
    assert found.values == pytest.approx((expected["mean_b"], expected["mean_a"]))
    assert found.difference == pytest.approx(expected["diff"], rel=1e-12)
    assert found.standard_error == pytest.approx(expected["se"], rel=1e-12)
    assert found.p_value == pytest.approx(expected["p_t"], rel=1e-12)
    assert (found.low, found.high) == pytest.approx((expected["ci_lo"], expected["ci_hi"]), rel=1e-9)
    assert found.winner == "b"  # the smaller error
    assert assay.compare(**given, test="wilcoxon")["mae"].p_value == pytest.approx(
        expected["wilcoxon_exact_p"]
    )
    assert assay.compare(**given, test="sign-flips")["mae"].p_value == pytest.approx(
        expected["signflip_exact_p"]
    )
    assert assay.compare(**given, ordered=True)["mae"].test == "Diebold-Mariano"


def test_three_models_have_cochrans_q_of_o34():
    """And Holm over the three pairs, or over two where each is set against the first."""
    inputs, expected = check_values(34)
    correct = np.array(inputs["correct"])
    given = {"actual": [1] * len(correct), "predicted": dict(zip("abc", correct.T, strict=True))}
    found = assay.compare(**given, metrics="accuracy")
    test = found.overall["accuracy"]
    assert (test.statistic, test.df) == pytest.approx((expected["q"], expected["df"]), rel=1e-12)
    assert test.p_value == pytest.approx(expected["p"], rel=1e-12)
    assert found.family == len(found) == 3
    raw = sorted(one.p_value for one in found)
    assert min(one.adjusted for one in found) == pytest.approx(min(1, 3 * raw[0]))
    assert {(one.first, one.second) for one in found} == {("a", "b"), ("a", "c"), ("b", "c")}
    only = assay.compare(**given, metrics="accuracy", against="first")
    assert {(one.first, one.second) for one in only} == {("a", "b"), ("a", "c")}
    assert only["accuracy", "a", "c"].p_value == found["accuracy", "a", "c"].p_value
    plain = assay.compare(**given, metrics="accuracy", correction=None)
    assert [one.adjusted for one in plain] == [None] * 3
    with pytest.raises(assay.MetricError, match="3 differences"):
        found["accuracy"]


def test_areas_are_those_of_o13():
    """DeLong's paired test where it is asked for; else few rows are drawn and swapped."""
    inputs, expected = check_values(13)
    given = {"actual": Y, "score": {"a": inputs["score2"], "b": D15_SCORE}, "metrics": ["auc", "gini"]}
    found = assay.compare(**given, test="delong")
    assert found["auc"].difference == pytest.approx(expected["diff"], rel=1e-12)
    assert found["auc"].standard_error == pytest.approx(expected["se_diff"], rel=1e-12)
    assert found["auc"].p_value == pytest.approx(expected["p"], rel=1e-12)
    limits = found["auc"].low, found["auc"].high
    assert limits == pytest.approx((expected["ci_lo"], expected["ci_hi"]), rel=1e-12)
    assert found["gini"].low == pytest.approx(2 * expected["ci_lo"], rel=1e-12)
    assert found["gini"].p_value == found["auc"].p_value
    drawn = assay.compare(**given, replicates=999)["auc"]
    assert "below 20 rows" in drawn.note
    assert drawn.method == "bootstrap, percentile"
    assert abs(drawn.p_value - expected["p"]) < 0.15  # another test of the same, on 15 rows
    assert drawn.low < drawn.difference < drawn.high


def test_areas_of_different_rows_are_those_of_o14():
    """Variances add."""
    inputs, expected = check_values(14)
    first = assay.rows(actual=inputs["y1"], score=inputs["score1"])
    second = assay.rows(actual=inputs["y2"], score=inputs["score2"])
    found = assay.compare(second, first, metrics="auc")
    assert not found.paired
    assert found["auc"].difference == pytest.approx(expected["diff"], rel=1e-12)
    assert found["auc"].p_value == pytest.approx(expected["p_normal"], rel=1e-12)
    assert found["auc"].n == 25
    tallies = assay.compare(assay.Scores.of(second), assay.Scores.of(first), metrics="auc")
    assert tallies["auc"].p_value == found["auc"].p_value


def test_weighted_areas_are_those_of_o20():
    """Against a score that ranks nothing, the difference varies as the model itself does; groups add up."""
    pytest.importorskip("assay.inference.influence.ranking", reason="influences of scores are needed")
    inputs, expected = check_values(20)
    given = {
        "actual": Y,
        "score": {"flat": [0.5] * 15, "model": D15_SCORE},
        "metrics": ["auc", "average_precision"],
    }
    found = assay.compare(**given, weight=inputs["weight"])
    assert found["auc"].difference == pytest.approx(expected["auc"] - 0.5, rel=1e-12)
    assert found["auc"].standard_error == pytest.approx(expected["ij_se"], rel=1e-9)
    assert found["average_precision"].values[1] == pytest.approx(expected["average_precision"], rel=1e-12)
    alone = assay.compare(**given, group=range(15))["auc"]
    positive, score = np.array(Y) == 1, np.array(D15_SCORE)

    def area(stays):
        first, second = score[stays & positive][:, None], score[stays & ~positive][None, :]
        return float(((first > second) + (first == second) / 2).mean())

    assert alone.standard_error == pytest.approx(jackknife_error(area, np.arange(15)), rel=1e-12)
    assert alone.groups == 15


def test_the_spam_filter_agrees_with_proc():
    """Paired and unpaired, and joint tally; pROC's toy has too few rows unless DeLong is asked for."""
    theirs = r_figures("sms_proc")
    positive, scores = sms()
    toy = theirs["toy"]
    for labels, first, second, expected in (
        (positive, scores, second_score(scores), theirs["tests"]["prob_spam_vs_score2"]),
        (toy["y"], toy["score"], toy["score_2"], toy["tests"]),
    ):
        a, b = (assay.rows(actual=labels, score=one) for one in (second, first))
        want = expected["delong_paired"]
        for given in ((a, b), (assay.PairedScores.of(a, b),)):
            found = assay.compare(*given, metrics="auc", test="delong")["auc"]
            assert found.p_value == pytest.approx(want["p.value"], rel=1e-9)
            assert (found.low, found.high) == pytest.approx(want["conf.int"], abs=1e-10)
        apart = assay.compare(a, b, metrics="auc", paired=False)["auc"]
        z = expected["delong_unpaired"]["statistic"]["D"]
        larger = max(2 * scipy.stats.norm.sf(abs(z)), pooled_p(np.array(labels), first, second))
        assert apart.p_value == pytest.approx(larger, rel=1e-9)


def pooled_p(labels, *scores):
    """The p-value of two areas of different rows with the variances that they have if both are alike.

    Each class's parts are those of both samples about their own areas, with what the samples have apart;
    their kurtosis and the rows less one bound the degrees of freedom, which are added as Welch does.
    """
    positive = labels == 1
    areas, placements = [], []
    for one in map(np.asarray, scores):
        above, below = one[positive][:, None], one[~positive][None, :]
        won = (above > below) + (above == below) / 2
        areas.append(won.mean())
        placements.append([won.mean(axis=1) - won.mean(), won.mean(axis=0) - won.mean()])
    apart = areas[0] - areas[1]
    variances, freedoms = [], []
    for parts in (np.concatenate(both) for both in zip(*placements, strict=True)):
        rows = len(parts) // 2
        second = (parts**2).mean() + apart**2 / 4
        kurtosis = ((parts**4).mean() + apart**4 / 16) / second**2
        variances += [second / rows] * 2
        freedoms += [min(rows - 1, 2 * rows / (kurtosis - 1))] * 2
    variance = sum(variances)
    df = variance**2 / sum(part**2 / own for part, own in zip(variances, freedoms, strict=True))
    return 2 * scipy.stats.t.sf(abs(apart) / math.sqrt(variance), df)


@pytest.mark.parametrize(
    "name", ["nb_vs_knn_correctness", "ed1_vs_ed2_correctness", "toy_101_121_59_33", "small_20_9_2_15"]
)
def test_accuracies_agree_with_r(name):
    """mcnemar.test, binom.test and the mid-p formula, through the whole call."""
    case = r_figures("sms_tests_mcnemar_binom")["mcnemar"][name]
    (both, only_first), (only_second, neither) = case["table"]["values"]
    given = right_or_wrong(both, only_first, only_second, neither)
    for test, theirs in (
        ("uncorrected", "mcnemar_uncorrected"), ("corrected", "mcnemar_corrected"),
        ("exact", "exact_by_formula"), ("mid-p", "mid_p_by_formula"),
    ):  # fmt: skip
        found = assay.compare(**given, metrics="accuracy", test=test)["accuracy"]
        assert found.p_value == pytest.approx(case[theirs]["p.value"], rel=1e-9)


def test_accuracies_of_different_rows_agree_with_r():
    """prop.test without correction, and Newcombe's interval."""
    case = r_figures("sms_tests_mcnemar_binom")["prop_test_two_sample"]
    x, n = case["x"], case["n"]
    data = [
        assay.rows(actual=[1] * size, predicted=[1] * hits + [0] * (size - hits))
        for hits, size in zip(x, n, strict=True)
    ]
    found = assay.compare(data[1], data[0], metrics="accuracy", paired=False)["accuracy"]
    assert found.p_value == pytest.approx(case["uncorrected"]["p.value"], rel=1e-9)
    both = assay.Confusion.of(data[1]), assay.Confusion.of(data[0])
    assert assay.compare(*both, metrics="accuracy")["accuracy"].low == found.low
    case = r_figures("sms_tests_mcnemar_binom")["diff_independent"]
    low, high = case["by_formula"]["newcombe"]
    second, first = (
        assay.rows(
            actual=[1] * case[f"n{i}"], predicted=[1] * case[f"x{i}"] + [0] * (case[f"n{i}"] - case[f"x{i}"])
        )
        for i in (1, 2)
    )
    recalls = assay.compare(first, second, metrics="recall")["recall"]
    assert (recalls.low, recalls.high) == pytest.approx((low, high), abs=1e-9)


def test_few_rows_of_two_shares_are_fishers():
    """Expected counts below five; and the same share for certain needs no test."""
    few = [assay.rows(actual=[1] * 8, predicted=[1] * hits + [0] * (8 - hits)) for hits in (8, 3)]
    found = assay.compare(*few, task="binary", metrics="accuracy", paired=False)["accuracy"]
    assert "Fisher" in found.test
    assert found.p_value == pytest.approx(scipy.stats.fisher_exact([[8, 0], [3, 5]])[1])
    same = assay.compare(few[0], few[0], task="binary", metrics="accuracy", paired=False)["accuracy"]
    assert same.p_value == 1
    assert same.low < 0 < same.high


def test_welch_agrees_with_scipy():
    """Means of different rows."""
    rng = np.random.default_rng(4)
    y = rng.normal(size=70)
    first = assay.rows(actual=y[:30], predicted=y[:30] + rng.normal(size=30))
    second = assay.rows(actual=y[30:], predicted=y[30:] + 0.6 * rng.normal(size=40))
    found = assay.compare(first, second, metrics=["mae", "mse"])
    for name, figure in (("mae", np.abs), ("mse", np.square)):
        sides = [figure(one.actual.values - one.predicted.values) for one in (second, first)]
        theirs = scipy.stats.ttest_ind(*sides, equal_var=False)
        assert found[name].p_value == pytest.approx(theirs.pvalue, rel=1e-9)
        limits = theirs.confidence_interval()
        assert (found[name].low, found[name].high) == pytest.approx((limits.low, limits.high), rel=1e-9)


def test_queries_are_the_unit_of_ranked_lists():
    """Paired t over queries, with the randomisation test beside it.

    Those without relevant items are 0 for both models, or left out where it is said.
    """
    rng = np.random.default_rng(6)
    query = np.repeat(np.arange(30), 8)
    gain = (rng.random(240) < 0.3) * 1
    gain[:8] = 0
    noise = [gain + rng.normal(size=240) * spread for spread in (1.5, 0.5)]
    found = assay.compare(actual=gain, query=query, score=dict(zip("ab", noise, strict=True)))
    assert [one.metric for one in found] == ["ndcg", "mean_average_precision", "mean_reciprocal_rank"]
    one = found["ndcg"]
    assert (one.n, one.test, one.counted) == (30, "paired t", 30)
    assert one.more[0].method == "sign flips"
    assert one.winner == "b"
    each = [
        [
            assay.metrics.ndcg(
                assay.rows(actual=gain[query == q], score=s[query == q], query=query[query == q])
            )
            for q in range(30)
        ]
        for s in noise
    ]
    assert one.p_value == pytest.approx(scipy.stats.ttest_rel(*reversed(each)).pvalue, rel=1e-9)
    kept = [q for q in range(30) if gain[query == q].any()]
    theirs = scipy.stats.ttest_rel(*(np.array([float(side[q]) for q in kept]) for side in reversed(each)))
    skipped = assay.compare(
        actual=gain,
        query=query,
        score=dict(zip("ab", noise, strict=True)),
        metrics=("ndcg", {"empty": "skip"}),
    )["ndcg"]
    assert skipped.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert skipped.counted == len(kept) < 30
    at_five = assay.compare(
        actual=gain, query=query, score=dict(zip("ab", noise, strict=True)), metrics=[("ndcg", {"k": 5})]
    )
    assert at_five["ndcg"].metric == "ndcg (k=5)"
    tallies = [assay.Queries.of(assay.rows(actual=gain, query=query, score=s)) for s in noise]
    assert assay.compare(*tallies, metrics="ndcg")["ndcg"].p_value == one.p_value


def test_rows_needed_are_those_that_would_do():
    """With so many rows of the same kind the test would reach its level with a chance of 80%."""
    given = right_or_wrong(60, 12, 5, 23)
    found = assay.compare(**given, metrics="accuracy")["accuracy"]
    assert found.rows_needed() == pytest.approx(
        assay.inference.power.proportion_power.rows_for_paired(0.17, 0.07)
    )
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 400)
    scores = {name: y * 0.4 + rng.normal(size=400) for name in "ab"}
    auc = assay.compare(actual=y, score=scores, metrics="auc", detect=0.03)["auc"]
    needed = auc.rows_needed(0.03)
    error = auc.standard_error * math.sqrt(400 / needed)
    assert scipy.stats.norm.sf(1.959964 - 0.03 / error) == pytest.approx(0.8, abs=1e-6)
    assert auc.to_dict()["rows_needed_to_detect"] == needed
    # Recall counts the positives alone, and the rows come with their share of them.
    recall = assay.compare(
        actual=given["actual"] + [0] * 100, predicted={k: v + [0] * 100 for k, v in given["predicted"].items()},
        metrics="recall",
    )["recall"]  # fmt: skip
    assert (recall.counted, recall.n) == (100, 200)
    assert recall.rows_needed() == pytest.approx(2 * found.rows_needed())


def test_rows_needed_have_the_power_that_they_promise():
    """Of 250 samples as large as a pilot asked for, about 80% tell the two models apart."""
    rng = np.random.default_rng(17)

    def drawn(n):
        y = rng.integers(0, 2, n)
        common = rng.normal(size=n)
        scores = {name: y + s * (common + rng.normal(size=n)) for name, s in (("a", 1.0), ("b", 0.8))}
        return {"actual": y, "score": scores, "predicted": {k: (v > 0.5) * 1 for k, v in scores.items()}}

    pilot = assay.compare(**drawn(40_000), metrics=["auc", "accuracy"], correction=None)
    for one in pilot:
        n = math.ceil(one.rows_needed())
        seen = sum(
            assay.compare(**drawn(n), metrics=one.metric, correction=None)[one.metric].decided
            for _ in range(250)
        )
        assert 0.72 * 250 <= seen <= 0.88 * 250, one.metric


def test_tallies_that_say_too_little():
    """Sums alone have no spread of their own rows."""
    both = [assay.Moments.of(assay.rows(actual=[0.5, 1.5, 2.5], predicted=p)) for p in ([1, 1, 2], [0, 1, 3])]
    found = assay.compare(*both, metrics="r2")["r2"]
    assert "give the rows" in found.p_value.reason


def test_more_comparisons_need_more_rows():
    """An undecided difference always needs more rows than there are, corrected for its family."""
    rng = np.random.default_rng(12)
    y = rng.integers(0, 2, 300)
    scores = {name: y * 0.8 + rng.normal(size=300) for name in "abcd"}
    found = assay.compare(actual=y, score=scores, metrics=["auc"])
    assert found.family == 6
    for one in found:
        if not one.decided:
            assert one.rows_needed() > one.n


def test_what_has_no_value_says_why():
    """An undefined or infinite figure, whose it is; the other metrics are compared all the same."""
    found = assay.compare(
        actual=[1, 0, 1, 0], score={"a": [0.9, 0.1, 0.0, 0.2], "b": [0.8, 0.3, 0.4, 0.1]},
        predicted={"a": [0, 0, 0, 0], "b": [1, 0, 1, 0]}, metrics=["precision", "log_loss", "accuracy"],
    )  # fmt: skip
    assert found["precision"].p_value.reason == "nothing was predicted positive (a)"
    assert found["log_loss"].p_value.reason == "it is infinite (a)"
    assert not isinstance(found["accuracy"].p_value, Undefined)
    assert found.family == 1
    assert found["precision"].to_dict()["reason"]
    assert "nothing can be said on precision and log loss" in found.summary
    one_row = assay.compare(actual=[0.5], predicted={"a": [0.25], "b": [0.75]}, metrics="mse")["mse"]
    assert one_row.low is None


def test_a_figure_with_an_interval_for_each_model():
    """One model's own estimate is at hand."""
    given = right_or_wrong(60, 12, 5, 23)
    found = assay.compare(**given, metrics="accuracy")
    assert found.estimate("accuracy", "a") == assay.estimate(
        "accuracy", assay.rows(actual=given["actual"], predicted=given["predicted"]["a"])
    )
    with pytest.raises(assay.MetricError, match="not compared"):
        found.estimate("accuracy", "z")


def test_every_metric_has_a_direction():
    """More is better, less is better, or neither can be said; and the best value agrees."""
    for metric in catalogue():
        turn, (least, largest) = direction(metric), metric.bounds
        assert turn in (-1, 0, 1)
        if turn:
            assert metric.best == (largest if turn > 0 else least)


def test_ranks_of_many_models_are_those_of_the_tests():
    """Ranks count who beats whom, and those whom nobody beats may be the best."""
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 2, 3000)
    rows = [
        assay.rows(actual=truth, predicted=np.where(draw.random(3000) < right, truth, 1 - truth))
        for right in (0.9, 0.895, 0.7, 0.5)
    ]
    comparison = assay.compare(*rows, names=["a", "b", "c", "d"], metrics=["accuracy", "error_rate"])
    assert comparison.ranks("accuracy") == {"a": (1, 2), "b": (1, 2), "c": (3, 3), "d": (4, 4)}
    assert comparison.ranks("error_rate") == comparison.ranks("accuracy")
    assert comparison.tied_with_best("accuracy") == ["a", "b"]
    assert "Ranks on accuracy: a 1 to 2, b 1 to 2, c 3, d 4; the best is a or b." in comparison.text(
        width=300
    )
    assert comparison.to_dict()["leaderboard"]["accuracy"]["c"] == [3, 3]
    first = assay.compare(*rows, metrics=["accuracy"], against="first")
    assert first.leaderboard == {}
    with pytest.raises(assay.MetricError, match="all pairs"):
        first.ranks("accuracy")


def test_a_loss_of_a_named_positive_label_is_compared_as_it_is_evaluated():
    """The option picks the label; it is none of the loss's own parameters."""
    actual, scores = [0, 1, 1, 0, 1, 0], ([0.2, 0.7, 0.6, 0.4, 0.9, 0.1], [0.3, 0.6, 0.8, 0.5, 0.7, 0.2])
    first, second = (assay.evaluate(actual=actual, score=score, positive=1) for score in scores)
    (pair,) = assay.compare(first, second, metrics=["log_loss(positive=1)"]).differences
    values = [float(ev["log_loss"].value) for ev in (first, second)]
    assert pair.difference == pytest.approx(values[1] - values[0])


def test_an_average_of_a_loss_over_one_output_is_refused_in_its_own_words():
    """Two models of one binary target have no labels to average over."""
    ev = assay.evaluate(actual=[0, 1, 1, 0], score=[0.2, 0.7, 0.6, 0.4])
    with pytest.raises(
        assay.MetricError, match="averaged over labels or outputs, and there is only one here"
    ):
        assay.compare(ev, ev, metrics=["samples brier"])


def test_a_table_of_two_models_is_headed_by_their_names():
    """Their columns, the winner and p-values that nothing was corrected for would only make it wide."""
    first, second = (
        assay.rows(actual=[0, 1] * 20, predicted=predicted) for predicted in ([0, 1] * 20, [0, 1, 0, 0] * 10)
    )
    head = r"metric & old & new & difference & p & method \\"
    latex = assay.compare(first, second, names=["old", "new"], metrics=["accuracy"]).to_latex()
    assert head in latex.splitlines()
    two = assay.compare(first, second, names=["old", "new"], metrics=["accuracy", "recall"]).to_latex()
    assert head.replace("& p &", "& p & adjusted p &") in two.splitlines()
    three = assay.compare(first, second, first, names=["old", "new", "last"], metrics=["accuracy"])
    assert "metric & first & second & first value" in three.to_latex()
    assert {"winner", "first", "adjusted_p_value"} <= set(three.to_frame())
