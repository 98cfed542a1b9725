"""The commands ``evaluate``, ``tally`` (the same, saved to a file) and ``threshold``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.inputs import open_source, read_limits, require_options, several_columns, with_labels
from assay.cli.options import (
    ROLES,
    add_output,
    add_paths,
    add_reading,
    add_recording,
    add_requirements,
    add_roles,
    add_settings,
    number,
    whole_number,
)
from assay.cli.output import as_json, deliver, files_read, output_width, print_output
from assay.cli.parser import Command, StoreOnce, UsageError
from assay.cli.requirements import (
    as_markdown,
    check_requirements,
    exit_code,
    print_failures,
    read_requirements,
)
from assay.hints import hint_style, python_style
from assay.output_files import OutputFiles

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from assay.cli.parser import Parser
    from assay.evaluation import Evaluation
    from assay.plans.requirement import Verdict

__all__ = ["EVALUATE", "TALLY", "THRESHOLD", "deliver_evaluation", "evaluate_arguments"]

_SETTINGS = (
    "missing", "task", "threshold", "confidence", "beta", "cost_fp", "cost_fn", "prevalence", "k", "empty",
    "name",
)  # fmt: skip
_CRITERIA = (
    "best", "min_recall", "min_precision", "min_specificity", "capacity", "max_positive_rate", "equal_error",
    "cost_tp", "cost_tn",
)  # fmt: skip


def evaluate_arguments(arguments: argparse.Namespace) -> Evaluation:
    """Return the evaluation of the rows that the options name."""
    from assay.evaluation import evaluate

    require_options(arguments, "actual")
    rows = open_source(arguments)
    arguments.actual = several_columns(arguments.actual, rows)
    roles = {
        role: column for role in (*ROLES, "key") if (column := getattr(arguments, role, None)) is not None
    }
    if "score" in roles and len(roles["score"]) == 1:
        roles["score"] = roles["score"][0]
    if isinstance(arguments.actual, list):
        for role in ("predicted", "score"):
            if isinstance(roles.get(role), str):
                roles[role] = several_columns(roles[role], rows)
    settings = {name: value for name in _SETTINGS if (value := getattr(arguments, name, None)) is not None}
    if getattr(arguments, "proxy", None):
        settings["proxy"] = arguments.proxy[0] if len(arguments.proxy) == 1 else arguments.proxy
    if getattr(arguments, "selection", None):
        settings["selection"] = arguments.selection
    if getattr(arguments, "ledger", None) is not None:
        settings["ledger"] = arguments.ledger
    if getattr(arguments, "tag", None):
        settings["tags"] = arguments.tag
    if arguments.by:
        settings["by"] = arguments.by
    if arguments.edges:
        settings["edges"] = dict(arguments.edges)
    limits = read_limits(arguments)
    return with_labels(
        arguments, rows, lambda source, labels: evaluate(source, **roles, **settings, **labels, **limits)
    )


def deliver_evaluation(arguments: argparse.Namespace, ev: Evaluation) -> int:
    """Print or write an evaluation in the form that is wanted, and return the exit code."""
    verdicts = check_requirements(read_requirements(arguments), ev)
    page = getattr(arguments, "report", None)
    deliver(arguments, _render(arguments, ev, verdicts), {page: lambda: _page(ev)})
    print_failures(verdicts)
    return exit_code(verdicts)


def _page(ev: Evaluation) -> str:
    """Return the interactive page, whose advice is for Python: it is read where no command runs."""
    from assay.reports.page.build import html_of

    with hint_style(python_style):
        return html_of([ev])


def _render(arguments: argparse.Namespace, ev: Evaluation, verdicts: Sequence[Verdict]) -> str:
    """Return an evaluation as JSON, Markdown or text."""
    width = output_width(arguments)
    slices = list(ev.slices.values()) if ev.settings.by else []
    if arguments.json:
        return as_json(_data(arguments, ev, verdicts, slices))
    if arguments.markdown:
        parts = [_without_remarks(arguments, ev) if arguments.quiet else ev.to_markdown(full=arguments.full)]
        parts += [as_markdown(verdicts)] if verdicts else []
        parts += [f"```\n{table.text(width=width)}\n```" for table in slices]
        return "\n\n".join(part.rstrip() for part in parts)
    if arguments.quiet and arguments.like is None:
        text = _without_remarks(arguments, ev)
    else:
        text = ev.text(width=width, full=arguments.full, like=arguments.like)
    return "\n\n".join([text, *(table.text(width=width) for table in slices)])


def _data(
    arguments: argparse.Namespace, ev: Evaluation, verdicts: Sequence[Verdict], slices: Sequence[Any]
) -> dict[str, Any]:
    """Return the data that Python's to_dict has, with slices and verdicts beside."""
    with hint_style(python_style):  # the same data, whoever asks for it
        data = ev.to_dict(full=arguments.full)
    if slices:
        data["slices"] = {" x ".join(table.columns): table.lines() for table in slices}
    if verdicts:
        data["requirements"] = [verdict.to_dict() for verdict in verdicts]
    return data


