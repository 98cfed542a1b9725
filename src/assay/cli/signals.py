"""Signals that end the program, after temporary files are removed."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["leave_at_once", "stop_on_signals"]

_TERMINATING = ("SIGINT", "SIGTERM", "SIGHUP")
# KeyboardInterrupt is raised again after so many seconds: one that is raised within a callback of a library
# may be swallowed there.
_RAISE_AGAIN_AFTER = 8.0
_CLEAN_UP_TIME = 2.0  # seconds in which further signals are ignored, so that no files are left behind


def leave_at_once(code: int) -> NoReturn:
    """Clean up and end the process without waiting for its threads, which may fit a model for hours."""
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()  # noqa: SLF001 - there is no other way to call them
    os._exit(code)


@contextlib.contextmanager
def stop_on_signals() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt for terminating signals; the list holds the numbers of those received.

    Signals that are ignored stay ignored, as SIGHUP under nohup.
    """
    received: list[int] = []
    first = [0.0]

    def stop(number: int, _frame: object) -> None:
        if received and time.monotonic() < first[0] + _CLEAN_UP_TIME:
            return
        received.append(number)
        first[0] = time.monotonic()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, _RAISE_AGAIN_AFTER, _RAISE_AGAIN_AFTER)
        raise KeyboardInterrupt

    def stop_again(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in _TERMINATING if hasattr(signal, name)):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
        if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL:
            before[signal.SIGALRM] = signal.signal(signal.SIGALRM, stop_again)
    try:
        yield received
    finally:
        if received and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
