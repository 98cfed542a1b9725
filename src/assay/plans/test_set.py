"""What a plan knows of its test set: fingerprint, and how many rows have each label, in all and per slice."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any, Self

from assay.errors import LedgerError, PlanError
from assay.evaluation.slices.partition import partition_of
from assay.formatting.numbers import count_of
from assay.ledgers.record import fingerprint_of
from assay.tallies import Confusion, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.evaluation.evaluation import Evaluation

__all__ = ["TestSet"]

_KEYS = {"rows", "labels", "slices", "file", "fingerprint", "slice_fingerprints"}


@dataclasses.dataclass(frozen=True)
class TestSet:
    """The rows of a test set: their number, by label where there are labels, and the same of every slice.

    ``fingerprint`` is that of :class:`assay.Fingerprint`, empty where the rows were not at hand;
    ``slice_fingerprints`` tell by column whether a row has moved to another slice.

    >>> import assay
    >>> table = {"y": [0, 1, 1], "z": [0, 1, 0], "at": ["home", "home", "away"]}
    >>> ev = assay.evaluate(table, actual="y", predicted="z", by="at")
    >>> TestSet.of(ev).slices
    {'at': {'away': {'0': 0, '1': 1}, 'home': {'0': 1, '1': 1}}}
    """

    __test__ = False  # its name looks like a test case to pytest

    rows: int
    labels: Mapping[str, int] = dataclasses.field(default_factory=dict)
    slices: Mapping[str, Mapping[str, Mapping[str, int]]] = dataclasses.field(default_factory=dict)
    fingerprint: str = ""
    slice_fingerprints: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, ev: Evaluation, fingerprint: Fingerprint | None = None) -> Self:
        """Return what an evaluation tells of its test set; the fingerprint may be that of other roles."""
        if fingerprint is None:
            with contextlib.suppress(LedgerError):  # its rows were not at hand
                fingerprint = fingerprint_of(ev)
        slices = {
            column: {str(key): _counts(part) for key, part in ev.slices[column].items()}
            for column in ev.settings.by
        }
        if fingerprint is None:
            return cls(ev.n, _labels(ev), slices)
        moved = {
            column: _slice_fingerprint(ev, column) for column in ev.settings.by if ev.source_rows is not None
        }
        return cls(fingerprint.n, _labels(ev), slices, fingerprint.test_set, moved)

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the test set that a plan's file describes."""
        unknown = data.keys() - _KEYS
        if unknown or not isinstance(data.get("rows"), int) or data["rows"] <= 0:
            raise PlanError(
                f"[test_set] needs rows, a whole number above 0, and may have file, labels, slices and "
                f"fingerprint{f', not {min(unknown)}' if unknown else ''}."
            )
        return cls(
            data["rows"], dict(data.get("labels", {})), dict(data.get("slices", {})),
            str(data.get("fingerprint", "")), dict(data.get("slice_fingerprints", {})),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON and TOML."""
        data: dict[str, Any] = {"rows": self.rows, "labels": dict(self.labels), "slices": {
            column: {key: dict(counts) for key, counts in parts.items()}
            for column, parts in self.slices.items()
        }}  # fmt: skip
        if self.fingerprint:
            data["fingerprint"] = self.fingerprint
        if self.slice_fingerprints:
            data["slice_fingerprints"] = dict(self.slice_fingerprints)
        return data

    def difference(self, other: TestSet) -> str:
        """Return how another test set differs, in words; empty where nothing tells the two apart."""
        if self.rows != other.rows:
            return f"it has {count_of(other.rows, 'row')}, and the plan's has {self.rows:,}"
        for label, count in self.labels.items():
            if other.labels and other.labels.get(label, 0) != count:
                rows = count_of(other.labels.get(label, 0), "row")
                return f"it has {rows} of {label}, and the plan's has {count:,}"
        for column, parts in self.slices.items():
            other_parts = other.slices.get(column, {})
            for key, counts in parts.items():
                if key not in other_parts:
                    return f"it has no row of {column}={key}, and the plan's has {sum(counts.values()):,}"
                if dict(other_parts[key]) != dict(counts):
                    return f"its rows of {column}={key} are others in number or label"
        if self.fingerprint and other.fingerprint != self.fingerprint:
            return "it has as many rows, but some of them are others, or have another label"
        for column, digest in self.slice_fingerprints.items():
            if other.slice_fingerprints.get(column, digest) != digest:
                return f"some rows have another {column}"
        return ""


def _slice_fingerprint(ev: Evaluation, column: str) -> str:
    """Return a hash of which rows are in which slice by a column."""
    partition = partition_of(ev, (column,))
    parts = {
        str(key): fingerprint_of(partition.evaluation(index, ev.settings)).test_set
        for index, key in enumerate(partition.keys)
    }
    text = "\n".join(f"{part} {key}" for key, part in sorted(parts.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _labels(ev: Evaluation) -> dict[str, int]:
    """Return how many rows have each label; empty where rows have numbers or several labels."""
    table = ev.by_name.get("confusion")
    if not isinstance(table, Confusion) or ev.settings.weight:
        return {}
    of_label = table.table().sum(axis=1)
    return {str(label): int(count) for label, count in zip(table.labels, of_label, strict=True)}


def _counts(part: Evaluation) -> dict[str, int]:
    return _labels(part) or {"": part.n}
