"""The walk of docs/how-to/nightly-evaluation.md: its commands run one after the other and print what it shows."""

import doctest
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support import programs

import assay

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "nightly-evaluation.md"
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def sessions(text):
    """Return the commands of a block of a shell, each with what it is said to print."""
    return [part.split("\n", 1) for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]


@pytest.mark.slow
def test_the_walk_ends_with_a_decision(tmp_path, monkeypatch):
    """Every command ends well and prints what the page shows."""
    monkeypatch.chdir(tmp_path)
    shell = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "80"}
    shell.pop("GITHUB_STEP_SUMMARY", None)
    ran = []
    for kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            Path("make.py").write_text(text, encoding="utf-8")
            subprocess.run([sys.executable, "make.py"], check=True)
        elif kind == "toml":
            Path("release.toml").write_text(text, encoding="utf-8")
        elif not kind:
            for command, shown in sessions(text):
                if "assay serve" in command:
                    continue  # which does not end
                done = subprocess.run(  # noqa: S603 - our own page
                    ["bash", "-c", command],  # noqa: S607
                    env=shell, capture_output=True, text=True, check=False,
                )  # fmt: skip
                ran.append(command)
                assert done.returncode == 0, command + done.stdout + done.stderr
                assert not done.stderr, command
                matches = doctest.OutputChecker().check_output(shown, done.stdout, doctest.ELLIPSIS)
                assert matches, f"{command}\n{done.stdout}\n--- shown:\n{shown}"
    assert len(ran) == 10
    assert "<testsuite" in Path("gate.xml").read_text(encoding="utf-8")
    with assay.ledger(read_only=True) as book:
        assert [entry.kind for entry in book.entries()] == ["plan", *["evaluation"] * 51, "check"]
        nights = book.merge(tag="nightly")
        assert nights.n == 20_000
        whole = assay.evaluate(
            "nightly/*.parquet", actual="defaulted", score="p", positive=1, threshold=0.2, by="region"
        )
        for name in ("auc", "recall", "log_loss"):
            assert nights[name].value == whole[name].value
        east = (nights.slices["region"]["east"]["recall"], whole.slices["region"]["east"]["recall"])
        assert east[0].value == east[1].value


def shown_by(address, path):
    """Return a page of the server."""
    with urllib.request.urlopen(f"{address}{path}", timeout=120) as answer:  # noqa: S310 - our own
        return answer.read().decode()


def test_the_page_serves_what_it_says(tmp_path):
    """The command of the last step prints the lines of the page."""
    (shown,) = [text for _, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if "assay serve" in text]
    with assay.ledger(tmp_path / "ledger.db") as book:
        book.record(assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0], name="current"))
    command = [sys.executable, "-m", "assay", "serve", "--ledger", str(tmp_path / "ledger.db"), "--port", "0"]
    with programs.started(command, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        assert "current" in shown_by(lines[1].strip(), "")
        process.terminate()
    assert lines[0] == f"1 run of {tmp_path / 'ledger.db'}\n"
    assert lines[2] == "Ctrl-C ends it.\n"
    assert re.search(r"\d+ runs of .assay/ledger.db\nhttp://127.0.0.1:8765/\nCtrl-C ends it.\n", shown)
