"""Columns that another thread writes to while a kernel reads them: no answer, but no harm either."""

import os

import pytest
from support import programs

pytestmark = pytest.mark.skipif(
    os.environ.get("ASSAY_SANITIZER") == "thread",
    reason="these columns are written while they are read on purpose, which is what TSan reports",
)

SCRIPT = """
import threading, time
import numpy as np
from assay import _kernels as k

rows = 300_000
random = np.random.default_rng(0)
{setup}
stop = False

def write():
    while not stop:
        for state in states:
            np.copyto(column, state)

k.set_threads(2)
writer = threading.Thread(target=write)
writer.start()
end = time.perf_counter() + 0.7
calls = 0
while not calls or time.perf_counter() < end:
    try:
        {call}
    except (RuntimeError, ValueError, UnicodeDecodeError, IndexError):
        pass
    calls += 1
stop = True
writer.join()
assert calls > 0
"""

CODES = "other = random.integers(0, 3000, rows, dtype=np.uint32)"
TEXTS = "states = [np.ascontiguousarray(a).view(np.uint32).reshape(rows, -1) for a in states]"
CASES = {
    "integers in a range": (
        "states = [random.integers(0, 1 << s, rows) for s in (16, 40)]; states[0][::2] = 7",
        "k.encode_integers(column)",
    ),
    "short integers": (
        "states = [random.integers(0, 1 << s, rows).astype(np.int32) for s in (17, 31)]",
        "k.encode_integers(column)",
    ),
    "doubles": (
        "states = [random.integers(0, 1 << s, rows).astype(float) for s in (16, 50)]",
        "k.encode_doubles(column)",
    ),
    "narrow text": (
        f"states = [random.integers(0, n, rows).astype('U8') for n in (10**4, 10**7)]\n{TEXTS}",
        "k.encode_fixed_text(column)",
    ),
    "wide text": (
        "states = [random.integers(0, n, rows).astype('U24') for n in (10**4, 10**7)]\n"
        "states.append(np.char.add('x' * 10, states[0]).astype('U24'))\n" + TEXTS,
        "k.encode_fixed_text(column)",
    ),
    "sparse pairs": (
        f"{CODES}\nstates = [np.full(rows, 9, np.uint32), np.full(rows, 2999, np.uint32), other]",
        "k.count_pairs_sparse(column, other, 3000, 3000)",
    ),
    "groups": (
        f"{CODES}\nstates = [np.full(rows, 9, np.uint32), np.full(rows, 2999, np.uint32), other]",
        "k.order_groups(column, 3000)",
    ),
    "scores": (
        (
            "other = random.integers(0, 2, rows).astype(np.uint8)\n"
            "states = [random.random(rows), np.full(rows, 0.5), -random.random(rows)]"
        ),
        "k.order_scores(column, other)",
    ),
    "pairs in order": (
        (
            "other = random.random(rows)\n"
            "states = [random.random(rows), np.full(rows, 0.5), -random.random(rows), other * np.nan]"
        ),
        "k.count_concordant(column, other); k.count_concordant(other, column)",
    ),
    "ratings": (
        (
            "states = [random.integers(0, 5, rows) * 1.0, random.integers(0, 9, rows) / 4, "
            "random.integers(0, 200, rows) * 1.0, np.full(rows, np.nan)]"
        ),
        "for level in range(4): k.krippendorff_alpha(column, rows // 4, 4, level % 2 == 0, level)",
    ),
    "cell sums": (
        (
            "other = random.integers(0, 100_000, rows, dtype=np.uint32)\n"
            "states = [random.random(rows), 2.0 ** random.integers(-900, 900, rows)]"
        ),
        "k.exact_cell_sums(other, 100_000, column)",
    ),
    "cells of sums": (
        (
            "other = random.random(rows)\n"
            "states = [random.integers(0, n, rows, dtype=np.uint32) for n in (1000, 2**32)]"
        ),
        "k.exact_cell_sums(column, 1000, other)",
    ),
    "counts of scores": (
        (
            "other = np.ones(rows, np.uint64)\n"
            "states = [np.full(rows, n, np.uint64) for n in (1, 2**23, 2**24, 2**63)]"
        ),
        "k.sweep_precision(column, other); k.sweep_precision(other, column)",
    ),
    "probabilities": (
        (
            "other = random.integers(0, 2, rows)\n"
            "states = [random.random(rows), np.full(rows, np.nan), np.full(rows, 2.0 ** -1000)]"
        ),
        "k.exact_log_losses(other, column, 0.0)",
    ),
    "labels of probabilities": (
        "other = random.random(rows)\nstates = [random.integers(0, n, rows) for n in (2, 2**60)]",
        "k.log_losses(column, other, 0.0); k.exact_moments(column, other)",
    ),
    "gains of lists": (
        (
            "offsets = np.arange(0, rows + 1, 100); other = random.random(rows)\n"
            "states = [np.zeros(rows), np.ones(rows)]"
        ),
        "k.rank_rows(offsets, other, column)",
    ),
    "offsets of lists": (
        (
            "other = random.random(rows)\n"
            "states = [np.arange(0, rows + 1, 10), np.full(rows // 10 + 1, 1 << 50)]"
        ),
        "k.rank_rows(column, other, other)",
    ),
    "counts of replicates": (
        ("other = np.zeros(rows, np.uint8)\nstates = [np.full(rows, n, np.uint8) for n in (1, 0, 200)]"),
        "k.resample_areas(column, other, 0, 0, 1); k.resample_precisions(other, column, 0, 0, 1, True)",
    ),
    "sizes of replicates": (
        "states = [np.full(rows, n, np.uint64) for n in (1, 0, 90)]",
        "k.resample_counts(column, 0, 0, 1)",
    ),
    "ranks of replicates": (
        (
            "other = np.ones(rows, np.uint8); ranks = np.arange(rows, dtype=np.uint32)\n"
            "states = [ranks, ranks[::-1].copy(), np.full(rows, 2**31, np.uint32)]"
        ),
        "k.resample_paired_areas(other, other * 0, ranks, column, 0, 0, 1)",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_writer_cannot_corrupt_memory(case):
    """The call returns or raises, whatever happens to the column meanwhile."""
    setup, call = CASES[case]
    setup += "\ncolumn = states[0].copy()"
    done = programs.run_script(SCRIPT.format(setup=setup, call=call))
    assert done.returncode == 0, done.stderr
