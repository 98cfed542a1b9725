"""Programs that tests start: none outlives its test, and one that gets no CPU is waited for.

A limit of wall time fails by luck where other programs run. A program counts as hanging only if it has used two
minutes of CPU time since it was last waited for, or none at all within five minutes.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

BUSY, IDLE = 120.0, 300.0  # seconds of CPU time, and of wall time without any
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@contextlib.contextmanager
def started(command, **options):
    """Start a program in a process group of its own; at the end the group is killed and its pipes are closed."""
    process = subprocess.Popen(command, process_group=0, **options)  # noqa: S603 - our own commands
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # what was never read
                    pipe.close()


def run_script(script, *words, **options):
    """Run a Python script to its end; return the completed process with what it wrote, as text."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    with started([sys.executable, "-c", script, *words], **options) as process:
        out, err = communicate(process)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def communicate(process):
    """Read what a program writes until it ends; fail if it hangs."""
    hanging = _hanging(process)
    while True:
        try:
            return process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            hanging()


def wait(process):
    """Return the exit code of a program that is about to end; fail if it hangs."""
    wait_until(lambda: process.poll() is not None, process)
    return process.returncode


def wait_until(condition, process):
    """Wait until a condition holds that a program is to bring about; fail if the program hangs, or ends without it."""
    hanging = _hanging(process)
    while True:
        code = process.poll()
        if condition():
            return
        assert code is None, f"{process.args} ended with exit code {code}"
        hanging()
        time.sleep(0.02)


def cpu_seconds(process):
    """Return the CPU time that a program and the processes it has started have used, or None if unknown."""
    ticks, known = 0, False
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name: state, parent, group, ...; 11 to 14 are the times of it and its ended children.
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[2]) == process.pid:
                ticks, known = ticks + sum(map(int, fields[11:15])), True
    return ticks / _TICKS if known else None


def _hanging(process):
    """Return a function that fails once a program has hung since now."""
    first = last = cpu_seconds(process) or 0.0
    moved = time.monotonic()

    def check():
        nonlocal last, moved
        now = cpu_seconds(process) or last  # without /proc, all time counts as idle
        if now != last:
            last, moved = now, time.monotonic()
        busy, idle = last - first, time.monotonic() - moved
        if busy > BUSY or idle > IDLE:
            raise AssertionError(
                f"{process.args} hangs: {busy:.0f} s of CPU time, {idle:.0f} s without any, exit code {process.poll()}"
            )

    return check
