from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference_assignment import fold_of_keys, keyed_word

from assay.inputs.text_hashes import text_hashes
from assay.resampling import assignment, holdout, kfold
from assay.resampling.apportionment import apportion
from assay.resampling.row_hashing import Keys

seeds = st.integers(0, 2**64 - 1)
labels = st.lists(st.sampled_from("abcde"), min_size=10, max_size=200)


def folds(splits):
    """The fold in which each row is tested, of one repeat."""
    return [
        int(np.flatnonzero([split.places[row] for split in splits])[0])
        for row in range(len(splits[0].places))
    ]


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=12),
    st.lists(st.integers(1, 30), min_size=2, max_size=7),
)
def test_every_cell_and_every_total_is_its_share_rounded(sizes, weights):
    """Counts add up to the strata, and neither a count nor a part's total is off by one record or more."""
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    table = apportion(sizes, shares)
    assert table.sum(axis=1).tolist() == sizes
    for size, line in zip(sizes, table.tolist(), strict=True):
        assert all(abs(count - size * share) < 1 for count, share in zip(line, shares, strict=True))
    totals = table.sum(axis=0).tolist()
    assert all(abs(total - sum(sizes) * share) < 1 for total, share in zip(totals, shares, strict=True))


def test_a_chain_mends_a_total():
    """Serving each stratum as it comes leaves one total off by a record here; handing on along a chain mends it."""
    shares = [Fraction(weight, 28) for weight in (4, 4, 6, 6, 8)]
    totals = apportion([4, 4, 2, 3, 3, 5], shares).sum(axis=0).tolist()
    assert all(abs(total - 21 * share) < 1 for total, share in zip(totals, shares, strict=True))


@settings(deadline=None, max_examples=40)
@given(labels, seeds, st.integers(2, 10), st.integers(0, 3))
def test_folds_are_those_of_a_plain_sort(y, seed, k, repeat):
    """Buckets give what sorting every stratum by word and key gives, of row numbers, integers and texts."""
    found = kfold(k, seed=seed, repeats=4)
    some = slice(repeat * k, repeat * k + k)
    assert folds(found.split(y)[some]) == fold_of_keys(range(len(y)), y, k, seed, repeat)
    numbers = [(-1) ** row * row * 7 for row in range(len(y))]
    assert folds(found.split(y, key=numbers)[some]) == fold_of_keys(numbers, y, k, seed, repeat)
    texts = ["é" * (row % 3) + str(row) for row in range(len(y))]
    assert folds(found.split(y, key=texts)[some]) == fold_of_keys(texts, y, k, seed, repeat)


@pytest.mark.parametrize("bits", [1, 3, 8, 16])
def test_the_number_of_buckets_changes_nothing(bits, monkeypatch):
    """Few buckets or many: only how much is sorted depends on it."""
    y = np.random.default_rng(0).choice(["a", "b", "c"], 20_000, p=[0.9, 0.09, 0.01])
    expected = kfold(7).split(y)[2], holdout().split(y)[0]
    monkeypatch.setattr(assignment, "_bucket_bits", lambda *_: bits)
    assert (kfold(7).split(y)[2], holdout().split(y)[0]) == expected


def test_equal_words_are_told_apart_by_their_keys(monkeypatch):
    """Where two keys have the same word, the smaller key comes first, whatever the order of rows."""
    monkeypatch.setattr(Keys, "words", lambda self, *_: np.zeros(self.n, dtype=np.uint64))
    keys = np.array([5, 3, 9, 1, 7, 2])
    assert folds(kfold(3).split(key=keys)) == [1, 1, 2, 0, 2, 0]
    assert folds(kfold(3).split(key=keys.astype(str))) == [1, 1, 2, 0, 2, 0]


def test_as_many_strata_as_rows():
    """Classes of one row each are dealt like rows without classes: at random and evenly."""
    y = np.arange(5000)
    found = folds_of_many(y)
    assert np.bincount(found).tolist() == [1000] * 5
    assert (found != folds_of_many(y, seed=2)).mean() > 0.7
    many = np.arange(700_000)
    assert np.bincount(folds_of_many(many)).tolist() == [140_000] * 5


def folds_of_many(y, seed=1):
    found = np.empty(len(y), dtype=int)
    for fold, split in enumerate(kfold(5, seed=seed).split(y)):
        found[split["test"]] = fold
    return found


def test_texts_of_any_length_have_words_of_their_own():
    """An empty text, a long one, a NUL, a lone surrogate: each has its 64 bits, and block limits do not matter."""
    texts = ["", "\0", "a", "a\0", "ab", "ba", "\ud800", "x" * 10_000, *map(str, range(10_000))]
    words = text_hashes(texts)
    assert len(set(words.tolist())) == len(texts)
    assert all(text_hashes([text])[0] == word for text, word in zip(texts[:50], words, strict=False))


def test_words_are_spread_evenly():
    """Bits of words of keys that follow each other are as good as random, and unlike those of another seed."""
    n = 1 << 16
    for keys in (Keys(n), Keys(n, text_hashes([f"row {row}" for row in range(n)]))):
        words = keys.words(1, 0)
        ones = [int(((words >> np.uint64(bit)) & np.uint64(1)).sum()) for bit in range(64)]
        assert all(abs(count - n / 2) < 5 * np.sqrt(n) / 2 for count in ones)
        other = np.bitwise_count(words ^ keys.words(2, 0))
        assert abs(other.mean() - 32) < 0.1
        assert abs(np.bitwise_count(words ^ keys.words(1, 1)).mean() - 32) < 0.1
        held = np.bincount((words >> np.uint64(54)).astype(int), minlength=1024)
        assert abs(((held - 64) ** 2 / 64).sum() - 1023) < 5 * np.sqrt(2 * 1023)


def test_a_word_is_what_it_was():
    """Words are part of the interface: a release that changed them would move rows between train and test."""
    assert Keys(3).words(7, 0).tolist() == [keyed_word(7, 0, key) for key in range(3)]
    assert Keys(3).words(7, 0).tolist() == GOLDEN
    assert text_hashes(["spam"]).tolist() == [GOLDEN_TEXT]


GOLDEN = [11256879934274900464, 1695134826059703290, 10437762951160444822]
GOLDEN_TEXT = 18084030413354783667
