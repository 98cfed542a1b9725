"""Messages of the library on the command line: parameters are data, and are shown as options."""

import ast
import re
from pathlib import Path

import pytest

import assay
from assay.cli.main import COMMANDS
from assay.cli.options import shell_style
from assay.cli.parser import parser_of
from assay.hints import hint_style, param, render

SOURCE = Path(assay.__file__).parent
# The command line does not reach these, or they are the words of another library.
ELSEWHERE = (
    "sklearn/", "plots/", "cli/", "errors.py", "comparison/procedures.py",
    "metrics/probability/proper_scores.py", "metrics/curves/cutoffs.py", "resampling/error_estimators.py",
)  # fmt: skip
OPTIONS = {name: command.name for command in COMMANDS for name in parser_of(command, prog="assay").names()}
PARAMETERS = {name.removeprefix("--").replace("-", "_") for name in OPTIONS}
FILES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if not str(path.relative_to(SOURCE)).startswith(ELSEWHERE) and path.name != "hints.py"
)


def is_hint(function):
    return isinstance(function, ast.Name) and function.id in ("hint", "param", "passed")


def raised_texts(path):
    """Yield the literal parts of messages that a module raises, calls in them left out."""
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Raise):
            nodes = list(ast.walk(statement))
            calls = [node for node in nodes if isinstance(node, ast.Call) and is_hint(node.func)]
            hints = {id(part) for call in calls for part in ast.walk(call)}
            for node in nodes:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hints:
                    yield re.sub(r"\w\([^)]*(\)|$)", "", node.value)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_messages_name_parameters_as_data(path):
    """A parameter that is an option somewhere is named by param(), never as Python text."""
    for text in raised_texts(path):
        named = set(re.findall(r"(?<![\w./({-])([a-z_]+)=", text))
        assert not named & PARAMETERS, f"write {{param('...')}} in: {text}"


def parameters_named(path):
    """Yield the parameters of a module's hints, by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("param", "passed")
        ):
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield first.value


def test_every_parameter_has_its_option_where_the_command_has_it():
    """Whatever a message names is shown as the option of the command that runs, or in words."""
    named = {name for path in FILES for name in parameters_named(path)}
    assert {"positive", "task", "missing", "memory", "labels", "bins", "cost_fp"} <= named
    for command in COMMANDS:
        options = parser_of(command, prog="assay").names()
        with hint_style(shell_style(options)):
            for name in named:
                text = render(f"say {param(name)} or {param(name, 'value')}")
                option = f"--{name.replace('_', '-')}"
                assert "=" not in text
                if option in options:
                    assert text == f"say {option} or {option} value"
