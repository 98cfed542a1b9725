"""Signals that end the program: what was begun is undone first."""

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

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
# Seconds after which it is raised again: what is raised within a callback of a library's, or while it looks
# for another one, may never arrive here.
_AGAIN = 8.0
_CLEANING = 2.0  # seconds in which further signals wait: an impatient one must not leave files behind


def leave_at_once(code: int) -> NoReturn:
    """End the process without waiting for its threads, which may fit a model for hours; clean up first."""
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()  # noqa: SLF001 - there is no other way to call them
    os._exit(code)


@contextlib.contextmanager
def stop_on_signals() -> Iterator[list[int]]:
    """Have signals raise KeyboardInterrupt meanwhile; the list holds the numbers of those that came.

    Signals that are ignored stay ignored, as SIGHUP under nohup.
    """
    received: list[int] = []
    first = [0.0]

    def stop(number: int, _frame: object) -> None:
        if received and time.monotonic() < first[0] + _CLEANING:
            return
        received.append(number)
        first[0] = time.monotonic()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
        raise KeyboardInterrupt

    def stop_again(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
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
