"""``split``: divide the rows of a file into training and test parts, as files or as a column."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.cli.inputs import open_source, read_table
from assay.cli.options import add_output, add_paths, add_reading, duration, number, whole_number
from assay.cli.output import as_json, files_read, print_output
from assay.cli.parser import Command, StoreOnce, UsageError
from assay.output_files import OutputFiles, check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.parser import Parser
    from assay.engines import Source
    from assay.inputs import Column
    from assay.inputs.columns import Array

__all__ = ["SPLIT", "as_times"]

_MAX_CLASSES_COUNTED = 8  # for each part
_PACKED = (".gz", ".zst", ".zstd")


class Layer(NamedTuple):
    """One assignment of all rows to parts: the index of a part per row, and the names of the parts."""

    title: str
    names: tuple[str, ...]
    indices: Array


def _parts(word: str) -> dict[str, float]:
    """Parse named parts with their shares: ``train=0.5,test=0.5``."""
    parts: dict[str, float] = {}
    for part in word.split(","):
        name, sign, share = part.partition("=")
        if not (name.strip() and sign):
            raise argparse.ArgumentTypeError(f"{word!r} should be written as train=0.75,test=0.25")
        if name.strip() in parts:
            raise argparse.ArgumentTypeError(f"the part {name.strip()!r} is there twice")
        parts[name.strip()] = number(share)
    return parts


def _options(parser: Parser) -> None:
    add_paths(parser, "one file, or - for standard input")
    group = parser.add_argument_group("the parts")
    how = group.add_mutually_exclusive_group()
    how.add_argument(
        "--parts",
        action=StoreOnce,
        type=_parts,
        metavar="train=0.75,test=0.25",
        help="their names and shares",
    )
    how.add_argument(
        "--folds", action=StoreOnce, type=whole_number, metavar="NUMBER", help="folds that test in turn"
    )
    group.add_argument(
        "--repeats", action=StoreOnce, type=whole_number, metavar="NUMBER", help="split so many times"
    )
    group.add_argument(
        "--seed", action=StoreOnce, type=whole_number, metavar="NUMBER", help="of the parts (0)"
    )
    for name, what in (
        ("stratify", "keep the shares of its classes in every part"),
        ("group", "rows that stay together, as those of a patient"),
        ("time", "train on earlier rows, test on later ones"),
        ("key", "identifies a row, whatever the order of rows"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, metavar="COLUMN", help=what)
    group.add_argument(
        "--bins", action=StoreOnce, type=whole_number, metavar="NUMBER", help="stratify by quantiles"
    )
    group.add_argument(
        "--gap", action=StoreOnce, type=duration, metavar="TIME", help="left out between parts, as 7 or 12h"
    )
    group.add_argument(
        "--window", action=StoreOnce, type=duration, metavar="TIME", help="how far back training rows go"
    )
    where = parser.add_argument_group("files to write")
    where.add_argument("--into", action=StoreOnce, metavar="FOLDER", help="by default beside the file")
    where.add_argument(
        "--column", action=StoreOnce, metavar="NAME", help="write one file with this added column"
    )
    add_output(parser, "json", output="where to, with --column")
    add_reading(parser, hive=False)


def _run(arguments: argparse.Namespace) -> int:
    from assay.engines.write_parts import deal, widen
    from assay.temporary_files import TemporaryFolder

    _check(arguments)
    with TemporaryFolder() as folder:
        rows = _as_file(open_source(arguments), folder.path)
        if len(rows.parts) != 1:
            raise UsageError(
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
        table = read_table(arguments, rows, columns) if columns else _any_column(arguments, rows)
        layers = _assign(arguments, table)
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
                destination = files.place(target)
                with files.writing():
                    widen(rows, destination, _columns(arguments.column, layers), **how)
            else:
                targets = [
                    [str(folder_of / f"{stem}-{layer.title}{name}{ending}") for name in layer.names]
                    for layer in layers
                ]
                dealt = [
                    (layer.indices, [files.place(path) for path in paths])
                    for layer, paths in zip(layers, targets, strict=True)
                ]
                with files.writing():
                    deal(rows, dealt, **how)
    if not arguments.quiet:
        classes = table[arguments.stratify] if arguments.stratify and not arguments.bins else None
        counts = _count(layers, targets, classes)
        print_output(as_json({"parts": counts}) if arguments.json else _as_table(counts), json=arguments.json)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Raise for options that contradict each other."""
    if arguments.parts is None and arguments.folds is None:
        raise UsageError("name the parts: --parts train=0.75,test=0.25 or --folds 10.")
    if arguments.output and not arguments.column:
        raise UsageError(
            "--output names one file, for --column: parts are written beside the file, or --into DIR."
        )
    if arguments.output and arguments.into:
        raise UsageError("--output and --into both name where to write: use one of them.")
    if arguments.gap is not None and not arguments.time:
        raise UsageError("--gap needs a column of times: add --time COLUMN.")
    if arguments.window is not None and not (arguments.time and arguments.folds):
        raise UsageError("--window is for folds in the order of time: add both --folds and --time.")
    if arguments.bins is not None and not arguments.stratify:
        raise UsageError("--bins cuts the column of --stratify: add --stratify COLUMN.")
    if arguments.time and arguments.stratify:
        raise UsageError(
            "--stratify has no use with --time: parts follow each other, whatever their classes."
        )
    if arguments.time and arguments.repeats:
        raise UsageError("--repeats has no use with --time: there is only one order.")
    if arguments.into and not Path(arguments.into).is_dir():
        raise UsageError(f"there is no folder {arguments.into} to write --into: make it first.")
    for name in arguments.parts or ():
        if Path(name).name != name:
            raise UsageError(f"the part {name!r} names no file: leave out the slash.")


