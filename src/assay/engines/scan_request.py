"""The request of a scan, for every engine: columns of each role, tallies and limits."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import numpy as np

from assay.engines.accumulator import TallyAccumulator, as_bytes
from assay.errors import ColumnError, InputError, LabelError, shown
from assay.hints import param, passed
from assay.inputs import Column, Label, Rows, cut, rows
from assay.inputs.roles import gather_rows

if TYPE_CHECKING:
    from assay.tallies import Tally

__all__ = ["ScanRequest"]

# The tallies may take a sixth of the memory limit: while two are merged there is three times the largest.
_TALLIES: Final = 6


@dataclasses.dataclass(frozen=True)
class ScanRequest:
    """A validated request: the tallies, the columns and the limits of a scan.

    It is sent to the workers of a cluster as it is.
    """

    tallies: dict[str, Any]
    roles: dict[str, Any]
    second: dict[str, str]
    label_options: dict[str, Any]
    edges: dict[str, Sequence[float]]
    drop: bool
    memory: int  # bytes
    threads: int | None
    bits: int

    @classmethod
    def of(
        cls,
        *,
        tallies: Mapping[str, Callable[..., Tally] | type[Tally]],
        actual: str | Sequence[str] | None = None,
        predicted: str | Sequence[str] | None = None,
        score: str | Sequence[str] | Mapping[Label, str] | None = None,
        weight: str | None = None,
        group: str | None = None,
        query: str | None = None,
        key: str | None = None,
        by: str | Sequence[str] = (),
        second: Mapping[str, str] | None = None,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        missing: Literal["refuse", "drop"] = "refuse",
        edges: Mapping[str, Sequence[float]] | None = None,
        memory: int | str = "1GiB",
        threads: int | None = None,
        bits: int = 18,
    ) -> Self:
        """Validate the arguments and return the request."""
        limit = as_bytes(memory)
        if not tallies:
            raise InputError("no tallies were asked for: pass tallies={name: tally}.")
        if threads is not None and threads < 1:
            raise InputError(f"{param('threads', threads)}: at least one is needed.")
        if isinstance(score, Mapping):
            labels, score = tuple(score), tuple(score.values())
        roles: dict[str, Any] = {
            "actual": _several(actual), "predicted": _several(predicted), "score": _several(score),
            "weight": weight, "group": group, "query": query, "key": key,
            "by": (by,) if isinstance(by, str) else tuple(by),
        }  # fmt: skip
        if isinstance(roles["actual"], tuple):  # several labels or outputs, named by their columns
            labels = roles["actual"] if labels is None else labels
        unknown = sorted(set(second or ()) - set(roles))
        if unknown:
            raise InputError(f"second= has no role {shown(unknown)}: use some of {shown(roles, 7)}.")
        if str(missing) not in ("refuse", "drop"):
            raise InputError(f'{passed("missing", missing)} is not known: use "refuse" or "drop".')
        return cls(
            dict(tallies),
            {role: columns for role, columns in roles.items() if columns},
            dict(second or {}),
            {"labels": labels, "positive": positive},
            dict(edges or {}),
            missing == "drop",
            limit,
            threads,
            bits,
        )

    def role_columns(self) -> list[tuple[str, str]]:
        """Return pairs of role and column name, or raise where a column is no name."""
        both = (*self.roles.items(), *self.second.items())
        pairs = [(role, name) for role, columns in both for name in _listed(columns)]
        if not pairs:
            raise ColumnError(
                f"no columns were named: pass at least {param('actual')} and {param('predicted')} or "
                f"{param('score')}."
            )
        for role, name in pairs:
            if not isinstance(name, str):
                raise ColumnError(f"{passed(role, name)}: of a file a column is meant by its name.")
        return pairs

    def column_names(self) -> list[str]:
        """Return the columns that are read, each once."""
        return list(dict.fromkeys(name for _, name in self.role_columns()))

    @property
    def multioutput(self) -> bool:
        """Whether rows have several labels or outputs, a column for each."""
        return isinstance(self.roles.get("actual"), tuple)

    def needs_labels(self) -> bool:
        """Tell whether there are several columns of scores whose labels are not stated."""
        several = isinstance(self.roles.get("score"), tuple) and self.label_options["labels"] is None
        if several and "actual" not in self.roles:
            raise LabelError(
                f"score has several columns: say whose each one is, in order, with {param('labels')}."
            )
        return several

    def with_labels(self, labels: Sequence[Label]) -> Self:
        """Return the request with the labels of the data."""
        return dataclasses.replace(self, label_options={**self.label_options, "labels": tuple(labels)})

    def check_labels(self) -> None:
        """Raise unless every column of several scores has its label."""
        several = self.roles.get("score")
        if isinstance(several, tuple) and not self.multioutput:
            labels = tuple(self.label_options["labels"])
            if len(labels) != len(several):
                raise LabelError(
                    f"score has the columns {shown(several)}, but the labels are {shown(labels) or 'none'}: "
                    f"say whose column each one is, in order, with {param('labels')}."
                )

    @property
    def share(self) -> int:
        """How many bytes the tallies may take together."""
        return self.memory // _TALLIES

    def new_accumulator(self, *, unlimited: bool = False, **options: Any) -> TallyAccumulator:
        """Return an empty accumulator for the tallies."""
        share = sys.maxsize if unlimited else self.share
        return TallyAccumulator(self.tallies, share=share, memory=self.memory, bits=self.bits, **options)

    def accumulate(self, columns: dict[str, Column], count: int, accumulator: TallyAccumulator) -> None:
        """Add the tallies of rows, given their columns by name; numbers are cut at the edges."""
        for name, edges in self.edges.items():
            if name in columns:
                if columns[name].values.dtype.kind == "b":
                    raise ColumnError(f"{param('edges')} cuts numbers, but {name} holds true and false.")
                columns[name] = cut(columns[name], edges, name)
        if self.drop:
            masks = [mask for column in columns.values() if (mask := column.absent()) is not None]
            if masks:
                present = np.flatnonzero(~np.logical_or.reduce(masks))
                accumulator.dropped += count - len(present)
                columns = {name: column.take(present, present) for name, column in columns.items()}
        first_model = self._rows(columns, self.roles)
        accumulator.add(
            first_model, self._rows(columns, {**self.roles, **self.second}) if self.second else None
        )

    def _rows(self, columns: Mapping[str, Column], names: Mapping[str, Any]) -> Rows:
        roles: dict[str, Any] = {
            role: columns[name_or_names]
            if isinstance(name_or_names, str)
            else [columns[name] for name in name_or_names]
            for role, name_or_names in names.items()
        }
        if self.multioutput:
            return gather_rows(None, roles, by=roles.pop("by", ()), multioutput=True, **self.label_options)
        if isinstance(roles.get("score"), list):
            roles["score"] = dict(zip(self.label_options["labels"], roles["score"], strict=True))
        return rows(**roles, **self.label_options)


def _several(columns: Any) -> Any:
    """Return names of several columns as a tuple, anything else as it is."""
    return tuple(columns) if isinstance(columns, list) else columns


def _listed(columns: Any) -> tuple[Any, ...]:
    return tuple(columns) if isinstance(columns, (list, tuple)) else (columns,)
