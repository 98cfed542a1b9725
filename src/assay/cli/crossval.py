"""``crossval``: cross-validate a model on the rows of a file, to estimate how it does on unseen data."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import (
    column_list,
    labels_from_words,
    open_source,
    read_table,
    require_options,
    several_columns,
)
from assay.cli.options import (
    add_labels,
    add_missing,
    add_output,
    add_paths,
    add_reading,
    add_requirements,
    add_task,
    comma_list,
    duration,
    metric_list,
    name_and_value,
    number,
    whole_number,
)
from assay.cli.output import as_json, deliver, output_width
from assay.cli.parser import Command, StoreOnce, UsageError, suggestion
from assay.cli.requirements import check_requirements, exit_code, print_failures, read_requirements
from assay.cli.split import as_times
from assay.hints import hint_style, python_style

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from assay.cli.parser import Parser
    from assay.crossvalidation.crossvalidation import CrossValidation
    from assay.engines import Source
    from assay.inputs import Column
    from assay.plans.requirement import Requirement, Verdict

__all__ = ["CROSSVAL"]

_KINDS = ("binary", "multiclass", "ordinal", "multilabel", "regression", "multioutput")
_ROLES = ("group", "time", "key", "weight")  # columns that are no features


def _literal(word: str) -> Any:
    """Return a Python literal as its value, and anything else as text."""
    import ast

    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def _options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("the model")
    group.add_argument(
        "--target",
        action=StoreOnce,
        metavar="COLUMN",
        help="what is predicted; several labels or outputs as A,B,C",
    )
    group.add_argument(
        "--features", action=StoreOnce, type=comma_list, metavar="A,B", help="by default all other columns"
    )
    group.add_argument(
        "--without", action=StoreOnce, type=comma_list, metavar="A,B", help="columns that are no features"
    )
    group.add_argument("--model", action=StoreOnce, metavar="MODULE:CLASS", help="with fit and predict")
    group.add_argument(
        "--set", action="append", type=name_and_value("NAME=VALUE", _literal), default=[],
        metavar="NAME=VALUE", help="a parameter of the model",
    )  # fmt: skip
    add_labels(group)
    add_task(group, _KINDS)
    add_missing(group)
    folds = parser.add_argument_group("the folds")
    how = folds.add_mutually_exclusive_group()
    how.add_argument(
        "--folds", action=StoreOnce, type=whole_number, metavar="NUMBER", help="that test in turn (10)"
    )
    how.add_argument(
        "--bootstrap", action=StoreOnce, type=whole_number, metavar="NUMBER", help="replicates; .632+ too"
    )
    folds.add_argument(
        "--repeats", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of all folds (1)"
    )
    for name, what in (
        ("group", "rows that stay together"),
        ("time", "train on earlier rows, test on later ones"),
        ("key", "identifies a row, whatever the order of rows"),
        ("weight", "how much each row counts in metrics"),
    ):
        folds.add_argument(f"--{name}", action=StoreOnce, metavar="COLUMN", help=what)
    folds.add_argument(
        "--gap",
        action=StoreOnce,
        type=duration,
        metavar="TIME",
        help="left out between training and test rows, as 7 or 12h",
    )
    folds.add_argument(
        "--seed", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of folds and models (0)"
    )
    folds.add_argument(
        "--jobs",
        action=StoreOnce,
        type=whole_number,
        metavar="NUMBER",
        help="folds that are fitted at the same time (1)",
    )
    folds.add_argument("--processes", action="store_true", help="run jobs in processes, not threads")
    metrics = parser.add_argument_group("the metrics")
    metrics.add_argument(
        "--metrics", action=StoreOnce, type=metric_list, metavar="A,B", help="by default what suits the task"
    )
    metrics.add_argument(
        "--confidence", action=StoreOnce, type=number, metavar="NUMBER", help="of intervals (0.95)"
    )
    metrics.add_argument(
        "--interval",
        action=StoreOnce,
        choices=("corrected", "nested", "ledell"),
        help="how intervals are computed",
    )
    metrics.add_argument("--name", action=StoreOnce, metavar="TEXT", help="name of the model in reports")
    metrics.add_argument(
        "--keep", action=StoreOnce, metavar="FILE", help="save the evaluation of all test rows, for report"
    )
    add_requirements(parser)
    add_output(parser, "json")
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    from assay.crossvalidation.crossval import crossval
    from assay.evaluation import evaluate
    from assay.evaluation.storage import to_bytes

    require_options(arguments, "target", "model")
    requirements = read_requirements(arguments)
    _check(arguments)
    _check_requirements(arguments, requirements)
    rows = open_source(arguments)
    model = _model(arguments)
    targets = column_list(several_columns(arguments.target, rows))
    names = _features(arguments, rows, targets)
    roles = {role: column for role in _ROLES if (column := getattr(arguments, role))}
    table = read_table(arguments, rows, [*names, *targets, *roles.values()])
    table = _complete(table, arguments.missing)
    target = [table[name] for name in targets]
    by_role: dict[str, Any] = {role: table[column] for role, column in roles.items()}
    if "time" in by_role:
        by_role["time"] = as_times(by_role["time"])
    setting_names = ("task", "metrics", "confidence", "interval", "name", "seed", "jobs")
    settings = {name: value for name in setting_names if (value := getattr(arguments, name)) is not None}
    words = {"positive": arguments.positive, "labels": arguments.labels}
    settings |= labels_from_words(words, as_text=bool(target[0].labels) or len(target) > 1)
    result = crossval(
        model,
        _matrix([table[name] for name in names]),
        _plain(target[0]) if len(target) == 1 else _table(target),
        split=_splitter(arguments, target),
        processes=arguments.processes,
        **by_role,
        **settings,
    )
    verdicts = check_requirements(requirements, result)
    text = _data(result, verdicts) if arguments.json else result.text(width=output_width(arguments))
    deliver(
        arguments, text, {arguments.keep: lambda: to_bytes(evaluate(result.predictions, name=result.name))}
    )
    print_failures(verdicts)
    return exit_code(verdicts)


def _data(result: CrossValidation, verdicts: Sequence[Verdict]) -> str:
    """Return the data that Python's to_dict has as JSON, with the verdicts on requirements beside."""
    with hint_style(python_style):
        data = result.to_dict()
    return as_json(data | ({"requirements": [verdict.to_dict() for verdict in verdicts]} if verdicts else {}))


