"""Slices of few labels and many proxies: in each, the labels of its rows and the proxies of all its rows."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluation.evaluate import evaluate_rows
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.proxy.combine_labels import powered
from assay.evaluation.slices.partition import RowPartition, partition_of
from assay.inference.distributions import student_p, student_quantile
from assay.tallies import Collection
from assay.tallies.leave_one_out import leave_one_out_tallies

if TYPE_CHECKING:
    from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
    from assay.evaluation.slices.partition import Key, TallyPartition
    from assay.evaluation.task import Settings
    from assay.inference.differences.difference import Difference
    from assay.inference.differences.slice_vs_rest import Side
    from assay.inputs import Rows
    from assay.metrics.spec import MetricSpec
    from assay.tallies import Tally

__all__ = ["PoweredPartition"]

_LABELS_ALONE = "labels alone"


class PoweredPartition:
    """The slices of all rows, some of which may have no label."""

    def __init__(self, ev: PoweredEvaluation, columns: tuple[str, ...]) -> None:
        self.ev = ev
        self._labelled = RowPartition(ev, columns)
        self._proxies: list[RowPartition | TallyPartition] = [
            partition_of(proxy, columns) for proxy in ev.proxies
        ]
        self.keys: list[Key] = self._proxies[0].keys
        index_of = {key: index for index, key in enumerate(self._labelled.keys)}
        self._index_of_labelled = [index_of.get(key) for key in self.keys]

    def evaluation(self, index: int, settings: Settings) -> PoweredEvaluation:
        """Return the evaluation of one slice."""
        numbers = self._numbers(index)
        proxies = [
            partition.evaluation(index, dataclasses.replace(proxy.settings, name=settings.name, by=()))
            for partition, proxy in zip(self._proxies, self.ev.proxies, strict=True)
        ]
        labelled, first = None, self._proxies[0]
        if self.ev.labelled is not None and isinstance(first, RowPartition):
            labelled = np.searchsorted(first.numbers(index), self.ev.labelled[numbers])
        return self._of_labelled(numbers, proxies, settings, labelled)

    def rest(self, index: int) -> PoweredEvaluation:
        """Return the evaluation of all rows but those of one slice."""
        settings = dataclasses.replace(self.ev.settings, by=())
        inside = np.zeros(len(self._rows), dtype=bool)
        inside[self._numbers(index)] = True
        proxies = [
            Evaluation(proxy.task, dataclasses.replace(proxy.settings, by=()), tallies[index])
            for proxy, tallies in zip(self.ev.proxies, self._rest_tallies, strict=True)
        ]
        return self._of_labelled(np.flatnonzero(~inside), proxies, settings, None)

    def _of_labelled(
        self, numbers: Any, proxies: list[Evaluation], settings: Settings, labelled: Any
    ) -> PoweredEvaluation:
        task = dataclasses.replace(self.ev.task, inferred=())
        rows = dataclasses.replace(self._rows, by=(), labels=self._rows.labels or task.labels or None)
        human = evaluate_rows(task, settings, rows.take(numbers))
        stand_ins = [column.take(numbers) for column in self.ev.stand_ins]
        return powered(human, proxies, stand_ins, labelled=labelled, selected=self.ev.selected)

    @property
    def remark(self) -> str:
        """What a table of the slices must say beside its numbers."""
        if self.ev.simple:
            return ""
        return "The differences from the rest are those of the labels alone, without the proxy."

    @property
    def _rows(self) -> Rows:
        rows = self.ev.source_rows
        assert rows is not None  # noqa: S101 - labelled rows are always held
        return rows

    def _numbers(self, index: int) -> Any:
        """Return the numbers of a slice's labelled rows among those that have a label."""
        own = self._index_of_labelled[index]
        return np.zeros(0, dtype=np.int64) if own is None else self._labelled.numbers(own)

    @functools.cached_property
    def _rest_tallies(self) -> list[list[Collection]]:
        """For each proxy and slice, the tallies of all rows outside of it."""
        rest_tallies = []
        for proxy, partition in zip(self.ev.proxies, self._proxies, strict=True):
            settings = dataclasses.replace(proxy.settings, by=())
            slices = [partition.evaluation(index, settings).by_name for index in range(len(self.keys))]
            names = [name for name in slices[0] if all(name in tallies for tallies in slices)]
            by_name: dict[str, list[Tally]] = {
                name: list(leave_one_out_tallies(proxy.by_name[name], [tallies[name] for tallies in slices]))
                for name in names
                if name in proxy.by_name
            }
            rest_tallies.append([
                Collection.of_mapping({name: tallies[index] for name, tallies in by_name.items()})
                for index in range(len(self.keys))
            ])  # fmt: skip
        return rest_tallies

    def groups(self) -> tuple[list[int], list[int]]:
        """Return the number of groups with labelled rows in each slice, and outside of it."""
        inside, outside = self._labelled.groups()
        both = [
            (0, max((a + b for a, b in zip(inside, outside, strict=True)), default=0))
            if own is None
            else (inside[own], outside[own])
            for own in self._index_of_labelled
        ]
        return [own for own, _ in both], [others for _, others in both]

    def sides(self, index: int) -> tuple[Side, Side] | None:
        """Return the labelled rows of a slice, and all other labelled rows."""
        own = self._index_of_labelled[index]
        return None if own is None else self._labelled.sides(own)

    def sharpen(
        self, index: int, part: PoweredEvaluation, spec: MetricSpec, difference: Difference
    ) -> Difference:
        """Return a slice's difference from the rest with what proxies add, or that of the labels with a note.

        A slice and the rest have no row in common, so that their variances add up.
        """
        if not self.ev.simple:
            return dataclasses.replace(difference, note=_LABELS_ALONE)
        sides: list[Any] = [side.sharp_value(spec) for side in (self.rest(index), part)]
        if None in sides or not any(side.powered for side in sides):
            return dataclasses.replace(difference, note=_LABELS_ALONE)
        rest, own = sides
        value, variance = own.value - rest.value, own.error**2 + rest.error**2
        if not variance > 0:
            return difference
        spread = sum((side.error**4 / side.df for side in sides if side.df), 0.0)
        df = variance**2 / spread if spread > 0 else math.inf
        error = math.sqrt(variance)
        half = student_quantile(difference.confidence, df) * error
        limit = spec.metric.bounds[1] - spec.metric.bounds[0]
        return dataclasses.replace(
            difference, values=(rest.value, own.value), difference=value, low=max(value - half, -limit),
            high=min(value + half, limit), p_value=student_p(value / error, df), method="prediction-powered",
            test="t", standard_error=error, margin=None, adjusted=None, note="",
        )  # fmt: skip