def _any_column(arguments: argparse.Namespace, rows: Source) -> dict[str, Column]:
    """Read a column to count the rows by: the first that holds no lists or bytes."""
    from assay.errors import ColumnError

    reasons = []
    for name in rows.columns():
        try:
            return read_table(arguments, rows, [name])
        except ColumnError as refused:
            reasons.append(str(refused))
    raise ColumnError(f"no column of {rows.name} can be counted. {' '.join(reasons[:1])}")


def _as_file(rows: Source, folder: Path) -> Source:
    """Return a query's result as a file, so that each reading of it gives the same rows."""
    from assay.engines.sources import Query
    from assay.engines.write_parts import stored

    return stored(rows, folder / "rows.parquet") if isinstance(rows.parts[0], Query) else rows


def _named(arguments: argparse.Namespace, rows: Source) -> tuple[str, str]:
    """Return what the names of the written files begin and end with."""
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


def _assign(arguments: argparse.Namespace, columns: dict[str, Column]) -> list[Layer]:
    """Assign every row to a part."""
    from assay.resampling import holdout, kfold, walk_forward

    n = len(next(iter(columns.values())))
    seed = {} if arguments.seed is None else {"seed": arguments.seed}
    more: dict[str, Any] = {} if arguments.repeats is None else {"repeats": arguments.repeats}
    strata = {"stratify": bool(arguments.stratify), "bins": arguments.bins, **seed}
    inputs: dict[str, Any] = {"n": n}
    for role, name in (("y", "stratify"), ("group", "group"), ("key", "key")):
        if getattr(arguments, name):
            inputs[role] = columns[getattr(arguments, name)]
    if arguments.time:
        inputs["time"] = as_times(columns[arguments.time])
        gap = {} if arguments.gap is None else {"gap": arguments.gap}
        if arguments.folds is not None:
            walked = walk_forward(arguments.folds, window=arguments.window, **gap).split(**inputs)
            return [Layer(f"fold{split.fold + 1}-", split.names, split.places) for split in walked]
        splits = holdout(arguments.parts, **gap, **seed).split(**inputs)
    elif arguments.folds is not None:
        return _folds(arguments.folds, kfold(arguments.folds, **more, **strata).split(**inputs), n)
    else:
        splits = holdout(arguments.parts, **more, **strata).split(**inputs)
    return [
        Layer(f"repeat{split.repeat + 1}-" if len(splits) > 1 else "", split.names, split.places)
        for split in splits
    ]


