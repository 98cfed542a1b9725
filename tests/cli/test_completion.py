"""Completion: scripts that their shells can read, with every command and option of the parsers."""

import shutil
import subprocess

import pytest

from assay.cli.completion import script
from assay.cli.main import COMMANDS
from assay.cli.parser import parser_of

BASH = shutil.which("bash")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_names_all_there_is(shell):
    """Each command, its summary where there is room, and each option."""
    text = script(shell, COMMANDS)
    for command in COMMANDS:
        assert command.name in text
        for name in parser_of(command, prog="assay").names():
            assert (name if shell != "fish" else f"-l {name.removeprefix('--')}") in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_its_script(shell, tmp_path):
    """`-n` reads without running; a shell that is not here is left out, bash is everywhere."""
    found = shutil.which(shell)
    if found is None:
        assert shell != "bash"
        pytest.skip(f"there is no {shell} here")
    path = tmp_path / "script"
    path.write_text(script(shell, COMMANDS), encoding="utf-8")
    done = subprocess.run([found, "-n", str(path)], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0
    assert not done.stderr


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["assay", "ev"], {"evaluate"}),
        (["assay", "c"], {"check", "compare", "crosstab", "crossval", "completion"}),
        (["assay", "evaluate", "--cost"], {"--cost-fp", "--cost-fn"}),
        (["assay", "evaluate", "--task", "b"], {"binary"}),
        (["assay", "completion", "z"], {"zsh"}),
        (["assay", "evaluate", "pre"], {"preds.csv"}),
        (["assay", "evaluate", "--report", "pre"], {"preds.csv"}),
    ],
    ids=lambda words: " ".join(sorted(words)),
)
def test_bash_completes(typed, expected, tmp_path):
    """Commands, options, the choices of an option, files."""
    (tmp_path / "preds.csv").touch()
    asked = f"COMP_WORDS=({' '.join(typed)}); COMP_CWORD={len(typed) - 1}; _assay; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(  # noqa: S603
        [BASH, "-c", f"{script('bash', COMMANDS)}\n{asked}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert set(done.stdout.split()) == expected
