import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.resampling import bootstrap, holdout, kfold, leave_group_out

groups = st.lists(st.sampled_from("abcdefghij"), min_size=30, max_size=150).filter(lambda g: len(set(g)) >= 5)
seeds = st.integers(0, 2**64 - 1)


@settings(deadline=None, max_examples=60)
@given(groups, seeds, st.data(), st.booleans())
def test_a_group_is_in_one_part(group, seed, data, stratified):
    """No group straddles, with or without classes, and no part is empty."""
    y = (
        data.draw(st.lists(st.sampled_from("xyz"), min_size=len(group), max_size=len(group)))
        if stratified
        else None
    )
    codes = np.array(group)
    splitters = (
        kfold(5, seed=seed),
        holdout({"a": 0.6, "b": 0.3, "c": 0.1}, seed=seed),
        leave_group_out(),
        bootstrap(3, seed=seed),
    )
    for splitter in splitters:
        for split in splitter.split(y, group=group):
            parts = [set(codes[part]) for part in split]
            assert sum(map(len, parts)) == len(set(group))
            if not isinstance(splitter, type(bootstrap())):
                assert all(parts)


@settings(deadline=None, max_examples=60)
@given(groups, seeds, st.integers(2, 5))
def test_no_fold_is_larger_than_its_share_and_a_group(group, seed, k):
    """A fold got its last group when it lacked rows: it is over its share by less than that group."""
    sizes = [split.sizes()["test"] for split in kfold(k, seed=seed).split(group=group)]
    largest = max(group.count(name) for name in set(group))
    assert max(sizes) < len(group) / k + largest
    assert sum(sizes) == len(group)


def test_classes_are_spread_as_groups_allow():
    """Of many groups of few rows, every fold has each class to within a few records."""
    rng = np.random.default_rng(3)
    group = rng.integers(0, 400, 4000)
    y = np.where(rng.random(4000) < 0.05 + 0.4 * (group % 4 == 0), "yes", "no")
    for split in kfold(5).split(y, group=group):
        share = (y[split["test"]] == "yes").mean()
        assert abs(share - (y == "yes").mean()) < 0.003
        assert abs(len(split["test"]) - 800) <= 3


def test_groups_of_one_class_each_fill_every_part():
    """Where all parts lack a class alike, the emptiest part gets the group."""
    splits = kfold(3).split(["a", "b", "c"], group=[1, 2, 3])
    assert [len(split["test"]) for split in splits] == [1, 1, 1]


def test_groups_go_by_their_labels():
    """The order of rows, and groups' names as text or numbers of any width, do not matter."""
    group = np.array([1, 1, 2, 3, 3, 3, 4, 5, 5, 6])
    splits = list(kfold(3).split(group=group))
    assert list(kfold(3).split(group=group.astype(str))) == splits
    assert list(kfold(3).split(group=group.astype(np.int8))) == splits
    moved = kfold(3).split(group=group[::-1])
    assert all((a.places[::-1] == b.places).all() for a, b in zip(splits, moved, strict=True))


def test_seeds_deal_equal_groups_differently():
    """Groups of one size are dealt at random."""
    group = np.repeat(np.arange(30), 2)
    assert len({kfold(3, seed=seed).split(group=group)[0].places.tobytes() for seed in range(10)}) > 7


def test_a_bootstrap_draws_whole_groups():
    """All rows of a group are drawn equally often, and as many groups as there are."""
    group = np.repeat(np.arange(50), [1, 2, 3, 4, 5] * 10)
    for split in bootstrap(20).split(group=group):
        drawn = [set(split.draws[group == name].tolist()) for name in range(50)]
        assert all(len(times) == 1 for times in drawn)
        assert sum(times.pop() for times in drawn) == 50


def test_a_bootstrap_of_groups_keeps_the_classes_of_groups():
    """Groups are drawn within the class most of their rows have, the first of equals."""
    group = np.repeat(np.arange(30), 3)
    y = np.array(["a", "a", "b"] * 10 + ["b", "b", "a"] * 20)
    for split in bootstrap(10).split(y, group=group):
        assert split.draws[:30].sum() == 30
        assert split.draws[30:].sum() == 60
    tied = bootstrap(50).split(["b", "a", "b", "b"], group=[1, 1, 2, 2])
    assert all(split.draws.tolist() == [1, 1, 1, 1] for split in tied)  # each is the only one of its class


@pytest.mark.parametrize("scheme", [kfold(4), holdout({"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25})])
def test_there_are_as_many_groups_as_parts(scheme):
    """Three groups cannot fill four parts."""
    with pytest.raises(ValueError, match="4 parts of 3 groups: there cannot be more parts than groups"):
        scheme.split(group=["a", "b", "c", "a"])
