"""The losses of probabilities beside scikit-learn's own: values, labels, weights, warnings and errors."""

import math
import warnings

import numpy as np
import pytest
from support.agreement import assert_same, outcome

import assay.sklearn as ours

theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference here")

NAMES = ("log_loss", "d2_log_loss_score", "brier_score_loss", "d2_brier_score")
LABELS = {
    "0 and 1": [0, 1, 2, 3],
    "-1 and 1": [-1, 1, 2, 3],
    "1 and 2": [1, 2, 3, 4],
    "text": ["eggs", "ham", "spam", "yams"],
    "floats": [0.0, 1.0, 2.0, 3.0],
}
EXTRA = {
    "log_loss": [{"normalize": False}],
    "brier_score_loss": [{"scale_by_half": True}, {"scale_by_half": False}],
}


def agree(name, *args, **named):
    """Assert that both give the same value or error, with the same warnings."""
    mine, other = (outcome(getattr(module, name), *args, **named) for module in (ours, theirs))
    assert_same(mine[0], other[0])
    assert mine[1] == other[1]
    return mine[0]


def drawn(labels, classes, n, seed):
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(np.arange(max(n, classes)) % classes)[:n]
    return (
        np.array([labels[one] for one in chosen]),
        rng.dirichlet([0.7] * classes, n),
        rng.uniform(0.1, 3, n),
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_tables_of_probabilities_agree(name, kind, classes):
    """A column per class, of any labels, with weights and without, and every option."""
    for n in (classes, 7, 60):
        actual, table, weight = drawn(LABELS[kind], classes, n, seed=n)
        for given in (actual, actual.tolist()):
            for more in ({}, *EXTRA.get(name, [])):
                value = agree(name, given, table, **more)
                agree(name, given, table.tolist(), sample_weight=weight, **more)
                assert isinstance(value, float)
        agree(name, actual, table, labels=LABELS[kind][:classes])
        agree(name, actual[:1].repeat(n), table, labels=LABELS[kind][:classes])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", LABELS)
def test_a_column_of_probabilities_agrees(name, kind):
    """One column is the probability of the greater label, or of the one that is named."""
    for n in (2, 9, 200):
        actual, table, weight = drawn(LABELS[kind], 2, n, seed=n)
        p = table[:, 1]
        named = {"pos_label": LABELS[kind][1]} if "brier" in name and kind == "text" else {}
        for more in ({}, {"sample_weight": weight}, {"sample_weight": np.arange(n)}):
            agree(name, actual, p, **more, **named)
            agree(name, actual.tolist(), p[:, None], **more, **named)
        if "brier" in name:
            agree(name, actual, p, pos_label=LABELS[kind][0])
            agree(name, actual, p)


@pytest.mark.parametrize("name", NAMES)
def test_types_of_labels_change_nothing(name):
    """Labels of any integer type, truth values and floats go their several ways to one value."""
    rng = np.random.default_rng(4)
    p = rng.random(500)
    actual = (rng.random(500) < p).astype(np.int64)
    expected = agree(name, actual, p)
    for kind in (np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.float64):
        assert agree(name, actual.astype(kind), p) == pytest.approx(expected, rel=1e-15)
    assert agree(name, np.stack([actual, actual])[0], np.stack([p, p], axis=1)[:, 0]) == expected


def test_probabilities_of_single_precision_agree():
    """Float32 is clipped at its own epsilon, and is no NaN at 0 and 1; sums are taken in double precision."""
    rng = np.random.default_rng(8)
    p = np.append(rng.random(300), [0, 1, 0, 1]).astype(np.float32)
    actual = np.append(rng.integers(0, 2, 300), [0, 1, 1, 0])
    for name in NAMES:
        mine, other = getattr(ours, name)(actual, p), getattr(theirs, name)(actual, p)
        assert mine == pytest.approx(other, rel=2e-6)
    assert ours.log_loss([0, 1], np.array([1, 0], dtype=np.float32)) == pytest.approx(-math.log(2**-23))
    assert ours.log_loss([0, 1], [1.0, 0.0]) == -math.log(2**-52)


def test_the_plain_way_and_the_long_way_give_the_same_bits():
    """Arrays of integers beside floats take one pass; the same as a list gives the same float."""
    rng = np.random.default_rng(6)
    p = rng.random(10_000)
    actual = (rng.random(10_000) < p).astype(np.int64)
    assert ours.log_loss(actual, p) == ours.log_loss(actual.tolist(), p)
    assert ours.log_loss(actual, p, normalize=False) == ours.log_loss(
        actual.astype(np.int8), p, normalize=False
    )
    order = rng.permutation(10_000)
    for name in NAMES:
        assert getattr(ours, name)(actual[order], p[order]) == getattr(ours, name)(actual, p)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("actual", "p", "more"),
    [
        ([0, 1, 1], [0.5, 1.5, 0.1], {}),
        ([0, 1, 1], [0.5, -0.5, 0.1], {}),
        (np.array([0, 1, 1]), np.array([0.5, -0.5, 1.5]), {}),
        (np.array([0, 1, 1]), np.array([0.5, np.nan, 0.5]), {}),
        (np.array([0, 1, 1]), np.array([0.5, np.inf, 0.5]), {}),
        (np.array([0, 1]), np.array([0.5, 0.5, 0.5]), {}),
        (np.array([0, 1, 2]), np.array([0.5, 0.5, 0.5]), {}),
        (np.array([1, 1]), np.array([0.5, 0.75]), {}),
        ([], [], {}),
        ([0, 1], ["a", "b"], {}),
        ([0, 1], [[0.5, 0.5], [0.7, 0.7]], {}),
        ([0, 1, 2], [[1, 0], [0, 1], [0, 1]], {}),
        (["a", "b"], [[0.5, 0.5], [0.3, 0.7]], {"labels": ["b", "a"]}),
        (["a", "b"], [[0.5, 0.5], [0.3, 0.7]], {"labels": ["a", "c"]}),
        (["a", "b"], [[0.5, 0.5], [0.3, 0.7]], {"labels": ["a", "b", "c"]}),
        (["a", "a"], [[0.5, 0.5], [0.3, 0.7]], {"labels": ["a"]}),
        (["a", "a"], [[0.5, 0.5], [0.3, 0.7]], {}),
        ([0, 1], [0.5, 0.75], {"sample_weight": [0, 0]}),
        ([0, 1], [0.5, 0.75], {"sample_weight": [1, 2, 3]}),
        ([0, 1], [0.5, 0.75], {"sample_weight": [1, np.nan]}),
        ([0, 1], [0.5, 0.75], {"sample_weight": [1, -1]}),
        ([0, 1, 1], [0.5, 0.75, 0.25], {"sample_weight": [3, 2, -1]}),
        ([[0, 1], [1, 1]], [[0.25, 0.75], [0.5, 0.5]], {}),
        ([0], [0.5], {}),
    ],
)  # fmt: skip
def test_what_scikit_learn_refuses_or_warns_of_is_refused_or_warned_of(name, actual, p, more):
    """The same errors in the same words, the same warnings."""
    agree(name, actual, p, **more)


