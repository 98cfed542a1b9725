"""``crossval``: how a model that is learnt from a file's rows will do on rows to come."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import label_words, need, origin, table
from assay.cli.options import (
    add_missing,
    add_output,
    add_paths,
    add_reading,
    add_requirements,
    listed,
    number,
    pairs,
    stretch,
    whole,
)
from assay.cli.output import as_json, deliver
from assay.cli.parser import Command, Misuse, Once, near
from assay.cli.requirements import demanded, exit_code, told
from assay.cli.split import moments

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from assay.cli.parser import Parser
    from assay.cli.requirements import Requirement
    from assay.engines import Source
    from assay.inputs import Column

__all__ = ["CROSSVAL"]

_KINDS = ("binary", "multiclass", "ordinal", "regression")
_ROLES = ("group", "time", "key", "weight")  # columns that are no features


def _literal(word: str) -> Any:
    """Return a value as Python writes it, or else the text itself."""
    import ast

    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def _options(parser: Parser) -> None:
    add_paths(parser)
    group = parser.add_argument_group("the model")
    group.add_argument("--target", action=Once, metavar="COLUMN", help="what is to be learnt")
    group.add_argument("--features", action=Once, type=listed, metavar="A,B", help="all others unless said")
    group.add_argument("--without", action=Once, type=listed, metavar="A,B", help="columns that are none")
    group.add_argument("--model", action=Once, metavar="MODULE:CLASS", help="with fit and predict")
    group.add_argument(
        "--set", action="append", type=pairs("NAME=VALUE", _literal), default=[], metavar="NAME=VALUE",
        help="what the model is made with",
    )  # fmt: skip
    group.add_argument("--task", action=Once, choices=_KINDS, help="where it cannot be inferred")
    group.add_argument("--positive", action=Once, metavar="LABEL", help="the positive label")
    add_missing(group)
    folds = parser.add_argument_group("the folds")
    how = folds.add_mutually_exclusive_group()
    how.add_argument("--folds", action=Once, type=whole, metavar="NUMBER", help="that test in turn (10)")
    how.add_argument("--bootstrap", action=Once, type=whole, metavar="NUMBER", help="replicates; .632+ too")
    folds.add_argument("--repeats", action=Once, type=whole, metavar="NUMBER", help="of all folds (1)")
    for name, what in (
        ("group", "rows that stay together"),
        ("time", "what is learnt from lies before what tests"),
        ("key", "which row it is, in whatever order rows come"),
        ("weight", "how much each row counts in figures"),
    ):
        folds.add_argument(f"--{name}", action=Once, metavar="COLUMN", help=what)
    folds.add_argument(
        "--gap", action=Once, type=stretch, metavar="TIME", help="left out between, as 7 or 12h"
    )
    folds.add_argument("--seed", action=Once, type=whole, metavar="NUMBER", help="of folds and models (0)")
    folds.add_argument("--jobs", action=Once, type=whole, metavar="NUMBER", help="folds at a time (1)")
    folds.add_argument("--processes", action="store_true", help="of their own for jobs, not threads")
    figures = parser.add_argument_group("the figures")
    figures.add_argument("--metrics", action=Once, type=listed, metavar="A,B", help="by default what suits")
    figures.add_argument(
        "--confidence", action=Once, type=number, metavar="NUMBER", help="of intervals (0.95)"
    )
    figures.add_argument(
        "--interval", action=Once, choices=("corrected", "nested", "ledell"), help="how they are made"
    )
    figures.add_argument("--name", action=Once, metavar="TEXT", help="what to call the model")
    figures.add_argument(
        "--keep", action=Once, metavar="FILE", help="the evaluation of all tests, for report"
    )
    add_requirements(parser)
    add_output(parser, "json")
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    from assay.crossvalidation.crossval import crossval
    from assay.evaluation import evaluate
    from assay.evaluation.storage import to_bytes

    need(arguments, "target", "model")
    demands = demanded(arguments)
    _check(arguments)
    _check_demands(arguments, demands)
    rows = origin(arguments)
    model = _model(arguments)
    names = _features(arguments, rows)
    roles = {role: column for role in _ROLES if (column := getattr(arguments, role))}
    found = table(arguments, rows, [*names, arguments.target, *roles.values()])
    found = _complete(found, arguments.missing)
    target = found[arguments.target]
    given: dict[str, Any] = {role: found[column] for role, column in roles.items()}
    if "time" in given:
        given["time"] = moments(given["time"])
    said = ("task", "metrics", "confidence", "interval", "name", "seed", "jobs")
    settings = {name: value for name in said if (value := getattr(arguments, name)) is not None}
    if arguments.positive is not None:
        settings |= label_words({"positive": arguments.positive}, as_text=bool(target.labels))
    result = crossval(
        model,
        _matrix([found[name] for name in names]),
        _plain(target),
        split=_splitter(arguments, target),
        processes=arguments.processes,
        **given,
        **settings,
    )
    code, failed = exit_code(demands, result)
    text = as_json(result.to_dict()) if arguments.json else str(result)
    deliver(
        arguments, text, {arguments.keep: lambda: to_bytes(evaluate(result.predictions, name=result.name))}
    )
    told(failed)
    return code


def _check(arguments: argparse.Namespace) -> None:
    if arguments.gap is not None and not arguments.time:
        raise Misuse("--gap is a stretch of time: say --time COLUMN as well.")
    if arguments.repeats is not None and (arguments.time or arguments.bootstrap):
        other = "--time" if arguments.time else "--bootstrap"
        raise Misuse(f"--repeats has no use with {other}: leave it out.")
    if arguments.bootstrap is not None and arguments.time:
        raise Misuse("--bootstrap and --time contradict each other: a bootstrap knows no order.")
    if arguments.features and arguments.without:
        raise Misuse("--features and --without both say what is learnt from: say one of them.")


def _check_demands(arguments: argparse.Namespace, demands: Sequence[Requirement]) -> None:
    """Raise where a figure is demanded that is not among those asked for: before models are fitted."""
    from assay.crossvalidation.fold_metrics import find_metric, metric_specs

    if arguments.metrics and demands:
        specs = metric_specs(arguments.metrics, None)
        for one in demands:
            find_metric(specs, one.figure)


def _splitter(arguments: argparse.Namespace, target: Column) -> Any:
    from assay.resampling import bootstrap, kfold, walk_forward

    seed = {} if arguments.seed is None else {"seed": arguments.seed}
    stratify = target.labels is not None or target.values.dtype.kind != "f"
    if arguments.time:
        gap = {} if arguments.gap is None else {"gap": arguments.gap}
        return walk_forward(5 if arguments.folds is None else arguments.folds, **gap)
    if arguments.bootstrap is not None:
        return bootstrap(arguments.bootstrap, stratify=stratify, **seed)
    more = {} if arguments.repeats is None else {"repeats": arguments.repeats}
    return kfold(10 if arguments.folds is None else arguments.folds, stratify=stratify, **more, **seed)


def _model(arguments: argparse.Namespace) -> Any:
    """Return the model that was named, made with what was set."""
    module_name, sign, name = arguments.model.partition(":")
    if not (module_name and sign and name):
        raise Misuse(f"--model {arguments.model!r} should be written as sklearn.tree:DecisionTreeClassifier.")
    with _own_modules():
        try:
            module = importlib.import_module(module_name)
        except ImportError as failed:
            raise Misuse(f"--model: the module {module_name} cannot be imported: {failed}.") from None
        made = getattr(module, name, None)
        if made is None:
            raise Misuse(f"--model: {module_name} has no {name}{near(name, dir(module)) or '.'}")
        if not callable(made):
            raise Misuse(f"--model: {module_name}:{name} is a {type(made).__name__}, which makes no model.")
        try:
            model = made(**dict(arguments.set))
        except (TypeError, ValueError) as refused:
            raise Misuse(f"--model: {name} cannot be made: {refused}.") from None
    return model


@contextlib.contextmanager
def _own_modules() -> Any:
    """Let modules of the current folder be found, after all that is installed: it may be anyone's."""
    folder = os.getcwd()  # noqa: PTH109 - as text
    sys.path.append(folder)
    try:
        yield
    finally:
        if folder in sys.path:  # the module itself may have changed it
            del sys.path[len(sys.path) - 1 - sys.path[::-1].index(folder)]


