"""How the program ends: signals, full disks, closed descriptors; nothing is left, old files are whole."""

import contextlib
import ctypes
import os
import pathlib
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time

import pytest
from support import programs

from assay import temporary_files
from assay.cli import main
from assay.cli.signals import stop_on_signals

ASSAY = [sys.executable, "-m", "assay"]
ROLES = ["--actual", "y", "--score", "p"]
# More rows than anyone waits for.
ENDLESS = "SELECT i % 2 AS y, (i % 1000) / 1000 AS p FROM range(100000000000) t(i)"


@contextlib.contextmanager
def started(words, spilled, **more):
    """Start the program with a temporary folder of its own, and wait until it has begun to read."""
    with programs.started(
        [*ASSAY, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(spilled)},
        # A run under nohup ignores SIGHUP, which would be inherited.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        **more,
    ) as process:
        programs.wait_until(lambda: list(spilled.iterdir()), process)
        time.sleep(0.3)
        yield process


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def spilled(tmp_path):
    """Return the folder for temporary files, which is empty."""
    folder = tmp_path / "spilled"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_undoes_what_was_begun(name, here, spilled):
    """Reading a query, a signal ends the program quietly, with 128 and its number; the old file is whole."""
    (here / "out.txt").write_text("old")
    before = files_of(here)
    number = getattr(signal, name)
    with started(["evaluate", "--sql", ENDLESS, *ROLES, "--output", "out.txt"], spilled) as process:
        process.send_signal(number)
        assert programs.communicate(process) == (b"", b"")
        assert process.returncode == 128 + number
    assert files_of(here) == before
    assert not list(spilled.iterdir())


def test_a_copy_of_standard_input_goes_with_the_program(here, spilled):
    """SIGTERM while standard input is still coming leaves no copy of it."""
    with started(["evaluate", "-", *ROLES], spilled, stdin=subprocess.PIPE) as process:
        process.stdin.write(b"y,p\n" + b"1,0.5\n" * 100_000)
        process.stdin.flush()  # the signal may come between two reads, or while one waits
        process.send_signal(signal.SIGTERM)
        assert programs.wait(process) == 143
        assert not process.stderr.read()
    assert not list(spilled.iterdir())


def test_a_killed_program_leaves_nothing_for_long(here, spilled, monkeypatch, capfd):
    """After kill -9 the old files are whole; what is left among temporary files goes with the next run."""
    (here / "out.txt").write_text("old")
    before = files_of(here)
    with started(["evaluate", "--sql", ENDLESS, *ROLES, "--output", "out.txt"], spilled) as process:
        process.kill()
        assert programs.wait(process) == -signal.SIGKILL
    assert files_of(here) == before
    assert list(spilled.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(spilled))
    temporary_files._sweep.cache_clear()
    assert main(["evaluate", "a.csv", *ROLES, "--quiet"]) == 0
    assert not list(spilled.iterdir())
    capfd.readouterr()


def test_signals_that_are_ignored_stay_ignored():
    """As nohup has it; others come back to what they were, and impatience does not stop the cleaning."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals() as received:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not received
    finally:
        signal.signal(signal.SIGHUP, before)
    before = signal.getsignal(signal.SIGTERM)
    with stop_on_signals() as received:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)  # while files are being removed
        assert received == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_signal_that_was_swallowed_comes_again(monkeypatch):
    """A library may catch whatever is raised within it; the program ends all the same."""
    monkeypatch.setattr("assay.cli.signals._RAISE_AGAIN_AFTER", 0.2)
    with stop_on_signals() as received:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(20)
    assert received == [signal.SIGTERM]
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_signal_within_an_import_has_its_code(tmp_path):
    """Python forgets to forget an interrupt that passed through exec, which many modules do when imported."""
    (tmp_path / "slow_model.py").write_text(
        "import os, signal\nexec('os.kill(os.getpid(), signal.SIGTERM)\\nfor _ in range(10**9): pass')\n"
    )
    (tmp_path / "data.csv").write_text("x,y\n1,2\n")
    done = subprocess.run(  # noqa: S603
        [*ASSAY, "crossval", "data.csv", "--target", "y", "--model", "slow_model:Model"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, b"", b"")


@pytest.mark.parametrize("how", [[], ["--processes"]], ids=["threads", "processes"])
def test_fits_that_run_are_not_waited_for(how, tmp_path):
    """A signal ends threads and processes that fit models at once, and none of them stays behind."""
    (tmp_path / "slow_model.py").write_text(
        "import os, time\n"
        "class Model:\n"
        "    def fit(self, X, y):\n"
        "        open(f'began-{os.getpid()}', 'w').close()\n"
        "        time.sleep(1000)\n"
        "    def predict(self, X): return y\n"
    )
    (tmp_path / "data.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
    words = ["crossval", "data.csv", "--target", "y", "--positive", "a", "--model", "slow_model:Model"]
    wanted = 2 if how else 1
    with programs.started(
        [*ASSAY, *words, "--jobs", "2", *how], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        programs.wait_until(lambda: len(list(tmp_path.glob("began-*"))) >= wanted, process)
        process.send_signal(signal.SIGTERM)
        assert programs.communicate(process) == (b"", b"")  # long before a fit would be done
        assert process.returncode == 143
        fits = [int(path.name.partition("-")[2]) for path in tmp_path.glob("began-*")]
        programs.wait_until(lambda: not any(map(_lives, fits)), process)


def _lives(number):
    """Tell whether a process runs; one that was killed and that nobody has waited for does not."""
    try:
        state = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] not in "ZX"


_LIMITED = """
import resource, sys
from assay.cli import main
assert main(["evaluate", "a.csv", "--actual", "y", "--score", "p"]) == 0  # all is loaded
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
for words in sys.stdin.read().splitlines():
    print(main(words.split()), file=sys.stderr)
