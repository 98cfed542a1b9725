"""assay.arena: words for the winner, merged tallies, separation, position, covariates, ranks, mistakes."""

import math

import numpy as np
import pytest
from support.reference_figures import oracle

import assay

CASE = oracle("judges")["preferences"]
GAMES = CASE["data"]["games_left_right_outcome"]


def table():
    left, right, winner = (list(column) for column in zip(*GAMES, strict=True))
    return {"left": left, "right": right, "winner": winner, "prompt": CASE["data"]["prompt"]}


def ranked(**options):
    return assay.arena(table(), left="left", right="right", winner="winner", **options)


def test_the_default_is_davidson_with_position_and_a_sandwich():
    """The check values of the fit with ties and a left advantage; by prompt where it is given."""
    expected = CASE["values"]["davidson_left_advantage"]
    result = ranked()
    n = len(GAMES)
    for model, estimate in result.strengths.items():
        assert estimate.value == pytest.approx(expected["log_strength_sum0"][model], abs=1e-9)
        error = expected["se_sandwich"][model] * math.sqrt(n / (n - 1))
        assert estimate.standard_error == pytest.approx(error, abs=2e-8)
    assert result.position.value == pytest.approx(expected["left_advantage"], abs=1e-9)
    assert result.tie_parameter == pytest.approx(expected["tie_parameter"], abs=1e-9)
    by_prompt = ranked(group="prompt", position=False)
    clustered = CASE["values"]["davidson_clustered"]
    for model, estimate in by_prompt.strengths.items():
        error = clustered["se_sandwich"][model] * math.sqrt(30 / 29)
        assert estimate.standard_error == pytest.approx(error, abs=2e-8)
    assert by_prompt.clusters == 30
    assert result.ranks == {"a": (1, 3), "b": (1, 3), "c": (1, 4), "d": (3, 4)}
    assert set(result.tied_with_best) == {"a", "b", "c"}
    assert result.ratings["a"].value == pytest.approx(1000 + 400 / math.log(10) * result.strengths["a"].value)


def test_a_winner_may_be_said_in_many_ways():
    """Sides, letters, names and numbers are one."""
    data = table()
    words = {1: "left", 0.5: "tie", 0: "right"}
    arena_words = {1: "model_a", 0.5: "tie (bothbad)", 0: "model_b"}
    expected = assay.Preferences.of(data["left"], data["right"], data["winner"])
    for winner in (
        [words[value] for value in data["winner"]],
        [arena_words[value] for value in data["winner"]],
        [left if value == 1 else right if value == 0 else "tie"
         for left, right, value in zip(data["left"], data["right"], data["winner"], strict=True)],
    ):  # fmt: skip
        assert assay.Preferences.of(data["left"], data["right"], winner) == expected


def test_merged_parts_are_the_whole():
    """Comparisons in parts merge to the same bits, groups and all."""
    data = table()
    columns = [data[name] for name in ("left", "right", "winner", "prompt")]
    parts = [assay.Preferences.of(*(column[part] for column in columns[:3]), group=columns[3][part])
             for part in (slice(0, 31), slice(31, 60), slice(60, None))]  # fmt: skip
    merged = assay.merge(parts)
    assert merged == assay.Preferences.of(*columns[:3], group=columns[3])
    assert assay.arena(merged).to_dict() == ranked(group="prompt").to_dict()


def test_separation_is_said_and_finite():
    """A model that never loses has a finite strength with a wide interval, and the text says why."""
    result = assay.arena(left=list("xxxyzx"), right=list("yyzzyz"), winner=["left"] * 6, position=False)
    assert result.separated
    assert math.isfinite(result.strengths["x"].value)
    assert "no finite strength" in result.text()
    with pytest.raises(assay.InputError, match="never met"):
        assay.arena(left=list("ac"), right=list("bd"), winner=["left", "right"])


def _simulated(n, seed, position=0.0, slope=0.0):
    draw = np.random.default_rng(seed)
    strength = np.array([0.8, 0.2, 0.0, -1.0])
    left = draw.integers(0, 4, n)
    right = (left + draw.integers(1, 4, n)) % 4
    length = draw.normal(0, 3, n)
    margin = strength[left] - strength[right] + position + slope * length
    won = draw.random(n) < 1 / (1 + np.exp(-margin))
    names = np.array(list("abcd"))
    return {"l": names[left], "r": names[right], "w": np.where(won, "left", "right"), "length": length}


