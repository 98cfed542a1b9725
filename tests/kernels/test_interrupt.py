"""Ctrl-C is answered inside work that one thread does alone."""

import signal
import time

import numpy as np
import pytest

from assay import _kernels


class HandlerError(Exception):
    pass


def one_long_list(random):
    scores, gains = random.random(4_000_000), np.ones(4_000_000)
    return lambda: _kernels.rank_rows(np.array([0, len(scores)]), scores, gains)


def one_list_of_many_items(random):
    items = random.integers(0, 1 << 60, 5_000_000)
    offsets = np.array([0, len(items)])
    return lambda: _kernels.match_lists(offsets, items, offsets, items)


def as_many_groups_as_rows(random):
    codes = random.integers(0, 8_000_000, 8_000_000, dtype=np.uint32)
    return lambda: _kernels.order_groups(codes, 8_000_000)


def distinct_integers(random):
    values = random.integers(0, 1 << 60, 3_000_000)
    return lambda: _kernels.encode_integers(values)


def distinct_texts(random):
    texts = random.integers(0, 10**9, 500_000).astype("U9").view(np.uint32).reshape(-1, 9)
    return lambda: _kernels.encode_fixed_text(texts)


def a_large_dictionary(random):
    pa = pytest.importorskip("pyarrow")
    values = pa.array(random.permutation(1_000_000)).cast(pa.string())
    column = pa.DictionaryArray.from_arrays(pa.array([1, 2]), values)
    return lambda: _kernels.import_arrow(column, keep_unused=True)


def one_replicate_of_many_rows(_random):
    sizes = np.ones(20_000_000, dtype=np.uint64)
    return lambda: _kernels.resample_counts(sizes, 0, 0, 1)


def one_replicate_of_large_entries(_random):
    sizes = np.full(3_000_000, 100, dtype=np.uint64)
    return lambda: _kernels.resample_counts(sizes, 0, 0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [
        one_long_list,
        one_list_of_many_items,
        as_many_groups_as_rows,
        distinct_integers,
        distinct_texts,
        a_large_dictionary,
        one_replicate_of_many_rows,
        one_replicate_of_large_entries,
    ],
)
def test_a_signal_is_answered_before_the_work_is_done(work):
    """The handler's exception ends the call soon, not when the call would have ended anyway.

    All is measured in CPU time, which one thread uses here: a busy machine changes nothing.
    """
    call = work(np.random.default_rng(5))
    _kernels.set_threads(1)
    start = time.process_time()
    call()
    whole = time.process_time() - start

    def interrupt(*_):
        raise HandlerError

    before = signal.signal(signal.SIGPROF, interrupt)
    taken = []
    try:
        for _ in range(3):
            start = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, whole / 10)
            with pytest.raises(HandlerError):
                call()
            taken.append(time.process_time() - start)
        assert min(taken) < 0.15 + 0.6 * whole
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        _kernels.set_threads(0)
