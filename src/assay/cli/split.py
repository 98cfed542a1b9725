"""``split``: the rows of a file in parts to learn from and to be judged by, as files or as a column."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.cli.inputs import origin, table
from assay.cli.options import add_output, add_paths, add_reading, number, stretch, whole
from assay.cli.output import as_json, files_read
from assay.cli.parser import Command, Misuse, Once
from assay.cli.printing import show
from assay.output_files import OutputFiles, check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.parser import Parser
    from assay.engines import Source
    from assay.inputs import Column
    from assay.inputs.columns import Array

__all__ = ["SPLIT", "moments"]

_FEW_CLASSES = 8  # that are counted beside each part
_PACKED = (".gz", ".zst", ".zstd")


class Layer(NamedTuple):
    """One way in which all rows are dealt out: a number per row, and what each number is called."""

    title: str
    names: tuple[str, ...]
    places: Array


def _parts(word: str) -> dict[str, float]:
    """Return named parts with their shares: ``train=0.5,test=0.5``."""
    found: dict[str, float] = {}
    for one in word.split(","):
        name, sign, share = one.partition("=")
        if not (name.strip() and sign):
            raise argparse.ArgumentTypeError(f"{word!r} should be written as train=0.75,test=0.25")
        if name.strip() in found:
            raise argparse.ArgumentTypeError(f"the part {name.strip()!r} is there twice")
        found[name.strip()] = number(share)
    return found


def _options(parser: Parser) -> None:
    add_paths(parser, "one file, or - for standard input")
    group = parser.add_argument_group("the parts")
    how = group.add_mutually_exclusive_group()
    how.add_argument(
        "--parts", action=Once, type=_parts, metavar="train=0.75,test=0.25", help="their names and shares"
    )
    how.add_argument("--folds", action=Once, type=whole, metavar="NUMBER", help="folds that test in turn")
    group.add_argument("--repeats", action=Once, type=whole, metavar="NUMBER", help="anew so many times")
    group.add_argument("--seed", action=Once, type=whole, metavar="NUMBER", help="of the parts (0)")
    for name, what in (
        ("stratify", "whose classes have their share in every part"),
        ("group", "rows that stay together: a patient, a user"),
        ("time", "what trains lies before what tests"),
        ("key", "which row it is, in whatever order rows come"),
    ):
        group.add_argument(f"--{name}", action=Once, metavar="COLUMN", help=what)
    group.add_argument("--bins", action=Once, type=whole, metavar="NUMBER", help="stratify by quantiles")
    group.add_argument(
        "--gap", action=Once, type=stretch, metavar="TIME", help="left out between, as 7 or 12h"
    )
    group.add_argument("--window", action=Once, type=stretch, metavar="TIME", help="how far back folds learn")
    where = parser.add_argument_group("where to")
    where.add_argument("--into", action=Once, metavar="FOLDER", help="beside the file unless said")
    where.add_argument("--column", action=Once, metavar="NAME", help="one file with this column more")
    add_output(parser, "json", output="where to, with --column")
    add_reading(parser, hive=False)


def _run(arguments: argparse.Namespace) -> int:
    from assay.engines.write_parts import deal, widen
    from assay.temporary_files import TemporaryFolder

    _check(arguments)
    with TemporaryFolder() as folder:
        rows = _as_file(origin(arguments), folder.path)
        if len(rows.parts) != 1:
            raise Misuse(
                f"split deals out one file, and {len(rows.parts):,} were named: --sql joins several."
            )
        stem, ending = _named(arguments, rows)
        folder_of = _folder(arguments, rows)
        if not arguments.output:
            first = arguments.column or (next(iter(arguments.parts)) if arguments.parts else "fold1")
            check_output(folder_of / f"{stem}-{first}{ending}")  # before rows are read, not after
        columns = [
            name for role in ("stratify", "group", "time", "key") if (name := getattr(arguments, role))
        ]
        found = table(arguments, rows, columns) if columns else _any_column(arguments, rows)
        layers = _dealt(arguments, found)
        how: dict[str, Any] = {"encoding": arguments.encoding or "utf-8", "packing": Path(ending).suffix}
        with OutputFiles(files_read(arguments)) as files:
            if arguments.column:
                target = (
                    Path(arguments.output)
                    if arguments.output
                    else folder_of / f"{stem}-{arguments.column}{ending}"
                )
                targets = [[str(target)] * len(layer.names) for layer in layers]
                how["packing"] = target.suffix
                place = files.place(target)
                with files.writing():
                    widen(rows, place, _columns(arguments.column, layers), **how)
            else:
                targets = [
                    [str(folder_of / f"{stem}-{layer.title}{name}{ending}") for name in layer.names]
                    for layer in layers
                ]
                dealt = [
                    (layer.places, [files.place(path) for path in paths])
                    for layer, paths in zip(layers, targets, strict=True)
                ]
                with files.writing():
                    deal(rows, dealt, **how)
    if not arguments.quiet:
        classes = found[arguments.stratify] if arguments.stratify and not arguments.bins else None
        told = _counted(layers, targets, classes)
        show(as_json({"parts": told}) if arguments.json else _drawn(told), json=arguments.json)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what contradicts itself."""
    if arguments.parts is None and arguments.folds is None:
        raise Misuse("say what to split into: --parts train=0.75,test=0.25 or --folds 10.")
    if arguments.output and not arguments.column:
        raise Misuse(
            "--output names one file, for --column: parts are written beside the file, or --into DIR."
        )
    if arguments.output and arguments.into:
        raise Misuse("--output and --into both say where to: say one of them.")
    if arguments.gap is not None and not arguments.time:
        raise Misuse("--gap is a stretch of time: say --time COLUMN as well.")
    if arguments.window is not None and not (arguments.time and arguments.folds):
        raise Misuse("--window is for --folds in the order of time: say both --folds and --time.")
    if arguments.bins is not None and not arguments.stratify:
        raise Misuse("--bins cuts what is stratified by: say --stratify COLUMN as well.")
    if arguments.time and arguments.stratify:
        raise Misuse("--stratify has no use with --time: parts follow each other, whatever their classes.")
    if arguments.time and arguments.repeats:
        raise Misuse("--repeats has no use with --time: there is but one order.")
    if arguments.into and not Path(arguments.into).is_dir():
        raise Misuse(f"there is no folder {arguments.into} to write --into: make it first.")
    for name in arguments.parts or ():
        if Path(name).name != name:
            raise Misuse(f"the part {name!r} names no file: leave out the slash.")