def test_brier_scores_of_a_lone_class_agree():
    """One column may belong to a single class, present or not."""
    for actual, named in (
        ([0], {}), ([1], {}), ([-1], {}), (["foo"], {"pos_label": "bar"}), (["foo"], {"pos_label": "foo"}),
        (["foo"], {}), ([2, 2], {}),
    ):  # fmt: skip
        agree("brier_score_loss", actual, [0.4] * len(actual), **named)
    agree("d2_brier_score", [1, 1], [0.5, 0.25])
    agree("d2_brier_score", [1, 1], [1.0, 1.0])


def test_probabilities_by_their_old_name():
    """`y_pred` is still taken for `y_proba`, with a warning."""
    for name in ("log_loss", "d2_log_loss_score"):
        agree(name, [0, 1, 1], y_pred=[0.5, 0.75, 0.25])
        agree(name, [0, 1, 1], [0.5, 0.75, 0.25], y_pred=[0.5, 0.75, 0.25])
        with pytest.warns(FutureWarning, match="renamed to `y_proba`") as said:
            getattr(ours, name)([0, 1, 1], y_pred=[0.5, 0.75, 0.25])
        assert said[0].filename == __file__


@pytest.mark.parametrize("name", NAMES)
def test_the_class_proportions_have_no_skill(name):
    """Always saying the proportions of the classes gives a skill of 0, to the last bit."""
    if not name.startswith("d2"):
        return
    for actual in ([0, 1, 1], [0, 1, 2, 2, 2, 1, 0]):
        shares = np.bincount(actual) / len(actual)
        assert getattr(ours, name)(actual, np.tile(shares, (len(actual), 1))) == 0
    assert getattr(ours, name)([0, 1, 1], [2 / 3] * 3) == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_hinge_losses_agree(weighted):
    """Two classes by one decision, several by one each, with labels that do not occur."""
    rng = np.random.default_rng(2)
    weight = {"sample_weight": rng.uniform(0, 3, 40)} if weighted else {}
    decision = rng.normal(size=(40, 4))
    for labels in LABELS.values():
        two, four = (np.array([labels[i % k] for i in range(40)]) for k in (2, 4))
        agree("hinge_loss", two, decision[:, 0], **weight)
        agree("hinge_loss", two.tolist(), decision[:, :1], **weight)
        agree("hinge_loss", four, decision, **weight)
        agree("hinge_loss", four, decision.tolist(), labels=labels, **weight)
        agree("hinge_loss", two, decision, labels=labels, **weight)
        agree("hinge_loss", two[:1].repeat(40), decision[:, 0], **weight)
        agree("hinge_loss", four, decision[:, 0], labels=labels[:2], **weight)
        agree("hinge_loss", four, decision[:, 0], **weight)
        agree("hinge_loss", four, decision[:, :3], **weight)
        agree("hinge_loss", two, decision[:, :3], labels=labels, **weight)
    agree("hinge_loss", [0, 1], [0.5, 0.25, 1.0])
    agree("hinge_loss", [0, 1], ["a", "b"])
    agree("hinge_loss", [0.5, 1.5], [0.5, 0.25])


