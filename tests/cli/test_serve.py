"""Tests of assay serve: what it says, and how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from support import programs

import assay
from assay.cli import main


@pytest.fixture
def book_path(tmp_path):
    with assay.ledger(tmp_path / "ledger.db") as book:
        book.record(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0], name="first"))
    return tmp_path / "ledger.db"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_until_it_is_ended(book_path, number, code):
    """The address is printed at once, the page is there, and Ctrl-C ends it without a word."""
    command = [sys.executable, "-m", "assay", "serve", "--ledger", str(book_path), "--port", "0"]
    with programs.started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines[0].startswith("1 run of ")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", lines[1])
        with urllib.request.urlopen(lines[1].strip(), timeout=120) as answer:  # noqa: S310 - our own
            assert "first" in answer.read().decode()
        os.kill(process.pid, number)
        assert programs.wait(process) == code
        assert process.stderr.read() == ""


def test_a_ledger_that_is_missing_is_named(tmp_path, capsys):
    """And no file is made."""
    assert main(["serve", "--ledger", str(tmp_path / "none.db")]) == 2
    assert "there is no ledger" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_ledger_is_named(tmp_path, capsys):
    """It is not changed."""
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n" * 500)
    assert main(["serve", "--ledger", str(tmp_path / "rows.csv")]) == 2
    assert "not a database" in capsys.readouterr().err


def test_a_port_in_use_is_named(book_path, capsys):
    """In one line."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--ledger", str(book_path), "--port", str(port)]) == 2
    assert f"port {port} is in use" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["70000", "-1", "http"])
def test_a_port_that_is_none_is_named(book_path, capsys, port):
    """In one line, with the option."""
    assert main(["serve", "--ledger", str(book_path), f"--port={port}"]) == 2
    assert "--port" in capsys.readouterr().err
