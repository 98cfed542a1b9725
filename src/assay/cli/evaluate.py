"""Judging one model: ``evaluate``, the same kept in a file by ``tally``, and ``threshold``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import need, origin, run_options, with_labels
from assay.cli.options import (
    ROLES,
    add_output,
    add_paths,
    add_reading,
    add_requirements,
    add_roles,
    add_settings,
    number,
    whole,
)
from assay.cli.output import as_json, deliver, files_read
from assay.cli.parser import Command, Misuse, Once
from assay.cli.printing import show
from assay.cli.requirements import demanded, exit_code, told
from assay.output_files import OutputFiles

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser
    from assay.evaluation import Evaluation

__all__ = ["EVALUATE", "TALLY", "THRESHOLD", "answered", "judged"]

_SETTINGS = (
    "missing", "task", "threshold", "confidence", "beta", "cost_fp", "cost_fn", "prevalence", "k", "empty",
    "name",
)  # fmt: skip
_CRITERIA = (
    "best", "min_recall", "min_precision", "min_specificity", "capacity", "max_positive_rate", "equal_error",
    "cost_tp", "cost_tn",
)  # fmt: skip
# What remarks advise, as it is typed; lines may be broken within, and stay about as long as they are.
_HINTS = (
    (
        r"ev\.choose_threshold\(cost_fp=\.\.\.,(\s+)cost_fn=\.\.\.\)",
        r"assay threshold with --cost-fp\1and --cost-fn",
    ),
    (r"ev\.text\(full=True\)", "--full"),
    (r'ev\.report\("report\.html"\)', "--report report.html"),
    (r"pass(\s+)threshold=,(\s+)or(\s+)ask(\s+)for(\s+)ev\.at\(threshold\)", r"say\1--threshold"),
    (r"ev\.confusion", "assay crosstab"),
    (r"ev\.classes", "--full"),
    (r"\bfolds=10(\s+)or", r"--folds 10\1or"),
    (r"\breplicates=200", "--replicates 200"),
)


def judged(arguments: argparse.Namespace) -> Evaluation:
    """Return the evaluation of the rows that were named."""
    from assay.evaluation import evaluate

    need(arguments, "actual")
    rows = origin(arguments)
    roles = {role: said for role in ROLES if (said := getattr(arguments, role, None)) is not None}
    if "score" in roles and len(roles["score"]) == 1:
        roles["score"] = roles["score"][0]
    settings = {name: said for name in _SETTINGS if (said := getattr(arguments, name, None)) is not None}
    if arguments.by:
        settings["by"] = arguments.by
    if arguments.edges:
        settings["edges"] = dict(arguments.edges)
    limits = run_options(arguments)
    return with_labels(
        arguments, rows, lambda read, labels: evaluate(read, **roles, **settings, **labels, **limits)
    )


def answered(arguments: argparse.Namespace, ev: Evaluation) -> int:
    """Say what an evaluation found in the form that is wanted, and return the exit code."""
    code, failed = exit_code(demanded(arguments), ev)
    page = getattr(arguments, "report", None)
    deliver(arguments, _text(arguments, ev), {page: lambda: _page(ev)})
    told(failed)
    return code


def _page(ev: Evaluation) -> str:
    from assay.reports.page.build import html_of

    return html_of([ev])


def _text(arguments: argparse.Namespace, ev: Evaluation) -> str:
    sliced = list(ev.slices.values()) if ev.settings.by else []
    if arguments.json:
        data = ev.to_dict(full=arguments.full)
        if sliced:
            data["slices"] = {" x ".join(one.columns): one.lines() for one in sliced}
        return as_json(data)
    if arguments.markdown:
        tables = [f"```\n{one}\n```" for one in sliced]
        return _in_shell("\n\n".join([ev.to_markdown(full=arguments.full).rstrip(), *tables]))
    from assay.formatting.width import terminal_width

    text = ev.text(width=terminal_width(), full=arguments.full, like=arguments.like)
    return _in_shell("\n\n".join([text, *map(str, sliced)]))


def _in_shell(text: str) -> str:
    """Return remarks that say what to call in Python in words that can be typed."""
    for python, shell in _HINTS:
        text = re.sub(python, shell, text)
    return text


def _evaluate_options(parser: Parser) -> None:
    add_paths(parser)
    add_roles(parser, *ROLES, several=("score",))
    add_settings(parser)
    add_requirements(parser)
    add_output(parser, "json", "markdown", "like", "full", report=True)
    add_reading(parser)


def _evaluate(arguments: argparse.Namespace) -> int:
    demanded(arguments)  # what cannot be read is said before anything is
    return answered(arguments, judged(arguments))


def _tally_options(parser: Parser) -> None:
    add_paths(parser)
    add_roles(parser, *ROLES, several=("score",))
    add_settings(parser)
    add_output(parser, output="the file to write (needed)")
    add_reading(parser)


def _tally(arguments: argparse.Namespace) -> int:
    need(arguments, "output")
    ev = judged(arguments)
    target, arguments.output = arguments.output, None
    kept(arguments, ev, target)
    return 0


def kept(arguments: argparse.Namespace, ev: Evaluation, target: str) -> None:
    """Write an evaluation to a file, and say so."""
    from assay.evaluation.storage import to_bytes

    with OutputFiles(files_read(arguments)) as files:
        files.write(target, to_bytes(ev))
    if not arguments.quiet:
        show(f"{target}: {ev.task.title.lower()}, {ev.n:,} rows")


def _threshold_options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("what the threshold is to be best for (one of them)")
    group.add_argument("--best", action=Once, metavar="METRIC", help="as f1, youden, f_beta, closest_corner")
    for name, what in (
        ("min-recall", "the fewest false positives with so much recall"),
        ("min-precision", "the most positives found with so much precision"),
        ("min-specificity", "the most positives found with so much specificity"),
        ("capacity", "no more rows predicted positive than so many"),
        ("max-positive-rate", "the same as a share of the rows"),
    ):
        group.add_argument(f"--{name}", action=Once, type=number, metavar="NUMBER", help=what)
    group.add_argument("--equal-error", action="store_true", help="both classes err alike")
    group.add_argument(
        "--cost-tp", action=Once, type=number, metavar="NUMBER", help="beside --cost-fp, --cost-fn"
    )
    group.add_argument(
        "--cost-tn", action=Once, type=number, metavar="NUMBER", help="the same of true negatives"
    )
    group.add_argument("--calibrated", action="store_true", help="let the costs alone say the threshold")
    more = parser.add_argument_group("and how much of it is luck")
    more.add_argument("--baseline", action=Once, type=number, metavar="NUMBER", help="another to show beside")
    more.add_argument("--folds", action=Once, type=whole, metavar="NUMBER", help="cross-fit over so many")
    more.add_argument("--replicates", action=Once, type=whole, metavar="NUMBER", help="of a bootstrap")
    more.add_argument("--seed", action=Once, type=whole, metavar="NUMBER", help="of both")
    add_roles(parser, "actual", "score", "weight", "group", several=("score",))
    add_settings(parser)
    add_output(parser, "json")
    add_reading(parser)


def _threshold(arguments: argparse.Namespace) -> int:
    need(arguments, "actual", "score")
    if len(arguments.score) > 1:
        raise Misuse("--score is said twice: a threshold is chosen on the scores of one class.")
    stated: dict[str, Any] = {
        name: said
        for name in _CRITERIA
        if (said := getattr(arguments, name)) is not None and said is not False
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
        raise Misuse(
            "say what the threshold is to be best for: --cost-fp and --cost-fn, --best f1, --min-recall ..."
        )
    chosen = judged(arguments).choose_threshold(**stated)
    deliver(arguments, as_json(chosen.to_dict()) if arguments.json else _in_shell(str(chosen)))
    return 0


EVALUATE = Command(
    "evaluate",
    "judge a model: every figure with its interval",
    "Judges predictions: every figure that fits the problem, each with its interval. Rows are read from "
    "CSV, TSV,\nParquet, Arrow and JSON lines, compressed or not, from queries and from databases.",
    (
        "assay evaluate preds.csv --actual type --score p_spam --positive spam",
        "assay evaluate preds.parquet --actual y --score p --by region --report report.html",
        "assay evaluate 'shards/*.parquet' --actual y --predicted yhat --json --output figures.json",
        'assay evaluate preds.csv --actual type --score p_spam --positive spam --require "auc >= 0.5"',
        "cat preds.csv | assay evaluate - --actual type --predicted said --positive spam --like caret",
        "assay evaluate --sql \"SELECT * FROM 'preds.parquet' WHERE p > 0.2\" --actual y --predicted yhat",
    ),
    _evaluate_options,
    _evaluate,
)
TALLY = Command(
    "tally",
    "judge rows and keep what was found in a small file",
    "Judges rows as evaluate does and writes what was found, tallies and figures, to one small file. Such "
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
    "Chooses at which score to say yes, for one criterion, and shows what comes of it beside another "
    "threshold.",
    (
        "assay threshold preds.csv --actual type --score p_spam --positive spam --cost-fp 5 --cost-fn 1",
        "assay threshold preds.parquet --actual y --score p --best f1 --folds 5",
        "assay threshold preds.parquet --actual y --score p --min-recall 0.9 --json",
    ),
    _threshold_options,
    _threshold,
)
