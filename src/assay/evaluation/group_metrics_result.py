"""The result of metrics by group: a value per group, their distribution, and the worst groups."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import LabelError, MetricError, shown
from assay.formatting.frame_output import as_frame
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of
from assay.formatting.result import Result
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.inference.distributions import student_quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from assay.inputs import Label

__all__ = ["GroupMetrics"]

_QUANTILES = {"5%": 0.05, "median": 0.5, "95%": 0.95}
_WORST = 5


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class GroupMetrics(Result):
    """The values of metrics for every group of rows, from :func:`assay.group_metrics`.

    ``groups["auc"]`` is an array with a value per group, in the order of ``keys`` (a tuple of labels per
    group) and ``sizes`` (its number of rows); it is NaN where a group has no value. The text shows how the
    values are distributed over groups and which groups are worst.
    """

    columns: tuple[str, ...]
    keys: list[tuple[Label, ...]]
    sizes: NDArray[np.int64]
    values: dict[str, NDArray[np.float64]]
    titles: dict[str, str]
    best: dict[str, float | None]
    task: str
    confidence: float
    library: str = ""

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def __getitem__(self, metric: str) -> NDArray[np.float64]:
        if metric not in self.values:
            raise MetricError(f'"{metric}" was not computed by group: there are {shown(list(self.values))}.')
        return self.values[metric]

    @functools.cached_property
    def _index(self) -> dict[tuple[Label, ...], int]:
        return {key: index for index, key in enumerate(self.keys)}

    def value(self, metric: str, group: Any) -> float:
        """Return a metric of one group by its label, or labels where groups are crossed; NaN without value.

        >>> import assay
        >>> rows = {"by": ["a", "a", "b"], "actual": [1, 0, 1], "predicted": [1, 1, 1]}
        >>> assay.group_metrics(**rows, metrics="accuracy").value("accuracy", "b")
        1.0
        """
        key = group if isinstance(group, tuple) else (group,)
        if key not in self._index:
            raise LabelError(f"there is no group {shown([group])} by {' x '.join(self.columns)}.")
        return float(self[metric][self._index[key]])

    def mean(self, metric: str) -> IntervalCell:
        """Return the mean over groups that have a value, every group counting the same, with its interval.

        The groups are taken as a sample: Student's t with the spread of their values.
        """
        values = self[metric]
        values = values[np.isfinite(values)]
        if not len(values):
            return IntervalCell(None)
        mean = math.fsum(values) / len(values)
        if len(values) == 1:
            return IntervalCell(mean)
        deviations = values - mean
        error = math.sqrt(math.fsum(deviations * deviations) / (len(values) - 1) / len(values))
        width = student_quantile(self.confidence, len(values) - 1) * error
        return IntervalCell(mean, mean - width, mean + width)

    def worst(self, metric: str, count: int = _WORST) -> list[int]:
        """Return the indices of the worst groups, the worst first; of equal ones the larger first.

        Where a metric has no best value, those are the lowest.
        """
        values, best = self[metric], self.best[metric]
        badness = -values if best in (None, math.inf) else abs(values - best)
        badness = np.where(np.isnan(values), -math.inf, badness)
        order = np.lexsort((-self.sizes, -badness))
        return [int(index) for index in order[:count] if not math.isnan(values[index])]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the distribution of each metric, and each group's values."""
        return dict(
            json_safe(
                {
                    "task": self.task,
                    "by": list(self.columns),
                    "groups": len(self),
                    "rows": int(self.sizes.sum()),
                    "confidence": self.confidence,
                    "metrics": {name: self._distribution(name) for name in self.values},
                    "keys": [list(key) for key in self.keys],
                    "sizes": self.sizes.tolist(),
                    "values": {name: values.tolist() for name, values in self.values.items()},
                }
            )
        )

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row per group, of the rows' library or the one named."""
        columns: dict[str, Any] = {
            name: [key[index] for key in self.keys] for index, name in enumerate(self.columns)
        }
        values = {name: values.tolist() for name, values in self.values.items()}
        return as_frame(
            columns | {"n": self.sizes.tolist()} | values, self.library if library is None else library
        )

    def tables(self) -> list[ResultTable]:
        """Return the distribution of every metric over the groups, and the worst groups by each."""
        rows = [self._distribution(name) for name in self.values]
        distribution = ResultTable(
            {
                "metric": [self.titles[name] for name in self.values],
                "groups": [row["groups"] for row in rows],
                "mean": [self.mean(name) for name in self.values],
                **{name: [row[name] for row in rows] for name in ("min", *_QUANTILES, "max")},
            },
            f"{count_of(len(self), 'group')} by {' x '.join(self.columns)}, "
            f"{count_of(int(self.sizes.sum()), 'row')}",
            headings={"groups": "groups with a value", "mean": f"mean [{100 * self.confidence:g}% interval]"},
            frame_only=("min", "max"),
        )
        return [distribution, *(self._worst_table(name) for name in self.values if self.worst(name, 1))]

    def _worst_table(self, metric: str) -> ResultTable:
        worst = self.worst(metric)
        keys: dict[str, list[Any]] = {
            name: [str(self.keys[index][column]) for index in worst]
            for column, name in enumerate(self.columns)
        }
        numbers: dict[str, list[Any]] = {
            "n": [int(self.sizes[index]) for index in worst],
            metric: [float(self.values[metric][index]) for index in worst],
        }
        title = f"worst groups by {self.titles[metric]}"
        return ResultTable(keys | numbers, title, headings={metric: self.titles[metric]})

    def _distribution(self, metric: str) -> dict[str, Any]:
        values = self[metric]
        defined = values[~np.isnan(values)]
        mean = self.mean(metric)
        summary: dict[str, Any] = {
            "groups": len(defined), "mean": mean.value, "low": mean.low, "high": mean.high
        }  # fmt: skip
        if not len(defined):
            return summary | dict.fromkeys(("min", *_QUANTILES, "max"))
        quantiles = np.quantile(defined, list(_QUANTILES.values())) if np.isfinite(defined).all() else None
        names = dict.fromkeys(_QUANTILES) if quantiles is None else dict(
            zip(_QUANTILES, quantiles.tolist(), strict=True)
        )  # fmt: skip
        return summary | {"min": float(defined.min()), **names, "max": float(defined.max())}
