"""``repeats``: questions that were run several times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.agreement import deliver_result
from assay.cli.inputs import open_source, read_table, require_options
from assay.cli.options import add_output, add_paths, add_reading, comma_list, number, whole_number
from assay.cli.parser import Command, StoreOnce

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["REPEATS"]

_COLUMNS = ("question", "correct", "run", "model", "answer", "selector", "group")


def _options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("columns")
    for name, what in (
        ("question", "the question of a run"),
        ("correct", "1 where the run is correct and 0 where not, or a score"),
        ("run", "the number of the run"),
        ("model", "the model, where there are several"),
        ("answer", "the answer, for majority votes among several"),
        ("selector", "a score by which the best of k runs is chosen"),
        ("group", "questions that belong together"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, metavar="COLUMN", help=what)
    more = parser.add_argument_group("the summary")
    more.add_argument(
        "--k", action=StoreOnce, type=_whole_numbers, metavar="1,5,10", help="of pass@k and the like"
    )
    for name, what in (
        ("cost-question", "what one more question costs (0)"),
        ("cost-run", "what one more run costs (1)"),
        ("confidence", "of all intervals (0.95)"),
    ):
        more.add_argument(f"--{name}", action=StoreOnce, type=number, metavar="NUMBER", help=what)
    add_output(parser, "json", "markdown", "latex", report=True)
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    from assay.repeated_runs.repeats import repeats

    require_options(arguments, "question", "correct")
    by_role = {name: getattr(arguments, name) for name in _COLUMNS if getattr(arguments, name) is not None}
    table = read_table(arguments, open_source(arguments), list(dict.fromkeys(by_role.values())))
    options: dict[str, Any] = {
        name: value
        for name in ("cost_question", "cost_run", "confidence")
        if (value := getattr(arguments, name)) is not None
    }
    if arguments.k is not None:
        options["k"] = arguments.k
    deliver_result(arguments, repeats(table, **by_role, **options))
    return 0


def _whole_numbers(word: str) -> list[int]:
    return [whole_number(part) for part in comma_list(word)]


REPEATS = Command(
    "repeats",
    "summarize questions that were run several times",
    "Summarizes repeated runs of the same questions: pass@k, pass^k, majority and mean, with the questions "
    "as the\nsample, the variance within and between questions, and differences of models.",
    (
        "assay repeats runs.csv --question question --correct correct",
        "assay repeats runs.csv --question question --correct correct --model model --k 1,2 --json",
    ),
    _options,
    _run,
)
