import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay import set_threads
from assay.resampling import bootstrap, holdout, kfold, leave_group_out, leave_one_out, walk_forward

seeds = st.integers(0, 2**64 - 1)
labels = st.lists(st.sampled_from("abcd"), min_size=12, max_size=120)
PARTS = {"train": 0.5, "validate": 0.2, "test": 0.3}
SCHEMES = {
    "holdout": (holdout(PARTS, repeats=2), {"y"}),
    "holdout of groups": (holdout(PARTS), {"group"}),
    "holdout of classes and groups": (holdout(PARTS), {"y", "group"}),
    "holdout by time": (holdout(PARTS), {"time"}),
    "holdout of quantiles": (holdout(PARTS, bins=3), {"number"}),
    "kfold": (kfold(4, repeats=2), {"y"}),
    "kfold of rows": (kfold(5, stratify=False), {"y"}),
    "kfold of groups": (kfold(3), {"group"}),
    "kfold of classes and groups": (kfold(3), {"y", "group"}),
    "leave one out": (leave_one_out(), {"y"}),
    "leave group out": (leave_group_out(), {"group"}),
    "bootstrap": (bootstrap(5), {"y"}),
    "bootstrap of rows": (bootstrap(5, stratify=False), {"y"}),
    "bootstrap of groups": (bootstrap(5), {"group"}),
    "bootstrap of classes and groups": (bootstrap(5), {"y", "group"}),
    "walk forward": (walk_forward(3), {"time"}),
    "walk forward with a gap and a window": (walk_forward(3, gap=1, window=5), {"time"}),
}
cases = pytest.mark.parametrize(("splitter", "roles"), SCHEMES.values(), ids=SCHEMES)


