"""``completion``: completion scripts for shells, generated from the options of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.cli.output import print_output
from assay.cli.parser import Command, UsageError, parser_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from assay.cli.parser import Parser

__all__ = ["completion_command", "script"]

_SHELLS = ("bash", "zsh", "fish")


class _Option(NamedTuple):
    name: str
    help: str
    takes: bool  # a value behind it
    choices: tuple[str, ...]


def completion_command(others: Sequence[Command]) -> Command:
    """Return the command that prints the scripts, which complete the other commands and itself."""

    def run(arguments: argparse.Namespace) -> int:
        if arguments.shell is None:
            raise UsageError(f"name the shell: {', '.join(_SHELLS)}.")
        print_output(script(arguments.shell, (*others, this_command)))
        return 0

    this_command = Command(
        "completion",
        "completion for bash, zsh or fish",
        "Writes the script that lets a shell complete commands and options. Have it read at the shell's "
        'start:\n  bash   eval "$(assay completion bash)"\n  zsh    eval "$(assay completion zsh)"\n'
        "  fish   assay completion fish | source",
        ("assay completion bash", "assay completion zsh", "assay completion fish"),
        _options,
        run,
    )
    return this_command


def _options(parser: Parser) -> None:
    parser.add_argument("shell", nargs="?", choices=_SHELLS, metavar="|".join(_SHELLS), help="which shell")


def script(shell: str, commands: Sequence[Command]) -> str:
    """Return the script for one shell."""
    known = {
        command.name: _options_of(parser_of(command, prog=f"assay {command.name}")) for command in commands
    }
    summaries = {command.name: command.summary for command in commands}
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](known, summaries)


def _options_of(parser: Parser) -> list[_Option]:
    """Return the options of a command, read from its parser."""
    options = []
    for action in parser.actions():
        choices = tuple(map(str, action.choices or ()))
        text = (action.help or "").replace("%%", "%")
        if not action.option_strings:
            if choices:
                options.append(_Option("", text, takes=True, choices=choices))
            continue
        options.append(_Option(action.option_strings[-1], text, action.nargs != 0, choices))
    return options


def _bash(known: dict[str, list[_Option]], summaries: dict[str, str]) -> str:
    cases, values = [], []
    for command, options in known.items():
        words = [option.name for option in options if option.name] + [
            choice for option in options if not option.name for choice in option.choices
        ]
        cases.append(f'    {command}) words="{" ".join(words)}" ;;')
        values += [
            f'    {command}:{option.name}) _assay_of "{" ".join(option.choices)}"; return ;;'
            for option in options
            if option.name and option.choices
        ]
        plain = [
            f"{command}:{option.name}"
            for option in options
            if option.name and option.takes and not option.choices
        ]
        if plain:
            values.append(f'    {"|".join(plain)}) COMPREPLY=($(compgen -f -- "$word")); return ;;')
    return "\n".join(
        [
            "# completion of assay for bash",
            '_assay_of() { COMPREPLY=($(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")); }',
            "_assay() {",
            '  local word="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" words=""',
            '  if [ "$COMP_CWORD" -eq 1 ]; then',
            f'    COMPREPLY=($(compgen -W "{" ".join(summaries)} --help --version" -- "$word"))',
            "    return",
            "  fi",
            '  case "$command:${COMP_WORDS[COMP_CWORD-1]}" in',
            *values,
            "  esac",
            '  case "$command" in',
            *cases,
            "  esac",
            '  case "$word" in',
            '    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;',
            '    *) words="$(printf "%s\\n" $words | grep -v "^-")"',
            '      COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word")) ;;',
            "  esac",
            "}",
            "complete -o filenames -F _assay assay",
        ]
    )


def _zsh(known: dict[str, list[_Option]], summaries: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        plain = text.replace("'", "'\\''")
        return "".join(f"\\{sign}" if sign in "[]:" else sign for sign in plain)

    lines = ["#compdef assay", "# completion of assay for zsh", "_assay() {", "  local -a commands"]
    lines.append("  commands=(")
    lines += [f"    '{name}:{quoted(text)}'" for name, text in summaries.items()]
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi"]
    lines += ["  local command=$words[2]", "  shift words", "  (( CURRENT-- ))", '  case "$command" in']
    for command, options in known.items():
        lines.append(f"    {command}) _arguments \\")
        for option in options:
            what = f"({' '.join(option.choices)})" if option.choices else "_files"
            if option.name:
                value = f":{option.name.removeprefix('--')}:{what}" if option.takes else ""
                lines.append(f"      '*{option.name}[{quoted(option.help)}]{value}' \\")
            else:
                lines.append(f"      '1:{quoted(option.help)}:{what}' \\")
        lines.append("      '*:file:_files' ;;")
    return "\n".join([*lines, "  esac", "}", "compdef _assay assay"])


def _fish(known: dict[str, list[_Option]], summaries: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# completion of assay for fish"]
    for name, text in summaries.items():
        lines.append(f"complete -c assay -n __fish_use_subcommand -f -a {name} -d {quoted(text)}")
    for command, options in known.items():
        when = f"complete -c assay -n '__fish_seen_subcommand_from {command}'"
        for option in options:
            choices = " -r" if option.takes else ""
            if option.choices:
                choices = f" -x -a {quoted(' '.join(option.choices))}"
            if option.name:
                lines.append(f"{when} -l {option.name.removeprefix('--')}{choices} -d {quoted(option.help)}")
            else:
                lines.append(f"{when} -f -a {quoted(' '.join(option.choices))} -d {quoted(option.help)}")
    return "\n".join(lines)
