"""What a plan knows of its test set: how many rows, of which labels, in all and in each slice."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from assay.errors import PlanError
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.evaluation.evaluation import Evaluation

__all__ = ["TestSet"]


@dataclasses.dataclass(frozen=True)
class TestSet:
    """The number of rows of a test set, by label where it has labels, and the same of every slice.

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

    @classmethod
    def of(cls, ev: Evaluation) -> Self:
        """Return what an evaluation tells of its test set."""
        slices = {
            column: {str(key): _counts(part) for key, part in ev.slices[column].items()}
            for column in ev.settings.by
        }
        return cls(ev.n, _labels(ev), slices)

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the test set that a plan's file describes."""
        unknown = data.keys() - {"rows", "labels", "slices", "file"}
        if unknown or not isinstance(data.get("rows"), int) or data["rows"] <= 0:
            raise PlanError(
                f"[test_set] needs rows, a whole number above 0, and may have file, labels and slices"
                f"{f', not {min(unknown)}' if unknown else ''}."
            )
        return cls(data["rows"], dict(data.get("labels", {})), dict(data.get("slices", {})))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON and TOML."""
        return {"rows": self.rows, "labels": dict(self.labels), "slices": {
            column: {key: dict(counts) for key, counts in parts.items()}
            for column, parts in self.slices.items()
        }}  # fmt: skip

    def difference(self, other: TestSet) -> str:
        """Return how another test set differs, in words; empty where nothing tells the two apart."""
        if self.rows != other.rows:
            return f"it has {other.rows:,} rows, and the plan's has {self.rows:,}"
        for label, count in self.labels.items():
            if other.labels and other.labels.get(label, 0) != count:
                return f"it has {other.labels.get(label, 0):,} rows of {label}, and the plan's has {count:,}"
        for column, parts in self.slices.items():
            found = other.slices.get(column, {})
            for key, counts in parts.items():
                if key not in found:
                    return f"it has no row of {column}={key}, and the plan's has {sum(counts.values()):,}"
                if dict(found[key]) != dict(counts):
                    return f"its rows of {column}={key} are others in number or label"
        return ""


def _labels(ev: Evaluation) -> dict[str, int]:
    """Return how many rows have each label; empty where rows have numbers or several labels."""
    table = ev.by_name.get("confusion")
    if not isinstance(table, Confusion) or ev.settings.weight:
        return {}
    of_label = table.table().sum(axis=1)
    return {str(label): int(count) for label, count in zip(table.labels, of_label, strict=True)}


def _counts(part: Evaluation) -> dict[str, int]:
    return _labels(part) or {"": part.n}