"""


def test_a_disk_that_is_full_leaves_the_old_files(here, spilled):
    """Files that grow no further, as on a full disk: code 2, a line that names the file, nothing changed."""
    for name in ("out.txt", "data-fold1.csv", "preds-fold1.parquet", "x.assay"):
        (here / name).write_text("old")
    before = files_of(here)
    commands = [
        "evaluate a.csv --actual y --score p --report page.html --output out.txt",
        "tally a.csv --actual y --score p --output x.assay",
        "split data.csv --folds 2",
        "split preds.parquet --folds 2",
        "split preds.feather --folds 2",
    ]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _LIMITED], input="\n".join(commands), text=True, capture_output=True,
        check=False, env={**os.environ, "TMPDIR": str(spilled)},
    )  # fmt: skip
    lines = done.stderr.splitlines()
    assert lines[1::2] == ["2"] * len(commands), done.stderr
    named = [
        "page.html", "x.assay", "data-fold1.csv, data-fold2.csv", "preds-fold1.parquet", "preds-fold1.feather",
    ]  # fmt: skip
    for line, name in zip(lines[::2], named, strict=True):
        assert line.startswith(f"assay: {name}"), done.stderr
        assert "cannot be written: " in line
    assert files_of(here) == before
    assert not list(spilled.iterdir())


def test_a_full_disk_for_temporary_files_ends_reading(here, tmp_path):
    """A query that has to spill to a disk without room is refused in a line, and its folder removed."""
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", small], check=False).returncode:  # noqa: S603, S607
        pytest.skip("no file system of a size of its own can be mounted here")
    try:
        query = "SELECT i % 2 AS y, hash(i) / 1e20 AS p FROM range(3000000) t(i) ORDER BY p"
        done = subprocess.run(  # noqa: S603
            [*ASSAY, "evaluate", "--sql", query, *ROLES, "--memory", "150MB"], timeout=100,
            capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(small)},
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert not list(small.iterdir())
    finally:
        subprocess.run(["umount", small], check=True)  # noqa: S603, S607


def test_a_folder_without_permission_is_told(here):
    """Root without its right to pass over permissions is refused as anyone is; nothing is left."""
    (here / "parts").chmod(0o555)
    libc = ctypes.CDLL(None)

    def without_override():
        libc.prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE

    for words in (
        ["evaluate", "a.csv", *ROLES, "--output", "parts/out.txt"],
        ["split", "data.csv", "--folds", "2", "--into", "parts"],
    ):
        done = subprocess.run(  # noqa: S603
            [*ASSAY, *words],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=without_override,
        )
        assert done.returncode == 2
        assert "cannot be written: Permission denied" in done.stderr
    (here / "parts").chmod(0o755)
    assert not list((here / "parts").iterdir())


def test_closed_descriptors_and_full_ones_are_no_crash(here):
    """Closed input and output are wrong usage, a closed or full standard error changes no code."""
    try:
        os.mknod(here / "full", stat.S_IFCHR | 0o666, os.makedev(1, 7))
        full = ">full"
        with (here / "full").open("wb"):
            pass
    except OSError:
        full = ">&-"
    met = 'report 1.assay --require-point "accuracy > 1"'
    cases = {
        "evaluate - --actual y --score p <&-": (2, "standard input is closed"),
        "metrics >&-": (2, "standard output is closed"),
        "metrics --output out.txt >&-": (0, ""),
        "nonsense 2>&- | cat": (2, ""),
        f"{met} 2{full} | cat": (1, ""),
        f"{met} | true": (1, "is not met"),
    }
    for line, (code, words) in cases.items():
        done = subprocess.run(  # noqa: S603
            ["bash", "-c", f"set -o pipefail; {sys.executable} -m assay {line}"],  # noqa: S607
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, words in done.stderr) == (code, True), (line, done.stderr)
        assert "Traceback" not in done.stderr
        assert "assay: " not in done.stdout  # what is wrong is never said on standard output


def test_limits_are_those_of_the_child_alone():
    """The test of a full disk must not limit this process."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 300
