"""Learning procedures over resamples and over data sets: the check values, and the words."""

import json

import numpy as np
import pytest
import scipy.stats
from support.r_figures import check_values
from support.reference_figures import oracle

import assay


def test_resamples_are_those_of_o35_and_o36():
    """Interval, p and posterior, of ten folds."""
    inputs, expected = check_values(35)
    _, chances = check_values(36)
    base = np.full(10, 0.8)
    found = assay.compare_resamples(base, base + inputs["diffs"])
    assert found.test_share == 0.1
    assert found.test.p_value == pytest.approx(expected["p"], rel=1e-9)
    assert (found.test.low, found.test.high) == pytest.approx((expected["lo"], expected["hi"]), rel=1e-9)
    assert found.posterior == pytest.approx(
        (chances["p_left"], chances["p_rope"], chances["p_right"]), rel=1e-9
    )
    assert found.winner == "b"
    same = assay.compare_resamples(np.tile(base, 10), np.tile(base + inputs["diffs"], 10), repeats=10)
    assert same.test_share == 0.1
    lower = assay.compare_resamples(
        base, base + inputs["diffs"], larger_is_better=False, names=["old", "new"]
    )
    assert lower.winner == "old"
    assert lower.posterior == pytest.approx(tuple(reversed(found.posterior)))
    assert "old is better by 0.0128" in str(lower)


def test_five_by_two_is_that_of_o37():
    """Five halvings have Alpaydin's test beside."""
    inputs, expected = check_values(37)
    base = np.full((5, 2), 0.7)
    found = assay.compare_resamples(base, base + inputs["diffs_5x2"])
    assert found.test_share == 0.5
    assert found.five_by_two.p_value == pytest.approx(expected["p_F"], rel=1e-9)
    assert "5x2cv F test: p = 0.3307" in str(found)
    assert "cannot tell a and b apart, which does not make them equal" in " ".join(str(found).split())


def test_resamples_that_say_nothing():
    """All alike; and resamples whose share nobody can know."""
    constant = assay.compare_resamples([0.5, 0.5], [0.75, 0.75], test_share=0.25)
    assert constant.winner is None
    assert str(constant).endswith("Nothing can be said: all resamples differ by the same.")
    json.dumps(constant.to_dict(), allow_nan=False)
    with pytest.raises(assay.MetricError, match="test_share="):
        assay.compare_resamples([0.1] * 10, [0.2] * 10, repeats=3)
    with pytest.raises(assay.MetricError, match="between 0 and 1"):
        assay.compare_resamples([0.1] * 10, [0.2] * 10, test_share=1)
    with pytest.raises(assay.LengthError, match="10 resamples, the second 9"):
        assay.compare_resamples([0.1] * 10, [0.2] * 9)
    with pytest.raises(assay.InputError, match="two names"):
        assay.compare_resamples([0.1, 0.2], [0.2, 0.4], names=["a"])


def test_data_sets_are_those_of_o39():
    """Mean ranks, Iman and Davenport's F and the critical difference."""
    inputs, expected = check_values(39)
    table = np.array(inputs["scores_datasets_x_models"])
    found = assay.compare_datasets(table)
    assert found.ranks == pytest.approx(expected["mean_ranks"])
    assert found.friedman.statistic == pytest.approx(expected["chi2_tie_corrected"], rel=1e-9)
    assert found.critical_difference == pytest.approx(expected["nemenyi_cd_005"], rel=1e-9)
    by_name = assay.compare_datasets(dict(zip("xyz", table.T, strict=True)))
    assert by_name.names == ("x", "y", "z")
    turned = assay.compare_datasets(-table, larger_is_better=False)
    assert turned.ranks == pytest.approx(found.ranks)
    assert [one.ahead for one in turned.pairs] == [one.ahead for one in found.pairs]
    json.dumps(found.to_dict(), allow_nan=False)


def test_pairs_of_data_sets_are_wilcoxons():
    """Each as SciPy has it, corrected by Holm over the pairs."""
    rng = np.random.default_rng(3)
    scores = {"weak": rng.random(12), "strong": rng.random(12) + 0.6, "middle": rng.random(12) + 0.1}
    found = assay.compare_datasets(scores)
    for one in found.pairs:
        theirs = scipy.stats.wilcoxon(scores[one.second], scores[one.first]).pvalue
        assert one.test.p_value == pytest.approx(theirs, rel=1e-9)
        assert one.adjusted >= one.test.p_value
    assert found.winner("weak", "strong") == "strong"
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[3].startswith("strong")
    assert "strong is better than weak (Holm p = " in text
    with pytest.raises(assay.MetricError, match="not two of the models"):
        found.winner("weak", "none")


def test_tables_that_are_none():
    """Lengths, names and shape."""
    with pytest.raises(assay.LengthError, match="different numbers"):
        assay.compare_datasets({"a": [1, 2], "b": [1]})
    with pytest.raises(assay.InputError, match="as many different names"):
        assay.compare_datasets([[1, 2], [2, 1]], names=["a"])
    with pytest.raises(assay.InputError, match="a table"):
        assay.compare_datasets([1, 2])
    with pytest.raises(assay.InputError, match="leave names= out"):
        assay.compare_datasets({"a": [1, 2], "b": [1, 3]}, names=["x", "y"])
    tied = assay.compare_datasets([[0.5, 0.5], [0.7, 0.7]])
    assert "cannot tell any two" in str(tied)


def test_ranks_over_data_sets():
    """The check values: A, B, C are 1 to 3, D and E 4 to 5; A and B may be the best (by Bonferroni's t)."""
    case = oracle("judges")["boards"]
    names = case["data"]["names"]
    result = assay.compare_datasets(case["data"]["scores_dataset_by_model"], names=names)
    # The simulated limit is a little below Bonferroni's, and tells no more pairs apart here.
    expected = {name: tuple(limits) for name, limits in case["values"]["rank_intervals_t_bonferroni"].items()}
    assert result.rank_intervals == expected
    assert result.tied_with_best == case["values"]["tied_with_best_t_bonferroni"]
    assert result.friedman.statistic == pytest.approx(case["values"]["friedman_chi2"])
    assert result.ranks.tolist() == pytest.approx(list(case["values"]["mean_rank"].values()))
    losses = assay.compare_datasets(
        -np.array(case["data"]["scores_dataset_by_model"]), names=names, larger_is_better=False
    )
    assert losses.rank_intervals == expected
    assert "The best mean is that of A or B." in result.text(width=200)


def test_one_data_set_ranks_nothing():
    """Any rank is possible where nothing varies."""
    result = assay.compare_datasets([[0.9, 0.5, 0.1], [0.8, 0.55, 0.2]])
    assert result.rank_intervals["a"][0] == 1
