"""``compare``: compare models that are columns of one file, or have a file each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import (
    is_saved,
    open_source,
    parse_labels,
    read_table,
    require_options,
    role_columns,
    several_columns,
)
from assay.cli.options import (
    ROLES,
    add_labels,
    add_missing,
    add_output,
    add_paths,
    add_reading,
    add_requirements,
    add_roles,
    add_task,
    comma_list,
    metric_list,
    number,
    whole_number,
)
from assay.cli.output import as_json, deliver, output_width
from assay.cli.parser import Command, StoreOnce, UsageError
from assay.cli.requirements import exit_code, print_failures, read_requirements
from assay.hints import hint_style, python_style

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from assay.cli.parser import Parser
    from assay.comparison.compare import Comparison
    from assay.engines import Source
    from assay.evaluation.evaluation import Evaluation
    from assay.plans.requirement import Requirement
    from assay.plans.requirement_result import RequirementResult

__all__ = ["COMPARE"]

_SHARED = ("actual", "weight", "group", "query")  # roles that compared models have in common
_SETTINGS = ("task", "metrics", "confidence", "against", "margin", "detect", "test", "replicates", "seed")


def _options(parser: Parser) -> None:
    add_paths(parser, "one file whose columns are the models', or a file for each model")
    add_roles(parser, *ROLES, several=("score", "predicted"))
    group = parser.add_argument_group("the comparison")
    add_labels(group)
    add_task(group)
    add_missing(group)
    group.add_argument(
        "--metrics", action=StoreOnce, type=metric_list, metavar="A,B", help="by default what suits the task"
    )
    group.add_argument(
        "--model-names", action=StoreOnce, type=comma_list, metavar="A,B", help="names of the models"
    )
    group.add_argument("--unpaired", action="store_true", help="the models were evaluated on different rows")
    for name, what in (
        ("confidence", "of all intervals (0.95)"),
        ("margin", "a difference too small to matter"),
        ("detect", "a difference to detect: how many rows would that take?"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, type=number, metavar="NUMBER", help=what)
    group.add_argument(
        "--correction", action=StoreOnce, choices=("holm", "bh", "none"), help="of p-values (holm)"
    )
    group.add_argument("--against", action=StoreOnce, choices=("all", "first"), help="which pairs (all)")
    group.add_argument("--test", action="append", metavar="NAME", help="such as exact, wilcoxon, permutation")
    group.add_argument(
        "--replicates", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of resampling methods"
    )
    group.add_argument(
        "--seed", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of resampling methods"
    )
    add_requirements(parser)
    add_output(parser, "json", report=True)
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    requirements = read_requirements(arguments, baselines=True)  # refused before any row is read
    comparison, evaluations = _compared(arguments)
    results = _checked(arguments, comparison, evaluations, requirements) if requirements else []
    deliver(
        arguments,
        _render(arguments, comparison, results),
        {arguments.report: lambda: _page(comparison, evaluations)},
    )
    print_failures(results)
    return exit_code(results)


def _render(
    arguments: argparse.Namespace, comparison: Comparison, results: Sequence[RequirementResult]
) -> str:
    """Return a comparison, and requirements below it, as JSON or text."""
    if arguments.json:
        data = comparison.to_dict()
        if results:
            data["requirements"] = [result.to_dict() for result in results]
        return as_json(data)
    width = output_width(arguments)
    text = comparison.text(width=width)
    if not results:
        return text
    from assay.plans.check_result import requirement_table

    return "\n\n".join([text, "\n".join(requirement_table(results, width))])


def _checked(
    arguments: argparse.Namespace,
    comparison: Comparison,
    evaluations: list[Evaluation] | None,
    requirements: Sequence[Requirement],
) -> list[RequirementResult]:
    """Return which requirements the last model meets, against the others and by itself."""
    from assay.evaluation import evaluate
    from assay.plans.requirement_result import Candidate, check_requirements

    *others, name = comparison.names
    for requirement in requirements:
        requirement.check()
        if requirement.baseline and requirement.baseline not in others:
            raise UsageError(
                f'--require "{requirement.text}" names no model that {name}, the last one, is compared with: '
                f"these are {', '.join(others)}."
            )
    if evaluations is None:
        task = comparison.task
        evaluations = [
            evaluate(
                rows, task=None if task is None else task.name,
                threshold=task.threshold if task is not None and rows.predicted is None else None,
            )
            for rows in comparison.models.data
        ]  # fmt: skip
    *baselines, ev = evaluations
    candidate = Candidate(
        ev, dict(zip(others, baselines, strict=True)), name, paired=False if arguments.unpaired else None
    )

    def confidence(remaining: int) -> float:
        return 1 - (1 - comparison.confidence) / remaining

    return check_requirements(requirements, candidate.test, confidence, holm=arguments.correction != "none")


def _page(comparison: Comparison, evaluations: list[Evaluation] | None) -> str:
    """Return the interactive page, whose advice is for Python: it is read where no command runs."""
    from assay.reports.page.build import comparison_html

    with hint_style(python_style):
        return comparison_html(comparison, evaluations)


def _compared(arguments: argparse.Namespace) -> tuple[Comparison, list[Evaluation] | None]:
    """Return the comparison, and the evaluations where those were compared."""
    from assay.comparison.compare import compare

    options: dict[str, Any] = {name: v for name in _SETTINGS if (v := getattr(arguments, name)) is not None}
    if arguments.correction is not None:
        options["correction"] = None if arguments.correction == "none" else arguments.correction
    if arguments.unpaired:
        options["paired"] = False
    saved = [path for path in arguments.paths if is_saved(path)]
    if saved:  # what is no regular file cannot be inspected, and is taken for a saved evaluation, too
        saved = [path for path in arguments.paths if path in saved or not Path(path).is_file()]
        return _of_evaluations(arguments, saved, options)
    require_options(arguments, "actual")
    if not arguments.score and not arguments.predicted:
        raise UsageError("--score or --predicted is needed, once per model or per file.")
    if len(arguments.paths) > 1 and arguments.sql is None and arguments.table is None:
        return _of_files(arguments, options), None
    rows = open_source(arguments)
    for role in ("score", "predicted"):
        if len(getattr(arguments, role) or ("", "")) < 2:  # noqa: PLR2004 - two models
            raise UsageError(f"--{role} is given once: give it for each model, or name a file for each.")
    models = arguments.model_names or arguments.score or arguments.predicted
    _split_columns(arguments, rows)
    columns, numbers = role_columns(arguments)
    whole_table = read_table(arguments, rows, columns, numbers)
    differing: dict[str, Any] = {
        role: dict(zip(_named(models, columns), columns, strict=True))
        for role in ("score", "predicted")
        if (columns := getattr(arguments, role)) is not None
    }
    shared = {role: column for role in _SHARED if (column := getattr(arguments, role)) is not None}
    labels = parse_labels(arguments, rows, _first_column(whole_table, arguments.actual))
    missing = {"missing": arguments.missing} if arguments.missing else {}
    return compare(whole_table, **shared, **differing, **labels, **missing, **options), None


def _split_columns(arguments: argparse.Namespace, rows: Source) -> None:
    """Split the names of several columns at commas: those of actual values, and those of every model."""
    arguments.actual = several_columns(arguments.actual, rows)
    if isinstance(arguments.actual, list):
        for role in ("score", "predicted"):
            if (models := getattr(arguments, role)) is not None:
                setattr(arguments, role, [several_columns(word, rows) for word in models])


def _first_column(table: dict[str, Any], name: str | list[str]) -> Any:
    return table[name if isinstance(name, str) else name[0]]


def _columns(table: dict[str, Any], name: str | list[str]) -> Any:
    """Return a column by its name, or a list of columns by theirs."""
    return table[name] if isinstance(name, str) else [table[each] for each in name]


def _same_column(first: Any, second: Any) -> bool:
    import numpy as np

    if isinstance(first, list):
        return all(_same_column(left, right) for left, right in zip(first, second, strict=True))
    return bool(first.labels == second.labels and np.array_equal(first.values, second.values))


def _named(models: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
    if len(models) != len(columns):
        from assay.formatting.numbers import count_of

        raise UsageError(
            f"there are {count_of(len(columns), 'column')}, but {count_of(len(models), 'model')} "
            f"({', '.join(models)}): name as many."
        )
    if len(set(models)) < len(models):
        raise UsageError(f"two models have one name ({', '.join(models)}): give others with --model-names.")
    return models


def _of_files(arguments: argparse.Namespace, options: dict[str, Any]) -> Comparison:
    """Compare models that have a file each, whose rows may be the same."""
    from assay.comparison.compare import compare
    from assay.inputs import rows as gathered

    for role in ("score", "predicted"):
        if len(getattr(arguments, role) or ()) > 1:
            raise UsageError(
                f"--{role} is given twice, and there are several files: name one column of all files."
            )
    names = _named(arguments.model_names or _stems(arguments.paths), arguments.paths)
    origins = [open_source(arguments, [path]) for path in arguments.paths]
    _split_columns(arguments, origins[0])
    columns, numbers = role_columns(arguments)
    tables = [read_table(arguments, origin, columns, numbers) for origin in origins]
    shared = {role: column for role in _SHARED if (column := getattr(arguments, role)) is not None}
    differing = {
        role: column[0] for role in ("score", "predicted") if (column := getattr(arguments, role)) is not None
    }
    labels = parse_labels(arguments, origins[0], _first_column(tables[0], arguments.actual))
    missing = {"missing": arguments.missing} if arguments.missing else {}
    actual = [_columns(table, arguments.actual) for table in tables]
    same = all(_same_column(each, actual[0]) for each in actual)
    if same and not arguments.unpaired:
        # As columns of one table, so that a row with a missing value of one model is dropped for all.
        by_role: dict[str, Any] = {role: _columns(tables[0], column) for role, column in shared.items()}
        models: dict[str, Any] = {
            role: {name: _columns(table, column) for name, table in zip(names, tables, strict=True)}
            for role, column in differing.items()
        }
        return compare(**by_role, **models, **labels, **missing, **options)
    each = [gathered(table, **shared, **differing, **labels, **missing) for table in tables]
    return compare(*each, names=names, **options)


def _of_evaluations(
    arguments: argparse.Namespace, saved: list[str], options: dict[str, Any]
) -> tuple[Comparison, list[Evaluation]]:
    """Compare evaluations that tally saved."""
    from assay.comparison.compare import compare
    from assay.evaluation.storage import load

    if len(saved) < len(arguments.paths):
        other = next(path for path in arguments.paths if path not in saved)
        raise UsageError(f"{saved[0]} holds an evaluation, {other} does not: compare files of one kind.")
    idle = [role for role in (*ROLES, "labels", "positive", "task", "missing") if getattr(arguments, role)]
    if idle:
        raise UsageError(f"--{idle[0]} has no use here: saved evaluations have their columns. Leave it out.")
    names = _named(arguments.model_names or _stems(saved), saved)
    evaluations = [load(path) for path in saved]
    return compare(*evaluations, names=names, **options), evaluations


def _stems(paths: Sequence[str]) -> list[str]:
    """Return the names of files without endings, or whole paths where names are the same.

    Standard input and a pipe of the shell, ``<(...)``, have none: they are called by their position.
    """
    stems = [
        f"model {position}" if path.startswith(("-", "/dev/fd/")) else Path(path).name.partition(".")[0]
        for position, path in enumerate(paths, 1)
    ]
    return stems if len(set(stems)) == len(stems) else list(paths)


COMPARE = Command(
    "compare",
    "compare models: differences with intervals and p-values",
    "Compares two or more models on the same rows: differences with intervals and p-values, corrected for "
    'multiple testing. Requirements are about the last model: --require "auc no worse than OTHER by 0.01".',
    (
        "assay compare two.csv --actual y --score a --score b",
        "assay compare two.csv --actual y --predicted yhat_a --predicted yhat_b --metrics accuracy,kappa",
        "assay compare a.csv b.csv --actual y --score p --model-names old,new --json",
        "assay compare 1.assay 2.assay",
        "assay compare two.csv --actual y --score a --score b --report models.html",
        'assay compare two.csv --actual y --score a --score b --require "auc no worse than a by 0.2"',
    ),
    _options,
    _run,
)
