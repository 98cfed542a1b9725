"""The program as a shell runs it: quiet ends, exit codes, quick help, a bar for those who look."""

import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time

import pytest
from support import programs

ASSAY = [sys.executable, "-m", "assay"]
FULL = pathlib.Path("/dev/full")
# More rows than anyone waits for.
ENDLESS = [
    "--sql", "SELECT i % 2 AS y, (i % 1000) / 1000 AS p FROM range(100000000000) t(i)", "--actual", "y",
]  # fmt: skip


def run(*words, **more):
    return subprocess.run([*ASSAY, *words], capture_output=True, text=True, check=False, **more)  # noqa: S603


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "gone.csv", "--actual", "y", "--score", "p"],
        ["evaluate", "preds.csv", "--acutal", "y"],
        ["split", "data.csv", "--parts", "a=1"],
        ["report", "preds.csv"],
        ["nonsense"],
    ],
    ids=lambda words: words[0],
)
def test_mistakes_end_with_two_and_one_line(words, here):
    """A process of its own says the same: exit code 2, one line, no traceback."""
    done = run(*words)
    assert done.returncode == 2
    assert not done.stdout
    assert done.stderr.startswith("assay: ")
    assert done.stderr.count("\n") == 1


def test_a_requirement_that_is_not_met_ends_with_one(here):
    """The report is printed, the line is said, and the exit code is 1."""
    done = run("report", "1.assay", "--require", "accuracy >= 1")
    assert done.returncode == 1
    assert "50 rows" in done.stdout
    assert done.stderr.startswith("assay: accuracy >= 1 is not met")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("words", [["metrics", "--json"], ["report", "1.assay"]], ids=lambda words: words[0])
def test_a_full_disk_gets_one_line(words, here):
    """What cannot be printed is said once, however much there is of it, as an error of nobody's."""
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run([*ASSAY, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr
    assert "should not have happened" not in done.stderr


def test_who_reads_no_further_is_not_bothered(here):
    """A pipe that is closed early ends the program quietly, and its files are written all the same."""
    words = ["evaluate", "preds.parquet", "--actual", "y", "--score", "p", "--report", "page.html"]
    for line in (["metrics", "--json"], ["metrics", "--help"], words):
        with programs.started([*ASSAY, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()  # before anything is written
            assert programs.wait(process) == 0
            assert not process.stderr.read()
    assert (here / "page.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", *ENDLESS, "--score", "p", "--report", "page.html", "--output", "out.txt"],
        ["crosstab", *ENDLESS, "--predicted", "y", "--output", "out.txt"],
        ["split", *ENDLESS[:2], "--parts", "a=0.5,b=0.5"],
    ],
    ids=lambda words: words[0],
)
def test_ctrl_c_is_quiet_and_leaves_nothing(words, here, tmp_path):
    """An interrupted program says nothing, ends with 130 and leaves no file, not even a temporary one."""
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    before = {path.name for path in here.rglob("*")}
    with programs.started(
        [*ASSAY, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(spilled)},
    ) as process:
        programs.wait_until(lambda: list(spilled.iterdir()), process)  # until it has begun to read
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert programs.communicate(process) == (b"", b"")
        assert process.returncode == 130
    assert {path.name for path in here.rglob("*")} == before
    assert not list(spilled.iterdir())


def test_help_loads_nothing_heavy():
    """Neither help nor completion imports NumPy, DuckDB or anything of the like."""
    script = (
        "import sys; from assay.cli import main; main(sys.argv[1:]); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    for words in (["--help"], ["evaluate", "--help"], ["completion", "bash"]):
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
        )
        assert not {"numpy", "duckdb", "scipy", "arro3", "dataclasses"} & set(done.stderr.split())


def _on_a_terminal(words, seen, spilled):
    """Run a program whose standard error is a terminal, until a condition of its text holds; return the text."""
    ours, theirs = pty.openpty()
    chunks = []

    def done():
        if select.select([ours], [], [], 0.1)[0]:
            chunks.append(os.read(ours, 1 << 16))
        return list(spilled.iterdir()) and seen(b"".join(chunks), process)  # it reads by now

    with programs.started(
        [*ASSAY, *words], stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TMPDIR": str(spilled)}
    ) as process:
        os.close(theirs)
        programs.wait_until(done, process)
        process.send_signal(signal.SIGINT)
        assert programs.wait(process) == 130
    os.close(ours)
    return b"".join(chunks).decode()


@pytest.mark.slow
def test_a_terminal_sees_rows_and_their_rate(here, tmp_path):
    """Long reading shows how many rows were read and how fast; --quiet does not."""
    words = ["crosstab", *ENDLESS, "--predicted", "y"]
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    began = time.monotonic()
    assert "/s" in _on_a_terminal(words, lambda text, _: b" rows  " in text, spilled)
    needed = time.monotonic() - began

    def as_long(_text, _process):
        return time.monotonic() > began + needed + 2

    began = time.monotonic()
    assert not _on_a_terminal([*words, "--quiet"], as_long, spilled)
