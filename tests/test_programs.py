"""The helper that starts programs for tests: hangs are found, slow ones waited for, and nothing is left behind."""

import os
import subprocess
import sys

import pytest
from support import programs

BUSY = "while True: pass"
IDLE = "import time; print('here', flush=True); time.sleep(1000)"
PARENT = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]]).wait()"


def started(*words):
    return programs.started([sys.executable, "-c", *words], stdout=subprocess.PIPE)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="CPU times of other programs are read from /proc"
)
@pytest.mark.parametrize("words", [[BUSY], [PARENT, BUSY]], ids=["itself", "its child"])
def test_a_program_that_computes_for_ever_is_hanging(words, monkeypatch):
    """Its CPU time counts, with that of the processes it has started."""
    monkeypatch.setattr(programs, "BUSY", 0.3)
    with started(*words) as process, pytest.raises(AssertionError, match=r"hangs: \d s of CPU time"):
        programs.communicate(process)


def test_a_program_that_does_nothing_is_hanging(monkeypatch):
    """Neither its end nor what it should bring about is waited for."""
    monkeypatch.setattr(programs, "IDLE", 0.3)
    with started(IDLE) as process:
        process.stdout.readline()
        with pytest.raises(AssertionError, match="s without any"):
            programs.communicate(process)
        with pytest.raises(AssertionError, match="s without any"):
            programs.wait_until(lambda: False, process)


def test_what_a_program_started_ends_with_the_test():
    """The child of a program that is killed closes its pipes, too."""
    with started(PARENT, IDLE) as process:
        assert process.stdout.readline() == b"here\n"
        out = process.stdout.fileno()
        copy = os.dup(out)
    with os.fdopen(copy, "rb") as pipe:
        assert pipe.read() == b""  # only once nobody can write to it


def test_a_script_is_run_to_its_end():
    """What it writes and its exit code come back."""
    done = programs.run_script("import sys; print(sys.argv[1]); sys.exit('bad')", "word")
    assert (done.returncode, done.stdout, done.stderr) == (1, "word\n", "bad\n")


def test_a_program_that_has_ended_is_not_waited_for():
    """What it was to bring about will not come."""
    with started("raise SystemExit(3)") as process, pytest.raises(AssertionError, match="exit code 3"):
        programs.wait_until(lambda: False, process)