def _any_column(arguments: argparse.Namespace, rows: Source) -> dict[str, Column]:
    """Return a column by which the rows are counted: the first that holds no lists or bytes."""
    from assay.errors import ColumnError

    reasons = []
    for name in rows.columns():
        try:
            return table(arguments, rows, [name])
        except ColumnError as refused:
            reasons.append(str(refused))
    raise ColumnError(f"no column of {rows.name} can be counted. {' '.join(reasons[:1])}")


def _as_file(rows: Source, folder: Path) -> Source:
    """Return a query's result as a file, so that each reading of it gives the same rows."""
    from assay.engines.sources import Query
    from assay.engines.write_parts import stored

    return stored(rows, folder / "rows.parquet") if isinstance(rows.parts[0], Query) else rows


def _named(arguments: argparse.Namespace, rows: Source) -> tuple[str, str]:
    """Return what the parts' names begin and end with."""
    if arguments.sql or arguments.table:
        return (arguments.table or "rows"), ".parquet"
    from assay.engines.delimited import DelimitedFile
    from assay.engines.sources import JsonFile, ParquetFile
    from assay.engines.temporary_copies import is_stream, unpacked_suffix
    from assay.engines.write_parts import is_lines

    (part,) = rows.parts
    read = Path(str(getattr(part, "path", "")))  # the file itself, or a copy of what it holds
    if part.name == "standard input" or is_stream(part.name):
        kinds = {DelimitedFile: ".csv", JsonFile: ".jsonl", ParquetFile: ".parquet"}
        stem = "stdin" if part.name == "standard input" else "rows"
        return stem, kinds.get(type(part), ".arrow") + (read.suffix if read.suffix in _PACKED else "")
    path = Path(part.name)
    if unpacked_suffix(str(path)):
        keeps = path.suffix.lower() != ".zip" and is_lines(part)
        return Path(path.stem).stem, read.suffix + (path.suffix if keeps else "")
    packed = path.suffix if path.suffix in _PACKED else ""
    inner = Path(path.name.removesuffix(packed))
    return inner.stem, inner.suffix + packed


def _folder(arguments: argparse.Namespace, rows: Source) -> Path:
    if arguments.into:
        return Path(arguments.into)
    path = Path(rows.parts[0].name)
    alone = arguments.sql or arguments.table or not path.is_file()
    return Path() if alone else path.parent


