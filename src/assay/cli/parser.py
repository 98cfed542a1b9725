"""The parser of commands: errors in one line, suggestions for misspelt names, help with examples."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from assay.cli.output import print_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Command", "Parser", "StoreOnce", "UsageError", "parser_of", "program_parser", "suggestion"]


class UsageError(Exception):
    """A mistake in what was typed, which no AssayError is about."""


class Command(NamedTuple):
    """A command: its name, its help, its options and what it runs.

    ``run`` returns the exit code. Modules that declare commands import nothing heavy: help must be quick.
    """

    name: str
    summary: str
    about: str
    examples: tuple[str, ...]
    options: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], int]


class StoreOnce(argparse.Action):
    """An option that may be given once: a second value would silently replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Keep the value, or refuse a second one."""
        if getattr(namespace, self.dest, self.default) is not self.default:
            parser.error(f"{option_string} is given twice: it takes one value")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that raises mistakes instead of printing them, and suggests similar options."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise the mistake as one line that names the help."""
        plain = re.sub(r"^argument (\S+?)(?:/\S+)?: ", r"\1: ", message).rstrip(".")
        raise UsageError(f"{plain}{'' if plain.endswith('?') else '.'} (See {self.prog} --help.)")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse the words, or raise for those that no option takes; what follows -- is no option."""
        end = list(words).index("--") if "--" in words else len(words)
        arguments, unknown = self.parse_known_intermixed_args(words[:end])
        if unknown:
            self.refuse(unknown)
        rest = list(words[end + 1 :])
        if rest:
            lists = [
                action.dest for action in self._actions if not action.option_strings and action.nargs == "*"
            ]
            if not lists:
                self.error(f"there is no use for {rest[0]!r} here")
            setattr(arguments, lists[0], [*getattr(arguments, lists[0]), *rest])
        return arguments

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help and version as everything is printed."""
        del file
        print_output(message, end="")

    def names(self) -> list[str]:
        """Return every option by its long name."""
        return [name for name in self._option_string_actions if name.startswith("--")]

    def actions(self) -> list[argparse.Action]:
        """Return all options and positional arguments, as they were declared."""
        return list(self._actions)

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Raise for words that no option took, and suggest a similar option."""
        wrong = next((word for word in unknown if word.startswith("-")), unknown[0])
        name = wrong.partition("=")[0]
        if not wrong.startswith("-"):
            self.error(f"there is no use for {wrong!r} here")
        self.error(f"there is no option {name}{suggestion(name, self.names())}")


def suggestion(word: str, names: Iterable[str]) -> str:
    """Return a question that suggests the name most similar to a word, or nothing.

    >>> suggestion("--acutal", ["--actual", "--score"]), suggestion("--zzz", ["--actual"])
    (': did you mean --actual?', '')
    """
    import difflib

    similar = difflib.get_close_matches(word, list(names), n=1)
    return f": did you mean {similar[0]}?" if similar else ""


def parser_of(command: Command, make: Callable[..., Parser] = Parser, **settings: Any) -> Parser:
    """Return the parser of one command."""
    examples = "\n".join(f"  {line}" for line in command.examples)
    parser = make(
        **settings,
        usage=f"assay {command.name} [...]",
        description=command.about,
        epilog=f"examples:\n{examples}",
    )
    command.options(parser)
    parser.set_defaults(command=command.name)
    return parser


def program_parser(commands: Sequence[Command], version: str) -> Parser:
    """Return the parser of the program, whose help lists the commands."""
    wide = max(len(command.name) for command in commands)
    listed = "\n".join(f"  {command.name:<{wide}}  {command.summary}" for command in commands)
    parser = Parser(
        prog="assay",
        usage="assay COMMAND [...]",
        description="Evaluates predictions of machine-learning models, with an interval for every metric.",
        epilog=f"commands (details: assay COMMAND --help):\n{listed}\n\n"
        "exit codes: 0 fine, 1 a requirement is not met, 2 wrong input or a full disk, 3 a sealed plan or\n"
        "its test set has changed, 4 no looks are left, 70 an error of assay's; 130, 143 and 129 after\n"
        "Ctrl-C, SIGTERM and SIGHUP",
    )
    parser.add_argument("--version", action="version", version=f"assay {version}")
    return parser