def test_position_and_length_are_found_and_held_fixed():
    """Effects that were put in come out, the covariate per standard deviation."""
    data = _simulated(6000, 1, position=0.5, slope=0.3)
    result = assay.arena(data, left="l", right="r", winner="w", covariates=["length"])
    assert result.position.low < 0.5 < result.position.high
    effect = result.effects["length"]
    assert effect.low < 0.3 * data["length"].std() < effect.high
    assert result.order == ["a", "b", "c", "d"]
    assert result.tied_with_best == ["a"]
    assert "preferred for its position" in result.text()
    difference = result.difference("a", "d")
    assert difference.low < 1.8 < difference.high


def test_pairs_in_both_orders_are_counted():
    """A judge that takes the left whatever it is: every pair shown both ways flips."""
    left, right, prompt = list("abab"), list("baba"), [1, 1, 2, 2]
    result = assay.arena(left=left, right=right, winner=["left"] * 4, group=prompt)
    assert result.order_flips == (2, 2)


def test_win_rates_by_counting():
    """Shares of wins with ties as half, and how often each pair met."""
    result = ranked()
    for i, first in enumerate(result.models):
        for j, second in enumerate(result.models):
            met = [
                v if a == first else 1 - v
                for a, b, v in GAMES
                if {a, b} == {first, second} and first != second
            ]
            assert result.meetings[i, j] == len(met)
            if met:
                assert result.win_rates[i, j] == pytest.approx(np.mean(met))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"left": ["a"], "right": ["b"]}, "needs left=, right= and winner="),
        ({"left": ["a"], "right": ["a"], "winner": ["left"]}, "compared with itself"),
        ({"left": ["a"], "right": ["b"], "winner": ["c"]}, "winner"),
        ({"left": ["a", "b"], "right": ["b", "c"], "winner": ["a", "a"]}, "b is compared with c"),
        ({"left": ["a"], "right": ["b"], "winner": [0.7]}, "1, 0.5 or 0"),
        ({"left": ["a"], "right": ["b"], "winner": ["tie"]}, "every comparison is a tie"),
        ({"left": ["a"], "right": ["b", "c"], "winner": ["left"]}, "right has 2"),
        ({"left": [], "right": [], "winner": []}, "no comparisons"),
        ({"left": ["a"], "right": ["b"], "winner": ["a"], "ties": "none"}, "davidson"),
        ({"left": ["a"], "right": ["b"], "winner": ["a"], "covariates": {"x": [1.0]}}, "the same in every"),
    ],
)
def test_mistakes_are_named(arguments, message):
    """What is wrong is said."""
    with pytest.raises(assay.AssayError, match=message):
        assay.arena(**arguments)


def _logistic(design, won, ridge):
    """Return penalized coefficients of a logistic regression by Newton's method."""
    beta = np.zeros(design.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-design @ beta))
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(ridge)
        beta += np.linalg.solve(hessian, design.T @ (won - p) - ridge * beta)
    return beta, np.linalg.inv(hessian)


def test_a_position_that_always_wins_is_penalized():
    result = assay.arena(left=["a", "b"] * 10, right=["b", "a"] * 10, winner=["left"] * 20)
    design = np.column_stack([np.tile([1.0, -1.0], 10), -np.tile([1.0, -1.0], 10), np.ones(20)])
    beta, inverse = _logistic(design, np.ones(20), np.full(3, 0.1))
    assert result.separated
    assert "separated" in " ".join(result.notes)
    assert float(result.position) == pytest.approx(beta[2], rel=1e-6)
    assert result.position.standard_error == pytest.approx(math.sqrt(inverse[2, 2]), rel=1e-6)
    assert result.tied_with_best == ["a", "b"]


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
def test_who_never_loses_but_ties_has_a_finite_strength(ties):
    result = assay.arena(
        left=["a", "b"] * 20, right=["b", "a"] * 20, winner=["a", "tie", "tie", "a"] * 10, ties=ties
    )
    assert result.separated == (ties != "half")
    assert 0 < float(result.strengths["a"]) < 4
    assert result.strengths["a"].low > -1
    assert result.strengths["a"].high < 6


def test_a_column_that_decides_alone_is_penalized():
    table = {
        "left": ["a", "b"] * 10,
        "right": ["b", "a"] * 10,
        "winner": ["left"] * 10 + ["right"] * 10,
        "longer": [1] * 10 + [-1] * 10,
    }
    result = assay.arena(table, left="left", right="right", winner="winner", covariates=["longer"])
    assert result.separated
    assert 0 < float(result.effects["longer"]) < 6
    assert result.effects["longer"].high - result.effects["longer"].low > 1