@pytest.mark.parametrize("name", [*NAMES, "hinge_loss"])
@pytest.mark.parametrize(
    "wrong",
    [{"labels": 3}, {"sample_weight": "heavy"}, {"y_true": 3}, {"pos_label": []}, {"scale_by_half": 2}],
)
def test_parameters_of_the_wrong_kind_are_refused(name, wrong):
    """A parameter that cannot be one is refused as scikit-learn refuses it."""
    decision = "pred_decision" if name == "hinge_loss" else "y_proba"
    named = {"y_true": [0, 1], decision: [0.5, 0.75], **wrong}
    mine, other = (outcome(getattr(module, name), **named)[0] for module in (ours, theirs))
    assert isinstance(mine, TypeError)
    assert isinstance(other, TypeError)
    if "unexpected keyword" not in str(other):
        assert str(mine).partition(" must be ")[0] == str(other).partition(" must be ")[0]


def test_nothing_is_warned_of_without_reason():
    """Certain and right predictions give no warning about logarithms of 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for table in ([0, 1, 0], [[1, 0], [0, 1], [1, 0]]):
            assert ours.log_loss([0, 1, 0], table) == pytest.approx(0, abs=1e-15)
            assert ours.brier_score_loss([0, 1, 0], table) == 0


def test_hinge_loss_takes_weights_that_are_objects():
    """Weights in an array of objects are numbers all the same."""
    weights = np.array([1, 0.5, 2], dtype=object)
    agree("hinge_loss", [0, 1, 1], [-0.3, 0.2, 1.5], sample_weight=weights)
    agree("hinge_loss", [0, 1, 2], np.eye(3), sample_weight=weights)
    agree("hinge_loss", [0, 1, 1], [-0.3, 0.2, 1.5], sample_weight=[1, math.nan, 2])
