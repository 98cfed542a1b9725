"""What is asked of a scan, whoever walks the rows: the columns of each role, and their way into rows."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import numpy as np

from assay.engines.accumulator import TallyAccumulator, as_bytes
from assay.errors import ColumnError, InputError, LabelError, shown
from assay.inputs import Column, Label, Rows, cut, rows

if TYPE_CHECKING:
    from assay.tallies import Tally

__all__ = ["ScanRequest"]

# The part of a limit of memory that the tallies may take: there may be three times the largest of them
# while two are merged.
_TALLIES: Final = 6


@dataclasses.dataclass(frozen=True)
class ScanRequest:
    """A question that has been checked: what a scan looks for, and within which limits.

    It travels to the workers of a cluster as it is.
    """

    tallies: dict[str, Any]
    roles: dict[str, Any]
    second: dict[str, str]
    said: dict[str, Any]
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
        actual: str | None = None,
        predicted: str | None = None,
        score: str | Sequence[str] | Mapping[Label, str] | None = None,
        weight: str | None = None,
        group: str | None = None,
        query: str | None = None,
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
        """Return the question, or raise saying what is wrong with it."""
        limit = as_bytes(memory)
        if not tallies:
            raise InputError("no tallies were asked for: pass tallies={name: tally}.")
        if threads is not None and threads < 1:
            raise InputError(f"threads={threads}: at least one is needed.")
        if isinstance(score, Mapping):
            labels, score = tuple(score), tuple(score.values())
        several = () if score is None or isinstance(score, str) else tuple(score)
        roles: dict[str, Any] = {
            "actual": actual, "predicted": predicted, "score": several or score, "weight": weight,
            "group": group, "query": query, "by": (by,) if isinstance(by, str) else tuple(by),
        }  # fmt: skip
        unknown = sorted(set(second or ()) - set(roles))
        if unknown:
            raise InputError(f"second= has no role {shown(unknown)}: use some of {shown(roles, 7)}.")
        if str(missing) not in ("refuse", "drop"):
            raise InputError(f'missing={missing!r} is not known: use "refuse" or "drop".')
        return cls(
            dict(tallies),
            {role: said for role, said in roles.items() if said},
            dict(second or {}),
            {"labels": labels, "positive": positive},
            dict(edges or {}),
            missing == "drop",
            limit,
            threads,
            bits,
        )

    def named(self) -> list[tuple[str, str]]:
        """Return every role with a column of it, or raise where one is not meant by its name."""
        both = (*self.roles.items(), *self.second.items())
        named = [(role, name) for role, said in both for name in _listed(said)]
        if not named:
            raise ColumnError("no columns were named: pass at least actual= and predicted= or score=.")
        for role, name in named:
            if not isinstance(name, str):
                raise ColumnError(f"{role}={name!r}: of a file a column is meant by its name.")
        return named

    def wanted(self) -> list[str]:
        """Return the columns that are read, each once."""
        return list(dict.fromkeys(name for _, name in self.named()))

    def needs_labels(self) -> bool:
        """Tell whether there is a column of scores per class and nobody has said whose each is."""
        several = isinstance(self.roles.get("score"), tuple) and self.said["labels"] is None
        if several and "actual" not in self.roles:
            raise LabelError("score has several columns: say whose each one is, in order, with labels=.")
        return several

    def with_labels(self, labels: Sequence[Label]) -> Self:
        """Return the question with the labels that were found."""
        return dataclasses.replace(self, said={**self.said, "labels": tuple(labels)})

    def check_labels(self) -> None:
        """Raise unless every column of several scores has its label."""
        several = self.roles.get("score")
        if isinstance(several, tuple):
            labels = tuple(self.said["labels"])
            if len(labels) != len(several):
                raise LabelError(
                    f"score has the columns {shown(several)}, but the labels are {shown(labels) or 'none'}: "
                    "say whose column each one is, in order, with labels=."
                )

    @property
    def share(self) -> int:
        """How many bytes the tallies may take together."""
        return self.memory // _TALLIES

    def gathering(self, *, unlimited: bool = False, **rest: Any) -> TallyAccumulator:
        """Return where the tallies are gathered, with nothing in it."""
        share = sys.maxsize if unlimited else self.share
        return TallyAccumulator(self.tallies, share=share, memory=self.memory, bits=self.bits, **rest)

    def gather(self, found: dict[str, Column], count: int, gathered: TallyAccumulator) -> None:
        """Gather the tallies of so many rows, given their columns by name; numbers to cut are cut here."""
        for name, edges in self.edges.items():
            if name in found:
                if found[name].values.dtype.kind == "b":
                    raise ColumnError(f"edges= cuts numbers, but {name} holds true and false.")
                found[name] = cut(found[name], edges, name)
        if self.drop:
            masks = [mask for one in found.values() if (mask := one.absent()) is not None]
            if masks:
                present = np.flatnonzero(~np.logical_or.reduce(masks))
                gathered.dropped += count - len(present)
                found = {name: one.take(present, present) for name, one in found.items()}
        first = self._rows(found, self.roles)
        gathered.add(first, self._rows(found, {**self.roles, **self.second}) if self.second else None)

    def _rows(self, found: Mapping[str, Column], names: Mapping[str, Any]) -> Rows:
        roles: dict[str, Any] = {
            role: found[said] if isinstance(said, str) else [found[name] for name in said]
            for role, said in names.items()
        }
        if isinstance(roles.get("score"), list):
            roles["score"] = dict(zip(self.said["labels"], roles["score"], strict=True))
        return rows(**roles, **self.said)


def _listed(said: Any) -> tuple[Any, ...]:
    return tuple(said) if isinstance(said, (list, tuple)) else (said,)