def _check(arguments: argparse.Namespace) -> None:
    if arguments.gap is not None and not arguments.time:
        raise UsageError("--gap needs a column of times: add --time COLUMN.")
    if arguments.repeats is not None and (arguments.time or arguments.bootstrap):
        other = "--time" if arguments.time else "--bootstrap"
        raise UsageError(f"--repeats has no use with {other}: leave it out.")
    if arguments.bootstrap is not None and arguments.time:
        raise UsageError("--bootstrap and --time contradict each other: a bootstrap knows no order.")
    if arguments.features and arguments.without:
        raise UsageError("--features and --without both choose the features: use one of them.")


def _check_requirements(arguments: argparse.Namespace, requirements: Sequence[Requirement]) -> None:
    """Raise where a required metric is not among those asked for: before models are fitted."""
    from assay.crossvalidation.fold_metrics import find_metric, metric_specs

    if arguments.metrics and requirements:
        specs = metric_specs(arguments.metrics, None)
        for requirement in requirements:
            find_metric(specs, requirement.name)


def _splitter(arguments: argparse.Namespace, target: Sequence[Column]) -> Any:
    from assay.resampling import bootstrap, kfold, walk_forward

    seed = {} if arguments.seed is None else {"seed": arguments.seed}
    single = target[0] if len(target) == 1 else None  # several columns have no classes to keep even
    stratify = single is not None and (single.labels is not None or single.values.dtype.kind != "f")
    if arguments.time:
        gap = {} if arguments.gap is None else {"gap": arguments.gap}
        return walk_forward(5 if arguments.folds is None else arguments.folds, **gap)
    if arguments.bootstrap is not None:
        return bootstrap(arguments.bootstrap, stratify=stratify, **seed)
    more = {} if arguments.repeats is None else {"repeats": arguments.repeats}
    return kfold(10 if arguments.folds is None else arguments.folds, stratify=stratify, **more, **seed)


