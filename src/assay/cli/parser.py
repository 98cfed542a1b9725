"""The parser: one line for every mistake, names that are near, and help with examples that run."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from assay.cli.printing import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Command", "Misuse", "Once", "Parser", "near", "parser_of", "program_parser"]


class Misuse(Exception):  # noqa: N818 - not an error of the package, but of what was typed
    """Words on the command line that say nothing a command can do."""


class Command(NamedTuple):
    """One command: what it is called, how it is shown, what may be said to it and what it does.

    ``run`` returns the exit code. Modules that declare commands import nothing heavy: help must be quick.
    """

    name: str
    summary: str
    about: str
    examples: tuple[str, ...]
    options: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], int]


class Once(argparse.Action):
    """An option that is said once: a second value would quietly replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Keep the value, or refuse a second one."""
        if getattr(namespace, self.dest, self.default) is not self.default:
            parser.error(f"{option_string} is said twice: it takes one value")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are raised, not printed, and that knows the options that are near."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise the mistake, in a line that says where to read on."""
        plain = re.sub(r"^argument (\S+?)(?:/\S+)?: ", r"\1: ", message).rstrip(".")
        raise Misuse(f"{plain}{'' if plain.endswith('?') else '.'} ({self.prog} --help says more.)")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return what was said, or raise for words that nobody takes; what follows -- is no option."""
        end = list(words).index("--") if "--" in words else len(words)
        arguments, unknown = self.parse_known_intermixed_args(words[:end])
        if unknown:
            self.refuse(unknown)
        rest = list(words[end + 1 :])
        if rest:
            lists = [one.dest for one in self._actions if not one.option_strings and one.nargs == "*"]
            if not lists:
                self.error(f"there is no use for {rest[0]!r} here")
            setattr(arguments, lists[0], [*getattr(arguments, lists[0]), *rest])
        return arguments

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help and version as everything is printed."""
        del file
        show(message, end="")

    def names(self) -> list[str]:
        """Return every option by its long name."""
        return [name for name in self._option_string_actions if name.startswith("--")]

    def actions(self) -> list[argparse.Action]:
        """Return all that can be said, options and words, as it was declared."""
        return list(self._actions)

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Raise for words that nobody took, with the option that is near."""
        wrong = next((word for word in unknown if word.startswith("-")), unknown[0])
        name = wrong.partition("=")[0]
        if not wrong.startswith("-"):
            self.error(f"there is no use for {wrong!r} here")
        self.error(f"there is no option {name}{near(name, self.names())}")


def near(word: str, names: Iterable[str]) -> str:
    """Return a question for the name that a word is near to, or nothing.

    >>> near("--acutal", ["--actual", "--score"]), near("--zzz", ["--actual"])
    (': did you mean --actual?', '')
    """
    import difflib

    found = difflib.get_close_matches(word, list(names), n=1)
    return f": did you mean {found[0]}?" if found else ""


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
        description="Judges the predictions of machine-learning models: how good, how sure, where they fail.",
        epilog=f"commands (assay COMMAND --help says all about one):\n{listed}\n\n"
        "exit codes: 0 fine, 1 a requirement is not met, 2 wrong input or a full disk, 70 an error of\n"
        "assay's; 130, 143 and 129 after Ctrl-C, SIGTERM and SIGHUP",
    )
    parser.add_argument("--version", action="version", version=f"assay {version}")
    return parser
