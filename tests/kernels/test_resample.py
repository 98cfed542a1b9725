"""Bootstrap replicates: exactly multinomial, the same digits on any threads, areas of the very counts drawn."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from assay import kernels

SIZES = {
    "distinct": np.ones(40, np.uint64),
    "blocks": np.ones(40_000, np.uint64),
    "just over a block": np.ones(16_384 + 3, np.uint64),
    "small": np.array([1, 3, 0, 7, 1, 20, 1, 2], np.uint64),
    "large": np.array([70, 4_000_000, 1_000, 0, 1, 12_345_678], np.uint64),
    "beyond 32 bits": np.array([1 << 40, 1 << 38, 5, 1 << 33], np.uint64),
}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_every_replicate_has_all_rows(sizes):
    """Each replicate draws as many rows as there are, and none of an entry without rows."""
    counts = kernels.resample_counts(sizes, 5, 0, 50)
    assert counts.shape == (50, len(sizes))
    assert (counts >= 0).all()
    assert (counts.sum(1) == int(sizes.sum())).all()
    assert not counts[:, sizes == 0].any()


def test_counts_are_binomial():
    """The counts of single entries pass a chi-square test against the exact binomial."""
    for sizes, entry in ((np.ones(500), 17), (np.ones(20_000), 19_999), (np.array([3, 9, 88.0]), 1)):
        n, size = int(sizes.sum()), int(sizes[entry])
        several = kernels.resample_counts(sizes.astype(np.uint64), 11, 0, 20_000 if n < 1000 else 2_000)
        drawn = several[:, entry] if n < 1000 else several[:, ::500].ravel()
        chances = stats.binom(n, size / n).pmf(np.arange(40))
        _fits(np.bincount(drawn, minlength=40)[:40], chances)


def test_every_byte_count_is_poisson_like():
    """A hundred million counts of one row each fit the binomial to the last cell that can be seen."""
    n = 50_000
    seen = np.zeros(40)
    for begin in range(0, 2000, 100):
        counts = kernels.resample_counts(np.ones(n, np.uint64), 3, begin, begin + 100)
        seen += np.bincount(counts.ravel(), minlength=40)
    _fits(seen, stats.binom(n, 1 / n).pmf(np.arange(40)))


@pytest.mark.parametrize(
    ("n", "part", "whole"),
    [(30, 1, 3), (100, 1, 2), (1_000, 17, 1_000), (10_000, 9_990, 10_000), (1 << 41, 3, 1 << 41), (60, 1, 4)],
)
def test_binomials_fit(n, part, whole):
    """Inversion and rejection both give the binomial, whichever side is the smaller."""
    # Two entries of n rows in all: the first one's count is binomial.
    first = n * part // whole
    drawn = kernels.resample_counts(np.array([first, n - first], np.uint64), 9, 0, 200_000)[:, 0]
    law = stats.binom(n, first / n)
    low = int(drawn.min())
    assert low >= law.ppf(1e-9)
    span = np.arange(low, int(drawn.max()) + 1)
    _fits(np.bincount(drawn - low), law.pmf(span))


def _fits(seen, chances):
    """Assert that counts fit chances, cells of fewer than 8 expected being put together."""
    expected = chances * seen.sum()
    kept = expected >= 8
    seen = np.append(seen[kept], seen[~kept].sum())
    expected = np.append(expected[kept], seen.sum() - expected[kept].sum())
    terms = (seen - expected) ** 2 / np.maximum(expected, 1e-9)
    terms = terms[expected >= 1]
    assert stats.chi2(len(terms) - 1).sf(terms.sum()) > 1e-3


def test_means_variances_and_covariances():
    """Counts have the multinomial's mean, variance and covariance, between neighbours and between blocks."""
    sizes = np.array([1] * 30 + [5, 9, 40, 2], np.uint64)
    replicates = 200_000
    counts = kernels.resample_counts(sizes, 2, 0, replicates).astype(float)
    share = sizes / sizes.sum()
    n = float(sizes.sum())
    exact = n * (np.diag(share) - np.outer(share, share))
    fourth = np.diag(np.diag(exact))  # of counts that are nearly Poisson
    spread = np.sqrt((exact**2 + np.outer(np.diag(exact), np.diag(exact)) + fourth) / replicates)
    assert (np.abs(counts.mean(0) - sizes) < 5 * np.sqrt(np.diag(exact) / replicates)).all()
    assert (np.abs(np.cov(counts.T) - exact) < 5 * spread).all()