def _without_remarks(arguments: argparse.Namespace, ev: Evaluation) -> str:
    """Return the summary without the remarks under its metrics and at its end, as --quiet wants it."""
    from assay.reports.summarize import summarize
    from assay.reports.text import summary as renderers

    brief = not arguments.full and not arguments.markdown
    summary = summarize(ev, full=arguments.full, brief=brief).without_remarks()
    if arguments.markdown:
        return renderers.as_markdown(summary)
    return renderers.as_text(summary, width=output_width(arguments), full=arguments.full)


def _evaluate_options(parser: Parser) -> None:
    add_paths(parser)
    add_roles(parser, *ROLES, "key", several=("score",))
    add_settings(parser)
    _proxy_options(parser)
    add_recording(parser)
    add_requirements(parser)
    add_output(parser, "json", "markdown", "like", "full", report=True)
    add_reading(parser)


def _proxy_options(parser: Parser) -> None:
    group = parser.add_argument_group("labels that most rows lack")
    group.add_argument(
        "--proxy",
        action="append",
        metavar="COLUMN",
        help="stands in for --actual on all rows, as a judge does",
    )
    group.add_argument(
        "--selection", action=StoreOnce, metavar="COLUMN", help="how likely each row was to have a label"
    )


def _evaluate(arguments: argparse.Namespace) -> int:
    read_requirements(arguments)  # refused before any row is read
    return deliver_evaluation(arguments, evaluate_arguments(arguments))


def _tally_options(parser: Parser) -> None:
    add_paths(parser)
    add_roles(parser, *ROLES, "key", several=("score",))
    add_settings(parser)
    _proxy_options(parser)
    add_output(parser, output="the file to write (needed)")
    add_reading(parser)


def _tally(arguments: argparse.Namespace) -> int:
    require_options(arguments, "output")
    ev = evaluate_arguments(arguments)
    target, arguments.output = arguments.output, None
    write_evaluation(arguments, ev, target)
    return 0


def write_evaluation(arguments: argparse.Namespace, ev: Evaluation, target: str) -> None:
    """Write an evaluation to a file, and print what was written."""
    from assay.evaluation.storage import to_bytes
    from assay.formatting.numbers import count_of

    with OutputFiles(files_read(arguments)) as files:
        files.write(target, to_bytes(ev))
    if not arguments.quiet:
        print_output(f"{target}: {ev.task.title.lower()}, {count_of(ev.n, 'row')}")


