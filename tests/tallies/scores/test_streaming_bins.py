"""Bins that are counted in place, batch by batch, against the tally of all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.tallies.scores.streaming_bins import RunningBins

RNG = np.random.default_rng(8)
N = 2000
SCORES = RNG.choice([0.0, 0.1, 0.25, 0.5, 0.75, 1.0, *RNG.random(50)], N)
TRUTH = RNG.random(N) < 0.4
COLUMNS = {
    "small integers": {"actual": TRUTH.astype(np.int8)},
    "integers": {"actual": TRUTH.astype(np.int64)},
    "wide apart": {"actual": np.where(TRUTH, 1, -1)},
    "floats": {"actual": TRUTH.astype(np.float64)},
    "true and false": {"actual": TRUTH},
    "text": {"actual": np.where(TRUTH, "spam", "ham"), "positive": "spam"},
    "declared": {"actual": TRUTH.astype(np.int64), "labels": [1, 0]},
    "one of many": {"actual": RNG.integers(0, 5, N), "positive": 3},
    "weighted": {"actual": TRUTH, "weight": RNG.choice([0.0, 0.5, 1.0], N)},
}


@settings(deadline=None)
@given(
    which=st.sampled_from(list(COLUMNS)),
    cuts=st.lists(st.integers(0, N), max_size=5).map(sorted),
    bits=st.sampled_from([12, 18]),
    wide=st.booleans(),
)
def test_it_equals_the_tally_of_all_rows(which, cuts, bits, wide):
    """Batches of any size and labels of any kind lead to the same bytes."""
    scores = SCORES if wide else SCORES.astype(np.float32)
    rows = assay.rows(score=scores, **COLUMNS[which])
    running = RunningBins(bits)
    for low, high in zip([0, *cuts], [*cuts, N], strict=True):
        running.add(rows.take(slice(low, min(high, len(rows)))))
    assert running.tally().to_bytes() == assay.BinnedScores.of(rows, bits).to_bytes()
    assert running.tally() == running.tally()


def test_no_rows_are_an_empty_tally():
    """What nothing was added to is empty."""
    assert RunningBins(13).tally() == assay.BinnedScores.empty(13)
    with pytest.raises(assay.TallyError, match="bits=3"):
        RunningBins(3)


def test_it_refuses_what_a_tally_refuses():
    """Missing scores, labels without a positive one and two positive ones are refused in the same words."""
    running = RunningBins()
    for wrong in (
        {"actual": [0, 1], "score": [0.5, np.nan]},
        {"actual": [1, 2], "score": [0.5, 0.5]},
        {"actual": [0, 1], "predicted": [0, 1]},
    ):
        rows = assay.rows(**wrong)
        with pytest.raises(assay.AssayError) as said:
            assay.BinnedScores.of(rows)
        with pytest.raises(type(said.value), match="^" + str(said.value)[:40].replace("(", r"\(")):
            running.add(rows)
    assert running.tally().n == 0
    running.add(assay.rows(actual=["a", "b"], score=[0.1, 0.2], positive="a"))
    with pytest.raises(assay.MergeError):
        running.add(assay.rows(actual=["a", "b"], score=[0.1, 0.2], positive="b"))