def _features(arguments: argparse.Namespace, rows: Source) -> list[str]:
    """Return the columns that are learnt from."""
    if arguments.features:
        if arguments.target in arguments.features:
            raise Misuse(f"--features names the target {arguments.target}: a model would know the answer.")
        return list(arguments.features)
    known = rows.columns()
    for name in arguments.without or ():
        if name not in known:
            raise Misuse(f"--without: there is no column {name}{near(name, known) or '.'}")
    roles = {arguments.target, *(getattr(arguments, role) for role in _ROLES), *(arguments.without or ())}
    found = [name for name in known if name not in roles]
    if not found:
        raise Misuse(f"{rows.name} has no column to learn from beside {arguments.target}.")
    return found


def _complete(found: dict[str, Column], missing: str | None) -> dict[str, Column]:
    """Return the columns of rows that lack no value, or raise where rows do."""
    import numpy as np

    masks = {name: mask for name, one in found.items() if (mask := one.absent()) is not None}
    if not masks:
        return found
    if missing != "drop":
        name = next(iter(masks))
        found[name].raise_missing(int(np.argmax(masks[name])))
    kept = np.flatnonzero(~np.logical_or.reduce(list(masks.values())))
    return {name: one.take(kept, kept) for name, one in found.items()}


def _plain(column: Column) -> Any:
    """Return a column as an array: numbers, or text."""
    import numpy as np

    return column.values if column.labels is None else np.array(column.labels)[column.values]


def _matrix(columns: Sequence[Column]) -> Any:
    """Return features as numbers: those that are, and 0 or 1 for each value of a column of text."""
    import numpy as np

    parts = []
    for one in columns:
        if one.labels is None:
            parts.append(one.values.astype(np.float64)[:, None])
        else:
            parts.append((one.values[:, None] == np.arange(len(one.labels))).astype(np.float64))
    return np.concatenate(parts, axis=1)


CROSSVAL = Command(
    "crossval",
    "cross-validate a model on a file's rows",
    "Fits a model to parts of the rows and tests it on the others: figures with intervals that allow for "
    "folds\nlearning from the same rows. Columns of text become a column of 0 and 1 per value of theirs.",
    (
        "assay crossval data.csv --target default --model sklearn.tree:DecisionTreeClassifier --without day",
        "assay crossval data.csv --target default --model sklearn.naive_bayes:GaussianNB --folds 5",
        "assay crossval data.csv --target age --model sklearn.tree:DecisionTreeRegressor --set max_depth=3",
    ),
    _options,
    _run,
)
