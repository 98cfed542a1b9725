"""Rows added to counts in place, against the counts of all of them at once."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._kernels import add_scores, bin_edges, bin_scores

BITS = 12
CELLS = bin_edges(BITS).size


def tables(bits=BITS):
    shape = (bin_edges(bits).size, 2)
    return np.zeros(shape, dtype=np.uint16), np.zeros(shape, dtype=np.int64)


@pytest.mark.parametrize("score", [np.float32, np.float64])
@pytest.mark.parametrize("label", [np.uint8, np.int64])
@pytest.mark.parametrize("bits", [12, 18, 22])
def test_batches_add_up_to_all_rows(score, label, bits):
    """Rows in batches of any size, none included, give the counts of all of them."""
    rng = np.random.default_rng(4)
    n = 70_000
    scores = np.concatenate([rng.random(n - 6), [0, -0.0, 1, np.inf, -np.inf, -3]]).astype(score)
    positive = rng.integers(0, 2, n).astype(label)
    recent, counts = tables(bits)
    cuts = [0, 0, 1, 513, 16_384, 50_000, n]
    for low, high in itertools.pairwise(cuts):
        assert add_scores(recent, counts, scores[low:high], positive[low:high], bits) == (-1, -1)
    assert np.array_equal(counts + recent, bin_scores(scores, positive, bits)[0])


def test_a_count_goes_on_beyond_sixteen_bits():
    """However often one score comes, no row of it is lost."""
    n = 3 * 2**16 + 5
    recent, counts = tables()
    for times in range(1, 3):
        add_scores(recent, counts, np.full(n, 0.25), np.ones(n, dtype=np.uint8), BITS)
        total = counts + recent
        assert total.max() == total.sum() == times * n


@given(st.integers(0, 40_000), st.sampled_from(["score", "label"]), st.integers(0, 70_000))
def test_where_a_row_is_bad_nothing_is_added(row, which, before):
    """A NaN or a strange label is named, and the counts stay as they were, full ones too."""
    n = 40_001
    scores, positive = np.full(n, 0.25), np.ones(n, dtype=np.int64)
    recent, counts = tables()
    add_scores(recent, counts, np.full(before, 0.25), np.ones(before, dtype=np.uint8), BITS)
    if which == "score":
        scores[row] = np.nan
    else:
        positive[row] = -7
    bad = add_scores(recent, counts, scores, positive, BITS)
    assert bad == ((row, -1) if which == "score" else (-1, row))
    total = counts + recent
    assert total.max() == total.sum() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"recent": np.zeros((CELLS - 1, 2), dtype=np.uint16)},
        {"counts": np.zeros((CELLS, 3), dtype=np.int64)},
        {"positive": np.zeros(2, dtype=np.uint8)},
        {"bits": 11},
        {"bits": 18},
    ],
)
def test_tables_and_columns_must_fit(wrong):
    """A table of another size is refused, and so is a column of another length."""
    recent, counts = tables()
    fitting = {
        "recent": recent, "counts": counts, "scores": np.zeros(3), "positive": np.zeros(3, dtype=np.uint8),
        "bits": BITS,
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"cell|length|bits"):
        add_scores(**{**fitting, **wrong})


def test_a_table_closed_for_writing_is_refused():
    """Counts that may not change are not changed."""
    recent, counts = tables()
    counts.flags.writeable = False
    with pytest.raises(TypeError):
        add_scores(recent, counts, np.zeros(3), np.zeros(3, dtype=np.uint8), BITS)


PATHS = """
import sys, hashlib
import numpy as np
from assay._kernels import bin_places
rng = np.random.default_rng(1)
powers = np.ldexp(1.0, rng.integers(-1074, 1024, 40_000)) * rng.choice([-1, 1], 40_000)
scores = np.concatenate([rng.random(50_001), powers, 1 - np.ldexp(rng.random(30_000), -rng.integers(0, 54, 30_000))])
rng.shuffle(scores)
places = bin_places(scores, (scores > 0.3).astype(np.uint8), 18)[0]
print(hashlib.sha256(places.tobytes()).hexdigest())
"""


def test_every_path_gives_the_same_cells():
    """What a newer CPU does in its registers is what an older one looks up."""
    said = {
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", PATHS], check=True, capture_output=True, text=True,
            env={**os.environ, "ASSAY_CPU": path},
        ).stdout
        for path in ("avx512", "avx2", "baseline")
    }  # fmt: skip
    assert len(said) == 1
