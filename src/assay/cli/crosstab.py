"""``crosstab``: the cross table of two columns of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.inputs import open_source, progress_bar, read_limits, require_options, with_labels
from assay.cli.options import (
    add_labels,
    add_missing,
    add_output,
    add_paths,
    add_reading,
    add_roles,
    whole_number,
)
from assay.cli.output import as_json, deliver
from assay.cli.parser import Command, StoreOnce, UsageError

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["CROSSTAB"]

_ADDED = ("expected", "residuals", "chisq", "fisher", "mcnemar", "percent", "ascii")
_MAX_LABELS = 1000  # of a table that is drawn: with more, the pairs that occur are listed
_MAX_PAIRS = 50  # that are listed
_REMOVED = ("contributions", "row_shares", "column_shares", "table_shares")


def _options(parser: Parser) -> None:
    add_paths(parser)
    add_roles(parser, "actual", "predicted", "weight")
    group = parser.add_argument_group("the table")
    add_labels(group)
    add_missing(group)
    group.add_argument(
        "--rows",
        action=StoreOnce,
        choices=("actual", "predicted"),
        help="what the rows of the table are (actual)",
    )
    for name, what in zip(
        _ADDED,
        (
            "expected counts", "residuals", "the chi-squared test", "Fisher's exact test", "McNemar's test",
            "shares as percentages", "lines of plain characters",
        ),
        strict=True,
    ):  # fmt: skip
        group.add_argument(f"--{name}", action="store_true", help=what)
    group.add_argument("--counts-only", action="store_true", help="no shares, no contributions")
    group.add_argument(
        "--digits", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of shares (3)"
    )
    add_output(parser, "json")
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    from assay.crosstable import CrossTable
    from assay.engines import scan
    from assay.formatting.numbers import count_of
    from assay.tallies import Confusion

    require_options(arguments, "actual", "predicted")
    if arguments.digits is not None and not 0 <= arguments.digits <= 15:  # noqa: PLR2004 - what a float64 holds
        raise UsageError(f"--digits {arguments.digits}: shares have from 0 to 15 digits.")
    if arguments.positive is not None:
        raise UsageError(
            "--positive has no use here: a table shows all labels alike. --labels says their order."
        )
    rows = open_source(arguments)
    options: dict[str, Any] = read_limits(arguments)
    for name in ("weight", "missing"):
        if getattr(arguments, name) is not None:
            options[name] = getattr(arguments, name)
    with progress_bar(arguments, rows) as progress:
        roles = {"actual": arguments.actual, "predicted": arguments.predicted}
        scanned = with_labels(
            arguments,
            rows,
            lambda read, labels: scan(
                read, **roles, tallies={"table": Confusion}, progress=progress, **labels, **options
            ),
        )
    tally: Any = scanned["table"]
    if len(tally.labels) > _MAX_LABELS:
        deliver(arguments, _cells(arguments, tally, scanned.dropped))
        return 0
    table = CrossTable.of(tally, rows=arguments.rows or "actual")
    if arguments.json:
        text = as_json(table.to_dict(full=not arguments.counts_only) | {"dropped": scanned.dropped})
    else:
        parts: dict[str, Any] = {name: True for name in _ADDED if getattr(arguments, name)}
        parts |= dict.fromkeys(_REMOVED, False) if arguments.counts_only else {}
        if arguments.digits is not None:
            parts["digits"] = arguments.digits
        text = table.text(**parts)
        if scanned.dropped and not arguments.quiet:
            left_out = count_of(scanned.dropped, "row was", "rows were")
            text += f"\n\n{left_out} left out for missing values."
    deliver(arguments, text)
    return 0


def _cells(arguments: argparse.Namespace, tally: Any, dropped: int) -> str:
    """List the pairs of labels that occur, where a full table would be too large."""
    unfit = [
        name for name in ("expected", "residuals", "chisq", "fisher", "mcnemar") if getattr(arguments, name)
    ]
    if unfit:
        raise UsageError(
            f"--{unfit[0]} needs a full table, and there are {len(tally.labels):,} labels: leave it out, or "
            "merge labels first."
        )
    actual, predicted = tally.digits()
    counts = tally.counts if tally.weights is None else tally.weight()
    order = counts.argsort(kind="stable")[::-1]
    pairs = [
        (tally.labels[actual[cell]], tally.labels[predicted[cell]], counts[cell].item())
        for cell in (order if arguments.json else order[actual[order] != predicted[order]][:_MAX_PAIRS])
    ]
    if arguments.json:
        cells = [{"actual": a, "predicted": p, "count": count} for a, p, count in pairs]
        shown = {"labels": len(tally.labels), "total": counts.sum().item(), "correct": tally.correct}
        return as_json({"cells": cells, **shown, "dropped": dropped})
    lines = [f"{count:>12,}  {a!r} predicted as {p!r}" for a, p, count in pairs]
    head = (
        f"{len(tally.labels):,} labels are too many for a table: {tally.n:,} rows, {tally.correct:,} of them "
        f"correct, {len(counts):,} pairs of labels that occur (--json lists them all)."
    )
    return "\n".join([head, f"The {len(lines)} most frequent errors:", *lines]) if lines else head


CROSSTAB = Command(
    "crosstab",
    "cross actual with predicted labels",
    "Counts pairs of actual and predicted labels, with shares and tests, as R's CrossTable prints them.",
    (
        "assay crosstab preds.csv --actual type --predicted said",
        "assay crosstab preds.csv --actual type --predicted said --counts-only --mcnemar",
        "assay crosstab 'shards/*.parquet' --actual y --predicted yhat --json",
    ),
    _options,
    _run,
)
