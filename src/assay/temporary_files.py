"""Temporary folders that are removed at exit, or by a later process after ``kill -9``.

Each holds a file that its process keeps locked; a folder whose lock is free belongs to no running process.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    fcntl: Any
else:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - a system without such locks, where nothing is swept
        fcntl = None

__all__ = ["TemporaryFolder"]

_PREFIX = "assay-"
_LOCK = ".lock"
_live: dict[Path, int] = {}  # folders that are not removed yet, by the process that created each


class TemporaryFolder:
    """A folder of this process, empty but for a lock; `close` removes it with its content.

    >>> with TemporaryFolder() as folder:
    ...     _ = (folder.path / "copy").write_bytes(b"rows")
    >>> folder.path.exists()
    False
    """

    def __init__(self) -> None:
        _sweep()
        self.path = Path(tempfile.gettempdir(), f"{_PREFIX}{os.urandom(6).hex()}")
        self._handle = -1
        _live[self.path] = os.getpid()  # before it is there: a signal may come at any time
        try:
            self.path.mkdir(mode=0o700)
            fresh = self.path / f"{_LOCK}.new"
            self._handle = os.open(fresh, os.O_CREAT | os.O_RDWR, 0o600)
            if fcntl is not None:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fresh.rename(self.path / _LOCK)  # so that no other process sees it unlocked
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        _live.pop(self.path, None)
        if self._handle >= 0:
            with contextlib.suppress(OSError):
                os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@atexit.register
def _remove_live() -> None:
    """Remove folders at exit that a signal left; a forked process leaves those of its parent."""
    for path, process in list(_live.items()):
        if process == os.getpid():
            shutil.rmtree(path, ignore_errors=True)


@functools.cache  # once a process
def _sweep() -> None:
    """Remove folders of this user whose process has ended."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for entry in found:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    try:
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # another's, or none of ours
        return
    try:
        if os.fstat(handle).st_uid == os.getuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # its process lives
        pass
    finally:
        os.close(handle)