def _threshold_options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("the criterion of the threshold (one of them)")
    group.add_argument(
        "--best", action=StoreOnce, metavar="METRIC", help="as f1, youden, f_beta, closest_corner"
    )
    for name, what in (
        ("min-recall", "the fewest false positives with so much recall"),
        ("min-precision", "the most positives found with so much precision"),
        ("min-specificity", "the most positives found with so much specificity"),
        ("capacity", "no more rows predicted positive than so many"),
        ("max-positive-rate", "the same as a share of the rows"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, type=number, metavar="NUMBER", help=what)
    group.add_argument("--equal-error", action="store_true", help="equal error rates of both classes")
    group.add_argument(
        "--cost-tp", action=StoreOnce, type=number, metavar="NUMBER", help="beside --cost-fp, --cost-fn"
    )
    group.add_argument(
        "--cost-tn", action=StoreOnce, type=number, metavar="NUMBER", help="the same of true negatives"
    )
    group.add_argument("--calibrated", action="store_true", help="derive the threshold from the costs alone")
    more = parser.add_argument_group("how much of it is chance")
    more.add_argument(
        "--baseline", action=StoreOnce, type=number, metavar="NUMBER", help="another to show beside"
    )
    more.add_argument("--folds", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of a cross-fit")
    more.add_argument(
        "--replicates", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of a bootstrap"
    )
    more.add_argument("--seed", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of both")
    add_roles(parser, "actual", "score", "weight", "group", several=("score",))
    add_settings(parser)
    add_output(parser, "json")
    add_reading(parser)


def _threshold(arguments: argparse.Namespace) -> int:
    require_options(arguments, "actual", "score")
    if len(arguments.score) > 1:
        raise UsageError("--score is given twice: a threshold is chosen on the scores of one class.")
    stated: dict[str, Any] = {
        name: value
        for name in _CRITERIA
        if (value := getattr(arguments, name)) is not None and value is not False
    }
    for name in ("baseline", "folds", "replicates", "seed"):
        if getattr(arguments, name) is not None:
            stated[name] = getattr(arguments, name)
    if arguments.calibrated:
        stated["calibrated"] = True
    if stated.get("best") in ("f_beta", "fbeta", "f-beta") and arguments.beta is not None:
        stated["beta"] = arguments.beta
    costs = {name: getattr(arguments, name) for name in ("cost_fp", "cost_fn")}
    criteria = [name for name in _CRITERIA if name in stated and not name.startswith("cost")]
    if criteria or "cost_tp" in stated or "cost_tn" in stated or arguments.calibrated:
        stated |= {name: cost for name, cost in costs.items() if cost is not None}
    if not stated.keys() & {*_CRITERIA} and arguments.beta is None and set(costs.values()) == {None}:
        raise UsageError(
            "name a criterion for the threshold: --cost-fp and --cost-fn, --best f1, --min-recall ..."
        )
    chosen = evaluate_arguments(arguments).choose_threshold(**stated)
    deliver(
        arguments, as_json(chosen.to_dict()) if arguments.json else chosen.text(width=output_width(arguments))
    )
    return 0


EVALUATE = Command(
    "evaluate",
    "evaluate a model: every metric with its interval",
    "Evaluates predictions: every metric that fits the task, each with its interval. Rows are read from "
    "CSV, TSV,\nParquet, Arrow and JSON lines, compressed or not, from queries and from databases.",
    (
        "assay evaluate preds.csv --actual type --score p_spam --positive spam",
        "assay evaluate preds.parquet --actual y --score p --by region --report report.html",
        "assay evaluate 'shards/*.parquet' --actual y --predicted yhat --json --output figures.json",
        'assay evaluate preds.csv --actual type --score p_spam --positive spam --require "auc >= 0.5"',
        "assay evaluate tags.parquet --actual news,sport --predicted p_news,p_sport --by region",
        "cat preds.csv | assay evaluate - --actual type --predicted said --positive spam --like caret",
        "assay evaluate preds.parquet --actual y --score p --key id --name new --ledger --tag nightly",
        "assay evaluate judged.csv --actual human --predicted said --proxy judge",
        "assay evaluate --sql \"SELECT * FROM 'preds.parquet' WHERE p > 0.2\" --actual y --predicted yhat",
    ),
    _evaluate_options,
    _evaluate,
)
TALLY = Command(
    "tally",
    "evaluate rows and save the result in a small file",
    "Evaluates rows as evaluate does and writes the result, tallies and metrics, to one small file. Such "
    "files are\njoined by merge and shown by report: shards can be tallied anywhere.",
    (
        "assay tally preds.csv --actual type --score p_spam --positive spam --output preds.assay",
        "assay tally shards/1.parquet --actual y --predicted yhat --labels 0,1 --output first.assay",
    ),
    _tally_options,
    _tally,
)
THRESHOLD = Command(
    "threshold",
    "choose the threshold of a score",
    "Chooses the score from which rows are predicted positive, by one criterion, and compares it with "
    "another threshold.",
    (
        "assay threshold preds.csv --actual type --score p_spam --positive spam --cost-fp 5 --cost-fn 1",
        "assay threshold preds.parquet --actual y --score p --best f1 --folds 5",
        "assay threshold preds.parquet --actual y --score p --min-recall 0.9 --json",
    ),
    _threshold_options,
    _threshold,
)
