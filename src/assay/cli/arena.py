"""``arena``: models ranked by pairwise preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.agreement import deliver_result
from assay.cli.inputs import open_source, read_table, require_options
from assay.cli.options import add_output, add_paths, add_reading, comma_list, number
from assay.cli.parser import Command, StoreOnce

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["ARENA"]

_COLUMNS = ("left", "right", "winner", "group")


def _options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("columns")
    for name, what in (
        ("left", "the model shown at the left, or first"),
        ("right", "the other one"),
        ("winner", "left, right or tie, or the winner's name, or 1, 0 and 0.5"),
        ("group", "comparisons that belong together, as those of a prompt"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, metavar="COLUMN", help=what)
    group.add_argument(
        "--covariates", action=StoreOnce, type=comma_list, metavar="A,B", help="differences to hold fixed"
    )
    more = parser.add_argument_group("the model")
    more.add_argument(
        "--ties",
        action=StoreOnce,
        choices=("davidson", "rao-kupper", "half"),
        help="how ties count (davidson)",
    )
    more.add_argument("--no-position", action="store_true", help="left and right mean nothing")
    more.add_argument(
        "--confidence", action=StoreOnce, type=number, metavar="NUMBER", help="of all intervals (0.95)"
    )
    add_output(parser, "json", "markdown", "latex", report=True)
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    from assay.preferences.arena import arena

    require_options(arguments, "left", "right", "winner")
    by_role = {name: getattr(arguments, name) for name in _COLUMNS if getattr(arguments, name) is not None}
    columns = [*by_role.values(), *(arguments.covariates or ())]
    table = read_table(arguments, open_source(arguments), list(dict.fromkeys(columns)))
    options: dict[str, Any] = {
        name: value
        for name in ("covariates", "ties", "confidence")
        if (value := getattr(arguments, name)) is not None
    }
    deliver_result(arguments, arena(table, **by_role, position=not arguments.no_position, **options))
    return 0


ARENA = Command(
    "arena",
    "rank models by pairwise preferences",
    "Ranks models by who won which comparison: Bradley-Terry with ties, intervals of ratings and ranks, and "
    "which\nmay be the best.",
    (
        "assay arena games.csv --left a --right b --winner winner",
        "assay arena games.csv --left a --right b --winner winner --group prompt --json",
    ),
    _options,
    _run,
)