def columns(y, roles):
    """The columns a splitter is given, all made of one list of labels."""
    n = len(y)
    made = {
        "y": y,
        "group": [f"g{(row * 7 + ord(label)) % 9}" for row, label in enumerate(y)],
        "time": np.array([(row * 7919) % n // 2 * 2 for row in range(n)]),
        "number": np.array([ord(label) + row / n for row, label in enumerate(y)]),
    }
    return {"y" if role == "number" else role: made[role] for role in roles}


@pytest.fixture(autouse=True)
def every_core_again():
    yield
    set_threads(0)


@cases
@settings(deadline=None, max_examples=15)
@given(labels)
def test_parts_are_disjoint_and_complete(splitter, roles, y):
    """Every row is in one part, or in none where time leaves it out; all forms of a split say the same."""
    for split in splitter.split(**columns(y, roles)):
        rows = np.concatenate([np.unique(part) for part in split])
        assert len(np.unique(rows)) == len(rows)
        unused = np.flatnonzero(split.column() == "unused")
        assert sorted([*rows, *unused]) == list(range(len(y)))
        assert "time" in roles or not len(unused)
        assert split.draws is not None or all(
            len(part) for part in split
        )  # a bootstrap may draw all there is
        for name, mask in split.masks().items():
            assert np.flatnonzero(mask).tolist() == np.unique(split[name]).tolist()
            assert (split.column()[mask] == name).all()
        assert split.sizes() == {name: len(part) for name, part in zip(split.names, split, strict=True)}


@cases
def test_the_same_seed_gives_the_same_parts(splitter, roles):
    """Splits are equal whenever they are made, in whatever order, on any number of threads."""
    n = 40 if splitter == leave_one_out() else 50_000
    y = np.random.default_rng(0).choice(list("abcd"), n).tolist()
    given_columns = columns(y, roles)
    set_threads(1)
    splits = splitter.split(**given_columns)
    first = list(splits)
    for threads in (2, 3):
        set_threads(threads)
        again = splitter.split(**given_columns)
        assert [again[index] for index in reversed(range(len(again)))] == first[::-1]
    assert splits[-1] == first[-1]
    assert splits[1:3] == first[1:3]


@cases
@settings(deadline=None, max_examples=15)
@given(labels, st.randoms(use_true_random=False), st.booleans())
def test_any_order_of_rows_gives_each_key_the_same_part(splitter, roles, y, random, text):
    """With keys, a key's part and how often it is drawn are the same however the rows are ordered."""
    n = len(y)
    key = [f"k{row * 7919 % n}-{row}" if text else row * 7919 - 500 for row in range(n)]
    given_columns = {role: np.asarray(values) for role, values in columns(y, roles).items()}
    shuffle = np.array(random.sample(range(n), n))
    moved = {role: values[shuffle] for role, values in given_columns.items()}
    if splitter == leave_one_out():
        return  # its splits follow the rows
    before = splitter.split(**given_columns, key=key)
    after = splitter.split(**moved, key=np.asarray(key)[shuffle])
    for one, other in zip(before, after, strict=True):
        assert (one.column()[shuffle] == other.column()).all()
        if one.draws is not None:
            assert (one.draws[shuffle] == other.draws).all()


@settings(deadline=None, max_examples=60)
@given(labels, seeds, st.integers(2, 9))
def test_folds_of_classes_are_even(y, seed, k):
    """Folds differ by at most one record in every class and altogether, and each record is tested once a repeat."""
    splits = kfold(k, seed=seed, repeats=2).split(y)
    tests = [split["test"] for split in splits]
    codes = np.array(y)
    for repeat in (tests[:k], tests[k:]):
        assert sorted(np.concatenate(repeat)) == list(range(len(y)))
        for label in [*set(y), None]:
            counts = [np.count_nonzero(codes[test] == label) if label else len(test) for test in repeat]
            assert max(counts) - min(counts) <= 1
    assert [(split.repeat, split.fold) for split in splits] == [(r, f) for r in (0, 1) for f in range(k)]


@settings(deadline=None, max_examples=60)
@given(labels, seeds, st.lists(st.integers(1, 20), min_size=2, max_size=5))
def test_parts_have_their_share_of_every_class(y, seed, weights):
    """A part's count is within one record of its share, in every class and altogether."""
    shares = [weight / sum(weights) for weight in weights]
    assume(min(shares) * len(y) >= 1)
    split = holdout({f"part {place}": share for place, share in enumerate(shares)}, seed=seed).split(y)[0]
    codes = np.array(y)
    for share, part in zip(shares, split, strict=True):
        assert abs(len(part) - share * len(y)) < 1
        for label in set(y):
            held = np.count_nonzero(codes[part] == label)
            assert abs(held - share * np.count_nonzero(codes == label)) < 1 + 1e-9


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-1e6, 1e6), min_size=20, max_size=200), seeds, st.integers(1, 8))
def test_folds_of_quantiles_are_even(y, seed, bins):
    """Folds of a number have low and high values alike: any quantile bin is dealt out evenly."""
    splits = kfold(4, seed=seed, bins=bins).split(y)
    ordered = np.sort(y)
    edges = np.unique(ordered[[-(-len(y) * place // bins) for place in range(1, bins)]])
    binned = np.searchsorted(edges, y, side="right")
    for which in set(binned.tolist()):
        counts = [np.count_nonzero(binned[split["test"]] == which) for split in splits]
        assert max(counts) - min(counts) <= 1


def test_without_keys_the_row_number_is_the_key():
    """Passing 0, 1, 2, ... as keys, in any width, as floats or not, changes nothing."""
    y = ["a", "b"] * 100
    plain = [*kfold(3).split(y), *bootstrap(2).split(y), *holdout().split(y)]
    for dtype in (np.int16, np.uint64, np.int64, np.float64):
        key = np.arange(200, dtype=dtype)
        assert [
            *kfold(3).split(y, key=key),
            *bootstrap(2).split(y, key=key),
            *holdout().split(y, key=key),
        ] == plain


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8])
def test_arrays_may_change_once_they_were_given(dtype):
    """Splits made later are those of the rows as they were."""
    y, key = np.arange(100, dtype=dtype) % 3, np.arange(100, dtype=dtype)
    splits = [
        kfold(3, repeats=3).split(y, key=key),
        bootstrap(3).split(y, key=key),
        kfold(3, repeats=3).split(group=y),
    ]
    expected = [list(some) for some in splits]
    y[:], key[:] = y[::-1].copy(), key[::-1].copy()
    assert [list(some) for some in splits] == expected


def test_other_seeds_and_repeats_give_other_parts():
    """Repeats of one seed and the first repeats of other seeds are all different."""
    seen = [
        split.column().tobytes() for seed in range(5) for split in holdout(repeats=4, seed=seed).split(n=60)
    ]
    assert len(set(seen)) == 20


@pytest.mark.parametrize("y", [None, ["a", "b", "b", "c"] * 250])
def test_a_record_is_drawn_with_the_chance_of_the_books(y):
    """A bootstrap of n draws each record at least once with chance 1 - (1 - 1/n)**n, which tends to 0.632."""
    splits = bootstrap(200, seed=3).split(y, n=1000)
    drawn = np.mean([len(set(split["train"].tolist())) / 1000 for split in splits])
    assert abs(drawn - (1 - (1 - 1 / 1000) ** 1000)) < 0.003
    assert all(split.sizes()["train"] == 1000 for split in splits)
    if y is not None:
        codes = np.array(y)
        assert all((codes[split["train"]] == "b").sum() == 500 for split in splits)
    each = np.sum([split.draws for split in splits], axis=0)
    assert abs(each.mean() - 200) < 1e-9
    assert abs(each.var() / 200 - 1) < 0.15


@pytest.mark.parametrize("n", [5, 20, 100, 2000])
def test_the_chance_of_being_drawn_tends_to_that_of_the_books(n):
    """Of n records one is drawn with chance 1 - (1 - 1/n)**n, which falls towards 1 - 1/e = 0.632."""
    replicates = 400_000 // n if n < 1000 else 400
    drawn = np.array(
        [np.count_nonzero(split.draws) / n for split in bootstrap(replicates, seed=n).split(n=n)]
    )
    expected = 1 - (1 - 1 / n) ** n
    assert abs(drawn.mean() - expected) < 5 * drawn.std() / np.sqrt(replicates)
    assert 0.632 < expected < 0.632 + 0.25 / n + 0.001


@settings(deadline=None, max_examples=25)
@given(labels, seeds, st.integers(2, 5), st.integers(1, 3))
def test_each_record_is_tested_once_a_repeat(y, seed, k, repeats):
    """In folds of rows, of classes, of groups, and left out one by one or by groups."""
    group = columns(y, {"group"})["group"]
    assume(len(set(group)) >= k)
    anew = kfold(k, repeats=repeats, seed=seed)
    for splits, times in (
        (anew.split(y), repeats),
        (anew.split(n=len(y)), repeats),
        (anew.split(y, group=group), repeats),
        (leave_one_out().split(n=len(y)), 1),
        (leave_group_out().split(group=group), 1),
    ):
        tested = np.concatenate([split["test"] for split in splits])
        assert (np.bincount(tested, minlength=len(y)) == times).all()
        assert len(splits) % times == 0
        for split in splits:
            assert not set(split["train"].tolist()) & set(split["test"].tolist())


def test_every_row_of_a_class_is_as_likely_as_another():
    """Over many repeats the rows of a class are in the test part equally often."""
    y = np.array(["a"] * 3 + ["b"] * 5 + ["c"] * 4)
    tested = np.zeros(12)
    for split in holdout(repeats=4000).split(y):
        tested[split["test"]] += 1
    for label in "abc":
        share = tested[y == label] / 4000
        assert (abs(share - share.mean()) < 0.04).all()
    assert tested.sum() == 3 * 4000
