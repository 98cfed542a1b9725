"""Two models' difference by resampling: the bootstrap of rows, and outputs swapped between the models.

For metrics without a closed form, and where few rows make one doubtful. Rows that belong to a group are
resampled and swapped together.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.formatting.progress import Progress
from assay.inference.bootstrap.paired_bootstrap import paired_replicates, permutation
from assay.inference.test_result import TestResult
from assay.inputs.columns import Column
from assay.inputs.labels import encode, label_union, translate
from assay.metrics import Ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inference.differences.difference_request import DifferenceRequest
    from assay.inputs import Rows

__all__ = ["bootstrap_differences", "permutation_test"]

_ROUNDING = 1e-12  # differences that are relatively this near are the same


def bootstrap_differences(request: DifferenceRequest) -> NDArray[np.float64]:
    """Return bootstrap replicates of the difference; NaN where the metric has no value.

    Paired rows are drawn once for both models; else each model's rows for themselves.
    """
    settings = request.settings
    first, second = request.pair.first, request.pair.second
    if request.pair.paired and _independent_rows(first):
        draws = {"count": settings.replicates, "seed": settings.seed, **request.options}
        return _rounded_off(request, paired_replicates(request.metric, (first, second), **draws).difference)
    draw_first, draw_second = _row_sampler(first), _row_sampler(second)
    differences = np.empty(settings.replicates)
    with Progress("rows drawn again", settings.replicates) as bar:
        for number in range(settings.replicates):
            left = right = draw_first(settings.seed, 2 * number)
            if not request.pair.paired:
                right = draw_second(settings.seed, 2 * number + 1)
            differences[number] = _value(request, second.take(right)) - _value(request, first.take(left))
            bar.step()
    return _rounded_off(request, differences)


def _rounded_off(request: DifferenceRequest, differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return differences without rounding errors: a draw that changes nothing must show no spread."""
    unchanged = np.abs(differences - request.difference) <= _ROUNDING * max(map(abs, request.values))
    return np.where(unchanged, request.difference, differences)


def permutation_test(request: DifferenceRequest) -> TestResult:
    """Return the permutation test: each row's outputs swapped between the models with probability 1/2.

    The p-value is how often the difference is then as large. The observed rows count as one permutation, so
    that it is never 0. Where only the order of scores counts, ranks are swapped, as scores may be of
    different scales.

    Fisher 1935; for models, Yeh 2000.
    """
    settings = request.settings
    first, second = request.pair.first, request.pair.second
    if request.metric.reads is Ranks and request.metric.kind == "rank" and not first.multioutput:
        first, second = _scores_to_ranks(first), _scores_to_ranks(second)
    elif _independent_rows(first):
        draws = {"count": settings.replicates, "seed": settings.seed, **request.options}
        test = permutation(request.metric, (first, second), **draws)
        return dataclasses.replace(test, method="randomisation of rows")
    roles = [role for role in ("predicted", "score") if getattr(first, role) is not None]
    pickers = {role: _column_picker(getattr(first, role), getattr(second, role)) for role in roles}
    groups = request.pair.groups
    units = len(first) if groups is None else groups[1]
    observed = abs(request.difference) * (1 - _ROUNDING)
    as_large = undefined = 0
    with Progress("outputs swapped", settings.replicates) as bar:
        for number in range(settings.replicates):
            words = kernels.random_words(settings.seed, 1, number * units, (number + 1) * units)
            swap = (words >> np.uint64(63)).astype(bool)
            if groups is not None:
                swap = swap[groups[0]]
            permuted = [
                _value(
                    request,
                    dataclasses.replace(rows, **{role: pick(swap == side) for role, pick in pickers.items()}),
                )
                for side, rows in ((False, first), (True, second))
            ]
            difference = abs(permuted[1] - permuted[0])
            undefined += bool(np.isnan(difference))
            as_large += bool(np.isnan(difference) or difference >= observed)  # no value: count it as chance
            bar.step()
    note = f"{settings.replicates:,} swaps, seed {settings.seed}"
    if undefined:
        note += f"; {undefined:,} of them without a value"
    return TestResult(
        "randomisation of rows", None, None, (as_large + 1) / (settings.replicates + 1), note=note
    )


def _independent_rows(rows: Rows) -> bool:
    """Tell whether rows have no group, query or weight: these are drawn as counts of rows that are alike."""
    return rows.group is None and rows.query is None and rows.weight is None and not rows.multioutput


def _row_sampler(rows: Rows) -> Callable[[int, int], NDArray[np.intp]]:
    """Return a function that draws rows, or whole groups of them, with replacement."""
    if rows.group is None:
        return lambda seed, stream: _random_indices(seed, stream, len(rows))
    codes, labels = encode(rows.group)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(labels) + 1))

    def draw(seed: int, stream: int) -> NDArray[np.intp]:
        groups = _random_indices(seed, stream, len(labels))
        return np.concatenate([order[starts[group] : starts[group + 1]] for group in groups])

    return draw


def _random_indices(seed: int, stream: int, size: int) -> NDArray[np.intp]:
    words = kernels.random_words(seed, stream + 2, 0, size)
    return ((words >> np.uint64(11)) * 2.0**-53 * size).astype(np.intp)


def _value(request: DifferenceRequest, rows: Rows) -> float:
    return float(request.metric(rows, **request.options))


def _column_picker(first: Column, second: Column) -> Callable[[NDArray[np.bool_]], Column]:
    """Return a function that takes each row from the first column where a mask is true, else the second."""
    labels = None
    left, right = first.values, second.values
    if first.labels is not None and second.labels is not None:
        labels = label_union(first.labels, second.labels)
        left, right = (
            translate(column.labels, labels).astype(np.uint32)[column.values]  # type: ignore[arg-type]
            for column in (first, second)
        )

    def pick(from_first: NDArray[np.bool_]) -> Column:
        values = np.where(from_first if left.ndim == 1 else from_first[:, None], left, right)
        return Column(first.name, values, labels).take(slice(None))  # which drops labels that are not used

    return pick


def _scores_to_ranks(rows: Rows) -> Rows:
    """Return rows whose scores are their mean ranks, divided by the number of rows."""
    score = rows.need("score", "a randomisation test")
    _, level, sizes = np.unique(score.values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[level] / len(rows)
    return dataclasses.replace(rows, score=dataclasses.replace(score, values=ranks))