def _model(arguments: argparse.Namespace) -> Any:
    """Import the model that --model names, and construct it with the parameters of --set."""
    module_name, sign, name = arguments.model.partition(":")
    if not (module_name and sign and name):
        raise UsageError(
            f"--model {arguments.model!r} should be written as sklearn.tree:DecisionTreeClassifier."
        )
    with _own_modules():
        try:
            module = importlib.import_module(module_name)
        except ImportError as failed:
            raise UsageError(f"--model: the module {module_name} cannot be imported: {failed}.") from None
        made = getattr(module, name, None)
        if made is None:
            raise UsageError(f"--model: {module_name} has no {name}{suggestion(name, dir(module)) or '.'}")
        if not callable(made):
            raise UsageError(
                f"--model: {module_name}:{name} is a {type(made).__name__}, which makes no model."
            )
        try:
            model = made(**dict(arguments.set))
        except (TypeError, ValueError) as refused:
            raise UsageError(f"--model: {name} cannot be made: {refused}.") from None
    return model


@contextlib.contextmanager
def _own_modules() -> Any:
    """Make modules of the current folder importable, after all installed ones, which nothing may shadow."""
    folder = os.getcwd()  # noqa: PTH109 - as text
    sys.path.append(folder)
    try:
        yield
    finally:
        if folder in sys.path:  # the module itself may have changed it
            del sys.path[len(sys.path) - 1 - sys.path[::-1].index(folder)]


def _features(arguments: argparse.Namespace, rows: Source, targets: Sequence[str]) -> list[str]:
    """Return the names of the columns that are features."""
    if arguments.features:
        for target in targets:
            if target in arguments.features:
                raise UsageError(f"--features names the target {target}: a model would know the answer.")
        return list(arguments.features)
    known = rows.columns()
    for name in arguments.without or ():
        if name not in known:
            raise UsageError(f"--without: there is no column {name}{suggestion(name, known) or '.'}")
    roles = {*targets, *(getattr(arguments, role) for role in _ROLES), *(arguments.without or ())}
    features = [name for name in known if name not in roles]
    if not features:
        raise UsageError(f"{rows.name} has no column for a feature beside {arguments.target}.")
    return features


def _complete(columns: dict[str, Column], missing: str | None) -> dict[str, Column]:
    """Drop rows with a missing value where --missing drop is set, and raise for them otherwise."""
    import numpy as np

    masks = {name: mask for name, column in columns.items() if (mask := column.absent()) is not None}
    if not masks:
        return columns
    if missing != "drop":
        name = next(iter(masks))
        columns[name].raise_missing(int(np.argmax(masks[name])))
    complete = np.flatnonzero(~np.logical_or.reduce(list(masks.values())))
    return {name: column.take(complete, complete) for name, column in columns.items()}


def _plain(column: Column) -> Any:
    """Return a column as an array: numbers, or text."""
    import numpy as np

    return column.values if column.labels is None else np.array(column.labels)[column.values]


def _table(columns: Sequence[Column]) -> Any:
    """Return the columns of a target, labels or outputs, side by side."""
    import numpy as np

    return np.stack([column.plain_numbers("numbers, or 0 and 1,") for column in columns], axis=1)


def _matrix(columns: Sequence[Column]) -> Any:
    """Return features as numbers: those that are, and 0 or 1 for each value of a column of text."""
    import numpy as np

    parts = []
    for column in columns:
        if column.labels is None:
            parts.append(column.values.astype(np.float64)[:, None])
        else:
            parts.append((column.values[:, None] == np.arange(len(column.labels))).astype(np.float64))
    return np.concatenate(parts, axis=1)


CROSSVAL = Command(
    "crossval",
    "cross-validate a model on a file's rows",
    "Fits a model to parts of the rows and tests it on the others: metrics with intervals that account for "
    "folds\ntraining on the same rows. A column of text becomes a column of 0 and 1 for each of its values.",
    (
        "assay crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier",
        "assay crossval data.csv --target default --task multiclass --model sklearn.naive_bayes:GaussianNB",
        "assay crossval data.csv --target age --model sklearn.tree:DecisionTreeRegressor --set max_depth=3",
    ),
    _options,
    _run,
)