def _folds(k: int, splits: Any, n: int) -> list[Layer]:
    """Return, for every repeat, the fold in which each row is tested."""
    import numpy as np

    names = tuple(f"fold{fold + 1}" for fold in range(k))
    repeats = len(splits) // k
    layers = [
        Layer(f"repeat{repeat + 1}-" if repeats > 1 else "", names, np.zeros(n, dtype=np.uint32))
        for repeat in range(repeats)
    ]
    for split in splits:
        layers[split.repeat].indices[split["test"]] = split.fold
    return layers


def as_times(column: Column) -> Any:
    """Convert a column to times: numbers as they are, text as dates."""
    import datetime as dt

    import numpy as np

    from assay.errors import ColumnError

    column.refuse_missing()
    if column.labels is None:
        return column.values
    moments = []
    for label in column.labels:
        try:
            moment = dt.datetime.fromisoformat(str(label).strip())
        except ValueError:
            raise ColumnError(
                f'{column.name} holds "{label}", which is no date: write 2024-12-31 or 2024-12-31 23:59.'
            ) from None
        moments.append(moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment)
    return np.array(moments, dtype="datetime64[us]")[column.values]


def _columns(name: str, layers: Sequence[Layer]) -> dict[str, list[str]]:
    """Return the parts as columns of text."""
    import numpy as np

    from assay.resampling.split import UNUSED

    return {
        name if len(layers) == 1 else f"{name}_{number}": np.array([*layer.names, UNUSED])[
            layer.indices
        ].tolist()
        for number, layer in enumerate(layers, 1)
    }


def _count(
    layers: Sequence[Layer], targets: Sequence[Sequence[str]], classes: Column | None
) -> list[dict[str, Any]]:
    """Count the rows of every part, in all and of each class where classes are few."""
    import numpy as np

    from assay.inputs import encode

    codes, labels = (None, ()) if classes is None else encode(classes)
    parts = []
    for layer, files in zip(layers, targets, strict=True):
        for index, (name, file) in enumerate(zip(layer.names, files, strict=True)):
            in_part = layer.indices == index
            part: dict[str, Any] = {"part": f"{layer.title}{name}", "rows": int(np.count_nonzero(in_part))}
            if codes is not None and len(labels) <= _MAX_CLASSES_COUNTED:
                counts = np.bincount(codes[in_part], minlength=len(labels)).tolist()
                part["classes"] = {str(label): count for label, count in zip(labels, counts, strict=True)}
            parts.append(part | {"file": file})
    return parts


def _as_table(parts: Sequence[dict[str, Any]]) -> str:
    """Return the counts of parts as a text table."""
    from assay.formatting.width import clean, left, right, short, width

    labels = list(parts[0].get("classes", ()))
    lines = [["part", "rows", *labels, "file"]]
    lines += [
        [
            part["part"],
            f"{part['rows']:,}",
            *(f"{part['classes'][label]:,}" for label in labels),
            part["file"],
        ]
        for part in parts
    ]
    lines = [[short(cell) for cell in line[:-1]] + [clean(line[-1])] for line in lines]
    wide = [max(width(line[index]) for line in lines) for index in range(len(lines[0]))]
    return "\n".join(
        " " + "  ".join(
            cell if index == len(wide) - 1 else left(cell, wide[0]) if not index else right(cell, wide[index])
            for index, cell in enumerate(line)
        )
        for line in lines
    )  # fmt: skip


SPLIT = Command(
    "split",
    "split rows into training and test files, folds, or a column",
    "Splits the rows of a file at random, by groups or in the order of time, into files of the same format "
    "or\nwith an added column. The same seed gives the same parts on every machine.",
    (
        "assay split data.csv --stratify default --parts train=0.5,validate=0.25,test=0.25",
        "assay split data.csv --folds 5 --stratify default --seed 1 --column fold --output folds.csv",
        "assay split preds.parquet --parts train=0.8,test=0.2 --group region --into parts",
        "assay split data.csv --time day --parts past=0.7,future=0.3 --gap 2d",
    ),
    _options,
    _run,
)