def _dealt(arguments: argparse.Namespace, found: dict[str, Column]) -> list[Layer]:
    """Return the parts of all rows."""
    from assay.resampling import holdout, kfold, walk_forward

    n = len(next(iter(found.values())))
    seed = {} if arguments.seed is None else {"seed": arguments.seed}
    more: dict[str, Any] = {} if arguments.repeats is None else {"repeats": arguments.repeats}
    strata = {"stratify": bool(arguments.stratify), "bins": arguments.bins, **seed}
    given: dict[str, Any] = {"n": n}
    for role, name in (("y", "stratify"), ("group", "group"), ("key", "key")):
        if getattr(arguments, name):
            given[role] = found[getattr(arguments, name)]
    if arguments.time:
        given["time"] = moments(found[arguments.time])
        gap = {} if arguments.gap is None else {"gap": arguments.gap}
        if arguments.folds is not None:
            walked = walk_forward(arguments.folds, window=arguments.window, **gap).split(**given)
            return [Layer(f"fold{one.fold + 1}-", one.names, one.places) for one in walked]
        splits = holdout(arguments.parts, **gap, **seed).split(**given)
    elif arguments.folds is not None:
        return _folds(arguments.folds, kfold(arguments.folds, **more, **strata).split(**given), n)
    else:
        splits = holdout(arguments.parts, **more, **strata).split(**given)
    return [
        Layer(f"repeat{one.repeat + 1}-" if len(splits) > 1 else "", one.names, one.places) for one in splits
    ]


def _folds(k: int, splits: Any, n: int) -> list[Layer]:
    """Return for every repeat the fold that tests each row."""
    import numpy as np

    names = tuple(f"fold{fold + 1}" for fold in range(k))
    repeats = len(splits) // k
    layers = [
        Layer(f"repeat{repeat + 1}-" if repeats > 1 else "", names, np.zeros(n, dtype=np.uint32))
        for repeat in range(repeats)
    ]
    for one in splits:
        layers[one.repeat].places[one["test"]] = one.fold
    return layers


def moments(column: Column) -> Any:
    """Return a column as times: numbers as they are, text as the dates it holds."""
    import datetime as dt

    import numpy as np

    from assay.errors import ColumnError

    column.refuse_missing()
    if column.labels is None:
        return column.values
    found = []
    for label in column.labels:
        try:
            moment = dt.datetime.fromisoformat(str(label).strip())
        except ValueError:
            raise ColumnError(
                f'{column.name} holds "{label}", which is no date: write 2024-12-31 or 2024-12-31 23:59.'
            ) from None
        found.append(moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment)
    return np.array(found, dtype="datetime64[us]")[column.values]


def _columns(name: str, layers: Sequence[Layer]) -> dict[str, list[str]]:
    """Return the parts as columns of text."""
    import numpy as np

    from assay.resampling.split import UNUSED

    return {
        name if len(layers) == 1 else f"{name}_{place}": np.array([*layer.names, UNUSED])[
            layer.places
        ].tolist()
        for place, layer in enumerate(layers, 1)
    }


def _counted(
    layers: Sequence[Layer], targets: Sequence[Sequence[str]], classes: Column | None
) -> list[dict[str, Any]]:
    """Return how many rows every part has, altogether and of each class where these are few."""
    import numpy as np

    from assay.inputs import encode

    codes, labels = (None, ()) if classes is None else encode(classes)
    told = []
    for layer, files in zip(layers, targets, strict=True):
        for place, (name, file) in enumerate(zip(layer.names, files, strict=True)):
            mine = layer.places == place
            part: dict[str, Any] = {"part": f"{layer.title}{name}", "rows": int(np.count_nonzero(mine))}
            if codes is not None and len(labels) <= _FEW_CLASSES:
                counts = np.bincount(codes[mine], minlength=len(labels)).tolist()
                part["classes"] = {str(label): count for label, count in zip(labels, counts, strict=True)}
            told.append(part | {"file": file})
    return told


def _drawn(told: Sequence[dict[str, Any]]) -> str:
    """Return the parts as a table."""
    from assay.formatting.width import clean, left, right, short, width

    labels = list(told[0].get("classes", ()))
    lines = [["part", "rows", *labels, "file"]]
    lines += [
        [one["part"], f"{one['rows']:,}", *(f"{one['classes'][label]:,}" for label in labels), one["file"]]
        for one in told
    ]
    lines = [[short(cell) for cell in line[:-1]] + [clean(line[-1])] for line in lines]
    wide = [max(width(line[place]) for line in lines) for place in range(len(lines[0]))]
    return "\n".join(
        " " + "  ".join(
            cell if place == len(wide) - 1 else left(cell, wide[0]) if not place else right(cell, wide[place])
            for place, cell in enumerate(line)
        )
        for line in lines
    )  # fmt: skip


SPLIT = Command(
    "split",
    "part rows: train and test files, folds, or a column",
    "Parts the rows of a file at random, by groups or in the order of time, into files of the same format "
    "or by\na column more. The same seed gives the same parts on every machine.",
    (
        "assay split data.csv --stratify default --parts train=0.5,validate=0.25,test=0.25",
        "assay split data.csv --folds 5 --stratify default --seed 1 --column fold --output folds.csv",
        "assay split preds.parquet --parts train=0.8,test=0.2 --group region --into parts",
        "assay split data.csv --time day --parts past=0.7,future=0.3 --gap 2d",
    ),
    _options,
    _run,
)
