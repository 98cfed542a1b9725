"""The same parts on every machine: digests of splits that must not change from one release to the next."""

import hashlib

import numpy as np
import pytest

from assay.resampling import bootstrap, holdout, kfold, leave_group_out, walk_forward

ROWS = np.arange(1000)
Y = np.array(["no", "yes", "maybe"])[(ROWS * 7919 % 1000 < 300).astype(int) + (ROWS * 104729 % 1000 < 50)]
GROUP = [f"g{row * 31 % 77}" for row in range(1000)]
KEY = [f"key {row * 7919 % 1000}" for row in range(1000)]
CASES = {
    "holdout": (holdout({"train": 0.5, "validate": 0.25, "test": 0.25}, seed=12345), {"y": Y}, "c7512ed289263bdf"),
    "folds": (kfold(10, repeats=2, seed=1), {"y": Y}, "41ea74ae155948af"),
    "folds by text keys": (kfold(10, seed=1), {"y": Y, "key": KEY}, "f4ac4515e7d18032"),
    "folds by whole keys": (kfold(7, seed=2**64 - 1), {"key": ROWS * 7919 - 5000}, "0f3a20609073cf65"),
    "folds of quantiles": (kfold(5, bins=4), {"y": ROWS * 7919 % 1000 / 8}, "3236d8c9b34881b7"),
    "folds of classes and groups": (kfold(5, seed=3), {"y": Y, "group": GROUP}, "4173423e23b0bc89"),
    "holdout of groups": (holdout(seed=4), {"group": GROUP}, "7de04d5d480acb73"),
    "bootstrap": (bootstrap(5, seed=5), {"y": Y}, "3817acf82dc415c1"),
    "bootstrap by keys": (bootstrap(5, stratify=False, seed=5), {"key": KEY}, "f11735966492fd54"),
    "bootstrap of groups": (bootstrap(3, seed=6), {"y": Y, "group": GROUP}, "8b6f539c178db36c"),
    "steps in time": (walk_forward(4, gap=3, window=300), {"time": ROWS * 7919 % 1000}, "00bd2c1697792b39"),
}  # fmt: skip


def digest(splits):
    state = hashlib.sha256()
    for split in splits:
        state.update(split.places.astype(np.uint8).tobytes())
        if split.draws is not None:
            state.update(split.draws.astype("<u4").tobytes())
    return state.hexdigest()[:16]


@pytest.mark.parametrize(("splitter", "columns", "expected"), CASES.values(), ids=CASES)
def test_parts_are_those_of_every_machine(splitter, columns, expected):
    """A seed's parts are what they were on the machine and in the release that wrote these digests."""
    assert digest(splitter.split(**columns)) == expected


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("form", ["text", "categories"])
def test_what_holds_the_columns_does_not_count(library, form):
    """Classes, groups and keys as text or as categories, in whatever order those are, give the same parts."""
    made = pytest.importorskip(library)

    def held(values):
        if library == "pyarrow":
            array = made.array(list(values))
            return array.dictionary_encode() if form == "categories" else array
        if form == "text":
            return made.Series(list(values))
        backwards = sorted(set(values), reverse=True)
        if library == "polars":
            return made.Series(list(values), dtype=made.Enum(["nobody's", *backwards]))
        return made.Series(made.Categorical(list(values), categories=["nobody's", *backwards]))

    for name in ("folds by text keys", "folds of classes and groups", "bootstrap of groups"):
        splitter, columns, expected = CASES[name]
        assert digest(splitter.split(**{role: held(values) for role, values in columns.items()})) == expected
    assert len(leave_group_out().split(group=held(GROUP))) == 77
