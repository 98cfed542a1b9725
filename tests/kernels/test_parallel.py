"""The thread pool: exceptions reach the caller, Ctrl-C is answered, forks and nested calls work."""

import itertools
import os
import shutil
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from support import programs

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
    sent, answered = [], []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    for _ in range(3):  # a busy machine may be late once
        timer = threading.Timer(0.2, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            _kernels.sleep_in_tasks(2000 * count, 10)  # 20 s
        answered.append(time.perf_counter())
        timer.join()
    signal.signal(signal.SIGINT, before)
    assert min(np.subtract(answered, sent)) < 1
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


FORK = """
import os, numpy as np
from assay import _kernels
_kernels.set_threads({count})
words = np.arange(3_000_000, dtype=np.uint64)
expected = _kernels.sum_words(words)
child = os.fork()
if child == 0:
    os._exit(0 if _kernels.sum_words(words) == expected else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_has_a_pool_of_its_own(count):
    """After a fork the child does not wait for threads that only the parent has."""
    if os.environ.get("ASSAY_SANITIZER") == "thread":
        pytest.skip("TSan does not follow a fork of a process with threads")
    done = programs.run_script("import warnings; warnings.simplefilter('ignore')" + FORK.format(count=count))
    assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr


DAEMON = """
import threading, time
from assay import _kernels
threading.Thread(target=lambda: _kernels.sleep_in_tasks(2000, 5), daemon=True).start()
time.sleep(0.2)
"""


def test_a_daemon_thread_inside_a_kernel_does_not_abort_the_exit():
    """The interpreter ends calmly while a daemon thread is still at work."""
    done = programs.run_script(DAEMON)
    assert done.returncode == 0, done.stderr


def test_a_signal_handler_may_change_the_setting_and_call_kernels(count):
    """While a kernel runs its thread count stays, and a handler's own call runs beside it."""
    words = np.arange(1000, dtype=np.uint64)
    seen = []

    def handler(*_):
        _kernels.set_threads(64)
        seen.append(_kernels.sum_words(words))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        assert _kernels.sleep_in_tasks(100, 5) == 100
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [words.sum()]


def test_more_threads_than_the_system_gives_are_not_needed():
    """An absurd setting works with the threads that start."""
    _kernels.set_threads(10**6)
    try:
        assert _kernels.threads() == 1024
        assert _kernels.sleep_in_tasks(8, 1) == 8
    finally:
        _kernels.set_threads(0)


FAST_MATH = """
import ctypes, sys, numpy as np
from assay import _kernels
scores = np.zeros(300_000, np.float32)
scores.view(np.uint32)[::2] = np.arange(150_000) % 5000 + 1
labels = (np.arange(300_000) % 3 == 0).view(np.uint8)
before = [array.tobytes() for array in _kernels.order_scores(scores, labels)[:3]]
ctypes.CDLL(sys.argv[1])
for _ in range(6):
    assert [array.tobytes() for array in _kernels.order_scores(scores, labels)[:3]] == before
small = _kernels.encode_doubles(np.array([0.0, 5e-324, 1.0]))
assert small[2] == 1
"""


def test_a_library_that_switches_subnormals_off_changes_no_result(tmp_path):
    """Results do not depend on the float mode of whichever thread takes a row."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc to build a library with -ffast-math")
    library, source = tmp_path / "fast.so", tmp_path / "fast.c"
    source.write_text("int nothing;\n", encoding="utf-8")
    build = [compiler, "-ffast-math", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(build, check=True, env={**os.environ, "LD_PRELOAD": ""})  # noqa: S603
    done = programs.run_script(FAST_MATH, str(library))
    assert done.returncode == 0, done.stderr


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
