"""A progress bar for long work: on a terminal only, and only once the work has taken a second."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = ["Progress", "disable_progress"]

_PATIENCE = 1.0  # seconds before anything is shown
_EVERY = 0.1  # seconds between two drawings
_WIDTH = 30
_HUSHED = [0]  # how many want silence


@contextlib.contextmanager
def disable_progress() -> Iterator[None]:
    """Let nothing be drawn meanwhile, whoever works."""
    _HUSHED[0] += 1
    try:
        yield
    finally:
        _HUSHED[0] -= 1


class Progress:
    """How far some work has come, drawn on one line of standard error and wiped when the work is done.

    Without a `total` there is no bar, but still how much is done and how fast. `show` says whether to draw
    at all: by default where standard error is a terminal.

    >>> with Progress("replicates", 3) as bar:
    ...     for _ in range(3):
    ...         bar.step()
    >>> bar.done
    3
    """

    def __init__(
        self, what: str, total: int | None, *, show: bool | None = None, stream: TextIO | None = None
    ) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self._stream = sys.stderr if stream is None else stream
        self._show = not _HUSHED[0] and (self._is_terminal() if show is None else show)
        self._drawn = False
        self._start = self._last = time.monotonic()

    def _is_terminal(self) -> bool:
        try:
            return self._stream is not None and self._stream.isatty()
        except ValueError:  # closed
            return False

    def step(self, more: int = 1) -> None:
        """Say that so much more is done."""
        self.done += more
        if not self._show:
            return
        now = time.monotonic()
        if now - self._start >= _PATIENCE and now - self._last >= _EVERY:
            self._last = now
            self._draw(now - self._start)

    def reach(self, done: int) -> None:
        """Say how much is done altogether."""
        self.step(done - self.done)

    def _draw(self, seconds: float) -> None:
        rate = self.done / seconds
        if self.total is None:
            text = f"{self.done:,} {self.what}  {rate:,.0f}/s"
        else:
            share = min(self.done / self.total, 1.0) if self.total else 1.0
            left = max(self.total - self.done, 0) / rate if rate else 0.0
            bar = "#" * int(share * _WIDTH)
            text = f"{self.what} [{bar:<{_WIDTH}}] {share:4.0%}  {rate:,.0f}/s  {_clock(left)} left"
        self._stream.write(f"\r{text}\033[K")
        self._stream.flush()
        self._drawn = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._stream.write("\r\033[K")
            self._stream.flush()


def _clock(seconds: float) -> str:
    """Return a span of time as minutes and seconds.

    >>> _clock(75.2), _clock(3700)
    ('1:15', '1:01:40')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
