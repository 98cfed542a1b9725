"""Write output files atomically: under a temporary name or none, renamed once they are complete.

Until then an old file stays as it was, even after a full disk, Ctrl-C, ``kill -9``. A link is followed,
and the file it names is replaced. A pipe, a device or a descriptor such as ``/dev/stdout`` is written to
directly: a rename would put a regular file in its place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from assay.errors import AssayError, FileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

__all__ = ["FileIdentity", "OutputFiles", "check_output", "identity", "write_file"]

FileIdentity = tuple[int, int]  # device and inode: the same file under whatever name
_NAMELESS = getattr(os, "O_TMPFILE", 0)
_DESCRIPTOR = re.compile(r"/proc/(\d+)(?:/task/\d+)?/fd")
_MAX_LINKS = 40  # that are followed, as many as the system does
_PERMISSIONS = 0o7777
_BLOCK = 1 << 20
_MAX_NAMELESS = 200  # each is open, and a process may open about a thousand files


def identity(path: str | os.PathLike[str] | int) -> FileIdentity | None:
    """Return the identity of the file that a path or a descriptor leads to, None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - or a descriptor
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def write_file(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file completely or not at all."""
    with OutputFiles() as files:
        files.write(path, data)


def check_output(path: str | os.PathLike[str], inputs: Iterable[FileIdentity] = ()) -> None:
    """Raise where a file could not be written, and leave nothing behind."""
    with contextlib.ExitStack() as stack:
        files = OutputFiles(inputs)
        stack.callback(files.discard)
        files.place(path)


class _Pending(NamedTuple):
    target: Path  # as it was named
    real: str  # where it is, links followed
    place: Path  # where it is written meanwhile
    handle: int  # of a file without a name, or -1
    through: bool  # whether it is copied to what is there, and not put in its place


class OutputFiles:
    """Files that appear together once all are written, or not at all.

    None of them may be one of `inputs`, the files that are read.
    """

    def __init__(self, inputs: Iterable[FileIdentity] = ()) -> None:
        self._inputs = frozenset(inputs)
        self._pending: dict[str, _Pending] = {}

    def place(self, path: str | os.PathLike[str]) -> Path:
        """Return the temporary path to write to, whose file appears at the given path on commit."""
        target = Path(path)
        if str(path) == "-":
            raise FileError("- is no file to write to: name one, as ./- or metrics.json.")
        if os.fspath(path).endswith(os.sep):
            raise FileError(f"{path} names a folder: name a file to write to.")
        if not str(path):
            raise FileError("an empty name is no file to write to: name one, as metrics.json.")
        with self._explained(target):
            there = _status(target)
            if there is not None and (there.st_dev, there.st_ino) in self._inputs:
                raise FileError(
                    f"{target} is read from: it would be replaced by what is written. Name another."
                )
            if there is not None and stat.S_ISDIR(there.st_mode):
                raise FileError(f"{target} is a folder: name a file to write to.")
            descriptor = _descriptor(target)
            through = descriptor is not None or (there is not None and not stat.S_ISREG(there.st_mode))
            real = str(target) if through else os.path.realpath(target)
            if real in self._pending:
                raise FileError(f"{target} would be written twice: name different files.")
            if through:
                if descriptor is not None:
                    os.fstat(descriptor)  # raises where nothing is open under that number
                elif not os.access(target, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
                folder = _scratch_folder()
            else:
                folder = str(Path(real).parent)
                if not Path(folder).is_dir():
                    where = folder if target.is_symlink() else target.parent
                    raise FileError(f"{target} cannot be written: there is no folder {where}.")
                if there is not None and not os.access(real, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            place, handle = _open_temporary(folder, nameless=len(self._pending) < _MAX_NAMELESS)
        self._pending[real] = _Pending(target, real, place, handle, through)
        return place

    def write(self, path: str | os.PathLike[str], data: bytes | str) -> None:
        """Write bytes or a text to appear at a path on commit; what UTF-8 cannot encode is escaped."""
        place = self.place(path)
        with self._explained(Path(path)):
            place.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "backslashreplace"))

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Name the files in an error of the operating system."""
        names = ", ".join(str(pending.target) for pending in self._pending.values())
        with self._explained(Path(names)):
            yield

    def commit(self) -> None:
        """Move every file to its path, or raise where one cannot be moved."""
        named: list[tuple[_Pending, Path]] = []
        try:
            for pending in self._pending.values():
                if not pending.through:
                    with self._explained(pending.target):
                        named.append((pending, _name_temporary(pending)))
            for pending, name in named:
                with self._explained(pending.target):
                    name.replace(pending.real)
            for pending in self._pending.values():
                if pending.through:
                    with self._explained(pending.target):
                        _copy_through(pending)
        finally:
            for _, name in named:
                with contextlib.suppress(OSError):
                    name.unlink()

    def discard(self) -> None:
        """Remove the temporary files that were not committed."""
        for pending in self._pending.values():
            if pending.handle >= 0:
                os.close(pending.handle)
            else:
                with contextlib.suppress(OSError):
                    pending.place.unlink()
        self._pending.clear()

    @staticmethod
    @contextlib.contextmanager
    def _explained(target: Path) -> Iterator[None]:
        try:
            yield
        except (AssayError, BrokenPipeError):
            raise
        except OSError as failed:
            raise FileError(f"{target} cannot be written: {failed.strerror or failed}.") from None
        except ValueError as failed:  # a NUL in its name
            raise FileError(f"{target} cannot be written: {failed}.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.discard()


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _descriptor(target: Path) -> int | None:
    """Return the descriptor of this process that a path such as /dev/stdout names, or None."""
    path = target.absolute()
    for _ in range(_MAX_LINKS):
        found = _DESCRIPTOR.fullmatch(os.path.realpath(path.parent))
        if found is not None:
            return int(path.name) if int(found[1]) == os.getpid() and path.name.isdecimal() else None
        try:
            path = path.parent / path.readlink()
        except OSError:  # no link
            return None
    return None


def _scratch_folder() -> str:
    import tempfile  # noqa: PLC0415 - for pipes and devices only

    return tempfile.gettempdir()


def _open_temporary(folder: str, *, nameless: bool) -> tuple[Path, int]:
    """Open a temporary file in a folder, without a name where the system supports that."""
    if _NAMELESS and nameless:
        try:
            handle = os.open(folder, _NAMELESS | os.O_RDWR, 0o666)
        except OSError as failed:
            if failed.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL):
                raise
        else:
            place = Path(f"/proc/self/fd/{handle}")
            if place.exists():
                return place, handle
            os.close(handle)
    place = Path(folder, _temporary_name())
    # The mode is that of any new file: the system takes the umask, or the folder's own rule, off it.
    os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return place, -1


def _temporary_name() -> str:
    return f".assay-{os.urandom(6).hex()}"


def _name_temporary(pending: _Pending) -> Path:
    """Name the temporary file in the target's folder, with the permissions of the old file."""
    old = _status(Path(pending.real))
    if old is not None:
        with contextlib.suppress(OSError):  # root alone may give files away
            os.chown(pending.place, old.st_uid, old.st_gid)
        pending.place.chmod(stat.S_IMODE(old.st_mode) & _PERMISSIONS)
    if pending.handle < 0:
        return pending.place
    folder, name = Path(pending.real).parent, _temporary_name()
    within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:  # only with a folder's descriptor does link() follow the link that a descriptor's path is
        os.link(f"/proc/self/fd/{pending.handle}", name, dst_dir_fd=within, follow_symlinks=True)
    finally:
        os.close(within)
    return folder / name


def _copy_through(pending: _Pending) -> None:
    """Copy the temporary file to a pipe, a device or an open descriptor."""
    number = _descriptor(pending.target)
    with (
        pending.place.open("rb") as written,
        open(pending.target if number is None else os.dup(number), "wb") as out,  # noqa: PTH123 - or a handle
    ):
        while block := written.read(_BLOCK):
            out.write(block)
