"""Every example of every help text runs, as it stands there."""

import shlex
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from assay.cli import main
from assay.cli.main import COMMANDS
from assay.server.http_server import LedgerServer

EXAMPLES = [(command.name, line) for command in COMMANDS for line in command.examples]


@pytest.fixture(autouse=True)
def _servers_end(monkeypatch):
    """A server opens a port that is free, and ends before its first request; test_serve.py has those that go on."""
    bind = LedgerServer.server_bind

    def bind_any(server):
        server.server_address = (server.server_address[0], 0)
        bind(server)

    monkeypatch.setattr(LedgerServer, "server_bind", bind_any)
    monkeypatch.setattr(LedgerServer, "serve_forever", lambda _: None)
    monkeypatch.setattr(webbrowser, "open", lambda _: True)


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_runs(name, line, here, capfd, monkeypatch):
    """It ends well, says something or writes something, and nothing on standard error."""
    before = {path.name for path in here.rglob("*")}
    if line.startswith("cat "):
        shell = line.replace("assay ", f"{shlex.quote(sys.executable)} -m assay ", 1)
        done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own line
        assert done.returncode == 0
        assert done.stdout
        assert not done.stderr
        return
    program, *words = shlex.split(line)
    assert program == "assay"
    assert words[0] == name
    assert main(words) == 0
    said = capfd.readouterr()
    assert not said.err
    assert said.out or {path.name for path in here.rglob("*")} - before
    for option in ("--output", "--report"):
        if option in words:
            assert (here / words[words.index(option) + 1]).stat().st_size


def _typed(page):
    """Return the lines of a page that are typed in a shell."""
    return [line[2:] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("$ assay")]


ROOT = Path(__file__).parents[2]
WALK = ROOT / "docs" / "how-to" / "nightly-evaluation.md"  # which test_nightly_walk.py runs, on its own files
PAGES = [
    page
    for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
    if _typed(page) and page != WALK
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_lines_of_the_pages_run(page, here, capfd):
    """What the documentation types ends well, one line after the other."""
    shutil.copy(ROOT / "docs" / "tutorial" / "predictions.csv", here)
    for line in _typed(page):
        assert main(shlex.split(line)[1:]) == 0, line
        assert not capfd.readouterr().err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_says_what_there_is(command, capsys):
    """The help of a command names its examples and every option with a word about it."""
    assert main([command.name, "--help"]) == 0
    said = capsys.readouterr().out
    for line in command.examples:
        assert line in said
    assert main(["--help"]) == 0
    assert command.summary in capsys.readouterr().out


def test_no_words_are_a_question(capsys):
    """The program alone shows its help; its version is its own."""
    assert main([]) == 0
    assert "commands" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("assay ")
