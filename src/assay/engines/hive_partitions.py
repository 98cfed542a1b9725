"""Columns that stand in the names of folders, as in ``sales/year=2024/a.parquet`` (Hive partitions).

They are read only where somebody asks for them: a folder may be named like a column of the file in it.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import numpy as np

from assay.engines.duckdb import dependency
from assay.engines.sources import SourcePart
from assay.errors import FileError, shown
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.engines.duckdb import Database

__all__ = ["folder_values", "with_folder_columns"]

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_WHOLE: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?")
_TRUTH: Final = {"true": True, "false": False}


def folder_values(path: str) -> dict[str, str | None]:
    """Return what the folders of a path say, as text by column.

    >>> folder_values("sales/year=2024/region=north%2Fwest/a.parquet")
    {'year': '2024', 'region': 'north/west'}
    """
    values: dict[str, str | None] = {}
    for folder in Path(path).parts[:-1]:
        name, sign, value = folder.partition("=")
        if name and sign:
            values[unquote(name)] = None if value in (_NULL, "") else unquote(value)
    return values


def with_folder_columns(parts: Sequence[SourcePart], paths: Sequence[str]) -> list[SourcePart]:
    """Return files with the columns that their folders' names hold: numbers if all of them are, else text."""
    texts = [folder_values(path) for path in paths]
    if not texts[0]:
        raise FileError(
            f"{paths[0]} lies in no folder named as year=2024, so {param('hive')} has nothing to read."
        )
    for path, values in zip(paths, texts, strict=True):
        if values.keys() != texts[0].keys():
            raise FileError(
                f"the folders of {path} name the columns {shown(values) or 'none'}, but those of {paths[0]} "
                f"{shown(texts[0])}: read them apart, or without {param('hive')}."
            )
    columns = {name: _typed([values[name] for values in texts]) for name in texts[0]}
    return [
        FileInFolders(
            file.name, file, tuple((name, dtype, values[index]) for name, (dtype, values) in columns.items())
        )
        for index, file in enumerate(parts)
    ]


def _typed(texts: Sequence[str | None]) -> tuple[str, list[Any]]:
    """Return values of one type, by the same rule as those of a CSV, and the type's name."""
    present = [text for text in texts if text is not None]
    for dtype, fits, convert in (
        ("int64", _WHOLE.fullmatch, int),
        ("float64", _NUMBER.fullmatch, float),
        ("bool", lambda text: text.lower() in _TRUTH, lambda text: _TRUTH[text.lower()]),
    ):
        if present and all(map(fits, present)):
            return dtype, [None if text is None else convert(text) for text in texts]
    return "utf8", list(texts)


@dataclasses.dataclass(frozen=True)
class FileInFolders(SourcePart):
    """A file, and columns that have one value in all of its rows: the name, type and value of each."""

    file: SourcePart
    constants: tuple[tuple[str, str, Any], ...]

    def columns(self, database: Database) -> list[str]:
        """Return the names of the file's columns and of the folders'."""
        own = self.file.columns(database)
        for name, _, value in self.constants:
            if name.lower() in (file_column.lower() for file_column in own):
                raise FileError(
                    f'{self.name} has a column "{name}" and lies in a folder {name}={value}: leave out '
                    f"{param('hive')} "
                    "to read the file's own."
                )
        return [*own, *(name for name, _, _ in self.constants)]

    def kinds(self, database: Database, names: Sequence[str]) -> dict[str, str]:
        """Return what the file's own columns of text seem to hold."""
        return self.file.kinds(database, self._own(names))

    def count(self, database: Database) -> int | None:
        """Return about how many rows the file has."""
        return self.file.count(database)

    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns, those of the folders' names with the same value in every row."""
        # Without any column of the file nobody knows how many rows there are.
        own = self._own(names) or self.file.columns(database)[:1]
        constants = [constant for constant in self.constants if constant[0] in names]
        for batch in self.file.batches(database, own, kinds):
            wide = batch
            for name, dtype, value in constants:
                array = _repeated(dtype, value, batch.num_rows)
                wide = wide.append_column(name, array)
            yield wide.select(list(names))

    def _own(self, names: Sequence[str]) -> list[str]:
        from_folders = {name for name, _, _ in self.constants}
        return [name for name in names if name not in from_folders]


def _repeated(dtype: str, value: Any, count: int) -> Any:
    core = dependency("arro3.core", "arro3-core", "reading files")
    types = {"int64": core.DataType.int64, "float64": core.DataType.float64, "bool": core.DataType.bool}
    if dtype == "utf8" or value is None:
        return core.Array([value] * count, type=types.get(dtype, core.DataType.utf8)())
    return core.Array.from_numpy(np.full(count, value, dtype=dtype))
