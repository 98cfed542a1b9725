"""``agreement``: how far several raters agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.inputs import open_source, read_table
from assay.cli.options import add_output, add_paths, add_reading, comma_list, number
from assay.cli.output import as_json, deliver, output_width
from assay.cli.parser import Command, StoreOnce, UsageError
from assay.hints import hint_style, python_style

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["AGREEMENT"]

_COLUMNS = ("item", "rater", "rating", "group")
_SETTINGS = ("level", "weights", "labels", "against", "margin", "confidence")


def _options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("columns")
    group.add_argument(
        "--raters",
        action=StoreOnce,
        type=comma_list,
        metavar="A,B",
        help="a column of ratings for each rater",
    )
    for name, what in (
        ("item", "instead, where each row is one rating: what was rated"),
        ("rater", "who rated it"),
        ("rating", "the rating"),
        ("group", "items that belong together, as those of a document"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, metavar="COLUMN", help=what)
    more = parser.add_argument_group("the agreement")
    more.add_argument(
        "--level",
        action=StoreOnce,
        choices=("nominal", "ordinal", "interval", "ratio"),
        help="of the ratings",
    )
    more.add_argument(
        "--weights", action=StoreOnce, choices=("none", "linear", "quadratic", "ordinal"),
        help="how far two categories agree",
    )  # fmt: skip
    more.add_argument(
        "--labels", action=StoreOnce, type=comma_list, metavar="A,B", help="all categories, in order"
    )
    more.add_argument(
        "--against", action=StoreOnce, metavar="RATER", help="a judge to compare with the people"
    )
    for name, what in (
        ("margin", "by which a judge may agree less (0.05)"),
        ("confidence", "of all intervals (0.95)"),
    ):
        more.add_argument(f"--{name}", action=StoreOnce, type=number, metavar="NUMBER", help=what)
    add_output(parser, "json", "markdown", "latex", report=True)
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    from assay.raters.agreement import agreement

    by_role = {name: getattr(arguments, name) for name in _COLUMNS if getattr(arguments, name) is not None}
    if arguments.raters is None and not {"item", "rater", "rating"} <= by_role.keys():
        raise UsageError("--raters is needed, or --item, --rater and --rating where each row is one rating.")
    columns = [*(arguments.raters or ()), *by_role.values()]
    table = read_table(arguments, open_source(arguments), list(dict.fromkeys(columns)))
    options: dict[str, Any] = {
        name: value for name in _SETTINGS if (value := getattr(arguments, name)) is not None
    }
    ratings = [table[name] for name in (arguments.raters or [arguments.rating])]
    if "labels" in options and not any(column.labels for column in ratings):
        options["labels"] = [float(word) for word in options["labels"]]
    if arguments.raters is not None:
        options["raters"] = arguments.raters
    result = agreement(table, **by_role, **options)
    deliver_result(arguments, result)
    return 0


def deliver_result(arguments: argparse.Namespace, result: Any) -> None:
    """Print or write a result as JSON, Markdown, LaTeX or text, and its page where one is named."""
    if arguments.json:
        text = as_json(result.to_dict())
    elif arguments.markdown:
        text = result.to_markdown()
    elif arguments.latex:
        text = result.to_latex()
    else:
        text = result.text(width=output_width(arguments))

    def page() -> str:
        with hint_style(python_style):  # it is read where no command runs
            return str(result.to_html())

    deliver(arguments, text, {arguments.report: page})


AGREEMENT = Command(
    "agreement",
    "measure how far several raters agree",
    "Measures the agreement of raters, where ratings may be missing: Krippendorff's alpha, Gwet, Fleiss and "
    "others\nwith intervals, by category and by rater, and whether a judge is as good as one more person.",
    (
        "assay agreement ratings.csv --raters ann,bob,cyn",
        "assay agreement ratings.csv --raters ann,bob,cyn,judge --against judge --report agreement.html",
        "assay agreement votes.csv --item item --rater rater --rating rating --level ordinal --json",
    ),
    _options,
    _run,
)