@pytest.mark.slow
def test_rows_far_apart_do_not_know_each_other():
    """Over whole blocks the counts of two rows have covariance -1/n, whatever lane or block they are in."""
    n, replicates = 33_000, 3_000
    counts = kernels.resample_counts(np.ones(n, np.uint64), 8, 0, replicates) - 1.0
    for shift in (1, 8, 64, 256, 511, 16_384):
        together = (counts[:, shift:] * counts[:, :-shift]).mean()
        assert abs(together + 1 / n) < 5 / np.sqrt(replicates * (n - shift))
    between = (counts[1:] * counts[:-1]).mean()
    assert abs(between) < 5 / np.sqrt(replicates * n)
    sums = counts[:, :16_384].sum(1)  # of a block: binomial
    assert abs(sums.var() / (16_384 * (1 - 16_384 / n)) - 1) < 5 * np.sqrt(2 / replicates)


def _two_classes(n, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    score = rng.normal(size=n) + positive
    return positive, score if digits is None else np.round(score, digits)


def _tally(positive, score):
    scores, p, q, *_ = kernels.order_scores(score, positive.astype(np.uint8))
    return scores, p, q


def _drawn(p, q, seed, end, *, stratified):
    """Return positives and negatives of each replicate, from the counts themselves."""
    cells = np.stack([p, q], 1).ravel().astype(np.uint64)
    full = np.zeros((end, len(cells)), np.int64)
    if stratified:
        for side, stream in ((0, 1), (1, 2)):
            here = np.flatnonzero((np.arange(len(cells)) % 2 == side) & (cells > 0))
            full[:, here] = kernels.resample_counts(cells[here], seed, 0, end, stream)
    else:
        here = np.flatnonzero(cells)
        full[:, here] = kernels.resample_counts(cells[here], seed, 0, end)
    return full[:, ::2], full[:, 1::2]


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize(
    ("n", "digits"), [(60, None), (60, 1), (20_000, None), (20_000, 2), (70_000, 1), (2, None)]
)
def test_areas_are_those_of_the_counts(n, digits, stratified):
    """The areas are scikit-learn's for the very counts drawn, to 1e-12."""
    positive, score = _two_classes(n, digits=digits)
    positive[:2] = True, False
    scores, p, q = _tally(positive, score)
    end = 6
    drawn_p, drawn_q = _drawn(p, q, 4, end, stratified=stratified)
    labels = np.repeat([1, 0], len(scores))
    both = np.concatenate([scores, scores])
    areas = kernels.resample_areas(p, q, 4, 0, end, stratified)
    precisions = kernels.resample_precisions(p, q, 4, 0, end, stratified)
    for replicate in range(end):
        weight = np.concatenate([drawn_p[replicate], drawn_q[replicate]])
        kept = weight > 0
        m = drawn_p[replicate].sum()
        if m and m < n:
            area = roc_auc_score(labels[kept], both[kept], sample_weight=weight[kept])
            assert areas[replicate] == pytest.approx(area, abs=1e-12)
        else:
            assert np.isnan(areas[replicate])
        if m:
            precision = average_precision_score(labels[kept], both[kept], sample_weight=weight[kept])
            assert precisions[replicate] == pytest.approx(precision, abs=1e-12)
        else:
            assert np.isnan(precisions[replicate])


def test_an_area_is_the_rounded_quotient():
    """Pairs are counted exactly and divided once."""
    positive, score = _two_classes(30_000)
    _, p, q = _tally(positive, score)
    drawn_p, drawn_q = _drawn(p, q, 1, 3, stratified=False)
    for area, a, b in zip(kernels.resample_areas(p, q, 1, 0, 3), drawn_p, drawn_q, strict=True):
        won = int((a * (np.cumsum(b) - b)).sum())
        assert area == won / (int(a.sum()) * int(b.sum()))


@pytest.mark.parametrize(
    ("n", "digits"), [(3_000, (None, 3)), (3_000, (2, 3)), (20_000, (None, None)), (1, (1, 1))]
)
def test_paired_areas_are_those_of_each_model(n, digits):
    """Two models are judged on the same replicates, each in its own order."""
    positive, first = _two_classes(n, digits=digits[0])
    second = first + np.random.default_rng(1).normal(size=n)
    second = second if digits[1] is None else np.round(second, digits[1])
    x, y, p, q, _ = kernels.order_pairs(first, second, positive.astype(np.uint8))
    ranks = [np.unique(one, return_inverse=True)[1].astype(np.uint32) for one in (x, y)]
    for stratified in (False, True):
        found = kernels.resample_paired_areas(p, q, *ranks, 7, 0, 5, stratified)
        drawn_p, drawn_q = _drawn(p, q, 7, 5, stratified=stratified)
        for scores, areas in zip((x, y), found, strict=True):
            for replicate in range(5):
                weight = np.concatenate([drawn_p[replicate], drawn_q[replicate]])
                if n == 1:
                    assert np.isnan(areas[replicate])
                    continue
                area = roc_auc_score(np.repeat([1, 0], len(x)), np.tile(scores, 2), sample_weight=weight)
                assert areas[replicate] == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize("digits", [None, 1, 3])
def test_same_bits_for_any_threads_and_any_cut(digits):
    """Threads and the way replicates are cut into calls change no bit."""
    positive, score = _two_classes(40_000, digits=digits)
    _, p, q = _tally(positive, score)
    ranks = np.arange(len(p), dtype=np.uint32), np.arange(len(p), dtype=np.uint32)[::-1].copy()

    def all_of(begin, end):
        return (
            kernels.resample_counts(p.astype(np.uint64), 6, begin, end),
            kernels.resample_areas(p, q, 6, begin, end),
            kernels.resample_precisions(p, q, 6, begin, end),
            np.stack(kernels.resample_paired_areas(p, q, *ranks, 6, begin, end), 1),
        )

    before = kernels.threads()
    try:
        kernels.set_threads(1)
        alone = all_of(0, 9)
        for threads in (2, 3):
            kernels.set_threads(threads)
            for whole, *parts in zip(alone, all_of(0, 4), all_of(4, 5), all_of(5, 9), strict=True):
                assert whole.tobytes() == np.concatenate(parts).tobytes()
    finally:
        kernels.set_threads(before)


def test_seeds_streams_and_replicates_differ():
    """Another seed, stream or replicate gives other counts."""
    sizes = np.ones(1_000, np.uint64)
    drawn = [
        kernels.resample_counts(sizes, seed, replicate, replicate + 1, stream).tobytes()
        for seed, replicate, stream in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    assert len(set(drawn)) == len(drawn)


SMALL = [[3, 1, 6], [3, 0, 7], [5, 0, 5], [2, 3, 5]]
LARGE = [5076, 5012, 4865, 4902]
ROWS = [1, 1, 3, 3, 0, 0, 0, 1, 1, 2, 2, 1, 2, 0, 1, 0, 2, 0, 0, 0]


def test_the_digits_stay():
    """A seed gives these counts for ever."""
    assert kernels.resample_counts(np.array([3, 1, 6], np.uint64), 0, 0, 4).tolist() == SMALL
    assert kernels.resample_counts(np.array([5_000, 3_000_000], np.uint64), 1, 0, 4)[:, 0].tolist() == LARGE
    assert kernels.resample_counts(np.ones(100, np.uint64), 2, 7, 8)[0, :20].tolist() == ROWS


def test_nothing_to_draw():
    """No replicates, no entries and no rows give empty or absent values."""
    none = np.zeros(0, np.uint8)
    assert kernels.resample_counts(np.ones(3, np.uint64), 0, 5, 5).shape == (0, 3)
    assert kernels.resample_counts(np.zeros(0, np.uint64), 0, 0, 2).shape == (2, 0)
    assert kernels.resample_counts(np.zeros(2, np.uint64), 0, 0, 2).tolist() == [[0, 0], [0, 0]]
    assert np.isnan(kernels.resample_areas(none, none, 0, 0, 3)).all()
    assert np.isnan(kernels.resample_precisions(none, none, 0, 0, 3)).all()
    one = np.ones(1, np.uint8)
    assert np.isnan(kernels.resample_areas(one, 0 * one, 0, 0, 3)).all()
    assert (kernels.resample_precisions(one, 0 * one, 0, 0, 3) == 1).all()


def test_what_is_refused():
    """Ranges that end first, too many rows and ranks that are none raise."""
    sizes, counts = np.ones(2, np.uint64), np.ones(2, np.uint8)
    with pytest.raises(ValueError, match="ends before"):
        kernels.resample_counts(sizes, 0, 2, 1)
    with pytest.raises(ValueError, match="stream"):
        kernels.resample_counts(sizes, 0, 0, 1, 1 << 40)
    with pytest.raises(ValueError, match="2\\^42"):
        kernels.resample_counts(np.array([1 << 42, 1], np.uint64), 0, 0, 1)
    with pytest.raises(ValueError, match="rank"):
        kernels.resample_paired_areas(
            counts, counts, np.array([0, 2], np.uint32), np.array([0, 1], np.uint32), 0, 0, 1
        )
    with pytest.raises(ValueError, match="length"):
        kernels.resample_paired_areas(
            counts, counts, np.array([0], np.uint32), np.array([0, 1], np.uint32), 0, 0, 1
        )
