"""The thread pool: exceptions reach the caller, Ctrl-C is answered, forks and nested calls work."""

import itertools
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

from assay import _kernels


@pytest.fixture(params=[1, 2, 3])
def count(request):
    _kernels.set_threads(request.param)
    yield request.param
    _kernels.set_threads(0)


def test_every_task_runs_once(count):
    """All tasks are done, on any number of threads."""
    assert _kernels.threads() == count
    assert _kernels.sleep_in_tasks(20, 1) == 20
    assert _kernels.sleep_in_tasks(0, 1) == 0


def test_a_worker_s_exception_reaches_the_caller(count):
    """The exception of whichever thread had it is rethrown, and the pool works on afterwards."""
    for fail_at in (0, 7, 19):
        with pytest.raises(RuntimeError, match="as asked"):
            _kernels.sleep_in_tasks(20, 1, fail_at)
    assert _kernels.sleep_in_tasks(5, 1) == 5


def test_ctrl_c_is_answered_within_a_second(count):
    """A long job stops soon after the signal, not at its end."""
    # A job started in the background ignores Ctrl-C unless it says otherwise.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        _kernels.sleep_in_tasks(2000, 10)
    assert time.perf_counter() - start < 1.2
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert _kernels.sleep_in_tasks(3, 1) == 3


def test_two_python_threads_may_call_at_once(count):
    """A second caller works on its own thread instead of waiting for the pool."""
    words = np.arange(3_000_000, dtype=np.uint64)
    found = []
    callers = [
        threading.Thread(target=lambda: found.extend(_kernels.sum_words(words) for _ in range(20)))
        for _ in range(3)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert set(found) == {int(words.sum())}
    assert len(found) == 60


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_a_pool_of_its_own(count):
    """After a fork the child does not wait for threads that only the parent has."""
    if os.environ.get("ASSAY_SANITIZER") == "thread":
        pytest.skip("TSan does not follow a fork of a process with threads")
    words = np.arange(3_000_000, dtype=np.uint64)
    expected = _kernels.sum_words(words)
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    child = context.Process(target=lambda: answer.put(_kernels.sum_words(words)))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 0
    assert answer.get() == expected


def test_the_setting_may_change_while_kernels_run():
    """One thread changing the number of threads does not disturb another's running work."""
    values = np.arange(300_000) % 7
    stop = threading.Event()

    def change():
        for count in itertools.cycle([1, 4, 2, 3]):
            _kernels.set_threads(count)
            if stop.is_set():
                return

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(60):
            codes, labels = _kernels.encode_integers(values)
            assert (labels[codes] == values).all()
    finally:
        stop.set()
        changer.join()
        _kernels.set_threads(0)


def test_the_number_of_threads_is_at_least_one():
    """Nonsense settings mean every core."""
    _kernels.set_threads(-5)
    assert _kernels.threads() >= 1
    _kernels.set_threads(0)