def test_a_long_chain_of_close_models_is_not_separated():
    names = [f"m{index:03d}" for index in range(60)]
    left, right = names[:-1] * 20, names[1:] * 20
    winner = np.repeat([1, 1, 1, 0] * 5, 59)
    result = assay.arena(left=left, right=right, winner=winner, position=False)
    assert not result.separated
    spread = float(result.strengths["m000"]) - float(result.strengths["m059"])
    assert spread == pytest.approx(59 * math.log(3), rel=1e-6)


def test_one_group_is_refused():
    with pytest.raises(assay.errors.InputError, match="one group"):
        assay.arena(
            left=["a", "b"] * 5, right=["b", "a"] * 5, winner=["a", "b", "tie", "a", "b"] * 2, group=[1] * 10
        )


def test_names_in_headings_are_as_they_are_and_harmless():
    names = ["gpt_4", "\x1b[31mred"]
    result = assay.arena(
        left=names * 5, right=names[::-1] * 5, winner=["left", "left", "right", "tie", "left"] * 2
    )
    for text in (str(result), result.to_markdown(), result.to_latex(), result._repr_html_()):
        assert "\x1b" not in text
    assert set(result.tables()[1].heads[1:]) == {"against gpt_4", r"against \x1b[31mred"}


def test_halves_are_outcomes_where_models_are_numbers():
    left, right, winner = np.array([0, 1, 0, 2]), np.array([1, 2, 2, 1]), np.array([1.0, 0.5, 0.0, 1.0])
    tally = assay.Preferences.of(left, right, winner)
    words = assay.Preferences.of(left, right, ["left", "tie", "right", "left"])
    assert tally == words


def test_the_sentence_about_the_best_does_not_contradict_its_rank():
    result = assay.arena(left=["a", "b"] * 10, right=["b", "a"] * 10, winner=["a", "tie", "tie", "a"] * 5)
    assert result.ranks["a"] == (1, 2)
    assert result.tied_with_best == ["a"]
    assert "a is the best by a test of that alone" in str(result)


@pytest.mark.parametrize("role", ["left", "right", "winner", "group"])
def test_missing_values_get_advice_that_can_be_followed(role):
    """There is no option to drop rows here, and none is advised."""
    roles = {"left": [1, 2, 1], "right": [2, 1, 2], "winner": [1.0, 0.5, 0.0], "group": [1, 2, 3]}
    roles[role] = [*roles[role][:2], None]
    with pytest.raises(assay.AssayError, match=f"missing in {role} .* Leave such rows out, or fill"):
        assay.arena(**roles)


@pytest.mark.parametrize("ridge", [0, -1, math.nan, math.inf, "a"])
def test_a_penalty_is_above_zero(ridge):
    """None at all would let strengths run away where somebody never lost."""
    with pytest.raises(assay.InputError, match="is a number above 0"):
        ranked(ridge=ridge)


def test_a_stated_penalty_is_said_and_that_it_does_not_allow_for_groups():
    """Its intervals are by the penalized likelihood, of strengths and of the position."""
    result = ranked(ridge=1.0)
    assert "A penalty of 1 on squared strengths" in " ".join(result.notes)
    assert result.position.method == "penalized"
    assert "do not allow for groups" in " ".join(ranked(ridge=1.0, group="prompt").notes)
    assert ranked().position.method == "sandwich"


def test_a_covariate_that_is_a_model_is_refused():
    """Its effect cannot be told from the model's strength, and is no separation."""
    left, right = np.array(table()["left"]), np.array(table()["right"])
    name = left[0]
    same = (left == name) * 1.0 - (right == name) * 1.0
    with pytest.raises(assay.InputError, match='"same" cannot be told apart from the strengths'):
        ranked(covariates={"same": same})


def test_a_covariate_has_a_value_for_every_comparison():
    with pytest.raises(assay.LengthError, match="longer has 3 values for"):
        ranked(covariates={"longer": [1.0, 2.0, 3.0]})


def test_a_single_covariate_may_be_named_and_has_any_unit():
    """Effects are in standard deviations, so that very small and very large units give the same."""
    rows = table()
    longer = np.random.default_rng(1).normal(size=len(rows["left"]))
    found = [
        assay.arena(
            rows | {"longer": longer * unit}, left="left", right="right", winner="winner", covariates="longer"
        )
        for unit in (1.0, 2.0**-700, 2.0**700)
    ]
    assert len({repr(result.effects["longer"]) for result in found}) == 1
    assert "longer" in found[0].effects
