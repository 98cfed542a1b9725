"""Temporary folders go with their process, and at the latest when another one makes one."""

import subprocess
import sys
import tempfile

from assay import temporary_files
from assay.temporary_files import TemporaryFolder

_KILLED = (
    "import os, signal; from assay.temporary_files import TemporaryFolder\n"
    "folder = TemporaryFolder(); (folder.path / 'copy').write_bytes(b'rows'); print(folder.path, flush=True)\n"
    "os.kill(os.getpid(), signal.SIGKILL)"
)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, monkeypatch):
    """A folder whose process is gone is removed; one that is in use, and any other's, is not."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    temporary_files._sweep.cache_clear()
    (tmp_path / "assay-of-another-program").mkdir()
    with TemporaryFolder() as used:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", _KILLED], env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == -9
        left = tmp_path / done.stdout.strip()
        assert (left / "copy").exists()
        assert used.path.exists()  # the other process left it alone
        temporary_files._sweep.cache_clear()
        with TemporaryFolder() as second:
            assert set(tmp_path.iterdir()) == {used.path, second.path, tmp_path / "assay-of-another-program"}
    assert [path.name for path in tmp_path.iterdir()] == ["assay-of-another-program"]
    temporary_files._sweep.cache_clear()


def test_what_nobody_removed_goes_with_the_process(tmp_path):
    """A folder that a signal cut off from its owner is removed at exit, but not by a child that was forked."""
    script = (
        "import os; from assay.temporary_files import TemporaryFolder\n"
        "folder = TemporaryFolder(); folder.close = None\n"
        "if os.fork() == 0: raise SystemExit(0)\n"
        "os.wait(); assert folder.path.exists()"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert not list(tmp_path.iterdir())
